// SPDX-License-Identifier: BSD-3-Clause
/* ws_dl.c - WS-DL: discriminant learning with class memberships spread from the labels to all rows (Perez-Ortiz et al.
 * 2016, eq. 11-12).
 *
 *     E = U / s,   P = (I - U s^-1 U') / u,      U (n x K) memberships, rows that sum to 1, s their column sums, u = n
 *
 * Kernel ridge. With V = U s^-1/2, M = V'V, B = K + eps u I and X = B^-1 V, the push-through of discriminant.c becomes
 *     (eps I + P K)^-1 Ed = u X (I - M + eps u V'X)^-1 s^-1/2 Delta       (hard memberships: M = I)
 * and again one Cholesky factorisation is the whole fit.
 *
 * Identity ridge: identity_dl.c. */
#include <string.h>

#include "fit/verify.h"
#include "method/discriminant/identity_dl.h"
#include "method/discriminant/landmark_dl.h"
#include "method/spread/spread.h"

typedef struct {
    kernel_params kernel;
    discriminant_params d;
    spread_params spread;
    int neighbours; /* -1: auto */
    int calibrate;
} ws_params;

enum { NEIGHBOURS_WITH_LANDMARKS = 10 };

/* 0: all pairs. */
static int neighbours_of(const ws_params *params)
{
    if (params->neighbours >= 0) return params->neighbours;
    return params->kernel.landmarks > 0 ? NEIGHBOURS_WITH_LANDMARKS : 0;
}

typedef struct {
    int64_t n;
    int K;
    double *U, *V, *s; /* n x K, n x K, K */
    double *M;         /* K x K */
    double *Ed;        /* n x (K-1) */
} soft_classes;

static rung_status soft_classes_new(rung_ctx *ctx, const problem *p, double *U, soft_classes *out)
{
    int64_t n = p->n;
    int K = p->K;
    *out = (soft_classes){.n = n, .K = K, .U = U};
    TRY(NEW(ctx, &ctx->scratch, out->V, n * K));
    TRY(NEW(ctx, &ctx->scratch, out->s, K));
    TRY(NEW(ctx, &ctx->scratch, out->M, K * K));
    TRY(NEW(ctx, &ctx->scratch, out->Ed, n * (K - 1)));
    for (int q = 0; q < K; q++)
        for (int64_t i = 0; i < n; i++) out->s[q] += out->U[i + q * n];
    for (int q = 0; q < K; q++)
        for (int64_t i = 0; i < n; i++) out->V[i + q * n] = out->U[i + q * n] / sqrt(out->s[q]);
    la_thin(true, 1, (la_thin_mat){n, K, out->V}, (la_thin_mat){n, K, out->V}, 0, out->M);
    for (int q = 0; q < K - 1; q++)
        for (int64_t i = 0; i < n; i++)
            out->Ed[i + q * n] = out->U[i + (q + 1) * n] / out->s[q + 1] - out->U[i + q * n] / out->s[q];
    return RUNG_OK;
}

/* B (K x m) := s^-1/2 Delta on the left of a K x K inverse. */
static void scaled_differences(const soft_classes *c, double *T)
{
    for (int q = 0; q < c->K - 1; q++) {
        T[q + q * c->K] = -1 / sqrt(c->s[q]);
        T[q + 1 + q * c->K] = 1 / sqrt(c->s[q + 1]);
    }
}

/* X0 (n x (K-1)) with beta = X0 a / 2, and Q = Ed'K X0. */
static rung_status solve_kernel_ridge(rung_ctx *ctx, const soft_classes *c, const la_mat *K, double eps, double *X0,
                                      double *Q)
{
    int64_t n = c->n;
    int k = c->K, m = k - 1;
    double u = (double)n, *X = NULL, *W = NULL, *T = NULL, *KX = NULL;
    la_mat *B = NULL;
    TRY(NEW(ctx, &ctx->scratch, X, n * k));
    TRY(NEW(ctx, &ctx->scratch, W, k * k));
    TRY(NEW(ctx, &ctx->scratch, T, k * m));
    TRY(NEW(ctx, &ctx->scratch, KX, n * m));
    TRY(la_new(ctx, &ctx->scratch, n, n, &B));
    TRY(la_gather(ctx, K, NULL, NULL, B));
    la_add_diagonal(B, eps * u, NULL);
    TRY(la_potrf(ctx, B));
    memcpy(X, c->V, sizeof *X * (size_t)(n * k));
    TRY(la_potrs(ctx, B, k, X));
    for (int q = 0; q < k; q++)
        for (int r = 0; r < k; r++) W[q + r * k] = (q == r ? 1 : 0) - c->M[q + r * k];
    la_thin(true, eps * u, (la_thin_mat){n, k, c->V}, (la_thin_mat){n, k, X}, 1, W);
    scaled_differences(c, T);
    TRY(la_small_spd_solve(ctx, k, W, m, T));
    la_thin(false, u, (la_thin_mat){n, k, X}, (la_thin_mat){k, m, T}, 0, X0);
    TRY(la_mul(ctx, 1, K, m, X0, 0, KX));
    la_thin(true, 1, (la_thin_mat){n, m, c->Ed}, (la_thin_mat){n, m, KX}, 0, Q);
    return RUNG_OK;
}

