// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "method/target/secular.h"

enum { MOST = 8 };

static double length2(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

static double energy(int64_t n, const double *mu, const double *f, const double *xi)
{
    double sum = 0;
    for (int64_t a = 0; a < n; a++) sum += mu[a] * xi[a] * xi[a] + 2 * f[a] * xi[a];
    return sum;
}

/* Stationary, on the sphere, and the multiplier not above the smallest eigenvalue: a global minimum. */
static void check_minimum(int64_t n, const double *mu, const double *f, double rho2, const double *xi,
                          const secular_root *root, double tolerance)
{
    double scale = fabs(mu[n - 1]) + fabs(mu[0]) + sqrt(length2(n, f));
    assert_close(length2(n, xi) / rho2, 1, tolerance);
    assert_true(root->mu <= mu[0]);
    for (int64_t a = 0; a < n; a++)
        assert_true(fabs((mu[a] - root->mu) * xi[a] + f[a]) <= tolerance * scale * sqrt(rho2 + 1));
}

/* ---- golden numbers ---- */

static void check_unit(const char *name, double rho2, double mu, bool hard, double least)
{
    char path[300];
    int64_t n, one;
    snprintf(path, sizeof path, GOLDEN("units/%s/in_mu_a.csv"), name);
    double *values = read_numbers(path, &n, &one);
    snprintf(path, sizeof path, GOLDEN("units/%s/in_f.csv"), name);
    double *f = read_numbers(path, &n, &one);
    snprintf(path, sizeof path, GOLDEN("units/%s/out_abs_xi.csv"), name);
    double *expected = read_numbers(path, &n, &one), xi[MOST];
    secular_root root;
    secular_solve(n, values, f, rho2, xi, &root);
    assert_close(root.mu, mu, 1e-10);
    assert_int_equal(root.hard, hard);
    assert_close(energy(n, values, f, xi), least, 1e-10);
    for (int64_t a = 0; a < n; a++) assert_close(fabs(xi[a]), expected[a], 1e-10);
    free(values);
    free(f);
    free(expected);
}

static void golden_units(void **state)
{
    (void)state;
    check_unit("ot_secular_ordinary", 0.6, -0.00808760731335, false, -0.154875334793);
    check_unit("ot_secular_hard", 0.7, 0.1, true, -0.005);
    check_unit("ot_secular_zero_f1_not_hard", 0.7, -0.708647833532, false, -1.34828994957);
}

/* ---- against all roots ---- */

typedef struct {
    int n;
    double mu[MOST], f[MOST], rho2;
} sphere;

static long double excess(const sphere *s, long double at)
{
    long double sum = -(long double)s->rho2;
    for (int a = 0; a < s->n; a++) sum += s->f[a] * s->f[a] / ((at - s->mu[a]) * (at - s->mu[a]));
    return sum;
}

/* A root between two points of different sign. */
static double bisect(const sphere *s, long double a, long double b)
{
    bool rising = excess(s, a) < 0;
    for (int k = 0; k < 200; k++) {
        long double m = (a + b) / 2;
        if ((excess(s, m) < 0) == rising)
            a = m;
        else
            b = m;
    }
    return (double)((a + b) / 2);
}

static double energy_at(const sphere *s, double at)
{
    double xi[MOST];
    for (int a = 0; a < s->n; a++) xi[a] = s->f[a] / (at - s->mu[a]);
    return energy(s->n, s->mu, s->f, xi);
}

/* Every root to the right of the smallest eigenvalue; between two poles the equation is convex: none or two. */
static int other_roots(const sphere *s, double *roots)
{
    int count = 0;
    for (int a = 0; a + 1 < s->n; a++) {
        long double lo = s->mu[a], hi = s->mu[a + 1], width = hi - lo;
        lo += 1e-12L * width;
        hi -= 1e-12L * width;
        long double left = lo, right = hi;
        for (int k = 0; k < 200; k++) {
            long double x = left + (right - left) / 3, y = right - (right - left) / 3;
            if (excess(s, x) < excess(s, y))
                right = y;
            else
                left = x;
        }
        if (excess(s, left) >= 0) continue;
        roots[count++] = bisect(s, lo, left);
        roots[count++] = bisect(s, left, hi);
    }
    long double top = s->mu[s->n - 1], reach = 2 * sqrtl((long double)length2(s->n, s->f) / s->rho2);
    roots[count++] = bisect(s, top + 1e-12L * reach, top + reach);
    return count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void the_left_root_is_the_global_minimum(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 3, 1);
    int64_t others = 0;
    for (int trial = 0; trial < 10000; trial++) {
        sphere s = {.n = 2 + (int)rng_below(&r, MOST - 1)};
        double roots[3 * MOST], xi[MOST];
        secular_root root;
        for (int a = 0; a < s.n; a++) {
            s.mu[a] = 2 * rng_uniform(&r) - (trial % 3 == 0);
            s.f[a] = rng_normal(&r) * pow(10, -3 * rng_uniform(&r));
        }
        qsort(s.mu, (size_t)s.n, sizeof *s.mu, compare);
        s.rho2 = pow(10, 4 * rng_uniform(&r) - 2);
        secular_solve(s.n, s.mu, s.f, s.rho2, xi, &root);
        check_minimum(s.n, s.mu, s.f, s.rho2, xi, &root, 1e-12);
        assert_true(root.steps <= 20);
        double best = energy(s.n, s.mu, s.f, xi);
        int count = other_roots(&s, roots);
        for (int k = 0; k < count; k++) assert_true(best <= energy_at(&s, roots[k]) + 1e-9 * (1 + fabs(best)));
        others += count;
    }
    assert_true(others > 20000); /* there was something to compare with */
}

/* ---- edges ---- */

static void one_dimension(void **state)
{
    (void)state;
    double xi;
    secular_root root;
    secular_solve(1, &(double){0.5}, &(double){-3}, 4, &xi, &root);
    assert_close(xi, 2, 1e-15);
    assert_close(root.mu, 0.5 - 1.5, 1e-15);
    secular_solve(1, &(double){0.5}, &(double){0}, 4, &xi, &root);
    assert_close(xi, 2, 1e-15);
    assert_true(root.hard);
    secular_solve(1, &(double){0.5}, &(double){1}, 0, &xi, &root);
    assert_close(xi, 0, 0);
}

/* However small the part along the lowest eigenvector is, the root is found to full relative accuracy. */
static void nearly_hard_cases(void **state)
{
    (void)state;
    double mu[3] = {0.1, 0.2, 0.9}, f[3] = {0, 0.02, -0.1}, xi[3];
    for (int k = 1; k <= 13; k++) {
        secular_root root;
        f[0] = pow(10, -k);
        secular_solve(3, mu, f, 0.7, xi, &root);
        assert_false(root.hard);
        assert_close(length2(3, xi), 0.7, 1e-14);
        assert_true(xi[0] < 0);
        /* xi_1^2 = rho2 - the rest, and d = f_1 / |xi_1| */
        double rest = 0.7 - xi[1] * xi[1] - xi[2] * xi[2];
        assert_close(xi[0], -sqrt(rest), 1e-13);
    }
}

static void equal_eigenvalues_share(void **state)
{
    (void)state;
    double mu[4] = {0.3, 0.3, 0.3, 0.8}, f[4] = {0.1, -0.2, 0.2, 0}, xi[4];
    secular_root root;
    secular_solve(4, mu, f, 9, xi, &root);
    assert_close(root.mu, 0.3 - 0.1, 1e-15); /* |f| / rho */
    for (int a = 0; a < 4; a++) assert_close(xi[a], -f[a] / 0.1, 1e-14);
}

/* ---- on Cholesky factors ---- */

typedef struct {
    int64_t n;
    double *mu, *f, *Q; /* eigenvalues ascending, f, eigenvectors */
    double *b;
    la_mat *S;
} problem_in_space;

/* H = Q diag(mu) Q' with a random reflection Q, so that everything is known. */
static problem_in_space make_space(rung_ctx *ctx, int64_t n, rng *r, double lowest, double zero_lowest)
{
    problem_in_space s = {.n = n};
    double *v = NULL, *S = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.mu, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.f, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.b, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.Q, n * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, S, n * n));
    for (int64_t a = 0; a < n; a++) {
        s.mu[a] = lowest * pow(1 / lowest, (double)a / (double)(n > 1 ? n - 1 : 1));
        s.f[a] = rng_normal(r) * 0.1 * s.mu[a];
        v[a] = rng_normal(r);
    }
    s.f[0] *= zero_lowest;
    double size = length2(n, v);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) s.Q[i + j * n] = (i == j) - 2 * v[i] * v[j] / size;
    for (int64_t a = 0; a < n; a++)
        for (int64_t i = 0; i < n; i++) {
            s.b[i] -= s.Q[i + a * n] * s.f[a] / s.mu[a];
            for (int64_t j = 0; j < n; j++) S[i + j * n] += s.Q[i + a * n] * s.Q[j + a * n] / s.mu[a];
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++) S[j + i * n] = S[i + j * n];
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &s.S));
    la_put(S, s.S);
    return s;
}

