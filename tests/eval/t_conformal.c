// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "eval/conformal.h"

static const double P[] = {0.1, 0.15, 0.4, 0.25, 0.1};

/* From rank 3 the range grows by 4, 2, then (a tie) 1, and 5. */
static void test_scores_by_hand(void **state)
{
    (void)state;
    assert_close(conformal_score(5, P, 3, 3), 0.2, 1e-15);
    assert_close(conformal_score(5, P, 3, 4), 0.4 + 0.125, 1e-15);
    assert_close(conformal_score(5, P, 3, 2), 0.65 + 0.075, 1e-15);
    assert_close(conformal_score(5, P, 3, 1), 0.8 + 0.05, 1e-15);
    assert_close(conformal_score(5, P, 3, 5), 0.9 + 0.05, 1e-15);
    assert_close(conformal_score(5, P, 1, 5), 0.9 + 0.05, 1e-15); /* from an end there is one way only */
    assert_close(conformal_score(1, (double[]){1}, 1, 1), 0.5, 0);
}

/* A range holds exactly the ranks whose score is within the limit, and the predicted one always. */
static void test_ranges_and_scores_agree(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 7, 1);
    for (int trial = 0; trial < 2000; trial++) {
        int K = 1 + trial % 7, start = 1 + (int)(rng_uniform(&r) * K), low, high;
        double p[7], sum = 0, limit = 1.1 * rng_uniform(&r);
        for (int q = 0; q < K; q++) sum += p[q] = trial % 3 ? rng_uniform(&r) : 1; /* also all alike */
        for (int q = 0; q < K; q++) p[q] /= sum;
        conformal_range(K, p, start, limit, &low, &high);
        assert_in_range(low, 1, start);
        assert_in_range(high, start, K);
        for (int y = 1; y <= K; y++) {
            bool within = y == start || conformal_score(K, p, start, y) <= limit;
            if (within != (low <= y && y <= high)) fail_msg("trial %d: rank %d, limit %g", trial, y, limit);
        }
        conformal_range(K, p, start, INFINITY, &low, &high);
        assert_true(low == 1 && high == K);
    }
}

static void test_limit_by_hand(void **state)
{
    double score[] = {0.9, 0.1, 0.5, 0.3};
    int rank[] = {1, 2, 3, 4};
    conformal c = {.repeats = 1, .n = 4, .score = score, .rank = rank};
    assert_ok(*state, conformal_sort(*state, &c));
    for (int i = 0; i < 4; i++) assert_int_equal(rank[i], ((int[]){2, 4, 3, 1})[i]);
    assert_arrays_close(4, score, ((double[]){0.1, 0.3, 0.5, 0.9}), 0);
    assert_close(conformal_limit(&c, 0.4), 0.4, 1e-8); /* two of five places and a half: from the second to the third */
    assert_close(conformal_limit(&c, 0.5), 0.5, 1e-8);
    assert_close(conformal_limit(&c, 0.66), 0.82, 1e-8);
    assert_close(conformal_limit(&c, 0.8), 0.9, 1e-8); /* four and a half: there is no fifth */
    assert_close(conformal_limit(&c, 0.05), 0.075, 1e-8);
    assert_true(isinf(conformal_limit(&c, 0.81)));
    c.missed = 1; /* a fifth row, above all */
    assert_close(conformal_limit(&c, 0.5), 0.7, 1e-8);
    assert_true(isinf(conformal_limit(&c, 0.7)));
    c = (conformal){.repeats = 2, .n = 4, .score = score}; /* two rows, twice: their middles are at 1.5 and 3.5 */
    assert_close(conformal_limit(&c, 1. / 3), 0.2, 1e-8);
    assert_close(conformal_limit(&c, 0.5), 0.4, 1e-8);
    assert_close(conformal_limit(&c, 2. / 3), 0.7, 1e-8);
    assert_true(isinf(conformal_limit(&c, 0.7)));
    c = (conformal){.repeats = 1}; /* one label per class: none was held out */
    assert_true(isinf(conformal_limit(&c, 0.1)));
}

/* Nine rows are enough for 0.9, eight are not. */
static void test_least_rows(void **state)
{
    (void)state;
    double score[9] = {0};
    conformal c = {.repeats = 1, .n = 9, .score = score};
    assert_true(isfinite(conformal_limit(&c, 0.9)));
    c.n = 8;
    assert_true(isinf(conformal_limit(&c, 0.9)));
}

