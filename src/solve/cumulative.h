// SPDX-License-Identifier: BSD-3-Clause
/* Cumulative probabilities P_q = P(y > q), q = 1..K-1: ordinal predictions are averaged and scored in this form. */
#ifndef RUNG_SOLVE_CUMULATIVE_H
#define RUNG_SOLVE_CUMULATIVE_H

/* Makes K - 1 numbers valid: clipped to [0, 1] and non-increasing, by the mean of the running minimum from q = 1 up and
 * the running maximum from q = K - 1 down. */
void cumulative_repair(int K, double *P);

void cumulative_classes(int K, const double *P, double *p); /* p_q = P_{q-1} - P_q, P_0 = 1, P_K = 0; p may be P */
void cumulative_sums(int K, const double *p, double *P);    /* and back; P may be p */
int cumulative_rank(int K, const double *P);                /* 1 + #{q : P_q > 1/2}: the posterior median */

/* Class scores >= 0 (others count as 0) to probabilities: score^power, normalised; `prior` (sums to 1) instead of the
 * scores where no class has any. p may be score. */
void cumulative_power(int K, const double *score, const double *prior, double power, double *p);

/* P^t / (P^t + (1-P)^t) after clipping P to [1e-6, 1 - 1e-6]: sharper for t > 1; no median changes. */
void cumulative_sharpen(int K, double t, double *P);

/* sum_q (P_q - 1[y > q])^2, the ranked probability score of a label low..high; thresholds inside it do not count. */
double cumulative_error(int K, const double *P, int low, int high);

#endif
