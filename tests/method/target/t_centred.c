// SPDX-License-Identifier: BSD-3-Clause
/* krr, kpca and ot on landmarks: equal to the exact fit where nothing is left out, to the exact fit with the kernel
 * phi'phi where something is, and the same whether features are kept or made again. */
#include "target_checks.h"

#include "data/splits.h"
#include "method/target/centred.h"

typedef struct {
    const char *method, *options;
    int K; /* 0: real targets */
    bool folds;
} variant;

static const variant variants[] = {
    {"krr", "gamma=0.4", 0, false},
    {"krr", "gamma=0.4 centre=no lambda=1e-3", 3, true},
    {"krr", "gamma=0.4 lambda=auto", 3, true},
    {"krr", "gamma=0.4 lambda=2 lambda-kind=absolute", 2, true},
    {"kpca", "gamma=0.4 components=4", 3, false},
    {"kpca", "gamma=0.4 components=2", 0, false},
    {"ot", "gamma=0.4", 0, false},
    {"ot", "gamma=0.4 lambda=auto", 3, true},
    {"ot", "gamma=0.4 components=4 norm=free", 2, true},
    {"ot", "gamma=0.4 components=3 balance=no", 3, true},
};
enum { VARIANTS = sizeof variants / sizeof *variants, N = 60, D = 4 };

static small sample(rung_ctx *ctx, const variant *v, int64_t n, uint64_t stream)
{
    small s = make_small(ctx, n, D, v->K, strcmp(v->method, "krr") == 0 ? 1 : 3, stream);
    if (v->K == 0)
        for (int64_t i = 0; i < n && strcmp(v->method, "krr") == 0; i++) s.t[i] = s.X[i * D];
    return s;
}

static fitted fit_variant(rung_ctx *ctx, const variant *v, small *s, const char *more, held_out *held)
{
    char options[300];
    folds f;
    snprintf(options, sizeof options, "%s%s", v->options, more);
    if (!v->folds) return fit_small(ctx, s, v->method, options, NULL, NULL);
    assert_ok(ctx,
              folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = s->p.n, .y = s->p.y, .K = s->p.K}, 3, 2, &f));
    return fit_small(ctx, s, v->method, options, &f, held);
}

static void compare(rung_ctx *ctx, const fitted *a, const fitted *b, int64_t n, const double *Xa, const double *Xb,
                    const held_out *ha, const held_out *hb, double tolerance)
{
    int outputs = a->own.score.outputs;
    assert_int_equal(outputs, b->own.score.outputs);
    assert_arrays_close(n * outputs, outputs_of(ctx, a, n, Xa), outputs_of(ctx, b, n, Xb), tolerance);
    if (b->training.n) assert_arrays_close(n * outputs, a->training.output, b->training.output, tolerance);
    for (int i = 0; i < b->n_report; i++) {
        const report_entry *one = reported_list(a, b->report[i].name);
        assert_int_equal(one->n, b->report[i].n);
        if (strcmp(one->name, "hard") != 0) assert_arrays_close(one->n, one->value, b->report[i].value, tolerance);
    }
    assert_int_equal(ha->n, hb->n);
    for (int64_t i = 0; i < ha->n; i++) {
        assert_int_equal(ha->row[i], hb->row[i]);
        assert_close(ha->score[i], hb->score[i], tolerance);
    }
}

static void all_landmarks_give_the_exact_fit(void **state)
{
    rung_ctx *ctx = *state;
    for (int i = 0; i < VARIANTS; i++) {
        const variant *v = &variants[i];
        small s = sample(ctx, v, N, (uint64_t)i);
        held_out held[2] = {{0}, {0}};
        fitted exact = fit_variant(ctx, v, &s, "", &held[0]);
        fitted low = fit_variant(ctx, v, &s, " landmarks=60", &held[1]);
        assert_int_equal(low.n_expansion, N);
        assert_close(reported(&low, "landmarks"), N, 0);
        assert_close(reported(&low, "landmark_error"), 0, 1e-10);
        assert_true(!v->folds || held[0].n > 0);
        compare(ctx, &low, &exact, N, s.X, s.X, &held[1], &held[0], 1e-8);
    }
}

