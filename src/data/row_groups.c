// SPDX-License-Identifier: BSD-3-Clause
#include "data/row_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* sorted: equal rows are adjacent */
    uint64_t hash;
    int64_t row;
} hashed_row;

static int by_hash(const void *a, const void *b)
{
    const hashed_row *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* FNV-1a by words; -0 counts as 0, and all missing cells (NaN) are one value. */
static uint64_t hash_row(int64_t d, const double *x, int64_t step)
{
    uint64_t hash = UINT64_C(14695981039346656037), word;
    for (int64_t j = 0; j < d; j++) {
        double v = isnan(x[j * step]) ? (double)NAN : x[j * step] + 0.0;
        memcpy(&word, &v, sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 32;
    }
    return hash;
}

double row_key(int64_t d, const double *x, int64_t step) { return (double)(hash_row(d, x, step) >> 11); }

static bool same_row(int64_t d, const double *a, const double *b)
{
    for (int64_t j = 0; j < d; j++)
        if (a[j] != b[j] && !(isnan(a[j]) && isnan(b[j]))) return false;
    return true;
}

rung_status equal_rows(rung_ctx *ctx, int64_t d, const double *X, int64_t n, const int64_t *rows, int *group,
                       int64_t *repeated)
{
    pool_mark mark = pool_here(&ctx->scratch);
    hashed_row *list = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, list, n));
    for (int64_t i = 0; i < n; i++) list[i] = (hashed_row){hash_row(d, X + rows[i] * d, 1), rows[i]};
    qsort(list, (size_t)n, sizeof *list, by_hash);
    *repeated = 0;
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && list[end].hash == list[first].hash; end++) {}
        for (int64_t i = first; i < end; i++) {
            int64_t j = first;
            while (j < i && !same_row(d, X + list[j].row * d, X + list[i].row * d)) j++;
            group[list[i].row] = (int)j; /* the place of the first row that equals it */
        }
        for (int64_t i = first; i < end; i++) {
            int64_t equal = 0;
            for (int64_t j = first; j < end && equal < 2; j++) equal += group[list[j].row] == group[list[i].row];
            *repeated += equal > 1;
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- joining ---- */

static int64_t root_of(int64_t *parent, int64_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

rung_status join_groups(rung_ctx *ctx, int64_t n, const int *a, const int *b, int *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t *parent = NULL;
    const int *both[] = {a, b};
    TRY(NEW_RAW(ctx, &ctx->scratch, parent, n));
    for (int64_t i = 0; i < n; i++) parent[i] = i;
    for (int k = 0; k < 2; k++) {
        row_groups g;
        TRY(row_groups_new(ctx, &ctx->scratch, n, both[k], &g));
        for (int64_t c = 0; c < g.count; c++)
            for (int64_t i = g.start[c] + 1; i < g.start[c + 1]; i++) {
                int64_t x = root_of(parent, g.rows[g.start[c]]), y = root_of(parent, g.rows[i]);
                parent[x > y ? x : y] = x > y ? y : x;
            }
    }
    for (int64_t i = 0; i < n; i++) out[i] = (int)root_of(parent, i);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- lists ---- */

typedef struct {
    int name;
    int64_t row;
} named_row;

static int by_name(const void *a, const void *b)
{
    const named_row *x = a, *y = b;
    if (x->name != y->name) return x->name < y->name ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* of[i] = the first row of the group of row i. */
static rung_status first_rows(rung_ctx *ctx, int64_t n, const int *group, int64_t *of)
{
    pool_mark mark = pool_here(&ctx->scratch);
    named_row *list = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, list, n));
    for (int64_t i = 0; i < n; i++) list[i] = (named_row){group[i], i};
    qsort(list, (size_t)n, sizeof *list, by_name);
    for (int64_t i = 0; i < n; i++)
        of[list[i].row] = i > 0 && list[i].name == list[i - 1].name ? of[list[i - 1].row] : list[i].row;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status row_groups_new(rung_ctx *ctx, pool *mem, int64_t n, const int *group, row_groups *out)
{
    *out = (row_groups){.n = n};
    TRY(NEW(ctx, mem, out->of, n));
    TRY(NEW(ctx, mem, out->start, n + 1));
    TRY(NEW(ctx, mem, out->rows, n));
    for (int64_t i = 0; i < n; i++) out->of[i] = i;
    if (group) TRY(first_rows(ctx, n, group, out->of));
    for (int64_t i = 0; i < n; i++) {
        out->of[i] = out->of[i] == i ? out->count++ : out->of[out->of[i]]; /* the first row precedes the others */
        out->start[out->of[i] + 1]++;
    }
    for (int64_t g = 0; g < out->count; g++) out->start[g + 1] += out->start[g];
    for (int64_t i = n - 1; i >= 0; i--) out->rows[--out->start[out->of[i] + 1]] = i;
    for (int64_t g = 0; g < out->count; g++) out->start[g] = out->start[g + 1];
    out->start[out->count] = n;
    return RUNG_OK;
}
