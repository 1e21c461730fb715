// SPDX-License-Identifier: BSD-3-Clause
#include "input/read/filling.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/table/column_form.h"

enum { CHECKED = 4096 }; /* rows from one look at the memory limit to the next */

/* All names in one allocation: there may be many, and every block of a file has them. */
static rung_status copy_names(rung_ctx *ctx, const rung_table *shape, rung_table *t)
{
    int64_t total = 0;
    for (int64_t j = 0; j < t->n_columns; j++) total += (int64_t)strlen(shape->columns[j].name) + 1;
    char *room = NULL;
    TRY(NEW_RAW(ctx, &t->mem, room, total));
    for (int64_t j = 0; j < t->n_columns; j++) {
        t->columns[j].name = strcpy(room, shape->columns[j].name);
        room += strlen(room) + 1;
    }
    return RUNG_OK;
}

rung_status filling_open(rung_ctx *ctx, const buffer *from, const rung_table *shape, int64_t most, bool strict,
                         rung_table *t, filling *out)
{
    *out = (filling){.ctx = ctx, .from = from, .t = t, .most = most, .strict = strict};
    t->has_names = shape->has_names;
    t->sparse = shape->sparse;
    t->gaps = shape->gaps;
    t->decimal = shape->decimal;
    t->semicolons = shape->semicolons;
    t->given_decimal = shape->given_decimal;
    t->given_delimiter = shape->given_delimiter;
    t->n_columns = shape->n_columns;
    TRY(NEW(ctx, &t->mem, t->columns, t->n_columns));
    TRY(copy_names(ctx, shape, t));
    TRY(NEW(ctx, &ctx->scratch, out->words, t->n_columns));
    for (int64_t j = 0; j < t->n_columns; j++) {
        column *c = &t->columns[j];
        const column *as = &shape->columns[j];
        *c = (column){
            .name = c->name, .kind = as->kind, .odd_row = -1, .declared = as->declared, .unnamed = as->unnamed};
        c->level = as->level;
        c->native = as->native;
        c->declared_weights = as->declared_weights;
        if (as->title) TRY(pool_text(ctx, &t->mem, as->title, &c->title));
        TRY(named_values_copy(ctx, &t->mem, &as->values_named, &c->values_named));
        for (int32_t v = 0; as->declared && v < as->n_values; v++) {
            int32_t index;
            TRY(dictionary_add(ctx, &t->mem, &out->words[j], as->values[v], strlen(as->values[v]), &index));
        }
    }
    return RUNG_OK;
}

/* Room for more rows: as many as the file will have, judged by the rows so far, so that columns rarely move; where that
 * was too few, some more. Very many columns start small: there may be only one row. */
static rung_status grow(filling *f)
{
    rung_table *t = f->t;
    int64_t few = t->n_columns < 1 << 16 ? 64 : 4, size = source_size(f->from->from);
    bool judged = size > 0 && f->capacity > few;
    int64_t rows = few + (judged ? f->capacity + f->capacity / 8 : 2 * f->capacity);
    double read = f->before + (double)(f->from->before + f->from->at);
    if (size > 0 && read > 0 && t->n_rows > 0) {
        double guess = 1.02 * (double)t->n_rows * ((double)size + f->beyond) / read + 8;
        if (guess > (double)rows && guess < 1e15) rows = (int64_t)guess;
    }
    if (t->n_rows == 0 && f->expected > 0) rows = f->expected;
    if (rows > f->most) rows = f->most;
    TRY(memory_check(f->ctx,
                     (double)t->mem.bytes + (double)(rows - f->capacity) * (double)t->n_columns * sizeof(double),
                     "the table read"));
    for (int64_t j = 0; j < t->n_columns; j++) {
        column *c = &t->columns[j];
        if (c->kind == COLUMN_NUMBER) {
            TRY(RESIZE(f->ctx, &t->mem, c->number, rows));
            if (t->sparse) memset(c->number + f->capacity, 0, (size_t)(rows - f->capacity) * sizeof *c->number);
        } else if (!f->again) {
            TRY(RESIZE(f->ctx, &t->mem, c->text, rows));
        }
    }
    if (t->later_line) TRY(RESIZE(f->ctx, &t->mem, t->later_line, rows));
    f->capacity = rows;
    return RUNG_OK;
}

/* Ends where room is made or the limit looked at, so that both happen at the same rows however many come at once. */
rung_status filling_rows(filling *f, int64_t line, int64_t most, int64_t *n)
{
    rung_table *t = f->t;
    int64_t from = t->n_rows;
    if (from == f->capacity) TRY(grow(f));
    if (from % CHECKED == 0) /* texts take more with every new word */
        TRY(memory_check(f->ctx, (double)(t->mem.bytes + f->ctx->scratch.bytes), "the table read"));
    *n = CHECKED - from % CHECKED;
    if (*n > f->capacity - from) *n = f->capacity - from;
    if (*n > most) *n = most;
    if (from == 0) t->first_line = line;
    if (!t->later_line && line != t->first_line + from) {
        TRY(NEW_RAW(f->ctx, &t->mem, t->later_line, f->capacity));
        for (int64_t i = 0; i < from; i++) t->later_line[i] = t->first_line + i;
    }
    for (int64_t i = 0; t->later_line && i < *n; i++) t->later_line[from + i] = line + i;
    return RUNG_OK;
}

