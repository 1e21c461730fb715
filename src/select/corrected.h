// SPDX-License-Identifier: BSD-3-Clause
/* The error of a search, corrected for its choice. */
#ifndef RUNG_SELECT_CORRECTED_H
#define RUNG_SELECT_CORRECTED_H

#include "select/nested.h"

/* winner: what the search s of the data reports of its winner. nested: of nested cross-validation, where that was run;
 * else NULL, and a short one is run here. out->n = 0: there is no choice to correct, or too few labels to repeat it. */
rung_status corrected_metrics(rung_ctx *ctx, const search *s, const rung_data *data, const rung_metrics *winner,
                              const nested_result *nested, rung_metrics *out);

#endif
