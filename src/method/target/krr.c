// SPDX-License-Identifier: BSD-3-Clause
/* krr.c - kernel ridge regression on the values of the classes, or on real targets.
 *
 *     f(x) = k~(x)'a + mean of y,   a = (K~ + lambda I)^-1 (y - mean of y)
 *
 * K~ is centred, so this is ridge regression in the feature space with an unpenalised intercept. The residuals are R y
 * with R = lambda (K~ + lambda I)^-1 - 11'/n, and rows h held out together have the residuals R_hh^-1 (R y)_h:
 * leave-one-out and folds need no refit, and equal a complete refit, including centring and intercept. One
 * eigendecomposition gives the leave-one-out error of every lambda. centre=no drops centring and intercept.
 *
 * Where the rows are a sample, K~ and y are those of all rows, with landmarks; the rows that are left out are the
 * sample's. */
#include "method/target/kernel_ridge.h"

#include <string.h>

#include "fit/verify.h"
#include "solve/left_out.h"

typedef struct {
    kernel_params kernel;
    double lambda;
    int lambda_kind, centre, thresholds, calibrate;
} krr_params;

enum {
    LOO_ROWS = 2000
}; /* real targets: up to this number of rows the leave-one-out error is computed by an inverse */

static rung_status krr_prepare(rung_ctx *ctx, const fit_input *in)
{
    return centred_kernel_prepare(ctx, in->p, &((const krr_params *)in->params)->kernel);
}

typedef struct {
    const centred_kernel *c;
    double lambda;
    double mean;                /* the value subtracted from the target: its mean, or 0 without centring */
    double *y;                  /* target less mean, of the rows of the problem ... */
    double *by_class;           /* ... and of the classes: K; of a sample only */
    double *a;                  /* in the kernel's basis */
    double *residual;           /* R y of the rows of the problem */
    const row_groups *together; /* equal rows; NULL: there are none */
} ridge;

/* The constant part of I - R is 11'/n. */
static double constant_share(const centred_kernel *c) { return c->centred ? 1 / (double)c->n : 0; }

/* U'y */
static rung_status pull_target(rung_ctx *ctx, const ridge *g, double *w)
{
    return g->by_class ? basis_pull_classes(ctx, g->c, g->by_class, w) : basis_pull(ctx, g->c, g->y, w);
}

/* ---- lambda by leave-one-out ---- */

typedef struct {
    const double *value, *y, *uy; /* eigenvalues of K~ (r), target, U'y */
    double unit;
    double *share, *pull;       /* r x candidates: k / (k + lambda), and times uy */
    const row_groups *together; /* equal rows; NULL: there are none */
    double *residual, *rest;    /* rows x candidates, only where there are equal rows: y - fit, 1 - leverage */
    double loo[LAMBDA_CANDIDATES];
} loo_path;

static rung_status loo_path_new(rung_ctx *ctx, int64_t n, int64_t r, loo_path *path)
{
    int64_t kept = path->together ? n * LAMBDA_CANDIDATES : 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, path->residual, kept));
    TRY(NEW_RAW(ctx, &ctx->scratch, path->rest, kept));
    TRY(NEW(ctx, &ctx->scratch, path->share, r * LAMBDA_CANDIDATES));
    TRY(NEW(ctx, &ctx->scratch, path->pull, r * LAMBDA_CANDIDATES));
    for (int q = 0; q < LAMBDA_CANDIDATES; q++) {
        for (int64_t j = 0; j < r; j++) {
            double k = fmax(path->value[j], 0);
            path->share[j + q * r] = k / (k + lambda_candidate(q) * path->unit);
            path->pull[j + q * r] = path->share[j + q * r] * path->uy[j];
        }
    }
    return RUNG_OK;
}

/* Adds the squared leave-one-out residuals of the rows `first` .. for all candidates, U being their rows of the
 * eigenvectors: R = I - 11'/n - U diag(k / (k + lambda)) U'. Equal rows may be anywhere: their contributions are
 * stored. Destroys U. */
