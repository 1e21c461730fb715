// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "plot/figures.h"
#include "plot/palette.h"

figure_size map_size(const map_figure *f)
{
    (void)f;
    return (figure_size){560, 480};
}

void map_draw(canvas *c, const map_figure *f)
{
    box area = {110, 56, c->width - 110 - 110, c->height - 56 - 80};
    double w = area.w / f->columns, h = area.h / f->rows;
    draw_title(c, f->title);
    draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%s",
              f->columns && f->rows ? f->note : "no row has a value of both columns");
    if (!f->columns || !f->rows) return;
    for (int i = 0; i < f->columns; i++)
        for (int j = 0; j < f->rows; j++) {
            double v = f->value[i * f->rows + j], share = f->high > f->low ? (v - f->low) / (f->high - f->low) : 0;
            char hint[200];
            snprintf(hint, sizeof hint, "%.40s %.40s, %.40s %.40s: %.4g", f->x_name, f->x[i], f->y_name, f->y[j], v);
            c->begin(c, hint, NULL);
            draw_box(c, (box){area.x + i * w, area.y + area.h - (j + 1) * h, w + 0.5, h + 0.5},
                     FILL(palette_share(share)));
            c->end(c);
        }
    int step = widest_name(f->columns, f->x, 10) + 3 > w ? 2 : 1; /* every second label where all have no room */
    char **x = names_fitted(f->columns, f->x, 10, fmax(step * w - 3, 18)), **y = names_fitted(f->rows, f->y, 10, 70);
    for (int i = 0; i < f->columns; i += step)
        draw_text(c, area.x + (i + 0.5) * w, area.y + area.h + 14, (text_style){10, MIDDLE, false, SOFT_INK, 0}, "%s",
                  x[i]);
    for (int j = 0; j < f->rows; j++)
        draw_text(c, area.x - 6, area.y + area.h - (j + 0.5) * h + 4, (text_style){10, END, false, SOFT_INK, 0}, "%s",
                  y[j]);
    fitted_free(f->columns, x);
    fitted_free(f->rows, y);
    char *name = text_fitted(f->x_name, FONT, area.w);
    draw_text(c, area.x + area.w / 2, area.y + area.h + 38, (text_style){FONT, MIDDLE, false, INK, 0}, "%s", name);
    free(name);
    name = text_fitted(f->y_name, FONT, area.h);
    draw_text(c, 20, area.y + area.h / 2, (text_style){FONT, MIDDLE, false, INK, -90}, "%s", name);
    free(name);
    enum { STEPS = 20 };
    double left = area.x + area.w + 24, tall = area.h / STEPS;
    for (int k = 0; k < STEPS; k++)
        draw_box(c, (box){left, area.y + area.h - (k + 1) * tall, 16, tall + 0.5},
                 FILL(palette_share((k + 0.5) / STEPS)));
    draw_text(c, left + 22, area.y + area.h, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%.3g", f->low);
    draw_text(c, left + 22, area.y + 10, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%.3g", f->high);
}
