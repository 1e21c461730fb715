// SPDX-License-Identifier: BSD-3-Clause
#include "plot/canvas.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"

void draw_line(canvas *c, double x1, double y1, double x2, double y2, colour stroke, double width)
{
    c->path(c, 2, (const point[]){{x1, y1}, {x2, y2}}, false, &STROKE(stroke, width));
}

void draw_box(canvas *c, box b, paint look) { c->boxes(c, 1, &b, &look); }

void draw_text(canvas *c, double x, double y, text_style style, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->text(c, (point){x, y}, &style, text);
}

/* Advances of DejaVu Sans, in thousandths of the size, from the space to the tilde; it is as wide as Verdana and wider
 * than Arial and Helvetica. */
static const short regular[95] = {318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                                  636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                                  1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                                  603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                                  500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                                  635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};

static double advance(unsigned code)
{
    if (code >= 32 && code < 127) return regular[code - 32] / 1000.0;
    return code < 0x500 ? 0.8 : 1; /* other letters; ideographs fill a square */
}

/* One character of UTF-8 and its length; a byte that is none counts as a character. */
static int next_code(const char *text, unsigned *code)
{
    const unsigned char *t = (const unsigned char *)text;
    int more = t[0] >= 0xF0 ? 3 : t[0] >= 0xE0 ? 2 : t[0] >= 0xC0 ? 1 : 0;
    *code = more ? t[0] & (0x3Fu >> more) : t[0];
    if (t[0] >= 0x80 && t[0] < 0xC0) *code = 0xFFFD;
    for (int i = 1; i <= more; i++) {
        if ((t[i] & 0xC0) != 0x80) {
            *code = 0xFFFD;
            return i;
        }
        *code = *code << 6 | (t[i] & 0x3Fu);
    }
    return more + 1;
}

double text_width_at(const char *text, double size, bool bold)
{
    double width = 0;
    unsigned code;
    while (*text) {
        text += next_code(text, &code);
        width += advance(code);
    }
    return width * size * (bold ? 1.13 : 1);
}

char *text_fitted(const char *text, double size, double room)
{
    char *whole = text_of("%s", text);
    if (text_width_at(text, size, false) <= room) return whole;
    double width = size; /* of the ellipsis */
    int length = 0;
    unsigned code;
    while (text[length]) {
        int step = next_code(text + length, &code);
        width += advance(code) * size;
        if (width > room) break;
        length += step;
    }
    while (length > 0 && text[length - 1] == ' ') length--;
    free(whole);
    return text_of("%.*s…", length, text);
}

/* The beginning and the end of a text, with an ellipsis between them. */
static char *cut_in_the_middle(const char *text, double size, double room)
{
    size_t length = strlen(text);
    double left = (room - size) / 2;
    if (text_width_at(text, size, false) <= room || left < size / 2) return text_fitted(text, size, room);
    size_t head = 0, tail = length;
    unsigned code;
    for (double width = 0; text[head];) {
        int step = next_code(text + head, &code);
        if ((width += advance(code) * size) > left) break;
        head += (size_t)step;
    }
    for (size_t from = length; from > head;) {
        do from--;
        while (from > head && ((unsigned char)text[from] & 0xC0) == 0x80);
        if (text_width_at(text + from, size, false) > left) break;
        tail = from;
    }
    return text_of("%.*s…%s", (int)head, text, text + tail);
}

static bool ambiguous(int n, const char *const *name, char *const *fitted)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(fitted[i], fitted[k]) && strcmp(name[i], name[k])) return true;
    return false;
}

char **names_fitted(int n, const char *const *name, double size, double room)
{
    char **fitted = allocate((size_t)n, sizeof *fitted);
    for (int way = 0; way < 3; way++) {
        for (int i = 0; i < n; i++) {
            char *numbered = way == 2 ? text_of("%d %s", i + 1, name[i]) : NULL;
            free(fitted[i]);
            fitted[i] = way == 1 ? cut_in_the_middle(name[i], size, room)
                                 : text_fitted(numbered ? numbered : name[i], size, room);
            free(numbered);
        }
        if (!ambiguous(n, name, fitted)) return fitted;
    }
    for (int i = 0; i < n; i++) { /* hardly room for a letter: the numbers alone */
        free(fitted[i]);
        fitted[i] = text_of("%d", i + 1);
    }
    return fitted;
}

void fitted_free(int n, char **name)
{
    for (int i = 0; i < n; i++) free(name[i]);
    free(name);
}

void xml_text(FILE *file, const char *text)
{
    unsigned code;
    while (*text) {
        int length = next_code(text, &code);
        bool control = (code < 32 && code != '\t' && code != '\n') || code == 127 || code == 0xFFFE || code == 0xFFFF ||
                       (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF || code == 0xFFFD;
        if (control)
            fputs("\xEF\xBF\xBD", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else if (*text == '\'')
            fputs("&#39;", file);
        else
            fwrite(text, 1, (size_t)length, file);
        text += length;
    }
}
