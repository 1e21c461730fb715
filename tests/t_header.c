// SPDX-License-Identifier: BSD-3-Clause
/* What rung.h promises about all its functions: structs of other versions, interrupts that stay, details, tables that
 * end, and getters that agree with the description. */
#include "helper.h"

#include <jansson.h>

static const double four[] = {0, 1, 2, 3};
static const int ranks[] = {1, 1, 2, 2};

static int open_public(void **state) { return rung_ctx_new((rung_ctx **)state) != RUNG_OK; }

static int close_public(void **state)
{
    rung_ctx_free(*state);
    return 0;
}

/* ---- structs that begin with their size ---- */

typedef struct { /* of a newer header */
    rung_metrics known;
    double news[2];
} newer_metrics;

static void results_of_any_size(void **state)
{
    rung_ctx *ctx = *state;
    rung_metrics m = {.size = sizeof m}, unset = {.size = 0}, garbage = {.size = (size_t)-1};
    assert_ok(ctx, rung_metrics_compute(ctx, 4, 2, ranks, ranks, NULL, &m));
    assert_true(m.size == sizeof m && m.n == 4 && m.mae == 0 && m.acc == 1);

    /* An older program: what it has room for, and not a byte more. */
    rung_metrics old = {.size = offsetof(rung_metrics, mze), .mze = 7, .mae_high = 7};
    assert_ok(ctx, rung_metrics_compute(ctx, 4, 2, ranks, ranks, NULL, &old));
    assert_true(old.n == 4 && old.mae == 0 && old.mze == 7 && old.mae_high == 7);
    assert_true(rung_metrics_value(&old, "mae") == 0 && isnan(rung_metrics_value(&old, "mze")));

    newer_metrics larger = {.known.size = sizeof larger, .news = {7, 7}};
    assert_ok(ctx, rung_metrics_compute(ctx, 4, 2, ranks, ranks, NULL, &larger.known));
    assert_true(larger.known.acc == 1 && larger.news[0] == 0 && larger.news[1] == 0);

    assert_fails(ctx, rung_metrics_compute(ctx, 4, 2, ranks, ranks, NULL, &unset), RUNG_EARG,
                 "rung_metrics_compute: set the size of the struct to its sizeof (it is 0)");
    assert_fails(ctx, rung_metrics_compute(ctx, 4, 2, ranks, ranks, NULL, &garbage), RUNG_EARG, "sizeof");
    rung_real_metrics real = {0};
    assert_fails(ctx, rung_real_metrics_compute(ctx, 4, four, four, &real), RUNG_EARG, "rung_real_metrics_compute");
    real.size = sizeof real;
    assert_ok(ctx, rung_real_metrics_compute(ctx, 4, four, four, &real));
    assert_true(real.n == 4 && real.r2 == 1);
    rung_counter c = {0};
    assert_int_equal(rung_ctx_counter(ctx, 0, &c), 0);
    c.size = sizeof c;
    assert_int_equal(rung_ctx_counter(ctx, 0, &c), 1);
    assert_true(c.name && c.size == sizeof c);
    assert_int_equal(rung_ctx_counter(ctx, 1000, &c), 0);
}

typedef struct {
    rung_encode_options known;
    const char *news;
} newer_options;

