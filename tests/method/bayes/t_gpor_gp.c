// SPDX-License-Identifier: BSD-3-Clause
/* The posterior of a Gaussian process over ranks, by both approximations: golden units, gradients by the order of the
 * Taylor remainder, exact integrals for one and two rows, and for two classes the textbook's probit classification. */
#include "helper.h"

#include "bayes_units.h"

#include "base/rng.h"
#include "method/bayes/gpor_gp.h"
#include "solve/ordinal_probit.h"

enum { MOST = 60, MOST_D = 3, MOST_K = 5 };

typedef rung_status inference(rung_ctx *ctx, const gpor_gp_problem *p, bool gradient, gpor_gp_posterior *out);

typedef struct { /* theta = (log kappa_d.., b.., log sigma) */
    int64_t n, d;
    int K, y[MOST], upper[MOST];
    bool intervals;          /* upper holds */
    double x[MOST * MOST_D]; /* d x n */
    double log_kappa[MOST_D], b[MOST_K], log_sigma;
} data;

static double covariance(const data *s, const double *u, const double *v)
{
    double sum = 0;
    for (int64_t j = 0; j < s->d; j++) sum += exp(s->log_kappa[j]) * (u[j] - v[j]) * (u[j] - v[j]);
    return exp(-0.5 * sum);
}

static void gram_of(const data *s, double *gram)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < s->n; j++) gram[i + j * s->n] = covariance(s, s->x + i * s->d, s->x + j * s->d);
}

static gpor_gp_problem problem_of(rung_ctx *ctx, const data *s)
{
    double gram[MOST * MOST];
    la_mat *K = NULL;
    gram_of(s, gram);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, s->n, s->n, &K));
    la_put(gram, K);
    return (gpor_gp_problem){.n = s->n,
                             .K = s->K,
                             .y = s->y,
                             .upper = s->intervals ? s->upper : NULL,
                             .gram = K,
                             .b = s->b,
                             .sigma = exp(s->log_sigma)};
}

static gpor_gp_posterior infer(rung_ctx *ctx, const data *s, inference *how, bool gradient)
{
    gpor_gp_problem p = problem_of(ctx, s);
    gpor_gp_posterior post;
    assert_ok(ctx, gpor_gp_posterior_new(ctx, &ctx->scratch, s->n, s->K, &post));
    assert_ok(ctx, how(ctx, &p, gradient, &post));
    return post;
}

/* d log_evidence / d log kappa_j, from the definition of `pull`. */
static double width_slope(const data *s, const gpor_gp_posterior *post, int64_t j)
{
    double pull[MOST * MOST], sum = 0;
    la_get(post->pull, pull);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < s->n; k++) {
            const double *u = s->x + i * s->d, *v = s->x + k * s->d;
            sum -=
                0.5 * pull[i + k * s->n] * exp(s->log_kappa[j]) * (u[j] - v[j]) * (u[j] - v[j]) * covariance(s, u, v);
        }
    return sum;
}

static void mean_and_variance(const data *s, const gpor_gp_posterior *post, const double *x, double *mean,
                              double *variance)
{
    double k[MOST], solved[MOST], L[MOST * MOST];
    la_get(post->factor, L);
    *mean = 0;
    *variance = 1;
    for (int64_t i = 0; i < s->n; i++) {
        k[i] = covariance(s, x, s->x + i * s->d);
        *mean += k[i] * post->alpha[i];
    }
    for (int64_t i = 0; i < s->n; i++) {
        solved[i] = sqrt(post->precision[i]) * k[i];
        for (int64_t j = 0; j < i; j++) solved[i] -= L[i + j * s->n] * solved[j];
        solved[i] /= L[i + i * s->n];
        *variance -= solved[i] * solved[i];
    }
}

static data random_data(uint64_t stream, int64_t n, int64_t d, int K, double sigma)
{
    data s = {.n = n, .d = d, .K = K, .log_sigma = log(sigma)};
    rng r;
    rng_open(&r, 3, stream);
    for (int64_t j = 0; j < d; j++) s.log_kappa[j] = 0.5 * rng_normal(&r);
    for (int q = 0; q < K - 1; q++) s.b[q] = q - 0.5 * (K - 2) + 0.2 * rng_normal(&r);
    for (int64_t i = 0; i < n; i++) {
        double t = 0.3 * rng_normal(&r);
        for (int64_t j = 0; j < d; j++) t += s.x[j + i * d] = rng_normal(&r);
        s.y[i] = 1;
        for (int q = 0; q < K - 1; q++) s.y[i] += t > s.b[q];
    }
    return s;
}

