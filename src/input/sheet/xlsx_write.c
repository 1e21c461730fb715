// SPDX-License-Identifier: BSD-3-Clause
/* A workbook of one sheet, with what Excel, LibreOffice and others need of it and no more. */
#include "input/sheet/sheet_write.h"

#ifndef RUNG_XLSX
rung_status xlsx_write(rung_ctx *ctx, const rung_table *t, rung_write_fn *write, void *user)
{
    (void)t, (void)write, (void)user;
    return set_error(ctx, RUNG_EARG, "workbooks are written by libzip, without which this rung was built");
}
#else

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/table/column_form.h"

enum { MOST_ROWS = 1 << 20, MOST_COLUMNS = 1 << 14, CELL = 96, PIECE = 1 << 16, MOST_CELL_TEXT = 32767 };

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define OFFICE "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define PACKAGE "http://schemas.openxmlformats.org/package/2006/"
#define MAIN "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
#define TYPE "application/vnd.openxmlformats-officedocument.spreadsheetml."

static const struct {
    const char *name, *text;
} parts[] = {
    {"[Content_Types].xml",
     XML "<Types xmlns=\"" PACKAGE "content-types\"><Default Extension=\"rels\" "
         "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Override "
         "PartName=\"/xl/workbook.xml\" ContentType=\"" TYPE "sheet.main+xml\"/><Override "
         "PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"" TYPE "worksheet+xml\"/><Override "
         "PartName=\"/xl/styles.xml\" ContentType=\"" TYPE "styles+xml\"/></Types>"},
    {"_rels/.rels", XML "<Relationships xmlns=\"" PACKAGE "relationships\"><Relationship Id=\"rId1\" Type=\"" OFFICE
                        "/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"},
    {"xl/workbook.xml", XML "<workbook " MAIN " xmlns:r=\"" OFFICE "\"><sheets><sheet name=\"predictions\" "
                            "sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"},
    {"xl/_rels/workbook.xml.rels",
     XML "<Relationships xmlns=\"" PACKAGE "relationships\"><Relationship Id=\"rId1\" Type=\"" OFFICE
         "/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"rId2\" Type=\"" OFFICE
         "/styles\" Target=\"styles.xml\"/></Relationships>"},
    {"xl/styles.xml",
     XML "<styleSheet " MAIN "><fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills "
         "count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/>"
         "</fill></fills><borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
         "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>"
         "<cellXfs count=\"3\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/><xf "
         "numFmtId=\"14\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/><xf "
         "numFmtId=\"22\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/></cellXfs>"
         "</styleSheet>"}};

/* ---- the sheet ---- */

typedef struct {
    rung_ctx *ctx;
    char *text;
    int64_t n, room;
} growing;

static rung_status add(growing *g, const char *text, size_t n)
{
    if (g->n + (int64_t)n > g->room) {
        int64_t room = 2 * (g->n + (int64_t)n) + PIECE;
        TRY(memory_check(g->ctx, (double)room, "the workbook written"));
        TRY(RESIZE(g->ctx, &g->ctx->scratch, g->text, room));
        g->room = room;
    }
    memcpy(g->text + g->n, text, n);
    g->n += (int64_t)n;
    return RUNG_OK;
}

static rung_status add_text(growing *g, const char *text) { return add(g, text, strlen(text)); }

/* Bytes that XML cannot hold are left out. */
static rung_status add_escaped(growing *g, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        const char *as = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
        if (as)
            TRY(add_text(g, as));
        else if (c >= ' ' || c == '\t' || c == '\n')
            TRY(add(g, text, 1));
    }
    return RUNG_OK;
}

static rung_status text_cell(growing *g, const char *text)
{
    if (strlen(text) > MOST_CELL_TEXT)
        return set_error(g->ctx, RUNG_EDATA, "a text of %zu bytes is too long for a cell of a workbook; write CSV",
                         strlen(text));
    if (!*text) return add_text(g, "<c/>");
    TRY(add_text(g, "<c t=\"inlineStr\"><is><t xml:space=\"preserve\">"));
    TRY(add_escaped(g, text));
    return add_text(g, "</t></is></c>");
}

static rung_status number_cell(growing *g, double x, int style)
{
    char cell[CELL], number[32];
    if (!isfinite(x)) return add_text(g, "<c/>");
    text_format(x, number);
    if (style)
        snprintf(cell, sizeof cell, "<c s=\"%d\"><v>%s</v></c>", style, number);
    else
        snprintf(cell, sizeof cell, "<c><v>%s</v></c>", number);
    return add_text(g, cell);
}

