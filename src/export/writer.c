// SPDX-License-Identifier: BSD-3-Clause
#include "export/writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void write_bytes(writer *w, const void *bytes, int64_t size)
{
    if (w->status != RUNG_OK) return;
    if (w->size + size >= w->room) { /* not empty after the first call */
        int64_t room = 2 * (w->size + size) + 4096;
        w->status = RESIZE(w->ctx, &w->ctx->scratch, w->bytes, room);
        if (w->status != RUNG_OK) return;
        w->room = room;
    }
    if (size > 0) memcpy(w->bytes + w->size, bytes, (size_t)size);
    w->size += size;
}

void write_text(writer *w, const char *text) { write_bytes(w, text, (int64_t)strlen(text)); }

void write_format(writer *w, const char *format, ...)
{
    const char *text = NULL;
    char brief[512];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(brief, sizeof brief, format, list);
    va_end(list);
    if (n < (int)sizeof brief) {
        write_bytes(w, brief, n);
        return;
    }
    char *whole = NULL;
    pool_mark mark = pool_here(&w->ctx->scratch);
    rung_status status = w->status == RUNG_OK ? NEW_RAW(w->ctx, &w->ctx->scratch, whole, n + 1) : w->status;
    if (status == RUNG_OK) {
        va_start(list, format);
        vsnprintf(whole, (size_t)n + 1, format, list);
        va_end(list);
        text = whole;
        write_bytes(w, text, n);
    }
    if (w->status == RUNG_OK) w->status = status;
    pool_release(&w->ctx->scratch, mark);
}

void write_number(writer *w, double x)
{
    char text[32];
    if (isinf(x)) /* too large for a number, so that readers take it for infinite */
        write_text(w, x > 0 ? "1e999" : "-1e999");
    else
        write_bytes(w, text, text_format(x, text));
}

/* The code point at *p, which is moved past it; a byte that begins none counts as U+FFFD. */
static unsigned long take_point(const unsigned char **p)
{
    unsigned long c = *(*p)++;
    int more = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : -1;
    if (more < 0) return 0xfffd;
    if (more > 0) c &= 0x3fU >> more;
    for (int i = 0; i < more; i++) {
        if ((**p & 0xc0) != 0x80) return 0xfffd;
        c = c << 6 | (*(*p)++ & 0x3fU);
    }
    return c;
}

void write_json_text(writer *w, const char *text)
{
    write_text(w, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        unsigned long c = take_point(&p);
        char plain = (char)c;
        if (c >= 0x10000)
            write_format(w, "\\u%04lx\\u%04lx", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
        else if (c < 32 || c > 126 || strchr("\"\\<>&'", (int)c))
            write_format(w, "\\u%04lx", c);
        else
            write_bytes(w, &plain, 1);
    }
    write_text(w, "\"");
}
