// SPDX-License-Identifier: BSD-3-Clause
/* tree.c - nearest neighbours in few dimensions by a k-d tree.
 *
 * A node keeps the box around its points. The bound from a query to a box is summed as a distance is, from terms none
 * of which exceeds the one of a point inside; rounding is monotone, so the bound never exceeds a computed distance.
 * Pruning by (bound, smallest index) is therefore exact, ties included. Coinciding points form one leaf, of which only
 * the first k by index can matter. If a factor depends on the group of a point, every group has its own tree: its
 * bounds and distances are multiplied by one number. */
#include <string.h>

#include "linalg/heap.h"
#include "linalg/internal.h"

enum { LEAF = 16, BATCH = 128 };

typedef struct {
    double low[TREE_DIMENSIONS], high[TREE_DIMENSIONS];
    int64_t first, last; /* its points in the order of the tree */
    int64_t child;       /* the first of its two children; 0: a leaf */
    int64_t least;       /* smallest index */
    bool coincide;
} node;

typedef struct {
    int64_t d;
    const la_mat *X;
    int64_t *order; /* index of each point in the order of the tree */
    double *points; /* d x n in that order; within a leaf the first coordinates of all points come first */
    int groups;     /* with a tree each: the roots are the first nodes */
    node *nodes;
    int64_t used;
} tree;

/* ---- building ---- */

static bool before(const tree *t, int64_t dim, int64_t a, int64_t b)
{
    double x = *la_at(t->X, dim, a), y = *la_at(t->X, dim, b);
    return x < y || (x == y && a < b);
}

static void swap_places(int64_t *v, int64_t a, int64_t b)
{
    int64_t t = v[a];
    v[a] = v[b];
    v[b] = t;
}

/* Puts the point that belongs at position `at` there, smaller ones (by coordinate, then index) to its left. */
static void select_place(tree *t, int64_t dim, int64_t first, int64_t last, int64_t at)
{
    int64_t *v = t->order;
    while (last - first > 1) {
        int64_t middle = first + (last - first) / 2, end = last - 1;
        if (before(t, dim, v[middle], v[first])) swap_places(v, middle, first);
        if (before(t, dim, v[end], v[first])) swap_places(v, end, first);
        if (before(t, dim, v[end], v[middle])) swap_places(v, end, middle);
        int64_t pivot = v[middle], i = first, j = end;
        while (i <= j) {
            while (before(t, dim, v[i], pivot)) i++;
            while (before(t, dim, pivot, v[j])) j--;
            if (i <= j) swap_places(v, i++, j--);
        }
        if (at <= j)
            last = j + 1;
        else if (at >= i)
            first = i;
        else
            return;
    }
}

static void sort_indices(int64_t *v, int64_t n) /* heap sort */
{
    for (int64_t start = n / 2 - 1, end = n; end > 1;) {
        int64_t at;
        if (start >= 0) {
            at = start--;
        } else {
            swap_places(v, 0, --end);
            at = 0;
        }
        for (int64_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && v[child + 1] > v[child]) child++;
            if (v[child] <= v[at]) break;
            swap_places(v, at, child);
        }
    }
}

static void measure_node(const tree *t, node *nd)
{
    nd->least = t->order[nd->first];
    nd->coincide = true;
    for (int64_t j = 0; j < t->d; j++) nd->low[j] = nd->high[j] = *la_at(t->X, j, nd->least);
    for (int64_t i = nd->first; i < nd->last; i++) {
        int64_t index = t->order[i];
        nd->least = min64(nd->least, index);
        for (int64_t j = 0; j < t->d; j++) {
            double x = *la_at(t->X, j, index);
            if (x < nd->low[j]) nd->low[j] = x;
            if (x > nd->high[j]) nd->high[j] = x;
        }
    }
    for (int64_t j = 0; j < t->d; j++) nd->coincide = nd->coincide && nd->low[j] == nd->high[j];
}

static void build(tree *t, int64_t at)
{
    node *nd = &t->nodes[at];
    measure_node(t, nd);
    int64_t size = nd->last - nd->first, dim = 0;
    if (size <= LEAF || nd->coincide) {
        sort_indices(t->order + nd->first, size);
        return;
    }
    for (int64_t j = 1; j < t->d; j++)
        if (nd->high[j] - nd->low[j] > nd->high[dim] - nd->low[dim]) dim = j;
    int64_t half = nd->first + size / 2;
    select_place(t, dim, nd->first, nd->last, half);
    nd->child = t->used;
    t->used += 2;
    t->nodes[nd->child] = (node){.first = nd->first, .last = half};
    t->nodes[nd->child + 1] = (node){.first = half, .last = nd->last};
    build(t, nd->child);
    build(t, nd->child + 1);
}

/* Orders the points by group, then by index; the roots store the ranges. */
static void sort_groups(tree *t, int64_t n, const int *group)
{
    for (int g = 0; g < t->groups; g++) t->nodes[g] = (node){0};
    for (int64_t i = 0; i < n; i++) t->nodes[group ? group[i] : 0].last++;
    for (int g = 1; g < t->groups; g++) t->nodes[g].last += t->nodes[g - 1].last;
    for (int g = 0; g < t->groups; g++) t->nodes[g].first = t->nodes[g].last;
    for (int64_t i = n; i-- > 0;) t->order[--t->nodes[group ? group[i] : 0].first] = i;
}