static void options_of_any_size(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *table;
    rung_data *data;
    assert_ok(ctx, rung_table_new(ctx, 4, &table));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "x", four, 1));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "y", four, 1));
    newer_options o = {.known = {.size = sizeof o, .label = "y", .bins = 2}};
    assert_ok(ctx, rung_data_encode(ctx, table, &o.known, &data)); /* its news are not used */
    assert_int_equal(rung_data_classes(data), 2);
    rung_data_free(data);
    o.news = "used";
    assert_fails(ctx, rung_data_encode(ctx, table, &o.known, &data), RUNG_EARG,
                 "rung_data_encode: a field is set that this library (0.1.0) does not have");
    assert_null(data);
    o.known.size = offsetof(rung_encode_options, bins); /* an older program knows no bins: four classes */
    assert_ok(ctx, rung_data_encode(ctx, table, &o.known, &data));
    assert_int_equal(rung_data_classes(data), 4);
    rung_data_free(data);
    o.known.size = 0;
    assert_fails(ctx, rung_data_encode(ctx, table, &o.known, &data), RUNG_EARG, "set the size");
    rung_table_free(table);
    assert_fails(ctx, rung_table_read(ctx, "x", &(rung_read_options){0}, &table), RUNG_EARG, "rung_table_read");
    assert_null(table);
    rung_reader *reader;
    assert_fails(ctx, rung_reader_open(ctx, "x", &(rung_read_options){0}, NULL, &reader), RUNG_EARG, "set the size");
    rung_model *model;
    rung_search *found;
    rung_curve *curve;
    assert_ok(ctx, rung_data_generate(ctx, "toy", 40, 0, 0, &data));
    assert_fails(ctx, rung_tune_run(ctx, &(rung_tune_options){0}, data, &model, &found), RUNG_EARG, "rung_tune_run");
    assert_fails(ctx, rung_curve_run(ctx, &(rung_curve_options){0}, data, &curve), RUNG_EARG, "rung_curve_run");
    rung_data_free(data);
}

/* ---- interrupts ---- */

static void an_interrupt_stays_until_it_is_cleared(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    rung_spec *spec;
    rung_ctx_interrupt(ctx);
    for (int i = 0; i < 2; i++) {
        assert_fails(ctx, rung_data_generate(ctx, "toy", 40, 0, 0, &data), RUNG_EINTERRUPT, "interrupted");
        assert_null(data);
        assert_fails(ctx, rung_spec_new(ctx, "median", 0, &spec), RUNG_EINTERRUPT, "interrupted");
    }
    rung_ctx_clear_interrupt(ctx);
    assert_ok(ctx, rung_data_generate(ctx, "toy", 40, 0, 0, &data));
    assert_string_equal(rung_ctx_message(ctx), "");
    rung_data_free(data);
}

/* ---- details ---- */

static void assert_detail(const rung_ctx *ctx, const char *words)
{
    assert_string_equal(rung_ctx_detail(ctx), words);
    assert_null(strstr(rung_ctx_message(ctx), "--"));
}

typedef struct {
    const rung_ctx *ctx;
    int count;
} listener;

static void on_log(void *user, rung_log_level level, const char *text)
{
    listener *l = user;
    if (level != RUNG_LOG_WARNING) return;
    l->count++;
    assert_non_null(strstr(text, "only counts the rows"));
    assert_string_equal(rung_ctx_detail(l->ctx), "option numeric=id");
}

static void details_name_what_a_message_is_about(void **state)
{
    rung_ctx *ctx = *state;
    rung_spec *spec;
    rung_table *table;
    rung_data *data;
    assert_string_equal(rung_ctx_detail(ctx), "");
    assert_string_equal(rung_ctx_detail(NULL), "");
    assert_fails(ctx, rung_spec_new(ctx, "somethingelse", 0, &spec), RUNG_EARG, "unknown method");
    assert_detail(ctx, "methods");
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_detail(ctx, "");
    assert_fails(ctx, rung_spec_set(ctx, spec, "gamma", "-1"), RUNG_EARG, "gamma=-1 is out of range");
    assert_detail(ctx, "parameter gamma");
    assert_fails(ctx, rung_spec_set(ctx, spec, "somethingelse", "1"), RUNG_EARG, "kdlor has no parameter");
    assert_detail(ctx, "method kdlor");
    assert_fails(ctx, rung_spec_set_scale(ctx, spec, "x"), RUNG_EARG, "unknown scaling");
    assert_detail(ctx, "");
    rung_spec_free(spec);

    static const char *const words[] = {"low", "high"};
    static const int32_t code[] = {0, 1, 1, 0};
    assert_ok(ctx, rung_table_new(ctx, 4, &table));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "x", four, 1));
    assert_ok(ctx, rung_table_add_text(ctx, table, "label", code, words, 2, 0));
    assert_fails(ctx, rung_data_encode(ctx, table, NULL, &data), RUNG_EDATA, "give their order");
    assert_detail(ctx, "option order=low<high");
    rung_table_free(table);

    enum { N = 60 };
    double id[N], label[N], target[N];
    for (int i = 0; i < N; i++) id[i] = 1 + i, label[i] = i % 2, target[i] = sin(i);
    listener l = {.ctx = ctx};
    rung_ctx_set_log(ctx, on_log, &l);
    assert_ok(ctx, rung_table_new(ctx, N, &table));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "id", id, 1));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "x", target, 1));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "label", label, 1));
    assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
    assert_int_equal(l.count, 1);
    assert_detail(ctx, "");
    rung_data_free(data);
    rung_encode_options numbers = {.size = sizeof numbers, .label = "x", .ignore = LIST("id")};
    assert_fails(ctx, rung_data_encode(ctx, table, &numbers, &data), RUNG_EDATA, "too many for classes");
    assert_detail(ctx, "option real\noption bins");
    rung_table_free(table);
}

