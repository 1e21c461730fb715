// SPDX-License-Identifier: BSD-3-Clause
/* Files of SPSS, Stata and SAS through ReadStat, which hands over what it finds: variables, rows, and the names of
 * values, in Stata's files after the rows. Numbers stay numbers beside the names that their variable has. */
#include "input/sheet/stat_read.h"

#ifndef RUNG_READSTAT
rung_status stat_read(rung_ctx *ctx, sheet_kind kind, const char *bytes, int64_t n, rung_table *t)
{
    (void)bytes, (void)n;
    return set_error(
        ctx, RUNG_EDATA,
        "%s is %s; this rung was built without ReadStat, which reads SPSS, Stata and SAS files; save it as "
        "CSV",
        t->path, sheet_called(kind));
}
#else

#include <math.h>
#include <readstat.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/sheet/stat_dates.h"
#include "input/table/dictionary.h"

enum { MOST_VARIABLES = 1 << 16, MOST_RANGES = 8, LOOKED_AFTER = 1024 };

typedef struct {
    const char *set; /* of value labels; NULL: it has none */
    stat_calendar calendar;
    int64_t beyond; /* dates outside of the calendar */
    dictionary words;
    int n_ranges; /* of numbers that the user calls missing */
    double low[MOST_RANGES], high[MOST_RANGES];
} variable;

typedef struct {
    const char *set, *key; /* key: of a variable of text; NULL: code */
    double code;
    const char *name;
} value_label;

typedef struct {
    rung_ctx *ctx;
    rung_status status; /* of a handler */
    sheet_kind kind;
    const char *bytes;
    int64_t n_bytes, at;
    rung_table *t;
    int64_t room, column_room, n_labels, label_room;
    variable *variables;
    value_label *labels;
    const char *weights; /* the variable that the file declares to be them; NULL: none */
} reading;

/* ---- the bytes ---- */

static int open_bytes(const char *path, void *user)
{
    (void)path, (void)user;
    return 0;
}

static int close_bytes(void *user)
{
    (void)user;
    return 0;
}

static readstat_off_t seek_bytes(readstat_off_t offset, readstat_io_flags_t whence, void *user)
{
    reading *r = user;
    int64_t from = whence == READSTAT_SEEK_SET ? 0 : whence == READSTAT_SEEK_CUR ? r->at : r->n_bytes;
    if (offset < -from || offset > r->n_bytes - from) return -1;
    return (readstat_off_t)(r->at = from + (int64_t)offset);
}

static ssize_t read_bytes(void *to, size_t wanted, void *user)
{
    reading *r = user;
    size_t left = (size_t)(r->n_bytes - r->at), take = wanted < left ? wanted : left;
    memcpy(to, r->bytes + r->at, take);
    r->at += (int64_t)take;
    return (ssize_t)take;
}

static readstat_error_t update_bytes(long size, readstat_progress_handler handler, void *user, void *io)
{
    (void)size, (void)handler, (void)user, (void)io;
    return READSTAT_OK;
}

/* ---- variables ---- */

/* What a handler returns. */
static int told(reading *r, rung_status status)
{
    r->status = status;
    return status == RUNG_OK ? READSTAT_HANDLER_OK : READSTAT_HANDLER_ABORT;
}

static rung_status text_of(reading *r, const char *text, const char **out)
{
    *out = NULL;
    return text && *text && text_is_utf8(text) ? pool_text(r->ctx, &r->t->mem, text, out) : RUNG_OK;
}

static column_level level_of(readstat_measure_t measure)
{
    return measure == READSTAT_MEASURE_NOMINAL   ? LEVEL_NOMINAL
           : measure == READSTAT_MEASURE_ORDINAL ? LEVEL_ORDINAL
           : measure == READSTAT_MEASURE_SCALE   ? LEVEL_SCALE
                                                 : LEVEL_UNKNOWN;
}

static rung_status more_columns(reading *r, int64_t index)
{
    if (index != r->t->n_columns || index >= MOST_VARIABLES)
        return set_error(r->ctx, RUNG_EDATA, "%s: variable %lld of a file that may have %d", r->t->path,
                         (long long)index + 1, MOST_VARIABLES);
    if (index < r->column_room) return RUNG_OK;
    r->column_room = 2 * r->column_room + 16;
    TRY(RESIZE(r->ctx, &r->t->mem, r->t->columns, r->column_room));
    return RESIZE(r->ctx, &r->ctx->scratch, r->variables, r->column_room);
}