/* Rows drawn alike are covered as stated, also where the probabilities are wrong (here: those of other rows). */
static void test_coverage(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 39, TRIALS = 4000, K = 5 };
    rng r;
    rng_open(&r, 3, 1);
    int64_t covered = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double score[ROWS], p[K];
        conformal c = {.repeats = 1, .n = ROWS, .score = score};
        for (int i = 0; i <= ROWS; i++) {
            double x = 1 + 3 * rng_uniform(&r), sum = 0;
            int y = (int)fmin(K, fmax(1, round(x + rng_normal(&r))));
            for (int q = 0; q < K; q++) sum += p[q] = exp(-fabs(q + 1 - x));
            for (int q = 0; q < K; q++) p[q] /= sum;
            int start = (int)round(x), low, high;
            if (i < ROWS) {
                score[i] = conformal_score(K, p, start, y);
                continue;
            }
            assert_ok(ctx, conformal_sort(ctx, &c));
            conformal_range(K, p, start, conformal_limit(&c, 0.8), &low, &high);
            covered += low <= y && y <= high;
        }
    }
    /* half a row of forty more than stated; three standard errors */
    assert_true(fabs((double)covered / TRIALS - 0.8 - 0.5 / (ROWS + 1)) < 0.02);
}

/* Classes of .6, .3 and .1, which probabilities hardly tell apart: a common limit leaves out the rare class, limits by
 * class hold every one as stated. */
static void test_coverage_by_class(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 150, TRIALS = 2000, K = 3 };
    rng r;
    rng_open(&r, 5, 1);
    double seen[K] = {0}, common[K] = {0}, own[K] = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        double score[ROWS], p[K], limit[K];
        int rank[ROWS], low, high;
        conformal c = {.repeats = 1, .n = ROWS, .score = score, .rank = rank};
        for (int i = 0; i <= ROWS; i++) {
            double u = rng_uniform(&r), shift = 0.1 * rng_uniform(&r);
            int y = u < 0.6 ? 1 : u < 0.9 ? 2 : 3;
            p[0] = 0.6 + shift, p[1] = 0.3 - shift / 2, p[2] = 0.1 - shift / 2;
            if (i < ROWS) {
                rank[i] = y;
                score[i] = conformal_score(K, p, 1, y);
                continue;
            }
            assert_ok(ctx, conformal_sort(ctx, &c));
            assert_ok(ctx, conformal_limits(ctx, &c, 0.8, K, limit));
            seen[y - 1]++;
            conformal_range(K, p, 1, conformal_limit(&c, 0.8), &low, &high);
            common[y - 1] += low <= y && y <= high;
            conformal_range_by_class(K, p, 1, limit, &low, &high);
            own[y - 1] += low <= y && y <= high;
        }
    }
    assert_true(common[2] / seen[2] < 0.1);
    for (int q = 0; q < K; q++) assert_true(own[q] / seen[q] > 0.77);
}

/* A class with too few rows has the common limit, or the largest of its own scores. */
static void test_few_rows_of_a_class(void **state)
{
    rung_ctx *ctx = *state;
    double score[40], limit[4];
    int rank[40];
    conformal c = {.repeats = 1, .n = 40, .score = score, .rank = rank};
    for (int i = 0; i < 40; i++) {
        score[i] = (i + 1) / 50.;
        rank[i] = i == 2 ? 2 : i >= 37 ? 3 : 1;
    }
    assert_ok(ctx, conformal_limits(ctx, &c, 0.8, 4, limit));
    assert_true(limit[0] < conformal_limit(&c, 0.8));
    assert_close(limit[1], conformal_limit(&c, 0.8), 0);
    assert_close(limit[2], score[39], 0);
    assert_close(limit[3], conformal_limit(&c, 0.8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_by_hand),
        cmocka_unit_test(test_ranges_and_scores_agree),
        WITH_CONTEXT(test_limit_by_hand),
        cmocka_unit_test(test_least_rows),
        WITH_CONTEXT(test_coverage),
        WITH_CONTEXT(test_coverage_by_class),
        WITH_CONTEXT(test_few_rows_of_a_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
