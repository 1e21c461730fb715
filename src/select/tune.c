// SPDX-License-Identifier: BSD-3-Clause
/* tune.c - a grid search that computes nothing twice.
 *
 * Scaling is fitted once on all rows given; squared distances are computed once, each Gram matrix once. The points that
 * share a Gram matrix form a batch: the matrix is made with all threads, then the points run in parallel, each worker
 * with its own context and memory on a read-only problem; then the matrix is dropped. A point gets the held-out scores
 * of all its folds from one factorisation if its method supports it, and points that differ only in a cheap parameter
 * share factorisations within each fold. Large problems run one point at a time on all threads instead. Several
 * processes each take a range of the groups, so that they have few matrices in common, and exchange their results. The
 * bits are the same either way. */
#include "select/tune_point.h"

#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "data/row_groups.h"
#include "fit/fit.h"
#include "fit/heldout.h"
#include "fit/open_files.h"
#include "select/corrected.h"
#include "select/nested.h"
#include "select/tune_ranks.h"

#define SEARCH_FIRST 0.4 /* the share of the search of all rows in the time, before its choice is corrected */

/* ---- folds ---- */

rung_status tune_folds(rung_ctx *ctx, pool *mem, const rung_tune_options *o, int64_t rows, const problem *p, folds *out)
{
    ranked_rows ranked = problem_ranks(p);
    if (o->as_published) ranked.group = p->cluster; /* the papers hold out row by row, equal ones too */
    int64_t labelled = count_labelled(&ranked);
    int count = o->folds ? o->folds : 5, repeats = o->repeats;
    if (count < 2) return set_error(ctx, RUNG_EARG, "%d folds: expected at least 2", count);
    if (repeats < 0) return set_error(ctx, RUNG_EARG, "%d repeats: expected at least 1", repeats);
    if (!repeats) repeats = default_repeats(labelled);
    if (o->leave_one_out) {
        repeats = 1; /* there is only one way */
        count = labelled > 2 ? (int)labelled : 2;
    }
    int *of_row = NULL;
    if (o->own_folds || o->groups) TRY(NEW(ctx, &ctx->scratch, of_row, p->n * (o->own_folds ? o->own_repeats : 1)));
    if (o->own_folds) {
        for (int r = 0; r < o->own_repeats; r++)
            for (int64_t i = 0; i < p->n; i++) of_row[r * p->n + i] = o->own_folds[r * rows + p->origin[i]];
        return folds_given(ctx, mem, &ranked, of_row, o->own_repeats, out);
    }
    if (!o->groups) return folds_stratified(ctx, mem, &ranked, count, repeats, out);
    for (int64_t i = 0; i < p->n; i++) of_row[i] = o->groups[p->origin[i]];
    if (ranked.group) TRY(join_groups(ctx, p->n, of_row, ranked.group, of_row));
    ranked.group = of_row;
    return folds_grouped(ctx, mem, &ranked, count, repeats, out);
}

/* The folds of the labelled problem, extended to all rows. */
static rung_status folds_of_all(rung_ctx *ctx, pool *mem, const problem *all, const problem *labelled, const folds *f,
                                folds *out)
{
    *out = (folds){.n = all->n, .count = f->count, .repeats = f->repeats};
    TRY(NEW(ctx, mem, out->fold, all->n * f->repeats));
    for (int64_t i = 0; i < all->n * f->repeats; i++) out->fold[i] = -1;
    for (int r = 0; r < f->repeats; r++)
        for (int64_t i = 0; i < labelled->n; i++) out->fold[r * all->n + labelled->origin[i]] = f->fold[r * f->n + i];
    return RUNG_OK;
}

/* ---- batches ---- */

static problem *problem_of(tune_state *r, const rung_spec *spec)
{
    return uses_all(spec) ? &r->training.all : &r->training.labelled;
}

