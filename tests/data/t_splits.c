// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "data/splits.h"

/* 23 rows: class 1 x 7, class 2 x 5, class 3 x 1, class 4 x 4, unlabelled x 6, mixed. */
enum { N = 23, K = 4 };
static const int y[N] = {1, 0, 2, 1, 4, 1, 3, 0, 2, 1, 4, 0, 2, 1, 0, 2, 4, 1, 0, 1, 2, 4, 0};

static void test_stratified(void **state)
{
    rung_ctx *ctx = *state;
    folds f;
    int64_t held[N], kept[N];
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 5, 2, &f));
    assert_int_equal(f.n, N);
    assert_int_equal(f.count, 5);
    assert_int_equal(f.repeats, 2);
    for (int repeat = 0; repeat < 2; repeat++) {
        int per_class[K + 1][5] = {0}, total[5] = {0};
        for (int i = 0; i < N; i++) {
            int fold = f.fold[repeat * N + i];
            if (y[i] == 0 || y[i] == 3) {
                assert_int_equal(fold, -1);
                continue;
            }
            assert_true(fold >= 0 && fold < 5);
            per_class[y[i]][fold]++;
            total[fold]++;
        }
        static const int size[] = {0, 7, 5, 0, 4};
        for (int k = 1; k <= K; k++)
            for (int fold = 0; fold < 5; fold++)
                assert_true(per_class[k][fold] == size[k] / 5 || per_class[k][fold] == (size[k] + 4) / 5);
        for (int fold = 0; fold < 5; fold++) {
            assert_true(total[fold] == 3 || total[fold] == 4); /* 16 rows dealt on and on */
            int64_t a = folds_held(&f, repeat, fold, held), b = folds_kept(&f, repeat, fold, kept);
            assert_int_equal(a, total[fold]);
            assert_int_equal(a + b, N);
            for (int64_t i = 1; i < a; i++) assert_true(held[i - 1] < held[i]);
            for (int64_t i = 1; i < b; i++) assert_true(kept[i - 1] < kept[i]);
            for (int64_t i = 0; i < a; i++) assert_int_equal(f.fold[repeat * N + held[i]], fold);
        }
    }
    assert_memory_not_equal(f.fold, f.fold + N, N * sizeof *f.fold); /* each repeat shuffles anew */
}

static void test_seed(void **state)
{
    rung_ctx *ctx = *state;
    folds one, same, longer, other;
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 5, 1, &one));
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 5, 1, &same));
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 5, 3, &longer));
    ctx->seed = 2;
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 5, 1, &other));
    assert_memory_equal(one.fold, same.fold, N * sizeof *one.fold);
    assert_memory_equal(one.fold, longer.fold, N * sizeof *one.fold);
    assert_memory_not_equal(one.fold, other.fold, N * sizeof *one.fold);
}

/* Folds at random: each row once in every repeat, folds of one size, groups whole, a row of every class in all of them,
 * and class counts that a stratified fold would not have. */
static void test_random(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 60, GROUP = 3 };
    int ranks[MANY], group[MANY], uneven = 0;
    folds f;
    for (int i = 0; i < MANY; i++) ranks[i] = i < 2 ? 1 : i < 31 ? 2 : 3, group[i] = i / GROUP;
    for (int grouped = 0; grouped < 2; grouped++) {
        ranked_rows all = {.n = MANY, .y = ranks, .K = 3, .group = grouped ? group : NULL};
        assert_ok(ctx, folds_random(ctx, &ctx->scratch, &all, 10, 2, &f));
        assert_int_equal(f.count, 10);
        for (int repeat = 0; repeat < 2; repeat++) {
            int held[10] = {0}, second[10] = {0};
            const int *fold = f.fold + repeat * MANY;
            for (int i = 0; i < MANY; i++) {
                if (grouped && i < GROUP) { /* both rows of class 1 */
                    assert_int_equal(fold[i], -1);
                    continue;
                }
                assert_true(fold[i] >= 0 && fold[i] < 10);
                if (grouped) assert_int_equal(fold[i], fold[i - i % GROUP]);
                held[fold[i]]++;
                second[fold[i]] += ranks[i] == 2;
            }
            if (!grouped) assert_int_not_equal(fold[0], fold[1]);
            for (int k = 0; k < 10; k++) {
                assert_true(grouped ? held[k] == 3 || held[k] == 6 : held[k] == 6);
                uneven += !grouped && (second[k] < 2 || second[k] > 4);
            }
        }
        assert_memory_not_equal(f.fold, f.fold + MANY, MANY * sizeof *f.fold);
    }
    assert_true(uneven > 0); /* 3 of the 6 are to be expected */
    assert_ok(ctx, folds_random(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 100, 1, &f));
    assert_int_equal(f.count, 16); /* one by one; that of class 3 stays */
}

