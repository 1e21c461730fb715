// SPDX-License-Identifier: BSD-3-Clause
#include "data/column_kind.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"

enum {
    FEW_CATEGORIES = 50, /* so many categories are never too many */
    FEW_NUMBERS = 10,    /* so few distinct numbers beside words may be names of categories */
    LEAST_CELLS = 8,     /* of fewer cells nobody can tell an identifier from categories */
    COUNTED_NAMED = 5,   /* so many numbers that go up by one are no accident in a column called id ... */
    COUNTED_ROWS = 10,   /* ... nor are so many that begin with 0 or 1 ... */
    COUNTED_ANYHOW = 20, /* ... nor so many that leave none out, in whatever order */
    NAME = 200
};
static const double MOSTLY = 0.9; /* share of numbers that makes a text column odd */

/* ---- the caller's word ---- */

/* How options name a column. */
static const char *option_name(const rung_table *t, int64_t j, char name[NAME])
{
    if (*t->columns[j].name)
        snprintf(name, NAME, "%s", t->columns[j].name);
    else
        snprintf(name, NAME, "%lld", (long long)j + 1);
    return name;
}

/* Into the scratch pool, to be cut up. */
static rung_status copy_text(rung_ctx *ctx, const char *text, char **out)
{
    size_t size = strlen(text) + 1;
    TRY(pool_alloc_raw(ctx, &ctx->scratch, (int64_t)size, 1, "a list of columns", (void **)out));
    memcpy(*out, text, size);
    return RUNG_OK;
}

static char *trimmed(char *text)
{
    while (*text == ' ') text++;
    for (char *end = text + strlen(text); end > text && end[-1] == ' ';) *--end = 0;
    return text;
}

/* The column called text gets this kind; it must not have one. */
static rung_status say(rung_ctx *ctx, const rung_table *t, const char *text, const char *option, said_kind kind,
                       said_column *all, said_column **out)
{
    int64_t j;
    char label[COLUMN_LABEL];
    TRY(table_find(ctx, t, text, option, &j));
    if (all[j].kind != SAID_NOTHING)
        return set_error(ctx, RUNG_EARG, "%s: column %s is said to be of two kinds", t->path,
                         table_column_label(t, j, label));
    all[j].kind = kind;
    *out = &all[j];
    return RUNG_OK;
}

static bool is_column(const rung_table *t, const char *name)
{
    for (int64_t j = 0; j < t->n_columns; j++)
        if (strcmp(t->columns[j].name, name) == 0) return true;
    return false;
}

/* How a column is coded, behind the last '=' of an entry: dates=day=cyclic, nominal=dose=none; NULL: it is not said. */
static char *way_of(const rung_table *t, said_kind kind, char *entry)
{
    char *way =
        kind == SAID_DATE || (kind == SAID_NOMINAL && !is_column(t, trimmed(entry))) ? strrchr(entry, '=') : NULL;
    if (way) *way++ = 0;
    return way;
}

static rung_status say_list(rung_ctx *ctx, const rung_table *t, const char *list, said_kind kind, said_column *all)
{
    static const char *const options[] = {"", "nominal", "numeric", "ordinal", "dates"};
    char *copy;
    if (!list || !*list) return RUNG_OK;
    TRY(copy_text(ctx, list, &copy));
    for (char *p = copy, *next; p; p = next) {
        said_column *one = NULL;
        next = strchr(p, ',');
        if (next) *next++ = 0;
        char *way = way_of(t, kind, p);
        TRY(say(ctx, t, trimmed(p), options[kind], kind, all, &one));
        if (!way) continue;
        way = trimmed(way);
        if (kind == SAID_NOMINAL) {
            one->reference = way;
            continue;
        }
        one->cyclic = strcmp(way, "cyclic") == 0;
        one->has_order = date_order_find(way, &one->order);
        if (!one->cyclic && !one->has_order && strcmp(way, "days") != 0)
            return set_error(ctx, RUNG_EARG,
                             "dates of column '%.80s': '%.40s' is not one of days, cyclic, ymd, dmy, mdy", trimmed(p),
                             way);
    }
    return RUNG_OK;
}

