// SPDX-License-Identifier: BSD-3-Clause
/* landmark_sums.c - sums over many rows for a linear method in feature space: second moments and quadratic forms of a
 * sparse matrix, m x m. Features are cheap to recompute (a kernel column and a triangular solve), while storing n x m
 * of them may be impossible. If the landmarks allow it, the triangular solve is done once, after the sum. */
#include <math.h>
#include <string.h>

#include "kernel/landmark.h"

enum { TILE = LANDMARK_TILE };

double landmark_room(double memory)
{
    const double usual = 3e9;
    return memory > 0 ? fmin(memory / 3, usual) : usual;
}

static int64_t tile_end(int64_t first, int64_t n) { return n - first < TILE ? n : first + TILE; }

static rung_status copy_rows(rung_ctx *ctx, int64_t d, const grouped_rows *r, double **out)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, d * r->count));
    for (int64_t i = 0; i < r->count; i++) memcpy(*out + i * d, r->X + r->rows[i] * d, (size_t)d * sizeof **out);
    return RUNG_OK;
}

/* Phi of the rows of a tile, or their kernel columns: in r->room or in scratch memory. */
static rung_status features_of(rung_ctx *ctx, const landmarks *l, bool solved, const grouped_rows *r, la_mat **out)
{
    double *Z;
    TRY(copy_rows(ctx, l->d, r, &Z));
    *out = r->room;
    if (*out)
        la_narrow(*out, r->count);
    else
        TRY(la_new(ctx, &ctx->scratch, l->m, r->count, out));
    return solved ? landmarks_features(ctx, l, r->count, Z, *out) : landmarks_columns(ctx, l, 0, r->count, Z, *out);
}

/* F -= x 1'. */
static rung_status subtract(rung_ctx *ctx, const double *x, la_mat *F)
{
    la_mat *left = NULL, *right = NULL;
    double *ones = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(F), 1, &left));
    TRY(la_new(ctx, &ctx->scratch, 1, la_cols(F), &right));
    TRY(NEW_RAW(ctx, &ctx->scratch, ones, la_cols(F)));
    for (int64_t i = 0; i < la_cols(F); i++) ones[i] = 1;
    la_put(x, left);
    la_put(ones, right);
    return la_gemm(ctx, false, false, -1, left, right, 1, F);
}

/* Memberships (rows x groups) times weights, and roots of the weights. */
static rung_status memberships(rung_ctx *ctx, const grouped_rows *r, double **E, double **root)
{
    int64_t t = r->count;
    TRY(NEW(ctx, &ctx->scratch, *E, t * r->groups));
    TRY(NEW_RAW(ctx, &ctx->scratch, *root, t));
    for (int64_t i = 0; i < t; i++) {
        int64_t at = r->rows[i];
        double w = r->weight ? r->weight[at] : 1;
        for (int g = 0; g < r->groups && !r->group; g++) (*E)[i + g * t] = w * r->member[at + g * r->columns];
        if (r->group) (*E)[i + (r->group[at] - 1) * t] = w;
        (*root)[i] = sqrt(w);
    }
    return RUNG_OK;
}

/* S and sums of a tile of features or kernel columns. */
static rung_status add_double(rung_ctx *ctx, const landmarks *l, bool solved, const grouped_rows *r, int sign,
                              la_mat *S, double *sums)
{
    double *E, *root;
    la_mat *F = NULL;
    TRY(memberships(ctx, r, &E, &root));
    TRY(features_of(ctx, l, solved, r, &F));
    if (r->shift) TRY(subtract(ctx, r->shift, F));
    TRY(la_mul(ctx, sign, F, r->groups, E, 1, sums));
    if (!S) return RUNG_OK;
    if (r->weight) TRY(la_scale(ctx, NULL, root, F));
    return la_syrk(ctx, false, sign, F, 1, S);
}

