// SPDX-License-Identifier: BSD-3-Clause
/* isbor: where the search ends nothing gains any more; the evidence only rises; and no n x n matrix. */
#include "probit_checks.h"

#include "method/bayes/isbor_search.h"

/* ---- the search ---- */

static isbor_search *run_search(rung_ctx *ctx, const rows *s, const kernel *k, const isbor_options *options)
{
    problem *p = NULL;
    isbor_search *out = NULL;
    int64_t *origin = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, p, 1));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, out, 1));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, origin, s->n));
    problem_new(&ctx->scratch, &(problem_rows){s->d, s->n, s->x, s->y, NULL, origin, s->K}, p);
    assert_ok(ctx, isbor_search_run(ctx, p, k, options, 0, NULL, out));
    return out;
}

/* At the end no addition, no new precision and no deletion gains more than `least`. */
static void check_end(rung_ctx *ctx, isbor_search *s, double least)
{
    assert_true(s->settled && s->steps < 1000 && s->m.M <= s->basis.count);
    for (int64_t j = 0; j < s->m.M; j++) {
        double S, Q;
        sparse_own_relevance(&s->m, j, &S, &Q);
        assert_true(sparse_best_action(S, Q, s->m.alpha[j]).gain <= least);
    }
    assert_ok(ctx, sparse_relevance(ctx, &s->m, s->basis.count, s->basis.id, s->S, s->Q));
    for (int64_t j = 0; j < s->basis.count; j++)
        if (!s->active[j] && s->blocked_by[j] < 0)
            assert_true(sparse_best_action(s->S[j], s->Q[j], INFINITY).gain <= least);
}

/* One action at a time, over all functions; tolerance=auto is 5e-6 for each row and function. */
static void nothing_gains_any_more(void **state)
{
    rung_ctx *ctx = *state;
    for (int linear = 0; linear < 2; linear++)
        for (int K = 2; K <= 5; K += 3) {
            rows r = make_rows(80, 3, K, 0.2, (uint64_t)K);
            kernel k = {.kind = linear ? KERNEL_LINEAR : KERNEL_RBF, .gamma = 0.5};
            isbor_options exact = {.tolerance = 1e-6, .max_iterations = 1000},
                          priced = {.tolerance = NAN, .max_iterations = 1000};
            isbor_search *s = run_search(ctx, &r, &k, &exact);
            check_end(ctx, s, 1e-6);
            s = run_search(ctx, &r, &k, &priced);
            check_end(ctx, s, 5e-6 * 80 * (double)(s->m.M + 1));
            free_rows(&r);
        }
}

typedef struct {
    int steps, undone;
    double evidence, fall; /* the last, and the largest fall from one to the next, relative */
} trace;

static void note_step(void *user, rung_log_level level, const char *text)
{
    trace *t = user;
    const char *evidence = strstr(text, "log evidence ");
    if (level != RUNG_LOG_DEBUG || !evidence) return;
    double now = atof(evidence + strlen("log evidence "));
    if (t->steps > 0) t->fall = fmax(t->fall, (t->evidence - now) / fmax(1, fabs(now)));
    t->evidence = now;
    t->steps++;
    t->undone += strstr(text, "undone") != NULL;
}

/* Without noise the curvature moves with every step and the predicted gains are wrong: steps are taken back, to the
 * accuracy to which a maximum is found again. */
static void the_evidence_only_rises(void **state)
{
    rung_ctx *ctx = *state;
    trace t = {0};
    int undone = 0;
    rung_ctx_set_log(ctx, note_step, &t);
    for (uint64_t stream = 0; stream < 3; stream++) {
        rows r = make_rows(120, 2, 4, 0, 20 + stream);
        kernel k = {.kind = KERNEL_RBF, .gamma = 3};
        isbor_options options = {.tolerance = 1e-6, .max_iterations = 1000, .candidates = 15};
        t.steps = t.undone = 0;
        isbor_search *s = run_search(ctx, &r, &k, &options);
        assert_true(s->settled && t.steps == s->steps && t.undone == s->undone);
        undone += s->undone;
        assert_true(t.fall < 1e-6);
        assert_true(s->m.log_evidence >= t.evidence - 1e-6);
        free_rows(&r);
    }
    assert_true(undone > 0);
}

