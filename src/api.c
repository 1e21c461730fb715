// SPDX-License-Identifier: BSD-3-Clause
/* api.c - the functions of rung.h: check the arguments, enter, call, release the scratch memory, leave. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "data/generate.h"
#include "data/shift.h"
#include "eval/metrics.h"
#include "eval/real.h"
#include "eval/reliability.h"
#include "fit/fit.h"
#include "fit/update.h"
#include "fit/verify.h"
#include "read/read.h"
#include "select/curve.h"
#include "select/tune.h"

/* ---- entering and leaving ---- */

static void begin(rung_ctx *ctx)
{
    ctx->message[0] = 0;
    atomic_store(&ctx->interrupted, 0);
    la_enter();
}

static rung_status end(rung_ctx *ctx, rung_status status)
{
    pool_free_all(&ctx->scratch);
    la_leave();
    return status;
}

/* status = what the call between begin and end returns. */
#define CALL(ctx, expression)                                                                                          \
    do {                                                                                                               \
        begin(ctx);                                                                                                    \
        rung_status room_ = la_room(ctx);                                                                              \
        return end(ctx, room_ == RUNG_OK ? (expression) : room_);                                                      \
    } while (0)

/* The result of a failed call, also if an argument is missing. */
#define NOTHING(out)                                                                                                   \
    do {                                                                                                               \
        if (out) *(out) = NULL;                                                                                        \
    } while (0)

static rung_status missing(rung_ctx *ctx, const char *what)
{
    return ctx ? set_error(ctx, RUNG_EARG, "%s: a required argument is NULL", what) : RUNG_EARG;
}

/* ---- context ---- */

const char *rung_version(void) { return RUNG_VERSION; }
int rung_abi(void) { return RUNG_ABI; }
rung_status rung_ctx_new(rung_ctx **out) { return out ? context_new(out) : RUNG_EARG; }
void rung_ctx_free(rung_ctx *ctx) { context_free(ctx); }
const char *rung_ctx_message(const rung_ctx *ctx) { return ctx ? ctx->message : ""; }

const char *rung_status_name(rung_status status)
{
    static const char *const names[] = {
        [RUNG_OK] = "ok",
        [RUNG_ENOMEM] = "out of memory",
        [RUNG_EARG] = "bad argument",
        [RUNG_EDATA] = "unusable data",
        [RUNG_EIO] = "input/output error",
        [RUNG_EFORMAT] = "bad model file",
        [RUNG_ESINGULAR] = "singular matrix",
        [RUNG_ENOCONV] = "no convergence",
        [RUNG_ELIMIT] = "memory limit",
        [RUNG_EINTERRUPT] = "interrupted",
        [RUNG_EINTERNAL] = "internal error",
    };
    int i = (int)status, count = (int)(sizeof names / sizeof *names);
    return i >= 0 && i < count ? names[i] : "unknown status";
}

void rung_ctx_set_seed(rung_ctx *ctx, uint64_t seed) { ctx->seed = seed; }
void rung_ctx_set_threads(rung_ctx *ctx, int threads) { ctx->threads = threads > 0 ? threads : omp_get_num_procs(); }
void rung_ctx_set_memory(rung_ctx *ctx, int64_t bytes) { ctx->memory = bytes > 0 ? bytes : 0; }

void rung_ctx_set_log(rung_ctx *ctx, rung_log_fn *log, void *user)
{
    ctx->log = log;
    ctx->log_user = user;
}

void rung_ctx_set_progress(rung_ctx *ctx, rung_progress_fn *fn, void *user)
{
    ctx->progress = fn;
    ctx->progress_user = user;
}

void rung_ctx_interrupt(rung_ctx *ctx) { atomic_store(&ctx->interrupted, 1); }

int rung_ctx_counter(const rung_ctx *ctx, int index, rung_counter *out)
{
    const char *name = la_op_name(index);
    if (!name) return 0;
    *out = (rung_counter){name, ctx->ops[index].calls, ctx->ops[index].flops, ctx->ops[index].seconds};
    return 1;
}

