// SPDX-License-Identifier: BSD-3-Clause
/* Coordinate descent with exact steps. A look at a margin costs O(1), a step O(m). The margins are visited in the order
 * of their first derivatives and curvatures, so that the order of the rows does not matter. */
#include "solve/margins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 100000, REFRESH = 50 };

typedef struct {
    double first; /* derivative at the start */
    margin ends;
    double curvature, beta;
} coordinate;

static double difference(const margin *ends, const double *f)
{
    return (ends->plus >= 0 ? f[ends->plus] : 0) - (ends->minus >= 0 ? f[ends->minus] : 0);
}

static double curvature(const margins_problem *p, const margin *ends)
{
    int64_t a = ends->plus, b = ends->minus, m = p->m;
    double sum = 0;
    if (a >= 0) sum += p->G[a + a * m];
    if (b >= 0) sum += p->G[b + b * m];
    if (a >= 0 && b >= 0) sum -= 2 * p->G[a + b * m];
    return sum;
}

static int by_first(const void *a_, const void *b_)
{
    const coordinate *a = a_, *b = b_;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->curvature != b->curvature) return a->curvature < b->curvature ? -1 : 1;
    if (a->ends.plus != b->ends.plus) return a->ends.plus < b->ends.plus ? -1 : 1;
    return (a->ends.minus > b->ends.minus) - (a->ends.minus < b->ends.minus);
}

static void pull(const margin *ends, double by, double *v)
{
    if (ends->plus >= 0) v[ends->plus] += by;
    if (ends->minus >= 0) v[ends->minus] -= by;
}

/* f = f0 + G v: takes the rounding of many steps back. */
static void refresh(const margins_problem *p, const coordinate *c, margins_solution *s)
{
    memcpy(s->f, p->start, (size_t)p->m * sizeof *s->f);
    memset(s->v, 0, (size_t)p->m * sizeof *s->v);
    for (int64_t i = 0; i < p->count; i++) pull(&c[i].ends, c[i].beta, s->v);
    for (int64_t j = 0; j < p->m; j++)
        for (int64_t i = 0; i < p->m; i++) s->f[i] += s->v[j] * p->G[i + j * p->m];
}

static void move(const margins_problem *p, const coordinate *c, double by, double *f)
{
    int64_t m = p->m;
    const double *plus = c->ends.plus >= 0 ? p->G + c->ends.plus * m : NULL,
                 *minus = c->ends.minus >= 0 ? p->G + c->ends.minus * m : NULL;
    if (plus && minus)
        for (int64_t i = 0; i < m; i++) f[i] += by * (plus[i] - minus[i]);
    else if (plus)
        for (int64_t i = 0; i < m; i++) f[i] += by * plus[i];
    else
        for (int64_t i = 0; i < m; i++) f[i] -= by * minus[i];
}

/* The projected derivative before the step. */
static double step(const margins_problem *p, coordinate *c, double *f)
{
    double g = difference(&c->ends, f) - 1, to;
    if ((c->beta <= 0 && g >= 0) || (c->beta >= p->cap && g <= 0) || g == 0) return 0;
    if (c->curvature > 0)
        to = fmin(fmax(c->beta - g / c->curvature, 0), p->cap);
    else
        to = g < 0 ? p->cap : 0;
    if (to != c->beta) move(p, c, to - c->beta, f);
    c->beta = to;
    return fabs(g);
}

static rung_status descend(rung_ctx *ctx, const margins_problem *p, coordinate *c, margins_solution *s)
{
    for (s->sweeps = 0; s->sweeps < SWEEPS;) {
        double worst = 0, scale = 1;
        for (int64_t i = 0; i < p->count; i++) {
            if (i % 256 == 0) TRY(interrupted(ctx));
            worst = fmax(worst, step(p, c + i, s->f));
        }
        for (int64_t i = 0; i < p->m; i++) scale = fmax(scale, fabs(s->f[i]));
        if (++s->sweeps % REFRESH == 0) refresh(p, c, s);
        if (worst <= fmax(p->tolerance, 1e-14 * scale)) break;
    }
    return RUNG_OK;
}

rung_status margins_solve(rung_ctx *ctx, pool *mem, const margins_problem *p, margins_solution *out)
{
    coordinate *c = NULL;
    *out = (margins_solution){0};
    TRY(NEW(ctx, mem, out->f, p->m));
    TRY(NEW(ctx, mem, out->v, p->m));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, c, p->count));
    for (int64_t i = 0; i < p->count; i++)
        c[i] = (coordinate){.first = difference(&p->margins[i], p->start) - 1,
                            .ends = p->margins[i],
                            .curvature = curvature(p, &p->margins[i])};
    qsort(c, (size_t)p->count, sizeof *c, by_first);
    memcpy(out->f, p->start, (size_t)p->m * sizeof *out->f);
    TRY(descend(ctx, p, c, out));
    refresh(p, c, out);
    for (int64_t i = 0; i < p->count; i++) {
        double g = difference(&c[i].ends, out->f) - 1;
        out->loss += p->cap * fmax(-g, 0);
        out->gap += g > 0 ? c[i].beta * g : (c[i].beta - p->cap) * g;
    }
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