static void all_functions_are_looked_at_before_the_end(void **state)
{
    rows r = make_rows(300, 2, 4, 0.2, 5);
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.5};
    isbor_options options = {.tolerance = NAN, .max_iterations = 1000, .candidates = 10};
    isbor_search *s = run_search(*state, &r, &k, &options);
    assert_true(s->settled && s->full_sweeps >= 1);
    options.max_iterations = 2;
    s = run_search(*state, &r, &k, &options);
    assert_false(s->settled);
    free_rows(&r);
}

/* Above 30 000 rows samples alone decide. A matrix of these rows would take 7 GB. */
static void many_rows_need_little_memory(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(30001, 1, 3, 0.2, 6);
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.5};
    isbor_options options = {.tolerance = NAN, .max_iterations = 1000, .candidates = 5};
    ctx->scratch.peak = 0;
    isbor_search *s = run_search(ctx, &r, &k, &options);
    assert_true(s->settled && s->full_sweeps == 0 && s->m.M > 0);
    assert_true(ctx->scratch.peak < 8 * 30001 * (s->m.M + 100));
    free_rows(&r);
}

/* ---- models ---- */

/* A product of columns, kernels so wide that each function is nearly constant: only several together gain. */
static void wide_functions_come_in_together(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data;
    assert_ok(ctx, rung_data_generate(ctx, "toy", 150, -1, 0, &data));
    rung_view v = rung_data_view(data);
    rows r = {.n = v.n, .d = v.d, .K = rung_data_classes(data), .x = malloc((size_t)(v.n * v.d) * sizeof *r.x)};
    for (int64_t i = 0; i < v.n; i++)
        for (int64_t j = 0; j < v.d; j++) r.x[i * v.d + j] = 4 * v.v[i * v.row + j * v.col] - 2;
    r.y = (int *)rung_data_ranks(data);
    const char *const widths[] = {"gamma=0.1", "gamma=0.02"};
    for (int k = 0; k < 2; k++) {
        rung_model *m = fit_rows(ctx, "isbor", widths[k], &r, r.n, false);
        assert_true(share_wrong(ctx, m, &r) < 0.2);
        rung_model_free(m);
    }
    free(r.x);
    rung_data_free(data);
}

static void it_says_how_sure_it_is(void **state)
{
    for (int K = 2; K <= 4; K++) {
        const char *options[] = {"gamma=0.5", "kernel=linear", "decision=argmax gamma=1"};
        rows r = make_rows(150, 2, K, 0.3, (uint64_t)K);
        for (int k = 0; k < 3; k++) {
            rung_model *m = fit_rows(*state, "isbor", options[k], &r, r.n, false);
            check_uncertainty(*state, m, &r, 0.9);
            rung_model_free(m);
        }
        free_rows(&r);
    }
}

/* Columns as functions: those that say nothing of the labels stay out. */
static void linear_functions_are_columns(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(400, 12, 4, 0, 8);
    for (int64_t i = 0; i < r.n; i++) {
        double t = r.x[i * 12 + 3] - 0.5 * r.x[i * 12 + 7] + 0.2 * r.x[i * 12 + 11] * r.x[i * 12 + 10];
        r.y[i] = t < -1 ? 1 : t < 0 ? 2 : t < 1 ? 3 : 4;
    }
    rung_model *m = fit_rows(ctx, "isbor", "kernel=linear candidates=0 tolerance=0.1", &r, r.n, false);
    const scorer *score = &m->members[0].score;
    assert_int_equal(score->kind, SCORER_LINEAR);
    assert_true(score->coef[3] > 1 && score->coef[7] < -0.5);
    assert_close(score->coef[7] / score->coef[3], -0.5, 0.05);
    assert_true(m->n_expansion >= 2 && m->n_expansion <= 6);
    rung_model_free(m);
    free_rows(&r);
}

/* The same numbers from a kernel matrix as from the rows. */
static void a_given_kernel_is_the_kernel(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(60, 2, 3, 0.2, 9), g = {.n = 60, .d = 60, .K = 3, .y = r.y};
    g.x = malloc(60 * 60 * sizeof *g.x);
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 60; j++)
            g.x[i * 60 + j] = exp(-0.5 * (pow(r.x[2 * i] - r.x[2 * j], 2) + pow(r.x[2 * i + 1] - r.x[2 * j + 1], 2)));
    rung_model *a = fit_rows(ctx, "isbor", "gamma=0.5", &r, 60, false),
               *b = fit_rows(ctx, "isbor", "kernel=precomputed", &g, 60, false);
    double f[60], h[60];
    rung_view x = view_of(&r, 0, 60), k = view_of(&g, 0, 60);
    assert_ok(ctx, rung_model_predict(ctx, a, &x, NULL, &(rung_output){.size = sizeof(rung_output), .score = f}));
    assert_ok(ctx, rung_model_predict(ctx, b, &k, NULL, &(rung_output){.size = sizeof(rung_output), .score = h}));
    assert_arrays_close(60, f, h, 1e-6);
    assert_int_equal(a->n_expansion, b->n_expansion);
    rung_model_free(a);
    rung_model_free(b);
    free(g.x);
    free_rows(&r);
}

