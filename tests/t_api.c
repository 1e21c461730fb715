// SPDX-License-Identifier: BSD-3-Clause
/* The functions of rung.h when they are called wrongly: required arguments that are NULL, numbers below their range,
 * places outside a table. What they do when called well is tested where it is done. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

static int open_public(void **state) { return rung_ctx_new((rung_ctx **)state) != RUNG_OK; }

static int close_public(void **state)
{
    rung_ctx_free(*state);
    return 0;
}

static char stale; /* what a result pointed to before the call */
static int failures;

static void check(const rung_ctx *ctx, rung_status status, const void *out, const char *name, const char *call)
{
    char words[64];
    snprintf(words, sizeof words, "%s: a required argument is NULL", name);
    bool told = !ctx || strcmp(rung_ctx_message(ctx), words) == 0;
    if (status == RUNG_EARG && out == NULL && told) return;
    print_error("%s: status %d, \"%s\"%s\n", call, (int)status, ctx ? rung_ctx_message(ctx) : "",
                out ? ", and the result was not cleared" : "");
    failures++;
}

/* A call that fills in no object, and one whose object must be NULL afterwards (OUT names it, as type and name). */
#define REFUSED(name, ...) check(ctx, name(__VA_ARGS__), NULL, #name, #name "(" #__VA_ARGS__ ")")
#define CLEARED(name, out, ...)                                                                                        \
    do {                                                                                                               \
        out = (void *)&stale;                                                                                          \
        rung_status status_ = name(__VA_ARGS__);                                                                       \
        check(ctx, status_, out, #name, #name "(" #__VA_ARGS__ ")");                                                   \
    } while (0)

typedef struct { /* one of everything */
    rung_spec *spec;
    rung_table *table;
    rung_data *data;
    rung_model *model;
    rung_reader *reader;
} things;

static void refuse_data(rung_ctx *ctx, const things *have)
{
    static const double numbers[] = {1, 2};
    static const int32_t code[] = {0, 0};
    static const char *const texts[] = {"a"};
    const rung_view X = {numbers, 2, 1, 1, 1}, nowhere = {NULL, 2, 1, 1, 1};
    int rank[] = {1, 2};
    const int64_t rows[] = {0};
    rung_table *table;
    rung_reader *reader;
    rung_data *data;
    CLEARED(rung_table_read, table, ctx, NULL, NULL, &table);
    REFUSED(rung_table_read, ctx, "x", NULL, NULL);
    rung_files *files;
    CLEARED(rung_files_new, files, ctx, NULL, &files);
    REFUSED(rung_files_new, ctx, texts, NULL);
    CLEARED(rung_table_read_files, table, ctx, NULL, NULL, &table);
    const rung_files *some = (const rung_files *)&stale;
    CLEARED(rung_data_open, data, ctx, NULL, some, NULL, NULL, RUNG_PASSES_AUTO, &data);
    CLEARED(rung_data_open, data, ctx, have->spec, NULL, NULL, NULL, RUNG_PASSES_AUTO, &data);
    REFUSED(rung_data_open, ctx, have->spec, some, NULL, NULL, RUNG_PASSES_AUTO, NULL);
    REFUSED(rung_table_read_files, ctx, (const rung_files *)&stale, NULL, NULL);
    REFUSED(rung_table_new, ctx, 2, NULL);
    REFUSED(rung_table_add_numbers, ctx, NULL, "x", numbers, 1);
    REFUSED(rung_table_add_numbers, ctx, have->table, "x", NULL, 1);
    REFUSED(rung_table_add_text, ctx, NULL, "x", code, texts, 1, 0);
    REFUSED(rung_table_add_text, ctx, have->table, "x", NULL, texts, 1, 0);
    REFUSED(rung_table_add_text, ctx, have->table, "x", code, NULL, 1, 0);
    CLEARED(rung_reader_open, reader, ctx, NULL, NULL, NULL, &reader);
    REFUSED(rung_reader_open, ctx, "x", NULL, NULL, NULL);
    CLEARED(rung_reader_next, table, ctx, NULL, 1, &table);
    REFUSED(rung_reader_next, ctx, have->reader, 1, NULL);
    CLEARED(rung_data_encode, data, ctx, NULL, NULL, &data);
    REFUSED(rung_data_encode, ctx, have->table, NULL, NULL);
    CLEARED(rung_data_new, data, ctx, NULL, rank, NULL, 2, &data);
    CLEARED(rung_data_new, data, ctx, &nowhere, rank, NULL, 2, &data);
    CLEARED(rung_data_new, data, ctx, &X, NULL, NULL, 2, &data);
    REFUSED(rung_data_new, ctx, &X, rank, NULL, 2, NULL);
    CLEARED(rung_data_new_real, data, ctx, NULL, numbers, NULL, &data);
    CLEARED(rung_data_new_real, data, ctx, &nowhere, numbers, NULL, &data);
    CLEARED(rung_data_new_real, data, ctx, &X, NULL, NULL, &data);
    REFUSED(rung_data_new_real, ctx, &X, numbers, NULL, NULL);
    REFUSED(rung_data_set_names, ctx, NULL, NULL, NULL, NULL);
    CLEARED(rung_data_generate, data, ctx, NULL, 10, 0, 0, &data);
    REFUSED(rung_data_generate, ctx, "toy", 10, 0, 0, NULL);
    CLEARED(rung_data_subset, data, ctx, NULL, 1, rows, NULL, &data);
    CLEARED(rung_data_subset, data, ctx, have->data, 1, NULL, NULL, &data);
    REFUSED(rung_data_subset, ctx, have->data, 1, rows, NULL, NULL);
    REFUSED(rung_ranks_hide, ctx, 2, NULL, 2, 0.5, 0);
    CLEARED(rung_model_encode, data, ctx, NULL, have->table, 0, &data);
    CLEARED(rung_model_encode, data, ctx, have->model, NULL, 0, &data);
    REFUSED(rung_model_encode, ctx, have->model, have->table, 0, NULL);
}

static void refuse_models(rung_ctx *ctx, const things *have)
{
    rung_spec *spec;
    rung_model *model;
    char *text;
    int64_t size;
    rung_verification *found;
    rung_search *search;
    rung_curve *curve;
    rung_suggestion *suggestion;
    rung_importance *importance;
    rung_effects *effects;
    rung_row *row;
    rung_output out = {.size = sizeof out};
    const rung_view X = rung_data_view(have->data), nowhere = {NULL, 1, X.d, X.row, 1};
    CLEARED(rung_spec_new, spec, ctx, NULL, 0, &spec);
    REFUSED(rung_spec_new, ctx, "kdlor", 0, NULL);
    CLEARED(rung_spec_copy, spec, ctx, NULL, &spec);
    REFUSED(rung_spec_copy, ctx, have->spec, NULL);
    REFUSED(rung_spec_set, ctx, NULL, "gamma", "1");
    REFUSED(rung_spec_set_baseline, ctx, NULL, 1);
    REFUSED(rung_spec_set, ctx, have->spec, NULL, "1");
    REFUSED(rung_spec_set, ctx, have->spec, "gamma", NULL);
    REFUSED(rung_spec_set_scale, ctx, NULL, "none");
    REFUSED(rung_spec_set_scale, ctx, have->spec, NULL);
    REFUSED(rung_spec_set_class_weight, ctx, NULL, "1", 2);
    REFUSED(rung_spec_set_class_weight, ctx, have->spec, NULL, 2);
    REFUSED(rung_spec_set_keep_data, ctx, NULL, 1);
    CLEARED(rung_model_fit, model, ctx, NULL, have->data, &model);
    CLEARED(rung_model_fit, model, ctx, have->spec, NULL, &model);
    REFUSED(rung_model_fit, ctx, have->spec, have->data, NULL);
    CLEARED(rung_model_verify, found, ctx, NULL, have->data, have->model, &found);
    CLEARED(rung_model_verify, found, ctx, have->spec, NULL, have->model, &found);
    CLEARED(rung_model_verify, found, ctx, have->spec, have->data, NULL, &found);
    REFUSED(rung_model_verify, ctx, have->spec, have->data, have->model, NULL);
    CLEARED(rung_model_update, model, ctx, NULL, have->data, &model);
    CLEARED(rung_model_update, model, ctx, have->model, NULL, &model);
    REFUSED(rung_model_update, ctx, have->model, have->data, NULL);
    REFUSED(rung_model_updatable, ctx, NULL);
    CLEARED(rung_tune_run, model, ctx, NULL, NULL, &model, &search);
    CLEARED(rung_tune_run, search, ctx, NULL, NULL, &model, &search);
    CLEARED(rung_tune_run, search, ctx, NULL, have->data, NULL, &search);
    CLEARED(rung_tune_run, model, ctx, NULL, have->data, &model, NULL);
    CLEARED(rung_search_describe, text, ctx, NULL, &text);
    CLEARED(rung_curve_run, curve, ctx, NULL, NULL, &curve);
    CLEARED(rung_curve_describe, text, ctx, NULL, &text);
    REFUSED(rung_curve_run, ctx, NULL, have->data, NULL);
    CLEARED(rung_suggest_run, suggestion, ctx, NULL, have->data, NULL, &suggestion);
    CLEARED(rung_suggest_run, suggestion, ctx, have->spec, NULL, NULL, &suggestion);
    REFUSED(rung_suggest_run, ctx, have->spec, have->data, NULL, NULL);
    REFUSED(rung_forecast_run, ctx, 2, NULL, NULL, NULL, 1, NULL);
    REFUSED(rung_data_set_chosen, ctx, NULL, NULL);
    REFUSED(rung_data_set_upper, ctx, NULL, (const int[]){1});
    REFUSED(rung_data_set_upper, ctx, have->data, NULL);
    CLEARED(rung_importance_run, importance, ctx, NULL, have->data, NULL, &importance);
    CLEARED(rung_importance_run, importance, ctx, have->model, NULL, NULL, &importance);
    REFUSED(rung_importance_run, ctx, have->model, have->data, NULL, NULL);
    CLEARED(rung_effects_run, effects, ctx, NULL, have->data, NULL, &effects);
    REFUSED(rung_effects_run, ctx, have->model, have->data, NULL, NULL);
    CLEARED(rung_row_explain, row, ctx, NULL, have->data, NULL, &row);
    REFUSED(rung_row_explain, ctx, have->model, have->data, NULL, NULL);
    REFUSED(rung_cost_parse, ctx, NULL, 3, NULL);
    REFUSED(rung_wilcoxon, ctx, 2, NULL, NULL, NULL);
    REFUSED(rung_holm, ctx, 2, NULL);
    REFUSED(rung_compare, ctx, 2, 3, NULL, NULL, NULL, NULL, NULL);
    REFUSED(rung_cost_check, ctx, 3, NULL, 0);
    REFUSED(rung_ctx_set_note, ctx, NULL, "x");
    CLEARED(rung_importance_held_out, importance, ctx, NULL, have->data, NULL, &importance);
    REFUSED(rung_importance_held_out, ctx, have->spec, have->data, NULL, NULL);
    REFUSED(rung_model_save, ctx, NULL, "x");
    REFUSED(rung_model_save, ctx, have->model, NULL);
    CLEARED(rung_model_load, model, ctx, NULL, &model);
    REFUSED(rung_model_load, ctx, "x", NULL);
    CLEARED(rung_model_save_memory, text, ctx, NULL, &text, &size);
    CLEARED(rung_model_save_memory, text, ctx, have->model, &text, NULL);
    REFUSED(rung_model_save_memory, ctx, have->model, NULL, &size);
    CLEARED(rung_model_load_memory, model, ctx, NULL, 1, &model);
    REFUSED(rung_model_load_memory, ctx, "x", 1, NULL);
    CLEARED(rung_model_describe, text, ctx, NULL, &text);
    CLEARED(rung_model_export, text, ctx, NULL, "json", NULL, &text, &size);
    REFUSED(rung_model_export, ctx, have->model, NULL, NULL, &text, &size);
    REFUSED(rung_model_describe, ctx, have->model, NULL);
    REFUSED(rung_model_predict, ctx, NULL, &X, NULL, &out);
    REFUSED(rung_model_predict, ctx, have->model, NULL, NULL, &out);
    REFUSED(rung_model_predict, ctx, have->model, &nowhere, NULL, &out);
    REFUSED(rung_model_predict, ctx, have->model, &X, NULL, NULL);
    REFUSED(rung_model_predict_training, ctx, NULL, NULL, &out);
    REFUSED(rung_model_predict_training, ctx, have->model, NULL, NULL);
}

static void refuse_metrics(rung_ctx *ctx, const things *have)
{
    static const int rank[] = {1, 2};
    static const double proba[] = {1, 0, 0, 1};
    rung_metrics m = {.size = sizeof m};
    rung_real_metrics real = {.size = sizeof real};
    rung_reliability_bin bins[2];
    double ece;
    REFUSED(rung_metrics_compute, ctx, 2, 2, NULL, rank, NULL, &m);
    REFUSED(rung_metrics_compute, ctx, 2, 2, rank, NULL, NULL, &m);
    REFUSED(rung_metrics_compute, ctx, 2, 2, rank, rank, NULL, NULL);
    int median;
    REFUSED(rung_metrics_median, ctx, 2, 2, NULL, NULL, &median);
    REFUSED(rung_metrics_median, ctx, 2, 2, rank, NULL, NULL);
    REFUSED(rung_reliability_compute, ctx, 2, 2, NULL, proba, 2, bins, &ece);
    REFUSED(rung_reliability_compute, ctx, 2, 2, rank, NULL, 2, bins, &ece);
    REFUSED(rung_reliability_compute, ctx, 2, 2, rank, proba, 2, NULL, &ece);
    REFUSED(rung_reliability_compute, ctx, 2, 2, rank, proba, 2, bins, NULL);
    REFUSED(rung_real_metrics_compute, ctx, 2, NULL, proba, &real);
    REFUSED(rung_real_metrics_compute, ctx, 2, proba, NULL, &real);
    REFUSED(rung_real_metrics_compute, ctx, 2, proba, proba, NULL);
    REFUSED(rung_metrics_compute_table, ctx, NULL, "1", "2", NULL, &m);
    REFUSED(rung_metrics_compute_table, ctx, have->table, NULL, "2", NULL, &m);
    REFUSED(rung_metrics_compute_table, ctx, have->table, "1", NULL, NULL, &m);
    REFUSED(rung_metrics_compute_table, ctx, have->table, "1", "2", NULL, NULL);
}

/* Without a context everything is refused, whatever else there is. */
static void refuse_without_context(const things *have)
{
    rung_ctx *ctx = NULL;
    static const double numbers[] = {1, 2};
    static const int32_t code[] = {0, 0};
    static const char *const texts[] = {"a"};
    const rung_view X = {numbers, 2, 1, 1, 1};
    int rank[] = {1, 2};
    const int64_t rows[] = {0};
    int64_t size;
    rung_spec *spec;
    rung_table *table;
    rung_reader *reader;
    rung_data *data;
    rung_model *model;
    char *text;
    rung_verification *found;
    rung_search *search;
    rung_curve *curve;
    rung_output out = {.size = sizeof out};
    rung_metrics m = {.size = sizeof m};
    rung_real_metrics real = {.size = sizeof real};
    rung_reliability_bin bins[2];
    double ece;
    CLEARED(rung_spec_new, spec, ctx, "kdlor", 0, &spec);
    REFUSED(rung_spec_set, ctx, have->spec, "gamma", "1");
    REFUSED(rung_spec_set_scale, ctx, have->spec, "none");
    REFUSED(rung_spec_set_class_weight, ctx, have->spec, "1", 2);
    REFUSED(rung_spec_set_keep_data, ctx, have->spec, 1);
    CLEARED(rung_table_read, table, ctx, "x", NULL, &table);
    rung_files *files;
    CLEARED(rung_files_new, files, ctx, texts, &files);
    CLEARED(rung_table_new, table, ctx, 2, &table);
    REFUSED(rung_table_add_numbers, ctx, have->table, "x", numbers, 1);
    REFUSED(rung_table_add_text, ctx, have->table, "x", code, texts, 1, 0);
    CLEARED(rung_reader_open, reader, ctx, "x", NULL, NULL, &reader);
    CLEARED(rung_reader_next, table, ctx, have->reader, 1, &table);
    CLEARED(rung_data_encode, data, ctx, have->table, NULL, &data);
    CLEARED(rung_data_new, data, ctx, &X, rank, NULL, 2, &data);
    CLEARED(rung_data_new_real, data, ctx, &X, numbers, NULL, &data);
    REFUSED(rung_data_set_names, ctx, have->data, NULL, NULL, NULL);
    CLEARED(rung_data_generate, data, ctx, "toy", 10, 0, 0, &data);
    CLEARED(rung_data_subset, data, ctx, have->data, 1, rows, NULL, &data);
    REFUSED(rung_ranks_hide, ctx, 2, rank, 2, 0.5, 0);
    CLEARED(rung_model_fit, model, ctx, have->spec, have->data, &model);
    CLEARED(rung_model_verify, found, ctx, have->spec, have->data, have->model, &found);
    CLEARED(rung_model_update, model, ctx, have->model, have->data, &model);
    REFUSED(rung_model_updatable, ctx, have->model);
    CLEARED(rung_tune_run, model, ctx, NULL, have->data, &model, &search);
    CLEARED(rung_curve_run, curve, ctx, NULL, have->data, &curve);
    REFUSED(rung_model_save, ctx, have->model, "x");
    CLEARED(rung_model_load, model, ctx, "x", &model);
    CLEARED(rung_model_save_memory, text, ctx, have->model, &text, &size);
    CLEARED(rung_model_load_memory, model, ctx, "x", 1, &model);
    CLEARED(rung_model_describe, text, ctx, have->model, &text);
    CLEARED(rung_model_encode, data, ctx, have->model, have->table, RUNG_LABELS_IGNORED, &data);
    REFUSED(rung_model_predict, ctx, have->model, &X, NULL, &out);
    REFUSED(rung_model_predict_training, ctx, have->model, NULL, &out);
    REFUSED(rung_metrics_compute, ctx, 2, 2, rank, rank, NULL, &m);
    REFUSED(rung_reliability_compute, ctx, 2, 1, rank, numbers, 2, bins, &ece);
    REFUSED(rung_real_metrics_compute, ctx, 2, numbers, numbers, &real);
    REFUSED(rung_metrics_compute_table, ctx, have->table, "1", "2", NULL, &m);
    assert_int_equal(rung_ctx_new(NULL), RUNG_EARG);
    assert_string_equal(rung_ctx_message(NULL), "");
    rung_ctx_free(NULL);
}

static void test_missing_arguments(void **state)
{
    rung_ctx *ctx = *state;
    static const double numbers[] = {1, 2};
    things have;
    assert_ok(ctx, rung_data_generate(ctx, "toy", 40, 0, 0, &have.data));
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &have.spec));
    assert_ok(ctx, rung_model_fit(ctx, have.spec, have.data, &have.model));
    assert_ok(ctx, rung_table_new(ctx, 2, &have.table));
    assert_ok(ctx, rung_table_add_numbers(ctx, have.table, NULL, numbers, 1));
    temp file = temp_file("1,2\n", 4);
    assert_ok(ctx, rung_reader_open(ctx, file.path, NULL, NULL, &have.reader));
    unlink(file.path);
    failures = 0;
    refuse_data(ctx, &have);
    refuse_models(ctx, &have);
    refuse_metrics(ctx, &have);
    refuse_without_context(&have);
    assert_int_equal(failures, 0);
    rung_reader_free(have.reader);
    rung_table_free(have.table);
    rung_model_free(have.model);
    rung_spec_free(have.spec);
    rung_data_free(have.data);
}

