// SPDX-License-Identifier: BSD-3-Clause
/* What a model says of itself is proved before it leaves the driver: whatever is changed between the fit and the proof
 * is noticed. */
#include "helper.h"

#include "base/rng.h"
#include "fit/fit.h"

enum { N = 90, D = 3, K = 3 }; /* 75 labels: with 60 or fewer some methods are fitted anew to every fold */

static rung_data *make_data(rung_ctx *ctx)
{
    double x[N * D];
    int y[N];
    rng r;
    rung_data *data;
    rng_open(&r, 5, 1);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) x[i * D + j] = 3 + rng_normal(&r);
        double f = x[i * D] + x[i * D + 1] - 6 + 0.5 * rng_normal(&r);
        y[i] = i % 6 == 5 ? 0 : 1 + (f > -0.5) + (f > 0.7);
    }
    rung_view X = {.v = x, .n = N, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, K, &data));
    return data;
}

typedef struct {
    rung_data *data;
    rung_spec *spec;
    training t;
    made_fit made;
    rung_model *model;
} job;

static void start(rung_ctx *ctx, const char *name, job *j)
{
    *j = (job){.data = make_data(ctx)};
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &j->spec));
    const method *m = j->spec->method;
    assert_ok(ctx,
              training_new(ctx, j->spec, j->data, m->info.flags & RUNG_METHOD_USES_UNLABELLED, !m->takes_cells, &j->t));
    assert_ok(ctx, model_new(ctx, &j->model));
    assert_ok(ctx, method_build(ctx, j->spec, &j->t, NULL, NULL, &j->made, j->model));
}

static void finish(job *j)
{
    rung_model_free(j->model);
    rung_spec_free(j->spec);
    rung_data_free(j->data);
}

static void holds(rung_ctx *ctx, const job *j) { assert_ok(ctx, model_prove(ctx, &j->made, j->model)); }

/* The sentence has these words. */
static void is_noticed(rung_ctx *ctx, const job *j, const char *words)
{
    assert_int_equal(model_prove(ctx, &j->made, j->model), RUNG_EINTERNAL);
    if (!strstr(ctx->message, words)) fail_msg("'%s' says nothing of '%s'", ctx->message, words);
}

/* *number is another one until it is put back. */
static void change(rung_ctx *ctx, const job *j, double *number, double to, const char *words)
{
    double was = *number;
    assert_true(was != to);
    *number = to;
    is_noticed(ctx, j, words);
    *number = was;
    holds(ctx, j);
}

static double *reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return m->report[i].value;
    return NULL;
}

static const char *const measured[] = {"auto", "ogp", "ckr", "kdlor", "pom", "boost", "svorim"};
enum { METHODS = sizeof measured / sizeof *measured };

static void the_error_is_that_of_the_predictions(void **state)
{
    rung_ctx *ctx = *state;
    for (int i = 0; i < METHODS; i++) {
        job j;
        start(ctx, measured[i], &j);
        holds(ctx, &j);
        change(ctx, &j, &j.model->cv.mae, j.model->cv.mae + 1e-3, "the reported error");
        change(ctx, &j, &j.model->cv_median.mae, j.model->cv_median.mae + 1e-3, "the error of always predicting");
        j.model->has_cv = false;
        is_noticed(ctx, &j, "the reported error");
        j.model->has_cv = true;
        int *rank = &j.made.grades.rank[0], was = *rank;
        *rank = was > 1 ? was - 1 : 2;
        is_noticed(ctx, &j, "the reported error");
        *rank = was;
        holds(ctx, &j);
        finish(&j);
    }
}

/* A row that is scaled otherwise, classes in another order. */
static void it_says_what_the_fit_says(void **state)
{
    rung_ctx *ctx = *state;
    for (int i = 0; i < METHODS; i++) {
        job j;
        start(ctx, measured[i], &j);
        bool trees = strcmp(measured[i], "boost") == 0;
        if (!trees) {
            double *shift = j.model->members->scale.shift, was = *shift;
            *shift += 2;
            is_noticed(ctx, &j, "something else of its rows than the fit");
            *shift = was;
        }
        decision *decide = &j.model->members->decide;
        bool calibrated = decide->kind == DECISION_CALIBRATED;
        int present[K] = {2, 1, 3}, *own = j.model->present;
        j.model->present = present;
        if (!calibrated) is_noticed(ctx, &j, "something else of its rows than the fit"); /* else its scores stay */
        j.model->present = own;
        holds(ctx, &j);
        finish(&j);
    }
}

static void reported_weights_are_written(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const names[] = {"weight_processes",   "weight_ridges", "weight_unlabelled",
                                        "weight_trees",       "weight_rank",   "weight_standard",
                                        "weight_frequencies", "sharpen",       "loo_mae"};
    int found = 0;
    for (int i = 0; i < 2; i++) {
        job j;
        start(ctx, measured[i], &j);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            double *one = reported(j.model, names[k]);
            if (one) change(ctx, &j, one, *one + 1e-3, names[k]);
            found += one != NULL;
        }
        finish(&j);
    }
    assert_int_equal(found, 7 + 3);
}

/* Weights of two members of a kind are exchanged, so that what is reported still holds; one is lost; half of the model
 * is something else; the error is that of other predictions. */
