// SPDX-License-Identifier: BSD-3-Clause
/* row.c - why a row gets its answer: contributions, and the smallest change to another rank. */
#include "explain/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 50, SAMPLED_ROWS = 100, EXACT_ROWS = 16, EXACT_COLUMNS = 10, STREAM = 0x726f7700 };

static rung_status check_options(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_row_options *o)
{
    TRY(answers_check(ctx, m));
    if (data->d != m->code.d)
        return set_error(ctx, RUNG_EARG, "the data have %lld coded columns, but the model was fitted to %lld",
                         (long long)data->d, (long long)m->code.d);
    if (o->row < 0 || o->row >= data->n)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG, "there is no row %lld: the data have %lld", (long long)o->row + 1,
                              (long long)data->n),
                    "option row");
    if (o->samples < 0 || o->rows < 0) return set_error(ctx, RUNG_EARG, "numbers of samples and rows are at least 1");
    return RUNG_OK;
}

typedef struct {
    const rung_model *m;
    const rung_data *data;
    int64_t row;
    contributions found;
    answers own; /* of the row */
    row_change change[2];
} study;

static int64_t *by_size(const study *s, int64_t *order)
{
    for (int64_t j = 0; j < s->m->code.n_columns; j++) {
        int64_t at = j;
        for (; at > 0 && fabs(s->found.value[order[at - 1]]) < fabs(s->found.value[j]); at--) order[at] = order[at - 1];
        order[at] = j;
    }
    return order;
}

static json_t *change_json(const study *s, const row_change *c, int *bad)
{
    const coding *code = &s->m->code;
    const double *old = s->data->X + s->row * s->data->d;
    char name[COLUMN_NAME];
    if (c->rank == 0) return json_null();
    json_t *out = json_object(), *columns = json_array();
    json_put(out, "rank", json_integer(c->rank), bad);
    json_put(out, "class", json_clean(code->classes[c->rank - 1]), bad);
    for (int k = 0; k < c->n; k++) {
        json_t *one = json_object();
        json_put(one, "name", json_clean(column_name(code, c->column[k], name)), bad);
        json_put(one, "from", column_cell(code, c->column[k], old), bad);
        json_put(one, "to", column_cell(code, c->column[k], c->x), bad);
        json_add(columns, one, bad);
    }
    json_put(out, "columns", columns, bad);
    return out;
}

static rung_status write_report(rung_ctx *ctx, const study *s, int64_t background, char **report)
{
    const coding *code = &s->m->code;
    const double *x = s->data->X + s->row * s->data->d;
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
    json_put(root, "exact", json_boolean(s->found.exact), &bad);
    json_put(root, "samples", json_integer(s->found.samples), &bad);
    json_put(root, "background", json_integer(background), &bad);
    for (int64_t k = 0; k < code->n_columns; k++) {
        int64_t j = order[k];
        json_t *one = json_object();
        json_put(one, "name", json_clean(column_name(code, j, name)), &bad);
        json_put(one, "cell", column_cell(code, j, x), &bad);
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
    study s = {.m = m, .data = data, .row = options->row};
    int64_t *named = NULL, count, *all = NULL, *background, n;
    bool *fixed = NULL, exact = m->code.n_columns <= EXACT_COLUMNS;
    *report = NULL;
    TRY(check_options(ctx, m, data, options));
    TRY(columns_named(ctx, &m->code, options->fixed, &named, &count));
    TRY(NEW(ctx, &ctx->scratch, fixed, m->code.n_columns));
    for (int64_t i = 0; i < count; i++) fixed[named[i]] = true;
    TRY(NEW_RAW(ctx, &ctx->scratch, all, data->n));
    for (int64_t i = 0; i < data->n; i++) all[i] = i;
    TRY(rows_sample(ctx, data->n, all,
                    options->rows ? options->rows
                    : exact       ? EXACT_ROWS
                                  : SAMPLED_ROWS,
                    STREAM, &background, &n));
    TRY(answers_new(ctx, &ctx->scratch, m, 1, &s.own));
    TRY(answers_of(ctx, m, 1, data->X + options->row * data->d, &s.own));
    TRY(shapley(ctx, m, data, options->row, n, background, options->samples ? options->samples : SAMPLES, &s.found));
    for (int up = 0; !m->code.real && up < 2; up++)
        TRY(change_find(ctx, m, data, options->row, up ? 1 : -1, fixed, &s.change[up]));
    return write_report(ctx, &s, n, report);
}
