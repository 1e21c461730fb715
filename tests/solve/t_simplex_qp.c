// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "solve/simplex_qp.h"

enum { LARGEST = 300 };

/* G = B'B with `rank` rows in B; every third column repeats the one before it where asked. */
static double *random_form(rng *r, int m, int rank, bool repeat)
{
    double *B = malloc((size_t)(rank * m) * sizeof *B), *G = calloc((size_t)(m * m), sizeof *G);
    assert_non_null(B);
    assert_non_null(G);
    for (int k = 0; k < rank; k++)
        for (int j = 0; j < m; j++)
            B[k * m + j] = repeat && j % 3 == 2 ? B[k * m + j - 1] : rng_normal(r) + (k == 0) * rng_uniform(r);
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) G[i * m + j] += B[k * m + i] * B[k * m + j];
    free(B);
    return G;
}

static double trace_mean(int m, const double *G)
{
    double s = 0;
    for (int i = 0; i < m; i++) s += G[i * m + i] / m;
    return s;
}

static double value(int m, const double *G, const double *a)
{
    double v = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) v += a[i] * G[i * m + j] * a[j];
    return v;
}

/* Optimal: a >= 0, sum C, and no component of Ga below a'Ga / C (then moving weight anywhere gains nothing). */
static void assert_optimal(int m, const double *G, double C, const double *a)
{
    double sum = 0, level = value(m, G, a) / C, s = trace_mean(m, G);
    for (int i = 0; i < m; i++) {
        assert_true(a[i] >= 0);
        sum += a[i];
    }
    assert_close(sum, C, 1e-14 * m);
    for (int i = 0; i < m; i++) {
        double slope = 0;
        for (int j = 0; j < m; j++) slope += G[i * m + j] * a[j];
        assert_true(slope >= level - 1e-11 * m * s * C);
    }
}

static void golden(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const folder[] = {GOLDEN("units/qp_m2"), GOLDEN("units/qp_m4")};
    for (int k = 0; k < 2; k++) {
        char path[1000];
        int64_t rows, columns, m;
        double a[4];
        snprintf(path, sizeof path, "%s/G.csv", folder[k]);
        double *G = read_numbers(path, &m, &columns);
        snprintf(path, sizeof path, "%s/alpha.csv", folder[k]);
        double *alpha = read_numbers(path, &rows, &columns);
        assert_int_equal(rows, m);
        assert_ok(ctx, simplex_qp(ctx, (int)m, G, 1.5, a));
        assert_arrays_close(m, a, alpha, 1e-9);
        free(alpha);
        free(G);
    }
}

static void closed_forms(void **state)
{
    rung_ctx *ctx = *state;
    double a[4];
    /* one component takes all */
    assert_ok(ctx, simplex_qp(ctx, 1, (double[]){7}, 3, a));
    assert_close(a[0], 3, 0);
    assert_ok(ctx, simplex_qp(ctx, 1, (double[]){0}, 3, a));
    assert_close(a[0], 3, 0);
    /* nothing to choose by: equal shares */
    assert_ok(ctx, simplex_qp(ctx, 4, (double[16]){0}, 1, a));
    assert_arrays_close(4, a, ((double[]){0.25, 0.25, 0.25, 0.25}), 0);
    /* diagonal: a_i proportional to 1 / G_ii = 1 : 1/2 : 1/4 */
    assert_ok(ctx, simplex_qp(ctx, 3, (double[]){1, 0, 0, 0, 2, 0, 0, 0, 4}, 7, a));
    assert_arrays_close(3, a, ((double[]){4, 2, 1}), 1e-14);
    /* columns (1,0) and (2,0): the shorter one alone */
    assert_ok(ctx, simplex_qp(ctx, 2, (double[]){1, 2, 2, 4}, 1, a));
    assert_arrays_close(2, a, ((double[]){1, 0}), 1e-14);
    /* columns (1) and (-3): 0 lies between them, 3/4 - 3/4 = 0 */
    assert_ok(ctx, simplex_qp(ctx, 2, (double[]){1, -3, -3, 9}, 1, a));
    assert_arrays_close(2, a, ((double[]){0.75, 0.25}), 1e-13);
    /* a zero column is the minimum itself */
    assert_ok(ctx, simplex_qp(ctx, 3, (double[]){5, 1, 0, 1, 3, 0, 0, 0, 0}, 2, a));
    assert_arrays_close(3, a, ((double[]){0, 0, 2}), 1e-12);
    /* only the symmetric part counts: this is the identity */
    assert_ok(ctx, simplex_qp(ctx, 2, (double[]){1, 5, -5, 1}, 1, a));
    assert_arrays_close(2, a, ((double[]){0.5, 0.5}), 1e-14);
    /* twice the same column: any split of its share, here the total */
    assert_ok(ctx, simplex_qp(ctx, 3, (double[]){1, 1, 0, 1, 1, 0, 0, 0, 1}, 1, a));
    assert_close(a[0] + a[1], 0.5, 1e-13);
    assert_close(a[2], 0.5, 1e-13);
}

