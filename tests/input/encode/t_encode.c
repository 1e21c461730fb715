// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"
#include "input/encode/rank_columns.h"

#include "data/dataset.h"

/* Reads and encodes a text; the table is gone afterwards, so the data must stand alone. */
static rung_status encode_text(rung_ctx *ctx, const char *text, const rung_encode_options *options, rung_data **out)
{
    rung_table *t = table_of(ctx, text);
    rung_status status = dataset_encode(ctx, t, options, out);
    table_free(t);
    return status;
}

static rung_data *data_of(rung_ctx *ctx, const char *text, rung_encode_options options)
{
    rung_data *data;
    assert_ok(ctx, encode_text(ctx, text, &options, &data));
    return data;
}

#define assert_refused(text, status, words, ...)                                                                       \
    do {                                                                                                               \
        rung_data *bad_;                                                                                               \
        assert_fails(ctx, encode_text(ctx, text, &(rung_encode_options){__VA_ARGS__}, &bad_), status, words);          \
        assert_null(bad_);                                                                                             \
    } while (0)

static void check_ranks(const rung_data *data, int64_t n, const int *y)
{
    assert_int_equal(data->n, n);
    for (int64_t i = 0; i < n; i++) assert_int_equal(data->y[i], y[i]);
}

static void check_classes(const rung_data *data, int n, const char *const *names)
{
    assert_int_equal(data->code.n_classes, n);
    for (int k = 0; k < n; k++) assert_string_equal(data->code.classes[k], names[k]);
}

static void test_numbers(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data =
        data_of(ctx, "a,b,y\n1,10,2.0\n2,20,10\n3,30,\n4,40,0.5\n5,50,nan\n6,60,10\n", (rung_encode_options){0});
    assert_int_equal(data->d, 2);
    double X[] = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60};
    assert_arrays_close(12, data->X, X, 0);
    check_ranks(data, 6, (int[]){2, 3, 0, 1, 0, 3});
    check_classes(data, 3, (const char *[]){"0.5", "2", "10"});
    assert_null(data->weight);
    assert_true(data->code.has_names);
    assert_string_equal(data->code.label, "y");
    assert_int_equal(data->code.label_position, 2);
    assert_int_equal(data->code.file_columns, 3);
    dataset_free(data);
}

static void test_label_column(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "u,Label,v,w\n1,3,5,2\n2,4,6,1\n";
    rung_data *data = data_of(ctx, text, (rung_encode_options){0});
    assert_string_equal(data->code.label, "Label");
    assert_int_equal(data->d, 3);
    check_ranks(data, 2, (int[]){1, 2});
    dataset_free(data);

    data = data_of(ctx, text, (rung_encode_options){.label = "4"});
    assert_string_equal(data->code.label, "w");
    check_ranks(data, 2, (int[]){2, 1});
    dataset_free(data);

    data = data_of(ctx, text, (rung_encode_options){.unlabelled = 1});
    assert_int_equal(data->d, 4);
    assert_int_equal(data->code.label_position, -1);
    check_classes(data, 0, NULL);
    check_ranks(data, 2, (int[]){0, 0});
    dataset_free(data);

    /* The last column with no other role. */
    data = data_of(ctx, "a,b,w,id\n1,7,0.5,x\n2,8,0,y\n", (rung_encode_options){.ignore = LIST("id"), .weights = "w"});
    assert_string_equal(data->code.label, "b");
    assert_int_equal(data->d, 1);
    assert_arrays_close(2, data->weight, ((double[]){0.5, 0}), 0);
    dataset_free(data);

    data = data_of(ctx, "1,2,3\n4,5,6\n", (rung_encode_options){0});
    assert_false(data->code.has_names);
    assert_int_equal(data->code.label_position, 2);
    assert_string_equal(data->code.label, "");
    dataset_free(data);

    assert_refused(text, RUNG_EARG, "no column 'lab' (label)", .label = "lab");
    assert_refused(text, RUNG_EARG, "no column 'q' (ignore)", .ignore = LIST("u", "q"));
    assert_refused(text, RUNG_EARG, "cannot be both ignored and the label", .label = "u", .ignore = LIST("v", "1"));
    assert_refused(text, RUNG_EARG, "cannot be both the weights and the label", .label = "u", .weights = "u");
    assert_refused(text, RUNG_EARG, "said to have none", .label = "u", .unlabelled = 1);
    assert_refused(text, RUNG_EDATA, "no feature column remains", .ignore = LIST("u", "v", "4"));
}

static void test_text_labels(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "x,grade\n1,high\n2,low\n3,mid\n4,NA\n5,low\n6,NaN\n7,\n";
    assert_refused(text, RUNG_EDATA,
                   "column 'grade': the labels are text (high, low, mid); give their order, lowest first", 0);
    assert_string_equal(rung_ctx_detail(ctx), "option order=low<mid<high");
    rung_data *data = data_of(ctx, text, (rung_encode_options){.order = " low<mid < high<top "});
    check_classes(data, 4, (const char *[]){"low", "mid", "high", "top"});
    check_ranks(data, 7, (int[]){3, 1, 2, 0, 1, 0, 0});
    dataset_free(data);
    assert_refused(text, RUNG_EDATA, ", line 4, column 'grade': label 'mid' is not one of the classes low<high",
                   .order = "low<high");
    assert_refused(text, RUNG_EARG, "names class 'low' twice", .order = "low<mid<low");
    assert_refused(text, RUNG_EARG, "has no name for class 2", .order = "low< <high");
    assert_refused(text, RUNG_EARG, "has no name for class 1", .order = "");
    assert_refused(text, RUNG_EARG, "means unlabelled", .order = "low<na");
}