/* ---- golden units ---- */

static data unit_data(const char *unit)
{
    data s = {.K = 3};
    double *x = unit_rows(unit, "in_X", &s.n, &s.d);
    int *y = unit_ranks(unit, "in_y");
    assert_true(s.n <= MOST && s.d <= MOST_D);
    memcpy(s.x, x, (size_t)(s.n * s.d) * sizeof *x);
    memcpy(s.y, y, (size_t)s.n * sizeof *y);
    free(x);
    free(y);
    return s;
}

/* theta of the units: log kappa (one or d), b_1, log(b_2 - b_1), log sigma. */
static void laplace_unit(rung_ctx *ctx, const char *unit)
{
    data s = unit_data(unit);
    json_t *params = unit_params(unit);
    int64_t rows, columns, n_kappa, n_new;
    double *theta = unit_numbers(unit, "in_theta", &rows, &columns), f[MOST], gradient[MOST_D + 3] = {0};
    n_kappa = rows - 3;
    for (int64_t j = 0; j < s.d; j++) s.log_kappa[j] = theta[n_kappa == 1 ? 0 : j];
    s.b[0] = theta[n_kappa];
    s.b[1] = s.b[0] + exp(theta[n_kappa + 1]);
    s.log_sigma = theta[n_kappa + 2];
    gpor_gp_posterior post = infer(ctx, &s, gpor_gp_laplace, true);
    for (int64_t j = 0; j < s.d; j++) gradient[n_kappa == 1 ? 0 : j] += width_slope(&s, &post, j);
    gradient[n_kappa] = post.thresholds[0] + post.thresholds[1];
    gradient[n_kappa + 1] = (s.b[1] - s.b[0]) * post.thresholds[1];
    gradient[n_kappa + 2] = post.log_sigma;
    double evidence = unit_scalar(params, "log_evidence");
    double *expected = unit_numbers(unit, "out_gradient", &rows, &columns);
    assert_unit(1, &post.log_evidence, &evidence);
    assert_unit(n_kappa + 3, gradient, expected);
    post = infer(ctx, &s, gpor_gp_laplace, false);
    double *mode = unit_numbers(unit, "out_f", &rows, &columns), *fresh = unit_rows(unit, "in_Xnew", &n_new, &columns),
           *mean = unit_numbers(unit, "out_mean_new", &rows, &columns),
           *variance = unit_numbers(unit, "out_var_new", &rows, &columns),
           *proba = unit_rows(unit, "out_prob_new", &rows, &columns);
    for (int64_t i = 0; i < s.n; i++) {
        double unused;
        mean_and_variance(&s, &post, s.x + i * s.d, &f[i], &unused);
    }
    assert_unit(s.n, f, mode);
    for (int64_t i = 0; i < n_new; i++) {
        double m, v, p[3];
        mean_and_variance(&s, &post, fresh + i * s.d, &m, &v);
        ordinal_probit_classes(m, v, 3, s.b, exp(s.log_sigma), p);
        assert_unit(1, &m, &mean[i]);
        assert_unit(1, &v, &variance[i]);
        assert_unit(3, p, proba + 3 * i);
    }
    free(theta), free(expected), free(mode), free(fresh), free(mean), free(variance), free(proba);
    json_decref(params);
}

