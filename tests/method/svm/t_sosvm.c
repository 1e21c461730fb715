// SPDX-License-Identifier: BSD-3-Clause
/* The optimality of the semi-supervised ordinal support vector machine from data and model alone, and the label
 * propagation it starts from. */
#include "svm_truth.h"

#define NOVEL 0.8

/* Memberships (N x K by rows) by plain iteration of F = A D^-1 S F + (I - A) Y. */
static void true_memberships(const sample *s, const double *S, double *P)
{
    int K = s->K;
    memset(P, 0, sizeof(double) * (size_t)(N * K));
    for (int i = 0; i < N; i++)
        if (s->y[i]) P[i * K + s->y[i] - 1] = 1;
    for (int sweep = 0; sweep < 400; sweep++)
        for (int i = 0; i < N; i++) {
            double degree = 0;
            for (int j = 0; j < N; j++) degree += S[i * N + j];
            for (int q = 0; q < K && !s->y[i]; q++) {
                P[i * K + q] = 0;
                for (int j = 0; j < N; j++) P[i * K + q] += NOVEL * S[i * N + j] / degree * P[j * K + q];
            }
        }
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int q = 0; q < K; q++) sum += P[i * K + q];
        for (int q = 0; q < K; q++) P[i * K + q] /= sum;
    }
}

typedef struct {
    double lambda1, lambda2, lambda3, omega;
    bool all, mean; /* evaluate, scale-norm */
    bool ties;      /* pairs=consecutive; else skip */
} settings;

/* The dense Laplacian of graph and scales together. */
static void true_laplacian(const sample *s, const settings *c, const double *S, const double *P, double *L)
{
    double both[N * N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double alike = 0;
            for (int q = 0; q < s->K; q++)
                for (int k = 0; k < s->K; k++)
                    alike += P[i * s->K + q] * exp(-0.5 * (q - k) * (q - k)) * P[j * s->K + k];
            both[i * N + j] = (1 - c->omega) * S[i * N + j] + c->omega * alike / (c->mean ? N : 1);
        }
    laplacian_of(both, L);
}

/* v = a - lambda1 e (t - f) + lambda3 L f is 0 on unlabelled rows; along the labelled rows in order its partial sums
 * are minus the multipliers of the pairs. */
static void check_optimal(const rung_model *m, const sample *s, const settings *c)
{
    double G[N * N], S[N * N], P[N * 8], L[N * N], a[N], f[N], Lf[N], v[N], total = 0, loss = 0, slack = 1e-6;
    true_gram(s, 1, G);
    true_graph(s, S);
    true_memberships(s, S, P);
    true_laplacian(s, c, S, P, L);
    coefficients(m, s, 0, a);
    times(G, a, f);
    times(L, f, Lf);
    double objective = 0.5 * inner(a, f) + 0.5 * c->lambda3 * inner(f, Lf);
    for (int i = 0; i < N; i++) {
        double t = c->all ? 0 : s->y[i], e = c->all || s->y[i] ? 1 : 0;
        if (s->y[i]) e = s->w[i];
        for (int q = 0; q < s->K && c->all; q++) t += (q + 1) * P[i * s->K + q];
        v[i] = a[i] - c->lambda1 * e * (t - f[i]) + c->lambda3 * Lf[i];
        objective += 0.5 * c->lambda1 * e * (f[i] - t) * (f[i] - t);
        if (!s->y[i]) assert_true(fabs(v[i]) < 1e-7 * (1 + c->lambda1));
        total += a[i];
    }
    assert_close(m->members[0].score.bias[0], total, 1e-9);
    int last = -1;
    double beta = 0;
    for (int q = 1; q <= s->K; q++)
        for (int i = 0; i < N; i++) {
            if (s->y[i] != q) continue;
            if (last >= 0) {
                bool pair = c->ties || s->y[last] < q;
                double margin = f[i] - f[last], cap = pair ? c->lambda2 * s->w[i] * s->w[last] : 0;
                beta -= v[last];
                assert_true(beta > -slack * (1 + cap) && beta < cap + slack * (1 + cap));
                if (pair && margin > 1 + slack) assert_true(beta < slack * (1 + cap));
                if (pair && margin < 1 - slack) assert_true(beta > cap - slack * (1 + cap));
                if (pair) loss += cap * fmax(0, 1 - margin);
            }
            last = i;
        }
    assert_close(beta, v[last], 1e-5);
    assert_close(*report_of(m, "objective"), objective + loss, 1e-7);
    assert_true(fabs(*report_of(m, "gap")) < 1e-6 * (1 + c->lambda2));
}

