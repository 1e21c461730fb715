// SPDX-License-Identifier: BSD-3-Clause
#include "input/sheet/xlsx_cells.h"

#ifdef RUNG_XLSX
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum { MOST_ROWS = 1 << 20, MOST_COLUMNS = 1 << 14, CHECKED = 1 << 14 };

typedef struct {
    rung_ctx *ctx;
    const char *path;
    xlsx_book *book;
    xlsx_cells *out;
    int32_t row, column; /* of the cell being read */
    char type;           /* n: number, s: shared text, i: text in the cell, b: truth, e: error */
    int64_t style;
    bool in_cell, phonetic;
} reading;

bool xlsx_cell_place(const char *name, int32_t *row, int32_t *place)
{
    *row = *place = 0;
    for (; isupper((unsigned char)*name) && *place < MOST_COLUMNS; name++) *place = 26 * *place + (*name - 'A' + 1);
    for (; isdigit((unsigned char)*name) && *row < MOST_ROWS; name++) *row = 10 * *row + (*name - '0');
    return !*name && *row >= 1 && *row <= MOST_ROWS && *place >= 1 && *place <= MOST_COLUMNS;
}

static rung_status damaged(const reading *r, const char *what)
{
    return set_error(r->ctx, RUNG_EDATA, "%s is a damaged workbook: %s behind row %d, column %d of a sheet", r->path,
                     what, (int)r->row, (int)r->column);
}

/* ---- a cell ---- */

static rung_status put(reading *r, const char *text, double number)
{
    xlsx_cells *c = r->out;
    if (c->n % CHECKED == 0) TRY(memory_check(r->ctx, (double)r->ctx->scratch.bytes, "the cells of a sheet"));
    if (c->n == c->room) {
        int64_t room = 2 * c->room + 256;
        TRY(memory_check(r->ctx, (double)r->ctx->scratch.bytes + (double)room * sizeof *c->cell,
                         "the cells of a sheet"));
        TRY(RESIZE(r->ctx, &r->ctx->scratch, c->cell, room));
        c->room = room;
    }
    c->cell[c->n++] = (xlsx_cell){r->row, r->column, text, number};
    return RUNG_OK;
}

static rung_status put_text(reading *r, const char *text)
{
    size_t length;
    int32_t index;
    while (isspace((unsigned char)*text)) text++;
    for (length = strlen(text); length > 0 && isspace((unsigned char)text[length - 1]);) length--;
    if (length == 0) return RUNG_OK;
    TRY(dictionary_add(r->ctx, &r->ctx->scratch, &r->book->words, text, length, &index));
    return put(r, r->book->words.values[index], NAN);
}

/* Day 60 of Excel's first calendar is 1900-02-29, which never was. */
static double epoch_of(const reading *r, double days)
{
    return r->book->since_1904 ? -24107 : days < 60 ? -25568 : -25569;
}

static rung_status put_number(reading *r, const char *text)
{
    double x;
    char written[STAT_DATE];
    if (!text_number(text, strlen(text), '.', &x) || !isfinite(x)) return damaged(r, "a number that is none");
    xlsx_style s = {.counts = COUNT_NUMBER};
    if (r->style >= 0 && r->style < r->book->n_styles) s = r->book->styles[r->style];
    stat_calendar c = {s.counts, epoch_of(r, x)};
    if (s.counts == COUNT_TIME) x *= 86400;
    if (s.counts != COUNT_NUMBER && stat_date_text(&c, x, written)) return put_text(r, written);
    if (s.counts == COUNT_TIME) x /= 86400;
    if (s.digits && x >= 0 && x == floor(x) && x < 1e15) {
        snprintf(written, sizeof written, "%0*.0f", s.digits, x);
        return put_text(r, written);
    }
    return put(r, NULL, x);
}

