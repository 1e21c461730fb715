// SPDX-License-Identifier: BSD-3-Clause
/* Published numbers, closed forms and edges; test_statistics.py compares with SciPy. */
#include "helper.h"

#include "experiment/statistics/distributions.h"
#include "experiment/statistics/statistics.h"

/* Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez, Semi-supervised learning for ordinal kernel discriminant
 * analysis, Neural Networks 84 (2016), Table 2: the mean MAE of DL, WS-DL, S-DL, CES-DL, ES-DL, KES-DL as printed. */
enum { SETS = 30, METHODS = 6 };
static const double table2[SETS * METHODS] = {
    1.859, 2.01,  1.845, 1.847, 1.843, 1.765, 0.577, 0.633, 0.449, 0.465, 0.452, 0.429, 0.57,  0.543, 0.555,
    0.564, 0.556, 0.511, 0.591, 0.548, 0.585, 0.589, 0.586, 0.547, 0.994, 0.93,  0.798, 0.946, 0.797, 0.796,
    2.033, 2.084, 2.05,  1.768, 1.75,  1.767, 0.278, 0.335, 0.244, 0.243, 0.239, 0.156, 0.678, 0.744, 0.671,
    0.769, 0.662, 0.638, 2.193, 2.536, 2.306, 2.046, 2.005, 2.018, 1.085, 1.136, 1.099, 0.966, 0.965, 0.992,
    0.137, 0.421, 0.233, 0.316, 0.271, 0.223, 2.302, 2.461, 2.341, 2.147, 2.017, 2.142, 1.101, 1.127, 1.096,
    1.004, 0.937, 1.02,  0.972, 1.018, 0.937, 0.882, 0.855, 0.862, 0.896, 1.099, 1.007, 0.956, 0.834, 0.885,
    0.689, 0.806, 0.767, 0.739, 0.694, 0.717, 0.932, 1.059, 0.883, 0.966, 1.005, 0.907, 0.793, 0.821, 0.705,
    0.623, 0.615, 0.622, 1.508, 1.942, 1.494, 1.388, 1.224, 1.359, 0.949, 0.948, 0.621, 0.635, 0.576, 0.642,
    1.938, 2.364, 1.542, 1.543, 1.314, 1.795, 0.198, 0.241, 0.1,   0.112, 0.078, 0.121, 0.659, 0.596, 0.581,
    0.604, 0.556, 0.485, 0.538, 0.523, 0.515, 0.503, 0.536, 0.495, 0.523, 0.521, 0.436, 0.477, 0.474, 0.464,
    0.27,  0.291, 0.19,  0.206, 0.199, 0.218, 0.603, 0.646, 0.413, 0.425, 0.415, 0.557, 0.673, 0.725, 0.702,
    0.675, 0.66,  0.636, 0.181, 0.544, 0.312, 0.154, 0.152, 0.157, 0.562, 0.567, 0.536, 0.574, 0.544, 0.524,
};
enum { DL, WS_DL, S_DL, CES_DL, ES_DL, KES_DL };

static void near(double found, double expected, double absolute)
{
    if (fabs(found - expected) <= absolute) return;
    print_error("found %.17g, not %.17g\n", found, expected);
    fail();
}

static void published_table_2(void **state)
{
    (void)state;
    double rank[METHODS];
    static const double printed[] = {4.533, 5.400, 3.267, 3.633, 2.067, 2.100};
    friedman_test t = statistics_friedman(SETS, METHODS, table2, rank);
    for (int j = 0; j < METHODS; j++) near(rank[j], printed[j], 0.0005);
    near(t.f, 29.10, 0.005);
    near(t.df1, 5, 0);
    near(t.df2, 145, 0);
    near(f_tail(5, 145, 2.28), 0.05, 0.0005); /* the critical value printed below the table */
    near(t.chi_square, 75.12380952380952, 1e-12);
    near(t.chi_square_p / 8.765610098428654e-15, 1, 1e-10);
}

