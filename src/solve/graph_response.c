// SPDX-License-Identifier: BSD-3-Clause
#include "solve/graph_response.h"
#include "base/memory.h"

#include <string.h>

rung_status penalty_apply(rung_ctx *ctx, const penalty *W, int64_t k, const double *f, double *Wf)
{
    int64_t n = W->n;
    int r = W->rank;
    pool_mark mark = pool_here(&ctx->scratch);
    double *t = NULL, *u = NULL;
    TRY(NEW(ctx, &ctx->scratch, t, r));
    TRY(NEW(ctx, &ctx->scratch, u, r));
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < n; i++) Wf[i + c * n] = W->diagonal ? W->diagonal[i] * f[i + c * n] : 0;
    if (W->sparse) TRY(la_spmm_thin(ctx, W->weight, W->sparse, k, f, 1, Wf));
    for (int64_t c = 0; c < k && r > 0; c++) {
        memset(t, 0, (size_t)r * sizeof *t);
        memset(u, 0, (size_t)r * sizeof *u);
        for (int q = 0; q < r; q++)
            for (int64_t i = 0; i < n; i++) t[q] += W->P[i + q * n] * f[i + c * n];
        for (int q = 0; q < r; q++)
            for (int s = 0; s < r; s++) u[q] += W->core[q + s * r] * t[s];
        for (int q = 0; q < r; q++)
            for (int64_t i = 0; i < n; i++) Wf[i + c * n] -= W->P[i + q * n] * u[q];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* WF -= (P core) (P'F). */
static rung_status subtract_low_rank(rung_ctx *ctx, const penalty *W, const la_mat *F, la_mat *WF)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = W->n, r = W->rank;
    la_mat *P = NULL, *left = NULL, *right = NULL;
    double *scaled = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, r, &P));
    TRY(la_new(ctx, &ctx->scratch, n, r, &left));
    TRY(la_new(ctx, &ctx->scratch, r, la_cols(F), &right));
    TRY(NEW(ctx, &ctx->scratch, scaled, n * r));
    for (int64_t q = 0; q < r; q++)
        for (int64_t s = 0; s < r; s++)
            for (int64_t i = 0; i < n; i++) scaled[i + q * n] += W->P[i + s * n] * W->core[s + q * r];
    la_put(W->P, P);
    la_put(scaled, left);
    TRY(la_gemm(ctx, true, false, 1, P, F, 0, right));
    TRY(la_gemm(ctx, false, false, -1, left, right, 1, WF));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status penalty_apply_wide(rung_ctx *ctx, const penalty *W, const la_mat *F, la_mat *WF)
{
    double *none = NULL;
    TRY(NEW(ctx, &ctx->scratch, none, W->n));
    TRY(la_scale_add(ctx, 1, F, 0, WF));
    TRY(la_scale(ctx, W->diagonal ? W->diagonal : none, NULL, WF));
    if (W->sparse) TRY(la_spmm(ctx, W->weight, W->sparse, F, 1, WF));
    return W->rank > 0 ? subtract_low_rank(ctx, W, F, WF) : RUNG_OK;
}

rung_status graph_response_new(rung_ctx *ctx, const penalty *W, const la_mat *F, graph_response *out)
{
    la_mat *WF = NULL;
    *out = (graph_response){.W = W, .rank = la_cols(F), .F = F};
    TRY(la_new(ctx, &ctx->scratch, la_cols(F), la_cols(F), &out->M));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(la_new(ctx, &ctx->scratch, W->n, la_cols(F), &WF));
    TRY(penalty_apply_wide(ctx, W, F, WF));
    TRY(la_gemm_symmetric(ctx, true, 1, F, WF, 0, out->M));
    pool_release(&ctx->scratch, mark);
    la_add_diagonal(out->M, 1, NULL);
    return la_potrf(ctx, out->M);
}

/* ---- landmarks ---- */

