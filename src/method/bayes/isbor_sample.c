// SPDX-License-Identifier: BSD-3-Clause
/* isbor_sample.c - candidates > 0: add the best of a sample, then re-estimate every precision; a step that lowers the
 * evidence is undone. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/bayes/isbor_search.h"

enum {
    FULL_ROWS = 30000,     /* up to this number of functions all of them are examined once before stopping */
    PATIENCE = 3,          /* samples without a gain before that ... */
    PATIENCE_SAMPLED = 10, /* ... or, above, before stopping */
    FEW = 8,               /* a model of fewer functions is tried again ... */
    TRIES = 3,             /* ... this often (once if there are few or many), ... */
    TOGETHER = 30,         /* ... from this number of functions at once, ... */
    ROUNDS = 100,          /* ... re-estimated at most this often */
    POLISH = 30            /* updates of all precisions at the end */
};
/* See probit_map_fit. On the way a loose maximum is enough: its last Newton step still squares the distance. At the end
 * it is found to rounding, since phi'delta = alpha w is a small difference where weights are large. */
static const double FINAL = 1e-16, EXACT = 1e-10, LOOSE = 1e-4;
static const double VAGUE = 1e-3; /* a precision without effect */

/* Re-estimates all precisions at once or, if functions should be removed, removes the one with the largest gain;
 * `rounds` times, or until nothing changes. */
static rung_status refine(rung_ctx *ctx, isbor_search *s, int rounds, double tolerance)
{
    sparse_model *m = &s->m;
    TRY(sparse_refit(ctx, m, tolerance));
    for (int round = 0; round < rounds; round++) {
        int64_t leaves = -1;
        double most = -INFINITY, moved = 0;
        for (int64_t j = 0; j < m->M; j++) {
            sparse_action one = isbor_own_action(m, j);
            if (one.kind != ACTION_DELETE || !(one.gain > most)) continue;
            most = one.gain;
            leaves = j;
        }
        if (leaves >= 0) isbor_drop(s, leaves);
        for (int64_t j = 0; j < m->M && leaves < 0; j++) {
            double alpha = isbor_own_action(m, j).alpha;
            moved = fmax(moved, fabs(log(alpha / m->alpha[j])));
            m->alpha[j] = alpha;
        }
        TRY(sparse_refit(ctx, m, tolerance));
        if (leaves < 0 && moved < 0.01) break;
    }
    return RUNG_OK;
}

typedef struct { /* the state restored after an unsuccessful step */
    int64_t M, *used;
    double *alpha, *w, *b, log_evidence;
} saved;