/* ---- tables and versions ---- */

static void tables_end(void **state)
{
    (void)state;
    int n = 0, larger = 0;
    const rung_metric *m;
    rung_metrics values = {.size = sizeof values, .mae = 0.25, .qkappa = 0.5};
    for (; (m = rung_metric_at(n)); n++) {
        assert_true(m->key && *m->title && *m->help);
        assert_ptr_equal(rung_metric_find(m->key), m);
        larger += (m->flags & RUNG_METRIC_LARGER_BETTER) != 0;
    }
    assert_int_equal(n, 16);
    assert_int_equal(larger, 8);
    assert_null(rung_metric_at(-1));
    assert_null(rung_metric_find("accuracy"));
    assert_true(rung_metrics_value(&values, "mae") == 0.25 && rung_metrics_value(&values, "qkappa") == 0.5);
    assert_true(isnan(rung_metrics_value(&values, "x")));
    assert_int_equal(rung_metric_find("rps")->flags, RUNG_METRIC_NEEDS_PROBABILITIES);
    assert_true(rung_metric_find("mae_low")->flags & RUNG_METRIC_BOUND);

    assert_string_equal(rung_method_default(0)->name, "auto");
    assert_true(rung_method_default(1)->flags & RUNG_METHOD_REAL_TARGETS);
    const rung_method *kdlor = rung_method_find("kdlor");
    assert_null(rung_method_param_at(kdlor, -1));
    assert_null(rung_method_param_at(kdlor, 1000));
    assert_null(rung_method_param_find(kdlor, "x"));
}

static void versions_agree(void **state)
{
    char text[32];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", RUNG_VERSION_MAJOR, RUNG_VERSION_MINOR, RUNG_VERSION_PATCH);
    assert_string_equal(text, RUNG_VERSION);
    assert_string_equal(text, rung_version());
    assert_int_equal(rung_version_number(), RUNG_VERSION_NUMBER);
    assert_int_equal(rung_abi(), RUNG_ABI);
}

/* ---- copies, and the constant to compare with ---- */

static char *fitted_bytes(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, int64_t *size)
{
    rung_model *model;
    char *bytes;
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, size));
    rung_model_free(model);
    return bytes;
}

