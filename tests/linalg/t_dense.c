// SPDX-License-Identifier: BSD-3-Clause
/* Products, factorisations and eigenvalues of large matrices: identities measured as LAPACK does, exact symmetry, and
 * the same bits for any number of threads. */
#include "helper.h"

#include <float.h>

#include "base/rng.h"
#include "linalg/la.h"

static const int64_t sizes[] = {1, 2, 3, 5, 10, 50, 257, 600};
enum { SIZES = sizeof sizes / sizeof *sizes };

static double *room(rung_ctx *ctx, int64_t n)
{
    double *v = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    return v;
}

static la_mat *matrix(rung_ctx *ctx, int64_t rows, int64_t cols)
{
    la_mat *A = NULL;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, rows, cols, &A));
    return A;
}

static la_mat *random_matrix(rung_ctx *ctx, int64_t rows, int64_t cols, uint64_t stream, double **host)
{
    la_mat *A = matrix(ctx, rows, cols);
    rng r;
    rng_open(&r, 11, stream);
    *host = room(ctx, rows * cols);
    for (int64_t i = 0; i < rows * cols; i++) (*host)[i] = rng_normal(&r);
    la_put(*host, A);
    return A;
}

static la_mat *symmetric_matrix(rung_ctx *ctx, int64_t n, uint64_t stream, double **host)
{
    la_mat *A = random_matrix(ctx, n, n, stream, host);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) (*host)[i + j * n] = (*host)[j + i * n];
    la_put(*host, A);
    return A;
}

static double *copy(rung_ctx *ctx, const la_mat *A)
{
    double *host = room(ctx, la_rows(A) * la_cols(A));
    la_get(A, host);
    return host;
}

/* max_ij |(A B - C)_ij|, A m x p, B p x n: plain loops are the definition. */
static double product_error(int64_t m, int64_t p, int64_t n, const double *A, const double *B, const double *C)
{
    double worst = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double s = -C[i + j * m];
            for (int64_t h = 0; h < p; h++) s += A[i + h * m] * B[h + j * p];
            worst = fmax(worst, fabs(s));
        }
    return worst;
}

static double *transposed(rung_ctx *ctx, int64_t rows, int64_t cols, const double *A)
{
    double *T = room(ctx, rows * cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) T[j + i * cols] = A[i + j * rows];
    return T;
}

static void gemm_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t shapes[][3] = {{1, 1, 1}, {3, 7, 2}, {300, 1, 5}, {257, 40, 520}, {10, 600, 10}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int flags = 0; flags < 4; flags++) {
            pool_mark mark = pool_here(&ctx->scratch);
            int64_t m = shapes[s][0], p = shapes[s][1], n = shapes[s][2];
            bool ta = flags & 1, tb = flags & 2;
            double *a, *b, *c;
            la_mat *A = random_matrix(ctx, ta ? p : m, ta ? m : p, 1, &a);
            la_mat *B = random_matrix(ctx, tb ? n : p, tb ? p : n, 2, &b), *C = random_matrix(ctx, m, n, 3, &c);
            assert_ok(ctx, la_gemm(ctx, ta, tb, 2, A, B, -1, C)); /* C = 2 op(A) op(B) - C */
            double *got = copy(ctx, C);
            for (int64_t i = 0; i < m * n; i++) got[i] = (got[i] + c[i]) / 2;
            if (ta) a = transposed(ctx, p, m, a);
            if (tb) b = transposed(ctx, n, p, b);
            assert_true(product_error(m, p, n, a, b, got) < 30 * DBL_EPSILON * (double)(p + 1) * 10);
            double *nan = room(ctx, m * n); /* beta = 0 does not read C */
            for (int64_t i = 0; i < m * n; i++) nan[i] = NAN;
            la_put(nan, C);
            assert_ok(ctx, la_gemm(ctx, ta, tb, 1, A, B, 0, C));
            assert_true(product_error(m, p, n, a, b, copy(ctx, C)) < 30 * DBL_EPSILON * (double)(p + 1) * 10);
            pool_release(&ctx->scratch, mark);
        }
}

