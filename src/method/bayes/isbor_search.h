// SPDX-License-Identifier: BSD-3-Clause
/* The search of isbor: which basis functions, and with which precisions. */
#ifndef RUNG_METHOD_BAYES_ISBOR_SEARCH_H
#define RUNG_METHOD_BAYES_ISBOR_SEARCH_H

#include "base/rng.h"
#include "method/bayes/probit_fit.h"

typedef struct {
    double tolerance; /* the gain of the log evidence an action must bring; NaN: see isbor_least_gain */
    int max_iterations, candidates;
} isbor_options;

typedef struct {
    isbor_options options;
    basis_functions basis;
    sparse_model m;
    bool *active; /* by number of the function */
    int64_t *
        blocked_by; /* by number: the active function it is nearly parallel to (or itself: tried without success); -1 */
    double *S, *Q, *values; /* of the candidates; a column */
    int64_t *order;         /* the functions, for drawing */
    rng random;
    int steps, undone, full_sweeps;
    bool settled;  /* no action brings a gain; else max_iterations ended the search */
    bool polished; /* the precisions are where re-estimation leaves them; else that would lower the evidence */
} isbor_search;

/* From the empty model, or (alpha given: the precisions of the functions of the first `known` rows, 0 = not in the
 * model) from an earlier one. s must stay where it is. */
rung_status isbor_search_run(rung_ctx *ctx, const problem *p, const kernel *k, const isbor_options *options,
                             int64_t known, const double *alpha, isbor_search *s);

/* ---- within the search ---- */

/* The gain an action must bring now. tolerance=auto: a price per row and function, because the time of the next step
 * and of a prediction grows with these: the search ends when further evidence costs too much time. */
double isbor_least_gain(const isbor_search *s);
/* The price of all functions of the model: the search maximises the log evidence minus this. */
double isbor_paid(const isbor_search *s);
rung_status isbor_by_samples(rung_ctx *ctx, isbor_search *s);                    /* candidates > 0 */
rung_status isbor_add(rung_ctx *ctx, isbor_search *s, int64_t id, double alpha); /* s->values holds the column */
rung_status isbor_add_again(rung_ctx *ctx, isbor_search *s, int64_t id, double alpha);
void isbor_drop(isbor_search *s, int64_t place);
/* Of `count` functions with their S and Q the one of largest gain (the first of equals) that is not nearly parallel to
 * an active one; its column is made. -1: none gains enough. */
/* How far the search may be, guessed from its steps: it stops when nothing is left to gain. */
static inline void isbor_progress(rung_ctx *ctx, const isbor_search *s)
{
    progress(ctx, "fitting", s->steps / (s->steps + 50.0));
}

rung_status isbor_best_addition(rung_ctx *ctx, isbor_search *s, int64_t count, const int64_t *id, int64_t *chosen,
                                sparse_action *action);
sparse_action isbor_own_action(const sparse_model *m, int64_t place); /* of a function of the model */

#endif
