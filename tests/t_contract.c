// SPDX-License-Identifier: BSD-3-Clause
/* The contract of a method, checked for every entry of the table through the public header: a new method is covered by
 * being listed. */
#define _DEFAULT_SOURCE /* mkdtemp, strsep */
#include "helper.h"

#include <unistd.h>

#include "base/rng.h"
#include "fit/method.h"

/* ---- data ---- */

typedef struct {
    int64_t n, d;
    int K;
    double *x; /* n x d by rows */
    int *y;
} rows;

/* Classes along the first column; about one row in four is unlabelled when asked; each class has a labelled row. */
static rows make_rows(int64_t n, int64_t d, int K, uint64_t stream, double noise, bool unlabelled)
{
    rng r;
    rng_open(&r, 5, stream);
    rows s = {
        .n = n, .d = d, .K = K, .x = malloc(sizeof(double) * (size_t)(n * d)), .y = malloc(sizeof(int) * (size_t)n)};
    assert_non_null(s.x);
    assert_non_null(s.y);
    for (int64_t i = 0; i < n; i++) {
        int y = 1 + (int)(i % K);
        s.y[i] = unlabelled && i >= K && rng_uniform(&r) < 0.25 ? 0 : y;
        for (int64_t j = 0; j < d; j++) s.x[i * d + j] = noise * rng_normal(&r) + (j == 0 ? y : 0);
    }
    return s;
}

static void free_rows(rows *s)
{
    free(s->x);
    free(s->y);
}

static rung_view view_of(const rows *s) { return (rung_view){.v = s->x, .n = s->n, .d = s->d, .row = s->d, .col = 1}; }

/* ---- fits ---- */

typedef struct {
    int *rank;
    double *score, *proba;
    bool probabilities;
    int outputs, classes;
} answers;

static void free_answers(answers *a)
{
    free(a->rank);
    free(a->score);
    free(a->proba);
}

static bool has_param(const rung_method *m, const char *name) { return rung_method_param_find(m, name) != NULL; }

/* NULL, or the number of landmarks with which the methods that have them are fitted, and no others. */
static const char *landmarks_of_fits = NULL;
static bool bare_of_fits = false;     /* the models may not contain training rows */
static bool baseline_of_fits = false; /* the fits are to report the error of label propagation alone */

/* Trees without random choices, that do not count rows. */
static rung_status set_plain_trees(rung_ctx *ctx, rung_spec *spec)
{
    const char *const settings[] = {"rounds", "40", "rows", "1", "columns", "1", "seeds", "1", "min-rows", "1"};
    rung_status status = RUNG_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == RUNG_OK; i += 2)
        status = rung_spec_set(ctx, spec, settings[i], settings[i + 1]);
    return status;
}

/* calibrated: with the defaults; otherwise without folds, so that the order of the rows cannot matter. */
static rung_status set_parameters(rung_ctx *ctx, const rung_method *m, bool calibrated, rung_spec *spec)
{
    rung_status status = RUNG_OK;
    if (!calibrated && has_param(m, "calibrate")) status = rung_spec_set(ctx, spec, "calibrate", "0");
    if (status == RUNG_OK && !calibrated && has_param(m, "thresholds"))
        status = rung_spec_set(ctx, spec, "thresholds", "midpoint");
    if (status == RUNG_OK && !calibrated && has_param(m, "rounds")) status = set_plain_trees(ctx, spec);
    if (status == RUNG_OK && !calibrated && has_param(m, "relevance")) { /* both are assessed by folds */
        status = rung_spec_set(ctx, spec, "relevance", "without");
        if (status == RUNG_OK) status = rung_spec_set(ctx, spec, "trees", "without");
    }
    if (status == RUNG_OK && landmarks_of_fits) status = rung_spec_set(ctx, spec, "landmarks", landmarks_of_fits);
    if (status == RUNG_OK && landmarks_of_fits && has_param(m, "align-iterations")) /* said without landmarks */
        status = rung_spec_set(ctx, spec, "align-iterations", "2");
    if (status == RUNG_OK && bare_of_fits) status = rung_spec_set_keep_rows(ctx, spec, 0);
    if (status == RUNG_OK && baseline_of_fits) status = rung_spec_set_baseline(ctx, spec, 1);
    return status;
}

static rung_status try_fit(rung_ctx *ctx, const rung_method *m, const rows *s, bool calibrated, rung_model **out)
{
    rung_view view = view_of(s);
    rung_data *data = NULL;
    rung_spec *spec = NULL;
    *out = NULL;
    rung_status status = rung_data_new(ctx, &view, s->y, NULL, s->K, &data);
    if (status == RUNG_OK) status = rung_spec_new(ctx, m->name, 0, &spec);
    if (status == RUNG_OK) status = set_parameters(ctx, m, calibrated, spec);
    if (status == RUNG_OK) status = rung_model_fit(ctx, spec, data, out);
    rung_spec_free(spec);
    rung_data_free(data);
    return status;
}

