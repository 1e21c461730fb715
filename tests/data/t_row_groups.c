// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "data/row_groups.h"
#include "data/splits.h"

enum { N = 9, D = 2 };
static const double X[N * D] = {1, 2, 0, 0, 1, 2, 3, 1, -0.0, 0, 1, 2, 2, 1, 3, 1, 5, 5};

static void equal_rows_have_equal_numbers(void **state)
{
    rung_ctx *ctx = *state;
    int64_t rows[] = {0, 1, 2, 3, 4, 5, 6, 8}, repeated; /* row 7 equals row 3 but is not listed */
    int group[N];
    for (int i = 0; i < N; i++) group[i] = -7;
    assert_ok(ctx, equal_rows(ctx, D, X, 8, rows, group, &repeated));
    assert_int_equal(repeated, 5);
    assert_int_equal(group[7], -7);
    assert_true(group[0] == group[2] && group[0] == group[5]);
    assert_true(group[1] == group[4]); /* -0 is 0 */
    int alone[] = {0, 1, 3, 6, 8};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++) assert_int_not_equal(group[alone[i]], group[alone[j]]);
    assert_ok(ctx, equal_rows(ctx, D, X, 0, rows, group, &repeated));
    assert_int_equal(repeated, 0);
}

static void groups_are_listed_by_their_first_row(void **state)
{
    rung_ctx *ctx = *state;
    int group[] = {5, 2, 5, 9, 2, 5};
    row_groups g;
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, 6, group, &g));
    int64_t of[] = {0, 1, 0, 2, 1, 0}, start[] = {0, 3, 5, 6}, rows[] = {0, 2, 5, 1, 4, 3};
    assert_int_equal(g.count, 3);
    assert_memory_equal(g.of, of, sizeof of);
    assert_memory_equal(g.start, start, sizeof start);
    assert_memory_equal(g.rows, rows, sizeof rows);
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, 3, NULL, &g));
    assert_int_equal(g.count, 3);
    for (int i = 0; i < 3; i++) assert_true(g.of[i] == i && g.start[i] == i && g.rows[i] == i);
}

static void joined_groups_reach_through(void **state)
{
    rung_ctx *ctx = *state;
    int a[] = {1, 1, 2, 3, 4, 5}, b[] = {9, 8, 8, 7, 6, 7}, out[6];
    assert_ok(ctx, join_groups(ctx, 6, a, b, out));
    assert_true(out[0] == out[1] && out[1] == out[2] && out[3] == out[5]);
    assert_true(out[0] != out[3] && out[3] != out[4] && out[0] != out[4]);
}

/* Folds of equal rows: together, no class is taken away by a group that is all of it. */
static void folds_keep_equal_rows_together(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 30 };
    int y[ROWS], group[ROWS];
    folds f;
    for (int i = 0; i < ROWS; i++) {
        group[i] = i / 3;
        y[i] = i < 27 ? 1 + i / 3 % 2 : 3; /* class 3 is one group */
    }
    const ranked_rows rows = {.n = ROWS, .y = y, .K = 3, .group = group};
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &rows, 5, 2, &f));
    assert_int_equal(f.count, 5);
    int64_t held[ROWS];
    for (int repeat = 0; repeat < 2; repeat++) {
        for (int i = 0; i < ROWS; i++) {
            assert_int_equal(f.fold[repeat * ROWS + i], f.fold[repeat * ROWS + i / 3 * 3]);
            assert_int_equal(f.fold[repeat * ROWS + i] < 0, i >= 27);
        }
        for (int fold = 0; fold < 5; fold++) assert_in_range(folds_held(&f, repeat, fold, held), 3, 9);
    }
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &rows, 0.3, 100, &f));
    int64_t count = folds_held(&f, 0, 0, held);
    assert_in_range(count, 6, 15);
    for (int i = 0; i < ROWS; i++) assert_int_equal(f.fold[i], f.fold[i / 3 * 3]);
    assert_int_equal(f.fold[28], -1);
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &rows, 0.9, 7, &f));
    assert_in_range(folds_held(&f, 0, 0, held), 3, 7);
}

static rung_status all_of_it(void *argument)
{
    rung_ctx *ctx = argument;
    static const int a[] = {1, 1, 2}, b[] = {3, 4, 4};
    int out[3];
    int64_t rows[] = {0, 1, 2}, repeated;
    pool mem = {0};
    row_groups g;
    rung_status status = equal_rows(ctx, D, X, 3, rows, out, &repeated);
    if (status == RUNG_OK) status = join_groups(ctx, 3, a, b, out);
    if (status == RUNG_OK) status = row_groups_new(ctx, &mem, 3, a, &g);
    pool_free_all(&mem);
    pool_free_all(&ctx->scratch);
    return status;
}

static void test_out_of_memory(void **state) { assert_true(fail_each_allocation(all_of_it, *state) > 5); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(equal_rows_have_equal_numbers),
        WITH_CONTEXT(groups_are_listed_by_their_first_row),
        WITH_CONTEXT(joined_groups_reach_through),
        WITH_CONTEXT(folds_keep_equal_rows_together),
        WITH_CONTEXT(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