/* How many points run in parallel: as many as threads and memory allow. */
static rung_status choose_workers(rung_ctx *ctx, tune_state *r, int n, const int *points, int64_t groups, int *out)
{
    double shared = 0, each = 0, bytes = 0;
    int64_t rows = 0;
    for (int i = 0; i < n; i++) {
        const rung_spec *spec = r->search->grid.points[points[i]].spec;
        const problem *p = problem_of(r, spec);
        problem_shape shape = {.n = p->n, .labelled = r->training.n_labelled, .d = p->d, .K = p->K};
        TRY(method_bytes(ctx, spec, &shape, &bytes));
        each = fmax(each, bytes);
        rows = p->n > rows ? p->n : rows;
    }
    if (r->training.labelled.many_kernels) shared = 8.0 * (double)rows * (double)rows; /* the distances */
    TRY(memory_check(ctx, shared + each, "this search"));
    int workers = parallel_workers(ctx, rows, groups);
    while (workers > 1 && !memory_fits(ctx, shared + workers * each, workers)) workers--;
    *out = workers;
    return RUNG_OK;
}

static void give_up(const rung_ctx *ctx, rung_status status, point_result *out)
{
    out->status = status;
    out->criterion = INFINITY;
    out->value = NAN;
    memcpy(out->message, ctx->message, sizeof out->message);
}

typedef struct { /* points with the same kernel */
    const tune_state *r;
    int n, n_points;
    point_group *groups;
} point_batch;

/* Points that cannot be fitted (a ridge too small) are excluded; any other failure ends the search. If one point of a
 * group cannot be fitted, each is fitted separately. */
static rung_status run_group(rung_ctx *ctx, void *user, int64_t group)
{
    const tune_state *r = ((const point_batch *)user)->r;
    const point_group *g = &((const point_batch *)user)->groups[group];
    rung_status status = tune_points(ctx, r, g);
    bool apart = g->n > 1 && task_may_fail(status);
    pool_free_all(&ctx->scratch);
    for (int i = 0; i < g->n; i++) {
        const point_group one = {1, g->points + i};
        if (apart) status = tune_points(ctx, r, &one);
        point_result *result = &r->search->results[g->points[i]];
        result->status = RUNG_OK;
        if (status != RUNG_OK) give_up(ctx, status, result);
        if (status != RUNG_OK && !task_may_fail(status)) return status;
        if (apart) pool_free_all(&ctx->scratch);
    }
    return RUNG_OK;
}

/* Whether fits of the two share their costly part. */
static bool alike(const rung_spec *a, const rung_spec *b)
{
    const param_row *row = a->method->params;
    if (a->method != b->method || (!a->method->share && !a->method->hold_out_alike)) return false;
    for (int i = 0; row[i].info.name; i++) {
        const char *x = a->values[i], *y = b->values[i]; /* both NULL or none: points of a method set the same ones */
        if (!(row[i].info.flags & RUNG_PARAM_CHEAP) && x != y && strcmp(x, y) != 0) return false;
    }
    return true;
}

/* The points in groups, each with those like its first one. */
static rung_status batch_new(rung_ctx *ctx, const tune_state *r, int n, const int *points, point_batch *out)
{
    const grid_point *all = r->search->grid.points;
    bool *taken = NULL;
    int used = 0, *sorted = NULL;
    *out = (point_batch){.r = r, .n_points = n};
    TRY(NEW(ctx, &ctx->scratch, out->groups, n));
    TRY(NEW(ctx, &ctx->scratch, sorted, n));
    TRY(NEW(ctx, &ctx->scratch, taken, n));
    for (int i = 0; i < n; i++) {
        if (taken[i]) continue;
        point_group *g = &out->groups[out->n++];
        g->points = sorted + used;
        for (int j = i; j < n; j++) {
            if (taken[j] || (j != i && !alike(all[points[i]].spec, all[points[j]].spec))) continue;
            taken[j] = true;
            sorted[used++] = points[j];
            g->n++;
        }
    }
    return RUNG_OK;
}

