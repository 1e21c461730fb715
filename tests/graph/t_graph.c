// SPDX-License-Identifier: BSD-3-Clause
/* Neighbours with ties, graphs and Laplacians by definition, conjugate gradients, label propagation. */
#include "helper.h"

#include "base/rng.h"
#include "graph/propagate.h"

enum { D = 2 };

static double *room(rung_ctx *ctx, int64_t n)
{
    double *v = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    return v;
}

/* A lattice with duplicates: almost every distance is tied. */
static double *lattice(rung_ctx *ctx, int64_t n)
{
    double *X = room(ctx, D * n);
    rng r;
    rng_open(&r, 2, (uint64_t)n);
    for (int64_t i = 0; i < D * n; i++) X[i] = (double)rng_below(&r, 5) - 2;
    return X;
}

static double *cloud(rung_ctx *ctx, int64_t n)
{
    double *X = room(ctx, D * n);
    rng r;
    rng_open(&r, 4, (uint64_t)n);
    for (int64_t i = 0; i < D * n; i++) X[i] = rng_normal(&r);
    return X;
}

static double squared(const double *X, int64_t i, int64_t j)
{
    double s = 0;
    for (int64_t c = 0; c < D; c++) s += (X[c + i * D] - X[c + j * D]) * (X[c + i * D] - X[c + j * D]);
    return s;
}

/* Row i's place of j among the others, by (distance, index). */
static int64_t rank_of(int64_t n, const double *X, const int *y, int64_t i, int64_t j)
{
    int64_t before = 0;
#define DISTANCE(h) (squared(X, i, h) * (y ? (abs(y[i] - y[h]) + 1) * (abs(y[i] - y[h]) + 1) : 1))
    for (int64_t h = 0; h < n; h++)
        before += h != i && (DISTANCE(h) < DISTANCE(j) || (DISTANCE(h) == DISTANCE(j) && h < j));
#undef DISTANCE
    return before;
}

static void check_lists(const neighbours *nb, int64_t n, int64_t k, const double *X, const int *y)
{
    assert_int_equal(nb->n, n);
    assert_int_equal(nb->k, k);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) {
            int64_t j = nb->index[i * nb->stride + c];
            assert_true(j != i);
            assert_int_equal(rank_of(n, X, y, i, j), c);
            if (!y) assert_true(nb->d2[i * nb->stride + c] == squared(X, i, j));
        }
}

static void neighbours_with_ties(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t sizes[] = {1, 2, 3, 40, 150};
    for (int s = 0; s < 5; s++)
        for (int64_t k = 1; k <= 1000; k *= 10) {
            int64_t n = sizes[s], most = k < n - 1 ? k : n - 1;
            double *X = lattice(ctx, n);
            neighbours nb;
            int *y = NULL;
            assert_ok(ctx, NEW(ctx, &ctx->scratch, y, n));
            for (int64_t i = 0; i < n; i++) y[i] = 1 + (int)(i * i % 3);
            assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, n, X, k, &nb));
            check_lists(&nb, n, most, X, NULL);
            assert_ok(ctx, neighbours_ordinal(ctx, &ctx->scratch, &(point_set){D, n, X},
                                              &(ranked_rows){.n = n, .y = y, .K = 3}, k, &nb));
            check_lists(&nb, n, most, X, y);
        }
}

/* The data of a golden case with ties, and with it the graph's edges: x1, x2, label. */
static void golden_ties(void **state)
{
    rung_ctx *ctx = *state;
    FILE *file = fopen(GOLDEN("cases/sdl_ties/train.csv"), "r");
    assert_non_null(file);
    char line[100];
    double X[200];
    int64_t n = 0;
    assert_non_null(fgets(line, sizeof line, file));
    while (n < 100 && fgets(line, sizeof line, file) && sscanf(line, "%lf,%lf", &X[2 * n], &X[2 * n + 1]) == 2) n++;
    fclose(file);
    assert_int_equal(n, 40);
    neighbours nb;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, n, X, 3, &nb));
    check_lists(&nb, n, 3, X, NULL);
}

