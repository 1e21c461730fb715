// SPDX-License-Identifier: BSD-3-Clause
/* rung_model_verify: every method of the table meets its conditions, and a model that was tampered with does not. */
#include "fit/verify.h"
#include "helper.h"

#include "base/rng.h"
#include "fit/method.h"

enum { N = 48, D = 3, K = 3 };

typedef struct {
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
    rung_verification *found; /* by the last verification */
    int count;                /* its conditions */
} job;

/* Plain; with row weights, some of them 0; real targets; no label at all; labels of one class; a kernel matrix; more
 * columns than rows; all rows labelled; rows that do not differ, the same with many columns; of two kinds; one real
 * target. */
typedef enum { PLAIN, WEIGHTED, REAL, BARE, SINGLE, MATRIX, WIDE, FULL, EQUAL, WIDE_EQUAL, TWO, LONE_REAL } data_kind;

static rung_data *make_data(rung_ctx *ctx, data_kind kind)
{
    double x[N * D], w[N], t[N], k[N * N];
    int y[N];
    rng r;
    rng_open(&r, 7, 1);
    for (int i = 0; i < N; i++) {
        int q = 1 + i % K;
        y[i] = i >= K && rng_uniform(&r) < 0.25 && kind != FULL ? 0 : q;
        for (int j = 0; j < D; j++) x[i * D + j] = 0.8 * rng_normal(&r) + (j == 0 ? q : 0);
        w[i] = i % 7 == 5 ? 0 : 0.5 + i % 3;
        t[i] = y[i] ? x[i * D] + 0.1 * x[i * D + 1] * x[i * D + 1] : NAN;
        if (kind == BARE || (kind == SINGLE && y[i] == 1)) y[i] = 0;
        if (kind == SINGLE && y[i]) y[i] = 2;
        if (kind == LONE_REAL && i != 2) t[i] = NAN;
        if (kind == EQUAL) x[i * D] = x[i * D + 1] = x[i * D + 2] = 1;
        if (kind == TWO)
            for (int j = 0; j < D; j++) x[i * D + j] = i % 5 < 2;
    }
    for (int i = 0; i < N * N; i++) {
        double d2 = 0;
        for (int j = 0; j < D; j++) d2 += pow(x[i / N * D + j] - x[i % N * D + j], 2);
        k[i] = exp(-0.3 * d2);
    }
    rung_view view = {.v = x, .n = N, .d = D, .row = D, .col = 1}, matrix = {k, N, N, N, 1};
    rung_data *data;
    bool real = kind == REAL || kind == LONE_REAL;
    if (real) assert_ok(ctx, rung_data_new_real(ctx, &view, t, NULL, &data));
    if (kind == WIDE || kind == WIDE_EQUAL) matrix.n = 20;
    if (kind == WIDE_EQUAL) matrix.row = 0;
    bool square = kind == MATRIX || kind == WIDE || kind == WIDE_EQUAL;
    if (!real) assert_ok(ctx, rung_data_new(ctx, square ? &matrix : &view, y, kind == WEIGHTED ? w : NULL, K, &data));
    return data;
}

static void start_with(rung_ctx *ctx, data_kind kind, const char *name, const char *const *settings, job *j)
{
    *j = (job){.data = make_data(ctx, kind)};
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &j->spec));
    for (; *settings; settings += 2) assert_ok(ctx, rung_spec_set(ctx, j->spec, settings[0], settings[1]));
    assert_ok(ctx, rung_model_fit(ctx, j->spec, j->data, &j->model));
}

static void start(rung_ctx *ctx, const char *name, const char *const *settings, job *j)
{
    start_with(ctx, PLAIN, name, settings, j);
}

static void finish(job *j)
{
    rung_verification_free(j->found);
    rung_model_free(j->model);
    rung_spec_free(j->spec);
    rung_data_free(j->data);
}

static int failures(rung_ctx *ctx, job *j)
{
    const rung_condition *c;
    int failed = 0;
    rung_verification_free(j->found);
    assert_ok(ctx, rung_model_verify(ctx, j->spec, j->data, j->model, &j->found));
    for (j->count = 0; (c = rung_verification_at(j->found, j->count)); j->count++) failed += !c->ok;
    assert_null(rung_verification_at(j->found, -1));
    return failed;
}

static bool met(const job *j, const char *name)
{
    for (int i = 0; i < j->count; i++) {
        const rung_condition *c = rung_verification_at(j->found, i);
        if (strcmp(c->name, name) == 0) return c->ok != 0;
    }
    fail_msg("no condition is called %s", name);
    return false;
}

static void holds(rung_ctx *ctx, job *j, const char *name, int form)
{
    if (failures(ctx, j) == 0) return;
    for (int i = 0; i < j->count; i++) {
        const rung_condition *c = rung_verification_at(j->found, i);
        if (!c->ok) fail_msg("%s, form %d: %s is %g, above %g", name, form, c->name, c->value, c->tolerance);
    }
}

