// SPDX-License-Identifier: BSD-3-Clause
/* Processes that work together (rung_comm), and sums that have the same bits for any number of them.
 *
 * The terms of a sum are leaves 0 .. n-1. They are added in a tree whose shape depends on n alone: the sum of [low,
 * high) is that of its lower half plus that of its upper half. Every process has a contiguous range of the leaves; it
 * adds what lies within its range, and the few remaining nodes are exchanged and added by everybody alike. */
#ifndef RUNG_BASE_COMM_H
#define RUNG_BASE_COMM_H

#include "base/context.h"

int comm_process(const rung_ctx *ctx); /* 0 where a process works alone */
int comm_processes(const rung_ctx *ctx);
rung_status comm_barrier(rung_ctx *ctx);
rung_status comm_broadcast(rung_ctx *ctx, void *bytes, int64_t n, int from);
/* The bytes of every process, in their order: all[r] has size[r] bytes. In scratch memory. */
rung_status comm_gather(rung_ctx *ctx, const void *bytes, int64_t n, char ***all, int64_t **size);

/* Whether every process has the same: each gives a hash of it, by comm_hash. RUNG_EDATA where it differs from that of
 * process 0: "WHAT of this process differ from those of process 0". Before anything is exchanged whose size depends on
 * it.
 */
rung_status comm_agree(rung_ctx *ctx, uint64_t hash, const char *what);
enum { COMM_HASH = 0 }; /* to begin with */
uint64_t comm_hash(uint64_t hash, const void *bytes, size_t n);

/* v := its sum over the processes, which is exact: a sum and each of its terms are below 2^63. */
rung_status comm_sum_whole(rung_ctx *ctx, int64_t n, int64_t *v);

/* The leaves of this process: [*first, *end) of n; those of any process. */
void comm_share(const rung_ctx *ctx, int64_t n, int64_t *first, int64_t *end);
void comm_share_of(const rung_ctx *ctx, int process, int64_t n, int64_t *first, int64_t *end);

/* Adds the leaf to sum, which is 0 before. */
typedef rung_status leaf_fn(rung_ctx *ctx, void *user, int64_t leaf, double *sum);
/* sum (size numbers) := the sum of n leaves, of which a process is asked for its own. */
rung_status comm_tree_sum(rung_ctx *ctx, int64_t n, leaf_fn *leaf, void *user, int64_t size, double *sum);

#endif
