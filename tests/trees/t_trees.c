// SPDX-License-Identifier: BSD-3-Clause
/* Bins, trees, losses and boosting; tests/golden/boost.py compares whole fits with another program. */
#include "helper.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "trees/boosting.h"

enum { N = 3000, D = 4, K = 4 };

typedef struct {
    coding code;
    column_code columns[D];
    double x[N * (D + 2)]; /* a number, one with missing cells, one of few values, a text of three categories */
    int y[N];
    double w[N];
} table;

static table *make_table(void)
{
    static const char *const categories[] = {"a", "b", "c"};
    table *t = calloc(1, sizeof *t);
    rng r;
    rng_open(&r, 3, 1);
    t->code = (coding){.n_columns = D, .columns = t->columns, .d = D + 2};
    for (int c = 0; c < D; c++) t->columns[c] = (column_code){.name = "", .position = c, .first = c};
    t->columns[3].nominal = true;
    t->columns[3].n_categories = 3;
    t->columns[3].categories = (const char **)(uintptr_t)categories;
    for (int i = 0; i < N; i++) {
        double *x = t->x + i * (D + 2);
        int category = (int)rng_below(&r, 3);
        for (int c = 0; c < 3; c++) x[c] = rng_normal(&r);
        double latent = x[0] + (x[1] > 0) * x[2] + (category == 1) + 0.5 * rng_normal(&r);
        x[2] = round(2 * x[2]);
        if (rng_uniform(&r) < 0.2) x[1] = NAN;
        x[3 + category] = 1;
        t->y[i] = 1 + (latent > -0.5) + (latent > 0.5) + (latent > 1.5);
        t->w[i] = 0.5 + rng_uniform(&r);
    }
    return t;
}

static void cuts_are_counted(void **state)
{
    (void)state;
    const double cut[] = {-1, 0, 2, 5, 5.5, 7, 9};
    for (int64_t n = 0; n <= 7; n++)
        for (double x = -2; x <= 10; x += 0.25) {
            int64_t below = 0;
            for (int64_t k = 0; k < n; k++) below += cut[k] < x;
            assert_int_equal(cuts_below(n, cut, x), below);
        }
}

/* Few values have a bin each; many are cut into bins of equal size; equal values are never divided. */
static void bins_hold_their_share(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    tree_table rows = {.code = &t->code, .cells = t->x, .n_rows = N};
    tree_bins b;
    tree_codes both;
    assert_ok(ctx, bins_new(ctx, &ctx->scratch, &rows, &b));
    assert_ok(ctx, codes_new(ctx, &ctx->scratch, &b, &rows, N, NULL, &both));
    const uint8_t *code = both.by_row;
    for (int64_t i = 0; i < N * D; i++) assert_int_equal(both.by_column[i % D * N + i / D], code[i]);
    assert_int_equal(b.count[0], MOST_BINS);
    assert_in_range(b.count[2], 8, 20);
    assert_int_equal(b.count[3], 3);
    int size[BIN_ROOM] = {0};
    for (int i = 0; i < N; i++) {
        size[code[i * D]]++;
        assert_true((code[i * D + 1] == 0) == isnan(t->x[i * (D + 2) + 1]));
        for (int j = 0; j < i && j < 50; j++) {
            double a = t->x[i * (D + 2) + 2], c = t->x[j * (D + 2) + 2];
            assert_true((a < c) == (code[i * D + 2] < code[j * D + 2]) &&
                        (a == c) == (code[i * D + 2] == code[j * D + 2]));
        }
    }
    assert_int_equal(size[0], 0);
    for (int k = 1; k <= MOST_BINS; k++) assert_in_range(size[k], N / MOST_BINS, N / MOST_BINS + 1);
    free(t);
}

/* The loss as it is defined. */
static double interval_loss(const ordinal *o, double f, int low, int high)
{
    long double a = high < o->K ? 1 / (1 + expl((long double)f - o->t[high - 1])) : 1,
                b = low > 1 ? 1 / (1 + expl((long double)f - o->t[low - 2])) : 0;
    return (double)-logl(a - b);
}

static double ordinal_loss(const ordinal *o, double f, int y) { return interval_loss(o, f, y, y); }

