// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

static const rung_read_options as_libsvm = {.format = "libsvm"};

static rung_table *libsvm_of(rung_ctx *ctx, const char *text)
{
    rung_table *t;
    assert_ok(ctx, read_text(ctx, text, &as_libsvm, &t));
    return t;
}

#define assert_bad(text, words)                                                                                        \
    do {                                                                                                               \
        rung_table *bad_;                                                                                              \
        assert_fails(ctx, read_text(ctx, text, &as_libsvm, &bad_), RUNG_EDATA, words);                                 \
        assert_null(bad_);                                                                                             \
    } while (0)

static const char plain[] = "# made by hand\n"
                            "2 1:0.5 3:-2e1 # the rest is a comment 9:9\n"
                            "\n"
                            "? 2:1.5\r\n"
                            "  2:4\t3:1\n"
                            "-1.5 qid:7 1:+3\n"
                            "3\n"
                            "NA 5:0";

static void test_plain(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = libsvm_of(ctx, plain);
    assert_int_equal(t->n_rows, 6);
    assert_int_equal(t->n_columns, 6);
    assert_true(t->has_names && t->sparse);
    assert_string_equal(t->columns[0].name, "1");
    assert_string_equal(t->columns[4].name, "5");
    assert_string_equal(t->columns[5].name, "label");
    static const double expected[6][6] = {{0.5, 0, -20, 0, 0, 2}, {0, 1.5, 0, 0, 0, NAN}, {0, 4, 1, 0, 0, NAN},
                                          {3, 0, 0, 0, 0, -1.5},  {0, 0, 0, 0, 0, 3},     {0, 0, 0, 0, 0, NAN}};
    static const int lines[] = {2, 4, 5, 6, 7, 8};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) assert_close(number_at(t, i, j), expected[i][j], 0);
        assert_int_equal(table_line(t, i), lines[i]);
    }
    table_free(t);
}

/* The columns of a model that have names of their own are counted, too. */
static void test_names(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data, *coded;
    rung_reader *r;
    static const struct {
        const char *train;
        double expected[3];
    } cases[] = {{"a,b,c,y\n5,0,7,2\n4,1,5,1\n", {3, 0, 4}},
                 {"a,2,c,y\n5,0,7,2\n4,1,5,1\n", {3, 0, 4}}, /* not all of them are numbers */
                 {"0,1,2,y\n5,0,7,2\n4,1,5,1\n", {3, 0, 4}}, /* nor indices */
                 {"3,1,2,y\n5,0,7,2\n4,1,5,1\n", {4, 3, 0}},
                 {"5,0,7,2\n4,1,5,1\n", {3, 0, 4}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rung_table *t;
        assert_ok(ctx, read_text(ctx, cases[c].train, &(rung_read_options){.header = c < 4 ? 1 : -1}, &t));
        assert_ok(ctx, dataset_encode(ctx, t, &(rung_encode_options){.label = "4"}, &data));
        table_free(t);
        static const char rows[] = "2 1:3 3:4 9:1\n";
        t = libsvm_of(ctx, rows);
        assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_IGNORED, &coded));
        assert_arrays_close(3, coded->X, cases[c].expected, 0);
        dataset_free(coded);
        table_free(t);
        t = libsvm_of(ctx, "2 1:3\n"); /* fewer than the model has */
        assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_IGNORED, &coded));
        assert_arrays_close(3, coded->X, ((double[]){c == 3 ? 0 : 3, c == 3 ? 3 : 0, 0}), 0);
        dataset_free(coded);
        table_free(t);
        /* In blocks, with the columns the model needs. */
        temp file = temp_file(rows, strlen(rows));
        assert_ok(ctx, reader_open(ctx, file.path, &(rung_read_options){.format = "libsvm"}, &data->code, &r));
        unlink(file.path);
        assert_ok(ctx, reader_next(ctx, r, 9, &t));
        assert_int_equal(t->n_columns, 4);
        assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_IGNORED, &coded));
        assert_arrays_close(3, coded->X, cases[c].expected, 0);
        dataset_free(coded);
        table_free(t);
        reader_close(r);
        dataset_free(data);
    }
    /* Trained without a label. */
    rung_table *t = table_of(ctx, "5,0,7\n4,1,5\n");
    assert_ok(ctx, dataset_encode(ctx, t, &(rung_encode_options){.unlabelled = 1}, &data));
    table_free(t);
    t = libsvm_of(ctx, "2 1:3 3:4\n");
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_OPTIONAL, &coded));
    assert_arrays_close(3, coded->X, ((double[]){3, 0, 4}), 0);
    assert_int_equal(coded->y[0], 0);
    dataset_free(coded);
    dataset_free(data);
    table_free(t);
}

