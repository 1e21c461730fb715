// SPDX-License-Identifier: BSD-3-Clause
/* svorim, svorex and isvor through the public header: the conditions of optimality recomputed from data and model,
 * two classes against svm-train, and new rows joining a model. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "helper.h"

#include <unistd.h>

#include "base/rng.h"
#include "fit/method.h"

enum { MOST_N = 130, MOST_D = 40, MOST_K = 10 };
static const char *const family[] = {"svorim", "svorex", "isvor"};

typedef struct {
    int64_t n, d;
    int K;
    double x[MOST_N * MOST_D], w[MOST_N];
    int y[MOST_N];
} rows;

/* Classes along a bent line; each class has a row. */
static void make_rows(rows *s, int64_t n, int64_t d, int K, double noise, uint64_t stream)
{
    rng r;
    rng_open(&r, 8, stream);
    *s = (rows){.n = n, .d = d, .K = K};
    for (int64_t i = 0; i < n; i++) {
        s->y[i] = 1 + (int)(i % K);
        s->w[i] = 0.25 + rng_uniform(&r);
        for (int64_t j = 0; j < d; j++)
            s->x[i * d + j] = noise * rng_normal(&r) + (j == 0 ? s->y[i] : j == 1 ? 0.1 * s->y[i] * s->y[i] : 0);
    }
}

static rung_data *data_of(rung_ctx *ctx, const rows *s, int64_t from, int64_t to, bool weights)
{
    rung_view view = {.v = s->x + from * s->d, .n = to - from, .d = s->d, .row = s->d, .col = 1};
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &view, s->y + from, weights ? s->w + from : NULL, s->K, &data));
    return data;
}

/* params: "C=1", "gamma=2", ..., NULL */
static rung_spec *spec_of(rung_ctx *ctx, const char *name, const char *const *params)
{
    rung_spec *spec;
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, "none"));
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, 1));
    for (; *params; params++) {
        char param[32];
        const char *equals = strchr(*params, '=');
        snprintf(param, sizeof param, "%.*s", (int)(equals - *params), *params);
        assert_ok(ctx, rung_spec_set(ctx, spec, param, equals + 1));
    }
    return spec;
}

static rung_model *fit(rung_ctx *ctx, const char *name, const rows *s, bool weights, const char *const *params)
{
    rung_data *data = data_of(ctx, s, 0, s->n, weights);
    rung_spec *spec = spec_of(ctx, name, params);
    rung_model *model;
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    rung_data_free(data);
    return model;
}

static void scores(rung_ctx *ctx, const rung_model *model, const rows *s, double *f, int *rank)
{
    rung_view view = {.v = s->x, .n = s->n, .d = s->d, .row = s->d, .col = 1};
    rung_output out = {.size = sizeof out, .score = f, .rank = rank};
    assert_ok(ctx, rung_model_predict(ctx, model, &view, NULL, &out));
}

static double reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (!strcmp(m->report[i].name, name)) return *m->report[i].value;
    fail_msg("no %s in the report", name);
    return NAN;
}

static double number_param(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_params; i++)
        if (!strcmp(m->params[i].name, name)) return strtod(m->params[i].value, NULL);
    return NAN;
}

/* ---- the conditions of optimality ---- */

static long double kernel_value(const kernel *k, int64_t d, const double *x, const double *z)
{
    long double dot = 0, d2 = 0;
    for (int64_t j = 0; j < d; j++) {
        dot += (long double)x[j] * z[j];
        d2 += ((long double)x[j] - z[j]) * ((long double)x[j] - z[j]);
    }
    switch (k->kind) {
    case KERNEL_RBF: return expl(-k->gamma * d2);
    case KERNEL_LAPLACIAN: return expl(-k->gamma * sqrtl(d2));
    case KERNEL_POLY: return powl(k->gamma * dot + k->coef0, k->degree);
    default: return dot;
    }
}

/* Row i counts at threshold j (from 0). */
static bool counts(const char *name, const rows *s, int64_t i, int j)
{
    return !strcmp(name, "svorim") || s->y[i] == j + 1 || s->y[i] == j + 2;
}

