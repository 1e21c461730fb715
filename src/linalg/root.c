// SPDX-License-Identifier: BSD-3-Clause
/* Positive semidefinite matrices by a Cholesky factorisation with complete pivoting, on one thread. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/internal.h"

/* order: the rows (from 1) in the order of the pivots, in the scratch pool; tolerance < 0: rounding. */
static rung_status pivoted_cholesky(rung_ctx *ctx, la_mat *A, double tolerance, int **order, int64_t *rank)
{
    double started = op_start(), *work = NULL;
    int64_t n = A->rows;
    int found = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, *order, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, work, 2 * n));
    TRY(interrupted(ctx));
    if (n > 0)
        LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', blas_int(n), A->v, blas_int(la_ld(A)), *order, &found, tolerance,
                            work);
    *rank = found;
    op_done(ctx, OP_RANK, (double)n * (double)found * (double)found, started);
    return interrupted(ctx);
}

rung_status la_cholesky_rank(rung_ctx *ctx, la_mat *A, double tolerance, int64_t *rank)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int *order = NULL;
    TRY(pivoted_cholesky(ctx, A, tolerance, &order, rank));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Moves the rows of the factor back to their positions, with zeros elsewhere. */
static void unpivot(la_mat *A, int64_t rank, const int *order, double *column)
{
    for (int64_t j = 0; j < rank; j++) {
        for (int64_t i = 0; i < A->rows; i++) column[order[i] - 1] = i < j ? 0 : *la_at(A, i, j);
        memcpy(la_at(A, 0, j), column, (size_t)A->rows * sizeof *column);
    }
    A->cols = rank;
}

/* The remainder of an indefinite matrix may be invisible to the pivots, but hardly to a random vector: A z - F
 * (F'z). */
rung_status la_root(rung_ctx *ctx, la_mat *A)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = A->rows, rank;
    int *order = NULL;
    double *z = NULL, *Az = NULL, *part = NULL, largest = 0, off = 0;
    rng r;
    TRY(NEW_RAW(ctx, &ctx->scratch, z, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, Az, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, part, n));
    rng_open(&r, 1, 0);
    for (int64_t i = 0; i < n; i++) z[i] = rng_uniform(&r) - 0.5;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(*la_at(A, i, i)));
    TRY(la_mul(ctx, 1, A, 1, z, 0, Az));
    TRY(pivoted_cholesky(ctx, A, -1, &order, &rank));
    unpivot(A, rank, order, part);
    cblas_dgemv(CblasColMajor, CblasTrans, blas_int(n), blas_int(rank), 1, A->v, blas_int(la_ld(A)), z, 1, 0, part, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, blas_int(n), blas_int(rank), -1, A->v, blas_int(la_ld(A)), part, 1, 1, Az,
                1);
    for (int64_t i = 0; i < n; i++) off = fmax(off, fabs(Az[i]));
    pool_release(&ctx->scratch, mark);
    if (off > 1e-8 * largest * sqrt((double)n))
        return set_error(ctx, RUNG_EDATA,
                         "the kernel matrix is not positive semidefinite: the remainder after a positive part of rank "
                         "%lld is %.2g of its largest diagonal entry",
                         (long long)rank, off / largest);
    return RUNG_OK;
}

/* F = U S V': F V = U S. */
rung_status la_orthogonal_columns(rung_ctx *ctx, la_mat *F)
{
    double started = op_start(), *values = NULL, *U = NULL, *work = NULL, none;
    int *iwork = NULL;
    int64_t n = F->rows, r = F->cols, room = 2 * n + 65 * r + 7; /* at least 2 n + 64 r */
    pool_mark mark = pool_here(&ctx->scratch);
    if (r == 0) return RUNG_OK;
    TRY(interrupted(ctx));
    TRY(NEW_RAW(ctx, &ctx->scratch, values, r));
    TRY(NEW_RAW(ctx, &ctx->scratch, U, n * r));
    TRY(NEW_RAW(ctx, &ctx->scratch, work, room));
    TRY(NEW_RAW(ctx, &ctx->scratch, iwork, n + 3 * r + 3));
    int info = LAPACKE_dgejsv_work(LAPACK_COL_MAJOR, 'F', 'U', 'N', 'R', 'N', 'N', blas_int(n), blas_int(r), F->v,
                                   blas_int(la_ld(F)), values, U, blas_int(n), &none, 1, work, blas_int(room), iwork);
    if (info != 0)
        return set_error(ctx, RUNG_ENOCONV, "the singular values of a %lld x %lld matrix did not converge (%d)",
                         (long long)n, (long long)r, info);
    for (int64_t j = 0; j < r; j++)
        for (int64_t i = 0; i < n; i++) *la_at(F, i, j) = U[i + j * n] * values[j] * (work[0] / work[1]);
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_RANK, 9 * (double)n * (double)r * (double)r, started);
    return interrupted(ctx);
}
