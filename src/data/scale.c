// SPDX-License-Identifier: BSD-3-Clause
#include "data/scale.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"

static const char *const names[] = {[SCALE_STANDARD] = "standard",
                                    [SCALE_MINMAX] = "minmax",
                                    [SCALE_RANK] = "rank",
                                    [SCALE_NONE] = "none",
                                    [SCALE_RELEVANCE] = "relevance"};

bool scale_parse(const char *text, scale_kind *out)
{
    for (int k = SCALE_STANDARD; k <= SCALE_RELEVANCE; k++)
        if (strcmp(text, names[k]) == 0) return *out = (scale_kind)k, true;
    return false;
}

const char *scale_name(scale_kind kind) { return names[kind]; }

/* 1 / width; 0, as for a constant column, where the width is so small that the inverse overflows. */
static double inverse(double width)
{
    double factor = 1 / width;
    return isfinite(factor) ? factor : 0;
}

static double count_of(const double *weight, int64_t i) { return weight ? weight[i] : 1; }

static double total_of(int64_t n, const double *weight)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += count_of(weight, i);
    return sum;
}

static double filled(double x, const double *fill) { return fill && isnan(x) ? *fill : x; }

/* Mean and standard deviation (population) by two passes, the second correcting the rounding of the mean. The column
 * is brought to magnitude 1 by a power of two, which rounds nothing and keeps the squares in range. */
static void fit_standard(int64_t n, const double *x, int64_t stride, const double *fill, const double *weight,
                         double largest, double *shift, double *factor)
{
    int exponent;
    frexp(largest, &exponent);
    if (exponent < -1000) exponent = -1000; /* 2^1000 is finite, 2^1074 is not */
    double unit = ldexp(1, -exponent), sum = 0, first = 0, second = 0, all = total_of(n, weight);
    for (int64_t i = 0; i < n; i++) sum += filled(x[i * stride], fill) * unit * count_of(weight, i);
    double mean = sum / all;
    for (int64_t i = 0; i < n; i++) {
        double c = filled(x[i * stride], fill) * unit - mean;
        first += c * count_of(weight, i);
        second += c * c * count_of(weight, i);
    }
    first /= all;
    double variance = second / all - first * first;
    *shift = ldexp(mean + first, exponent);
    *factor = inverse(ldexp(sqrt(variance), exponent));
}

typedef struct {
    double x, count;
} counted_cell;

static int by_cell(const void *a, const void *b)
{
    return compare_numbers(&((const counted_cell *)a)->x, &((const counted_cell *)b)->x);
}

/* The distinct values of one column, ascending, and the share of rows at or below each. Sorts v; returns how many. */
static int64_t fit_knots(int64_t n, counted_cell *v, double all, double *knot, double *share)
{
    int64_t count = 0;
    double below = 0;
    qsort(v, (size_t)n, sizeof *v, by_cell);
    for (int64_t i = 0; i < n; i++) {
        below += v[i].count;
        if (i + 1 < n && v[i + 1].x == v[i].x) continue;
        knot[count] = v[i].x;
        share[count++] = fmin(below / all, 1); /* weights that are no whole numbers add up with rounding */
    }
    return count;
}

