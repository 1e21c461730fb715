// SPDX-License-Identifier: BSD-3-Clause
/* svor_thresholds.c - the sum of C max(0, 1 - s (f - b)) over hinges is convex and piecewise linear in b: its slope
 * rises by C at each F = f - s, from -(sum of C over s = -1). The minimum is where the slope passes 0: a point, or an
 * interval between two neighbouring F. Explicit thresholds in the wrong order are equal at the solution: adjacent ones
 * are pooled until the order holds. */
#include "method/svm/svor_thresholds.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double at, cap;
} kink;

typedef struct {
    const hinge_rows *h;
    const double *f;
    int64_t *order;      /* rows by score */
    kink *above, *below; /* kinks of the hinges with s = +1 and s = -1 in order */
} kinks;

typedef struct {
    double f;
    int64_t row;
} scored;

static int by_score(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->f != y->f) return x->f < y->f ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static rung_status sort_rows(rung_ctx *ctx, kinks *k)
{
    scored *list = NULL;
    int64_t n = k->h->n;
    TRY(NEW_RAW(ctx, &ctx->scratch, list, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, k->order, n));
    for (int64_t i = 0; i < n; i++) list[i] = (scored){k->f[i], i};
    qsort(list, (size_t)n, sizeof *list, by_score);
    for (int64_t i = 0; i < n; i++) k->order[i] = list[i].row;
    return RUNG_OK;
}

/* The middle of the minimisers for thresholds first..last taken as one. */
static double pooled(const kinks *k, int first, int last)
{
    int64_t above = 0, below = 0;
    double total = 0, slope = 0;
    for (int64_t o = 0; o < k->h->n; o++) {
        int64_t i = k->order[o];
        int from, to;
        hinge_range(k->h, i, &from, &to);
        for (int j = from > first ? from : first; j <= to && j <= last; j++) {
            double cap = k->h->cap[i];
            total += cap;
            if (hinge_side(k->h, i, j) > 0) {
                k->above[above++] = (kink){k->f[i] - 1, cap};
            } else {
                k->below[below++] = (kink){k->f[i] + 1, cap};
                slope -= cap;
            }
        }
    }
    double flat = 1e-12 * total, at = NAN;
    for (int64_t a = 0, c = 0; a < above || c < below;) {
        bool next_above = c == below || (a < above && k->above[a].at <= k->below[c].at);
        kink next = next_above ? k->above[a] : k->below[c];
        if (fabs(slope) <= flat) return isnan(at) ? next.at : 0.5 * (at + next.at);
        at = next.at;
        slope += next.cap;
        if (slope > flat) return at;
        a += next_above;
        c += !next_above;
    }
    return at;
}

rung_status best_thresholds(rung_ctx *ctx, const hinge_rows *h, const double *f, double *b)
{
    pool_mark mark = pool_here(&ctx->scratch);
    kinks k = {.h = h, .f = f};
    int J = h->K - 1, blocks = 0, *first = NULL;
    TRY(sort_rows(ctx, &k));
    TRY(NEW_RAW(ctx, &ctx->scratch, k.above, 2 * h->n)); /* explicit: a row counts at two thresholds at most */
    TRY(NEW_RAW(ctx, &ctx->scratch, k.below, 2 * h->n));
    TRY(NEW(ctx, &ctx->scratch, first, J + 1));
    for (int j = 0; j < J; j++) {
        first[blocks++] = j;
        b[j] = pooled(&k, j, j);
        if (h->hinges == SVOR_IMPLICIT && j > 0) b[j] = fmax(b[j], b[j - 1]); /* in order but for rounding */
        while (h->hinges == SVOR_EXPLICIT && blocks > 1 && b[first[blocks - 1]] < b[first[blocks - 1] - 1]) {
            blocks--;
            double together = pooled(&k, first[blocks - 1], j);
            for (int l = first[blocks - 1]; l <= j; l++) b[l] = together;
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
