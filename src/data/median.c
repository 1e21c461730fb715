// SPDX-License-Identifier: BSD-3-Clause
#include "data/median.h"

#include <math.h>

#include "base/rng.h"

/* The smallest number whose weight, with that of all smaller ones, reaches `share`; upto is this weight (Hoare's
 * selection). Random pivots make the time linear on average for any order of the rows; the result does not depend on
 * them. */
static double select_weight(weighted_value *v, int64_t n, double share, double *upto)
{
    rng r;
    double before = 0; /* of the numbers below v[low] */
    rng_open(&r, 0, 0);
    for (int64_t low = 0, high = n - 1;;) {
        double pivot = v[low + rng_below(&r, high - low + 1)].x, less = 0, equal = 0;
        int64_t below = low, above = high; /* v[low..below) < pivot, v(above..high] > pivot, equal between */
        for (int64_t i = low; i <= above;) {
            weighted_value one = v[i];
            if (one.x < pivot)
                less += one.w, v[i++] = v[below], v[below++] = one;
            else if (one.x > pivot)
                v[i] = v[above], v[above--] = one;
            else
                equal += one.w, i++;
        }
        if (below > low && before + less >= share) {
            high = below - 1;
        } else if (above < high && before + less + equal < share) {
            before += less + equal;
            low = above + 1;
        } else {
            *upto = before + less + equal;
            return pivot;
        }
    }
}

double median(weighted_value *v, int64_t n)
{
    double total = 0, upto, upper = INFINITY;
    for (int64_t i = 0; i < n; i++) total += v[i].w;
    double lower = select_weight(v, n, total / 2, &upto);
    if (upto > total / 2) return lower;
    for (int64_t i = 0; i < n; i++)
        if (v[i].x > lower && v[i].x < upper) upper = v[i].x;
    if (isinf(upper)) return lower;
    double sum = lower + upper;
    return isfinite(sum) ? sum / 2 : lower / 2 + upper / 2;
}
