// SPDX-License-Identifier: BSD-3-Clause
/* The mixed model against clmm of R's package ordinal 2022.11-16 (tests/golden/mixed/clmm.R prints the numbers), its two
 * likelihoods against each other and against an integral, gradients against differences, and hard cases. clmm calls
 * cloglog what clm, and rung, call loglog, and the other way round. */
#include "helper.h"

#include "base/rng.h"
#include "method/mixed/mixed.h"
#include "model/effects.h"

typedef struct {
    const char *file, *label, *order, *nominal, *link, *nodes;
    const char *const *random;
} plan;

static rung_data *data_of(rung_ctx *ctx, const plan *p, bool known)
{
    char path[512];
    rung_table *table;
    rung_data *data;
    rung_encode_options o = {.size = sizeof o,
                             .label = p->label,
                             .order = p->order,
                             .nominal = p->nominal ? LIST(p->nominal) : NULL,
                             .random = p->random,
                             .known_groups = known};
    snprintf(path, sizeof path, RUNG_GOLDEN "/%s", p->file);
    assert_ok(ctx, rung_table_read(ctx, path, NULL, &table));
    assert_ok(ctx, rung_data_encode(ctx, table, &o, &data));
    rung_table_free(table);
    return data;
}

static rung_spec *spec_of(rung_ctx *ctx, const plan *p)
{
    rung_spec *spec;
    assert_ok(ctx, rung_spec_new(ctx, "mixed", 0, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    if (p->link) assert_ok(ctx, rung_spec_set(ctx, spec, "link", p->link));
    if (p->nodes) assert_ok(ctx, rung_spec_set(ctx, spec, "nodes", p->nodes));
    return spec;
}

static rung_model *model_of(rung_ctx *ctx, const plan *p)
{
    rung_data *data = data_of(ctx, p, false);
    rung_spec *spec = spec_of(ctx, p);
    rung_model *model;
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    rung_data_free(data);
    return model;
}

typedef struct {
    double likelihood;
    int coefficients, thresholds;
    double value[12], error[12]; /* coefficients, then thresholds; error 0: clmm has none */
    double sd[2];                /* of the intercepts of the terms */
} printed;

static void check(rung_ctx *ctx, const plan *p, const printed *expected, double tolerance)
{
    rung_model *model = model_of(ctx, p);
    rung_coefficient c = {.size = sizeof c};
    rung_random_effect e = {.size = sizeof e};
    assert_close(rung_model_log_likelihood(model), expected->likelihood, 2e-6);
    for (int i = 0; i < expected->coefficients + expected->thresholds; i++) {
        int at = i - expected->coefficients;
        int there = at < 0 ? rung_model_coefficient(model, 0, i, &c) : rung_model_threshold_coefficient(model, at, &c);
        assert_int_equal(there, 1);
        assert_close(c.value, expected->value[i], tolerance);
        if (expected->error[i] > 0) assert_close(c.error, expected->error[i], 5 * tolerance);
    }
    assert_int_equal(rung_model_coefficient(model, 0, expected->coefficients, &c), 0);
    for (int t = 0; p->random[t]; t++) {
        assert_int_equal(rung_model_random_effect(model, t, 0, &e), 1);
        assert_close(e.sd, expected->sd[t], tolerance);
    }
    rung_model_free(model);
}

/* clmm(rating ~ temp + contact + (1 | judge), wine, nAGQ = nodes), and other links */
static void test_wine(void **state)
{
    static const printed
        laplace = {-81.5654128, 2, 4, {3.063006, 1.834904, -1.623672, 1.513361, 4.228527, 6.088776}, {0}, {1.131143}},
        adaptive = {-81.5324612,
                    2,
                    4,
                    {3.061891, 1.833433, -1.623488, 1.512796, 4.227053, 6.086152},
                    {0.595077, 0.512172, 0.683386, 0.604439, 0.808980, 0.971942},
                    {1.134783}},
        fixed = {-81.5322314,
                 2,
                 4,
                 {3.062023, 1.833527, -1.623120, 1.513283, 4.227683, 6.086870},
                 {0.595138, 0.512207, 0.682903, 0.604484, 0.809444, 0.972579},
                 {1.135043}},
        probit = {-80.9306072, 2, 4, {1.800014, 1.048205, -0.926480, 0.889438, 2.467593, 3.536662}, {0}, {0.663153}},
        loglog = {-82.7292042, 2, 4, {1.972798, 1.128525, -0.496655, 1.439566, 3.189522, 4.550953}, {0}, {0.756260}},
        cloglog = {-81.5412501, 2, 4, {2.047446, 1.224682, -1.787316, 0.529586, 2.357088, 3.492299}, {0}, {0.791515}};
    plan p = {"mixed/wine.csv", "rating", NULL, NULL, NULL, NULL, LIST("judge")};
    check(*state, &p, &laplace, 3e-5);
    p.nodes = "7";
    check(*state, &p, &adaptive, 3e-5);
    p.nodes = "-10";
    check(*state, &p, &fixed, 3e-5);
    p.nodes = NULL;
    p.link = "probit";
    check(*state, &p, &probit, 3e-5);
    p.link = "loglog";
    check(*state, &p, &loglog, 3e-5);
    p.link = "cloglog";
    check(*state, &p, &cloglog, 3e-5);
}

/* ranef, condVar and anova with clm: 2 (86.492 - 81.565) = 9.853, whose tail beyond chi-squared with 1 degree of freedom
 * is 0.001696, twice what it is for a variance. */
static void test_groups(void **state)
{
    static const double mode[] = {1.696175803, -0.565797244, 0.968801062,  -0.059562062, 0.230500164,
                                  0.477029099, -1.910995663, -0.272957787, -0.554691691},
                        error[] = {0.55383997, 0.61476616, 0.59544550, 0.60430886, 0.59716754,
                                   0.59038085, 0.58615525, 0.55231043, 0.56419902};
    rung_ctx *ctx = *state;
    const plan p = {"mixed/wine.csv", "rating", NULL, NULL, NULL, NULL, LIST("judge")};
    rung_model *model = model_of(ctx, &p);
    rung_random_term t = {.size = sizeof t};
    char name[32];
    double u, se;
    for (int g = 0; g < 9; g++) {
        assert_int_equal(rung_model_random_group(model, 0, g, name, sizeof name, &u, &se), 1);
        assert_int_equal(name[0], '1' + g);
        assert_close(u, mode[g], 1e-5);
        assert_close(se, error[g], 1e-5);
    }
    assert_int_equal(rung_model_random_group(model, 0, 9, name, sizeof name, &u, &se), 0);
    assert_int_equal(rung_model_random_term(model, 0, &t), 1);
    assert_true(t.groups == 9 && t.effects == 1 && t.df == 1);
    assert_close(t.chi2, 9.853, 5e-4);
    assert_close(t.p, 0.001696 / 2, 5e-7);
    assert_int_equal(rung_model_random_term(model, 1, &t), 0);
    assert_int_equal(rung_model_random_name(model, 0, name, sizeof name), 5);
    assert_string_equal(name, "judge");
    rung_model_free(model);
}

/* clmm(rating ~ temp + contact + (1 + temp | judge), wine) */
static void test_slope(void **state)
{
    rung_ctx *ctx = *state;
    const plan p = {"mixed/wine.csv", "rating", NULL, NULL, NULL, NULL, LIST("(1 + temp | judge)")};
    rung_model *model = model_of(ctx, &p);
    rung_random_effect e = {.size = sizeof e};
    rung_coefficient c = {.size = sizeof c};
    double low, high;
    assert_close(rung_model_log_likelihood(model), -81.5463953, 1e-6);
    assert_int_equal(rung_model_coefficient(model, 0, 0, &c), 1);
    assert_close(c.value, 3.065596, 2e-4); /* the likelihood is flat along the slope's variance */
    assert_close(c.error, 0.614304, 1e-3);
    assert_int_equal(rung_model_random_effect(model, 0, 0, &e), 1);
    assert_true(e.column == -1);
    assert_close(e.sd, 1.075210, 2e-3);
    assert_int_equal(rung_model_random_effect(model, 0, 1, &e), 1);
    assert_true(e.column == 0 && e.category == 1 && e.against == 0);
    assert_close(e.sd, 0.167356, 2e-3);
    assert_close(rung_model_random_correlation(model, 0, 1, 0, &low, &high), 0.64867, 2e-2);
    rung_model_free(model);
}

/* clmm(y ~ trt + week + (1 | ID), MASS::bacteria, nAGQ = 9): two classes, a logistic model */
static void test_two_classes(void **state)
{
    static const printed expected = {
        -98.7082954, 3, 1, {-1.324567, -0.804884, -0.145533, -3.165661}, {0.657362, 0.667465, 0.051357, 0.628754},
        {1.202376}};
    const plan p = {"mixed/bacteria.csv", "y", "n<y", "trt=placebo", NULL, "9", LIST("ID")};
    check(*state, &p, &expected, 3e-5);
}

/* clmm(answer ~ x + (1 | person) + (1 | item), crossed) and with (1 | item) + (1 | item:person) */
static void test_several_terms(void **state)
{
    static const printed crossed = {-487.5451977,
                                    1,
                                    3,
                                    {0.969722, -1.199081, 0.303653, 1.532380},
                                    {0}, /* clmm takes them from differences of values, to two digits here */
                                    {1.104319, 0.332568}};
    const plan p = {"mixed/crossed.csv", "answer", NULL, NULL, NULL, NULL, LIST("person", "item")};
    check(*state, &p, &crossed, 5e-5);
}

/* ---- the likelihoods ---- */

typedef struct {
    problem p;
    coding code;
    column_code columns[4];
    random_term terms[2];
    double *X;
    int *y;
} study;

enum { ROWS = 120, GROUPS = 10, OTHERS = 4, CLASSES = 4 };

/* A feature, and two columns of groups. */
static void make_study(study *s, int terms, bool slope)
{
    rng r;
    double u[GROUPS], o[OTHERS];
    rng_open(&r, 3, 1);
    *s = (study){.X = calloc(3 * ROWS, sizeof(double)), .y = calloc(ROWS, sizeof(int))};
    assert_non_null(s->X);
    assert_non_null(s->y);
    for (int g = 0; g < GROUPS; g++) u[g] = rng_normal(&r);
    for (int g = 0; g < OTHERS; g++) o[g] = rng_normal(&r);
    for (int i = 0; i < ROWS; i++) {
        int g = (int)(GROUPS * rng_uniform(&r)), k = (int)(OTHERS * rng_uniform(&r));
        double x = rng_normal(&r), f = x + u[g] + 0.5 * o[k] + 1.5 * rng_normal(&r);
        s->X[3 * i] = x;
        s->X[3 * i + 1] = g + 1;
        s->X[3 * i + 2] = k + 1;
        s->y[i] = f < -1.5 ? 1 : f < 0 ? 2 : f < 1.5 ? 3 : 4;
    }
    for (int j = 0; j < 3; j++)
        s->columns[j] = (column_code){.name = "", .position = j, .first = j, .form = j ? FORM_LEVEL : FORM_PLAIN};
    for (int t = 0; t < terms; t++) s->terms[t] = (random_term){.n_factors = 1, .factor = {t + 1}};
    if (slope) s->terms[0].n_slopes = 1;
    s->code = (coding){.n_columns = 3, .d = 3, .columns = s->columns, .n_random = terms, .random = s->terms};
    s->p = (problem){.n = ROWS, .d = 3, .K = CLASSES, .X = s->X, .y = s->y, .code = &s->code};
}

static void free_study(study *s)
{
    free(s->X);
    free(s->y);
}

/* The gradient against central differences of the value. */
static void check_gradient(rung_ctx *ctx, const study *s, int link, int nodes)
{
    const mixed_params params = {.link = link, .nodes = nodes};
    mixed_design m;
    mixed_likelihood *l;
    double *theta = NULL, *gradient = NULL, *ignored = NULL, value, up, down;
    assert_ok(ctx, mixed_design_new(ctx, &s->p, &params, &m));
    assert_ok(ctx, mixed_likelihood_new(ctx, &m, &l));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, theta, m.size));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, gradient, m.size));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, ignored, m.size));
    mixed_start(&m, theta);
    for (int k = 0; k < m.size; k++) theta[k] += 0.1 * (k + 1) / m.size;
    assert_ok(ctx, mixed_likelihood_at(ctx, l, theta, &value, gradient));
    for (int k = 0; k < m.size; k++) {
        double at = theta[k], step = 1e-5;
        theta[k] = at + step;
        assert_ok(ctx, mixed_likelihood_at(ctx, l, theta, &up, ignored));
        theta[k] = at - step;
        assert_ok(ctx, mixed_likelihood_at(ctx, l, theta, &down, ignored));
        theta[k] = at;
        if (fabs((up - down) / (2 * step) - gradient[k]) > 2e-5)
            fail_msg("link %s, %d nodes, %d terms, %d effects: %.9g is not %.9g", link_names[link], nodes, m.n_terms,
                     m.term[0].q, (up - down) / (2 * step), gradient[k]);
    }
    pool_free_all(&ctx->scratch);
}

