// SPDX-License-Identifier: BSD-3-Clause
#include "method/svm/smo.h"

#include <math.h>

#include "method/svm/smo_newton.h"

enum {
    TIDY = 200,         /* pairs between two looks at all hinges, or more: ... */
    LOOK_SHARE = 10,    /* ... they look at this many times as many */
    NO_GAIN_MOST = 500, /* full scans without a smaller gap: rounding prevents progress */
    MANY = 16           /* times the rows: more hinges than this are not scanned for every pair */
};

/* When thresholds are processed in turn, each continues until its violation is this share of the largest one. */
static const double LEVEL = 0.1;

typedef struct { /* of one threshold: */
    double fall,
        rise; /* the largest F among the variables that may decrease, the smallest among those that may increase */
    int64_t falls, rises; /* whose they are; -1: there is none */
} bounds;

typedef struct {
    smo *p;
    bounds *bounds;
    int64_t *active, *n_active; /* active hinges: those of threshold g begin at active[first[g]] */
    int64_t n_free;             /* pulls strictly within their bounds */
    double least;               /* a violation that is only rounding error */
} search;

static rung_status search_new(rung_ctx *ctx, smo *p, search *s)
{
    *s = (search){.p = p};
    TRY(NEW(ctx, &ctx->scratch, s->bounds, p->thresholds));
    TRY(NEW(ctx, &ctx->scratch, s->active, p->first[p->thresholds]));
    return NEW(ctx, &ctx->scratch, s->n_active, p->thresholds);
}

/* ---- which hinges violate optimality ---- */

static bounds bounds_at(const search *s, int g, int64_t *n_free)
{
    const smo *p = s->p;
    bounds b = {.fall = -INFINITY, .rise = INFINITY, .falls = -1, .rises = -1};
    const int64_t *list = s->active + p->first[g];
    int64_t free_ones = 0, count = s->n_active[g];
    for (int64_t i = 0; i < count; i++) {
        const hinge *h = &p->hinges[list[i]];
        double F = p->f[h->row] - h->side;
        bool may_fall = h->pull > h->low, may_rise = h->pull < h->high;
        if (may_fall && F > b.fall) b.fall = F, b.falls = list[i];
        if (may_rise && F < b.rise) b.rise = F, b.rises = list[i];
        free_ones += may_fall && may_rise;
    }
    *n_free += free_ones;
    return b;
}

static void find_bounds(search *s)
{
    s->n_free = 0;
    for (int g = 0; g < s->p->thresholds; g++) s->bounds[g] = bounds_at(s, g, &s->n_free);
}

/* How much may be moved from the variables of threshold `from` to those of `to` (equal if there are no flows). Upwards
 * the flow only increases. */
static double room_between(const smo *p, int from, int to)
{
    double room = INFINITY;
    for (int g = to; g < from; g++) room = fmin(room, p->flow[g]);
    return room;
}

/* The two thresholds with the largest violation, and its size. A decrease at one threshold may be balanced by an
 * increase at any higher one, and at lower ones as far as positive flows connect them. */
static double most_violating(const search *s, int *from, int *to)
{
    const double *flow = s->p->flow;
    const bounds *b = s->bounds;
    double most = -INFINITY;
    int lowest = s->p->thresholds - 1; /* the smallest rise among those that may be chosen */
    for (int last = lowest, first; last >= 0; last = first - 1) {
        for (first = last; flow && first > 0 && flow[first - 1] > 0; first--) continue;
        if (!flow) lowest = last;
        for (int g = last; g >= first; g--)
            if (b[g].rise <= b[lowest].rise) lowest = g;
        for (int g = last; g >= first; g--)
            if (b[g].fall - b[lowest].rise >= most) {
                most = b[g].fall - b[lowest].rise;
                *from = g;
                *to = lowest;
            }
    }
    return most;
}