/* The reference stops when the evidence settles to 1e-12, which leaves its sites at about 1e-6. */
static void ep_unit(rung_ctx *ctx, const char *unit)
{
    data s = unit_data(unit);
    json_t *params = unit_params(unit), *inner = json_object_get(params, "params"),
           *kappa = json_object_get(inner, "log_kappa");
    int64_t rows, columns;
    for (int64_t j = 0; j < s.d; j++)
        s.log_kappa[j] = json_number_value(json_array_get(kappa, json_array_size(kappa) == 1 ? 0 : (size_t)j));
    for (size_t q = 0; q < 2; q++) s.b[q] = json_number_value(json_array_get(json_object_get(inner, "b"), q));
    s.log_sigma = log(json_number_value(json_object_get(inner, "sigma")));
    gpor_gp_posterior post = infer(ctx, &s, gpor_gp_ep, false);
    double evidence = unit_scalar(params, "log_evidence");
    assert_unit(1, &post.log_evidence, &evidence);
    double *mean = unit_numbers(unit, "out_mean", &rows, &columns),
           *variance = unit_numbers(unit, "out_var", &rows, &columns),
           *precision = unit_numbers(unit, "out_site_precision", &rows, &columns),
           *natural = unit_numbers(unit, "out_site_natural_mean", &rows, &columns);
    for (int64_t i = 0; i < s.n; i++) {
        double m, v;
        mean_and_variance(&s, &post, s.x + i * s.d, &m, &v);
        assert_close(m, mean[i], 1e-5);
        assert_close(v, variance[i], 1e-5);
    }
    assert_arrays_close(s.n, post.precision, precision, 1e-5);
    assert_arrays_close(s.n, post.natural, natural, 1e-5);
    free(mean), free(variance), free(precision), free(natural);
    json_decref(params);
}

static void golden_units(void **state)
{
    laplace_unit(*state, "gpor_laplace_rbf3");
    laplace_unit(*state, "gpor_laplace_ard_imbalanced");
    ep_unit(*state, "gpor_ep_rbf3");
    ep_unit(*state, "gpor_ep_ard_imbalanced");
}

/* ---- gradients ---- */

static double evidence_along(rung_ctx *ctx, const data *s, inference *how, const double *direction, double h)
{
    data moved = *s;
    pool_mark mark = pool_here(&ctx->scratch);
    for (int64_t j = 0; j < s->d; j++) moved.log_kappa[j] += h * direction[j];
    for (int q = 0; q < s->K - 1; q++) moved.b[q] += h * direction[s->d + q];
    moved.log_sigma += h * direction[s->d + s->K - 1];
    double value = infer(ctx, &moved, how, false).log_evidence;
    pool_release(&ctx->scratch, mark);
    return value;
}

/* |F(theta + h u) - F(theta) - h u'g| falls 4 times when h halves. */
static void remainder_is_quadratic(rung_ctx *ctx, const data *s, inference *how, const double *direction)
{
    const double h = 2e-2;
    gpor_gp_posterior post = infer(ctx, s, how, true);
    double at = post.log_evidence, slope = direction[s->d + s->K - 1] * post.log_sigma, before = 0;
    for (int64_t j = 0; j < s->d; j++) slope += direction[j] * width_slope(s, &post, j);
    for (int q = 0; q < s->K - 1; q++) slope += direction[s->d + q] * post.thresholds[q];
    for (int k = 0; k < 4; k++) {
        double step = ldexp(h, -k), left = fabs(evidence_along(ctx, s, how, direction, step) - at - step * slope);
        if (k > 0) assert_true(left <= 0.3 * before + 1e-9 * (1 + fabs(at)));
        before = left;
    }
}

static void gradients_by_taylor_remainder(void **state)
{
    rung_ctx *ctx = *state;
    const double sigmas[] = {1, 0.3, 0.1};
    for (uint64_t stream = 0; stream < 12; stream++)
        for (int how = 0; how < 2; how++) {
            data s = random_data(stream, 25, 1 + (int64_t)stream % 3, 2 + (int)stream % 4, sigmas[stream % 3]);
            double direction[MOST_D + MOST_K];
            rng r;
            rng_open(&r, 4, stream);
            s.intervals = stream >= 6;
            for (int64_t i = 0; i < s.n; i++) {
                s.upper[i] = s.intervals && i % 3 == 0 ? s.y[i] + (int)rng_below(&r, s.K - s.y[i] + 1) : s.y[i];
                if (s.intervals && i % 3 == 1) s.y[i] -= (int)rng_below(&r, s.y[i]);
            }
            int64_t size = s.d + s.K;
            for (int64_t k = 0; k <= size; k++) { /* each coordinate, then all of them */
                for (int64_t j = 0; j < size; j++) direction[j] = k == size ? 0.3 * rng_normal(&r) : j == k;
                remainder_is_quadratic(ctx, &s, how ? gpor_gp_ep : gpor_gp_laplace, direction);
            }
        }
}

/* ---- exact integrals ---- */

