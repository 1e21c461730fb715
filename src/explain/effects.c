// SPDX-License-Identifier: BSD-3-Clause
/* effects.c - how the answers change along a column.
 *
 * Partial dependence at z: the mean answer when every row has the value z (Friedman. Greedy function approximation.
 * Annals of Statistics 29:1189-1232, 2001). It also asks about rows that cannot be, where columns are related.
 * Accumulated local effects do not: between two neighbouring values only the rows between them are moved from one to
 * the other, and the mean differences are added up (Apley and Zhu. Visualizing the effects of predictor variables in
 * black box supervised learning models. Journal of the Royal Statistical Society B 82:1059-1086, 2020). They are
 * centred: their mean over the rows is 0. */
#include "explain/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/parallel.h"
#include "explain/answer.h"

enum { POINTS = 21, PAIR_POINTS = 11, MOST_ROWS = 500, RUG = 100, STREAM = 0x65666600 };

typedef struct { /* along one column; answers are the value and the classes: 1 + K numbers */
    int64_t column;
    int n;              /* points */
    double *cells;      /* n x width: the coded cells of a point */
    int64_t *count;     /* rows: of a category; of numbers up to the point, from the one before */
    double *dependence; /* n x answers */
    double *local;      /* the same; NULL: a category, or a single point */
    int rugs;
    double *rug; /* quantiles of the values */
} effect;

typedef struct {
    const rung_model *m;
    const rung_data *data;
    int64_t n, *row;
    int points, answers, n_effects;
    effect *effects;
    double *map; /* of a pair: points x points */
    double *average;
} study;

static const column_code *code_of(const study *s, int64_t j) { return &model_cells(s->m)->columns[j]; }

static const double *row_at(const study *s, int64_t i) { return s->data->X + s->row[i] * s->data->d; }

/* ---- the points of a column ---- */

static rung_status number_points(rung_ctx *ctx, const study *s, effect *e)
{
    const column_code *c = code_of(s, e->column);
    int64_t there = 0, width = column_width(c);
    double *sorted = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, sorted, s->n));
    for (int64_t i = 0; i < s->n; i++)
        if (!isnan(row_at(s, i)[c->first])) sorted[there++] = row_at(s, i)[c->first];
    qsort(sorted, (size_t)there, sizeof *sorted, compare_numbers);
    TRY(NEW(ctx, &ctx->scratch, e->cells, s->points * width));
    for (int k = 0; k < s->points && there > 0; k++) {
        double x = sorted[s->points > 1 ? (there - 1) * k / (s->points - 1) : 0];
        if (e->n > 0 && e->cells[(e->n - 1) * width] == x) continue;
        form_columns_of(c->form, x, e->cells + e->n++ * width);
    }
    e->rugs = (int)(there < RUG ? there : RUG);
    TRY(NEW(ctx, &ctx->scratch, e->rug, e->rugs + 1));
    for (int k = 0; k < e->rugs; k++) e->rug[k] = sorted[e->rugs > 1 ? (there - 1) * k / (e->rugs - 1) : 0];
    TRY(NEW(ctx, &ctx->scratch, e->count, e->n + 1));
    for (int64_t i = 0; i < there; i++) {
        int k = 0;
        while (k + 1 < e->n && sorted[i] > e->cells[k * width]) k++;
        e->count[k]++;
    }
    return RUNG_OK;
}

static rung_status category_points(rung_ctx *ctx, const study *s, effect *e)
{
    const column_code *c = code_of(s, e->column);
    int64_t width = c->n_categories;
    e->n = (int)width;
    TRY(NEW(ctx, &ctx->scratch, e->cells, width * width));
    TRY(NEW(ctx, &ctx->scratch, e->count, width));
    for (int64_t k = 0; k < width; k++) e->cells[k * width + k] = 1;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < width; k++) e->count[k] += row_at(s, i)[c->first + k] == 1;
    return RUNG_OK;
}

/* ---- means of answers ---- */

