// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "method/fit.h"
#include "select/tune.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* n rows of two columns, K classes along a bent direction; labels shuffled on request, every third row unlabelled. */
static rung_data *make_data(rung_ctx *ctx, int64_t n, int K, bool shuffled, bool unlabelled)
{
    double *x = malloc(sizeof *x * (size_t)(2 * n));
    int *y = malloc(sizeof *y * (size_t)n);
    rng r;
    rng_open(&r, 21, shuffled);
    for (int64_t i = 0; i < n; i++) {
        x[2 * i] = rng_uniform(&r);
        x[2 * i + 1] = rng_uniform(&r);
        double t = x[2 * i] + 0.5 * sin(5 * x[2 * i + 1]) + 0.15 * rng_normal(&r);
        int q = 1 + (int)floor((t + 0.4) / 1.8 * K);
        y[i] = q < 1 ? 1 : q > K ? K : q;
    }
    for (int64_t i = n - 1; i > 0 && shuffled; i--) {
        int64_t j = rng_below(&r, i + 1);
        int t = y[i];
        y[i] = y[j];
        y[j] = t;
    }
    for (int64_t i = 0; i < n && unlabelled; i += 3) y[i] = 0;
    rung_view view = {.v = x, .n = n, .d = 2, .row = 2, .col = 1};
    rung_data *data;
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, K, &data));
    free(x);
    free(y);
    return data;
}

typedef struct {
    search s;
    rung_model *model;
} outcome;

static outcome run(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data)
{
    outcome out = {0};
    assert_ok(ctx, tune_run(ctx, &ctx->scratch, o, data, &out.s, &out.model));
    return out;
}

static void finish(outcome *o)
{
    grid_free(&o->s.grid);
    model_free(o->model);
}

static int64_t calls(const rung_ctx *ctx, const char *op)
{
    for (int i = 0; la_op_name(i); i++)
        if (strcmp(la_op_name(i), op) == 0) return ctx->ops[i].calls;
    return -1;
}

/* 4 widths x 3 ridges x 5 folds: the distances once, 4 Gram matrices, 12 factorisations and inverses. */
static void nothing_is_computed_twice(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 300, 4, false, true);
    rung_tune_options o = {
        .methods = LIST("kdlor"), .grids = LIST("gamma=0.1,1,3/d,10", "ridge=1,0.1,0.01"), .repeats = 1};
    outcome out = run(ctx, &o, data);
    assert_int_equal(out.s.grid.n, 12);
    assert_int_equal(calls(ctx, "gram"), 1);
    assert_int_equal(calls(ctx, "map"), 4 + 1);        /* one more for the winner's fit on all rows */
    assert_int_equal(calls(ctx, "potri"), 12);         /* each point's inverse serves its folds */
    assert_int_equal(calls(ctx, "potrf"), 12 * 6 + 1); /* each point, its five held-out blocks, the winner */
    finish(&out);
    dataset_free(data);
}

/* Points that differ in a cheap parameter share a factorisation in each fold, the root of a kernel matrix serves all
 * folds, and the results are those of points that run alone. */