static rung_status sheet_text(growing *g, const rung_table *t)
{
    const double **number = NULL;
    int *style = NULL;
    bool fraction;
    TRY(pool_alloc(g->ctx, &g->ctx->scratch, t->n_columns, sizeof *number, "columns", (void **)&number));
    TRY(NEW(g->ctx, &g->ctx->scratch, style, t->n_columns));
    TRY(add_text(g, XML "<worksheet " MAIN "><sheetData>"));
    if (t->has_names) TRY(add_text(g, "<row>"));
    for (int64_t j = 0; j < t->n_columns; j++) {
        const column *c = &t->columns[j];
        bool names = c->values_named.n > 0;
        if (t->has_names) TRY(text_cell(g, c->name));
        if (!names) TRY(sheet_numbers(g->ctx, t, j, &number[j], &fraction));
        if (!names && number[j] && c->native == NATIVE_DATE) style[j] = fraction ? 2 : 1;
    }
    if (t->has_names) TRY(add_text(g, "</row>"));
    for (int64_t i = 0; i < t->n_rows; i++) {
        TRY(add_text(g, "<row>"));
        for (int64_t j = 0; j < t->n_columns; j++) {
            const column *c = &t->columns[j];
            int32_t named = c->kind == COLUMN_NUMBER ? named_values_find(&c->values_named, c->number[i]) : -1;
            if (named >= 0)
                TRY(text_cell(g, c->values_named.name[named]));
            else if (number[j] || c->kind == COLUMN_NUMBER)
                TRY(number_cell(g, number[j] ? number[j][i] + (style[j] ? 25569 : 0) : c->number[i], style[j]));
            else
                TRY(text_cell(g, c->text[i] < 0 ? "" : c->values[c->text[i]]));
        }
        TRY(add_text(g, "</row>"));
    }
    return add_text(g, "</sheetData></worksheet>");
}

/* ---- the archive ---- */

static rung_status bad_archive(rung_ctx *ctx, zip_error_t *error)
{
    return set_error(ctx, RUNG_EIO, "the workbook cannot be packed: %s", zip_error_strerror(error));
}

/* The same rows give the same bytes: all parts are of 1980. */
static rung_status add_part(rung_ctx *ctx, zip_t *z, const char *name, const char *text, size_t n)
{
    zip_source_t *from = zip_source_buffer(z, text, n, 0);
    zip_int64_t at = from ? zip_file_add(z, name, from, ZIP_FL_ENC_UTF_8) : -1;
    if (from && at < 0) zip_source_free(from);
    if (at < 0 || zip_file_set_dostime(z, (zip_uint64_t)at, 0, 33, 0) != 0) return bad_archive(ctx, zip_get_error(z));
    return RUNG_OK;
}

static rung_status hand_over(rung_ctx *ctx, zip_source_t *packed, rung_write_fn *write, void *user)
{
    char *room = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, room, PIECE));
    if (zip_source_open(packed) != 0) return bad_archive(ctx, zip_source_error(packed));
    rung_status status = RUNG_OK;
    for (zip_int64_t got; status == RUNG_OK && (got = zip_source_read(packed, room, PIECE)) != 0;)
        if (got < 0)
            status = bad_archive(ctx, zip_source_error(packed));
        else if (write(user, room, got) != 0)
            status = set_error(ctx, RUNG_EIO, "the file cannot be written");
    zip_source_close(packed);
    return status;
}

static rung_status pack(rung_ctx *ctx, const growing *g, zip_source_t *packed)
{
    zip_error_t error;
    zip_error_init(&error);
    zip_source_keep(packed);
    zip_t *z = zip_open_from_source(packed, ZIP_CREATE | ZIP_TRUNCATE, &error);
    rung_status status = RUNG_OK;
    if (!z) {
        zip_source_free(packed);
        status = bad_archive(ctx, &error);
    }
    zip_error_fini(&error);
    for (size_t k = 0; status == RUNG_OK && k < sizeof parts / sizeof *parts; k++)
        status = add_part(ctx, z, parts[k].name, parts[k].text, strlen(parts[k].text));
    if (status == RUNG_OK) status = add_part(ctx, z, "xl/worksheets/sheet1.xml", g->text, (size_t)g->n);
    if (status == RUNG_OK && zip_close(z) == 0) return RUNG_OK;
    if (status == RUNG_OK) status = bad_archive(ctx, zip_get_error(z));
    if (z) zip_discard(z);
    return status;
}

rung_status xlsx_write(rung_ctx *ctx, const rung_table *t, rung_write_fn *write, void *user)
{
    growing g = {.ctx = ctx};
    zip_error_t error;
    if (t->n_rows >= MOST_ROWS || t->n_columns > MOST_COLUMNS)
        return set_error(ctx, RUNG_EDATA, "%lld rows of %lld columns are too many for a workbook; write CSV",
                         (long long)t->n_rows, (long long)t->n_columns);
    TRY(sheet_text(&g, t));
    zip_error_init(&error);
    zip_source_t *packed = zip_source_buffer_create(NULL, 0, 0, &error);
    rung_status status = packed ? pack(ctx, &g, packed) : bad_archive(ctx, &error);
    if (status == RUNG_OK) status = hand_over(ctx, packed, write, user);
    if (packed) zip_source_free(packed);
    zip_error_fini(&error);
    return status;
}
#endif
