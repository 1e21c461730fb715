// SPDX-License-Identifier: BSD-3-Clause
/* importance.c - by how much the error of a model rises when a column says nothing any more.
 *
 * The cells of a column are permuted among the rows, which breaks what ties them to the label and keeps their
 * distribution (Breiman. Random forests. Machine Learning 45:5-32, 2001). A repeat has one permutation for all columns,
 * so that columns are compared in pairs. With d_i the mean over the repeats of the rise of row i's loss, the importance
 * is the mean of the d_i, by the weights of the rows, and its range mean -+ t s / sqrt(n): over rows or, where rows
 * belong together, over these n groups, as an error is on other ones.
 *
 * Related columns are permuted together as well: what one of them has lost, the model may take from another. */
#include "explain/importance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "data/row_groups.h"
#include "explain/answer.h"
#include "explain/related.h"
#include "fit/fit.h"
#include "fit/open_files.h"

enum { REPEATS = 5, MOST_ROWS = 2000, FOLDS = 5, STREAM = 0x696d7000, LOSSES = RUNG_LOSSES, LONG = 10 /* seconds */ };

typedef struct { /* what is permuted together */
    int group;   /* 0: a single column */
    int64_t n, *column;
    double *rise; /* LOSSES x rows, sums over the repeats */
} unit;

typedef struct {
    const rung_data *data;
    const coding *code; /* of the models */
    int repeats;
    int64_t n, *row;  /* labelled rows, those of one model adjacent */
    const int *group; /* per row of the data: rows that belong together; NULL: none do */
    row_groups apart; /* of the n rows */
    double *off;      /* room for a number of each of these groups */
    int n_models;
    const rung_model **model;
    int64_t *first; /* n_models + 1: the rows of a model */
    bool proba;
    double *loss;  /* LOSSES x n: as the rows are */
    int64_t *from; /* repeats x n: whose cell a row gets */
    int n_units;
    unit *units;
    related_columns related;
    double seconds; /* of the predictions of all rows */
    int64_t labelled;
    bool seen;
} study;

/* ---- losses ---- */

/* Of one row: the absolute error, and the ranked probability score or (real targets) the squared error. */
static void losses_of(const study *s, int64_t i, const answers *a, int64_t at, double loss[LOSSES])
{
    const rung_data *data = s->data;
    int64_t row = s->row[i];
    if (data->target) {
        double error = a->value[at] - data->target[row];
        loss[0] = fabs(error);
        loss[1] = error * error;
        return;
    }
    int K = s->code->n_classes, low = data->y[row], high = highest_rank(data->y, data->upper, row);
    double below = 0;
    loss[0] = interval_distance(low, high, a->rank[at]);
    loss[1] = 0;
    for (int q = 1; a->proba && q < K; q++) {
        below += a->proba[at * K + q - 1];
        if (low <= q && q < high) continue; /* a threshold inside an interval does not count */
        loss[1] += (below - (low <= q)) * (below - (low <= q));
    }
    if (K > 1) loss[1] /= K - 1;
}

/* The losses of all rows, each by its own model, with the columns of a unit (NULL: none) as the repeat says. A row
 * whose cells do not change keeps its loss to the bit, and costs nothing. */
