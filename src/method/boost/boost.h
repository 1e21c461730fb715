// SPDX-License-Identifier: BSD-3-Clause
/* Common parts of a fit, its verification and the trees inside an average (stacked.h). */
#ifndef RUNG_METHOD_BOOST_BOOST_H
#define RUNG_METHOD_BOOST_BOOST_H

#include "fit/verify.h"
#include "method/boost/path.h"

enum { BOOST_ORDINAL, BOOST_NOMINAL };

typedef struct {
    int link, rounds, leaves, min_rows, seeds, calibrate; /* -1: auto */
    double rate, l2, rows, columns;                       /* NaN: auto */
    const char *monotone;
} boost_params;

/* The rules and the number of seeds for n labels of K classes, but for monotone columns. */
void boost_settle_rules(const boost_params *params, int64_t n, int K, boost_rules *out, int *seeds);
/* Peak memory of a fit with this number of folds side by side. */
double boost_peak_bytes(const problem_shape *shape, const boost_params *params, int n_folds);

/* The rows of a problem in bins that all its cells, labelled or not, give; where they are a sample, `all` has all rows
 * of the files of this process in the same bins. leaves: of a tree, at most. All in mem. */
rung_status boost_rows_new(rung_ctx *ctx, pool *mem, const problem *p, int leaves, boost_rows *out);
/* Its part for the rows beyond the sample (all_rows.c). */
rung_status boost_all_rows(rung_ctx *ctx, pool *mem, const problem *p, int leaves, boost_rows *out);

typedef struct {
    boost_rules rules;
    int seeds;
    boost_rows rows;
} boost_fit_state;

/* Rules and rows (scratch memory). */
rung_status boost_start(rung_ctx *ctx, const problem *p, const boost_params *params, boost_fit_state *out);

/* Trees of all rows, the mean of the seeds, with their link and decision. */
rung_status boost_member(rung_ctx *ctx, pool *mem, const boost_rows *rows, const boost_rules *rules, int seeds,
                         int rounds, member *out);

rung_status boost_verify(rung_ctx *ctx, const struct verification *v);

#endif
