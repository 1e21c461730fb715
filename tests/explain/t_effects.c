// SPDX-License-Identifier: BSD-3-Clause
/* Effects, contributions and changes, on models whose answers are known. */
#include "explain/reports.h"

#include "base/rng.h"

enum { N = 300, CLASSES = 4 };

/* y follows 2 x1 + |x2|; the other columns are noise. */
static rung_data *known_data(rung_ctx *ctx, int64_t d, uint64_t seed, bool real)
{
    double *X = calloc((size_t)(N * d), sizeof *X), *target = calloc(N, sizeof *target);
    int *y = calloc(N, sizeof *y);
    rng r;
    rng_open(&r, seed, 1);
    for (int64_t i = 0; i < N * d; i++) X[i] = rng_normal(&r);
    for (int64_t i = 0; i < N; i++) {
        target[i] = 2 * X[i * d] + 2 * fabs(X[i * d + 1]) + 0.3 * rng_normal(&r);
        y[i] = 1 + (target[i] > 0) + (target[i] > 1.5) + (target[i] > 3);
    }
    rung_view view = {.v = X, .n = N, .d = d, .row = d, .col = 1};
    rung_data *data;
    if (real)
        assert_ok(ctx, rung_data_new_real(ctx, &view, target, NULL, &data));
    else
        assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, CLASSES, &data));
    free(X);
    free(y);
    free(target);
    return data;
}

static double at(const json_t *list, size_t i) { return json_number_value(json_array_get(list, i)); }

/* The first rises, the second is a valley, and the third is flat; class probabilities are those of a distribution. */
static void test_shapes(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = known_data(ctx, 3, 1, false);
    rung_model *model = fitted(ctx, "auto", NULL, data);
    char *text[2];
    for (int i = 0; i < 2; i++) {
        rung_ctx_set_threads(ctx, 1 + 2 * i);
        assert_ok(ctx, rung_effects_run(ctx, model, data, NULL, &text[i]));
    }
    assert_string_equal(text[0], text[1]);
    rung_free(text[1]);
    json_t *report = parsed(text[0]);
    static const char *const keys[] = {"dependence", "local"};
    for (int k = 0; k < 2; k++) {
        const json_t *rise = json_object_get(column(report, "x1"), keys[k]),
                     *valley = json_object_get(column(report, "x2"), keys[k]),
                     *flat = json_object_get(column(report, "x3"), keys[k]);
        size_t n = json_array_size(rise), middle = json_array_size(valley) / 2, last = json_array_size(valley) - 1;
        for (size_t i = 1; i < n; i++) assert_true(at(rise, i) > at(rise, i - 1) - 0.02);
        assert_true(at(rise, n - 1) - at(rise, 0) > 1.5);
        assert_true(at(valley, 0) - at(valley, middle) > 0.4 && at(valley, last) - at(valley, middle) > 0.4);
        for (size_t i = 0; i < json_array_size(flat); i++) assert_true(fabs(at(flat, i) - at(flat, 0)) < 0.45);
    }
    const json_t *one = column(report, "x1"), *shares = json_object_get(one, "dependence_classes"),
                 *change = json_object_get(one, "local_classes"), *counts = json_object_get(one, "counts");
    double rows = 0;
    for (size_t k = 0; k < json_array_size(shares); k++) {
        double sum = 0, zero = 0, expected = 0;
        for (size_t q = 0; q < CLASSES; q++) {
            sum += at(json_array_get(shares, k), q);
            zero += at(json_array_get(change, k), q);
            expected += (double)(q + 1) * at(json_array_get(shares, k), q);
        }
        assert_close(sum, 1, 1e-9);
        assert_close(zero, 0, 1e-9);
        assert_close(expected, at(json_object_get(one, "dependence"), k), 1e-9);
        rows += at(counts, k);
    }
    assert_true(rows == N);
    json_decref(report);
    rung_model_free(model);
    rung_data_free(data);
}