static rung_status save(rung_ctx *ctx, const sparse_model *m, saved *out)
{
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

/* Undoes all changes since then, unless the evidence has increased by `least`. */
static rung_status undo_unless(rung_ctx *ctx, isbor_search *s, const saved *before, double least, bool *undone)
{
    /* A loose maximum is found again to about 1e-4; where classes are separated, thresholds hardly matter: 1e-3. */
    double slack = 1e-2 * fmax(1, fabs(before->log_evidence));
    *undone = !(s->m.log_evidence >= before->log_evidence + least);
    if (!*undone) return RUNG_OK;
    while (s->m.M > 0) isbor_drop(s, s->m.M - 1);
    for (int64_t j = 0; j < before->M; j++) {
        TRY(isbor_add_again(ctx, s, before->used[j], before->alpha[j]));
        s->m.w[j] = before->w[j];
    }
    memcpy(s->m.b, before->b, (size_t)(s->m.rows.K - 1) * sizeof *before->b);
    TRY(sparse_refit(ctx, &s->m, LOOSE));
    assert(s->m.log_evidence >= before->log_evidence - slack);
    (void)slack;
    return RUNG_OK;
}

/* Nearly parallel functions may fail numerically: then the step is undone. */
static rung_status tried(isbor_search *s, rung_status status)
{
    if (status != RUNG_ESINGULAR && status != RUNG_ENOCONV) return status;
    s->m.log_evidence = -INFINITY;
    return RUNG_OK;
}

/* Adds the best of the candidates and re-estimates. found: there was one to add. */
static rung_status step(rung_ctx *ctx, isbor_search *s, int64_t count, const int64_t *id, bool *found)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t chosen;
    sparse_action action;
    saved before;
    bool undone;
    TRY(interrupted(ctx));
    TRY(sparse_relevance(ctx, &s->m, count, id, s->S, s->Q));
    TRY(isbor_best_addition(ctx, s, count, id, &chosen, &action));
    *found = chosen >= 0;
    if (!*found) return RUNG_OK;
    s->steps++;
    isbor_progress(ctx, s);
    TRY(save(ctx, &s->m, &before));
    TRY(isbor_add(ctx, s, chosen, action.alpha));
    TRY(tried(s, refine(ctx, s, 1, LOOSE)));
    TRY(undo_unless(ctx, s, &before, 0, &undone));
    if (undone || !s->active[chosen]) s->blocked_by[chosen] = chosen;
    s->undone += undone;
    log_at(ctx, RUNG_LOG_DEBUG, "isbor: step %d%s, %lld functions, log evidence %.10g", s->steps,
           undone ? " undone" : "", (long long)s->m.M, s->m.log_evidence);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The first `count` of s->order become a random sample of the functions. */
static void draw(isbor_search *s, int64_t count)
{
    for (int64_t j = 0; j < count; j++) {
        int64_t k = j + rng_below(&s->random, s->basis.count - j), t = s->order[j];
        s->order[j] = s->order[k];
        s->order[k] = t;
    }
}

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

/* Examines every function once: the best of them are candidates until none brings a gain. */
static rung_status full_sweep(rung_ctx *ctx, isbor_search *s, int64_t count)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t all = s->basis.count, *best = NULL;
    ranked *list = NULL;
    TRY(NEW(ctx, &ctx->scratch, list, all));
    TRY(NEW(ctx, &ctx->scratch, best, count));
    TRY(sparse_relevance(ctx, &s->m, all, s->basis.id, s->S, s->Q));
    s->full_sweeps++;
    for (int64_t j = 0; j < all; j++) {
        sparse_action one = sparse_best_action(s->S[j], s->Q[j], INFINITY);
        list[j] = (ranked){one.kind == ACTION_ADD ? one.gain : -INFINITY, s->basis.id[j]};
    }
    qsort(list, (size_t)all, sizeof *list, by_gain);
    for (int64_t j = 0; j < count; j++) best[j] = list[j].id;
    for (bool found = true; found && s->steps < s->options.max_iterations;) TRY(step(ctx, s, count, best, &found));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Samples until `patience` of them in a row bring no gain. */
static rung_status sample(rung_ctx *ctx, isbor_search *s, int64_t count)
{
    int64_t all = s->basis.count;
    int vain = 0, patience = count == all ? 1 : all > FULL_ROWS ? PATIENCE_SAMPLED : PATIENCE;
    bool found;
    while (vain < patience && s->steps < s->options.max_iterations) {
        if (count < all) draw(s, count);
        TRY(step(ctx, s, count, s->order, &found));
        vain = found ? 0 : vain + 1;
    }
    if (s->steps == s->options.max_iterations) return RUNG_OK;
    if (count == all) s->full_sweeps++;
    return count < all && all <= FULL_ROWS ? full_sweep(ctx, s, count) : RUNG_OK;
}

/* Wide functions bring no gain one by one, but much together, and greedy selection does not find the best set. So many
 * are added at once, and the search continues from those that remain. */
static rung_status begin_together(rung_ctx *ctx, isbor_search *s)
{
    int64_t together = s->basis.count < TOGETHER ? s->basis.count : TOGETHER, place;
    while (s->m.M > 0) isbor_drop(s, s->m.M - 1);
    probit_map_null_thresholds(&s->m.rows, s->m.b);
    draw(s, together);
    for (int64_t j = 0; j < together; j++) {
        TRY(la_basis_column(ctx, &s->basis.columns, s->order[j], s->values));
        TRY(sparse_aligned(ctx, &s->m, s->values, &place));
        if (place < 0) TRY(isbor_add(ctx, s, s->order[j], VAGUE));
    }
    TRY(refine(ctx, s, ROUNDS, LOOSE));
    log_at(ctx, RUNG_LOG_DEBUG, "isbor: %lld of %lld initial functions remain, log evidence %.10g", (long long)s->m.M,
           (long long)together, s->m.log_evidence);
    return RUNG_OK;
}

/* The better of the current model and one started in this way. */
static rung_status try_together(rung_ctx *ctx, isbor_search *s, int64_t count)
{
    saved before;
    bool undone;
    TRY(save(ctx, &s->m, &before));
    rung_status status = begin_together(ctx, s);
    if (status == RUNG_OK) status = sample(ctx, s, count);
    TRY(tried(s, status));
    return undo_unless(ctx, s, &before, 0, &undone);
}

rung_status isbor_by_samples(rung_ctx *ctx, isbor_search *s)
{
    int64_t count = s->options.candidates < s->basis.count ? s->options.candidates : s->basis.count;
    bool undone;
    saved before;
    TRY(sparse_refit(ctx, &s->m, EXACT));
    TRY(sample(ctx, s, count));
    int tries = s->basis.count > FULL_ROWS || s->basis.count <= TOGETHER ? 1 : TRIES;
    for (int k = 0; k < tries && s->m.M < FEW && s->steps < s->options.max_iterations; k++)
        TRY(try_together(ctx, s, count));
    s->settled = s->steps < s->options.max_iterations;
    TRY(save(ctx, &s->m, &before));
    TRY(tried(s, refine(ctx, s, POLISH, EXACT)));
    TRY(undo_unless(ctx, s, &before, 0, &undone));
    s->polished = !undone;
    return sparse_refit(ctx, &s->m, FINAL);
}
