// SPDX-License-Identifier: BSD-3-Clause
/* The default method: what it computes once, what it says of its families, hard cases. */
#include "helper.h"

#include <unistd.h>

#include "base/rng.h"
#include "linalg/la.h"
#include "method/mixture/mixture.h"

extern const method method_auto;

static rung_data *make_data(rung_ctx *ctx, int64_t n, int K, double labelled, double noise)
{
    rng r;
    rng_open(&r, 11, 1);
    double *x = malloc(sizeof(double) * (size_t)(n * 2));
    int *y = malloc(sizeof(int) * (size_t)n);
    rung_data *data;
    for (int64_t i = 0; i < n; i++) {
        int q = 1 + (int)(i % K);
        x[2 * i] = q + noise * rng_normal(&r);
        x[2 * i + 1] = rng_normal(&r);
        y[i] = i < 2 * K || rng_uniform(&r) < labelled ? q : 0;
    }
    rung_view X = {.v = x, .n = n, .d = 2, .row = 2, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, K, &data));
    free(x);
    free(y);
    return data;
}

static rung_model *fit_as(rung_ctx *ctx, const char *name, int published, const rung_data *data)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, name, published, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    return model;
}

static rung_model *fit(rung_ctx *ctx, const char *name, const rung_data *data) { return fit_as(ctx, name, 0, data); }

static int64_t calls(rung_ctx *ctx, const char *op)
{
    for (int i = 0; la_op_name(i); i++)
        if (strcmp(la_op_name(i), op) == 0) return ctx->ops[i].calls;
    return -1;
}

static double reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return *m->report[i].value;
    return NAN;
}

/* Closed forms alone, in two spaces: distances and the linear Gram matrix of each, six maps of the distances, seven
 * eigendecompositions, one search for neighbours, six propagations. */
static void nothing_is_computed_twice(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 88, 3, 0.72, 0.5); /* so many labels that nothing is refitted for the error */
    rung_model *m = fit_as(ctx, "auto", 1, data);
    assert_int_equal(calls(ctx, "gram"), 2 * 2);
    assert_int_equal(calls(ctx, "map"), 2 * 6);
    assert_int_equal(calls(ctx, "eigen"), 2 * 7);
    int averages = 0; /* the proof asks members that average neighbours: of the fit, of the model and of its file */
    for (int i = 0; i < m->n_members; i++) averages += m->members[i].score.kind == SCORER_NEIGHBOURS;
    assert_in_range(calls(ctx, "nearest"), 2, 2 + 4 * averages);
    assert_int_equal(calls(ctx, "potri"), 2 * 6);
    double total = reported(m, "weight_processes") + reported(m, "weight_ridges") + reported(m, "weight_unlabelled") +
                   reported(m, "weight_frequencies");
    assert_close(total, 1, 1e-12);
    assert_true(reported(m, "loo_mae") < 0.5 * reported(m, "median_mae"));
    for (int i = 0; i < m->n_members; i++) assert_true(m->members[i].weight >= 1e-3);
    rung_model_free(m);
    rung_data_free(data);
}

/* Rows, spaces and propagated labels are stored once. */
static void members_share_arrays(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 60, 3, 0.4, 0.5);
    rung_model *m = fit(ctx, "auto", data);
    int rows = 0, spaces = 0;
    for (int i = 0; i < m->n_members; i++) {
        const member *one = &m->members[i];
        rows += one->score.rows && !one->rows_from;
        spaces += one->space.d > 0 && !one->space_from;
        if (one->rows_from) assert_ptr_equal(one->score.rows, m->members[one->rows_from - 1].score.rows);
        if (one->coef_from) assert_ptr_equal(one->score.coef, m->members[one->coef_from - 1].score.coef);
    }
    assert_true(rows <= 6 && spaces <= 4 && m->n_members > 6); /* two graphs, four spaces of kernels */
    rung_model_free(m);
    rung_data_free(data);
}

/* Above 500 labels only what matters on 500 of them is fitted to all: fewer decompositions than two whole grids. */
static void many_labels_are_screened(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, 520, 3, 1, 0.4);
    rung_model *m = fit(ctx, "ogp", data);
    assert_true(calls(ctx, "map") < 2 * 12 && calls(ctx, "map") > 12);
    assert_true(m->cv.mae < 0.3);
    rung_model_free(m);
    rung_data_free(data);
}

