// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/rank_columns.h"

#include "input/encode/labels.h"
#include "input/encode/whole_scale.h"

rung_status rank_columns_new(rung_ctx *ctx, const rung_table *t, const char *truth, const char *predicted,
                             const char *order, rank_columns *out)
{
    int64_t columns[2];
    const char **names;
    TRY(table_find(ctx, t, truth, "truth", &columns[0]));
    TRY(table_find(ctx, t, predicted, "predicted", &columns[1]));
    TRY(labels_classes(ctx, &ctx->scratch, t, 2, columns, order, &out->K, &names));
    if (!order) TRY(whole_scale(ctx, &ctx->scratch, &out->K, &names));
    TRY(NEW(ctx, &ctx->scratch, out->truth, t->n_rows));
    TRY(NEW(ctx, &ctx->scratch, out->predicted, t->n_rows));
    TRY(labels_ranks(ctx, t, columns[0], out->K, names, &ctx->scratch, out->truth, &out->upper));
    return labels_ranks(ctx, t, columns[1], out->K, names, &ctx->scratch, out->predicted, NULL);
}
