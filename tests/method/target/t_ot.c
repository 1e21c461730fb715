// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L /* glob */
#include "target_checks.h"

#include <glob.h>

/* ---- the problem from its definition ---- */

typedef struct {
    int64_t n, m, l, lab[64], un[64];
    real *K, *H;               /* centred kernel; lambda^2 (K + lambda I)^-2, less 11'/n with an intercept */
    real *M1;                  /* (K + lambda I)^-1 */
    double shift, scale, unit; /* score = unit (shift + scale sqrt(n) y) */
} definition;

static definition define(rung_ctx *ctx, const small *s, const char *kind, double gamma, double lambda, bool balanced)
{
    int64_t n = s->p.n;
    definition d = {.n = n, .H = new_square(ctx, n), .unit = 1};
    d.K = centred(ctx, n, gram_of(ctx, s, kind, gamma));
    d.M1 = ridge_inverse(ctx, n, d.K, lambda);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            for (int64_t p = 0; p < n; p++) d.H[i + j * n] += lambda * lambda * d.M1[i + p * n] * d.M1[p + j * n];
            if (balanced) d.H[i + j * n] -= 1 / (real)n;
        }
    double v[64];
    for (int64_t i = 0; i < n; i++) {
        bool labelled = s->p.t ? !isnan(s->p.t[i]) : s->y[i] > 0;
        if (labelled) v[d.m] = s->p.t ? s->p.t[i] : s->p.K == 2 ? 2 * s->y[i] - 3 : s->y[i];
        if (labelled)
            d.lab[d.m++] = i;
        else
            d.un[d.l++] = i;
    }
    if (!s->p.t && s->p.K == 2) d.unit = 1 / sqrt((double)n);
    d.scale = 1;
    if (s->p.t || s->p.K > 2 || balanced) {
        double square = 0;
        for (int64_t i = 0; i < d.m; i++) d.shift += v[i] / (double)d.m;
        for (int64_t i = 0; i < d.m; i++) square += (v[i] - d.shift) * (v[i] - d.shift) / (double)d.m;
        d.scale = sqrt(square);
    }
    return d;
}

/* y from the scores of the training rows. */
static void target_of(const definition *d, const fitted *fit, real *y)
{
    for (int64_t i = 0; i < d->n; i++)
        y[i] =
            (fit->training.output[i * fit->own.score.outputs] / d->unit - d->shift) / (d->scale * sqrt((double)d->n));
}

/* (H0 - mu I) t + H1 u = 0 with H0 - mu I positive definite: the global minimum on the sphere |t|^2 = 1 - |u|^2, or of
 * all t with mu = 0. */
static void check_optimal(rung_ctx *ctx, const definition *d, const fitted *fit, bool sphere, double tolerance)
{
    real y[64], mu = reported(fit, "multiplier"), size = 0, least = 0, *shifted = new_square(ctx, d->l);
    target_of(d, fit, y);
    for (int64_t i = 0; i < d->n; i++) size += y[i] * y[i];
    if (sphere) assert_close((double)size, 1, 1e-9);
    if (!sphere) assert_true(mu == 0);
    for (int64_t i = 0; i < d->l; i++) {
        real gradient = -mu * y[d->un[i]], pull = 0;
        for (int64_t j = 0; j < d->n; j++) gradient += d->H[d->un[i] + j * d->n] * y[j];
        assert_true(fabsl(gradient) <= tolerance * (1 + sqrtl(size)));
        for (int64_t j = 0; j < d->l; j++) {
            shifted[i + j * d->l] = d->H[d->un[i] + d->un[j] * d->n] - (i == j ? mu : 0);
            least += y[d->un[i]] * d->H[d->un[i] + d->un[j] * d->n] * y[d->un[j]];
        }
        for (int64_t j = 0; j < d->m; j++) pull += d->H[d->un[i] + d->lab[j] * d->n] * y[d->lab[j]];
        least += 2 * y[d->un[i]] * pull;
    }
    assert_true(positive_definite(ctx, d->l, shifted));
    assert_close(reported(fit, "energy"), (double)least, 1e-9);
}

