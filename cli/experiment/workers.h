// SPDX-License-Identifier: BSD-3-Clause
/* Cells run in parallel, one thread each, every worker with its own context; the calling thread renews the claims,
 * shows the progress, passes on Ctrl-C and serves the workers of other ranks (remote.h). */
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
    int left;            /* ranks that have no more workers */
    double *spent;       /* seconds per data set and method, and ... */
    int64_t *cells_done; /* ... how many cells took them; `lock` guards both */
    pthread_mutex_t lock;
} runner;

/* Runs the cells of this process that are not done; EXIT_OK, also if interrupted, or FAILED. */
int workers_run(runner *r);

/* ---- only for the files of workers ---- */

/* CELL_BUSY: others work on the last cells, one of which may be taken over; CELL_NONE: there are no more; CELL_FAILED:
 * printed. */
typedef enum { CELL_TAKEN, CELL_BUSY, CELL_NONE, CELL_FAILED } cell_claim;

typedef struct { /* how a cell ended */
    job_place place;
    rung_status status; /* RUNG_EINTERRUPT: it is to be done again */
    double started, seconds;
    job_result result;  /* RUNG_OK: this ... */
    char message[1024]; /* ... otherwise why */
} cell_end;

/* With the database, which the leader has. */
cell_claim cell_take(runner *r, job_place *out);
bool cell_finish(runner *r, const cell_end *end);

void workers_break(runner *r); /* the work cannot go on */
void workers_rest(double seconds);

#endif
