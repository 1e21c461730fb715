// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "eval/real.h"

static void test_by_hand(void **state)
{
    const double truth[] = {1, NAN, 3, 4, 8}, predicted[] = {2, 99, 3, 2, 9};
    rung_real_metrics m;
    assert_ok(*state, real_metrics_compute(*state, 5, truth, predicted, &m));
    assert_int_equal(m.n, 4);
    assert_true(m.mae == 1);
    assert_true(m.mse == 1.5);
    assert_close(m.rmse, sqrt(1.5), 1e-15);
    assert_close(m.r2, 1 - 6.0 / 26, 1e-15); /* about the mean 4: 9 + 1 + 0 + 16 */
}

static void test_best_and_constant(void **state)
{
    const double truth[] = {0.1, 0.2, 0.7}, mean[] = {1 / 3.0, 1 / 3.0, 1 / 3.0}, same[] = {0.1, 0.1, 0.1};
    rung_real_metrics m;
    assert_ok(*state, real_metrics_compute(*state, 3, truth, truth, &m));
    assert_true(m.mae == 0 && m.mse == 0 && m.rmse == 0 && m.r2 == 1);
    assert_ok(*state, real_metrics_compute(*state, 3, truth, mean, &m));
    assert_close(m.r2, 0, 1e-15);
    assert_ok(*state, real_metrics_compute(*state, 3, same, mean, &m)); /* nothing to explain */
    assert_true(isnan(m.r2));
    assert_close(m.mae, 1 / 3.0 - 0.1, 1e-15);
}

static void test_refusals(void **state)
{
    const double nothing[] = {NAN, NAN}, good[] = {1, 2}, infinite[] = {1, INFINITY}, missing[] = {1, NAN};
    rung_real_metrics m;
    assert_fails(*state, real_metrics_compute(*state, 2, nothing, good, &m), RUNG_EDATA, "no labelled row");
    assert_fails(*state, real_metrics_compute(*state, 0, good, good, &m), RUNG_EDATA, "no labelled row");
    assert_fails(*state, real_metrics_compute(*state, 2, infinite, good, &m), RUNG_EARG, "row 2: truth inf");
    assert_fails(*state, real_metrics_compute(*state, 2, good, missing, &m), RUNG_EARG, "row 2: truth 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_by_hand),
        WITH_CONTEXT(test_best_and_constant),
        WITH_CONTEXT(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
