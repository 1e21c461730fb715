// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "helper.h"
#include "processes.h"

#include "base/rng.h"
#include "eval/metrics.h"
#include "fit/fit.h"
#include "fit/heldout.h"
#include "select/tune_report.h"

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
    ctx->threads = 5; /* more than there are groups */
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
    rung_search *found;
    double coef[3][200];
    for (int t = 0; t < 3; t++) {
        rung_tune_options o = {
            .methods = LIST("kdlor"), .nested = t == 2 ? 1 : 1, .grids = LIST("gamma=0.3,3,30", "ridge=0.1,0.001")};
        rung_model *model;
        ctx->threads = 1 + t;
        assert_ok(ctx, tune(ctx, &o, data, &model, &found));
        memcpy(coef[t], model->members[0].score.coef, sizeof(double) * (size_t)model->members[0].score.m);
        assert_ok(ctx, search_describe(ctx, found, &report[t]));
        assert_string_equal(report[0], report[t]);
        search_free(found);
        assert_memory_equal(coef[0], coef[t], sizeof(double) * (size_t)model->members[0].score.m);
        model_free(model);
        pool_free_all(&ctx->scratch);
    }
    for (int t = 0; t < 3; t++) rung_free(report[t]);
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
    rung_search *found;
    assert_ok(ctx, tune(ctx, &o, data, &model, &found));
    int median = metrics_median(&(graded_rows){.n = data->n, .K = 4, .truth = data->y}, NULL);
    double constant = 0, n = 0;
    for (int64_t i = 0; i < data->n; i++)
        if (data->y[i]) {
            constant += abs(data->y[i] - median);
            n++;
        }
    constant /= n;
    assert_true(found->nested.mae > 0.93 * constant);
    search_free(found);
    model_free(model);
    dataset_free(data);
}

/* Every row three times: its copies leave with it, in the outer folds, too, so that noise stays noise. */
static void copies_leak_nothing(void **state)
{
    enum { ROWS = 90 };
    rung_ctx *ctx = *state;
    double x[2 * ROWS];
    int y[ROWS];
    rng r;
    rng_open(&r, 8, 1);
    for (int i = 0; i < ROWS; i++) {
        x[2 * i] = i % 3 ? x[2 * i - 2] : rng_normal(&r);
        x[2 * i + 1] = i % 3 ? x[2 * i - 1] : rng_normal(&r);
        y[i] = i % 3 ? y[i - 1] : 1 + (int)rng_below(&r, 4);
    }
    rung_view view = {.v = x, .n = ROWS, .d = 2, .row = 2, .col = 1};
    rung_data *data;
    rung_model *model;
    rung_search *found;
    rung_tune_options o = {
        .methods = LIST("kdlor"), .grids = LIST("gamma=1,100", "ridge=0.1,0.0001"), .nested = 1, .repeats = 1};
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 4, &data));
    assert_ok(ctx, tune(ctx, &o, data, &model, &found));
    if (found->nested.mae < 0.7 || model->cv.mae < 0.7)
        fail_msg("nested %.3f, corrected %.3f: copies of a row are seen", found->nested.mae, model->cv.mae);
    /* Three rows tell as much as one: the ranges are those of 30 rows, not of 90. */
    assert_true(found->nested.mae_high - found->nested.mae_low > 0.5);
    assert_true(model->cv.mae_high - model->cv.mae_low > 0.5);
    search_free(found);
    model_free(model);
    dataset_free(data);
}

/* Rows without a label, one in each group, tie no groups together; the groups are resampled as wholes. */
static void groups_with_unlabelled_rows(void **state)
{
    enum { ROWS = 120, VISITS = 4 };
    rung_ctx *ctx = *state;
    double x[2 * ROWS];
    int y[ROWS], group[ROWS];
    rng r;
    rng_open(&r, 9, 1);
    for (int i = 0; i < ROWS; i++) {
        int first = i - i % VISITS;
        group[i] = i / VISITS;
        x[2 * i] = (i == first ? 0 : x[2 * first]) + rng_normal(&r) * (i == first ? 1 : 0.05);
        x[2 * i + 1] = (i == first ? 0 : x[2 * first + 1]) + rng_normal(&r) * (i == first ? 1 : 0.05);
        y[i] = i == first ? 1 + (int)rng_below(&r, 4) : i % VISITS == 1 ? 0 : y[first];
    }
    rung_view view = {.v = x, .n = ROWS, .d = 2, .row = 2, .col = 1};
    rung_data *data;
    rung_model *model;
    rung_search *found;
    rung_tune_options o = {.methods = LIST("kdlor"),
                           .grids = LIST("gamma=1,100", "ridge=0.1,0.0001"),
                           .groups = group,
                           .nested = 1,
                           .repeats = 1};
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 4, &data));
    for (int known = 0; known < 2; known++) {
        if (known) assert_ok(ctx, rung_data_set_groups(ctx, data, group));
        assert_ok(ctx, tune(ctx, &o, data, &model, &found));
        assert_int_equal(found->nested.n, ROWS * (VISITS - 1) / VISITS);
        assert_true(found->nested.mae > 0.7 && found->corrected.n > 0);
        assert_true(found->nested.mae_high - found->nested.mae_low > 0.5);
        search_free(found);
        model_free(model);
    }
    dataset_free(data);
}

/* A search without any error has a range, as a fit has. */
static void no_error_has_a_range(void **state)
{
    enum { ROWS = 60 };
    rung_ctx *ctx = *state;
    double x[ROWS];
    int y[ROWS];
    rung_data *data;
    rung_model *model;
    rung_search *found;
    for (int i = 0; i < ROWS; i++) {
        y[i] = 1 + i % 2;
        x[i] = 10 * y[i] + 0.01 * i;
    }
    rung_view view = {.v = x, .n = ROWS, .d = 1, .row = 1, .col = 1};
    rung_tune_options o = {
        .methods = LIST("kdlor"), .fixed = LIST("gamma=1"), .grids = LIST("ridge=0.1,0.2"), .nested = 1, .repeats = 1};
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 2, &data));
    assert_ok(ctx, tune(ctx, &o, data, &model, &found));
    assert_true(found->nested.mae == 0 && found->corrected.mae == 0);
    assert_true(found->nested.mae_high > 2.0 / ROWS && found->nested.mae_high < 5.0 / ROWS);
    assert_close(found->corrected.mae_high, found->nested.mae_high, 1e-12);
    search_free(found);
    model_free(model);
    dataset_free(data);
}

