// SPDX-License-Identifier: BSD-3-Clause
/* Coordinate descent with exact steps. Evaluating a margin costs O(1), a step O(m). Every few sweeps, or when it costs
 * no more than they did, a Newton step over the multipliers within their bounds solves the linear system on which
 * coordinate descent converges slowly. The margins are visited in the order of their first derivatives and curvatures,
 * so that the order of the rows does not matter. */
#include "method/svm/margins.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/la.h"

enum { SWEEPS = 100000, NEWTON = 3 /* sweeps */ };

static const double LITTLE = 1e-15; /* of the trace: makes a matrix definite */

typedef struct {
    double first; /* derivative at the start */
    margin ends;
    double curvature, beta;
    int64_t place; /* among the margins given */
} coordinate;

static double difference(const margin *ends, const double *f)
{
    return (ends->plus >= 0 ? f[ends->plus] : 0) - (ends->minus >= 0 ? f[ends->minus] : 0);
}

static double cap_of(const margins_problem *p, const margin *ends)
{
    double cap = p->cap;
    if (p->weight && ends->plus >= 0) cap *= p->weight[ends->plus];
    if (p->weight && ends->minus >= 0) cap *= p->weight[ends->minus];
    return cap;
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

/* f = f0 + G v: removes the accumulated rounding of many steps. */
static void refresh(const margins_problem *p, const coordinate *c, margins_solution *s)
{
    memcpy(s->f, p->start, (size_t)p->m * sizeof *s->f);
    memset(s->v, 0, (size_t)p->m * sizeof *s->v);
    for (int64_t i = 0; i < p->count; i++) pull(&c[i].ends, c[i].beta, s->v);
    for (int64_t j = 0; j < p->m; j++)
        for (int64_t i = 0; i < p->m && s->v[j] != 0; i++) s->f[i] += s->v[j] * p->G[i + j * p->m];
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
    double g = difference(&c->ends, f) - 1, cap = cap_of(p, &c->ends), to;
    if ((c->beta <= 0 && g >= 0) || (c->beta >= cap && g <= 0) || g == 0) return 0;
    if (c->curvature > 0)
        to = fmin(fmax(c->beta - g / c->curvature, 0), cap);
    else
        to = g < 0 ? cap : 0;
    if (to != c->beta) move(p, c, to - c->beta, f);
    c->beta = to;
    return fabs(g);
}

/* ---- all free multipliers at once ---- */

/* Multipliers strictly within their bounds, one per edge of a forest over the scores: the others are linear
 * combinations, and a step over all would be singular. Those farthest from their bounds come first. */
typedef struct {
    int64_t size;
    int64_t *edge;   /* indices of coordinates */
    int64_t *parent; /* m + 1: union-find; the last is the score that is always 0 */
} forest;

typedef struct {
    double room;
    int64_t index;
} candidate;

static int by_room(const void *a_, const void *b_)
{
    const candidate *a = a_, *b = b_;
    if (a->room != b->room) return a->room > b->room ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int64_t root_of(int64_t *parent, int64_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static double room_of(const margins_problem *p, const coordinate *c)
{
    return fmin(c->beta, cap_of(p, &c->ends) - c->beta);
}

static rung_status grow_forest(rung_ctx *ctx, const margins_problem *p, const coordinate *c, forest *out)
{
    candidate *list = NULL;
    int64_t found = 0, free_ones = 0;
    *out = (forest){0};
    for (int64_t i = 0; i < p->count; i++) free_ones += room_of(p, &c[i]) > 0;
    TRY(NEW(ctx, &ctx->scratch, out->edge, p->m));
    TRY(NEW(ctx, &ctx->scratch, out->parent, p->m + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, list, free_ones));
    for (int64_t i = 0; i <= p->m; i++) out->parent[i] = i;
    for (int64_t i = 0; i < p->count; i++)
        if (room_of(p, &c[i]) > 0) list[found++] = (candidate){room_of(p, &c[i]), i};
    qsort(list, (size_t)found, sizeof *list, by_room);
    for (int64_t k = 0; k < found; k++) {
        const margin *ends = &c[list[k].index].ends;
        int64_t a = root_of(out->parent, ends->plus >= 0 ? ends->plus : p->m),
                b = root_of(out->parent, ends->minus >= 0 ? ends->minus : p->m);
        if (a == b) continue;
        out->parent[a] = b;
        out->edge[out->size++] = list[k].index;
    }
    return RUNG_OK;
}

static double entry(const margins_problem *p, int64_t a, int64_t b)
{
    return a >= 0 && b >= 0 ? p->G[a + b * p->m] : 0;
}

/* The multipliers of the forest move to where their derivatives are all 0. One that reaches a bound on the way stays
 * there, and the others continue: H step = 1 - differences but for the pinned ones. With full = H^-1 (1 - differences)
 * and Y = H^-1 of their columns this is step = full - Y (Y_pinned)^-1 full_pinned; the remaining derivatives shrink in
 * proportion, so H is factored once. */
typedef struct {
    const forest *t;
    double *L; /* size x size: Cholesky factor of H, and above the diagonal its transpose */
    double *full, *step;
    bool *pinned;
    int64_t n, room, *pin; /* the active ones, in the order in which they were added */
    double *Y;             /* size x n */
    double *R;             /* n x n by rows of length room: the Cholesky factor of the pinned rows of Y */
    double *x;             /* room */
} face;

enum { PINNED_MOST = 200 };

/* x := (L L')^-1 x, the entries before `first` being 0. For a single column a triangular solve of BLAS takes longer
 * than the arithmetic does. */
static void solve(int64_t k, const double *L, int64_t first, double *x)
{
    for (int64_t j = first; j < k; j++) {
        const double *column = L + j * k;
        x[j] /= column[j];
        for (int64_t i = j + 1; i < k; i++) x[i] -= column[i] * x[j];
    }
    for (int64_t j = k; j-- > 0;) {
        const double *column = L + j * k;
        x[j] /= column[j];
        for (int64_t i = 0; i < j; i++) x[i] -= column[i] * x[j];
    }
}

static rung_status face_new(rung_ctx *ctx, const margins_problem *p, const coordinate *c, const double *f,
                            const forest *t, face *out)
{
    int64_t k = t->size, room = k < PINNED_MOST ? k : PINNED_MOST;
    double *H = NULL, trace = 0;
    *out = (face){.t = t, .room = room};
    TRY(NEW(ctx, &ctx->scratch, out->full, k));
    TRY(NEW(ctx, &ctx->scratch, out->step, k));
    TRY(NEW(ctx, &ctx->scratch, out->pinned, k));
    TRY(NEW(ctx, &ctx->scratch, out->pin, room));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->Y, k * room));
    TRY(NEW(ctx, &ctx->scratch, out->R, room * room));
    TRY(NEW(ctx, &ctx->scratch, out->x, room));
    TRY(NEW_RAW(ctx, &ctx->scratch, H, k * k));
    for (int64_t j = 0; j < k; j++) {
        const margin *y = &c[t->edge[j]].ends;
        for (int64_t i = 0; i < k; i++) {
            const margin *x = &c[t->edge[i]].ends;
            H[i + j * k] = entry(p, x->plus, y->plus) - entry(p, x->plus, y->minus) - entry(p, x->minus, y->plus) +
                           entry(p, x->minus, y->minus);
        }
        out->full[j] = 1 - difference(y, f);
        trace += H[j + j * k];
    }
    for (int64_t j = 0; j < k; j++) H[j + j * k] += LITTLE * trace;
    TRY(la_small_spd_factor(ctx, (int)k, H));
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < j; i++) H[i + j * k] = H[j + i * k];
    out->L = H;
    solve(k, H, 0, out->full);
    return RUNG_OK;
}

