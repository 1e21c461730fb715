// SPDX-License-Identifier: BSD-3-Clause
/* What methods put a fit together from, and how the driver makes a model of it. */
#include "helper.h"

#include "fit/fit.h"

enum { N = 6, D = 2, K = 3 };

static const double X[D * N] = {0, 0, 1, 0, 0, 2, 3, 1, 4, 4, 5, 0};
static const int y[N] = {1, 0, 2, 0, 3, 0};
static const int64_t origin[N] = {5, 4, 3, 2, 1, 0};
/* column-major */
static const double U[N * K] = {1, 0.75, 0, 0.25, 0, 0, 0, 0.25, 1, 0.25, 0, 0.5, 0, 0, 0, 0.5, 1, 0.5};

static problem small_problem(pool *mem)
{
    problem p;
    problem_new(mem, &(problem_rows){D, N, X, y, NULL, origin, K}, &p);
    return p;
}

/* ---- scorers ---- */

static double rbf(const double *a, const double *b)
{
    return exp(-0.5 * ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])));
}

static void test_several_outputs(void **state)
{
    rung_ctx *ctx = *state;
    pool mem = {0};
    problem p = small_problem(&mem);
    const double beta[2 * N] = {0, 1, 0, -2, 0, 0, 0, 3, 0, 0, 0, 0.5}; /* rows 1, 3 and 6 have none */
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.5};
    scorer s;
    assert_ok(ctx, expansion_outputs(ctx, &mem, &p, &k, 2, beta, &s));
    assert_int_equal(s.m, 3);
    assert_int_equal(s.outputs, 2);
    assert_arrays_close(2, s.rows, X + 2, 0);
    assert_arrays_close(2, s.rows + 4, X + 10, 0);
    s.bias[1] = 10;
    double output[2 * N];
    assert_ok(ctx, scorer_apply(ctx, &s, N, X, output));
    for (int i = 0; i < N; i++) {
        double f[2] = {0, 10};
        for (int j = 0; j < N; j++)
            for (int o = 0; o < 2; o++) f[o] += beta[j + o * N] * rbf(X + i * D, X + j * D);
        assert_arrays_close(2, output + 2 * i, f, 1e-14);
    }

    k.kind = KERNEL_PRECOMPUTED;
    assert_ok(ctx, expansion_outputs(ctx, &mem, &p, &k, 2, beta, &s));
    assert_int_equal(s.m, 3);
    assert_null(s.rows);
    assert_int_equal(s.index[0], origin[1]);
    assert_int_equal(s.index[2], origin[5]);

    k.kind = KERNEL_LINEAR;
    assert_ok(ctx, expansion_outputs(ctx, &mem, &p, &k, 2, beta, &s));
    assert_int_equal(s.kind, SCORER_LINEAR);
    assert_int_equal(s.m, D);
    assert_arrays_close(4, s.coef, ((double[]){1 - 6, -2, 3 + 2.5, 0}), 1e-15);

    const double none[N] = {0};
    k.kind = KERNEL_RBF;
    assert_ok(ctx, expansion_scorer(ctx, &mem, &p, &k, none, &s));
    assert_int_equal(s.m, 0);
    assert_ok(ctx, scorer_apply(ctx, &s, N, X, output));
    assert_true(output[0] == 0 && output[N - 1] == 0);

    assert_ok(ctx, linear_scorer(ctx, &mem, &p, 2, (double[]){1, 0, 0, 2}, (double[]){0, -1}, &s));
    assert_ok(ctx, scorer_apply(ctx, &s, N, X, output));
    for (int i = 0; i < N; i++) assert_true(output[2 * i] == X[2 * i] && output[2 * i + 1] == 2 * X[2 * i + 1] - 1);
    assert_ok(ctx, linear_scorer(ctx, &mem, &p, 1, (double[]){1, 1}, NULL, &s));
    assert_true(s.bias[0] == 0);
    pool_free_all(&mem);
}

/* ---- what a fit says of rows ---- */

