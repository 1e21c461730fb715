// SPDX-License-Identifier: BSD-3-Clause
/* The loops that are compiled once per instruction set: here every form this processor can run, not only the one it
 * would choose. They are static, hence the includes. */
#include "helper.h"

#include "base/rng.h"
#include "linalg/exp.c"
#include "linalg/knn_cells.c"

typedef struct {
    const char *name;
    bool runs;
    void (*exp)(int64_t n, double factor, const double *x, double *y);
    void (*gauss)(int64_t n, const single_gauss *k, float *g);
    int64_t (*count)(int64_t n, const double *v, double limit);
    int (*below)(int64_t n, const float *g, float limit);
} form;

enum { FORMS = 3 };

static void forms_of(form all[FORMS])
{
    all[0] = (form){"plain", true, exp_plain, gauss_plain, count_plain, below_plain};
#if defined(__x86_64__) && defined(__GNUC__)
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
         avx512 = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw");
    all[1] = (form){"avx2", avx2, exp_256, gauss_256, count_avx2, below_avx2};
    all[2] = (form){"avx512", avx512, exp_512, gauss_512, count_avx512, below_avx512};
#else
    all[1] = all[2] = all[0];
#endif
}

/* Within 2 ulp of the truth in every form, so processors differ by no more than that. */
static void check_exponential(const char *name, void (*form_exp)(int64_t n, double factor, const double *x, double *y))
{
    enum { N = 1000 };
    rng r;
    rng_open(&r, 3, 0);
    for (int round = 0; round < 300; round++) {
        double x[N], y[N];
        for (int i = 0; i < N; i++) {
            double u = rng_uniform(&r);
            x[i] = round % 3 == 0 ? -746 + 1456 * u : round % 3 == 1 ? -40 * u : -1e-3 * u;
        }
        double factor = round % 2 ? 1 : -0.5;
        for (int i = 0; i < N; i++) x[i] /= factor;
        form_exp(N, factor, x, y);
        for (int i = 0; i < N; i++) x[i] *= factor;
        for (int i = 0; i < N; i++) {
            long double e = expl(x[i]);
            double want = (double)e;
            if (isinf(want) || want == 0) {
                assert_true(y[i] == want);
                continue;
            }
            double ulp = nextafter(want, INFINITY) - want, error = (double)(fabsl(y[i] - e) / ulp);
            if (!(error < 2)) fail_msg("%s: exp(%.17g) = %.17g, off by %g ulp", name, x[i], y[i], error);
        }
    }
    double special[] = {0, -0.0, -INFINITY, INFINITY, NAN, -745.133, -1000, 1000}, got[8];
    form_exp(8, 1, special, got);
    assert_true(got[0] == 1 && got[1] == 1 && got[2] == 0 && isinf(got[3]) && isnan(got[4]));
    assert_true(got[5] == exp(-745.133) && got[6] == 0 && isinf(got[7]));
}

/* Gaussians of points given by their norms and inner products: to single precision, and exactly the shift beyond 87. */
static void check_gauss(const char *name, void (*gauss)(int64_t n, const single_gauss *k, float *g))
{
    enum { N = 1000 };
    float nx[N], shift[N], g[N], dot[N];
    rng r;
    rng_open(&r, 4, 0);
    for (int i = 0; i < N; i++) {
        nx[i] = (float)(8 * rng_uniform(&r));
        shift[i] = (float)rng_uniform(&r);
        dot[i] = (float)(2 * rng_normal(&r)); /* some distances are below 0, by rounding, and count as 0 */
        g[i] = dot[i];
    }
    single_gauss k = {.nx = nx, .shift = shift, .nz = 3, .gamma = 0.7F};
    nx[0] = 1e4F;
    gauss(N, &k, g);
    for (int i = 0; i < N; i++) {
        double d2 = fmax((double)(nx[i] + k.nz - 2 * dot[i]), 0), want = exp(-(double)k.gamma * d2) - (double)shift[i];
        if (!(fabs((double)g[i] - want) < 3e-7)) fail_msg("%s: %g, not %g", name, (double)g[i], want);
    }
    assert_true(g[0] == -shift[0] || fabsf(g[0] + shift[0]) < 1e-30F);
}

static void exponentials_are_accurate(void **state)
{
    (void)state;
    form all[FORMS];
    forms_of(all);
    check_exponential("chosen", exp_scaled);
    check_gauss("chosen", single_gauss_run);
    for (int f = 0; f < FORMS; f++)
        if (all[f].runs) {
            check_exponential(all[f].name, all[f].exp);
            check_gauss(all[f].name, all[f].gauss);
        }
}

static void counts_are_equal(void **state)
{
    (void)state;
    enum { N = 301 };
    double v[N];
    float g[N];
    form all[FORMS];
    forms_of(all);
    rng r;
    rng_open(&r, 4, 0);
    for (int64_t n = 0; n <= N; n += n < 40 ? 1 : 29) {
        for (int64_t i = 0; i < n; i++) g[i] = (float)(v[i] = (double)rng_below(&r, 9));
        for (double limit = -1; limit <= 9; limit++) {
            int64_t count = 0;
            for (int64_t i = 0; i < n; i++) count += v[i] < limit;
            for (int f = 0; f < FORMS; f++) {
                if (!all[f].runs) continue;
                assert_int_equal(all[f].count(n, v, limit), count);
                assert_int_equal(all[f].below(n, g, (float)limit), count == n);
            }
        }
        if (n == 0) continue;
        g[n / 2] = NAN; /* is below nothing: what cannot be excluded is looked at */
        for (int f = 0; f < FORMS; f++)
            if (all[f].runs) assert_int_equal(all[f].below(n, g, 100), 0);
    }
}

/* The smallest by value, of equal ones the first. */
static void the_smallest_are_chosen(void **state)
{
    (void)state;
    enum { N = 60 };
    double v[N];
    int64_t chosen[N + 1];
    form all[FORMS];
    forms_of(all);
    rng r;
    rng_open(&r, 5, 0);
    for (int round = 0; round < 300; round++) {
        cell_search s = {.count_below = all[0].count};
        int64_t n = 1 + rng_below(&r, N), count = 1 + rng_below(&r, n), kinds = 1 + rng_below(&r, 12);
        double size = round % 3 == 0 ? 1 : round % 3 == 1 ? 1e-300 : 1e300;
        for (int64_t i = 0; i < n; i++) v[i] = size * ((double)rng_below(&r, kinds) - 3);
        if (round % 5 == 0) v[n - 1] = nextafter(v[0], INFINITY);
        chosen[count] = -7;
        choose_smallest(&s, n, v, count, chosen);
        assert_int_equal(chosen[count], -7);
        bool taken[N] = {false};
        for (int64_t c = 0; c < count; c++) {
            assert_false(taken[chosen[c]]);
            taken[chosen[c]] = true;
        }
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                if (taken[i] && !taken[j]) assert_true(v[i] < v[j] || (v[i] == v[j] && i < j));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_are_accurate),
        cmocka_unit_test(counts_are_equal),
        cmocka_unit_test(the_smallest_are_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
