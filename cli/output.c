// SPDX-License-Identifier: BSD-3-Clause
#define _XOPEN_SOURCE 700
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

enum { LINE = 80 };

/* ---- files ---- */

bool output_open(output *o, const char *path)
{
    *o = (output){0};
    if (!path || !strcmp(path, "-")) {
        o->file = stdout;
        return true;
    }
    char *real = realpath(path, NULL); /* a link stays a link */
    o->path = real ? real : text_of("%s", path);
    struct stat there;
    bool in_place = stat(o->path, &there) == 0 && !S_ISREG(there.st_mode);
    if (!in_place) o->temporary = text_of("%s.%ld.part", o->path, (long)getpid());
    o->file = fopen(in_place ? o->path : o->temporary, "w");
    if (!o->file) {
        complain("cannot write %s: %s", path, strerror(errno));
        free(o->temporary);
        o->temporary = NULL; /* nothing of ours to remove */
        output_discard(o);
        return false;
    }
    return true;
}

bool output_possible(const char *path)
{
    if (!strcmp(path, "-")) return true;
    struct stat there;
    const char *slash = strrchr(path, '/');
    char *folder = slash == path ? text_of("/") : slash ? text_of("%.*s", (int)(slash - path), path) : text_of(".");
    bool good = false;
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        errno = EISDIR;
    else
        good = access(folder, W_OK | X_OK) == 0 || (stat(path, &there) == 0 && access(path, W_OK) == 0);
    if (!good) complain("cannot write %s: %s", path, strerror(errno));
    free(folder);
    return good;
}

bool output_keep(output *o)
{
    if (o->file == stdout) return true; /* checked at exit */
    bool good = !ferror(o->file) && fflush(o->file) == 0;
    if (good && o->temporary) good = fsync(fileno(o->file)) == 0;
    int why = errno;
    if (fclose(o->file) != 0 && good) good = false, why = errno;
    o->file = NULL;
    if (good && o->temporary && rename(o->temporary, o->path) != 0) good = false, why = errno;
    if (!good) {
        complain("cannot write %s: %s", o->path, strerror(why));
    } else {
        free(o->temporary);
        o->temporary = NULL;
    }
    output_discard(o);
    return good;
}

void output_discard(output *o)
{
    if (o->file && o->file != stdout) fclose(o->file);
    if (o->temporary) unlink(o->temporary);
    free(o->temporary);
    free(o->path);
    *o = (output){0};
}

bool stdout_close(void)
{
    errno = 0;
    bool good = !ferror(stdout);
    int why = 0;
    if (fflush(stdout) != 0) good = false, why = errno;
    if (fclose(stdout) != 0 && !why) good = false, why = errno;
    /* A reader that stopped reading (head) knows; others are told. */
    if (!good && why != EPIPE) complain("cannot write standard output: %s", why ? strerror(why) : "write failed");
    return good;
}

/* ---- numbers and cells ---- */

number_text number_of(double x)
{
    number_text n;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(n.text, sizeof n.text, "%.*g", digits, x);
        if (strtod(n.text, NULL) == x) break;
    }
    return n;
}

void csv_cell(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static int text_columns(const char *text, int length)
{
    int n = 0;
    for (int i = 0; i < length; i++) n += (text[i] & 0xC0) != 0x80;
    return n;
}

int text_width(const char *text) { return text_columns(text, (int)strlen(text)); }

/* ---- text ---- */

void wrap_text(FILE *file, const char *text, int at, int indent)
{
    while (*text) {
        int length = (int)strcspn(text, " \n"), width = text_columns(text, length);
        if (at > indent && at + 1 + width > LINE) {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
        } else if (at > indent) {
            fputc(' ', file);
            at++;
        }
        fprintf(file, "%.*s", length, text);
        at += width;
        text += length;
        if (*text == '\n') {
            fprintf(file, "\n%*s", indent, "");
            at = indent;
        }
        text += *text != 0;
    }
    fputc('\n', file);
}

/* ---- aligned columns ---- */

sheet sheet_new(const char *align) { return (sheet){.align = align, .columns = (int)strlen(align)}; }

static void sheet_put(sheet *t, char *text)
{
    make_printable(text);
    if (t->cells == t->room) {
        t->room = 2 * t->room + 64;
        char **more = allocate((size_t)t->room, sizeof *more);
        if (t->cells) memcpy(more, t->cell, (size_t)t->cells * sizeof *more);
        free(t->cell);
        t->cell = more;
    }
    t->cell[t->cells++] = text;
}

void sheet_add(sheet *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *text = allocate((size_t)n + 1, 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    sheet_put(t, text);
}

void sheet_add_number(sheet *t, double x, int decimals)
{
    if (isnan(x))
        sheet_add(t, "-");
    else
        sheet_add(t, "%.*f", decimals, x);
}

void sheet_print(sheet *t, FILE *file, const char *indent)
{
    int *width = allocate((size_t)t->columns, sizeof *width);
    for (int i = 0; i < t->cells; i++) {
        int w = text_width(t->cell[i]), *most = &width[i % t->columns];
        if (w > *most) *most = w;
    }
    for (int i = 0; i < t->cells; i++) {
        int column = i % t->columns, pad = width[column] - text_width(t->cell[i]);
        bool right = t->align[column] == 'r', last = column == t->columns - 1;
        fprintf(file, "%s%*s%s%*s%s", column ? "  " : indent, right ? pad : 0, "", t->cell[i], right || last ? 0 : pad,
                "", last ? "\n" : "");
        free(t->cell[i]);
    }
    free(width);
    free(t->cell);
    *t = (sheet){0};
}
