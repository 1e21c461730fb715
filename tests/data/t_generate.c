// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "data/generate.h"

static void test_toy(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 20000 };
    rung_data *data, *again, *other;
    assert_ok(ctx, generate(ctx, "toy", N, -1, 0, &data));
    assert_int_equal(data->n, N);
    assert_int_equal(data->d, 2);
    assert_int_equal(data->code.n_classes, 5);
    assert_string_equal(data->code.classes[4], "5");
    assert_true(data->code.has_names);
    assert_string_equal(data->code.columns[1].name, "x2");
    assert_string_equal(data->code.label, "label");

    /* The class must be the one of the noiseless score, up to a noise of standard deviation 0.125. */
    static const double edges[] = {-INFINITY, -1, -0.1, 0.25, 1, INFINITY};
    int count[6] = {0}, off = 0;
    double sum[2] = {0};
    for (int64_t i = 0; i < N; i++) {
        const double *x = data->X + 2 * i;
        for (int j = 0; j < 2; j++) {
            assert_true(x[j] >= 0 && x[j] < 1);
            sum[j] += x[j];
        }
        double score = 10 * (x[0] - 0.5) * (x[1] - 0.5);
        int rank = data->y[i];
        assert_in_range(rank, 1, 5);
        assert_true(score > edges[rank - 1] - 0.75 && score < edges[rank] + 0.75); /* six standard deviations */
        off += !(score > edges[rank - 1] && score <= edges[rank]);
        count[rank]++;
    }
    for (int k = 1; k <= 5; k++) assert_true(count[k] > N / 20);
    assert_true(off > N / 50 && off < N / 4); /* there is noise */
    for (int j = 0; j < 2; j++) assert_close(sum[j] / N, 0.5, 0.02);

    assert_ok(ctx, generate(ctx, "toy", 100, -1, 0, &again)); /* a shorter set is the beginning of a longer one */
    assert_memory_equal(again->X, data->X, 200 * sizeof(double));
    assert_memory_equal(again->y, data->y, 100 * sizeof(int));
    ctx->seed = 2;
    assert_ok(ctx, generate(ctx, "toy", 100, -1, 0, &other));
    assert_memory_not_equal(again->X, other->X, 200 * sizeof(double));
    dataset_free(data);
    dataset_free(again);
    dataset_free(other);
}

/* Rows of each class, 1..classes. */
static void count_classes(const rung_data *data, int64_t *count)
{
    for (int k = 0; k <= data->code.n_classes; k++) count[k] = 0;
    for (int64_t i = 0; i < data->n; i++) {
        assert_in_range(data->y[i], 0, data->code.n_classes);
        count[data->y[i]]++;
    }
}

static void test_isbor(void **state)
{
    rung_ctx *ctx = *state;
    static const double edges[] = {-INFINITY, -60, -9, 15, 60, INFINITY};
    rung_data *data;
    assert_ok(ctx, generate(ctx, "isbor", 5000, 0, 0, &data)); /* without noise the class is exact */
    double low = 10, high = 0;
    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->X + 2 * i;
        double score = 10 * (x[0] - 5) * (x[1] - 5);
        assert_true(score > edges[data->y[i] - 1] && score <= edges[data->y[i]]);
        low = fmin(low, fmin(x[0], x[1]));
        high = fmax(high, fmax(x[0], x[1]));
    }
    assert_true(low >= 0 && low < 0.1 && high < 10 && high > 9.9);
    dataset_free(data);
}

static void test_gauss4(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 40000 };
    rung_data *data;
    assert_ok(ctx, generate(ctx, "gauss4", N, -1, 0, &data));
    assert_int_equal(data->code.n_classes, 4);
    double sum[5] = {0}, squares[5] = {0};
    int64_t count[5], wrong = 0;
    count_classes(data, count);
    for (int64_t i = 0; i < N; i++) {
        double x = data->X[2 * i];
        int k = data->y[i], best = (int)fmin(fmax(floor((x + 1) / 2), 1), 4);
        sum[k] += x;
        squares[k] += (x - 2 * k) * (x - 2 * k);
        wrong += best != k;
    }
    for (int k = 1; k <= 4; k++) {
        assert_close((double)count[k] / N, 0.25, 0.01);
        assert_close(sum[k] / (double)count[k], 2 * k, 0.01);
        assert_close(squares[k] / (double)count[k], 1, 0.03);
    }
    assert_close((double)wrong / N, 0.238, 0.01); /* 1.5 P(N(0, 1) > 1), up to the rows two classes away */
    dataset_free(data);
}

static void test_swissroll(void **state)
{
    rung_ctx *ctx = *state;
    const double pi = acos(-1);
    rung_data *data;
    int64_t count[6];
    assert_ok(ctx, generate(ctx, "swissroll", 10000, 0, 0, &data));
    count_classes(data, count);
    for (int k = 1; k <= 5; k++) assert_close((double)count[k] / 10000, 0.2, 0.02);
    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->X + 3 * i;
        double t = hypot(x[0], x[2]), turns = (t / (1.5 * pi) - 1) / 2; /* 0..1 along the roll */
        assert_true(turns >= -1e-12 && turns < 1 + 1e-12);
        assert_close(x[0], t * cos(t), 1e-9);
        if (fabs(5 * turns - round(5 * turns)) > 1e-9) assert_int_equal(data->y[i], 1 + (int)(5 * turns));
    }
    dataset_free(data);
}