/* Some rows' neighbours among themselves: told from the lists where they reach, computed where not. */
static void subsets_reselect(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 120, m = 0, rows[120], some = 0;
    row_list missing = {0};
    double *X = lattice(ctx, n), *part = room(ctx, D * n), gram[120 * 120];
    neighbours all, sub, again;
    la_mat *K = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, missing.row, n));
    for (int64_t i = 0; i < n; i++)
        if (i % 4) rows[m++] = i;
    for (int64_t i = 0; i < m; i++) memcpy(part + i * D, X + rows[i] * D, D * sizeof *X);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, m, m, &K));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) gram[i + j * m] = part[i * D] * part[j * D] + part[i * D + 1] * part[j * D + 1];
    la_put(gram, K);
    for (int64_t room_for = 6; room_for <= 12; room_for += 3) {
        assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, n, X, room_for, &all));
        assert_ok(ctx, neighbours_subset(ctx, &ctx->scratch, &all, m, rows, 6, &sub, &missing));
        assert_ok(ctx, neighbours_complete(ctx, &sub, D, part, &missing));
        check_lists(&sub, m, 6, part, NULL);
        assert_ok(ctx, neighbours_subset(ctx, &ctx->scratch, &all, m, rows, 6, &again, &missing));
        assert_ok(ctx, neighbours_complete_in_kernel(ctx, &again, K, &missing));
        check_lists(&again, m, 6, part, NULL);
        some += missing.n > 0 && missing.n < m;
    }
    assert_true(some > 0);
}

static void widths(void **state)
{
    rung_ctx *ctx = *state;
    double d2[8] = {9, 1, 9, 4, 9, 9, 9, 16}, none[3] = {0, 0, 4}, zero[3] = {0}, width;
    int64_t index[8] = {0};
    neighbours four = {.n = 4, .k = 2, .stride = 2, .index = index, .d2 = d2}, odd = {3, 1, 1, index, none},
               same = {3, 1, 1, index, zero};
    assert_ok(ctx, neighbours_median(ctx, &four, &width));
    assert_true(width == 2.5);
    assert_true(neighbours_mean_square(&four) == 7.5);
    assert_ok(ctx, neighbours_median(ctx, &odd, &width)); /* median 0: the mean of the positive ones */
    assert_true(width == 2);
    assert_ok(ctx, neighbours_median(ctx, &same, &width));
    assert_true(width == 1);
    la_csr S; /* a width whose square is 0: equal rows are still equal */
    neighbours pairs = {3, 1, 1, (int64_t[]){1, 0, 0}, none};
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &pairs, GRAPH_OR, EDGE_GAUSSIAN, 1e-200, &S));
    assert_int_equal(S.start[3], 4);
    for (int e = 0; e < 4; e++) assert_true(S.value[e] == (e % 2 == 0)); /* 0-1, 0-2, 1-0, 2-0 */
}

static double *dense(rung_ctx *ctx, const la_csr *S)
{
    double *A = room(ctx, S->rows * S->cols);
    for (int64_t i = 0; i < S->rows; i++)
        for (int64_t e = S->start[i]; e < S->start[i + 1]; e++) {
            assert_true(e == S->start[i] || S->col[e] > S->col[e - 1]);
            A[i + S->col[e] * S->rows] = S->value[e];
        }
    return A;
}

static void edges_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 60, k = 4;
    double *X = lattice(ctx, n), width = 1.3;
    neighbours nb;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, n, X, k, &nb));
    for (int rule = 0; rule < 2; rule++)
        for (int weight = 0; weight < 3; weight++) {
            la_csr S;
            assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, (graph_rule)rule, (edge_weight)weight, width, &S));
            double *A = dense(ctx, &S);
            int64_t entries = 0;
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) {
                    bool there = i != j && rank_of(n, X, NULL, i, j) < k,
                         back = i != j && rank_of(n, X, NULL, j, i) < k;
                    bool joined = rule == GRAPH_OR ? there || back : there && back;
                    double d2 = squared(X, i, j), value = weight == EDGE_BINARY    ? 1
                                                          : weight == EDGE_SQUARED ? d2
                                                                                   : exp(-d2 / (2 * width * width));
                    assert_true(A[i + j * n] == (joined ? value : 0));
                    entries += joined;
                }
            assert_int_equal(S.start[n], entries);
        }
}