/* A linear model of real numbers: both effects are its slope, and there is no interaction. */
static void test_linear(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = known_data(ctx, 3, 2, true);
    rung_model *model = fitted(ctx, "krr", "linear", data);
    rung_coefficient c = {.size = sizeof c};
    char *text;
    assert_ok(ctx, rung_effects_run(
                       ctx, model, data,
                       &(rung_effects_options){.size = sizeof(rung_effects_options), .columns = LIST("x1")}, &text));
    json_t *report = parsed(text), *one = column(report, "x1");
    assert_int_equal(rung_model_coefficient(model, 0, 0, &c), 1);
    const json_t *x = json_object_get(one, "values");
    for (size_t k = 1; k < json_array_size(x); k++)
        for (int key = 0; key < 2; key++) {
            const json_t *v = json_object_get(one, key ? "local" : "dependence");
            assert_close((at(v, k) - at(v, 0)) / (at(x, k) - at(x, 0)), c.value, 1e-9);
        }
    json_decref(report);
    rung_effects_options pair = {.size = sizeof pair, .columns = LIST("x1", "x3"), .pair = 1};
    assert_ok(ctx, rung_effects_run(ctx, model, data, &pair, &text));
    report = parsed(text);
    assert_true(json_number_value(json_object_get(report, "interaction")) < 1e-12);
    assert_int_equal(json_array_size(json_object_get(report, "map")), 11);
    json_decref(report);
    pair.columns = LIST("x1");
    assert_fails(ctx, rung_effects_run(ctx, model, data, &pair, &text), RUNG_EARG, "of two columns, not of 1");
    pair.columns = LIST("x1", "y9");
    assert_fails(ctx, rung_effects_run(ctx, model, data, &pair, &text), RUNG_EARG, "the model has no column 'y9'");
    rung_model_free(model);
    rung_data_free(data);
}

static double sum_of(const json_t *report)
{
    double sum = 0;
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(report, "columns"), i, one) sum +=
        json_number_value(json_object_get(one, "contribution"));
    return sum;
}

/* Contributions add up to the difference from the average, exact or sampled, whatever the number of threads. */
static void test_contributions(void **state)
{
    rung_ctx *ctx = *state;
    for (int64_t d = 3; d <= 13; d += 10) {
        rung_data *data = known_data(ctx, d, 3, false);
        rung_model *model = fitted(ctx, "auto", NULL, data);
        char *text[2];
        rung_row_options o = {.size = sizeof o, .row = 7};
        for (int i = 0; i < 2; i++) {
            rung_ctx_set_threads(ctx, 1 + 2 * i);
            assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &text[i]));
        }
        assert_string_equal(text[0], text[1]);
        rung_free(text[1]);
        json_t *report = parsed(text[0]);
        double answer = json_number_value(json_object_get(report, "answer")),
               average = json_number_value(json_object_get(report, "average"));
        assert_true(json_is_true(json_object_get(report, "exact")) == (d == 3));
        assert_close(sum_of(report), answer - average, 1e-10);
        double *proba = calloc(CLASSES, sizeof *proba), expected = 0;
        rung_view X = rung_data_view(data);
        X.v += 7 * X.row;
        X.n = 1;
        assert_ok(
            ctx, rung_model_predict(ctx, model, &X, NULL, &(rung_output){.size = sizeof(rung_output), .proba = proba}));
        for (int q = 0; q < CLASSES; q++) expected += (q + 1) * proba[q];
        assert_close(answer, expected, 1e-12);
        free(proba);
        json_decref(report);
        rung_model_free(model);
        rung_data_free(data);
    }
}

/* A linear model: the contribution of a column is its slope times the distance from the background's mean, exactly; the
 * sampled ones agree, because nothing interacts. */
static void test_linear_contributions(void **state)
{
    rung_ctx *ctx = *state;
    for (int64_t d = 3; d <= 12; d += 9) {
        rung_data *data = known_data(ctx, d, 4, true);
        rung_model *model = fitted(ctx, "krr", "linear", data);
        rung_view X = rung_data_view(data);
        rung_row_options o = {.size = sizeof o, .row = 5, .rows = N, .samples = N};
        char *text;
        assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &text));
        json_t *report = parsed(text);
        for (int j = 0; j < d; j++) {
            rung_coefficient c = {.size = sizeof c};
            double mean = 0;
            char name[24];
            snprintf(name, sizeof name, "x%d", j + 1);
            assert_int_equal(rung_model_coefficient(model, 0, j, &c), 1);
            for (int64_t i = 0; i < N; i++) mean += X.v[i * X.row + j * X.col] / N;
            assert_close(json_number_value(json_object_get(column(report, name), "contribution")),
                         c.value * (X.v[5 * X.row + j * X.col] - mean), 1e-9);
        }
        json_decref(report);
        rung_model_free(model);
        rung_data_free(data);
    }
}

