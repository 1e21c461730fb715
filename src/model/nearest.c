// SPDX-License-Identifier: BSD-3-Clause
/* One pass over the rows keeps the k nearest in a heap with the farthest at its root; taking the root away k times then
 * leaves them in order. Distances are summed from differences: equal rows are exactly as far away. */
#include "model/nearest.h"

typedef struct {
    int64_t *row;
    double *distance;
} heap;

static bool farther(const heap *h, int64_t a, int64_t b)
{
    if (h->distance[a] != h->distance[b]) return h->distance[a] > h->distance[b];
    return h->row[a] > h->row[b];
}

static void swap(const heap *h, int64_t a, int64_t b)
{
    int64_t row = h->row[a];
    double distance = h->distance[a];
    h->row[a] = h->row[b];
    h->distance[a] = h->distance[b];
    h->row[b] = row;
    h->distance[b] = distance;
}

/* Element i may be too near for its place among the first n. */
static void sink(const heap *h, int64_t n, int64_t i)
{
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && farther(h, child + 1, child)) child++;
        if (!farther(h, child, i)) return;
        swap(h, i, child);
    }
}

static double squared_distance(int64_t d, const double *x, const double *z)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (x[j] - z[j]) * (x[j] - z[j]);
    return sum;
}

void nearest_rows(int64_t d, const double *x, int64_t m, const double *rows, int64_t k, int64_t *row, double *distance)
{
    heap h = {row, distance};
    for (int64_t j = 0; j < k; j++) {
        row[j] = j;
        distance[j] = squared_distance(d, x, rows + j * d);
    }
    for (int64_t i = k / 2 - 1; i >= 0; i--) sink(&h, k, i);
    for (int64_t j = k; j < m; j++) { /* a row as far as the root comes after it */
        double here = squared_distance(d, x, rows + j * d);
        if (!(here < distance[0])) continue;
        row[0] = j;
        distance[0] = here;
        sink(&h, k, 0);
    }
    for (int64_t n = k - 1; n > 0; n--) {
        swap(&h, 0, n);
        sink(&h, n, 0);
    }
}
