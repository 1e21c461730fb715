// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/feature.h"

#include <math.h>

static const double NOTHING = 1e-14; /* relative to the largest eigenvalue: smaller components are rounding errors */
static const double KEPT = 1e-12;

rung_status eigenpairs_new(rung_ctx *ctx, pool *mem, const la_mat *K, int64_t r, eigenpairs *out)
{
    int64_t n = la_rows(K);
    la_mat *copy = NULL;
    *out = (eigenpairs){.n = n, .r = r};
    TRY(NEW(ctx, mem, out->values, r));
    TRY(la_new(ctx, mem, n, r, &out->V));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(la_new(ctx, &ctx->scratch, n, n, &copy));
    TRY(la_scale_add(ctx, 1, K, 0, copy));
    TRY(la_eigen(ctx, copy, r, out->values, out->V));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

bool kernel_keeps_order(const kernel *k) { return k->kind != KERNEL_POLY && k->kind != KERNEL_PRECOMPUTED; }

rung_status kernel_stretched(rung_ctx *ctx, pool *mem, const kernel *k, int64_t d, int64_t n, const double *X,
                             const double **out)
{
    double *stretched = NULL;
    *out = X;
    if (k->kind != KERNEL_ARD) return RUNG_OK;
    TRY(NEW_RAW(ctx, mem, stretched, d * n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) stretched[j + i * d] = X[j + i * d] * sqrt(k->precisions[j]);
    *out = stretched;
    return RUNG_OK;
}

bool eigenpairs_exhausted(const eigenpairs *e, int64_t r) { return r >= e->n || e->values[r] < NOTHING * e->values[0]; }

/* After `rank` steps without a diagonal entry above t, lambda_{rank+1} <= (n - rank) t. And lambda_1 >= 1'K1/n and
 * >= trace/n. */
rung_status kernel_rank_exhausted(rung_ctx *ctx, const la_mat *K, int64_t r, bool *out)
{
    int64_t n = la_rows(K), rank = 0;
    pool_mark mark = pool_here(&ctx->scratch);
    double *sums = NULL, largest = la_trace(K) / (double)n, all = 0;
    la_mat *copy = NULL;
    *out = true;
    if (r >= n) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, sums, n));
    TRY(la_row_sums(ctx, K, sums));
    for (int64_t i = 0; i < n; i++) all += sums[i];
    largest = fmax(largest, all / (double)n);
    TRY(la_new(ctx, &ctx->scratch, n, n, &copy));
    TRY(la_scale_add(ctx, 1, K, 0, copy));
    TRY(la_cholesky_rank(ctx, copy, 0.5 * NOTHING * largest / (double)n, &rank));
    *out = rank <= r;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status kernel_features(rung_ctx *ctx, pool *mem, const eigenpairs *e, int64_t r, la_mat **out)
{
    int64_t kept = 0;
    double *root = NULL;
    la_mat *scaled = NULL;
    while (kept < r && kept < e->r && e->values[kept] > KEPT * e->values[0]) kept++;
    TRY(la_new(ctx, mem, kept, e->n, out));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, root, kept));
    TRY(la_new(ctx, &ctx->scratch, e->n, kept, &scaled));
    for (int64_t j = 0; j < kept; j++) root[j] = sqrt(e->values[j]);
    TRY(la_gather(ctx, e->V, NULL, NULL, scaled)); /* its leading columns */
    TRY(la_scale(ctx, NULL, root, scaled));
    TRY(la_transpose(ctx, scaled, *out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
