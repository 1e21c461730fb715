// SPDX-License-Identifier: BSD-3-Clause
/* curve.c - the error by number of labels, with and without unlabelled rows.
 *
 * A cell is one repeat, one number of labels per class and one line (a method, with or without the unlabelled rows). In
 * a repeat the labelled rows of each class are shuffled: the first third is the test, the next ones keep their labels.
 * So the labels of a smaller size are among those of a larger one, all lines see the same rows, and their errors can be
 * compared in pairs. */
#include "select/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "data/intervals.h"
#include "fit/fit.h"
#include "fit/open_files.h"
#include "select/curve_plan.h"
#include "select/grid.h"

enum {
    STREAM = 0x63757276, /* stream of random numbers of the first repeat */
    MOST_LABELS = 500    /* default sizes: none needs more labels than this, so there are at most 10 */
};

/* ---- what is compared ---- */

static int stratum_of(const curve_plan *p, int64_t row)
{
    return is_interval(p->data->y, p->data->upper, row) ? p->K + 1 : p->data->y[row];
}

static int64_t tests_of(int64_t rows) { return rows < 2 ? 0 : (rows + 1) / 3 > 0 ? (rows + 1) / 3 : 1; }

int64_t curve_labels(const curve_plan *p, int64_t size)
{
    int64_t total = 0;
    for (int k = 1; k <= p->strata; k++) total += p->pool[k] < size ? p->pool[k] : size;
    return total;
}

/* Of a replay: the first labels, then batches up to 120 labels or as many as there are. Sizes of the caller's follow
 * the first labels. */
static rung_status choose_totals(rung_ctx *ctx, const rung_curve_options *o, curve_plan *p)
{
    int64_t most = curve_labels(p, p->labelled), given = 0;
    p->size[p->n_sizes++] = (int)curve_labels(p, REPLAY_FIRST);
    for (int i = 0; i < o->n_sizes; i++) {
        given = o->sizes[i];
        if (p->n_sizes == CURVE_MOST_SIZES)
            return set_error(ctx, RUNG_EARG, "%d sizes: at most %d", o->n_sizes, CURVE_MOST_SIZES - 1);
        if (given <= p->size[p->n_sizes - 1])
            return set_error(ctx, RUNG_EARG, "%lld labels: expected increasing numbers above %d, the first labels",
                             (long long)given, p->size[0]);
        if (given > most)
            return set_error(ctx, RUNG_EARG, "%lld labels: there are only %lld outside the test rows", (long long)given,
                             (long long)most);
        p->size[p->n_sizes++] = (int)given;
    }
    while (!o->n_sizes && p->n_sizes < CURVE_MOST_SIZES) {
        int64_t last = p->size[p->n_sizes - 1], end = most < REPLAY_LAST ? most : REPLAY_LAST;
        if (last >= end) break;
        p->size[p->n_sizes++] = (int)(last + REPLAY_STEP < end ? last + REPLAY_STEP : end);
    }
    return RUNG_OK;
}

/* Doubling from 5, or from 1 where no class has 10 labels to keep; the last size keeps all, if these are not too many.
 */
static rung_status choose_sizes(rung_ctx *ctx, const rung_curve_options *o, curve_plan *p)
{
    int64_t most = 0;
    if (p->replays) return choose_totals(ctx, o, p);
    for (int k = 1; k <= p->strata; k++) most = p->pool[k] > most ? p->pool[k] : most;
    if (o->n_sizes > CURVE_MOST_SIZES)
        return set_error(ctx, RUNG_EARG, "%d sizes: at most %d", o->n_sizes, CURVE_MOST_SIZES);
    for (int i = 0; i < o->n_sizes; i++) {
        if (o->sizes[i] < 1 || (i > 0 && o->sizes[i] <= o->sizes[i - 1]))
            return set_error(ctx, RUNG_EARG,
                             "labels per class must be increasing and >= 1, but the value at position %d is %d", i + 1,
                             o->sizes[i]);
        if (i > 0 && o->sizes[i - 1] >= most)
            return set_error(ctx, RUNG_EARG,
                             "%d labels per class: the largest class has only %lld outside the test rows", o->sizes[i],
                             (long long)most);
        p->size[p->n_sizes++] = o->sizes[i];
    }
    if (p->n_sizes > 0) return RUNG_OK;
    for (int64_t s = most >= 10 ? 5 : 1;; s = 2 * s < most ? 2 * s : most) {
        if (p->n_sizes > 0 && curve_labels(p, s) > MOST_LABELS) break;
        p->size[p->n_sizes++] = (int)s;
        if (s == most) break;
    }
    return RUNG_OK;
}

