// SPDX-License-Identifier: BSD-3-Clause
/* An update is a fit to all rows: with their groups, marks, weights and, where it is one, as published. */
#define _POSIX_C_SOURCE 200809L // mkstemp
#include "helper.h"

#include <unistd.h>

#include "base/rng.h"
#include "fit/method.h"
#include "model/model.h"

enum { N = 90, D = 3, K = 3, PART = 60, VISITS = 3 };
static const double NOISE = 0.05;

typedef struct {
    double x[D * N], weight[N];
    int y[N], group[N], chosen[N];
} rows;

/* Patients with VISITS rows each, spread over the file, whose grades depend on the patient alone: rows of the same
 * patient give each other away. */
static void make_rows(rows *s, uint64_t seed, double noise)
{
    rng r;
    rng_open(&r, seed, 0);
    for (int i = 0; i < N; i++) {
        int patient = i % (N / VISITS);
        s->group[i] = patient;
        s->chosen[i] = i % 4 == 1;
        s->weight[i] = 1 + i % 3;
        s->y[i] = patient < i ? s->y[patient] : 1 + (int)rng_below(&r, K);
        for (int j = 0; j < D; j++)
            s->x[i * D + j] = patient < i ? s->x[patient * D + j] + noise * rng_normal(&r) : rng_normal(&r);
    }
}

static rung_data *data_of(rung_ctx *ctx, const rows *s, int from, int to, bool weights, bool groups, bool chosen)
{
    rung_data *data;
    rung_view view = {.v = s->x + from * D, .n = to - from, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &view, s->y + from, weights ? s->weight + from : NULL, K, &data));
    if (groups) assert_ok(ctx, rung_data_set_groups(ctx, data, s->group + from));
    if (chosen) assert_ok(ctx, rung_data_set_chosen(ctx, data, s->chosen + from));
    return data;
}

static rung_spec *spec_of(rung_ctx *ctx, const char *name, const char *param, const char *value)
{
    rung_spec *spec;
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, "none"));
    if (param) assert_ok(ctx, rung_spec_set(ctx, spec, param, value));
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, 1));
    return spec;
}

static rung_model *fit(rung_ctx *ctx, const rung_spec *spec, rung_data *data)
{
    rung_model *out;
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &out));
    rung_data_free(data);
    return out;
}

/* The model after a way through a file. */
static rung_model *reloaded(rung_ctx *ctx, rung_model *model)
{
    char path[] = "/tmp/rung-update-XXXXXX";
    rung_model *out;
    close(mkstemp(path));
    assert_ok(ctx, rung_model_save(ctx, model, path));
    assert_ok(ctx, rung_model_load(ctx, path, &out));
    unlink(path);
    rung_model_free(model);
    return out;
}

/* A fit to the first rows and two updates, and a fit to all rows: the same held-out rows with the same error, which is
 * returned. */
static double check_update(rung_ctx *ctx, const rung_spec *spec, double noise, bool weights, bool groups, bool chosen)
{
    static const int ends[] = {PART, PART + 1, N};
    rows *s = malloc(sizeof *s);
    make_rows(s, 11, noise);
    rung_model *all = fit(ctx, spec, data_of(ctx, s, 0, N, weights, groups, chosen));
    rung_model *part = fit(ctx, spec, data_of(ctx, s, 0, PART, weights, groups, chosen));
    for (int i = 0; i < 2; i++) {
        rung_data *more = data_of(ctx, s, ends[i], ends[i + 1], weights, groups, chosen);
        rung_model *next;
        part = reloaded(ctx, part);
        assert_ok(ctx, rung_model_update(ctx, part, more, &next));
        rung_data_free(more);
        rung_model_free(part);
        part = next;
    }
    assert_int_equal(part->cv.n, all->cv.n);
    assert_int_equal(part->n_rows, N);
    assert_close(part->cv.mae, all->cv.mae, 1e-6);
    assert_close(part->cv.mae_low, all->cv.mae_low, 1e-6);
    assert_close(part->cv.mae_high, all->cv.mae_high, 1e-6);
    assert_int_equal(part->temper.n, all->temper.n);
    double mae = all->cv.mae;
    rung_model_free(part);
    rung_model_free(all);
    free(s);
    return mae;
}

static void for_each_method(rung_ctx *ctx, const char *param, const char *value, bool weights, bool groups, bool chosen)
{
    for (int m = 0; method_table[m]; m++) {
        if (!method_table[m]->update || (weights && !(method_table[m]->info.flags & RUNG_METHOD_WEIGHTS))) continue;
        rung_spec *spec = spec_of(ctx, method_table[m]->info.name, param, value);
        check_update(ctx, spec, NOISE, weights, groups, chosen);
        rung_spec_free(spec);
    }
}

