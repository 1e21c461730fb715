// SPDX-License-Identifier: BSD-3-Clause
/* From the cells of a sheet to a table: which row has the names, and which columns are numbers. */
#include "input/sheet/xlsx_read.h"

#ifndef RUNG_XLSX
rung_status xlsx_read(rung_ctx *ctx, const char *bytes, int64_t n, const sheet_wish *wish, rung_table *t)
{
    (void)bytes, (void)n, (void)wish;
    return set_error(ctx, RUNG_EDATA,
                     "%s is a workbook or another compressed file; this rung was built without libzip and expat, which "
                     "read Excel workbooks; save it as CSV",
                     t->path);
}
#else

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/sheet/xlsx_cells.h"
#include "input/table/column_form.h"
#include "input/table/dictionary.h"

typedef struct {                   /* of a column below the first row */
    int64_t numbers, texts, words; /* words that say that a cell is missing, among numbers */
    const char *word;
    bool text_number; /* all texts are numbers or such words */
    const char *name; /* the text of the first row; NULL: there is none */
    bool first_is_number, name_again;
} column_look;

typedef struct {
    rung_ctx *ctx;
    const char *sheet;
    rung_table *t;
    xlsx_cells cells;
    int32_t from, columns; /* the first column, and how many */
    int64_t first_end;     /* cells of the first row */
    column_look *look;
} building;

/* ---- what the columns are ---- */

static void look_at_text(column_look *l, const char *text)
{
    size_t length = strlen(text);
    double x;
    l->texts++;
    if (l->name && strcmp(l->name, text) == 0) l->name_again = true;
    if (text_number(text, length, '.', &x) && isfinite(x) && !form_is_code(text, length)) return;
    if (cell_missing(text, length) || cell_says_missing(text, length, true)) {
        if (l->words++ == 0) l->word = text;
        return;
    }
    l->text_number = false;
}

static rung_status look_at_columns(building *b)
{
    const xlsx_cells *c = &b->cells;
    int32_t to = 0;
    b->from = c->cell[0].column;
    for (int64_t k = 0; k < c->n; k++) {
        if (c->cell[k].column < b->from) b->from = c->cell[k].column;
        if (c->cell[k].column > to) to = c->cell[k].column;
    }
    b->columns = to - b->from + 1;
    TRY(NEW(b->ctx, &b->ctx->scratch, b->look, b->columns));
    for (int32_t j = 0; j < b->columns; j++) b->look[j].text_number = true;
    while (b->first_end < c->n && c->cell[b->first_end].row == c->cell[0].row) {
        const xlsx_cell *one = &c->cell[b->first_end++];
        b->look[one->column - b->from].name = one->text;
        b->look[one->column - b->from].first_is_number = !one->text;
    }
    for (int64_t k = b->first_end; k < c->n; k++) {
        column_look *l = &b->look[c->cell[k].column - b->from];
        if (c->cell[k].text)
            look_at_text(l, c->cell[k].text);
        else
            l->numbers++;
    }
    return RUNG_OK;
}

/* As in a CSV file: text above a column of numbers is a name, a number without such a column is data, and texts alone
 * are names if they all differ and none occurs again below. */
static bool first_row_has_names(const building *b)
{
    double x;
    bool number = false;
    for (int32_t j = 0; j < b->columns; j++) {
        const column_look *l = &b->look[j];
        bool text =
            l->name && !text_number(l->name, strlen(l->name), '.', &x) && !cell_missing(l->name, strlen(l->name));
        if (text && l->text_number && l->numbers + l->texts > l->words) return true;
        number = number || l->first_is_number || (l->name && !text);
    }
    if (number || b->first_end == b->cells.n) return false;
    for (int32_t j = 0; j < b->columns; j++) {
        if (b->look[j].name_again) return false;
        for (int32_t k = 0; b->look[j].name && k < j; k++)
            if (b->look[k].name && strcmp(b->look[k].name, b->look[j].name) == 0) return false;
    }
    return true;
}

/* ---- names ---- */

