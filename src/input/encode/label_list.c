// SPDX-License-Identifier: BSD-3-Clause
/* Labels that come as a list of texts, read as the cells of a label column. */
#include "data/dataset.h"
#include "input/encode/labels.h"
#include "input/encode/order.h"

/* A table of the labels and, as data need one, a column of zeros. */
static rung_status as_table(rung_ctx *ctx, int64_t n, const char *const *labels, rung_table *t)
{
    double *zeros = NULL;
    int32_t *code = NULL;
    const char **values = NULL;
    TRY(NEW(ctx, &ctx->scratch, zeros, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, code, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, values, n));
    for (int64_t i = 0; i < n; i++) {
        code[i] = labels[i] ? (int32_t)i : -1;
        values[i] = labels[i] ? labels[i] : "";
    }
    TRY(table_add_numbers(ctx, t, "zeros", zeros, 1));
    return table_add_text(ctx, t, "label", code, values, (int32_t)n, false);
}

/* Words without an order have no ranks: their classes alone are read. */
static rung_status read_list(rung_ctx *ctx, rung_table *t, const char *order, rung_data **out)
{
    const int64_t column_index = 1;
    const char **names;
    bool numbers = true;
    int n;
    if (!order) TRY(labels_are_numbers(ctx, t, column_index, &numbers));
    if (!numbers) {
        TRY(labels_named(ctx, t, 1, &column_index, &n, &names));
        TRY(order_text(ctx, n, names, &order));
        for (int64_t i = 0; i < t->n_rows; i++) t->columns[column_index].text[i] = -1;
    }
    return dataset_encode(ctx, t, &(rung_encode_options){.label = "label", .order = order}, out);
}

rung_status dataset_of_labels(rung_ctx *ctx, int64_t n, const char *const *labels, const char *order, rung_data **out)
{
    rung_table *t;
    *out = NULL;
    if (n < 1 || n > INT32_MAX) return set_error(ctx, RUNG_EARG, "a list of %lld labels", (long long)n);
    TRY(table_from_memory(ctx, n, &t));
    rung_status status = as_table(ctx, n, labels, t);
    if (status == RUNG_OK) status = read_list(ctx, t, order, out);
    table_free(t);
    return status;
}