/* The groups [first, end) of a batch. */
static rung_status run_batch(rung_ctx *ctx, tune_state *r, const point_batch *b, int64_t first, int64_t end)
{
    int workers = 1, n = 0;
    const int *points = b->groups[first].points; /* those of the groups follow each other */
    point_batch own = {.r = r, .n = (int)(end - first), .groups = b->groups + first};
    for (int64_t g = first; g < end; g++) n += b->groups[g].n;
    TRY(choose_workers(ctx, r, n, points, end - first, &workers));
    for (int i = 0; i < n; i++) {
        const rung_spec *spec = r->search->grid.points[points[i]].spec;
        TRY(method_prepare(ctx, spec, problem_of(r, spec)));
    }
    TRY(parallel_stage(ctx, "searching", workers, own.n, run_group, &own));
    problem_forget(&r->training.labelled);
    problem_forget(&r->training.all);
    return RUNG_OK;
}

/* Points with the same kernel, in the order of their first one. */
static rung_status list_batches(rung_ctx *ctx, const tune_state *r, point_batch **out, int *count, int64_t *groups)
{
    const grid *g = &r->search->grid;
    int *batch = NULL;
    bool *taken = NULL;
    *count = 0;
    *groups = 0;
    TRY(pool_alloc(ctx, &ctx->scratch, g->n, sizeof **out, "batches", (void **)out));
    TRY(NEW(ctx, &ctx->scratch, batch, g->n));
    TRY(NEW(ctx, &ctx->scratch, taken, g->n));
    for (int i = 0; i < g->n; i++) {
        int n = 0;
        for (int j = i; j < g->n && !taken[i]; j++)
            if (j == i || (!taken[j] && strcmp(g->points[i].kernel, g->points[j].kernel) == 0)) batch[n++] = j;
        for (int j = 0; j < n; j++) taken[batch[j]] = true;
        if (n == 0) continue;
        TRY(batch_new(ctx, r, n, batch, &(*out)[*count]));
        *groups += (*out)[(*count)++].n;
    }
    return RUNG_OK;
}

