// SPDX-License-Identifier: BSD-3-Clause
#include "solve/ordmap.h"

#include <math.h>
#include <string.h>

#include "solve/ordprobit.h"

enum { SLICES = 16, SLICE_ROWS = 256, MOST_STEPS = 200, MORE = 64 };

void ordmap_null_thresholds(const ordmap_rows *rows, double *b)
{
    for (int q = 1; q < rows->K; q++) {
        int64_t below = 0;
        for (int64_t i = 0; i < rows->n; i++) below += rows->y[i] <= q;
        b[q - 1] = normal_quantile((double)below / (double)rows->n);
    }
}

/* ---- state ---- */

rung_status ordmap_state_new(rung_ctx *ctx, pool *mem, const ordmap_rows *rows, ordmap_state *out)
{
    int J = rows->K - 1;
    *out = (ordmap_state){.mem = mem};
    TRY(NEW(ctx, mem, out->f, rows->n));
    TRY(NEW(ctx, mem, out->H, rows->n));
    TRY(NEW(ctx, mem, out->slope, rows->n * rows->K));
    TRY(NEW(ctx, mem, out->gradient, J));
    TRY(NEW(ctx, mem, out->diagonal, J));
    TRY(NEW(ctx, mem, out->next, J));
    return NEW(ctx, mem, out->gram, 0);
}

static rung_status make_room(rung_ctx *ctx, ordmap_state *state, int64_t M)
{
    if (M <= state->room) return RUNG_OK;
    TRY(RESIZE(ctx, state->mem, state->gram, (M + MORE) * (M + MORE)));
    state->room = M + MORE;
    return RUNG_OK;
}

rung_status ordmap_state_grow(rung_ctx *ctx, ordmap_state *state, const la_tall *T, const double *column)
{
    int64_t n = la_tall_rows(T), M = la_tall_cols(T);
    TRY(make_room(ctx, state, M));
    if (!state->fresh) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    double *weighted = NULL, *products = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, weighted, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, products, M));
    for (int64_t i = 0; i < n; i++) weighted[i] = state->H[i] * column[i];
    TRY(la_tall_sums(ctx, T, 1, weighted, products));
    for (int64_t j = M - 2; j >= 0; j--) /* backwards: the columns become longer in place */
        memmove(state->gram + j * M, state->gram + j * (M - 1), (size_t)(M - 1) * sizeof *products);
    for (int64_t j = 0; j < M; j++) state->gram[j + (M - 1) * M] = state->gram[M - 1 + j * M] = products[j];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- F and its derivatives ---- */

typedef struct { /* what some rows say of the thresholds */
    double *gradient, *diagonal, *next, log_likelihood;
} threshold_sums;

static void slice_rows(const ordmap_rows *rows, const double *b, int64_t from, int64_t to, ordmap_state *state,
                       threshold_sums *sum)
{
    int64_t n = rows->n;
    int K = rows->K;
    for (int64_t i = from; i < to; i++) {
        int y = rows->y[i];
        ordprobit o = ordprobit_at(state->f[i], y, K, b, 1);
        sum->log_likelihood += o.lp;
        state->H[i] = o.H;
        state->slope[i] = o.delta;
        for (int j = 1; j < K; j++) state->slope[i + j * n] = 0;
        if (y < K) { /* b_y is the upper threshold */
            state->slope[i + y * n] = o.h11 + o.h12;
            sum->gradient[y - 1] += o.e1;
            sum->diagonal[y - 1] -= o.h11;
        }
        if (y > 1) {
            state->slope[i + (y - 1) * n] = o.h12 + o.h22;
            sum->gradient[y - 2] -= o.e2;
            sum->diagonal[y - 2] -= o.h22;
        }
        if (y > 1 && y < K) sum->next[y - 2] -= o.h12;
    }
}

/* Everything but the gram matrix, at state->f and b. The sums of a slice are made by one thread and added in their
 * order. */
