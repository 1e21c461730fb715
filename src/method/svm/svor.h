// SPDX-License-Identifier: BSD-3-Clause
/* svor.h - support vector ordinal regression: one score, K - 1 parallel thresholds (Chu and Keerthi, Neural Computation
 * 19:792-815, 2007).
 *
 *     minimise  1/2 |w|^2 + sum_i C_i sum_{j in J(i)} max(0, 1 - s_ij (f(x_i) - b_j)),   s_ij = +1 if y_i > j, else -1
 *
 * implicit: J(i) = all thresholds, which are then in order. explicit: the one or two next to class y_i, with the
 * constraint b_1 <= b_2 <= ... */
#ifndef RUNG_METHOD_SVM_SVOR_H
#define RUNG_METHOD_SVM_SVOR_H

#include "method/svm/svor_thresholds.h"
#include "problem/problem.h"

typedef struct {
    problem *p;         /* labelled rows only; its weights multiply C */
    kernel k;           /* settled */
    const landmarks *l; /* that stand for it; NULL: none */
    svor_hinges hinges;
    double C;
    double diagonal;     /* added to the diagonal of the training kernel matrix, see svor_diagonal */
    double tolerance;    /* relative duality gap */
    const double *start; /* pulls to start from (n x (K-1) by rows), or NULL; infeasible ones are ignored */
} svor_problem;

typedef struct {
    double *pull;       /* n x (K-1) by rows: s_ij alpha_ij */
    double *v, *f;      /* n: coefficients and scores of the rows */
    double *b;          /* K - 1: thresholds, each in the middle of its optimal interval */
    double primal, gap; /* the objective, and what it is above the dual one */
    double violation;   /* the largest violation at a threshold, relative to the largest score */
    int rounds;
} svor_solution;

/* What is added to the diagonal at a row. The pull v of a row of weight w is that of w equal rows, v / w each, which
 * cost w diagonal (v / w)^2 / 2 together. */
double svor_diagonal(const problem *p, double diagonal, int64_t i);
rung_status svor_solve(rung_ctx *ctx, pool *mem, const svor_problem *problem, svor_solution *out);

/* Up to this number of rows, and for a precomputed kernel, the problem provides the whole kernel matrix, which may be
 * shared with other fits. */
enum { SVOR_WHOLE = 1500 };
bool svor_takes_gram(const problem *p, const kernel *k);
/* Memory a fit cannot do without, m landmarks (0: none). Above SVOR_WHOLE rows it takes more within the limit of the
 * context, for speed. */
double svor_bytes(int64_t n, int64_t d, int K, bool precomputed, int64_t m);

#endif
