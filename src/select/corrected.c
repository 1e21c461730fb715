// SPDX-License-Identifier: BSD-3-Clause
#include "select/corrected.h"

#include <string.h>

#include "fit/heldout.h"

/* With many small folds (leave-one-out) the choice would hardly vary, and be biased against each single row. */
enum { MOST_PARTS = 10, FEW_PARTS = 5 };

static int parts_of(const folds *f) { return f->count > MOST_PARTS ? FEW_PARTS : f->count; }

/* The point that wins on the held-out rows of all repeats but for those that one part of one repeat holds out. */
static rung_status choose_without(rung_ctx *ctx, const tune_state *r, int repeat, int part, int *chosen)
{
    search s = *r->search;
    bool *aside = NULL;
    TRY(NEW(ctx, &ctx->scratch, s.results, s.grid.n));
    TRY(NEW(ctx, &ctx->scratch, aside, s.n_labelled * s.repeats));
    memcpy(s.results, r->search->results, (size_t)s.grid.n * sizeof *s.results);
    for (int c = 0; c < s.grid.n; c++) {
        pool_mark mark = pool_here(&ctx->scratch);
        point_result *one = &s.results[c];
        const folds *f = folds_at(r, c);
        if (one->status != RUNG_OK) continue;
        for (int64_t i = 0; i < one->held.n; i++)
            aside[i] = f->fold[repeat * f->n + one->held.row[i]] % parts_of(f) == part;
        TRY(tune_judge(ctx, r, c, &one->held, aside, one));
        pool_release(&ctx->scratch, mark);
    }
    TRY(tune_choose(ctx, &s));
    *chosen = s.winner;
    return RUNG_OK;
}

/* What the model of a point would report for its held-out rows: cross-fitted ranks and probabilities. */
static rung_status grade(rung_ctx *ctx, const tune_state *r, int point, held_grades *g)
{
    tempering unused;
    *g = (held_grades){.p = problem_at(r, point), .f = folds_at(r, point), .h = &r->search->results[point].held};
    TRY(NEW(ctx, &ctx->scratch, g->rank, g->h->n));
    TRY(NEW(ctx, &ctx->scratch, g->proba, g->h->n * g->p->K));
    TRY(held_out_grades(ctx, spec_recalibrates(r->search->grid.points[point].spec), g));
    TRY(held_out_temper(ctx, &ctx->scratch, g, &unused));
    held_out_cost(&r->training, &r->search->cost, g);
    return RUNG_OK;
}

/* Adds the rows of the parts that chose this point. */
static rung_status take_parts(rung_ctx *ctx, const tune_state *r, int point, const int *choice, const int64_t *labelled,
                              held_out *held, held_grades *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    held_grades g;
    int parts = parts_of(out->f), K = out->p->K;
    TRY(grade(ctx, r, point, &g));
    for (int64_t i = 0; i < g.h->n; i++) {
        int repeat = g.h->repeat[i], fold = g.h->fold[i];
        if (choice[repeat * parts + fold % parts] != point) continue;
        held->row[held->n] = labelled[g.p->origin[g.h->row[i]]];
        held->repeat[held->n] = repeat;
        held->fold[held->n] = fold;
        out->rank[held->n] = g.rank[i];
        memcpy(out->proba + held->n * K, g.proba + i * K, (size_t)K * sizeof *g.proba);
        held->n++;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status corrected_metrics(rung_ctx *ctx, const tune_state *r, rung_metrics *out)
{
    const problem *p = &r->training.labelled;
    const folds *f = &r->labelled;
    int n = r->search->grid.n, parts = parts_of(f), *choice = NULL;
    int64_t *labelled = NULL; /* the row of p, by row of the data */
    held_out held;
    held_grades g = {.p = p, .f = f, .h = &held};
    *out = (rung_metrics){0};
    if (n < 2 || parts < 2) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, choice, f->repeats * parts));
    TRY(NEW(ctx, &ctx->scratch, labelled, r->training.data->n));
    TRY(held_out_new(ctx, &ctx->scratch, p->n * f->repeats, &held));
    TRY(NEW(ctx, &ctx->scratch, g.rank, p->n * f->repeats));
    TRY(NEW(ctx, &ctx->scratch, g.proba, p->n * f->repeats * p->K));
    for (int64_t i = 0; i < p->n; i++) labelled[p->origin[i]] = i;
    for (int t = 0; t < f->repeats * parts; t++) {
        pool_mark each = pool_here(&ctx->scratch);
        TRY(interrupted(ctx));
        TRY(choose_without(ctx, r, t / parts, t % parts, &choice[t]));
        pool_release(&ctx->scratch, each);
    }
    for (int c = 0; c < n; c++) {
        bool chosen = false;
        for (int t = 0; t < f->repeats * parts; t++) chosen = chosen || choice[t] == c;
        if (chosen) TRY(take_parts(ctx, r, c, choice, labelled, &held, &g));
    }
    if (held_out_counted(&r->training, &g) > 0) TRY(held_out_metrics(ctx, &r->training, &g, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
