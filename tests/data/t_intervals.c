// SPDX-License-Identifier: BSD-3-Clause
/* Label cells that are intervals, the classes and frequencies of such labels, and folds of them. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"
#include "input/encode/rank_columns.h"

#include "data/dataset.h"
#include "data/intervals.h"
#include "data/splits.h"

/* ---- cells ---- */

static rung_status encode_text(rung_ctx *ctx, const char *text, const char *order, rung_data **out)
{
    rung_table *t = table_of(ctx, text);
    rung_status status = dataset_encode(ctx, t, &(rung_encode_options){.order = order}, out);
    table_free(t);
    return status;
}

static void check_labels(rung_ctx *ctx, const char *text, const char *order, int K, const char *const *classes,
                         int64_t n, const int *y, const int *upper)
{
    rung_data *data;
    assert_ok(ctx, encode_text(ctx, text, order, &data));
    assert_int_equal(data->code.n_classes, K);
    for (int k = 0; k < K; k++) assert_string_equal(data->code.classes[k], classes[k]);
    assert_int_equal(data->n, n);
    assert_true((data->upper != NULL) == (upper != NULL));
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(data->y[i], y[i]);
        if (upper) assert_int_equal(data->upper[i], upper[i]);
    }
    dataset_free(data);
}

/* Numbers name themselves, also as ends; blanks and other ways to write them do not matter. */
static void test_numbers(void **state)
{
    const char *four[] = {"1", "2", "3", "4"};
    check_labels(*state, "x,y\n1,1\n2,2..3\n3,<=2\n4,>=3\n5,4\n6,\n7,3 .. 4\n8,2.0..3e0\n9,>= 4\n", NULL, 4, four, 9,
                 (int[]){1, 2, 1, 3, 4, 0, 3, 2, 4}, (int[]){1, 3, 2, 4, 4, 0, 4, 3, 4});
    check_labels(*state, "x,y\n1,1\n2,3..4\n3,2\n", NULL, 4, four, 3, (int[]){1, 3, 2}, (int[]){1, 4, 2});
    check_labels(*state, "x,y\n1,-1\n2,-1..0\n3,0\n4,1\n", NULL, 3, (const char *[]){"-1", "0", "1"}, 4,
                 (int[]){1, 1, 2, 3}, (int[]){1, 2, 2, 3});
}

/* An interval of one class is that class, one of all classes is no label: what remains has no intervals. */
static void test_degenerate(void **state)
{
    const char *three[] = {"1", "2", "3"};
    check_labels(*state, "x,y\n1,1\n2,2..2\n3,1..3\n4,<=1\n5,>=1\n6,3\n", NULL, 3, three, 6, (int[]){1, 2, 0, 1, 0, 3},
                 NULL);
}

static void test_names(void **state)
{
    rung_ctx *ctx = *state;
    const char *grades[] = {"low", "mid", "high"}, *odd[] = {"a", "a..b", "b..c", "d"};
    check_labels(ctx, "x,y\n1,low\n2,low..mid\n3,>=mid\n4,high\n", "low<mid<high", 3, grades, 4, (int[]){1, 1, 2, 3},
                 (int[]){1, 2, 3, 3});
    /* a name that contains two dots comes first, and may be an end */
    check_labels(ctx, "x,y\n1,a..b\n2,a..b..c\n3,a..b..d\n4,a..b..b..c\n5,d\n", "a<a..b<b..c<d", 4, odd, 5,
                 (int[]){2, 1, 2, 2, 4}, (int[]){2, 3, 4, 3, 4});
    rung_data *bad;
    assert_fails(ctx, encode_text(ctx, "x,y\n1,low\n2,low..mid\n3,>=mid\n4,high\n", NULL, &bad), RUNG_EDATA,
                 "the labels are text (low, high, mid); give their order, lowest first");
    assert_string_equal(ctx->detail, "option order=low<mid<high");
    assert_fails(ctx, encode_text(ctx, "x,y\n1,<=50K\n2,>50K\n", NULL, &bad), RUNG_EDATA,
                 "the labels are text (>50K, <=50K)");
}

