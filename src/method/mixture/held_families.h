// SPDX-License-Identifier: BSD-3-Clause
/* Predictions of labelled rows by families that did not see their fold. Leave-one-out in closed form is honest as long
 * as nothing else has seen the labels; the weights of the columns have, and trees have no closed form. */
#ifndef RUNG_METHOD_MIXTURE_HELD_FAMILIES_H
#define RUNG_METHOD_MIXTURE_HELD_FAMILIES_H

#include "method/boost/stacked.h"
#include "method/mixture/candidates.h"

/* Some rows, listed, as trees see them; classes without rows are removed. */
rung_status binned_rows_some(rung_ctx *ctx, const boost_rows *all, int64_t n, const int64_t *rows, boost_rows *out);

/* P (l x (K - 1) by rows): P(y > q) by each family of kernels, with weights of the columns learned without the fold.
 * NULL: the family has no candidate. binned: the labelled rows of the candidates; f: folds of them.
 * within (or NULL: all count): candidates with next to no weight in their family are left out. */
rung_status held_kernels(rung_ctx *ctx, const candidates *c, const double *within, const boost_rows *binned,
                         const folds *f, double *P[SPACES][2]);

#endif
