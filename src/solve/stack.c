// SPDX-License-Identifier: BSD-3-Clause
#include "solve/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/cumulative.h"
#include "solve/simplex_qp.h"

static const double SINGLE = 0.25, STRENGTH = 8, PRIOR_STRENGTH = 8, CENTRE = 1.4, PULL = 32;
static const double exponents[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2};

rung_status stack_rows_new(rung_ctx *ctx, pool *mem, int64_t n, int K, const int *y, stack_rows *out)
{
    int64_t *count = NULL;
    *out = (stack_rows){.n = n, .K = K, .y = y};
    TRY(NEW(ctx, mem, out->weight, n));
    TRY(NEW(ctx, mem, count, K));
    for (int64_t i = 0; i < n; i++) count[y[i] - 1]++;
    for (int64_t i = 0; i < n; i++) out->weight[i] = count[y[i] - 1] == 1 ? SINGLE : 1;
    return RUNG_OK;
}

double stack_error(const stack_rows *rows, const double *P)
{
    double sum = 0;
    for (int64_t i = 0; i < rows->n; i++)
        sum += rows->weight[i] * cumulative_error(rows->K, P + i * (rows->K - 1), rows->y[i]);
    return sum;
}

double stack_mae(const stack_rows *rows, const double *P)
{
    double sum = 0;
    for (int64_t i = 0; i < rows->n; i++) sum += abs(cumulative_rank(rows->K, P + i * (rows->K - 1)) - rows->y[i]);
    return sum / (double)rows->n;
}

static void add(int64_t size, double w, const double *P, double *sum)
{
    for (int64_t i = 0; i < size; i++) sum[i] += w * P[i];
}

void stack_family(const stack_rows *rows, int m, double *const *P, const double *penalty, double *w, double *mean)
{
    int64_t size = rows->n * (rows->K - 1);
    double least = INFINITY, total = 0;
    for (int j = 0; j < m; j++) {
        w[j] = P[j] ? STRENGTH * stack_error(rows, P[j]) + PRIOR_STRENGTH * penalty[j] : INFINITY;
        least = fmin(least, w[j]);
    }
    for (int j = 0; j < m; j++) total += w[j] = P[j] ? exp(least - w[j]) : 0;
    memset(mean, 0, (size_t)size * sizeof *mean);
    for (int j = 0; j < m; j++) {
        w[j] = total > 0 ? w[j] / total : 0;
        if (P[j]) add(size, w[j], P[j], mean);
    }
}

/* E_a'E_b over the weighted rows, E = P - Y. */
static double product(const stack_rows *rows, const double *A, const double *B)
{
    int J = rows->K - 1;
    double sum = 0;
    for (int64_t i = 0; i < rows->n; i++)
        for (int q = 0; q < J; q++) {
            double y = rows->y[i] > q + 1;
            sum += rows->weight[i] * (A[i * J + q] - y) * (B[i * J + q] - y);
        }
    return sum;
}

rung_status stack_families(rung_ctx *ctx, const stack_rows *rows, int m, double *const *P, const double *prior,
                           double *w)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *G = NULL, total = 0;
    TRY(NEW(ctx, &ctx->scratch, G, (int64_t)m * m));
    for (int a = 0; a < m; a++) total += prior[a];
    for (int a = 0; a < m; a++) {
        for (int b = 0; b <= a; b++) G[a * m + b] = G[b * m + a] = product(rows, P[a], P[b]);
        G[a * m + a] += total / prior[a];
    }
    TRY(simplex_qp(ctx, m, G, 1, w));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status stack_sharpen(rung_ctx *ctx, const stack_rows *rows, double *P, double *t)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int J = rows->K - 1;
    double *sharp = NULL, least = INFINITY;
    TRY(NEW_RAW(ctx, &ctx->scratch, sharp, rows->n * J));
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        double off = log(exponents[e] / CENTRE);
        memcpy(sharp, P, (size_t)(rows->n * J) * sizeof *sharp);
        for (int64_t i = 0; i < rows->n; i++) cumulative_sharpen(rows->K, exponents[e], sharp + i * J);
        double cost = STRENGTH * stack_error(rows, sharp) + PULL * off * off;
        if (cost < least) *t = exponents[e];
        least = fmin(least, cost);
    }
    for (int64_t i = 0; i < rows->n; i++) cumulative_sharpen(rows->K, *t, P + i * J);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