static void test_numeric_order(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "x,y\n1,1.0\n2,3\n3,\n4,2\n";
    rung_data *data = data_of(ctx, text, (rung_encode_options){.order = "3<2.0<1<0"}); /* downwards, one class absent */
    check_classes(data, 4, (const char *[]){"3", "2.0", "1", "0"});
    check_ranks(data, 4, (int[]){3, 1, 0, 2});
    dataset_free(data);
    assert_refused(text, RUNG_EDATA, ", line 3, column 'y': label '3' is not one of the classes 1<2", .order = "1<2");
    assert_refused(text, RUNG_EARG, "'1' and '1.0', which are the same number", .order = "1<2<1.0<3");
    assert_refused("x,y\n1,1\n2,inf\n", RUNG_EDATA, ", line 3, column 'y': an infinite number is not a label", 0);
    assert_refused("x,y\n1,1\n2,inf\n", RUNG_EDATA, ", line 3, column 'y': an infinite number is not a label",
                   .order = "1<inf");

    char many[2048] = "x,y\n";
    for (int i = 0; i < 50; i++) sprintf(many + strlen(many), "1,%d\n", i);
    data = data_of(ctx, many, (rung_encode_options){0});
    assert_int_equal(data->code.n_classes, 50);
    dataset_free(data);
    strcat(many, "1,0.5\n");
    assert_refused(many, RUNG_EDATA, "51 distinct numbers", 0);
    assert_refused(many, RUNG_EDATA, "predict real numbers", 0);
    assert_string_equal(rung_ctx_detail(ctx), "option real\noption bins");
    assert_refused(many, RUNG_EDATA, "cut them into classes", 0);
}

static void test_categories(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data =
        data_of(ctx, "colour,x,shape,y\nred,1,a,1\nblue,2,b,2\n?,3,a,1\nred,4,a,2\n", (rung_encode_options){0});
    assert_int_equal(data->d, 6); /* "", blue, red | x | a, b */
    double X[] = {0, 0, 1, 1, 1, 0, /**/ 0, 1, 0, 2, 0, 1, /**/ 1, 0, 0, 3, 1, 0, /**/ 0, 0, 1, 4, 1, 0};
    assert_arrays_close(24, data->X, X, 0);
    const column_code *c = data->code.columns;
    assert_int_equal(c[0].n_categories, 3);
    assert_string_equal(c[0].categories[0], "");
    assert_string_equal(c[0].categories[1], "blue");
    assert_int_equal(c[1].first, 3);
    assert_int_equal(c[2].first, 4);
    char name[64];
    static const char *const names[] = {"colour=", "colour=blue", "colour=red", "x", "shape=a", "shape=b"};
    for (int j = 0; j < 6; j++) {
        coding_feature_name(&data->code, j, name, sizeof name);
        assert_string_equal(name, names[j]);
    }
    dataset_free(data);

    data = data_of(ctx, "1,a,2\n2,b,1\n3,a,1\n", (rung_encode_options){0});
    coding_feature_name(&data->code, 0, name, sizeof name);
    assert_string_equal(name, "x1");
    coding_feature_name(&data->code, 2, name, sizeof name);
    assert_string_equal(name, "x2=b");
    dataset_free(data);
}

static char logged[2000];
static void keep_log(void *user, rung_log_level level, const char *text)
{
    (void)user, (void)level;
    strncat(logged, text, sizeof logged - strlen(logged) - 1);
}

/* Where other columns have decimal commas, points may part thousands: 900 and 10.679 are not read as 900 and 10.7. */
static void test_points_beside_commas(void **state)
{
    rung_ctx *ctx = *state;
    const char *text = "a;cost;y\n1,5;900;1\n2,5;10.679;2\n3,25;1.200;1\n4,5;;2\n";
    assert_refused(text, RUNG_EDATA, "column 'cost' holds numbers such as '10.679', whose points may part thousands",
                   0);
    rung_data *data = data_of(ctx, text, (rung_encode_options){.numeric = LIST("cost")});
    assert_close(data->X[3], 10.679, 0);
    dataset_free(data);
    data = data_of(ctx, "a;share;y\n1,5;0.9;1\n2,5;0.6791;2\n", (rung_encode_options){0}); /* four digits: decimals */
    assert_close(data->X[3], 0.6791, 0);
    dataset_free(data);
    data = data_of(ctx, "a;share;y\n1;0.9;1\n2;0.679;2\n", (rung_encode_options){0}); /* no commas elsewhere */
    assert_close(data->X[3], 0.679, 0);
    dataset_free(data);
}

