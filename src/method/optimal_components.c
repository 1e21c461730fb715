// SPDX-License-Identifier: BSD-3-Clause
/* Generalised components: eigenvectors of H on the complement of the target, which is taken out exactly. */
#include <math.h>
#include <string.h>

#include "linalg/subspace.h"
#include "method/optimal_inner.h"

/* y of unit length, without its mean where the constant is no component. */
static rung_status unit_target(rung_ctx *ctx, const target_space *s, const double *y, double **out)
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
static rung_status dense_components(rung_ctx *ctx, const target_space *s, const double *unit, int64_t r, double *v,
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

/* H = I - W W' with W = U diag(sqrt(1 - h)): on the complement of y the leading left singular vectors of W without its
 * part along y. A vector beyond the rank stays 0. */
static rung_status thin_components(rung_ctx *ctx, const target_space *s, const double *unit, int64_t r, double *v,
                                   double *a, double *left)
{
    const centred_kernel *c = s->c;
    int64_t n = c->n, q = c->r;
    double *value = NULL, *root = NULL, *image = NULL;
    la_mat *W = NULL, *B = NULL, *P = NULL, *image_mat = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, q, &W));
    TRY(la_new(ctx, &ctx->scratch, q, q, &B));
    TRY(la_new(ctx, &ctx->scratch, q, q, &P));
    TRY(la_new(ctx, &ctx->scratch, n, q, &image_mat));
    TRY(NEW(ctx, &ctx->scratch, value, q));
    TRY(NEW(ctx, &ctx->scratch, root, q));
    TRY(NEW(ctx, &ctx->scratch, image, n * q));
    TRY(la_gather(ctx, c->U, NULL, NULL, W));
    for (int64_t j = 0; j < q; j++) root[j] = sqrt(taken_by(c->value[j], s->lambda));
    TRY(la_scale(ctx, NULL, root, W));
    TRY(deflate(ctx, unit, s->intercept, W));
    TRY(la_syrk(ctx, true, 1, W, 0, B));
    TRY(la_eigen(ctx, B, q, value, P));
    TRY(la_gemm(ctx, false, false, 1, W, P, 0, image_mat));
    la_get(image_mat, image);
    for (int64_t j = 0; j < r; j++) {
        bool there = j < q && value[j] > 1e-12;
        double *to = v + j * n;
        left[j] = there ? 1 - value[j] : 1;
        if (!there) continue;
        double sign = la_sign_of(n, image + j * n) / sqrt(value[j]);
        for (int64_t i = 0; i < n; i++) to[i] = sign * image[i + j * n];
        TRY(transposed_times(ctx, c->U, to, a + j * q));
        for (int64_t k = 0; k < q; k++) a[k + j * q] /= c->value[k] + s->lambda;
    }
    return RUNG_OK;
}

rung_status optimal_components(rung_ctx *ctx, const target_space *s, const double *y, int64_t r, double *v, double *a,
                               double *left)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *unit = NULL;
    TRY(unit_target(ctx, s, y, &unit));
    TRY(s->M ? dense_components(ctx, s, unit, r, v, a, left) : thin_components(ctx, s, unit, r, v, a, left));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
