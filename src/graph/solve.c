// SPDX-License-Identifier: BSD-3-Clause
/* Conjugate gradients on all columns at once; a column rests when it has converged. A dot product runs over the rows in
 * their order, one column per thread: the same bits for any number of threads. */
#include <math.h>
#include <string.h>

#include "graph/graph.h"

typedef struct {
    int64_t n;
    const double *AP; /* A times the directions */
    double *X, *R, *P;
    double *rr, *target; /* squared residual, and where it may stop */
} iterate;

static double dot(int64_t n, const double *a, const double *b)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += a[i] * b[i];
    return s;
}

static void step(iterate *it, int64_t c)
{
    int64_t n = it->n;
    const double *ap = it->AP + c * n;
    double *x = it->X + c * n, *r = it->R + c * n, *p = it->P + c * n;
    if (it->rr[c] <= it->target[c]) return;
    double alpha = it->rr[c] / dot(n, p, ap);
    for (int64_t i = 0; i < n; i++) x[i] += alpha * p[i];
    for (int64_t i = 0; i < n; i++) r[i] -= alpha * ap[i];
    double rr = dot(n, r, r), beta = rr / it->rr[c];
    for (int64_t i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
    it->rr[c] = rr;
}

rung_status graph_solve(rung_ctx *ctx, const la_csr *A, int64_t k, const double *B, double tolerance, int iterations,
                        double *X)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = A->rows;
    double *R = NULL, *P = NULL, *AP = NULL, *rr = NULL, *target = NULL, worst = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, R, n * k));
    TRY(NEW_RAW(ctx, &ctx->scratch, P, n * k));
    TRY(NEW_RAW(ctx, &ctx->scratch, AP, n * k));
    TRY(NEW(ctx, &ctx->scratch, rr, k));
    TRY(NEW(ctx, &ctx->scratch, target, k));
    memset(X, 0, (size_t)(n * k) * sizeof *X);
    memcpy(R, B, (size_t)(n * k) * sizeof *R);
    memcpy(P, B, (size_t)(n * k) * sizeof *P);
    for (int64_t c = 0; c < k; c++) {
        rr[c] = dot(n, B + c * n, B + c * n);
        target[c] = tolerance * tolerance * rr[c];
    }
    iterate it = {.n = n, .AP = AP, .X = X, .R = R, .P = P, .rr = rr, .target = target};
    for (int t = 0;; t++) {
        int64_t open = 0;
        worst = 0;
        for (int64_t c = 0; c < k; c++) {
            if (rr[c] <= target[c]) continue;
            open++;
            worst = fmax(worst, sqrt(rr[c] / target[c]) * tolerance);
        }
        if (!open) break;
        if (t == iterations || !isfinite(worst))
            return fail(ctx, RUNG_ENOCONV,
                        "conjugate gradients on %lld points did not converge in %d steps (relative residual %.2g)",
                        (long long)n, t, worst);
        TRY(la_spmm_thin(ctx, 1, A, k, P, 0, AP));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (n > 2000)
        for (int64_t c = 0; c < k; c++) step(&it, c);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
