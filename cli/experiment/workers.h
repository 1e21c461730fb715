// SPDX-License-Identifier: BSD-3-Clause
/* Cells run in parallel, one thread each, every worker with its own context; the calling thread renews the claims,
 * shows the progress and passes on Ctrl-C. */
#ifndef RUNG_CLI_EXPERIMENT_WORKERS_H
#define RUNG_CLI_EXPERIMENT_WORKERS_H

#include <stdatomic.h>

#include "experiment/jobs.h"

typedef struct {
    session *session;
    plan plan;
    store store;
    jobs jobs;
    int64_t *counts;     /* partitions of each data set */
    dataset *datasets;   /* those with cells to do are open */
    bool models;         /* keep them */
    atomic_int stop;     /* Ctrl-C, or the database failed */
    atomic_int broken;   /* the latter */
    atomic_int active;   /* workers that have not ended */
    double *spent;       /* seconds per data set and method, and ... */
    int64_t *cells_done; /* ... how many cells took them; `lock` guards both */
    pthread_mutex_t lock;
} runner;

/* Runs the cells of this process that are not done; EXIT_OK, also if interrupted, or FAILED. */
int workers_run(runner *r);

#endif
