// SPDX-License-Identifier: BSD-3-Clause
/* The functions of rung.h for reading in blocks, cells, targets and generated data. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

static int open_public(void **state) { return rung_ctx_new((rung_ctx **)state) != RUNG_OK; }

static int close_public(void **state)
{
    rung_ctx_free(*state);
    return 0;
}

static void test_blocks_by_model(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data, *coded;
    rung_spec *spec;
    rung_model *model;
    rung_reader *reader;
    rung_table *table;
    assert_ok(ctx, rung_data_generate(ctx, "toy", 60, 0, 0.5, &data));
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    rung_data_free(data);

    static const char text[] = "id,x2,x1,label\n007,0.5,0.25,3\n008,1,0,\n009,0.1,0.2,1\n";
    temp file = temp_file(text, strlen(text));
    assert_ok(ctx, rung_reader_open(ctx, file.path, NULL, model, &reader));
    unlink(file.path);
    static const int64_t rows[] = {2, 1};
    static const char *const ids[] = {"007", "009"};
    static const double first[] = {0.25, 0.2};
    for (int b = 0; b < 2; b++) {
        char cell[8];
        assert_ok(ctx, rung_reader_next(ctx, reader, 2, &table));
        assert_int_equal(rung_table_rows(table), rows[b]);
        assert_int_equal(rung_table_cell(table, 0, 0, cell, sizeof cell), 3);
        assert_string_equal(cell, ids[b]);
        assert_int_equal(rung_table_cell(table, rows[b], 0, cell, sizeof cell), 0); /* no such row */
        assert_string_equal(cell, "");
        assert_ok(ctx, rung_model_encode(ctx, model, table, RUNG_LABELS_OPTIONAL, &coded));
        assert_true(rung_data_view(coded).v[0] == first[b]);
        assert_int_equal(rung_data_ranks(coded)[0], b == 0 ? 3 : 1);
        assert_null(rung_data_targets(coded));
        rung_data_free(coded);
        rung_table_free(table);
    }
    assert_ok(ctx, rung_reader_next(ctx, reader, 2, &table));
    assert_null(table);
    rung_reader_free(reader);
    rung_reader_free(NULL);
    rung_model_free(model);

    assert_fails(ctx, rung_reader_open(ctx, NULL, NULL, NULL, &reader), RUNG_EARG, "a required argument is NULL");
    assert_fails(ctx, rung_reader_open(ctx, "/no/such/file", NULL, NULL, &reader), RUNG_EIO, "cannot open");
    assert_null(reader);
}

static void test_targets(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "x,y\n1,2.5\n2,\n";
    temp file = temp_file(text, strlen(text));
    rung_table *table;
    rung_data *data;
    assert_ok(ctx, rung_table_read(ctx, file.path, NULL, &table));
    unlink(file.path);
    assert_ok(ctx, rung_data_encode(ctx, table, &(rung_encode_options){.size = sizeof(rung_encode_options), .real = 1},
                                    &data));
    assert_true(rung_data_targets(data)[0] == 2.5 && isnan(rung_data_targets(data)[1]));
    assert_int_equal(rung_data_classes(data), 0);
    rung_data_free(data);
    rung_table_free(table);
}

static void test_generators(void **state)
{
    rung_ctx *ctx = *state;
    const char *help;
    int count = 0;
    for (const char *name; (name = rung_generator_at(count, &help)); count++) {
        rung_data *data;
        assert_ok(ctx, rung_data_generate(ctx, name, 20, -1, 0, &data));
        assert_int_equal(rung_data_rows(data), 20);
        rung_data_free(data);
    }
    assert_int_equal(count, 5);
}

static void test_subset(void **state)
{
    rung_ctx *ctx = *state;
    static const double X[] = {0, 10, 1, 11, 2, 12, 3, 13}, weight[] = {1, 2, 3, 4};
    static const int rank[] = {1, 2, 0, 3};
    static const int64_t rows[] = {3, 1, 3}, outside[] = {0, 4}, negative[] = {-1};
    static const int hidden[] = {0, 1, 1};
    rung_data *data, *part;
    assert_ok(ctx, rung_data_new(ctx, &(rung_view){X, 4, 2, 2, 1}, rank, weight, 4, &data));
    assert_ok(ctx, rung_data_subset(ctx, data, 3, rows, hidden, &part));
    assert_int_equal(rung_data_rows(part), 3);
    assert_int_equal(rung_data_classes(part), 4); /* of the whole, whichever rows are here */
    assert_int_equal(rung_data_ranks(part)[0], 3);
    assert_int_equal(rung_data_ranks(part)[1], 0);
    assert_int_equal(rung_data_ranks(part)[2], 0);
    assert_true(rung_data_view(part).v[0] == 3 && rung_data_view(part).v[3] == 11);
    rung_data_free(part);
    assert_ok(ctx, rung_data_subset(ctx, data, 0, rows, NULL, &part));
    assert_int_equal(rung_data_rows(part), 0);
    rung_data_free(part);
    assert_fails(ctx, rung_data_subset(ctx, data, 2, outside, NULL, &part), RUNG_EARG,
                 "row 4 (counted from 0) in a data set of 4 rows");
    assert_null(part);
    assert_fails(ctx, rung_data_subset(ctx, data, 1, negative, NULL, &part), RUNG_EARG, "no row -1 ");
    rung_data_free(data);
}