static void specs_are_copied(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const methods[] = {"krr", "pom"};
    static const double cost[] = {0, 1, 4, 2, 0, 1, 5, 2, 0};
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &(rung_view){(const double[]){1, 2, 3, 4, 5, 6.5, 7, 8, 9.5}, 9, 1, 1, 1},
                                 (const int[]){1, 1, 2, 1, 2, 3, 2, 3, 3}, NULL, 3, &data));
    for (int k = 0; k < 2; k++)
        for (int published = 0; published < 2; published++) {
            rung_spec *spec, *copy;
            int64_t size, other_size;
            assert_ok(ctx, rung_spec_new(ctx, methods[k], published, &spec));
            assert_ok(ctx, rung_spec_set_scale(ctx, spec, "minmax"));
            assert_ok(ctx, rung_spec_set_equal_rows(ctx, spec, "apart"));
            assert_ok(ctx, rung_spec_set_cost(ctx, spec, 3, cost, 2.5));
            assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "5"));
            if (k) assert_ok(ctx, rung_spec_set(ctx, spec, "ridge", "0.5"));
            if (k) assert_ok(ctx, rung_spec_set_class_weight(ctx, spec, "3", 2));
            char *bytes = fitted_bytes(ctx, spec, data, &size);
            assert_ok(ctx, rung_spec_copy(ctx, spec, &copy));
            for (int i = 0; rung_method_param_at(rung_spec_method(spec), i); i++) {
                const char *name = rung_method_param_at(rung_spec_method(spec), i)->name;
                const char *a = rung_spec_value(spec, name), *b = rung_spec_value(copy, name);
                assert_true(a ? b && !strcmp(a, b) : !b);
            }
            rung_spec_free(spec); /* the copy does without it */
            char *other = fitted_bytes(ctx, copy, data, &other_size);
            assert_int_equal(size, other_size);
            assert_memory_equal(bytes, other, (size_t)size);
            rung_free(bytes);
            rung_free(other);
            rung_spec_free(copy);
        }
    rung_data_free(data);
}

static void medians(void **state)
{
    rung_ctx *ctx = *state;
    static const int truth[] = {0, 1, 3, 2, 4, 2, 1}, upper[] = {0, 1, 4, 4, 4, 2, 3}, none[] = {0, 0};
    static const double weight[] = {1, 1, 1, 1, 9, 1, 1}, bad[] = {1, -1, 1, 1, 1, 1, 1};
    int out;
    assert_ok(ctx, rung_metrics_median(ctx, 7, 4, truth, NULL, &out));
    assert_int_equal(out, 2);
    rung_metrics_options how = {.size = sizeof how, .upper = upper};
    assert_ok(ctx, rung_metrics_median(ctx, 7, 4, truth, &how, &out));
    assert_int_equal(out, 2);
    how = (rung_metrics_options){.size = sizeof how, .weight = weight};
    assert_ok(ctx, rung_metrics_median(ctx, 7, 4, truth, &how, &out));
    assert_int_equal(out, 4);
    assert_ok(ctx, rung_metrics_median(ctx, 2, 4, none, NULL, &out));
    assert_int_equal(out, 0);
    how.weight = bad;
    assert_fails(ctx, rung_metrics_median(ctx, 7, 4, truth, &how, &out), RUNG_EARG, "weight of row 2");
    assert_fails(ctx, rung_metrics_median(ctx, 7, 3, truth, NULL, &out), RUNG_EARG, "outside 1..3");
}

/* ---- getters ---- */

static void assert_number(const json_t *value, double x)
{
    if (isfinite(x))
        assert_true(json_number_value(value) == x);
    else
        assert_true(json_is_null(value));
}

static void assert_optional(const json_t *value, double x)
{
    assert_int_equal(json_is_number(value), !isnan(x));
    if (!isnan(x)) assert_number(value, x);
}

static void assert_member(const json_t *about, const rung_member *one)
{
    const json_t *kernel = json_object_get(about, "kernel"), *neighbours = json_object_get(about, "neighbours"),
                 *precisions = json_object_get(kernel, "precisions");
    if (one->kernel)
        assert_string_equal(json_string_value(json_object_get(kernel, "kind")), one->kernel);
    else
        assert_true(json_is_null(kernel));
    assert_optional(json_object_get(kernel, "gamma"), one->gamma);
    assert_optional(json_object_get(kernel, "coef0"), one->coef0);
    assert_int_equal(json_integer_value(json_object_get(kernel, "degree")), one->degree);
    assert_int_equal(json_array_size(precisions), one->n_precisions);
    for (int64_t i = 0; i < one->n_precisions; i++)
        assert_number(json_array_get(precisions, (size_t)i), one->precisions[i]);
    assert_int_equal(json_integer_value(json_object_get(neighbours, "count")), one->neighbours);
}

