// SPDX-License-Identifier: BSD-3-Clause
/* lambda=auto of the optimal target: the error at labels hidden one at a time, those of equal rows together, for every
 * candidate.
 *
 * The residual of label i when it is hidden is (P u)_i / P_ii, P the inverse covariance of the labelled rows, with an
 * intercept without its part along the constant. lambda^2 P = I - H, H the smoother of the labelled rows, which has
 * equal rows where the data have (solve/left_out.h). */
#include <math.h>

#include "method/target/ot_inner.h"
#include "solve/left_out.h"

static rung_status vectors_new(rung_ctx *ctx, int64_t m, double **diagonal, double **Pu, double **P1)
{
    TRY(NEW(ctx, &ctx->scratch, *diagonal, m));
    TRY(NEW(ctx, &ctx->scratch, *Pu, m));
    return NEW(ctx, &ctx->scratch, *P1, m);
}

/* All three times `unit` are those of lambda^2 P; diagonal and Pu are overwritten. */
static double hidden_error(const labelled_rows *rows, bool intercept, double unit, double *diagonal, double *Pu,
                           const double *P1)
{
    int64_t m = rows->m;
    double total = sum_of(m, P1), share = intercept ? sum_of(m, Pu) / total : 0, error = 0;
    for (int64_t i = 0; i < m; i++) {
        diagonal[i] -= intercept ? P1[i] * P1[i] / total : 0;
        Pu[i] -= share * P1[i];
    }
    if (rows->together) { /* shares of 1 are needed */
        for (int64_t i = 0; i < m; i++) {
            diagonal[i] *= unit;
            Pu[i] *= unit;
        }
    }
    left_out_residuals(rows->together, m, diagonal, -HUGE_VAL, 1, Pu);
    for (int64_t i = 0; i < m; i++) error += Pu[i] * Pu[i] / (double)m;
    return error;
}

/* ---- few labels: P from the covariance ---- */

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
    TRY(basis_rows(ctx, c, rows->lab, part));
    TRY(la_scale(ctx, NULL, root, part));
    TRY(la_syrk(ctx, false, 1, part, 0, first));
    TRY(la_scale(ctx, NULL, root, part));
    return la_syrk(ctx, false, 1, part, 0, second);
}

static rung_status error_by_inverse(rung_ctx *ctx, la_mat *C, double lambda, bool intercept, const labelled_rows *rows,
                                    double *loo)
{
    int64_t m = rows->m;
    double *diagonal = NULL, *Pu = NULL, *ones = NULL, *P1 = NULL;
    *loo = NAN;
    rung_status status = la_potrf(ctx, C);
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    TRY(la_potri(ctx, C));
    TRY(vectors_new(ctx, m, &diagonal, &Pu, &P1));
    TRY(NEW(ctx, &ctx->scratch, ones, m));
    for (int64_t i = 0; i < m; i++) ones[i] = 1;
    TRY(la_mul(ctx, 1, C, 1, rows->u, 0, Pu));
    TRY(la_mul(ctx, 1, C, 1, ones, 0, P1));
    la_diagonal(C, diagonal);
    *loo = hidden_error(rows, intercept, lambda * lambda, diagonal, Pu, P1);
    return RUNG_OK;
}

static rung_status path_by_inverse(rung_ctx *ctx, const centred_kernel *c, bool intercept, const labelled_rows *rows,
                                   double unit, double *loo)
{
    int64_t m = rows->m;
    la_mat *first = NULL, *second = NULL, *C = NULL;
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
        TRY(error_by_inverse(ctx, C, lambda, intercept, rows, &loo[i]));
        pool_release(&ctx->scratch, here);
    }
    return RUNG_OK;
}

/* ---- thin kernels, more labels than eigenvectors: P lambda^2 = I - V (lambda^2 I + V'V)^-1 V', V = U_l diag((k^2 + 2
 * lambda k)^1/2) ---- */

