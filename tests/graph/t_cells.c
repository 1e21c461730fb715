// SPDX-License-Identifier: BSD-3-Clause
/* Neighbours found in cells, against those of all rows. */
#include "helper.h"

#include "base/rng.h"
#include "graph/graph.h"
#include "graph/kmeans_cells.h"

enum { N = 3000, D = 12, K = 7 };

typedef struct {
    int64_t *index;
    double *d2;
} lists;

static lists lists_new(rung_ctx *ctx)
{
    lists l = {0};
    assert_ok(ctx, NEW(ctx, &ctx->scratch, l.index, N * K));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, l.d2, N * K));
    return l;
}

/* Rows near a surface of few dimensions, every tenth one twice. */
static la_mat *draw(rung_ctx *ctx)
{
    double *X = NULL, turn[D];
    la_mat *columns;
    rng r;
    rng_open(&r, 5, 0);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, X, D * N));
    for (int j = 0; j < D; j++) turn[j] = rng_normal(&r);
    for (int64_t i = 0; i < N; i++) {
        double a = rng_normal(&r), b = rng_normal(&r);
        for (int j = 0; j < D; j++) X[j + i * D] = sin(a * turn[j]) + cos(b * j) + 0.05 * rng_normal(&r);
        if (i % 10 == 9) memcpy(X + i * D, X + (i - 1) * D, D * sizeof *X);
    }
    assert_ok(ctx, la_new(ctx, &ctx->scratch, D, N, &columns));
    la_put(X, columns);
    return columns;
}

static lists truth_of(rung_ctx *ctx, const la_mat *X)
{
    lists l = lists_new(ctx);
    int64_t *self = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, self, N));
    for (int64_t i = 0; i < N; i++) self[i] = i;
    assert_ok(ctx, la_nearest(ctx, X, X, self, NULL, K, l.index, l.d2));
    return l;
}

static void most_neighbours_are_found(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *X = draw(ctx);
    lists truth = truth_of(ctx, X), some = lists_new(ctx);
    double found;
    int64_t hits = 0;
    assert_ok(ctx, kmeans_cells_neighbours(ctx, X, K, 0.96, some.index, some.d2, &found));
    for (int64_t i = 0; i < N; i++)
        for (int j = 0; j < K; j++) {
            int64_t at = j + i * K, same = 0;
            for (int h = 0; h < K; h++) same += truth.index[h + i * K] == some.index[at];
            hits += same;
            assert_int_not_equal(some.index[at], i);
            assert_true(some.d2[at] >= truth.d2[at]);
            assert_true(j == 0 || some.d2[at] > some.d2[at - 1] ||
                        (some.d2[at] == some.d2[at - 1] && some.index[at] > some.index[at - 1]));
        }
    assert_true((double)hits / (N * K) >= 0.95);
    assert_true(found >= 0.96);
}

static void all_cells_give_the_exact_answer(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *X = draw(ctx);
    lists truth = truth_of(ctx, X), all = lists_new(ctx);
    double found;
    assert_ok(ctx, kmeans_cells_neighbours(ctx, X, K, 1, all.index, all.d2, &found));
    assert_true(found == 1);
    int64_t different = 0; /* a recall of 1 on the rows looked at says little of the rest, but nearly all are right */
    for (int64_t i = 0; i < N * K; i++) different += all.index[i] != truth.index[i];
    assert_true(different < N * K / 100);
}

static void threads_do_not_matter(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *X = draw(ctx);
    lists one = lists_new(ctx), two = lists_new(ctx);
    double found;
    ctx->threads = 1;
    assert_ok(ctx, kmeans_cells_neighbours(ctx, X, K, 0.96, one.index, one.d2, &found));
    ctx->threads = 2;
    assert_ok(ctx, kmeans_cells_neighbours(ctx, X, K, 0.96, two.index, two.d2, &found));
    assert_memory_equal(one.index, two.index, N * K * sizeof *one.index);
    assert_memory_equal(one.d2, two.d2, N * K * sizeof *one.d2);
}

/* Products in single precision would overflow or vanish. */
static void size_does_not_matter(void **state)
{
    rung_ctx *ctx = *state;
    static const double sizes[] = {0x1p80, 0x1p-80};
    la_mat *X = draw(ctx);
    lists plain = lists_new(ctx), other = lists_new(ctx);
    double found;
    assert_ok(ctx, kmeans_cells_neighbours(ctx, X, K, 0.96, plain.index, plain.d2, &found));
    for (int s = 0; s < 2; s++) {
        la_mat *Y;
        assert_ok(ctx, la_new(ctx, &ctx->scratch, D, N, &Y));
        assert_ok(ctx, la_scale_add(ctx, sizes[s], X, 0, Y));
        assert_ok(ctx, kmeans_cells_neighbours(ctx, Y, K, 0.96, other.index, other.d2, &found));
        assert_memory_equal(plain.index, other.index, N * K * sizeof *plain.index);
    }
}