static void cheap_parameters_share_factors(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *method, *cheap, *values[3];
    } cases[] = {{"sosvm", "lambda2", {"lambda2=0.1", "lambda2=1", "lambda2=10"}},
                 {"lapsvm", "C", {"C=0.1", "C=1", "C=10"}}};
    rung_data *data = make_data(ctx, 90, 3, false, true);
    for (int c = 0; c < 2; c++) {
        char axis[40];
        snprintf(axis, sizeof axis, "%s=0.1,1,10", cases[c].cheap);
        const char *other = c ? "mu=0.1,1" : "lambda3=0.1,1";
        rung_tune_options o = {.methods = LIST(cases[c].method),
                               .fixed = LIST(c ? "bias=kernel" : "lambda1=1"),
                               .grids = LIST("gamma=0.5,2", other, axis),
                               .repeats = 1};
        int64_t roots = calls(ctx, "rank"), factors = calls(ctx, "potrf");
        outcome all = run(ctx, &o, data);
        assert_int_equal(all.s.grid.n, 12);
        assert_int_equal(calls(ctx, "rank") - roots, 2 + 1); /* each kernel; the winner */
        assert_int_equal(calls(ctx, "potrf") - factors, 2 * 2 * 5 + 1);
        for (int k = 0; k < 3; k++) {
            rung_tune_options alone = {
                .methods = LIST(cases[c].method),
                .fixed = LIST(cases[c].values[k], c ? "mu=1" : "lambda3=1", "gamma=2", c ? "bias=kernel" : "lambda1=1"),
                .grids = LIST(c ? "neighbours=6" : "novel=0.9"),
                .repeats = 1};
            outcome one = run(ctx, &alone, data);
            assert_int_equal(one.s.grid.n, 1);
            const point_result *mine = NULL;
            for (int i = 0; i < 12; i++) {
                const rung_spec *spec = all.s.grid.points[i].spec;
                if (strcmp(spec_value(spec, "gamma"), "2") == 0 &&
                    strcmp(spec_value(spec, c ? "mu" : "lambda3"), "1") == 0 &&
                    strcmp(spec_value(spec, cases[c].cheap), strchr(cases[c].values[k], '=') + 1) == 0)
                    mine = &all.s.results[i];
            }
            assert_non_null(mine);
            assert_true(mine->value == one.s.results[0].value);
            for (int64_t i = 0; i < mine->held.n; i++)
                assert_close(mine->held.score[i], one.s.results[0].held.score[i], 1e-9);
            finish(&one);
        }
        finish(&all);
    }
    dataset_free(data);
}

static void the_winner_is_the_least_of_all(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 240, 4, false, true);
    rung_tune_options o = {.methods = LIST("kdlor"), .repeats = 1};
    outcome out = run(ctx, &o, data);
    assert_int_equal(out.s.grid.n, 8 * 5); /* the table's grids: gamma and ridge, never C */
    for (int i = 0; i < out.s.grid.n; i++) {
        assert_true(isfinite(out.s.results[i].value) && out.s.results[i].se >= 0);
        assert_true(out.s.results[out.s.winner].criterion <= out.s.results[i].criterion + 1e-12);
    }
    /* the model is a fit of the winner, calibrated on the search's own held-out scores */
    rung_model *again;
    assert_ok(ctx, method_fit(ctx, out.s.grid.points[out.s.winner].spec, data, &again));
    assert_int_equal(out.model->members[0].score.m, again->members[0].score.m);
    for (int64_t i = 0; i < again->members[0].score.m; i++)
        assert_close(out.model->members[0].score.coef[i], again->members[0].score.coef[i], 1e-9);
    assert_true(out.model->has_cv && out.model->cv.mae < 0.5);
    model_free(again);
    finish(&out);
    dataset_free(data);
}

static void the_same_bits_on_any_number_of_threads(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 200, 4, false, true);
    char *report[3];
    double coef[3][200];
    for (int t = 0; t < 3; t++) {
        rung_tune_options o = {
            .methods = LIST("kdlor"), .nested = t == 2 ? 1 : 1, .grids = LIST("gamma=0.3,3,30", "ridge=0.1,0.001")};
        rung_model *model;
        ctx->threads = 1 + t;
        assert_ok(ctx, tune(ctx, &o, data, &model, &report[t]));
        memcpy(coef[t], model->members[0].score.coef, sizeof(double) * (size_t)model->members[0].score.m);
        assert_string_equal(report[0], report[t]);
        assert_memory_equal(coef[0], coef[t], sizeof(double) * (size_t)model->members[0].score.m);
        model_free(model);
        pool_free_all(&ctx->scratch);
    }
    for (int t = 0; t < 3; t++) free(report[t]);
    dataset_free(data);
}

/* Labels that mean nothing cannot be learned: neither the search nor the nested error does clearly better than the
 * median. */
static void shuffled_labels_leak_nothing(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 240, 4, true, true);
    rung_tune_options o = {.methods = LIST("kdlor"), .nested = 1, .repeats = 1};
    rung_model *model;
    char *report;
    assert_ok(ctx, tune(ctx, &o, data, &model, &report));
    const char *nested = strstr(report, "\"nested\"");
    double mae = atof(strchr(strstr(nested, "\"mae\""), ':') + 1);
    int median = metrics_median(data->n, 4, data->y, NULL);
    double constant = 0, n = 0;
    for (int64_t i = 0; i < data->n; i++)
        if (data->y[i]) {
            constant += abs(data->y[i] - median);
            n++;
        }
    constant /= n;
    assert_true(mae > 0.93 * constant);
    free(report);
    model_free(model);
    dataset_free(data);
}

