// SPDX-License-Identifier: BSD-3-Clause
/* Cells run side by side, one thread each, every worker with a context of its own; the thread that calls keeps the
 * claims alive, shows the progress and passes Ctrl-C on. */
#ifndef RUNG_CLI_EXPERIMENT_WORKERS_H
#define RUNG_CLI_EXPERIMENT_WORKERS_H

#include <stdatomic.h>

#include "experiment/jobs.h"

typedef struct {
    session *session;
    plan plan;
    store store;
    cells cells;
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

/* Does the cells of this process that are not done; EXIT_OK, also where it was interrupted, or FAILED. */
int workers_run(runner *r);

#endif