/* Columns are what their cells are, in files of any size, or what the caller says; the log says what was done. */
static void test_kinds(void **state)
{
    rung_ctx *ctx = *state;
    char text[6000] = "id,name,day,share,price,size,code,y\n";
    for (int i = 0; i < 12; i++)
        sprintf(text + strlen(text), "%d,n%d,2024-01-%02d,\"0,%d\",\"%d,%d00\",%s,%d,%d\n", i + 1, i, 1 + i % 5, 10 + i,
                1 + i, 1 + i % 9, i % 2 ? "small" : "large", i % 3, 1 + i % 2);
    assert_refused(text, RUNG_EDATA, "column 'price' holds numbers such as '1,100', which may have a decimal comma", 0);
    ctx->log = keep_log;
    *logged = 0;
    rung_data *data = data_of(ctx, text, (rung_encode_options){.numeric = LIST("price")});
    ctx->log = NULL;
    static const char *const said[] = {
        "column 'id' only counts the rows and is left out",
        "column 'name' has 12 distinct texts in 12 rows and is left out",
        "column 'day' holds dates such as '2024-01-01'; they are read as days",
        "column 'share' holds numbers with a decimal comma such as '0,10'; they are read as numbers",
        "column 'code' holds 3 distinct whole numbers in 12 rows and, by its name, codes; they are taken as "
        "categories"};
    for (size_t k = 0; k < sizeof said / sizeof *said; k++) assert_non_null(strstr(logged, said[k]));
    assert_int_equal(data->d, 8); /* day, share, price, size twice, code three times */
    double first[] = {19723, 0.1, 1100, 1, 0, 1, 0, 0};
    assert_arrays_close(8, data->X, first, 0);
    dataset_free(data);

    data = data_of(ctx, text,
                   (rung_encode_options){.numeric = LIST("price", "id"),
                                         .nominal = LIST("name", "code = 1"),
                                         .dates = LIST("day=cyclic"),
                                         .ordinal = (const char *const[]){"size=small<medium<large", NULL}});
    assert_int_equal(data->d, 1 + 12 + 5 + 1 + 1 + 1 + 3);
    assert_close(data->X[0], 1, 0);              /* id */
    assert_close(data->X[1 + 12 + 5 + 2], 3, 0); /* large */
    assert_int_equal(data->code.columns[1].reference, 0);
    const column_code *codes = &data->code.columns[data->code.n_columns - 1];
    assert_string_equal(codes->categories[codes->reference], "1");
    coding copy;
    assert_ok(ctx, coding_copy(ctx, &ctx->scratch, &data->code, &copy));
    rung_table *one = table_of(ctx, "id,name,day,share,price,size,code\n7,n3,2024-01-02,0.5,\"2,000\",medium,1\n");
    rung_data *new;
    assert_ok(ctx, dataset_recode(ctx, one, &copy, RUNG_LABELS_IGNORED, &new));
    assert_close(new->X[1 + 12], 19724, 0);
    assert_close(new->X[1 + 12 + 5 + 1], 2000, 0);
    assert_close(new->X[1 + 12 + 5 + 2], 2, 0);
    table_free(one);
    dataset_free(new);
    one = table_of(ctx, "id,name,day,share,price,size,code\n7,n3,2024-01-02,0.5,\"2,000\",huge,1\n");
    assert_fails(ctx, dataset_recode(ctx, one, &copy, RUNG_LABELS_IGNORED, &new), RUNG_EDATA,
                 "line 2, column 'size': 'huge' is not one of the ordered words");
    table_free(one);
    dataset_free(data);
    assert_refused(text, RUNG_EARG, "column 'price' is said to be of two kinds", .numeric = LIST("price"),
                   .nominal = LIST("price"));
    assert_refused(text, RUNG_EARG, "column 'size' has no category 'huge' to compare the others with",
                   .nominal = LIST("size=huge"), .numeric = LIST("price"));
    assert_refused(text, RUNG_EARG, "expected COLUMN=low<mid<high", .ordinal = (const char *const[]){"size", NULL});
    assert_refused(text, RUNG_EARG, "'a' stands twice", .ordinal = (const char *const[]){"size=a<b<a", NULL});
    assert_refused(text, RUNG_EARG, "'soon' is not one of days", .dates = LIST("day=soon"), .numeric = LIST("price"));
    assert_refused(text, RUNG_EDATA, "column 'size' does not hold dates", .dates = LIST("size"),
                   .numeric = LIST("price"));
    assert_refused(text, RUNG_EDATA, "line 2, column 'size': 'large' is no number", .numeric = LIST("size", "price"));
    assert_refused("a,b,y\n1,01/02/2024,1\n2,03/04/2024,2\n", RUNG_EDATA, "can be read in two ways", 0);
    data = data_of(ctx, "a,b,y\n1,01/02/2024,1\n2,03/04/2024,2\n", (rung_encode_options){.dates = LIST("b=mdy")});
    assert_close(data->X[1], 19724, 0);
    dataset_free(data);
}

/* A file of n rows, x, v and a label, where v is one of the formats in turn with a number for its @; what is logged is
 * in `logged`. */
static rung_data *column_of(rung_ctx *ctx, int n, const char *const *formats, int n_formats, const char *name,
                            rung_encode_options options)
{
    char text[6000];
    sprintf(text, "x,%s,y\n", name);
    for (int i = 0; i < n; i++) {
        const char *cell = formats[i % n_formats], *at = strchr(cell, '@');
        sprintf(text + strlen(text), "%d,\"%.*s", i * i % 17, (int)(at ? at - cell : 80), cell);
        if (at) sprintf(text + strlen(text), "%d%s", 10 + i % 20, at + 1);
        sprintf(text + strlen(text), "\",%d\n", 1 + i % 2);
    }
    ctx->log = keep_log;
    *logged = 0;
    rung_data *data = data_of(ctx, text, options);
    ctx->log = NULL;
    return data;
}

