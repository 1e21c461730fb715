// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/labels.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "input/encode/order.h"
#include "input/table/dictionary.h"
#include "input/table/interval_cell.h"

static void join(int n, const char *const *texts, const char *separator, char list[TABLE_LIST])
{
    list[0] = 0;
    for (int i = 0; i < n; i++) table_list(list, separator, texts[i]);
}

static bool unlabelled(const char *text) { return cell_missing(text, strlen(text)) || text_equal(text, "nan"); }

/* The same for a cell that is no class: words for a missing value, among numbers more of them. */
static bool no_label(const char *text, bool among_numbers)
{
    return unlabelled(text) || cell_says_missing(text, strlen(text), among_numbers);
}

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

static bool finite_number(cell_end text, char decimal, double *x)
{
    return text_number(text.text, text.length, decimal, x) && isfinite(*x);
}

static cell_end whole(const char *text) { return (cell_end){text, strlen(text)}; }

/* Adds the numbers at the ends of an interval. False: an end is no number; one that is not there is found later. */
static bool number_ends(const char *text, char decimal, int64_t *n, double *values)
{
    cell_ends e;
    bool numbers = cell_is_interval(text) && cell_ends_at(text, 0, &e);
    for (int k = 0; k < 2 && numbers; k++) {
        cell_end end = k ? e.high : e.low;
        if (!end.length) continue;
        numbers = finite_number(end, decimal, &values[*n]);
        *n += numbers;
    }
    return numbers;
}

/* A column of text that holds nothing but numbers and intervals of them: its numbers, in scratch memory. *n < 0: it is
 * another one. */
static rung_status numbers_in_text(rung_ctx *ctx, const rung_table *t, const column *c, int64_t *n, double **values)
{
    bool numbers = true;
    *n = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, *values, 2 * (int64_t)c->n_values));
    for (int32_t v = 0; v < c->n_values && numbers; v++) {
        if (no_label(c->values[v], true)) continue;
        if (finite_number(whole(c->values[v]), t->decimal, &(*values)[*n]))
            ++*n;
        else
            numbers = number_ends(c->values[v], t->decimal, n, *values);
    }
    if (!numbers || *n == 0) *n = -1;
    return RUNG_OK;
}

/* The numbers of a column; *n < 0: it holds text. */
static rung_status numbers_of(rung_ctx *ctx, const rung_table *t, int64_t j, int64_t *n, double **values)
{
    const column *c = &t->columns[j];
    if (c->kind == COLUMN_TEXT) return numbers_in_text(ctx, t, c, n, values);
    *n = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, *values, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) {
        double x = c->number[i];
        if (isinf(x)) return infinite_label(ctx, t, j, i);
        if (!isnan(x)) (*values)[(*n)++] = x;
    }
    return RUNG_OK;
}

rung_status labels_are_numbers(rung_ctx *ctx, const rung_table *t, int64_t column_index, bool *out)
{
    int64_t n;
    double *values;
    TRY(numbers_of(ctx, t, column_index, &n, &values));
    *out = n >= 0;
    return RUNG_OK;
}

