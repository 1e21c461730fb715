// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

static const rung_read_options as_arff = {.format = "arff"};

static rung_table *arff_of(rung_ctx *ctx, const char *text)
{
    rung_table *t;
    assert_ok(ctx, read_text(ctx, text, &as_arff, &t));
    return t;
}

#define assert_bad(text, words)                                                                                        \
    do {                                                                                                               \
        rung_table *bad_;                                                                                              \
        assert_fails(ctx, read_text(ctx, text, &as_arff, &bad_), RUNG_EDATA, words);                                   \
        assert_null(bad_);                                                                                             \
    } while (0)

static const char plain[] = "% tastings\n"
                            "@RELATION 'wine tasting'\n"
                            "\n"
                            "@attribute acidity\tREAL % of the must\n"
                            "@Attribute 'colour of it' {red, 'light red' , \"it\\'s white\"}\n"
                            "@attribute notes string\n"
                            "@attribute \"year\" integer\n"
                            "@attribute grade {poor,fair,NA}\n"
                            "@DATA\n"
                            "3.1, red, 'a, b', 1999, fair\n"
                            "% in between\n"
                            "?,'light red',?,2001,poor\r\n"
                            "  2.9 \t \"it's white\" x 2002 ?\n"
                            "{1 'light red', 3 2003, 4 NA}\n"
                            "{}\n"
                            "4,,,,fair\n";

static void test_plain(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = arff_of(ctx, plain);
    assert_int_equal(t->n_rows, 6);
    assert_int_equal(t->n_columns, 5);
    assert_true(t->has_names && !t->sparse);
    static const char *const names[] = {"acidity", "colour of it", "notes", "year", "grade"};
    for (int j = 0; j < 5; j++) assert_string_equal(t->columns[j].name, names[j]);
    static const double acidity[] = {3.1, NAN, 2.9, 0, 0, 4}, year[] = {1999, 2001, 2002, 2003, 0, NAN};
    static const char *const colour[] = {"red", "light red", "it's white", "light red", "red", "<missing>"};
    static const char *const notes[] = {"a, b", "<missing>", "x", "<missing>", "<missing>", "<missing>"};
    static const char *const grade[] = {"fair", "poor", "<missing>", "NA", "poor", "fair"};
    static const int lines[] = {10, 12, 13, 14, 15, 16};
    for (int i = 0; i < 6; i++) {
        assert_close(number_at(t, i, 0), acidity[i], 0);
        assert_string_equal(text_at(t, i, 1), colour[i]);
        assert_string_equal(text_at(t, i, 2), notes[i]);
        assert_close(number_at(t, i, 3), year[i], 0);
        assert_string_equal(text_at(t, i, 4), grade[i]);
        assert_int_equal(table_line(t, i), lines[i]);
    }
    assert_true(t->columns[1].declared && t->columns[4].declared && !t->columns[2].declared);
    assert_int_equal(t->columns[1].n_values, 3);
    assert_string_equal(t->columns[1].values[2], "it's white");
    table_free(t);
}

/* The declared order of the class is its order, without --order; a declared category is one even if no row has it. */
static void test_encode(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    rung_table *t = arff_of(ctx, "@relation x\n@attribute c {z, b, a}\n@attribute y {low, mid, high, top}\n@data\n"
                                 "z,high\na,low\nz,?\n");
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    assert_int_equal(data->code.n_classes, 4);
    assert_string_equal(data->code.classes[0], "low");
    assert_string_equal(data->code.classes[3], "top");
    assert_int_equal(data->y[0], 3);
    assert_int_equal(data->y[1], 1);
    assert_int_equal(data->y[2], 0);
    assert_int_equal(data->d, 3);
    assert_string_equal(data->code.columns[0].categories[1], "b");
    dataset_free(data);
    assert_ok(ctx, dataset_encode(ctx, t, &(rung_encode_options){.order = "high<low"}, &data)); /* unless told */
    assert_int_equal(data->y[0], 1);
    dataset_free(data);
    table_free(t);

    /* Numbers too keep the declared order. */
    t = arff_of(ctx, "@relation x\n@attribute c real\n@attribute y {3, 2, 1}\n@data\n7,1\n8,3\n");
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    assert_int_equal(data->y[0], 3);
    assert_int_equal(data->y[1], 1);
    dataset_free(data);
    table_free(t);
}

/* A column of numbers may be declared as their list in another file. */
static void test_numbers_declared(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data, *coded;
    rung_table *t = arff_of(ctx, "@relation x\n@attribute c real\n@attribute y {1, 2}\n@data\n7,1\n8,2\n10,2\n");
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    table_free(t);
    t = arff_of(ctx, "@relation x\n@attribute c {9, 2.5}\n@attribute y {1, 2}\n@data\n2.5,1\n?,2\n9,1\n");
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_REQUIRED, &coded));
    assert_true(coded->X[0] == 2.5 && isnan(coded->X[1]) && coded->X[2] == 9);
    dataset_free(coded);
    table_free(t);
    dataset_free(data);
}

