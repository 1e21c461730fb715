// SPDX-License-Identifier: BSD-3-Clause
/* Which format a file has, and files in blocks. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "input/encode/features.h"

/* ---- formats ---- */

static void test_by_name(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "1 2:3\n"; /* LIBSVM: 2 + 1 columns; ORCA: 2; CSV: 2 */
    static const struct {
        const char *name;
        bool sparse;
    } cases[] = {{"a.libsvm", true},     {"a.svm", true},     {"a.b.SVMLIGHT", true}, {"a.svm.gz", true},
                 {"train_toy.0", false}, {"a.csv", false},    {"a.tsv", false},       {"test_a.b.12", false},
                 {"a.txt", true},        {"trained.0", true}, {"train_a.x", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rung_table *t;
        assert_ok(ctx, read_named(ctx, cases[i].name, text, &t));
        if (t->sparse != cases[i].sparse) fail_msg("%s is taken for another format", cases[i].name);
        assert_int_equal(t->n_columns, cases[i].sparse ? 3 : 2);
        table_free(t);
    }
}

static void test_by_content(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *text;
        int columns;
        bool sparse, names;
    } cases[] = {{"\n# x\n+1 1:0.5 3:1\n", 4, true, true},
                 {"? qid:2 1:0\n", 2, true, true},
                 {"2:1\n", 3, true, true},
                 {"\xef\xbb\xbf 1 1:2\n", 2, true, true},
                 {"1 1:2 3\n2 1:2 3\n", 3, false, false}, /* not all are pairs */
                 {"1 a:2\n", 2, false, false},
                 {"12:30,4\n12:31,5\n", 2, false, false},
                 {"\n% c\n \t@Relation x\n@attribute a real\n@data\n1\n", 1, false, true},
                 {"@relations,b\n1,2\n", 2, false, true},
                 {"@relation\n1\n", 1, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rung_table *t = table_of(ctx, cases[i].text);
        if (t->sparse != cases[i].sparse || t->n_columns != cases[i].columns || t->has_names != cases[i].names)
            fail_msg("case %d is taken for another format", (int)i);
        table_free(t);
    }
    rung_table *t;
    assert_fails(ctx, read_text(ctx, "1\n", &(rung_read_options){.format = "xls"}, &t), RUNG_EARG,
                 "unknown format 'xls'; expected one of csv, libsvm, arff, orca");
}

static void test_orca(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    assert_ok(ctx, read_named(ctx, "train_toy.0", "0.1936  -1.5 1\n  2 3\t2 \n", &t));
    assert_int_equal(t->n_columns, 3);
    assert_false(t->has_names);
    assert_true(number_at(t, 0, 1) == -1.5 && number_at(t, 1, 2) == 2);
    table_free(t);
    static const char *const others[] = {"train_toy", "train_toy.", "test_toy.x1", "toy.0"}; /* CSV by content */
    for (int i = 0; i < 4; i++) {
        assert_ok(ctx, read_named(ctx, others[i], "a b\n1 2\n", &t));
        assert_true(t->has_names);
        table_free(t);
    }
    assert_ok(ctx, read_text(ctx, "1,2\n3,4\n", &(rung_read_options){.format = "orca", .delimiter = ','}, &t));
    assert_int_equal(t->n_columns, 2);
    assert_int_equal(t->n_rows, 2);
    table_free(t);
    rung_read_options options = {.format = "orca"};
    assert_ok(ctx, read_text(ctx, "a b\n1 2\n", &options, &t)); /* there is never a header */
    assert_int_equal(t->n_rows, 2);
    table_free(t);
    assert_fails(ctx, read_text(ctx, "1 2\n1 2 3\n", &options, &t), RUNG_EDATA, "line 2: 3 cells, expected 2");
    fuzz(ctx, "orca", "0.5 1.5 1\n0.2\t2 2\n3 4 ?\n", " \t\n\r0a.\"", 2000);
}

/* skordinal's train_X_i.csv: commas, no header, the label last. */
static void test_skordinal(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    rung_data *data;
    assert_ok(ctx, read_named(ctx, "train_balance-scale_0.csv", "2.0,1.0,3\n1.0,4.0,1\n5.0,5.0,2\n", &t));
    assert_false(t->has_names);
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    assert_int_equal(data->d, 2);
    assert_int_equal(data->y[0], 3);
    dataset_free(data);
    table_free(t);
}

static void test_cell(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "a,b\n1.50,x y\n,\n");
    char text[16], tiny[3];
    assert_int_equal(table_cell(t, 0, 0, text, sizeof text), 3);
    assert_string_equal(text, "1.5");
    assert_int_equal(table_cell(t, 0, 1, tiny, sizeof tiny), 3);
    assert_string_equal(tiny, "x ");
    assert_int_equal(table_cell(t, 0, 1, NULL, 0), 3);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(table_cell(t, 1, j, text, sizeof text), 0);
        assert_string_equal(text, "");
    }
    table_free(t);
}

