// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_EXPLAIN_EFFECTS_H
#define RUNG_EXPLAIN_EFFECTS_H

#include "model/model.h"

/* See rung_effects_run; the report is malloc'ed. */
rung_status effects(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_effects_options *options,
                    char **report);

#endif
