// SPDX-License-Identifier: BSD-3-Clause
#include "method/boost/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parallel.h"

enum {
    FEW_CELLS = 400000, /* up to this number of cells fits run in parallel, above it the work within a fit does */
    STRIDE = 10,        /* rounds between two evaluations of the loss, where threads synchronise */
    LATE = 10           /* a least loss in the last 1 / LATE of the rounds is on its way down */
};
static const double LEAST_PROBABILITY = 1e-9;
/* Rounds end when the loss has not decreased for this many trees, counted in full steps, or has risen by so much. */
static const double PATIENCE = 3, RISEN = 1.02;

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
    double total; /* weight of the rows held out, but for folds that leave a single class, whose loss nothing changes */
} path;

static bool is_small(int64_t n, int64_t columns) { return n * columns <= FEW_CELLS; }

int boost_threads(const rung_ctx *ctx, const boost_rows *data)
{
    return is_small(data->all ? data->all->n : data->n, data->b->n_columns) ? 1 : ctx->threads;
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

/* The same for rows of which a sample is held out: labels stay as they are, and a table has their ranks. */
static rung_status close_packed(rung_ctx *ctx, pool *mem, const boost_fold *f, fold_path *out)
{
    const boost_rows *all = &out->data;
    double *count = NULL;
    int *rank = NULL, K = 0;
    TRY(NEW(ctx, mem, count, all->K));
    TRY(NEW(ctx, mem, rank, all->K + 1));
    TRY(NEW(ctx, mem, out->classes, all->K));
    memcpy(count, all->all->count, (size_t)all->K * sizeof *count);
    for (int64_t i = 0; i < f->n; i++)
        if (all->y[i] && fold_holds(f, i)) count[all->y[i] - 1]--;
    for (int q = 1; q <= all->K; q++) {
        if (count[q - 1] < 1) continue;
        out->classes[K++] = q;
        rank[q] = K;
    }
    if (K < all->K) out->data.rank = rank;
    out->data.K = K;
    return RUNG_OK;
}

/* A fold may remove all rows of a class. */
static rung_status close_classes(rung_ctx *ctx, pool *mem, const boost_fold *f, fold_path *out)
{
    const boost_rows *all = &out->data;
    int *upto = NULL, *y = NULL, *upper = NULL;
    int64_t *kept = NULL, n = 0;
    TRY(NEW(ctx, mem, upto, all->K + 1));
    TRY(NEW(ctx, mem, out->classes, all->K));
    TRY(NEW(ctx, mem, kept, all->n));
    for (int64_t i = 0; i < all->n; i++)
        if (!fold_holds(f, i)) kept[n++] = i;
    TRY(classes_present(ctx, n, kept, all->y, all->upper, all->K, upto));
    pool_free(mem, kept);
    int K = classes_list(all->K, upto, out->classes);
    if (K == all->K) return RUNG_OK;
    TRY(NEW(ctx, mem, y, all->n));
    if (all->upper) TRY(NEW(ctx, mem, upper, all->n));
    for (int64_t i = 0; i < all->n; i++) {
        bool held = fold_holds(f, i) && all->y[i];
        int high = highest_rank(all->y, all->upper, i);
        y[i] = held ? 1 : all->y[i] ? closed_low(upto, all->y[i]) : 0;
        if (upper) upper[i] = held ? 1 : closed_high(upto, high);
    }
    out->data.y = y;
    out->data.upper = upper;
    out->data.K = K;
    return RUNG_OK;
}

static rung_status start_fold(rung_ctx *ctx, pool *mem, path *p, const folds *f, fold_path *out)
{
    const boost_fold without = {f->fold + out->repeat * f->n, out->fold, f->n};
    double *equal = NULL;
    out->data = *p->data;
    out->data.side_by_side = p->n_folds * p->seeds > 1;
    TRY((p->data->all ? close_packed : close_classes)(ctx, mem, &without, out));
    if (out->data.K < 2) return RUNG_OK;
    TRY(NEW(ctx, mem, out->run, p->seeds));
    for (int s = 0; s < p->seeds; s++)
        TRY(boosting_new(ctx, mem, &out->data, &without, p->rules, boost_random(s), p->threads, &out->run[s]));
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
    for (int k = 0; k < p->n_folds; k++) {
        TRY(start_fold(ctx, mem, p, f, &p->folds[k]));
        const boosting *b = p->folds[k].run ? p->folds[k].run[0] : NULL;
        for (int64_t i = 0; b && i < b->n_held; i++) p->total += p->data->w ? p->data->w[b->held[i]] : 1;
    }
    if (!(p->total > 0)) p->total = 1;
    return RUNG_OK;
}

/* ---- rounds ---- */

/* STRIDE rounds of one fold and seed, and their results. */
static rung_status run_some(rung_ctx *ctx, const path *p, fold_path *f, int seed)
{
    boosting *b = f->run[seed];
    for (int t = 0; t < STRIDE && !stop_asked(ctx); t++) {
        double *left = f->left + ((int64_t)t * p->seeds + seed) * f->size;
        TRY(boosting_round(ctx, b, NULL, 1, NULL)); /* fails only where processes work together */
        for (int64_t i = 0; i < b->n_held; i++)
            for (int o = 0; o < b->outputs; o++) *left++ = b->f[b->held[i] + o * b->data->n];
        if (!b->rules.nominal) memcpy(left, b->link.t, (size_t)(b->data->K - 1) * sizeof *left);
    }
    return RUNG_OK;
}

static rung_status run_rounds(rung_ctx *ctx, path *p)
{
    int64_t runs = (int64_t)p->n_folds * p->seeds;
    bool side_by_side = p->threads == 1 && ctx->threads > 1;
    if (p->data->all) { /* processes exchange sums in the same order */
        for (int64_t k = 0; k < runs; k++)
            if (p->folds[k / p->seeds].run) TRY(run_some(ctx, p, &p->folds[k / p->seeds], (int)(k % p->seeds)));
        return interrupted(ctx);
    }
#pragma omp taskgroup
    for (int64_t k = 0; k < runs; k++) {
        fold_path *f = &p->folds[k / p->seeds];
        if (!f->run) continue;
#pragma omp task if (side_by_side)
        (void)run_some(ctx, p, f, (int)(k % p->seeds));
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
        int low = p->data->y[row], high = highest_rank(p->data->y, p->data->upper, row);
        proba_of(p, f, i, room, proba);
        double own = proba[low - 1];
        for (int q = low + 1; q <= high; q++) own += proba[q - 1];
        sum -= (p->data->w ? p->data->w[row] : 1) * log(fmax(own, LEAST_PROBABILITY));
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

typedef struct {
    pool *mem;
    path p;
    const folds *f;
    int count;
    const int *rounds; /* wanted; < 1: those of the least loss */
    boost_path *out;
    int *since;    /* rounds since the least loss */
    bool *reached; /* this one is complete */
    double *room, *proba;
} path_job;

static bool all_reached(const path_job *j)
{
    for (int i = 0; i < j->count; i++)
        if (!j->reached[i]) return false;
    return true;
}

/* Round t of the last STRIDE, `round` of all. loss: left alone where nobody needs it. */
static rung_status take_round(rung_ctx *ctx, path_job *j, int t, int round, double *loss)
{
    bool needed = false;
    for (int i = 0; i < j->count; i++) needed = needed || (j->rounds[i] < 1 && !j->reached[i]) || j->rounds[i] == round;
    if (!needed) return RUNG_OK;
    *loss = 0;
    for (int k = 0; k < j->p.n_folds; k++) *loss += loss_of(&j->p, t, &j->p.folds[k], j->room, j->proba) / j->p.total;
    for (int i = 0; i < j->count; i++) {
        boost_path *out = &j->out[i];
        bool given = j->rounds[i] > 0;
        if (given ? j->rounds[i] != round : j->reached[i]) continue;
        j->since[i]++;
        if (!given && *loss >= out->loss) continue;
        j->since[i] = 0;
        j->reached[i] = given;
        out->rounds = round;
        out->loss = *loss;
        TRY(take_predictions(ctx, &j->p, j->f, j->room, &out->held));
    }
    return RUNG_OK;
}

/* Which of the least losses are found after `done` rounds. */
static void look_back(path_job *j, int done, double loss)
{
    for (int i = 0; i < j->count; i++) {
        if (j->rounds[i] > 0 || j->reached[i]) continue;
        bool risen = j->since[i] >= STRIDE && loss > RISEN * j->out[i].loss;
        bool settled = risen || j->since[i] >= PATIENCE / j->p.rules->rate;
        if (settled || done >= BOOST_MOST_ROUNDS) j->reached[i] = true;
        j->out[i].cut = !settled && LATE * j->since[i] < done;
    }
}

static rung_status start_job(rung_ctx *ctx, path_job *j)
{
    int K = j->p.data->K;
    TRY(NEW(ctx, &ctx->scratch, j->since, j->count));
    TRY(NEW(ctx, &ctx->scratch, j->reached, j->count));
    TRY(NEW(ctx, &ctx->scratch, j->room, K));
    TRY(NEW(ctx, &ctx->scratch, j->proba, K));
    return start(ctx, &ctx->scratch, j->f, &j->p);
}

/* Rows held out, in all repeats. */
static int64_t ever_held(const folds *f)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n * f->repeats; i++) count += f->fold[i] >= 0;
    return count;
}

static rung_status run_path(rung_ctx *ctx, void *user)
{
    path_job *j = user;
    bool choosing = false;
    for (int i = 0; i < j->count; i++) {
        j->out[i] = (boost_path){.rounds = j->rounds[i] > 0 ? j->rounds[i] : 1, .loss = INFINITY};
        TRY(held_out_with_proba(ctx, j->mem, ever_held(j->f), j->p.data->K, &j->out[i].held));
        choosing = choosing || j->rounds[i] < 1;
    }
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(start_job(ctx, j));
    for (int done = 0; j->p.n_folds > 0 && !all_reached(j); done += STRIDE) {
        double loss = INFINITY;
        TRY(run_rounds(ctx, &j->p));
        for (int t = 0; t < STRIDE; t++) TRY(take_round(ctx, j, t, done + t + 1, &loss));
        if (choosing) show(ctx, done + STRIDE, loss);
        look_back(j, done + STRIDE, loss);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status boost_path_run(rung_ctx *ctx, pool *mem, const boost_rows *data, const boost_rules *rules, int seeds,
                           const folds *f, boost_rounds rounds, boost_path *out)
{
    path_job job = {.mem = mem,
                    .p = {.data = data, .rules = rules, .seeds = seeds},
                    .f = f,
                    .count = rounds.count,
                    .rounds = rounds.list,
                    .out = out};
    return with_helpers(ctx, ctx->threads, run_path, &job);
}

double boost_path_bytes(const boosting_shape *s, int side_by_side, int threads)
{
    if (is_small(s->n, s->columns)) threads = 1;
    return side_by_side * (boosting_bytes(s, threads) + (s->all > 0 ? 0 : 8.0 * (double)s->n));
}
