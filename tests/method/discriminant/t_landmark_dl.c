// SPDX-License-Identifier: BSD-3-Clause
/* The discriminants on landmarks: equal to the exact ones where nothing is left out, optimal in feature space where
 * something is, and folds equal to fits from scratch. */
#define _DEFAULT_SOURCE /* strtok_r */
#include "helper.h"

#include "base/rng.h"
#include "fit/fit.h"
#include "fit/heldout.h"
#include "method/discriminant/landmark_dl.h"

enum { N = 70, D = 5, K = 4 };

typedef struct {
    double x[N * D];
    int y[N];
    double w[N];
    int64_t origin[N];
} sample;

static problem draw(rung_ctx *ctx, sample *s, double unlabelled, bool weighted)
{
    rng r;
    problem p;
    rng_open(&r, 8, 1);
    for (int i = 0; i < N; i++) {
        int q = 1 + (int)rng_below(&r, K);
        s->y[i] = i < 3 * K ? 1 + i % K : rng_uniform(&r) < unlabelled ? 0 : q;
        s->w[i] = 0.5 + rng_uniform(&r);
        s->origin[i] = i;
        for (int j = 0; j < D; j++) s->x[i * D + j] = rng_normal(&r) + (j == 0 ? 0.8 * q : 0);
    }
    problem_new(&ctx->scratch, &(problem_rows){D, N, s->x, s->y, weighted ? s->w : NULL, s->origin, K}, &p);
    return p;
}

static const discriminant_params defaults = {
    .C = 1, .ridge = 0.01, .ridge_kind = RIDGE_KERNEL, .thresholds = RULE_MIDPOINT};

static const la_csr *graph(rung_ctx *ctx, problem *p, laplacian_norm norm)
{
    const la_csr *L;
    problem_graph g = {.space = {.kind = SPACE_INPUT}, .neighbours = 5, .rule = GRAPH_OR, .weight = EDGE_BINARY};
    assert_ok(ctx, problem_laplacian(ctx, p, &g, norm, &L));
    return L;
}

static double *scores(rung_ctx *ctx, const fitted *fit, const sample *s)
{
    double *f = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, f, N * fit->own.score.outputs));
    assert_ok(ctx, scorer_apply(ctx, &fit->own.score, N, s->x, f));
    return f;
}

static void all_landmarks_give_the_exact_fit(void **state)
{
    rung_ctx *ctx = *state;
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.8};
    for (int variant = 0; variant < 8; variant++) {
        sample s;
        bool weighted = variant & 1, with_graph = variant & 2;
        laplacian_norm norm = variant & 4 ? LAPLACIAN_NORMALISED : LAPLACIAN_PLAIN;
        problem p = draw(ctx, &s, 0.5, weighted);
        const la_csr *L = with_graph ? graph(ctx, &p, norm) : NULL;
        fitted exact = {0}, low = {0}, all_exact = {0}, all_low = {0};
        assert_ok(
            ctx, discriminant_fit(ctx, &ctx->scratch, &(dl_problem){&p, &k, 0, &defaults, L, 0.1}, NULL, &exact, NULL));
        assert_ok(ctx,
                  discriminant_fit(ctx, &ctx->scratch, &(dl_problem){&p, &k, N, &defaults, L, 0.1}, NULL, &low, NULL));
        assert_int_equal(low.n_expansion, N);
        assert_arrays_close(N, scores(ctx, &low, &s), scores(ctx, &exact, &s), 1e-9);
        assert_arrays_close(K - 1, low.own.decide.thresholds, exact.own.decide.thresholds, 1e-9);
        assert_ok(ctx, discriminant_directions(ctx, &ctx->scratch, &(dl_problem){&p, &k, 0, &defaults, L, 0.1}, 2,
                                               &all_exact));
        assert_ok(
            ctx, discriminant_directions(ctx, &ctx->scratch, &(dl_problem){&p, &k, N, &defaults, L, 0.1}, 2, &all_low));
        assert_arrays_close(2 * N, scores(ctx, &all_low, &s), scores(ctx, &all_exact, &s), 1e-8);
        assert_arrays_close(2 * K, all_low.own.decide.means, all_exact.own.decide.means, 1e-8);
    }
}

