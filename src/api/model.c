// SPDX-License-Identifier: BSD-3-Clause
/* Models: files, rows, predictions. What a model contains is in contents.c. */
#include "model/model.h"

#include "api/call.h"
#include "export/export.h"

void rung_model_free(rung_model *model) { model_free(model); }

/* ---- files ---- */

rung_status rung_model_save(rung_ctx *ctx, const rung_model *model, const char *path)
{
    if (!ctx || !model || !path) return missing(ctx, "rung_model_save");
    CALL(ctx, model_save(ctx, model, path));
}

rung_status rung_model_load(rung_ctx *ctx, const char *path, rung_model **out)
{
    NOTHING(out);
    if (!ctx || !path || !out) return missing(ctx, "rung_model_load");
    CALL(ctx, model_load(ctx, path, out));
}

rung_status rung_model_save_memory(rung_ctx *ctx, const rung_model *model, char **bytes, int64_t *size)
{
    NOTHING(bytes);
    if (!ctx || !model || !bytes || !size) return missing(ctx, "rung_model_save_memory");
    CALL(ctx, model_to_memory(ctx, model, bytes, size));
}

rung_status rung_model_load_memory(rung_ctx *ctx, const char *bytes, int64_t size, rung_model **out)
{
    NOTHING(out);
    if (!ctx || !bytes || !out) return missing(ctx, "rung_model_load_memory");
    CALL(ctx, model_from_memory(ctx, bytes, size, out));
}

/* ---- calls ---- */

rung_status rung_model_describe(rung_ctx *ctx, const rung_model *model, char **json)
{
    NOTHING(json);
    if (!ctx || !model || !json) return missing(ctx, "rung_model_describe");
    CALL(ctx, model_describe(ctx, model, json));
}

rung_status rung_model_encode(rung_ctx *ctx, const rung_model *model, const rung_table *table, rung_labels labels,
                              rung_data **out)
{
    NOTHING(out);
    if (!ctx || !model || !table || !out) return missing(ctx, "rung_model_encode");
    CALL(ctx, dataset_recode(ctx, table, &model->code, labels, out));
}

rung_status rung_model_predict(rung_ctx *ctx, const rung_model *model, const rung_view *X,
                               const rung_predict_options *options, const rung_output *out)
{
    if (!ctx || !model || !X || !out || (!X->v && X->n > 0)) return missing(ctx, "rung_model_predict");
    rung_predict_options how;
    rung_output own;
    TRY(options_take(ctx, "rung_model_predict", options, &how, sizeof how));
    TRY(options_take(ctx, "rung_model_predict", out, &own, sizeof own));
    CALL(ctx, model_predict(ctx, model, X, &how, &own));
}

rung_status rung_model_predict_training(rung_ctx *ctx, const rung_model *model, const rung_predict_options *options,
                                        const rung_output *out)
{
    if (!ctx || !model || !out) return missing(ctx, "rung_model_predict_training");
    rung_predict_options how;
    rung_output own;
    TRY(options_take(ctx, "rung_model_predict_training", options, &how, sizeof how));
    TRY(options_take(ctx, "rung_model_predict_training", out, &own, sizeof own));
    CALL(ctx, model_predict_training(ctx, model, &how, &own));
}

rung_status rung_model_export(rung_ctx *ctx, const rung_model *model, const char *target,
                              const rung_export_options *options, char **bytes, int64_t *size)
{
    NOTHING(bytes);
    if (!ctx || !model || !target || !bytes || !size) return missing(ctx, "rung_model_export");
    rung_export_options how;
    TRY(options_take(ctx, "rung_model_export", options, &how, sizeof how));
    CALL(ctx, model_export(ctx, model, target, &how, bytes, size));
}

const char *rung_export_target(int index) { return export_target(index); }

int64_t rung_model_export_rows(const rung_model *model) { return model ? model_expansion_rows(model) : 0; }
