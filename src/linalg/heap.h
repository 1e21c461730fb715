// SPDX-License-Identifier: BSD-3-Clause
/* The k smallest of many (distance, index) pairs: a heap with the largest on top, in the output arrays. */
#ifndef RUNG_LINALG_HEAP_H
#define RUNG_LINALG_HEAP_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t k, n; /* room, used */
    double *d2;
    int64_t *index;
} nearest_heap;

static inline bool heap_less(const nearest_heap *h, int64_t a, int64_t b)
{
    return h->d2[a] < h->d2[b] || (h->d2[a] == h->d2[b] && h->index[a] < h->index[b]);
}

static inline void heap_swap(nearest_heap *h, int64_t a, int64_t b)
{
    double d2 = h->d2[a];
    int64_t index = h->index[a];
    h->d2[a] = h->d2[b];
    h->index[a] = h->index[b];
    h->d2[b] = d2;
    h->index[b] = index;
}

static inline void heap_sink(nearest_heap *h, int64_t at)
{
    for (;;) {
        int64_t worst = at, child = 2 * at + 1;
        if (child < h->n && heap_less(h, worst, child)) worst = child;
        if (child + 1 < h->n && heap_less(h, worst, child + 1)) worst = child + 1;
        if (worst == at) return;
        heap_swap(h, at, worst);
        at = worst;
    }
}

/* The largest distance in a full heap: a pair with distance > this cannot enter. */
static inline double heap_worst(const nearest_heap *h) { return h->n < h->k ? INFINITY : h->d2[0]; }

static inline bool heap_takes(const nearest_heap *h, double d2, int64_t index)
{
    return h->n < h->k || d2 < h->d2[0] || (d2 == h->d2[0] && index < h->index[0]);
}

/* Only what heap_takes. */
static inline void heap_put(nearest_heap *h, double d2, int64_t index)
{
    if (h->n == h->k) {
        h->d2[0] = d2;
        h->index[0] = index;
        heap_sink(h, 0);
        return;
    }
    int64_t at = h->n++;
    h->d2[at] = d2;
    h->index[at] = index;
    while (at > 0 && heap_less(h, (at - 1) / 2, at)) {
        heap_swap(h, (at - 1) / 2, at);
        at = (at - 1) / 2;
    }
}

/* Sorts the pairs, nearest first; the array is then no longer a heap. */
static inline void heap_sort(nearest_heap *h)
{
    int64_t all = h->n;
    while (h->n > 1) {
        heap_swap(h, 0, --h->n);
        heap_sink(h, 0);
    }
    h->n = all;
}

#endif
