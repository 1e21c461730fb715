// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "plot/figures.h"
#include "plot/palette.h"

figure_size boundary_size(const boundary_figure *f)
{
    (void)f;
    return (figure_size){600, 520};
}

/* The predicted classes as one shape per class: runs of equal cells in a row. */
static void draw_answers(canvas *c, const boundary_figure *f, const box *area)
{
    double w = area->w / f->columns, h = area->h / f->rows;
    box *run = allocate((size_t)f->columns * (size_t)f->rows, sizeof *run);
    for (int k = 1; k <= f->classes; k++) {
        int n = 0;
        for (int row = 0; row < f->rows; row++)
            for (int from = 0, to; from < f->columns; from = to) {
                const int *line = f->answer + (size_t)row * (size_t)f->columns;
                for (to = from + 1; to < f->columns && line[to] == line[from]; to++) {}
                if (line[from] != k) continue;
                run[n++] = (box){area->x + from * w, area->y + area->h - (row + 1) * h, (to - from) * w, h};
            }
        if (n) c->boxes(c, n, run, &FILL(palette_tint(k, f->classes)));
    }
    free(run);
}

/* White lines between the classes: adjacent classes have similar colours. */
static void draw_edges(canvas *c, const boundary_figure *f, const box *area)
{
    double w = area->w / f->columns, h = area->h / f->rows, thick = 1.2;
    box *edge = allocate(2 * (size_t)f->columns * (size_t)f->rows, sizeof *edge);
    int n = 0;
    for (int row = 0; row < f->rows; row++) {
        const int *line = f->answer + (size_t)row * (size_t)f->columns, *above = line + f->columns;
        double top = area->y + area->h - (row + 1) * h;
        for (int k = 1; k < f->columns; k++)
            if (line[k] != line[k - 1]) edge[n++] = (box){area->x + k * w - thick / 2, top, thick, h};
        for (int from = 0, to; row + 1 < f->rows && from < f->columns; from = to) {
            bool change = line[from] != above[from];
            for (to = from + 1; to < f->columns && (line[to] != above[to]) == change; to++) {}
            if (change)
                edge[n++] = (box){area->x + from * w - thick / 2, top - thick / 2, (to - from) * w + thick, thick};
        }
    }
    if (n) c->boxes(c, n, edge, &FILL(PAPER));
    free(edge);
}

static void draw_rows(canvas *c, const boundary_figure *f, const axis *x, const axis *y)
{
    double radius = f->n > 2000 ? 2.2 : f->n > 400 ? 3 : 4;
    for (int64_t i = 0; i < f->n; i++) { /* first the unlabelled, so that they hide none of the others */
        if (f->truth[i]) continue;
        double px = axis_at(x, f->x[i]), py = axis_at(y, f->y[i]), r = radius * 0.7;
        c->path(c, 2, (const point[]){{px - r, py - r}, {px + r, py + r}}, false, &STROKE(SOFT_INK, 0.9));
        c->path(c, 2, (const point[]){{px - r, py + r}, {px + r, py - r}}, false, &STROKE(SOFT_INK, 0.9));
    }
    for (int64_t i = 0; i < f->n; i++) {
        if (!f->truth[i]) continue;
        draw_marker(c, f->truth[i] - 1, axis_at(x, f->x[i]), axis_at(y, f->y[i]), radius,
                    palette_class(f->truth[i], f->classes), INK);
    }
}

void boundary_draw(canvas *c, const boundary_figure *f)
{
    legend_entry *legend = allocate((size_t)f->classes + 1, sizeof *legend);
    int entries = 0;
    bool unlabelled = false;
    for (int64_t i = 0; i < f->n && !unlabelled; i++) unlabelled = f->truth[i] == 0;
    for (int k = 1; k <= f->classes; k++)
        legend[entries++] =
            (legend_entry){(char *)f->name[k - 1], MARK_DOT, palette_class(k, f->classes), k - 1, false};
    if (unlabelled) legend[entries++] = (legend_entry){"unlabelled", MARK_CROSS, SOFT_INK, 0, false};
    double high = draw_legend(c, entries, legend, 14, 48, c->width - 28, 0.3 * c->height, false);
    box area = {70, 60 + high, c->width - 70 - 20, c->height - 60 - high - 46};
    axis x = axis_new(f->x_low, f->x_high, area.x, area.x + area.w, 60, false, false);
    axis y = axis_new(f->y_low, f->y_high, area.y + area.h, area.y, 45, false, false);
    draw_title(c, f->title);
    draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%s",
              c->width < 420 ? "background: predicted class"
                             : "background: predicted class; markers: rows and their true class");
    draw_legend(c, entries, legend, 14, 48, c->width - 28, 0.3 * c->height, true);
    draw_y_axis(c, &y, &area, f->y_name);
    draw_x_axis(c, &x, &area, f->x_name);
    draw_answers(c, f, &area);
    draw_edges(c, f, &area);
    c->begin(c, NULL, &area);
    draw_rows(c, f, &x, &y);
    c->end(c);
    draw_box(c, area, STROKE(SOFT_INK, 1));
    free(legend);
}
