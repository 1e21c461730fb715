// SPDX-License-Identifier: BSD-3-Clause
/* Coefficients, standard errors and tests of pom against the numbers that R and Python print for the same data: clm of
 * the package ordinal 2022.11-16 (R 4.2.2), its nominal_test, OrderedModel of statsmodels 0.15.0, vcovCL of sandwich
 * 3.0-2 and svyolr of survey 4.1-1. polr of MASS gives the same numbers for ERA and tae, to the digits its optimiser
 * reaches. */
#include "helper.h"

#define FOLDER RUNG_GOLDEN "/../../data/"

static rung_data *data_of(rung_ctx *ctx, const char *name, const char *nominal)
{
    char path[512];
    rung_table *table;
    rung_data *data;
    rung_encode_options o = {.size = sizeof o, .nominal = nominal ? LIST(nominal) : NULL};
    snprintf(path, sizeof path, FOLDER "%s", name);
    assert_ok(ctx, rung_table_read(ctx, path, NULL, &table));
    assert_ok(ctx, rung_data_encode(ctx, table, &o, &data));
    rung_table_free(table);
    return data;
}

static rung_model *pom_of(rung_ctx *ctx, const rung_data *data, const char *link, const char *scale)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, "pom", 0, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "link", link));
    assert_ok(ctx, rung_spec_set(ctx, spec, "ridge", "1e-10"));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, scale));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    return model;
}

typedef struct {
    double value, error;
} printed;

static void check_coefficients(const rung_model *model, int n, const printed *expected, double tolerance)
{
    rung_coefficient c = {.size = sizeof c};
    for (int i = 0; i < n; i++) {
        assert_int_equal(rung_model_coefficient(model, 0, i, &c), 1);
        assert_close(c.value, expected[i].value, tolerance);
        assert_close(c.error, expected[i].error, tolerance);
    }
    assert_int_equal(rung_model_coefficient(model, 0, n, &c), 0);
    assert_int_equal(rung_model_coefficient(model, 1, 0, &c), 0);
}

static void check_thresholds(const rung_model *model, int n, const printed *expected, double tolerance)
{
    rung_coefficient c = {.size = sizeof c};
    for (int i = 0; i < n; i++) {
        assert_int_equal(rung_model_threshold_coefficient(model, i, &c), 1);
        assert_true(c.column == -1 && c.rank == i + 1 && isnan(c.odds));
        assert_close(c.value, expected[i].value, tolerance);
        assert_close(c.error, expected[i].error, tolerance);
    }
    assert_int_equal(rung_model_threshold_coefficient(model, n, &c), 0);
}

/* clm(label ~ ., link = "logit") and "probit" on ERA; the scaling does not matter. */
static void test_era(void **state)
{
    static const printed logit[] = {{0.190273048, 0.013560674},
                                    {0.291528766, 0.017309043},
                                    {0.157223119, 0.017124351},
                                    {0.059934697, 0.012803621}},
                         cuts[] = {{1.804896672, 0.238528474}, {3.204795271, 0.239627783}, {4.351265934, 0.252726936},
                                   {5.293481071, 0.266764205}, {6.238773476, 0.282578841}, {7.238106678, 0.303939621},
                                   {8.653140403, 0.348328157}, {9.902865578, 0.416343199}},
                         probit[] = {{0.105503001, 0.0075030086},
                                     {0.157206216, 0.0093785970},
                                     {0.082799526, 0.0096175667},
                                     {0.036292786, 0.0073595588}},
                         probit_cuts[] = {{0.935097133, 0.1321006760}, {1.702621675, 0.1323260377},
                                          {2.360361768, 0.1368550481}, {2.908716544, 0.1416135843},
                                          {3.453984825, 0.1471823961}, {4.016718674, 0.1560996841},
                                          {4.797907444, 0.1782562593}, {5.471700102, 0.2137220780}};
    static const double chi2[] = {59.88584027, 16.986349, 11.207271, 18.837509, 17.886808},
                        probit_chi2[] = {10.6344434, 11.0955831, 9.4568288, 14.7735295};
    rung_ctx *ctx = *state;
    rung_data *data = data_of(ctx, "ERA/ERA.csv", NULL);
    for (int i = 0; i < 3; i++) {
        rung_model *model = pom_of(ctx, data, "logit", (const char *const[]){"standard", "minmax", "none"}[i]);
        rung_coefficient c = {.size = sizeof c};
        rung_parallel_test t = {.size = sizeof t};
        check_coefficients(model, 4, logit, 2e-8);
        check_thresholds(model, 8, cuts, 2e-8);
        assert_close(rung_model_log_likelihood(model), -1798.243387, 1e-9);
        assert_int_equal(rung_model_coefficient(model, 0, 3, &c), 1);
        assert_true(c.column == 3 && c.category == -1 && c.rank == 0);
        assert_close(c.z, 4.6810739, 1e-7);
        assert_close(c.p / 2.8537598e-06, 1, 1e-6);
        assert_close(c.odds, exp(0.059934697), 1e-8);
        assert_close(c.odds_low, exp(0.059934697 - 1.959963984540054 * 0.012803621), 1e-8);
        for (int j = 0; j < 5; j++) {
            assert_int_equal(rung_model_parallel(model, j, &t), 1);
            assert_int_equal(t.column, j - 1);
            assert_int_equal(t.df, j ? 7 : 28);
            assert_close(t.chi2, chi2[j], 1e-7);
        }
        assert_close(t.p, 0.0124913, 1e-7);
        assert_int_equal(rung_model_parallel(model, 5, &t), 0);
        rung_model_free(model);
    }
    rung_model *model = pom_of(ctx, data, "probit", "standard");
    rung_coefficient c = {.size = sizeof c};
    check_coefficients(model, 4, probit, 2e-8);
    check_thresholds(model, 8, probit_cuts, 2e-8);
    assert_close(rung_model_log_likelihood(model), -1802.030765, 1e-9);
    assert_int_equal(rung_model_coefficient(model, 0, 0, &c), 1);
    assert_true(isnan(c.odds));
    for (int j = 1; j < 5; j++) {
        rung_parallel_test t = {.size = sizeof t};
        assert_int_equal(rung_model_parallel(model, j, &t), 1);
        assert_close(t.chi2, probit_chi2[j - 1], 1e-7);
    }
    rung_model_free(model);
    rung_data_free(data);
}

