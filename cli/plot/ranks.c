// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "experiment/report/comparison.h"
#include "plot/figures.h"
#include "plot/palette.h"

enum { ROW = 22, BAR = 8, TOP = 92 };

typedef struct {
    int *order, groups;
    rank_group *group;
    double critical;
} ranking;

static ranking arrange(const ranks_figure *f)
{
    size_t k = (size_t)f->methods;
    ranking r = {.order = allocate(k, sizeof *r.order), .group = allocate(k, sizeof *r.group)};
    for (int j = 0; j < f->methods; j++) {
        int at = j;
        for (; at > 0 && f->mean_rank[r.order[at - 1]] > f->mean_rank[j]; at--) r.order[at] = r.order[at - 1];
        r.order[at] = j;
    }
    r.critical = statistics_critical_difference(f->n, f->methods, f->alpha);
    r.groups = rank_groups(f->methods, f->mean_rank, r.order, r.critical, r.group);
    return r;
}

static void release(ranking *r)
{
    free(r->order);
    free(r->group);
}

figure_size ranks_size(const ranks_figure *f)
{
    ranking r = arrange(f);
    int half = (f->methods + 1) / 2;
    double widest = fmin(220, widest_name(f->methods, f->name, FONT) + 46);
    figure_size size = {fmax(480, 2 * widest + 60 + fmin(60, 400.0 / f->methods) * f->methods),
                        TOP + 18 + BAR * r.groups + ROW * half + 6};
    release(&r);
    return size;
}

/* One method: down from its place on the axis, then out to its name. */
static void draw_method(canvas *c, const ranks_figure *f, int method, double x, double y, double edge, bool left,
                        double room, double size)
{
    char *name = text_fitted(f->name[method], size, room - 46);
    char value[16];
    snprintf(value, sizeof value, "%.2f", f->mean_rank[method]);
    c->path(c, 3, (const point[]){{x, TOP}, {x, y}, {edge, y}}, false, &STROKE(SOFT_INK, 1));
    c->circle(c, (point){x, TOP}, 3, &FILL(palette_thing(0)));
    double away = left ? -6 : 6;
    draw_text(c, edge + away, y + 4, (text_style){size, left ? END : START, false, INK, 0}, "%s", name);
    double width = text_width_at(name, size, false) + 8;
    draw_text(c, edge + away + (left ? -width : width), y + 4,
              (text_style){fmin(size, SMALL_FONT), left ? END : START, false, SOFT_INK, 0}, "%s", value);
    free(name);
}

static void draw_critical(canvas *c, const ranking *r, const axis *a)
{
    double longest = fabs(a->stop - a->start), length = r->critical / (a->high - a->low) * longest;
    bool whole = length <= longest;
    double x1 = a->start, x2 = x1 + fmin(length, longest), y = 50;
    draw_line(c, x1, y, x2, y, INK, 2);
    draw_line(c, x1, y - 4, x1, y + 4, INK, 2);
    if (whole) draw_line(c, x2, y - 4, x2, y + 4, INK, 2);
    draw_text(c, fmin(x1, c->width - 260), y - 8, (text_style){SMALL_FONT, START, false, INK, 0},
              "critical difference %.3f%s", r->critical, whole ? "" : ", longer than the axis");
}

void ranks_draw(canvas *c, const ranks_figure *f)
{
    ranking r = arrange(f);
    double room = fmin(c->width * 0.33, widest_name(f->methods, f->name, FONT) + 54);
    axis a = axis_new(1, f->methods, room + 14, c->width - room - 14, 30, false, false);
    int half = (f->methods + 1) / 2;
    double first = TOP + 18 + BAR * r.groups, row_height = fmin(ROW, (c->height - 6 - first) / half);
    draw_title(c, f->title);
    draw_critical(c, &r, &a);
    draw_line(c, a.start, TOP, a.stop, TOP, INK, 1.5);
    int step = (int)ceil(24 * (f->methods - 1) / (a.stop - a.start));
    for (int k = 1; k <= f->methods; k++) {
        double x = axis_at(&a, k);
        draw_line(c, x, TOP - 5, x, TOP, INK, 1);
        /* Every step-th, and the last, unless the one before stands in its way. */
        if (k == f->methods || ((k - 1) % step == 0 && k + step <= f->methods))
            draw_text(c, x, TOP - 10, (text_style){SMALL_FONT, MIDDLE, false, SOFT_INK, 0}, "%d", k);
    }
    draw_text(c, a.start - 10, TOP - 10, (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "best");
    draw_text(c, a.stop + 10, TOP - 10, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "worst");
    for (int i = 0; i < f->methods; i++) {
        int method = r.order[i];
        bool left = i < half;
        int row = left ? i : f->methods - 1 - i;
        draw_method(c, f, method, axis_at(&a, f->mean_rank[method]), first + row * row_height,
                    left ? room : c->width - room, left, room, fmin(FONT, row_height));
    }
    for (int g = 0; g < r.groups; g++) {
        double y = TOP + 10 + g * BAR, x1 = axis_at(&a, f->mean_rank[r.order[r.group[g].first]]),
               x2 = axis_at(&a, f->mean_rank[r.order[r.group[g].last]]);
        draw_line(c, x1 - 3, y, x2 + 3, y, palette_thing(1), 4);
    }
    release(&r);
}
