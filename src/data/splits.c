// SPDX-License-Identifier: BSD-3-Clause
#include "data/splits.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "data/row_groups.h"

enum { LARGE = 2000 }; /* above this number of labelled rows a single fold is held out */

/* Streams of random numbers: one per repeat, distinct from those of other tasks. */
#define FOLDS_STREAM (UINT64_C(1) << 32)
#define HOLDOUT_STREAM (UINT64_C(2) << 32)
#define GROUPS_STREAM (UINT64_C(4) << 32)
#define HIDING_STREAM (UINT64_C(4) << 32)

/* Rows whose label is an interval are a stratum after the classes. They are no use as the last row of a class, and may
 * all be held out. */
static int strata_of(const ranked_rows *ranked) { return ranked->K + (ranked->upper != NULL); }
static int stratum_of(const ranked_rows *ranked, int64_t i)
{
    return is_interval(ranked->y, ranked->upper, i) ? ranked->K + 1 : ranked->y[i];
}

/* The rows of each stratum, one after the other: those of k are rows[first[k-1]] .. rows[first[k]-1]. */
typedef struct {
    int K; /* strata */
    int64_t *first, *rows;
    int64_t eligible; /* rows in classes of two rows or more, and intervals */
} by_class;

/* The rows of a stratum that must stay in training. */
static int64_t least_kept(const ranked_rows *ranked, int stratum) { return stratum <= ranked->K; }

static rung_status sort_by_class(rung_ctx *ctx, const ranked_rows *ranked, by_class *out)
{
    int64_t n = ranked->n;
    int K = strata_of(ranked);
    const int *y = ranked->y;
    int64_t *next = NULL;
    out->K = K;
    TRY(NEW(ctx, &ctx->scratch, out->first, (int64_t)K + 1));
    TRY(NEW(ctx, &ctx->scratch, next, (int64_t)K + 1));
    TRY(NEW(ctx, &ctx->scratch, out->rows, n));
    for (int64_t i = 0; i < n; i++) {
        if (y[i] < 0 || y[i] > ranked->K)
            return set_error(ctx, RUNG_EARG, "rank %d of row %lld is outside 0..%d", y[i], (long long)i + 1, ranked->K);
        if (y[i] > 0) out->first[stratum_of(ranked, i)]++;
    }
    out->eligible = 0;
    for (int k = 1; k <= K; k++) {
        if (out->first[k] > least_kept(ranked, k)) out->eligible += out->first[k];
        out->first[k] += out->first[k - 1];
        next[k] = out->first[k - 1];
    }
    for (int64_t i = 0; i < n; i++)
        if (y[i] > 0) out->rows[next[stratum_of(ranked, i)]++] = i;
    return RUNG_OK;
}

static rung_status open_folds(rung_ctx *ctx, pool *mem, int64_t n, int count, int repeats, folds *out)
{
    *out = (folds){.n = n, .count = count, .repeats = repeats};
    TRY(pool_alloc_raw(ctx, mem, repeats, (size_t)n * sizeof(int), "folds", (void **)&out->fold));
    for (int64_t i = 0; i < n * repeats; i++) out->fold[i] = -1;
    return RUNG_OK;
}

int64_t count_labelled(const ranked_rows *ranked)
{
    int64_t count = 0;
    for (int64_t i = 0; i < ranked->n; i++) count += ranked->y[i] > 0;
    return count;
}

int default_repeats(int64_t labelled) { return labelled <= 60 ? 5 : labelled <= 150 ? 2 : 1; }

rung_status folds_affordable(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, int count, int repeats, folds *out)
{
    if (count_labelled(ranked) > LARGE) return folds_holdout(ctx, mem, ranked, 1.0 / count, LARGE, out);
    return folds_stratified(ctx, mem, ranked, count, repeats, out);
}

