// SPDX-License-Identifier: BSD-3-Clause
/* gpor through the public header: the evidence is at its top, the floor of the noise holds, and predictions know what
 * they do not know. The posterior itself is tested in tests/method/bayes/t_gpor_gp.c. */
#include "probit_checks.h"

/* Whatever the search found, no gamma beside it does better (thresholds and noise learned again). */
static void the_evidence_is_at_its_top(void **state)
{
    const char *inference[] = {"inference=laplace", "inference=ep"};
    for (int how = 0; how < 2; how++)
        for (int K = 2; K <= 4; K += 2) {
            rows r = make_rows(70, 2, K, 0.3, 60 + (uint64_t)K);
            rung_model *m = fit_rows(*state, "gpor", inference[how], &r, r.n, false);
            double best = reported(m, "log_evidence"), gamma = m->members[0].score.k.gamma;
            for (double factor = 0.8; factor < 1.3; factor += 0.4) {
                char option[64];
                snprintf(option, sizeof option, "%s gamma=%.17g", inference[how], gamma * factor);
                double beside = evidence_of(*state, "gpor", option, &r);
                assert_true(beside < best && beside > best - 5);
            }
            check_uncertainty(*state, m, &r, 0.9);
            rung_model_free(m);
            free_rows(&r);
        }
}

/* One precision per column: the column that says nothing gets next to none, and the evidence is no lower. */
static void columns_that_say_nothing_are_found(void **state)
{
    rows r = make_rows(90, 3, 3, 0.1, 70);
    rung_model *one = fit_rows(*state, "gpor", "", &r, r.n, false),
               *each = fit_rows(*state, "gpor", "ard=yes", &r, r.n, false);
    const kernel *k = &each->members[0].score.k;
    assert_int_equal(k->kind, KERNEL_ARD);
    assert_int_equal(k->n_precisions, 3);
    assert_true(k->precisions[2] < 0.05 * k->precisions[0] && k->precisions[2] < 0.05 * k->precisions[1]);
    assert_true(reported(each, "log_evidence") > reported(one, "log_evidence"));
    rung_model_free(one);
    rung_model_free(each);
    free_rows(&r);
}

static void several_starts_are_no_worse(void **state)
{
    for (uint64_t stream = 80; stream < 83; stream++) {
        rows r = make_rows(40, 2, 3, 0.5, stream);
        assert_true(evidence_of(*state, "gpor", "starts=4 ard=yes", &r) >=
                    evidence_of(*state, "gpor", "ard=yes", &r) - 1e-6);
        assert_true(evidence_of(*state, "gpor", "starts=4", &r) >= evidence_of(*state, "gpor", "", &r) - 1e-6);
        free_rows(&r);
    }
}

/* A width given stands for its gamma, and is not learned. */
static void a_width_is_taken_as_it_is(void **state)
{
    rows r = make_rows(50, 2, 3, 0.3, 84);
    rung_model *by_width = fit_rows(*state, "gpor", "width=2", &r, r.n, false),
               *by_gamma = fit_rows(*state, "gpor", "gamma=0.125", &r, r.n, false);
    assert_true(by_width->members[0].score.k.gamma == 0.125);
    assert_close(reported(by_width, "log_evidence"), reported(by_gamma, "log_evidence"), 1e-12);
    rung_model_free(by_width), rung_model_free(by_gamma);
    free_rows(&r);
}

/* --verify recomputes the gradient in everything that is learned: 2e-6 per row at most. */
static void the_gradient_vanishes(void **state)
{
    rung_ctx *ctx = *state;
    const char *options[][2] = {{"gamma", "auto"}, {"ard", "yes"}, {"inference", "ep"}, {"gamma", "0.3"}};
    for (int k = 0; k < 4; k++)
        for (uint64_t stream = 200; stream < 203; stream++) {
            rows r = make_rows(60, 4, 3, 0.4, stream);
            rung_view view = view_of(&r, 0, r.n);
            rung_spec *spec;
            rung_data *data;
            rung_model *m;
            rung_verification *found;
            const rung_condition *c;
            assert_ok(ctx, rung_spec_new(ctx, "gpor", 0, &spec));
            assert_ok(ctx, rung_spec_set(ctx, spec, options[k][0], options[k][1]));
            assert_ok(ctx, rung_data_new(ctx, &view, r.y, NULL, r.K, &data));
            assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
            assert_true(reported(m, "settled") == 1);
            assert_ok(ctx, rung_model_verify(ctx, spec, data, m, &found));
            int gradients = 0;
            for (int i = 0; (c = rung_verification_at(found, i)); i++) {
                if (!c->ok)
                    fail_msg("%s=%s, stream %d: %s is %g", options[k][0], options[k][1], (int)stream, c->name,
                             c->value);
                gradients += !strcmp(c->name, "evidence gradient") && c->tolerance <= 2e-6;
            }
            rung_verification_free(found);
            assert_int_equal(gradients, 1);
            rung_model_free(m);
            rung_data_free(data);
            rung_spec_free(spec);
            free_rows(&r);
        }
}

typedef struct {
    int count;
    char text[256];
} warnings;

static void note_warning(void *user, rung_log_level level, const char *text)
{
    warnings *w = user;
    if (level != RUNG_LOG_WARNING) return;
    w->count++;
    snprintf(w->text, sizeof w->text, "%s", text);
}