/* From the rows and the model alone: feasible pulls that are the coefficients, f and thresholds; objective and gap as
 * reported; KKT conditions. */
static void check_optimal(rung_ctx *ctx, const char *name, const rows *s, const rung_model *m, bool weights)
{
    const member *one = &m->members[0];
    int J = s->K - 1, rank[MOST_N];
    double C = number_param(m, "C"), diagonal = number_param(m, "diagonal"), predicted[MOST_N], fall[MOST_K],
           rise[MOST_K], *b = one->decide.thresholds;
    long double f[MOST_N], square = 0, loss = 0, dual = 0, sums[MOST_K] = {0}, v[MOST_N] = {0}, largest = 1, total = 0;
    kernel k = one->score.kind == SCORER_KERNEL ? one->score.k : (kernel){.kind = KERNEL_LINEAR};
    int64_t expansion = 0;
    assert_int_equal(m->kept.n, s->n);
    assert_int_equal(m->kept.width, J);
    assert_int_equal(one->decide.kind, DECISION_THRESHOLDS);
    assert_true(one->decide.tie_up);
    for (int64_t i = 0; i < s->n; i++) {
        double cap = C * (weights ? s->w[i] : 1);
        total += cap;
        for (int j = 0; j < J; j++) {
            double pull = m->kept.state[i * J + j], side = s->y[i] > j + 1 ? 1 : -1;
            assert_true(counts(name, s, i, j) ? side * pull >= 0 && side * pull <= cap : pull == 0);
            v[i] += pull;
            sums[j] += pull;
            dual += side * pull;
        }
        expansion += (double)v[i] != 0;
    }
    assert_int_equal(expansion, m->n_expansion);
    if (one->score.kind == SCORER_KERNEL) assert_int_equal(one->score.m, expansion);
    for (int64_t i = 0; i < s->n; i++) {
        f[i] = 0;
        for (int64_t q = 0; q < s->n; q++) f[i] += v[q] * kernel_value(&k, s->d, s->x + i * s->d, s->x + q * s->d);
        largest = fmaxl(largest, fabsl(f[i]));
    }
    scores(ctx, m, s, predicted, rank);
    for (int64_t i = 0; i < s->n; i++) {
        assert_true(fabsl(f[i] - predicted[i]) <= 1e-9L * largest);
        int r = 1;
        while (r < s->K && predicted[i] >= b[r - 1]) r++;
        assert_int_equal(rank[i], r);
        f[i] += diagonal / (weights ? s->w[i] : 1) * v[i];
        square += f[i] * v[i];
    }
    for (int j = 0; j < J; j++) {
        fall[j] = -INFINITY;
        rise[j] = INFINITY;
        for (int64_t i = 0; i < s->n; i++) {
            if (!counts(name, s, i, j)) continue;
            double cap = C * (weights ? s->w[i] : 1), side = s->y[i] > j + 1 ? 1 : -1;
            double pull = m->kept.state[i * J + j], F = (double)(f[i] - side);
            if (pull > (side > 0 ? 0 : -cap)) fall[j] = fmax(fall[j], F);
            if (pull < (side > 0 ? cap : 0)) rise[j] = fmin(rise[j], F);
            loss += cap * fmaxl(0, 1 - side * (f[i] - b[j]));
        }
        assert_true(j == 0 || b[j] >= b[j - 1]);
    }
    bool ordered = strcmp(name, "svorim") != 0;
    long double flow[MOST_K] = {0}, sum = 0;
    for (int j = 0; j < J; j++) {
        sum = ordered ? sum + sums[j] : sums[j];
        flow[j] = -sum;
        assert_true(fabsl(sum) <= 1e-10L * total || (ordered && j + 1 < J && sum < 0));
        if (flow[j] < 1e-10L * total) flow[j] = 0;
    }
    for (int g = 0; g < J; g++) /* b_g >= fall_g, b_k <= rise_k, in order; equal where something flows */
        for (int q = 0; q < J; q++) {
            bool joined = q == g || (ordered && q > g);
            for (int l = q; ordered && l < g; l++) joined = l == q ? flow[l] > 0 : joined && flow[l] > 0;
            if (joined) assert_true(fall[g] - rise[q] <= 1e-8 * (double)largest);
        }
    double primal = (double)(square / 2 + loss), gap = (double)(square + loss - dual);
    assert_close(reported(m, "objective"), primal, 1e-9);
    assert_true(fabs(reported(m, "gap") - gap / primal) <= 1e-9);
    assert_true(reported(m, "gap") <= number_param(m, "tolerance"));
}