static void test_gradients(void **state)
{
    for (int terms = 1; terms <= 2; terms++)
        for (int slope = 0; slope < 2; slope++)
            for (int link = LINK_LOGIT; link <= LINK_CAUCHIT; link++) {
                study s;
                make_study(&s, terms, slope);
                check_gradient(*state, &s, link, 1);
                if (terms == 1 && !slope) check_gradient(*state, &s, link, 5);
                if (terms == 1 && !slope) check_gradient(*state, &s, link, -12);
                free_study(&s);
            }
}

/* Laplace's approximation by group and by the joint matrix; many nodes against the integral by the trapezoidal rule. */
static void test_likelihoods_agree(void **state)
{
    rung_ctx *ctx = *state;
    study s;
    make_study(&s, 1, false);
    mixed_params params = {.link = LINK_LOGIT, .nodes = 1};
    mixed_design m;
    mixed_likelihood *l;
    mixed_joint *joint;
    double theta[8], gradient[8], value, lambda, f[ROWS], d[3][ROWS], integral = 0;
    assert_ok(ctx, mixed_design_new(ctx, &s.p, &params, &m));
    assert_int_equal(m.size, 5);
    mixed_start(&m, theta);
    theta[0] = 0.8;
    theta[4] = 1.3;
    for (int i = 0; i < ROWS; i++) f[i] = theta[0] * m.X[i];
    mixed_slopes slopes = {.f = d[0], .high = d[1], .low = d[2], .lambda = &lambda};
    assert_ok(ctx, mixed_likelihood_new(ctx, &m, &l));
    assert_ok(ctx, mixed_likelihood_at(ctx, l, theta, &value, gradient));
    assert_ok(ctx, mixed_joint_new(ctx, &m, &joint));
    assert_ok(ctx, mixed_joint_at(ctx, joint, f, theta + 1, theta + 4, &slopes));
    assert_close(slopes.value, -value, 1e-9);
    assert_close(lambda, -gradient[4], 1e-8);
    for (int g = 0; g < GROUPS; g++) {
        double sum = 0, step = 0.02;
        for (double v = -9; v <= 9; v += step) {
            double h = -v * v / 2 - 0.5 * log(2 * acos(-1));
            for (int i = 0; i < ROWS; i++)
                if (m.term[0].group[i] == g)
                    h += link_site_of(LINK_LOGIT, f[i] + theta[4] * v, s.y[i], s.y[i], CLASSES, theta + 1).lp;
            sum += step * exp(h);
        }
        integral += log(sum);
    }
    params.nodes = 30;
    assert_ok(ctx, mixed_design_new(ctx, &s.p, &params, &m));
    assert_ok(ctx, mixed_likelihood_new(ctx, &m, &l));
    assert_ok(ctx, mixed_likelihood_at(ctx, l, theta, &value, gradient));
    assert_close(-value, integral, 1e-8);
    pool_free_all(&ctx->scratch);
    free_study(&s);
}

