// SPDX-License-Identifier: BSD-3-Clause
/* Products of a large matrix with a thin one, and small systems. */
#include <cblas.h>
#include <math.h>

#include "linalg/internal.h"

enum { STRIP = 512 };

rung_status la_mul(rung_ctx *ctx, double alpha, const la_mat *A, int64_t k, const double *B, double beta, double *C)
{
    double started = op_start();
    int64_t n = A->rows, strips = (n + STRIP - 1) / STRIP;
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (strips > 1)
    for (int64_t s = 0; s < strips; s++) {
        int64_t i0 = s * STRIP;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_int(min64(STRIP, n - i0)), blas_int(k),
                    blas_int(A->cols), alpha, la_at(A, i0, 0), blas_int(la_ld(A)), B,
                    blas_int(A->cols > 0 ? A->cols : 1), beta, C + i0, blas_int(n > 0 ? n : 1));
    }
    op_done(ctx, OP_MUL, 2.0 * (double)n * (double)A->cols * (double)k, started);
    return interrupted(ctx);
}

void la_thin(bool transpose_a, double alpha, la_thin_mat A, la_thin_mat B, double beta, double *C)
{
    int64_t m = transpose_a ? A.cols : A.rows;
    cblas_dgemm(CblasColMajor, transpose_a ? CblasTrans : CblasNoTrans, CblasNoTrans, blas_int(m), blas_int(B.cols),
                blas_int(B.rows), alpha, A.v, blas_int(A.rows > 0 ? A.rows : 1), B.v, blas_int(B.rows > 0 ? B.rows : 1),
                beta, C, blas_int(m > 0 ? m : 1));
}

/* The matrices are symmetric positive definite and usually K x K; larger ones are treated like any other matrix. */
static rung_status large_spd_factor(rung_ctx *ctx, int n, double *A)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *L = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, &L));
    la_put(A, L);
    TRY(la_potrf(ctx, L));
    la_get(L, A);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status large_spd_solve(rung_ctx *ctx, int n, const double *A, int k, double *B)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *L = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, &L));
    la_put(A, L);
    TRY(la_potrf(ctx, L));
    TRY(la_potrs(ctx, L, k, B));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

enum { SMALL = 64 };

rung_status la_small_spd_factor(rung_ctx *ctx, int n, double *A)
{
    if (n > SMALL) return large_spd_factor(ctx, n, A);
    for (int j = 0; j < n; j++) { /* A = L L', column by column */
        double pivot = A[j + j * n];
        for (int p = 0; p < j; p++) pivot -= A[j + p * n] * A[j + p * n];
        if (!(pivot > 0))
            return set_error(ctx, RUNG_ESINGULAR, "a %d x %d system is not positive definite (pivot %d: %g)", n, n,
                             j + 1, pivot);
        pivot = sqrt(pivot);
        A[j + j * n] = pivot;
        for (int i = j + 1; i < n; i++) {
            double s = A[i + j * n];
            for (int p = 0; p < j; p++) s -= A[i + p * n] * A[j + p * n];
            A[i + j * n] = s / pivot;
        }
    }
    return RUNG_OK;
}

rung_status la_small_spd_solve(rung_ctx *ctx, int n, double *A, int k, double *B)
{
    if (n > SMALL) return large_spd_solve(ctx, n, A, k, B);
    TRY(la_small_spd_factor(ctx, n, A));
    for (int c = 0; c < k; c++) {
        double *b = B + c * n;
        for (int i = 0; i < n; i++) {
            for (int p = 0; p < i; p++) b[i] -= A[i + p * n] * b[p];
            b[i] /= A[i + i * n];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int p = i + 1; p < n; p++) b[i] -= A[p + i * n] * b[p];
            b[i] /= A[i + i * n];
        }
    }
    return RUNG_OK;
}
