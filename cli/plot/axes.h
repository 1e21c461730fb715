// SPDX-License-Identifier: BSD-3-Clause
/* Axes, ticks and legends, common to most figures. */
#ifndef RUNG_CLI_PLOT_AXES_H
#define RUNG_CLI_PLOT_AXES_H

#include "plot/canvas.h"

enum { FONT = 12, SMALL_FONT = 11, TITLE_FONT = 14 };

typedef struct {
    double low, high;   /* of the data */
    double start, stop; /* where they lie on the canvas; stop < start for an axis that grows upwards */
    bool log;
    bool dates;
    int decimals; /* of its labels */
    double step;  /* between ticks, at least; 0: they are not evenly spaced */
    int ticks;
    double tick[32];
} axis;

/* Round ticks for the range, about one per `spacing` pixels; the range grows to whole ticks where `widen` says so. */
axis axis_new(double low, double high, double start, double stop, double spacing, bool log, bool widen);
/* Makes it an axis of days since 1970, with three dates. */
void axis_dates(axis *a);
double axis_at(const axis *a, double value);
/* How a tick is written. */
typedef struct {
    char text[32];
} tick_text;
tick_text axis_label(const axis *a, double value);
double axis_label_width(const axis *a); /* of the widest one */

/* With grid lines over the plot area and a title; x below the area, y left of it. */
void draw_x_axis(canvas *c, const axis *a, const box *area, const char *title);
void draw_y_axis(canvas *c, const axis *a, const box *area, const char *title);

void draw_title(canvas *c, const char *title); /* at the top left; 28 high */

/* A legend in rows of at most `width`, from (x, y) down; returns its height, which is at most about `height`: long
 * names are cut until they fit. draw = false: only measures. */
typedef enum { MARK_SWATCH, MARK_LINE, MARK_DOT, MARK_CROSS } mark_kind;
typedef struct {
    char *text;
    mark_kind kind;
    colour colour;
    int index;  /* of the marker and dash */
    bool faint; /* a dashed line with hollow markers */
} legend_entry;
double draw_legend(canvas *c, int n, const legend_entry *entry, double x, double y, double width, double height,
                   bool draw);

#endif
