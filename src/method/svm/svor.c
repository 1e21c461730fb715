// SPDX-License-Identifier: BSD-3-Clause
/* svor.c - rounds of a small problem on the rows that matter.
 *
 * Most rows are far from every threshold they count at: their pulls are at a bound and stay there. A round takes the
 * rows that are not settled (pulls within their bounds, or hinges that add to the duality gap), computes their kernel
 * matrix in one piece, solves for their pulls while all others are fixed, and updates the scores of all rows. This
 * combines shrinking and the kernel cache: no single row of the kernel matrix is ever computed. */
#include "method/svm/svor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "method/svm/smo.h"

enum {
    SMALL = 600,  /* up to this number of rows, a round takes all of them */
    START = 300,  /* rows of the first round otherwise */
    FRESH = 1000, /* violators a round may take; more with many thresholds or rows, or where many were in the last */
    ROUND_MOST = 8000, /* rows of a round, where memory is not limited: two matrices of 0.5 GiB */
    STUCK_MOST = 10    /* rounds without a gain after which rounding is assumed to prevent progress */
};

/* A gain of the dual objective, relative to the primal one, that is rounding. */
static const double NO_GAIN = 1e-13;
/* A violation at a threshold, relative to the largest score, that counts as none. */
static const double EXACT = 1e-11;
/* ... and one that may be the limit of rounding (the gap is C times that for each row); so may such a gap. */
static const double ROUNDED = 1e-8;
/* The extra work allowed, beyond that for the tolerance, to reach the exact solution, which is often near. */
static const double EXACT_SHARE = 0.5, EXACT_FLOPS = 1e6;

typedef struct {
    const svor_problem *q;
    svor_solution *s;
    hinge_rows h;
    int J;              /* thresholds */
    const la_mat *gram; /* the whole kernel matrix, or NULL */
    double *flow;       /* explicit: J - 1 multipliers of the order */
    bool *in_play;      /* n: has a pull strictly within its bounds */
    bool *chosen;       /* n: for this round */
    bool warm;          /* the pulls given are in use */
    int64_t *rows, m;   /* of this round */
    int64_t moved;      /* rows whose coefficient changed in it */
    int64_t most;       /* rows a round may have ... */
    int turn;           /* ... and the threshold they are first chosen for */
    double *Q;          /* their kernel matrix; one array for all rounds, because touching new pages is slow */
    int64_t room;       /* its size */
    smo_effort effort;
} solver;

/* ---- kernel values ---- */

double svor_diagonal(const problem *p, double diagonal, int64_t i) { return diagonal / (p->w ? p->w[i] : 1); }

static rung_status columns_of(rung_ctx *ctx, const problem *p, int64_t m, const int64_t *rows, double **X)
{
    TRY(pool_alloc_raw(ctx, &ctx->scratch, p->d * m, sizeof **X, "rows", (void **)X));
    for (int64_t i = 0; i < m; i++) memcpy(*X + i * p->d, p->X + rows[i] * p->d, (size_t)p->d * sizeof **X);
    return RUNG_OK;
}

static rung_status landmark_gram(rung_ctx *ctx, const landmarks *l, int64_t m, const double *X, la_mat *K)
{
    la_mat *Phi = NULL;
    TRY(la_new(ctx, &ctx->scratch, l->m, m, &Phi));
    TRY(landmarks_features(ctx, l, m, X, Phi));
    return la_syrk(ctx, true, 1, Phi, 0, K);
}

/* F (all rows) = K[:, rows] change by way of the weights of the features, Phi'(Phi_rows change). */
static rung_status landmark_expand(rung_ctx *ctx, const landmarks *l, const problem *p, int64_t m, const double *X,
                                   const double *change, double *F)
{
    double *w = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, w, l->m));
    TRY(landmarks_pull(ctx, l, m, X, 1, change, w));
    return landmarks_scores(ctx, l, p->n, p->X, 1, w, F);
}

