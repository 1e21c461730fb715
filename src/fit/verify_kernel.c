// SPDX-License-Identifier: BSD-3-Clause
#include "fit/verify.h"

enum { TILE = 4096 };

static kernel kernel_of(const struct verification *v)
{
    const scorer *s = &v->model->members->score;
    return s->kind == SCORER_KERNEL ? s->k : (kernel){.kind = KERNEL_LINEAR};
}

/* Phi'(Phi B), the features made twice, tile by tile. */
static rung_status landmarks_times(rung_ctx *ctx, const struct verification *v, const kernel *k, int64_t m,
                                   const double *B, double *F)
{
    const problem *p = v->p;
    const landmarks *l;
    la_mat *sum = NULL;
    TRY(problem_landmarks(ctx, v->p, k, v->landmarks, &l));
    TRY(la_new(ctx, &ctx->scratch, l->m, m, &sum));
    for (int pass = 0; pass < 2; pass++)
        for (int64_t first = 0; first < p->n; first += TILE) {
            pool_mark mark = pool_here(&ctx->scratch);
            int64_t t = p->n - first < TILE ? p->n - first : TILE;
            double *host = NULL;
            la_mat *Phi = NULL, *part = NULL;
            TRY(NEW_RAW(ctx, &ctx->scratch, host, t * m));
            TRY(la_new(ctx, &ctx->scratch, l->m, t, &Phi));
            TRY(la_new(ctx, &ctx->scratch, t, m, &part));
            TRY(landmarks_features(ctx, l, t, p->X + first * p->d, Phi));
            for (int64_t i = 0; i < t * m && pass == 0; i++) host[i] = B[first + i % t + i / t * p->n];
            if (pass == 0) la_put(host, part);
            if (pass == 0) TRY(la_gemm(ctx, false, false, 1, Phi, part, first > 0, sum));
            if (pass == 1) TRY(la_gemm(ctx, true, false, 1, Phi, sum, 0, part));
            if (pass == 1) la_get(part, host);
            for (int64_t i = 0; i < t * m && pass == 1; i++) F[first + i % t + i / t * p->n] = host[i];
            pool_release(&ctx->scratch, mark);
        }
    return RUNG_OK;
}

rung_status verify_kernel_times(rung_ctx *ctx, const struct verification *v, int64_t m, const double *B, double *F)
{
    const problem *p = v->p;
    const la_mat *K;
    kernel k = kernel_of(v);
    if (v->landmarks > 0) return landmarks_times(ctx, v, &k, m, B, F);
    if (k.kind != KERNEL_PRECOMPUTED)
        return kernel_expand(ctx, &k, &(point_set){p->d, p->n, p->X}, &(point_set){p->d, p->n, p->X}, m, B, F);
    TRY(problem_gram(ctx, v->p, &k, &K));
    return la_mul(ctx, 1, K, m, B, 0, F);
}

double verify_kernel_size(const struct verification *v, const double *B)
{
    kernel k = kernel_of(v);
    double sum = 0;
    for (int64_t i = 0; i < v->p->n; i++) sum += fabs(B[i]);
    return sum * problem_largest_self(v->p, &k);
}

double verify_score_size(const struct verification *v) { return score_size(v->p, &v->model->members->score); }

double limit_of_rows(double limit, int64_t n) { return limit * fmax(1, sqrt((double)n / 1e4)); }

rung_status verify_norms(rung_ctx *ctx, const struct verification *v, double *out)
{
    const scorer *s = &v->model->members->score;
    pool_mark mark = pool_here(&ctx->scratch);
    int O = s->outputs;
    double *f = NULL;
    for (int o = 0; o < O; o++) out[o] = 0;
    if (s->kind == SCORER_LINEAR)
        for (int64_t j = 0; j < s->m * O; j++) out[j / s->m] += s->coef[j] * s->coef[j];
    if (s->kind != SCORER_KERNEL) return RUNG_OK;
    if (!s->rows) { /* precomputed: a term is a column */
        for (int64_t j = 0; j < s->m; j++)
            for (int64_t i = 0; i < v->p->n; i++)
                for (int o = 0; o < O && v->p->origin[i] == s->index[j]; o++)
                    out[o] += s->coef[j + o * s->m] * (v->f[i * O + o] - s->bias[o]);
        return RUNG_OK;
    }
    TRY(NEW(ctx, &ctx->scratch, f, s->m * O));
    TRY(scorer_apply(ctx, s, s->m, s->rows, f));
    for (int o = 0; o < O; o++)
        for (int64_t j = 0; j < s->m; j++) out[o] += s->coef[j + o * s->m] * (f[j * O + o] - s->bias[o]);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

double relative_residual(int64_t n, int terms, const double *const *term, double size)
{
    double sizes = 0, most = 0;
    for (int t = 0; t < terms; t++) {
        double largest = 0;
        for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(term[t][i]));
        sizes += largest;
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int t = 0; t < terms; t++) sum += term[t][i];
        if (!(fabs(sum) <= most)) most = fabs(sum);
    }
    sizes = fmax(sizes, ROUNDED * size);
    return sizes > 0 ? most / sizes : most;
}
