// SPDX-License-Identifier: BSD-3-Clause
/* The error by number of labels, with and without the unlabelled rows. */
#ifndef RUNG_SELECT_CURVE_H
#define RUNG_SELECT_CURVE_H

#include "fit/training.h"

/* The whole of rung_curve_run; the report is malloc'ed. */
rung_status curve(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data, char **report);

#endif
