// SPDX-License-Identifier: BSD-3-Clause
/* optimal_verify.c - the optimal target vector (optimal.h) meets, with M = K~ + lambda I and r = y - f,
 *
 *     f - mean = K~ r / lambda,  mean r = 0 (with an intercept; else mean f = 0)       the regression on y
 *     y_i = u_i at labelled rows,  |t|^2 = rho2 on the sphere                          the constraints
 *     (H y)_t = multiplier t,  H y = lambda M^-1 r                                     the derivative of y'H y
 *     H_tt - multiplier I >= 0 on the sphere                                           no other point is lower
 *
 * Without labels t is all of y. */
#include "method/optimal.h"
#include "method/verify.h"

static double mean_of(int64_t n, const double *x)
{
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += x[i] / (double)n;
    return mean;
}

static rung_status regression(rung_ctx *ctx, const struct verification *v, const target_space *s, const double *r,
                              const double *f)
{
    int64_t n = v->p->n;
    double *e = NULL, *Ke = NULL, *left = NULL, mean = mean_of(n, r), level = mean_of(n, f), largest = 0;
    TRY(NEW(ctx, &ctx->scratch, e, n));
    TRY(NEW(ctx, &ctx->scratch, Ke, n));
    TRY(NEW(ctx, &ctx->scratch, left, n));
    for (int64_t i = 0; i < n; i++) {
        e[i] = (r[i] - mean) / s->lambda;
        left[i] = level - f[i];
        largest = fmax(largest, fmax(fabs(r[i]), fabs(f[i])));
    }
    TRY(verify_kernel_times(ctx, v, 1, e, Ke));
    double centre = mean_of(n, Ke);
    for (int64_t i = 0; i < n; i++) Ke[i] -= centre;
    condition_add(v->found, "normal equations", "residual of f - mean = K (y - f) / lambda, relative",
                  relative_residual(n, 2, (const double *const[]){Ke, left}, verify_kernel_size(v, e)), 1e-6);
    condition_add(v->found, "constant", "mean of the residuals (without an intercept: of the scores), relative",
                  fabs(s->intercept ? mean : level) / largest, 1e-9);
    return RUNG_OK;
}

/* h = lambda M^-1 r; whole: c->K becomes the factor of M. */
static rung_status derivative(rung_ctx *ctx, const target_space *s, const double *r, double *h)
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

/* A = H_tt - shift I, H from the factor of M. */
static rung_status whole_curvature(rung_ctx *ctx, const target_space *s, int64_t count, const int64_t *un, double shift,
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
static rung_status thin_curvature(rung_ctx *ctx, const target_space *s, int64_t count, const int64_t *un, double shift,
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

rung_status optimal_verify(rung_ctx *ctx, const struct verification *v, const target_space *s,
                           const labelled_rows *rows, const double *y, const double *f)
{
    const double multiplier = told_number(v->model, "multiplier");
    static const double SHIFT = 1e-8; /* H <= I is known to that: its factor is squared */
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
    condition_add(v->found, "labels", "answers of labelled rows against their labels", off * sqrt((double)n), 1e-12);
    TRY(regression(ctx, v, s, r, f));
    if (count == 0) return RUNG_OK;
    TRY(derivative(ctx, s, r, h));
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
    condition_add(v->found, "length", "|t|^2 of the unlabelled values against what it must be", fabs(length - rho2),
                  1e-8);
    double shift = multiplier - SHIFT;
    TRY(s->c->K ? whole_curvature(ctx, s, count, un, shift, &A) : thin_curvature(ctx, s, count, un, shift, &A));
    rung_status status = la_potrf(ctx, A);
    if (status != RUNG_OK && status != RUNG_ESINGULAR) return status;
    condition_add(v->found, "minimum", "directions along the sphere in which the error falls", status != RUNG_OK, 0);
    return RUNG_OK;
}
