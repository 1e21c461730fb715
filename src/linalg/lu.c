// SPDX-License-Identifier: BSD-3-Clause
/* lu.c - LU factorisation with partial pivoting on panels of fixed width, and triangular solves.
 *
 * A panel of columns is factored by LAPACK on one thread; then every later strip of the same width swaps its rows,
 * solves with the unit triangle and subtracts the product; the next panel is the first of them, and is factored while
 * the rest is updated. Each strip is written in the order of the panels, so its bits are the same for any assignment to
 * threads. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdatomic.h>

#include "linalg/internal.h"

enum { SOLVE_SIDE = 256, WIDE = 128 };

static int64_t panel_width(int64_t n) { return n > 2000 ? 256 : n > 500 ? 128 : 64; }

typedef struct {
    rung_ctx *ctx;
    la_mat *A;
    int64_t width;
    int *pivot;         /* within its panel until the end */
    atomic_llong where; /* 1-based column of the first zero pivot; 0: none */
} lu;

static int width_of(const lu *f, int64_t k) { return blas_int(min64(f->width, f->A->rows - k * f->width)); }

static void factor_panel(lu *f, int64_t k)
{
    if (stop_asked(f->ctx)) return;
    int64_t r = k * f->width, n = f->A->rows;
    int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, blas_int(n - r), width_of(f, k), la_at(f->A, r, r),
                                   blas_int(la_ld(f->A)), f->pivot + r);
    long long none = 0;
    for (int64_t i = r; i < r + width_of(f, k) && info == 0; i++)
        if (!isfinite(*la_at(f->A, i, i))) info = (int)(i - r + 1);
    if (info > 0) atomic_compare_exchange_strong(&f->where, &none, r + info);
}

static void swap_rows(const lu *f, int64_t k, int64_t strip)
{
    int64_t r = k * f->width;
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, width_of(f, strip), la_at(f->A, r, strip * f->width), blas_int(la_ld(f->A)),
                        1, width_of(f, k), f->pivot + r, 1);
}

static void update_strip(lu *f, int64_t k, int64_t strip)
{
    if (stop_asked(f->ctx)) return;
    int64_t r = k * f->width, c = strip * f->width, n = f->A->rows;
    int ld = blas_int(la_ld(f->A)), width = width_of(f, k), cols = width_of(f, strip);
    swap_rows(f, k, strip);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, cols, 1, la_at(f->A, r, r), ld,
                la_at(f->A, r, c), ld);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_int(n - r) - width, cols, width, -1,
                la_at(f->A, r + width, r), ld, la_at(f->A, r, c), ld, 1, la_at(f->A, r + width, c), ld);
}

rung_status la_getrf(rung_ctx *ctx, la_mat *A, int *pivot)
{
    double started = op_start();
    int64_t n = A->rows;
    lu f = {.ctx = ctx, .A = A, .width = panel_width(n), .pivot = pivot};
    int64_t strips = (n + f.width - 1) / f.width;
    factor_panel(&f, 0);
    for (int64_t k = 0; k < strips && !stop_asked(ctx); k++)
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (strips - k > 2)
        for (int64_t j = k + 1; j < strips; j++) {
            update_strip(&f, k, j);
            if (j == k + 1) factor_panel(&f, j); /* while the other strips are updated */
        }
    if (!stop_asked(ctx)) {
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (strips > 2)
        for (int64_t j = 0; j < strips; j++) /* row swaps of later panels, in the columns to their left */
            for (int64_t k = j + 1; k < strips; k++) swap_rows(&f, k, j);
        for (int64_t i = 0; i < n; i++) pivot[i] += blas_int(i / f.width * f.width);
    }
    op_done(ctx, OP_GETRF, 2.0 / 3 * (double)n * (double)n * (double)n, started);
    TRY(interrupted(ctx));
    long long where = atomic_load(&f.where);
    if (where)
        return set_error(ctx, RUNG_ESINGULAR, "a %lld x %lld matrix is singular (pivot %lld); use a larger ridge",
                         (long long)n, (long long)n, where);
    return RUNG_OK;
}

/* ---- solves ---- */

static CBLAS_UPLO uplo(const triangle *t) { return t->lower ? CblasLower : CblasUpper; }
static CBLAS_TRANSPOSE op(const triangle *t) { return t->transposed ? CblasTrans : CblasNoTrans; }
static CBLAS_DIAG diag(const triangle *t) { return t->unit ? CblasUnit : CblasNonUnit; }