static rung_status loo_path_add(rung_ctx *ctx, const centred_kernel *c, loo_path *path, int64_t first, la_mat *U)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t t = la_rows(U);
    double *fit = NULL, *diagonal = NULL;
    TRY(NEW(ctx, &ctx->scratch, fit, t * LAMBDA_CANDIDATES));
    TRY(NEW(ctx, &ctx->scratch, diagonal, t * LAMBDA_CANDIDATES));
    TRY(la_mul(ctx, 1, U, LAMBDA_CANDIDATES, path->pull, 0, fit));
    TRY(la_hadamard(ctx, U, U));
    TRY(la_mul(ctx, 1, U, LAMBDA_CANDIDATES, path->share, 0, diagonal));
    for (int q = 0; q < LAMBDA_CANDIDATES; q++)
        for (int64_t i = 0; i < t; i++) {
            double residual = path->y[first + i] - fit[i + q * t], rest = 1 - constant_share(c) - diagonal[i + q * t];
            if (path->together) {
                path->residual[first + i + q * c->rows] = residual;
                path->rest[first + i + q * c->rows] = rest;
                continue;
            }
            double e = residual / rest;
            path->loo[q] += e * e / (double)c->rows;
        }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status whole_path(rung_ctx *ctx, const centred_kernel *c, loo_path *path)
{
    double *value = NULL, *uy = NULL;
    la_mat *copy = NULL, *V = NULL;
    TRY(NEW(ctx, &ctx->scratch, value, c->n));
    TRY(NEW(ctx, &ctx->scratch, uy, c->n));
    TRY(la_new(ctx, &ctx->scratch, c->n, c->n, &copy));
    TRY(la_new(ctx, &ctx->scratch, c->n, c->n, &V));
    TRY(la_gather(ctx, c->K, NULL, NULL, copy));
    TRY(la_eigen(ctx, copy, c->n, value, V));
    la_free(&ctx->scratch, copy);
    TRY(transposed_times(ctx, V, path->y, uy));
    path->value = value;
    path->uy = uy;
    TRY(loo_path_new(ctx, c->n, c->n, path));
    return loo_path_add(ctx, c, path, 0, V);
}

static rung_status thin_path(rung_ctx *ctx, const ridge *g, loo_path *path)
{
    const centred_kernel *c = g->c;
    double *uy = NULL;
    basis_block at;
    TRY(NEW(ctx, &ctx->scratch, uy, c->r));
    TRY(pull_target(ctx, g, uy));
    path->value = c->value;
    path->uy = uy;
    TRY(loo_path_new(ctx, c->rows, c->r, path));
    for (at = basis_begin(c); at.first < at.count; basis_end(ctx, &at)) {
        TRY(basis_next(ctx, c, &at));
        TRY(loo_path_add(ctx, c, path, at.first, at.U));
    }
    return RUNG_OK;
}

/* The mean square of the leave-one-out residuals, equal rows are left out together; residual is overwritten. */
static double mean_square_left_out(const row_groups *together, int64_t n, const double *rest, double *residual)
{
    double sum = 0;
    left_out_residuals(together, n, rest, -HUGE_VAL, 1, residual);
    for (int64_t i = 0; i < n; i++) sum += residual[i] * residual[i] / (double)n;
    return sum;
}

static rung_status lambda_by_loo(rung_ctx *ctx, pool *mem, const ridge *g, fitted *out, double *lambda)
{
    const centred_kernel *c = g->c;
    pool_mark mark = pool_here(&ctx->scratch);
    loo_path path = {.y = g->y, .together = g->together};
    TRY(centred_lambda(ctx, c, 1, LAMBDA_RELATIVE, &path.unit));
    TRY(c->K ? whole_path(ctx, c, &path) : thin_path(ctx, g, &path));
    for (int q = 0; q < LAMBDA_CANDIDATES && path.together; q++)
        path.loo[q] = mean_square_left_out(g->together, c->rows, path.rest + q * c->rows, path.residual + q * c->rows);
    pool_release(&ctx->scratch, mark);
    return lambda_choose(ctx, mem, c, path.loo, out, lambda);
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
    TRY(NEW(ctx, &ctx->scratch, fit, c->rows));
    TRY(NEW(ctx, &ctx->scratch, pull, c->r));
    TRY(pull_target(ctx, g, g->a));
    for (int64_t j = 0; j < c->r; j++) {
        g->a[j] /= c->value[j] + g->lambda;
        pull[j] = c->value[j] * g->a[j];
    }
    TRY(basis_times(ctx, c, c->rows, NULL, 1, pull, fit));
    for (int64_t i = 0; i < c->rows; i++) g->residual[i] = g->y[i] - fit[i];
    return RUNG_OK;
}

