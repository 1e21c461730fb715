// SPDX-License-Identifier: BSD-3-Clause
/* Tables, names, targets and models that live in memory, by the functions of rung.h. */
#include "helper.h"

#include "data/dataset.h"

static int open_public(void **state) { return rung_ctx_new((rung_ctx **)state) != RUNG_OK; }

static int close_public(void **state)
{
    rung_ctx_free(*state);
    return 0;
}

enum { ROWS = 6 };
static const double size[2 * ROWS] = {1, 0, 2, 0, 3, 0, NAN, 0, 5, 0, 6, 0}; /* every second number */
static const int32_t colour[ROWS] = {0, 1, 0, -1, 1, 2};
static const char *const colours[] = {"red", "blue", "NA"};
static const int32_t grade[ROWS] = {0, 0, 1, 1, -1, 1};
static const char *const grades[] = {"good", "bad", "never"};

static rung_status fill_table(rung_ctx *ctx, rung_table **out)
{
    TRY(rung_table_new(ctx, ROWS, out));
    rung_status status = rung_table_add_numbers(ctx, *out, "size", size, 2);
    if (status == RUNG_OK) status = rung_table_add_text(ctx, *out, "colour", colour, colours, 3, 0);
    if (status == RUNG_OK) status = rung_table_add_text(ctx, *out, "grade", grade, grades, 3, 1);
    if (status == RUNG_OK) return status;
    rung_table_free(*out);
    *out = NULL;
    return status;
}

static void test_table(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *table;
    rung_data *data;
    assert_ok(ctx, fill_table(ctx, &table));
    assert_int_equal(rung_table_rows(table), ROWS);
    assert_int_equal(rung_table_columns(table), 3);
    assert_string_equal(rung_table_name(table, 1), "colour");
    char cell[8];
    rung_table_cell(table, 5, 1, cell, sizeof cell);
    assert_string_equal(cell, ""); /* NA is missing, as it is in a file */
    assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
    static const int ranks[ROWS] = {1, 1, 2, 2, 0, 2};
    for (int i = 0; i < ROWS; i++) assert_int_equal(rung_data_ranks(data)[i], ranks[i]);
    assert_int_equal(rung_data_classes(data), 3); /* in the order given, the unused one too */
    assert_string_equal(rung_data_class_name(data, 1), "good");
    assert_string_equal(rung_data_class_name(data, 3), "never");
    assert_int_equal(rung_data_features(data), 4); /* size; no colour, blue, red */
    assert_true(isnan(rung_data_view(data).v[3 * 4]));
    assert_true(rung_data_view(data).v[1] == 0 && rung_data_view(data).v[3] == 1);
    rung_data_free(data);
    rung_table_free(table);
}

/* Ordered words are places on their list, even if the rows show them in another order or one of them never. */
static void test_ordered_feature(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *table;
    rung_data *data;
    static const int32_t dose[ROWS] = {2, 0, -1, 0, 2, 2};
    static const char *const doses[] = {"<1", "1-2", ">2"};
    assert_ok(ctx, rung_table_new(ctx, ROWS, &table));
    assert_ok(ctx, rung_table_add_text(ctx, table, "dose", dose, doses, 3, 1));
    assert_ok(ctx, rung_table_add_text(ctx, table, "grade", grade, grades, 3, 1));
    assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
    assert_int_equal(rung_data_features(data), 1);
    rung_view X = rung_data_view(data);
    static const double place[ROWS] = {3, 1, NAN, 1, 3, 3};
    for (int i = 0; i < ROWS; i++)
        assert_true(X.v[i * X.row] == place[i] || (isnan(place[i]) && isnan(X.v[i * X.row])));
    rung_data_free(data);
    rung_table_free(table);
}