/* ---- methods ---- */

const rung_method *rung_method_at(int index)
{
    if (index < 0) return NULL;
    for (int i = 0; method_table[i]; i++)
        if (i == index) return &method_table[i]->info;
    return NULL;
}

const rung_method *rung_method_find(const char *name)
{
    const method *m = name ? method_find(name) : NULL;
    return m ? &m->info : NULL;
}

/* Only entries of the table are rung_methods, and `info` is the first member of those. */
static const param_row *rows_of(const rung_method *m) { return ((const method *)m)->params; }

const rung_param *rung_method_param_at(const rung_method *m, int index)
{
    if (index < 0) return NULL;
    const param_row *row = rows_of(m);
    while (row->info.name && index-- > 0) row++;
    return row->info.name ? &row->info : NULL;
}

const rung_param *rung_method_param_find(const rung_method *m, const char *name)
{
    for (const param_row *row = rows_of(m); row->info.name; row++)
        if (strcmp(row->info.name, name) == 0) return &row->info;
    return NULL;
}

rung_status rung_spec_new(rung_ctx *ctx, const char *name, int as_published, rung_spec **out)
{
    NOTHING(out);
    if (!ctx || !name || !out) return missing(ctx, "rung_spec_new");
    CALL(ctx, spec_new(ctx, name, as_published != 0, out));
}

rung_status rung_spec_set(rung_ctx *ctx, rung_spec *spec, const char *name, const char *value)
{
    if (!ctx || !spec || !name || !value) return missing(ctx, "rung_spec_set");
    CALL(ctx, spec_set(ctx, spec, name, value));
}

rung_status rung_spec_set_scale(rung_ctx *ctx, rung_spec *spec, const char *scale)
{
    if (!ctx || !spec || !scale) return missing(ctx, "rung_spec_set_scale");
    CALL(ctx, spec_set_scale(ctx, spec, scale));
}

rung_status rung_spec_set_class_weight(rung_ctx *ctx, rung_spec *spec, const char *class_name, double weight)
{
    if (!ctx || !spec || !class_name) return missing(ctx, "rung_spec_set_class_weight");
    CALL(ctx, spec_set_weight(ctx, spec, class_name, weight));
}

rung_status rung_spec_set_keep_data(rung_ctx *ctx, rung_spec *spec, int keep)
{
    if (!ctx || !spec) return missing(ctx, "rung_spec_set_keep_data");
    CALL(ctx, spec_set_keep_data(ctx, spec, keep != 0));
}

rung_status rung_spec_set_baseline(rung_ctx *ctx, rung_spec *spec, int wanted)
{
    if (!ctx || !spec) return missing(ctx, "rung_spec_set_baseline");
    CALL(ctx, spec_set_baseline(ctx, spec, wanted != 0));
}

void rung_spec_free(rung_spec *spec) { spec_free(spec); }

/* ---- data ---- */

rung_status rung_table_read(rung_ctx *ctx, const char *path, const rung_read_options *options, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !path || !out) return missing(ctx, "rung_table_read");
    static const rung_read_options standard = {0};
    CALL(ctx, read_table(ctx, path, options ? options : &standard, out));
}

void rung_table_free(rung_table *table) { table_free(table); }
int64_t rung_table_rows(const rung_table *table) { return table->n_rows; }
int64_t rung_table_columns(const rung_table *table) { return table->n_columns; }

const char *rung_table_name(const rung_table *table, int64_t index)
{
    return index >= 0 && index < table->n_columns ? table->columns[index].name : "";
}

int64_t rung_table_cell(const rung_table *table, int64_t row, int64_t index, char *text, int64_t size)
{
    bool there = row >= 0 && row < table->n_rows && index >= 0 && index < table->n_columns;
    if (there) return table_cell(table, row, index, text, size);
    if (size > 0) text[0] = 0;
    return 0;
}