/* Ridge regression on y: f = K (K + lambda I)^-1 (y - mean) + mean, the mean 0 without an intercept. */
static void check_extension(rung_ctx *ctx, const definition *d, const fitted *fit, const small *s, bool balanced)
{
    real y[64], mean = 0;
    double *f = outputs_of(ctx, fit, d->n, s->X);
    target_of(d, fit, y);
    for (int64_t i = 0; i < d->n && balanced; i++) mean += y[i] / (real)d->n;
    for (int64_t i = 0; i < d->n; i++) {
        real value = mean;
        for (int64_t p = 0; p < d->n; p++)
            for (int64_t q = 0; q < d->n; q++) value += d->K[i + p * d->n] * d->M1[p + q * d->n] * (y[q] - mean);
        double score = d->unit * (d->shift + d->scale * sqrt((double)d->n) * (double)value);
        assert_close(f[i * fit->own.score.outputs], score, 1e-8);
    }
}

static void the_target_is_optimal(void **state)
{
    rung_ctx *ctx = *state;
    for (int kind = 0; kind < 2; kind++)
        for (int K = 0; K <= 4; K += 2)
            for (int choice = 0; choice < 4; choice++) {
                bool sphere = choice % 2, balanced = choice / 2 && K > 0;
                for (int every = 2; every <= 9; every += 7) {
                    pool_mark mark = pool_here(&ctx->scratch);
                    small s = make_small(ctx, 24, 3, K, every, (uint64_t)(10 + K));
                    char text[200];
                    snprintf(text, sizeof text,
                             "kernel=%s gamma=0.3 lambda=0.4 lambda-kind=absolute norm=%s balance=%s",
                             kind ? "linear" : "rbf", sphere ? "labelled" : "free", balanced ? "yes" : "no");
                    fitted fit = fit_small(ctx, &s, "ot", text, NULL, NULL);
                    definition d = define(ctx, &s, kind ? "linear" : "rbf", 0.3, 0.4, balanced);
                    check_optimal(ctx, &d, &fit, sphere, 1e-10);
                    check_extension(ctx, &d, &fit, &s, balanced);
                    pool_release(&ctx->scratch, mark);
                }
            }
}

/* Labelled rows keep their own target. */
static void labelled_rows_keep_their_target(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 30, 3, 3, 3, 1);
    fitted fit = fit_small(ctx, &s, "ot", "", NULL, NULL);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(fit.training.label[i], s.y[i]);
        if (s.y[i]) assert_close(fit.training.output[i], s.y[i], 1e-12);
    }
    s = make_small(ctx, 30, 3, 0, 3, 2);
    fit = fit_small(ctx, &s, "ot", "", NULL, NULL);
    assert_null(fit.training.label);
    for (int i = 0; i < 30; i++)
        if (!isnan(s.t[i])) assert_close(fit.training.output[i], s.t[i], 1e-12);
    assert_close(reported(&fit, "multiplier"), 0, 0); /* real targets: the length is free */
}

/* ---- limits ---- */

