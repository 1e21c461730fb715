// SPDX-License-Identifier: BSD-3-Clause
/* Sparse products and nearest columns: by definition, with ties and duplicates, and both ways to the same answer. */
#include "helper.h"

#include "base/rng.h"
#include "linalg/internal.h"

static double *room(rung_ctx *ctx, int64_t n)
{
    double *v = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    return v;
}

static int64_t *places(rung_ctx *ctx, int64_t n)
{
    int64_t *v = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n));
    return v;
}

/* kind 0: normal numbers; 1: small integers (ties, duplicates); 2: far from the origin; 3: all the same point; 4: two
 * clusters so far apart that products tell nothing of the distances within one. */
static la_mat *points(rung_ctx *ctx, int kind, int64_t d, int64_t n, uint64_t stream)
{
    la_mat *X = NULL;
    double *x = room(ctx, d * n);
    rng r;
    rng_open(&r, 5, stream);
    for (int64_t i = 0; i < d * n; i++) {
        x[i] = rng_normal(&r);
        if (kind == 1) x[i] = nearbyint(x[i]);
        if (kind == 2) x[i] = 1e6 + 1e-2 * x[i];
        if (kind == 3) x[i] = 0.1;
        if (kind == 4) x[i] = (i / d % 2 ? 1e6 : -1e6) + 1e-2 * x[i];
    }
    assert_ok(ctx, la_new(ctx, &ctx->scratch, d, n, &X));
    la_put(x, X);
    return X;
}

static double factor_of(const la_pair_factor *f, int64_t i, int64_t j)
{
    return f ? f->table[f->row[i] + f->col[j] * f->groups] : 1;
}

/* Repeated selection of the smallest (distance, index): slow, and by definition. */
static void by_definition(rung_ctx *ctx, const la_mat *X, const la_mat *Z, const int64_t *self,
                          const la_pair_factor *factor, int64_t k, int64_t *index, double *d2)
{
    int64_t n = X->cols;
    double *d = room(ctx, n);
    for (int64_t j = 0; j < Z->cols; j++) {
        for (int64_t i = 0; i < n; i++) {
            d[i] = 0;
            for (int64_t h = 0; h < X->rows; h++)
                d[i] += (*la_at(X, h, i) - *la_at(Z, h, j)) * (*la_at(X, h, i) - *la_at(Z, h, j));
            d[i] *= factor_of(factor, i, j);
        }
        if (self) d[self[j]] = INFINITY;
        for (int64_t c = 0; c < k; c++) {
            int64_t best = 0;
            for (int64_t i = 1; i < n; i++)
                if (d[i] < d[best]) best = i;
            index[c + j * k] = best;
            d2[c + j * k] = d[best];
            d[best] = INFINITY;
        }
    }
}

static void nearest_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t shapes[][3] = {{1, 2, 1}, {3, 20, 19}, {2, 150, 7}, {5, 1500, 10}, {20, 300, 6}, {8, 700, 40}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int kind = 0; kind < 5; kind++)
            for (int with_factor = 0; with_factor < 2; with_factor++) {
                pool_mark mark = pool_here(&ctx->scratch);
                int64_t d = shapes[s][0], n = shapes[s][1], k = shapes[s][2];
                la_mat *X = points(ctx, kind, d, n, s);
                int64_t *self = places(ctx, n), *want = places(ctx, k * n), *got = places(ctx, k * n);
                double *d2 = room(ctx, k * n), *got_d2 = room(ctx, k * n),
                       table[16] = {1, 4, 9, 2, 4, 1, 3, 4, 0.5, 4, 1, 4, 3, 2, 4, 1};
                int *group = NULL;
                assert_ok(ctx, NEW(ctx, &ctx->scratch, group, n));
                for (int64_t i = 0; i < n; i++) {
                    self[i] = i;
                    group[i] = (int[]){3, 0, 2}[i * 7 % 3]; /* none in 1 */
                }
                la_pair_factor pairs = {4, table, group, group}, *factor = with_factor ? &pairs : NULL;
                by_definition(ctx, X, X, self, factor, k, want, d2);
                nearest_query q = {X, X, self, factor, k, got, got_d2};
                for (int threads = 1; threads <= 3; threads++) {
                    ctx->threads = threads;
                    assert_ok(ctx, nearest_by_blocks(ctx, &q));
                    assert_memory_equal(got, want, sizeof *got * (size_t)(k * n));
                    assert_memory_equal(got_d2, d2, sizeof *d2 * (size_t)(k * n));
                    if (d > TREE_DIMENSIONS) continue;
                    memset(got, 0xff, sizeof *got * (size_t)(k * n));
                    assert_ok(ctx, nearest_by_tree(ctx, &q));
                    assert_memory_equal(got, want, sizeof *got * (size_t)(k * n));
                    assert_memory_equal(got_d2, d2, sizeof *d2 * (size_t)(k * n));
                }
                pool_release(&ctx->scratch, mark);
            }
}