/* Lines that end where the buffer does, with LF, CR LF or CR. */
static void test_long_file(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 24000 };
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    char *text = malloc(32 * ROWS);
    assert_non_null(text);
    for (int e = 0; e < 3; e++)
        for (int shift = 0; shift < 13; shift++) { /* a row has 13 bytes or fewer: some shift meets the end */
            char *p = text + sprintf(text, "1 1:1 #%.*s%s", shift, "#############", ends[e]);
            for (int i = 1; i < ROWS; i++) p += sprintf(p, "%d 1:%06d%s", 1 + i % 3, i, ends[e]);
            rung_table *t = libsvm_of(ctx, text);
            assert_int_equal(t->n_rows, ROWS);
            for (int i = 1; i < ROWS; i++) assert_true(number_at(t, i, 0) == i && number_at(t, i, 1) == 1 + i % 3);
            assert_int_equal(table_line(t, ROWS - 1), ROWS);
            table_free(t);
        }
    free(text);
}

static void test_encode(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data, *coded;
    rung_table *t = libsvm_of(ctx, "1 1:1 3:2\n2 2:3\n? 1:9\n1 1:2 3:1\n");
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    table_free(t);
    assert_int_equal(data->d, 3);
    assert_int_equal(data->code.n_classes, 2);
    assert_string_equal(data->code.label, "label");
    assert_int_equal(data->y[2], 0);
    assert_int_equal(data->y[3], 1);

    /* Columns that do not occur are zeros, others than those of training of no interest. */
    t = libsvm_of(ctx, "2 1:5 7:1\n1 2:6\n");
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_REQUIRED, &coded));
    static const double first[] = {5, 0, 0, 0, 6, 0};
    assert_arrays_close(6, coded->X, first, 0);
    assert_int_equal(coded->y[0], 2);
    dataset_free(coded);
    table_free(t);
    t = libsvm_of(ctx, "2 1:5\n");
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_REQUIRED, &coded));
    assert_arrays_close(3, coded->X, first, 0);
    dataset_free(coded);
    table_free(t);

    /* A file without names has the label last. */
    t = table_of(ctx, "5,0,7,2\n");
    static const double second[] = {5, 0, 7};
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_REQUIRED, &coded));
    assert_arrays_close(3, coded->X, second, 0);
    assert_int_equal(coded->y[0], 2);
    dataset_free(coded);
    dataset_free(data);
    table_free(t);

    /* And the other way round: trained without names, the columns are counted. */
    t = table_of(ctx, "5,0,7,2\n4,1,5,1\n");
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    table_free(t);
    t = libsvm_of(ctx, "1 1:3 2:2 9:4\n");
    static const double third[] = {3, 2, 0};
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_REQUIRED, &coded));
    assert_arrays_close(3, coded->X, third, 0);
    assert_int_equal(coded->y[0], 1);
    dataset_free(coded);
    dataset_free(data);
    table_free(t);
}

