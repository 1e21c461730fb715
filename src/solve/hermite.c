// SPDX-License-Identifier: BSD-3-Clause
#include "solve/hermite.h"

#include <math.h>

/* The normalised Hermite polynomials of the normal density: sqrt(k) h_k = x h_{k-1} - sqrt(k - 1) h_{k-2}, h_0 = 1.
 * Returns h_n; *before: h_{n-1}. The derivative of h_n is sqrt(n) h_{n-1}. */
static double hermite(int n, double x, double *before)
{
    double h = 1;
    *before = 0;
    for (int k = 1; k <= n; k++) {
        double next = (x * h - sqrt(k - 1.0) * *before) / sqrt((double)k);
        *before = h;
        h = next;
    }
    return h;
}

/* How many roots lie below x: the sign changes of h_0, ..., h_n, a Sturm sequence. */
static int roots_below(int n, double x)
{
    double h = 1, before = 0;
    int changes = 0;
    for (int k = 1; k <= n; k++) {
        double next = (x * h - sqrt(k - 1.0) * before) / sqrt((double)k);
        changes += (next < 0) != (h < 0);
        before = h;
        h = next;
    }
    return n - changes;
}

/* The roots by bisection, which cannot miss one, and Newton's method; the weight at a root is 1 / (n h_{n-1}^2). */
void hermite_nodes(int n, double *x, double *weight)
{
    double before;
    for (int i = 0; i < n; i++) {
        double low = -2 * sqrt(n + 1.0), high = -low;
        for (int step = 0; step < 40; step++) {
            double middle = 0.5 * (low + high);
            if (roots_below(n, middle) > i)
                high = middle;
            else
                low = middle;
        }
        x[i] = 0.5 * (low + high);
        for (int step = 0; step < 3; step++) {
            double h = hermite(n, x[i], &before);
            x[i] -= h / (sqrt((double)n) * before);
        }
    }
    for (int i = 0; i < n / 2; i++) {
        x[n - 1 - i] = 0.5 * (x[n - 1 - i] - x[i]);
        x[i] = -x[n - 1 - i];
    }
    if (n % 2) x[n / 2] = 0;
    for (int i = 0; i < n; i++) {
        hermite(n, x[i], &before);
        weight[i] = 1 / (n * before * before);
    }
}