rung_status filling_row(filling *f, int64_t line)
{
    int64_t one;
    return filling_rows(f, line, 1, &one);
}

rung_status filling_error(rung_ctx *ctx, rung_status status, const char *path, const rung_table *t, int64_t line,
                          int64_t j)
{
    char label[COLUMN_LABEL];
    if (status != RUNG_EDATA) return status;
    return prefix_error(ctx, status, "%s, line %lld, column %s: ", path, (long long)line,
                        table_column_label(t, j, label));
}

/* The row being filled is not counted yet, but its line is noted. */
static int64_t line_of_row(const rung_table *t) { return table_line(t, t->n_rows); }

static rung_status put_odd(filling *f, column *c, const char *text, int64_t length)
{
    if (c->odd_row >= 0) return RUNG_OK;
    c->odd_row = f->t->n_rows;
    return pool_printf(f->ctx, &f->t->mem, &c->odd, "%.*s", (int)length, text);
}

static rung_status no_number(filling *f, int64_t j, const char *text, int64_t length)
{
    rung_table *t = f->t;
    column *c = &t->columns[j];
    c->number[t->n_rows] = NAN;
    if (cell_missing(text, (size_t)length)) return RUNG_OK;
    if (cell_says_missing(text, (size_t)length, true))
        return c->marks++ ? RUNG_OK : pool_printf(f->ctx, &t->mem, &c->mark, "%.*s", (int)length, text);
    char label[COLUMN_LABEL];
    if (f->strict)
        return set_error(f->ctx, RUNG_EDATA, "%s, line %lld, column %s: '%.*s' is not a number", f->from->path,
                         (long long)line_of_row(t), table_column_label(t, j, label), (int)(length < 80 ? length : 80),
                         text);
    if (f->place)
        log_at(f->ctx, RUNG_LOG_WARNING,
               "%s, line %lld, column %s: '%.*s' is not a number, so the column is read as text", f->from->path,
               (long long)line_of_row(t), table_column_label(t, j, label), (int)(length < 80 ? length : 80), text);
    c->kind = COLUMN_TEXT;
    f->again = true;
    return RUNG_OK;
}

static rung_status not_declared(filling *f, int64_t j, const char *text, int64_t length)
{
    const rung_table *t = f->t;
    char label[COLUMN_LABEL], list[TABLE_LIST] = "";
    for (int32_t v = 0; v < f->words[j].n; v++) table_list(list, ", ", f->words[j].values[v]);
    return set_error(f->ctx, RUNG_EDATA, "%s, line %lld, column %s: '%.*s' is not one of the declared values %s",
                     f->from->path, (long long)line_of_row(t), table_column_label(t, j, label),
                     (int)(length < 80 ? length : 80), text, list);
}

static rung_status put_text(filling *f, int64_t j, const char *text, int64_t length)
{
    rung_table *t = f->t;
    column *c = &t->columns[j];
    int32_t *index = &c->text[t->n_rows];
    bool missing = cell_missing(text, (size_t)length);
    *index = c->declared ? dictionary_find(&f->words[j], text, (size_t)length) : -1; /* NA or ? may be declared */
    if (*index >= 0 || (missing && (length == 0 || !f->as_written))) return RUNG_OK;
    if (c->declared && !missing) return not_declared(f, j, text, length);
    rung_status status = dictionary_add(f->ctx, &t->mem, &f->words[j], text, (size_t)length, index);
    return filling_error(f->ctx, status, f->from->path, t, line_of_row(t), j);
}

rung_status filling_cell(filling *f, int64_t j, const char *text, int64_t length)
{
    rung_table *t = f->t;
    if (f->place) j = f->place[j];
    column *c = &t->columns[j];
    double x;
    if (c->kind == COLUMN_TEXT) return f->again ? RUNG_OK : put_text(f, j, text, length);
    if (!text_number(text, (size_t)length, t->decimal, &x) && !(f->coded && cell_truth(text, (size_t)length, &x)))
        return no_number(f, j, text, length);
    c->number[t->n_rows] = x;
    if (!f->strict && form_is_code(text, (size_t)length))
        c->kind = COLUMN_TEXT, f->again = true; /* to keep its zeros */
    return isfinite(x) ? RUNG_OK : put_odd(f, c, text, length);
}

rung_status filling_number(filling *f, int64_t j, double x)
{
    char text[32];
    column *c = &f->t->columns[f->place ? f->place[j] : j];
    if (c->kind == COLUMN_TEXT) return filling_cell(f, j, text, isnan(x) ? 0 : text_format(x, text));
    c->number[f->t->n_rows] = x;
    return RUNG_OK;
}

void filling_close(filling *f)
{
    for (int64_t j = 0; j < f->t->n_columns; j++) {
        f->t->columns[j].n_values = f->words[j].n;
        f->t->columns[j].values = f->words[j].values;
        dictionary_seal(&f->t->mem, &f->words[j]);
    }
}
