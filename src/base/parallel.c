// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.h"

#include <omp.h>
#include <string.h>

int parallel_workers(const rung_ctx *ctx, int64_t rows, int64_t n)
{
    return rows > SIDE_BY_SIDE || n < 2 ? 1 : ctx->threads < n ? ctx->threads : (int)n;
}

bool task_may_fail(rung_status status) { return status == RUNG_ESINGULAR || status == RUNG_ENOCONV; }

typedef struct { /* the first failure so far, in the order of the tasks */
    int64_t task;
    rung_status status;
    char message[CONTEXT_MESSAGE], detail[CONTEXT_MESSAGE];
} failure;

static void remember(failure *f, int64_t task, rung_status status, const rung_ctx *own)
{
#pragma omp critical(parallel_failure)
    if (task < f->task) {
        f->task = task;
        f->status = status;
        memcpy(f->message, own->message, sizeof f->message);
        memcpy(f->detail, own->detail, sizeof f->detail);
    }
}

/* Tasks after a failed one are not started, so the first failure is always found. */
static bool is_due(const failure *f, int64_t task)
{
    bool due;
#pragma omp critical(parallel_failure)
    due = task < f->task;
    return due;
}

typedef struct {
    rung_ctx *ctx;
    const char *stage; /* NULL: silent */
} watcher;

/* A worker that is alone reports from within its tasks. */
static void watch_task(watcher w, rung_ctx *own, double from, double to)
{
    own->progress = w.ctx->progress;
    own->progress_user = w.ctx->progress_user;
    own->part = w.ctx->part;
    own->reached = w.ctx->reached;
    progress_enter(own, w.stage, from, to);
}

static void run(watcher w, rung_ctx *const *worker, int workers, int64_t n, parallel_task *task, void *user,
                failure *first)
{
    int64_t done = 0;
#pragma omp parallel for num_threads(workers) schedule(dynamic) if (workers > 1)
    for (int64_t i = 0; i < n; i++) {
        if (!is_due(first, i)) continue;
        rung_ctx *own = worker[omp_get_thread_num()];
        if (w.stage && workers == 1) watch_task(w, own, (double)i / (double)n, (double)(i + 1) / (double)n);
        rung_status status = task(own, user, i);
        if (status != RUNG_OK && !task_may_fail(status)) remember(first, i, status, own);
        own->message[0] = own->detail[0] = 0;
        pool_free_all(&own->scratch);
        int64_t so_far;
#pragma omp atomic capture
        so_far = ++done;
        if (w.stage && workers == 1) w.ctx->reached = own->reached;
        if (w.stage && omp_get_thread_num() == 0) progress(w.ctx, w.stage, (double)so_far / (double)n);
    }
}

rung_status parallel_tasks(rung_ctx *ctx, int workers, int64_t n, parallel_task *task, void *user)
{
    return parallel_stage(ctx, NULL, workers, n, task, user);
}

rung_status parallel_stage(rung_ctx *ctx, const char *stage, int workers, int64_t n, parallel_task *task, void *user)
{
    rung_ctx **worker = NULL;
    failure first = {.task = n};
    rung_status status = RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, worker, workers));
    for (int w = 0; w < workers && status == RUNG_OK; w++) status = context_worker(ctx, &worker[w]);
    if (status == RUNG_OK && workers == 1) worker[0]->threads = ctx->threads;
    if (status == RUNG_OK) run((watcher){ctx, stage}, worker, workers, n, task, user, &first);
    int64_t beside = 0;
    for (int w = 0; w < workers && worker[w]; w++) beside += worker[w]->scratch.peak;
    pool_beside(&ctx->scratch, beside);
    for (int w = 0; w < workers; w++) context_join(ctx, worker[w]);
    TRY(status);
    if (stage && n > 0) progress(ctx, stage, 1); /* another worker may have had the last task */
    if (first.status == RUNG_OK) return interrupted(ctx);
    return hint(ctx, set_error(ctx, first.status, "%s", first.message), "%s", first.detail);
}

rung_status with_helpers(rung_ctx *ctx, int threads, helped_work *work, void *user)
{
    rung_status status = RUNG_OK;
#pragma omp parallel num_threads(threads) if (threads > 1)
#pragma omp master /* the others wait at the end of the region, where they take up tasks */
    status = work(ctx, user);
    return status;
}