/* Exchanges the coefficients of two terms, which a valid model survives; a constant moves by one. */
static void tamper(rung_model *model)
{
    for (int i = 0; i < model->n_members; i++) {
        scorer *s = &model->members[i].score;
        if (s->m < 2) {
            s->bias[0] += 1;
            continue;
        }
        if (s->kind == SCORER_TREES) {
            for (int64_t t = 0; t < s->m; t++)
                if (s->trees.column[t] >= 0)
                    continue;
                else if (s->trees.votes) /* for another class */
                    s->trees.value[t] += s->trees.value[t] > 1 ? -1 : 1;
                else
                    s->trees.value[t] *= t % 2 ? 1.01 : 0.99;
            continue;
        }
        int64_t a = 0, b = 1;
        for (int64_t t = 1; t < s->m; t++)
            if (fabs(s->coef[t] - s->coef[0]) > fabs(s->coef[b] - s->coef[0])) b = t;
        for (int o = 0; o < s->outputs; o++) {
            double kept = s->coef[a + o * s->m];
            s->coef[a + o * s->m] = s->coef[b + o * s->m];
            s->coef[b + o * s->m] = kept;
        }
    }
}

static void every_method_is_verified_and_tampering_is_seen(void **state)
{
    rung_ctx *ctx = *state;
    for (int m = 0; rung_method_at(m); m++) {
        job j;
        start(ctx, rung_method_at(m)->name, (const char *const[]){NULL}, &j);
        holds(ctx, &j, rung_method_at(m)->name, 0);
        assert_true(j.count >= 5);
        tamper(j.model);
        if (!failures(ctx, &j)) fail_msg("%s: a model with other coefficients passes", rung_method_at(m)->name);
        finish(&j);
    }
}