static void ties_go_to_the_smoother_model(void **state)
{
    rung_ctx *ctx = *state;
    rung_spec *a, *b;
    assert_ok(ctx, spec_new(ctx, "kdlor", false, &a));
    assert_ok(ctx, spec_new(ctx, "kdlor", false, &b));
    assert_false(grid_smoother(a, b));
    assert_ok(ctx, spec_set(ctx, a, "ridge", "0.1"));
    assert_true(grid_smoother(a, b)); /* a larger ridge */
    assert_false(grid_smoother(b, a));
    assert_ok(ctx, spec_set(ctx, b, "gamma", "0.5/d"));
    assert_true(grid_smoother(b, a)); /* a wider kernel counts first: auto is 1/d */
    spec_free(a);
    spec_free(b);
    /* classes so far apart that every point is right: C makes no difference, gamma and ridge tie */
    double x[60];
    int y[60];
    for (int i = 0; i < 60; i++) {
        y[i] = 1 + i % 3;
        x[i] = 100 * y[i] + i % 2;
    }
    rung_view view = {.v = x, .n = 60, .d = 1, .row = 1, .col = 1};
    rung_data *data;
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 3, &data));
    rung_tune_options o = {.methods = LIST("kdlor"),
                           .grids = LIST("gamma=1,0.5", "ridge=0.01,0.1"),
                           .fixed = LIST("thresholds=midpoint"),
                           .as_published = 1};
    outcome out = run(ctx, &o, data);
    assert_int_equal(out.s.winner, 0); /* as published: the first minimum */
    finish(&out);

    /* ... in the order in which the grid was written, its first parameter fastest */
    o.grids = LIST("ridge=0.01,0.1", "gamma=1,0.5");
    out = run(ctx, &o, data);
    static const char *const ridge[] = {"0.01", "0.1", "0.01", "0.1"}, *const gamma[] = {"1", "1", "0.5", "0.5"};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(spec_value(out.s.grid.points[i].spec, "ridge"), ridge[i]);
        assert_string_equal(spec_value(out.s.grid.points[i].spec, "gamma"), gamma[i]);
    }
    finish(&out);
    dataset_free(data);
}

static void one_standard_error_prefers_smooth(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 200, 4, false, false);
    rung_tune_options plain = {.methods = LIST("kdlor"), .repeats = 1},
                      smooth = {.methods = LIST("kdlor"), .repeats = 1, .one_se = 1};
    outcome a = run(ctx, &plain, data), b = run(ctx, &smooth, data);
    const point_result *best = &a.s.results[a.s.winner], *chosen = &b.s.results[b.s.winner];
    assert_true(chosen->value <= best->value + best->se);
    assert_true(a.s.winner == b.s.winner ||
                grid_smoother(b.s.grid.points[b.s.winner].spec, a.s.grid.points[a.s.winner].spec));
    assert_int_not_equal(a.s.winner, b.s.winner); /* on these data it does choose another one */
    finish(&a);
    finish(&b);
    dataset_free(data);
}

/* The constant median has neither a kernel nor scores of its own, and loses. */
static void methods_compete(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 150, 3, false, true);
    rung_tune_options o = {.methods = LIST("median", "kdlor"), .grids = LIST("gamma=1,3", "ridge=0.1")};
    outcome out = run(ctx, &o, data);
    assert_int_equal(out.s.grid.n, 3);
    assert_string_equal(out.model->method, "kdlor");
    assert_true(out.s.results[0].value > out.s.results[out.s.winner].value);
    finish(&out);
    rung_tune_options alone = {.methods = LIST("median")};
    out = run(ctx, &alone, data);
    assert_string_equal(out.model->method, "median");
    finish(&out);
    dataset_free(data);
}

