// SPDX-License-Identifier: BSD-3-Clause
/* Names, groups and labels of data that come from memory instead of a file. */
#include <string.h>

#include "data/dataset.h"
#include "input/encode/labels.h"
#include "input/table/dictionary.h"

/* ---- chosen rows ---- */

rung_status dataset_set_chosen(rung_ctx *ctx, rung_data *data, const int *chosen)
{
    int *flags = NULL;
    if (chosen) {
        TRY(NEW_RAW(ctx, &data->mem, flags, data->n));
        for (int64_t i = 0; i < data->n; i++) flags[i] = chosen[i] != 0;
    }
    pool_free(&data->mem, data->chosen);
    data->chosen = flags;
    return RUNG_OK;
}

/* ---- names ---- */

static rung_status name_columns(rung_ctx *ctx, rung_data *data, const char *const *names)
{
    coding *code = &data->code;
    dictionary distinct = {0};
    for (int64_t j = 0; j < code->n_columns; j++) {
        int32_t index;
        if (!names[j] || !names[j][0]) return set_error(ctx, RUNG_EARG, "column %lld has no name", (long long)j + 1);
        TRY(dictionary_add(ctx, &ctx->scratch, &distinct, names[j], strlen(names[j]), &index));
        if (index < j) return set_error(ctx, RUNG_EARG, "two columns are named '%.80s'", names[j]);
        TRY(pool_text(ctx, &data->mem, names[j], &code->columns[j].name));
    }
    code->has_names = true;
    return RUNG_OK;
}

rung_status dataset_set_groups(rung_ctx *ctx, rung_data *data, const int *group)
{
    data->group_names = NULL; /* groups are called by their numbers */
    if (!group) {
        data->group = NULL;
        return RUNG_OK;
    }
    if (!data->group) TRY(NEW_RAW(ctx, &data->mem, data->group, data->n));
    memcpy(data->group, group, (size_t)data->n * sizeof *group);
    return RUNG_OK;
}

rung_status dataset_set_names(rung_ctx *ctx, rung_data *data, const char *const *columns, const char *label,
                              const char *const *classes)
{
    coding *code = &data->code;
    if (code->derive) return set_error(ctx, RUNG_EARG, "names are for data without derived columns");
    if (columns) TRY(name_columns(ctx, data, columns));
    if (label) TRY(pool_text(ctx, &data->mem, label, &code->label));
    for (int64_t j = 0; code->label[0] && j < code->n_columns; j++)
        if (strcmp(code->columns[j].name, code->label) == 0)
            return set_error(ctx, RUNG_EARG, "the label and column %lld are both named '%.80s'", (long long)j + 1,
                             code->label);
    if (!classes) return RUNG_OK;
    TRY(labels_check_order(ctx, code->n_classes, classes));
    for (int k = 0; k < code->n_classes; k++) TRY(pool_text(ctx, &data->mem, classes[k], &code->classes[k]));
    return RUNG_OK;
}

/* ---- intervals ---- */

rung_status dataset_set_upper(rung_ctx *ctx, rung_data *data, const int *upper)
{
    int K = data->code.n_classes;
    bool any = false;
    for (int64_t i = 0; i < data->n; i++) {
        if (data->y[i] == 0 && upper[i] == 0) continue;
        if (upper[i] < data->y[i] || upper[i] > K || data->y[i] < 1)
            return set_error(ctx, RUNG_EDATA, "row %lld: %d..%d is no interval of the ranks 1..%d", (long long)i + 1,
                             data->y[i], upper[i], K);
        any = any || (upper[i] > data->y[i] && (data->y[i] > 1 || upper[i] < K));
    }
    data->upper = NULL;
    if (any) TRY(NEW(ctx, &data->mem, data->upper, data->n));
    for (int64_t i = 0; i < data->n; i++) {
        if (data->y[i] == 1 && upper[i] == K && K > 1) data->y[i] = 0; /* any class: unlabelled */
        if (any) data->upper[i] = data->y[i] ? upper[i] : 0;
    }
    return RUNG_OK;
}