static void solutions_are_optimal(void **state)
{
    rung_ctx *ctx = *state;
    const struct {
        int64_t n, d;
        int K;
        double noise;
        bool weights;
        const char *params[5];
    } cases[] = {
        {60, 3, 4, 0.5, false, {"C=1", "gamma=0.5"}},
        {60, 3, 4, 0.5, true, {"C=100", "gamma=0.1"}},
        {100, 2, 10, 0.3, false, {"C=10", "gamma=1"}},      /* many classes */
        {80, 2, 2, 1.0, true, {"C=1", "gamma=1"}},          /* two */
        {5, 2, 5, 0.1, false, {"C=1000", "gamma=0.1"}},     /* one row per class */
        {30, 40, 3, 0.5, false, {"C=1", "gamma=0.01"}},     /* more columns than rows */
        {90, 3, 3, 0.7, false, {"C=0.5", "kernel=linear"}}, /* K_FF is singular */
        {90, 3, 5, 0.3, true, {"C=2", "kernel=poly", "degree=2", "gamma=0.1"}},
        {70, 2, 4, 0.6, false, {"C=5", "kernel=laplacian", "gamma=0.5"}},
        {60, 3, 4, 0.5, false, {"C=10", "gamma=0.5", "diagonal=0.1"}},
        {60, 3, 4, 0.5, true, {"C=10", "gamma=0.5", "diagonal=0.1"}}, /* a row of weight w as w equal rows */
        {60, 2, 3, 0.5, false, {"C=1e-3", "gamma=1"}},                /* every pull at its bound */
        {60, 2, 3, 0.5, false, {"C=1e5", "gamma=1"}},
    };
    rows *s = malloc(sizeof *s);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int m = 0; m < 3; m++) {
            make_rows(s, cases[c].n, cases[c].d, cases[c].K, cases[c].noise, c);
            rung_model *model = fit(ctx, family[m], s, cases[c].weights, cases[c].params);
            check_optimal(ctx, family[m], s, model, cases[c].weights);
            rung_model_free(model);
        }
    free(s);
}

/* Rows given several times with any label, columns that are constant, scores that tie. */
static void duplicates_and_ties(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < 3; m++) {
            make_rows(s, 60, 2, 4, 0.5, 20);
            for (int64_t i = 0; i < s->n; i++) {
                if (c == 0) memcpy(s->x + 2 * i, s->x + i / 5 * 10, 2 * sizeof *s->x);
                if (c == 1) s->x[2 * i + 1] = 3;
                if (c == 2) s->x[2 * i] = floor(s->x[2 * i]), s->x[2 * i + 1] = 0;
            }
            rung_model *model = fit(ctx, family[m], s, false, (const char *[]){"C=3", "gamma=0.7", NULL});
            check_optimal(ctx, family[m], s, model, false);
            rung_model_free(model);
        }
    free(s);
}

/* Class 2 lies beyond class 3: explicit thresholds would cross; they are equal instead, and something flows. */
static void thresholds_that_would_cross_are_equal(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    const double x[] = {-3, -2.5, -2, 4, 4.5, 5, 1, 1.5, 2, 0, 8, 9};
    const int y[] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4};
    make_rows(s, 12, 1, 4, 0, 0);
    memcpy(s->x, x, sizeof x);
    memcpy(s->y, y, sizeof y);
    for (int m = 0; m < 3; m++) {
        rung_model *model = fit(ctx, family[m], s, false, (const char *[]){"C=1", "kernel=linear", NULL});
        check_optimal(ctx, family[m], s, model, false);
        if (m > 0) assert_true(model->members[0].decide.thresholds[0] == model->members[0].decide.thresholds[1]);
        rung_model_free(model);
    }
    free(s);
}

