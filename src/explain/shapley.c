// SPDX-License-Identifier: BSD-3-Clause
/* shapley.c - the contribution of every column to the answer for one row.
 *
 * v(S) is the mean answer over background rows whose columns in S are those of the row, and the contribution of column
 * j phi_j = sum over S without j of |S|! (M - |S| - 1)! / M! (v(S + j) - v(S)), so that they add up to the answer for
 * the row minus that of the background (Shapley, 1953; Strumbelj and Kononenko, 2014). A column that is equal in both
 * rows changes nothing, so the sets are those of the columns that differ.
 *
 * Where all sets of all rows take few enough predictions they are visited, and the result is exact. Otherwise columns
 * change from a background row to the row in a random order and in its reverse (an antithetic pair; Mitchell et al.,
 * 2022), and every column is credited with the change of the answer at its turn. How many predictions are few enough
 * depends on the work of one, not on a clock: the same rows get the same numbers on every machine.
 *
 * Standard errors are those of sampling in two stages, n of N rows without replacement and pairs of orders within a
 * row. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "explain/row.h"

enum { MOST_SETS_OF = 12, LEAST_PAIRS = 50, STREAM = 0x73686100, ROW_STREAM = 0x726f7700 };
static const double LEAST_PREDICTIONS = 1 << 12, MOST_PREDICTIONS = 1 << 18, WORK = 1e9; /* about a second of a core */

typedef struct {
    const rung_model *m;
    const rung_data *data; /* the background */
    const double *x;       /* the row */
    int64_t columns, n, rounds;
    int64_t *rows; /* n: of the background */
    double *part;  /* tasks x columns: contributions; task t has row t mod n */
    double *start; /* tasks: the answer of their background row */
} study;

static const double *background_row(const study *s, int64_t i) { return s->data->X + s->rows[i % s->n] * s->data->d; }

/* Operations of a prediction, roughly. */
static double work_of(const rung_model *m)
{
    double work = 1000;
    for (int i = 0; i < m->n_members; i++) {
        const scorer *s = &m->members[i].score;
        double terms = (double)s->m;
        if (s->kind == SCORER_TREES)
            work += 8 * (double)s->trees.n_trees;
        else
            work += terms * (double)(s->outputs + 1);
        if (s->kind == SCORER_KERNEL || s->kind == SCORER_NEIGHBOURS) work += terms * (double)(s->d + 10);
        work += terms * (double)m->members[i].link.rank;
    }
    return work;
}

static double most_predictions(const rung_model *m)
{
    return fmin(fmax(WORK / work_of(m), LEAST_PREDICTIONS), MOST_PREDICTIONS);
}

static int64_t differing(const study *s, int64_t i, int64_t *differ)
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->columns; j++)
        if (!column_equal(model_cells(s->m), j, s->x, background_row(s, i))) differ[n++] = j;
    return n;
}

/* Whether all sets of all rows can be visited. */
static rung_status all_affordable(rung_ctx *ctx, const study *s, bool *out)
{
    int64_t *differ = NULL;
    double sum = 0, most = most_predictions(s->m);
    TRY(NEW_RAW(ctx, &ctx->scratch, differ, s->columns));
    *out = (double)s->n <= most;
    for (int64_t i = 0; *out && i < s->n; i++) {
        int64_t n = differing(s, i, differ);
        sum += n <= MOST_SETS_OF ? (double)((int64_t)1 << n) : INFINITY;
        *out = sum <= most;
    }
    return RUNG_OK;
}

/* ---- all sets: a task is a background row ---- */

static rung_status all_sets(rung_ctx *ctx, void *user, int64_t task)
{
    const study *s = user;
    const coding *code = model_cells(s->m);
    int64_t d = s->data->d, *differ = NULL;
    const double *from = background_row(s, task);
    TRY(NEW_RAW(ctx, &ctx->scratch, differ, s->columns));
    int n = (int)differing(s, task, differ);
    int64_t sets = (int64_t)1 << n;
    double *X = NULL, weight[MOST_SETS_OF + 1];
    answers a;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, sets * d));
    TRY(answers_new(ctx, &ctx->scratch, s->m, sets, &a));
    for (int64_t set = 0; set < sets; set++) {
        memcpy(X + set * d, from, (size_t)d * sizeof *X);
        for (int k = 0; k < n; k++)
            if (set >> k & 1) column_copy(code, differ[k], s->x, X + set * d);
    }
    TRY(answers_of(ctx, s->m, sets, X, &a));
    for (int k = 0; k < n; k++) weight[k] = exp(lgamma(k + 1) + lgamma(n - k) - lgamma(n + 1));
    for (int64_t set = 0; set < sets; set++) {
        int size = 0;
        for (int k = 0; k < n; k++) size += (int)(set >> k & 1);
        for (int k = 0; k < n; k++)
            if (!(set >> k & 1))
                s->part[task * s->columns + differ[k]] +=
                    weight[size] * (a.value[set | (int64_t)1 << k] - a.value[set]);
    }
    s->start[task] = a.value[0];
    return RUNG_OK;
}

/* ---- sampled: a task is an order and its reverse ---- */

