// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "core/common.h"
#include "plot/figures.h"
#include "plot/palette.h"

enum { PANEL_WIDTH = 330, PANEL_HEIGHT = 330, HEAD = 44, LEGEND = 20 };

static int across(const effects_figure *f) { return f->panels > 1 ? 2 : 1; }

static double legend_height(const effects_figure *f) { return f->classes ? LEGEND * (1 + (f->classes - 1) / 6) : 0; }

figure_size effects_size(const effects_figure *f)
{
    int down = (f->panels + across(f) - 1) / across(f);
    double width = fmax(440, PANEL_WIDTH * across(f));
    return (figure_size){width, HEAD + legend_height(f) + PANEL_HEIGHT * (down > 0 ? down : 1)};
}

/* The place of point k: its number, or the middle of its slot. */
static double place(const effect_panel *p, const axis *x, int k)
{
    return p->category ? x->start + (k + 0.5) / p->n * (x->stop - x->start) : axis_at(x, p->x[k]);
}

static void draw_line_through(canvas *c, const effect_panel *p, const axis *x, const axis *y, const double *v,
                              colour stroke, double dash)
{
    point *line = allocate((size_t)p->n, sizeof *line);
    for (int k = 0; k < p->n; k++) line[k] = (point){place(p, x, k), axis_at(y, v[k])};
    c->path(c, p->n, line, false, &(paint){.fill = NO_COLOUR, .stroke = stroke, .width = 2, .dash = dash});
    free(line);
}

static void draw_answers(canvas *c, const effect_panel *p, const axis *x, const axis *y, const box *area)
{
    if (p->category) {
        for (int k = 0; k < p->n; k++)
            c->circle(c, (point){place(p, x, k), axis_at(y, p->dependence[k])}, 4.5,
                      &(paint){.fill = palette_thing(0), .stroke = PAPER, .width = 1});
        return;
    }
    draw_line_through(c, p, x, y, p->dependence, palette_thing(1), 5);
    if (p->local) draw_line_through(c, p, x, y, p->local, palette_thing(0), 0);
    for (int k = 0; k < p->rugs; k++) {
        double at = axis_at(x, p->rug[k]);
        draw_line(c, at, area->y + area->h - 6, at, area->y + area->h, SOFT_INK, 0.7);
    }
}

/* Shares of the classes, the lowest at the bottom. */
static void draw_shares(canvas *c, const effects_figure *f, const effect_panel *p, const axis *x, const box *area)
{
    double *below = allocate((size_t)p->n, sizeof *below);
    point *edge = allocate(2 * (size_t)p->n, sizeof *edge);
    for (int q = 0; q < f->classes; q++) {
        colour fill = palette_class(q + 1, f->classes);
        for (int k = 0; k < p->n; k++) {
            double low = area->y + area->h * (1 - below[k]);
            below[k] = fmin(1, below[k] + p->share[k * f->classes + q]);
            double high = area->y + area->h * (1 - below[k]), at = place(p, x, k),
                   half = 0.4 * (x->stop - x->start) / p->n;
            edge[k] = (point){at, low};
            edge[2 * p->n - 1 - k] = (point){at, high};
            if (p->category) draw_box(c, (box){at - half, high, 2 * half, low - high}, FILL(fill));
        }
        if (!p->category && p->n > 1) c->path(c, 2 * p->n, edge, true, &FILL(fill));
    }
    free(below);
    free(edge);
}

static void category_labels(canvas *c, const effect_panel *p, const axis *x, double y)
{
    double room = (x->stop - x->start) / p->n - 4, size = room < 26 ? 8 : SMALL_FONT;
    char **name = names_fitted(p->n, p->name, size, fmax(room, 10));
    for (int k = 0; k < p->n; k++)
        draw_text(c, place(p, x, k), y, (text_style){size, MIDDLE, false, SOFT_INK, 0}, "%s", name[k]);
    fitted_free(p->n, name);
}

static void draw_panel(canvas *c, const effects_figure *f, const effect_panel *p, box at)
{
    double lower = f->classes ? 84 : 0;
    if (p->n == 0) {
        draw_text(c, at.x + 56, at.y + 14, (text_style){FONT, START, false, INK, 0}, "%s: no row has a value",
                  p->column);
        return;
    }
    box top = {at.x + 56, at.y + 22, at.w - 56 - 14, at.h - 22 - 52 - lower - (f->classes ? 14 : 0)};
    box bottom = {top.x, top.y + top.h + 14, top.w, lower};
    axis x = axis_new(p->category ? 0 : p->x[0], p->category ? p->n : p->x[p->n - 1], top.x, top.x + top.w, 60, false,
                      false);
    if (p->dates) axis_dates(&x);
    axis y = axis_new(f->low, f->high, top.y + top.h, top.y, 36, false, true);
    char *title = text_fitted(p->column, FONT, at.w - 96);
    draw_text(c, top.x, at.y + 14, (text_style){FONT, START, true, INK, 0}, "%s", title);
    free(title);
    if (p->category) x.ticks = 0;
    draw_y_axis(c, &y, &top, f->answer);
    if (f->classes) {
        draw_shares(c, f, p, &x, &bottom);
        draw_text(c, bottom.x - 6, bottom.y + bottom.h, (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "0");
        draw_text(c, bottom.x - 6, bottom.y + 10, (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "1");
    }
    draw_x_axis(c, &x, f->classes ? &(box){top.x, top.y, top.w, bottom.y + bottom.h - top.y} : &top, "");
    if (p->category) category_labels(c, p, &x, (f->classes ? bottom.y + bottom.h : top.y + top.h) + 16);
    draw_answers(c, p, &x, &y, &top);
}

void effects_draw(canvas *c, const effects_figure *f)
{
    int columns = across(f), down = (f->panels + columns - 1) / columns;
    double head = HEAD + legend_height(f), width = c->width / columns, height = (c->height - head) / fmax(1, down);
    draw_title(c, f->title);
    draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0}, "%s",
              c->width < 500
                  ? "solid: accumulated local effects; dashed: partial dependence"
                  : "solid: accumulated local effects; dashed: partial dependence; ticks: values of the rows");
    if (f->classes) {
        legend_entry *entry = allocate((size_t)f->classes, sizeof *entry);
        for (int q = 0; q < f->classes; q++)
            entry[q] = (legend_entry){
                .text = text_of("%s", f->name[q]), .kind = MARK_SWATCH, .colour = palette_class(q + 1, f->classes)};
        draw_legend(c, f->classes, entry, 14, HEAD, c->width - 28, legend_height(f), true);
        for (int q = 0; q < f->classes; q++) free(entry[q].text);
        free(entry);
    }
    for (int i = 0; i < f->panels; i++) {
        int row = i / columns, column = i % columns;
        draw_panel(c, f, &f->panel[i], (box){width * column, head + height * row, width, height});
    }
}
