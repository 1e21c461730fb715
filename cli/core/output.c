// SPDX-License-Identifier: BSD-3-Clause
#include "core/output.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/common.h"

enum { LINE = 80 };

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

/* On a terminal it is there to be read. */
static void terminal_cell(FILE *file, const char *text)
{
    char *clean = text_of("%s", text);
    make_printable(clean);
    fputs(clean, file);
    free(clean);
}

void csv_cell(FILE *file, const char *text)
{
    if (file == stdout && isatty(STDOUT_FILENO)) {
        terminal_cell(file, text);
        return;
    }
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

void csv_number(FILE *file, double x)
{
    fputc(',', file);
    if (!isnan(x)) fputs(number_of(x).text, file);
}

void latex_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("&%$#_{}", *text))
            fprintf(file, "\\%c", *text);
        else if (*text == '~')
            fputs("\\textasciitilde{}", file);
        else if (*text == '^')
            fputs("\\textasciicircum{}", file);
        else if (*text == '\\')
            fputs("\\textbackslash{}", file);
        else
            fputc(*text, file);
    }
}

static int text_columns(const char *text, int length)
{
    int n = 0;
    for (int i = 0; i < length; i++) n += (text[i] & 0xC0) != 0x80;
    return n;
}

int text_width(const char *text) { return text_columns(text, (int)strlen(text)); }

/* ---- text ---- */

void wrap_text(FILE *file, const char *given, int at, int indent)
{
    char *clean = text_of("%s", given);
    const char *text = clean;
    make_printable(clean);
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
    free(clean);
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
    va_list args;
    va_start(args, format);
    sheet_put(t, text_of_list(format, args));
    va_end(args);
}

double without_sign(double x, int decimals) { return fabs(x) < 0.5 * pow(10, -decimals) ? 0 : x; }

void sheet_add_number(sheet *t, double x, int decimals)
{
    if (isnan(x))
        sheet_add(t, "-");
    else
        sheet_add(t, "%.*f", decimals, without_sign(x, decimals));
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
