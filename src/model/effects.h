// SPDX-License-Identifier: BSD-3-Clause
/* The random effects of a mixed model: what the groups of the training rows add to a linear score, and how much a new
 * group may add. */
#ifndef RUNG_MODEL_EFFECTS_H
#define RUNG_MODEL_EFFECTS_H

#include "data/random_terms.h"
#include "data/scale.h"
#include "solve/link.h"

/* u_g'(1, x) for the columns x of the slopes, scaled; u ~ N(0, covariance). */
typedef struct {
    int n_factors;   /* scaled columns that hold the levels, whose numbers together name a group ... */
    int64_t *factor; /* ... */
    int q;           /* effects of a group: the intercept, then those of the slopes */
    int64_t *slope;  /* q - 1: scaled columns */
    int64_t n_groups;
    int64_t *level;     /* n_factors x groups, in ascending order, the first factor first */
    double *mode;       /* q x groups: the effects of those of the training rows */
    double *spread;     /* q x q x groups: their covariance given the labels */
    double *covariance; /* q x q */
    /* What was inferred about it: for q standard deviations on the scale of the data the standard errors of their
     * logarithms, for q (q - 1) / 2 correlations those of atanh; NaN: none, at 0 or 1. Then the test of the whole term
     * and, where there are slopes, of these: twice the gain of the log likelihood, degrees of freedom, p. */
    double *error, test[6];
} random_effect;

/* P(y <= q) = the mean of L(b_q - score - u) over the effects u of groups that are not known. */
typedef struct {
    int n;
    random_effect *term;
    link_kind link;
    double *b; /* K - 1, ascending */
} random_effects;

enum { EFFECT_TESTS = 6 };
static inline int64_t effect_errors(int q) { return q * (q + 1) / 2; }

/* The group that a scaled row belongs to; -1: none that is known. */
int64_t effect_group(const random_effect *t, const double *x);
/* Adds the effects of known groups to the score of a scaled row. */
double effects_of_known(const random_effects *r, const double *x);
/* The variance of the effects of the groups that are not known. */
double effects_of_new(const random_effects *r, const double *x);

/* The same effects on the scale of the data: u = T u', T q x q. */
void effect_transform(const random_effect *t, const scaling *s, double *T);
/* T A T' */
void effect_carry(int q, const double *T, const double *A, double *out);

#endif
