// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "solve/link.h"

enum { LINKS = 5 };

static void quantiles_invert_the_distribution(void **state)
{
    (void)state;
    for (int link = 0; link < LINKS; link++)
        for (double p = 1e-12; p < 1; p = p < 0.01 ? 30 * p : p + 0.01) {
            double x = link_quantile((link_kind)link, p);
            assert_close(link_below((link_kind)link, x), p, 1e-12);
            assert_close(link_above((link_kind)link, x), 1 - p, 1e-12);
        }
}

static void slopes_are_those_of_the_distribution(void **state)
{
    (void)state;
    for (int link = 0; link < LINKS; link++)
        for (double x = -4; x < 3; x += 0.37) {
            link_kind l = (link_kind)link;
            double h = 1e-5;
            assert_close(link_density(l, x), (link_below(l, x + h) - link_below(l, x - h)) / (2 * h), 1e-8);
            assert_close(link_bend(l, x), (link_density(l, x + h) - link_density(l, x - h)) / (2 * h), 1e-8);
        }
}

/* Of a class at an end of the scale and of one in the middle. */
static void check_site(link_kind link, double u, double v)
{
    double h = 1e-5, p = link_between(link, u, v);
    bool above = u<INFINITY, below = v> - INFINITY;
    link_site t = link_site_at(link, u, v);
    assert_close(t.lp, log(p), 1e-10);
    assert_close(t.g1, link_density(link, u) / p, 1e-9);
    assert_close(t.g2, -link_density(link, v) / p, 1e-9);
    link_site up = link_site_at(link, u + h, v), down = link_site_at(link, u - h, v);
    assert_close(t.h11, above ? (up.g1 - down.g1) / (2 * h) : 0, 1e-6);
    assert_close(t.h12, above && below ? (up.g2 - down.g2) / (2 * h) : 0, 1e-6);
    up = link_site_at(link, u, v + h);
    down = link_site_at(link, u, v - h);
    assert_close(t.h22, below ? (up.g2 - down.g2) / (2 * h) : 0, 1e-6);
}

static void derivatives_are_those_of_the_likelihood(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 1, 1);
    for (int link = 0; link < LINKS; link++)
        for (int i = 0; i < 300; i++) {
            double v = 5 * rng_uniform(&r) - 3, u = v + 0.05 + 3 * rng_uniform(&r);
            if (u > 2.5) continue;
            check_site((link_kind)link, u, v);
            check_site((link_kind)link, u, -INFINITY);
            check_site((link_kind)link, INFINITY, v);
        }
}

/* Far from the class the likelihood is tiny, not 0, and all derivatives are finite. */
static void tails_are_finite(void **state)
{
    (void)state;
    for (int link = 0; link < LINKS; link++)
        for (double at = -25; at <= 6; at += 0.5) {
            const double ends[][2] = {{at, -INFINITY}, {INFINITY, at}, {at + 0.1, at}, {at + 1e-7, at}};
            for (int e = 0; e < 4; e++) {
                link_site t = link_site_at((link_kind)link, ends[e][0], ends[e][1]);
                if (link == LINK_LOGLOG && at < -6) continue; /* exp(-exp(25)): below any number */
                assert_true(isfinite(t.lp) && t.lp <= 0);
                assert_true(isfinite(t.g1) && isfinite(t.g2) && isfinite(t.h11) && isfinite(t.h12) && isfinite(t.h22));
                assert_true(t.g1 >= 0 && t.g2 <= 0);
            }
        }
    /* a class of cloglog far below: p = e^u - e^v */
    link_site t = link_site_at(LINK_CLOGLOG, -20, -21);
    assert_close(t.lp, -20 + log(-expm1(-1)), 1e-8);
    t = link_site_at(LINK_CAUCHIT, 1e8 + 1, 1e8);
    assert_close(t.lp, log(1 / 3.14159265358979323846 / 1e16), 1e-7);
    assert_true(link_site_at(LINK_CLOGLOG, 1, 1).lp == -INFINITY);
    for (int link = 0; link < LINKS; link++) assert_close(link_site_at((link_kind)link, INFINITY, -INFINITY).lp, 0, 0);
}

static void of_a_row_and_of_its_thresholds(void **state)
{
    (void)state;
    const double b[] = {-1, 0.2, 1.5};
    for (int link = 0; link < LINKS; link++)
        for (int low = 1; low <= 4; low++)
            for (int high = low; high <= 4; high++) {
                double u = high < 4 ? b[high - 1] - 0.3 : INFINITY, v = low > 1 ? b[low - 2] - 0.3 : -INFINITY;
                link_site t = link_site_of((link_kind)link, 0.3, low, high, 4, b);
                assert_close(t.lp, log(link_between((link_kind)link, u, v)), 1e-12);
                assert_close(t.g1, link_site_at((link_kind)link, u, v).g1, 1e-12);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_invert_the_distribution), cmocka_unit_test(slopes_are_those_of_the_distribution),
        cmocka_unit_test(derivatives_are_those_of_the_likelihood), cmocka_unit_test(tails_are_finite),
        cmocka_unit_test(of_a_row_and_of_its_thresholds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
