// SPDX-License-Identifier: BSD-3-Clause
/* Cumulative links: P(y <= q) = L(u_q) with a distribution function L, and the likelihood of a class, or of an interval
 * of classes, that lies between two thresholds, u above and v below it:
 *     log p = log(L(u) - L(v)),   u = inf for the highest class, v = -inf for the lowest.
 *
 *     logit    L(x) = 1 / (1 + exp(-x))         cloglog  L(x) = 1 - exp(-exp(x))
 *     probit   L(x) = Phi(x)                    loglog   L(x) = exp(-exp(-x))
 *     cauchit  L(x) = 1/2 + atan(x) / pi
 *
 * log p is concave in (u, v) for all of them but cauchit. Values and derivatives are accurate in both tails. */
#ifndef RUNG_SOLVE_LINK_H
#define RUNG_SOLVE_LINK_H

#include <stdbool.h>

typedef enum { LINK_LOGIT, LINK_PROBIT, LINK_CLOGLOG, LINK_LOGLOG, LINK_CAUCHIT } link_kind;
#define LINK_CHOICES "logit|probit|cloglog|loglog|cauchit"
extern const char *const link_names[]; /* by kind; NULL is the last */

double link_below(link_kind link, double x);             /* L(x) */
double link_above(link_kind link, double x);             /* 1 - L(x) */
double link_between(link_kind link, double u, double v); /* L(u) - L(v) for u > v; either may be infinite */
double link_density(link_kind link, double x);           /* L'(x) */
double link_bend(link_kind link, double x);              /* L''(x) */
double link_quantile(link_kind link, double p);          /* L(x) = p, 0 < p < 1 */
/* The mean of L(x + sd z) over a standard normal z: the distribution function of the sum of both. */
double link_below_mean(link_kind link, double x, double sd);
bool link_is_concave(link_kind link); /* log p is concave in (u, v) */

/* log p and its first and second derivatives in u and v; 0 at an infinite end. lp is -inf unless u > v. */
typedef struct {
    double lp, g1, g2, h11, h12, h22;
} link_site;
link_site link_site_at(link_kind link, double u, double v);
/* The same for ranks low..high (low == high: a class) of K, thresholds b (K - 1, ascending) and the latent value f:
 * u = b_high - f, v = b_{low-1} - f. */
link_site link_site_of(link_kind link, double f, int low, int high, int K, const double *b);

/* The same with third derivatives. */
typedef struct {
    link_site at;
    double t111, t112, t122, t222;
} link_cubic;
link_cubic link_cubic_of(link_kind link, double f, int low, int high, int K, const double *b);

#endif
