// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "plot/figures.h"
#include "plot/palette.h"

figure_size curve_size(const curve_figure *f)
{
    (void)f;
    return (figure_size){640, 420};
}

static colour series_ink(const curve_series *s)
{
    return s->faint ? palette_mix(palette_thing(s->index), PAPER, 0.25) : palette_thing(s->index);
}

static legend_entry *entries(const curve_figure *f)
{
    legend_entry *e = allocate((size_t)f->series, sizeof *e);
    for (int i = 0; i < f->series; i++) {
        const curve_series *s = &f->line[i];
        e[i] = (legend_entry){(char *)s->name, MARK_LINE, series_ink(s), s->index, s->faint};
    }
    return e;
}

static void draw_series(canvas *c, const curve_series *s, const axis *x, const axis *y)
{
    colour ink = series_ink(s);
    point *line = allocate((size_t)s->n, sizeof *line);
    for (int i = 0; i < s->n; i++) line[i] = (point){axis_at(x, s->x[i]), axis_at(y, s->mean[i])};
    paint look = STROKE(ink, s->faint ? 1.6 : 2.2);
    look.dash = s->faint ? 5 : palette_dash(s->index);
    c->path(c, s->n, line, false, &look);
    for (int i = 0; i < s->n; i++) {
        char hint[160];
        snprintf(hint, sizeof hint, "%.60s, %.0f labelled rows: %.4f", s->name, s->x[i], s->mean[i]);
        if (s->low)
            snprintf(hint, sizeof hint, "%.60s, %.0f labelled rows: %.4f (%.4f to %.4f)", s->name, s->x[i], s->mean[i],
                     s->low[i], s->high[i]);
        c->begin(c, hint, NULL);
        draw_marker(c, s->index, line[i].x, line[i].y, s->faint ? 3 : 4, s->faint ? PAPER : ink, ink);
        c->end(c);
    }
    free(line);
}

static void draw_band(canvas *c, const curve_series *s, const axis *x, const axis *y)
{
    if (!s->low || s->n < 2) return;
    point *edge = allocate(2 * (size_t)s->n, sizeof *edge);
    for (int i = 0; i < s->n; i++) {
        edge[i] = (point){axis_at(x, s->x[i]), axis_at(y, s->low[i])};
        edge[2 * s->n - 1 - i] = (point){axis_at(x, s->x[i]), axis_at(y, s->high[i])};
    }
    c->path(c, 2 * s->n, edge, true,
            &(paint){.fill = palette_thing(s->index), .stroke = NO_COLOUR, .opacity = s->faint ? 0.1 : 0.18});
    free(edge);
}

static void data_range(const curve_figure *f, double x[2], double y[2])
{
    x[0] = y[0] = INFINITY, x[1] = y[1] = -INFINITY;
    for (int i = 0; i < f->series; i++) {
        const curve_series *s = &f->line[i];
        for (int k = 0; k < s->n; k++) {
            x[0] = fmin(x[0], s->x[k]), x[1] = fmax(x[1], s->x[k]);
            y[0] = fmin(y[0], s->low ? s->low[k] : s->mean[k]), y[1] = fmax(y[1], s->high ? s->high[k] : s->mean[k]);
        }
    }
}

/* Ticks at the counts that were measured: the first and the last, and of the others those with room. */
static void tick_counts(const curve_figure *f, axis *x)
{
    const double apart = 34;
    int most = (int)(sizeof x->tick / sizeof *x->tick);
    double first = INFINITY, last = -INFINITY;
    for (int i = 0; i < f->series; i++)
        for (int k = 0; k < f->line[i].n; k++) first = fmin(first, f->line[i].x[k]), last = fmax(last, f->line[i].x[k]);
    x->tick[0] = first;
    x->ticks = 1;
    x->decimals = 0;
    x->step = 1;
    for (double next = first; next < last && x->ticks < most;) {
        next = last;
        for (int i = 0; i < f->series; i++)
            for (int k = 0; k < f->line[i].n; k++) {
                double at = f->line[i].x[k];
                if (at < next && axis_at(x, at) - axis_at(x, x->tick[x->ticks - 1]) >= apart &&
                    axis_at(x, last) - axis_at(x, at) >= apart)
                    next = at;
            }
        x->tick[x->ticks++] = next;
    }
}

void curve_draw(canvas *c, const curve_figure *f)
{
    legend_entry *legend = entries(f);
    double x_range[2], y_range[2],
        high = draw_legend(c, f->series, legend, 14, 30, c->width - 28, 0.3 * c->height, false) + (f->note ? 16 : 0);
    data_range(f, x_range, y_range);
    if (y_range[0] > 0 && y_range[0] < 0.35 * y_range[1]) y_range[0] = 0;
    box area = {66, 42 + high, c->width - 66 - 20, c->height - 42 - high - 46};
    bool wide = x_range[0] > 0 && x_range[1] / x_range[0] >= 8;
    double room = wide ? 1.08 : (x_range[1] - x_range[0]) * 0.03;
    axis x = axis_new(wide ? x_range[0] / room : x_range[0] - room, wide ? x_range[1] * room : x_range[1] + room,
                      area.x, area.x + area.w, 50, wide, false);
    tick_counts(f, &x);
    axis y = axis_new(y_range[0], y_range[1], area.y + area.h, area.y, 48, false, true);
    draw_title(c, f->title);
    if (f->note) draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%s", f->note);
    draw_legend(c, f->series, legend, 14, f->note ? 46 : 30, c->width - 28, 0.3 * c->height, true);
    draw_y_axis(c, &y, &area, f->y_name);
    draw_x_axis(c, &x, &area, f->x_name);
    for (int i = 0; i < f->series; i++) draw_band(c, &f->line[i], &x, &y);
    for (int i = 0; i < f->series; i++) draw_series(c, &f->line[i], &x, &y);
    free(legend);
}