static rung_status losses_with(rung_ctx *ctx, const study *s, const unit *u, const int64_t *from, double *loss)
{
    const coding *code = s->code;
    int64_t d = code->d, most = 0;
    for (int k = 0; k < s->n_models; k++)
        most = s->first[k + 1] - s->first[k] > most ? s->first[k + 1] - s->first[k] : most;
    pool_mark mark = pool_here(&ctx->scratch);
    double *X = NULL;
    int64_t *which = NULL;
    answers a;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, most * d));
    TRY(NEW_RAW(ctx, &ctx->scratch, which, most));
    TRY(answers_new(ctx, &ctx->scratch, s->model[0], most, &a));
    for (int k = 0; k < s->n_models; k++) {
        int64_t changed = 0;
        for (int64_t i = s->first[k]; i < s->first[k + 1]; i++) {
            const double *own = s->data->X + s->row[i] * d;
            bool differs = !u;
            memcpy(X + changed * d, own, (size_t)d * sizeof *X);
            for (int64_t c = 0; u && c < u->n; c++) {
                const double *other = s->data->X + s->row[from[i]] * d;
                differs = differs || !column_equal(code, u->column[c], own, other);
                column_copy(code, u->column[c], other, X + changed * d);
            }
            if (differs) which[changed++] = i;
            if (u) memcpy(loss + i * LOSSES, s->loss + i * LOSSES, LOSSES * sizeof *loss);
        }
        if (changed) TRY(answers_of(ctx, s->model[k], changed, X, &a));
        for (int64_t i = 0; i < changed; i++) losses_of(s, which[i], &a, i, loss + which[i] * LOSSES);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- units ---- */

static rung_status add_unit(rung_ctx *ctx, study *s, int group, int64_t first)
{
    const coding *code = s->code;
    unit *u = &s->units[s->n_units++];
    u->group = group;
    TRY(NEW(ctx, &ctx->scratch, u->rise, s->n * LOSSES));
    TRY(NEW(ctx, &ctx->scratch, u->column, code->n_columns));
    for (int64_t j = first; j < code->n_columns; j++)
        if (group ? s->related.group[j] == group : j == first) u->column[u->n++] = j;
    return RUNG_OK;
}

static rung_status make_units(rung_ctx *ctx, study *s)
{
    int64_t m = s->code->n_columns;
    TRY(related_find(ctx, s->code, s->data, s->n, s->row, &s->related));
    TRY(NEW(ctx, &ctx->scratch, s->units, m + s->related.n_groups));
    for (int64_t j = 0; j < m; j++) TRY(add_unit(ctx, s, 0, j));
    for (int g = 1; g <= s->related.n_groups; g++) TRY(add_unit(ctx, s, g, 0));
    return RUNG_OK;
}

static rung_status permute_unit(rung_ctx *ctx, void *user, int64_t number)
{
    const study *s = user;
    const unit *u = &s->units[number];
    double *loss = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, loss, s->n * LOSSES));
    for (int r = 0; r < s->repeats; r++) {
        TRY(interrupted(ctx));
        TRY(losses_with(ctx, s, u, s->from + r * s->n, loss));
        for (int64_t i = 0; i < s->n * LOSSES; i++) u->rise[i] += loss[i] - s->loss[i];
    }
    return RUNG_OK;
}

/* One shuffle of all rows per repeat, whatever the columns. */
static rung_status make_permutations(rung_ctx *ctx, study *s)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, s->from, s->n * s->repeats));
    for (int r = 0; r < s->repeats; r++) {
        rng random;
        int64_t *from = s->from + r * s->n;
        for (int64_t i = 0; i < s->n; i++) from[i] = i;
        rng_open(&random, ctx->seed, STREAM + (uint64_t)r);
        rng_shuffle(&random, from, s->n);
    }
    return RUNG_OK;
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A row without a weight, or without a label, says nothing about an error. */
static bool is_measured(const rung_data *data, int64_t row)
{
    bool labelled = data->target ? !isnan(data->target[row]) : data->y[row] > 0;
    return labelled && !(data->weight && data->weight[row] == 0);
}

static double weight_of(const study *s, int64_t i) { return s->data->weight ? s->data->weight[s->row[i]] : 1; }

static rung_status find_groups(rung_ctx *ctx, study *s)
{
    int *group = NULL;
    if (s->group) TRY(NEW_RAW(ctx, &ctx->scratch, group, s->n));
    for (int64_t i = 0; i < s->n && group; i++) group[i] = s->group[s->row[i]];
    TRY(row_groups_new(ctx, &ctx->scratch, s->n, group, &s->apart));
    return NEW_RAW(ctx, &ctx->scratch, s->off, s->apart.count);
}

static rung_status run(rung_ctx *ctx, study *s)
{
    TRY(find_groups(ctx, s));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->loss, s->n * LOSSES));
    double start = now();
    TRY(losses_with(ctx, s, NULL, NULL, s->loss));
    s->seconds = now() - start;
    TRY(make_permutations(ctx, s));
    TRY(make_units(ctx, s));
    double whole = s->seconds * s->n_units * s->repeats;
    if (whole > LONG)
        log_at(ctx, RUNG_LOG_INFO, "%d columns and groups, %d times %lld predictions of each: about %.0f s", s->n_units,
               s->repeats, (long long)s->n, whole);
    int workers = ctx->threads < s->n_units ? ctx->threads : s->n_units;
    return parallel_stage(ctx, "permuting", workers, s->n_units, permute_unit, s);
}