static rung_status deal_rows(rung_ctx *ctx, pool *mem, const ranked_rows *all, int count, int repeats, folds *out)
{
    by_class c;
    int64_t n = all->n;
    TRY(sort_by_class(ctx, all, &c));
    TRY(open_folds(ctx, mem, n, c.eligible < count ? (int)c.eligible : count, repeats, out));
    for (int repeat = 0; repeat < repeats; repeat++) {
        rng r;
        int turn = 0, *fold = out->fold + repeat * n;
        rng_open(&r, ctx->seed, FOLDS_STREAM + (uint64_t)repeat);
        for (int k = 1; k <= c.K; k++) {
            int64_t size = c.first[k] - c.first[k - 1], *rows = c.rows + c.first[k - 1];
            if (size <= least_kept(all, k)) continue;
            rng_shuffle(&r, rows, size);
            for (int64_t i = 0; i < size; i++) {
                fold[rows[i]] = turn;
                turn = (turn + 1) % out->count;
            }
        }
    }
    return RUNG_OK;
}

/* ---- groups ---- */

typedef struct {
    int64_t size; /* labelled rows */
    bool whole;   /* it has all rows of a class */
    int64_t *of_class;
} group_count;

typedef struct {
    row_groups rows; /* unlabelled ones, too */
    group_count *list;
    int64_t *class_size;
    int64_t labelled; /* groups with labelled rows ... */
    int64_t apart;    /* ... and those of them that do not contain a whole class */
} group_table;

typedef struct { /* the order in which groups are assigned: the largest first, equal ones as shuffled */
    int64_t size, place, group;
} group_turn;

