// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/table/measure.h"

typedef struct {
    double value; /* of a category that is a number or a truth value */
    int64_t category;
    bool code; /* 007 is 7 only where no other category is */
} category_value;

typedef struct {
    const char *text;
    int64_t category;
} category_text;

struct category_index {
    int64_t n, n_values, absent; /* absent: the category "", -1: there is none */
    category_text *by_text;
    category_value *by_value;
    bool numbers; /* every category is a number */
    bool truths;  /* every category is true or false, in words or as 1 and 0 */
};

/* ---- names ---- */

static bool is_number(const char *text, char decimal, double *out)
{
    return text_number(text, strlen(text), decimal, out) && isfinite(*out);
}

/* numbers: nan is none of them, nor are more words. */
static bool is_absent(const char *text, bool numbers)
{
    size_t length = strlen(text);
    return cell_missing(text, length) || cell_says_missing(text, length, numbers) ||
           (numbers && text_equal(text, "nan"));
}

const char *category_name(const char *text, char decimal, bool numbers, char *number)
{
    double x;
    if (is_absent(text, numbers)) return "";
    if (!is_number(text, decimal, &x) || form_is_code(text, strlen(text))) return text;
    text_format(x + 0.0, number); /* -0 is called 0 */
    return number;
}

/* ---- the index ---- */

static int compare_by_text(const void *a, const void *b)
{
    return strcmp(((const category_text *)a)->text, ((const category_text *)b)->text);
}

static int compare_by_value(const void *a, const void *b)
{
    const category_value *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    if (x->code != y->code) return x->code ? 1 : -1;
    return (x->category > y->category) - (x->category < y->category);
}

/* Words for true and false are infinite among other categories, so that no number equals them. */
static double truth_value(const category_index *c, double truth)
{
    return c->truths ? truth : truth > 0 ? INFINITY : -INFINITY;
}

/* Whether all categories but the missing cell are numbers, and whether all are true or false. */
static void look_at(const column_code *code, category_index *c)
{
    double x;
    c->numbers = c->truths = true;
    for (int64_t k = 0; k < code->n_categories; k++) {
        const char *name = code->categories[k];
        bool number = is_number(name, '.', &x), truth = number || cell_truth(name, strlen(name), &x);
        if (!*name) continue;
        c->numbers = c->numbers && number;
        c->truths = c->truths && truth && (x == 0 || x == 1) && !form_is_code(name, strlen(name));
    }
}

rung_status category_index_new(rung_ctx *ctx, const column_code *code, category_index **out)
{
    category_index *c = NULL;
    TRY(NEW(ctx, &ctx->scratch, c, 1));
    c->n = code->n_categories;
    c->absent = -1;
    TRY(NEW_RAW(ctx, &ctx->scratch, c->by_text, c->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, c->by_value, c->n));
    look_at(code, c);
    for (int64_t k = 0; k < c->n; k++) {
        const char *name = code->categories[k];
        double x;
        c->by_text[k] = (category_text){name, k};
        if (!*name) c->absent = k;
        if (is_number(name, '.', &x))
            c->by_value[c->n_values++] = (category_value){x, k, form_is_code(name, strlen(name))};
        else if (cell_truth(name, strlen(name), &x))
            c->by_value[c->n_values++] = (category_value){truth_value(c, x), k, false};
    }
    if (c->n > 0) qsort(c->by_text, (size_t)c->n, sizeof *c->by_text, compare_by_text);
    if (c->n_values > 0) qsort(c->by_value, (size_t)c->n_values, sizeof *c->by_value, compare_by_value);
    *out = c;
    return RUNG_OK;
}

static int64_t with_text(const category_index *c, const char *text)
{
    category_text wanted = {text, 0};
    const category_text *found =
        c->n > 0 ? bsearch(&wanted, c->by_text, (size_t)c->n, sizeof wanted, compare_by_text) : NULL;
    return found ? found->category : -1;
}

/* The first of those of this value, so a number rather than a code. */
static int64_t with_value(const category_index *c, double x)
{
    int64_t low = 0, high = c->n_values;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (c->by_value[middle].value < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n_values && c->by_value[low].value == x ? c->by_value[low].category : -1;
}

int64_t category_of_text(const category_index *c, const char *text, char decimal)
{
    double x;
    int64_t found = with_text(c, text);
    if (found >= 0) return found;
    if (is_absent(text, c->numbers)) return c->absent;
    if (is_number(text, decimal, &x)) return with_value(c, x);
    return cell_truth(text, strlen(text), &x) ? with_value(c, truth_value(c, x)) : -1;
}

int64_t category_of_number(const category_index *c, double x)
{
    char text[32];
    if (isnan(x)) return c->absent;
    if (isfinite(x)) return with_value(c, x);
    text_format(x, text);
    return with_text(c, text);
}

/* ---- numbers ---- */

static bool plain_number(const char *text, char decimal, double *out)
{
    return is_number(text, decimal, out) || cell_truth(text, strlen(text), out);
}

static bool number_of(const column_code *code, const category_index *words, const char *text, char decimal, double *out)
{
    if (code->unit) return measure_number(text, code->form, decimal, code->unit, out) && isfinite(*out);
    switch (code->form) {
    case FORM_PLAIN: return plain_number(text, decimal, out);
    case FORM_COMMA:
    case FORM_GROUPED: return form_number(text, code->form, out) && isfinite(*out);
    case FORM_HOURS: return form_hours(text, out);
    case FORM_LEVEL: *out = (double)category_of_text(words, text, decimal) + 1; return true;
    case FORM_ORDINAL: return (*out = (double)category_of_text(words, text, decimal) + 1) > 0;
    case FORM_DAYS:
    case FORM_CYCLIC: break;
    }
    return form_date(text, code->dates, out);
}

cell_meaning cell_number(const column_code *code, const category_index *words, const char *text, char decimal,
                         double *out)
{
    if (number_of(code, words, text, decimal, out)) return CELL_VALUE;
    *out = NAN;
    size_t length = strlen(text);
    return cell_missing(text, length) || cell_says_missing(text, length, true) ? CELL_ABSENT : CELL_OTHER;
}