/* The rounding error of F, a sum of dual variables as large as the largest C. */
static double rounding(const smo *p)
{
    double score = 1, pull = 0, diagonal = 0;
    for (int64_t i = 0; i < p->m; i++) score = fmax(score, fabs(p->f[i]));
    for (int64_t i = 0; i < p->m; i++) diagonal = fmax(diagonal, p->Q[i * (p->m + 1)]);
    for (int64_t i = 0; i < p->first[p->thresholds]; i++) pull = fmax(pull, fabs(p->hinges[i].pull));
    return 1e-13 * score + 1e-15 * pull * diagonal;
}

/* Scans all hinges. Those at a bound that are in no violating pair now are skipped until the next scan. */
static void look(search *s)
{
    const smo *p = s->p;
    double most = -INFINITY, least = INFINITY;
    s->least = rounding(p);
    for (int g = 0; g < p->thresholds; g++) {
        s->n_active[g] = p->first[g + 1] - p->first[g];
        for (int64_t i = 0; i < s->n_active[g]; i++) s->active[p->first[g] + i] = p->first[g] + i;
    }
    find_bounds(s);
    for (int g = 0; g < p->thresholds; g++) {
        most = fmax(most, s->bounds[g].fall);
        least = fmin(least, s->bounds[g].rise);
    }
    for (int g = 0; g < p->thresholds; g++) {
        int64_t *list = s->active + p->first[g], kept = 0;
        double fall = p->flow ? most : s->bounds[g].fall, rise = p->flow ? least : s->bounds[g].rise;
        for (int64_t i = 0; i < s->n_active[g]; i++) {
            const hinge *h = &p->hinges[list[i]];
            double F = p->f[h->row] - h->side;
            if ((h->pull > h->low && F >= rise) || (h->pull < h->high && F <= fall)) list[kept++] = list[i];
        }
        s->n_active[g] = kept;
    }
}

/* The duality gap with thresholds midway between the bounds given by the dual variables, in order if required. */
static double measure_gap(const search *s)
{
    const smo *p = s->p;
    double gap = 0, before = 0;
    for (int g = 0; g < p->thresholds; g++) {
        const bounds *b = &s->bounds[g];
        double at = b->falls < 0 ? b->rise : b->rises < 0 ? b->fall : 0.5 * (b->fall + b->rise);
        if (p->flow && g > 0) {
            at = fmax(at, before);
            gap += p->flow[g - 1] * (at - before);
        }
        for (int64_t i = p->first[g]; i < p->first[g + 1]; i++)
            gap += hinge_gap(&p->hinges[i], p->f[p->hinges[i].row], at);
        before = at;
    }
    return gap;
}

/* ---- pairs ---- */

/* The gain of the quadratic model for a pair, ignoring bounds; coinciding rows have no curvature. */
static double curvature(double own, double other, double cross)
{
    return fmax(own + other - 2 * cross, fmax(1e-12 * (own + other), 1e-300));
}

/* The variable of threshold `to` to increase, given the one to decrease: the largest gain. */
static int64_t best_partner(const search *s, const hinge *falls, int to)
{
    const smo *p = s->p;
    const double *q = p->Q + falls->row * p->m;
    double F = p->f[falls->row] - falls->side, best = 0;
    int64_t partner = s->bounds[to].rises;
    const int64_t *list = s->active + p->first[to];
    for (int64_t i = 0; i < s->n_active[to]; i++) {
        const hinge *h = &p->hinges[list[i]];
        double off = F - (p->f[h->row] - h->side);
        if (!(h->pull < h->high) || off <= 0) continue;
        double gain = off * off / curvature(q[falls->row], p->Q[h->row * (p->m + 1)], q[h->row]);
        if (gain > best) best = gain, partner = list[i];
    }
    return partner;
}