static rung_model *fit(rung_ctx *ctx, const rung_method *m, const rows *s, bool calibrated)
{
    rung_model *model;
    assert_ok(ctx, try_fit(ctx, m, s, calibrated, &model));
    return model;
}

static answers predict(rung_ctx *ctx, const rung_model *model, const rows *s)
{
    answers a = {.outputs = rung_model_outputs(model),
                 .classes = rung_model_classes(model),
                 .probabilities = rung_model_has_probabilities(model) != 0};
    size_t n = (size_t)s->n + 1;
    a.rank = calloc(n, sizeof *a.rank);
    a.score = calloc(n * (size_t)a.outputs, sizeof *a.score);
    a.proba = calloc(n * (size_t)a.classes, sizeof *a.proba);
    rung_view view = view_of(s);
    rung_output out = {.size = sizeof out, .rank = a.rank, .score = a.score, .proba = a.probabilities ? a.proba : NULL};
    assert_ok(ctx, rung_model_predict(ctx, model, &view, NULL, &out));
    return a;
}

static void check_valid(const answers *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(a->rank[i], 1, a->classes);
        for (int c = 0; c < a->outputs; c++) assert_true(isfinite(a->score[i * a->outputs + c]));
        double sum = 0;
        for (int q = 0; q < a->classes && a->probabilities; q++) {
            assert_true(a->proba[i * a->classes + q] >= 0);
            sum += a->proba[i * a->classes + q];
        }
        if (a->probabilities) assert_close(sum, 1, 1e-12);
    }
}

static void check_same_bits(const answers *a, const answers *b, int64_t n)
{
    assert_memory_equal(a->rank, b->rank, (size_t)n * sizeof *a->rank);
    assert_memory_equal(a->score, b->score, (size_t)(n * a->outputs) * sizeof *a->score);
    assert_memory_equal(a->proba, b->proba, (size_t)(n * a->classes) * sizeof *a->proba);
}

static void check_close_scores(const answers *a, const answers *b, int64_t n, double tolerance)
{
    double scale = 0;
    for (int64_t i = 0; i < n * a->outputs; i++) scale = fmax(scale, fabs(a->score[i]));
    for (int64_t i = 0; i < n * a->outputs; i++) assert_true(fabs(a->score[i] - b->score[i]) <= tolerance * scale);
    assert_memory_equal(a->rank, b->rank, (size_t)n * sizeof *a->rank);
}

/* RUNG_METHOD in the environment names the one method to check (make check); otherwise all are. */
static const char *one_method(void) { return getenv("RUNG_METHOD"); }

static bool is_asked_for(const rung_method *m)
{
    const char *only = one_method();
    return (!only || strcmp(only, m->name) == 0) && (!landmarks_of_fits || has_param(m, "landmarks"));
}

#define EACH_METHOD(m) (const rung_method *m = NULL; next_method(&m);)
static bool next_method(const rung_method **m)
{
    int i = 0;
    while (*m && *m != rung_method_at(i)) i++;
    if (*m) i++;
    while (rung_method_at(i) && !is_asked_for(rung_method_at(i))) i++;
    *m = rung_method_at(i);
    return *m != NULL;
}

/* ---- parameters ---- */

static void each_row_is_complete(void **state)
{
    (void)state;
    for
        EACH_METHOD(m)
        {
            assert_true(m->name && m->title && m->reference && m->cost);
            assert_ptr_equal(rung_method_find(m->name), m);
            const rung_param *p;
            for (int i = 0; (p = rung_method_param_at(m, i)); i++) {
                assert_ptr_equal(rung_method_param_find(m, p->name), p);
                assert_true(p->help && *p->help);
                assert_true(p->type == RUNG_TYPE_INT || (p->type == RUNG_TYPE_CHOICE) == (p->choices != NULL));
                assert_true(p->default_value || (p->flags & RUNG_PARAM_OPTIONAL));
                assert_true((p->default_value && p->published) || p->type == RUNG_TYPE_REAL ||
                            p->type == RUNG_TYPE_TEXT);
                assert_true(!(p->flags & (RUNG_PARAM_SMOOTH_UP | RUNG_PARAM_SMOOTH_DOWN)) || p->type == RUNG_TYPE_REAL);
            }
        }
}

