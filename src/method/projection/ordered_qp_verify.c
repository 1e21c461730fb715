// SPDX-License-Identifier: BSD-3-Clause
#include "fit/verify.h"
#include "method/projection/ordered_qp.h"

/* M (c x c) = T'L T. */
static rung_status graph_form(rung_ctx *ctx, const la_mat *T, const la_csr *L, la_mat **out)
{
    la_mat *LT = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(T), la_cols(T), &LT));
    TRY(la_new(ctx, &ctx->scratch, la_cols(T), la_cols(T), out));
    TRY(laplacian_rows(ctx, L, T, LT));
    TRY(la_gemm(ctx, true, false, 1, T, LT, 0, *out));
    la_free(&ctx->scratch, LT);
    return RUNG_OK;
}

double longest_row(int64_t n, int64_t d, const double *X)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < d; j++) sum = hypot(sum, X[j + i * d]);
        most = fmax(most, sum);
    }
    return most;
}

/* The direction of the model in the coordinates of the rows. */
static rung_status direction(rung_ctx *ctx, const struct verification *v, const row_space *s, double *w)
{
    la_mat *turned = NULL;
    const double *coef = v->model->members->score.coef;
    for (int64_t j = 0; j < v->p->d && !s->back; j++) w[j] = coef[j];
    if (!s->back) return RUNG_OK;
    TRY(la_new(ctx, &ctx->scratch, la_cols(s->back), la_rows(s->back), &turned));
    TRY(la_transpose(ctx, s->back, turned));
    return la_mul(ctx, 1, turned, 1, coef, 0, w);
}

rung_status ordered_qp_stationarity(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                    const la_mat *M, double d, const double *D, double longest, const double *w)
{
    int64_t c = la_rows(M);
    int m = v->p->K - 1;
    const double *alpha = told_list(v->model, "alpha", m);
    double *Mw = NULL, *pull = NULL, *ridge = NULL, *twice = NULL, trace = la_trace(M);
    if (!alpha) return set_error(ctx, RUNG_EARG, "verify: the model does not report its multipliers");
    TRY(NEW(ctx, &ctx->scratch, Mw, c));
    TRY(NEW(ctx, &ctx->scratch, pull, c));
    TRY(NEW(ctx, &ctx->scratch, ridge, c));
    TRY(la_mul(ctx, 1, M, 1, w, 0, Mw));
    double e = !(params->ridge > 0) ? 0 : trace > 0 ? params->ridge * trace / d : 1;
    double size = 0; /* of the pull, if the means did not cancel */
    for (int q = 0; q < m; q++) size += longest * fabs(alpha[q]);
    for (int64_t j = 0; j < c; j++) {
        for (int q = 0; q < m; q++) pull[j] -= D[j + q * c] * alpha[q] / 2;
        ridge[j] = e * w[j];
    }
    if (e == 0) { /* what the pseudo-inverse leaves out is not in the range of M */
        TRY(NEW(ctx, &ctx->scratch, twice, 2 * c));
        TRY(la_mul(ctx, 1, M, 1, Mw, 0, twice));
        TRY(la_mul(ctx, 1, M, 1, pull, 0, twice + c));
        Mw = twice;
        pull = twice + c;
        size *= trace;
    }
    condition_add(v->found, "stationarity", "residual of (M + e I) w = D a / 2, relative",
                  relative_residual(c, 3, (const double *const[]){Mw, pull, ridge}, size), 1e-8);
    return RUNG_OK;
}

rung_status ordered_qp_linear_verify(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                     const la_csr *L)
{
    const problem *p = v->p;
    class_index classes;
    row_space s;
    la_mat *M = NULL;
    double *D = NULL, *w = NULL;
    TRY(class_index_new(ctx, &ctx->scratch, p, &classes));
    TRY(row_space_new(ctx, p, true, &s));
    TRY(NEW(ctx, &ctx->scratch, D, la_cols(s.T) * (p->K - 1)));
    TRY(NEW(ctx, &ctx->scratch, w, la_cols(s.T)));
    TRY(mean_differences(ctx, p, &classes, s.T, D));
    TRY(graph_form(ctx, s.T, L, &M));
    TRY(direction(ctx, v, &s, w));
    return ordered_qp_stationarity(ctx, v, params, M, varying_columns(p), D, longest_row(p->n, p->d, p->X), w);
}
