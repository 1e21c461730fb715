// SPDX-License-Identifier: BSD-3-Clause
/* Prediction intervals that contain the true rank with a given probability, whatever the quality of the probabilities
 * they are based on (cross-conformal prediction; Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World, 2nd
 * ed. 2022, ch. 4; contiguous sets as in Romano, Sesia, Candes, NeurIPS 2020).
 *
 * An interval grows from the predicted rank, adding each time the more probable of the two adjacent ranks. The
 * nonconformity score of rank y is the mass of the interval before y is added, plus half of that of y. New rows are
 * exchangeable with labelled ones, so the score of a new row is uniformly ranked among those of held-out rows, and the
 * interval contains all ranks up to the limit that a share P of them satisfies: of N rows the score at position P (N +
 * 1) + 1/2 if each was left out once. Held-out rows are predicted by models of fewer rows than the final one, so the
 * coverage is only nearly that of theory; on data it is within a hundredth or two (docs/results.md).
 *
 * Of all rows the intervals hold the true rank with probability P, but of a rare class perhaps never. Intervals by
 * class have a limit for every rank, from the held-out rows of that class alone (Vovk et al., sec. 4.6:
 * label-conditional), and extend to the furthest rank whose score is within its own. */
#ifndef RUNG_EVAL_CONFORMAL_H
#define RUNG_EVAL_CONFORMAL_H

#include "base/context.h"

typedef struct {
    int repeats;    /* times each row was held out; 0: there are no intervals */
    int64_t n;      /* scores, those of all repeats */
    double *score;  /* nonconformity scores of held-out rows, ascending */
    int *rank;      /* of the rows with these scores; NULL: not known */
    int64_t missed; /* rows that cannot be held out, and count as nonconforming */
} conformal;

/* p: probabilities of the ranks 1..K; start: the predicted one. */
double conformal_score(int K, const double *p, int start, int y);
/* Sorts the scores, and the ranks with them. */
rung_status conformal_sort(rung_ctx *ctx, conformal *c);
/* The limit for an interval that contains the true rank with probability `level`; infinite if there are too few rows
 * (0.9 needs nine). */
double conformal_limit(const conformal *c, double level);
/* All ranks whose score is within the limit, and `start` itself. */
void conformal_range(int K, const double *p, int start, double limit, int *low, int *high);

/* The limits of the ranks 1..K. One with too few rows for a limit of its own (0.9 needs nine) has the common one, or
 * the largest of its own scores if that is larger. */
rung_status conformal_limits(rung_ctx *ctx, const conformal *c, double level, int K, double *limit);
/* From the lowest to the highest rank whose score is within its limit, `start` among them. */
void conformal_range_by_class(int K, const double *p, int start, const double *limit, int *low, int *high);

#endif
