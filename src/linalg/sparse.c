// SPDX-License-Identifier: BSD-3-Clause
/* Products with a sparse matrix. A row of S is multiplied with groups of columns of B that are interleaved, so one
 * access to an entry of S serves the whole group. */
#include <omp.h>
#include <string.h>

#include "linalg/internal.h"

enum { GROUP = LA_SIDE, ROWS = 1024 };

static double entries_of(const la_csr *S) { return (double)S->start[S->rows]; }

/* Columns j0.. of B, interleaved. */
static void interleave(const la_mat *B, int64_t j0, int64_t width, double *side)
{
    for (int64_t c = 0; c < GROUP; c++)
        for (int64_t i = 0; i < B->rows; i++) side[i * GROUP + c] = c < width ? *la_at(B, i, j0 + c) : 0;
}

static void row_times_side(const la_csr *S, int64_t i, const double *side, double s[GROUP])
{
    memset(s, 0, GROUP * sizeof *s);
    for (int64_t e = S->start[i]; e < S->start[i + 1]; e++)
        for (int c = 0; c < GROUP; c++) s[c] += S->value[e] * side[S->col[e] * GROUP + c];
}

rung_status la_spmm(rung_ctx *ctx, double alpha, const la_csr *S, const la_mat *B, double beta, la_mat *C)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = B->cols, groups = (m + GROUP - 1) / GROUP;
    int threads = (int)min64(ctx->threads, groups > 0 ? groups : 1);
    double *room = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, room, threads * B->rows * GROUP));
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int64_t g = 0; g < groups; g++) {
        if (stop_asked(ctx)) continue;
        int64_t j0 = g * GROUP, width = min64(GROUP, m - j0);
        double *side = room + omp_get_thread_num() * B->rows * GROUP;
        interleave(B, j0, width, side);
        for (int64_t i = 0; i < S->rows; i++) {
            double s[GROUP];
            row_times_side(S, i, side, s);
            for (int64_t c = 0; c < width; c++) {
                double *to = la_at(C, i, j0 + c);
                *to = beta == 0 ? alpha * s[c] : alpha * s[c] + beta * *to;
            }
        }
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_SPMM, 2 * entries_of(S) * (double)m, started);
    return interrupted(ctx);
}

rung_status la_spmm_thin(rung_ctx *ctx, double alpha, const la_csr *S, int64_t k, const double *B, double beta,
                         double *C)
{
    double started = op_start();
    int64_t n = S->rows, chunks = (n + ROWS - 1) / ROWS;
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (chunks > 1)
    for (int64_t t = 0; t < chunks; t++)
        for (int64_t c = 0; c < k; c++) {
            const double *b = B + c * S->cols;
            for (int64_t i = t * ROWS; i < min64((t + 1) * ROWS, n); i++) {
                double s = 0, *to = C + i + c * n;
                for (int64_t e = S->start[i]; e < S->start[i + 1]; e++) s += S->value[e] * b[S->col[e]];
                *to = beta == 0 ? alpha * s : alpha * s + beta * *to;
            }
        }
    op_done(ctx, OP_SPMM, 2 * entries_of(S) * (double)k, started);
    return interrupted(ctx);
}

rung_status la_spmm_side(rung_ctx *ctx, const la_csr *S, const double *B, double *C)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (S->rows > ROWS)
    for (int64_t i = 0; i < S->rows; i++) {
        double s[GROUP];
        row_times_side(S, i, B, s);
        memcpy(C + i * GROUP, s, sizeof s);
    }
    op_done(ctx, OP_SPMM, 2 * entries_of(S) * GROUP, started);
    return interrupted(ctx);
}

rung_status la_mul_csr(rung_ctx *ctx, const la_mat *B, const la_csr *S, int64_t first, la_mat *C)
{
    double started = op_start();
    int64_t m = B->rows, t = C->cols;
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic, 64) if (t > 64)
    for (int64_t i = 0; i < t; i++) {
        double *to = la_at(C, 0, i);
        memset(to, 0, (size_t)m * sizeof *to);
        for (int64_t e = S->start[first + i]; e < S->start[first + i + 1]; e++) {
            const double *b = la_at(B, 0, S->col[e]);
            for (int64_t r = 0; r < m; r++) to[r] += S->value[e] * b[r];
        }
    }
    op_done(ctx, OP_SPMM, 2 * (double)(S->start[first + t] - S->start[first]) * (double)m, started);
    return interrupted(ctx);
}

rung_status la_add_csr(rung_ctx *ctx, double alpha, const la_csr *S, la_mat *A)
{
    double started = op_start();
    for (int64_t i = 0; i < S->rows; i++)
        for (int64_t e = S->start[i]; e < S->start[i + 1]; e++) *la_at(A, i, S->col[e]) += alpha * S->value[e];
    op_done(ctx, OP_ENTRIES, 2 * entries_of(S), started);
    return interrupted(ctx);
}
