// SPDX-License-Identifier: BSD-3-Clause
#include "solve/simplex_weights.h"

#include <math.h>
#include <string.h>

#include "solve/simplex_qp.h"

static rung_status csr_new(rung_ctx *ctx, pool *mem, int64_t n, int64_t entries, la_csr *out)
{
    *out = (la_csr){.rows = n, .cols = n};
    TRY(NEW(ctx, mem, out->start, n + 1));
    TRY(NEW_RAW(ctx, mem, out->col, entries));
    return NEW_RAW(ctx, mem, out->value, entries);
}

/* Where the inner products of differences come from: rows X (d x n), or a kernel matrix. */
typedef struct {
    int64_t d;
    const double *X;
    const la_mat *K;
    double *room; /* d x k, or k x (k + 1) */
} products;

/* G (k x k) for row i and its neighbours. Differences are scaled by the largest: weights do not depend on the scale of
 * G, and the products of tiny and huge differences stay within range. */
static void gram_of_rows(const products *s, int64_t i, int64_t k, const int64_t *near, double *G)
{
    const double *X = s->X;
    double *Z = s->room, most = 0;
    int64_t d = s->d;
    for (int64_t j = 0; j < k; j++)
        for (int64_t c = 0; c < d; c++) {
            Z[j * d + c] = X[i * d + c] - X[near[j] * d + c];
            most = fmax(most, fabs(Z[j * d + c]));
        }
    for (int64_t c = 0; c < d * k; c++) Z[c] = most > 0 ? Z[c] / most : 0;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b <= a; b++) {
            double sum = 0;
            for (int64_t c = 0; c < d; c++) sum += Z[a * d + c] * Z[b * d + c];
            G[a * k + b] = G[b * k + a] = sum;
        }
}

/* The same by (x_i - x_a)'(x_i - x_b) = k_ii - k_ia - k_ib + k_ab. */
static void gram_of_kernel(const products *s, int64_t i, int64_t k, const int64_t *near, double *G)
{
    double self, *ia = s->room, *ab = s->room + k;
    la_pick(s->K, 1, &i, 1, &i, &self);
    la_pick(s->K, 1, &i, k, near, ia);
    la_pick(s->K, k, near, k, near, ab);
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b <= a; b++) G[a * k + b] = G[b * k + a] = self - ia[a] - ia[b] + ab[a + b * k];
}

static void add_ridge(int64_t k, double *G)
{
    double trace = 0;
    for (int64_t a = 0; a < k; a++) trace += G[a * k + a];
    for (int64_t a = 0; a < k; a++) G[a * k + a] += 1e-10 * trace / (double)k;
}

/* The weights of a row go to its entries in the order of the columns. */
static void put_row(int64_t k, const int64_t *near, const double *weight, int64_t *col, double *value)
{
    for (int64_t j = 0; j < k; j++) {
        int64_t to = j;
        for (; to > 0 && col[to - 1] > near[j]; to--) {
            col[to] = col[to - 1];
            value[to] = value[to - 1];
        }
        col[to] = near[j];
        value[to] = weight[j];
    }
}

static rung_status weights_of(rung_ctx *ctx, pool *mem, const products *s, const neighbours *nb, la_csr *out)
{
    int64_t k = nb->k;
    double *G = NULL, *weight = NULL;
    TRY(csr_new(ctx, mem, nb->n, nb->n * k, out));
    TRY(NEW_RAW(ctx, &ctx->scratch, G, k * k));
    TRY(NEW_RAW(ctx, &ctx->scratch, weight, k));
    for (int64_t i = 0; i < nb->n; i++) {
        const int64_t *near = nb->index + i * nb->stride;
        TRY(interrupted(ctx));
        if (s->K)
            gram_of_kernel(s, i, k, near, G);
        else
            gram_of_rows(s, i, k, near, G);
        add_ridge(k, G);
        if (k > 0) TRY(simplex_qp(ctx, (int)k, G, 1, weight));
        put_row(k, near, weight, out->col + i * k, out->value + i * k);
        out->start[i + 1] = (i + 1) * k;
    }
    return RUNG_OK;
}

rung_status simplex_weights(rung_ctx *ctx, pool *mem, int64_t d, const double *X, const neighbours *nb, la_csr *out)
{
    products s = {.d = d, .X = X};
    TRY(NEW_RAW(ctx, &ctx->scratch, s.room, d * nb->k));
    return weights_of(ctx, mem, &s, nb, out);
}

rung_status simplex_weights_kernel(rung_ctx *ctx, pool *mem, const la_mat *K, const neighbours *nb, la_csr *out)
{
    products s = {.K = K};
    TRY(NEW_RAW(ctx, &ctx->scratch, s.room, nb->k * (nb->k + 1)));
    return weights_of(ctx, mem, &s, nb, out);
}

static rung_status transposed(rung_ctx *ctx, const la_csr *S, la_csr *out)
{
    int64_t n = S->rows, *next = NULL;
    TRY(csr_new(ctx, &ctx->scratch, n, S->start[n], out));
    TRY(NEW(ctx, &ctx->scratch, next, n));
    for (int64_t e = 0; e < S->start[n]; e++) out->start[S->col[e] + 1]++;
    for (int64_t i = 0; i < n; i++) out->start[i + 1] += out->start[i];
    memcpy(next, out->start, (size_t)n * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = S->start[i]; e < S->start[i + 1]; e++) {
            int64_t to = next[S->col[e]]++;
            out->col[to] = i;
            out->value[to] = S->value[e];
        }
    return RUNG_OK;
}

rung_status symmetric_part(rung_ctx *ctx, pool *mem, const la_csr *S, la_csr *out)
{
    int64_t n = S->rows, used = 0;
    la_csr T;
    TRY(csr_new(ctx, mem, n, 2 * S->start[n], out));
    TRY(transposed(ctx, S, &T));
    for (int64_t i = 0; i < n; i++) {
        int64_t a = S->start[i], b = T.start[i], a_end = S->start[i + 1], b_end = T.start[i + 1];
        while (a < a_end || b < b_end) {
            int64_t from_a = a < a_end ? S->col[a] : n, from_b = b < b_end ? T.col[b] : n;
            int64_t col = from_a < from_b ? from_a : from_b;
            double sum = 0;
            if (from_a == col) sum += S->value[a++];
            if (from_b == col) sum += T.value[b++];
            out->col[used] = col;
            out->value[used++] = 0.5 * sum;
        }
        out->start[i + 1] = used;
    }
    return RUNG_OK;
}
