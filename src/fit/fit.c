// SPDX-License-Identifier: BSD-3-Clause
/* fit.c - the common driver.
 *
 *     training (classes, weights, scaling, problem) -> method.fit -> out-of-fold scores -> calibration -> model
 *
 * Calibration (parameter `calibrate` = number of folds): each labelled row is predicted by a model that did not see it.
 * The all-threshold fit on their rank scores gives probabilities (unless the method has its own) and, with
 * thresholds=recalibrated, the decision; how well the labels conform to these predictions gives the prediction
 * intervals. */
#include "fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/row_groups.h"
#include "eval/metrics.h"
#include "fit/bare.h"
#include "fit/copies_fit.h"
#include "fit/heldout.h"
#include "fit/propagation_baseline.h"
#include "fit/update.h"

enum { ABSENT_NAMED = 5 };

/* ---- folds ---- */

enum { FEW_LABELS = 60, AUTOMATIC_ROWS = 500, AUTOMATIC_SHARE = 100, AUTOMATIC_MOST = 10000 };

static bool calibrates_by_default(const rung_spec *spec)
{
    const char *text = spec_value(spec, "calibrate");
    return text && text_equal(text, "auto");
}

static rung_status calibration_folds(rung_ctx *ctx, const rung_spec *spec, int *count)
{
    const char *text = spec_value(spec, "calibrate");
    int64_t value = calibrates_by_default(spec) ? CALIBRATE_FOLDS : 0;
    if (text && value == 0)
        text_integer(text, strlen(text), &value); /* a whole number: checked against its table row when it was set */
    if (value == 1) return set_error(ctx, RUNG_EARG, "calibrate=1: expected at least 2 folds, or 0 for none");
    if (value == 0 && spec_recalibrates(spec))
        return set_error(ctx, RUNG_EARG, "thresholds=recalibrated needs calibrate >= 2 (or use thresholds=midpoint)");
    *count = (int)value;
    return RUNG_OK;
}

/* How many rows to measure, by the number of labels: 500, from 50,000 on a hundredth, from a million on 10,000. */
static int64_t automatic_rows(int64_t labels)
{
    int64_t share = labels / AUTOMATIC_SHARE;
    return share < AUTOMATIC_ROWS ? AUTOMATIC_ROWS : share < AUTOMATIC_MOST ? share : AUTOMATIC_MOST;
}

/* At random: with few labels stratified folds hide how far the class frequencies of a sample are from those of the
 * population. Up to 500 labels twice as many as are asked for, because the error of fits to much fewer rows is too
 * large; repeated with up to `twice`, because it then depends on the folds. With more labels as many as are asked for,
 * and of calibrate=auto a single one of at most some rows, so that the fit takes at most twice the time. The rule
 * depends on the number of labels alone; all: of which these are a sample. */
static rung_status held_folds(rung_ctx *ctx, const problem *p, int64_t labelled, int64_t all, bool by_default,
                              int count, int twice, folds *out)
{
    ranked_rows ranked = problem_ranks(p);
    if (labelled <= DOUBLED_LABELS)
        return folds_random(ctx, &ctx->scratch, &ranked, 2 * count, labelled > twice ? 1 : 2, out);
    if (by_default) return folds_holdout(ctx, &ctx->scratch, &ranked, 1.0 / count, automatic_rows(all), out);
    return folds_affordable(ctx, &ctx->scratch, &ranked, count, 1, out);
}

/* ---- calibration ---- */

/* If no row can be held out (one label per class), every label is placed at its own rank. */
static rung_status labels_as_scores(rung_ctx *ctx, const problem *p, held_out *out)
{
    TRY(held_out_new(ctx, &ctx->scratch, p->n, out));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) {
            out->row[out->n] = i;
            out->score[out->n] = out->rank[out->n] = p->y[i];
            out->n++;
        }
    return RUNG_OK;
}

static rung_status fit_calibration(rung_ctx *ctx, const rung_spec *spec, const held_grades *g, rung_model *model)
{
    member *m = &model->members[0];
    const problem *p = g->p;
    held_out labels;
    if (g->h->n == 0) TRY(labels_as_scores(ctx, p, &labels));
    TRY(NEW(ctx, &model->mem, m->cal.c, p->K - 1));
    TRY(held_out_thresholds(ctx, p, g->h->n > 0 ? g->h : &labels, g->f, &m->cal));
    m->proba = PROBA_CALIBRATION;
    if (spec_recalibrates(spec)) m->decide = (decision){.kind = DECISION_CALIBRATED, .K = p->K};
    return RUNG_OK;
}

