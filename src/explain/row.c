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

static json_t *change_json(const study *s, const row_change *c, int *bad)
{
    const coding *code = model_cells(s->m);
    char name[COLUMN_NAME];
    if (c->rank == 0) return json_null();
    json_t *out = json_object(), *columns = json_array();
    json_put(out, "rank", json_integer(c->rank), bad);
    json_put(out, "class", json_clean(code->classes[c->rank - 1]), bad);
    for (int k = 0; k < c->n; k++) {
        json_t *one = json_object();
        json_put(one, "name", json_clean(column_name(code, c->column[k], name)), bad);
        json_put(one, "from", column_cell(code, c->column[k], s->x), bad);
        json_put(one, "to", column_cell(code, c->column[k], c->x), bad);
        json_add(columns, one, bad);
    }
    json_put(out, "columns", columns, bad);
    return out;
}

static rung_status write_report(rung_ctx *ctx, const study *s, char **report)
{
    const coding *code = model_cells(s->m);
    int64_t *order = NULL;
    int bad = 0, K = code->n_classes;
    char name[COLUMN_NAME];
    TRY(NEW(ctx, &ctx->scratch, order, code->n_columns));
    by_size(s, order);
    json_t *root = json_object(), *columns = json_array(), *changes = json_object(), *proba = json_array(),
           *classes = json_array();
    json_put(root, "row", json_integer(s->row + 1), &bad);
    json_put(root, "answer", json_number(s->own.value[0]), &bad);
    bool ranked = s->own.rank && s->own.rank[0] > 0;
    json_put(root, "rank", ranked ? json_integer(s->own.rank[0]) : json_null(), &bad);
    json_put(root, "class", ranked ? json_clean(code->classes[s->own.rank[0] - 1]) : json_null(), &bad);
    for (int q = 0; s->own.proba && q < K; q++) json_add(proba, json_number(s->own.proba[q]), &bad);
    for (int q = 0; q < K; q++) json_add(classes, json_clean(code->classes[q]), &bad);
    json_put(root, "proba", proba, &bad);
    json_put(root, "classes", classes, &bad);
    json_put(root, "average", json_number(s->found.average), &bad);
    json_put(root, "average_error", json_number(s->found.average_error), &bad);
    json_put(root, "exact", json_boolean(s->found.exact), &bad);
    json_put(root, "samples", json_integer(s->found.samples), &bad);
    json_put(root, "background", json_integer(s->found.rows), &bad);
    json_put(root, "background_of", json_integer(s->background->n), &bad);
    for (int64_t k = 0; k < code->n_columns; k++) {
        int64_t j = order[k];
        json_t *one = json_object();
        json_put(one, "name", json_clean(column_name(code, j, name)), &bad);
        json_put(one, "cell", column_cell(code, j, s->x), &bad);
        json_put(one, "contribution", json_number(s->found.value[j]), &bad);
        json_put(one, "error", json_number(s->found.error[j]), &bad);
        json_add(columns, one, &bad);
    }
    json_put(root, "columns", columns, &bad);
    json_put(changes, "down", change_json(s, &s->change[0], &bad), &bad);
    json_put(changes, "up", change_json(s, &s->change[1], &bad), &bad);
    json_put(root, "changes", changes, &bad);
    return explanation_text(ctx, root, bad, report);
}

rung_status row_explain(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_row_options *options,
                        char **report)
{
    int64_t *named = NULL, count;
    bool *fixed = NULL;
    *report = NULL;
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
    return write_report(ctx, &s, report);
}
