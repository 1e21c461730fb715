// SPDX-License-Identifier: BSD-3-Clause
/* What wrong answers cost, and the answer that is expected to cost least. */
#ifndef RUNG_EVAL_COST_H
#define RUNG_EVAL_COST_H

#include <stdbool.h>

#include "base/context.h"

typedef struct {
    double *matrix; /* classes x classes, by rows: truth, answer; NULL: none */
    double abstain; /* of no answer; 0: always answer */
} answer_cost;

/* See rung_cost_parse and rung_cost_check. */
rung_status cost_parse(rung_ctx *ctx, const char *text, int classes, double *out);
rung_status cost_check(rung_ctx *ctx, int classes, const double *matrix, double abstain);
/* A checked copy in mem; matrix NULL (with abstain > 0: absolute costs). */
rung_status cost_copy(rung_ctx *ctx, pool *mem, int classes, const double *matrix, double abstain, answer_cost *out);

/* The class, by its place 1..K in `present`, that costs least under the K probabilities; of equal ones the lowest. 0:
 * none costs as little as no answer. */
int cost_answer(const answer_cost *c, int classes, int K, const int *present, const double *p);
/* Of an answer, 0: none, where one of the classes low..high is true: what it costs at least. */
double cost_of(const answer_cost *c, int classes, int low, int high, int answer);

#endif
