// SPDX-License-Identifier: BSD-3-Clause
/* shapley.c - the contribution of every column to the answer for one row.
 *
 * v(S) is the mean answer over background rows whose columns in S are those of the row, and the contribution of column j
 *     phi_j = sum over S without j of |S|! (M - |S| - 1)! / M! (v(S + j) - v(S)),
 * so that they add up to the answer for the row minus that of the background (Shapley, 1953; Strumbelj and Kononenko,
 * 2014). Up to EXACT columns all sets are visited. Above, columns change from a background row to the row in a random
 * order and in its reverse (an antithetic pair; Mitchell et al., 2022), and every column is credited with the change of
 * the answer at its turn; the standard error is over the pairs. A column that is equal in both rows changes nothing. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "explain/row.h"

enum { EXACT = 10, STREAM = 0x73686100 };

typedef struct {
    const rung_model *m;
    const rung_data *data;
    const double *x; /* the row */
    int64_t columns, n_background;
    const int64_t *background;
    double *part;  /* tasks x columns: contributions */
    double *start; /* tasks: the answer of their background row */
} study;

static const double *background_row(const study *s, int64_t i)
{
    return s->data->X + s->background[i % s->n_background] * s->data->d;
}

/* ---- exact: a task is a background row ---- */

static rung_status all_sets(rung_ctx *ctx, void *user, int64_t task)
{
    const study *s = user;
    const coding *code = &s->m->code;
    int64_t d = s->data->d, differ[EXACT];
    const double *from = background_row(s, task);
    int n = 0;
    for (int64_t j = 0; j < s->columns; j++)
        if (!column_equal(code, j, s->x, from)) differ[n++] = j;
    int64_t sets = (int64_t)1 << n;
    double *X = NULL, weight[EXACT + 1];
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
    const coding *code = &s->m->code;
    int64_t d = s->data->d, n = 0, *order = NULL;
    const double *from = background_row(s, task);
    double *X = NULL, *part = s->part + task * s->columns;
    rng random;
    answers a;
    TRY(NEW_RAW(ctx, &ctx->scratch, order, s->columns));
    for (int64_t j = 0; j < s->columns; j++)
        if (!column_equal(code, j, s->x, from)) order[n++] = j;
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

rung_status shapley(rung_ctx *ctx, const rung_model *m, const rung_data *data, int64_t row, int64_t n,
                    const int64_t *background, int samples, contributions *out)
{
    study s = {.m = m,
               .data = data,
               .x = data->X + row * data->d,
               .columns = m->code.n_columns,
               .n_background = n,
               .background = background};
    *out = (contributions){.exact = s.columns <= EXACT, .samples = s.columns <= EXACT ? 0 : samples};
    int64_t tasks = out->exact ? n : samples;
    TRY(NEW(ctx, &ctx->scratch, s.part, tasks * s.columns));
    TRY(NEW(ctx, &ctx->scratch, s.start, tasks));
    TRY(NEW(ctx, &ctx->scratch, out->value, s.columns));
    TRY(NEW(ctx, &ctx->scratch, out->error, s.columns));
    int workers = ctx->threads < tasks ? ctx->threads : (int)tasks;
    TRY(parallel_stage(ctx, "contributions", workers, tasks, out->exact ? all_sets : order_pair, &s));
    for (int64_t t = 0; t < tasks; t++) out->average += s.start[t] / (double)tasks;
    for (int64_t j = 0; j < s.columns; j++) {
        double squares = 0;
        for (int64_t t = 0; t < tasks; t++) out->value[j] += s.part[t * s.columns + j] / (double)tasks;
        for (int64_t t = 0; t < tasks; t++) {
            double off = s.part[t * s.columns + j] - out->value[j];
            squares += off * off;
        }
        out->error[j] = out->exact ? 0 : tasks > 1 ? sqrt(squares / (double)(tasks - 1) / (double)tasks) : NAN;
    }
    return RUNG_OK;
}
