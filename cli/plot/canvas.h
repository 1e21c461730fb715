// SPDX-License-Identifier: BSD-3-Clause
/* What figures draw on: an SVG text of ours, or a PNG or PDF by Cairo. Units are CSS pixels, y grows downwards.
 *
 * SVG is written by our own code with <text> elements, not by Cairo: its text stays text (searchable, read aloud,
 * small), and the bytes do not depend on the fonts of the machine. For that, layout never asks a font: widths of text
 * come from a table of a wide sans-serif face (text_width_at), so what fits here fits everywhere. */
#ifndef RUNG_CLI_PLOT_CANVAS_H
#define RUNG_CLI_PLOT_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

typedef unsigned colour; /* 0xRRGGBB */
enum { NO_COLOUR = 0x1000000, INK = 0x1a1a1a, SOFT_INK = 0x595959, RULE = 0xd9d9d9, PAPER = 0xffffff };

typedef struct {
    double x, y;
} point;

typedef struct {
    double x, y, w, h;
} box;

typedef struct {
    colour fill, stroke;
    double width;   /* of the stroke */
    double dash;    /* length of dashes; 0: a solid line */
    double opacity; /* 0: opaque, too */
} paint;

#define FILL(c) ((paint){.fill = (c), .stroke = NO_COLOUR})
#define STROKE(c, w) ((paint){.fill = NO_COLOUR, .stroke = (c), .width = (w)})

typedef enum { START, MIDDLE, END } anchor;

typedef struct {
    double size;
    anchor anchor;
    bool bold;
    colour colour;
    double angle; /* degrees, clockwise */
} text_style;

typedef struct canvas canvas;
struct canvas {
    double width, height;
    void (*path)(canvas *c, int n, const point *p, bool closed, const paint *look);
    void (*boxes)(canvas *c, int n, const box *b, const paint *look); /* one shape */
    void (*circle)(canvas *c, point centre, double radius, const paint *look);
    void (*text)(canvas *c, point at, const text_style *style, const char *text); /* at: the baseline */
    void (*begin)(canvas *c, const char *hint, const box *clip);                  /* a group; either may be NULL */
    void (*end)(canvas *c);
    bool (*close)(canvas *c); /* false: something could not be written; frees the canvas */
};

/* title: the title; detail: a description for screen readers. page: a fragment inside HTML. */
canvas *canvas_svg(FILE *file, double width, double height, const char *title, const char *detail, bool page);
/* scale: pixels of the image per unit. */
canvas *canvas_png(FILE *file, double width, double height, double scale);
canvas *canvas_pdf(FILE *file, double width, double height, const char *title);

void draw_line(canvas *c, double x1, double y1, double x2, double y2, colour stroke, double width);
void draw_box(canvas *c, box b, paint look);
void draw_text(canvas *c, double x, double y, text_style style, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The width of a text; never less than it is in the usual sans-serif faces. */
double text_width_at(const char *text, double size, bool bold);
/* The text, or as much of it as fits, with an ellipsis; to be freed. */
char *text_fitted(const char *text, double size, double room);

/* All names, each within its room and no two alike that differ: cut at the end, else in the middle, else numbered. */
char **names_fitted(int n, const char *const *name, double size, double room);
void fitted_free(int n, char **name);

/* Text inside XML or HTML; characters not allowed in XML become U+FFFD. */
void xml_text(FILE *file, const char *text);

#endif
