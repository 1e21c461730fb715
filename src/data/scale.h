// SPDX-License-Identifier: BSD-3-Clause
/* Scaling of coded columns, fitted on the training rows (labelled and unlabelled) and kept in the model. */
#ifndef RUNG_DATA_SCALE_H
#define RUNG_DATA_SCALE_H

#include <stdbool.h>

#include "base/context.h"

typedef enum { SCALE_STANDARD, SCALE_MINMAX, SCALE_RANK, SCALE_NONE, SCALE_RELEVANCE } scale_kind;

/* x -> (g(x) - shift) * factor, g the identity or, for SCALE_RANK, the training rows' mid-rank distribution
 * function (share of rows below x + share of rows at or below x) / 2. A constant column has factor 0.
 * SCALE_RELEVANCE: as SCALE_STANDARD, the factors times weights that follow from the labels (scale_weigh). */
typedef struct {
    scale_kind kind;
    int64_t d;
    double *shift, *factor;  /* d; NULL for SCALE_NONE */
    int64_t *knots_first;    /* SCALE_RANK: d + 1; column j has knots knots_first[j] .. knots_first[j+1]-1 */
    double *knot, *knot_cdf; /* its distinct training values, ascending, and the share of rows at or below each */
    double *fill;            /* d: what stands for a missing cell (NaN); NULL: there are none */
} scaling;

bool scale_parse(const char *text, scale_kind *out);
const char *scale_name(scale_kind kind);

typedef struct {
    int64_t d, n;
    const double *X;
    const double *fill;   /* copied; may be NULL */
    const double *weight; /* how many equal rows a row counts as, 0: none; NULL: one */
} scale_rows;
rung_status scale_fit(rung_ctx *ctx, pool *mem, scale_kind kind, const scale_rows *rows, scaling *out);
/* n rows of X: those listed, or the first n where rows is NULL; out is d x n. Scaled values (not those of SCALE_NONE)
 * are kept within +-SCALE_MOST, so that squares of values in a prediction stay finite. */
#define SCALE_MOST 1e150
void scale_apply(const scaling *s, int64_t n, const rung_view *X, const int64_t *rows, double *out);
/* Multiplies the factors by weights (d). */
void scale_weigh(scaling *s, const double *weight);
/* Whether a scaling that follows another one gives columns different weights: it is not the ranking to unit variance.
 */
bool scale_weighs(const scaling *s);
rung_status scale_copy(rung_ctx *ctx, pool *mem, const scaling *from, scaling *to);

#endif