/* ---- rows held out ---- */

/* I - U diag(k / (k + lambda)) U' on the diagonal. */
static rung_status thin_diagonal(rung_ctx *ctx, const ridge *g, double *diagonal)
{
    const centred_kernel *c = g->c;
    double *share = NULL;
    basis_block at;
    TRY(NEW(ctx, &ctx->scratch, share, c->r));
    for (int64_t j = 0; j < c->r; j++) share[j] = c->value[j] / (c->value[j] + g->lambda);
    for (int64_t i = 0; i < c->rows; i++) diagonal[i] = 1;
    for (at = basis_begin(c); at.first < at.count; basis_end(ctx, &at)) {
        TRY(basis_next(ctx, c, &at));
        TRY(la_hadamard(ctx, at.U, at.U));
        TRY(la_mul(ctx, -1, at.U, 1, share, 1, diagonal + at.first));
    }
    return RUNG_OK;
}

/* Mean squared leave-one-out residual, from the inverse in c->K or from U. */
static rung_status loo_error(rung_ctx *ctx, const ridge *g, double *out)
{
    const centred_kernel *c = g->c;
    double *diagonal = NULL, *residual = NULL;
    TRY(NEW(ctx, &ctx->scratch, diagonal, c->rows));
    if (c->K) {
        la_diagonal(c->K, diagonal);
        for (int64_t i = 0; i < c->rows; i++) diagonal[i] *= g->lambda;
    } else {
        TRY(thin_diagonal(ctx, g, diagonal));
    }
    TRY(NEW_RAW(ctx, &ctx->scratch, residual, c->rows));
    memcpy(residual, g->residual, (size_t)c->rows * sizeof *residual);
    for (int64_t i = 0; i < c->rows; i++) diagonal[i] -= constant_share(c);
    *out = mean_square_left_out(g->together, c->rows, diagonal, residual);
    return RUNG_OK;
}

/* e := R_hh^-1 e from the inverse in c->K. */
static rung_status whole_block_solve(rung_ctx *ctx, const ridge *g, int64_t h, const int64_t *rows, double *e)
{
    la_mat *R = NULL;
    TRY(la_new(ctx, &ctx->scratch, h, h, &R));
    TRY(la_gather(ctx, g->c->K, rows, rows, R));
    TRY(la_scale_add(ctx, 0, R, g->lambda, R));
    la_add_constant(R, -constant_share(g->c));
    TRY(la_potrf(ctx, R));
    return la_potrs(ctx, R, 1, e);
}

/* R_hh = I - V V' with V = [U_h diag(k / (k + lambda))^1/2, 1 / sqrt(n)]: R_hh^-1 e = e + V (I - V'V)^-1 V'e, so no
 * matrix is as large as a fold. */
static rung_status thin_block_solve(rung_ctx *ctx, const ridge *g, int64_t h, const int64_t *rows, double *e)
{
    const centred_kernel *c = g->c;
    int64_t q = c->r + c->centred;
    double *root = NULL, *w = NULL, *part = NULL;
    la_mat *G = NULL;
    basis_block at;
    TRY(NEW(ctx, &ctx->scratch, root, q));
    TRY(NEW(ctx, &ctx->scratch, w, q));
    TRY(NEW(ctx, &ctx->scratch, part, q));
    TRY(la_new(ctx, &ctx->scratch, q, q, &G));
    for (int64_t j = 0; j < c->r; j++) root[j] = sqrt(c->value[j] / (c->value[j] + g->lambda));
    if (c->centred) root[c->r] = 1;
    for (at = basis_some(h, rows, c->centred, root); at.first < h; basis_end(ctx, &at)) {
        TRY(basis_next(ctx, c, &at));
        TRY(transposed_times(ctx, at.U, e + at.first, part));
        for (int64_t j = 0; j < q; j++) w[j] += part[j];
        TRY(la_syrk(ctx, true, -1, at.U, at.first > 0, G));
    }
    la_add_diagonal(G, 1, NULL);
    TRY(la_potrf(ctx, G));
    TRY(la_potrs(ctx, G, 1, w));
    for (at = basis_some(h, rows, c->centred, root); at.first < h; basis_end(ctx, &at)) {
        TRY(basis_next(ctx, c, &at));
        TRY(la_mul(ctx, 1, at.U, 1, w, 1, e + at.first));
    }
    return RUNG_OK;
}

