// SPDX-License-Identifier: BSD-3-Clause
/* Tail probabilities of the distributions that tests refer to. Tails are computed as such, never as 1 - something, so
 * a p value of 1e-40 is right to about 13 digits. */
#ifndef RUNG_CLI_DISTRIBUTIONS_H
#define RUNG_CLI_DISTRIBUTIONS_H

double gamma_upper(double a, double x);          /* Q(a, x), the regularised upper incomplete gamma function; a > 0 */
double beta_lower(double a, double b, double x); /* I_x(a, b), the regularised incomplete beta function; a, b > 0 */

double normal_two_sided(double z);                /* P(|Z| >= |z|) */
double chi_square_tail(double df, double x);      /* P(X >= x) */
double f_tail(double df1, double df2, double x);  /* P(X >= x) */
double student_two_sided(double df, double t);    /* P(|T| >= |t|) */
double range_tail(int k, double q);               /* P(range of k standard normal numbers >= q) */
double range_quantile(int k, double probability); /* the q with range_tail(k, q) = probability */

#endif