static rung_status check_first_row(const building *b)
{
    const xlsx_cells *c = &b->cells;
    int row = (int)c->cell[0].row;
    if (c->merged_row == row)
        return set_error(b->ctx, RUNG_EDATA,
                         "%s, sheet '%.80s': cells of row %d that belong to %d columns are merged, so the columns have "
                         "no names of their own; put one name above each column, or delete the rows above the names",
                         b->t->path, b->sheet, row, (int)(c->merged_to - c->merged_from + 1));
    if (b->first_end == 1 && b->columns > 1 && c->cell[0].text)
        return set_error(b->ctx, RUNG_EDATA,
                         "%s, sheet '%.80s': row %d holds only '%.60s' above %d columns; delete the rows above the "
                         "names of the columns",
                         b->t->path, b->sheet, row, c->cell[0].text, (int)b->columns);
    return RUNG_OK;
}

static rung_status name_column(const building *b, int32_t j)
{
    rung_table *t = b->t;
    column *c = &t->columns[j];
    const column_look *l = &b->look[j];
    char number[32];
    if (!t->has_names) return RUNG_OK;
    c->unnamed = !l->name && !l->first_is_number;
    if (c->unnamed) return pool_printf(b->ctx, &t->mem, &c->name, "column%d", (int)j + 1);
    if (l->name) return pool_text(b->ctx, &t->mem, l->name, &c->name);
    for (int64_t k = 0; k < b->first_end; k++) /* a year, for example */
        if (b->cells.cell[k].column == b->from + j) text_format(b->cells.cell[k].number, number);
    return pool_text(b->ctx, &t->mem, number, &c->name);
}

static rung_status name_columns(const building *b)
{
    rung_table *t = b->t;
    dictionary names = {0};
    if (t->has_names) TRY(check_first_row(b));
    for (int32_t j = 0; j < b->columns; j++) {
        int32_t index;
        t->columns[j] = (column){.name = "", .odd_row = -1};
        TRY(name_column(b, j));
        if (!t->has_names) continue;
        TRY(dictionary_add(b->ctx, &b->ctx->scratch, &names, t->columns[j].name, strlen(t->columns[j].name), &index));
        if (index < j)
            return set_error(b->ctx, RUNG_EDATA, "%s, sheet '%.80s': columns %d and %d are both named '%.80s'", t->path,
                             b->sheet, (int)index + 1, (int)j + 1, t->columns[j].name);
    }
    return RUNG_OK;
}

/* ---- cells ---- */

static void tell_words(const building *b, int32_t j)
{
    const column_look *l = &b->look[j];
    char label[COLUMN_LABEL];
    if (l->words > 0)
        log_at(b->ctx, RUNG_LOG_WARNING, "%s: %lld cell%s of column %s such as '%.40s' %s read as missing", b->t->path,
               (long long)l->words, l->words == 1 ? "" : "s", table_column_label(b->t, j, label), l->word,
               l->words == 1 ? "is" : "are");
}

static rung_status make_columns(const building *b)
{
    rung_table *t = b->t;
    double bytes = (double)t->n_rows * (double)b->columns * sizeof(double);
    TRY(memory_check(b->ctx, (double)(b->ctx->scratch.bytes + t->mem.bytes) + bytes, "the table read"));
    for (int32_t j = 0; j < b->columns; j++) {
        column *c = &t->columns[j];
        c->kind = b->look[j].text_number ? COLUMN_NUMBER : COLUMN_TEXT;
        if (c->kind == COLUMN_NUMBER) {
            TRY(NEW_RAW(b->ctx, &t->mem, c->number, t->n_rows));
            for (int64_t i = 0; i < t->n_rows; i++) c->number[i] = NAN;
            c->native = NATIVE_NUMBER;
            tell_words(b, j);
        } else {
            TRY(NEW_RAW(b->ctx, &t->mem, c->text, t->n_rows));
            for (int64_t i = 0; i < t->n_rows; i++) c->text[i] = -1;
        }
    }
    return RUNG_OK;
}

