// SPDX-License-Identifier: BSD-3-Clause
/* graphs.c - neighbours, affinities and Laplacians of a problem.
 *
 * Many spaces give the same neighbours: distances in the full feature space of rbf, laplacian and linear kernels are
 * ordered as in the input space (ard: as between stretched rows), and also with r components if the others are rounding
 * errors. Such graphs are computed once, between the rows, where no distance is lost because k(x, z) = 0. */
#include <math.h>

#include "problem/cache.h"

/* ---- where ---- */

static int64_t components(const problem *p, double rank)
{
    double r = floor(rank * (double)p->n);
    return r < 1 ? 1 : (int64_t)r;
}

static place full_rank(const kernel *k)
{
    if (k->kind == KERNEL_ARD) return (place){.kind = PLACE_STRETCHED, .k = *k};
    if (kernel_keeps_order(k)) return (place){.kind = PLACE_INPUT};
    return (place){.kind = PLACE_KERNEL, .k = *k};
}

/* Whether r components are exact: from known eigenvalues, by the cheap certificate, or from new eigenvalues. */
static rung_status exhausted(rung_ctx *ctx, problem *p, const kernel *k, int64_t r, bool *out)
{
    entry_key key = {.at = {.kind = PLACE_REDUCED, .k = *k, .r = r}};
    entry_key whole = {.at = {.kind = PLACE_KERNEL, .k = *k}, .at_least = r + 1};
    const problem_entry *found = cache_find(p, ENTRY_EXHAUSTED, &key), *known = cache_find(p, ENTRY_EIGEN, &whole);
    if (!found) {
        const la_mat *K;
        const eigenpairs *e = known ? &known->eigen : NULL;
        problem_entry *entry = NULL;
        bool yes = false;
        if (!e) {
            TRY(problem_gram(ctx, p, k, &K));
            TRY(kernel_rank_exhausted(ctx, K, r, &yes));
            if (!yes) TRY(problem_eigen(ctx, p, k, r + 1, &e));
        }
        TRY(cache_new(ctx, p, ENTRY_EXHAUSTED, &key, &entry));
        entry->exhausted = yes || eigenpairs_exhausted(e, r);
        cache_keep(p, entry);
        found = entry;
    }
    *out = found->exhausted;
    return RUNG_OK;
}

static rung_status settle(rung_ctx *ctx, problem *p, const problem_space *space, place *out)
{
    bool input = space->kind == SPACE_INPUT, all = true;
    *out = (place){.kind = PLACE_INPUT};
    if (input && space->k.kind != KERNEL_PRECOMPUTED) return RUNG_OK;
    *out = full_rank(&space->k);
    if (space->landmarks > 0 && out->kind == PLACE_KERNEL) {
        int64_t first = (int64_t)(space->rank * space->landmarks);
        *out = (place){.kind = PLACE_LANDMARKS,
                       .k = space->k,
                       .landmarks = space->landmarks,
                       .r = first > space->landmarks ? space->landmarks
                            : first < 1              ? 1
                                                     : first};
    }
    if (space->landmarks > 0) return RUNG_OK;
    int64_t r = components(p, space->rank);
    if (input || r >= p->n) return RUNG_OK;
    TRY(exhausted(ctx, p, &space->k, r, &all));
    if (!all) *out = (place){.kind = PLACE_REDUCED, .k = space->k, .r = r};
    return RUNG_OK;
}

/* ---- neighbours ---- */

enum { MANY_ROWS = 50000 };

static bool ascending(int64_t n, const int64_t *rows)
{
    for (int64_t i = 1; i < n; i++)
        if (rows[i] <= rows[i - 1]) return false;
    return true;
}

/* The rows as distances between them are measured; PLACE_INPUT, PLACE_STRETCHED. */
static rung_status coordinates(rung_ctx *ctx, const problem *p, const place *at, const double **out)
{
    *out = p->X;
    return at->kind == PLACE_INPUT ? RUNG_OK : kernel_stretched(ctx, &ctx->scratch, &at->k, p->d, p->n, p->X, out);
}

static rung_status compute_lists(rung_ctx *ctx, problem *p, const place *at, int64_t k, neighbours *out)
{
    const double *X;
    const la_mat *K;
    const eigenpairs *e;
    const landmarks *l;
    la_mat *features = NULL;
    switch (at->kind) {
    case PLACE_KERNEL: TRY(problem_gram(ctx, p, &at->k, &K)); return neighbours_in_kernel(ctx, p->mem, K, k, out);
    case PLACE_REDUCED:
        TRY(problem_eigen(ctx, p, &at->k, at->r, &e));
        TRY(kernel_features(ctx, &ctx->scratch, e, at->r, &features));
        TRY(neighbours_of_columns(ctx, p->mem, features, k, out));
        la_free(&ctx->scratch, features);
        return RUNG_OK;
    case PLACE_LANDMARKS:
        TRY(problem_landmarks(ctx, p, &at->k, at->landmarks, &l));
        TRY(la_new(ctx, &ctx->scratch, at->r < l->m ? at->r : l->m, p->n, &features));
        TRY(landmarks_features(ctx, l, p->n, p->X, features));
        TRY(neighbours_of_columns(ctx, p->mem, features, k, out));
        la_free(&ctx->scratch, features);
        return RUNG_OK;
    default: TRY(coordinates(ctx, p, at, &X)); return neighbours_among(ctx, p->mem, p->d, p->n, X, k, out);
    }
}