static void one_row_is_exact_by_propagation(void **state)
{
    for (int y = 1; y <= 3; y++) {
        data s = {.n = 1, .d = 1, .K = 3, .y = {y}, .b = {-0.4, 0.9}, .log_sigma = log(0.5)};
        double exact = ordinal_probit_log(0, y, y, 3, s.b, hypot(0.5, 1));
        assert_close(infer(*state, &s, gpor_gp_ep, false).log_evidence, exact, 1e-9);
        assert_close(infer(*state, &s, gpor_gp_laplace, false).log_evidence, exact, 0.2);
    }
}

/* int int p(y1|f1) p(y2|f2) N(f; 0, K) df by the trapezoidal rule in whitened coordinates. */
static double two_row_evidence(const data *s)
{
    double rho = covariance(s, s->x, s->x + s->d), sum = 0, h = 0.02;
    for (double a = -9; a <= 9; a += h)
        for (double c = -9; c <= 9; c += h)
            sum += exp(
                -0.5 * (a * a + c * c) + ordinal_probit_log(a, s->y[0], s->y[0], s->K, s->b, exp(s->log_sigma)) +
                ordinal_probit_log(rho * a + sqrt(1 - rho * rho) * c, s->y[1], s->y[1], s->K, s->b, exp(s->log_sigma)));
    return log(sum * h * h / (2 * acos(-1)));
}

static void two_rows_against_quadrature(void **state)
{
    const int ranks[][2] = {{1, 3}, {2, 2}, {1, 1}};
    for (int k = 0; k < 3; k++) {
        data s = {.n = 2, .d = 1, .K = 3, .y = {ranks[k][0], ranks[k][1]}, .x = {0, 0.8}, .b = {-0.5, 0.7}};
        s.log_sigma = log(0.4);
        double exact = two_row_evidence(&s), laplace = infer(*state, &s, gpor_gp_laplace, false).log_evidence,
               ep = infer(*state, &s, gpor_gp_ep, false).log_evidence;
        assert_close(ep, exact, 2e-3);
        assert_close(laplace, exact, 0.2);
        assert_true(fabs(ep - exact) < fabs(laplace - exact));
    }
}

/* ---- two classes: probit classification, written from Rasmussen and Williams, Gaussian Processes for Machine
 * Learning, 2006, chapter 3, with t = -1 or 1 ---- */

static double normal_cdf(double z) { return 0.5 * erfc(-z / sqrt(2)); }

static double normal_density(double z) { return exp(-0.5 * z * z) / sqrt(2 * acos(-1)); }

/* x := A^-1 x and log |A| by elimination; A (n x n) is spoilt. No pivoting: A = I + W^1/2 K W^1/2. */
static double eliminate(int64_t n, double *A, int64_t count, double *x)
{
    double log_det = 0;
    for (int64_t k = 0; k < n; k++) {
        log_det += log(A[k + k * n]);
        for (int64_t i = k + 1; i < n; i++) {
            double factor = A[i + k * n] / A[k + k * n];
            for (int64_t j = k; j < n; j++) A[i + j * n] -= factor * A[k + j * n];
            for (int64_t c = 0; c < count; c++) x[i + c * n] -= factor * x[k + c * n];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--)
        for (int64_t c = 0; c < count; c++) {
            for (int64_t j = i + 1; j < n; j++) x[i + c * n] -= A[i + j * n] * x[j + c * n];
            x[i + c * n] /= A[i + i * n];
        }
    return log_det;
}

static void build_B(int64_t n, const double *K, const double *W, double *B)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) B[i + j * n] = (i == j) + sqrt(W[i]) * K[i + j * n] * sqrt(W[j]);
}

