// SPDX-License-Identifier: BSD-3-Clause
#include "method/boost/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"

enum {
    FEW_CELLS = 400000, /* up to this number of cells fits run in parallel, above it the work within a fit does */
    STRIDE = 10         /* rounds between two evaluations of the loss, where threads synchronise */
};
static const double LEAST_PROBABILITY = 1e-9;
/* Rounds end when the loss has not decreased for so many trees, counted in full steps, or has risen by so much. */
static const double PATIENCE = 3, RISEN = 1.005;

typedef struct { /* one fold of one repeat */
    int repeat, fold;
    boost_rows data; /* classes without training rows are removed ... */
    int *classes;    /* ... and rank r is this one */
    boosting **run;  /* one for each seed; NULL: a single class is left */
    int64_t size;    /* results of each round: */
    double *left;    /* STRIDE rounds x seeds x (functions of the rows held out, n_held x outputs; thresholds, K - 1) */
    double *mean;    /* of the seeds */
    ordinal link;    /* with the mean thresholds */
} fold_path;

typedef struct {
    const boost_rows *data;
    const boost_rules *rules;
    int seeds, n_folds, threads;
    fold_path *folds;
    double total; /* weight of the rows held out */
} path;

static bool is_small(int64_t n, int64_t columns) { return n * columns <= FEW_CELLS; }

int boost_threads(const rung_ctx *ctx, const boost_rows *data)
{
    return is_small(data->n, data->b->n_columns) ? 1 : ctx->threads;
}

void boost_proba(const ordinal *link, int K, const double *f, int64_t step, double *p)
{
    if (link) {
        double e = exp(*f), below = 0;
        for (int q = 0; q < K; q++) {
            double next = q + 1 < K ? 1 / (1 + e * link->up[q + 1]) : 1;
            p[q] = fmax(next - below, 0);
            below = next;
        }
        return;
    }
    double norm = nominal_norm(K, f, step);
    for (int q = 0; q < K; q++) p[q] = exp(f[q * step] - norm);
}

/* ---- starting ---- */

/* A fold may remove all rows of a class. */
static rung_status close_classes(rung_ctx *ctx, pool *mem, const int *fold, fold_path *out)
{
    const boost_rows *all = &out->data;
    int *rank = NULL, *y = NULL, K = 0;
    TRY(NEW(ctx, mem, rank, all->K + 1));
    TRY(NEW(ctx, mem, out->classes, all->K));
    for (int64_t i = 0; i < all->n; i++)
        if (fold[i] != out->fold) rank[all->y[i]] = 1;
    rank[0] = 0;
    for (int q = 1; q <= all->K; q++)
        if (rank[q]) {
            out->classes[K] = q;
            rank[q] = ++K;
        }
    if (K == all->K) return RUNG_OK;
    TRY(NEW(ctx, mem, y, all->n));
    for (int64_t i = 0; i < all->n; i++) y[i] = fold[i] == out->fold && all->y[i] ? 1 : rank[all->y[i]];
    out->data.y = y;
    out->data.K = K;
    return RUNG_OK;
}

static rung_status start_fold(rung_ctx *ctx, pool *mem, path *p, const folds *f, fold_path *out)
{
    const int *fold = f->fold + out->repeat * f->n;
    double *equal = NULL;
    out->data = *p->data;
    TRY(close_classes(ctx, mem, fold, out));
    if (out->data.K < 2) return RUNG_OK;
    TRY(NEW(ctx, mem, out->run, p->seeds));
    for (int s = 0; s < p->seeds; s++)
        TRY(boosting_new(ctx, mem, &out->data, &(boost_fold){fold, out->fold}, p->rules, boost_stream(s), p->threads,
                         &out->run[s]));
    out->size = out->run[0]->n_held * out->run[0]->outputs + out->data.K - 1;
    TRY(NEW(ctx, mem, out->left, STRIDE * p->seeds * out->size));
    TRY(NEW(ctx, mem, out->mean, out->size));
    TRY(NEW(ctx, mem, equal, out->data.K));
    for (int q = 0; q < out->data.K; q++) equal[q] = 1;
    return ordinal_new(ctx, mem, out->data.K, equal, &out->link);
}

