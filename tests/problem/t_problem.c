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
    problem_new(&ctx->scratch, D, N, X, y, NULL, origin, 3, &p);
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
    problem_new(&ctx->scratch, D, N, X, y, NULL, origin, 3, &p);
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    assert_ok(ctx, problem_subset(ctx, &ctx->scratch, &p, 3, rows, &sub, classes));
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

static void gamma_auto_counts_the_columns_that_vary(void **state)
{
    rung_ctx *ctx = *state;
    problem p;
    kernel k = {.kind = KERNEL_RBF, .gamma = NAN}, fixed = {.kind = KERNEL_RBF, .gamma = 7};
    problem_new(&ctx->scratch, D, N, X, y, NULL, origin, 3, &p);
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
    problem_new(&ctx->scratch, 4, 2, rows, ranks, NULL, at, 2, &p);
    assert_ok(ctx, problem_gram(ctx, &p, &k, &K));
    la_get(K, got);
    assert_true(got[0] == 2 && got[1] == 0.5 && got[2] == 0.5 && got[3] == 3);
    problem_new(&ctx->scratch, 4, 2, bad, ranks, NULL, at, 2, &p);
    assert_fails(ctx, problem_gram(ctx, &p, &k, &K), RUNG_EDATA, "not symmetric");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(a_gram_matrix_is_computed_once),
        WITH_CONTEXT(a_fold_is_a_block_of_its_parents_matrix),
        WITH_CONTEXT(gamma_auto_counts_the_columns_that_vary),
        WITH_CONTEXT(a_precomputed_kernel_is_taken_as_it_stands),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