/* The answer for row x of the data whose cells in `set` are those of the row, averaged over the data. */
static double mean_answer(rung_ctx *ctx, const rung_model *model, const rung_view *X, int64_t row, unsigned set)
{
    double *v = calloc((size_t)(X->n * X->d), sizeof *v), *proba = calloc((size_t)(X->n * CLASSES), sizeof *proba),
           sum = 0;
    for (int64_t i = 0; i < X->n; i++)
        for (int64_t j = 0; j < X->d; j++) v[i * X->d + j] = X->v[(set >> j & 1 ? row : i) * X->row + j * X->col];
    rung_view all = {.v = v, .n = X->n, .d = X->d, .row = X->d, .col = 1};
    assert_ok(ctx,
              rung_model_predict(ctx, model, &all, NULL, &(rung_output){.size = sizeof(rung_output), .proba = proba}));
    for (int64_t i = 0; i < X->n; i++)
        for (int q = 0; q < CLASSES; q++) sum += (q + 1) * proba[i * CLASSES + q];
    free(v);
    free(proba);
    return sum / (double)X->n;
}

/* Shapley values by their definition, against all rows. */
static double *by_definition(rung_ctx *ctx, const rung_model *model, const rung_data *data, int64_t row)
{
    rung_view X = rung_data_view(data);
    unsigned sets = 1u << X.d;
    double *value = calloc(sets, sizeof *value), *phi = calloc((size_t)X.d, sizeof *phi);
    for (unsigned set = 0; set < sets; set++) value[set] = mean_answer(ctx, model, &X, row, set);
    for (unsigned set = 0; set < sets; set++) {
        int size = 0;
        for (int64_t j = 0; j < X.d; j++) size += (int)(set >> j & 1);
        for (int64_t j = 0; j < X.d; j++)
            if (!(set >> j & 1))
                phi[j] += tgamma(size + 1) * tgamma((double)X.d - size) / tgamma((double)X.d + 1) *
                          (value[set | 1u << j] - value[set]);
    }
    free(value);
    return phi;
}

static double of_column(const json_t *report, int64_t j, const char *key)
{
    char name[24];
    snprintf(name, sizeof name, "x%lld", (long long)j + 1);
    return json_number_value(json_object_get(column(report, name), key));
}

/* What is called exact is, over all rows; what is not has a standard error that holds: of the rows that were taken, and
 * of the orders of columns. */
static void test_against_definition(void **state)
{
    rung_ctx *ctx = *state;
    enum { D = 6, FEW = 40 };
    rung_data *data = known_data(ctx, D, 6, false);
    rung_model *model = fitted(ctx, "boost", NULL, data);
    static const struct {
        int64_t rows;
        int samples;
    } ways[] = {{0, 0}, {FEW, 0}, {0, 60}};
    double off = 0;
    int numbers = 0;
    for (int64_t row = 0; row < 4; row++) {
        double *phi = by_definition(ctx, model, data, row);
        for (int way = 0; way < 3; way++) {
            rung_row_options o = {.size = sizeof o, .row = row, .rows = ways[way].rows, .samples = ways[way].samples};
            char *text;
            assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &text));
            json_t *report = parsed(text);
            bool exact = json_is_true(json_object_get(report, "exact"));
            int64_t used = json_integer_value(json_object_get(report, "background"));
            assert_int_equal(used, ways[way].rows ? ways[way].rows : exact ? N : ways[way].samples);
            assert_int_equal(json_integer_value(json_object_get(report, "background_of")), N);
            assert_true(exact ? used == N : used < N);
            for (int64_t j = 0; j < D; j++) {
                double error = of_column(report, j, "error"), miss = of_column(report, j, "contribution") - phi[j];
                if (exact) {
                    assert_true(error == 0);
                    assert_close(miss, 0, 1e-10);
                    continue;
                }
                assert_true(error > 0 || fabs(miss) < 1e-10);
                off += error > 0 ? miss * miss / (error * error) : 0;
                numbers += error > 0;
            }
            json_decref(report);
        }
        free(phi);
    }
    assert_true(numbers > 30 && off / numbers > 0.2 && off / numbers < 2.5);
    rung_model_free(model);
    rung_data_free(data);
}

