// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>

#include "api/call.h"
#include "data/dataset.h"
#include "data/generate.h"
#include "data/splits.h"
#include "data/together.h"
#include "fit/open_files.h"
#include "input/encode/features.h"
#include "input/encode/labels.h"
#include "input/encode/whole_scale.h"

rung_status rung_data_open(rung_ctx *ctx, const rung_spec *spec, const rung_files *files,
                           const rung_read_options *options, const rung_encode_options *encode, rung_passes passes,
                           rung_data **out)
{
    NOTHING(out);
    if (!ctx || !spec || !files || !out) return missing(ctx, "rung_data_open");
    rung_read_options own;
    rung_encode_options coded;
    TRY(options_take(ctx, "rung_data_open", options, &own, sizeof own));
    TRY(options_take(ctx, "rung_data_open", encode, &coded, sizeof coded));
    CALL(ctx, open_files(ctx, spec, files, &own, &coded, passes, out));
}

rung_status rung_data_encode(rung_ctx *ctx, const rung_table *table, const rung_encode_options *options,
                             rung_data **out)
{
    NOTHING(out);
    if (!ctx || !table || !out) return missing(ctx, "rung_data_encode");
    rung_encode_options own;
    TRY(options_take(ctx, "rung_data_encode", options, &own, sizeof own));
    CALL(ctx, dataset_encode(ctx, table, &own, out));
}

rung_status rung_data_encode_like(rung_ctx *ctx, const rung_data *like, const rung_table *table, rung_labels labels,
                                  rung_data **out)
{
    NOTHING(out);
    if (!ctx || !like || !table || !out) return missing(ctx, "rung_data_encode_like");
    CALL(ctx, dataset_recode(ctx, table, &like->code, labels, out));
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

rung_status rung_data_set_groups(rung_ctx *ctx, rung_data *data, const int *group)
{
    if (!ctx || !data) return missing(ctx, "rung_data_set_groups");
    CALL(ctx, dataset_set_groups(ctx, data, group));
}

rung_status rung_data_set_names(rung_ctx *ctx, rung_data *data, const char *const *columns, const char *label,
                                const char *const *classes)
{
    if (!ctx || !data) return missing(ctx, "rung_data_set_names");
    CALL(ctx, dataset_set_names(ctx, data, columns, label, classes));
}

rung_status rung_data_set_chosen(rung_ctx *ctx, rung_data *data, const int *chosen)
{
    if (!ctx || !data) return missing(ctx, "rung_data_set_chosen");
    CALL(ctx, dataset_set_chosen(ctx, data, chosen));
}

rung_status rung_data_set_upper(rung_ctx *ctx, rung_data *data, const int *upper)
{
    if (!ctx || !data || !upper) return missing(ctx, "rung_data_set_upper");
    CALL(ctx, dataset_set_upper(ctx, data, upper));
}

rung_status rung_data_new_labels(rung_ctx *ctx, int64_t n, const char *const *labels, const char *order,
                                 rung_data **out)
{
    NOTHING(out);
    if (!ctx || !labels || !out) return missing(ctx, "rung_data_new_labels");
    CALL(ctx, dataset_of_labels(ctx, n, labels, order, out));
}

int rung_label_ranks(int classes, const char *const *names, const char *label, int *low, int *high)
{
    int from, to;
    if (classes < 1 || !names || !label || !label_ranks(classes, names, label, &from, &to)) return 0;
    if (low) *low = from;
    if (high) *high = to;
    return 1;
}

rung_status rung_labels_order(rung_ctx *ctx, int64_t n, const char *const *labels, char **out)
{
    NOTHING(out);
    if (!ctx || !labels || !out) return missing(ctx, "rung_labels_order");
    CALL(ctx, labels_order(ctx, n, labels, out));
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
        if ((*out)->upper) (*out)->upper[i] = 0;
        if ((*out)->target) (*out)->target[i] = NAN;
    }
    return n > 0 ? coding_fills(ctx, *out) : RUNG_OK; /* rows that are not among them teach it nothing */
}

rung_status rung_data_subset(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, const int *hidden,
                             rung_data **out)
{
    NOTHING(out);
    if (!ctx || !data || !rows || !out) return missing(ctx, "rung_data_subset");
    CALL(ctx, subset(ctx, data, n, rows, hidden, out));
}

/* Rows that are not counted are each by themselves. */
static rung_status together(rung_ctx *ctx, const rung_data *data, const char *rule, int *group)
{
    equal_rule how = EQUAL_AUTO;
    leaving t;
    int most = -1;
    if (rule && !equal_rule_parse(rule, &how))
        return set_error(ctx, RUNG_EARG, "equal_rows '%.40s': expected auto, together or apart", rule);
    TRY(data_together(ctx, data, how, &t));
    for (int64_t i = 0; t.group && i < data->n; i++) most = t.group[i] > most ? t.group[i] : most;
    for (int64_t i = 0; i < data->n; i++) group[i] = t.group && t.group[i] >= 0 ? t.group[i] : ++most;
    return RUNG_OK;
}

rung_status rung_data_together(rung_ctx *ctx, const rung_data *data, const char *equal_rows, int *group)
{
    if (!ctx || !data || !group) return missing(ctx, "rung_data_together");
    CALL(ctx, together(ctx, data, equal_rows, group));
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
int rung_data_in_passes(const rung_data *data) { return data->source != NULL; }
int64_t rung_data_all_rows(const rung_data *data) { return data->source ? data->source->n_rows : data->n; }

int64_t rung_data_all_count(const rung_data *data, int rank)
{
    int64_t count = 0;
    if (rank < 0 || rank > data->code.n_classes) return 0;
    if (data->source) return data->source->count[rank];
    for (int64_t i = 0; i < data->n; i++)
        count += data->y[i] == rank && (!data->upper || data->upper[i] == rank || rank == 0);
    return count;
}

int64_t rung_data_features(const rung_data *data) { return data->d; }
int rung_data_classes(const rung_data *data) { return data->code.n_classes; }
const int *rung_data_ranks(const rung_data *data) { return data->y; }
const int *rung_data_groups(const rung_data *data) { return data->group; }
const double *rung_data_weights(const rung_data *data) { return data->weight; }
const int *rung_data_chosen(const rung_data *data) { return data->chosen; }
const int *rung_data_uppers(const rung_data *data) { return data->upper; }
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