static void members_are_those_that_were_measured(void **state)
{
    rung_ctx *ctx = *state;
    for (int i = 0; i < 2; i++) {
        job j;
        start(ctx, measured[i], &j);
        rung_model *m = j.model;
        int a = 0, b = 1;
        while (b < m->n_members &&
               (m->members[b].proba != m->members[a].proba || m->members[b].space.kind != m->members[a].space.kind ||
                fabs(m->members[b].weight - m->members[a].weight) < 1e-3))
            b++;
        assert_true(b < m->n_members);
        double wa = m->members[a].weight, wb = m->members[b].weight;
        m->members[a].weight = wb;
        m->members[b].weight = wa;
        is_noticed(ctx, &j, "predict held-out rows otherwise");
        m->members[a].weight = wa;
        m->members[b].weight = wb;
        change(ctx, &j, &m->members[0].weight, 2 * wa, "reports weight_");
        m->n_members--;
        assert_int_equal(model_prove(ctx, &j.made, m), RUNG_EINTERNAL);
        m->n_members++;
        int64_t size = j.t.n_labelled * K;
        double *loo = j.made.fit.loo, *other = malloc(sizeof *other * (size_t)size);
        for (int64_t k = 0; k < size; k++) other[k] = 1.0 / K;
        j.made.fit.loo = other;
        is_noticed(ctx, &j, "of other predictions than those of its members");
        j.made.fit.loo = loo;
        free(other);
        holds(ctx, &j);
        finish(&j);
    }
}

/* What cannot be written, or reads as something else, is no model. */
static void it_can_be_written(void **state)
{
    rung_ctx *ctx = *state;
    job j;
    start(ctx, "kdlor", &j);
    j.model->training.n = 7;
    is_noticed(ctx, &j, "cannot be saved");
    j.model->training.n = 0;
    holds(ctx, &j);
    finish(&j);
}

/* Classes are as far apart as they are declared, whether the ones between them have labels or not: the error, its range
 * over groups and that of label propagation. */
static void absent_classes_keep_their_distance(void **state)
{
    enum { ABSENT = 5 };
    rung_ctx *ctx = *state;
    static const char *const methods[] = {"pom", "kdlor", "s-dl", "ogp", "auto"};
    static const char *const told[] = {"propagation_cv_mae", "loo_mae", "median_mae", "cv_mae_without_graph"};
    enum { TOLD = sizeof told / sizeof *told };
    int compared = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double mae[2], low[2], high[2], said[2][TOLD] = {{0}};
        for (int wide = 0; wide < 2; wide++) { /* classes 1 and 2, then 1 and 5 of 5 */
            job j = {.data = make_data(ctx)};
            int group[N];
            for (int i = 0; i < N; i++) {
                group[i] = i < 12 ? i / 2 : i;
                int y = j.data->y[i];
                j.data->y[i] = y < 2 ? y : wide ? ABSENT : 2;
            }
            rung_view X = {.v = j.data->X, .n = N, .d = D, .row = D, .col = 1};
            rung_data *data;
            assert_ok(ctx, rung_data_new(ctx, &X, j.data->y, NULL, wide ? ABSENT : 2, &data));
            rung_data_free(j.data);
            assert_ok(ctx, rung_data_set_groups(ctx, data, group));
            assert_ok(ctx, rung_spec_new(ctx, methods[m], 0, &j.spec));
            if (strcmp(methods[m], "s-dl") == 0) {
                assert_ok(ctx, rung_spec_set_baseline(ctx, j.spec, 1));
                assert_ok(ctx, rung_spec_set(ctx, j.spec, "mu", "auto"));
            }
            assert_ok(ctx, rung_model_fit(ctx, j.spec, data, &j.model));
            mae[wide] = j.model->cv.mae;
            low[wide] = j.model->cv.mae_low;
            high[wide] = j.model->cv.mae_high;
            for (int k = 0; k < TOLD; k++)
                if (reported(j.model, told[k])) said[wide][k] = *reported(j.model, told[k]);
            j.data = data;
            finish(&j);
        }
        assert_true(low[0] < mae[0] && mae[0] < high[0]);
        assert_close(mae[1], 4 * mae[0], 1e-12);
        assert_close(low[1], 4 * low[0], 1e-12);
        assert_close(high[1], 4 * high[0], 1e-12);
        for (int k = 0; k < TOLD; k++) assert_close(said[1][k], 4 * said[0][k], 1e-12);
        for (int k = 0; k < TOLD; k++) compared += said[0][k] > 0;
    }
    assert_true(compared >= TOLD);
}

/* A range that is that of another error. */
static void the_range_holds_the_error(void **state)
{
    job j;
    start(*state, "pom", &j);
    change(*state, &j, &j.model->cv.mae_low, j.model->cv.mae + 0.01, "outside its range");
    change(*state, &j, &j.model->cv.mae_high, j.model->cv.mae - 0.01, "outside its range");
    finish(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(the_error_is_that_of_the_predictions),
                                       WITH_CONTEXT(it_says_what_the_fit_says),
                                       WITH_CONTEXT(reported_weights_are_written),
                                       WITH_CONTEXT(members_are_those_that_were_measured),
                                       WITH_CONTEXT(it_can_be_written),
                                       WITH_CONTEXT(absent_classes_keep_their_distance),
                                       WITH_CONTEXT(the_range_holds_the_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
