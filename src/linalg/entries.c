// SPDX-License-Identifier: BSD-3-Clause
/* Operations entry by entry, and sums of entries. Each sum runs over its entries in their order, on any thread; row
 * sums and column sums of a symmetric matrix therefore have the same bits. */
#include <string.h>

#include "linalg/internal.h"

enum { STRIP = 256, SMALL = 32 };

static bool worth(const la_mat *A) { return A->rows * A->cols > WORTH_SHARING; }

static rung_status entries_done(rung_ctx *ctx, const la_mat *A, double flops, double started)
{
    op_done(ctx, OP_ENTRIES, flops * (double)A->rows * (double)A->cols, started);
    return interrupted(ctx);
}

rung_status la_transpose(rung_ctx *ctx, const la_mat *A, la_mat *out)
{
    double started = op_start();
    int64_t m = A->rows, n = A->cols;
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t i0 = 0; i0 < m; i0 += SMALL)
        for (int64_t j0 = 0; j0 < n; j0 += SMALL)
            for (int64_t i = i0; i < min64(i0 + SMALL, m); i++)
                for (int64_t j = j0; j < min64(j0 + SMALL, n); j++) *la_at(out, j, i) = *la_at(A, i, j);
    return entries_done(ctx, A, 0, started);
}

rung_status la_lookup(rung_ctx *ctx, int groups, const double *table, const int *row, const int *col, la_mat *A)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t j = 0; j < A->cols; j++) {
        const double *values = table + (int64_t)col[j] * groups;
        double *a = la_at(A, 0, j);
        for (int64_t i = 0; i < A->rows; i++) a[i] = values[row[i]];
    }
    return entries_done(ctx, A, 0, started);
}

rung_status la_scale_add(rung_ctx *ctx, double alpha, const la_mat *A, double beta, la_mat *B)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t j = 0; j < A->cols; j++) {
        const double *a = la_at(A, 0, j);
        double *b = la_at(B, 0, j);
        if (beta == 0)
            for (int64_t i = 0; i < A->rows; i++) b[i] = alpha * a[i];
        else
            for (int64_t i = 0; i < A->rows; i++) b[i] = alpha * a[i] + beta * b[i];
    }
    return entries_done(ctx, A, 3, started);
}

rung_status la_scale(rung_ctx *ctx, const double *r, const double *c, la_mat *A)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t j = 0; j < A->cols; j++) {
        double *a = la_at(A, 0, j), s = c ? c[j] : 1;
        for (int64_t i = 0; i < A->rows; i++) a[i] *= r ? r[i] * s : s; /* r_i c_j first: symmetric stays symmetric */
    }
    return entries_done(ctx, A, 2, started);
}

rung_status la_hadamard(rung_ctx *ctx, const la_mat *A, la_mat *B)
{
    double started = op_start();
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t j = 0; j < A->cols; j++) {
        const double *a = la_at(A, 0, j);
        double *b = la_at(B, 0, j);
        for (int64_t i = 0; i < A->rows; i++) b[i] *= a[i];
    }
    return entries_done(ctx, A, 1, started);
}

/* ---- sums ---- */

static void row_sums(rung_ctx *ctx, const la_mat *A, double *sums)
{
    memset(sums, 0, (size_t)A->rows * sizeof *sums);
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t i0 = 0; i0 < A->rows; i0 += STRIP) {
        int64_t end = min64(i0 + STRIP, A->rows);
        for (int64_t j = 0; j < A->cols; j++) {
            const double *a = la_at(A, 0, j);
            for (int64_t i = i0; i < end; i++) sums[i] += a[i];
        }
    }
}

/* Four columns at a time, so that additions of different sums overlap. */
static void column_dots(rung_ctx *ctx, const la_mat *A, const la_mat *B, double *dots)
{
    int64_t m = A->rows, n = A->cols;
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t j0 = 0; j0 < n; j0 += 4) {
        int64_t width = min64(4, n - j0);
        const double *a[4], *b[4];
        double s[4] = {0, 0, 0, 0};
        for (int64_t c = 0; c < 4; c++) {
            a[c] = la_at(A, 0, j0 + min64(c, width - 1));
            b[c] = B ? la_at(B, 0, j0 + min64(c, width - 1)) : NULL;
        }
        if (B)
            for (int64_t i = 0; i < m; i++)
                for (int c = 0; c < 4; c++) s[c] += a[c][i] * b[c][i];
        else
            for (int64_t i = 0; i < m; i++)
                for (int c = 0; c < 4; c++) s[c] += a[c][i];
        memcpy(dots + j0, s, (size_t)width * sizeof *s);
    }
}

rung_status la_row_sums(rung_ctx *ctx, const la_mat *A, double *sums)
{
    double started = op_start();
    row_sums(ctx, A, sums);
    op_done(ctx, OP_SUMS, (double)A->rows * (double)A->cols, started);
    return interrupted(ctx);
}

rung_status la_column_dots(rung_ctx *ctx, const la_mat *A, const la_mat *B, double *dots)
{
    double started = op_start();
    column_dots(ctx, A, B, dots);
    op_done(ctx, OP_SUMS, 2.0 * (double)A->rows * (double)A->cols, started);
    return interrupted(ctx);
}

rung_status la_inner(rung_ctx *ctx, const la_mat *A, const la_mat *B, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *dots = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, dots, A->cols));
    TRY(la_column_dots(ctx, A, B, dots));
    *out = 0;
    for (int64_t j = 0; j < A->cols; j++) *out += dots[j];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

void la_diagonal(const la_mat *A, double *diagonal)
{
    for (int64_t i = 0; i < min64(A->rows, A->cols); i++) diagonal[i] = *la_at(A, i, i);
}

double la_trace(const la_mat *A)
{
    double trace = 0;
    for (int64_t i = 0; i < min64(A->rows, A->cols); i++) trace += *la_at(A, i, i);
    return trace;
}

rung_status la_centre(rung_ctx *ctx, la_centring what, la_mat *A)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    double *row = NULL, *col = NULL, mean = 0, m = (double)A->rows, n = (double)A->cols;
    TRY(NEW(ctx, &ctx->scratch, row, A->rows));
    TRY(NEW(ctx, &ctx->scratch, col, A->cols));
    if (what != LA_CENTRE_COLUMNS) row_sums(ctx, A, row);
    if (what != LA_CENTRE_ROWS) column_dots(ctx, A, NULL, col);
    for (int64_t i = 0; i < A->rows; i++) row[i] /= n;
    for (int64_t j = 0; j < A->cols; j++) col[j] /= m;
    for (int64_t j = 0; j < A->cols && what == LA_CENTRE_BOTH; j++) mean += col[j] / n;
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (worth(A))
    for (int64_t j = 0; j < A->cols; j++) {
        double *a = la_at(A, 0, j);
        for (int64_t i = 0; i < A->rows; i++) a[i] = a[i] - (row[i] + col[j]) + mean;
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_CENTRE, 5 * m * n, started);
    return interrupted(ctx);
}
