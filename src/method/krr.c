// SPDX-License-Identifier: BSD-3-Clause
/* krr.c - kernel ridge regression on the values of the classes, or on real targets.
 *
 *     f(x) = k~(x)'a + mean of y,   a = (K~ + lambda I)^-1 (y - mean of y)
 *
 * K~ is centred, so this is ridge regression in the feature space with an intercept that costs nothing. The residuals
 * are R y with R = lambda (K~ + lambda I)^-1 - 11'/n, and rows h held out together have the residuals R_hh^-1 (R y)_h:
 * no refit for leave-one-out or for folds, and these equal a refit of everything, centring and intercept too. One
 * eigendecomposition gives the leave-one-out error of every lambda. centre=no drops centring and intercept. */
#include "method/target.h"

#include <string.h>

typedef struct {
    kernel_params kernel;
    double lambda;
    int lambda_kind, centre, thresholds, calibrate;
} krr_params;

enum { LOO_ROWS = 2000 }; /* real targets: up to this many rows the leave-one-out error is worth an inverse */

static bool krr_holds_out(const void *params)
{
    (void)params;
    return true;
}

static rung_status krr_prepare(rung_ctx *ctx, problem *p, const void *params)
{
    return centred_kernel_prepare(ctx, p, &((const krr_params *)params)->kernel);
}

typedef struct {
    const centred_kernel *c;
    double lambda;
    double *y;        /* n: centred target */
    double *a;        /* in the kernel's basis */
    double *residual; /* n: R y */
} ridge;

/* The constant part of I - R is 11'/n. */
static double constant_share(const centred_kernel *c) { return c->centred ? 1 / (double)c->n : 0; }

/* ---- lambda by leave-one-out ---- */

/* Mean squared leave-one-out residual for all candidates from the eigenvectors U of K~:
 * R = I - 11'/n - U diag(k / (k + lambda)) U'. */
static rung_status loo_path(rung_ctx *ctx, const centred_kernel *c, const la_mat *U, const double *value,
                            const double *y, double unit, double *loo)
{
    int64_t n = c->n, r = la_cols(U);
    double *share = NULL, *pull = NULL, *fit = NULL, *diagonal = NULL, *uy = NULL;
    la_mat *squares = NULL;
    TRY(NEW(ctx, &ctx->scratch, share, r * LAMBDA_CANDIDATES));
    TRY(NEW(ctx, &ctx->scratch, pull, r * LAMBDA_CANDIDATES));
    TRY(NEW(ctx, &ctx->scratch, fit, n * LAMBDA_CANDIDATES));
    TRY(NEW(ctx, &ctx->scratch, diagonal, n * LAMBDA_CANDIDATES));
    TRY(NEW(ctx, &ctx->scratch, uy, r));
    TRY(la_new(ctx, &ctx->scratch, n, r, &squares));
    TRY(la_gather(ctx, U, NULL, NULL, squares));
    TRY(la_hadamard(ctx, U, squares));
    TRY(transposed_times(ctx, U, y, uy));
    for (int q = 0; q < LAMBDA_CANDIDATES; q++)
        for (int64_t j = 0; j < r; j++) {
            double k = fmax(value[j], 0);
            share[j + q * r] = k / (k + lambda_candidate(q) * unit);
            pull[j + q * r] = share[j + q * r] * uy[j];
        }
    TRY(la_mul(ctx, 1, U, LAMBDA_CANDIDATES, pull, 0, fit));
    TRY(la_mul(ctx, 1, squares, LAMBDA_CANDIDATES, share, 0, diagonal));
    for (int q = 0; q < LAMBDA_CANDIDATES; q++) {
        loo[q] = 0;
        for (int64_t i = 0; i < n; i++) {
            double e = (y[i] - fit[i + q * n]) / (1 - constant_share(c) - diagonal[i + q * n]);
            loo[q] += e * e / (double)n;
        }
    }
    return RUNG_OK;
}

static rung_status lambda_by_loo(rung_ctx *ctx, pool *mem, const centred_kernel *c, const double *y, fitted *out,
                                 double *lambda)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double loo[LAMBDA_CANDIDATES], unit, *value = c->value;
    la_mat *copy = NULL, *V = c->U;
    TRY(centred_lambda(ctx, c, 1, LAMBDA_RELATIVE, &unit));
    if (c->K) {
        TRY(NEW(ctx, &ctx->scratch, value, c->n));
        TRY(la_new(ctx, &ctx->scratch, c->n, c->n, &copy));
        TRY(la_new(ctx, &ctx->scratch, c->n, c->n, &V));
        TRY(la_gather(ctx, c->K, NULL, NULL, copy));
        TRY(la_eigen(ctx, copy, c->n, value, V));
        la_free(&ctx->scratch, copy);
    }
    TRY(loo_path(ctx, c, V, value, y, unit, loo));
    pool_release(&ctx->scratch, mark);
    return lambda_choose(ctx, mem, c, loo, out, lambda);
}

