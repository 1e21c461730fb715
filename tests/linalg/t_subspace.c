// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "linalg/subspace.h"

/* A = sum_a value_a q_a q_a' with q the columns of a random reflection. */
static la_mat *make_matrix(rung_ctx *ctx, int64_t n, double (*value)(int64_t), double *Q)
{
    rng r;
    rng_open(&r, 7, (uint64_t)n);
    double *v = NULL, *scaled = NULL, size = 0;
    la_mat *A, *B, *C;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, scaled, n * n));
    for (int64_t i = 0; i < n; i++) v[i] = rng_normal(&r);
    for (int64_t i = 0; i < n; i++) size += v[i] * v[i];
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            Q[i + j * n] = (i == j) - 2 * v[i] * v[j] / size;
            scaled[i + j * n] = Q[i + j * n] * value(j);
        }
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &A));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &B));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &C));
    la_put(scaled, B);
    la_put(Q, C);
    assert_ok(ctx, la_gemm(ctx, false, true, 1, B, C, 0, A));
    return A;
}

static double falling(int64_t j) { return 100.0 / (double)((j + 1) * (j + 1)); }
static double steep(int64_t j) { return j < 6 ? pow(10, 8 - 2 * (double)j) : 1e-6; }
static double flat(int64_t j) { return 1 + 1e-4 / (double)(j + 1); }
static double indefinite(int64_t j) { return j % 2 ? -50.0 / (double)(j + 1) : 40.0 / (double)(j + 1); }
static double of_rank_three(int64_t j) { return j < 3 ? 3 - (double)j : 0; }

static void check_leading(rung_ctx *ctx, int64_t n, int64_t r, double (*value)(int64_t), double (*expected)(int64_t),
                          double tolerance)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *Q = NULL, *values = NULL, *v = NULL;
    la_mat *V;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, Q, n * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, values, r));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n * r));
    la_mat *A = make_matrix(ctx, n, value, Q);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, r, &V));
    assert_ok(ctx, la_leading(ctx, A, r, 1e-13, values, V, NULL));
    la_get(V, v);
    for (int64_t j = 0; j < r; j++) {
        double dot = 0;
        int64_t of = value == indefinite ? 2 * j : j;
        assert_true(fabs(values[j] - expected(j)) <= 1e-12 * fabs(expected(0)));
        for (int64_t i = 0; i < n; i++) dot += v[i + j * n] * Q[i + of * n];
        if (tolerance > 0) assert_true(fabs(fabs(dot) - 1) <= tolerance);
        assert_true(la_sign_of(n, v + j * n) > 0);
    }
    pool_release(&ctx->scratch, mark);
}

static double negative(int64_t j) { return -1 - 0.01 * (double)j; }
static double nothing(int64_t j) { return 0 * (double)j; }

static double positive_part(int64_t j) { return indefinite(2 * j); }

static void leading_eigenvectors(void **state)
{
    rung_ctx *ctx = *state;
    for (int k = 0; k < 2; k++) {
        int64_t n = k ? 600 : 30; /* by LAPACK, and by iteration */
        check_leading(ctx, n, 3, falling, falling, 1e-12);
        check_leading(ctx, n, 2, steep, steep, 1e-12);
        check_leading(ctx, n, 1, of_rank_three, of_rank_three, 1e-12);
        check_leading(ctx, n, 3, flat, flat, 0); /* too flat to iterate; the vectors are ill-conditioned */
        check_leading(ctx, n, 2, indefinite, positive_part, 1e-12);
        check_leading(ctx, n, 2, negative, negative, 1e-12);
        check_leading(ctx, n, n / 10, falling, falling, 1e-12); /* too many to iterate */
    }
    check_leading(ctx, 10, 10, falling, falling, 1e-12);
}

static void an_estimate_tells_whether_it_converged(void **state)
{
    rung_ctx *ctx = *state;
    double *Q = NULL, value;
    la_mat *V;
    bool converged = false;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, Q, 200 * 200));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 200, 1, &V));
    assert_ok(ctx, la_leading(ctx, make_matrix(ctx, 200, falling, Q), 1, 1e-9, &value, V, &converged));
    assert_true(converged);
    assert_close(value, 100, 1e-9);
    assert_ok(ctx, la_leading(ctx, make_matrix(ctx, 200, flat, Q), 1, 1e-13, &value, V, &converged));
    assert_true(!converged || fabs(value - flat(0)) < 1e-12);
    assert_true(value > 1 && value < 1 + 1.01e-4);
    assert_ok(ctx, la_leading(ctx, make_matrix(ctx, 200, negative, Q), 1, 1e-9, &value, V, &converged));
    assert_false(converged); /* not for such matrices */
    assert_ok(ctx, la_leading(ctx, make_matrix(ctx, 200, nothing, Q), 1, 1e-9, &value, V, &converged));
    assert_true(converged && value == 0);
}

