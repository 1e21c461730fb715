// SPDX-License-Identifier: BSD-3-Clause
/* Linear algebra: identities measured as LAPACK does (residual / (n eps norms) < 30), exact symmetry, and the same bits
 * for any number of threads. */
#include "helper.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "linalg/la.h"

static const int64_t sizes[] = {1, 2, 3, 5, 10, 50, 257, 600};
enum { SIZES = sizeof sizes / sizeof *sizes };

static la_mat *random_matrix(rung_ctx *ctx, int64_t rows, int64_t cols, uint64_t stream, double **host)
{
    la_mat *A = NULL;
    rng r;
    rng_open(&r, 7, stream);
    assert_int_equal(pool_alloc(ctx, &ctx->scratch, rows * cols, sizeof(double), "host", (void **)host), RUNG_OK);
    for (int64_t i = 0; i < rows * cols; i++) (*host)[i] = rng_normal(&r);
    assert_int_equal(la_new(ctx, &ctx->scratch, rows, cols, &A), RUNG_OK);
    la_put(*host, A);
    return A;
}

static double *host_copy(rung_ctx *ctx, const la_mat *A)
{
    double *host = NULL;
    assert_int_equal(pool_alloc(ctx, &ctx->scratch, la_rows(A) * la_cols(A), sizeof(double), "host", (void **)&host),
                     RUNG_OK);
    la_get(A, host);
    return host;
}

/* exp(-gamma |x-z|^2) + ridge on the diagonal: symmetric positive definite. */
static la_mat *spd_matrix(rung_ctx *ctx, int64_t n, double ridge)
{
    double *host;
    la_mat *X = random_matrix(ctx, 3, n, (uint64_t)n, &host), *K = NULL;
    la_map map = {.kind = LA_EXP_SQ, .gamma = 0.3};
    assert_int_equal(la_new(ctx, &ctx->scratch, n, n, &K), RUNG_OK);
    assert_int_equal(la_gram(ctx, X, &map, K), RUNG_OK);
    la_add_diagonal(K, ridge, NULL);
    return K;
}

static double naive(const la_map *map, int64_t d, const double *x, const double *z)
{
    double dot = 0, d2 = 0;
    for (int64_t j = 0; j < d; j++) {
        dot += x[j] * z[j];
        d2 += (x[j] - z[j]) * (x[j] - z[j]);
    }
    switch (map->kind) {
    case LA_DOT: return dot;
    case LA_SQDIST: return d2;
    case LA_EXP_SQ: return exp(-map->gamma * d2);
    case LA_EXP_NORM: return exp(-map->gamma * sqrt(d2));
    case LA_POLY: return pow(map->gamma * dot + map->coef0, map->degree);
    }
    return NAN;
}

static const la_map maps[] = {{.kind = LA_DOT},
                              {.kind = LA_SQDIST},
                              {.kind = LA_EXP_SQ, .gamma = 0.7},
                              {.kind = LA_EXP_NORM, .gamma = 0.7},
                              {.kind = LA_POLY, .gamma = 0.4, .coef0 = 1.5, .degree = 3}};
enum { MAPS = sizeof maps / sizeof *maps };

