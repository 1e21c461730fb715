// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/interval_cell.h"

#include <string.h>

static bool is_open(const char *text) { return (text[0] == '<' || text[0] == '>') && text[1] == '='; }

bool cell_is_interval(const char *text) { return is_open(text) || strstr(text, ".."); }

static rung_status trimmed(rung_ctx *ctx, const char *from, const char *end, const char **out)
{
    char *copy = NULL;
    while (from < end && (*from == ' ' || *from == '\t')) from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t')) end--;
    TRY(NEW(ctx, &ctx->scratch, copy, end - from + 1));
    memcpy(copy, from, (size_t)(end - from));
    *out = copy;
    return RUNG_OK;
}

rung_status cell_ends_at(rung_ctx *ctx, const char *text, int way, bool *found, cell_ends *out)
{
    const char *end = text + strlen(text), *dots = text;
    *out = (cell_ends){0};
    if (is_open(text)) {
        *found = way == 0;
        return *found ? trimmed(ctx, text + 2, end, text[0] == '<' ? &out->high : &out->low) : RUNG_OK;
    }
    for (int k = 0; (dots = strstr(dots, "..")) && k < way; k++) dots++;
    *found = dots != NULL;
    if (!dots) return RUNG_OK;
    TRY(trimmed(ctx, text, dots, &out->low));
    return trimmed(ctx, dots + 2, end, &out->high);
}
