// SPDX-License-Identifier: BSD-3-Clause
/* chol.c - Cholesky on tiles.
 *
 * Right-looking: factor a diagonal tile, solve the tiles below it, update the rest. Each tile is written by one chain
 * of updates in the order k = 0, 1, ..., so its bits are the same for any assignment to threads. Loops instead of
 * tasks: LLVM's OpenMP leaks the memory of tasks when the calling thread ends, and they would not be faster. */
#include <cblas.h>
#include <lapacke.h>
#include <stdatomic.h>

#include "linalg/internal.h"

int64_t tile_side(int64_t n) { return n > 6000 ? 768 : n > 3000 ? 512 : 256; }

typedef struct {
    rung_ctx *ctx;
    la_mat *A;
    int64_t side;
    atomic_llong pivot; /* 1-based row where the factorisation failed; 0: none */
} chol;

static double *tile(const chol *c, int64_t i, int64_t j) { return la_at(c->A, i * c->side, j * c->side); }
static int side_of(const chol *c, int64_t i) { return blas_int(min64(c->side, c->A->rows - i * c->side)); }
static bool stopped(chol *c) { return atomic_load(&c->pivot) != 0 || stop_asked(c->ctx); }

static void factor(chol *c, int64_t k)
{
    if (stopped(c)) return;
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', side_of(c, k), tile(c, k, k), blas_int(la_ld(c->A)));
    if (info > 0) atomic_store(&c->pivot, k * c->side + info);
}

static void solve(chol *c, int64_t i, int64_t k) /* A_ik := A_ik L_kk^-T */
{
    if (stopped(c)) return;
    int ld = blas_int(la_ld(c->A));
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, side_of(c, i), side_of(c, k), 1,
                tile(c, k, k), ld, tile(c, i, k), ld);
}

static void update(chol *c, int64_t i, int64_t j, int64_t k) /* A_ij -= A_ik A_jk' */
{
    if (stopped(c)) return;
    int ld = blas_int(la_ld(c->A));
    if (i == j)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, side_of(c, i), side_of(c, k), -1, tile(c, i, k), ld, 1,
                    tile(c, i, i), ld);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, side_of(c, i), side_of(c, j), side_of(c, k), -1,
                    tile(c, i, k), ld, tile(c, j, k), ld, 1, tile(c, i, j), ld);
}

rung_status la_potrf(rung_ctx *ctx, la_mat *A)
{
    double started = op_start();
    chol c = {.ctx = ctx, .A = A, .side = tile_side(A->rows)};
    int64_t n = A->rows, tiles = (n + c.side - 1) / c.side;
    for (int64_t k = 0; k < tiles && !stopped(&c); k++) {
        int64_t below = tiles - k - 1, pairs = below * (below + 1) / 2;
        factor(&c, k);
#pragma omp parallel num_threads(ctx->threads) if (below > 1)
        {
#pragma omp for schedule(dynamic)
            for (int64_t i = k + 1; i < tiles; i++) solve(&c, i, k);
#pragma omp for schedule(dynamic)
            for (int64_t t = 0; t < pairs; t++) {
                int64_t i, j;
                lower_tile(t, &i, &j);
                update(&c, k + 1 + i, k + 1 + j, k);
            }
        }
    }
    op_done(ctx, OP_POTRF, (double)n * (double)n * (double)n / 3, started);
    TRY(interrupted(ctx));
    long long pivot = atomic_load(&c.pivot);
    if (pivot)
        return set_error(ctx, RUNG_ESINGULAR,
                         "a %lld x %lld matrix is not positive definite (pivot %lld); use a larger ridge", (long long)n,
                         (long long)n, pivot);
    return RUNG_OK;
}

/* Forward, then backward substitution, a tile row at a time; the products with the rest run in parallel. */
rung_status la_potrs(rung_ctx *ctx, const la_mat *L, int64_t k, double *B)
{
    double started = op_start();
    int64_t n = L->rows, side = tile_side(n), tiles = (n + side - 1) / side;
    int ld = blas_int(la_ld(L)), ldb = blas_int(n > 0 ? n : 1), kk = blas_int(k);
    for (int64_t t = 0; t < tiles; t++) {
        TRY(interrupted(ctx));
        int64_t r = t * side, size = min64(side, n - r);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, blas_int(size), kk, 1,
                    la_at(L, r, r), ld, B + r, ldb);
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if ((n - r) * size * k > WORTH_WAKING)
        for (int64_t i = t + 1; i < tiles; i++)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_int(min64(side, n - i * side)), kk,
                        blas_int(size), -1, la_at(L, i * side, r), ld, B + r, ldb, 1, B + i * side, ldb);
    }
    for (int64_t t = tiles - 1; t >= 0; t--) {
        TRY(interrupted(ctx));
        int64_t r = t * side, size = min64(side, n - r);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, blas_int(size), kk, 1,
                    la_at(L, r, r), ld, B + r, ldb);
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (r * size * k > WORTH_WAKING)
        for (int64_t i = 0; i < t; i++)
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(side), kk, blas_int(size), -1,
                        la_at(L, r, i * side), ld, B + r, ldb, 1, B + i * side, ldb);
    }
    op_done(ctx, OP_POTRS, 2.0 * (double)n * (double)n * (double)k, started);
    return RUNG_OK;
}