/* Derivatives against differences of the loss; the step of the thresholds ends where their gradient is 0. */
static void derivatives_are_those_of_the_loss(void **state)
{
    rung_ctx *ctx = *state;
    const double weight[K] = {2, 5, 1, 3}, e = 1e-4;
    ordinal o;
    assert_ok(ctx, ordinal_new(ctx, &ctx->scratch, K, weight, &o));
    for (double f = -6; f <= 6; f += 0.7)
        for (int y = 1; y <= K; y++) {
            double g, h, low = ordinal_loss(&o, f - e, y), at = ordinal_loss(&o, f, y),
                         high = ordinal_loss(&o, f + e, y);
            ordinal_derivatives(&o, &(loss_rows){.n = 1, .f = &f, .low = &y, .high = &y}, &g, &h);
            assert_close(g, (high - low) / (2 * e), 1e-6);
            assert_close(h, (high - 2 * at + low) / (e * e), 1e-5);
            double p = 0;
            for (int q = 1; q <= K; q++) p += exp(-ordinal_loss(&o, f, q));
            assert_close(p, 1, 1e-12);
        }
    const double f[] = {-1, 0.5, 2, 1, -2, 0, 0.3, 3};
    const int y[] = {1, 2, 4, 3, 1, 3, 2, 4};
    for (int step = 0; step < 30; step++) {
        double sum[3 * K] = {0}, room[3 * K];
        ordinal_sum(&o, &(loss_rows){.n = 8, .f = f, .low = y, .high = y}, sum);
        if (step == 29)
            for (int q = 0; q < K - 1; q++) assert_close(sum[q], 0, 1e-10);
        ordinal_step(&o, sum, room);
        for (int q = 1; q < K - 1; q++) assert_true(o.t[q] > o.t[q - 1]);
    }
}

/* The same with intervals, whose Hessian in the thresholds is a full matrix. */
static void intervals_have_derivatives_of_their_loss(void **state)
{
    rung_ctx *ctx = *state;
    const double weight[K] = {2, 5, 1, 3}, e = 1e-4, f[] = {-1, 0.5, 2, 1, -2, 0, 0.3, 3, 0.7, -0.4};
    const int low[] = {1, 2, 4, 3, 1, 3, 2, 4, 2, 1}, high[] = {1, 2, 4, 3, 2, 3, 3, 4, 3, 4};
    enum { ROWS = 10, J = K - 1 };
    ordinal o;
    assert_ok(ctx, ordinal_new(ctx, &ctx->scratch, K, weight, &o));
    o.wide = true;
    loss_rows rows = {.n = ROWS, .f = f, .low = low, .high = high};
    double g[ROWS], h[ROWS], sum[J + J * J] = {0}, room[J + J * J], at[J];
    assert_int_equal(ordinal_sums(&o), J + J * J);
    ordinal_derivatives(&o, &rows, g, h);
    for (int i = 0; i < ROWS; i++) {
        double below = interval_loss(&o, f[i] - e, low[i], high[i]),
               above = interval_loss(&o, f[i] + e, low[i], high[i]);
        assert_close(g[i], (above - below) / (2 * e), 1e-6);
        assert_close(h[i], (above - 2 * interval_loss(&o, f[i], low[i], high[i]) + below) / (e * e), 1e-5);
    }
    ordinal_sum(&o, &rows, sum);
    memcpy(at, o.t, sizeof at);
    for (int q = 0; q < J; q++) {
        double moved[2][J + J * J] = {{0}}, total[2] = {0};
        for (int side = 0; side < 2; side++) {
            double t[J];
            memcpy(t, at, sizeof t);
            t[q] += side ? e : -e;
            ordinal_set(&o, t);
            ordinal_sum(&o, &rows, moved[side]);
            for (int i = 0; i < ROWS; i++) total[side] += interval_loss(&o, f[i], low[i], high[i]);
        }
        assert_close(sum[q], (total[1] - total[0]) / (2 * e), 1e-6);
        for (int r = 0; r < J; r++) {
            double entry = sum[J + (q < r ? q * J + r : r * J + q)]; /* the upper triangle, by rows */
            assert_close(entry, (moved[1][r] - moved[0][r]) / (2 * e), 1e-6);
        }
    }
    ordinal_set(&o, at);
    for (int step = 0; step < 30; step++) {
        memset(sum, 0, sizeof sum);
        ordinal_sum(&o, &rows, sum);
        if (step == 29)
            for (int q = 0; q < J; q++) assert_close(sum[q], 0, 1e-12);
        ordinal_step(&o, sum, room);
        for (int q = 1; q < J; q++) assert_true(o.t[q] > o.t[q - 1]);
    }
}