static void new_points_are_asked_too(void **state)
{
    rung_ctx *ctx = *state;
    for (int kind = 0; kind < 5; kind++) {
        int64_t d = 3, n = 2500, m = 90, k = 5;
        la_mat *X = points(ctx, kind, d, n, 1), *Z = points(ctx, kind, d, m, 2);
        int64_t *want = places(ctx, k * m), *got = places(ctx, k * m);
        double *d2 = room(ctx, k * m), *got_d2 = room(ctx, k * m);
        by_definition(ctx, X, Z, NULL, NULL, k, want, d2);
        assert_ok(ctx, la_nearest(ctx, X, Z, NULL, NULL, k, got, got_d2)); /* the tree */
        assert_memory_equal(got, want, sizeof *got * (size_t)(k * m));
        nearest_query q = {X, Z, NULL, NULL, k, got, got_d2};
        memset(got, 0xff, sizeof *got * (size_t)(k * m));
        assert_ok(ctx, nearest_by_blocks(ctx, &q));
        assert_memory_equal(got, want, sizeof *got * (size_t)(k * m));
        assert_memory_equal(got_d2, d2, sizeof *d2 * (size_t)(k * m));
    }
}

static void nearest_in_a_kernel_matrix(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 120, k = 8;
    la_mat *X = points(ctx, 1, 2, n, 3), *K = NULL;
    la_map dot = {.kind = LA_DOT};
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &K));
    assert_ok(ctx, la_gram(ctx, X, &dot, K)); /* of integers: exact */
    int64_t *self = places(ctx, n), *want = places(ctx, k * n), *got = places(ctx, k * n), of[2] = {77, 3};
    double *d2 = room(ctx, k * n), *got_d2 = room(ctx, k * n);
    for (int64_t i = 0; i < n; i++) self[i] = i;
    by_definition(ctx, X, X, self, NULL, k, want, d2);
    assert_ok(ctx, la_nearest_kernel(ctx, K, n, NULL, k, got, got_d2));
    assert_memory_equal(got, want, sizeof *got * (size_t)(k * n));
    assert_memory_equal(got_d2, d2, sizeof *d2 * (size_t)(k * n));
    assert_ok(ctx, la_nearest_kernel(ctx, K, 2, of, k, got, got_d2));
    for (int t = 0; t < 2; t++) assert_memory_equal(got + t * k, want + of[t] * k, sizeof *got * (size_t)k);
    assert_ok(ctx, la_nearest_kernel(ctx, K, 0, NULL, k, NULL, NULL)); /* nobody asks, or for nothing */
    assert_ok(ctx, la_nearest_kernel(ctx, K, n, NULL, 0, NULL, NULL));
    la_mat *none;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 2, 0, &none));
    assert_ok(ctx, la_nearest(ctx, X, none, NULL, NULL, k, NULL, NULL));
}