static rung_status start(rung_ctx *ctx, pool *mem, const folds *f, path *p)
{
    int64_t *rows = NULL;
    TRY(NEW(ctx, mem, p->folds, (int64_t)f->repeats * f->count));
    TRY(NEW(ctx, mem, rows, f->n));
    for (int r = 0; r < f->repeats; r++)
        for (int k = 0; k < f->count; k++)
            if (folds_held(f, r, k, rows) > 0) p->folds[p->n_folds++] = (fold_path){.repeat = r, .fold = k};
    p->threads = boost_threads(ctx, p->data);
    for (int k = 0; k < p->n_folds; k++) TRY(start_fold(ctx, mem, p, f, &p->folds[k]));
    for (int64_t i = 0; i < f->n * f->repeats; i++)
        if (f->fold[i] >= 0) p->total += p->data->w ? p->data->w[i % f->n] : 1;
    return RUNG_OK;
}

/* ---- rounds ---- */

/* `count` rounds of one fold and seed, and their results. */
static void run_some(rung_ctx *ctx, const path *p, fold_path *f, int seed, int count)
{
    boosting *b = f->run[seed];
    for (int t = 0; t < count && !stop_asked(ctx); t++) {
        double *left = f->left + ((int64_t)t * p->seeds + seed) * f->size;
        (void)boosting_round(ctx, b, NULL, 1, NULL); /* fails only where it keeps trees */
        for (int64_t i = 0; i < b->n_held; i++)
            for (int o = 0; o < b->outputs; o++) *left++ = b->f[b->held[i] + o * b->data->n];
        if (!b->rules.nominal) memcpy(left, b->link.t, (size_t)(b->data->K - 1) * sizeof *left);
    }
}

static rung_status run_rounds(rung_ctx *ctx, path *p, int count)
{
    int64_t runs = (int64_t)p->n_folds * p->seeds;
    bool side_by_side = p->threads == 1 && ctx->threads > 1;
#pragma omp taskloop grainsize(1) if (side_by_side)
    for (int64_t k = 0; k < runs; k++) {
        fold_path *f = &p->folds[k / p->seeds];
        if (f->run) run_some(ctx, p, f, (int)(k % p->seeds), count);
    }
    return interrupted(ctx);
}

/* The mean of the seeds after round t of the last STRIDE: of the functions, and of the thresholds. */
static void average(const path *p, int t, fold_path *f)
{
    int J = f->data.K - 1;
    memset(f->mean, 0, (size_t)f->size * sizeof *f->mean);
    for (int s = 0; s < p->seeds; s++)
        for (int64_t i = 0; i < f->size; i++)
            f->mean[i] += f->left[((int64_t)t * p->seeds + s) * f->size + i] / p->seeds;
    if (!p->rules->nominal) ordinal_set(&f->link, f->mean + f->size - J);
}

/* Probabilities of held-out row i among all classes. */
static void proba_of(const path *p, const fold_path *f, int64_t i, double *room, double *out)
{
    int K = f->data.K;
    room[0] = 1;
    if (K > 1) boost_proba(p->rules->nominal ? NULL : &f->link, K, f->mean + i * f->run[0]->outputs, 1, room);
    for (int q = 0; q < p->data->K; q++) out[q] = 0;
    for (int q = 0; q < K; q++) out[f->classes[q] - 1] = room[q];
}

/* Summed over the rows held out, after round t. */
static double loss_of(const path *p, int t, fold_path *f, double *room, double *proba)
{
    double sum = 0;
    if (!f->run) return 0; /* the same in every round */
    const boosting *b = f->run[0];
    average(p, t, f);
    for (int64_t i = 0; i < b->n_held; i++) {
        int32_t row = b->held[i];
        proba_of(p, f, i, room, proba);
        sum -= (p->data->w ? p->data->w[row] : 1) * log(fmax(proba[p->data->y[row] - 1], LEAST_PROBABILITY));
    }
    return sum;
}

