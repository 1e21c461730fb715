// SPDX-License-Identifier: BSD-3-Clause
/* Conjugate gradients on LA_SIDE columns at a time, interleaved so that one access to an entry of A serves them all; a
 * converged column is no longer updated. Dot products are summed within blocks of rows, then over the blocks, in their
 * order: the same bits for any number of threads. */
#include <math.h>
#include <string.h>

#include "graph/graph.h"

enum { SIDE = LA_SIDE, BLOCK = 2048 };

typedef struct {
    int64_t n, blocks;
    double *X, *R, *P, *AP;        /* n x SIDE: AP = A P */
    double *part;                  /* blocks x SIDE: sums of each block */
    double rr[SIDE], target[SIDE]; /* squared residual, and where it may stop */
} iterate;

static int64_t end_of(const iterate *it, int64_t block)
{
    return (block + 1) * BLOCK < it->n ? (block + 1) * BLOCK : it->n;
}

static void total(const iterate *it, double sum[SIDE])
{
    memset(sum, 0, SIDE * sizeof *sum);
    for (int64_t b = 0; b < it->blocks; b++)
        for (int c = 0; c < SIDE; c++) sum[c] += it->part[b * SIDE + c];
}

static void dots(const rung_ctx *ctx, iterate *it, const double *a, const double *b, double out[SIDE])
{
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (it->blocks > 1)
    for (int64_t t = 0; t < it->blocks; t++) {
        double s[SIDE] = {0};
        for (int64_t i = t * BLOCK; i < end_of(it, t); i++)
            for (int c = 0; c < SIDE; c++) s[c] += a[i * SIDE + c] * b[i * SIDE + c];
        memcpy(it->part + t * SIDE, s, sizeof s);
    }
    total(it, out);
}

/* x += alpha p, r -= alpha Ap */
static void descend(const rung_ctx *ctx, iterate *it, const double alpha[SIDE])
{
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (it->blocks > 1)
    for (int64_t i = 0; i < it->n; i++)
        for (int c = 0; c < SIDE; c++) {
            it->X[i * SIDE + c] += alpha[c] * it->P[i * SIDE + c];
            it->R[i * SIDE + c] -= alpha[c] * it->AP[i * SIDE + c];
        }
}

/* p = r + beta p */
static void turn(const rung_ctx *ctx, iterate *it, const double beta[SIDE])
{
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (it->blocks > 1)
    for (int64_t i = 0; i < it->n; i++)
        for (int c = 0; c < SIDE; c++) it->P[i * SIDE + c] = it->R[i * SIDE + c] + beta[c] * it->P[i * SIDE + c];
}

static rung_status step(rung_ctx *ctx, const la_csr *A, iterate *it)
{
    double alpha[SIDE], beta[SIDE], rr[SIDE];
    TRY(la_spmm_side(ctx, A, it->P, it->AP));
    dots(ctx, it, it->P, it->AP, alpha);
    for (int c = 0; c < SIDE; c++) alpha[c] = it->rr[c] > it->target[c] ? it->rr[c] / alpha[c] : 0;
    descend(ctx, it, alpha);
    dots(ctx, it, it->R, it->R, rr);
    for (int c = 0; c < SIDE; c++) {
        beta[c] = it->rr[c] > it->target[c] ? rr[c] / it->rr[c] : 0;
        if (it->rr[c] > it->target[c]) it->rr[c] = rr[c];
    }
    turn(ctx, it, beta);
    return RUNG_OK;
}

/* The largest relative residual of the columns that have not converged; 0: all have. */
static double worst_of(const iterate *it, double tolerance)
{
    double worst = 0;
    for (int c = 0; c < SIDE; c++) {
        if (it->rr[c] <= it->target[c]) continue;
        double relative = sqrt(it->rr[c] / it->target[c]) * tolerance;
        worst = fmax(worst, isfinite(relative) ? relative : INFINITY);
    }
    return worst;
}

/* The first k <= SIDE columns of B; missing ones are 0 and converged. */
static void begin(const rung_ctx *ctx, iterate *it, int64_t k, const double *B, double tolerance)
{
    memset(it->X, 0, (size_t)(it->n * SIDE) * sizeof *it->X);
    for (int64_t i = 0; i < it->n; i++)
        for (int c = 0; c < SIDE; c++) it->R[i * SIDE + c] = c < k ? B[i + c * it->n] : 0;
    memcpy(it->P, it->R, (size_t)(it->n * SIDE) * sizeof *it->P);
    dots(ctx, it, it->R, it->R, it->rr);
    for (int c = 0; c < SIDE; c++) it->target[c] = tolerance * tolerance * it->rr[c];
}

rung_status graph_solve(rung_ctx *ctx, const la_csr *A, int64_t k, const double *B, double tolerance, int iterations,
                        double *X)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = A->rows;
    iterate it = {.n = n, .blocks = (n + BLOCK - 1) / BLOCK};
    double worst;
    TRY(NEW_RAW(ctx, &ctx->scratch, it.X, n * SIDE));
    TRY(NEW_RAW(ctx, &ctx->scratch, it.R, n * SIDE));
    TRY(NEW_RAW(ctx, &ctx->scratch, it.P, n * SIDE));
    TRY(NEW_RAW(ctx, &ctx->scratch, it.AP, n * SIDE));
    TRY(NEW_RAW(ctx, &ctx->scratch, it.part, it.blocks * SIDE));
    for (int64_t j = 0; j < k; j += SIDE) {
        int64_t width = k - j < SIDE ? k - j : SIDE;
        begin(ctx, &it, width, B + j * n, tolerance);
        for (int t = 0; (worst = worst_of(&it, tolerance)) > 0; t++) {
            if (t == iterations || !isfinite(worst))
                return set_error(
                    ctx, RUNG_ENOCONV,
                    "conjugate gradients on %lld points did not converge in %d steps (relative residual %.2g)",
                    (long long)n, t, worst);
            TRY(step(ctx, A, &it));
        }
        for (int64_t c = 0; c < width; c++)
            for (int64_t i = 0; i < n; i++) X[i + (j + c) * n] = it.X[i * SIDE + c];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
