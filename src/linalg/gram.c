// SPDX-License-Identifier: BSD-3-Clause
/* gram.c - kernel matrices as one product and a map.
 *
 * Tiles of inner products come from gemm (syrk on the diagonal) and are mapped while they are in cache. Distances are
 * |x|^2 + |z|^2 - 2 x'z, clipped at 0; callers centre the columns first, which keeps the cancellation small. */
#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "linalg/internal.h"

enum {
    TILE = 384,        /* a Gram tile of doubles is 1.1 MiB: it is mapped from the second-level cache */
    EXPAND_ROWS = 256, /* rows of a prediction tile ... */
    EXPAND_UNIT = 32,  /* ... padded to this, so that the bits of a row do not depend on the batch */
    EXPAND_FEW = 4,    /* so few rows are summed along the coefficients */
    EXPAND_TERMS = 512
};

bool map_uses_distance(const la_map *map) { return map->kind != LA_DOT && map->kind != LA_POLY; }

void map_distance_run(const la_map *map, int64_t n, const double *d2, double *y)
{
    switch (map->kind) {
    case LA_EXP_SQ: exp_scaled(n, -map->gamma, d2, y); break;
    case LA_EXP_NORM:
        for (int64_t i = 0; i < n; i++) y[i] = sqrt(d2[i]);
        exp_scaled(n, -map->gamma, y, y);
        break;
    default:
        if (y != d2) memcpy(y, d2, (size_t)n * sizeof *y);
        break;
    }
}

static double integer_power(double x, int k)
{
    double y = 1;
    for (; k; k >>= 1, x *= x)
        if (k & 1) y *= x;
    return y;
}

#define NEARLY_EQUAL 1e-8 /* as a share of the squared norms */

/* Inner products become squared distances; small: some are so small that their rounding errors matter. */
#define DISTANCE_BODY                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        double both = pair->nx[i] + pair->nz, d2 = both - 2 * g[i];                                                    \
        d2 = d2 > 0 ? d2 : 0;                                                                                          \
        g[i] = d2;                                                                                                     \
        small |= d2 <= NEARLY_EQUAL * both;                                                                            \
    }

static bool distances_plain(int64_t n, const map_pair *pair, double *g)
{
    int small = 0;
#pragma omp simd reduction(| : small)
    DISTANCE_BODY
    return small != 0;
}

#ifdef WIDE_512
WIDE_256 static bool distances_256(int64_t n, const map_pair *pair, double *g)
{
    int small = 0;
#pragma omp simd reduction(| : small)
    DISTANCE_BODY
    return small != 0;
}

WIDE_512 static bool distances_512(int64_t n, const map_pair *pair, double *g)
{
    int small = 0;
#pragma omp simd reduction(| : small)
    DISTANCE_BODY
    return small != 0;
}

static bool distances(int64_t n, const map_pair *pair, double *g)
{
    if (has_512()) return distances_512(n, pair, g);
    return has_256() ? distances_256(n, pair, g) : distances_plain(n, pair, g);
}
#else
static bool distances(int64_t n, const map_pair *pair, double *g) { return distances_plain(n, pair, g); }
#endif

/* |x|^2 + |z|^2 - 2 x'z has an error of about 1e-16 |x|^2, which matters only if the points nearly coincide: then the
 * distance is summed directly. Duplicates are thus at distance exactly 0, and a square root does not turn 1e-16 into
 * 1e-8. */
static void refine_small(int64_t n, const map_pair *pair, double *d2)
{
    for (int64_t i = 0; i < n; i++) {
        if (d2[i] > NEARLY_EQUAL * (pair->nx[i] + pair->nz)) continue;
        d2[i] = 0;
        for (int64_t j = 0; j < pair->d; j++) {
            double difference = pair->x[j + i * pair->d] - pair->z[j];
            d2[i] += difference * difference;
        }
    }
}

void map_run(const la_map *map, int64_t n, const map_pair *pair, double *g)
{
    if (map_uses_distance(map)) {
        if (distances(n, pair, g)) refine_small(n, pair, g);
        map_distance_run(map, n, g, g);
    } else if (map->kind == LA_POLY) {
        for (int64_t i = 0; i < n; i++) g[i] = integer_power(map->gamma * g[i] + map->coef0, map->degree);
    }
}

double map_diagonal(const la_map *map, double dot)
{
    if (map->kind == LA_SQDIST) return 0;
    if (map_uses_distance(map)) return 1;
    return map->kind == LA_POLY ? integer_power(map->gamma * dot + map->coef0, map->degree) : dot;
}

rung_status squared_norms(rung_ctx *ctx, const la_mat *X, double **out)
{
    double *norm = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, norm, X->cols));
    for (int64_t j = 0; j < X->cols; j++) {
        double s = 0;
        for (int64_t i = 0; i < X->rows; i++) s += *la_at(X, i, j) * *la_at(X, i, j);
        norm[j] = s;
    }
    *out = norm;
    return RUNG_OK;
}

