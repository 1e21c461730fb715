// SPDX-License-Identifier: BSD-3-Clause
#include "input/read/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/encode/features.h"
#include "input/read/format.h"
#include "input/read/held_input.h"
#include "input/read/sheet_file.h"

/* The first is the default for files not recognised as another. */
static const format *const formats[] = {&format_csv,  &format_libsvm, &format_arff, &format_orca,
                                        &format_spss, &format_stata,  &format_sas,  &format_xlsx};
enum { FORMATS = sizeof formats / sizeof *formats };

bool name_ends(const char *file, const char *ending)
{
    size_t n = strlen(file), m = strlen(ending);
    return n > m && text_equal(file + n - m, ending);
}

/* ---- which format ------------------------------------------------------------------------------- */

static rung_status format_called(rung_ctx *ctx, const char *name, const format **out)
{
    char known[TABLE_LIST] = "";
    for (int i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i]->name, name) == 0) return *out = formats[i], RUNG_OK;
        table_list(known, ", ", formats[i]->name);
    }
    return set_error(ctx, RUNG_EARG, "unknown format '%.80s'; expected one of %s", name, known);
}

static rung_status encoding_called(rung_ctx *ctx, const char *name, buffer *b)
{
    static const struct {
        const char *name;
        encoding as;
    } known[] = {{"utf-8", ENCODING_UTF8},      {"utf8", ENCODING_UTF8},         {"utf-16", ENCODING_LOW_FIRST},
                 {"utf16", ENCODING_LOW_FIRST}, {"cp1252", ENCODING_WESTERN},    {"windows-1252", ENCODING_WESTERN},
                 {"latin1", ENCODING_WESTERN},  {"iso-8859-1", ENCODING_WESTERN}};
    b->said = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (text_equal(known[i].name, name)) return b->wish = known[i].as, RUNG_OK;
    return set_error(ctx, RUNG_EARG, "unknown encoding '%.40s'; expected utf-8, utf-16, cp1252 or latin1", name);
}

static const format *format_by_name(const char *path)
{
    char file[256];
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base) - (name_ends(base, ".gz") ? 3 : 0);
    if (length >= sizeof file) return NULL;
    memcpy(file, base, length);
    file[length] = 0;
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->named(file)) return formats[i];
    return NULL;
}

bool format_named(const char *path) { return format_by_name(path) != NULL; }

static const format *format_by_content(const buffer *b)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->looks && formats[i]->looks(b->text, b->end)) return formats[i];
    return formats[0];
}

/* ---- the columns -------------------------------------------------------------------------------- */

/* A column costs some hundred bytes however short its cells are. */
rung_status reader_columns(rung_reader *r, int64_t n)
{
    enum { MOST_COLUMNS = 1 << 21 };
    rung_table *t = r->shape;
    if (n > MOST_COLUMNS)
        return set_error(r->in.ctx, RUNG_EDATA, "%s: a row has %lld columns, but at most %d are supported", r->in.path,
                         (long long)n, MOST_COLUMNS);
    t->n_columns = n;
    TRY(NEW(r->in.ctx, &t->mem, t->columns, n));
    for (int64_t j = 0; j < n; j++) t->columns[j] = (column){.name = "", .odd_row = -1};
    return RUNG_OK;
}

/* A file without names for a coding with names, unless the caller said that it has none. */
static void tell_places(const rung_reader *r)
{
    const rung_table *t = r->shape;
    char list[TABLE_LIST] = "";
    if (!r->code->has_names || t->has_names || t->sparse || r->options.header == RUNG_HEADER_ABSENT) return;
    for (int64_t j = 0; j < r->code->n_columns; j++) table_list(list, ", ", r->code->columns[j].name);
    log_at(
        r->in.ctx, RUNG_LOG_WARNING,
        "%s has no column names; its columns are taken by their places, as those of the training file (%s); give it a "
        "header if they may be others",
        r->in.path, list);
}