/* Whether probabilities of the method's own become as certain as held-out rows justify. A fit with parameters of the
 * user's choice to columns that are not scaled is the method just as published, to reproduce the numbers of a paper or
 * of another program: its probabilities stay, unless `calibrate` is among the parameters, and it says so. */
static bool is_published(const rung_spec *spec)
{
    return calibrates_by_default(spec) && !spec_is_default(spec) && spec->scale == SCALE_NONE;
}

static bool tempers(rung_ctx *ctx, const rung_spec *spec)
{
    const char *wish = spec_value(spec, "temper");
    if (spec->method->has_groups) return false;
    if (wish) return strcmp(wish, "with") == 0;
    if (!is_published(spec)) return true;
    log_at(ctx, RUNG_LOG_INFO,
           "with parameters and scale none, the probabilities are those of %s as published, and may be too certain; "
           "set calibrate=%d to adjust them to the held-out rows",
           spec->method->info.name, CALIBRATE_FOLDS);
    return false;
}

/* Whether a new row that equals labelled ones is given some of their labels. An update knows the rows only as scaled,
 * and must do what a fit to all rows does. */
static bool minds_equals(const rung_spec *spec, bool searched)
{
    const char *wish = spec_value(spec, "copies");
    if (spec->bare || spec->method->has_groups) return false;
    if (wish) return strcmp(wish, "with") == 0;
    return !spec->keep_data && (searched || !is_published(spec));
}

/* What labels that are intervals do to the error. */
static void tell_intervals(rung_ctx *ctx, const training *t, const held_grades *g)
{
    int64_t intervals = 0;
    for (int64_t i = 0; i < g->h->n && t->data->upper; i++)
        intervals += g->h->repeat[i] == 0 && is_interval(t->data->y, t->data->upper, g->p->origin[g->h->row[i]]);
    if (intervals > 0 && g->exact)
        log_at(ctx, RUNG_LOG_INFO,
               "the error is that of held-out rows with exact labels; of the %lld with intervals only a lower bound is "
               "known",
               (long long)intervals);
    else if (intervals > 0)
        log_at(ctx, RUNG_LOG_WARNING,
               "fewer than %d rows with exact labels can be held out, so the error is a lower bound: an answer inside "
               "an interval counts as right",
               EXACT_ENOUGH);
}

/* Held-out rows that have no part in the error, and why. */
static void tell_uncounted(rung_ctx *ctx, const held_grades *g, int64_t counted)
{
    int64_t open = 0;
    for (int64_t i = 0; i < g->h->n; i++) open += g->rank[i] == 0;
    if (open > 0 && counted > 0)
        log_at(ctx, RUNG_LOG_INFO,
               "no answer is given to %.0f %% of the held-out rows, because it is expected to cost too much; the error "
               "is that of the others",
               100 * (double)open / (double)g->h->n);
    else if (open > 0)
        log_at(ctx, RUNG_LOG_WARNING, "no answer is given to any held-out row, so there is no error");
    else if (counted == 0 && g->h->n > 0)
        log_at(ctx, RUNG_LOG_WARNING,
               "all rows that could be held out were chosen to be labelled, none at random: the error "
               "cannot be estimated");
}

/* Labelled rows that are held out one by one, and groups of those that are held out together. */
static rung_status labelled_units(rung_ctx *ctx, const problem *p, int64_t *out)
{
    row_groups groups;
    TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->group, &groups));
    *out = 0;
    for (int64_t g = 0; g < groups.count; g++)
        for (int64_t k = groups.start[g]; k < groups.start[g + 1]; k++)
            if (p->y[groups.rows[k]]) {
                (*out)++;
                break;
            }
    return RUNG_OK;
}

static rung_status tell_few_groups(rung_ctx *ctx, const training *t, const problem *p)
{
    enum { FEW_GROUPS = 9 }; /* an interval of 0.9 needs nine */
    int64_t units;
    TRY(labelled_units(ctx, p, &units));
    if (units < FEW_GROUPS && units < t->n_labelled)
        log_at(
            ctx, RUNG_LOG_WARNING,
            "the error is that of only %lld groups, and rough; 0.9 prediction intervals need nine groups, and contain "
            "all classes",
            (long long)units);
    return RUNG_OK;
}