/* ---- blocks ---- */

static rung_status open_text(rung_ctx *ctx, const char *text, const coding *code, rung_reader **out)
{
    temp file = temp_file(text, strlen(text));
    rung_status status = reader_open(ctx, file.path, NULL, code, out);
    unlink(file.path); /* it stays readable while it is open */
    return status;
}

/* Every row of every block is what the whole file has. */
static void check_blocks(rung_ctx *ctx, const char *text, int64_t block, const coding *code)
{
    rung_table *whole = table_of(ctx, text), *t;
    rung_reader *r;
    rung_data *all, *some;
    int64_t row = 0;
    assert_ok(ctx, dataset_recode(ctx, whole, code, RUNG_LABELS_REQUIRED, &all));
    assert_ok(ctx, open_text(ctx, text, code, &r));
    for (;;) {
        assert_ok(ctx, reader_next(ctx, r, block, &t));
        if (!t) break;
        assert_int_equal(t->n_columns, whole->n_columns);
        assert_int_equal(t->n_rows, whole->n_rows - row < block ? whole->n_rows - row : block);
        for (int64_t i = 0; i < t->n_rows; i++) assert_int_equal(table_line(t, i), table_line(whole, row + i));
        assert_ok(ctx, dataset_recode(ctx, t, code, RUNG_LABELS_REQUIRED, &some));
        assert_arrays_close(some->n * some->d, some->X, all->X + row * all->d, 0);
        assert_memory_equal(some->y, all->y + row, (size_t)some->n * sizeof(int));
        dataset_free(some);
        row += t->n_rows;
        table_free(t);
    }
    assert_int_equal(row, whole->n_rows);
    assert_ok(ctx, reader_next(ctx, r, block, &t)); /* and it stays at the end */
    assert_null(t);
    reader_close(r);
    dataset_free(all);
    table_free(whole);
}

static void test_blocks(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const texts[] = {
        "a,c,y\n1,red,low\n\n2,blue,high\n?,,low\n4,red,\n5,\"blue\",high\n",
        "1 2 1\n3 4 2\n5 6 1\n", /* no names */
        "1 1:2\n# c\n2 3:1\n? 2:4\n1 1:1\n",
        "@relation x\n@attribute a real\n@attribute c {u,v}\n@attribute y {p,q}\n@data\n1,u,p\n{2 q}\n?,v,?\n4,v,q\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        rung_table *t = table_of(ctx, texts[k]);
        rung_data *data;
        assert_ok(ctx, dataset_encode(ctx, t, &(rung_encode_options){.order = k == 0 ? "low<high" : NULL}, &data));
        for (int64_t block = 1; block <= 7; block++) check_blocks(ctx, texts[k], block, &data->code);
        dataset_free(data);
        table_free(t);
    }
}

/* A long file whose blocks and buffers do not coincide. */
static void test_long(void **state)
{
    enum { ROWS = 60000 };
    rung_ctx *ctx = *state;
    char *text = malloc(ROWS * 16 + 64), *p = text;
    p += sprintf(p, "n,word,y\n");
    for (int i = 0; i < ROWS; i++) p += sprintf(p, "%d,w%d,%d\n", i, i % 7, 1 + i % 3);
    rung_table *t = table_of(ctx, text);
    rung_data *data;
    assert_ok(ctx,
              dataset_encode(ctx, t, &(rung_encode_options){.numeric = LIST("n")}, &data)); /* it counts the rows */
    table_free(t);
    check_blocks(ctx, text, 4096, &data->code);

    /* From a pipe, and nothing of it is kept: it would not fit the limit. */
    rung_reader *r;
    int64_t rows = 0;
    ctx->memory = 512 << 10;
    piped in = pipe_in(text);
    assert_ok(ctx, reader_open(ctx, "-", NULL, &data->code, &r));
    for (;;) {
        assert_ok(ctx, reader_next(ctx, r, 1000, &t));
        if (!t) break;
        assert_true(number_at(t, 0, 0) == (double)rows);
        rows += t->n_rows;
        table_free(t);
    }
    reader_close(r);
    pipe_out(&in);
    assert_int_equal(rows, ROWS);
    dataset_free(data);
    free(text);
}

