// SPDX-License-Identifier: BSD-3-Clause
#include "data/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/rng.h"
#include "base/text.h"

/* Puts the k-th smallest at v[k] and nothing larger before it (Hoare's selection). Random pivots make the time linear
 * on average for any order of the rows; the result does not depend on them. */
static double select_kth(double *v, int64_t n, int64_t k)
{
    rng r;
    rng_open(&r, 0, 0);
    for (int64_t low = 0, high = n - 1;;) {
        double pivot = v[low + rng_below(&r, high - low + 1)];
        int64_t below = low, above = high; /* v[low..below) < pivot, v(above..high] > pivot, equal between */
        for (int64_t i = low; i <= above;) {
            double x = v[i];
            if (x < pivot)
                v[i++] = v[below], v[below++] = x;
            else if (x > pivot)
                v[i] = v[above], v[above--] = x;
            else
                i++;
        }
        if (k < below)
            high = below - 1;
        else if (k > above)
            low = above + 1;
        else
            return v[k];
    }
}

double median(double *v, int64_t n)
{
    double upper = select_kth(v, n, n / 2);
    if (n % 2) return upper;
    double lower = v[0];
    for (int64_t i = 1; i < n / 2; i++) lower = v[i] > lower ? v[i] : lower;
    double sum = lower + upper;
    return isfinite(sum) ? sum / 2 : lower / 2 + upper / 2;
}

static rung_status not_finite(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL];
    return set_error(
        ctx, RUNG_EDATA,
        "%s, line %lld, column %s: '%.80s' is not a finite number; leave the cell empty for a missing value", t->path,
        (long long)table_line(t, c->odd_row), table_column_label(t, j, label), c->odd);
}

/* The numbers of a text column: one without any cell, one whose categories were declared and happen to be numbers. */
static rung_status numbers_of_text(rung_ctx *ctx, const rung_table *t, int64_t j, const double **out)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL];
    double *x = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, x, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++) {
        const char *text = c->text[i] < 0 ? NULL : c->values[c->text[i]];
        x[i] = NAN;
        if (text && !(text_number(text, strlen(text), t->decimal, &x[i]) && isfinite(x[i])))
            return set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: '%.80s' is not a number", t->path,
                             (long long)table_line(t, i), table_column_label(t, j, label), text);
    }
    *out = x;
    return RUNG_OK;
}

/* The number of a category, -1 if it is unknown. */
static int64_t category_of_text(const column_code *code, const char *text)
{
    const char **found =
        bsearch(&text, code->categories, (size_t)code->n_categories, sizeof *code->categories, compare_texts);
    return found ? found - code->categories : -1;
}

/* A file whose cells of a text column all happen to be numbers: they name a category by its text or by its value. */
static int64_t category_of_number(const column_code *code, double x)
{
    char text[32];
    if (isnan(x)) return category_of_text(code, "");
    text_format(x, text);
    int64_t found = category_of_text(code, text);
    for (int64_t k = 0; found < 0 && k < code->n_categories; k++) {
        double value;
        const char *name = code->categories[k];
        if (text_number(name, strlen(name), '.', &value) && value == x) found = k;
    }
    return found;
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
    int64_t *category = NULL, absent = category_of_text(code, "");
    TRY(NEW_RAW(ctx, &ctx->scratch, category, c->n_values));
    for (int32_t v = 0; v < c->n_values; v++) category[v] = category_of_text(code, c->values[v]);
    for (int64_t i = 0; i < t->n_rows; i++) {
        int64_t k = c->kind == COLUMN_NUMBER ? category_of_number(code, c->number[i])
                    : c->text[i] < 0         ? absent
                                             : category[c->text[i]];
        if (k >= 0)
            X[i * d + code->first + k] = 1;
        else
            note_unseen(u, i, j);
    }
    return RUNG_OK;
}

static void warn_unseen(rung_ctx *ctx, const rung_table *t, const unseen *u)
{
    const column *c = &t->columns[u->column];
    char label[COLUMN_LABEL], number[32];
    const char *text = "";
    if (c->kind == COLUMN_TEXT && c->text[u->row] >= 0) text = c->values[c->text[u->row]];
    if (c->kind == COLUMN_NUMBER && !isnan(c->number[u->row])) text_format(c->number[u->row], number), text = number;
    log_at(ctx, RUNG_WARNING,
           "%s: %lld cell%s a category not seen in training and %s coded as zeros; the first is '%.80s' in line "
           "%lld, column %s",
           t->path, (long long)u->count, u->count == 1 ? " holds" : "s hold", u->count == 1 ? "is" : "are", text,
           (long long)table_line(t, u->row), table_column_label(t, u->column, label));
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
        if (from[j] < 0) continue;
        const column *c = &t->columns[from[j]];
        if (code->columns[j].nominal) {
            TRY(code_nominal(ctx, t, from[j], &code->columns[j], code->d, X, &u));
            continue;
        }
        if (c->odd_row >= 0) return not_finite(ctx, t, from[j]);
        plain[numeric].x = c->number;
        if (c->kind == COLUMN_TEXT) TRY(numbers_of_text(ctx, t, from[j], &plain[numeric].x));
        plain[numeric++].code = &code->columns[j];
    }
    for (int64_t i = 0; i < t->n_rows; i++)
        for (int64_t k = 0; k < numeric; k++) { X[i * code->d + plain[k].code->first] = plain[k].x[i]; }
    if (u.count > 0) warn_unseen(ctx, t, &u);
    return RUNG_OK;
}