/* The conditions of other forms of the same problems: kernels, ridges, thresholds, several components. */
static void other_forms_are_verified(void **state)
{
    rung_ctx *ctx = *state;
    const char *const *forms[] = {
        (const char *const[]){"kdlor", "thresholds", "midpoint", "calibrate", "0", NULL},
        (const char *const[]){"kdlor", "thresholds", "weighted", "kernel", "linear", NULL},
        (const char *const[]){"kdlor", "ridge-kind", "identity", "kernel", "poly", NULL},
        (const char *const[]){"kdlor", "landmarks", "20", NULL},
        (const char *const[]){"kda", "ridge-kind", "identity", NULL},
        (const char *const[]){"kda", "ridge-kind", "identity", "kernel", "linear", NULL},
        (const char *const[]){"skda", "graph-norm", "normalised", "components", "1", NULL},
        (const char *const[]){"s-dl", "mu", "auto", NULL},
        (const char *const[]){"es-dl", "ridge-kind", "identity", "mu", "0.5", NULL},
        (const char *const[]){"krr", "centre", "no", "lambda", "auto", NULL},
        (const char *const[]){"krr", "kernel", "linear", "lambda-kind", "absolute", NULL},
        (const char *const[]){"ckr", "kernel", "linear", NULL},
        (const char *const[]){"ckr", "mu", "0.1", NULL},
        (const char *const[]){"svorim", "kernel", "linear", "C", "10", NULL},
        (const char *const[]){"svorex", "calibrate", "5", NULL},
        (const char *const[]){"svorim", "diagonal", "0.001", NULL},
        (const char *const[]){"pom", "link", "probit", NULL},
        (const char *const[]){"boost", "link", "nominal", NULL},
        (const char *const[]){"boost", "rounds", "20", "rows", "1", "columns", "1", "seeds", "1", NULL},
        (const char *const[]){"boost", "monotone", "+x1,-x2", NULL},
        (const char *const[]){"lpp", "components", "2", NULL},
        (const char *const[]){"tlpp", "shape", "1x3", NULL},
        (const char *const[]){"mlda", "shape", "3x1", NULL},
        (const char *const[]){"orml", "kernel", "linear", NULL},
        (const char *const[]){"orml", "kernel", "linear", "ridge", "0", NULL},
        (const char *const[]){"orml-m", "shape", "1x3", NULL},
        (const char *const[]){"ws-dl", "ridge-kind", "identity", "neighbours", "5", NULL},
        (const char *const[]){"ws-dl", "landmarks", "20", NULL},
        (const char *const[]){"kda", "landmarks", "20", NULL},
        (const char *const[]){"s-dl", "landmarks", "20", NULL},
        (const char *const[]){"es-dl", "landmarks", "20", NULL},
        (const char *const[]){"kes-dl", "landmarks", "20", NULL},
        (const char *const[]){"krr", "landmarks", "20", NULL},
        (const char *const[]){"ckr", "landmarks", "20", NULL},
        (const char *const[]){"ckr", "landmarks", "20", "mu", "0.1", NULL},
        (const char *const[]){"orml", "landmarks", "20", NULL},
        (const char *const[]){"svorim", "landmarks", "20", NULL},
        (const char *const[]){"kpca", "landmarks", "20", NULL},
        (const char *const[]){"kpca", "kernel", "linear", "components", "4", NULL},
        (const char *const[]){"ot", "landmarks", "20", NULL},
        (const char *const[]){"ot", "norm", "free", NULL},
        (const char *const[]){"ot", "lambda", "1e-7", "components", "4", NULL},
        (const char *const[]){"ot", "lambda", "1e-7", "landmarks", "20", "components", "4", NULL},
        (const char *const[]){"ot", "kernel", "linear", "lambda", "1e-6", "components", "4", NULL},
        (const char *const[]){"ot", "balance", "no", "lambda", "auto", NULL},
        (const char *const[]){"tld", "kernel", "linear", "lambda-star", "10", NULL},
        (const char *const[]){"sosvm", "landmarks", "20", NULL},
        (const char *const[]){"sosvm", "pairs", "consecutive", "evaluate", "labelled", NULL},
        (const char *const[]){"lapsvm", "landmarks", "20", NULL},
        (const char *const[]){"lapsvm", "bias", "free", "kernel", "linear", NULL},
        (const char *const[]){"plp", "graph", "linear", NULL},
        (const char *const[]){"llgc", "neighbours", "0", "spread", "0.5", NULL},
        (const char *const[]){"ogp", "features", "rank", NULL},
        (const char *const[]){"ogp", "features", "standard", NULL},
        (const char *const[]){"isbor", "kernel", "linear", NULL},
        (const char *const[]){"isbor", "kernel", "laplacian", NULL},
        (const char *const[]){"isbor", "gamma", "auto", NULL},
        (const char *const[]){"isbor", "width", "2", NULL},
        (const char *const[]){"sbor", "kernel", "linear", NULL},
        (const char *const[]){"gpor", "kernel", "linear", NULL},
        (const char *const[]){"gpor", "kernel", "ard", "precisions", "0.1,0.2,0.3", NULL},
        (const char *const[]){"ckr", "ridge", "0.1", NULL},
        (const char *const[]){"ckr", "gamma", "0.5", NULL},
        (const char *const[]){"ckr", "width", "2", "kernel", "laplacian", NULL},
        (const char *const[]){"ckr", "kernel", "poly", NULL},
        (const char *const[]){"llgc", "decision", "median", NULL},
        (const char *const[]){"es-dl", "ridge-kind", "identity", "mu", "0", NULL},
        (const char *const[]){"s-dl", "landmarks", "20", "mu", "0", NULL},
        (const char *const[]){"kes-dl", "mu", "0", "calibrate", "5", NULL},
        (const char *const[]){"kdlor", "kernel", "ard", "precisions", "0.1,0.2,0.3", NULL},
        (const char *const[]){"ot", "landmarks", "20", "norm", "free", NULL},
        (const char *const[]){"ot", "landmarks", "20", "balance", "no", NULL},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        job j;
        start(ctx, forms[f][0], forms[f] + 1, &j);
        holds(ctx, &j, forms[f][0], (int)f);
        tamper(j.model);
        if (!failures(ctx, &j)) fail_msg("form %d of %s: other coefficients pass", (int)f, forms[f][0]);
        finish(&j);
    }
}

static bool takes_kernel(const rung_method *m)
{
    return rung_method_param_find(m, "kernel") && strcmp(m->name, "gpor") != 0 &&
           strcmp(m->name, "kes-dl") != 0; /* they need the rows */
}

/* Weights, numbers for targets, no labels, a kernel matrix: wherever the method takes them. */
static void other_data_are_verified(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const precomputed[] = {"kernel", "precomputed", NULL}, *const plain[] = {NULL};
    int count[EQUAL + 1] = {0};
    for (int i = 0; rung_method_at(i); i++) {
        const rung_method *m = rung_method_at(i);
        const bool fits[] = {[WEIGHTED] = m->flags & RUNG_METHOD_WEIGHTS,
                             [REAL] = m->flags & RUNG_METHOD_REAL_TARGETS,
                             [BARE] = !(m->flags & RUNG_METHOD_NEEDS_LABELS),
                             [SINGLE] = !(m->flags & RUNG_METHOD_NEEDS_TWO_CLASSES),
                             [MATRIX] = takes_kernel(m),
                             [WIDE] = true,
                             [FULL] = m->flags & RUNG_METHOD_USES_UNLABELLED};
        for (int kind = WEIGHTED; kind <= FULL; kind++) {
            if (!fits[kind]) continue;
            job j;
            start_with(ctx, (data_kind)kind, m->name, kind == MATRIX ? precomputed : plain, &j);
            holds(ctx, &j, m->name, 100 + kind);
            if (kind != SINGLE) tamper(j.model);
            if (kind != SINGLE && !failures(ctx, &j)) fail_msg("%s, data %d: other coefficients pass", m->name, kind);
            finish(&j);
            count[kind]++;
        }
    }
    assert_true(count[WEIGHTED] > 10 && count[REAL] >= 3 && count[BARE] >= 2 && count[SINGLE] >= 3);
    assert_true(count[MATRIX] > 10);
}

