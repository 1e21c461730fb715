// SPDX-License-Identifier: BSD-3-Clause
/* median.c - the constant baseline: always the median label, which minimises the absolute error among constants, with
 * the class shares as probabilities. What a model must beat. */
#include "data/intervals.h"
#include "eval/metrics.h"
#include "fit/verify.h"

typedef struct {
    int calibrate;
} median_params;

static rung_status median_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    double total = 0;
    graded_rows rows = {.n = p->n, .K = p->K, .truth = p->y, .upper = p->upper};
    out->own.proba = PROBA_PRIOR;
    TRY(NEW(ctx, mem, out->own.prior, p->K));
    TRY(class_masses(ctx, p->n, p->y, p->upper, p->w, p->K, out->own.prior));
    for (int64_t i = 0; i < p->n; i++) total += p->w ? p->w[i] : 1;
    for (int q = 0; q < p->K; q++) out->own.prior[q] /= total;
    int rank = metrics_median(&rows, p->w);
    out->own.score = (scorer){.kind = SCORER_CONSTANT, .outputs = 1, .d = p->d};
    TRY(NEW(ctx, mem, out->own.score.bias, 1));
    out->own.score.bias[0] = rank;
    out->own.decide = (decision){.kind = DECISION_CONSTANT, .K = p->K, .rank = rank};
    return RUNG_OK;
}

/* No other constant has a smaller absolute error, and the probabilities are the shares of the classes. */
static rung_status median_verify(rung_ctx *ctx, const struct verification *v)
{
    const problem *p = v->p;
    const member *m = v->model->members;
    double *share = NULL, least = INFINITY, own = INFINITY, total = 0, off = 0;
    TRY(NEW(ctx, &ctx->scratch, share, p->K));
    TRY(class_masses(ctx, p->n, p->y, p->upper, p->w, p->K, share));
    for (int64_t i = 0; i < p->n; i++) total += p->w ? p->w[i] : 1;
    for (int r = 1; r <= p->K; r++) {
        double error = 0;
        for (int64_t i = 0; i < p->n; i++)
            error += (p->w ? p->w[i] : 1) / total * interval_distance(p->y[i], highest_rank(p->y, p->upper, i), r);
        least = fmin(least, error);
        if (r == m->decide.rank && r == (int)m->score.bias[0]) own = error;
    }
    for (int q = 0; q < p->K; q++) off = fmax(off, fabs(m->prior[q] - share[q] / total));
    condition_add(v->found, "median", "excess of the mean absolute error over that of the best constant", own - least,
                  1e-12);
    condition_add(v->found, "shares", "probabilities against the class shares", off, 1e-12);
    return RUNG_OK;
}

static double median_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    return 8 * ((double)shape->labelled * (double)shape->d + shape->K);
}

static const param_row median_rows[] = {CALIBRATE_PARAM(median_params, "auto"), {0}};

const method method_median = {
    .info = {.name = "median",
             .title = "Constant median: the baseline",
             .reference = "The posterior median without features",
             .cost = "time n, memory n",
             .flags = RUNG_METHOD_NO_ROWS | RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_WEIGHTS | RUNG_METHOD_PROBABILITIES |
                      RUNG_METHOD_INTERVALS},
    .params = median_rows,
    .params_size = sizeof(median_params),
    .bytes = median_bytes,
    .fit = median_fit,
    .verify = median_verify,
};
