// SPDX-License-Identifier: BSD-3-Clause
#include "method/projection/ordered_qp.h"

#include <string.h>

static const double PSEUDO_CUT = 1e-10;

/* S (c x m) = M^+ D. */
static rung_status pseudo_solve(rung_ctx *ctx, la_mat *M, int64_t m, const double *D, double *S)
{
    int64_t c = la_rows(M), kept = 0;
    double *values = NULL, *inverse = NULL;
    la_mat *V = NULL, *right = NULL, *part = NULL, *solved = NULL;
    TRY(NEW(ctx, &ctx->scratch, values, c));
    TRY(NEW(ctx, &ctx->scratch, inverse, c));
    TRY(la_new(ctx, &ctx->scratch, c, c, &V));
    TRY(la_new(ctx, &ctx->scratch, c, m, &right));
    TRY(la_new(ctx, &ctx->scratch, c, m, &part));
    TRY(la_new(ctx, &ctx->scratch, c, m, &solved));
    TRY(la_eigen(ctx, M, c, values, V));
    for (; kept < c && values[kept] > PSEUDO_CUT * values[0] && values[kept] > 0; kept++)
        inverse[kept] = 1 / values[kept];
    la_put(D, right);
    TRY(la_gemm(ctx, true, false, 1, V, right, 0, part));
    TRY(la_scale(ctx, inverse, NULL, part));
    TRY(la_gemm(ctx, false, false, 1, V, part, 0, solved));
    la_get(solved, S);
    if (kept == 0) memcpy(S, D, (size_t)(c * m) * sizeof *S);
    return RUNG_OK;
}

rung_status ordered_qp_solve(rung_ctx *ctx, la_mat *M, const discriminant_params *params, double d, int K,
                             const double *D, ordered_qp_solution *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t c = la_rows(M), m = K - 1;
    double *S = NULL, *Q = NULL, trace = la_trace(M);
    TRY(NEW_RAW(ctx, &ctx->scratch, S, c * m));
    TRY(NEW(ctx, &ctx->scratch, Q, m * m));
    if (params->ridge > 0) {
        la_add_diagonal(M, trace > 0 ? params->ridge * trace / d : 1, NULL);
        memcpy(S, D, (size_t)(c * m) * sizeof *S);
        TRY(la_potrf(ctx, M));
        TRY(la_potrs(ctx, M, m, S));
    } else {
        TRY(pseudo_solve(ctx, M, m, D, S));
    }
    for (int64_t s = 0; s < m; s++)
        for (int64_t r = 0; r < m; r++)
            for (int64_t j = 0; j < c; j++) Q[r + s * m] += D[j + r * c] * S[j + s * c];
    TRY(order_weights(ctx, K, Q, params->C, 0, out->alpha, &out->degenerate));
    out->value = 0;
    for (int64_t s = 0; s < m; s++)
        for (int64_t r = 0; r < m && !out->degenerate; r++)
            out->value -= out->alpha[r] * Q[r + s * m] * out->alpha[s] / 4;
    memset(out->w, 0, (size_t)c * sizeof *out->w);
    for (int64_t s = 0; s < m; s++)
        for (int64_t j = 0; j < c; j++) out->w[j] += S[j + s * c] * out->alpha[s] / 2;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status laplacian_rows(rung_ctx *ctx, const la_csr *L, const la_mat *T, la_mat *LT)
{
    double most = 0, size, left;
    TRY(la_spmm(ctx, 1, L, T, 0, LT));
    for (int64_t i = 0; i < L->rows; i++)
        for (int64_t e = L->start[i]; e < L->start[i + 1]; e++)
            if (L->col[e] == i) most = fmax(most, L->value[e]);
    TRY(la_inner(ctx, T, T, &size));
    TRY(la_inner(ctx, LT, LT, &left));
    return sqrt(left) > 1e-13 * most * sqrt(size) ? RUNG_OK : la_scale_add(ctx, 0, T, 0, LT);
}

rung_status mean_differences(rung_ctx *ctx, const problem *p, const class_index *classes, const la_mat *T, double *D)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = p->n;
    double *E = NULL;
    la_mat *Ed = NULL, *result = NULL;
    TRY(NEW(ctx, &ctx->scratch, E, n * p->K));
    TRY(la_new(ctx, &ctx->scratch, n, p->K - 1, &Ed));
    TRY(la_new(ctx, &ctx->scratch, la_cols(T), p->K - 1, &result));
    class_contrasts(p, classes, E);
    la_put(E, Ed);
    TRY(la_gemm(ctx, true, false, 1, T, Ed, 0, result));
    la_get(result, D);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

void class_contrasts(const problem *p, const class_index *classes, double *Ed)
{
    memset(Ed, 0, (size_t)(p->n * (p->K - 1)) * sizeof *Ed);
    for (int64_t i = 0; i < p->n; i++) {
        int q = p->y[i];
        if (q > 1) Ed[i + (q - 2) * p->n] = 1 / (double)classes->size[q - 1];
        if (q > 0 && q < p->K) Ed[i + (q - 1) * p->n] = -1 / (double)classes->size[q - 1];
    }
}

rung_status ordered_qp_finish(rung_ctx *ctx, pool *mem, const problem *p, const discriminant_params *params,
                              const class_index *classes, const ordered_qp_solution *s, const double *f, fitted *out)
{
    double *own = NULL, *mean = NULL;
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    if (!f) {
        TRY(NEW_RAW(ctx, &ctx->scratch, own, p->n));
        TRY(scorer_apply(ctx, &out->own.score, p->n, p->X, own));
    }
    class_means(classes, NULL, f ? f : own, mean);
    ordered_classes c = {.mass = classes->mass, .mean = mean, .alpha = s->alpha, .degenerate = s->degenerate};
    TRY(discriminant_results(ctx, mem, p, &c, params, out));
    out->own.decide.tie_up = true;
    return RUNG_OK;
}

/* All rows, the labelled ones, and those of a fold. */
fit_size orml_size(const problem_shape *shape, int neighbours_, int calibrate)
{
    double n = (double)shape->n;
    return (fit_size){.n = n,
                      .d = (double)shape->d,
                      .copies = 1 + (double)shape->labelled / n + (calibrate > 0 ? 1 : 0),
                      .k = fmin(neighbours_, n),
                      .forms = 1,
                      .K = shape->K,
                      .threads = shape->threads};
}