static void symmetric_products(void **state)
{
    rung_ctx *ctx = *state;
    for (int s = 0; s < SIZES; s++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t n = sizes[s], p = 17;
        double *a, *c, tolerance = 1e-12 * (double)(n + 1);
        la_mat *A = random_matrix(ctx, n, p, 4, &a), *C = symmetric_matrix(ctx, n, 5, &c), *T = matrix(ctx, p, n);
        double *t = transposed(ctx, n, p, a), *before = copy(ctx, C);
        la_put(t, T);
        for (int flag = 0; flag < 2; flag++) {
            la_put(before, C);
            assert_ok(ctx, la_syrk(ctx, flag, 1, flag ? T : A, 0.5, C));
            double *got = copy(ctx, C);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) assert_true(got[i + j * n] == got[j + i * n]);
            for (int64_t i = 0; i < n * n; i++) got[i] -= 0.5 * before[i];
            assert_true(product_error(n, p, n, a, t, got) < tolerance);
        }
        la_mat *AC = matrix(ctx, n, n), *ACA = matrix(ctx, n, n); /* S C S with symmetric S: symmetric */
        la_put(before, C);
        double *sym;
        la_mat *S = symmetric_matrix(ctx, n, 6, &sym);
        assert_ok(ctx, la_gemm(ctx, false, false, 1, C, S, 0, AC));
        assert_ok(ctx, la_gemm_symmetric(ctx, false, 1, S, AC, 0, ACA));
        double *got = copy(ctx, ACA);
        assert_true(product_error(n, n, n, sym, copy(ctx, AC), got) < 1e-10 * (double)n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) assert_true(got[i + j * n] == got[j + i * n]);
        pool_release(&ctx->scratch, mark);
    }
}

static void entries_and_sums(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t shapes[][2] = {{1, 1}, {1, 5}, {6, 1}, {130, 257}, {300, 300}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t m = shapes[s][0], n = shapes[s][1];
        double *a, *b, *r, *c, inner, want_inner = 0, *sums = room(ctx, m), *dots = room(ctx, n);
        la_mat *A = random_matrix(ctx, m, n, 7, &a), *B = random_matrix(ctx, m, n, 8, &b), *T = matrix(ctx, n, m);
        random_matrix(ctx, m, 1, 9, &r);
        random_matrix(ctx, n, 1, 10, &c);
        assert_ok(ctx, la_transpose(ctx, A, T));
        assert_memory_equal(copy(ctx, T), transposed(ctx, m, n, a), sizeof *a * (size_t)(m * n));
        assert_ok(ctx, la_row_sums(ctx, A, sums));
        assert_ok(ctx, la_inner(ctx, A, B, &inner));
        assert_ok(ctx, la_column_dots(ctx, A, B, dots));
        for (int64_t i = 0; i < m; i++) {
            double want = 0;
            for (int64_t j = 0; j < n; j++) want += a[i + j * m];
            assert_true(sums[i] == want);
        }
        for (int64_t j = 0; j < n; j++) {
            double want = 0;
            for (int64_t i = 0; i < m; i++) want += a[i + j * m] * b[i + j * m];
            assert_true(dots[j] == want);
            want_inner += want;
        }
        assert_true(inner == want_inner);
        double trace = 0, *diagonal = room(ctx, m < n ? m : n);
        la_diagonal(A, diagonal);
        for (int64_t i = 0; i < m && i < n; i++) {
            assert_true(diagonal[i] == a[i + i * m]);
            trace += diagonal[i];
        }
        assert_true(la_trace(A) == trace);
        assert_ok(ctx, la_scale_add(ctx, 2, A, -1, B));
        double *got = copy(ctx, B);
        for (int64_t i = 0; i < m * n; i++) assert_true(got[i] == 2 * a[i] - b[i]);
        assert_ok(ctx, la_hadamard(ctx, A, B));
        got = copy(ctx, B);
        for (int64_t i = 0; i < m * n; i++) assert_true(got[i] == (2 * a[i] - b[i]) * a[i]);
        assert_ok(ctx, la_scale_add(ctx, 1, A, 0, B));
        assert_memory_equal(copy(ctx, B), a, sizeof *a * (size_t)(m * n));
        assert_ok(ctx, la_scale(ctx, r, c, B));
        got = copy(ctx, B);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) assert_true(got[i + j * m] == a[i + j * m] * (r[i] * c[j]));
        assert_ok(ctx, la_scale(ctx, NULL, c, A));
        got = copy(ctx, A);
        for (int64_t j = 0; j < n; j++) assert_true(got[j * m] == a[j * m] * c[j]);
        pool_release(&ctx->scratch, mark);
    }
}