/* False if the step is lost in rounding. */
static bool move_pair(const smo *p, hinge *falls, hinge *rises, int from, int to)
{
    const double *q = p->Q + falls->row * p->m, *r = p->Q + rises->row * p->m;
    double off = p->f[falls->row] - falls->side - (p->f[rises->row] - rises->side);
    double down = falls->pull - falls->low, up = rises->high - rises->pull, room = room_between(p, from, to);
    double step = fmin(off / curvature(q[falls->row], r[rises->row], q[rises->row]), fmin(room, fmin(down, up)));
    double fallen = step == down ? falls->low : falls->pull - step,
           risen = step == up ? rises->high : rises->pull + step;
    if (fallen == falls->pull && risen == rises->pull && step != room) return false;
    falls->pull = fallen;
    rises->pull = risen;
    for (int g = from; g < to; g++) p->flow[g] += step;
    for (int g = to; g < from; g++) p->flow[g] = p->flow[g] > step ? p->flow[g] - step : 0;
    for (int64_t i = 0; i < p->m && q != r; i++) p->f[i] += step * (r[i] - q[i]);
    return true;
}

/* Several pairs, each with the largest violation. False if no progress is possible. */
static bool run_pairs(search *s, int64_t looked_at, smo_effort *effort)
{
    smo *p = s->p;
    int64_t pairs = LOOK_SHARE * p->first[p->thresholds] / (p->m + looked_at);
    if (pairs < TIDY) pairs = TIDY;
    for (int64_t i = 0; i < pairs; i++) {
        int from = 0, to = 0;
        if (i > 0) find_bounds(s);
        if (most_violating(s, &from, &to) <= s->least) return i > 0; /* a look may find more */
        hinge *falls = &p->hinges[s->bounds[from].falls];
        if (!move_pair(p, falls, &p->hinges[best_partner(s, falls, to)], from, to)) return false;
        effort->work += 4 * (double)(p->m + looked_at);
    }
    return true;
}

/* The thresholds in turn: a pair costs a scan of the hinges of one of them. */
static bool run_turns(const rung_ctx *ctx, search *s, smo_effort *effort)
{
    smo *p = s->p;
    int from = 0, to = 0;
    bool moved = false;
    double level = fmax(LEVEL * most_violating(s, &from, &to), s->least);
    for (int g = 0; g < p->thresholds && !stop_asked(ctx); g++)
        for (int i = 0; i < TIDY; i++) {
            int64_t n_free = 0;
            s->bounds[g] = bounds_at(s, g, &n_free);
            if (s->bounds[g].fall - s->bounds[g].rise <= level) break;
            hinge *falls = &p->hinges[s->bounds[g].falls];
            if (!move_pair(p, falls, &p->hinges[best_partner(s, falls, g)], g, g)) break;
            effort->work += 4 * (double)(p->m + s->n_active[g]);
            moved = true;
        }
    return moved || stop_asked(ctx); /* the next look tells */
}

static bool run(const rung_ctx *ctx, search *s, smo_effort *effort)
{
    int64_t looked_at = 0;
    for (int g = 0; g < s->p->thresholds; g++) looked_at += s->n_active[g];
    return !s->p->flow && looked_at > MANY * s->p->m ? run_turns(ctx, s, effort) : run_pairs(s, looked_at, effort);
}

rung_status smo_solve(rung_ctx *ctx, smo *p, smo_effort *effort)
{
    pool_mark mark = pool_here(&ctx->scratch);
    search s;
    double credit = 0, smallest = INFINITY;
    int no_gain = 0;
    TRY(search_new(ctx, p, &s));
    for (;;) {
        TRY(interrupted(ctx));
        look(&s);
        double gap = measure_gap(&s), before = effort->work;
        no_gain = gap < smallest ? 0 : no_gain + 1;
        smallest = fmin(smallest, gap);
        if (gap <= effort->gap || effort->work >= effort->limit || no_gain > NO_GAIN_MOST) break;
        if (!run(ctx, &s, effort)) break;
        credit += effort->work - before;
        if (credit < newton_flops(p->m, s.n_free, p->thresholds)) continue;
        TRY(newton_step(ctx, p, effort));
        credit = 0;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