/* Results of the held-out rows: probabilities, metrics, prediction intervals. searched: by a search, which chose the
 * parameters. */
static rung_status use_held_out(rung_ctx *ctx, const rung_spec *spec, made_fit *made, const folds *f, const held_out *h,
                                bool searched, rung_model *model)
{
    const training *t = made->t;
    held_grades g = {.p = made->p, .f = f, .h = h};
    double *plain = NULL; /* before tempering */
    bool own = model->n_members > 1 || member_has_own_proba(&model->members[0]);
    if (g.h->n == 0)
        log_at(ctx, RUNG_LOG_WARNING, "no class has two labelled rows: %sthe error cannot be estimated",
               own ? "" : "thresholds and probabilities are guesses, and ");
    if (!own) TRY(fit_calibration(ctx, spec, &g, model));
    TRY(NEW(ctx, &ctx->scratch, g.rank, g.h->n));
    TRY(NEW(ctx, &ctx->scratch, g.proba, g.h->n * g.p->K));
    TRY(NEW_RAW(ctx, &ctx->scratch, plain, g.h->n * g.p->K));
    TRY(held_out_grades(ctx, spec_recalibrates(spec), &g));
    memcpy(plain, g.proba, (size_t)(g.h->n * g.p->K) * sizeof *plain);
    if (g.h->n > 0 && (!own || (searched && !spec->method->has_groups) || tempers(ctx, spec)))
        TRY(held_out_temper(ctx, &model->mem, &g, &model->temper));
    held_out_judge(t, &g); /* before any row is left open */
    if (minds_equals(spec, searched)) TRY(copies_fit(ctx, t, plain, &g, model));
    TRY(held_out_ranges(ctx, &model->mem, &g, t->K == t->data->code.n_classes, &model->ranges));
    if (!searched && !problem_partial(made->p))
        TRY(held_out_rest(ctx, spec->method, made->params, spec_recalibrates(spec), &model->temper, &g));
    held_out_cost(t, &model->cost, &g);
    held_out_judge(t, &g);
    int64_t counted = held_out_counted(t, &g);
    tell_uncounted(ctx, &g, counted);
    model->has_cv = counted > 0;
    made->grades = g;
    if (!model->has_cv) return RUNG_OK;
    tell_intervals(ctx, t, &g);
    TRY(tell_few_groups(ctx, t, made->p));
    TRY(held_out_metrics(ctx, t, &g, &model->cv));
    return held_out_median(ctx, t, &g, &model->median, &model->cv_median);
}

/* ---- the model ---- */

/* Rows with a label; of a class without weight they have none. */
static int64_t labelled_rows(const training *t)
{
    const row_source *all = t->data->source;
    int64_t labelled = 0;
    for (int q = 1; all && q <= t->data->code.n_classes; q++)
        if (!t->class_weight || t->class_weight[q - 1] > 0) labelled += all->count[q];
    return all ? labelled : t->n_labelled;
}

static rung_status describe_fit(rung_ctx *ctx, const rung_spec *spec, const training *t, const fitted *fit,
                                rung_model *model)
{
    const param_row *rows = spec->method->params;
    model->method = spec->method->info.name;
    model->library = RUNG_VERSION;
    const row_source *all = t->data->source;
    model->n_rows = all ? all->n_rows : t->data->n;
    model->n_labelled = labelled_rows(t);
    model->n_expansion = fit->n_expansion;
    model->n_report = fit->n_report;
    model->report = fit->report;
    int count = 0;
    while (rows[count].info.name) count++;
    TRY(NEW(ctx, &model->mem, model->params, count));
    for (int i = 0; i < count; i++) {
        if (!spec->values[i]) continue;
        model->params[model->n_params].name = rows[i].info.name;
        TRY(pool_text(ctx, &model->mem, spec->values[i], &model->params[model->n_params].value));
        model->n_params++;
    }
    TRY(coding_copy(ctx, &model->mem, &t->data->code, &model->code));
    model->n_present = t->K;
    TRY(NEW(ctx, &model->mem, model->present, t->K));
    memcpy(model->present, t->present, sizeof *model->present * (size_t)t->K);
    return RUNG_OK;
}