/* Two points: w = 2/distance in closed form, or what C allows; the threshold is half way. */
static void two_points_in_closed_form(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    make_rows(s, 2, 1, 2, 0, 0);
    s->x[0] = 1;
    s->x[1] = 5;
    for (int m = 0; m < 3; m++) {
        double f[MOST_N];
        int rank[MOST_N];
        rung_model *model = fit(ctx, family[m], s, false, (const char *[]){"C=10", "kernel=linear", NULL});
        scores(ctx, model, s, f, rank);
        assert_close(f[1] - f[0], 2, 1e-12);
        assert_close(model->members[0].score.coef[0], 0.5, 1e-12);
        assert_close(model->members[0].decide.thresholds[0], 1.5, 1e-12);
        assert_close(reported(model, "objective"), 0.125, 1e-12);
        rung_model_free(model);
        model = fit(ctx, family[m], s, false, (const char *[]){"C=0.01", "kernel=linear", NULL});
        assert_close(model->members[0].score.coef[0], 0.04, 1e-12); /* pulls of +-C */
        assert_close(reported(model, "objective"), 0.0008 + 0.01 * (2 - 0.16), 1e-12);
        rung_model_free(model);
    }
    free(s);
}

/* With two classes the three methods solve the problem of a C-SVM: LIBSVM's decision value is f - b. */
static void two_classes_are_a_binary_svm(void **state)
{
    rung_ctx *ctx = *state;
    char folder[] = "/tmp/rung-svor-XXXXXX", path[64], command[512];
    if (system("svm-train > /dev/null 2>&1 ; test $? -ne 127") != 0) {
        print_message("skipped: svm-train (libsvm-tools) is not there\n");
        skip();
    }
    assert_non_null(mkdtemp(folder));
    rows *s = malloc(sizeof *s);
    make_rows(s, 80, 2, 2, 0.8, 30);
    snprintf(path, sizeof path, "%s/rows", folder);
    FILE *file = fopen(path, "w");
    for (int64_t i = 0; i < s->n; i++) fprintf(file, "%d 1:%.17g 2:%.17g\n", s->y[i], s->x[2 * i], s->x[2 * i + 1]);
    fclose(file);
    snprintf(command, sizeof command, "svm-train -q -c 5 -g 0.5 -e 1e-9 %s/rows %s/model", folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/model", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    double rho = NAN, decision_value[MOST_N] = {0}, coef, x1, x2;
    int first = 0;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "rho %lf", &rho);
        sscanf(line, "label %d", &first);
        if (sscanf(line, "%lf 1:%lf 2:%lf", &coef, &x1, &x2) != 3) continue;
        for (int64_t i = 0; i < s->n; i++) {
            double a = s->x[2 * i] - x1, b = s->x[2 * i + 1] - x2;
            decision_value[i] += coef * exp(-0.5 * (a * a + b * b));
        }
    }
    fclose(file);
    for (int m = 0; m < 3; m++) {
        double f[MOST_N];
        int rank[MOST_N];
        rung_model *model = fit(ctx, family[m], s, false, (const char *[]){"C=5", "gamma=0.5", NULL});
        scores(ctx, model, s, f, rank);
        double b = model->members[0].decide.thresholds[0], sign = first == 2 ? 1 : -1;
        for (int64_t i = 0; i < s->n; i++) assert_close(f[i] - b, sign * (decision_value[i] - rho), 1e-5);
        rung_model_free(model);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    free(s);
}

/* ---- rows that join a model ---- */

static rung_model *update(rung_ctx *ctx, const rung_model *model, const rows *s, int64_t from, int64_t to, bool weights)
{
    rung_data *data = data_of(ctx, s, from, to, weights);
    rung_model *out;
    assert_ok(ctx, rung_model_update(ctx, model, data, &out));
    rung_data_free(data);
    return out;
}