/* The predictions as they are now, fold by fold. */
static rung_status take_predictions(rung_ctx *ctx, const path *p, const folds *f, double *room, held_out *out)
{
    int64_t *rows = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, rows, f->n));
    out->n = 0;
    for (int k = 0; k < p->n_folds; k++) {
        const fold_path *one = &p->folds[k];
        int64_t count = folds_held(f, one->repeat, one->fold, rows);
        for (int64_t i = 0; i < count; i++, out->n++) {
            double *proba = out->proba + out->n * out->K;
            proba_of(p, one, i, room, proba);
            out->row[out->n] = rows[i];
            out->repeat[out->n] = one->repeat;
            out->fold[out->n] = one->fold;
            out->rank[out->n] = posterior_median(out->K, proba);
            out->score[out->n] = 0;
            for (int q = 0; q < out->K; q++) out->score[out->n] += (q + 1) * proba[q];
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The number of rounds is not known in advance: the share done is a guess. */
static void show(rung_ctx *ctx, int round, double loss)
{
    char stage[80];
    snprintf(stage, sizeof stage, "boosting, round %d, held-out loss %.4f", round, loss);
    progress(ctx, stage, round / (round + 100.0));
}

typedef struct { /* the arguments of boost_path_run */
    pool *mem;
    const boost_rows *data;
    const boost_rules *rules;
    int seeds;
    const folds *f;
    boost_rounds wanted;
    boost_path *out;
} path_job;

static rung_status run_path(rung_ctx *ctx, void *user)
{
    const path_job *job = user;
    const boost_rules *rules = job->rules;
    const folds *f = job->f;
    boost_path *out = job->out;
    int rounds = job->wanted.given;
    path p = {.data = job->data, .rules = rules, .seeds = job->seeds};
    double *room = NULL, *proba = NULL;
    *out = (boost_path){.rounds = rounds > 0 ? rounds : 1, .loss = INFINITY};
    TRY(held_out_with_proba(ctx, job->mem, f->n * f->repeats, p.data->K, &out->held));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, room, p.data->K));
    TRY(NEW(ctx, &ctx->scratch, proba, p.data->K));
    TRY(start(ctx, &ctx->scratch, f, &p));
    int last = rounds > 0 ? rounds : job->wanted.most, since = 0;
    for (int done = 0; done < last && p.n_folds > 0 && since < PATIENCE / rules->rate; done += STRIDE) {
        int count = last - done < STRIDE ? last - done : STRIDE;
        double loss = 0;
        TRY(run_rounds(ctx, &p, count));
        for (int t = rounds > 0 ? last - 1 - done : 0; t < count; t++) {
            loss = 0;
            for (int k = 0; k < p.n_folds; k++) loss += loss_of(&p, t, &p.folds[k], room, proba) / p.total;
            since++;
            if (loss >= out->loss) continue;
            since = 0;
            out->rounds = done + t + 1;
            out->loss = loss;
            TRY(take_predictions(ctx, &p, f, room, &out->held));
        }
        if (rounds > 0) continue;
        show(ctx, done + count, loss);
        if (since >= STRIDE && loss > RISEN * out->loss) break;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status boost_path_run(rung_ctx *ctx, pool *mem, const boost_rows *data, const boost_rules *rules, int seeds,
                           const folds *f, boost_rounds wanted, boost_path *out)
{
    path_job job = {mem, data, rules, seeds, f, wanted, out};
    return with_helpers(ctx, ctx->threads, run_path, &job);
}

double boost_path_bytes(int64_t n, int64_t columns, int K, bool nominal, int leaves, int side_by_side, int threads)
{
    if (is_small(n, columns)) threads = 1;
    return side_by_side * (boosting_bytes(n, columns, K, nominal, leaves, threads) + 8.0 * (double)n);
}
