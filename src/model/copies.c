// SPDX-License-Identifier: BSD-3-Clause
#include "model/copies.h"

#include "model/model.h"

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

double copies_mix(const row_copies *c, int64_t first, int64_t count, int K, double *p)
{
    double kept = 1 - c->weight, share = c->weight / (double)count;
    if (c->mass) {
        double total = c->prior;
        for (int64_t i = first; i < first + count; i++) total += c->mass[i];
        kept = c->prior / total;
        share = 1 / total;
    }
    for (int q = 0; q < K; q++) p[q] *= kept;
    for (int64_t i = first; i < first + count; i++) p[c->rank[i] - 1] += share * (c->mass ? c->mass[i] : 1);
    return kept;
}

int copies_rank(int K, int rank, const double *p, const double *q, double share)
{
    int moved = posterior_median(K, q);
    return share > 0.5 && moved == posterior_median(K, p) ? rank : moved;
}
