// SPDX-License-Identifier: BSD-3-Clause
/* Files of SPSS, Stata and SAS, which ReadStat writes here. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "data/dataset.h"
#include "input/sheet/sheet.h"
#include "input/sheet/stat_dates.h"

#ifdef RUNG_READSTAT
#include <readstat.h>

typedef struct {
    char bytes[1 << 18];
    size_t n;
} written;

static ssize_t keep(const void *data, size_t n, void *user)
{
    written *w = user;
    assert_true(w->n + n <= sizeof w->bytes);
    memcpy(w->bytes + w->n, data, n);
    w->n += n;
    return (ssize_t)n;
}

enum { ROWS = 12 };

/* Rows of: a scale with a value that is missing, a nominal column, an ordinal one, text, a date, weights and the
 * grade. */
static void write_file(sheet_kind kind, bool levels, written *out)
{
    readstat_writer_t *w = readstat_writer_init();
    readstat_set_data_writer(w, keep);
    bool names = kind != SHEET_XPT && kind != SHEET_SAS;
    readstat_type_t type = kind == SHEET_DTA ? READSTAT_TYPE_INT32 : READSTAT_TYPE_DOUBLE;
    static const char *const texts[4][4] = {
        {"north", "south", "east"}, {"primary", "secondary", "tertiary"}, {"poor", "fair", "good", "no answer"}};
    static const char *const called[] = {"region", "school", "grade"};
    readstat_label_set_t *set[3] = {0};
    for (int s = 0; names && s < 3; s++) {
        set[s] = readstat_add_label_set(w, type, called[s]);
        for (int k = 0; k < 4; k++) {
            if (!texts[s][k]) continue;
            if (type == READSTAT_TYPE_INT32)
                readstat_label_int32_value(set[s], k == 3 ? 9 : k + 1, texts[s][k]);
            else
                readstat_label_double_value(set[s], k == 3 ? 9 : k + 1, texts[s][k]);
        }
    }
    readstat_variable_t *age = readstat_add_variable(w, "age", READSTAT_TYPE_DOUBLE, 8), *v[3];
    readstat_variable_set_label(age, "Age in years");
    for (int s = 0; s < 3; s++) {
        v[s] = readstat_add_variable(w, called[s], type, 8);
        if (set[s]) readstat_variable_set_label_set(v[s], set[s]);
    }
    readstat_variable_t *town = readstat_add_variable(w, "town", READSTAT_TYPE_STRING, 8),
                        *day = readstat_add_variable(w, "day", READSTAT_TYPE_DOUBLE, 8),
                        *weight = readstat_add_variable(w, "weight", READSTAT_TYPE_DOUBLE, 8);
    readstat_variable_set_format(day, kind == SHEET_DTA ? "%td" : kind == SHEET_SAV ? "DATE11" : "DATE9");
    if (levels) {
        readstat_variable_set_measure(age, READSTAT_MEASURE_SCALE);
        readstat_variable_set_measure(v[0], READSTAT_MEASURE_NOMINAL);
        readstat_variable_set_measure(v[1], READSTAT_MEASURE_ORDINAL);
        readstat_variable_add_missing_double_range(age, 900, 999);
        readstat_variable_add_missing_double_value(v[2], 9);
    }
    if (kind == SHEET_SAV) readstat_writer_set_fweight_variable(w, weight);
    readstat_error_t code = kind == SHEET_SAV   ? readstat_begin_writing_sav(w, out, ROWS)
                            : kind == SHEET_DTA ? readstat_begin_writing_dta(w, out, ROWS)
                            : kind == SHEET_SAS ? readstat_begin_writing_sas7bdat(w, out, ROWS)
                                                : readstat_begin_writing_xport(w, out, ROWS);
    assert_int_equal(code, READSTAT_OK);
    for (int i = 0; i < ROWS; i++) {
        readstat_begin_row(w);
        readstat_insert_double_value(w, age, levels && i == 1 ? 950 : 20.5 + i);
        for (int s = 0; s < 3; s++) {
            int value = levels && s == 2 && i == 4 ? 9 : 1 + (i + s) % 3;
            if (kind == SHEET_DTA && s == 2 && i == 4)
                readstat_insert_tagged_missing_value(w, v[s], 'b');
            else if (type == READSTAT_TYPE_INT32)
                readstat_insert_int32_value(w, v[s], value);
            else
                readstat_insert_double_value(w, v[s], value);
        }
        readstat_insert_string_value(w, town, i % 2 ? "Bern" : "Genf");
        double since_1960 = 23376 + i; /* 2024-01-01 */
        readstat_insert_double_value(w, day, kind == SHEET_SAV ? (since_1960 + 137775) * 86400 : since_1960);
        readstat_insert_double_value(w, weight, 1 + i % 2);
        assert_int_equal(readstat_end_row(w), READSTAT_OK);
    }
    assert_int_equal(readstat_end_writing(w), READSTAT_OK);
    readstat_writer_free(w);
}