static void values_outside_the_range_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
    for (int i = 0; rung_method_param_at(m, i); i++) {
        const rung_param *p = rung_method_param_at(m, i);
        rung_spec *spec;
        char text[64];
        assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
        if (p->type == RUNG_TYPE_REAL || p->type == RUNG_TYPE_INT) {
            snprintf(text, sizeof text, "%.17g", p->type == RUNG_TYPE_INT ? p->low - 1 : nextafter(p->low, -1));
            if (p->flags & RUNG_PARAM_OPEN_LOW) snprintf(text, sizeof text, "%.17g", p->low);
            assert_fails(ctx, rung_spec_set(ctx, spec, p->name, text), RUNG_EARG, p->name);
            if (isfinite(p->high)) {
                snprintf(text, sizeof text, "%.17g", p->high + 1);
                assert_fails(ctx, rung_spec_set(ctx, spec, p->name, text), RUNG_EARG, p->name);
            }
            assert_fails(ctx, rung_spec_set(ctx, spec, p->name, "nan"), RUNG_EARG, p->name);
            assert_fails(ctx, rung_spec_set(ctx, spec, p->name, "12x"), RUNG_EARG, p->name);
            rung_status automatic = rung_spec_set(ctx, spec, p->name, "auto");
            assert_int_equal(automatic == RUNG_OK, (p->flags & RUNG_PARAM_AUTO) != 0);
        }
        if (p->type == RUNG_TYPE_CHOICE) {
            assert_fails(ctx, rung_spec_set(ctx, spec, p->name, "no such choice"), RUNG_EARG, p->choices);
            char choices[256], *rest = choices, *one;
            snprintf(choices, sizeof choices, "%s", p->choices);
            while ((one = strsep(&rest, "|"))) assert_ok(ctx, rung_spec_set(ctx, spec, p->name, one));
        }
        rung_spec_free(spec);
    }
}

static void unknown_names_are_told_with_the_nearest(void **state)
{
    rung_ctx *ctx = *state;
    rung_spec *spec;
    assert_fails(ctx, rung_spec_new(ctx, "kdlro", 0, &spec), RUNG_EARG, "did you mean 'kdlor'");
    assert_null(spec);
    assert_fails(ctx, rung_spec_new(ctx, "zzzzzzzzz", 0, &spec), RUNG_EARG, "zzzzzzzzz");
    assert_ok(ctx, rung_spec_new(ctx, "dl", 0, &spec)); /* an alias */
    assert_fails(ctx, rung_spec_set(ctx, spec, "gama", "1"), RUNG_EARG, "did you mean 'gamma'");
    assert_fails(ctx, rung_spec_set(ctx, spec, "zzzzzzzzz", "1"), RUNG_EARG, "kdlor has no parameter 'zzzzzzzzz'");
    assert_string_equal(rung_ctx_detail(ctx), "method kdlor");
    assert_fails(ctx, rung_spec_set_scale(ctx, spec, "log"), RUNG_EARG,
                 "unknown scaling 'log'; expected one of standard, minmax, rank, relevance, none");
    rung_spec_free(spec);
}

/* ---- answers ---- */

static void answers_are_valid(void **state)
{
    rung_ctx *ctx = *state;
    rows train = make_rows(90, 3, 4, 1, 0.7, true), test = make_rows(50, 3, 4, 2, 0.7, false);
    for
        EACH_METHOD(m)
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        rung_model *model = fit(ctx, m, &train, calibrated);
        answers a = predict(ctx, model, &test);
        check_valid(&a, test.n);
        rung_metrics cv = {.size = sizeof cv};
        if (rung_model_cv(model, &cv)) {
            assert_true((calibrated || !has_param(m, "calibrate")) && cv.mae >= 0 && cv.mae <= 3 && cv.n > 0 &&
                        cv.n <= 90);
            assert_true(cv.mae_low <= cv.mae && cv.mae <= cv.mae_high && cv.rps >= 0 && cv.rps <= 1);
        }
        free_answers(&a);
        rung_model_free(model);
    }
    free_rows(&train);
    free_rows(&test);
}

/* With rows held out every method has probabilities and ranges of ranks: a range holds the rank, grows with its level,
 * and says the same once saved. */