/* COLUMN=low<mid<high */
static rung_status say_ordinal(rung_ctx *ctx, const rung_table *t, const char *text, said_column *all)
{
    char *copy, *equals;
    said_column *one = NULL;
    TRY(copy_text(ctx, text, &copy));
    equals = strchr(copy, '=');
    if (!equals || !strchr(equals, '<'))
        return set_error(ctx, RUNG_EARG, "'%.80s' is no ordered column: expected COLUMN=low<mid<high", text);
    *equals++ = 0;
    TRY(say(ctx, t, trimmed(copy), "ordinal", SAID_ORDINAL, all, &one));
    int64_t room = 1;
    for (const char *p = equals; *p; p++) room += *p == '<';
    TRY(NEW(ctx, &ctx->scratch, one->words, room));
    for (char *p = equals, *next; p; p = next) {
        next = strchr(p, '<');
        if (next) *next++ = 0;
        p = trimmed(p);
        for (int64_t k = 0; k < one->n_words; k++)
            if (strcmp(one->words[k], p) == 0)
                return set_error(ctx, RUNG_EARG, "'%.80s' stands twice in the order of column '%.80s'", p, copy);
        one->words[one->n_words++] = p;
    }
    return RUNG_OK;
}

rung_status said_columns(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, said_column **out)
{
    TRY(pool_alloc(ctx, &ctx->scratch, t->n_columns, sizeof **out, "what is said of columns", (void **)out));
    TRY(say_list(ctx, t, options->nominal, SAID_NOMINAL, *out));
    TRY(say_list(ctx, t, options->numeric, SAID_NUMERIC, *out));
    TRY(say_list(ctx, t, options->dates, SAID_DATE, *out));
    for (const char *const *one = options->ordinal; one && *one; one++) TRY(say_ordinal(ctx, t, *one, *out));
    return RUNG_OK;
}

/* ---- categories ---- */

/* Sorted, so that the order of the rows does not matter. */
static void close_categories(column_code *code)
{
    qsort(code->categories, (size_t)code->n_categories, sizeof *code->categories, compare_texts);
}

static rung_status text_categories(rung_ctx *ctx, pool *mem, const rung_table *t, const column *c, column_code *code)
{
    bool missing = false;
    for (int64_t i = 0; i < t->n_rows && !missing; i++) missing = c->text[i] < 0;
    code->n_categories = c->n_values + missing;
    TRY(NEW(ctx, mem, code->categories, code->n_categories));
    for (int32_t v = 0; v < c->n_values; v++) TRY(pool_text(ctx, mem, c->values[v], &code->categories[v]));
    if (missing) code->categories[c->n_values] = "";
    return RUNG_OK;
}

static rung_status number_categories(rung_ctx *ctx, pool *mem, const rung_table *t, const column *c, column_code *code)
{
    double *values = NULL;
    int64_t n = 0, distinct = 0;
    char text[32];
    TRY(NEW_RAW(ctx, &ctx->scratch, values, t->n_rows));
    for (int64_t i = 0; i < t->n_rows; i++)
        if (!isnan(c->number[i])) values[n++] = c->number[i];
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || values[i] != values[i - 1]) values[distinct++] = values[i];
    code->n_categories = distinct + (n < t->n_rows);
    TRY(NEW(ctx, mem, code->categories, code->n_categories));
    for (int64_t k = 0; k < distinct; k++) {
        text_format(values[k], text);
        TRY(pool_text(ctx, mem, text, &code->categories[k]));
    }
    if (n < t->n_rows) code->categories[distinct] = "";
    return RUNG_OK;
}

static rung_status as_categories(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *code)
{
    const column *c = &t->columns[j];
    code->nominal = true;
    TRY(c->kind == COLUMN_TEXT ? text_categories(ctx, mem, t, c, code) : number_categories(ctx, mem, t, c, code));
    close_categories(code);
    code->reference = column_first_reference(code);
    return RUNG_OK;
}