static rung_status take_variable(reading *r, int64_t index, const readstat_variable_t *from, const char *set)
{
    TRY(more_columns(r, index));
    column *c = &r->t->columns[index];
    variable *v = &r->variables[index];
    *c = (column){.name = "", .odd_row = -1, .level = level_of(readstat_variable_get_measure(from))};
    *v = (variable){0};
    r->t->n_columns++;
    const char *name;
    TRY(text_of(r, readstat_variable_get_name(from), &name));
    if (!name)
        return set_error(r->ctx, RUNG_EDATA, "%s: variable %lld has no name in UTF-8", r->t->path,
                         (long long)index + 1);
    c->name = name;
    for (int64_t j = 0; j < index; j++)
        if (strcmp(r->t->columns[j].name, name) == 0)
            return set_error(r->ctx, RUNG_EDATA, "%s: variables %lld and %lld are both named '%.80s'", r->t->path,
                             (long long)j + 1, (long long)index + 1, name);
    TRY(text_of(r, readstat_variable_get_label(from), &c->title));
    if (set && *set) TRY(pool_text(r->ctx, &r->ctx->scratch, set, &v->set));
    bool text = readstat_variable_get_type_class(from) == READSTAT_TYPE_CLASS_STRING;
    if (!text) v->calendar = stat_calendar_of(r->kind, readstat_variable_get_format(from));
    bool date = v->calendar.counts != COUNT_NUMBER && v->calendar.counts != COUNT_TIME;
    c->native = date ? NATIVE_DATE : text ? NATIVE_UNKNOWN : NATIVE_NUMBER;
    c->kind = text || v->calendar.counts != COUNT_NUMBER ? COLUMN_TEXT : COLUMN_NUMBER;
    for (int k = 0; !text && k < readstat_variable_get_missing_ranges_count(from) && k < MOST_RANGES; k++) {
        v->low[v->n_ranges] = readstat_double_value(readstat_variable_get_missing_range_lo(from, k));
        v->high[v->n_ranges++] = readstat_double_value(readstat_variable_get_missing_range_hi(from, k));
    }
    return RUNG_OK;
}

static int on_variable(int index, readstat_variable_t *from, const char *set, void *user)
{
    return told(user, take_variable(user, index, from, set));
}

static int on_weights(readstat_variable_t *from, void *user)
{
    reading *r = user;
    return told(r, text_of(r, readstat_variable_get_name(from), &r->weights));
}

/* ---- rows ---- */

static rung_status more_rows(reading *r)
{
    rung_table *t = r->t;
    int64_t rows = 2 * r->room + 64;
    TRY(memory_check(r->ctx, (double)t->mem.bytes + (double)(rows - r->room) * (double)t->n_columns * sizeof(double),
                     "the table read"));
    for (int64_t j = 0; j < t->n_columns; j++) {
        column *c = &t->columns[j];
        if (c->kind == COLUMN_NUMBER)
            TRY(RESIZE(r->ctx, &t->mem, c->number, rows));
        else
            TRY(RESIZE(r->ctx, &t->mem, c->text, rows));
    }
    r->room = rows;
    return RUNG_OK;
}

static rung_status begin_row(reading *r)
{
    rung_table *t = r->t;
    if (t->n_rows % LOOKED_AFTER == 0) {
        TRY(interrupted(r->ctx));
        TRY(memory_check(r->ctx, (double)(t->mem.bytes + r->ctx->scratch.bytes), "the table read"));
        progress(r->ctx, "reading", (double)r->at / (double)r->n_bytes);
    }
    if (t->n_rows == r->room) TRY(more_rows(r));
    for (int64_t j = 0; j < t->n_columns; j++)
        if (t->columns[j].kind == COLUMN_NUMBER)
            t->columns[j].number[t->n_rows] = NAN;
        else
            t->columns[j].text[t->n_rows] = -1;
    t->n_rows++;
    return RUNG_OK;
}

static rung_status take_text(reading *r, int64_t row, int64_t j, const char *text)
{
    rung_table *t = r->t;
    int32_t *to = &t->columns[j].text[row];
    size_t length = text ? strlen(text) : 0;
    while (length > 0 && text[length - 1] == ' ') length--;
    if (length == 0) return RUNG_OK;
    rung_status status = dictionary_add(r->ctx, &t->mem, &r->variables[j].words, text, length, to);
    char label[COLUMN_LABEL];
    if (status != RUNG_EDATA) return status;
    return prefix_error(r->ctx, status, "%s, row %lld, column %s: ", t->path, (long long)row + 1,
                        table_column_label(t, j, label));
}

