// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_EXPLAIN_IMPORTANCE_H
#define RUNG_EXPLAIN_IMPORTANCE_H

#include "fit/method.h"

struct rung_importance {
    pool mem;
    rung_importance_summary about;
    int n;
    rung_permuted *permuted;
};

/* The whole of rung_importance_run and rung_importance_held_out. */
rung_status importance(rung_ctx *ctx, const rung_model *m, const rung_data *data,
                       const rung_importance_options *options, rung_importance **out);
rung_status importance_held_out(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                const rung_importance_options *options, rung_importance **out);

#endif