/* The same with a graph: a spreading is kept for all labels only if it mattered on some; and a mixture need not have
 * Gaussian processes. */
static void spreadings_are_screened(void **state)
{
    enum { N = 540, LABELLED = 510 };
    rung_ctx *ctx = *state;
    static double X[2 * N];
    static int y[N];
    static int64_t origin[N];
    rng r;
    rng_open(&r, 12, 1);
    for (int i = 0; i < N; i++) {
        X[2 * i] = i % 3 + 0.3 * rng_normal(&r);
        X[2 * i + 1] = rng_normal(&r);
        y[i] = i < LABELLED ? 1 + i % 3 : 0;
        origin[i] = i;
    }
    problem p;
    mixture_choice choice;
    mixture_summary summary;
    mixture_options options = {.families = 1U << FAMILY_RIDGE | 1U << FAMILY_SPREAD, .spaces = 1, .frequencies = true};
    problem_new(&ctx->scratch, &(problem_rows){2, N, X, y, NULL, origin, 3}, &p);
    assert_ok(ctx, mixture_choose(ctx, &p, &options, &choice, &summary));
    int wanted[FAMILY_KINDS] = {0}, all[FAMILY_KINDS] = {0};
    for (int i = 0; i < choice.c.n; i++) {
        all[choice.c.list[i].kind]++;
        wanted[choice.c.list[i].kind] += choice.c.list[i].wanted;
    }
    assert_int_equal(all[FAMILY_GP], 0);
    assert_true(wanted[FAMILY_RIDGE] > 0 && wanted[FAMILY_RIDGE] < all[FAMILY_RIDGE]);
    assert_true(wanted[FAMILY_SPREAD] > 0 && wanted[FAMILY_SPREAD] < all[FAMILY_SPREAD]);
    for (int i = 0; i < choice.kept.n; i++)
        assert_true(choice.kept.parts[i].candidate < 0 || choice.c.list[choice.kept.parts[i].candidate].wanted);
    assert_true(summary.mae < 0.5 * summary.median);
}

/* Of very many unlabelled rows some are looked at, evenly spaced, beside all labelled ones, and the summary says how
 * many; so memory does not grow with their number any more. */
static void many_unlabelled_rows_are_thinned(void **state)
{
    enum { N = 120, USED = 29 };
    rung_ctx *ctx = *state;
    double X[2 * N];
    int y[N], labelled = 0;
    int64_t origin[N], gap = 0, widest = 0;
    for (int i = 0; i < N; i++) {
        X[2 * i] = i % 2 + 0.1 * sin(i);
        X[2 * i + 1] = cos(3 * i);
        y[i] = i % 12 < 2 ? 1 + i % 2 : 0;
        origin[i] = i;
        labelled += y[i] != 0;
    }
    problem p;
    mixture_choice choice;
    mixture_summary summary;
    mixture_options options = {.families = 1U << FAMILY_GP | 1U << FAMILY_SPREAD, .spaces = 1, .most_unlabelled = USED};
    problem_new(&ctx->scratch, &(problem_rows){2, N, X, y, NULL, origin, 2}, &p);
    assert_ok(ctx, mixture_choose(ctx, &p, &options, &choice, &summary));
    assert_true(summary.unlabelled == N - labelled && summary.unlabelled_used == USED);
    const problem *some = choice.c.p;
    assert_true(some->n == labelled + USED && choice.c.l == labelled);
    for (int64_t i = 0, next = 0; i < N; i++) {
        bool taken = next < some->n && some->origin[next] == i;
        assert_true(taken || !y[i]);
        gap = y[i] ? gap : taken ? 0 : gap + 1;
        widest = gap > widest ? gap : widest;
        next += taken;
    }
    assert_true(widest <= (N - labelled) / USED); /* every third or fourth of the hundred */
    options.most_unlabelled = N;
    assert_ok(ctx, mixture_choose(ctx, &p, &options, &choice, &summary));
    assert_true(summary.unlabelled_used == 0 && choice.c.p->n == N);
    problem_shape many = {.n = 200000, .labelled = 100, .d = 2, .K = 3, .threads = 1}, more = many, fewer = many;
    more.n = 1000000;
    fewer.n = 40000;
    rung_spec *closed;
    assert_ok(ctx, rung_spec_new(ctx, "auto", 1, &closed));
    assert_true(method_auto.bytes(&more, closed->params) == method_auto.bytes(&many, closed->params));
    assert_true(method_auto.bytes(&fewer, closed->params) < method_auto.bytes(&many, closed->params));
    rung_spec_free(closed);
}

