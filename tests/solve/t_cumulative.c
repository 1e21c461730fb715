// SPDX-License-Identifier: BSD-3-Clause
/* Cumulative probabilities: what makes them valid, sharper, and turns them into classes. */
#include "helper.h"

#include "solve/cumulative.h"

static void test_repair(void **state)
{
    (void)state;
    double valid[] = {0.9, 0.5, 0.5, 0.1}, copy[] = {0.9, 0.5, 0.5, 0.1};
    cumulative_repair(5, valid);
    assert_arrays_close(4, valid, copy, 0);
    double bad[] = {1.3, 0.2, 0.6, -0.1}; /* clipped: 1 .2 .6 0; minima 1 .2 .2 0, maxima 1 .6 .6 0 */
    cumulative_repair(5, bad);
    assert_arrays_close(4, bad, ((double[]){1, 0.4, 0.4, 0}), 1e-15);
    double up[] = {0.1, 0.3, 0.8};
    cumulative_repair(4, up);
    assert_arrays_close(3, up, ((double[]){0.45, 0.45, 0.45}), 1e-15);
    cumulative_repair(1, NULL); /* one class: nothing to do */
    enum { MANY = 700 };        /* repaired in parts: as by the definition */
    double P[MANY], given[MANY], smallest = 1;
    for (int q = 0; q < MANY; q++) P[q] = given[q] = 0.5 + 0.45 * sin(q * 0.7) - 0.05 * q / MANY;
    cumulative_repair(MANY + 1, P);
    for (int q = 0; q < MANY; q++) {
        double largest = 0;
        for (int r = q; r < MANY; r++) largest = fmax(largest, given[r]);
        smallest = fmin(smallest, given[q]);
        assert_true(P[q] == 0.5 * (smallest + largest));
    }
}

static void test_classes_and_back(void **state)
{
    (void)state;
    double P[] = {0.75, 0.5, 0.125, 9}, p[4];
    cumulative_classes(4, P, p);
    assert_arrays_close(4, p, ((double[]){0.25, 0.25, 0.375, 0.125}), 0);
    cumulative_classes(4, P, P); /* in place */
    assert_arrays_close(4, P, p, 0);
    cumulative_sums(4, P, P);
    assert_arrays_close(3, P, ((double[]){0.75, 0.5, 0.125}), 0);
    assert_int_equal(cumulative_rank(4, P), 2); /* 1/2 goes down */
    assert_close(cumulative_error(4, P, 3, 3), 0.0625 + 0.25 + 0.015625, 1e-15);
    double one;
    cumulative_classes(1, NULL, &one);
    assert_true(one == 1);
    assert_int_equal(cumulative_rank(1, NULL), 1);
}

static void test_power(void **state)
{
    (void)state;
    double score[] = {1e-300, 2e-300, -1}, prior[] = {0.5, 0.25, 0.25}, p[3];
    cumulative_power(3, score, prior, 2, p);
    assert_arrays_close(3, p, ((double[]){0.2, 0.8, 0}), 1e-15);
    cumulative_power(3, ((double[]){0, 0, -2}), prior, 2, p); /* nothing arrived */
    assert_arrays_close(3, p, ((double[]){4.0 / 6, 1.0 / 6, 1.0 / 6}), 1e-15);
}

static void test_sharpen(void **state)
{
    (void)state;
    double P[] = {1, 0.8, 0.5, 0.2, 0};
    cumulative_sharpen(6, 2, P);
    assert_true(P[0] > 1 - 2e-12 && P[0] < 1 && P[4] > 0 && P[4] < 2e-12);
    assert_close(P[1], 16.0 / 17, 1e-15);
    assert_true(P[2] == 0.5); /* no median changes */
    assert_close(P[3], 1.0 / 17, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_classes_and_back),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_sharpen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
