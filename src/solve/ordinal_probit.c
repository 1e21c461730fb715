// SPDX-License-Identifier: BSD-3-Clause
#include "solve/ordinal_probit.h"

#include <math.h>
#include <stdbool.h>

static const double LOG_ROOT_2PI = 0.91893853320467274178, ROOT_HALF = 0.70710678118654752440;

/* ---- the normal distribution ---- */

double normal_log_cdf(double z)
{
    if (z > 0) return log1p(-0.5 * erfc(z * ROOT_HALF));
    if (z > -35) return log(0.5 * erfc(-z * ROOT_HALF));
    double u = 1 / (z * z); /* phi(z)/|z| times the asymptotic series; erfc would underflow soon */
    return -0.5 * z * z - LOG_ROOT_2PI - log(-z) +
           log1p(-u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u * (1 - 9 * u * (1 - 11 * u))))));
}

/* Newton's iteration on log Phi, which is concave: from the left of the root it converges monotonically. */
double normal_quantile(double p)
{
    if (p > 0.5) return -normal_quantile(1 - p);
    double target = log(p), z = -sqrt(-2 * target); /* Phi(-x) <= exp(-x^2/2): z is left of the root */
    for (int i = 0; i < 100; i++) {
        double log_cdf = normal_log_cdf(z), slope = exp(-0.5 * z * z - LOG_ROOT_2PI - log_cdf);
        double step = (target - log_cdf) / slope;
        z += step;
        if (fabs(step) <= 1e-15 * (1 + fabs(z))) break;
    }
    return z;
}

/* log(Phi(z1) - Phi(z2)) of the interval of width w = z1 - z2; -inf unless w > 0. */
static double log_interval(double z1, double z2, double w)
{
    if (!(w > 0)) return -INFINITY;
    double c = 0.5 * (z1 + z2), wc = w * fabs(c);
    if (w < 1e-4 && wc < 1e-2) { /* Taylor's series about the midpoint */
        double c2 = c * c, w2 = w * w;
        return -0.5 * c2 - LOG_ROOT_2PI + log(w) + log1p((c2 - 1) * w2 / 24 + ((c2 - 6) * c2 + 3) * w2 * w2 / 1920);
    }
    bool upper = z1 + z2 > 0; /* in the lower tail differences of Phi are accurate */
    double high = normal_log_cdf(upper ? -z2 : z1), low = normal_log_cdf(upper ? -z1 : z2), d = low - high;
    if (isinf(high)) return -INFINITY; /* so far away that the square of z overflows */
    return high + (d > -0.6931 ? log(-expm1(d)) : log1p(-exp(d)));
}

/* ---- the likelihood ---- */

double ordinal_probit_log(double f, int low, int high, int K, const double *b, double sigma)
{
    if (low == 1 && high == K) return 0;
    if (low == 1) return normal_log_cdf((b[high - 1] - f) / sigma);
    if (high == K) return normal_log_cdf((f - b[low - 2]) / sigma);
    return log_interval((b[high - 1] - f) / sigma, (b[low - 2] - f) / sigma, (b[high - 1] - b[low - 2]) / sigma);
}

static double density_over(double z, double lp) { return exp(-0.5 * z * z - LOG_ROOT_2PI - lp); }

/* d = e1 - e2 and H sigma^2 = d^2 + z1 e1 - z2 e2, without the cancellation between e1 and e2, which are near 1/w in a
 * narrow class: e2 = e1 exp(t) with t = w (z1 + z2) / 2, and z1 e1 - z2 e2 = w e1 + z2 d = w e2 + z1 d. */
static void two_sided(ordinal_probit *o, double w, double *d, double *H)
{
    double t = 0.5 * w * (o->z1 + o->z2);
    *d = t < 0 ? -o->e1 * expm1(t) : o->e2 * expm1(-t);
    *H = t < 0 ? *d * (*d + o->z1) + w * o->e2 : *d * (*d + o->z2) + w * o->e1;
}

ordinal_probit ordinal_probit_at(double f, int low, int high, int K, const double *b, double sigma)
{
    ordinal_probit o = {.lp = ordinal_probit_log(f, low, high, K, b, sigma)};
    double d = 0, H = 0;
    if (high < K) o.z1 = (b[high - 1] - f) / sigma;
    if (low > 1) o.z2 = (b[low - 2] - f) / sigma;
    if (high < K) o.e1 = density_over(o.z1, o.lp);
    if (low > 1) o.e2 = density_over(o.z2, o.lp);
    if (low > 1 && high < K) {
        two_sided(&o, (b[high - 1] - b[low - 2]) / sigma, &d, &H);
    } else {
        d = o.e1 - o.e2;
        H = d * (d + o.z1 + o.z2); /* one of each pair is 0 */
    }
    double s2 = sigma * sigma, e12 = o.e1 * o.e2;
    double a11 = -o.z1 * o.e1 - o.e1 * o.e1, a22 = -o.z2 * o.e2 + o.e2 * o.e2; /* de1/dz1, de2/dz2 */
    o.delta = -d / sigma;
    o.H = fmin(fmax(H, 0), 1) / s2; /* 1 - H sigma^2 is the variance of a truncated normal */
    o.h11 = a11;
    o.h12 = e12;
    o.h22 = -a22;
    o.H1 = (2 * d * (a11 + e12) + o.e1 + o.z1 * a11 + o.z2 * e12) / s2;
    o.H2 = (2 * d * (e12 - a22) + o.z1 * e12 - o.e2 - o.z2 * a22) / s2;
    return o;
}

double ordinal_probit_spread(double sigma, double variance)
{
    double s2 = sigma * sigma + variance;
    return isnormal(s2) ? sqrt(s2) : hypot(sigma, sqrt(variance));
}

void ordinal_probit_classes(double mean, double variance, int K, const double *b, double sigma, double *p)
{
    double s = ordinal_probit_spread(sigma, variance), sum = 0;
    for (int q = 1; q <= K; q++) sum += p[q - 1] = exp(ordinal_probit_log(mean, q, q, K, b, s));
    for (int q = 0; q < K; q++) p[q] /= sum;
}