/* Numbers as people write them, codes that only look like numbers, and words for what is missing. */
static void test_written_cells(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *name, *formats[3];
        int d;        /* coded columns with x */
        double first; /* the first cell, coded */
        const char *log;
    } cases[] = {
        {"zip", {"0@4", "1@4"}, 1, NAN, "column 'zip' has 20 distinct codes such as '0104' in 20 rows and is left out"},
        {"icd", {"007", "012"}, 3, 1, "column 'icd' holds codes such as '007', which are taken as categories"},
        {"p", {"@%"}, 2, 10, "column 'p' holds numbers written as '10%'; they are read as numbers in '%'"},
        {"p", {"@,5 %"}, 2, 10.5, "they are read as numbers in '%'"},
        {"w", {"@ kg"}, 2, 10, "they are read as numbers in 'kg'"},
        {"w", {"$@,200"}, 2, 10200, "they are read as numbers in '$'"},
        {"w", {"-$@.25", "$@"}, 2, -10.25, "they are read as numbers in '$'"},
        {"w", {"(@)", "@"}, 2, -10, "holds numbers written as '(10)'"},
        {"w", {"\u2212@", "@"}, 2, -10, "they are read as numbers"},
        {"w", {"<@", "@.25"}, 2, 10, "column 'w' holds limits such as '<10', which are read as their number"},
        {"t", {"@:30"}, 2, 10.5, "column 't' holds times such as '10:30'; they are read as hours (10.5)"},
        {"t", {"@ Jan 2024"}, 2, 19732, "holds dates such as '10 Jan 2024' (2024-01-10); they are read as days"},
        {"t", {"202401@"}, 2, 19732, "column 't' holds dates such as '20240110' (2024-01-10)"},
        {"t", {"2024-01-@T12:00:00+06:00"}, 2, 19732.25, "they are read as days"},
        {"v", {"@.5", "@", "#DIV/0!"}, 2, 10.5, "6 cells of column 'v' such as '#DIV/0!' are read as missing"},
        {"v", {"@.5", "-"}, 2, 10.5, "10 cells of column 'v' such as '-' are read as missing"},
        {"v", {"2024-01-@", "n/a"}, 2, 19732, "10 cells of column 'v' such as 'n/a' are read as missing"},
        {"v", {"@.5", "@", "-999"}, 2, 10.5, "column 'v' holds -999 in 6 rows, far from all its other numbers"},
        {"bp", {"1@/80"}, 1, NAN, "column 'bp' holds pairs of numbers such as '110/80' and is left out"},
        {"v", {"@.5", "@", "odd @"}, 1, NAN, "holds 14 numbers and 6 other cells such as 'odd 12' in line 4"},
        {"v", {"yes", "Yes"}, 3, 0, "categories 'Yes' and 'yes', which differ only in upper and lower case"},
        {"card", {"1234567890123456@"}, 1, NAN, "column 'card' has 20 distinct codes"},
        {"patientId", {"7@3"}, 1, NAN, "column 'patientId' has 20 distinct whole numbers in 20 rows and, by its name"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int n = 0;
        while (n < 3 && cases[k].formats[n]) n++;
        rung_data *data = column_of(ctx, 20, cases[k].formats, n, cases[k].name, (rung_encode_options){0});
        if (!strstr(logged, cases[k].log)) fail_msg("case %zu: %s", k, logged);
        assert_int_equal(data->d, cases[k].d);
        if (data->d > 1) assert_close(data->X[1], cases[k].first, 0);
        dataset_free(data);
    }
    rung_data *data =
        column_of(ctx, 20, (const char *const[]){"0@4"}, 1, "zip", (rung_encode_options){.numeric = LIST("zip")});
    assert_true(data->d == 2 && data->X[1] == 104);
    dataset_free(data);
    data = column_of(ctx, 20, (const char *const[]){"0@4"}, 1, "zip", (rung_encode_options){.nominal = LIST("zip")});
    assert_string_equal(data->code.columns[1].categories[0], "0104");
    dataset_free(data);
    data = column_of(ctx, 20, (const char *const[]){"@ kg"}, 1, "w", (rung_encode_options){0});
    coding copy;
    assert_ok(ctx, coding_copy(ctx, &ctx->scratch, &data->code, &copy));
    dataset_free(data);
    static const char *const wrong[] = {"x,w\n1,5 g\n", "x,w\n1,5\n"}; /* a number of another unit is no such number */
    for (int k = 0; k < 2; k++) {
        rung_table *t = table_of(ctx, wrong[k]);
        assert_fails(ctx, dataset_recode(ctx, t, &copy, RUNG_LABELS_IGNORED, &data), RUNG_EDATA,
                     "is not a number in 'kg'");
        table_free(t);
    }
    data =
        data_of(ctx, "a;b;y\n1,748;2,5;1\n2,111;3,5;2\n3,222;4;1\n", (rung_encode_options){0}); /* of a spreadsheet */
    assert_close(data->X[0], 1.748, 0);
    dataset_free(data);
    assert_refused("a;b;y\n1,748;2,111.5;1\n2,111;3,500.5;2\n3,222;4;1\n", RUNG_EDATA, "which may have a decimal comma",
                   0);
    data = data_of(ctx, "sep=;\na;y\n1;1\n2;2\n", (rung_encode_options){0});
    assert_true(data->n == 2 && data->d == 1);
    dataset_free(data);
    data = data_of(ctx, "a,y,,\n1,1,,\n2,2,,\n", (rung_encode_options){0}); /* columns that a spreadsheet left behind */
    assert_int_equal(data->d, 1);
    check_ranks(data, 2, (int[]){1, 2});
    dataset_free(data);
}

/* Labels that are codes are numbers; words for a missing label make a row unlabelled, unless they are classes. */
static void test_written_labels(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = data_of(ctx, "a,y\n1,01\n2,02\n3,10\n4,N/A\n5,-\n", (rung_encode_options){0});
    check_classes(data, 3, (const char *const[]){"1", "2", "10"});
    check_ranks(data, 5, (int[]){1, 2, 3, 0, 0});
    dataset_free(data);
    data = data_of(ctx, "a,y\n1,low\n2,high\n3,#N/A\n", (rung_encode_options){.order = "low<high"});
    check_ranks(data, 3, (int[]){1, 2, 0});
    dataset_free(data);
    data = data_of(ctx, "a,y\n1,N/A\n2,high\n3,-\n", (rung_encode_options){.order = "-<N/A<high"});
    check_ranks(data, 3, (int[]){2, 3, 1});
    dataset_free(data);
    assert_refused("a,y\n1,low\n2,high\n3,-\n", RUNG_EDATA, "label '-' is not one of the classes", .order = "low<high");
    assert_refused("a,y\n1,TRUE\n2,FALSE\n", RUNG_EDATA, "give their order, lowest first", 0);
    assert_non_null(strstr(rung_ctx_detail(ctx), "order=FALSE<TRUE"));
    data = data_of(ctx, "a,y\n1,1.5\n2,-\n", (rung_encode_options){.real = 1});
    assert_true(isnan(data->target[1]));
    dataset_free(data);
}

/* Numbers with a word between them are a mistake, unless they are few. */
static void test_odd_words(void **state)
{
    rung_ctx *ctx = *state;
    char text[2000] = "x,z,y\n";
    for (int i = 0; i < 30; i++)
        sprintf(text + strlen(text), "%s%d.5,%d,%d\n", i == 7 ? "unknown" : "", i, i * i, 1 + i % 2);
    assert_refused(text, RUNG_EDATA, "line 9, column 'x': 'unknown7.5' is no number, but 29 of the 30 cells", 0);
}