/* Rows sum to 0, x'Lx = 1/2 sum S_ij (x_i - x_j)^2 >= 0; a point alone has a zero row. */
static void laplacians(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 80;
    double *X = cloud(ctx, n);
    neighbours nb;
    la_csr S, L;
    X[0] = X[1] = 1e3; /* nobody's neighbour: alone under the and-rule */
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, n, X, 3, &nb));
    for (int rule = 0; rule < 2; rule++)
        for (int weight = 0; weight < 2; weight++)
            for (int norm = 0; norm < 2; norm++) {
                assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, (graph_rule)rule, (edge_weight)weight, 0.7, &S));
                assert_ok(ctx, graph_laplacian(ctx, &ctx->scratch, &S, (laplacian_norm)norm, &L));
                double *A = dense(ctx, &L), *W = dense(ctx, &S), *degree = room(ctx, n), form = 0, want = 0, *v = X;
                graph_degrees(&S, degree);
                for (int64_t i = 0; i < n; i++) {
                    double sum = 0;
                    for (int64_t j = 0; j < n; j++) {
                        double root_i = degree[i] > 0 ? sqrt(degree[i]) : 1,
                               root_j = degree[j] > 0 ? sqrt(degree[j]) : 1;
                        double xi = norm ? v[i] / root_i : v[i], xj = norm ? v[j] / root_j : v[j];
                        sum += A[i + j * n] * (norm ? sqrt(degree[j]) : 1);
                        form += v[i] * A[i + j * n] * v[j];
                        want += 0.5 * W[i + j * n] * (xi - xj) * (xi - xj);
                        assert_true(A[i + j * n] == A[j + i * n]);
                        if (degree[i] == 0) assert_true(A[i + j * n] == 0);
                    }
                    assert_true(weight == 0 && norm == 0 ? sum == 0 : fabs(sum) < 1e-14);
                }
                assert_true(want >= 0 && fabs(form - want) <= 1e-11 * (1 + want));
                if (rule == GRAPH_AND) assert_true(degree[0] == 0);
                la_mat *M = NULL;
                double values[80];
                assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &M));
                la_put(A, M);
                assert_ok(ctx, la_eigen(ctx, M, n, values, NULL));
                assert_true(values[n - 1] > -1e-13 * values[0]);
            }
}

/* ---- label propagation ---- */

/* F = (I - aS)^-1 Y by Gauss-Jordan, as published or with columns of equal mass. */
static void propagate_by_definition(rung_ctx *ctx, int64_t n, int K, const double *W, const int *y, double a, bool mass,
                                    double *U)
{
    double *A = room(ctx, n * n), *degree = room(ctx, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) degree[i] += W[i + j * n];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            A[i + j * n] = (i == j) - (W[i + j * n] > 0 ? a * W[i + j * n] / sqrt(degree[i] * degree[j]) : 0);
    for (int64_t i = 0; i < n; i++)
        for (int q = 0; q < K; q++) U[i + q * n] = y[i] == q + 1;
    for (int64_t p = 0; p < n; p++) {
        double pivot = A[p + p * n];
        for (int64_t j = 0; j < n; j++) A[p + j * n] /= pivot;
        for (int q = 0; q < K; q++) U[p + q * n] /= pivot;
        for (int64_t i = 0; i < n; i++) {
            double f = A[i + p * n];
            if (i == p || f == 0) continue;
            for (int64_t j = 0; j < n; j++) A[i + j * n] -= f * A[p + j * n];
            for (int q = 0; q < K; q++) U[i + q * n] -= f * U[p + q * n];
        }
    }
    for (int q = 0; q < K && mass; q++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += U[i + q * n];
        for (int64_t i = 0; i < n; i++) U[i + q * n] /= sum;
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int q = 0; q < K; q++) sum += U[i + q * n];
        for (int q = 0; q < K; q++) U[i + q * n] = y[i] ? y[i] == q + 1 : sum > 0 ? U[i + q * n] / sum : 1.0 / K;
    }
}

