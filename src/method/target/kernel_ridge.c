// SPDX-License-Identifier: BSD-3-Clause
#include "method/target/kernel_ridge.h"

#include <math.h>

rung_status centred_lambda(rung_ctx *ctx, const centred_kernel *c, double lambda, int kind, double *out)
{
    const double least = 1e-60, most = 1e6; /* beyond them squares and differences lose accuracy */
    double unit;
    TRY(centred_mean_eigenvalue(ctx, c, &unit));
    *out = lambda * (kind == LAMBDA_RELATIVE ? unit : 1);
    if (!(*out >= least * unit && *out <= most * unit))
        return set_error(ctx, RUNG_EARG,
                         "lambda=%g is %.3g times the mean eigenvalue of the kernel matrix; expected %g to %g times",
                         lambda, *out / unit, least, most);
    return RUNG_OK;
}

/* ---- the target values ---- */

double ridge_class_value(int K, int rank) { return K == 2 ? 2 * rank - 3 : rank; }

void ridge_target_moments(int64_t m, const double *v, double *mean, double *sd)
{
    *mean = *sd = 0;
    for (int64_t i = 0; i < m; i++) *mean += v[i] / (double)m;
    for (int64_t i = 0; i < m; i++) *sd += (v[i] - *mean) * (v[i] - *mean) / (double)m;
    *sd = sqrt(*sd);
    bool equal = m > 0;
    for (int64_t i = 1; i < m; i++) equal = equal && v[i] == v[0];
    if (!equal) return;
    *mean = v[0]; /* to the last digit */
    *sd = 0;
}

rung_status ridge_target_new(rung_ctx *ctx, const problem *p, ridge_target *out)
{
    *out = (ridge_target){0};
    TRY(NEW(ctx, &ctx->scratch, out->lab, p->n));
    TRY(NEW(ctx, &ctx->scratch, out->un, p->n));
    TRY(NEW(ctx, &ctx->scratch, out->v, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        if (p->t ? isnan(p->t[i]) : p->y[i] == 0) {
            out->un[out->l++] = i;
            continue;
        }
        out->v[out->m] = p->t ? p->t[i] : ridge_class_value(p->K, p->y[i]);
        out->lab[out->m++] = i;
    }
    ridge_target_moments(out->m, out->v, &out->mean, &out->sd);
    return RUNG_OK;
}

rung_status ridge_target_decision(rung_ctx *ctx, pool *mem, const problem *p, double unit, fitted *out)
{
    int K = p->K;
    out->own.decide = (decision){.kind = DECISION_NONE};
    if (K == 1) out->own.decide = (decision){.kind = DECISION_CONSTANT, .K = 1, .rank = 1};
    if (K < 2) return RUNG_OK;
    out->own.decide = (decision){.kind = DECISION_THRESHOLDS, .K = K};
    out->own.map.n = K;
    TRY(NEW(ctx, mem, out->own.decide.thresholds, K - 1));
    TRY(NEW(ctx, mem, out->own.map.f, K));
    TRY(NEW(ctx, mem, out->own.map.s, K));
    for (int q = 1; q <= K; q++) {
        out->own.map.f[q - 1] = unit * ridge_class_value(K, q);
        out->own.map.s[q - 1] = q;
        if (q < K)
            out->own.decide.thresholds[q - 1] = unit * (ridge_class_value(K, q) + ridge_class_value(K, q + 1)) / 2;
    }
    return RUNG_OK;
}

void ridge_target_hold_out(const fitted *fit, int64_t row, int repeat, int fold, double score, held_out *held)
{
    int64_t i = held->n++;
    held->row[i] = row;
    held->repeat[i] = repeat;
    held->fold[i] = fold;
    held->score[i] = rank_score(&fit->own.map, score);
    held->rank[i] = decision_rank(&fit->own.decide, score);
}

/* ---- lambda=auto ---- */

double lambda_candidate(int i) { return pow(10, 2 - 0.25 * i); }

rung_status lambda_choose(rung_ctx *ctx, pool *mem, const centred_kernel *c, const double *loo, fitted *out,
                          double *lambda)
{
    double unit, tried[LAMBDA_CANDIDATES], error[LAMBDA_CANDIDATES];
    int best = -1, n = 0;
    TRY(centred_mean_eigenvalue(ctx, c, &unit));
    for (int i = 0; i < LAMBDA_CANDIDATES; i++) {
        if (!isfinite(loo[i])) continue;
        tried[n] = lambda_candidate(i) * unit;
        error[n] = loo[i];
        if (best < 0 || error[n] < (1 - 1e-12) * error[best]) best = n;
        n++;
    }
    if (best < 0)
        return set_error(ctx, RUNG_EDATA,
                         "lambda=auto: the leave-one-out error cannot be computed; set lambda to a number");
    *lambda = tried[best];
    TRY(report_list(ctx, mem, out, "path_lambda", n, tried));
    TRY(report_list(ctx, mem, out, "path_loo", n, error));
    return report_number(ctx, mem, out, "loo", error[best]);
}