static rung_status as_said_categories(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const said_column *said,
                                      column_code *code)
{
    char label[COLUMN_LABEL];
    TRY(as_categories(ctx, mem, t, j, code));
    if (!said->reference) return RUNG_OK;
    for (int64_t k = 0; k < code->n_categories; k++) {
        code->reference = k;
        if (strcmp(code->categories[k], said->reference) == 0) return RUNG_OK;
    }
    return set_error(ctx, RUNG_EARG, "%s: column %s has no category '%.80s' to compare the others with", t->path,
                     table_column_label(t, j, label), said->reference);
}

static rung_status as_ordinal(rung_ctx *ctx, pool *mem, int64_t n, const char *const *words, column_code *code)
{
    code->form = FORM_ORDINAL;
    code->n_categories = n;
    TRY(NEW(ctx, mem, code->categories, n));
    for (int64_t k = 0; k < n; k++) TRY(pool_text(ctx, mem, words[k], &code->categories[k]));
    return RUNG_OK;
}

/* ---- text ---- */

static bool is_number(const char *text, char decimal)
{
    double x;
    return text_number(text, strlen(text), decimal, &x);
}

/* The first row whose cell is text that is no number, -1: there is none; and how many cells are numbers, are there. */
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

/* Dates by the caller's word (said) or because all cells are dates; *is false: they are none, and nobody said so. */
static rung_status as_dates(rung_ctx *ctx, const rung_table *t, int64_t j, const said_column *said, column_code *code,
                            bool *is)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], name[NAME];
    bool unclear = false;
    double days;
    *is = c->kind == COLUMN_TEXT && c->n_values > 0 && form_of_dates(c->n_values, c->values, &code->dates, &unclear);
    if (said->has_order) {
        code->dates = said->order;
        unclear = false;
        *is = c->kind == COLUMN_TEXT;
        for (int32_t v = 0; v < c->n_values && *is; v++) *is = form_date(c->values[v], said->order, &days);
    }
    if (*is && unclear)
        return hint(ctx,
                    set_error(ctx, RUNG_EDATA,
                              "%s: dates of column %s such as '%.40s' can be read in two ways: say which part is the "
                              "day, or write them as 2024-01-31",
                              t->path, table_column_label(t, j, label), c->values[0]),
                    "option dates=%s=dmy\noption dates=%s=mdy", option_name(t, j, name), name);
    if (*is) code->form = said->cyclic ? FORM_CYCLIC : FORM_DAYS;
    if (*is || said->kind != SAID_DATE) return RUNG_OK;
    return set_error(ctx, RUNG_EDATA, "%s: column %s does not hold dates such as 2024-01-31 or 31.01.2024 in every row",
                     t->path, table_column_label(t, j, label));
}

/* A text column that the caller says holds numbers. */
static rung_status as_numbers(rung_ctx *ctx, const rung_table *t, int64_t j, column_code *code)
{
    const column *c = &t->columns[j];
    int64_t numbers, cells, row = first_text(t, c, &numbers, &cells);
    char label[COLUMN_LABEL];
    bool unclear;
    if (row < 0) return RUNG_OK;
    if (form_of_numbers(c->n_values, c->values, &code->form, &unclear)) {
        if (unclear) code->form = t->decimal == ',' ? FORM_COMMA : FORM_GROUPED;
        return RUNG_OK;
    }
    return set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: '%.40s' is no number; leave a missing cell empty",
                     table_path(t, row), (long long)table_line(t, row), table_column_label(t, j, label),
                     c->values[c->text[row]]);
}