static void add_pin(face *a, int64_t index)
{
    int64_t k = a->t->size, n = a->n;
    double *y = a->Y + n * k, *last = a->R + n * a->room;
    memset(y, 0, (size_t)k * sizeof *y);
    y[index] = 1;
    solve(k, a->L, index, y);
    double pivot = y[index];
    for (int64_t j = 0; j < n; j++) {
        const double *row = a->R + j * a->room;
        double x = y[a->pin[j]];
        for (int64_t i = 0; i < j; i++) x -= row[i] * last[i];
        last[j] = x / row[j];
        pivot -= last[j] * last[j];
    }
    last[n] = pivot > 1e-12 * y[index] ? sqrt(pivot) : INFINITY; /* it follows from the others */
    a->pinned[index] = true;
    a->pin[a->n++] = index;
}

static void direction(face *a)
{
    int64_t k = a->t->size, n = a->n;
    double *x = a->x;
    for (int64_t j = 0; j < n; j++) {
        const double *row = a->R + j * a->room;
        x[j] = a->full[a->pin[j]];
        for (int64_t i = 0; i < j; i++) x[j] -= row[i] * x[i];
        x[j] /= row[j];
    }
    for (int64_t j = n; j-- > 0;) {
        const double *row = a->R + j * a->room;
        x[j] /= row[j];
        for (int64_t i = 0; i < j; i++) x[i] -= row[i] * x[j];
    }
    memcpy(a->step, a->full, (size_t)k * sizeof *a->step);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < k; i++) a->step[i] -= a->Y[i + j * k] * x[j];
    for (int64_t j = 0; j < n; j++) a->step[a->pin[j]] = 0;
}