static rung_status plant(rung_ctx *ctx, const la_mat *X, const la_pair_factor *factor, tree *t)
{
    int64_t n = X->cols;
    int groups = factor ? factor->groups : 1;
    *t = (tree){.d = X->rows, .X = X, .groups = groups, .used = groups};
    TRY(NEW_RAW(ctx, &ctx->scratch, t->order, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->points, t->d * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, t->nodes, 4 * n / LEAF + 3 * groups)); /* leaves hold more than LEAF / 2 points */
    sort_groups(t, n, factor ? factor->row : NULL);
    for (int g = 0; g < groups; g++)
        if (t->nodes[g].first < t->nodes[g].last) build(t, g);
    for (int64_t at = 0; at < t->used; at++) {
        const node *nd = &t->nodes[at];
        int64_t size = nd->last - nd->first;
        for (int64_t i = 0; i < size && !nd->child; i++)
            for (int64_t j = 0; j < t->d; j++)
                t->points[nd->first * t->d + i + j * size] = *la_at(X, j, t->order[nd->first + i]);
    }
    return RUNG_OK;
}

/* ---- searching ---- */

typedef struct {
    const tree *t;
    const double *z;
    int64_t self; /* -1: none */
    double factor;
    nearest_heap heap;
} visit;

static double bound(const visit *v, const node *nd)
{
    double s = 0;
    for (int64_t j = 0; j < v->t->d; j++) {
        double below = nd->low[j] - v->z[j], above = v->z[j] - nd->high[j], gap = below > above ? below : above;
        gap = gap > 0 ? gap : 0;
        s += gap * gap;
    }
    return v->factor * s;
}

/* The points of a leaf side by side, each summed in the order of its coordinates. */
static void distances(const visit *v, const double *x, int64_t size, double *d2)
{
    for (int64_t i = 0; i < size; i++) d2[i] = 0;
    for (int64_t j = 0; j < v->t->d; j++, x += size)
        for (int64_t i = 0; i < size; i++) d2[i] += (x[i] - v->z[j]) * (x[i] - v->z[j]);
    for (int64_t i = 0; i < size; i++) d2[i] *= v->factor;
}

static void search_leaf(visit *v, const node *nd)
{
    double d2[LEAF];
    int64_t size = nd->last - nd->first;
    const int64_t *order = v->t->order + nd->first;
    if (size > LEAF) { /* they coincide */
        double same = bound(v, nd);
        for (int64_t i = 0; i < size; i++) {
            if (order[i] == v->self) continue;
            if (!heap_takes(&v->heap, same, order[i])) return;
            heap_put(&v->heap, same, order[i]);
        }
        return;
    }
    distances(v, v->t->points + nd->first * v->t->d, size, d2);
    for (int64_t i = 0; i < size; i++)
        if (order[i] != v->self && heap_takes(&v->heap, d2[i], order[i])) heap_put(&v->heap, d2[i], order[i]);
}

static void search_node(visit *v, int64_t at, double least)
{
    const node *nd = &v->t->nodes[at];
    if (!heap_takes(&v->heap, least, nd->least)) return;
    if (!nd->child) {
        search_leaf(v, nd);
        return;
    }
    double one = bound(v, nd + (nd->child - at)), two = bound(v, nd + (nd->child + 1 - at));
    bool second = two < one;
    search_node(v, nd->child + second, second ? two : one);
    search_node(v, nd->child + !second, second ? one : two);
}

/* The group with the smallest factor first: its points exclude most of the others. */
static void search_groups(visit *v, const nearest_query *q, int64_t j)
{
    const la_pair_factor *f = q->factor;
    const double *factor = f ? f->table + (int64_t)f->col[j] * f->groups : &(double){1};
    int groups = v->t->groups, first = 0;
    for (int g = 1; g < groups; g++)
        if (factor[g] < factor[first]) first = g;
    for (int i = 0; i < groups; i++) {
        int g = (first + i) % groups;
        const node *root = &v->t->nodes[g];
        v->factor = factor[g];
        if (root->first < root->last) search_node(v, g, bound(v, root));
    }
}

rung_status nearest_by_tree(rung_ctx *ctx, const nearest_query *q)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = q->Z->cols, batches = (m + BATCH - 1) / BATCH;
    tree t;
    TRY(plant(ctx, q->X, q->factor, &t));
    bool own =
        q->X == q->Z; /* then points adjacent in the tree are queried one after the other, with their paths in cache */
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) if (batches > 1)
    for (int64_t b = 0; b < batches; b++)
        for (int64_t i = b * BATCH; i < min64((b + 1) * BATCH, m) && !stop_asked(ctx); i++) {
            int64_t j = own ? t.order[i] : i;
            visit v = {.t = &t,
                       .z = la_at(q->Z, 0, j),
                       .self = q->self ? q->self[j] : -1,
                       .heap = {.k = q->k, .d2 = q->d2 + j * q->k, .index = q->index + j * q->k}};
            search_groups(&v, q, j);
            heap_sort(&v.heap);
        }
    pool_release(&ctx->scratch, mark);
    return interrupted(ctx);
}