/* Algorithm 3.1 with eq. 3.16. */
static double classify_laplace(const data *s, double *f)
{
    int64_t n = s->n;
    double K[MOST * MOST], B[MOST * MOST], W[MOST], a[MOST], log_det = 0, value = 0;
    gram_of(s, K);
    for (int64_t i = 0; i < n; i++) f[i] = 0;
    for (int step = 0; step < 60; step++) {
        double c[MOST], x[MOST];
        for (int64_t i = 0; i < n; i++) {
            double t = s->y[i] == 2 ? 1 : -1, ratio = normal_density(f[i]) / normal_cdf(t * f[i]);
            W[i] = ratio * ratio + t * f[i] * ratio;
            c[i] = W[i] * f[i] + t * ratio;
        }
        build_B(n, K, W, B);
        for (int64_t i = 0; i < n; i++) {
            x[i] = 0;
            for (int64_t j = 0; j < n; j++) x[i] += sqrt(W[i]) * K[i + j * n] * c[j];
        }
        log_det = eliminate(n, B, 1, x);
        for (int64_t i = 0; i < n; i++) a[i] = c[i] - sqrt(W[i]) * x[i];
        for (int64_t i = 0; i < n; i++) {
            f[i] = 0;
            for (int64_t j = 0; j < n; j++) f[i] += K[i + j * n] * a[j];
        }
    }
    for (int64_t i = 0; i < n; i++) value += log(normal_cdf(s->y[i] == 2 ? f[i] : -f[i])) - 0.5 * a[i] * f[i];
    return value - 0.5 * log_det;
}

/* Algorithm 3.5: site after site; the evidence by eq. 3.65, written with the cavities. */
static double classify_ep(const data *s, double *mean)
{
    int64_t n = s->n;
    double K[MOST * MOST], S[MOST * MOST], B[MOST * MOST], tau[MOST] = {0}, nu[MOST] = {0}, value = 0;
    gram_of(s, K);
    memcpy(S, K, sizeof S);
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (int sweep = 0; sweep < 60; sweep++)
        for (int64_t i = 0; i < n; i++) {
            double v = S[i + i * n], cavity = 1 / (1 / v - tau[i]), m = cavity * (mean[i] / v - nu[i]);
            double t = s->y[i] == 2 ? 1 : -1, z = t * m / sqrt(1 + cavity), ratio = normal_density(z) / normal_cdf(z);
            double tilted_mean = m + t * cavity * ratio / sqrt(1 + cavity);
            double tilted_variance = cavity - cavity * cavity * ratio / (1 + cavity) * (z + ratio);
            double change = 1 / tilted_variance - 1 / cavity - tau[i], column[MOST];
            tau[i] += change;
            nu[i] = tilted_mean / tilted_variance - m / cavity;
            memcpy(column, S + i * n, (size_t)n * sizeof *column);
            for (int64_t j = 0; j < n; j++)
                for (int64_t k = 0; k < n; k++) S[j + k * n] -= change / (1 + change * v) * column[j] * column[k];
            for (int64_t j = 0; j < n; j++) {
                mean[j] = 0;
                for (int64_t k = 0; k < n; k++) mean[j] += S[j + k * n] * nu[k];
            }
        }
    build_B(n, K, tau, B);
    value = -0.5 * eliminate(n, B, 0, NULL);
    for (int64_t i = 0; i < n; i++) {
        double v = S[i + i * n], cavity = 1 / (1 / v - tau[i]), m = cavity * (mean[i] / v - nu[i]);
        value += log(normal_cdf((s->y[i] == 2 ? 1 : -1) * m / sqrt(1 + cavity))) + 0.5 * log1p(tau[i] * cavity) +
                 0.5 * m * m / cavity - 0.5 * mean[i] * mean[i] / v + 0.5 * nu[i] * mean[i];
    }
    return value;
}

static void two_classes_are_probit_classification(void **state)
{
    for (uint64_t stream = 20; stream < 24; stream++) {
        data s = random_data(stream, 30, 2, 2, 1);
        double expected[MOST], found, unused;
        s.b[0] = 0;
        for (int how = 0; how < 2; how++) {
            gpor_gp_posterior post = infer(*state, &s, how ? gpor_gp_ep : gpor_gp_laplace, false);
            double evidence = how ? classify_ep(&s, expected) : classify_laplace(&s, expected);
            assert_close(post.log_evidence, evidence, 1e-9);
            for (int64_t i = 0; i < s.n; i++) {
                mean_and_variance(&s, &post, s.x + i * s.d, &found, &unused);
                assert_close(found, expected[i], 1e-8);
            }
        }
        double p[2]; /* eq. 3.82: the predictive probability */
        ordinal_probit_classes(0.3, 0.8, 2, s.b, 1, p);
        assert_close(p[1], normal_cdf(0.3 / sqrt(1.8)), 1e-14);
    }
}

/* ---- starts and extremes ---- */