static void test_few_rows(void **state)
{
    rung_ctx *ctx = *state;
    folds f;
    int few[] = {1, 2, 1, 0, 3};
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = 5, .y = few, .K = 3}, 5, 1, &f));
    assert_int_equal(f.count, 2); /* only class 1 can be held out, one row at a time */
    assert_int_equal(f.fold[0] + f.fold[2], 1);
    assert_true(f.fold[1] == -1 && f.fold[3] == -1 && f.fold[4] == -1);
    int single[] = {1, 2, 3};
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = 3, .y = single, .K = 3}, 5, 1,
                                    &f)); /* nothing can be held out */
    assert_int_equal(f.count, 0);
    for (int i = 0; i < 3; i++) assert_int_equal(f.fold[i], -1);
    assert_fails(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = 3, .y = single, .K = 2}, 5, 1, &f),
                 RUNG_EARG, "rank 3 of row 3");
    assert_fails(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 1, 1, &f), RUNG_EARG,
                 "at least 2 folds");
    assert_fails(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 2, 0, &f), RUNG_EARG,
                 "at least 2 folds");
}

static int64_t held_of(const folds *f, const int *ranks, int rank)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++) count += f->fold[i] == 0 && (rank == 0 || ranks[i] == rank);
    return count;
}

static void test_holdout(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 1000 };
    int ranks[MANY];
    for (int i = 0; i < MANY; i++) ranks[i] = i % 10 == 0 ? 0 : i % 10 < 7 ? 1 : 2; /* 100, 600, 300 */
    folds f;
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = MANY, .y = ranks, .K = 2}, 0.2, 2000, &f));
    assert_int_equal(f.count, 1);
    assert_int_equal(f.repeats, 1);
    assert_int_equal(held_of(&f, ranks, 1), 120);
    assert_int_equal(held_of(&f, ranks, 2), 60);
    assert_int_equal(held_of(&f, ranks, 0), 180);
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = MANY, .y = ranks, .K = 2}, 0.2, 50,
                                 &f)); /* the limit */
    assert_int_equal(held_of(&f, ranks, 0), 50);
    assert_int_equal(held_of(&f, ranks, 1), 33);
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 0.001, 50,
                                 &f)); /* at least one */
    assert_int_equal(held_of(&f, y, 0), 1);
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 0.999, 50,
                                 &f)); /* each class keeps a row */
    for (int k = 1; k <= K; k++) {
        static const int size[] = {0, 7, 5, 1, 4};
        assert_true(held_of(&f, y, k) < size[k]);
    }
    assert_fails(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 1, 50, &f), RUNG_EARG,
                 "a share of 1");
    assert_fails(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, NAN, 50, &f), RUNG_EARG,
                 "a share of");
    assert_fails(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 0, 50, &f), RUNG_EARG,
                 "a share of 0");
    assert_fails(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K}, 0.5, 0, &f), RUNG_EARG,
                 "at most 0 rows");
    int single[] = {1, 2, 0};
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = 3, .y = single, .K = 2}, 0.5, 9, &f));
    assert_int_equal(held_of(&f, single, 0), 0);
}

