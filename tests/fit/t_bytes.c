// SPDX-License-Identifier: BSD-3-Clause
/* What a fit is said to need is what all pools together hold at most, for every method and many shapes: never less, and
 * at most FACTOR times as much and the tiles of a few threads. */
#include "helper.h"

#include "base/rng.h"
#include "fit/method.h"

typedef struct {
    int64_t n, d;
    int K;
    double unlabelled; /* share of the rows */
    int threads;
    const char *landmarks; /* "": as they come, of every method; else of those that have them */
    const char *ridge;     /* its kind; NULL: as it comes, of every method; else of those that have it */
} shape_case;

static const double FACTOR = 3, TILES = 3 << 20;

/* Classes along the first column. */
static rung_data *data_of(rung_ctx *ctx, const shape_case *s, int64_t *labelled)
{
    double *X = malloc(sizeof *X * (size_t)(s->n * s->d));
    int *y = malloc(sizeof *y * (size_t)s->n);
    rung_data *data;
    rng r;
    assert_non_null(X);
    assert_non_null(y);
    rng_open(&r, 3, (uint64_t)(s->n * s->d));
    *labelled = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int q = 1 + (int)(i % s->K);
        y[i] = i >= 2 * s->K && rng_uniform(&r) < s->unlabelled ? 0 : q;
        *labelled += y[i] > 0;
        for (int64_t j = 0; j < s->d; j++) X[i * s->d + j] = rng_normal(&r) + (j == 0 ? q : 0);
    }
    rung_view view = {.v = X, .n = s->n, .d = s->d, .row = s->d, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, s->K, &data));
    free(X);
    free(y);
    return data;
}

static void set(rung_ctx *ctx, const method *m, rung_spec *spec, const char *name, const char *value)
{
    if (rung_method_param_find(&m->info, name)) assert_ok(ctx, rung_spec_set(ctx, spec, name, value));
}

static void compare(const method *m, const shape_case *s)
{
    rung_ctx *ctx;
    rung_spec *spec;
    rung_model *model;
    char modes[32];
    int64_t labelled;
    double said;
    assert_int_equal(rung_ctx_new(&ctx), RUNG_OK);
    rung_ctx_set_threads(ctx, s->threads);
    rung_ctx_set_memory(ctx, (int64_t)1 << 40);
    rung_data *data = data_of(ctx, s, &labelled);
    assert_ok(ctx, rung_spec_new(ctx, m->info.name, 0, &spec));
    snprintf(modes, sizeof modes, "2x%d", (int)s->d / 2);
    set(ctx, m, spec, "shape", modes);
    if (s->landmarks[0]) set(ctx, m, spec, "landmarks", s->landmarks);
    if (s->ridge) set(ctx, m, spec, "ridge-kind", s->ridge);
    problem_shape shape = {.n = m->info.flags & RUNG_METHOD_USES_UNLABELLED ? s->n : labelled,
                           .labelled = labelled,
                           .d = s->d,
                           .K = s->K,
                           .rows = s->n,
                           .threads = s->threads};
    assert_ok(ctx, method_bytes(ctx, spec, &shape, &said));
    pool_peak_reset();
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    double peak = (double)pool_peak();
    if (said < peak || said > FACTOR * peak + TILES)
        fail_msg("%s, %lld rows (%lld labelled) of %lld columns, %d classes, %d threads, landmarks '%s': said to need "
                 "%.0f bytes, and took %.0f",
                 m->info.name, (long long)s->n, (long long)labelled, (long long)s->d, s->K, s->threads, s->landmarks,
                 said, peak);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
    rung_ctx_free(ctx);
}

static void every_method_takes_what_it_is_said_to(void **state)
{
    static const shape_case shapes[] = {
        {60, 2, 3, 0, 1, "", NULL},       {60, 40, 5, 0.5, 3, "", NULL},       {180, 4, 2, 0, 2, "", NULL},
        {80, 200, 3, 0, 2, "", NULL},     {240, 6, 8, 0.6, 2, "", NULL},       {600, 6, 5, 0.3, 2, "40", NULL},
        {400, 20, 10, 0, 1, "150", NULL}, {180, 4, 3, 0.4, 1, "", "identity"},
    };
    (void)state;
    for (int k = 0; method_table[k]; k++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            if ((!shapes[i].landmarks[0] || rung_method_param_find(&method_table[k]->info, "landmarks")) &&
                (!shapes[i].ridge || rung_method_param_find(&method_table[k]->info, "ridge-kind")))
                compare(method_table[k], &shapes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_takes_what_it_is_said_to)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