/* z (rank x k) = F'c. */
static rung_status landmark_pull(rung_ctx *ctx, const graph_response *r, int64_t k, const double *c, double *z)
{
    int64_t n = r->W->n, m = r->l->m;
    pool_mark mark = pool_here(&ctx->scratch);
    double *pull = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, pull, m * k));
    TRY(landmarks_pull(ctx, r->l, n, r->X, (int)k, c, pull));
    for (int64_t q = 0; q < k; q++) {
        double sum = 0;
        for (int64_t i = 0; i < n && r->constant; i++) sum += c[i + q * n];
        memcpy(z + q * r->rank, pull + q * m, (size_t)m * sizeof *z);
        if (r->constant) z[m + q * r->rank] = sum;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* f (n x k) = F z. */
static rung_status landmark_scores(rung_ctx *ctx, const graph_response *r, int64_t k, const double *z, double *f)
{
    int64_t n = r->W->n, m = r->l->m;
    pool_mark mark = pool_here(&ctx->scratch);
    double *V = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, V, m * k));
    for (int64_t q = 0; q < k; q++) memcpy(V + q * m, z + q * r->rank, (size_t)m * sizeof *V);
    TRY(landmarks_scores(ctx, r->l, n, r->X, (int)k, V, f));
    for (int64_t q = 0; q < k && r->constant; q++)
        for (int64_t i = 0; i < n; i++) f[i + q * n] += z[m + q * r->rank];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* half (rank x l) = F[rows, :]'. */
static rung_status landmark_rows(rung_ctx *ctx, const graph_response *r, int64_t l, const int64_t *rows, la_mat *half)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t d = r->l->d, m = r->l->m;
    double *X = NULL, *phi = NULL, *all = NULL;
    la_mat *Phi = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, d * l));
    TRY(la_new(ctx, &ctx->scratch, m, l, &Phi));
    for (int64_t i = 0; i < l; i++) memcpy(X + i * d, r->X + rows[i] * d, (size_t)d * sizeof *X);
    TRY(landmarks_features(ctx, r->l, l, X, Phi));
    if (!r->constant) {
        TRY(la_gather(ctx, Phi, NULL, NULL, half));
    } else {
        TRY(NEW_RAW(ctx, &ctx->scratch, phi, m * l));
        la_get(Phi, phi);
        la_free(&ctx->scratch, Phi);
        TRY(NEW_RAW(ctx, &ctx->scratch, all, r->rank * l));
        for (int64_t i = 0; i < l; i++) {
            memcpy(all + i * r->rank, phi + i * m, (size_t)m * sizeof *all);
            all[m + i * r->rank] = 1;
        }
        la_put(all, half);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* diag(diagonal) + weight * sparse as one sparse matrix. */
static rung_status sparse_part(rung_ctx *ctx, const penalty *W, la_csr *out)
{
    const la_csr *S = W->sparse;
    int64_t n = W->n, room = n + (S ? S->start[n] : 0), at = 0;
    *out = (la_csr){.rows = n, .cols = n};
    TRY(NEW_RAW(ctx, &ctx->scratch, out->start, n + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->col, room));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->value, room));
    out->start[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t e = S ? S->start[i] : 0, end = S ? S->start[i + 1] : 0;
        for (; e < end && S->col[e] < i; e++, at++) {
            out->col[at] = S->col[e];
            out->value[at] = W->weight * S->value[e];
        }
        out->col[at] = i;
        out->value[at] = W->diagonal ? W->diagonal[i] : 0;
        if (e < end && S->col[e] == i) out->value[at] += W->weight * S->value[e++];
        for (at++; e < end; e++, at++) {
            out->col[at] = S->col[e];
            out->value[at] = W->weight * S->value[e];
        }
        out->start[i + 1] = at;
    }
    return RUNG_OK;
}

/* The last row and column of F'W F for the ones, in A (rank x rank), whose other entries are there: F'W 1. */
static rung_status put_constant(rung_ctx *ctx, const graph_response *r, double *A)
{
    int64_t n = r->W->n, m = r->l->m;
    double *ones = NULL, *W1 = NULL, *z = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, ones, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, W1, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, z, r->rank));
    for (int64_t i = 0; i < n; i++) ones[i] = 1;
    TRY(penalty_apply(ctx, r->W, 1, ones, W1));
    TRY(landmark_pull(ctx, r, 1, W1, z));
    for (int64_t j = 0; j <= m; j++) A[m + j * r->rank] = A[j + m * r->rank] = z[j];
    return RUNG_OK;
}

