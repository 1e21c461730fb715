// SPDX-License-Identifier: BSD-3-Clause
/* single.c - sums of kernel columns in single precision: half of the time where there are enough rows that rounding is
 * nothing beside chance. Some columns are computed, summed and squared while they are in cache, then the next. */
#include <cblas.h>
#include <omp.h>
#include <string.h>

#include "linalg/internal.h"

enum {
    DEPTH = 1024, /* columns at a time, summed in single precision */
    SIDE = 256    /* of a tile of kernel values */
};

/* Squared distances are off by some 1e-7 of the squared norms, and kernel values by gamma times that: for points with a
 * larger mean of gamma |x|^2, distances are computed in double precision. */
static const double NEAR = 8;

typedef struct {
    const la_single_sums *s;
    int64_t m, d, first, n; /* the columns from `first` on, at most DEPTH */
    bool gauss;             /* kernel values in single precision, too */
    double *norm_x, *norm_z;
    float *x, *nx, *shift; /* d x m, m, m */
    float *z, *nz;         /* d x n, n */
    float *F, *E;          /* m x n: the columns; n x groups */
    float **tile;          /* per thread: side x side of the product, or SIDE x SIDE doubles */
    int64_t side;
} single_work;

/* ---- columns ---- */

static void gauss_tile(const single_work *w, int64_t i, int64_t rows, int64_t j, int64_t cols)
{
    int d = blas_int(w->d), ld = blas_int(w->m);
    float *F = w->F + i + j * w->m;
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(rows), blas_int(cols), d, 1, w->x + i * w->d, d,
                w->z + j * w->d, d, 0, F, ld);
    for (int64_t c = 0; c < cols; c++) {
        single_gauss k = {.nx = w->nx + i, .shift = w->shift + i, .nz = w->nz[j + c], .gamma = (float)w->s->map->gamma};
        single_gauss_run(rows, &k, F + c * w->m);
    }
}

static void double_tile(const single_work *w, int64_t i, int64_t rows, int64_t j, int64_t cols, double *g)
{
    const la_mat *X = w->s->X, *Z = w->s->Z;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(rows), blas_int(cols), blas_int(w->d), 1,
                la_at(X, 0, i), blas_int(la_ld(X)), la_at(Z, 0, w->first + j), blas_int(la_ld(Z)), 0, g,
                blas_int(rows));
    for (int64_t c = 0; c < cols; c++) {
        map_pair pair = {w->d, la_at(X, 0, i), la_at(Z, 0, w->first + j + c), w->norm_x + i,
                         w->norm_z[w->first + j + c]};
        map_run(w->s->map, rows, &pair, g + c * rows);
        float *to = w->F + i + (j + c) * w->m;
        for (int64_t r = 0; r < rows; r++) to[r] = (float)(g[r + c * rows] - w->s->shift[i + r]);
    }
}

static void column_tile(const single_work *w, int64_t t, int64_t across, void *room)
{
    int64_t i = t % across * SIDE, j = t / across * SIDE, rows = min64(SIDE, w->m - i), cols = min64(SIDE, w->n - j);
    if (w->gauss)
        gauss_tile(w, i, rows, j, cols);
    else
        double_tile(w, i, rows, j, cols, room);
}

/* ---- sums ---- */

/* sums += F E in the strip of SIDE rows. */
static void sum_strip(const single_work *w, int64_t strip, float *room)
{
    int64_t i = strip * SIDE, rows = min64(SIDE, w->m - i);
    int groups = w->s->groups, n = blas_int(w->n), height = blas_int(rows);
    for (int g = 0; g < groups; g++) {
        cblas_sgemv(CblasColMajor, CblasNoTrans, height, n, 1, w->F + i, blas_int(w->m), w->E + (int64_t)g * n, 1, 0,
                    room, 1);
        double *to = w->s->sums + i + g * w->m;
        for (int64_t r = 0; r < rows; r++) to[r] += (double)room[r];
    }
}

static void scale_column(const single_work *w, int64_t j)
{
    float factor = (float)w->s->scale[w->first + j], *f = w->F + j * w->m;
    for (int64_t i = 0; i < w->m; i++) f[i] *= factor;
}

