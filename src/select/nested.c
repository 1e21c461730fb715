// SPDX-License-Identifier: BSD-3-Clause
/* nested.c - an honest error of a search.
 *
 * Nested cross-validation repeats the whole search on the training part of each outer fold, scaling included, and
 * measures the held-out rows, whose labels influenced nothing. */
#include "select/nested.h"

#include <string.h>

#include "data/row_groups.h"

/* Which rows leave together: those of a group that the search was given, too. Rows without a label are each by
 * themselves, so that they tie no groups together. NULL: none do. */
static rung_status whole_groups(rung_ctx *ctx, const rung_tune_options *o, int64_t n, const int *together, int **out)
{
    *out = NULL;
    if (!together && !o->groups) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, *out, n));
    for (int64_t i = 0; i < n; i++) (*out)[i] = together && together[i] >= 0 ? together[i] : (int)(-1 - i);
    return o->groups ? join_groups(ctx, n, o->groups, *out, *out) : RUNG_OK;
}

/* group: rows that leave together. */
static rung_status outer_folds(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, const int *group,
                               folds *out)
{
    problem p = {.n = data->n,
                 .K = data->code.n_classes,
                 .y = data->y,
                 .upper = data->upper,
                 .group = group,
                 .cluster = data->group};
    int64_t *origin = NULL;
    rung_tune_options outer = *o;
    outer.repeats = 1;
    TRY(NEW(ctx, &ctx->scratch, origin, data->n));
    for (int64_t i = 0; i < data->n; i++) origin[i] = i;
    p.origin = origin;
    return tune_folds(ctx, &ctx->scratch, &outer, data->n, &p, out);
}

static rung_status decide_equal(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, leaving *out)
{
    equal_rule rule = EQUAL_AUTO;
    if (o->equal_rows && !equal_rule_parse(o->equal_rows, &rule))
        return hint(ctx,
                    set_error(ctx, RUNG_EARG, "unknown rule '%s'; expected together, apart or auto", o->equal_rows),
                    "option equal_rows");
    return data_together(ctx, data, rule, out);
}

/* Many folds become a few parts, of which those measure enough rows are left. */
static void join_folds(const nested_way *way, folds *f)
{
    int64_t measured = 0;
    int parts = 0;
    for (int64_t i = 0; i < f->n && way->parts > 0 && f->count > 2 * way->parts; i++)
        if (f->fold[i] >= 0) f->fold[i] %= way->parts;
    if (way->parts > 0 && f->count > 2 * way->parts) f->count = way->parts;
    for (; way->enough > 0 && parts < f->count && measured < way->enough; parts++)
        for (int64_t i = 0; i < f->n; i++) measured += f->fold[i] == parts;
    if (way->enough > 0) f->count = parts;
}

typedef struct {
    rung_metrics *inner; /* per outer fold: what its search reports; n = 0: nothing */
    int *predicted;      /* per row: 0 = not held out */
    double *proba;       /* rows x classes */
    bool has_proba;      /* all winners have probabilities */
} outer_answers;

/* Searches on the rows outside one fold and predicts those inside. */
static rung_status outer_fold(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, const folds *f,
                              int fold, outer_answers *out, point_name chosen)
{
    int64_t *kept = NULL, *held = NULL;
    int *groups = NULL, *rank = NULL, K = data->code.n_classes;
    double *part = NULL;
    TRY(NEW(ctx, &ctx->scratch, kept, data->n));
    TRY(NEW(ctx, &ctx->scratch, held, data->n));
    TRY(NEW(ctx, &ctx->scratch, groups, data->n));
    int64_t n = folds_kept(f, 0, fold, kept), h = folds_held(f, 0, fold, held);
    if (h == 0) return RUNG_OK;
    rung_tune_options inner = *o;
    inner.own_folds = NULL; /* the user's folds are the outer ones */
    for (int64_t i = 0; i < n && o->groups; i++) groups[i] = o->groups[kept[i]];
    if (o->groups) inner.groups = groups;
    TRY(NEW(ctx, &ctx->scratch, rank, h));
    TRY(NEW(ctx, &ctx->scratch, part, h * K));
    rung_data *train = NULL, *test = NULL;
    rung_model *model = NULL;
    search s = {0};
    rung_status status = dataset_subset(ctx, data, n, kept, &train);
    if (status == RUNG_OK) status = dataset_subset(ctx, data, h, held, &test);
    if (status == RUNG_OK) status = tune_run(ctx, &ctx->scratch, &inner, train, &s, &model);
    if (status == RUNG_OK) {
        point_describe(s.grid.points[s.winner].spec, o, chosen);
        if (model->has_cv) out->inner[fold] = model->cv;
        out->has_proba = out->has_proba && model_has_probabilities(model);
        rung_view view = {.v = test->X, .n = h, .d = test->d, .row = test->d, .col = 1};
        rung_output answers = {.rank = rank, .proba = model_has_probabilities(model) ? part : NULL};
        status = model_predict(ctx, model, &view, NULL, &answers);
    }
    for (int64_t i = 0; i < h && status == RUNG_OK; i++) {
        out->predicted[held[i]] = rank[i];
        memcpy(out->proba + held[i] * K, part + i * K, (size_t)K * sizeof *part);
    }
    grid_free(&s.grid);
    model_free(model);
    dataset_free(train);
    dataset_free(test);
    return status;
}

