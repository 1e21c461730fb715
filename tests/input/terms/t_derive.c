// SPDX-License-Identifier: BSD-3-Clause
/* Derived columns: the language, the rule for categories, missing cells, and that a model applies them as in
 * training. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "data/derive.h"
#include "explain/reports.h"
#include "input/terms/derive_read.h"
#include "rung/rung.h"

static const char TABLE[] = "a,b,sex,ward,my col,y\n"
                            "1,2,f,n,7,1\n2,4,m,s,8,2\n3,-1,m,n,9,1\n4,.5,f,s,10,3\n5,3,x,s,11,2\n6,1,m,n,12,3\n";

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static rung_status encode_with(rung_ctx *ctx, const char *text, const rung_encode_options *options, rung_data **out)
{
    rung_table *t = table_of(ctx, text);
    rung_status status = dataset_encode(ctx, t, options, out);
    table_free(t);
    return status;
}

static rung_data *data_of(rung_ctx *ctx, const char *text, rung_encode_options options)
{
    rung_data *data;
    assert_ok(ctx, encode_with(ctx, text, &options, &data));
    return data;
}

#define DERIVED(...) data_of(ctx, TABLE, (rung_encode_options){.ignore = LIST("my col"), .derive = LIST(__VA_ARGS__)})

static int64_t find(const rung_data *data, const char *name)
{
    for (int64_t j = 0; j < data->code.n_columns; j++)
        if (strcmp(data->code.columns[j].name, name) == 0) return data->code.columns[j].first;
    print_error("no column '%s'\n", name);
    _fail(__FILE__, __LINE__);
    return -1;
}

static double at(const rung_data *data, int64_t row, const char *name)
{
    return data->X[row * data->d + find(data, name)];
}

static void test_numbers(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    static const char *const all[] = {"a:b",        "a^2",     "(a - 3)*2", "log(a)",          "sqrt(abs(b))",
                                      "exp(-b)/10", "1/b",     "a*b^2",     "log1p(`my col`)", "log(a + .5):b:ward",
                                      "center(b)",  "log2(a)", "2 - a",     "log10(a)",        "poly(a, 3)",
                                      "`3`:a",      NULL};
    rung_encode_options options = {.ignore = LIST("my col"), .derive = all};
    data = data_of(ctx, TABLE, options);
    for (int64_t i = 0; i < 6; i++) {
        const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {2, 4, -1, .5, 3, 1};
        assert_true(at(data, i, "a") == a[i] && at(data, i, "b") == b[i]); /* what derives stays a feature */
        assert_true(at(data, i, "a:b") == a[i] * b[i]);
        assert_true(at(data, i, "a^2") == a[i] * a[i]);
        assert_true(at(data, i, "(a-3)*2") == (a[i] - 3) * 2);
        assert_true(at(data, i, "log(a)") == log(a[i]));
        assert_true(at(data, i, "sqrt(abs(b))") == sqrt(fabs(b[i])));
        assert_true(at(data, i, "exp(b*-1)/10") == exp(-b[i]) / 10);
        assert_true(at(data, i, "b^-1") == 1 / b[i]);
        assert_true(at(data, i, "a:b^2") == a[i] * (b[i] * b[i]));
        assert_true(at(data, i, "log1p(my col)") == log1p(7 + (double)i));
        assert_true(at(data, i, "log(a+0.5):b:ward=s") == log(a[i] + .5) * b[i] * (i == 1 || i == 3 || i == 4));
        assert_close(at(data, i, "center(b)"), b[i] - 9.5 / 6, 1e-15);
        assert_close(at(data, i, "center(a)^3"), pow(a[i] - 3.5, 3), 1e-15);
        assert_true(at(data, i, "a*-1+2") == 2 - a[i]);
        assert_true(at(data, i, "sex=m:a") == a[i] * (i == 1 || i == 2 || i == 5));
    }
    for (int64_t j = 0; j < data->code.n_columns; j++) /* of poly() what a itself does not tell; my col is hidden */
        assert_true(strcmp(data->code.columns[j].name, "center(a)") && strcmp(data->code.columns[j].name, "my col"));
    assert_int_equal(coding_cells(&data->code)->d, 8);
    dataset_free(data);
}