static double map_flops(const la_map *map) { return map->kind == LA_DOT ? 0 : map_uses_distance(map) ? 20 : 4; }

void mirror_tile(la_mat *K, int64_t i0, int64_t rows, int64_t j0, int64_t cols)
{
    enum { SMALL = 32 };
    for (int64_t jj = j0; jj < j0 + cols; jj += SMALL)
        for (int64_t ii = i0; ii < i0 + rows; ii += SMALL)
            for (int64_t i = ii; i < min64(ii + SMALL, i0 + rows); i++)
                for (int64_t j = jj; j < min64(min64(jj + SMALL, j0 + cols), i); j++) *la_at(K, j, i) = *la_at(K, i, j);
}

rung_status la_gram(rung_ctx *ctx, const la_mat *X, const la_map *map, la_mat *K)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = X->cols, tiles = (n + TILE - 1) / TILE, pairs = tiles * (tiles + 1) / 2;
    int d = blas_int(X->rows), ldx = blas_int(la_ld(X)), ldk = blas_int(la_ld(K));
    double *norm = NULL;
    TRY(squared_norms(ctx, X, &norm));
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (pairs > 1)
    for (int64_t p = 0; p < pairs; p++) {
        if (stop_asked(ctx)) continue;
        int64_t bi = (int64_t)((sqrt(8.0 * (double)p + 1) - 1) / 2); /* p = bi (bi+1)/2 + bj */
        while (bi * (bi + 1) / 2 > p) bi--;
        while ((bi + 1) * (bi + 2) / 2 <= p) bi++;
        int64_t bj = p - bi * (bi + 1) / 2, i0 = bi * TILE, j0 = bj * TILE;
        int64_t rows = min64(TILE, n - i0), cols = min64(TILE, n - j0);
        if (bi == bj)
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, blas_int(rows), d, 1, la_at(X, 0, i0), ldx, 0,
                        la_at(K, i0, i0), ldk);
        else
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(rows), blas_int(cols), d, 1, la_at(X, 0, i0),
                        ldx, la_at(X, 0, j0), ldx, 0, la_at(K, i0, j0), ldk);
        for (int64_t j = 0; j < cols; j++) {
            int64_t from = bi == bj ? j : 0; /* a diagonal tile is mapped below its diagonal */
            map_pair pair = {X->rows, la_at(X, 0, i0 + from), la_at(X, 0, j0 + j), norm + i0 + from, norm[j0 + j]};
            map_run(map, rows - from, &pair, la_at(K, i0 + from, j0 + j));
            if (bi == bj) *la_at(K, i0 + j, i0 + j) = map_diagonal(map, norm[i0 + j]);
        }
        mirror_tile(K, i0, rows, j0, cols);
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_GRAM, (double)n * (double)n * ((double)d + map_flops(map) / 2), started);
    return interrupted(ctx);
}

rung_status la_cross(rung_ctx *ctx, const la_mat *X, const la_mat *Z, const la_map *map, la_mat *K)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = X->cols, m = Z->cols, across = (m + TILE - 1) / TILE, tiles = (n + TILE - 1) / TILE * across;
    int d = blas_int(X->rows), ld = blas_int(la_ld(X)), ldk = blas_int(la_ld(K));
    double *nx = NULL, *nz = NULL;
    TRY(squared_norms(ctx, X, &nx));
    TRY(squared_norms(ctx, Z, &nz));
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        if (stop_asked(ctx)) continue;
        int64_t i0 = t / across * TILE, j0 = t % across * TILE, rows = min64(TILE, n - i0), cols = min64(TILE, m - j0);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(rows), blas_int(cols), d, 1, la_at(X, 0, i0), ld,
                    la_at(Z, 0, j0), ld, 0, la_at(K, i0, j0), ldk);
        for (int64_t j = 0; j < cols; j++) {
            map_pair pair = {X->rows, la_at(X, 0, i0), la_at(Z, 0, j0 + j), nx + i0, nz[j0 + j]};
            map_run(map, rows, &pair, la_at(K, i0, j0 + j));
        }
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_CROSS, (double)n * (double)m * (2.0 * d + map_flops(map)), started);
    return interrupted(ctx);
}

/* What one thread needs for a tile of la_expand. */
typedef struct {
    double *x;      /* d x tall: rows of X, padded with zeros */
    double *nx, *f; /* tall; tall x o */
    double *g;      /* tall x EXPAND_TERMS */
} expand_room;

typedef struct { /* F (n x o) = map(X, Z) C */
    const la_mat *X, *Z;
    const double *norm_x, *norm_z; /* squared norms of their columns */
    const la_map *map;
    int64_t o, tall; /* tall: rows of a tile, EXPAND_ROWS or, if there are few, EXPAND_UNIT */
    const double *C;
    double *F;
} expansion;