static void grids_are_what_was_asked(void **state)
{
    rung_ctx *ctx = *state;
    grid g;
    rung_tune_options o = {
        .methods = LIST("kdlor", "median"), .fixed = LIST("gamma=1"), .grids = LIST("C=1,10,100", "ridge=1,0.1")};
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &o, &g));
    assert_int_equal(g.n, 2 + 1); /* C has no effect: one value of it */
    assert_string_equal(g.points[2].spec->method->info.name, "median");
    grid_free(&g);
    rung_tune_options kernels = {.methods = LIST("kdlor"),
                                 .grids = LIST("kernel=rbf,linear", "gamma=0.1,1,10", "ridge=1")};
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &kernels, &g));
    assert_int_equal(g.n, 3 + 1); /* a linear kernel has no gamma */
    grid_free(&g);
    rung_tune_options published = {.methods = LIST("kdlor"), .as_published = 1};
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &published, &g));
    assert_int_equal(g.n, 3);
    assert_string_equal(spec_value(g.points[0].spec, "gamma"), "0.1");
    assert_string_equal(spec_value(g.points[0].spec, "ridge-kind"), "identity");
    grid_free(&g);
    rung_tune_options width = {.methods = LIST("kdlor"), .grids = LIST("width=1,2")};
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &width, &g));
    assert_int_equal(g.n, 2 * 5); /* instead of gamma */
    grid_free(&g);
}

static void mistakes_are_told(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 3, false, false);
    rung_model *model;
    char *report;
    rung_tune_options measure = {.metric = "mea"}, name = {.methods = LIST("kdlor"), .grids = LIST("gama=1")},
                      value = {.methods = LIST("kdlor"), .grids = LIST("gamma=1,x")};
    rung_tune_options unknown = {.methods = LIST("kdlro")}, one = {.methods = LIST("kdlor"), .folds = 1},
                      empty = {.methods = LIST("kdlor"), .grids = LIST("gamma=1,,2")};
    assert_fails(ctx, tune(ctx, &measure, data, &model, &report), RUNG_EARG, "unknown metric 'mea'");
    assert_fails(ctx, tune(ctx, &name, data, &model, &report), RUNG_EARG, "did you mean 'gamma'");
    assert_fails(ctx, tune(ctx, &value, data, &model, &report), RUNG_EARG, "gamma=x");
    assert_fails(ctx, tune(ctx, &unknown, data, &model, &report), RUNG_EARG, "did you mean 'kdlor'");
    assert_fails(ctx, tune(ctx, &one, data, &model, &report), RUNG_EARG, "at least 2");
    assert_fails(ctx, tune(ctx, &empty, data, &model, &report), RUNG_EARG, "empty value");
    ctx->memory = 20000;
    rung_tune_options any = {0};
    assert_fails(ctx, tune(ctx, &any, data, &model, &report), RUNG_ELIMIT, "this search needs about");
    ctx->memory = 0;
    dataset_free(data);
}

static void one_label_per_class_has_nothing_to_compare(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 3, false, false);
    bool seen[4] = {false};
    for (int64_t i = 0; i < data->n; i++) {
        int y = data->y[i];
        if (seen[y]) data->y[i] = 0;
        seen[y] = true;
    }
    rung_model *model;
    char *report;
    rung_tune_options o = {.methods = LIST("kdlor")};
    assert_fails(ctx, tune(ctx, &o, data, &model, &report), RUNG_EDATA, "nothing can be held out");
    dataset_free(data);
}

static void a_limit_of_memory_is_kept(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 300, 3, false, false);
    rung_tune_options o = {.methods = LIST("kdlor"), .grids = LIST("gamma=0.1,1", "ridge=1,0.1"), .repeats = 1};
    ctx->threads = 2;
    ctx->memory = 4 << 20; /* room for one point at a time, not for two */
    ctx->scratch.peak = 0;
    outcome out = run(ctx, &o, data);
    assert_true(ctx->scratch.peak <= ctx->memory);
    finish(&out);
    dataset_free(data);
}

