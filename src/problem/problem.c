// SPDX-License-Identifier: BSD-3-Clause
#include "problem/problem.h"

#include <math.h>
#include <string.h>

#include "problem/cache.h"

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

void problem_new(pool *mem, const problem_rows *given, problem *out)
{
    *out = (problem){.mem = mem,
                     .n = given->n,
                     .d = given->d,
                     .K = given->K,
                     .X = given->X,
                     .y = given->y,
                     .w = given->w,
                     .origin = given->origin};
    if (given->X) out->varying = count_varying(given->d, given->n, given->X);
}

rung_status problem_groups(rung_ctx *ctx, pool *mem, const problem *p, row_groups *out)
{
    TRY(row_groups_new(ctx, mem, p->n, p->group, out));
    out->mixed = p->group != p->equal;
    return RUNG_OK;
}

/* An array with one entry per row, at the rows given; NULL where there is none. */
static rung_status at_rows(rung_ctx *ctx, pool *mem, int64_t n, const int64_t *rows, size_t size, const void *of,
                           const void **out)
{
    char *to = NULL;
    *out = NULL;
    if (!of) return RUNG_OK;
    TRY(pool_alloc_raw(ctx, mem, n, size, "rows", (void **)&to));
    for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * size, (const char *)of + (size_t)rows[i] * size, size);
    *out = to;
    return RUNG_OK;
}

#define AT_ROWS(field) TRY(at_rows(ctx, mem, n, rows, sizeof *of->field, of->field, (const void **)&out->field))

rung_status problem_labels(rung_ctx *ctx, pool *mem, const problem *of, int64_t n, const int64_t *rows, problem *out)
{
    AT_ROWS(y);
    AT_ROWS(upper);
    AT_ROWS(group);
    out->equal = out->group;
    if (of->equal != of->group) AT_ROWS(equal);
    AT_ROWS(cluster);
    AT_ROWS(w);
    AT_ROWS(count);
    AT_ROWS(t);
    return RUNG_OK;
}

/* The classes of some rows, renumbered without gaps; intervals end at classes that are left. */
static rung_status renumber(rung_ctx *ctx, pool *mem, const problem *parent, int *classes, problem *p)
{
    int *y = NULL, *upper = NULL, *upto = NULL, *own = NULL;
    bool intervals = false;
    for (int64_t i = 0; i < p->n && !intervals; i++) intervals = is_interval(p->y, p->upper, i);
    TRY(NEW(ctx, mem, upto, parent->K + 1));
    TRY(classes_present(ctx, p->n, NULL, p->y, intervals ? p->upper : NULL, parent->K, upto));
    p->K = classes_list(parent->K, upto, classes);
    TRY(NEW_RAW(ctx, mem, y, p->n));
    if (intervals) TRY(NEW_RAW(ctx, mem, upper, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        int label = p->y[i];
        y[i] = intervals && label ? closed_low(upto, label) : upto[label];
        if (intervals) upper[i] = label ? closed_high(upto, p->upper[i]) : 0;
    }
    p->y = y;
    p->upper = upper;
    if (!parent->classes) return RUNG_OK;
    TRY(NEW(ctx, mem, own, p->K));
    for (int q = 0; q < p->K; q++) own[q] = problem_class(parent, classes[q]);
    p->classes = own;
    return RUNG_OK;
}

rung_status problem_subset(rung_ctx *ctx, pool *mem, const problem *parent, int64_t n, const int64_t *rows,
                           problem *out, int *classes)
{
    *out = problem_view(parent, mem);
    out->n = n;
    out->rows = rows;
    out->classes = NULL;
    out->all = NULL;
    out->many_kernels = false;
    out->distances = NULL;
    TRY(at_rows(ctx, mem, n, rows, (size_t)parent->d * sizeof *parent->X, parent->X, (const void **)&out->X));
    TRY(at_rows(ctx, mem, n, rows, sizeof *parent->origin, parent->origin, (const void **)&out->origin));
    TRY(problem_labels(ctx, mem, parent, n, rows, out));
    return renumber(ctx, mem, parent, classes, out);
}

problem problem_view(const problem *parent, pool *mem)
{
    problem view = *parent;
    view.mem = mem;
    view.parent = parent;
    view.rows = NULL;
    view.cache = NULL;
    view.shared = NULL;
    return view;
}

kernel problem_kernel(const problem *p, const kernel *k)
{
    kernel settled = *k;
    if (isnan(settled.gamma)) settled.gamma = -1;
    if (settled.gamma < 0) settled.gamma = -settled.gamma / (double)(p->varying > 0 ? p->varying : 1);
    return settled;
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
        return set_error(ctx, RUNG_EDATA, "the precomputed kernel matrix is not symmetric (relative difference %.2g)",
                         asymmetry);
    return RUNG_OK;
}

static entry_key kernel_key(const kernel *k) { return (entry_key){.at = {.kind = PLACE_KERNEL, .k = *k}}; }

rung_status problem_kernel_finite(rung_ctx *ctx, const problem *p, const kernel *k)
{
    for (int64_t i = 0; i < p->n && k->kind != KERNEL_PRECOMPUTED; i++)
        if (!isfinite(kernel_self(k, p->d, p->X + i * p->d)))
            return set_error(ctx, RUNG_EDATA, "the kernel of row %lld with itself overflows; scale the columns",
                             (long long)p->origin[i] + 1);
    return RUNG_OK;
}

double problem_largest_self(const problem *p, const kernel *k)
{
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *x = p->X + i * p->d;
        most = fmax(most, k->kind == KERNEL_PRECOMPUTED ? fabs(x[p->origin[i]]) : kernel_self(k, p->d, x));
    }
    return most;
}

