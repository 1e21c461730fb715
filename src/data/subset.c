// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "data/intervals.h"

static rung_status group_names_copy(rung_ctx *ctx, pool *mem, const rung_data *from, rung_data *to)
{
    if (!from->group_names) return RUNG_OK;
    TRY(NEW(ctx, mem, to->group_names, from->n_group_names));
    to->n_group_names = from->n_group_names;
    for (int g = 0; g < from->n_group_names; g++)
        if (from->group_names[g]) TRY(pool_text(ctx, mem, from->group_names[g], &to->group_names[g]));
    return RUNG_OK;
}

static rung_status copy_rows(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, rung_data *out)
{
    out->n = n;
    out->d = data->d;
    TRY(coding_copy(ctx, &out->mem, &data->code, &out->code));
    TRY(NEW_RAW(ctx, &out->mem, out->X, data->d * n));
    int64_t cells = data->cells ? coding_cells(&data->code)->d : 0;
    if (cells) TRY(NEW_RAW(ctx, &out->mem, out->cells, cells * n));
    TRY(NEW(ctx, &out->mem, out->y, n));
    if (data->weight) TRY(NEW(ctx, &out->mem, out->weight, n));
    if (data->target) TRY(NEW(ctx, &out->mem, out->target, n));
    if (data->group) TRY(NEW(ctx, &out->mem, out->group, n));
    TRY(group_names_copy(ctx, &out->mem, data, out));
    if (data->chosen) TRY(NEW(ctx, &out->mem, out->chosen, n));
    bool intervals = false;
    for (int64_t i = 0; i < n && !intervals; i++) intervals = is_interval(data->y, data->upper, rows[i]);
    if (intervals) TRY(NEW(ctx, &out->mem, out->upper, n));
    for (int64_t i = 0; i < n; i++) {
        memcpy(out->X + i * data->d, data->X + rows[i] * data->d, (size_t)data->d * sizeof *out->X);
        if (cells) memcpy(out->cells + i * cells, data->cells + rows[i] * cells, (size_t)cells * sizeof *out->cells);
        out->y[i] = data->y[rows[i]];
        if (intervals) out->upper[i] = data->upper[rows[i]];
        if (data->weight) out->weight[i] = data->weight[rows[i]];
        if (data->target) out->target[i] = data->target[rows[i]];
        if (data->group) out->group[i] = data->group[rows[i]];
        if (data->chosen) out->chosen[i] = data->chosen[rows[i]];
    }
    return RUNG_OK;
}

rung_status dataset_subset(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, rung_data **out)
{
    *out = object_new(ctx, sizeof **out);
    if (!*out) return set_error(ctx, RUNG_ENOMEM, "out of memory: a subset of the data");
    rung_status status = copy_rows(ctx, data, n, rows, *out);
    if (status != RUNG_OK) {
        dataset_free(*out);
        *out = NULL;
    }
    return status;
}
