// SPDX-License-Identifier: BSD-3-Clause
/* rung evaluate --report: the page of one model on one data file. */
#ifndef RUNG_CLI_PAGE_EVALUATION_H
#define RUNG_CLI_PAGE_EVALUATION_H

#include "core/common.h"
#include "data/costs.h"

typedef struct {
    const char *key, *meaning;
    double model, median; /* NaN: undefined */
} evaluation_row;

typedef struct {
    rung_model *model;
    rung_data *data;
    int64_t labelled, unsure; /* unsure: of the labelled rows, those without an answer; the others are measured */
    bool seen;                /* the model was fitted to these rows */
    const costs *costs;       /* by which it answers; of classes only */
    bool bound;               /* labels are intervals, so that the errors are lower bounds */
    const int64_t *confusion; /* classes x classes: truth, answer; of classes only */
    int64_t near;             /* rows at most one class off; of classes only */
    const char *constant;     /* the median, which the model is compared with */
    char *baseline;           /* what `median` means */
    int rows;                 /* of the table; the first is the mae */
    const evaluation_row *row;
    int bins;
    const rung_reliability_bin *bin; /* NULL: no probabilities */
    double ece;
} evaluation;

/* Writes the page; models of real targets have the table alone. EXIT_OK or an exit code. */
int evaluation_page(session *s, const arguments *args, const evaluation *e, const char *path);

#endif