static void noise_is_told(void *user, rung_log_level level, const char *text)
{
    if (level == RUNG_LOG_WARNING && strstr(text, "no model beats always predicting the median")) *(int *)user += 1;
}

static void columns_that_say_nothing(void **state)
{
    rung_ctx *ctx = *state;
    int told = 0;
    rung_data *data = make_data(ctx, 40, 2, 0.2, 1000);
    rung_ctx_set_log(ctx, noise_is_told, &told);
    rung_model *m = fit(ctx, "auto", data);
    assert_int_equal(told, reported(m, "loo_mae") >= reported(m, "median_mae"));
    rung_ctx_set_log(ctx, NULL, NULL);
    rung_model_free(m);
    rung_data_free(data);
}

/* Labels that have nothing to do with the columns. */
static rung_data *noise(rung_ctx *ctx, uint64_t seed, int64_t n)
{
    enum { D = 4, MOST = 64 };
    double x[MOST * D];
    int y[MOST];
    rung_data *data;
    rng r;
    rng_open(&r, seed, 1);
    for (int64_t i = 0; i < n; i++) {
        double u = rng_uniform(&r);
        y[i] = 1 + (u > 0.1) + (u > 0.3) + (u > 0.7) + (u > 0.9);
        for (int j = 0; j < D; j++) x[i * D + j] = rng_normal(&r);
    }
    rung_view X = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, 5, &data));
    return data;
}

/* The weights of members know the rows that they were found by. Of few rows the error is therefore that of fits to
 * folds, which is larger; of many it is the one they were found by. */
static void the_error_of_few_rows_is_not_that_of_the_weights(void **state)
{
    rung_ctx *ctx = *state;
    double found = 0, said = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        rung_data *data = noise(ctx, seed, 30);
        rung_model *m = fit_as(ctx, "auto", 1, data);
        found += m->cv.mae;
        said += reported(m, "loo_mae");
        rung_model_free(m);
        rung_data_free(data);
    }
    assert_true(found > said);
}

/* Where the error of rows left out says so, the answer is the median, and its probabilities are the class
 * frequencies. */
static void nothing_is_the_median(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 64 }; /* with 60 or fewer labels it would be fitted anew to every fold */
    int given_up = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        rung_data *data = noise(ctx, seed, N);
        rung_model *m = fit(ctx, "auto", data);
        int rank[N];
        rung_view X = rung_data_view(data);
        assert_ok(ctx, rung_model_predict(ctx, m, &X, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
        bool only = reported(m, "weight_frequencies") == 1;
        given_up += only;
        if (only) assert_true(m->n_members == 1 && reported(m, "loo_mae") <= 1.08 * reported(m, "median_mae"));
        for (int i = 1; only && i < N; i++) assert_int_equal(rank[i], rank[0]);
        rung_model_free(m);
        rung_data_free(data);
    }
    assert_true(given_up > 0 && given_up < 8);
}

/* Records, each twice: with the same grade, the copy of a labelled row has its grade, after a file too, and the
 * reported error is that of new rows; with grades of their own, nothing of the kind. */