/* Few landmarks are the exact method with the kernel phi'phi, given as a matrix. */
static void few_landmarks_are_the_method_on_their_kernel(void **state)
{
    rung_ctx *ctx = *state;
    sample s, given;
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.8}, own = {.kind = KERNEL_PRECOMPUTED};
    problem p = draw(ctx, &s, 0.5, true);
    const la_csr *L = graph(ctx, &p, LAPLACIAN_PLAIN);
    const landmarks *l;
    la_mat *Phi;
    enum { M = 15 };
    double phi[M * N], matrix[N * N], *f = NULL;
    fitted low = {0}, exact = {0};
    assert_ok(ctx, problem_landmarks(ctx, &p, &k, M, &l));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, M, N, &Phi));
    assert_ok(ctx, landmarks_features(ctx, l, N, s.x, Phi));
    la_get(Phi, phi);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int a = 0; a < M; a++) sum += phi[a + i * M] * phi[a + j * M];
            matrix[j + i * N] = sum;
        }
    memcpy(&given, &s, sizeof s);
    problem q;
    problem_new(&ctx->scratch, &(problem_rows){N, N, matrix, given.y, given.w, given.origin, K}, &q);
    assert_ok(ctx, discriminant_fit(ctx, &ctx->scratch, &(dl_problem){&p, &k, M, &defaults, L, 0.1}, NULL, &low, NULL));
    assert_ok(ctx,
              discriminant_fit(ctx, &ctx->scratch, &(dl_problem){&q, &own, 0, &defaults, L, 0.1}, NULL, &exact, NULL));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, f, N));
    assert_ok(ctx, scorer_apply(ctx, &exact.own.score, N, matrix, f));
    assert_arrays_close(N, scores(ctx, &low, &s), f, 1e-8);
}

/* L without some rows: their edges go, and with the plain Laplacian their share of the other rows' degrees. */
static void without(const la_csr *L, laplacian_norm norm, const int *fold, int held, la_csr *out)
{
    int64_t at = 0;
    for (int64_t i = 0; i < L->rows; i++) {
        double lost = 0;
        int64_t diagonal = -1;
        for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) {
            int64_t j = L->col[e];
            if (fold[i] == held) continue;
            if (fold[j] == held) {
                lost -= L->value[e];
                continue;
            }
            if (j == i) diagonal = at;
            out->col[at] = j;
            out->value[at++] = L->value[e];
        }
        if (diagonal >= 0 && norm == LAPLACIAN_PLAIN) out->value[diagonal] -= lost;
        out->start[i + 1] = at;
    }
}

static void folds_equal_fits_without_their_rows(void **state)
{
    rung_ctx *ctx = *state;
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.8};
    enum { M = 25 };
    for (int variant = 0; variant < 6; variant++) {
        sample s, rest;
        laplacian_norm norm = variant % 2 ? LAPLACIAN_NORMALISED : LAPLACIAN_PLAIN;
        problem p = draw(ctx, &s, 0.4, variant >= 2);
        const la_csr *L = variant >= 4 ? NULL : graph(ctx, &p, norm);
        folds f;
        held_out held = {0};
        fitted fit = {0};
        assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = p.y, .K = K}, 3, 2, &f));
        assert_ok(ctx,
                  discriminant_fit(ctx, &ctx->scratch, &(dl_problem){&p, &k, M, &defaults, L, 0.1}, &f, &fit, &held));
        int64_t labelled = 0;
        for (int i = 0; i < N; i++) labelled += p.y[i] > 0;
        assert_int_equal(held.n, 2 * labelled);
        for (int repeat = 0; repeat < 2; repeat++)
            for (int fold = 0; fold < 3; fold++) {
                const int *of = f.fold + repeat * N;
                la_csr part = {.rows = N, .cols = N};
                memcpy(&rest, &s, sizeof s);
                for (int i = 0; i < N; i++)
                    if (of[i] == fold) rest.y[i] = 0;
                if (L) {
                    assert_ok(ctx, NEW(ctx, &ctx->scratch, part.start, N + 1));
                    assert_ok(ctx, NEW(ctx, &ctx->scratch, part.col, L->start[N]));
                    assert_ok(ctx, NEW(ctx, &ctx->scratch, part.value, L->start[N]));
                    without(L, norm, of, fold, &part);
                }
                /* the same landmarks: the rest is a problem of all rows, those held out without label and edges */
                problem q;
                problem_new(&ctx->scratch, &(problem_rows){D, N, rest.x, rest.y, p.w ? rest.w : NULL, rest.origin, K},
                            &q);
                fitted again = {0};
                assert_ok(ctx, discriminant_fit(ctx, &ctx->scratch,
                                                &(dl_problem){&q, &k, M, &defaults, L ? &part : NULL, 0.1}, NULL,
                                                &again, NULL));
                double score[N];
                int rank[N];
                assert_ok(ctx, fitted_apply(ctx, &again, NULL, N, &(member_rows){.scaled = s.x},
                                            &(row_answers){score, rank, 0, NULL}));
                for (int64_t h = 0; h < held.n; h++) {
                    if (held.repeat[h] != repeat || held.fold[h] != fold) continue;
                    assert_close(held.score[h], score[held.row[h]], 1e-7);
                    assert_int_equal(held.rank[h], rank[held.row[h]]);
                }
            }
    }
}

