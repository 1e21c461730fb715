// SPDX-License-Identifier: BSD-3-Clause
/* Tables and names that come from memory instead of a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/dictionary.h"
#include "data/labels.h"

/* ---- tables ---- */

rung_status table_from_memory(rung_ctx *ctx, int64_t rows, rung_table **out)
{
    *out = NULL;
    if (rows < 1) return set_error(ctx, RUNG_EARG, "a table of %lld rows", (long long)rows);
    TRY(table_new(ctx, "the table", out));
    (*out)->decimal = '.';
    (*out)->n_rows = rows;
    (*out)->first_line = 1;
    return RUNG_OK;
}

/* The place of one more column; it counts once it is filled. */
static rung_status open_column(rung_ctx *ctx, rung_table *t, const char *name, column **out)
{
    bool named = name && name[0];
    if (t->n_columns > 0 && named != t->has_names)
        return set_error(ctx, RUNG_EARG, "column %lld has %s name, unlike the columns before it",
                         (long long)t->n_columns + 1, named ? "a" : "no");
    for (int64_t j = 0; named && j < t->n_columns; j++)
        if (strcmp(t->columns[j].name, name) == 0)
            return set_error(ctx, RUNG_EARG, "two columns are named '%.80s'", name);
    t->has_names = named;
    TRY(RESIZE(ctx, &t->mem, t->columns, t->n_columns + 1));
    *out = &t->columns[t->n_columns];
    **out = (column){.odd_row = -1};
    return pool_text(ctx, &t->mem, named ? name : "", &(*out)->name);
}

rung_status table_add_numbers(rung_ctx *ctx, rung_table *t, const char *name, const double *v, int64_t step)
{
    column *c;
    TRY(open_column(ctx, t, name, &c));
    c->kind = COLUMN_NUMBER;
    TRY(NEW_RAW(ctx, &t->mem, c->number, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) {
        c->number[i] =
            isnan(v[i * step]) ? NAN : v[i * step]; /* of many, R's NA being one: the same bits as from a file */
        if (c->odd_row >= 0 || !isinf(c->number[i])) continue;
        c->odd_row = i;
        c->odd = c->number[i] > 0 ? "inf" : "-inf";
    }
    t->n_columns++;
    return RUNG_OK;
}

rung_status table_add_text(rung_ctx *ctx, rung_table *t, const char *name, const int32_t *code,
                           const char *const *values, int32_t n_values, bool ordered)
{
    column *c;
    dictionary distinct = {0};
    int32_t *number = NULL; /* of a value among the distinct ones that are not missing, else -1 */
    if (n_values < 0) return set_error(ctx, RUNG_EARG, "a column of %d texts", n_values);
    TRY(open_column(ctx, t, name, &c));
    c->kind = COLUMN_TEXT;
    c->declared = c->ordered = ordered;
    TRY(NEW_RAW(ctx, &t->mem, c->text, t->n_rows));
    TRY(NEW_RAW(ctx, &ctx->scratch, number, n_values));
    for (int32_t k = 0; k < n_values; k++) {
        size_t length = strlen(values[k]);
        number[k] = -1;
        if (!cell_missing(values[k], length))
            TRY(dictionary_add(ctx, &t->mem, &distinct, values[k], length, &number[k]));
    }
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (code[i] < -1 || code[i] >= n_values)
            return set_error(ctx, RUNG_EARG, "row %lld has text number %d of %d", (long long)i + 1, code[i], n_values);
        c->text[i] = code[i] < 0 ? -1 : number[code[i]];
    }
    dictionary_seal(&t->mem, &distinct);
    c->values = distinct.values;
    c->n_values = distinct.n;
    t->n_columns++;
    return RUNG_OK;
}

/* ---- chosen rows ---- */

rung_status dataset_set_chosen(rung_ctx *ctx, rung_data *data, const int *chosen)
{
    int *flags = NULL;
    if (chosen) {
        TRY(NEW_RAW(ctx, &data->mem, flags, data->n));
        for (int64_t i = 0; i < data->n; i++) flags[i] = chosen[i] != 0;
    }
    pool_free(&data->mem, data->chosen);
    data->chosen = flags;
    return RUNG_OK;
}

/* ---- names ---- */

static rung_status name_columns(rung_ctx *ctx, rung_data *data, const char *const *names)
{
    coding *code = &data->code;
    dictionary distinct = {0};
    for (int64_t j = 0; j < code->n_columns; j++) {
        int32_t index;
        if (!names[j] || !names[j][0]) return set_error(ctx, RUNG_EARG, "column %lld has no name", (long long)j + 1);
        TRY(dictionary_add(ctx, &ctx->scratch, &distinct, names[j], strlen(names[j]), &index));
        if (index < j) return set_error(ctx, RUNG_EARG, "two columns are named '%.80s'", names[j]);
        TRY(pool_text(ctx, &data->mem, names[j], &code->columns[j].name));
    }
    code->has_names = true;
    return RUNG_OK;
}

rung_status dataset_set_groups(rung_ctx *ctx, rung_data *data, const int *group)
{
    if (!group) {
        data->group = NULL;
        return RUNG_OK;
    }
    if (!data->group) TRY(NEW_RAW(ctx, &data->mem, data->group, data->n));
    memcpy(data->group, group, (size_t)data->n * sizeof *group);
    return RUNG_OK;
}

rung_status dataset_set_names(rung_ctx *ctx, rung_data *data, const char *const *columns, const char *label,
                              const char *const *classes)
{
    coding *code = &data->code;
    if (columns) TRY(name_columns(ctx, data, columns));
    if (label) TRY(pool_text(ctx, &data->mem, label, &code->label));
    for (int64_t j = 0; code->label[0] && j < code->n_columns; j++)
        if (strcmp(code->columns[j].name, code->label) == 0)
            return set_error(ctx, RUNG_EARG, "the label and column %lld are both named '%.80s'", (long long)j + 1,
                             code->label);
    if (!classes) return RUNG_OK;
    TRY(labels_check_order(ctx, code->n_classes, classes));
    for (int k = 0; k < code->n_classes; k++) TRY(pool_text(ctx, &data->mem, classes[k], &code->classes[k]));
    return RUNG_OK;
}

/* ---- intervals ---- */

rung_status dataset_set_upper(rung_ctx *ctx, rung_data *data, const int *upper)
{
    int K = data->code.n_classes;
    bool any = false;
    for (int64_t i = 0; i < data->n; i++) {
        if (data->y[i] == 0 && upper[i] == 0) continue;
        if (upper[i] < data->y[i] || upper[i] > K || data->y[i] < 1)
            return set_error(ctx, RUNG_EDATA, "row %lld: %d..%d is no interval of the ranks 1..%d", (long long)i + 1,
                             data->y[i], upper[i], K);
        any = any || (upper[i] > data->y[i] && (data->y[i] > 1 || upper[i] < K));
    }
    data->upper = NULL;
    if (any) TRY(NEW(ctx, &data->mem, data->upper, data->n));
    for (int64_t i = 0; i < data->n; i++) {
        if (data->y[i] == 1 && upper[i] == K && K > 1) data->y[i] = 0; /* any class: unlabelled */
        if (any) data->upper[i] = data->y[i] ? upper[i] : 0;
    }
    return RUNG_OK;
}
