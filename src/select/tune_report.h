// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_SELECT_TUNE_REPORT_H
#define RUNG_SELECT_TUNE_REPORT_H

#include "select/tune.h"

typedef char point_name[256]; /* method and parameters, as text */

void point_describe(const rung_spec *spec, const rung_tune_options *o, point_name text);

struct nested_result;
/* n: NULL without nested cross-validation; *out is malloc'ed. */
rung_status tune_report(rung_ctx *ctx, const search *s, const struct nested_result *n, const rung_model *model,
                        char **out);

#endif
