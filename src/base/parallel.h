// SPDX-License-Identifier: BSD-3-Clause
/* Tasks side by side, each worker with a context and scratch memory of its own. */
#ifndef RUNG_BASE_PARALLEL_H
#define RUNG_BASE_PARALLEL_H

#include "base/context.h"

/* Up to this many rows tasks run side by side; above it one runs at a time, and the tiles of its matrices in parallel. */
enum { SIDE_BY_SIDE = 1500 };

/* How many of n tasks over so many rows run side by side. */
int parallel_workers(const rung_ctx *ctx, int64_t rows, int64_t n);

/* What a task may return without ending the whole: a system without a solution, a search without an end. */
bool task_may_fail(rung_status status);

typedef rung_status parallel_task(rung_ctx *ctx, void *user, int64_t i);

/* Runs task(context of the worker, user, i) for i < n; its scratch memory is released. Returns the first failure in the
 * order of i, with its message; task_may_fail ones do not count. */
rung_status parallel_tasks(rung_ctx *ctx, int workers, int64_t n, parallel_task *task, void *user);

#endif
