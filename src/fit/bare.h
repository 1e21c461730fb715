// SPDX-License-Identifier: BSD-3-Clause
/* Models without training rows (rung_spec_set_keep_rows): what they may not contain, decided by what they do contain,
 * and the one statistic that would be a value of a row. */
#ifndef RUNG_FIT_BARE_H
#define RUNG_FIT_BARE_H

#include "fit/method.h"

/* Before the fit: scalings that store values of the columns. */
rung_status bare_check(rung_ctx *ctx, const rung_spec *spec);
/* The same data, where the fill value of a column is not its median, which is the value of a row, but a rounded one:
 * to a hundredth or more of the column's standard deviation. Scratch memory. */
rung_status bare_data(rung_ctx *ctx, const rung_data **data);
/* After the fit. RUNG_EARG: the model contains rows, or predictions for them. */
rung_status bare_prove(rung_ctx *ctx, const rung_spec *spec, const rung_model *model);

#endif
