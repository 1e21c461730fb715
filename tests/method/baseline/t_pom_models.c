// SPDX-License-Identifier: BSD-3-Clause
/* Links, offsets, coefficients by threshold, spreads, likelihood-ratio tests and profiles of pom against clm of the
 * package ordinal 2022.11-16 (R 4.2.2) on its wine data; penalty=firth against the maximum of the penalised likelihood
 * by optim, and against brglm2 0.9 for two classes. R's code stands at each test. */
#include "helper.h"

#include "rung/experimental.h"

enum { WINE = 72, MOST_COLUMNS = 3, MOST_NUMBERS = 16 };

/* data(wine): temp is warm in the second half of each judge's eight rows, contact is yes in rows 3, 4, 7 and 8. */
static const int rating[WINE] = {2, 3, 3, 4, 4, 4, 5, 5, 1, 2, 1, 3, 2, 3, 5, 4, 2, 3, 3, 2, 5, 5, 4, 4,
                                 3, 2, 3, 2, 3, 2, 5, 3, 2, 3, 4, 3, 3, 3, 3, 3, 3, 2, 3, 2, 2, 4, 5, 4,
                                 1, 1, 2, 2, 2, 3, 2, 3, 2, 2, 2, 3, 3, 3, 3, 4, 1, 2, 3, 2, 3, 2, 4, 4},
                 response[WINE] = {36, 48, 47, 67, 77, 60, 83, 90, 17, 22, 14, 50, 30, 51, 90, 70, 36, 50,
                                   42, 23, 80, 81, 73, 62, 46, 27, 48, 32, 57, 37, 84, 58, 26, 45, 61, 41,
                                   48, 41, 58, 55, 46, 30, 54, 37, 32, 60, 88, 73, 13, 19, 31, 29, 22, 43,
                                   32, 49, 25, 32, 39, 40, 51, 45, 42, 67, 12, 29, 47, 28, 47, 38, 72, 65};

typedef struct {
    const char *name, *value;
} setting;
enum { MOST_SETTINGS = 4 };

static rung_model *fit_of(rung_ctx *ctx, const rung_data *data, const setting *settings)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, "pom", 1, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "ridge", "1e-12"));
    for (int i = 0; i < MOST_SETTINGS && settings[i].name; i++)
        assert_ok(ctx, rung_spec_set(ctx, spec, settings[i].name, settings[i].value));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    return model;
}

static rung_data *wine(rung_ctx *ctx)
{
    static const char *const names[] = {"temp", "contact", "offset", NULL};
    double X[WINE * MOST_COLUMNS];
    rung_data *data;
    for (int i = 0; i < WINE; i++) {
        X[3 * i] = i % 8 >= 4;
        X[3 * i + 1] = i / 2 % 2;
        X[3 * i + 2] = response[i] / 50.0;
    }
    assert_ok(ctx,
              rung_data_new(ctx, &(rung_view){.v = X, .n = WINE, .d = 3, .row = 3, .col = 1}, rating, NULL, 5, &data));
    assert_ok(ctx, rung_data_set_names(ctx, data, names, NULL, NULL));
    return data;
}

/* The same without the column of the offset. */
static rung_data *plain_wine(rung_ctx *ctx)
{
    static const char *const names[] = {"temp", "contact", NULL};
    double X[WINE * 2];
    rung_data *data;
    for (int i = 0; i < WINE; i++) {
        X[2 * i] = i % 8 >= 4;
        X[2 * i + 1] = i / 2 % 2;
    }
    assert_ok(ctx,
              rung_data_new(ctx, &(rung_view){.v = X, .n = WINE, .d = 2, .row = 2, .col = 1}, rating, NULL, 5, &data));
    assert_ok(ctx, rung_data_set_names(ctx, data, names, NULL, NULL));
    return data;
}

typedef struct {
    double value, error;
} printed;

static void check_slope(const rung_model *m, int output, int index, printed expected, double tolerance)
{
    rung_coefficient c = {.size = sizeof c};
    assert_int_equal(rung_model_coefficient(m, output, index, &c), 1);
    assert_close(c.value, expected.value, tolerance);
    assert_close(c.error, expected.error, tolerance);
}