static void test_apply_by_map(void **state)
{
    rung_ctx *ctx = *state;
    double coef[] = {1, 0}, bias = 0, t[] = {1.5, 3.5}, f[] = {0, 2, 5}, s[] = {1, 2, 3}, score[N];
    int rank[N];
    fitted fit = {.own = {.score = {.kind = SCORER_LINEAR, .outputs = 1, .m = D, .d = D, .coef = coef, .bias = &bias},
                          .decide = {.kind = DECISION_THRESHOLDS, .K = K, .thresholds = t},
                          .map = {.n = 3, .f = f, .s = s}}};
    assert_ok(ctx, fitted_apply(ctx, &fit, NULL, N, &(member_rows){.scaled = X}, &(row_answers){score, rank, K, NULL}));
    for (int i = 0; i < N; i++) {
        double x = X[2 * i];
        assert_int_equal(rank[i], x <= 1.5 ? 1 : x <= 3.5 ? 2 : 3);
        assert_close(score[i], x <= 2 ? 1 + x / 2 : 2 + (x - 2) / 3, 1e-15);
    }
    assert_ok(ctx, fitted_apply(ctx, &fit, (int[]){2, 5, 9}, N, &(member_rows){.scaled = X},
                                &(row_answers){score, rank, 9, NULL}));
    for (int i = 0; i < N; i++) {
        double x = X[2 * i];
        assert_int_equal(rank[i], x <= 1.5 ? 2 : x <= 3.5 ? 5 : 9);
        assert_close(score[i], x <= 2 ? 2 + 3 * x / 2 : 5 + 4 * (x - 2) / 3, 1e-15);
    }
    assert_true(s[2] == 3); /* the fit is as it was */
}

/* Probabilities of its own, of one member and of several: by ranks where no classes are told, and nothing is written
 * where none are wanted. Means at no finite distance are no answer. */
static void test_apply_probabilities(void **state)
{
    rung_ctx *ctx = *state;
    double bias = 0, prior[] = {0.125, 0.25, 0.625}, other[] = {0.375, 0.5, 0.125}, score[N], proba[N * K],
           means[] = {1, 2, 3};
    int rank[N];
    fitted fit = {.own = {.score = {.kind = SCORER_CONSTANT, .outputs = 1, .d = D, .bias = &bias},
                          .decide = {.kind = DECISION_MEDIAN, .K = K},
                          .proba = PROBA_PRIOR,
                          .prior = prior}};
    assert_ok(ctx, fitted_apply(ctx, &fit, NULL, N, &(member_rows){.scaled = X}, &(row_answers){score, rank, K, NULL}));
    for (int i = 0; i < N; i++) assert_true(rank[i] == 3 && score[i] == 2.5);
    assert_ok(ctx,
              fitted_apply(ctx, &fit, NULL, N, &(member_rows){.scaled = X}, &(row_answers){score, rank, K, proba}));
    for (int i = 0; i < N; i++) assert_arrays_close(K, proba + i * K, prior, 0);
    member two[] = {fit.own, fit.own};
    two[0].weight = 1;
    two[1].weight = 3;
    two[1].prior = other;
    fitted many = {.n_members = 2, .members = two};
    assert_ok(ctx,
              fitted_apply(ctx, &many, NULL, N, &(member_rows){.scaled = X}, &(row_answers){score, rank, K, NULL}));
    for (int i = 0; i < N; i++) assert_true(rank[i] == 2 && score[i] == 0.25 * 2.5 + 0.75 * 1.75);
    assert_ok(ctx, fitted_apply(ctx, &many, (int[]){1, 3, 4}, N, &(member_rows){.scaled = X},
                                &(row_answers){score, rank, 4, (double[N * 4]){0}}));
    for (int i = 0; i < N; i++) assert_true(rank[i] == 3);
    fitted far = {.own = {.score = fit.own.score, .decide = {.kind = DECISION_NEAREST_MEAN, .K = K, .means = means}}};
    bias = 1e200;
    assert_fails(ctx,
                 fitted_apply(ctx, &far, NULL, N, &(member_rows){.scaled = X}, &(row_answers){score, rank, K, NULL}),
                 RUNG_EDATA, "the score of a held-out row overflows");
}