/* B = U_l'U_l, and sums = U_l'[u, 1] (r x 2). */
static rung_status labelled_moments(rung_ctx *ctx, const centred_kernel *c, const labelled_rows *rows, la_mat *B,
                                    double *sums)
{
    double *part = NULL, *ones = NULL;
    basis_block at;
    TRY(NEW(ctx, &ctx->scratch, part, c->r));
    TRY(NEW(ctx, &ctx->scratch, ones, rows->m));
    for (int64_t i = 0; i < rows->m; i++) ones[i] = 1;
    for (at = basis_some(rows->m, rows->lab, false, NULL); at.first < at.count; basis_end(ctx, &at)) {
        TRY(basis_next(ctx, c, &at));
        TRY(la_syrk(ctx, true, 1, at.U, at.first > 0, B));
        for (int o = 0; o < 2; o++) {
            TRY(transposed_times(ctx, at.U, (o ? ones : rows->u) + at.first, part));
            for (int64_t j = 0; j < c->r; j++) sums[j + o * c->r] += part[j];
        }
    }
    return RUNG_OK;
}

static rung_status error_by_sums(rung_ctx *ctx, const centred_kernel *c, bool intercept, const labelled_rows *rows,
                                 double lambda, const la_mat *B, const double *sums, double *loo)
{
    int64_t m = rows->m, r = c->r;
    double *root = NULL, *x = NULL, *diagonal = NULL, *Pu = NULL, *P1 = NULL;
    la_mat *G = NULL;
    basis_block at;
    TRY(NEW(ctx, &ctx->scratch, root, r));
    TRY(NEW(ctx, &ctx->scratch, x, 2 * r));
    TRY(vectors_new(ctx, m, &diagonal, &Pu, &P1));
    TRY(la_new(ctx, &ctx->scratch, r, r, &G));
    for (int64_t j = 0; j < r; j++) {
        root[j] = sqrt(c->value[j] * (c->value[j] + 2 * lambda));
        for (int o = 0; o < 2; o++) x[j + o * r] = sums[j + o * r] * root[j];
    }
    TRY(la_gather(ctx, B, NULL, NULL, G));
    TRY(la_scale(ctx, root, root, G));
    la_add_diagonal(G, lambda * lambda, NULL);
    TRY(la_potrf(ctx, G));
    TRY(la_potrs(ctx, G, 2, x));
    for (int64_t i = 0; i < m; i++) {
        Pu[i] = rows->u[i];
        P1[i] = 1;
    }
    for (at = basis_some(m, rows->lab, false, root); at.first < at.count; basis_end(ctx, &at)) {
        la_mat *V = NULL;
        TRY(basis_next(ctx, c, &at));
        TRY(la_mul(ctx, -1, at.U, 1, x, 1, Pu + at.first));
        TRY(la_mul(ctx, -1, at.U, 1, x + r, 1, P1 + at.first));
        TRY(la_new(ctx, &ctx->scratch, r, la_rows(at.U), &V));
        TRY(la_transpose(ctx, at.U, V));
        TRY(la_trsm(ctx, G, false, V));
        TRY(la_column_dots(ctx, V, V, diagonal + at.first));
    }
    for (int64_t i = 0; i < m; i++) diagonal[i] = 1 - diagonal[i];
    *loo = hidden_error(rows, intercept, 1, diagonal, Pu, P1);
    return RUNG_OK;
}

static rung_status path_by_sums(rung_ctx *ctx, const centred_kernel *c, bool intercept, const labelled_rows *rows,
                                double unit, double *loo)
{
    double *sums = NULL;
    la_mat *B = NULL;
    TRY(NEW(ctx, &ctx->scratch, sums, 2 * c->r));
    TRY(la_new(ctx, &ctx->scratch, c->r, c->r, &B));
    TRY(labelled_moments(ctx, c, rows, B, sums));
    for (int i = 0; i < LAMBDA_CANDIDATES; i++) {
        pool_mark here = pool_here(&ctx->scratch);
        TRY(error_by_sums(ctx, c, intercept, rows, lambda_candidate(i) * unit, B, sums, &loo[i]));
        pool_release(&ctx->scratch, here);
    }
    return RUNG_OK;
}

rung_status ot_loo(rung_ctx *ctx, const centred_kernel *c, bool intercept, const labelled_rows *rows, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double unit;
    TRY(centred_lambda(ctx, c, 1, LAMBDA_RELATIVE, &unit));
    if (!c->K && rows->m > 2 * c->r)
        TRY(path_by_sums(ctx, c, intercept, rows, unit, loo));
    else
        TRY(path_by_inverse(ctx, c, intercept, rows, unit, loo));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
