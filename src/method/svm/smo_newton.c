// SPDX-License-Identifier: BSD-3-Clause
/* smo_newton.c - the pulls within their bounds, all at once.
 *
 *     minimise  1/2 x'H x + g'x   subject to  A x = 0,     H = Q on the rows of the free pulls + little I,  g = F
 *
 * A starts with one row per threshold: the sum of the pulls on thresholds 0..g is constant unless a flow can absorb its
 * change. H is factored once. A pull that reaches its bound, or a flow that reaches 0, becomes one more row of A, which
 * costs one solve with the factor; the others continue from there. The little I makes H definite where rows coincide or
 * a linear kernel has fewer columns than there are free pulls. The line search uses Q itself, and a full step is
 * repeated on the residual caused by the little I, so that the original problem is solved. */
#include "method/svm/smo_newton.h"

#include <math.h>
#include <string.h>

#include "linalg/la.h"

enum { FREE_MOST = 4000, BLOCKED_MOST = 200, REPEATS = 3 };

static const double LITTLE = 1e-10; /* of the mean diagonal */

typedef struct {   /* a row of A: */
    int threshold; /* the pulls on thresholds 0..threshold; -1: a single one */
    int64_t pull;
} tie;

typedef struct {
    smo *p;
    int64_t n;                 /* free pulls ... */
    int64_t *which;            /* ... their hinges */
    int *threshold;            /* ... and thresholds, which do not decrease */
    double *g;                 /* derivatives ... */
    double noise;              /* ... and their rounding error */
    double *step, *along_step; /* where to; Q times it */
    double *change;            /* the progress of the pulls */
    la_mat *L;                 /* of H */
    int ties, room;
    tie *tied;
    bool *pinned;   /* n: tied by itself */
    double *Y;      /* n x ties: H^-1 A' */
    double *R;      /* ties x ties by rows: the Cholesky factor of A H^-1 A' */
    double *lambda; /* ties */
} face;

double newton_flops(int64_t m, int64_t n_free, int thresholds)
{
    double n = (double)n_free;
    if (n_free < 2 || n_free > FREE_MOST) return INFINITY;
    return n * n * n / 3 + 4 * n * n * (thresholds + 1) + 10 * (double)m * n + 1e4;
}

/* ---- the system ---- */

static rung_status face_new(rung_ctx *ctx, smo *p, face *a)
{
    *a = (face){.p = p};
    int64_t hinges = p->first[p->thresholds];
    TRY(NEW(ctx, &ctx->scratch, a->which, hinges));
    TRY(NEW(ctx, &ctx->scratch, a->threshold, hinges));
    for (int g = 0; g < p->thresholds; g++)
        for (int64_t i = p->first[g]; i < p->first[g + 1]; i++)
            if (p->hinges[i].pull > p->hinges[i].low && p->hinges[i].pull < p->hinges[i].high) {
                a->threshold[a->n] = g;
                a->which[a->n++] = i;
            }
    a->room = p->thresholds + (int)(a->n < BLOCKED_MOST ? a->n : BLOCKED_MOST);
    TRY(NEW(ctx, &ctx->scratch, a->g, a->n));
    TRY(NEW(ctx, &ctx->scratch, a->step, a->n));
    TRY(NEW(ctx, &ctx->scratch, a->along_step, a->n));
    TRY(NEW(ctx, &ctx->scratch, a->change, a->n));
    TRY(NEW(ctx, &ctx->scratch, a->pinned, a->n));
    TRY(NEW(ctx, &ctx->scratch, a->tied, a->room));
    TRY(NEW(ctx, &ctx->scratch, a->lambda, a->room));
    TRY(NEW_RAW(ctx, &ctx->scratch, a->Y, a->n * a->room));
    TRY(NEW(ctx, &ctx->scratch, a->R, (int64_t)a->room * a->room));
    for (int64_t i = 0; i < a->n; i++) {
        a->g[i] = p->f[p->hinges[a->which[i]].row] - p->hinges[a->which[i]].side;
        a->noise = fmax(a->noise, 1e-15 * fabs(a->g[i]));
    }
    return RUNG_OK;
}

static rung_status factor(rung_ctx *ctx, face *a)
{
    const smo *p = a->p;
    double *H = NULL, trace = 0;
    TRY(la_new(ctx, &ctx->scratch, a->n, a->n, &a->L));
    TRY(NEW_RAW(ctx, &ctx->scratch, H, a->n * a->n));
    for (int64_t j = 0; j < a->n; j++) {
        const double *q = p->Q + p->hinges[a->which[j]].row * p->m;
        for (int64_t i = 0; i < a->n; i++) H[i + j * a->n] = q[p->hinges[a->which[i]].row];
        trace += H[j * (a->n + 1)];
    }
    for (int64_t j = 0; j < a->n; j++) H[j * (a->n + 1)] += LITTLE * trace / (double)a->n;
    la_put(H, a->L);
    pool_free(&ctx->scratch, H);
    return la_potrf(ctx, a->L);
}

