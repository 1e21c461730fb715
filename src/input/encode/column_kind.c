// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/column_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "input/encode/cells.h"
#include "input/encode/column_codes.h"
#include "input/table/measure.h"

enum { FEW_NUMBERS = 10 };        /* so few distinct numbers beside words may be names of categories */
static const double MOSTLY = 0.9; /* share of numbers that makes a text column odd */

/* ---- categories ---- */

/* Sorted, so that the order of the rows does not matter; each once. */
static void distinct_names(column_code *code)
{
    int64_t kept = 0;
    if (code->n_categories > 0)
        qsort(code->categories, (size_t)code->n_categories, sizeof *code->categories, compare_texts);
    for (int64_t k = 0; k < code->n_categories; k++)
        if (kept == 0 || strcmp(code->categories[kept - 1], code->categories[k]) != 0)
            code->categories[kept++] = code->categories[k];
    code->n_categories = kept;
}

/* Whether all cells are numbers, but for codes such as 007 and words for a missing cell. */
static bool all_numbers(const rung_table *t, const column *c)
{
    double x;
    for (int32_t v = 0; v < c->n_values; v++) {
        const char *text = c->values[v];
        size_t length = strlen(text);
        if (!cell_says_missing(text, length, true) &&
            (!text_number(text, length, t->decimal, &x) || form_is_code(text, length)))
            return false;
    }
    return true;
}

static rung_status text_categories(rung_ctx *ctx, pool *mem, const rung_table *t, const column *c, column_code *code)
{
    bool missing = false, numbers = all_numbers(t, c);
    char number[32];
    for (int64_t i = 0; i < t->n_rows && !missing; i++) missing = c->text[i] < 0;
    code->n_categories = c->n_values + missing;
    TRY(NEW(ctx, mem, code->categories, code->n_categories));
    for (int32_t v = 0; v < c->n_values; v++) {
        const char *name = c->declared ? c->values[v] : category_name(c->values[v], t->decimal, numbers, number);
        TRY(pool_text(ctx, mem, name, &code->categories[v]));
    }
    if (missing) code->categories[c->n_values] = "";
    distinct_names(code);
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
        text_format(values[k] + 0.0, text); /* -0 is called 0 */
        TRY(pool_text(ctx, mem, text, &code->categories[k]));
    }
    if (n < t->n_rows) code->categories[distinct] = "";
    distinct_names(code);
    return RUNG_OK;
}

/* yes and Yes are two categories, which is hardly meant. */
static void tell_case(rung_ctx *ctx, const rung_table *t, int64_t j, const column_code *code)
{
    enum { MOST = 500 };
    char label[COLUMN_LABEL];
    for (int64_t k = 1; k < code->n_categories && code->n_categories <= MOST; k++)
        for (int64_t l = 0; l < k; l++)
            if (text_equal(code->categories[k], code->categories[l])) {
                log_at(ctx, RUNG_LOG_WARNING,
                       "%s: column %s has the categories '%.40s' and '%.40s', which differ only in upper and lower "
                       "case; they count as different",
                       t->path, table_column_label(t, j, label), code->categories[l], code->categories[k]);
                return;
            }
}

static rung_status as_categories(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *code)
{
    const column *c = &t->columns[j];
    code->nominal = true;
    TRY(c->kind == COLUMN_TEXT ? text_categories(ctx, mem, t, c, code) : number_categories(ctx, mem, t, c, code));
    code->reference = column_first_reference(code);
    if (c->kind == COLUMN_TEXT && !c->declared) tell_case(ctx, t, j, code);
    return RUNG_OK;
}

rung_status column_levels(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *out)
{
    char label[COLUMN_LABEL];
    TRY(as_categories(ctx, mem, t, j, out));
    out->nominal = false;
    out->form = FORM_LEVEL;
    out->reference = 0;
    if (out->n_categories > 0 && !*out->categories[0]) /* cells without a name are of no group */
        memmove(out->categories, out->categories + 1, (size_t)--out->n_categories * sizeof *out->categories);
    if (out->n_categories > 0) return RUNG_OK;
    return set_error(ctx, RUNG_EDATA, "%s: column %s names no group", t->path, table_column_label(t, j, label));
}

