// SPDX-License-Identifier: BSD-3-Clause
/* row.c - why a row gets its answer: contributions, and the smallest change to another rank. */
#include "explain/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rung_status check_options(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_row_options *o)
{
    const rung_data *background = o->background ? o->background : data;
    TRY(answers_check(ctx, m));
    TRY(explained_check(ctx, m, data));
    TRY(explained_check(ctx, m, background));
    if (o->row < 0 || o->row >= data->n)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG, "there is no row %lld: the data have %lld", (long long)o->row + 1,
                              (long long)data->n),
                    "option row");
    if (o->samples < 0) return set_error(ctx, RUNG_EARG, "the number of samples is at least 1");
    if (o->rows < 0 || o->rows == 1)
        return set_error(ctx, RUNG_EARG, "contributions compare a row with others: use at least 2 rows");
    if (background->n < 2)
        return hint(ctx,
                    set_error(ctx, RUNG_EDATA,
                              "contributions compare a row with others, and the data have only one "
                              "row: give a background, such as the training data"),
                    "option background");
    return RUNG_OK;
}

typedef struct {
    const rung_model *m;
    const rung_data *background;
    const double *x; /* the row */
    int64_t row;
    contributions found;
    answers own; /* of the row */
    row_change change[2];
} study;

static int64_t *by_size(const study *s, int64_t *order)
{
    for (int64_t j = 0; j < model_cells(s->m)->n_columns; j++) {
        int64_t at = j;
        for (; at > 0 && fabs(s->found.value[order[at - 1]]) < fabs(s->found.value[j]); at--) order[at] = order[at - 1];
        order[at] = j;
    }
    return order;
}

static rung_status write_change(rung_ctx *ctx, const study *s, int up, rung_row *out)
{
    const row_change *c = &s->change[up];
    const coding *code = model_cells(s->m);
    TRY(NEW(ctx, &out->mem, out->change[up], c->n));
    for (int k = 0; k < c->n; k++) {
        rung_change *one = &out->change[up][k];
        one->rank = c->rank;
        TRY(explanation_column(ctx, &out->mem, code, c->column[k], &one->name));
        TRY(explanation_cell(ctx, &out->mem, code, c->column[k], s->x, &one->from));
        TRY(explanation_cell(ctx, &out->mem, code, c->column[k], c->x, &one->to));
    }
    out->n_changes[up] = c->n;
    return RUNG_OK;
}

static rung_status write_proba(rung_ctx *ctx, const study *s, rung_row *out)
{
    int K = s->m->code.n_classes;
    double *proba = NULL;
    if (!s->own.proba) return RUNG_OK;
    TRY(NEW_RAW(ctx, &out->mem, proba, K));
    memcpy(proba, s->own.proba, (size_t)K * sizeof *proba);
    out->about.proba = proba;
    return RUNG_OK;
}

static rung_status write_report(rung_ctx *ctx, const void *study_of_row, void *report)
{
    const study *s = study_of_row;
    rung_row *out = report;
    const coding *code = model_cells(s->m);
    int64_t *order = NULL;
    TRY(NEW(ctx, &ctx->scratch, order, code->n_columns));
    by_size(s, order);
    out->about = (rung_row_summary){.row = s->row,
                                    .answer = s->own.value[0],
                                    .rank = s->own.rank ? s->own.rank[0] : 0,
                                    .average = s->found.average,
                                    .average_error = s->found.average_error,
                                    .exact = s->found.exact,
                                    .samples = s->found.samples,
                                    .background = s->found.rows,
                                    .background_of = s->background->n};
    TRY(write_proba(ctx, s, out));
    TRY(NEW(ctx, &out->mem, out->column, code->n_columns));
    for (; out->n < code->n_columns; out->n++) {
        int64_t j = order[out->n];
        rung_contribution *one = &out->column[out->n];
        TRY(explanation_column(ctx, &out->mem, code, j, &one->name));
        TRY(explanation_cell(ctx, &out->mem, code, j, s->x, &one->cell));
        one->value = s->found.value[j];
        one->error = s->found.error[j];
    }
    TRY(write_change(ctx, s, 0, out));
    return write_change(ctx, s, 1, out);
}

rung_status row_explain(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_row_options *options,
                        rung_row **out)
{
    int64_t *named = NULL, count;
    bool *fixed = NULL;
    *out = NULL;
    TRY(check_options(ctx, m, data, options));
    const rung_data cells = rows_as_cells(data),
                    others = rows_as_cells(options->background ? options->background : data);
    study s = {.m = m, .background = &others, .x = cells.X + options->row * cells.d, .row = options->row};
    TRY(columns_named(ctx, model_cells(m), options->fixed, &named, &count));
    TRY(NEW(ctx, &ctx->scratch, fixed, model_cells(m)->n_columns));
    for (int64_t i = 0; i < count; i++) fixed[named[i]] = true;
    TRY(answers_new(ctx, &ctx->scratch, m, 1, &s.own));
    TRY(answers_of(ctx, m, 1, s.x, &s.own));
    TRY(shapley(ctx, m, s.x, s.background, options->rows, options->samples, &s.found));
    for (int up = 0; !m->code.real && up < 2; up++)
        TRY(change_find(ctx, m, s.x, s.background, up ? 1 : -1, fixed, &s.change[up]));
    return explanation_new(ctx, sizeof **out, write_report, &s, (void **)out);
}
