// SPDX-License-Identifier: BSD-3-Clause
/* The optimal target vector: values t of the unlabelled rows for which kernel ridge regression on y = (u, t) leaves the
 * smallest training error y'H y, H = lambda^2 (K~ + lambda I)^-2, u being the targets of the labelled rows.
 *
 * With M = K~ + lambda I the minimum over all t is y = M g, g the shortest vector with (M g)_i = u_i on the labelled
 * rows: only products with M. On the sphere |t|^2 = rho2 it is t = (I - mu S)^-1 b, b that minimum and S = R'R /
 * lambda^2 the inverse of H's block, R = columns of M of the unlabelled rows without their projection on those of the
 * labelled ones; then y = M c with c = g + mu R t / lambda^2. Neither H nor an inverse is ever formed, which would
 * square the condition number. With an intercept the constant is unpenalised (H - 11'/n): columns of M become
 * differences from the column of the first labelled row. */
#ifndef RUNG_METHOD_TARGET_OT_SOLVE_H
#define RUNG_METHOD_TARGET_OT_SOLVE_H

#include "data/row_groups.h"
#include "method/target/kernel_ridge.h"

typedef struct {
    const centred_kernel *c;
    double lambda;
    bool intercept, sphere;
    la_mat *M;     /* whole: K~ + lambda I */
    la_mat *S;     /* whole, for labels hidden in turn: S of all labels, over all rows (n x n); NULL: not there */
    int64_t q;     /* thin: H = I - W W', W = [U, 1 / sqrt(n)] diag(root), n x q; the constant with an intercept */
    double *root;  /* thin: q */
    double *small; /* thin: eigenvalue of H that belongs to each column of W (q) */
} ot_space;

typedef struct {
    double *y;   /* n */
    double *a;   /* coefficients of the ridge regression on y in the kernel's basis */
    double bias; /* and its constant */
    double multiplier;
    double energy; /* t'H0 t + 2 t'H1 u; from ot_solve_finish for a whole kernel */
    bool hard;
} ot_target;

/* lambda, intercept and sphere are taken from `out`; c->K, where there is one, becomes M. */
rung_status ot_space_new(rung_ctx *ctx, const centred_kernel *c, ot_space *out);
/* Room for one target, in the scratch pool. */
rung_status ot_target_new(rung_ctx *ctx, const ot_space *s, ot_target *out);

/* The rows with a target u: m of them (m >= 1). n_hidden more had one in ot_space_share, which is then used. */
typedef struct {
    int64_t m, n_hidden;
    const int64_t *lab, *hidden;
    const double *u;
    double rho2;
    const row_groups *together; /* of the m rows: equal ones; NULL: there are none */
} labelled_rows;
rung_status ot_solve(rung_ctx *ctx, const ot_space *s, const labelled_rows *rows, ot_target *out);
/* What ot_solve needs for labels hidden in turn. */
rung_status ot_space_share(rung_ctx *ctx, ot_space *s, const labelled_rows *rows);
/* Whole: recomputes the coefficients, exactly those of y, and the energy. Destroys M. */
rung_status ot_solve_finish(rung_ctx *ctx, ot_space *s, const labelled_rows *rows, ot_target *out);

/* Generalised components: the vectors orthogonal to y (and to the constant, with an intercept) with the smallest v'H v,
 * as columns of v (n x r), their coefficients a (basis x r) and v'H v. */
rung_status ot_components(rung_ctx *ctx, const ot_space *s, const double *y, int64_t r, double *v, double *a,
                          double *left);

/* For verify.h: the conditions of the optimum, of a target and components y (n x m) and the regressions f (n x m) on
 * them, from c, lambda, intercept and sphere of the space alone; c is destroyed. */
rung_status ot_solve_verify(rung_ctx *ctx, const struct verification *v, const ot_space *s, const labelled_rows *rows,
                            int64_t m, const double *y, const double *f);

/* Mean squared leave-one-out error of the minimum over all t, each label (or those of equal rows) hidden in turn, for
 * every candidate lambda: a Gaussian process with covariance (K~ + lambda I)^2. Before ot_space_new. NaN: cannot be
 * computed. */
rung_status ot_loo(rung_ctx *ctx, const centred_kernel *c, bool intercept, const labelled_rows *rows, double *loo);

#endif
