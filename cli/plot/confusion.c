// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>

#include "plot/figures.h"
#include "plot/palette.h"

double widest_name(int n, const char *const *name, double size)
{
    double widest = 0;
    for (int i = 0; i < n; i++) widest = fmax(widest, text_width_at(name[i], size, false));
    return widest;
}

typedef struct {
    double left, top, cell; /* of the grid */
    double font;            /* of the labels */
    double label;           /* width of the row labels */
    bool upright;           /* column labels are turned, */
    double tall;            /* and so high */
} layout;

static layout arrange(const confusion_figure *f, double width, double height)
{
    double widest = widest_name(f->classes, f->name, FONT);
    layout l = {.label = fmin(widest, fmax(60, width * 0.24))};
    l.left = 34 + l.label;
    double across = (width - l.left - 56) / f->classes;
    l.upright = widest + 8 > across;
    l.tall = fmin(fmin(widest, 90), height * 0.2);
    l.top = 70 + (l.upright ? l.tall : 14);
    l.cell = fmin(across, (height - l.top - 12) / f->classes);
    l.font = fmin(FONT, fmax(5, 0.95 * l.cell));
    return l;
}

figure_size confusion_size(const confusion_figure *f)
{
    double cell = f->classes <= 6 ? 62 : 48;
    double label = fmin(widest_name(f->classes, f->name, FONT), 150);
    double width = fmax(360, 34 + label + 60 + cell * f->classes);
    layout l = arrange(f, width, 1e6);
    return (figure_size){width, l.top + fmin(cell, l.cell) * f->classes + 14};
}

static void draw_cell(canvas *c, const confusion_figure *f, const layout *l, int y, int k, int64_t rows)
{
    int64_t count = f->count[y * f->classes + k];
    double share = rows ? (double)count / (double)rows : 0, x = l->left + k * l->cell, top = l->top + y * l->cell;
    colour back = palette_share(share), ink = count ? palette_ink_on(back) : SOFT_INK;
    char hint[160];
    snprintf(hint, sizeof hint, "true %.40s, predicted %.40s: %lld of %lld (%.1f %%)", f->name[y], f->name[k],
             (long long)count, (long long)rows, 100 * share);
    c->begin(c, hint, NULL);
    draw_box(c, (box){x, top, l->cell, l->cell},
             (paint){.fill = back, .stroke = y == k ? INK : RULE, .width = y == k ? 1.5 : 1});
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)count);
    double size = fmin(FONT + 1, fmax(7, l->cell * 0.3));
    size = fmin(size, 0.9 * size * l->cell / fmax(1, text_width_at(number, size, false)));
    bool two = l->cell >= 32 && count;
    draw_text(c, x + l->cell / 2, top + l->cell / 2 + (two ? -1 : size * 0.36),
              (text_style){size, MIDDLE, y == k, ink, 0}, "%s", number);
    if (two) {
        /* Never 0 % or 100 % if it is only rounding. */
        const char *rounded = share < 0.005 ? "< 1 %" : share < 1 && share >= 0.995 ? "> 99 %" : NULL;
        char percent[16];
        snprintf(percent, sizeof percent, "%.0f %%", 100 * share);
        draw_text(c, x + l->cell / 2, top + l->cell / 2 + size,
                  (text_style){fmin(10, l->cell * 0.22), MIDDLE, false, ink, 0}, "%s", rounded ? rounded : percent);
    }
    c->end(c);
}

void confusion_draw(canvas *c, const confusion_figure *f)
{
    layout l = arrange(f, c->width, c->height);
    double side = l.cell * f->classes;
    draw_title(c, f->title);
    draw_text(c, 12, 38, (text_style){SMALL_FONT, START, false, SOFT_INK, 0},
              "rows, and their share of the true class");
    draw_text(c, l.left + side / 2, 58, (text_style){FONT, MIDDLE, true, INK, 0}, "predicted");
    draw_text(c, 20, l.top + side / 2, (text_style){FONT, MIDDLE, true, INK, -90}, "true");
    char **across = names_fitted(f->classes, f->name, l.font, l.upright ? l.tall : l.cell),
         **down = names_fitted(f->classes, f->name, l.font, l.label);
    for (int k = 0; k < f->classes; k++) {
        double middle = l.left + (k + 0.5) * l.cell;
        if (l.upright)
            draw_text(c, middle + 0.35 * l.font, l.top - 6, (text_style){l.font, START, false, INK, -90}, "%s",
                      across[k]);
        else
            draw_text(c, middle, l.top - 6, (text_style){l.font, MIDDLE, false, INK, 0}, "%s", across[k]);
        draw_text(c, l.left - 6, l.top + (k + 0.5) * l.cell + 0.35 * l.font, (text_style){l.font, END, false, INK, 0},
                  "%s", down[k]);
    }
    fitted_free(f->classes, across);
    fitted_free(f->classes, down);
    draw_text(c, l.left + side + 48, l.top - 6, (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "rows");
    for (int y = 0; y < f->classes; y++) {
        int64_t rows = 0;
        for (int k = 0; k < f->classes; k++) rows += f->count[y * f->classes + k];
        for (int k = 0; k < f->classes; k++) draw_cell(c, f, &l, y, k, rows);
        draw_text(c, l.left + side + 48, l.top + (y + 0.5) * l.cell + 0.33 * l.font,
                  (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "%lld", (long long)rows);
    }
    for (int k = 0; k < f->classes; k++) /* the diagonal above the rules of its neighbours */
        draw_box(c, (box){l.left + k * l.cell, l.top + k * l.cell, l.cell, l.cell}, STROKE(INK, 1.5));
}
