// SPDX-License-Identifier: BSD-3-Clause
/* discriminant_qr.c - discriminants whose ridge is too small for normal equations: ridge least squares by QR. The
 * formulas are at the end of the head of discriminant.c. */
#include "method/discriminant/discriminant_inner.h"

rung_status least_squares(rung_ctx *ctx, const dl_setting *s, mean_residuals *out)
{
    const problem *p = &s->labelled;
    const class_index *classes = &s->classes;
    const la_mat *Y = s->form.Y;
    double factor = s->form.factor, *C = out->C, *gram = out->gram;
    const double *R = out->R;
    int64_t n = p->n, rows = la_rows(Y), contrasts = n - p->K;
    int K = p->K, m = out->m;
    double size = 0, spread = 0, *E = NULL, *YE = NULL, *b = NULL, *z = NULL, *Wz = NULL;
    la_mat *YW = NULL;
    TRY(NEW(ctx, &ctx->scratch, E, n * K));
    TRY(NEW(ctx, &ctx->scratch, YE, rows * K));
    TRY(NEW(ctx, &ctx->scratch, b, rows * m));
    TRY(NEW(ctx, &ctx->scratch, z, contrasts * m));
    TRY(NEW(ctx, &ctx->scratch, Wz, n * m));
    TRY(la_new(ctx, &ctx->scratch, rows, contrasts, &YW));
    for (int64_t i = 0; i < n; i++) E[i + (p->y[i] - 1) * n] = row_weight(p, i) / classes->mass[p->y[i] - 1];
    TRY(la_mul(ctx, factor, Y, K, E, 0, YE));
    for (int64_t i = 0; i < rows * K; i++) size += YE[i] * YE[i];
    for (int j = 0; j < m; j++) {
        for (int q = 0; q < K; q++) {
            if (R[q + j * K] == 0) continue;
            for (int64_t i = 0; i < rows; i++) b[i + j * rows] += YE[i + q * rows] * R[q + j * K];
            for (int64_t i = 0; i < n; i++) C[i + j * n] += E[i + q * n] * R[q + j * K];
        }
        for (int64_t i = 0; i < rows; i++) spread += b[i + j * rows] * b[i + j * rows];
    }
    out->coincide = spread <= 1e-26 * size;
    TRY(la_group_contrasts(ctx, Y, factor, K, classes->size, classes->order, p->w, YW));
    TRY(la_ridge_qr(ctx, YW, m, b, z)); /* b becomes the rotated residual */
    for (int r = 0; r < m; r++)
        for (int c = 0; c < m; c++)
            for (int64_t i = 0; i < rows; i++) gram[r + c * m] += b[i + r * rows] * b[i + c * rows];
    la_group_contrasts_thin(n, K, classes->size, classes->order, p->w, m, z, Wz);
    for (int64_t i = 0; i < n * m; i++) C[i] -= Wz[i];
    la_free(&ctx->scratch, YW);
    return RUNG_OK;
}

rung_status order_by_least_squares(rung_ctx *ctx, const dl_setting *s, order_solution *out)
{
    const problem *p = &s->labelled;
    int pairs = p->K - 1;
    double *R = NULL;
    mean_residuals left = {.m = pairs};
    TRY(NEW(ctx, &ctx->scratch, R, p->K * pairs));
    TRY(NEW(ctx, &ctx->scratch, left.C, p->n * pairs));
    TRY(NEW(ctx, &ctx->scratch, left.gram, pairs * pairs));
    for (int q = 0; q < pairs; q++) {
        R[q + q * p->K] = -1;
        R[q + 1 + q * p->K] = 1;
    }
    left.R = R;
    TRY(least_squares(ctx, s, &left));
    TRY(order_weights(ctx, p->K, left.gram, s->params->C, left.coincide ? INFINITY : 0, out->alpha, &out->degenerate));
    for (int q = 0; q < pairs; q++)
        for (int64_t i = 0; i < p->n; i++) out->c[i] += left.C[i + q * p->n] * out->alpha[q] / 2;
    return RUNG_OK;
}
