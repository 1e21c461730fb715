// SPDX-License-Identifier: BSD-3-Clause
#include "graph/propagate.h"

#include <math.h>
#include <string.h>

#include "kernel/kernel.h"

static const double RESIDUAL = 1e-10;
enum { ITERATIONS = 20000 };

/* F becomes the memberships. */
static void memberships(int64_t n, int K, const int *y, double *F)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int q = 0; q < K; q++) {
            F[i + q * n] = fmax(F[i + q * n], 0);
            sum += F[i + q * n];
        }
        for (int q = 0; q < K; q++) {
            F[i + q * n] = sum > 0 ? F[i + q * n] / sum : 1.0 / K;
            if (y[i]) F[i + q * n] = y[i] == q + 1;
        }
    }
}

static void one_hot(int64_t n, int K, const int *y, double *Y)
{
    memset(Y, 0, (size_t)(n * K) * sizeof *Y);
    for (int64_t i = 0; i < n; i++)
        if (y[i]) Y[i + (y[i] - 1) * n] = 1;
}

rung_status propagate_dense(rung_ctx *ctx, int64_t d, int64_t n, const double *X, int K, const int *y, double width,
                            double spread, double *U)
{
    pool_mark mark = pool_here(&ctx->scratch);
    kernel k = {.kind = KERNEL_RBF, .gamma = 1 / (2 * width * width)};
    double *root = NULL;
    la_mat *A = NULL; /* W, then I - a S */
    TRY(la_new(ctx, &ctx->scratch, n, n, &A));
    TRY(NEW(ctx, &ctx->scratch, root, n));
    TRY(kernel_gram(ctx, &k, d, n, X, A));
    la_add_diagonal(A, -1, NULL); /* it was 1 exactly */
    TRY(la_row_sums(ctx, A, root));
    for (int64_t i = 0; i < n; i++) root[i] = root[i] > 0 ? 1 / sqrt(root[i]) : 0;
    TRY(la_scale(ctx, root, root, A));
    TRY(la_scale_add(ctx, -spread, A, 0, A));
    la_add_diagonal(A, 1, NULL);
    TRY(la_potrf(ctx, A));
    one_hot(n, K, y, U);
    TRY(la_potrs(ctx, A, K, U));
    memberships(n, K, y, U);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* From the normalised Laplacian to I - a S; the diagonal is 1 also where a point has no neighbours. */
static void spread_system(double spread, la_csr *A)
{
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) A->value[e] = A->col[e] == i ? 1 : spread * A->value[e];
}

rung_status propagate_graph(rung_ctx *ctx, const la_csr *W, int K, const int *y, double spread, double *U)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = W->rows;
    double *Y = NULL;
    la_csr A;
    TRY(graph_laplacian(ctx, &ctx->scratch, W, LAPLACIAN_NORMALISED, &A));
    spread_system(spread, &A);
    TRY(NEW_RAW(ctx, &ctx->scratch, Y, n * K));
    one_hot(n, K, y, Y);
    TRY(graph_solve(ctx, &A, K, Y, RESIDUAL, ITERATIONS, U));
    for (int q = 0; q < K; q++) {
        double mass = 0;
        for (int64_t i = 0; i < n; i++) mass += U[i + q * n];
        for (int64_t i = 0; i < n && mass > 0; i++) U[i + q * n] /= mass;
    }
    memberships(n, K, y, U);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