static void centring(void **state)
{
    rung_ctx *ctx = *state;
    int64_t m = 270, n = 131;
    for (int what = 0; what < 3; what++) {
        double *a;
        la_mat *A = random_matrix(ctx, m, n, 11, &a);
        assert_ok(ctx, la_centre(ctx, (la_centring)what, A));
        double *got = copy(ctx, A), mean = 0;
        for (int64_t i = 0; i < m * n; i++) mean += a[i] / (double)(m * n);
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double row = 0, col = 0, want = a[i + j * m];
                for (int64_t h = 0; h < n; h++) row += a[i + h * m] / (double)n;
                for (int64_t h = 0; h < m; h++) col += a[h + j * m] / (double)m;
                if (what != LA_CENTRE_COLUMNS) want -= row;
                if (what != LA_CENTRE_ROWS) want -= col;
                if (what == LA_CENTRE_BOTH) want += mean;
                assert_close(got[i + j * m], want, 1e-13);
            }
    }
    double *s;
    la_mat *S = symmetric_matrix(ctx, 333, 12, &s);
    assert_ok(ctx, la_centre(ctx, LA_CENTRE_BOTH, S));
    assert_true(la_asymmetry(S) == 0);
}

static void lookup_by_groups(void **state)
{
    rung_ctx *ctx = *state;
    double table[4] = {1, 2, 3, 4}, got[6];
    int row[3] = {1, 0, 1}, col[2] = {0, 1};
    la_mat *A = matrix(ctx, 3, 2);
    assert_ok(ctx, la_lookup(ctx, 2, table, row, col, A));
    la_get(A, got);
    double want[6] = {2, 1, 2, 4, 3, 4};
    assert_memory_equal(got, want, sizeof want);
}

static double residual_ratio(int64_t n, int64_t k, const double *A, const double *X, const double *B)
{
    double norm = 0, x = 0;
    for (int64_t i = 0; i < n; i++) {
        double row = 0;
        for (int64_t j = 0; j < n; j++) row += fabs(A[i + j * n]);
        norm = fmax(norm, row);
    }
    for (int64_t i = 0; i < n * k; i++) x = fmax(x, fabs(X[i]));
    return product_error(n, n, k, A, X, B) / ((double)n * DBL_EPSILON * norm * x);
}

static void lu_residual(void **state)
{
    rung_ctx *ctx = *state;
    for (int s = 0; s < SIZES; s++)
        for (int64_t k = 3; k <= 150; k += 147)
            for (int flag = 0; flag < 2; flag++) {
                pool_mark mark = pool_here(&ctx->scratch);
                int64_t n = sizes[s];
                double *a, *b;
                int *pivot = NULL;
                assert_ok(ctx, NEW(ctx, &ctx->scratch, pivot, n));
                la_mat *A = random_matrix(ctx, n, n, 13, &a), *B = random_matrix(ctx, n, k, 14, &b);
                double *x = copy(ctx, B), *op = flag ? transposed(ctx, n, n, a) : a;
                assert_ok(ctx, la_getrf(ctx, A, pivot));
                assert_ok(ctx, la_getrs(ctx, A, pivot, flag, k, x));
                assert_ok(ctx, la_getrs_wide(ctx, A, pivot, flag, B));
                assert_true(residual_ratio(n, k, op, x, b) < 30);
                assert_memory_equal(copy(ctx, B), x, sizeof *x * (size_t)(n * k));
                pool_release(&ctx->scratch, mark);
            }
}

static la_mat *kernel_matrix(rung_ctx *ctx, int64_t n, double gamma)
{
    double *x;
    la_mat *X = random_matrix(ctx, 3, n, 16, &x), *K = matrix(ctx, n, n);
    la_map map = {.kind = LA_EXP_SQ, .gamma = gamma};
    assert_ok(ctx, la_gram(ctx, X, &map, K));
    return K;
}

/* Sizes whose tiles and panels are wider. */
static void large_factors(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 2001;
    double *a, *b;
    int *pivot = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, pivot, n));
    la_mat *A = random_matrix(ctx, n, n, 13, &a), *B = random_matrix(ctx, n, 1, 14, &b);
    double *x = copy(ctx, B);
    assert_ok(ctx, la_getrf(ctx, A, pivot));
    assert_ok(ctx, la_getrs(ctx, A, pivot, false, 1, x));
    assert_true(residual_ratio(n, 1, a, x, b) < 30);
    pool_release(&ctx->scratch, mark);

    n = 3001;
    A = kernel_matrix(ctx, n, 5);
    la_add_diagonal(A, 1, NULL);
    B = random_matrix(ctx, n, 1, 14, &b);
    a = copy(ctx, A);
    x = copy(ctx, B);
    assert_ok(ctx, la_potrf(ctx, A));
    assert_ok(ctx, la_potrs(ctx, A, 1, x));
    assert_true(residual_ratio(n, 1, a, x, b) < 30);
}

static void lu_tells_a_zero_pivot(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 300;
    double *a;
    int *pivot = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, pivot, n));
    la_mat *A = random_matrix(ctx, n, n, 15, &a);
    memset(a + 130 * n, 0, sizeof *a * (size_t)n);
    la_put(a, A);
    assert_fails(ctx, la_getrf(ctx, A, pivot), RUNG_ESINGULAR, "pivot 131");
    a[5] = NAN;
    la_put(a, A);
    assert_fails(ctx, la_getrf(ctx, A, pivot), RUNG_ESINGULAR, "singular");
}

