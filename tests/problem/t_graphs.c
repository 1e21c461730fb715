// SPDX-License-Identifier: BSD-3-Clause
/* What a problem derives for graph methods: each thing once, shared by views, re-selected by folds, and equal to what
 * the fold would compute from its own rows. */
#include "helper.h"

#include "base/rng.h"
#include "problem/problem.h"

enum { N = 90, D = 2 };

static double X[D * N];
static int y[N];
static int64_t origin[N];

static void prepare(problem *p, rung_ctx *ctx)
{
    rng r;
    rng_open(&r, 6, 0);
    for (int i = 0; i < D * N; i++) X[i] = rng_normal(&r);
    for (int i = 0; i < N; i++) {
        y[i] = 1 + i % 3;
        origin[i] = i;
    }
    problem_new(&ctx->scratch, &(problem_rows){D, N, X, y, NULL, origin, 3}, p);
}

static int64_t calls(const rung_ctx *ctx, const char *op)
{
    for (int i = 0; la_op_name(i); i++)
        if (strcmp(la_op_name(i), op) == 0) return ctx->ops[i].calls;
    return -1;
}

static const problem_space input = {.kind = SPACE_INPUT};

static bool same_lists(const neighbours *a, const neighbours *b)
{
    if (a->n != b->n || a->k != b->k) return false;
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t c = 0; c < a->k; c++)
            if (a->index[i * a->stride + c] != b->index[i * b->stride + c]) return false;
    return true;
}

static void neighbours_are_found_once(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    neighbours five, three, all;
    prepare(&p, ctx);
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 5, &five));
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 3, &three)); /* the first ones of the same lists */
    assert_int_equal(calls(ctx, "nearest"), 1);
    assert_int_equal(five.k, 5);
    assert_int_equal(three.k, 3);
    assert_ptr_equal(five.index, three.index);
    problem view = problem_view(&p, &ctx->scratch);
    assert_ok(ctx, problem_neighbours(ctx, &view, &input, 4, &three));
    assert_ptr_equal(five.index, three.index);
    assert_int_equal(calls(ctx, "nearest"), 1);
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 1000, &all));
    assert_int_equal(all.k, N - 1);
    assert_int_equal(calls(ctx, "nearest"), 2);
}

/* rbf, laplacian, linear: the input-space lists themselves; ard: between stretched rows; poly: from its matrix. */
static void feature_spaces_share_what_is_the_same(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    neighbours in, out;
    double precisions[D] = {3, 0.1}, stretched[D * N];
    kernel_kind same[] = {KERNEL_RBF, KERNEL_LAPLACIAN, KERNEL_LINEAR};
    prepare(&p, ctx);
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 5, &in));
    for (int i = 0; i < 3; i++) {
        problem_space space = {.kind = SPACE_FEATURE, .k = {.kind = same[i], .gamma = 1000}, .rank = 1};
        assert_ok(ctx, problem_neighbours(ctx, &p, &space, 5, &out));
        assert_ptr_equal(in.index, out.index);
    }
    assert_int_equal(calls(ctx, "nearest"), 1);
    assert_int_equal(calls(ctx, "gram"), 0);
    problem_space ard = {.kind = SPACE_FEATURE,
                         .k = {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = D, .precisions = precisions},
                         .rank = 1};
    assert_ok(ctx, problem_neighbours(ctx, &p, &ard, 5, &out));
    for (int i = 0; i < D * N; i++) stretched[i] = X[i] * sqrt(precisions[i % D]);
    neighbours want;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, stretched, 5, &want));
    assert_true(same_lists(&out, &want) && !same_lists(&out, &in));
    precisions[0] = 4; /* the cache keeps precisions of its own */
    neighbours other;
    assert_ok(ctx, problem_neighbours(ctx, &p, &ard, 5, &other));
    assert_ptr_not_equal(other.index, out.index);
    problem_space poly = {
        .kind = SPACE_FEATURE, .k = {.kind = KERNEL_POLY, .gamma = 1, .coef0 = 1, .degree = 3}, .rank = 1};
    assert_ok(ctx, problem_neighbours(ctx, &p, &poly, 5, &out));
    assert_false(same_lists(&out, &in));
    assert_int_equal(calls(ctx, "gram"), 1);
}

