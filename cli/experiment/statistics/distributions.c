// SPDX-License-Identifier: BSD-3-Clause
/* The incomplete functions are series and continued fractions (Abramowitz & Stegun 6.5.29, 6.5.31, 26.5.8; Lentz's way
 * to evaluate a fraction) times a factor such as x^a e^-x / Gamma(a). Taken from lgamma that factor loses as many
 * digits as lgamma is large; here it is a Poisson or binomial probability in Loader's saddle-point form (C. Loader,
 * Fast and Accurate Computation of Binomial Probabilities, 2000), which keeps them. */
#include "experiment/statistics/distributions.h"

#include <float.h>
#include <math.h>

static const double PI = 3.14159265358979323846;
enum { MOST_TERMS = 100000 };

/* log n! - log(sqrt(2 pi n) (n/e)^n) */
static double stirling_error(double n)
{
    if (n < 15) return lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * PI);
    double s = 1 / (n * n);
    return (1 / 12.0 - (1 / 360.0 - (1 / 1260.0 - (1 / 1680.0 - s / 1188.0) * s) * s) * s) / n;
}

/* x log(x/m) + m - x >= 0, also where x is near m and the terms cancel. */
static double deviance(double x, double m)
{
    if (fabs(x - m) >= 0.1 * (x + m)) return x * log(x / m) + m - x;
    double v = (x - m) / (x + m), sum = (x - m) * v, term = 2 * x * v;
    for (int j = 3;; j += 2) {
        term *= v * v;
        double next = sum + term / j;
        if (next == sum) return sum;
        sum = next;
    }
}

/* x^a e^-x / Gamma(a + 1) */
static double poisson_power(double a, double x) { return exp(-stirling_error(a) - deviance(a, x)) / sqrt(2 * PI * a); }

/* x^a (1-x)^b / (a B(a, b)), y = 1 - x */
static double beta_power(double a, double b, double x, double y)
{
    double n = a + b;
    double log_ratio =
        stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * x) - deviance(b, n * y);
    return exp(log_ratio) * sqrt(b / (2 * PI * a * n));
}

double gamma_upper(double a, double x)
{
    if (!(x > 0)) return 1;
    if (isinf(x)) return 0;
    double factor = poisson_power(a, x);
    if (x < a + 1) { /* 1 - P(a, x), and P is not near 1 here */
        double sum = 1, term = 1;
        for (int n = 1; n < MOST_TERMS && term > sum * DBL_EPSILON / 4; n++) sum += term *= x / (a + n);
        return 1 - factor * sum;
    }
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;
    for (int n = 1; n < MOST_TERMS; n++) {
        double an = -n * (n - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return factor * a * h;
}

static double away_from_zero(double x) { return fabs(x) < DBL_MIN ? DBL_MIN : x; }

static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < MOST_TERMS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        h *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return h;
}

/* y = 1 - x is given beside x: one of them may be tiny. */
static double beta_both(double a, double b, double x, double y)
{
    if (!(x > 0)) return 0;
    if (!(y > 0)) return 1;
    if (x <= (a + 1) / (a + b + 2)) return beta_power(a, b, x, y) * beta_fraction(a, b, x);
    return 1 - beta_power(b, a, y, x) * beta_fraction(b, a, y);
}

double beta_lower(double a, double b, double x) { return beta_both(a, b, x, 1 - x); }

double normal_two_sided(double z) { return erfc(fabs(z) / sqrt(2)); }

double chi_square_tail(double df, double x) { return gamma_upper(df / 2, x / 2); }

double f_tail(double df1, double df2, double x)
{
    if (!(x > 0)) return 1;
    if (isinf(x)) return 0;
    double whole = df2 + df1 * x;
    return beta_both(df2 / 2, df1 / 2, df2 / whole, df1 * x / whole);
}

double student_two_sided(double df, double t) { return f_tail(1, df, t * t); }

/* P(range < q) = k int phi(z) (Phi(z) - Phi(z - q))^(k-1) dz, z the largest of the numbers, and the same integral
 * with q = infinity is 1: their difference is
 *     k int phi(z) Phi(z)^(k-1) (1 - (1 - Phi(z-q) / Phi(z))^(k-1)) dz,
 * without cancellation. The integrand is entire and falls off like a Gaussian: for such a function the trapezoidal rule
 * converges faster than any power of its step. */
double range_tail(int k, double q)
{
    if (!(q > 0)) return 1;
    const double step = 1 / 32.0;
    double middle = q / 2, sum = 0;
    for (int i = -12 * 32; i <= 12 * 32; i++) {
        double z = middle + i * step, below = erfc(-z / sqrt(2)) / 2, apart = erfc((q - z) / sqrt(2)) / 2;
        if (below < DBL_MIN) continue;
        double ratio = apart < below ? apart / below : 1;
        sum += exp(-z * z / 2 + (k - 1) * log(below)) * -expm1((k - 1) * log1p(-ratio));
    }
    double p = k * sum * step / sqrt(2 * PI);
    return p < 1 ? p : 1;
}

double range_quantile(int k, double probability)
{
    double low = 0, high = 1;
    while (range_tail(k, high) > probability && high < 64) high *= 2;
    for (int i = 0; i < 60; i++) {
        double q = (low + high) / 2;
        if (range_tail(k, q) > probability)
            low = q;
        else
            high = q;
    }
    return (low + high) / 2;
}
