// SPDX-License-Identifier: BSD-3-Clause
/* The learning curve of the labels there are, and its forecast. */
#ifndef RUNG_SUGGEST_LEARNING_H
#define RUNG_SUGGEST_LEARNING_H

#include "fit/method.h"

/* model: a fit to all labels. *there: false where there are too few labels, or none drawn at random, to hold rows out.
 */
rung_status learning_forecast(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, const rung_model *model,
                              int64_t more, bool *there, rung_forecast *out);

#endif
