// SPDX-License-Identifier: BSD-3-Clause
#include "fit/bare.h"

#include <stdio.h>
#include <string.h>

rung_status bare_check(rung_ctx *ctx, const rung_spec *spec)
{
    if (spec->keep_data)
        return set_error(ctx, RUNG_EARG, "a model cannot keep its data for an update and contain no training row");
    if (spec->scale != SCALE_RANK && spec->scale != SCALE_MINMAX) return RUNG_OK;
    return hint(ctx,
                set_error(ctx, RUNG_EARG,
                          "the scaling %s stores values of the training rows in the model; for one without rows choose "
                          "standard, relevance or none",
                          scale_name(spec->scale)),
                "option scale");
}

/* Two decimal digits of it, at most, are below the standard deviation. */
static double rounded(double x, double deviation)
{
    double unit = pow(10, floor(log10(deviation)) - 1);
    return deviation > 0 && isfinite(unit) && unit > 0 ? unit * round(x / unit) : x;
}

static double deviation_of(const rung_data *data, int64_t coded)
{
    double n = 0, mean = 0, squares = 0;
    for (int64_t i = 0; i < data->n; i++) {
        double x = data->X[i * data->d + coded], step = x - mean;
        if (isnan(x)) continue;
        mean += step / ++n;
        squares += step * (x - mean);
    }
    return n > 1 ? sqrt(squares / n) : 0;
}

rung_status bare_data(rung_ctx *ctx, const rung_data **data)
{
    rung_data *own = NULL;
    column_code *columns = NULL;
    const coding *code = &(*data)->code;
    if (code->derive) return RUNG_OK; /* whose means and products the numbers of the rows have gone into already */
    TRY(NEW(ctx, &ctx->scratch, own, 1));
    TRY(NEW(ctx, &ctx->scratch, columns, code->n_columns));
    *own = **data;
    own->code.columns = columns;
    for (int64_t j = 0; j < code->n_columns; j++) {
        columns[j] = code->columns[j];
        if (!columns[j].nominal) columns[j].fill = rounded(columns[j].fill, deviation_of(*data, columns[j].first));
    }
    *data = own;
    return RUNG_OK;
}

rung_status bare_prove(rung_ctx *ctx, const rung_spec *spec, const rung_model *model)
{
    char able[256] = "";
    if (model_stored_rows(model) == 0 && model->training.n == 0) return RUNG_OK;
    for (int i = 0; method_table[i]; i++) {
        size_t used = strlen(able);
        if (method_table[i]->info.flags & RUNG_METHOD_NO_ROWS)
            snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "", method_table[i]->info.name);
    }
    return set_error(ctx, RUNG_EARG, "this %s model contains training rows; methods whose models need none: %s",
                     spec->method->info.name, able);
}
