// SPDX-License-Identifier: BSD-3-Clause
/* The cells of a plan in the store: entered, claimed, kept alive, finished. Each step is one transaction; the functions
 * may be called by several threads. */
#ifndef RUNG_CLI_EXPERIMENT_JOBS_H
#define RUNG_CLI_EXPERIMENT_JOBS_H

#include <pthread.h>

#include "experiment/job.h"
#include "experiment/store.h"

typedef struct {
    int64_t id, partition;
    int dataset, method; /* of the plan */
} cell_place;

typedef struct {
    store *store;
    pthread_mutex_t lock;
    sqlite3_stmt *next, *claim, *done, *metric, *param, *prediction, *model, *left;
} cells;

/* Enters the plan into the store: data sets, methods and their cells, those of this shard (of `shards`, from 0) to be
 * done. counts[i]: the partitions of data set i. A name with different settings is an error. retry: failed ones too.
 * Failures are printed; false then. */
bool cells_open(cells *c, store *s, const plan *p, const int64_t *counts, int shard, int shards, bool retry);
void cells_close(cells *c);

bool cells_describe(cells *c,
                    const dataset *d); /* the data that were read; false, printed: they differ from those stored */

/* 1: claimed; 0: none is free; -1: failure, printed. */
int cells_claim(cells *c, cell_place *out);
bool cells_release(cells *c, const cell_place *place);
/* Stores a finished cell. One that was taken over meanwhile is dropped. */
bool cells_store(cells *c, const cell_place *place, const cell_result *r, double started);
bool cells_fail(cells *c, const cell_place *place, const char *message, double started);

/* Call every HEARTBEAT_SECONDS: renews our claims and frees those of processes that no longer exist. */
bool cells_beat(cells *c);

typedef struct {
    int64_t total, done, failed, running, others; /* others: claimed by other processes */
} cells_count;
bool cells_progress(cells *c, cells_count *out);

double seconds_since_1970(void);

/* ---- only for the files of cells ---- */

bool cells_lock(cells *c);                         /* and begins a transaction */
bool cells_unlock(cells *c, bool good);            /* commits or rolls back; returns whether it was committed */
bool cells_run(cells *c, sqlite3_stmt *statement); /* runs it to its end and resets it */

#endif
