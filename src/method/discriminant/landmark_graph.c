// SPDX-License-Identifier: BSD-3-Clause
/* landmark_graph.c - removing held-out rows from the graph: their edges, and with a plain Laplacian the weights of
 * these on the diagonals of their neighbours. Batches of rows are removed one after the other, so that an edge between
 * two of them is removed once. */
#include "method/discriminant/landmark_graph.h"

#include <math.h>
#include <string.h>

enum { EDGE_BATCH = 256 };

typedef struct {
    bool *gone;
    double *diagonal; /* of the Laplacian, as rows leave it */
    int64_t *place;   /* of a row in the batch's list, -1: not in it */
} graph_state;

static rung_status graph_state_new(rung_ctx *ctx, const la_csr *L, graph_state *out)
{
    TRY(NEW(ctx, &ctx->scratch, out->gone, L->rows));
    TRY(NEW(ctx, &ctx->scratch, out->diagonal, L->rows));
    TRY(NEW(ctx, &ctx->scratch, out->place, L->rows));
    for (int64_t i = 0; i < L->rows; i++) {
        out->place[i] = -1;
        for (int64_t e = L->start[i]; e < L->start[i + 1]; e++)
            if (L->col[e] == i) out->diagonal[i] = L->value[e];
    }
    return RUNG_OK;
}

/* A plain Laplacian's row loses the weight of an edge with it; a normalised one keeps its 1. */
static bool is_plain(const la_csr *L)
{
    double sum = 0, size = 0;
    for (int64_t e = 0; e < L->start[L->rows]; e++) {
        sum += L->value[e];
        size += fabs(L->value[e]);
    }
    return fabs(sum) <= 1e-9 * size;
}

/* The change when a batch of rows is removed, D = sum_i (e_i y_i' + y_i e_i') + diag(lost): y_i over the rows of the
 * list. */
typedef struct {
    int64_t *rows, n; /* the list: the batch, then its neighbours */
    la_csr y;
    double *lost;
} batch_edges;

static int64_t listed(graph_state *g, batch_edges *b, int64_t row)
{
    if (g->place[row] < 0) {
        g->place[row] = b->n;
        b->rows[b->n++] = row;
    }
    return g->place[row];
}

static rung_status collect_edges(rung_ctx *ctx, const la_csr *L, bool plain, graph_state *g, int64_t h,
                                 const int64_t *held, batch_edges *out)
{
    int64_t room = h, at = 0;
    for (int64_t i = 0; i < h; i++) room += L->start[held[i] + 1] - L->start[held[i]];
    *out = (batch_edges){0};
    TRY(NEW(ctx, &ctx->scratch, out->rows, room));
    TRY(NEW(ctx, &ctx->scratch, out->lost, room));
    TRY(NEW(ctx, &ctx->scratch, out->y.start, h + 1));
    TRY(NEW(ctx, &ctx->scratch, out->y.col, room));
    TRY(NEW(ctx, &ctx->scratch, out->y.value, room));
    out->y.rows = h;
    for (int64_t i = 0; i < h; i++) listed(g, out, held[i]);
    for (int64_t i = 0; i < h; i++) {
        int64_t row = held[i];
        for (int64_t e = L->start[row]; e < L->start[row + 1]; e++) {
            int64_t j = L->col[e];
            if (g->gone[j]) continue;
            int64_t place = listed(g, out, j);
            out->y.col[at] = place;
            out->y.value[at++] = j == row ? g->diagonal[row] / 2 : L->value[e];
            if (j == row || !plain) continue;
            out->lost[place] -= L->value[e];
            g->diagonal[j] += L->value[e];
        }
        g->gone[row] = true;
        out->y.start[i + 1] = at;
    }
    out->y.cols = out->n;
    for (int64_t i = 0; i < out->n; i++) g->place[out->rows[i]] = -1;
    return RUNG_OK;
}

/* M -= Phi D Phi'. */
static rung_status take_edges(rung_ctx *ctx, const landmarks *l, const problem *p, int64_t h, const batch_edges *b,
                              la_mat *M)
{
    int64_t m = l->m, d = p->d;
    double *X = NULL, *root = NULL;
    la_mat *Phi = NULL, *own = NULL, *Y = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, d * b->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, root, b->n));
    TRY(la_new(ctx, &ctx->scratch, m, b->n, &Phi));
    TRY(la_new(ctx, &ctx->scratch, m, h, &own));
    TRY(la_new(ctx, &ctx->scratch, m, h, &Y));
    for (int64_t i = 0; i < b->n; i++) {
        memcpy(X + i * d, p->X + b->rows[i] * d, (size_t)d * sizeof *X);
        root[i] = sqrt(fmax(b->lost[i], 0));
    }
    TRY(landmarks_features(ctx, l, b->n, X, Phi));
    TRY(la_gather(ctx, Phi, NULL, NULL, own)); /* the batch comes first in the list */
    TRY(la_mul_csr(ctx, Phi, &b->y, 0, Y));
    TRY(la_gemm(ctx, false, true, -1, own, Y, 1, M));
    TRY(la_gemm(ctx, false, true, -1, Y, own, 1, M));
    TRY(la_scale(ctx, NULL, root, Phi));
    return la_syrk(ctx, false, -1, Phi, 1, M);
}

rung_status landmark_graph_without(rung_ctx *ctx, const landmarks *l, const problem *p, const la_csr *L, int64_t h,
                                   const int64_t *held, la_mat *M)
{
    pool_mark mark = pool_here(&ctx->scratch);
    graph_state g;
    bool plain = is_plain(L);
    TRY(graph_state_new(ctx, L, &g));
    for (int64_t i = 0; i < h; i += EDGE_BATCH) {
        pool_mark here = pool_here(&ctx->scratch);
        int64_t count = h - i < EDGE_BATCH ? h - i : EDGE_BATCH;
        batch_edges b;
        TRY(interrupted(ctx));
        TRY(collect_edges(ctx, L, plain, &g, count, held + i, &b));
        TRY(take_edges(ctx, l, p, count, &b, M));
        pool_release(&ctx->scratch, here);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