static void copies_take_the_grade(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 124, D = 3 };
    for (int agree = 0; agree < 2; agree++) {
        double x[N * D], proba[N * 5];
        int y[N], rank[N];
        rng r;
        rung_data *data;
        rng_open(&r, 4, 1);
        for (int i = 0; i < N; i++) {
            double u = rng_uniform(&r);
            y[i] = 1 + (u > 0.1) + (u > 0.3) + (u > 0.7) + (u > 0.9);
            if (i % 2 && agree) y[i] = y[i - 1];
            for (int j = 0; j < D; j++) x[i * D + j] = i % 2 ? x[(i - 1) * D + j] : rng_normal(&r);
        }
        rung_view X = {.v = x, .n = N, .d = D, .row = D, .col = 1};
        assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, 5, &data));
        rung_model *m = fit(ctx, "auto", data), *again;
        assert_int_equal(m->copies.n, agree ? N / 2 : 0);
        rung_model_free(m);
        /* more signal than noise: several members, and a decision by their average */
        for (int i = 0; i < N; i++) x[i * D] += 0.3 * y[i];
        X.v = x;
        rung_data_free(data);
        assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, 5, &data));
        m = fit(ctx, "auto", data);
        if (agree) {
            char *bytes;
            int64_t size;
            assert_ok(ctx, rung_model_save_memory(ctx, m, &bytes, &size));
            assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
            rung_free(bytes);
            assert_int_equal(again->copies.n, N / 2);
            rung_output out = {.size = sizeof out, .rank = rank, .proba = proba};
            assert_ok(ctx, rung_model_predict(ctx, again, &X, NULL, &out));
            for (int i = 0; i < N; i++) assert_true(rank[i] == y[i] && proba[i * 5 + y[i] - 1] > 0.8);
            assert_true(m->cv.mae > 0.2);
            x[0] += 1e-6; /* no longer a copy */
            assert_ok(ctx, rung_model_predict(ctx, again, &X, NULL, &out));
            assert_true(proba[y[0] - 1] < 0.8);
            rung_model_free(again);
        }
        rung_model_free(m);
        rung_data_free(data);
    }
}

static void redundancy_is_told(void *user, rung_log_level level, const char *text)
{
    if (level == RUNG_LOG_INFO && strstr(text, "without (the columns are redundant, as in images)")) *(int *)user += 1;
}

/* Rows on a surface in fifty columns: the unlabelled ones get more say, the more so with one label per class; and what
 * is found meets its conditions. */
static void redundant_columns(void **state)
{
    rung_ctx *ctx = *state;
    int told = 0;
    rung_data *data;
    rung_spec *spec;
    rung_ctx_set_log(ctx, redundancy_is_told, &told);
    assert_ok(ctx, rung_data_generate(ctx, "manifold", 60, -1, 0.6, &data));
    assert_ok(ctx, rung_spec_new(ctx, "auto", 0, &spec));
    for (int single = 0; single < 2; single++) {
        bool seen[6] = {false};
        rung_verification *found;
        const rung_condition *c;
        rung_model *m;
        for (int64_t i = 0; i < data->n && single; i++) {
            if (seen[data->y[i]]) data->y[i] = 0;
            seen[data->y[i]] = true;
        }
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
        assert_int_equal(told, single + 1);
        assert_true(reported(m, "weight_unlabelled") > 0.3);
        assert_ok(ctx, rung_model_verify(ctx, spec, data, m, &found));
        for (int i = 0; (c = rung_verification_at(found, i)); i++)
            if (!c->ok) fail_msg("%s is %g, above %g", c->name, c->value, c->tolerance);
        rung_verification_free(found);
        rung_model_free(m);
    }
    rung_ctx_set_log(ctx, NULL, NULL);
    rung_spec_free(spec);
    rung_data_free(data);
}

/* The estimate of memory counts the scratch space, that of the workers, and the model, whose Gaussian processes keep a
 * factor each. Fewer rows, of all methods: tests/fit/t_bytes.c. */
