// SPDX-License-Identifier: BSD-3-Clause
/* Which of many rows a mixture works on. */
#include "method/mixture/mixture.h"

rung_status mixture_evenly_spaced(rung_ctx *ctx, const problem *p, int64_t l, int64_t wanted, int64_t *rows,
                                  int64_t *count)
{
    int64_t *order = NULL, next = 0;
    bool *keep = NULL;
    TRY(NEW(ctx, &ctx->scratch, order, l));
    TRY(NEW(ctx, &ctx->scratch, keep, p->n));
    for (int q = 1; q <= p->K; q++)
        for (int64_t i = 0; i < p->n; i++)
            if (p->y[i] == q) order[next++] = i;
    for (int64_t j = 0; j < wanted; j++) keep[order[(int64_t)(((double)j + 0.5) * (double)l / (double)wanted)]] = true;
    *count = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (keep[i] || !p->y[i]) rows[(*count)++] = i;
    return RUNG_OK;
}

int64_t mixture_most_unlabelled(int64_t labelled)
{
    enum { WORK = 5000000, LEAST = 4000, MOST = 50000 };
    int64_t rows = WORK / (labelled > 0 ? labelled : 1);
    return rows < LEAST ? LEAST : rows > MOST ? MOST : rows;
}

rung_status mixture_thin_unlabelled(rung_ctx *ctx, int64_t most, problem **p, mixture_summary *summary)
{
    int64_t n = (*p)->n, l = 0, *rows = NULL, count = 0, seen = 0;
    int *classes = NULL;
    problem *some = NULL;
    for (int64_t i = 0; i < n; i++) l += (*p)->y[i] != 0;
    int64_t others = n - l, wanted = most > 0 ? most : mixture_most_unlabelled(l);
    if (others <= wanted) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, rows, l + wanted));
    TRY(NEW(ctx, &ctx->scratch, classes, (*p)->K));
    TRY(NEW(ctx, &ctx->scratch, some, 1));
    for (int64_t i = 0; i < n; i++) {
        bool taken = (*p)->y[i] != 0;
        if (!taken) {
            taken = (seen + 1) * wanted / others > seen * wanted / others;
            seen++;
        }
        if (taken) rows[count++] = i;
    }
    TRY(problem_subset(ctx, &ctx->scratch, *p, count, rows, some, classes));
    *p = some;
    if (summary->unlabelled == 0) summary->unlabelled = others;
    summary->unlabelled_used = wanted;
    return RUNG_OK;
}

rung_status mixture_thin_labels(rung_ctx *ctx, int64_t most, const folds *f, problem **p, mixture_summary *summary)
{
    int64_t *rows = NULL, count = 0, l = 0, held = 0, others = 0, seen = 0;
    int *classes = NULL;
    problem *some = NULL;
    bool *seen_class = NULL;
    for (int64_t i = 0; i < f->n; i++) held += f->fold[i] >= 0;
    others = f->n - held;
    if (most == 0 || f->n <= most || others == 0) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, rows, (*p)->n));
    TRY(NEW(ctx, &ctx->scratch, classes, (*p)->K));
    TRY(NEW(ctx, &ctx->scratch, some, 1));
    TRY(NEW(ctx, &ctx->scratch, seen_class, (*p)->K + 1));
    for (int64_t i = 0; i < (*p)->n; i++) { /* what these say is put together with what trees say, class by class */
        int y = is_interval((*p)->y, (*p)->upper, i) ? 0 : (*p)->y[i];
        bool taken = !(*p)->y[i] || f->fold[l] >= 0;
        if (!taken) {
            taken = (seen + 1) * (most - held) / others > seen * (most - held) / others || (y && !seen_class[y]);
            seen++;
        }
        l += (*p)->y[i] != 0;
        if (!taken) continue;
        rows[count++] = i;
        seen_class[y] = true;
        summary->kernel_rows += (*p)->y[i] != 0;
    }
    TRY(problem_subset(ctx, &ctx->scratch, *p, count, rows, some, classes));
    summary->labelled = f->n;
    *p = some;
    return RUNG_OK;
}
