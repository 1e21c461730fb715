// SPDX-License-Identifier: BSD-3-Clause
/* Models by their likelihoods: information criteria, and likelihood-ratio tests where one contains the other. */
#ifndef RUNG_CLI_EXPLAIN_NESTED_H
#define RUNG_CLI_EXPLAIN_NESTED_H

#include <stdbool.h>

#include "rung/experimental.h"

typedef struct {
    const char *path;
    const rung_model *model;
    rung_likelihood fit;
    int in;      /* the model before it in the list that it is nested with; -1: none */
    double chi2; /* of the test against that */
    int df;
    double p;
    const char *why; /* in == -1: why there is no test */
} nested_model;

/* Fills in all but path and model, and sorts them by their numbers of parameters. false: a model has no likelihood. */
bool nested_compare(int n, nested_model *list);
void nested_text(int n, const nested_model *list);
void nested_json(int n, const nested_model *list);

#endif
