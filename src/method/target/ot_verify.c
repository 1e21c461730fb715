// SPDX-License-Identifier: BSD-3-Clause
/* ot_verify.c - the optimal target vector (optimal.h) meets, with M = K~ + lambda I and r = y - f,
 *
 *     lambda (f - mean) = K~ r,  mean r = 0 (with an intercept; else mean f = 0)       the regression on y
 *     y_i = u_i at labelled rows,  |t|^2 = rho2 on the sphere                          the constraints
 *     (H y)_t = multiplier t,  H y = lambda M^-1 r                                     the derivative of y'H y
 *     H_tt - multiplier I >= 0 on the sphere                                           no other point is lower
 *
 * Without labels t is all of y and has mean 0: the constant, which costs nothing, is no direction then. A further
 * component v, with f the regression on it, meets the first line as well, and
 *
 *     |v| = 1,  v'y = 0 (y without its mean),  v'w = 0 for every other w
 *     M (I - aa') M v = lambda^2 / left v,  a = M y / |M y|      H v = left v on the complement of y, not inverted
 */
#include <float.h>

#include "fit/verify.h"
#include "method/target/ot_solve.h"

static double mean_of(int64_t n, const double *x)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += x[i] / (double)n;
    return mean;
}

/* out (n x m) = K~ X, K~ the kernel matrix without the means of its rows and columns. */
static rung_status centred_times(rung_ctx *ctx, const struct verification *v, int64_t m, const double *X, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = v->p->n;
    double *centred = NULL;
    TRY(NEW(ctx, &ctx->scratch, centred, n * m));
    for (int64_t j = 0; j < m; j++) {
        double mean = mean_of(n, X + j * n);
        for (int64_t i = j * n; i < (j + 1) * n; i++) centred[i] = X[i] - mean;
    }
    TRY(verify_kernel_times(ctx, v, m, centred, out));
    for (int64_t j = 0; j < m; j++) {
        double mean = mean_of(n, out + j * n);
        for (int64_t i = j * n; i < (j + 1) * n; i++) out[i] -= mean;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The largest a score f = K~ e + mean could be if its terms did not cancel, e = (y - f) / lambda. */
static rung_status uncancelled(rung_ctx *ctx, const struct verification *v, const ot_space *s, const double *y,
                               const double *f, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *e = NULL;
    TRY(NEW(ctx, &ctx->scratch, e, v->p->n));
    for (int64_t i = 0; i < v->p->n; i++) e[i] = (y[i] - f[i]) / s->lambda;
    *out = verify_kernel_size(v, e);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The residual of lambda (f - mean) = K~ (y - f), relative. */
static rung_status regression_residual(rung_ctx *ctx, const struct verification *v, const ot_space *s, const double *y,
                                       const double *f, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = v->p->n;
    double *both = NULL, *K = NULL, *own = NULL, level = mean_of(n, f), size;
    TRY(NEW(ctx, &ctx->scratch, both, 2 * n));
    TRY(NEW(ctx, &ctx->scratch, K, 2 * n));
    TRY(NEW(ctx, &ctx->scratch, own, n));
    for (int64_t i = 0; i < n; i++) {
        both[i] = y[i];
        both[n + i] = -f[i];
        own[i] = -s->lambda * (f[i] - level);
    }
    TRY(centred_times(ctx, v, 2, both, K));
    TRY(uncancelled(ctx, v, s, y, f, &size));
    for (int64_t i = 0; i < n; i++) both[i] = size;
    *out = relative_residual(n, 3, (const double *const[]){K, K + n, own}, verify_kernel_size(v, both));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status regression(rung_ctx *ctx, const struct verification *v, const ot_space *s, const double *y,
                              const double *f)
{
    int64_t n = v->p->n;
    double residual, level = mean_of(n, f), mean = mean_of(n, y) - level, largest;
    TRY(uncancelled(ctx, v, s, y, f, &largest));
    largest *= ROUNDED;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fmax(fabs(y[i]), fabs(f[i])));
    TRY(regression_residual(ctx, v, s, y, f, &residual));
    condition_add(v->found, "normal equations", "residual of lambda (f - mean) = K (y - f), relative", residual, 1e-8);
    condition_add(v->found, "constant", "mean of the residuals (without an intercept: of the scores), relative",
                  fabs(s->intercept ? mean : level) / fmax(largest, DBL_MIN), 1e-9);
    return RUNG_OK;
}

/* h = lambda M^-1 r; whole: c->K becomes the factor of M. */
static rung_status derivative(rung_ctx *ctx, const ot_space *s, const double *r, double *h)
{
    const centred_kernel *c = s->c;
    double *part = NULL, *back = NULL;
    for (int64_t i = 0; i < c->n; i++) h[i] = c->K ? s->lambda * r[i] : r[i];
    if (c->K) {
        la_add_diagonal(c->K, s->lambda, NULL);
        TRY(la_potrf(ctx, c->K));
        return la_potrs(ctx, c->K, 1, h);
    }
    TRY(NEW(ctx, &ctx->scratch, part, c->r));
    TRY(NEW(ctx, &ctx->scratch, back, c->n));
    TRY(basis_pull(ctx, c, r, part));
    for (int64_t j = 0; j < c->r; j++) part[j] *= c->value[j] / (c->value[j] + s->lambda);
    TRY(basis_times(ctx, c, c->n, NULL, 1, part, back));
    for (int64_t i = 0; i < c->n; i++) h[i] -= back[i];
    return RUNG_OK;
}

static double inner(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* x := M x, M = K~ + lambda I. */
static rung_status times_M(rung_ctx *ctx, const struct verification *v, const ot_space *s, double *x)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = v->p->n;
    double *K = NULL;
    TRY(NEW(ctx, &ctx->scratch, K, n));
    TRY(centred_times(ctx, v, 1, x, K));
    for (int64_t i = 0; i < n; i++) x[i] = K[i] + s->lambda * x[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static double unit_length(int64_t n, double *x)
{
    double length = sqrt(inner(n, x, x));
    for (int64_t i = 0; i < n && length > 0; i++) x[i] /= length;
    return length;
}

/* Y, F: n x m, the target and the components, and the regressions on them. A component beyond the rank is 0. */
static rung_status components(rung_ctx *ctx, const struct verification *v, const ot_space *s, int64_t m,
                              const double *Y, const double *F)
{
    int64_t n = v->p->n;
    const double *left = told_list(v->model, "left_by_ridge", m - 1);
    double *y = NULL, *a = NULL, *z = NULL, *own = NULL, residual, fit = 0, basis = 0, pair = left ? 0 : NAN;
    double mean = s->intercept ? mean_of(n, Y) : 0;
    TRY(NEW(ctx, &ctx->scratch, y, n));
    TRY(NEW(ctx, &ctx->scratch, a, n));
    TRY(NEW(ctx, &ctx->scratch, z, n));
    TRY(NEW(ctx, &ctx->scratch, own, n));
    for (int64_t i = 0; i < n; i++) a[i] = y[i] = Y[i] - mean;
    unit_length(n, y);
    TRY(times_M(ctx, v, s, a));
    unit_length(n, a);
    for (int64_t j = 1; j < m && left; j++) {
        const double *x = Y + j * n;
        double size = inner(n, x, x), value = s->lambda * s->lambda / left[j - 1];
        if (size == 0) continue;
        basis = fmax(basis, fmax(fabs(size - 1), fabs(inner(n, x, y))));
        for (int64_t k = 1; k < j; k++) basis = fmax(basis, fabs(inner(n, x, Y + k * n)));
        TRY(regression_residual(ctx, v, s, x, F + j * n, &residual));
        fit = fmax(fit, residual);
        for (int64_t i = 0; i < n; i++) z[i] = x[i];
        TRY(times_M(ctx, v, s, z));
        double along = inner(n, a, z);
        for (int64_t i = 0; i < n; i++) z[i] -= along * a[i];
        TRY(times_M(ctx, v, s, z));
        for (int64_t i = 0; i < n; i++) own[i] = -value * x[i];
        residual = relative_residual(n, 2, (const double *const[]){z, own}, 0);
        if (!(residual <= pair)) pair = residual;
    }
    condition_add(v->found, "components",
                  "lengths of the components, and their products with the target and each other", basis, 1e-8);
    condition_add(v->found, "component equations", "residual of lambda (f - mean) = K (v - f), relative, of the worst",
                  fit, 1e-8);
    condition_add(v->found, "component pairs",
                  "residual of M (I - aa') M v = lambda^2 / left v, relative, of the worst", pair, 1e-6);
    return RUNG_OK;
}

/* A = H_tt - shift I, H from the factor of M. */
static rung_status whole_curvature(rung_ctx *ctx, const ot_space *s, int64_t count, const int64_t *un, double shift,
                                   la_mat **out)
{
    la_mat *H = NULL;
    int64_t n = s->c->n;
    TRY(la_potri(ctx, s->c->K));
    TRY(la_new(ctx, &ctx->scratch, n, n, &H));
    TRY(la_new(ctx, &ctx->scratch, count, count, out));
    TRY(la_syrk(ctx, false, s->lambda * s->lambda, s->c->K, 0, H));
    if (s->intercept) la_add_constant(H, -1 / (double)n);
    TRY(la_gather(ctx, H, un, un, *out));
    la_add_diagonal(*out, -shift, NULL);
    return RUNG_OK;
}

/* The same sign: H = I - W W', so H_tt - shift I and (1 - shift) I - W_t'W_t. */
static rung_status thin_curvature(rung_ctx *ctx, const ot_space *s, int64_t count, const int64_t *un, double shift,
                                  la_mat **out)
{
    const centred_kernel *c = s->c;
    int64_t q = c->r + s->intercept;
    double *root = NULL;
    basis_block at;
    TRY(NEW(ctx, &ctx->scratch, root, q));
    TRY(la_new(ctx, &ctx->scratch, q, q, out));
    for (int64_t j = 0; j < c->r; j++) root[j] = sqrt(1 - pow(s->lambda / (c->value[j] + s->lambda), 2));
    if (s->intercept) root[c->r] = 1;
    for (at = basis_some(count, un, s->intercept, root); at.first < count; basis_end(ctx, &at)) {
        TRY(basis_next(ctx, c, &at));
        TRY(la_syrk(ctx, true, -1, at.U, at.first > 0, *out));
    }
    la_add_diagonal(*out, 1 - shift, NULL);
    return RUNG_OK;
}

rung_status ot_solve_verify(rung_ctx *ctx, const struct verification *v, const ot_space *s, const labelled_rows *rows,
                            int64_t m, const double *y, const double *f)
{
    const double multiplier = told_number(v->model, "multiplier");
    static const double SHIFT = 1e-8, ROUNDING = 1e-9; /* SHIFT: H <= I is known to that, or to the rounding of M^-1 */
    int64_t n = v->p->n, count = 0, *un = NULL;
    double *r = NULL, *h = NULL, *t = NULL, *pull = NULL, off = 0, length = 0, size = 0;
    bool *known = NULL;
    la_mat *A;
    TRY(NEW(ctx, &ctx->scratch, un, n));
    TRY(NEW(ctx, &ctx->scratch, known, n));
    double **rooms[] = {&r, &h, &t, &pull};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) TRY(NEW(ctx, &ctx->scratch, *rooms[i], n));
    for (int64_t i = 0; i < rows->m; i++) {
        double differ = fabs(y[rows->lab[i]] - rows->u[i]);
        if (!(differ <= off)) off = differ;
        known[rows->lab[i]] = true;
    }
    for (int64_t i = 0; i < n; i++) {
        r[i] = y[i] - f[i];
        if (!known[i]) un[count++] = i;
    }
    condition_add(v->found, "labels", "predictions of labelled rows against their labels", off * sqrt((double)n),
                  1e-12);
    TRY(regression(ctx, v, s, y, f));
    if (m > 1) TRY(components(ctx, v, s, m, y, f));
    if (count == 0) return RUNG_OK;
    TRY(derivative(ctx, s, r, h));
    TRY(uncancelled(ctx, v, s, y, f, &size));
    size *= ROUNDING; /* r = y - f is known to the rounding of f, and h is no better */
    for (int64_t i = 0; i < n; i++) size = fmax(size, fabs(h[i]));
    for (int64_t i = 0; i < count; i++) {
        t[i] = h[un[i]];
        pull[i] = -multiplier * y[un[i]];
        length += y[un[i]] * y[un[i]];
    }
    condition_add(v->found, "stationarity", "residual of H y = multiplier t at unlabelled rows, relative",
                  relative_residual(count, 2, (const double *const[]){t, pull}, size / ROUNDED), 1e-6);
    if (!s->sphere) return RUNG_OK;
    double rho2 = rows->m > 0 ? rows->rho2 : 1;
    condition_add(v->found, "length", "|t|^2 of the unlabelled values against the required length", fabs(length - rho2),
                  1e-8);
    for (int64_t i = 0; i < n; i++) pull[i] = 1;
    double shift = multiplier - fmax(SHIFT, 10 * DBL_EPSILON * verify_kernel_size(v, pull) / s->lambda);
    ot_space along = *s;
    along.intercept = s->intercept && rows->m > 0;
    TRY(s->c->K ? whole_curvature(ctx, &along, count, un, shift, &A)
                : thin_curvature(ctx, &along, count, un, shift, &A));
    rung_status status = la_potrf(ctx, A);
    if (status != RUNG_OK && status != RUNG_ESINGULAR) return status;
    condition_add(v->found, "minimum", "directions along the sphere in which the error decreases", status != RUNG_OK,
                  0);
    return RUNG_OK;
}
