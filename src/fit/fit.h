// SPDX-License-Identifier: BSD-3-Clause
/* The common driver: from a data set and a spec to a model, for every method. */
#ifndef RUNG_FIT_FIT_H
#define RUNG_FIT_FIT_H

#include "fit/proof.h"

rung_status method_fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_model **out);

/* Fits on all training rows and assembles the model, which has yet to be proved (proof.h). made: in scratch memory. */
rung_status method_build(rung_ctx *ctx, const rung_spec *spec, training *t, const folds *f, held_out *held,
                         made_fit *made, rung_model *model);
/* The second half of it, for a search that has held-out scores already (f, held; NULL: none): builds the model
 * and proves it. */
rung_status method_finish(rung_ctx *ctx, const rung_spec *spec, training *t, const folds *f, held_out *held,
                          rung_model **out);

/* Notes in the model how it was made, of rows `data`; before: the model that was updated with them, whose notes stay in
 * front; NULL: none (provenance.c). */
rung_status provenance_note(rung_ctx *ctx, const rung_model *before, const rung_data *data, rung_model *model);

#endif
