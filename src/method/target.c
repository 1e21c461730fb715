// SPDX-License-Identifier: BSD-3-Clause
#include "method/target.h"

#include <math.h>
#include <string.h>

#include "linalg/subspace.h"

/* ---- the centred kernel ---- */

bool kernel_is_thin(const kernel *k, int64_t n, int64_t d) { return k->kind == KERNEL_LINEAR && d < n; }

rung_status centred_kernel_prepare(rung_ctx *ctx, problem *p, const kernel_params *params)
{
    kernel k;
    const la_mat *K;
    TRY(kernel_from_params(ctx, p->mem, params, &k));
    k = problem_kernel(p, &k);
    return kernel_is_thin(&k, p->n, p->d) ? RUNG_OK : problem_gram(ctx, p, &k, &K);
}

static rung_status centred_columns(rung_ctx *ctx, centred_kernel *c, la_mat *X)
{
    const problem *p = c->p;
    double *moved = NULL;
    TRY(NEW(ctx, &ctx->scratch, c->mean, p->d));
    for (int64_t i = 0; i < p->n && c->centred; i++)
        for (int64_t j = 0; j < p->d; j++) c->mean[j] += p->X[j + i * p->d] / (double)p->n;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, moved, p->d * p->n));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) moved[j + i * p->d] = p->X[j + i * p->d] - c->mean[j];
    la_put(moved, X);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The signs of axes and U together: the largest entry of each column of U is positive. */
static rung_status turn_axes(rung_ctx *ctx, centred_kernel *c)
{
    double *u = NULL, *sign = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, u, c->n * c->r));
    TRY(NEW_RAW(ctx, &ctx->scratch, sign, c->r));
    la_get(c->U, u);
    for (int64_t j = 0; j < c->r; j++) {
        sign[j] = la_sign_of(c->n, u + j * c->n);
        for (int64_t i = 0; i < c->p->d; i++) c->axes[i + j * c->p->d] *= sign[j];
    }
    return la_scale(ctx, NULL, sign, c->U);
}

/* X X' = axes diag(value) axes' for the centred data X (d x n), then U = X'axes / sqrt(value). */
static rung_status thin_kernel(rung_ctx *ctx, centred_kernel *c)
{
    int64_t d = c->p->d, r = 0;
    la_mat *X = NULL, *scatter = NULL, *axes = NULL, *leading = NULL;
    double *root = NULL;
    TRY(la_new(ctx, &ctx->scratch, d, c->n, &X));
    TRY(centred_columns(ctx, c, X));
    TRY(la_new(ctx, &ctx->scratch, d, d, &scatter));
    TRY(la_new(ctx, &ctx->scratch, d, d, &axes));
    TRY(NEW(ctx, &ctx->scratch, c->value, d));
    TRY(NEW(ctx, &ctx->scratch, root, d));
    TRY(la_syrk(ctx, false, 1, X, 0, scatter));
    c->trace = la_trace(scatter);
    TRY(la_eigen(ctx, scatter, d, c->value, axes));
    while (r < d && c->value[r] > 1e-14 * c->value[0] && c->value[r] > 0) r++;
    c->r = r;
    TRY(NEW(ctx, &ctx->scratch, c->axes, d * r));
    TRY(la_new(ctx, &ctx->scratch, d, r, &leading));
    TRY(la_gather(ctx, axes, NULL, NULL, leading));
    la_get(leading, c->axes);
    TRY(la_new(ctx, &ctx->scratch, c->n, r, &c->U));
    TRY(la_gemm(ctx, true, false, 1, X, leading, 0, c->U));
    for (int64_t j = 0; j < r; j++) root[j] = 1 / sqrt(c->value[j]);
    TRY(la_scale(ctx, NULL, root, c->U));
    la_free(&ctx->scratch, X);
    return turn_axes(ctx, c);
}

static rung_status whole_kernel(rung_ctx *ctx, problem *p, centred_kernel *c)
{
    const la_mat *gram;
    TRY(problem_gram(ctx, p, &c->k, &gram));
    TRY(la_new(ctx, &ctx->scratch, c->n, c->n, &c->K));
    TRY(la_gather(ctx, gram, NULL, NULL, c->K));
    TRY(NEW(ctx, &ctx->scratch, c->mean, c->n));
    if (c->centred) {
        TRY(la_row_sums(ctx, gram, c->mean));
        for (int64_t i = 0; i < c->n; i++) c->mean[i] /= (double)c->n;
        TRY(la_centre(ctx, LA_CENTRE_BOTH, c->K));
    }
    c->trace = la_trace(c->K);
    return RUNG_OK;
}