/* Numbers that cannot be are the caller's mistake, and told as such. */
static void test_impossible_numbers(void **state)
{
    rung_ctx *ctx = *state;
    static const double numbers[] = {1, 2}, negative[] = {1, -1}, endless[] = {1, INFINITY};
    static const int32_t code[] = {0, -2};
    static const char *const texts[] = {"a"};
    int rank[] = {1, 2};
    const int64_t rows[] = {0};
    rung_view X = {numbers, 2, 1, 1, 1};
    rung_table *table;
    rung_data *data, *part;
    rung_model *model = (void *)&stale;
    rung_reliability_bin bins[1];
    rung_metrics m = {.size = sizeof m};
    double ece;
    assert_fails(ctx, rung_model_load_memory(ctx, "x", -1, &model), RUNG_EARG, "a model of -1 bytes");
    assert_null(model);
    assert_fails(ctx, rung_model_load_memory(ctx, "x", 0, &model), RUNG_EFORMAT, "");
    assert_fails(ctx, rung_reliability_compute(ctx, 2, 1, rank, numbers, 0, bins, &ece), RUNG_EARG,
                 "0 bins: expected at least 1");
    assert_fails(ctx, rung_reliability_compute(ctx, -1, 1, rank, numbers, 1, bins, &ece), RUNG_EDATA,
                 "no labelled row");
    assert_fails(ctx, rung_metrics_compute(ctx, -1, 2, rank, rank, NULL, &m), RUNG_EDATA, "no labelled row");
    assert_fails(ctx, rung_table_new(ctx, -1, &table), RUNG_EARG, "a table of -1 rows");
    assert_ok(ctx, rung_table_new(ctx, 2, &table));
    assert_fails(ctx, rung_table_add_text(ctx, table, NULL, code, texts, -1, 0), RUNG_EARG, "a column of -1 texts");
    assert_fails(ctx, rung_table_add_text(ctx, table, NULL, code, texts, 1, 0), RUNG_EARG,
                 "row 2 has text number -2 of 1");
    rung_table_free(table);

    assert_fails(ctx, rung_ranks_hide(ctx, -1, rank, 2, 0.5, 0), RUNG_EARG, "-1 ranks of 2 classes");
    assert_fails(ctx, rung_ranks_hide(ctx, 2, rank, -2, 0.5, 1), RUNG_EARG, "2 ranks of -2 classes");
    assert_fails(ctx, rung_ranks_hide(ctx, 2, rank, 2, -0.5, 0), RUNG_EARG,
                 "a share of -0.5 of the labels to hide: expected a number from 0 to 1");
    assert_fails(ctx, rung_ranks_hide(ctx, 2, rank, 2, NAN, 0), RUNG_EARG, "expected a number from 0 to 1");
    rank[1] = -1;
    assert_fails(ctx, rung_ranks_hide(ctx, 2, rank, 2, 0.5, 0), RUNG_EARG, "rank -1 of row 2 is outside 0..2");
    assert_fails(ctx, rung_metrics_compute(ctx, 2, 2, rank, rank, NULL, &m), RUNG_EARG,
                 "true rank -1 of row 2 is outside 1..2");
    assert_fails(ctx, rung_reliability_compute(ctx, 2, 1, rank, numbers, 1, bins, &ece), RUNG_EARG,
                 "row 2: the true rank -1 is outside 1..1");
    assert_fails(ctx, rung_data_new(ctx, &X, rank, NULL, 2, &data), RUNG_EDATA, "rank -1 of row 2 is outside 0..2");
    rank[1] = 1;
    assert_fails(ctx, rung_reliability_compute(ctx, 2, 1, rank, negative, 1, bins, &ece), RUNG_EARG,
                 "row 2: -1 is not a probability");
    assert_fails(ctx, rung_data_new(ctx, &X, rank, NULL, -1, &data), RUNG_EARG,
                 "-1 classes: the number may not be negative");
    assert_fails(ctx, rung_data_new(ctx, &X, rank, negative, 2, &data), RUNG_EDATA,
                 "weight -1 of row 2 is not a finite number >= 0");
    assert_fails(ctx, rung_data_new(ctx, &X, rank, endless, 2, &data), RUNG_EDATA, "weight inf of row 2");
    X.d = 0;
    assert_fails(ctx, rung_data_new(ctx, &X, rank, NULL, 2, &data), RUNG_EARG, "2 rows and 0 columns");
    assert_null(data);
    X.d = 1;
    assert_ok(ctx, rung_data_new(ctx, &X, rank, NULL, 2, &data));
    assert_fails(ctx, rung_data_subset(ctx, data, -1, rows, NULL, &part), RUNG_EARG, "a subset of -1 rows");
    assert_null(part);
    rung_data_free(data);
}