static void test_missing(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "a,b,c,y\n5,1,,1\n1,NA,,2\n?,4,,1\n3,2,,2\n7,,,1\n";
    rung_data *data = data_of(ctx, text, (rung_encode_options){0});
    assert_true(data->code.columns[0].fill == 4); /* 1 3 5 7 */
    assert_true(data->code.columns[1].fill == 2); /* 1 2 4 */
    assert_true(data->code.columns[2].fill == 0); /* nothing */
    const double X[] = {5, 1, NAN, 1, NAN, NAN, NAN, 4, NAN, 3, 2, NAN, 7, NAN, NAN};
    for (int i = 0; i < 15; i++) assert_true(isnan(X[i]) ? isnan(data->X[i]) : data->X[i] == X[i]);
    double *fill = NULL;
    assert_ok(ctx, coding_fill(ctx, &ctx->scratch, &data->code, &fill));
    assert_arrays_close(3, fill, ((double[]){4, 2, 0}), 0);
    dataset_free(data);
    assert_refused(text, RUNG_EDATA, ", line 4, column 'a': the value is missing", .missing_error = 1);
    assert_refused("a,y\nx,1\n,2\n", RUNG_EDATA, ", line 3, column 'a': the value is missing", .missing_error = 1);
    assert_refused("a,y\n1,1\nnan,2\n", RUNG_EDATA,
                   ", line 3, column 'a': 'nan' is not a finite number; leave the cell empty for a missing value", 0);
    assert_refused("a,y\n1,1\nnan,2\n", RUNG_EDATA, "'nan' is not a finite number", .missing_error = 1);
    assert_refused("a,y\n1,1\n1e999,2\n", RUNG_EDATA, "'1e999' is not a finite number", 0);
    data = data_of(ctx, "a,b,y\n1,inf,1\n2,nan,nan\n", (rung_encode_options){.ignore = LIST("b")});
    check_ranks(data, 2, (int[]){1, 0});
    dataset_free(data);
}

static void test_median_of_many(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 1001 };
    double v[N];
    for (int i = 0; i < N; i++) v[i] = (double)(i * 389 % N); /* 0..1000 shuffled */
    rung_view X = {v, N, 1, 1, 1};
    rung_data *data;
    assert_ok(ctx, dataset_new(ctx, &X, NULL, NULL, 0, &data));
    assert_true(data->code.columns[0].fill == 500);
    dataset_free(data);
    for (int i = 0; i < N - 1; i++) v[i] = i % 5 ? 1 : 8; /* many equal ones, an even count */
    X.n = N - 1;
    assert_ok(ctx, dataset_new(ctx, &X, NULL, NULL, 0, &data));
    assert_true(data->code.columns[0].fill == 1);
    dataset_free(data);
    v[0] = 1e308, v[1] = 1.5e308, X.n = 2;
    assert_ok(ctx, dataset_new(ctx, &X, NULL, NULL, 0, &data));
    assert_close(data->code.columns[0].fill, 1.25e308, 1e-15);
    dataset_free(data);
}

static void test_weights(void **state)
{
    rung_ctx *ctx = *state;
    assert_refused("a,w,y\n1,1,1\n1,-1,1\n", RUNG_EDATA, ", line 3, column 'w': a weight must be", .weights = "w");
    assert_refused("a,w,y\n1,,1\n1,1,1\n", RUNG_EDATA, ", line 2, column 'w': a weight must be", .weights = "w");
    assert_refused("a,w,y\n1,2,1\n1,inf,1\n", RUNG_EDATA, ", line 3, column 'w': a weight must be", .weights = "w");
    assert_refused("a,w,y\n1,t,1\n1,1,1\n", RUNG_EDATA, ", line 2, column 'w': a weight must be", .weights = "2");
    assert_refused("a,w,y\n1,1,1\n1,t,1\n", RUNG_EDATA, ", line 3, column 'w': a weight must be", .weights = "2");
}

/* Equal cells are one group; a row without a value is one of its own. */
static void test_groups(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const columns[] = {"number", "text"};
    for (int c = 0; c < 2; c++) {
        rung_data *data = data_of(ctx, "number,text,x,y\n7,b,1,1\n,,2,2\n-1.5,a,3,1\n7,b,4,2\n,?,5,1\n-1.50,a,6,2\n",
                                  (rung_encode_options){.groups = columns[c], .ignore = LIST(columns[1 - c])}),
                  *part;
        assert_int_equal(data->d, 1);
        static const int same[6] = {0, 1, 2, 0, 4, 2}; /* the first row of its group */
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) assert_int_equal(data->group[i] == data->group[j], same[i] == same[j]);
        assert_ok(ctx, dataset_subset(ctx, data, 2, (int64_t[]){5, 2}, &part));
        assert_int_equal(part->group[0], data->group[2]);
        assert_int_equal(part->group[1], data->group[2]);
        dataset_free(part);
        dataset_free(data);
    }
}

static void test_ignore(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "a,b,y\n1,2,1\n3,4,2\n";
    rung_data *data = data_of(ctx, text, (rung_encode_options){.ignore = (const char *const[]){NULL}});
    assert_int_equal(data->d, 2);
    dataset_free(data);
    data = data_of(ctx, text, (rung_encode_options){.ignore = LIST("b")});
    assert_int_equal(data->d, 1);
    dataset_free(data);
    assert_refused(text, RUNG_EARG, "no column '' (ignore)", .ignore = LIST("b", ""));
    assert_refused("a,b\n1,2\n", RUNG_EDATA, "no feature column remains besides the label", .ignore = LIST("a", "b"));
}

