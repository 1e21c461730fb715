// SPDX-License-Identifier: BSD-3-Clause
/* Any of the figures, to be written as a file or into a page. */
#ifndef RUNG_CLI_PLOT_FIGURE_H
#define RUNG_CLI_PLOT_FIGURE_H

#include "plot/figures.h"

typedef enum {
    FIGURE_PROJECTION,
    FIGURE_CONFUSION,
    FIGURE_BOUNDARY,
    FIGURE_RANKS,
    FIGURE_CURVE,
    FIGURE_RELIABILITY,
    FIGURE_BOXES,
    FIGURE_TIMES,
    FIGURE_BARS,
    FIGURE_EFFECTS,
    FIGURE_MAP,
    FIGURE_WATERFALL
} figure_kind;

typedef struct {
    figure_kind kind;
    const char *title;  /* of the file */
    const char *detail; /* a description for screen readers */
    union {
        projection_figure projection;
        confusion_figure confusion;
        boundary_figure boundary;
        ranks_figure ranks;
        curve_figure curve;
        reliability_figure reliability;
        boxes_figure boxes;
        times_figure times;
        bars_figure bars;
        effects_figure effects;
        map_figure map;
        waterfall_figure waterfall;
    } of;
} figure;

figure_size figure_natural_size(const figure *f);
void figure_draw(canvas *c, const figure *f);

/* As SVG inside a page, in its natural size. */
void figure_to_page(FILE *file, const figure *f);

/* path ends in .svg, .png or .pdf; "-" is SVG on standard output. size 0: the natural one. Failures are printed. */
bool figure_path_known(const char *path);
bool figure_write(const figure *f, const char *path, figure_size size, double scale);

#endif
