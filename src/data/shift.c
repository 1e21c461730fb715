// SPDX-License-Identifier: BSD-3-Clause
#include "data/shift.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_ROWS = 10, MOST_ROWS = 20000 }; /* of either kind; more than that would only take time */
static const double LEVEL = 1e-4;            /* of all columns together: a warning is to be taken seriously */
static const double LEAST_SHARE = 0.6;       /* of pairs in which one kind is larger, to be worth mentioning */

typedef struct {
    double x;
    int labelled;
} cell;

static int by_value(const void *a, const void *b)
{
    double x = ((const cell *)a)->x, y = ((const cell *)b)->x;
    return (x > y) - (x < y);
}

typedef struct {
    double share; /* of the pairs of a labelled and an unlabelled row: the labelled one is larger; ties count half */
    double p;     /* of the rank-sum test, normal approximation with ties, two-sided */
} comparison;

static comparison rank_sum(int64_t n, cell *cells)
{
    double sum = 0, ties = 0, m = 0, N = (double)n;
    qsort(cells, (size_t)n, sizeof *cells, by_value);
    for (int64_t i = 0, j; i < n; i = j) {
        int64_t labelled = 0;
        for (j = i; j < n && cells[j].x == cells[i].x; j++) labelled += cells[j].labelled;
        double t = (double)(j - i), middle = 0.5 * (double)(i + j + 1); /* the mean of ranks i + 1 .. j */
        sum += middle * (double)labelled;
        ties += t * t * t - t;
        m += (double)labelled;
    }
    double pairs = m * (N - m), U = sum - m * (m + 1) / 2;
    double variance = pairs / 12 * (N + 1 - ties / (N * (N - 1)));
    comparison c = {.share = U / pairs, .p = 1};
    if (variance > 0) c.p = erfc(fabs(U - pairs / 2) / sqrt(2 * variance));
    return c;
}

static int is_labelled(const rung_data *data, int64_t i)
{
    return data->code.real && data->target ? !isnan(data->target[i]) : data->y[i] > 0;
}

/* At most MOST_ROWS of each kind, evenly over the file. */
static rung_status choose_rows(rung_ctx *ctx, const rung_data *data, int64_t *n, int64_t **rows, int64_t count[2])
{
    int64_t seen[2] = {0};
    count[0] = count[1] = *n = 0;
    for (int64_t i = 0; i < data->n; i++) count[is_labelled(data, i)]++;
    TRY(NEW_RAW(ctx, &ctx->scratch, *rows, data->n));
    for (int64_t i = 0; i < data->n; i++) {
        int kind = is_labelled(data, i);
        int64_t step = 1 + (count[kind] - 1) / MOST_ROWS;
        if (seen[kind]++ % step == 0) (*rows)[(*n)++] = i;
    }
    return RUNG_OK;
}

rung_status shift_warn(rung_ctx *ctx, const rung_data *data)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n, *rows = NULL, count[2], different = 0, worst = 0;
    cell *cells = NULL;
    comparison most = {.p = 1};
    TRY(choose_rows(ctx, data, &n, &rows, count));
    TRY(NEW_RAW(ctx, &ctx->scratch, cells, n));
    bool enough = count[0] >= LEAST_ROWS && count[1] >= LEAST_ROWS;
    for (int64_t j = 0; j < data->d && enough; j++) {
        TRY(interrupted(ctx));
        int64_t known = 0;
        for (int64_t i = 0; i < n; i++) {
            double x = data->X[j + rows[i] * data->d];
            if (!isnan(x)) cells[known++] = (cell){x, is_labelled(data, rows[i])};
        }
        comparison c = rank_sum(known, cells);
        if (c.p * (double)data->d > LEVEL || fmax(c.share, 1 - c.share) < LEAST_SHARE) continue;
        if (different++ == 0 || fabs(c.share - 0.5) > fabs(most.share - 0.5)) {
            most = c;
            worst = j;
        }
    }
    if (different > 0) {
        char name[64], more[48] = "";
        coding_feature_name(&data->code, worst, name, sizeof name);
        if (different > 1) snprintf(more, sizeof more, ", and %lld more columns differ", (long long)different - 1);
        log_at(ctx, RUNG_LOG_WARNING,
               "the labelled rows are not like the unlabelled ones: column %s is %s in %.0f %% of the pairs of one of "
               "each%s; errors and intervals come from labelled rows and may not hold for the others",
               name, most.share > 0.5 ? "larger" : "smaller", 100 * fmax(most.share, 1 - most.share), more);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