static rung_status as_said_categories(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j,
                                      const column_option *said, column_code *code)
{
    char label[COLUMN_LABEL];
    category_index *index;
    TRY(as_categories(ctx, mem, t, j, code));
    if (!said->reference) return RUNG_OK;
    TRY(category_index_new(ctx, code, &index));
    code->reference = category_of_text(index, said->reference, t->decimal);
    if (code->reference >= 0) return RUNG_OK;
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

static bool says_missing(const char *text) { return cell_says_missing(text, strlen(text), true); }

/* True and false, perhaps with 1 and 0 among them: numbers, as a data frame has them. */
static bool all_truths(const rung_table *t, const column *c)
{
    bool any = false;
    double x;
    for (int32_t v = 0; v < c->n_values; v++) {
        const char *text = c->values[v];
        bool truth = cell_truth(text, strlen(text), &x);
        any = any || truth;
        if (!truth && !says_missing(text) &&
            !(text_number(text, strlen(text), t->decimal, &x) && (x == 0 || x == 1) &&
              !form_is_code(text, strlen(text))))
            return false;
    }
    return any;
}

typedef struct {
    int64_t cells, numbers,
        missing;      /* cells that are there; of them numbers, and those that say that they are missing */
    int64_t other;    /* the first row whose cell is neither; -1: there is none */
    const char *code; /* a number that is rather a code (007); NULL: there is none */
} text_look;

static text_look look_at(const rung_table *t, const column *c)
{
    text_look l = {.other = -1};
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (c->text[i] < 0) continue;
        const char *text = c->values[c->text[i]];
        bool number = is_number(text, t->decimal), missing = !number && says_missing(text);
        l.cells++;
        l.numbers += number;
        l.missing += missing;
        if (number && !l.code && form_is_code(text, strlen(text))) l.code = text;
        if (!number && !missing && l.other < 0) l.other = i;
    }
    return l;
}

/* The first cell that is not missing: an example for a message. */
static const char *example_of(const column *c)
{
    for (int32_t v = 0; v < c->n_values; v++)
        if (!says_missing(c->values[v])) return c->values[v];
    return c->values[0];
}

static bool all_dates(const column *c, date_order order)
{
    double days;
    bool all = c->kind == COLUMN_TEXT;
    for (int32_t v = 0; v < c->n_values && all; v++)
        all = says_missing(c->values[v]) || form_date(c->values[v], order, &days);
    return all;
}

/* Dates by the caller's word (said) or because all cells are dates; *is false: they are none, and nobody said so. */
static rung_status as_dates(rung_ctx *ctx, const rung_table *t, int64_t j, const column_option *said, column_code *code,
                            bool *is)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], name[OPTION_NAME];
    bool unclear = false;
    *is = c->kind == COLUMN_TEXT && c->n_values > 0 && form_of_dates(c->n_values, c->values, &code->dates, &unclear);
    if (said->has_order) {
        code->dates = said->order;
        unclear = false;
        *is = all_dates(c, said->order);
    }
    if (c->kind == COLUMN_NUMBER && (!said->has_order || said->order == DATE_COMPACT)) {
        code->dates = DATE_COMPACT;
        *is = numbers_are_dates(t, c);
    }
    if (*is && unclear)
        return hint(ctx,
                    set_error(ctx, RUNG_EDATA,
                              "%s: dates of column %s such as '%.40s' can be read in two ways: say which part is the "
                              "day, or write them as 2024-01-31",
                              t->path, table_column_label(t, j, label), example_of(c)),
                    "option dates=%s=dmy\noption dates=%s=mdy", option_name(t, j, name), name);
    if (*is) code->form = said->cyclic ? FORM_CYCLIC : FORM_DAYS;
    if (*is || said->kind != OPTION_DATE) return RUNG_OK;
    return set_error(ctx, RUNG_EDATA, "%s: column %s does not hold dates such as 2024-01-31 or 31.01.2024 in every row",
                     t->path, table_column_label(t, j, label));
}

