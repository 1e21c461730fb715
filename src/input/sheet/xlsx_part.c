// SPDX-License-Identifier: BSD-3-Clause
#include "input/sheet/xlsx_part.h"

#ifdef RUNG_XLSX
#include <expat.h>
#include <string.h>
#include <zip.h>

enum {
    PIECE = 1 << 16,
    MOST_TEXT = 1 << 20, /* of a cell; Excel allows 32767 characters */
    MOST_DEPTH = 64,
    BOMB_BYTES = 64 << 20, /* as of gzip files (read/source.c), but XML packs better */
    BOMB_RATIO = 500
};

struct xlsx_archive {
    const char *path;
    zip_t *zip;
};

/* ---- the archive ---- */

rung_status xlsx_archive_open(rung_ctx *ctx, const char *path, const char *bytes, int64_t n, xlsx_archive **out)
{
    zip_error_t error;
    xlsx_archive *a = *out = NULL;
    TRY(NEW(ctx, &ctx->scratch, a, 1));
    a->path = path;
    zip_error_init(&error);
    zip_source_t *from = zip_source_buffer_create(bytes, (zip_uint64_t)n, 0, &error);
    if (from && !(a->zip = zip_open_from_source(from, ZIP_RDONLY, &error))) zip_source_free(from);
    rung_status status = RUNG_OK;
    if (!a->zip)
        status = set_error(ctx, RUNG_EDATA, "%s is a compressed file that cannot be read: %s", path,
                           zip_error_strerror(&error));
    zip_error_fini(&error);
    *out = a;
    return status;
}

void xlsx_archive_close(xlsx_archive *a)
{
    if (a && a->zip) zip_discard(a->zip);
}

bool xlsx_archive_has(const xlsx_archive *a, const char *part)
{
    return zip_name_locate(a->zip, part, ZIP_FL_NOCASE) >= 0;
}

/* ---- XML ---- */

typedef struct {
    xlsx_place at;
    const xlsx_handler *handler;
    XML_Parser parser;
    rung_status status;
    int depth;
} parsing;

static void stop(parsing *p, rung_status status)
{
    if (status == RUNG_OK || p->status != RUNG_OK) return;
    p->status = status;
    XML_StopParser(p->parser, XML_FALSE);
}

