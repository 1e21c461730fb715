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

/* The first rises, the second is a valley, and the third is flat; class probabilities are those of a distribution. */
static void test_shapes(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = known_data(ctx, 3, 1, false);
    rung_model *model = fitted(ctx, "auto", NULL, data);
    rung_effects *found, *again[2];
    for (int i = 0; i < 2; i++) {
        rung_ctx_set_threads(ctx, 1 + 2 * i);
        assert_ok(ctx, rung_effects_run(ctx, model, data, NULL, &again[i]));
    }
    found = again[0];
    assert_true(same_effects(found, again[1]));
    rung_effects_free(again[1]);
    const rung_effect *one = effect(found, "x1"), *second = effect(found, "x2"), *third = effect(found, "x3");
    assert_null(rung_effects_at(found, 3));
    for (int k = 0; k < 2; k++) {
        const double *rise = k ? one->local : one->dependence, *valley = k ? second->local : second->dependence,
                     *flat = k ? third->local : third->dependence;
        int n = one->n, last = second->n - 1, middle = second->n / 2;
        for (int i = 1; i < n; i++) assert_true(rise[i] > rise[i - 1] - 0.02);
        assert_true(rise[n - 1] - rise[0] > 1.5);
        assert_true(valley[0] - valley[middle] > 0.4 && valley[last] - valley[middle] > 0.4);
        for (int i = 0; i < third->n; i++) assert_true(fabs(flat[i] - flat[0]) < 0.45);
    }
    assert_int_equal(rung_effects_about(found)->classes, CLASSES);
    int64_t rows = 0;
    for (int k = 0; k < one->n; k++) {
        double sum = 0, zero = 0, expected = 0;
        for (int q = 0; q < CLASSES; q++) {
            sum += one->class_dependence[k * CLASSES + q];
            zero += one->class_local[k * CLASSES + q];
            expected += (q + 1) * one->class_dependence[k * CLASSES + q];
        }
        assert_close(sum, 1, 1e-9);
        assert_close(zero, 0, 1e-9);
        assert_close(expected, one->dependence[k], 1e-9);
        rows += one->count[k];
    }
    assert_true(rows == N && rung_effects_about(found)->rows == N);
    rung_effects_free(found);
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
    rung_effects *found;
    assert_ok(ctx, rung_effects_run(
                       ctx, model, data,
                       &(rung_effects_options){.size = sizeof(rung_effects_options), .columns = LIST("x1")}, &found));
    const rung_effect *one = effect(found, "x1");
    assert_int_equal(rung_model_coefficient(model, 0, 0, &c), 1);
    for (int k = 1; k < one->n; k++) {
        double step = one->value[k] - one->value[0];
        assert_close((one->dependence[k] - one->dependence[0]) / step, c.value, 1e-9);
        assert_close((one->local[k] - one->local[0]) / step, c.value, 1e-9);
    }
    assert_null(rung_effects_about(found)->map);
    rung_effects_free(found);
    rung_effects_options pair = {.size = sizeof pair, .columns = LIST("x1", "x3"), .pair = 1};
    assert_ok(ctx, rung_effects_run(ctx, model, data, &pair, &found));
    const rung_effects_summary *about = rung_effects_about(found);
    const rung_effect *first = effect(found, "x1"), *other = effect(found, "x3");
    assert_true(about->interaction < 1e-12);
    assert_int_equal(first->n, 11);
    for (int i = 0; i < first->n; i++) /* what a row of the map differs by is the slope of its column */
        assert_close(about->map[i * other->n] - about->map[0], c.value * (first->value[i] - first->value[0]), 1e-9);
    rung_effects_free(found);
    pair.columns = LIST("x1");
    assert_fails(ctx, rung_effects_run(ctx, model, data, &pair, &found), RUNG_EARG, "of two columns, not of 1");
    pair.columns = LIST("x1", "y9");
    assert_fails(ctx, rung_effects_run(ctx, model, data, &pair, &found), RUNG_EARG, "the model has no column 'y9'");
    rung_model_free(model);
    rung_data_free(data);
}

static double sum_of(const rung_row *found)
{
    double sum = 0;
    const rung_contribution *one;
    for (int i = 0; (one = rung_row_at(found, i)); i++) sum += one->value;
    return sum;
}

