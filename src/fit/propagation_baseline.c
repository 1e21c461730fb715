// SPDX-License-Identifier: BSD-3-Clause
#include "fit/propagation_baseline.h"

#include <string.h>

#include "fit/neighbour_graph.h"
#include "graph/novel.h"

enum { FOLDS = 5 };
static const double NOVEL = 0.9, ACCURACY = 1e-6; /* only the largest of K numbers counts */
static const graph_params GRAPH = {.neighbours = 6, .weights = WEIGH_GAUSSIAN, .width = NAN};

/* The sum of |rank - y| over the held-out rows of one fold, the rank being that of the largest membership. */
static double errors(const problem *p, int64_t held, const int64_t *rows, const double *P)
{
    double sum = 0;
    for (int64_t h = 0; h < held; h++) {
        int best = 0;
        for (int q = 1; q < p->K; q++)
            if (P[rows[h] + q * p->n] > P[rows[h] + best * p->n]) best = q;
        sum += interval_distance(p->y[rows[h]], highest_rank(p->y, p->upper, rows[h]), best + 1);
    }
    return sum;
}

rung_status propagation_baseline(rung_ctx *ctx, pool *mem, problem *p, bool precomputed, fitted *out)
{
    const kernel given = {.kind = KERNEL_PRECOMPUTED};
    const ranked_rows ranked = problem_ranks(p);
    const la_csr *S;
    folds f;
    int64_t *rows = NULL, held, total = 0;
    int *y = NULL;
    double *P = NULL, sum = 0, width;
    TRY(neighbour_graph(ctx, p, &GRAPH, precomputed ? &given : NULL, &S, NULL, &width));
    TRY(folds_affordable(ctx, &ctx->scratch, &ranked, FOLDS, 1, &f));
    TRY(NEW(ctx, &ctx->scratch, rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, y, p->n));
    TRY(NEW(ctx, &ctx->scratch, P, p->n * p->K));
    for (int fold = 0; fold < f.count; fold++) {
        held = folds_held(&f, 0, fold, rows);
        memcpy(y, p->y, (size_t)p->n * sizeof *y);
        for (int64_t h = 0; h < held; h++) y[rows[h]] = 0;
        for (int64_t i = 0; i < p->n; i++)
            if (is_interval(p->y, p->upper, i)) y[i] = 0; /* nothing to spread */
        TRY(propagate_novel(ctx, S, p->K, y, NOVEL, ACCURACY, P));
        sum += errors(p, held, rows, P);
        total += held;
    }
    if (total == 0) return RUNG_OK; /* one label per class: none can be hidden */
    log_at(ctx, RUNG_INFO, "baseline to beat: label propagation alone (plp) has a cross-validated MAE of %.3f",
           sum / (double)total);
    return report_number(ctx, mem, out, "propagation_cv_mae", sum / (double)total);
}
