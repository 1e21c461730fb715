// SPDX-License-Identifier: BSD-3-Clause
/* contrast.c - weighted Helmert contrasts.
 *
 * For rows 1..N of a group with weights w and partial sums s_j = w_1 + ... + w_j, column j = 1..N-1 of W is
 *     a_j w_h for h <= j,    -b_j for h = j + 1,    0 beyond,
 *     a_j = sqrt(w_{j+1} / (s_j s_{j+1})),   b_j = sqrt(w_{j+1} s_j / s_{j+1}),
 * so that W W' = diag(w) - w w'/s_N: the within-group scatter. A running sum makes A W an O(n^2) pass. */
#include <math.h>

#include "linalg/internal.h"

enum { STRIP = 256 };

static double weight_of(const double *weight, int64_t i) { return weight ? weight[i] : 1; }

rung_status la_group_contrasts(rung_ctx *ctx, const la_mat *A, double alpha, int groups, const int64_t *size,
                               const int64_t *order, const double *weight, la_mat *out)
{
    double started = op_start();
    int64_t n = A->rows, strips = (n + STRIP - 1) / STRIP;
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (strips > 1)
    for (int64_t t = 0; t < strips; t++) {
        double sum[STRIP];
        int64_t r0 = t * STRIP, rows = min64(STRIP, n - r0), column = 0;
        const int64_t *row = order;
        for (int g = 0; g < groups; row += size[g++]) {
            double s = 0;
            for (int64_t i = 0; i < rows; i++) sum[i] = 0;
            for (int64_t j = 0; j < size[g]; j++) {
                const double *x = la_at(A, r0, row[j]);
                double w = weight_of(weight, row[j]), next = s + w;
                if (j > 0) {
                    double a = alpha * sqrt(w / (s * next)), b = alpha * sqrt(w * s / next);
                    double *y = la_at(out, r0, column++);
                    for (int64_t i = 0; i < rows; i++) y[i] = a * sum[i] - b * x[i];
                }
                for (int64_t i = 0; i < rows; i++) sum[i] += w * x[i];
                s = next;
            }
        }
    }
    op_done(ctx, OP_MUL, 5.0 * (double)n * (double)n, started);
    return interrupted(ctx);
}

void la_group_contrasts_thin(int64_t n, int groups, const int64_t *size, const int64_t *order, const double *weight,
                             int64_t k, const double *z, double *y)
{
    for (int64_t c = 0; c < k; c++) {
        const int64_t *row = order;
        const double *zc = z + c * (n - groups);
        double *yc = y + c * n;
        for (int g = 0; g < groups; row += size[g++]) {
            double s = 0, above = 0; /* above: sum of a_j z_j over the columns that reach this row */
            for (int64_t j = 0; j < size[g]; s += weight_of(weight, row[j++])) yc[row[j]] = s;
            for (int64_t j = size[g] - 1; j > 0; j--) {
                double w = weight_of(weight, row[j]), before = yc[row[j]], after = before + w;
                double a = sqrt(w / (before * after)), b = sqrt(w * before / after);
                yc[row[j]] = w * above - b * zc[j - 1];
                above += a * zc[j - 1];
            }
            yc[row[0]] = weight_of(weight, row[0]) * above;
            zc += size[g] - 1;
        }
    }
}