static void ranges_from_every_method(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 40, K = 4 };
    const double levels[] = {0.1, 0.5, 0.8, 0.9, 0.999};
    rows s = make_rows(N, 3, K, 21, 0.6, true);
    rung_view view = view_of(&s);
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &view, s.y, NULL, K, &data));
    for
        EACH_METHOD(m)
        {
            rung_spec *spec;
            rung_model *model;
            assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
            if (has_param(m, "calibrate")) assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "5"));
            assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
            rung_spec_free(spec);
            if (!rung_model_has_probabilities(model)) fail_msg("%s has no probabilities", m->name);
            if (!rung_model_interval(model)) fail_msg("%s has no ranges", m->name);
            bool credible = strcmp(rung_model_interval(model), "credible") == 0;
            answers a = predict(ctx, model, &s);
            check_valid(&a, N);
            int low[N], high[N], before[N] = {0};
            for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
                rung_output out = {.size = sizeof out, .low = low, .high = high};
                const rung_predict_options how = {.size = sizeof how, .level = levels[l]};
                assert_ok(ctx, rung_model_predict(ctx, model, &view, &how, &out));
                for (int i = 0; i < N; i++) {
                    assert_true(1 <= low[i] && low[i] <= high[i] && high[i] <= K);
                    assert_true(high[i] - low[i] + 1 >= before[i]);
                    if (!credible) assert_in_range(a.rank[i], low[i], high[i]);
                    if (!credible && levels[l] > 0.99)
                        assert_true(low[i] == 1 && high[i] == K); /* too few rows to tell */
                    before[i] = high[i] - low[i] + 1;
                }
            }
            free_answers(&a);
            rung_model_free(model);
        }
    rung_data_free(data);
    free_rows(&s);
}

static void threads_and_repetition_change_no_bit(void **state)
{
    rung_ctx *ctx = *state;
    rows train = make_rows(300, 3, 4, 3, 0.7, true), test = make_rows(300, 3, 4, 4, 0.7, false);
    for
        EACH_METHOD(m)
        {
            answers a[3];
            for (int run = 0; run < 3; run++) {
                rung_ctx_set_threads(ctx, run == 1 ? 2 : 1);
                rung_model *model = fit(ctx, m, &train, true);
                a[run] = predict(ctx, model, &test);
                rung_model_free(model);
            }
            check_same_bits(&a[0], &a[1], test.n);
            check_same_bits(&a[0], &a[2], test.n);
            for (int run = 0; run < 3; run++) free_answers(&a[run]);
        }
    free_rows(&train);
    free_rows(&test);
}

static void a_row_is_graded_alike_in_any_company(void **state)
{
    rung_ctx *ctx = *state;
    rows train = make_rows(80, 3, 4, 5, 0.7, true), test = make_rows(70, 3, 4, 6, 0.7, false);
    for
        EACH_METHOD(m)
        {
            rung_model *model = fit(ctx, m, &train, true);
            answers all = predict(ctx, model, &test);
            for (int64_t i = 0; i < test.n; i++) {
                rows one = {.n = 1, .d = 3, .K = 4, .x = test.x + i * 3};
                answers a = predict(ctx, model, &one);
                assert_int_equal(a.rank[0], all.rank[i]);
                assert_memory_equal(a.score, all.score + i * a.outputs, sizeof(double) * (size_t)a.outputs);
                free_answers(&a);
            }
            free_answers(&all);
            rung_model_free(model);
        }
    free_rows(&train);
    free_rows(&test);
}

static void order_and_origin_of_the_data_do_not_matter(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
        {
            rows train = make_rows(90, 3, 4, 7, 0.7, true), test = make_rows(60, 3, 4, 8, 0.7, false);
            rung_model *model = fit(ctx, m, &train, false);
            answers before = predict(ctx, model, &test);
            rung_model_free(model);
            for (int64_t i = 0, j = train.n - 1; i < j; i++, j--) { /* the rows backwards */
                for (int64_t c = 0; c < 3; c++) {
                    double t = train.x[i * 3 + c];
                    train.x[i * 3 + c] = train.x[j * 3 + c];
                    train.x[j * 3 + c] = t;
                }
                int t = train.y[i];
                train.y[i] = train.y[j];
                train.y[j] = t;
            }
            model = fit(ctx, m, &train, false);
            answers permuted = predict(ctx, model, &test);
            check_close_scores(&before, &permuted, test.n, 1e-9);
            rung_model_free(model);
            for (int64_t i = 0; i < train.n * 3; i++) train.x[i] += 1000;
            for (int64_t i = 0; i < test.n * 3; i++) test.x[i] += 1000;
            model = fit(ctx, m, &train, false);
            answers moved = predict(ctx, model, &test);
            check_close_scores(&before, &moved, test.n, 1e-9);
            rung_model_free(model);
            free_answers(&before);
            free_answers(&permuted);
            free_answers(&moved);
            free_rows(&train);
            free_rows(&test);
        }
}