static void gram_is_the_map_of_each_pair(void **state)
{
    rung_ctx *ctx = *state;
    for (int s = 0; s < SIZES; s++)
        for (int m = 0; m < MAPS; m++) {
            pool_mark mark = pool_here(&ctx->scratch);
            int64_t n = sizes[s], d = 4;
            double *x;
            la_mat *X = random_matrix(ctx, d, n, 1, &x), *K = NULL;
            assert_int_equal(la_new(ctx, &ctx->scratch, n, n, &K), RUNG_OK);
            assert_int_equal(la_gram(ctx, X, &maps[m], K), RUNG_OK);
            double *k = host_copy(ctx, K);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) {
                    double want = naive(&maps[m], d, x + i * d, x + j * d);
                    double tolerance = 1e-12 * (1 + fabs(want));
                    if (fabs(k[i + j * n] - want) > tolerance)
                        fail_msg("map %d, n %d: (%d, %d) is %.17g, expected %.17g", m, (int)n, (int)i, (int)j,
                                 k[i + j * n], want);
                    assert_true(k[i + j * n] == k[j + i * n]);
                }
            if (maps[m].kind == LA_EXP_SQ || maps[m].kind == LA_EXP_NORM)
                for (int64_t i = 0; i < n; i++) assert_true(k[i + i * n] == 1.0);
            if (maps[m].kind == LA_SQDIST)
                for (int64_t i = 0; i < n; i++) assert_true(k[i + i * n] == 0.0);
            pool_release(&ctx->scratch, mark);
        }
}

static void distances_map_to_the_same_gram(void **state)
{
    rung_ctx *ctx = *state;
    double *x;
    int64_t n = 400;
    la_mat *X = random_matrix(ctx, 3, n, 2, &x), *D = NULL, *K = NULL;
    assert_int_equal(la_new(ctx, &ctx->scratch, n, n, &D), RUNG_OK);
    assert_int_equal(la_new(ctx, &ctx->scratch, n, n, &K), RUNG_OK);
    la_map square = {.kind = LA_SQDIST};
    for (int m = 2; m < 4; m++) {
        assert_int_equal(la_gram(ctx, X, &square, D), RUNG_OK);
        assert_int_equal(la_gram(ctx, X, &maps[m], K), RUNG_OK);
        assert_int_equal(la_map_distances(ctx, D, &maps[m], D), RUNG_OK);
        assert_memory_equal(host_copy(ctx, D), host_copy(ctx, K), sizeof(double) * (size_t)(n * n));
    }
    assert_ok(ctx, la_gram(ctx, X, &square, D));
    assert_ok(ctx, la_map_distances(ctx, D, &square, K)); /* as they are */
    assert_memory_equal(host_copy(ctx, D), host_copy(ctx, K), sizeof(double) * (size_t)(n * n));
}

static void expand_is_cross_times_coefficients(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 700, m = 1100, d = 5, o = 2;
    double *x, *z, *c, *K, *F = NULL, worst = 0, largest = 0;
    la_mat *X = random_matrix(ctx, d, n, 3, &x), *Z = random_matrix(ctx, d, m, 4, &z), *cross = NULL;
    random_matrix(ctx, m, o, 5, &c);
    assert_int_equal(la_new(ctx, &ctx->scratch, n, m, &cross), RUNG_OK);
    assert_int_equal(pool_alloc(ctx, &ctx->scratch, n * o, sizeof *F, "F", (void **)&F), RUNG_OK);
    for (int k = 0; k < MAPS; k++) {
        assert_int_equal(la_cross(ctx, X, Z, &maps[k], cross), RUNG_OK);
        assert_int_equal(la_expand(ctx, X, Z, &maps[k], o, c, F), RUNG_OK);
        K = host_copy(ctx, cross);
        for (int64_t i = 0; i < n; i++)
            for (int64_t q = 0; q < o; q++) {
                double want = 0, scale = 0;
                for (int64_t j = 0; j < m; j++) {
                    want += K[i + j * n] * c[j + q * m];
                    scale += fabs(K[i + j * n] * c[j + q * m]);
                }
                worst = fmax(worst, fabs(F[i + q * n] - want) / scale);
                largest = fmax(largest, scale);
            }
    }
    assert_true(largest > 0);
    assert_true(worst < 1e-13);
}

