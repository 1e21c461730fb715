// SPDX-License-Identifier: BSD-3-Clause
/* Random numbers: xoshiro256** (Blackman and Vigna), seeded by splitmix64; one stream per task, so that results do not
 * depend on the assignment of tasks to threads. */
#ifndef RUNG_BASE_RNG_H
#define RUNG_BASE_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t s[4];
} rng;

void rng_open(rng *r, uint64_t seed, uint64_t stream);
uint64_t rng_bits(rng *r);
double rng_uniform(rng *r);           /* [0, 1) with 53 random bits */
int64_t rng_below(rng *r, int64_t n); /* 0..n-1, exactly uniform */
double rng_normal(rng *r);            /* mean 0, variance 1 */
void rng_shuffle(rng *r, int64_t *v, int64_t n);

#endif
