// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "plot/canvas.h"

typedef struct {
    canvas base; /* first: a canvas is one of these */
    FILE *file;
    int clips;
    unsigned id; /* of this figure: several stand in one page */
} svg;

/* At most two decimals, no trailing zeros, no -0. */
static void number(FILE *file, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.2f", x);
    char *end = text + strlen(text) - 1;
    while (*end == '0') *end-- = 0;
    if (*end == '.') *end = 0;
    fputs(strcmp(text, "-0") ? text : "0", file);
}

static void attribute(FILE *file, const char *name, double x)
{
    fprintf(file, " %s=\"", name);
    number(file, x);
    fputc('"', file);
}

static void colour_attribute(FILE *file, const char *name, colour c)
{
    if (c == NO_COLOUR)
        fprintf(file, " %s=\"none\"", name);
    else
        fprintf(file, " %s=\"#%06x\"", name, c);
}

static void look_attributes(FILE *file, const paint *look)
{
    colour_attribute(file, "fill", look->fill);
    if (look->stroke != NO_COLOUR) {
        colour_attribute(file, "stroke", look->stroke);
        attribute(file, "stroke-width", look->width);
    }
    if (look->dash > 0) attribute(file, "stroke-dasharray", look->dash);
    if (look->opacity > 0) attribute(file, "opacity", look->opacity);
}

static void svg_path(canvas *c, int n, const point *p, bool closed, const paint *look)
{
    FILE *file = ((svg *)c)->file;
    fprintf(file, "<path d=\"");
    for (int i = 0; i < n; i++) {
        fputs(i == 0 ? "M" : i == 1 ? "L" : " ", file);
        number(file, p[i].x);
        fputc(',', file);
        number(file, p[i].y);
    }
    fprintf(file, "%s\"", closed ? "Z" : "");
    look_attributes(file, look);
    fputs("/>\n", file);
}

static void svg_boxes(canvas *c, int n, const box *b, const paint *look)
{
    FILE *file = ((svg *)c)->file;
    if (n == 1) {
        fputs("<rect", file);
        attribute(file, "x", b->x);
        attribute(file, "y", b->y);
        attribute(file, "width", b->w);
        attribute(file, "height", b->h);
    } else {
        fputs("<path d=\"", file);
        for (int i = 0; i < n; i++) {
            fputc('M', file);
            number(file, b[i].x);
            fputc(',', file);
            number(file, b[i].y);
            fputc('h', file);
            number(file, b[i].w);
            fputc('v', file);
            number(file, b[i].h);
            fputc('h', file);
            number(file, -b[i].w);
            fputc('z', file);
        }
        fputs("\" shape-rendering=\"crispEdges\"", file);
    }
    look_attributes(file, look);
    fputs("/>\n", file);
}

static void svg_circle(canvas *c, point centre, double radius, const paint *look)
{
    FILE *file = ((svg *)c)->file;
    fputs("<circle", file);
    attribute(file, "cx", centre.x);
    attribute(file, "cy", centre.y);
    attribute(file, "r", radius);
    look_attributes(file, look);
    fputs("/>\n", file);
}

static void svg_text(canvas *c, point at, const text_style *style, const char *text)
{
    FILE *file = ((svg *)c)->file;
    fputs("<text", file);
    attribute(file, "x", at.x);
    attribute(file, "y", at.y);
    attribute(file, "font-size", style->size);
    if (style->anchor != START) fprintf(file, " text-anchor=\"%s\"", style->anchor == END ? "end" : "middle");
    if (style->bold) fputs(" font-weight=\"bold\"", file);
    colour_attribute(file, "fill", style->colour);
    if (style->angle != 0) {
        fputs(" transform=\"rotate(", file);
        number(file, style->angle);
        fputc(' ', file);
        number(file, at.x);
        fputc(' ', file);
        number(file, at.y);
        fputs(")\"", file);
    }
    fputc('>', file);
    xml_text(file, text);
    fputs("</text>\n", file);
}

static void svg_begin(canvas *c, const char *hint, const box *clip)
{
    svg *s = (svg *)c;
    if (clip) {
        int id = s->clips++;
        fprintf(s->file, "<clipPath id=\"c%u-%d\">", s->id, id);
        svg_boxes(c, 1, clip, &FILL(PAPER));
        fprintf(s->file, "</clipPath><g clip-path=\"url(#c%u-%d)\">", s->id, id);
    } else {
        fputs("<g>", s->file);
    }
    if (hint) {
        fputs("<title>", s->file);
        xml_text(s->file, hint);
        fputs("</title>", s->file);
    }
    fputc('\n', s->file);
}

static void svg_end(canvas *c) { fputs("</g>\n", ((svg *)c)->file); }

static bool svg_close(canvas *c)
{
    FILE *file = ((svg *)c)->file;
    fputs("</svg>\n", file);
    free(c);
    return !ferror(file);
}

/* Identifiers of the parts of a figure must be unique in a page: a checksum of its title. */
static unsigned name_sum(const char *a, const char *b)
{
    unsigned sum = 2166136261u;
    for (; *a; a++) sum = (sum ^ (unsigned char)*a) * 16777619u;
    for (; *b; b++) sum = (sum ^ (unsigned char)*b) * 16777619u;
    return sum;
}

canvas *canvas_svg(FILE *file, double width, double height, const char *title, const char *detail, bool page)
{
    svg *s = allocate(1, sizeof *s);
    *s = (svg){.base = {.width = width,
                        .height = height,
                        .path = svg_path,
                        .boxes = svg_boxes,
                        .circle = svg_circle,
                        .text = svg_text,
                        .begin = svg_begin,
                        .end = svg_end,
                        .close = svg_close},
               .file = file,
               .id = name_sum(title, detail)};
    if (!page) fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", file);
    fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", file);
    number(file, width);
    fputc(' ', file);
    number(file, height);
    fputc('"', file);
    attribute(file, "width", width);
    attribute(file, "height", height);
    fprintf(file,
            " role=\"img\" aria-labelledby=\"t%u d%u\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n",
            s->id, s->id);
    fprintf(file, "<title id=\"t%u\">", s->id);
    xml_text(file, title);
    fprintf(file, "</title>\n<desc id=\"d%u\">", s->id);
    xml_text(file, detail);
    fputs("</desc>\n", file);
    if (!page) draw_box(&s->base, (box){0, 0, width, height}, FILL(PAPER));
    return &s->base;
}
