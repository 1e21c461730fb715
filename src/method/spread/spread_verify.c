// SPDX-License-Identifier: BSD-3-Clause
/* spread_verify.c - label spreading solves (I - a S) F = Y, S = Deg^-1/2 W Deg^-1/2 (graph/propagate.h). F is
 * recomputed, its residual by products with W only, and the reported memberships are compared with its shares: an error
 * e of F changes those of row i by e / sum_q F_iq, so they are weighted by that sum. */
#include <math.h>

#include "fit/verify.h"
#include "graph/propagate.h"
#include "method/spread/spread.h"

/* Row i of WF = W F, W_ij = exp(-|x_i - x_j|^2 / (2 width^2)) without the diagonal. Not by a product with the diagonal
 * in it: taken off again, it would leave a row far from all others with rounding errors for a degree. */
static void dense_row(const problem *p, double gamma, int64_t i, int64_t K, const double *F, double *WF)
{
    int64_t n = p->n, d = p->d;
    for (int64_t q = 0; q < K; q++) WF[i + q * n] = 0;
    for (int64_t j = 0; j < n; j++) {
        double square = 0;
        for (int64_t c = 0; c < d; c++) square += pow(p->X[c + i * d] - p->X[c + j * d], 2);
        double weight = j == i ? 0 : exp(-gamma * square);
        for (int64_t q = 0; q < K; q++) WF[i + q * n] += weight * F[j + q * n];
    }
}

/* WF (n x K) = W F; degrees are W 1. */
static rung_status affinity_times(rung_ctx *ctx, const problem *p, const la_csr *W, double width, int64_t K,
                                  const double *F, double *WF)
{
    if (W) return la_spmm_thin(ctx, 1, W, K, F, 0, WF);
#pragma omp parallel for num_threads(ctx->threads) schedule(static)
    for (int64_t i = 0; i < p->n; i++) dense_row(p, 1 / (2 * width * width), i, K, F, WF);
    return interrupted(ctx);
}

rung_status spread_system_times(rung_ctx *ctx, const problem *p, const la_csr *W, double width, double spread,
                                const double *F, double *out)
{
    int64_t n = p->n;
    double *root = NULL, *one = NULL, *scaled = NULL;
    TRY(NEW(ctx, &ctx->scratch, root, n));
    TRY(NEW(ctx, &ctx->scratch, one, n));
    TRY(NEW(ctx, &ctx->scratch, scaled, n * p->K));
    for (int64_t i = 0; i < n; i++) one[i] = 1;
    TRY(affinity_times(ctx, p, W, width, 1, one, root));
    for (int64_t i = 0; i < n; i++) root[i] = root[i] > 0 ? 1 / sqrt(root[i]) : 0;
    for (int64_t i = 0; i < n * p->K; i++) scaled[i] = root[i % n] * F[i];
    TRY(affinity_times(ctx, p, W, width, p->K, scaled, out));
    for (int64_t i = 0; i < n * p->K; i++) out[i] = F[i] - spread * root[i % n] * out[i];
    return RUNG_OK;
}

double spread_residual_limit(const problem *p)
{
    double labelled = 0;
    for (int64_t i = 0; i < p->n; i++) labelled += p->y[i] > 0;
    return 1e-9 * sqrt(labelled);
}

/* max |F - a S F - Y| over the largest entry of F; by_row: the largest over the sum of the scores of its own row, which
 * may be many powers of ten below. */
static rung_status system_residual(rung_ctx *ctx, const problem *p, const la_csr *W, double width, double spread,
                                   const double *F, double *out, double *by_row)
{
    static const double LEAST = 1e-280; /* below that no label arrives */
    double *Y = NULL, most = 0, off = 0;
    TRY(NEW(ctx, &ctx->scratch, Y, p->n * p->K));
    TRY(spread_system_times(ctx, p, W, width, spread, F, Y));
    *by_row = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double worst = 0, sum = 0;
        for (int q = 0; q < p->K; q++) {
            double left = fabs(Y[i + q * p->n] - (p->y[i] == q + 1));
            most = fmax(most, fabs(F[i + q * p->n]));
            sum += fabs(F[i + q * p->n]);
            if (!(left <= worst)) worst = left;
        }
        if (!(worst <= off)) off = worst;
        if (!(worst <= LEAST || worst <= *by_row * sum)) *by_row = sum > 0 ? worst / sum : INFINITY;
    }
    *out = off / most;
    return RUNG_OK;
}

/* The difference between U and the shares of F, each row weighted by its sum relative to the largest one. */
static double shares_off(const problem *p, const double *F, const double *U)
{
    double most = 0, off = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double sum = 0, differ = 0;
        for (int q = 0; q < p->K; q++) sum += fmax(F[i + q * p->n], 0);
        most = fmax(most, sum);
        for (int q = 0; q < p->K; q++) {
            double share = p->y[i] ? p->y[i] == q + 1 : sum > 0 ? fmax(F[i + q * p->n], 0) / sum : 1.0 / p->K;
            differ = fmax(differ, fabs(U[i + q * p->n] - share));
        }
        if (!(differ * (p->y[i] ? 1 : sum) <= off)) off = differ * (p->y[i] ? 1 : sum);
    }
    return most > 0 ? off / most : off;
}

rung_status spread_verify(rung_ctx *ctx, const struct verification *v, const spread_params *params, int k,
                          const double *U)
{
    problem *p = v->p;
    int64_t n = p->n;
    double *F = NULL, width, off, by_row, limit = spread_residual_limit(p);
    const la_csr *W = NULL;
    TRY(NEW(ctx, &ctx->scratch, F, n * p->K));
    TRY(spread_graph(ctx, p, params, k, &W, &width));
    if (W)
        TRY(propagate_graph_scores(ctx, W, p->K, p->y, params->spread, F));
    else
        TRY(propagate_dense_scores(ctx, &(point_set){p->d, n, p->X}, &(ranked_rows){.n = n, .y = p->y, .K = p->K},
                                   width, params->spread, F));
    TRY(system_residual(ctx, p, W, width, params->spread, F, &off, &by_row));
    condition_add(v->found, "spreading", "residual of (I - a S) F = Y, relative", off, limit);
    condition_add(v->found, "far rows", "the same, relative to the scores of the row itself", by_row, 1e-3);
    for (int q = 0; q < p->K && W; q++) {
        double mass = 0;
        for (int64_t i = 0; i < n; i++) mass += F[i + q * n];
        for (int64_t i = 0; i < n && mass > 0; i++) F[i + q * n] /= mass;
    }
    condition_add(v->found, "memberships", "probabilities against the shares of F, relative to the largest row sum",
                  shares_off(p, F, U), limit * 2 / (1 - params->spread)); /* the condition number of I - a S */
    return RUNG_OK;
}