/* 30 patients with four visits each, which are nearly alike, and grades at random: the range of the error is one of
 * patients, nested and corrected, and as published a patient is held out as a whole, too. */
static void groups_are_what_varies(void **state)
{
    enum { PATIENTS = 30, VISITS = 4, ROWS = PATIENTS * VISITS };
    rung_ctx *ctx = *state;
    double x[2 * ROWS];
    int y[ROWS], patient[ROWS];
    rng r;
    rng_open(&r, 12, 1);
    for (int i = 0; i < ROWS; i++) {
        patient[i] = i / VISITS;
        for (int j = 0; j < 2; j++)
            x[2 * i + j] = i % VISITS ? x[2 * (i - i % VISITS) + j] + 0.001 * rng_normal(&r) : rng_normal(&r);
        y[i] = i % VISITS ? y[i - 1] : 1 + (int)rng_below(&r, 4);
    }
    rung_view view = {.v = x, .n = ROWS, .d = 2, .row = 2, .col = 1};
    rung_data *data;
    rung_model *model;
    rung_search *found;
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 4, &data));
    assert_ok(ctx, dataset_set_groups(ctx, data, patient));
    rung_tune_options o = {.methods = LIST("pom"), .grids = LIST("ridge=0.1,0.001"), .nested = 1, .repeats = 1};
    for (int own = 0; own < 2; own++) {
        o.groups = own ? patient : NULL; /* named once more, as the command does, or by the data alone */
        assert_ok(ctx, tune(ctx, &o, data, &model, &found));
        double by_rows = 4 * 1.0 / sqrt(ROWS), nested = found->nested.mae_high - found->nested.mae_low;
        if (nested < 1.5 * by_rows || model->cv.mae_high - model->cv.mae_low < 1.5 * by_rows)
            fail_msg("the ranges are those of single rows: nested %.3f to %.3f", found->nested.mae_low,
                     found->nested.mae_high);
        search_free(found);
        model_free(model);
    }
    rung_tune_options published = {
        .methods = LIST("kdlor"), .grids = LIST("gamma=1,100", "ridge=0.001"), .as_published = 1, .repeats = 1};
    assert_ok(ctx, tune(ctx, &published, data, &model, &found));
    for (int i = 0; i < found->n; i++)
        if (found->points[i].info.value < 0.6)
            fail_msg("%.3f: other visits of a patient are seen", found->points[i].info.value);
    search_free(found);
    model_free(model);
    dataset_free(data);
}

/* Rows with weights, and as many copies of them: the same points, and the same nested error with its range. */
static void weights_are_copies(void **state)
{
    enum { ROWS = 60, MOST = 3 * ROWS };
    rung_ctx *ctx = *state;
    double x[2 * MOST], weight[ROWS];
    int y[MOST], fold[MOST], n = 0;
    rung_data *data = make_data(ctx, ROWS, 3, false, false), *copies;
    rung_model *model[2];
    rung_search *found[2];
    for (int i = 0; i < ROWS; i++) {
        weight[i] = 1 + (i % 3 == 0) + (data->y[i] == 2);
        for (int k = 0; k < (int)weight[i]; k++) {
            memcpy(x + 2 * n, data->X + 2 * i, 2 * sizeof *x);
            fold[n] = i % 4;
            y[n++] = data->y[i];
        }
    }
    rung_view rows = {.v = data->X, .n = ROWS, .d = 2, .row = 2, .col = 1}, all = {x, n, 2, 2, 1};
    rung_data *weighted;
    int own[ROWS];
    for (int i = 0; i < ROWS; i++) own[i] = i % 4;
    assert_ok(ctx, dataset_new(ctx, &rows, data->y, weight, 3, &weighted));
    assert_ok(ctx, dataset_new(ctx, &all, y, NULL, 3, &copies));
    rung_tune_options o = {
        .methods = LIST("pom"), .fixed = LIST("ridge=0.01"), .nested = 1, .equal_rows = "together", .own_repeats = 1};
    for (int k = 0; k < 2; k++) {
        o.own_folds = k ? fold : own;
        assert_ok(ctx, tune(ctx, &o, k ? copies : weighted, &model[k], &found[k]));
    }
    assert_close(found[0]->points[0].info.value, found[1]->points[0].info.value, 1e-12);
    assert_close(found[0]->nested.mae, found[1]->nested.mae, 1e-12);
    assert_close(found[0]->nested.mae_low, found[1]->nested.mae_low, 0.02); /* drawn in another order */
    assert_close(found[0]->nested.mae_high, found[1]->nested.mae_high, 0.02);
    for (int k = 0; k < 2; k++) {
        search_free(found[k]);
        model_free(model[k]);
    }
    dataset_free(data);
    dataset_free(weighted);
    dataset_free(copies);
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
    assert_ok(ctx, spec_set(ctx, b, "gamma", "0.5"));
    assert_true(grid_smoother(a, b)); /* 1/d and 0.5 cannot be compared: the ridge decides */
    assert_false(grid_smoother(b, a));
    spec_free(b);
    assert_ok(ctx, spec_new(ctx, "krr", false, &b));
    assert_false(grid_smoother(a, b) || grid_smoother(b, a)); /* methods are not compared */
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

    /* values that differ by rounding are ties: of a method's the larger ridge wins, of two methods the first one */
    rung_tune_options rounded = {.methods = LIST("kdlor"), .fixed = LIST("gamma=1"), .repeats = 1};
    rounded.grids = LIST("ridge=0.1,0.1000000000000001");
    out = run(ctx, &rounded, data);
    assert_int_equal(out.s.winner, 1);
    finish(&out);
    rounded.methods = LIST("svorex", "isvor"); /* two names of one solution */
    rounded.grids = LIST("C=1");
    out = run(ctx, &rounded, data);
    assert_true(out.s.results[0].criterion == out.s.results[1].criterion);
    assert_string_equal(out.model->method, "svorex");
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
    width = (rung_tune_options){.methods = LIST("kdlor"), .fixed = LIST("width=1", "ridge-kind=identity")};
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &width, &g));
    assert_int_equal(g.n, 5); /* the grid of ridge: another parameter begins with this word */
    for (int i = 0; i < g.n; i++) {
        assert_string_equal(spec_value(g.points[i].spec, "width"), "1");
        assert_string_equal(spec_value(g.points[i].spec, "ridge-kind"), "identity");
    }
    grid_free(&g);
    rung_tune_options single = {.methods = LIST("kdlor"), .grids = LIST("C=7", "gamma=1", "ridge=1")};
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &single, &g));
    assert_int_equal(g.n, 1);
    assert_string_equal(spec_value(g.points[0].spec, "C"), "7"); /* one value of it is taken as it is */
    grid_free(&g);
    rung_tune_options none = {.methods = (const char *const[]){NULL}};
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &none, &g));
    assert_int_equal(g.n, 1);
    assert_string_equal(g.points[0].spec->method->info.name, "auto");
    grid_free(&g);
    rung_tune_options paper = {.methods = LIST("svorim"), .as_published = 1}; /* two axes, none of them given */
    assert_ok(ctx, grid_new(ctx, &ctx->scratch, &paper, &g));
    assert_int_equal(g.n, 3 * 7);
    assert_string_equal(spec_value(g.points[0].spec, "gamma"), "0.1"); /* the first parameter varies fastest */
    assert_string_equal(spec_value(g.points[1].spec, "gamma"), "1");
    grid_free(&g);
}