/* A row's prediction has the same bits alone, in company, and anywhere among others. */
static void expand_does_not_depend_on_the_company(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 530, m = 777, d = 7;
    double *x, *z, *c, all[530], alone;
    la_mat *X = random_matrix(ctx, d, n, 6, &x), *Z = random_matrix(ctx, d, m, 7, &z), *one = NULL;
    random_matrix(ctx, m, 1, 8, &c);
    assert_int_equal(la_new(ctx, &ctx->scratch, d, 1, &one), RUNG_OK);
    for (int k = 0; k < MAPS; k++) {
        assert_int_equal(la_expand(ctx, X, Z, &maps[k], 1, c, all), RUNG_OK);
        for (int64_t i = 0; i < n; i++) {
            la_put(x + i * d, one);
            assert_int_equal(la_expand(ctx, one, Z, &maps[k], 1, c, &alone), RUNG_OK);
            assert_memory_equal(&alone, &all[i], sizeof alone);
        }
    }
}

static void cholesky_residual(void **state)
{
    rung_ctx *ctx = *state;
    for (int s = 0; s < SIZES; s++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t n = sizes[s], k = 3;
        la_mat *A = spd_matrix(ctx, n, 0.01);
        double *a = host_copy(ctx, A), *b, *x = NULL, norm = 0, xnorm = 0, residual = 0;
        random_matrix(ctx, n, k, 9, &b);
        assert_int_equal(pool_alloc(ctx, &ctx->scratch, n * k, sizeof *x, "x", (void **)&x), RUNG_OK);
        memcpy(x, b, sizeof *x * (size_t)(n * k));
        assert_int_equal(la_potrf(ctx, A), RUNG_OK);
        assert_int_equal(la_potrs(ctx, A, k, x), RUNG_OK);
        for (int64_t i = 0; i < n; i++) {
            double row = 0;
            for (int64_t j = 0; j < n; j++) row += fabs(a[i + j * n]);
            norm = fmax(norm, row);
            for (int64_t c = 0; c < k; c++) {
                double r = b[i + c * n];
                for (int64_t j = 0; j < n; j++) r -= a[i + j * n] * x[j + c * n];
                residual = fmax(residual, fabs(r));
                xnorm = fmax(xnorm, fabs(x[i + c * n]));
            }
        }
        assert_true(residual / ((double)n * DBL_EPSILON * norm * xnorm) < 30);

        double *diagonal = NULL;
        assert_int_equal(NEW(ctx, &ctx->scratch, diagonal, n), RUNG_OK);
        assert_int_equal(la_inverse_diagonal(ctx, A, diagonal), RUNG_OK);
        assert_int_equal(la_potri(ctx, A), RUNG_OK); /* the inverse of the factored matrix */
        double *inverse = host_copy(ctx, A), worst = 0, inorm = 0;
        for (int64_t i = 0; i < n; i++) assert_close(diagonal[i], inverse[i + i * n], 1e-11 * inverse[i + i * n]);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double r = i == j;
                for (int64_t p = 0; p < n; p++) r -= a[i + p * n] * inverse[p + j * n];
                worst = fmax(worst, fabs(r));
                inorm = fmax(inorm, fabs(inverse[i + j * n]));
                assert_true(inverse[i + j * n] == inverse[j + i * n]);
            }
        assert_true(worst / ((double)n * DBL_EPSILON * norm * inorm) < 30);
        pool_release(&ctx->scratch, mark);
    }
}

static void cholesky_tells_the_pivot(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *A = spd_matrix(ctx, 600, 0.01);
    double *v = NULL;
    assert_int_equal(pool_alloc(ctx, &ctx->scratch, 600, sizeof *v, "v", (void **)&v), RUNG_OK);
    v[550] = -5;
    la_add_diagonal(A, 1, v);
    assert_int_equal(la_potrf(ctx, A), RUNG_ESINGULAR);
    assert_non_null(strstr(ctx->message, "pivot 551"));
    A = spd_matrix(ctx, 600, 0.01);
    v[550] = 0;
    v[3] = -5; /* the other tiles are left alone */
    la_add_diagonal(A, 1, v);
    assert_fails(ctx, la_potrf(ctx, A), RUNG_ESINGULAR, "pivot 4");
}