static void test_places_outside(void **state)
{
    rung_ctx *ctx = *state;
    static const double numbers[] = {1, 2};
    static const int rank[] = {1, 2};
    rung_table *table;
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
    char text[] = "before";
    assert_ok(ctx, rung_table_new(ctx, 2, &table));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "x", numbers, 1));
    assert_string_equal(rung_table_name(table, 0), "x");
    assert_string_equal(rung_table_name(table, 1), "");
    assert_string_equal(rung_table_name(table, -1), "");
    static const int64_t outside[][2] = {{-1, 0}, {2, 0}, {0, -1}, {0, 1}};
    for (int i = 0; i < 4; i++) {
        strcpy(text, "before");
        assert_int_equal(rung_table_cell(table, outside[i][0], outside[i][1], text, sizeof text), 0);
        assert_string_equal(text, "");
    }
    strcpy(text, "before");
    assert_int_equal(rung_table_cell(table, 0, 1, text, 0), 0);
    assert_string_equal(text, "before");
    rung_table_free(table);

    assert_ok(ctx, rung_data_new(ctx, &(rung_view){numbers, 2, 1, 1, 1}, rank, NULL, 2, &data));
    assert_string_equal(rung_data_class_name(data, 2), "2");
    assert_string_equal(rung_data_class_name(data, 0), "");
    assert_string_equal(rung_data_class_name(data, 3), "");
    rung_data_feature_name(data, 0, text, 0);
    assert_string_equal(text, "before");
    assert_ok(ctx, rung_spec_new(ctx, "median", 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_string_equal(rung_model_class_name(model, 1), "1");
    assert_string_equal(rung_model_class_name(model, 0), "");
    assert_string_equal(rung_model_class_name(model, 3), "");
    /* No rows need no numbers. */
    assert_ok(ctx, rung_model_predict(ctx, model, &(rung_view){NULL, 0, 1, 1, 1}, NULL,
                                      &(rung_output){.size = sizeof(rung_output)}));
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);

    assert_null(rung_method_at(-1));
    assert_null(rung_method_at(1000));
    assert_null(rung_method_find(NULL));
    assert_string_equal(rung_status_name(RUNG_OK), "ok");
    assert_string_equal(rung_status_name(RUNG_EINTERNAL), "internal error");
    assert_string_equal(rung_status_name((rung_status)(RUNG_EINTERNAL + 1)), "unknown status");
    assert_string_equal(rung_status_name((rung_status)-1), "unknown status");
}

