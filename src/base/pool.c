// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200112L /* posix_memalign takes any size (aligned_alloc does not): ASan sees each overrun */
#define _DEFAULT_SOURCE         /* madvise */
#include "base/pool.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/checked.h"
#include "base/context.h"
#include "base/text.h"

enum { ALIGNMENT = 64, HUGE = 8 << 20 };

struct pool_block { /* precedes the array and fills one alignment unit */
    pool_block *older, *newer;
    int64_t age; /* grows along the list */
    int64_t bytes;
    void (*release)(void *user, void *block, size_t bytes); /* of the allocator it came from; NULL: the system */
    void *user;
};
_Static_assert(sizeof(pool_block) <= ALIGNMENT, "a block header fills one alignment unit");

static atomic_int_fast64_t allowed = -1; /* allocations until one fails on purpose; < 0: never */
static atomic_int_fast64_t live = 0;     /* blocks */
static atomic_int_fast64_t all_held = 0, all_before = 0, all_peak = 0; /* bytes, over all pools */

void pool_fail_after(int64_t n) { atomic_store(&allowed, n); }
int64_t pool_live_blocks(void) { return (int64_t)atomic_load(&live); }
int64_t pool_peak(void) { return (int64_t)(atomic_load(&all_peak) - atomic_load(&all_before)); }

void pool_peak_reset(void)
{
    atomic_store(&all_before, atomic_load(&all_held));
    atomic_store(&all_peak, atomic_load(&all_held));
}

/* One more block of so many bytes over all pools, or (negative) one fewer. */
static void note(int64_t bytes)
{
    int_fast64_t held = atomic_fetch_add(&all_held, bytes) + bytes, peak = atomic_load(&all_peak);
    atomic_fetch_add(&live, bytes < 0 ? -1 : 1);
    while (held > peak && !atomic_compare_exchange_weak(&all_peak, &peak, held)) continue;
}

static bool must_fail(void)
{
    if (atomic_load(&allowed) < 0) return false;
    return atomic_fetch_sub(&allowed, 1) <= 0;
}

static void *array_of(pool_block *b) { return (char *)b + ALIGNMENT; }
static pool_block *block_of(void *array) { return (pool_block *)((char *)array - ALIGNMENT); }

/* A large matrix touched for the first time costs a page fault every 4 KiB, as much as computing it; with huge pages
 * one every 2 MiB. A hint only: nothing depends on it. */
static void ask_for_huge_pages(void *start, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t page = 4096, from = ((uintptr_t)start + page - 1) / page * page,
              to = ((uintptr_t)start + bytes) / page * page;
    if (to > from) madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
    (void)start, (void)bytes;
#endif
}

/* Arrays of a MiB and more are mapped one by one: what is freed goes back to the system at once, and the process never
 * holds more than the pools do. The heap of malloc keeps it, in pieces that fit nothing else. ASan watches malloc. */
#ifdef __SANITIZE_ADDRESS__
static const size_t mapped_from = SIZE_MAX;
#else
static const size_t mapped_from = 1 << 20;
#endif

/* NULL: there is no memory. */
static void *of_system(size_t bytes)
{
    void *room;
    if (bytes < mapped_from) return posix_memalign(&room, ALIGNMENT, bytes) == 0 ? room : NULL;
    room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return NULL;
    if (bytes >= HUGE) ask_for_huge_pages(room, bytes);
    return room;
}

/* A block with room for an array, which is zeroed on request; NULL: there is no memory. by: NULL: the system. */
static pool_block *take(const rung_allocator *by, int64_t bytes, bool zero)
{
    size_t all = ALIGNMENT + (size_t)bytes;
    bool own = by && by->allocate;
    pool_block *b = own ? by->allocate(by->user, all, ALIGNMENT) : of_system(all);
    if (!b) return NULL;
    *b = (pool_block){.bytes = bytes, .release = own ? by->release : NULL, .user = own ? by->user : NULL};
    if (zero && (own || all < mapped_from)) memset(array_of(b), 0, (size_t)bytes); /* what is mapped is zeroed */
    return b;
}

static void give_back(pool_block *b)
{
    size_t bytes = ALIGNMENT + (size_t)b->bytes;
    if (b->release)
        b->release(b->user, b, bytes);
    else if (bytes < mapped_from)
        free(b);
    else
        munmap(b, bytes);
}

