// SPDX-License-Identifier: BSD-3-Clause
#include "solve/link.h"

#include <math.h>
#include <stddef.h>

#include "solve/ordinal_probit.h"

static const double PI = 3.14159265358979323846, ROOT_HALF = 0.70710678118654752440, ROOT_2PI = 2.50662827463100050242;

const char *const link_names[] = {"logit", "probit", "cloglog", "loglog", "cauchit", NULL};

bool link_is_concave(link_kind link) { return link != LINK_CAUCHIT; }

/* ---- the distributions ---- */

double link_below(link_kind link, double x)
{
    switch (link) {
    case LINK_LOGIT: return 1 / (1 + exp(-x));
    case LINK_PROBIT: return 0.5 * erfc(-x * ROOT_HALF);
    case LINK_CLOGLOG: return -expm1(-exp(x));
    case LINK_LOGLOG: return exp(-exp(-x));
    case LINK_CAUCHIT: return atan2(1, -x) / PI;
    }
    return NAN;
}

/* cloglog and loglog are each other's mirror image; the others are symmetric. */
static link_kind mirrored(link_kind link)
{
    return link == LINK_CLOGLOG ? LINK_LOGLOG : link == LINK_LOGLOG ? LINK_CLOGLOG : link;
}

double link_above(link_kind link, double x) { return link_below(mirrored(link), -x); }

double link_between(link_kind link, double u, double v)
{
    return link_below(link, v) < 0.5 ? link_below(link, u) - link_below(link, v)
                                     : link_above(link, v) - link_above(link, u);
}

double link_density(link_kind link, double x)
{
    double e;
    if (isinf(x)) return 0;
    switch (link) {
    case LINK_LOGIT: e = exp(-fabs(x)); return e / ((1 + e) * (1 + e));
    case LINK_PROBIT: return exp(-0.5 * x * x) / ROOT_2PI;
    case LINK_CLOGLOG: return exp(x - exp(x));
    case LINK_LOGLOG: return exp(-x - exp(-x));
    case LINK_CAUCHIT: return 1 / (PI * (1 + x * x));
    }
    return NAN;
}

double link_bend(link_kind link, double x)
{
    double slope = link_density(link, x);
    if (slope == 0) return 0;
    switch (link) {
    case LINK_LOGIT: return -slope * tanh(0.5 * x);
    case LINK_PROBIT: return -slope * x;
    case LINK_CLOGLOG: return -slope * expm1(x);
    case LINK_LOGLOG: return slope * expm1(-x);
    case LINK_CAUCHIT: return -slope * 2 * x / (1 + x * x);
    }
    return NAN;
}

double link_quantile(link_kind link, double p)
{
    switch (link) {
    case LINK_LOGIT: return log(p / (1 - p));
    case LINK_PROBIT: return normal_quantile(p);
    case LINK_CLOGLOG: return log(-log1p(-p));
    case LINK_LOGLOG: return -log(-log(p));
    case LINK_CAUCHIT: return p < 0.5 ? -1 / tan(PI * p) : tan(PI * (p - 0.5));
    }
    return NAN;
}

/* By the trapezoidal rule, whose error for an integrand with poles at a distance d of the real line is of the order
 * exp(-2 pi d / step): steps of sd z that are small against d (pi for logit, 1 for cauchit). */
double link_below_mean(link_kind link, double x, double sd)
{
    static const double FAR = 8, STEP = 0.25, SMALL = 0.3;
    enum { MOST = 4000 };
    if (!(sd > 0) || isinf(x)) return link_below(link, x);
    if (link == LINK_PROBIT) return link_below(link, x / sqrt(1 + sd * sd));
    int half = (int)fmin(ceil(FAR / fmin(STEP, SMALL / sd)), MOST);
    double step = FAR / half, sum = 0, total = 0;
    for (int k = -half; k <= half; k++) {
        double z = k * step, weight = exp(-0.5 * z * z);
        sum += weight * link_below(link, x + sd * z);
        total += weight;
    }
    return sum / total;
}

/* ---- the likelihood of a class ---- */

/* log p = log s(u) + log s(-v) + log(1 - exp(v - u)), s the logistic function: each term is accurate for any u and
 * v. */
static link_site logit_site(double u, double v)
{
    link_site t = {0};
    bool above = u<INFINITY, below = v> - INFINITY;
    if (above) {
        double s = 1 / (1 + exp(-u));
        t.lp -= u > 0 ? log1p(exp(-u)) : log1p(exp(u)) - u;
        t.g1 = 1 / (1 + exp(u));
        t.h11 = -s * t.g1;
    }
    if (below) {
        double s = 1 / (1 + exp(-v));
        t.lp -= v > 0 ? log1p(exp(-v)) + v : log1p(exp(v));
        t.g2 = -s;
        t.h22 = -s / (1 + exp(v));
    }
    if (above && below) {
        double w = u - v, e = 1 / expm1(w), h = e * (1 + e); /* exp(w) / (exp(w) - 1)^2 */
        t.lp += log(-expm1(-w));
        t.g1 += e;
        t.g2 -= e;
        t.h11 -= h;
        t.h22 -= h;
        t.h12 = h;
    }
    return t;
}

