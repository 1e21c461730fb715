// SPDX-License-Identifier: BSD-3-Clause
#include "input/read/sheet_file.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/sheet/sheet.h"

typedef struct {
    rung_table *t; /* all of it */
    int64_t given; /* rows */
} sheet_file;

/* ---- the bytes ---- */

rung_status sheet_file_format(rung_reader *r, const format **out)
{
    char head[SHEET_HEAD];
    int64_t n = 0, got = 1;
    sheet_kind kind = SHEET_UNSURE;
    *out = NULL;
    for (; kind == SHEET_UNSURE && n < SHEET_HEAD && got > 0; n += got) {
        TRY(source_read(r->in.ctx, r->in.from, head + n, n < 4 ? 1 : SHEET_HEAD - n, &got));
        if (got > 0) kind = sheet_kind_of(head, n + got);
    }
    TRY(source_rewind(r->in.ctx, r->in.from));
    if (kind == SHEET_SAV || kind == SHEET_POR) *out = &format_spss;
    if (kind == SHEET_DTA) *out = &format_stata;
    if (kind == SHEET_SAS || kind == SHEET_XPT) *out = &format_sas;
    if (kind == SHEET_XLSX) *out = &format_xlsx;
    return RUNG_OK;
}

static rung_status all_bytes(rung_reader *r, char **bytes, int64_t *n)
{
    rung_ctx *ctx = r->in.ctx;
    int64_t room = source_size(r->in.from) + 1, got = 1;
    if (room < 1 << 16) room = 1 << 16;
    *n = 0;
    *bytes = NULL;
    while (got > 0) {
        if (!*bytes || *n == room) {
            if (*bytes) room *= 2;
            TRY(memory_check(ctx, (double)room, "a file that is read as a whole"));
            TRY(RESIZE(ctx, &r->mem, *bytes, room));
        }
        TRY(interrupted(ctx));
        TRY(source_read(ctx, r->in.from, *bytes + *n, room - *n, &got));
        *n += got;
    }
    return RUNG_OK;
}

/* ---- the columns ---- */

static rung_status shape_columns(rung_reader *r, const rung_table *t)
{
    TRY(reader_columns(r, t->n_columns));
    for (int64_t j = 0; j < t->n_columns; j++) {
        column *c = &r->shape->columns[j];
        const column *from = &t->columns[j];
        *c = (column){.name = from->name,
                      .kind = from->kind,
                      .odd_row = -1,
                      .unnamed = from->unnamed,
                      .title = from->title,
                      .values_named = from->values_named,
                      .level = from->level,
                      .native = from->native,
                      .declared_weights = from->declared_weights};
    }
    r->shape->has_names = t->has_names;
    return reader_pin(r);
}

static rung_status open_sheet(rung_reader *r)
{
    sheet_file *own = NULL;
    char *bytes;
    int64_t n;
    TRY(NEW(r->in.ctx, &r->mem, own, 1));
    r->own = own;
    TRY(all_bytes(r, &bytes, &n));
    sheet_kind kind = sheet_kind_of(bytes, n);
    if (kind == SHEET_NONE || kind == SHEET_UNSURE)
        return set_error(r->in.ctx, RUNG_EDATA, "%s does not begin as a file of the format '%s' does", r->in.path,
                         r->kind->name);
    memory_hold(r->in.ctx, n);
    const sheet_wish wish = {r->options.sheet, r->options.header};
    TRY(sheet_read(r->in.ctx, r->in.path, kind, bytes, n, &wish, &own->t));
    pool_free(&r->mem, bytes);
    r->expected = own->t->n_rows;
    return shape_columns(r, own->t);
}

/* ---- rows ---- */

static rung_status put(filling *to, const column *c, int64_t row, int64_t j)
{
    char number[32];
    if (c->kind == COLUMN_TEXT) {
        const char *text = c->text[row] < 0 ? "" : c->values[c->text[row]];
        return filling_cell(to, j, text, (int64_t)strlen(text));
    }
    double x = c->number[row];
    if (to->t->columns[to->place ? to->place[j] : j].kind == COLUMN_NUMBER) return filling_number(to, j, x);
    if (isnan(x)) return filling_cell(to, j, "", 0);
    int32_t named = named_values_find(&c->values_named, x);
    if (named < 0) return filling_cell(to, j, number, text_format(x, number));
    return filling_cell(to, j, c->values_named.name[named], (int64_t)strlen(c->values_named.name[named]));
}

static rung_status row_of_sheet(rung_reader *r, filling *to, bool *got)
{
    sheet_file *own = r->own;
    const rung_table *t = own->t;
    *got = own->given < t->n_rows;
    if (!*got) return RUNG_OK;
    TRY(filling_row(to, table_line(t, own->given)));
    for (int64_t j = 0; j < t->n_columns; j++) TRY(put(to, &t->columns[j], own->given, j));
    own->given++;
    to->t->n_rows++;
    return RUNG_OK;
}

static rung_status again(rung_reader *r)
{
    ((sheet_file *)r->own)->given = 0;
    return RUNG_OK;
}

static void close_sheet(rung_reader *r) { table_free(((sheet_file *)r->own)->t); }

/* ---- names ---- */

static bool named_spss(const char *file)
{
    return name_ends(file, ".sav") || name_ends(file, ".zsav") || name_ends(file, ".por");
}
static bool named_stata(const char *file) { return name_ends(file, ".dta"); }
static bool named_sas(const char *file)
{
    return name_ends(file, ".sas7bdat") || name_ends(file, ".xpt") || name_ends(file, ".xport");
}
static bool named_xlsx(const char *file) { return name_ends(file, ".xlsx") || name_ends(file, ".xlsm"); }

#define SHEET_FORMAT(of)                                                                                               \
    const format format_##of = {.name = #of,                                                                           \
                                .named = named_##of,                                                                   \
                                .whole = true,                                                                         \
                                .open = open_sheet,                                                                    \
                                .row = row_of_sheet,                                                                   \
                                .again = again,                                                                        \
                                .close = close_sheet}
SHEET_FORMAT(spss);
SHEET_FORMAT(stata);
SHEET_FORMAT(sas);
SHEET_FORMAT(xlsx);
