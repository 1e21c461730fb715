// SPDX-License-Identifier: BSD-3-Clause
/* Random trees: leaves are pure, votes follow frequencies, weights and intervals count, and a packed forest is the
 * same. */
#include "helper.h"

#include "trees/random_tree.h"

enum { N = 400, D = 3, K = 4, TREES = 25 };

typedef struct {
    coding code;
    column_code columns[D];
    double x[N * (D + 1)]; /* a number, one with missing cells, a text of two categories */
    int y[N], upper[N];
    double w[N], mass[K];
    tree_bins bins;
    boost_rows rows;
    int64_t all[N];
} table;

static table *make_table(rung_ctx *ctx)
{
    static const char *const categories[] = {"a", "b"};
    table *t = calloc(1, sizeof *t);
    rng r;
    rng_open(&r, 5, 1);
    t->code = (coding){.n_columns = D, .columns = t->columns, .d = D + 1};
    for (int c = 0; c < D; c++) t->columns[c] = (column_code){.name = "", .position = c, .first = c};
    t->columns[2].nominal = true;
    t->columns[2].n_categories = 2;
    t->columns[2].categories = (const char **)(uintptr_t)categories;
    for (int i = 0; i < N; i++) {
        double *x = t->x + i * (D + 1);
        int category = (int)rng_below(&r, 2);
        x[0] = i; /* with the others no two rows are in the same bins */
        x[1] = i % 7 ? rng_normal(&r) : NAN;
        x[2 + category] = 1;
        t->y[i] = t->upper[i] = 1 + (i > 100) + (i > 200 && category) + (x[1] > 0.5);
        t->w[i] = 1;
        t->all[i] = i;
    }
    tree_table cells = {.code = &t->code, .cells = t->x, .n_rows = N};
    assert_ok(ctx, bins_new(ctx, &ctx->scratch, &cells, &t->bins));
    t->rows = (boost_rows){.b = &t->bins, .n = N, .K = K, .y = t->y};
    assert_ok(ctx, codes_new(ctx, &ctx->scratch, &t->bins, &cells, N, NULL, &t->rows.codes));
    assert_ok(ctx, class_masses(ctx, N, t->y, NULL, NULL, K, t->mass));
    return t;
}

static int vote_of(const table *t, const tree *one, int64_t i)
{
    return (int)one->node[tree_leaf(one, t->rows.codes.by_row + i * D)].value;
}

static void leaves_are_pure(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table(ctx);
    random_grower *g = NULL;
    rng r;
    assert_ok(ctx, random_grower_new(ctx, &ctx->scratch, &t->rows, N, 1, t->mass, &g));
    rng_open(&r, 1, 1);
    for (int k = 0; k < TREES; k++) {
        const tree *one = random_tree(g, &r, N, t->all, 0.5);
        for (int64_t i = 0; i < N; i++) assert_int_equal(vote_of(t, one, i), t->y[i]);
    }
    free(t);
}

/* With a lower bound on the rows of a leaf: every leaf keeps it, and its vote is the quantile of its labels. */
static void leaves_have_rows(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table(ctx);
    random_grower *g = NULL;
    rng r;
    int *count = calloc((size_t)2 * N * K, sizeof *count), leaves = 0;
    assert_ok(ctx, random_grower_new(ctx, &ctx->scratch, &t->rows, N, 20, t->mass, &g));
    rng_open(&r, 1, 1);
    const tree *one = random_tree(g, &r, N, t->all, 0.3);
    for (int64_t i = 0; i < N; i++) count[tree_leaf(one, t->rows.codes.by_row + i * D) * K + t->y[i] - 1]++;
    for (int k = 0; k < one->n; k++) {
        int rows = 0, below = 0, vote = (int)one->node[k].value;
        if (one->node[k].column >= 0) continue;
        for (int q = 0; q < K; q++) rows += count[k * K + q];
        for (int q = 0; q < vote - 1; q++) below += count[k * K + q];
        assert_true(rows >= 20);
        assert_true(below < 0.3 * rows && below + count[k * K + vote - 1] >= 0.3 * rows);
        leaves++;
    }
    assert_true(leaves > 3);
    free(count);
    free(t);
}