static rung_status add_line(rung_ctx *ctx, const rung_curve_options *o, const char *name, bool unlabelled,
                            const char *strategy, curve_plan *p)
{
    rung_spec *spec = NULL;
    TRY(RESIZE(ctx, &ctx->scratch, p->lines, p->n_lines + 1));
    TRY(spec_new(ctx, name, false, &spec));
    p->lines[p->n_lines++] = (curve_line){spec, unlabelled, strategy}; /* released by `curve` whatever comes next */
    const rung_tune_options same = {
        .fixed = o->fixed, .scale = o->scale, .weights = o->weights, .equal_rows = o->equal_rows};
    return grid_fix(ctx, &same, spec);
}

/* The strategies are known by their names in replay.c, which outlive the caller's. */
static rung_status add_strategies(rung_ctx *ctx, const rung_curve_options *o, const char *name, curve_plan *p)
{
    const method *m = method_find(name);
    for (const char *const *s = o->strategies; *s; s++) {
        const char *own;
        TRY(replay_strategy(ctx, *s, &own));
        TRY(add_line(ctx, o, name, m && (m->info.flags & RUNG_METHOD_USES_UNLABELLED), own, p));
    }
    return RUNG_OK;
}

static rung_status choose_lines(rung_ctx *ctx, const rung_curve_options *o, curve_plan *p)
{
    const char *const standard[] = {method_default(false)->info.name, NULL};
    const char *const *given = o->methods ? o->methods : standard;
    bool median = false;
    if (p->replays && !*o->strategies) return set_error(ctx, RUNG_EARG, "no strategy to replay");
    for (const char *const *names = given; *names; names++) {
        const method *m = method_find(*names);
        median = median || strcmp(*names, "median") == 0;
        if (p->replays) {
            TRY(add_strategies(ctx, o, *names, p));
            continue;
        }
        TRY(add_line(ctx, o, *names, false, NULL, p));
        if (m && (m->info.flags & RUNG_METHOD_USES_UNLABELLED)) TRY(add_line(ctx, o, *names, true, NULL, p));
    }
    TRY(grid_check_names(ctx, o->fixed, given));
    return median || p->replays ? RUNG_OK : add_line(ctx, o, "median", false, NULL, p);
}

/* ---- rows ---- */

/* What is decided about the equal rows of the whole holds for every fit to a part of them. */
static rung_status find_together(rung_ctx *ctx, curve_plan *p)
{
    leaving t;
    TRY(data_together(ctx, p->data, p->lines[0].spec->equal, &t));
    for (int i = 0; i < p->n_lines; i++) p->lines[i].spec->equal = together_rule(&t);
    p->any_equal = t.group != NULL;
    return row_groups_new(ctx, &ctx->scratch, p->data->n, t.group, &p->equal);
}

