// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/held_families.h"

#include <string.h>

#include "method/mixture/mixture.h"
#include "method/mixture/stack.h"
#include "solve/cumulative.h"
#include "trees/relevance.h"

static const double KEEP = 1e-3;
enum { HELD_RANK = 32 };

typedef struct { /* one fold */
    int64_t n_kept, n_held, *kept, *held;
    candidates c; /* of the kept rows */
    int *classes;
    double *X; /* d x n_held */
    stack_rows rows;
    double **loo, *within, *penalty, *mean;
} kernel_fold;

rung_status binned_rows_some(rung_ctx *ctx, const boost_rows *all, int64_t n, const int64_t *rows, boost_rows *out)
{
    int64_t columns = all->b->n_columns;
    tree_codes codes = {.n = n};
    int *y = NULL, *upper = NULL, *upto = NULL;
    double *w = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, codes.by_row, n * columns));
    TRY(NEW_RAW(ctx, &ctx->scratch, codes.by_column, n * columns));
    TRY(NEW(ctx, &ctx->scratch, y, n));
    TRY(NEW(ctx, &ctx->scratch, upto, all->K + 1));
    if (all->upper) TRY(NEW(ctx, &ctx->scratch, upper, n));
    if (all->w) TRY(NEW(ctx, &ctx->scratch, w, n));
    TRY(classes_present(ctx, n, rows, all->y, all->upper, all->K, upto));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < columns; c++)
            codes.by_column[c * n + i] = codes.by_row[i * columns + c] = all->codes.by_row[rows[i] * columns + c];
        y[i] = closed_low(upto, all->y[rows[i]]);
        if (upper) upper[i] = closed_high(upto, all->upper[rows[i]]);
        if (w) w[i] = all->w[rows[i]];
    }
    *out = (boost_rows){.b = all->b, .codes = codes, .n = n, .K = upto[all->K], .y = y, .upper = upper, .w = w};
    return RUNG_OK;
}

/* The weighted members of one family predict the rows held out. */
static rung_status predict_family(rung_ctx *ctx, const kernel_fold *f, int first, int count, int K, double *P)
{
    pool_mark mark = pool_here(&ctx->scratch);
    mixture_part *parts = NULL;
    fitted members = {0};
    double *proba = NULL, *all = NULL;
    int n = 0, own = f->c.base.K;
    TRY(NEW(ctx, &ctx->scratch, parts, count + 1));
    TRY(NEW(ctx, &ctx->scratch, proba, f->n_held * own));
    TRY(NEW(ctx, &ctx->scratch, all, K));
    for (int i = first; i < first + count; i++)
        if (f->loo[i] && f->within[i] >= KEEP) parts[n++] = (mixture_part){.candidate = i, .weight = f->within[i]};
    if (n == 0) parts[n++] = (mixture_part){.candidate = -1, .weight = 1}; /* all failed: the class frequencies */
    TRY(mixture_members(ctx, &ctx->scratch, &f->c, NULL, HELD_RANK, n, parts, &members));
    TRY(members_proba(ctx, n, members.members, 0, 0, f->n_held, &(member_rows){.scaled = f->X}, proba));
    for (int64_t i = 0; i < f->n_held; i++) {
        memset(all, 0, (size_t)K * sizeof *all);
        for (int q = 0; q < own; q++) all[f->classes[q] - 1] = proba[i * own + q];
        cumulative_sums(K, all, P + f->held[i] * (K - 1));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* A fold that leaves one class. */
static void only_class(const kernel_fold *f, int K, double *P)
{
    for (int64_t i = 0; i < f->n_held; i++)
        for (int q = 0; q + 1 < K; q++) P[f->held[i] * (K - 1) + q] = f->classes[0] > q + 1;
}

static rung_status run_fold(rung_ctx *ctx, const candidates *c, const boost_rows *binned, kernel_fold *f,
                            double *P[SPACES][2])
{
    const problem *all = &c->base;
    double *w = NULL;
    boost_rows kept;
    TRY(NEW(ctx, &ctx->scratch, w, all->d));
    TRY(NEW(ctx, &ctx->scratch, f->classes, all->K));
    TRY(NEW_RAW(ctx, &ctx->scratch, f->X, all->d * f->n_held));
    for (int64_t i = 0; i < f->n_held; i++)
        memcpy(f->X + i * all->d, all->X + f->held[i] * all->d, (size_t)all->d * sizeof *f->X);
    TRY(binned_rows_some(ctx, binned, f->n_kept, f->kept, &kept));
    TRY(relevance_weights(ctx, &kept, w));
    TRY(candidates_some(ctx, c, f->n_kept, f->kept, w, &f->c, f->classes));
    if (f->c.base.K < 2) {
        for (int s = 0; s < SPACES; s++)
            for (int k = 0; k < 2; k++)
                if (P[s][k]) only_class(f, all->K, P[s][k]);
        return RUNG_OK;
    }
    TRY(candidates_run(ctx, &f->c));
    TRY(stack_rows_new(ctx, &ctx->scratch, f->c.base.K, f->c.y, f->c.upper, f->c.base.w, &f->c.together, &f->rows));
    TRY(NEW(ctx, &ctx->scratch, f->loo, f->c.n));
    TRY(NEW(ctx, &ctx->scratch, f->within, f->c.n));
    TRY(NEW(ctx, &ctx->scratch, f->penalty, f->c.n));
    TRY(NEW(ctx, &ctx->scratch, f->mean, f->n_kept * (f->c.base.K - 1)));
    for (int i = 0; i < f->c.n; i++) {
        f->loo[i] = f->c.list[i].loo;
        f->penalty[i] = f->c.list[i].penalty;
    }
    for (int i = 0, next; i < f->c.n; i = next) {
        const candidate *one = &f->c.list[i];
        for (next = i; next < f->c.n && f->c.list[next].kind == one->kind && f->c.list[next].space == one->space;)
            next++;
        stack_family(&f->rows, 8, next - i, f->loo + i, f->penalty + i, f->within + i, f->mean);
        TRY(predict_family(ctx, f, i, next - i, all->K, P[one->space][one->kind]));
    }
    return RUNG_OK;
}

rung_status held_kernels(rung_ctx *ctx, const candidates *all, const double *within, const boost_rows *binned,
                         const folds *f, double *P[SPACES][2])
{
    candidates some = *all, *c = &some;
    TRY(NEW(ctx, &ctx->scratch, some.list, all->n));
    for (int i = 0; i < all->n; i++) {
        some.list[i] = all->list[i];
        if (within && within[i] < KEEP) some.list[i].wanted = false;
    }
    for (int i = 0; i < c->n; i++) {
        const candidate *one = &c->list[i];
        if (!space_weighted(one->space) || !one->wanted || P[one->space][one->kind]) continue;
        TRY(NEW(ctx, &ctx->scratch, P[one->space][one->kind], c->l * (c->base.K - 1)));
    }
    for (int k = 0; k < f->count; k++) {
        pool_mark mark = pool_here(&ctx->scratch);
        kernel_fold one = {0};
        TRY(NEW(ctx, &ctx->scratch, one.kept, c->l));
        TRY(NEW(ctx, &ctx->scratch, one.held, c->l));
        one.n_held = folds_held(f, 0, k, one.held);
        one.n_kept = folds_kept(f, 0, k, one.kept);
        progress_part outer = progress_enter(ctx, "held-out kernels", (double)k / f->count, (double)(k + 1) / f->count);
        TRY(run_fold(ctx, c, binned, &one, P));
        progress_leave(ctx, outer);
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}
