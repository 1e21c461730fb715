// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include <math.h>

#include "base/rng.h"
#include "data/kin.h"
#include "data/row_groups.h"
#include "data/together.h"

enum { MOST = 600, MOST_D = 6 };

typedef struct {
    int64_t n, d;
    double X[MOST * MOST_D];
    int y[MOST];
} table;

static void add_row(table *t, const double *x, int y)
{
    memcpy(t->X + t->n * t->d, x, (size_t)t->d * sizeof *x);
    t->y[t->n++] = y;
}

static int noisy(rng *r, double mean)
{
    double z = round(mean + rng_normal(r));
    return z < 1 ? 1 : z > 5 ? 5 : (int)z;
}

static rung_data *data_of(rung_ctx *ctx, const table *t, const double *weight)
{
    rung_data *data;
    rung_view view = {.v = t->X, .n = t->n, .d = t->d, .row = t->d, .col = 1};
    assert_ok(ctx, dataset_new(ctx, &view, t->y, weight, 5, &data));
    return data;
}

static equal_counts counts_of(rung_ctx *ctx, const table *t)
{
    rung_data *data = data_of(ctx, t, NULL);
    leaving l;
    assert_ok(ctx, data_together(ctx, data, EQUAL_AUTO, &l));
    dataset_free(data);
    return l.counts;
}

/* Factors of three levels, every row drawn at random: rows coincide because there are so few. */
static void designs_have_replicates(void **state)
{
    rung_ctx *ctx = *state;
    for (int d = 1; d <= MOST_D; d++) {
        table t = {.d = d};
        rng r;
        rng_open(&r, 1, (uint64_t)d);
        while (t.n < 400) {
            double x[MOST_D], sum = 0;
            for (int j = 0; j < d; j++) sum += x[j] = (double)rng_below(&r, 3);
            add_row(&t, x, noisy(&r, 1 + 4 * sum / (2 * d)));
        }
        equal_counts c = counts_of(ctx, &t);
        assert_true(c.repeated > 100 && c.sets > 1);
        assert_true(c.excess > 0.5 && c.excess < 2);
        assert_false(c.copies);
    }
}

/* Levels that are unevenly apart, and one factor of many levels: a number of whole years. */
static void levels_need_not_be_even(void **state)
{
    rung_ctx *ctx = *state;
    static const double dose[] = {0, 0.1, 1, 10};
    table t = {.d = 2};
    rng r;
    rng_open(&r, 2, 0);
    while (t.n < 500) {
        double x[] = {dose[rng_below(&r, 4)], 20 + (double)rng_below(&r, 60)};
        add_row(&t, x, noisy(&r, 3));
    }
    equal_counts c = counts_of(ctx, &t);
    assert_true(c.repeated > 100 && c.excess > 0.5 && c.excess < 2 && !c.copies);
}

static void rounded_numbers_coincide(void **state)
{
    rung_ctx *ctx = *state;
    table t = {.d = 2};
    rng r;
    rng_open(&r, 3, 0);
    while (t.n < 500) {
        double x[] = {round(10 * rng_normal(&r)) / 10, round(10 * rng_normal(&r)) / 10};
        add_row(&t, x, noisy(&r, 3 + x[0]));
    }
    equal_counts c = counts_of(ctx, &t);
    assert_true(c.repeated > 50 && c.excess < 3 && !c.copies);
}

/* Objects recorded several times, each with its label: all of them, or a few of many. */
static void records_repeat(void **state)
{
    rung_ctx *ctx = *state;
    static const int share[] = {100, 5};
    for (int k = 0; k < 2; k++)
        for (int d = 1; d <= MOST_D; d += 5) {
            table t = {.d = d};
            rng r;
            rng_open(&r, 4, (uint64_t)(k * MOST_D + d));
            while (t.n < 300) {
                double x[MOST_D];
                for (int j = 0; j < d; j++) x[j] = round(1e6 * rng_normal(&r)) / 1e6;
                int y = noisy(&r, 3), times = rng_below(&r, 100) < share[k] ? 3 : 1;
                for (int i = 0; i < times; i++) add_row(&t, x, y);
            }
            equal_counts c = counts_of(ctx, &t);
            assert_true(c.repeated > 0 && c.excess > 10 && c.agree == 1 && c.copies);
        }
}

