// SPDX-License-Identifier: BSD-3-Clause
/* Tables whose columns come from memory instead of a file. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "input/table/column_form.h"
#include "input/table/dictionary.h"
#include "input/table/table.h"

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

rung_status table_add_column(rung_ctx *ctx, rung_table *t, const char *name, const rung_table *from, int64_t j)
{
    column *c;
    const column *one = &from->columns[j];
    if (from->n_rows != t->n_rows)
        return set_error(ctx, RUNG_EARG, "a column of %lld rows for a table of %lld", (long long)from->n_rows,
                         (long long)t->n_rows);
    TRY(open_column(ctx, t, name, &c));
    *c = (column){.name = c->name,
                  .kind = one->kind,
                  .odd_row = one->odd_row,
                  .odd = one->odd ? "inf" : NULL,
                  .n_values = one->n_values,
                  .level = one->level,
                  .native = one->native,
                  .declared_weights = one->declared_weights};
    if (one->title) TRY(pool_text(ctx, &t->mem, one->title, &c->title));
    TRY(named_values_copy(ctx, &t->mem, &one->values_named, &c->values_named));
    if (c->kind == COLUMN_NUMBER) {
        TRY(NEW_RAW(ctx, &t->mem, c->number, t->n_rows));
        memcpy(c->number, one->number, (size_t)t->n_rows * sizeof *c->number);
    } else {
        TRY(NEW_RAW(ctx, &t->mem, c->text, t->n_rows));
        memcpy(c->text, one->text, (size_t)t->n_rows * sizeof *c->text);
        TRY(NEW_RAW(ctx, &t->mem, c->values, one->n_values));
        for (int32_t v = 0; v < one->n_values; v++) TRY(pool_text(ctx, &t->mem, one->values[v], &c->values[v]));
    }
    t->n_columns++;
    return RUNG_OK;
}

rung_status table_set_labels(rung_ctx *ctx, rung_table *t, const char *title, int32_t n, const double *code,
                             const char *const *names)
{
    if (t->n_columns == 0 || n < 0) return set_error(ctx, RUNG_EARG, "%d value labels of no column", (int)n);
    column *c = &t->columns[t->n_columns - 1];
    if (n > 0 && c->kind != COLUMN_NUMBER)
        return set_error(ctx, RUNG_EARG, "value labels are for a column of numbers, and '%.80s' holds text", c->name);
    for (int32_t k = 0; k < n; k++)
        if (!isfinite(code[k]) || !names[k] || !*names[k])
            return set_error(ctx, RUNG_EARG, "value label %d of column '%.80s' lacks its number or its name", k + 1,
                             c->name);
    if (title && *title) TRY(pool_text(ctx, &t->mem, title, &c->title));
    return named_values_make(ctx, &t->mem, n, code, names, &c->values_named);
}

enum { NOT_SEEN = -2 };

/* The number of a value among the distinct ones, -1: it says that the cell is missing. */
static rung_status number_value(rung_ctx *ctx, rung_table *t, const char *value, dictionary *distinct, int32_t *number)
{
    size_t length = strlen(value);
    if (*number != NOT_SEEN) return RUNG_OK;
    *number = -1;
    return cell_missing(value, length) ? RUNG_OK : dictionary_add(ctx, &t->mem, distinct, value, length, number);
}

/* Ordered values are all there, in their order; others are those that occur, in the order of the rows, as in a file. */
rung_status table_add_text(rung_ctx *ctx, rung_table *t, const char *name, const int32_t *code,
                           const char *const *values, int32_t n_values, bool ordered)
{
    column *c;
    dictionary distinct = {0};
    int32_t *number = NULL;
    if (n_values < 0) return set_error(ctx, RUNG_EARG, "a column of %d texts", n_values);
    TRY(open_column(ctx, t, name, &c));
    c->kind = COLUMN_TEXT;
    c->declared = c->ordered = ordered;
    TRY(NEW_RAW(ctx, &t->mem, c->text, t->n_rows));
    TRY(NEW_RAW(ctx, &ctx->scratch, number, n_values));
    for (int32_t k = 0; k < n_values; k++) {
        number[k] = NOT_SEEN;
        if (ordered) TRY(number_value(ctx, t, values[k], &distinct, &number[k]));
    }
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (code[i] < -1 || code[i] >= n_values)
            return set_error(ctx, RUNG_EARG, "row %lld has text number %d of %d", (long long)i + 1, code[i], n_values);
        if (code[i] >= 0) TRY(number_value(ctx, t, values[code[i]], &distinct, &number[code[i]]));
        c->text[i] = code[i] < 0 ? -1 : number[code[i]];
    }
    dictionary_seal(&t->mem, &distinct);
    c->values = distinct.values;
    c->n_values = distinct.n;
    t->n_columns++;
    return RUNG_OK;
}

/* Whether all cells that are there are numbers, as in a column of a file; codes such as 007 are none. */
static bool all_numbers(const rung_table *t, const char *const *cells)
{
    double x;
    for (int64_t i = 0; i < t->n_rows; i++) {
        size_t length = cells[i] ? strlen(cells[i]) : 0;
        if (length == 0 || cell_missing(cells[i], length) || cell_says_missing(cells[i], length, true)) continue;
        if (!text_number(cells[i], length, t->decimal, &x) || form_is_code(cells[i], length)) return false;
    }
    return true;
}

static rung_status number_cell(rung_ctx *ctx, rung_table *t, column *c, int64_t row, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    double *x = &c->number[row];
    *x = NAN;
    if (length == 0 || cell_missing(text, length)) return RUNG_OK;
    if (!text_number(text, length, t->decimal, x)) {
        *x = NAN;
        return c->marks++ ? RUNG_OK : pool_text(ctx, &t->mem, text, &c->mark);
    }
    if (isfinite(*x) || c->odd_row >= 0) return RUNG_OK;
    c->odd_row = row;
    return pool_text(ctx, &t->mem, text, &c->odd);
}

static rung_status text_cells(rung_ctx *ctx, rung_table *t, const char *const *cells, column *c)
{
    dictionary distinct = {0};
    c->kind = COLUMN_TEXT;
    TRY(NEW_RAW(ctx, &t->mem, c->text, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) {
        size_t length = cells[i] ? strlen(cells[i]) : 0;
        c->text[i] = -1;
        if (length > 0 && !cell_missing(cells[i], length))
            TRY(dictionary_add(ctx, &t->mem, &distinct, cells[i], length, &c->text[i]));
    }
    dictionary_seal(&t->mem, &distinct);
    c->values = distinct.values;
    c->n_values = distinct.n;
    return RUNG_OK;
}

rung_status table_add_cells(rung_ctx *ctx, rung_table *t, const char *name, const char *const *cells)
{
    column *c;
    TRY(open_column(ctx, t, name, &c));
    if (all_numbers(t, cells)) {
        c->kind = COLUMN_NUMBER;
        TRY(NEW_RAW(ctx, &t->mem, c->number, t->n_rows));
        for (int64_t i = 0; i < t->n_rows; i++) TRY(number_cell(ctx, t, c, i, cells[i]));
    } else {
        TRY(text_cells(ctx, t, cells, c));
    }
    t->n_columns++;
    return RUNG_OK;
}
