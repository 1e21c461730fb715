// SPDX-License-Identifier: BSD-3-Clause
/* Rank-one multilinear projections: one mode after the other gets the best direction given the others. */
#include "method/projection/projection.h"
#include "method/projection/tensor.h"

static rung_status improve_mode(rung_ctx *ctx, const fit_input *in, const tensor_forms *forms, bool cancels, int p,
                                tensor *t, double *value)
{
    const projection_params *params = in->params;
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t size = t->size[p];
    double *w = t->w[p], *v = w, norm = 0;
    la_mat *form[TENSOR_FORMS], *back = NULL;
    TRY(tensor_mode(ctx, t, forms, p, &back, form));
    if (back) TRY(NEW(ctx, &ctx->scratch, v, la_cols(back)));
    TRY(ridge_denominator(ctx, form[0], cancels, params->ridge, tensor_share(in->p, t, p), form[1]));
    TRY(top_directions(ctx, form[0], form[1], params->ridge, 1, value, v));
    if (back) TRY(la_mul(ctx, 1, back, 1, v, 0, w));
    for (int64_t i = 0; i < size; i++) norm += w[i] * w[i];
    norm = sqrt(norm);
    for (int64_t i = 0; i < size && norm > 0; i++) w[i] /= norm; /* 0: the rows do not differ */
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status tensor_projection_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const projection_params *params = in->params;
    const projection_variant *variant = in->method->variant;
    row_space s;
    tensor t;
    tensor_forms forms;
    double value = 0, *W = NULL;
    bool flipped;
    TRY(tensor_new(ctx, params->shape, p->d, &t));
    TRY(row_space_new(ctx, p, false, &s));
    projection_pair pair = {.T = s.T};
    TRY(variant->pair(ctx, p, params, &pair));
    const la_mat *F[TENSOR_FORMS] = {pair.N, pair.R};
    TRY(tensor_forms_new(ctx, pair.T, TENSOR_FORMS, F, &forms));
    for (int sweep = 0; sweep < params->sweeps; sweep++)
        for (int q = 0; q < t.modes; q++) TRY(improve_mode(ctx, in, &forms, pair.cancels, q, &t, &value));
    TRY(NEW(ctx, &ctx->scratch, W, p->d));
    tensor_direction(&t, W);
    TRY(projection_finish(ctx, mem, p, 1, W, &value, &flipped, out));
    for (int64_t i = 0; i < t.size[t.modes - 1] && flipped; i++) t.w[t.modes - 1][i] *= -1;
    return tensor_report(ctx, mem, &t, out);
}
