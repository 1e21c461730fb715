// SPDX-License-Identifier: BSD-3-Clause
#include "solve/cumulative.h"

#include <math.h>

static const double LEAST = 1e-6; /* probabilities are clipped to this before sharpening */

/* In place, one part at a time: the values to the right of it are still unchanged. */
void cumulative_repair(int K, double *P)
{
    enum { PART = 256 };
    double smallest = 1, above[PART] = {0};
    for (int q = 0; q < K - 1; q++) P[q] = P[q] > 1 ? 1 : P[q] > 0 ? P[q] : 0;
    for (int from = 0; from < K - 1; from += PART) {
        int to = K - 1 - from < PART ? K - 1 : from + PART;
        double largest = 0;
        for (int q = K - 2; q >= from; q--) {
            largest = P[q] > largest ? P[q] : largest;
            if (q < to) above[q - from] = largest;
        }
        for (int q = from; q < to; q++) {
            smallest = P[q] < smallest ? P[q] : smallest;
            P[q] = 0.5 * (smallest + above[q - from]);
        }
    }
}

void cumulative_classes(int K, const double *P, double *p)
{
    for (int q = K - 1; q >= 0; q--) p[q] = (q > 0 ? P[q - 1] : 1) - (q < K - 1 ? P[q] : 0);
}

void cumulative_sums(int K, const double *p, double *P)
{
    double below = 0;
    for (int q = 0; q < K - 1; q++) {
        below += p[q];
        P[q] = fmax(1 - below, 0); /* p_q is not needed any more */
    }
}

int cumulative_rank(int K, const double *P)
{
    int rank = 1;
    for (int q = 0; q < K - 1; q++) rank += P[q] > 0.5;
    return rank;
}

void cumulative_power(int K, const double *score, const double *prior, double power, double *p)
{
    double largest = 0, sum = 0;
    for (int q = 0; q < K; q++) largest = fmax(largest, score[q]);
    for (int q = 0; q < K; q++) {
        p[q] = pow(largest > 0 ? fmax(score[q], 0) / largest : prior[q], power);
        sum += p[q];
    }
    for (int q = 0; q < K; q++) p[q] /= sum;
}

void cumulative_sharpen(int K, double t, double *P)
{
    for (int q = 0; q < K - 1; q++) {
        double x = fmin(fmax(P[q], LEAST), 1 - LEAST);
        P[q] = 1 / (1 + pow((1 - x) / x, t));
    }
}

double cumulative_error(int K, const double *P, int low, int high)
{
    double sum = 0;
    for (int q = 0; q < K - 1; q++) {
        if (low <= q + 1 && q + 1 < high) continue;
        double difference = P[q] - (low > q + 1);
        sum += difference * difference;
    }
    return sum;
}
