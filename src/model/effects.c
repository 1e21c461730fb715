// SPDX-License-Identifier: BSD-3-Clause
#include "model/effects.h"

#include <math.h>
#include <string.h>

static int compare_levels(const random_effect *t, int64_t group, const double *x)
{
    for (int k = 0; k < t->n_factors; k++) {
        double own = (double)t->level[group * t->n_factors + k], wanted = x[t->factor[k]];
        if (own != wanted) return own < wanted ? -1 : 1;
    }
    return 0;
}

int64_t effect_group(const random_effect *t, const double *x)
{
    int64_t low = 0, high = t->n_groups;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (compare_levels(t, middle, x) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->n_groups && compare_levels(t, low, x) == 0 ? low : -1;
}

static double value_of(const random_effect *t, const double *x, int r) { return r ? x[t->slope[r - 1]] : 1; }

double effects_of_known(const random_effects *effects, const double *x)
{
    double sum = 0;
    for (int i = 0; i < effects->n; i++) {
        const random_effect *t = &effects->term[i];
        int64_t g = effect_group(t, x);
        for (int r = 0; g >= 0 && r < t->q; r++) sum += t->mode[g * t->q + r] * value_of(t, x, r);
    }
    return sum;
}

double effects_of_new(const random_effects *effects, const double *x)
{
    double sum = 0;
    for (int i = 0; i < effects->n; i++) {
        const random_effect *t = &effects->term[i];
        if (effect_group(t, x) >= 0) continue;
        for (int c = 0; c < t->q; c++)
            for (int r = 0; r < t->q; r++) sum += value_of(t, x, r) * t->covariance[r + c * t->q] * value_of(t, x, c);
    }
    return fmax(sum, 0);
}

/* u_0 + u_1 (x - shift) factor */
void effect_transform(const random_effect *t, const scaling *s, double *T)
{
    int q = t->q;
    memset(T, 0, (size_t)(q * q) * sizeof *T);
    T[0] = 1;
    for (int r = 1; r < q; r++) {
        bool scaled = s->kind != SCALE_NONE;
        T[r + r * q] = scaled ? s->factor[t->slope[r - 1]] : 1;
        T[r * q] = scaled ? -s->factor[t->slope[r - 1]] * s->shift[t->slope[r - 1]] : 0;
    }
}

void effect_carry(int q, const double *T, const double *A, double *out)
{
    for (int i = 0; i < q; i++)
        for (int j = 0; j < q; j++) {
            double sum = 0;
            for (int k = 0; k < q; k++)
                for (int l = 0; l < q; l++) sum += T[i + k * q] * A[k + l * q] * T[j + l * q];
            out[i + j * q] = sum;
        }
}