static void tail_products_are_the_factor(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 300, m = 70;
    la_mat *A = spd_matrix(ctx, n, 0.1);
    assert_int_equal(la_potrf(ctx, A), RUNG_OK);
    double *L = host_copy(ctx, A), *b, got[70], got_t[70];
    random_matrix(ctx, m, 1, 10, &b);
    memcpy(got, b, sizeof got);
    memcpy(got_t, b, sizeof got_t);
    la_trmm_tail(A, m, false, 1, got);
    la_trmm_tail(A, m, true, 1, got_t);
    for (int64_t i = 0; i < m; i++) {
        double want = 0, want_t = 0;
        for (int64_t j = 0; j < m; j++) {
            if (j <= i) want += L[(n - m + i) + (n - m + j) * n] * b[j];
            if (j >= i) want_t += L[(n - m + j) + (n - m + i) * n] * b[j];
        }
        assert_close(got[i], want, 1e-12);
        assert_close(got_t[i], want_t, 1e-12);
    }
}

/* The optimality condition of |Bz - b|^2 + |z|^2: B'(Bz - b) + z = 0, and the residual's Gram matrix. */
static void ridge_least_squares(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t shapes[][2] = {{1, 0}, {1, 1}, {3, 2}, {40, 40}, {130, 64}, {200, 190}, {333, 129}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t n = shapes[s][0], m = shapes[s][1], k = 3;
        double *B, *b, *z = NULL, *r = NULL;
        la_mat *A = random_matrix(ctx, n, m, 11, &B);
        random_matrix(ctx, n, k, 12, &b);
        assert_int_equal(pool_alloc(ctx, &ctx->scratch, m * k, sizeof *z, "z", (void **)&z), RUNG_OK);
        assert_int_equal(pool_alloc(ctx, &ctx->scratch, n * k, sizeof *r, "r", (void **)&r), RUNG_OK);
        memcpy(r, b, sizeof *r * (size_t)(n * k));
        assert_int_equal(la_ridge_qr(ctx, A, k, r, z), RUNG_OK);
        double *e = NULL;
        assert_int_equal(pool_alloc(ctx, &ctx->scratch, n * k, sizeof *e, "e", (void **)&e), RUNG_OK);
        for (int64_t c = 0; c < k; c++) {
            for (int64_t i = 0; i < n; i++) {
                e[i + c * n] = -b[i + c * n];
                for (int64_t j = 0; j < m; j++) e[i + c * n] += B[i + j * n] * z[j + c * m];
            }
            for (int64_t j = 0; j < m; j++) {
                double gradient = z[j + c * m];
                for (int64_t i = 0; i < n; i++) gradient += B[i + j * n] * e[i + c * n];
                assert_close(gradient, 0, 1e-11);
            }
        }
        for (int64_t c = 0; c < k; c++)
            for (int64_t q = 0; q < k; q++) {
                double want = 0, got = 0;
                for (int64_t i = 0; i < n; i++) {
                    want += e[i + c * n] * e[i + q * n];
                    got += r[i + c * n] * r[i + q * n];
                }
                for (int64_t j = 0; j < m; j++) want += z[j + c * m] * z[j + q * m];
                assert_close(got, want, 1e-10);
            }
        pool_release(&ctx->scratch, mark);
    }
}

