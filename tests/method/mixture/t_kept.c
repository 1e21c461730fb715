// SPDX-License-Identifier: BSD-3-Clause
/* What a mixture keeps is what it reports, what it measures and what is in the model. */
#include "helper.h"

#include "base/rng.h"
#include "method/mixture/mixture.h"

static double reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return *m->report[i].value;
    return NAN;
}

/* The weight of the members of a kind, by what they are and not by what was said of them. */
static double written(const rung_model *m, const char *name)
{
    double sum = 0, total = 0;
    for (int i = 0; i < m->n_members; i++) {
        const member *one = &m->members[i];
        bool trees = one->score.kind == SCORER_TREES, rows = one->score.kind == SCORER_KERNEL;
        const char *own = trees                                  ? "weight_trees"
                          : one->score.kind == SCORER_CONSTANT   ? "weight_frequencies"
                          : one->score.kind == SCORER_NEIGHBOURS ? "weight_unlabelled"
                          : rows && one->proba == PROBA_PROBIT   ? "weight_processes"
                                                                 : "weight_ridges";
        if (strcmp(own, name) == 0) sum += one->weight;
        total += one->weight;
    }
    return sum / total;
}

static void check_weights(const rung_model *m)
{
    static const char *const names[] = {"weight_processes", "weight_ridges", "weight_unlabelled", "weight_trees",
                                        "weight_frequencies"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_close(reported(m, names[i]), written(m, names[i]), 1e-12);
}

/* Three classes by two steps that cross: trees find them, kernels do not. */
static rung_data *crossed_steps(rung_ctx *ctx, int64_t n, uint64_t seed)
{
    enum { D = 6 };
    double *x = malloc(sizeof *x * (size_t)(n * D));
    int *y = malloc(sizeof *y * (size_t)n);
    rung_data *data;
    rng r;
    rng_open(&r, seed, 1);
    for (int64_t i = 0; i < n; i++) {
        double *row = x + i * D;
        for (int j = 0; j < D; j++) row[j] = rng_normal(&r);
        y[i] = 1 + ((row[0] > 0) ^ (row[1] > 0.3)) + ((row[2] > -0.4) ^ (row[3] > 0));
    }
    rung_view X = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, 3, &data));
    free(x);
    free(y);
    return data;
}

static rung_model *fit(rung_ctx *ctx, const rung_data *data, bool balanced)
{
    rung_spec *spec;
    rung_model *m;
    assert_ok(ctx, rung_spec_new(ctx, "auto", 0, &spec));
    assert_ok(ctx, spec_set_balanced(ctx, spec, balanced));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
    rung_spec_free(spec);
    return m;
}

/* The mean absolute error of the model on the rows of a data set. */
static double error_of(rung_ctx *ctx, const rung_model *m, const rung_data *data)
{
    int *rank = malloc(sizeof *rank * (size_t)data->n);
    double sum = 0;
    rung_view X = rung_data_view(data);
    assert_ok(ctx, rung_model_predict(ctx, m, &X, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    for (int64_t i = 0; i < data->n; i++) sum += abs(rank[i] - data->y[i]);
    free(rank);
    return sum / (double)data->n;
}

/* Trees alone are kept: the class frequencies, which come before them and weigh nothing, must not fill the gap. */
static void trees_alone(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = crossed_steps(ctx, 700, 1), *new = crossed_steps(ctx, 2000, 2);
    rung_model *m = fit(ctx, data, false);
    check_weights(m);
    assert_true(written(m, "weight_trees") > 0.9); /* kernels are dropped */
    assert_true(fabs(error_of(ctx, m, new) - m->cv.mae) < 0.06);
    rung_model_free(m);
    rung_data_free(new);
    rung_data_free(data);
}

/* Where nothing is learned the class frequencies are written, and the error is that of the constant they answer. */
static void constants_are_scored(void **state)
{
    enum { N = 60, D = 3 };
    rung_ctx *ctx = *state;
    int given_up[2] = {0};
    for (int balanced = 0; balanced < 2; balanced++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            double x[N * D];
            int y[N];
            rung_data *data;
            rng r;
            rng_open(&r, seed, 3);
            for (int i = 0; i < N; i++) {
                y[i] = 1 + (i >= (balanced ? 42 : 30));
                for (int j = 0; j < D; j++) x[i * D + j] = rng_normal(&r);
            }
            rung_view X = {.v = x, .n = N, .d = D, .row = D, .col = 1};
            assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, 2, &data));
            rung_model *m = fit(ctx, data, balanced);
            check_weights(m);
            bool only = m->n_members == 1 && m->members->score.kind == SCORER_CONSTANT;
            given_up[balanced] += only;
            if (only) assert_close(m->cv.mae, error_of(ctx, m, data), 1e-12);
            rung_model_free(m);
            rung_data_free(data);
        }
    assert_true(given_up[0] > 0 && given_up[1] > 0);
}

/* Light parts are dropped, the frequencies are not, and something always stays; the weights sum to one. */
static void what_is_kept(void **state)
{
    enum { CANDIDATES = 4, FAMILIES = 4 };
    rung_ctx *ctx = *state;
    double loo = 0, within[CANDIDATES] = {0.7, 0.3, 0.5, 0.5};
    candidate list[CANDIDATES] = {{.loo = &loo}, {.loo = &loo}, {.loo = &loo}, {.loo = NULL}};
    candidates c = {.n = CANDIDATES, .list = list};
    const mixture_family families[FAMILIES] = {
        {.first = 0, .count = 2}, {.first = 2, .count = 2}, {.count = 0}, {.trees = 2, .held = true}};
    mixture_kept k;
    assert_ok(ctx, kept_choose(ctx, FAMILIES, families, (const double[]){0.01, 0, 0, 0.99}, &c, within, 0.005, &k));
    assert_int_equal(k.n, 2);
    assert_true(k.parts[0].candidate == 0 && k.parts[1].candidate == -3 && k.candidate[0] && !k.candidate[1]);
    assert_close(k.parts[0].weight, 0.007 / 0.997, 1e-15);
    assert_close(kept_weight(&k, 0) + kept_weight(&k, 3), 1, 1e-15);
    assert_close(k.share[0], 0.7, 1e-15);
    assert_ok(ctx, kept_choose(ctx, FAMILIES, families, (const double[]){0, 0, 1e-9, 1}, &c, within, 0.005, &k));
    assert_true(k.n == 2 && k.parts[0].candidate == -1 && k.parts[1].candidate == -3);
    assert_ok(ctx,
              kept_choose(ctx, 2, families, (const double[]){0.6, 0.4}, &c, within, 0.5, &k)); /* none reaches it */
    assert_true(k.n == 1 && k.parts[0].candidate == 0 && k.parts[0].weight == 1);
    assert_ok(ctx, kept_frequencies(ctx, FAMILIES, families, &c, &k));
    assert_true(k.n == 1 && k.parts[0].candidate == -1 && kept_weight(&k, 2) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(what_is_kept), WITH_CONTEXT(trees_alone),
                                       WITH_CONTEXT(constants_are_scored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