/* ---- the fit ---- */

/* K becomes its own Cholesky factor. */
static rung_status solve_whole(rung_ctx *ctx, ridge *g)
{
    la_mat *K = g->c->K;
    la_add_diagonal(K, g->lambda, NULL);
    TRY(la_potrf(ctx, K));
    memcpy(g->a, g->y, (size_t)g->c->n * sizeof *g->a);
    TRY(la_potrs(ctx, K, 1, g->a));
    for (int64_t i = 0; i < g->c->n; i++) g->residual[i] = g->lambda * g->a[i];
    return RUNG_OK;
}

static rung_status solve_thin(rung_ctx *ctx, ridge *g)
{
    const centred_kernel *c = g->c;
    double *fit = NULL, *pull = NULL;
    TRY(NEW(ctx, &ctx->scratch, fit, c->n));
    TRY(NEW(ctx, &ctx->scratch, pull, c->r));
    TRY(transposed_times(ctx, c->U, g->y, g->a));
    for (int64_t j = 0; j < c->r; j++) {
        g->a[j] /= c->value[j] + g->lambda;
        pull[j] = c->value[j] * g->a[j];
    }
    TRY(la_mul(ctx, 1, c->U, 1, pull, 0, fit));
    for (int64_t i = 0; i < c->n; i++) g->residual[i] = g->y[i] - fit[i];
    return RUNG_OK;
}

/* ---- rows held out ---- */

/* Mean squared leave-one-out residual, from the inverse in c->K or from U. */
static rung_status loo_error(rung_ctx *ctx, const ridge *g, double *out)
{
    const centred_kernel *c = g->c;
    double *diagonal = NULL, *share = NULL;
    la_mat *squares = NULL;
    TRY(NEW(ctx, &ctx->scratch, diagonal, c->n));
    if (c->K) {
        la_diagonal(c->K, diagonal);
        for (int64_t i = 0; i < c->n; i++) diagonal[i] *= g->lambda;
    } else {
        TRY(NEW(ctx, &ctx->scratch, share, c->r));
        TRY(la_new(ctx, &ctx->scratch, c->n, c->r, &squares));
        TRY(la_gather(ctx, c->U, NULL, NULL, squares));
        TRY(la_hadamard(ctx, c->U, squares));
        for (int64_t j = 0; j < c->r; j++) share[j] = c->value[j] / (c->value[j] + g->lambda);
        for (int64_t i = 0; i < c->n; i++) diagonal[i] = 1;
        TRY(la_mul(ctx, -1, squares, 1, share, 1, diagonal));
    }
    *out = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double e = g->residual[i] / (diagonal[i] - constant_share(c));
        *out += e * e / (double)c->n;
    }
    return RUNG_OK;
}

/* R_hh: whole from the inverse in c->K, thin from U. */
static rung_status residual_block(rung_ctx *ctx, const ridge *g, int64_t h, const int64_t *rows, la_mat *R)
{
    const centred_kernel *c = g->c;
    la_mat *ones = NULL, *U = NULL;
    if (c->K) {
        TRY(la_gather(ctx, c->K, rows, rows, R));
        TRY(la_scale_add(ctx, 0, R, g->lambda, R));
    } else {
        double *root = NULL;
        TRY(NEW(ctx, &ctx->scratch, root, c->r));
        for (int64_t j = 0; j < c->r; j++) root[j] = sqrt(c->value[j] / (c->value[j] + g->lambda));
        TRY(la_new(ctx, &ctx->scratch, h, c->r, &U));
        TRY(la_gather(ctx, c->U, rows, NULL, U));
        TRY(la_scale(ctx, NULL, root, U));
        TRY(la_syrk(ctx, false, -1, U, 0, R));
        la_add_diagonal(R, 1, NULL);
    }
    double *one = NULL;
    TRY(NEW(ctx, &ctx->scratch, one, h));
    for (int64_t i = 0; i < h; i++) one[i] = 1;
    TRY(la_new(ctx, &ctx->scratch, h, 1, &ones));
    la_put(one, ones);
    return la_syrk(ctx, false, -constant_share(c), ones, 1, R);
}