/* Rows that are all the same, or of two kinds: there is nothing to learn, or the conditions hold. */
static void rows_that_do_not_differ(void **state)
{
    rung_ctx *ctx = *state;
    int learned = 0;
    for (int i = 0; rung_method_at(i); i++)
        for (int form = 0; form < 4; form++) { /* as they are; with many columns; linear, mid-points; of two kinds */
            job j = {.data = make_data(ctx, form == 1 ? WIDE_EQUAL : form == 3 ? TWO : EQUAL)};
            assert_ok(ctx, rung_spec_new(ctx, rung_method_at(i)->name, 0, &j.spec));
            if (form == 2 && takes_kernel(rung_method_at(i)))
                assert_ok(ctx, rung_spec_set(ctx, j.spec, "kernel", "linear"));
            if (form == 2 && spec_value(j.spec, "thresholds"))
                assert_ok(ctx, rung_spec_set(ctx, j.spec, "thresholds", "midpoint"));
            for (int k = 0; k < 2 && form == 3; k++) /* graphs connect only equal rows */
                if (rung_method_param_find(rung_method_at(i), k ? "shape" : "neighbours"))
                    assert_ok(ctx, rung_spec_set(ctx, j.spec, k ? "shape" : "neighbours", k ? "1x3" : "2"));
            rung_status status = rung_model_fit(ctx, j.spec, j.data, &j.model);
            if (status == RUNG_OK) holds(ctx, &j, rung_method_at(i)->name, 200 + form);
            if (status != RUNG_OK) assert_int_equal(status, RUNG_EDATA);
            learned += status == RUNG_OK;
            finish(&j);
        }
    assert_true(learned > 90);
}

/* A table of n rows and d columns; every fourth row has no label. */
static void start_table(rung_ctx *ctx, int n, int d, int classes, const double *x, const char *name,
                        const char *const *settings, job *j)
{
    int *y = malloc((size_t)n * sizeof *y);
    for (int i = 0; i < n; i++) y[i] = i >= classes && i % 4 == 3 ? 0 : 1 + i * 7 % classes;
    *j = (job){0};
    assert_ok(ctx,
              rung_data_new(ctx, &(rung_view){.v = x, .n = n, .d = d, .row = d, .col = 1}, y, NULL, classes, &j->data));
    free(y);
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &j->spec));
    for (; *settings; settings += 2) assert_ok(ctx, rung_spec_set(ctx, j->spec, settings[0], settings[1]));
    assert_ok(ctx, rung_model_fit(ctx, j->spec, j->data, &j->model));
}

/* Categories give processes many directions of one variance: they are kept or left together. */
static void directions_of_one_variance(void **state)
{
    rung_ctx *ctx = *state;
    double x[54 * 27] = {0};
    for (int i = 0; i < 54; i++) x[i % 27 + i * 27] = 1;
    job j;
    start_table(ctx, 54, 27, 2, x, "auto", (const char *const[]){"copies", "without", NULL}, &j);
    holds(ctx, &j, "auto", 502);
    finish(&j);
}

/* A single row of the lowest class amid the others: the matrix of the order's problem is a million times its value. */
static void steps_are_level(void **state)
{
    rung_ctx *ctx = *state;
    const double x[20] = {30.5154, 30.09,   31.958,  30.0918, -99,     29.88,   29.4744, 30.6763, 29.1685, 31.074,
                          -99,     30.1309, 28.7768, -99,     29.5055, 31.7809, 29.4731, 29.206,  30.1597, -99};
    const int y[20] = {2, 2, 3, 2, 2, 2, 2, 3, 2, 3, 2, 2, 1, 2, 2, 3, 2, 2, 2, 2};
    job j = {0};
    assert_ok(ctx, rung_data_new(ctx, &(rung_view){.v = x, .n = 20, .d = 1, .row = 1, .col = 1}, y, NULL, 3, &j.data));
    assert_ok(ctx, rung_spec_new(ctx, "orml", 0, &j.spec));
    assert_ok(ctx, rung_spec_set(ctx, j.spec, "thresholds", "weighted"));
    assert_ok(ctx, rung_spec_set(ctx, j.spec, "calibrate", "0"));
    assert_ok(ctx, rung_spec_set(ctx, j.spec, "ridge", "0.01091"));
    assert_ok(ctx, rung_model_fit(ctx, j.spec, j.data, &j.model));
    holds(ctx, &j, "orml", 501);
    finish(&j);
}