static double distance(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

/* The nearest other row has nearly always the same class or the next: the ranks lie along the surface. And other seeds
 * draw from the same one. */
static void test_manifold(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data, *other;
    assert_ok(ctx, generate(ctx, "manifold", 600, -1, 0, &data));
    ctx->seed = 9;
    assert_ok(ctx, generate(ctx, "manifold", 100, -1, 0, &other));
    assert_int_equal(data->d, 50);
    int same = 0, far = 0;
    for (int64_t i = 0; i < other->n; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < data->n; j++)
            if (distance(other->X + 50 * i, data->X + 50 * j, 50) <
                distance(other->X + 50 * i, data->X + 50 * best, 50))
                best = j;
        same += data->y[best] == other->y[i];
        far += abs(data->y[best] - other->y[i]) > 1;
    }
    assert_true(same > 75);
    assert_int_equal(far, 0);
    dataset_free(data);
    dataset_free(other);
}

static void test_noise(void **state)
{
    rung_ctx *ctx = *state;
    const char *name, *help;
    for (int g = 0; (name = generator_name(g, &help)); g++) { /* noise changes the noise, nothing else */
        rung_data *own, *none, *much;
        assert_true(strlen(help) > 20);
        assert_ok(ctx, generate(ctx, name, 200, -1, 0, &own));
        assert_ok(ctx, generate(ctx, name, 200, 0, 0, &none));
        assert_ok(ctx, generate(ctx, name, 200, 100, 0, &much));
        bool other = memcmp(own->y, much->y, 200 * sizeof(int)) != 0 ||
                     memcmp(own->X, much->X, (size_t)(200 * own->d) * sizeof(double)) != 0;
        assert_true(other);
        for (int64_t i = 0; i < 200; i++) assert_in_range(none->y[i], 1, none->code.n_classes);
        dataset_free(own);
        dataset_free(none);
        dataset_free(much);
    }
    assert_string_equal(generator_name(0, NULL), "toy");
    assert_null(generator_name(-1, NULL));
}

static void test_unlabelled(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data, *full;
    int64_t count[6], all[6];
    assert_ok(ctx, generate(ctx, "toy", 1000, -1, 0, &full));
    count_classes(full, all);
    assert_ok(ctx, generate(ctx, "toy", 1000, -1, 0.9, &data));
    count_classes(data, count);
    assert_int_equal(count[0], 900);
    for (int k = 1; k <= 5; k++) assert_true(labs((long)(10 * count[k] - all[k])) <= 10);
    for (int64_t i = 0; i < 1000; i++) assert_true(data->y[i] == 0 || data->y[i] == full->y[i]);
    assert_memory_equal(data->X, full->X, 2000 * sizeof(double));
    dataset_free(data);
    assert_ok(ctx, generate(ctx, "toy", 1000, -1, 1, &data)); /* each class keeps one */
    count_classes(data, count);
    for (int k = 1; k <= 5; k++) assert_int_equal(count[k], 1);
    dataset_free(data);
    dataset_free(full);
}

static void test_errors(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    assert_fails(ctx, generate(ctx, "Toy", 10, -1, 0, &data), RUNG_EARG,
                 "unknown data set 'Toy'; expected one of toy, isbor, gauss4, swissroll, manifold");
    assert_null(data);
    assert_fails(ctx, generate(ctx, "toy", 0, -1, 0, &data), RUNG_EARG, "0 rows");
    assert_fails(ctx, generate(ctx, "toy", 9, NAN, 0, &data), RUNG_EARG, "a noise of nan");
    assert_fails(ctx, generate(ctx, "toy", 9, -1, 1.5, &data), RUNG_EARG, "unlabelled share 1.5 is outside 0..1");
    assert_fails(ctx, generate(ctx, "toy", 9, -1, NAN, &data), RUNG_EARG, "outside 0..1");
    ctx->memory = 1000;
    assert_fails(ctx, generate(ctx, "toy", 1000, -1, 0, &data), RUNG_ELIMIT, "above the memory limit");
    ctx->memory = 0;
    atomic_store(&ctx->interrupted, 1);
    assert_fails(ctx, generate(ctx, "toy", 10, -1, 0, &data), RUNG_EINTERRUPT, "interrupted");
}

static rung_status generate_once(void *ctx)
{
    rung_data *data;
    rung_status status = generate(ctx, "toy", 10, -1, 0.5, &data);
    dataset_free(data);
    return status;
}

static void test_memory(void **state) { assert_true(fail_each_allocation(generate_once, *state) > 5); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_toy),        WITH_CONTEXT(test_isbor),    WITH_CONTEXT(test_gauss4),
        WITH_CONTEXT(test_swissroll),  WITH_CONTEXT(test_manifold), WITH_CONTEXT(test_noise),
        WITH_CONTEXT(test_unlabelled), WITH_CONTEXT(test_errors),   WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