static void test_apply_without_a_map(void **state)
{
    rung_ctx *ctx = *state;
    pool mem = {0};
    problem p = small_problem(&mem);
    fitted fit = {0};
    double score[N];
    int rank[N];
    assert_ok(ctx, linear_scorer(ctx, &mem, &p, 2, (double[]){1, 0, 0, 1}, NULL, &fit.own.score));
    assert_ok(ctx, nearest_mean_decision(ctx, &mem, K, 2, (double[]){0, 0, 1, 3, 5, 1}, &fit.own.decide));
    assert_ok(ctx, fitted_apply(ctx, &fit, (int[]){1, 3, 4}, N, &(member_rows){.scaled = X},
                                &(row_answers){score, rank, 4, NULL}));
    const int nearest[N] = {1, 1, 3, 4, 3, 4}; /* (4, 4) is as near to the second mean as to the third */
    for (int i = 0; i < N; i++) {              /* Gaussians of variance (10 + 20) / 2 / 4 around the means */
        const double means[] = {0, 0, 1, 3, 5, 1};
        double sum = 0, total = 0;
        for (int q = 0; q < K; q++) {
            double a = X[2 * i] - means[2 * q], b = X[2 * i + 1] - means[2 * q + 1];
            double w = exp(-0.5 * (a * a + b * b) / 3.75);
            sum += w * (int[]){1, 3, 4}[q];
            total += w;
        }
        assert_int_equal(rank[i], nearest[i]);
        assert_close(score[i], sum / total, 1e-13);
    }

    fit.own.decide = (decision){.kind = DECISION_ARGMAX, .K = 2}; /* margins: 2 log-odds per unit */
    assert_ok(ctx, fitted_apply(ctx, &fit, (int[]){2, 4}, N, &(member_rows){.scaled = X},
                                &(row_answers){score, rank, 4, NULL}));
    for (int i = 0; i < N; i++) {
        assert_int_equal(rank[i], X[2 * i + 1] > X[2 * i] ? 4 : 2);
        assert_close(score[i], 2 + 2 / (1 + exp(2 * (X[2 * i] - X[2 * i + 1]))), 1e-13);
    }

    fit = (fitted){0};
    assert_ok(ctx, membership_fit(ctx, &mem, &p, U, &(membership_rule){1, WEIGHTS_BINARY, 0, DECISION_MEDIAN}, &fit));
    double proba[N * 4] = {0};
    assert_ok(ctx, fitted_apply(ctx, &fit, (int[]){1, 3, 4}, N, &(member_rows){.scaled = X},
                                &(row_answers){score, rank, 4, proba}));
    const int middle[N] = {1, 1, 3, 3, 4, 3};
    for (int i = 0; i < N; i++) { /* every row is its own nearest one */
        assert_int_equal(rank[i], middle[i]);
        assert_close(score[i], U[i] + 3 * U[i + N] + 4 * U[i + 2 * N], 1e-15);
        assert_arrays_close(4, proba + 4 * i, ((double[]){U[i], 0, U[i + N], U[i + 2 * N]}), 0);
    }
    pool_free_all(&mem);
}

/* ---- the driver ---- */

typedef struct {
    int calibrate;
} toy_params;

static rung_status toy_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    return membership_fit(ctx, mem, in->p, U, &(membership_rule){2, WEIGHTS_GAUSSIAN, 0.5, DECISION_ARGMAX}, out);
}

static rung_status half_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    TRY(toy_fit(ctx, mem, in, out));
    out->training.n--;
    return RUNG_OK;
}

static double toy_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    return 8.0 * (double)shape->n;
}

static const param_row toy_rows[] = {CALIBRATE_PARAM(toy_params, "0"), {0}};

static const method toy = {.info = {.name = "toy", .flags = RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_TRANSDUCTIVE},
                           .params = toy_rows,
                           .params_size = sizeof(toy_params),
                           .bytes = toy_bytes,
                           .fit = toy_fit};
static const method half = {.info = {.name = "half", .flags = RUNG_METHOD_USES_UNLABELLED},
                            .params = toy_rows,
                            .params_size = sizeof(toy_params),
                            .bytes = toy_bytes,
                            .fit = half_fit};

typedef struct {
    rung_ctx *ctx;
    const method *method;
    const char *calibrate;
    rung_model *model;
} work;

/* Classes 1, 3 and 4 of 4 have labels. */
static rung_status fit_once(void *argument)
{
    work *w = argument;
    const int classes[] = {0, 1, 3, 4};
    int rank[N];
    toy_params params = {0};
    const char *values[] = {w->calibrate};
    rung_spec spec = {.method = w->method, .params = &params, .values = values, .scale = SCALE_NONE};
    rung_view view = {X, N, D, D, 1};
    rung_data *data = NULL;
    for (int i = 0; i < N; i++) rank[i] = classes[y[i]];
    rung_status status = dataset_new(w->ctx, &view, rank, NULL, 4, &data);
    if (status == RUNG_OK) status = method_fit(w->ctx, &spec, data, &w->model);
    dataset_free(data);
    pool_free_all(&w->ctx->scratch);
    return status;
}