/* Shuffled by groups: equal rows of a class stand next to each other. */
static rung_status shuffle_groups(rung_ctx *ctx, const curve_plan *p, rng *g, int64_t *order)
{
    pool_mark mark = pool_here(&ctx->scratch);
    const rung_data *data = p->data;
    int64_t *turn = NULL, *next = NULL;
    TRY(NEW(ctx, &ctx->scratch, turn, p->equal.count));
    TRY(NEW(ctx, &ctx->scratch, next, p->strata + 1));
    for (int64_t i = 0; i < p->equal.count; i++) turn[i] = i;
    rng_shuffle(g, turn, p->equal.count);
    memcpy(next, p->first, (size_t)(p->strata + 1) * sizeof *next);
    for (int64_t t = 0; t < p->equal.count; t++)
        for (int64_t i = p->equal.start[turn[t]]; i < p->equal.start[turn[t] + 1]; i++) {
            int64_t row = p->equal.rows[i];
            if (data->y[row]) order[next[stratum_of(p, row) - 1]++] = row;
        }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static int64_t tests_end(const curve_plan *p, int k)
{
    return p->first[k - 1] + tests_of(p->first[k] - p->first[k - 1]);
}

/* Rows equal to one of the test can keep no label: they go to the end of their class. */
static rung_status set_aside(rung_ctx *ctx, const curve_plan *p, int64_t *order)
{
    pool_mark mark = pool_here(&ctx->scratch);
    bool *tested = NULL;
    int64_t *last = NULL;
    TRY(NEW(ctx, &ctx->scratch, tested, p->equal.count));
    TRY(NEW(ctx, &ctx->scratch, last, p->labelled));
    for (int k = 1; k <= p->strata; k++)
        for (int64_t i = p->first[k - 1]; i < tests_end(p, k); i++) tested[p->equal.of[order[i]]] = true;
    for (int k = 1; k <= p->strata; k++) {
        int64_t n = tests_end(p, k), aside = 0;
        for (int64_t i = n; i < p->first[k]; i++)
            if (tested[p->equal.of[order[i]]])
                last[aside++] = order[i];
            else
                order[n++] = order[i];
        memcpy(order + n, last, (size_t)aside * sizeof *last);
        if (n - tests_end(p, k) < p->pool[k]) p->pool[k] = n - tests_end(p, k);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status sort_rows(rung_ctx *ctx, curve_plan *p)
{
    const rung_data *data = p->data;
    TRY(find_together(ctx, p));
    TRY(NEW(ctx, &ctx->scratch, p->first, p->strata + 1));
    for (int64_t i = 0; i < data->n; i++)
        for (int k = stratum_of(p, i); data->y[i] && k <= p->strata; k++) p->first[k]++;
    p->labelled = p->first[p->strata];
    TRY(NEW(ctx, &ctx->scratch, p->order, p->labelled * p->repeats));
    TRY(NEW(ctx, &ctx->scratch, p->pool, p->strata + 1));
    for (int k = 1; k <= p->strata; k++) p->pool[k] = p->first[k] - tests_end(p, k);
    for (int r = 0; r < p->repeats; r++) {
        int64_t *order = p->order + r * p->labelled;
        rng g;
        rng_open(&g, ctx->seed, STREAM + (uint64_t)r);
        if (p->any_equal) TRY(shuffle_groups(ctx, p, &g, order));
        if (p->any_equal) TRY(set_aside(ctx, p, order));
        for (int k = 1; k <= p->strata && !p->any_equal; k++) {
            int64_t n = p->first[k - 1];
            for (int64_t i = 0; i < data->n; i++)
                if (stratum_of(p, i) == k) order[n++] = i;
            rng_shuffle(&g, order + p->first[k - 1], n - p->first[k - 1]);
        }
    }
    int classes = 0;
    int64_t exact = 0;
    for (int k = 1; k <= p->strata; k++) {
        p->test_rows += tests_of(p->first[k] - p->first[k - 1]);
        if (k == p->K) exact = p->test_rows;
        classes += k <= p->K && p->first[k] - p->first[k - 1] > 1 && p->pool[k] > 0;
    }
    if (classes < 2)
        return set_error(ctx, RUNG_EDATA, "a curve needs at least two classes with two labelled rows each%s",
                         p->any_equal ? ", of which no two leave together" : "");
    p->exact = exact >= EXACT_ENOUGH;
    if (p->exact)
        p->test_rows = exact;
    else if (exact < p->test_rows)
        log_at(ctx, RUNG_LOG_WARNING,
               "of the %lld test rows fewer than %d have exact labels, so errors are lower bounds: an answer inside an "
               "interval counts as right",
               (long long)p->test_rows, EXACT_ENOUGH);
    return RUNG_OK;
}

rung_status curve_test_set(rung_ctx *ctx, const curve_plan *p, int repeat, rung_data **out)
{
    const int64_t *order = p->order + repeat * p->labelled;
    int64_t *rows = NULL, n = 0;
    TRY(NEW(ctx, &ctx->scratch, rows, p->test_rows));
    for (int k = 1; k <= (p->exact ? p->K : p->strata); k++)
        for (int64_t i = p->first[k - 1]; i < tests_end(p, k); i++) rows[n++] = order[i];
    return dataset_subset(ctx, p->data, n, rows, out);
}

void curve_roles(const curve_plan *p, int repeat, int64_t size, row_role *role)
{
    const int64_t *order = p->order + repeat * p->labelled;
    for (int k = 1; k <= p->strata; k++) {
        int64_t from = tests_end(p, k), kept = size < p->pool[k] ? size : p->pool[k];
        for (int64_t i = p->first[k - 1]; i < p->first[k]; i++)
            role[order[i]] = i < from ? ROW_TEST : i < from + kept ? ROW_KEPT : ROW_OPEN;
    }
    for (int64_t i = 0; i < p->labelled && p->any_equal; i++) {
        int64_t g = p->equal.of[order[i]];
        if (role[order[i]] != ROW_TEST) continue;
        for (int64_t j = p->equal.start[g]; j < p->equal.start[g + 1]; j++) role[p->equal.rows[j]] = ROW_TEST;
    }
}

/* All rows except the test rows, in their order; or only those that keep their label. A labelled row that equals one of
 * the test is left out. */
static rung_status training_set(rung_ctx *ctx, const curve_plan *p, int repeat, int size, bool unlabelled,
                                rung_data **out)
{
    int64_t *rows = NULL, n = 0, all = p->data->n;
    row_role *role = NULL;
    TRY(NEW(ctx, &ctx->scratch, rows, all));
    TRY(NEW(ctx, &ctx->scratch, role, all));
    curve_roles(p, repeat, size, role);
    for (int64_t i = 0; i < all; i++)
        if (role[i] == ROW_KEPT || (unlabelled && role[i] != ROW_TEST)) rows[n++] = i;
    TRY(dataset_subset(ctx, p->data, n, rows, out));
    for (int64_t i = 0; i < n; i++) {
        if (role[rows[i]] == ROW_KEPT) continue;
        (*out)->y[i] = 0;
        if ((*out)->upper) (*out)->upper[i] = 0;
    }
    return RUNG_OK;
}

/* ---- cells ---- */

rung_status curve_grade(rung_ctx *ctx, const curve_plan *p, const rung_model *model, const rung_data *test, double *out)
{
    int *rank = NULL;
    double *proba = NULL;
    rung_metrics m;
    bool probable = model_has_probabilities(model);
    TRY(NEW(ctx, &ctx->scratch, rank, test->n));
    TRY(NEW(ctx, &ctx->scratch, proba, test->n * p->K));
    rung_view view = {.v = test->X, .n = test->n, .d = test->d, .row = test->d, .col = 1};
    rung_output answers = {.rank = rank, .proba = probable ? proba : NULL};
    TRY(model_predict(ctx, model, &view, NULL, &answers));
    graded_rows rows = {.n = test->n, .K = p->K, .truth = test->y, .upper = test->upper, .weight = test->weight};
    TRY(metrics_point(ctx, &rows, rank, probable ? proba : NULL, &m));
    *out = metric_value(p->metric, &m);
    return RUNG_OK;
}

typedef struct {
    const curve_plan *p;
    int64_t first;
} cell_range;

/* A fit that is impossible (a ridge too small) leaves a gap; any other failure ends the whole. */
static rung_status run_cell(rung_ctx *ctx, void *user, int64_t i)
{
    const curve_plan *p = ((const cell_range *)user)->p;
    int64_t cell = ((const cell_range *)user)->first + i;
    int repeat = (int)(cell % p->repeats);
    int size = p->size[cell / p->repeats % p->n_sizes];
    const curve_line *l = &p->lines[cell / p->repeats / p->n_sizes];
    rung_data *train = NULL, *test = NULL;
    rung_model *model = NULL;
    p->value[cell] = NAN;
    rung_status status = training_set(ctx, p, repeat, size, l->unlabelled, &train);
    if (status == RUNG_OK) status = curve_test_set(ctx, p, repeat, &test);
    if (status == RUNG_OK) status = method_fit(ctx, l->spec, train, &model);
    if (status == RUNG_OK) status = curve_grade(ctx, p, model, test, &p->value[cell]);
    model_free(model);
    dataset_free(train);
    dataset_free(test);
    return status;
}

/* A line and a repeat: its sizes follow from each other. */
static rung_status run_replay(rung_ctx *ctx, void *user, int64_t i)
{
    const curve_plan *p = user;
    int line = (int)(i / p->repeats), repeat = (int)(i % p->repeats);
    for (int s = 0; s < p->n_sizes; s++) p->value[((int64_t)line * p->n_sizes + s) * p->repeats + repeat] = NAN;
    return replay_line(ctx, p, line, repeat);
}

/* Cells of one size at a time, so that progress can be reported; their bits do not depend on the number of workers. */
static rung_status run_cells(rung_ctx *ctx, curve_plan *p)
{
    int64_t cells = (int64_t)p->n_lines * p->n_sizes * p->repeats;
    int workers = ctx->memory > 0 ? 1 : parallel_workers(ctx, p->data->n, p->repeats);
    if (p->replays) return parallel_stage(ctx, "replaying", workers, (int64_t)p->n_lines * p->repeats, run_replay, p);
    for (int64_t done = 0; done < cells; done += p->repeats) {
        progress(ctx, "fitting", (double)done / (double)cells);
        TRY(interrupted(ctx));
        progress_part outer =
            progress_enter(ctx, "fitting", (double)done / (double)cells, (double)(done + p->repeats) / (double)cells);
        TRY(parallel_stage(ctx, "fitting", workers, p->repeats, run_cell, &(cell_range){.p = p, .first = done}));
        progress_leave(ctx, outer);
    }
    progress(ctx, "fitting", 1);
    return RUNG_OK;
}

/* ---- the result ---- */

static rung_status record(rung_ctx *ctx, const curve_plan *p, rung_curve *out)
{
    int64_t cells = (int64_t)p->n_sizes * p->repeats;
    double *value = NULL;
    out->metric = p->metric;
    out->repeats = p->repeats;
    out->rows = p->data->n;
    out->labelled = p->labelled;
    out->test_rows = p->test_rows;
    TRY(NEW(ctx, &out->mem, out->per_class, p->n_sizes));
    TRY(NEW(ctx, &out->mem, out->labels, p->n_sizes));
    TRY(NEW(ctx, &out->mem, out->lines, p->n_lines));
    TRY(NEW(ctx, &out->mem, value, p->n_lines * cells));
    TRY(NEW(ctx, &out->mem, out->forecasts, p->n_lines));
    memcpy(out->forecasts, p->forecasts, (size_t)p->n_lines * sizeof *p->forecasts);
    memcpy(value, p->value, (size_t)(p->n_lines * cells) * sizeof *value);
    for (; out->n_sizes < p->n_sizes; out->n_sizes++) {
        out->per_class[out->n_sizes] = p->size[out->n_sizes];
        out->labels[out->n_sizes] = p->replays ? p->size[out->n_sizes] : curve_labels(p, p->size[out->n_sizes]);
    }
    for (; out->n_lines < p->n_lines; out->n_lines++)
        out->lines[out->n_lines] = (rung_curve_line){.method = p->lines[out->n_lines].spec->method->info.name,
                                                     .unlabelled = p->lines[out->n_lines].unlabelled,
                                                     .values = value + out->n_lines * cells,
                                                     .strategy = p->lines[out->n_lines].strategy};
    return RUNG_OK;
}

static rung_status make_curve(rung_ctx *ctx, const curve_plan *p, rung_curve **out)
{
    *out = object_new(ctx, sizeof **out);
    if (!*out) return set_error(ctx, RUNG_ENOMEM, "out of memory: a curve");
    rung_status status = record(ctx, p, *out);
    if (status != RUNG_OK) {
        curve_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- whole ---- */

static rung_status run(rung_ctx *ctx, const rung_curve_options *o, curve_plan *p, rung_curve **out)
{
    if (p->data->target)
        return hint(ctx, set_error(ctx, RUNG_EARG, "a curve grades classes: cut real targets into classes"),
                    "option bins");
    if (o->repeats < 0) return set_error(ctx, RUNG_EARG, "%d repeats: expected at least 1", o->repeats);
    p->repeats = o->repeats ? o->repeats : 10;
    TRY(metric_criterion(ctx, o->metric ? o->metric : "mae", NULL, &p->metric));
    TRY(choose_lines(ctx, o, p));
    TRY(sort_rows(ctx, p));
    TRY(choose_sizes(ctx, o, p));
    TRY(NEW(ctx, &ctx->scratch, p->value, (int64_t)p->n_lines * p->n_sizes * p->repeats));
    TRY(NEW(ctx, &ctx->scratch, p->forecasts, p->n_lines));
    TRY(run_cells(ctx, p));
    TRY(curve_forecasts(ctx, p, o, p->forecasts));
    return make_curve(ctx, p, out);
}

rung_status curve(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data, rung_curve **out)
{
    curve_plan p = {.data = data, .K = data->code.n_classes, .replays = options->strategies != NULL};
    p.strata = p.K + (data->upper != NULL);
    *out = NULL;
    TRY(all_rows_check(ctx, data, "a label curve"));
    rung_status status = run(ctx, options, &p, out);
    for (int i = 0; i < p.n_lines; i++) spec_free(p.lines[i].spec);
    return status;
}
