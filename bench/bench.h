// SPDX-License-Identifier: BSD-3-Clause
/* What the benchmarks share: a clock, the best of several runs, and data. Machines are noisy: compare within one run
 * only. */
#ifndef RUNG_BENCH_H
#define RUNG_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "rung/experimental.h"

enum { RUNS = 5 };

/* Lets OpenBLAS use its own threads; another BLAS, where the weak reference is NULL, keeps what it has. */
void openblas_set_num_threads(int threads) __attribute__((weak));
static inline void blas_threads(int threads)
{
    if (openblas_set_num_threads) openblas_set_num_threads(threads);
}

static inline double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void need(const rung_ctx *ctx, rung_status status)
{
    if (status == RUNG_OK) return;
    fprintf(stderr, "bench: %s\n", rung_ctx_message(ctx));
    exit(1);
}

/* n rows of d normal numbers, classes along a bent direction. */
static inline void draw(int64_t n, int64_t d, int K, double *x, int *y)
{
    rng r;
    rng_open(&r, 1, 0);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) x[i * d + j] = rng_normal(&r);
        double t = x[i * d] * x[i * d + 1] + 0.3 * rng_normal(&r);
        int q = 1 + (int)((t + 1.5) / 3 * K);
        y[i] = q < 1 ? 1 : q > K ? K : q;
    }
}

static inline double smaller(double a, double b) { return a < b ? a : b; }

#endif