/* Of equal rows with opposite labels everything cancels: what is left of it is their rounding. */
static void labels_that_cancel(void **state)
{
    rung_ctx *ctx = *state;
    const double x[3] = {0};
    const int y[3] = {2, 1, 0};
    job j = {0};
    assert_ok(ctx, rung_data_new(ctx, &(rung_view){.v = x, .n = 3, .d = 1, .row = 1, .col = 1}, y, NULL, 2, &j.data));
    assert_ok(ctx, rung_spec_new(ctx, "tld", 0, &j.spec));
    assert_ok(ctx, rung_model_fit(ctx, j.spec, j.data, &j.model));
    holds(ctx, &j, "tld", 500);
    finish(&j);
}

/* Columns that add up to one span a dimension less: the last eigenvalue is 0 up to rounding, and so is A w. */
static void directions_without_a_value(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const names[] = {"lpp", "npe", "isoproj"};
    double x[60 * 5];
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 5; j++) x[j + i * 5] = j < 2 ? (i % 7 < 3) == (j == 0) : i * i % 11 % 3 == j - 2;
    for (int i = 0; i < 3; i++)
        for (int r = 4; r < 6; r++) {
            job j;
            start_table(ctx, 60, 5, 4, x, names[i], (const char *const[]){"components", r == 4 ? "4" : "5", NULL}, &j);
            holds(ctx, &j, names[i], 400 + r);
            finish(&j);
        }
}

/* A column has one direction: the others that kda is asked for are 0 for every row, not their rounding. */
static void directions_beyond_the_span(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const line[] = {"kernel", "poly", "degree", "1", NULL};
    double x[40];
    for (int n = 12; n < 40; n++) {
        for (int i = 0; i < n; i++) x[i] = 3 * sin(1.7 * i) + i % 4;
        job j;
        start_table(ctx, n, 1, 4, x, "kda", line, &j);
        const scorer *s = &j.model->members->score;
        assert_int_equal(s->outputs, 3);
        for (int64_t i = s->m; i < 3 * s->m; i++) assert_true(s->coef[i] == 0);
        finish(&j);
    }
}

/* The first and the last class have the same mean, and the direction between them is a rounding error. */
static void directions_between_equal_means(void **state)
{
    rung_ctx *ctx = *state;
    double x[60 * 3];
    for (int n = 13; n < 60; n += 5) {
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++) x[c + 3 * i] = c == 2 ? 0.1 * n : (i % 6 == 1 || i % 6 == 2) == (c == 0);
        job j;
        start_table(ctx, n, 3, 6, x, "orml-m", (const char *const[]){"shape", "3x1", NULL}, &j);
        holds(ctx, &j, "orml-m", n);
        finish(&j);
    }
}

/* The graph of a single column amplifies the rounding of the scores, as does a kernel with large values. */
static void graphs_amplify_rounding(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const kernels[][5] = {{"gamma", "0.1", NULL}, {"kernel", "poly", "degree", "2", NULL}};
    double x[200];
    for (int i = 0; i < 200; i++) x[i] = i + 0.3 * sin(i);
    for (int form = 0; form < 2; form++)
        for (int n = 50; n <= 200; n += 50) {
            job j;
            start_table(ctx, n, 1, 11, x, "orml", kernels[form], &j);
            holds(ctx, &j, "orml", 500 + form);
            finish(&j);
        }
}

/* A single target has no spread to take as its unit. */
static void one_real_target(void **state)
{
    rung_ctx *ctx = *state;
    for (int i = 0; rung_method_at(i); i++) {
        if (!(rung_method_at(i)->flags & RUNG_METHOD_REAL_TARGETS)) continue;
        job j = {.data = make_data(ctx, LONE_REAL)};
        assert_ok(ctx, rung_spec_new(ctx, rung_method_at(i)->name, 0, &j.spec));
        rung_status status = rung_model_fit(ctx, j.spec, j.data, &j.model);
        if (status == RUNG_OK) holds(ctx, &j, rung_method_at(i)->name, 300);
        if (status != RUNG_OK) assert_int_equal(status, RUNG_EDATA);
        finish(&j);
    }
}