static void without_labels_it_is_the_first_principal_component(void **state)
{
    rung_ctx *ctx = *state;
    for (int kind = 0; kind < 2; kind++) {
        const char *kernel_options = kind ? "kernel=linear" : "gamma=0.3";
        small s = make_small(ctx, 25, 3, 2, 1, 3);
        char text[200];
        memset(s.y, 0, 25 * sizeof *s.y);
        s.p.K = 0;
        snprintf(text, sizeof text, "%s lambda=0.4 lambda-kind=absolute components=3", kernel_options);
        fitted fit = fit_small(ctx, &s, "ot", text, NULL, NULL);
        snprintf(text, sizeof text, "%s lambda=0.4 lambda-kind=absolute components=3", kernel_options);
        fitted pca = fit_small(ctx, &s, "kpca", text, NULL, NULL);
        double *f = outputs_of(ctx, &pca, 25, s.X), *g = outputs_of(ctx, &fit, 25, s.X);
        const report_entry *value = reported_list(&pca, "eigenvalues");
        assert_int_equal(fit.own.decide.kind, DECISION_NONE);
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 25; i++) {
                double k = value->value[j];
                assert_close(fit.training.output[i * 3 + j], f[i * 3 + j] / sqrt(k), 1e-10);
                assert_close(g[i * 3 + j], f[i * 3 + j] / sqrt(k) * k / (k + 0.4), 1e-10);
            }
        double share = 0.4 / (value->value[0] + 0.4);
        assert_close(reported(&fit, "multiplier"), share * share, 1e-12);
        assert_close(reported(&fit, "energy"), share * share, 1e-12);
    }
}

static void one_label_value(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 20, 2, 1, 3, 4);
    fitted fit = fit_small(ctx, &s, "ot", "", NULL, NULL); /* balanced: nothing is learned from one class */
    assert_int_equal(fit.own.decide.kind, DECISION_CONSTANT);
    fitted as_published = fit_small(ctx, &s, "ot", "balance=no", NULL, NULL); /* the labelled rows are alike */
    for (int i = 0; i < 20; i++)
        if (s.y[i]) assert_close(as_published.training.output[i], 1 / sqrt(20), 1e-12);
    s = make_small(ctx, 20, 2, 0, 2, 5);
    for (int i = 0; i < 20; i++)
        if (!isnan(s.t[i])) s.t[i] = 7.7;
    fit = fit_small(ctx, &s, "ot", "", NULL, NULL);
    double *f = outputs_of(ctx, &fit, 20, s.X);
    for (int i = 0; i < 20; i++) {
        assert_close(f[i], 7.7, 0);
        assert_close(fit.training.output[i], 7.7, 0);
    }
}

/* No unlabelled row: kernel ridge regression, with the intercept when balanced. */
static void all_labelled_is_ridge_regression(void **state)
{
    rung_ctx *ctx = *state;
    for (int kind = 0; kind < 2; kind++) {
        small s = make_small(ctx, 22, 3, 3, 1, 6);
        const char *options = kind ? "kernel=linear lambda=0.2" : "gamma=0.3 lambda=0.2";
        fitted a = fit_small(ctx, &s, "ot", options, NULL, NULL), b = fit_small(ctx, &s, "krr", options, NULL, NULL);
        double *f = outputs_of(ctx, &a, 22, s.X), *g = outputs_of(ctx, &b, 22, s.X);
        for (int i = 0; i < 22; i++) assert_close(f[i], g[i], 1e-10);
    }
}

static void equal_rows_get_equal_values(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 24, 2, 2, 3, 7);
    for (int i = 12; i < 24; i++) {
        s.y[i] = 0;
        memcpy(s.X + i * 2, s.X + (i % 2 ? 23 : 22) * 2, 2 * sizeof *s.X);
    }
    fitted fit = fit_small(ctx, &s, "ot", "", NULL, NULL);
    for (int i = 12; i < 22; i++) assert_close(fit.training.output[i], fit.training.output[i + 2], 1e-10);
}

/* Two mirror images of each other with labels on the axis of the mirror: the lowest direction is odd, the labels are
 * even, and which side is positive is free. */
static void a_hard_case(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 16, 2, 2, 1, 8);
    rng r;
    rng_open(&r, 9, 1);
    for (int i = 0; i < 16; i++) {
        s.y[i] = i < 2 ? i + 1 : 0;
        s.X[i * 2] = i < 2 ? 0 : i % 2 ? -s.X[i * 2 - 2] : 20 + rng_normal(&r);
        s.X[i * 2 + 1] = i < 2 ? i - 0.5 : i % 2 ? s.X[i * 2 - 1] : 0.3 * rng_normal(&r);
    }
    double x[32];
    memcpy(x, s.X, sizeof x);
    for (int kind = 0; kind < 2; kind++) {
        fitted fit = fit_small(ctx, &s, "ot", kind ? "kernel=linear balance=no" : "gamma=0.001 balance=no", NULL, NULL);
        assert_true(reported(&fit, "hard") == 1);
        double size = 0;
        for (int i = 0; i < 16; i++) size += fit.training.output[i] * fit.training.output[i];
        assert_close(size, 1, 1e-9);
    }
}