/* From the parent's lists; not for a reduced space, whose components are the fold's own. */
static rung_status select_lists(rung_ctx *ctx, problem *p, const place *at, int64_t k, const neighbours *parent,
                                neighbours *out)
{
    const double *X;
    const la_mat *K;
    row_list missing = {0};
    TRY(NEW(ctx, &ctx->scratch, missing.row, p->n));
    TRY(neighbours_subset(ctx, p->mem, parent, p->n, p->rows, k, out, &missing));
    if (missing.n == 0) return RUNG_OK;
    if (at->kind == PLACE_KERNEL) {
        TRY(problem_gram(ctx, p, &at->k, &K));
        return neighbours_complete_in_kernel(ctx, out, K, &missing);
    }
    TRY(coordinates(ctx, p, at, &X));
    return neighbours_complete(ctx, out, p->d, X, &missing);
}

static rung_status lists_at(rung_ctx *ctx, problem *p, const place *at, int64_t k, neighbours *out)
{
    k = k < p->n - 1 ? k : p->n - 1;
    entry_key key = {.at = *at, .at_least = k}, any = {.at = *at, .at_least = 1};
    const problem_entry *found = cache_find(p, ENTRY_LISTS, &key), *parent = NULL;
    if (!found) {
        problem_entry *entry = NULL;
        if (p->parent && p->rows && at->kind <= PLACE_KERNEL && ascending(p->n, p->rows)) {
            parent = cache_find(p->parent, ENTRY_LISTS, &key);
            if (!parent) parent = cache_find(p->parent, ENTRY_LISTS, &any);
        }
        TRY(cache_new(ctx, p, ENTRY_LISTS, &key, &entry));
        if (parent) /* a fold has no folds: no more than requested */
            TRY(select_lists(ctx, p, at, k, &parent->lists, &entry->lists));
        else /* some more, so that a fold finds k of its rows among them; not if they are expensive */
            TRY(compute_lists(ctx, p, at, p->n > MANY_ROWS ? k : k + k / 2 + 4, &entry->lists));
        cache_keep(p, entry);
        found = entry;
    }
    *out = found->lists;
    out->k = k;
    return RUNG_OK;
}

rung_status problem_neighbours(rung_ctx *ctx, problem *p, const problem_space *space, int64_t k, neighbours *out)
{
    place at;
    TRY(settle(ctx, p, space, &at));
    return lists_at(ctx, p, &at, k, out);
}

/* ---- graphs ---- */

static rung_status edges_at(rung_ctx *ctx, problem *p, const entry_key *key, const problem_entry **out)
{
    *out = cache_find(p, ENTRY_EDGES, key);
    if (*out) return RUNG_OK;
    const problem_graph *g = &key->graph;
    problem_entry *entry = NULL;
    neighbours nb;
    TRY(lists_at(ctx, p, &key->at, g->neighbours, &nb));
    TRY(cache_new(ctx, p, ENTRY_EDGES, key, &entry));
    entry->width = g->width;
    if (g->weight == EDGE_GAUSSIAN && isnan(g->width)) TRY(neighbours_median(ctx, &nb, &entry->width));
    TRY(graph_edges(ctx, p->mem, &nb, g->rule, g->weight, entry->width, &entry->csr));
    cache_keep(p, entry);
    *out = entry;
    return RUNG_OK;
}

static rung_status key_of(rung_ctx *ctx, problem *p, const problem_graph *g, entry_key *out)
{
    *out = (entry_key){.graph = *g};
    out->graph.space = (problem_space){0}; /* identified by its place; its kernel may be freed */
    return settle(ctx, p, &g->space, &out->at);
}

rung_status problem_edges(rung_ctx *ctx, problem *p, const problem_graph *g, const la_csr **out, double *width)
{
    entry_key key;
    const problem_entry *found;
    TRY(key_of(ctx, p, g, &key));
    TRY(edges_at(ctx, p, &key, &found));
    *out = &found->csr;
    if (width) *width = found->width;
    return RUNG_OK;
}

rung_status problem_laplacian(rung_ctx *ctx, problem *p, const problem_graph *g, laplacian_norm norm,
                              const la_csr **out)
{
    entry_key key;
    TRY(key_of(ctx, p, g, &key));
    key.norm = norm;
    const problem_entry *found = cache_find(p, ENTRY_LAPLACIAN, &key), *edges;
    if (!found) {
        problem_entry *entry = NULL;
        TRY(edges_at(ctx, p, &key, &edges));
        TRY(cache_new(ctx, p, ENTRY_LAPLACIAN, &key, &entry));
        TRY(graph_laplacian(ctx, p->mem, &edges->csr, norm, &entry->csr));
        cache_keep(p, entry);
        found = entry;
    }
    *out = &found->csr;
    return RUNG_OK;
}