static void memory_is_estimated(void **state)
{
    static const struct {
        const char *method;
        int published;
        int64_t n;
        double labelled, noise;
    } cases[] = {{"auto", 1, 600, 0.05, 0.5},
                 {"auto", 1, 5000, 0.001, 0.5},
                 {"ogp", 0, 700, 1, 0.5},
                 {"auto", 0, 1500, 0.1, 0.5}};
    rung_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rung_data *data = make_data(ctx, cases[i].n, 3, cases[i].labelled, cases[i].noise);
        rung_spec *spec;
        assert_ok(ctx, rung_spec_new(ctx, cases[i].method, cases[i].published, &spec));
        ctx->scratch.peak = 0;
        rung_model *m = fit_as(ctx, cases[i].method, cases[i].published, data);
        problem_shape shape = {.n = m->n_rows, .labelled = m->n_labelled, .d = 2, .K = 3, .threads = ctx->threads};
        double estimate = method_peak(spec->method, &shape, spec->params),
               measured = (double)(ctx->scratch.peak + m->mem.peak);
        if (!(measured < estimate && estimate < 3 * measured))
            fail_msg("%s, %lld rows: estimated %.0f bytes, measured %.0f", cases[i].method, (long long)cases[i].n,
                     estimate, measured);
        rung_model_free(m);
        rung_spec_free(spec);
        rung_data_free(data);
        pool_free_all(&ctx->scratch);
    }
}

/* A row of weight 3 counts as three equal rows, with and without landmarks; and class weights move the answers. */
static void weights_count_rows(void **state)
{
    enum { N = 60 };
    rung_ctx *ctx = *state;
    static double x[2 * (N + 40)], weight[N], once[N], thrice[N];
    static int y[N + 40], rank[N];
    rng r;
    rng_open(&r, 17, 3);
    for (int i = 0; i < N; i++) {
        y[i] = 1 + i % 3;
        x[2 * i] = y[i] + rng_normal(&r);
        x[2 * i + 1] = rng_normal(&r);
        weight[i] = i < 20 ? 3 : 1;
    }
    for (int i = 0; i < 40; i++) {
        memcpy(x + 2 * (N + i), x + 2 * (i % 20), 2 * sizeof *x);
        y[N + i] = y[i % 20];
    }
    for (int l = 0; l < 2; l++) {
        for (int copies = 0; copies < 2; copies++) {
            rung_view X = {.v = x, .n = copies ? N + 40 : N, .d = 2, .row = 2, .col = 1}, rows = X;
            rung_output out = {.size = sizeof out, .score = copies ? thrice : once, .rank = rank};
            rung_data *data;
            rung_spec *spec;
            rung_model *m;
            assert_ok(ctx, rung_data_new(ctx, &X, y, copies ? NULL : weight, 3, &data));
            assert_ok(ctx, rung_spec_new(ctx, "ckr", 0, &spec));
            assert_ok(ctx, rung_spec_set_scale(ctx, spec, "none"));
            assert_ok(ctx, rung_spec_set(ctx, spec, "gamma", "0.5"));
            assert_ok(ctx, rung_spec_set(ctx, spec, "ridge", "0.3"));
            assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", l && copies ? "100" : "exact"));
            assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
            rows.n = N;
            assert_ok(ctx, rung_model_predict(ctx, m, &rows, NULL, &out));
            rung_model_free(m);
            rung_spec_free(spec);
            rung_data_free(data);
        }
        assert_arrays_close(N, once, thrice, 1e-6);
    }
    /* auto: the lowest class counts ten times */
    double mean[2] = {0};
    for (int heavy = 0; heavy < 2; heavy++) {
        rung_view X = {.v = x, .n = N, .d = 2, .row = 2, .col = 1};
        rung_output out = {.size = sizeof out, .rank = rank};
        rung_data *data;
        rung_spec *spec;
        rung_model *m;
        rung_verification *found;
        const rung_condition *c;
        assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, 3, &data));
        assert_ok(ctx, rung_spec_new(ctx, "auto", 0, &spec));
        if (heavy) assert_ok(ctx, spec_set_weight(ctx, spec, "1", 10));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
        assert_ok(ctx, rung_model_predict(ctx, m, &X, NULL, &out));
        assert_ok(ctx, rung_model_verify(ctx, spec, data, m, &found));
        for (int i = 0; (c = rung_verification_at(found, i)); i++)
            if (!c->ok) fail_msg("%s is %g, above %g", c->name, c->value, c->tolerance);
        for (int i = 0; i < N; i++) mean[heavy] += rank[i] / (double)N;
        rung_verification_free(found);
        rung_model_free(m);
        rung_spec_free(spec);
        rung_data_free(data);
    }
    assert_true(mean[1] < mean[0] - 0.1);
}

