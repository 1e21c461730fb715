// SPDX-License-Identifier: BSD-3-Clause
/* Columns that tell the same: a model can take from one what another has lost, so each of them looks less important
 * than it is. */
#ifndef RUNG_EXPLAIN_RELATED_H
#define RUNG_EXPLAIN_RELATED_H

#include "data/dataset.h"

typedef struct {
    int n_groups;  /* of two columns or more */
    int *group;    /* per source column: from 1; 0: none */
    double *share; /* per source column: the share of its variance (in ranks) that a linear combination of all other
                      columns explains, adjusted for their number; NaN: too few rows, or too many columns, to tell */
} related_columns;

/* Over the rows listed, coded by `code`, in scratch memory. Columns form a group where Spearman's correlation of
 * neighbours in it is at least 0.7 in absolute value; a category takes part with the largest of its 0/1 columns. */
rung_status related_find(rung_ctx *ctx, const coding *code, const rung_data *data, int64_t n, const int64_t *rows,
                         related_columns *out);

#endif