/* A model that does not tell what its solution consists of is refused or fails, whatever the method. */
static void what_is_not_told_is_missed(void **state)
{
    rung_ctx *ctx = *state;
    int refused = 0;
    for (int i = 0; rung_method_at(i); i++) {
        job j;
        start(ctx, rung_method_at(i)->name, (const char *const[]){NULL}, &j);
        int told = j.model->n_report;
        j.model->n_report = 0;
        rung_status status = rung_model_verify(ctx, j.spec, j.data, j.model, &j.found);
        if (status != RUNG_OK) assert_fails(ctx, status, RUNG_EARG, "verify: the model does not report ");
        refused += status != RUNG_OK;
        j.model->n_report = told;
        finish(&j);
    }
    assert_true(refused >= 10);
    job j;
    start(ctx, "kdlor", (const char *const[]){NULL}, &j);
    for (int i = 0; i < j.model->n_report; i++)
        if (strcmp(j.model->report[i].name, "means") == 0) j.model->report[i].name = "median";
    failures(ctx, &j);
    assert_false(met(&j, "means"));
    finish(&j);
    start(ctx, "ot", (const char *const[]){"components", "3", NULL}, &j);
    for (int i = 0; i < j.model->n_report; i++)
        if (strcmp(j.model->report[i].name, "left_by_ridge") == 0) j.model->report[i].name = "left";
    failures(ctx, &j);
    assert_false(met(&j, "component pairs"));
    finish(&j);
    start(ctx, "orml", (const char *const[]){"kernel", "linear", NULL}, &j);
    j.model->n_report = 0;
    assert_fails(ctx, rung_model_verify(ctx, j.spec, j.data, j.model, &j.found), RUNG_EARG,
                 "verify: the model does not report its multipliers");
    finish(&j);
}

/* Directions that are solutions, but not the leading ones. */
static void a_better_direction_is_seen(void **state)
{
    rung_ctx *ctx = *state;
    const char *const *forms[] = {
        (const char *const[]){"kpca", "components", "3", NULL},
        (const char *const[]){"kpca", "components", "3", "kernel", "linear", NULL},
        (const char *const[]){"lpp", "components", "2", NULL},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        job j;
        start_with(ctx, BARE, forms[f][0], forms[f] + 1, &j);
        holds(ctx, &j, forms[f][0], 300 + (int)f);
        scorer *s = &j.model->members->score, whole = *s;
        s->coef += s->m; /* without the first one */
        s->bias++;
        s->outputs--;
        for (int i = 0; i < j.model->n_report; i++)
            if (j.model->report[i].n == whole.outputs) j.model->report[i].n--, j.model->report[i].value++;
        failures(ctx, &j);
        assert_true(met(&j, "eigenpairs"));
        if (met(&j, "leading")) fail_msg("form %d: a better direction is not seen", (int)f);
        finish(&j);
    }
}

/* A graph whose weights are all 0, a machine without pairs, answers in words of their own; a diagonal with weights. */
static void edges_of_the_forms(void **state)
{
    rung_ctx *ctx = *state;
    const struct {
        data_kind kind;
        const char *const *form;
    } forms[] = {
        {PLAIN, (const char *const[]){"llgc", "spread-width", "1e-3", NULL}},
        {PLAIN, (const char *const[]){"llgc", "spread-width", "1e-3", "neighbours", "0", NULL}},
        {PLAIN, (const char *const[]){"plp", "graph-width", "1e-3", NULL}},
        {PLAIN, (const char *const[]){"sosvm", "graph-width", "1e-3", NULL}},
        {PLAIN, (const char *const[]){"sosvm", "lambda2", "0", NULL}},
        {PLAIN, (const char *const[]){"kpca", "kernel", "linear", "calibrate", "5", NULL}},
        {PLAIN, (const char *const[]){"isbor", "max-iterations", "2", NULL}},
        {PLAIN, (const char *const[]){"isbor", "tolerance", "1e-3", NULL}},
        {PLAIN, (const char *const[]){"isbor", "kernel", "linear", "gamma", "auto", NULL}},
        {PLAIN, (const char *const[]){"gpor", "width", "2", NULL}},
        {PLAIN, (const char *const[]){"gpor", "inference", "ep", "gamma", "0.5", NULL}},
        {PLAIN, (const char *const[]){"ckr", "kernel", "linear", "landmarks", "20", NULL}},
        {PLAIN, (const char *const[]){"lapsvm", "bias", "free", "landmarks", "20", NULL}},
        {EQUAL, (const char *const[]){"orml", "kernel", "poly", "coef0", "0", NULL}},
        {WIDE, (const char *const[]){"orml", "kernel", "linear", NULL}},
        {WIDE, (const char *const[]){"orml-m", "shape", "6x8", NULL}},
        {PLAIN, (const char *const[]){"ot", "norm", "labelled", "balance", "no", NULL}},
        {WEIGHTED, (const char *const[]){"svorim", "diagonal", "0.01", NULL}},
        {WEIGHTED, (const char *const[]){"svorex", "diagonal", "0.01", "landmarks", "20", NULL}},
        {REAL, (const char *const[]){"ot", "norm", "labelled", NULL}},
        {REAL, (const char *const[]){"krr", "landmarks", "20", NULL}},
        {BARE, (const char *const[]){"ot", "components", "3", NULL}},
        {BARE, (const char *const[]){"ot", "landmarks", "20", "components", "3", NULL}},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        job j;
        start_with(ctx, forms[f].kind, forms[f].form[0], forms[f].form + 1, &j);
        holds(ctx, &j, forms[f].form[0], 400 + (int)f);
        finish(&j);
    }
}