/* The label is read as text: its cells may be anything while it is ignored. */
rung_status reader_pin(rung_reader *r)
{
    rung_table *t = r->shape;
    if (r->options.text)
        for (int64_t j = 0; j < t->n_columns; j++) t->columns[j].kind = COLUMN_TEXT;
    if (!r->code || r->options.text) return RUNG_OK;
    int64_t *from = NULL, label;
    TRY(NEW(r->in.ctx, &r->in.ctx->scratch, from, r->code->n_columns));
    TRY(coding_match(r->in.ctx, t, r->code, from, &label));
    tell_places(r);
    for (int64_t j = 0; j < t->n_columns; j++) t->columns[j].kind = COLUMN_TEXT;
    for (int64_t j = 0; j < r->code->n_columns; j++)
        if (from[j] >= 0 &&
            column_is_plain(&r->code->columns[j])) { /* every column is there: only sparse rows may lack some */
            t->columns[from[j]].kind = COLUMN_NUMBER;
            t->columns[from[j]].declared = false;
        }
    return RUNG_OK;
}

rung_status reader_rewind(rung_reader *r)
{
    if (r->kind->whole) return RUNG_OK;
    TRY(source_rewind(r->in.ctx, r->in.from));
    return buffer_start(&r->in);
}

/* ---- opening and closing ------------------------------------------------------------------------ */

void reader_close(rung_reader *r)
{
    if (!r) return;
    if (r->kind && r->kind->close && r->own) r->kind->close(r);
    source_close(r->in.from);
    table_free(r->shape);
    pool_free_all(&r->mem);
    object_free(r);
}

/* What the caller does not say of a file is as in the one that the coding was made from. The delimiter is recognised
 * where that one does not fit (csv.c). */
static void take_options(const rung_read_options *options, rung_reader *r)
{
    r->options = *options;
    r->remembered_decimal = r->code && r->code->decimal && !options->decimal && options->delimiter != r->code->decimal;
    if (r->remembered_decimal) r->options.decimal = r->code->decimal;
}

static rung_status start(rung_ctx *ctx, const char *path, const rung_read_options *options, bool live, rung_reader *r)
{
    r->in.ctx = ctx;
    r->in.mem = &r->mem;
    take_options(options, r);
    r->options.format = r->options.encoding = NULL;
    if (options->sheet && !*options->sheet) return set_error(ctx, RUNG_EARG, "a sheet without a name");
    if (options->format) TRY(format_called(ctx, options->format, &r->kind));
    TRY(source_open(ctx, path, live, &r->in.from));
    TRY(table_new(ctx, path, &r->shape));
    r->in.path = r->shape->path;
    r->shape->decimal = '.';
    r->shape->gaps = options->missing_columns != 0;
    if (options->encoding) TRY(encoding_called(ctx, options->encoding, &r->in));
    if (!r->kind) TRY(sheet_file_format(r, &r->kind));
    if (r->kind && r->kind->whole) return r->kind->open(r);
    TRY(buffer_start(&r->in));
    r->empty = options->may_be_empty && r->in.ended && r->in.end == 0;
    if (r->empty) return RUNG_OK;
    if (!r->kind) r->kind = format_by_name(path);
    if (!r->kind) r->kind = format_by_content(&r->in);
    if (options->sheet)
        return set_error(ctx, RUNG_EARG, "%s is no workbook, so it has no sheet '%.80s'", r->in.path, options->sheet);
    return r->kind->open(r);
}

rung_status reader_begin(rung_ctx *ctx, const char *path, const rung_read_options *options, const coding *code,
                         read_way way, rung_reader **out)
{
    static const rung_read_options standard = {0};
    rung_reader *r = *out = object_new(ctx, sizeof *r);
    if (!r) return set_error(ctx, RUNG_ENOMEM, "out of memory: opening a file");
    r->code = code ? coding_cells(code) : NULL;
    r->coded = code != NULL;
    r->strict = code || way == READ_LIVE;
    rung_status status = start(ctx, path, options ? options : &standard, way == READ_LIVE, r);
    r->code = NULL;
    r->options.sheet = NULL;
    if (status != RUNG_OK) {
        reader_close(r);
        *out = NULL;
    }
    return status;
}