/* Numbers with commas; *is false: they are none. */
static rung_status with_commas(rung_ctx *ctx, const rung_table *t, int64_t j, column_code *code, bool *is)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], name[NAME], detail[NAME + 20];
    const char *example = c->values[0];
    bool unclear;
    *is = form_of_numbers(c->n_values, c->values, &code->form, &unclear);
    if (!*is) return RUNG_OK;
    for (int32_t v = 0; v < c->n_values && !strchr(example, ','); v++) example = c->values[v];
    table_column_label(t, j, label);
    option_name(t, j, name);
    if (unclear && t->decimal != ',')
        return hint(ctx,
                    set_error(ctx, RUNG_EDATA,
                              "%s: column %s holds numbers such as '%.40s', which may have a decimal comma or commas "
                              "between thousands; give the decimal character, or declare the column numeric for "
                              "thousands",
                              t->path, label, example),
                    "option decimal=,\noption numeric=%s", name);
    if (unclear) code->form = FORM_COMMA;
    snprintf(detail, sizeof detail, "option nominal=%s", name);
    log_hint(ctx, RUNG_WARNING, detail,
             "%s: column %s holds numbers with %s such as '%.40s'; they are read as numbers; declare it nominal if "
             "they are codes",
             t->path, label, code->form == FORM_COMMA ? "a decimal comma" : "separators between thousands", example);
    return RUNG_OK;
}

/* Most cells occur once, or there are very many kinds of them. */
static rung_status looks_like_identifier(rung_ctx *ctx, const rung_table *t, const column *c, int64_t cells, bool *out)
{
    int64_t *count = NULL, singles = 0, most = cells / 2 > FEW_CATEGORIES ? cells / 2 : FEW_CATEGORIES;
    TRY(NEW(ctx, &ctx->scratch, count, c->n_values));
    for (int64_t i = 0; i < t->n_rows; i++)
        if (c->text[i] >= 0) count[c->text[i]]++;
    for (int32_t v = 0; v < c->n_values; v++) singles += count[v] == 1;
    *out = cells >= LEAST_CELLS && (2 * singles > cells || c->n_values > most);
    return RUNG_OK;
}

static rung_status text_kind(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *code,
                             bool *left_out)
{
    static const said_column nothing = {0};
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], name[NAME], detail[NAME + 20];
    int64_t numbers, cells, row = first_text(t, c, &numbers, &cells);
    bool is = false;
    table_column_label(t, j, label);
    snprintf(detail, sizeof detail, "option nominal=%s", option_name(t, j, name));
    if (row < 0) return as_categories(ctx, mem, t, j, code); /* empty, or numbers that the caller calls text */
    TRY(with_commas(ctx, t, j, code, &is));
    if (is) return RUNG_OK;
    TRY(as_dates(ctx, t, j, &nothing, code, &is));
    if (is) {
        snprintf(detail, sizeof detail, "option dates=%s=cyclic", name);
        log_hint(ctx, RUNG_WARNING, detail,
                 "%s: column %s holds dates such as '%.40s'; they are read as days, without their place in the "
                 "year and the week",
                 t->path, label, c->values[0]);
        return RUNG_OK;
    }
    if ((double)numbers >= MOSTLY * (double)cells) {
        bool many = c->n_values > FEW_NUMBERS;
        const char *text = c->values[c->text[row]];
        long long line = (long long)table_line(t, row);
        if (many)
            return hint(ctx,
                        set_error(ctx, RUNG_EDATA,
                                  "%s, line %lld, column %s: '%.40s' is no number, but %lld of the %lld cells of the "
                                  "column are; leave a missing cell empty, or say that the column is nominal",
                                  table_path(t, row), line, label, text, (long long)numbers, (long long)cells),
                        "%s", detail);
        log_at(ctx, RUNG_WARNING,
               "%s: column %s is taken as categories because of '%.40s' in line %lld, though %lld of its %lld cells "
               "are numbers; leave a missing cell empty",
               table_path(t, row), label, text, line, (long long)numbers, (long long)cells);
        return as_categories(ctx, mem, t, j, code);
    }
    TRY(looks_like_identifier(ctx, t, c, cells, left_out));
    if (!*left_out) return as_categories(ctx, mem, t, j, code);
    log_hint(ctx, RUNG_WARNING, detail,
             "%s: column %s has %d distinct texts in %lld rows and is left out, as identifiers and free text are; "
             "declare it "
             "nominal to keep it",
             t->path, label, c->n_values, (long long)t->n_rows);
    return RUNG_OK;
}

