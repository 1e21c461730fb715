// SPDX-License-Identifier: BSD-3-Clause
/* tld.c - transductive ridge regression after Chapelle, Vapnik and Weston: a reconstruction from the idea of the paper,
 * for comparison, not a reproduction.
 *
 * The values Y of the unlabelled rows are those for which ridge regression on labelled and unlabelled rows together has
 * small leave-one-out residuals at the labelled ones, near the values Y0 ridge regression on the labelled rows gives:
 *
 *     minimise (1/l) |A Y + c|^2 + lambda* |Y - Y0|^2
 *
 * with M = (K + 11' + lambda I)^-1 over all rows, A_ij = M_ij / M_ii and c_i = (M_ll y)_i / M_ii for labelled i. */
#include <string.h>

#include "fit/verify.h"
#include "method/target/kernel_ridge.h"

typedef struct {
    kernel_params kernel;
    double lambda, lambda_star;
    int thresholds, calibrate;
} tld_params;

static rung_status tld_prepare(rung_ctx *ctx, const fit_input *in)
{
    problem *p = in->p;
    const la_mat *K;
    kernel k;
    TRY(kernel_from_params(ctx, p->mem, &((const tld_params *)in->params)->kernel, &k));
    k = problem_kernel(p, &k);
    return problem_gram(ctx, p, &k, &K);
}

/* K + 11' + lambda I over some rows. */
static rung_status ridge_matrix(rung_ctx *ctx, const la_mat *K, double lambda, int64_t n, const int64_t *rows,
                                la_mat **out)
{
    la_mat *ones = NULL;
    double *one = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, out));
    TRY(la_new(ctx, &ctx->scratch, n, 1, &ones));
    TRY(NEW(ctx, &ctx->scratch, one, n));
    for (int64_t i = 0; i < n; i++) one[i] = 1;
    la_put(one, ones);
    TRY(la_gather(ctx, K, rows, rows, *out));
    TRY(la_syrk(ctx, false, 1, ones, 1, *out));
    la_add_diagonal(*out, lambda, NULL);
    return RUNG_OK;
}

