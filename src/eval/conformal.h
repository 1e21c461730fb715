// SPDX-License-Identifier: BSD-3-Clause
/* Ranges of ranks that hold the true one with a stated probability, whatever the quality of the probabilities they are
 * made from (cross-conformal prediction; Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World, 2nd ed. 2022,
 * ch. 4; contiguous sets as in Romano, Sesia, Candes, NeurIPS 2020).
 *
 * Around every answer ranges grow: first the predicted rank alone, then each time the more probable of the two ranks
 * next to the range. The nonconformity of rank y is the mass the range has before it takes y in, plus half of y's. New
 * rows are exchangeable with labelled ones, so the rank of a new row's nonconformity among those of held-out rows is
 * known, and the range takes in all ranks up to the limit that the wanted share of them keeps: of N rows the one at the
 * place P (N + 1) + 1/2 where each was left out once. Rows held out are answered by models of fewer rows than the final
 * one, so the coverage is that of theory only nearly; on data it is within a hundredth or two (docs/results.md). */
#ifndef RUNG_EVAL_CONFORMAL_H
#define RUNG_EVAL_CONFORMAL_H

#include "base/context.h"

typedef struct {
    int repeats;    /* times each row was held out; 0: there are no ranges */
    int64_t n;      /* scores, those of all repeats */
    double *score;  /* nonconformities of rows held out, ascending */
    int64_t missed; /* rows that cannot be held out, and count as nonconforming */
} conformal;

/* p: probabilities of the ranks 1..K; start: the predicted one. */
double conformal_score(int K, const double *p, int start, int y);
/* Sorts the scores. */
void conformal_sort(conformal *c);
/* The limit for a range that holds the true rank with the probability `level`; infinite where the rows are too few to
 * tell one, as 0.9 needs nine. */
double conformal_limit(const conformal *c, double level);
/* All ranks whose score is within the limit, and `start` itself. */
void conformal_range(int K, const double *p, int start, double limit, int *low, int *high);

#endif
