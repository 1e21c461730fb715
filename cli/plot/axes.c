// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "plot/axes.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/common.h"
#include "plot/palette.h"

enum { MOST_TICKS = 32 };

/* 1, 2 or 5 times a power of ten, not below `least`. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    double factor = least / power;
    return power * (factor <= 1.0001 ? 1 : factor <= 2.0001 ? 2 : factor <= 5.0001 ? 5 : 10);
}

static int tick_count(double low, double high, double step)
{
    return (int)(floor(high / step + 1e-9) - ceil(low / step - 1e-9)) + 1;
}

static void linear_ticks(axis *a, int wanted, bool widen)
{
    double step = round_step((a->high - a->low) / wanted);
    /* One or two ticks are too few. */
    while (!widen && tick_count(a->low, a->high, step) < 3) step = round_step(step / 2.5);
    if (widen) {
        a->low = step * floor(a->low / step + 1e-9);
        a->high = step * ceil(a->high / step - 1e-9);
    }
    a->step = step;
    a->decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
    for (double k = ceil(a->low / step - 1e-9); k * step <= a->high + 1e-9 * step && a->ticks < MOST_TICKS; k++)
        a->tick[a->ticks++] = k == 0 ? 0 : k * step;
}

static void log_ticks(axis *a, int wanted)
{
    static const double within[] = {1, 2, 5};
    double decades = log10(a->high / a->low);
    int dense = decades * 3 <= wanted ? 3 : 1, every = (int)ceil(decades / (wanted > 0 ? wanted : 1));
    for (int power = (int)floor(log10(a->low)); pow(10, power) <= a->high; power++) {
        if (dense == 1 && power % (every > 0 ? every : 1)) continue;
        for (int i = 0; i < dense; i++) {
            double value = within[i] * pow(10, power);
            if (value >= a->low * (1 - 1e-9) && value <= a->high * (1 + 1e-9) && a->ticks < MOST_TICKS)
                a->tick[a->ticks++] = value;
        }
    }
}

axis axis_new(double low, double high, double start, double stop, double spacing, bool log, bool widen)
{
    axis a = {.low = low, .high = high, .start = start, .stop = stop, .log = log};
    int wanted = (int)fmax(2, fmin(12, fabs(stop - start) / spacing));
    if (log) {
        if (a.high <= a.low * 1.01) a.low /= 2, a.high *= 2;
        log_ticks(&a, wanted);
        return a;
    }
    if (a.high - a.low <= 1e-12 * fmax(fabs(a.high), fabs(a.low)) || a.high == a.low) {
        double room = a.high == 0 ? 1 : fabs(a.high) / 2;
        a.low -= room;
        a.high += room;
    }
    linear_ticks(&a, wanted, widen);
    return a;
}

void axis_dates(axis *a)
{
    a->dates = true;
    a->ticks = 0;
    for (int k = 1; k < 6; k += 2) a->tick[a->ticks++] = floor(a->low + k / 6.0 * (a->high - a->low));
}

double axis_at(const axis *a, double value)
{
    double t = a->log ? log(value / a->low) / log(a->high / a->low) : (value - a->low) / (a->high - a->low);
    return a->start + t * (a->stop - a->start);
}

/* So many that two ticks never look alike. */
static int label_digits(const axis *a, double value)
{
    enum { FEW = 6, ALL = 17 };
    if (!(a->step > 0) || value == 0) return FEW;
    double digits = floor(log10(fabs(value)) + 1e-9) - floor(log10(a->step) + 1e-9) + 1;
    return (int)fmin(fmax(digits, FEW), ALL);
}

tick_text axis_label(const axis *a, double value)
{
    tick_text out;
    time_t seconds = a->dates ? (time_t)(floor(value) * 86400) : 0;
    struct tm day;
    if (a->dates && gmtime_r(&seconds, &day))
        strftime(out.text, sizeof out.text, "%Y-%m-%d", &day);
    else if (a->log || fabs(value) >= 1e5 || a->decimals > 6)
        snprintf(out.text, sizeof out.text, "%.*g", label_digits(a, value), value);
    else
        snprintf(out.text, sizeof out.text, "%.*f", a->decimals, value);
    return out;
}

double axis_label_width(const axis *a)
{
    double widest = 0;
    for (int i = 0; i < a->ticks; i++)
        widest = fmax(widest, text_width_at(axis_label(a, a->tick[i]).text, SMALL_FONT, false));
    return widest;
}

