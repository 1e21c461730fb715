// SPDX-License-Identifier: BSD-3-Clause
/* isbor.c - incremental sparse Bayesian ordinal regression.
 *
 *     maximise over alpha   L(alpha) = log of  int prod_i p(y_i | f_i, b) N(w; 0, diag(alpha)^-1) dw,   f = Phi w,
 *
 * by Laplace's approximation, from the empty model, by adding, re-estimating and deleting basis functions
 * (sparse_bayes.h has the formulas). sigma is 1: scaling it with w and b changes nothing. b is found with w.
 *
 * candidates = 0: each step fits (w, b) again and takes the one action of largest gain, over all functions.
 * candidates > 0: each step looks at that many functions, drawn at random, adds the best and re-estimates all precisions;
 * when nothing is found any more all functions are looked at once. Columns are made when they are needed, so memory is
 * n times the active functions and no n x n matrix is ever made. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "method/ordinal_probit.h"

typedef struct {
    kernel_params kernel;
    double tolerance;
    int max_iterations, candidates, decision;
} isbor_params;

enum { INTERVAL, ARGMAX };
enum { FULL_ROWS = 30000, FULL_PATIENCE = 3, SAMPLED_PATIENCE = 10, REFINE = 3, POLISH = 30 };

static const double EXACT = 1e-10, LOOSE = 1e-4;
static const uint64_t STREAM = 0x15b0;

typedef struct {
    const isbor_params *params;
    basis_functions basis;
    sparse_model m;
    bool *active;        /* by number of the function */
    int64_t *blocked_by; /* by number: the active function it is nearly parallel to, or -1 */
    double *S, *Q, *column;
    int64_t *order; /* the functions, for drawing */
    rng random;
    double tolerance;
    int64_t steps, undone, sweeps;
} search;

static rung_status search_new(rung_ctx *ctx, const problem *p, const isbor_params *params, const kernel *k, search *s)
{
    ordmap_rows rows = {.n = p->n, .K = p->K, .y = p->y};
    *s = (search){.params = params, .tolerance = params->tolerance};
    if (isnan(s->tolerance)) s->tolerance = (getenv("TOL") ? atof(getenv("TOL")) : 1e-4) * (double)p->n;
    TRY(basis_functions_new(ctx, p, k, &s->basis));
    if (s->basis.columns.map) s->basis.columns.map = &s->basis.map;
    TRY(sparse_start(ctx, &ctx->scratch, &rows, &s->basis.columns, &s->m));
    TRY(NEW(ctx, &ctx->scratch, s->active, s->basis.limit));
    TRY(NEW(ctx, &ctx->scratch, s->blocked_by, s->basis.limit));
    TRY(NEW(ctx, &ctx->scratch, s->order, s->basis.count));
    TRY(NEW(ctx, &ctx->scratch, s->S, s->basis.count));
    TRY(NEW(ctx, &ctx->scratch, s->Q, s->basis.count));
    TRY(NEW(ctx, &ctx->scratch, s->column, p->n));
    for (int64_t j = 0; j < s->basis.limit; j++) s->blocked_by[j] = -1;
    memcpy(s->order, s->basis.id, (size_t)s->basis.count * sizeof *s->order);
    rng_open(&s->random, ctx->seed, STREAM);
    return RUNG_OK;
}

/* ---- actions ---- */

static rung_status add(rung_ctx *ctx, search *s, int64_t id, double alpha)
{
    TRY(sparse_add(ctx, &s->m, id, alpha, s->column));
    s->active[id] = true;
    return RUNG_OK;
}

static void delete(search *s, int64_t place)
{
    int64_t id = s->m.used[place];
    s->active[id] = false;
    for (int64_t j = 0; j < s->basis.limit; j++)
        if (s->blocked_by[j] == id) s->blocked_by[j] = -1;
    sparse_delete(&s->m, place);
}

/* Of `count` functions with their S and Q the one of largest gain (the first of equals) that is not nearly parallel to
 * an active one; its column is made. -1: none gains more than the tolerance. */