static void test_errors(void **state)
{
    rung_ctx *ctx = *state;
    assert_bad("", "the file is empty");
    assert_bad("# nothing\n\n", "the file is empty");
    assert_bad("1\n2\n", "no row has an index:value");
    assert_bad("1 1:2\n2 0:3\n", "line 2: '0:3' has an index below 1; the first column is 1");
    assert_bad("1 2:2 2:3\n", "line 1: '2:3' has an index that is not larger than the one before it");
    assert_bad("1 3:2 2:3\n", "line 1: '2:3' has an index that is not larger");
    assert_bad("1 2\n", "line 1: '2' is not of the form index:value");
    assert_bad("1 1:2 x:3\n", "line 1: 'x:3' is not of the form index:value");
    assert_bad("1 1:\n", "line 1: '1:' is not of the form");
    assert_bad("1 1:2x\n", "line 1: '1:2x' is not of the form");
    assert_bad("1 99999999999999999999:1\n", "is not of the form index:value");
    assert_bad("1 1:2 qid:3\n", "line 1: 'qid:3' is not of the form"); /* only in front of the columns */
    assert_bad("1 1:1\nlow 1:2\n", "line 2, column 'label': 'low' is not a number");

    rung_table *t = libsvm_of(ctx, "1 1:inf\n2 1:2\n"); /* as in every table, an error once it is coded */
    rung_data *data;
    assert_fails(ctx, dataset_encode(ctx, t, NULL, &data), RUNG_EDATA, "line 1, column '1': 'inf' is not a finite");
    table_free(t);
}

static void test_size(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    assert_fails(ctx, read_text(ctx, "1 2000000000:1\n2 1:1\n", &as_libsvm, &t), RUNG_ELIMIT,
                 "2 rows of 2000000000 columns need about");
    assert_non_null(strstr(ctx->message, "above the limit of 8192.0 MiB"));
    ctx->memory = 1 << 20;
    assert_fails(ctx, read_text(ctx, "1 200000:1\n2 1:1\n", &as_libsvm, &t), RUNG_ELIMIT,
                 "above the memory limit of 1.0 MiB");
}

static void test_pipe(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    piped p = pipe_in("1 1:2\n2 3:1\n");
    assert_ok(ctx, read_table(ctx, "-", NULL, &t)); /* told by its content; read twice */
    pipe_out(&p);
    assert_int_equal(t->n_columns, 4);
    assert_int_equal(t->n_rows, 2);
    table_free(t);

    /* In blocks the second reading begins with what the first one kept, more than is read at once. */
    enum { ROWS = 40000 };
    rung_reader *r;
    char *text = malloc(16 * ROWS), *end = text;
    assert_non_null(text);
    for (int i = 0; i < ROWS; i++) end += sprintf(end, "%d 3:%06d\n", 1 + i % 3, i);
    p = pipe_in(text);
    assert_ok(ctx, reader_open(ctx, "-", &as_libsvm, NULL, &r));
    for (int i = 0; i < ROWS; i += 1000) {
        assert_ok(ctx, reader_next(ctx, r, 1000, &t));
        assert_int_equal(t->n_columns, 4);
        assert_int_equal(t->n_rows, 1000);
        for (int j = 0; j < 1000; j++)
            assert_true(number_at(t, j, 2) == i + j && number_at(t, j, 3) == 1 + (i + j) % 3);
        table_free(t);
    }
    assert_ok(ctx, reader_next(ctx, r, 1, &t));
    assert_null(t);
    reader_close(r);
    pipe_out(&p);
    free(text);
}

static rung_status read_once(void *ctx)
{
    rung_table *t;
    rung_status status = read_text(ctx, plain, &as_libsvm, &t);
    table_free(t);
    return status;
}

static void test_memory(void **state) { assert_true(fail_each_allocation(read_once, *state) > 8); }

static void test_fuzz(void **state)
{
    rung_ctx *ctx = *state;
    ctx->memory = 64 << 20; /* a digit more must not fill the machine */
    fuzz(ctx, "libsvm", plain, "0123:: \t\n\r#?qd.-e", 4000);
    fuzz(ctx, NULL, plain, "0123:: \t\n\r#?qd.-e,", 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_plain),  WITH_CONTEXT(test_names),  WITH_CONTEXT(test_long_file),
        WITH_CONTEXT(test_encode), WITH_CONTEXT(test_errors), WITH_CONTEXT(test_size),
        WITH_CONTEXT(test_pipe),   WITH_CONTEXT(test_memory), WITH_CONTEXT(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