/* Few components of a narrow kernel make another graph; of a wide one, or of a linear one, the full graph. */
static void reduced_rank_is_decided_once(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    neighbours in, out, again;
    prepare(&p, ctx);
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 5, &in));
    problem_space wide = {.kind = SPACE_FEATURE, .k = {.kind = KERNEL_RBF, .gamma = 0.01}, .rank = 0.5};
    assert_ok(ctx, problem_neighbours(ctx, &p, &wide, 5, &out));
    assert_ptr_equal(in.index, out.index);
    assert_int_equal(calls(ctx, "eigen"), 0); /* certified without eigenvalues */
    assert_int_equal(calls(ctx, "rank"), 1);
    assert_ok(ctx, problem_neighbours(ctx, &p, &wide, 5, &out));
    assert_int_equal(calls(ctx, "rank"), 1);
    problem_space narrow = {.kind = SPACE_FEATURE, .k = {.kind = KERNEL_RBF, .gamma = 5}, .rank = 0.1};
    assert_ok(ctx, problem_neighbours(ctx, &p, &narrow, 5, &out));
    assert_ok(ctx, problem_neighbours(ctx, &p, &narrow, 4, &again));
    assert_int_equal(calls(ctx, "eigen"), 1);
    assert_ptr_equal(out.index, again.index);
    assert_false(same_lists(&in, &out));
    const eigenpairs *e; /* the definition: distances along floor(0.1 n) components */
    assert_ok(ctx, problem_eigen(ctx, &p, &narrow.k, 9, &e));
    assert_int_equal(calls(ctx, "eigen"), 1); /* there are 10 already */
    la_mat *Phi;
    neighbours want;
    assert_ok(ctx, kernel_features(ctx, &ctx->scratch, e, 9, &Phi));
    assert_int_equal(la_rows(Phi), 9);
    assert_ok(ctx, neighbours_of_columns(ctx, &ctx->scratch, Phi, 5, &want));
    assert_true(same_lists(&want, &out));
    assert_ok(ctx, problem_eigen(ctx, &p, &narrow.k, N, &e));
    assert_int_equal(calls(ctx, "eigen"), 2);
    assert_int_equal(e->r, N);
}

/* With landmarks a kernel whose order of distances is its own is measured along the first of their features. */
static void landmarks_make_a_graph(void **state)
{
    rung_ctx *ctx = *state;
    enum { M = 9 };
    static const struct {
        double rank;
        int kept;
    } cases[] = {{1, 6}, {0.5, 4}, {0.01, 1}, {2, 6}}; /* of 9 landmarks a kernel of 6 dimensions has 6 */
    kernel k = {.kind = KERNEL_POLY, .gamma = 1, .coef0 = 1, .degree = 2};
    problem p;
    const landmarks *l;
    neighbours got, again, want;
    double *Phi = NULL, *first = NULL;
    la_mat *all;
    prepare(&p, ctx);
    assert_ok(ctx, problem_landmarks(ctx, &p, &k, M, &l));
    assert_int_equal(l->m, 6);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, l->m, N, &all));
    assert_ok(ctx, landmarks_features(ctx, l, N, X, all));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, Phi, 6 * N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, first, 6 * N));
    la_get(all, Phi);
    for (int c = 0; c < 4; c++) {
        int kept = cases[c].kept;
        problem_space space = {.kind = SPACE_FEATURE, .k = k, .rank = cases[c].rank, .landmarks = M};
        for (int i = 0; i < N; i++) memcpy(first + i * kept, Phi + i * 6, (size_t)kept * sizeof *first);
        assert_ok(ctx, problem_neighbours(ctx, &p, &space, 5, &got));
        assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, kept, N, first, 5, &want));
        assert_true(same_lists(&got, &want));
        assert_ok(ctx, problem_neighbours(ctx, &p, &space, 4, &again));
        assert_ptr_equal(got.index, again.index);
    }
    assert_int_equal(calls(ctx, "gram"), 1);                                               /* that of the landmarks */
    problem_space more = {.kind = SPACE_FEATURE, .k = k, .rank = 0.5, .landmarks = M - 1}; /* others: another graph */
    problem_space less = {.kind = SPACE_FEATURE, .k = k, .rank = 4.0 / M, .landmarks = M};
    assert_ok(ctx, problem_neighbours(ctx, &p, &more, 5, &got));
    assert_ok(ctx, problem_neighbours(ctx, &p, &less, 5, &again));
    assert_ptr_not_equal(got.index, again.index);
}