static void test_hide_labels(void **state)
{
    rung_ctx *ctx = *state;
    int rank[30], again[30], kept[4] = {0};
    for (int i = 0; i < 30; i++) rank[i] = again[i] = i < 20 ? 1 : i < 29 ? 2 : 3;
    assert_ok(ctx, rung_ranks_hide(ctx, 30, rank, 3, 0.8, 0));
    assert_ok(ctx, rung_ranks_hide(ctx, 30, again, 3, 0.8, 0));
    assert_memory_equal(rank, again, sizeof rank);
    for (int i = 0; i < 30; i++) kept[rank[i]]++;
    assert_int_equal(kept[1], 4);
    assert_int_equal(kept[2], 2);
    assert_int_equal(kept[3], 1); /* the last of its class stays */

    memset(kept, 0, sizeof kept);
    for (int i = 0; i < 30; i++) rank[i] = i < 20 ? 1 : i < 29 ? 2 : 3;
    assert_ok(ctx, rung_ranks_hide(ctx, 30, rank, 3, 0, 5));
    for (int i = 0; i < 30; i++) kept[rank[i]]++;
    assert_int_equal(kept[1], 5);
    assert_int_equal(kept[2], 5);
    assert_int_equal(kept[3], 1);
    rung_ctx_set_seed(ctx, 2);
    for (int i = 0; i < 30; i++) again[i] = i < 20 ? 1 : i < 29 ? 2 : 3;
    assert_ok(ctx, rung_ranks_hide(ctx, 30, again, 3, 0, 5));
    assert_memory_not_equal(rank, again, sizeof rank);
    assert_fails(ctx, rung_ranks_hide(ctx, 30, rank, 3, 1.5, 0), RUNG_EARG, "from 0 to 1");
    rank[4] = 7;
    assert_fails(ctx, rung_ranks_hide(ctx, 30, rank, 3, 0.5, 0), RUNG_EARG, "rank 7 of row 5");
}

typedef struct {
    const char *order, *labels[6];
    const char *classes[4];
    int low[6], high[6];
} list_case;

/* Labels from memory mean what they mean in the label column of a file. */
static void test_lists_of_labels(void **state)
{
    static const list_case cases[] = {
        {NULL, {"2", "1..2", "<=3", NULL, "10", ">= 3"}, {"1", "2", "3", "10"}, {2, 1, 1, 0, 4, 3}, {2, 2, 3, 0, 4, 4}},
        {NULL,
         {"1.0", "1..2.0", "3.00", "NA", "2", ".5"},
         {"0.5", "1", "2", "3"},
         {2, 2, 4, 0, 3, 1},
         {2, 3, 4, 0, 3, 1}},
        {NULL, {"mid", "low..mid", "top", "mid..top", "", "low"}, {"mid", "top", "low"}, {0}, {0}},
        {NULL, {"<=50K", ">50K", "<=50K", ">50K", "<=50K", NULL}, {">50K", "<=50K"}, {0}, {0}},
        {"a..b<c<d",
         {"a..b..c", "c", "a..b", " c..d", "a..b..d", "d"},
         {"a..b", "c", "d"},
         {1, 2, 1, 2, 0, 3},
         {2, 2, 1, 3, 0, 3}},
    };
    rung_ctx *ctx = *state;
    rung_data *data;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const list_case *one = &cases[c];
        assert_ok(ctx, rung_data_new_labels(ctx, 6, one->labels, one->order, &data));
        const int *low = rung_data_ranks(data), *high = rung_data_uppers(data) ? rung_data_uppers(data) : low;
        for (int k = 0; k < 4 && one->classes[k]; k++)
            assert_string_equal(rung_data_class_name(data, k + 1), one->classes[k]);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(low[i], one->low[i]);
            assert_int_equal(high[i], one->high[i]);
        }
        rung_data_free(data);
    }
    static const char *const none[] = {"1..9"};
    assert_fails(ctx, rung_data_new_labels(ctx, 1, none, "1<2<3", &data), RUNG_EDATA,
                 "'9' is not one of the classes 1<2<3");
    assert_null(data);
    assert_fails(ctx, rung_data_new_labels(ctx, 0, none, NULL, &data), RUNG_EARG, "a list of 0 labels");
}

/* One label among known classes, read as a fit reads it. */
static void test_one_label(void **state)
{
    (void)state;
    static const char *const classes[] = {"low", "mid..dle", "high"};
    static const struct {
        const char *label;
        int low, high;
    } good[] = {{"low", 1, 1},        {"mid..dle", 2, 2}, {"low..high", 1, 3},      {"low .. mid..dle", 1, 2},
                {"<=mid..dle", 1, 2}, {">= high", 3, 3},  {"mid..dle..high", 2, 3}, {"high..high", 3, 3}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int low = 0, high = 0;
        assert_int_equal(rung_label_ranks(3, classes, good[i].label, &low, &high), 1);
        assert_int_equal(low, good[i].low);
        assert_int_equal(high, good[i].high);
    }
    static const char *const bad[] = {"", "..", "high..low", "LOW", "<=", "low..", "mid", "<low", "low..high..low"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(rung_label_ranks(3, classes, bad[i], NULL, NULL), 0);
    assert_int_equal(rung_label_ranks(0, classes, "low", NULL, NULL), 0);
}

#define PUBLIC(test) cmocka_unit_test_setup_teardown(test, open_public, close_public)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PUBLIC(test_blocks_by_model), PUBLIC(test_subset),          PUBLIC(test_hide_labels), PUBLIC(test_targets),
        PUBLIC(test_generators),      PUBLIC(test_lists_of_labels), PUBLIC(test_one_label)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
