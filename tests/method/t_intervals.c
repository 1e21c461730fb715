// SPDX-License-Identifier: BSD-3-Clause
/* Labels that are intervals, in every method that takes them: an interval of one class is that class, one of all
 * classes no label, the solutions are optimal, and a row graded "2 to 4" is worth more than none. */
#include "helper.h"

#include "base/rng.h"
#include "rung/rung.h"

enum { D = 8, K = 5, NAMED = 20, VAGUE = 80, TRAIN = NAMED + VAGUE, TEST = 400 };

static const char *const able[] = {"pom", "mixed", "ogp", "gpor", "boost", "auto", "median", NULL};

typedef struct {
    double x[(TRAIN + TEST) * D];
    int rank[TRAIN + TEST], low[TRAIN], high[TRAIN];
} sample;

/* A latent value with noise; of the training rows after the first NAMED only an interval of two or three grades is
 * known, wherever in it the grade lies. */
static void draw(sample *s, uint64_t stream)
{
    static const double threshold[K - 1] = {-1.4, -0.5, 0.5, 1.4};
    rng r;
    rng_open(&r, 12, stream);
    for (int i = 0; i < TRAIN + TEST; i++) {
        double *x = s->x + i * D, f = 0.4 * rng_normal(&r);
        for (int j = 0; j < D; j++) x[j] = rng_normal(&r);
        f += 0.9 * x[0] + 0.6 * x[1] - 0.6 * x[2] + 0.8 * x[3] * (x[3] > 0) - 0.3;
        s->rank[i] = 1;
        for (int q = 0; q < K - 1; q++) s->rank[i] += f > threshold[q];
        if (i >= TRAIN) continue;
        s->low[i] = s->high[i] = s->rank[i];
        if (i < NAMED) continue;
        s->low[i] -= (int)rng_below(&r, 2);
        s->high[i] += (int)rng_below(&r, 2);
        if (s->low[i] == s->high[i]) s->high[i]++;
        if (s->low[i] < 1) s->low[i] = 1;
        if (s->high[i] > K) s->high[i] = K;
    }
}

static rung_data *data_of(rung_ctx *ctx, const sample *s, int first, int n, const int *rank, const int *upper)
{
    rung_data *data;
    rung_view X = {.v = s->x + (size_t)first * D, .n = n, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &X, rank, NULL, K, &data));
    if (upper) assert_ok(ctx, rung_data_set_upper(ctx, data, upper));
    return data;
}

/* A default spec; auto with less effort, to save time. */
static rung_spec *spec_of(rung_ctx *ctx, const char *method)
{
    rung_spec *spec;
    assert_ok(ctx, rung_spec_new(ctx, method, 0, &spec));
    if (strcmp(method, "auto") == 0) assert_ok(ctx, rung_spec_set(ctx, spec, "effort", "quick"));
    return spec;
}

/* The bytes of a fit; the data and their checksum are part of them. */
static char *fitted_bytes(rung_ctx *ctx, const char *method, const rung_data *data, int64_t *size)
{
    rung_spec *spec = spec_of(ctx, method);
    rung_model *model;
    char *bytes;
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, size));
    rung_model_free(model);
    rung_spec_free(spec);
    return bytes;
}

static void same_models(rung_ctx *ctx, const char *method, const rung_data *a, const rung_data *b)
{
    int64_t n_a, n_b;
    char *of_a = fitted_bytes(ctx, method, a, &n_a), *of_b = fitted_bytes(ctx, method, b, &n_b);
    if (n_a != n_b || memcmp(of_a, of_b, (size_t)n_a) != 0) fail_msg("%s: the models differ", method);
    rung_free(of_a);
    rung_free(of_b);
}

static void test_one_class_and_all_classes(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 30 };
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    draw(s, 1);
    int exact[ROWS], upper[ROWS], hidden[ROWS], all[ROWS], highest[ROWS];
    for (int i = 0; i < ROWS; i++) {
        bool open = i % 5 == 4;
        exact[i] = upper[i] = s->rank[i];
        hidden[i] = open ? 0 : s->rank[i];
        all[i] = open ? 1 : s->rank[i];
        highest[i] = open ? K : s->rank[i];
    }
    rung_data *named = data_of(ctx, s, 0, ROWS, exact, NULL), *wide = data_of(ctx, s, 0, ROWS, exact, upper),
              *without = data_of(ctx, s, 0, ROWS, hidden, NULL), *anything = data_of(ctx, s, 0, ROWS, all, highest);
    assert_null(rung_data_uppers(wide));
    assert_null(rung_data_uppers(anything));
    for (int k = 0; able[k]; k++) {
        same_models(ctx, able[k], named, wide);
        same_models(ctx, able[k], without, anything);
    }
    rung_data_free(named);
    rung_data_free(wide);
    rung_data_free(without);
    rung_data_free(anything);
    free(s);
}