static void test_bad_cells(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *cell, *words;
    } bad[] = {
        {"4..2", "line 3, column 'y': label '4..2' is an interval that ends below its beginning; write the lower class "
                 "first: 2..4"},
        {"..", "line 3, column 'y': label '..' is an interval without ends; write two classes, as in 1..2, or one, as "
               "in <=2 or >=2"},
        {"..3", "label '..3' is an interval without an end"},
        {"3..", "label '3..' is an interval without an end"},
        {"<=", "label '<=' is an interval without an end"},
        {"2..9", "label '2..9' is an interval, but '9' is not one of the classes 1<2<3<4"},
        {">=x", "label '>=x' is an interval, but 'x' is not one of the classes 1<2<3<4"},
        {"x..3", "label 'x..3' is an interval, but 'x' is not"},
        {"2-4", "label '2-4' is not one of the classes 1<2<3<4"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char text[128];
        rung_data *data;
        snprintf(text, sizeof text, "x,y\n1,1\n2,%s\n3,2\n4,4\n", bad[k].cell);
        assert_fails(ctx, encode_text(ctx, text, "1<2<3<4", &data), RUNG_EDATA, bad[k].words);
        assert_null(data);
    }
    rung_data *data;
    assert_fails(ctx, encode_text(ctx, "x,y\n1,1\n2,..\n3,2\n", NULL, &data), RUNG_EDATA, "line 3, column 'y'");
}

static void test_columns_to_compare(void **state)
{
    rung_ctx *ctx = *state;
    rank_columns ranks;
    rung_table *t = table_of(ctx, "a,b\n1..2,3\n3,1\n>=3,4\n");
    assert_ok(ctx, rank_columns_new(ctx, t, "a", "b", NULL, &ranks));
    assert_int_equal(ranks.K, 4);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ranks.truth[i], ((int[]){1, 3, 3})[i]);
        assert_int_equal(ranks.upper[i], ((int[]){2, 3, 4})[i]);
    }
    assert_fails(ctx, rank_columns_new(ctx, t, "b", "a", NULL, &ranks), RUNG_EDATA,
                 "label '1..2' is an interval, expected one class");
    table_free(t);
}

/* ---- memory ---- */

static void test_from_memory(void **state)
{
    rung_ctx *ctx = *state;
    double x[] = {1, 2, 3, 4, 5};
    rung_view X = {.v = x, .n = 5, .d = 1, .row = 1, .col = 1};
    rung_data *data, *some;
    assert_ok(ctx, dataset_new(ctx, &X, (int[]){1, 1, 0, 2, 3}, NULL, 3, &data));
    assert_fails(ctx, dataset_set_upper(ctx, data, (int[]){1, 3, 2, 2, 3}), RUNG_EDATA, "row 3: 0..2 is no interval");
    assert_fails(ctx, dataset_set_upper(ctx, data, (int[]){1, 3, 0, 1, 3}), RUNG_EDATA, "row 4: 2..1 is no interval");
    assert_fails(ctx, dataset_set_upper(ctx, data, (int[]){1, 3, 0, 2, 4}), RUNG_EDATA, "row 5: 3..4 is no interval");
    assert_ok(ctx, dataset_set_upper(ctx, data, (int[]){1, 1, 0, 2, 3}));
    assert_null(data->upper);
    assert_ok(ctx, dataset_set_upper(ctx, data, (int[]){1, 3, 0, 3, 3}));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(data->y[i], ((int[]){1, 0, 0, 2, 3})[i]);
        assert_int_equal(data->upper[i], ((int[]){1, 0, 0, 3, 3})[i]);
    }
    assert_ok(ctx, dataset_subset(ctx, data, 2, (int64_t[]){3, 0}, &some));
    assert_int_equal(some->upper[0], 3);
    dataset_free(some);
    assert_ok(ctx, dataset_subset(ctx, data, 2, (int64_t[]){4, 0}, &some));
    assert_null(some->upper);
    dataset_free(some);
    dataset_free(data);
}

/* ---- classes ---- */

enum { N = 12, MOST_K = 6 };

static bool covered(unsigned classes, int low, int high)
{
    for (int q = low; q <= high; q++)
        if (classes >> q & 1) return true;
    return false;
}

