// SPDX-License-Identifier: BSD-3-Clause
#include "method/bayes/isbor_search.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-10; /* see probit_map_fit */
static const double PRICE = 5e-6;  /* of a function, in log evidence per row and function */
static const uint64_t STREAM = 0x15b0;

static rung_status search_new(rung_ctx *ctx, const problem *p, const kernel *k, const isbor_options *options,
                              isbor_search *s)
{
    probit_map_rows rows = {.n = p->n, .K = p->K, .y = p->y};
    *s = (isbor_search){.options = *options};
    TRY(basis_functions_new(ctx, p, k, &s->basis));
    TRY(sparse_start(ctx, &ctx->scratch, &rows, &s->basis.columns, &s->m));
    TRY(NEW(ctx, &ctx->scratch, s->active, s->basis.limit));
    TRY(NEW(ctx, &ctx->scratch, s->blocked_by, s->basis.limit));
    TRY(NEW(ctx, &ctx->scratch, s->order, s->basis.count));
    TRY(NEW(ctx, &ctx->scratch, s->S, s->basis.count));
    TRY(NEW(ctx, &ctx->scratch, s->Q, s->basis.count));
    TRY(NEW(ctx, &ctx->scratch, s->values, p->n));
    for (int64_t j = 0; j < s->basis.limit; j++) s->blocked_by[j] = -1;
    memcpy(s->order, s->basis.id, (size_t)s->basis.count * sizeof *s->order);
    rng_open(&s->random, ctx->seed, STREAM);
    return RUNG_OK;
}

double isbor_least_gain(const isbor_search *s)
{
    return isnan(s->options.tolerance) ? PRICE * (double)s->m.rows.n * (double)(s->m.M + 1) : s->options.tolerance;
}

double isbor_paid(const isbor_search *s)
{
    double M = (double)s->m.M;
    return isnan(s->options.tolerance) ? PRICE * (double)s->m.rows.n * M * (M + 1) / 2 : M * s->options.tolerance;
}

/* ---- adding and removing functions ---- */

rung_status isbor_add(rung_ctx *ctx, isbor_search *s, int64_t id, double alpha)
{
    TRY(sparse_add(ctx, &s->m, id, alpha, s->values));
    s->active[id] = true;
    return RUNG_OK;
}

rung_status isbor_add_again(rung_ctx *ctx, isbor_search *s, int64_t id, double alpha)
{
    TRY(la_basis_column(ctx, &s->basis.columns, id, s->values));
    return isbor_add(ctx, s, id, alpha);
}

void isbor_drop(isbor_search *s, int64_t place)
{
    int64_t id = s->m.used[place];
    s->active[id] = false;
    for (int64_t j = 0; j < s->basis.limit; j++)
        if (s->blocked_by[j] == id) s->blocked_by[j] = -1;
    sparse_delete(&s->m, place);
}

rung_status isbor_best_addition(rung_ctx *ctx, isbor_search *s, int64_t count, const int64_t *id, int64_t *chosen,
                                sparse_action *action)
{
    for (;;) {
        int64_t place;
        *chosen = -1;
        *action = (sparse_action){.kind = ACTION_NONE, .gain = isbor_least_gain(s)};
        for (int64_t j = 0; j < count; j++) {
            if (s->active[id[j]] || s->blocked_by[id[j]] >= 0) continue;
            sparse_action one = sparse_best_action(s->S[j], s->Q[j], INFINITY);
            if (one.kind != ACTION_ADD || !(one.gain > action->gain)) continue;
            *action = one;
            *chosen = id[j];
        }
        if (*chosen < 0) return RUNG_OK;
        TRY(la_basis_column(ctx, &s->basis.columns, *chosen, s->values));
        TRY(sparse_aligned(ctx, &s->m, s->values, &place));
        if (place < 0) return RUNG_OK;
        s->blocked_by[*chosen] = s->m.used[place];
    }
}

sparse_action isbor_own_action(const sparse_model *m, int64_t place)
{
    double S, Q;
    sparse_own_relevance(m, place, &S, &Q);
    return sparse_best_action(S, Q, m->alpha[place]);
}

/* ---- candidates = 0: over all functions, the one action of largest gain ---- */

/* Within the model, if it gains more than `least`; its place, or -1. */
static int64_t best_own(const isbor_search *s, double least, sparse_action *action)
{
    int64_t best = -1;
    action->gain = least;
    for (int64_t j = 0; j < s->m.M; j++) {
        sparse_action one = isbor_own_action(&s->m, j);
        if (!(one.gain > action->gain)) continue;
        *action = one;
        best = j;
    }
    return best;
}

static rung_status one_at_a_time(rung_ctx *ctx, isbor_search *s)
{
    for (; s->steps < s->options.max_iterations; s->steps++) {
        int64_t id;
        sparse_action outside, inside;
        TRY(interrupted(ctx));
        TRY(sparse_refit(ctx, &s->m, EXACT));
        TRY(sparse_relevance(ctx, &s->m, s->basis.count, s->basis.id, s->S, s->Q));
        s->full_sweeps++;
        isbor_progress(ctx, s);
        TRY(isbor_best_addition(ctx, s, s->basis.count, s->basis.id, &id, &outside));
        int64_t place = best_own(s, outside.gain, &inside);
        s->settled = s->polished = id < 0 && place < 0;
        if (s->settled) return RUNG_OK;
        if (place < 0)
            TRY(isbor_add(ctx, s, id, outside.alpha));
        else if (inside.kind == ACTION_DELETE)
            isbor_drop(s, place);
        else
            s->m.alpha[place] = inside.alpha;
    }
    return sparse_refit(ctx, &s->m, EXACT);
}

rung_status isbor_search_run(rung_ctx *ctx, const problem *p, const kernel *k, const isbor_options *options,
                             int64_t known, const double *alpha, isbor_search *s)
{
    TRY(search_new(ctx, p, k, options, s));
    for (int64_t i = 0; i < known && i < s->basis.count; i++)
        if (alpha[i] > 0) TRY(isbor_add_again(ctx, s, s->basis.id[i], alpha[i]));
    return s->options.candidates == 0 ? one_at_a_time(ctx, s) : isbor_by_samples(ctx, s);
}
