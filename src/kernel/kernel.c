// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

const char *kernel_name(kernel_kind kind)
{
    static const char *const names[] = {"rbf", "linear", "poly", "laplacian", "ard", "precomputed"};
    return names[kind];
}

la_map kernel_map(const kernel *k)
{
    la_map map = {.kind = LA_DOT, .gamma = k->gamma, .coef0 = k->coef0, .degree = k->degree};
    if (k->kind == KERNEL_RBF || k->kind == KERNEL_ARD) map.kind = LA_EXP_SQ;
    if (k->kind == KERNEL_LAPLACIAN) map.kind = LA_EXP_NORM;
    if (k->kind == KERNEL_POLY) map.kind = LA_POLY;
    if (k->kind == KERNEL_ARD) map.gamma = 1; /* the precisions are in the columns */
    return map;
}

static bool by_distance(const kernel *k)
{
    return k->kind == KERNEL_RBF || k->kind == KERNEL_LAPLACIAN || k->kind == KERNEL_ARD;
}

double kernel_self(const kernel *k, int64_t d, const double *x)
{
    double dot = 0, power = 1;
    if (by_distance(k)) return 1;
    if (k->kind == KERNEL_PRECOMPUTED) return NAN;
    for (int64_t j = 0; j < d; j++) dot += x[j] * x[j];
    if (k->kind == KERNEL_LINEAR) return dot;
    for (int i = 0; i < k->degree; i++) power *= k->gamma * dot + k->coef0;
    return power;
}

/* Factors of the columns of X that turn ard into rbf with gamma 1. */
static double stretch(const kernel *k, int64_t column)
{
    return k->kind == KERNEL_ARD ? sqrt(k->precisions[column]) : 1;
}

/* The mean of a column; where a few far rows draw it away from most others, the value of these next to it: distances
 * between them would lose the digits that |x|^2 has in common with |z|^2 (1e12 in one of 100 rows left six). */
static double among_rows(int64_t d, int64_t n, const double *x, double mean)
{
    double next = mean, away = INFINITY;
    int64_t near = 0, equal = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(x[i * d] - mean) < away) {
            next = x[i * d];
            away = fabs(next - mean);
        }
    for (int64_t i = 0; i < n; i++) {
        near += fabs(x[i * d] - next) <= 1e-3 * away;
        equal += x[i * d] == next;
    }
    return 2 * near > n && near > equal ? next : mean;
}

rung_status kernel_origin(rung_ctx *ctx, int64_t d, int64_t n, const double *X, double **out)
{
    double *mean = NULL;
    TRY(NEW(ctx, &ctx->scratch, mean, d));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) mean[j] += X[j + i * d] / (double)n;
    for (int64_t j = 0; j < d; j++) mean[j] = among_rows(d, n, X + j, mean[j]);
    *out = mean;
    return RUNG_OK;
}

/* Distances do not depend on the origin: moving it to the mean of the data keeps |x|^2 + |z|^2 - 2 x'z accurate. */
rung_status kernel_place(rung_ctx *ctx, const kernel *k, int64_t d, int64_t n, const double *X, const double *origin,
                         la_mat **out)
{
    if (k->kind == KERNEL_ARD && k->n_precisions != d)
        return set_error(ctx, RUNG_EARG, "precisions has %lld numbers, but there are %lld coded columns",
                         (long long)k->n_precisions, (long long)d);
    TRY(la_new(ctx, &ctx->scratch, d, n, out));
    if (!by_distance(k)) {
        la_put(X, *out);
        return RUNG_OK;
    }
    double *moved = NULL, *factor = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, moved, d * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, factor, d));
    for (int64_t j = 0; j < d; j++) factor[j] = stretch(k, j);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) moved[j + i * d] = (X[j + i * d] - origin[j]) * factor[j];
    la_put(moved, *out);
    pool_free(&ctx->scratch, moved);
    return RUNG_OK;
}

rung_status kernel_gram(rung_ctx *ctx, const kernel *k, int64_t d, int64_t n, const double *X, la_mat *K)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *origin = NULL;
    la_mat *columns = NULL;
    la_map map = kernel_map(k);
    TRY(kernel_origin(ctx, d, n, X, &origin));
    TRY(kernel_place(ctx, k, d, n, X, origin, &columns));
    TRY(la_gram(ctx, columns, &map, K));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

bool kernel_by_distance(const kernel *k) { return k->kind == KERNEL_RBF || k->kind == KERNEL_LAPLACIAN; }

rung_status kernel_distances(rung_ctx *ctx, int64_t d, int64_t n, const double *X, la_mat *D)
{
    pool_mark mark = pool_here(&ctx->scratch);
    kernel any = {.kind = KERNEL_RBF};
    la_map map = {.kind = LA_SQDIST};
    double *origin = NULL;
    la_mat *columns = NULL;
    TRY(kernel_origin(ctx, d, n, X, &origin));
    TRY(kernel_place(ctx, &any, d, n, X, origin, &columns));
    TRY(la_gram(ctx, columns, &map, D));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status kernel_gram_from_distances(rung_ctx *ctx, const kernel *k, const la_mat *D, la_mat *K)
{
    la_map map = kernel_map(k);
    return la_map_distances(ctx, D, &map, K);
}

rung_status kernel_expand(rung_ctx *ctx, const kernel *k, const point_set *X, const point_set *Z, int64_t o,
                          const double *C, double *F)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *origin = NULL;
    la_mat *rows = NULL, *terms = NULL;
    la_map map = kernel_map(k);
    TRY(kernel_origin(ctx, Z->d, Z->n, Z->X, &origin));
    TRY(kernel_place(ctx, k, X->d, X->n, X->X, origin, &rows));
    TRY(kernel_place(ctx, k, Z->d, Z->n, Z->X, origin, &terms));
    TRY(la_expand(ctx, rows, terms, &map, o, C, F));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
