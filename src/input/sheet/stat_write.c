// SPDX-License-Identifier: BSD-3-Clause
/* Files of SPSS, Stata and SAS through ReadStat. Names that the program would refuse are changed, and stand in the
 * variable labels then. */
#include "input/sheet/sheet_write.h"

#ifndef RUNG_READSTAT
rung_status stat_write(rung_ctx *ctx, const rung_table *t, sheet_kind kind, bool packed, rung_write_fn *write,
                       void *user)
{
    (void)t, (void)packed, (void)write, (void)user;
    return set_error(ctx, RUNG_EARG, "%s is written by ReadStat, without which this rung was built",
                     sheet_called(kind));
}
#else

#include <ctype.h>
#include <math.h>
#include <readstat.h>
#include <stdio.h>
#include <string.h>

#include "input/table/dictionary.h"

enum { NAME = 33, MOST_INT32 = 2147483620 /* of Stata; above are its missing values */ };

typedef struct {
    const double *number; /* NULL: text */
    bool names, whole;    /* numbers that have names; 32-bit integers */
    readstat_variable_t *variable;
    double factor, epoch; /* of dates */
} written_column;

typedef struct {
    rung_ctx *ctx;
    const rung_table *t;
    sheet_kind kind;
    rung_write_fn *write;
    void *user;
    bool stopped; /* by the caller */
    readstat_writer_t *writer;
    written_column *columns;
} writing;

static ssize_t on_bytes(const void *bytes, size_t n, void *user)
{
    writing *w = user;
    if (w->write(w->user, bytes, (int64_t)n) == 0) return (ssize_t)n;
    w->stopped = true; /* ReadStat does not take every failure for one */
    return 0;
}

/* ---- names ---- */

