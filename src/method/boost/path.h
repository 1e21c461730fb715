// SPDX-License-Identifier: BSD-3-Clause
/* Boosting with some rows held out, all folds and seeds in parallel, round by round. Every round is a model, so one
 * pass gives the held-out loss for every number of rounds, and the predictions of the best one. */
#ifndef RUNG_METHOD_BOOST_PATH_H
#define RUNG_METHOD_BOOST_PATH_H

#include "data/splits.h"
#include "fit/method.h"
#include "trees/boosting.h"

/* The random numbers of one of the seeds. */
static inline uint64_t boost_random(int seed) { return UINT64_C(0x626f6f7374) + (uint64_t)seed; }

typedef struct {
    int rounds;    /* of the least loss */
    bool cut;      /* BOOST_MOST_ROUNDS were reached while the loss was still decreasing */
    double loss;   /* there: mean negative log probability of the held-out rows; infinite: not known */
    held_out held; /* predictions after this number of rounds */
} boost_path;

/* Threads worth using within one fit. */
int boost_threads(const rung_ctx *ctx, const boost_rows *data);

enum { BOOST_MOST_ROUNDS = 2000 }; /* where the held-out loss chooses their number */

typedef struct
{ /* numbers of rounds; one below 1: that of the least loss, found when the loss has not decreased for some
                    time */
    int count;
    const int *list;
} boost_rounds;
/* The path up to each of these numbers of rounds in one pass. f: folds of the first f->n rows; the others are never
 * held out. */
rung_status boost_path_run(rung_ctx *ctx, pool *mem, const boost_rows *data, const boost_rules *rules, int seeds,
                           const folds *f, boost_rounds rounds, boost_path *out);
double boost_path_bytes(const boosting_shape *s, int side_by_side, int threads);

/* Class probabilities from functions and thresholds: of the ordinal link (f one number) or the nominal one. */
void boost_proba(const ordinal *link, int K, const double *f, int64_t step, double *p);

#endif
