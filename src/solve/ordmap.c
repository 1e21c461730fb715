// SPDX-License-Identifier: BSD-3-Clause
#include "solve/ordmap.h"

#include <math.h>
#include <string.h>

#include "solve/ordprobit.h"

enum { SLICES = 16, SLICE_ROWS = 256, MOST_STEPS = 200 };

rung_status ordmap_state_new(rung_ctx *ctx, pool *mem, const ordmap_rows *rows, ordmap_state *out)
{
    *out = (ordmap_state){0};
    TRY(NEW(ctx, mem, out->f, rows->n));
    TRY(NEW(ctx, mem, out->H, rows->n));
    return NEW(ctx, mem, out->slope, rows->n * rows->K);
}

void ordmap_null_thresholds(const ordmap_rows *rows, double *b)
{
    for (int q = 1; q < rows->K; q++) {
        int64_t below = 0;
        for (int64_t i = 0; i < rows->n; i++) below += rows->y[i] <= q;
        b[q - 1] = normal_quantile((double)below / (double)rows->n);
    }
}

/* ---- F and its derivatives ---- */

typedef struct {             /* what the rows say of the thresholds, J = K - 1 */
    double *gradient;        /* J: d/db_j */
    double *diagonal, *next; /* J: -d^2/db_j^2; -d^2/db_j db_{j+1} */
    double log_likelihood;
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

static double penalty(int64_t M, const double *alpha, const double *w)
{
    double sum = 0;
    for (int64_t j = 0; j < M; j++) sum += 0.5 * alpha[j] * w[j] * w[j];
    return sum;
}

/* Everything at state->f and b. The sums of a slice are made by one thread and added in their order. */
static rung_status evaluate(rung_ctx *ctx, const ordmap_rows *rows, const double *b, ordmap_state *state,
                            threshold_sums *out)
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
    memset(out->gradient, 0, (size_t)J * sizeof(double));
    memset(out->diagonal, 0, (size_t)J * sizeof(double));
    memset(out->next, 0, (size_t)J * sizeof(double));
    out->log_likelihood = 0;
    for (int64_t s = 0; s < slices; s++) {
        out->log_likelihood += part[s].log_likelihood;
        for (int64_t j = 0; j < J; j++) {
            out->gradient[j] += part[s].gradient[j];
            out->diagonal[j] += part[s].diagonal[j];
            out->next[j] += part[s].next[j];
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- a step ---- */

/* The negative Hessian over (w, b), or over w alone, and the gradient. */
static rung_status newton_system(rung_ctx *ctx, const ordmap_rows *rows, const la_tall *T, const double *alpha,
                                 const double *w, bool fixed, const ordmap_state *state, const threshold_sums *sum,
                                 double *A, double *g)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t M = la_tall_cols(T), J = rows->K - 1, N = fixed ? M : M + J;
    la_mat *G = NULL;
    double *gram = NULL, *sums = NULL;
    TRY(la_new(ctx, &ctx->scratch, M, M, &G));
    TRY(NEW_RAW(ctx, &ctx->scratch, gram, M * M));
    TRY(NEW_RAW(ctx, &ctx->scratch, sums, M * (J + 1)));
    TRY(la_tall_gram(ctx, T, state->H, G));
    la_get(G, gram);
    TRY(la_tall_sums(ctx, T, J + 1, state->slope, sums));
    memset(A, 0, (size_t)(N * N) * sizeof *A);
    for (int64_t j = 0; j < M; j++) {
        memcpy(A + j * N, gram + j * M, (size_t)M * sizeof *A);
        A[j + j * N] += alpha[j];
        g[j] = sums[j] - alpha[j] * w[j];
    }
    for (int64_t k = 0; k < J && !fixed; k++) {
        for (int64_t j = 0; j < M; j++) A[j + (M + k) * N] = A[M + k + j * N] = sums[j + (k + 1) * M];
        A[M + k + (M + k) * N] = sum->diagonal[k];
        if (k + 1 < J) A[M + k + 1 + (M + k) * N] = A[M + k + (M + k + 1) * N] = sum->next[k];
        g[M + k] = sum->gradient[k];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* step = A^-1 g. Far in the tails A may be singular to working precision: then with a small multiple of I, which keeps
 * it a direction of ascent. */
static rung_status newton_step(rung_ctx *ctx, int64_t N, const double *A, const double *g, double *step)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *L = NULL;
    double trace = 0, ridge = 0;
    for (int64_t j = 0; j < N; j++) trace += A[j + j * N];
    if (!isfinite(trace)) return fail(ctx, RUNG_ENOCONV, "the Newton iteration for weights and thresholds overflows");
    TRY(la_new(ctx, &ctx->scratch, N, N, &L));
    for (;;) {
        la_put(A, L);
        la_add_diagonal(L, ridge, NULL);
        rung_status status = la_potrf(ctx, L);
        if (status != RUNG_ESINGULAR || ridge > 1e-3 * trace) {
            TRY(status);
            break;
        }
        ridge = ridge > 0 ? 100 * ridge : 1e-13 * trace / (double)N + 1e-300;
    }
    memcpy(step, g, (size_t)N * sizeof *step);
    TRY(la_potrs(ctx, L, 1, step));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static bool ascends(int J, const double *b)
{
    for (int j = 1; j < J; j++)
        if (!(b[j] > b[j - 1])) return false;
    return true;
}

typedef struct {
    double *A, *g, *step; /* of the system */
    double *w, *b, *f, *df;
    threshold_sums sums;
} newton_room;

static rung_status newton_room_new(rung_ctx *ctx, const ordmap_rows *rows, int64_t M, newton_room *r)
{
    int64_t J = rows->K - 1, N = M + J;
    TRY(NEW_RAW(ctx, &ctx->scratch, r->A, N * N));
    TRY(NEW_RAW(ctx, &ctx->scratch, r->g, N));
    TRY(NEW(ctx, &ctx->scratch, r->step, N));
    TRY(NEW(ctx, &ctx->scratch, r->w, M));
    TRY(NEW(ctx, &ctx->scratch, r->b, J));
    TRY(NEW_RAW(ctx, &ctx->scratch, r->f, rows->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, r->df, rows->n));
    TRY(NEW(ctx, &ctx->scratch, r->sums.gradient, J));
    TRY(NEW(ctx, &ctx->scratch, r->sums.diagonal, J));
    return NEW(ctx, &ctx->scratch, r->sums.next, J);
}

/* Halves the step until it gains what its slope promises (or, at the end, loses nothing but rounding). */
static rung_status line_search(rung_ctx *ctx, const ordmap_rows *rows, int64_t M, const double *alpha, bool fixed,
                               double decrement, const double *w, const double *b, newton_room *r, ordmap_state *state,
                               bool *moved)
{
    int J = rows->K - 1;
    double F = state->log_posterior, scale = fmax(1, fabs(F)), t = 1;
    memcpy(r->f, state->f, (size_t)rows->n * sizeof *r->f);
    for (; t > 1e-12; t *= 0.5) {
        for (int64_t j = 0; j < M; j++) r->w[j] = w[j] + t * r->step[j];
        for (int j = 0; j < J; j++) r->b[j] = b[j] + (fixed ? 0 : t * r->step[M + j]);
        if (!ascends(J, r->b)) continue;
        for (int64_t i = 0; i < rows->n; i++) state->f[i] = r->f[i] + t * r->df[i];
        TRY(evaluate(ctx, rows, r->b, state, &r->sums));
        state->log_posterior = r->sums.log_likelihood - penalty(M, alpha, r->w);
        if (state->log_posterior >= F + 1e-4 * t * decrement ||
            (decrement < 1e-10 * scale && state->log_posterior >= F - 1e-11 * scale))
            break;
    }
    *moved = t > 1e-12;
    if (*moved) return RUNG_OK;
    memcpy(state->f, r->f, (size_t)rows->n * sizeof *r->f);
    TRY(evaluate(ctx, rows, b, state, &r->sums));
    state->log_posterior = F;
    return RUNG_OK;
}

rung_status ordmap_fit(rung_ctx *ctx, const ordmap_rows *rows, const la_tall *T, const double *alpha, double tolerance,
                       bool fixed, double *w, double *b, ordmap_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t M = la_tall_cols(T), J = rows->K - 1, N = fixed ? M : M + J;
    newton_room r = {0};
    TRY(newton_room_new(ctx, rows, M, &r));
    TRY(la_tall_mul(ctx, T, w, state->f));
    TRY(evaluate(ctx, rows, b, state, &r.sums));
    state->log_posterior = r.sums.log_likelihood - penalty(M, alpha, w);
    if (!isfinite(state->log_posterior))
        return fail(ctx, RUNG_ENOCONV, "the likelihood of the labels is %g at the start", state->log_posterior);
    for (state->steps = 0; N > 0 && state->steps < MOST_STEPS; state->steps++) {
        double decrement = 0;
        bool moved;
        TRY(interrupted(ctx));
        TRY(newton_system(ctx, rows, T, alpha, w, fixed, state, &r.sums, r.A, r.g));
        TRY(newton_step(ctx, N, r.A, r.g, r.step));
        for (int64_t j = 0; j < N; j++) decrement += r.g[j] * r.step[j];
        TRY(la_tall_mul(ctx, T, r.step, r.df));
        TRY(line_search(ctx, rows, M, alpha, fixed, decrement, w, b, &r, state, &moved));
        if (!moved) break;
        memcpy(w, r.w, (size_t)M * sizeof *w);
        memcpy(b, r.b, (size_t)J * sizeof *b);
        if (decrement <= tolerance * fmax(1, fabs(state->log_posterior))) break;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