static void check_cuts(const rung_model *m, int n, const printed *expected, double tolerance)
{
    rung_coefficient c = {.size = sizeof c};
    for (int q = 0; q < n; q++) {
        assert_int_equal(rung_model_threshold_coefficient(m, q, &c), 1);
        assert_close(c.value, expected[q].value, tolerance);
        assert_close(c.error, expected[q].error, tolerance);
    }
    assert_int_equal(rung_model_threshold_coefficient(m, n, &c), 0);
}

static void check_fit(const rung_model *m, double log_likelihood, int parameters, double aic, double bic)
{
    rung_likelihood l = {.size = sizeof l};
    assert_int_equal(rung_model_likelihood(m, &l), 1);
    assert_close(l.log_likelihood, log_likelihood, 1e-9);
    assert_int_equal(l.parameters, parameters);
    assert_close(l.aic, aic, 1e-9);
    assert_close(l.bic, bic, 1e-9);
    assert_true(l.rows == WINE);
}

static void check_probabilities(rung_ctx *ctx, const rung_model *m, const rung_data *data, const int *rows,
                                const double *expected)
{
    double p[WINE * 5];
    int rank[WINE];
    rung_view X = rung_data_view(data);
    rung_output out = {.size = sizeof out, .rank = rank, .proba = p};
    assert_ok(ctx, rung_model_predict(ctx, m, &X, NULL, &out));
    for (int i = 0; i < 2; i++) assert_arrays_close(5, p + 5 * rows[i], expected + 5 * i, 1e-7);
}

/* f <- clm(rating ~ temp + contact, data = wine, link = ); coef(f), vcov(f), logLik(f), AIC(f), BIC(f), drop1(f, test =
 * "Chi"), confint(f), which interpolates the profile. Of cauchit clm's log likelihood is not that of its coefficients:
 * sum(log(pcauchy(b[y] - eta) - pcauchy(b[y - 1] - eta))), maximised by optim (BFGS, reltol 1e-15), is here. */
static void test_links(void **state)
{
    static const struct {
        const char *link;
        printed slope[2], cut[4];
        double log_likelihood, aic, bic, dropped[2], low[2], high[2], tolerance;
    } expected[] = {{"logit",
                     {{2.50310200790, 0.528680100825}, {1.52779765810, 0.476622629648}},
                     {{-1.34438341126, 0.517102045324},
                      {1.25080879842, 0.437880202962},
                      {3.46688692647, 0.597760424608},
                      {5.00640420427, 0.730906343667}},
                     -86.4919233656,
                     184.9838467313,
                     198.6438434454,
                     {26.92797513, 11.04300431},
                     {1.509762740625, 0.615792484946},
                     {3.59522516385, 2.49240378771},
                     1e-8},
                    {"probit",
                     {{1.499374578399, 0.291790391090}, {0.867743538883, 0.266907009282}},
                     {{-0.773262728758, 0.282862357059},
                      {0.736021489839, 0.249938818301},
                      {2.044680463850, 0.321821013937},
                      {2.941344982257, 0.387259280360}},
                     -85.7611483648,
                     183.5222967296,
                     197.1822934436,
                     {28.52886857, 10.81743491},
                     {0.936630445318, 0.348388886411},
                     {2.08223023903, 1.39526808339},
                     1e-8},
                    {"cloglog",
                     {{1.605760090851, 0.324566268170}, {0.859713656479, 0.282731914790}},
                     {{-1.740082367270, 0.462849698740},
                      {0.296329097497, 0.248113479071},
                      {1.728855343006, 0.310523096280},
                      {2.596797048758, 0.379395735529}},
                     -86.6340792088,
                     185.2681584176,
                     198.9281551317,
                     {28.136158481, 9.536288714},
                     {0.992361293519, 0.312501997718},
                     {2.27253052913, 1.42569212178},
                     1e-8},
                    {"loglog",
                     {{1.533018181711, 0.326662877353}, {0.905644427623, 0.281443656923}},
                     {{-0.302441463129, 0.258473014967},
                      {1.178604775133, 0.316961655025},
                      {2.606232887478, 0.407657672297},
                      {3.814822872999, 0.519692647801}},
                     -87.717855143,
                     187.435710286,
                     201.095707000,
                     {25.59101671, 10.60353588},
                     {0.917819307702, 0.359442094813},
                     {2.20726106507, 1.46691338855},
                     1e-8},
                    {"cauchit",
                     {{1.962895, 0.643958684561}, {1.218279, 0.529671602209}},
                     {{-2.511148, 1.621616826539},
                      {0.880218, 0.530597864918},
                      {2.865742, 0.777636998767},
                      {4.541172, 1.054514028736}},
                     -92.5155540305,
                     197.031108061,
                     210.691104775,
                     {17.0514, 7.9615},
                     {0.908605795391, 0.336586474309},
                     {3.60495733933, 2.59417878705},
                     5e-4}};
    rung_ctx *ctx = *state;
    rung_data *data = plain_wine(ctx);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        rung_model *m = fit_of(ctx, data, (setting[MOST_SETTINGS]){{"link", expected[k].link}});
        check_cuts(m, 4, expected[k].cut, expected[k].tolerance);
        check_fit(m, expected[k].log_likelihood, 6, expected[k].aic, expected[k].bic);
        for (int j = 0; j < 2; j++) {
            rung_parallel_test t = {.size = sizeof t};
            double low, high;
            check_slope(m, 0, j, expected[k].slope[j], expected[k].tolerance);
            assert_int_equal(rung_model_column_test(m, j, &t), 1);
            assert_true(t.column == j && t.df == 1);
            assert_close(t.chi2, expected[k].dropped[j], fmax(expected[k].tolerance, 1e-7));
            assert_int_equal(rung_model_coefficient_range(m, 0, j, &low, &high), 1);
            assert_close(low, expected[k].low[j], 2e-4);
            assert_close(high, expected[k].high[j], 2e-4);
        }
        rung_model_free(m);
    }
    rung_data_free(data);
}