static void identity_ridge_is_refused(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.8};
    problem p = draw(ctx, &s, 0.4, false);
    discriminant_params identity = defaults;
    fitted fit = {0};
    identity.ridge_kind = RIDGE_IDENTITY;
    assert_fails(ctx,
                 discriminant_fit(ctx, &ctx->scratch, &(dl_problem){&p, &k, 10, &identity, NULL, 0}, NULL, &fit, NULL),
                 RUNG_EARG, "ridge-kind=kernel");
}

static double bytes_of(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape)
{
    double bytes;
    assert_ok(ctx, method_bytes(ctx, spec, shape, &bytes));
    return bytes;
}

/* A fit by the table, with the settings of `options` ("name=value ..."). */
static fitted fit_method(rung_ctx *ctx, problem *p, const char *name, const char *options)
{
    rung_spec *spec;
    fitted out = {0};
    char text[200], *rest = text;
    assert_ok(ctx, spec_new(ctx, name, false, &spec));
    snprintf(text, sizeof text, "%s", options);
    for (char *one; (one = strtok_r(rest, " ", &rest));) {
        char *value = strchr(one, '=');
        *value++ = 0;
        assert_ok(ctx, spec_set(ctx, spec, one, value));
    }
    assert_ok(ctx, spec->method->fit(ctx, &ctx->scratch,
                                     &(fit_input){.method = spec->method, .p = p, .params = spec->params}, &out));
    spec_free(spec);
    return out;
}

static double reported(const fitted *fit, const char *name)
{
    for (int i = 0; i < fit->n_report; i++)
        if (strcmp(fit->report[i].name, name) == 0) return fit->report[i].value[0];
    fail_msg("the fit reports no %s", name);
    return NAN;
}

static void spread_labels_and_learned_widths_agree_too(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const name[] = {"ws-dl", "ws-dl", "kes-dl"};
    static const char *const options[] = {"neighbours=6", "neighbours=0 ridge=1e-3", "align-iterations=3 rank=1"};
    for (int i = 0; i < 3; i++) {
        sample s;
        char more[200];
        problem p = draw(ctx, &s, 0.5, i == 2);
        snprintf(more, sizeof more, "%s landmarks=%d", options[i], N);
        fitted exact = fit_method(ctx, &p, name[i], options[i]), low = fit_method(ctx, &p, name[i], more);
        assert_arrays_close(N, scores(ctx, &low, &s), scores(ctx, &exact, &s), 1e-8);
        assert_arrays_close(K - 1, low.own.decide.thresholds, exact.own.decide.thresholds, 1e-8);
        assert_close(reported(&low, "landmarks"), N, 0);
        assert_close(reported(&low, "landmark_error"), 0, 1e-9);
    }
}