/* Solves the n x n system M x = b by elimination with pivoting; false: singular. M and b are overwritten. */
static bool eliminate(int n, double *M, double *b)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c; i < n; i++)
            if (fabs(M[i * n + c]) > fabs(M[pivot * n + c])) pivot = i;
        if (fabs(M[pivot * n + c]) < 1e-9) return false;
        for (int j = 0; j < n; j++) {
            double t = M[c * n + j];
            M[c * n + j] = M[pivot * n + j];
            M[pivot * n + j] = t;
        }
        double t = b[c];
        b[c] = b[pivot];
        b[pivot] = t;
        for (int i = 0; i < n; i++) {
            if (i == c) continue;
            double factor = M[i * n + c] / M[c * n + c];
            for (int j = c; j < n; j++) M[i * n + j] -= factor * M[c * n + j];
            b[i] -= factor * b[c];
        }
    }
    for (int i = 0; i < n; i++) b[i] /= M[i * n + i];
    return true;
}

/* The least value over the stationary points of all supports: G a + v 1 = 0, sum a = 1 there. The minimum is among
 * them even if G is singular: a solution with the fewest components has a regular system. */
static double least_value(int m, const double *G)
{
    double best = INFINITY, s = trace_mean(m, G);
    for (int mask = 1; mask < 1 << m; mask++) {
        int index[8], n = 0;
        for (int i = 0; i < m; i++)
            if (mask >> i & 1) index[n++] = i;
        double M[81] = {0}, x[9] = {0}, a[8] = {0};
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) M[i * (n + 1) + j] = G[index[i] * m + index[j]] / s;
            M[i * (n + 1) + n] = M[n * (n + 1) + i] = 1;
        }
        x[n] = 1;
        if (!eliminate(n + 1, M, x)) continue;
        bool feasible = true;
        for (int i = 0; i < n; i++) {
            a[index[i]] = x[i];
            feasible = feasible && x[i] >= -1e-12;
        }
        if (feasible) best = fmin(best, value(m, G, a));
    }
    return best;
}

static void random_problems(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    double a[12];
    rng_open(&r, 7, 1);
    for (int m = 1; m <= 12; m++)
        for (int rank = 1; rank <= m + 1; rank++)
            for (int repeat = 0; repeat < 2; repeat++)
                for (int trial = 0; trial < 5; trial++) {
                    double *G = random_form(&r, m, rank, repeat);
                    assert_ok(ctx, simplex_qp(ctx, m, G, 2, a));
                    assert_optimal(m, G, 2, a);
                    if (m <= 8) {
                        double s = trace_mean(m, G);
                        assert_close(value(m, G, a) / (4 * s), least_value(m, G) / s, 1e-11);
                    }
                    free(G);
                }
}