/* C += F F' in tile t of the lower triangle. */
static void square_tile(const single_work *w, int64_t t, float *room)
{
    int64_t i, j;
    lower_tile(t, &i, &j);
    i *= w->side;
    j *= w->side;
    int64_t rows = min64(w->side, w->m - i), cols = min64(w->side, w->m - j);
    int n = blas_int(w->n), ld = blas_int(w->m), height = blas_int(rows);
    if (i == j)
        cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, height, n, 1, w->F + i, ld, 0, room, height);
    else
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, height, blas_int(cols), n, 1, w->F + i, ld, w->F + j, ld,
                    0, room, height);
    for (int64_t c = 0; c < cols; c++) {
        double *to = la_at(w->s->C, i, j + c);
        for (int64_t r = i == j ? c : 0; r < rows; r++) to[r] += (double)room[r + c * rows];
    }
}

/* ---- whole ---- */

static void to_single(int64_t n, const double *from, float *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = (float)from[i];
}

static void take_columns(single_work *w, int64_t first)
{
    const la_single_sums *s = w->s;
    int64_t all = s->Z->cols;
    w->first = first;
    w->n = min64(DEPTH, all - first);
    to_single(w->d * w->n, la_at(s->Z, 0, first), w->z);
    to_single(w->n, w->norm_z + first, w->nz);
    for (int64_t g = 0; g < s->groups; g++) to_single(w->n, s->E + first + g * all, w->E + g * w->n);
}

static void add_columns(rung_ctx *ctx, const single_work *w, int threads)
{
    int64_t down = (w->m + SIDE - 1) / SIDE, tiles = down * ((w->n + SIDE - 1) / SIDE);
    int64_t across = (w->m + w->side - 1) / w->side, squares = w->s->C ? across * (across + 1) / 2 : 0;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        float *room = w->tile[omp_get_thread_num()];
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < tiles; t++)
            if (!stop_asked(ctx)) column_tile(w, t, down, room);
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < down; t++) sum_strip(w, t, room);
        if (w->s->C && w->s->scale) {
#pragma omp for schedule(static)
            for (int64_t j = 0; j < w->n; j++) scale_column(w, j);
        }
#pragma omp for schedule(dynamic)
        for (int64_t t = 0; t < squares; t++)
            if (!stop_asked(ctx)) square_tile(w, t, room);
    }
}

static rung_status work_new(rung_ctx *ctx, const la_single_sums *s, int threads, single_work *w)
{
    int64_t m = s->X->cols, d = s->X->rows, n = min64(DEPTH, s->Z->cols);
    double size = 0;
    *w = (single_work){.s = s, .m = m, .d = d, .side = product_tile(m, m)};
    TRY(squared_norms(ctx, s->X, &w->norm_x));
    TRY(squared_norms(ctx, s->Z, &w->norm_z));
    TRY(NEW_RAW(ctx, &ctx->scratch, w->x, d * m));
    TRY(NEW_RAW(ctx, &ctx->scratch, w->nx, m));
    TRY(NEW_RAW(ctx, &ctx->scratch, w->shift, m));
    TRY(NEW_RAW(ctx, &ctx->scratch, w->z, d * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, w->nz, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, w->E, n * s->groups));
    TRY(NEW_RAW(ctx, &ctx->scratch, w->F, m * n));
    TRY(NEW(ctx, &ctx->scratch, w->tile, threads));
    int64_t room = w->side > SIDE ? w->side * w->side : (int64_t)2 * SIDE * SIDE;
    for (int t = 0; t < threads; t++) TRY(NEW_RAW(ctx, &ctx->scratch, w->tile[t], room));
    to_single(d * m, s->X->v, w->x);
    to_single(m, w->norm_x, w->nx);
    to_single(m, s->shift, w->shift);
    for (int64_t i = 0; i < m; i++) size += w->norm_x[i] / (double)m;
    w->gauss = s->map->kind == LA_EXP_SQ && s->map->gamma * size <= NEAR;
    return RUNG_OK;
}

rung_status la_cross_sums(rung_ctx *ctx, const la_single_sums *s)
{
    double started = op_start(), m = (double)s->X->cols, n = (double)s->Z->cols;
    pool_mark mark = pool_here(&ctx->scratch);
    single_work w;
    TRY(work_new(ctx, s, ctx->threads, &w));
    for (int64_t first = 0; first < s->Z->cols; first += DEPTH) {
        take_columns(&w, first);
        add_columns(ctx, &w, ctx->threads);
    }
    if (s->C) mirror_tile(s->C, 0, w.m, 0, w.m);
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_CROSS_SUMS, n * m * (2 * (double)w.d + 20 + 2 * s->groups + (s->C ? m : 0)), started);
    return interrupted(ctx);
}
