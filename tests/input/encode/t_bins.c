// SPDX-License-Identifier: BSD-3-Clause
/* Real targets, as such and cut into classes. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "input/encode/labels.h"

static void check_cuts(rung_ctx *ctx, int64_t n, const double *target, int wanted, bool width, int expected,
                       const double *edges)
{
    int n_edges;
    double *cut;
    assert_ok(ctx, bins_cut(ctx, &ctx->scratch, n, target, wanted, width, &n_edges, &cut));
    assert_int_equal(n_edges, expected);
    assert_arrays_close(expected, cut, edges, 0);
}

static void test_cuts(void **state)
{
    rung_ctx *ctx = *state;
    static const double ten[] = {9, 1, NAN, 8, 2, 7, 3, 6, 4, 5, 0};
    check_cuts(ctx, 11, ten, 5, false, 4, (double[]){1, 3, 5, 7});
    check_cuts(ctx, 11, ten, 3, false, 2, (double[]){3, 6}); /* 4, 3 and 3 values */
    check_cuts(ctx, 11, ten, 3, true, 2, (double[]){3, 6});
    check_cuts(ctx, 11, ten, 2, true, 1, (double[]){4.5});

    /* A cut inside a run goes to its nearer end, of equal distances to the lower one. */
    static const double runs[] = {1, 2, 2, 2, 3, 4};
    check_cuts(ctx, 6, runs, 2, false, 1,
               (double[]){2}); /* wanted after 3 values: the run begins after 1, ends after 4 */
    static const double even[] = {1, 2, 2, 3};
    check_cuts(ctx, 4, even, 2, false, 1, (double[]){1});
    /* At the ends of the values the other end of the run; cuts that coincide are one. */
    static const double bottom[] = {0, 0, 0, 0, 0, 0, 1, 2};
    check_cuts(ctx, 8, bottom, 4, false, 1, (double[]){0});
    static const double top[] = {1, 2, 3, 3, 3, 3, 3};
    check_cuts(ctx, 7, top, 3, false, 1, (double[]){2});
    static const double same[] = {3, 3, 3}, none[] = {NAN, NAN}, two[] = {5, -1};
    check_cuts(ctx, 3, same, 4, false, 0, NULL);
    check_cuts(ctx, 3, same, 4, true, 0, NULL);
    check_cuts(ctx, 2, none, 4, false, 0, NULL);
    check_cuts(ctx, 2, two, 5, false, 1, (double[]){-1});

    /* Edges of equal width are short numbers where that changes nothing, and never overflow or coincide. */
    static const double plain[] = {3, 6.6}, huge[] = {-1.7e308, 1.7e308}, near[] = {1e15, 1e15 + 3};
    check_cuts(ctx, 2, plain, 3, true, 2, (double[]){4.2, 5.4});
    check_cuts(ctx, 2, huge, 2, true, 1, (double[]){0});
    check_cuts(ctx, 2, near, 3, true, 2, (double[]){1e15 + 1, 1e15 + 2});
    static const double close[] = {1e9, 1e9 + 0x1p-10}; /* 12 digits do not tell them apart */
    check_cuts(ctx, 2, close, 2, true, 1, (double[]){1e9 + 0x1p-11});
}

/* The labels published with a benchmark set of Chu and Ghahramani (2005), by equal width; bins: 5 or 10. */
static void check_published(rung_ctx *ctx, const char *targets, const char *published, int bins)
{
    rung_table *t, *labels;
    rung_data *data;
    assert_ok(ctx, read_table(ctx, targets, NULL, &t));
    assert_ok(ctx, read_table(ctx, published, NULL, &labels));
    assert_ok(ctx, dataset_encode(ctx, t, &(rung_encode_options){.bins = bins, .bins_width = 1}, &data));
    assert_int_equal(labels->n_rows, data->n);
    for (int64_t i = 0; i < data->n; i++) assert_int_equal(data->y[i], (int)number_at(labels, i, bins == 5 ? 0 : 1));
    dataset_free(data);
    table_free(t);
    table_free(labels);
}

static void test_published(void **state)
{
    for (int bins = 5; bins <= 10; bins += 5) {
        check_published(*state, GOLDEN("units/bins_autompg/target.csv"), GOLDEN("units/bins_autompg/labels.csv"), bins);
        check_published(*state, GOLDEN("units/bins_machine/target.csv"), GOLDEN("units/bins_machine/labels.csv"), bins);
        check_published(*state, GOLDEN("units/bins_wisconsin/target.csv"), GOLDEN("units/bins_wisconsin/labels.csv"),
                        bins);
    }
}