static rung_status compute_gram(rung_ctx *ctx, problem *p, const kernel *k, la_mat *K)
{
    entry_key key = kernel_key(k);
    const problem_entry *parent = p->parent && p->rows ? cache_find(p->parent, ENTRY_GRAM, &key) : NULL;
    if (parent) return la_gather(ctx, parent->gram, p->rows, p->rows, K);
    if (k->kind == KERNEL_PRECOMPUTED) return precomputed_gram(ctx, p, K);
    TRY(problem_kernel_finite(ctx, p, k));
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
    entry_key key = kernel_key(k);
    const problem_entry *found = cache_find(p, ENTRY_GRAM, &key);
    if (!found) {
        problem_entry *entry = NULL;
        TRY(cache_new(ctx, p, ENTRY_GRAM, &key, &entry));
        TRY(la_new(ctx, p->mem, p->n, p->n, &entry->gram));
        TRY(compute_gram(ctx, p, k, entry->gram));
        cache_keep(p, entry);
        found = entry;
    }
    *out = found->gram;
    return RUNG_OK;
}

rung_status problem_landmarks(rung_ctx *ctx, problem *p, const kernel *k, int64_t m, const landmarks **out)
{
    entry_key key = kernel_key(k);
    key.landmarks = m;
    const problem_entry *found = cache_find(p, ENTRY_LANDMARKS, &key);
    if (!found && p->parent && p->rows) found = cache_find(p->parent, ENTRY_LANDMARKS, &key);
    if (!found) {
        problem_entry *entry = NULL;
        TRY(problem_kernel_finite(ctx, p, k));
        TRY(cache_new(ctx, p, ENTRY_LANDMARKS, &key, &entry));
        TRY(landmarks_new(ctx, p->mem, &entry->key.at.k, &(point_set){p->d, p->n, p->X}, m, &entry->landmarks));
        cache_keep(p, entry);
        found = entry;
    }
    *out = &found->landmarks;
    return RUNG_OK;
}

static rung_status compute_root(rung_ctx *ctx, problem *p, const entry_key *key, la_mat **out)
{
    const kernel *k = &key->at.k;
    const problem_entry *parent = p->parent && p->rows ? cache_find(p->parent, ENTRY_ROOT, key) : NULL;
    if (parent) {
        TRY(la_new(ctx, p->mem, p->n, la_cols(parent->gram), out));
        return la_gather(ctx, parent->gram, p->rows, NULL, *out);
    }
    const problem_entry *gram = cache_find(p, ENTRY_GRAM, key);
    TRY(la_new(ctx, p->mem, p->n, p->n, out));
    if (gram)
        TRY(la_scale_add(ctx, 1, gram->gram, 0, *out));
    else
        TRY(compute_gram(ctx, p, k, *out));
    if (key->constant) la_add_constant(*out, 1);
    return la_root(ctx, *out);
}

rung_status problem_root(rung_ctx *ctx, problem *p, const kernel *k, bool constant, const la_mat **out)
{
    entry_key key = kernel_key(k);
    key.constant = constant;
    const problem_entry *found = cache_find(p, ENTRY_ROOT, &key);
    if (!found) {
        problem_entry *entry = NULL;
        TRY(cache_new(ctx, p, ENTRY_ROOT, &key, &entry));
        TRY(compute_root(ctx, p, &entry->key, &entry->gram));
        cache_keep(p, entry);
        found = entry;
    }
    *out = found->gram;
    return RUNG_OK;
}

rung_status problem_eigen(rung_ctx *ctx, problem *p, const kernel *k, int64_t r, const eigenpairs **out)
{
    entry_key key = kernel_key(k);
    key.at_least = r;
    const problem_entry *found = cache_find(p, ENTRY_EIGEN, &key);
    if (!found) {
        const la_mat *K;
        problem_entry *entry = NULL;
        TRY(problem_gram(ctx, p, k, &K));
        TRY(cache_new(ctx, p, ENTRY_EIGEN, &key, &entry));
        TRY(eigenpairs_new(ctx, p->mem, K, r, &entry->eigen));
        cache_keep(p, entry);
        found = entry;
    }
    *out = &found->eigen;
    return RUNG_OK;
}
