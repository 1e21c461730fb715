// SPDX-License-Identifier: BSD-3-Clause
#include "method/discriminant.h"

#include "solve/simplex_qp.h"

rung_status class_index_new(rung_ctx *ctx, pool *mem, const problem *p, class_index *out)
{
    *out = (class_index){.K = p->K};
    TRY(NEW(ctx, mem, out->size, p->K));
    TRY(NEW(ctx, mem, out->mass, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) {
            out->n++;
            out->size[p->y[i] - 1]++;
            out->mass[p->y[i] - 1] += p->w ? p->w[i] : 1;
        }
    TRY(NEW(ctx, mem, out->order, out->n));
    int64_t at = 0;
    for (int q = 1; q <= p->K; q++)
        for (int64_t i = 0; i < p->n; i++)
            if (p->y[i] == q) out->order[at++] = i;
    return RUNG_OK;
}

rung_status order_weights(rung_ctx *ctx, int K, const double *Q, double C, bool coincide, double *alpha,
                          bool *degenerate)
{
    int m = K - 1;
    TRY(simplex_qp(ctx, m, Q, C, alpha));
    double value = 0, trace = 0;
    for (int i = 0; i < m; i++) {
        trace += Q[i + i * m];
        for (int j = 0; j < m; j++) value += alpha[i] * Q[i + j * m] * alpha[j];
    }
    *degenerate = coincide || !(value > 1e-12 * trace / m * C * C);
    for (int i = 0; i < m && *degenerate; i++) alpha[i] = C / m;
    return RUNG_OK;
}

void class_means(const class_index *c, const double *w, const double *f, double *mean)
{
    const int64_t *row = c->order;
    for (int q = 0; q < c->K; row += c->size[q++]) {
        double sum = 0;
        for (int64_t i = 0; i < c->size[q]; i++) sum += (w ? w[row[i]] : 1) * f[row[i]];
        mean[q] = sum / c->mass[q];
    }
}

void mean_thresholds(threshold_rule rule, int K, const double *mean, const double *mass, double *thresholds)
{
    for (int q = 0; q < K - 1; q++) {
        double upper = 0.5;
        if (rule == RULE_WEIGHTED) upper = mass[q + 1] / (mass[q] + mass[q + 1]);
        thresholds[q] = (1 - upper) * mean[q] + upper * mean[q + 1];
        if (q > 0 && thresholds[q] < thresholds[q - 1]) thresholds[q] = thresholds[q - 1];
    }
}
