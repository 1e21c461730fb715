// SPDX-License-Identifier: BSD-3-Clause
#include "method/svm/graph_response_score.h"

#include <string.h>

#include "fit/verify.h"

rung_status graph_response_prepare(rung_ctx *ctx, problem *p, const graph_response_kernel *k)
{
    const landmarks *l;
    const la_mat *F;
    return k->landmarks > 0 ? problem_landmarks(ctx, p, &k->k, k->landmarks, &l)
                            : problem_root(ctx, p, &k->k, k->constant, &F);
}

rung_status graph_response_for(rung_ctx *ctx, problem *p, const graph_response_kernel *k, const penalty *W,
                               graph_response *out)
{
    const landmarks *l;
    const la_mat *F;
    if (k->landmarks > 0) {
        TRY(problem_landmarks(ctx, p, &k->k, k->landmarks, &l));
        return graph_response_of_landmarks(ctx, W, l, p->X, k->constant, out);
    }
    TRY(problem_root(ctx, p, &k->k, k->constant, &F));
    return graph_response_new(ctx, W, F, out);
}

static rung_status over_rows(rung_ctx *ctx, pool *mem, const problem *p, const graph_response_kernel *k, int outputs,
                             const double *a, fitted *out)
{
    TRY(expansion_outputs(ctx, mem, p, &k->k, outputs, a, &out->own.score));
    for (int q = 0; q < outputs && k->constant; q++)
        for (int64_t i = 0; i < p->n; i++) out->own.score.bias[q] += a[i + q * p->n];
    out->n_expansion = p->n;
    return RUNG_OK;
}

static rung_status over_landmarks(rung_ctx *ctx, pool *mem, const graph_response *r, int outputs, const double *c,
                                  fitted *out)
{
    int64_t m = r->l->m;
    double *z = NULL, *V = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, z, r->rank * outputs));
    TRY(NEW_RAW(ctx, &ctx->scratch, V, m * outputs));
    TRY(graph_response_weights(ctx, r, outputs, c, z));
    for (int q = 0; q < outputs; q++) memcpy(V + q * m, z + q * r->rank, (size_t)m * sizeof *V);
    TRY(landmark_results(ctx, mem, r->l, outputs, V, out));
    for (int q = 0; q < outputs && r->constant; q++) out->own.score.bias[q] = z[m + q * r->rank];
    return RUNG_OK;
}

rung_status graph_response_score(rung_ctx *ctx, pool *mem, const problem *p, const graph_response_kernel *k,
                                 const graph_response *r, const graph_response_pulls *by, fitted *out)
{
    return r->l ? over_landmarks(ctx, mem, r, by->outputs, by->c, out)
                : over_rows(ctx, mem, p, k, by->outputs, by->a, out);
}

rung_status graph_response_verify(rung_ctx *ctx, const struct verification *v, bool constant, int k, const double *f,
                                  const double *a)
{
    int64_t n = v->p->n;
    double *Ka = NULL, *left = NULL, worst = 0;
    TRY(NEW(ctx, &ctx->scratch, Ka, n * k));
    TRY(NEW(ctx, &ctx->scratch, left, n));
    TRY(verify_kernel_times(ctx, v, k, a, Ka));
    for (int q = 0; q < k; q++) {
        double sum = 0;
        for (int64_t i = 0; i < n && constant; i++) sum += a[i + q * n];
        for (int64_t i = 0; i < n; i++) {
            Ka[i + q * n] += sum;
            left[i] = -f[i + q * n];
        }
        worst = fmax(worst, relative_residual(n, 2, (const double *const[]){Ka + q * n, left},
                                              verify_kernel_size(v, a + q * n)));
    }
    condition_add(v->found, "response", "residual of f = K (c - W f), c from the multipliers, relative", worst,
                  limit_of_rows(1e-8, n));
    return RUNG_OK;
}

double gap_limit(double tolerance, double caps, double objective) { return 1e-9 + tolerance * caps / objective; }

/* Root, its product with the penalty and the factor; then the solutions of the labelled rows. With landmarks these and
 * their factor; choosing them, the graph's form, or features of the labelled rows, on the host, too. */
double graph_response_bytes(const problem_shape *shape, int64_t landmarks_)
{
    double n = (double)shape->n, l = (double)shape->labelled, d = (double)shape->d;
    if (landmarks_ <= 0) return 8 * fmax(3 * n * n, 2 * n * n + 2 * n * l);
    int64_t m_ = landmarks_ < shape->n ? landmarks_ : shape->n;
    double m = (double)m_, block = 8 * (3 * m * l + l * d + l * l);
    double form = landmarks_quadratic_bytes(shape->d, shape->n, m_, shape->memory);
    return 8 * (m * (2 * m + d) + 2 * n * d) + fmax(landmarks_bytes(shape->d, shape->n, m_), fmax(form, block));
}
