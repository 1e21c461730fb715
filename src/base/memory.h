// SPDX-License-Identifier: BSD-3-Clause
/* The limit of the memory (rung_ctx_set_memory). Besides the work at hand it holds the program, a buffer for each
 * thread (rung_ctx_set_overhead) and the data. Whether work fits is decided for one thread, so that no decision depends
 * on their number; where there is no room for the buffers of all threads, fewer work. */
#ifndef RUNG_BASE_MEMORY_H
#define RUNG_BASE_MEMORY_H

#include "base/context.h"

/* From here to the end of the call at least this many bytes are held beside the work. */
void memory_hold(rung_ctx *ctx, int64_t bytes);
void memory_drop(rung_ctx *ctx); /* what was held is freed */

/* What one thread may take for its work; 0: there is no limit. Where nothing is left, 1. */
double memory_left(const rung_ctx *ctx);
/* The work's bytes with all that is held beside it: what is compared with the limit, and stated. */
double memory_with(const rung_ctx *ctx, double bytes);
bool memory_fits(const rung_ctx *ctx, double bytes, int threads);

/* RUNG_ELIMIT with both numbers if `what` needs more than the limit. */
rung_status memory_check(rung_ctx *ctx, double bytes, const char *what);
/* The same before this work is done: to the end of the call as many threads work as there is room for beside it. */
rung_status memory_work(rung_ctx *ctx, double bytes, const char *what);

/* Before a call: nothing is held, and as many threads work as the caller wishes and the limit has buffers for. */
void memory_begin(rung_ctx *ctx);

#endif