static void triangular_solves(void **state)
{
    rung_ctx *ctx = *state;
    for (int s = 0; s < SIZES; s++)
        for (int flag = 0; flag < 2; flag++)
            for (int64_t k = 4; k <= 140; k += 136) {
                pool_mark mark = pool_here(&ctx->scratch);
                int64_t n = sizes[s];
                la_mat *A = kernel_matrix(ctx, n, 0.5);
                double *b;
                la_mat *B = random_matrix(ctx, n, k, 17, &b);
                la_add_diagonal(A, 0.1, NULL);
                assert_ok(ctx, la_potrf(ctx, A));
                double *L = copy(ctx, A);
                for (int64_t j = 0; j < n; j++)
                    for (int64_t i = 0; i < j; i++) L[i + j * n] = 0;
                assert_ok(ctx, la_trsm(ctx, A, flag, B));
                assert_true(residual_ratio(n, k, flag ? transposed(ctx, n, n, L) : L, copy(ctx, B), b) < 30);
                pool_release(&ctx->scratch, mark);
            }
}

/* A V = V diag(w), V'V = I, largest first, by both algorithms. */
static void eigenpairs(void **state)
{
    rung_ctx *ctx = *state;
    for (int s = 0; s < SIZES; s++)
        for (int part = 0; part < 3; part++) {
            pool_mark mark = pool_here(&ctx->scratch);
            int64_t n = sizes[s], r = part == 0 ? n : part == 1 ? (n + 4) / 5 : (n + 1) / 2;
            double *a, *w = room(ctx, r), norm = 0, worst = 0, off = 0;
            la_mat *A = symmetric_matrix(ctx, n, 18, &a), *V = matrix(ctx, n, r);
            assert_ok(ctx, la_eigen(ctx, A, r, w, V));
            double *v = copy(ctx, V);
            for (int64_t i = 0; i < n; i++) {
                double row = 0;
                for (int64_t j = 0; j < n; j++) row += fabs(a[i + j * n]);
                norm = fmax(norm, row);
            }
            for (int64_t c = 0; c < r; c++) {
                assert_true(c == 0 || w[c] <= w[c - 1]);
                double largest = 0;
                for (int64_t i = 0; i < n; i++) {
                    double e = -w[c] * v[i + c * n];
                    for (int64_t j = 0; j < n; j++) e += a[i + j * n] * v[j + c * n];
                    worst = fmax(worst, fabs(e));
                    if (fabs(v[i + c * n]) > fabs(largest)) largest = v[i + c * n];
                }
                assert_true(largest > 0);
                for (int64_t c2 = 0; c2 <= c; c2++) {
                    double dot = c == c2 ? -1 : 0;
                    for (int64_t i = 0; i < n; i++) dot += v[i + c * n] * v[i + c2 * n];
                    off = fmax(off, fabs(dot));
                }
            }
            assert_true(worst / ((double)n * DBL_EPSILON * norm) < 30);
            assert_true(off / ((double)n * DBL_EPSILON) < 30);
            double *only = room(ctx, r);
            la_put(a, A);
            assert_ok(ctx, la_eigen(ctx, A, r, only, NULL));
            for (int64_t c = 0; c < r; c++) assert_true(fabs(only[c] - w[c]) < 30 * (double)n * DBL_EPSILON * norm);
            pool_release(&ctx->scratch, mark);
        }
}

/* The centring matrix has n - 1 eigenvalues 1, of which a few are asked for. */
static void a_few_of_many_equal_eigenvalues(void **state)
{
    rung_ctx *ctx = *state;
    enum { n = 60 };
    for (int r = 1; r <= 15; r++) {
        double entries[n * n], values[n], vectors[n * n];
        la_mat *A, *V;
        assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &A));
        assert_ok(ctx, la_new(ctx, &ctx->scratch, n, r, &V));
        for (int i = 0; i < n * n; i++) entries[i] = (i % (n + 1) == 0) - 1.0 / n;
        la_put(entries, A);
        assert_ok(ctx, la_eigen(ctx, A, r, values, V));
        la_get(V, vectors);
        for (int j = 0; j < r; j++) {
            double sum = 0, norm = 0;
            for (int i = 0; i < n; i++) {
                sum += vectors[i + j * n];
                norm += vectors[i + j * n] * vectors[i + j * n];
            }
            assert_close(values[j], 1, 1e-13);
            assert_close(sum, 0, 1e-12); /* (I - 11'/n) v = v */
            assert_close(norm, 1, 1e-12);
        }
    }
}