static void a_saved_model_says_the_same(void **state)
{
    rung_ctx *ctx = *state;
    rows train = make_rows(90, 3, 4, 9, 0.7, true), test = make_rows(60, 3, 4, 10, 0.7, false);
    char folder[] = "/tmp/rung-contract-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/model.rung", folder);
    for
        EACH_METHOD(m)
        {
            rung_model *model = fit(ctx, m, &train, true), *loaded;
            assert_ok(ctx, rung_model_save(ctx, model, path));
            assert_ok(ctx, rung_model_load(ctx, path, &loaded));
            answers a = predict(ctx, model, &test), b = predict(ctx, loaded, &test);
            check_same_bits(&a, &b, test.n);
            char *json, *again;
            assert_ok(ctx, rung_model_describe(ctx, model, &json));
            assert_ok(ctx, rung_model_describe(ctx, loaded, &again));
            assert_string_equal(json, again);
            rung_free(json);
            rung_free(again);
            free_answers(&a);
            free_answers(&b);
            rung_model_free(model);
            rung_model_free(loaded);
        }
    unlink(path);
    rmdir(folder);
    free_rows(&train);
    free_rows(&test);
}

static void separated_classes_are_learned(void **state)
{
    rung_ctx *ctx = *state;
    rows train = make_rows(80, 1, 4, 11, 0.05, false), test = make_rows(80, 1, 4, 12, 0.05, false);
    for
        EACH_METHOD(m)
    for (int calibrated = 0; calibrated < 2; calibrated++) {
        rung_model *model = fit(ctx, m, &train, calibrated);
        answers a = predict(ctx, model, &test);
        bool constant = true;
        for (int64_t i = 1; i < test.n; i++) constant = constant && a.score[i * a.outputs] == a.score[0];
        for (int64_t i = 0; i < test.n && !constant; i++) assert_int_equal(a.rank[i], test.y[i]);
        free_answers(&a);
        rung_model_free(model);
    }
    free_rows(&train);
    free_rows(&test);
}

/* Data that are hard on the numbers: a valid answer or a status with a sentence, never nonsense. */
static void hard_data(void **state)
{
    rung_ctx *ctx = *state;
    enum { CASES = 10 };
    for
        EACH_METHOD(m)
    for (int c = 0; c < CASES; c++)
        for (int calibrated = 0; calibrated < 2; calibrated++) {
            rows s = c == 0   ? make_rows(60, 1, 3, 20, 0.5, true)    /* one column */
                     : c == 1 ? make_rows(40, 3, 2, 21, 0.5, true)    /* two classes */
                     : c == 2 ? make_rows(20, 60, 3, 22, 0.5, true)   /* more columns than rows */
                     : c == 3 ? make_rows(5, 2, 5, 23, 0.5, false)    /* one label per class */
                     : c == 4 ? make_rows(100, 2, 25, 24, 0.5, false) /* many classes */
                              : make_rows(60, 3, 3, 25, 0.5, c != 9);
            for (int64_t i = 0; i < s.n; i++) {
                if (c == 5) s.x[i * 3 + 1] = 4;                        /* a constant column */
                if (c == 6) memcpy(s.x + i * 3, s.x, 3 * sizeof *s.x); /* all rows the same */
                if (c == 7)
                    for (int j = 0; j < 3; j++) s.x[i * 3 + j] *= 1e150; /* huge */
                if (c == 8)
                    for (int j = 0; j < 3; j++) s.x[i * 3 + j] *= 1e-150;           /* tiny */
                if (c == 9) memcpy(s.x + i * 3, s.x + i / 6 * 18, 3 * sizeof *s.x); /* duplicates, any label */
            }
            rung_model *model;
            rung_status status = try_fit(ctx, m, &s, calibrated, &model);
            if (status != RUNG_OK) {
                print_error("%s, case %d: %s\n", m->name, c, ctx->message);
                assert_true(status == RUNG_EDATA && ctx->message[0]);
            } else {
                answers a = predict(ctx, model, &s);
                check_valid(&a, s.n);
                free_answers(&a);
            }
            rung_model_free(model);
            free_rows(&s);
        }
}

static void labels_are_needed_or_not(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
        {
            rows s = make_rows(30, 2, 3, 30, 0.5, false);
            rung_model *model;
            for (int64_t i = 0; i < s.n; i++) s.y[i] = s.y[i] == 2 ? 2 : 0;
            if (m->flags & RUNG_METHOD_NEEDS_TWO_CLASSES)
                assert_fails(ctx, try_fit(ctx, m, &s, true, &model), RUNG_EDATA, "at least two classes");
            else
                assert_ok(ctx, try_fit(ctx, m, &s, true, &model));
            rung_model_free(model);
            for (int64_t i = 0; i < s.n; i++) s.y[i] = 0;
            if (m->flags & RUNG_METHOD_NEEDS_LABELS)
                assert_fails(ctx, try_fit(ctx, m, &s, true, &model), RUNG_EDATA, "needs labelled rows");
            free_rows(&s);
        }
}