/* An interval of all classes that have labels says nothing either. */
static void test_all_classes_with_labels(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 24 };
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    draw(s, 2);
    int low[ROWS], high[ROWS];
    int64_t n;
    for (int i = 0; i < ROWS; i++) low[i] = high[i] = s->rank[i] < 3 ? 2 : 3;
    low[0] = low[1] = 1;
    high[0] = high[1] = 4;
    rung_data *data = data_of(ctx, s, 0, ROWS, low, high);
    for (int k = 0; able[k]; k++) {
        rung_model *model;
        char *bytes = fitted_bytes(ctx, able[k], data, &n);
        assert_ok(ctx, rung_model_load_memory(ctx, bytes, n, &model));
        assert_int_equal(rung_model_labelled(model), ROWS - 2);
        assert_false(rung_model_class_present(model, 1));
        rung_model_free(model);
        rung_free(bytes);
    }
    rung_data_free(data);
    free(s);
}

static void verify(rung_ctx *ctx, const char *method, const char *param, const char *value, const rung_data *data)
{
    rung_spec *spec = spec_of(ctx, method);
    rung_model *model;
    rung_verification *found;
    const rung_condition *c;
    if (param) assert_ok(ctx, rung_spec_set(ctx, spec, param, value));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_ok(ctx, rung_model_verify(ctx, spec, data, model, &found));
    for (int i = 0; (c = rung_verification_at(found, i)); i++)
        if (!c->ok) fail_msg("%s: %s is %g, not at most %g", method, c->name, c->value, c->tolerance);
    rung_verification_free(found);
    rung_model_free(model);
    rung_spec_free(spec);
}

/* Unlabelled rows, rows that are equal, and a class that only intervals reach. */
static void test_optimality(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 44 };
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    draw(s, 3);
    int low[ROWS], high[ROWS];
    for (int i = 0; i < ROWS; i++) {
        bool open = i % 7 == 3;
        low[i] = open ? 0 : s->low[i];
        high[i] = open ? 0 : s->high[i];
        if (low[i] == 1 && high[i] == 1) high[i] = 2; /* nobody is sure of the lowest grade */
    }
    memcpy(s->x + 40 * D, s->x, D * sizeof *s->x); /* an interval that equals a row with a class */
    memcpy(s->x + 41 * D, s->x + 42 * D, D * sizeof *s->x);
    rung_data *data = data_of(ctx, s, 0, ROWS, low, high);
    for (int k = 0; able[k]; k++) verify(ctx, able[k], NULL, NULL, data);
    verify(ctx, "pom", "link", "probit", data);
    verify(ctx, "gpor", "inference", "ep", data);
    verify(ctx, "boost", "link", "nominal", data);
    verify(ctx, "ogp", "features", "rank", data);
    rung_data_free(data);
    free(s);
}