static rung_status best_addition(rung_ctx *ctx, search *s, int64_t count, const int64_t *id, int64_t *chosen,
                                 sparse_action *action)
{
    for (;;) {
        int64_t best = -1, place;
        *action = (sparse_action){.kind = ACTION_NONE, .gain = s->tolerance};
        for (int64_t j = 0; j < count; j++) {
            if (s->active[id[j]] || s->blocked_by[id[j]] >= 0) continue;
            sparse_action one = sparse_best_action(s->S[j], s->Q[j], INFINITY);
            if (one.kind != ACTION_ADD || !(one.gain > action->gain)) continue;
            *action = one;
            best = id[j];
        }
        *chosen = best;
        if (best < 0) return RUNG_OK;
        TRY(la_basis_column(ctx, &s->basis.columns, best, s->column));
        TRY(sparse_aligned(ctx, &s->m, s->column, &place));
        if (place < 0) return RUNG_OK;
        s->blocked_by[best] = s->m.used[place];
    }
}

/* ---- candidates = 0 ---- */

/* The action of largest gain within the model; its place, or -1. */
static int64_t best_own(const search *s, double least, sparse_action *action)
{
    int64_t best = -1;
    action->gain = least;
    for (int64_t j = 0; j < s->m.M; j++) {
        double S, Q;
        sparse_own_relevance(&s->m, j, &S, &Q);
        sparse_action one = sparse_best_action(S, Q, s->m.alpha[j]);
        if (!(one.gain > action->gain)) continue;
        *action = one;
        best = j;
    }
    return best;
}

static rung_status one_at_a_time(rung_ctx *ctx, search *s)
{
    for (; s->steps < s->params->max_iterations; s->steps++) {
        int64_t id;
        sparse_action outside, inside;
        TRY(interrupted(ctx));
        TRY(sparse_refit(ctx, &s->m, EXACT));
        TRY(sparse_relevance(ctx, &s->m, s->basis.count, s->basis.id, s->S, s->Q));
        TRY(best_addition(ctx, s, s->basis.count, s->basis.id, &id, &outside));
        int64_t place = best_own(s, outside.gain, &inside);
        if (id < 0 && place < 0) return RUNG_OK;
        if (place < 0)
            TRY(add(ctx, s, id, outside.alpha));
        else if (inside.kind == ACTION_DELETE)
            delete (s, place);
        else
            s->m.alpha[place] = inside.alpha;
    }
    return sparse_refit(ctx, &s->m, EXACT);
}

/* ---- candidates > 0 ---- */

/* All precisions at once, and functions that should go one after the other, `rounds` times or until nothing moves. */
static rung_status refine(rung_ctx *ctx, search *s, int rounds, double still, double tolerance)
{
    sparse_model *m = &s->m;
    for (int round = 0; round < rounds; round++) {
        int64_t worst = -1;
        double least = 0, moved = 0;
        TRY(sparse_refit(ctx, m, tolerance));
        for (int64_t j = 0; j < m->M; j++) {
            double S, Q;
            sparse_own_relevance(m, j, &S, &Q);
            sparse_action one = sparse_best_action(S, Q, m->alpha[j]);
            if (one.kind == ACTION_DELETE && one.gain >= least) {
                least = one.gain;
                worst = j;
            }
        }
        for (int64_t j = 0; j < m->M && worst < 0; j++) {
            double S, Q;
            sparse_own_relevance(m, j, &S, &Q);
            sparse_action one = sparse_best_action(S, Q, m->alpha[j]);
            moved = fmax(moved, fabs(log(one.alpha / m->alpha[j])));
            m->alpha[j] = one.alpha;
        }
        if (worst >= 0)
            delete (s, worst);
        else if (moved < still)
            break;
    }
    return sparse_refit(ctx, m, tolerance);
}

typedef struct { /* what a step that fails goes back to */
    int64_t M, *used;
    double *alpha, *w, *b, log_evidence;
} saved;