/* Q (m x m, host) of the rows of this round. */
static rung_status round_matrix(rung_ctx *ctx, solver *a)
{
    const problem *p = a->q->p;
    if (a->room < a->m * a->m) {
        TRY(RESIZE(ctx, &ctx->scratch, a->Q, a->m * a->m));
        a->room = a->m * a->m;
    }
    double *Q = a->Q;
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *K = NULL;
    if (a->gram && a->m == p->n) {
        la_get(a->gram, Q);
    } else {
        TRY(la_new(ctx, &ctx->scratch, a->m, a->m, &K));
        if (a->gram) {
            TRY(la_gather(ctx, a->gram, a->rows, a->rows, K));
        } else {
            double *X = NULL;
            TRY(columns_of(ctx, p, a->m, a->rows, &X));
            TRY(a->q->l ? landmark_gram(ctx, a->q->l, a->m, X, K) : kernel_gram(ctx, &a->q->k, p->d, a->m, X, K));
        }
        la_get(K, Q);
    }
    pool_release(&ctx->scratch, mark);
    for (int64_t i = 0; i < a->m; i++) {
        Q[i * (a->m + 1)] += svor_diagonal(p, a->q->diagonal, a->rows[i]);
        if (!isfinite(Q[i * (a->m + 1)]))
            return set_error(ctx, RUNG_EDATA, "the kernel of row %lld with itself overflows; scale the columns",
                             (long long)p->origin[a->rows[i]] + 1);
    }
    return RUNG_OK;
}

