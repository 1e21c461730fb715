// SPDX-License-Identifier: BSD-3-Clause
/* The error of a search, corrected for the choice.
 *
 * The winner's error is the smallest of many, and therefore too small. Here each part of the held-out rows is measured
 * with the point that wins on the rows of the other parts, so that no row has a say in the choice of its own point
 * (Tibshirani, Tibshirani, Annals of Applied Statistics 3, 2009; Tsamardinos, Greasidou, Borboudakis, Machine Learning
 * 107, 2018). The held-out predictions of the search suffice: nothing is fitted again but thresholds. Nested
 * cross-validation (select/nested.h) also repeats the fits and the scaling, and takes as many searches as folds. */
#ifndef RUNG_SELECT_CORRECTED_H
#define RUNG_SELECT_CORRECTED_H

#include "select/tune_point.h"

/* After the search has chosen its winner. out->n = 0 where there is nothing to correct: a single point, a single fold
 * or no folds. */
rung_status corrected_metrics(rung_ctx *ctx, const tune_state *r, rung_metrics *out);

#endif