/* Rows of one group stay together, unlabelled ones in training; classes that no labelled row has do not matter. */
static void test_grouped(void **state)
{
    rung_ctx *ctx = *state;
    int group[N], single[N];
    folds f;
    for (int i = 0; i < N; i++) group[i] = 100 - i % 4, single[i] = 7;
    assert_ok(ctx,
              folds_grouped(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K + 1, .group = group}, 10, 2, &f));
    assert_int_equal(f.count, 4); /* as many as there are groups */
    for (int repeat = 0; repeat < 2; repeat++)
        for (int i = 0; i < N; i++) {
            int fold = f.fold[repeat * N + i];
            assert_int_equal(fold < 0, y[i] == 0);
            for (int j = 0; j < i; j++)
                if (y[i] && y[j]) assert_int_equal(group[i] == group[j], fold == f.fold[repeat * N + j]);
        }
    assert_fails(ctx,
                 folds_grouped(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = K, .group = single}, 2, 1, &f),
                 RUNG_EDATA, "the labelled rows form 1 group(s), but holding one out needs at least 2");
}

static void test_given(void **state)
{
    rung_ctx *ctx = *state;
    int own[N];
    folds f;
    for (int i = 0; i < N; i++) own[i] = i == 0 ? -1 : i % 3;
    assert_ok(ctx, folds_given(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = 0}, own, 1, &f));
    assert_int_equal(f.count, 3);
    for (int i = 0; i < N; i++) assert_int_equal(f.fold[i], y[i] == 0 ? -1 : own[i]);
    own[2] = N;
    assert_fails(ctx, folds_given(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = 0}, own, 1, &f), RUNG_EARG,
                 "fold 23 of row 3: fold numbers must be below the number of rows");
    for (int i = 0; i < N; i++) own[i] = y[i] ? -1 : 0;
    assert_fails(ctx, folds_given(ctx, &ctx->scratch, &(ranked_rows){.n = N, .y = y, .K = 0}, own, 1, &f), RUNG_EDATA,
                 "the folds hold out no labelled row");
}

/* Folds by any numbers below that of the rows: the gaps between them are closed, and none takes all. */
static void test_given_with_gaps(void **state)
{
    rung_ctx *ctx = *state;
    folds f;
    const int ranks[] = {1, 2, 0, 1, 2, 1}, own[] = {5, 3, 3, 3, -1, 5, /* second repeat */ 4, 4, 4, 4, -1, -1};
    assert_ok(ctx, folds_given(ctx, &ctx->scratch, &(ranked_rows){.n = 6, .y = ranks, .K = 0}, own, 2, &f));
    assert_int_equal(f.count, 3);
    assert_memory_equal(f.fold, ((int[]){2, 0, -1, 0, -1, 2, 1, 1, -1, 1, -1, -1}), sizeof own);
    assert_fails(
        ctx,
        folds_given(ctx, &ctx->scratch, &(ranked_rows){.n = 6, .y = ranks, .K = 0}, (int[]){2, 2, 1, 2, 2, 2}, 1, &f),
        RUNG_EDATA, "fold 2 holds out all labelled rows, so none is left to learn from");
    const int late[] = {5, 3, 3, 3, -1, 5, 4, 4, 0, 4, 4, 4};
    assert_fails(ctx, folds_given(ctx, &ctx->scratch, &(ranked_rows){.n = 6, .y = ranks, .K = 0}, late, 2, &f),
                 RUNG_EDATA, "fold 4 holds out all");
}

static rung_status split_once(void *argument)
{
    rung_ctx *ctx = argument;
    pool mem = {0};
    folds f;
    rung_status status = folds_stratified(ctx, &mem, &(ranked_rows){.n = N, .y = y, .K = K}, 3, 2, &f);
    if (status == RUNG_OK) status = folds_holdout(ctx, &mem, &(ranked_rows){.n = N, .y = y, .K = K}, 0.5, 10, &f);
    pool_free_all(&mem);
    pool_free_all(&ctx->scratch); /* as at the end of a public call */
    return status;
}

static void test_memory(void **state) { assert_true(fail_each_allocation(split_once, *state) >= 4); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_stratified), WITH_CONTEXT(test_seed),
        WITH_CONTEXT(test_few_rows),   WITH_CONTEXT(test_random),
        WITH_CONTEXT(test_holdout),    WITH_CONTEXT(test_grouped),
        WITH_CONTEXT(test_given),      WITH_CONTEXT(test_given_with_gaps),
        WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
