// SPDX-License-Identifier: BSD-3-Clause
/* The family with a graph: what must hold between its members, and the optimality of every fit. Its numbers are held by
 * the golden cases. */
#include "helper.h"

#include "base/rng.h"
#include "fit/fit.h"

enum { N = 60, D = 3 };

static const char *const family[] = {"kdlor", "s-dl", "ces-dl", "es-dl", "kes-dl", "ws-dl"};
enum { FAMILY = sizeof family / sizeof *family };

static rung_data *draw(rung_ctx *ctx, int K, uint64_t stream, double unlabelled)
{
    double x[N * D];
    int y[N];
    rng r;
    rng_open(&r, 31, stream);
    for (int i = 0; i < N; i++) {
        int q = 1 + (int)rng_below(&r, K);
        y[i] = i < 2 * K ? 1 + i % K : rng_uniform(&r) < unlabelled ? 0 : q;
        for (int j = 0; j < D; j++) x[i * D + j] = rng_normal(&r) + (j == 0 ? 0.7 * (y[i] ? y[i] : q) : 0);
    }
    rung_view view = {.v = x, .n = N, .d = D, .row = D, .col = 1};
    rung_data *data;
    assert_ok(ctx, dataset_new(ctx, &view, y, NULL, K, &data));
    return data;
}

static rung_model *fit(rung_ctx *ctx, const rung_data *data, const char *name, const char *const *settings)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, spec_new(ctx, name, false, &spec));
    for (; settings[0]; settings += 2) assert_ok(ctx, spec_set(ctx, spec, settings[0], settings[1]));
    assert_ok(ctx, method_fit(ctx, spec, data, &model));
    spec_free(spec);
    pool_free_all(&ctx->scratch);
    return model;
}

static const report_entry *report_of(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return &m->report[i];
    fail_msg("no report %s", name);
    return NULL;
}

static void predict(rung_ctx *ctx, const rung_model *m, const rung_data *data, double *score, int *rank)
{
    rung_view view = {.v = data->X, .n = data->n, .d = data->d, .row = data->d, .col = 1};
    rung_output out = {.rank = rank, .score = score};
    assert_ok(ctx, model_predict(ctx, m, &view, NULL, &out));
}

#define QUICK "thresholds", "midpoint", "calibrate", "0"

/* At the optimum every margin between neighbouring means is at least rho, and equal to it where the constraint has
 * weight. */
static void means_are_ordered_in_every_fit(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 77, 0);
    for (int round = 0; round < 60; round++) {
        int K = 2 + (int)rng_below(&r, 4);
        char mu[32], ridge[32], near[32], gamma[32];
        snprintf(mu, sizeof mu, "%.17g", pow(10, -3 + 3 * rng_uniform(&r)));
        snprintf(ridge, sizeof ridge, "%.17g", pow(10, -4 + 4 * rng_uniform(&r)));
        snprintf(gamma, sizeof gamma, "%.17g", pow(10, -2 + 2 * rng_uniform(&r)));
        snprintf(near, sizeof near, "%d", 1 + (int)rng_below(&r, 70));
        rung_data *data = draw(ctx, K, (uint64_t)round, 0.5);
        const char *kind = round % 2 ? "kernel" : "identity", *norm = round % 3 ? "plain" : "normalised";
        const char *name = family[1 + round % 3];
        rung_model *m = fit(ctx, data, name,
                            (const char *const[]){QUICK, "mu", mu, "ridge", ridge, "gamma", gamma, "neighbours", near,
                                                  "ridge-kind", kind, "graph-norm", norm, NULL});
        const double *mean = report_of(m, "means")->value, *alpha = report_of(m, "alpha")->value;
        double rho = INFINITY, largest = 0;
        for (int q = 0; q + 1 < K; q++) {
            rho = fmin(rho, mean[q + 1] - mean[q]);
            largest = fmax(largest, fabs(mean[q + 1] - mean[q]));
        }
        assert_true(rho > 0);
        for (int q = 0; q + 1 < K; q++)
            if (alpha[q] > 1e-6 && fabs(mean[q + 1] - mean[q] - rho) > 1e-6 * largest)
                fail_msg("%s, round %d: margin %d is %g, not %g", name, round, q, mean[q + 1] - mean[q], rho);
        model_free(m);
        dataset_free(data);
    }
}