/* Enough for several threads, and lists of all the others; groups that are too many for trees. */
static void nearest_on_threads(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 2100, k = 5;
    la_mat *X = points(ctx, 1, 2, n, 3), *K = NULL;
    la_map dot = {.kind = LA_DOT};
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &K));
    assert_ok(ctx, la_gram(ctx, X, &dot, K));
    int64_t *self = places(ctx, n), *want = places(ctx, k * n), *got = places(ctx, k * n);
    double *d2 = room(ctx, k * n), *got_d2 = room(ctx, k * n), *table = room(ctx, 40 * 40);
    int *group = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, group, n));
    for (int64_t i = 0; i < n; i++) self[i] = i, group[i] = (int)(i % 40);
    for (int i = 0; i < 40 * 40; i++) table[i] = 1 + (i / 40 > i % 40 ? i / 40 - i % 40 : i % 40 - i / 40);
    by_definition(ctx, X, X, self, NULL, k, want, d2);
    for (int threads = 1; threads <= 2; threads++) {
        ctx->threads = threads;
        assert_ok(ctx, la_nearest_kernel(ctx, K, n, NULL, k, got, got_d2));
        assert_memory_equal(got, want, sizeof *got * (size_t)(k * n));
        assert_memory_equal(got_d2, d2, sizeof *d2 * (size_t)(k * n));
    }
    /* Too few ask, or for too many: no tree. */
    la_mat *some = points(ctx, 1, 2, 10, 4);
    by_definition(ctx, X, some, NULL, NULL, k, want, d2);
    assert_ok(ctx, la_nearest(ctx, X, some, NULL, NULL, k, got, got_d2));
    assert_memory_equal(got, want, sizeof *got * (size_t)(k * 10));
    int64_t most = 140, *all = places(ctx, most * 100), *found = places(ctx, most * 100);
    double *all_d2 = room(ctx, most * 100), *found_d2 = room(ctx, most * 100);
    some = points(ctx, 1, 2, 100, 5);
    by_definition(ctx, X, some, NULL, NULL, most, all, all_d2);
    assert_ok(ctx, la_nearest(ctx, X, some, NULL, NULL, most, found, found_d2));
    assert_memory_equal(found, all, sizeof *found * (size_t)(most * 100));

    la_pair_factor pairs = {40, table, group, group};
    by_definition(ctx, X, X, self, &pairs, k, want, d2);
    assert_ok(ctx, la_nearest(ctx, X, X, self, &pairs, k, got, got_d2));
    assert_memory_equal(got, want, sizeof *got * (size_t)(k * n));
    pairs.groups = 1;
    memset(group, 0, sizeof *group * (size_t)n);
    by_definition(ctx, X, X, self, &pairs, k, want, d2);
    assert_ok(ctx, la_nearest(ctx, X, X, self, &pairs, k, got, got_d2));
    assert_memory_equal(got, want, sizeof *got * (size_t)(k * n));
}

/* ---- sparse ---- */

static la_csr sparse(rung_ctx *ctx, int64_t rows, int64_t cols, double *dense)
{
    la_csr S = {.rows = rows, .cols = cols};
    assert_ok(ctx, NEW(ctx, &ctx->scratch, S.start, rows + 1));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, S.col, rows * cols));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, S.value, rows * cols));
    rng r;
    rng_open(&r, 9, 9);
    for (int64_t i = 0; i < rows; i++) {
        S.start[i + 1] = S.start[i];
        for (int64_t j = 0; j < cols; j++) {
            dense[i + j * rows] = 0;
            if (rng_uniform(&r) > 0.2 || i % 5 == 3) continue; /* some rows are empty */
            dense[i + j * rows] = S.value[S.start[i + 1]] = rng_normal(&r);
            S.col[S.start[i + 1]++] = j;
        }
    }
    return S;
}

static void sparse_products(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t shapes[][3] = {{1, 1, 1}, {7, 3, 9}, {60, 40, 17}, {2100, 30, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t rows = shapes[s][0], cols = shapes[s][1], m = shapes[s][2];
        double *dense = room(ctx, rows * cols), *b = room(ctx, cols * m), *c = room(ctx, rows * m), *first = NULL;
        la_csr S = sparse(ctx, rows, cols, dense);
        la_mat *B = points(ctx, 0, cols, m, 4), *C = points(ctx, 0, rows, m, 5), *A = points(ctx, 0, rows, cols, 6);
        double *c0 = room(ctx, rows * m), *a0 = room(ctx, rows * cols), *a1 = room(ctx, rows * cols);
        la_get(B, b);
        la_get(C, c0);
        for (int threads = 1; threads <= 3; threads++) {
            double *thin = room(ctx, rows * m);
            ctx->threads = threads;
            memcpy(thin, c0, sizeof *thin * (size_t)(rows * m));
            la_put(c0, C);
            assert_ok(ctx, la_spmm(ctx, 2, &S, B, -1, C));
            assert_ok(ctx, la_spmm_thin(ctx, 2, &S, m, b, -1, thin));
            la_get(C, c);
            assert_memory_equal(c, thin, sizeof *c * (size_t)(rows * m));
            if (first) assert_memory_equal(c, first, sizeof *c * (size_t)(rows * m));
            first = thin;
            double *side = room(ctx, cols * LA_SIDE), *product = room(ctx, rows * LA_SIDE);
            for (int64_t i = 0; i < cols; i++)
                for (int64_t j = 0; j < m && j < LA_SIDE; j++) side[i * LA_SIDE + j] = b[i + j * cols];
            assert_ok(ctx, la_spmm_side(ctx, &S, side, product));
            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < m && j < LA_SIDE; j++)
                    assert_close(2 * product[i * LA_SIDE + j] - c0[i + j * rows], c[i + j * rows], 1e-12);
        }
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < m; j++) {
                double want = -c0[i + j * rows];
                for (int64_t h = 0; h < cols; h++) want += 2 * dense[i + h * rows] * b[h + j * cols];
                assert_close(c[i + j * rows], want, 1e-13);
            }
        la_get(A, a0);
        assert_ok(ctx, la_add_csr(ctx, 3, &S, A));
        la_get(A, a1);
        for (int64_t i = 0; i < rows * cols; i++) assert_true(a1[i] == a0[i] + 3 * dense[i]);
    }
}

