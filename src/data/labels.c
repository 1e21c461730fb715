// SPDX-License-Identifier: BSD-3-Clause
#include "data/labels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "data/dictionary.h"
#include "data/order.h"

static void join(int n, const char *const *texts, const char *separator, char list[TABLE_LIST])
{
    list[0] = 0;
    for (int i = 0; i < n; i++) table_list(list, separator, texts[i]);
}

static bool unlabelled(const char *text) { return cell_missing(text, strlen(text)) || text_equal(text, "nan"); }

/* A class name as a number; NaN if it is none. */
static double value_of(const char *name)
{
    double x;
    return text_number(name, strlen(name), '.', &x) && isfinite(x) ? x : NAN;
}

rung_status labels_check_order(rung_ctx *ctx, int n, const char *const *names)
{
    double *values = NULL;
    dictionary distinct = {0};
    TRY(NEW_RAW(ctx, &ctx->scratch, values, n));
    for (int k = 0; k < n; k++) {
        int32_t index;
        TRY(dictionary_add(ctx, &ctx->scratch, &distinct, names[k], strlen(names[k]), &index));
        if (index < k) return set_error(ctx, RUNG_EARG, "the order names class '%.80s' twice", names[k]);
        if (unlabelled(names[k]))
            return set_error(ctx, RUNG_EARG, "the order names class '%.80s', but such a cell means unlabelled",
                             names[k]);
        values[k] = value_of(names[k]);
        for (int j = 0; j < k; j++)
            if (values[j] == values[k])
                return set_error(ctx, RUNG_EARG, "the order names '%.80s' and '%.80s', which are the same number",
                                 names[j], names[k]);
    }
    return RUNG_OK;
}

static rung_status infinite_label(rung_ctx *ctx, const rung_table *t, int64_t j, int64_t row)
{
    char label[COLUMN_LABEL];
    return set_error(
        ctx, RUNG_EDATA,
        "%s, line %lld, column %s: an infinite number is not a label; leave the cell empty for an unlabelled row",
        table_path(t, row), (long long)table_line(t, row), table_column_label(t, j, label));
}

static rung_status classes_of_numbers(rung_ctx *ctx, pool *mem, const rung_table *t, int n_columns,
                                      const int64_t *columns, int *n_classes, const char ***classes)
{
    double *values = NULL;
    int64_t n = 0, distinct = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, n_columns * t->n_rows));
    for (int c = 0; c < n_columns; c++)
        for (int64_t i = 0; i < t->n_rows; i++) {
            double x = t->columns[columns[c]].number[i];
            if (isinf(x)) return infinite_label(ctx, t, columns[c], i);
            if (!isnan(x)) values[n++] = x;
        }
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || values[i] != values[i - 1]) values[distinct++] = values[i];
    if (distinct > MOST_NUMERIC_CLASSES) {
        char label[COLUMN_LABEL];
        return hint(ctx,
                    set_error(ctx, RUNG_EDATA,
                              "%s, column %s: %lld distinct numbers are too many for classes (at most %d): predict "
                              "real numbers, or cut them into classes",
                              t->path, table_column_label(t, columns[0], label), (long long)distinct,
                              MOST_NUMERIC_CLASSES),
                    "option real\noption bins");
    }
    TRY(NEW(ctx, mem, *classes, distinct));
    for (int64_t k = 0; k < distinct; k++) {
        char text[32];
        text_format(values[k] + 0.0, text); /* -0 is called 0 */
        TRY(pool_text(ctx, mem, text, &(*classes)[k]));
    }
    *n_classes = (int)distinct;
    return RUNG_OK;
}

/* The error for text labels without an order, with a suggested order. */
static rung_status order_needed(rung_ctx *ctx, const rung_table *t, int n_columns, const int64_t *columns)
{
    char list[TABLE_LIST] = "", column_name[COLUMN_LABEL];
    dictionary seen = {0};
    int64_t text = columns[0];
    for (int c = n_columns - 1; c >= 0; c--)
        if (t->columns[columns[c]].kind == COLUMN_TEXT) text = columns[c];
    for (int c = 0; c < n_columns; c++) {
        const column *one = &t->columns[columns[c]];
        for (int32_t v = 0; v < one->n_values; v++) {
            int32_t index;
            if (unlabelled(one->values[v])) continue;
            TRY(dictionary_add(ctx, &ctx->scratch, &seen, one->values[v], strlen(one->values[v]), &index));
        }
    }
    const char **names = NULL, *order = NULL;
    TRY(NEW(ctx, &ctx->scratch, names, seen.n));
    for (int32_t v = 0; v < seen.n; v++) table_list(list, ", ", names[v] = seen.values[v]);
    bool guessed = order_guess(seen.n, names);
    TRY(order_text(ctx, seen.n, names, &order));
    bool usable = strlen(order) < TABLE_LIST && !strchr(order, '\n');
    rung_status status = set_error(
        ctx, RUNG_EDATA, "%s, column %s: the labels are text (%s); give their order, lowest first%s", t->path,
        table_column_label(t, text, column_name), list, usable && !guessed ? ", by rearranging that of the file" : "");
    return usable ? hint(ctx, status, "option order=%s", order) : hint(ctx, status, "option order");
}