/* Without a graph the kernel ridge form is KDLOR on the labelled rows; with one, another model. */
static void without_a_graph_it_is_kdlor(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = draw(ctx, 4, 100, 0.5);
    double a[N], b[N], c[N];
    rung_model *dl = fit(ctx, data, "kdlor", (const char *const[]){QUICK, "gamma", "0.3", NULL});
    rung_model *sdl = fit(ctx, data, "s-dl", (const char *const[]){QUICK, "gamma", "0.3", "mu", "0", NULL});
    rung_model *graph = fit(ctx, data, "s-dl", (const char *const[]){QUICK, "gamma", "0.3", "mu", "0.1", NULL});
    predict(ctx, dl, data, a, NULL);
    predict(ctx, sdl, data, b, NULL);
    predict(ctx, graph, data, c, NULL);
    double most = 0;
    for (int i = 0; i < N; i++) {
        assert_close(b[i], a[i], 1e-10);
        most = fmax(most, fabs(c[i] - a[i]));
    }
    assert_true(most > 1e-3);
    model_free(dl);
    model_free(sdl);
    model_free(graph);
    dataset_free(data);
}

/* Where nothing is unlabelled the memberships are the labels: P is that of KDLOR over n, so a ridge n times as large.
 */
static void without_unlabelled_rows_ws_dl_is_kdlor(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = draw(ctx, 3, 101, 0);
    static const char *const kinds[] = {"kernel", "identity"};
    for (int kind = 0; kind < 2; kind++) {
        double a[N], b[N];
        rung_model *ws =
            fit(ctx, data, "ws-dl", (const char *const[]){QUICK, "ridge-kind", kinds[kind], "ridge", "0.01", NULL});
        rung_model *dl =
            fit(ctx, data, "kdlor", (const char *const[]){QUICK, "ridge-kind", kinds[kind], "ridge", "0.6", NULL});
        predict(ctx, ws, data, a, NULL);
        predict(ctx, dl, data, b, NULL);
        for (int i = 0; i < N; i++) assert_close(a[i], N * b[i], 1e-8);
        model_free(ws);
        model_free(dl);
    }
    dataset_free(data);
}

static void kes_dl_is_es_dl_with_the_precisions_it_reports(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = draw(ctx, 3, 102, 0.5);
    rung_model *kes = fit(ctx, data, "kes-dl", (const char *const[]){QUICK, NULL});
    const double *s = report_of(kes, "precisions")->value, *from = report_of(kes, "alignment_start")->value,
                 *to = report_of(kes, "alignment")->value;
    assert_true(to[0] >= from[0] && to[1] >= from[1]);
    char precisions[128];
    snprintf(precisions, sizeof precisions, "%.17g,%.17g,%.17g", s[0], s[1], s[2]);
    rung_model *es =
        fit(ctx, data, "es-dl", (const char *const[]){QUICK, "kernel", "ard", "precisions", precisions, NULL});
    double a[N], b[N];
    predict(ctx, kes, data, a, NULL);
    predict(ctx, es, data, b, NULL);
    for (int i = 0; i < N; i++) assert_close(a[i], b[i], 1e-9);
    model_free(kes);
    model_free(es);
    rung_spec *spec;
    assert_ok(ctx, spec_new(ctx, "kes-dl", false, &spec)); /* nothing of its kernel is for anybody to set */
    assert_fails(ctx, spec_set(ctx, spec, "gamma", "1"), RUNG_EARG, "has no parameter 'gamma'");
    spec_free(spec);
    dataset_free(data);
}

/* mu=auto tells what decided it, and never does worse by its own measure than without a graph. */
static void mu_auto_compares_with_no_graph(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = draw(ctx, 3, 103, 0.6);
    rung_model *m = fit(ctx, data, "s-dl", (const char *const[]){QUICK, "mu", "auto", NULL});
    double mu = report_of(m, "mu")->value[0], with = report_of(m, "cv_mae_with_graph")->value[0],
           without = report_of(m, "cv_mae_without_graph")->value[0];
    assert_true(mu == 0 || mu == 0.01 || mu == 0.1 || mu == 0.5);
    assert_true(with <= without + 1e-12);
    if (mu == 0) assert_true(with == without);
    model_free(m);
    bool seen[4] = {false};
    for (int i = 0; i < N; i++) { /* one label per class: nothing to compare by */
        int y = data->y[i];
        if (seen[y]) data->y[i] = 0;
        seen[y] = true;
    }
    m = fit(ctx, data, "s-dl", (const char *const[]){QUICK, "mu", "auto", NULL});
    assert_true(report_of(m, "mu")->value[0] == 0);
    model_free(m);
    dataset_free(data);
}