/* ---- numbers ---- */

static bool called_id(const char *name)
{
    static const char *const names[] = {"id", "no", "nr", "key", "index", "row", "rowid", "number", "case"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_equal(name, names[i])) return true;
    return length > 3 && (text_equal(name + length - 3, "_id") || text_equal(name + length - 3, " id"));
}

/* Numbers that go up by one from row to row, or are so many whole numbers without a gap. */
static rung_status counts_rows(rung_ctx *ctx, const rung_table *t, const column *c, bool *out)
{
    int64_t n = t->n_rows, in_turn = 1;
    double low = INFINITY, high = -INFINITY, *values = NULL;
    while (in_turn < n && c->number[in_turn] == c->number[in_turn - 1] + 1) in_turn++;
    bool first = n > 0 && (c->number[0] == 0 || c->number[0] == 1);
    *out = in_turn == n && ((n >= COUNTED_NAMED && called_id(c->name)) || (n >= COUNTED_ROWS && first));
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

/* A point that parts thousands has one to three digits before it and three after it. */
static bool may_be_thousands(double x)
{
    double scaled = 1000 * x;
    return fabs(x) < 1000 && fabs(scaled - round(scaled)) < 1e-6;
}

rung_status column_points_check(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    const double *x = t->columns[j].number;
    char label[COLUMN_LABEL], name[NAME];
    double example = 0;
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (!isfinite(x[i]) || x[i] == floor(x[i])) continue;
        if (!may_be_thousands(x[i])) return RUNG_OK;
        if (example == 0) example = x[i];
    }
    if (example == 0) return RUNG_OK;
    return hint(
        ctx,
        set_error(ctx, RUNG_EDATA,
                  "%s: column %s holds numbers such as '%.3f', whose points may part thousands, as other columns "
                  "have decimal commas; give the decimal character, or declare the column numeric if they are "
                  "decimal points",
                  t->path, table_column_label(t, j, label), example),
        "option decimal=,\noption numeric=%s", option_name(t, j, name));
}

void column_counts_warn(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    char label[COLUMN_LABEL], detail[NAME + 20], name[NAME];
    snprintf(detail, sizeof detail, "option numeric=%s", option_name(t, j, name));
    log_hint(ctx, RUNG_WARNING, detail,
             "%s: column %s only counts the rows and is left out; declare it numeric to keep it", t->path,
             table_column_label(t, j, label));
}

rung_status column_kind_of(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const said_column *said,
                           column_code *out, column_use *use)
{
    const column *c = &t->columns[j];
    bool is = false;
    *use = USE_FEATURE;
    if (said->kind == SAID_NOMINAL) return as_said_categories(ctx, mem, t, j, said, out);
    if (said->kind == SAID_ORDINAL) return as_ordinal(ctx, mem, said->n_words, (const char *const *)said->words, out);
    if (said->kind == SAID_DATE) return as_dates(ctx, t, j, said, out, &is);
    if (said->kind == SAID_NUMERIC) return c->kind == COLUMN_TEXT ? as_numbers(ctx, t, j, out) : RUNG_OK;
    if (c->ordered) return as_ordinal(ctx, mem, c->n_values, c->values, out);
    if (c->kind == COLUMN_TEXT && c->declared) return as_categories(ctx, mem, t, j, out);
    if (c->kind == COLUMN_TEXT) {
        TRY(text_kind(ctx, mem, t, j, out, &is));
        if (is) *use = USE_NOTHING;
        return RUNG_OK;
    }
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(counts_rows(ctx, t, c, &is));
    pool_release(&ctx->scratch, mark);
    if (is) *use = USE_COUNTER;
    return RUNG_OK;
}
