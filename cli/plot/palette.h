// SPDX-License-Identifier: BSD-3-Clause
/* Colours. Classes are ordered, and so are theirs: dark blue to yellow, with increasing lightness, so that they are
 * distinguishable with any colour vision and in black and white. Unordered things (methods) have colours that differ in
 * hue, with different markers and dashes. */
#ifndef RUNG_CLI_PLOT_PALETTE_H
#define RUNG_CLI_PLOT_PALETTE_H

#include "plot/canvas.h"

colour palette_class(int k, int classes); /* k from 1 */
colour palette_tint(int k, int classes);  /* the same, pale: a background to draw on */
colour palette_share(double share);       /* 0..1: white to dark blue */
colour palette_thing(int index);          /* from 0 */
double palette_dash(int index);           /* of the line of a thing; 0: solid */
colour palette_ink_on(colour background); /* black or white: one has a contrast of 4.5 on anything */
colour palette_mix(colour a, colour b, double share_of_b);

/* The marker of a thing: a disc, square, triangle, ... */
void draw_marker(canvas *c, int index, double x, double y, double radius, colour fill, colour stroke);

#endif