static void check_same(rung_ctx *ctx, const rung_model *a, const rung_model *b, const rows *s)
{
    double f[MOST_N], g[MOST_N], largest = 1;
    int rank[MOST_N], other[MOST_N];
    scores(ctx, a, s, f, rank);
    scores(ctx, b, s, g, other);
    for (int64_t i = 0; i < s->n; i++) largest = fmax(largest, fabs(f[i]));
    for (int64_t i = 0; i < s->n; i++) assert_true(fabs(f[i] - g[i]) <= 1e-8 * largest);
    assert_memory_equal(rank, other, (size_t)s->n * sizeof *rank);
    assert_close(reported(a, "objective"), reported(b, "objective"), 1e-9);
    assert_int_equal(a->n_labelled, b->n_labelled);
    assert_int_equal(a->n_rows, b->n_rows);
}

static void an_update_is_a_fit_to_all_rows(void **state)
{
    rung_ctx *ctx = *state;
    const char *const params[] = {"C=10", "gamma=0.5", NULL};
    rows *s = malloc(sizeof *s);
    for (int m = 0; m < 3; m++)
        for (int weights = 0; weights < 2; weights++) {
            make_rows(s, 120, 3, 5, 0.6, 40);
            rung_model *all = fit(ctx, family[m], s, weights, params);
            s->n = 60;
            rung_model *part = fit(ctx, family[m], s, weights, params);
            s->n = 120;
            rung_model *once = update(ctx, part, s, 60, 120, weights), *twice = update(ctx, part, s, 60, 61, weights);
            rung_model *again = update(ctx, twice, s, 61, 120, weights);
            check_same(ctx, once, all, s);
            check_same(ctx, again, all, s);
            check_optimal(ctx, family[m], s, once, weights);
            rung_model *const made[] = {all, part, once, twice, again};
            for (int i = 0; i < 5; i++) rung_model_free(made[i]);
        }
    free(s);
}

/* The scaling, the coding and the parameters stay those of the first fit; so it is after a file, too. */
static void preprocessing_is_frozen(void **state)
{
    rung_ctx *ctx = *state;
    char path[] = "/tmp/rung-svor-XXXXXX";
    close(mkstemp(path));
    rows *s = malloc(sizeof *s), *scaled = malloc(sizeof *s);
    make_rows(s, 100, 2, 4, 0.5, 50);
    rung_data *part = data_of(ctx, s, 0, 50, false), *rest = data_of(ctx, s, 50, 100, false);
    rung_spec *spec;
    rung_model *first, *loaded, *updated;
    assert_ok(ctx, rung_spec_new(ctx, "svorim", 0, &spec)); /* standard scaling, gamma=auto */
    assert_ok(ctx, rung_spec_set(ctx, spec, "C", "7"));
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, 1));
    assert_ok(ctx, rung_model_fit(ctx, spec, part, &first));
    assert_ok(ctx, rung_model_save(ctx, first, path));
    assert_ok(ctx, rung_model_load(ctx, path, &loaded));
    assert_ok(ctx, rung_model_update(ctx, loaded, rest, &updated));
    memcpy(scaled, s, sizeof *s);
    const scaling *scale = &first->members[0].scale;
    assert_memory_equal(updated->members[0].scale.shift, scale->shift, 2 * sizeof(double));
    for (int i = 0; i < 200; i++) scaled->x[i] = (s->x[i] - scale->shift[i % 2]) * scale->factor[i % 2];
    rung_model *all = fit(ctx, "svorim", scaled, false, (const char *[]){"C=7", "gamma=0.5", NULL});
    double f[MOST_N], g[MOST_N];
    int rank[MOST_N];
    scores(ctx, updated, s, f, rank);
    scores(ctx, all, scaled, g, rank);
    assert_arrays_close(100, f, g, 1e-8);
    assert_ok(ctx, rung_model_save(ctx, updated, path)); /* and it is a good model */
    unlink(path);
    rung_model *const made[] = {first, loaded, updated, all};
    for (int i = 0; i < 4; i++) rung_model_free(made[i]);
    rung_spec_free(spec);
    rung_data_free(part);
    rung_data_free(rest);
    free(s);
    free(scaled);
}