/* Lists of names in messages end where there is no more room. */
static void test_long_lists(void **state)
{
    rung_ctx *ctx = *state;
    char text[2000] = "x,y\n", *p = text + strlen(text);
    for (int i = 0; i < 40; i++) p += sprintf(p, "%d,grade-number-%d\n", i, i);
    p += sprintf(p, "1,!\n"); /* short, but what is left out stays out */
    assert_refused(text, RUNG_EDATA, "the labels are text (grade-number-0, grade-number-1, ", 0);
    assert_non_null(strstr(ctx->message, ", ...); give their order"));
    assert_string_equal(rung_ctx_detail(ctx), "option order");
    assert_null(strchr(ctx->message, '!'));
    p = text + sprintf(text, "x,y\n1,");
    memset(p, 'w', 600);
    strcpy(p + 600, "\n2,!\n");
    assert_refused(text, RUNG_EDATA, "the labels are text (...); give their order, lowest first", 0);
    assert_string_equal(rung_ctx_detail(ctx), "option order");

    p = text;
    for (int i = 1; i <= 12; i++) p += sprintf(p, "name%02d%c", i, i < 12 ? ',' : '\n');
    for (int i = 1; i <= 12; i++) p += sprintf(p, "%d%c", i, i < 12 ? ',' : '\n');
    assert_refused(text, RUNG_EARG, "there are 'name01', 'name02', ", .label = "other");
    assert_non_null(strstr(ctx->message, "'name10', ..."));
}

/* ---- recode ---------------------------------------------------------------------------------------------------- */

static rung_status recode_text(rung_ctx *ctx, const coding *code, const char *text, int labels, rung_data **out)
{
    rung_table *t = table_of(ctx, text);
    rung_status status = dataset_recode(ctx, t, code, labels, out);
    table_free(t);
    return status;
}

typedef struct {
    int count;
    rung_log_level level;
    char text[512];
} log_record;

static void record_log(void *user, rung_log_level level, const char *text)
{
    log_record *record = user;
    record->count++;
    record->level = level;
    snprintf(record->text, sizeof record->text, "%s", text);
}

static void test_recode_by_name(void **state)
{
    rung_ctx *ctx = *state;
    log_record record = {0};
    ctx->log = record_log;
    ctx->log_user = &record;
    rung_data *train = data_of(ctx, "age,colour,id,grade\n1,red,7,1\n3,blue,8,2\n,red,9,1\n",
                               (rung_encode_options){.ignore = LIST("id")}),
              *data;
    const coding *code = &train->code;

    /* Another order, an extra column, a missing value, a category never seen, "2.0" for class 2. */
    static const char text[] = "extra,grade,colour,age\nq,2.0,red,5\nr,,green,\ns,1,blue,2\nt,2,?,2\n";
    assert_ok(ctx, recode_text(ctx, code, text, 1, &data));
    double X[] = {5, 0, 1, NAN, 0, 0, 2, 1, 0, 2, 0, 0};
    assert_int_equal(data->d, 3);
    assert_true(isnan(data->X[3]));
    X[3] = data->X[3] = 0;
    assert_arrays_close(12, data->X, X, 0);
    check_ranks(data, 4, (int[]){2, 0, 1, 2});
    check_classes(data, 2, (const char *[]){"1", "2"});
    assert_int_equal(record.count, 1);
    assert_int_equal(record.level, RUNG_LOG_WARNING);
    assert_non_null(strstr(record.text,
                           ": 2 cells hold a category not seen in training and are coded as zeros; the first "
                           "is 'green' in line 3, column 'colour'"));
    dataset_free(data);

    assert_ok(ctx, recode_text(ctx, code, text, 0, &data));
    check_ranks(data, 4, (int[]){0, 0, 0, 0});
    dataset_free(data);

    assert_ok(ctx, recode_text(ctx, code, "colour,age\nred,1\n", 1, &data)); /* no label column */
    check_ranks(data, 1, (int[]){0});
    dataset_free(data);

    assert_fails(ctx, recode_text(ctx, code, "colour,age\nred,1\n", 2, &data), RUNG_EDATA, "no label column 'grade'");
    assert_null(data);
    assert_fails(ctx, recode_text(ctx, code, "colour,agee\nred,1\n", 0, &data), RUNG_EDATA,
                 "no column 'age', which the model needs; did you mean 'agee'?");
    assert_fails(ctx, recode_text(ctx, code, "colour,age\nred,1\nred,old\n", 0, &data), RUNG_EDATA,
                 ", line 3, column 'age': 'old' is not a number");
    assert_fails(ctx, recode_text(ctx, code, "colour,age\nred,1\nred,inf\n", 0, &data), RUNG_EDATA,
                 ", line 3, column 'age': 'inf' is not a finite number");
    assert_fails(ctx, recode_text(ctx, code, "colour,age,grade\nred,1,2\nred,1,3\n", 1, &data), RUNG_EDATA,
                 ", line 3, column 'grade': label '3' is not one of the classes 1<2");
    assert_fails(ctx, recode_text(ctx, code, "colour,age,grade\nred,1,2\nred,1,top\n", 2, &data), RUNG_EDATA,
                 ", line 3, column 'grade': label 'top' is not one of the classes 1<2");
    assert_ok(ctx, recode_text(ctx, code, "colour,age,grade\nred,1,2\nred,1,top\n", 0, &data));
    dataset_free(data);
    dataset_free(train);
}

