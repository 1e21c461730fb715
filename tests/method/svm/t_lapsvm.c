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
        double side = s->y[i] == q ? 1 : -1, v = side * (a[i] + mu * Lf[i]), margin = side * f[i], slack = 1e-6,
               cap = C * s->w[i];
        if (s->y[i] == 0) {
            assert_true(fabs(v) < 1e-8 * (1 + C));
            continue;
        }
        hinges += cap * fmax(0, 1 - margin);
        assert_true(v > -slack * cap && v < (1 + slack) * cap);
        if (margin > 1 + slack) assert_true(v < slack * cap);
        if (margin < 1 - slack) assert_true(v > (1 - slack) * cap);
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
        draw(ctx, K, round % 3 ? 4 : 1, (uint64_t)round, round % 4 == 1 ? WEIGHTED : PLAIN, &s);
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
    draw(ctx, 2, 5, 3, DUPLICATE, &s);
    rung_model *m = fit(ctx, &s, "lapsvm", (const char *const[]){GRAPH, "C", "3", NULL});
    double score[2 * N];
    rung_view view = {.v = s.x, .n = N, .d = D, .row = D, .col = 1};
    rung_output out = {.score = score};
    assert_ok(ctx, model_predict(ctx, m, &view, NULL, &out));
    for (int i = 0; i < N; i++) assert_close(score[2 * i], -score[2 * i + 1], 1e-9);
    assert_memory_equal(score, score + 2, 2 * sizeof *score); /* equal rows */
    model_free(m);
    dataset_free(s.data);
}

/* The width of a graph's weights is reported. */
static void the_graph_width_is_reported(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, 3, 4, 4, PLAIN, &s);
    rung_model *m = fit(ctx, &s, "lapsvm", (const char *const[]){"graph", "gaussian", "graph-width", "2", NULL});
    assert_true(*report_of(m, "graph_width") == 2);
    model_free(m);
    m = fit(ctx, &s, "lapsvm", (const char *const[]){"graph", "linear", NULL});
    model_free(m);
    dataset_free(s.data);
}

/* A class of weight 3 is one whose rows weigh 3. */
static void class_weights_are_row_weights(void **state)
{
    rung_ctx *ctx = *state;
    const char *const methods[] = {"lapsvm", "sosvm"};
    for (int k = 0; k < 2; k++) {
        sample s;
        rung_spec *spec;
        rung_model *by_class;
        draw(ctx, 3, 4, 9, PLAIN, &s);
        assert_ok(ctx, spec_new(ctx, methods[k], false, &spec));
        assert_ok(ctx, spec_set_scale(ctx, spec, "none"));
        assert_ok(ctx, spec_set_weight(ctx, spec, "2", 3));
        assert_ok(ctx, method_fit(ctx, spec, s.data, &by_class));
        spec_free(spec);
        dataset_free(s.data);
        for (int i = 0; i < N; i++) s.w[i] = s.y[i] == 2 ? 3 : 1;
        rung_view view = {.v = s.x, .n = N, .d = D, .row = D, .col = 1};
        assert_ok(ctx, dataset_new(ctx, &view, s.y, s.w, 3, &s.data));
        rung_model *by_row = fit(ctx, &s, methods[k], (const char *const[]){NULL});
        assert_arrays_close(N, by_row->members[0].score.coef, by_class->members[0].score.coef, 0);
        dataset_free(s.data);
        draw(ctx, 3, 4, 9, PLAIN, &s);
        rung_model *plain = fit(ctx, &s, methods[k], (const char *const[]){NULL});
        assert_true(memcmp(plain->members[0].score.coef, by_row->members[0].score.coef, N * sizeof(double)) != 0);
        model_free(plain);
        model_free(by_row);
        model_free(by_class);
        dataset_free(s.data);
    }
}

/* The same kernel as numbers: mixtures of neighbours are found in its feature space. */
static void a_precomputed_kernel_has_mixtures(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    double G[N * N] = {0};
    draw(ctx, 3, 4, 10, PLAIN, &s);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int c = 0; c < D; c++) G[i * N + j] += s.x[i * D + c] * s.x[j * D + c];
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "sosvm" : "lapsvm";
        rung_spec *spec;
        rung_data *data;
        rung_model *m = fit(ctx, &s, name, (const char *const[]){"kernel", "linear", "graph", "linear", NULL}),
                   *by_gram;
        rung_view view = {.v = G, .n = N, .d = N, .row = N, .col = 1},
                  rows = {.v = s.x, .n = N, .d = D, .row = D, .col = 1};
        assert_ok(ctx, dataset_new(ctx, &view, s.y, NULL, 3, &data));
        assert_ok(ctx, spec_new(ctx, name, false, &spec));
        assert_ok(ctx, spec_set(ctx, spec, "kernel", "precomputed"));
        assert_ok(ctx, spec_set(ctx, spec, "graph", "linear"));
        assert_ok(ctx, method_fit(ctx, spec, data, &by_gram));
        double a[3 * N], b[3 * N];
        rung_output x = {.score = a}, y = {.score = b};
        assert_ok(ctx, model_predict(ctx, m, &rows, NULL, &x));
        assert_ok(ctx, model_predict(ctx, by_gram, &view, NULL, &y));
        assert_arrays_close(k ? N : 3 * N, a, b, 1e-3); /* the ridge of the mixtures is of another scale */
        model_free(m);
        model_free(by_gram);
        spec_free(spec);
        dataset_free(data);
        pool_free_all(&ctx->scratch);
    }
    dataset_free(s.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_class_is_optimal),
        WITH_CONTEXT(two_classes_are_opposite),
        WITH_CONTEXT(the_graph_width_is_reported),
        WITH_CONTEXT(class_weights_are_row_weights),
        WITH_CONTEXT(a_precomputed_kernel_has_mixtures),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
