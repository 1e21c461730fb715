// SPDX-License-Identifier: BSD-3-Clause
#include "input/sheet/sheet.h"

#include <string.h>

#include "input/sheet/stat_read.h"
#include "input/sheet/xlsx_read.h"

typedef struct {
    sheet_kind kind;
    const char *start;
    int64_t length;
} signature;

/* Stata's files since version 13 begin with a tag; before with the version, the order of bytes, 1 and 0. */
#define STATA(version, order)                                                                                          \
    {                                                                                                                  \
        SHEET_DTA, version order "\1\0", 4                                                                             \
    }
#define STATA_OLD(version) STATA(version, "\1"), STATA(version, "\2")

static const signature signatures[] = {
    {SHEET_SAV, "$FL2@(#)", 8},
    {SHEET_SAV, "$FL3@(#)", 8},
    {SHEET_POR, "ASCII SPSS PORT FILE", 20},
    {SHEET_POR, "0000000000000000000000000000000000000000ASCII SPSS PORT FILE",
     60}, /* after 40 characters of EBCDIC: */
    {SHEET_POR, "\xc1\xe2\xc3\xc9\xc9\x40\xe2\xd7\xe2\xe2\x40\xd7\xd6\xd9\xe3", 15},
    {SHEET_DTA, "<stata_dta>", 11},
    STATA_OLD("\x68"),
    STATA_OLD("\x69"),
    STATA_OLD("\x6a"),
    STATA_OLD("\x6b"),
    STATA_OLD("\x6c"),
    STATA_OLD("\x6e"),
    STATA_OLD("\x6f"),
    STATA_OLD("\x71"),
    STATA_OLD("\x72"),
    STATA_OLD("\x73"),
    {SHEET_SAS,
     "\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c\x18\x1f\x10\x11", 32},
    {SHEET_XPT, "HEADER RECORD*******LIB", 23},
    {SHEET_XLSX, "PK\3\4", 4},
};

sheet_kind sheet_kind_of(const char *bytes, int64_t n)
{
    bool unsure = false;
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const signature *s = &signatures[i];
        int64_t seen = n < s->length ? n : s->length;
        if (memcmp(bytes, s->start, (size_t)seen) != 0) continue;
        if (seen == s->length) return s->kind;
        unsure = true;
    }
    return unsure ? SHEET_UNSURE : SHEET_NONE;
}

const char *sheet_called(sheet_kind kind)
{
    static const char *const names[] = {
        [SHEET_SAV] = "an SPSS file", [SHEET_POR] = "a portable SPSS file", [SHEET_DTA] = "a Stata file",
        [SHEET_SAS] = "a SAS file",   [SHEET_XPT] = "a SAS transport file", [SHEET_XLSX] = "an Excel workbook"};
    return kind < SHEET_UNSURE && names[kind] ? names[kind] : "a file";
}

static rung_status fill(rung_ctx *ctx, sheet_kind kind, const char *bytes, int64_t n, const sheet_wish *wish,
                        rung_table *t)
{
    t->has_names = true;
    t->decimal = '.';
    t->first_line = 1;
    if (kind == SHEET_XLSX) return xlsx_read(ctx, bytes, n, wish, t);
    if (wish->which) return set_error(ctx, RUNG_EARG, "%s is %s, which has no sheets", t->path, sheet_called(kind));
    return stat_read(ctx, kind, bytes, n, t);
}

rung_status sheet_read(rung_ctx *ctx, const char *path, sheet_kind kind, const char *bytes, int64_t n,
                       const sheet_wish *wish, rung_table **out)
{
    TRY(table_new(ctx, path, out));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = fill(ctx, kind, bytes, n, wish, *out);
    pool_release(&ctx->scratch, mark);
    if (status == RUNG_OK) return RUNG_OK;
    table_free(*out);
    *out = NULL;
    return status;
}
