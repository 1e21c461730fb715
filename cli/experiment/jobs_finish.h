// SPDX-License-Identifier: BSD-3-Clause
/* The end of a job: its results, or why it failed, go to the store. */
#ifndef RUNG_CLI_EXPERIMENT_JOBS_FINISH_H
#define RUNG_CLI_EXPERIMENT_JOBS_FINISH_H

#include "experiment/jobs.h"

/* Stores a finished cell. One that was taken over meanwhile is dropped. */
bool jobs_store(jobs *c, const job_place *place, const job_result *r, double started);
bool jobs_fail(jobs *c, const job_place *place, const char *message, double started);

#endif
