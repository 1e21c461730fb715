// SPDX-License-Identifier: BSD-3-Clause
/* One partition: which rows are test rows, and which training rows keep their label. */
#include "experiment/plan/partitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64: independent seeds. */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The folds of a search are drawn by the plan's seed itself, as in ORCA: the rows differ anyway. */
uint64_t partition_seed(const plan_dataset *d, int64_t index, int purpose)
{
    if (purpose == SEED_FIT) return d->seed;
    return mixed(mixed(mixed(d->seed) + (uint64_t)index) + (uint64_t)purpose);
}

/* Ranks to draw by: real targets are one class. */
static int *ranks_of(const rung_data *data)
{
    int64_t n = rung_data_rows(data);
    const double *target = rung_data_targets(data);
    int *rank = allocate((size_t)n, sizeof *rank);
    if (!target) memcpy(rank, rung_data_ranks(data), (size_t)n * sizeof *rank);
    for (int64_t i = 0; i < n && target; i++) rank[i] = !isnan(target[i]);
    return rank;
}

typedef struct { /* what is drawn: rows, or those that leave together */
    int64_t n;
    int64_t *of; /* per row of the data: its unit, in the order of the first rows; -1: it is not drawn */
    int *rank;   /* per unit: the median of its rows */
} units;

typedef struct {
    int64_t unit;
    int rank;
} member;

static int by_unit(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->unit != y->unit) return x->unit < y->unit ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void rank_units(int64_t n, const int *rank, units *u)
{
    member *m = allocate((size_t)n, sizeof *m);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (u->of[i] >= 0) m[count++] = (member){u->of[i], rank[i]};
    qsort(m, (size_t)count, sizeof *m, by_unit);
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && m[end].unit == m[first].unit;) end++;
        u->rank[m[first].unit] = m[(first + end - 1) / 2].rank;
    }
    free(m);
}

/* Of the first n rows of the data those with a label (rank > 0). */
static rung_status units_of(rung_ctx *ctx, const plan_dataset *p, const rung_data *data, int64_t n, const int *rank,
                            units *out)
{
    int64_t rows = rung_data_rows(data), most = 0;
    int *group = allocate((size_t)rows, sizeof *group);
    rung_status status = rung_data_together(ctx, data, p->equal_rows, group);
    for (int64_t i = 0; i < rows && status == RUNG_OK; i++) most = group[i] > most ? group[i] : most;
    int64_t *number = allocate((size_t)most + 1, sizeof *number); /* of a group, from 1 */
    *out = (units){.of = allocate((size_t)n, sizeof *out->of), .rank = allocate((size_t)n, sizeof *out->rank)};
    for (int64_t i = 0; i < n && status == RUNG_OK; i++) {
        if (rank[i] > 0 && !number[group[i]]) number[group[i]] = ++out->n;
        out->of[i] = rank[i] > 0 ? number[group[i]] - 1 : -1;
    }
    if (status == RUNG_OK) rank_units(n, rank, out);
    free(number);
    free(group);
    return status;
}

/* Draws the rows that are kept, all rows of a unit or none, and sets the ranks of the others among the first n to 0.
 * instead: of those that are kept. */
static rung_status keep(rung_ctx *ctx, const dataset *d, const rung_data *data, int64_t n, int *rank,
                        const amount *kept, bool instead)
{
    units u;
    rung_status status = units_of(ctx, d->plan, data, n, rank, &u);
    double rows = 0;
    for (int64_t i = 0; i < n; i++) rows += rank[i] > 0;
    double share = kept->rows > 0 ? (double)kept->rows / (rows > 0 ? rows : 1) : kept->share;
    if (share > 1) share = 1;
    bool by_class = kept->per_class > 0;
    if (status == RUNG_OK)
        status = rung_ranks_hide(ctx, u.n, u.rank, d->classes ? d->classes : 1, instead ? share : 1 - share,
                                 kept->per_class);
    for (int64_t i = 0; i < n && status == RUNG_OK; i++)
        if (u.of[i] >= 0 && (u.rank[u.of[i]] == 0) != (instead && by_class)) rank[i] = 0;
    free(u.of);
    free(u.rank);
    return status;
}

/* Which rows are test rows: flags. */
static rung_status draw_test(rung_ctx *ctx, const dataset *d, int64_t index, int *is_test)
{
    const plan_dataset *p = d->plan;
    if (p->kind == SPLITS) {
        for (int64_t i = 0; i < d->n_test[index]; i++) is_test[d->test[index][i]] = 1;
        return RUNG_OK;
    }
    int *rank = ranks_of(d->data), *before = ranks_of(d->data);
    bool by_test = p->test.rows > 0 || p->test.share > 0 || p->test.per_class > 0;
    rung_ctx_set_seed(ctx, partition_seed(p, index, SEED_TEST));
    rung_status status = keep(ctx, d, d->data, d->rows, rank, by_test ? &p->test : &p->train, by_test);
    for (int64_t i = 0; i < d->rows; i++) is_test[i] = before[i] > 0 && rank[i] == 0;
    free(before);
    free(rank);
    return status;
}

