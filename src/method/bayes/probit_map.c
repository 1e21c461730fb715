// SPDX-License-Identifier: BSD-3-Clause
#include "method/bayes/probit_map.h"

#include <math.h>
#include <string.h>

#include "method/bayes/bordered.h"
#include "solve/ordinal_probit.h"

enum { SLICES = 16, SLICE_ROWS = 256, SHARED_ROWS = 4000, MOST_STEPS = 200, MORE = 64 };
static const double ROUNDED = 1e-8; /* of a decrement, relative to the log posterior */

void probit_map_null_thresholds(const probit_map_rows *rows, double *b)
{
    int64_t below = 0;
    memset(b, 0, (size_t)(rows->K - 1) * sizeof *b);
    for (int64_t i = 0; i < rows->n; i++)
        if (rows->y[i] < rows->K) b[rows->y[i] - 1]++;
    for (int q = 1; q < rows->K; q++) {
        below += (int64_t)b[q - 1];
        b[q - 1] = normal_quantile((double)below / (double)rows->n);
    }
}

/* ---- state ---- */

/* Of the class frequencies. */
static double null_likelihood(const probit_map_rows *rows, double *room)
{
    double sum = 0, n = (double)rows->n, last = n;
    for (int64_t i = 0; i < rows->n; i++)
        if (rows->y[i] < rows->K) room[rows->y[i] - 1]++;
    for (int q = 1; q < rows->K; q++) {
        sum += room[q - 1] * log(room[q - 1] / n);
        last -= room[q - 1];
    }
    return sum + last * log(last / n);
}

rung_status probit_map_state_new(rung_ctx *ctx, pool *mem, const probit_map_rows *rows, probit_map_state *out)
{
    int J = rows->K - 1;
    *out = (probit_map_state){.mem = mem};
    TRY(NEW(ctx, mem, out->f, rows->n));
    TRY(NEW(ctx, mem, out->H, rows->n));
    TRY(NEW(ctx, mem, out->delta, rows->n));
    TRY(NEW(ctx, mem, out->lower, rows->n));
    TRY(NEW(ctx, mem, out->upper, rows->n));
    TRY(NEW(ctx, mem, out->gradient, J));
    TRY(NEW(ctx, mem, out->diagonal, J));
    TRY(NEW(ctx, mem, out->next, J));
    out->null_likelihood = null_likelihood(rows, out->gradient);
    return NEW(ctx, mem, out->gram, 0);
}

static rung_status make_room(rung_ctx *ctx, probit_map_state *state, int64_t M)
{
    if (M <= state->room) return RUNG_OK;
    TRY(RESIZE(ctx, state->mem, state->gram, (M + MORE) * (M + MORE)));
    state->room = M + MORE;
    return RUNG_OK;
}

rung_status probit_map_state_grow(rung_ctx *ctx, probit_map_state *state, const la_tall *T, const double *column)
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

typedef struct { /* contributions of some rows to the thresholds */
    double *gradient, *diagonal, *next, log_likelihood;
} threshold_sums;

/* To second order log p of a row is -1/2 [u (b_y - f)^2 + l (b_{y-1} - f)^2 + e1 e2 (b_y - b_{y-1})^2], u + l = H: with
 * the mean delta of the noise, a normal truncated to z2..z1, u = e1 (z1 - delta) and l = e2 (delta - z2). Summed up
 * from these, none of them negative, the Hessian has the right sign even for narrow or distant classes. */
