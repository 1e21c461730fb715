// SPDX-License-Identifier: BSD-3-Clause
#include "method/projection/manifold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The width of exp(-d^2 / (2 width^2)) for a mean squared distance; any width will do if all neighbours are
 * duplicates. */
static double width_of(double square) { return square > 0 ? sqrt(square) : 1; }

rung_status heat_graph(rung_ctx *ctx, problem *p, int64_t neighbours_, const la_csr **out)
{
    problem_graph g = {
        .space = {.kind = SPACE_INPUT}, .neighbours = neighbours_, .rule = GRAPH_OR, .weight = EDGE_GAUSSIAN};
    neighbours nb;
    TRY(problem_neighbours(ctx, p, &g.space, neighbours_, &nb));
    g.width = width_of(neighbours_mean_square(&nb));
    return problem_edges(ctx, p, &g, out, NULL);
}

/* ---- reconstruction ---- */

static rung_status csr_room(rung_ctx *ctx, int64_t n, int64_t entries, la_csr *out)
{
    *out = (la_csr){.rows = n, .cols = n};
    TRY(NEW(ctx, &ctx->scratch, out->start, n + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->col, entries));
    return NEW_RAW(ctx, &ctx->scratch, out->value, entries);
}

static rung_status csr_transposed(rung_ctx *ctx, const la_csr *A, la_csr *out)
{
    int64_t n = A->rows, *next = NULL;
    TRY(csr_room(ctx, n, A->start[n], out));
    TRY(NEW(ctx, &ctx->scratch, next, n + 1));
    for (int64_t e = 0; e < A->start[n]; e++) out->start[A->col[e] + 1]++;
    for (int64_t i = 0; i < n; i++) out->start[i + 1] += out->start[i];
    memcpy(next, out->start, (size_t)n * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            int64_t to = next[A->col[e]]++;
            out->col[to] = i;
            out->value[to] = A->value[e];
        }
    return RUNG_OK;
}

/* w (k) for row i: G w = 1, made to sum to 1, with G_ab = (x_a - x_i)'(x_b - x_i). G has room for k x k, Z for d x k.
 */
static rung_status rebuild_row(rung_ctx *ctx, const problem *p, int64_t k, int64_t i, const int64_t *near, double *Z,
                               double *G, double *w)
{
    int64_t d = p->d;
    double trace = 0, sum = 0;
    for (int64_t a = 0; a < k; a++)
        for (int64_t j = 0; j < d; j++) Z[j + a * d] = p->X[j + near[a] * d] - p->X[j + i * d];
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = 0; b <= a; b++) {
            double s = 0;
            for (int64_t j = 0; j < d; j++) s += Z[j + a * d] * Z[j + b * d];
            G[a + b * k] = G[b + a * k] = s;
            if (a == b) trace += s;
        }
    for (int64_t a = 0; a < k; a++) {
        G[a + a * k] += trace > 0 ? 1e-3 * trace : 1;
        w[a] = 1;
    }
    TRY(la_small_spd_solve(ctx, (int)k, G, 1, w));
    for (int64_t a = 0; a < k; a++) sum += w[a];
    for (int64_t a = 0; a < k; a++) w[a] /= sum;
    return RUNG_OK;
}

/* Row i of I - W: its k neighbours and itself, columns ascending. */
static void put_row(la_csr *S, int64_t i, int64_t k, const int64_t *near, const double *w)
{
    int64_t first = i * (k + 1), end = first;
    for (int64_t a = 0; a <= k; a++, end++) {
        int64_t j = a < k ? near[a] : i, at = end;
        for (; at > first && S->col[at - 1] > j; at--) {
            S->col[at] = S->col[at - 1];
            S->value[at] = S->value[at - 1];
        }
        S->col[at] = j;
        S->value[at] = a < k ? -w[a] : 1;
    }
    S->start[i + 1] = end;
}

