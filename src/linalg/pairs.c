// SPDX-License-Identifier: BSD-3-Clause
/* pairs.c - sums over the entries of symmetric matrices. An entry below the diagonal counts twice. Columns are summed
 * in blocks and the blocks in order, so that the bits do not depend on the threads. */
#include "linalg/internal.h"

enum { BLOCK = 64, CHUNK = 512, LANES = 8 };

static int64_t blocks_of(int64_t n) { return (n + BLOCK - 1) / BLOCK; }

static double sum_lanes(const double *s) { return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); }

static double dot(int64_t n, const double *a, const double *b)
{
    double s[LANES] = {0};
    int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int c = 0; c < LANES; c++) s[c] += a[i + c] * b[i + c];
    for (int64_t i = whole; i < n; i++) s[i - whole] += a[i] * b[i];
    return sum_lanes(s);
}

rung_status la_inner_symmetric(rung_ctx *ctx, const la_mat *A, const la_mat *B, double *out)
{
    double started = op_start(), *part = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = A->cols, blocks = blocks_of(n);
    TRY(NEW(ctx, &ctx->scratch, part, blocks));
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (n * n > WORTH_SHARING)
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t j = b * BLOCK; j < min64(n, (b + 1) * BLOCK); j++)
            part[b] += 2 * dot(n - j - 1, la_at(A, j, j) + 1, la_at(B, j, j) + 1) + *la_at(A, j, j) * *la_at(B, j, j);
    *out = 0;
    for (int64_t b = 0; b < blocks; b++) *out += part[b];
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_SUMS, (double)n * (double)n, started);
    return interrupted(ctx);
}

/* sum_i w_i (x_i - z)^2 */
static double spread_run(int64_t n, const double *w, const double *x, double z)
{
    double s[LANES] = {0};
    int64_t whole = n - n % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int c = 0; c < LANES; c++) s[c] += w[i + c] * ((x[i + c] - z) * (x[i + c] - z));
    for (int64_t i = whole; i < n; i++) s[i - whole] += w[i] * ((x[i] - z) * (x[i] - z));
    return sum_lanes(s);
}

rung_status la_spread(rung_ctx *ctx, const la_mat *X, double alpha, const la_mat *A, double beta, const la_mat *B,
                      const la_mat *K, double *spread)
{
    double started = op_start(), *part = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = X->cols, d = X->rows, blocks = blocks_of(n);
    la_mat *rows = NULL;
    TRY(NEW(ctx, &ctx->scratch, part, blocks * d));
    TRY(la_new(ctx, &ctx->scratch, n, d, &rows));
    TRY(la_transpose(ctx, X, rows));
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (n * n > WORTH_SHARING)
    for (int64_t b = 0; b < blocks; b++) {
        double w[CHUNK];
        for (int64_t i0 = b * BLOCK; i0 < n && !stop_asked(ctx); i0 += CHUNK)
            for (int64_t j = b * BLOCK; j < min64(n, (b + 1) * BLOCK); j++) {
                int64_t from = i0 > j ? i0 : j + 1, count = min64(n, i0 + CHUNK) - from;
                if (count <= 0) continue;
                const double *a = la_at(A, from, j), *other = la_at(B, from, j), *k = la_at(K, from, j);
                for (int64_t i = 0; i < count; i++) w[i] = (alpha * a[i] + beta * other[i]) * k[i];
                for (int64_t f = 0; f < d; f++)
                    part[f + b * d] += 2 * spread_run(count, w, la_at(rows, from, f), *la_at(rows, j, f));
            }
    }
    for (int64_t f = 0; f < d; f++) {
        spread[f] = 0;
        for (int64_t b = 0; b < blocks; b++) spread[f] += part[f + b * d];
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_SUMS, (double)n * (double)n * (2 + 2 * (double)d), started);
    return interrupted(ctx);
}
