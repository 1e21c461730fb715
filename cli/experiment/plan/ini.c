// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/plan/ini.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"

enum { LONGEST = 1 << 20, MOST_LINES = 10000 }; /* no plan is longer, but a data file given by mistake may be */

bool ini_wrong(const ini *f, int line, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain("experiment: %s, line %d: %s", f->path, line, text);
    return false;
}

static char *read_text(const char *path)
{
    FILE *file;
    do file = fopen(path, "rb");
    while (!file && errno == EINTR);
    if (!file) {
        complain("experiment: cannot open %s: %s", path, strerror(errno));
        return NULL;
    }
    size_t room = 4096, n = 0;
    char *text = allocate(room, 1);
    while (n < LONGEST) {
        n += fread(text + n, 1, room - n - 1, file);
        if (ferror(file) && errno == EINTR) {
            clearerr(file);
            continue;
        }
        if (n + 1 < room) break;
        char *longer = allocate(2 * room, 1);
        memcpy(longer, text, n);
        free(text);
        text = longer;
        room *= 2;
    }
    int error = ferror(file) ? errno : 0;
    bool foreign = strlen(text) != n || n >= LONGEST;
    fclose(file);
    if (!error && !foreign) return text;
    if (error)
        complain("experiment: cannot read %s: %s", path, strerror(error));
    else
        complain("experiment: %s is not an .ini file", path);
    free(text);
    return NULL;
}

/* ---- lines ---- */

/* Cut in place: no blanks around, no comment (; or # at the start or after a blank). */
static char *trim(char *line)
{
    for (char *c = line; *c; c++)
        if ((*c == ';' || *c == '#') && (c == line || isspace((unsigned char)c[-1]))) {
            *c = 0;
            break;
        }
    while (isspace((unsigned char)*line)) line++;
    size_t n = strlen(line);
    while (n > 0 && isspace((unsigned char)line[n - 1])) line[--n] = 0;
    return line;
}

static ini_section *add_section(ini *f, const char *name, const char *brace, int line)
{
    ini_section *more = allocate((size_t)f->n + 1, sizeof *more);
    if (f->n) memcpy(more, f->sections, (size_t)f->n * sizeof *more);
    free(f->sections);
    f->sections = more;
    more[f->n] = (ini_section){.name = text_of("%s", name), .brace = brace ? text_of("%s", brace) : NULL, .line = line};
    return &more[f->n++];
}

static bool add_entry(const ini *f, ini_section *s, char *line, int number)
{
    char *equals = strchr(line, '=');
    if (!equals || equals == line) return ini_wrong(f, number, "'%s': expected [section] or key = value", line);
    *equals = 0;
    const char *key = trim(line), *value = trim(equals + 1);
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->entries[i].key, key))
            return ini_wrong(f, number, "'%s' is already set in line %d", key, s->entries[i].line);
    ini_entry *more = allocate((size_t)s->n + 1, sizeof *more);
    if (s->n) memcpy(more, s->entries, (size_t)s->n * sizeof *more);
    free(s->entries);
    s->entries = more;
    more[s->n++] = (ini_entry){.key = text_of("%s", key), .value = text_of("%s", value), .line = number};
    return true;
}

static bool read_line(ini *f, char *raw, int number)
{
    char *line = trim(raw);
    size_t n = strlen(line);
    if (n == 0) return true;
    char close = *line == '[' ? ']' : *line == '{' ? '}' : 0;
    if (!close) {
        if (f->n == 0) return ini_wrong(f, number, "'%s': expected a [section] before the first key", line);
        return add_entry(f, &f->sections[f->n - 1], line, number);
    }
    if (line[n - 1] != close || n < 3) return ini_wrong(f, number, "'%s': expected %c at the end", line, close);
    line[n - 1] = 0;
    const char *name = trim(line + 1);
    if (close == ']') {
        for (int i = 0; i < f->n; i++)
            if (!f->sections[i].brace && !strcmp(f->sections[i].name, name))
                return ini_wrong(f, number, "[%s] already occurs in line %d", name, f->sections[i].line);
        add_section(f, name, NULL, number);
        return true;
    }
    if (f->n == 0) return ini_wrong(f, number, "{%s} must follow a [section]", name);
    add_section(f, f->sections[f->n - 1].name, name, number);
    return true;
}

bool ini_read(const char *path, ini *out)
{
    *out = (ini){.path = path, .text = read_text(path)};
    if (!out->text) return false;
    char *copy = text_of("%s", out->text), *line = copy;
    bool good = true;
    if (!strncmp(line, "\xef\xbb\xbf", 3)) line += 3; /* a byte order mark */
    for (int number = 1; good && line; number++) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        good = number <= MOST_LINES ? read_line(out, line, number)
                                    : ini_wrong(out, number, "the plan has more than %d lines", MOST_LINES);
        line = end ? end + 1 : NULL;
    }
    free(copy);
    if (good && out->n == 0) {
        complain("experiment: %s has no [section]", path);
        good = false;
    }
    return good;
}

void ini_free(ini *f)
{
    for (int i = 0; i < f->n; i++) {
        for (int e = 0; e < f->sections[i].n; e++) {
            free(f->sections[i].entries[e].key);
            free(f->sections[i].entries[e].value);
        }
        free(f->sections[i].entries);
        free(f->sections[i].name);
        free(f->sections[i].brace);
    }
    free(f->sections);
    free(f->text);
    *f = (ini){0};
}

const char *ini_get(ini_section *s, const char *key)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->entries[i].key, key)) {
            s->entries[i].used = true;
            return s->entries[i].value;
        }
    return NULL;
}

int ini_line(const ini_section *s, const char *key)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->entries[i].key, key)) return s->entries[i].line;
    return s->line;
}

bool ini_all_used(const ini *f, const ini_section *s, const char *const *known)
{
    for (int i = 0; i < s->n; i++) {
        const ini_entry *e = &s->entries[i];
        if (e->used) continue;
        const char *near = nearest_name(e->key, known);
        if (near) return ini_wrong(f, e->line, "unknown key '%s'; did you mean %s?", e->key, near);
        return ini_wrong(f, e->line, "unknown key '%s'", e->key);
    }
    return true;
}