static double error_of(rung_ctx *ctx, const char *method, const sample *s, const rung_data *train)
{
    rung_spec *spec = spec_of(ctx, method);
    rung_model *model;
    rung_metrics m = {.size = sizeof m};
    int rank[TEST];
    rung_view X = {.v = s->x + (size_t)TRAIN * D, .n = TEST, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_model_fit(ctx, spec, train, &model));
    assert_ok(ctx, rung_model_predict(ctx, model, &X, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    assert_ok(ctx, rung_metrics_compute(ctx, TEST, K, s->rank + TRAIN, rank, NULL, &m));
    rung_model_free(model);
    rung_spec_free(spec);
    return m.mae;
}

/* On new rows: with the intervals, and with these rows unlabelled. */
static void test_intervals_help(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const learners[] = {"pom", "ogp", "boost", "auto"};
    enum { DRAWS = 2 };
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    for (int k = 0; k < 4; k++) {
        double with = 0, without = 0;
        for (int draws = 0; draws < DRAWS; draws++) {
            int hidden[TRAIN];
            draw(s, 10 + (uint64_t)draws);
            for (int i = 0; i < TRAIN; i++) hidden[i] = i < NAMED ? s->rank[i] : 0;
            rung_data *all = data_of(ctx, s, 0, TRAIN, s->low, s->high),
                      *some = data_of(ctx, s, 0, TRAIN, hidden, NULL);
            with += error_of(ctx, learners[k], s, all) / DRAWS;
            without += error_of(ctx, learners[k], s, some) / DRAWS;
            rung_data_free(all);
            rung_data_free(some);
        }
        print_message("%s: mae %.3f with the intervals, %.3f without\n", learners[k], with, without);
        if (!(with < 0.9 * without)) fail_msg("%s: %g with the intervals, %g without", learners[k], with, without);
    }
    free(s);
}

/* All others say that they cannot, and which methods can. */
static void test_others_refuse(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    draw(s, 4);
    rung_data *data = data_of(ctx, s, 0, TRAIN, s->low, s->high);
    const rung_method *m;
    int refused = 0;
    for (int i = 0; (m = rung_method_at(i)); i++) {
        rung_spec *spec;
        rung_model *model;
        bool can = false;
        for (int k = 0; able[k]; k++) can = can || strcmp(able[k], m->name) == 0;
        assert_int_equal((m->flags & RUNG_METHOD_INTERVALS) != 0, can);
        if (can) continue;
        char words[200];
        snprintf(words, sizeof words, "%s cannot learn from interval labels, of which there are ", m->name);
        assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
        assert_fails(ctx, rung_model_fit(ctx, spec, data, &model), RUNG_EARG, words);
        assert_non_null(strstr(rung_ctx_message(ctx), "gpor, pom, mixed, boost, ogp, median, auto can"));
        rung_spec_free(spec);
        refused++;
    }
    assert_true(refused > 10);
    rung_data_free(data);
    free(s);
}

/* An answer inside an interval shows no error: the error is that of the rows with exact labels, and near that of new
 * rows; where these are too few, it is called a lower bound. */
enum { DRAWS = 12 };

static void listen(void *user, rung_log_level level, const char *message)
{
    if (level == RUNG_LOG_WARNING && strstr(message, "lower bound")) ++*(int *)user;
}

/* Only the first NAMED labels are exact, none by being cut at the lowest or the highest class. */
static void draw_vague(sample *s, uint64_t stream)
{
    draw(s, stream);
    for (int i = NAMED; i < TRAIN; i++) {
        if (s->low[i] == K) s->low[i] = K - 1;
        if (s->high[i] == 1) s->high[i] = 2;
    }
}

static double error_of_test(rung_ctx *ctx, const rung_model *model, const sample *s)
{
    int rank[TEST], sum = 0;
    rung_view X = {.v = s->x + (size_t)TRAIN * D, .n = TEST, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_model_predict(ctx, model, &X, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    for (int i = 0; i < TEST; i++) sum += abs(rank[i] - s->rank[TRAIN + i]);
    return (double)sum / TEST;
}

static void test_error_of_exact_labels(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    static const char *const some[] = {"pom", "ogp", "boost", NULL};
    for (int k = 0; some[k]; k++) {
        double told = 0, true_one = 0;
        for (int i = 0; i < DRAWS; i++) {
            int warnings = 0;
            draw_vague(s, 40 + (uint64_t)i);
            rung_data *data = data_of(ctx, s, 0, TRAIN, s->low, s->high);
            rung_spec *spec = spec_of(ctx, some[k]);
            rung_model *model;
            rung_metrics cv = {.size = sizeof cv}, median = cv;
            rung_ctx_set_log(ctx, listen, &warnings);
            assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
            rung_ctx_set_log(ctx, NULL, NULL);
            assert_true(rung_model_cv(model, &cv) && rung_model_cv_median(model, &median) > 0);
            assert_true(cv.n >= NAMED - K && cv.n <= NAMED && cv.intervals == 0 && warnings == 0);
            assert_true(median.n == cv.n && median.intervals == 0);
            told += cv.mae / DRAWS;
            true_one += error_of_test(ctx, model, s) / DRAWS;
            rung_model_free(model);
            rung_spec_free(spec);
            rung_data_free(data);
        }
        print_message("%s: told %.3f, true %.3f\n", some[k], told, true_one);
        if (!(fabs(told - true_one) < 0.12)) fail_msg("%s: told %g, true %g", some[k], told, true_one);
    }
    free(s);
}

static void test_lower_bound(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    draw_vague(s, 3);
    int warnings = 0;
    rung_data *data = data_of(ctx, s, NAMED - 9, 9 + VAGUE, s->low + NAMED - 9, s->high + NAMED - 9);
    rung_spec *spec = spec_of(ctx, "pom");
    rung_model *model, *again;
    rung_metrics cv = {.size = sizeof cv}, median = cv, loaded = cv;
    char *bytes;
    int64_t size;
    rung_ctx_set_log(ctx, listen, &warnings);
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_ctx_set_log(ctx, NULL, NULL);
    assert_int_equal(warnings, 1);
    assert_true(rung_model_cv(model, &cv) && cv.n >= VAGUE && cv.intervals == VAGUE);
    int rank = rung_model_cv_median(model, &median);
    assert_true(rank > 0 && median.n == cv.n && median.intervals == VAGUE);
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, &size));
    assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
    assert_true(rung_model_cv(again, &loaded) && memcmp(&loaded, &cv, sizeof cv) == 0);
    assert_true(rung_model_cv_median(again, &loaded) == rank && memcmp(&loaded, &median, sizeof cv) == 0);
    rung_free(bytes);
    rung_model_free(again);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
    free(s);
}

/* A search, a curve and an importance take them, too. */
static void test_around_a_fit(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    draw_vague(s, 5);
    rung_data *data = data_of(ctx, s, 0, 60, s->low, s->high);
    rung_model *model;
    rung_search *found;
    rung_curve *line;
    rung_spec *spec;
    rung_importance *found_columns;
    rung_metrics cv = {.size = sizeof cv}, nested = {.size = sizeof nested};
    const char *methods[] = {"pom", NULL}, *both[] = {"pom", "kdlor", NULL};
    assert_ok(ctx, rung_tune_run(ctx,
                                 &(rung_tune_options){
                                     .size = sizeof(rung_tune_options), .methods = methods, .repeats = 1, .nested = 1},
                                 data, &model, &found));
    assert_true(rung_model_cv(model, &cv) && cv.n == NAMED && cv.intervals == 0 && cv.mae < 0.8 && cv.acc > 0.3);
    assert_true(rung_search_nested(found, &nested) && nested.n == NAMED && nested.intervals == 0);
    assert_string_equal(rung_model_interval(model), "cross-conformal");
    rung_search_free(found);
    rung_model_free(model);
    assert_fails(ctx,
                 rung_tune_run(ctx, &(rung_tune_options){.size = sizeof(rung_tune_options), .methods = both}, data,
                               &model, &found),
                 RUNG_EARG, "kdlor cannot learn from interval labels");
    assert_ok(ctx, rung_curve_run(
                       ctx, &(rung_curve_options){.size = sizeof(rung_curve_options), .methods = methods, .repeats = 2},
                       data, &line));
    int64_t labels;
    for (int i = 0; rung_curve_size(line, i, &labels); i++) assert_true(labels <= 42);
    assert_true(rung_curve_test_rows(line) >= 18); /* fewer than ten have exact labels */
    for (int i = 0; rung_curve_at(line, i); i++) assert_true(rung_curve_at(line, i)->values[0] >= 0);
    rung_curve_free(line);
    assert_ok(ctx, rung_spec_new(ctx, "pom", 0, &spec));
    assert_ok(ctx, rung_importance_held_out(ctx, spec, data, NULL, &found_columns));
    assert_int_equal(rung_importance_about(found_columns)->rows, 20);
    rung_importance_free(found_columns);
    rung_spec_free(spec);
    rung_data_free(data);
    free(s);
}

typedef struct {
    rung_ctx *ctx;
    const rung_data *data;
} small_fit;

static rung_status fit_small(void *argument)
{
    const small_fit *f = argument;
    rung_spec *spec = NULL;
    rung_model *model = NULL;
    rung_status status = rung_spec_new(f->ctx, "pom", 0, &spec);
    if (status == RUNG_OK) status = rung_spec_set(f->ctx, spec, "calibrate", "2");
    if (status == RUNG_OK) status = rung_model_fit(f->ctx, spec, f->data, &model);
    rung_model_free(model);
    rung_spec_free(spec);
    return status;
}

static void test_memory(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = malloc(sizeof *s);
    assert_non_null(s);
    draw(s, 6);
    rung_data *data = data_of(ctx, s, 0, 40, s->low, s->high);
    assert_true(fail_each_allocation(fit_small, &(small_fit){ctx, data}) > 100);
    rung_data_free(data);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_one_class_and_all_classes),
        WITH_CONTEXT(test_all_classes_with_labels),
        WITH_CONTEXT(test_optimality),
        WITH_CONTEXT(test_intervals_help),
        WITH_CONTEXT(test_others_refuse),
        WITH_CONTEXT(test_around_a_fit),
        WITH_CONTEXT(test_error_of_exact_labels),
        WITH_CONTEXT(test_lower_bound),
        WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