/* The same product F F' and orthogonal columns, also of rows 1e12 apart in size. */
static void columns_become_orthogonal(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 9, R = 5 };
    double f[N * R], got[N * R];
    la_mat *F = NULL;
    for (int apart = 0; apart < 2; apart++) {
        rng r;
        rng_open(&r, 4, 0);
        for (int j = 0; j < R; j++)
            for (int i = 0; i < N; i++) f[i + j * N] = rng_normal(&r) * (apart ? pow(10, 12.0 * i / (N - 1)) : 1);
        assert_ok(ctx, la_new(ctx, &ctx->scratch, N, R, &F));
        la_put(f, F);
        assert_ok(ctx, la_orthogonal_columns(ctx, F));
        la_get(F, got);
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                double was = 0, is = 0, size = 0;
                for (int j = 0; j < R; j++) {
                    was += f[i + j * N] * f[k + j * N];
                    is += got[i + j * N] * got[k + j * N];
                    size += fabs(f[i + j * N] * f[k + j * N]);
                }
                assert_close(is / size, was / size, i < 2 || k < 2 || !apart ? 1e-3 : 1e-9);
            }
        for (int j = 0; j < R; j++)
            for (int k = 0; k < j; k++) {
                double inner = 0, a = 0, b = 0;
                for (int i = 0; i < N; i++) {
                    inner += got[i + j * N] * got[i + k * N];
                    a += got[i + j * N] * got[i + j * N];
                    b += got[i + k * N] * got[i + k * N];
                }
                assert_close(inner / sqrt(a * b), 0, 1e-13);
            }
    }
}

static void small_system(void **state)
{
    rung_ctx *ctx = *state;
    double A[9] = {4, 1, 0.5, 1, 3, -1, 0.5, -1, 2}, B[3] = {1, 2, 3}, a[9], x[3];
    memcpy(a, A, sizeof a);
    memcpy(x, B, sizeof x);
    assert_int_equal(la_small_spd_solve(ctx, 3, a, 1, x), RUNG_OK);
    for (int i = 0; i < 3; i++) assert_close(A[i] * x[0] + A[i + 3] * x[1] + A[i + 6] * x[2], B[i], 1e-14);
    double bad[4] = {1, 2, 2, 1}, b[2] = {1, 1};
    assert_int_equal(la_small_spd_solve(ctx, 2, bad, 1, b), RUNG_ESINGULAR);
}

static void multiply_and_gather(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 1030, m = 17, k = 3;
    double *a, *b, *c, *d = NULL;
    la_mat *A = random_matrix(ctx, n, m, 13, &a), *part = NULL;
    random_matrix(ctx, m, k, 14, &b);
    random_matrix(ctx, n, k, 15, &c);
    assert_int_equal(pool_alloc(ctx, &ctx->scratch, n * k, sizeof *d, "d", (void **)&d), RUNG_OK);
    memcpy(d, c, sizeof *d * (size_t)(n * k));
    assert_int_equal(la_mul(ctx, 2, A, k, b, -1, d), RUNG_OK);
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = 0; q < k; q++) {
            double want = -c[i + q * n];
            for (int64_t j = 0; j < m; j++) want += 2 * a[i + j * n] * b[j + q * m];
            assert_close(d[i + q * n], want, 1e-12);
        }
    int64_t rows[2] = {1029, 3}, cols[3] = {16, 0, 16};
    assert_int_equal(la_new(ctx, &ctx->scratch, 2, 3, &part), RUNG_OK);
    assert_int_equal(la_gather(ctx, A, rows, cols, part), RUNG_OK);
    double *p = host_copy(ctx, part);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) assert_true(p[i + j * 2] == a[rows[i] + cols[j] * n]);
}