/* clm(rating ~ temp + contact + offset(response / 50), data = wine) */
static void test_offset(void **state)
{
    static const printed cut[] = {{-0.81571163583, 0.515859928845},
                                  {1.87620729240, 0.432333587728},
                                  {4.22379672674, 0.600049612671},
                                  {5.88515297147, 0.740177028038}};
    rung_ctx *ctx = *state;
    rung_data *data = wine(ctx);
    rung_coefficient c = {.size = sizeof c};
    rung_parallel_test t = {.size = sizeof t};
    rung_model *m = fit_of(ctx, data, (setting[MOST_SETTINGS]){{"offset", "offset"}});
    check_cuts(m, 4, cut, 1e-8);
    check_slope(m, 0, 0, (printed){2.19344996411, 0.524363777833}, 1e-8);
    check_slope(m, 0, 1, (printed){1.32305607986, 0.470243504524}, 1e-8);
    check_fit(m, -76.3769801138, 6, 164.7539602276, 178.4139569417);
    assert_int_equal(rung_model_coefficient(m, 0, 2, &c), 1);
    assert_close(c.value, 1, 1e-12);
    assert_true(isnan(c.error));
    assert_int_equal(rung_model_column_test(m, 2, &t), 1);
    assert_true(t.df == 0 && isnan(t.chi2));
    rung_model_free(m);
    rung_spec *spec;
    assert_ok(ctx, rung_spec_new(ctx, "pom", 1, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "offset", "nothing"));
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &m), RUNG_EARG, "offset: no column 'nothing'");
    rung_spec_free(spec);
    rung_data_free(data);
}

/* clm(rating ~ temp, nominal = ~ contact, data = wine), whose effects have the other sign there */
static void test_by_threshold(void **state)
{
    static const printed cut[] = {{-1.32304335703, 0.562276151730},
                                  {1.24644354540, 0.474823978375},
                                  {3.55004360984, 0.656023393222},
                                  {4.66024706747, 0.860402680212}},
                         contact[] = {{1.61505921182, 1.161800534849},
                                      {1.51156733085, 0.590641374697},
                                      {1.67475569699, 0.648837306741},
                                      {1.05062292776, 0.896510889389}};
    static const double proba[] = {0.21031240379194, 0.5663712109716,  0.195394995126,  0.0185459961644,
                                   0.00937539394639, 0.00424758804052, 0.0539381087998, 0.286212093517,
                                   0.4040930139815,  0.25150919566137};
    rung_ctx *ctx = *state;
    rung_data *data = plain_wine(ctx);
    rung_model *m = fit_of(ctx, data, (setting[MOST_SETTINGS]){{"by-threshold", "contact"}}), *again;
    char *bytes;
    int64_t size;
    for (int saved = 0; saved < 2; saved++) {
        check_cuts(m, 4, cut, 2e-7);
        for (int q = 0; q < 4; q++) {
            rung_coefficient c = {.size = sizeof c};
            check_slope(m, q, 0, (printed){2.51904477351, 0.535046978688}, 2e-7);
            check_slope(m, q, 1, contact[q], 2e-7);
            rung_model_coefficient(m, q, 1, &c);
            assert_true(c.rank == q + 1 && c.column == 1);
        }
        check_fit(m, -86.2085532315, 9, 190.4171064629, 210.9071015341);
        check_probabilities(ctx, m, data, (int[]){0, 6}, proba);
        rung_parallel_test t = {.size = sizeof t};
        assert_int_equal(rung_model_column_test(m, 0, &t), 1);
        assert_close(t.chi2, 26.96854533, 1e-7);
        assert_int_equal(rung_model_spread_output(m), -1);
        assert_ok(ctx, rung_model_save_memory(ctx, m, &bytes, &size));
        assert_ok(ctx, rung_model_load_memory(ctx, bytes, size, &again));
        rung_free(bytes);
        rung_model_free(m);
        m = again;
    }
    rung_model_free(m);
    rung_data_free(data);
}