/* A row of A times x. */
static double along(const face *a, const tie *t, const double *x)
{
    if (t->threshold < 0) return x[t->pull];
    double sum = 0;
    for (int64_t i = 0; i < a->n && a->threshold[i] <= t->threshold; i++) sum += x[i];
    return sum;
}

/* One more row of A, and of the factor of A H^-1 A'. */
static rung_status add_tie(rung_ctx *ctx, face *a, tie t)
{
    int n = a->ties;
    double *y = a->Y + n * a->n, *last = a->R + n * a->room;
    memset(y, 0, (size_t)a->n * sizeof *y);
    if (t.threshold < 0) y[t.pull] = 1;
    for (int64_t i = 0; i < a->n && a->threshold[i] <= t.threshold; i++) y[i] = 1;
    TRY(la_potrs(ctx, a->L, 1, y));
    double own = along(a, &t, y), pivot = own;
    for (int j = 0; j < n; j++) {
        const double *row = a->R + j * a->room;
        double x = along(a, &a->tied[j], y);
        for (int k = 0; k < j; k++) x -= row[k] * last[k];
        last[j] = x / row[j];
        pivot -= last[j] * last[j];
    }
    last[n] = pivot > 1e-12 * own ? sqrt(pivot) : INFINITY; /* it depends on the others: no multiplier */
    a->tied[a->ties++] = t;
    return RUNG_OK;
}

/* x := (A H^-1 A')^-1 x. */
static void solve_ties(const face *a, double *x)
{
    for (int j = 0; j < a->ties; j++) {
        const double *row = a->R + j * a->room;
        for (int k = 0; k < j; k++) x[j] -= row[k] * x[k];
        x[j] /= row[j];
    }
    for (int j = a->ties; j-- > 0;) {
        const double *row = a->R + j * a->room;
        x[j] /= row[j];
        for (int k = 0; k < j; k++) x[k] -= row[k] * x[j];
    }
}

/* ---- the step ---- */

/* Adding a row of A to g changes nothing, but large numbers that cancel cost digits: g becomes its deviation from the
 * mean over the pulls that share a sum, and 0 for a pull that cannot move. */
static void centre(face *a)
{
    const smo *p = a->p;
    for (int k = 0; k < a->ties; k++)
        if (a->tied[k].threshold < 0) a->pinned[a->tied[k].pull] = true;
    for (int64_t from = 0, to = 0; from < a->n; from = to) {
        int last = a->threshold[from]; /* thresholds share a sum up to the first one without a flow */
        while (p->flow && last + 1 < p->thresholds && p->flow[last] > 0) last++;
        double mean = 0, count = 0;
        for (to = from; to < a->n && a->threshold[to] <= last; to++)
            if (!a->pinned[to]) mean += (a->g[to] - mean) / ++count;
        for (int64_t i = from; i < to; i++) a->g[i] = a->pinned[i] ? 0 : a->g[i] - mean;
    }
}

/* step = -H^-1 (g + A'lambda) with A step = 0; the second pass corrects the rounding error of A step. */
static rung_status direction(rung_ctx *ctx, face *a)
{
    centre(a);
    for (int64_t i = 0; i < a->n; i++) a->step[i] = -a->g[i];
    TRY(la_potrs(ctx, a->L, 1, a->step));
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < a->ties; k++) a->lambda[k] = along(a, &a->tied[k], a->step);
        solve_ties(a, a->lambda);
        for (int k = 0; k < a->ties; k++)
            for (int64_t i = 0; i < a->n; i++) a->step[i] -= a->Y[i + k * a->n] * a->lambda[k];
    }
    for (int64_t i = 0; i < a->n; i++)
        if (a->pinned[i]) a->step[i] = 0;
    return RUNG_OK;
}

/* The best length without bounds; 0: nothing to gain. along_step = Q step: H step would suffice without rounding in a
 * nearly singular H. */
static double best_length(face *a)
{
    const smo *p = a->p;
    double decrease = 0, size = 0, curve = 0;
    memset(a->along_step, 0, (size_t)a->n * sizeof *a->along_step);
    for (int64_t j = 0; j < a->n; j++) {
        const double *q = p->Q + p->hinges[a->which[j]].row * p->m, step = a->step[j];
        for (int64_t i = 0; i < a->n && step != 0; i++) a->along_step[i] += step * q[p->hinges[a->which[i]].row];
    }
    for (int64_t i = 0; i < a->n; i++) {
        decrease -= a->g[i] * a->step[i];
        size += fabs(a->step[i]);
        curve += a->step[i] * a->along_step[i];
    }
    return !(decrease > a->noise * size) ? 0 : curve > 0 ? decrease / curve : INFINITY;
}

/* By how much flow g changes with the step. */
static double flow_change(const face *a, int g) { return -along(a, &(tie){.threshold = g}, a->step); }