rung_status centred_kernel_new(rung_ctx *ctx, pool *mem, problem *p, const kernel_params *params, bool centre,
                               centred_kernel *out)
{
    *out = (centred_kernel){.p = p, .n = p->n, .centred = centre};
    TRY(kernel_from_params(ctx, mem, params, &out->k));
    out->k = problem_kernel(p, &out->k);
    return kernel_is_thin(&out->k, p->n, p->d) ? thin_kernel(ctx, out) : whole_kernel(ctx, p, out);
}

int64_t centred_basis(const centred_kernel *c) { return c->K ? c->n : c->r; }

/* The trace of a centred matrix of equal rows is rounding. */
static rung_status mean_eigenvalue(rung_ctx *ctx, const centred_kernel *c, double *out)
{
    double scale = 0;
    if (c->n < 2) return fail(ctx, RUNG_EDATA, "one row is not enough to learn from: label at least two that differ");
    for (int64_t i = 0; i < c->n && c->K; i++) scale += fabs(c->mean[i]);
    for (int64_t j = 0; j < c->p->d && !c->K; j++) scale += (double)c->n * c->mean[j] * c->mean[j];
    if (!(c->trace > 1e-13 * scale) || !isfinite(c->trace))
        return fail(ctx, RUNG_EDATA,
                    c->trace > 1 ? "the kernel matrix overflows" : "the rows do not differ: there is nothing to learn");
    *out = c->trace / (double)c->n;
    return RUNG_OK;
}

rung_status centred_lambda(rung_ctx *ctx, const centred_kernel *c, double lambda, int kind, double *out)
{
    const double least = 1e-60, most = 1e6; /* beyond them squares and differences lose their digits */
    double unit;
    TRY(mean_eigenvalue(ctx, c, &unit));
    *out = lambda * (kind == LAMBDA_RELATIVE ? unit : 1);
    if (!(*out >= least * unit && *out <= most * unit))
        return fail(
            ctx, RUNG_EARG,
            "lambda=%g is %.3g times the mean eigenvalue of the kernel matrix; give one between %g and %g times",
            lambda, *out / unit, least, most);
    return RUNG_OK;
}

rung_status centred_leading(rung_ctx *ctx, const centred_kernel *c, int64_t r, double *values, la_mat *V)
{
    if (c->K) return la_leading(ctx, c->K, r, 1e-13, values, V, NULL);
    double *u = NULL, *v = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, u, c->n * c->r));
    TRY(NEW(ctx, &ctx->scratch, v, c->n * r));
    la_get(c->U, u);
    for (int64_t j = 0; j < r; j++) values[j] = j < c->r ? c->value[j] : 0;
    memcpy(v, u, (size_t)(c->n * (r < c->r ? r : c->r)) * sizeof *v);
    la_put(v, V);
    return RUNG_OK;
}

/* Whole: sum_i a_i k~(x, x_i) = sum_i (a_i - mean of a)(k(x, x_i) - mean_i). Thin: one weight per column. */
rung_status centred_scorer(rung_ctx *ctx, pool *mem, const centred_kernel *c, int outputs, const double *a,
                           const double *bias, scorer *out)
{
    int64_t n = c->n, d = c->p->d, size = c->K ? n : d;
    double *beta = NULL, *constant = NULL;
    TRY(NEW(ctx, &ctx->scratch, beta, size * outputs));
    TRY(NEW(ctx, &ctx->scratch, constant, outputs));
    for (int o = 0; o < outputs; o++) {
        const double *from = a + o * centred_basis(c);
        double *to = beta + o * size, mean = 0;
        for (int64_t i = 0; i < n && c->K && c->centred; i++) mean += from[i] / (double)n;
        for (int64_t i = 0; i < n && c->K; i++) to[i] = from[i] - mean;
        for (int64_t j = 0; j < c->r && !c->K; j++)
            for (int64_t i = 0; i < d; i++) to[i] += c->axes[i + j * d] * sqrt(c->value[j]) * from[j];
        constant[o] = bias[o];
        for (int64_t i = 0; i < size; i++) constant[o] -= to[i] * c->mean[i];
    }
    if (!c->K) return linear_scorer(ctx, mem, c->p, outputs, beta, constant, out);
    TRY(expansion_outputs(ctx, mem, c->p, &c->k, outputs, beta, out));
    memcpy(out->bias, constant, (size_t)outputs * sizeof *constant);
    return RUNG_OK;
}