/* A single row is compared with the background that is given; alone it has nothing to be compared with. */
static void test_background(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = known_data(ctx, 3, 7, false), *one;
    rung_model *model = fitted(ctx, "pom", NULL, data);
    rung_view X = rung_data_view(data);
    X.v += 9 * X.row;
    X.n = 1;
    int rank = 0;
    char *text[2];
    assert_ok(ctx, rung_data_new(ctx, &X, &rank, NULL, CLASSES, &one));
    rung_row_options inside = {.size = sizeof inside, .row = 9}, alone = {.size = sizeof alone};
    assert_fails(ctx, rung_row_explain(ctx, model, one, &alone, &text[0]), RUNG_EDATA, "only one row");
    rung_row_options of_one = {.size = sizeof of_one, .rows = 1};
    assert_fails(ctx, rung_row_explain(ctx, model, data, &of_one, &text[0]), RUNG_EARG, "at least 2 rows");
    alone.background = data;
    assert_ok(ctx, rung_row_explain(ctx, model, data, &inside, &text[0]));
    assert_ok(ctx, rung_row_explain(ctx, model, one, &alone, &text[1]));
    json_t *a = parsed(text[0]), *b = parsed(text[1]);
    assert_true(json_equal(json_object_get(a, "columns"), json_object_get(b, "columns")));
    assert_true(json_equal(json_object_get(a, "changes"), json_object_get(b, "changes")));
    assert_true(fabs(of_column(a, 0, "contribution")) > 0.01);
    json_decref(a);
    json_decref(b);
    rung_model_free(model);
    rung_data_free(data);
    rung_data_free(one);
}

/* A change does what it says: the changed row has the rank it names, one column less does not, fixed columns stay. */
static void test_changes(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = known_data(ctx, 3, 5, false);
    rung_model *model = fitted(ctx, "pom", NULL, data);
    rung_view X = rung_data_view(data);
    static const char *const ways[] = {"down", "up"};
    int found = 0;
    for (int64_t row = 0; row < 12; row++)
        for (int fixed = 0; fixed < 2; fixed++) {
            rung_row_options o = {.size = sizeof o, .row = row, .fixed = fixed ? LIST("x1") : NULL};
            char *text;
            assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &text));
            json_t *report = parsed(text);
            int rank = (int)json_integer_value(json_object_get(report, "rank"));
            for (int way = 0; way < 2; way++) {
                const json_t *change = json_object_get(json_object_get(report, "changes"), ways[way]);
                if (!json_is_object(change)) continue;
                double x[3];
                int answer;
                size_t i;
                json_t *one;
                for (int j = 0; j < 3; j++) x[j] = X.v[row * X.row + j * X.col];
                json_array_foreach(json_object_get(change, "columns"), i, one)
                {
                    int j = json_string_value(json_object_get(one, "name"))[1] - '1';
                    assert_true(!fixed || j != 0);
                    assert_true(json_number_value(json_object_get(one, "from")) == x[j]);
                    x[j] = json_number_value(json_object_get(one, "to"));
                }
                rung_view one_row = {.v = x, .n = 1, .d = 3, .row = 3, .col = 1};
                assert_ok(ctx, rung_model_predict(ctx, model, &one_row, NULL,
                                                  &(rung_output){.size = sizeof(rung_output), .rank = &answer}));
                assert_int_equal(answer, json_integer_value(json_object_get(change, "rank")));
                assert_true(way ? answer > rank : answer < rank);
                found++;
            }
            json_decref(report);
        }
    assert_true(found > 12);
    char *text;
    rung_row_options o = {.size = sizeof o, .row = N};
    assert_fails(ctx, rung_row_explain(ctx, model, data, &o, &text), RUNG_EARG, "there is no row 301");
    rung_model_free(model);
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_shapes),
                                       WITH_CONTEXT(test_linear),
                                       WITH_CONTEXT(test_contributions),
                                       WITH_CONTEXT(test_linear_contributions),
                                       WITH_CONTEXT(test_against_definition),
                                       WITH_CONTEXT(test_background),
                                       WITH_CONTEXT(test_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