rung_status reader_open(rung_ctx *ctx, const char *path, const rung_read_options *options, const coding *code,
                        rung_reader **out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = reader_begin(ctx, path, options, code, READ_LIVE, out);
    pool_release(&ctx->scratch, mark);
    if (status == RUNG_OK) source_once((*out)->in.from);
    return status;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static rung_status fill(rung_reader *r, int64_t rows, rung_table *t, bool *again)
{
    filling f;
    TRY(filling_open(r->in.ctx, &r->in, r->shape, rows, r->strict, t, &f));
    f.as_written = r->options.text;
    f.expected = r->expected;
    f.coded = r->coded;
    for (bool got = true; got && t->n_rows < rows && !(t->n_rows > 0 && buffer_waits(&r->in));)
        TRY(r->kind->row(r, &f, &got));
    filling_close(&f);
    *again = f.again;
    r->given += t->n_rows;
    if (r->given > 0 || r->options.may_be_empty) return RUNG_OK;
    return set_error(r->in.ctx, RUNG_EDATA,
                     r->shape->sparse ? "%s: the file is empty" : "%s: the file has a header but no rows", t->path);
}

static rung_status next_table(rung_reader *r, int64_t rows, rung_table **out, bool *again)
{
    rung_ctx *ctx = r->in.ctx;
    TRY(table_new(ctx, r->in.path, out));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = fill(r, rows, *out, again);
    pool_release(&ctx->scratch, mark);
    if (status != RUNG_OK) {
        table_free(*out);
        *out = NULL;
    }
    return status;
}

rung_status reader_next(rung_ctx *ctx, rung_reader *r, int64_t rows, rung_table **out)
{
    bool again;
    *out = NULL;
    r->in.ctx = ctx;
    if (rows < 1) return set_error(ctx, RUNG_EARG, "%lld rows: expected at least 1", (long long)rows);
    if (r->empty) return RUNG_OK;
    TRY(next_table(r, rows, out, &again));
    if ((*out)->n_rows > 0) return RUNG_OK;
    table_free(*out);
    *out = NULL;
    return RUNG_OK;
}

/* A column treated as numbers may turn out to hold text. The pass continues only to find other such columns, and the
 * file is read again with all of them known, so text columns have the original text of every cell. */
static rung_status read_again(rung_reader *r, rung_table **t)
{
    rung_ctx *ctx = r->in.ctx;
    bool again;
    for (int64_t j = 0; j < r->shape->n_columns; j++) r->shape->columns[j].kind = (*t)->columns[j].kind;
    r->expected = (*t)->n_rows;
    r->given = 0;
    table_free(*t);
    *t = NULL;
    TRY(reader_rewind(r));
    TRY(r->kind->again(r));
    TRY(next_table(r, INT64_MAX, t, &again));
    return again ? set_error(ctx, RUNG_EIO, "%s changed while it was read", r->in.path) : RUNG_OK;
}

rung_status read_table(rung_ctx *ctx, const char *path, const rung_read_options *options, rung_table **out)
{
    return read_table_for(ctx, path, options, NULL, out);
}

rung_status read_table_for(rung_ctx *ctx, const char *path, const rung_read_options *options, const coding *code,
                           rung_table **out)
{
    *out = NULL;
    rung_reader *r;
    rung_table *t = NULL;
    bool again = false;
    rung_read_options how = options ? *options : (rung_read_options){0};
    how.may_be_empty = 0;
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = reader_begin(ctx, path, &how, code, READ_WHOLE, &r);
    if (status == RUNG_OK) status = next_table(r, INT64_MAX, &t, &again);
    if (status == RUNG_OK && again) status = read_again(r, &t);
    reader_close(r);
    pool_release(&ctx->scratch, mark);
    if (strcmp(path, "-") == 0) input_forget(ctx);
    if (status == RUNG_OK)
        *out = t;
    else
        table_free(t);
    return status;
}