static void assert_members(const json_t *about, const rung_model *m)
{
    const json_t *members = json_object_get(about, "members");
    rung_member one = {.size = sizeof one};
    double total = 0;
    int n = 0;
    for (; rung_model_member(m, n, &one); n++) {
        const json_t *other = json_is_array(members) ? json_array_get(members, (size_t)n) : about;
        assert_member(other, &one);
        total += one.weight;
        if (other == about) continue;
        assert_string_equal(json_string_value(json_object_get(other, "kind")), one.kind);
        assert_string_equal(json_string_value(json_object_get(other, "features")), one.scale);
        assert_optional(json_object_get(other, "weight"), one.weight);
        assert_optional(json_object_get(other, "variance"), one.variance);
        assert_optional(json_object_get(other, "power"), one.power);
    }
    assert_int_equal(json_is_array(members) ? json_array_size(members) : 1, n);
    assert_float_equal(total, 1, 1e-12);
    assert_int_equal(rung_model_member(m, 0, &(rung_member){0}), 0);
    assert_int_equal(rung_model_member(m, -1, &one), 0);
}

static void assert_trees(const json_t *about, const rung_model *m)
{
    const json_t *gain = json_object_get(about, "gain");
    int64_t leaves = -1;
    assert_int_equal(rung_model_trees(m, &leaves), json_integer_value(json_object_get(about, "count")));
    assert_int_equal(leaves, json_integer_value(json_object_get(about, "leaves")));
    for (int64_t j = 0; j < rung_model_columns(m); j++) {
        const json_t *share = json_object_get(gain, rung_model_column(m, j, NULL));
        assert_true(rung_model_gain(m, j) == (share ? json_real_value(share) : 0));
    }
    assert_true(rung_model_gain(m, -1) == 0);
}

static void assert_same(const json_t *about, const rung_model *m)
{
    const char *name, *value;
    const double *values;
    int64_t count;
    int n = 0;
    const json_t *params = json_object_get(about, "params"), *report = json_object_get(about, "report"),
                 *thresholds = json_object_get(about, "thresholds"), *means = json_object_get(about, "means"),
                 *coding = json_object_get(about, "preprocessing"), *columns = json_object_get(coding, "columns");
    assert_string_equal(json_string_value(json_object_get(about, "method")), rung_model_method(m));
    for (; (name = rung_model_param_at(m, n, &value)); n++) {
        assert_string_equal(json_string_value(json_object_get(params, name)), value);
        assert_string_equal(rung_model_param(m, name), value);
    }
    assert_int_equal(json_object_size(params), n);
    for (n = 0; (name = rung_model_report_at(m, n, &values, &count)); n++) {
        const json_t *entry = json_object_get(report, name);
        if (count < 0) assert_number(entry, *values);
        for (int64_t i = 0; i < count; i++) assert_number(json_array_get(entry, (size_t)i), values[i]);
    }
    assert_int_equal(json_object_size(report), n);

    double room[64] = {0};
    n = rung_model_thresholds(m, 64, room);
    assert_int_equal(rung_model_thresholds(m, 0, NULL), n);
    assert_int_equal(json_array_size(thresholds), n);
    for (int i = 0; i < n; i++) assert_number(json_array_get(thresholds, (size_t)i), room[i]);
    n = (int)rung_model_means(m, 64, room);
    int outputs = rung_model_outputs(m);
    assert_int_equal((int)json_array_size(means) * outputs, n);
    for (int i = 0; i < n; i++)
        assert_number(json_array_get(json_array_get(means, (size_t)(i / outputs)), (size_t)(i % outputs)), room[i]);

    assert_string_equal(json_string_value(json_object_get(about, "decision")), rung_model_decision(m));
    assert_string_equal(json_string_value(json_object_get(coding, "scale")), rung_model_scale(m));
    assert_int_equal(json_integer_value(json_object_get(about, "rows")), rung_model_rows(m));
    assert_int_equal(json_integer_value(json_object_get(about, "labelled")), rung_model_labelled(m));
    assert_int_equal(json_array_size(columns), rung_model_columns(m));
    for (int64_t j = 0; j < rung_model_columns(m); j++) {
        int text = -1;
        const json_t *column = json_array_get(columns, (size_t)j);
        assert_string_equal(json_string_value(json_object_get(column, "name")), rung_model_column(m, j, &text));
        assert_int_equal(strcmp(json_string_value(json_object_get(column, "kind")), "number") != 0, text);
        const json_t *categories = json_object_get(column, "categories");
        for (n = 0; (name = rung_model_category(m, j, n)); n++)
            assert_string_equal(json_string_value(json_array_get(categories, (size_t)n)), name);
        assert_int_equal(json_array_size(categories), n);
    }
    assert_null(rung_model_category(m, rung_model_columns(m), 0));
    assert_members(about, m);
    assert_trees(json_object_get(about, "trees"), m);
    assert_string_equal(json_string_value(json_object_get(about, "scorer")), rung_model_scorer(m));
    assert_string_equal(json_string_value(json_object_get(about, "library")), rung_model_library(m));
    assert_int_equal(json_integer_value(json_object_get(about, "format")), rung_model_format());
    assert_int_equal(json_integer_value(json_object_get(about, "n_expansion")), rung_model_terms(m));
    assert_int_equal(json_is_true(json_object_get(about, "contains_training_rows")), rung_model_stored_rows(m) > 0);
    n = 0;
    for (int k = 1; k <= rung_model_classes(m); k++) n += rung_model_class_present(m, k);
    assert_int_equal(json_array_size(json_object_get(about, "present")), n);
}