/* Groups stay together, own folds are taken as given, unlabelled rows are never scored. */
static void folds_follow_the_user(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 120, 3, false, true);
    int groups[120], own[120];
    for (int i = 0; i < 120; i++) {
        groups[i] = i / 8;
        own[i] = i % 4;
    }
    rung_tune_options o = {
        .methods = LIST("kdlor"), .groups = groups, .grids = LIST("gamma=1", "ridge=0.1"), .repeats = 2};
    outcome out = run(ctx, &o, data);
    const held_out *h = &out.s.results[0].held;
    assert_int_equal(h->n, 2 * 80);
    for (int64_t i = 0; i < h->n; i++)
        for (int64_t j = 0; j < h->n; j++) {
            /* rows of the labelled problem: 2 of every 3 rows of the data */
            int64_t a = h->row[i] / 2 * 3 + h->row[i] % 2 + 1, b = h->row[j] / 2 * 3 + h->row[j] % 2 + 1;
            assert_true(data->y[a] > 0);
            if (groups[a] == groups[b] && h->repeat[i] == h->repeat[j]) assert_int_equal(h->fold[i], h->fold[j]);
        }
    finish(&out);
    rung_tune_options given = {
        .methods = LIST("kdlor"), .own_folds = own, .own_repeats = 1, .grids = LIST("gamma=1", "ridge=0.1")};
    out = run(ctx, &given, data);
    h = &out.s.results[0].held;
    assert_int_equal(h->n, 80);
    for (int64_t i = 0; i < h->n; i++) assert_int_equal(h->fold[i], own[h->row[i] / 2 * 3 + h->row[i] % 2 + 1]);
    finish(&out);
    rung_tune_options loo = {.methods = LIST("kdlor"), .folds = -1, .grids = LIST("gamma=1", "ridge=0.1")};
    out = run(ctx, &loo, data);
    assert_int_equal(out.s.folds, 80);
    assert_int_equal(out.s.results[0].held.n, 80);
    finish(&out);
    dataset_free(data);
}

typedef struct {
    rung_ctx *ctx;
    const rung_data *data;
} tune_call;

static rung_status tune_once(void *argument)
{
    tune_call *c = argument;
    rung_tune_options o = {
        .methods = LIST("kdlor"), .grids = LIST("gamma=0.1,1", "ridge=1"), .repeats = 1, .folds = 2, .nested = 1};
    rung_model *model;
    char *report;
    rung_status status = tune(c->ctx, &o, c->data, &model, &report);
    pool_free_all(&c->ctx->scratch);
    model_free(model);
    free(report);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 40, 2, false, false);
    tune_call call = {ctx, data};
    ctx->threads = 2;
    assert_true(fail_each_allocation(tune_once, &call) > 50);
    dataset_free(data);
}

/* One fit per point and no folds: the values are those of the fits, and the winner is the largest. */
static void the_evidence_decides(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 90, 3, false, true);
    rung_tune_options o = {
        .methods = LIST("isbor"), .grids = LIST("gamma=0.01,1,100"), .metric = "evidence", .one_se = 1};
    outcome out = run(ctx, &o, data);
    assert_int_equal(out.s.folds, 0);
    for (int i = 0; i < 3; i++) {
        rung_model *alone;
        assert_ok(ctx, method_fit(ctx, out.s.grid.points[i].spec, data, &alone));
        assert_string_equal(alone->report[0].name, "log_evidence");
        assert_true(out.s.results[i].value == *alone->report[0].value && isnan(out.s.results[i].se));
        assert_true(out.s.results[i].value <= out.s.results[out.s.winner].value);
        model_free(alone);
    }
    assert_int_equal(out.s.winner, 1);
    assert_true(!out.model->has_cv && model_has_probabilities(out.model));
    finish(&out);
    rung_tune_options no = {.methods = LIST("isbor", "krr"), .metric = "evidence"};
    outcome none = {0};
    assert_fails(ctx, tune_run(ctx, &ctx->scratch, &no, data, &none.s, &none.model), RUNG_EARG, "krr has no evidence");
    grid_free(&none.s.grid);
    dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(nothing_is_computed_twice),
        WITH_CONTEXT(cheap_parameters_share_factors),
        WITH_CONTEXT(the_winner_is_the_least_of_all),
        WITH_CONTEXT(the_same_bits_on_any_number_of_threads),
        WITH_CONTEXT(shuffled_labels_leak_nothing),
        WITH_CONTEXT(ties_go_to_the_smoother_model),
        WITH_CONTEXT(one_standard_error_prefers_smooth),
        WITH_CONTEXT(methods_compete),
        WITH_CONTEXT(grids_are_what_was_asked),
        WITH_CONTEXT(mistakes_are_told),
        WITH_CONTEXT(one_label_per_class_has_nothing_to_compare),
        WITH_CONTEXT(a_limit_of_memory_is_kept),
        WITH_CONTEXT(folds_follow_the_user),
        WITH_CONTEXT(every_allocation_may_fail),
        WITH_CONTEXT(the_evidence_decides),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