/* Everything that is cut into tiles, on one and on three threads. */
static double *run_all(rung_ctx *ctx, int threads, int64_t n, int64_t *length)
{
    ctx->threads = threads;
    double *out = NULL, *b, *z = NULL;
    *length = 3 * n * n + 9 * n;
    assert_int_equal(pool_alloc(ctx, &ctx->scratch, *length, sizeof *out, "out", (void **)&out), RUNG_OK);
    assert_int_equal(pool_alloc(ctx, &ctx->scratch, n * 2, sizeof *z, "z", (void **)&z), RUNG_OK);
    la_mat *A = spd_matrix(ctx, n, 0.01), *Q = spd_matrix(ctx, n, 0.01);
    la_get(A, out);
    random_matrix(ctx, n, 2, 16, &b);
    assert_int_equal(la_mul(ctx, 1, A, 2, b, 0, out + 3 * n * n), RUNG_OK);
    assert_int_equal(la_potrf(ctx, A), RUNG_OK);
    la_get(A, out + n * n);
    memcpy(out + 3 * n * n + 2 * n, b, sizeof *b * (size_t)(2 * n));
    assert_int_equal(la_potrs(ctx, A, 2, out + 3 * n * n + 2 * n), RUNG_OK);
    assert_int_equal(la_inverse_diagonal(ctx, A, out + 3 * n * n + 8 * n), RUNG_OK);
    assert_int_equal(la_potri(ctx, A), RUNG_OK);
    la_get(A, out + 2 * n * n);
    memcpy(out + 3 * n * n + 4 * n, b, sizeof *b * (size_t)(2 * n));
    assert_int_equal(la_ridge_qr(ctx, Q, 2, out + 3 * n * n + 4 * n, z), RUNG_OK);
    memcpy(out + 3 * n * n + 6 * n, z, sizeof *z * (size_t)(2 * n));
    return out;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t many[] = {50, 600, 1000};
    for (int s = 0; s < 3; s++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t length;
        double *one = run_all(ctx, 1, many[s], &length), *two = run_all(ctx, 2, many[s], &length),
               *three = run_all(ctx, 3, many[s], &length);
        assert_memory_equal(one, two, sizeof(double) * (size_t)length);
        assert_memory_equal(one, three, sizeof(double) * (size_t)length);
        pool_release(&ctx->scratch, mark);
    }
}

static void counters_count(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *A = spd_matrix(ctx, 300, 0.1);
    assert_int_equal(la_potrf(ctx, A), RUNG_OK);
    bool gram = false, potrf = false;
    for (int i = 0; la_op_name(i); i++) {
        if (strcmp(la_op_name(i), "gram") == 0) gram = ctx->ops[i].calls == 1 && ctx->ops[i].flops > 0;
        if (strcmp(la_op_name(i), "potrf") == 0)
            potrf = ctx->ops[i].calls == 1 && fabs(ctx->ops[i].flops / 9e6 - 1) < 1e-9;
    }
    assert_true(gram && potrf);
}

static void interrupt_stops_a_factorisation(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *A = spd_matrix(ctx, 600, 0.1);
    atomic_store(&ctx->interrupted, 1);
    assert_int_equal(la_potrf(ctx, A), RUNG_EINTERRUPT);
}

static void too_large_is_refused(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *A;
    assert_fails(ctx, la_new(ctx, &ctx->scratch, (int64_t)1 << 40, 2, &A), RUNG_EARG,
                 "a 1099511627776 x 2 matrix is too large");
    assert_int_equal(la_new(ctx, &ctx->scratch, 2, (int64_t)1 << 31, &A), RUNG_EARG);
    assert_int_equal(la_new(ctx, &ctx->scratch, -1, 2, &A), RUNG_EARG);
    assert_int_equal(la_new(ctx, &ctx->scratch, 2, -1, &A), RUNG_EARG);
    assert_null(A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(gram_is_the_map_of_each_pair),
        WITH_CONTEXT(distances_map_to_the_same_gram),
        WITH_CONTEXT(expand_is_cross_times_coefficients),
        WITH_CONTEXT(expand_does_not_depend_on_the_company),
        WITH_CONTEXT(cholesky_residual),
        WITH_CONTEXT(cholesky_tells_the_pivot),
        WITH_CONTEXT(tail_products_are_the_factor),
        WITH_CONTEXT(ridge_least_squares),
        WITH_CONTEXT(columns_become_orthogonal),
        WITH_CONTEXT(small_system),
        WITH_CONTEXT(multiply_and_gather),
        WITH_CONTEXT(same_bits_for_any_number_of_threads),
        WITH_CONTEXT(counters_count),
        WITH_CONTEXT(interrupt_stops_a_factorisation),
        WITH_CONTEXT(too_large_is_refused),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