/* 20000 points are the most, however many values there are. */
static void grids_have_a_limit(void **state)
{
    rung_ctx *ctx = *state;
    enum { VALUES = 300 };
    static const char *const names[] = {"gamma", "ridge", "tolerance", "C", "diagonal"};
    char list[5][8 * VALUES + 16];
    const char *grids[6] = {NULL};
    for (int k = 0; k < 5; k++) {
        int n = sprintf(list[k], "%s=1", names[k]);
        for (int i = 1; i < VALUES; i++) n += sprintf(list[k] + n, ",%d", i + 1);
        grids[k] = list[k];
    }
    grid g;
    rung_tune_options o = {.methods = LIST("svorim"), .grids = grids};
    grids[1] = grids[3]; /* svorim has no ridge */
    grids[2] = NULL;
    assert_fails(ctx, grid_new(ctx, &ctx->scratch, &o, &g), RUNG_EARG,
                 "a grid of 90000 points or more is too large (at most 20000)");
    grid_free(&g);
}

/* Class weights as texts; the last = parts them, for the name of a class may have one. */
static void class_weights_are_texts(void **state)
{
    rung_ctx *ctx = *state;
    rung_spec *spec;
    char long_name[300];
    memset(long_name, 'a', sizeof long_name);
    strcpy(long_name + 280, "=1");
    const char *const wrong[] = {"1", "1=x", long_name};
    assert_ok(ctx, spec_new(ctx, "kdlor", false, &spec));
    for (int i = 0; i < 3; i++) {
        rung_tune_options o = {.weights = LIST(wrong[i])};
        assert_fails(ctx, grid_fix(ctx, &o, spec), RUNG_EARG, "is not a class weight of the form CLASS=WEIGHT");
        assert_non_null(strstr(ctx->message, wrong[i]));
    }
    rung_tune_options good = {.weights = LIST("a=b=2", "c=0")};
    assert_ok(ctx, grid_fix(ctx, &good, spec));
    assert_int_equal(spec->n_weights, 2);
    assert_string_equal(spec->weight_class[0], "a=b");
    assert_true(spec->weight[0] == 2 && spec->weight[1] == 0);
    rung_tune_options below = {.weights = LIST("a=-1")}, infinite = {.weights = LIST("a=1e999")};
    assert_fails(ctx, grid_fix(ctx, &below, spec), RUNG_EARG, "the weight of class 'a' must be a finite number >= 0");
    assert_fails(ctx, grid_fix(ctx, &infinite, spec), RUNG_EARG, "a");
    spec_free(spec);
    assert_ok(ctx, spec_new(ctx, "krr", false, &spec));
    assert_fails(ctx, grid_fix(ctx, &good, spec), RUNG_EARG, "krr does not support class weights");
    spec_free(spec);
}

static void mistakes_are_told(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 3, false, false);
    rung_model *model;
    rung_search *found;
    rung_tune_options measure = {.metric = "mea"}, name = {.methods = LIST("kdlor"), .grids = LIST("gama=1")},
                      value = {.methods = LIST("kdlor"), .grids = LIST("gamma=1,x")};
    rung_tune_options unknown = {.methods = LIST("kdlro")}, one = {.methods = LIST("kdlor"), .folds = 1},
                      empty = {.methods = LIST("kdlor"), .grids = LIST("gamma=1,,2")};
    assert_fails(ctx, tune(ctx, &measure, data, &model, &found), RUNG_EARG, "unknown metric 'mea'");
    assert_fails(ctx, tune(ctx, &name, data, &model, &found), RUNG_EARG, "did you mean 'gamma'");
    assert_fails(ctx, tune(ctx, &value, data, &model, &found), RUNG_EARG, "gamma=x");
    assert_fails(ctx, tune(ctx, &unknown, data, &model, &found), RUNG_EARG, "did you mean 'kdlor'");
    assert_fails(ctx, tune(ctx, &one, data, &model, &found), RUNG_EARG, "at least 2");
    assert_fails(ctx, tune(ctx, &empty, data, &model, &found), RUNG_EARG, "empty value");
    ctx->memory = 20000;
    rung_tune_options any = {0};
    assert_fails(ctx, tune(ctx, &any, data, &model, &found), RUNG_ELIMIT, "this search needs about");
    ctx->memory = 0;
    rung_tune_options repeats = {.methods = LIST("median"), .repeats = -1};
    assert_fails(ctx, tune(ctx, &repeats, data, &model, &found), RUNG_EARG, "-1 repeats: expected at least 1");
    dataset_free(data);
    double x[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    rung_view view = {.v = x, .n = 8, .d = 1, .row = 1, .col = 1};
    assert_ok(ctx, dataset_new_real(ctx, &view, x, NULL, &data));
    for (int nested = 0; nested < 2; nested++) {
        rung_tune_options real = {.methods = LIST("krr"), .nested = nested};
        assert_fails(ctx, tune(ctx, &real, data, &model, &found), RUNG_EARG, "a search grades classes: cut real");
    }
    dataset_free(data);
}

