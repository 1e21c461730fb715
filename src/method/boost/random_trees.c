// SPDX-License-Identifier: BSD-3-Clause
/* Random trees that vote, as a member of an average. */
#include "base/parallel.h"
#include "method/boost/stacked.h"
#include "trees/random_tree.h"

enum { TREES = 100, FEWER_TREES = 50, MANY = 2000, ROWS_PER_LEAF = 10000 };
#define RANDOM_STREAM UINT64_C(0x72616e64)

/* Larger trees matter less each, and a model should stay small: 50 trees of some thousand leaves take two megabytes. */
static int trees_for(int64_t n) { return n > MANY ? FEWER_TREES : TREES; }
static int64_t least_rows(int64_t n) { return 1 + n / ROWS_PER_LEAF; }

typedef struct {
    const boost_rows *rows;
    double *mass; /* of the classes, by which intervals are divided: in all rows, then without each fold */
    int trees;
    int64_t min_rows;
    int64_t **kept, *n_kept, **held, *n_held;
    uint16_t **vote; /* of each fold: trees x rows held out */
} random_job;

/* part: the fold that it does not see, from 1; 0: it sees all. */
static rung_status open_grower(rung_ctx *ctx, const random_job *j, int part, int64_t n, random_grower **out)
{
    const double *mass = j->mass + (int64_t)part * j->rows->K;
    return random_grower_new(ctx, &ctx->scratch, j->rows, n, j->min_rows, mass, out);
}

static const tree *one_tree(const rung_ctx *ctx, const random_job *j, random_grower *g, int part, int number, int64_t n,
                            const int64_t *rows)
{
    rng r;
    rng_open(&r, ctx->seed, RANDOM_STREAM + (uint64_t)part * TREES + (uint64_t)number);
    return random_tree(g, &r, n, rows, (number + 0.5) / j->trees);
}

/* Tree i of all folds votes for the rows that it has not seen. */
static rung_status vote(rung_ctx *ctx, void *user, int64_t i)
{
    const random_job *j = user;
    int fold = (int)(i / j->trees), number = (int)(i % j->trees);
    random_grower *g = NULL;
    TRY(interrupted(ctx));
    TRY(open_grower(ctx, j, 1 + fold, j->n_kept[fold], &g));
    const tree *t = one_tree(ctx, j, g, 1 + fold, number, j->n_kept[fold], j->kept[fold]);
    for (int64_t k = 0; k < j->n_held[fold]; k++) {
        const uint8_t *code = j->rows->codes.by_row + j->held[fold][k] * j->rows->b->n_columns;
        j->vote[fold][number * j->n_held[fold] + k] = (uint16_t)t->node[tree_leaf(t, code)].value;
    }
    return RUNG_OK;
}

static rung_status open_job(rung_ctx *ctx, const boost_rows *rows, int parts, int trees, random_job *out)
{
    *out = (random_job){.rows = rows, .trees = trees, .min_rows = least_rows(rows->n)};
    TRY(NEW(ctx, &ctx->scratch, out->mass, (int64_t)(parts + 1) * rows->K));
    return class_masses(ctx, rows->n, rows->y, rows->upper, rows->w, rows->K, out->mass);
}

/* Of the rows that trees without this fold see; only intervals need them. */
static rung_status masses_without(rung_ctx *ctx, const random_job *j, int fold)
{
    const boost_rows *rows = j->rows;
    int64_t n = j->n_kept[fold];
    int *y = NULL, *upper = NULL;
    double *w = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    if (!rows->upper) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, y, n));
    TRY(NEW(ctx, &ctx->scratch, upper, n));
    TRY(NEW(ctx, &ctx->scratch, w, n));
    for (int64_t i = 0; i < n; i++) {
        int64_t row = j->kept[fold][i];
        y[i] = rows->y[row];
        upper[i] = rows->upper[row];
        w[i] = rows->w ? rows->w[row] : 1;
    }
    TRY(class_masses(ctx, n, y, upper, w, rows->K, j->mass + (int64_t)(1 + fold) * rows->K));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Trees side by side need a grower each. */