static int64_t within(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

static rung_status run_batches(rung_ctx *ctx, tune_state *r)
{
    point_batch *batches;
    int count, done = 0, all = r->search->grid.n;
    int64_t groups, low, high, before = 0;
    bool *own = NULL;
    TRY(list_batches(ctx, r, &batches, &count, &groups));
    TRY(NEW(ctx, &ctx->scratch, own, all));
    comm_share(ctx, groups, &low, &high);
    for (const point_batch *b = batches; b < batches + count; before += b->n, done += b->n_points, b++) {
        int64_t first = within(low - before, 0, b->n), end = within(high - before, 0, b->n);
        progress(ctx, "searching", (double)done / all);
        TRY(interrupted(ctx));
        if (first == end) continue;
        progress_part outer = progress_enter(ctx, "searching", (double)done / all, (double)(done + b->n_points) / all);
        TRY(run_batch(ctx, r, b, first, end));
        progress_leave(ctx, outer);
        for (int64_t g = first; g < end; g++)
            for (int i = 0; i < b->groups[g].n; i++) own[b->groups[g].points[i]] = true;
    }
    TRY(tune_exchange(ctx, r->search, own));
    progress(ctx, "searching", 1);
    return RUNG_OK;
}

/* ---- the winner ---- */

static bool better(const search *s, int a, int b)
{
    double x = s->results[a].criterion, y = s->results[b].criterion;
    if (s->options->as_published) return x < y - 1e-12;
    if (fabs(x - y) > 1e-12) return x < y;
    return grid_smoother(s->grid.points[a].spec, s->grid.points[b].spec);
}

rung_status tune_choose(rung_ctx *ctx, search *s)
{
    s->winner = -1;
    for (int i = 0; i < s->grid.n; i++)
        if (s->results[i].status == RUNG_OK && (s->winner < 0 || better(s, i, s->winner))) s->winner = i;
    if (s->winner < 0)
        return set_error(ctx, s->results[0].status,
                         "no point of the grid could be fitted; the first failed because: %s", s->results[0].message);
    if (!s->options->one_se || isnan(s->results[s->winner].se)) return RUNG_OK;
    const point_result *best = &s->results[s->winner];
    double limit = metric_cost(s->metric, best->value) + best->se;
    for (int i = 0; i < s->grid.n; i++)
        if (s->results[i].status == RUNG_OK && metric_cost(s->metric, s->results[i].value) <= limit &&
            grid_smoother(s->grid.points[i].spec, s->grid.points[s->winner].spec))
            s->winner = i;
    return RUNG_OK;
}

/* ---- the search ---- */

static rung_status find_metric(rung_ctx *ctx, const char *name, const metric **out)
{
    *out = &tune_evidence;
    if (name && strcmp(name, tune_evidence.info.key) == 0) return RUNG_OK;
    *out = &tune_cost;
    if (name && strcmp(name, tune_cost.info.key) == 0) return RUNG_OK;
    return metric_criterion(ctx, name ? name : "mae", tune_evidence.info.key, out);
}

static rung_status check_evidence(rung_ctx *ctx, const grid *g)
{
    for (int i = 0; i < g->n; i++) {
        const rung_method *m = &g->points[i].spec->method->info;
        if (!(m->flags & RUNG_METHOD_EVIDENCE))
            return hint(ctx,
                        set_error(ctx, RUNG_EARG, "%s has no evidence to decide by: choose a method that has", m->name),
                        "methods");
    }
    return RUNG_OK;
}

static rung_status start(rung_ctx *ctx, pool *mem, const rung_data *data, tune_state *r)
{
    search *s = r->search;
    bool unlabelled = false, scaled = false, many = false;
    TRY(find_metric(ctx, s->options->metric, &s->metric));
    TRY(cost_copy(ctx, mem, data->code.n_classes, s->options->cost, s->options->abstain, &s->cost));
    if (s->metric == &tune_cost && !s->cost.matrix)
        return hint(ctx, set_error(ctx, RUNG_EARG, "the metric cost needs costs"), "option cost");
    TRY(grid_new(ctx, mem, s->options, &s->grid));
    for (int i = 0; i < s->grid.n; i++) {
        if (s->cost.matrix)
            TRY(spec_set_cost(ctx, s->grid.points[i].spec, data->code.n_classes, s->cost.matrix, s->cost.abstain));
        unlabelled = unlabelled || uses_all(s->grid.points[i].spec);
        scaled = scaled || !s->grid.points[i].spec->method->takes_cells;
        many = many || strcmp(s->grid.points[i].kernel, s->grid.points[0].kernel) != 0;
    }
    TRY(training_new(ctx, s->grid.points[0].spec, data, unlabelled, scaled, &r->training));
    for (int i = 0; i < s->grid.n; i++) TRY(training_check(ctx, &r->training, s->grid.points[i].spec->method));
    r->training.labelled.many_kernels = r->training.all.many_kernels = many;
    if (s->metric == &tune_evidence)
        TRY(check_evidence(ctx, &s->grid));
    else
        TRY(tune_folds(ctx, mem, s->options, data->n, &r->training.labelled, &r->labelled));
    if (unlabelled) TRY(folds_of_all(ctx, mem, &r->training.all, &r->training.labelled, &r->labelled, &r->all));
    s->folds = r->labelled.count;
    s->repeats = r->labelled.repeats;
    s->n_labelled = r->training.n_labelled;
    TRY(NEW(ctx, mem, s->results, s->grid.n));
    int64_t room = r->labelled.n * r->labelled.repeats;
    for (int i = 0; i < s->grid.n; i++) {
        bool own = (s->grid.points[i].spec->method->info.flags & RUNG_METHOD_PROBABILITIES) != 0;
        held_out *held = &s->results[i].held;
        TRY(own ? held_out_with_proba(ctx, mem, room, r->training.K, held) : held_out_new(ctx, mem, room, held));
        s->results[i].compared.K = r->training.K;
        TRY(NEW(ctx, mem, s->results[i].compared.c, r->training.K));
    }
    return RUNG_OK;
}

rung_status tune_run(rung_ctx *ctx, pool *mem, const rung_tune_options *options, const rung_data *data, search *out,
                     rung_model **model)
{
    *out = (search){.options = options};
    tune_state r = {.search = out};
    TRY(start(ctx, mem, data, &r));
    TRY(run_batches(ctx, &r));
    TRY(tune_choose(ctx, out));
    rung_spec *spec = out->grid.points[out->winner].spec;
    if (out->metric == &tune_evidence)
        return method_finish(ctx, spec, &r.training, NULL, NULL, model); /* none held out */
    return method_finish(ctx, spec, &r.training, folds_at(&r, out->winner), &out->results[out->winner].held, model);
}

/* ---- as users call it ---- */

/* The error of the model is the corrected one: that of the winner, the smallest of many, is too small. */
static rung_status report_choice(rung_ctx *ctx, const search *s, const rung_metrics *corrected, rung_model *model)
{
    fitted kept = {.n_report = model->n_report, .report = model->report};
    if (corrected->n == 0) return RUNG_OK;
    TRY(report_number(ctx, &model->mem, &kept, "points", s->grid.n));
    TRY(report_number(ctx, &model->mem, &kept, "winner_mae", model->cv.mae));
    model->n_report = kept.n_report;
    model->report = kept.report;
    model->cv = *corrected;
    return RUNG_OK;
}

/* The search, what its choice adds to the error, and what is reported of both. */
static rung_status run_and_correct(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, search *s,
                                   rung_model **model, rung_search **found)
{
    nested_result n = {0};
    rung_metrics own = {0}, corrected = {0};
    progress_part outer = ctx->part;
    if (options->nested) {
        outer = progress_enter(ctx, "searching", 0, 1 - NESTED_LAST);
        TRY(nested_run(ctx, options, data, &(nested_way){0}, &n));
        progress_leave(ctx, outer);
    }
    outer = progress_enter(ctx, "searching", options->nested ? 1 - NESTED_LAST : 0, options->nested ? 1 : SEARCH_FIRST);
    TRY(tune_run(ctx, &ctx->scratch, options, data, s, model));
    progress_leave(ctx, outer);
    if ((*model)->has_cv) own = (*model)->cv;
    if (!options->nested) progress_enter(ctx, "searching", SEARCH_FIRST, 1);
    TRY(corrected_metrics(ctx, s, data, &own, options->nested ? &n : NULL, &corrected));
    progress_leave(ctx, outer);
    TRY(report_choice(ctx, s, &corrected, *model));
    TRY(search_record(ctx, s, options->nested ? &n : NULL, found));
    (*found)->has_cv = (*model)->has_cv;
    (*found)->cv = own;
    (*found)->corrected = corrected;
    return RUNG_OK;
}

/* Points are shared out, so that results of other rows would be compared with each other. */
static rung_status same_rows(rung_ctx *ctx, const rung_data *data)
{
    if (comm_processes(ctx) == 1) return RUNG_OK;
    size_t n = (size_t)data->n;
    uint64_t hash = comm_hash(COMM_HASH, data->X, n * (size_t)data->d * sizeof *data->X);
    hash = comm_hash(hash, data->y, n * sizeof *data->y);
    if (data->upper) hash = comm_hash(hash, data->upper, n * sizeof *data->upper);
    if (data->weight) hash = comm_hash(hash, data->weight, n * sizeof *data->weight);
    if (data->group) hash = comm_hash(hash, data->group, n * sizeof *data->group);
    if (data->chosen) hash = comm_hash(hash, data->chosen, n * sizeof *data->chosen);
    return comm_agree(ctx, hash, "the rows");
}

rung_status tune(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, rung_model **model,
                 rung_search **found)
{
    search s = {0};
    *model = NULL;
    *found = NULL;
    TRY(all_rows_check(ctx, data, "a search"));
    if (data->target)
        return hint(ctx, set_error(ctx, RUNG_EARG, "a search grades classes: cut real targets into classes"),
                    "option bins");
    TRY(same_rows(ctx, data));
    progress_part outer = ctx->part;
    rung_status status = run_and_correct(ctx, options, data, &s, model, found);
    progress_leave(ctx, outer);
    grid_free(&s.grid);
    if (status != RUNG_OK) {
        model_free(*model);
        *model = NULL;
    }
    return status;
}