/* Few labels need repeats to compare by, many do not; of ever so many folds no standard error is told. */
static void repeats_by_the_number_of_labels(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        int64_t rows;
        int repeats;
    } cases[] = {{60, 5}, {61, 2}, {150, 2}, {151, 1}, {1600, 1}};
    for (int i = 0; i < 5; i++) {
        rung_data *data = make_data(ctx, cases[i].rows, 3, false, false);
        rung_tune_options o = {.methods = LIST("median")};
        outcome out = run(ctx, &o, data);
        assert_int_equal(out.s.repeats, cases[i].repeats);
        assert_true(out.s.results[0].se >= 0);
        finish(&out);
        dataset_free(data);
    }
    rung_data *data = make_data(ctx, 1100, 3, false, false);
    rung_tune_options loo = {.methods = LIST("median"), .leave_one_out = 1};
    outcome out = run(ctx, &loo, data);
    assert_int_equal(out.s.folds, 1100);
    assert_true(isnan(out.s.results[0].se) && isfinite(out.s.results[0].value));
    finish(&out);
    for (int64_t i = 2; i < data->n; i++) data->y[i] = 0;
    data->y[0] = data->y[1] = 1; /* the least that can be left out one by one */
    out = run(ctx, &loo, data);
    assert_int_equal(out.s.folds, 2);
    assert_true(out.s.results[0].value == 0);
    finish(&out);
    dataset_free(data);
}

/* A constant has no rank correlation: that costs as much as the worst one. */
static void an_undefined_metric_costs_one(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 90, 3, false, false);
    rung_tune_options o = {.methods = LIST("median", "kdlor"), .grids = LIST("gamma=1", "ridge=0.1"), .metric = "tau"};
    outcome out = run(ctx, &o, data);
    assert_true(isnan(out.s.results[0].value) && isnan(out.s.results[0].se));
    assert_true(out.s.results[0].criterion >= 1 && out.s.results[0].criterion < 1.003);
    assert_int_equal(out.s.winner, 1);
    finish(&out);
    dataset_free(data);
}

/* Probabilities for a metric that needs them: the method's own, or the calibrated ones. */
static void probabilities_are_graded(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 90, 3, false, false);
    rung_tune_options o = {.methods = LIST("plp", "kdlor", "median"),
                           .grids = LIST("gamma=1", "ridge=0.1"),
                           .metric = "rps",
                           .repeats = 1};
    outcome out = run(ctx, &o, data);
    const held_out *h = &out.s.results[0].held;
    int truth[90];
    rung_metrics m;
    for (int64_t i = 0; i < h->n; i++) truth[i] = data->y[h->row[i]];
    assert_ok(ctx, metrics_point(ctx, &(graded_rows){.n = h->n, .K = 3, .truth = truth}, h->rank, h->proba, &m));
    assert_close(out.s.results[0].value, m.rps, 1e-14);
    assert_null(out.s.results[1].held.proba);
    assert_true(out.s.results[1].value < out.s.results[2].value); /* better than the frequencies */
    finish(&out);
    dataset_free(data);
}

/* k(i, j) that is no kernel: points with too small a ridge cannot be fitted, and are told; a search without any other
 * fails. */
static void points_that_cannot_be_fitted(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 12 };
    double k[N * N];
    int y[N];
    rng r;
    rng_open(&r, 5, 0);
    for (int i = 0; i < N; i++) {
        y[i] = 1 + i % 3;
        for (int j = 0; j <= i; j++) k[i * N + j] = k[j * N + i] = i == j ? 1 : rng_uniform(&r) - 0.5;
    }
    rung_view view = {.v = k, .n = N, .d = N, .row = N, .col = 1};
    rung_data *data;
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 3, &data));
    for (int one_se = 0; one_se < 2; one_se++) {
        rung_tune_options o = {.methods = LIST("krr"),
                               .fixed = LIST("kernel=precomputed"),
                               .grids = LIST("lambda=1e-6,100,1e-3"),
                               .one_se = one_se};
        outcome out = run(ctx, &o, data);
        assert_int_equal(out.s.winner, 1);
        for (int i = 0; i < 3; i += 2) {
            assert_int_equal(out.s.results[i].status, RUNG_ESINGULAR);
            assert_non_null(strstr(out.s.results[i].message, "is not positive definite"));
            assert_true(isnan(out.s.results[i].value));
        }
        finish(&out);
    }
    rung_model *model;
    rung_search *found;
    rung_tune_options told = {
        .methods = LIST("krr"), .fixed = LIST("kernel=precomputed"), .grids = LIST("lambda=1e-6,100")};
    assert_ok(ctx, tune(ctx, &told, data, &model, &found));
    assert_non_null(strstr(found->points[0].info.error, "is not positive definite"));
    assert_true(isnan(found->points[0].info.value) && isnan(found->points[0].info.se));
    assert_null(found->points[1].info.error);
    model_free(model);
    search_free(found);
    told.grids = LIST("lambda=1e-6,1e-3");
    assert_fails(ctx, tune(ctx, &told, data, &model, &found), RUNG_ESINGULAR,
                 "no point of the grid could be fitted; the first failed because: a ");
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
    rung_search *found;
    rung_tune_options o = {.methods = LIST("kdlor")};
    assert_fails(ctx, tune(ctx, &o, data, &model, &found), RUNG_EDATA, "no rows can be held out");
    dataset_free(data);
}