static void groups_stay_together(void **state) { for_each_method(*state, NULL, NULL, false, true, false); }
static void chosen_rows_do_not_count(void **state) { for_each_method(*state, NULL, NULL, false, true, true); }
static void weights_stay(void **state) { for_each_method(*state, NULL, NULL, true, true, false); }
/* Parameters and no scaling: the method as published, whose probabilities stay. */
static void as_published_stays(void **state) { for_each_method(*state, "gamma", "0.7", false, false, false); }

/* Class weights, with weights of the rows and without: errors count rows by their own weights alone. */
static void class_weights_stay(void **state)
{
    rung_ctx *ctx = *state;
    for (int m = 0; method_table[m]; m++) {
        if (!method_table[m]->update || !(method_table[m]->info.flags & RUNG_METHOD_WEIGHTS)) continue;
        for (int weights = 0; weights < 2; weights++) {
            rung_spec *spec = spec_of(ctx, method_table[m]->info.name, NULL, NULL);
            assert_ok(ctx, rung_spec_set_class_weight(ctx, spec, "1", 0.3));
            assert_ok(ctx, rung_spec_set_class_weight(ctx, spec, "3", 2.5));
            check_update(ctx, spec, NOISE, weights, false, false);
            rung_spec_free(spec);
        }
    }
}

/* Equal rows are what the fit was told they are. */
static void rule_for_equal_rows_stays(void **state)
{
    static const char *const rules[] = {"auto", "together", "apart"};
    rung_ctx *ctx = *state;
    for (int m = 0; method_table[m]; m++) {
        double mae[3];
        if (!method_table[m]->update) continue;
        for (int k = 0; k < 3; k++) {
            rung_spec *spec = spec_of(ctx, method_table[m]->info.name, NULL, NULL);
            assert_ok(ctx, rung_spec_set_equal_rows(ctx, spec, rules[k]));
            mae[k] = check_update(ctx, spec, 0, false, false, false);
            rung_spec_free(spec);
        }
        assert_true(mae[1] != mae[2]);
    }
}

/* Weights of a file of before are those of the rows times those of their classes. */
static void multiplied_weights_are_read(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    make_rows(s, 13, NOISE);
    rung_spec *spec = spec_of(ctx, "svorim", NULL, NULL);
    assert_ok(ctx, rung_spec_set_class_weight(ctx, spec, "1", 0.3));
    rung_model *next[2], *part = fit(ctx, spec, data_of(ctx, s, 0, PART, true, false, false));
    for (int old = 0; old < 2; old++) {
        kept_data *k = &part->kept;
        for (int64_t i = 0; i < k->n && old; i++) k->weight[i] *= k->class_weight[part->present[k->label[i] - 1] - 1];
        k->multiplied = old;
        part = reloaded(ctx, part);
        assert_true(part->kept.multiplied == old);
        rung_data *more = data_of(ctx, s, PART, N, true, false, false);
        assert_ok(ctx, rung_model_update(ctx, part, more, &next[old]));
        rung_data_free(more);
    }
    for (int i = 0; i < N; i++) assert_true(next[1]->kept.weight[i] == s->weight[i]);
    assert_true(next[1]->cv.mae == next[0]->cv.mae && next[1]->cv.mae_low == next[0]->cv.mae_low);
    rung_model_free(next[0]);
    rung_model_free(next[1]);
    rung_model_free(part);
    rung_spec_free(spec);
    free(s);
}

static void new_rows_need_groups(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    make_rows(s, 12, NOISE);
    rung_spec *spec = spec_of(ctx, "svorim", NULL, NULL);
    rung_model *out, *part = fit(ctx, spec, data_of(ctx, s, 0, PART, false, true, false));
    rung_data *more = data_of(ctx, s, PART, N, false, false, false);
    assert_int_equal(rung_model_update(ctx, part, more, &out), RUNG_EARG);
    assert_non_null(strstr(rung_ctx_message(ctx), "need groups"));
    assert_null(out);
    rung_data_free(more);
    rung_model_free(part);
    rung_spec_free(spec);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(groups_stay_together),
        WITH_CONTEXT(chosen_rows_do_not_count),
        WITH_CONTEXT(weights_stay),
        WITH_CONTEXT(as_published_stays),
        WITH_CONTEXT(new_rows_need_groups),
        WITH_CONTEXT(class_weights_stay),
        WITH_CONTEXT(rule_for_equal_rows_stays),
        WITH_CONTEXT(multiplied_weights_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
