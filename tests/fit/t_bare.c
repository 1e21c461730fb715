// SPDX-License-Identifier: BSD-3-Clause
/* Models without training rows: no value of a continuous column survives in the file, as it stood or scaled. */
#include "helper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/model.h"

enum { N = 91, D = 3, K = 3 };

typedef struct {
    double column[D][N], label[N]; /* NaN: missing */
    rung_data *data;
    double *sorted; /* every value, as it stands and scaled */
    int64_t n;
} set;

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(double)); }

/* The medians of columns with missing cells are values of rows: an odd number of cells is left. */
static void set_new(rung_ctx *ctx, set *s)
{
    rng r;
    rung_table *table;
    rng_open(&r, 5, 1);
    for (int64_t i = 0; i < N; i++) {
        double z = rng_normal(&r);
        s->label[i] = i % 7 == 6 ? (double)NAN : 1 + (z > -0.5) + (z > 0.5);
        for (int j = 0; j < D; j++) s->column[j][i] = 3 * j + z * (j < 2) + 0.4 * rng_normal(&r);
        if (i % 9 == 3) s->column[1][i] = NAN;
    }
    assert_ok(ctx, rung_table_new(ctx, N, &table));
    for (int j = 0; j < D; j++)
        assert_ok(ctx, rung_table_add_numbers(ctx, table, (const char *[]){"a", "b", "c"}[j], s->column[j], 1));
    assert_ok(ctx, rung_table_add_numbers(ctx, table, "label", s->label, 1));
    const rung_encode_options how = {.size = sizeof how, .label = "label"};
    assert_ok(ctx, rung_data_encode(ctx, table, &how, &s->data));
    rung_table_free(table);
}

static void set_free(set *s)
{
    rung_data_free(s->data);
    free(s->sorted);
}

static void list_values(const rung_model *model, set *s)
{
    const scaling *scale = &model->members->scale;
    s->sorted = realloc(s->sorted, 2 * N * D * sizeof *s->sorted);
    s->n = 0;
    for (int j = 0; j < D; j++)
        for (int64_t i = 0; i < N; i++) {
            double x = s->column[j][i];
            if (isnan(x)) continue;
            s->sorted[s->n++] = x;
            if (scale->shift) s->sorted[s->n++] = (x - scale->shift[j]) * scale->factor[j];
        }
    qsort(s->sorted, (size_t)s->n, sizeof *s->sorted, by_bytes);
}

/* At any place of the file. */
static int64_t values_found(rung_ctx *ctx, const rung_model *model, set *s)
{
    char *bytes;
    int64_t size, found = 0;
    list_values(model, s);
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, &size));
    for (int64_t at = 0; at + 8 <= size; at++)
        found += bsearch(bytes + at, s->sorted, (size_t)s->n, sizeof(double), by_bytes) != NULL;
    rung_free(bytes);
    return found;
}

static rung_model *fit(rung_ctx *ctx, const set *s, const char *method, const char *scale, int keep)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, method, 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, scale));
    if (!strcmp(method, "auto")) assert_ok(ctx, rung_spec_set(ctx, spec, "effort", "quick"));
    assert_ok(ctx, rung_spec_set_keep_rows(ctx, spec, keep));
    assert_ok(ctx, rung_model_fit(ctx, spec, s->data, &model));
    rung_spec_free(spec);
    return model;
}

static void no_value_survives(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const methods[] = {"auto", "pom", "boost", "lpp"};
    static const char *const scales[] = {"standard", "none"};
    set s = {0};
    set_new(ctx, &s);
    for (int i = 0; i < 5; i++) {
        const char *method = methods[i % 4 + i / 4], *scale = scales[i / 4];
        rung_model *model = fit(ctx, &s, method, scale, 0);
        assert_int_equal(rung_model_stored_rows(model), 0);
        assert_int_equal(rung_model_export_rows(model), 0);
        int64_t found = values_found(ctx, model, &s);
        if (found > 0) fail_msg("%s, %s: %lld values", method, scale, (long long)found);
        rung_model_free(model);
    }
    /* The search finds what there is: rows, or a median. */
    rung_model *model = fit(ctx, &s, "kdlor", "standard", 1);
    assert_true(rung_model_export_rows(model) > 0 && values_found(ctx, model, &s) > N);
    rung_model_free(model);
    model = fit(ctx, &s, "pom", "standard", 1);
    assert_int_equal(values_found(ctx, model, &s), D);
    rung_model_free(model);
    set_free(&s);
}

/* The fill value is the median to two digits of the standard deviation, and the model is still the one of its data. */
static void medians_are_rounded(void **state)
{
    rung_ctx *ctx = *state;
    set s = {0};
    set_new(ctx, &s);
    rung_model *kept = fit(ctx, &s, "pom", "standard", 1), *bare = fit(ctx, &s, "pom", "standard", 0);
    double median = kept->code.columns[1].fill, fill = bare->code.columns[1].fill;
    assert_true(fill != median && fabs(fill - median) < 0.06);
    assert_true(fabs(fill * 10 - round(fill * 10)) < 1e-9);
    assert_true(bare->members->scale.fill[1] == fill);
    rung_model_free(kept);
    rung_model_free(bare);
    set_free(&s);
}

static void refuse(rung_ctx *ctx, const set *s, const char *method, const char *scale, const char *sentence)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, method, 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, scale));
    assert_ok(ctx, rung_spec_set_keep_rows(ctx, spec, 0));
    assert_fails(ctx, rung_model_fit(ctx, spec, s->data, &model), RUNG_EARG, sentence);
    assert_null(model);
    rung_spec_free(spec);
}

static void rows_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    set s = {0};
    set_new(ctx, &s);
    refuse(ctx, &s, "kdlor", "standard", "this kdlor model contains training rows; methods whose models need none: ");
    refuse(ctx, &s, "llgc", "standard", "this llgc model contains training rows; methods");
    refuse(ctx, &s, "pom", "rank", "the scaling rank stores values of the training rows");
    refuse(ctx, &s, "auto", "minmax", "the scaling minmax stores values");
    set_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(no_value_survives), WITH_CONTEXT(medians_are_rounded),
                                       WITH_CONTEXT(rows_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