static void a_limit_of_memory_is_kept(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 300, 3, false, false);
    rung_tune_options o = {.methods = LIST("kdlor"), .grids = LIST("gamma=0.1,1", "ridge=1,0.1"), .repeats = 1};
    ctx->threads = 2;
    ctx->memory = 9 << 19; /* room for one point at a time, not for two */
    ctx->scratch.peak = 0;
    outcome out = run(ctx, &o, data);
    assert_true(ctx->scratch.peak <= ctx->memory);
    finish(&out);
    /* four threads for four points of a kernel, and room for two of them beside the distances */
    double each;
    rung_spec *spec;
    problem_shape shape = {.n = 300, .labelled = 300, .d = 2, .K = 3};
    assert_ok(ctx, spec_new(ctx, "kdlor", false, &spec));
    assert_ok(ctx, method_bytes(ctx, spec, &shape, &each));
    spec_free(spec);
    o.grids = LIST("gamma=0.1,1", "ridge=1,0.1,0.01,0.001");
    ctx->threads = 4;
    ctx->memory = (int64_t)(8.0 * 300 * 300 + 2.5 * each);
    ctx->scratch.peak = 0;
    out = run(ctx, &o, data);
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
    rung_tune_options loo = {.methods = LIST("kdlor"), .leave_one_out = 1, .grids = LIST("gamma=1", "ridge=0.1")};
    out = run(ctx, &loo, data);
    assert_int_equal(out.s.folds, 80);
    assert_int_equal(out.s.results[0].held.n, 80);
    finish(&out);
    dataset_free(data);
}

/* A fold that leaves a single class is graded by that class, and one that holds nothing out is passed over. */
static void folds_that_leave_one_class(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 2, false, false);
    int own[120];
    for (int i = 0; i < 60; i++) {
        own[i] = data->y[i] - 1;
        own[60 + i] = data->y[i] == 1 ? 1 : -1; /* in the second repeat fold 0 is empty */
    }
    static const char *const names[] = {"plp", "svorim", "ogp", "median"};
    for (int k = 0; k < 4; k++) {
        rung_tune_options o = {.methods = LIST(names[k]), .own_folds = own, .own_repeats = 2};
        const char *const fixed[] = {"gamma=1", "C=1", NULL};
        if (k == 1) o.fixed = fixed;
        outcome out = run(ctx, &o, data);
        const held_out *h = &out.s.results[0].held;
        assert_int_equal(out.s.folds, 2);
        assert_true(h->n > 60 && h->n < 120);
        assert_true(out.s.results[0].value == 1);
        for (int64_t i = 0; i < h->n; i++) {
            int left = 3 - data->y[h->row[i]];
            assert_int_equal(h->rank[i], left);
            if (!h->proba) assert_true(h->score[i] == left);
            if (h->proba) assert_true(h->proba[2 * i + left - 1] == 1 && h->proba[2 * i + 2 - left] == 0);
        }
        finish(&out);
    }
    /* methods with a way of their own to rows held out */
    static const char *const ways[][5] = {{"kdlor", "gamma=1", "ridge=0.1", "thresholds=midpoint"},
                                          {"kdlor", "gamma=1", "landmarks=20", "thresholds=midpoint"},
                                          {"ws-dl", "gamma=1", "ridge=0.1", "thresholds=midpoint"},
                                          {"ws-dl", "gamma=1", "landmarks=20", "thresholds=midpoint"},
                                          {"krr", "gamma=1", "lambda=0.1"},
                                          {"ot", "gamma=1", "lambda=0.1"},
                                          {"orml", "gamma=1", "thresholds=midpoint"}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        rung_tune_options o = {
            .methods = LIST(ways[k][0]), .fixed = ways[k] + 1, .own_folds = own, .own_repeats = 1, .folds = 0};
        outcome out = run(ctx, &o, data);
        const held_out *h = &out.s.results[0].held;
        assert_int_equal(h->n, 60);
        for (int64_t i = 0; i < h->n; i++)
            if (h->rank[i] != 3 - data->y[h->row[i]]) fail_msg("%s, way %d: row %d", ways[k][0], (int)k, (int)i);
        finish(&out);
    }
    rung_model *model;
    rung_search *found;
    for (int i = 0; i < 60; i++) own[i] = 3;
    rung_tune_options all = {.methods = LIST("plp"), .own_folds = own, .own_repeats = 1};
    assert_fails(ctx, tune(ctx, &all, data, &model, &found), RUNG_EDATA, "fold 3 holds out all labelled rows");
    dataset_free(data);
}

/* What a search says of a row held out is what a fit to the others says of it: one member or many, with probabilities
 * of their own or not, also where a class has all its rows held out. */
static void held_out_is_a_fit_of_the_rest(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 45, CLASSES = 3 };
    static const char *const names[] = {"ogp", "gpor", "pom", "svorim", "kda", "median"};
    rung_data *data = make_data(ctx, ROWS, CLASSES, false, false);
    int own[ROWS];
    for (int i = 0; i < ROWS; i++) own[i] = data->y[i] == 2 ? 0 : i % 3;
    for (int k = 0; k < 6; k++) {
        rung_tune_options o = {.methods = LIST(names[k]), .own_folds = own, .own_repeats = 1, .scale = "none"};
        const char *const fixed[] = {"gamma=1", k == 3 ? "C=1" : NULL, NULL}, *const ridge[] = {"gamma=1", "ridge=0.1",
                                                                                                NULL};
        if (k == 1 || k == 3) o.fixed = fixed;
        if (k == 4) o.fixed = ridge;
        outcome out = run(ctx, &o, data);
        const held_out *h = &out.s.results[0].held;
        assert_int_equal(h->n, ROWS);
        for (int fold = 0; fold < 3; fold++) {
            int64_t kept[ROWS], n = 0;
            double proba[ROWS * CLASSES];
            int rank[ROWS];
            rung_data *rest;
            rung_model *model;
            for (int i = 0; i < ROWS; i++)
                if (own[i] != fold) kept[n++] = i;
            assert_ok(ctx, dataset_subset(ctx, data, n, kept, &rest));
            assert_ok(ctx, method_fit(ctx, out.s.grid.points[0].spec, rest, &model));
            model->temper.n = 0; /* what is held out has not been tempered yet */
            rung_view view = {.v = data->X, .n = ROWS, .d = 2, .row = 2, .col = 1};
            bool own_proba = h->proba != NULL;
            rung_output answers = {.rank = rank, .proba = own_proba ? proba : NULL};
            assert_ok(ctx, model_predict(ctx, model, &view, NULL, &answers));
            for (int64_t i = 0; i < h->n; i++) {
                if (h->fold[i] != fold) continue;
                double expected = 0;
                assert_int_equal(h->rank[i], rank[h->row[i]]);
                if (!own_proba) continue;
                for (int q = 0; q < CLASSES; q++) expected += (q + 1) * proba[h->row[i] * CLASSES + q];
                assert_arrays_close(CLASSES, h->proba + i * CLASSES, proba + h->row[i] * CLASSES, 1e-9);
                assert_close(h->score[i], expected, 1e-9);
            }
            model_free(model);
            dataset_free(rest);
        }
        finish(&out);
    }
    dataset_free(data);
}