/* Table 3: uncorrected p values against a control, and which of them Holm's procedure rejects at 0.05. */
static void published_table_3(void **state)
{
    (void)state;
    static const struct {
        int control, method[5];
        double p[5];
        int rejected;
    } printed[] = {{S_DL, {WS_DL, DL, ES_DL, KES_DL, CES_DL}, {0.00001, 0.00874, 0.01298, 0.01573, 0.44782}, 4},
                   {ES_DL, {WS_DL, DL, CES_DL, S_DL, KES_DL}, {0, 0, 0.00118, 0.01298, 0.94499}, 4},
                   {KES_DL, {WS_DL, DL, CES_DL, S_DL, ES_DL}, {0, 0, 0.00150, 0.01573, 0.94499}, 4}};
    double rank[METHODS], p[5], adjusted[5];
    statistics_friedman(SETS, METHODS, table2, rank);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 5; i++) {
            p[i] = statistics_rank_p(SETS, METHODS, rank[printed[c].control] - rank[printed[c].method[i]]);
            near(p[i], printed[c].p[i], 0.000015); /* printed with five decimals, the last not always right */
        }
        statistics_holm(5, p, adjusted);
        for (int i = 0; i < 5; i++) assert_int_equal(adjusted[i] <= 0.05, i < printed[c].rejected);
    }
}

/* J. Demsar (2006), section 3.2.2 and table 6: fourteen data sets, four methods. His
 * ranks on voting are 4 1 2 3 where 0.975 is printed twice: a digit was added. */
static void published_demsar(void **state)
{
    (void)state;
    static const double table[14 * 4] = {
        0.763, 0.768, 0.771, 0.798, 0.599, 0.591, 0.590, 0.569, 0.954,  0.971, 0.968, 0.967, 0.628, 0.661,
        0.654, 0.657, 0.882, 0.888, 0.886, 0.898, 0.936, 0.931, 0.916,  0.931, 0.661, 0.668, 0.609, 0.685,
        0.583, 0.583, 0.563, 0.625, 0.775, 0.838, 0.866, 0.875, 1.000,  1.000, 1.000, 1.000, 0.940, 0.962,
        0.965, 0.962, 0.619, 0.666, 0.614, 0.669, 0.972, 0.981, 0.9755, 0.975, 0.957, 0.978, 0.946, 0.970};
    static const double printed[] = {3.143, 2.000, 2.893, 1.964};
    double error[14 * 4], a[14], b[14], rank[4];
    for (int i = 0; i < 14 * 4; i++) error[i] = -table[i];
    friedman_test t = statistics_friedman(14, 4, error, rank);
    for (int j = 0; j < 4; j++) near(rank[j], printed[j], 0.0005);
    /* He prints 9.28 and 3.69 by the formula for ranks without ties; ours counts the ties. */
    double plain =
        12.0 * 14 / (4 * 5) * (rank[0] * rank[0] + rank[1] * rank[1] + rank[2] * rank[2] + rank[3] * rank[3] - 25);
    near(plain, 9.28, 0.005);
    assert_true(t.chi_square > plain);
    near(statistics_critical_difference(14, 4, 0.05), 1.25, 0.005);
    near(statistics_critical_difference(14, 4, 0.10), 1.12, 0.005);
    /* Table 2 there: C4.5 and C4.5+m. He shares zeros between the sums; left out, 1.5 + 5 remain. */
    for (int i = 0; i < 14; i++) a[i] = error[4 * i], b[i] = error[4 * i + 1];
    duel d = statistics_duel(14, a, b);
    assert_int_equal(d.loss, 10);
    assert_int_equal(d.draw, 2);
    assert_int_equal(d.win, 2);
    wilcoxon_test w = statistics_wilcoxon(14, a, b);
    assert_int_equal(w.zeros, 2);
    near(w.minus, 6.5, 0);
    assert_true(w.p < 0.05 && w.exact);
}

static void ranks_with_ties(void **state)
{
    (void)state;
    double rank[5];
    statistics_ranks(5, (const double[]){3, 1, 3, 0, 3}, rank);
    check_arrays(5, rank, (const double[]){4, 2, 4, 1, 4}, 0, "rank", __FILE__, __LINE__);
    /* 0.1 + 0.2 is 0.3 to everybody but the computer */
    statistics_ranks(3, (const double[]){0.1 + 0.2, 0.3, 0.2}, rank);
    check_arrays(3, rank, (const double[]){2.5, 2.5, 1}, 0, "rank", __FILE__, __LINE__);
    statistics_ranks(1, (const double[]){7}, rank);
    near(rank[0], 1, 0);
}