/* More of them, from a collection of data sets. Left out: those whose own notes call them inconsistent with the target.
 */
static void test_published_more(void **state)
{
    static const struct {
        const char *set, *file;
        int bins;
    } cases[] = {{"diabetes", "diabetes", 5},   {"housing", "housing", 5},
                 {"housing", "housing", 10},    {"pyrimidines", "pyrimidines_chu", 10},
                 {"triazines", "triazines", 5}, {"triazines", "triazines", 10}};
    const char *collection = getenv("RUNG_DATA");
    if (!collection || !*collection) {
        print_message("skipped: RUNG_DATA names no collection of data sets (docs/data-sets.md)\n");
        skip();
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char targets[512], labels[512];
        snprintf(targets, sizeof targets, "%s/%s/%s.csv", collection, cases[k].set, cases[k].file);
        snprintf(labels, sizeof labels, "%s/%s/labels_bins.csv", collection, cases[k].set);
        check_published(*state, targets, labels, cases[k].bins);
    }
}

static rung_data *encoded(rung_ctx *ctx, const char *text, const rung_encode_options *options)
{
    rung_table *t = table_of(ctx, text);
    rung_data *data;
    assert_ok(ctx, dataset_encode(ctx, t, options, &data));
    table_free(t);
    return data;
}

static void test_bins(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = encoded(ctx, "x,y\n1,1.5\n2,3.2\n3,\n4,-0.5\n5,9\n6,4\n7,4\n", &(rung_encode_options){.bins = 3});
    assert_int_equal(data->code.n_classes, 3);
    static const char *const names[] = {"(-inf, 1.5]", "(1.5, 3.2]", "(3.2, inf)"};
    for (int k = 0; k < 3; k++) assert_string_equal(data->code.classes[k], names[k]);
    static const int ranks[] = {1, 2, 0, 1, 3, 3, 3};
    assert_memory_equal(data->y, ranks, sizeof ranks);
    assert_null(data->target);
    assert_false(data->code.real);

    /* The same cuts for another file, beyond the range too, and for a column of text (a file in blocks). */
    rung_data *coded;
    coding copy;
    assert_ok(ctx, coding_copy(ctx, &ctx->scratch, &data->code, &copy));
    dataset_free(data);
    rung_table *t = table_of(ctx, "x,y\n1,3.2\n2,1e9\n3,-4\n4,?\n5,3.2001\n");
    assert_ok(ctx, dataset_recode(ctx, t, &copy, RUNG_LABELS_REQUIRED, &coded));
    static const int again[] = {2, 3, 1, 0, 3};
    assert_memory_equal(coded->y, again, sizeof again);
    dataset_free(coded);
    table_free(t);
    t = table_of(ctx, "x,y\n1,3.3\n2,tall\n");
    assert_fails(ctx, dataset_recode(ctx, t, &copy, RUNG_LABELS_REQUIRED, &coded), RUNG_EDATA,
                 "line 3, column 'y': label 'tall' is not a number");
    assert_ok(ctx, dataset_recode(ctx, t, &copy, RUNG_LABELS_IGNORED, &coded));
    dataset_free(coded);
    table_free(t);

    data = encoded(ctx, "x,y\n1,0\n2,10\n3,2\n", &(rung_encode_options){.bins = 4, .bins_width = 1});
    assert_int_equal(data->code.n_classes, 4);
    assert_string_equal(data->code.classes[1], "(2.5, 5]");
    assert_int_equal(data->y[1], 4);
    dataset_free(data);
}

static void keep_log(void *user, rung_log_level level, const char *text)
{
    if (level == RUNG_LOG_WARNING) snprintf(user, 256, "%s", text);
}

static void test_too_few(void **state)
{
    rung_ctx *ctx = *state;
    char log[256] = "";
    ctx->log = keep_log;
    ctx->log_user = log;
    rung_data *data = encoded(ctx, "x,y\n1,0\n2,0\n3,1\n", &(rung_encode_options){.bins = 3});
    assert_int_equal(data->code.n_classes, 2);
    assert_non_null(strstr(log, "column 'y': 2 classes instead of 3, because equal values are never split"));
    dataset_free(data);
}

