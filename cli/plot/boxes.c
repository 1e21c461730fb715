// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "plot/figures.h"
#include "plot/palette.h"

enum { ROW = 30, HEAD = 34, FOOT = 44 };

figure_size boxes_size(const boxes_figure *f) { return (figure_size){640, HEAD + FOOT + ROW * f->methods}; }

/* A quantile of sorted values, linear between neighbours (the usual kind 7). */
static double quantile(int n, const double *v, double p)
{
    double at = p * (n - 1);
    int low = (int)at;
    return low + 1 < n ? v[low] + (at - low) * (v[low + 1] - v[low]) : v[n - 1];
}

static void draw_one(canvas *c, const boxes_figure *f, int j, const axis *x, double middle)
{
    const double *v = f->value[j];
    int n = f->n[j];
    double q1 = quantile(n, v, 0.25), q2 = quantile(n, v, 0.5), q3 = quantile(n, v, 0.75), reach = 1.5 * (q3 - q1);
    double low = q1, high = q3, mean = 0;
    for (int i = n - 1; i >= 0; i--)
        if (v[i] >= q1 - reach) low = v[i];
    for (int i = 0; i < n; i++) {
        if (v[i] <= q3 + reach) high = v[i];
        mean += v[i] / n;
    }
    char hint[200];
    snprintf(hint, sizeof hint, "%.60s: median %.4f, quartiles %.4f and %.4f, mean %.4f, %d values", f->name[j], q2, q1,
             q3, mean, n);
    c->begin(c, hint, NULL);
    draw_line(c, axis_at(x, low), middle, axis_at(x, q1), middle, INK, 1.2);
    draw_line(c, axis_at(x, q3), middle, axis_at(x, high), middle, INK, 1.2);
    draw_line(c, axis_at(x, low), middle - 4, axis_at(x, low), middle + 4, INK, 1.2);
    draw_line(c, axis_at(x, high), middle - 4, axis_at(x, high), middle + 4, INK, 1.2);
    draw_box(c, (box){axis_at(x, q1), middle - 8, axis_at(x, q3) - axis_at(x, q1), 16},
             (paint){.fill = palette_mix(palette_thing(0), PAPER, 0.65), .stroke = INK, .width = 1.2});
    draw_line(c, axis_at(x, q2), middle - 8, axis_at(x, q2), middle + 8, INK, 2.5);
    for (int i = 0; i < n; i++)
        if (v[i] < low || v[i] > high) c->circle(c, (point){axis_at(x, v[i]), middle}, 2.5, &STROKE(INK, 1));
    draw_marker(c, 3, axis_at(x, mean), middle, 3.2, palette_thing(1), PAPER);
    c->end(c);
}

void boxes_draw(canvas *c, const boxes_figure *f)
{
    double label = fmin(widest_name(f->methods, f->name, FONT), c->width * 0.3), low = INFINITY, high = -INFINITY;
    box area = {label + 22, HEAD, c->width - label - 22 - 20, c->height - HEAD - FOOT};
    for (int j = 0; j < f->methods; j++) {
        if (f->n[j] == 0) continue;
        low = fmin(low, f->value[j][0]);
        high = fmax(high, f->value[j][f->n[j] - 1]);
    }
    if (low > high) low = 0, high = 1;
    double room = 0.02 * (high - low);
    axis x = axis_new(low - room, high + room, area.x, area.x + area.w, 70, false, false);
    double row = area.h / fmax(1, f->methods);
    draw_title(c, f->title);
    draw_x_axis(c, &x, &area, f->value_name);
    for (int j = 0; j < f->methods; j++) {
        double middle = area.y + (j + 0.5) * row;
        char *name = text_fitted(f->name[j], FONT, label);
        draw_text(c, area.x - 8, middle + 4, (text_style){FONT, END, false, INK, 0}, "%s", name);
        if (f->n[j])
            draw_one(c, f, j, &x, middle);
        else
            draw_text(c, area.x + 8, middle + 4, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "no value");
        free(name);
    }
}