static void eigenpairs_of_what_overflowed_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    double entries[] = {1, INFINITY, INFINITY, 1}, values[2];
    la_mat *A;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 2, 2, &A));
    la_put(entries, A);
    assert_fails(ctx, la_eigen(ctx, A, 2, values, NULL), RUNG_EDATA, "a 2 x 2 matrix");
    entries[1] = NAN;
    assert_fails(ctx, la_small_eigen(ctx, 2, entries, NULL, values), RUNG_EDATA, "scale the columns");
}

static void nothing_has_no_eigenpairs(void **state)
{
    rung_ctx *ctx = *state;
    double entries[] = {2, 0, 0, 1}, values[2] = {7, 7};
    la_mat *none, *A;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 0, 0, &none));
    assert_ok(ctx, la_eigen(ctx, none, 0, values, NULL));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 2, 2, &A));
    la_put(entries, A);
    assert_ok(ctx, la_eigen(ctx, A, 0, values, NULL));
    assert_ok(ctx, la_small_eigen(ctx, 0, entries, NULL, values));
    assert_true(values[0] == 7 && values[1] == 7);
}

static void generalised_eigenpairs(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 12 };
    double *a, *b, w[N], v[N * N], spd[N * N], spoilt[N * N];
    symmetric_matrix(ctx, N, 19, &a);
    random_matrix(ctx, N, N, 20, &b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            spd[i + j * N] = i == j;
            for (int h = 0; h < N; h++) spd[i + j * N] += b[i + h * N] * b[j + h * N];
        }
    memcpy(v, a, sizeof v);
    memcpy(spoilt, spd, sizeof spoilt);
    assert_ok(ctx, la_small_eigen(ctx, N, v, spoilt, w));
    for (int c = 0; c < N; c++) {
        double norm = 0;
        assert_true(c == 0 || w[c] <= w[c - 1]);
        for (int i = 0; i < N; i++) {
            double e = 0, bv = 0;
            for (int j = 0; j < N; j++) {
                e += (a[i + j * N] - w[c] * spd[i + j * N]) * v[j + c * N];
                bv += spd[i + j * N] * v[j + c * N];
            }
            norm += bv * v[i + c * N];
            assert_close(e, 0, 1e-12);
        }
        assert_close(norm, 1, 1e-12);
    }
    double two[4] = {2, 1, 1, 2}, bad[4] = {1, 2, 2, 1}, values[2];
    assert_ok(ctx, la_small_eigen(ctx, 2, two, NULL, values));
    assert_close(values[0], 3, 1e-15);
    assert_close(values[1], 1, 1e-15);
    assert_true(two[0] > 0 && fabs(two[0] - two[1]) < 1e-15);
    assert_fails(ctx, la_small_eigen(ctx, 2, two, bad, values), RUNG_ESINGULAR, "positive definite");
}

/* A Gram matrix of d columns has rank d; its eigenvalues beyond are below the bound promised. */
static void pivoted_rank(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 200, d = 7, rank;
    double *x;
    la_mat *X = random_matrix(ctx, d, n, 21, &x), *K = matrix(ctx, n, n);
    la_map dot = {.kind = LA_DOT};
    assert_ok(ctx, la_gram(ctx, X, &dot, K));
    assert_ok(ctx, la_cholesky_rank(ctx, K, 1e-10, &rank));
    assert_int_equal(rank, d);
    la_mat *wide = kernel_matrix(ctx, n, 0.05), *spare = kernel_matrix(ctx, n, 0.05);
    double *w = room(ctx, n);
    assert_ok(ctx, la_cholesky_rank(ctx, wide, 1e-6, &rank));
    assert_ok(ctx, la_eigen(ctx, spare, n, w, NULL));
    assert_true(rank > 3 && rank < 150 && w[rank] <= (double)(n - rank) * 1e-6);
}

/* F F' = A with as many columns as A has rank, rows in their places; an indefinite matrix is refused, also where its
 * diagonal hides it. */
