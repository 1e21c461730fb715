// SPDX-License-Identifier: BSD-3-Clause
#include "eval/conformal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/pool.h"

typedef struct {
    int low, high;
    double mass;
} range;

static range range_at(const double *p, int start) { return (range){.low = start, .high = start, .mass = p[start - 1]}; }

/* The rank added next to an interval; ties go to the lower one. 0: it has all ranks. */
static int next_rank(int K, const double *p, const range *r)
{
    bool down = r->low > 1, up = r->high < K;
    if (down && up) return p[r->low - 2] >= p[r->high] ? r->low - 1 : r->high + 1;
    return down ? r->low - 1 : up ? r->high + 1 : 0;
}

static void take_in(const double *p, int rank, range *r)
{
    if (rank < r->low) r->low = rank;
    if (rank > r->high) r->high = rank;
    r->mass += p[rank - 1];
}

double conformal_score(int K, const double *p, int start, int y)
{
    if (y == start) return 0.5 * p[start - 1];
    range r = range_at(p, start);
    int next;
    while ((next = next_rank(K, p, &r)) != y) take_in(p, next, &r);
    return r.mass + 0.5 * p[y - 1];
}

void conformal_range(int K, const double *p, int start, double limit, int *low, int *high)
{
    range r = range_at(p, start);
    for (int next; (next = next_rank(K, p, &r)) && r.mass + 0.5 * p[next - 1] <= limit;) take_in(p, next, &r);
    *low = r.low;
    *high = r.high;
}

typedef struct {
    double score;
    int rank;
} scored;

static int by_score(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

rung_status conformal_sort(rung_ctx *ctx, conformal *c)
{
    pool_mark mark = pool_here(&ctx->scratch);
    scored *row = NULL;
    TRY(NEW(ctx, &ctx->scratch, row, c->n));
    for (int64_t i = 0; i < c->n; i++) row[i] = (scored){c->score[i], c->rank ? c->rank[i] : 0};
    qsort(row, (size_t)c->n, sizeof *row, by_score);
    for (int64_t i = 0; i < c->n; i++) {
        c->score[i] = row[i].score;
        if (c->rank) c->rank[i] = row[i].rank;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Of N + 1 exchangeable scores the new row's is among the k lowest with probability k / (N + 1). A whole row more than
 * the level requires would guarantee it, but with a dozen rows mean 0.95 instead of 0.9; half a row more (linear
 * between two scores) attains it on average. Rows held out several times, in folds, need no half: they are predicted by
 * models of clearly fewer rows, whose larger errors widen the intervals. Their R scores have the middle of the k-th row
 * at position k R - (R - 1) / 2. */
double conformal_limit(const conformal *c, double level)
{
    double repeats = c->repeats, rows = (double)c->n / repeats, least = level * (rows + (double)c->missed + 1) - 1e-9;
    if (least > rows) return INFINITY;
    double place = fmin(c->repeats == 1 ? least + 0.5 : least, rows) * repeats - (repeats - 1) / 2;
    int64_t below = (int64_t)fmax(place, 0); /* scores that are certainly within the limit */
    double from = below > 0 ? c->score[below - 1] : 0, share = fmax(place, 0) - (double)below;
    return below < c->n ? from + share * (c->score[below] - from) : from;
}

rung_status conformal_limits(rung_ctx *ctx, const conformal *c, double level, int K, double *limit)
{
    pool_mark mark = pool_here(&ctx->scratch);
    conformal own = {.repeats = c->repeats};
    double all = conformal_limit(c, level);
    TRY(NEW(ctx, &ctx->scratch, own.score, c->n));
    for (int q = 1; q <= K; q++) {
        own.n = 0;
        for (int64_t i = 0; i < c->n; i++)
            if (c->rank[i] == q) own.score[own.n++] = c->score[i];
        limit[q - 1] = conformal_limit(&own, level);
        if (isinf(limit[q - 1])) limit[q - 1] = own.n > 0 ? fmax(all, own.score[own.n - 1]) : all;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

void conformal_range_by_class(int K, const double *p, int start, const double *limit, int *low, int *high)
{
    *low = *high = start;
    for (int y = 1; y <= K; y++) {
        if (conformal_score(K, p, start, y) > limit[y - 1]) continue;
        if (y < *low) *low = y;
        if (y > *high) *high = y;
    }
}