/* clm(rating ~ temp + contact, scale = ~ temp, data = wine); the same with probit and scale = ~ temp + contact;
 * clm(rating ~ temp, nominal = ~ contact, scale = ~ temp, data = wine, link = "cloglog") */
static void test_spread(void **state)
{
    static const printed cut[] = {{-1.3520417699054, 0.522331643626},
                                  {1.2730017572792, 0.453346508513},
                                  {3.6170230544962, 0.777394457574},
                                  {5.2982362854492, 1.202657836282}},
                         all[] = {{-1.475845155277, 0.503241169258},
                                  {0.387044288691, 0.254181829928},
                                  {1.587905180633, 0.397693510431},
                                  {1.991221514983, 0.518167395678}};
    static const double proba[] = {0.20553676786905, 0.5757193983346,  0.192584026442,  0.0211842815783,
                                   0.00497552577586, 0.00628830487474, 0.0580879071264, 0.302499131149,
                                   0.3607594821109,  0.27236517473883};
    rung_ctx *ctx = *state;
    rung_data *data = plain_wine(ctx);
    rung_model *m = fit_of(ctx, data, (setting[MOST_SETTINGS]){{"spread", "temp"}});
    check_cuts(m, 4, cut, 1e-6);
    check_slope(m, 0, 0, (printed){2.6294184304362, 0.685970636536}, 1e-6);
    check_slope(m, 0, 1, (printed){1.5878437550857, 0.530137955365}, 1e-6);
    assert_int_equal(rung_model_spread_output(m), 1);
    check_slope(m, 1, 0, (printed){0.0953591668521, 0.294142465415}, 1e-6);
    check_fit(m, -86.4394628794, 7, 186.8789257588, 202.8155885919);
    check_probabilities(ctx, m, data, (int[]){0, 6}, proba);
    rung_model_free(m);

    m = fit_of(ctx, data, (setting[MOST_SETTINGS]){{"spread", "temp,contact"}, {"link", "probit"}});
    check_slope(m, 0, 0, (printed){1.5234225059415, 0.433667463778}, 1e-6);
    check_slope(m, 1, 0, (printed){0.0857296723651, 0.280892824700}, 1e-6);
    check_slope(m, 1, 1, (printed){-0.0588815885419, 0.227208578851}, 1e-6);
    check_fit(m, -85.6395610332, 8, 187.2791220664, 205.4924510185);
    rung_model_free(m);

    m = fit_of(ctx, data,
               (setting[MOST_SETTINGS]){{"spread", "temp"}, {"by-threshold", "contact"}, {"link", "cloglog"}});
    check_cuts(m, 4, all, 1e-6);
    check_slope(m, 0, 1, (printed){1.473224637818, 1.100730896764}, 1e-6);
    check_slope(m, 3, 1, (printed){0.367164341240, 0.321903429072}, 1e-6);
    check_slope(m, 4, 0, (printed){-0.296352286903, 0.325529277400}, 1e-6);
    check_fit(m, -85.1844166656, 10, 190.3688333312, 213.1354945214);
    rung_model_free(m);
    rung_data_free(data);
}

/* x1 separates the classes. In R the maximum, by optim, of sum(log p[y]) + determinant(I)$modulus / 2, I the expected
 * information of clm's parameters; for two classes glm(y > 1 ~ x1 + x2, binomial, method = "brglmFit", type =
 * "MPL_Jeffreys"). */