static int by_turn(const void *a, const void *b)
{
    const group_turn *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static rung_status count_groups(rung_ctx *ctx, const ranked_rows *all, group_table *out)
{
    int K = strata_of(all);
    int64_t *counts = NULL;
    *out = (group_table){0};
    TRY(row_groups_new(ctx, &ctx->scratch, all->n, all->group, &out->rows));
    TRY(NEW(ctx, &ctx->scratch, out->list, out->rows.count));
    TRY(NEW(ctx, &ctx->scratch, counts, out->rows.count * K));
    TRY(NEW(ctx, &ctx->scratch, out->class_size, K));
    for (int64_t i = 0; i < all->n; i++) {
        if (all->y[i] <= 0) continue;
        int64_t g = out->rows.of[i], size = all->count ? (int64_t)all->count[i] : 1;
        out->list[g].size += size;
        counts[g * K + stratum_of(all, i) - 1] += size;
        out->class_size[stratum_of(all, i) - 1] += size;
    }
    for (int64_t g = 0; g < out->rows.count; g++) {
        group_count *one = &out->list[g];
        one->of_class = counts + g * K;
        for (int q = 0; q < all->K; q++)
            if (one->of_class[q] && one->of_class[q] == out->class_size[q]) one->whole = true;
        out->labelled += one->size > 0;
        out->apart += one->size > 0 && !one->whole;
    }
    return RUNG_OK;
}

/* Whether the fold would hold out all rows of a class. */
static bool empties(const ranked_rows *all, const int64_t *held, const int64_t *class_size, const group_count *g)
{
    for (int q = 0; q < all->K; q++)
        if (g->of_class[q] > 0 && held[q] + g->of_class[q] == class_size[q]) return true;
    return false;
}

/* The fold with the fewest rows, whatever their classes. */
static int least_fold(const ranked_rows *all, int count, const int64_t *held, const int64_t *class_size,
                      const group_count *g)
{
    int K = strata_of(all), best = -1;
    int64_t least = INT64_MAX;
    for (int f = 0; f < count; f++) {
        int64_t rows = 0;
        for (int q = 0; q < K; q++) rows += held[f * K + q];
        if (rows >= least || empties(all, held + f * K, class_size, g)) continue;
        best = f;
        least = rows;
    }
    return best;
}

/* The fold where this group raises the sum of squared class counts least (each class relative to its size). */
static int best_fold(int K, int count, const int64_t *held, const int64_t *class_size, const group_count *g)
{
    int best = 0;
    double least = INFINITY;
    for (int f = 0; f < count; f++) {
        double rise = 0;
        for (int q = 0; q < K; q++)
            if (class_size[q])
                rise += (double)g->of_class[q] * (2.0 * (double)held[f * K + q] + (double)g->of_class[q]) /
                        ((double)class_size[q] * (double)class_size[q]);
        if (rise < least) {
            least = rise;
            best = f;
        }
    }
    return best;
}

/* The numbers of the groups with labelled rows, in the order of their first rows: all, or without those that contain a
 * whole class; returns how many. What the rows hold does not matter, so that a constant column changes no fold. */
static int64_t list_groups(const group_table *t, bool whole, int64_t *order)
{
    int64_t n = 0;
    for (int64_t g = 0; g < t->rows.count; g++)
        if (t->list[g].size > 0 && (whole || !t->list[g].whole)) order[n++] = g;
    return n;
}

static rung_status deal_groups(rung_ctx *ctx, const ranked_rows *all, const group_table *t, bool whole, bool random,
                               folds *out)
{
    int64_t *order = NULL, *held = NULL, groups;
    int *fold_of = NULL, K = strata_of(all);
    group_turn *turns = NULL;
    TRY(NEW(ctx, &ctx->scratch, order, t->rows.count));
    TRY(NEW(ctx, &ctx->scratch, turns, t->rows.count));
    TRY(NEW(ctx, &ctx->scratch, fold_of, t->rows.count));
    TRY(NEW(ctx, &ctx->scratch, held, (int64_t)out->count * K));
    for (int repeat = 0; repeat < out->repeats; repeat++) {
        rng r;
        rng_open(&r, ctx->seed, GROUPS_STREAM + (uint64_t)repeat);
        for (int64_t g = 0; g < t->rows.count; g++) fold_of[g] = -1;
        groups = list_groups(t, whole, order);
        rng_shuffle(&r, order, groups);
        for (int64_t g = 0; g < groups; g++) turns[g] = (group_turn){t->list[order[g]].size, g, order[g]};
        qsort(turns, (size_t)groups, sizeof *turns, by_turn);
        for (int64_t i = 0; i < (int64_t)out->count * K; i++) held[i] = 0;
        for (int64_t g = 0; g < groups; g++) {
            const group_count *next = &t->list[turns[g].group];
            int f = random ? least_fold(all, out->count, held, t->class_size, next)
                           : best_fold(K, out->count, held, t->class_size, next);
            if (f < 0) continue;
            fold_of[turns[g].group] = f;
            for (int q = 0; q < K; q++) held[f * K + q] += next->of_class[q];
        }
        for (int64_t i = 0; i < all->n; i++)
            if (all->y[i] > 0) out->fold[repeat * all->n + i] = fold_of[t->rows.of[i]];
    }
    return RUNG_OK;
}

rung_status folds_grouped(rung_ctx *ctx, pool *mem, const ranked_rows *all, int count, int repeats, folds *out)
{
    group_table t;
    TRY(count_groups(ctx, all, &t));
    if (t.labelled < 2)
        return set_error(ctx, RUNG_EDATA, "the labelled rows form %lld group(s), but holding one out needs at least 2",
                         (long long)t.labelled);
    TRY(open_folds(ctx, mem, all->n, count > t.labelled ? (int)t.labelled : count, repeats, out));
    return deal_groups(ctx, all, &t, true, false, out);
}

rung_status folds_stratified(rung_ctx *ctx, pool *mem, const ranked_rows *all, int count, int repeats, folds *out)
{
    group_table t;
    if (count < 2 || repeats < 1)
        return set_error(ctx, RUNG_EARG, "%d folds, %d repeats: expected at least 2 folds and 1 repeat", count,
                         repeats);
    if (!all->group) return deal_rows(ctx, mem, all, count, repeats, out);
    TRY(count_groups(ctx, all, &t));
    TRY(open_folds(ctx, mem, all->n, t.apart < count ? (int)t.apart : count, repeats, out));
    return deal_groups(ctx, all, &t, false, false, out);
}

rung_status folds_random(rung_ctx *ctx, pool *mem, const ranked_rows *all, int count, int repeats, folds *out)
{
    group_table t;
    TRY(count_groups(ctx, all, &t));
    TRY(open_folds(ctx, mem, all->n, t.apart < count ? (int)t.apart : count, repeats, out));
    return deal_groups(ctx, all, &t, false, true, out);
}

/* No fold may hold out every labelled row. */
static rung_status leaves_some(rung_ctx *ctx, int64_t n, const int *y, const int *fold)
{
    int64_t first = 0;
    while (y[first] <= 0) first++; /* there is one: a fold holds it out, if in another repeat */
    for (int64_t i = first; i < n; i++)
        if (y[i] > 0 && (fold[i] < 0 || fold[i] != fold[first])) return RUNG_OK;
    return set_error(ctx, RUNG_EDATA, "fold %d holds out all labelled rows, so none is left to learn from",
                     fold[first]);
}

rung_status folds_given(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, const int *fold, int repeats, folds *out)
{
    int64_t n = ranked->n;
    const int *y = ranked->y;
    int *number = NULL; /* of a fold that holds a labelled row out, from 1 */
    TRY(open_folds(ctx, mem, n, 0, repeats, out));
    TRY(NEW(ctx, &ctx->scratch, number, n));
    for (int64_t i = 0; i < n * repeats; i++) {
        if (y[i % n] <= 0 || fold[i] < 0) continue;
        if (fold[i] >= n)
            return set_error(ctx, RUNG_EARG, "fold %d of row %lld: fold numbers must be below the number of rows",
                             fold[i], (long long)(i % n) + 1);
        number[fold[i]] = 1;
    }
    for (int64_t f = 0; f < n; f++)
        if (number[f]) number[f] = ++out->count;
    if (out->count == 0) return set_error(ctx, RUNG_EDATA, "the folds hold out no labelled row");
    for (int64_t i = 0; i < n * repeats; i++)
        if (y[i % n] > 0 && fold[i] >= 0) out->fold[i] = number[fold[i]] - 1;
    for (int r = 0; r < repeats; r++) TRY(leaves_some(ctx, n, y, fold + r * n));
    return RUNG_OK;
}

static rung_status hold_rows(rung_ctx *ctx, const ranked_rows *all, double share, int64_t most, folds *out)
{
    by_class c;
    TRY(sort_by_class(ctx, all, &c));
    double target = fmin(fmax(round(share * (double)c.eligible), 1), (double)most);
    rng r;
    rng_open(&r, ctx->seed, HOLDOUT_STREAM);
    /* Rounding the running total, not each class, keeps the sum at the target. */
    int64_t seen = 0, taken = 0;
    for (int k = 1; k <= c.K; k++) {
        int64_t size = c.first[k] - c.first[k - 1], *rows = c.rows + c.first[k - 1];
        if (size <= least_kept(all, k)) continue;
        rng_shuffle(&r, rows, size);
        seen += size;
        int64_t quota = (int64_t)round(target * (double)seen / (double)c.eligible) - taken;
        if (quota > size - least_kept(all, k)) quota = size - least_kept(all, k);
        for (int64_t i = 0; i < quota; i++) out->fold[rows[i]] = 0;
        taken += quota;
    }
    return RUNG_OK;
}

/* Whether a group may be held out in addition: every class keeps a row, and at least half of the group's rows are in
 * classes that need more held-out rows. */
static bool may_hold(const ranked_rows *all, const group_count *g, const int64_t *held, const int64_t *class_size,
                     double share)
{
    int64_t wanted = 0;
    for (int q = 0; q < strata_of(all); q++) {
        if (g->of_class[q] && held[q] + g->of_class[q] > class_size[q] - least_kept(all, q + 1)) return false;
        if ((double)held[q] < share * (double)class_size[q]) wanted += g->of_class[q];
    }
    return 2 * wanted >= g->size;
}

static rung_status hold_groups(rung_ctx *ctx, const ranked_rows *all, double share, int64_t most, folds *out)
{
    group_table t;
    int64_t *order = NULL, *held = NULL, groups, rows = 0, total = 0;
    int K = strata_of(all);
    TRY(count_groups(ctx, all, &t));
    TRY(NEW(ctx, &ctx->scratch, order, t.rows.count));
    TRY(NEW(ctx, &ctx->scratch, held, K));
    groups = list_groups(&t, false, order);
    for (int q = 0; q < K; q++) rows += t.class_size[q];
    if (all->count) most *= (rows + count_labelled(all) - 1) / count_labelled(all); /* of the rows that are there */
    share = fmin(share, (double)most / (double)rows);
    rng r;
    rng_open(&r, ctx->seed, HOLDOUT_STREAM);
    rng_shuffle(&r, order, groups);
    for (int64_t j = 0; j < groups; j++) {
        const group_count *g = &t.list[order[j]];
        if (!may_hold(all, g, held, t.class_size, share) || (total > 0 && total + g->size > most)) continue;
        for (int q = 0; q < K; q++) held[q] += g->of_class[q];
        total += g->size;
        for (int64_t i = t.rows.start[order[j]]; i < t.rows.start[order[j] + 1]; i++)
            if (all->y[t.rows.rows[i]] > 0) out->fold[t.rows.rows[i]] = 0;
    }
    return RUNG_OK;
}

rung_status folds_holdout(rung_ctx *ctx, pool *mem, const ranked_rows *all, double share, int64_t most, folds *out)
{
    if (!(share > 0 && share < 1) || most < 1)
        return set_error(ctx, RUNG_EARG, "cannot hold out a share of %g, at most %lld rows", share, (long long)most);
    TRY(open_folds(ctx, mem, all->n, 1, 1, out));
    return all->group ? hold_groups(ctx, all, share, most, out) : hold_rows(ctx, all, share, most, out);
}

int64_t folds_held(const folds *f, int repeat, int fold, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->fold[repeat * f->n + i] == fold) rows[count++] = i;
    return count;
}

