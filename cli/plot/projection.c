// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "plot/figures.h"
#include "plot/palette.h"

enum { HEAD = 66, FOOT = 44 };

static bool has_unlabelled(const projection_figure *f)
{
    for (int64_t i = 0; i < f->n; i++)
        if (f->truth[i] == 0) return true;
    return false;
}

figure_size projection_size(const projection_figure *f)
{
    int strips = f->classes + has_unlabelled(f);
    return (figure_size){640, HEAD + FOOT + strips * (strips <= 6 ? 46 : 32)};
}

static void score_range(const projection_figure *f, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int64_t i = 0; i < f->n; i++) {
        *low = fmin(*low, f->score[i]);
        *high = fmax(*high, f->score[i]);
    }
}

/* The part of the axis before threshold i, and behind the one before it. */
static bool segment(const projection_figure *f, const axis *a, int i, double *from, double *to)
{
    *from = i > 0 ? f->threshold[i - 1] : a->low;
    *to = i < f->thresholds ? f->threshold[i] : a->high;
    if (isnan(*from) || isnan(*to)) return false;
    *from = fmax(*from, a->low);
    *to = fmin(*to, a->high);
    return *to > *from;
}

/* The bands of an expected class: nearest to each whole number. The thresholds and classes are to be freed. */
static projection_figure with_bands(const projection_figure *f, double **threshold, int **answer)
{
    projection_figure out = *f;
    out.thresholds = f->classes - 1;
    out.threshold = *threshold = allocate((size_t)f->classes, sizeof **threshold);
    out.answer = *answer = allocate((size_t)f->classes, sizeof **answer);
    for (int k = 0; k < f->classes; k++) (*threshold)[k] = k + 1.5, (*answer)[k] = k + 1;
    return out;
}

/* Ticks at the classes. */
static axis class_axis(int classes, double start, double stop)
{
    axis a = axis_new(0.5, classes + 0.5, start, stop, 70, false, false);
    int most = (int)(sizeof a.tick / sizeof *a.tick), every = (classes + most - 1) / most;
    a.ticks = a.decimals = 0;
    a.step = 1;
    for (int k = 1; k <= classes; k += every) a.tick[a.ticks++] = k;
    return a;
}

