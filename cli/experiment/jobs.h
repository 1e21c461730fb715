// SPDX-License-Identifier: BSD-3-Clause
/* The jobs of a plan, cells of its table, in the store: entered, claimed, kept alive, finished. Each step is one
 * transaction; the functions may be called by several threads. */
#ifndef RUNG_CLI_EXPERIMENT_JOBS_H
#define RUNG_CLI_EXPERIMENT_JOBS_H

#include <pthread.h>

#include "experiment/job.h"
#include "experiment/store.h"

typedef struct {
    int64_t id, partition;
    int dataset, method; /* of the plan */
} job_place;

typedef struct {
    store *store;
    pthread_mutex_t lock;
    sqlite3_stmt *next, *claim, *done, *metric, *param, *prediction, *model, *left;
} jobs;

/* Enters the plan into the store: data sets, methods and their cells, those of this shard (of `shards`, from 0) to be
 * done. counts[i]: the partitions of data set i. A name with different settings is an error. retry: failed ones too.
 * Failures are printed; false then. */
bool jobs_open(jobs *c, store *s, const plan *p, const int64_t *counts, int shard, int shards, bool retry);
void jobs_close(jobs *c);

bool jobs_describe(jobs *c,
                   const dataset *d); /* the data that were read; false, printed: they differ from those stored */

/* 1: claimed; 0: none is free; -1: failure, printed. */
int jobs_claim(jobs *c, job_place *out);
bool jobs_release(jobs *c, const job_place *place);

/* Call every HEARTBEAT_SECONDS: renews our claims and frees those of processes that no longer exist. */
bool jobs_beat(jobs *c);

typedef struct {
    int64_t total, done, failed, running, others; /* others: claimed by other processes */
} jobs_count;
bool jobs_progress(jobs *c, jobs_count *out);

double seconds_since_1970(void);

/* ---- only for the files of jobs ---- */

bool jobs_lock(jobs *c);                         /* and begins a transaction */
bool jobs_unlock(jobs *c, bool good);            /* commits or rolls back; returns whether it was committed */
bool jobs_run(jobs *c, sqlite3_stmt *statement); /* runs it to its end and resets it */

#endif
