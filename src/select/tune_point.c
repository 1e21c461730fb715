// SPDX-License-Identifier: BSD-3-Clause
#include "select/tune_point.h"

#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "fit/heldout.h"

const metric tune_cost = {
    .info = {.key = "cost", .title = "mean cost", .help = "mean cost", .flags = RUNG_NEEDS_PROBABILITIES}};
const metric tune_evidence = {.info = {.key = "evidence", .flags = RUNG_LARGER_BETTER}};

/* The metric over the held-out rows of one repeat (and one fold; -1: all of them). */
static rung_status measure(rung_ctx *ctx, const tune_state *r, const held_grades *g, int repeat, int fold, double *out)
{
    const problem *p = g->p;
    const held_out *h = g->h;
    const double *proba = g->proba;
    pool_mark mark = pool_here(&ctx->scratch);
    int K = r->training.data->code.n_classes, *truth = NULL, *predicted = NULL;
    double *part = NULL;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, truth, h->n));
    TRY(NEW(ctx, &ctx->scratch, predicted, h->n));
    if (proba) TRY(NEW(ctx, &ctx->scratch, part, h->n * K));
    for (int64_t i = 0; i < h->n; i++) {
        if (h->repeat[i] != repeat || (fold >= 0 && h->fold[i] != fold)) continue;
        truth[n] = r->training.present[p->y[h->row[i]] - 1];
        predicted[n] = g->rank[i] ? r->training.present[g->rank[i] - 1] : 0;
        for (int q = 0; q < p->K && proba; q++) part[n * K + r->training.present[q] - 1] = proba[i * p->K + q];
        n++;
    }
    rung_metrics metrics;
    *out = NAN;
    if (n > 0 && r->search->metric == &tune_cost) {
        *out = 0;
        for (int64_t i = 0; i < n; i++) *out += cost_of(&r->search->cost, K, truth[i], predicted[i]) / (double)n;
    } else if (n > 0) {
        TRY(metrics_point(ctx, n, K, truth, predicted, part, &metrics));
        *out = metric_value(r->search->metric, &metrics);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Mean over the repeats, standard error over the folds. An undefined metric (a constant prediction has no tau) costs 1.
 */
static rung_status summarise(rung_ctx *ctx, const tune_state *r, const held_grades *g, point_result *out)
{
    const folds *f = g->f;
    double sum = 0, squares = 0, value;
    int64_t defined = 0;
    out->value = 0;
    for (int repeat = 0; repeat < f->repeats; repeat++) {
        TRY(measure(ctx, r, g, repeat, -1, &value));
        out->value += value / f->repeats;
        for (int fold = 0; fold < f->count && f->count <= 1000; fold++) {
            TRY(measure(ctx, r, g, repeat, fold, &value));
            if (isnan(value)) continue;
            sum += value;
            squares += value * value;
            defined++;
        }
    }
    double mean = defined ? sum / (double)defined : 0, variance = defined ? squares / (double)defined - mean * mean : 0;
    out->se = defined > 1 ? sqrt(fmax(variance, 0) / (double)(defined - 1)) : NAN;
    return RUNG_OK;
}

/* Points are compared by thresholds fitted to all their held-out scores: with a handful of labels, thresholds fitted
 * without each fold in turn are so noisy that worse models win (pasture, 6 labels: test MAE 0.51 instead of 0.46). The
 * reported error of the winner is the cross-fitted one. */
static rung_status judge(rung_ctx *ctx, const tune_state *r, const rung_spec *spec, const problem *p, const folds *f,
                         const held_out *h, point_result *out)
{
    int *rank = NULL;
    double *proba = NULL, off = 0;
    bool recalibrated = spec_recalibrates(spec), published = r->search->options->as_published != 0;
    const answer_cost *cost = &r->search->cost;
    bool needs_proba = cost->matrix || (r->search->metric->info.flags & RUNG_NEEDS_PROBABILITIES) != 0;
    calibration cal = {.K = p->K};
    TRY(NEW(ctx, &ctx->scratch, rank, h->n));
    TRY(NEW(ctx, &ctx->scratch, cal.c, p->K));
    if (recalibrated || (needs_proba && !h->proba)) TRY(held_out_thresholds(ctx, p, h, f, &cal));
    if (needs_proba && !h->proba) TRY(NEW(ctx, &ctx->scratch, proba, h->n * p->K));
    for (int64_t i = 0; i < h->n; i++) {
        rank[i] = recalibrated ? calibrate_rank(&cal, h->score[i]) : h->rank[i];
        if (proba) calibrate_proba(&cal, h->score[i], proba + i * p->K);
        const double *own = h->proba ? h->proba + i * p->K : proba ? proba + i * p->K : NULL;
        if (cost->matrix && (cost->abstain == 0 || r->search->metric == &tune_cost))
            rank[i] = cost_answer(cost, r->training.data->code.n_classes, p->K, r->training.present, own);
        off += fabs(fmin(fmax(h->score[i], 1), p->K) - p->y[h->row[i]]) / (double)h->n;
    }
    held_grades g = {.p = p, .f = f, .h = h, .rank = rank, .proba = needs_proba && h->proba ? h->proba : proba};
    TRY(summarise(ctx, r, &g, out));
    double error = isnan(out->value) ? 1 : metric_cost(r->search->metric, out->value);
    out->criterion = error + (published ? 0 : 1e-3 * off);
    return RUNG_OK;
}

static void copy_held(const held_out *from, held_out *to)
{
    size_t n = (size_t)from->n;
    to->n = from->n;
    memcpy(to->row, from->row, n * sizeof *to->row);
    memcpy(to->repeat, from->repeat, n * sizeof *to->repeat);
    memcpy(to->fold, from->fold, n * sizeof *to->fold);
    memcpy(to->score, from->score, n * sizeof *to->score);
    memcpy(to->rank, from->rank, n * sizeof *to->rank);
    if (!from->proba) to->proba = NULL;
    if (to->proba) memcpy(to->proba, from->proba, n * (size_t)to->K * sizeof *to->proba);
}

static const rung_spec *spec_at(const tune_state *r, const point_group *g, int i)
{
    return r->search->grid.points[g->points[i]].spec;
}

static rung_status run_evidence(rung_ctx *ctx, const tune_state *r, const point_group *g, problem *p,
                                void *const *params)
{
    for (int i = 0; i < g->n; i++) {
        point_result *out = &r->search->results[g->points[i]];
        fitted fit = {0};
        const method *m = spec_at(r, g, i)->method;
        TRY(m->fit(ctx, &ctx->scratch, &(fit_input){.method = m, .p = p, .params = params[i]}, &fit));
        for (int k = 0; k < fit.n_report; k++)
            if (strcmp(fit.report[k].name, "log_evidence") == 0) out->value = fit.report[k].value[0];
        out->se = NAN;
        out->criterion = metric_cost(&tune_evidence, out->value);
    }
    return RUNG_OK;
}

rung_status tune_points(rung_ctx *ctx, const tune_state *r, const point_group *g)
{
    const rung_spec *spec = spec_at(r, g, 0);
    const problem *parent = uses_all(spec) ? &r->training.all : &r->training.labelled;
    const folds *f = uses_all(spec) ? &r->all : &r->labelled;
    pool_mark mark = pool_here(&ctx->scratch);
    problem p = problem_view(parent, &ctx->scratch);
    fitted fit = {0};
    held_out *held = NULL;
    void **params = NULL;
    TRY(NEW(ctx, &ctx->scratch, held, g->n));
    TRY(NEW(ctx, &ctx->scratch, params, g->n));
    for (int i = 0; i < g->n; i++) TRY(method_settle(ctx, &ctx->scratch, spec_at(r, g, i), &p, &params[i]));
    if (r->search->metric == &tune_evidence) return run_evidence(ctx, r, g, &p, params);
    fit_input in = {.method = spec->method, .p = &p, .params = params[0]};
    if (spec->method->hold_out_alike)
        TRY(spec->method->hold_out_alike(ctx, &ctx->scratch, &in, f, g->n, (const void *const *)params, held));
    else if (g->n == 1 && !p.relevance && method_can_hold_out(spec->method, params[0]))
        TRY(spec->method->hold_out(ctx, &ctx->scratch, &in, f, &fit, held));
    else
        TRY(held_out_by_refits(ctx, &ctx->scratch, spec->method, g->n, (const void *const *)params, &p, f, held));
    if (held->n == 0)
        return set_error(ctx, RUNG_EDATA,
                         "no rows can be held out: no class has two labelled rows, or only one class has labels");
    for (int i = 0; i < g->n; i++) {
        point_result *out = &r->search->results[g->points[i]];
        TRY(judge(ctx, r, spec_at(r, g, i), &p, f, &held[i], out));
        copy_held(&held[i], &out->held);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
