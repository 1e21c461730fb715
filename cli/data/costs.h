// SPDX-License-Identifier: BSD-3-Clause
/* The options --cost and --abstain: what wrong answers cost, and no answer. */
#ifndef RUNG_CLI_COSTS_H
#define RUNG_CLI_COSTS_H

#include "core/common.h"
#include "data/measures.h"

extern const option cost_options[];

typedef struct {
    double *matrix; /* classes x classes: truth, answer; NULL: not given */
    double abstain; /* 0: not given */
} costs;

/* Reads the options for the classes of a model or, where that is NULL, of data; the matrix is to be freed. EXIT_OK or
 * an exit code. */
int costs_read(session *s, const arguments *args, const rung_model *model, const rung_data *data, costs *out);
/* The cost of no answer with which a model that abstains answers every row; 0: it does so anyway. */
double costs_always(const rung_model *model);
/* Mean cost over the rows with a label; rank 0: no answer. NaN: no costs, or no labels. */
double costs_mean(const labels *truth, const int *rank, const double *matrix, double abstain);

#endif