/* The costs of the answers, which need probabilities. */
static rung_status take_cost(rung_ctx *ctx, const rung_spec *spec, const training *t, rung_model *model)
{
    int classes = t->data->code.n_classes;
    if (!spec->n_cost) return RUNG_OK;
    if (spec->n_cost != classes)
        return hint(
            ctx, set_error(ctx, RUNG_EARG, "the costs are of %d classes, but the data have %d", spec->n_cost, classes),
            "option cost");
    return cost_copy(ctx, &model->mem, classes, spec->cost.matrix, spec->cost.abstain, &model->cost);
}

static rung_status check_cost(rung_ctx *ctx, const rung_model *model)
{
    if (!model->cost.matrix || model_has_probabilities(model)) return RUNG_OK;
    return hint(ctx,
                set_error(ctx, RUNG_EARG, "costs need probabilities, which %s does not have here: set calibrate=5",
                          model->method),
                "parameter calibrate");
}

/* The only member of a fit that has one. */
static rung_status only_member(rung_ctx *ctx, const fitted *fit, rung_model *model)
{
    TRY(NEW(ctx, &model->mem, model->members, 1));
    model->n_members = 1;
    model->members[0] = fit->own;
    model->members[0].weight = 1;
    return RUNG_OK;
}

/* The members, and the predictions of a transductive fit for the training rows. Arrays are those of the fit. */
static rung_status assemble(rung_ctx *ctx, const rung_spec *spec, const training *t, fitted *fit, rung_model *model)
{
    if (fit->n_members == 0) TRY(only_member(ctx, fit, model));
    if (fit->n_members > 0) {
        model->n_members = fit->n_members;
        model->members = fit->members;
        model->sharpen = fit->sharpen;
    }
    if (t->equals.repeated > 0)
        TRY(report_number(ctx, &model->mem, fit, "equal_rows", (double)t->equals.repeated / (double)t->n_labelled));
    model->training = fit->training;
    if (fit->training.n != 0 && fit->training.n != t->data->n)
        return set_error(ctx, RUNG_EINTERNAL, "%s has predictions for %lld rows, but there are %lld",
                         spec->method->info.name, (long long)fit->training.n, (long long)t->data->n);
    const scaling as_they_stand = {.kind = SCALE_NONE, .d = t->data->d}; /* a search shares the scaling of others */
    TRY(scale_copy(ctx, &model->mem, spec->method->takes_cells ? &as_they_stand : &t->scale, &model->members->scale));
    for (int i = 1; i < model->n_members; i++) model->members[i].scale = model->members->scale;
    TRY(describe_fit(ctx, spec, t, fit, model));
    TRY(provenance_note(ctx, NULL, t->data, model));
    TRY(take_cost(ctx, spec, t, model));
    if (spec->keep_data) return keep_data(ctx, t, fit, model);
    pool_free(&model->mem, fit->state);
    return RUNG_OK;
}

/* Where it is asked for: the error of label propagation alone, for a fit that learns from unlabelled rows. */
static rung_status report_baseline(rung_ctx *ctx, const rung_spec *spec, const training *t, const problem *p,
                                   rung_model *model, fitted *fit)
{
    const char *kernel_value = spec_value(spec, "kernel");
    if (!spec->baseline || t->t || t->K < 2 || t->n_labelled == p->n) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    problem view = problem_view(p, &ctx->scratch);
    TRY(propagation_baseline(ctx, &model->mem, t, &view, kernel_value && strcmp(kernel_value, "precomputed") == 0,
                             fit));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Leave-one-out probabilities as predictions for held-out rows; those of a group were left out together. */
static rung_status left_out(rung_ctx *ctx, const training *t, const problem *p, const double *loo, folds *f,
                            held_out *out)
{
    row_groups g;
    TRY(row_groups_new(ctx, &ctx->scratch, t->n_labelled, t->labelled.group, &g));
    TRY(held_out_with_proba(ctx, &ctx->scratch, t->n_labelled, p->K, out));
    int64_t row = 0; /* of loo */
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->y[i]) continue;
        const double *own = loo + row++ * p->K;
        if (isnan(own[0])) continue; /* never left out */
        memcpy(out->proba + out->n * p->K, own, (size_t)p->K * sizeof *loo);
        out->row[out->n] = i;
        out->fold[out->n] = (int)g.of[row - 1];
        out->rank[out->n] = posterior_median(p->K, own);
        out->n++;
    }
    *f = (folds){.n = p->n, .count = (int)g.count, .repeats = 1};
    return RUNG_OK;
}

/* The shares of a fit in the time it takes, roughly: settling parameters, preparing matrices, the fit, refits without
 * each fold. */
