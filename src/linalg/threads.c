// SPDX-License-Identifier: BSD-3-Clause
/* The threads of the BLAS while a public call runs: one, because rung runs its own and results must not depend on how
 * a BLAS divides its work. OpenBLAS is told through weak references, which are NULL where another BLAS is linked or
 * takes its place later (Debian's alternatives, conda). */
#include <pthread.h>

#include "linalg/la.h"

int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int threads) __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls, callers_threads; /* calls under way in all threads; what to restore after the last */

/* A child forked while other threads are in a call finds the lock open, and those calls are not under way there. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void after_fork_in_child(void)
{
    calls = 0;
    pthread_mutex_unlock(&lock);
}
__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork_in_child); /* fails without memory alone */
}

static int swap_threads(int threads)
{
    if (!openblas_get_num_threads || !openblas_set_num_threads) return 0;
    int before = openblas_get_num_threads();
    openblas_set_num_threads(threads);
    return before;
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