static rung_status save(rung_ctx *ctx, const search *s, saved *out)
{
    const sparse_model *m = &s->m;
    int64_t J = m->rows.K - 1;
    *out = (saved){.M = m->M, .log_evidence = m->log_evidence};
    TRY(NEW(ctx, &ctx->scratch, out->used, m->M));
    TRY(NEW(ctx, &ctx->scratch, out->alpha, m->M));
    TRY(NEW(ctx, &ctx->scratch, out->w, m->M));
    TRY(NEW(ctx, &ctx->scratch, out->b, J));
    memcpy(out->used, m->used, (size_t)m->M * sizeof *m->used);
    memcpy(out->alpha, m->alpha, (size_t)m->M * sizeof *m->alpha);
    memcpy(out->w, m->w, (size_t)m->M * sizeof *m->w);
    memcpy(out->b, m->b, (size_t)J * sizeof *m->b);
    return RUNG_OK;
}

static rung_status restore(rung_ctx *ctx, search *s, const saved *from)
{
    while (s->m.M > 0) delete (s, s->m.M - 1);
    for (int64_t j = 0; j < from->M; j++) {
        TRY(la_basis_column(ctx, &s->basis.columns, from->used[j], s->column));
        TRY(add(ctx, s, from->used[j], from->alpha[j]));
        s->m.w[j] = from->w[j];
    }
    memcpy(s->m.b, from->b, (size_t)(s->m.rows.K - 1) * sizeof *from->b);
    return sparse_refit(ctx, &s->m, LOOSE);
}

/* The first `count` of s->order become a random sample of the functions. */
static void draw(search *s, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        int64_t k = j + rng_below(&s->random, s->basis.count - j), t = s->order[j];
        s->order[j] = s->order[k];
        s->order[k] = t;
    }
}