/* Real numbers and text: "size" has two categories and an empty cell. */
static rung_data *mixed_data(rung_ctx *ctx)
{
    static const char *const sizes[] = {"small", "large"};
    enum { N = 40 };
    double x[N], label[N];
    int32_t size[N];
    rung_table *table;
    rung_data *data;
    for (int i = 0; i < N; i++) {
        x[i] = i * 0.37 + i % 3;
        label[i] = 1 + i * 3 / N;
        size[i] = i == 7 ? -1 : i % 2;
    }
    assert_ok(ctx, rung_table_new(ctx, N, &table));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "x", x, 1));
    assert_ok(ctx, rung_table_add_text(ctx, table, "size", size, sizes, 2, 0));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "label", label, 1));
    assert_ok(ctx, rung_data_encode(ctx, table, NULL, &data));
    rung_table_free(table);
    return data;
}

static void check_getters(rung_ctx *ctx, const rung_spec *spec, const rung_data *data)
{
    rung_model *model;
    char *text;
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_ok(ctx, rung_model_describe(ctx, model, &text));
    json_t *about = json_loads(text, 0, NULL);
    assert_non_null(about);
    assert_same(about, model);
    const char *name, *value;
    for (int p = 0; (name = rung_model_param_at(model, p, &value)); p++)
        assert_string_equal(rung_spec_value(spec, name), value);
    assert_null(rung_spec_value(spec, "x"));
    assert_null(rung_model_param(model, "x"));
    json_decref(about);
    rung_free(text);
    rung_model_free(model);
}

/* Every getter says what the description says, for every kind of decision and scorer. */
static void getters_agree_with_the_description(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *method, *name, *value;
    } fits[] = {{.method = "kdlor"}, {"kdlor", "kernel", "poly"}, {.method = "kda"},  {.method = "svorim"},
                {.method = "gpor"},  {.method = "isbor"},         {.method = "llgc"}, {.method = "median"},
                {.method = "auto"},  {.method = "lda"},           {.method = "boost"}};
    rung_data *data[2];
    assert_ok(ctx, rung_data_generate(ctx, "toy", 60, -1, 0.2, &data[0]));
    data[1] = mixed_data(ctx);
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        rung_spec *spec;
        assert_ok(ctx, rung_spec_new(ctx, fits[i].method, 0, &spec));
        assert_string_equal(rung_spec_method(spec)->name, fits[i].method);
        if (fits[i].name) assert_ok(ctx, rung_spec_set(ctx, spec, fits[i].name, fits[i].value));
        for (int d = 0; d < 2; d++) check_getters(ctx, spec, data[d]);
        rung_spec_free(spec);
    }
    for (int d = 0; d < 2; d++) rung_data_free(data[d]);
}