/* Centres are the means of a sample where there are many rows; and neighbours_among goes this way beyond 50000 rows. */
static void many_rows(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 50001, FEW = 9, ASKED = 100, NEAR = 3 };
    double *X = NULL, d2[ASKED * NEAR];
    int64_t self[ASKED], index[ASKED * NEAR], hits = 0;
    la_mat *columns, *some;
    neighbours got;
    rng r;
    rng_open(&r, 8, 0);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, X, FEW * MANY));
    for (int64_t i = 0; i < MANY; i++) {
        double a = rng_uniform(&r), b = rng_uniform(&r);
        for (int j = 0; j < FEW; j++) X[j + i * FEW] = sin((j + 1) * a) + cos(j * b);
    }
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, FEW, MANY, X, NEAR, &got));
    assert_int_equal(got.k, NEAR);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, FEW, MANY, &columns));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, FEW, ASKED, &some));
    la_put(X, columns);
    for (int64_t i = 0; i < ASKED; i++) self[i] = i * (MANY / ASKED);
    assert_ok(ctx, la_gather(ctx, columns, NULL, self, some));
    assert_ok(ctx, la_nearest(ctx, columns, some, self, NULL, NEAR, index, d2));
    for (int64_t i = 0; i < ASKED; i++)
        for (int c = 0; c < NEAR; c++) {
            int64_t at = self[i] * got.stride + c;
            assert_true(got.index[at] != self[i] && got.d2[at] >= d2[c + i * NEAR]);
            for (int h = 0; h < NEAR; h++) hits += got.index[at] == index[h + i * NEAR];
        }
    assert_true((double)hits >= 0.9 * ASKED * NEAR);
    /* Few columns do without: all are found. */
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, 2, MANY, X, NEAR, &got));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 2, MANY, &columns));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 2, ASKED, &some));
    la_put(X, columns);
    assert_ok(ctx, la_gather(ctx, columns, NULL, self, some));
    assert_ok(ctx, la_nearest(ctx, columns, some, self, NULL, NEAR, index, d2));
    for (int64_t i = 0; i < ASKED; i++)
        for (int c = 0; c < NEAR; c++) assert_int_equal(got.index[self[i] * got.stride + c], index[c + i * NEAR]);
}

/* Many equal rows leave most cells empty. */
static void equal_rows(void **state)
{
    rung_ctx *ctx = *state;
    double *X = NULL, found;
    la_mat *columns;
    lists l = lists_new(ctx);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, X, D * N));
    for (int64_t i = 0; i < N; i++) X[i * D] = i < N - 3 ? 1 : 2;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, D, N, &columns));
    la_put(X, columns);
    assert_ok(ctx, kmeans_cells_neighbours(ctx, columns, K, 0.96, l.index, l.d2, &found));
    for (int64_t i = 0; i < N * K; i++) assert_true(l.index[i] >= 0 && l.index[i] < N && isfinite(l.d2[i]));
    for (int j = 0; j < K; j++) assert_int_equal(l.index[j], j + 1);
}

static void memory_may_run_out(void **state)
{
    rung_ctx *ctx = *state;
    la_mat *X = draw(ctx);
    lists l = lists_new(ctx);
    double found;
    int64_t before = pool_live_blocks();
    for (int64_t after = 0;; after += after < 12 ? 1 : 17) {
        pool_mark mark = pool_here(&ctx->scratch);
        pool_fail_after(after);
        rung_status status = kmeans_cells_neighbours(ctx, X, K, 0.96, l.index, l.d2, &found);
        pool_fail_after(-1);
        pool_release(&ctx->scratch, mark);
        assert_int_equal(pool_live_blocks(), before);
        if (status == RUNG_OK) break;
        assert_int_equal(status, RUNG_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(most_neighbours_are_found),
        WITH_CONTEXT(all_cells_give_the_exact_answer),
        WITH_CONTEXT(threads_do_not_matter),
        WITH_CONTEXT(size_does_not_matter),
        WITH_CONTEXT(many_rows),
        WITH_CONTEXT(equal_rows),
        WITH_CONTEXT(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