static const char *without_prefix(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static void on_start(void *user, const char *name, const char **attributes)
{
    parsing *p = user;
    if (p->status != RUNG_OK) return;
    p->at.attributes = attributes;
    if (++p->depth > MOST_DEPTH)
        stop(p, set_error(p->at.ctx, RUNG_EDATA, "%s is damaged: more than %d elements inside each other", p->at.path,
                          MOST_DEPTH));
    else
        stop(p, p->handler->start(p->handler->user, &p->at, without_prefix(name)));
}

static void on_end(void *user, const char *name)
{
    parsing *p = user;
    p->depth--;
    if (p->status == RUNG_OK && p->handler->end)
        stop(p, p->handler->end(p->handler->user, &p->at, without_prefix(name)));
}

static rung_status add_text(xlsx_place *at, const char *text, int64_t n)
{
    if (at->length + n > MOST_TEXT)
        return set_error(at->ctx, RUNG_EDATA, "%s: a text of more than %d bytes", at->path, MOST_TEXT);
    if (at->length + n + 1 > at->room) {
        int64_t room = 2 * (at->length + n) + 256;
        TRY(RESIZE(at->ctx, &at->ctx->scratch, at->text, room));
        at->room = room;
    }
    memcpy(at->text + at->length, text, (size_t)n);
    at->length += n;
    at->text[at->length] = 0;
    return RUNG_OK;
}

static void on_text(void *user, const char *text, int n)
{
    parsing *p = user;
    if (p->at.keep && p->status == RUNG_OK) stop(p, add_text(&p->at, text, n));
}

static void on_doctype(void *user, const char *name, const char *system, const char *public_id, int subset)
{
    parsing *p = user;
    (void)name, (void)system, (void)public_id, (void)subset;
    stop(p,
         set_error(p->at.ctx, RUNG_EDATA, "%s is no workbook: it declares a document type, as none does", p->at.path));
}

const char *xlsx_attribute(const xlsx_place *at, const char *name)
{
    for (const char **a = at->attributes; *a; a += 2)
        if (strcmp(without_prefix(a[0]), name) == 0) return a[1];
    return NULL;
}

static rung_status damaged(const parsing *p, const char *part, const char *why)
{
    return set_error(p->at.ctx, RUNG_EDATA, "%s is a damaged workbook (%s): %s", p->at.path, part, why);
}

static rung_status check_bomb(rung_ctx *ctx, const char *path, int64_t unpacked, double packed)
{
    if (ctx->memory > 0 || unpacked <= BOMB_BYTES || (double)unpacked / BOMB_RATIO <= packed) return RUNG_OK;
    return hint(ctx,
                set_error(ctx, RUNG_ELIMIT,
                          "%s unpacks to more than %d times its size, as no usual data do; set a memory limit to read "
                          "it all the same",
                          path, BOMB_RATIO),
                "option memory");
}

static rung_status parse_all(parsing *p, zip_file_t *file, const char *part, double packed)
{
    int64_t unpacked = 0;
    for (zip_int64_t got = 1; got > 0;) {
        TRY(interrupted(p->at.ctx));
        void *room = XML_GetBuffer(p->parser, PIECE);
        if (!room) return set_error(p->at.ctx, RUNG_ENOMEM, "out of memory: reading %s", p->at.path);
        got = zip_fread(file, room, PIECE);
        if (got < 0) return damaged(p, part, "it does not unpack");
        unpacked += got;
        TRY(check_bomb(p->at.ctx, p->at.path, unpacked, packed));
        enum XML_Status code = XML_ParseBuffer(p->parser, (int)got, got == 0);
        TRY(p->status);
        if (code != XML_STATUS_OK) return damaged(p, part, XML_ErrorString(XML_GetErrorCode(p->parser)));
    }
    return RUNG_OK;
}

static rung_status parse_file(rung_ctx *ctx, const xlsx_archive *a, zip_file_t *file, const char *part, double packed,
                              const xlsx_handler *handler)
{
    parsing p = {.at = {.ctx = ctx, .path = a->path}, .handler = handler, .parser = XML_ParserCreate(NULL)};
    if (!p.parser) return set_error(ctx, RUNG_ENOMEM, "out of memory: reading %s", a->path);
    XML_SetUserData(p.parser, &p);
    XML_SetElementHandler(p.parser, on_start, on_end);
    XML_SetCharacterDataHandler(p.parser, on_text);
    XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
    rung_status status = parse_all(&p, file, part, packed);
    XML_ParserFree(p.parser);
    return status;
}

rung_status xlsx_part_parse(rung_ctx *ctx, xlsx_archive *a, const char *part, const xlsx_handler *handler)
{
    zip_stat_t about;
    zip_int64_t at = zip_name_locate(a->zip, part, ZIP_FL_NOCASE);
    if (at < 0) return set_error(ctx, RUNG_EDATA, "%s is a damaged workbook: it has no part %.100s", a->path, part);
    zip_stat_init(&about);
    zip_file_t *file = zip_fopen_index(a->zip, (zip_uint64_t)at, 0);
    if (!file || zip_stat_index(a->zip, (zip_uint64_t)at, 0, &about) != 0) {
        if (file) zip_fclose(file);
        return set_error(ctx, RUNG_EDATA, "%s: its part %.100s cannot be read: %s", a->path, part,
                         zip_strerror(a->zip));
    }
    rung_status status = parse_file(ctx, a, file, part, (double)about.comp_size, handler);
    zip_fclose(file);
    return status;
}
#endif