static rung_status every_allocation(void *unused)
{
    (void)unused;
    rung_ctx *ctx = NULL;
    la_mat *X = NULL;
    static double x[2 * 40];
    int64_t index[40], start[41] = {0};
    double d2[40];
    rung_status s = context_new(&ctx);
    if (s == RUNG_OK) s = la_new(ctx, &ctx->scratch, 2, 40, &X);
    if (s == RUNG_OK) {
        la_put(x, X);
        nearest_query q = {X, X, NULL, NULL, 1, index, d2};
        la_csr empty = {.rows = 2, .cols = 2, .start = start, .col = index, .value = d2};
        s = nearest_by_blocks(ctx, &q);
        if (s == RUNG_OK) s = nearest_by_tree(ctx, &q);
        if (s == RUNG_OK) s = la_spmm(ctx, 1, &empty, X, 1, X);
    }
    context_free(ctx);
    return s;
}

static void every_allocation_fails(void **state)
{
    (void)state;
    assert_true(fail_each_allocation(every_allocation, NULL) > 6);
}

/* With every cell asked for the answer is exact, also where single precision tells nothing; kind 5: numbers whose
 * squares single precision does not hold, kind 6: squares that vanish in it. */
static void cells_exclude_nothing_that_counts(void **state)
{
    rung_ctx *ctx = *state;
    enum { CELLS = 4, K = 5 };
    static const int64_t shapes[][2] = {{3, 40}, {9, 700}, {20, 1500}};
    for (int kind = 0; kind < 7; kind++)
        for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
            int64_t d = shapes[shape][0], n = shapes[shape][1], *name = places(ctx, n), *index = places(ctx, n * K),
                    *wanted = places(ctx, n * K), start[CELLS + 1] = {0, n / 20, n / 20, n / 2, n};
            double *d2 = room(ctx, n * K), *wanted_d2 = room(ctx, n * K);
            la_mat *X = points(ctx, kind < 5 ? kind : 0, d, n, 8), *centres = points(ctx, 0, d, CELLS, 9);
            for (int64_t i = 0; i < d * n && kind >= 5; i++) X->v[i] *= kind == 5 ? 1e22 : 1e-28;
            for (int64_t i = 0; i < n; i++) name[i] = i;
            la_cells cells = {.X = X, .centres = centres, .start = start, .name = name, .probes = CELLS};
            assert_ok(ctx, la_nearest_in_cells(ctx, &cells, K, index, d2));
            by_definition(ctx, X, X, name, NULL, K, wanted, wanted_d2);
            assert_memory_equal(index, wanted, (size_t)(n * K) * sizeof *index);
            assert_memory_equal(d2, wanted_d2, (size_t)(n * K) * sizeof *d2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(cells_exclude_nothing_that_counts),
        WITH_CONTEXT(nearest_by_definition),
        WITH_CONTEXT(new_points_are_asked_too),
        WITH_CONTEXT(nearest_in_a_kernel_matrix),
        WITH_CONTEXT(nearest_on_threads),
        WITH_CONTEXT(sparse_products),
        cmocka_unit_test(every_allocation_fails),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