/* A column is what the model needs; the others are text as it stands. */
static void test_pinned(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "id,a,c,y\n1,2,x,1\n2,3,z,2\n");
    rung_data *data, *coded;
    rung_reader *r;
    assert_ok(ctx, dataset_encode(ctx, t, &(rung_encode_options){.ignore = LIST("id")}, &data));
    table_free(t);
    assert_ok(ctx, open_text(ctx, "c,id,a,y\n7,0071,1.50,whatever\n8,x,2,\n", &data->code, &r));
    assert_ok(ctx, reader_next(ctx, r, 10, &t));
    assert_string_equal(text_at(t, 0, 0), "7");
    assert_string_equal(text_at(t, 0, 1), "0071");
    assert_true(number_at(t, 0, 2) == 1.5);
    assert_string_equal(text_at(t, 0, 3), "whatever");
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_IGNORED,
                                  &coded)); /* labels may be anything while they are ignored */
    dataset_free(coded);
    assert_fails(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_OPTIONAL, &coded), RUNG_EDATA,
                 "label 'whatever' is not one of");
    table_free(t);
    reader_close(r);

    assert_ok(ctx, open_text(ctx, "a,c,id\n1,x,1\nbad,x,2\n", &data->code, &r));
    assert_ok(ctx, reader_next(ctx, r, 1, &t));
    table_free(t);
    assert_fails(ctx, reader_next(ctx, r, 1, &t), RUNG_EDATA, "line 3, column 'a': 'bad' is not a number");
    assert_null(t);
    reader_close(r);
    assert_fails(ctx, open_text(ctx, "a,b,id\n1,x,1\n", &data->code, &r), RUNG_EDATA, "no column 'c', which the model");
    assert_null(r);

    /* Without a model a column is what it looks like at first. */
    char *text = malloc(1 << 20), *p = text;
    for (int i = 0; i < 40000; i++) p += sprintf(p, "%d,1234\n", i);
    strcpy(p, "x,1\n");
    assert_ok(ctx, open_text(ctx, text, NULL, &r));
    assert_ok(ctx, reader_next(ctx, r, 40000, &t));
    table_free(t);
    assert_fails(ctx, reader_next(ctx, r, 40000, &t), RUNG_EDATA, "line 40001, column 1: 'x' is not a number");
    reader_close(r);
    free(text);

    assert_ok(ctx, open_text(ctx, "a,c\n", NULL, &r));
    assert_fails(ctx, reader_next(ctx, r, 1, &t), RUNG_EDATA, "a header but no rows");
    assert_fails(ctx, reader_next(ctx, r, 0, &t), RUNG_EARG, "0 rows: expected at least 1");
    reader_close(r);
    dataset_free(data);
}

/* A sparse file has the columns the model needs, whatever it names. */
static void test_pinned_sparse(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "1 1:2 4:1\n2 2:1\n");
    rung_data *data;
    rung_reader *r;
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    table_free(t);
    assert_ok(ctx, open_text(ctx, "1 1:2 99999:1\n", &data->code, &r));
    assert_ok(ctx, reader_next(ctx, r, 10, &t));
    assert_int_equal(t->n_columns, 5);
    assert_true(number_at(t, 0, 0) == 2 && number_at(t, 0, 3) == 0);
    table_free(t);
    reader_close(r);
    data->code.columns[3].name = "4000000000"; /* a model that asks for too much */
    assert_fails(ctx, open_text(ctx, "1 1:2\n", &data->code, &r), RUNG_ELIMIT, "of 4000000000 columns need about");
    dataset_free(data);
}

typedef struct {
    rung_ctx *ctx;
    const char *path;
    const coding *code;
} stream;

static rung_status stream_once(void *argument)
{
    stream *s = argument;
    rung_reader *r;
    rung_table *t = NULL;
    rung_status status = reader_open(s->ctx, s->path, NULL, s->code, &r);
    while (status == RUNG_OK) {
        status = reader_next(s->ctx, r, 2, &t);
        if (!t) break;
        table_free(t);
    }
    reader_close(r);
    assert_true(s->ctx->scratch.last == NULL);
    return status;
}

static void test_memory(void **state)
{
    static const char *const texts[] = {
        "a,c,y\n1,\"r\"\"d\",1\n\n2,blue,2\n4,red,\n", "1 1:2\n2 3:1\n? 2:4\n1 1:1\n",
        "@relation x\n@attribute a real\n@attribute c {u,v,w}\n@attribute y {p,q}\n@data\n1,u,p\n{2 q}\n?,w,?\n"};
    rung_ctx *ctx = *state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        rung_table *t = table_of(ctx, texts[k]);
        rung_data *data;
        assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
        table_free(t);
        pool_free_all(&ctx->scratch);
        temp file = temp_file(texts[k], strlen(texts[k]));
        stream s = {ctx, file.path, &data->code};
        assert_true(fail_each_allocation(stream_once, &s) > 8);
        unlink(file.path);
        dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_by_name),   WITH_CONTEXT(test_by_content), WITH_CONTEXT(test_orca),
        WITH_CONTEXT(test_skordinal), WITH_CONTEXT(test_cell),       WITH_CONTEXT(test_blocks),
        WITH_CONTEXT(test_long),      WITH_CONTEXT(test_pinned),     WITH_CONTEXT(test_pinned_sparse),
        WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
