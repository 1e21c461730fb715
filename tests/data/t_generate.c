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

static void test_errors(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    assert_fails(ctx, generate(ctx, "Toy", 10, -1, 0, &data), RUNG_EARG, "no data set 'Toy'; known: toy, isbor, gauss4");
    assert_null(data);
    assert_fails(ctx, generate(ctx, "toy", 0, -1, 0, &data), RUNG_EARG, "0 rows");
    ctx->memory = 1000;
    assert_fails(ctx, generate(ctx, "toy", 1000, -1, 0, &data), RUNG_ELIMIT, "above the memory limit");
    ctx->memory = 0;
    atomic_store(&ctx->interrupted, 1);
    assert_fails(ctx, generate(ctx, "toy", 10, -1, 0, &data), RUNG_EINTERRUPT, "interrupted");
}

static rung_status generate_once(void *ctx)
{
    rung_data *data;
    rung_status status = generate(ctx, "toy", 10, -1, 0, &data);
    dataset_free(data);
    return status;
}

static void test_memory(void **state) { assert_true(fail_each_allocation(generate_once, *state) > 5); }

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_toy), WITH_CONTEXT(test_errors), WITH_CONTEXT(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
