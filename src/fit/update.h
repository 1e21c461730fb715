// SPDX-License-Identifier: BSD-3-Clause
/* Models that new rows can join: what is kept for it, and the joining. */
#ifndef RUNG_FIT_UPDATE_H
#define RUNG_FIT_UPDATE_H

#include "fit/training.h"

/* Whether the data of such a fit can be kept; refused with a sentence. */
rung_status keep_check(rung_ctx *ctx, const rung_spec *spec);
/* The labelled rows of the training and the state of the fit into the model. */
rung_status keep_data(rung_ctx *ctx, const training *t, const fitted *fit, rung_model *model);

rung_status model_updatable(rung_ctx *ctx, const rung_model *model); /* or the reason why not */
rung_status method_update(rung_ctx *ctx, const rung_model *model, const rung_data *data, rung_model **out);

#endif