/* Which categories a factor of a product has: all of them only where the product without it is not in the model. */
static void test_categories(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    data = DERIVED("a:sex", "sex:ward");
    assert_int_equal(data->d, 2 + 3 + 2 + 2 + 2); /* f is left out, and n: the first in the alphabet */
    find(data, "a:sex=m"), find(data, "a:sex=x"), find(data, "sex=x:ward=s");
    dataset_free(data);
    data = DERIVED("`my col`:sex"); /* my col itself is no feature */
    assert_int_equal(data->d, 2 + 3 + 2 + 3);
    assert_true(at(data, 0, "my col:sex=f") == 7 && at(data, 1, "my col:sex=f") == 0);
    dataset_free(data);
    rung_encode_options options = {
        .ignore = LIST("my col", "ward"), .nominal = LIST("sex=x"), .derive = LIST("sex:ward")};
    data = data_of(ctx, TABLE, options); /* sex alone is in the model, ward alone is not */
    assert_int_equal(data->d, 2 + 3 + 3 * 1 + 0);
    find(data, "sex=f:ward=s"), find(data, "sex=m:ward=s"), find(data, "sex=x:ward=s");
    dataset_free(data);
    options.ignore = LIST("my col");
    data = data_of(ctx, TABLE, options); /* against x, as the option says */
    find(data, "sex=f:ward=s"), find(data, "sex=m:ward=s");
    assert_int_equal(data->d, 2 + 3 + 2 + 2);
    dataset_free(data);
}

static void test_missing(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data, *next;
    static const char text[] = "a,b,sex,y\n1,2,f,1\n3,,m,2\n,5,f,1\n8,4,m,2\n";
    rung_encode_options options = {.derive = LIST("log(a)", "a:b", "a:sex")};
    data = data_of(ctx, text, options);
    assert_true(isnan(at(data, 2, "a")) && isnan(at(data, 2, "log(a)"))); /* missing in what is made of a alone */
    double *fill = NULL;
    assert_ok(ctx, coding_fill(ctx, &ctx->scratch, &data->code, &fill));
    assert_true(fill[find(data, "a")] == 3 && fill[find(data, "log(a)")] == log(3));
    assert_true(at(data, 1, "a:b") == 3 * 4 && at(data, 2, "a:b") == 3 * 5); /* by the medians 4 and 3 */
    assert_true(at(data, 2, "a:sex=m") == 0 && at(data, 3, "a:sex=m") == 8);
    rung_table *t = table_of(ctx, "sex,b,a\nq,1,2\nm,,\n"); /* a category that training had not: zeros */
    assert_ok(ctx, dataset_recode(ctx, t, &data->code, RUNG_LABELS_IGNORED, &next));
    assert_true(at(next, 0, "a:sex=m") == 0 && at(next, 0, "a:b") == 2);
    assert_true(at(next, 1, "a:sex=m") == 3 && at(next, 1, "a:b") == 12);
    table_free(t);
    dataset_free(next);
    const int64_t rows[] = {0, 3}; /* a subset learns its own medians */
    assert_int_equal(rung_data_subset(ctx, data, 2, rows, NULL, &next), RUNG_OK);
    assert_true(coding_cells(&next->code)->columns[0].fill == 4.5);
    assert_ok(ctx, coding_fill(ctx, &ctx->scratch, &next->code, &fill));
    assert_true(fill[find(next, "log(a)")] == log(4.5));
    dataset_free(next);
    dataset_free(data);
    options.missing_error = 1;
    assert_fails(ctx, encode_with(ctx, text, &options, &data), RUNG_EDATA, "missing values are not allowed");
}

static void test_refused(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *derive, *words;
    } bad[] = {
        {"", "it ends too early"},
        {"a:", "it ends too early"},
        {"log(", "it ends too early"},
        {"log(a", "a ')' is missing"},
        {"log(a))", "something follows"},
        {"a b", "something follows"},
        {"lag(a)", "there are the functions"},
        {"log()", "a column or a number is missing"},
        {"nothing:a", "no column 'nothing'"},
        {"a", "is a column as it stands"},
        {"sex", "is a column as it stands"},
        {"log(sex):a", "holds categories"},
        {"y:a", "cannot be both the label and"},
        {"a + b", "a sum of two columns"},
        {"log(a:b)", "a ')' is missing"},
        {"log(a*b)", "apply to one column"},
        {"a^.5", "powers are whole numbers"},
        {"a^0", "powers are whole numbers"},
        {"a^1000", "powers are whole numbers"},
        {"a^1e999", "a number is missing or too large"},
        {"a/0", "a division by 0"},
        {"2", "a number is no column"},
        {"log(2)", "a function of a number"},
        {"poly(a)", "poly takes a column and a number"},
        {"poly(a, 11)", "poly takes one column"},
        {"poly(a, 2", "a ')' is missing"},
        {"log(poly(a, 2))", "poly stands alone"},
        {"`a", "between backticks"},
        {"``:a", "between backticks"},
        {"a:a:a:a:a:a:a", "too many columns"},
        {"poly(a,10):poly(b,10):poly(a,10):poly(b,10):poly(a,10)", "too many columns"},
        {"exp(exp(exp(exp(exp(exp(exp(exp(exp(a)))))))))", "too many steps"},
        {"((((((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))))))", "too deep"},
        {"a\xff", "not valid UTF-8"},
        {"log(b)", "line 4: the derived column 'log(b)' is not a finite number"},
        {"exp(a*1e3)", "line 2: the derived column 'exp(a*1000)' is not a finite number"},
        {"a^99:a^99:a^99:a^99:a^99", "line 6"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rung_data *data = NULL;
        rung_encode_options options = {.derive = LIST(bad[i].derive)};
        rung_status status = encode_with(ctx, TABLE, &options, &data);
        assert_fails(ctx, status, status, bad[i].words);
        assert_true(status == RUNG_EARG || status == RUNG_EDATA);
        assert_null(data);
    }
    rung_data *data;
    rung_encode_options twice = {.derive = LIST("a:b", "b:a")};
    assert_fails(ctx, encode_with(ctx, TABLE, &twice, &data), RUNG_EARG, "'a:b' and 'b:a' are the same");
    rung_encode_options left = {.derive = LIST("id:a")};
    assert_fails(
        ctx, encode_with(ctx, "id,a,y\nq1,1,1\nq2,2,1\nq3,4,2\nq4,1,2\nq5,3,1\nq6,2,2\nq7,1,1\nq8,5,2\n", &left, &data),
        RUNG_EARG, "needs column 'id', which is not read as a feature");
}

