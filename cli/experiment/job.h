// SPDX-License-Identifier: BSD-3-Clause
/* One cell: a method tuned and fitted on the training rows of one partition, and its metrics. */
#ifndef RUNG_CLI_EXPERIMENT_JOB_H
#define RUNG_CLI_EXPERIMENT_JOB_H

#include <jansson.h>

#include "experiment/plan/partitions.h"

enum { PARTS = 3 };
extern const char *const part_names[PARTS]; /* test, unlabelled, labelled */

typedef struct { /* the predictions for one part; n = 0: there is no such part */
    int64_t n;
    int64_t *rows;
    int *truth, *rank;
    double *target, *score; /* real targets; scores, NULL: none */
    rung_metrics metrics;
    rung_real_metrics real;
} answers;

typedef struct {
    bool real;
    answers part[PARTS];
    int64_t labelled, unlabelled, test;
    double search_seconds, fit_seconds, predict_seconds;
    json_t *params;   /* of the model, as text */
    json_t *searched; /* names of those that cross-validation chose */
    int64_t n_expansion;
    char *model; /* the bytes of its file; NULL: not asked for */
    int64_t model_size;
} job_result;

/* keep: with the model. On failure the reason is the context's message. Release the result in both cases. */
rung_status job_run(rung_ctx *ctx, const dataset *d, int64_t index, const plan_method *m, bool keep, job_result *out);
void job_free(job_result *r);

#endif
