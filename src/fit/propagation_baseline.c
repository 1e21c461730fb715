// SPDX-License-Identifier: BSD-3-Clause
#include "fit/propagation_baseline.h"

#include <string.h>

#include "fit/neighbour_graph.h"
#include "graph/novel.h"

enum { FOLDS = 5 };
static const double NOVEL = 0.9, ACCURACY = 1e-6; /* only the largest of K numbers counts */
static const graph_params GRAPH = {.neighbours = 6, .weights = WEIGH_GAUSSIAN, .width = NAN};

/* Adds the held-out rows of one fold with their absolute errors, as the error of a model counts them: by classes of the
 * data and the weights of the rows, without those that were chosen to be labelled. The class is that of the largest
 * membership. */
static void add_errors(const training *t, const problem *p, int64_t held, const int64_t *rows, const double *P,
                       double *sum, double *total)
{
    const rung_data *data = t->data;
    for (int64_t h = 0; h < held; h++) {
        int64_t row = p->origin[rows[h]];
        int best = 0;
        if (data->chosen && data->chosen[row]) continue;
        for (int q = 1; q < p->K; q++)
            if (P[rows[h] + q * p->n] > P[rows[h] + best * p->n]) best = q;
        double count = data->weight ? data->weight[row] : 1;
        *sum += count * interval_distance(data->y[row], highest_rank(data->y, data->upper, row), t->present[best]);
        *total += count;
    }
}

rung_status propagation_baseline(rung_ctx *ctx, pool *mem, const training *t, problem *p, bool precomputed, fitted *out)
{
    const kernel given = {.kind = KERNEL_PRECOMPUTED};
    const ranked_rows ranked = problem_ranks(p);
    const la_csr *S;
    folds f;
    int64_t *rows = NULL, held;
    int *y = NULL;
    double *P = NULL, sum = 0, total = 0, width;
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
        add_errors(t, p, held, rows, P, &sum, &total);
    }
    if (total == 0) return RUNG_OK; /* one label per class: none can be hidden */
    log_at(ctx, RUNG_LOG_INFO, "baseline to beat: label propagation alone (plp) has a cross-validated MAE of %.3f",
           sum / total);
    return report_number(ctx, mem, out, "propagation_cv_mae", sum / total);
}