static rung_status fit_and_free(void *argument)
{
    work *w = argument;
    rung_status status = fit_once(w);
    model_free(w->model);
    w->model = NULL;
    return status;
}

static void test_transductive_model(void **state)
{
    work w = {.ctx = *state, .method = &toy, .calibrate = "0"};
    assert_ok(w.ctx, fit_once(&w));
    assert_int_equal(w.model->training.n, N);
    assert_int_equal(w.model->n_labelled, 3);
    int rank[N];
    double score[N], proba[N * 4];
    rung_output out = {.rank = rank, .score = score, .proba = proba};
    assert_ok(w.ctx, model_predict_training(w.ctx, w.model, NULL, &out));
    const int expected[N] = {1, 1, 3, 4, 4, 3};
    for (int i = 0; i < N; i++) {
        assert_int_equal(rank[i], expected[i]);
        assert_close(score[i], U[i] + 3 * U[i + N] + 4 * U[i + 2 * N], 1e-15);
        assert_arrays_close(4, proba + 4 * i, ((double[]){U[i], 0, U[i + N], U[i + 2 * N]}), 0);
    }
    rung_view view = {X, N, D, D, 1};
    assert_ok(w.ctx, model_predict(w.ctx, w.model, &view, NULL, &out));
    double near = 1 / (1 + exp(-1 / (2 * 0.25))); /* row 1: itself and row 2 at distance 1 */
    assert_arrays_close(4, proba, ((double[]){near + 0.75 * (1 - near), 0, 0.25 * (1 - near), 0}), 1e-14);
    model_free(w.model);
}

static void note(void *user, rung_log_level level, const char *text)
{
    size_t used = strlen(user);
    if (level == RUNG_LOG_WARNING) snprintf((char *)user + used, 512 - used, "%s\n", text);
}

/* One label per class: nothing can be held out, no range is known, and probabilities of its own stay. */
static void test_nothing_to_hold_out(void **state)
{
    char said[512] = "";
    work w = {.ctx = *state, .method = &toy, .calibrate = "3"};
    w.ctx->log = note;
    w.ctx->log_user = said;
    assert_ok(w.ctx, fit_once(&w));
    assert_non_null(strstr(said, "no class has two labelled rows: the error cannot be estimated\n"));
    assert_non_null(
        strstr(said, "1 of the 4 classes has no labelled row and is never predicted, with probability 0: '2'\n"));
    assert_false(w.model->members[0].proba == PROBA_CALIBRATION || w.model->has_cv);
    assert_string_equal(model_interval(w.model), "cross-conformal");
    assert_true(w.model->ranges.n == 0 && w.model->ranges.missed == 3);
    int low[N], high[N];
    rung_view view = {X, N, D, D, 1};
    rung_output out = {.low = low, .high = high};
    const rung_predict_options how = {.level = 0.5};
    assert_ok(w.ctx, model_predict(w.ctx, w.model, &view, &how, &out));
    for (int i = 0; i < N; i++) assert_true(low[i] == 1 && high[i] == 4); /* class 2, without labels, too */
    assert_ok(w.ctx, model_predict_training(w.ctx, w.model, &how, &out));
    const int first[] = {1, 1, 3, 4}, last[] = {4, 1, 3, 4}; /* by label; one that was given is known */
    for (int i = 0; i < N; i++) assert_true(low[i] == first[y[i]] && high[i] == last[y[i]]);
    model_free(w.model);
}

static void test_answers_for_some_rows(void **state)
{
    work w = {.ctx = *state, .method = &half, .calibrate = "0"};
    assert_fails(w.ctx, fit_once(&w), RUNG_EINTERNAL, "half has predictions for 5 rows, but there are 6");
    assert_null(w.model);
}

static void test_memory_runs_out(void **state)
{
    work w = {.ctx = *state, .method = &toy, .calibrate = "0"};
    assert_true(fail_each_allocation(fit_and_free, &w) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_several_outputs),       WITH_CONTEXT(test_apply_by_map),
        WITH_CONTEXT(test_apply_probabilities),   WITH_CONTEXT(test_apply_without_a_map),
        WITH_CONTEXT(test_transductive_model),    WITH_CONTEXT(test_nothing_to_hold_out),
        WITH_CONTEXT(test_answers_for_some_rows), WITH_CONTEXT(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
