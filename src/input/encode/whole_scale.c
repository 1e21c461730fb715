// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/whole_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/encode/labels.h"
#include "input/encode/order.h"

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* *step 0: they are not all whole numbers, or too far apart. */
static rung_status find_step(rung_ctx *ctx, int n, const char *const *classes, int64_t **value, int64_t *step)
{
    static const double MOST = 1e15; /* whole numbers up to here are exact, and so are their differences */
    *step = 0;
    TRY(NEW(ctx, &ctx->scratch, *value, n));
    for (int k = 0; k < n; k++) {
        double x;
        if (!text_number(classes[k], strlen(classes[k]), '.', &x) || x != floor(x) || fabs(x) > MOST) {
            *step = 0;
            return RUNG_OK;
        }
        (*value)[k] = (int64_t)x;
        *step = divisor(*step, (*value)[k]);
    }
    if (n < 2 || (*value)[n - 1] - (*value)[0] >= *step * MOST_NUMERIC_CLASSES) *step = 0;
    return RUNG_OK;
}

static void tell(rung_ctx *ctx, int64_t added, const char *list, int64_t step)
{
    if (step == 1)
        log_at(ctx, RUNG_LOG_WARNING, "%s: no label is that number, but %s on the scale", list,
               added == 1 ? "it counts as a class" : "they count as classes");
    else
        log_at(ctx, RUNG_LOG_WARNING, "%s: no label is that number, but %s on the scale of steps of %lld", list,
               added == 1 ? "it counts as a class" : "they count as classes", (long long)step);
}

rung_status whole_scale(rung_ctx *ctx, pool *mem, int *n, const char ***classes)
{
    int64_t *value, step;
    char list[TABLE_LIST] = "";
    TRY(find_step(ctx, *n, *classes, &value, &step));
    int64_t all = step ? (value[*n - 1] - value[0]) / step + 1 : *n;
    if (all == *n) return RUNG_OK;
    const char **whole = NULL;
    TRY(NEW(ctx, mem, whole, all));
    for (int64_t k = 0, from = 0; k < all; k++) {
        char text[32];
        if (value[from] == value[0] + k * step) {
            whole[k] = (*classes)[from++];
            continue;
        }
        text_format((double)(value[0] + k * step), text);
        TRY(pool_text(ctx, mem, text, &whole[k]));
        table_list(list, ", ", text);
    }
    tell(ctx, all - *n, list, step);
    *n = (int)all;
    *classes = whole;
    return RUNG_OK;
}

/* A column of the labels. */
static rung_status table_of(rung_ctx *ctx, int64_t n, const char *const *labels, rung_table *t)
{
    int32_t *place = NULL;
    if (n > INT32_MAX) return set_error(ctx, RUNG_ELIMIT, "%lld labels are too many", (long long)n);
    TRY(NEW(ctx, &ctx->scratch, place, n));
    for (int64_t i = 0; i < n; i++) place[i] = (int32_t)i;
    return table_add_text(ctx, t, "label", place, labels, (int32_t)n, false);
}

rung_status labels_order(rung_ctx *ctx, int64_t n, const char *const *labels, char **order)
{
    rung_table *t;
    const char **classes, *text;
    const int64_t only = 0;
    int K;
    TRY(table_from_memory(ctx, n, &t));
    rung_status status = table_of(ctx, n, labels, t);
    if (status == RUNG_OK) status = labels_classes(ctx, &ctx->scratch, t, 1, &only, NULL, &K, &classes);
    table_free(t);
    TRY(status);
    TRY(whole_scale(ctx, &ctx->scratch, &K, &classes));
    TRY(order_text(ctx, K, classes, &text));
    *order = object_new(ctx, strlen(text) + 1);
    if (!*order) return set_error(ctx, RUNG_ENOMEM, "no memory for the order of %d classes", K);
    strcpy(*order, text);
    return RUNG_OK;
}