static void tell_dates(rung_ctx *ctx, const rung_table *t, int64_t j, const column_code *code, const char *example)
{
    char label[COLUMN_LABEL], name[OPTION_NAME], detail[OPTION_DETAIL], read[DAY_TEXT + 4] = "", day[DAY_TEXT];
    double days;
    if (form_date(example, code->dates, &days)) {
        form_day_text(days, day);
        if (strncmp(example, day, strlen(day)) != 0) snprintf(read, sizeof read, " (%s)", day);
    }
    snprintf(detail, sizeof detail, "option dates=%s=cyclic", option_name(t, j, name));
    log_hint(ctx, RUNG_LOG_WARNING, detail,
             "%s: column %s holds dates such as '%.40s'%s; they are read as days, without their place in the year and "
             "the week",
             t->path, table_column_label(t, j, label), example, read);
}

/* With semicolons between the cells spreadsheets write decimal commas, unless a column shows that this one did not. */
static bool decimal_commas(const rung_table *t)
{
    column_form form;
    bool unclear;
    for (int64_t j = 0; j < t->n_columns && t->semicolons; j++) {
        const column *c = &t->columns[j];
        if (c->kind != COLUMN_TEXT || !form_of_numbers(c->n_values, c->values, &form, &unclear) || unclear) continue;
        for (int32_t v = 0; v < c->n_values && form == FORM_GROUPED; v++)
            if (strchr(c->values[v], ',')) return false;
    }
    return t->semicolons;
}

/* Where numbers could have a decimal comma or commas between thousands: which of the two. */
static rung_status settle_commas(rung_ctx *ctx, const rung_table *t, int64_t j, const char *example, column_form *form)
{
    char label[COLUMN_LABEL], name[OPTION_NAME];
    *form = FORM_COMMA;
    if (t->decimal == ',' || decimal_commas(t)) return RUNG_OK;
    return hint(ctx,
                set_error(ctx, RUNG_EDATA,
                          "%s: column %s holds numbers such as '%.40s', which may have a decimal comma or commas "
                          "between thousands; give the decimal character, or declare the column numeric for "
                          "thousands",
                          t->path, table_column_label(t, j, label), example),
                "option decimal=,\noption numeric=%s", option_name(t, j, name));
}

static const char *example_with(const column *c, char what)
{
    for (int32_t v = 0; v < c->n_values; v++)
        if (strchr(c->values[v], what)) return c->values[v];
    return example_of(c);
}

/* Numbers with commas; *is false: they are none. */
static rung_status with_commas(rung_ctx *ctx, const rung_table *t, int64_t j, column_code *code, bool *is)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    const char *example = example_with(c, ',');
    bool unclear;
    *is = form_of_numbers(c->n_values, c->values, &code->form, &unclear);
    if (!*is) return RUNG_OK;
    if (unclear) TRY(settle_commas(ctx, t, j, example, &code->form));
    log_hint(ctx, RUNG_LOG_WARNING, option_detail(t, j, "nominal", detail),
             "%s: column %s holds numbers with %s such as '%.40s'; they are read as numbers; declare it nominal if "
             "they are codes",
             t->path, table_column_label(t, j, label),
             code->form == FORM_COMMA ? "a decimal comma" : "separators between thousands", example);
    return RUNG_OK;
}

/* Numbers with a unit, or limits such as <0.1; *is false: they are none. */
static rung_status with_unit(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, bool said, column_code *code,
                             bool *is)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    measure m;
    *is = measure_of(c->n_values, c->values, t->decimal, &m);
    if (!*is) return RUNG_OK;
    if (m.unclear && said) m.form = t->decimal == ',' ? FORM_COMMA : FORM_GROUPED;
    if (m.unclear && !said) TRY(settle_commas(ctx, t, j, example_with(c, ','), &m.form));
    code->form = m.form;
    TRY(pool_text(ctx, mem, m.unit, &code->unit));
    table_column_label(t, j, label);
    option_detail(t, j, "nominal", detail);
    if (m.limit)
        log_at(ctx, RUNG_LOG_WARNING, "%s: column %s holds limits such as '%.40s', which are read as their number",
               t->path, label, m.limit);
    if (!m.limit && !said)
        log_hint(ctx, RUNG_LOG_WARNING, detail,
                 "%s: column %s holds numbers written as '%.40s'; they are read as numbers%s%s%s; declare it nominal "
                 "if they are names",
                 t->path, label, m.odd ? m.odd : example_of(c), *m.unit ? " in '" : "", m.unit, *m.unit ? "'" : "");
    return RUNG_OK;
}

