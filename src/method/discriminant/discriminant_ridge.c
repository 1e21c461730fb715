// SPDX-License-Identifier: BSD-3-Clause
/* discriminant_ridge.c - discriminants with a multiple of the kernel as ridge: one Cholesky factorisation, K solves,
 * and folds from the blocks of its inverse. The formulas are at the head of discriminant.c. */
#include "method/discriminant/discriminant_inner.h"

#include <string.h>

typedef struct { /* the order-constrained solution over the classes with mass */
    int K;
    const double *S, *mass; /* K x K, which stays as it is; K */
    double *g;              /* K: S^-1 Delta a / (2 eps) */
    double *mean;           /* K: projected, 1/2 ((eps S)^-1 - s^-1) Delta a */
    double *alpha;          /* K - 1 */
    double size;            /* what cancels in the means */
    bool degenerate;
} class_solution;

/* Room for up to K classes. */
static rung_status class_solution_new(rung_ctx *ctx, int K, class_solution *out)
{
    *out = (class_solution){.K = K};
    TRY(NEW(ctx, &ctx->scratch, out->g, K));
    TRY(NEW(ctx, &ctx->scratch, out->mean, K));
    return NEW(ctx, &ctx->scratch, out->alpha, K);
}

static rung_status solve_classes(rung_ctx *ctx, const discriminant_params *params, class_solution *s)
{
    int K = s->K;
    const double *mass = s->mass;
    double eps = params->ridge, *g = s->g, *mean = s->mean, *alpha = s->alpha;
    pool_mark mark = pool_here(&ctx->scratch);
    double *A = NULL, *inverse = NULL, *G = NULL, *Q = NULL, size = 0; /* G = S^-1 Delta */
    TRY(NEW_RAW(ctx, &ctx->scratch, A, K * K));
    TRY(NEW(ctx, &ctx->scratch, inverse, K * K));
    TRY(NEW(ctx, &ctx->scratch, G, K * (K - 1)));
    TRY(NEW(ctx, &ctx->scratch, Q, (K - 1) * (K - 1)));
    memcpy(A, s->S, sizeof *A * (size_t)(K * K));
    for (int q = 0; q < K; q++) inverse[q + q * K] = 1;
    TRY(la_small_spd_solve(ctx, K, A, K, inverse));
    for (int c = 0; c < K - 1; c++)
        for (int r = 0; r < K; r++) G[r + c * K] = inverse[r + (c + 1) * K] - inverse[r + c * K];
#define CORE(r, c) (G[(r) + (c)*K] / eps + ((r) == (c) ? 1 / mass[r] : (r) == (c) + 1 ? -1 / mass[r] : 0))
    for (int c = 0; c < K - 1; c++)
        for (int r = 0; r < K - 1; r++) Q[r + c * (K - 1)] = CORE(r + 1, c) - CORE(r, c);
    for (int q = 0; q < K; q++) size += inverse[q + q * K] / eps;
    TRY(order_weights(ctx, K, Q, params->C, 1e-13 * size, alpha, &s->degenerate));
    s->size = params->C * size;
    for (int r = 0; r < K; r++) {
        g[r] = mean[r] = 0;
        for (int c = 0; c < K - 1; c++) {
            g[r] += G[r + c * K] * alpha[c] / (2 * eps);
            mean[r] += CORE(r, c) * alpha[c] / 2;
        }
    }
#undef CORE
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

typedef struct {
    const problem *p;
    const class_index *classes;
    const discriminant_params *params;
    const la_mat *G;
    int64_t *order; /* row of the problem at each place of B */
    la_mat *B;      /* G + eps D^-1 in that order, then its factor, then its inverse */
    double *U, *S;  /* n x K in that order, K x K */
} ridge_fit;

/* The rows of a single held-out fold go last. */
static rung_status place_rows(rung_ctx *ctx, ridge_fit *fit, const folds *f)
{
    int64_t n = fit->p->n, kept = 0;
    TRY(NEW(ctx, &ctx->scratch, fit->order, n));
    bool split = f && f->count == 1;
    if (split) kept = folds_kept(f, 0, 0, fit->order);
    if (split) folds_held(f, 0, 0, fit->order + kept);
    for (int64_t i = 0; i < n && !split; i++) fit->order[i] = i;
    return RUNG_OK;
}

static rung_status factor_and_solve(rung_ctx *ctx, ridge_fit *fit)
{
    int64_t n = fit->p->n;
    int K = fit->p->K;
    TRY(la_new(ctx, &ctx->scratch, n, n, &fit->B));
    TRY(la_gather(ctx, fit->G, fit->order, fit->order, fit->B));
    double *diagonal = NULL;
    TRY(NEW(ctx, &ctx->scratch, diagonal, n));
    TRY(NEW(ctx, &ctx->scratch, fit->U, n * K));
    TRY(NEW(ctx, &ctx->scratch, fit->S, K * K));
    for (int64_t i = 0; i < n; i++) {
        int64_t row = fit->order[i];
        diagonal[i] = fit->params->ridge / row_weight(fit->p, row);
        fit->U[i + (fit->p->y[row] - 1) * n] = 1;
    }
    la_add_diagonal(fit->B, 1, diagonal);
    TRY(la_potrf(ctx, fit->B));
    TRY(la_potrs(ctx, fit->B, K, fit->U));
    for (int c = 0; c < K; c++)
        for (int64_t i = 0; i < n; i++) fit->S[fit->p->y[fit->order[i]] - 1 + c * K] += fit->U[i + c * n];
    return RUNG_OK;
}

/* M_FF^-1 U_F for the h places `held` of B: from the factor if they are its tail, else from the inverse. */
static rung_status held_solution(rung_ctx *ctx, const ridge_fit *fit, bool tail, int64_t h, const int64_t *held,
                                 double *Y)
{
    int64_t n = fit->p->n;
    int K = fit->p->K;
    for (int c = 0; c < K; c++)
        for (int64_t i = 0; i < h; i++) Y[i + c * h] = fit->U[held[i] + c * n];
    if (tail) {
        la_trmm_tail(fit->B, h, true, K, Y);
        la_trmm_tail(fit->B, h, false, K, Y);
        return RUNG_OK;
    }
    la_mat *block = NULL;
    TRY(la_new(ctx, &ctx->scratch, h, h, &block));
    TRY(la_gather(ctx, fit->B, held, held, block));
    TRY(la_potrf(ctx, block));
    return la_potrs(ctx, block, K, Y);
}

/* Classes that have mass left once the held-out rows are gone; returns how many. */
static int kept_classes(const ridge_fit *fit, int64_t h, const int64_t *held, double *mass, int *kept)
{
    int count = 0;
    for (int q = 0; q < fit->p->K; q++) {
        int64_t left = fit->classes->size[q];
        mass[count] = fit->classes->mass[q];
        for (int64_t i = 0; i < h; i++) {
            int64_t row = fit->order[held[i]];
            if (fit->p->y[row] != q + 1) continue;
            left--;
            mass[count] -= row_weight(fit->p, row);
        }
        if (left > 0) kept[count++] = q;
    }
    return count;
}

/* One fold: scores and ranks of the h places `held`, appended to out. */
static rung_status score_fold(rung_ctx *ctx, const ridge_fit *fit, bool tail, int64_t h, const int64_t *held,
                              held_out *out)
{
    int64_t n = fit->p->n;
    int K = fit->p->K;
    double *Y = NULL, *S = NULL, *mass = NULL, *thresholds = NULL, *label = NULL, *node = NULL;
    int *kept = NULL;
    class_solution s;
    TRY(NEW(ctx, &ctx->scratch, Y, h * K));
    TRY(NEW(ctx, &ctx->scratch, S, K * K));
    TRY(NEW(ctx, &ctx->scratch, mass, K));
    TRY(NEW(ctx, &ctx->scratch, thresholds, K));
    TRY(NEW(ctx, &ctx->scratch, label, K));
    TRY(NEW(ctx, &ctx->scratch, node, K));
    TRY(NEW(ctx, &ctx->scratch, kept, K));
    TRY(class_solution_new(ctx, K, &s));
    TRY(held_solution(ctx, fit, tail, h, held, Y));
    int left = kept_classes(fit, h, held, mass, kept);
    for (int c = 0; c < left; c++) {
        label[c] = kept[c] + 1;
        for (int r = 0; r < left; r++) { /* S_F = S - U_F' M_FF^-1 U_F */
            double sum = fit->S[kept[r] + kept[c] * K];
            for (int64_t i = 0; i < h; i++) sum -= fit->U[held[i] + kept[r] * n] * Y[i + kept[c] * h];
            S[r + c * left] = sum;
        }
    }
    s.K = left;
    s.S = S;
    s.mass = mass;
    if (left > 1) TRY(solve_classes(ctx, fit->params, &s));
    mean_thresholds((threshold_rule)fit->params->thresholds, left, s.mean, mass, thresholds);
    rank_map map = {.f = node, .s = label};
    rank_map_of_means(left, s.mean, s.size, &map);
    decision decide = {.kind = DECISION_THRESHOLDS, .K = left, .thresholds = thresholds};
    for (int64_t i = 0; i < h; i++) {
        int64_t row = fit->order[held[i]];
        double f = 0;
        for (int c = 0; c < left; c++) f += ((fit->p->y[row] == kept[c] + 1 ? 1.0 : 0.0) - Y[i + kept[c] * h]) * s.g[c];
        out->row[out->n] = row;
        out->score[out->n] = rank_score(&map, f);
        out->rank[out->n++] = kept[decision_rank(&decide, f) - 1] + 1;
    }
    return RUNG_OK;
}

static rung_status score_folds(rung_ctx *ctx, pool *mem, ridge_fit *fit, const folds *f, held_out *out)
{
    int64_t n = fit->p->n, *held = NULL, *rows = NULL, *place = NULL;
    bool tail = f->count == 1;
    if (!tail) TRY(la_potri(ctx, fit->B));
    TRY(held_out_new(ctx, mem, n * f->repeats, out));
    TRY(NEW(ctx, &ctx->scratch, held, n));
    TRY(NEW(ctx, &ctx->scratch, rows, n));
    TRY(NEW(ctx, &ctx->scratch, place, n)); /* the position in B of a row of the problem */
    for (int64_t i = 0; i < n; i++) place[fit->order[i]] = i;
    for (int r = 0; r < f->repeats; r++)
        for (int fold = 0; fold < f->count; fold++) {
            TRY(interrupted(ctx));
            int64_t h = folds_held(f, r, fold, rows), first = out->n;
            for (int64_t i = 0; i < h; i++) held[i] = place[rows[i]];
            pool_mark mark = pool_here(&ctx->scratch);
            if (h > 0) TRY(score_fold(ctx, fit, tail, h, held, out));
            pool_release(&ctx->scratch, mark);
            for (int64_t i = first; i < out->n; i++) {
                out->repeat[i] = r;
                out->fold[i] = fold;
            }
        }
    return RUNG_OK;
}

static ridge_fit ridge_fit_of(const dl_setting *s)
{
    return (ridge_fit){.p = &s->labelled, .classes = &s->classes, .params = s->params, .G = s->form.G};
}

rung_status order_by_kernel_ridge(rung_ctx *ctx, pool *mem, const dl_setting *s, const folds *f, order_solution *out,
                                  held_out *held)
{
    const problem *p = &s->labelled;
    ridge_fit fit = ridge_fit_of(s);
    class_solution all;
    TRY(class_solution_new(ctx, p->K, &all));
    TRY(place_rows(ctx, &fit, f));
    TRY(factor_and_solve(ctx, &fit));
    all.S = fit.S;
    all.mass = s->classes.mass;
    all.alpha = out->alpha;
    TRY(solve_classes(ctx, s->params, &all));
    out->degenerate = all.degenerate;
    for (int64_t i = 0; i < p->n; i++)
        for (int q = 0; q < p->K; q++) out->c[fit.order[i]] += fit.U[i + q * p->n] * all.g[q];
    return f ? score_folds(ctx, mem, &fit, f, held) : RUNG_OK;
}

rung_status directions_by_kernel_ridge(rung_ctx *ctx, const dl_setting *s, const double *R, double *C, double *gram,
                                       double *rounding)
{
    const problem *p = &s->labelled;
    ridge_fit fit = ridge_fit_of(s);
    double eps = s->params->ridge;
    int K = p->K;
    double *A = NULL, *X = NULL; /* X = S^-1 R */
    TRY(NEW_RAW(ctx, &ctx->scratch, A, K * K));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, K * K));
    TRY(place_rows(ctx, &fit, NULL));
    TRY(factor_and_solve(ctx, &fit));
    memcpy(A, fit.S, sizeof *A * (size_t)(K * K));
    memcpy(X, R, sizeof *X * (size_t)(K * K));
    TRY(la_small_spd_solve(ctx, K, A, K, X));
    *rounding = 0;
    for (int c = 0; c < K; c++)
        for (int q = 0; q < K; q++) *rounding += 1e-13 * fabs(R[q + c * K] * X[q + c * K] / eps);
    for (int r = 0; r < K; r++)
        for (int c = 0; c < K; c++)
            for (int q = 0; q < K; q++)
                gram[r + c * K] += R[q + r * K] * (X[q + c * K] / eps - R[q + c * K] / s->classes.mass[q]);
    for (int c = 0; c < K; c++)
        for (int q = 0; q < K; q++)
            for (int64_t i = 0; i < p->n; i++) C[i + c * p->n] += fit.U[i + q * p->n] * X[q + c * K] / eps;
    return RUNG_OK;
}