static void test_table_refusals(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *table;
    rung_data *data;
    static const int32_t wild[ROWS] = {0, 1, 3, 0, 0, 0};
    static const double infinite[ROWS] = {1, 2, -INFINITY, 4, 5, INFINITY};
    assert_fails(ctx, rung_table_new(ctx, 0, &table), RUNG_EARG, "a table of 0 rows");
    assert_null(table);
    assert_ok(ctx, rung_table_new(ctx, ROWS, &table));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "a", infinite, 1));
    assert_fails(ctx, rung_table_add_numbers(ctx, table, "a", size, 1), RUNG_EARG, "two columns are named 'a'");
    assert_fails(ctx, rung_table_add_numbers(ctx, table, NULL, size, 1), RUNG_EARG, "column 2 has no name");
    assert_fails(ctx, rung_table_add_text(ctx, table, "b", wild, grades, 3, 0), RUNG_EARG,
                 "row 3 has text number 3 of 3");
    assert_fails(ctx, rung_table_add_text(ctx, table, "b", NULL, grades, 3, 0), RUNG_EARG, "argument is NULL");
    assert_int_equal(rung_table_columns(table), 1); /* what was refused left nothing */
    assert_fails(ctx,
                 rung_data_encode(ctx, table,
                                  &(rung_encode_options){.size = sizeof(rung_encode_options), .unlabelled = 1}, &data),
                 RUNG_EDATA, "the table, line 3, column 'a': '-inf' is not a finite number");
    rung_table_free(table);
}

/* Without names columns go by position, and NULL is no name as "" is. */
static void test_table_without_names(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *table;
    rung_data *data;
    static const double infinite[ROWS] = {1, 2, 3, 4, 5, INFINITY};
    assert_ok(ctx, rung_table_new(ctx, ROWS, &table));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, NULL, size, 2));
    assert_ok(ctx, rung_table_add_text(ctx, table, "", colour, colours, 3, 0));
    assert_fails(ctx, rung_table_add_text(ctx, table, "grade", grade, grades, 3, 1), RUNG_EARG,
                 "column 3 has a name, unlike the columns before it");
    assert_ok(ctx, rung_table_add_text(ctx, table, NULL, grade, grades, 3, 1));
    assert_string_equal(rung_table_name(table, 2), "");
    assert_ok(ctx, rung_data_encode(
                       ctx, table,
                       &(rung_encode_options){.size = sizeof(rung_encode_options), .label = "3", .ignore = LIST("2")},
                       &data));
    assert_int_equal(rung_data_features(data), 1);
    assert_int_equal(rung_data_classes(data), 3);
    rung_data_free(data);
    assert_ok(ctx, rung_table_add_numbers(ctx, table, NULL, infinite, 1));
    assert_fails(
        ctx,
        rung_data_encode(ctx, table, &(rung_encode_options){.size = sizeof(rung_encode_options), .label = "3"}, &data),
        RUNG_EDATA, "the table, line 6, column 4: 'inf' is not a finite number");
    rung_table_free(table);
}

/* A column of numbers in training may come as text: without any cell, as that of a data frame may be, or as categories
 * that were declared and are numbers. */
static void test_text_for_numbers(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *table;
    rung_data *train, *data;
    rung_spec *spec;
    rung_model *model;
    static const int32_t nothing[] = {-1, -1, -1}, some[] = {1, -1, 0}, odd[] = {0, 2, 1};
    static const char *const values[] = {"7", "2.5", "x", "inf"};
    assert_ok(ctx, fill_table(ctx, &table));
    assert_ok(ctx, rung_data_encode(
                       ctx, table,
                       &(rung_encode_options){.size = sizeof(rung_encode_options), .ignore = LIST("colour")}, &train));
    rung_table_free(table);
    assert_ok(ctx, rung_spec_new(ctx, "median", 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, train, &model));

    assert_ok(ctx, rung_table_new(ctx, 3, &table));
    assert_ok(ctx, rung_table_add_text(ctx, table, "size", nothing, NULL, 0, 0));
    assert_ok(ctx, rung_model_encode(ctx, model, table, RUNG_LABELS_IGNORED, &data));
    for (int i = 0; i < 3; i++) assert_true(isnan(rung_data_view(data).v[i]));
    rung_data_free(data);
    rung_table_free(table);

    assert_ok(ctx, rung_table_new(ctx, 3, &table));
    assert_ok(ctx, rung_table_add_text(ctx, table, "size", some, values, 4, 1));
    assert_ok(ctx, rung_model_encode(ctx, model, table, RUNG_LABELS_IGNORED, &data));
    assert_true(rung_data_view(data).v[0] == 2.5 && isnan(rung_data_view(data).v[1]));
    assert_true(rung_data_view(data).v[2] == 7);
    rung_data_free(data);
    rung_table_free(table);

    assert_ok(ctx, rung_table_new(ctx, 3, &table));
    assert_ok(ctx, rung_table_add_text(ctx, table, "size", odd, values, 4, 1));
    assert_fails(ctx, rung_model_encode(ctx, model, table, RUNG_LABELS_IGNORED, &data), RUNG_EDATA,
                 "the table, line 2, column 'size': 'x' is not a number");
    assert_null(data);
    rung_table_free(table);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(train);
}

