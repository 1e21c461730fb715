// SPDX-License-Identifier: BSD-3-Clause
/* The centred kernel of krr, kpca and ot: whole, or thin, that is without any n x n matrix. */
#ifndef RUNG_METHOD_TARGET_CENTRED_H
#define RUNG_METHOD_TARGET_CENTRED_H

#include "fit/method.h"

/* K~ = C K C, C = I - 11'/n, over the rows of a problem: whole; or thin, if a row is represented by few numbers: its
 * columns (linear kernel, fewer columns than rows) or its landmark features. With F (width x n) these numbers, centred,
 * and F F' = axes diag(value) axes', K~ = U diag(value) U' for U = F'T, T = axes diag(value)^-1/2. U is never stored,
 * and F only where it fits (landmark_room). A function of K~ is f(x) = k~(x)'B a + bias, with B = I (whole) or B =
 * U. */
typedef struct {
    const problem *p;
    kernel k;
    int64_t n; /* rows that K~ is over */
    int64_t
        rows; /* rows of the problem: the same, or fewer if they are a sample. Only these are ever at hand; sums over
                     all rows are then by class */
    bool centred;
    double trace;       /* of K~ */
    la_mat *K;          /* n x n; NULL: thin */
    const landmarks *l; /* thin: NULL: the columns */
    int64_t width;      /* length of mean: n; thin: columns or features */
    double *mean;       /* of each column of K; thin: of each row of F before it was centred */
    la_mat *F;          /* thin: width x n, or NULL: recomputed when needed */
    int64_t r;          /* thin: value > 0 falling, r of them */
    double *value;
    la_mat *T;                       /* width x r */
    double *class_sums, *class_size; /* of a sample: width x K, sums of F over all rows by class; K, rows; NULL: the
                                        problem has all rows */
} centred_kernel;

/* From the Gram matrix or the landmarks of the problem. The kernel's precisions go to mem, everything else to the
 * scratch pool. centre = false: K~ = K. */
rung_status centred_kernel_new(rung_ctx *ctx, pool *mem, problem *p, const kernel_params *params, bool centre,
                               centred_kernel *out);
/* Computes in the problem what centred_kernel_new will need. */
rung_status centred_kernel_prepare(rung_ctx *ctx, problem *p, const kernel_params *params);
/* Peak memory of a thin kernel over n rows; 0: it will be whole. */
double centred_thin_bytes(const problem_shape *shape, int64_t n, const kernel_params *params);

/* Length of a: n or r. */
int64_t centred_basis(const centred_kernel *c);
/* The mean eigenvalue of K~; RUNG_EDATA if all rows are equal, or so to the kernel. */
rung_status centred_mean_eigenvalue(rung_ctx *ctx, const centred_kernel *c, double *out);
/* The r leading eigenvectors of K~, v = B a (n x r), the entry of largest modulus of each positive. Missing ones (thin)
 * have value 0 and vector 0. a: basis x r. */
rung_status centred_leading(rung_ctx *ctx, const centred_kernel *c, int64_t r, double *values, double *v, double *a);
/* Fills score and n_expansion, and reports landmarks: output o(x) = k~(x)'B a_o + bias_o; a is basis x outputs. */
rung_status centred_results(rung_ctx *ctx, pool *mem, const centred_kernel *c, int outputs, const double *a,
                            const double *bias, fitted *out);

/* ---- the basis U of a thin kernel ---- */

/* Few rows of U, as many as `out` has, which is count x r. */
rung_status basis_rows(rung_ctx *ctx, const centred_kernel *c, const int64_t *rows, la_mat *out);
/* Memory of such blocks in addition to the kernel. */
double basis_bytes(const problem_shape *shape, int64_t n, const kernel_params *params);
/* U in blocks of rows:
 *
 *     for (at = basis_begin(c); at.first < at.count; basis_end(ctx, &at)) {
 *         TRY(basis_next(ctx, c, &at));
 *         ... at.U, the rows from at.first
 *     }
 */
typedef struct {
    int64_t count, first;
    const int64_t *rows; /* NULL: all */
    bool constant;       /* with a last column of 1 / sqrt(n) */
    const double *root;  /* each column times one of these; NULL: 1 */
    la_mat *U;
    pool_mark mark;
} basis_block;

basis_block basis_begin(const centred_kernel *c);
basis_block basis_some(int64_t count, const int64_t *rows, bool constant, const double *root);
rung_status basis_next(rung_ctx *ctx, const centred_kernel *c, basis_block *at);
void basis_end(rung_ctx *ctx, basis_block *at);

/* out (count x k) = U[rows, :] z, z being r x k; rows NULL: all n of them. */
rung_status basis_times(rung_ctx *ctx, const centred_kernel *c, int64_t count, const int64_t *rows, int64_t k,
                        const double *z, double *out);
/* w = U'y. */
rung_status basis_pull(rung_ctx *ctx, const centred_kernel *c, const double *y, double *w);
/* The same over all rows of which those of the problem are a sample, for a y that has one value per class. */
rung_status basis_pull_classes(rung_ctx *ctx, const centred_kernel *c, const double *value, double *w);

/* w = A'x for a matrix with few columns. */
rung_status transposed_times(rung_ctx *ctx, const la_mat *A, const double *x, double *w);

#endif
