// SPDX-License-Identifier: BSD-3-Clause
/* A system with a tridiagonal block: against a factorisation of the whole. */
#include "helper.h"

#include "base/rng.h"
#include "method/bayes/bordered.h"

typedef struct {
    bordered s;
    int64_t N;
    double *A, *a, *B, *diagonal, *next;
    double *whole; /* N x N, without the ridge */
} instance;

/* V'V for V of 3 N rows: weights first, then thresholds; a row touches two neighbouring thresholds at most. */
static instance draw(rung_ctx *ctx, uint64_t stream, int64_t M, int64_t J)
{
    instance t = {.N = M + J};
    int64_t N = t.N, rows = 3 * N;
    double *V;
    rng r;
    rng_open(&r, 11, stream);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, V, rows * N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, t.whole, N * N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, t.A, M * M));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, t.a, M));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, t.B, M * J));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, t.diagonal, J));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, t.next, J));
    for (int64_t i = 0; i < rows; i++) {
        int64_t k = i % (J + 1);
        for (int64_t j = 0; j < M; j++) V[j + i * N] = rng_normal(&r);
        if (k < J) V[M + k + i * N] = rng_normal(&r);
        if (k > 0) V[M + k - 1 + i * N] = rng_normal(&r);
    }
    la_mat *rows_of, *product;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, rows, &rows_of));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &product));
    la_put(V, rows_of);
    assert_ok(ctx, la_syrk(ctx, false, 1, rows_of, 0, product));
    la_get(product, t.whole);
    for (int64_t j = 0; j < M; j++) {
        t.a[j] = rng_uniform(&r);
        for (int64_t l = 0; l < M; l++) t.A[l + j * M] = t.whole[l + j * N];
        for (int64_t k = 0; k < J; k++) t.B[j + k * M] = t.whole[j + (M + k) * N];
        t.whole[j + j * N] += t.a[j];
    }
    for (int64_t k = 0; k < J; k++) {
        t.diagonal[k] = t.whole[M + k + (M + k) * N];
        t.next[k] = k + 1 < J ? t.whole[M + k + (M + k + 1) * N] : NAN; /* never looked at */
    }
    t.s = (bordered){.M = M, .J = J, .A = t.A, .a = t.a, .B = t.B, .diagonal = t.diagonal, .next = t.next};
    return t;
}

static void one_instance(rung_ctx *ctx, uint64_t stream, int64_t M, int64_t J, double ridge)
{
    instance t = draw(ctx, stream, M, J);
    double *x, *expected;
    la_mat *L;
    rng r;
    rng_open(&r, 12, stream);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, x, t.N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, expected, t.N));
    for (int64_t i = 0; i < t.N; i++) x[i] = expected[i] = rng_normal(&r);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, t.N, t.N, &L));
    la_put(t.whole, L);
    la_add_diagonal(L, ridge, NULL);
    assert_ok(ctx, la_potrf(ctx, L));
    assert_ok(ctx, la_potrs(ctx, L, 1, expected));
    assert_ok(ctx, bordered_solve(ctx, &t.s, ridge, x, x + M));
    assert_arrays_close(t.N, x, expected, 1e-10);
    pool_free_all(&ctx->scratch);
}

static void it_is_the_solution_of_the_whole(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t sizes[][2] = {{1, 1}, {5, 1}, {0, 1}, {0, 9}, {1, 40}, {12, 4}, {70, 30}, {3, 999}, {300, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int ridge = 0; ridge < 2; ridge++) one_instance(ctx, i, sizes[i][0], sizes[i][1], ridge * 0.7);
}

/* Which block is to blame does not matter; what was given is left as it was, and a ridge helps. */
static void what_is_singular_is_told(void **state)
{
    rung_ctx *ctx = *state;
    const double A[] = {2}, a[] = {0}, B[] = {1, 1}, close[] = {2, 2}, far[] = {0.5, 2}, next[] = {2};
    const double small[] = {0.4}, wide[] = {4, 4}, none[] = {0};
    bordered tridiagonal = {.M = 1, .J = 2, .A = A, .a = a, .B = B, .diagonal = close, .next = next},
             indefinite = {.M = 1, .J = 2, .A = A, .a = a, .B = B, .diagonal = far, .next = next},
             schur = {.M = 1, .J = 2, .A = small, .a = a, .B = B, .diagonal = wide, .next = none};
    double x[] = {1, 2, 3};
    assert_fails(ctx, bordered_solve(ctx, &tridiagonal, 0, x, x + 1), RUNG_ESINGULAR, "pivot 2 of 2");
    assert_fails(ctx, bordered_solve(ctx, &indefinite, 0, x, x + 1), RUNG_ESINGULAR, "pivot 2 of 2");
    assert_fails(ctx, bordered_solve(ctx, &schur, 0, x, x + 1), RUNG_ESINGULAR, "");
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3);
    assert_ok(ctx, bordered_solve(ctx, &schur, 0.5, x, x + 1)); /* 0.9 x + z1 + z2 = 1, x + 4.5 z = 2 and 3 */
    double left = (1 - (2 + 3) / 4.5) / (0.9 - 2 / 4.5);
    assert_close(x[0], left, 1e-14);
    assert_close(x[1], (2 - left) / 4.5, 1e-14);
    assert_close(x[2], (3 - left) / 4.5, 1e-14);
}

typedef struct {
    rung_ctx *ctx;
    const instance *t;
} solve_call;

static rung_status solve(void *argument)
{
    solve_call *c = argument;
    double x[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    rung_status status = bordered_solve(c->ctx, &c->t->s, 0, x, x + c->t->s.M);
    pool_release(&c->ctx->scratch, 0);
    return status;
}

static void allocations_may_fail(void **state)
{
    rung_ctx *ctx = *state, *worker;
    instance t = draw(ctx, 1, 5, 4);
    assert_ok(ctx, context_worker(ctx, &worker));
    assert_true(fail_each_allocation(solve, &(solve_call){worker, &t}) > 3);
    context_join(ctx, worker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(it_is_the_solution_of_the_whole),
        WITH_CONTEXT(what_is_singular_is_told),
        WITH_CONTEXT(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