static void count_warnings(void *user, rung_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == RUNG_LOG_WARNING;
}

/* Text that the caller says is text: numbers are categories, and no sign of a mistake; nor is a column without cells.
 * */
static void test_numbers_as_text(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *table;
    rung_data *data;
    int warnings = 0;
    char name[16];
    static const int32_t code[ROWS] = {0, 1, 2, 0, 1, 2}, nothing[ROWS] = {-1, -1, -1, -1, -1, -1};
    static const char *const values[] = {"10", "9", "8"};
    rung_ctx_set_log(ctx, count_warnings, &warnings);
    assert_ok(ctx, rung_table_new(ctx, ROWS, &table));
    assert_ok(ctx, rung_table_add_text(ctx, table, "kind", code, values, 3, 0));
    assert_ok(ctx, rung_table_add_text(ctx, table, "none", nothing, NULL, 0, 0));
    assert_ok(ctx, rung_table_add_text(ctx, table, "grade", grade, grades, 3, 1));
    assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
    assert_int_equal(warnings, 0);
    assert_int_equal(rung_data_features(data), 4); /* 10, 8, 9; nothing */
    rung_data_feature_name(data, 1, name, sizeof name);
    assert_string_equal(name, "kind=8");
    assert_arrays_close(4, rung_data_view(data).v, ((double[]){1, 0, 0, 1}), 0);
    rung_data_free(data);
    rung_table_free(table);
}

static const double X[] = {0, 1, 2, 3, 10, 11, 12, 13}; /* two columns of four rows, one after the other */
static const rung_view by_columns = {.v = X, .n = 4, .d = 2, .row = 1, .col = 4};

static void test_names(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    static const int rank[] = {1, 2, 2, 1};
    static const char *const columns[] = {"width", "height"}, *const twice[] = {"a", "a"}, *const empty[] = {"a", ""},
                             *const unset[] = {NULL, "a"};
    static const char *const classes[] = {"low", "high"}, *const same[] = {"1", "1.0"}, *const none[] = {"low", "nan"};
    char name[16];
    assert_ok(ctx, rung_data_new(ctx, &by_columns, rank, NULL, 2, &data));
    assert_ok(ctx, rung_data_set_names(ctx, data, NULL, NULL, NULL));
    assert_string_equal(rung_data_class_name(data, 2), "2");
    assert_ok(ctx, rung_data_set_names(ctx, data, columns, "grade", classes));
    assert_string_equal(rung_data_class_name(data, 2), "high");
    rung_data_feature_name(data, 1, name, sizeof name);
    assert_string_equal(name, "height");
    assert_fails(ctx, rung_data_set_names(ctx, data, twice, NULL, NULL), RUNG_EARG, "two columns are named 'a'");
    assert_fails(ctx, rung_data_set_names(ctx, data, empty, NULL, NULL), RUNG_EARG, "column 2 has no name");
    assert_fails(ctx, rung_data_set_names(ctx, data, unset, NULL, NULL), RUNG_EARG, "column 1 has no name");
    assert_fails(ctx, rung_data_set_names(ctx, data, columns, "width", NULL), RUNG_EARG, "both named 'width'");
    assert_fails(ctx, rung_data_set_names(ctx, data, NULL, "y", same), RUNG_EARG, "which are the same number");
    assert_fails(ctx, rung_data_set_names(ctx, data, NULL, "y", none), RUNG_EARG, "such a cell means unlabelled");
    assert_fails(ctx, rung_data_set_names(ctx, NULL, NULL, NULL, NULL), RUNG_EARG, "argument is NULL");
    rung_data_free(data);
}

static void test_real_targets(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    static const double target[] = {1.5, NAN, -2, 7}, bad[] = {1, 2, INFINITY, 3};
    assert_ok(ctx, rung_data_new_real(ctx, &by_columns, target, NULL, &data));
    assert_int_equal(rung_data_classes(data), 0);
    assert_true(rung_data_targets(data)[3] == 7 && isnan(rung_data_targets(data)[1]));
    assert_true(rung_data_view(data).v[2] == 1 && rung_data_view(data).v[3] == 11);
    rung_data_free(data);
    assert_fails(ctx, rung_data_new_real(ctx, &by_columns, bad, NULL, &data), RUNG_EDATA, "target of row 3 is inf");
    assert_null(data);
}