static void test_firth(void **state)
{
    enum { ROWS = 12 };
    static const double x1[ROWS] = {0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1},
                        x2[ROWS] = {1, 3, 2, 5, 4, 6, 8, 7, 2, 9, 1, 5};
    static const int y[ROWS] = {1, 1, 2, 2, 3, 3, 3, 3, 1, 3, 2, 3};
    rung_ctx *ctx = *state;
    for (int two = 0; two < 2; two++) {
        double X[2 * ROWS], low, high;
        int rank[ROWS];
        rung_data *data;
        rung_coefficient c = {.size = sizeof c};
        for (int i = 0; i < ROWS; i++) {
            X[2 * i] = x1[i];
            X[2 * i + 1] = x2[i];
            rank[i] = two ? 1 + (y[i] > 1) : y[i];
        }
        assert_ok(ctx, rung_data_new(ctx, &(rung_view){.v = X, .n = ROWS, .d = 2, .row = 2, .col = 1}, rank, NULL,
                                     two ? 2 : 3, &data));
        rung_model *m = fit_of(ctx, data, (setting[MOST_SETTINGS]){{"penalty", "firth"}});
        if (two) {
            check_slope(m, 0, 0, (printed){1.541739342531, 2.480585931024}, 2e-6);
            check_slope(m, 0, 1, (printed){0.202719356417, 0.497820030808}, 2e-6);
            check_cuts(m, 1, &(printed){0.493317082616, 1.416228973517}, 2e-6);
            assert_close(rung_model_log_likelihood(m), -4.58090070513, 1e-6);
        } else {
            rung_model_coefficient(m, 0, 0, &c);
            assert_close(c.value, 3.964604841037, 1e-6);
            rung_model_coefficient(m, 0, 1, &c);
            assert_close(c.value, 0.196901905825, 1e-6);
            rung_model_threshold_coefficient(m, 0, &c);
            assert_close(c.value, 0.377361042301, 1e-6);
            rung_model_threshold_coefficient(m, 1, &c);
            assert_close(c.value, 2.965521311331, 1e-6);
            assert_int_equal(rung_model_coefficient_range(m, 0, 0, &low, &high), 1);
            assert_true(low < 0 && high > 8 && isfinite(high));
        }
        rung_model_free(m);
        m = fit_of(ctx, data, (setting[MOST_SETTINGS]){{NULL, NULL}}); /* without: one end of the range alone */
        if (!two) {
            rung_model_coefficient(m, 0, 0, &c);
            assert_true(isinf(c.error));
            assert_int_equal(rung_model_coefficient_range(m, 0, 0, &low, &high), 1);
            assert_true(low > 0 && isinf(high));
        }
        rung_model_free(m);
        rung_data_free(data);
    }
}

/* Rows at 1 are of the classes 1 and 3 alone: their likelihood grows as their thresholds cross, which is refused. */
static void test_crossing(void **state)
{
    enum { ROWS = 60 };
    rung_ctx *ctx = *state;
    double X[ROWS];
    int y[ROWS];
    rung_data *data;
    rung_spec *spec;
    rung_model *m;
    for (int i = 0; i < ROWS; i++) {
        X[i] = i % 2;
        y[i] = i % 2 ? 1 + i / 2 % 2 * 2 : 1 + i / 2 % 3;
    }
    assert_ok(ctx, rung_data_new(ctx, &(rung_view){.v = X, .n = ROWS, .d = 1, .row = 1, .col = 1}, y, NULL, 3, &data));
    assert_ok(ctx, rung_spec_new(ctx, "pom", 1, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "by-threshold", "x1"));
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &m), RUNG_EDATA, "thresholds cross in 30 of 60 rows");
    assert_ok(ctx, rung_spec_set(ctx, spec, "by-threshold", "x1,nothing"));
    assert_fails(ctx, rung_model_fit(ctx, spec, data, &m), RUNG_EARG, "by-threshold: no column 'nothing'");
    rung_spec_free(spec);
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_links),        WITH_CONTEXT(test_offset),
                                       WITH_CONTEXT(test_by_threshold), WITH_CONTEXT(test_spread),
                                       WITH_CONTEXT(test_firth),        WITH_CONTEXT(test_crossing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