static int workers(const rung_ctx *ctx, int64_t tasks) { return tasks < ctx->threads ? (int)tasks : ctx->threads; }

rung_status random_trees_run(rung_ctx *ctx, const boost_rows *rows, const folds *f, stacked_trees *out)
{
    random_job j;
    int K = rows->K;
    out->rounds = trees_for(rows->n);
    TRY(open_job(ctx, rows, f->count, out->rounds, &j));
    TRY(NEW(ctx, &ctx->scratch, j.kept, f->count));
    TRY(NEW(ctx, &ctx->scratch, j.held, f->count));
    TRY(NEW(ctx, &ctx->scratch, j.n_kept, f->count));
    TRY(NEW(ctx, &ctx->scratch, j.n_held, f->count));
    TRY(NEW(ctx, &ctx->scratch, j.vote, f->count));
    for (int k = 0; k < f->count; k++) {
        TRY(NEW(ctx, &ctx->scratch, j.kept[k], rows->n));
        TRY(NEW(ctx, &ctx->scratch, j.held[k], rows->n));
        j.n_kept[k] = folds_kept(f, 0, k, j.kept[k]);
        j.n_held[k] = folds_held(f, 0, k, j.held[k]);
        TRY(masses_without(ctx, &j, k));
        TRY(NEW(ctx, &ctx->scratch, j.vote[k], j.trees * j.n_held[k]));
    }
    int64_t tasks = (int64_t)f->count * j.trees;
    TRY(parallel_stage(ctx, "random trees", workers(ctx, tasks), tasks, vote, &j));
    for (int k = 0; k < f->count; k++)
        for (int64_t i = 0; i < j.trees * j.n_held[k]; i++)
            out->proba[j.held[k][i % j.n_held[k]] * K + j.vote[k][i] - 1] += 1.0 / j.trees;
    return RUNG_OK;
}

/* ---- the model ---- */

rung_status random_trees_member(rung_ctx *ctx, pool *mem, const boost_rows *rows, int trees, member *out)
{
    random_job j;
    scorer *s = &out->score;
    random_grower *g = NULL;
    int64_t *all = NULL;
    *out = (member){.decide = {.kind = DECISION_MEDIAN, .K = rows->K}, .proba = PROBA_CUMULATIVE};
    *s = (scorer){.kind = SCORER_TREES, .outputs = rows->K - 1, .d = rows->b->code->d};
    TRY(open_job(ctx, rows, 0, trees, &j));
    TRY(NEW(ctx, mem, s->bias, s->outputs));
    TRY(NEW(ctx, &ctx->scratch, all, rows->n));
    for (int64_t i = 0; i < rows->n; i++) all[i] = i;
    TRY(forest_new(ctx, mem, s->outputs, rows->b, &s->trees));
    s->trees.votes = true;
    TRY(open_grower(ctx, &j, 0, rows->n, &g));
    for (int t = 0; t < trees; t++) {
        TRY(interrupted(ctx));
        TRY(forest_add(ctx, mem, rows->b, one_tree(ctx, &j, g, 0, t, rows->n, all), 1, &s->trees));
    }
    TRY(forest_ready(ctx, mem, rows->b->code, &s->trees));
    s->m = s->trees.n_nodes;
    return forest_pack(ctx, mem, rows->b->code, &s->trees);
}

/* Votes, the trees of the model, and a grower for each thread. */
double random_trees_bytes(const problem_shape *shape)
{
    enum { NODE = 4 * 8 + 16 + 4 }; /* of a forest, of its plan, packed */
    double n = (double)shape->labelled, trees = trees_for(shape->labelled),
           threads = shape->threads > 1 ? shape->threads : 1;
    return n * trees * (2 * NODE + sizeof(uint16_t)) +
           threads * random_grower_bytes(shape->labelled, shape->d, shape->K);
}