/* An update has fewer steps to go than a fit, and gets as far. */
static void new_rows_join_a_model(void **state)
{
    rung_ctx *ctx = *state;
    for (int linear = 0; linear < 2; linear++) {
        const char *options = linear ? "kernel=linear" : "gamma=1";
        rows r = make_rows(400, 2, 4, 0.1, 10);
        rung_model *first = fit_rows(ctx, "isbor", options, &r, 360, true), *both,
                   *fresh = fit_rows(ctx, "isbor", options, &r, 400, true);
        rung_view view = view_of(&r, 360, 400);
        rung_data *more;
        assert_ok(ctx, rung_data_new(ctx, &view, r.y + 360, NULL, r.K, &more));
        assert_ok(ctx, rung_model_update(ctx, first, more, &both));
        double reached = reported(both, "log_evidence"), goal = reported(fresh, "log_evidence");
        assert_true(fabs(reached - goal) < 0.1 * fabs(goal));
        assert_true(linear || reported(both, "steps") < 0.7 * reported(fresh, "steps"));
        assert_int_equal(both->n_labelled, 400);
        check_uncertainty(ctx, both, &r, 0.8);
        rung_model_free(first), rung_model_free(both), rung_model_free(fresh);
        rung_data_free(more);
        free_rows(&r);
    }
}

/* What gamma=auto compares: the log evidence less the price of the functions, 5e-6 (1 + .. + m) per row, and less the
 * logarithm of the ways to choose m of the n functions there are. */
static double width_evidence(const rung_model *m, const rows *r)
{
    double n = (double)r->n, count = (double)m->n_expansion;
    double choices = lgamma(n + 1) - lgamma(count + 1) - lgamma(n - count + 1);
    return reported(m, "log_evidence") - 5e-6 * n * count * (count + 1) / 2 - choices;
}

static double width_evidence_of(rung_ctx *ctx, const char *option, const rows *r)
{
    rung_model *m = fit_rows(ctx, "isbor", option, r, r->n, false);
    double value = width_evidence(m, r);
    rung_model_free(m);
    return value;
}

/* gamma=auto: three times wider or narrower is worse. */
static void the_width_of_largest_evidence(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(200, 2, 4, 0.1, 11);
    rung_model *m = fit_rows(ctx, "isbor", "gamma=auto", &r, r.n, false);
    double best = width_evidence(m, &r), gamma = m->members[0].score.k.gamma;
    for (double factor = 1.0 / 3; factor < 4; factor *= 9) {
        char option[64];
        snprintf(option, sizeof option, "gamma=%.17g", gamma * factor);
        assert_true(width_evidence_of(ctx, option, &r) < best);
    }
    rung_model_free(m);
    free_rows(&r);
}

/* Grades that say nothing about the rows: a narrow kernel explains each by a function of its own, a wide one none. */
static void chance_does_not_choose_a_narrow_kernel(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(120, 2, 3, 0.1, 14);
    for (int64_t i = 0; i < r.n; i++) r.y[i] = 1 + (int)(i * 7 % 3);
    rung_model *m = fit_rows(ctx, "isbor", "gamma=auto", &r, r.n, false);
    assert_true(m->n_expansion <= 2);
    rung_model_free(m);
    free_rows(&r);
}

/* Of many rows some decide on the width, the only one of its class among them. */
static void the_width_by_some_of_many_rows(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(3200, 1, 3, 0.3, 12);
    for (int64_t i = 0; i < r.n; i++) r.y[i] = i == 3199 ? 3 : r.y[i] == 3 ? 2 : r.y[i];
    rung_model *m = fit_rows(ctx, "isbor", "gamma=auto", &r, r.n, false);
    double best = width_evidence(m, &r), given = width_evidence_of(ctx, "gamma=1/d", &r);
    assert_true(best > given - 1e-3 * fabs(given));
    rung_model_free(m);
    free_rows(&r);
}