int64_t folds_kept(const folds *f, int repeat, int fold, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->fold[repeat * f->n + i] != fold) rows[count++] = i;
    return count;
}

rung_status hide_labels(rung_ctx *ctx, int64_t n, int *y, int K, double share)
{
    by_class c;
    TRY(sort_by_class(ctx, &(ranked_rows){.n = n, .y = y, .K = K}, &c));
    rng r;
    rng_open(&r, ctx->seed, HIDING_STREAM);
    int64_t hidden = 0; /* as in folds_holdout, the running total is rounded */
    for (int k = 1; k <= K; k++) {
        int64_t size = c.first[k] - c.first[k - 1], *rows = c.rows + c.first[k - 1];
        int64_t quota = (int64_t)round(share * (double)c.first[k]) - hidden;
        if (quota > size - 1) quota = size - 1;
        rng_shuffle(&r, rows, size);
        for (int64_t i = 0; i < quota; i++) y[rows[i]] = 0;
        if (quota > 0) hidden += quota;
    }
    return RUNG_OK;
}

rung_status keep_labels(rung_ctx *ctx, int64_t n, int *y, int K, int64_t keep)
{
    by_class c;
    TRY(sort_by_class(ctx, &(ranked_rows){.n = n, .y = y, .K = K}, &c));
    rng r;
    rng_open(&r, ctx->seed, HIDING_STREAM);
    for (int k = 1; k <= K; k++) {
        int64_t size = c.first[k] - c.first[k - 1], *rows = c.rows + c.first[k - 1];
        rng_shuffle(&r, rows, size);
        for (int64_t i = keep; i < size; i++) y[rows[i]] = 0;
    }
    return RUNG_OK;
}
