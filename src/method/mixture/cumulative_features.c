// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/cumulative_features.h"

#include <math.h>

enum { TILE = 4096 };

/* Phi Phi' (m x m) and Phi [Y - p0, 1] (m x K). */
static rung_status moments(rung_ctx *ctx, const cumulative_features *f, la_mat *S, double *sums)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = f->rows.n, *rows = NULL;
    int J = f->rows.K - 1;
    double *targets = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, targets, n * f->rows.K));
    for (int64_t i = 0; i < n; i++) {
        rows[i] = i;
        for (int q = 0; q < J; q++) targets[i + q * n] = cumulative_target(&f->rows, i, q + 1) - f->rows.p0[q];
        targets[i + J * n] = 1;
    }
    grouped_rows all = {.X = f->X,
                        .count = n,
                        .rows = rows,
                        .weight = f->rows.weight,
                        .groups = f->rows.K,
                        .member = targets,
                        .columns = n};
    TRY(landmarks_moments(ctx, f->l, &all, 1, S, sums));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status zeros(rung_ctx *ctx, int64_t m, la_mat **out)
{
    double *none = NULL;
    TRY(la_new(ctx, &ctx->scratch, m, m, out));
    TRY(NEW(ctx, &ctx->scratch, none, m * m));
    la_put(none, *out);
    pool_free(&ctx->scratch, none);
    return RUNG_OK;
}

typedef struct {            /* over the rows that are fitted */
    la_mat *S;              /* m x m: phi phi' */
    double *sums;           /* m x K: phi [Y - p0, 1] */
    double *totals, weight; /* K - 1: of Y - p0; of 1 */
} target_moments;

/* Sums over the rows themselves. */
static rung_status row_moments(rung_ctx *ctx, const cumulative_features *f, target_moments *out)
{
    int K = f->rows.K;
    TRY(NEW(ctx, &ctx->scratch, out->sums, f->l->m * K));
    TRY(NEW(ctx, &ctx->scratch, out->totals, K));
    TRY(zeros(ctx, f->l->m, &out->S));
    TRY(moments(ctx, f, out->S, out->sums));
    for (int64_t i = 0; i < f->rows.n; i++) out->weight += f->rows.weight ? f->rows.weight[i] : 1;
    for (int q = 0; q < K - 1; q++)
        for (int64_t i = 0; i < f->rows.n; i++)
            out->totals[q] +=
                (f->rows.weight ? f->rows.weight[i] : 1) * (cumulative_target(&f->rows, i, q + 1) - f->rows.p0[q]);
    return RUNG_OK;
}

/* From sums by class: those of the classes above q less p0_q times all. */
static rung_status class_moments(rung_ctx *ctx, const cumulative_features *f, const feature_moments *all,
                                 target_moments *out)
{
    int64_t m = f->l->m;
    int K = f->rows.K;
    TRY(NEW(ctx, &ctx->scratch, out->sums, m * K));
    TRY(NEW(ctx, &ctx->scratch, out->totals, K));
    out->S = all->S;
    for (int k = 0; k < K; k++) {
        out->weight += all->mass[k];
        for (int q = 0; q < K; q++) {
            double share = q == K - 1 ? 1 : (k > q) - f->rows.p0[q];
            out->totals[q] += share * all->mass[k];
            for (int64_t j = 0; j < m; j++) out->sums[j + q * m] += share * all->sums[j + k * m];
        }
    }
    return RUNG_OK;
}

/* sum psi psi' from S = sum phi phi', s = sum phi. */
static rung_status bordered(rung_ctx *ctx, const cumulative_features *f, const target_moments *a, la_mat *out)
{
    const double *s = a->sums + (f->rows.K - 1) * f->l->m;
    int64_t m = f->l->m, w = m + 1;
    double *inner = NULL, *all = NULL, cross = sqrt(f->scale * RIDGE_CONSTANT);
    TRY(NEW_RAW(ctx, &ctx->scratch, inner, m * m));
    TRY(NEW_RAW(ctx, &ctx->scratch, all, w * w));
    la_get(a->S, inner);
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < m; i++) all[i + j * w] = f->scale * inner[i + j * m];
        all[m + j * w] = all[j + m * w] = cross * s[j];
    }
    all[m + m * w] = RIDGE_CONSTANT * a->weight;
    la_put(all, out);
    pool_free(&ctx->scratch, all);
    pool_free(&ctx->scratch, inner);
    return RUNG_OK;
}

/* Z = A'Psi (Y - p0), Psi (Y - p0) from its first m rows and the sums of the targets. */
static rung_status pull_targets(rung_ctx *ctx, const cumulative_features *f, const target_moments *a)
{
    int64_t m = f->l->m, w = m + 1;
    int J = f->rows.K - 1;
    double *right = NULL;
    la_mat *pull = NULL, *Z = NULL;
    TRY(NEW(ctx, &ctx->scratch, right, w * J));
    TRY(la_new(ctx, &ctx->scratch, w, J, &pull));
    TRY(la_new(ctx, &ctx->scratch, w, J, &Z));
    for (int q = 0; q < J; q++) {
        for (int64_t j = 0; j < m; j++) right[j + q * w] = sqrt(f->scale) * a->sums[j + q * m];
        right[m + q * w] = sqrt(RIDGE_CONSTANT) * a->totals[q];
    }
    la_put(right, pull);
    TRY(la_gemm(ctx, true, false, 1, f->axes, pull, 0, Z));
    la_get(Z, f->Z);
    return RUNG_OK;
}

