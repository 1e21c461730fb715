// SPDX-License-Identifier: BSD-3-Clause
#include "data/suspect.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum {
    FEW_CATEGORIES = 50,
    COUNTED_ROWS = 20, /* this many consecutive numbers are no coincidence */
    LISTED = 300       /* bytes of a message spent on names */
};
static const double MOSTLY = 0.9; /* share of numbers that makes a text column odd */

static bool is_number(const char *text, char decimal)
{
    double x;
    return text_number(text, strlen(text), decimal, &x);
}

/* A text column whose cells are all numbers if commas are decimal points. */
static bool decimal_commas(const column *c)
{
    for (int32_t v = 0; v < c->n_values; v++)
        if (!is_number(c->values[v], ',')) return false;
    return true;
}

/* The first row whose cell is text that is no number; *numbers and *cells count the others and all. */
static int64_t first_text(const rung_table *t, const column *c, int64_t *numbers, int64_t *cells)
{
    int64_t first = -1;
    *numbers = *cells = 0;
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (c->text[i] < 0) continue;
        bool number = is_number(c->values[c->text[i]], t->decimal);
        *cells += 1;
        *numbers += number;
        if (!number && first < 0) first = i;
    }
    return first;
}

/* Why a column of numbers was read as text, if this can be determined, and the detail of that sentence; NULL: it is
 * text. */
static const char *explain(const rung_table *t, int64_t j, char *reason, size_t size)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL];
    int64_t numbers, cells, row = first_text(t, c, &numbers, &cells);
    if (row < 0) return NULL; /* empty, or numbers declared as text by the caller */
    if (decimal_commas(c)) {
        snprintf(reason, size, "column %s holds numbers with a decimal comma such as '%.40s'",
                 table_column_label(t, j, label), c->values[c->text[row]]);
        return "option decimal=,";
    }
    if ((double)numbers < MOSTLY * (double)cells) return NULL;
    snprintf(reason, size,
             "column %s is treated as text because of '%.40s' in line %lld, although %lld of its %lld cells are "
             "numbers; leave missing cells empty",
             table_column_label(t, j, label), c->values[c->text[row]], (long long)table_line(t, row),
             (long long)numbers, (long long)cells);
    return "";
}

static bool too_many_kinds(const rung_table *t, int64_t j)
{
    const column *c = &t->columns[j];
    int64_t most = t->n_rows / 2 > FEW_CATEGORIES ? t->n_rows / 2 : FEW_CATEGORIES;
    return c->kind == COLUMN_TEXT && !c->declared && c->n_values > most;
}

/* Numbers that go up by one from row to row. */
static bool counts_rows(const rung_table *t, int64_t j)
{
    const column *c = &t->columns[j];
    if (c->kind != COLUMN_NUMBER || t->n_rows < COUNTED_ROWS) return false;
    for (int64_t i = 1; i < t->n_rows; i++)
        if (!(c->number[i] == c->number[i - 1] + 1)) return false;
    return true;
}

/* As rung_encode_options.ignore names columns. */
static void append_name(const rung_table *t, int64_t j, char list[LISTED])
{
    size_t used = strlen(list);
    const char *comma = used ? "," : "";
    if (*t->columns[j].name)
        snprintf(list + used, LISTED - used, "%s%s", comma, t->columns[j].name);
    else
        snprintf(list + used, LISTED - used, "%s%lld", comma, (long long)j + 1);
}

static rung_status refuse_identifiers(rung_ctx *ctx, const rung_table *t, int64_t n, const int64_t *columns)
{
    char list[LISTED] = "", label[COLUMN_LABEL];
    int64_t first = -1;
    for (int64_t k = 0; k < n; k++) {
        int64_t j = columns[k];
        if (!too_many_kinds(t, j)) continue;
        char reason[LISTED + COLUMN_LABEL];
        const char *detail = explain(t, j, reason, sizeof reason);
        if (detail) return hint(ctx, set_error(ctx, RUNG_EDATA, "%s: %s", t->path, reason), "%s", detail);
        if (first < 0) first = j;
        append_name(t, j, list);
    }
    if (first < 0) return RUNG_OK;
    return hint(
        ctx,
        set_error(ctx, RUNG_EDATA,
                  "%s: column %s has %d distinct texts in %lld rows, so it is likely an identifier; leave it out",
                  t->path, table_column_label(t, first, label), t->columns[first].n_values, (long long)t->n_rows),
        "option ignore=%s", list);
}

rung_status suspect_columns(rung_ctx *ctx, const rung_table *t, int64_t n, const int64_t *columns)
{
    TRY(refuse_identifiers(ctx, t, n, columns));
    for (int64_t k = 0; k < n; k++) {
        int64_t j = columns[k];
        const column *c = &t->columns[j];
        char reason[LISTED + COLUMN_LABEL], name[LISTED] = "", ignore[LISTED + 16];
        const char *detail = NULL;
        TRY(interrupted(ctx));
        if (c->kind == COLUMN_TEXT && !c->declared) detail = explain(t, j, reason, sizeof reason);
        if (detail) {
            log_hint(ctx, RUNG_WARNING, detail, "%s: %s", t->path, reason);
        } else if (counts_rows(t, j)) {
            append_name(t, j, name);
            snprintf(ignore, sizeof ignore, "option ignore=%s", name);
            log_hint(ctx, RUNG_WARNING, ignore,
                     "%s: column %s only counts the rows, so it is likely an identifier; leave it out", t->path,
                     table_column_label(t, j, reason));
        }
    }
    return RUNG_OK;
}
