// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_FIT_COPIES_FIT_H
#define RUNG_FIT_COPIES_FIT_H

#include "fit/heldout.h"

/* How much labels of equal rows say beyond the predictions g of a model: fills model->copies (model/copies.h) if they
 * say anything. plain: the probabilities of g before tempering, which decide ranks. Where equal rows are held out
 * apart, a held-out row has equals as a new one has, and g becomes what the model will say; where they are held out
 * together, it has none. Both errors are reported where they differ (mae_unlike: of rows that equal no labelled one;
 * mae_repeats: if new rows repeat labelled ones as often as these do). */
rung_status copies_fit(rung_ctx *ctx, const training *t, const double *plain, held_grades *g, rung_model *model);

/* The number of entries of the model's rule that are not those of the labelled rows. */
rung_status copies_differing(rung_ctx *ctx, const training *t, const rung_model *model, double *out);

#endif