/* all: NULL: the rows are all. */
static rung_status turn_axes(rung_ctx *ctx, const feature_moments *all, cumulative_features *out)
{
    int64_t w = out->l->m + 1;
    int J = out->rows.K - 1;
    la_mat *bound = NULL;
    target_moments a = {0};
    TRY(NEW(ctx, &ctx->scratch, out->values, w));
    TRY(NEW(ctx, &ctx->scratch, out->Z, w * J));
    TRY(la_new(ctx, &ctx->scratch, w, w, &out->axes));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(all ? class_moments(ctx, out, all, &a) : row_moments(ctx, out, &a));
    TRY(la_new(ctx, &ctx->scratch, w, w, &bound));
    TRY(bordered(ctx, out, &a, bound));
    if (!all) la_free(&ctx->scratch, a.S);
    TRY(la_eigen(ctx, bound, w, out->values, out->axes));
    for (int64_t j = 0; j < w; j++) out->values[j] = fmax(out->values[j], 0);
    TRY(pull_targets(ctx, out, &a));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status cumulative_features_new(rung_ctx *ctx, const landmarks *l, const double *X, double scale,
                                    const cumulative_rows *rows, cumulative_features *out)
{
    double *p0 = NULL;
    *out = (cumulative_features){.l = l, .X = X, .scale = scale, .rows = *rows};
    TRY(NEW(ctx, &ctx->scratch, p0, rows->K - 1));
    cumulative_means(rows, p0);
    out->rows.p0 = p0;
    return turn_axes(ctx, NULL, out);
}

rung_status cumulative_features_all(rung_ctx *ctx, const landmarks *l, const double *X, double scale,
                                    const cumulative_rows *rows, const feature_moments *all, cumulative_features *out)
{
    double *p0 = NULL;
    *out = (cumulative_features){.l = l, .X = X, .scale = scale, .rows = *rows};
    TRY(NEW(ctx, &ctx->scratch, p0, rows->K - 1));
    cumulative_class_means(rows->K, all->mass, p0);
    out->rows.p0 = p0;
    return turn_axes(ctx, all, out);
}

/* B (t x (m + 1)) of the t rows X. */
static rung_status turned(rung_ctx *ctx, const cumulative_features *f, const double *X, la_mat *B)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = f->l->m, t = la_rows(B), *top = NULL;
    double *ones = NULL;
    la_mat *Phi = NULL, *A = NULL, *one = NULL, *last = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, top, m));
    TRY(NEW_RAW(ctx, &ctx->scratch, ones, t));
    TRY(la_new(ctx, &ctx->scratch, m, t, &Phi));
    TRY(la_new(ctx, &ctx->scratch, m, m + 1, &A));
    TRY(la_new(ctx, &ctx->scratch, 1, m + 1, &last));
    TRY(la_new(ctx, &ctx->scratch, t, 1, &one));
    for (int64_t j = 0; j < m; j++) top[j] = j;
    for (int64_t i = 0; i < t; i++) ones[i] = 1;
    la_put(ones, one);
    TRY(la_gather(ctx, f->axes, top, NULL, A));
    TRY(la_gather(ctx, f->axes, &m, NULL, last));
    TRY(landmarks_features(ctx, f->l, t, X, Phi));
    TRY(la_gemm(ctx, true, false, sqrt(f->scale), Phi, A, 0, B));
    TRY(la_gemm(ctx, false, false, sqrt(RIDGE_CONSTANT), one, last, 1, B));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

typedef struct {          /* rows that are worked on at once */
    int64_t first, end;   /* places in `order` */
    const int64_t *order; /* of the rows; NULL: as they stand */
    la_mat *B;
} row_tile;

static int64_t row_at(const row_tile *t, int64_t i) { return t->order ? t->order[t->first + i] : t->first + i; }

/* The next tile: whole groups where their rows differ. */
static void tile_next(const cumulative_features *f, row_tile *t)
{
    const row_groups *g = f->rows.together;
    int64_t n = f->rows.n;
    t->first = t->end;
    if (!cumulative_mixed(&f->rows)) {
        t->end = n - t->first < TILE ? n : t->first + TILE;
        return;
    }
    t->order = g->rows;
    int64_t next = g->of[g->rows[t->first]];
    do t->end = g->start[++next];
    while (next < g->count && g->start[next + 1] - t->first <= TILE);
}

