// SPDX-License-Identifier: BSD-3-Clause
/* A real target cut into classes. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "data/labels.h"

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The place nearest to `at` where the sorted values can be cut; 0: nowhere, all values are equal. */
static int64_t nearest_cut(const double *v, int64_t n, int64_t at)
{
    int64_t low = at, high = at;
    while (low > 0 && v[low - 1] == v[low]) low--;
    while (high < n && high > 0 && v[high - 1] == v[high]) high++;
    if (low == 0) return high < n ? high : 0;
    return high < n && high - at < at - low ? high : low;
}

rung_status bins_cut(rung_ctx *ctx, pool *mem, int64_t n, const double *target, int wanted, bool width, int *n_edges,
                     double **edges)
{
    double *v = NULL;
    int64_t labelled = 0;
    *n_edges = 0;
    TRY(NEW(ctx, mem, *edges, wanted));
    TRY(NEW_RAW(ctx, &ctx->scratch, v, n));
    for (int64_t i = 0; i < n; i++)
        if (!isnan(target[i])) v[labelled++] = target[i];
    if (labelled == 0) return RUNG_OK;
    qsort(v, (size_t)labelled, sizeof *v, compare_numbers);
    for (int k = 1; k < wanted; k++) {
        double share = (double)k / wanted, edge = v[0] * (1 - share) + v[labelled - 1] * share;
        int64_t place = nearest_cut(v, labelled, labelled * k / wanted);
        if (!width && place == 0) continue;
        if (!width) edge = v[place];
        if (edge > (*n_edges ? (*edges)[*n_edges - 1] : v[0])) (*edges)[(*n_edges)++] = edge + 0.0;
    }
    return RUNG_OK;
}

rung_status bins_names(rung_ctx *ctx, pool *mem, int n_edges, const double *edges, const char ***classes)
{
    TRY(NEW(ctx, mem, *classes, n_edges + 1));
    for (int k = 0; k <= n_edges; k++) {
        char low[32] = "-inf", high[32] = "inf";
        if (k > 0) text_format(edges[k - 1], low);
        if (k < n_edges) text_format(edges[k], high);
        TRY(pool_printf(ctx, mem, &(*classes)[k], "%c%s, %s)", k > 0 ? '[' : '(', low, high));
    }
    return RUNG_OK;
}