/* ---- the report ---- */

/* The 97.5 % point of Student's t, by Hill's expansion (Communications of the ACM 13:619-620, 1970) from the normal
 * one: exact to four digits from 3 degrees of freedom on, which is what a range is printed with. */
static double t_point(int64_t freedom)
{
    static const double z = 1.959963984540054, few[] = {INFINITY, 12.7062047, 4.30265273};
    if (freedom < 3) return few[freedom < 0 ? 0 : freedom];
    double f = (double)freedom, z2 = z * z;
    return z + z * (z2 + 1) / (4 * f) + z * (5 * z2 * z2 + 16 * z2 + 3) / (96 * f * f) +
           z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * f * f * f);
}

static rung_range range_of(const study *s, const double *v, double divisor)
{
    double sum = 0, all = 0, squares = 0, n = (double)s->apart.count;
    for (int64_t i = 0; i < s->n; i++) {
        sum += weight_of(s, i) * v[i * LOSSES] / divisor;
        all += weight_of(s, i);
    }
    double mean = sum / all;
    if (s->apart.count < 2) return (rung_range){mean, NAN, NAN};
    for (int64_t g = 0; g < s->apart.count; g++) s->off[g] = 0;
    for (int64_t i = 0; i < s->n; i++) s->off[s->apart.of[i]] += weight_of(s, i) * (v[i * LOSSES] / divisor - mean);
    for (int64_t g = 0; g < s->apart.count; g++) squares += s->off[g] * s->off[g];
    double half = t_point(s->apart.count - 1) * sqrt(squares / (n - 1) / n) * (n / all);
    return (rung_range){mean, mean - half, mean + half};
}

static void ranges_of(const study *s, const double *v, double divisor, rung_range out[LOSSES])
{
    bool both = s->data->target || s->proba;
    out[0] = range_of(s, v, divisor);
    out[1] = both ? range_of(s, v + 1, divisor) : (rung_range){NAN, NAN, NAN};
}

static rung_status write_unit(rung_ctx *ctx, const study *s, const unit *u, rung_importance *out)
{
    const char **names = NULL;
    int64_t first = *u->column;
    TRY(NEW(ctx, &out->mem, names, u->n));
    for (int64_t c = 0; c < u->n; c++) TRY(explanation_column(ctx, &out->mem, s->code, u->column[c], &names[c]));
    rung_permuted *one = &out->permuted[out->n++];
    *one = (rung_permuted){.n = (int)u->n,
                           .column = names,
                           .group = s->related.group[first],
                           .others = u->group ? NAN : s->related.share[first]};
    ranges_of(s, u->rise, s->repeats, one->rise);
    return RUNG_OK;
}

static double rise_of(const study *s, const unit *u)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += weight_of(s, i) * u->rise[i * LOSSES];
    return sum;
}

/* Single columns, the most important first; of equal ones the first in the file. */
static rung_status sorted_columns(rung_ctx *ctx, const study *s, int **out)
{
    int m = (int)s->code->n_columns;
    double *rise = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, m));
    TRY(NEW_RAW(ctx, &ctx->scratch, rise, m));
    for (int j = 0; j < m; j++) {
        rise[j] = rise_of(s, &s->units[j]);
        int at = j;
        for (; at > 0 && rise[(*out)[at - 1]] < rise[j]; at--) (*out)[at] = (*out)[at - 1];
        (*out)[at] = j;
    }
    return RUNG_OK;
}

static rung_status write_report(rung_ctx *ctx, const void *of, void *report)
{
    const study *s = of;
    rung_importance *out = report;
    int *order = NULL, m = (int)s->code->n_columns;
    TRY(sorted_columns(ctx, s, &order));
    out->about = (rung_importance_summary){.rows = s->n,
                                           .labelled = s->labelled,
                                           .repeats = s->repeats,
                                           .folds = s->n_models > 1 ? s->n_models : 0,
                                           .seen = s->seen,
                                           .loss = {"mae", s->data->target ? "mse" : "rps"}};
    ranges_of(s, s->loss, 1, out->about.error);
    TRY(NEW(ctx, &out->mem, out->permuted, s->n_units));
    for (int u = 0; u < s->n_units; u++) TRY(write_unit(ctx, s, &s->units[u < m ? order[u] : u], out));
    return RUNG_OK;
}