/* The same of kernel columns in single precision. */
static rung_status add_single(rung_ctx *ctx, const landmarks *l, const grouped_rows *r, la_mat *S, double *sums)
{
    la_map map = kernel_map(&l->k);
    la_single_sums all = {.map = &map, .shift = r->shift, .groups = r->groups, .sums = sums, .C = S};
    la_mat *X = NULL, *Z = NULL;
    double *rows, *E, *root;
    TRY(memberships(ctx, r, &E, &root));
    TRY(copy_rows(ctx, l->d, r, &rows));
    TRY(kernel_place(ctx, &l->k, l->d, l->m, l->X, l->origin, &X));
    TRY(kernel_place(ctx, &l->k, l->d, r->count, rows, l->origin, &Z));
    all.X = X;
    all.Z = Z;
    all.E = E;
    all.scale = r->weight ? root : NULL;
    return la_cross_sums(ctx, &all);
}

rung_status landmarks_add_moments(rung_ctx *ctx, const landmarks *l, bool solved, const grouped_rows *r, int sign,
                                  la_mat *S, double *sums)
{
    for (int64_t first = 0; first < r->count; first = tile_end(first, r->count)) {
        pool_mark mark = pool_here(&ctx->scratch);
        grouped_rows tile = *r;
        tile.rows += first;
        tile.count = tile_end(first, r->count) - first;
        TRY(interrupted(ctx));
        TRY(r->single ? add_single(ctx, l, &tile, S, sums) : add_double(ctx, l, solved, &tile, sign, S, sums));
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

rung_status landmarks_solve_sums(rung_ctx *ctx, const landmarks *l, int groups, double *sums)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *B = NULL;
    TRY(la_new(ctx, &ctx->scratch, l->m, groups, &B));
    la_put(sums, B);
    TRY(la_trsm(ctx, l->R, false, B));
    la_get(B, sums);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status landmarks_solve_moments(rung_ctx *ctx, const landmarks *l, int groups, la_mat *S, double *sums)
{
    TRY(landmarks_solve_sums(ctx, l, groups, sums));
    return landmarks_solve_sum(ctx, l, S);
}

rung_status landmarks_moments(rung_ctx *ctx, const landmarks *l, const grouped_rows *r, int sign, la_mat *S,
                              double *sums)
{
    int64_t m = l->m, groups = r->groups;
    if (!l->steady || r->count <= 2 * m) return landmarks_add_moments(ctx, l, true, r, sign, S, sums);
    pool_mark mark = pool_here(&ctx->scratch);
    double *zeros = NULL, *part = NULL;
    la_mat *M = NULL;
    TRY(NEW(ctx, &ctx->scratch, zeros, m * m));
    TRY(NEW(ctx, &ctx->scratch, part, m * groups));
    TRY(la_new(ctx, &ctx->scratch, m, m, &M));
    la_put(zeros, M);
    pool_free(&ctx->scratch, zeros);
    TRY(landmarks_add_moments(ctx, l, false, r, sign, M, part));
    TRY(landmarks_solve_moments(ctx, l, (int)groups, M, part));
    for (int64_t i = 0; i < m * groups; i++) sums[i] += part[i];
    TRY(la_scale_add(ctx, 1, M, 1, S));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The rows c0 .. of Phi, as many as F has, over some columns of X; or of the kernel columns if these suffice. */
static rung_status features_from(rung_ctx *ctx, const landmarks *l, int64_t c0, int64_t n, const double *X, la_mat *F)
{
    if (l->steady) return landmarks_columns(ctx, l, c0, n, X, F);
    if (c0 == 0) return landmarks_features(ctx, l, n, X, F);
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *Phi = NULL; /* later features do not matter to earlier ones, earlier ones do to later ones */
    TRY(la_new(ctx, &ctx->scratch, c0 + la_rows(F), n, &Phi));
    TRY(landmarks_features(ctx, l, n, X, Phi));
    TRY(la_put_columns(ctx, Phi, c0, F, 0));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* A matrix for a tile: that of the previous tile if it has the same width. New memory costs as much as filling it. */
static rung_status tile_room(rung_ctx *ctx, int64_t rows, int64_t cols, la_mat **A)
{
    if (*A && la_cols(*A) == cols) return RUNG_OK;
    if (*A) la_free(&ctx->scratch, *A);
    return la_new(ctx, &ctx->scratch, rows, cols, A);
}

static rung_status feature_block(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, int64_t c0,
                                 la_mat *block)
{
    la_mat *F = NULL;
    for (int64_t first = 0; first < n; first = tile_end(first, n)) {
        int64_t t = tile_end(first, n) - first;
        TRY(interrupted(ctx));
        TRY(tile_room(ctx, la_rows(block), t, &F));
        TRY(features_from(ctx, l, c0, t, X + first * l->d, F));
        TRY(la_put_columns(ctx, F, 0, block, first));
    }
    la_free(&ctx->scratch, F);
    return RUNG_OK;
}

static rung_status some_columns(rung_ctx *ctx, const la_mat *A, int64_t first, la_mat *out)
{
    int64_t columns[TILE];
    for (int64_t j = 0; j < la_cols(out); j++) columns[j] = first + j;
    return la_gather(ctx, A, NULL, columns, out);
}

/* part (w x (c0 + w)) = block A F', F the first c0 + w features. */
static rung_status block_products(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, const la_csr *A,
                                  int64_t c0, const la_mat *block, la_mat *part)
{
    int64_t w = la_rows(block);
    la_mat *F = NULL, *Y = NULL;
    for (int64_t first = 0; first < n; first = tile_end(first, n)) {
        int64_t t = tile_end(first, n) - first;
        TRY(interrupted(ctx));
        TRY(tile_room(ctx, w, t, &Y));
        TRY(tile_room(ctx, c0 + w, t, &F));
        TRY(la_mul_csr(ctx, block, A, first, Y));
        if (c0 == 0)
            TRY(some_columns(ctx, block, first, F));
        else
            TRY(features_from(ctx, l, 0, t, X + first * l->d, F));
        TRY(la_gemm(ctx, false, true, 1, Y, F, first > 0, part));
    }
    la_free(&ctx->scratch, F);
    la_free(&ctx->scratch, Y);
    return RUNG_OK;
}

/* Rows c0 .. of M left of and in the diagonal block, and their mirror image. */
static rung_status put_symmetric(rung_ctx *ctx, int64_t m, int64_t c0, const la_mat *part, double *M)
{
    int64_t w = la_rows(part);
    double *values = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, w * (c0 + w)));
    la_get(part, values);
    for (int64_t j = 0; j < c0 + w; j++)
        for (int64_t i = 0; i < w; i++) {
            double v = values[i + j * w];
            if (j >= c0) v = (v + values[j - c0 + (c0 + i) * w]) / 2; /* symmetric to the bit */
            M[c0 + i + j * m] = M[j + (c0 + i) * m] = v;
        }
    return RUNG_OK;
}

rung_status landmarks_quadratic(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, const la_csr *A,
                                double room, la_mat *M)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = l->m, width = (int64_t)(room / (8 * (double)n));
    double *values = NULL;
    width = width < 32 ? 32 : width > m ? m : width;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, m * m));
    for (int64_t c0 = 0; c0 < m; c0 += width) {
        pool_mark here = pool_here(&ctx->scratch);
        int64_t w = m - c0 < width ? m - c0 : width;
        la_mat *block = NULL, *part = NULL;
        TRY(la_new(ctx, &ctx->scratch, w, n, &block));
        TRY(la_new(ctx, &ctx->scratch, w, c0 + w, &part));
        TRY(feature_block(ctx, l, n, X, c0, block));
        TRY(block_products(ctx, l, n, X, A, c0, block, part));
        TRY(put_symmetric(ctx, m, c0, part, values));
        pool_release(&ctx->scratch, here);
        progress(ctx, "graph over the landmarks", (double)(c0 + w) / (double)m);
    }
    la_put(values, M);
    pool_release(&ctx->scratch, mark);
    return l->steady ? landmarks_solve_sum(ctx, l, M) : RUNG_OK;
}

/* A block of features as large as there is room for; the sums, theirs of a block and on the host; tiles. */
double landmarks_quadratic_bytes(int64_t d, int64_t n, int64_t m, double memory)
{
    double rows = (double)n, w = (double)m, tile = fmin(rows, TILE);
    double block = fmin(rows * w, fmax(32 * rows, landmark_room(memory) / 8));
    return 8 * (block + 3 * w * w + tile * (2 * w + 2 * (double)d));
}