/* A class that weighs next to nothing has the least distance between its thresholds, and the others are where they
 * would be without it. */
static void light_classes_hold_no_threshold(void **state)
{
    rung_ctx *ctx = *state;
    const double f[] = {-1, 0.5, 2, 1, -2, 0, 0.3, 3, 0.7, -0.4};
    const int y[] = {1, 2, 4, 3, 1, 3, 2, 4, 2, 1}, without[] = {1, 2, 3, 2, 1, 2, 2, 3, 2, 1};
    enum { ROWS = 10, J = K - 1 };
    for (int wide = 0; wide < 2; wide++) {
        double w[ROWS], mass[K] = {0}, sum[J + J * J], room[J + J * J], start[J];
        for (int i = 0; i < ROWS; i++) w[i] = y[i] == 3 ? 1e-12 : 1;
        for (int i = 0; i < ROWS; i++) mass[y[i] - 1] += w[i];
        ordinal o, alone;
        assert_ok(ctx, ordinal_new(ctx, &ctx->scratch, K, mass, &o));
        assert_ok(ctx, ordinal_new(ctx, &ctx->scratch, K - 1, (double[]){3, 3, 2}, &alone));
        o.wide = alone.wide = wide;
        memcpy(start, o.t, sizeof start);
        for (int step = 0; step < 40; step++) {
            memset(sum, 0, sizeof sum);
            ordinal_sum(&o, &(loss_rows){.n = ROWS, .f = f, .low = y, .high = y, .w = w}, sum);
            ordinal_step(&o, sum, room);
            memset(sum, 0, sizeof sum);
            ordinal_sum(&alone, &(loss_rows){.n = ROWS, .f = f, .low = without, .high = without, .w = w}, sum);
            ordinal_step(&alone, sum, room);
        }
        assert_true(o.t[1] > start[1] + 0.5);
        assert_close(o.t[0], alone.t[0], 1e-5);
        assert_close(o.t[1], alone.t[1], 1e-5);
        assert_close(o.t[2] - o.t[1], LEAST_GAP, 1e-9);
    }
}

typedef struct {
    boosting *b;
    forest trees;
    tree_bins bins;
    boost_rows rows;
    const table *t;
    boost_rules rules;
    int64_t n; /* rows: those of the table again and again */
    int threads, rounds;
} job;

static rung_status do_job(rung_ctx *ctx, void *user)
{
    job *j = user;
    tree_table rows = {.code = &j->t->code, .cells = j->t->x, .n_rows = N};
    int64_t *at = NULL;
    int *y = NULL;
    double *w = NULL;
    TRY(NEW(ctx, &ctx->scratch, at, j->n));
    TRY(NEW(ctx, &ctx->scratch, y, j->n));
    TRY(NEW(ctx, &ctx->scratch, w, j->n));
    for (int64_t i = 0; i < j->n; i++) {
        at[i] = i % N;
        y[i] = j->t->y[at[i]];
        w[i] = j->t->w[at[i]];
    }
    TRY(bins_new(ctx, &ctx->scratch, &rows, &j->bins));
    j->rows = (boost_rows){.b = &j->bins, .n = j->n, .K = K, .y = y, .w = w};
    TRY(codes_new(ctx, &ctx->scratch, &j->bins, &rows, j->n, at, &j->rows.codes));
    TRY(boosting_new(ctx, &ctx->scratch, &j->rows, NULL, &j->rules, 1, j->threads, &j->b));
    TRY(forest_new(ctx, &ctx->scratch, j->b->outputs, &j->bins, &j->trees));
    for (int k = 0; k < j->rounds; k++) TRY(boosting_round(ctx, j->b, &ctx->scratch, 1, &j->trees));
    return forest_ready(ctx, &ctx->scratch, &j->t->code, &j->trees);
}

static void run_rows(rung_ctx *ctx, const table *t, boost_rules rules, int64_t n, int threads, int rounds, job *j)
{
    *j = (job){.t = t, .rules = rules, .n = n, .threads = threads, .rounds = rounds};
    ctx->threads = threads;
    assert_ok(ctx, with_helpers(ctx, threads, do_job, j));
}

