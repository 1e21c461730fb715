// SPDX-License-Identifier: BSD-3-Clause
/* The threads of the BLAS while a public call runs: one, because rung runs its own and results must not depend on how a
 * BLAS divides its work. OpenBLAS is set through weak references, which are NULL if another BLAS is linked or replaces
 * it later (Debian's alternatives, conda). */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/text.h"
#include "linalg/internal.h"

int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int threads) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, callers_threads; /* calls under way in all threads; what to restore after the last */

/* In a child forked while other threads are in a call, the lock is open and those calls do not exist. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void after_fork_in_child(void)
{
    calls = 0;
    pthread_mutex_unlock(&lock);
}
__attribute__((constructor)) static void on_load(void)
{
    la_choose_kernels();
    (void)pthread_atfork(before_fork, after_fork, after_fork_in_child); /* fails only if out of memory */
}

static int swap_threads(int threads)
{
    if (!openblas_get_num_threads || !openblas_set_num_threads) return 0;
    int before = openblas_get_num_threads();
    openblas_set_num_threads(threads);
    return before;
}

/* OpenBLAS maps a buffer for each thread that calls it, keeps it, and retries forever if the address space is too small
 * for it (ulimit -v). So this is tested before. */
rung_status la_room(rung_ctx *ctx)
{
    static const size_t buffer = (size_t)128 << 20;
    static atomic_int tried; /* threads there was room for */
    struct rlimit limit;
    int more = ctx->threads - atomic_load(&tried);
    if (more <= 0 || !openblas_get_num_threads) return RUNG_OK;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return RUNG_OK;
    void *trial = mmap(NULL, (size_t)more * buffer, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (trial == MAP_FAILED) {
        char space[32], needed[32];
        return set_error(ctx, RUNG_ENOMEM,
                         "the address space is limited to %s (ulimit -v); OpenBLAS needs %s of it for each thread: "
                         "raise the limit or use fewer threads",
                         text_bytes((double)limit.rlim_cur, space), text_bytes((double)buffer, needed));
    }
    munmap(trial, (size_t)more * buffer);
    atomic_fetch_add(&tried, more);
    return RUNG_OK;
}

void la_enter(void)
{
    pthread_mutex_lock(&lock);
    if (calls++ == 0) callers_threads = swap_threads(1);
    pthread_mutex_unlock(&lock);
}

void la_leave(void)
{
    pthread_mutex_lock(&lock);
    if (--calls == 0) swap_threads(callers_threads);
    pthread_mutex_unlock(&lock);
}