/* ---- predictions ---- */

/* A known judge by the mode of its effect, a new one by the mean over N(0, sd^2). */
static void test_predictions(void **state)
{
    rung_ctx *ctx = *state;
    const plan p = {"mixed/wine.csv", "rating", NULL, NULL, NULL, NULL, LIST("judge")};
    rung_model *model = model_of(ctx, &p), *again;
    rung_table *table;
    rung_data *data;
    double warm[2] = {0, 0}, proba[3][5], saved[3][5], cut[4], mode, sd, expected;
    rung_coefficient c = {.size = sizeof c};
    rung_random_effect e = {.size = sizeof e};
    char *bytes, name[8];
    int64_t size;
    assert_ok(ctx, rung_table_new(ctx, 3, &table));
    assert_ok(ctx, rung_table_add_cells(ctx, table, "temp", LIST("warm", "warm", "warm")));
    assert_ok(ctx, rung_table_add_cells(ctx, table, "contact", LIST("yes", "yes", "yes")));
    assert_ok(ctx, rung_table_add_cells(ctx, table, "judge", (const char *const[]){"7", "new", NULL}));
    assert_ok(ctx, rung_model_encode(ctx, model, table, RUNG_LABELS_IGNORED, &data));
    rung_view view = rung_data_view(data);
    rung_output out = {.size = sizeof out, .proba = proba[0]};
    assert_ok(ctx, rung_model_predict(ctx, model, &view, NULL, &out));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rung_model_coefficient(model, 0, i, &c), 1);
        warm[i] = c.value;
    }
    for (int q = 0; q < 4; q++) {
        assert_int_equal(rung_model_threshold_coefficient(model, q, &c), 1);
        cut[q] = c.value - warm[0] - warm[1];
    }
    assert_int_equal(rung_model_random_group(model, 0, 6, name, sizeof name, &mode, NULL), 1);
    assert_int_equal(rung_model_random_effect(model, 0, 0, &e), 1);
    sd = e.sd;
    double known = 0, unknown = 0, step = 0.01;
    for (int q = 0; q < 4; q++) {
        known += proba[0][q];
        unknown += proba[1][q];
        assert_close(known, 1 / (1 + exp(mode - cut[q])), 1e-12);
        expected = 0;
        for (double z = -9; z <= 9; z += step)
            expected += step * exp(-z * z / 2) / sqrt(2 * acos(-1)) / (1 + exp(sd * z - cut[q]));
        assert_close(unknown, expected, 1e-9);
        assert_true(proba[1][q] == proba[2][q]); /* a missing group is a new one */
    }
    assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, &size));
    assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
    out.proba = saved[0];
    assert_ok(ctx, rung_model_predict(ctx, again, &view, NULL, &out));
    assert_memory_equal(proba, saved, sizeof saved);
    rung_free(bytes);
    again->members->score.random->term[0].level[0] = 5; /* what prediction relies on is checked */
    assert_fails(ctx, rung_model_save_memory(ctx, again, &bytes, &size), RUNG_EINTERNAL, "not in order");
    again->members->score.random->term[0].level[0] = 0;
    assert_fails(ctx, rung_model_save_memory(ctx, again, &bytes, &size), RUNG_EINTERNAL, "has no name");
    rung_data_free(data);
    rung_table_free(table);
    rung_model_free(again);
    rung_model_free(model);
}