static void spreading_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 70, Q = 3 };
    double *X = cloud(ctx, N), *W = room(ctx, N * N), want[N * Q], got[N * Q], width = 0.6;
    int y[N] = {0};
    for (int i = 0; i < 12; i++) y[i * 5] = 1 + (i % 5 == 1) + 2 * (i % 5 == 3);
    X[2 * 69] = 500; /* too far for anybody's label */
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) W[i + j * N] = i == j ? 0 : exp(-squared(X, i, j) / (2 * width * width));
    propagate_by_definition(ctx, N, Q, W, y, 0.99, false, want);
    assert_ok(ctx,
              propagate_dense(ctx, &(point_set){D, N, X}, &(ranked_rows){.n = N, .y = y, .K = Q}, width, 0.99, got));
    assert_arrays_close(N * Q, got, want, 1e-11);
    assert_true(got[69] == 1.0 / 3);

    neighbours nb;
    la_csr S;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N - 1, X, 6, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_GAUSSIAN, width, &S));
    propagate_by_definition(ctx, N - 1, Q, dense(ctx, &S), y, 0.99, true, want);
    double first[N * Q];
    for (int threads = 1; threads <= 3; threads++) {
        ctx->threads = threads;
        assert_ok(ctx, propagate_graph(ctx, &S, Q, y, 0.99, got));
        assert_arrays_close((N - 1) * Q, got, want, 1e-8);
        if (threads == 1) memcpy(first, got, sizeof first);
        assert_memory_equal(first, got, sizeof *got * (N - 1) * Q);
    }
}

/* Along a path the scores fall by 250 powers of ten, their shares are those of the definition all the same, and no row
 * is left without a label; another path hears nothing of the first. */
static void spreading_far(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 600, PATH = 400, Q = 3 };
    double *W = room(ctx, N * N), *want = room(ctx, N * Q), *got = room(ctx, N * Q), *F = room(ctx, N * Q),
           *X = room(ctx, 2 * N), others[3 * Q];
    int *y;
    neighbours nb;
    la_csr S;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, y, N));
    for (int64_t i = 0; i < N; i++) {
        X[2 * i] = (double)(i % PATH);
        X[2 * i + 1] = i < PATH ? 0 : 1000;
    }
    y[0] = 1;
    y[PATH - 30] = 2;
    y[PATH] = 3;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, 2, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_BINARY, 1, &S));
    memcpy(W, dense(ctx, &S), sizeof *W * N * N);
    propagate_by_definition(ctx, N, Q, W, y, 0.1, true, want);
    assert_ok(ctx, propagate_graph(ctx, &S, Q, y, 0.1, got));
    assert_arrays_close(N * Q, got, want, 1e-4);
    for (int64_t i = 0; i < N; i++) /* half way between the two labels neither wins */
        assert_true(i == (PATH - 30) / 2 || got[i + (i < (PATH - 30) / 2 ? 0 : i < PATH ? 1 : 2) * N] > 0.5);
    assert_ok(ctx, propagate_scores(ctx, &S, &(propagation){.K = Q, .y = y, .spread = 0.1}, F, others));
    for (int64_t i = 0; i < N; i++) assert_true(F[i] + F[i + N] + F[i + 2 * N] > 0);
}

