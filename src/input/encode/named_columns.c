// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/named_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "input/encode/order.h"

/* ---- what a column is taken for ---- */

/* The numbers that occur, each once, ascending; in scratch memory. */
static rung_status numbers_there(rung_ctx *ctx, const rung_table *t, const column *c, int64_t *n, double **out)
{
    int64_t cells = 0;
    *n = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, t->n_rows));
    double *x = *out;
    for (int64_t i = 0; i < t->n_rows; i++)
        if (!isnan(c->number[i])) x[cells++] = c->number[i];
    qsort(x, (size_t)cells, sizeof *x, compare_numbers);
    for (int64_t i = 0; i < cells; i++)
        if (*n == 0 || x[i] != x[*n - 1]) x[(*n)++] = x[i];
    return RUNG_OK;
}

/* Whether the names are the steps of a scale in the order of their numbers, or against it. */
static rung_status names_are_steps(rung_ctx *ctx, const named_values *v, bool *out)
{
    const char **sorted = NULL;
    bool up = true, down = true;
    *out = false;
    TRY(NEW_RAW(ctx, &ctx->scratch, sorted, v->n));
    for (int32_t k = 0; k < v->n; k++) sorted[k] = v->name[k];
    if (v->n < 3 || !order_guess(v->n, sorted)) return RUNG_OK;
    for (int32_t k = 0; k < v->n; k++) {
        up = up && strcmp(sorted[k], v->name[k]) == 0;
        down = down && strcmp(sorted[v->n - 1 - k], v->name[k]) == 0;
    }
    *out = up || down;
    return RUNG_OK;
}

static void tell_categories(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], detail[OPTION_DETAIL], list[TABLE_LIST] = "";
    for (int32_t k = 0; k < c->values_named.n; k++) table_list(list, ", ", c->values_named.name[k]);
    log_hint(ctx, RUNG_LOG_WARNING, option_detail(t, j, "numeric", detail),
             "%s: all numbers of column %s have names (%s), so it is taken as categories; declare it numeric to take "
             "the numbers",
             t->path, table_column_label(t, j, label), list);
}

rung_status named_feature(rung_ctx *ctx, const rung_table *t, int64_t j, const column_option *said, named_as *out)
{
    const column *c = &t->columns[j];
    double *x;
    int64_t n;
    bool all = true, steps;
    *out = NAMED_AS_NUMBERS;
    if (c->kind != COLUMN_NUMBER || c->values_named.n == 0) return *out = NAMED_AS_STANDS, RUNG_OK;
    if (said->kind == OPTION_NOMINAL || said->kind == OPTION_ORDINAL) return *out = NAMED_AS_TEXT, RUNG_OK;
    if (said->kind != OPTION_NONE || c->level == LEVEL_SCALE) return RUNG_OK;
    if (c->level == LEVEL_NOMINAL) return *out = NAMED_AS_CATEGORIES, RUNG_OK;
    TRY(numbers_there(ctx, t, c, &n, &x));
    for (int64_t k = 0; k < n; k++) all = all && named_values_find(&c->values_named, x[k]) >= 0;
    if (!all || n == 0) return RUNG_OK; /* only the ends of a scale have names, or codes beside numbers */
    TRY(names_are_steps(ctx, &c->values_named, &steps));
    *out = c->level == LEVEL_ORDINAL || steps ? NAMED_AS_WORDS : NAMED_AS_CATEGORIES;
    if (*out == NAMED_AS_CATEGORIES && n > 2) tell_categories(ctx, t, j);
    return RUNG_OK;
}

named_as named_known(const column *c, int64_t n, const char *const *names)
{
    for (int64_t k = 0; k < n; k++)
        if (named_values_called(&c->values_named, names[k]) >= 0) return NAMED_AS_TEXT;
    return NAMED_AS_NUMBERS;
}

/* ---- the columns ---- */