static void test_real(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = encoded(ctx, "x,y\n1,1.5\n2,NA\n3,-2\n4,nan\n", &(rung_encode_options){.real = 1});
    assert_true(data->code.real);
    assert_int_equal(data->code.n_classes, 0);
    static const double target[] = {1.5, NAN, -2, NAN};
    static const int zeros[4] = {0};
    assert_arrays_close(4, data->target, target, 0);
    assert_memory_equal(data->y, zeros, sizeof zeros);

    rung_data *coded;
    rung_table *t = table_of(ctx, "x,y\n7,0.25\n8,inf\n");
    assert_fails(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_OPTIONAL, &coded), RUNG_EDATA,
                 "line 3, column 'y': an infinite");
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_IGNORED, &coded));
    assert_null(coded->target);
    dataset_free(coded);
    table_free(t);
    t = table_of(ctx, "y,x\n0.25,7\n");
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_REQUIRED, &coded));
    assert_true(coded->target[0] == 0.25 && coded->X[0] == 7);
    dataset_free(coded);
    table_free(t);
    dataset_free(data);
}

/* More numbers than classes may have: the message names both options, and both work. */
static void test_many(void **state)
{
    rung_ctx *ctx = *state;
    char text[2048] = "x,y\n";
    for (int i = 0; i < 60; i++) sprintf(text + strlen(text), "%d,%g\n", i, 0.5 * i);
    rung_table *t = table_of(ctx, text);
    rung_data *data;
    assert_fails(ctx, dataset_encode(ctx, t, NULL, &data), RUNG_EDATA,
                 "predict real numbers, or cut them into classes");
    assert_string_equal(rung_ctx_detail(ctx), "option real\noption bins");
    table_free(t);
    data = encoded(ctx, text, &(rung_encode_options){.bins = 5});
    int count[6] = {0};
    for (int i = 0; i < 60; i++) count[data->y[i]]++;
    for (int k = 1; k <= 5; k++) assert_int_equal(count[k], 12);
    dataset_free(data);
}

static void test_errors(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "x,y\n1,2\n2,high\n");
    static const struct {
        rung_encode_options options;
        rung_status status;
        const char *words;
    } cases[] = {{{.real = 1, .bins = 3}, RUNG_EARG, "real targets and bins exclude each other"},
                 {{.real = 1, .order = "a<b"}, RUNG_EARG, "an order of classes and real targets"},
                 {{.bins = 3, .order = "a<b"}, RUNG_EARG, "an order of classes and bins"},
                 {{.bins = 1}, RUNG_EARG, "1 bins: expected 2 to 50"},
                 {{.bins = -4}, RUNG_EARG, "-4 bins: expected 2 to 50"},
                 {{.bins = 51}, RUNG_EARG, "51 bins: expected 2 to 50"},
                 {{.bins = 3, .unlabelled = 1}, RUNG_EARG, "bins need a label column"},
                 {{.real = 1, .unlabelled = 1}, RUNG_EARG, "real targets need a label column"},
                 {{.real = 1}, RUNG_EDATA, "line 3, column 'y': label 'high' is not a number"},
                 {{.bins = 3}, RUNG_EDATA, "line 3, column 'y': label 'high' is not a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rung_data *data;
        assert_fails(ctx, dataset_encode(ctx, t, &cases[i].options, &data), cases[i].status, cases[i].words);
        assert_null(data);
    }
    table_free(t);
    /* A row without a label is none to refuse. */
    rung_data *data;
    t = table_of(ctx, "x,y\n1,2\n2,\n3,high\n");
    assert_fails(ctx, dataset_encode(ctx, t, &(rung_encode_options){.real = 1}, &data), RUNG_EDATA,
                 "line 4, column 'y': label 'high' is not a number");
    table_free(t);
}

typedef struct {
    rung_ctx *ctx;
    const rung_table *t;
    rung_encode_options options;
} encoding;

static rung_status encode_once(void *argument)
{
    encoding *e = argument;
    rung_data *data, *again = NULL;
    rung_status status = dataset_encode(e->ctx, e->t, &e->options, &data);
    if (status == RUNG_OK) status = dataset_recode(e->ctx, e->t, &data->code, RUNG_LABELS_REQUIRED, &again);
    dataset_free(data);
    dataset_free(again);
    return status;
}

static void test_memory(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "x,y\n1,2\n2,\n3,4\n4,4.5\n");
    encoding e = {ctx, t, {.bins = 3}};
    assert_true(fail_each_allocation(encode_once, &e) > 15);
    e.options = (rung_encode_options){.real = 1};
    assert_true(fail_each_allocation(encode_once, &e) > 10);
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_cuts), WITH_CONTEXT(test_published), WITH_CONTEXT(test_published_more),
        WITH_CONTEXT(test_bins), WITH_CONTEXT(test_too_few),   WITH_CONTEXT(test_real),
        WITH_CONTEXT(test_many), WITH_CONTEXT(test_errors),    WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