/* A class without labelled rows counts in K and is never predicted. */
static void absent_classes_are_never_predicted(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
        {
            rows s = make_rows(60, 2, 3, 31, 0.4, true);
            for (int64_t i = 0; i < s.n; i++) s.y[i] = s.y[i] ? 2 * s.y[i] : 0; /* 2, 4, 6 of 7 */
            s.K = 7;
            rung_model *model = fit(ctx, m, &s, true);
            answers a = predict(ctx, model, &s);
            check_valid(&a, s.n);
            assert_int_equal(a.classes, 7);
            for (int64_t i = 0; i < s.n; i++) {
                assert_true(a.rank[i] == 2 || a.rank[i] == 4 || a.rank[i] == 6);
                for (int q = 1; q <= 7 && a.probabilities; q += 2) assert_true(a.proba[i * 7 + q - 1] == 0);
            }
            free_answers(&a);
            rung_model_free(model);
            free_rows(&s);
        }
}

/* A weight of 2 is a row given twice; a weight of 0 is a row that is not there. */
static void weights_count_rows(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
        {
            if (!(m->flags & RUNG_METHOD_WEIGHTS) || (m->flags & RUNG_METHOD_USES_UNLABELLED))
                continue; /* a row twice changes a graph */
            rows once = make_rows(40, 2, 3, 32, 0.7, false), twice = make_rows(40, 2, 3, 32, 0.7, false);
            double weight[40];
            for (int i = 0; i < 40; i++) weight[i] = i == 7 ? 2 : i == 9 ? 0 : 1;
            memcpy(twice.x + 18, twice.x + 14, 2 * sizeof *twice.x);
            twice.y[9] = twice.y[7];
            rung_data *data;
            rung_spec *spec;
            rung_model *model;
            rung_view view = view_of(&once);
            assert_ok(ctx, rung_data_new(ctx, &view, once.y, weight, 3, &data));
            assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
            assert_ok(ctx, rung_spec_set_scale(ctx, spec, "none"));
            if (has_param(m, "thresholds")) assert_ok(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
            if (has_param(m, "calibrate")) assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
            if (has_param(m, "rounds")) assert_ok(ctx, set_plain_trees(ctx, spec));
            if (has_param(m, "features")) /* a row twice changes ranks */
                assert_ok(ctx, rung_spec_set(ctx, spec, "features", "standard"));
            assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
            answers weighted = predict(ctx, model, &once);
            rung_model_free(model);
            rung_data_free(data);
            view = view_of(&twice);
            assert_ok(ctx, rung_data_new(ctx, &view, twice.y, NULL, 3, &data));
            assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
            answers repeated = predict(ctx, model, &once);
            check_close_scores(&weighted, &repeated, once.n, 1e-9);
            rung_model_free(model);
            rung_data_free(data);
            rung_spec_free(spec);
            free_answers(&weighted);
            free_answers(&repeated);
            free_rows(&once);
            free_rows(&twice);
        }
}

/* ---- refusals ---- */

static void wrong_shapes_are_refused(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
        {
            rows s = make_rows(40, 3, 3, 40, 0.5, true);
            rung_model *model = fit(ctx, m, &s, false);
            int rank[40];
            rung_output out = {.size = sizeof out, .rank = rank};
            rung_view narrow = {.v = s.x, .n = 10, .d = 2, .row = 2, .col = 1};
            assert_fails(ctx, rung_model_predict(ctx, model, &narrow, NULL, &out), RUNG_EARG, "2 columns");
            rung_view none = {.v = s.x, .n = 0, .d = 3, .row = 3, .col = 1};
            assert_ok(ctx, rung_model_predict(ctx, model, &none, NULL, &out));
            s.x[7] = INFINITY;
            rung_view bad = view_of(&s);
            assert_fails(ctx, rung_model_predict(ctx, model, &bad, NULL, &out), RUNG_EDATA, "row 3");
            rung_model_free(model);
            free_rows(&s);
        }
}

/* NaN in a row to predict is a missing cell: the median of training, unless the method has a way of its own with it. */
static void missing_cells_are_filled(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
        {
            rows s = make_rows(40, 3, 3, 45, 0.5, true);
            rung_model *model = fit(ctx, m, &s, false);
            s.x[7] = NAN;
            answers a = predict(ctx, model, &s);
            check_valid(&a, s.n);
            s.x[7] = model->code.columns[1].fill;
            answers b = predict(ctx, model, &s);
            if (model->members->score.kind != SCORER_TREES) check_same_bits(&a, &b, s.n);
            free_answers(&a);
            free_answers(&b);
            rung_model_free(model);
            free_rows(&s);
        }
}

/* Where it is asked for, a fit that learns from unlabelled rows reports what label propagation alone would reach. */
static void the_baseline_is_told(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
    for (int unlabelled = 0; unlabelled < 2; unlabelled++) {
        rows s = make_rows(40, 3, 3, 44, 0.5, unlabelled);
        rung_model *model = NULL;
        char *text = NULL;
        baseline_of_fits = true;
        rung_status status = try_fit(ctx, m, &s, false, &model);
        baseline_of_fits = false;
        if (m->flags & RUNG_METHOD_USES_UNLABELLED) {
            assert_ok(ctx, status);
            assert_ok(ctx, rung_model_describe(ctx, model, &text));
            if ((strstr(text, "propagation_cv_mae") != NULL) != unlabelled) fail_msg("%s: %s", m->name, text);
        } else {
            assert_fails(ctx, status, RUNG_EARG, "ignores unlabelled rows");
        }
        rung_free(text);
        rung_model_free(model);
        model = fit(ctx, m, &s, false);
        assert_ok(ctx, rung_model_describe(ctx, model, &text));
        assert_null(strstr(text, "propagation_cv_mae")); /* unasked */
        rung_free(text);
        rung_model_free(model);
        free_rows(&s);
    }
}

/* Models without training rows: those of the methods that say so, and no others. */
static void rows_are_left_out_where_they_can_be(void **state)
{
    rung_ctx *ctx = *state;
    rows s = make_rows(40, 3, 3, 44, 0.5, true);
    for
        EACH_METHOD(m)
        {
            rung_model *model = NULL;
            bare_of_fits = true;
            rung_status status = try_fit(ctx, m, &s, false, &model);
            bare_of_fits = false;
            if (m->flags & RUNG_METHOD_NO_ROWS) {
                assert_ok(ctx, status);
                assert_int_equal(rung_model_stored_rows(model), 0);
                rung_model_free(model);
            } else {
                assert_fails(ctx, status, RUNG_EARG, "contains training rows");
            }
        }
    free_rows(&s);
}

/* A kernel too large for a number is told before anything is made of it. */
static void kernels_that_overflow_are_told(void **state)
{
    rung_ctx *ctx = *state;
    rows s = make_rows(40, 3, 3, 51, 0.5, false);
    rung_view view = view_of(&s);
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &view, s.y, NULL, s.K, &data));
    int refused = 0;
    for
        EACH_METHOD(m)
        {
            rung_spec *spec;
            rung_model *model;
            if (!has_param(m, "kernel")) continue;
            for (int some = 0; some <= has_param(m, "landmarks"); some++) {
                assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
                assert_ok(ctx, rung_spec_set(ctx, spec, "kernel", "poly"));
                assert_ok(ctx, rung_spec_set(ctx, spec, "degree", "100"));
                assert_ok(ctx, rung_spec_set(ctx, spec, "gamma", "1e10"));
                if (some) assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", "20"));
                assert_fails(ctx, rung_model_fit(ctx, spec, data, &model), RUNG_EDATA,
                             "the kernel of row 1 with itself overflows; scale the columns");
                rung_spec_free(spec);
                refused++;
            }
        }
    assert_true(one_method() || refused > 20);
    rung_data_free(data);
    free_rows(&s);
}

