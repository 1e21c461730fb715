// SPDX-License-Identifier: BSD-3-Clause
#include "problem/problem.h"

#include <math.h>
#include <string.h>

struct problem_entry { /* something derived from the problem, under the kernel it depends on */
    kernel k;
    la_mat *gram;
    problem_entry *next;
};

static int64_t count_varying(int64_t d, int64_t n, const double *X)
{
    int64_t varying = 0;
    for (int64_t j = 0; j < d; j++) {
        int64_t i = 1;
        while (i < n && X[j + i * d] == X[j]) i++;
        varying += i < n;
    }
    return varying;
}

void problem_new(pool *mem, int64_t d, int64_t n, const double *X, const int *y, const double *w, const int64_t *origin,
                 int K, problem *out)
{
    *out = (problem){.mem = mem, .n = n, .d = d, .K = K, .X = X, .y = y, .w = w, .origin = origin};
    out->varying = count_varying(d, n, X);
}

rung_status problem_subset(rung_ctx *ctx, pool *mem, const problem *parent, int64_t n, const int64_t *rows,
                           problem *out, int *classes)
{
    double *X = NULL, *w = NULL;
    int *y = NULL, *rank = NULL, K = 0;
    int64_t *origin = NULL, d = parent->d;
    TRY(NEW_RAW(ctx, mem, X, d * n));
    TRY(NEW(ctx, mem, y, n));
    TRY(NEW(ctx, mem, origin, n));
    TRY(NEW(ctx, mem, rank, parent->K + 1));
    if (parent->w) TRY(NEW(ctx, mem, w, n));
    for (int64_t i = 0; i < n; i++) rank[parent->y[rows[i]]] = 1;
    rank[0] = 0;
    for (int q = 1; q <= parent->K; q++)
        if (rank[q]) {
            classes[K] = q;
            rank[q] = ++K;
        }
    for (int64_t i = 0; i < n; i++) {
        memcpy(X + i * d, parent->X + rows[i] * d, (size_t)d * sizeof *X);
        y[i] = rank[parent->y[rows[i]]];
        origin[i] = parent->origin[rows[i]];
        if (w) w[i] = parent->w[rows[i]];
    }
    *out = (problem){.mem = mem,
                     .n = n,
                     .d = d,
                     .K = K,
                     .X = X,
                     .y = y,
                     .w = w,
                     .origin = origin,
                     .parent = parent,
                     .rows = rows,
                     .varying = parent->varying};
    return RUNG_OK;
}

problem problem_view(const problem *parent, pool *mem)
{
    problem view = *parent;
    view.mem = mem;
    view.parent = parent;
    view.rows = NULL;
    view.cache = NULL;
    return view;
}

kernel problem_kernel(const problem *p, const kernel *k)
{
    kernel settled = *k;
    if (isnan(settled.gamma)) settled.gamma = -1;
    if (settled.gamma < 0) settled.gamma = -settled.gamma / (double)(p->varying > 0 ? p->varying : 1);
    return settled;
}

static bool same_kernel(const kernel *a, const kernel *b)
{
    return a->kind == b->kind && a->gamma == b->gamma && a->coef0 == b->coef0 && a->degree == b->degree &&
           a->n_precisions == b->n_precisions &&
           (a->n_precisions == 0 ||
            memcmp(a->precisions, b->precisions, (size_t)a->n_precisions * sizeof *a->precisions) == 0);
}

static la_mat *look_up(const problem *p, const kernel *k)
{
    for (const problem_entry *e = p->cache; e; e = e->next)
        if (same_kernel(&e->k, k)) return e->gram;
    return NULL;
}

/* K_ij = the number row i of the data has in the column of row j. */
static rung_status precomputed_gram(rung_ctx *ctx, const problem *p, la_mat *K)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *values = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, p->n * p->n));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->n; j++) values[i + j * p->n] = p->X[p->origin[j] + i * p->d];
    la_put(values, K);
    pool_release(&ctx->scratch, mark);
    double asymmetry = la_asymmetry(K);
    if (asymmetry > 1e-8)
        return fail(ctx, RUNG_EDATA, "the precomputed kernel matrix is not symmetric (relative difference %.2g)",
                    asymmetry);
    return RUNG_OK;
}

static rung_status compute_gram(rung_ctx *ctx, problem *p, const kernel *k, la_mat *K)
{
    const la_mat *parent = p->parent && p->rows ? look_up(p->parent, k) : NULL;
    if (parent) return la_gather(ctx, parent, p->rows, p->rows, K);
    if (k->kind == KERNEL_PRECOMPUTED) return precomputed_gram(ctx, p, K);
    if (!p->many_kernels || !kernel_by_distance(k)) return kernel_gram(ctx, k, p->d, p->n, p->X, K);
    if (!p->distances) {
        la_mat *D = NULL;
        TRY(la_new(ctx, p->mem, p->n, p->n, &D));
        TRY(kernel_distances(ctx, p->d, p->n, p->X, D));
        p->distances = D;
    }
    return kernel_gram_from_distances(ctx, k, p->distances, K);
}

rung_status problem_gram(rung_ctx *ctx, problem *p, const kernel *k, const la_mat **out)
{
    *out = look_up(p, k);
    if (!*out && p->parent && !p->rows) *out = look_up(p->parent, k);
    if (*out) return RUNG_OK;
    problem_entry *entry = NULL;
    TRY(NEW(ctx, p->mem, entry, 1));
    TRY(la_new(ctx, p->mem, p->n, p->n, &entry->gram));
    TRY(compute_gram(ctx, p, k, entry->gram));
    entry->k = *k;
    entry->next = p->cache;
    p->cache = entry;
    *out = entry->gram;
    return RUNG_OK;
}

void problem_forget(problem *p)
{
    while (p->cache) {
        problem_entry *entry = p->cache;
        p->cache = entry->next;
        la_free(p->mem, entry->gram);
        pool_free(p->mem, entry);
    }
}