/* The log posterior at its mode as a function of the thresholds: the evidence without -1/2 log |B|. */
static double at_the_mode(rung_ctx *ctx, data s, const double *b)
{
    static double factor[MOST * MOST];
    memcpy(s.b, b, (size_t)(s.K - 1) * sizeof *b);
    gpor_gp_posterior post = infer(ctx, &s, gpor_gp_laplace, false);
    la_get(post.factor, factor);
    double value = post.log_evidence;
    for (int64_t i = 0; i < s.n; i++) value += log(factor[i + i * s.n]);
    return value;
}

/* With two classes, with four, and with nearly as many as rows. */
static void thresholds_bend_as_differences_say(void **state)
{
    rung_ctx *ctx = *state;
    const double h = 1e-3;
    for (int K = 2; K <= 5; K++) {
        data s = random_data(90 + (uint64_t)K, K < 5 ? 40 : 7, 2, K, 0.4);
        gpor_gp_posterior post = infer(ctx, &s, gpor_gp_laplace, true);
        int J = K - 1;
        for (int j = 0; j < J; j++)
            for (int k = 0; k <= j; k++) {
                double second = 0;
                for (int sign = 0; sign < 4; sign++) {
                    double b[MOST_K];
                    memcpy(b, s.b, sizeof b);
                    b[j] += sign & 1 ? h : -h;
                    b[k] += sign & 2 ? h : -h;
                    second += ((sign & 1) == sign >> 1 ? 1 : -1) * at_the_mode(ctx, s, b) / (4 * h * h);
                }
                double bend = post.bend[j + k * J];
                if (j == k) bend += (j > 0 ? post.links[j - 1] : 0) + (j + 1 < J ? post.links[j] : 0);
                if (j == k + 1) bend -= post.links[k];
                assert_close(bend, -second, 2e-4);
                assert_close(post.bend[k + j * J], post.bend[j + k * J], 1e-10);
            }
    }
}

static void a_warm_start_changes_nothing_but_the_work(void **state)
{
    rung_ctx *ctx = *state;
    data s = random_data(30, 50, 2, 4, 0.5);
    for (int how = 0; how < 2; how++) {
        inference *call = how ? gpor_gp_ep : gpor_gp_laplace;
        gpor_gp_problem p = problem_of(ctx, &s);
        gpor_gp_posterior post;
        assert_ok(ctx, gpor_gp_posterior_new(ctx, &ctx->scratch, s.n, s.K, &post));
        assert_ok(ctx, call(ctx, &p, false, &post));
        double evidence = post.log_evidence;
        int cold = post.iterations;
        assert_ok(ctx, call(ctx, &p, false, &post));
        assert_true(post.iterations < cold && post.iterations <= 2);
        assert_close(post.log_evidence, evidence, 1e-12);
        for (int64_t i = 0; i < s.n; i++) post.alpha[i] = i % 2 ? 1e3 : -1e3; /* a mode of no use */
        assert_ok(ctx, call(ctx, &p, false, &post));
        assert_close(post.log_evidence, evidence, 1e-10);
    }
}

/* 200 classes, hardly wider than the noise: H f is thousands of times alpha, and the mode is still found to the last
 * digits the residual has. */
static void narrow_classes_leave_the_digits(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 400, CLASSES = 200 };
    int *y = NULL;
    double *b = NULL, *gram = NULL;
    la_mat *K = NULL;
    gpor_gp_posterior post;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, y, N));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, b, CLASSES - 1));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, gram, N * N));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &K));
    for (int64_t i = 0; i < N; i++) y[i] = 1 + (int)(i * CLASSES / N);
    for (int q = 0; q < CLASSES - 1; q++) b[q] = -15 + 30.0 * q / CLASSES;
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) gram[i + j * N] = exp(-1e-5 * (double)((i - j) * (i - j)));
    la_put(gram, K);
    gpor_gp_problem p = {.n = N, .K = CLASSES, .y = y, .gram = K, .b = b, .sigma = 0.02};
    assert_ok(ctx, gpor_gp_posterior_new(ctx, &ctx->scratch, N, CLASSES, &post));
    assert_ok(ctx, gpor_gp_laplace(ctx, &p, false, &post));
    assert_ok(ctx, gpor_gp_laplace(ctx, &p, false, &post)); /* from the mode: what is left is rounding */
    double evidence = post.log_evidence;
    for (int again = 0; again < 3; again++) {
        assert_ok(ctx, gpor_gp_laplace(ctx, &p, false, &post));
        assert_close(post.log_evidence, evidence, 1e-12);
    }
}

