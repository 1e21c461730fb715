// SPDX-License-Identifier: BSD-3-Clause
/* The ordinal probit likelihood of a rank y in 1..K given the latent value f,
 *     p(y | f) = Phi(z1) - Phi(z2),   z1 = (b_y - f) / sigma,   z2 = (b_{y-1} - f) / sigma,   b_0 = -inf, b_K = inf,
 * and its derivatives, accurate for f far from the class and for narrow classes. log p is concave in f and b
 * jointly. That of an interval low..high of ranks has the same form, with z1 at b_high and z2 at b_{low-1}. */
#ifndef RUNG_SOLVE_ORDINAL_PROBIT_H
#define RUNG_SOLVE_ORDINAL_PROBIT_H

typedef struct {
    double lp;            /* log p(y | f) */
    double z1, z2;        /* 0 where infinite */
    double e1, e2;        /* phi(z) / p: d lp / d z1 and -d lp / d z2; 0 where z is infinite */
    double h11, h12, h22; /* second derivatives of lp in (z1, z2) */
    double delta, H;      /* d lp / d f, -d^2 lp / d f^2 >= 0 */
    double H1, H2;        /* dH / dz1, dH / dz2 */
} ordinal_probit;

double normal_log_cdf(double z);  /* log Phi(z) */
double normal_quantile(double p); /* Phi(z) = p; 0 < p < 1 */

/* b: the K - 1 thresholds, ascending. An interval of all ranks has lp and all derivatives 0. */
ordinal_probit ordinal_probit_at(double f, int low, int high, int K, const double *b, double sigma);
double ordinal_probit_log(double f, int low, int high, int K, const double *b, double sigma); /* lp alone */
/* sqrt(sigma^2 + variance), even if the squares underflow. */
double ordinal_probit_spread(double sigma, double variance);
/* p(q), q = 1..K, when f is normal with this mean and variance; they sum to 1. */
void ordinal_probit_classes(double mean, double variance, int K, const double *b, double sigma, double *p);

#endif
