// SPDX-License-Identifier: BSD-3-Clause
/* Shortest paths against Floyd and Warshall, the spanning tree against the rule that each of its edges is the shortest
 * across the cut it closes. */
#include "helper.h"

#include "base/rng.h"
#include "graph/paths.h"

enum { N = 70, D = 2 };

static double X[D * N];

static void draw(bool ties)
{
    rng r;
    rng_open(&r, 8, 0);
    for (int i = 0; i < D * N; i++) X[i] = ties ? (double)rng_below(&r, 6) : rng_normal(&r) + (i / D % 2 ? 0 : 30);
}

static double squared(int64_t i, int64_t j)
{
    double s = 0;
    for (int c = 0; c < D; c++) s += (X[c + i * D] - X[c + j * D]) * (X[c + i * D] - X[c + j * D]);
    return s;
}

static void graph_of(rung_ctx *ctx, la_csr *out)
{
    neighbours nb;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, 3, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_SQUARED, 0, out));
}

static void floyd(const la_csr *G, double *P)
{
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) P[i + j * N] = i == j ? 0 : INFINITY;
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = G->start[i]; e < G->start[i + 1]; e++) P[i + G->col[e] * N] = sqrt(G->value[e]);
    for (int64_t h = 0; h < N; h++)
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) P[i + j * N] = fmin(P[i + j * N], P[i + h * N] + P[h + j * N]);
}

static void shortest_paths(void **state)
{
    rung_ctx *ctx = *state;
    for (int ties = 0; ties < 2; ties++) {
        la_csr G, C;
        static double P[N * N], got[N * N], first[N * N];
        la_mat *A = NULL;
        draw(ties);
        graph_of(ctx, &G);
        assert_ok(ctx, graph_connected(ctx, &ctx->scratch, &G, D, X, &C));
        assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &A));
        floyd(&C, P);
        for (int threads = 1; threads <= 3; threads++) {
            ctx->threads = threads;
            assert_ok(ctx, graph_geodesics(ctx, &C, A));
            la_get(A, got);
            for (int i = 0; i < N * N; i++) assert_close(sqrt(got[i]), P[i], 1e-13);
            if (threads == 1) memcpy(first, got, sizeof first);
            assert_memory_equal(first, got, sizeof first);
        }
    }
}

/* Two clouds: not reached is as far as the farthest reached. */
static void islands(void **state)
{
    rung_ctx *ctx = *state;
    la_csr G;
    static double P[N * N], got[N * N];
    double farthest = 0;
    int64_t apart = 0;
    la_mat *A = NULL;
    draw(false);
    graph_of(ctx, &G);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &A));
    assert_ok(ctx, graph_geodesics(ctx, &G, A));
    la_get(A, got);
    floyd(&G, P);
    for (int i = 0; i < N * N; i++)
        if (isfinite(P[i])) farthest = fmax(farthest, P[i]);
    for (int i = 0; i < N * N; i++) {
        apart += !isfinite(P[i]);
        assert_close(sqrt(got[i]), isfinite(P[i]) ? P[i] : farthest, 1e-13);
    }
    assert_true(apart > 0);
}

/* Over an empty graph the tree is all there is: n - 1 edges, connected, and no pair is nearer than the longest edge on
 * its path. */
static void the_tree_is_minimal(void **state)
{
    rung_ctx *ctx = *state;
    int64_t none[N + 1] = {0};
    double nothing = 0;
    la_csr empty = {.rows = N, .cols = N, .start = none, .col = none, .value = &nothing}, T, G, C;
    for (int ties = 0; ties < 2; ties++) {
        static double longest[N * N];
        draw(ties);
        assert_ok(ctx, graph_connected(ctx, &ctx->scratch, &empty, D, X, &T));
        assert_int_equal(T.start[N], 2 * (N - 1));
        for (int i = 0; i < N * N; i++) longest[i] = i % (N + 1) ? INFINITY : 0;
        for (int64_t i = 0; i < N; i++)
            for (int64_t e = T.start[i]; e < T.start[i + 1]; e++) {
                assert_true(e == T.start[i] || T.col[e] > T.col[e - 1]);
                assert_true(T.value[e] == squared(i, T.col[e]));
                longest[i + T.col[e] * N] = T.value[e];
            }
        for (int h = 0; h < N; h++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    longest[i + j * N] = fmin(longest[i + j * N], fmax(longest[i + h * N], longest[h + j * N]));
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_true(isfinite(longest[i + j * N]) && longest[i + j * N] <= squared(i, j));
        graph_of(ctx, &G); /* with a graph: the union, each edge once */
        assert_ok(ctx, graph_connected(ctx, &ctx->scratch, &G, D, X, &C));
        static bool edge[N * N];
        int64_t count = 0;
        memset(edge, 0, sizeof edge);
        for (int64_t i = 0; i < N; i++) {
            for (int64_t e = G.start[i]; e < G.start[i + 1]; e++) edge[i + G.col[e] * N] = true;
            for (int64_t e = T.start[i]; e < T.start[i + 1]; e++) edge[i + T.col[e] * N] = true;
        }
        for (int i = 0; i < N * N; i++) count += edge[i];
        assert_int_equal(C.start[N], count);
        for (int64_t i = 0; i < N; i++)
            for (int64_t e = C.start[i]; e < C.start[i + 1]; e++) {
                assert_true(edge[i + C.col[e] * N] && C.value[e] == squared(i, C.col[e]));
                assert_true(e == C.start[i] || C.col[e] > C.col[e - 1]);
            }
    }
}

static rung_status every_allocation(void *unused)
{
    (void)unused;
    rung_ctx *ctx = NULL;
    int64_t none[N + 1] = {0};
    double nothing = 0;
    la_csr empty = {.rows = N, .cols = N, .start = none, .col = none, .value = &nothing}, T;
    la_mat *A = NULL;
    rung_status s = context_new(&ctx);
    if (s == RUNG_OK) s = la_new(ctx, &ctx->scratch, N, N, &A);
    if (s == RUNG_OK) s = graph_connected(ctx, &ctx->scratch, &empty, D, X, &T);
    if (s == RUNG_OK) s = graph_geodesics(ctx, &T, A);
    context_free(ctx);
    return s;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    draw(false);
    assert_true(fail_each_allocation(every_allocation, NULL) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(shortest_paths),
        WITH_CONTEXT(islands),
        WITH_CONTEXT(the_tree_is_minimal),
        cmocka_unit_test(every_allocation_fails),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
