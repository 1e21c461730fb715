// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "eval/reliability.h"

static void test_by_hand(void **state)
{
    const int truth[] = {1, 2, 0, 2, 1};
    const double proba[] = {0.6, 0.4, /* bin 3, right */ 0.7,    0.3, /* bin 3, wrong */ 0.9, 0.1, /* left out */
                            0.0, 1.0, /* last bin, right */ 0.5, 0.5 /* an edge: bin 3 of 5 is 0.4..0.6 */};
    rung_reliability_bin bin[5];
    double ece;
    assert_ok(*state, reliability_compute(*state, 5, 2, truth, proba, 5, bin, &ece));
    assert_int_equal(bin[0].n + bin[1].n, 0);
    assert_int_equal(bin[2].n, 1);
    assert_int_equal(bin[3].n, 2);
    assert_int_equal(bin[4].n, 1);
    assert_true(isnan(bin[0].confidence) && isnan(bin[0].accuracy));
    assert_close(bin[3].confidence, 0.65, 1e-15);
    assert_close(bin[3].accuracy, 0.5, 1e-15);
    assert_true(bin[2].accuracy == 1); /* of equal classes the lower one counts as the most probable */
    assert_true(bin[4].confidence == 1 && bin[4].accuracy == 1);
    assert_close(bin[3].low, 0.6, 1e-15);
    assert_close(bin[3].high, 0.8, 1e-15);
    assert_close(ece, (1 * 0.5 + 2 * 0.15) / 4, 1e-15);
}

/* Labels drawn from the probabilities themselves are well calibrated; certainty about coin flips is not. */
static void test_honest_and_boastful(void **state)
{
    enum { N = 20000 };
    static double honest[N * 2], boastful[N * 2];
    static int truth[N];
    rng r;
    rng_open(&r, 1, 1);
    for (int i = 0; i < N; i++) {
        double p = rng_uniform(&r);
        honest[2 * i] = p;
        honest[2 * i + 1] = 1 - p;
        boastful[2 * i] = p > 0.5;
        boastful[2 * i + 1] = p <= 0.5;
        truth[i] = rng_uniform(&r) < p ? 1 : 2;
    }
    rung_reliability_bin bin[10];
    double good, bad;
    assert_ok(*state, reliability_compute(*state, N, 2, truth, honest, 10, bin, &good));
    assert_true(good < 0.02);
    assert_ok(*state, reliability_compute(*state, N, 2, truth, boastful, 10, bin, &bad));
    assert_true(fabs(bad - 0.25) < 0.02); /* right in three of four rows, sure of all */
}

static void test_refusals(void **state)
{
    const int nothing[] = {0}, high[] = {3}, one[] = {1};
    const double good[] = {0.5, 0.5}, bad[] = {1.5, -0.5};
    rung_reliability_bin bin[2];
    double ece;
    assert_fails(*state, reliability_compute(*state, 1, 2, nothing, good, 2, bin, &ece), RUNG_EDATA, "no labelled row");
    assert_fails(*state, reliability_compute(*state, 1, 2, high, good, 2, bin, &ece), RUNG_EARG, "row 1");
    assert_fails(*state, reliability_compute(*state, 1, 2, one, bad, 2, bin, &ece), RUNG_EARG, "not a probability");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_by_hand),
        WITH_CONTEXT(test_honest_and_boastful),
        WITH_CONTEXT(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