static bool name_byte(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Letters, digits and _, a letter first, at most 32 (8 in a transport file), each once however they are spelt. */
static rung_status own_name(writing *w, int64_t j, dictionary *taken, char out[NAME])
{
    const char *name = w->t->columns[j].name;
    int32_t index, before = taken->n;
    int most = w->kind == SHEET_XPT ? 8 : NAME - 1, n = 0;
    char given[NAME], lower[NAME];
    if (!*name) snprintf(given, sizeof given, "column%lld", (long long)j + 1), name = given;
    if (!isalpha((unsigned char)*name)) out[n++] = 'v';
    for (; *name && n < most; name++)
        if (name_byte(*name) || (n > 0 && out[n - 1] != '_')) out[n++] = name_byte(*name) ? *name : '_';
    while (n > 1 && out[n - 1] == '_') n--;
    out[n] = 0;
    for (int again = 2;; again++) {
        for (n = 0; out[n]; n++) lower[n] = (char)tolower((unsigned char)out[n]);
        TRY(dictionary_add(w->ctx, &w->ctx->scratch, taken, lower, (size_t)n, &index));
        if (taken->n > before) return RUNG_OK;
        char number[16];
        int digits = snprintf(number, sizeof number, "_%d", again), keep = n + digits > most ? most - digits : n;
        if (again > 2 && strrchr(out, '_')) keep = (int)(strrchr(out, '_') - out);
        if (keep + digits > most) keep = most - digits;
        snprintf(out + keep, (size_t)(NAME - keep), "%s", number);
    }
}

/* At most `most` bytes of UTF-8. */
static const char *shortened(const char *text, size_t most, char *out)
{
    size_t n = strlen(text);
    if (n <= most) return text;
    for (n = most; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
    memcpy(out, text, n);
    out[n] = 0;
    return out;
}

/* ---- variables ---- */

static void add_names(writing *w, int64_t j)
{
    const named_values *v = &w->t->columns[j].values_named;
    written_column *out = &w->columns[j];
    char set[32], name[124];
    snprintf(set, sizeof set, "labels%lld", (long long)j + 1);
    readstat_label_set_t *labels =
        readstat_add_label_set(w->writer, out->whole ? READSTAT_TYPE_INT32 : READSTAT_TYPE_DOUBLE, set);
    for (int32_t k = 0; k < v->n; k++) {
        const char *text = shortened(v->name[k], 120, name);
        if (out->whole)
            readstat_label_int32_value(labels, (int32_t)v->code[k], text);
        else
            readstat_label_double_value(labels, v->code[k], text);
    }
    readstat_variable_set_label_set(out->variable, labels);
}

/* Stata names whole numbers only. */
static bool can_name(const writing *w, const column *c, const double *x)
{
    if (w->kind == SHEET_XPT || c->values_named.n == 0) return false;
    if (w->kind != SHEET_DTA) return true;
    for (int64_t i = 0; i < w->t->n_rows; i++)
        if (!isnan(x[i]) && !(x[i] == floor(x[i]) && fabs(x[i]) < MOST_INT32)) return false;
    for (int32_t k = 0; k < c->values_named.n; k++)
        if (!(c->values_named.code[k] == floor(c->values_named.code[k]) && fabs(c->values_named.code[k]) < MOST_INT32))
            return false;
    return true;
}

static size_t text_width(const column *c)
{
    size_t most = 1;
    for (int32_t v = 0; c->kind == COLUMN_NUMBER && v < c->values_named.n; v++)
        if (strlen(c->values_named.name[v]) > most) most = strlen(c->values_named.name[v]);
    for (int32_t v = 0; v < c->n_values; v++)
        if (strlen(c->values[v]) > most) most = strlen(c->values[v]);
    return most;
}

static void set_date(writing *w, written_column *out, bool fraction)
{
    const char *format = w->kind == SHEET_DTA   ? fraction ? "%tc" : "%td"
                         : w->kind == SHEET_SAV ? fraction ? "DATETIME20" : "DATE11"
                         : fraction             ? "DATETIME20"
                                                : "DATE9";
    bool days = !fraction && w->kind != SHEET_SAV;
    readstat_variable_set_format(out->variable, format);
    out->epoch = w->kind == SHEET_SAV ? -141428 : -3653;
    out->factor = days ? 1 : w->kind == SHEET_DTA ? 86400000 : 86400;
}

/* Whether all numbers that occur have names. */
static bool all_named(const rung_table *t, const column *c, const double *x)
{
    for (int64_t i = 0; i < t->n_rows; i++)
        if (!isnan(x[i]) && named_values_find(&c->values_named, x[i]) < 0) return false;
    return true;
}

static rung_status add_variable(writing *w, int64_t j, dictionary *taken)
{
    const column *c = &w->t->columns[j];
    written_column *out = &w->columns[j];
    char name[NAME], label[256];
    bool fraction;
    TRY(own_name(w, j, taken, name));
    TRY(sheet_numbers(w->ctx, w->t, j, &out->number, &fraction));
    out->names = out->number && can_name(w, c, out->number);
    if (out->number && c->values_named.n > 0 && !out->names && all_named(w->t, c, out->number))
        out->number = NULL; /* the names as text */
    out->whole = out->names && w->kind == SHEET_DTA;
    out->factor = 1;
    out->variable = readstat_add_variable(w->writer, name,
                                          !out->number ? READSTAT_TYPE_STRING
                                          : out->whole ? READSTAT_TYPE_INT32
                                                       : READSTAT_TYPE_DOUBLE,
                                          out->number ? 8 : text_width(c));
    const char *title = c->title ? c->title : strcmp(name, c->name) != 0 ? c->name : NULL;
    size_t most = w->kind == SHEET_SAV ? 250 : w->kind == SHEET_DTA ? 80 : 40;
    if (title) readstat_variable_set_label(out->variable, shortened(title, most, label));
    if (out->names) add_names(w, j);
    if (out->number && c->native == NATIVE_DATE) set_date(w, out, fraction);
    if (c->level != LEVEL_UNKNOWN)
        readstat_variable_set_measure(out->variable, c->level == LEVEL_NOMINAL   ? READSTAT_MEASURE_NOMINAL
                                                     : c->level == LEVEL_ORDINAL ? READSTAT_MEASURE_ORDINAL
                                                                                 : READSTAT_MEASURE_SCALE);
    if (c->declared_weights && w->kind == SHEET_SAV) readstat_writer_set_fweight_variable(w->writer, out->variable);
    return RUNG_OK;
}

/* ---- rows ---- */

static const char *text_at(const column *c, int64_t row)
{
    if (c->kind == COLUMN_TEXT) return c->text[row] < 0 ? "" : c->values[c->text[row]];
    int32_t named = named_values_find(&c->values_named, c->number[row]);
    return named < 0 ? "" : c->values_named.name[named];
}

static readstat_error_t put(writing *w, int64_t row, int64_t j)
{
    const column *c = &w->t->columns[j];
    const written_column *out = &w->columns[j];
    if (!out->number) return readstat_insert_string_value(w->writer, out->variable, text_at(c, row));
    double x = out->number[row];
    if (!isfinite(x)) return readstat_insert_missing_value(w->writer, out->variable);
    if (out->whole) return readstat_insert_int32_value(w->writer, out->variable, (int32_t)x);
    return readstat_insert_double_value(w->writer, out->variable, (x - out->epoch) * out->factor);
}

static rung_status refused(writing *w, readstat_error_t code)
{
    if (w->stopped) return set_error(w->ctx, RUNG_EIO, "the file cannot be written");
    return set_error(w->ctx, RUNG_EDATA, "the rows cannot be written as %s: %s; write CSV", sheet_called(w->kind),
                     readstat_error_message(code));
}

static rung_status write_all(writing *w)
{
    dictionary taken = {0};
    long rows = (long)w->t->n_rows;
    for (int64_t j = 0; j < w->t->n_columns; j++) TRY(add_variable(w, j, &taken));
    readstat_error_t code = w->kind == SHEET_SAV   ? readstat_begin_writing_sav(w->writer, w, rows)
                            : w->kind == SHEET_DTA ? readstat_begin_writing_dta(w->writer, w, rows)
                                                   : readstat_begin_writing_xport(w->writer, w, rows);
    for (int64_t i = 0; i < w->t->n_rows && code == READSTAT_OK; i++) {
        code = readstat_begin_row(w->writer);
        for (int64_t j = 0; j < w->t->n_columns && code == READSTAT_OK; j++) code = put(w, i, j);
        if (code == READSTAT_OK) code = readstat_end_row(w->writer);
    }
    if (code == READSTAT_OK) code = readstat_end_writing(w->writer);
    return code == READSTAT_OK && !w->stopped ? RUNG_OK : refused(w, code);
}

rung_status stat_write(rung_ctx *ctx, const rung_table *t, sheet_kind kind, bool packed, rung_write_fn *write,
                       void *user)
{
    writing w = {.ctx = ctx, .t = t, .kind = kind, .write = write, .user = user};
    TRY(NEW(ctx, &ctx->scratch, w.columns, t->n_columns));
    w.writer = readstat_writer_init();
    if (!w.writer) return set_error(ctx, RUNG_ENOMEM, "out of memory: writing %s", sheet_called(kind));
    readstat_set_data_writer(w.writer, on_bytes);
    readstat_writer_set_file_timestamp(w.writer, 0); /* the same rows give the same bytes */
    if (kind == SHEET_SAV)
        readstat_writer_set_compression(w.writer, packed ? READSTAT_COMPRESS_BINARY : READSTAT_COMPRESS_ROWS);
    if (kind == SHEET_XPT) readstat_writer_set_file_format_version(w.writer, 5);
    rung_status status = write_all(&w);
    readstat_writer_free(w.writer);
    return status;
}
#endif
