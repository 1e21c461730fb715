// SPDX-License-Identifier: BSD-3-Clause
/* subspace.c - block subspace iteration with a Chebyshev filter.
 *
 * A block of orthonormal columns is multiplied by a polynomial of A that is small on [0, a] and grows fast above it; a
 * is the smallest Ritz value of the block, so components outside the block are damped (Zhou, Saad, Tiago, Chelikowsky
 * 2006). The degree is as large as possible while the columns stay independent: if the leading eigenvalue dominates it
 * is 1, the plain subspace iteration. All the work is in products of A with the block. */
#include "linalg/subspace.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/internal.h"

enum {
    SMALL = 400,        /* up to this number of rows LAPACK is fast */
    FEW = 20,           /* more than one vector in FEW is many */
    MORE = 10,          /* columns of the block beyond those wanted */
    ITERATIONS = 60,    /* products with the block take about as long as a tridiagonal reduction for n = 2000 */
    LARGEST_DEGREE = 12 /* of the filter */
};
static const double GROWTH = 1e6; /* of the leading column against the last one in one filter */

double la_sign_of(int64_t n, const double *v)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    for (int64_t i = 0; i < n; i++)
        if (fabs(v[i]) > (1 - 1e-9) * largest) return v[i] < 0 ? -1 : 1;
    return 1;
}

static void turn_columns(la_mat *V)
{
    for (int64_t j = 0; j < V->cols; j++) {
        double *v = la_at(V, 0, j), sign = la_sign_of(V->rows, v);
        for (int64_t i = 0; i < V->rows; i++) v[i] *= sign;
    }
}

/* ---- orthonormal columns ---- */

static rung_status factor_columns(rung_ctx *ctx, la_mat *A, double **tau, double **work, int *size)
{
    int n = blas_int(A->rows), m = blas_int(A->cols), ld = blas_int(la_ld(A));
    double wanted = 0, more = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, *tau, A->cols));
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, m, A->v, ld, *tau, &wanted, -1);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, m, m, A->v, ld, *tau, &more, -1);
    *size = (int)fmax(wanted, more);
    TRY(NEW_RAW(ctx, &ctx->scratch, *work, *size));
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, m, A->v, ld, *tau, *work, *size);
    return RUNG_OK;
}

rung_status la_orthonormal(rung_ctx *ctx, la_mat *A, int64_t k, double *B)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int n = blas_int(A->rows), m = blas_int(A->cols), ld = blas_int(la_ld(A)), size = 0;
    double *tau = NULL, *work = NULL, largest = 0;
    if (m == 0) return RUNG_OK;
    TRY(factor_columns(ctx, A, &tau, &work, &size));
    TRY(interrupted(ctx));
    for (int64_t j = 0; j < m; j++) largest = fmax(largest, fabs(*la_at(A, j, j)));
    for (int64_t j = 0; j < m; j++)
        if (!(fabs(*la_at(A, j, j)) > 1e-15 * largest))
            return set_error(ctx, RUNG_ESINGULAR, "column %lld of %d depends on those before it; use a larger lambda",
                             (long long)j + 1, m);
    if (k > 0)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, m, blas_int(k), 1, A->v, ld, B, m);
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, m, m, A->v, ld, tau, work, size);
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_RIDGE_QR, 4.0 * n * m * m, started);
    return interrupted(ctx);
}

/* Without a triangle to keep, dependent columns do no harm. */
static rung_status orthonormal_block(rung_ctx *ctx, la_mat *A)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int m = blas_int(A->cols), size = 0;
    double *tau = NULL, *work = NULL;
    TRY(factor_columns(ctx, A, &tau, &work, &size));
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, blas_int(A->rows), m, m, A->v, blas_int(la_ld(A)), tau, work, size);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- the iteration ---- */

typedef struct {
    const la_mat *A;
    la_mat *V, *W, *X; /* n x block: the block, A times it, room */
    la_mat *T;         /* block x block */
    double *t, *ritz;  /* the same on the host; Ritz values, largest first */
} block;

static rung_status block_new(rung_ctx *ctx, const la_mat *A, int64_t width, block *b)
{
    *b = (block){.A = A};
    TRY(la_new(ctx, &ctx->scratch, A->rows, width, &b->V));
    TRY(la_new(ctx, &ctx->scratch, A->rows, width, &b->W));
    TRY(la_new(ctx, &ctx->scratch, A->rows, width, &b->X));
    TRY(la_new(ctx, &ctx->scratch, width, width, &b->T));
    TRY(NEW(ctx, &ctx->scratch, b->t, width * width));
    TRY(NEW(ctx, &ctx->scratch, b->ritz, width));
    rng r;
    rng_open(&r, 1, 0); /* any start will do: the result does not depend on it */
    for (int64_t i = 0; i < A->rows * width; i++) b->V->v[i] = rng_normal(&r);
    return orthonormal_block(ctx, b->V);
}