/* Adds `sign` times the answers of the rows listed, with the cells of a point in the column, to sum. */
static rung_status add_answers(rung_ctx *ctx, const study *s, const effect *e, const double *cells, int64_t n,
                               const int64_t *which, double sign, double *sum)
{
    const column_code *c = code_of(s, e->column);
    int64_t d = s->data->d, width = column_width(c);
    int K = s->answers - 1;
    pool_mark mark = pool_here(&ctx->scratch);
    double *X = NULL;
    answers a;
    if (n == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, n * d));
    TRY(answers_new(ctx, &ctx->scratch, s->m, n, &a));
    for (int64_t i = 0; i < n; i++) {
        memcpy(X + i * d, row_at(s, which ? which[i] : i), (size_t)d * sizeof *X);
        memcpy(X + i * d + c->first, cells, (size_t)width * sizeof *X);
    }
    TRY(answers_of(ctx, s->m, n, X, &a));
    for (int64_t i = 0; i < n; i++) {
        sum[0] += sign * a.value[i];
        for (int q = 0; q < K; q++) sum[1 + q] += sign * a.proba[i * K + q];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status dependence_of(rung_ctx *ctx, const study *s, effect *e)
{
    int64_t width = column_width(code_of(s, e->column));
    for (int k = 0; k < e->n; k++) {
        double *sum = e->dependence + k * s->answers;
        TRY(interrupted(ctx));
        TRY(add_answers(ctx, s, e, e->cells + k * width, s->n, NULL, 1, sum));
        for (int a = 0; a < s->answers; a++) sum[a] /= (double)s->n;
    }
    return RUNG_OK;
}

/* local[k] - local[k - 1]: the mean difference of the rows in (z_{k-1}, z_k], the first one with z_0. */
static rung_status local_of(rung_ctx *ctx, const study *s, effect *e)
{
    const column_code *c = code_of(s, e->column);
    int64_t width = column_width(c), *which = NULL, all = 0;
    double *mean = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, which, s->n));
    TRY(NEW(ctx, &ctx->scratch, mean, s->answers));
    for (int k = 1; k < e->n; k++) {
        double low = e->cells[(k - 1) * width], high = e->cells[k * width], *sum = e->local + k * s->answers;
        int64_t n = 0;
        for (int64_t i = 0; i < s->n; i++) {
            double x = row_at(s, i)[c->first];
            if (x <= high && (x > low || (k == 1 && x == low))) which[n++] = i;
        }
        TRY(interrupted(ctx));
        TRY(add_answers(ctx, s, e, e->cells + k * width, n, which, 1, sum));
        TRY(add_answers(ctx, s, e, e->cells + (k - 1) * width, n, which, -1, sum));
        for (int a = 0; a < s->answers; a++) {
            sum[a] = e->local[(k - 1) * s->answers + a] + (n > 0 ? sum[a] / (double)n : 0);
            mean[a] += (double)n * (sum[a] + e->local[(k - 1) * s->answers + a]) / 2;
        }
        all += n;
    }
    for (int k = 0; k < e->n; k++)
        for (int a = 0; a < s->answers; a++) e->local[k * s->answers + a] -= mean[a] / (double)all;
    return RUNG_OK;
}

static rung_status one_effect(rung_ctx *ctx, void *user, int64_t i)
{
    const study *s = user;
    effect *e = &s->effects[i];
    TRY(dependence_of(ctx, s, e));
    return e->local ? local_of(ctx, s, e) : RUNG_OK;
}

static rung_status prepare(rung_ctx *ctx, const study *s, int64_t at, effect *e)
{
    e->column = at;
    bool nominal = code_of(s, at)->nominal;
    TRY(nominal ? category_points(ctx, s, e) : number_points(ctx, s, e));
    TRY(NEW(ctx, &ctx->scratch, e->dependence, (int64_t)e->n * s->answers));
    if (!nominal && e->n > 1) TRY(NEW(ctx, &ctx->scratch, e->local, (int64_t)e->n * s->answers));
    return RUNG_OK;
}

/* ---- a pair ---- */

static rung_status map_row(rung_ctx *ctx, void *user, int64_t k)
{
    const study *s = user;
    const effect *a = &s->effects[0], *b = &s->effects[1];
    const column_code *ca = code_of(s, a->column), *cb = code_of(s, b->column);
    int64_t d = s->data->d, wa = column_width(ca), wb = column_width(cb);
    double *X = NULL;
    answers found;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, s->n * d));
    TRY(answers_new(ctx, &ctx->scratch, s->m, s->n, &found));
    for (int j = 0; j < b->n; j++) {
        TRY(interrupted(ctx));
        for (int64_t i = 0; i < s->n; i++) {
            memcpy(X + i * d, row_at(s, i), (size_t)d * sizeof *X);
            memcpy(X + i * d + ca->first, a->cells + k * wa, (size_t)wa * sizeof *X);
            memcpy(X + i * d + cb->first, b->cells + j * wb, (size_t)wb * sizeof *X);
        }
        TRY(answers_of(ctx, s->m, s->n, X, &found));
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++) sum += found.value[i];
        s->map[k * b->n + j] = sum / (double)s->n;
    }
    return RUNG_OK;
}