static void roots(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 150;
    double *x, entry;
    la_mat *X = random_matrix(ctx, 5, n, 22, &x), *dots = matrix(ctx, n, n);
    la_map dot = {.kind = LA_DOT};
    assert_ok(ctx, la_gram(ctx, X, &dot, dots));
    la_mat *cases[] = {dots, kernel_matrix(ctx, n, 0.005), kernel_matrix(ctx, n, 50)};
    for (int c = 0; c < 3; c++) {
        la_mat *A = cases[c], *product = matrix(ctx, n, n), *F = matrix(ctx, n, n);
        assert_ok(ctx, la_scale_add(ctx, 1, A, 0, F));
        assert_ok(ctx, la_root(ctx, F));
        assert_true(c == 0 ? la_cols(F) == 5 : c == 1 ? la_cols(F) < 140 : la_cols(F) == n);
        assert_ok(ctx, la_gemm(ctx, false, true, 1, F, F, 0, product));
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                la_pick(A, 1, &i, 1, &j, &entry);
                double got, scale = c == 0 ? 40 : 1;
                la_pick(product, 1, &i, 1, &j, &got);
                assert_true(fabs(got - entry) < 1e-12 * scale);
            }
    }
    la_mat *two = matrix(ctx, 2, 2), *none = matrix(ctx, 3, 3), *empty = matrix(ctx, 0, 0);
    la_put((double[]){1, 2, 2, 1}, two);
    assert_fails(ctx, la_root(ctx, two), RUNG_EDATA, "not positive semidefinite");
    la_put((double[]){0, 0, 1, 0, 0, 0, 1, 0, 0}, none);
    assert_fails(ctx, la_root(ctx, none), RUNG_EDATA, "not positive semidefinite");
    la_put((double[9]){0}, none = matrix(ctx, 3, 3));
    assert_ok(ctx, la_root(ctx, none));
    assert_int_equal(la_cols(none), 0);
    assert_ok(ctx, la_root(ctx, empty));
}

/* Results large enough for larger tiles, of a small depth: n above 2048. */
static void large_products(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 2050, DEPTH = 3 };
    double *a, *b, *first = NULL;
    la_mat *A = random_matrix(ctx, N, DEPTH, 30, &a), *B = random_matrix(ctx, DEPTH, N, 31, &b), *C = matrix(ctx, N, N);
    for (int threads = 1; threads <= 2; threads++) {
        ctx->threads = threads;
        assert_ok(ctx, la_gemm(ctx, false, false, 2, A, B, 0, C));
        double *c = copy(ctx, C);
        if (threads == 1) first = c;
        assert_memory_equal(c, first, sizeof *c * N * N);
    }
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            double s = 0;
            for (int h = 0; h < DEPTH; h++) s += a[i + h * N] * b[h + j * DEPTH];
            if (!close_to(first[i + j * N], 2 * s, 1e-14)) fail_msg("entry %lld, %lld", (long long)i, (long long)j);
        }
    assert_ok(ctx, la_syrk(ctx, false, 1, A, 0, C));
    double *c = copy(ctx, C);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i <= j; i++) {
            double s = 0;
            for (int h = 0; h < DEPTH; h++) s += a[i + h * N] * a[j + h * N];
            if (!close_to(c[i + j * N], s, 1e-14) || c[i + j * N] != c[j + i * N])
                fail_msg("entry %lld, %lld", (long long)i, (long long)j);
        }
}

/* Kernel columns about a shift, in several tiles and several depths; the same bits for any number of threads. */
static void check_cross_sums(rung_ctx *ctx, const la_map *map)
{
    enum { D = 5, M = 300, COLS = 2500, GROUPS = 3 };
    double *x, *z, *k, *first = NULL, *first_sums = NULL, *E = room(ctx, COLS * GROUPS);
    double *shift = room(ctx, M), *scale = room(ctx, COLS), *zeros = room(ctx, M * M);
    la_mat *X = random_matrix(ctx, D, M, 40, &x), *Z = random_matrix(ctx, D, COLS, 41, &z), *C = matrix(ctx, M, M);
    la_mat *K = matrix(ctx, M, COLS);
    assert_ok(ctx, la_cross(ctx, X, Z, map, K));
    k = copy(ctx, K);
    for (int i = 0; i < M; i++) shift[i] = 0.001 * i;
    for (int j = 0; j < COLS; j++) {
        scale[j] = 1 + j % 3;
        E[j + j % GROUPS * COLS] = 1 + j % 2;
    }
    for (int threads = 1; threads <= 3; threads++) {
        double *sums = room(ctx, M * GROUPS);
        la_single_sums s = {.X = X, .Z = Z, .map = map, .shift = shift, .groups = GROUPS, .E = E, .sums = sums};
        ctx->threads = threads;
        la_put(zeros, C);
        la_add_diagonal(C, 1, NULL);
        assert_ok(ctx, la_cross_sums(ctx, &s)); /* sums alone, then both */
        s.scale = scale;
        s.C = C;
        assert_ok(ctx, la_cross_sums(ctx, &s));
        double *c = copy(ctx, C);
        if (threads == 1) first = c, first_sums = sums;
        assert_memory_equal(c, first, sizeof *c * M * M);
        assert_memory_equal(sums, first_sums, sizeof *sums * M * GROUPS);
    }
    for (int64_t j = 0; j < M; j += 7)
        for (int64_t i = 0; i < M; i++) {
            double s = i == j, size = 0;
            for (int64_t h = 0; h < COLS; h++) {
                double product = (k[i + h * M] - shift[i]) * (k[j + h * M] - shift[j]) * scale[h] * scale[h];
                s += product;
                size += fabs(product);
            }
            if (fabs(first[i + j * M] - s) > 1e-5 * size || first[i + j * M] != first[j + i * M])
                fail_msg("entry %lld, %lld: %g, not %g", (long long)i, (long long)j, first[i + j * M], s);
        }
    for (int64_t i = 0; i < M; i++)
        for (int g = 0; g < GROUPS; g++) {
            double s = 0, size = 0;
            for (int64_t h = 0; h < COLS; h++) {
                double term = 2 * (k[i + h * M] - shift[i]) * E[h + g * COLS];
                s += term;
                size += fabs(term);
            }
            if (fabs(first_sums[i + g * M] - s) > 1e-5 * size)
                fail_msg("sum %lld, %d: %g, not %g", (long long)i, g, first_sums[i + g * M], s);
        }
}

