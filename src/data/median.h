// SPDX-License-Identifier: BSD-3-Clause
/* The weighted median. */
#ifndef RUNG_MEDIAN_H
#define RUNG_MEDIAN_H

#include <stdint.h>

typedef struct {
    double x, w;
} weighted_value;
/* Of n > 0 numbers, which are reordered; where half of the weight ends between two numbers, their mean. */
double median(weighted_value *v, int64_t n);

#endif