/* However heavy or light the ridge, y has unit length. */
static void extreme_ridges(void **state)
{
    rung_ctx *ctx = *state;
    const char *lambda[] = {"1e-60", "1e-9", "1e3", "1e6"};
    for (int balanced = 0; balanced < 2; balanced++)
        for (int k = 0; k < 4; k++) {
            small s = make_small(ctx, 20, 3, 2, 4, 14);
            char text[100];
            snprintf(text, sizeof text, "kernel=linear balance=%s lambda=%s", balanced ? "yes" : "no", lambda[k]);
            fitted fit = fit_small(ctx, &s, "ot", text, NULL, NULL);
            definition d = define(ctx, &s, "linear", 0, 1, balanced);
            real y[64], size = 0;
            target_of(&d, &fit, y);
            for (int i = 0; i < 20; i++) size += y[i] * y[i];
            assert_close((double)size, 1, 1e-9);
        }
}

/* ---- no n x n matrix ---- */

static void thin_equals_whole(void **state)
{
    rung_ctx *ctx = *state;
    const char *options[] = {"",           "norm=free ", "balance=no ", "components=3 ", "lambda=auto ", "lambda=1e-4 ",
                             "lambda=1e5 "};
    small s = make_small(ctx, 30, 4, 3, 3, 9), whole = s;
    double *K = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, K, 900));
    real *gram = gram_of(ctx, &s, "linear", 0);
    for (int i = 0; i < 900; i++) K[i] = (double)gram[i];
    problem_new(&ctx->scratch, &(problem_rows){30, 30, K, s.y, NULL, s.p.origin, 3}, &whole.p);
    folds f;
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = 30, .y = s.y, .K = 3}, 3, 2, &f));
    for (int k = 0; k < 7; k++) {
        char text[100];
        held_out one, two;
        snprintf(text, sizeof text, "%skernel=linear", options[k]);
        fitted a = fit_small(ctx, &s, "ot", text, &f, &one);
        snprintf(text, sizeof text, "%skernel=precomputed", options[k]);
        fitted b = fit_small(ctx, &whole, "ot", text, &f, &two);
        int outputs = a.own.score.outputs;
        double *x = outputs_of(ctx, &a, 30, s.X), *y = outputs_of(ctx, &b, 30, K);
        for (int i = 0; i < 30 * outputs; i++) {
            assert_close(x[i], y[i], 1e-7);
            assert_close(a.training.output[i], b.training.output[i], 1e-7);
        }
        assert_int_equal(one.n, two.n);
        for (int64_t i = 0; i < one.n; i++) assert_close(one.score[i], two.score[i], 1e-7);
        assert_close(reported(&a, "energy"), reported(&b, "energy"), 1e-8);
        assert_close(reported(&a, "lambda"), reported(&b, "lambda"), 1e-10);
    }
}

/* ---- labels hidden in turn ---- */

