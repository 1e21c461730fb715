// SPDX-License-Identifier: BSD-3-Clause
#include "fit/copies_fit.h"

#include <stdlib.h>

#include "data/row_groups.h"

/* A model that has seen equal rows already knows what grades they have in the mean, so that only a weight near 1 shows
 * more: records that are there several times. PRIOR counts against it, like rows that disagree. */
static const double LEAST = 0.85, PRIOR = 0.5;
enum { MOST = 100000 }; /* labelled rows in the model */

/* The weight w that minimises sum |(1 - w) P + w C - Y|^2 + PRIOR w^2 over the held-out rows that equal others, in
 * cumulative probabilities; C: the shares of the grades among the equals of a row, without its own. */
static rung_status weight_of_copies(rung_ctx *ctx, const held_grades *g, double *out)
{
    const problem *p = g->p;
    row_groups equal;
    double *count = NULL, cross = 0, square = PRIOR;
    TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->equal, &equal));
    TRY(NEW(ctx, &ctx->scratch, count, equal.count * (p->K + 1))); /* of no label first, which is not counted */
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i] && !is_interval(p->y, p->upper, i)) count[equal.of[i] * (p->K + 1) + p->y[i]]++;
    for (int64_t k = 0; k < g->h->n; k++) {
        int64_t row = g->h->row[k];
        if (is_interval(p->y, p->upper, row)) continue; /* it has no grade to copy, or to compare with */
        const double *own = count + equal.of[row] * (p->K + 1), *proba = g->proba + k * p->K;
        double others = -1, P = 0, C = 0;
        for (int q = 1; q <= p->K; q++) others += own[q];
        for (int q = 1; others > 0 && q < p->K; q++) {
            bool reached = p->y[row] <= q;
            P += proba[q - 1];
            C += (own[q] - (p->y[row] == q)) / others;
            cross += (P - reached) * (P - C) / g->f->repeats;
            square += (P - C) * (P - C) / g->f->repeats;
        }
    }
    *out = fmin(fmax(cross / square, 0), 1);
    return RUNG_OK;
}

typedef struct {
    double key;
    int rank;
} keyed_rank;

static int by_key(const void *a, const void *b)
{
    const keyed_rank *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static rung_status keep_rows(rung_ctx *ctx, const training *t, row_copies *out, pool *mem)
{
    const rung_data *data = t->data;
    keyed_rank *list = NULL;
    TRY(NEW(ctx, &ctx->scratch, list, t->n_labelled));
    for (int64_t i = 0; i < data->n; i++)
        if (t->y[i] && !is_interval(t->y, t->upper, i))
            list[out->n++] = (keyed_rank){row_key(data->d, data->X + i * data->d, 1), t->y[i]};
    qsort(list, (size_t)out->n, sizeof *list, by_key);
    TRY(NEW(ctx, mem, out->key, out->n));
    TRY(NEW(ctx, mem, out->rank, out->n));
    for (int64_t i = 0; i < out->n; i++) {
        out->key[i] = list[i].key;
        out->rank[i] = list[i].rank;
    }
    return RUNG_OK;
}

rung_status copies_fit(rung_ctx *ctx, const training *t, const held_grades *g, rung_model *model)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double weight;
    if (!t->equal || g->h->n == 0 || t->n_labelled > MOST || !model_averages(model)) return RUNG_OK;
    TRY(weight_of_copies(ctx, g, &weight));
    if (weight >= LEAST) {
        TRY(keep_rows(ctx, t, &model->copies, &model->mem));
        model->copies.weight = weight;
        log_at(
            ctx, RUNG_INFO,
            "rows that equal each other have the same grade: a new row that equals a labelled one is given its grade");
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