static void follow(const margins_problem *p, coordinate *c, face *a)
{
    for (double left = 1; left > 0;) {
        int64_t blocking = -1;
        double length = left;
        direction(a);
        for (int64_t j = 0; j < a->t->size; j++) {
            const coordinate *edge = &c[a->t->edge[j]];
            double room = a->step[j] > 0 ? cap_of(p, &edge->ends) - edge->beta : -edge->beta;
            if (a->step[j] == 0 || room / a->step[j] >= length) continue;
            length = room / a->step[j];
            blocking = j;
        }
        for (int64_t j = 0; j < a->t->size; j++) {
            coordinate *edge = &c[a->t->edge[j]];
            double cap = cap_of(p, &edge->ends);
            edge->beta = fmin(fmax(edge->beta + length * a->step[j], 0), cap);
            if (j == blocking) edge->beta = a->step[j] > 0 ? cap : 0;
        }
        if (blocking < 0 || a->n == a->room) return;
        left -= length;
        add_pin(a, blocking);
    }
}

/* 1/2 v'G v + f0'v - sum beta, with f = f0 + G v. */
static double dual(const margins_problem *p, const coordinate *c, const margins_solution *s)
{
    double sum = 0;
    for (int64_t i = 0; i < p->m; i++) sum += 0.5 * s->v[i] * (s->f[i] + p->start[i]);
    for (int64_t i = 0; i < p->count; i++) sum -= c[i].beta;
    return sum;
}

/* Reverts the step if the dual did not decrease, which can happen with a nearly singular H. */
static rung_status newton_step(rung_ctx *ctx, const margins_problem *p, coordinate *c, margins_solution *s)
{
    pool_mark mark = pool_here(&ctx->scratch);
    forest t;
    face a;
    double *from = NULL;
    TRY(grow_forest(ctx, p, c, &t));
    TRY(NEW(ctx, &ctx->scratch, from, t.size));
    for (int64_t j = 0; j < t.size; j++) from[j] = c[t.edge[j]].beta;
    refresh(p, c, s);
    double before = dual(p, c, s);
    rung_status status = t.size > 0 ? face_new(ctx, p, c, s->f, &t, &a) : RUNG_OK;
    if (status == RUNG_OK && t.size > 0) follow(p, c, &a);
    if (status != RUNG_OK && status != RUNG_ESINGULAR) return status;
    if (status == RUNG_ESINGULAR) ctx->message[0] = 0;
    refresh(p, c, s);
    if (!(dual(p, c, s) <= before)) {
        for (int64_t j = 0; j < t.size; j++) c[t.edge[j]].beta = from[j];
        refresh(p, c, s);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The approximate flops of a Newton step. */
static double newton_flops(const margins_problem *p, const coordinate *c)
{
    double k = 0;
    for (int64_t i = 0; i < p->count; i++) k += room_of(p, &c[i]) > 0;
    k = fmin(k, (double)p->m);
    return k * k * k / 3 + 4 * k * (double)p->m;
}

/* The largest derivative that may be nothing but rounding: scores are sums of the pulls, which may be far larger. */
static double rounding_of(const margins_problem *p, const coordinate *c, const double *f)
{
    double scale = 1, pulls = 0;
    for (int64_t i = 0; i < p->m; i++) scale = fmax(scale, fabs(f[i]));
    for (int64_t i = 0; i < p->count; i++) pulls += c[i].beta * c[i].curvature;
    return fmax(1e-14 * scale, 4 * DBL_EPSILON * pulls);
}

static rung_status descend(rung_ctx *ctx, const margins_problem *p, coordinate *c, margins_solution *s)
{
    double work = 0; /* flops since the last Newton step */
    for (s->sweeps = 0; s->sweeps < SWEEPS;) {
        double worst = 0;
        for (int64_t i = 0; i < p->count; i++) {
            if (i % 256 == 0) TRY(interrupted(ctx));
            double g = step(p, c + i, s->f);
            worst = fmax(worst, g);
            if (g > 0) work += 4 * (double)p->m;
        }
        if (worst <= p->tolerance || worst <= rounding_of(p, c, s->f)) return RUNG_OK;
        if (++s->sweeps % NEWTON != 0 && work < newton_flops(p, c)) continue;
        TRY(newton_step(ctx, p, c, s));
        work = 0;
    }
    log_at(ctx, RUNG_LOG_WARNING, "the support vector problem is not solved to its tolerance after %d sweeps", SWEEPS);
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
        c[i] = (coordinate){.ends = p->margins[i],
                            .place = i,
                            .curvature = curvature(p, &p->margins[i]),
                            .beta = p->begin ? fmin(p->begin[i], cap_of(p, &p->margins[i])) : 0};
    refresh(p, c, out);
    for (int64_t i = 0; i < p->count; i++) c[i].first = difference(&c[i].ends, out->f) - 1;
    qsort(c, (size_t)p->count, sizeof *c, by_first);
    TRY(descend(ctx, p, c, out));
    refresh(p, c, out);
    for (int64_t i = 0; i < p->count; i++) {
        double g = difference(&c[i].ends, out->f) - 1, cap = cap_of(p, &c[i].ends);
        if (p->beta) p->beta[c[i].place] = c[i].beta;
        out->loss += cap * fmax(-g, 0);
        out->gap += g > 0 ? c[i].beta * g : (c[i].beta - cap) * g;
    }
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
