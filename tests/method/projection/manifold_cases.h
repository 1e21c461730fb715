// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of the manifold family share: small problems, fits straight through the table, graphs by definition.
 */
#ifndef RUNG_TESTS_MANIFOLD_CASES_H
#define RUNG_TESTS_MANIFOLD_CASES_H

#include "helper.h"

#include "base/rng.h"
#include "fit/method.h"

enum { MOST = 60, WIDE = 70 }; /* rows, columns of a test problem */

typedef struct {
    int64_t n, d;
    int K;
    double X[MOST * WIDE], w[MOST];
    int y[MOST];
    int64_t origin[MOST];
} sample;

/* Classes along the first column, with noise; every class has a row. unlabelled: about one row in three. */
static inline void draw(sample *s, int64_t n, int64_t d, int K, uint64_t stream, bool unlabelled)
{
    rng r;
    rng_open(&r, 21, stream);
    *s = (sample){.n = n, .d = d, .K = K};
    for (int64_t i = 0; i < n; i++) {
        int y = i < K ? (int)i + 1 : 1 + (int)rng_below(&r, K);
        s->y[i] = unlabelled && i >= K && rng_uniform(&r) < 0.33 ? 0 : y;
        s->origin[i] = i;
        s->w[i] = 1 + (double)rng_below(&r, 3);
        for (int64_t j = 0; j < d; j++)
            s->X[j + i * d] = (1 + 0.1 * (double)(j % 7)) * rng_normal(&r) + (j == 0 ? 0.8 * y : 0);
    }
}

/* settings: name, value, name, value, ..., NULL. out lives in the scratch pool. */
static inline rung_status try_settings(rung_ctx *ctx, const char *method_name, const char *const *settings, sample *s,
                                       bool weighted, fitted *out)
{
    rung_spec *spec;
    problem p;
    *out = (fitted){0};
    rung_status status = spec_new(ctx, method_name, false, &spec);
    for (; settings[0] && status == RUNG_OK; settings += 2) status = spec_set(ctx, spec, settings[0], settings[1]);
    problem_new(&ctx->scratch, &(problem_rows){s->d, s->n, s->X, s->y, weighted ? s->w : NULL, s->origin, s->K}, &p);
    if (status == RUNG_OK)
        status = spec->method->fit(ctx, &ctx->scratch,
                                   &(fit_input){.method = spec->method, .p = &p, .params = spec->params}, out);
    if (spec) spec_free(spec);
    return status;
}

#define SETTINGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline fitted fit_settings(rung_ctx *ctx, const char *method_name, const char *const *settings, sample *s)
{
    fitted out;
    assert_ok(ctx, try_settings(ctx, method_name, settings, s, false, &out));
    return out;
}

static inline const report_entry *reported(const fitted *f, const char *name)
{
    for (int i = 0; i < f->n_report; i++)
        if (!strcmp(f->report[i].name, name)) return &f->report[i];
    fail_msg("nothing is reported as %s", name);
    return NULL;
}

static inline void scores(rung_ctx *ctx, const fitted *f, const sample *s, double *out) /* outputs x n */
{
    assert_ok(ctx, scorer_apply(ctx, &f->own.score, s->n, s->X, out));
}

/* ---- by definition ---- */

typedef long double real;

static inline real *reals(rung_ctx *ctx, int64_t n)
{
    real *v = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    return v;
}

static inline void solve_real(int64_t n, real *A, int64_t k, real *B) /* Gauss with pivoting; both overwritten */
{
    for (int64_t c = 0; c < n; c++) {
        int64_t pivot = c;
        for (int64_t i = c + 1; i < n; i++)
            if (fabsl(A[i + c * n]) > fabsl(A[pivot + c * n])) pivot = i;
        for (int64_t j = 0; j < n + k; j++) {
            real *of = j < n ? A + j * n : B + (j - n) * n, t = of[c];
            of[c] = of[pivot];
            of[pivot] = t;
        }
        for (int64_t i = c + 1; i < n; i++) {
            real f = A[i + c * n] / A[c + c * n];
            for (int64_t j = c; j < n; j++) A[i + j * n] -= f * A[c + j * n];
            for (int64_t j = 0; j < k; j++) B[i + j * n] -= f * B[c + j * n];
        }
    }
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = n - 1; i >= 0; i--) {
            for (int64_t p = i + 1; p < n; p++) B[i + j * n] -= A[i + p * n] * B[p + j * n];
            B[i + j * n] /= A[i + i * n];
        }
}

static inline double square_distance(const sample *s, int64_t i, int64_t j)
{
    double d2 = 0;
    for (int64_t c = 0; c < s->d; c++) d2 += pow(s->X[c + i * s->d] - s->X[c + j * s->d], 2);
    return d2;
}

/* near[i * n + j]: whether j is among the k nearest of i, by (D, index); returns the mean of D to the k-th. */
static inline double nearest_by_definition(int64_t n, int64_t k, const double *D, bool *near)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++) {
        double last = 0;
        for (int64_t j = 0; j < n; j++) near[i * n + j] = false;
        for (int64_t t = 0; t < k; t++) {
            int64_t best = -1;
            for (int64_t j = 0; j < n; j++)
                if (j != i && !near[i * n + j] && (best < 0 || D[i * n + j] < D[i * n + best])) best = j;
            near[i * n + best] = true;
            last = D[i * n + best];
        }
        mean += last / (double)n;
    }
    return mean;
}

/* L = Deg - S over the graph of the distances D; all: neighbours of each other, else of one of them. heat 0: weights 1.
 */
static inline void laplacian_by_definition(int64_t n, int64_t k, const double *D, bool mutual, real *L)
{
    static bool near[MOST * MOST];
    double sigma = nearest_by_definition(n, k, D, near);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            bool a = near[i * n + j], b = near[j * n + i];
            L[i + j * n] = (mutual ? a && b : a || b) ? -expl(-(real)D[i * n + j] / (2 * (real)sigma)) : 0;
        }
    for (int64_t i = 0; i < n; i++) {
        real sum = 0;
        for (int64_t j = 0; j < n; j++) sum += L[i + j * n];
        L[i + i * n] = -sum;
    }
}

/* d_ij^2 = (|y_i - y_j| + 1)^2 |x_i - x_j|^2; an unlabelled row stretches nothing. */
static inline void ordinal_distances(const sample *s, double *D)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++) {
            double gap = s->y[i] && s->y[j] ? abs(s->y[i] - s->y[j]) : 0;
            D[i * s->n + j] = (gap + 1) * (gap + 1) * square_distance(s, i, j);
        }
}

/* Z (d x d) = X G X' with X (d x n). */
static inline void form_by_definition(const sample *s, const real *G, real *Z)
{
    int64_t n = s->n, d = s->d;
    for (int64_t a = 0; a < d; a++)
        for (int64_t b = 0; b < d; b++) {
            real z = 0;
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) z += s->X[a + i * d] * G[i + j * n] * s->X[b + j * d];
            Z[a + b * d] = z;
        }
}

/* D (d x (K-1)): differences of the class means. */
static inline void mean_steps(const sample *s, real *D)
{
    for (int q = 0; q < s->K - 1; q++)
        for (int64_t j = 0; j < s->d; j++) {
            real sum[2] = {0}, count[2] = {0};
            for (int64_t i = 0; i < s->n; i++)
                for (int u = 0; u < 2; u++)
                    if (s->y[i] == q + 1 + u) {
                        sum[u] += s->X[j + i * s->d];
                        count[u]++;
                    }
            D[j + q * s->d] = sum[1] / count[1] - sum[0] / count[0];
        }
}

#endif
