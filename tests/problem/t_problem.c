// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "problem/problem.h"

enum { N = 6, D = 2 };
static const double X[D * N] = {0, 1, 1, 1, 2, 1, 0.5, 1, 3, 1, 4, 1}; /* the second column is constant */
static const int y[N] = {1, 2, 3, 0, 2, 3};
static const int64_t origin[N] = {0, 1, 2, 3, 4, 5};

static int64_t calls(const rung_ctx *ctx, const char *op)
{
    for (int i = 0; la_op_name(i); i++)
        if (strcmp(la_op_name(i), op) == 0) return ctx->ops[i].calls;
    return -1;
}

static void a_gram_matrix_is_computed_once(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    const la_mat *a, *b, *c;
    kernel narrow = {.kind = KERNEL_RBF, .gamma = 2}, wide = {.kind = KERNEL_RBF, .gamma = 0.1};
    problem_new(&ctx->scratch, &(problem_rows){D, N, X, y, NULL, origin, 3}, &p);
    assert_ok(ctx, problem_gram(ctx, &p, &narrow, &a));
    assert_ok(ctx, problem_gram(ctx, &p, &wide, &b));
    assert_ok(ctx, problem_gram(ctx, &p, &narrow, &c));
    assert_ptr_equal(a, c);
    assert_ptr_not_equal(a, b);
    assert_int_equal(calls(ctx, "gram"), 2);
}

static void a_fold_is_a_block_of_its_parents_matrix(void **state)
{
    rung_ctx *ctx = *state;
    problem p, sub;
    const la_mat *K, *block, *own;
    kernel k = {.kind = KERNEL_RBF, .gamma = 2}, other = {.kind = KERNEL_RBF, .gamma = 3};
    int64_t rows[3] = {5, 1, 4};
    int classes[3];
    double all[N * N], part[9];
    int cluster[N] = {7, 1, 7, 2, 3, 4};
    problem_new(&ctx->scratch, &(problem_rows){D, N, X, y, NULL, origin, 3}, &p);
    p.cluster = cluster;
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    assert_ok(ctx, problem_subset(ctx, &ctx->scratch, &p, 3, rows, &sub, classes));
    for (int i = 0; i < 3; i++) assert_int_equal(sub.cluster[i], cluster[rows[i]]);
    assert_null(sub.group);
    assert_int_equal(sub.K, 2); /* classes 2 and 3 close up */
    assert_int_equal(classes[0], 2);
    assert_int_equal(classes[1], 3);
    assert_int_equal(sub.y[0], 2);
    assert_int_equal(sub.y[1], 1);
    assert_int_equal(sub.origin[0], 5);
    assert_ok(ctx, problem_gram(ctx, &sub, &k, &block));
    assert_int_equal(calls(ctx, "gram"), 1);
    la_get(K, all);
    la_get(block, part);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) assert_true(part[i + j * 3] == all[rows[i] + rows[j] * N]);
    assert_ok(ctx, problem_gram(ctx, &sub, &other, &own)); /* what the parent lacks is computed */
    assert_int_equal(calls(ctx, "gram"), 2);
}

/* Kernels that differ in one number are others. */
static void what_tells_kernels_apart(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    double one[D] = {1, 2}, two[D] = {1, 3};
    const kernel kernels[] = {
        {.kind = KERNEL_POLY, .gamma = 1, .coef0 = 1, .degree = 2},
        {.kind = KERNEL_POLY, .gamma = 1, .coef0 = 1, .degree = 3},
        {.kind = KERNEL_POLY, .gamma = 1, .coef0 = 2, .degree = 2},
        {.kind = KERNEL_POLY, .gamma = 2, .coef0 = 1, .degree = 2},
        {.kind = KERNEL_RBF, .gamma = 1, .coef0 = 1, .degree = 2},
        {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = D, .precisions = one},
        {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = D, .precisions = two},
    };
    enum { KERNELS = sizeof kernels / sizeof *kernels };
    const la_mat *K[KERNELS], *again;
    problem_new(&ctx->scratch, &(problem_rows){D, N, X, y, NULL, origin, 3}, &p);
    for (int i = 0; i < KERNELS; i++) assert_ok(ctx, problem_gram(ctx, &p, &kernels[i], &K[i]));
    assert_int_equal(calls(ctx, "gram"), KERNELS);
    for (int i = 0; i < KERNELS; i++) {
        assert_ok(ctx, problem_gram(ctx, &p, &kernels[i], &again));
        assert_ptr_equal(again, K[i]);
    }
    assert_int_equal(calls(ctx, "gram"), KERNELS);
}

