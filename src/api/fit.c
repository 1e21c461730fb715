// SPDX-License-Identifier: BSD-3-Clause
/* Fits, verification, updates. */
#include "fit/fit.h"
#include "api/call.h"
#include "data/kin.h"
#include "data/shift.h"
#include "fit/update.h"
#include "fit/verify.h"

static rung_status fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_model **out)
{
    TRY(shift_warn(ctx, data));
    TRY(kin_warn(ctx, data));
    return method_fit(ctx, spec, data, out);
}

rung_status rung_model_fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_model **out)
{
    NOTHING(out);
    if (!ctx || !spec || !data || !out) return missing(ctx, "rung_model_fit");
    CALL(ctx, fit(ctx, spec, data, out));
}

rung_status rung_model_verify(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, const rung_model *model,
                              rung_verification **out)
{
    NOTHING(out);
    if (!ctx || !spec || !data || !model || !out) return missing(ctx, "rung_model_verify");
    CALL(ctx, method_verify(ctx, spec, data, model, out));
}

const rung_condition *rung_verification_at(const rung_verification *v, int index)
{
    return index >= 0 && index < v->n ? &v->all[index] : NULL;
}

void rung_verification_free(rung_verification *v) { verification_free(v); }

rung_status rung_model_update(rung_ctx *ctx, const rung_model *model, const rung_data *data, rung_model **out)
{
    NOTHING(out);
    if (!ctx || !model || !data || !out) return missing(ctx, "rung_model_update");
    CALL(ctx, method_update(ctx, model, data, out));
}

rung_status rung_model_updatable(rung_ctx *ctx, const rung_model *model)
{
    if (!ctx || !model) return missing(ctx, "rung_model_updatable");
    CALL(ctx, model_updatable(ctx, model));
}

static rung_status saw(rung_ctx *ctx, const rung_model *model, const rung_data *data, int *out)
{
    bool seen;
    TRY(model_saw(ctx, model, data, &seen));
    *out = seen;
    return RUNG_OK;
}

rung_status rung_model_fitted_to(rung_ctx *ctx, const rung_model *model, const rung_data *data, int *out)
{
    if (!ctx || !model || !data || !out) return missing(ctx, "rung_model_fitted_to");
    *out = 0;
    CALL(ctx, saw(ctx, model, data, out));
}