static int count_bits(unsigned x)
{
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}

/* Every label keeps a class, no smaller set would do, and every class has a label that allows no other. */
static void test_classes_present(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 6, 1);
    for (int trial = 0; trial < 3000; trial++) {
        int K = 2 + (int)rng_below(&r, MOST_K - 1), n = 1 + (int)rng_below(&r, N), y[N], upper[N], upto[MOST_K + 1],
            classes[MOST_K];
        unsigned named = 0, chosen = 0, fewest = 0;
        for (int i = 0; i < n; i++) {
            y[i] = (int)rng_below(&r, K + 1);
            upper[i] = y[i] && rng_below(&r, 3) ? y[i] + (int)rng_below(&r, K - y[i] + 1) : y[i];
            if (y[i] && y[i] == upper[i]) named |= 1U << y[i];
        }
        assert_ok(ctx, classes_present(ctx, n, NULL, y, upper, K, upto));
        int count = classes_list(K, upto, classes);
        for (int k = 0; k < count; k++) chosen |= 1U << classes[k];
        assert_true((chosen & named) == named);
        fewest = ~0U;
        for (unsigned set = 0; set < 1U << K; set++) {
            unsigned with = named | set << 1;
            bool all = true;
            for (int i = 0; i < n && all; i++) all = !y[i] || covered(with, y[i], upper[i]);
            if (all && count_bits(with) < count_bits(fewest)) fewest = with;
        }
        if (count_bits(chosen) != count_bits(fewest)) fail_msg("trial %d: %d classes", trial, count);
        for (int k = 0; k < count; k++) {
            bool own = false;
            for (int i = 0; i < n; i++)
                own = own || (y[i] && closed_low(upto, y[i]) == k + 1 && closed_high(upto, upper[i]) == k + 1);
            if (!own) fail_msg("trial %d: class %d is named by no label", trial, classes[k]);
        }
        for (int i = 0; i < n; i++)
            if (y[i]) assert_true(closed_low(upto, y[i]) <= closed_high(upto, upper[i]));
    }
}

/* The masses are where the likelihood of the frequencies has its maximum: no exchange between two classes raises it. */
static double log_likelihood(int n, const int *y, const int *upper, const double *w, const double *mass)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double inside = 0;
        for (int q = y[i]; q && q <= upper[i]; q++) inside += mass[q - 1];
        if (y[i]) sum += w[i] * log(inside);
    }
    return sum;
}

static void test_masses(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 8, 1);
    for (int trial = 0; trial < 200; trial++) {
        int K = 2 + (int)rng_below(&r, 4), y[40], upper[40];
        double w[40], mass[MOST_K], all = 0, sum = 0, best;
        for (int i = 0; i < 40; i++) {
            y[i] = i < K ? i + 1 : (int)rng_below(&r, K + 1);
            upper[i] = i >= K && y[i] && i % 2 ? y[i] + (int)rng_below(&r, K - y[i] + 1) : y[i];
            w[i] = trial % 2 ? 0.5 + rng_uniform(&r) : 1;
            all += y[i] ? w[i] : 0;
        }
        assert_ok(ctx, class_masses(ctx, 40, y, upper, w, K, mass));
        for (int q = 0; q < K; q++) sum += mass[q];
        assert_close(sum, all, 1e-12);
        best = log_likelihood(40, y, upper, w, mass);
        for (int a = 0; a < K; a++)
            for (int b = 0; b < K; b++) {
                double step = 1e-3 * mass[a];
                mass[a] -= step;
                mass[b] += step;
                assert_true(a == b || log_likelihood(40, y, upper, w, mass) < best + 1e-12);
                mass[b] -= step;
                mass[a] += step;
            }
        for (int i = 0; i < 40; i++) {
            double total = 0;
            for (int q = 1; y[i] && q <= K; q++) {
                total += label_share(y[i], upper[i], q, mass);
                assert_close(1 - label_share_above(y[i], upper[i], q, mass), total, 1e-12);
            }
        }
        assert_ok(ctx, class_masses(ctx, 40, y, NULL, NULL, K, mass)); /* without intervals: counts */
        for (int q = 1; q <= K; q++) {
            int count = 0;
            for (int i = 0; i < 40; i++) count += y[i] == q;
            assert_true(mass[q - 1] == count);
        }
    }
}

