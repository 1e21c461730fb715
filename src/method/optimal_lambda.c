// SPDX-License-Identifier: BSD-3-Clause
/* lambda=auto of the optimal target: the error at labels hidden one at a time, for every candidate. */
#include <math.h>

#include "method/optimal_inner.h"

/* The labelled blocks of K~ and of K~^2. */
static rung_status labelled_blocks(rung_ctx *ctx, const centred_kernel *c, const labelled_rows *rows, la_mat *first,
                                   la_mat *second)
{
    la_mat *part = NULL;
    if (c->K) {
        TRY(la_new(ctx, &ctx->scratch, c->n, rows->m, &part));
        TRY(la_gather(ctx, c->K, rows->lab, rows->lab, first));
        TRY(la_gather(ctx, c->K, NULL, rows->lab, part));
        return la_syrk(ctx, true, 1, part, 0, second);
    }
    double *root = NULL;
    TRY(NEW(ctx, &ctx->scratch, root, c->r));
    for (int64_t j = 0; j < c->r; j++) root[j] = sqrt(c->value[j]);
    TRY(la_new(ctx, &ctx->scratch, rows->m, c->r, &part));
    TRY(la_gather(ctx, c->U, rows->lab, NULL, part));
    TRY(la_scale(ctx, NULL, root, part));
    TRY(la_syrk(ctx, false, 1, part, 0, first));
    TRY(la_scale(ctx, NULL, root, part));
    return la_syrk(ctx, false, 1, part, 0, second);
}

/* The residual of label i when it is hidden is (P u)_i / P_ii, P the inverse covariance of the labelled rows, with an
 * intercept without its part along the constant. */
static rung_status hidden_error(rung_ctx *ctx, la_mat *C, bool intercept, const labelled_rows *rows, double *loo)
{
    int64_t m = rows->m;
    double *diagonal = NULL, *Pu = NULL, *ones = NULL, *P1 = NULL, error = 0;
    *loo = NAN;
    rung_status status = la_potrf(ctx, C);
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    TRY(la_potri(ctx, C));
    TRY(NEW(ctx, &ctx->scratch, diagonal, m));
    TRY(NEW(ctx, &ctx->scratch, Pu, m));
    TRY(NEW(ctx, &ctx->scratch, ones, m));
    TRY(NEW(ctx, &ctx->scratch, P1, m));
    for (int64_t i = 0; i < m; i++) ones[i] = 1;
    TRY(la_mul(ctx, 1, C, 1, rows->u, 0, Pu));
    TRY(la_mul(ctx, 1, C, 1, ones, 0, P1));
    la_diagonal(C, diagonal);
    double total = sum_of(m, P1), share = intercept ? sum_of(m, Pu) / total : 0;
    for (int64_t i = 0; i < m; i++) {
        double d = diagonal[i] - (intercept ? P1[i] * P1[i] / total : 0), e = (Pu[i] - share * P1[i]) / d;
        error += e * e / (double)m;
    }
    *loo = error;
    return RUNG_OK;
}

rung_status optimal_loo(rung_ctx *ctx, const centred_kernel *c, bool intercept, const labelled_rows *rows, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = rows->m;
    la_mat *first = NULL, *second = NULL, *C = NULL;
    double unit;
    TRY(centred_lambda(ctx, c, 1, LAMBDA_RELATIVE, &unit));
    TRY(la_new(ctx, &ctx->scratch, m, m, &first));
    TRY(la_new(ctx, &ctx->scratch, m, m, &second));
    TRY(la_new(ctx, &ctx->scratch, m, m, &C));
    TRY(labelled_blocks(ctx, c, rows, first, second));
    for (int i = 0; i < LAMBDA_CANDIDATES; i++) {
        pool_mark here = pool_here(&ctx->scratch);
        double lambda = lambda_candidate(i) * unit;
        TRY(la_scale_add(ctx, 2 * lambda, first, 0, C));
        TRY(la_scale_add(ctx, 1, second, 1, C));
        la_add_diagonal(C, lambda * lambda, NULL);
        TRY(hidden_error(ctx, C, intercept, rows, &loo[i]));
        pool_release(&ctx->scratch, here);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