/* Numbers for targets, and weights of rows: who does not take them says so. */
static void what_a_method_does_not_take_is_refused(void **state)
{
    rung_ctx *ctx = *state;
    rows s = make_rows(30, 2, 3, 52, 0.5, false);
    rung_view view = view_of(&s);
    rung_data *real, *weighted, *both;
    double w[30];
    for (int i = 0; i < 30; i++) w[i] = i % 5; /* some are 0 */
    assert_ok(ctx, rung_data_new_real(ctx, &view, s.x, NULL, &real));
    assert_ok(ctx, rung_data_new_real(ctx, &view, s.x, w, &both));
    assert_ok(ctx, rung_data_new(ctx, &view, s.y, w, s.K, &weighted));
    for
        EACH_METHOD(m)
        {
            rung_spec *spec;
            rung_model *model;
            assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
            if (!(m->flags & RUNG_METHOD_REAL_TARGETS))
                assert_fails(ctx, rung_model_fit(ctx, spec, real, &model), RUNG_EARG,
                             " learns classes, not real targets: cut them into classes");
            if (!(m->flags & RUNG_METHOD_WEIGHTS)) {
                assert_fails(ctx, rung_model_fit(ctx, spec, weighted, &model), RUNG_EARG,
                             " does not support row weights; use");
                assert_fails(ctx, rung_model_fit(ctx, spec, both, &model), RUNG_EARG, m->name);
                assert_fails(ctx, rung_spec_set_class_weight(ctx, spec, "1", 2), RUNG_EARG,
                             " does not support class weights");
            }
            rung_spec_free(spec);
        }
    rung_data_free(real);
    rung_data_free(weighted);
    rung_data_free(both);
    free_rows(&s);
}

