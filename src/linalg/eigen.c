// SPDX-License-Identifier: BSD-3-Clause
/* Eigenvalues of symmetric matrices by LAPACK on one thread: divide and conquer for all of them, MRRR for the leading
 * few (and less memory). */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/internal.h"

/* Makes the entry of largest modulus (the first of equals) positive, so the sign does not depend on the algorithm. */
static void fix_sign(int64_t n, double *v)
{
    int64_t largest = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(v[i]) > fabs(v[largest])) largest = i;
    if (v[largest] < 0)
        for (int64_t i = 0; i < n; i++) v[i] = -v[i];
}

static rung_status no_convergence(rung_ctx *ctx, int64_t n, int info)
{
    return set_error(ctx, RUNG_ENOCONV, "the eigenvalues of a %lld x %lld matrix did not converge (%d)", (long long)n,
                     (long long)n, info);
}

/* With NaN entries LAPACK does not converge, or worse. */
static rung_status check_finite(rung_ctx *ctx, int64_t n, const double *A, int64_t ld)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            if (!isfinite(A[i + j * ld]))
                return set_error(ctx, RUNG_EDATA,
                                 "the eigenvalue problem of a %lld x %lld matrix overflows; scale the columns",
                                 (long long)n, (long long)n);
    return RUNG_OK;
}

/* All eigenvalues, ascending; A becomes the vectors (or is undefined). */
static rung_status all_eigenvalues(rung_ctx *ctx, char job, int64_t n, double *A, int64_t ld, double *values)
{
    double size, *work = NULL;
    int isize, *iwork = NULL;
    LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', blas_int(n), A, blas_int(ld), values, &size, -1, &isize, -1);
    TRY(NEW_RAW(ctx, &ctx->scratch, work, (int64_t)size));
    TRY(NEW_RAW(ctx, &ctx->scratch, iwork, isize));
    int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, job, 'L', blas_int(n), A, blas_int(ld), values, work, (int)size,
                                   iwork, isize);
    return info ? no_convergence(ctx, n, info) : RUNG_OK;
}

/* The r largest, ascending; their vectors go to V. all: whether they were found. With many equal eigenvalues (I -
 * 11'/n) LAPACK may find fewer than requested. */
static rung_status leading_eigenvalues(rung_ctx *ctx, la_mat *A, int64_t r, double *values, la_mat *V, bool *all)
{
    int64_t n = A->rows;
    double size, *work = NULL;
    int isize, found, *iwork = NULL, *support = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, support, 2 * r));
    LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', blas_int(n), A->v, blas_int(la_ld(A)), 0, 0,
                        blas_int(n - r + 1), blas_int(n), 0, &found, values, V->v, blas_int(la_ld(V)), support, &size,
                        -1, &isize, -1);
    TRY(NEW_RAW(ctx, &ctx->scratch, work, (int64_t)size));
    TRY(NEW_RAW(ctx, &ctx->scratch, iwork, isize));
    int info = LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', blas_int(n), A->v, blas_int(la_ld(A)), 0, 0,
                                   blas_int(n - r + 1), blas_int(n), 0, &found, values, V->v, blas_int(la_ld(V)),
                                   support, work, (int)size, iwork, isize);
    *all = info == 0 && found == r;
    return RUNG_OK;
}

/* Restores the lower triangle, which LAPACK has overwritten, from the upper one. */
static void restore_lower(la_mat *A, const double *diagonal)
{
    for (int64_t j = 0; j < A->rows; j++) {
        *la_at(A, j, j) = diagonal[j];
        for (int64_t i = j + 1; i < A->rows; i++) *la_at(A, i, j) = *la_at(A, j, i);
    }
}

static void reverse(int64_t n, double *v)
{
    for (int64_t i = 0; i < n / 2; i++) {
        double t = v[i];
        v[i] = v[n - 1 - i];
        v[n - 1 - i] = t;
    }
}

static void swap_columns(int64_t n, double *a, double *b)
{
    for (int64_t i = 0; i < n; i++) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

double la_eigen_bytes(int64_t n) { return 8 * (2 * (double)n * (double)n + 40 * (double)n); } /* that of dsyevd */

rung_status la_eigen(rung_ctx *ctx, la_mat *A, int64_t r, double *values, la_mat *V)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = A->rows, ld = la_ld(A);
    double *all = NULL, *diagonal = NULL;
    if (n == 0 || r == 0) return RUNG_OK;
    TRY(check_finite(ctx, n, A->v, ld));
    TRY(NEW(ctx, &ctx->scratch, all, n));
    TRY(interrupted(ctx));
    bool few = V && 4 * r <= n;
    if (few) {
        TRY(NEW(ctx, &ctx->scratch, diagonal, n));
        la_diagonal(A, diagonal);
        TRY(leading_eigenvalues(ctx, A, r, all, V, &few));
        if (!few) restore_lower(A, diagonal);
    }
    if (!few) TRY(all_eigenvalues(ctx, V ? 'V' : 'N', n, A->v, ld, all));
    int64_t found = few ? r : n;
    for (int64_t j = 0; j < r; j++) values[j] = all[found - 1 - j];
    if (few) {
        for (int64_t j = 0; j < r / 2; j++) swap_columns(n, la_at(V, 0, j), la_at(V, 0, r - 1 - j));
    } else if (V) {
        for (int64_t j = 0; j < r; j++) memcpy(la_at(V, 0, j), la_at(A, 0, n - 1 - j), (size_t)n * sizeof(double));
    }
    for (int64_t j = 0; V && j < r; j++) fix_sign(n, la_at(V, 0, j));
    pool_release(&ctx->scratch, mark);
    double cube = (double)n * (double)n * (double)n;
    op_done(ctx, OP_EIGEN,
            !V    ? 4.0 / 3 * cube
            : few ? 4.0 / 3 * cube + 2.0 * (double)(n * n) * (double)r
                  : 9 * cube,
            started);
    return interrupted(ctx);
}

rung_status la_small_eigen(rung_ctx *ctx, int n, double *A, double *B, double *values)
{
    pool_mark mark = pool_here(&ctx->scratch);
    if (n == 0) return RUNG_OK;
    TRY(check_finite(ctx, n, A, n));
    if (B) {
        double size, *work = NULL;
        int isize, *iwork = NULL;
        LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, A, n, B, n, values, &size, -1, &isize, -1);
        TRY(NEW_RAW(ctx, &ctx->scratch, work, (int64_t)size));
        TRY(NEW_RAW(ctx, &ctx->scratch, iwork, isize));
        int info =
            LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, A, n, B, n, values, work, (int)size, iwork, isize);
        if (info > n)
            return set_error(ctx, RUNG_ESINGULAR,
                             "a %d x %d matrix is not positive definite (pivot %d); use a larger ridge", n, n,
                             info - n);
        if (info) return no_convergence(ctx, n, info);
    } else {
        TRY(all_eigenvalues(ctx, 'V', n, A, n, values));
    }
    reverse(n, values);
    for (int64_t j = 0; j < n / 2; j++) swap_columns(n, A + j * n, A + (n - 1 - j) * n);
    for (int64_t j = 0; j < n; j++) fix_sign(n, A + j * n);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
