// SPDX-License-Identifier: BSD-3-Clause
#include "problem/cache.h"

#include <math.h>
#include <string.h>

static bool same_kernel(const kernel *a, const kernel *b)
{
    if (a->kind == KERNEL_PRECOMPUTED) return b->kind == KERNEL_PRECOMPUTED;
    return a->kind == b->kind && a->gamma == b->gamma && a->coef0 == b->coef0 && a->degree == b->degree &&
           a->n_precisions == b->n_precisions &&
           (a->n_precisions == 0 ||
            memcmp(a->precisions, b->precisions, (size_t)a->n_precisions * sizeof *a->precisions) == 0);
}

static bool same_place(const place *a, const place *b)
{
    return a->kind == b->kind && (a->kind == PLACE_INPUT || same_kernel(&a->k, &b->k)) && a->r == b->r &&
           a->landmarks == b->landmarks;
}

static bool same_graph(const problem_graph *a, const problem_graph *b)
{
    return a->neighbours == b->neighbours && a->rule == b->rule && a->weight == b->weight &&
           (a->weight != EDGE_GAUSSIAN || a->width == b->width || (isnan(a->width) && isnan(b->width)));
}

static bool answers(const problem_entry *e, entry_kind kind, const entry_key *key)
{
    if (e->kind != kind || !same_place(&e->key.at, &key->at)) return false;
    if (kind == ENTRY_ROOT) return e->key.constant == key->constant;
    if (kind == ENTRY_LANDMARKS) return e->key.landmarks == key->landmarks;
    if (kind == ENTRY_EIGEN) return e->eigen.r >= key->at_least;
    if (kind == ENTRY_LISTS) return e->lists.k >= key->at_least;
    if (kind == ENTRY_LAPLACIAN && e->key.norm != key->norm) return false;
    return (kind != ENTRY_EDGES && kind != ENTRY_LAPLACIAN) || same_graph(&e->key.graph, &key->graph);
}

const problem_entry *cache_find(const problem *p, entry_kind kind, const entry_key *key)
{
    for (;; p = p->parent) {
        for (const problem_entry *e = p->cache; e; e = e->next)
            if (answers(e, kind, key)) return e;
        if (!p->parent || p->rows) return NULL;
    }
}

rung_status cache_new(rung_ctx *ctx, problem *p, entry_kind kind, const entry_key *key, problem_entry **out)
{
    double *precisions = NULL;
    kernel *k;
    TRY(NEW(ctx, p->mem, *out, 1));
    (*out)->kind = kind;
    (*out)->key = *key;
    k = &(*out)->key.at.k;
    if (k->n_precisions == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, p->mem, precisions, k->n_precisions)); /* the caller's may not last as long */
    memcpy(precisions, k->precisions, (size_t)k->n_precisions * sizeof *precisions);
    k->precisions = precisions;
    return RUNG_OK;
}

void cache_keep(problem *p, problem_entry *entry)
{
    entry->next = p->cache;
    p->cache = entry;
}

static void drop(pool *mem, problem_entry *e)
{
    la_free(mem, e->gram);
    landmarks_free(mem, &e->landmarks);
    la_free(mem, e->eigen.V);
    pool_free(mem, e->eigen.values);
    pool_free(mem, (void *)e->lists.index);
    pool_free(mem, (void *)e->lists.d2);
    pool_free(mem, e->csr.start);
    pool_free(mem, e->csr.col);
    pool_free(mem, e->csr.value);
    pool_free(mem, (void *)e->key.at.k.precisions);
    pool_free(mem, e);
}

void problem_forget(problem *p)
{
    problem_entry *all = p->cache, *next;
    p->cache = NULL;
    for (; all; all = next) {
        next = all->next;
        if (all->key.at.kind == PLACE_INPUT)
            cache_keep(p, all);
        else
            drop(p->mem, all);
    }
}
