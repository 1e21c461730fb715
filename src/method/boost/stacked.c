// SPDX-License-Identifier: BSD-3-Clause
#include "method/boost/stacked.h"

#include <math.h>

#include "data/row_groups.h"

/* The parameters at their defaults. */
static boost_params defaults(bool nominal)
{
    return (boost_params){.link = nominal ? BOOST_NOMINAL : BOOST_ORDINAL,
                          .rounds = -1,
                          .leaves = -1,
                          .min_rows = -1,
                          .seeds = -1,
                          .rate = NAN,
                          .l2 = NAN,
                          .rows = NAN,
                          .columns = NAN};
}

rung_status stacked_rows(rung_ctx *ctx, pool *mem, const problem *p, boost_rows *out)
{
    boost_params params = defaults(false);
    boost_rules rules;
    int seeds;
    boost_settle_rules(&params, problem_labelled(p), p->K, &rules, &seeds);
    return boost_rows_new(ctx, mem, p, rules.tree.leaves, out);
}

rung_status stacked_folds(rung_ctx *ctx, pool *mem, const problem *p, int count, folds *out)
{
    ranked_rows ranked = problem_ranks(p);
    row_groups groups;
    int *own = NULL;
    TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->group, &groups));
    *out = (folds){.n = p->n, .repeats = 1};
    if (groups.count < 2) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, own, p->n));
    for (int64_t i = 0; i < p->n; i++) own[i] = (int)groups.of[i];
    ranked.group = own;
    return folds_grouped(ctx, mem, &ranked, count, 1, out);
}

static rung_status run_boosting(rung_ctx *ctx, const boost_rows *rows, const folds *f, stacked_trees *out)
{
    boost_params params = defaults(out->kind == STACKED_NOMINAL);
    boost_rules rules;
    boost_path path;
    int seeds, K = rows->K;
    boost_settle_rules(&params, boost_rows_all(rows), K, &rules, &seeds);
    TRY(boost_path_run(ctx, &ctx->scratch, rows, &rules, seeds, f, (boost_rounds){1, &(int){0}}, &path));
    out->rounds = path.rounds;
    out->loss = path.loss;
    for (int64_t k = 0; k < path.held.n; k++)
        for (int q = 0; q < K; q++) out->proba[path.held.row[k] * K + q] += path.held.proba[k * K + q] / f->repeats;
    return RUNG_OK;
}

rung_status stacked_trees_run(rung_ctx *ctx, pool *mem, const boost_rows *rows, stacked_kind kind, const folds *f,
                              stacked_trees *out)
{
    *out = (stacked_trees){.kind = kind};
    TRY(NEW(ctx, mem, out->proba, rows->n * rows->K));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY((kind == STACKED_RANDOM ? random_trees_run : run_boosting)(ctx, rows, f, out));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status stacked_trees_member(rung_ctx *ctx, pool *mem, const boost_rows *rows, const stacked_trees *trees,
                                 member *out)
{
    boost_params params = defaults(trees->kind == STACKED_NOMINAL);
    boost_rules rules;
    int seeds;
    if (trees->kind == STACKED_RANDOM) return random_trees_member(ctx, mem, rows, trees->rounds, out);
    boost_settle_rules(&params, boost_rows_all(rows), rows->K, &rules, &seeds);
    return boost_member(ctx, mem, rows, &rules, seeds, trees->rounds, out);
}

double stacked_trees_bytes(const problem_shape *shape, bool nominal, int n_folds)
{
    boost_params params = defaults(nominal);
    return boost_peak_bytes(shape, &params, n_folds);
}