static void check_newton(rung_ctx *ctx, const problem_in_space *s, double rho2, bool hard, double tolerance)
{
    double *t = NULL, *xi = NULL, *turned = NULL;
    secular_root root, expected;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, t, s->n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, xi, s->n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, turned, s->n));
    secular_solve(s->n, s->mu, s->f, rho2, xi, &expected);
    assert_int_equal(expected.hard, hard);
    assert_ok(ctx, secular_newton(ctx, s->S, s->b, rho2, t, &root));
    for (int64_t a = 0; a < s->n; a++)
        for (int64_t i = 0; i < s->n; i++) turned[a] += s->Q[i + a * s->n] * t[i];
    assert_close(root.mu / s->mu[0], expected.mu / s->mu[0], tolerance);
    assert_close(length2(s->n, t) / rho2, 1, 1e-11);
    if (hard) turned[0] = copysign(turned[0], xi[0]);
    double size = sqrt(rho2);
    for (int64_t a = 0; a < s->n; a++) assert_true(fabs(turned[a] - xi[a]) <= tolerance * size);
}

static void newton_equals_the_eigenvalue_form(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 4, 1);
    for (int64_t n = 1; n <= 60; n += n < 6 ? 1 : 18)
        for (int k = 0; k < 6; k++) { /* small spheres: mu < 0; large ones: mu close to the pole */
            pool_mark mark = pool_here(&ctx->scratch);
            problem_in_space s = make_space(ctx, n, &r, k % 2 ? 0.5 : 1e-4, 1);
            check_newton(ctx, &s, pow(10, k - 3) * length2(n, s.b), false, 1e-9);
            pool_release(&ctx->scratch, mark);
        }
}

