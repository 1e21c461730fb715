// SPDX-License-Identifier: BSD-3-Clause
/* The order of classes as text, "low<mid<high": read, and suggested for labels that are words. A class whose name has
 * a '<' or a backslash in it is written with a backslash in front of that. */
#ifndef RUNG_DATA_ORDER_H
#define RUNG_DATA_ORDER_H

#include "base/context.h"

rung_status order_parse(rung_ctx *ctx, pool *mem, const char *order, int *n, const char ***names);

/* Sorts the names if they show an order: by the number in each of them, or by the words of a common scale (never,
 * rarely, sometimes, ...). False: they show none and are unchanged. */
bool order_guess(int n, const char **names);

/* The order as order_parse reads it; in scratch memory. */
rung_status order_text(rung_ctx *ctx, int n, const char *const *names, const char **out);

#endif