/* Everything at once: named data, a fit, its bytes, a model from them. */
typedef struct {
    rung_ctx *ctx;
    rung_model *first, *second;
} world;

static rung_status there_and_back(world *w)
{
    static const int rank[] = {1, 2, 2, 1};
    static const char *const columns[] = {"width", "height"}, *const classes[] = {"low", "high"};
    rung_data *data = NULL;
    rung_spec *spec = NULL;
    char *bytes = NULL;
    int64_t count = 0;
    rung_status status = rung_data_new(w->ctx, &by_columns, rank, NULL, 2, &data);
    if (status == RUNG_OK) status = rung_data_set_names(w->ctx, data, columns, "grade", classes);
    if (status == RUNG_OK) status = rung_spec_new(w->ctx, "median", 0, &spec);
    if (status == RUNG_OK) status = rung_model_fit(w->ctx, spec, data, &w->first);
    if (status == RUNG_OK) status = rung_model_save_memory(w->ctx, w->first, &bytes, &count);
    if (status == RUNG_OK) status = rung_model_load_memory(w->ctx, bytes, count, &w->second);
    rung_data_free(data);
    rung_spec_free(spec);
    rung_free(bytes);
    return status;
}

static void drop(world *w)
{
    rung_model_free(w->first);
    rung_model_free(w->second);
    w->first = w->second = NULL;
}

static rung_status once(void *argument)
{
    world *w = argument;
    rung_table *table = NULL;
    rung_status status = there_and_back(w);
    drop(w);
    if (status == RUNG_OK) status = fill_table(w->ctx, &table);
    rung_table_free(table);
    return status;
}

static void test_bytes(void **state)
{
    world w = {.ctx = *state};
    char *a, *b;
    int64_t n, m;
    rung_model *none;
    assert_ok(w.ctx, there_and_back(&w));
    assert_string_equal(rung_model_class_name(w.second, 2), "high");
    assert_ok(w.ctx, rung_model_save_memory(w.ctx, w.first, &a, &n));
    assert_ok(w.ctx, rung_model_save_memory(w.ctx, w.second, &b, &m));
    assert_int_equal(n, m);
    assert_memory_equal(a, b, (size_t)n);
    a[n - 1] ^= 1;
    assert_fails(w.ctx, rung_model_load_memory(w.ctx, a, n, &none), RUNG_EFORMAT, "its checksum does not match");
    assert_null(none);
    assert_fails(w.ctx, rung_model_load_memory(w.ctx, a, 0, &none), RUNG_EFORMAT, "not a rung model");
    assert_fails(w.ctx, rung_model_load_memory(w.ctx, NULL, 0, &none), RUNG_EARG, "argument is NULL");
    rung_free(a);
    rung_free(b);
    drop(&w);
    assert_true(fail_each_allocation(once, &w) > 40);
}

/* A missing cell is the median of the others, by their weights; where they are all equal it is another number, since
 * being missing is all that the column says. */
static void test_fills(void **state)
{
    enum { N = 6, D = 5 };
    const double x[N][D] = {{1, 7, 0, NAN, 1},   {NAN, 7, NAN, NAN, 2}, {3, NAN, 0, NAN, 3},
                            {5, 7, NAN, NAN, 4}, {9, NAN, 0, NAN, 5},   {100, 7, 0, NAN, 6}},
                 weight[N] = {2, 1, 2, 3, 1, 0}, plain[D] = {5, 0, 1, 0, 3.5}, weighted[D] = {4, 0, 1, 0, 3};
    const int y[N] = {1, 2, 1, 2, 1, 2};
    rung_ctx *ctx = *state;
    rung_view rows = {.v = &x[0][0], .n = N, .d = D, .row = D, .col = 1};
    for (int k = 0; k < 2; k++) {
        rung_data *data;
        assert_ok(ctx, rung_data_new(ctx, &rows, y, k ? weight : NULL, 2, &data));
        for (int j = 0; j < D; j++) assert_close(data->code.columns[j].fill, k ? weighted[j] : plain[j], 0);
        rung_data_free(data);
    }
}