static rung_status hold_out_fold(rung_ctx *ctx, const ridge *g, const folds *f, int repeat, int fold, const fitted *fit,
                                 held_out *held)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t *rows = NULL, h;
    double *e = NULL;
    TRY(NEW(ctx, &ctx->scratch, rows, g->c->rows));
    h = folds_held(f, repeat, fold, rows);
    TRY(NEW(ctx, &ctx->scratch, e, h));
    for (int64_t i = 0; i < h; i++) e[i] = g->residual[rows[i]];
    TRY(g->c->K ? whole_block_solve(ctx, g, h, rows, e) : thin_block_solve(ctx, g, h, rows, e));
    for (int64_t i = 0; i < h; i++)
        ridge_target_hold_out(fit, rows[i], repeat, fold, g->y[rows[i]] + g->mean - e[i], held);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status hold_out(rung_ctx *ctx, pool *mem, const ridge *g, const folds *f, const fitted *fit, held_out *held)
{
    TRY(held_out_new(ctx, mem, g->c->rows * f->repeats, held));
    for (int r = 0; r < f->repeats; r++)
        for (int fold = 0; fold < f->count; fold++) {
            TRY(interrupted(ctx));
            TRY(hold_out_fold(ctx, g, f, r, fold, fit, held));
        }
    return RUNG_OK;
}

/* The target less its mean over all rows; where the kernel has sums by class, also that of the classes. */
static rung_status take_target(rung_ctx *ctx, const problem *p, ridge *g)
{
    const centred_kernel *c = g->c;
    ridge_target t;
    TRY(NEW(ctx, &ctx->scratch, g->y, p->n));
    TRY(ridge_target_new(ctx, p, &t));
    if (c->centred) g->mean = t.mean;
    if (c->class_size) {
        g->mean = 0;
        TRY(NEW(ctx, &ctx->scratch, g->by_class, p->K));
        for (int q = 0; q < p->K; q++) {
            g->by_class[q] = ridge_class_value(p->K, q + 1);
            if (c->centred) g->mean += c->class_size[q] * g->by_class[q] / (double)c->n;
        }
        for (int q = 0; q < p->K; q++) g->by_class[q] -= g->mean;
    }
    for (int64_t i = 0; i < p->n; i++) g->y[i] = t.v[i] - g->mean;
    return RUNG_OK;
}

/* f, held: NULL for a fit without held-out rows. */
static rung_status krr_hold_out(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, fitted *out,
                                held_out *held)
{
    problem *p = in->p;
    const krr_params *params = in->params;
    centred_kernel c;
    ridge g = {.c = &c};
    TRY(krr_prepare(ctx, in));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(centred_kernel_new(ctx, mem, p, &params->kernel, params->centre == 0, &c));
    TRY(take_target(ctx, p, &g));
    row_groups together;
    if (p->equal) TRY(row_groups_new(ctx, &ctx->scratch, p->n, p->equal, &together));
    if (p->equal) g.together = &together;
    TRY(NEW(ctx, &ctx->scratch, g.residual, p->n));
    TRY(NEW(ctx, &ctx->scratch, g.a, centred_basis(&c)));
    TRY(isnan(params->lambda) ? lambda_by_loo(ctx, mem, &g, out, &g.lambda)
                              : centred_lambda(ctx, &c, params->lambda, params->lambda_kind, &g.lambda));
    TRY(report_number(ctx, mem, out, "lambda", g.lambda));
    TRY(c.K ? solve_whole(ctx, &g) : solve_thin(ctx, &g));
    TRY(centred_results(ctx, mem, &c, 1, g.a, &g.mean, out));
    TRY(ridge_target_decision(ctx, mem, p, 1, out));
    bool inverse = f || (p->t && p->n <= LOO_ROWS), chosen = isnan(params->lambda);
    if (inverse && c.K) TRY(la_potri(ctx, c.K));
    if (!chosen && (inverse || !c.K)) {
        double loo;
        TRY(loo_error(ctx, &g, &loo));
        TRY(report_number(ctx, mem, out, "loo", loo));
    }
    if (f) TRY(hold_out(ctx, mem, &g, f, out, held));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status krr_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    return krr_hold_out(ctx, mem, in, NULL, out, NULL);
}

