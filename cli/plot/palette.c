// SPDX-License-Identifier: BSD-3-Clause
#include "plot/palette.h"

#include <math.h>

/* The viridis map (S. van der Walt, N. Smith, 2015; public domain) at eleven places; its last tenth is too pale for
 * paper. */
static const colour viridis[] = {0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c,
                                 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725};
enum { PLACES = sizeof viridis / sizeof *viridis };

/* Colours distinguishable with any colour vision (M. Okabe, K. Ito, 2008), without the pale yellow. */
static const colour things[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x333333};
enum { THINGS = sizeof things / sizeof *things };

static double channel(colour c, int shift) { return (double)(c >> shift & 255u); }

colour palette_mix(colour a, colour b, double share_of_b)
{
    colour out = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double mixed = channel(a, shift) * (1 - share_of_b) + channel(b, shift) * share_of_b;
        out |= (colour)lround(mixed) << shift;
    }
    return out;
}

static colour along(double t)
{
    double at = t * (PLACES - 1);
    int low = at < PLACES - 1 ? (int)at : PLACES - 2;
    return palette_mix(viridis[low], viridis[low + 1], at - low);
}

colour palette_class(int k, int classes)
{
    if (classes < 2) return along(0.3);
    return along(0.06 + 0.86 * (k - 1) / (classes - 1));
}

colour palette_tint(int k, int classes) { return palette_mix(palette_class(k, classes), PAPER, 0.72); }

colour palette_share(double share) { return palette_mix(PAPER, 0x1f4e79, 0.04 + 0.96 * share); }

colour palette_thing(int index) { return things[index % THINGS]; }

double palette_dash(int index) { return index / THINGS % 3 == 0 ? 0 : index / THINGS % 3 == 1 ? 6 : 2; }

/* Relative luminance as the Web Content Accessibility Guidelines define it. */
static double luminance(colour c)
{
    static const double weight[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double v = channel(c, 8 * i) / 255;
        sum += weight[i] * (v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

colour palette_ink_on(colour background)
{
    double l = luminance(background);
    return 1.05 / (l + 0.05) > (l + 0.05) / 0.05 ? PAPER : 0x000000;
}

void draw_marker(canvas *c, int index, double x, double y, double radius, colour fill, colour stroke)
{
    static const struct {
        int corners;
        double turn; /* of the first corner, in turns from the top */
        double size;
    } shape[] = {{0, 0, 1}, {4, 0.125, 1.25}, {3, 0, 1.3}, {4, 0, 1.25}, {3, 0.5, 1.3}, {5, 0, 1.2}, {6, 0, 1.15}};
    const paint look = {.fill = fill, .stroke = stroke, .width = 1};
    int kind = index % (int)(sizeof shape / sizeof *shape);
    if (shape[kind].corners == 0) {
        c->circle(c, (point){x, y}, radius, &look);
        return;
    }
    point p[6];
    for (int i = 0; i < shape[kind].corners; i++) {
        double angle = 2 * acos(-1) * (shape[kind].turn + (double)i / shape[kind].corners);
        p[i] = (point){x + radius * shape[kind].size * sin(angle), y - radius * shape[kind].size * cos(angle)};
    }
    c->path(c, shape[kind].corners, p, true, &look);
}