/* Text columns in training whose cells in another file all look like numbers. */
static void test_recode_number_as_category(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *train = data_of(ctx, "k,y\n1,1\n2.50,2\nx,1\n", (rung_encode_options){0}), *data;
    assert_ok(ctx, recode_text(ctx, &train->code, "k,y\n2.5,1\n1,2\n9,1\n", 1, &data));
    double X[] = {0, 1, 0, 1, 0, 0, 0, 0, 0};
    assert_arrays_close(9, data->X, X, 0);
    dataset_free(data);
    dataset_free(train);

    /* An empty cell is a category where training had one, else unseen, as the only number may be. */
    log_record record = {0};
    ctx->log = record_log;
    ctx->log_user = &record;
    train = data_of(ctx, "k,y\n1,1\n,2\nx,1\n", (rung_encode_options){0});
    assert_ok(ctx, recode_text(ctx, &train->code, "k,y\n1,1\n,2\n", 1, &data));
    assert_arrays_close(6, data->X, ((double[]){0, 1, 0, 1, 0, 0}), 0);
    assert_int_equal(record.count, 0);
    dataset_free(data);
    dataset_free(train);
    static const char *const files[] = {"k,y\n1,1\n,2\n", "k,y\nx,1\n,2\n", "k,y\n1,1\n9,2\n"};
    train = data_of(ctx, "k,y\n1,1\nx,2\n", (rung_encode_options){0});
    for (int i = 0; i < 3; i++) {
        char words[128];
        snprintf(words, sizeof words,
                 "1 cell holds a category not seen in training and is coded as zeros; the first is '%s' in line 3, "
                 "column 'k'",
                 i < 2 ? "" : "9");
        assert_ok(ctx, recode_text(ctx, &train->code, files[i], 1, &data));
        assert_int_equal(record.count, i + 1);
        assert_non_null(strstr(record.text, words));
        assert_arrays_close(2, data->X + 2, ((double[]){0, 0}), 0);
        dataset_free(data);
    }
    dataset_free(train);
}

static void test_recode_by_position(void **state)
{
    rung_ctx *ctx = *state;
    /* Columns: ignored, feature, label, feature. */
    rung_data *data,
        *train = data_of(ctx, "9,1,1,10\n9,2,2,20\n", (rung_encode_options){.label = "3", .ignore = LIST("1")});
    const coding *code = &train->code;
    double X[] = {3, 30};
    assert_ok(ctx, recode_text(ctx, code, "8,3,2,30\n", 2, &data)); /* as the training file */
    assert_arrays_close(2, data->X, X, 0);
    check_ranks(data, 1, (int[]){2});
    dataset_free(data);
    for (int labels = 0; labels <= 2; labels++) /* features and label, or all but the label */
        assert_fails(
            ctx, recode_text(ctx, code, "3,2,30\n", labels, &data), RUNG_EDATA,
            "3 columns without names may be those of the training file without its label, or without the column "
            "that is no feature; give all 4 columns of the training file, or only its 2 feature columns");
    assert_ok(ctx, recode_text(ctx, code, "a,b\n3,30\n", 1, &data)); /* features, and names the model does not have */
    assert_arrays_close(2, data->X, X, 0);
    dataset_free(data);
    assert_fails(ctx, recode_text(ctx, code, "3,30\n", 2, &data), RUNG_EDATA, "no label column");
    assert_fails(ctx, recode_text(ctx, code, "3\n", 0, &data), RUNG_EDATA,
                 ": 1 column, but the model was trained on 2 feature columns and a label");
    assert_fails(ctx, recode_text(ctx, code, "1,2,3,4,5\n", 0, &data), RUNG_EDATA, "all 4 of the training file");
    dataset_free(train);

    /* Columns: ignored, feature, label, ignored, feature. */
    train = data_of(ctx, "9,1,1,7,10\n9,2,2,7,20\n", (rung_encode_options){.label = "3", .ignore = LIST("1", "4")});
    assert_ok(ctx, recode_text(ctx, &train->code, "3,2,30\n", 2, &data)); /* features and label */
    assert_arrays_close(2, data->X, X, 0);
    check_ranks(data, 1, (int[]){2});
    dataset_free(data);
    assert_ok(ctx, recode_text(ctx, &train->code, "9,3,7,30\n", 1, &data)); /* all but the label */
    assert_arrays_close(2, data->X, X, 0);
    check_ranks(data, 1, (int[]){0});
    dataset_free(data);
    dataset_free(train);

    train = data_of(ctx, "1,2\n3,4\n", (rung_encode_options){.unlabelled = 1});
    assert_fails(ctx, recode_text(ctx, &train->code, "1,2\n", 2, &data), RUNG_EDATA, "trained without labels");
    assert_fails(ctx, recode_text(ctx, &train->code, "1,2,3\n", 0, &data), RUNG_EDATA,
                 ": 3 columns, but the model was trained on 2 feature columns; unless both files have column names, it "
                 "must have these columns or all 2 of the training file");
    assert_fails(ctx, recode_text(ctx, &train->code, "1,2,3,4\n", 0, &data), RUNG_EDATA, ": 4 columns, but the model");
    dataset_free(train);
    train = data_of(ctx, "a,b\n1,2\n3,4\n", (rung_encode_options){.unlabelled = 1});
    assert_ok(ctx, recode_text(ctx, &train->code, "b,label,a\n1,7,2\n", 1, &data));
    assert_arrays_close(2, data->X, ((double[]){2, 1}), 0);
    check_ranks(data, 1, (int[]){0});
    dataset_free(data);
    dataset_free(train);
}

static void test_from_memory(void **state)
{
    rung_ctx *ctx = *state;
    double by_columns[] = {1, 2, 3, 10, 20, 30}, weight[] = {1, 0, 2.5};
    int rank[] = {2, 0, 1};
    rung_view X = {by_columns, 3, 2, 1, 3};
    rung_data *data, *again;
    assert_ok(ctx, dataset_new(ctx, &X, rank, weight, 3, &data));
    assert_arrays_close(6, data->X, ((double[]){1, 10, 2, 20, 3, 30}), 0);
    assert_arrays_close(3, data->weight, weight, 0);
    check_ranks(data, 3, rank);
    check_classes(data, 3, (const char *[]){"1", "2", "3"});
    assert_ok(ctx, recode_text(ctx, &data->code, "5,?,3\n", 2, &again)); /* its label is behind the features */
    assert_true(again->X[0] == 5 && isnan(again->X[1]));
    check_ranks(again, 1, (int[]){3});
    dataset_free(again);
    dataset_free(data);

    rank[0] = 4;
    assert_fails(ctx, dataset_new(ctx, &X, rank, NULL, 3, &data), RUNG_EDATA, "rank 4 of row 1 is outside 0..3");
    assert_null(data);
    weight[1] = -1;
    assert_fails(ctx, dataset_new(ctx, &X, NULL, weight, 3, &data), RUNG_EDATA, "weight -1 of row 2");
    by_columns[4] = INFINITY;
    assert_fails(ctx, dataset_new(ctx, &X, NULL, NULL, 3, &data), RUNG_EDATA, "row 2, column 2 is infinite");
    by_columns[4] = NAN;
    assert_ok(ctx, dataset_new(ctx, &X, NULL, NULL, 3, &data));
    assert_true(isnan(data->X[3]) && data->code.columns[1].fill == 20);
    dataset_free(data);
    X.n = 0;
    assert_fails(ctx, dataset_new(ctx, &X, NULL, NULL, 3, &data), RUNG_EARG, "0 rows and 2 columns");
    dataset_free(NULL);
}