static void a_search_cut_short_says_so(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(60, 2, 3, 0.3, 210);
    warnings w = {0};
    rung_ctx_set_log(ctx, note_warning, &w);
    rung_model *whole = fit_rows(ctx, "gpor", "", &r, r.n, false);
    assert_true(reported(whole, "settled") == 1 && w.count == 0);
    rung_model *cut = fit_rows(ctx, "gpor", "max-iterations=3", &r, r.n, false);
    assert_true(reported(cut, "settled") == 0 && reported(cut, "iterations") == 3 && w.count == 1);
    assert_non_null(strstr(w.text, "the search stopped at max-iterations=3"));
    rung_model_free(whole), rung_model_free(cut);
    free_rows(&r);
}

/* Classes that a line separates: the noise goes down to its floor and no further; every row is in its class. */
static void the_noise_has_a_floor(void **state)
{
    const char *options[] = {"", "noise-floor=0.1", "inference=ep noise-floor=0.05"};
    const double floors[] = {0.02, 0.1, 0.05};
    rows r = make_rows(60, 1, 3, 0, 90);
    for (int64_t i = 0; i < r.n; i++) {
        r.y[i] = 1 + (int)(i % 3);
        r.x[i] = r.y[i] + 0.01 * (double)(i / 3) - 2;
    }
    for (int k = 0; k < 3; k++) {
        rung_model *m = fit_rows(*state, "gpor", options[k], &r, r.n, false);
        assert_true(reported(m, "noise") >= floors[k]);
        assert_true(share_wrong(*state, m, &r) == 0);
        check_uncertainty(*state, m, &r, 0.9);
        rung_model_free(m);
    }
    free_rows(&r);
}

/* Far from every row: mean 0, spread 1, the classes as the prior has them. */
static void far_away_the_prior_speaks(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(60, 2, 3, 0.3, 100), far = {.n = 1, .d = 2, .K = 3};
    double x[] = {1e3, -1e3}, mean, sd, proba[3], p[3];
    far.x = x;
    rung_model *m = fit_rows(ctx, "gpor", "", &r, r.n, false);
    rung_view view = view_of(&far, 0, 1);
    assert_ok(ctx, rung_model_predict(
                       ctx, m, &view, NULL,
                       &(rung_output){.size = sizeof(rung_output), .score = &mean, .sd = &sd, .proba = proba}));
    assert_true(mean == 0 && sd == 1);
    ordinal_probit_classes(0, 1, 3, m->members[0].link.b, m->members[0].link.noise, p);
    assert_arrays_close(3, proba, p, 1e-14);
    rung_model_free(m);
    free_rows(&r);
}

/* Two classes are probit classification whatever the names: swapped labels mirror everything. */
static void two_classes_are_symmetric(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(50, 2, 2, 0.3, 110), t = make_rows(50, 2, 2, 0.3, 110);
    double p[100], q[100];
    for (int i = 0; i < 50; i++) t.y[i] = 3 - r.y[i];
    rung_model *a = fit_rows(ctx, "gpor", "", &r, 50, false), *b = fit_rows(ctx, "gpor", "", &t, 50, false);
    rung_view view = view_of(&r, 0, 50);
    assert_ok(ctx, rung_model_predict(ctx, a, &view, NULL, &(rung_output){.size = sizeof(rung_output), .proba = p}));
    assert_ok(ctx, rung_model_predict(ctx, b, &view, NULL, &(rung_output){.size = sizeof(rung_output), .proba = q}));
    for (int i = 0; i < 50; i++) assert_close(p[2 * i], q[2 * i + 1], 1e-4);
    assert_close(reported(a, "log_evidence"), reported(b, "log_evidence"), 1e-6);
    rung_model_free(a), rung_model_free(b);
    free_rows(&r), free_rows(&t);
}

static void refusals(void **state)
{
    rung_ctx *ctx = *state;
    const char *const options[][2] = {{"kernel", "precomputed"}, {"gamma", "1"}};
    const char *const words[] = {"kernel=precomputed does not provide", "omit kernel, gamma and width"};
    rows r = make_rows(20, 20, 2, 0.3, 120);
    for (int i = 0; i < 20; i++) /* a symmetric matrix, as a precomputed kernel must be */
        for (int j = 0; j < 20; j++) r.x[i * 20 + j] = exp(-abs(i - j));
    rung_view view = view_of(&r, 0, 20);
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &view, r.y, NULL, 2, &data));
    for (int k = 0; k < 2; k++) {
        rung_spec *spec;
        rung_model *m;
        assert_ok(ctx, rung_spec_new(ctx, "gpor", 0, &spec));
        assert_ok(ctx, rung_spec_set(ctx, spec, options[k][0], options[k][1]));
        if (k == 1) assert_ok(ctx, rung_spec_set(ctx, spec, "ard", "yes"));
        assert_fails(ctx, rung_model_fit(ctx, spec, data, &m), RUNG_EARG, words[k]);
        rung_spec_free(spec);
    }
    rung_data_free(data);
    free_rows(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(the_evidence_is_at_its_top),  WITH_CONTEXT(columns_that_say_nothing_are_found),
        WITH_CONTEXT(several_starts_are_no_worse), WITH_CONTEXT(a_width_is_taken_as_it_is),
        WITH_CONTEXT(the_gradient_vanishes),       WITH_CONTEXT(a_search_cut_short_says_so),
        WITH_CONTEXT(the_noise_has_a_floor),       WITH_CONTEXT(far_away_the_prior_speaks),
        WITH_CONTEXT(two_classes_are_symmetric),   WITH_CONTEXT(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
