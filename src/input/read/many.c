// SPDX-License-Identifier: BSD-3-Clause
/* Several files as one table: the rows of one file that held them all, in the order of their names. One filling takes
 * the rows of reader after reader; the first file decides on the columns. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "input/read/format.h"
#include "input/read/read.h"

typedef struct {
    rung_ctx *ctx;
    rung_read_options options;
    const coding *code; /* NULL: columns are as they appear */
    int64_t n, k;       /* files; the one being read */
    const char **path;
    double *bytes, all; /* of the files */
    rung_table *t;
    filling f;
    bool begun;              /* the columns are known ... */
    const char *first;       /* ... from this file */
    const column_kind *kind; /* of the columns, where a first pass has found them; NULL: the first pass */
} joining;

/* ---- columns ---- */

static int64_t find_name(const rung_table *t, const char *name)
{
    for (int64_t j = 0; j < t->n_columns; j++)
        if (strcmp(t->columns[j].name, name) == 0) return j;
    return -1;
}

static rung_status other_column(rung_ctx *ctx, const char *first, const rung_table *shape, const char *name, bool lacks)
{
    return set_error(ctx, RUNG_EDATA, "%s: column '%.80s' is %s %s; all files need the same columns", shape->path, name,
                     lacks ? "missing, unlike in" : "not in", first);
}

static rung_status other_count(rung_ctx *ctx, const char *first, const rung_table *t, const rung_table *shape)
{
    return set_error(ctx, RUNG_EDATA, "%s: %lld columns%s, but %s has %lld%s; all files need the same columns",
                     shape->path, (long long)shape->n_columns, shape->has_names ? " with names" : " without names",
                     first, (long long)t->n_columns, t->has_names ? " with names" : " without");
}

rung_status columns_match(rung_ctx *ctx, const rung_table *t, const char *first, const rung_table *shape, int64_t **out)
{
    int64_t *place = NULL;
    if (shape->has_names != t->has_names || (!t->has_names && shape->n_columns != t->n_columns))
        return other_count(ctx, first, t, shape);
    TRY(NEW_RAW(ctx, &ctx->scratch, place, shape->n_columns));
    for (int64_t c = 0; c < shape->n_columns; c++) {
        bool as_it_stands = c < t->n_columns && strcmp(shape->columns[c].name, t->columns[c].name) == 0;
        place[c] = as_it_stands ? c : find_name(t, shape->columns[c].name);
        if (place[c] < 0) return other_column(ctx, first, shape, shape->columns[c].name, false);
    }
    for (int64_t c = 0; shape->n_columns < t->n_columns && !(shape->sparse && t->sparse) && c < t->n_columns; c++)
        if (find_name(shape, t->columns[c].name) < 0) return other_column(ctx, first, shape, t->columns[c].name, true);
    *out = place;
    return RUNG_OK;
}

/* ---- rows ---- */

/* A number that is called otherwise in another file means something else there. */
static rung_status check_names(const joining *j, const rung_table *shape, const int64_t *place)
{
    char label[COLUMN_LABEL];
    for (int64_t c = 0; c < shape->n_columns; c++) {
        const named_values *here = &shape->columns[c].values_named, *first = &j->t->columns[place[c]].values_named;
        if (here->n == 0 || first->n == 0 || named_values_same(here, first)) continue;
        return set_error(j->ctx, RUNG_EDATA, "%s: the value labels of column %s are not those in %s", shape->path,
                         table_column_label(shape, c, label), j->first);
    }
    return RUNG_OK;
}

static rung_status take_rows(joining *j, rung_reader *r)
{
    rung_table *t = j->t;
    int64_t *place = NULL, before = t->n_rows;
    if (r->empty) {
        if (!j->kind) log_at(j->ctx, RUNG_LOG_WARNING, "%s: the file is empty", r->in.path);
        return RUNG_OK;
    }
    if (!j->begun) {
        for (int64_t c = 0; j->kind && c < r->shape->n_columns; c++) r->shape->columns[c].kind = j->kind[c];
        TRY(filling_open(j->ctx, &r->in, r->shape, INT64_MAX, r->strict, t, &j->f));
        j->f.as_written = r->options.text;
        j->f.expected = r->expected;
        j->f.coded = r->coded;
        j->begun = true;
        j->first = j->path[j->k];
    }
    TRY(columns_match(j->ctx, t, j->first, r->shape, &place));
    TRY(check_names(j, r->shape, place));
    j->f.place = place;
    j->f.from = &r->in;
    j->f.beyond = j->all - j->bytes[j->k];
    for (bool got = true; got;) TRY(r->kind->row(r, &j->f, &got));
    if (t->n_rows == before) {
        if (!j->kind) log_at(j->ctx, RUNG_LOG_WARNING, "%s: the file has no rows", r->in.path);
        return RUNG_OK;
    }
    TRY(pool_text(j->ctx, &t->mem, r->in.path, &t->part[t->n_parts].path));
    t->part[t->n_parts++].first = before;
    return RUNG_OK;
}

