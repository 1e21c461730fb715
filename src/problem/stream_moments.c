// SPDX-License-Identifier: BSD-3-Clause
/* Second moments and sums by class of the landmark features of all labelled rows of a stream: what kdlor, krr and ckr
 * need of them, in one pass. Where the landmarks allow it kernel columns are summed, and solved for once. */
#include <string.h>

#include "problem/problem.h"

typedef struct {
    const problem *p;
    const landmarks *l;
    const double *shift;
    bool single;
    la_mat *S, *room; /* m x m; for the features of a block: new memory costs as much as filling it */
} moments_pass;

/* From so many rows on, products are in single precision where the landmarks are far from dependent: half the time, and
 * errors below what another sample of as many rows would change (docs/scale.md). */
static const int64_t SINGLE_FROM = 1000000;

/* Second moment, sums, masses and sizes follow each other. */
static rung_status add_block(rung_ctx *ctx, void *user, const problem_block *b, double *sum)
{
    const moments_pass *pass = user;
    int64_t m = pass->l->m, *rows = NULL;
    int K = pass->p->K;
    double *sums = sum + m * m, *mass = sums + m * K, *size = mass + K;
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, b->n));
    la_put(sum, pass->S);
    for (int64_t i = 0; i < b->n; i++) {
        rows[i] = i;
        mass[b->y[i] - 1] += b->w ? b->w[i] : 1;
        size[b->y[i] - 1]++;
    }
    grouped_rows all = {.X = b->X,
                        .count = b->n,
                        .rows = rows,
                        .weight = b->w,
                        .groups = K,
                        .group = b->y,
                        .shift = pass->shift,
                        .single = pass->single,
                        .room = pass->room};
    TRY(landmarks_add_moments(ctx, pass->l, !pass->l->steady, &all, 1, pass->S, sums));
    la_get(pass->S, sum);
    return RUNG_OK;
}

/* Near the mean of what is summed, by some rows of the sample spread over all of it: moments about it lose no digits to
 * a mean that is large beside them. */
static rung_status find_shift(rung_ctx *ctx, const problem *p, const landmarks *l, double *shift)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = p->n < STREAM_BLOCK ? p->n : STREAM_BLOCK;
    double *X = NULL;
    la_mat *F = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * n));
    TRY(la_new(ctx, &ctx->scratch, l->m, n, &F));
    for (int64_t i = 0; i < n; i++) memcpy(X + i * p->d, p->X + i * p->n / n * p->d, (size_t)p->d * sizeof *X);
    TRY(l->steady ? landmarks_columns(ctx, l, 0, n, X, F) : landmarks_features(ctx, l, n, X, F));
    TRY(la_row_sums(ctx, F, shift));
    for (int64_t j = 0; j < l->m; j++) shift[j] /= (double)n;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* From moments about the shift s to those about 0: with W = sum w and u = sum w (phi - s),
 *     sum w phi phi' = S + W (s + u/W)(s + u/W)' - u u'/W. */
static rung_status unshift(rung_ctx *ctx, int64_t m, int K, stream_moments *all)
{
    double *u = NULL, *centre = NULL, W = 0;
    la_mat *vector = NULL;
    TRY(NEW(ctx, &ctx->scratch, u, m));
    TRY(NEW(ctx, &ctx->scratch, centre, m));
    TRY(la_new(ctx, &ctx->scratch, m, 1, &vector));
    for (int q = 0; q < K; q++) {
        W += all->mass[q];
        for (int64_t j = 0; j < m; j++) {
            u[j] += all->sums[j + q * m];
            all->sums[j + q * m] += all->mass[q] * all->shift[j];
        }
    }
    for (int64_t j = 0; j < m; j++) centre[j] = all->shift[j] + u[j] / W;
    la_put(centre, vector);
    TRY(la_syrk(ctx, false, W, vector, 1, all->S));
    la_put(u, vector);
    TRY(la_syrk(ctx, false, -1 / W, vector, 1, all->S));
    memset(all->shift, 0, (size_t)m * sizeof *all->shift);
    return RUNG_OK;
}

rung_status problem_moments(rung_ctx *ctx, const problem *p, const landmarks *l, bool shifted, stream_moments *out)
{
    int64_t m = l->m;
    int K = p->K;
    double *sum = NULL;
    *out = (stream_moments){0};
    TRY(NEW(ctx, &ctx->scratch, out->sums, m * (K + 1)));
    TRY(NEW(ctx, &ctx->scratch, out->mass, 2 * K));
    TRY(la_new(ctx, &ctx->scratch, m, m, &out->S));
    out->size = out->mass + K;
    out->shift = out->sums + m * K;
    pool_mark mark = pool_here(&ctx->scratch);
    bool single = l->far_apart && p->stream->rows->n_labelled >= SINGLE_FROM;
    if (shifted || single) TRY(find_shift(ctx, p, l, out->shift));
    TRY(NEW_RAW(ctx, &ctx->scratch, sum, m * m + m * K + 2 * K));
    moments_pass pass = {.p = p, .l = l, .shift = shifted || single ? out->shift : NULL, .single = single};
    TRY(la_new(ctx, &ctx->scratch, m, m, &pass.S));
    TRY(la_new(ctx, &ctx->scratch, m, LANDMARK_TILE, &pass.room));
    TRY(problem_sum(ctx, p, add_block, &pass, m * m + m * K + 2 * K, sum));
    la_put(sum, out->S);
    memcpy(out->sums, sum + m * m, (size_t)(m * K) * sizeof *sum);
    memcpy(out->mass, sum + m * m + m * K, (size_t)(2 * K) * sizeof *sum);
    pool_release(&ctx->scratch, mark);
    if (l->steady) TRY(landmarks_solve_moments(ctx, l, K + 1, out->S, out->sums));
    return single && !shifted ? unshift(ctx, m, K, out) : RUNG_OK;
}

/* The moments and their sum; a sum for each level of the tree, a copy and a tile of features while blocks are added. */
double problem_moments_bytes(int64_t d, int64_t m_)
{
    const double levels = 6; /* STREAM_SLOTS = 2^levels */
    double m = (double)m_;
    return 8 * ((levels + 3) * m * m + 1.2 * STREAM_BLOCK * m + 4 * STREAM_BLOCK * (double)d);
}