rung_status rung_table_new(rung_ctx *ctx, int64_t rows, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !out) return missing(ctx, "rung_table_new");
    CALL(ctx, table_from_memory(ctx, rows, out));
}

rung_status rung_table_add_numbers(rung_ctx *ctx, rung_table *table, const char *name, const double *v, int64_t step)
{
    if (!ctx || !table || !v) return missing(ctx, "rung_table_add_numbers");
    CALL(ctx, table_add_numbers(ctx, table, name, v, step));
}

rung_status rung_table_add_text(rung_ctx *ctx, rung_table *table, const char *name, const int32_t *code,
                                const char *const *values, int32_t n_values, int ordered)
{
    if (!ctx || !table || !code || (!values && n_values > 0)) return missing(ctx, "rung_table_add_text");
    CALL(ctx, table_add_text(ctx, table, name, code, values, n_values, ordered != 0));
}

rung_status rung_reader_open(rung_ctx *ctx, const char *path, const rung_read_options *options, const rung_model *model,
                             rung_reader **out)
{
    NOTHING(out);
    if (!ctx || !path || !out) return missing(ctx, "rung_reader_open");
    CALL(ctx, reader_open(ctx, path, options, model ? &model->code : NULL, out));
}

rung_status rung_reader_next(rung_ctx *ctx, rung_reader *reader, int64_t rows, rung_table **out)
{
    NOTHING(out);
    if (!ctx || !reader || !out) return missing(ctx, "rung_reader_next");
    CALL(ctx, reader_next(ctx, reader, rows, out));
}

void rung_reader_close(rung_reader *reader) { reader_close(reader); }

rung_status rung_data_encode(rung_ctx *ctx, const rung_table *table, const rung_encode_options *options,
                             rung_data **out)
{
    NOTHING(out);
    if (!ctx || !table || !out) return missing(ctx, "rung_data_encode");
    static const rung_encode_options standard = {0};
    CALL(ctx, dataset_encode(ctx, table, options ? options : &standard, out));
}

rung_status rung_data_new(rung_ctx *ctx, const rung_view *X, const int *rank, const double *weight, int classes,
                          rung_data **out)
{
    NOTHING(out);
    if (!ctx || !X || !X->v || !rank || !out) return missing(ctx, "rung_data_new");
    CALL(ctx, dataset_new(ctx, X, rank, weight, classes, out));
}

rung_status rung_data_new_real(rung_ctx *ctx, const rung_view *X, const double *target, const double *weight,
                               rung_data **out)
{
    NOTHING(out);
    if (!ctx || !X || !X->v || !target || !out) return missing(ctx, "rung_data_new_real");
    CALL(ctx, dataset_new_real(ctx, X, target, weight, out));
}

rung_status rung_data_set_names(rung_ctx *ctx, rung_data *data, const char *const *columns, const char *label,
                                const char *const *classes)
{
    if (!ctx || !data) return missing(ctx, "rung_data_set_names");
    CALL(ctx, dataset_set_names(ctx, data, columns, label, classes));
}

rung_status rung_data_generate(rung_ctx *ctx, const char *name, int64_t rows, double noise, double unlabelled,
                               rung_data **out)
{
    NOTHING(out);
    if (!ctx || !name || !out) return missing(ctx, "rung_data_generate");
    CALL(ctx, generate(ctx, name, rows, noise, unlabelled, out));
}

const char *rung_generator_at(int index, const char **help) { return generator_name(index, help); }

static rung_status subset(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, const int *hidden,
                          rung_data **out)
{
    if (n < 0) return set_error(ctx, RUNG_EARG, "a subset of %lld rows", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= data->n)
            return set_error(ctx, RUNG_EARG, "there is no row %lld (counted from 0) in a data set of %lld rows",
                             (long long)rows[i], (long long)data->n);
    TRY(dataset_subset(ctx, data, n, rows, out));
    for (int64_t i = 0; i < n && hidden; i++) {
        if (!hidden[i]) continue;
        (*out)->y[i] = 0;
        if ((*out)->target) (*out)->target[i] = NAN;
    }
    return RUNG_OK;
}