/* Contributions add up to the difference from the average, exact or sampled, whatever the number of threads. */
static void test_contributions(void **state)
{
    rung_ctx *ctx = *state;
    for (int64_t d = 3; d <= 13; d += 10) {
        rung_data *data = known_data(ctx, d, 3, false);
        rung_model *model = fitted(ctx, "auto", NULL, data);
        rung_row *found[2];
        rung_row_options o = {.size = sizeof o, .row = 7};
        for (int i = 0; i < 2; i++) {
            rung_ctx_set_threads(ctx, 1 + 2 * i);
            assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &found[i]));
        }
        assert_true(same_row(found[0], found[1]));
        const rung_row_summary *about = rung_row_about(found[0]);
        assert_int_equal(about->row, 7);
        assert_int_equal(about->exact, d == 3);
        assert_close(sum_of(found[0]), about->answer - about->average, 1e-10);
        double *proba = calloc(CLASSES, sizeof *proba), expected = 0;
        rung_view X = rung_data_view(data);
        X.v += 7 * X.row;
        X.n = 1;
        assert_ok(
            ctx, rung_model_predict(ctx, model, &X, NULL, &(rung_output){.size = sizeof(rung_output), .proba = proba}));
        for (int q = 0; q < CLASSES; q++) expected += (q + 1) * proba[q];
        assert_close(about->answer, expected, 1e-12);
        assert_memory_equal(about->proba, proba, CLASSES * sizeof *proba);
        free(proba);
        for (int i = 0; i < 2; i++) rung_row_free(found[i]);
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
        rung_row *found;
        assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &found));
        for (int j = 0; j < d; j++) {
            rung_coefficient c = {.size = sizeof c};
            double mean = 0;
            char name[24];
            snprintf(name, sizeof name, "x%d", j + 1);
            assert_int_equal(rung_model_coefficient(model, 0, j, &c), 1);
            for (int64_t i = 0; i < N; i++) mean += X.v[i * X.row + j * X.col] / N;
            assert_close(contribution(found, name)->value, c.value * (X.v[5 * X.row + j * X.col] - mean), 1e-9);
        }
        rung_row_free(found);
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

static const rung_contribution *of_column(const rung_row *found, int64_t j)
{
    char name[24];
    snprintf(name, sizeof name, "x%lld", (long long)j + 1);
    return contribution(found, name);
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
            rung_row *found;
            assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &found));
            bool exact = rung_row_about(found)->exact;
            int64_t used = rung_row_about(found)->background;
            assert_int_equal(used, ways[way].rows ? ways[way].rows : exact ? N : ways[way].samples);
            assert_int_equal(rung_row_about(found)->background_of, N);
            assert_true(exact ? used == N : used < N);
            for (int64_t j = 0; j < D; j++) {
                double error = of_column(found, j)->error, miss = of_column(found, j)->value - phi[j];
                if (exact) {
                    assert_true(error == 0);
                    assert_close(miss, 0, 1e-10);
                    continue;
                }
                assert_true(error > 0 || fabs(miss) < 1e-10);
                off += error > 0 ? miss * miss / (error * error) : 0;
                numbers += error > 0;
            }
            rung_row_free(found);
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
    rung_row *found[2];
    assert_ok(ctx, rung_data_new(ctx, &X, &rank, NULL, CLASSES, &one));
    rung_row_options inside = {.size = sizeof inside, .row = 9}, alone = {.size = sizeof alone};
    assert_fails(ctx, rung_row_explain(ctx, model, one, &alone, &found[0]), RUNG_EDATA, "only one row");
    rung_row_options of_one = {.size = sizeof of_one, .rows = 1};
    assert_fails(ctx, rung_row_explain(ctx, model, data, &of_one, &found[0]), RUNG_EARG, "at least 2 rows");
    alone.background = data;
    assert_ok(ctx, rung_row_explain(ctx, model, data, &inside, &found[0]));
    assert_ok(ctx, rung_row_explain(ctx, model, one, &alone, &found[1]));
    assert_true(same_row(found[0], found[1]));
    assert_true(fabs(of_column(found[0], 0)->value) > 0.01);
    for (int i = 0; i < 2; i++) rung_row_free(found[i]);
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
    rung_row *found;
    int changes = 0;
    for (int64_t row = 0; row < 12; row++)
        for (int fixed = 0; fixed < 2; fixed++) {
            rung_row_options o = {.size = sizeof o, .row = row, .fixed = fixed ? LIST("x1") : NULL};
            assert_ok(ctx, rung_row_explain(ctx, model, data, &o, &found));
            int rank = rung_row_about(found)->rank;
            for (int up = 0; up < 2; up++) {
                const rung_change *one, *last = NULL;
                double x[3];
                int answer;
                for (int j = 0; j < 3; j++) x[j] = X.v[row * X.row + j * X.col];
                for (int i = 0; (one = rung_row_change(found, up, i)); i++) {
                    int j = one->name[1] - '1';
                    assert_true(!fixed || j != 0);
                    assert_null(one->from.text);
                    assert_true(one->from.number == x[j]);
                    x[j] = one->to.number;
                    last = one;
                }
                if (!last) continue;
                rung_view one_row = {.v = x, .n = 1, .d = 3, .row = 3, .col = 1};
                assert_ok(ctx, rung_model_predict(ctx, model, &one_row, NULL,
                                                  &(rung_output){.size = sizeof(rung_output), .rank = &answer}));
                assert_int_equal(answer, last->rank);
                assert_true(up ? answer > rank : answer < rank);
                changes++;
            }
            rung_row_free(found);
        }
    assert_true(changes > 12);
    rung_row_options o = {.size = sizeof o, .row = N};
    assert_fails(ctx, rung_row_explain(ctx, model, data, &o, &found), RUNG_EARG, "there is no row 301");
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