/* Stores the true labels, hides those that are not kept, and appends the test rows of a transductive partition. `all`
 * are the training rows, then the test rows. */
static rung_status hide(rung_ctx *ctx, const dataset *d, int64_t index, const rung_data *all, partition *out)
{
    const plan_dataset *p = d->plan;
    int64_t n = out->n_train + (p->transductive ? out->n_test : 0);
    const double *target = rung_data_targets(all);
    int *rank = ranks_of(all), *before = ranks_of(all), *hidden = allocate((size_t)n, sizeof *hidden);
    int64_t *rows = allocate((size_t)n, sizeof *rows);
    rung_status status = RUNG_OK;
    out->train_rank = allocate((size_t)out->n_train, sizeof *out->train_rank);
    memcpy(out->train_rank, rung_data_ranks(all), (size_t)out->n_train * sizeof *out->train_rank);
    if (target) {
        out->train_target = allocate((size_t)out->n_train, sizeof *out->train_target);
        memcpy(out->train_target, target, (size_t)out->n_train * sizeof *target);
    }
    if (p->labelled.share > 0 || p->labelled.rows > 0 || p->labelled.per_class > 0) {
        rung_ctx_set_seed(ctx, partition_seed(p, index, SEED_LABELS));
        status = keep(ctx, d, all, out->n_train, rank, &p->labelled, false);
    }
    for (int64_t i = 0; i < n; i++) {
        rows[i] = i;
        hidden[i] = i >= out->n_train || (before[i] > 0 && rank[i] == 0);
    }
    if (status == RUNG_OK) status = rung_data_subset(ctx, all, n, rows, hidden, &out->train);
    free(rows);
    free(hidden);
    free(before);
    free(rank);
    return status;
}

static rung_status cut(rung_ctx *ctx, const dataset *d, int64_t index, partition *out)
{
    int *is_test = allocate((size_t)d->rows, sizeof *is_test);
    int64_t *order = allocate((size_t)d->rows, sizeof *order);
    rung_data *all = NULL;
    rung_status status = draw_test(ctx, d, index, is_test);
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < d->rows; i++)
            if (is_test[i] == side) order[side ? out->n_train + out->n_test++ : out->n_train++] = i;
    out->train_rows = allocate((size_t)out->n_train, sizeof *order);
    out->test_rows = allocate((size_t)out->n_test, sizeof *order);
    memcpy(out->train_rows, order, (size_t)out->n_train * sizeof *order);
    memcpy(out->test_rows, order + out->n_train, (size_t)out->n_test * sizeof *order);
    if (status == RUNG_OK) status = rung_data_subset(ctx, d->data, out->n_test, out->test_rows, NULL, &out->test);
    if (status == RUNG_OK) status = rung_data_subset(ctx, d->data, d->rows, order, NULL, &all);
    if (status == RUNG_OK) status = hide(ctx, d, index, all, out);
    rung_data_free(all);
    free(order);
    free(is_test);
    return status;
}

static rung_status read_files(rung_ctx *ctx, const dataset *d, int64_t index, partition *out)
{
    rung_data *train = NULL;
    rung_status status = dataset_read_parts(ctx, d->plan, index, d->order, &train, &out->test);
    if (status == RUNG_OK) {
        out->n_train = rung_data_rows(train);
        out->n_test = rung_data_rows(out->test);
        out->train_rows = allocate((size_t)out->n_train, sizeof *out->train_rows);
        out->test_rows = allocate((size_t)out->n_test, sizeof *out->test_rows);
        for (int64_t i = 0; i < out->n_train; i++) out->train_rows[i] = i;
        for (int64_t i = 0; i < out->n_test; i++) out->test_rows[i] = i;
        status = hide(ctx, d, index, train, out);
    }
    rung_data_free(train);
    return status;
}

rung_status partition_open(rung_ctx *ctx, const dataset *d, int64_t index, partition *out)
{
    *out = (partition){0};
    rung_status status = d->data ? cut(ctx, d, index, out) : read_files(ctx, d, index, out);
    if (status == RUNG_OK) {
        out->test_rank = rung_data_ranks(out->test);
        out->test_target = rung_data_targets(out->test);
    }
    return status;
}

void partition_close(partition *p)
{
    rung_data_free(p->train);
    rung_data_free(p->test);
    free(p->train_rank);
    free(p->train_target);
    free(p->train_rows);
    free(p->test_rows);
    *p = (partition){0};
}