static void few_landmarks_are_the_method_on_their_kernel(void **state)
{
    rung_ctx *ctx = *state;
    enum { M = 20 };
    for (int i = 0; i < VARIANTS; i++) {
        const variant *v = &variants[i];
        small s = sample(ctx, v, N, (uint64_t)i), given = s;
        const landmarks *l;
        la_mat *Phi, *matrix;
        double *values = NULL;
        char options[300];
        held_out held[2] = {{0}, {0}};
        fitted low = fit_variant(ctx, v, &s, " landmarks=20", &held[0]);
        assert_close(reported(&low, "landmarks"), M, 0);
        assert_int_equal(low.n_expansion, M);
        assert_true(reported(&low, "landmark_error") > 1e-4);
        kernel k = {.kind = KERNEL_RBF, .gamma = 0.4};
        assert_ok(ctx, problem_landmarks(ctx, &s.p, &k, M, &l));
        assert_ok(ctx, la_new(ctx, &ctx->scratch, M, N, &Phi));
        assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &matrix));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, values, N * N));
        assert_ok(ctx, landmarks_features(ctx, l, N, s.X, Phi));
        assert_ok(ctx, la_syrk(ctx, true, 1, Phi, 0, matrix));
        la_get(matrix, values);
        problem_new(&ctx->scratch, &(problem_rows){N, N, values, s.y, NULL, s.p.origin, s.p.K}, &given.p);
        given.p.t = s.p.t;
        variant own = *v;
        snprintf(options, sizeof options, "kernel=precomputed%s",
                 strchr(v->options, ' ') ? strchr(v->options, ' ') : "");
        own.options = options;
        fitted exact = fit_variant(ctx, &own, &given, "", &held[1]);
        compare(ctx, &low, &exact, N, s.X, values, &held[0], &held[1], 1e-7);
    }
}

/* With a limit of the memory features are made in tiles whenever they are needed. */
static void kept_features_change_nothing(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 5000 };
    for (int i = 0; i < VARIANTS; i++) {
        pool_mark mark = pool_here(&ctx->scratch);
        const variant *v = &variants[i];
        small s = sample(ctx, v, MANY, (uint64_t)i);
        for (int64_t r = 0; r < MANY; r++) s.X[r * D] += r < 4096 ? 3 : 0; /* tiles that differ */
        held_out held[2] = {{0}, {0}};
        fitted kept = fit_variant(ctx, v, &s, " landmarks=12", &held[0]);
        ctx->memory = 1000;
        fitted made = fit_variant(ctx, v, &s, " landmarks=12", &held[1]);
        ctx->memory = 0;
        compare(ctx, &made, &kept, MANY, s.X, s.X, &held[1], &held[0], 1e-8);
        pool_release(&ctx->scratch, mark);
    }
}

static void precomputed_kernels_have_no_landmarks(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 10, 10, 2, 1, 1);
    for (int i = 0; i < 3; i++) {
        fitted out = {0};
        rung_spec *spec = make_spec(ctx, (const char *[]){"krr", "kpca", "ot"}[i], "kernel=precomputed landmarks=5");
        assert_fails(ctx,
                     spec->method->fit(ctx, &ctx->scratch,
                                       &(fit_input){.method = spec->method, .p = &s.p, .params = spec->params}, &out),
                     RUNG_EARG, "supports only landmarks=exact");
        spec_free(spec);
    }
}

/* More labels than twice the columns: lambda=auto of ot by sums over the labels, as by the inverse covariance. */
static void lambda_of_many_labels(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 80, 3, 3, 1, 7), given = s;
    double *matrix = NULL;
    for (int64_t i = 60; i < 80; i++) s.y[i] = 0;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, matrix, 80 * 80));
    for (int i = 0; i < 80; i++)
        for (int j = 0; j < 80; j++)
            for (int c = 0; c < 3; c++) matrix[i + j * 80] += s.X[c + i * 3] * s.X[c + j * 3];
    problem_new(&ctx->scratch, &(problem_rows){80, 80, matrix, s.y, NULL, s.p.origin, 3}, &given.p);
    for (int balance = 0; balance < 2; balance++) {
        const char *more = balance ? "" : " balance=no";
        char options[100];
        snprintf(options, sizeof options, "kernel=linear lambda=auto%s", more);
        fitted sums = fit_small(ctx, &s, "ot", options, NULL, NULL);
        snprintf(options, sizeof options, "kernel=precomputed lambda=auto%s", more);
        fitted inverse = fit_small(ctx, &given, "ot", options, NULL, NULL);
        const report_entry *a = reported_list(&sums, "path_loo"), *b = reported_list(&inverse, "path_loo");
        assert_int_equal(a->n, b->n);
        assert_arrays_close(a->n, a->value, b->value, 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(all_landmarks_give_the_exact_fit),
        WITH_CONTEXT(few_landmarks_are_the_method_on_their_kernel),
        WITH_CONTEXT(kept_features_change_nothing),
        WITH_CONTEXT(precomputed_kernels_have_no_landmarks),
        WITH_CONTEXT(lambda_of_many_labels),
    };
    return cmocka_run_group_tests_name("centred", tests, NULL, NULL);
}
