// SPDX-License-Identifier: BSD-3-Clause
/* align.c - alignment and its ascent.
 *
 *     dA/dtheta_d = sum_ij W_ij (-s_d (x_id - x_jd)^2),   W = (T / (|K||T|) - A K / |K|^2) o K
 *
 * Centred: K and T inside the bracket are H K H and H T H (H is idempotent). */
#include "kernel/align.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 0.1, LONGER = 1.2, SHORTER = 0.5, LONGEST = 1, SHORTEST = 1e-6, LOWEST = -14, HIGHEST = 7;

rung_status alignment_target(rung_ctx *ctx, const ranked_rows *ranked, const la_csr *graph, la_mat *T)
{
    int64_t n = ranked->n;
    const int *y = ranked->y;
    int K = ranked->K;
    pool_mark mark = pool_here(&ctx->scratch);
    int groups = K + 1;
    int64_t used = 0;
    double *table = NULL;
    la_csr rest = {.rows = n, .cols = n};
    TRY(NEW(ctx, &ctx->scratch, table, groups * groups));
    TRY(NEW(ctx, &ctx->scratch, rest.start, n + 1));
    TRY(NEW(ctx, &ctx->scratch, rest.col, n + (graph ? graph->start[n] : 0)));
    TRY(NEW(ctx, &ctx->scratch, rest.value, n + (graph ? graph->start[n] : 0)));
    for (int a = 1; a <= K; a++)
        for (int b = 1; b <= K; b++) table[a + b * groups] = a == b ? 1 : -abs(a - b);
    for (int64_t i = 0; i < n; i++) { /* the graph where a row is unlabelled, and the diagonal of those rows */
        if (!y[i]) {
            rest.col[used] = i;
            rest.value[used++] = 1;
        }
        for (int64_t e = graph ? graph->start[i] : 0; graph && e < graph->start[i + 1]; e++) {
            int64_t j = graph->col[e];
            if (y[i] && y[j]) continue;
            rest.col[used] = j;
            rest.value[used++] = graph->value[e];
        }
        rest.start[i + 1] = used;
    }
    TRY(la_lookup(ctx, groups, table, y, y, T));
    TRY(la_add_csr(ctx, 1, &rest, T));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

typedef struct { /* workspace of an evaluation, reused by the next one */
    int64_t d, n;
    const double *X;
    const la_mat *T; /* centred if asked */
    double norm;     /* |T| */
    la_mat *columns; /* X */
    la_mat *K, *HKH; /* HKH: K itself if not centred */
    double *precisions;
} aligner;

static rung_status aligner_new(rung_ctx *ctx, const alignment_rows *rows, const la_mat *T, aligner *a)
{
    int64_t d = rows->X.d, n = rows->X.n;
    const double *X = rows->X.X;
    *a = (aligner){.d = d, .n = n, .X = X, .T = T};
    TRY(NEW(ctx, &ctx->scratch, a->precisions, d));
    TRY(la_new(ctx, &ctx->scratch, d, n, &a->columns));
    TRY(la_new(ctx, &ctx->scratch, n, n, &a->K));
    la_put(X, a->columns);
    a->HKH = a->K;
    if (rows->centred) {
        la_mat *C = NULL;
        TRY(la_new(ctx, &ctx->scratch, n, n, &a->HKH));
        TRY(la_new(ctx, &ctx->scratch, n, n, &C));
        TRY(la_scale_add(ctx, 1, T, 0, C));
        TRY(la_centre(ctx, LA_CENTRE_BOTH, C));
        a->T = C;
    }
    TRY(la_inner_symmetric(ctx, a->T, a->T, &a->norm));
    a->norm = sqrt(a->norm);
    return RUNG_OK;
}

static rung_status evaluate(rung_ctx *ctx, aligner *a, const double *theta, double *value, double *gradient)
{
    kernel k = {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = a->d, .precisions = a->precisions};
    double inner, norm;
    for (int64_t j = 0; j < a->d; j++) a->precisions[j] = exp(theta[j]);
    TRY(kernel_gram(ctx, &k, a->d, a->n, a->X, a->K));
    if (a->HKH != a->K) {
        TRY(la_scale_add(ctx, 1, a->K, 0, a->HKH));
        TRY(la_centre(ctx, LA_CENTRE_BOTH, a->HKH));
    }
    TRY(la_inner_symmetric(ctx, a->HKH, a->T, &inner));
    TRY(la_inner_symmetric(ctx, a->HKH, a->HKH, &norm));
    norm = sqrt(norm);
    *value = inner / (norm * a->norm);
    if (!gradient) return RUNG_OK;
    TRY(la_spread(ctx, a->columns, 1 / (norm * a->norm), a->T, -*value / (norm * norm), a->HKH, a->K, gradient));
    for (int64_t j = 0; j < a->d; j++) gradient[j] *= -a->precisions[j];
    return RUNG_OK;
}

rung_status alignment_gradient(rung_ctx *ctx, const alignment_rows *rows, const la_mat *T, const double *theta,
                               double *value, double *gradient)
{
    pool_mark mark = pool_here(&ctx->scratch);
    aligner a;
    TRY(aligner_new(ctx, rows, T, &a));
    TRY(evaluate(ctx, &a, theta, value, gradient));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The step of one feature: longer while its derivative keeps its sign, shorter (and skipped once) when the sign
 * changes. */
static double rprop(double gradient, double *before, double *step)
{
    double turn = gradient * *before;
    if (turn > 0) *step = fmin(*step * LONGER, LONGEST);
    if (turn < 0) *step = fmax(*step * SHORTER, SHORTEST);
    *before = turn < 0 ? 0 : gradient;
    return *before > 0 ? *step : *before < 0 ? -*step : 0;
}

rung_status alignment_ascent(rung_ctx *ctx, const alignment_rows *rows, const la_mat *T, int iterations, double *theta,
                             double *value)
{
    int64_t d = rows->X.d;
    pool_mark mark = pool_here(&ctx->scratch);
    aligner a;
    double *at = NULL, *gradient = NULL, *before = NULL, *step = NULL, here;
    TRY(aligner_new(ctx, rows, T, &a));
    TRY(NEW(ctx, &ctx->scratch, at, d));
    TRY(NEW(ctx, &ctx->scratch, gradient, d));
    TRY(NEW(ctx, &ctx->scratch, before, d));
    TRY(NEW(ctx, &ctx->scratch, step, d));
    memcpy(at, theta, (size_t)d * sizeof *at);
    for (int64_t j = 0; j < d; j++) step[j] = STEP;
    *value = -INFINITY;
    for (int t = 0; t <= iterations; t++) {
        TRY(interrupted(ctx));
        TRY(evaluate(ctx, &a, at, &here, t < iterations ? gradient : NULL));
        if (here > *value) {
            *value = here;
            memcpy(theta, at, (size_t)d * sizeof *at);
        }
        for (int64_t j = 0; j < d && t < iterations; j++)
            at[j] = fmin(fmax(at[j] + rprop(gradient[j], &before[j], &step[j]), LOWEST), HIGHEST);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status labelled_part(rung_ctx *ctx, const alignment_rows *all, alignment_rows *out)
{
    int64_t d = all->X.d, n = all->X.n, l = 0;
    double *X = NULL;
    int *y = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, d * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, y, n));
    for (int64_t i = 0; i < n; i++) {
        if (!all->ranked.y[i]) continue;
        memcpy(X + l * d, all->X.X + i * d, (size_t)d * sizeof *X);
        y[l++] = all->ranked.y[i];
    }
    *out = (alignment_rows){.X = {d, l, X}, .ranked = {.n = l, .y = y, .K = all->ranked.K}, .centred = all->centred};
    return RUNG_OK;
}

/* One of the two ascents. */
static rung_status ascend(rung_ctx *ctx, const alignment_rows *rows, const la_csr *graph, int iterations, int which,
                          double *theta, alignment_result *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *T = NULL;
    TRY(la_new(ctx, &ctx->scratch, rows->X.n, rows->X.n, &T));
    TRY(alignment_target(ctx, &rows->ranked, graph, T));
    TRY(alignment_gradient(ctx, rows, T, theta, &out->start[which], NULL));
    TRY(alignment_ascent(ctx, rows, T, iterations, theta, &out->value[which]));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status alignment_precisions(rung_ctx *ctx, const alignment_rows *rows, const la_csr *graph, int iterations,
                                 alignment_result *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t d = rows->X.d;
    alignment_rows labelled;
    double *theta = NULL;
    TRY(NEW(ctx, &ctx->scratch, theta, d));
    TRY(labelled_part(ctx, rows, &labelled));
    for (int64_t j = 0; j < d; j++) theta[j] = log(0.5 / (double)d);
    TRY(ascend(ctx, &labelled, NULL, iterations, 0, theta, out));
    TRY(ascend(ctx, rows, graph, iterations, 1, theta, out));
    for (int64_t j = 0; j < d; j++) out->precisions[j] = exp(theta[j]);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
