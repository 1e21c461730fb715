// SPDX-License-Identifier: BSD-3-Clause
/* Gauss-Seidel sweeps, down and up in turn, from 0: every term is positive and the values only increase, so that each
 * entry has a small relative error, even at a row far from all labels; the rows are divided by their sums later. */
#include "graph/novel.h"

#include <math.h>
#include <string.h>

#include "graph/graph.h"

static const double LEAST = 1e-280;
enum { SWEEPS = 1000000 };

typedef struct {
    const la_csr *S;
    int K;
    const int *y;
    double novel;
    double *degree;
    double *F;   /* n x K by rows */
    double *row; /* K: room */
} walk;

/* Recomputes row i from its neighbours; returns its relative change. */
static double update(walk *w, int64_t i)
{
    double before = 0, change = 0, *f = w->F + i * w->K, part = w->novel / w->degree[i];
    memset(w->row, 0, (size_t)w->K * sizeof *w->row);
    for (int64_t e = w->S->start[i]; e < w->S->start[i + 1]; e++) {
        const double *from = w->F + w->S->col[e] * w->K;
        double share = w->S->value[e] * part;
        for (int q = 0; q < w->K; q++) w->row[q] += share * from[q];
    }
    for (int q = 0; q < w->K; q++) {
        before += w->row[q];
        change += fabs(w->row[q] - f[q]);
        f[q] = w->row[q];
    }
    return before > LEAST ? change / before : 0;
}

static rung_status iterate(rung_ctx *ctx, walk *w, double accuracy)
{
    int64_t n = w->S->rows;
    double target = fmax(accuracy * (1 - w->novel), 2e-15), worst = INFINITY;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        TRY(interrupted(ctx));
        worst = 0;
        for (int64_t c = 0; c < n; c++) {
            int64_t i = sweep % 2 ? n - 1 - c : c;
            if (!w->y[i] && w->degree[i] > 0) worst = fmax(worst, update(w, i));
        }
        if (worst <= target) return RUNG_OK;
    }
    return set_error(ctx, RUNG_ENOCONV, "label propagation over %lld rows did not converge in %d sweeps (change %.2g)",
                     (long long)n, SWEEPS, worst);
}

/* P: the rows of F divided by their sums. */
static rung_status shares(rung_ctx *ctx, const walk *w, double *P)
{
    int64_t n = w->S->rows, labelled = 0;
    double *frequency = NULL;
    TRY(NEW(ctx, &ctx->scratch, frequency, w->K));
    for (int64_t i = 0; i < n; i++)
        if (w->y[i]) {
            frequency[w->y[i] - 1]++;
            labelled++;
        }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int q = 0; q < w->K; q++) sum += w->F[i * w->K + q];
        for (int q = 0; q < w->K; q++)
            P[i + q * n] = sum > LEAST ? w->F[i * w->K + q] / sum : frequency[q] / (double)labelled;
    }
    return RUNG_OK;
}

rung_status propagate_novel(rung_ctx *ctx, const la_csr *S, int K, const int *y, double novel, double accuracy,
                            double *P)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = S->rows;
    walk w = {.S = S, .K = K, .y = y, .novel = novel};
    TRY(NEW(ctx, &ctx->scratch, w.degree, n));
    TRY(NEW(ctx, &ctx->scratch, w.F, n * K));
    TRY(NEW(ctx, &ctx->scratch, w.row, K));
    graph_degrees(S, w.degree);
    for (int64_t i = 0; i < n; i++)
        if (y[i]) w.F[i * K + y[i] - 1] = 1;
    TRY(iterate(ctx, &w, accuracy));
    TRY(shares(ctx, &w, P));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