static written file;

static rung_table *table_of_kind(rung_ctx *ctx, sheet_kind kind, bool levels)
{
    rung_table *t;
    file.n = 0;
    write_file(kind, levels, &file);
    assert_int_equal(sheet_kind_of(file.bytes, SHEET_HEAD), kind);
    assert_ok(ctx, read_bytes(ctx, file.bytes, file.n, NULL, &t));
    assert_int_equal(t->n_rows, ROWS);
    assert_int_equal(t->n_columns, 7);
    return t;
}

static rung_data *encoded(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options)
{
    rung_data *data;
    assert_ok(ctx, dataset_encode(ctx, t, options, &data));
    return data;
}

static const rung_encode_options grade = {.label = "grade"};

static void test_spss(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of_kind(ctx, SHEET_SAV, true);
    assert_string_equal(t->columns[0].title, "Age in years");
    assert_close(number_at(t, 0, 0), 20.5, 0);
    assert_true(isnan(number_at(t, 1, 0))); /* 950 is in the range of missing values */
    assert_true(isnan(number_at(t, 4, 3)));
    assert_string_equal(text_at(t, 1, 4), "Bern");
    assert_string_equal(text_at(t, 2, 5), "2024-01-03");
    assert_true(t->columns[6].declared_weights && !t->columns[5].declared_weights);
    assert_int_equal(t->columns[3].values_named.n, 3); /* 9 is missing, so it is no class */

    rung_data *data = encoded(ctx, t, &grade);
    const coding *code = &data->code;
    assert_int_equal(code->n_classes, 3);
    static const char *const classes[] = {"poor", "fair", "good"};
    for (int k = 0; k < 3; k++) assert_string_equal(code->classes[k], classes[k]);
    assert_int_equal(data->y[0], 3);
    assert_int_equal(data->y[4], 0);
    assert_int_equal(code->n_columns, 5); /* without the weights */
    assert_true(code->columns[1].nominal);
    assert_int_equal(code->columns[1].n_categories, 3);
    assert_int_equal(code->columns[2].form, FORM_ORDINAL);
    assert_string_equal(code->columns[2].categories[2], "tertiary");
    assert_int_equal(code->columns[4].form, FORM_DAYS);
    dataset_free(data);

    /* the caller's word stands: numbers of a nominal column, weights that are used */
    data = encoded(ctx, t,
                   &(rung_encode_options){
                       .label = "grade", .numeric = (const char *const[]){"region", NULL}, .weights = "weight"});
    assert_false(data->code.columns[1].nominal);
    assert_close(data->weight[1], 2, 0);
    dataset_free(data);
    data = encoded(ctx, t, &(rung_encode_options){.label = "grade", .real = 1});
    assert_close(data->target[0], 3, 0);
    dataset_free(data);
    table_free(t);
}

static void test_stata(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of_kind(ctx, SHEET_DTA, false);
    assert_true(isnan(number_at(t, 4, 3))); /* .b */
    assert_string_equal(text_at(t, 2, 5), "2024-01-03");
    rung_data *data = encoded(ctx, t, &grade);
    assert_int_equal(data->code.n_classes, 4); /* "no answer" is a class unless the file says that 9 is missing */
    assert_string_equal(data->code.classes[3], "no answer");
    assert_true(data->code.columns[1].nominal); /* north, south and east are no steps, ... */
    dataset_free(data);
    table_free(t);
}

static void test_others(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    assert_ok(ctx, read_table(ctx, RUNG_GOLDEN "/../fuzz/corpus/spss/small.por", NULL, &t));
    assert_string_equal(t->columns[0].name, "AGE");
    assert_string_equal(t->columns[4].title, "Overall grade");
    assert_string_equal(text_at(t, 2, 3), "2024-01-03");
    table_free(t);
    for (int sas = 0; sas < 2; sas++) {
        t = table_of_kind(ctx, sas ? SHEET_SAS : SHEET_XPT, false);
        assert_close(number_at(t, 3, 0), 23.5, 1e-12);
        assert_string_equal(text_at(t, 1, 4), "Bern");
        assert_string_equal(text_at(t, 2, 5), "2024-01-03");
        table_free(t);
    }
}

/* With the coding of a data set names and numbers are read as it needs them, from other files too. */
static void test_like(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *again;
    rung_table *t = table_of_kind(ctx, SHEET_SAV, true), *like;
    rung_data *data = encoded(ctx, t, &grade);
    temp saved = temp_file(file.bytes, file.n);
    assert_ok(ctx, read_table_for(ctx, saved.path, NULL, &data->code, &like));
    assert_string_equal(text_at(like, 0, 1), "north");
    const rung_table *both[] = {t, like};
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, dataset_recode(ctx, both[k], &data->code, RUNG_LABELS_REQUIRED, &again));
        for (int64_t i = 0; i < data->n * data->d; i++)
            assert_true(again->X[i] == data->X[i] || (isnan(again->X[i]) && isnan(data->X[i])));
        for (int i = 0; i < ROWS; i++) assert_int_equal(again->y[i], data->y[i]);
        dataset_free(again);
    }
    assert_int_equal(rows_in_blocks(ctx, saved.path, NULL, 5), ROWS);
    unlink(saved.path);
    dataset_free(data);
    table_free(like);
    table_free(t);
}

