// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/mixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "eval/metrics.h"
#include "graph/propagate.h"
#include "method/mixture/stack.h"
#include "solve/cumulative.h"

enum { SCREEN = 500, MOST_FAMILIES = SPACES * FAMILY_KINDS + 1 };
static const double SCREEN_KEEP = 1e-3, KEEP = 1e-3, REDUNDANT = 10;

/* Prior weights of a family in each space, and of the frequencies: on tabular data, and if columns are redundant. */
static const double priors[2][FAMILY_KINDS] = {{4, 0.5, 0.25}, {1, 1, 3}}, prior_frequencies[2] = {0.5, 0.25};
/* With one label per class leave-one-out is uninformative and the prior decides: label spreading then counts more. */
static const double SINGLE_SPREAD = 3;
/* Weight of an error relative to the prior within a family. Spread labels are almost certain, so the errors of a few
 * rows would select one graph of many; on redundant columns they are therefore averaged more evenly. */
static const double STRENGTH = 8, SPREAD_STRENGTH = 1;

typedef struct {
    int first, count; /* its candidates; count 0: the class frequencies */
    double prior, strength;
    double *mean; /* labelled x (K - 1): its leave-one-out predictions */
} family;

typedef struct {
    candidates c;
    stack_rows rows;
    double **loo;   /* leave-one-out prediction of each candidate; NULL: it failed */
    double *within; /* its weight in its family */
    int n;
    family list[MOST_FAMILIES];
} mixture;