void la_trmm_tail(const la_mat *L, int64_t m, bool transposed, int64_t k, double *B)
{
    int64_t r = L->rows - m;
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, blas_int(m),
                blas_int(k), 1, la_at(L, r, r), blas_int(la_ld(L)), B, blas_int(m > 0 ? m : 1));
}

/* Column tile j of L^-1, in place: Z_jj = L_jj^-1, Z_ij = -L_ii^-1 sum_{j <= p < i} L_ip Z_pj. */
static void invert_column(const la_mat *L, la_mat *Z, int64_t side, int64_t j)
{
    int64_t n = L->rows, tiles = (n + side - 1) / side;
    int ld = blas_int(la_ld(L)), cols = blas_int(min64(side, n - j * side));
    for (int64_t i = j; i < tiles; i++) {
        int rows = blas_int(min64(side, n - i * side));
        double *z = la_at(Z, i * side, j * side);
        for (int64_t c = 0; c < cols; c++)
            for (int64_t r = 0; r < rows; r++) z[r + c * ld] = i == j && r == c ? 1 : 0;
        for (int64_t p = j; p < i; p++)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, cols, blas_int(side), -1,
                        la_at(L, i * side, p * side), ld, la_at(Z, p * side, j * side), ld, 1, z, ld);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rows, cols, 1,
                    la_at(L, i * side, i * side), ld, z, ld);
    }
}

/* (A^-1)_jj = |Z_j|^2. Small tiles: above the diagonal there are only zeros, and a tile on it is treated as full. */
rung_status la_inverse_diagonal(rung_ctx *ctx, const la_mat *L, double *diagonal)
{
    enum { SIDE = 64 };
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = L->rows, tiles = (n + SIDE - 1) / SIDE;
    la_mat *Z = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, &Z));
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (n > tile_side(n))
    for (int64_t j = 0; j < tiles; j++) {
        if (stop_asked(ctx)) continue;
        invert_column(L, Z, SIDE, j);
        for (int64_t c = j * SIDE; c < min64((j + 1) * SIDE, n); c++) {
            const double *z = la_at(Z, 0, c);
            diagonal[c] = 0;
            for (int64_t r = j * SIDE; r < n; r++) diagonal[c] += z[r] * z[r];
        }
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_INVERSE_DIAGONAL, (double)n * (double)n * (double)n / 3, started);
    return interrupted(ctx);
}

/* A^-1 = Z'Z with Z = L^-1, tile by tile; the upper tiles are the transposes of the lower ones. */
rung_status la_potri(rung_ctx *ctx, la_mat *A)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = A->rows, side = tile_side(n), tiles = (n + side - 1) / side;
    int ld = blas_int(la_ld(A));
    la_mat *Z = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, &Z));
#pragma omp parallel num_threads(ctx->threads) if (tiles > 1)
    {
#pragma omp for schedule(dynamic)
        for (int64_t j = 0; j < tiles; j++)
            if (!stop_asked(ctx)) invert_column(A, Z, side, j);
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < tiles * tiles; t++) {
            int64_t i = t / tiles, j = t % tiles;
            if (j > i || stop_asked(ctx)) continue;
            int rows = blas_int(min64(side, n - i * side)), cols = blas_int(min64(side, n - j * side));
            double *a = la_at(A, i * side, j * side);
            int depth = blas_int(n - i * side); /* rows i.. of Z: above them tile column i of Z is zero */
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, cols, depth, 1, la_at(Z, i * side, i * side), ld,
                        la_at(Z, i * side, j * side), ld, 0, a, ld);
            for (int64_t c = 0; c < cols; c++)
                for (int64_t r = i == j ? c + 1 : 0; r < rows; r++)
                    *la_at(A, j * side + c, i * side + r) = a[r + c * ld];
        }
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_POTRI, 2.0 / 3 * (double)n * (double)n * (double)n, started);
    return interrupted(ctx);
}
