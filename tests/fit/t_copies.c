// SPDX-License-Identifier: BSD-3-Clause
/* New rows that equal labelled ones. */
#include "helper.h"

#include <math.h>

#include "base/rng.h"
#include "fit/verify.h"
#include "model/model.h"

enum { N = 180, D = 2, K = 5, NEW_ROWS = 2000 };

#define assert_near(a, b, most) assert_true(fabs((a) - (b)) <= (most))

/* Two factors of three levels whose effects no sum of columns has: a line cannot follow them. */
static void crossed(uint64_t seed, int64_t n, double *X, int *y)
{
    rng r;
    rng_open(&r, 21, seed);
    for (int64_t i = 0; i < n; i++) {
        int a = (int)rng_below(&r, 3), b = (int)rng_below(&r, 3);
        X[i * D] = a;
        X[i * D + 1] = b;
        double z = round(1 + 2 * ((a + b) % 3) + 0.4 * rng_normal(&r));
        y[i] = z < 1 ? 1 : z > K ? K : (int)z;
    }
}

typedef struct {
    double X[N * D];
    int y[N];
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
} fit;

static void fit_new(rung_ctx *ctx, const char *name, const char *scale, const char *const set[2], fit *f)
{
    crossed(1, N, f->X, f->y);
    rung_view view = {.v = f->X, .n = N, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &view, f->y, NULL, K, &f->data));
    assert_ok(ctx, rung_spec_new(ctx, name, false, &f->spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, f->spec, scale));
    if (set) assert_ok(ctx, rung_spec_set(ctx, f->spec, set[0], set[1]));
    assert_ok(ctx, rung_model_fit(ctx, f->spec, f->data, &f->model));
}

static void fit_free(fit *f)
{
    rung_model_free(f->model);
    rung_spec_free(f->spec);
    rung_data_free(f->data);
}

static double true_error(rung_ctx *ctx, const rung_model *m)
{
    static double X[NEW_ROWS * D], sum;
    static int y[NEW_ROWS], rank[NEW_ROWS];
    crossed(2, NEW_ROWS, X, y);
    rung_view view = {.v = X, .n = NEW_ROWS, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_model_predict(ctx, m, &view, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    sum = 0;
    for (int i = 0; i < NEW_ROWS; i++) sum += abs(rank[i] - y[i]);
    return sum / NEW_ROWS;
}

/* Of every kind: own probabilities, calibrated ones, an average. The reported error is that of the model that is
 * written. */
static void equals_are_heard(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const methods[] = {"pom", "lda", "auto"};
    for (int k = 0; k < 3; k++) {
        fit f;
        fit_new(ctx, methods[k], "standard", NULL, &f);
        double heard = true_error(ctx, f.model);
        assert_near(f.model->cv.mae, heard, 0.1);
        assert_true(heard < 0.25);
        row_copies rule = f.model->copies;
        if (k < 2) { /* a line alone */
            assert_true(rule.n > 0 && rule.prior < 10);
            f.model->copies.n = 0;
            assert_true(true_error(ctx, f.model) > 0.8);
            f.model->copies = rule;
        }
        fit_free(&f);
    }
}

/* (c + s p) / (sum c + s), for every kind of output; another row is as before. */
static void the_rule(void **state)
{
    rung_ctx *ctx = *state;
    fit f;
    fit_new(ctx, "pom", "standard", NULL, &f);
    double X[] = {1, 2, 1, 2.5}, with[2 * K], without[2 * K], mass[K] = {0}, total = f.model->copies.prior;
    rung_view view = {.v = X, .n = 2, .d = D, .row = D, .col = 1};
    rung_output out = {.size = sizeof out, .proba = with};
    assert_ok(ctx, rung_model_predict(ctx, f.model, &view, NULL, &out));
    double s = f.model->copies.prior, score[2]; /* asked for alone, too */
    assert_ok(ctx, rung_model_predict(ctx, f.model, &view, NULL, &(rung_output){.size = sizeof out, .score = score}));
    for (int i = 0; i < N; i++)
        if (f.X[i * D] == 1 && f.X[i * D + 1] == 2) mass[f.y[i] - 1]++, total++;
    f.model->copies.n = 0;
    out.proba = without;
    assert_ok(ctx, rung_model_predict(ctx, f.model, &view, NULL, &out));
    for (int q = 0; q < K; q++) {
        assert_near(with[q], (mass[q] + s * without[q]) / total, 1e-12);
        assert_true(with[K + q] == without[K + q]);
    }
    fit_free(&f);
}

/* A method as published is left alone, and so is one that keeps its data for an update. */
static void the_rule_is_absent(void **state)
{
    rung_ctx *ctx = *state;
    fit f;
    fit_new(ctx, "pom", "none", (const char *const[]){"ridge", "0.01"}, &f);
    assert_int_equal(f.model->copies.n, 0);
    assert_true(f.model->cv.mae > 0.8);
    fit_free(&f);
    fit_new(ctx, "auto", "standard", (const char *const[]){"copies", "without"}, &f);
    assert_int_equal(f.model->copies.n, 0);
    fit_free(&f);
}

static rung_model *stored(rung_ctx *ctx, const rung_model *m)
{
    char *bytes;
    int64_t size;
    rung_model *again;
    assert_ok(ctx, rung_model_save_memory(ctx, m, &bytes, &size));
    assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
    rung_free(bytes);
    return again;
}

/* A model of an earlier version: p := (1 - w) p + w times the shares of its equals, each labelled row with an entry. */
static void the_former_rule(void **state)
{
    rung_ctx *ctx = *state;
    fit f;
    fit_new(ctx, "auto", "standard", (const char *const[]){"copies", "without"}, &f);
    double x[D] = {1, 2}, with[K], without[K], key[3];
    int rank[3] = {1, 1, 5};
    rung_view view = {.v = x, .n = 1, .d = D, .row = D, .col = 1};
    rung_output out = {.size = sizeof out, .proba = without};
    assert_ok(ctx, rung_model_predict(ctx, f.model, &view, NULL, &out));
    for (int i = 0; i < 3; i++) key[i] = row_key(D, x, 1);
    f.model->copies = (row_copies){.n = 3, .key = key, .rank = rank, .weight = 0.9};
    rung_model *again = stored(ctx, f.model);
    assert_true(again->copies.n == 3 && !again->copies.mass);
    out.proba = with;
    assert_ok(ctx, rung_model_predict(ctx, again, &view, NULL, &out));
    for (int q = 0; q < K; q++) assert_near(with[q], 0.1 * without[q] + 0.9 * (q == 0 ? 2 : q == 4 ? 1 : 0) / 3, 1e-12);
    rung_model_free(again);
    fit_free(&f);
}

static int failures(rung_ctx *ctx, const fit *f)
{
    rung_verification *found;
    int count = 0;
    assert_ok(ctx, method_verify(ctx, f->spec, f->data, f->model, &found));
    for (int i = 0; i < found->n; i++) count += !found->all[i].ok;
    verification_free(found);
    return count;
}

static void entries_are_verified(void **state)
{
    rung_ctx *ctx = *state;
    fit f;
    fit_new(ctx, "pom", "standard", NULL, &f);
    int before = failures(ctx, &f);
    f.model->copies.mass[0]++;
    assert_int_equal(failures(ctx, &f), before + 1);
    fit_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(equals_are_heard),     WITH_CONTEXT(the_rule),
        WITH_CONTEXT(the_rule_is_absent),   WITH_CONTEXT(the_former_rule),
        WITH_CONTEXT(entries_are_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