static rung_status put_cell(const building *b, int64_t row, const xlsx_cell *cell, dictionary *words)
{
    column *c = &b->t->columns[cell->column - b->from];
    char number[32];
    if (c->kind == COLUMN_NUMBER) {
        if (cell->text && !text_number(cell->text, strlen(cell->text), '.', &c->number[row])) c->number[row] = NAN;
        if (!cell->text) c->number[row] = cell->number;
        return RUNG_OK;
    }
    if (!cell->text) text_format(cell->number, number);
    const char *text = cell->text ? cell->text : number;
    return dictionary_add(b->ctx, &b->t->mem, words, text, strlen(text), &c->text[row]);
}

/* Rows without a cell are left out, as blank lines are. */
static rung_status put_rows(const building *b)
{
    rung_table *t = b->t;
    const xlsx_cells *cells = &b->cells;
    int64_t first = t->has_names ? b->first_end : 0, row = -1;
    dictionary *words = NULL;
    for (int64_t k = first; k < cells->n; k++) t->n_rows += k == first || cells->cell[k].row != cells->cell[k - 1].row;
    TRY(make_columns(b));
    TRY(NEW(b->ctx, &b->ctx->scratch, words, b->columns));
    TRY(NEW_RAW(b->ctx, &t->mem, t->later_line, t->n_rows));
    for (int64_t k = first; k < cells->n; k++) {
        if (k == first || cells->cell[k].row != cells->cell[k - 1].row) t->later_line[++row] = cells->cell[k].row;
        TRY(put_cell(b, row, &cells->cell[k], &words[cells->cell[k].column - b->from]));
    }
    for (int32_t j = 0; j < b->columns; j++) {
        t->columns[j].n_values = words[j].n;
        t->columns[j].values = words[j].values;
        dictionary_seal(&t->mem, &words[j]);
    }
    return RUNG_OK;
}

/* Without names the first row is one of the cells. */
static void count_first_row(building *b)
{
    for (int64_t k = 0; k < b->first_end; k++) {
        column_look *l = &b->look[b->cells.cell[k].column - b->from];
        l->name = NULL;
        if (b->cells.cell[k].text) look_at_text(l, b->cells.cell[k].text);
    }
}

static rung_status build(building *b, rung_header header)
{
    if (b->cells.n == 0) return set_error(b->ctx, RUNG_EDATA, "%s: the sheet '%.80s' is empty", b->t->path, b->sheet);
    TRY(look_at_columns(b));
    b->t->has_names = header == RUNG_HEADER_PRESENT || (header == RUNG_HEADER_AUTO && first_row_has_names(b));
    if (header == RUNG_HEADER_AUTO && !b->t->has_names) TRY(check_first_row(b));
    if (!b->t->has_names) count_first_row(b);
    b->t->n_columns = b->columns;
    TRY(NEW(b->ctx, &b->t->mem, b->t->columns, b->columns));
    TRY(name_columns(b));
    return put_rows(b);
}

static rung_status read_archive(rung_ctx *ctx, xlsx_archive *archive, const sheet_wish *wish, rung_table *t)
{
    xlsx_book book;
    const xlsx_sheet *sheet;
    TRY(xlsx_book_read(ctx, t->path, archive, &book));
    TRY(xlsx_book_sheet(ctx, t->path, &book, wish->which, &sheet));
    building b = {.ctx = ctx, .sheet = sheet->name, .t = t};
    TRY(xlsx_cells_read(ctx, t->path, &book, sheet->part, &b.cells));
    return build(&b, wish->header);
}

rung_status xlsx_read(rung_ctx *ctx, const char *bytes, int64_t n, const sheet_wish *wish, rung_table *t)
{
    xlsx_archive *archive;
    rung_status status = xlsx_archive_open(ctx, t->path, bytes, n, &archive);
    if (status == RUNG_OK) status = read_archive(ctx, archive, wish, t);
    xlsx_archive_close(archive);
    return status;
}
#endif