/* A held-out score is that of a fit to which the fold's labels were never told. */
static void folds_equal_refits(void **state)
{
    rung_ctx *ctx = *state;
    const char *options[] = {
        "", "norm=free", "balance=no", "kernel=linear", "kernel=linear balance=no", "lambda=0.001"};
    for (int k = 0; k < 6; k++)
        for (int K = 2; K <= 3; K++) {
            pool_mark mark = pool_here(&ctx->scratch);
            small s = make_small(ctx, 40, 3, K, 2, 10);
            folds f;
            held_out held;
            assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = 40, .y = s.y, .K = K}, 3, 2, &f));
            fitted fit = fit_small(ctx, &s, "ot", options[k], &f, &held);
            assert_true(held.n > 20);
            for (int r = 0; r < 2; r++)
                for (int fold = 0; fold < 3; fold++) {
                    small hidden = make_small(ctx, 40, 3, K, 2, 10);
                    for (int i = 0; i < 40; i++)
                        if (f.fold[r * 40 + i] == fold) hidden.y[i] = 0;
                    fitted part = fit_small(ctx, &hidden, "ot", options[k], NULL, NULL);
                    double *score = outputs_of(ctx, &part, 40, s.X);
                    for (int64_t i = 0; i < held.n; i++)
                        if (held.repeat[i] == r && held.fold[i] == fold)
                            assert_close(held.score[i], rank_score(&fit.own.map, score[held.row[i]]), 1e-8);
                }
            pool_release(&ctx->scratch, mark);
        }
}

/* lambda=auto: the leave-one-out error of norm=free, each label hidden in turn; those of equal rows together. */
static void lambda_by_hidden_labels(void **state)
{
    rung_ctx *ctx = *state;
    for (int kind = 0; kind < 4; kind++) {
        int K = kind % 2 ? 0 : 3, group[25];
        bool repeated = kind > 1;
        small s = make_small(ctx, 25, 2, K, 3, 11);
        for (int i = 0; i < 25; i++) group[i] = i;
        if (repeated) { /* rows 0, 2, 7 and 8; 1 and 11 */
            const int copies[][2] = {{2, 0}, {7, 0}, {8, 0}, {11, 1}};
            for (int c = 0; c < 4; c++) {
                int to = copies[c][0], from = copies[c][1];
                memcpy(s.X + 2 * to, s.X + 2 * from, 2 * sizeof *s.X);
                if (K) s.y[to] = 1 + to % K;
                if (!K) s.t[to] = to;
                group[to] = from;
            }
            s.p.group = s.p.equal = group;
        }
        fitted fit = fit_small(ctx, &s, "ot", "gamma=0.3 norm=free lambda=auto", NULL, NULL);
        const report_entry *lambda = reported_list(&fit, "path_lambda"), *loo = reported_list(&fit, "path_loo");
        definition d = define(ctx, &s, "rbf", 0.3, 1, false);
        for (int64_t c = 2; c < lambda->n; c += 8) {
            double sum = 0;
            if (repeated && c > 12) break; /* equal rows differ by lambda^2 alone: here that is rounded away */
            definition own = define(ctx, &s, "rbf", 0.3, lambda->value[c], K > 0);
            int64_t n = d.n;
            for (int64_t i = 0; i < d.m; i++) { /* with u as it is: hide i, minimise over it and the unlabelled rows */
                int64_t free_rows[64], count = 0;
                for (int64_t j = 0; j < d.l; j++) free_rows[count++] = d.un[j];
                for (int64_t j = 0; j < d.m; j++)
                    if (j != i && group[d.lab[j]] == group[d.lab[i]]) free_rows[count++] = d.lab[j];
                free_rows[count++] = d.lab[i];
                real *A = new_square(ctx, count);
                for (int64_t a = 0; a < count; a++)
                    for (int64_t b = 0; b < count; b++) A[a + b * count] = own.H[free_rows[a] + free_rows[b] * n];
                real *inverse = inverse_of(ctx, count, A), found = 0, target = 0;
                for (int64_t j = 0; j < d.m; j++) {
                    double v = K ? s.y[d.lab[j]] : s.t[d.lab[j]];
                    real u = (v - own.shift) / (own.scale * sqrt((double)n));
                    bool hidden = group[d.lab[j]] == group[d.lab[i]];
                    if (j == i) target = u;
                    for (int64_t a = 0; a < count && !hidden; a++)
                        found -= inverse[count - 1 + a * count] * own.H[free_rows[a] + d.lab[j] * n] * u;
                }
                sum += (double)((target - found) * (target - found)) / (double)d.m;
            }
            assert_close(loo->value[c], sum, 1e-7);
        }
    }
}