/* KDA: b'Zb = 1 and uncorrelated components mean that the projected class means spread along orthogonal directions; the
 * first component of two classes is the direction of KDLOR. */
static void two_classes_kda_and_kdlor_agree(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = draw(ctx, 2, 104, 0.3);
    static const char *const kinds[] = {"kernel", "identity"};
    for (int kind = 0; kind < 2; kind++) {
        double a[N], b[N];
        rung_model *kda = fit(ctx, data, "kda", (const char *const[]){"ridge-kind", kinds[kind], NULL});
        rung_model *dl = fit(ctx, data, "kdlor", (const char *const[]){QUICK, "ridge-kind", kinds[kind], NULL});
        predict(ctx, kda, data, a, NULL);
        predict(ctx, dl, data, b, NULL);
        double factor = a[0] / b[0];
        for (int i = 0; i < N; i++) assert_close(a[i], factor * b[i], 1e-7);
        model_free(kda);
        model_free(dl);
    }
    dataset_free(data);
}

/* Two islands of the graph, isolated points, one point many times with every label: an answer. */
static void odd_graphs_give_an_answer(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const names[] = {"skda", "s-dl", "es-dl", "kes-dl", "ws-dl", "llgc"};
    for (int n = 0; n < 6; n++)
        for (int odd = 0; odd < 3; odd++) {
            rung_data *data = draw(ctx, 3, 105, 0.5);
            for (int i = 0; i < N; i++)
                for (int j = 0; j < D; j++) {
                    if (odd == 0 && i % 2) data->X[i * D + j] += 1000;
                    if (odd == 1 && i > 50) data->X[i * D + j] = 1e4 * i;
                    if (odd == 2 && i % 3) data->X[i * D + j] = j;
                }
            rung_model *m = fit(ctx, data, names[n], (const char *const[]){NULL});
            double score[3 * N];
            int rank[N];
            predict(ctx, m, data, score, rank);
            for (int i = 0; i < N; i++) assert_in_range(rank[i], 1, 3);
            model_free(m);
            dataset_free(data);
        }
}

/* C scales score and thresholds together, also where its square is no number. */
static void c_never_changes_a_rank(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const C[] = {"1e-200", "1e200"};
    rung_data *data = draw(ctx, 4, 5, 0.3);
    for (int k = 0; k < FAMILY; k++) {
        double one[N], score[N];
        int want[N], rank[N];
        rung_model *m = fit(ctx, data, family[k], (const char *const[]){QUICK, "landmarks", "exact", NULL});
        predict(ctx, m, data, one, want);
        rung_model_free(m);
        for (int c = 0; c < 2; c++) {
            m = fit(ctx, data, family[k], (const char *const[]){QUICK, "landmarks", "exact", "C", C[c], NULL});
            predict(ctx, m, data, score, rank);
            for (int i = 0; i < N; i++) assert_int_equal(rank[i], want[i]);
            for (int i = 0; i < N; i++) assert_close(score[i] / atof(C[c]), one[i], 1e-12 * (1 + fabs(one[i])));
            rung_model_free(m);
        }
    }
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(means_are_ordered_in_every_fit),
        WITH_CONTEXT(without_a_graph_it_is_kdlor),
        WITH_CONTEXT(without_unlabelled_rows_ws_dl_is_kdlor),
        WITH_CONTEXT(kes_dl_is_es_dl_with_the_precisions_it_reports),
        WITH_CONTEXT(mu_auto_compares_with_no_graph),
        WITH_CONTEXT(two_classes_kda_and_kdlor_agree),
        WITH_CONTEXT(odd_graphs_give_an_answer),
        WITH_CONTEXT(c_never_changes_a_rank),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