static void newton_hands_hard_cases_over(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 5, 1);
    for (int k = 0; k < 3; k++) {
        pool_mark mark = pool_here(&ctx->scratch);
        problem_in_space s = make_space(ctx, 12, &r, 0.01, k == 0 ? 0 : pow(10, -4 * k));
        check_newton(ctx, &s, 100 * length2(12, s.b), k == 0, 1e-6);
        pool_release(&ctx->scratch, mark);
    }
}

static void empty_and_trivial_spheres(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *S;
    secular_root root;
    double t = 7;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 0, 0, &S));
    assert_ok(ctx, secular_newton(ctx, S, NULL, 1, NULL, &root));
    assert_true(root.mu == 0 && !root.hard);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 1, 1, &S));
    la_put(&(double){4}, S);
    assert_ok(ctx, secular_newton(ctx, S, &(double){1}, 0, &t, &root));
    assert_true(t == 0);
    assert_ok(ctx, secular_newton(ctx, S, &(double){0.5}, 4, &t, &root));
    assert_close(t, 2, 1e-12);
    assert_close(root.mu, 0.25 * (1 - 0.25), 1e-12);
}

typedef struct {
    rung_ctx *ctx;
    const problem_in_space *s;
    double rho2, *t;
} newton_call;

static rung_status call_newton(void *argument)
{
    newton_call *c = argument;
    pool_mark mark = pool_here(&c->ctx->scratch);
    secular_root root;
    rung_status status = secular_newton(c->ctx, c->s->S, c->s->b, c->rho2, c->t, &root);
    pool_release(&c->ctx->scratch, mark);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 6, 1);
    double t[10];
    problem_in_space hard = make_space(ctx, 10, &r, 0.1, 0), easy = make_space(ctx, 10, &r, 0.1, 1);
    newton_call calls[2] = {{ctx, &hard, 50 * length2(10, hard.b), t}, {ctx, &easy, 50 * length2(10, easy.b), t}};
    for (int k = 0; k < 2; k++) assert_true(fail_each_allocation(call_newton, &calls[k]) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(golden_units),
        WITH_CONTEXT(the_left_root_is_the_global_minimum),
        WITH_CONTEXT(one_dimension),
        WITH_CONTEXT(nearly_hard_cases),
        WITH_CONTEXT(equal_eigenvalues_share),
        WITH_CONTEXT(newton_equals_the_eigenvalue_form),
        WITH_CONTEXT(newton_hands_hard_cases_over),
        WITH_CONTEXT(empty_and_trivial_spheres),
        WITH_CONTEXT(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