/* Columns of few values: only labels that always agree tell copies from replicates. */
static void labels_of_copies_agree(void **state)
{
    rung_ctx *ctx = *state;
    for (int copied = 0; copied < 2; copied++) {
        table t = {.d = 4};
        rng r;
        rng_open(&r, 5, 0);
        while (t.n < 400) {
            double x[4];
            for (int j = 0; j < 4; j++) x[j] = (double)rng_below(&r, 9);
            int y = noisy(&r, 3);
            for (int i = 0; i < 3; i++) add_row(&t, x, copied ? y : noisy(&r, 3));
        }
        equal_counts c = counts_of(ctx, &t);
        assert_true(c.excess > 5 && c.excess < 12);
        assert_int_equal(c.copies, copied);
    }
}

static void constants_say_nothing(void **state)
{
    rung_ctx *ctx = *state;
    table t = {.d = 2}, wide = {.d = 4};
    rng r;
    rng_open(&r, 6, 0);
    while (t.n < 200) {
        double x[] = {(double)rng_below(&r, 4), 7, (double)rng_below(&r, 30), 7}, narrow[] = {x[0], x[2]};
        int y = noisy(&r, 3);
        add_row(&t, narrow, y);
        add_row(&wide, x, y);
    }
    assert_true(counts_of(ctx, &t).excess == counts_of(ctx, &wide).excess);
}

static void rules_and_groups(void **state)
{
    rung_ctx *ctx = *state;
    table t = {.d = 1};
    static const double x[] = {1, 2, 1, 3, 4, 5};
    for (int i = 0; i < 6; i++) add_row(&t, x + i, i % 2 + 1);
    t.y[5] = 0;
    rung_data *data = data_of(ctx, &t, NULL);
    leaving l;
    assert_ok(ctx, data_together(ctx, data, EQUAL_TOGETHER, &l));
    assert_true(l.group == l.equal && l.equal == l.same && l.same[0] == l.same[2] && l.same[0] != l.same[1]);
    assert_int_equal(l.same[5], -1);
    assert_ok(ctx, data_together(ctx, data, EQUAL_APART, &l));
    assert_true(!l.group && !l.equal && l.same && l.counts.repeated == 2 && l.counts.sets == 1);
    static const int group[] = {1, 1, 2, 2, 3, 3};
    assert_ok(ctx, dataset_set_groups(ctx, data, group));
    assert_ok(ctx, data_together(ctx, data, EQUAL_APART, &l));
    assert_true(l.group[0] == l.group[1] && l.group[2] == l.group[3] && l.group[0] != l.group[2]);
    assert_ok(ctx, data_together(ctx, data, EQUAL_TOGETHER, &l));
    assert_true(l.group[0] == l.group[3] && l.group[0] != l.group[4] && l.group[5] == -1);
    dataset_free(data);
    equal_rule rule;
    assert_true(equal_rule_parse("apart", &rule) && rule == EQUAL_APART);
    assert_false(equal_rule_parse("", &rule));
}

