// SPDX-License-Identifier: BSD-3-Clause
/* exp.c - a vectorised exponential.
 *
 *     x = k ln2 + r, |r| <= ln2/2;   exp(x) = 2^k exp(r),   exp(r) = 1 + r + r^2 p(r)
 *
 * with p the Taylor polynomial of degree 11 (truncation 5e-18 relative). ln2 is split in two parts (Cody and Waite), so
 * r has a negligible error. 2^k is applied as two factors, each a normal number, so results underflow gradually and
 * overflow to infinity. There is no branch: compilers turn the loop into vector code. Error below 1.5 ulp (tested).
 *
 * The body is compiled for the instruction sets that matter and chosen when used; it uses fused multiply-add only
 * where that is an instruction, so bits depend on the kind of machine, not on the compiler. */
#include <math.h>
#include <string.h>

#include "linalg/internal.h"

static inline uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#define SHIFT 0x1.8p52 /* adding it leaves round(t) in the low bits */

#define EXP_BODY(MADD)                                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        double v = factor * x[i];                                                                                      \
        v = v < -746.0 ? -746.0 : v;                                                                                   \
        v = v > 710.0 ? 710.0 : v;                                                                                     \
        double t = MADD(v, 0x1.71547652b82fep0, SHIFT);                                                                \
        uint64_t k = bits_of(t) - bits_of(SHIFT) + 2048u; /* k + 2048 > 0 */                                           \
        double kd = t - SHIFT;                                                                                         \
        double r = MADD(kd, -0x1.62e42fefa3800p-1, v); /* 39 bits of ln2: the product is exact */                      \
        r = MADD(kd, -0x1.ef35793c76730p-45, r);                                                                       \
        double p = 1.0 / 6227020800.0;                                                                                 \
        p = MADD(p, r, 1.0 / 479001600.0);                                                                             \
        p = MADD(p, r, 1.0 / 39916800.0);                                                                              \
        p = MADD(p, r, 1.0 / 3628800.0);                                                                               \
        p = MADD(p, r, 1.0 / 362880.0);                                                                                \
        p = MADD(p, r, 1.0 / 40320.0);                                                                                 \
        p = MADD(p, r, 1.0 / 5040.0);                                                                                  \
        p = MADD(p, r, 1.0 / 720.0);                                                                                   \
        p = MADD(p, r, 1.0 / 120.0);                                                                                   \
        p = MADD(p, r, 1.0 / 24.0);                                                                                    \
        p = MADD(p, r, 1.0 / 6.0);                                                                                     \
        p = MADD(p, r, 0.5);                                                                                           \
        double e = 1.0 + MADD(r * r, p, r);                                                                            \
        uint64_t half = k >> 1;                                                                                        \
        y[i] = e * double_of((half - 1) << 52) * double_of((k - half - 1) << 52);                                      \
    }

#define PLAIN(a, b, c) ((a) * (b) + (c))

static void exp_plain(int64_t n, double factor, const double *x, double *y){
#pragma omp simd
    EXP_BODY(PLAIN)}

#ifdef WIDE_512
#define FUSED(a, b, c) __builtin_fma(a, b, c)

WIDE_256 static void exp_256(int64_t n, double factor, const double *x, double *y){
#pragma omp simd
    EXP_BODY(FUSED)}

WIDE_512 static void exp_512(int64_t n, double factor, const double *x, double *y)
{
#pragma omp simd
    EXP_BODY(FUSED)
}

void exp_scaled(int64_t n, double factor, const double *x, double *y)
{
    if (has_512())
        exp_512(n, factor, x, y);
    else if (has_256())
        exp_256(n, factor, x, y);
    else
        exp_plain(n, factor, x, y);
}
#else
void exp_scaled(int64_t n, double factor, const double *x, double *y)
{
    exp_plain(n, factor, x, y);
}
#endif

void la_exp(int64_t n, const double *x, double *y) { exp_scaled(n, 1, x, y); }

/* ---- single precision ---- */

#define SHIFT_SINGLE 0x1.8p23f

/* The same with the Taylor polynomial of degree 7 (truncation 2e-8 relative); below exp(-87) it is that. */
#define GAUSS_BODY(MADD)                                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
        float d2 = k->nx[i] + k->nz - 2 * g[i];                                                                        \
        float v = -k->gamma * (d2 > 0 ? d2 : 0);                                                                       \
        v = v < -87.0f ? -87.0f : v;                                                                                   \
        float t = MADD(v, 0x1.715476p0f, SHIFT_SINGLE), kd = t - SHIFT_SINGLE;                                         \
        uint32_t whole = bits_of_single(t) - bits_of_single(SHIFT_SINGLE) + 127u;                                      \
        float r = MADD(kd, -0x1.62e4p-1f, v); /* 15 bits of ln2: the product is exact */                               \
        r = MADD(kd, -0x1.7f7d1cp-20f, r);                                                                             \
        float p = 1.0f / 5040;                                                                                         \
        p = MADD(p, r, 1.0f / 720);                                                                                    \
        p = MADD(p, r, 1.0f / 120);                                                                                    \
        p = MADD(p, r, 1.0f / 24);                                                                                     \
        p = MADD(p, r, 1.0f / 6);                                                                                      \
        p = MADD(p, r, 0.5f);                                                                                          \
        float e = 1.0f + MADD(r * r, p, r);                                                                            \
        g[i] = e * single_of(whole << 23) - k->shift[i];                                                               \
    }

static inline uint32_t bits_of_single(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float single_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static void gauss_plain(int64_t n, const single_gauss *k, float *g){
#pragma omp simd
    GAUSS_BODY(PLAIN)}

#ifdef WIDE_512
#define FUSED_SINGLE(a, b, c) __builtin_fmaf(a, b, c)

WIDE_256 static void gauss_256(int64_t n, const single_gauss *k, float *g){
#pragma omp simd
    GAUSS_BODY(FUSED_SINGLE)}

WIDE_512 static void gauss_512(int64_t n, const single_gauss *k, float *g)
{
#pragma omp simd
    GAUSS_BODY(FUSED_SINGLE)
}

void single_gauss_run(int64_t n, const single_gauss *k, float *g)
{
    if (has_512())
        gauss_512(n, k, g);
    else if (has_256())
        gauss_256(n, k, g);
    else
        gauss_plain(n, k, g);
}
#else
void single_gauss_run(int64_t n, const single_gauss *k, float *g)
{
    gauss_plain(n, k, g);
}
#endif