/* F F' = K, with and without a constant, from a Gram matrix that is there; a fold has its parent's rows of F. */
static void roots_are_shared(void **state)
{
    rung_ctx *ctx = *state;
    problem p, sub;
    kernel k = {.kind = KERNEL_RBF, .gamma = 2};
    const la_mat *K, *F, *part, *own;
    int64_t rows[3] = {5, 1, 4};
    int classes[3];
    double gram[N * N], root[N * N], some[3 * N];
    problem_new(&ctx->scratch, &(problem_rows){D, N, X, y, NULL, origin, 3}, &p);
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    la_get(K, gram);
    for (int constant = 0; constant < 2; constant++) {
        assert_ok(ctx, problem_root(ctx, &p, &k, constant, &F));
        int64_t r = la_cols(F);
        la_get(F, root);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double s = 0;
                for (int64_t c = 0; c < r; c++) s += root[i + c * N] * root[j + c * N];
                assert_close(s, gram[i + j * N] + constant, 1e-12);
            }
    }
    assert_int_equal(calls(ctx, "gram"), 1);
    assert_ok(ctx, problem_subset(ctx, &ctx->scratch, &p, 3, rows, &sub, classes));
    assert_ok(ctx, problem_root(ctx, &sub, &k, true, &part));
    assert_int_equal(la_rows(part), 3);
    assert_int_equal(la_cols(part), la_cols(F));
    la_get(part, some);
    for (int i = 0; i < 3; i++)
        for (int64_t c = 0; c < la_cols(F); c++) assert_true(some[i + 3 * c] == root[rows[i] + c * N]);
    k.gamma = 3; /* which the parent has not */
    assert_ok(ctx, problem_root(ctx, &sub, &k, true, &own));
    assert_int_equal(la_rows(own), 3);
    assert_true(la_cols(own) <= 3);
}

static void gamma_auto_counts_the_columns_that_vary(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    kernel k = {.kind = KERNEL_RBF, .gamma = NAN}, fixed = {.kind = KERNEL_RBF, .gamma = 7};
    problem_new(&ctx->scratch, &(problem_rows){D, N, X, y, NULL, origin, 3}, &p);
    assert_int_equal(p.varying, 1);
    assert_true(problem_kernel(&p, &k).gamma == 1);
    assert_true(problem_kernel(&p, &fixed).gamma == 7);
    kernel multiple = {.kind = KERNEL_RBF, .gamma = -3};
    p.varying = 2;
    assert_true(problem_kernel(&p, &multiple).gamma == 1.5);
}

/* Rows 1 and 3 of a 4 x 4 precomputed kernel: columns 1 and 3 of their numbers. */
static void a_precomputed_kernel_is_taken_as_it_stands(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    const la_mat *K;
    kernel k = {.kind = KERNEL_PRECOMPUTED, .gamma = 1};
    double rows[8] = {9, 2, 9, 0.5, 9, 0.5, 9, 3}, bad[8] = {9, 2, 9, 0.5, 9, 0.6, 9, 3}, got[4];
    int ranks[2] = {1, 2};
    int64_t at[2] = {1, 3};
    problem_new(&ctx->scratch, &(problem_rows){4, 2, rows, ranks, NULL, at, 2}, &p);
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    la_get(K, got);
    assert_true(got[0] == 2 && got[1] == 0.5 && got[2] == 0.5 && got[3] == 3);
    problem_new(&ctx->scratch, &(problem_rows){4, 2, bad, ranks, NULL, at, 2}, &p);
    assert_fails(ctx, problem_gram(ctx, &p, &k, &K), RUNG_EDATA, "not symmetric");
    memset(rows, 0, sizeof rows); /* zeros are symmetric */
    problem_new(&ctx->scratch, &(problem_rows){4, 2, rows, ranks, NULL, at, 2}, &p);
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    assert_true(la_asymmetry(K) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_gram_matrix_is_computed_once),
        WITH_CONTEXT(a_fold_is_a_block_of_its_parents_matrix),
        WITH_CONTEXT(what_tells_kernels_apart),
        WITH_CONTEXT(roots_are_shared),
        WITH_CONTEXT(gamma_auto_counts_the_columns_that_vary),
        WITH_CONTEXT(a_precomputed_kernel_is_taken_as_it_stands),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