/* Searches and curves: the getters say what the descriptions say. */
static void getters_of_a_search(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    rung_model *model;
    rung_search *found;
    char *text;
    rung_metrics nested = {.size = sizeof nested};
    rung_tune_options o = {.size = sizeof o,
                           .methods = (const char *const[]){"kdlor", "median", NULL},
                           .grids = (const char *const[]){"gamma=0.1,1", "ridge=0.1", NULL},
                           .metric = "acc",
                           .folds = 3,
                           .repeats = 1,
                           .nested = 1};
    assert_ok(ctx, rung_data_generate(ctx, "toy", 60, -1, 0.2, &data));
    assert_ok(ctx, rung_tune_run(ctx, &o, data, &model, &found));
    assert_ok(ctx, rung_search_describe(ctx, found, &text));
    json_t *about = json_loads(text, 0, NULL), *points = json_object_get(about, "points");
    const rung_point *point;
    int n = 0;
    for (; (point = rung_search_at(found, n)); n++) {
        const json_t *one = json_array_get(points, (size_t)n), *params = json_object_get(one, "params");
        const char *name, *value;
        int p = 0;
        assert_string_equal(json_string_value(json_object_get(one, "method")), point->method);
        assert_number(json_object_get(one, "value"), point->value);
        assert_number(json_object_get(one, "se"), point->se);
        assert_null(point->error);
        for (; (name = rung_search_param_at(found, n, p, &value)); p++)
            assert_string_equal(json_string_value(json_object_get(params, name)), value);
        assert_int_equal(json_object_size(params), p);
    }
    assert_int_equal(n, 3);
    assert_null(rung_search_param_at(found, n, 0, NULL));
    assert_int_equal(json_integer_value(json_object_get(about, "winner")), rung_search_winner(found));
    assert_string_equal(rung_search_metric(found)->key, "acc");
    assert_int_equal(rung_search_folds(found), 3);
    assert_int_equal(rung_search_repeats(found), 1);
    rung_metrics corrected = {.size = sizeof corrected};
    assert_int_equal(rung_search_corrected(found, &(rung_metrics){0}), 0);
    assert_int_equal(rung_search_corrected(found, &corrected), 1);
    assert_number(json_object_get(json_object_get(about, "corrected"), "acc"), corrected.acc);
    assert_int_equal(rung_search_nested(found, &(rung_metrics){0}), 0);
    assert_int_equal(rung_search_nested(found, &nested), 1);
    assert_number(json_object_get(json_object_get(about, "nested"), "mae"), nested.mae);
    for (n = 0; rung_search_nested_choice(found, n); n++)
        assert_string_equal(json_string_value(json_array_get(json_object_get(about, "nested_chosen"), (size_t)n)),
                            rung_search_nested_choice(found, n));
    assert_int_equal(n, 3);
    json_decref(about);
    rung_free(text);
    rung_search_free(found);
    rung_model_free(model);
    rung_data_free(data);
}