/* The share of the map's variance that is not the sum of an effect of each column. */
static double interaction(const study *s)
{
    int m = s->effects[0].n, n = s->effects[1].n;
    double mean = 0, whole = 0, rest = 0;
    for (int i = 0; i < m * n; i++) mean += s->map[i] / (m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double row = 0, column_mean = 0, x = s->map[i * n + j];
            for (int k = 0; k < n; k++) row += s->map[i * n + k] / n;
            for (int k = 0; k < m; k++) column_mean += s->map[k * n + j] / m;
            whole += (x - mean) * (x - mean);
            rest += (x - row - column_mean + mean) * (x - row - column_mean + mean);
        }
    return whole > 0 ? rest / whole : 0;
}

/* ---- the report ---- */

static rung_status copied(rung_ctx *ctx, pool *mem, int64_t n, const double *v, const double **out)
{
    double *copy = NULL;
    TRY(NEW_RAW(ctx, mem, copy, n));
    if (n > 0) memcpy(copy, v, (size_t)n * sizeof *copy); /* v may be NULL: a category has no rug */
    *out = copy;
    return RUNG_OK;
}

/* Answers apart: values, and the probabilities of the classes. */
static rung_status write_answers(rung_ctx *ctx, pool *mem, const study *s, int n, const double *from,
                                 const double **value, const double **classes)
{
    double *v = NULL, *p = NULL;
    int K = s->answers - 1;
    TRY(NEW_RAW(ctx, mem, v, n));
    if (K > 0) TRY(NEW_RAW(ctx, mem, p, (int64_t)n * K));
    for (int k = 0; k < n; k++) {
        v[k] = from[k * s->answers];
        for (int q = 0; q < K; q++) p[k * K + q] = from[k * s->answers + 1 + q];
    }
    *value = v;
    *classes = p;
    return RUNG_OK;
}

/* How a point stands in the source; numbers have no text. */
static rung_status point_text(rung_ctx *ctx, pool *mem, const column_code *c, int k, double x, const char **out)
{
    if (c->nominal) return explanation_text(ctx, mem, c->categories[k][0] ? c->categories[k] : "missing", out);
    if (column_dates(c)) return explanation_date(ctx, mem, x, out);
    return x >= 1 && x <= (double)c->n_categories ? explanation_text(ctx, mem, c->categories[(int64_t)x - 1], out)
                                                  : RUNG_OK;
}

static rung_status write_points(rung_ctx *ctx, pool *mem, const column_code *c, const effect *e, rung_effect *out)
{
    int64_t width = column_width(c), *count = NULL;
    double *value = NULL;
    const char **text = NULL;
    TRY(NEW_RAW(ctx, mem, count, e->n));
    for (int k = 0; k < e->n; k++) count[k] = e->count[k];
    out->count = count;
    if (!c->nominal) TRY(NEW_RAW(ctx, mem, value, e->n));
    for (int k = 0; value && k < e->n; k++) value[k] = e->cells[k * width];
    out->value = value;
    if (!c->nominal && !column_dates(c) && c->form != FORM_ORDINAL) return RUNG_OK;
    TRY(NEW(ctx, mem, text, e->n));
    for (int k = 0; k < e->n; k++) TRY(point_text(ctx, mem, c, k, e->cells[k * width], &text[k]));
    out->text = text;
    return RUNG_OK;
}

static rung_status write_effect(rung_ctx *ctx, pool *mem, const study *s, const effect *e, rung_effect *out)
{
    const column_code *c = code_of(s, e->column);
    *out = (rung_effect){.category = c->nominal, .dates = column_dates(c), .n = e->n, .rugs = e->rugs};
    TRY(explanation_column(ctx, mem, model_cells(s->m), e->column, &out->name));
    TRY(write_points(ctx, mem, c, e, out));
    TRY(copied(ctx, mem, e->rugs, e->rug, &out->rug));
    TRY(write_answers(ctx, mem, s, e->n, e->dependence, &out->dependence, &out->class_dependence));
    return e->local ? write_answers(ctx, mem, s, e->n, e->local, &out->local, &out->class_local) : RUNG_OK;
}