static void single_precision_sums(void **state)
{
    const la_map maps[] = {{.kind = LA_EXP_SQ, .gamma = 0.3},
                           {.kind = LA_EXP_SQ, .gamma = 20}, /* distances in double precision */
                           {.kind = LA_EXP_NORM, .gamma = 0.5},
                           {.kind = LA_DOT}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) check_cross_sums(*state, &maps[i]);
}

static double *run_all(rung_ctx *ctx, int threads, int64_t n, int64_t *length)
{
    ctx->threads = threads;
    double *a, *b, *out = room(ctx, *length = 8 * n * n + 2 * n), *at = out;
    int *pivot = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, pivot, n));
    la_mat *A = random_matrix(ctx, n, n, 22, &a), *B = random_matrix(ctx, n, n, 23, &b), *C = matrix(ctx, n, n);
    la_mat *K = kernel_matrix(ctx, n, 0.3);
#define KEEP(M) (la_get(M, at), at += n * n)
    assert_ok(ctx, la_gemm(ctx, true, false, 1, A, B, 0, C));
    KEEP(C);
    assert_ok(ctx, la_syrk(ctx, false, 1, A, 0, C));
    KEEP(C);
    assert_ok(ctx, la_gemm_symmetric(ctx, false, 1, K, K, 0.5, C));
    KEEP(C);
    assert_ok(ctx, la_centre(ctx, LA_CENTRE_BOTH, C));
    KEEP(C);
    assert_ok(ctx, la_row_sums(ctx, C, at));
    assert_ok(ctx, la_inner(ctx, A, C, at + n));
    at += 2 * n;
    assert_ok(ctx, la_getrf(ctx, A, pivot));
    KEEP(A);
    assert_ok(ctx, la_getrs_wide(ctx, A, pivot, false, B));
    KEEP(B);
    la_add_diagonal(K, 1, NULL);
    assert_ok(ctx, la_potrf(ctx, K));
    assert_ok(ctx, la_trsm(ctx, K, false, B));
    KEEP(B);
    memcpy(at, b, sizeof *b * (size_t)n);
    assert_ok(ctx, la_getrs(ctx, A, pivot, true, 1, at));
#undef KEEP
    return out;
}

static void same_bits_for_any_number_of_threads(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t many[] = {50, 600, 1000};
    for (int s = 0; s < 3; s++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int64_t length;
        double *one = run_all(ctx, 1, many[s], &length);
        for (int threads = 2; threads <= 3; threads++) {
            double *more = run_all(ctx, threads, many[s], &length);
            assert_memory_equal(one, more, sizeof(double) * (size_t)length);
        }
        pool_release(&ctx->scratch, mark);
    }
}

static void interrupt_stops_a_factorisation(void **state)
{
    rung_ctx *ctx = *state;
    double *a;
    int pivot[300];
    la_mat *A = random_matrix(ctx, 300, 300, 24, &a);
    atomic_store(&ctx->interrupted, 1);
    assert_int_equal(la_getrf(ctx, A, pivot), RUNG_EINTERRUPT);
    atomic_store(&ctx->interrupted, 0);
    la_put(a, A);
    assert_ok(ctx, la_getrf(ctx, A, pivot));
    atomic_store(&ctx->interrupted, 1);
    assert_int_equal(la_getrs(ctx, A, pivot, false, 1, a), RUNG_EINTERRUPT);
}

