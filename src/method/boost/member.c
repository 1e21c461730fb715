// SPDX-License-Identifier: BSD-3-Clause
/* From a number of rounds to the trees of a model. */
#include <string.h>

#include "method/boost/boost.h"

rung_status boost_rows_new(rung_ctx *ctx, pool *mem, const problem *p, boost_rows *out)
{
    tree_table table = {.code = p->code, .cells = p->cells, .n_rows = p->n_cells};
    tree_bins *bins = NULL;
    uint8_t *code = NULL;
    TRY(NEW(ctx, mem, bins, 1));
    TRY(bins_new(ctx, mem, &table, bins));
    TRY(NEW_RAW(ctx, mem, code, p->n * bins->n_columns));
    bins_apply(ctx, bins, &table, p->n, p->origin, code);
    *out = (boost_rows){.b = bins, .code = code, .n = p->n, .K = p->K, .y = p->y, .w = p->w};
    return RUNG_OK;
}

/* All rows, this number of rounds, for each seed. Functions are averaged, and the thresholds fitted to the average. */
static rung_status grow_model(rung_ctx *ctx, pool *mem, const boost_fit_state *s, int rounds, scorer *out,
                              double *thresholds)
{
    int64_t size = s->rows.n * out->outputs;
    double *mean = NULL;
    TRY(NEW(ctx, &ctx->scratch, mean, size));
    for (int seed = 0; seed < s->seeds; seed++) {
        pool_mark mark = pool_here(&ctx->scratch);
        boosting *b = NULL;
        TRY(boosting_new(ctx, &ctx->scratch, &s->rows, NULL, &s->rules, boost_stream(seed),
                         boost_threads(ctx, &s->rows), &b));
        for (int t = 1; t <= rounds; t++) {
            TRY(interrupted(ctx));
            TRY(boosting_round(ctx, b, mem, s->seeds, &out->trees));
            progress(ctx, "fitting", (double)(seed * rounds + t) / ((double)s->seeds * rounds));
        }
        for (int64_t i = 0; i < size; i++) mean[i] += b->f[i] / s->seeds;
        for (int o = 0; o < out->outputs; o++) out->bias[o] = b->start[o];
        if (seed + 1 == s->seeds && thresholds) {
            memcpy(b->f, mean, (size_t)size * sizeof *mean);
            boosting_thresholds(b);
            memcpy(thresholds, b->link.t, (size_t)(s->rows.K - 1) * sizeof *thresholds);
        }
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

rung_status boost_member(rung_ctx *ctx, pool *mem, const boost_rows *rows, const boost_rules *rules, int seeds,
                         int rounds, member *out)
{
    boost_fit_state s = {.rules = *rules, .seeds = seeds, .rows = *rows};
    scorer *score = &out->score;
    double *b = NULL;
    *out = (member){.decide = {.kind = DECISION_MEDIAN, .K = rows->K},
                    .proba = rules->nominal ? PROBA_SOFTMAX : PROBA_PROBIT};
    *score = (scorer){.kind = SCORER_TREES, .outputs = rules->nominal ? rows->K : 1, .d = rows->b->code->d};
    TRY(NEW(ctx, mem, score->bias, score->outputs));
    if (!rules->nominal) TRY(NEW(ctx, mem, b, rows->K - 1));
    TRY(forest_new(ctx, mem, score->outputs, rows->b, &score->trees));
    TRY(grow_model(ctx, mem, &s, rounds, score, b));
    TRY(forest_ready(ctx, mem, rows->b->code, &score->trees));
    score->m = score->trees.n_nodes;
    if (rules->nominal) return RUNG_OK;
    out->link = (probit_link){.b = b, .noise = 1, .logit = true};
    return NEW(ctx, mem, out->link.factor, 0);
}
