// SPDX-License-Identifier: BSD-3-Clause
/* Comparisons for qsort and bsearch, ascending. */
#ifndef RUNG_BASE_COMPARE_H
#define RUNG_BASE_COMPARE_H

#include <stdint.h>
#include <string.h>

static inline int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int compare_integers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
