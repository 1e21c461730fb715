// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/interval_cell.h"

#include <string.h>

static bool is_open(const char *text) { return (text[0] == '<' || text[0] == '>') && text[1] == '='; }

bool cell_is_interval(const char *text) { return is_open(text) || strstr(text, ".."); }

static cell_end trimmed(const char *from, const char *end)
{
    while (from < end && (*from == ' ' || *from == '\t')) from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return (cell_end){from, (size_t)(end - from)};
}

bool cell_ends_at(const char *text, int way, cell_ends *out)
{
    const char *end = text + strlen(text), *dots = text;
    *out = (cell_ends){0};
    if (is_open(text)) {
        *(text[0] == '<' ? &out->high : &out->low) = trimmed(text + 2, end);
        return way == 0;
    }
    for (int k = 0; (dots = strstr(dots, "..")) && k < way; k++) dots++;
    if (!dots) return false;
    out->low = trimmed(text, dots);
    out->high = trimmed(dots + 2, end);
    return true;
}