/* A category that occurs in no row is none; the order of an ordered column counts with all its words. */
static void test_unused_values(void **state)
{
    static const char *const words[] = {"none", "b", "a", "never"};
    static const int32_t code[] = {1, 2, 2, 1, 2};
    static const double x[] = {.3, .1, .7, .2, .9};
    rung_ctx *ctx = *state;
    for (int ordered = 0; ordered < 2; ordered++) {
        rung_table *t;
        rung_data *data;
        assert_ok(ctx, rung_table_new(ctx, 5, &t));
        assert_ok(ctx, rung_table_add_numbers(ctx, t, "x", x, 1));
        assert_ok(ctx, rung_table_add_text(ctx, t, "word", code, words, 4, ordered));
        assert_ok(ctx,
                  rung_data_encode(ctx, t, &(rung_encode_options){.size = sizeof(rung_encode_options), .unlabelled = 1},
                                   &data));
        assert_int_equal(rung_data_features(data), ordered ? 2 : 3);
        if (ordered) assert_true(rung_data_view(data).v[1] == 2);
        rung_data_free(data);
        rung_table_free(t);
    }
}

/* Cells are what they would be in a file: numbers with marks for missing ones, or text if one of them is none. */
static void test_cells(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    const char *const numbers[] = {"1.5", NULL, "NA", "n/a", "-2e1", ""}, *const codes[] = {"7",  "007", "8",
                                                                                            NULL, "?",   "8"};
    const double right[] = {1.5, NAN, NAN, NAN, -20, NAN};
    assert_ok(ctx, rung_table_new(ctx, 6, &t));
    assert_ok(ctx, rung_table_add_cells(ctx, t, "number", numbers));
    assert_ok(ctx, rung_table_add_cells(ctx, t, "code", codes));
    assert_fails(ctx, rung_table_add_cells(ctx, t, "code", codes), RUNG_EARG, "two columns");
    assert_int_equal(t->columns[0].kind, COLUMN_NUMBER);
    for (int i = 0; i < 6; i++)
        assert_true(isnan(right[i]) ? isnan(t->columns[0].number[i]) : t->columns[0].number[i] == right[i]);
    assert_int_equal(t->columns[0].marks, 1);
    assert_string_equal(t->columns[0].mark, "n/a");
    assert_int_equal(t->columns[1].kind, COLUMN_TEXT);
    assert_int_equal(t->columns[1].n_values, 3);
    assert_int_equal(t->columns[1].text[1], 1);
    assert_int_equal(t->columns[1].text[4], -1);
    rung_table_free(t);
}

#define PUBLIC(test) cmocka_unit_test_setup_teardown(test, open_public, close_public)

/* An ordered column of one level, or of none, tells nothing, and a model with it is written and read like any other. */
static void test_ordered_feature_of_one_word(void **state)
{
    rung_ctx *ctx = *state;
    const double x[ROWS] = {1, 2, 3, 4, 5, 6}, y[ROWS] = {1, 1, 2, 1, 2, 2};
    const int32_t code[ROWS] = {0, 0, -1, 0, 0, 0}, none[ROWS] = {-1, -1, -1, -1, -1, -1};
    for (int words = 0; words < 2; words++) {
        rung_table *table;
        rung_data *data;
        rung_spec *spec;
        rung_model *model;
        assert_ok(ctx, rung_table_new(ctx, ROWS, &table));
        assert_ok(ctx, rung_table_add_numbers(ctx, table, "x", x, 1));
        assert_ok(ctx, rung_table_add_text(ctx, table, "level", words ? code : none, colours, words, 1));
        assert_ok(ctx, rung_table_add_numbers(ctx, table, "label", y, 1));
        assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
        assert_ok(ctx, rung_spec_new(ctx, "pom", 0, &spec));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
        rung_model_free(model);
        rung_spec_free(spec);
        rung_data_free(data);
        rung_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {PUBLIC(test_table),
                                       PUBLIC(test_table_without_names),
                                       PUBLIC(test_text_for_numbers),
                                       PUBLIC(test_numbers_as_text),
                                       PUBLIC(test_ordered_feature),
                                       PUBLIC(test_ordered_feature_of_one_word),
                                       PUBLIC(test_table_refusals),
                                       PUBLIC(test_names),
                                       PUBLIC(test_real_targets),
                                       PUBLIC(test_bytes),
                                       PUBLIC(test_unused_values),
                                       PUBLIC(test_fills),
                                       PUBLIC(test_cells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