/* Columns that differ by 1e-9 and less: on the brink of singular, where pivots are rounding. */
static void nearly_equal_columns(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 7, 2);
    for (int trial = 0; trial < 200; trial++) {
        enum { M = 6, RANK = 4 };
        double B[RANK * M], G[M * M] = {0}, a[M], gap = pow(10, -1 - trial % 16);
        for (int k = 0; k < RANK; k++)
            for (int j = 0; j < M; j++)
                B[k * M + j] = j < 3 ? rng_normal(&r) + 0.5 : B[k * M + j - 3] + gap * rng_normal(&r);
        for (int k = 0; k < RANK; k++)
            for (int i = 0; i < M; i++)
                for (int j = 0; j < M; j++) G[i * M + j] += B[k * M + i] * B[k * M + j];
        assert_ok(ctx, simplex_qp(ctx, M, G, 1, a));
        assert_optimal(M, G, 1, a);
    }
}

static void large(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 7, 3);
    static const int rank[] = {5, 150, LARGEST + 50};
    double *a = malloc(LARGEST * sizeof *a);
    for (int k = 0; k < 3; k++) {
        double *G = random_form(&r, LARGEST, rank[k], k == 1);
        assert_ok(ctx, simplex_qp(ctx, LARGEST, G, 1, a));
        assert_optimal(LARGEST, G, 1, a);
        free(G);
    }
    free(a);
}

static void scale_free(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 7, 4);
    double *G = random_form(&r, 6, 6, false), a[6], b[6];
    assert_ok(ctx, simplex_qp(ctx, 6, G, 1, a));
    for (int sign = -1; sign <= 1; sign += 2) {
        double scaled[36];
        for (int i = 0; i < 36; i++) scaled[i] = ldexp(G[i], sign * 900);
        assert_ok(ctx, simplex_qp(ctx, 6, scaled, 1, b));
        assert_memory_equal(a, b, sizeof a);
    }
    free(G);
}

static void refusals(void **state)
{
    rung_ctx *ctx = *state;
    double a[2];
    assert_fails(ctx, simplex_qp(ctx, 2, (double[]){1, NAN, NAN, 1}, 1, a), RUNG_EDATA, "size 2 holds");
    assert_fails(ctx, simplex_qp(ctx, 2, (double[]){INFINITY, 0, 0, 1}, 1, a), RUNG_EDATA, "inf");
    atomic_store(&ctx->interrupted, 1);
    assert_int_equal(simplex_qp(ctx, 2, (double[]){1, 0, 0, 1}, 1, a), RUNG_EINTERRUPT);
}

/* Entries of 1e6 hold a gradient of 1e-3 to 1e-10: a step by the gradient itself levels it to rounding. */
static void levelled(void **state)
{
    rung_ctx *ctx = *state;
    static const double G[9] = {1e6, -1e6, 2, -1e6, 1e6 + 2e-3, 0, 2, 0, 5}, error = 1e-7;
    double rough[9], a[3], g[3];
    memcpy(rough, G, sizeof G);
    rough[0] += error;
    assert_ok(ctx, simplex_qp(ctx, 3, rough, 1, a));
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < 3; i++) g[i] = G[3 * i] * a[0] + G[3 * i + 1] * a[1] + G[3 * i + 2] * a[2];
        if (step == 0) assert_true(fabs(g[0] - g[1]) > 1e-9);
        if (step == 0) assert_ok(ctx, simplex_qp_polish(ctx, 3, rough, g, a));
    }
    assert_close(g[0], g[1], 1e-9);
    assert_close(a[0] + a[1] + a[2], 1, 1e-15);
    assert_ok(ctx, simplex_qp_polish(ctx, 3, (const double[9]){0}, g, a)); /* nothing to step by */
}

static rung_status small_problem(void *ctx) { return simplex_qp(ctx, 2, (double[]){1, 0, 0, 2}, 1, (double[2]){0}); }

static void no_memory(void **state) { assert_int_equal(fail_each_allocation(small_problem, *state), 6); }

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(golden),   TEST(closed_forms), TEST(random_problems), TEST(nearly_equal_columns),
        TEST(large),    TEST(scale_free),   TEST(refusals),        TEST(no_memory),
        TEST(levelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