static rung_status hold_out_fold(rung_ctx *ctx, const ridge *g, const folds *f, int repeat, int fold, double mean,
                                 const fitted *fit, int64_t *rows, held_out *held)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t h = folds_held(f, repeat, fold, rows);
    double *e = NULL;
    la_mat *R = NULL;
    TRY(la_new(ctx, &ctx->scratch, h, h, &R));
    TRY(NEW(ctx, &ctx->scratch, e, h));
    TRY(residual_block(ctx, g, h, rows, R));
    for (int64_t i = 0; i < h; i++) e[i] = g->residual[rows[i]];
    TRY(la_potrf(ctx, R));
    TRY(la_potrs(ctx, R, 1, e));
    for (int64_t i = 0; i < h; i++) target_hold_out(fit, rows[i], repeat, fold, g->y[rows[i]] + mean - e[i], held);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status hold_out(rung_ctx *ctx, pool *mem, const ridge *g, const folds *f, double mean, const fitted *fit,
                            held_out *held)
{
    int64_t *rows = NULL;
    TRY(held_out_new(ctx, mem, g->c->n * f->repeats, held));
    TRY(NEW(ctx, &ctx->scratch, rows, g->c->n));
    for (int r = 0; r < f->repeats; r++)
        for (int fold = 0; fold < f->count; fold++) {
            TRY(interrupted(ctx));
            TRY(hold_out_fold(ctx, g, f, r, fold, mean, fit, rows, held));
        }
    return RUNG_OK;
}

static rung_status krr_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params_, const folds *f, fitted *out,
                           held_out *held)
{
    const krr_params *params = params_;
    centred_kernel c;
    target_values t;
    ridge g = {.c = &c};
    TRY(krr_prepare(ctx, p, params));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(target_values_new(ctx, p, &t));
    TRY(centred_kernel_new(ctx, mem, p, &params->kernel, params->centre == 0, &c));
    double mean = c.centred ? t.mean : 0;
    TRY(NEW(ctx, &ctx->scratch, g.y, p->n));
    TRY(NEW(ctx, &ctx->scratch, g.residual, p->n));
    TRY(NEW(ctx, &ctx->scratch, g.a, centred_basis(&c)));
    for (int64_t i = 0; i < p->n; i++) g.y[i] = t.v[i] - mean;
    TRY(isnan(params->lambda) ? lambda_by_loo(ctx, mem, &c, g.y, out, &g.lambda)
                              : centred_lambda(ctx, &c, params->lambda, params->lambda_kind, &g.lambda));
    TRY(report_number(ctx, mem, out, "lambda", g.lambda));
    TRY(c.K ? solve_whole(ctx, &g) : solve_thin(ctx, &g));
    TRY(centred_scorer(ctx, mem, &c, 1, g.a, &mean, &out->score));
    out->n_expansion = p->n;
    TRY(target_decision(ctx, mem, p, 1, out));
    bool inverse = f || (p->t && p->n <= LOO_ROWS), chosen = isnan(params->lambda);
    if (inverse && c.K) TRY(la_potri(ctx, c.K));
    if (!chosen && (inverse || !c.K)) {
        double loo;
        TRY(loo_error(ctx, &g, &loo));
        TRY(report_number(ctx, mem, out, "loo", loo));
    }
    if (f) TRY(hold_out(ctx, mem, &g, f, mean, out, held));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Gram matrix and factor; with folds or real targets also the inverse, with lambda=auto the eigenvectors, and their
 * work space. */
static double krr_bytes(const problem_shape *shape, const void *params_)
{
    const krr_params *params = params_;
    double n = (double)shape->labelled, d = (double)shape->d;
    if (kernel_is_thin(&(kernel){.kind = (kernel_kind)params->kernel.kind}, shape->labelled, shape->d)) {
        double held = params->calibrate > 0 ? fmin(n / params->calibrate, 2000) : 0;
        return 8 * (5 * n * d + 4 * d * d + 20 * n + held * held);
    }
    double matrices = isnan(params->lambda) ? 6 : params->calibrate > 0 ? 3 : 2;
    return 8 * (matrices * n * n + 2 * n * d + 40 * n);
}

static const rung_param krr_rows[] = {
    KERNEL_PARAMS(krr_params),
    LAMBDA_PARAMS(krr_params, "0.1", "0.1"),
    {.name = "centre",
     .help = "centre the kernel and add an intercept that costs nothing",
     .type = RUNG_CHOICE,
     .standard = "yes",
     .published = "no",
     .choices = "yes|no",
     PARAM_PLACE(krr_params, centre)},
    TARGET_THRESHOLDS_PARAM(krr_params),
    CALIBRATE_PARAM(krr_params, "5"),
    {0},
};

const method method_krr = {
    .info = {.name = "krr",
             .title = "Kernel ridge regression",
             .reference = "Saunders, Gammerman, Vovk. Ridge regression learning algorithm in dual variables. ICML "
                          "1998, 515-521",
             .cost = "time l^3/3, memory 2 l^2 for l labelled rows; linear kernel: time l d^2, memory l d",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_REAL_TARGETS,
             .params = krr_rows},
    .params_size = sizeof(krr_params),
    .bytes = krr_bytes,
    .prepare = krr_prepare,
    .holds_out = krr_holds_out,
    .fit = krr_fit,
};