/* A solution that is nearly right is not right: one part in a hundred thousand is seen. */
static void a_small_error_of_the_solution_is_seen(void **state)
{
    rung_ctx *ctx = *state;
    const char *const names[] = {"kdlor",  "krr", "ckr", "kda",  "ws-dl", "orml",
                                 "orml-m", "ot",  "tld", "kpca", "ogp",   "auto"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        job j;
        start(ctx, names[m], (const char *const[]){NULL}, &j);
        scorer *s = &j.model->members->score;
        s->coef[s->m / 2] *= 1 + 1e-5;
        assert_true(failures(ctx, &j) > 0);
        finish(&j);
    }
}

/* Memberships of a row that still sum to 1, but are not those of the graph. */
static void a_small_error_of_memberships_is_seen(void **state)
{
    rung_ctx *ctx = *state;
    const char *const names[] = {"plp", "llgc"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        job j;
        start(ctx, names[m], (const char *const[]){NULL}, &j);
        scorer *s = &j.model->members->score;
        int64_t row = 0;
        while (j.model->training.label[row]) row++;
        s->coef[row] += s->coef[row] > 0.5 ? -1e-5 : 1e-5;
        s->coef[row + s->m] = 1 - s->coef[row] - s->coef[row + 2 * s->m];
        assert_true(failures(ctx, &j) > 0);
        finish(&j);
    }
}

static void parts_of_a_model_are_looked_at(void **state)
{
    rung_ctx *ctx = *state;
    job j;
    start(ctx, "svorim", (const char *const[]){NULL}, &j);
    assert_int_equal(failures(ctx, &j), 0);
    decision *d = &j.model->members->decide;
    d->thresholds[0] += 0.3 * (d->thresholds[1] - d->thresholds[0]);
    failures(ctx, &j);
    assert_false(met(&j, "duality gap"));
    assert_true(met(&j, "multipliers") && met(&j, "order") && met(&j, "saved"));
    finish(&j);

    start(ctx, "kdlor", (const char *const[]){NULL}, &j);
    j.model->members->scale.shift[1] += 1e-9;
    failures(ctx, &j);
    assert_false(met(&j, "scaling"));
    j.model->report[0].value[0] += 1e-3;
    failures(ctx, &j);
    assert_false(met(&j, "means"));
    finish(&j);

    start(ctx, "auto", (const char *const[]){NULL}, &j);
    for (int i = 0; i < j.model->n_report; i++)
        if (strcmp(j.model->report[i].name, "loo_mae") == 0) j.model->report[i].value[0] += 1e-3;
    failures(ctx, &j);
    assert_true(met(&j, "held out") && met(&j, "weights") && !met(&j, "held-out error"));
    j.model->members[0].weight *= 1.1;
    failures(ctx, &j);
    assert_false(met(&j, "held out"));
    finish(&j);

    static const char *const transductive[] = {"ot", "tld"}; /* their answers for labelled rows */
    for (int m = 0; m < 2; m++) {
        start(ctx, transductive[m], (const char *const[]){NULL}, &j);
        j.model->training.output[0] += 1e-3;
        failures(ctx, &j);
        assert_false(met(&j, "labels"));
        finish(&j);
    }

    start(ctx, "kdlor", (const char *const[]){NULL}, &j);
    j.model->report[0].value[1] = INFINITY;
    failures(ctx, &j);
    assert_false(met(&j, "report"));
    finish(&j);

    start(ctx, "auto", (const char *const[]){NULL}, &j);
    j.model->n_members--;
    failures(ctx, &j);
    assert_false(met(&j, "members"));
    finish(&j);

    start(ctx, "kpca", (const char *const[]){"kernel", "linear", "components", "4", NULL}, &j);
    scorer *s = &j.model->members->score; /* three columns: the fourth component is 0 */
    assert_int_equal(s->outputs, 4);
    s->coef[3 * s->m] = 1e-3;
    failures(ctx, &j);
    assert_false(met(&j, "rank"));
    assert_true(met(&j, "eigenpairs"));
    for (int64_t i = 0; i < s->m; i++) s->coef[i] = 0;
    failures(ctx, &j);
    assert_false(met(&j, "eigenpairs"));
    finish(&j);

    start(ctx, "median", (const char *const[]){NULL}, &j);
    j.model->members->prior[0] += 1e-3;
    j.model->members->prior[1] -= 1e-3;
    failures(ctx, &j);
    assert_false(met(&j, "shares"));
    assert_true(met(&j, "median") && met(&j, "sums"));
    finish(&j);
}

