// SPDX-License-Identifier: BSD-3-Clause
#include "data/read.h"

#include <string.h>

#include "data/csv.h"
#include "data/source.h"

typedef struct {
    const char *name;
    rung_status (*read)(rung_ctx *ctx, source *in, const rung_read_options *options, rung_table *t);
} format;

static const format formats[] = {{"csv", csv_read}};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The first format is the one for files that show no other. */
static rung_status choose(rung_ctx *ctx, const char *name, const format **out)
{
    *out = formats;
    if (!name) return RUNG_OK;
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0) return *out = &formats[i], RUNG_OK;
    char known[256] = "";
    for (int i = 0; i < FORMATS; i++) {
        strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, formats[i].name, sizeof known - strlen(known) - 1);
    }
    return fail(ctx, RUNG_EARG, "unknown format '%.80s'; known: %s", name, known);
}

rung_status read_table(rung_ctx *ctx, const char *path, const rung_read_options *options, rung_table **out)
{
    static const rung_read_options standard = {0};
    if (!options) options = &standard;
    *out = NULL;
    const format *f;
    source *in;
    rung_table *t;
    TRY(choose(ctx, options->format, &f));
    TRY(source_open(ctx, path, &in));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = table_new(ctx, path, &t);
    if (status == RUNG_OK) status = f->read(ctx, in, options, t);
    source_close(in);
    pool_release(&ctx->scratch, mark);
    if (status == RUNG_OK)
        *out = t;
    else
        table_free(t);
    return status;
}