static rung_status evaluate(rung_ctx *ctx, const ordmap_rows *rows, const double *b, ordmap_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t J = rows->K - 1, most = (rows->n + SLICE_ROWS - 1) / SLICE_ROWS, slices = most < SLICES ? most : SLICES;
    threshold_sums *part = NULL;
    double *room = NULL;
    TRY(NEW(ctx, &ctx->scratch, part, slices));
    TRY(NEW(ctx, &ctx->scratch, room, slices * 3 * J));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (slices > 1)
    for (int64_t s = 0; s < slices; s++) {
        double *mine = room + s * 3 * J;
        part[s] = (threshold_sums){mine, mine + J, mine + 2 * J, 0};
        slice_rows(rows, b, rows->n * s / slices, rows->n * (s + 1) / slices, state, &part[s]);
    }
    memset(state->gradient, 0, (size_t)J * sizeof(double));
    memset(state->diagonal, 0, (size_t)J * sizeof(double));
    memset(state->next, 0, (size_t)J * sizeof(double));
    state->log_likelihood = 0;
    for (int64_t s = 0; s < slices; s++) {
        state->log_likelihood += part[s].log_likelihood;
        for (int64_t j = 0; j < J; j++) {
            state->gradient[j] += part[s].gradient[j];
            state->diagonal[j] += part[s].diagonal[j];
            state->next[j] += part[s].next[j];
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status compute_gram(rung_ctx *ctx, const la_tall *T, ordmap_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *G = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_tall_cols(T), la_tall_cols(T), &G));
    TRY(la_tall_gram(ctx, T, state->H, G));
    la_get(G, state->gram);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static double penalty(int64_t M, const double *alpha, const double *w)
{
    double sum = 0;
    for (int64_t j = 0; j < M; j++) sum += 0.5 * alpha[j] * w[j] * w[j];
    return sum;
}

/* ---- a step ---- */

typedef struct {
    const ordmap_rows *rows;
    const la_tall *T;
    const double *alpha;
    int64_t M, J, N;        /* weights, thresholds, unknowns */
    double *A, *g, *step;   /* N x N, N, M + J: the system */
    double *w, *b, *f, *df; /* where a step leads; f before it, and its change */
} newton;

static rung_status newton_new(rung_ctx *ctx, newton *t)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, t->A, t->N * t->N));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->g, t->N));
    TRY(NEW(ctx, &ctx->scratch, t->step, t->M + t->J));
    TRY(NEW(ctx, &ctx->scratch, t->w, t->M));
    TRY(NEW(ctx, &ctx->scratch, t->b, t->J));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->f, t->rows->n));
    return NEW_RAW(ctx, &ctx->scratch, t->df, t->rows->n);
}