/* Eigenvalues that are there already tell whether anything is left out. */
static void known_eigenvalues_decide(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    neighbours in, out;
    const eigenpairs *e;
    problem_space narrow = {.kind = SPACE_FEATURE, .k = {.kind = KERNEL_RBF, .gamma = 5}, .rank = 0.1};
    problem_space wide = {.kind = SPACE_FEATURE, .k = {.kind = KERNEL_RBF, .gamma = 0.01}, .rank = 0.5};
    prepare(&p, ctx);
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 5, &in));
    assert_ok(ctx, problem_eigen(ctx, &p, &narrow.k, N, &e));
    assert_ok(ctx, problem_eigen(ctx, &p, &wide.k, N, &e));
    assert_ok(ctx, problem_neighbours(ctx, &p, &wide, 5, &out));
    assert_ptr_equal(in.index, out.index);
    assert_ok(ctx, problem_neighbours(ctx, &p, &narrow, 5, &out));
    assert_false(same_lists(&in, &out));
    assert_int_equal(calls(ctx, "rank"), 0); /* no certificate was needed */
    assert_int_equal(calls(ctx, "eigen"), 2);
}

static void laplacians_are_made_once(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    const la_csr *a, *b, *c, *S;
    double width, want;
    neighbours nb;
    prepare(&p, ctx);
    problem_graph g = {.space = input, .neighbours = 5, .rule = GRAPH_OR, .weight = EDGE_BINARY};
    assert_ok(ctx, problem_laplacian(ctx, &p, &g, LAPLACIAN_PLAIN, &a));
    problem view = problem_view(&p, &ctx->scratch);
    assert_ok(ctx, problem_laplacian(ctx, &view, &g, LAPLACIAN_PLAIN, &b));
    assert_ok(ctx, problem_laplacian(ctx, &p, &g, LAPLACIAN_NORMALISED, &c));
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, c);
    problem_graph same = {.space = {.kind = SPACE_FEATURE, .k = {.kind = KERNEL_RBF, .gamma = 3}, .rank = 1},
                          .neighbours = 5};
    assert_ok(ctx, problem_laplacian(ctx, &p, &same, LAPLACIAN_PLAIN, &b));
    assert_ptr_equal(a, b);
    g.weight = EDGE_GAUSSIAN;
    g.width = NAN;
    assert_ok(ctx, problem_edges(ctx, &p, &g, &S, &width));
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 5, &nb));
    assert_ok(ctx, neighbours_median(ctx, &nb, &want));
    assert_true(width == want && S->value[0] < 1);
    assert_ok(ctx, problem_edges(ctx, &p, &g, &b, NULL));
    assert_ptr_equal(S, b);
    g.width = 0.5; /* another graph than with the median, whatever that is */
    assert_ok(ctx, problem_edges(ctx, &p, &g, &c, &width));
    assert_true(width == 0.5 && c != S && c->value[0] != S->value[0]);
    g.width = NAN;
    assert_ok(ctx, problem_edges(ctx, &p, &g, &b, NULL));
    assert_ptr_equal(S, b);
    assert_int_equal(calls(ctx, "nearest"), 1);
}