static void draw_segments(canvas *c, const projection_figure *f, const axis *a, const box *area)
{
    if (!f->answer) return;
    draw_text(c, area->x - 8, area->y - 8, (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "%s",
              f->expected ? "nearest" : "answer");
    for (int i = 0; i <= f->thresholds; i++) {
        double from, to;
        int k = f->answer[i];
        if (!segment(f, a, i, &from, &to)) continue;
        double x1 = axis_at(a, from), x2 = axis_at(a, to);
        draw_box(c, (box){x1, area->y, x2 - x1, area->h}, FILL(palette_tint(k, f->classes)));
        draw_box(c, (box){x1, area->y - 4, x2 - x1, 4}, FILL(palette_class(k, f->classes)));
        char **names = names_fitted(f->classes, f->name, SMALL_FONT, x2 - x1 - 4);
        /* A name of which hardly a letter fits is omitted. */
        bool whole = text_width_at(f->name[k - 1], SMALL_FONT, false) <= x2 - x1 - 4;
        if (whole || x2 - x1 > 44)
            draw_text(c, (x1 + x2) / 2, area->y - 9, (text_style){SMALL_FONT, MIDDLE, false, INK, 0}, "%s",
                      names[k - 1]);
        fitted_free(f->classes, names);
    }
}

/* The rows of one class (0: unlabelled) as a histogram on a separate strip, scaled to its height. */
static void draw_strip(canvas *c, const projection_figure *f, const axis *a, int class, const char *name, double top,
                       double height)
{
    /* Few rows give wide columns, many give narrow ones. */
    int bins = (int)fmax(12, fmin(fmin(90, fabs(a->stop - a->start) / 7), 2.2 * sqrt((double)f->n))), most = 0;
    int *count = allocate((size_t)bins, sizeof *count);
    int64_t rows = 0;
    for (int64_t i = 0; i < f->n; i++) {
        if (f->truth[i] != class) continue;
        int at = (int)((f->score[i] - a->low) / (a->high - a->low) * bins);
        at = at < 0 ? 0 : at >= bins ? bins - 1 : at;
        rows++;
        if (++count[at] > most) most = count[at];
    }
    double bottom = top + height, width = (a->stop - a->start) / bins;
    const char *text = class ? f->name[class - 1] : "unlabelled";
    char hint[120];
    snprintf(hint, sizeof hint, "%.80s: %lld rows", text, (long long)rows);
    draw_line(c, a->start, bottom, a->stop, bottom, SOFT_INK, 0.75);
    c->begin(c, hint, NULL);
    colour fill = class ? palette_class(class, f->classes) : 0x8c8c8c;
    for (int b = 0; b < bins; b++) {
        if (!count[b]) continue;
        double tall = height * 0.88 * count[b] / most;
        draw_box(c, (box){a->start + b * width + 0.4, bottom - tall, width - 0.8, tall},
                 (paint){.fill = fill, .stroke = INK, .width = 0.4});
    }
    c->end(c);
    double size = fmin(FONT, height - 1), middle = bottom - height / 2;
    bool two = height >= 26;
    draw_text(c, a->start - 8, middle + (two ? 1 : 0.36 * size), (text_style){size, END, false, INK, 0}, "%s", name);
    if (two)
        draw_text(c, a->start - 8, middle + 13, (text_style){10, END, false, SOFT_INK, 0}, "%lld row%s",
                  (long long)rows, plural(rows));
    free(count);
}

void projection_draw(canvas *c, const projection_figure *figure)
{
    double *threshold = NULL;
    int *answer = NULL;
    projection_figure own = figure->expected ? with_bands(figure, &threshold, &answer) : *figure, *f = &own;
    bool unlabelled = has_unlabelled(f);
    int strips = f->classes + unlabelled;
    double widest = fmax(widest_name(f->classes, f->name, FONT), unlabelled ? 70 : 40);
    double label = fmin(widest, fmax(56, c->width * 0.22)), low, high;
    box area = {label + 24, HEAD, c->width - label - 24 - 22, c->height - HEAD - FOOT};
    score_range(f, &low, &high);
    double room = 0.02 * (high - low);
    axis a = f->expected ? class_axis(f->classes, area.x, area.x + area.w)
                         : axis_new(low - room, high + room, area.x, area.x + area.w, 70, false, false);
    draw_title(c, f->title);
    draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%s",
              c->width < 420 ? "true classes, top to bottom"
                             : "one strip per true class, each scaled to its own height");
    draw_segments(c, f, &a, &area);
    draw_x_axis(c, &a, &area, f->score_name);
    double height = area.h / strips;
    double size = fmin(FONT, height - 1);
    char **names = names_fitted(f->classes, f->name, size, label), *none = text_fitted("unlabelled", size, label);
    for (int s = 0; s < strips; s++) { /* the highest class on top, as on a ladder */
        int class = s < f->classes ? f->classes - s : 0;
        draw_strip(c, f, &a, class, class ? names[class - 1] : none, area.y + s * height, height);
    }
    fitted_free(f->classes, names);
    free(none);
    for (int k = 0; k < f->thresholds && !f->expected; k++) {
        double t = f->threshold[k];
        if (isnan(t) || t < a.low || t > a.high) continue;
        double x = axis_at(&a, t);
        c->path(c, 2, (const point[]){{x, area.y - 4}, {x, area.y + area.h}}, false,
                &(paint){.fill = NO_COLOUR, .stroke = INK, .width = 1.2, .dash = 4});
    }
    free(threshold);
    free(answer);
}
