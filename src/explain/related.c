// SPDX-License-Identifier: BSD-3-Clause
#include "explain/related.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/la.h"

enum { MOST_CODED = 2000 }; /* coded columns; the matrix of their correlations has the square of it */
static const double RELATED = 0.7, RIDGE = 1e-6;

typedef struct {
    double value;
    int64_t row;
} cell;

static int by_value(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* The mid-ranks of one coded column, with mean 0 and length 1; all 0 where it is constant. A missing cell has the mean
 * rank. Written with a step of d. */
static void standard_ranks(int64_t n, cell *cells, int64_t d, double *z)
{
    int64_t there = 0;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) z[i * d] = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(cells[i].value)) cells[there++] = cells[i];
    qsort(cells, (size_t)there, sizeof *cells, by_value);
    double middle = 0.5 * (double)(there - 1);
    for (int64_t i = 0, end; i < there; i = end) {
        for (end = i + 1; end < there && cells[end].value == cells[i].value;) end++;
        double rank = 0.5 * (double)(i + end - 1) - middle;
        for (int64_t k = i; k < end; k++) z[cells[k].row * d] = rank;
        sum += rank * rank * (double)(end - i);
    }
    for (int64_t i = 0; sum > 0 && i < n; i++) z[i * d] /= sqrt(sum);
}

static rung_status correlations(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, la_mat **out)
{
    int64_t d = data->d;
    pool_mark mark;
    TRY(la_new(ctx, &ctx->scratch, d, d, out));
    mark = pool_here(&ctx->scratch);
    cell *cells = NULL;
    double *ranks = NULL;
    la_mat *Z = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, cells, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, ranks, d * n));
    for (int64_t c = 0; c < d; c++) {
        for (int64_t i = 0; i < n; i++) cells[i] = (cell){data->X[c + rows[i] * d], i};
        standard_ranks(n, cells, d, ranks + c);
    }
    TRY(la_new(ctx, &ctx->scratch, d, n, &Z));
    la_put(ranks, Z);
    TRY(la_syrk(ctx, false, 1, Z, 0, *out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static double largest(const coding *code, int64_t a, int64_t b, const double *C)
{
    const column_code *x = &code->columns[a], *y = &code->columns[b];
    double most = 0;
    for (int64_t i = 0; i < column_width(x); i++)
        for (int64_t j = 0; j < column_width(y); j++)
            most = fmax(most, fabs(C[x->first + i + (y->first + j) * code->d]));
    return most;
}

/* Groups are the connected parts of the graph of related columns, numbered by their first column. */
static rung_status find_groups(rung_ctx *ctx, const coding *code, const double *C, related_columns *out)
{
    int64_t m = code->n_columns, *part = NULL, *size = NULL;
    int *number = NULL;
    TRY(NEW(ctx, &ctx->scratch, part, m));
    TRY(NEW(ctx, &ctx->scratch, size, m));
    TRY(NEW(ctx, &ctx->scratch, number, m));
    for (int64_t j = 0; j < m; j++) {
        part[j] = j;
        for (int64_t i = 0; i < j; i++) {
            int64_t from = part[j], to = part[i];
            if (from == to || largest(code, i, j, C) < RELATED) continue;
            for (int64_t k = 0; k <= j; k++)
                if (part[k] == from) part[k] = to;
        }
    }
    for (int64_t j = 0; j < m; j++) size[part[j]]++;
    for (int64_t j = 0; j < m; j++) {
        if (size[part[j]] < 2) continue;
        if (!number[part[j]]) number[part[j]] = ++out->n_groups;
        out->group[j] = number[part[j]];
    }
    return RUNG_OK;
}

/* With P = C^-1 the columns of a block j have the covariance (P_jj)^-1 given all others. */
static rung_status shares(rung_ctx *ctx, const coding *code, int64_t n, const double *C, la_mat *P, double *share)
{
    int64_t d = code->d;
    la_add_diagonal(P, RIDGE, NULL);
    TRY(la_potrf(ctx, P));
    TRY(la_potri(ctx, P));
    double *inverse = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, inverse, d * d));
    la_get(P, inverse);
    for (int64_t j = 0; j < code->n_columns; j++) {
        const column_code *c = &code->columns[j];
        int k = (int)column_width(c);
        double *block = NULL, *unit = NULL, left = 0, whole = 0;
        TRY(NEW(ctx, &ctx->scratch, block, (int64_t)k * k));
        TRY(NEW(ctx, &ctx->scratch, unit, (int64_t)k * k));
        for (int a = 0; a < k; a++) {
            unit[a + a * k] = 1;
            whole += C[(c->first + a) * (d + 1)];
            for (int b = 0; b < k; b++) block[a + b * k] = inverse[c->first + a + (c->first + b) * d];
        }
        TRY(la_small_spd_solve(ctx, k, block, k, unit));
        for (int a = 0; a < k; a++) left += unit[a + a * k] - RIDGE;
        double free_rows = (double)(n - 1 - (d - k));
        share[j] = whole > 0 ? fmin(1, fmax(0, 1 - left / whole * (double)(n - 1) / free_rows)) : 0;
    }
    return RUNG_OK;
}

rung_status related_find(rung_ctx *ctx, const coding *code, const rung_data *data, int64_t n, const int64_t *rows,
                         related_columns *out)
{
    la_mat *C = NULL;
    double *host = NULL;
    *out = (related_columns){0};
    TRY(NEW(ctx, &ctx->scratch, out->group, code->n_columns));
    TRY(NEW(ctx, &ctx->scratch, out->share, code->n_columns));
    for (int64_t j = 0; j < code->n_columns; j++) out->share[j] = NAN;
    if (code->d > MOST_CODED || code->n_columns < 2 || n < 3) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(correlations(ctx, data, n, rows, &C));
    TRY(NEW_RAW(ctx, &ctx->scratch, host, code->d * code->d));
    la_get(C, host);
    TRY(find_groups(ctx, code, host, out));
    if (n > 2 * code->d) TRY(shares(ctx, code, n, host, C, out->share));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