static void swap(la_mat **a, la_mat **b)
{
    la_mat *t = *a;
    *a = *b;
    *b = t;
}

/* V and W = A V turned so that V'A V is diagonal. */
static rung_status rayleigh_ritz(rung_ctx *ctx, block *b)
{
    TRY(la_gemm(ctx, false, false, 1, b->A, b->V, 0, b->W));
    TRY(la_gemm(ctx, true, false, 1, b->V, b->W, 0, b->T));
    la_get(b->T, b->t);
    TRY(la_small_eigen(ctx, blas_int(b->V->cols), b->t, NULL, b->ritz));
    la_put(b->t, b->T);
    TRY(la_gemm(ctx, false, false, 1, b->V, b->T, 0, b->X));
    swap(&b->V, &b->X);
    TRY(la_gemm(ctx, false, false, 1, b->W, b->T, 0, b->X));
    swap(&b->W, &b->X);
    return RUNG_OK;
}

static double largest_residual(const block *b, int64_t r)
{
    double worst = 0;
    for (int64_t j = 0; j < r; j++) {
        double sum = 0, *w = la_at(b->W, 0, j), *v = la_at(b->V, 0, j);
        for (int64_t i = 0; i < b->V->rows; i++) sum += (w[i] - b->ritz[j] * v[i]) * (w[i] - b->ritz[j] * v[i]);
        worst = fmax(worst, sum);
    }
    return sqrt(worst);
}

/* V := orthonormal basis of T_m(2 A / a - I) V by the three-term recurrence; W = A V is there already. */
static rung_status filter(rung_ctx *ctx, block *b)
{
    int64_t last = b->V->cols - 1;
    double a = fmax(b->ritz[last], 1e-14 * b->ritz[0]), reach = acosh(fmax(2 * b->ritz[0] / a - 1, 1));
    double degree = reach > 0 ? floor(log(GROWTH) / reach) : LARGEST_DEGREE;
    degree = fmin(fmax(degree, 1), LARGEST_DEGREE);
    TRY(la_scale_add(ctx, -1, b->V, 2 / a, b->W));
    for (int m = 1; m < (int)degree; m++) { /* V: degree m - 1, W: degree m */
        TRY(la_gemm(ctx, false, false, 4 / a, b->A, b->W, -1, b->V));
        TRY(la_scale_add(ctx, -2, b->W, 1, b->V));
        swap(&b->V, &b->W);
    }
    swap(&b->V, &b->W);
    return orthonormal_block(ctx, b->V);
}

static rung_status iterate(rung_ctx *ctx, const la_mat *A, int64_t r, double tolerance, double *values, la_mat *V,
                           bool *converged)
{
    pool_mark mark = pool_here(&ctx->scratch);
    block b;
    *converged = false;
    TRY(block_new(ctx, A, min64(2 * r + MORE, A->rows), &b));
    for (int k = 1;; k++) {
        TRY(rayleigh_ritz(ctx, &b));
        double top = b.ritz[0];
        *converged = largest_residual(&b, r) <= tolerance * top;
        if (*converged || !(top > 0) || b.ritz[b.V->cols - 1] < -1e-10 * top || k == ITERATIONS) break;
        TRY(filter(ctx, &b));
    }
    memcpy(values, b.ritz, (size_t)r * sizeof *values);
    for (int64_t j = 0; j < r; j++) memcpy(la_at(V, 0, j), la_at(b.V, 0, j), (size_t)A->rows * sizeof(double));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status la_leading(rung_ctx *ctx, const la_mat *A, int64_t r, double tolerance, double *values, la_mat *V,
                       bool *converged)
{
    bool done = false;
    if (converged || (A->rows > SMALL && r * FEW <= A->rows))
        TRY(iterate(ctx, A, r, tolerance, values, V, converged ? converged : &done));
    if (!converged && !done) {
        pool_mark mark = pool_here(&ctx->scratch);
        la_mat *copy = NULL;
        TRY(la_new(ctx, &ctx->scratch, A->rows, A->cols, &copy));
        TRY(la_gather(ctx, A, NULL, NULL, copy));
        TRY(la_eigen(ctx, copy, r, values, V));
        pool_release(&ctx->scratch, mark);
    }
    turn_columns(V);
    return RUNG_OK;
}