static void friedman_edges(void **state)
{
    (void)state;
    double rank[3];
    friedman_test t = statistics_friedman(2, 3, (const double[]){5, 5, 5, 1, 1, 1}, rank);
    near(t.chi_square, 0, 0);
    near(t.chi_square_p, 1, 0);
    near(t.f_p, 1, 0);
    t = statistics_friedman(4, 3, (const double[]){1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, rank);
    near(t.chi_square, 8, 1e-14); /* n (k - 1): its largest value */
    assert_true(isinf(t.f));
    near(t.f_p, 1 / 216.0, 1e-15); /* three more rankings like the first, of six */
    t = statistics_friedman(3, 3, (const double[]){1, 1, 3, 1, 1, 3, 1, 1, 3}, rank);
    assert_true(isinf(t.f));
    near(t.f_p, 1 / 9.0, 1e-15);
}

static void wilcoxon_small(void **state)
{
    (void)state;
    /* five pairs, all the same way: p = 2 / 2^5, never below 0.05 */
    wilcoxon_test t = statistics_wilcoxon(5, (const double[]){2, 4, 6, 8, 10}, (const double[]){1, 2, 3, 4, 5});
    near(t.p, 0.0625, 0);
    near(t.plus, 15, 0);
    near(t.minus, 0, 0);
    t = statistics_wilcoxon(3, (const double[]){1, 2, 3}, (const double[]){1, 2, 3});
    assert_int_equal(t.n, 0);
    assert_int_equal(t.zeros, 3);
    near(t.p, 1, 0);
    t = statistics_wilcoxon(0, NULL, NULL);
    near(t.p, 1, 0);
    /* balanced: p is 1, not 2 P(W <= w) > 1 */
    t = statistics_wilcoxon(2, (const double[]){1, 0}, (const double[]){0, 1});
    near(t.p, 1, 0);
    /* 0.3 - 0.2 and 0.2 - 0.1 are equal: ranks 1.5, 1.5 */
    t = statistics_wilcoxon(2, (const double[]){0.3, 0.1}, (const double[]){0.2, 0.2});
    near(t.plus, 1.5, 0);
    near(t.minus, 1.5, 0);
}

static void paired_t_edges(void **state)
{
    (void)state;
    paired_t_test t = statistics_paired_t(3, (const double[]){0.3, 0.4, 0.5}, (const double[]){0.2, 0.3, 0.4});
    assert_true(isinf(t.t) && t.t > 0);
    near(t.p, 0, 0);
    t = statistics_paired_t(2, (const double[]){1, 2}, (const double[]){1, 2});
    near(t.t, 0, 0);
    near(t.p, 1, 0);
    t = statistics_paired_t(2, (const double[]){1, 3}, (const double[]){0, 0}); /* t = 2, one degree of freedom */
    near(t.t, 2, 1e-15);
    near(t.p, 1 - 2 * atan(2) / acos(-1), 1e-14);
}

static void distributions_edges(void **state)
{
    (void)state;
    near(gamma_upper(1, 50) / exp(-50), 1, 1e-13);
    near(gamma_upper(0.5, 0), 1, 0);
    near(gamma_upper(3, INFINITY), 0, 0);
    near(beta_lower(2, 3, 0), 0, 0);
    near(beta_lower(2, 3, 1), 1, 0);
    near(beta_lower(1, 4, 0.3), 1 - 0.7 * 0.7 * 0.7 * 0.7, 1e-15);
    near(range_tail(2, 3) / erfc(1.5), 1, 1e-12); /* two numbers: a normal difference */
    near(range_tail(4, 0), 1, 0);
    near(range_tail(7, range_quantile(7, 0.05)), 0.05, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(published_table_2), cmocka_unit_test(published_table_3),
                                       cmocka_unit_test(published_demsar),  cmocka_unit_test(ranks_with_ties),
                                       cmocka_unit_test(friedman_edges),    cmocka_unit_test(wilcoxon_small),
                                       cmocka_unit_test(paired_t_edges),    cmocka_unit_test(distributions_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
