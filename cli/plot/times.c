// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "plot/figures.h"
#include "plot/palette.h"

figure_size times_size(const times_figure *f) { return (figure_size){640, f->methods > 12 ? 480 : 380}; }

static bool overlap(const box *a, const box *b)
{
    return a->x < b->x + b->w && b->x < a->x + a->w && a->y < b->y + b->h && b->y < a->y + a->h;
}

/* A place for the name of a point where it covers no point and no other name: right, left, above, below, then further
 * away. The best found otherwise. */
static box place_label(const box *area, point at, double width, int n, const box *taken)
{
    box best = {0};
    int fewest = -1;
    for (int ring = 0; ring < 6; ring++)
        for (int side = 0; side < 8; side++) {
            static const double dx[] = {1, -1, 0, 0, 1, 1, -1, -1}, dy[] = {0, 0, -1, 1, -1, 1, -1, 1};
            double away = 9 + 13 * ring, x = at.x + dx[side] * away, y = at.y + dy[side] * (away + 2);
            box b = {dx[side] > 0 ? x : dx[side] < 0 ? x - width : x - width / 2, y - 7, width, 14};
            if (b.x < area->x || b.x + b.w > area->x + area->w || b.y < area->y || b.y + b.h > area->y + area->h)
                continue;
            int hits = 0;
            for (int i = 0; i < n; i++) hits += overlap(&b, &taken[i]);
            if (hits == 0) return b;
            if (fewest < 0 || hits < fewest) fewest = hits, best = b;
        }
    return best;
}

void times_draw(canvas *c, const times_figure *f)
{
    box area = {66, 36, c->width - 66 - 20, c->height - 36 - 46};
    double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = -INFINITY;
    for (int j = 0; j < f->methods; j++) {
        if (!(f->seconds[j] > 0) || isnan(f->value[j])) continue;
        x_low = fmin(x_low, f->seconds[j]), x_high = fmax(x_high, f->seconds[j]);
        y_low = fmin(y_low, f->value[j]), y_high = fmax(y_high, f->value[j]);
    }
    if (x_high == 0) x_low = 0.1, x_high = 10, y_low = 0, y_high = 1;
    axis x = axis_new(x_low / 1.6, x_high * 1.6, area.x, area.x + area.w, 50, true, false);
    axis y = axis_new(y_low, y_high, area.y + area.h, area.y, 48, false, true);
    draw_title(c, f->title);
    draw_y_axis(c, &y, &area, f->value_name);
    draw_x_axis(c, &x, &area, "mean seconds per cell: search, fit and prediction (log scale)");
    box *taken = allocate(2 * (size_t)f->methods, sizeof *taken);
    int boxes = 0;
    for (int j = 0; j < f->methods; j++)
        if (f->seconds[j] > 0 && !isnan(f->value[j]))
            taken[boxes++] = (box){axis_at(&x, f->seconds[j]) - 7, axis_at(&y, f->value[j]) - 7, 14, 14};
    for (int j = 0; j < f->methods; j++) {
        if (!(f->seconds[j] > 0) || isnan(f->value[j])) continue;
        point at = {axis_at(&x, f->seconds[j]), axis_at(&y, f->value[j])};
        char *name = text_fitted(f->name[j], SMALL_FONT, 140), hint[160];
        box b = place_label(&area, at, text_width_at(name, SMALL_FONT, false), boxes, taken);
        double cx = fmin(fmax(at.x, b.x), b.x + b.w), cy = fmin(fmax(at.y, b.y), b.y + b.h);
        if (hypot(cx - at.x, cy - at.y) > 12) draw_line(c, at.x, at.y, cx, cy, SOFT_INK, 0.6);
        snprintf(hint, sizeof hint, "%.60s: %.4g s, %.4f", f->name[j], f->seconds[j], f->value[j]);
        c->begin(c, hint, NULL);
        draw_marker(c, j, at.x, at.y, 5, palette_thing(j), PAPER);
        c->end(c);
        draw_text(c, b.x, b.y + 11, (text_style){SMALL_FONT, START, false, INK, 0}, "%s", name);
        taken[boxes++] = b;
        free(name);
    }
    free(taken);
}