enum { OBJECTS = 66, NEW_ROWS = 1500, GRADES = 3 };

typedef struct { /* what is said of new rows, and what is true of them */
    double said, error, inside;
} flattery;

/* A fit to objects (more than those for which everything is chosen anew in every fold, which would take long) that are recorded three times, and new ones. */
static void fit_to_copies(rung_ctx *ctx, const char *name, int draw, flattery *out)
{
    enum { ROWS = 3 * OBJECTS };
    static double x[2 * (ROWS + NEW_ROWS)];
    static int y[ROWS + NEW_ROWS], rank[NEW_ROWS], low[NEW_ROWS], high[NEW_ROWS];
    rng r;
    rng_open(&r, 7 + (uint64_t)draw, 2);
    for (int i = 0; i < ROWS + NEW_ROWS; i++) {
        bool copy = i >= OBJECTS && i < ROWS;
        y[i] = copy ? y[i % OBJECTS] : 1 + i % GRADES;
        x[2 * i] = copy ? x[2 * (i % OBJECTS)] : y[i] + 1.2 * rng_normal(&r);
        x[2 * i + 1] = copy ? x[2 * (i % OBJECTS) + 1] : rng_normal(&r);
    }
    rung_view X = {.v = x, .n = ROWS, .d = 2, .row = 2, .col = 1};
    rung_view test = {.v = x + 2 * ROWS, .n = NEW_ROWS, .d = 2, .row = 2, .col = 1};
    rung_predict_options options = {.size = sizeof options, .level = 0.9};
    rung_metrics honest = {.size = sizeof honest};
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, GRADES, &data));
    rung_model *model = fit(ctx, name, data);
    if (!rung_model_cv(model, &honest)) fail_msg("%s reports no error", name);
    assert_close(reported(model, "equal_rows"), 1, 0);
    assert_true(honest.mae_high - honest.mae_low > 0.2); /* that of the objects, not of three times as many rows */
    rung_output to = {.size = sizeof to, .rank = rank, .low = low, .high = high};
    if (!rung_model_interval(model)) to.low = to.high = NULL;
    assert_ok(ctx, rung_model_predict(ctx, model, &test, &options, &to));
    out->said += honest.mae;
    for (int i = 0; i < NEW_ROWS; i++) {
        int truth = y[ROWS + i];
        out->error += abs(rank[i] - truth) / (double)NEW_ROWS;
        out->inside += !to.low || (low[i] <= truth && truth <= high[i]) ? 1.0 / NEW_ROWS : 0;
    }
    rung_model_free(model);
    rung_data_free(data);
}

/* Rows written three times: the error reported is that of rows nobody has seen, and so are the ranges. From draw to
 * draw the difference has a standard deviation of .08, so that the mean of two is within .15. */
static void repeated_rows_do_not_flatter(void **state)
{
    enum { DRAWS = 2 };
    static const char *const methods[] = {"auto", "ogp", "ckr", "kdlor", "krr"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        flattery f = {0};
        for (int draw = 0; draw < DRAWS; draw++) fit_to_copies(*state, methods[m], draw, &f);
        if (fabs(f.said - f.error) > 0.15 * DRAWS || f.inside < 0.82 * DRAWS)
            fail_msg("%s reports %.3f, new rows have %.3f; %.3f are inside", methods[m], f.said / DRAWS,
                     f.error / DRAWS, f.inside / DRAWS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(nothing_is_computed_twice),    WITH_CONTEXT(members_share_arrays),
        WITH_CONTEXT(many_labels_are_screened),     WITH_CONTEXT(columns_that_say_nothing),
        WITH_CONTEXT(nothing_is_the_median),        WITH_CONTEXT(the_error_of_few_rows_is_not_that_of_the_weights),
        WITH_CONTEXT(copies_take_the_grade),        WITH_CONTEXT(many_unlabelled_rows_are_thinned),
        WITH_CONTEXT(memory_is_estimated),          WITH_CONTEXT(weights_count_rows),
        WITH_CONTEXT(repeated_rows_do_not_flatter), WITH_CONTEXT(redundant_columns),
        WITH_CONTEXT(spreadings_are_screened)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