void draw_x_axis(canvas *c, const axis *a, const box *area, const char *title)
{
    double bottom = area->y + area->h;
    for (int i = 0; i < a->ticks; i++) {
        double x = axis_at(a, a->tick[i]);
        draw_line(c, x, area->y, x, bottom, RULE, 1);
        draw_line(c, x, bottom, x, bottom + 4, SOFT_INK, 1);
        draw_text(c, x, bottom + 16, (text_style){SMALL_FONT, MIDDLE, false, SOFT_INK, 0}, "%s",
                  axis_label(a, a->tick[i]).text);
    }
    draw_line(c, area->x, bottom, area->x + area->w, bottom, SOFT_INK, 1);
    char *fits = text_fitted(title, FONT, area->w + 60);
    draw_text(c, area->x + area->w / 2, bottom + 34, (text_style){FONT, MIDDLE, false, INK, 0}, "%s", fits);
    free(fits);
}

void draw_y_axis(canvas *c, const axis *a, const box *area, const char *title)
{
    for (int i = 0; i < a->ticks; i++) {
        double y = axis_at(a, a->tick[i]);
        draw_line(c, area->x, y, area->x + area->w, y, RULE, 1);
        draw_text(c, area->x - 6, y + 4, (text_style){SMALL_FONT, END, false, SOFT_INK, 0}, "%s",
                  axis_label(a, a->tick[i]).text);
    }
    draw_line(c, area->x, area->y, area->x, area->y + area->h, SOFT_INK, 1);
    char *fits = text_fitted(title, FONT, area->h + 20);
    draw_text(c, area->x - axis_label_width(a) - 16, area->y + area->h / 2, (text_style){FONT, MIDDLE, false, INK, -90},
              "%s", fits);
    free(fits);
}

void draw_title(canvas *c, const char *title)
{
    char *fits = text_fitted(title, TITLE_FONT * 1.13, c->width - 20);
    draw_text(c, 12, 20, (text_style){TITLE_FONT, START, true, INK, 0}, "%s", fits);
    free(fits);
}

static void draw_mark(canvas *c, const legend_entry *e, double x, double y)
{
    if (e->kind == MARK_SWATCH) {
        draw_box(c, (box){x, y - 10, 18, 11}, (paint){.fill = e->colour, .stroke = SOFT_INK, .width = 0.5});
    } else if (e->kind == MARK_CROSS) {
        draw_line(c, x + 6, y - 7, x + 12, y - 1, e->colour, 1.2);
        draw_line(c, x + 6, y - 1, x + 12, y - 7, e->colour, 1.2);
    } else if (e->kind == MARK_DOT) {
        draw_marker(c, e->index, x + 9, y - 4, 4.5, e->colour, INK);
    } else {
        paint look = STROKE(e->colour, 2);
        look.dash = e->faint ? 4 : palette_dash(e->index);
        c->path(c, 2, (const point[]){{x, y - 4}, {x + 18, y - 4}}, false, &look);
        draw_marker(c, e->index, x + 9, y - 4, 3.2, e->faint ? PAPER : e->colour, e->colour);
    }
}

/* With names of at most `room`. */
static double legend_rows(canvas *c, int n, const legend_entry *entry, point at, double width, double room, bool draw)
{
    const double row = 18, mark = 24, gap = 16;
    double across = 0, down = 0;
    const char **name = allocate((size_t)n, sizeof *name);
    for (int i = 0; i < n; i++) name[i] = entry[i].text;
    char **fitted = names_fitted(n, name, SMALL_FONT, room);
    for (int i = 0; i < n; i++) {
        double needed = mark + text_width_at(fitted[i], SMALL_FONT, false);
        if (across > 0 && across + needed > width) across = 0, down += row;
        if (draw) {
            draw_mark(c, &entry[i], at.x + across, at.y + down + 13);
            draw_text(c, at.x + across + mark, at.y + down + 13, (text_style){SMALL_FONT, START, false, INK, 0}, "%s",
                      fitted[i]);
        }
        across += needed + gap;
    }
    fitted_free(n, fitted);
    free(name);
    return n ? down + row : 0;
}

double draw_legend(canvas *c, int n, const legend_entry *entry, double x, double y, double width, double height,
                   bool draw)
{
    double room = fmax(40, width - 24);
    while (room > 24 && legend_rows(c, n, entry, (point){x, y}, width, room, false) > height) room *= 0.85;
    return legend_rows(c, n, entry, (point){x, y}, width, room, draw);
}