/* A class that had no rows before, class weights, rows without a label, probabilities. */
static void updates_of_all_kinds(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    make_rows(s, 100, 2, 4, 0.5, 60);
    for (int i = 0; i < 50; i++) s->y[i] = s->y[i] == 3 ? 2 : s->y[i];
    for (int i = 90; i < 100; i++) s->y[i] = 0;
    for (int m = 0; m < 6; m++) {
        bool w = m > 2; /* weights of rows, too */
        rung_data *part = data_of(ctx, s, 0, 50, w), *rest = data_of(ctx, s, 50, 100, w),
                  *whole = data_of(ctx, s, 0, 100, w);
        rung_spec *spec = spec_of(ctx, family[m % 3], (const char *[]){"C=2", "gamma=0.5", "calibrate=5", NULL});
        assert_ok(ctx, rung_spec_set_class_weight(ctx, spec, "2", 3));
        assert_ok(ctx, rung_spec_set_class_weight(ctx, spec, "4", 0.5));
        rung_model *first, *updated, *all;
        assert_ok(ctx, rung_model_fit(ctx, spec, part, &first));
        assert_ok(ctx, rung_model_update(ctx, first, rest, &updated));
        assert_ok(ctx, rung_model_fit(ctx, spec, whole, &all));
        assert_int_equal(first->n_present, 3);
        assert_int_equal(updated->n_present, 4);
        check_same(ctx, updated, all, s);
        assert_true(rung_model_has_probabilities(updated));
        rung_metrics a = {.size = sizeof a}, b = {.size = sizeof b};
        assert_true(rung_model_cv(updated, &a) && rung_model_cv(all, &b));
        assert_close(a.mae, b.mae, 1e-9);
        rung_model_free(first);
        rung_model_free(updated);
        rung_model_free(all);
        rung_spec_free(spec);
        rung_data_free(part);
        rung_data_free(rest);
        rung_data_free(whole);
    }
    free(s);
}

/* Weights that come with the new rows alone, rows of weight 0, a class that never has a label. */
static void updates_with_new_weights(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    make_rows(s, 90, 2, 4, 0.5, 61);
    s->K = 5;
    for (int i = 0; i < 40; i++) s->w[i] = 1;
    for (int i = 60; i < 70; i++) s->w[i] = 0;
    const char *const params[] = {"C=2", "gamma=0.5", NULL};
    for (int m = 0; m < 3; m++) {
        rung_model *all = fit(ctx, family[m], s, true, params);
        s->n = 40;
        rung_model *part = fit(ctx, family[m], s, false, params);
        s->n = 90;
        assert_null(part->kept.weight);
        rung_model *updated = update(ctx, part, s, 40, 90, true);
        assert_int_equal(updated->n_labelled, 80);
        assert_int_equal(updated->n_present, 4);
        assert_int_equal(updated->code.n_classes, 5);
        check_same(ctx, updated, all, s);
        rung_model_free(all);
        rung_model_free(part);
        rung_model_free(updated);
    }
    free(s);
}