/* A class that no row is labelled as, and points without neighbours. */
static void spreading_of_nothing(void **state)
{
    rung_ctx *ctx = *state;
    static const double X[] = {0, 0, 1, 0, 2, 0, 3, 0};
    static const int y[] = {1, 0, 0, 3};
    double U[12], one[2] = {1, 1}, width;
    neighbours nb;
    la_csr W;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, 4, X, 1, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_BINARY, 0, &W));
    assert_ok(ctx, propagate_graph(ctx, &W, 3, y, 0.9, U));
    for (int i = 0; i < 4; i++) {
        assert_true(U[i + 4] == 0);
        assert_close(U[i] + U[i + 8], 1, 1e-12);
        assert_close(U[i], U[3 - i + 8], 1e-9); /* by symmetry */
    }
    assert_true(U[1] > U[2]);

    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, 1, one, 5, &nb));
    assert_int_equal(nb.k, 0);
    assert_ok(ctx, neighbours_median(ctx, &nb, &width));
    assert_true(width == 1 && neighbours_mean_square(&nb) == 0);
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, 0, one, 5, &nb));
    assert_ok(ctx, neighbours_median(ctx, &nb, &width));
    assert_true(width == 1 && neighbours_mean_square(&nb) == 0);
}

/* What arrives: F by its definition, and without a row's own label by taking that label away. */
static void scores_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 70, Q = 3, L = 12 };
    double *X = cloud(ctx, N), F[2][N * Q], others[2][L * Q], x[N * Q], Y[N * Q], width = 0.6;
    int y[N] = {0};
    int64_t row[L];
    neighbours nb;
    la_csr S, A;
    for (int i = 0; i < L; i++) {
        row[i] = i == L - 1 ? N - 1 : i * 5;
        y[row[i]] = 1 + i % Q;
    }
    X[2 * (N - 1)] = 500; /* its edges have weight 0: nothing arrives but its own label */
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, 6, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_GAUSSIAN, width, &S));
    for (int way = 0; way < 2; way++) {
        ctx->threads = 1 + way;
        assert_ok(ctx,
                  propagate_scores(ctx, &S, &(propagation){.K = Q, .y = y, .spread = 0.99, .dense = way == 0 ? N : 0},
                                   F[way], others[way]));
    }
    assert_arrays_close(N * Q, F[1], F[0], 1e-8);
    assert_arrays_close(L * Q, others[1], others[0], 1e-8);
    assert_ok(ctx, graph_laplacian(ctx, &ctx->scratch, &S, LAPLACIAN_NORMALISED, &A));
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = A.start[i]; e < A.start[i + 1]; e++) A.value[e] = A.col[e] == i ? 1 : 0.99 * A.value[e];
    for (int left_out = -1; left_out < L; left_out++) {
        for (int64_t i = 0; i < N * Q; i++) Y[i] = y[i % N] == i / N + 1 && (left_out < 0 || i % N != row[left_out]);
        assert_ok(ctx, graph_solve(ctx, &A, Q, Y, 1e-13, 1000, x));
        if (left_out < 0) assert_arrays_close(N * Q, F[0], x, 1e-10);
        for (int q = 0; q < Q && left_out >= 0; q++)
            for (int way = 0; way < 2; way++)
                assert_close(others[way][left_out * Q + q], x[row[left_out] + q * N], 1e-8);
    }
    for (int q = 0; q < Q; q++) assert_true(others[1][(L - 1) * Q + q] == 0);
}

/* Rows that are equal: what arrives at one of them without the labels of both. */
static void scores_without_equal_rows(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 40, Q = 2, L = 6 };
    double *X = cloud(ctx, N), F[N * Q], others[2][L * Q], x[N * Q], Y[N * Q];
    int y[N] = {0}, group[L] = {0, 1, 2, 2, 2, 5};
    row_groups together;
    neighbours nb;
    la_csr S, A;
    for (int i = 0; i < L; i++) y[i] = 1 + i % Q;
    for (int i = 3; i < 5; i++) memcpy(X + i * D, X + 2 * D, D * sizeof *X);
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, L, group, &together));
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, 5, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_GAUSSIAN, 0.6, &S));
    for (int way = 0; way < 2; way++) {
        const propagation p = {.K = Q, .y = y, .spread = 0.9, .dense = way == 0 ? N : 0, .together = &together};
        assert_ok(ctx, propagate_scores(ctx, &S, &p, F, others[way]));
    }
    assert_ok(ctx, graph_laplacian(ctx, &ctx->scratch, &S, LAPLACIAN_NORMALISED, &A));
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = A.start[i]; e < A.start[i + 1]; e++) A.value[e] = A.col[e] == i ? 1 : 0.9 * A.value[e];
    for (int out = 0; out < L; out++) {
        for (int i = 0; i < N * Q; i++) Y[i] = y[i % N] == i / N + 1 && (i % N >= L || group[i % N] != group[out]);
        assert_ok(ctx, graph_solve(ctx, &A, Q, Y, 1e-13, 1000, x));
        for (int q = 0; q < Q; q++)
            for (int way = 0; way < 2; way++) assert_close(others[way][out * Q + q], x[out + q * N], 1e-6);
    }
}