/* Adds the best of the candidates and refines; a step that lowers the evidence is undone. */
static rung_status step(rung_ctx *ctx, search *s, int64_t count, const int64_t *id, bool *found)
{
    double gain;
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t chosen;
    sparse_action action;
    saved before;
    TRY(interrupted(ctx));
    TRY(sparse_relevance(ctx, &s->m, count, id, s->S, s->Q));
    TRY(best_addition(ctx, s, count, id, &chosen, &action));
    s->sweeps++;
    *found = chosen >= 0;
    if (!*found) return RUNG_OK;
    TRY(save(ctx, s, &before));
    TRY(add(ctx, s, chosen, action.alpha));
    TRY(refine(ctx, s, getenv("REF") ? atoi(getenv("REF")) : REFINE, 0.05, getenv("LO") ? atof(getenv("LO")) : LOOSE));
    gain = s->m.log_evidence - before.log_evidence;
    s->steps++;
    if (gain < 0) {
        TRY(restore(ctx, s, &before));
        s->blocked_by[chosen] = chosen;
        s->undone++;
    }
    if (getenv("DBG")) fprintf(stderr, "%lld: M %lld gain %.3f predicted %.3f ev %.3f steps %d\n", (long long)s->sweeps, (long long)s->m.M, gain, action.gain, s->m.log_evidence, s->m.state.steps);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Orders functions by their gain, largest first, and keeps the `count` best. */
typedef struct {
    double gain;
    int64_t id;
} ranked;

static int by_gain(const void *a_, const void *b_)
{
    const ranked *a = a_, *b = b_;
    if (a->gain != b->gain) return a->gain < b->gain ? 1 : -1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* One look at every function: the best of them are the candidates until they are used up. */
static rung_status full_sweep(rung_ctx *ctx, search *s)
{
    int64_t all = s->basis.count, count = s->params->candidates < all ? s->params->candidates : all;
    ranked *list = NULL;
    bool found;
    TRY(NEW(ctx, &ctx->scratch, list, all));
    TRY(sparse_relevance(ctx, &s->m, all, s->basis.id, s->S, s->Q));
    for (int64_t j = 0; j < all; j++) {
        int64_t id = s->basis.id[j];
        sparse_action one = sparse_best_action(s->S[j], s->Q[j], INFINITY);
        list[j] = (ranked){s->active[id] || one.kind != ACTION_ADD ? -INFINITY : one.gain, id};
    }
    qsort(list, (size_t)all, sizeof *list, by_gain);
    for (int64_t j = 0; j < count; j++) s->order[j] = list[j].id;
    if (getenv("DBG")) fprintf(stderr, "full sweep: %g %g %g\n", list[0].gain, list[1].gain, list[9].gain);
    do TRY(step(ctx, s, count, s->order, &found));
    while (found && s->steps < s->params->max_iterations);
    return RUNG_OK;
}

static rung_status by_samples(rung_ctx *ctx, search *s)
{
    int64_t all = s->basis.count, count = s->params->candidates < all ? s->params->candidates : all;
    int fails = 0, patience = all > FULL_ROWS ? SAMPLED_PATIENCE : FULL_PATIENCE;
    bool found;
    TRY(sparse_refit(ctx, &s->m, EXACT));
    while (s->steps < s->params->max_iterations && fails < patience) {
        if (count < all) draw(s, count);
        TRY(step(ctx, s, count, s->order, &found));
        fails = found ? 0 : fails + 1;
    }
    if (all <= FULL_ROWS && count < all) TRY(full_sweep(ctx, s));
    return refine(ctx, s, POLISH, 0.01, EXACT);
}

/* ---- */

static rung_status isbor_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params_, const folds *f, fitted *out,
                             held_out *held)
{
    (void)f, (void)held;
    const isbor_params *params = params_;
    search s;
    kernel k;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    TRY(search_new(ctx, p, params, &k, &s));
    TRY(params->candidates == 0 ? one_at_a_time(ctx, &s) : by_samples(ctx, &s));
    TRY(sparse_finish(ctx, mem, p, &s.basis, &s.m, params->decision == ARGMAX, out));
    return report_number(ctx, mem, out, "steps", (double)s.steps);
}

static double isbor_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    return 8 * ((double)shape->labelled * (double)shape->d * 3);
}

static const rung_param isbor_rows[] = {
    KERNEL_PARAMS(isbor_params),
    {.name = "tolerance",
     .help = "stop when no action raises the log evidence by more",
     .type = RUNG_REAL,
     .standard = "auto",
     .published = "1e-6",
     .low = 0,
     .high = HUGE_VAL,
     .flags = RUNG_AUTO,
     PARAM_PLACE(isbor_params, tolerance)},
    {.name = "max-iterations",
     .help = "actions at most",
     .type = RUNG_INT,
     .standard = "1000",
     .published = "1000",
     .low = 1,
     .high = 1e9,
     PARAM_PLACE(isbor_params, max_iterations)},
    {.name = "candidates",
     .help = "basis functions to look at for each action; 0: all, and one action at a time",
     .type = RUNG_INT,
     .standard = "100",
     .published = "0",
     .low = 0,
     .high = 1e9,
     PARAM_PLACE(isbor_params, candidates)},
    {.name = "decision",
     .help = "the class in whose interval the mean lies, or the most probable one",
     .type = RUNG_CHOICE,
     .standard = "interval",
     .published = "interval",
     .choices = "interval|argmax",
     PARAM_PLACE(isbor_params, decision)},
    {0},
};

const method method_isbor = {
    .info = {.name = "isbor",
             .title = "Incremental sparse Bayesian ordinal regression",
             .reference = "Li, de Rijke. Incremental sparse Bayesian ordinal regression. Neural Networks 106:294-302, "
                          "2018. doi:10.1016/j.neunet.2018.07.015",
             .cost = "time 100 n m per action for m basis functions, memory n m",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_PROBABILITIES,
             .params = isbor_rows},
    .params_size = sizeof(isbor_params),
    .bytes = isbor_bytes,
    .fit = isbor_fit,
};
