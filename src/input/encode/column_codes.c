// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/column_codes.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "input/table/column_form.h"

enum {
    FEW_CATEGORIES = 50, /* this many categories are never too many */
    COUNTED_NAMED = 5,   /* this many numbers that go up by one are no accident in a column called id ... */
    COUNTED_ROWS = 10,   /* ... nor are this many that begin with 0 or 1 ... */
    COUNTED_ANYHOW = 20  /* ... nor this many consecutive integers, in whatever order */
};

static bool too_many(int64_t cells, int64_t distinct, int64_t singles)
{
    int64_t most = cells / 2 > FEW_CATEGORIES ? cells / 2 : FEW_CATEGORIES;
    return cells >= LEAST_CELLS && (2 * singles > cells || distinct > most);
}

rung_status text_is_identifier(rung_ctx *ctx, const rung_table *t, const column *c, int64_t cells, bool *out)
{
    int64_t *count = NULL, singles = 0;
    TRY(NEW(ctx, &ctx->scratch, count, c->n_values));
    for (int64_t i = 0; i < t->n_rows; i++)
        if (c->text[i] >= 0) count[c->text[i]]++;
    for (int32_t v = 0; v < c->n_values; v++) singles += count[v] == 1;
    *out = too_many(cells, c->n_values, singles);
    return RUNG_OK;
}

/* ---- names ---- */

#define ONE_OF(name, list) one_of(name, sizeof(list) / sizeof *(list), list)

static bool one_of(const char *name, size_t n, const char *const *list)
{
    for (size_t i = 0; i < n; i++)
        if (text_equal(name, list[i])) return true;
    return false;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length > end && text_equal(name + length - end, ending);
}

static bool called_id(const char *name)
{
    static const char *const names[] = {"id", "no", "nr", "key", "index", "row", "rowid", "number", "case"};
    return ONE_OF(name, names) || ends_in(name, "_id") || ends_in(name, " id");
}

/* Of things that have numbers for names. */
static bool called_code(const char *name)
{
    static const char *const names[] = {"id",    "zip",       "zipcode", "postcode", "postalcode", "plz",
                                        "phone", "telephone", "ssn",     "isbn",     "ean",        "upc",
                                        "sku",   "fips",      "icd",     "icd9",     "icd10",      "code"};
    static const char *const endings[] = {"_id", " id", ".id", "_code", " code", ".code", "_zip"};
    size_t length = strlen(name);
    bool code = ONE_OF(name, names);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) code = code || ends_in(name, endings[i]);
    return code || (length > 2 && name[length - 2] == 'I' && tolower((unsigned char)name[length - 1]) == 'd' &&
                    islower((unsigned char)name[length - 3])); /* patientId */
}

/* ---- numbers ---- */

bool counter_begins(const char *name, double first) { return called_id(name) || first == 0 || first == 1; }

rung_status counts_rows(rung_ctx *ctx, const rung_table *t, const column *c, bool *out)
{
    int64_t n = t->n_rows, in_turn = 1;
    double low = INFINITY, high = -INFINITY, *values = NULL;
    *out = t->counts && t->counts[c - t->columns];
    if (t->counts) return RUNG_OK;
    while (in_turn < n && c->number[in_turn] == c->number[in_turn - 1] + 1) in_turn++;
    bool begins = n > 0 && counter_begins(c->name, c->number[0]);
    *out = in_turn == n && begins && n >= (called_id(c->name) ? COUNTED_NAMED : COUNTED_ROWS);
    if (*out || n < COUNTED_ANYHOW) return RUNG_OK;
    for (int64_t i = 0; i < n; i++) {
        if (!(c->number[i] == floor(c->number[i]))) return RUNG_OK; /* nor if it is missing */
        low = fmin(low, c->number[i]);
        high = fmax(high, c->number[i]);
    }
    if (high - low != (double)(n - 1)) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, n));
    memcpy(values, c->number, (size_t)n * sizeof *values);
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    for (int64_t i = 1; i < n; i++)
        if (values[i] == values[i - 1]) return RUNG_OK;
    *out = true;
    return RUNG_OK;
}

bool numbers_are_dates(const rung_table *t, const column *c)
{
    char text[32];
    double days;
    int64_t cells = 0;
    for (int64_t i = 0; i < t->n_rows; i++) {
        double x = c->number[i];
        if (isnan(x)) continue;
        if (!(x >= 18000101 && x < 22000101) || x != floor(x)) return false;
        snprintf(text, sizeof text, "%.0f", x);
        if (!form_date(text, DATE_COMPACT, &days)) return false;
        cells++;
    }
    return cells >= LEAST_CELLS;
}

typedef struct { /* the extreme of some numbers, and the next to it */
    double most, next;
    int64_t cells;
} extreme;

static void note(extreme *e, double x)
{
    if (x > e->most) {
        e->next = e->most;
        e->most = x;
        e->cells = 1;
    } else if (x == e->most) {
        e->cells++;
    } else if (x > e->next) {
        e->next = x;
    }
}

/* Missing values that are written as -9 among numbers that are not negative, or as -99, 99, -999, ... among numbers
 * much nearer to 0. */
static void find_sentinel(const extreme *low, const extreme *high, code_numbers *out)
{
    static const double nines[] = {9, 99, 999, 9999, 99999};
    for (size_t i = 0; i < sizeof nines / sizeof *nines; i++) {
        double near = i > 0 ? nines[i] / 4 : 0;
        bool below = low->most == nines[i] && low->cells > 1 && /* low: of the numbers times -1 */
                     (low->next <= 0 || low->next < near);
        bool above = i > 0 && high->most == nines[i] && high->next < near && high->cells > 1;
        if (!below && !above) continue;
        out->sentinel = below ? -nines[i] : nines[i];
        out->sentinel_cells = below ? low->cells : high->cells;
    }
}

rung_status numbers_look(rung_ctx *ctx, const rung_table *t, const column *c, code_numbers *out)
{
    extreme low = {-INFINITY, -INFINITY, 0}, high = low;
    int64_t n = 0, singles = 0;
    bool whole = true;
    double *values = NULL;
    *out = (code_numbers){0};
    for (int64_t i = 0; i < t->n_rows; i++) {
        double x = c->number[i];
        if (isnan(x)) continue;
        if (n++ == 0) out->example = x;
        whole = whole && x >= 0 && x == floor(x);
        note(&low, -x);
        note(&high, x);
    }
    if (isfinite(low.next)) find_sentinel(&low, &high, out);
    if (!whole || n < LEAST_CELLS || !called_code(c->name)) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, n));
    n = 0;
    for (int64_t i = 0; i < t->n_rows; i++)
        if (!isnan(c->number[i])) values[n++] = c->number[i];
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    for (int64_t i = 0; i < n; i++) {
        bool first = i == 0 || values[i] != values[i - 1];
        out->distinct += first;
        singles += first && (i + 1 == n || values[i + 1] != values[i]);
    }
    out->are = out->distinct > 2;
    out->identifier = too_many(n, out->distinct, singles);
    return RUNG_OK;
}