/* f += g C' of a few rows: along the columns of C, in the same order of terms as for many. */
static void add_few(const expansion *e, int64_t rows, int64_t j0, int64_t cols, const expand_room *room)
{
    int64_t m = e->Z->cols, tall = e->tall;
    for (int64_t c = 0; c < e->o; c++)
        for (int64_t i = 0; i < rows; i++) {
            const double *g = room->g + i, *a = e->C + j0 + c * m;
            double f = room->f[i + c * tall];
            for (int64_t j = 0; j < cols; j++) f += a[j] * g[j * tall];
            room->f[i + c * tall] = f;
        }
}

/* The rows of F from i0 on. */
static void expand_tile(const expansion *e, int64_t i0, const expand_room *room)
{
    const la_mat *X = e->X, *Z = e->Z;
    int64_t n = X->cols, m = Z->cols, d = X->rows, o = e->o, tall = e->tall;
    int64_t rows = min64(tall, n - i0), padded = (rows + EXPAND_UNIT - 1) / EXPAND_UNIT * EXPAND_UNIT;
    memset(room->x, 0, (size_t)(d * padded) * sizeof(double));
    memset(room->nx, 0, (size_t)padded * sizeof(double));
    memset(room->f, 0, (size_t)(tall * o) * sizeof(double));
    memcpy(room->x, la_at(X, 0, i0), (size_t)(d * rows) * sizeof(double));
    memcpy(room->nx, e->norm_x + i0, (size_t)rows * sizeof(double));
    for (int64_t j0 = 0; j0 < m; j0 += EXPAND_TERMS) {
        int64_t cols = min64(EXPAND_TERMS, m - j0);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(padded), blas_int(cols), blas_int(d), 1, room->x,
                    blas_int(la_ld(X)), la_at(Z, 0, j0), blas_int(la_ld(Z)), 0, room->g, blas_int(tall));
        for (int64_t j = 0; j < cols; j++) {
            double *g = room->g + j * tall;
            map_pair pair = {d, room->x, la_at(Z, 0, j0 + j), room->nx, e->norm_z[j0 + j]};
            map_run(e->map, padded, &pair, g);
            for (int64_t c = 0; c < o && rows > EXPAND_FEW; c++) {
                double *f = room->f + c * tall, a = e->C[j0 + j + c * m];
                for (int64_t i = 0; i < padded; i++) f[i] += a * g[i];
            }
        }
        if (rows <= EXPAND_FEW) add_few(e, rows, j0, cols, room);
    }
    for (int64_t c = 0; c < o; c++) memcpy(e->F + i0 + c * n, room->f + c * tall, (size_t)rows * sizeof(double));
}

static int64_t tile_rows(int64_t n) { return n <= EXPAND_UNIT ? EXPAND_UNIT : EXPAND_ROWS; }

static int threads_for(int64_t n, int threads)
{
    int64_t tiles = (n + EXPAND_ROWS - 1) / EXPAND_ROWS;
    return (int)min64(threads, tiles > 0 ? tiles : 1);
}

double la_expand_bytes(int64_t n, int64_t d, int64_t o, int threads)
{
    return 8 * (double)tile_rows(n) * threads_for(n, threads) * (double)(d + 1 + o + EXPAND_TERMS);
}

rung_status la_expand(rung_ctx *ctx, const la_mat *X, const la_mat *Z, const la_map *map, int64_t o, const double *C,
                      double *F)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = X->cols, tiles = (n + EXPAND_ROWS - 1) / EXPAND_ROWS;
    int64_t tall = tile_rows(n);
    int threads = threads_for(n, ctx->threads);
    double *norm_x = NULL, *norm_z = NULL;
    expand_room *room = NULL;
    TRY(squared_norms(ctx, X, &norm_x));
    TRY(squared_norms(ctx, Z, &norm_z));
    TRY(NEW(ctx, &ctx->scratch, room, threads));
    for (int t = 0; t < threads; t++) {
        TRY(NEW_RAW(ctx, &ctx->scratch, room[t].x, X->rows * tall));
        TRY(NEW_RAW(ctx, &ctx->scratch, room[t].nx, tall));
        TRY(NEW_RAW(ctx, &ctx->scratch, room[t].f, tall * o));
        TRY(NEW_RAW(ctx, &ctx->scratch, room[t].g, tall * EXPAND_TERMS));
    }
    const expansion e = {
        .X = X, .Z = Z, .norm_x = norm_x, .norm_z = norm_z, .map = map, .o = o, .tall = tall, .C = C, .F = F};
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int64_t t = 0; t < tiles; t++)
        if (!stop_asked(ctx)) expand_tile(&e, t * EXPAND_ROWS, &room[omp_get_thread_num()]);
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_EXPAND, (double)n * (double)Z->cols * (2.0 * (double)(X->rows + o) + map_flops(map)), started);
    return interrupted(ctx);
}

rung_status la_map_distances(rung_ctx *ctx, const la_mat *D, const la_map *map, la_mat *K)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (D->rows * D->cols > WORTH_SHARING)
    for (int64_t j = 0; j < D->cols; j++) map_distance_run(map, D->rows, la_at(D, 0, j), la_at(K, 0, j));
    op_done(ctx, OP_MAP, (double)D->rows * (double)D->cols * map_flops(map), started);
    return interrupted(ctx);
}