/* One tile row at a time; the updates of the others run in parallel. */
static void solve_thin(rung_ctx *ctx, const triangle *t, int64_t k, double *B, int64_t ldb)
{
    int64_t n = t->n, tiles = (n + SOLVE_SIDE - 1) / SOLVE_SIDE;
    int ld = blas_int(la_ld(t->T)), cols = blas_int(k);
    bool forward = t->lower != t->transposed;
    for (int64_t s = 0; s < tiles && !stop_asked(ctx); s++) {
        int64_t tile = forward ? s : tiles - 1 - s, r = tile * SOLVE_SIDE, size = min64(SOLVE_SIDE, n - r);
        cblas_dtrsm(CblasColMajor, CblasLeft, uplo(t), op(t), diag(t), blas_int(size), cols, 1, la_at(t->T, r, r), ld,
                    B + r, blas_int(ldb));
        int64_t first = forward ? tile + 1 : 0, last = forward ? tiles : tile;
#pragma omp parallel for num_threads(ctx->threads)                                                                     \
    schedule(dynamic) if ((last - first) * SOLVE_SIDE * size * k > WORTH_WAKING)
        for (int64_t i = first; i < last; i++) {
            int64_t at = i * SOLVE_SIDE;
            cblas_dgemm(CblasColMajor, op(t), CblasNoTrans, blas_int(min64(SOLVE_SIDE, n - at)), cols, blas_int(size),
                        -1, t->transposed ? la_at(t->T, r, at) : la_at(t->T, at, r), ld, B + r, blas_int(ldb), 1,
                        B + at, blas_int(ldb));
        }
    }
}

static void solve_wide(rung_ctx *ctx, const triangle *t, int64_t k, double *B, int64_t ldb)
{
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic)
    for (int64_t j = 0; j < k; j += WIDE)
        if (!stop_asked(ctx))
            cblas_dtrsm(CblasColMajor, CblasLeft, uplo(t), op(t), diag(t), blas_int(t->n), blas_int(min64(WIDE, k - j)),
                        1, t->T->v, blas_int(la_ld(t->T)), B + j * ldb, blas_int(ldb));
}

void triangle_solve(rung_ctx *ctx, const triangle *t, int64_t k, double *B, int64_t ldb)
{
    if (k > WIDE)
        solve_wide(ctx, t, k, B, ldb);
    else
        solve_thin(ctx, t, k, B, ldb);
}

rung_status la_trsm(rung_ctx *ctx, const la_mat *L, bool transposed, la_mat *B)
{
    double started = op_start();
    triangle t = {.T = L, .n = B->rows, .lower = true, .transposed = transposed};
    triangle_solve(ctx, &t, B->cols, B->v, la_ld(B));
    op_done(ctx, OP_TRSM, (double)B->rows * (double)B->rows * (double)B->cols, started);
    return interrupted(ctx);
}

/* Permutes rows as in the factorisation, or back. */
static void swap_columns_rows(rung_ctx *ctx, int64_t n, const int *pivot, bool back, int64_t k, double *B, int64_t ldb)
{
    int64_t step = 64;
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (k > 64)
    for (int64_t j = 0; j < k; j += step)
        LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, blas_int(min64(step, k - j)), B + j * ldb, blas_int(ldb), 1, blas_int(n),
                            pivot, back ? -1 : 1);
}

static rung_status lu_solve(rung_ctx *ctx, const la_mat *LU, const int *pivot, bool transposed, int64_t k, double *B,
                            int64_t ldb)
{
    double started = op_start();
    int64_t n = LU->rows;
    triangle first = {.T = LU, .n = n, .lower = !transposed, .transposed = transposed, .unit = !transposed};
    triangle second = {.T = LU, .n = n, .lower = transposed, .transposed = transposed, .unit = transposed};
    if (!transposed) swap_columns_rows(ctx, n, pivot, false, k, B, ldb);
    triangle_solve(ctx, &first, k, B, ldb);
    triangle_solve(ctx, &second, k, B, ldb);
    if (transposed) swap_columns_rows(ctx, n, pivot, true, k, B, ldb);
    op_done(ctx, OP_GETRS, 2.0 * (double)n * (double)n * (double)k, started);
    return interrupted(ctx);
}

rung_status la_getrs(rung_ctx *ctx, const la_mat *LU, const int *pivot, bool transposed, int64_t k, double *B)
{
    return lu_solve(ctx, LU, pivot, transposed, k, B, la_ld(LU));
}

rung_status la_getrs_wide(rung_ctx *ctx, const la_mat *LU, const int *pivot, bool transposed, la_mat *B)
{
    return lu_solve(ctx, LU, pivot, transposed, B->cols, B->v, la_ld(B));
}