/* The rows after the first file begin with names exactly if those of the first do. */
static rung_status take_file(joining *j)
{
    rung_reader *r;
    rung_read_options how = j->options;
    pool_mark mark = pool_here(&j->ctx->scratch);
    bool begun = j->begun; /* otherwise it begins here, and what it keeps stays */
    double before = j->f.before;
    if (begun && how.header == RUNG_HEADER_AUTO)
        how.header = j->t->has_names ? RUNG_HEADER_PRESENT : RUNG_HEADER_ABSENT;
    progress_part outer = progress_enter(j->ctx, "reading", before / j->all, (before + j->bytes[j->k]) / j->all);
    TRY(reader_begin(j->ctx, j->path[j->k], &how, j->code, READ_WHOLE, &r));
    rung_status status = take_rows(j, r);
    reader_close(r);
    progress_leave(j->ctx, outer);
    if (begun) pool_release(&j->ctx->scratch, mark);
    j->f.before = before + j->bytes[j->k];
    return status;
}

static rung_status take_files(joining *j)
{
    TRY(NEW(j->ctx, &j->t->mem, j->t->part, j->n));
    for (j->k = 0; j->k < j->n; j->k++) TRY(take_file(j));
    if (j->begun) filling_close(&j->f);
    if (j->t->n_rows > 0) return RUNG_OK;
    return set_error(j->ctx, RUNG_EDATA, "%s: none of the files has rows", j->t->path);
}

static rung_status one_pass(joining *j)
{
    char name[512];
    j->begun = false;
    j->f = (filling){0};
    snprintf(name, sizeof name, "%.400s and %lld more file%s", j->path[0], (long long)j->n - 1, j->n == 2 ? "" : "s");
    TRY(table_new(j->ctx, name, &j->t));
    rung_status status = take_files(j);
    if (status != RUNG_OK) {
        table_free(j->t);
        j->t = NULL;
    }
    return status;
}

/* ---- sparse rows: the widest file first knows all columns ---- */

static rung_status widest_first(joining *j)
{
    int64_t widest = 0, most = 0;
    for (int64_t k = 0; k < j->n; k++) {
        rung_reader *r;
        TRY(reader_begin(j->ctx, j->path[k], &j->options, j->code, READ_WHOLE, &r));
        bool sparse = r->shape->sparse || r->empty;
        int64_t columns = r->shape->n_columns;
        reader_close(r);
        if (!sparse) return RUNG_OK;
        if (columns > most) most = columns, widest = k;
    }
    const char *path = j->path[widest];
    double bytes = j->bytes[widest];
    memmove(j->path + 1, j->path, (size_t)widest * sizeof *j->path);
    memmove(j->bytes + 1, j->bytes, (size_t)widest * sizeof *j->bytes);
    j->path[0] = path;
    j->bytes[0] = bytes;
    return RUNG_OK;
}

static rung_status measure(joining *j)
{
    TRY(NEW(j->ctx, &j->ctx->scratch, j->bytes, j->n));
    for (int64_t k = 0; k < j->n; k++) {
        struct stat about;
        j->bytes[k] = stat(j->path[k], &about) == 0 && S_ISREG(about.st_mode) ? (double)about.st_size : 1;
        j->all += j->bytes[k];
    }
    return RUNG_OK;
}

static rung_status join(joining *j, rung_table **out)
{
    TRY(measure(j));
    TRY(widest_first(j));
    TRY(one_pass(j));
    if (j->f.again) { /* text turned up in a column of numbers: all files once more, with the kinds known */
        column_kind *kind = NULL;
        TRY(NEW_RAW(j->ctx, &j->ctx->scratch, kind, j->t->n_columns));
        for (int64_t c = 0; c < j->t->n_columns; c++) kind[c] = j->t->columns[c].kind;
        table_free(j->t);
        j->kind = kind;
        TRY(one_pass(j));
        if (j->f.again) return set_error(j->ctx, RUNG_EIO, "%s changed while they were read", j->t->path);
    }
    *out = j->t;
    return RUNG_OK;
}

rung_status read_files(rung_ctx *ctx, const rung_files *files, const rung_read_options *options, const coding *code,
                       rung_table **out)
{
    if (files->n == 1) return read_table_for(ctx, files->path[0], options, code, out);
    joining j = {.ctx = ctx, .options = options ? *options : (rung_read_options){0}, .code = code, .n = files->n};
    j.options.may_be_empty = 1;
    pool_mark mark = pool_here(&ctx->scratch);
    *out = NULL;
    rung_status status = files_sorted(ctx, files, &j.path);
    if (status == RUNG_OK) status = join(&j, out);
    if (status != RUNG_OK) table_free(j.t);
    pool_release(&ctx->scratch, mark);
    return status;
}