typedef struct {
    double settled, prepared, fitted;
} fit_stages;

static fit_stages stages_of(const method *m, const folds *f, bool own)
{
    double refits = own ? 0 : 0.7 * f->count * f->repeats, fit = 1 / (1 + refits);
    double settled = m->settle ? 0.3 : 0;
    return (fit_stages){fit * settled, fit * (settled + (m->prepare ? 0.1 : 0)), fit};
}

static bool of_the_rows(rung_status status)
{
    return status == RUNG_EDATA || status == RUNG_ESINGULAR || status == RUNG_ENOCONV || status == RUNG_ELIMIT;
}

/* Whether a fit may be finished although its folds failed: nobody asked for them. */
static bool can_do_without(rung_ctx *ctx, const rung_spec *spec, rung_status status)
{
    if (!calibrates_by_default(spec) || !of_the_rows(status)) return false;
    log_at(ctx, RUNG_LOG_WARNING, "no error, probabilities or prediction intervals from held-out rows: %s",
           ctx->message);
    return true;
}

static rung_status refits(rung_ctx *ctx, const rung_spec *spec, made_fit *made)
{
    rung_log_fn *log = ctx->log; /* one message about the fit, not one for each fold */
    ctx->log = NULL;
    rung_status status = held_out_by_refits(ctx, &ctx->scratch, spec->method, 1, (const void *[]){made->params},
                                            made->p, &made->f, &made->held);
    ctx->log = log;
    return status;
}

/* What a fit chooses by rows that it holds out or leaves out itself has seen each of them: of few rows, or groups, too
 * well for what it says of them to be an error on new ones. Refits of more than some rows would take too long. */
static rung_status is_seen(rung_ctx *ctx, const made_fit *made, bool *out)
{
    int64_t units;
    TRY(labelled_units(ctx, made->p, &units));
    *out = units <= FEW_LABELS && made->t->n_objects <= MOST_REFITTED;
    return RUNG_OK;
}

/* Held-out predictions of a fit that comes with those for rows left out, but does not show them where they have been
 * seen, by what was chosen or by the weights of the columns. A constant has nothing chosen. */
static rung_status left_out_or_refitted(rung_ctx *ctx, const rung_spec *spec, made_fit *made)
{
    const training *t = made->t;
    const fitted *fit = &made->fit;
    bool weighted = made->p->relevance != NULL, seen;
    bool constant = fit->n_members == 1 && fit->members[0].score.kind == SCORER_CONSTANT;
    TRY(is_seen(ctx, made, &seen));
    if (weighted || (seen && !constant)) {
        /* once: such fits are slow */
        TRY(held_folds(ctx, made->p, t->n_objects, labelled_rows(t), true, CALIBRATE_FOLDS, 0, &made->f));
        if (weighted || made->f.count > 1) {
            rung_status status = refits(ctx, spec, made);
            if (status == RUNG_OK || weighted || !of_the_rows(status)) return status;
        }
    }
    return left_out(ctx, t, made->p, fit->loo, &made->f, &made->held);
}

/* The folds that a fit is calibrated by; *count: how many, 0 where the caller gives them or nothing is calibrated. A
 * single class leaves nothing to calibrate; between two every method decides. */
static rung_status choose_folds(rung_ctx *ctx, const rung_spec *spec, const folds *given, made_fit *made, int *count)
{
    const training *t = made->t;
    *count = 0;
    if (!given && t->K > 0) TRY(calibration_folds(ctx, spec, count));
    if (t->K < 2) *count = 0;
    if (*count == 0) return RUNG_OK;
    return held_folds(ctx, made->p, t->n_objects, labelled_rows(t), calibrates_by_default(spec), *count, FEW_LABELS,
                      &made->f);
}