/* The mean over the folds that were searched. */
static void inner_mean(int n, const rung_metrics *each, rung_metrics *out)
{
    *out = (rung_metrics){0};
    for (int i = 0; i < n; i++)
        if (!each[i].n) return;
    metrics_mean(n, each, out);
}

/* Of the rows that were held out and not chosen: as the error of a fit counts them. Where the searches report errors of
 * rows with exact labels, which these are compared with, of these. */
static rung_status measure(rung_ctx *ctx, const rung_data *data, const int *group, int n_folds, const outer_answers *a,
                           rung_metrics *out)
{
    bool exact = true;
    int *truth = NULL, *own = NULL;
    int64_t n = 0;
    row_groups counted;
    TRY(NEW(ctx, &ctx->scratch, truth, data->n));
    TRY(NEW(ctx, &ctx->scratch, own, data->n));
    for (int k = 0; k < n_folds; k++) exact = exact && a->inner[k].intervals == 0;
    for (int64_t i = 0; i < data->n; i++) {
        bool left_out = (data->chosen && data->chosen[i]) || (exact && is_interval(data->y, data->upper, i));
        if (a->predicted[i] && !left_out) truth[i] = data->y[i];
        if (!truth[i]) a->predicted[i] = 1;
        if (truth[i]) own[n++] = group ? group[i] : (int)i;
    }
    TRY(row_groups_new(ctx, &ctx->scratch, n, own, &counted));
    graded_rows rows = {.n = data->n,
                        .K = data->code.n_classes,
                        .truth = truth,
                        .upper = data->upper,
                        .weight = data->weight,
                        .group = group,
                        .held_out = true};
    TRY(metrics_compute(ctx, &rows, a->predicted, a->has_proba ? a->proba : NULL, out));
    if (n > 0) metrics_widen(rows.K, counted.count, out);
    return RUNG_OK;
}

rung_status nested_run(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, const nested_way *way,
                       nested_result *out)
{
    folds f;
    int *group;
    outer_answers a = {.has_proba = true};
    leaving t;
    rung_tune_options decided = *o;
    TRY(decide_equal(ctx, o, data, &t));
    decided.equal_rows = t.counts.copies ? "together" : "apart"; /* in every part of the rows as in the whole */
    TRY(whole_groups(ctx, o, data->n, t.group, &group));
    TRY(outer_folds(ctx, o, data, group, &f));
    join_folds(way, &f);
    out->n = f.count;
    TRY(NEW(ctx, &ctx->scratch, a.inner, f.count));
    TRY(NEW(ctx, &ctx->scratch, out->chosen, f.count));
    TRY(NEW(ctx, &ctx->scratch, a.predicted, data->n));
    TRY(NEW(ctx, &ctx->scratch, a.proba, data->n * data->code.n_classes));
    for (int fold = 0; fold < f.count; fold++) {
        pool_mark mark = pool_here(&ctx->scratch);
        log_at(ctx, RUNG_LOG_DEBUG, "nested cross-validation: outer fold %d of %d", fold + 1, f.count);
        progress_part outer = progress_enter(ctx, "searching", (double)fold / f.count, (fold + 1.0) / f.count);
        TRY(outer_fold(ctx, &decided, data, &f, fold, &a, out->chosen[fold]));
        progress_leave(ctx, outer);
        pool_release(&ctx->scratch, mark);
    }
    inner_mean(f.count, a.inner, &out->inner);
    return measure(ctx, data, group, f.count, &a, &out->metrics);
}