/* A row that stands for three is counted as three equal ones. */
static void counts_are_equal_rows(void **state)
{
    rung_ctx *ctx = *state;
    enum { ONE = 60 };
    table once = {.d = 2}, thrice = {.d = 2};
    double three[MOST];
    int64_t rows[MOST];
    rng r;
    rng_open(&r, 7, 0);
    for (int i = 0; i < ONE; i++) {
        double x[] = {(double)rng_below(&r, 5), (double)rng_below(&r, 6)};
        int y = noisy(&r, 3);
        add_row(&once, x, y);
        for (int k = 0; k < 3; k++) add_row(&thrice, x, y);
    }
    for (int i = 0; i < MOST; i++) {
        three[i] = 3;
        rows[i] = i;
    }
    rung_data *data = data_of(ctx, &once, NULL);
    leaving l;
    together_input in = {.data = data, .n = ONE, .rows = rows, .y = data->y, .count = three};
    assert_ok(ctx, rows_together(ctx, &in, &l));
    equal_counts c = counts_of(ctx, &thrice);
    assert_float_equal(l.counts.excess, c.excess, 1e-12);
    assert_float_equal(l.counts.agree, c.agree, 1e-12);
    dataset_free(data);
}

/* ---- kin ---- */

static void keep_warning(void *user, rung_log_level level, const char *text)
{
    if (level == RUNG_LOG_WARNING) snprintf(user, MOST, "%s", text);
}

/* What is said of a table. */
static const char *said_of(rung_ctx *ctx, const rung_data *data, char said[MOST])
{
    *said = 0;
    rung_ctx_set_log(ctx, keep_warning, said);
    assert_ok(ctx, kin_warn(ctx, data));
    rung_ctx_set_log(ctx, NULL, NULL);
    return said;
}

/* Objects of three rows each, whose numbers are moved by noise of some size: in the last column or in all. */
static void draw_kin(uint64_t seed, int n, int d, double noise, bool all, table *t)
{
    rng r;
    *t = (table){.d = d};
    rng_open(&r, seed, 0);
    for (int object = 0; object < n; object++) {
        double x[MOST_D];
        for (int j = 0; j < d; j++) x[j] = round(1e3 * rng_normal(&r)) / 1e3;
        for (int row = 0; row < 3; row++) {
            double moved[MOST_D];
            for (int j = 0; j < d; j++) moved[j] = x[j] + (all || j == d - 1 ? noise * rng_normal(&r) : 0);
            add_row(t, moved, noisy(&r, 3));
        }
    }
}

static void near_copies_are_named(void **state)
{
    rung_ctx *ctx = *state;
    static const int group[MOST];
    char said[MOST];
    static const struct {
        double noise;
        bool all;
        const char *but;
    } cases[] = {{1, false, "30 groups of labelled rows agree in all columns but '4'"},
                 {1e-9, false, "30 groups of labelled rows agree in all columns but for the last digits"},
                 {1e-9, true, "30 groups of labelled rows agree in all columns but for the last digits"},
                 {0, false, NULL},
                 {0.1, true, NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        table t;
        draw_kin(8, 30, 4, cases[k].noise, cases[k].all, &t);
        rung_data *data = data_of(ctx, &t, NULL);
        said_of(ctx, data, said);
        assert_true(cases[k].but ? strstr(said, cases[k].but) != NULL : !*said);
        assert_ok(ctx, dataset_set_groups(ctx, data, group)); /* the caller knows */
        assert_false(*said_of(ctx, data, said));
        dataset_free(data);
    }
}

/* Rows of a design agree in all columns but one by chance; so do all rows of one that has each combination once. */
static void designs_have_no_kin(void **state)
{
    rung_ctx *ctx = *state;
    char said[MOST];
    for (int whole = 0; whole < 2; whole++)
        for (int d = 2; d <= MOST_D; d++) {
            table t = {.d = d};
            rng r;
            rng_open(&r, 9, (uint64_t)d);
            int combinations = (int)pow(3, d), n = whole && combinations < MOST ? combinations : 400;
            for (int i = 0; i < n; i++) {
                double x[MOST_D], sum = 0;
                for (int j = 0, at = i; j < d; j++, at /= 3) sum += x[j] = whole ? at % 3 : (double)rng_below(&r, 3);
                add_row(&t, x, noisy(&r, 1 + 4 * sum / (2 * d)));
            }
            rung_data *data = data_of(ctx, &t, NULL);
            assert_string_equal(said_of(ctx, data, said), "");
            dataset_free(data);
        }
}

enum { MOST_IDS = 60 };

/* A column of categories of so many rows each, beside one of numbers. */
static rung_data *data_of_ids(rung_ctx *ctx, int n, const int *rows)
{
    static double X[MOST * (MOST_IDS + 1)];
    static const char *names[MOST_IDS];
    static column_code columns[2];
    int y[MOST], at = 0;
    rung_data *data;
    rng r;
    rng_open(&r, 10, 0);
    memset(X, 0, sizeof X);
    for (int k = 0; k < n; k++) {
        names[k] = "of some name";
        for (int i = 0; i < rows[k]; i++, at++) {
            X[at * (n + 1) + k] = 1;
            X[at * (n + 1) + n] = rng_normal(&r);
            y[at] = noisy(&r, 3);
        }
    }
    rung_view view = {.v = X, .n = at, .d = n + 1, .row = n + 1, .col = 1};
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 5, &data));
    columns[0] = (column_code){.name = "Patient", .nominal = true, .n_categories = n, .categories = names};
    columns[1] = (column_code){.name = "x", .position = 1, .first = n};
    data->code.columns = columns;
    data->code.n_columns = 2;
    return data;
}