/* A -= (F'P) core (F'P)' on the features. */
static rung_status take_low_rank(rung_ctx *ctx, const graph_response *r, double *A)
{
    int64_t m = r->l->m, w = r->rank;
    int k = r->W->rank;
    double *Y = NULL, *YC = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, Y, w * k));
    TRY(NEW(ctx, &ctx->scratch, YC, w * k));
    TRY(landmark_pull(ctx, r, k, r->W->P, Y));
    for (int q = 0; q < k; q++)
        for (int s = 0; s < k; s++)
            for (int64_t j = 0; j < m; j++) YC[j + q * w] += Y[j + s * w] * r->W->core[s + q * k];
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i <= j; i++) {
            double sum = 0;
            for (int q = 0; q < k; q++) sum += YC[i + q * w] * Y[j + q * w];
            A[i + j * w] -= sum;
            if (i < j) A[j + i * w] -= sum;
        }
    return RUNG_OK;
}

rung_status graph_response_of_landmarks(rung_ctx *ctx, const penalty *W, const landmarks *l, const double *X,
                                        bool constant, graph_response *out)
{
    int64_t m = l->m, w = m + constant;
    la_csr S;
    la_mat *form = NULL;
    double *inner = NULL, *A = NULL;
    *out = (graph_response){.W = W, .rank = w, .l = l, .X = X, .constant = constant};
    TRY(la_new(ctx, &ctx->scratch, w, w, &out->M));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(la_new(ctx, &ctx->scratch, m, m, &form));
    pool_mark here = pool_here(&ctx->scratch);
    TRY(sparse_part(ctx, W, &S));
    TRY(landmarks_quadratic(ctx, l, W->n, X, &S, landmark_room(memory_left(ctx)), form));
    pool_release(&ctx->scratch, here);
    TRY(NEW_RAW(ctx, &ctx->scratch, inner, m * m));
    TRY(NEW_RAW(ctx, &ctx->scratch, A, w * w));
    la_get(form, inner);
    for (int64_t j = 0; j < m; j++) memcpy(A + j * w, inner + j * m, (size_t)m * sizeof *A);
    if (W->rank > 0) TRY(take_low_rank(ctx, out, A));
    if (constant) TRY(put_constant(ctx, out, A));
    la_put(A, out->M);
    pool_release(&ctx->scratch, mark);
    la_add_diagonal(out->M, 1, NULL);
    return la_potrf(ctx, out->M);
}

/* ---- either ---- */

rung_status graph_response_weights(rung_ctx *ctx, const graph_response *r, int64_t k, const double *c, double *z)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *C = NULL, *FC = NULL;
    if (r->F) {
        TRY(la_new(ctx, &ctx->scratch, r->W->n, k, &C));
        TRY(la_new(ctx, &ctx->scratch, r->rank, k, &FC));
        la_put(c, C);
        TRY(la_gemm(ctx, true, false, 1, r->F, C, 0, FC));
        la_get(FC, z);
    } else {
        TRY(landmark_pull(ctx, r, k, c, z));
    }
    TRY(la_potrs(ctx, r->M, k, z));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status graph_response_apply(rung_ctx *ctx, const graph_response *r, int64_t k, const double *c, double *f,
                                 double *a)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *z = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, z, r->rank * k));
    TRY(graph_response_weights(ctx, r, k, c, z));
    TRY(r->F ? la_mul(ctx, 1, r->F, k, z, 0, f) : landmark_scores(ctx, r, k, z, f));
    TRY(penalty_apply(ctx, r->W, k, f, a));
    for (int64_t i = 0; i < r->W->n * k; i++) a[i] = c[i] - a[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status graph_response_block(rung_ctx *ctx, const graph_response *r, int64_t l, const int64_t *rows, double *G)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *some = NULL, *half = NULL, *block = NULL;
    TRY(la_new(ctx, &ctx->scratch, r->rank, l, &half));
    if (r->F) {
        TRY(la_new(ctx, &ctx->scratch, l, r->rank, &some));
        TRY(la_gather(ctx, r->F, rows, NULL, some));
        TRY(la_transpose(ctx, some, half));
        la_free(&ctx->scratch, some);
    } else {
        TRY(landmark_rows(ctx, r, l, rows, half));
    }
    TRY(la_trsm(ctx, r->M, false, half));
    TRY(la_new(ctx, &ctx->scratch, l, l, &block));
    TRY(la_syrk(ctx, true, 1, half, 0, block));
    la_get(block, G);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