/* A price given for every function (tolerance) counts as that of auto does; and the widths are looked at as far as six
 * steps of 3 from 1/d while the evidence rises. */
static void the_width_goes_as_far_as_it_gains(void **state)
{
    rung_ctx *ctx = *state;
    rows r = make_rows(150, 1, 3, 0, 15);
    for (int64_t i = 0; i < r.n; i++)
        r.y[i] = 1 + (int)(i % 50) / 17, r.x[i] = 1e-3 * (double)(i % 50) + (double)(i / 50);
    const char *const options[] = {"gamma=auto", "gamma=auto tolerance=0.01"};
    for (int k = 0; k < 2; k++) { /* three humps, narrow against the distances of a standardised column */
        rung_model *m = fit_rows(ctx, "isbor", options[k], &r, r.n, false);
        double gamma = m->members[0].score.k.gamma;
        assert_true(gamma > 9 && gamma <= 2 * pow(3, 6));
        rung_model_free(m);
    }
    free_rows(&r);
}

/* A width given stands for its gamma. */
static void a_width_is_a_gamma(void **state)
{
    rows r = make_rows(80, 2, 3, 0.2, 16);
    rung_model *by_width = fit_rows(*state, "isbor", "width=2", &r, r.n, false),
               *by_gamma = fit_rows(*state, "isbor", "gamma=0.125", &r, r.n, false);
    assert_true(by_width->members[0].score.k.gamma == 0.125);
    assert_true(reported(by_width, "log_evidence") == reported(by_gamma, "log_evidence"));
    rung_model_free(by_width), rung_model_free(by_gamma);
    free_rows(&r);
}

static void note_cut(void *user, rung_log_level level, const char *text)
{
    if (level == RUNG_LOG_WARNING && strstr(text, "isbor: the search stopped at max-iterations=2")) ++*(int *)user;
}

static void a_search_cut_short_says_so(void **state)
{
    rung_ctx *ctx = *state;
    int told = 0;
    rows r = make_rows(100, 2, 4, 0.1, 17);
    rung_ctx_set_log(ctx, note_cut, &told);
    rung_model *m = fit_rows(ctx, "isbor", "max-iterations=2", &r, r.n, false);
    assert_true(told == 1 && reported(m, "settled") == 0 && reported(m, "steps") == 2);
    rung_model_free(m);
    free_rows(&r);
}

/* Scores of rows held out come from fits that end with the scratch memory they were made in. */
static void rows_held_out_have_probabilities(void **state)
{
    rung_ctx *ctx = *state;
    const char *const methods[] = {"isbor", "sbor", NULL}, *const grids[] = {"gamma=0.1,1", NULL};
    rows r = make_rows(40, 2, 3, 0.2, 31);
    rung_view view = view_of(&r, 0, r.n);
    rung_data *data;
    rung_model *m;
    rung_search *found;
    assert_ok(ctx, rung_data_new(ctx, &view, r.y, NULL, r.K, &data));
    assert_ok(ctx,
              rung_tune_run(
                  ctx,
                  &(rung_tune_options){
                      .size = sizeof(rung_tune_options), .methods = methods, .grids = grids, .folds = 3, .repeats = 1},
                  data, &m, &found));
    rung_search_free(found);
    rung_model_free(m);
    rung_data_free(data);
    free_rows(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(nothing_gains_any_more),
        WITH_CONTEXT(the_evidence_only_rises),
        WITH_CONTEXT(all_functions_are_looked_at_before_the_end),
        WITH_CONTEXT(many_rows_need_little_memory),
        WITH_CONTEXT(wide_functions_come_in_together),
        WITH_CONTEXT(it_says_how_sure_it_is),
        WITH_CONTEXT(linear_functions_are_columns),
        WITH_CONTEXT(a_given_kernel_is_the_kernel),
        WITH_CONTEXT(new_rows_join_a_model),
        WITH_CONTEXT(the_width_of_largest_evidence),
        WITH_CONTEXT(chance_does_not_choose_a_narrow_kernel),
        WITH_CONTEXT(the_width_by_some_of_many_rows),
        WITH_CONTEXT(the_width_goes_as_far_as_it_gains),
        WITH_CONTEXT(a_width_is_a_gamma),
        WITH_CONTEXT(a_search_cut_short_says_so),
        WITH_CONTEXT(rows_held_out_have_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