/* ---- of a model ---- */

static rung_status check_options(rung_ctx *ctx, const rung_importance_options *o)
{
    if (o->repeats < 0 || o->repeats > 1000)
        return hint(ctx, set_error(ctx, RUNG_EARG, "%d repeats: expected 1 to 1000", o->repeats), "option repeats");
    if (o->rows < 0)
        return hint(ctx, set_error(ctx, RUNG_EARG, "%lld rows: expected at least 1", (long long)o->rows),
                    "option rows");
    if (o->folds < 0 || o->folds == 1) return set_error(ctx, RUNG_EARG, "%d folds: expected at least 2", o->folds);
    return RUNG_OK;
}

/* Errors of intervals are lower bounds (data/intervals.h): rows with such labels are left out where enough have others.
 */
static void leave_intervals(rung_ctx *ctx, const rung_data *data, int64_t *rows, int64_t *count)
{
    int64_t exact = 0, n = 0;
    for (int64_t i = 0; i < *count; i++) exact += !is_interval(data->y, data->upper, rows[i]);
    if (exact < EXACT_ENOUGH && exact < *count)
        log_at(ctx, RUNG_LOG_WARNING,
               "fewer than %d of the rows have exact labels, so errors are lower bounds: an answer inside an interval "
               "counts as right",
               EXACT_ENOUGH);
    if (exact < EXACT_ENOUGH) return;
    for (int64_t i = 0; i < *count; i++)
        if (!is_interval(data->y, data->upper, rows[i])) rows[n++] = rows[i];
    *count = n;
}

static rung_status labelled_rows(rung_ctx *ctx, const rung_data *data, int64_t **rows, int64_t *count)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, *rows, data->n));
    *count = 0;
    for (int64_t i = 0; i < data->n; i++)
        if (is_measured(data, i)) (*rows)[(*count)++] = i;
    if (*count < 2)
        return set_error(ctx, RUNG_EDATA, "%s labelled; importance needs at least two labelled rows to compare with",
                         *count ? "only one row is" : "no row is");
    leave_intervals(ctx, data, *rows, count);
    return RUNG_OK;
}

rung_status importance(rung_ctx *ctx, const rung_model *m, const rung_data *data,
                       const rung_importance_options *options, rung_importance **out)
{
    const rung_data cells = rows_as_cells(data);
    study s = {.data = &cells,
               .code = model_cells(m),
               .group = data->group,
               .repeats = options->repeats ? options->repeats : REPEATS,
               .n_models = 1,
               .model = &m,
               .proba = model_has_probabilities(m)};
    int64_t *labelled;
    *out = NULL;
    TRY(check_options(ctx, options));
    TRY(answers_check(ctx, m));
    TRY(explained_check(ctx, m, data));
    TRY(labelled_rows(ctx, data, &labelled, &s.labelled));
    TRY(rows_sample(ctx, s.labelled, labelled, options->rows ? options->rows : MOST_ROWS, STREAM - 1, &s.row, &s.n));
    TRY(NEW(ctx, &ctx->scratch, s.first, 2));
    s.first[1] = s.n;
    TRY(model_saw(ctx, m, data, &s.seen));
    TRY(run(ctx, &s));
    return explanation_new(ctx, sizeof **out, write_report, &s, (void **)out);
}

/* ---- of a method: every row by a model that has not seen it ---- */

typedef struct {
    rung_spec spec;
    const rung_data *data;
    const int *group; /* rows that leave together; NULL: none do */
    folds f;
    rung_model **model; /* of each fold */
} refits;

static rung_status fit_fold(rung_ctx *ctx, void *user, int64_t k)
{
    const refits *r = user;
    int64_t *kept = NULL, n;
    rung_data *train = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, kept, r->data->n));
    n = folds_kept(&r->f, 0, (int)k, kept);
    TRY(dataset_subset(ctx, r->data, n, kept, &train));
    rung_status status = method_fit(ctx, &r->spec, train, &r->model[k]);
    dataset_free(train);
    return status;
}

/* Ranks for stratified folds; real targets are in one stratum. What is decided about the equal rows of the whole holds
 * for the fit to every part of them. */