/* ---- folds ---- */

/* Labels of one rank are divided as if the intervals were not there; these are spread evenly over the folds. */
static void test_folds(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 33, K = 3 };
    int y[ROWS], upper[ROWS], alone[ROWS];
    folds with, without;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 2 ? 1 + i % 2 : 1 + i % K;
        upper[i] = i % 3 == 2 ? y[i] + 1 : y[i];
        alone[i] = i % 3 == 2 ? 0 : y[i];
    }
    y[0] = alone[0] = upper[0] = 3; /* the only row that names the highest class */
    ranked_rows ranked = {.n = ROWS, .y = y, .K = K, .upper = upper}, exact = {.n = ROWS, .y = alone, .K = K};
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &ranked, 5, 2, &with));
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &exact, 5, 2, &without));
    assert_int_equal(with.count, 5);
    for (int r = 0; r < 2; r++) {
        int held[5] = {0};
        for (int i = 0; i < ROWS; i++) {
            if (i % 3 == 2)
                held[with.fold[r * ROWS + i]]++; /* all of them are held out */
            else
                assert_int_equal(with.fold[r * ROWS + i], without.fold[r * ROWS + i]);
        }
        assert_int_equal(with.fold[r * ROWS], -1);
        for (int f = 0; f < 5; f++) assert_in_range(held[f], 2, 3);
    }
    int group[ROWS];
    for (int i = 0; i < ROWS; i++) group[i] = i / 2;
    ranked.group = group;
    assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &ranked, 5, 1, &with));
    assert_int_equal(with.fold[0], -1); /* with the row of its group, an interval or not */
    assert_int_equal(with.fold[1], -1);
    for (int i = 0; i + 1 < ROWS; i += 2) assert_int_equal(with.fold[i], with.fold[i + 1]);
    ranked.group = NULL;
    assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &ranked, 0.4, 100, &with));
    int held = 0;
    for (int i = 0; i < ROWS; i++) held += with.fold[i] == 0;
    assert_int_equal(held, 13); /* of 32 that can be */
}

/* ---- memory that runs out ---- */

typedef struct {
    rung_ctx *ctx;
    const rung_table *table;
} encoded;

static rung_status labels_and_folds(void *argument)
{
    const encoded *e = argument;
    rung_ctx *ctx = e->ctx;
    pool_mark mark = pool_here(&ctx->scratch);
    const int y[] = {1, 2, 2, 4, 3, 5}, upper[] = {1, 3, 4, 5, 3, 5};
    double mass[5];
    int upto[6];
    rung_data *data = NULL;
    folds f;
    rung_status status = dataset_encode(ctx, e->table, NULL, &data);
    if (status == RUNG_OK) status = dataset_set_upper(ctx, data, data->upper);
    dataset_free(data);
    if (status == RUNG_OK) status = classes_present(ctx, 6, NULL, y, upper, 5, upto);
    if (status == RUNG_OK) status = class_masses(ctx, 6, y, upper, NULL, 5, mass);
    ranked_rows ranked = {.n = 6, .y = y, .K = 5, .upper = upper};
    if (status == RUNG_OK) status = folds_stratified(ctx, &ctx->scratch, &ranked, 2, 1, &f);
    pool_release(&ctx->scratch, mark);
    return status;
}

static void test_memory(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "x,y\n1,1\n2,2..3\n3,<=2\n4,4\n");
    assert_true(fail_each_allocation(labels_and_folds, &(encoded){ctx, t}) > 20);
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_numbers),         WITH_CONTEXT(test_degenerate),  WITH_CONTEXT(test_names),
        WITH_CONTEXT(test_bad_cells),       WITH_CONTEXT(test_from_memory), WITH_CONTEXT(test_columns_to_compare),
        WITH_CONTEXT(test_classes_present), WITH_CONTEXT(test_masses),      WITH_CONTEXT(test_folds),
        WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
