// SPDX-License-Identifier: BSD-3-Clause
/* Memory: every allocation belongs to a pool and is freed with it, so an early return is always clean and there are no
 * cleanup lists. Each block is a separate 64-byte aligned allocation: ASan sees every overrun, and BLAS gets aligned
 * columns. */
#ifndef RUNG_BASE_POOL_H
#define RUNG_BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct pool_block pool_block;

typedef struct {
    pool_block *last; /* newest first */
    int64_t made;     /* arrays ever allocated: the age of the newest */
    int64_t bytes;    /* held now */
    int64_t peak;     /* most ever held */
} pool;

typedef int64_t pool_mark; /* a moment in the life of a pool */

/* Room for count elements, zeroed; an error names `what`. count = 0 gives a valid pointer. */
rung_status pool_alloc(rung_ctx *ctx, pool *p, int64_t count, size_t size, const char *what, void **out);
/* The same without zeroing, for large matrices that are written at once. */
rung_status pool_alloc_raw(rung_ctx *ctx, pool *p, int64_t count, size_t size, const char *what, void **out);
/* Grows (or shrinks) an array of this pool, keeping its contents; new elements are not zeroed. The array keeps its age,
 * so marks stay valid. On failure it is unchanged. */
rung_status pool_resize(rung_ctx *ctx, pool *p, int64_t count, size_t size, const char *what, void **array);
void pool_free(pool *p, void *array); /* frees one array early; NULL is fine */
void pool_free_all(pool *p);

/* Memory that is in no pool and has one owner: the objects that callers hold, and the texts and bytes they are given.
 * It is zeroed. NULL: there is none. ctx may be NULL. object_free: NULL is fine. */
void *object_new(const rung_ctx *ctx, size_t size);
void *object_new_by(const rung_allocator *by, size_t size); /* NULL: the system */
void object_free(void *object);

/* Other pools held `bytes` at the same time as this one's current contents: adds them to its peak. */
void pool_beside(pool *p, int64_t bytes);

pool_mark pool_here(const pool *p);
void pool_release(pool *p, pool_mark mark); /* frees everything allocated since then */

rung_status pool_text(rung_ctx *ctx, pool *p, const char *text, const char **out); /* a copy */
rung_status pool_printf(rung_ctx *ctx, pool *p, const char **out, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* NEW(ctx, pool, array, n): array of n zeroed elements of its own type. */
#define NEW(ctx, p, array, n) pool_alloc(ctx, p, n, sizeof *(array), #array, (void **)&(array))
#define NEW_RAW(ctx, p, array, n) pool_alloc_raw(ctx, p, n, sizeof *(array), #array, (void **)&(array))
#define RESIZE(ctx, p, array, n) pool_resize(ctx, p, n, sizeof *(array), #array, (void **)&(array))

/* For the tests: the next n allocations succeed, the one after them fails (n < 0: none fails). */
void pool_fail_after(int64_t n);
int64_t pool_live_blocks(void); /* allocations not yet freed, over all pools */
/* The most bytes that all pools together have held since pool_peak_reset, beyond what they held then. */
int64_t pool_peak(void);
void pool_peak_reset(void);

#endif
