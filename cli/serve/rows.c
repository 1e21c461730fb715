// SPDX-License-Identifier: BSD-3-Clause
#include "serve/rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"

static bool is_cell(const json_t *value)
{
    return json_is_string(value) || json_is_number(value) || json_is_boolean(value) || json_is_null(value);
}

static const char *input_name(const rung_model *model, int64_t j)
{
    return rung_model_column(model, rung_model_input(model, j), NULL);
}

static bool is_column(const rung_model *model, const char *name)
{
    for (int64_t j = 0; j < rung_model_inputs(model); j++)
        if (!strcmp(input_name(model, j), name)) return true;
    return false;
}

/* It may be there under a name that is written otherwise. */
static char *absent_column(const rung_model *model, size_t i, const json_t *row, const char *name)
{
    const char *key, **others = allocate(json_object_size(row) + 1, sizeof *others);
    json_t *value;
    size_t n = 0;
    json_object_foreach((json_t *)(uintptr_t)row, key, value) if (!is_column(model, key)) others[n++] = key;
    const char *near = nearest_name(name, others);
    char *text = near ? text_of("row %zu has no column '%.80s'; is '%.80s' meant?", i + 1, name, near)
                      : text_of("row %zu has no column '%.80s'; write null for a missing value", i + 1, name);
    free(others);
    return text;
}

static char *check_object(const rung_model *model, size_t i, const json_t *row)
{
    if (!*input_name(model, 0))
        return text_of("row %zu is an object, but the columns of the model have no names: give a list of %lld values",
                       i + 1, (long long)rung_model_inputs(model));
    for (int64_t j = 0; j < rung_model_inputs(model); j++) {
        const char *name = input_name(model, j);
        const json_t *value = json_object_get(row, name);
        if (!value) return absent_column(model, i, row, name);
        if (!is_cell(value)) return text_of("row %zu, column '%.80s': expected a number, a text or null", i + 1, name);
    }
    return NULL;
}

static char *check_list(const rung_model *model, size_t i, const json_t *row)
{
    size_t j;
    json_t *value;
    if ((int64_t)json_array_size(row) != rung_model_inputs(model))
        return text_of("row %zu has %zu values, but the model has %lld columns", i + 1, json_array_size(row),
                       (long long)rung_model_inputs(model));
    json_array_foreach(row, j, value) if (!is_cell(value)) return text_of(
        "row %zu, column %zu: expected a number, a text or null", i + 1, j + 1);
    return NULL;
}

static const json_t *cell_at(const json_t *row, const char *name, int64_t j)
{
    return json_is_object(row) ? json_object_get(row, name) : json_array_get(row, (size_t)j);
}

/* NULL: there is none. */
static char *text_of_cell(const json_t *cell)
{
    if (!cell || json_is_null(cell)) return NULL;
    if (json_is_string(cell)) return text_of("%s", json_string_value(cell));
    if (json_is_boolean(cell)) return text_of("%s", json_is_true(cell) ? "true" : "false");
    return text_of("%s", number_of(json_number_value(cell)).text);
}

/* A number is what it is, but a text is read as the model's file wrote its numbers, where 2.125 may be 2125: so a
 * column of such numbers has the ones or the others. Categories are words either way. */
static char *check_mixture(const rung_model *model, const json_t *rows, int64_t j)
{
    int written = 0;
    const char *name = rung_model_column(model, rung_model_input(model, j), &written);
    size_t i, text = 0, number = 0; /* the first row with one, from 1 */
    json_t *row;
    if (!written || rung_model_category(model, rung_model_input(model, j), 0)) return NULL;
    json_array_foreach(rows, i, row)
    {
        const json_t *cell = cell_at(row, name, j);
        if (json_is_string(cell) && !text) text = i + 1;
        if (json_is_number(cell) && !number) number = i + 1;
    }
    if (!text || !number) return NULL;
    return text_of("column '%.80s' is a number in row %zu and a text in row %zu; write it in one way in all rows", name,
                   number, text);
}

/* The cells of a column as a file would have them. */
static rung_status add_column(rung_ctx *ctx, const json_t *rows, const char *name, int64_t j, rung_table *table)
{
    size_t n = json_array_size(rows);
    char **text = allocate(n, sizeof *text);
    for (size_t i = 0; i < n; i++) text[i] = text_of_cell(cell_at(json_array_get(rows, i), name, j));
    rung_status status = rung_table_add_cells(ctx, table, name, (const char *const *)text);
    for (size_t i = 0; i < n; i++) free(text[i]);
    free(text);
    return status;
}

char *rows_table(rung_ctx *ctx, const rung_model *model, const json_t *rows, rung_table **out)
{
    size_t i;
    json_t *row;
    *out = NULL;
    json_array_foreach(rows, i, row)
    {
        char *wrong = json_is_object(row) ? check_object(model, i, row)
                      : json_is_array(row)
                          ? check_list(model, i, row)
                          : text_of("row %zu is neither an object of columns nor a list of values", i + 1);
        if (wrong) return wrong;
    }
    for (int64_t j = 0; j < rung_model_inputs(model); j++) {
        char *wrong = check_mixture(model, rows, j);
        if (wrong) return wrong;
    }
    rung_status status = rung_table_new(ctx, (int64_t)json_array_size(rows), out);
    for (int64_t j = 0; status == RUNG_OK && j < rung_model_inputs(model); j++)
        status = add_column(ctx, rows, input_name(model, j), j, *out);
    if (status == RUNG_OK) return NULL;
    char *wrong = text_of("%s", rung_ctx_message(ctx));
    rung_table_free(*out);
    *out = NULL;
    return wrong;
}
