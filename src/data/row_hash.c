// SPDX-License-Identifier: BSD-3-Clause
#include "data/row_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_hash(const void *a, const void *b)
{
    uint64_t x = ((const counted_hash *)a)->hash, y = ((const counted_hash *)b)->hash;
    return (x > y) - (x < y);
}

void sort_hashes(int64_t n, counted_hash *list) { qsort(list, (size_t)n, sizeof *list, by_hash); }

static uint64_t mix(uint64_t x) /* the finalizer of splitmix64 */
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t hash_value(uint64_t col, double x)
{
    uint64_t word;
    double v = isnan(x) ? (double)NAN : x + 0.0;
    memcpy(&word, &v, sizeof word);
    return mix(word + mix(col + 1));
}

uint64_t hash_cell(const column_code *c, const double *x)
{
    uint64_t sum = 0;
    for (int64_t j = c->first; j < c->first + column_width(c); j++) sum += hash_value((uint64_t)j, x[j]);
    return sum;
}

uint64_t hash_columns(const coding *code, const double *x)
{
    uint64_t sum = 0;
    for (int64_t c = 0; c < code->n_columns; c++) sum += hash_cell(&code->columns[c], x);
    return sum;
}