rung_status rung_data_subset(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, const int *hidden,
                             rung_data **out)
{
    NOTHING(out);
    if (!ctx || !data || !rows || !out) return missing(ctx, "rung_data_subset");
    CALL(ctx, subset(ctx, data, n, rows, hidden, out));
}

static rung_status hide(rung_ctx *ctx, int64_t n, int *rank, int classes, double share, int64_t keep)
{
    if (n < 0 || classes < 0)
        return set_error(ctx, RUNG_EARG, "%lld ranks of %d classes: neither number may be negative", (long long)n,
                         classes);
    if (keep > 0) return keep_labels(ctx, n, rank, classes, keep);
    if (!(share >= 0 && share <= 1))
        return set_error(ctx, RUNG_EARG, "a share of %g of the labels to hide: expected a number from 0 to 1", share);
    return hide_labels(ctx, n, rank, classes, share);
}

rung_status rung_ranks_hide(rung_ctx *ctx, int64_t n, int *rank, int classes, double share, int64_t keep)
{
    if (!ctx || !rank) return missing(ctx, "rung_ranks_hide");
    CALL(ctx, hide(ctx, n, rank, classes, share, keep));
}

void rung_data_free(rung_data *data) { dataset_free(data); }
int64_t rung_data_rows(const rung_data *data) { return data->n; }
int64_t rung_data_features(const rung_data *data) { return data->d; }
int rung_data_classes(const rung_data *data) { return data->code.n_classes; }
const int *rung_data_ranks(const rung_data *data) { return data->y; }
const int *rung_data_groups(const rung_data *data) { return data->group; }
const double *rung_data_targets(const rung_data *data) { return data->target; }

const char *rung_data_class_name(const rung_data *data, int rank)
{
    return rank >= 1 && rank <= data->code.n_classes ? data->code.classes[rank - 1] : "";
}

void rung_data_feature_name(const rung_data *data, int64_t index, char *text, int64_t size)
{
    if (size > 0) coding_feature_name(&data->code, index, text, (size_t)size);
}

rung_view rung_data_view(const rung_data *data)
{
    return (rung_view){.v = data->X, .n = data->n, .d = data->d, .row = data->d, .col = 1};
}

/* ---- fit and model ---- */

static rung_status fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_model **out)
{
    TRY(shift_warn(ctx, data));
    return method_fit(ctx, spec, data, out);
}

rung_status rung_model_fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_model **out)
{
    NOTHING(out);
    if (!ctx || !spec || !data || !out) return missing(ctx, "rung_model_fit");
    CALL(ctx, fit(ctx, spec, data, out));
}

static rung_status verify(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, const rung_model *model,
                          rung_condition *out, int *count)
{
    conditions found;
    TRY(method_verify(ctx, spec, data, model, &found));
    memcpy(out, found.all, (size_t)found.n * sizeof *out);
    *count = found.n;
    return RUNG_OK;
}

rung_status rung_model_verify(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, const rung_model *model,
                              rung_condition out[RUNG_MOST_CONDITIONS], int *count)
{
    if (count) *count = 0;
    if (!ctx || !spec || !data || !model || !out || !count) return missing(ctx, "rung_model_verify");
    CALL(ctx, verify(ctx, spec, data, model, out, count));
}

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

static rung_status tune_data(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, rung_model **out,
                          char **report)
{
    TRY(shift_warn(ctx, data));
    return tune(ctx, options, data, out, report);
}

rung_status rung_tune_run(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, rung_model **out,
                          char **report)
{
    NOTHING(out);
    NOTHING(report);
    if (!ctx || !data || !out || !report) return missing(ctx, "rung_tune_run");
    static const rung_tune_options standard = {0};
    CALL(ctx, tune_data(ctx, options ? options : &standard, data, out, report));
}