/* Many declared values are no identifier. */
static void test_many_values(void **state)
{
    rung_ctx *ctx = *state;
    char text[2048] = "@relation x\n@attribute c {v0";
    for (int k = 1; k < 80; k++) sprintf(text + strlen(text), ",v%d", k);
    strcat(text, "}\n@attribute y numeric\n@data\nv1,1\nv2,2\n");
    rung_data *data;
    rung_table *t = arff_of(ctx, text);
    assert_ok(ctx, dataset_encode(ctx, t, NULL, &data));
    assert_int_equal(data->d, 80);
    dataset_free(data);
    table_free(t);
}

static void test_errors(void **state)
{
    rung_ctx *ctx = *state;
    assert_bad("", "no @data");
    assert_bad("@relation x\n@attribute a real\n", "no @data");
    assert_bad("@relation x\n@data\n1\n", "no @attribute before @data");
    assert_bad("@relation x\n@attribute a real\n@data\n% nothing\n", "a header but no rows");
    assert_bad("@relation x\na real\n@data\n", "line 2: expected @relation, @attribute or @data instead of 'a'");
    assert_bad("@attribute\n@data\n", "line 1: the name of an attribute is missing");
    assert_bad("@attribute when date \"yyyy\"\n@data\n",
               "line 1: attribute 'when' has the type 'date', which cannot be read; expected numeric");
    assert_bad("@attribute bag relational\n", "'relational', which cannot be read");
    assert_bad("@attribute a float\n", "has the type 'float', which is unknown; expected numeric");
    assert_bad("@attribute a real b\n", "line 1: text after the type");
    assert_bad("@attribute a real\n@attribute A real\n@attribute a real\n@data\n",
               "line 3: attributes 1 and 3 are both named 'a'");
    assert_bad("@attribute a {x,y\n", "line 1: the closing } after the values of an attribute is missing");
    assert_bad("@attribute a {x,,y}\n", "line 1: attribute 'a' declares an empty value");
    assert_bad("@attribute a {}\n", "attribute 'a' declares an empty value");
    assert_bad("@attribute a {x,y,x}\n", "line 1: attribute 'a' declares 'x' twice");
    assert_bad("@attribute a {\xc3\xa9,\xff}\n", "line 1: byte 0xFF is not valid UTF-8");
    assert_bad("@attribute \xc3\xa9\xff real\n", "line 1: byte 0xFF is not valid UTF-8");
    assert_bad("@attribute 'a real\n", "line 1: a quote is opened but never closed");

    static const char head[] = "@relation x\n@attribute a real\n@attribute b {u,v}\n@data\n";
    char text[256];
#define assert_bad_rows(rows, words)                                                                                   \
    do {                                                                                                               \
        snprintf(text, sizeof text, "%s%s", head, rows);                                                               \
        assert_bad(text, words);                                                                                       \
    } while (0)
    assert_bad_rows("1,u\n2\n", "line 6: 1 cell, expected 2, one per attribute");
    assert_bad_rows("1,u,3\n", "line 5: 3 cells, expected 2");
    assert_bad_rows("1,u\nx,v\n", "line 6, column 'a': 'x' is not a number");
    assert_bad_rows("1,w\n", "line 5, column 'b': 'w' is not one of the declared values u, v");
    assert_bad_rows("1,'u\n", "line 5: a quote is opened but never closed");
    assert_bad_rows("1,u,{5}\n", "line 5: unexpected brace inside a row");
    assert_bad_rows("{0 1\n", "line 5: the closing } of a sparse row is missing");
    assert_bad_rows("{0 1} {5}\n", "line 5: text after a sparse row");
    assert_bad_rows("{2 1}\n", "line 5: expected the number of an attribute, 0 to 1, each once, instead of '2'");
    assert_bad_rows("{0 1, 0 2}\n", "each once, instead of '0'");
    assert_bad_rows("{-1 1}\n", "each once, instead of '-1'");
    assert_bad_rows("{x 1}\n", "each once, instead of 'x'");
}

static rung_status read_once(void *ctx)
{
    rung_table *t;
    rung_status status = read_text(ctx, plain, &as_arff, &t);
    table_free(t);
    return status;
}

static void test_memory(void **state) { assert_true(fail_each_allocation(read_once, *state) > 20); }

static void test_fuzz(void **state)
{
    fuzz(*state, "arff", plain, "{}'\"\\,, \t\n\r%@?a01.", 6000);
    fuzz(*state, NULL, plain, "{}'\"\\,, \t\n\r%@?a01.", 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_plain),       WITH_CONTEXT(test_encode), WITH_CONTEXT(test_numbers_declared),
        WITH_CONTEXT(test_many_values), WITH_CONTEXT(test_errors), WITH_CONTEXT(test_memory),
        WITH_CONTEXT(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
