// SPDX-License-Identifier: BSD-3-Clause
/* Generalised components: eigenvectors of H on the complement of the target, which is removed exactly. */
#include <math.h>
#include <string.h>

#include "linalg/subspace.h"
#include "method/target/ot_inner.h"

static const double ROUNDED_VALUE = 1e-10; /* of the largest: an eigenvector to this one has six digits */

/* y of unit length, without its mean where the constant is no component. */
static rung_status unit_target(rung_ctx *ctx, const ot_space *s, const double *y, double **out)
{
    int64_t n = s->c->n;
    double mean = s->intercept ? sum_of(n, y) / (double)n : 0, *unit = NULL;
    TRY(NEW(ctx, &ctx->scratch, unit, n));
    for (int64_t i = 0; i < n; i++) unit[i] = y[i] - mean;
    double length = sqrt(square_of(n, unit));
    for (int64_t i = 0; i < n && length > 0; i++) unit[i] /= length;
    *out = unit;
    return RUNG_OK;
}

/* A -= x x'A for unit x, and for the constant. */
static rung_status deflate(rung_ctx *ctx, const double *x, bool constant, la_mat *A)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_rows(A), k = 1 + constant;
    la_mat *X = NULL, *shadow = NULL;
    double *columns = NULL;
    TRY(NEW(ctx, &ctx->scratch, columns, n * k));
    memcpy(columns, x, (size_t)n * sizeof *x);
    for (int64_t i = n; i < n * k; i++) columns[i] = 1 / sqrt((double)n);
    TRY(la_new(ctx, &ctx->scratch, n, k, &X));
    TRY(la_new(ctx, &ctx->scratch, k, la_cols(A), &shadow));
    la_put(columns, X);
    TRY(la_gemm(ctx, true, false, 1, X, A, 0, shadow));
    TRY(la_gemm(ctx, false, false, -1, X, shadow, 1, A));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* On the complement of y, H^-1 is F'F / lambda^2 with F = (I - aa')M, a = M y / |M y|; M^-1 v = F v / value. */
static rung_status dense_components(rung_ctx *ctx, const ot_space *s, const double *unit, int64_t r, double *v,
                                    double *a, double *left)
{
    int64_t n = s->c->n;
    double *My = NULL, *value = NULL;
    la_mat *F = NULL, *B = NULL, *V = NULL;
    TRY(NEW(ctx, &ctx->scratch, My, n));
    TRY(NEW(ctx, &ctx->scratch, value, r));
    TRY(la_mul(ctx, 1, s->M, 1, unit, 0, My));
    double length = sqrt(square_of(n, My));
    for (int64_t i = 0; i < n; i++) My[i] /= length;
    TRY(la_new(ctx, &ctx->scratch, n, n, &F));
    TRY(la_new(ctx, &ctx->scratch, n, n, &B));
    TRY(la_new(ctx, &ctx->scratch, n, r, &V));
    TRY(la_gather(ctx, s->M, NULL, NULL, F));
    TRY(deflate(ctx, My, s->intercept, F));
    TRY(la_syrk(ctx, true, 1, F, 0, B));
    TRY(la_leading(ctx, B, r, 1e-13, value, V, NULL));
    la_get(V, v);
    TRY(la_mul(ctx, 1, F, r, v, 0, a));
    for (int64_t j = 0; j < r; j++) {
        left[j] = s->lambda * s->lambda / value[j];
        for (int64_t i = 0; i < n; i++) a[i + j * n] /= value[j];
    }
    return RUNG_OK;
}

/* As above in the coordinates of U and of e, the unit vector along the residual of y = U g + s e: M^2 is diagonal
 * there, and its inverse on the complement of y is D - D x x'D / x'D x, D = M^2 / lambda^2, x = (g, s). The constant is
 * orthogonal to them. A vector beyond the rank, or so far below the first that it is rounding, stays 0. */
static rung_status thin_components(rung_ctx *ctx, const ot_space *s, const double *unit, int64_t r, double *v,
                                   double *a, double *left)
{
    const centred_kernel *c = s->c;
    int64_t n = c->n, q = c->r;
    double *x = NULL, *D = NULL, *beyond = NULL, *value = NULL, *Z = NULL, *along = NULL, xDx = 0;
    la_mat *Dx = NULL, *B = NULL, *P = NULL;
    TRY(NEW(ctx, &ctx->scratch, x, q + 1));
    TRY(NEW(ctx, &ctx->scratch, D, q + 1));
    TRY(NEW(ctx, &ctx->scratch, beyond, n));
    TRY(basis_pull(ctx, c, unit, x));
    TRY(basis_times(ctx, c, n, NULL, 1, x, beyond));
    for (int64_t i = 0; i < n; i++) beyond[i] = unit[i] - beyond[i];
    x[q] = sqrt(square_of(n, beyond));
    int64_t size = x[q] > 1e-9 ? q + 1 : q, wanted = r < size ? r : size;
    TRY(NEW(ctx, &ctx->scratch, value, size));
    TRY(NEW(ctx, &ctx->scratch, Z, size * size));
    TRY(NEW(ctx, &ctx->scratch, along, size));
    TRY(la_new(ctx, &ctx->scratch, size, size, &B));
    TRY(la_new(ctx, &ctx->scratch, size, size, &P));
    TRY(la_new(ctx, &ctx->scratch, size, 1, &Dx));
    for (int64_t j = 0; j < size; j++) {
        D[j] = j < q ? 1 / left_by(c->value[j], s->lambda) : 1;
        Z[j] = D[j] * x[j];
        xDx += Z[j] * x[j];
    }
    la_put(Z, Dx);
    TRY(la_syrk(ctx, false, xDx > 0 ? -1 / xDx : 0, Dx, 0, B));
    la_add_diagonal(B, 1, D);
    TRY(la_eigen(ctx, B, size, value, P));
    la_get(P, Z);
    for (int64_t j = 0; j < wanted; j++) { /* e = (y - U g) / s */
        along[j] = size > q ? Z[q + j * size] / x[q] : 0;
        for (int64_t k = 0; k < q; k++) Z[k + j * q] = Z[k + j * size] - along[j] * x[k];
    }
    TRY(basis_times(ctx, c, n, NULL, wanted, Z, v));
    for (int64_t j = 0; j < r; j++) {
        bool there = j < wanted && value[j] > fmax(1 + 1e-12, ROUNDED_VALUE * value[0]);
        double *to = v + j * n;
        left[j] = there ? 1 / value[j] : 1;
        for (int64_t i = 0; i < n; i++) to[i] = there ? to[i] + along[j] * unit[i] : 0;
        if (!there) continue;
        double sign = la_sign_of(n, to);
        for (int64_t i = 0; i < n; i++) to[i] *= sign;
        TRY(basis_pull(ctx, c, to, a + j * q));
        for (int64_t k = 0; k < q; k++) a[k + j * q] /= c->value[k] + s->lambda;
    }
    return RUNG_OK;
}

rung_status ot_components(rung_ctx *ctx, const ot_space *s, const double *y, int64_t r, double *v, double *a,
                          double *left)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *unit = NULL;
    TRY(unit_target(ctx, s, y, &unit));
    TRY(s->M ? dense_components(ctx, s, unit, r, v, a, left) : thin_components(ctx, s, unit, r, v, a, left));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
