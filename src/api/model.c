// SPDX-License-Identifier: BSD-3-Clause
#include "model/model.h"

#include <string.h>

#include "api/call.h"

void rung_model_free(rung_model *model) { model_free(model); }

/* ---- what is in it ---- */

const char *rung_model_method(const rung_model *model) { return model->method; }

const char *rung_model_param_at(const rung_model *model, int index, const char **value)
{
    if (index < 0 || index >= model->n_params) return NULL;
    if (value) *value = model->params[index].value;
    return model->params[index].name;
}

const char *rung_model_param(const rung_model *model, const char *name)
{
    for (int i = 0; i < model->n_params; i++)
        if (strcmp(model->params[i].name, name) == 0) return model->params[i].value;
    return NULL;
}

int rung_model_classes(const rung_model *model) { return model->code.n_classes; }

const char *rung_model_class_name(const rung_model *model, int rank)
{
    return rank >= 1 && rank <= model->code.n_classes ? model->code.classes[rank - 1] : "";
}

int rung_model_class_present(const rung_model *model, int rank)
{
    for (int i = 0; i < model->n_present; i++)
        if (model->present[i] == rank) return 1;
    return 0;
}

int rung_model_is_real(const rung_model *model) { return model->code.real; }
int64_t rung_model_rows(const rung_model *model) { return model->n_rows; }
int64_t rung_model_labelled(const rung_model *model) { return model->n_labelled; }
int64_t rung_model_features(const rung_model *model) { return model->code.d; }
int64_t rung_model_columns(const rung_model *model) { return model->code.n_columns; }

const char *rung_model_column(const rung_model *model, int64_t index, int *is_text)
{
    bool there = index >= 0 && index < model->code.n_columns;
    if (is_text) *is_text = there && model->code.columns[index].nominal;
    return there && model->code.columns[index].name ? model->code.columns[index].name : "";
}

const char *rung_model_label(const rung_model *model) { return model->code.label ? model->code.label : ""; }
const char *rung_model_scale(const rung_model *model) { return scale_name(model->members[0].scale.kind); }
int rung_model_outputs(const rung_model *model) { return model_outputs(model); }
int rung_model_has_ranks(const rung_model *model) { return model_has_ranks(model); }
int rung_model_has_probabilities(const rung_model *model) { return model_has_probabilities(model); }
int rung_model_has_latent(const rung_model *model) { return model_has_latent(model); }
const char *rung_model_decision(const rung_model *model) { return model_decision(model); }
const char *rung_model_interval(const rung_model *model) { return model_interval(model); }

int rung_model_thresholds(const rung_model *model, int room, double *out)
{
    int n = model_has_thresholds(model) ? model->members[0].decide.K - 1 : 0;
    for (int q = 1; q <= n && q <= room; q++) out[q - 1] = model_threshold(model, q);
    return n;
}

int64_t rung_model_means(const rung_model *model, int64_t room, double *out)
{
    const member *one = &model->members[0];
    int64_t n = model_has_means(model) ? (int64_t)one->decide.K * one->score.outputs : 0;
    for (int64_t i = 0; i < n && i < room; i++) out[i] = one->decide.means[i];
    return n;
}

int rung_model_calibration(const rung_model *model, double *slope, int room, double *cuts)
{
    const member *one = &model->members[0];
    if (model_averages(model) || one->proba != PROBA_CALIBRATION) return 0;
    if (slope) *slope = one->cal.a;
    for (int q = 0; q < one->cal.K - 1 && q < room; q++) cuts[q] = one->cal.c[q];
    return one->cal.K - 1;
}

const char *rung_model_report_at(const rung_model *model, int index, const double **values, int64_t *count)
{
    if (index < 0 || index >= model->n_report) return NULL;
    *values = model->report[index].value;
    *count = model->report[index].n;
    return model->report[index].name;
}

int64_t rung_model_training_rows(const rung_model *model) { return model->training.n; }

int rung_model_cv(const rung_model *model, rung_metrics *out)
{
    if (!model->has_cv || !result_fits(out)) return 0;
    result_give(&model->cv, sizeof model->cv, out);
    return 1;
}

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

rung_status rung_model_encode(rung_ctx *ctx, const rung_model *model, const rung_table *table, int labels,
                              rung_data **out)
{
    NOTHING(out);
    if (!ctx || !model || !table || !out) return missing(ctx, "rung_model_encode");
    CALL(ctx, dataset_recode(ctx, table, &model->code, labels, out));
}

rung_status rung_model_predict(rung_ctx *ctx, const rung_model *model, const rung_view *X, const rung_output *out)
{
    if (!ctx || !model || !X || !out || (!X->v && X->n > 0)) return missing(ctx, "rung_model_predict");
    rung_output own;
    TRY(options_take(ctx, "rung_model_predict", out, &own, sizeof own));
    CALL(ctx, model_predict(ctx, model, X, &own));
}

rung_status rung_model_predict_training(rung_ctx *ctx, const rung_model *model, const rung_output *out)
{
    if (!ctx || !model || !out) return missing(ctx, "rung_model_predict_training");
    rung_output own;
    TRY(options_take(ctx, "rung_model_predict_training", out, &own, sizeof own));
    CALL(ctx, model_predict_training(ctx, model, &own));
}
