// SPDX-License-Identifier: BSD-3-Clause
/* The order of classes as text, "low<mid<high": read, and suggested for labels that are words. A class whose name has
 * a '<' or a backslash in it is written with a backslash in front of that. */
#ifndef RUNG_DATA_ORDER_H
#define RUNG_DATA_ORDER_H

#include "base/context.h"

rung_status order_parse(rung_ctx *ctx, pool *mem, const char *order, int *n, const char ***names);

/* Sorts the names where their order shows: by the number each of them has, or by the words of a common scale (never,
 * rarely, sometimes, ...). False: it does not show, and they stay as they are. */
bool order_guess(int n, const char **names);

/* The order as an argument that a shell takes for nothing else; in scratch memory. */
rung_status order_quoted(rung_ctx *ctx, int n, const char *const *names, const char **out);

#endif
