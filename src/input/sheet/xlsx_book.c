// SPDX-License-Identifier: BSD-3-Clause
#include "input/sheet/xlsx_book.h"

#ifdef RUNG_XLSX
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/table/table.h"

enum { MOST_SHEETS = 1 << 14, MOST_STYLES = 1 << 18, MOST_FORMATS = 1 << 14 };

typedef struct {
    rung_ctx *ctx;
    xlsx_book *book;
    const char *folder;         /* of the workbook in the archive, with a slash */
    const char *found;          /* the workbook */
    const char *texts, *styles; /* parts; NULL: there is none */
    bool in_cells, phonetic;
    int64_t n_formats, format_room;
    struct {
        int64_t id;
        xlsx_style style;
    } * formats;
} opening;

static bool ends_with(const char *text, const char *end)
{
    size_t n = text ? strlen(text) : 0, m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_true(const char *value) { return value && (strcmp(value, "1") == 0 || text_equal(value, "true")); }

/* The part that a relation names: from the root, or beside the workbook. */
static rung_status part_of(const opening *o, const char *target, const char **out)
{
    if (*target == '/') return pool_text(o->ctx, &o->ctx->scratch, target + 1, out);
    return pool_printf(o->ctx, &o->ctx->scratch, out, "%s%s", o->folder, target);
}

/* ---- which parts there are ---- */

static rung_status root_relation(void *user, xlsx_place *at, const char *name)
{
    opening *o = user;
    const char *type = xlsx_attribute(at, "Type"), *target = xlsx_attribute(at, "Target");
    if (strcmp(name, "Relationship") != 0 || !target || !ends_with(type, "/officeDocument")) return RUNG_OK;
    return part_of(o, target, &o->found);
}

static rung_status on_relation(void *user, xlsx_place *at, const char *name)
{
    opening *o = user;
    const char *type = xlsx_attribute(at, "Type"), *target = xlsx_attribute(at, "Target"),
               *id = xlsx_attribute(at, "Id");
    if (strcmp(name, "Relationship") != 0 || !target || !id) return RUNG_OK;
    if (ends_with(type, "/sharedStrings")) return part_of(o, target, &o->texts);
    if (ends_with(type, "/styles")) return part_of(o, target, &o->styles);
    if (!ends_with(type, "/worksheet")) return RUNG_OK;
    for (int64_t k = 0; k < o->book->n_sheets; k++)
        if (strcmp(o->book->sheets[k].relation, id) == 0) TRY(part_of(o, target, &o->book->sheets[k].part));
    return RUNG_OK;
}

static rung_status on_workbook(void *user, xlsx_place *at, const char *name)
{
    opening *o = user;
    xlsx_book *b = o->book;
    if (strcmp(name, "workbookPr") == 0) b->since_1904 = is_true(xlsx_attribute(at, "date1904"));
    const char *called = xlsx_attribute(at, "name"), *id = xlsx_attribute(at, "id"), *state;
    if (strcmp(name, "sheet") != 0 || !called || !id || b->n_sheets == MOST_SHEETS) return RUNG_OK;
    if (b->n_sheets == b->sheet_room) {
        b->sheet_room = 2 * b->sheet_room + 8;
        TRY(RESIZE(o->ctx, &o->ctx->scratch, b->sheets, b->sheet_room));
    }
    xlsx_sheet *s = &b->sheets[b->n_sheets];
    *s = (xlsx_sheet){.hidden = (state = xlsx_attribute(at, "state")) && strcmp(state, "visible") != 0};
    TRY(pool_text(o->ctx, &o->ctx->scratch, called, &s->name));
    TRY(pool_text(o->ctx, &o->ctx->scratch, id, &s->relation));
    b->n_sheets++;
    return RUNG_OK;
}

/* ---- styles ---- */

xlsx_style xlsx_style_of(const char *format)
{
    bool date = false, time = false;
    int zeros = 0;
    for (const char *p = format; *p && *p != ';'; p++) {
        if (*p == '"') { /* letters as they stand */
            const char *end = strchr(p + 1, '"');
            if (!end) break;
            p = end;
        } else if (*p == '\\' || *p == '_' || *p == '*') {
            if (!*++p) break;
        } else if (*p == '[') { /* a colour, a currency, a condition; [h] counts hours */
            time = time || (strchr("hHmMsS", p[1]) && p[1] && strchr("]hHmMsS", p[2]) && p[2]);
            const char *end = strchr(p, ']');
            if (!end) break;
            p = end;
        } else {
            date = date || strchr("yYdD", *p);
            time = time || strchr("hHsS", *p);
            date = date || (!time && strchr("mM", *p)); /* minutes follow hours, but for mm:ss */
            if (strncmp(p, "mm:ss", 5) == 0) return (xlsx_style){.counts = date && time ? COUNT_DAYS : COUNT_TIME};
            if (text_equal(p, "General")) return (xlsx_style){.counts = COUNT_NUMBER};
        }
    }
    while (format[zeros] == '0') zeros++;
    bool padded = zeros > 1 && zeros <= 15 && !format[zeros];
    return (xlsx_style){date ? COUNT_DAYS : time ? COUNT_TIME : COUNT_NUMBER, padded ? zeros : 0};
}

static xlsx_style built_in(int64_t id)
{
    bool date = (id >= 14 && id <= 17) || id == 22 || (id >= 27 && id <= 31) || id == 36 || (id >= 50 && id <= 58),
         time = (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47);
    return (xlsx_style){.counts = date ? COUNT_DAYS : time ? COUNT_TIME : COUNT_NUMBER};
}

static rung_status on_style(void *user, xlsx_place *at, const char *name)
{
    opening *o = user;
    xlsx_book *b = o->book;
    int64_t id;
    if (strcmp(name, "cellXfs") == 0) o->in_cells = true;
    const char *number = xlsx_attribute(at, "numFmtId"), *code = xlsx_attribute(at, "formatCode");
    bool known = number && text_integer(number, strlen(number), &id);
    if (strcmp(name, "numFmt") == 0 && known && code && o->n_formats < MOST_FORMATS) {
        if (o->n_formats == o->format_room) {
            o->format_room = 2 * o->format_room + 16;
            TRY(pool_resize(o->ctx, &o->ctx->scratch, o->format_room, sizeof *o->formats, "formats",
                            (void **)&o->formats));
        }
        o->formats[o->n_formats].id = id;
        o->formats[o->n_formats++].style = xlsx_style_of(code);
    }
    if (strcmp(name, "xf") != 0 || !o->in_cells || b->n_styles == MOST_STYLES) return RUNG_OK;
    if (b->n_styles == b->style_room) {
        b->style_room = 2 * b->style_room + 32;
        TRY(RESIZE(o->ctx, &o->ctx->scratch, b->styles, b->style_room));
    }
    xlsx_style *s = &b->styles[b->n_styles++];
    *s = known ? built_in(id) : (xlsx_style){.counts = COUNT_NUMBER};
    for (int64_t k = 0; known && k < o->n_formats; k++)
        if (o->formats[k].id == id) *s = o->formats[k].style;
    return RUNG_OK;
}

static rung_status end_style(void *user, xlsx_place *at, const char *name)
{
    opening *o = user;
    (void)at;
    if (strcmp(name, "cellXfs") == 0) o->in_cells = false;
    return RUNG_OK;
}

/* ---- shared texts ---- */

static rung_status start_text(void *user, xlsx_place *at, const char *name)
{
    opening *o = user;
    if (strcmp(name, "si") == 0) at->length = 0;
    if (strcmp(name, "rPh") == 0) o->phonetic = true; /* how to pronounce it */
    at->keep = strcmp(name, "t") == 0 && !o->phonetic;
    return RUNG_OK;
}

static rung_status end_text(void *user, xlsx_place *at, const char *name)
{
    opening *o = user;
    xlsx_book *b = o->book;
    at->keep = false;
    if (strcmp(name, "rPh") == 0) o->phonetic = false;
    if (strcmp(name, "si") != 0) return RUNG_OK;
    if (b->n_texts == b->text_room) {
        b->text_room = 2 * b->text_room + 256;
        TRY(RESIZE(o->ctx, &o->ctx->scratch, b->texts, b->text_room));
    }
    if (b->n_texts % 1024 == 0) TRY(memory_check(o->ctx, (double)o->ctx->scratch.bytes, "the texts of a workbook"));
    int32_t index;
    const char *text = at->length ? at->text : "";
    TRY(dictionary_add(o->ctx, &o->ctx->scratch, &b->words, text, strlen(text), &index));
    b->texts[b->n_texts++] = b->words.values[index];
    return RUNG_OK;
}

/* ---- all of it ---- */

static rung_status no_workbook(rung_ctx *ctx, const char *path)
{
    return set_error(ctx, RUNG_EDATA, "%s is a compressed file, but no workbook of Excel (.xlsx); save it as CSV",
                     path);
}

static rung_status find_workbook(rung_ctx *ctx, const char *path, opening *o, const char **relations)
{
    static const char root[] = "_rels/.rels";
    if (!xlsx_archive_has(o->book->archive, root)) return no_workbook(ctx, path);
    o->folder = "";
    TRY(xlsx_part_parse(ctx, o->book->archive, root, &(xlsx_handler){.start = root_relation, .user = o}));
    if (!o->found || !ends_with(o->found, ".xml")) return no_workbook(ctx, path);
    const char *slash = strrchr(o->found, '/');
    int folder = slash ? (int)(slash + 1 - o->found) : 0;
    TRY(pool_printf(ctx, &ctx->scratch, &o->folder, "%.*s", folder, o->found));
    return pool_printf(ctx, &ctx->scratch, relations, "%s_rels/%s.rels", o->folder, o->found + folder);
}

rung_status xlsx_book_read(rung_ctx *ctx, const char *path, xlsx_archive *archive, xlsx_book *out)
{
    *out = (xlsx_book){.archive = archive};
    opening o = {.ctx = ctx, .book = out};
    const char *relations;
    TRY(find_workbook(ctx, path, &o, &relations));
    TRY(xlsx_part_parse(ctx, archive, o.found, &(xlsx_handler){.start = on_workbook, .user = &o}));
    TRY(xlsx_part_parse(ctx, archive, relations, &(xlsx_handler){.start = on_relation, .user = &o}));
    if (o.styles && xlsx_archive_has(archive, o.styles))
        TRY(xlsx_part_parse(ctx, archive, o.styles, &(xlsx_handler){on_style, end_style, &o}));
    if (o.texts && xlsx_archive_has(archive, o.texts))
        TRY(xlsx_part_parse(ctx, archive, o.texts, &(xlsx_handler){start_text, end_text, &o}));
    return RUNG_OK;
}

rung_status xlsx_book_sheet(rung_ctx *ctx, const char *path, const xlsx_book *book, const char *which,
                            const xlsx_sheet **out)
{
    int64_t number = 0, sheets = 0;
    char list[TABLE_LIST] = "";
    *out = NULL;
    for (int64_t k = 0; k < book->n_sheets; k++) {
        const xlsx_sheet *s = &book->sheets[k];
        if (!s->part) continue; /* a chart */
        sheets++;
        table_list(list, ", ", s->name);
        if (which ? strcmp(which, s->name) == 0 : !s->hidden && !*out) *out = s;
    }
    bool by_number = which && !*out && text_integer(which, strlen(which), &number);
    for (int64_t k = 0; by_number && k < book->n_sheets; k++)
        if (book->sheets[k].part && --number == 0) *out = &book->sheets[k];
    for (int64_t k = 0; !which && !*out && k < book->n_sheets; k++)
        if (book->sheets[k].part) *out = &book->sheets[k];
    if (sheets == 0) return set_error(ctx, RUNG_EDATA, "%s is a workbook without sheets", path);
    if (!*out) return set_error(ctx, RUNG_EARG, "%s has no sheet '%.80s'; there are %s", path, which, list);
    if (!which && sheets > 1)
        log_hint(ctx, RUNG_LOG_WARNING, "option sheet", "%s has %lld sheets (%s); '%.80s' is read", path,
                 (long long)sheets, list, (*out)->name);
    return RUNG_OK;
}
#endif
