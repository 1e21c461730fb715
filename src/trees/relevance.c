// SPDX-License-Identifier: BSD-3-Clause
#include "trees/relevance.h"

#include <math.h>

enum { SEEDS = 3, ROUNDS = 40, FEW = 150 };
static const double SHARE = 0.9, POWER = 0.75;
#define RELEVANCE_STREAM UINT64_C(0x72656c65)

/* Small trees on samples of rows and columns: many columns get a chance, none is followed far. */
static boost_rules rules_for(int64_t n)
{
    int size = n < FEW ? 4 : 8;
    return (boost_rules){.tree = {.leaves = size, .min_rows = size, .l2 = 1, .columns = 0.5}, .rate = 0.1, .rows = 0.7};
}

/* Adds the gain of each column of the table. */
static rung_status add_gains(rung_ctx *ctx, const boost_rows *data, int seed, double *gain)
{
    pool_mark mark = pool_here(&ctx->scratch);
    boost_rules rules = rules_for(data->n);
    boosting *b = NULL;
    forest trees;
    TRY(forest_new(ctx, &ctx->scratch, 1, data->b, &trees));
    TRY(boosting_new(ctx, &ctx->scratch, data, NULL, &rules, RELEVANCE_STREAM + (uint64_t)seed, 1, &b));
    for (int t = 0; t < ROUNDS; t++) TRY(boosting_round(ctx, b, &ctx->scratch, 1, &trees));
    for (int64_t c = 0; c < data->b->n_columns; c++) gain[c] += forest_gain(&trees, c);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The coded columns of column c of the table end before this one. */
static int64_t end_of(const coding *code, int64_t c)
{
    return c + 1 < code->n_columns ? code->columns[c + 1].first : code->d;
}

/* Coded columns of those that vary: another constant column is no reason to divide anything differently. */
static double coded_varying(const tree_bins *b)
{
    double d = 0;
    for (int64_t c = 0; c < b->n_columns; c++)
        if (b->varies[c]) d += (double)(end_of(b->code, c) - b->code->columns[c].first);
    return fmax(d, 1);
}

rung_status relevance_weights(rung_ctx *ctx, const boost_rows *data, double *w)
{
    const coding *code = data->b->code;
    pool_mark mark = pool_here(&ctx->scratch);
    double *gain = NULL, total = 0, square = 0, d = coded_varying(data->b);
    TRY(NEW(ctx, &ctx->scratch, gain, data->b->n_columns));
    for (int seed = 0; seed < SEEDS && data->K > 1; seed++) TRY(add_gains(ctx, data, seed, gain));
    for (int64_t c = 0; c < data->b->n_columns; c++) total += gain[c];
    for (int64_t c = 0; c < code->n_columns; c++) {
        int64_t first = code->columns[c].first, end = end_of(code, c);
        double share = total > 0 ? gain[c] / total / (double)(end - first) : 1 / d;
        for (int64_t j = first; j < end; j++) {
            w[j] = pow(SHARE * share * d + 1 - SHARE, POWER);
            if (data->b->varies[c]) square += w[j] * w[j];
        }
    }
    for (int64_t j = 0; j < code->d && square > 0; j++) w[j] /= sqrt(square / d);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status relevance_of_rows(rung_ctx *ctx, const tree_table *t, const relevance_rows *r, double *w)
{
    pool_mark mark = pool_here(&ctx->scratch);
    tree_bins bins;
    boost_rows binned = {.b = &bins, .n = r->n, .K = r->K, .y = r->y, .upper = r->upper, .w = r->w};
    TRY(bins_new(ctx, &ctx->scratch, t, &bins));
    TRY(codes_new(ctx, &ctx->scratch, &bins, t, r->n, r->rows, &binned.codes));
    TRY(relevance_weights(ctx, &binned, w));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