/* f += K[:, rows] change for all rows of the problem. */
static rung_status add_scores(rung_ctx *ctx, const solver *a, int64_t m, const int64_t *rows, const double *change)
{
    const problem *p = a->q->p;
    pool_mark mark = pool_here(&ctx->scratch);
    double *X = NULL, *more = NULL, *dense = NULL;
    if (m == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, more, p->n));
    if (a->gram) {
        TRY(NEW(ctx, &ctx->scratch, dense, p->n));
        for (int64_t i = 0; i < m; i++) dense[rows[i]] = change[i];
        TRY(la_mul(ctx, 1, a->gram, 1, dense, 0, more));
    } else {
        TRY(columns_of(ctx, p, m, rows, &X));
        TRY(a->q->l ? landmark_expand(ctx, a->q->l, p, m, X, change, more)
                    : kernel_expand(ctx, &a->q->k, &(point_set){p->d, p->n, p->X}, &(point_set){p->d, m, X}, 1, change,
                                    more));
    }
    for (int64_t i = 0; i < m; i++) more[rows[i]] += svor_diagonal(p, a->q->diagonal, rows[i]) * change[i];
    for (int64_t i = 0; i < p->n; i++) a->s->f[i] += more[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- where we stand ---- */

static hinge hinge_of(const solver *a, int64_t i, int j)
{
    double side = hinge_side(&a->h, i, j), cap = a->h.cap[i];
    return (hinge){.row = i,
                   .side = side,
                   .low = side > 0 ? 0 : -cap,
                   .high = side > 0 ? cap : 0,
                   .pull = a->s->pull[i * a->J + j]};
}

/* Pulls that cancel leave 0, not a rounding error: where all do, every score would be one. */
static double coefficient(const solver *a, int64_t i)
{
    double v = 0, size = 0;
    for (int j = 0; j < a->J; j++) {
        v += a->s->pull[i * a->J + j];
        size += fabs(a->s->pull[i * a->J + j]);
    }
    return fabs(v) > 1e-14 * size ? v : 0;
}

/* Thresholds for the scores as they are, the objective and the duality gap with them. */
static rung_status measure(rung_ctx *ctx, solver *a)
{
    svor_solution *s = a->s;
    double square = 0, sum = 0, gap = 0, largest = 1, worst = 0;
    TRY(best_thresholds(ctx, &a->h, s->f, s->b));
    for (int64_t i = 0; i < a->h.n; i++) {
        int from, to;
        hinge_range(&a->h, i, &from, &to);
        a->in_play[i] = false;
        for (int j = from; j <= to; j++) {
            hinge h = hinge_of(a, i, j);
            double more = hinge_gap(&h, s->f[i], s->b[j]);
            gap += more;
            sum += h.side * h.pull;
            if (more > 0) worst = fmax(worst, fabs(s->f[i] - h.side - s->b[j]));
            a->in_play[i] = a->in_play[i] || (h.pull > h.low && h.pull < h.high);
        }
        square += s->v[i] * s->f[i];
        largest = fmax(largest, fabs(s->f[i]));
    }
    for (int j = 0; a->flow && j + 1 < a->J; j++) gap += a->flow[j] * (s->b[j + 1] - s->b[j]);
    s->gap = gap;
    s->primal = sum - 0.5 * square + gap;
    s->violation = worst / largest;
    return RUNG_OK;
}

/* ---- the rows of a round ---- */

typedef struct {
    double gap;
    int64_t row;
} candidate;

static int by_gap(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->gap != y->gap) return x->gap > y->gap ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* First round: equally many rows of all classes, spread over the data. */
static void choose_spread(solver *a)
{
    for (int q = 1; q <= a->h.K; q++) {
        int64_t size = 0, seen = 0, wanted = START / a->h.K + 1;
        for (int64_t i = 0; i < a->h.n; i++) size += a->h.y[i] == q;
        for (int64_t i = 0; i < a->h.n; i++) {
            if (a->h.y[i] != q) continue;
            a->chosen[i] = size <= wanted || seen * wanted / size != (seen + 1) * wanted / size;
            seen++;
        }
    }
}

/* The hinges at threshold j that may increase (or decrease), largest contribution to the gap first; returns how many.
 * The first is the strongest candidate, violator or not, so the most violating pair, even across thresholds, is in
 * every round. Hinges exactly at their threshold contribute nothing, but may be paired with others. */
static int64_t list_violators(const solver *a, int j, bool rise, candidate *list)
{
    double tiny = 1e-4 * a->s->gap / (double)(a->h.n * a->J);
    double strongest = -INFINITY;
    int64_t count = 1;
    for (int64_t i = 0; i < a->h.n; i++) {
        int from, to;
        hinge_range(&a->h, i, &from, &to);
        if (j < from || j > to) continue;
        hinge h = hinge_of(a, i, j);
        double off = a->s->f[i] - h.side - a->s->b[j], claim = rise ? -off : off;
        if (rise ? h.pull >= h.high : h.pull <= h.low) continue;
        double gap = hinge_gap(&h, a->s->f[i], a->s->b[j]);
        if (claim == 0 || (claim > 0 && gap > tiny)) list[count++] = (candidate){gap, i};
        if (claim > strongest) {
            strongest = claim;
            list[0] = (candidate){INFINITY, i};
        }
    }
    if (isinf(strongest)) return 0; /* none may rise, or fall */
    qsort(list, (size_t)count, sizeof *list, by_gap);
    return count;
}

/* The active rows, and equally many of each kind of violator (2 J of them): pulls only move in pairs. */
static rung_status choose_violators(rung_ctx *ctx, solver *a)
{
    pool_mark mark = pool_here(&ctx->scratch);
    candidate *list = NULL;
    int64_t wanted = (a->J > FRESH / 4 ? 4 * a->J : FRESH) + a->h.n / 16 + a->m / 2, open = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, list, a->h.n + 1));
    for (int64_t i = 0; i < a->h.n; i++) open += a->in_play[i];
    bool all_open = open <= a->most / 2; /* otherwise they are taken in turn like the others */
    for (int64_t i = 0; i < a->h.n; i++) a->chosen[i] = all_open && a->in_play[i];
    if (!all_open) open = 0;
    if (wanted > a->most - open) wanted = a->most - open;
    int kinds = 2 * a->J, first = a->turn;
    a->turn = 0;
    for (int k = 0; k < kinds; k++) {
        int kind = (2 * first + k) % kinds;
        if (wanted == 0) { /* the next round continues here */
            a->turn = kind / 2;
            break;
        }
        int64_t found = list_violators(a, kind / 2, kind % 2, list), share = (wanted + kinds - k - 1) / (kinds - k);
        for (int64_t i = 0; i < found && share > 0; i++) {
            if (a->chosen[list[i].row]) continue;
            a->chosen[list[i].row] = true;
            share--;
            wanted--;
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status choose_rows(rung_ctx *ctx, solver *a)
{
    int64_t n = a->h.n;
    if (n <= SMALL)
        for (int64_t i = 0; i < n; i++) a->chosen[i] = true;
    else if (a->s->rounds == 0 && !a->warm)
        choose_spread(a);
    else
        TRY(choose_violators(ctx, a));
    a->m = 0;
    for (int64_t i = 0; i < n; i++)
        if (a->chosen[i]) a->rows[a->m++] = i;
    return RUNG_OK;
}

/* ---- a round ---- */

static rung_status round_problem(rung_ctx *ctx, solver *a, smo *p)
{
    TRY(round_matrix(ctx, a));
    *p = (smo){.m = a->m, .Q = a->Q, .thresholds = a->J, .flow = a->flow};
    TRY(NEW(ctx, &ctx->scratch, p->f, a->m));
    TRY(NEW(ctx, &ctx->scratch, p->first, a->J + 1));
    TRY(NEW(ctx, &ctx->scratch, p->hinges, a->m * (a->q->hinges == SVOR_EXPLICIT && a->J > 2 ? 2 : a->J)));
    int64_t count = 0;
    for (int64_t i = 0; i < a->m; i++) p->f[i] = a->s->f[a->rows[i]];
    for (int j = 0; j < a->J; j++) {
        p->first[j] = count;
        for (int64_t i = 0; i < a->m; i++) {
            int from, to;
            hinge_range(&a->h, a->rows[i], &from, &to);
            if (j < from || j > to) continue;
            p->hinges[count] = hinge_of(a, a->rows[i], j);
            p->hinges[count++].row = i;
        }
    }
    p->first[a->J] = count;
    return RUNG_OK;
}

/* Stores the new pulls in the solution and updates the scores of all rows. */
static rung_status adopt(rung_ctx *ctx, solver *a, const smo *p)
{
    double *change = NULL;
    int64_t *moved = NULL, m = 0;
    TRY(NEW(ctx, &ctx->scratch, change, a->m));
    TRY(NEW(ctx, &ctx->scratch, moved, a->m));
    for (int j = 0; j < a->J; j++)
        for (int64_t k = p->first[j]; k < p->first[j + 1]; k++)
            a->s->pull[a->rows[p->hinges[k].row] * a->J + j] = p->hinges[k].pull;
    for (int64_t i = 0; i < a->m; i++) {
        int64_t row = a->rows[i];
        double v = coefficient(a, row);
        if (v == a->s->v[row]) continue;
        change[m] = v - a->s->v[row];
        moved[m++] = row;
        a->s->v[row] = v;
    }
    a->moved = m;
    return add_scores(ctx, a, m, moved, change);
}

static rung_status one_round(rung_ctx *ctx, solver *a)
{
    pool_mark mark = pool_here(&ctx->scratch);
    smo p;
    TRY(choose_rows(ctx, a));
    TRY(round_problem(ctx, a, &p));
    TRY(smo_solve(ctx, &p, &a->effort));
    TRY(adopt(ctx, a, &p));
    pool_release(&ctx->scratch, mark);
    a->s->rounds++;
    double per_value = 2 * (double)a->q->p->d + 20; /* flops of a kernel value */
    double terms = a->q->l ? (double)a->q->l->m : (double)a->moved;
    a->effort.work += per_value * ((double)a->m * (double)a->m / 2 + (double)a->h.n * terms);
    return measure(ctx, a);
}

/* ---- all of it ---- */

static double row_bytes(int64_t n, int64_t d, int K) { return 8 * (double)n * (double)(3 * d + 3 * K + 30); }

/* Choosing landmarks is over when rounds begin; what they are, and in a round their features of its rows and factors.
 */
static double landmark_bytes(int64_t d, int64_t m, double rows)
{
    return 8 * (double)m * (double)(m + d) + 8 * rows * (double)m;
}

/* A round has three matrices at a time: its kernel values, and in linalg these or a factor and what was factored. */
static int64_t rows_within(const rung_ctx *ctx, const svor_problem *q)
{
    const problem *p = q->p;
    double most = fmin((double)p->n, ROUND_MOST), room = memory_left(ctx) - row_bytes(p->n, p->d, p->K);
    if (q->l) room -= landmark_bytes(p->d, q->l->m, most);
    return (int64_t)(ctx->memory > 0 ? fmin(most, fmax(sqrt(fmax(room, 0) / 24), SMALL)) : most);
}

static rung_status solution_new(rung_ctx *ctx, pool *mem, const problem *p, svor_solution *out)
{
    *out = (svor_solution){0};
    TRY(NEW(ctx, mem, out->pull, p->n * (p->K - 1)));
    TRY(NEW(ctx, mem, out->v, p->n));
    TRY(NEW(ctx, mem, out->f, p->n));
    return NEW(ctx, mem, out->b, p->K - 1);
}

static rung_status solver_new(rung_ctx *ctx, const svor_problem *q, const la_mat *gram, svor_solution *out, solver *a)
{
    const problem *p = q->p;
    int64_t n = p->n;
    double *cap = NULL;
    *a = (solver){.q = q, .s = out, .J = p->K - 1, .gram = gram, .most = rows_within(ctx, q)};
    TRY(NEW(ctx, &ctx->scratch, cap, n));
    TRY(NEW(ctx, &ctx->scratch, a->in_play, n));
    TRY(NEW(ctx, &ctx->scratch, a->chosen, n));
    TRY(NEW(ctx, &ctx->scratch, a->rows, n));
    TRY(NEW(ctx, &ctx->scratch, a->Q, 1));
    if (q->hinges == SVOR_EXPLICIT) TRY(NEW(ctx, &ctx->scratch, a->flow, a->J));
    for (int64_t i = 0; i < n; i++) cap[i] = q->C * (p->w ? p->w[i] : 1);
    a->h = (hinge_rows){.n = n, .K = p->K, .y = p->y, .cap = cap, .hinges = q->hinges};
    return RUNG_OK;
}

/* The pulls given, if they are within their bounds and sum to 0 (explicit: to what flows of 0 or more can carry). */
static bool take_pulls(solver *a)
{
    int64_t n = a->h.n;
    double sum = 0, total = 0;
    memcpy(a->s->pull, a->q->start, (size_t)(n * a->J) * sizeof *a->s->pull);
    for (int64_t i = 0; i < n; i++) total += a->h.cap[i];
    bool good = true;
    for (int j = 0; j < a->J; j++) {
        for (int64_t i = 0; i < n; i++) {
            hinge h = hinge_of(a, i, j);
            int from, to;
            hinge_range(&a->h, i, &from, &to);
            good = good && h.pull >= h.low && h.pull <= h.high && (h.pull == 0 || (j >= from && j <= to));
            sum += h.pull;
        }
        bool flows = a->flow && j + 1 < a->J;
        good = good && sum <= 1e-9 * total && (flows || sum >= -1e-9 * total);
        if (flows) a->flow[j] = fmax(-sum, 0);
    }
    if (good) return true;
    memset(a->s->pull, 0, (size_t)(n * a->J) * sizeof *a->s->pull);
    for (int j = 0; a->flow && j + 1 < a->J; j++) a->flow[j] = 0;
    return false;
}

/* Coefficients and scores that belong to the pulls. */
static rung_status take_start(rung_ctx *ctx, solver *a)
{
    int64_t m = 0;
    double *v = NULL;
    a->warm = take_pulls(a);
    if (!a->warm) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, v, a->h.n));
    for (int64_t i = 0; i < a->h.n; i++) {
        a->s->v[i] = coefficient(a, i);
        if (a->s->v[i] == 0) continue;
        v[m] = a->s->v[i];
        a->rows[m++] = i;
    }
    return add_scores(ctx, a, m, a->rows, v);
}