/* ---- components ---- */

/* Unit length, orthogonal to y and to each other, and eigenvectors of H on the complement of y. */
static void generalised_components(void **state)
{
    rung_ctx *ctx = *state;
    for (int kind = 0; kind < 2; kind++)
        for (int balanced = 0; balanced < 2; balanced++) {
            small s = make_small(ctx, 26, 4, 2, 4, 12);
            char text[200];
            snprintf(text, sizeof text, "kernel=%s gamma=0.3 lambda=0.4 lambda-kind=absolute components=4 balance=%s",
                     kind ? "linear" : "rbf", balanced ? "yes" : "no");
            fitted fit = fit_small(ctx, &s, "ot", text, NULL, NULL);
            definition d = define(ctx, &s, kind ? "linear" : "rbf", 0.3, 0.4, false);
            const double *v = fit.training.output;
            double *f = outputs_of(ctx, &fit, 26, s.X);
            const report_entry *left = reported_list(&fit, "left_by_ridge");
            real y[26], mean = 0, size = 0;
            for (int i = 0; i < 26; i++) mean += balanced ? v[i * 4] / 26 : 0;
            for (int i = 0; i < 26; i++) {
                y[i] = v[i * 4] - mean;
                size += y[i] * y[i];
            }
            for (int j = 1; j < 4; j++) {
                real along = 0, total = 0, Hv[26] = {0}, yHv = 0, sum = 0;
                for (int i = 0; i < 26; i++) {
                    along += y[i] * v[i * 4 + j];
                    total += (real)v[i * 4 + j] * v[i * 4 + j];
                    for (int p = 0; p < 26; p++) Hv[i] += d.H[i + p * 26] * v[p * 4 + j];
                    yHv += y[i] * Hv[i] / size;
                    sum += v[i * 4 + j];
                }
                assert_true(fabsl(along) < 1e-10);
                if (balanced) assert_true(fabsl(sum) < 1e-10);
                assert_close((double)total, 1, 1e-10);
                for (int i = 0; i < 26; i++)
                    assert_close((double)(Hv[i] - yHv * y[i]), left->value[j - 1] * v[i * 4 + j], 1e-9);
                if (j > 1) assert_true(left->value[j - 1] >= left->value[j - 2]);
                for (int i = 0; i < 26; i++) { /* extension: K (K + lambda I)^-1 v */
                    real value = 0;
                    for (int p = 0; p < 26; p++)
                        for (int q = 0; q < 26; q++) value += d.K[i + p * 26] * d.M1[p + q * 26] * v[q * 4 + j];
                    assert_close(f[i * 4 + j], (double)value, 1e-9);
                }
            }
        }
}

static void too_many_components(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 8, 2, 2, 1, 13);
    rung_spec *spec = make_spec(ctx, "ot", "components=8");
    fitted out = {0};
    assert_fails(
        ctx,
        method_ot.fit(ctx, &ctx->scratch, &(fit_input){.method = &method_ot, .p = &s.p, .params = spec->params}, &out),
        RUNG_EARG, "at most 7");
    spec_free(spec);
}

/* ---- Fig. 5 of the paper ---- */

/* Versicolor and virginica of scikit-learn's copy: 100 rows of 4 numbers. */
static bool read_iris(double *X, int *y)
{
    char pattern[1000];
    const char *rest = "/../lib/python3*/site-packages/sklearn/datasets/data/iris.csv";
    snprintf(pattern, sizeof pattern, "%.*s%s", (int)(strrchr(RUNG_PYTHON, '/') - RUNG_PYTHON), RUNG_PYTHON, rest);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    FILE *file = fopen(found.gl_pathv[0], "r");
    globfree(&found);
    if (!file) return false;
    char line[200];
    int n = 0;
    while (fgets(line, sizeof line, file) && n < 100) {
        double x[4];
        int class;
        if (sscanf(line, "%lf,%lf,%lf,%lf,%d", x, x + 1, x + 2, x + 3, &class) != 5 || class == 0 || x[0] > 100)
            continue;
        memcpy(X + n * 4, x, sizeof x);
        y[n++] = class;
    }
    fclose(file);
    return n == 100;
}

