// SPDX-License-Identifier: BSD-3-Clause
/* The functions of rung.h for reading in blocks, cells, targets and generated data. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

static int open_public(void **state) { return rung_open((rung_ctx **)state) != RUNG_OK; }

static int close_public(void **state)
{
    rung_close(*state);
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
    assert_ok(ctx, rung_generate(ctx, "toy", 60, 0, 0.5, &data));
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_ok(ctx, rung_fit(ctx, spec, data, &model));
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
        assert_ok(ctx, rung_model_encode(ctx, model, table, 1, &coded));
        assert_true(rung_data_view(coded).v[0] == first[b]);
        assert_int_equal(rung_data_ranks(coded)[0], b == 0 ? 3 : 1);
        assert_null(rung_data_targets(coded));
        rung_data_free(coded);
        rung_table_free(table);
    }
    assert_ok(ctx, rung_reader_next(ctx, reader, 2, &table));
    assert_null(table);
    rung_reader_close(reader);
    rung_reader_close(NULL);
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
    assert_ok(ctx, rung_read(ctx, file.path, NULL, &table));
    unlink(file.path);
    assert_ok(ctx, rung_encode(ctx, table, &(rung_encode_options){.real = 1}, &data));
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
    for (const char *name; (name = rung_generators(count, &help)); count++) {
        rung_data *data;
        assert_ok(ctx, rung_generate(ctx, name, 20, -1, 0, &data));
        assert_int_equal(rung_data_rows(data), 20);
        rung_data_free(data);
    }
    assert_int_equal(count, 5);
}

#define PUBLIC(test) cmocka_unit_test_setup_teardown(test, open_public, close_public)

int main(void)
{
    const struct CMUnitTest tests[] = {PUBLIC(test_blocks_by_model), PUBLIC(test_targets), PUBLIC(test_generators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
