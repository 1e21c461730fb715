// SPDX-License-Identifier: BSD-3-Clause
/* Weights are counts: a row of weight k is k equal rows, and one of weight 0 is none. */
#include "helper.h"

#include <math.h>

#include "base/rng.h"
#include "fit/method.h"

enum { N = 40, D = 3, K = 3, NEW_ROWS = 25, MOST = 4 };

typedef struct {
    int64_t n;
    double X[N * MOST * D], weight[N * MOST];
    int y[N * MOST];
} rows;

/* The same rows twice: with weights 0 to 3, and repeated so often; unlabelled ones, too. */
static void make(uint64_t seed, rows *weighted, rows *repeated)
{
    rng r;
    rng_open(&r, 11, seed);
    weighted->n = repeated->n = 0;
    for (int i = 0; i < N; i++) {
        double x[D];
        int y = 1 + i % K, times = (int)rng_below(&r, MOST);
        if (i < K) times = 1;
        for (int j = 0; j < D; j++) x[j] = rng_normal(&r) + (j < 2 ? 0.8 * y : 0);
        if (i % 7 == 6) y = 0;
        memcpy(weighted->X + weighted->n * D, x, sizeof x);
        weighted->weight[weighted->n] = times;
        weighted->y[weighted->n++] = y;
        for (int k = 0; k < times; k++) {
            memcpy(repeated->X + repeated->n * D, x, sizeof x);
            repeated->y[repeated->n++] = y;
        }
    }
}

typedef struct {
    const char *method, *scale, *calibrate, *other, *value, *landmarks;
} setting;

/* Scores and probabilities of new rows; returns how many numbers. */
static int64_t answers_of(rung_ctx *ctx, const setting *s, const rows *t, const double *weight, double *out)
{
    double X[NEW_ROWS * D];
    rng r;
    rung_data *data;
    rung_spec *spec;
    rung_model *m;
    rung_view own = {.v = t->X, .n = t->n, .d = D, .row = D, .col = 1};
    rung_view fresh = {.v = X, .n = NEW_ROWS, .d = D, .row = D, .col = 1};
    rng_open(&r, 12, 0);
    for (int i = 0; i < NEW_ROWS * D; i++) X[i] = 2 * rng_normal(&r);
    assert_ok(ctx, dataset_new(ctx, &own, t->y, weight, K, &data));
    assert_ok(ctx, rung_spec_new(ctx, s->method, false, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, s->scale));
    if (s->calibrate) assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", s->calibrate));
    if (s->other) assert_ok(ctx, rung_spec_set(ctx, spec, s->other, s->value));
    if (s->landmarks) assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", s->landmarks));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
    int outputs = rung_model_outputs(m);
    bool proba = rung_model_has_probabilities(m);
    rung_output wanted = {.size = sizeof wanted, .score = out, .proba = proba ? out + NEW_ROWS * outputs : NULL};
    assert_ok(ctx, rung_model_predict(ctx, m, &fresh, NULL, &wanted));
    rung_model_free(m);
    rung_spec_free(spec);
    rung_data_free(data);
    return NEW_ROWS * (outputs + (proba ? K : 0));
}

static double difference(rung_ctx *ctx, const setting *s, uint64_t seed)
{
    static double a[NEW_ROWS * 50], b[NEW_ROWS * 50];
    static rows weighted, repeated;
    double size = 1, off = 0;
    make(seed, &weighted, &repeated);
    int64_t n = answers_of(ctx, s, &weighted, weighted.weight, a);
    assert_int_equal(answers_of(ctx, s, &repeated, NULL, b), n);
    for (int64_t i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        off = fmax(off, fabs(a[i] - b[i]));
    }
    return off / size;
}

static bool has_param(const method *m, const char *name)
{
    for (const param_row *p = m->params; p->info.name; p++)
        if (strcmp(p->info.name, name) == 0) return true;
    return false;
}

/* Not here: graphs, in which every row is one, and trees, which draw rows. */
static bool counts_rows(const method *m)
{
    static const char *const others[] = {"boost", "s-dl", "ces-dl", "es-dl", "kes-dl"};
    if (!(m->info.flags & RUNG_METHOD_WEIGHTS) || (m->info.flags & RUNG_METHOD_USES_UNLABELLED)) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(m->info.name, others[i]) == 0) return false;
    return true;
}

static void weights_are_counts(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const scales[] = {"standard", "minmax", "rank"};
    int count = 0;
    for (const method *const *m = method_table; *m; m++) {
        if (!counts_rows(*m)) continue;
        for (int k = 0; k < 3; k++) {
            setting s = {.method = (*m)->info.name, .scale = scales[k]};
            if (has_param(*m, "landmarks")) s.landmarks = "exact";
            double off = difference(ctx, &s, 1);
            count++;
            if (!(off < 1e-8))
                fail_msg("%s, scale %s: weights and repeated rows differ by %g", s.method, scales[k], off);
        }
        if (!has_param(*m, "diagonal")) continue;
        setting s = {(*m)->info.name, "standard", "0", "diagonal", "0.5", "exact"};
        double off = difference(ctx, &s, 1);
        if (!(off < 1e-6)) fail_msg("%s, diagonal=0.5: weights and repeated rows differ by %g", s.method, off);
    }
    assert_true(count > 20);
}