/* The negative Hessian over (w, b), and the gradient. */
static rung_status newton_system(rung_ctx *ctx, const newton *t, const double *w, const ordmap_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t M = t->M, J = t->J, N = t->N;
    double *sums = NULL, *A = t->A;
    TRY(NEW_RAW(ctx, &ctx->scratch, sums, M * (J + 1)));
    TRY(la_tall_sums(ctx, t->T, J + 1, state->slope, sums));
    memset(A, 0, (size_t)(N * N) * sizeof *A);
    for (int64_t j = 0; j < M; j++) {
        memcpy(A + j * N, state->gram + j * M, (size_t)M * sizeof *A);
        A[j + j * N] += t->alpha[j];
        t->g[j] = sums[j] - t->alpha[j] * w[j];
    }
    for (int64_t k = 0; k < J; k++) {
        for (int64_t j = 0; j < M; j++) A[j + (M + k) * N] = A[M + k + j * N] = sums[j + (k + 1) * M];
        A[M + k + (M + k) * N] = state->diagonal[k];
        if (k + 1 < J) A[M + k + 1 + (M + k) * N] = A[M + k + (M + k + 1) * N] = state->next[k];
        t->g[M + k] = state->gradient[k];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* step = A^-1 g. Far in the tails A may be singular to working precision: then with a small multiple of I, which keeps
 * it a direction of ascent. */
static rung_status newton_solve(rung_ctx *ctx, const newton *t)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *L = NULL;
    double trace = 0, ridge = 0;
    for (int64_t j = 0; j < t->N; j++) trace += t->A[j + j * t->N];
    if (!isfinite(trace)) return fail(ctx, RUNG_ENOCONV, "the Newton iteration for weights and thresholds overflows");
    TRY(la_new(ctx, &ctx->scratch, t->N, t->N, &L));
    for (;;) {
        la_put(t->A, L);
        la_add_diagonal(L, ridge, NULL);
        rung_status status = la_potrf(ctx, L);
        if (status != RUNG_ESINGULAR || ridge > 1e-3 * trace) {
            TRY(status);
            break;
        }
        ridge = ridge > 0 ? 100 * ridge : 1e-13 * trace / (double)t->N + 1e-300;
    }
    memcpy(t->step, t->g, (size_t)t->N * sizeof *t->step);
    TRY(la_potrs(ctx, L, 1, t->step));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static bool ascends(int64_t J, const double *b)
{
    for (int64_t j = 1; j < J; j++)
        if (!(b[j] > b[j - 1])) return false;
    return true;
}

/* Halves the step until it gains what its slope promises (or, at the end, loses nothing but rounding). */
static rung_status line_search(rung_ctx *ctx, const newton *t, double decrement, const double *w, const double *b,
                               ordmap_state *state, bool *moved)
{
    int64_t n = t->rows->n;
    double F = state->log_posterior, scale = fmax(1, fabs(F)), length = 1;
    memcpy(t->f, state->f, (size_t)n * sizeof *t->f);
    for (; length > 1e-12; length *= 0.5) {
        for (int64_t j = 0; j < t->M; j++) t->w[j] = w[j] + length * t->step[j];
        for (int64_t j = 0; j < t->J; j++) t->b[j] = b[j] + length * t->step[t->M + j];
        if (!ascends(t->J, t->b)) continue;
        for (int64_t i = 0; i < n; i++) state->f[i] = t->f[i] + length * t->df[i];
        TRY(evaluate(ctx, t->rows, t->b, state));
        state->log_posterior = state->log_likelihood - penalty(t->M, t->alpha, t->w);
        if (state->log_posterior >= F + 1e-4 * length * decrement ||
            (decrement < 1e-10 * scale && state->log_posterior >= F - 1e-11 * scale))
            break;
    }
    *moved = length > 1e-12;
    if (*moved) return RUNG_OK;
    memcpy(state->f, t->f, (size_t)n * sizeof *t->f);
    TRY(evaluate(ctx, t->rows, b, state));
    state->log_posterior = F;
    return RUNG_OK;
}

rung_status ordmap_fit(rung_ctx *ctx, const ordmap_rows *rows, const la_tall *T, const double *alpha, double tolerance,
                       double *w, double *b, ordmap_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t M = la_tall_cols(T), J = rows->K - 1;
    newton t = {.rows = rows, .T = T, .alpha = alpha, .M = M, .J = J, .N = M + J};
    TRY(newton_new(ctx, &t));
    TRY(make_room(ctx, state, M));
    if (!state->fresh) {
        TRY(la_tall_mul(ctx, T, w, state->f));
        TRY(evaluate(ctx, rows, b, state));
        TRY(compute_gram(ctx, T, state));
    }
    state->fresh = false; /* until all is done */
    state->log_posterior = state->log_likelihood - penalty(M, alpha, w);
    if (!isfinite(state->log_posterior))
        return fail(ctx, RUNG_ENOCONV, "the likelihood of the labels is 0 where the iteration starts");
    for (state->steps = 0; state->steps < MOST_STEPS;) {
        double decrement = 0;
        bool moved;
        TRY(interrupted(ctx));
        TRY(newton_system(ctx, &t, w, state));
        TRY(newton_solve(ctx, &t));
        for (int64_t j = 0; j < t.N; j++) decrement += t.g[j] * t.step[j];
        TRY(la_tall_mul(ctx, T, t.step, t.df));
        TRY(line_search(ctx, &t, decrement, w, b, state, &moved));
        if (!moved) break;
        state->steps++;
        memcpy(w, t.w, (size_t)M * sizeof *w);
        memcpy(b, t.b, (size_t)J * sizeof *b);
        TRY(compute_gram(ctx, T, state));
        if (decrement <= tolerance * fmax(1, fabs(state->log_posterior))) break;
    }
    state->fresh = true;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
