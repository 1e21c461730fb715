// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>

#include "plot/figures.h"
#include "plot/palette.h"

figure_size reliability_size(const reliability_figure *f)
{
    (void)f;
    return (figure_size){460, 520};
}

/* The ends of Wilson's 95 % interval of a share. */
static void wilson(double share, double n, double *low, double *high)
{
    const double z = 1.96;
    double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    *low = fmax(0, middle - half);
    *high = fmin(1, middle + half);
}

static void draw_bins(canvas *c, const reliability_figure *f, const axis *x, const axis *y, const box *rows,
                      int64_t most)
{
    for (int i = 0; i < f->bins; i++) {
        const rung_reliability_bin *b = &f->bin[i];
        if (b->n == 0) continue;
        double at = axis_at(x, b->confidence), to = axis_at(y, b->accuracy), low, high;
        char hint[160];
        snprintf(hint, sizeof hint, "probability %.1f to %.1f: %lld rows, mean %.3f, correct %.3f", b->low, b->high,
                 (long long)b->n, b->confidence, b->accuracy);
        wilson(b->accuracy, (double)b->n, &low, &high);
        c->begin(c, hint, NULL);
        draw_line(c, at, axis_at(y, low), at, axis_at(y, high), palette_thing(0), 1.5);
        draw_line(c, at - 4, axis_at(y, low), at + 4, axis_at(y, low), palette_thing(0), 1.5);
        draw_line(c, at - 4, axis_at(y, high), at + 4, axis_at(y, high), palette_thing(0), 1.5);
        c->circle(c, (point){at, to}, 4.5, &(paint){.fill = palette_thing(0), .stroke = PAPER, .width = 1});
        double left = axis_at(x, b->low) + 1, right = axis_at(x, b->high) - 1,
               tall = 0.8 * rows->h * (double)b->n / (double)most;
        draw_box(c, (box){left, rows->y + rows->h - tall, right - left, tall},
                 FILL(palette_mix(palette_thing(0), PAPER, 0.45)));
        if (right - left >= 24)
            draw_text(c, (left + right) / 2, rows->y + rows->h - tall - 4, (text_style){10, MIDDLE, false, SOFT_INK, 0},
                      "%lld", (long long)b->n);
        c->end(c);
    }
}

void reliability_draw(canvas *c, const reliability_figure *f)
{
    double below = fmin(90, c->height * 0.2);
    box area = {62, 54, c->width - 62 - 22, c->height - 54 - below - 44 - 16};
    box rows = {area.x, area.y + area.h + 16, area.w, below - 4};
    int64_t most = 1;
    for (int i = 0; i < f->bins; i++) most = f->bin[i].n > most ? f->bin[i].n : most;
    axis x = axis_new(0, 1, area.x, area.x + area.w, 60, false, false);
    axis y = axis_new(0, 1, area.y + area.h, area.y, 45, false, false);
    draw_title(c, f->title);
    draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0},
              c->width < 380 ? "ECE %.3f" : "expected calibration error %.3f; whiskers: 95 %% intervals", f->ece);
    draw_y_axis(c, &y, &area, "share correct");
    rows.h -= 2;
    draw_x_axis(c, &x, &(box){area.x, area.y, area.w, rows.y + rows.h - area.y},
                "probability of the most probable class");
    draw_line(c, area.x, area.y + area.h, area.x + area.w, area.y + area.h, SOFT_INK, 1);
    c->path(c, 2, (const point[]){{axis_at(&x, 0), axis_at(&y, 0)}, {axis_at(&x, 1), axis_at(&y, 1)}}, false,
            &(paint){.fill = NO_COLOUR, .stroke = SOFT_INK, .width = 1.2, .dash = 5});
    draw_text(c, area.x - 6, rows.y + rows.h, (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "rows");
    draw_bins(c, f, &x, &y, &rows, most);
}