/* Memberships of 0 and 1 are classes: the scatter is a mean instead of a sum, and the score n times as large. */
static void hard_memberships_are_classes(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    enum { M = 15 };
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.8};
    problem p = draw(ctx, &s, 0, false);
    discriminant_params summed = defaults;
    double U[N * K] = {0}, *soft, *hard;
    fitted a = {0}, b = {0};
    summed.ridge *= N;
    for (int i = 0; i < N; i++) U[i + (s.y[i] - 1) * N] = 1;
    assert_ok(ctx, landmark_dl_soft(ctx, &ctx->scratch, &(dl_problem){&p, &k, M, &defaults, NULL, 0}, U, &a));
    assert_ok(ctx, landmark_dl_fit(ctx, &ctx->scratch, &(dl_problem){&p, &k, M, &summed, NULL, 0}, NULL, &b, NULL));
    soft = scores(ctx, &a, &s);
    hard = scores(ctx, &b, &s);
    for (int i = 0; i < N; i++) assert_close(soft[i], N * hard[i], 1e-9);
}

/* Above 2000 rows the widths come from a sample; a class with a single label is in it. */
static void widths_are_learned_on_a_sample(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 2300 };
    double *x = NULL;
    int *y = NULL;
    int64_t *origin = NULL;
    rng r;
    problem p;
    rng_open(&r, 8, 3);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, x, 2 * MANY));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, y, MANY));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, origin, MANY));
    for (int64_t i = 0; i < MANY; i++) {
        origin[i] = i;
        y[i] = i == 1234 ? 3 : i % 50 ? 0 : 1 + (int)(i / 50) % 2;
        for (int j = 0; j < 2; j++) x[j + i * 2] = rng_normal(&r) + (j ? 0 : y[i]);
    }
    problem_new(&ctx->scratch, &(problem_rows){2, MANY, x, y, NULL, origin, 3}, &p);
    fitted one = fit_method(ctx, &p, "kes-dl", "align-iterations=2 landmarks=20"),
           two = fit_method(ctx, &p, "kes-dl", "align-iterations=2 landmarks=20");
    assert_close(reported(&one, "landmarks"), 20, 0);
    assert_true(reported(&one, "precisions") > 0);
    assert_true(reported(&one, "alignment") >= reported(&one, "alignment_start"));
    assert_memory_equal(one.own.score.coef, two.own.score.coef, 20 * sizeof(double));
    assert_int_equal(one.own.decide.K, 3);
}

/* landmarks=auto: exact while that fits into the memory, else landmarks that do. */
static void memory_decides(void **state)
{
    rung_ctx *ctx = *state;
    rung_spec *spec;
    problem_shape shape = {.n = 20000, .labelled = 4000, .d = 10, .K = 5};
    assert_ok(ctx, spec_new(ctx, "s-dl", false, &spec));
    double free_choice = bytes_of(ctx, spec, &shape);
    assert_true(free_choice > 3e9);
    ctx->memory = (int64_t)1 << 30;
    double limited = bytes_of(ctx, spec, &shape);
    assert_true(limited < (double)ctx->memory);
    assert_ok(ctx, spec_set(ctx, spec, "landmarks", "exact"));
    assert_true(bytes_of(ctx, spec, &shape) > free_choice); /* a limit counts the Gram matrix beside those of folds */
    assert_ok(ctx, spec_set(ctx, spec, "landmarks", "200"));
    assert_true(bytes_of(ctx, spec, &shape) < limited);
    assert_fails(ctx, spec_set(ctx, spec, "landmarks", "some"), RUNG_EARG, "auto or exact");
    assert_fails(ctx, spec_set(ctx, spec, "landmarks", "0"), RUNG_EARG, "at least 1");
    spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(all_landmarks_give_the_exact_fit),    WITH_CONTEXT(few_landmarks_are_the_method_on_their_kernel),
        WITH_CONTEXT(folds_equal_fits_without_their_rows), WITH_CONTEXT(spread_labels_and_learned_widths_agree_too),
        WITH_CONTEXT(hard_memberships_are_classes),        WITH_CONTEXT(widths_are_learned_on_a_sample),
        WITH_CONTEXT(identity_ridge_is_refused),           WITH_CONTEXT(memory_decides),
    };
    return cmocka_run_group_tests_name("landmark_dl", tests, NULL, NULL);
}