static void slice_rows(const probit_map_rows *rows, const double *b, int64_t from, int64_t to, probit_map_state *state,
                       threshold_sums *sum)
{
    int K = rows->K;
    for (int64_t i = from; i < to; i++) {
        int y = rows->y[i];
        ordinal_probit o = ordinal_probit_at(state->f[i], y, y, K, b, 1);
        double u = o.e1 * (o.z1 - o.delta), l = o.e2 * (o.delta - o.z2), beside = o.e1 * o.e2;
        double upper = u > 0 ? u : 0, lower = l > 0 ? l : 0;
        sum->log_likelihood += o.lp;
        state->H[i] = upper + lower;
        state->delta[i] = o.delta;
        state->lower[i] = -lower;
        state->upper[i] = -upper;
        if (y < K) { /* b_y is the upper threshold */
            sum->gradient[y - 1] += o.e1;
            sum->diagonal[y - 1] += upper + beside;
        }
        if (y > 1) {
            sum->gradient[y - 2] -= o.e2;
            sum->diagonal[y - 2] += lower + beside;
        }
        if (y > 1 && y < K) sum->next[y - 2] -= beside;
    }
}

/* Everything but the gram matrix, at state->f and b. The sums of a slice are made by one thread and added in their
 * order. */
static rung_status evaluate(rung_ctx *ctx, const probit_map_rows *rows, const double *b, probit_map_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t J = rows->K - 1, most = (rows->n + SLICE_ROWS - 1) / SLICE_ROWS, slices = most < SLICES ? most : SLICES;
    threshold_sums *part = NULL;
    double *room = NULL;
    TRY(NEW(ctx, &ctx->scratch, part, slices));
    TRY(NEW(ctx, &ctx->scratch, room, slices * 3 * J));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (rows->n > SHARED_ROWS)
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

static rung_status compute_gram(rung_ctx *ctx, const la_tall *T, probit_map_state *state)
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
    const probit_map_rows *rows;
    const la_tall *T;
    const double *alpha;
    int64_t M, J;           /* weights, thresholds */
    double *cross;          /* M x (J + 2): minus the mixed second derivatives, with b_0 and b_K, where they are 0 */
    double *g, *step;       /* M + J: the gradient over (w, b), and the step */
    double *w, *b, *f, *df; /* the end of a step; f before it, and its change */
} newton;

static rung_status newton_new(rung_ctx *ctx, newton *t)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, t->cross, t->M * (t->J + 2)));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->g, t->M + t->J));
    TRY(NEW(ctx, &ctx->scratch, t->step, t->M + t->J));
    TRY(NEW(ctx, &ctx->scratch, t->w, t->M));
    TRY(NEW(ctx, &ctx->scratch, t->b, t->J));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->f, t->rows->n));
    return NEW_RAW(ctx, &ctx->scratch, t->df, t->rows->n);
}

/* What the negative Hessian over (w, b) has besides the gram matrix, and the gradient. */
static rung_status newton_system(rung_ctx *ctx, const newton *t, const double *w, const probit_map_state *state)
{
    TRY(la_tall_sums(ctx, t->T, 1, state->delta, t->g));
    TRY(la_tall_group_sums(ctx, t->T, t->rows->K, t->rows->y, state->lower, state->upper, t->cross));
    for (int64_t j = 0; j < t->M; j++) t->g[j] -= t->alpha[j] * w[j];
    memcpy(t->g + t->M, state->gradient, (size_t)t->J * sizeof *t->g);
    return RUNG_OK;
}

/* The step from the gradient. Far in the tails the Hessian may be singular to working precision: then with a small
 * multiple of I, which keeps it a direction of ascent. */
static rung_status newton_solve(rung_ctx *ctx, const newton *t, const probit_map_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t M = t->M, J = t->J;
    const bordered system = {.M = M,
                             .J = J,
                             .A = state->gram,
                             .a = t->alpha,
                             .B = t->cross + M,
                             .diagonal = state->diagonal,
                             .next = state->next};
    double trace = 0, ridge = 0;
    for (int64_t j = 0; j < M; j++) trace += state->gram[j + j * M] + t->alpha[j];
    for (int64_t k = 0; k < J; k++) trace += state->diagonal[k];
    if (!isfinite(trace))
        return set_error(ctx, RUNG_ENOCONV, "the Newton iteration for weights and thresholds overflows");
    memcpy(t->step, t->g, (size_t)(M + J) * sizeof *t->step);
    for (;;) {
        rung_status status = bordered_solve(ctx, &system, ridge, t->step, t->step + M);
        pool_release(&ctx->scratch, mark);
        if (status != RUNG_ESINGULAR || ridge > 1e-3 * trace) return status;
        ridge = ridge > 0 ? 100 * ridge : 1e-13 * trace / (double)(M + J) + 1e-300;
    }
}