static rung_status take_value(reading *r, int64_t row, int64_t j, readstat_variable_t *from, readstat_value_t value)
{
    rung_table *t = r->t;
    if (j < 0 || j >= t->n_columns || row < 0 || row > t->n_rows)
        return set_error(r->ctx, RUNG_EDATA, "%s is damaged: a value of row %lld, variable %lld", t->path,
                         (long long)row + 1, (long long)j + 1);
    if (row == t->n_rows) TRY(begin_row(r));
    if (readstat_value_is_missing(value, from)) return RUNG_OK;
    bool text = readstat_value_type_class(value) == READSTAT_TYPE_CLASS_STRING;
    column *c = &t->columns[j];
    if (text) return c->kind == COLUMN_TEXT ? take_text(r, row, j, readstat_string_value(value)) : RUNG_OK;
    double x = readstat_double_value(value);
    if (!isfinite(x)) return RUNG_OK;
    if (c->kind == COLUMN_NUMBER) return c->number[row] = x, RUNG_OK;
    char date[STAT_DATE];
    if (stat_date_text(&r->variables[j].calendar, x, date)) return take_text(r, row, j, date);
    r->variables[j].beyond++;
    return RUNG_OK;
}

static int on_value(int row, readstat_variable_t *from, readstat_value_t value, void *user)
{
    return told(user, take_value(user, row, readstat_variable_get_index(from), from, value));
}

/* ---- names of values ---- */

static rung_status take_label(reading *r, const char *set, readstat_value_t value, const char *name)
{
    rung_ctx *ctx = r->ctx;
    bool text = readstat_value_type_class(value) == READSTAT_TYPE_CLASS_STRING;
    if (!set || !name || !*name || !text_is_utf8(name)) return RUNG_OK;
    if (readstat_value_is_system_missing(value) || readstat_value_is_tagged_missing(value)) return RUNG_OK;
    if (r->n_labels == r->label_room) {
        r->label_room = 2 * r->label_room + 64;
        TRY(memory_check(ctx, (double)r->label_room * sizeof *r->labels, "value labels"));
        TRY(RESIZE(ctx, &ctx->scratch, r->labels, r->label_room));
    }
    value_label *one = &r->labels[r->n_labels];
    *one = (value_label){0};
    TRY(pool_text(ctx, &ctx->scratch, set, &one->set));
    TRY(pool_text(ctx, &ctx->scratch, name, &one->name));
    const char *key = text ? readstat_string_value(value) : NULL;
    if (text && !key) return RUNG_OK;
    if (key) TRY(pool_text(ctx, &ctx->scratch, key, &one->key));
    if (!text) one->code = readstat_double_value(value);
    r->n_labels++;
    return RUNG_OK;
}

static int on_label(const char *set, readstat_value_t value, const char *name, void *user)
{
    return told(user, take_label(user, set, value, name));
}

/* Texts become the names that their variable has for them, unless two would be one. */
static rung_status name_texts(reading *r, int64_t j)
{
    dictionary *words = &r->variables[j].words, named = {0};
    for (int32_t v = 0; v < words->n; v++) {
        const char *name = words->values[v];
        int32_t index;
        for (int64_t k = 0; k < r->n_labels; k++) {
            const value_label *one = &r->labels[k];
            size_t length = one->key ? strlen(one->key) : 0;
            while (length > 0 && one->key[length - 1] == ' ') length--;
            if (one->key && strcmp(one->set, r->variables[j].set) == 0 && strlen(words->values[v]) == length &&
                memcmp(words->values[v], one->key, length) == 0)
                name = one->name;
        }
        TRY(dictionary_add(r->ctx, &r->t->mem, &named, name, strlen(name), &index));
        if (index != v) return RUNG_OK;
    }
    *words = named;
    return RUNG_OK;
}

static bool user_missing(const variable *v, double x)
{
    for (int k = 0; k < v->n_ranges; k++)
        if (x >= v->low[k] && x <= v->high[k]) return true;
    return false;
}

/* A value that is called N/A, although nothing else says so, is missing. */
static void drop_value(reading *r, int64_t j, double code, const char *name)
{
    column *c = &r->t->columns[j];
    char label[COLUMN_LABEL];
    int64_t cells = 0;
    for (int64_t i = 0; i < r->t->n_rows; i++)
        if (c->number[i] == code) c->number[i] = NAN, cells++;
    if (cells > 0)
        log_at(r->ctx, RUNG_LOG_WARNING, "%s: %lld cell%s of column %s with the value label '%.40s' %s read as missing",
               r->t->path, (long long)cells, cells == 1 ? "" : "s", table_column_label(r->t, j, label), name,
               cells == 1 ? "is" : "are");
}

