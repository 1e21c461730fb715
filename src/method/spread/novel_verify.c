// SPDX-License-Identifier: BSD-3-Clause
/* novel_verify.c - F_i = novel sum_j S_ij / d_i F_j at unlabelled rows (graph/novel.h) and P_i = F_i / r_i, r_i the sum
 * of row i, mean that P_i is the average of its neighbours' memberships with the weights S_ij r_j. r solves the same
 * equation with one class, 1 at labelled rows. */
#include "method/spread/novel_verify.h"

static const double LEAST = 1e-280, ACCURACY = 1e-13; /* below this no label arrives; relative change of r at the end */
enum { SWEEPS = 1000000 };

static double arriving(const la_csr *S, int64_t i, double novel, const double *r)
{
    double sum = 0, degree = 0;
    for (int64_t e = S->start[i]; e < S->start[i + 1]; e++) {
        degree += S->value[e];
        sum += S->value[e] * r[S->col[e]];
    }
    return degree > 0 ? novel * sum / degree : 0;
}

/* Starting from 0 the values only increase, each with a small relative error. */
static rung_status arrivals(rung_ctx *ctx, const problem *p, const la_csr *S, double novel, double *r)
{
    double worst = INFINITY, target = fmax(ACCURACY * (1 - novel), 2e-15);
    for (int64_t i = 0; i < p->n; i++) r[i] = p->y[i] > 0;
    for (int sweep = 0; sweep < SWEEPS && worst > target; sweep++) {
        TRY(interrupted(ctx));
        worst = 0;
        for (int64_t c = 0; c < p->n; c++) {
            int64_t i = sweep % 2 ? p->n - 1 - c : c;
            if (p->y[i]) continue;
            double next = arriving(S, i, novel, r);
            if (next > LEAST) worst = fmax(worst, fabs(next - r[i]) / next);
            r[i] = next;
        }
    }
    return RUNG_OK;
}

rung_status novel_verify(rung_ctx *ctx, const struct verification *v, const la_csr *S, double novel, const double *P)
{
    const problem *p = v->p;
    int64_t n = p->n;
    double *r = NULL, *mean = NULL, off = 0;
    TRY(NEW(ctx, &ctx->scratch, r, n));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(arrivals(ctx, p, S, novel, r));
    for (int64_t i = 0; i < n; i++) {
        double total = 0;
        for (int q = 0; q < p->K; q++) mean[q] = p->y[i] == q + 1;
        for (int64_t e = S->start[i]; e < S->start[i + 1] && !p->y[i]; e++) {
            double w = S->value[e] * r[S->col[e]];
            total += w;
            for (int q = 0; q < p->K; q++) mean[q] += w * P[S->col[e] + q * n];
        }
        if (!p->y[i] && !(r[i] > LEAST)) continue; /* no label arrives: the frequencies */
        for (int q = 0; q < p->K; q++) {
            double differ = fabs(P[i + q * n] - mean[q] / (p->y[i] ? 1 : total));
            if (!(differ <= off)) off = differ;
        }
    }
    condition_add(v->found, "propagation", "memberships against the average of those of the neighbours", off, 1e-10);
    return RUNG_OK;
}