/* More columns than are solved side by side, some of them 0, by A x = b. */
static void many_columns_are_solved(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 3000, M = 11 }; /* two blocks of rows, two groups of columns */
    double *X = cloud(ctx, N), *B = room(ctx, N * M), *x = room(ctx, N * M), *Ax = room(ctx, N * M), *first = NULL;
    neighbours nb;
    la_csr S, A;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, 5, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_BINARY, 0, &S));
    assert_ok(ctx, graph_laplacian(ctx, &ctx->scratch, &S, LAPLACIAN_PLAIN, &A));
    for (int64_t i = 0; i < N; i++)
        for (int64_t e = A.start[i]; e < A.start[i + 1]; e++) A.value[e] += A.col[e] == i;
    for (int64_t c = 0; c < M; c++)
        for (int64_t i = 0; i < N && c != 3; i++) B[i + c * N] = c == 9 ? i == 17 : sin((double)(i * (c + 1)));
    for (int threads = 1; threads <= 3; threads++) {
        ctx->threads = threads;
        assert_ok(ctx, graph_solve(ctx, &A, M, B, 1e-12, 1000, x));
        if (first) assert_memory_equal(first, x, sizeof *x * N * M);
        if (!first) {
            first = room(ctx, N * M);
            memcpy(first, x, sizeof *x * N * M);
        }
    }
    assert_ok(ctx, la_spmm_thin(ctx, 1, &A, M, x, 0, Ax));
    assert_arrays_close(N * M, Ax, B, 1e-9);
    for (int64_t i = 0; i < N; i++) assert_true(x[i + 3 * N] == 0);
    rung_ctx_interrupt(ctx);
    assert_int_equal(graph_solve(ctx, &A, M, B, 1e-12, 1000, x), RUNG_EINTERRUPT);
}

/* The golden memberships of a dense case are in the command's cases; here: same bits for any number of threads. */
static void many_points_on_any_threads(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 5000, Q = 4 };
    double *X = cloud(ctx, N), *first = NULL;
    int *y = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, y, N));
    for (int i = 0; i < 40; i++) y[i * 100] = 1 + i % Q;
    for (int threads = 1; threads <= 3; threads++) {
        neighbours nb;
        la_csr S;
        double width, *U = room(ctx, N * Q);
        ctx->threads = threads;
        assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, 10, &nb));
        assert_ok(ctx, neighbours_median(ctx, &nb, &width));
        assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_GAUSSIAN, width, &S));
        assert_ok(ctx, propagate_graph(ctx, &S, Q, y, 0.99, U));
        if (first) assert_memory_equal(first, U, sizeof *U * N * Q);
        first = U;
    }
    for (int i = 0; i < N; i++) assert_close(first[i] + first[i + N] + first[i + 2 * N] + first[i + 3 * N], 1, 1e-12);
}