static rung_status label_curve(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data, char **report)
{
    TRY(shift_warn(ctx, data));
    return curve(ctx, options, data, report);
}

rung_status rung_curve_run(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data, char **report)
{
    NOTHING(report);
    if (!ctx || !data || !report) return missing(ctx, "rung_curve_run");
    static const rung_curve_options standard = {0};
    CALL(ctx, label_curve(ctx, options ? options : &standard, data, report));
}

void rung_model_free(rung_model *model) { model_free(model); }

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

int rung_model_classes(const rung_model *model) { return model->code.n_classes; }

const char *rung_model_class_name(const rung_model *model, int rank)
{
    return rank >= 1 && rank <= model->code.n_classes ? model->code.classes[rank - 1] : "";
}

int64_t rung_model_features(const rung_model *model) { return model->code.d; }
int rung_model_outputs(const rung_model *model) { return model_outputs(model); }
int rung_model_has_probabilities(const rung_model *model) { return model_has_probabilities(model); }
int rung_model_has_latent(const rung_model *model) { return model_has_latent(model); }
const char *rung_model_interval(const rung_model *model) { return model_interval(model); }
int rung_model_has_ranks(const rung_model *model) { return model_has_ranks(model); }
int rung_model_is_real(const rung_model *model) { return model->code.real; }
int64_t rung_model_training_rows(const rung_model *model) { return model->training.n; }

int rung_model_cv(const rung_model *model, rung_metrics *out)
{
    if (model->has_cv) *out = model->cv;
    return model->has_cv;
}

rung_status rung_model_describe(rung_ctx *ctx, const rung_model *model, char **json)
{
    NOTHING(json);
    if (!ctx || !model || !json) return missing(ctx, "rung_model_describe");
    CALL(ctx, model_describe(ctx, model, json));
}

void rung_free(char *text) { free(text); }

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
    CALL(ctx, model_predict(ctx, model, X, out));
}

rung_status rung_model_predict_training(rung_ctx *ctx, const rung_model *model, const rung_output *out)
{
    if (!ctx || !model || !out) return missing(ctx, "rung_model_predict_training");
    CALL(ctx, model_predict_training(ctx, model, out));
}

/* ---- metrics ---- */

rung_status rung_metrics_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth, const int *predicted,
                                 const double *proba, rung_metrics *out)
{
    if (!ctx || !truth || !predicted || !out) return missing(ctx, "rung_metrics_compute");
    CALL(ctx, metrics_compute(ctx, n, classes, truth, predicted, proba, out));
}

rung_status rung_reliability_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth, const double *proba,
                                     int bins, rung_reliability_bin *out, double *ece)
{
    if (!ctx || !truth || !proba || !out || !ece) return missing(ctx, "rung_reliability_compute");
    CALL(ctx, reliability_compute(ctx, n, classes, truth, proba, bins, out, ece));
}

rung_status rung_real_metrics_compute(rung_ctx *ctx, int64_t n, const double *truth, const double *predicted,
                                      rung_real_metrics *out)
{
    if (!ctx || !truth || !predicted || !out) return missing(ctx, "rung_real_metrics_compute");
    CALL(ctx, real_metrics_compute(ctx, n, truth, predicted, out));
}

static rung_status measure_table(rung_ctx *ctx, const rung_table *table, const char *truth, const char *predicted,
                                 const char *order, rung_metrics *out)
{
    rank_columns ranks = {0};
    TRY(rank_columns_new(ctx, table, truth, predicted, order, &ranks));
    return metrics_compute(ctx, table->n_rows, ranks.K, ranks.truth, ranks.predicted, NULL, out);
}

rung_status rung_metrics_compute_table(rung_ctx *ctx, const rung_table *table, const char *truth, const char *predicted,
                                       const char *order, rung_metrics *out)
{
    if (!ctx || !table || !truth || !predicted || !out) return missing(ctx, "rung_metrics_compute_table");
    CALL(ctx, measure_table(ctx, table, truth, predicted, order, out));
}
