// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

void rng_open(rng *r, uint64_t seed, uint64_t stream)
{
    uint64_t x = seed, y = stream + 0x632be59bd9b4e019u;
    for (int i = 0; i < 4; i++) r->s[i] = splitmix(&x) ^ rotate(splitmix(&y), 23);
    if (!(r->s[0] | r->s[1] | r->s[2] | r->s[3])) r->s[0] = 1; /* the only state that never changes */
}

uint64_t rng_bits(rng *r)
{
    uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double rng_uniform(rng *r) { return (double)(rng_bits(r) >> 11) * 0x1p-53; }

__extension__ typedef unsigned __int128 wide;

/* Lemire's multiplication, with the biased remainder rejected. */
int64_t rng_below(rng *r, int64_t n)
{
    uint64_t range = (uint64_t)n, limit = -range % range;
    for (;;) {
        wide m = (wide)rng_bits(r) * range;
        if ((uint64_t)m >= limit) return (int64_t)(m >> 64);
    }
}

/* Marsaglia's polar method; the second value is dropped so that a stream has no hidden state. */
double rng_normal(rng *r)
{
    for (;;) {
        double u = 2 * rng_uniform(r) - 1, v = 2 * rng_uniform(r) - 1, s = u * u + v * v;
        if (s > 0 && s < 1) return u * sqrt(-2 * log(s) / s);
    }
}

void rng_shuffle(rng *r, int64_t *v, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = rng_below(r, i + 1), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}