static rung_status name_numbers(reading *r, int64_t j)
{
    double *code = NULL;
    const char **name = NULL;
    int32_t n = 0;
    pool_mark mark = pool_here(&r->ctx->scratch);
    TRY(NEW_RAW(r->ctx, &r->ctx->scratch, code, r->n_labels));
    TRY(NEW_RAW(r->ctx, &r->ctx->scratch, name, r->n_labels));
    for (int64_t k = 0; k < r->n_labels; k++) {
        const value_label *one = &r->labels[k];
        if (one->key || strcmp(one->set, r->variables[j].set) != 0) continue;
        if (!isfinite(one->code) || user_missing(&r->variables[j], one->code)) continue;
        size_t length = strlen(one->name);
        if (cell_missing(one->name, length) || cell_says_missing(one->name, length, false)) {
            drop_value(r, j, one->code, one->name);
            continue;
        }
        code[n] = one->code;
        name[n++] = one->name;
    }
    TRY(named_values_make(r->ctx, &r->t->mem, n, code, name, &r->t->columns[j].values_named));
    pool_release(&r->ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status finish(reading *r)
{
    for (int64_t j = 0; j < r->t->n_columns; j++) {
        column *c = &r->t->columns[j];
        variable *v = &r->variables[j];
        char label[COLUMN_LABEL];
        if (v->set && c->kind == COLUMN_NUMBER) TRY(name_numbers(r, j));
        if (v->set && c->kind == COLUMN_TEXT && v->calendar.counts == COUNT_NUMBER) TRY(name_texts(r, j));
        if (v->beyond > 0)
            log_at(r->ctx, RUNG_LOG_WARNING,
                   "%s: %lld dates of column %s are outside of the years 1 to 9999 and read "
                   "as missing",
                   r->t->path, (long long)v->beyond, table_column_label(r->t, j, label));
        c->n_values = v->words.n;
        c->values = v->words.values;
        c->declared_weights = r->weights && strcmp(r->weights, c->name) == 0;
        dictionary_seal(&r->t->mem, &v->words);
    }
    if (r->t->n_columns > 0) return RUNG_OK;
    return set_error(r->ctx, RUNG_EDATA, "%s is %s without variables", r->t->path, sheet_called(r->kind));
}

/* ---- the file ---- */

static readstat_error_t parse(reading *r, readstat_parser_t *p)
{
    readstat_set_open_handler(p, open_bytes);
    readstat_set_close_handler(p, close_bytes);
    readstat_set_seek_handler(p, seek_bytes);
    readstat_set_read_handler(p, read_bytes);
    readstat_set_update_handler(p, update_bytes);
    readstat_set_io_ctx(p, r);
    readstat_set_variable_handler(p, on_variable);
    readstat_set_fweight_handler(p, on_weights);
    readstat_set_value_handler(p, on_value);
    readstat_set_value_label_handler(p, on_label);
    switch (r->kind) {
    case SHEET_SAV: return readstat_parse_sav(p, "", r);
    case SHEET_POR: return readstat_parse_por(p, "", r);
    case SHEET_DTA: return readstat_parse_dta(p, "", r);
    case SHEET_XPT: return readstat_parse_xport(p, "", r);
    default: return readstat_parse_sas7bdat(p, "", r);
    }
}

rung_status stat_read(rung_ctx *ctx, sheet_kind kind, const char *bytes, int64_t n, rung_table *t)
{
    reading r = {.ctx = ctx, .kind = kind, .bytes = bytes, .n_bytes = n, .t = t};
    readstat_parser_t *p = readstat_parser_init();
    if (!p) return set_error(ctx, RUNG_ENOMEM, "out of memory: reading %s", t->path);
    readstat_error_t code = parse(&r, p);
    readstat_parser_free(p);
    if (r.status != RUNG_OK) return r.status;
    if (code == READSTAT_ERROR_MALLOC) return set_error(ctx, RUNG_ENOMEM, "out of memory: reading %s", t->path);
    if (code != READSTAT_OK)
        return set_error(ctx, RUNG_EDATA, "%s is %s that cannot be read: %s", t->path, sheet_called(kind),
                         readstat_error_message(code));
    return finish(&r);
}
#endif
