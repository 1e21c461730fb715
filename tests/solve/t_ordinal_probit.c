// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "solve/ordinal_probit.h"

/* log(Phi(z1) - Phi(z2)): the middle one of three classes. */
static double log_interval(double z1, double z2) { return ordinal_probit_log(0, 2, 2, 3, (const double[]){z2, z1}, 1); }

static void log_differences_are_the_golden_ones(void **state)
{
    (void)state;
    int64_t n, one;
    double *z1 = read_numbers(GOLDEN("units/ordprobit_logdiff/in_z1.csv"), &n, &one),
           *z2 = read_numbers(GOLDEN("units/ordprobit_logdiff/in_z2.csv"), &n, &one),
           *expected = read_numbers(GOLDEN("units/ordprobit_logdiff/out_logdiff.csv"), &n, &one);
    for (int64_t i = 0; i < n; i++) {
        double got = log_interval(z1[i], z2[i]);
        assert_true(fabs(got - expected[i]) <= 1e-11 * fabs(expected[i]));
        assert_close(log_interval(-z2[i], -z1[i]), got, 1e-13); /* the distribution is symmetric */
    }
    free(z1);
    free(z2);
    free(expected);
}

/* Where nothing cancels long double tells the truth. */
static void moderate_values_agree_with_long_double(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 1, 1);
    for (int i = 0; i < 20000; i++) {
        double a = 12 * rng_uniform(&r) - 6, b = 12 * rng_uniform(&r) - 6, z1 = fmax(a, b), z2 = fmin(a, b);
        if (z1 - z2 < 1e-3) continue;
        long double p = 0.5L * (erfcl(-z1 / sqrtl(2)) - erfcl(-z2 / sqrtl(2)));
        if (z1 + z2 > 0) p = 0.5L * (erfcl(z2 / sqrtl(2)) - erfcl(z1 / sqrtl(2)));
        assert_close(log_interval(z1, z2), (double)logl(p), 1e-12);
        assert_close(normal_log_cdf(z1), (double)logl(0.5L * erfcl(-z1 / sqrtl(2))), 1e-14);
    }
}

static void ends_of_the_line(void **state)
{
    (void)state;
    const double b[] = {2};
    assert_true(ordinal_probit_log(0, 1, 1, 2, b, 1) == normal_log_cdf(2));
    assert_true(ordinal_probit_log(0, 2, 2, 2, b, 1) == normal_log_cdf(-2));
    assert_true(log_interval(1, 1) == -INFINITY);
    assert_true(log_interval(-1, 1) == -INFINITY);
    assert_close(normal_log_cdf(-1e10), -0.5e20, 1e-12);
    assert_true(normal_log_cdf(-1e200) == -INFINITY && normal_log_cdf(1e200) == 0);
    assert_close(normal_log_cdf(-35), normal_log_cdf(nextafter(-35, 0)), 1e-14); /* where the two forms meet */
}

static void quantiles_invert_the_distribution(void **state)
{
    (void)state;
    for (double p = 1e-300; p < 1; p = p < 0.01 ? 30 * p : p + 0.01)
        assert_close(normal_log_cdf(normal_quantile(p)), log(p), 1e-13);
    assert_close(normal_quantile(0.975), 1.959963984540054, 1e-14);
    assert_close(normal_quantile(0.5), 0, 1e-15);
}

/* r(h) = |g(x + h) - g(x) - h g'(x)| must shrink 4 times when h halves, until rounding. */
static void check_slope(double at, double plus, double half, double slope, double h)
{
    double whole = fabs(plus - at - h * slope), less = fabs(half - at - 0.5 * h * slope);
    double noise = 1e-11 * (1 + fabs(at));
    assert_true(less <= 0.3 * whole + noise);
}

static void derivatives_by_taylor_remainder(void **state)
{
    (void)state;
    const double b[] = {-1, 0.2, 0.4, 1.7}, h = 1e-3;
    double sigmas[] = {1, 0.3};
    for (int s = 0; s < 2; s++)
        for (double f = -4; f < 4.5; f += 0.37)
            for (int k = 0; k < 25; k++) {
                int y = 1 + k % 5, z = 1 + k / 5; /* an interval, or a rank */
                if (z < y) continue;
                ordinal_probit o = ordinal_probit_at(f, y, z, 5, b, sigmas[s]),
                               p = ordinal_probit_at(f + h, y, z, 5, b, sigmas[s]),
                               q = ordinal_probit_at(f + h / 2, y, z, 5, b, sigmas[s]);
                double mass = 0;
                for (int r = y; r <= z; r++) mass += exp(ordinal_probit_log(f, r, r, 5, b, sigmas[s]));
                assert_close(exp(o.lp), mass, 1e-13);
                check_slope(o.lp, p.lp, q.lp, o.delta, h);
                check_slope(o.delta, p.delta, q.delta, -o.H, h);
                check_slope(o.H, p.H, q.H, -(o.H1 + o.H2) / sigmas[s], h);
                assert_close(o.lp, ordinal_probit_log(f, y, z, 5, b, sigmas[s]), 0);
                assert_close(-(o.h11 + 2 * o.h12 + o.h22) / (sigmas[s] * sigmas[s]), o.H, 1e-8);
            }
}