/* p = exp(-e^v) (1 - exp(-D)),  D = e^u - e^v = e^v (e^(u - v) - 1): g1 = e^u / (e^D - 1), g2 = -e^v / (1 - e^-D). With
 * v = -inf, D is e^u. */
static link_site cloglog_site(double u, double v)
{
    link_site t = {0};
    double eu = exp(u), ev = exp(v), D = v > -INFINITY ? ev * expm1(u - v) : eu;
    t.lp = log(-expm1(-D)) - ev;
    if (D < 700) t.g1 = eu / expm1(D);
    if (v > -INFINITY) t.g2 = ev / expm1(-D);
    if (t.g1 != 0) t.h11 = t.g1 * (1 - eu - t.g1);
    if (t.g2 != 0) t.h22 = t.g2 * (1 - ev - t.g2);
    t.h12 = -t.g1 * t.g2;
    return t;
}

static link_site mirror(link_site t)
{
    return (link_site){.lp = t.lp, .g1 = -t.g2, .g2 = -t.g1, .h11 = t.h22, .h12 = t.h12, .h22 = t.h11};
}

/* p = (atan u - atan v) / pi as the angle between the two, which is accurate far out. */
static link_site cauchit_site(double u, double v)
{
    link_site t = {0};
    bool above = u<INFINITY, below = v> - INFINITY;
    double p = above && below ? atan2(u - v, 1 + u * v) / PI : above ? atan2(1, -u) / PI : below ? atan2(1, v) / PI : 1;
    t.lp = log(p);
    if (above) {
        t.g1 = 1 / (PI * (1 + u * u) * p);
        t.h11 = -t.g1 * (2 * u / (1 + u * u) + t.g1);
    }
    if (below) {
        t.g2 = -1 / (PI * (1 + v * v) * p);
        t.h22 = -t.g2 * (2 * v / (1 + v * v) + t.g2);
    }
    t.h12 = -t.g1 * t.g2;
    return t;
}

static link_site probit_site(double f, int low, int high, int K, const double *b)
{
    ordinal_probit o = ordinal_probit_at(f, low, high, K, b, 1);
    return (link_site){.lp = o.lp, .g1 = o.e1, .g2 = -o.e2, .h11 = o.h11, .h12 = o.h12, .h22 = o.h22};
}

link_site link_site_at(link_kind link, double u, double v)
{
    if (!(u > v)) return (link_site){.lp = -INFINITY};
    switch (link) {
    case LINK_LOGIT: return logit_site(u, v);
    case LINK_PROBIT: return probit_site(0, v > -INFINITY ? 2 : 1, u < INFINITY ? 2 : 3, 3, (double[]){v, u});
    case LINK_CLOGLOG: return cloglog_site(u, v);
    case LINK_LOGLOG: return mirror(cloglog_site(-v, -u));
    case LINK_CAUCHIT: return cauchit_site(u, v);
    }
    return (link_site){.lp = NAN};
}

link_site link_site_of(link_kind link, double f, int low, int high, int K, const double *b)
{
    if (link == LINK_PROBIT) return probit_site(f, low, high, K, b); /* the width of a class exactly as it is */
    return link_site_at(link, high < K ? b[high - 1] - f : INFINITY, low > 1 ? b[low - 2] - f : -INFINITY);
}

/* L'''(x) / L'(x) */
static double relative_third(link_kind link, double x)
{
    double e;
    switch (link) {
    case LINK_LOGIT: e = tanh(0.5 * x); return 1.5 * e * e - 0.5;
    case LINK_PROBIT: return x * x - 1;
    case LINK_CLOGLOG: e = exp(x); return (1 - e) * (1 - e) - e;
    case LINK_LOGLOG: e = exp(-x); return (1 - e) * (1 - e) - e;
    case LINK_CAUCHIT: e = 1 + x * x; return (6 * x * x - 2) / (e * e);
    }
    return NAN;
}

/* With p = L(u) - L(v): g1 = L'(u) / p, h11 = L''(u) / p - g1^2, and log p changes by g1 in u and by g2 in v. */
link_cubic link_cubic_of(link_kind link, double f, int low, int high, int K, const double *b)
{
    link_cubic c = {.at = link_site_of(link, f, low, high, K, b)};
    const link_site *s = &c.at;
    if (s->g1 != 0) c.t111 = s->g1 * (relative_third(link, b[high - 1] - f) - 3 * s->h11 - s->g1 * s->g1);
    if (s->g2 != 0) c.t222 = s->g2 * (relative_third(link, b[low - 2] - f) - 3 * s->h22 - s->g2 * s->g2);
    c.t112 = s->g2 * (s->g1 * s->g1 - s->h11);
    c.t122 = s->g1 * (s->g2 * s->g2 - s->h22);
    return c;
}
