// SPDX-License-Identifier: BSD-3-Clause
/* From a number of rounds to the trees of a model. */
#include <string.h>

#include "base/parallel.h"
#include "method/boost/boost.h"

typedef struct { /* the arguments of boost_rows_new */
    pool *mem;
    const problem *p;
    boost_rows *out;
} rows_job;

static rung_status make_rows(rung_ctx *ctx, void *user)
{
    const rows_job *job = user;
    const problem *p = job->p;
    tree_table table = {.code = p->code, .cells = p->cells, .n_rows = p->n_cells, .weight = p->weight_cells};
    tree_bins *bins = NULL;
    TRY(NEW(ctx, job->mem, bins, 1));
    TRY(bins_new(ctx, job->mem, &table, bins));
    *job->out = (boost_rows){.b = bins, .n = p->n, .K = p->K, .y = p->y, .upper = p->upper, .w = p->w};
    return codes_new(ctx, job->mem, bins, &table, p->n, p->origin, &job->out->codes);
}

rung_status boost_rows_new(rung_ctx *ctx, pool *mem, const problem *p, int leaves, boost_rows *out)
{
    TRY(with_helpers(ctx, ctx->threads, make_rows, &(rows_job){mem, p, out}));
    return p->all ? boost_all_rows(ctx, mem, p, leaves, out) : RUNG_OK;
}

typedef struct {
    pool *mem;
    boost_fit_state s;
    int rounds;
    scorer *score;
    double *thresholds; /* NULL: nominal */
} grow_job;

/* All rows, this number of rounds, for each seed. Functions are averaged, and the thresholds fitted to the average. */
static rung_status grow_model(rung_ctx *ctx, void *user)
{
    const grow_job *job = user;
    const boost_fit_state *s = &job->s;
    scorer *score = job->score;
    const packed_rows *all = s->rows.all;
    int64_t size = s->rows.n * score->outputs;
    bool several = s->seeds > 1;
    double *mean = NULL;
    int32_t *total = NULL;
    if (several && !all) TRY(NEW(ctx, &ctx->scratch, mean, size));
    if (several && all && job->thresholds) TRY(NEW(ctx, &ctx->scratch, total, all->n));
    for (int seed = 0; seed < s->seeds; seed++) {
        pool_mark mark = pool_here(&ctx->scratch);
        boosting *b = NULL;
        TRY(boosting_new(ctx, &ctx->scratch, &s->rows, NULL, &s->rules, boost_random(seed),
                         boost_threads(ctx, &s->rows), &b));
        for (int t = 1; t <= job->rounds; t++) {
            TRY(interrupted(ctx));
            TRY(boosting_round(ctx, b, job->mem, s->seeds, &score->trees));
            progress(ctx, "fitting", (double)(seed * job->rounds + t) / ((double)s->seeds * job->rounds));
        }
        for (int64_t i = 0; i < size && mean; i++) mean[i] += b->f[i] / s->seeds;
        if (total) packed_add_to(b->run, total);
        for (int o = 0; o < score->outputs; o++) score->bias[o] = b->start[o];
        if (seed + 1 == s->seeds && job->thresholds) {
            if (mean) memcpy(b->f, mean, (size_t)size * sizeof *mean);
            if (total) packed_take_mean(b->run, total, s->seeds);
            TRY(boosting_thresholds(b, NULL));
            memcpy(job->thresholds, b->link.t, (size_t)(s->rows.K - 1) * sizeof *job->thresholds);
        }
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

rung_status boost_member(rung_ctx *ctx, pool *mem, const boost_rows *rows, const boost_rules *rules, int seeds,
                         int rounds, member *out)
{
    grow_job job = {.mem = mem, .s = {.rules = *rules, .seeds = seeds, .rows = *rows}, .rounds = rounds};
    scorer *score = &out->score;
    double *b = NULL;
    *out = (member){.decide = {.kind = DECISION_MEDIAN, .K = rows->K},
                    .proba = rules->nominal ? PROBA_SOFTMAX : PROBA_PROBIT};
    *score = (scorer){.kind = SCORER_TREES, .outputs = rules->nominal ? rows->K : 1, .d = rows->b->code->d};
    TRY(NEW(ctx, mem, score->bias, score->outputs));
    if (!rules->nominal) TRY(NEW(ctx, mem, b, rows->K - 1));
    TRY(forest_new(ctx, mem, score->outputs, rows->b, &score->trees));
    job.score = score;
    job.thresholds = b;
    TRY(with_helpers(ctx, boost_threads(ctx, rows), grow_model, &job));
    TRY(forest_ready(ctx, mem, rows->b->code, &score->trees));
    score->m = score->trees.n_nodes;
    if (rules->nominal) return RUNG_OK;
    out->link = (probit_link){.b = b, .noise = 1, .kind = LINK_LOGIT};
    return NEW(ctx, mem, out->link.factor, 0);
}