static rung_status order_pair(rung_ctx *ctx, void *user, int64_t task)
{
    const study *s = user;
    const coding *code = model_cells(s->m);
    int64_t d = s->data->d, *order = NULL;
    const double *from = background_row(s, task);
    double *X = NULL, *part = s->part + task * s->columns;
    rng random;
    answers a;
    TRY(NEW_RAW(ctx, &ctx->scratch, order, s->columns));
    int64_t n = differing(s, task, order);
    rng_open(&random, ctx->seed, STREAM + (uint64_t)task);
    rng_shuffle(&random, order, n);
    /* rows 0..n: forward, n + 1 .. 2n - 1: backward without its ends, which are the same */
    TRY(NEW_RAW(ctx, &ctx->scratch, X, (2 * n + 1) * d));
    TRY(answers_new(ctx, &ctx->scratch, s->m, 2 * n + 1, &a));
    memcpy(X, from, (size_t)d * sizeof *X);
    for (int64_t k = 1; k <= n; k++) {
        memcpy(X + k * d, X + (k - 1) * d, (size_t)d * sizeof *X);
        column_copy(code, order[k - 1], s->x, X + k * d);
    }
    for (int64_t k = 1; k < n; k++) {
        memcpy(X + (n + k) * d, k == 1 ? from : X + (n + k - 1) * d, (size_t)d * sizeof *X);
        column_copy(code, order[n - k], s->x, X + (n + k) * d);
    }
    TRY(answers_of(ctx, s->m, n > 0 ? 2 * n : 1, X, &a));
    for (int64_t k = 1; k <= n; k++) {
        double before = k == 1 ? a.value[0] : a.value[n + k - 1], after = k == n ? a.value[n] : a.value[n + k];
        part[order[k - 1]] += 0.5 * (a.value[k] - a.value[k - 1]);
        part[order[n - k]] += 0.5 * (after - before);
    }
    s->start[task] = a.value[0];
    return RUNG_OK;
}

/* ---- the whole ---- */

/* The mean of a column of tasks x stride numbers and its standard error. */
static double mean_of(const study *s, const double *of, int64_t stride, bool sampled, double *error)
{
    int64_t n = s->n, r = s->rounds;
    double mean = 0, within = 0, between = 0, share = (double)n / (double)s->data->n;
    for (int64_t t = 0; t < n * r; t++) mean += of[t * stride] / (double)(n * r);
    for (int64_t i = 0; i < n; i++) {
        double own = 0;
        for (int64_t k = 0; k < r; k++) own += of[(k * n + i) * stride] / (double)r;
        for (int64_t k = 0; k < r; k++) within += pow(of[(k * n + i) * stride] - own, 2);
        between += (own - mean) * (own - mean);
    }
    between = n > 1 ? between / (double)(n - 1) / (double)n : 0;
    within = r > 1 ? within / (double)(n * (r - 1)) / (double)(n * r) : 0;
    /* One pair for a row does not tell the orders from the rows: all of it counts, which is never too little. */
    *error = sqrt(sampled && r == 1 ? between : (1 - share) * between + share * within);
    return mean;
}

static rung_status choose_rows(rung_ctx *ctx, study *s, int64_t most)
{
    int64_t *all = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, all, s->data->n));
    for (int64_t i = 0; i < s->data->n; i++) all[i] = i;
    return rows_sample(ctx, s->data->n, all, most, ROW_STREAM, &s->rows, &s->n);
}

rung_status shapley(rung_ctx *ctx, const rung_model *m, const double *x, const rung_data *background, int64_t most,
                    int64_t samples, contributions *out)
{
    study s = {.m = m, .data = background, .x = x, .columns = model_cells(m)->n_columns, .rounds = 1};
    bool every;
    *out = (contributions){0};
    TRY(choose_rows(ctx, &s, most > 0 ? most : background->n));
    every = samples == 0;
    if (every) TRY(all_affordable(ctx, &s, &every));
    if (!every) {
        if (!samples) samples = (int64_t)fmax(most_predictions(m) / (double)(2 * s.columns), LEAST_PAIRS);
        TRY(choose_rows(ctx, &s, samples < s.n ? samples : s.n));
        s.rounds = (samples + s.n - 1) / s.n;
    }
    int64_t tasks = s.n * s.rounds;
    out->exact = every && s.n == background->n;
    out->samples = every ? 0 : tasks;
    out->rows = s.n;
    TRY(NEW(ctx, &ctx->scratch, s.part, tasks * s.columns));
    TRY(NEW(ctx, &ctx->scratch, s.start, tasks));
    TRY(NEW(ctx, &ctx->scratch, out->value, s.columns));
    TRY(NEW(ctx, &ctx->scratch, out->error, s.columns));
    int workers = ctx->threads < tasks ? ctx->threads : (int)tasks;
    TRY(parallel_stage(ctx, "contributions", workers, tasks, every ? all_sets : order_pair, &s));
    out->average = mean_of(&s, s.start, 1, !every, &out->average_error);
    for (int64_t j = 0; j < s.columns; j++) out->value[j] = mean_of(&s, s.part + j, s.columns, !every, &out->error[j]);
    return RUNG_OK;
}