static rung_status out_of_memory(rung_ctx *ctx, int64_t count, size_t size)
{
    char bytes[32];
    return set_error(ctx, RUNG_ENOMEM, "out of memory: the system has no room for another %s",
                     text_bytes((double)count * (double)size, bytes));
}

static rung_status allocate(rung_ctx *ctx, pool *p, int64_t count, size_t size, bool zero, const char *what, void **out)
{
    *out = NULL;
    if (count < 0) return set_error(ctx, RUNG_EINTERNAL, "%s: negative size", what);
    int64_t bytes;
    if (!product_fits(count, (int64_t)size, &bytes) || bytes > INT64_MAX - ALIGNMENT || must_fail())
        return out_of_memory(ctx, count, size);
    pool_block *b = take(ctx ? &ctx->allocator : NULL, bytes, zero);
    if (!b) return out_of_memory(ctx, count, size);
    note(ALIGNMENT + bytes);
    b->older = p->last;
    b->age = ++p->made;
    if (p->last) p->last->newer = b;
    p->last = b;
    p->bytes += bytes;
    if (p->bytes > p->peak) p->peak = p->bytes;
    *out = array_of(b);
    return RUNG_OK;
}

rung_status pool_alloc(rung_ctx *ctx, pool *p, int64_t count, size_t size, const char *what, void **out)
{
    return allocate(ctx, p, count, size, true, what, out);
}

rung_status pool_alloc_raw(rung_ctx *ctx, pool *p, int64_t count, size_t size, const char *what, void **out)
{
    return allocate(ctx, p, count, size, false, what, out);
}

static void unlink_block(pool *p, pool_block *b)
{
    if (b->newer)
        b->newer->older = b->older;
    else
        p->last = b->older;
    if (b->older) b->older->newer = b->newer;
    p->bytes -= b->bytes;
    note(-(ALIGNMENT + b->bytes));
    give_back(b);
}

/* The new block takes the position and the age of the old one. */
rung_status pool_resize(rung_ctx *ctx, pool *p, int64_t count, size_t size, const char *what, void **array)
{
    void *grown;
    TRY(allocate(ctx, p, count, size, false, what, &grown));
    if (!*array) {
        *array = grown;
        return RUNG_OK;
    }
    pool_block *old = block_of(*array), *new = block_of(grown);
    memcpy(grown, *array, (size_t)(old->bytes < new->bytes ? old->bytes : new->bytes));
    new->age = old->age;
    if (old != new->older) { /* unlink the new one from the end, put it before the old one */
        p->last = new->older;
        p->last->newer = NULL;
        new->older = old;
        new->newer = old->newer;
        old->newer->older = new;
        old->newer = new;
    }
    unlink_block(p, old);
    *array = grown;
    return RUNG_OK;
}

void pool_free(pool *p, void *array)
{
    if (array) unlink_block(p, block_of(array));
}

pool_mark pool_here(const pool *p) { return p->made; }

void pool_release(pool *p, pool_mark mark)
{
    while (p->last && p->last->age > mark) unlink_block(p, p->last);
}

void pool_free_all(pool *p) { pool_release(p, 0); }

void pool_beside(pool *p, int64_t bytes)
{
    if (p->bytes + bytes > p->peak) p->peak = p->bytes + bytes;
}

void *object_new_by(const rung_allocator *by, size_t size)
{
    if (size > (size_t)INT64_MAX - ALIGNMENT) return NULL;
    pool_block *b = take(by, (int64_t)size, true);
    return b ? array_of(b) : NULL;
}

void *object_new(const rung_ctx *ctx, size_t size) { return object_new_by(ctx ? &ctx->allocator : NULL, size); }

void object_free(void *object)
{
    if (object) give_back(block_of(object));
}

rung_status pool_text(rung_ctx *ctx, pool *p, const char *text, const char **out)
{
    char *copy = NULL;
    *out = NULL;
    TRY(NEW_RAW(ctx, p, copy, (int64_t)strlen(text) + 1));
    strcpy(copy, text);
    *out = copy;
    return RUNG_OK;
}

rung_status pool_printf(rung_ctx *ctx, pool *p, const char **out, const char *format, ...)
{
    va_list args, again;
    *out = NULL;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = NULL;
    rung_status status =
        length < 0 ? set_error(ctx, RUNG_EINTERNAL, "cannot format a text") : NEW_RAW(ctx, p, text, length + 1);
    if (status == RUNG_OK) {
        vsnprintf(text, (size_t)length + 1, format, again);
        *out = text;
    }
    va_end(again);
    return status;
}