/* ---- hard cases ---- */

static rung_status fit_cells(rung_ctx *ctx, int n, const char *const *x, const char *const *group,
                             const char *const *label, const char *const *weight, const char *const *random,
                             rung_model **out)
{
    rung_table *table;
    rung_data *data = NULL;
    rung_spec *spec = NULL;
    rung_encode_options o = {.size = sizeof o, .label = "label", .random = random, .weights = weight ? "w" : NULL};
    *out = NULL;
    assert_ok(ctx, rung_table_new(ctx, n, &table));
    if (x) assert_ok(ctx, rung_table_add_cells(ctx, table, "x", x));
    assert_ok(ctx, rung_table_add_cells(ctx, table, "group", group));
    if (weight) assert_ok(ctx, rung_table_add_cells(ctx, table, "w", weight));
    assert_ok(ctx, rung_table_add_cells(ctx, table, "label", label));
    rung_status status = rung_data_encode(ctx, table, &o, &data);
    if (status == RUNG_OK) status = rung_spec_new(ctx, "mixed", 1, &spec);
    if (status == RUNG_OK) status = rung_model_fit(ctx, spec, data, out);
    rung_spec_free(spec);
    rung_data_free(data);
    rung_table_free(table);
    return status;
}

static void test_hard_cases(void **state)
{
    rung_ctx *ctx = *state;
    rung_model *model, *twice;
    rung_random_effect e = {.size = sizeof e};
    /* groups that are as alike as chance has it: the variance is 0, and the test says nothing */
    const char *const group[] = {"a", "a", "a", "b", "b", "b", "c", "c", "c"},
                      *label[] = {"1", "2", "3", "1", "2", "3", "1", "2", "3"};
    assert_ok(ctx, fit_cells(ctx, 9, NULL, group, label, NULL, LIST("group"), &model));
    assert_int_equal(rung_model_random_effect(model, 0, 0, &e), 1);
    assert_true(e.sd < 1e-3 && isnan(e.sd_low));
    assert_close(rung_model_log_likelihood(model), -9 * log(3), 1e-8);
    rung_model_free(model);
    /* a weight counts rows; an unlabelled row and one without a group change nothing but the latter's likelihood */
    const char *const g[] = {"a", "a", "a", "b", "b", "b", "b", "c", "c", "c"},
                      *y[] = {"1", "1", "2", "3", "3", "2", "", "1", "2", "2"},
                      *w[] = {"2", "1", "1", "1", "3", "1", "1", "1", "2", "1"},
                      *gg[] = {"a", "a", "a", "a", "b", "b", "b", "b", "b", "c", "c", "c", "c"},
                      *yy[] = {"1", "1", "1", "2", "3", "3", "3", "3", "2", "1", "2", "2", "2"};
    assert_ok(ctx, fit_cells(ctx, 10, NULL, g, y, w, LIST("group"), &model));
    assert_ok(ctx, fit_cells(ctx, 13, NULL, gg, yy, NULL, LIST("group"), &twice));
    assert_close(rung_model_log_likelihood(model), rung_model_log_likelihood(twice), 1e-9);
    rung_model_free(model);
    rung_model_free(twice);
    /* one group; groups that no column has; a slope of what is no feature */
    const char *const one[] = {"a", "a", "a", "a", "a", "a", "a", "a", "a"};
    assert_fails(ctx, fit_cells(ctx, 9, NULL, one, label, NULL, LIST("group"), &model), RUNG_EDATA, "one group");
    assert_fails(ctx, fit_cells(ctx, 9, NULL, group, label, NULL, LIST("gruop"), &model), RUNG_EARG, "gruop");
    assert_fails(ctx, fit_cells(ctx, 9, NULL, group, label, NULL, LIST("(0 + group | group)"), &model), RUNG_EARG,
                 "intercept");
    assert_fails(ctx, fit_cells(ctx, 9, NULL, group, label, NULL, LIST("(group | group)"), &model), RUNG_EARG, "slope");
}