static void a_solver_that_gives_up_says_so(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 50;
    double *X = cloud(ctx, n), *b = room(ctx, n), *x = room(ctx, n), norm = 0, residual = 0;
    neighbours nb;
    la_csr S, L;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, n, X, 4, &nb));
    assert_ok(ctx, graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_BINARY, 0, &S));
    assert_ok(ctx, graph_laplacian(ctx, &ctx->scratch, &S, LAPLACIAN_PLAIN, &L));
    for (int64_t i = 0; i < n; i++) {
        b[i] = sin((double)i);
        for (int64_t e = L.start[i]; e < L.start[i + 1]; e++)
            if (L.col[e] == i) L.value[e] += 0.01;
    }
    assert_fails(ctx, graph_solve(ctx, &L, 1, b, 1e-12, 3, x), RUNG_ENOCONV, "did not converge in 3 steps");
    assert_ok(ctx, graph_solve(ctx, &L, 1, b, 1e-12, 1000, x));
    double *A = dense(ctx, &L);
    for (int64_t i = 0; i < n; i++) {
        double r = b[i];
        for (int64_t j = 0; j < n; j++) r -= A[i + j * n] * x[j];
        norm += b[i] * b[i];
        residual += r * r;
    }
    assert_true(sqrt(residual / norm) < 1e-11);
    double first = L.value[0];
    L.value[0] = 1e300; /* overflows in a step */
    assert_fails(ctx, graph_solve(ctx, &L, 1, b, 1e-12, 1000, x), RUNG_ENOCONV, "(relative residual inf)");
    L.value[0] = first;
    memset(b, 0, sizeof *b * (size_t)n);
    assert_ok(ctx, graph_solve(ctx, &L, 1, b, 1e-12, 0, x)); /* nothing to do */
}

static rung_status every_allocation(void *unused)
{
    (void)unused;
    rung_ctx *ctx = NULL;
    static const double X[16] = {0, 1, 2, 0.5, 3, 1, 4, 2, 1, 5, 2, 6, 0, 1, 3, 0.5};
    static const int y[8] = {1, 2, 0, 1, 2, 0, 1, 2};
    static const int64_t rows[4] = {0, 2, 4, 6};
    int64_t lacking[8];
    row_list missing = {.row = lacking};
    double U[16], others[16], width;
    neighbours nb, sub;
    la_csr S;
    rung_status s = context_new(&ctx);
    if (s == RUNG_OK)
        s = propagate_dense(ctx, &(point_set){2, 8, X}, &(ranked_rows){.n = 8, .y = y, .K = 2}, 1, 0.9, U);
    if (s == RUNG_OK)
        s = neighbours_ordinal(ctx, &ctx->scratch, &(point_set){2, 8, X}, &(ranked_rows){.n = 8, .y = y, .K = 2}, 3,
                               &nb);
    if (s == RUNG_OK) s = neighbours_among(ctx, &ctx->scratch, 2, 8, X, 3, &nb);
    if (s == RUNG_OK) s = neighbours_subset(ctx, &ctx->scratch, &nb, 4, rows, 3, &sub, &missing);
    if (s == RUNG_OK) s = neighbours_complete(ctx, &sub, 2, X, &missing);
    if (s == RUNG_OK) s = neighbours_median(ctx, &nb, &width);
    if (s == RUNG_OK) s = graph_edges(ctx, &ctx->scratch, &nb, GRAPH_OR, EDGE_GAUSSIAN, width, &S);
    if (s == RUNG_OK) s = propagate_graph(ctx, &S, 2, y, 0.9, U);
    if (s == RUNG_OK)
        s = propagate_scores(ctx, &S, &(propagation){.K = 2, .y = y, .spread = 0.9, .dense = 8}, U, others);
    if (s == RUNG_OK) s = propagate_scores(ctx, &S, &(propagation){.K = 2, .y = y, .spread = 0.9}, U, others);
    context_free(ctx);
    return s;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(every_allocation, NULL) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(neighbours_with_ties),       WITH_CONTEXT(golden_ties),
        WITH_CONTEXT(subsets_reselect),           WITH_CONTEXT(widths),
        WITH_CONTEXT(edges_by_definition),        WITH_CONTEXT(laplacians),
        WITH_CONTEXT(spreading_by_definition),    WITH_CONTEXT(spreading_far),
        WITH_CONTEXT(spreading_of_nothing),       WITH_CONTEXT(scores_by_definition),
        WITH_CONTEXT(scores_without_equal_rows),  WITH_CONTEXT(many_columns_are_solved),
        WITH_CONTEXT(many_points_on_any_threads), WITH_CONTEXT(a_solver_that_gives_up_says_so),
        cmocka_unit_test(every_allocation_fails),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