/* Y0 (u): ridge regression on the labelled rows alone, at the unlabelled ones. */
static rung_status inductive(rung_ctx *ctx, const la_mat *K, double lambda, const ridge_target *t, double *Y0)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *R = NULL, *cross = NULL;
    double *a = NULL, sum = 0;
    TRY(ridge_matrix(ctx, K, lambda, t->m, t->lab, &R));
    TRY(NEW(ctx, &ctx->scratch, a, t->m));
    memcpy(a, t->v, (size_t)t->m * sizeof *a);
    TRY(la_potrf(ctx, R));
    TRY(la_potrs(ctx, R, 1, a));
    TRY(la_new(ctx, &ctx->scratch, t->l, t->m, &cross));
    TRY(la_gather(ctx, K, t->un, t->lab, cross));
    TRY(la_mul(ctx, 1, cross, 1, a, 0, Y0));
    for (int64_t i = 0; i < t->m; i++) sum += a[i];
    for (int64_t i = 0; i < t->l; i++) Y0[i] += sum;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Y = Y0 + D, D = -A'(AA' + g I)^-1 r = -(A'A + g I)^-1 A'r with r = A Y0 + c and g = l lambda*: the smaller system. */
static rung_status transduce(rung_ctx *ctx, const la_mat *A, double g, const double *r, double *Y)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t l = la_rows(A), u = la_cols(A), side = l < u ? l : u;
    double *x = NULL, *D = NULL;
    la_mat *G = NULL;
    TRY(la_new(ctx, &ctx->scratch, side, side, &G));
    TRY(NEW(ctx, &ctx->scratch, x, side));
    TRY(NEW(ctx, &ctx->scratch, D, u));
    TRY(la_syrk(ctx, l >= u, 1, A, 0, G));
    la_add_diagonal(G, g, NULL);
    TRY(la_potrf(ctx, G));
    if (l < u)
        memcpy(x, r, (size_t)l * sizeof *x);
    else
        TRY(transposed_times(ctx, A, r, x));
    TRY(la_potrs(ctx, G, 1, x));
    if (l < u)
        TRY(transposed_times(ctx, A, x, D));
    else
        memcpy(D, x, (size_t)u * sizeof *D);
    for (int64_t i = 0; i < u; i++) Y[i] -= D[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* z: n values, the labelled ones first and given, then Y0, which become Y. M: the inverse, in the same order. */
static rung_status improve(rung_ctx *ctx, const la_mat *M, const ridge_target *t, double lambda_star, double *z,
                           double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = t->m + t->l, *first = NULL, *last = NULL;
    double *diagonal = NULL, *r = NULL, *Mz = NULL;
    la_mat *A = NULL;
    TRY(NEW(ctx, &ctx->scratch, first, t->m));
    TRY(NEW(ctx, &ctx->scratch, last, t->l));
    TRY(NEW(ctx, &ctx->scratch, diagonal, n));
    TRY(NEW(ctx, &ctx->scratch, r, t->m));
    TRY(NEW(ctx, &ctx->scratch, Mz, n));
    for (int64_t i = 0; i < t->m; i++) first[i] = i;
    for (int64_t i = 0; i < t->l; i++) last[i] = t->m + i;
    la_diagonal(M, diagonal);
    for (int64_t i = 0; i < n; i++) diagonal[i] = 1 / diagonal[i];
    TRY(la_new(ctx, &ctx->scratch, t->m, t->l, &A));
    TRY(la_gather(ctx, M, first, last, A));
    TRY(la_scale(ctx, diagonal, NULL, A));
    TRY(la_mul(ctx, 1, M, 1, z, 0, Mz));
    for (int64_t i = 0; i < t->m; i++) r[i] = diagonal[i] * Mz[i];
    if (t->l > 0) TRY(transduce(ctx, A, (double)t->m * lambda_star, r, z + t->m));
    TRY(la_mul(ctx, 1, M, 1, z, 0, Mz));
    *loo = 0;
    for (int64_t i = 0; i < t->m; i++) *loo += diagonal[i] * Mz[i] * diagonal[i] * Mz[i] / (double)t->m;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status tld_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const tld_params *params = in->params;
    int64_t n = p->n, *order = NULL;
    kernel k;
    const la_mat *K;
    la_mat *M = NULL;
    ridge_target t;
    double *z = NULL, *a = NULL, *beta = NULL, *output = NULL, loo;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    TRY(problem_gram(ctx, p, &k, &K));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(ridge_target_new(ctx, p, &t));
    TRY(NEW(ctx, &ctx->scratch, order, n));
    TRY(NEW(ctx, &ctx->scratch, z, n));
    TRY(NEW(ctx, &ctx->scratch, a, n));
    TRY(NEW(ctx, &ctx->scratch, beta, n));
    TRY(NEW(ctx, &ctx->scratch, output, n));
    for (int64_t i = 0; i < n; i++) order[i] = i < t.m ? t.lab[i] : t.un[i - t.m];
    memcpy(z, t.v, (size_t)t.m * sizeof *z);
    TRY(inductive(ctx, K, params->lambda, &t, z + t.m));
    TRY(ridge_matrix(ctx, K, params->lambda, n, order, &M));
    TRY(la_potrf(ctx, M));
    TRY(la_potri(ctx, M));
    TRY(improve(ctx, M, &t, params->lambda_star, z, &loo));
    TRY(la_mul(ctx, 1, M, 1, z, 0, a));
    double bias = 0;
    for (int64_t i = 0; i < n; i++) {
        beta[order[i]] = a[i];
        output[order[i]] = z[i];
        bias += a[i];
    }
    TRY(expansion_scorer(ctx, mem, p, &k, beta, &out->own.score));
    out->own.score.bias[0] = bias;
    out->n_expansion = n;
    TRY(training_answers(ctx, mem, n, 1, output, p->K > 0 ? p->y : NULL, &out->training));
    TRY(ridge_target_decision(ctx, mem, p, 1, out));
    TRY(report_number(ctx, mem, out, "loo", loo));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The values z of the rows: the labels at labelled rows; f + lambda a = z with f = (K + 11') a; and the derivative by
 * the values of the unlabelled rows, A'r / l + lambda* (Y - Y0) = 0, r_i = a_i / M_ii the leave-one-out residuals. */
static rung_status tld_verify(rung_ctx *ctx, const struct verification *v)
{
    const tld_params *params = v->params;
    int64_t n = v->p->n, *order = NULL;
    const double *z = v->model->training.output;
    double *a = NULL, *told = NULL, *Ka = NULL, *left = NULL, *q = NULL, *Mq = NULL, *Y0 = NULL, *diagonal = NULL,
           sum = 0, off = 0, size = 0, most = 0;
    kernel k;
    const la_mat *K;
    la_mat *M = NULL;
    ridge_target t;
    TRY(kernel_from_params(ctx, &ctx->scratch, &params->kernel, &k));
    k = problem_kernel(v->p, &k);
    TRY(problem_gram(ctx, v->p, &k, &K));
    TRY(ridge_target_new(ctx, v->p, &t));
    TRY(NEW(ctx, &ctx->scratch, order, n));
    double **rooms[] = {&a, &told, &Ka, &left, &q, &Mq, &Y0, &diagonal};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) TRY(NEW(ctx, &ctx->scratch, *rooms[i], n));
    for (int64_t i = 0; i < n; i++) {
        order[i] = i < t.m ? t.lab[i] : t.un[i - t.m];
        a[i] = (z[i] - v->f[i]) / params->lambda;
        told[i] = (fabs(z[i]) + verify_score_size(v)) / params->lambda; /* what cancels in a, and rounds it */
        sum += a[i];
    }
    for (int64_t i = 0; i < t.m; i++)
        if (!(fabs(z[t.lab[i]] - t.v[i]) <= off)) off = fabs(z[t.lab[i]] - t.v[i]);
    condition_add(v->found, "labels", "predictions of labelled rows against their labels", off, 0);
    TRY(verify_kernel_times(ctx, v, 1, a, Ka));
    for (int64_t i = 0; i < n; i++) {
        Ka[i] += sum;
        left[i] = -v->f[i];
    }
    condition_add(v->found, "normal equations", "residual of f = (K + 1) (z - f) / lambda, relative",
                  relative_residual(n, 2, (const double *const[]){Ka, left}, verify_kernel_size(v, told)), 1e-6);
    if (t.l == 0) return RUNG_OK;
    TRY(inductive(ctx, K, params->lambda, &t, Y0));
    TRY(ridge_matrix(ctx, K, params->lambda, n, order, &M));
    TRY(la_potrf(ctx, M));
    TRY(la_potri(ctx, M));
    la_diagonal(M, diagonal);
    for (int64_t i = 0; i < t.m; i++) q[i] = a[t.lab[i]] / (diagonal[i] * diagonal[i]) / (double)t.m;
    for (int64_t i = 0; i < n; i++) most = fmax(most, diagonal[i]);
    for (int64_t i = 0; i < t.m; i++) size += most * fabs(q[i]) + params->lambda_star * fabs(t.v[i]);
    TRY(la_mul(ctx, 1, M, 1, q, 0, Mq));
    for (int64_t i = 0; i < t.l; i++) left[i] = params->lambda_star * (z[t.un[i]] - Y0[i]);
    condition_add(v->found, "stationarity", "derivative by the values of the unlabelled rows, relative",
                  relative_residual(t.l, 2, (const double *const[]){Mq + t.m, left}, size), 1e-6);
    return RUNG_OK;
}

/* Gram matrix, inverse and its work space; folds are fitted again beside the whole Gram matrix. */
static double tld_bytes(const problem_shape *shape, const void *params_)
{
    const tld_params *params = params_;
    double n = (double)shape->n, d = (double)shape->d;
    return 8 * ((params->calibrate > 0 ? 3.5 : 3) * n * n + 2 * n * d + 40 * n);
}

static const param_row tld_rows[] = {
    KERNEL_PARAMS(tld_params),
    PARAM(tld_params, lambda, .name = "lambda",
          .help = "weight of the ridge, added to the diagonal of the uncentred kernel matrix", .type = RUNG_TYPE_REAL,
          .default_value = "1", .published = "1", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP, .grid = "10,1,0.1,0.01"),
    PARAM(tld_params, lambda_star, .name = "lambda-star",
          .help = "weight of the distance between the unlabelled values and their prediction from the labelled rows",
          .type = RUNG_TYPE_REAL, .default_value = "0.1", .published = "0.1", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP),
    TARGET_THRESHOLDS_PARAM(tld_params),
    CALIBRATE_PARAM(tld_params, "5"),
    {0},
};

const method method_tld = {
    .info = {.name = "tld",
             .title = "Transductive linear discrimination (a reconstruction)",
             .reference = "After Chapelle, Vapnik, Weston. Transductive inference for estimating values of functions. "
                          "NIPS 12, 1999, 421-427",
             .cost = "time n^3, memory 3 n^2; no landmarks; for many rows use ot",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_REAL_TARGETS |
                      RUNG_METHOD_TRANSDUCTIVE | RUNG_METHOD_USES_UNLABELLED},
    .params = tld_rows,
    .params_size = sizeof(tld_params),
    .bytes = tld_bytes,
    .prepare = tld_prepare,
    .fit = tld_fit,
    .verify = tld_verify,
};