static rung_status make_folds(rung_ctx *ctx, refits *r, int count)
{
    const rung_data *data = r->data;
    leaving t;
    TRY(data_together(ctx, data, r->spec.equal, &t));
    r->spec.equal = together_rule(&t);
    r->group = t.group;
    ranked_rows ranked = {
        .n = data->n, .y = data->y, .K = data->code.n_classes, .group = t.group, .upper = data->upper};
    if (data->target) {
        int *one = NULL;
        TRY(NEW(ctx, &ctx->scratch, one, data->n));
        for (int64_t i = 0; i < data->n; i++) one[i] = !isnan(data->target[i]);
        ranked.y = one;
        ranked.K = 1;
    }
    return folds_stratified(ctx, &ctx->scratch, &ranked, count, 1, &r->f);
}

static rung_status fit_folds(rung_ctx *ctx, refits *r)
{
    rung_log_fn *log = ctx->log;
    ctx->log = NULL; /* what there is to say about the data was said of the fit to all rows */
    rung_status status =
        parallel_stage(ctx, "fitting without each fold",
                       ctx->memory > 0 ? 1 : parallel_workers(ctx, r->data->n, r->f.count), r->f.count, fit_fold, r);
    ctx->log = log;
    for (int k = 0; status == RUNG_OK && k < r->f.count; k++)
        if (!r->model[k])
            status = set_error(ctx, RUNG_ENOCONV,
                               "the fit without fold %d failed, so that its rows have no predictions", k + 1);
    return status;
}

/* The rows of each fold, one fold after the other; a fold that the sample missed has none. */
static rung_status held_out_study(rung_ctx *ctx, const refits *r, const rung_importance_options *options, study *s)
{
    int64_t *rows = NULL, *sample, *count = &s->labelled;
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, r->data->n));
    *count = 0;
    for (int64_t i = 0; i < r->data->n; i++)
        if (r->f.fold[i] >= 0 && is_measured(r->data, i) && !(r->data->chosen && r->data->chosen[i]))
            rows[(*count)++] = i;
    if (*count < 2)
        return set_error(
            ctx, RUNG_EDATA,
            "all rows that could be held out were chosen to be labelled, none at random: importance cannot "
            "be measured");
    leave_intervals(ctx, r->data, rows, count);
    TRY(rows_sample(ctx, *count, rows, options->rows ? options->rows : MOST_ROWS, STREAM - 1, &sample, &s->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->row, s->n));
    TRY(NEW(ctx, &ctx->scratch, s->first, r->f.count + 1));
    TRY(NEW(ctx, &ctx->scratch, s->model, r->f.count));
    s->n_models = r->f.count;
    int64_t n = 0;
    for (int k = 0; k < r->f.count; k++) {
        s->model[k] = r->model[k];
        for (int64_t i = 0; i < s->n; i++)
            if (r->f.fold[sample[i]] == k) s->row[n++] = sample[i];
        s->first[k + 1] = n;
    }
    s->proba = model_has_probabilities(s->model[0]);
    return answers_check(ctx, s->model[0]);
}

static rung_status held_out_steps(rung_ctx *ctx, refits *r, const rung_importance_options *options,
                                  rung_importance **out)
{
    const rung_data cells = rows_as_cells(r->data);
    study s = {.data = &cells,
               .code = coding_cells(&r->data->code),
               .group = r->group,
               .repeats = options->repeats ? options->repeats : REPEATS};
    TRY(fit_folds(ctx, r));
    TRY(held_out_study(ctx, r, options, &s));
    TRY(run(ctx, &s));
    return explanation_new(ctx, sizeof **out, write_report, &s, (void **)out);
}

rung_status importance_held_out(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                const rung_importance_options *options, rung_importance **out)
{
    refits r = {.spec = *spec, .data = data};
    *out = NULL;
    TRY(all_rows_check(ctx, data, "importance on held-out rows"));
    TRY(check_options(ctx, options));
    TRY(make_folds(ctx, &r, options->folds ? options->folds : FOLDS));
    if (r.f.count < 2)
        return set_error(ctx, RUNG_EDATA,
                         "too few labelled rows to hold any of them out: importance cannot be measured");
    TRY(NEW(ctx, &ctx->scratch, r.model, r.f.count));
    rung_status status = held_out_steps(ctx, &r, options, out);
    for (int k = 0; k < r.f.count; k++) model_free(r.model[k]);
    return status;
}