/* Times; *is false: they are none. */
static void as_hours(rung_ctx *ctx, const rung_table *t, int64_t j, bool said, column_code *code, bool *is)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    double hours;
    *is = form_of_hours(c->n_values, c->values);
    if (!*is) return;
    code->form = FORM_HOURS;
    if (said || !form_hours(example_of(c), &hours)) return;
    log_hint(ctx, RUNG_LOG_WARNING, option_detail(t, j, "nominal", detail),
             "%s: column %s holds times such as '%.40s'; they are read as hours (%.4g)", t->path,
             table_column_label(t, j, label), example_of(c), hours);
}

/* A text column that the caller says holds numbers. */
static rung_status as_numbers(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *code)
{
    const column *c = &t->columns[j];
    text_look l = look_at(t, c);
    char label[COLUMN_LABEL];
    bool unclear, is;
    if (l.other < 0 || all_truths(t, c)) return RUNG_OK;
    if (form_of_numbers(c->n_values, c->values, &code->form, &unclear)) {
        if (unclear) code->form = t->decimal == ',' ? FORM_COMMA : FORM_GROUPED;
        return RUNG_OK;
    }
    TRY(with_unit(ctx, mem, t, j, true, code, &is));
    if (!is) as_hours(ctx, t, j, true, code, &is);
    if (is) return RUNG_OK;
    return set_error(ctx, RUNG_EDATA, "%s, line %lld, column %s: '%.40s' is no number; leave a missing cell empty",
                     table_path(t, l.other), (long long)table_line(t, l.other), table_column_label(t, j, label),
                     c->values[c->text[l.other]]);
}

/* Texts that are all numbers: codes, dates without marks between their parts, or numbers that the caller calls text. */
static rung_status digits_kind(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const text_look *l,
                               column_code *code, bool *left_out)
{
    static const column_option nothing = {0};
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    bool is;
    TRY(as_dates(ctx, t, j, &nothing, code, &is));
    if (is && l->cells >= LEAST_CELLS) {
        tell_dates(ctx, t, j, code, example_of(c));
        return RUNG_OK;
    }
    code->form = FORM_PLAIN;
    TRY(text_is_identifier(ctx, t, c, l->cells, left_out));
    table_column_label(t, j, label);
    option_detail(t, j, "numeric nominal", detail);
    if (*left_out) {
        log_hint(ctx, RUNG_LOG_WARNING, detail,
                 "%s: column %s has %d distinct %s such as '%.40s' in %lld rows and is left out, as identifiers are",
                 t->path, label, c->n_values, l->code ? "codes" : "numbers given as text",
                 l->code ? l->code : example_of(c), (long long)t->n_rows);
        return RUNG_OK;
    }
    if (l->code)
        log_hint(ctx, RUNG_LOG_WARNING, option_detail(t, j, "numeric", detail),
                 "%s: column %s holds codes such as '%.40s', which are taken as categories, not as numbers", t->path,
                 label, l->code);
    return as_categories(ctx, mem, t, j, code);
}

/* 120/80: two numbers in a cell. */
static bool is_pair(const char *text)
{
    const char *slash = strchr(text, '/');
    double x;
    return slash && text_number(text, (size_t)(slash - text), '.', &x) && is_number(slash + 1, '.');
}

static bool all_pairs(const column *c)
{
    bool any = false;
    for (int32_t v = 0; v < c->n_values; v++) {
        if (says_missing(c->values[v])) continue;
        if (!is_pair(c->values[v])) return false;
        any = true;
    }
    return any;
}

/* Text that is a number in one way or another; *is false: it is none. */
static rung_status written_numbers(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *code,
                                   bool *is)
{
    static const column_option nothing = {0};
    TRY(with_commas(ctx, t, j, code, is));
    if (*is) return RUNG_OK;
    TRY(as_dates(ctx, t, j, &nothing, code, is));
    if (*is) {
        tell_dates(ctx, t, j, code, example_of(&t->columns[j]));
        return RUNG_OK;
    }
    as_hours(ctx, t, j, false, code, is);
    return *is ? RUNG_OK : with_unit(ctx, mem, t, j, false, code, is);
}