/* A model codes a file as in training, saved and loaded, and explains by the columns of the file. */
static void test_model(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    rung_spec *spec;
    rung_model *model, *again;
    char *bytes;
    rung_importance *importance, *importance_again;
    rung_row *why;
    int64_t size;
    double first[12], second[12];
    rung_encode_options options = {.ignore = LIST("b"), .derive = LIST("a:sex", "poly(b, 2)", "log1p(a)/3", "b:ward")};
    data = data_of(ctx, TABLE, options);
    assert_ok(ctx, rung_spec_new(ctx, "krr", 0, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    assert_ok(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, &size));
    assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
    assert_int_equal(rung_model_columns(again), rung_model_columns(model));
    assert_int_equal(rung_model_inputs(again), 5);
    assert_string_equal(rung_model_column(again, rung_model_input(again, 1), NULL), "b");
    assert_true(rung_model_input(again, 1) >= rung_model_columns(again));
    assert_int_equal(rung_model_input(again, 2), 1);
    for (int64_t j = 0; j < rung_model_columns(model); j++) {
        assert_string_equal(rung_model_column(again, j, NULL), data->code.columns[j].name);
        assert_int_equal(rung_model_column_derived(again, j), j >= 4);
    }
    rung_table *t = table_of(ctx, TABLE);
    rung_data *coded;
    rung_view view = rung_data_view(data);
    assert_ok(ctx,
              rung_model_predict(ctx, model, &view, NULL, &(rung_output){.size = sizeof(rung_output), .score = first}));
    assert_ok(ctx, rung_model_encode(ctx, again, t, RUNG_LABELS_REQUIRED, &coded));
    view = rung_data_view(coded);
    assert_ok(
        ctx, rung_model_predict(ctx, again, &view, NULL, &(rung_output){.size = sizeof(rung_output), .score = second}));
    assert_memory_equal(first, second, 6 * sizeof *first);
    assert_ok(ctx, rung_importance_run(ctx, model, data, NULL, &importance));
    assert_ok(ctx, rung_importance_run(ctx, again, coded, NULL, &importance_again));
    assert_true(same_importance(importance, importance_again));
    permuted(importance, "b"); /* hidden, and all that is derived from it */
    const rung_permuted *each;
    for (int i = 0; (each = rung_importance_at(importance, i)); i++) assert_null(strstr(each->column[0], "center"));
    rung_importance_free(importance), rung_importance_free(importance_again);
    rung_row_options how = {.size = sizeof how, .row = 2};
    assert_ok(ctx, rung_row_explain(ctx, again, coded, &how, &why));
    const rung_contribution *one;
    for (int i = 0; (one = rung_row_at(why, i)); i++) assert_null(strstr(one->name, "center"));
    rung_row_free(why), rung_free(bytes);
    table_free(t);
    rung_data_free(data), rung_data_free(coded);
    rung_model_free(model), rung_model_free(again);
    rung_spec_free(spec);
}

static rung_status encode_once(void *user)
{
    rung_data *data;
    rung_encode_options options = {.derive = LIST("a:sex", "poly(b,2):ward", "log(a + 1)")};
    rung_table *t = ((void **)user)[1];
    rung_status status = dataset_encode(((void **)user)[0], t, &options, &data);
    if (status == RUNG_OK) {
        rung_data *next;
        status = dataset_recode(((void **)user)[0], t, &data->code, RUNG_LABELS_REQUIRED, &next);
        dataset_free(next);
    }
    dataset_free(data);
    return status;
}

static void test_memory(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, TABLE);
    assert_true(fail_each_allocation(encode_once, (void *[]){ctx, t}) > 20);
    table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_numbers), WITH_CONTEXT(test_categories), WITH_CONTEXT(test_missing),
        WITH_CONTEXT(test_refused), WITH_CONTEXT(test_model),      WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