/* A fold's graph is that of its own rows, told from its parent's lists; nothing is searched again but a few rows. */
static void folds_reselect(void **state)
{
    rung_ctx *ctx = *state;
    problem p, sub, alone;
    int64_t rows[N], n = 0, shuffled[3] = {7, 2, 5};
    int classes[3];
    neighbours got, want, all;
    kernel k = {.kind = KERNEL_POLY, .gamma = 0.7, .coef0 = 1, .degree = 2};
    problem_space spaces[] = {input, {.kind = SPACE_FEATURE, .k = k, .rank = 1}};
    const la_mat *K;
    prepare(&p, ctx);
    for (int i = 0; i < N; i++)
        if (i < 30 || i % 3 == 0) rows[n++] = i; /* some rows lose many of their neighbours */
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    for (int s = 0; s < 2; s++) {
        assert_ok(ctx, problem_neighbours(ctx, &p, &spaces[s], 6, &all));
        problem view = problem_view(&p, &ctx->scratch); /* folds are made of a worker's view */
        assert_ok(ctx, problem_subset(ctx, &ctx->scratch, &view, n, rows, &sub, classes));
        int64_t before = calls(ctx, "nearest"), grams = calls(ctx, "gram");
        double flops = 0;
        for (int i = 0; la_op_name(i); i++)
            if (strcmp(la_op_name(i), "nearest") == 0) flops = ctx->ops[i].flops;
        assert_ok(ctx, problem_neighbours(ctx, &sub, &spaces[s], 6, &got));
        assert_true(calls(ctx, "nearest") <= before + 1);
        assert_int_equal(calls(ctx, "gram"), grams);
        for (int i = 0; la_op_name(i); i++)
            if (strcmp(la_op_name(i), "nearest") == 0) assert_true(ctx->ops[i].flops - flops < 0.1 * flops);
        problem_new(&ctx->scratch, &(problem_rows){D, n, sub.X, sub.y, NULL, sub.origin, 3}, &alone);
        assert_ok(ctx, problem_neighbours(ctx, &alone, &spaces[s], 6, &want));
        assert_true(same_lists(&got, &want));
    }
    assert_ok(ctx, problem_subset(ctx, &ctx->scratch, &p, 3, shuffled, &sub, classes));
    assert_ok(ctx, problem_neighbours(ctx, &sub, &input, 2, &got));
    problem_new(&ctx->scratch, &(problem_rows){D, 3, sub.X, sub.y, NULL, sub.origin, 3}, &alone);
    assert_ok(ctx, problem_neighbours(ctx, &alone, &input, 2, &want));
    assert_true(same_lists(&got, &want));
}

/* A fold of a worker's view finds the Gram matrix of the problem behind the view. */
static void folds_of_a_view_gather(void **state)
{
    rung_ctx *ctx = *state;
    problem p, sub;
    int64_t rows[4] = {1, 4, 5, 8};
    int classes[3];
    const la_mat *K, *part;
    kernel k = {.kind = KERNEL_RBF, .gamma = 1};
    prepare(&p, ctx);
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    problem view = problem_view(&p, &ctx->scratch);
    assert_ok(ctx, problem_subset(ctx, &ctx->scratch, &view, 4, rows, &sub, classes));
    assert_ok(ctx, problem_gram(ctx, &sub, &k, &part));
    assert_int_equal(calls(ctx, "gram"), 1);
}

