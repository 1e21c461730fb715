// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_EXPLAIN_EFFECTS_H
#define RUNG_EXPLAIN_EFFECTS_H

#include "model/model.h"

struct rung_effects {
    pool mem;
    rung_effects_summary about;
    int n;
    rung_effect *column;
};

/* The whole of rung_effects_run. */
rung_status effects(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_effects_options *options,
                    rung_effects **out);

#endif