/* Where the fewest landmarks take more than all rows do, landmarks=auto means all rows, whatever the limit. */
static void few_rows_need_no_landmarks(void **state)
{
    rung_ctx *ctx = *state;
    int back = 0;
    problem_shape shape = {.n = 12, .labelled = 12, .d = 3, .K = 3};
    ctx->memory = 100;
    for
        EACH_METHOD(m)
        {
            rung_spec *spec;
            double automatic, exact, fewest;
            if (!has_param(m, "landmarks")) continue;
            assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
            assert_ok(ctx, method_bytes(ctx, spec, &shape, &automatic));
            assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", "exact"));
            assert_ok(ctx, method_bytes(ctx, spec, &shape, &exact));
            assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", "31")); /* 1000, halved until there are at most 50 */
            assert_ok(ctx, method_bytes(ctx, spec, &shape, &fewest));
            assert_true(automatic == fmin(exact, fewest));
            back += exact < fewest;
            rung_spec_free(spec);
        }
    ctx->memory = 0;
    assert_true(one_method() || back > 5);
}

static void the_memory_limit_is_kept(void **state)
{
    rung_ctx *ctx = *state;
    for
        EACH_METHOD(m)
        {
            rows s = make_rows(500, 4, 3, 41, 0.5, false);
            rung_model *model;
            rung_ctx_set_memory(ctx, 1000);
            assert_fails(ctx, try_fit(ctx, m, &s, true, &model), RUNG_ELIMIT, "memory limit");
            assert_null(model);
            rung_ctx_set_memory(ctx, 0);
            free_rows(&s);
        }
}

/* The progress callback interrupts from inside the call, as Ctrl-C would. */
static void interrupt_now(void *user, const char *stage, double done)
{
    (void)stage;
    if (done < 1) rung_ctx_interrupt(user);
}

static void an_interrupt_leaves_nothing(void **state)
{
    rung_ctx *ctx = *state;
    rows s = make_rows(400, 2, 3, 44, 0.5, true);
    rung_ctx_set_progress(ctx, interrupt_now, ctx);
    for
        EACH_METHOD(m)
        {
            int64_t before = pool_live_blocks();
            rung_model *model;
            rung_ctx_clear_interrupt(ctx);
            assert_fails(ctx, try_fit(ctx, m, &s, true, &model), RUNG_EINTERRUPT, "interrupted");
            assert_null(model);
            assert_int_equal(pool_live_blocks(), before);
        }
    rung_ctx_set_progress(ctx, NULL, NULL);
    free_rows(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(each_row_is_complete),
        WITH_CONTEXT(values_outside_the_range_are_refused),
        WITH_CONTEXT(unknown_names_are_told_with_the_nearest),
        WITH_CONTEXT(answers_are_valid),
        WITH_CONTEXT(ranges_from_every_method),
        WITH_CONTEXT(threads_and_repetition_change_no_bit),
        WITH_CONTEXT(a_row_is_graded_alike_in_any_company),
        WITH_CONTEXT(order_and_origin_of_the_data_do_not_matter),
        WITH_CONTEXT(a_saved_model_says_the_same),
        WITH_CONTEXT(separated_classes_are_learned),
        WITH_CONTEXT(hard_data),
        WITH_CONTEXT(labels_are_needed_or_not),
        WITH_CONTEXT(absent_classes_are_never_predicted),
        WITH_CONTEXT(weights_count_rows),
        WITH_CONTEXT(wrong_shapes_are_refused),
        WITH_CONTEXT(missing_cells_are_filled),
        WITH_CONTEXT(the_baseline_is_told),
        WITH_CONTEXT(rows_are_left_out_where_they_can_be),
        WITH_CONTEXT(kernels_that_overflow_are_told),
        WITH_CONTEXT(what_a_method_does_not_take_is_refused),
        WITH_CONTEXT(few_rows_need_no_landmarks),
        WITH_CONTEXT(the_memory_limit_is_kept),
        WITH_CONTEXT(an_interrupt_leaves_nothing),
    };
    const struct CMUnitTest with_landmarks[] = {
        WITH_CONTEXT(answers_are_valid),
        WITH_CONTEXT(threads_and_repetition_change_no_bit),
        WITH_CONTEXT(a_saved_model_says_the_same),
        WITH_CONTEXT(hard_data),
        WITH_CONTEXT(absent_classes_are_never_predicted),
        WITH_CONTEXT(weights_count_rows),
        WITH_CONTEXT(an_interrupt_leaves_nothing),
    };
    int failed = cmocka_run_group_tests_name("contract", tests, NULL, NULL);
    landmarks_of_fits = "25";
    return failed + cmocka_run_group_tests_name("contract with landmarks", with_landmarks, NULL, NULL);
}