/* (share of rows below x + share of rows at or below x) / 2: a step function, half a step at a knot. */
static double distribution(int64_t n, const double *knot, const double *share, double x)
{
    int64_t low = 0, high = n; /* knots before low are below x, those from high on are not */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (knot[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    double below = low > 0 ? share[low - 1] : 0;
    return low < n && knot[low] == x ? (below + share[low]) / 2 : below;
}

static rung_status fit_rank(rung_ctx *ctx, pool *mem, int64_t d, int64_t n, const double *X, const double *weight,
                            scaling *out)
{
    double *v = NULL, *knot = NULL, *cdf = NULL, mass = total_of(n, weight);
    counted_cell *cell = NULL;
    TRY(NEW(ctx, mem, out->knots_first, d + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, cell, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, v, n));
    TRY(pool_alloc_raw(ctx, mem, d, (size_t)n * sizeof *knot, "knots", (void **)&knot));
    TRY(pool_alloc_raw(ctx, mem, d, (size_t)n * sizeof *cdf, "knots", (void **)&cdf));
    out->knot = knot;
    out->knot_cdf = cdf;
    for (int64_t j = 0; j < d; j++) {
        TRY(interrupted(ctx));
        double *own = knot + out->knots_first[j], *own_cdf = cdf + out->knots_first[j];
        const double *fill = out->fill ? out->fill + j : NULL;
        int64_t rows = 0;
        for (int64_t i = 0; i < n; i++)
            if (count_of(weight, i) > 0) cell[rows++] = (counted_cell){filled(X[i * d + j], fill), count_of(weight, i)};
        int64_t count = fit_knots(rows, cell, mass, own, own_cdf);
        out->knots_first[j + 1] = out->knots_first[j] + count;
        if (count == 1) {
            out->shift[j] = 0.5;
            continue;
        }
        for (int64_t i = 0; i < n; i++) v[i] = distribution(count, own, own_cdf, filled(X[i * d + j], fill));
        fit_standard(n, v, 1, NULL, weight, 1, &out->shift[j], &out->factor[j]);
    }
    int64_t all = out->knots_first[d];
    TRY(RESIZE(ctx, mem, out->knot, all));
    return RESIZE(ctx, mem, out->knot_cdf, all);
}

static rung_status fit(rung_ctx *ctx, pool *mem, int64_t d, int64_t n, const double *X, const double *weight,
                       scaling *out)
{
    double *low = NULL, *high = NULL;
    TRY(NEW(ctx, mem, out->shift, d));
    TRY(NEW(ctx, mem, out->factor, d));
    if (out->kind == SCALE_RANK) return fit_rank(ctx, mem, d, n, X, weight, out);
    TRY(NEW_RAW(ctx, &ctx->scratch, low, d));
    TRY(NEW_RAW(ctx, &ctx->scratch, high, d));
    int64_t start = 0;
    while (start + 1 < n && count_of(weight, start) == 0) start++;
    for (int64_t j = 0; j < d; j++) low[j] = high[j] = filled(X[start * d + j], out->fill ? out->fill + j : NULL);
    for (int64_t i = start + 1; i < n; i++)
        for (int64_t j = 0; j < d && count_of(weight, i) > 0; j++) {
            double x = filled(X[i * d + j], out->fill ? out->fill + j : NULL);
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
        }
    for (int64_t j = 0; j < d; j++) {
        TRY(interrupted(ctx));
        out->shift[j] = low[j];
        if (low[j] == high[j]) continue;
        if (out->kind == SCALE_STANDARD || out->kind == SCALE_RELEVANCE)
            fit_standard(n, X + j, d, out->fill ? out->fill + j : NULL, weight, fmax(fabs(low[j]), fabs(high[j])),
                         &out->shift[j], &out->factor[j]);
        else
            out->factor[j] = inverse(high[j] / 2 - low[j] / 2) / 2; /* halves: the difference may overflow */
    }
    return RUNG_OK;
}

static rung_status copy_numbers(rung_ctx *ctx, pool *mem, const double *from, int64_t n, double **to)
{
    *to = NULL;
    if (!from) return RUNG_OK;
    TRY(NEW_RAW(ctx, mem, *to, n));
    memcpy(*to, from, (size_t)n * sizeof **to);
    return RUNG_OK;
}

rung_status scale_fit(rung_ctx *ctx, pool *mem, scale_kind kind, const scale_rows *rows, scaling *out)
{
    *out = (scaling){.kind = kind, .d = rows->d};
    TRY(copy_numbers(ctx, mem, rows->fill, rows->d, &out->fill));
    if (kind == SCALE_NONE) return RUNG_OK;
    if (rows->n < 1) return set_error(ctx, RUNG_EDATA, "no rows to scale by");
    /* where none counts, nothing will be learned from them */
    const double *weight = total_of(rows->n, rows->weight) > 0 ? rows->weight : NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = fit(ctx, mem, rows->d, rows->n, rows->X, weight, out);
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return status;
}

static double scaled(double x, double shift, double factor)
{
    if (factor == 0) return 0;
    double c = x - shift, y = isfinite(c) ? c * factor : (x / 2 - shift / 2) * factor * 2;
    return fmax(-SCALE_MOST, fmin(SCALE_MOST, y));
}

void scale_apply(const scaling *s, int64_t n, const rung_view *X, const int64_t *rows, double *out)
{
    for (int64_t i = 0; i < n; i++) {
        const double *row = X->v + (rows ? rows[i] : i) * X->row;
        double *to = out + i * s->d;
        for (int64_t j = 0; j < s->d; j++) {
            double x = filled(row[j * X->col], s->fill ? s->fill + j : NULL);
            if (s->kind == SCALE_NONE) {
                to[j] = x;
                continue;
            }
            if (s->kind == SCALE_RANK) {
                int64_t first = s->knots_first[j], count = s->knots_first[j + 1] - first;
                x = distribution(count, s->knot + first, s->knot_cdf + first, x);
            }
            to[j] = scaled(x, s->shift[j], s->factor[j]);
        }
    }
}

rung_status scale_copy(rung_ctx *ctx, pool *mem, const scaling *from, scaling *to)
{
    *to = (scaling){.kind = from->kind, .d = from->d};
    TRY(copy_numbers(ctx, mem, from->shift, from->d, &to->shift));
    TRY(copy_numbers(ctx, mem, from->factor, from->d, &to->factor));
    TRY(copy_numbers(ctx, mem, from->fill, from->d, &to->fill));
    if (!from->knots_first) return RUNG_OK;
    TRY(NEW_RAW(ctx, mem, to->knots_first, from->d + 1));
    memcpy(to->knots_first, from->knots_first, (size_t)(from->d + 1) * sizeof *to->knots_first);
    TRY(copy_numbers(ctx, mem, from->knot, from->knots_first[from->d], &to->knot));
    return copy_numbers(ctx, mem, from->knot_cdf, from->knots_first[from->d], &to->knot_cdf);
}

/* The variance of a ranked column is that of its knots: mid-ranks (cdf before + cdf) / 2 with the share of each. */
static double rank_variance(int64_t n, const double *cdf)
{
    double sum = 0, before = 0;
    for (int64_t k = 0; k < n; k++) {
        double middle = 0.5 * (before + cdf[k]) - 0.5;
        sum += (cdf[k] - before) * middle * middle;
        before = cdf[k];
    }
    return sum;
}

void scale_weigh(scaling *s, const double *weight)
{
    for (int64_t j = 0; j < s->d; j++) s->factor[j] *= weight[j];
}

bool scale_weighs(const scaling *s)
{
    if (s->kind != SCALE_RANK) return s->kind != SCALE_NONE;
    for (int64_t j = 0; j < s->d; j++) {
        int64_t first = s->knots_first[j], count = s->knots_first[j + 1] - first;
        double width = s->factor[j] * sqrt(rank_variance(count, s->knot_cdf + first));
        if (s->factor[j] != 0 && fabs(width - 1) > 1e-6) return true;
    }
    return false;
}
