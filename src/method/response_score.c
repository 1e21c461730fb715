// SPDX-License-Identifier: BSD-3-Clause
#include "method/response_score.h"

#include <string.h>

static rung_status over_rows(rung_ctx *ctx, pool *mem, const problem *p, const response_kernel *k, int outputs,
                             const double *a, fitted *out)
{
    TRY(expansion_outputs(ctx, mem, p, &k->k, outputs, a, &out->score));
    for (int q = 0; q < outputs && k->constant; q++)
        for (int64_t i = 0; i < p->n; i++) out->score.bias[q] += a[i + q * p->n];
    out->n_expansion = p->n;
    return RUNG_OK;
}

static rung_status over_landmarks(rung_ctx *ctx, pool *mem, problem *p, const response_kernel *k, const response *r,
                                  int outputs, const double *c, fitted *out)
{
    const landmarks *l;
    int64_t rank = la_cols(r->F);
    double *z = NULL, *V = NULL;
    TRY(problem_landmarks(ctx, p, &k->k, k->landmarks, &l));
    TRY(NEW_RAW(ctx, &ctx->scratch, z, rank * outputs));
    TRY(NEW_RAW(ctx, &ctx->scratch, V, l->m * outputs));
    TRY(response_weights(ctx, r, outputs, c, z));
    for (int q = 0; q < outputs; q++) memcpy(V + q * l->m, z + q * rank, (size_t)l->m * sizeof *V);
    TRY(landmark_results(ctx, mem, l, outputs, V, out));
    for (int q = 0; q < outputs && k->constant; q++) out->score.bias[q] = z[l->m + q * rank];
    return RUNG_OK;
}

rung_status response_score(rung_ctx *ctx, pool *mem, problem *p, const response_kernel *k, const response *r,
                           int outputs, const double *c, const double *a, fitted *out)
{
    return k->landmarks > 0 ? over_landmarks(ctx, mem, p, k, r, outputs, c, out)
                            : over_rows(ctx, mem, p, k, outputs, a, out);
}

double response_bytes(double n, int64_t m_)
{
    double m = m_ > 0 ? fmin((double)m_ + 1, n) : n;
    return 8 * (2 * n * m + m * m);
}