/* *n_classes < 0: a column holds text. */
static rung_status classes_of_numbers(rung_ctx *ctx, pool *mem, const rung_table *t, int n_columns,
                                      const int64_t *columns, int *n_classes, const char ***classes)
{
    double *values = NULL, *some;
    int64_t n = 0, distinct = 0, count;
    *n_classes = -1;
    for (int c = 0; c < n_columns; c++) {
        TRY(numbers_of(ctx, t, columns[c], &count, &some));
        if (count < 0) return RUNG_OK;
        TRY(RESIZE(ctx, &ctx->scratch, values, n + count));
        for (int64_t i = 0; i < count; i++) values[n++] = some[i];
    }
    if (n > 0) qsort(values, (size_t)n, sizeof *values, compare_numbers);
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

/* Adds a class, unless it is there or empty. */
static rung_status add_class(rung_ctx *ctx, cell_end name, dictionary *seen)
{
    int32_t index;
    return name.length ? dictionary_add(ctx, &ctx->scratch, seen, name.text, name.length, &index) : RUNG_OK;
}

static bool is_class(const dictionary *seen, cell_end name)
{
    return name.length && dictionary_find(seen, name.text, name.length) >= 0;
}

/* Adds the classes at the ends of an interval, read in the first way in which an end occurs. A cell that looks like one
 * but has no end that occurs (<=50K) is a class itself. */
static rung_status add_ends(rung_ctx *ctx, const char *text, dictionary *seen)
{
    cell_ends e;
    for (int way = 0; cell_ends_at(text, way, &e); way++) {
        if (!is_class(seen, e.low) && !is_class(seen, e.high)) continue;
        TRY(add_class(ctx, e.low, seen));
        return add_class(ctx, e.high, seen);
    }
    return add_class(ctx, whole(text), seen);
}

/* The error for a label that is no number where nearly all others are; none if there are more such labels. */
static rung_status check_odd_label(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    const int64_t most = 20; /* at most one in this many */
    const column *c = &t->columns[j];
    int64_t odd = -1, numbers = 0, labels = 0;
    char column_name[COLUMN_LABEL];
    double x;
    for (int64_t i = 0; i < t->n_rows && c->kind == COLUMN_TEXT; i++) {
        const char *text = c->text[i] >= 0 ? c->values[c->text[i]] : NULL;
        if (!text || no_label(text, false) || cell_is_interval(text)) continue;
        bool is = text_number(text, strlen(text), t->decimal, &x);
        numbers += is;
        labels++;
        if (!is && odd < 0) odd = i;
    }
    if (odd < 0 || (labels - numbers) * most > labels) return RUNG_OK;
    return hint(ctx,
                set_error(ctx, RUNG_EDATA,
                          "%s, line %lld, column %s: label '%.40s' is no number, but %lld of the %lld labels are; "
                          "correct it, or give the order of all labels, lowest first",
                          table_path(t, odd), (long long)table_line(t, odd), table_column_label(t, j, column_name),
                          c->values[c->text[odd]], (long long)numbers, (long long)labels),
                "option order");
}

rung_status labels_named(rung_ctx *ctx, const rung_table *t, int n_columns, const int64_t *columns, int *n,
                         const char ***names)
{
    dictionary seen = {0};
    for (int c = 0; c < 2 * n_columns; c++) { /* names first, then the intervals between them */
        const column *one = &t->columns[columns[c % n_columns]];
        for (int32_t v = 0; v < one->n_values; v++) {
            if (no_label(one->values[v], false) || cell_is_interval(one->values[v]) != (c >= n_columns)) continue;
            TRY(c < n_columns ? add_class(ctx, whole(one->values[v]), &seen) : add_ends(ctx, one->values[v], &seen));
        }
    }
    TRY(NEW(ctx, &ctx->scratch, *names, seen.n));
    for (int32_t v = 0; v < seen.n; v++) (*names)[v] = seen.values[v];
    *n = seen.n;
    return RUNG_OK;
}

/* The error for text labels without an order, with a suggested order. */
static rung_status order_needed(rung_ctx *ctx, const rung_table *t, int n_columns, const int64_t *columns)
{
    char list[TABLE_LIST] = "", column_name[COLUMN_LABEL];
    int64_t text = columns[0];
    const char **names = NULL, *order = NULL;
    int n = 0;
    for (int c = n_columns - 1; c >= 0; c--)
        if (t->columns[columns[c]].kind == COLUMN_TEXT) text = columns[c];
    TRY(check_odd_label(ctx, t, text));
    TRY(labels_named(ctx, t, n_columns, columns, &n, &names));
    join(n, names, ", ", list);
    bool guessed = order_guess(n, names);
    TRY(order_text(ctx, n, names, &order));
    bool usable = strlen(order) < TABLE_LIST && !strchr(order, '\n');
    /* where the order is unknown, the one that follows is that of the file: not to be taken as it stands */
    rung_status status = set_error(ctx, RUNG_EDATA, "%s, column %s: the labels are text (%s); %s, lowest first",
                                   t->path, table_column_label(t, text, column_name), list,
                                   usable && !guessed ? "put them in order" : "give their order");
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
    TRY(classes_of_numbers(ctx, mem, t, n_columns, columns, n_classes, classes));
    return *n_classes < 0 ? order_needed(ctx, t, n_columns, columns) : RUNG_OK;
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

/* values NULL: no class is a number. */
static int rank_of_text(cell_end text, char decimal, int n_classes, const char *const *classes, const double *values)
{
    for (int k = 0; k < n_classes; k++)
        if (strlen(classes[k]) == text.length && memcmp(classes[k], text.text, text.length) == 0) return k + 1;
    double x;
    return values && text_number(text.text, text.length, decimal, &x) ? rank_of_number(x, n_classes, values) : 0;
}

/* ---- intervals ---- */

typedef struct {
    const rung_table *t;
    int64_t column;
    int n_classes;
    const char *const *classes;
    const double *values; /* of the classes that are numbers */
    char decimal;
} label_reader;

static int end_rank(const label_reader *r, cell_end end)
{
    return rank_of_text(end, r->decimal, r->n_classes, r->classes, r->values);
}

/* The ranks between the ends of a text; false: it is no interval of the classes. */
static bool interval_ranks(const label_reader *r, const char *text, int *low, int *high)
{
    cell_ends e;
    for (int way = 0; cell_is_interval(text) && cell_ends_at(text, way, &e); way++) {
        *low = e.low.text ? end_rank(r, e.low) : 1;
        *high = e.high.text ? end_rank(r, e.high) : r->n_classes;
        if (*low && *high && *low <= *high) return true;
    }
    return false;
}

bool label_ranks(int n_classes, const char *const *classes, const char *label, int *low, int *high)
{
    const label_reader r = {.n_classes = n_classes, .classes = classes, .decimal = '.'};
    *low = *high = end_rank(&r, whole(label));
    return *low || interval_ranks(&r, label, low, high);
}

/* Why a cell that looks like an interval is none. */
static rung_status bad_interval(rung_ctx *ctx, const label_reader *r, int64_t row, const char *text)
{
    char list[TABLE_LIST], label[COLUMN_LABEL], low_end[96], high_end[96];
    cell_ends e;
    cell_ends_at(text, 0, &e);
    bool low = !e.low.text || end_rank(r, e.low), high = !e.high.text || end_rank(r, e.high);
    snprintf(low_end, sizeof low_end, "%.*s", (int)e.low.length, e.low.text ? e.low.text : "");
    snprintf(high_end, sizeof high_end, "%.*s", (int)e.high.length, e.high.text ? e.high.text : "");
    const char *unknown = low ? high_end : low_end, *second = r->classes[r->n_classes > 1];
    table_column_label(r->t, r->column, label);
    long long line = (long long)table_line(r->t, row);
    if (low && high)
        return set_error(ctx, RUNG_EDATA,
                         "%s, line %lld, column %s: label '%.80s' is an interval that ends below its beginning; write "
                         "the lower class first: %.80s..%.80s",
                         r->t->path, line, label, text, high_end, low_end);
    if (!unknown[0])
        return set_error(ctx, RUNG_EDATA,
                         "%s, line %lld, column %s: label '%.80s' is an interval without %s; write two classes, as in "
                         "%.80s..%.80s, or one, as in <=%.80s or >=%.80s",
                         r->t->path, line, label, text,
                         e.low.text && !e.low.length && e.high.text && !e.high.length ? "ends" : "an end",
                         r->classes[0], second, second, second);
    join(r->n_classes, r->classes, "<", list);
    return set_error(ctx, RUNG_EDATA,
                     "%s, line %lld, column %s: label '%.80s' is an interval, but '%.80s' is not one of the classes %s",
                     r->t->path, line, label, text, unknown, list);
}

/* The ranks a text allows; 0 and 0: unlabelled, as is an interval of all classes; low -1: no class. */
static void read_label(const label_reader *r, const char *text, int *low, int *high)
{
    *low = *high = end_rank(r, whole(text));
    if (*low) return;
    bool numbers = true;
    for (int k = 0; k < r->n_classes; k++) numbers = numbers && !isnan(r->values[k]);
    if (no_label(text, numbers)) return;
    if (!interval_ranks(r, text, low, high))
        *low = -1;
    else if (*low == 1 && *high == r->n_classes && *low < *high)
        *low = *high = 0;
}

static rung_status text_ranks(rung_ctx *ctx, const label_reader *r, pool *mem, int *rank, int **upper)
{
    const column *c = &r->t->columns[r->column];
    int *low = NULL, *high = NULL;
    bool intervals = false;
    TRY(NEW_RAW(ctx, &ctx->scratch, low, c->n_values));
    TRY(NEW_RAW(ctx, &ctx->scratch, high, c->n_values));
    for (int32_t v = 0; v < c->n_values; v++) read_label(r, c->values[v], &low[v], &high[v]);
    for (int64_t i = 0; i < r->t->n_rows; i++) {
        int32_t v = c->text[i];
        rank[i] = v < 0 ? 0 : low[v];
        if (rank[i] < 0 && cell_is_interval(c->values[v])) return bad_interval(ctx, r, i, c->values[v]);
        if (rank[i] < 0) return unknown_label(ctx, r->t, r->column, i, c->values[v], r->n_classes, r->classes);
        intervals = intervals || (v >= 0 && high[v] > low[v]);
        if (v < 0 || high[v] == low[v] || upper) continue;
        char label[COLUMN_LABEL];
        return set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: label '%.80s' is an interval, expected one class",
                         r->t->path, (long long)table_line(r->t, i), table_column_label(r->t, r->column, label),
                         c->values[v]);
    }
    if (!intervals) return RUNG_OK;
    TRY(NEW(ctx, mem, *upper, r->t->n_rows));
    for (int64_t i = 0; i < r->t->n_rows; i++) (*upper)[i] = c->text[i] < 0 ? 0 : high[c->text[i]];
    return RUNG_OK;
}

rung_status labels_ranks(rung_ctx *ctx, const rung_table *t, int64_t column_index, int n_classes,
                         const char *const *classes, pool *mem, int *rank, int **upper)
{
    const column *c = &t->columns[column_index];
    double *values = NULL;
    if (upper) *upper = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, n_classes));
    for (int k = 0; k < n_classes; k++) values[k] = value_of(classes[k]);
    if (c->kind == COLUMN_TEXT)
        return text_ranks(ctx, &(label_reader){t, column_index, n_classes, classes, values, t->decimal}, mem, rank,
                          upper);
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
        else if (no_label(c->values[c->text[i]], true))
            target[i] = NAN;
        else
            return no_target(ctx, t, column_index, i, c->values[c->text[i]]);
        if (isinf(target[i])) return infinite_label(ctx, t, column_index, i);
    }
    return RUNG_OK;
}