static void what_does_not_belong_together_is_refused(void **state)
{
    rung_ctx *ctx = *state;
    job j;
    rung_spec *other;
    rung_data *part;
    start(ctx, "kdlor", (const char *const[]){NULL}, &j);
    assert_ok(ctx, rung_spec_new(ctx, "krr", 0, &other));
    assert_fails(ctx, rung_model_verify(ctx, other, j.data, j.model, &j.found), RUNG_EARG,
                 "a kdlor model, not a krr model");
    assert_null(j.found);
    assert_ok(ctx, rung_data_subset(ctx, j.data, 4, (const int64_t[]){0, 1, 2, 3}, NULL, &part));
    assert_fails(ctx, rung_model_verify(ctx, j.spec, part, j.model, &j.found), RUNG_EARG,
                 "48 rows of 3 columns, not to 4");
    rung_data_free(part);
    part = make_data(ctx, MATRIX);
    assert_fails(ctx, rung_model_verify(ctx, j.spec, part, j.model, &j.found), RUNG_EARG,
                 "verify: the model was fitted to 48 rows of 3 columns, not to 48 of 48");
    assert_fails(ctx, rung_model_verify(ctx, j.spec, NULL, j.model, &j.found), RUNG_EARG, "rung_model_verify");
    rung_data_free(part);
    rung_spec_free(other);
    finish(&j);
}

typedef struct {
    rung_ctx *ctx;
    job *j;
} call;

static rung_status verify_once(void *argument)
{
    call *c = argument;
    return rung_model_verify(c->ctx, c->j->spec, c->j->data, c->j->model, &c->j->found);
}

/* A method need not have conditions of its own: those of all methods are tested. */
static void a_method_without_the_hook(void **state)
{
    rung_ctx *ctx = *state;
    job j;
    start(ctx, "lda", (const char *const[]){NULL}, &j);
    method bare = *j.spec->method;
    const method *whole = j.spec->method;
    rung_verification *found;
    bare.verify = NULL;
    j.spec->method = &bare;
    assert_ok(ctx, method_verify(ctx, j.spec, j.data, j.model, &found));
    assert_non_null(rung_verification_at(found, 3));
    rung_verification_free(found);
    j.spec->method = whole;
    finish(&j);
}

static void memory_may_run_out(void **state)
{
    rung_ctx *ctx = *state;
    const char *const names[] = {"s-dl", "svorim", "lpp", "pom", "ws-dl", "ot", "lapsvm", "auto"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        job j;
        start(ctx, names[m], (const char *const[]){NULL}, &j);
        assert_true(fail_each_allocation(verify_once, &(call){ctx, &j}) > 20);
        finish(&j);
    }
}

/* A label per class and no direction that puts them in order: thresholds are in order all the same, and right. */
static void classes_out_of_order(void **state)
{
    rung_ctx *ctx = *state;
    const double x[] = {-0.104597, -1.40911, -0.0300694, 0.454236,   -0.529403,   -0.0995356, 0.749225,
                        -0.878091, 0.64002,  1.86259,    -0.554564,  0.146518,    -0.150453,  1.54022,
                        0.316377,  0.89773,  -0.690079,  -0.0161394, -0.00984517, -1.77593};
    const int y[10] = {1, 2, 3, 4};
    rung_view view = {.v = x, .n = 10, .d = 2, .row = 2, .col = 1};
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
    rung_verification *found;
    const rung_condition *one;
    int thresholds = 0;
    assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, 4, &data));
    assert_ok(ctx, rung_spec_new(ctx, "orml", 1, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_ok(ctx, rung_model_verify(ctx, spec, data, model, &found));
    for (int i = 0; (one = rung_verification_at(found, i)); i++) {
        if (!one->ok) fail_msg("%s: %g, at most %g", one->name, one->value, one->tolerance);
        thresholds += !strcmp(one->name, "thresholds");
    }
    assert_int_equal(thresholds, 1);
    rung_verification_free(found);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(every_method_is_verified_and_tampering_is_seen),
        WITH_CONTEXT(other_forms_are_verified),
        WITH_CONTEXT(classes_out_of_order),
        WITH_CONTEXT(other_data_are_verified),
        WITH_CONTEXT(rows_that_do_not_differ),
        WITH_CONTEXT(labels_that_cancel),
        WITH_CONTEXT(steps_are_level),
        WITH_CONTEXT(directions_of_one_variance),
        WITH_CONTEXT(directions_without_a_value),
        WITH_CONTEXT(directions_between_equal_means),
        WITH_CONTEXT(directions_beyond_the_span),
        WITH_CONTEXT(graphs_amplify_rounding),
        WITH_CONTEXT(one_real_target),
        WITH_CONTEXT(what_is_not_told_is_missed),
        WITH_CONTEXT(a_better_direction_is_seen),
        WITH_CONTEXT(edges_of_the_forms),
        WITH_CONTEXT(a_small_error_of_the_solution_is_seen),
        WITH_CONTEXT(a_small_error_of_memberships_is_seen),
        WITH_CONTEXT(parts_of_a_model_are_looked_at),
        WITH_CONTEXT(what_does_not_belong_together_is_refused),
        WITH_CONTEXT(a_method_without_the_hook),
        WITH_CONTEXT(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