static void test_copy(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = data_of(ctx, "x,c,y\n1,a,1\n2,b,2\n", (rung_encode_options){0});
    pool mem = {0};
    coding copy;
    assert_ok(ctx, coding_copy(ctx, &mem, &data->code, &copy));
    dataset_free(data); /* nothing of it is shared */
    assert_int_equal(copy.d, 3);
    assert_string_equal(copy.label, "y");
    assert_string_equal(copy.columns[1].name, "c");
    assert_string_equal(copy.columns[1].categories[1], "b");
    assert_string_equal(copy.classes[1], "2");
    assert_true(copy.columns[0].fill == 1.5);
    pool_free_all(&mem);
}

static void test_rank_columns(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "t,p,a,b\n1,3,low,mid\n5,3,mid,low\n3,,high,high\n,2,low,\n");
    rank_columns r;
    assert_ok(ctx, rank_columns_new(ctx, t, "t", "p", NULL, &r));
    assert_int_equal(r.K, 5); /* 1 to 5: numbers keep their distances */
    int expected_truth[] = {1, 5, 3, 0}, expected[] = {3, 3, 0, 2};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r.truth[i], expected_truth[i]);
        assert_int_equal(r.predicted[i], expected[i]);
    }
    assert_fails(ctx, rank_columns_new(ctx, t, "a", "b", NULL, &r), RUNG_EDATA, "give their order");
    assert_string_equal(rung_ctx_detail(ctx), "option order=low<mid<high");
    assert_ok(ctx, rank_columns_new(ctx, t, "a", "4", "high<mid<low", &r));
    assert_int_equal(r.K, 3);
    assert_int_equal(r.truth[2], 1);
    assert_int_equal(r.predicted[1], 3);
    assert_int_equal(r.predicted[3], 0);
    /* The column named is the one whose labels are text. */
    assert_fails(ctx, rank_columns_new(ctx, t, "t", "a", NULL, &r), RUNG_EDATA,
                 "column 'a': the labels are text (low, mid, high)");
    assert_fails(ctx, rank_columns_new(ctx, t, "b", "p", NULL, &r), RUNG_EDATA,
                 "column 'b': the labels are text (mid, low, high)");
    assert_fails(ctx, rank_columns_new(ctx, t, "a", "q", NULL, &r), RUNG_EARG, "no column 'q' (predicted)");
    table_free(t);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

typedef struct {
    rung_ctx *ctx;
    rung_table *t;
    rung_data *train;
} memory_call;

static rung_status encode_once(void *argument)
{
    memory_call *call = argument;
    rung_data *data;
    rung_encode_options options = {.order = "a<b<c", .ignore = LIST("id"), .weights = "w"};
    rung_status status = dataset_encode(call->ctx, call->t, &options, &data);
    dataset_free(data);
    return status;
}

static rung_status recode_once(void *argument)
{
    memory_call *call = argument;
    rung_data *data;
    rung_status status = dataset_recode(call->ctx, call->t, &call->train->code, RUNG_LABELS_REQUIRED, &data);
    dataset_free(data);
    return status;
}

static rung_status new_once(void *argument)
{
    memory_call *call = argument;
    double v[] = {1, 2};
    rung_view X = {v, 2, 1, 1, 1};
    rung_data *data;
    rung_status status = dataset_new(call->ctx, &X, (int[]){1, 2}, v, 2, &data);
    dataset_free(data);
    return status;
}

static void test_memory(void **state)
{
    rung_ctx *ctx = *state;
    memory_call call = {.ctx = ctx, .t = table_of(ctx, "x,c,id,w,y\n1,r,p,1,a\n2,,q,1,b\n?,r,r,1,\n")};
    rung_encode_options options = {.order = "a<b<c", .ignore = LIST("id"), .weights = "w"};
    assert_ok(ctx, dataset_encode(ctx, call.t, &options, &call.train));
    assert_true(fail_each_allocation(encode_once, &call) > 10);
    assert_true(fail_each_allocation(recode_once, &call) > 10);
    assert_true(fail_each_allocation(new_once, &call) > 5);
    ctx->memory = 10;
    assert_int_equal(encode_once(&call), RUNG_ELIMIT);
    dataset_free(call.train);
    table_free(call.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_numbers),
        WITH_CONTEXT(test_label_column),
        WITH_CONTEXT(test_text_labels),
        WITH_CONTEXT(test_numeric_order),
        WITH_CONTEXT(test_categories),
        WITH_CONTEXT(test_kinds),
        WITH_CONTEXT(test_points_beside_commas),
        WITH_CONTEXT(test_odd_words),
        WITH_CONTEXT(test_written_cells),
        WITH_CONTEXT(test_written_labels),
        WITH_CONTEXT(test_missing),
        WITH_CONTEXT(test_median_of_many),
        WITH_CONTEXT(test_weights),
        WITH_CONTEXT(test_groups),
        WITH_CONTEXT(test_ignore),
        WITH_CONTEXT(test_long_lists),
        WITH_CONTEXT(test_recode_by_name),
        WITH_CONTEXT(test_recode_number_as_category),
        WITH_CONTEXT(test_recode_by_position),
        WITH_CONTEXT(test_from_memory),
        WITH_CONTEXT(test_copy),
        WITH_CONTEXT(test_rank_columns),
        WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