static rung_status fit_whole(rung_ctx *ctx, pool *mem, const dl_problem *d, double *U, fitted *out)
{
    problem *p = d->p;
    const discriminant_params *params = d->params;
    int m = p->K - 1;
    soft_classes c;
    const la_mat *K;
    double *X0 = NULL, *Q = NULL, *alpha = NULL, *beta = NULL, *score = NULL, *mean = NULL;
    bool degenerate;
    TRY(problem_gram(ctx, p, d->k, &K));
    TRY(soft_classes_new(ctx, p, U, &c));
    TRY(NEW(ctx, &ctx->scratch, X0, p->n * m));
    TRY(NEW(ctx, &ctx->scratch, Q, m * m));
    TRY(NEW(ctx, &ctx->scratch, alpha, m));
    TRY(NEW(ctx, &ctx->scratch, beta, p->n));
    TRY(NEW(ctx, &ctx->scratch, score, p->n));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(solve_kernel_ridge(ctx, &c, K, params->ridge, X0, Q));
    TRY(order_weights(ctx, p->K, Q, params->C, 0, alpha, &degenerate));
    for (int j = 0; j < m; j++)
        for (int64_t i = 0; i < p->n; i++) beta[i] += X0[i + j * p->n] * alpha[j] / 2;
    TRY(la_mul(ctx, 1, K, 1, beta, 0, score));
    for (int q = 0; q < p->K; q++)
        for (int64_t i = 0; i < p->n; i++) mean[q] += c.U[i + q * p->n] * score[i] / c.s[q];
    TRY(expansion_scorer(ctx, mem, p, d->k, beta, &out->own.score));
    out->n_expansion = p->n;
    ordered_classes classes = {.mass = c.s, .mean = mean, .alpha = alpha, .degenerate = degenerate};
    return discriminant_results(ctx, mem, p, &classes, params, out);
}

static rung_status ws_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const ws_params *params = in->params;
    kernel k;
    double width, *U = NULL;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    TRY(NEW(ctx, &ctx->scratch, U, p->n * p->K));
    TRY(spread_labels(ctx, p, &params->spread, neighbours_of(params), U, &width));
    dl_problem d = {.p = p, .k = &k, .landmarks = params->kernel.landmarks, .params = &params->d};
    if (d.landmarks > 0)
        TRY(landmark_dl_soft(ctx, mem, &d, U, out));
    else if (params->d.ridge_kind == RIDGE_IDENTITY)
        TRY(identity_dl_fit(ctx, mem, &d, U, out));
    else
        TRY(fit_whole(ctx, mem, &d, U, out));
    return report_number(ctx, mem, out, "spread_width", width);
}

static rung_status ws_prepare(rung_ctx *ctx, const fit_input *in)
{
    kernel k;
    return kernel_prepare(ctx, in->p, &((const ws_params *)in->params)->kernel, &k);
}

/* The memberships solve their own system; then the conditions of the discriminant with them. */
static rung_status ws_verify(rung_ctx *ctx, const struct verification *v)
{
    const ws_params *params = v->params;
    const problem *p = v->p;
    double width, *U = NULL;
    TRY(NEW(ctx, &ctx->scratch, U, p->n * p->K));
    TRY(spread_labels(ctx, v->p, &params->spread, neighbours_of(params), U, &width));
    TRY(spread_verify(ctx, v, &params->spread, neighbours_of(params), U));
    return discriminant_verify(ctx, v, &params->d, NULL, 0, U);
}

static double ws_bytes(const problem_shape *shape, const void *params_)
{
    const ws_params *params = params_;
    double n = (double)shape->n, pairs = neighbours_of(params) == 0 ? n * n : 0;
    if (params->kernel.landmarks > 0)
        return 8 * pairs + landmark_soft_bytes(shape, params->kernel.landmarks, neighbours_of(params));
    double l = (double)shape->labelled,
           folded = params->calibrate > 0 && l <= 2000 ? l * l : 0; /* contrasts of the folds */
    return 8 * (folded + 3 * n * (double)shape->d + n * (10.0 * shape->K + 80)) +
           fmax(params->d.ridge_kind == RIDGE_IDENTITY ? identity_dl_bytes(shape, n, false) : 16 * n * n,
                graph_bytes(n, (double)shape->d, neighbours_of(params), shape->threads));
}

static const param_row ws_rows[] = {
    KERNEL_PARAMS(ws_params),
    LANDMARKS_PARAM(ws_params),
    DISCRIMINANT_PARAMS(ws_params),
    SPREAD_PARAMS(ws_params),
    PARAM(ws_params, neighbours, .name = "neighbours",
          .help =
              "number of nearest rows connected with each row for spreading labels; 0: all pairs, as published; auto: "
              "0, or 10 with landmarks",
          .type = RUNG_TYPE_INT, .default_value = "auto", .published = "0", .low = 0, .high = 100000,
          .flags = RUNG_PARAM_AUTO),
    CALIBRATE_PARAM(ws_params, "5"),
    {0},
};

const method method_ws_dl = {
    .info = {.name = "ws-dl",
             .title = "Discriminant learning weighted by spread labels",
             .reference =
                 "Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez. Semi-supervised learning for ordinal "
                 "kernel discriminant analysis. Neural Networks 84:57-66, 2016. doi:10.1016/j.neunet.2016.08.004",
             .cost = "time 2/3 n^3, memory 2 n^2 for n rows, labelled or not; n m^2, m^2 with m landmarks",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_USES_UNLABELLED},
    .params = ws_rows,
    .params_size = sizeof(ws_params),
    .bytes = ws_bytes,
    .prepare = ws_prepare,
    .fit = ws_fit,
    .verify = ws_verify,
};
