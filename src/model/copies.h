// SPDX-License-Identifier: BSD-3-Clause
/* New rows that equal labelled ones in every column. Such a row takes its equals' labels into account:
 *
 *     p := (sum of the mass of each grade among its equals + prior p) / (mass of its equals + prior)
 *
 * The prior is what equal rows among the labelled ones justify (fit/copies_fit.c): near 0 where a record stands several
 * times with one grade, large where the model knows all that equals tell. Models of earlier versions have a weight
 * instead: p := (1 - weight) p + weight (share of each grade among the equals). */
#ifndef RUNG_MODEL_COPIES_H
#define RUNG_MODEL_COPIES_H

#include "base/context.h"

typedef struct {
    int64_t n;     /* entries; 0: nothing is known of equal rows */
    double *key;   /* n, ascending: row_key of the coded cells */
    int *rank;     /* n: among the classes present */
    double *mass;  /* n: of the labelled rows with this key and rank; NULL: the former rule, a row each */
    double prior;  /* above 0 */
    double weight; /* of the former rule: above 0, at most 1 */
} row_copies;

/* The place of the first entry with this key, and how many there are; 0: none. */
int64_t copies_find(const row_copies *c, double key, int64_t *first);
/* p (K classes) for a row whose equals are the `count` entries from place `first` on; returns the share that the model
 * has in it. */
double copies_mix(const row_copies *c, int64_t first, int64_t count, int K, double *p);
/* What the rank becomes where probabilities p become q, in which the model has a share: the median of q, if equals
 * outweigh the model or move the median; else as the model decided. */
int copies_rank(int K, int rank, const double *p, const double *q, double share);

#endif