/* OrderedModel(distr = "logit") of statsmodels on tae, and clm, which agree. */
static void test_tae(void **state)
{
    static const printed slopes[] = {{-1.268997940, 0.465139207},
                                     {0.012586270, 0.023456561},
                                     {0.067415474, 0.023321181},
                                     {-1.733526489, 0.514364023},
                                     {0.000360388, 0.012914816}},
                         cuts[] = {{-5.640074314, 1.387106049}, {-4.02447541148, 1.343285231}};
    /* nominal_test cannot start here; twice the differences of logLik from clm(nominal = ~ column) */
    static const double chi2[] = {18.34938596, 1.736263889, 0.0008907487, 8.708362338, 0.02383695676, 2.148247991};
    rung_ctx *ctx = *state;
    rung_data *data = data_of(ctx, "tae/tae_raw.csv", NULL);
    rung_model *model = pom_of(ctx, data, "logit", "standard");
    rung_parallel_test t = {.size = sizeof t};
    check_coefficients(model, 5, slopes, 5e-8);
    check_thresholds(model, 2, cuts, 5e-8);
    assert_close(rung_model_log_likelihood(model), -151.17150674683734, 1e-10);
    for (int j = 0; j < 6; j++) {
        assert_int_equal(rung_model_parallel(model, j, &t), 1);
        assert_close(t.chi2, chi2[j], 1e-7);
    }
    rung_model_free(model);
    rung_data_free(data);
}

static double worst_error(const rung_model *model, const double *expected)
{
    rung_coefficient c = {.size = sizeof c};
    double worst = 0;
    for (int i = 0; i < 12; i++) {
        if (i < 4)
            rung_model_coefficient(model, 0, i, &c);
        else
            rung_model_threshold_coefficient(model, i - 4, &c);
        worst = fmax(worst, fabs(c.error / expected[i] - 1));
    }
    return worst;
}

/* Rows of a group are not independent, and survey weights are no counts: vcovCL(polr(...), cluster = ), svyolr without
 * and with clusters. polr stops at about four digits of its optimum. The covariance is that of the errors. */