static void put(char *text, double value) { snprintf(text, 32, "%.17g", value); }

static void every_fit_is_optimal(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 43, 0);
    for (int round = 0; round < 60; round++) {
        sample s;
        settings c = {.lambda1 = pow(10, -2 + 3 * rng_uniform(&r)),
                      .lambda2 = pow(10, -2 + 3 * rng_uniform(&r)),
                      .lambda3 = round % 5 ? pow(10, -3 + 3 * rng_uniform(&r)) : 0,
                      .omega = round % 3 ? rng_uniform(&r) : round % 2,
                      .all = round % 2,
                      .mean = round % 4 < 2,
                      .ties = round % 8 < 4};
        char text[4][32];
        int labels = round % 3 ? 3 : 1;
        put(text[0], c.lambda1);
        put(text[1], c.lambda2);
        put(text[2], c.lambda3);
        put(text[3], c.omega);
        draw(ctx, 2 + round % 4, labels, (uint64_t)round, round % 7 < 2 ? WEIGHTED : PLAIN, &s);
        /* with one label per class all kinds of pairs are the same */
        const char *pairs = labels == 1 ? "adjacent" : c.ties ? "consecutive" : "skip";
        rung_model *m =
            fit(ctx, &s, "sosvm",
                (const char *const[]){GRAPH, "novel", "0.8", "lambda1", text[0], "lambda2", text[1], "lambda3", text[2],
                                      "omega", text[3], "pairs", pairs, "evaluate", c.all ? "all" : "labelled",
                                      "scale-norm", c.mean ? "mean" : "none", NULL});
        check_optimal(m, &s, &c);
        model_free(m);
        dataset_free(s.data);
    }
}

/* The hard scale is that of the nearest mean of the labelled soft ones. */
static void ranks_are_those_of_the_nearest_mean(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, 3, 4, 70, DUPLICATE, &s);
    rung_model *m = fit(ctx, &s, "sosvm", (const char *const[]){GRAPH, NULL});
    double score[N], mean[3] = {0};
    int rank[N];
    rung_view view = {.v = s.x, .n = N, .d = D, .row = D, .col = 1};
    rung_output out = {.score = score, .rank = rank};
    assert_ok(ctx, model_predict(ctx, m, &view, NULL, &out));
    for (int i = 0; i < N; i++)
        if (s.y[i]) mean[s.y[i] - 1] += score[i] / 4;
    for (int i = 0; i < N; i++)
        for (int q = 0; q < 3; q++) assert_true(fabs(score[i] - mean[rank[i] - 1]) <= fabs(score[i] - mean[q]) + 1e-9);
    model_free(m);
    dataset_free(s.data);
}

static void propagation_says_its_memberships(void **state)
{
    rung_ctx *ctx = *state;
    for (int round = 0; round < 10; round++) {
        sample s;
        double S[N * N], P[N * 8];
        int K = 2 + round % 4;
        draw(ctx, K, 1 + round % 2, (uint64_t)(80 + round), round % 2 ? DUPLICATE : PLAIN, &s);
        rung_model *m =
            fit(ctx, &s, "plp", (const char *const[]){"neighbours", "5", "graph", "binary", "novel", "0.8", NULL});
        true_graph(&s, S);
        true_memberships(&s, S, P);
        assert_int_equal(m->training.n, N);
        assert_arrays_close(N * K, m->training.output, P, 1e-9);
        assert_memory_equal(m->training.label, s.y, sizeof s.y);
        model_free(m);
        dataset_free(s.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_fit_is_optimal),
        WITH_CONTEXT(ranks_are_those_of_the_nearest_mean),
        WITH_CONTEXT(propagation_says_its_memberships),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