static void run(rung_ctx *ctx, const table *t, boost_rules rules, int threads, int rounds, job *j)
{
    run_rows(ctx, t, rules, N, threads, rounds, j);
}

static const boost_rules plain = {
    .tree = {.leaves = 12, .min_rows = 10, .l2 = 1, .columns = 1}, .rate = 0.2, .rows = 1};

/* The bits of a fit with one thread are those of any number, also where rows are so many that threads share histograms
 * and divisions; sampled rows and columns, and both links. */
static void threads_change_no_bit(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    for (int k = 0; k < 4; k++) {
        int64_t n = k % 2 ? N : 24 * N;
        boost_rules rules = plain;
        job one, many;
        rules.nominal = k % 2;
        if (k > 1) rules.rows = 0.6, rules.tree.columns = 0.5;
        run_rows(ctx, t, rules, n, 1, 6, &one);
        run_rows(ctx, t, rules, n, 5, 6, &many);
        assert_memory_equal(one.b->f, many.b->f, (size_t)(n * one.b->outputs) * sizeof(double));
        assert_int_equal(one.trees.n_nodes, many.trees.n_nodes);
        assert_memory_equal(one.trees.value, many.trees.value, (size_t)one.trees.n_nodes * sizeof(double));
    }
    free(t);
}

/* What the model's arrays say of the rows is what the fit had, alone or in a batch, with any number of threads. */
static void forests_say_what_the_fit_had(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    for (int nominal = 0; nominal < 2; nominal++) {
        boost_rules rules = plain;
        job j;
        rules.nominal = nominal;
        rules.rows = 0.7;
        run(ctx, t, rules, 2, 8, &j);
        int outputs = j.b->outputs;
        double *output = calloc((size_t)(N * outputs), sizeof *output);
        for (int i = 0; i < N * outputs; i++) output[i] = j.b->start[i % outputs];
        assert_ok(ctx, forest_apply(ctx, &j.trees, N, t->x, output));
        for (int i = 0; i < N; i++)
            for (int o = 0; o < outputs; o++) assert_close(output[i * outputs + o], j.b->f[i + o * N], 1e-12);
        for (int i = 0; i < 20; i++) {
            double alone[K];
            for (int o = 0; o < outputs; o++) alone[o] = j.b->start[o];
            assert_ok(ctx, forest_apply(ctx, &j.trees, 1, t->x + i * (D + 2), alone));
            assert_memory_equal(alone, output + i * outputs, (size_t)outputs * sizeof *alone);
        }
        free(output);
    }
    free(t);
}

static void losses_fall_and_thresholds_ascend(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    double before = INFINITY;
    for (int rounds = 1; rounds <= 20; rounds += 5) {
        job j;
        double loss = 0;
        run(ctx, t, plain, 1, rounds, &j);
        for (int i = 0; i < N; i++) loss += t->w[i] * ordinal_loss(&j.b->link, j.b->f[i], t->y[i]);
        assert_true(loss < before);
        for (int q = 1; q < K - 1; q++) assert_true(j.b->link.t[q] > j.b->link.t[q - 1]);
        before = loss;
    }
    free(t);
}

/* With a direction f never moves against it along the column; without one, here it does. */
static void monotone_columns_are_kept(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    const int falls[D] = {-1, 0, 1, 0};
    int against[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        boost_rules rules = plain;
        job j;
        rules.tree.monotone = k ? falls : NULL;
        run(ctx, t, rules, 1, 20, &j);
        for (int i = 0; i < 100; i++) {
            double row[D + 2], last[2] = {INFINITY, -INFINITY};
            for (double x = -3; x <= 3; x += 0.05)
                for (int c = 0; c < 3; c += 2) {
                    double f = 0;
                    memcpy(row, t->x + i * (D + 2), sizeof row);
                    row[c] = x;
                    assert_ok(ctx, forest_apply(ctx, &j.trees, 1, row, &f));
                    against[k] += c == 0 ? f > last[0] : f < last[1];
                    last[c / 2] = f;
                }
        }
    }
    assert_true(against[0] > 0);
    assert_int_equal(against[1], 0);
    free(t);
}