/* own: with its held-out rows. What the fit has in scratch memory is freed before the folds need theirs. */
static rung_status run_method(rung_ctx *ctx, fit_input in, bool own, made_fit *made, rung_model *model)
{
    const training *t = made->t;
    pool_mark mark = pool_here(&ctx->scratch);
    problem view = problem_view(made->p, &ctx->scratch);
    in.p = &view;
    if (t->state)
        TRY(in.method->update(ctx, &model->mem, &in, t->known, t->state, &made->fit));
    else if (own)
        TRY(in.method->hold_out(ctx, &model->mem, &in, &made->f, &made->fit, &made->held));
    else
        TRY(in.method->fit(ctx, &model->mem, &in, &made->fit));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status method_build(rung_ctx *ctx, const rung_spec *spec, training *t, const folds *given, held_out *given_held,
                         made_fit *made, rung_model *model)
{
    const method *m = spec->method;
    problem *p;
    int count;
    void *params;
    *made = (made_fit){.t = t};
    TRY(keep_check(ctx, spec));
    TRY(training_problem(ctx, t, spec, &p));
    made->p = p;
    TRY(choose_folds(ctx, spec, given, made, &count));
    fit_stages at = stages_of(m, &made->f, count == 0);
    progress_part outer = progress_enter(ctx, "fitting", 0, at.settled);
    progress(ctx, "fitting", 0);
    TRY(interrupted(ctx));
    TRY(method_settle(ctx, &ctx->scratch, spec, p, &params));
    made->params = params;
    bool own = count && !p->relevance && method_can_hold_out(m, params), again = own && m->chooses;
    if (again) TRY(is_seen(ctx, made, &again));
    if (own) at = stages_of(m, &made->f, !again);
    progress_leave(ctx, outer);
    progress_enter(ctx, "fitting", at.settled, at.prepared);
    fit_input in = {.method = m, .p = p, .params = params};
    if (m->prepare) TRY(m->prepare(ctx, &in)); /* what folds share stays with the problem */
    progress_leave(ctx, outer);
    progress_enter(ctx, "fitting", at.prepared, at.fitted);
    TRY(run_method(ctx, in, own, made, model));
    progress_leave(ctx, outer);
    progress_enter(ctx, "fitting", at.fitted, 1);
    TRY(report_baseline(ctx, spec, t, p, model, &made->fit));
    if (count && (!own || again)) {
        rung_status status = refits(ctx, spec, made);
        if (status != RUNG_OK && !can_do_without(ctx, spec, status)) return status;
        if (status != RUNG_OK) count = 0;
    }
    progress(ctx, "fitting", 1);
    progress_leave(ctx, outer);
    TRY(assemble(ctx, spec, t, &made->fit, model));
    if (m->infer && t->K > 1) TRY(m->infer(ctx, &in, model));
    if (given_held && t->K > 1) return use_held_out(ctx, spec, made, given, given_held, true, model);
    if (count == 0 && !made->fit.loo) return RUNG_OK;
    if (count == 0) TRY(left_out_or_refitted(ctx, spec, made));
    return use_held_out(ctx, spec, made, &made->f, &made->held, false, model);
}

/* A class that no row has is no part of what was learned. */
static void tell_absent(rung_ctx *ctx, const rung_model *model)
{
    char list[TABLE_LIST] = "", name[48];
    int absent = 0, at = 0;
    for (int q = 1; q <= model->code.n_classes; q++) {
        if (at < model->n_present && model->present[at] == q) {
            at++;
            continue;
        }
        snprintf(name, sizeof name, "'%.40s'", model->code.classes[q - 1]);
        if (++absent <= ABSENT_NAMED) table_list(list, ", ", name);
    }
    if (absent == 0 || model->n_present == 0) return;
    log_at(ctx, RUNG_LOG_WARNING,
           "%d of the %d classes %s no labelled row and %s never predicted, with probability 0: %s%s", absent,
           model->code.n_classes, absent == 1 ? "has" : "have", absent == 1 ? "is" : "are", list,
           absent > ABSENT_NAMED ? ", ..." : "");
}

/* What only the proof needed. */
static void forget_held(const fitted *fit, rung_model *model)
{
    pool_free(&model->mem, fit->held.said);
    pool_free(&model->mem, fit->held.at);
    pool_free(&model->mem, fit->loo);
}

rung_status method_finish(rung_ctx *ctx, const rung_spec *spec, training *t, const folds *f, held_out *held,
                          rung_model **out)
{
    TRY(model_new(ctx, out));
    made_fit made;
    rung_status status = method_build(ctx, spec, t, f, held, &made, *out);
    if (status == RUNG_OK) status = check_cost(ctx, *out);
    if (status == RUNG_OK && spec->bare) status = bare_prove(ctx, spec, *out);
    if (status == RUNG_OK) status = model_prove(ctx, &made, *out);
    if (status == RUNG_OK) forget_held(&made.fit, *out);
    if (status != RUNG_OK) {
        model_free(*out);
        *out = NULL;
    }
    if (status == RUNG_OK) tell_absent(ctx, *out);
    return status;
}

static rung_status tell_groups(rung_ctx *ctx, const training *t)
{
    row_groups g;
    TRY(problem_groups(ctx, &ctx->scratch, &t->labelled, &g));
    log_at(ctx, RUNG_LOG_INFO, "the %lld labelled rows form %lld groups, whose rows are held out together",
           (long long)t->n_labelled, (long long)g.count);
    return RUNG_OK;
}

/* What equal rows are taken for, and by what. */
static void tell_equal(rung_ctx *ctx, const rung_spec *spec, const training *t)
{
    const equal_counts *c = &t->equals;
    char why[160] = "as asked";
    if (spec->equal == EQUAL_AUTO)
        snprintf(why, sizeof why, "a pair that agrees elsewhere agrees in a column %.*f times as often as by chance",
                 c->excess < 10 ? 1 : 0, fmin(c->excess, 1e6));
    if (spec->equal == EQUAL_AUTO && !isnan(c->agree)) {
        size_t used = strlen(why);
        snprintf(why + used, sizeof why - used, ", and %.0f %% of the pairs have equal labels", 100 * c->agree);
    }
    log_at(ctx, RUNG_LOG_INFO,
           "%lld of the %lld labelled rows equal another one in every column; they %sare held out %s (%s)",
           (long long)c->repeated, (long long)t->n_labelled,
           spec->equal != EQUAL_AUTO ? ""
           : c->copies               ? "look like copies and "
                                     : "look like replicates and ",
           c->copies ? "together" : "apart", why);
}

/* Trees split a date by its days; the other coded columns of a cyclic one are not among the cells they see. */
static void tell_cyclic(rung_ctx *ctx, const rung_spec *spec, const coding *code)
{
    for (int64_t k = 0; k < code->n_columns && spec->method->takes_cells; k++)
        if (code->columns[k].form == FORM_CYCLIC)
            log_at(
                ctx, RUNG_LOG_WARNING,
                "%s uses only the days of column '%s', not its place in the year and the week; other methods use both",
                spec->method->info.name, code->columns[k].name);
}

/* Data larger than memory: what the method can do with them. */
static rung_status check_source(rung_ctx *ctx, const rung_spec *spec, const rung_data *data)
{
    char list[TABLE_LIST] = "";
    const method *m = spec->method;
    if (spec->keep_data)
        return set_error(ctx, RUNG_EARG, "a model cannot keep data that are larger than the memory limit");
    if (m->takes_sample)
        log_at(ctx, RUNG_LOG_INFO, "%s learns from a uniform sample of %lld of the %lld rows", m->info.name,
               (long long)data->n, (long long)data->source->n_rows);
    if (m->info.flags & RUNG_METHOD_PASSES) return RUNG_OK;
    for (const method *const *one = method_table; *one; one++)
        if ((*one)->info.flags & RUNG_METHOD_PASSES) table_list(list, ", ", (*one)->info.name);
    return hint(ctx,
                set_error(ctx, RUNG_EARG, "%s needs all rows in memory; methods that read them in passes: %s",
                          m->info.name, list),
                "option memory");
}

rung_status method_fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_model **out)
{
    training t;
    *out = NULL;
    if (spec->bare) TRY(bare_check(ctx, spec));
    if (data->source) TRY(check_source(ctx, spec, data));
    bool all = (spec->method->info.flags & RUNG_METHOD_USES_UNLABELLED) != 0;
    TRY(training_new(ctx, spec, data, all, !spec->method->takes_cells, &t));
    tell_cyclic(ctx, spec, &data->code);
    TRY(training_check(ctx, &t, spec->method));
    if (!all && t.n_labelled < data->n && !data->source)
        log_at(ctx, RUNG_LOG_INFO,
               "%s learns from the %lld labelled row%s; the other %lld only help%s to scale the columns",
               spec->method->info.name, (long long)t.n_labelled, t.n_labelled == 1 ? "" : "s",
               (long long)(data->n - t.n_labelled), data->n - t.n_labelled == 1 ? "s" : "");
    if (data->group) TRY(tell_groups(ctx, &t));
    if (data->code.n_random > 0)
        log_at(ctx, RUNG_LOG_INFO, "the error is that of %s",
               data->group ? "groups that the model does not know" : "new rows of groups that the model knows");
    if (t.equals.repeated > 0 && !data->source) tell_equal(ctx, spec, &t);
    return method_finish(ctx, spec, &t, NULL, NULL, out);
}