/* To the tolerance; what a round must reach follows from how far all rows are from it. */
static rung_status converge(rung_ctx *ctx, solver *a)
{
    svor_solution *s = a->s;
    for (int stuck = 0; s->gap > a->q->tolerance * s->primal;) {
        double goal = 0.3 * a->q->tolerance * s->primal;
        a->effort.limit = INFINITY;
        a->effort.gap = stuck ? 0 : a->h.n <= SMALL ? goal : fmax(goal, 0.01 * s->gap);
        double dual = s->primal - s->gap;
        TRY(one_round(ctx, a));
        stuck = s->primal - s->gap > dual + NO_GAIN * s->primal ? 0 : stuck + 1;
        progress(ctx, "fitting", fmin(a->q->tolerance * s->primal / s->gap, 0.99));
        if (stuck == STUCK_MOST && (s->violation <= ROUNDED || s->gap <= ROUNDED * s->primal)) {
            log_at(ctx, RUNG_LOG_WARNING, "the relative duality gap is %.2g; rounding prevents a smaller one",
                   s->gap / s->primal);
            break;
        }
        if (stuck == STUCK_MOST)
            return set_error(
                ctx, RUNG_ENOCONV,
                "the support vector problem stopped at a relative duality gap of %.2g instead of tolerance=%.2g",
                s->gap / s->primal, a->q->tolerance);
    }
    return RUNG_OK;
}