/* The only row of a class counts as missed by the ranges, unless it was held out by the user's folds. */
static void single_rows_of_a_class(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 40, 2, false, false);
    data->code.n_classes = 4; /* the last one never has a label */
    const char *names[] = {"1", "2", "3", "4"};
    data->code.classes = names;
    data->y[7] = 3;
    int own[40];
    for (int held = 0; held < 2; held++) {
        for (int i = 0; i < 40; i++) own[i] = i == 7 && !held ? -1 : i % 2;
        rung_tune_options o = {
            .methods = LIST("kdlor"), .fixed = LIST("gamma=1", "ridge=0.1"), .own_folds = own, .own_repeats = 1};
        outcome out = run(ctx, &o, data);
        assert_int_equal(out.model->ranges.missed, !held);
        assert_int_equal(out.model->ranges.n, 39 + held);
        finish(&out);
    }
    dataset_free(data);
}

/* One label per class and rows without: every label stands on its own rank for the calibration. */
static void one_label_per_class_beside_unlabelled_rows(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 3, false, false);
    bool seen[4] = {false};
    for (int64_t i = 0; i < data->n; i++) {
        if (seen[data->y[i]]) data->y[i] = 0;
        seen[data->y[i]] = true;
    }
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, spec_new(ctx, "s-dl", false, &spec));
    assert_ok(ctx, method_fit(ctx, spec, data, &model));
    const calibration *cal = &model->members[0].cal;
    assert_true(!model->has_cv && model->members[0].proba == PROBA_CALIBRATION);
    assert_close(cal->c[0] + cal->c[1], 4 * cal->a, 1e-6); /* 1, 2 and 3 lie even */
    assert_true(cal->a > 0 && cal->c[0] < cal->c[1]);
    model_free(model);
    spec_free(spec);
    dataset_free(data);
}

/* Where all rows held out in a repeat are of one fold, there are none to fit their thresholds on: mid-points. */
static void thresholds_without_other_folds(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 3, false, false);
    int own[60];
    for (int i = 0; i < 60; i++) own[i] = i % 3 ? -1 : 0;
    rung_tune_options o = {
        .methods = LIST("kdlor"), .fixed = LIST("gamma=1", "ridge=0.1"), .own_folds = own, .own_repeats = 1};
    outcome out = run(ctx, &o, data);
    const held_out *h = &out.s.results[0].held;
    assert_int_equal(h->n, 20);
    assert_true(out.model->has_cv); /* by five shares of the only fold */
    finish(&out);
    for (int i = 0; i < 60; i++) own[i] = i < 3 ? 0 : i == 3 ? 1 : -1; /* one row beside the fold of three */
    out = run(ctx, &o, data);
    h = &out.s.results[0].held;
    int *rank = NULL;
    double proba[3 * 3];
    folds f = {.n = 60, .count = 2, .repeats = 1};
    problem p = {.n = 60, .K = 3, .y = data->y};
    held_out last = *h;
    assert_int_equal(h->n, 4);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, rank, 4));
    last.n = 3; /* without the row of the other fold */
    while (last.fold[0] != 0) last.row++, last.fold++, last.repeat++, last.score++, last.rank++;
    assert_ok(ctx,
              held_out_grades(ctx, true, &(held_grades){.p = &p, .f = &f, .h = &last, .rank = rank, .proba = proba}));
    for (int i = 0; i < 3; i++) assert_int_equal(rank[i], last.score[i] <= 1.5 ? 1 : last.score[i] <= 2.5 ? 2 : 3);
    finish(&out);
    dataset_free(data);
}