/* The normal equations in the scores of the rows: f - b = K~ (y - f) / lambda, b the mean of y (0 without centring). */
static rung_status krr_verify(rung_ctx *ctx, const struct verification *v)
{
    const krr_params *params = v->params;
    int64_t n = v->p->n;
    double lambda = told_number(v->model, "lambda"), given, mean = 0, *e = NULL, *Ke = NULL, *left = NULL;
    bool centred = params->centre == 0;
    ridge_target t;
    centred_kernel c;
    TRY(ridge_target_new(ctx, v->p, &t));
    TRY(NEW(ctx, &ctx->scratch, e, n));
    TRY(NEW(ctx, &ctx->scratch, Ke, n));
    TRY(NEW(ctx, &ctx->scratch, left, n));
    for (int64_t i = 0; i < n; i++) {
        e[i] = (t.v[i] - v->f[i]) / lambda;
        left[i] = (centred ? t.mean : 0) - v->f[i];
        mean += e[i] / (double)n;
    }
    for (int64_t i = 0; i < n && centred; i++) e[i] -= mean;
    TRY(verify_kernel_times(ctx, v, 1, e, Ke));
    mean = 0;
    for (int64_t i = 0; i < n; i++) mean += Ke[i] / (double)n;
    for (int64_t i = 0; i < n && centred; i++) Ke[i] -= mean;
    condition_add(v->found, "normal equations", "residual of f - mean = K (y - f) / lambda, relative",
                  relative_residual(n, 2, (const double *const[]){Ke, left}, verify_kernel_size(v, e)), 1e-6);
    if (isnan(params->lambda)) return RUNG_OK;
    TRY(centred_kernel_new(ctx, &ctx->scratch, v->p, &params->kernel, centred, &c));
    TRY(centred_lambda(ctx, &c, params->lambda, params->lambda_kind, &given));
    condition_add(v->found, "lambda", "reported value against that of the parameters, relative",
                  fabs(lambda / given - 1), 1e-10);
    return RUNG_OK;
}

/* Gram matrix and factor; with folds or real targets also the inverse, with lambda=auto the eigenvectors, and their
 * work space. */
static double krr_bytes(const problem_shape *shape, const void *params_)
{
    const krr_params *params = params_;
    double n = (double)shape->labelled, d = (double)shape->d,
           thin = centred_thin_bytes(shape, shape->labelled, &params->kernel);
    if (thin > 0) return thin + basis_bytes(shape, shape->labelled, &params->kernel);
    double matrices = isnan(params->lambda) ? 6 : params->calibrate > 0 ? 3 : 2;
    return 8 * (matrices * n * n + 2 * n * d + 40 * n);
}

static const param_row krr_rows[] = {
    KERNEL_PARAMS(krr_params),
    LANDMARKS_PARAM(krr_params),
    LAMBDA_PARAMS(krr_params, "0.1", "0.1"),
    PARAM(krr_params, centre, .name = "centre", .help = "centre the kernel and add an unpenalised intercept",
          .type = RUNG_TYPE_CHOICE, .default_value = "yes", .published = "no", .choices = "yes|no"),
    TARGET_THRESHOLDS_PARAM(krr_params),
    CALIBRATE_PARAM(krr_params, "5"),
    {0},
};

const method method_krr = {
    .info = {.name = "krr",
             .title = "Kernel ridge regression",
             .reference = "Saunders, Gammerman, Vovk. Ridge regression learning algorithm in dual variables. ICML "
                          "1998, 515-521",
             .cost = "time l^3/3, memory 2 l^2 for l labelled rows; l m^2, m^2 with m landmarks (linear kernel: "
                     "m = d)",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_REAL_TARGETS |
                      RUNG_METHOD_PASSES},
    .params = krr_rows,
    .params_size = sizeof(krr_params),
    .bytes = krr_bytes,
    .prepare = krr_prepare,
    .fit = krr_fit,
    .hold_out = krr_hold_out,
    .verify = krr_verify,
};