static void models_that_cannot_be_updated_say_why(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    make_rows(s, 60, 2, 3, 0.5, 70);
    rung_data *data = data_of(ctx, s, 0, 60, false);
    rung_spec *spec;
    rung_model *model, *out;
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_fails(ctx, rung_spec_set_keep_data(ctx, spec, 1), RUNG_EARG,
                 "a kdlor model cannot be updated with new rows (svorim, svorex, isvor");
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, 0));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_fails(ctx, rung_model_updatable(ctx, model), RUNG_EARG, "kdlor model cannot be updated");
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EARG, "kdlor model cannot be updated");
    assert_null(out);
    rung_model_free(model);
    rung_spec_free(spec);

    assert_ok(ctx, rung_spec_new(ctx, "isvor", 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_int_equal(model->kept.n, 0);
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EARG, "keep its data");
    rung_model_free(model);
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, 1));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_ok(ctx, rung_model_updatable(ctx, model));
    rung_data_free(data);
    for (int i = 0; i < 60; i++) s->y[i] = 0;
    data = data_of(ctx, s, 0, 60, false);
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EDATA, "none of the 60 rows is labelled");
    rung_data_free(data);
    s->K = 4;
    s->y[0] = 1;
    data = data_of(ctx, s, 0, 60, false);
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EARG, "2 coded columns and 4 classes");
    assert_fails(ctx, rung_model_update(ctx, model, NULL, &out), RUNG_EARG, "NULL");
    rung_data_free(data);
    s->d = s->K = 3;
    for (int i = 0; i < 60; i++) s->y[i] = 1 + i % 3;
    data = data_of(ctx, s, 0, 20, false);
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EARG,
                 "the data have 3 coded columns and 3 classes, but the model has 2 and 3");
    rung_data_free(data);
    s->d = 2;
    data = data_of(ctx, s, 0, 60, false);
    model->kept.width = 1; /* as a damaged file may have it */
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EFORMAT,
                 "the model is damaged: it keeps 1 numbers per row for an update instead of 2");
    model->kept.width = 2;
    model->method = "forest";
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EARG,
                 "this library does not have the method 'forest' of the model");
    model->method = "isvor";
    for (int i = 0; i < model->n_params; i++) model->params[i].value = NULL; /* unset: the default */
    assert_ok(ctx, rung_model_update(ctx, model, data, &out));
    rung_model_free(out);
    rung_model_free(model);
    rung_spec_free(spec);
    assert_ok(ctx, rung_spec_new(ctx, "isbor", 0, &spec)); /* takes no weights, neither when fitted nor afterwards */
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, 1));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_data_free(data);
    data = data_of(ctx, s, 0, 60, true);
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &out), RUNG_EARG,
                 "isbor does not support row weights; use a method that");
    assert_fails(ctx, rung_model_update(ctx, model, data, &out), RUNG_EARG, "isbor does not support row weights");
    rung_data_free(data);
    rung_model_free(model);
    rung_spec_free(spec);

    make_rows(s, 20, 20, 2, 0, 0);
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++) s->x[i * 20 + j] = (i == j) + (s->y[i] == s->y[j]);
    data = data_of(ctx, s, 0, 20, false);
    spec = spec_of(ctx, "svorex", (const char *[]){"kernel=precomputed", NULL});
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &model), RUNG_EARG, "a model with this kernel cannot be updated");
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, 0));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
    free(s);
}

typedef struct {
    rung_ctx *ctx;
    const rung_model *model;
    const rung_data *data;
} update_call;

static rung_status try_update(void *argument)
{
    update_call *c = argument;
    rung_model *out;
    rung_status status = rung_model_update(c->ctx, c->model, c->data, &out);
    rung_model_free(out);
    return status;
}

static void every_allocation_of_an_update_may_fail(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    make_rows(s, 40, 2, 3, 0.5, 80);
    s->n = 30;
    rung_model *model = fit(ctx, "svorex", s, true, (const char *[]){"C=2", "calibrate=3", NULL});
    rung_data *data = data_of(ctx, s, 30, 40, true);
    update_call call = {ctx, model, data};
    assert_true(fail_each_allocation(try_update, &call) > 30);
    rung_model_free(model);
    rung_data_free(data);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(solutions_are_optimal),
        WITH_CONTEXT(duplicates_and_ties),
        WITH_CONTEXT(thresholds_that_would_cross_are_equal),
        WITH_CONTEXT(two_points_in_closed_form),
        WITH_CONTEXT(two_classes_are_a_binary_svm),
        WITH_CONTEXT(an_update_is_a_fit_to_all_rows),
        WITH_CONTEXT(preprocessing_is_frozen),
        WITH_CONTEXT(updates_of_all_kinds),
        WITH_CONTEXT(updates_with_new_weights),
        WITH_CONTEXT(models_that_cannot_be_updated_say_why),
        WITH_CONTEXT(every_allocation_of_an_update_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