static void test_damaged(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    static const sheet_kind kinds[] = {SHEET_SAV, SHEET_DTA, SHEET_SAS, SHEET_XPT};
    for (int k = 0; k < 4; k++) {
        file.n = 0;
        write_file(kinds[k], kinds[k] == SHEET_SAV, &file);
        if (kinds[k] != SHEET_XPT)
            assert_fails(ctx, read_bytes(ctx, file.bytes, file.n / 2, NULL, &t), RUNG_EDATA, "cannot be read");
        for (size_t at = SHEET_HEAD; at < file.n; at += file.n / 40 + 1) {
            char was = file.bytes[at];
            file.bytes[at] = (char)(was ^ 0x55);
            try_bytes(ctx, file.bytes, file.n, NULL);
            try_bytes(ctx, file.bytes, at, NULL);
            file.bytes[at] = was;
        }
    }
    static const char csv[] = "a,b\n1,2\n";
    assert_fails(ctx, read_text(ctx, csv, &(rung_read_options){.format = "spss"}, &t), RUNG_EDATA, "does not begin");
}

static void test_memory(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    file.n = 0;
    write_file(SHEET_SAV, true, &file);
    ctx->memory = 1000;
    assert_fails(ctx, read_bytes(ctx, file.bytes, file.n, NULL, &t), RUNG_ELIMIT, "memory limit");
    ctx->memory = 0;
}
#else
static void test_without(void **state)
{
    rung_table *t;
    assert_fails(*state, read_text(*state, "$FL2@(#) SPSS DATA FILE", NULL, &t), RUNG_EDATA, "without ReadStat");
}
#endif

static void check_date(sheet_kind kind, const char *format, double x, const char *wanted)
{
    char text[STAT_DATE] = "";
    stat_calendar c = stat_calendar_of(kind, format);
    assert_int_equal(stat_date_text(&c, x, text), wanted != NULL);
    if (wanted) assert_string_equal(text, wanted);
}

static void test_dates(void **state)
{
    (void)state;
    check_date(SHEET_DTA, "%td", 0, "1960-01-01");
    check_date(SHEET_DTA, "%-tdDD.NN.CCYY", -1, "1959-12-31");
    check_date(SHEET_DTA, "%tc", 86400000.0 + 3661000, "1960-01-02 01:01:01");
    check_date(SHEET_DTA, "%tw", 53, "1961-01-08");
    check_date(SHEET_DTA, "%tm", -1, "1959-12-01");
    check_date(SHEET_DTA, "%tq", 5, "1961-04-01");
    check_date(SHEET_DTA, "%ty", 1999, NULL); /* a number as it stands */
    check_date(SHEET_DTA, "%9.0g", 5, NULL);
    check_date(SHEET_SAV, "DATE11", 12219379200.0, "1970-01-01");
    check_date(SHEET_SAV, "DATETIME20", 12219379200.0 + 0.25, "1970-01-01 00:00:00.250");
    check_date(SHEET_SAV, "TIME8", 3600 * 30.0 + 5, "30:00:05");
    check_date(SHEET_SAV, "F8.2", 5, NULL);
    check_date(SHEET_SAV, "DATE11", 1e18, NULL);
    check_date(SHEET_SAS, "E8601DA10", 0, "1960-01-01");
    check_date(SHEET_SAS, "DATETIME22.3", 60, "1960-01-01 00:01:00");
    check_date(SHEET_SAS, "BEST12", 60, NULL);
}

static void test_signatures(void **state)
{
    (void)state;
    assert_int_equal(sheet_kind_of("a,b\n1,2\n", 8), SHEET_NONE);
    assert_int_equal(sheet_kind_of("$", 1), SHEET_UNSURE);
    assert_int_equal(sheet_kind_of("$FL,", 4), SHEET_NONE);
    assert_int_equal(sheet_kind_of("r\2\1\0", 4), SHEET_DTA);
    assert_int_equal(sheet_kind_of("row,", 4), SHEET_NONE);
    assert_int_equal(sheet_kind_of("PK\3\4", 4), SHEET_XLSX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef RUNG_READSTAT
        WITH_CONTEXT(test_spss),  WITH_CONTEXT(test_stata),      WITH_CONTEXT(test_others),
        WITH_CONTEXT(test_like),  WITH_CONTEXT(test_damaged),    WITH_CONTEXT(test_memory),
#else
        WITH_CONTEXT(test_without),
#endif
        WITH_CONTEXT(test_dates), WITH_CONTEXT(test_signatures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