static void test_robust_errors(void **state)
{
    static const double clusters[] = {0.01377662168, 0.01900243742, 0.01874609604, 0.01367646268,
                                      0.25873572238, 0.26459247879, 0.28808422288, 0.30941107335,
                                      0.33299135989, 0.35924115426, 0.40047150567, 0.46427589805},
                        weighted[] = {0.01580091939, 0.02118304948, 0.02050752757, 0.01466599961,
                                      0.29615314669, 0.30322658337, 0.31649934782, 0.33939510853,
                                      0.36250556367, 0.37798614220, 0.40251766066, 0.45373093594},
                        both[] = {0.01589548277, 0.02078547755, 0.02119449581, 0.01406242220,
                                  0.31389471813, 0.30936356129, 0.32447749990, 0.35349435036,
                                  0.37326476273, 0.39445376545, 0.43618589500, 0.51066013893};
    static const double *const expected[] = {clusters, weighted, both};
    static const char *const kind[] = {"groups", "rows", "groups"};
    rung_ctx *ctx = *state;
    int group[1000];
    double weight[1000], covariance[144];
    for (int i = 0; i < 1000; i++) {
        group[i] = i % 50;
        weight[i] = 0.5 + ((i + 1) % 7) / 3.0;
    }
    for (int way = 0; way < 3; way++) {
        rung_data *read = data_of(ctx, "ERA/ERA.csv", NULL), *data;
        rung_view X = rung_data_view(read);
        assert_ok(ctx, rung_data_new(ctx, &X, rung_data_ranks(read), way ? weight : NULL, 9, &data));
        if (way != 1) assert_ok(ctx, rung_data_set_groups(ctx, data, group));
        rung_model *model = pom_of(ctx, data, "logit", "standard");
        int64_t units = 0;
        assert_string_equal(rung_model_standard_errors(model, &units), kind[way]);
        assert_int_equal(units, way == 1 ? 1000 : 50);
        assert_true(worst_error(model, expected[way]) < 2e-4);
        assert_int_equal(rung_model_covariance(model, covariance), 12);
        for (int i = 0; i < 12; i++) covariance[i] = sqrt(covariance[i * 13]);
        assert_true(worst_error(model, covariance) < 1e-12);
        assert_false(rung_model_parallel(model, 0, &(rung_parallel_test){.size = sizeof(rung_parallel_test)}));
        rung_model_free(model);
        rung_data_free(data);
        rung_data_free(read);
    }
}

/* Rare classes: Wald's test of separate regressions gives hundreds here. Forms that repeat a column are one. A column
 * that separates the classes has no finite estimate. */
static void test_rare_classes_and_separation(void **state)
{
    enum { ROWS = 240 };
    rung_ctx *ctx = *state;
    double X[3 * ROWS];
    int y[ROWS];
    for (int separated = 0; separated < 2; separated++) {
        for (int i = 0; i < ROWS; i++) {
            X[3 * i] = (i * 37) % 101;
            X[3 * i + 1] = separated ? i % 3 == 0 : 2 * X[3 * i] + 1;
            X[3 * i + 2] = (i * 53) % 17;
            y[i] = separated ? (i % 3 == 0 ? 3 : 1 + (i * 7) % 5 / 3) : i < 2 ? 1 : i < 4 ? 5 : 2 + (i * 29) % 7 / 3;
        }
        rung_view view = {.v = X, .n = ROWS, .d = 3, .row = 3, .col = 1};
        rung_data *data;
        assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, separated ? 3 : 5, &data));
        rung_model *model = pom_of(ctx, data, "logit", "standard");
        rung_parallel_test t = {.size = sizeof t};
        rung_coefficient c = {.size = sizeof c};
        assert_int_equal(rung_model_coefficient(model, 0, 1, &c), 1);
        assert_true(separated ? isinf(c.error) : isnan(c.error)); /* a multiple of the first has none */
        assert_int_equal(rung_model_parallel(model, 0, &t), 1);
        if (!separated) assert_true(t.df == 6 && t.p > 0.01);
        rung_model_free(model);
        rung_data_free(data);
    }
}

/* clm with x1 as a factor: differences from its first category, although the model codes all of them. Also after a
 * save. */
