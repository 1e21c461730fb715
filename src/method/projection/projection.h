// SPDX-License-Identifier: BSD-3-Clause
/* Linear projections that maximise a ratio of two quadratic forms: LDA, LPP, NPE, IsoProjection and their tensor forms.
 *
 *     maximise  w'A w / w'(B + ridge tr(B)/d I) w,      A = T'N,  B = T'R
 *
 * T (n x c) are the rows in coordinates, d counts the columns that are not constant, N and R (n x c) are defined by the
 * method: products of T with an n x n matrix that is sparse or never stored. So every method of the family is one
 * function from T to N and R. */
#ifndef RUNG_METHOD_PROJECTION_PROJECTION_H
#define RUNG_METHOD_PROJECTION_PROJECTION_H

#include "fit/method.h"

typedef struct {
    int components, neighbours, sweeps, calibrate;
    double ridge;
    const char *shape;
} projection_params;

#define NEIGHBOURS_PARAM(T)                                                                                            \
    PARAM(T, neighbours, .name = "neighbours", .help = "number of nearest rows connected with each row",               \
          .type = RUNG_TYPE_INT, .default_value = "10", .published = "10", .low = 1, .high = 1000000,                  \
          .grid = "5,10,20")
#define COMPONENTS_PARAM                                                                                               \
    PARAM(projection_params, components, .name = "components", .help = "number of directions", .type = RUNG_TYPE_INT,  \
          .default_value = "1", .published = "1", .low = 1, .high = 1000000)
#define PROJECTION_RIDGE_PARAM                                                                                         \
    PARAM(projection_params, ridge, .name = "ridge",                                                                   \
          .help = "amount added to the denominator, relative to its mean diagonal entry", .type = RUNG_TYPE_REAL,      \
          .default_value = "1e-3", .published = "1e-3", .low = 0, .high = HUGE_VAL,                                    \
          .flags = RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP, .grid = "1,0.1,0.01,0.001,0.0001")
#define SWEEPS_PARAM(T, value)                                                                                         \
    PARAM(T, sweeps, .name = "sweeps", .help = "maximum number of rounds over the modes", .type = RUNG_TYPE_INT,       \
          .default_value = value, .published = value, .low = 1, .high = 1000000)
#define SHAPE_PARAM(T)                                                                                                 \
    PARAM(T, shape, .name = "shape",                                                                                   \
          .help = "sizes of a row as a tensor, such as 16x16 or 4x4x3, last index varying fastest; unset: one mode",   \
          .type = RUNG_TYPE_TEXT, .flags = RUNG_PARAM_OPTIONAL)

/* ---- coordinates ---- */

typedef struct {
    la_mat *T;    /* n x c, columns of mean 0 */
    la_mat *back; /* d x c, orthonormal columns: a direction v of the coordinates is w = back v; NULL: w = v */
} row_space;

/* The columns themselves; or, if there are more of them than rows (and span), coordinates in the span of the rows: all
 * forms are restricted to it, with n x n matrices instead of d x d. */
rung_status row_space_new(rung_ctx *ctx, const problem *p, bool span, row_space *out);
/* The same for any T (n x d, d > n) with rows of coordinates: T becomes n x c, and back appears. */
rung_status row_space_span(rung_ctx *ctx, row_space *s);
/* W (d x m) from directions V (c x m) of the coordinates. */
rung_status row_space_directions(rung_ctx *ctx, const row_space *s, int64_t m, const double *V, double *W);

/* ---- the methods ---- */

typedef struct {
    la_mat *T;       /* input; its origin may be moved */
    const la_mat *N; /* numerator; may be T */
    const la_mat *R; /* denominator */
    bool cancels;    /* it is a difference of terms as large as N: a tiny result is a rounding error */
} projection_pair;

typedef rung_status pair_maker(rung_ctx *ctx, problem *p, const projection_params *params, projection_pair *pair);
pair_maker lda_pair, lpp_pair, npe_pair, isoproj_pair;

/* The parts that differ between the methods (method.h). */
typedef struct {
    pair_maker *pair;
    double squares; /* n x n matrices on the way to the forms */
    bool modes;     /* directions are products of one vector per mode */
} projection_variant;

/* The hooks of the vector and the tensor methods. */
rung_status projection_prepare(rung_ctx *ctx, const fit_input *in); /* the neighbours, if there are any */
rung_status projection_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out);
rung_status tensor_projection_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out);
/* The eigenpairs of a finished model, from recomputed forms (verify.h). */
rung_status projection_verify(rung_ctx *ctx, const struct verification *v);
double projection_bytes(const problem_shape *shape, const void *params);

/* Peak memory of a linear fit over n rows of d columns, of which `copies` exist before it starts. */
typedef struct {
    double n, d, copies;
    double k;       /* neighbours; 0: no graph */
    double squares; /* n x n matrices on the way to the forms */
    double longest; /* tensors: the largest mode; 0: vectors */
    bool span;      /* ... which is seen in the span of the rows where it is longer than that */
    int forms;
    int K, threads;
} fit_size;
double linear_fit_bytes(const fit_size *s);

/* T -= 1 m', m the mean of its rows with these weights (their sum 0: nothing). */
rung_status centre_rows(rung_ctx *ctx, const double *weight, la_mat *T);

/* ---- parts ---- */

/* B += ridge tr(B)/d I; B = 0, or (cancels) negligible relative to A, becomes I. */
rung_status ridge_denominator(rung_ctx *ctx, const la_mat *A, bool cancels, double ridge, double d, la_mat *B);
/* The r leading generalised eigenpairs of A v = lambda B v, v'B v = 1. V is c x r. A and B are destroyed; ridge: the
 * amount added to B, for the message. */
rung_status top_directions(rung_ctx *ctx, la_mat *A, la_mat *B, double ridge, int64_t r, double *values, double *V);
/* From directions W (d x r) to everything of a fit: signs by the labels, class means, decision, rank map. flipped (r,
 * or NULL): which directions changed sign. */
rung_status projection_finish(rung_ctx *ctx, pool *mem, const problem *p, int r, const double *W, const double *values,
                              bool *flipped, fitted *out);

#endif