/* Directions for some columns change nothing about the others: text needs its larger gain all the same. */
static void directions_leave_text_alone(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    const int none[D] = {0};
    boost_rules rules = plain;
    job j, directed;
    run(ctx, t, rules, 1, 20, &j);
    rules.tree.monotone = none;
    run(ctx, t, rules, 1, 20, &directed);
    for (int i = 0; i < N; i++) assert_close(directed.b->f[i], j.b->f[i], 1e-9);
    free(t);
}

/* A number that is there or not, always the same one: that is what there is to split by. */
static void ticks_are_split(void **state)
{
    rung_ctx *ctx = *state;
    table *t = make_table();
    job j;
    for (int i = 0; i < N; i++) t->x[i * (D + 2)] = t->y[i] > 2 ? 7 : NAN;
    run(ctx, t, plain, 1, 1, &j);
    assert_int_equal(j.bins.count[0], 1);
    assert_true(j.bins.varies[0]);
    assert_int_equal(j.trees.column[0], 0);
    for (int i = 0; i < N; i++) t->x[i * (D + 2)] = NAN;
    run(ctx, t, plain, 1, 1, &j);
    assert_false(j.bins.varies[0]);
    free(t);
}

/* Categories without rows in a leaf are neither of high nor of low rank: reversed classes reverse the functions. */
static void reversed_classes_reverse_the_functions(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 400, TEXTS = 40, ROUNDS = 30 };
    static double x[ROWS * (TEXTS + 1)];
    const char *names[TEXTS];
    column_code columns[2] = {{.name = ""}, {.name = "", .position = 1, .first = 1, .nominal = true}};
    coding code = {.n_columns = 2, .columns = columns, .d = TEXTS + 1};
    int y[2][ROWS];
    double f[2][ROWS];
    boost_rules rules = {.tree = {.leaves = 6, .min_rows = 3, .l2 = 1, .columns = 1}, .rate = 0.1, .rows = 0.7};
    rng r;
    rng_open(&r, 3, 77);
    for (int k = 0; k < TEXTS; k++) names[k] = "";
    columns[1].n_categories = TEXTS;
    columns[1].categories = names;
    for (int i = 0; i < ROWS; i++) {
        int text = (int)rng_below(&r, TEXTS);
        x[i * (TEXTS + 1)] = rng_normal(&r);
        x[i * (TEXTS + 1) + 1 + text] = 1;
        double latent = x[i * (TEXTS + 1)] + sin(7.0 * text) + 0.5 * rng_normal(&r);
        y[0][i] = 1 + (latent > -0.7) + (latent > 0.7);
        y[1][i] = 4 - y[0][i];
    }
    tree_table rows = {.code = &code, .cells = x, .n_rows = ROWS};
    tree_bins b;
    assert_ok(ctx, bins_new(ctx, &ctx->scratch, &rows, &b));
    for (int k = 0; k < 2; k++) {
        boost_rows data = {.b = &b, .n = ROWS, .K = 3, .y = y[k]};
        boosting *one;
        assert_ok(ctx, codes_new(ctx, &ctx->scratch, &b, &rows, ROWS, NULL, &data.codes));
        assert_ok(ctx, boosting_new(ctx, &ctx->scratch, &data, NULL, &rules, 1, 1, &one));
        for (int t = 0; t < ROUNDS; t++) assert_ok(ctx, boosting_round(ctx, one, NULL, 1, NULL));
        memcpy(f[k], one->f, sizeof f[k]);
    }
    for (int i = 0; i < ROWS; i++) assert_close(f[1][i], -f[0][i], 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(cuts_are_counted),
        WITH_CONTEXT(bins_hold_their_share),
        WITH_CONTEXT(derivatives_are_those_of_the_loss),
        WITH_CONTEXT(intervals_have_derivatives_of_their_loss),
        WITH_CONTEXT(threads_change_no_bit),
        WITH_CONTEXT(forests_say_what_the_fit_had),
        WITH_CONTEXT(losses_fall_and_thresholds_ascend),
        WITH_CONTEXT(monotone_columns_are_kept),
        WITH_CONTEXT(light_classes_hold_no_threshold),
        WITH_CONTEXT(directions_leave_text_alone),
        WITH_CONTEXT(ticks_are_split),
        WITH_CONTEXT(reversed_classes_reverse_the_functions),
    };
    return cmocka_run_group_tests_name("trees", tests, NULL, NULL);
}
