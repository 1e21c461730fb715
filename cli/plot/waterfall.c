// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "plot/figures.h"
#include "plot/palette.h"

enum { ROW = 24, HEAD = 52, FOOT = 44 };

/* Wider where names are long. */
figure_size waterfall_size(const waterfall_figure *f)
{
    double width = fmin(900, fmax(640, widest_name(f->n, f->name, FONT) + 440));
    return (figure_size){width, HEAD + FOOT + ROW * (f->n + 2)};
}

static void draw_end(canvas *c, const axis *x, double value, double middle, double half)
{
    draw_line(c, axis_at(x, value), middle - half, axis_at(x, value), middle + half, INK, 2.5);
}

void waterfall_draw(canvas *c, const waterfall_figure *f)
{
    double row = (c->height - HEAD - FOOT) / (f->n + 2), font = fmin(FONT, fmax(5, 0.75 * row)),
           half = fmin(8, 0.36 * row);
    double label = fmin(fmax(widest_name(f->n, f->name, font), 90), c->width * 0.52), low = f->start, high = f->start,
           at = f->start;
    for (int j = 0; j < f->n; j++) {
        at += f->step[j];
        double wide = f->error ? 1.96 * f->error[j] : 0;
        low = fmin(low, at - wide);
        high = fmax(high, at + wide);
    }
    double room = 0.04 * (high - low);
    box area = {label + 22, HEAD, c->width - label - 22 - 64, c->height - HEAD - FOOT};
    axis x = axis_new(low - room, high + room, area.x, area.x + area.w, 70, false, false);
    draw_title(c, f->title);
    char *note = text_fitted(f->note, SMALL_FONT, c->width - 24);
    draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%s", note);
    free(note);
    draw_x_axis(c, &x, &area, f->value_name);
    char **name = names_fitted(f->n, f->name, font, label);
    double middle = area.y + 0.5 * row;
    draw_text(c, area.x - 8, middle + 0.35 * font, (text_style){font, END, true, INK, 0}, "average row");
    draw_end(c, &x, f->start, middle, half);
    at = f->start;
    for (int j = 0; j < f->n; j++) {
        double from = axis_at(&x, at), to = axis_at(&x, at + f->step[j]), y = area.y + (j + 1.5) * row;
        char hint[220];
        snprintf(hint, sizeof hint, "%.120s: %+.4f", f->name[j], f->step[j]);
        draw_line(c, from, y - row + half, from, y - half, SOFT_INK, 0.8);
        c->begin(c, hint, NULL);
        draw_box(c, (box){fmin(from, to), y - half, fmax(fabs(to - from), 0.6), 2 * half},
                 FILL(palette_mix(palette_thing(f->step[j] < 0 ? 0 : 1), PAPER, 0.3)));
        if (f->error && f->error[j] > 0) {
            double wide = fabs(axis_at(&x, at + 1.96 * f->error[j]) - axis_at(&x, at));
            draw_line(c, to - wide, y, to + wide, y, INK, 1.1);
        }
        c->end(c);
        draw_text(c, area.x - 8, y + 0.35 * font, (text_style){font, END, false, INK, 0}, "%s", name[j]);
        draw_text(c, area.x + area.w + 6, y + 0.35 * font,
                  (text_style){fmin(font, SMALL_FONT), START, false, SOFT_INK, 0}, "%+.3f", f->step[j]);
        at += f->step[j];
    }
    middle = area.y + (f->n + 1.5) * row;
    draw_text(c, area.x - 8, middle + 0.35 * font, (text_style){font, END, true, INK, 0}, "this row");
    draw_end(c, &x, at, middle, half);
    draw_text(c, area.x + area.w + 6, middle + 0.35 * font, (text_style){fmin(font, SMALL_FONT), START, true, INK, 0},
              "%.3f", at);
    fitted_free(f->n, name);
}
