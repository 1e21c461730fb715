// SPDX-License-Identifier: BSD-3-Clause
/* Which rows to label next. */
#ifndef RUNG_SUGGEST_SUGGEST_H
#define RUNG_SUGGEST_SUGGEST_H

#include "fit/method.h"

struct rung_suggestion {
    pool mem;
    int64_t n;
    rung_suggested *rows; /* best first */
    bool has_forecast;
    rung_forecast forecast;
};

typedef struct {
    const rung_spec *spec;
    const rung_model *model; /* fitted to the data by the spec; NULL: to be fitted */
    const rung_data *data;
} suggest_input;

/* The whole of rung_suggest_run. */
rung_status suggest(rung_ctx *ctx, const suggest_input *in, const rung_suggest_options *options, rung_suggestion **out);
void suggestion_free(rung_suggestion *s);

#endif