/* Rows that cannot be told apart share a leaf; trees of all quantiles vote by their weighted frequencies. */
static int votes_above_one(rung_ctx *ctx, table *t)
{
    random_grower *g = NULL;
    rng r;
    int above = 0;
    int64_t same[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    rng_open(&r, 1, 1);
    assert_ok(ctx, random_grower_new(ctx, &ctx->scratch, &t->rows, 10, 1, t->mass, &g));
    for (int i = 0; i < 10; i++) { /* the first ten rows with the cells of the first */
        same[i] = i;
        for (int c = 0; c < D; c++) t->rows.codes.by_column[c * N + i] = t->rows.codes.by_row[c];
    }
    for (int k = 0; k < 100; k++) {
        const tree *one = random_tree(g, &r, 10, same, (k + 0.5) / 100);
        assert_int_equal(one->n, 1);
        above += one->node[0].value > 1;
    }
    return above;
}

static void votes_are_frequencies(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table(ctx);
    for (int i = 0; i < 10; i++) t->y[i] = 1 + (i < 3);
    assert_int_equal(votes_above_one(ctx, t), 30);
    for (int i = 0; i < 3; i++) t->w[i] = 7;
    t->rows.w = t->w;
    assert_int_equal(votes_above_one(ctx, t), 75);
    t->rows.w = NULL;
    for (int i = 0; i < 10; i++) t->upper[i] = 2; /* seven rows are 1 or 2, by the masses 1 : 3 */
    t->rows.upper = t->upper;
    t->mass[0] = 1;
    t->mass[1] = 3;
    assert_int_equal(votes_above_one(ctx, t), 82); /* (3 + 7 x 3/4) / 10 = 82.5 % */
    free(t);
}

static void packing_keeps_the_forest(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table(ctx);
    random_grower *g = NULL;
    forest f, again;
    rng r;
    double share[N * (K - 1)] = {0}, output[N * (K - 1)] = {0}, unpacked[N * (K - 1)] = {0};
    assert_ok(ctx, random_grower_new(ctx, &ctx->scratch, &t->rows, N, 5, t->mass, &g));
    assert_ok(ctx, forest_new(ctx, &ctx->scratch, K - 1, &t->bins, &f));
    f.votes = true;
    rng_open(&r, 1, 1);
    for (int k = 0; k < TREES; k++) {
        const tree *one = random_tree(g, &r, N, t->all, (k + 0.5) / TREES);
        for (int64_t i = 0; i < N; i++)
            for (int q = 0; q < vote_of(t, one, i) - 1; q++) share[i * (K - 1) + q] += 1.0 / TREES;
        assert_ok(ctx, forest_add(ctx, &ctx->scratch, &t->bins, one, 1, &f));
    }
    assert_ok(ctx, forest_ready(ctx, &ctx->scratch, &t->code, &f));
    assert_ok(ctx, forest_apply(ctx, &f, N, t->x, output));
    assert_arrays_close(N * (K - 1), output, share, 1e-12);
    assert_ok(ctx, forest_pack(ctx, &ctx->scratch, &t->code, &f));
    again = f;
    again.column = again.split = again.missing = NULL;
    again.value = NULL;
    assert_ok(ctx, forest_unpack(ctx, &ctx->scratch, &t->code, &again));
    assert_true(f.n_words > 0);
    assert_memory_equal(again.split, f.split, (size_t)f.n_nodes * sizeof *f.split);
    assert_ok(ctx, forest_ready(ctx, &ctx->scratch, &t->code, &again));
    assert_ok(ctx, forest_apply(ctx, &again, N, t->x, unpacked));
    assert_memory_equal(output, unpacked, sizeof output);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(leaves_are_pure),
        WITH_CONTEXT(leaves_have_rows),
        WITH_CONTEXT(votes_are_frequencies),
        WITH_CONTEXT(packing_keeps_the_forest),
    };
    return cmocka_run_group_tests_name("random_tree", tests, NULL, NULL);
}
