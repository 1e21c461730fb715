// SPDX-License-Identifier: BSD-3-Clause
/* New rows that equal a labelled one. In some tables a record stands twice, with the same grade: a row that equals a
 * labelled one in every column then takes its grade, p := (1 - weight) p + weight (share of each grade among its equals).
 * The weight is what equal rows among the labelled ones justify (fit/fit.c). */
#ifndef RUNG_MODEL_COPIES_H
#define RUNG_MODEL_COPIES_H

#include "base/context.h"

typedef struct {
    int64_t n;     /* labelled rows; 0: nothing is known of equal ones */
    double *key;   /* n, ascending: row_key of the coded cells */
    int *rank;     /* n: among the classes present */
    double weight; /* above 0, at most 1 */
} row_copies;

/* The place of the first labelled row with this key, and how many there are; 0: none. */
int64_t copies_find(const row_copies *c, double key, int64_t *first);
/* p (K classes) for a row that equals `count` labelled ones from place `first` on. */
void copies_mix(const row_copies *c, int64_t first, int64_t count, int K, double *p);

#endif
