// SPDX-License-Identifier: BSD-3-Clause
#include "solve/chi_square.h"

#include <math.h>

/* By the finite sums for whole degrees of freedom. */
double chi_square_above(double x, int df)
{
    if (df < 1) return x > 0 ? 0 : 1;
    double half = x / 2, sum = df % 2 ? erfc(sqrt(half)) : exp(-half);
    double part = df % 2 ? exp(-half) * sqrt(half) / tgamma(1.5) : exp(-half) * half;
    for (int k = df % 2 ? 3 : 4; k <= df; k += 2) {
        sum += part;
        part *= half / (0.5 * k);
    }
    return fmin(sum, 1);
}
