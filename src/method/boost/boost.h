// SPDX-License-Identifier: BSD-3-Clause
/* Private to this folder: common parts of a fit and its verification. */
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

/* The rules and the number of seeds for n labels, but for monotone columns. */
void boost_settle_rules(const boost_params *params, int64_t n, boost_rules *out, int *seeds);

typedef struct {
    boost_rules rules;
    int seeds;
    tree_bins bins;
    boost_rows rows;
} boost_fit_state; /* not to be moved: rows points at bins */

/* The rows of a problem in bins (scratch memory). */
rung_status boost_start(rung_ctx *ctx, const problem *p, const boost_params *params, boost_fit_state *out);

rung_status boost_verify(rung_ctx *ctx, const struct verification *v);

#endif
