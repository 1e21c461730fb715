// SPDX-License-Identifier: BSD-3-Clause
/* Two columns of a table as ranks: what metrics compare. */
#ifndef RUNG_RANK_COLUMNS_H
#define RUNG_RANK_COLUMNS_H

#include "input/table/table.h"

typedef struct { /* two columns as ranks on one scale; 0 = missing */
    int K;
    int *truth, *predicted;
    int *upper; /* of the true ones, where some are intervals (intervals.h); else NULL */
} rank_columns;
/* The scale: the classes of both columns together, or those of order. The ranks are scratch memory. */
rung_status rank_columns_new(rung_ctx *ctx, const rung_table *t, const char *truth, const char *predicted,
                             const char *order, rank_columns *out);

#endif