static void threads_change_no_bit(void **state)
{
    rung_ctx *ctx = *state;
    double *Q = NULL, *one = NULL, *two = NULL, values[2];
    int64_t n = 700;
    la_mat *V;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, Q, n * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, one, 2 * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, two, 2 * n));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, 2, &V));
    la_mat *A = make_matrix(ctx, n, falling, Q);
    ctx->threads = 1;
    assert_ok(ctx, la_leading(ctx, A, 2, 1e-13, values, V, NULL));
    la_get(V, one);
    ctx->threads = 2;
    assert_ok(ctx, la_leading(ctx, A, 2, 1e-13, values, V, NULL));
    la_get(V, two);
    assert_memory_equal(one, two, sizeof(double) * (size_t)(2 * n));
}

/* A = Q R and B = R^-T B0: R'B = B0 with R = Q'A. */
static void orthonormal_bases(void **state)
{
    rung_ctx *ctx = *state;
    const int64_t shapes[][2] = {{1, 1}, {5, 1}, {7, 7}, {40, 13}};
    for (int k = 0; k < 4; k++) {
        int64_t n = shapes[k][0], m = shapes[k][1];
        double a[520], q[520], b[26], b0[26];
        rng r;
        rng_open(&r, 8, (uint64_t)k);
        la_mat *A;
        for (int64_t i = 0; i < n * m; i++) a[i] = rng_normal(&r);
        for (int64_t i = 0; i < 2 * m; i++) b[i] = b0[i] = rng_normal(&r);
        assert_ok(ctx, la_new(ctx, &ctx->scratch, n, m, &A));
        la_put(a, A);
        assert_ok(ctx, la_orthonormal(ctx, A, 0, NULL)); /* the basis alone */
        la_get(A, q);
        la_put(a, A);
        assert_ok(ctx, la_orthonormal(ctx, A, 2, b));
        double again[520];
        la_get(A, again);
        assert_memory_equal(q, again, sizeof *q * (size_t)(n * m));
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < m; j++) {
                double dot = 0;
                for (int64_t p = 0; p < n; p++) dot += q[p + i * n] * q[p + j * n];
                assert_close(dot, i == j, 1e-14);
            }
        for (int64_t c = 0; c < 2; c++)
            for (int64_t j = 0; j < m; j++) { /* (R'b)_j = sum_i (q_i'a_j) b_i */
                double sum = 0;
                for (int64_t i = 0; i < m; i++)
                    for (int64_t p = 0; p < n; p++) sum += q[p + i * n] * a[p + j * n] * b[i + c * m];
                assert_close(sum, b0[j + c * m], 1e-12);
            }
    }
}

static void dependent_columns_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *A;
    double b[2] = {1, 1};
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 3, 2, &A));
    la_put((const double[]){1, 2, 3, 2, 4, 6}, A);
    assert_fails(ctx, la_orthonormal(ctx, A, 1, b), RUNG_ESINGULAR, "column 2 of 2");
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 3, 0, &A));
    assert_ok(ctx, la_orthonormal(ctx, A, 1, b));
}

static void signs(void **state)
{
    (void)state;
    assert_true(la_sign_of(3, (const double[]){1, -2, 1.5}) < 0);
    assert_true(la_sign_of(3, (const double[]){1, -2, 2.5}) > 0);
    assert_true(la_sign_of(2, (const double[]){-1, 1 + 1e-12}) < 0); /* the first of nearly equal ones */
    assert_true(la_sign_of(2, (const double[]){0, 0}) > 0);
}

typedef struct {
    rung_ctx *ctx;
    la_mat *A, *V;
} leading_call;

static rung_status call_leading(void *argument)
{
    leading_call *c = argument;
    double values[2];
    pool_mark mark = pool_here(&c->ctx->scratch);
    rung_status status = la_leading(c->ctx, c->A, 2, 1e-13, values, c->V, NULL);
    pool_release(&c->ctx->scratch, mark);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    rung_ctx *ctx = *state;
    leading_call call = {.ctx = ctx};
    double *Q = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, Q, 420 * 420));
    call.A = make_matrix(ctx, 420, steep, Q);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 420, 2, &call.V));
    assert_true(fail_each_allocation(call_leading, &call) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(leading_eigenvectors),          WITH_CONTEXT(an_estimate_tells_whether_it_converged),
        WITH_CONTEXT(threads_change_no_bit),         WITH_CONTEXT(orthonormal_bases),
        WITH_CONTEXT(dependent_columns_are_refused), WITH_CONTEXT(signs),
        WITH_CONTEXT(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