/* Numbers with a few words among them: a mistake in one of them, or categories. */
static rung_status mostly_numbers(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const text_look *l,
                                  column_code *code)
{
    const column *c = &t->columns[j];
    const char *text = c->values[c->text[l->other]];
    long long line = (long long)table_line(t, l->other), numbers = (long long)l->numbers,
              cells = (long long)(l->cells - l->missing);
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    table_column_label(t, j, label);
    if (c->n_values > FEW_NUMBERS)
        return hint(ctx,
                    set_error(ctx, RUNG_EDATA,
                              "%s, line %lld, column %s: '%.40s' is no number, but %lld of the %lld cells of the "
                              "column are; leave a missing cell empty, or say that the column is nominal",
                              table_path(t, l->other), line, label, text, numbers, cells),
                    "%s", option_detail(t, j, "nominal", detail));
    log_at(ctx, RUNG_LOG_WARNING,
           "%s: column %s is taken as categories because of '%.40s' in line %lld, though %lld of its %lld cells "
           "are numbers; leave a missing cell empty",
           table_path(t, l->other), label, text, line, numbers, cells);
    return as_categories(ctx, mem, t, j, code);
}

static void tell_left_out(rung_ctx *ctx, const rung_table *t, int64_t j, const text_look *l, bool pairs)
{
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    table_column_label(t, j, label);
    option_detail(t, j, "nominal", detail);
    if (pairs)
        log_hint(
            ctx, RUNG_LOG_WARNING, detail,
            "%s: column %s holds pairs of numbers such as '%.40s' and is left out; give each number a column of its "
            "own",
            t->path, label, example_of(c));
    else if (4 * l->numbers >= l->cells)
        log_hint(ctx, RUNG_LOG_WARNING, detail,
                 "%s: column %s holds %lld numbers and %lld other cells such as '%.40s' in line %lld, and is left out; "
                 "leave cells without a number empty to keep it",
                 table_path(t, l->other), label, (long long)l->numbers, (long long)(l->cells - l->numbers),
                 c->values[c->text[l->other]], (long long)table_line(t, l->other));
    else
        log_hint(ctx, RUNG_LOG_WARNING, detail,
                 "%s: column %s has %d distinct texts in %lld rows and is left out, as identifiers and free text are; "
                 "declare it "
                 "nominal to keep it",
                 t->path, label, c->n_values, (long long)t->n_rows);
}

static rung_status text_kind(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *code,
                             bool *left_out)
{
    const column *c = &t->columns[j];
    text_look l = look_at(t, c);
    bool is = false;
    if (l.cells == l.missing) return as_categories(ctx, mem, t, j, code);
    if (all_truths(t, c)) return RUNG_OK;
    if (l.other < 0 && (!l.missing || l.code)) return digits_kind(ctx, mem, t, j, &l, code, left_out);
    if (l.other < 0 && c->n_values > FEW_NUMBERS) return RUNG_OK;
    if (l.other < 0) return as_categories(ctx, mem, t, j, code);
    TRY(written_numbers(ctx, mem, t, j, code, &is));
    if (is) return RUNG_OK;
    if ((double)l.numbers >= MOSTLY * (double)(l.cells - l.missing)) return mostly_numbers(ctx, mem, t, j, &l, code);
    bool pairs = l.cells >= LEAST_CELLS && all_pairs(c);
    *left_out = pairs;
    if (!pairs) TRY(text_is_identifier(ctx, t, c, l.cells, left_out));
    if (!*left_out) return as_categories(ctx, mem, t, j, code);
    tell_left_out(ctx, t, j, &l, pairs);
    return RUNG_OK;
}

/* ---- numbers ---- */

/* A point that parts thousands has one to three digits before it and three after it. */
static bool may_be_thousands(double x)
{
    double scaled = 1000 * x;
    return fabs(x) < 1000 && fabs(scaled - round(scaled)) < 1e-6;
}

rung_status column_points_check(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    const double *x = t->columns[j].number;
    char label[COLUMN_LABEL], name[OPTION_NAME];
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
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    log_hint(ctx, RUNG_LOG_WARNING, option_detail(t, j, "numeric", detail),
             "%s: column %s only counts the rows and is left out; declare it numeric to keep it", t->path,
             table_column_label(t, j, label));
}