static rung_status declared_classes(rung_ctx *ctx, pool *mem, const column *c, int *n_classes, const char ***classes)
{
    TRY(NEW(ctx, mem, *classes, c->n_values));
    for (int32_t v = 0; v < c->n_values; v++) TRY(pool_text(ctx, mem, c->values[v], &(*classes)[v]));
    *n_classes = c->n_values;
    return RUNG_OK;
}

rung_status labels_classes(rung_ctx *ctx, pool *mem, const rung_table *t, int n_columns, const int64_t *columns,
                           const char *order, int *n_classes, const char ***classes)
{
    *n_classes = 0;
    *classes = NULL;
    if (order) {
        TRY(order_parse(ctx, mem, order, n_classes, classes));
        return labels_check_order(ctx, *n_classes, *classes);
    }
    if (n_columns == 1 && t->columns[*columns].declared)
        return declared_classes(ctx, mem, &t->columns[*columns], n_classes, classes);
    for (int c = 0; c < n_columns; c++)
        if (t->columns[columns[c]].kind == COLUMN_TEXT) return order_needed(ctx, t, n_columns, columns);
    return classes_of_numbers(ctx, mem, t, n_columns, columns, n_classes, classes);
}

static rung_status unknown_label(rung_ctx *ctx, const rung_table *t, int64_t j, int64_t row, const char *text,
                                 int n_classes, const char *const *classes)
{
    char list[TABLE_LIST], label[COLUMN_LABEL];
    join(n_classes, classes, "<", list);
    return set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: label '%.80s' is not one of the classes %s",
                     table_path(t, row), (long long)table_line(t, row), table_column_label(t, j, label), text, list);
}

static int rank_of_number(double x, int n_classes, const double *values)
{
    for (int k = 0; k < n_classes; k++)
        if (values[k] == x) return k + 1;
    return 0;
}

static int rank_of_text(const char *text, char decimal, int n_classes, const char *const *classes, const double *values)
{
    for (int k = 0; k < n_classes; k++)
        if (strcmp(classes[k], text) == 0) return k + 1;
    double x;
    return text_number(text, strlen(text), decimal, &x) ? rank_of_number(x, n_classes, values) : 0;
}

rung_status labels_ranks(rung_ctx *ctx, const rung_table *t, int64_t column_index, int n_classes,
                         const char *const *classes, int *rank)
{
    const column *c = &t->columns[column_index];
    double *values = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, n_classes));
    for (int k = 0; k < n_classes; k++) values[k] = value_of(classes[k]);

    if (c->kind == COLUMN_NUMBER) {
        for (int64_t i = 0; i < t->n_rows; i++) {
            double x = c->number[i];
            if (isinf(x)) return infinite_label(ctx, t, column_index, i);
            rank[i] = isnan(x) ? 0 : rank_of_number(x, n_classes, values);
            if (rank[i] > 0 || isnan(x)) continue;
            char text[32];
            text_format(x, text);
            return unknown_label(ctx, t, column_index, i, text, n_classes, classes);
        }
        return RUNG_OK;
    }
    int *rank_of = NULL; /* -1: no class */
    TRY(NEW_RAW(ctx, &ctx->scratch, rank_of, c->n_values));
    for (int32_t v = 0; v < c->n_values; v++) {
        int found = rank_of_text(c->values[v], t->decimal, n_classes, classes, values);
        rank_of[v] = found ? found : unlabelled(c->values[v]) ? 0 : -1;
    }
    for (int64_t i = 0; i < t->n_rows; i++) {
        int32_t v = c->text[i];
        rank[i] = v < 0 ? 0 : rank_of[v];
        if (rank[i] < 0) return unknown_label(ctx, t, column_index, i, c->values[v], n_classes, classes);
    }
    return RUNG_OK;
}

static rung_status no_target(rung_ctx *ctx, const rung_table *t, int64_t j, int64_t row, const char *text)
{
    char label[COLUMN_LABEL];
    return set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: label '%.80s' is not a number", table_path(t, row),
                     (long long)table_line(t, row), table_column_label(t, j, label), text);
}

rung_status labels_targets(rung_ctx *ctx, const rung_table *t, int64_t column_index, double *target)
{
    const column *c = &t->columns[column_index];
    double *value = NULL;
    bool *number = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, value, c->n_values));
    TRY(NEW_RAW(ctx, &ctx->scratch, number, c->n_values));
    for (int32_t v = 0; v < c->n_values; v++)
        number[v] = text_number(c->values[v], strlen(c->values[v]), t->decimal, &value[v]);
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (c->kind == COLUMN_NUMBER)
            target[i] = c->number[i];
        else if (c->text[i] < 0)
            target[i] = NAN;
        else if (number[c->text[i]])
            target[i] = value[c->text[i]];
        else
            return no_target(ctx, t, column_index, i, c->values[c->text[i]]);
        if (isinf(target[i])) return infinite_label(ctx, t, column_index, i);
    }
    return RUNG_OK;
}
