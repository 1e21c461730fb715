// SPDX-License-Identifier: BSD-3-Clause
/* Several processes as threads of a test, each with a context of its own, that sum and broadcast through memory. */
#ifndef RUNG_TESTS_PROCESSES_H
#define RUNG_TESTS_PROCESSES_H

#include "helper.h"

#include <pthread.h>

typedef struct {
    int ranks;
    pthread_barrier_t wait;
    void *shown[16]; /* by every process */
} meeting;

typedef struct {
    meeting *m;
    int rank;
    void (*run)(rung_ctx *ctx, int rank, void *user);
    void *user;
} participant;

static inline int meet_sum(void *user, double *v, int64_t n)
{
    participant *p = user;
    double *total = calloc((size_t)n + 1, sizeof *total);
    p->m->shown[p->rank] = v;
    pthread_barrier_wait(&p->m->wait);
    for (int k = 0; k < p->m->ranks; k++) {
        int r = (k + 1) % p->m->ranks; /* any order must do */
        for (int64_t i = 0; i < n; i++) total[i] += ((double *)p->m->shown[r])[i];
    }
    pthread_barrier_wait(&p->m->wait);
    memcpy(v, total, (size_t)n * sizeof *v);
    free(total);
    pthread_barrier_wait(&p->m->wait);
    return 0;
}

static inline int meet_broadcast(void *user, void *bytes, int64_t n, int from)
{
    participant *p = user;
    if (p->rank == from) p->m->shown[from] = bytes;
    pthread_barrier_wait(&p->m->wait);
    if (p->rank != from) memcpy(bytes, p->m->shown[from], (size_t)n);
    pthread_barrier_wait(&p->m->wait);
    return 0;
}

static inline int meet(void *user)
{
    pthread_barrier_wait(&((participant *)user)->m->wait);
    return 0;
}

static inline void *participate(void *user)
{
    participant *p = user;
    rung_ctx *ctx;
    if (context_new(&ctx) != RUNG_OK) abort();
    ctx->threads = 1;
    rung_comm comm = {.size = sizeof comm,
                      .rank = p->rank,
                      .ranks = p->m->ranks,
                      .user = p,
                      .sum = meet_sum,
                      .broadcast = meet_broadcast,
                      .barrier = meet};
    if (p->m->ranks > 1 && rung_ctx_set_comm(ctx, &comm) != RUNG_OK) abort();
    p->run(ctx, p->rank, p->user);
    context_free(ctx);
    return NULL;
}

static inline void processes_run(int ranks, void (*run)(rung_ctx *ctx, int rank, void *user), void *user)
{
    meeting m = {.ranks = ranks};
    participant p[16];
    pthread_t thread[16];
    assert_int_equal(pthread_barrier_init(&m.wait, NULL, (unsigned)ranks), 0);
    for (int r = 0; r < ranks; r++) {
        p[r] = (participant){&m, r, run, user};
        assert_int_equal(pthread_create(&thread[r], NULL, participate, &p[r]), 0);
    }
    for (int r = 0; r < ranks; r++) pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&m.wait);
}

#endif