rung_status transposed_times(rung_ctx *ctx, const la_mat *A, const double *x, double *w)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *X = NULL, *W = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(A), 1, &X));
    TRY(la_new(ctx, &ctx->scratch, la_cols(A), 1, &W));
    la_put(x, X);
    TRY(la_gemm(ctx, true, false, 1, A, X, 0, W));
    la_get(W, w);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- the values learned ---- */

static double class_value(int K, int rank) { return K == 2 ? 2 * rank - 3 : rank; }

void target_moments(int64_t m, const double *v, double *mean, double *sd)
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

rung_status target_values_new(rung_ctx *ctx, const problem *p, target_values *out)
{
    *out = (target_values){0};
    TRY(NEW(ctx, &ctx->scratch, out->lab, p->n));
    TRY(NEW(ctx, &ctx->scratch, out->un, p->n));
    TRY(NEW(ctx, &ctx->scratch, out->v, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        if (p->t ? isnan(p->t[i]) : p->y[i] == 0) {
            out->un[out->l++] = i;
            continue;
        }
        out->v[out->m] = p->t ? p->t[i] : class_value(p->K, p->y[i]);
        out->lab[out->m++] = i;
    }
    target_moments(out->m, out->v, &out->mean, &out->sd);
    return RUNG_OK;
}

rung_status target_decision(rung_ctx *ctx, pool *mem, const problem *p, double unit, fitted *out)
{
    int K = p->K;
    out->decide = (decision){.kind = DECISION_NONE};
    if (K == 1) out->decide = (decision){.kind = DECISION_CONSTANT, .K = 1, .rank = 1};
    if (K < 2) return RUNG_OK;
    out->decide = (decision){.kind = DECISION_THRESHOLDS, .K = K};
    out->map.n = K;
    TRY(NEW(ctx, mem, out->decide.thresholds, K - 1));
    TRY(NEW(ctx, mem, out->map.f, K));
    TRY(NEW(ctx, mem, out->map.s, K));
    for (int q = 1; q <= K; q++) {
        out->map.f[q - 1] = unit * class_value(K, q);
        out->map.s[q - 1] = q;
        if (q < K) out->decide.thresholds[q - 1] = unit * (class_value(K, q) + class_value(K, q + 1)) / 2;
    }
    return RUNG_OK;
}

void target_hold_out(const fitted *fit, int64_t row, int repeat, int fold, double score, held_out *held)
{
    int64_t i = held->n++;
    held->row[i] = row;
    held->repeat[i] = repeat;
    held->fold[i] = fold;
    held->score[i] = rank_score(&fit->map, score);
    held->rank[i] = decision_rank(&fit->decide, score);
}

/* ---- lambda=auto ---- */

double lambda_candidate(int i) { return pow(10, 2 - 0.25 * i); }

rung_status lambda_choose(rung_ctx *ctx, pool *mem, const centred_kernel *c, const double *loo, fitted *out,
                          double *lambda)
{
    double unit, tried[LAMBDA_CANDIDATES], error[LAMBDA_CANDIDATES];
    int best = -1, n = 0;
    TRY(mean_eigenvalue(ctx, c, &unit));
    for (int i = 0; i < LAMBDA_CANDIDATES; i++) {
        if (!isfinite(loo[i])) continue;
        tried[n] = lambda_candidate(i) * unit;
        error[n] = loo[i];
        if (best < 0 || error[n] < (1 - 1e-12) * error[best]) best = n;
        n++;
    }
    if (best < 0) return fail(ctx, RUNG_EDATA, "lambda=auto: no leave-one-out error can be computed; give a number");
    *lambda = tried[best];
    TRY(report_list(ctx, mem, out, "path_lambda", n, tried));
    TRY(report_list(ctx, mem, out, "path_loo", n, error));
    return report_number(ctx, mem, out, "loo", error[best]);
}