static bool ascends(int64_t J, const double *b)
{
    for (int64_t j = 1; j < J; j++)
        if (!(b[j] > b[j - 1])) return false;
    return true;
}

/* Halves the step until the gain matches its slope (or, at the end, the loss is only rounding). */
static rung_status line_search(rung_ctx *ctx, const newton *t, double decrement, const double *w, const double *b,
                               probit_map_state *state, bool *moved)
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

static rung_status evaluate_all(rung_ctx *ctx, const newton *t, const double *w, const double *b,
                                probit_map_state *state)
{
    TRY(la_tall_mul(ctx, t->T, w, state->f));
    TRY(evaluate(ctx, t->rows, b, state));
    state->log_posterior = state->log_likelihood - penalty(t->M, t->alpha, w);
    return RUNG_OK;
}

/* After columns were removed the remaining weights may be a bad start: then start from zero weights, where F is the log
 * likelihood of the class frequencies. */
static rung_status begin(rung_ctx *ctx, const newton *t, double *w, double *b, probit_map_state *state)
{
    TRY(evaluate_all(ctx, t, w, b, state));
    if (!(state->log_posterior >= state->null_likelihood)) {
        memset(w, 0, (size_t)t->M * sizeof *w);
        probit_map_null_thresholds(t->rows, b);
        TRY(evaluate_all(ctx, t, w, b, state));
    }
    return compute_gram(ctx, t->T, state);
}

rung_status probit_map_fit(rung_ctx *ctx, const probit_map_rows *rows, const la_tall *T, const double *alpha,
                           double tolerance, double *w, double *b, probit_map_state *state)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t M = la_tall_cols(T), J = rows->K - 1;
    newton t = {.rows = rows, .T = T, .alpha = alpha, .M = M, .J = J};
    TRY(newton_new(ctx, &t));
    TRY(make_room(ctx, state, M));
    if (!state->fresh) TRY(begin(ctx, &t, w, b, state));
    state->fresh = false; /* until all is done */
    state->log_posterior = state->log_likelihood - penalty(M, alpha, w);
    if (!isfinite(state->log_posterior))
        return set_error(ctx, RUNG_ENOCONV, "the likelihood of the labels is 0 at the starting point");
    double relative = INFINITY; /* the decrement before the last step */
    bool moved = true;
    for (state->steps = 0; moved && relative > tolerance && state->steps < MOST_STEPS;) {
        double decrement = 0;
        TRY(interrupted(ctx));
        TRY(newton_system(ctx, &t, w, state));
        TRY(newton_solve(ctx, &t, state));
        for (int64_t j = 0; j < M + J; j++) decrement += t.g[j] * t.step[j];
        TRY(la_tall_mul(ctx, T, t.step, t.df));
        TRY(line_search(ctx, &t, decrement, w, b, state, &moved));
        relative = decrement / fmax(1, fabs(state->log_posterior));
        if (!moved) break;
        state->steps++;
        memcpy(w, t.w, (size_t)M * sizeof *w);
        memcpy(b, t.b, (size_t)J * sizeof *b);
        TRY(compute_gram(ctx, T, state));
    }
    if (!(relative <= (moved ? tolerance : ROUNDED))) /* not moved: rounding prevents any gain */
        return set_error(ctx, RUNG_ENOCONV,
                         "Newton's iteration for weights and thresholds did not converge in %d steps (%.2g)",
                         state->steps, relative);
    state->fresh = true;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