/* The values of a column as text: names, and numbers that have none, in the order of the numbers. *place: of x[k]. */
static rung_status list_values(rung_ctx *ctx, const named_values *v, int64_t n, const double *x, bool all, column *to,
                               int32_t **place)
{
    int64_t k = 0;
    int32_t m = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, *place, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, to->values, n + v->n));
    while (k < n || (all && m < v->n)) {
        bool name = m < v->n && (k == n || v->code[m] <= x[k]);
        char number[32];
        if (name && (k == n || v->code[m] != x[k])) { /* it does not occur */
            if (all) to->values[to->n_values++] = v->name[m];
            m++;
            continue;
        }
        (*place)[k] = to->n_values;
        if (name) {
            to->values[to->n_values++] = v->name[m++];
        } else {
            text_format(x[k], number);
            TRY(pool_text(ctx, &ctx->scratch, number, &to->values[to->n_values++]));
        }
        k++;
    }
    return RUNG_OK;
}

static rung_status take_names(rung_ctx *ctx, const rung_table *t, named_as as, column *c)
{
    double *x;
    int64_t n;
    int32_t *place;
    column to = *c;
    TRY(numbers_there(ctx, t, c, &n, &x));
    if (n - c->values_named.n > RUNG_MOST_NUMERIC_CLASSES) return RUNG_OK; /* numbers; some have names */
    to.kind = COLUMN_TEXT;
    to.number = NULL;
    to.declared = as != NAMED_AS_TEXT;
    to.ordered = as == NAMED_AS_WORDS;
    TRY(list_values(ctx, &c->values_named, n, x, as == NAMED_AS_CLASSES || as == NAMED_AS_WORDS, &to, &place));
    TRY(NEW_RAW(ctx, &ctx->scratch, to.text, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) {
        const double *found =
            isnan(c->number[i]) ? NULL : bsearch(&c->number[i], x, (size_t)n, sizeof *x, compare_numbers);
        to.text[i] = found ? place[found - x] : -1;
    }
    *c = to;
    return RUNG_OK;
}

/* A text that is neither a name nor a number leaves the column as it is: whoever reads it says so. */
static rung_status take_numbers(rung_ctx *ctx, const rung_table *t, column *c)
{
    double *value = NULL;
    column to = *c;
    TRY(NEW_RAW(ctx, &ctx->scratch, value, c->n_values));
    for (int32_t k = 0; k < c->n_values; k++) {
        int32_t named = named_values_called(&c->values_named, c->values[k]);
        if (named >= 0)
            value[k] = c->values_named.code[named];
        else if (!text_number(c->values[k], strlen(c->values[k]), '.', &value[k]))
            return RUNG_OK;
    }
    to.kind = COLUMN_NUMBER;
    TRY(NEW_RAW(ctx, &ctx->scratch, to.number, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) to.number[i] = c->text[i] < 0 ? NAN : value[c->text[i]];
    *c = to;
    return RUNG_OK;
}

rung_status named_columns(rung_ctx *ctx, const rung_table *t, const named_as *as, const rung_table **out)
{
    rung_table *view = NULL;
    *out = t;
    for (int64_t j = 0; j < t->n_columns; j++) {
        const column *c = &t->columns[j];
        bool names = as[j] > NAMED_AS_NUMBERS;
        if (as[j] == NAMED_AS_STANDS || c->values_named.n == 0 || names != (c->kind == COLUMN_NUMBER)) continue;
        if (!view) {
            TRY(NEW_RAW(ctx, &ctx->scratch, view, 1));
            *view = *t;
            TRY(NEW_RAW(ctx, &ctx->scratch, view->columns, t->n_columns));
            memcpy(view->columns, t->columns, (size_t)t->n_columns * sizeof *t->columns);
            *out = view;
        }
        TRY(names ? take_names(ctx, t, as[j], &view->columns[j]) : take_numbers(ctx, t, &view->columns[j]));
    }
    return RUNG_OK;
}

rung_status named_columns_for(rung_ctx *ctx, const rung_table *t, const coding *code, const int64_t *from,
                              int64_t label, const rung_table **out)
{
    named_as *as = NULL;
    TRY(NEW(ctx, &ctx->scratch, as, t->n_columns));
    for (int64_t k = 0; k < code->n_columns; k++) {
        const column_code *c = &code->columns[k];
        if (from[k] < 0) continue;
        as[from[k]] = named_known(&t->columns[from[k]], c->n_categories, (const char *const *)c->categories);
    }
    if (label >= 0)
        as[label] = code->real || code->edges
                        ? NAMED_AS_NUMBERS
                        : named_known(&t->columns[label], code->n_classes, (const char *const *)code->classes);
    return named_columns(ctx, t, as, out);
}
