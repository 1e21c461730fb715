// SPDX-License-Identifier: BSD-3-Clause
/* Dividing a real target into classes. */
#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/text.h"
#include "input/encode/labels.h"

/* How many of the sorted values (not all equal) belong below a cut intended to have `at` of them below it; at least
 * one. */
static int64_t nearest_cut(const double *v, int64_t n, int64_t at)
{
    int64_t low = at, high = at; /* the ends of the run of equal values around it */
    while (low > 0 && v[low - 1] == v[low]) low--;
    while (high < n && v[high - 1] == v[high]) high++;
    if (low == 0) return high;
    return high < n && high - at < at - low ? high : low;
}

/* x to 12 digits of `most`, so that an edge between 3 and 6.6 is 4.2 and not 4.199999999999999. */
static double few_digits(double x, double most)
{
    double power = 1;
    int digits = 11 - (int)floor(log10(most));
    if (digits < 0 || digits > 22) return x; /* 10^22 is the last power that is exact */
    while (digits-- > 0) power *= 10;
    return round(x * power) / power;
}

/* Where k of `wanted` classes of equal width end. */
static double width_edge(double low, double high, int k, int wanted)
{
    double share = (double)k / wanted, edge = low * (1 - share) + high * share;
    double shorter = few_digits(edge, fmax(fabs(low), fabs(high)));
    return fabs(shorter - edge) <= 1e-9 * (high - low) ? shorter : edge;
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
    double low = v[0], high = v[labelled - 1];
    for (int k = 1; k < wanted && low < high; k++) {
        int64_t more = labelled % wanted, at = k * (labelled / wanted) + (k < more ? k : more);
        int64_t below = width || at == labelled ? 0 : nearest_cut(v, labelled, at);
        if (!width && below == 0) continue;
        double edge = width ? width_edge(low, high, k, wanted) : v[below - 1] + 0.0; /* -0 is called 0 */
        if (*n_edges == 0 || edge > (*edges)[*n_edges - 1]) (*edges)[(*n_edges)++] = edge;
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
        TRY(pool_printf(ctx, mem, &(*classes)[k], "(%s, %s%c", low, high, k < n_edges ? ']' : ')'));
    }
    return RUNG_OK;
}
