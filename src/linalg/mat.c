// SPDX-License-Identifier: BSD-3-Clause
/* Matrices: memory, copies, diagonals; counters. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <limits.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "linalg/internal.h"

/* ---- counters ---- */

static const char *const op_names[OP_COUNT] = {
    [OP_GRAM] = "gram",
    [OP_CROSS] = "cross",
    [OP_CROSS_SUMS] = "cross sums",
    [OP_EXPAND] = "expand",
    [OP_MAP] = "map",
    [OP_GATHER] = "gather",
    [OP_MUL] = "multiply",
    [OP_POTRF] = "potrf",
    [OP_POTRS] = "potrs",
    [OP_POTRI] = "potri",
    [OP_INVERSE_DIAGONAL] = "inverse-diagonal",
    [OP_RIDGE_QR] = "ridge-qr",
    [OP_GEMM] = "gemm",
    [OP_SYRK] = "syrk",
    [OP_ENTRIES] = "entries",
    [OP_CENTRE] = "centre",
    [OP_SUMS] = "sums",
    [OP_TRSM] = "trsm",
    [OP_GETRF] = "getrf",
    [OP_GETRS] = "getrs",
    [OP_EIGEN] = "eigen",
    [OP_RANK] = "rank",
    [OP_SPMM] = "spmm",
    [OP_NEAREST] = "nearest",
};

const char *la_op_name(int index) { return index >= 0 && index < OP_COUNT ? op_names[index] : NULL; }

double op_start(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void op_done(rung_ctx *ctx, la_op op, double flops, double started)
{
    ctx->ops[op].calls++;
    ctx->ops[op].flops += flops;
    ctx->ops[op].seconds += op_start() - started;
}

/* ---- memory ---- */

rung_status la_new(rung_ctx *ctx, pool *mem, int64_t rows, int64_t cols, la_mat **out)
{
    *out = NULL;
    la_mat *A = NULL;
    if (rows < 0 || cols < 0 || rows > INT_MAX || cols > INT_MAX)
        return set_error(ctx, RUNG_EARG, "a %lld x %lld matrix is too large", (long long)rows, (long long)cols);
    TRY(NEW(ctx, mem, A, 1));
    TRY(NEW_RAW(ctx, mem, A->v, rows * cols));
    A->rows = rows;
    A->cols = cols;
    *out = A;
    return RUNG_OK;
}

void la_free(pool *mem, la_mat *A)
{
    if (!A) return;
    pool_free(mem, A->v);
    pool_free(mem, A);
}

void la_narrow(la_mat *A, int64_t cols) { A->cols = cols; }
int64_t la_rows(const la_mat *A) { return A->rows; }
int64_t la_cols(const la_mat *A) { return A->cols; }

void la_put(const double *host, la_mat *A) { memcpy(A->v, host, (size_t)(A->rows * A->cols) * sizeof *host); }
void la_get(const la_mat *A, double *host) { memcpy(host, A->v, (size_t)(A->rows * A->cols) * sizeof *host); }

rung_status la_gather(rung_ctx *ctx, const la_mat *A, const int64_t *rows, const int64_t *cols, la_mat *out)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (out->rows * out->cols > WORTH_SHARING)
    for (int64_t j = 0; j < out->cols; j++) {
        const double *from = la_at(A, 0, cols ? cols[j] : j);
        double *to = la_at(out, 0, j);
        if (rows) {
            for (int64_t i = 0; i < out->rows; i++) to[i] = from[rows[i]];
        } else {
            memcpy(to, from, (size_t)out->rows * sizeof *to);
        }
    }
    op_done(ctx, OP_GATHER, 0, started);
    return interrupted(ctx);
}

void la_pick(const la_mat *A, int64_t m, const int64_t *rows, int64_t n, const int64_t *cols, double *host)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) host[i + j * m] = *la_at(A, rows[i], cols[j]);
}

rung_status la_put_columns(rung_ctx *ctx, const la_mat *A, int64_t i, la_mat *B, int64_t j)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (A->cols * B->rows > WORTH_SHARING)
    for (int64_t c = 0; c < A->cols; c++) memcpy(la_at(B, 0, j + c), la_at(A, i, c), (size_t)B->rows * sizeof(double));
    op_done(ctx, OP_GATHER, 0, started);
    return interrupted(ctx);
}

void la_add_diagonal(la_mat *A, double alpha, const double *v)
{
    for (int64_t i = 0; i < min64(A->rows, A->cols); i++) *la_at(A, i, i) += v ? alpha * v[i] : alpha;
}

void la_add_constant(la_mat *A, double c)
{
    for (int64_t i = 0; i < A->rows * A->cols; i++) A->v[i] += c;
}

double la_asymmetry(const la_mat *A)
{
    double worst = 0, largest = 0;
    for (int64_t j = 0; j < A->cols; j++)
        for (int64_t i = 0; i <= j; i++) {
            double up = *la_at(A, i, j), down = *la_at(A, j, i);
            worst = fmax(worst, fabs(up - down));
            largest = fmax(largest, fmax(fabs(up), fabs(down)));
        }
    return largest > 0 ? worst / largest : 0;
}
