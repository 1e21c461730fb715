// SPDX-License-Identifier: BSD-3-Clause
/* Answers that are expected to cost least, and costs that are rejected. */
#include "helper.h"

#include "base/rng.h"
#include "eval/cost.h"

enum { K = 5, N = 200 };

static rung_data *toy(rung_ctx *ctx)
{
    rung_data *data;
    assert_ok(ctx, rung_data_generate(ctx, "toy", N, -1, 0, &data));
    return data;
}

static rung_model *fitted(rung_ctx *ctx, const rung_data *data, const double *cost, double abstain)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, "auto", 0, &spec));
    if (cost || abstain > 0) assert_ok(ctx, rung_spec_set_cost(ctx, spec, rung_data_classes(data), cost, abstain));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    return model;
}

/* Absolute costs: the median; zero-one: the most probable class; up dear: never higher than the median. */
static void test_rules(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy(ctx);
    rung_model *model = fitted(ctx, data, NULL, 0);
    rung_view X = rung_data_view(data);
    int rank[4][N];
    double proba[N * K], cost[K * K];
    static const char *const names[] = {"absolute", "zero-one", "squared", "up=5,down=1"};
    rung_output own = {.size = sizeof own, .rank = rank[0], .proba = proba};
    assert_ok(ctx, rung_model_predict(ctx, model, &X, NULL, &own));
    int median[N];
    memcpy(median, rank[0], sizeof median);
    for (int m = 0; m < 4; m++) {
        assert_ok(ctx, rung_cost_parse(ctx, names[m], K, cost));
        rung_output out = {.size = sizeof out, .rank = rank[m]};
        assert_ok(ctx, rung_model_predict(ctx, model, &X,
                                          &(rung_predict_options){.size = sizeof(rung_predict_options), .cost = cost},
                                          &out));
    }
    int lower = 0;
    for (int i = 0; i < N; i++) {
        int likely = 1;
        double mean = 0;
        for (int q = 0; q < K; q++) {
            if (proba[i * K + q] > proba[i * K + likely - 1]) likely = q + 1;
            mean += (q + 1) * proba[i * K + q];
        }
        assert_int_equal(rank[0][i], median[i]);
        assert_int_equal(rank[1][i], likely);
        assert_true(fabs(rank[2][i] - mean) <= 0.5 + 1e-9);
        assert_true(rank[3][i] <= median[i]);
        lower += rank[3][i] < median[i];
    }
    assert_true(lower > N / 20);
    rung_model_free(model);
    rung_data_free(data);
}

/* A model keeps its costs through a save, and answers 0 just where every answer costs more than none. */
static void test_stored(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy(ctx);
    double cost[K * K], proba[N * K], abstain;
    assert_ok(ctx, rung_cost_parse(ctx, "up=3,down=1", K, cost));
    rung_model *model = fitted(ctx, data, cost, 0.4), *again;
    rung_view X = rung_data_view(data);
    char *bytes;
    int64_t size;
    int rank[N], unsure = 0;
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, &size));
    assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
    rung_free(bytes);
    assert_memory_equal(rung_model_cost(again, &abstain), cost, sizeof cost);
    assert_true(abstain == 0.4);
    assert_ok(ctx, rung_model_predict(ctx, again, &X, NULL,
                                      &(rung_output){.size = sizeof(rung_output), .rank = rank, .proba = proba}));
    for (int i = 0; i < N; i++) {
        double least = INFINITY, of_answer = INFINITY;
        for (int a = 0; a < K; a++) {
            double sum = 0;
            for (int q = 0; q < K; q++) sum += proba[i * K + q] * (a > q ? 3 * (a - q) : q - a);
            least = fmin(least, sum);
            if (a + 1 == rank[i]) of_answer = sum;
        }
        unsure += rank[i] == 0;
        assert_true(rank[i] == 0 ? least > 0.4 - 1e-12 : of_answer <= least + 1e-12 && least <= 0.4 + 1e-12);
    }
    assert_true(unsure > 0 && unsure < N);
    rung_model_free(model);
    rung_model_free(again);
    rung_data_free(data);
}

static void test_rejected(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy(ctx);
    double cost[K * K];
    rung_spec *spec;
    rung_model *model;
    assert_fails(ctx, rung_cost_parse(ctx, "up=2", K, cost), RUNG_EARG, "'up=2' is no cost: expected absolute");
    assert_fails(ctx, rung_cost_parse(ctx, "up=-2,down=1", K, cost), RUNG_EARG,
                 "answering class 2 where class 1 is true costs -2: expected a number of at least 0");
    assert_ok(ctx, rung_cost_parse(ctx, "absolute", K, cost));
    cost[1 * K + 1] = 3;
    assert_fails(ctx, rung_cost_check(ctx, K, cost, 0), RUNG_EARG,
                 "where class 2 is true, answering class 1 costs 1, less than the right answer (3)");
    assert_fails(ctx, rung_cost_check(ctx, K, cost, -1), RUNG_EARG, "the cost of no answer is -1");
    assert_ok(ctx, rung_cost_parse(ctx, "absolute", 3, cost));
    assert_ok(ctx, rung_spec_new(ctx, "auto", 0, &spec));
    assert_ok(ctx, rung_spec_set_cost(ctx, spec, 3, cost, 0));
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &model), RUNG_EARG,
                 "the costs are of 3 classes, but the data have 5");
    rung_spec_free(spec);
    assert_ok(ctx, rung_cost_parse(ctx, "absolute", K, cost));
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    assert_ok(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
    assert_ok(ctx, rung_spec_set_cost(ctx, spec, K, cost, 0));
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &model), RUNG_EARG, "costs need probabilities");
    rung_spec_free(spec);
    rung_data_free(data);
}

/* A search by cost ends in a model that has the costs. */
static void test_search(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy(ctx);
    double cost[K * K];
    rung_model *model;
    rung_search *found;
    assert_ok(ctx, rung_cost_parse(ctx, "up=4,down=1", K, cost));
    rung_tune_options o = {
        .size = sizeof o, .methods = (const char *const[]){"pom", NULL}, .metric = "cost", .cost = cost};
    assert_ok(ctx, rung_tune_run(ctx, &o, data, &model, &found));
    assert_memory_equal(rung_model_cost(model, NULL), cost, sizeof cost);
    rung_model_free(model);
    rung_search_free(found);
    o.cost = NULL;
    assert_fails(ctx, rung_tune_run(ctx, &o, data, &model, &found), RUNG_EARG, "the metric cost needs costs");
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_rules), WITH_CONTEXT(test_stored), WITH_CONTEXT(test_rejected),
                                       WITH_CONTEXT(test_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