static void getters_of_a_curve(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    rung_curve *curve;
    char *text;
    const int sizes[] = {2, 4};
    rung_curve_options o = {.size = sizeof o,
                            .methods = (const char *const[]){"llgc", NULL},
                            .metric = "acc",
                            .sizes = sizes,
                            .n_sizes = 2,
                            .repeats = 3};
    assert_ok(ctx, rung_data_generate(ctx, "toy", 90, -1, 0, &data));
    assert_ok(ctx, rung_curve_run(ctx, &o, data, &curve));
    assert_ok(ctx, rung_curve_describe(ctx, curve, &text));
    json_t *about = json_loads(text, 0, NULL);
    assert_string_equal(rung_curve_metric(curve)->key, "acc");
    assert_int_equal(rung_curve_repeats(curve), 3);
    assert_int_equal(json_integer_value(json_object_get(about, "test_rows")), rung_curve_test_rows(curve));
    for (int s = 0; s < 2; s++) {
        const json_t *one = json_array_get(json_object_get(about, "sizes"), (size_t)s);
        int64_t labels;
        assert_int_equal(rung_curve_size(curve, s, &labels), sizes[s]);
        assert_int_equal(json_integer_value(json_object_get(one, "labels")), labels);
    }
    assert_int_equal(rung_curve_size(curve, 2, NULL), 0);
    const rung_curve_line *line;
    int n = 0;
    for (; (line = rung_curve_at(curve, n)); n++) {
        const json_t *one = json_array_get(json_object_get(about, "lines"), (size_t)n);
        assert_string_equal(json_string_value(json_object_get(one, "method")), line->method);
        assert_int_equal(json_is_true(json_object_get(one, "unlabelled")), line->unlabelled);
        for (size_t i = 0; i < 6; i++)
            assert_number(json_array_get(json_array_get(json_object_get(one, "values"), i / 3), i % 3),
                          line->values[i]);
    }
    assert_int_equal(n, 3);
    json_decref(about);
    rung_free(text);
    rung_curve_free(curve);
    rung_data_free(data);
}

/* The ranks are those of the thresholds, which come from the calibration. */
static void thresholds_and_calibration(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
    double slope = NAN, cuts[8], threshold[8];
    assert_ok(ctx, rung_data_generate(ctx, "toy", 60, -1, 0, &data));
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    int K = rung_model_classes(model), n = rung_model_calibration(model, &slope, 8, cuts);
    assert_int_equal(n, K - 1);
    assert_true(slope > 0);
    for (int q = 1; q < n; q++) assert_true(cuts[q] >= cuts[q - 1]);
    assert_int_equal(rung_model_calibration(model, NULL, 0, NULL), n);
    assert_string_equal(rung_model_decision(model), "calibrated");
    assert_int_equal(rung_model_thresholds(model, 8, threshold), n);
    /* At a threshold P(y > q) is 1/2, so that the ranks below and above it differ. */
    rung_view X = rung_data_view(data);
    int64_t rows = rung_data_rows(data);
    double *score = calloc((size_t)rows, sizeof *score);
    int *rank = calloc((size_t)rows, sizeof *rank);
    rung_output out = {.size = sizeof out, .score = score, .rank = rank};
    assert_ok(ctx, rung_model_predict(ctx, model, &X, NULL, &out));
    for (int64_t i = 0; i < rows; i++) {
        int expected = 1;
        for (int q = 0; q < n; q++) expected += score[i] >= threshold[q];
        assert_int_equal(rank[i], expected);
    }
    free(score);
    free(rank);
    rung_model_free(model);
    assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    assert_ok(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_int_equal(rung_model_calibration(model, &slope, 8, cuts), 0);
    assert_int_equal(rung_model_thresholds(model, 8, threshold), n);
    rung_metrics cv = {.size = sizeof cv, .mae = 7};
    assert_int_equal(rung_model_cv(model, &cv), 0);
    assert_true(cv.mae == 7);
    double proba[1];
    out = (rung_output){.size = sizeof out, .proba = proba};
    assert_fails(ctx, rung_model_predict(ctx, model, &X, NULL, &out), RUNG_EARG, "fit it with calibrate=5");
    assert_detail(ctx, "parameter calibrate");
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_public, close_public)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_of_any_size),
        TEST(options_of_any_size),
        TEST(an_interrupt_stays_until_it_is_cleared),
        TEST(details_name_what_a_message_is_about),
        TEST(tables_end),
        TEST(versions_agree),
        TEST(specs_are_copied),
        TEST(medians),
        TEST(getters_agree_with_the_description),
        TEST(getters_of_a_search),
        TEST(getters_of_a_curve),
        TEST(thresholds_and_calibration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
