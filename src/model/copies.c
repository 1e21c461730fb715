// SPDX-License-Identifier: BSD-3-Clause
#include "model/copies.h"

int64_t copies_find(const row_copies *c, double key, int64_t *first)
{
    int64_t low = 0, high = c->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (c->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low < c->n && c->key[low] == key) low++;
    return low - *first;
}

void copies_mix(const row_copies *c, int64_t first, int64_t count, int K, double *p)
{
    for (int q = 0; q < K; q++) p[q] *= 1 - c->weight;
    for (int64_t i = first; i < first + count; i++) p[c->rank[i] - 1] += c->weight / (double)count;
}