/* Nested: with groups, with folds that leave one class and no probabilities, with a choice too long to be told. */
static void nested_with_everything(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 80, 2, false, false);
    int groups[80], own[160];
    char precisions[400];
    rung_search *found;
    rung_model *model;
    for (int i = 0; i < 80; i++) {
        groups[i] = i / 8;
        own[i] = i % 2;
        own[80 + i] = i % 3; /* fold 2 comes in the second repeat alone, which the outer folds do not have */
    }
    rung_tune_options grouped = {
        .methods = LIST("svorim"), .fixed = LIST("gamma=1", "C=1"), .groups = groups, .nested = 1, .repeats = 1};
    assert_ok(ctx, tune(ctx, &grouped, data, &model, &found));
    assert_true(found->nested.rps > 0);
    assert_int_equal(found->nested.n, 80);
    model_free(model);
    search_free(found);
    int classes[80]; /* what is left of one class cannot be calibrated */
    for (int i = 0; i < 80; i++) classes[i] = data->y[i];
    rung_tune_options single = {.methods = LIST("lpp"),
                                .fixed = LIST("ridge=1"),
                                .grids = LIST("neighbours=5"),
                                .own_folds = classes,
                                .own_repeats = 1,
                                .nested = 1};
    assert_ok(ctx, tune(ctx, &single, data, &model, &found));
    assert_true(found->nested.mae == 1);
    assert_true(isnan(found->nested.rps));
    model_free(model);
    search_free(found);
    strcpy(precisions, "precisions=1.");
    memset(precisions + 13, '0', 300);
    strcpy(precisions + 313, ",1");
    rung_tune_options cut = {.methods = LIST("kdlor"),
                             .fixed = LIST("kernel=ard", precisions, "ridge=0.1"),
                             .nested = 1,
                             .own_folds = own,
                             .own_repeats = 2};
    assert_ok(ctx, tune(ctx, &cut, data, &model, &found));
    assert_int_equal(found->n_chosen, 3);
    assert_int_equal(strlen(found->chosen[0]), 255);
    assert_int_equal(strncmp(found->chosen[0], "kdlor kernel=ard ", 17), 0);
    assert_string_equal(found->chosen[2], ""); /* fold 2: nothing was held out, so nothing chosen */
    model_free(model);
    search_free(found);
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
    rung_search *found;
    rung_status status = tune(c->ctx, &o, c->data, &model, &found);
    pool_free_all(&c->ctx->scratch);
    model_free(model);
    search_free(found);
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
    assert_true(out.model->has_cv && model_has_probabilities(out.model)); /* from folds of the winner's fit */
    finish(&out);
    rung_tune_options no = {.methods = LIST("isbor", "krr"), .metric = "evidence"};
    outcome none = {0};
    assert_fails(ctx, tune_run(ctx, &ctx->scratch, &no, data, &none.s, &none.model), RUNG_EARG, "krr has no evidence");
    grid_free(&none.s.grid);
    dataset_free(data);
}

/* What the correction is: searches without each fold of the user's, written out plainly. */
static double correction(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, const int *fold, int count)
{
    double off = 0, inner = 0;
    int64_t *kept = malloc(sizeof *kept * (size_t)data->n), *held = malloc(sizeof *held * (size_t)data->n);
    for (int f = 0; f < count; f++) {
        int64_t n = 0, h = 0;
        for (int64_t i = 0; i < data->n; i++) *(fold[i] == f ? held + h++ : kept + n++) = i;
        rung_data *train, *test;
        rung_model *model;
        rung_search *found;
        int *rank = malloc(sizeof *rank * (size_t)h);
        assert_ok(ctx, dataset_subset(ctx, data, n, kept, &train));
        assert_ok(ctx, dataset_subset(ctx, data, h, held, &test));
        assert_ok(ctx, tune(ctx, o, train, &model, &found));
        rung_view view = {.v = test->X, .n = h, .d = test->d, .row = test->d, .col = 1};
        assert_ok(ctx, model_predict(ctx, model, &view, NULL, &(rung_output){.rank = rank}));
        for (int64_t i = 0; i < h; i++) off += abs(rank[i] - test->y[i]) / (double)data->n;
        inner += found->cv.mae / count;
        search_free(found);
        model_free(model);
        dataset_free(train);
        dataset_free(test);
        free(rank);
    }
    free(kept);
    free(held);
    return off - inner;
}

/* The error of the winner and what searches without each fold lose on it; the model has it, and says what its own was.
 * Nested cross-validation gives the same correction; a single point needs none. */
static void the_choice_is_corrected(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 4, true, false);
    int fold[60];
    rung_model *model;
    rung_search *found, *nested;
    rung_tune_options o = {.methods = LIST("kdlor"), .grids = LIST("gamma=0.01,1,100", "ridge=1,0.01"), .repeats = 1};
    for (int i = 0; i < 60; i++) fold[i] = i % 3;
    double by = correction(ctx, &o, data, fold, 3);
    o.own_folds = fold;
    o.own_repeats = 1;
    assert_ok(ctx, tune(ctx, &o, data, &model, &found));
    assert_close(found->corrected.mae, found->cv.mae + by, 1e-12);
    assert_true(model->cv.mae == found->corrected.mae && model->cv.mae_low == found->corrected.mae_low);
    assert_true(found->corrected.mae_low < found->corrected.mae && found->corrected.mae < found->corrected.mae_high);
    const report_entry *last = &model->report[model->n_report - 1];
    assert_string_equal(last->name, "winner_mae");
    assert_true(*last->value == found->cv.mae);
    model_free(model);
    o.nested = 1;
    assert_ok(ctx, tune(ctx, &o, data, &model, &nested));
    assert_close(nested->corrected.mae, found->corrected.mae, 1e-12);
    model_free(model);
    search_free(nested);
    search_free(found);
    rung_tune_options one = {.methods = LIST("kdlor"), .grids = LIST("gamma=1", "ridge=1")};
    assert_ok(ctx, tune(ctx, &one, data, &model, &found));
    assert_true(found->corrected.n == 0 && model->cv.mae == found->cv.mae);
    model_free(model);
    search_free(found);
    dataset_free(data);
}

/* Pure noise of 30 labels: the winner of many points looks good by chance, the corrected error is that of new rows. */
static void the_corrected_error_is_that_of_new_rows(void **state)
{
    enum { DRAWS = 60, LABELS = 30, NEW = 600 };
    rung_ctx *ctx = *state;
    double winner = 0, corrected = 0, x[3 * (LABELS + NEW)];
    int y[LABELS + NEW], rank[NEW];
    rng r;
    rng_open(&r, 77, 0);
    for (int draw = 0; draw < DRAWS; draw++) {
        for (int i = 0; i < 3 * (LABELS + NEW); i++) x[i] = rng_normal(&r);
        for (int i = 0; i < LABELS + NEW; i++) y[i] = 1 + (int)rng_below(&r, 3);
        rung_view view = {.v = x, .n = LABELS, .d = 3, .row = 3, .col = 1}, new = view;
        rung_data *data;
        rung_model *model;
        rung_search *found;
        double truth = 0;
        rung_tune_options o = {
            .methods = LIST("kdlor"), .grids = LIST("gamma=0.01,0.1,1,10", "ridge=1,0.1,0.01"), .repeats = 1};
        assert_ok(ctx, dataset_new(ctx, &view, y, NULL, 3, &data));
        assert_ok(ctx, tune(ctx, &o, data, &model, &found));
        new.v += 3 * LABELS;
        new.n = NEW;
        assert_ok(ctx, model_predict(ctx, model, &new, NULL, &(rung_output){.rank = rank}));
        for (int i = 0; i < NEW; i++) truth += abs(rank[i] - y[LABELS + i]) / (double)NEW;
        winner += (found->cv.mae - truth) / DRAWS;
        corrected += (found->corrected.mae - truth) / DRAWS;
        search_free(found);
        model_free(model);
        dataset_free(data);
        pool_free_all(&ctx->scratch);
    }
    if (winner > -0.06 || fabs(corrected) > 0.04)
        fail_msg("the winner's error is off by %.3f, corrected %.3f", winner, corrected);
}

