// SPDX-License-Identifier: BSD-3-Clause
/* Arithmetic on numbers that come from a file: nothing wraps, whatever the file contains. Counts are checked by
 * count_fits; sums and differences of a few such counts cannot overflow. Products need product_fits. */
#ifndef RUNG_BASE_CHECKED_H
#define RUNG_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

/* 2^53: more than any memory holds, and exact as a double. */
#define COUNT_MOST (INT64_C(1) << 53)

static inline bool count_fits(int64_t x, int64_t least) { return x >= least && x <= COUNT_MOST; }

/* False if the result does not fit in 64 bits; *out is then undefined. */
static inline bool sum_fits(int64_t a, int64_t b, int64_t *out) { return !__builtin_add_overflow(a, b, out); }
static inline bool difference_fits(int64_t a, int64_t b, int64_t *out) { return !__builtin_sub_overflow(a, b, out); }
static inline bool product_fits(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }

/* Offsets of n consecutive parts of `total` elements: from 0 to total, non-decreasing. */
static inline bool offsets_fit(int64_t n, const int64_t *first, int64_t total)
{
    if (first[0] != 0 || first[n] != total) return false;
    for (int64_t i = 0; i < n; i++)
        if (first[i + 1] < first[i]) return false;
    return true;
}

#endif