static rung_status every_allocation(void *unused)
{
    (void)unused;
    rung_ctx *ctx = NULL;
    la_mat *A = NULL, *V = NULL;
    double w[40], value;
    int pivot[40];
    int64_t rank;
    rung_status s = context_new(&ctx);
    if (s == RUNG_OK) s = la_new(ctx, &ctx->scratch, 40, 40, &A);
    if (s == RUNG_OK) s = la_new(ctx, &ctx->scratch, 40, 40, &V);
    if (s == RUNG_OK) {
        double host[1600];
        for (int i = 0; i < 1600; i++) host[i] = i / 40 == i % 40 ? 50 : 1.0 / (1 + i / 40 + i % 40);
        la_put(host, A);
        s = la_inner(ctx, A, A, &value);
        if (s == RUNG_OK) s = la_centre(ctx, LA_CENTRE_BOTH, A);
        la_put(host, A);
        if (s == RUNG_OK) s = la_eigen(ctx, A, 40, w, V);
        la_put(host, A);
        if (s == RUNG_OK) s = la_eigen(ctx, A, 3, w, V);
        la_put(host, A);
        if (s == RUNG_OK) s = la_cholesky_rank(ctx, A, 0, &rank);
        la_put(host, A);
        if (s == RUNG_OK) s = la_getrf(ctx, A, pivot);
        la_put(host, A);
        if (s == RUNG_OK) s = la_root(ctx, A);
        if (s == RUNG_OK) s = la_small_eigen(ctx, 2, (double[]){2, 1, 1, 2}, (double[]){2, 1, 1, 2}, w);
    }
    context_free(ctx);
    return s;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(every_allocation, NULL) > 10);
}

static void sums_over_pairs(void **state)
{
    rung_ctx *ctx = *state;
    for (int s = 0; s < SIZES; s++)
        for (int64_t d = 1; d <= 9; d += 4) {
            int64_t n = sizes[s];
            double *a, *b, *k, *x, inner[3], spread[3][9];
            la_mat *A = symmetric_matrix(ctx, n, 1, &a), *B = symmetric_matrix(ctx, n, 2, &b),
                   *K = symmetric_matrix(ctx, n, 3, &k), *X = random_matrix(ctx, d, n, 4, &x);
            long double sum = 0, size = 0, want[9] = {0}, large[9] = {0};
            for (int64_t i = 0; i < n * n; i++) {
                sum += (long double)a[i] * b[i];
                size += fabsl((long double)a[i] * b[i]);
                for (int64_t f = 0; f < d; f++) {
                    long double off = (long double)x[f + i / n * d] - x[f + i % n * d],
                                term = ((long double)0.5 * a[i] - 2 * b[i]) * k[i] * off * off;
                    want[f] += term;
                    large[f] += fabsl(term);
                }
            }
            for (int t = 0; t < 3; t++) {
                ctx->threads = t + 1;
                assert_ok(ctx, la_inner_symmetric(ctx, A, B, &inner[t]));
                assert_ok(ctx, la_spread(ctx, X, 0.5, A, -2, B, K, spread[t]));
                assert_true(fabsl(inner[t] - sum) <= 1e-14L * size && inner[t] == inner[0]);
                for (int64_t f = 0; f < d; f++)
                    assert_true(fabsl(spread[t][f] - want[f]) <= 1e-14L * large[f] && spread[t][f] == spread[0][f]);
            }
            pool_free_all(&ctx->scratch);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(gemm_by_definition),
        WITH_CONTEXT(symmetric_products),
        WITH_CONTEXT(entries_and_sums),
        WITH_CONTEXT(sums_over_pairs),
        WITH_CONTEXT(centring),
        WITH_CONTEXT(lookup_by_groups),
        WITH_CONTEXT(lu_residual),
        WITH_CONTEXT(large_factors),
        WITH_CONTEXT(lu_tells_a_zero_pivot),
        WITH_CONTEXT(triangular_solves),
        WITH_CONTEXT(eigenpairs),
        WITH_CONTEXT(a_few_of_many_equal_eigenvalues),
        WITH_CONTEXT(eigenpairs_of_what_overflowed_are_refused),
        WITH_CONTEXT(nothing_has_no_eigenpairs),
        WITH_CONTEXT(generalised_eigenpairs),
        WITH_CONTEXT(pivoted_rank),
        WITH_CONTEXT(roots),
        WITH_CONTEXT(large_products),
        WITH_CONTEXT(single_precision_sums),
        WITH_CONTEXT(same_bits_for_any_number_of_threads),
        WITH_CONTEXT(interrupt_stops_a_factorisation),
        cmocka_unit_test(every_allocation_fails),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