/* Options that are NULL stand for the default. */
static void test_default_options(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    rung_model *model;
    rung_search *found;
    rung_ctx_set_threads(ctx, 1);
    assert_ok(ctx, rung_data_generate(ctx, "toy", 30, 0, 0, &data));
    assert_ok(ctx, rung_tune_run(ctx, NULL, data, &model, &found));
    assert_string_equal(rung_search_at(found, 0)->method, "auto");
    assert_null(rung_search_at(found, 1));
    rung_search_free(found);
    rung_model_free(model);
    rung_data_free(data);
}

#define PUBLIC(test) cmocka_unit_test_setup_teardown(test, open_public, close_public)

static void a_model_knows_the_rows_it_was_fitted_to(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const scales[] = {"standard", "minmax", "rank", "none", "relevance"};
    rung_data *data, *other;
    assert_ok(ctx, rung_data_generate(ctx, "toy", 60, -1, 0, &data));
    rung_ctx_set_seed(ctx, 2);
    assert_ok(ctx, rung_data_generate(ctx, "toy", 60, -1, 0, &other));
    for (int i = 0; i < 5; i++) {
        rung_spec *spec;
        rung_model *model;
        int seen;
        assert_ok(ctx, rung_spec_new(ctx, "lda", 0, &spec));
        assert_ok(ctx, rung_spec_set_scale(ctx, spec, scales[i]));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
        assert_ok(ctx, rung_model_fitted_to(ctx, model, data, &seen));
        assert_int_equal(seen, 1);
        assert_ok(ctx, rung_model_fitted_to(ctx, model, other, &seen));
        assert_int_equal(seen, 0);
        rung_model_free(model);
        rung_spec_free(spec);
    }
    assert_int_equal(rung_model_fitted_to(ctx, NULL, data, NULL), RUNG_EARG);
    rung_data_free(data);
    rung_data_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PUBLIC(test_missing_arguments),
        PUBLIC(test_impossible_numbers),
        PUBLIC(test_places_outside),
        PUBLIC(test_default_options),
        PUBLIC(a_model_knows_the_rows_it_was_fitted_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