/* |R|_F^2 / d - d / n for the correlation matrix R of the d columns that vary. */
static rung_status redundancy(rung_ctx *ctx, const problem *p, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    scaling s;
    double *Z = NULL, d = fmax(1, (double)p->varying), n = (double)p->n, norm;
    la_mat *X = NULL, *G = NULL;
    bool wide = p->d > p->n;
    int64_t size = wide ? p->n : p->d;
    rung_view view = {.v = p->X, .n = p->n, .d = p->d, .row = p->d, .col = 1};
    TRY(NEW_RAW(ctx, &ctx->scratch, Z, p->d * p->n));
    TRY(la_new(ctx, &ctx->scratch, p->d, p->n, &X));
    TRY(la_new(ctx, &ctx->scratch, size, size, &G));
    TRY(scale_fit(ctx, &ctx->scratch, SCALE_STANDARD, p->d, p->n, p->X, NULL, &s));
    scale_apply(&s, p->n, &view, NULL, Z);
    la_put(Z, X);
    TRY(la_syrk(ctx, wide, 1 / n, X, 0, G));
    TRY(la_inner(ctx, G, G, &norm));
    *out = norm / d - d / n;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- families ---- */

/* P(y > q) by the frequencies of the others, (N_q - own + 1/K) / (l - owned + 1); equal rows own their labels
 * together. */
static rung_status frequencies_loo(rung_ctx *ctx, const stack_rows *rows, double *P)
{
    int K = rows->K, J = K - 1;
    const row_groups *t = rows->together;
    double *count = NULL, *own = NULL, *p = NULL;
    TRY(NEW(ctx, &ctx->scratch, count, K));
    TRY(NEW(ctx, &ctx->scratch, own, K));
    TRY(NEW(ctx, &ctx->scratch, p, K));
    for (int64_t i = 0; i < rows->n; i++) count[rows->y[i] - 1]++;
    for (int64_t g = 0; g < t->count; g++) {
        memset(own, 0, (size_t)K * sizeof *own);
        for (int64_t k = t->start[g]; k < t->start[g + 1]; k++) own[rows->y[t->rows[k]] - 1]++;
        double others = (double)(rows->n - row_groups_size(t, g) + 1);
        for (int q = 0; q < K; q++) p[q] = (count[q] - own[q] + 1.0 / K) / others;
        for (int64_t k = t->start[g]; k < t->start[g + 1]; k++) cumulative_sums(K, p, P + t->rows[k] * J);
    }
    return RUNG_OK;
}

/* The weights within each family, and its mean prediction. A family whose candidates all failed is omitted. */
static rung_status weigh_within(rung_ctx *ctx, mixture *m, bool frequencies, bool manifold)
{
    candidates *c = &m->c;
    int64_t size = c->l * (c->p->K - 1);
    double *penalty = NULL;
    TRY(stack_rows_new(ctx, &ctx->scratch, c->p->K, c->y, &c->together, &m->rows));
    TRY(NEW(ctx, &ctx->scratch, m->within, c->n));
    TRY(NEW(ctx, &ctx->scratch, m->loo, c->n));
    TRY(NEW(ctx, &ctx->scratch, penalty, c->n));
    for (int i = 0; i < c->n; i++) {
        m->loo[i] = c->list[i].loo;
        penalty[i] = c->list[i].penalty;
        if (manifold && c->list[i].kind == FAMILY_SPREAD) penalty[i] += candidate_reach_penalty(c, &c->list[i]);
    }
    for (int i = 0, next; i < c->n; i = next) {
        const candidate *one = &c->list[i];
        bool any = false;
        for (next = i; next < c->n && c->list[next].kind == one->kind && c->list[next].space == one->space; next++)
            any = any || m->loo[next];
        if (!any) continue;
        family *f = &m->list[m->n++];
        bool reach = manifold && one->kind == FAMILY_SPREAD;
        *f = (family){.first = i, .count = next - i, .prior = priors[manifold][one->kind]};
        f->strength = reach ? SPREAD_STRENGTH : STRENGTH;
        if (reach && c->l == c->p->K) f->prior *= SINGLE_SPREAD;
        TRY(NEW(ctx, &ctx->scratch, f->mean, size));
        stack_family(&m->rows, f->strength, f->count, m->loo + i, penalty + i, m->within + i, f->mean);
    }
    if (!frequencies && m->n > 0) return RUNG_OK;
    family *f = &m->list[m->n++];
    *f = (family){.prior = prior_frequencies[manifold]};
    TRY(NEW(ctx, &ctx->scratch, f->mean, size));
    return frequencies_loo(ctx, &m->rows, f->mean);
}

static bool is_supervised(const mixture *m, const family *f)
{
    return f->count == 0 || m->c.list[f->first].kind != FAMILY_SPREAD;
}

/* The families that are stacked: all, or the supervised ones. */
static int stacked(const mixture *m, bool supervised, stack_part *parts)
{
    int n = 0;
    for (int f = 0; f < m->n; f++) {
        const family *one = &m->list[f];
        if (supervised && !is_supervised(m, one)) continue;
        parts[n] = (stack_part){.n = one->count,
                                .P = m->loo + one->first,
                                .w = m->within + one->first,
                                .mean = one->mean,
                                .strength = one->strength,
                                .prior = one->prior};
        n++;
    }
    return n;
}

/* The weights of the families, and the exponent that sharpens their mean. */
static rung_status weigh_between(rung_ctx *ctx, mixture *m, double *weight, double *sharpen)
{
    stack_part parts[MOST_FAMILIES];
    int n = stacked(m, false, parts);
    double *P = NULL;
    TRY(NEW(ctx, &ctx->scratch, P, m->c.l * (m->c.p->K - 1)));
    TRY(stack_families(ctx, &m->rows, n, parts, weight, P));
    return stack_sharpen(ctx, &m->rows, P, sharpen);
}

/* The prediction of the mixture for each labelled row, with the weights given by the other rows. */
static rung_status left_out(rung_ctx *ctx, mixture *m, bool supervised, double *P)
{
    stack_part parts[MOST_FAMILIES];
    int n = stacked(m, supervised, parts);
    return stack_left_out(ctx, &m->rows, n, parts, P);
}

/* ---- many labels ---- */

/* SCREEN of the labelled rows, evenly spaced in the order of (label, row), and all unlabelled ones. */
static rung_status screening_rows(rung_ctx *ctx, const problem *p, int64_t l, int64_t *rows, int64_t *count)
{
    int64_t *order = NULL, next = 0;
    bool *keep = NULL;
    TRY(NEW(ctx, &ctx->scratch, order, l));
    TRY(NEW(ctx, &ctx->scratch, keep, p->n));
    for (int q = 1; q <= p->K; q++)
        for (int64_t i = 0; i < p->n; i++)
            if (p->y[i] == q) order[next++] = i;
    for (int64_t j = 0; j < SCREEN; j++) keep[order[(int64_t)(((double)j + 0.5) * (double)l / SCREEN)]] = true;
    *count = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (keep[i] || !p->y[i]) rows[(*count)++] = i;
    return RUNG_OK;
}

/* wanted := the candidates that matter on some of the labels, and their neighbours in the grid. */
static rung_status screen(rung_ctx *ctx, const mixture_options *o, bool manifold, candidates *c)
{
    pool_mark mark = pool_here(&ctx->scratch);
    problem *p = c->p, sub;
    int64_t *rows = NULL, count;
    int *classes = NULL;
    mixture m = {0};
    TRY(NEW(ctx, &ctx->scratch, rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    TRY(screening_rows(ctx, p, c->l, rows, &count));
    TRY(problem_subset(ctx, &ctx->scratch, p, count, rows, &sub, classes));
    TRY(candidates_new(ctx, &sub, o->families, o->spaces, &m.c));
    TRY(candidates_run(ctx, &m.c));
    TRY(weigh_within(ctx, &m, false, manifold));
    for (int i = 0; i < c->n; i++) {
        c->list[i].wanted = false;
        for (int j = 0; j < m.c.n; j++)
            if (m.c.list[j].loo && m.within[j] >= SCREEN_KEEP && candidates_near(&m.c.list[j], &c->list[i]))
                c->list[i].wanted = true;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- many unlabelled rows ---- */

/* Leaving out each label costs a linear system over all rows for every graph; this limits the unlabelled rows used. */
static int64_t most_unlabelled(int64_t labelled)
{
    enum { WORK = 5000000, LEAST = 4000, MOST = 50000 };
    int64_t rows = WORK / (labelled > 0 ? labelled : 1);
    return rows < LEAST ? LEAST : rows > MOST ? MOST : rows;
}

/* All labelled rows of *p and, evenly spaced, as many of the others as the limit allows. */
static rung_status thin_out(rung_ctx *ctx, int64_t most, problem **p, mixture_summary *summary)
{
    int64_t n = (*p)->n, l = 0, *rows = NULL, count = 0, seen = 0;
    int *classes = NULL;
    problem *some = NULL;
    for (int64_t i = 0; i < n; i++) l += (*p)->y[i] != 0;
    int64_t others = n - l, wanted = most > 0 ? most : most_unlabelled(l);
    if (others <= wanted) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, rows, l + wanted));
    TRY(NEW(ctx, &ctx->scratch, classes, (*p)->K));
    TRY(NEW(ctx, &ctx->scratch, some, 1));
    for (int64_t i = 0; i < n; i++) {
        bool taken = (*p)->y[i] != 0;
        if (!taken) {
            taken = (seen + 1) * wanted / others > seen * wanted / others;
            seen++;
        }
        if (taken) rows[count++] = i;
    }
    TRY(problem_subset(ctx, &ctx->scratch, *p, count, rows, some, classes));
    *p = some;
    summary->unlabelled = others;
    summary->unlabelled_used = wanted;
    return RUNG_OK;
}

/* ---- the whole ---- */

/* Members with a weight below KEEP are dropped; the frequencies stay if they have any weight. */
static rung_status prune(rung_ctx *ctx, const mixture *m, const double *weight, mixture_part **parts, int *n)
{
    *n = 0;
    TRY(NEW(ctx, &ctx->scratch, *parts, m->c.n + 1));
    for (int f = 0; f < m->n; f++) {
        const family *one = &m->list[f];
        for (int i = one->first; i < one->first + one->count; i++) {
            double w = weight[f] * m->within[i];
            if (m->c.list[i].loo && w >= KEEP) (*parts)[(*n)++] = (mixture_part){i, w};
        }
        if (one->count == 0 && (weight[f] > 0 || *n == 0))
            (*parts)[(*n)++] = (mixture_part){-1, weight[f] > 0 ? weight[f] : 1};
    }
    return RUNG_OK;
}

static rung_status summarise(rung_ctx *ctx, mixture *m, const double *weight, const double *P, mixture_summary *out)
{
    double *Q = NULL;
    int64_t l = m->c.l;
    int median = metrics_median(l, m->rows.K, m->rows.y, NULL);
    for (int f = 0; f < m->n; f++) {
        const family *one = &m->list[f];
        if (one->count == 0) {
            out->frequencies = weight[f];
            continue;
        }
        const candidate *first = &m->c.list[one->first];
        out->weight[first->space][first->kind] = weight[f];
        out->present[first->kind] = true;
    }
    out->mae = stack_mae(&m->rows, P);
    for (int64_t i = 0; i < l; i++) out->median += abs(m->rows.y[i] - median) / (double)l;
    out->has_supervised = out->present[FAMILY_SPREAD];
    if (!out->has_supervised) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, Q, l * (m->rows.K - 1)));
    TRY(left_out(ctx, m, true, Q));
    out->supervised = stack_mae(&m->rows, Q);
    return RUNG_OK;
}

static rung_status weights_violation(rung_ctx *ctx, const mixture *m, const double *weight, double *out)
{
    stack_part parts[MOST_FAMILIES];
    int n = stacked(m, false, parts);
    return stack_violation(ctx, &m->rows, n, parts, weight, out);
}

rung_status mixture_choose(rung_ctx *ctx, problem *p, const mixture_options *o, mixture_choice *out,
                           mixture_summary *summary)
{
    mixture m = {0};
    double weight[MOST_FAMILIES] = {0}, *P = NULL;
    *out = (mixture_choice){0};
    *summary = (mixture_summary){0};
    if (o->families & 1U << FAMILY_SPREAD) TRY(thin_out(ctx, o->most_unlabelled, &p, summary));
    TRY(redundancy(ctx, p, &summary->redundancy));
    summary->manifold = summary->redundancy >= REDUNDANT;
    TRY(candidates_new(ctx, p, o->families, o->spaces, &m.c));
    if (m.c.l > SCREEN) TRY(screen(ctx, o, summary->manifold, &m.c));
    TRY(candidates_run(ctx, &m.c));
    TRY(weigh_within(ctx, &m, o->frequencies, summary->manifold));
    TRY(NEW(ctx, &ctx->scratch, P, m.c.l * (p->K - 1)));
    TRY(weigh_between(ctx, &m, weight, &out->sharpen));
    TRY(weights_violation(ctx, &m, weight, &out->violation));
    TRY(left_out(ctx, &m, false, P));
    TRY(summarise(ctx, &m, weight, P, summary));
    TRY(prune(ctx, &m, weight, &out->parts, &out->n));
    summary->members = out->n;
    out->c = m.c;
    out->loo = P;
    return RUNG_OK;
}

rung_status mixture_fit(rung_ctx *ctx, pool *mem, problem *p, const mixture_options *o, fitted *out,
                        mixture_summary *summary)
{
    mixture_choice m;
    int K = p->K;
    TRY(mixture_choose(ctx, p, o, &m, summary));
    out->sharpen = m.sharpen;
    TRY(mixture_members(ctx, mem, &m.c, m.n, m.parts, out));
    TRY(NEW(ctx, mem, out->loo, m.c.l * K));
    for (int64_t i = 0; i < m.c.l; i++) cumulative_classes(K, m.loo + i * (K - 1), out->loo + i * K);
    return RUNG_OK;
}

/* The number of tasks that run in parallel, each on its own matrices (base/parallel.h). */
static double side_by_side(const problem_shape *shape, double rows)
{
    return rows > SIDE_BY_SIDE ? 1 : fmax(1, fmin(shape->threads, SPACES * GRAPHS * SPREADS));
}

/* In every space the rows, a Gram matrix for each kernel and the distances (of a screened grid about half of them), the
 * predictions and coefficients of each candidate, neighbours and edges of the graphs. A task on a kernel has three
 * matrices, five for its eigenpairs, and a Gaussian process its rows by thresholds; one on a graph n x n numbers or,
 * beyond PROPAGATE_DENSE, some columns. In the model are propagated labels and a factor of each Gaussian process that
 * is kept, of which 4 to 11 in a space are usual, and fewer with more labels. */
double mixture_bytes(const problem_shape *shape, const mixture_options *o)
{
    enum { KEPT = 7, GP = 3, EIGEN = 5, PER_GP = 49, PER_RIDGE = 112, PER_SPREAD = 18, EDGES = 180, COLUMNS = 40 };
    double l = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    double n = fmin((double)shape->n, l + (double)most_unlabelled(shape->labelled));
    double grams = l <= SCREEN ? (KERNELS + 1) * l * l : fmax(KERNELS / 2.0 * l * l, (KERNELS + 1.0) * SCREEN * SCREEN);
    double spaces = (o->spaces & 1) + (o->spaces >> 1 & 1), one = 3 * n * d + l * d + grams, kept = 0;
    double task = side_by_side(shape, l) * (o->families & 1U << FAMILY_RIDGE ? EIGEN : GP) * l * l;
    if (o->families & 1U << FAMILY_GP) {
        one += PER_GP * l * K;
        task += side_by_side(shape, l) * (6 * l * K + 2 * K * K);
        kept += spaces * KEPT * fmin(1, SCREEN / l) * l * (l + K);
    }
    if (o->families & 1U << FAMILY_RIDGE) one += PER_RIDGE * l * K;
    if (l < n && (o->families & 1U << FAMILY_SPREAD)) {
        one += PER_SPREAD * l * K + n * (EDGES + GRAPHS * SPREADS * K);
        task = fmax(task, side_by_side(shape, n) * n * (n <= PROPAGATE_DENSE ? n : COLUMNS));
        kept += spaces * n * (d + GRAPHS * SPREADS * K);
    }
    return 8 * (spaces * one + task + kept);
}
