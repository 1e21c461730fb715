// SPDX-License-Identifier: BSD-3-Clause
/* Hashes of rows that are sums over their columns: that of a row without a column is a difference. */
#ifndef RUNG_DATA_ROW_HASH_H
#define RUNG_DATA_ROW_HASH_H

#include "data/dataset.h"

typedef struct {
    uint64_t hash;
    double count; /* of rows */
} counted_hash;

/* -0 counts as 0, and all missing cells (NaN) are one value. */
uint64_t hash_value(uint64_t col, double x);
/* Of a column of a row x: the sum over its coded columns. */
uint64_t hash_cell(const column_code *c, const double *x);
/* Of all columns of a row x. */
uint64_t hash_columns(const coding *code, const double *x);
void sort_hashes(int64_t n, counted_hash *list);

#endif
