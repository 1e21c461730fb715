// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of lapsvm, plp and sosvm share: small data, and kernel, graph and coefficients from their definitions.
 */
#ifndef RUNG_TESTS_SVM_TRUTH_H
#define RUNG_TESTS_SVM_TRUTH_H

#include "helper.h"

#include "base/rng.h"
#include "fit/fit.h"

enum { N = 36, D = 2, NEAR = 5 };
#define GAMMA 0.4
#define GRAPH "gamma", "0.4", "neighbours", "5", "graph", "binary"

typedef struct {
    int K;
    double x[N * D];
    int y[N]; /* 0 = unlabelled */
    double w[N];
    rung_data *data;
} sample;

/* `labels` of each class keep theirs; rows 0 and 1 are equal, or rows have weights, where asked. */
typedef enum { PLAIN, DUPLICATE, WEIGHTED } variant;
static inline void draw(rung_ctx *ctx, int K, int labels, uint64_t stream, variant kind, sample *s)
{
    rng r;
    rng_open(&r, 41, stream);
    *s = (sample){.K = K};
    for (int i = 0; i < N; i++) {
        int q = 1 + i % K;
        s->y[i] = i < K * labels ? q : 0;
        for (int j = 0; j < D; j++) s->x[i * D + j] = rng_normal(&r) + (j == 0 ? q : 0);
    }
    for (int i = 0; i < N; i++) s->w[i] = kind == WEIGHTED ? 0.2 + 2 * rng_uniform(&r) : 1;
    if (kind == DUPLICATE) memcpy(s->x + D, s->x, D * sizeof *s->x);
    rung_view view = {.v = s->x, .n = N, .d = D, .row = D, .col = 1};
    assert_ok(ctx, dataset_new(ctx, &view, s->y, kind == WEIGHTED ? s->w : NULL, K, &s->data));
}

static inline rung_model *fit(rung_ctx *ctx, const sample *s, const char *name, const char *const *settings)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, spec_new(ctx, name, false, &spec));
    assert_ok(ctx, spec_set_scale(ctx, spec, "none"));
    for (; settings[0]; settings += 2) assert_ok(ctx, spec_set(ctx, spec, settings[0], settings[1]));
    assert_ok(ctx, method_fit(ctx, spec, s->data, &model));
    spec_free(spec);
    pool_free_all(&ctx->scratch);
    return model;
}

static inline const double *report_of(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return m->report[i].value;
    fail_msg("no report %s", name);
    return NULL;
}

static inline void true_gram(const sample *s, double constant, double *G)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double d2 = 0;
            for (int c = 0; c < D; c++) d2 += pow(s->x[i * D + c] - s->x[j * D + c], 2);
            G[i * N + j] = exp(-GAMMA * d2) + constant;
        }
}

/* S_ij = 1 where one is among the NEAR nearest of the other, ties by index. */
static inline void true_graph(const sample *s, double *S)
{
    double G[N * N];
    true_gram(s, 0, G);
    memset(S, 0, N * N * sizeof *S);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int nearer = 0;
            for (int k = 0; k < N; k++)
                nearer += k != i && k != j && (G[i * N + k] > G[i * N + j] || (G[i * N + k] == G[i * N + j] && k < j));
            if (i != j && nearer < NEAR) S[i * N + j] = S[j * N + i] = 1;
        }
}

static inline void laplacian_of(const double *S, double *L)
{
    for (int i = 0; i < N; i++) {
        double degree = 0;
        for (int j = 0; j < N; j++) degree += S[i * N + j];
        for (int j = 0; j < N; j++) L[i * N + j] = (i == j ? degree : 0) - S[i * N + j];
    }
}

static inline void times(const double *A, const double *x, double *y)
{
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++) y[i] += A[i * N + j] * x[j];
    }
}

static inline double inner(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < N; i++) sum += x[i] * y[i];
    return sum;
}

/* a (N): the coefficients of one output, by row. The first of equal rows takes what is stored first. */
static inline void coefficients(const rung_model *m, const sample *s, int output, double *a)
{
    const scorer *score = &m->members[0].score;
    int64_t next = 0;
    for (int i = 0; i < N; i++) {
        a[i] = 0;
        if (next < score->m && memcmp(score->rows + next * D, s->x + i * D, D * sizeof *s->x) == 0)
            a[i] = score->coef[next++ + output * score->m];
    }
    assert_int_equal(next, score->m);
}

#endif
