// SPDX-License-Identifier: BSD-3-Clause
/* Known answers: the authors' reference sequence of xoshiro256** for the state 1, 2, 3, 4, and states computed with
 * arbitrary-precision integers outside this library. Statistical bounds are at five standard deviations, with fixed
 * seeds: a right generator passes always, a wrong one almost never. */
#include "helper.h"

#include "base/rng.h"

static void bits_follow_the_reference(void **state)
{
    (void)state;
    const uint64_t expected[] = {11520u,
                                 0u,
                                 1509978240u,
                                 1215971899390074240u,
                                 1216172134540287360u,
                                 607988272756665600u,
                                 16172922978634559625u,
                                 8476171486693032832u,
                                 10595114339597558777u,
                                 2904607092377533576u};
    rng r = {.s = {1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) assert_true(rng_bits(&r) == expected[i]);
}

static void seeds_and_streams_give_the_known_states(void **state)
{
    (void)state;
    const struct {
        uint64_t seed, stream, s[4], bits[3];
    } known[] = {
        {1,
         0,
         {0x32b1996dd42c3fc3, 0x9b5ef91fda1bca67, 0x1c253fe1c74c303d, 0x780a0b2c828b26b1},
         {0xd8e54cab714a0da4, 0x49667d3560ddf4f6, 0x9d6170163cbc87b5}},
        {1,
         1,
         {0x8dee3bb958a2a02a, 0xe04114be6cbecb86, 0x029e91d8ea2f8779, 0x5e72f8f50c95d5d5},
         {0xb852bc8ec4e348b0, 0xdf46ad079050b93d, 0xb24d5fa8b9deed8b}},
        {0,
         0,
         {0x419b1cb82633aead, 0x4bcdead41e2c43f4, 0xe272c017bc77202c, 0xf14035141e856e56},
         {0x9923a4a6e3f8f425, 0x2ec9db23360ecae4, 0x9d6e02d1d3f613e5}},
        {UINT64_MAX,
         UINT64_MAX,
         {0x7a7695b797520b67, 0x95c78bb73b8ba3f7, 0xacd6ef2dc2cb8bbf, 0x7b01308d2df0ba7d},
         {0x09c79abbc5e939a6, 0xa2b27e2c9817a2e8, 0x44f90ac33d90caef}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        rng r;
        rng_open(&r, known[i].seed, known[i].stream);
        for (int j = 0; j < 4; j++) assert_true(r.s[j] == known[i].s[j]);
        for (int j = 0; j < 3; j++) assert_true(rng_bits(&r) == known[i].bits[j]);
    }
}

static void streams_differ_and_repeat(void **state)
{
    (void)state;
    enum { N = 200 };
    uint64_t first[N];
    for (int i = 0; i < N; i++) { /* neighbouring seeds and streams, as tasks use them */
        rng r;
        rng_open(&r, (uint64_t)(i / 20), (uint64_t)(i % 20));
        first[i] = rng_bits(&r);
        for (int j = 0; j < i; j++) assert_true(first[i] != first[j]);
    }
    rng a, b;
    rng_open(&a, 5, 9);
    rng_open(&b, 5, 9);
    for (int i = 0; i < 1000; i++) assert_true(rng_bits(&a) == rng_bits(&b));
}

static void uniform_is_in_range_with_the_right_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    rng r;
    rng_open(&r, 3, 0);
    double sum = 0, square = 0, lag = 0, last = 0.5;
    for (int i = 0; i < N; i++) {
        double u = rng_uniform(&r);
        assert_true(u >= 0 && u < 1);
        assert_true(ldexp(u, 53) == floor(ldexp(u, 53)));
        sum += u - 0.5;
        square += (u - 0.5) * (u - 0.5);
        lag += (u - 0.5) * (last - 0.5);
        last = u;
    }
    assert_true(fabs(sum / N) < 5 * sqrt(1.0 / 12 / N));
    assert_true(fabs(square / N - 1.0 / 12) < 5 * sqrt(1.0 / 180 / N));
    assert_true(fabs(lag / N) < 5 * sqrt(1.0 / 144 / N));
    rng top = {.s = {0, 0, 0, 0}}; /* the smallest value there is */
    assert_true(rng_uniform(&top) == 0);
}

static void below_is_uniform_for_small_and_large_ranges(void **state)
{
    (void)state;
    enum { N = 120000, MOST = 12 };
    rng r;
    rng_open(&r, 11, 2);
    for (int n = 1; n <= MOST; n++) {
        double count[MOST] = {0}, chi = 0;
        for (int i = 0; i < N; i++) {
            int64_t x = rng_below(&r, n);
            assert_in_range(x, 0, n - 1);
            count[x]++;
        }
        double want = (double)N / n;
        for (int i = 0; i < n; i++) chi += (count[i] - want) * (count[i] - want) / want;
        assert_true(chi < n - 1 + 5 * sqrt(2.0 * (n - 1)) + 1e-9);
    }
    /* A range of 3/4 of 2^63: a plain remainder or product would hit the lower third twice as often. */
    const int64_t range = INT64_C(3) << 61;
    double count[3] = {0};
    for (int i = 0; i < N; i++) {
        int64_t x = rng_below(&r, range);
        assert_true(x >= 0 && x < range);
        count[x / (INT64_C(1) << 61)]++;
    }
    for (int i = 0; i < 3; i++) assert_true(fabs(count[i] - N / 3.0) < 5 * sqrt(N * 2.0 / 9));
    assert_in_range(rng_below(&r, INT64_MAX), 0, INT64_MAX - 1);
}

static void normal_has_the_right_moments_and_quantiles(void **state)
{
    (void)state;
    enum { N = 400000 };
    rng r;
    rng_open(&r, 8, 1);
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0, inside1 = 0, inside2 = 0, lag = 0, last = 0;
    for (int i = 0; i < N; i++) {
        double x = rng_normal(&r);
        assert_true(isfinite(x));
        m1 += x, m2 += x * x, m3 += x * x * x, m4 += x * x * x * x;
        lag += x * last, last = x;
        inside1 += fabs(x) < 1, inside2 += fabs(x) < 2;
    }
    assert_true(fabs(m1 / N) < 5 * sqrt(1.0 / N));
    assert_true(fabs(m2 / N - 1) < 5 * sqrt(2.0 / N));
    assert_true(fabs(m3 / N) < 5 * sqrt(15.0 / N));
    assert_true(fabs(m4 / N - 3) < 5 * sqrt(96.0 / N));
    assert_true(fabs(lag / N) < 5 * sqrt(1.0 / N));
    assert_true(fabs(inside1 / N - erf(1 / sqrt(2.0))) < 5 * sqrt(0.25 / N));
    assert_true(fabs(inside2 / N - erf(2 / sqrt(2.0))) < 5 * sqrt(0.25 / N));
}

static void shuffle_makes_every_order_equally_often(void **state)
{
    (void)state;
    enum { N = 48000 };
    rng r;
    rng_open(&r, 21, 0);
    double count[4][4] = {{0}}, order[64] = {0};
    for (int i = 0; i < N; i++) {
        int64_t v[4] = {0, 1, 2, 3};
        rng_shuffle(&r, v, 4);
        assert_int_equal(v[0] + v[1] + v[2] + v[3], 6);
        assert_int_equal((1 << v[0]) | (1 << v[1]) | (1 << v[2]) | (1 << v[3]), 15);
        for (int j = 0; j < 4; j++) count[j][v[j]]++;
        order[v[0] * 16 + v[1] * 4 + v[2]]++;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) assert_true(fabs(count[i][j] - N / 4.0) < 5 * sqrt(N * 3.0 / 16));
    int orders = 0;
    for (int i = 0; i < 64; i++)
        if (order[i] > 0) {
            orders++;
            assert_true(fabs(order[i] - N / 24.0) < 5 * sqrt(N * 23.0 / 576));
        }
    assert_int_equal(orders, 24);
    int64_t one = 5;
    rng_shuffle(&r, &one, 1);
    assert_int_equal(one, 5);
    rng_shuffle(&r, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_follow_the_reference),
        cmocka_unit_test(seeds_and_streams_give_the_known_states),
        cmocka_unit_test(streams_differ_and_repeat),
        cmocka_unit_test(uniform_is_in_range_with_the_right_moments),
        cmocka_unit_test(below_is_uniform_for_small_and_large_ranges),
        cmocka_unit_test(normal_has_the_right_moments_and_quantiles),
        cmocka_unit_test(shuffle_makes_every_order_equally_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
