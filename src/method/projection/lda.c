// SPDX-License-Identifier: BSD-3-Clause
/* lda.c - linear discriminant analysis: the scatter between the classes against the scatter within them.
 *
 *     A = sum_q n_q (m_q - m)(m_q - m)',   B = sum_i (x_i - m_{y_i})(x_i - m_{y_i})'
 *
 * With G the n x K indicator of the classes and M their means (from m): A = T'(G M), B = T'(T - G M). */
#include "method/discriminant/discriminant.h"
#include "method/projection/projection.h"

rung_status lda_pair(rung_ctx *ctx, problem *p, const projection_params *params, projection_pair *pair)
{
    int64_t n = p->n, c = la_cols(pair->T);
    class_index classes;
    double *indicator = NULL, *weight = NULL, *inverse = NULL;
    la_mat *G = NULL, *M = NULL, *between = NULL, *within = NULL;
    if (params->components > p->K - 1)
        return set_error(ctx, RUNG_EARG, "components=%d, but %d classes have only %d discriminant directions",
                         params->components, p->K, p->K - 1);
    TRY(class_index_new(ctx, &ctx->scratch, p, &classes));
    TRY(NEW(ctx, &ctx->scratch, indicator, n * p->K));
    TRY(NEW(ctx, &ctx->scratch, weight, n));
    TRY(NEW(ctx, &ctx->scratch, inverse, p->K));
    for (int64_t i = 0; i < n; i++) {
        weight[i] = p->w ? p->w[i] : 1;
        indicator[i + (p->y[i] - 1) * n] = weight[i];
    }
    for (int q = 0; q < p->K; q++) inverse[q] = 1 / classes.mass[q];
    TRY(la_new(ctx, &ctx->scratch, n, p->K, &G));
    TRY(la_new(ctx, &ctx->scratch, p->K, c, &M));
    TRY(la_new(ctx, &ctx->scratch, n, c, &between));
    TRY(la_new(ctx, &ctx->scratch, n, c, &within));
    la_put(indicator, G);
    TRY(centre_rows(ctx, weight, pair->T));
    TRY(la_gemm(ctx, true, false, 1, G, pair->T, 0, M));
    TRY(la_scale(ctx, inverse, NULL, M));
    TRY(la_gemm(ctx, false, false, 1, G, M, 0, between));
    TRY(la_scale_add(ctx, 1, pair->T, 0, within));
    TRY(la_scale(ctx, weight, NULL, within));
    TRY(la_scale_add(ctx, -1, between, 1, within));
    pair->N = between;
    pair->R = within;
    pair->cancels = true; /* one row in every class: 0, but for rounding */
    return RUNG_OK;
}

static const param_row lda_rows[] = {
    COMPONENTS_PARAM,
    PROJECTION_RIDGE_PARAM,
    CALIBRATE_PARAM(projection_params, "auto"),
    {0},
};

const method method_lda = {
    .info = {.name = "lda",
             .title = "Linear discriminant analysis",
             .reference =
                 "Fisher. The use of multiple measurements in taxonomic problems. Annals of Eugenics 7:179-188, "
                 "1936. doi:10.1111/j.1469-1809.1936.tb02137.x",
             .cost = "time l d^2 + d^3 (l^3 for d > l), memory 4 l d",
             .flags =
                 RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS | RUNG_METHOD_NO_ROWS},
    .params = lda_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = lda_pair},
    .bytes = projection_bytes,
    .fit = projection_fit,
    .verify = projection_verify,
};