/* By the thresholds: each moves one z. */
static void derivatives_in_the_thresholds(void **state)
{
    (void)state;
    const double h = 1e-3, sigma = 0.7;
    for (double f = -3; f < 3.1; f += 0.41)
        for (int k = 0; k < 16; k++)
            for (int end = 0; end < 2; end++) {
                int y = 1 + k % 4, z = 1 + k / 4, j = end ? z - 1 : y - 2;
                if (z < y || j < 0 || j > 2) continue;
                double b[] = {-1, 0.3, 1.4}, up[] = {-1, 0.3, 1.4}, half[] = {-1, 0.3, 1.4};
                up[j] += h;
                half[j] += h / 2;
                ordinal_probit o = ordinal_probit_at(f, y, z, 4, b, sigma),
                               p = ordinal_probit_at(f, y, z, 4, up, sigma),
                               q = ordinal_probit_at(f, y, z, 4, half, sigma);
                bool upper = end;
                check_slope(o.lp, p.lp, q.lp, (upper ? o.e1 : -o.e2) / sigma, h);
                check_slope(o.delta, p.delta, q.delta, -(upper ? o.h11 + o.h12 : o.h12 + o.h22) / (sigma * sigma), h);
                check_slope(o.H, p.H, q.H, (upper ? o.H1 : o.H2) / sigma, h);
                check_slope(upper ? o.e1 : -o.e2, upper ? p.e1 : -p.e2, upper ? q.e1 : -q.e2,
                            (upper ? o.h11 : o.h22) / sigma, h);
            }
}

/* All ranks: nothing is said. */
static void an_interval_of_all_ranks(void **state)
{
    (void)state;
    const double b[] = {-1, 0.3, 1.4};
    ordinal_probit o = ordinal_probit_at(7, 1, 4, 4, b, 0.3);
    assert_true(o.lp == 0 && o.delta == 0 && o.H == 0 && o.e1 == 0 && o.e2 == 0 && o.h11 == 0 && o.h12 == 0);
}

/* However far away and however narrow: finite, concave, pulling the right way. */
static void extremes_stay_sane(void **state)
{
    (void)state;
    for (double width = 1e-12; width < 10; width *= 10)
        for (double f = -1e4; f <= 1e4; f = f < -1e-3 ? f / 3 : f < 1e-3 ? f + 2e-3 : f * 3) {
            double b[] = {-width / 2, width / 2};
            for (int y = 1; y <= 3; y++) {
                ordinal_probit o = ordinal_probit_at(f, y, y, 3, b, 1);
                assert_true(isfinite(o.lp) && o.lp <= 0 && isfinite(o.delta) && isfinite(o.e1) && isfinite(o.e2));
                assert_true(o.H >= 0 && o.H <= 1);
                if (y == 2 && fabs(f) > 1) assert_true(o.delta * f < 0);
            }
            ordinal_probit middle = ordinal_probit_at(f, 2, 2, 3, b, 1);
            if (width <= 1e-6 && fabs(f) < 100) { /* a narrow class is an observation of f with noise sigma */
                assert_close(middle.delta, -f, 1e-5);
                assert_close(middle.H, 1, 1e-5);
            }
        }
}

static void classes_share_the_mass(void **state)
{
    (void)state;
    const double b[] = {-1, 0.5, 2};
    double p[4], wide[4];
    for (double mean = -1e3; mean <= 1e3; mean += 10.1) {
        ordinal_probit_classes(mean, 0.5, 4, b, 0.1, p);
        double sum = 0;
        for (int q = 0; q < 4; q++) {
            assert_true(p[q] >= 0 && p[q] <= 1);
            sum += p[q];
        }
        assert_close(sum, 1, 1e-15);
    }
    ordinal_probit_classes(1e300, 1, 4, b, 1, p);
    assert_true(p[3] == 1 && p[0] == 0 && p[1] == 0);
    const double close[] = {-1e-200, 0, 1e-200}; /* their squares underflow */
    ordinal_probit_classes(1e300, 0, 4, close, 1e-200, p);
    assert_true(p[3] == 1 && p[0] == 0 && p[1] == 0 && p[2] == 0);
    ordinal_probit_classes(0, 0, 4, close, 1e-200, p);
    assert_close(p[0], 0.5 * erfc(1 / sqrt(2)), 1e-14);
    assert_close(p[0] + p[1], 0.5, 1e-15);
    ordinal_probit_classes(0.2, 3, 4, b, 1, wide); /* noise 1 and variance 3 are noise 2 */
    ordinal_probit_classes(0.2, 0, 4, b, 2, p);
    assert_arrays_close(4, wide, p, 1e-15);
    assert_close(p[0], 0.5 * erfc(0.6 / sqrt(2)), 1e-14);
    ordinal_probit_classes(0.2, 1, 1, NULL, 1, p); /* one class */
    assert_true(p[0] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_differences_are_the_golden_ones),
        cmocka_unit_test(moderate_values_agree_with_long_double),
        cmocka_unit_test(ends_of_the_line),
        cmocka_unit_test(quantiles_invert_the_distribution),
        cmocka_unit_test(derivatives_by_taylor_remainder),
        cmocka_unit_test(derivatives_in_the_thresholds),
        cmocka_unit_test(an_interval_of_all_ranks),
        cmocka_unit_test(extremes_stay_sane),
        cmocka_unit_test(classes_share_the_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