static rung_status tile_fill(rung_ctx *ctx, const cumulative_features *f, row_tile *t)
{
    int64_t m = t->end - t->first, d = f->l->d;
    const double *X = f->X + t->first * d;
    double *some = NULL, *root = NULL;
    TRY(la_new(ctx, &ctx->scratch, m, f->l->m + 1, &t->B));
    if (t->order) {
        TRY(NEW_RAW(ctx, &ctx->scratch, some, m * d));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < d; j++) some[i * d + j] = f->X[row_at(t, i) * d + j];
        X = some;
    }
    TRY(turned(ctx, f, X, t->B));
    if (!f->rows.weight) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, root, m));
    for (int64_t i = 0; i < m; i++) root[i] = cumulative_root(&f->rows, row_at(t, i));
    return la_scale(ctx, root, NULL, t->B);
}

/* Leaves out the groups of a tile for one ridge. */
static rung_status tile_blocks(rung_ctx *ctx, const cumulative_features *f, const row_tile *t, const double *share,
                               double *loo)
{
    const row_groups *g = f->rows.together;
    for (int64_t at = t->first, next; at < t->end; at = next) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t group = g->of[g->rows[at]], *rows = NULL;
        la_mat *own = NULL;
        next = g->start[group + 1];
        TRY(NEW_RAW(ctx, &ctx->scratch, rows, next - at));
        TRY(la_new(ctx, &ctx->scratch, next - at, f->l->m + 1, &own));
        for (int64_t i = at; i < next; i++) rows[i - at] = i - t->first;
        TRY(la_gather(ctx, t->B, rows, NULL, own));
        TRY(cumulative_loo_block(ctx, &f->rows, group, own, share, loo));
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

rung_status cumulative_features_loo(rung_ctx *ctx, const cumulative_features *f, int count, const double *ridges,
                                    double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t w = f->l->m + 1, n = f->rows.n;
    int J = f->rows.K - 1;
    bool mixed = cumulative_mixed(&f->rows);
    double *share = NULL, *pull = NULL, *rest = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, rest, n * count));
    TRY(NEW_RAW(ctx, &ctx->scratch, share, w * count));
    TRY(NEW_RAW(ctx, &ctx->scratch, pull, w * count * J));
    for (int r = 0; r < count; r++)
        for (int64_t j = 0; j < w; j++) {
            share[j + r * w] = 1 / (f->values[j] + ridges[r]);
            for (int q = 0; q < J; q++) pull[j + (r * J + q) * w] = share[j + r * w] * f->Z[j + q * w];
        }
    for (row_tile tile = {0}; tile.end < n;) {
        pool_mark here = pool_here(&ctx->scratch);
        tile_next(f, &tile);
        int64_t t = tile.end - tile.first;
        double *F = NULL, *H = NULL;
        TRY(interrupted(ctx));
        TRY(NEW_RAW(ctx, &ctx->scratch, F, t * count * J));
        TRY(NEW_RAW(ctx, &ctx->scratch, H, t * count));
        TRY(tile_fill(ctx, f, &tile));
        TRY(la_mul(ctx, 1, tile.B, (int64_t)count * J, pull, 0, F));
        for (int r = 0; r < count; r++)
            for (int64_t i = 0; i < t; i++)
                for (int q = 0; q < J; q++) loo[(r * n + row_at(&tile, i)) * J + q] = F[i + (r * J + q) * t];
        for (int r = 0; r < count && mixed; r++) TRY(tile_blocks(ctx, f, &tile, share + r * w, loo + r * n * J));
        if (!mixed) {
            TRY(la_hadamard(ctx, tile.B, tile.B));
            TRY(la_mul(ctx, 1, tile.B, count, share, 0, H));
            for (int r = 0; r < count; r++)
                for (int64_t i = 0; i < t; i++) rest[r * n + tile.first + i] = 1 - H[i + r * t];
        }
        pool_release(&ctx->scratch, here);
    }
    for (int r = 0; r < count && !mixed; r++) cumulative_loo(&f->rows, rest + r * n, loo + r * n * J);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status cumulative_features_weights(rung_ctx *ctx, const cumulative_features *f, double ridge, double *V,
                                        double *bias)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = f->l->m, w = m + 1;
    int J = f->rows.K - 1;
    double *pull = NULL, *v = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, pull, w * J));
    TRY(NEW_RAW(ctx, &ctx->scratch, v, w * J));
    for (int64_t i = 0; i < w * J; i++) pull[i] = f->Z[i] / (f->values[i % w] + ridge);
    TRY(la_mul(ctx, 1, f->axes, J, pull, 0, v));
    for (int q = 0; q < J; q++) {
        bias[q] = f->rows.p0[q] + sqrt(RIDGE_CONSTANT) * v[m + q * w];
        for (int64_t j = 0; j < m; j++) V[j + q * m] = sqrt(f->scale) * v[j + q * w];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Axes; targets and a tile of features while moments are summed, or the eigensolver's work, or a tile of B. */
double cumulative_features_bytes(int64_t n_, int64_t d_, int K, int64_t m_, int ridges)
{
    double n = (double)n_, d = (double)d_, m = (double)m_, tile = fmin(n, TILE);
    double sums = m * m + n * (K + 1) + tile * (m + 2 * d + K + 1), eigen = 4 * m * m,
           turn = m * m + tile * (2 * m + d + ridges * K) + (m * K + n) * ridges;
    return 8 * (m * m + fmax(sums, fmax(eigen, turn)));
}