/* Rows twice over, hardly any noise, classes far apart: finite, and the mode inside the classes. */
static void hard_cases_have_an_answer(void **state)
{
    const double sigmas[] = {1, 0.02};
    for (int k = 0; k < 2; k++)
        for (int how = 0; how < 2; how++) {
            data s = {.n = 40, .d = 1, .K = 4, .b = {-0.8, 0, 0.8}, .log_sigma = log(sigmas[k])};
            for (int64_t i = 0; i < s.n; i++) {
                s.y[i] = 1 + (int)(i % 4);
                s.x[i] = 3.0 * s.y[i] + 0.1 * (double)(i / 8);
            }
            gpor_gp_posterior post = infer(*state, &s, how ? gpor_gp_ep : gpor_gp_laplace, false);
            assert_true(isfinite(post.log_evidence) && post.log_evidence < 0);
            for (int64_t i = 0; i < s.n; i++) {
                double f, v;
                mean_and_variance(&s, &post, s.x + i, &f, &v);
                assert_true(v > 0 && v <= 1);
                assert_true((s.y[i] == 4 || f < s.b[s.y[i] - 1]) && (s.y[i] == 1 || f > s.b[s.y[i] - 2]));
            }
        }
}

typedef struct {
    rung_ctx *ctx;
    const gpor_gp_problem *p;
    inference *how;
} call;

static rung_status infer_once(void *argument)
{
    call *c = argument;
    gpor_gp_posterior post;
    pool mem = {0};
    rung_status status = gpor_gp_posterior_new(c->ctx, &mem, c->p->n, c->p->K, &post);
    if (status == RUNG_OK) status = c->how(c->ctx, c->p, true, &post);
    pool_free_all(&mem);
    pool_release(&c->ctx->scratch, 0);
    return status;
}

static void allocations_may_fail(void **state)
{
    rung_ctx *ctx = *state, *worker;
    data s = random_data(40, 20, 2, 3, 0.5);
    gpor_gp_problem p = problem_of(ctx, &s);
    assert_ok(ctx, context_worker(ctx, &worker));
    for (int how = 0; how < 2; how++) {
        call c = {worker, &p, how ? gpor_gp_ep : gpor_gp_laplace};
        assert_true(fail_each_allocation(infer_once, &c) > 15);
    }
    context_join(ctx, worker);
}

/* Thresholds so far from all rows of the class between them that nothing is learned: the prior is left. */
static void wide_classes_say_nothing(void **state)
{
    rung_ctx *ctx = *state;
    inference *const both[] = {gpor_gp_laplace, gpor_gp_ep};
    data s = random_data(9, 6, 2, 3, 0.1);
    for (int i = 0; i < 6; i++) s.y[i] = 2;
    s.b[0] = -100;
    s.b[1] = 100;
    for (int h = 0; h < 2; h++) {
        gpor_gp_posterior post = infer(ctx, &s, both[h], true);
        assert_true(post.log_evidence == 0 && post.log_sigma == 0);
        assert_true(post.thresholds[0] == 0 && post.thresholds[1] == 0);
        assert_true(width_slope(&s, &post, 0) == 0 && width_slope(&s, &post, 1) == 0);
        for (int i = 0; i < 6; i++) assert_true(post.alpha[i] == 0 && post.precision[i] == 0);
        for (int q = 0; q < 4 && h == 0; q++) assert_true(post.bend[q] == 0);
        for (int q = 0; q < 2 && h == 0; q++) assert_true(post.links[q] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(golden_units),
        WITH_CONTEXT(gradients_by_taylor_remainder),
        WITH_CONTEXT(one_row_is_exact_by_propagation),
        WITH_CONTEXT(two_rows_against_quadrature),
        WITH_CONTEXT(two_classes_are_probit_classification),
        WITH_CONTEXT(thresholds_bend_as_differences_say),
        WITH_CONTEXT(a_warm_start_changes_nothing_but_the_work),
        WITH_CONTEXT(narrow_classes_leave_the_digits),
        WITH_CONTEXT(hard_cases_have_an_answer),
        WITH_CONTEXT(allocations_may_fail),
        WITH_CONTEXT(wide_classes_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
