// SPDX-License-Identifier: BSD-3-Clause
#include "trees/gains.h"

/* One formula for every processor: without fused operations all versions have the same bits. */
#define GAINS_BODY                                                                                                     \
    int64_t all_g = l->sum[0], all_h = l->sum[1], more_g = l->missing[0], more_h = l->missing[1], least = l->min_rows; \
    int64_t counts = ((int64_t)1 << l->units.shift) - 1;                                                               \
    double unit_g = l->units.g, unit_h = l->units.h, l2 = l->l2, worth = l->worth;                                     \
    int shift = l->units.shift;                                                                                        \
    _Pragma("omp simd") for (int i = 0; i < n; i++)                                                                    \
    {                                                                                                                  \
        int64_t left_g = g[i] + more_g, left_h = h[i] + more_h, right_g = all_g - left_g, right_h = all_h - left_h;    \
        double a = (double)left_g * unit_g, b = (double)right_g * unit_g;                                              \
        double p = (double)(left_h >> shift) * unit_h + l2, q = (double)(right_h >> shift) * unit_h + l2;              \
        double v = a * a / p + b * b / q - worth;                                                                      \
        gain[i] = ((left_h & counts) >= least) & ((right_h & counts) >= least) ? v : -1;                               \
    }

static void gains_plain(const gain_leaf *l, int n, const int64_t *g, const int64_t *h, double *gain) { GAINS_BODY }

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))) static void
gains_avx512(const gain_leaf *l, int n, const int64_t *g, const int64_t *h, double *gain)
{
    GAINS_BODY
}

void prefix_gains(const gain_leaf *l, int n, const int64_t *g, const int64_t *h, double *gain)
{
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        gains_avx512(l, n, g, h, gain);
    else
        gains_plain(l, n, g, h, gain);
}
#else
void prefix_gains(const gain_leaf *l, int n, const int64_t *g, const int64_t *h, double *gain)
{
    gains_plain(l, n, g, h, gain);
}
#endif