rung_status reconstruction(rung_ctx *ctx, problem *p, int64_t neighbours_, la_csr *out, la_csr *transposed)
{
    problem_space space = {.kind = SPACE_INPUT};
    neighbours nb;
    TRY(problem_neighbours(ctx, p, &space, neighbours_, &nb));
    TRY(csr_room(ctx, p->n, p->n * (nb.k + 1), out));
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = p->n, k = nb.k, room = p->d * k + k * k + k, chunks = ctx->threads < n ? ctx->threads : n;
    double *work = NULL;
    rung_status *status = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, work, chunks * room));
    TRY(NEW(ctx, &ctx->scratch, status, chunks));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (n * k * k * p->d > 100000)
    for (int64_t c = 0; c < chunks; c++) { /* each with its own room; a row does not depend on its chunk */
        double *Z = work + c * room, *G = Z + p->d * k, *w = G + k * k;
        for (int64_t i = c; i < n && status[c] == RUNG_OK && !stop_asked(ctx); i += chunks) {
            const int64_t *near = nb.index + i * nb.stride;
            status[c] = rebuild_row(ctx, p, k, i, near, Z, G, w);
            put_row(out, i, k, near, w);
        }
    }
    for (int64_t c = 0; c < chunks; c++) TRY(status[c]);
    pool_release(&ctx->scratch, mark);
    TRY(interrupted(ctx));
    return csr_transposed(ctx, out, transposed);
}

/* ---- ordinal graph ---- */

/* A matrix whose kernel distances are the multiplied ones: -1/2 times them, and 0 on the diagonal. */
static rung_status stretched_kernel(rung_ctx *ctx, const problem *p, const la_mat *K, const double *stretch, la_mat *S)
{
    int64_t n = p->n;
    double *diagonal = NULL, *pairs = NULL;
    la_mat *left = NULL, *right = NULL, *factor = NULL;
    TRY(NEW(ctx, &ctx->scratch, diagonal, n));
    TRY(NEW(ctx, &ctx->scratch, pairs, 2 * n));
    TRY(la_new(ctx, &ctx->scratch, n, 2, &left));
    TRY(la_new(ctx, &ctx->scratch, n, 2, &right));
    TRY(la_new(ctx, &ctx->scratch, n, n, &factor));
    la_diagonal(K, diagonal);
    for (int64_t i = 0; i < n; i++) {
        pairs[i] = diagonal[i];
        pairs[n + i] = 1;
    }
    la_put(pairs, left);
    for (int64_t i = 0; i < n; i++) {
        pairs[i] = 1;
        pairs[n + i] = diagonal[i];
    }
    la_put(pairs, right);
    TRY(la_scale_add(ctx, 1, K, 0, S));
    TRY(la_gemm(ctx, false, true, -0.5, left, right, 1, S)); /* K_ij - (K_ii + K_jj) / 2 */
    TRY(la_lookup(ctx, p->K + 1, stretch, p->y, p->y, factor));
    return la_hadamard(ctx, factor, S);
}

/* K: the kernel matrix distances are those of; NULL: between the rows. */
static rung_status ordinal_neighbours(rung_ctx *ctx, const problem *p, const la_mat *K, int64_t k, neighbours *out)
{
    point_set X = problem_points(p);
    ranked_rows ranked = problem_ranks(p);
    double *stretch;
    la_mat *S = NULL;
    if (!K) return neighbours_ordinal(ctx, &ctx->scratch, &X, &ranked, k, out);
    TRY(rank_stretch(ctx, p->K, &stretch));
    TRY(la_new(ctx, &ctx->scratch, p->n, p->n, &S));
    TRY(stretched_kernel(ctx, p, K, stretch, S));
    TRY(neighbours_in_kernel(ctx, &ctx->scratch, S, k, out));
    la_free(&ctx->scratch, S);
    return RUNG_OK;
}

rung_status ordinal_laplacian(rung_ctx *ctx, const problem *p, const la_mat *K, int64_t neighbours_, la_csr *out,
                              double *sigma)
{
    neighbours nb;
    la_csr A;
    TRY(ordinal_neighbours(ctx, p, K, neighbours_, &nb));
    *sigma = neighbours_mean_square(&nb);
    TRY(graph_edges(ctx, &ctx->scratch, &nb, GRAPH_AND, EDGE_GAUSSIAN, width_of(*sigma), &A));
    return graph_laplacian(ctx, &ctx->scratch, &A, LAPLACIAN_PLAIN, out);
}