/* Often the exact solution is near: one more round or two, within bounds. */
static rung_status finish(rung_ctx *ctx, solver *a)
{
    a->effort.gap = 0;
    a->effort.limit = (1 + EXACT_SHARE) * a->effort.work + EXACT_FLOPS;
    while (a->s->violation > EXACT && a->effort.work < a->effort.limit) {
        TRY(one_round(ctx, a));
        if (!a->moved) break;
    }
    return RUNG_OK;
}

rung_status svor_solve(rung_ctx *ctx, pool *mem, const svor_problem *q, svor_solution *out)
{
    solver a;
    const la_mat *gram = NULL;
    TRY(solution_new(ctx, mem, q->p, out));
    if (!q->l && svor_takes_gram(q->p, &q->k)) TRY(problem_gram(ctx, q->p, &q->k, &gram));
    pool_mark mark = pool_here(&ctx->scratch); /* after the results: mem and that of the problem may be the same pool */
    TRY(solver_new(ctx, q, gram, out, &a));
    if (q->start) TRY(take_start(ctx, &a));
    TRY(measure(ctx, &a));
    TRY(converge(ctx, &a));
    TRY(finish(ctx, &a));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

bool svor_takes_gram(const problem *p, const kernel *k) { return p->n <= SVOR_WHOLE || k->kind == KERNEL_PRECOMPUTED; }

double svor_bytes(int64_t n, int64_t d, int K, bool precomputed, int64_t m)
{
    bool whole = m == 0 && (n <= SVOR_WHOLE || precomputed);
    double rows = whole ? (double)n : fmin((double)n, SMALL), round = 8 * (whole ? 2.4 : 3) * rows * rows;
    if (m > 0) round = fmax(round + landmark_bytes(d, m, rows), landmarks_bytes(d, n, m));
    return round + row_bytes(n, d, K);
}