static void a_precomputed_kernel_has_distances(void **state)
{
    rung_ctx *ctx = *state;
    problem p, q;
    const la_mat *K;
    double values[N * N];
    kernel dot = {.kind = KERNEL_LINEAR};
    neighbours got, want;
    prepare(&p, ctx);
    assert_ok(ctx, problem_gram(ctx, &p, &dot, &K));
    la_get(K, values);
    problem_new(&ctx->scratch, &(problem_rows){N, N, values, y, NULL, origin, 3}, &q);
    problem_space space = {.kind = SPACE_INPUT, .k = {.kind = KERNEL_PRECOMPUTED}};
    assert_ok(ctx, problem_neighbours(ctx, &q, &space, 4, &got));
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 4, &want));
    assert_true(same_lists(&got, &want));
}

static void forgetting_keeps_the_input_graph(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    pool mem = {0};
    const la_csr *L;
    const eigenpairs *e;
    neighbours nb;
    double precisions[D] = {3, 0.1};
    prepare(&p, ctx);
    p.mem = &mem;
    problem_graph g = {.space = input, .neighbours = 5};
    assert_ok(ctx, problem_laplacian(ctx, &p, &g, LAPLACIAN_PLAIN, &L));
    int64_t bytes = mem.bytes;
    problem_graph ard = {.space = {.kind = SPACE_FEATURE,
                                   .k = {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = D, .precisions = precisions},
                                   .rank = 0.2},
                         .neighbours = 4};
    assert_ok(ctx, problem_laplacian(ctx, &p, &ard, LAPLACIAN_NORMALISED, &L));
    assert_ok(ctx, problem_eigen(ctx, &p, &ard.space.k, N, &e));
    assert_true(mem.bytes > bytes);
    problem_forget(&p);
    assert_int_equal(mem.bytes, bytes); /* all of it went */
    int64_t before = calls(ctx, "nearest");
    assert_ok(ctx, problem_neighbours(ctx, &p, &input, 5, &nb));
    assert_int_equal(calls(ctx, "nearest"), before);
    pool_free_all(&mem);
}

static rung_status every_allocation(void *unused)
{
    (void)unused;
    rung_ctx *ctx = NULL;
    problem p, sub;
    const la_csr *L;
    int classes[3];
    int64_t rows[30];
    double precisions[D] = {3, 40};
    rung_status s = context_new(&ctx);
    if (s != RUNG_OK) return s;
    prepare(&p, ctx);
    p.n = 40;
    for (int i = 0; i < 30; i++) rows[i] = i;
    problem_graph g = {.space = {.kind = SPACE_FEATURE,
                                 .k = {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = D, .precisions = precisions},
                                 .rank = 0.2},
                       .neighbours = 4,
                       .weight = EDGE_GAUSSIAN,
                       .width = NAN};
    s = problem_laplacian(ctx, &p, &g, LAPLACIAN_NORMALISED, &L);
    g.space.rank = 1;
    if (s == RUNG_OK) s = problem_laplacian(ctx, &p, &g, LAPLACIAN_PLAIN, &L);
    if (s == RUNG_OK) s = problem_subset(ctx, &ctx->scratch, &p, 30, rows, &sub, classes);
    g.neighbours = 12;
    if (s == RUNG_OK) s = problem_laplacian(ctx, &sub, &g, LAPLACIAN_PLAIN, &L);
    context_free(ctx);
    return s;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(every_allocation, NULL) > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(neighbours_are_found_once),
        WITH_CONTEXT(feature_spaces_share_what_is_the_same),
        WITH_CONTEXT(reduced_rank_is_decided_once),
        WITH_CONTEXT(landmarks_make_a_graph),
        WITH_CONTEXT(known_eigenvalues_decide),
        WITH_CONTEXT(laplacians_are_made_once),
        WITH_CONTEXT(folds_reselect),
        WITH_CONTEXT(folds_of_a_view_gather),
        WITH_CONTEXT(a_precomputed_kernel_has_distances),
        WITH_CONTEXT(forgetting_keeps_the_input_graph),
        cmocka_unit_test(every_allocation_fails),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
