// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/features.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/encode/cells.h"
#include "input/table/measure.h"

rung_status cell_not_finite(rung_ctx *ctx, const char *path, int64_t line, const rung_table *t, int64_t j,
                            const char *text)
{
    char label[COLUMN_LABEL];
    return set_error(
        ctx, RUNG_EDATA,
        "%s, line %lld, column %s: '%.80s' is not a finite number; leave the cell empty for a missing value", path,
        (long long)line, table_column_label(t, j, label), text);
}

static rung_status no_number(rung_ctx *ctx, const rung_table *t, int64_t row, int64_t j, const column_code *code,
                             const char *text)
{
    static const char *const expected[] = {"a number", "a number", "a number", "one of the ordered words of the column",
                                           "a date",   "a date",   "a time",   "the name of a group"};
    char label[COLUMN_LABEL], with[UNIT + 16];
    double x;
    snprintf(with, sizeof with, "a number in '%s'", code->unit ? code->unit : "");
    rung_status status = set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: '%.80s' is not %s", table_path(t, row),
                                   (long long)table_line(t, row), table_column_label(t, j, label), text,
                                   code->unit && *code->unit ? with : expected[code->form]);
    bool comma = column_is_plain(code) && form_number(text, FORM_COMMA, &x);
    return comma ? hint(ctx, status, "option decimal=,") : status;
}

/* A number as a cell of a file has it: 20241010, not 2.024101e+07, where it is a date. */
static const char *number_text(double x, bool date, char text[32])
{
    if (date && fabs(x) < 1e9 && x == floor(x))
        snprintf(text, 32, "%.0f", x);
    else
        text_format(x, text);
    return text;
}

rung_status column_numbers(rung_ctx *ctx, const rung_table *t, int64_t j, const column_code *code, const double **out)
{
    const column *c = &t->columns[j];
    bool dates = code->form == FORM_DAYS || code->form == FORM_CYCLIC;
    double *x = NULL;
    category_index *words = NULL;
    bool unit = code->unit && *code->unit; /* which a number alone lacks */
    bool listed = code->form == FORM_ORDINAL || code->form == FORM_LEVEL;
    if (c->kind == COLUMN_NUMBER && !listed && !dates && !unit) {
        *out = c->number;
        return RUNG_OK;
    }
    if (listed) TRY(category_index_new(ctx, code, &words));
    TRY(NEW_RAW(ctx, &ctx->scratch, x, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) {
        char number[32];
        const char *text = NULL;
        char decimal = c->kind == COLUMN_NUMBER ? '.' : t->decimal;
        if (c->kind == COLUMN_TEXT && c->text[i] >= 0) text = c->values[c->text[i]];
        if (c->kind == COLUMN_NUMBER && !isnan(c->number[i])) text = number_text(c->number[i], dates, number);
        x[i] = NAN;
        if (text && cell_number(code, words, text, decimal, &x[i]) == CELL_OTHER)
            return no_number(ctx, t, i, j, code, text);
    }
    *out = x;
    return RUNG_OK;
}

typedef struct { /* cells whose category the coding does not know */
    int64_t count, row, column;
} unseen;

static void note_unseen(unseen *u, int64_t row, int64_t j)
{
    if (u->count++ == 0) u->row = row, u->column = j;
}

static rung_status code_nominal(rung_ctx *ctx, const rung_table *t, int64_t j, const column_code *code, int64_t d,
                                double *X, unseen *u)
{
    const column *c = &t->columns[j];
    category_index *index;
    int64_t *category = NULL;
    TRY(category_index_new(ctx, code, &index));
    TRY(NEW_RAW(ctx, &ctx->scratch, category, c->n_values));
    for (int32_t v = 0; v < c->n_values; v++) category[v] = category_of_text(index, c->values[v], t->decimal);
    for (int64_t i = 0; i < t->n_rows; i++) {
        int64_t k = c->kind == COLUMN_NUMBER ? category_of_number(index, c->number[i])
                    : c->text[i] < 0         ? category_of_number(index, NAN)
                                             : category[c->text[i]];
        if (k >= 0)
            X[i * d + code->first + k] = 1;
        else
            note_unseen(u, i, j);
    }
    return RUNG_OK;
}

/* A column that no row has: its category of missing cells, if training had any, or a missing number. */
static void code_absent(const column_code *code, int64_t n, int64_t d, double *X)
{
    int64_t k = 0;
    while (code->nominal && k < code->n_categories && *code->categories[k]) k++;
    for (int64_t i = 0; i < n; i++)
        if (!code->nominal)
            form_columns_of(code->form, NAN, X + i * d + code->first);
        else if (k < code->n_categories)
            X[i * d + code->first + k] = 1;
}

static void warn_unseen(rung_ctx *ctx, const rung_table *t, const unseen *u)
{
    const column *c = &t->columns[u->column];
    char label[COLUMN_LABEL], number[32];
    const char *text = "";
    if (c->kind == COLUMN_TEXT && c->text[u->row] >= 0) text = c->values[c->text[u->row]];
    if (c->kind == COLUMN_NUMBER && !isnan(c->number[u->row])) text_format(c->number[u->row], number), text = number;
    log_at(ctx, RUNG_LOG_WARNING,
           "%s: %lld cell%s a category not seen in training and %s coded as zeros; the first is '%.80s' in line "
           "%lld, column %s",
           table_path(t, u->row), (long long)u->count, u->count == 1 ? " holds" : "s hold",
           u->count == 1 ? "is" : "are", text, (long long)table_line(t, u->row),
           table_column_label(t, u->column, label));
}

rung_status features_code(rung_ctx *ctx, const rung_table *t, const coding *code, const int64_t *from, double *X)
{
    unseen u = {0};
    int64_t numeric = 0;
    struct {
        const column_code *code;
        const double *x;
    } *plain = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, plain, code->n_columns));
    for (int64_t j = 0; j < code->n_columns; j++) {
        TRY(interrupted(ctx));
        if (from[j] < 0 && t->gaps) code_absent(&code->columns[j], t->n_rows, code->d, X);
        if (from[j] < 0) continue;
        const column *c = &t->columns[from[j]];
        if (code->columns[j].nominal) {
            TRY(code_nominal(ctx, t, from[j], &code->columns[j], code->d, X, &u));
            continue;
        }
        if (c->kind == COLUMN_NUMBER && c->odd_row >= 0)
            return cell_not_finite(ctx, table_path(t, c->odd_row), table_line(t, c->odd_row), t, from[j], c->odd);
        TRY(column_numbers(ctx, t, from[j], &code->columns[j], &plain[numeric].x));
        plain[numeric++].code = &code->columns[j];
    }
    for (int64_t i = 0; i < t->n_rows; i++)
        for (int64_t k = 0; k < numeric; k++) {
            const column_code *c = plain[k].code;
            form_columns_of(c->form, plain[k].x[i], X + i * code->d + c->first);
        }
    if (u.count > 0) warn_unseen(ctx, t, &u);
    return RUNG_OK;
}