/* The groups of a single column are held out together, unless known groups are what is predicted; another method has no
 * use for them. */
static void test_what_is_held_out(void **state)
{
    rung_ctx *ctx = *state;
    const plan p = {"mixed/wine.csv", "rating", NULL, NULL, NULL, NULL, LIST("judge")};
    const plan crossed = {"mixed/crossed.csv", "answer", NULL, NULL, NULL, NULL, LIST("person", "item")};
    rung_data *data = data_of(ctx, &p, false);
    rung_spec *spec;
    rung_model *model;
    assert_non_null(rung_data_groups(data));
    assert_ok(ctx, rung_spec_new(ctx, "pom", 0, &spec));
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &model), RUNG_EARG, "pom has no random effects");
    rung_spec_free(spec);
    rung_data_free(data);
    data = data_of(ctx, &p, true);
    assert_null(rung_data_groups(data));
    rung_data_free(data);
    data = data_of(ctx, &crossed, false);
    assert_null(rung_data_groups(data));
    rung_data_free(data);
}

/* What --verify checks holds, and does not hold for other numbers. */
static void test_verify(void **state)
{
    rung_ctx *ctx = *state;
    const plan plans[] = {{"mixed/wine.csv", "rating", NULL, NULL, NULL, NULL, LIST("(temp | judge)")},
                          {"mixed/crossed.csv", "answer", NULL, NULL, NULL, NULL, LIST("item/person")}};
    for (int i = 0; i < 2; i++) {
        rung_data *data = data_of(ctx, &plans[i], false);
        rung_spec *spec = spec_of(ctx, &plans[i]);
        rung_model *model;
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
        for (int wrong = 0; wrong < 3; wrong++) {
            rung_verification *v;
            const rung_condition *c;
            int failed = 0;
            random_effect *e = &((rung_model *)model)->members->score.random->term[0];
            if (wrong == 1) e->covariance[0] *= 1.1;
            if (wrong == 2) e->mode[0] += 0.01;
            assert_ok(ctx, rung_model_verify(ctx, spec, data, model, &v));
            for (int k = 0; (c = rung_verification_at(v, k)); k++) failed += !c->ok;
            if (wrong == 1) e->covariance[0] /= 1.1;
            assert_int_equal(failed > 0, wrong > 0);
            rung_verification_free(v);
        }
        rung_model_free(model);
        rung_spec_free(spec);
        rung_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_wine),
        WITH_CONTEXT(test_groups),
        WITH_CONTEXT(test_slope),
        WITH_CONTEXT(test_two_classes),
        WITH_CONTEXT(test_several_terms),
        WITH_CONTEXT(test_gradients),
        WITH_CONTEXT(test_likelihoods_agree),
        WITH_CONTEXT(test_predictions),
        WITH_CONTEXT(test_hard_cases),
        WITH_CONTEXT(test_what_is_held_out),
        WITH_CONTEXT(test_verify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
