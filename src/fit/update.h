// SPDX-License-Identifier: BSD-3-Clause
/* Updates: the data a model keeps for them, and adding rows. */
#ifndef RUNG_FIT_UPDATE_H
#define RUNG_FIT_UPDATE_H

#include "fit/training.h"

/* Whether the data of such a fit can be kept; if not, an error. */
rung_status keep_check(rung_ctx *ctx, const rung_spec *spec);
/* The labelled rows of the training and the state of the fit into the model. */
rung_status keep_data(rung_ctx *ctx, const training *t, const fitted *fit, rung_model *model);

rung_status model_updatable(rung_ctx *ctx, const rung_model *model); /* or the reason why not */
rung_status method_update(rung_ctx *ctx, const rung_model *model, const rung_data *data, rung_model **out);

#endif
