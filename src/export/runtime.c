// SPDX-License-Identifier: BSD-3-Clause
#include "export/runtime.h"

#include <string.h>

/* The text after the line of the section; NULL: there is none. */
static const char *find_section(const char *text, const char *section)
{
    size_t length = strlen(section);
    for (const char *p = strstr(text, "//// "); p; p = strstr(p + 1, "//// "))
        if (strncmp(p + 5, section, length) == 0 && p[5 + length] == '\n') return p + 6 + length;
    return NULL;
}

void write_section(writer *w, const char *text, const char *section, const char *prefix)
{
    const char *from = find_section(text, section);
    if (!from) {
        w->status = set_error(w->ctx, RUNG_EINTERNAL, "no section %s", section);
        return;
    }
    const char *end = strstr(from, "//// ");
    if (!end) end = from + strlen(from);
    while (from < end) {
        const char *at = memchr(from, '@', (size_t)(end - from));
        write_bytes(w, from, (at ? at : end) - from);
        if (!at) break;
        write_text(w, prefix);
        from = at + 1;
    }
}
