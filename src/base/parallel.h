// SPDX-License-Identifier: BSD-3-Clause
/* Tasks in parallel, each worker with its own context and scratch memory. */
#ifndef RUNG_BASE_PARALLEL_H
#define RUNG_BASE_PARALLEL_H

#include "base/context.h"

/* Up to this number of rows tasks run in parallel; above it one task runs at a time, with the tiles of its matrices in
 * parallel. */
enum { SIDE_BY_SIDE = 1500 };

/* How many of n tasks over `rows` rows run in parallel. */
int parallel_workers(const rung_ctx *ctx, int64_t rows, int64_t n);

/* Failures of a task that do not end the whole: a singular system, no convergence. */
bool task_may_fail(rung_status status);

typedef rung_status parallel_task(rung_ctx *ctx, void *user, int64_t i);

/* Runs task(context of the worker, user, i) for i < n; its scratch memory is released. Returns the first failure in the
 * order of i, with its message; task_may_fail ones do not count. */
rung_status parallel_tasks(rung_ctx *ctx, int workers, int64_t n, parallel_task *task, void *user);
/* The same, reporting progress under the name of the stage, always from the calling thread. */
rung_status parallel_stage(rung_ctx *ctx, const char *stage, int workers, int64_t n, parallel_task *task, void *user);

typedef rung_status helped_work(rung_ctx *ctx, void *user);

/* Runs work on the calling thread, with others to help: what it divides into OpenMP tasks is shared with whoever is
 * free. Unlike a parallel loop it never waits for a thread that the system does not run, so that it suits many short
 * steps. */
rung_status with_helpers(rung_ctx *ctx, int threads, helped_work *work, void *user);

#endif