static rung_status take_value(reading *r, const char *text)
{
    int64_t index;
    switch (r->type) {
    case 'n': return put_number(r, text);
    case 's':
        if (!text_integer(text, strlen(text), &index) || index < 0 || index >= r->book->n_texts)
            return damaged(r, "a shared text that is not there");
        return put_text(r, r->book->texts[index]);
    case 'b': return put_text(r, strcmp(text, "0") == 0 ? "FALSE" : "TRUE");
    case 'e': return RUNG_OK;
    default: return put_text(r, text);
    }
}

/* ---- elements ---- */

static rung_status start_row(reading *r, const char *number)
{
    int64_t row = r->row + 1;
    if (number && !text_integer(number, strlen(number), &row)) row = 0;
    if (row <= r->row || row > MOST_ROWS) return damaged(r, "a row out of order");
    r->row = (int32_t)row;
    r->column = 0;
    return RUNG_OK;
}

static rung_status start_cell(reading *r, const xlsx_place *at)
{
    const char *place = xlsx_attribute(at, "r"), *type = xlsx_attribute(at, "t"), *style = xlsx_attribute(at, "s");
    int32_t row = r->row, at_column = r->column + 1;
    if (place && !xlsx_cell_place(place, &row, &at_column)) row = 0;
    if (row != r->row || at_column <= r->column || at_column > MOST_COLUMNS || r->row == 0)
        return damaged(r, "a cell out of order");
    r->column = at_column;
    r->type = !type || !strcmp(type, "n") ? 'n'
              : !strcmp(type, "s")        ? 's'
              : !strcmp(type, "b")        ? 'b'
              : !strcmp(type, "e")        ? 'e'
                                          : 'i'; /* inlineStr, str of a formula, d: a date in ISO 8601 */
    r->style = -1;
    if (style && !text_integer(style, strlen(style), &r->style)) r->style = -1;
    r->in_cell = true;
    return RUNG_OK;
}

/* A1:C1 */
static void note_merged(reading *r, const char *range)
{
    char first[16] = "";
    const char *colon = range ? strchr(range, ':') : NULL;
    int32_t row, at_column, to_row, to_column;
    if (!colon || colon - range >= (ptrdiff_t)sizeof first) return;
    memcpy(first, range, (size_t)(colon - range));
    if (!xlsx_cell_place(first, &row, &at_column) || !xlsx_cell_place(colon + 1, &to_row, &to_column)) return;
    if (at_column == to_column || (r->out->merged_row && r->out->merged_row <= row)) return;
    r->out->merged_row = row;
    r->out->merged_from = at_column;
    r->out->merged_to = to_column;
}

static rung_status on_start(void *user, xlsx_place *at, const char *name)
{
    reading *r = user;
    if (strcmp(name, "row") == 0) return start_row(r, xlsx_attribute(at, "r"));
    if (strcmp(name, "mergeCell") == 0) note_merged(r, xlsx_attribute(at, "ref"));
    if (strcmp(name, "c") == 0) {
        at->length = 0;
        return start_cell(r, at);
    }
    if (strcmp(name, "rPh") == 0) r->phonetic = true;
    at->keep = r->in_cell && !r->phonetic && (strcmp(name, "v") == 0 || strcmp(name, "t") == 0);
    return RUNG_OK;
}

static rung_status on_end(void *user, xlsx_place *at, const char *name)
{
    reading *r = user;
    at->keep = false;
    if (strcmp(name, "rPh") == 0) r->phonetic = false;
    if (strcmp(name, "c") != 0) return RUNG_OK;
    r->in_cell = false;
    return at->length > 0 ? take_value(r, at->text) : RUNG_OK;
}

rung_status xlsx_cells_read(rung_ctx *ctx, const char *path, xlsx_book *book, const char *part, xlsx_cells *out)
{
    *out = (xlsx_cells){0};
    reading r = {.ctx = ctx, .path = path, .book = book, .out = out};
    return xlsx_part_parse(ctx, book->archive, part, &(xlsx_handler){on_start, on_end, &r});
}
#endif
