// SPDX-License-Identifier: BSD-3-Clause
/* The optimality of Laplacian support vector machines, from data and model alone. */
#include "svm_truth.h"

/* The pulls v = a + mu L f are 0 on unlabelled rows and those of the hinges on labelled ones. */
static void check_class(const rung_model *m, const sample *s, int q, double C, double mu, bool free_bias)
{
    double G[N * N], S[N * N], L[N * N], a[N], f[N], Lf[N], hinges = 0, sum = 0;
    true_gram(s, free_bias ? 0 : 1, G);
    true_graph(s, S);
    laplacian_of(S, L);
    coefficients(m, s, q - 1, a);
    times(G, a, f);
    double quadratic = 0.5 * inner(a, f), bias = m->members[0].score.bias[q - 1];
    for (int i = 0; i < N; i++) sum += a[i];
    if (free_bias) assert_true(fabs(sum) < 1e-9 * (1 + C));
    if (!free_bias) assert_close(bias, sum, 1e-9);
    for (int i = 0; i < N && free_bias; i++) f[i] += bias;
    times(L, f, Lf);
    for (int i = 0; i < N; i++) {
        double side = s->y[i] == q ? 1 : -1, v = side * (a[i] + mu * Lf[i]), margin = side * f[i], slack = 1e-6;
        if (s->y[i] == 0) {
            assert_true(fabs(v) < 1e-8 * (1 + C));
            continue;
        }
        hinges += C * fmax(0, 1 - margin);
        assert_true(v > -slack * C && v < (1 + slack) * C);
        if (margin > 1 + slack) assert_true(v < slack * C);
        if (margin < 1 - slack) assert_true(v > (1 - slack) * C);
    }
    assert_close(report_of(m, "objective")[q - 1], quadratic + hinges + 0.5 * mu * inner(f, Lf), 1e-6);
    double gap = report_of(m, "gap")[q - 1];
    assert_true(gap > -1e-9 && gap < 1e-6 * (1 + C));
}

static void every_class_is_optimal(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 42, 0);
    for (int round = 0; round < 40; round++) {
        sample s;
        int K = 2 + round % 4;
        double C = pow(10, -1 + 3 * rng_uniform(&r)), mu = round % 5 ? pow(10, -3 + 3 * rng_uniform(&r)) : 0;
        char C_text[32], mu_text[32];
        snprintf(C_text, sizeof C_text, "%.17g", C);
        snprintf(mu_text, sizeof mu_text, "%.17g", mu);
        draw(ctx, K, round % 3 ? 4 : 1, (uint64_t)round, false, &s);
        for (int free_bias = 0; free_bias < 2; free_bias++) {
            rung_model *m = fit(
                ctx, &s, "lapsvm",
                (const char *const[]){GRAPH, "C", C_text, "mu", mu_text, "bias", free_bias ? "free" : "kernel", NULL});
            for (int q = 1; q <= K; q++) check_class(m, &s, q, C, mu, free_bias);
            model_free(m);
        }
        dataset_free(s.data);
    }
}

/* Two classes are two names for one contest. */
static void two_classes_are_opposite(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, 2, 5, 3, true, &s);
    rung_model *m = fit(ctx, &s, "lapsvm", (const char *const[]){GRAPH, "C", "3", NULL});
    double score[2 * N];
    rung_view view = {.v = s.x, .n = N, .d = D, .row = D, .col = 1};
    rung_output out = {.score = score};
    assert_ok(ctx, model_predict(ctx, m, &view, &out));
    for (int i = 0; i < N; i++) assert_close(score[2 * i], -score[2 * i + 1], 1e-9);
    assert_memory_equal(score, score + 2, 2 * sizeof *score); /* equal rows */
    model_free(m);
    dataset_free(s.data);
}

/* The weights of its own that every graph has are reported, and the baseline. */
static void the_baseline_is_reported(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, 3, 4, 4, false, &s);
    rung_model *m = fit(ctx, &s, "lapsvm", (const char *const[]){"graph", "gaussian", "graph-width", "2", NULL});
    assert_true(*report_of(m, "graph_width") == 2);
    double mae = *report_of(m, "propagation_cv_mae");
    assert_true(mae >= 0 && mae < 1);
    model_free(m);
    m = fit(ctx, &s, "lapsvm", (const char *const[]){"graph", "linear", NULL});
    model_free(m);
    dataset_free(s.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_class_is_optimal),
        WITH_CONTEXT(two_classes_are_opposite),
        WITH_CONTEXT(the_baseline_is_reported),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
