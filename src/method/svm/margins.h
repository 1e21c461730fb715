// SPDX-License-Identifier: BSD-3-Clause
/* Many margins on few scores: the dual problem of a support vector machine with hinges on scores or on differences of
 * two of them.
 *
 *     minimise over the scores  1/2 (f - f0)'G^-1 (f - f0) + sum_p cap_p max(0, 1 - (f_plus(p) - f_minus(p)))
 *
 * by its dual: f = f0 + G v, v the sum over p of beta_p (e_plus - e_minus), 0 <= beta_p <= cap_p = cap w_plus w_minus.
 * The derivative by beta_p is f_plus - f_minus - 1, so that the matrix over pairs of margins is never formed. */
#ifndef RUNG_METHOD_SVM_MARGINS_H
#define RUNG_METHOD_SVM_MARGINS_H

#include "base/context.h"

typedef struct {
    int64_t plus, minus; /* scores; -1: none, a score of 0 */
} margin;

typedef struct {
    int64_t m;           /* scores */
    const double *G;     /* m x m, symmetric positive semidefinite */
    const double *start; /* m: f0 */
    int64_t count;
    const margin *margins;
    double cap;
    const double *weight; /* m: multiplies the cap of every margin of the score; NULL: 1 */
    const double *begin;  /* count: multipliers to begin with, 0 or more; NULL: 0 */
    double tolerance;     /* largest projected derivative at the end */
    double *beta;         /* count: gets the multipliers; NULL: they are not wanted */
} margins_problem;

typedef struct {
    double *f, *v; /* m: scores, pulls on them */
    double loss;   /* cap times the hinges */
    double gap;    /* duality gap */
    int sweeps;
} margins_solution;

/* Ends without an error if rounding prevents reaching the tolerance: see the gap. */
rung_status margins_solve(rung_ctx *ctx, pool *mem, const margins_problem *p, margins_solution *out);

#endif
