// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "plot/figures.h"
#include "plot/palette.h"

enum { ROW = 24, HEAD = 52, FOOT = 44 };

/* Wider where names are long. */
figure_size bars_size(const bars_figure *f)
{
    double width = fmin(900, fmax(640, widest_name(f->n, f->name, FONT) + 420));
    return (figure_size){width, HEAD + FOOT + ROW * (f->n > 0 ? f->n : 1)};
}

static void draw_bar(canvas *c, const bars_figure *f, int j, const axis *x, double middle, double row)
{
    bool range = f->low && !isnan(f->low[j]);
    double zero = axis_at(x, 0), to = axis_at(x, f->mean[j]), half = fmin(8, 0.36 * row), whisker = fmin(4, 0.25 * row);
    char hint[220];
    if (range)
        snprintf(hint, sizeof hint, "%.80s: %.4f (%.4f to %.4f)", f->name[j], f->mean[j], f->low[j], f->high[j]);
    else
        snprintf(hint, sizeof hint, "%.80s: %.4f", f->name[j], f->mean[j]);
    c->begin(c, hint, NULL);
    colour fill = palette_thing(f->joint && f->joint[j] ? 1 : 0);
    draw_box(c, (box){fmin(zero, to), middle - half, fmax(fabs(to - zero), 0.5), 2 * half},
             FILL(palette_mix(fill, PAPER, 0.35)));
    if (range) {
        double left = axis_at(x, f->low[j]), right = axis_at(x, f->high[j]);
        draw_line(c, left, middle, right, middle, INK, 1.2);
        draw_line(c, left, middle - whisker, left, middle + whisker, INK, 1.2);
        draw_line(c, right, middle - whisker, right, middle + whisker, INK, 1.2);
    }
    c->end(c);
}

void bars_draw(canvas *c, const bars_figure *f)
{
    double row = (c->height - HEAD - FOOT) / fmax(1, f->n), font = fmin(FONT, fmax(5, 0.75 * row));
    double label = fmin(widest_name(f->n, f->name, font), c->width * 0.52), low = 0, high = 0;
    box area = {label + 22, HEAD, c->width - label - 22 - 24, c->height - HEAD - FOOT};
    for (int j = 0; j < f->n; j++) {
        bool range = f->low && !isnan(f->low[j]);
        low = fmin(low, range ? f->low[j] : f->mean[j]);
        high = fmax(high, range ? f->high[j] : f->mean[j]);
    }
    if (high == low) high = 1;
    double room = 0.02 * (high - low);
    axis x = axis_new(low < 0 ? low - room : 0, high + room, area.x, area.x + area.w, 70, false, false);
    draw_title(c, f->title);
    if (f->note) {
        char *note = text_fitted(f->note, SMALL_FONT, c->width - 24);
        draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%s", note);
        free(note);
    }
    draw_x_axis(c, &x, &area, f->value_name);
    draw_line(c, axis_at(&x, 0), area.y, axis_at(&x, 0), area.y + area.h, SOFT_INK, 1);
    char **name = names_fitted(f->n, f->name, font, label);
    for (int j = 0; j < f->n; j++) {
        double middle = area.y + (j + 0.5) * row;
        draw_text(c, area.x - 8, middle + 0.35 * font, (text_style){font, END, false, INK, 0}, "%s", name[j]);
        draw_bar(c, f, j, &x, middle, row);
    }
    fitted_free(f->n, name);
}