/* Points on labelled and on all rows, with costs, probabilities as the criterion and one standard error; leave-one-out
 * is corrected in five parts. */
static void the_choice_is_corrected_among_all_kinds(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 3, false, true);
    const double cost[9] = {0, 1, 2, 3, 0, 1, 6, 3, 0};
    const char *const metrics[] = {"mae", "rps", "cost", "mae"};
    for (int k = 0; k < 4; k++) {
        rung_tune_options o = {.methods = LIST("llgc", "pom", "kdlor", "plp"),
                               .grids = LIST("gamma=0.5,2", "ridge=0.1,1"),
                               .metric = metrics[k],
                               .one_se = k == 1,
                               .cost = k == 2 ? cost : NULL,
                               .leave_one_out = k == 3,
                               .repeats = k == 3 ? 0 : 2};
        rung_model *model;
        rung_search *found;
        assert_ok(ctx, tune(ctx, &o, data, &model, &found));
        assert_int_equal(found->corrected.n, 40);
        assert_true(isfinite(found->corrected.rps) && found->corrected.mae >= 0.6 * found->cv.mae);
        search_free(found);
        model_free(model);
    }
    dataset_free(data);
}

typedef struct { /* of every process */
    char *bytes[4], *found[4];
    int64_t size[4];
} searches;

static void search_together(rung_ctx *ctx, int rank, void *user)
{
    searches *all = user;
    rung_data *data = make_data(ctx, 60, 3, false, true);
    rung_tune_options o = {.size = sizeof o,
                           .methods = LIST("kdlor", "pom", "llgc"),
                           .fixed = LIST("ridge-kind=identity"),
                           .grids = LIST("gamma=0.5,2", "ridge=1e-300,0.1,1"),
                           .nested = 1};
    rung_model *model;
    rung_search *found;
    assert_ok(ctx, rung_tune_run(ctx, &o, data, &model, &found));
    assert_ok(ctx, rung_model_save_memory(ctx, model, &all->bytes[rank], &all->size[rank]));
    assert_ok(ctx, rung_search_describe(ctx, found, &all->found[rank]));
    rung_search_free(found);
    rung_model_free(model);
    dataset_free(data);
}

/* Methods with probabilities and without, on labelled and on all rows. */
static void the_same_bits_on_any_number_of_processes(void **state)
{
    (void)state;
    searches alone = {0};
    processes_run(1, search_together, &alone);
    for (int ranks = 2; ranks <= 3; ranks++) {
        searches together = {0};
        processes_run(ranks, search_together, &together);
        for (int r = 0; r < ranks; r++) {
            assert_int_equal(together.size[r], alone.size[0]);
            assert_memory_equal(together.bytes[r], alone.bytes[0], (size_t)alone.size[0]);
            assert_string_equal(together.found[r], alone.found[0]);
            rung_free(together.bytes[r]);
            rung_free(together.found[r]);
        }
    }
    rung_free(alone.bytes[0]);
    rung_free(alone.found[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(nothing_is_computed_twice),
        WITH_CONTEXT(cheap_parameters_share_factors),
        WITH_CONTEXT(the_winner_is_the_least_of_all),
        WITH_CONTEXT(the_same_bits_on_any_number_of_threads),
        WITH_CONTEXT(the_same_bits_on_any_number_of_processes),
        WITH_CONTEXT(shuffled_labels_leak_nothing),
        WITH_CONTEXT(copies_leak_nothing),
        WITH_CONTEXT(groups_are_what_varies),
        WITH_CONTEXT(weights_are_copies),
        WITH_CONTEXT(groups_with_unlabelled_rows),
        WITH_CONTEXT(no_error_has_a_range),
        WITH_CONTEXT(ties_go_to_the_smoother_model),
        WITH_CONTEXT(one_standard_error_prefers_smooth),
        WITH_CONTEXT(methods_compete),
        WITH_CONTEXT(grids_are_what_was_asked),
        WITH_CONTEXT(grids_have_a_limit),
        WITH_CONTEXT(class_weights_are_texts),
        WITH_CONTEXT(repeats_by_the_number_of_labels),
        WITH_CONTEXT(an_undefined_metric_costs_one),
        WITH_CONTEXT(probabilities_are_graded),
        WITH_CONTEXT(points_that_cannot_be_fitted),
        WITH_CONTEXT(folds_that_leave_one_class),
        WITH_CONTEXT(held_out_is_a_fit_of_the_rest),
        WITH_CONTEXT(single_rows_of_a_class),
        WITH_CONTEXT(one_label_per_class_beside_unlabelled_rows),
        WITH_CONTEXT(thresholds_without_other_folds),
        WITH_CONTEXT(nested_with_everything),
        WITH_CONTEXT(mistakes_are_told),
        WITH_CONTEXT(one_label_per_class_has_nothing_to_compare),
        WITH_CONTEXT(a_limit_of_memory_is_kept),
        WITH_CONTEXT(folds_follow_the_user),
        WITH_CONTEXT(every_allocation_may_fail),
        WITH_CONTEXT(the_evidence_decides),
        WITH_CONTEXT(the_choice_is_corrected),
        WITH_CONTEXT(the_corrected_error_is_that_of_new_rows),
        WITH_CONTEXT(the_choice_is_corrected_among_all_kinds),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