static void test_categories(void **state)
{
    static const struct {
        const char *category;
        printed is;
    } expected[] = {{"1", {1.3432643596, 0.3441118363}},  {"10", {2.5620879426, 0.3393987093}},
                    {"11", {3.5619466229, 0.5024259925}}, {"12", {3.0404330299, 0.3367289672}},
                    {"13", {2.7938737953, 0.3460906020}}, {"14", {3.7874048732, 0.3783153275}},
                    {"2", {0.9849294007, 0.3503937413}},  {"3", {1.4108700306, 0.4275259789}},
                    {"5", {1.6200614796, 0.4344980117}},  {"7", {1.7381920864, 0.3617914180}},
                    {"8", {2.0176264756, 0.3579261739}},  {"9", {2.7881096829, 0.3599798581}}};
    static const printed cut = {2.5599260850, 0.3994013663};
    rung_ctx *ctx = *state;
    rung_data *data = data_of(ctx, "ERA/ERA.csv", "x1");
    rung_model *model = pom_of(ctx, data, "logit", "standard"), *again;
    char *bytes;
    int64_t size;
    rung_coefficient c = {.size = sizeof c};
    for (int saved = 0; saved < 2; saved++) {
        for (int i = 0; i < 12; i++) {
            assert_int_equal(rung_model_coefficient(model, 0, i, &c), 1);
            assert_int_equal(c.column, 0);
            assert_string_equal(rung_model_category(model, 0, c.category), expected[i].category);
            assert_string_equal(rung_model_category(model, 0, c.against), "0");
            assert_close(c.value, expected[i].is.value, 2e-6);
            assert_close(c.error, expected[i].is.error, 2e-6);
        }
        assert_int_equal(rung_model_coefficient(model, 0, 12, &c), 1);
        assert_true(c.column == 1 && c.category == -1);
        assert_close(c.value, 0.3121649399, 2e-7);
        assert_close(c.error, 0.0199601899, 2e-7);
        assert_int_equal(rung_model_coefficient(model, 0, 15, &c), 0);
        assert_int_equal(rung_model_threshold_coefficient(model, 0, &c), 1);
        assert_close(c.value, cut.value, 2e-6);
        assert_close(c.error, cut.error, 2e-6);
        assert_close(rung_model_log_likelihood(model), -1783.609646, 1e-9);
        assert_ok(ctx, rung_model_save_memory(ctx, model, &bytes, &size));
        assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
        rung_free(bytes);
        rung_model_free(model);
        model = again;
    }
    rung_model_free(model);
    rung_data_free(data);
}

/* Every linear score: coefficients on the scale of the data reproduce its scores but for a constant, and with the
 * threshold the ranks; no standard errors. */
static void test_other_methods(void **state)
{
    static const char *const methods[] = {"kdlor", "svorim", "lda"};
    rung_ctx *ctx = *state;
    rung_data *data = data_of(ctx, "tae/tae_raw.csv", NULL);
    rung_view X = rung_data_view(data);
    double *moved =
        calloc((size_t)(X.n * X.d), sizeof *moved); /* rows that equal labelled ones take some of their label */
    for (int64_t i = 0; i < X.n * X.d; i++) moved[i] = X.v[i / X.d * X.row + i % X.d * X.col] + 1e-6;
    X = (rung_view){.v = moved, .n = X.n, .d = X.d, .row = X.d, .col = 1};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        rung_spec *spec;
        rung_model *model;
        rung_coefficient c = {.size = sizeof c};
        assert_ok(ctx, rung_spec_new(ctx, methods[m], 0, &spec));
        if (m < 2) assert_ok(ctx, rung_spec_set(ctx, spec, "kernel", "linear"));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
        int outputs = rung_model_outputs(model);
        double *score = calloc((size_t)(X.n * outputs), sizeof *score);
        int *rank = calloc((size_t)X.n, sizeof *rank);
        rung_output out = {.size = sizeof out, .score = score, .rank = rank};
        assert_ok(ctx, rung_model_predict(ctx, model, &X, NULL, &out));
        for (int64_t i = 1; i < X.n; i++) {
            double difference = 0, own = 0;
            int above = 1;
            for (int j = 0; rung_model_coefficient(model, 0, j, &c); j++) {
                own += c.value * X.v[i * X.row + j * X.col];
                difference += c.value * (X.v[i * X.row + j * X.col] - X.v[j * X.col]);
                assert_true(isnan(c.error) && isnan(c.p) && isnan(c.odds));
            }
            assert_close(score[i * outputs] - score[0], difference, 1e-9);
            for (int q = 0; rung_model_threshold_coefficient(model, q, &c); q++) above += own > c.value;
            if (m < 2) assert_int_equal(rank[i], above);
        }
        assert_true(isnan(rung_model_log_likelihood(model)));
        free(score);
        free(rank);
        rung_model_free(model);
        rung_spec_free(spec);
    }
    free(moved);
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_int_equal(rung_model_coefficient(model, 0, 0, &(rung_coefficient){.size = sizeof(rung_coefficient)}), 0);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_era),
                                       WITH_CONTEXT(test_tae),
                                       WITH_CONTEXT(test_categories),
                                       WITH_CONTEXT(test_robust_errors),
                                       WITH_CONTEXT(test_rare_classes_and_separation),
                                       WITH_CONTEXT(test_other_methods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