static double correlation(int n, const double *a, int stride, const int *b)
{
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < n; i++) {
        ma += a[i * stride] / n;
        mb += (double)b[i] / n;
    }
    for (int i = 0; i < n; i++) {
        ab += (a[i * stride] - ma) * (b[i] - mb);
        aa += (a[i * stride] - ma) * (a[i * stride] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

/* How often y* correlates better with the classes than the first principal component, for m random labels of 100. */
static void few_labels_beat_the_principal_component_on_iris(void **state)
{
    rung_ctx *ctx = *state;
    double X[400];
    int truth[100], y[100];
    if (!read_iris(X, truth)) {
        print_message("skipped: there is no iris.csv of scikit-learn\n");
        skip();
    }
    int64_t origin[100], rows[100];
    for (int i = 0; i < 100; i++) origin[i] = rows[i] = i;
    const char *options = "kernel=linear lambda=1 lambda-kind=absolute balance=no norm=labelled";
    small s = {.X = X, .y = y};
    memset(y, 0, sizeof y);
    problem_new(&ctx->scratch, &(problem_rows){4, 100, X, y, NULL, origin, 0}, &s.p);
    fitted fit = fit_small(ctx, &s, "ot", options, NULL, NULL);
    double alone = fabs(correlation(100, fit.training.output, 1, truth));
    assert_close(alone, 0.733, 1e-3);
    rng r;
    rng_open(&r, 12, 1);
    const int labels[] = {2, 4, 8, 16};
    const double expected[] = {0.76, 0.86, 0.96, 0.995};
    for (int k = 0; k < 4; k++) {
        enum { DRAWS = 2000 };
        int better = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            pool_mark mark = pool_here(&ctx->scratch);
            memset(y, 0, sizeof y);
            rng_shuffle(&r, rows, 100);
            bool both = false;
            for (int i = 0; i < labels[k]; i++) both = both || truth[rows[i]] != truth[rows[0]];
            for (int i = 0; i < labels[k]; i++) y[rows[i]] = both ? truth[rows[i]] : 1;
            problem_new(&ctx->scratch, &(problem_rows){4, 100, X, y, NULL, origin, both ? 2 : 1}, &s.p);
            fit = fit_small(ctx, &s, "ot", options, NULL, NULL);
            better += fabs(correlation(100, fit.training.output, 1, truth)) > alone;
            pool_release(&ctx->scratch, mark);
        }
        double f = (double)better / DRAWS;
        print_message("m/N = %.2f: f = %.3f +- %.3f, expected %.3f\n", labels[k] / 100.0, f, sqrt(f * (1 - f) / DRAWS),
                      expected[k]);
        assert_true(fabs(f - expected[k]) <= 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_target_is_optimal),
        WITH_CONTEXT(labelled_rows_keep_their_target),
        WITH_CONTEXT(without_labels_it_is_the_first_principal_component),
        WITH_CONTEXT(one_label_value),
        WITH_CONTEXT(all_labelled_is_ridge_regression),
        WITH_CONTEXT(equal_rows_get_equal_values),
        WITH_CONTEXT(a_hard_case),
        WITH_CONTEXT(extreme_ridges),
        WITH_CONTEXT(thin_equals_whole),
        WITH_CONTEXT(folds_equal_refits),
        WITH_CONTEXT(lambda_by_hidden_labels),
        WITH_CONTEXT(generalised_components),
        WITH_CONTEXT(too_many_components),
        WITH_CONTEXT(few_labels_beat_the_principal_component_on_iris),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
