// SPDX-License-Identifier: BSD-3-Clause
/* Products of large matrices: one BLAS call per tile of the result, over the whole depth. */
#include <cblas.h>
#include <math.h>

#include "linalg/internal.h"

int64_t product_tile(int64_t m, int64_t n) { return m * n > (int64_t)2048 * 2048 ? 512 : 256; }

static CBLAS_TRANSPOSE op_of(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }
/* The start of row i of op(A), column j of op(B). */
static const double *row_of(const la_mat *A, bool transposed, int64_t i)
{
    return transposed ? la_at(A, 0, i) : la_at(A, i, 0);
}
static const double *column_of(const la_mat *B, bool transposed, int64_t j)
{
    return transposed ? la_at(B, j, 0) : la_at(B, 0, j);
}

rung_status la_gemm(rung_ctx *ctx, bool transpose_a, bool transpose_b, double alpha, const la_mat *A, const la_mat *B,
                    double beta, la_mat *C)
{
    double started = op_start();
    int64_t m = C->rows, n = C->cols, depth = transpose_a ? A->rows : A->cols, side = product_tile(m, n);
    int64_t down = (m + side - 1) / side, tiles = down * ((n + side - 1) / side);
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        if (stop_asked(ctx)) continue;
        int64_t i = t % down * side, j = t / down * side;
        cblas_dgemm(CblasColMajor, op_of(transpose_a), op_of(transpose_b), blas_int(min64(side, m - i)),
                    blas_int(min64(side, n - j)), blas_int(depth), alpha, row_of(A, transpose_a, i), blas_int(la_ld(A)),
                    column_of(B, transpose_b, j), blas_int(la_ld(B)), beta, la_at(C, i, j), blas_int(la_ld(C)));
    }
    op_done(ctx, OP_GEMM, 2.0 * (double)m * (double)n * (double)depth, started);
    return interrupted(ctx);
}

void lower_tile(int64_t t, int64_t *i, int64_t *j)
{
    int64_t row = (int64_t)((sqrt(8.0 * (double)t + 1) - 1) / 2);
    *i = row;
    *j = t - row * (row + 1) / 2;
}

/* C = alpha op(A) op(B) + beta C below the diagonal, mirrored above it. */
static void symmetric_product(rung_ctx *ctx, bool transpose_a, bool transpose_b, double alpha, const la_mat *A,
                              const la_mat *B, double beta, la_mat *C)
{
    int64_t n = C->rows, depth = transpose_a ? A->rows : A->cols, side = product_tile(n, n);
    int64_t across = (n + side - 1) / side, tiles = across * (across + 1) / 2;
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        if (stop_asked(ctx)) continue;
        int64_t i, j;
        lower_tile(t, &i, &j);
        i *= side;
        j *= side;
        int64_t rows = min64(side, n - i), cols = min64(side, n - j);
        if (A == B && i == j)
            cblas_dsyrk(CblasColMajor, CblasLower, op_of(transpose_a), blas_int(rows), blas_int(depth), alpha,
                        row_of(A, transpose_a, i), blas_int(la_ld(A)), beta, la_at(C, i, i), blas_int(la_ld(C)));
        else
            cblas_dgemm(CblasColMajor, op_of(transpose_a), op_of(transpose_b), blas_int(rows), blas_int(cols),
                        blas_int(depth), alpha, row_of(A, transpose_a, i), blas_int(la_ld(A)),
                        column_of(B, transpose_b, j), blas_int(la_ld(B)), beta, la_at(C, i, j), blas_int(la_ld(C)));
        mirror_tile(C, i, rows, j, cols);
    }
}

rung_status la_gemm_symmetric(rung_ctx *ctx, bool transpose_a, double alpha, const la_mat *A, const la_mat *B,
                              double beta, la_mat *C)
{
    double started = op_start();
    symmetric_product(ctx, transpose_a, false, alpha, A, B, beta, C);
    op_done(ctx, OP_GEMM, (double)C->rows * (double)C->rows * (double)B->rows, started);
    return interrupted(ctx);
}

rung_status la_syrk(rung_ctx *ctx, bool transpose_a, double alpha, const la_mat *A, double beta, la_mat *C)
{
    double started = op_start();
    symmetric_product(ctx, transpose_a, !transpose_a, alpha, A, A, beta, C);
    op_done(ctx, OP_SYRK, (double)C->rows * (double)C->rows * (double)(transpose_a ? A->rows : A->cols), started);
    return interrupted(ctx);
}
