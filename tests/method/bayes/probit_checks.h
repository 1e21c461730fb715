// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of sbor, isbor and gpor share: data, fits, and the link between score, spread and probabilities.
 * Include it first. */
#ifndef RUNG_TESTS_PROBIT_CHECKS_H
#define RUNG_TESTS_PROBIT_CHECKS_H

#include "helper.h"

#include "base/rng.h"
#include "fit/method.h"
#include "solve/ordinal_probit.h"

typedef struct {
    int64_t n, d;
    int K;
    double *x; /* by rows */
    int *y;
} rows;

/* Classes of the product of the first two columns, with noise; each class has a row. To be freed with free_rows. */
static inline rows make_rows(int64_t n, int64_t d, int K, double noise, uint64_t stream)
{
    rows s = {.n = n, .d = d, .K = K, .x = malloc((size_t)(n * d) * sizeof *s.x), .y = malloc((size_t)n * sizeof *s.y)};
    rng r;
    assert_true(s.x && s.y);
    rng_open(&r, 9, stream);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) s.x[i * d + j] = rng_normal(&r);
        double t = (d > 1 ? s.x[i * d] * s.x[i * d + 1] : s.x[i]) + noise * rng_normal(&r);
        int y = 1 + (int)floor(K * (0.5 + 0.35 * t));
        s.y[i] = i < K ? (int)i + 1 : y < 1 ? 1 : y > K ? K : y;
    }
    return s;
}

static inline void free_rows(rows *s)
{
    free(s->x);
    free(s->y);
}

static inline rung_view view_of(const rows *s, int64_t from, int64_t to)
{
    return (rung_view){.v = s->x + from * s->d, .n = to - from, .d = s->d, .row = s->d, .col = 1};
}

/* options: "gamma=0.3 candidates=0" */
static inline rung_model *fit_rows(rung_ctx *ctx, const char *name, const char *options, const rows *s, int64_t to,
                                   bool keep)
{
    char text[256], *rest = text;
    rung_view view = view_of(s, 0, to);
    rung_spec *spec;
    rung_data *data;
    rung_model *model;
    snprintf(text, sizeof text, "%s", options);
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, "none"));
    assert_ok(ctx, rung_spec_set_keep_data(ctx, spec, keep));
    assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0")); /* the method's own probabilities and ranges */
    while (*rest) {
        char *name_at = rest, *value = strchr(rest, '=');
        *value++ = 0;
        rest = value + strcspn(value, " ");
        if (*rest) *rest++ = 0;
        assert_ok(ctx, rung_spec_set(ctx, spec, name_at, value));
    }
    assert_ok(ctx, rung_data_new(ctx, &view, s->y, NULL, s->K, &data));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    rung_data_free(data);
    return model;
}

static inline double reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (!strcmp(m->report[i].name, name)) return *m->report[i].value;
    fail_msg("no %s in the report", name);
    return NAN;
}

/* The evidence of a fit that is thrown away. */
static inline double evidence_of(rung_ctx *ctx, const char *name, const char *options, const rows *s)
{
    rung_model *m = fit_rows(ctx, name, options, s, s->n, false);
    double value = reported(m, "log_evidence");
    rung_model_free(m);
    return value;
}

/* Share of the rows a model puts into the wrong class. */
static inline double share_wrong(rung_ctx *ctx, const rung_model *m, const rows *s)
{
    int *rank = malloc((size_t)s->n * sizeof *rank);
    rung_view view = view_of(s, 0, s->n);
    double wrong = 0;
    assert_non_null(rank);
    assert_ok(ctx, rung_model_predict(ctx, m, &view, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    for (int64_t i = 0; i < s->n; i++) wrong += rank[i] != s->y[i];
    free(rank);
    return wrong / (double)s->n;
}

/* p(q) = Phi((b_q - mean) / sqrt(noise^2 + sd^2)) - ..., and the range is the shortest that holds the level. */
static inline void check_uncertainty(rung_ctx *ctx, const rung_model *m, const rows *s, double level)
{
    int64_t n = s->n;
    int K = s->K, *low = malloc((size_t)n * sizeof *low), *high = malloc((size_t)n * sizeof *high);
    double *mean = malloc((size_t)n * sizeof *mean), *sd = malloc((size_t)n * sizeof *sd),
           *proba = malloc((size_t)(n * K) * sizeof *proba), *p = malloc((size_t)K * sizeof *p);
    rung_view view = view_of(s, 0, n);
    const probit_link *link = &m->members[0].link;
    assert_true(low && high && mean && sd && proba && p);
    assert_true(rung_model_has_latent(m) && rung_model_has_probabilities(m));
    assert_string_equal(rung_model_interval(m), "credible");
    assert_ok(ctx,
              rung_model_predict(
                  ctx, m, &view, &(rung_predict_options){.size = sizeof(rung_predict_options), .level = level},
                  &(rung_output){
                      .size = sizeof(rung_output), .score = mean, .sd = sd, .proba = proba, .low = low, .high = high}));
    for (int64_t i = 0; i < n; i++) {
        ordinal_probit_classes(mean[i], sd[i] * sd[i], K, link->b, link->noise, p);
        assert_arrays_close(K, proba + i * K, p, 1e-12);
        for (int width = 0; width <= high[i] - low[i]; width++) /* none shorter, and this one is enough */
            for (int q = 1; q + width <= K; q++) {
                double mass = 0;
                for (int k = q; k <= q + width; k++) mass += p[k - 1];
                if (width < high[i] - low[i]) assert_true(mass < level + 1e-12);
                if (width == high[i] - low[i] && q == low[i]) assert_true(mass > level - 1e-12);
            }
    }
    free(low), free(high), free(mean), free(sd), free(proba), free(p);
}

#endif