/* How far the step can be taken, at most `length`; what stops it, if anything. */
static double reach(const face *a, double length, bool *stopped, tie *by)
{
    const smo *p = a->p;
    *stopped = false;
    for (int64_t i = 0; i < a->n; i++) {
        const hinge *h = &p->hinges[a->which[i]];
        double room = a->step[i] > 0 ? h->high - h->pull : h->low - h->pull;
        if (a->step[i] == 0 || room / a->step[i] >= length) continue;
        length = room / a->step[i];
        *stopped = true;
        *by = (tie){.threshold = -1, .pull = i};
    }
    for (int g = 0; p->flow && g + 1 < p->thresholds; g++) {
        double change = flow_change(a, g);
        if (!(p->flow[g] > 0 && change < 0) || -p->flow[g] / change >= length) continue;
        length = -p->flow[g] / change;
        *stopped = true;
        *by = (tie){.threshold = g};
    }
    return length;
}

static void take(face *a, double length, bool stopped, const tie *by)
{
    smo *p = a->p;
    for (int g = 0; p->flow && g + 1 < p->thresholds; g++)
        if (p->flow[g] > 0) p->flow[g] = fmax(p->flow[g] + length * flow_change(a, g), 0);
    if (stopped && by->threshold >= 0) p->flow[by->threshold] = 0;
    for (int64_t i = 0; i < a->n; i++) {
        hinge *h = &p->hinges[a->which[i]];
        double pull = fmin(fmax(h->pull + length * a->step[i], h->low), h->high);
        if (stopped && by->threshold < 0 && by->pull == i) pull = a->step[i] > 0 ? h->high : h->low;
        a->change[i] += pull - h->pull;
        h->pull = pull;
    }
    for (int64_t i = 0; i < a->n; i++) a->g[i] += length * a->along_step[i];
}

/* ---- afterwards ---- */

/* The pull on threshold g that is farthest from its bounds; -1: there is none. */
static int64_t freest(const face *a, int g)
{
    int64_t best = -1;
    double most = 0;
    for (int64_t i = 0; i < a->n; i++) {
        const hinge *h = &a->p->hinges[a->which[i]];
        double room = fmin(h->high - h->pull, h->pull - h->low);
        if (a->threshold[i] == g && room > most) best = i, most = room;
    }
    return best;
}

/* A step = 0 holds up to rounding, which a nearly singular H amplifies: one pull per threshold absorbs the error. */
static void mend_sums(face *a, const double *flow_before)
{
    const smo *p = a->p;
    double sum = 0;
    int64_t i = 0;
    for (int g = 0; g < p->thresholds; g++) {
        for (; i < a->n && a->threshold[i] == g; i++) sum += a->change[i];
        bool flows = p->flow && g + 1 < p->thresholds;
        double off = sum + (flows ? p->flow[g] - flow_before[g] : 0);
        if (flows && p->flow[g] > fabs(off)) {
            p->flow[g] -= off;
            continue;
        }
        int64_t k = freest(a, g);
        sum -= off;
        if (k < 0) continue;
        hinge *h = &p->hinges[a->which[k]];
        double pull = fmin(fmax(h->pull - off, h->low), h->high);
        a->change[k] += pull - h->pull;
        h->pull = pull;
    }
}

static void update_scores(const face *a)
{
    const smo *p = a->p;
    for (int64_t i = 0; i < a->n; i++) {
        const double *q = p->Q + p->hinges[a->which[i]].row * p->m, change = a->change[i];
        for (int64_t r = 0; r < p->m && change != 0; r++) p->f[r] += change * q[r];
    }
}

static rung_status follow(rung_ctx *ctx, face *a, smo_effort *effort)
{
    const smo *p = a->p;
    for (int g = 0; g < p->thresholds; g++)
        if (!p->flow || g + 1 == p->thresholds || p->flow[g] == 0) TRY(add_tie(ctx, a, (tie){.threshold = g}));
    for (int full = 0; full < REPEATS && a->ties < a->room;) {
        bool stopped;
        tie by;
        TRY(direction(ctx, a));
        double length = reach(a, best_length(a), &stopped, &by);
        if (!(length > 0 || stopped) || isinf(length)) break;
        take(a, length, stopped, &by);
        effort->work += 4.0 * (double)a->n * (double)(2 * a->n + a->ties);
        full += !stopped;
        if (stopped) TRY(add_tie(ctx, a, by));
    }
    return RUNG_OK;
}

rung_status newton_step(rung_ctx *ctx, smo *p, smo_effort *effort)
{
    pool_mark mark = pool_here(&ctx->scratch);
    face a;
    double *flow_before = NULL;
    TRY(face_new(ctx, p, &a));
    TRY(NEW(ctx, &ctx->scratch, flow_before, p->thresholds));
    if (p->flow) memcpy(flow_before, p->flow, (size_t)(p->thresholds - 1) * sizeof *flow_before);
    rung_status status = factor(ctx, &a);
    if (status == RUNG_OK) status = follow(ctx, &a, effort);
    if (status == RUNG_ESINGULAR) { /* a kernel matrix that is not positive semidefinite: use pairs only */
        ctx->message[0] = 0;
        status = RUNG_OK;
    }
    TRY(status);
    mend_sums(&a, flow_before);
    update_scores(&a);
    effort->work += newton_flops(p->m, a.n, p->thresholds);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