/* Numbers whose name or form says that they are none: codes of something, or dates such as 20240131. */
static rung_status number_kind(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *code,
                               column_use *use)
{
    static const column_option nothing = {0};
    const column *c = &t->columns[j];
    char label[COLUMN_LABEL], detail[OPTION_DETAIL], text[24];
    bool is;
    code_numbers codes;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(numbers_look(ctx, t, c, &codes));
    TRY(as_dates(ctx, t, j, &nothing, code, &is));
    if (is) {
        snprintf(text, sizeof text, "%.0f", codes.example);
        tell_dates(ctx, t, j, code, text);
        return RUNG_OK;
    }
    TRY(counts_rows(ctx, t, c, &is));
    pool_release(&ctx->scratch, mark);
    if (is) *use = USE_COUNTER;
    if (is) return RUNG_OK;
    code->form = FORM_PLAIN;
    table_column_label(t, j, label);
    if (codes.sentinel_cells > 0)
        log_at(
            ctx, RUNG_LOG_WARNING,
            "%s: column %s holds %.0f in %lld rows, far from all its other numbers; if it stands for a missing value, "
            "leave these cells empty",
            t->path, label, codes.sentinel, (long long)codes.sentinel_cells);
    if (!codes.are) return RUNG_OK;
    option_detail(t, j, codes.identifier ? "numeric nominal groups" : "numeric groups", detail);
    *use = codes.identifier ? USE_NOTHING : USE_FEATURE;
    log_hint(ctx, RUNG_LOG_WARNING, detail,
             codes.identifier ? "%s: column %s has %lld distinct whole numbers in %lld rows and, by its name, holds "
                                "identifiers; it is left out"
                              : "%s: column %s holds %lld distinct whole numbers in %lld rows and, by its name, codes; "
                                "they are taken as categories, not as numbers",
             t->path, label, (long long)codes.distinct, (long long)t->n_rows);
    return codes.identifier ? RUNG_OK : as_categories(ctx, mem, t, j, code);
}

/* The first column of a file that R or pandas wrote with the names of its rows: a header without a name for it, which
 * pandas reads as Unnamed: 0. */
static bool row_names(const rung_table *t, int64_t j)
{
    const column *c = &t->columns[j];
    return j == 0 && t->n_columns > 1 && (c->unnamed || strcmp(c->name, "Unnamed: 0") == 0);
}

static void tell_row_names(rung_ctx *ctx, const rung_table *t, int64_t j)
{
    char label[COLUMN_LABEL], detail[OPTION_DETAIL];
    log_hint(ctx, RUNG_LOG_WARNING, option_detail(t, j, "numeric nominal", detail),
             "%s: column %s, the first, has no name in the file, so it holds the names of the rows and is left out; "
             "declare it numeric or nominal to keep it",
             t->path, table_column_label(t, j, label));
}

rung_status column_kind_of(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const column_option *said,
                           column_code *out, column_use *use)
{
    const column *c = &t->columns[j];
    bool is = false;
    *use = USE_FEATURE;
    if (said->kind == OPTION_NOMINAL) return as_said_categories(ctx, mem, t, j, said, out);
    if (said->kind == OPTION_ORDINAL) return as_ordinal(ctx, mem, said->n_words, (const char *const *)said->words, out);
    if (said->kind == OPTION_DATE) return as_dates(ctx, t, j, said, out, &is);
    if (said->kind == OPTION_NUMERIC) return c->kind == COLUMN_TEXT ? as_numbers(ctx, mem, t, j, out) : RUNG_OK;
    if (row_names(t, j)) {
        tell_row_names(ctx, t, j);
        return *use = USE_NOTHING, RUNG_OK;
    }
    if (c->ordered && c->n_values > 0) return as_ordinal(ctx, mem, c->n_values, c->values, out);
    if (c->kind == COLUMN_TEXT && c->declared) return as_categories(ctx, mem, t, j, out);
    if (c->kind == COLUMN_NUMBER) return number_kind(ctx, mem, t, j, out, use);
    TRY(text_kind(ctx, mem, t, j, out, &is));
    if (is) *use = USE_NOTHING;
    return RUNG_OK;
}

int64_t column_missing_words(const rung_table *t, int64_t j, const char **word)
{
    const column *c = &t->columns[j];
    if (c->kind == COLUMN_NUMBER) return *word = c->mark, c->marks;
    text_look l = look_at(t, c);
    for (int32_t v = 0; v < c->n_values && l.missing; v++)
        if (says_missing(c->values[v])) return *word = c->values[v], l.missing;
    return 0;
}
