// SPDX-License-Identifier: BSD-3-Clause
#include "select/tune_point.h"

#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "fit/heldout.h"

const metric tune_cost = {
    .info = {.key = "cost", .title = "mean cost", .help = "mean cost", .flags = RUNG_METRIC_NEEDS_PROBABILITIES}};
const metric tune_evidence = {.info = {.key = "evidence", .flags = RUNG_METRIC_LARGER_BETTER}};

/* The held-out rows that a point is measured on. */
typedef struct {
    held_grades g;
    const bool *aside; /* rows that do not count; NULL: none */
} measured;

/* The metric over the held-out rows of one repeat (and one fold; -1: all of them). */
static rung_status measure(rung_ctx *ctx, const tune_state *r, const measured *m, int repeat, int fold, double *out)
{
    const problem *p = m->g.p;
    const held_out *h = m->g.h;
    const double *proba = m->g.proba;
    pool_mark mark = pool_here(&ctx->scratch);
    int K = r->training.data->code.n_classes, *truth = NULL, *upper = NULL, *predicted = NULL;
    double *part = NULL, *weight = NULL, sum = 0;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, truth, h->n));
    TRY(NEW(ctx, &ctx->scratch, predicted, h->n));
    if (p->count) TRY(NEW(ctx, &ctx->scratch, weight, h->n));
    if (p->upper) TRY(NEW(ctx, &ctx->scratch, upper, h->n));
    if (proba) TRY(NEW(ctx, &ctx->scratch, part, h->n * K));
    for (int64_t i = 0; i < h->n; i++) {
        if (h->repeat[i] != repeat || (fold >= 0 && h->fold[i] != fold) || (m->aside && m->aside[i])) continue;
        const rung_data *data = r->training.data;
        truth[n] = upper ? data->y[p->origin[h->row[i]]] : r->training.present[p->y[h->row[i]] - 1];
        if (upper) upper[n] = data->upper[p->origin[h->row[i]]];
        predicted[n] = m->g.rank[i] ? r->training.present[m->g.rank[i] - 1] : 0;
        if (weight) weight[n] = p->count[h->row[i]];
        sum += weight ? weight[n] : 1;
        for (int q = 0; q < p->K && proba; q++) part[n * K + r->training.present[q] - 1] = proba[i * p->K + q];
        n++;
    }
    rung_metrics metrics;
    *out = NAN;
    if (n > 0 && r->search->metric == &tune_cost) {
        *out = 0;
        for (int64_t i = 0; i < n; i++)
            *out += cost_of(&r->search->cost, K, truth[i], highest_rank(truth, upper, i), predicted[i]) *
                    (weight ? weight[i] : 1) / sum;
    } else if (n > 0) {
        graded_rows rows = {.n = n, .K = K, .truth = truth, .upper = upper, .weight = weight};
        TRY(metrics_point(ctx, &rows, predicted, part, &metrics));
        *out = metric_value(r->search->metric, &metrics);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Mean over the repeats, standard error over the folds. An undefined metric (a constant prediction has no tau) costs 1.
 */
static rung_status summarise(rung_ctx *ctx, const tune_state *r, const measured *m, point_result *out)
{
    const folds *f = m->g.f;
    double sum = 0, squares = 0, value;
    int64_t defined = 0;
    bool spread = f->count <= 1000 && (!m->aside || r->search->options->one_se); /* only where it is used */
    out->value = 0;
    for (int repeat = 0; repeat < f->repeats; repeat++) {
        TRY(measure(ctx, r, m, repeat, -1, &value));
        out->value += value / f->repeats;
        for (int fold = 0; fold < f->count && spread; fold++) {
            TRY(measure(ctx, r, m, repeat, fold, &value));
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

static bool compares_probabilities(const tune_state *r)
{
    return r->search->cost.matrix || (r->search->metric->info.flags & RUNG_METRIC_NEEDS_PROBABILITIES) != 0;
}

/* Points are compared by thresholds fitted to all their held-out scores: with a handful of labels, thresholds fitted
 * without each fold in turn are so noisy that worse models win (pasture, 6 labels: test MAE 0.51 instead of 0.46). The
 * reported error of the winner is the cross-fitted one. */
static rung_status fit_compared(rung_ctx *ctx, const tune_state *r, int point, const held_out *h, point_result *out)
{
    bool recalibrated = spec_recalibrates(r->search->grid.points[point].spec);
    if (!recalibrated && (h->proba || !compares_probabilities(r))) return RUNG_OK;
    return held_out_thresholds(ctx, problem_at(r, point), h, folds_at(r, point), &out->compared);
}

rung_status tune_judge(rung_ctx *ctx, const tune_state *r, int point, const held_out *h, const bool *aside,
                       point_result *out)
{
    const problem *p = problem_at(r, point);
    const answer_cost *cost = &r->search->cost;
    const calibration *cal = &out->compared;
    int *rank = NULL;
    double *proba = NULL, off = 0;
    int64_t rows = 0;
    bool recalibrated = spec_recalibrates(r->search->grid.points[point].spec), needs_proba = compares_probabilities(r);
    TRY(NEW(ctx, &ctx->scratch, rank, h->n));
    if (needs_proba && !h->proba) TRY(NEW(ctx, &ctx->scratch, proba, h->n * p->K));
    for (int64_t i = 0; i < h->n; i++) {
        if (aside && aside[i]) continue;
        rank[i] = recalibrated ? calibrate_rank(cal, h->score[i]) : h->rank[i];
        if (proba) calibrate_proba(cal, h->score[i], proba + i * p->K);
        const double *own = h->proba ? h->proba + i * p->K : proba ? proba + i * p->K : NULL;
        if (cost->matrix && (cost->abstain == 0 || r->search->metric == &tune_cost))
            rank[i] = cost_answer(cost, r->training.data->code.n_classes, p->K, r->training.present, own);
        double score = fmin(fmax(h->score[i], 1), p->K), low = p->y[h->row[i]];
        off += fabs(score - fmin(fmax(score, low), highest_rank(p->y, p->upper, h->row[i])));
        rows++;
    }
    held_grades g = {.p = p, .f = folds_at(r, point), .h = h, .rank = rank};
    g.proba = needs_proba && h->proba ? h->proba : proba;
    TRY(summarise(ctx, r, &(measured){g, aside}, out));
    double error = isnan(out->value) ? 1 : metric_cost(r->search->metric, out->value);
    out->criterion = error + (r->search->options->as_published ? 0 : 1e-3 * off / fmax((double)rows, 1));
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
    const folds *f = folds_at(r, g->points[0]);
    pool_mark mark = pool_here(&ctx->scratch);
    problem p = problem_view(problem_at(r, g->points[0]), &ctx->scratch);
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
        TRY(fit_compared(ctx, r, g->points[i], &held[i], out));
        TRY(tune_judge(ctx, r, g->points[i], &held[i], NULL, out));
        copy_held(&held[i], &out->held);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