static rung_status write_report(rung_ctx *ctx, const void *of, void *report)
{
    const study *s = of;
    rung_effects *out = report;
    out->about = (rung_effects_summary){.rows = s->n, .average = s->average[0], .classes = s->answers - 1};
    TRY(NEW(ctx, &out->mem, out->column, s->n_effects));
    for (; out->n < s->n_effects; out->n++)
        TRY(write_effect(ctx, &out->mem, s, &s->effects[out->n], &out->column[out->n]));
    if (!s->map) return RUNG_OK;
    out->about.interaction = interaction(s);
    return copied(ctx, &out->mem, (int64_t)s->effects[0].n * s->effects[1].n, s->map, &out->about.map);
}

/* ---- whole ---- */

static rung_status average_of(rung_ctx *ctx, study *s)
{
    answers a;
    double *X = NULL;
    int64_t d = s->data->d;
    TRY(NEW(ctx, &ctx->scratch, s->average, 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, s->n * d));
    TRY(answers_new(ctx, &ctx->scratch, s->m, s->n, &a));
    for (int64_t i = 0; i < s->n; i++) memcpy(X + i * d, row_at(s, i), (size_t)d * sizeof *X);
    TRY(answers_of(ctx, s->m, s->n, X, &a));
    for (int64_t i = 0; i < s->n; i++) s->average[0] += a.value[i] / (double)s->n;
    return RUNG_OK;
}

static rung_status check_options(rung_ctx *ctx, const rung_model *m, const rung_data *data,
                                 const rung_effects_options *o)
{
    TRY(answers_check(ctx, m));
    TRY(explained_check(ctx, m, data));
    if (data->n < 1) return set_error(ctx, RUNG_EDATA, "there are no rows to average over");
    if (o->points < 0 || o->points == 1 || o->points > 1000)
        return set_error(ctx, RUNG_EARG, "%d points: expected 2 to 1000", o->points);
    if (o->rows < 0) return set_error(ctx, RUNG_EARG, "%lld rows: expected at least 1", (long long)o->rows);
    return RUNG_OK;
}

rung_status effects(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_effects_options *options,
                    rung_effects **out)
{
    const rung_data cells = rows_as_cells(data);
    study s = {.m = m, .data = &cells, .answers = 1 + (model_has_probabilities(m) ? m->code.n_classes : 0)};
    int64_t *chosen = NULL, count = 0, *all = NULL;
    *out = NULL;
    TRY(check_options(ctx, m, data, options));
    s.points = options->points ? options->points : options->pair ? PAIR_POINTS : POINTS;
    TRY(columns_named(ctx, model_cells(m), options->columns, &chosen, &count));
    if (!options->columns)
        for (; count < model_cells(m)->n_columns; count++) chosen[count] = count;
    if (options->pair && count != 2)
        return set_error(ctx, RUNG_EARG, "a joint effect is one of two columns, not of %lld", (long long)count);
    TRY(NEW_RAW(ctx, &ctx->scratch, all, data->n));
    for (int64_t i = 0; i < data->n; i++) all[i] = i;
    TRY(rows_sample(ctx, data->n, all, options->rows ? options->rows : MOST_ROWS, STREAM, &s.row, &s.n));
    TRY(average_of(ctx, &s));
    TRY(NEW(ctx, &ctx->scratch, s.effects, count));
    s.n_effects = (int)count;
    for (int64_t i = 0; i < count; i++) TRY(prepare(ctx, &s, chosen[i], &s.effects[i]));
    int workers = ctx->threads < s.n_effects ? ctx->threads : s.n_effects;
    TRY(parallel_stage(ctx, "effects", workers, s.n_effects, one_effect, &s));
    if (options->pair) {
        int rows = s.effects[0].n;
        TRY(NEW(ctx, &ctx->scratch, s.map, (int64_t)rows * s.effects[1].n));
        TRY(parallel_stage(ctx, "map", ctx->threads < rows ? ctx->threads : rows, rows, map_row, &s));
    }
    return explanation_new(ctx, sizeof **out, write_report, &s, (void **)out);
}