/* Trees, too: their bins and the columns that relevance weighs. */
static void rows_of_weight_0_are_none(void **state)
{
    rung_ctx *ctx = *state;
    static const setting settings[] = {{.method = "boost", .scale = "standard"},
                                       {.method = "kdlor", .scale = "relevance"},
                                       {.method = "pom", .scale = "rank"}};
    static double a[NEW_ROWS * 50], b[NEW_ROWS * 50];
    static rows all, some;
    make(2, &all, &some);
    some.n = 0;
    for (int64_t i = 0; i < all.n; i++) {
        if (!(all.weight[i] > 0)) continue;
        memcpy(some.X + some.n * D, all.X + i * D, D * sizeof *some.X);
        some.weight[some.n] = all.weight[i] = 1;
        some.y[some.n++] = all.y[i];
    }
    assert_true(some.n < all.n);
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        int64_t n = answers_of(ctx, &settings[k], &all, all.weight, a);
        assert_int_equal(answers_of(ctx, &settings[k], &some, some.weight, b), n);
        assert_arrays_close(n, a, b, 1e-9);
    }
}

/* What is reported of rows that count twice is a mean over what they count as. */
static void errors_are_means(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 50 };
    static const char *const ridge[] = {"1", "2"}; /* the same penalty for one row */
    double x[ROWS], twice[ROWS], loo[2];
    int y[ROWS];
    for (int i = 0; i < ROWS; i++) {
        x[i] = sin(1.7 * i) + 0.001 * i;
        y[i] = 1 + (x[i] + cos(5.0 * i) / 2 > -0.3) + (x[i] > 0.5);
        twice[i] = 2;
    }
    for (int k = 0; k < 2; k++) {
        rung_view view = {.v = x, .n = ROWS, .d = 1, .row = 1, .col = 1};
        rung_data *data;
        rung_spec *spec;
        rung_model *m;
        assert_ok(ctx, rung_data_new(ctx, &view, y, k ? twice : NULL, 3, &data));
        assert_ok(ctx, rung_spec_new(ctx, "ckr", 0, &spec));
        assert_ok(ctx, rung_spec_set(ctx, spec, "ridge", ridge[k]));
        assert_ok(ctx, rung_spec_set(ctx, spec, "gamma", "1"));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
        for (int i = 0; i < m->n_report; i++)
            if (strcmp(m->report[i].name, "loo_rps") == 0) loo[k] = m->report[i].value[0];
        rung_model_free(m);
        rung_spec_free(spec);
        rung_data_free(data);
    }
    assert_close(loo[1], loo[0], 0.02 * loo[0]); /* but for the shrunk class frequencies */
}

/* A class that only intervals may name has all but no mass, and so a weight by balance without bounds: rows of an
 * interval have a share of it only, and do not decide alone. */
static void balance_with_intervals(void **state)
{
    rung_ctx *ctx = *state;
    double x[N], proba[2][N * K];
    int y[N], upper[N];
    for (int i = 0; i < N; i++) {
        x[i] = i + 5 * (i % 3);
        y[i] = upper[i] = i < 14 ? 1 : 3;
    }
    for (int with = 0; with < 2; with++) {
        rung_view own = {.v = x, .n = N, .d = 1, .row = 1, .col = 1};
        rung_output wanted = {.size = sizeof wanted, .proba = proba[with]};
        rung_data *data;
        rung_spec *spec;
        rung_model *m;
        y[2] = with; /* unlabelled, or 1..2 */
        upper[2] = with ? 2 : 0;
        assert_ok(ctx, dataset_new(ctx, &own, y, NULL, K, &data));
        assert_ok(ctx, rung_data_set_upper(ctx, data, upper));
        assert_ok(ctx, rung_spec_new(ctx, "pom", false, &spec));
        assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
        assert_ok(ctx, rung_spec_set_balanced(ctx, spec, 1));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
        assert_ok(ctx, rung_model_predict(ctx, m, &own, NULL, &wanted));
        rung_model_free(m);
        rung_spec_free(spec);
        rung_data_free(data);
    }
    for (int i = 0; i < N; i++) assert_close(proba[1][i * K + 2], proba[0][i * K + 2], 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(weights_are_counts), WITH_CONTEXT(balance_with_intervals),
                                       WITH_CONTEXT(rows_of_weight_0_are_none), WITH_CONTEXT(errors_are_means)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