static void identifiers_are_named(void **state)
{
    rung_ctx *ctx = *state;
    char said[MOST];
    for (int kind = 0; kind < 5; kind++) {
        int rows[MOST_IDS], n = kind == 1 ? 10 : kind == 4 ? 25 : MOST_IDS;
        for (int k = 0; k < n; k++)
            rows[k] = kind == 2   ? 1 + 80 / (k + 1) /* a few frequent words */
                      : kind == 3 ? 1 + (k % 9 == 0) /* hardly one comes back */
                      : kind == 4 ? 23               /* many rows of each */
                                  : 3 + k % 4;       /* visits; or the same of few values */
        rung_data *data = data_of_ids(ctx, n, rows);
        said_of(ctx, data, said);
        assert_true(kind == 0 ? strstr(said, "column 'Patient' has 60 values of 4.5 labelled rows each") != NULL
                              : strstr(said, "Patient") == NULL);
        dataset_free(data);
    }
}

typedef struct {
    rung_ctx *ctx;
    const rung_data *data;
} call;

static rung_status all_of_it(void *user)
{
    const call *c = user;
    leaving l;
    rung_status status = data_together(c->ctx, c->data, EQUAL_AUTO, &l);
    if (status == RUNG_OK) status = kin_warn(c->ctx, c->data);
    pool_free_all(&c->ctx->scratch);
    return status;
}

static void test_out_of_memory(void **state)
{
    rung_ctx *ctx = *state;
    table t = {.d = 1};
    static const int group[] = {1, 1, 2, 2};
    for (int i = 0; i < 4; i++) add_row(&t, &(double){i / 2}, 1 + i % 2);
    rung_data *data = data_of(ctx, &t, NULL);
    assert_ok(ctx, dataset_set_groups(ctx, data, group));
    assert_true(fail_each_allocation(all_of_it, &(call){ctx, data}) > 5);
    dataset_free(data);
    draw_kin(11, 6, 3, 1, false, &t);
    data = data_of(ctx, &t, NULL);
    assert_true(fail_each_allocation(all_of_it, &(call){ctx, data}) > 10);
    dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(designs_have_replicates),  WITH_CONTEXT(levels_need_not_be_even),
        WITH_CONTEXT(rounded_numbers_coincide), WITH_CONTEXT(records_repeat),
        WITH_CONTEXT(labels_of_copies_agree),   WITH_CONTEXT(constants_say_nothing),
        WITH_CONTEXT(rules_and_groups),         WITH_CONTEXT(counts_are_equal_rows),
        WITH_CONTEXT(near_copies_are_named),    WITH_CONTEXT(designs_have_no_kin),
        WITH_CONTEXT(identifiers_are_named),    WITH_CONTEXT(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
