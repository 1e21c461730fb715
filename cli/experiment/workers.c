// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "experiment/workers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/signals.h"
#include "experiment/jobs_finish.h"
#include "experiment/remote.h"
#include "processes/processes.h"

typedef struct {
    runner *run;
    int slot; /* among the workers of this process */
    rung_ctx *ctx;
    pthread_t thread;
    bool started;
} worker;

/* ---- a worker ---- */

void workers_rest(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static bool nothing_left(runner *r)
{
    jobs_count n;
    return !jobs_progress(&r->jobs, &n) || n.done + n.failed == n.total;
}

cell_claim cell_take(runner *r, job_place *out)
{
    if (atomic_load(&r->stop)) return CELL_NONE;
    int claimed = jobs_claim(&r->jobs, out);
    return claimed < 0 ? CELL_FAILED : claimed ? CELL_TAKEN : nothing_left(r) ? CELL_NONE : CELL_BUSY;
}

bool cell_finish(runner *r, const cell_end *end)
{
    const job_place *place = &end->place;
    int at = place->dataset * r->plan.n_methods + place->method;
    pthread_mutex_lock(&r->lock);
    r->spent[at] += end->seconds;
    r->cells_done[at]++;
    pthread_mutex_unlock(&r->lock);
    if (end->status == RUNG_EINTERRUPT) return jobs_release(&r->jobs, place);
    return end->status == RUNG_OK ? jobs_store(&r->jobs, place, &end->result, end->started)
                                  : jobs_fail(&r->jobs, place, end->message, end->started);
}

void workers_break(runner *r)
{
    atomic_store(&r->broken, 1);
    atomic_store(&r->stop, 1);
}

static bool do_cell(worker *w, const job_place *place)
{
    runner *r = w->run;
    cell_end end = {.place = *place, .status = RUNG_EINTERRUPT, .started = seconds_since_1970()};
    double clock = seconds_now();
    if (!atomic_load(&r->stop))
        end.status = job_run(w->ctx, &r->datasets[place->dataset], place->partition, &r->plan.methods[place->method],
                             r->models, &end.result);
    const char *why = rung_ctx_message(w->ctx);
    snprintf(end.message, sizeof end.message, "%s", *why ? why : rung_status_name(end.status));
    end.seconds = seconds_now() - clock;
    bool good = processes_lead() ? cell_finish(r, &end) : remote_finish(w->slot, &end);
    job_free(&end.result);
    return good;
}

static void *work(void *user)
{
    worker *w = user;
    runner *r = w->run;
    cell_claim claim = CELL_BUSY;
    while (!atomic_load(&r->stop) && claim != CELL_NONE) {
        job_place place;
        claim = processes_lead() ? cell_take(r, &place) : remote_claim(w->slot, &place);
        if (claim == CELL_FAILED || (claim == CELL_TAKEN && !do_cell(w, &place))) workers_break(r);
        if (claim == CELL_BUSY) workers_rest(0.2);
    }
    atomic_fetch_sub(&r->active, 1);
    return NULL;
}

/* ---- the first thread ---- */

/* The remaining seconds for one worker, from similar finished cells, else from the mean of all. < 0: not known yet. */
static double seconds_left(runner *r, double *spent)
{
    double left = 0, all = 0;
    int64_t n = 0;
    int size = r->plan.n_datasets * r->plan.n_methods;
    *spent = -1;
    pthread_mutex_lock(&r->jobs.lock);
    sqlite3_stmt *q = store_query(&r->store,
                                  "SELECT t.dataset, t.method, count(*) FROM temp.todo t JOIN cell c ON c.id = t.cell"
                                  " WHERE t.open = 1 AND c.status IN ('waiting', 'running') GROUP BY 1, 2",
                                  "");
    pthread_mutex_lock(&r->lock);
    for (int i = 0; i < size; i++) {
        all += r->spent[i];
        n += r->cells_done[i];
    }
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        int at = sqlite3_column_int(q, 0) * r->plan.n_methods + sqlite3_column_int(q, 1);
        double each = r->cells_done[at] ? r->spent[at] / (double)r->cells_done[at] : n ? all / (double)n : 0;
        left += each * (double)sqlite3_column_int64(q, 2);
    }
    pthread_mutex_unlock(&r->lock);
    sqlite3_finalize(q);
    pthread_mutex_unlock(&r->jobs.lock);
    if (n) *spent = all;
    return left;
}

/* One line each tenth of the cells where there is no terminal. */
static void tell_line(runner *r, const jobs_count *n, double left, int *tenth)
{
    int now = n->total ? (int)(10 * (n->done + n->failed) / n->total) : 10;
    if (r->session->quiet || isatty(STDERR_FILENO) || now <= *tenth) return;
    *tenth = now;
    fprintf(stderr, "%lld of %lld cells", (long long)(n->done + n->failed), (long long)n->total);
    if (n->failed) fprintf(stderr, ", %lld failed", (long long)n->failed);
    if (now < 10 && left > 0) {
        if (left >= 90)
            fprintf(stderr, ", about %.0f min left", left / 60);
        else
            fprintf(stderr, ", about %.0f s left", left < 1 ? 1 : left);
    }
    fputc('\n', stderr);
}

static void watch(runner *r, int n_workers, worker *workers)
{
    double beaten = seconds_now(), looked = 0;
    int tenth = 0, told = 0; /* workers that were asked to stop */
    bool alone = processes_all() == 1, lead = processes_lead(), others = lead && !alone;
    while (atomic_load(&r->active) > 0 || others) {
        workers_rest(alone ? 0.05 : 0.001);
        if (others) others = !remote_serve(r);
        double now = seconds_now();
        if (session_interrupted()) atomic_store(&r->stop, 1);
        for (; atomic_load(&r->stop) && told < n_workers; told++) rung_ctx_interrupt(workers[told].ctx);
        if (!lead) continue;
        if (now - beaten >= HEARTBEAT_SECONDS) {
            beaten = now;
            if (!jobs_beat(&r->jobs)) workers_break(r);
        }
        if (now - looked < 0.5) continue;
        looked = now;
        jobs_count n;
        if (!jobs_progress(&r->jobs, &n)) continue;
        int all = n_workers * processes_all();
        double spent, left = seconds_left(r, &spent) / all;
        spent /= all;
        if (isatty(STDERR_FILENO)) session_progress(r->session, "cells", spent > 0 ? spent / (spent + left) : 0);
        tell_line(r, &n, left, &tenth);
    }
}

static int cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

int workers_run(runner *r)
{
    jobs_count n = {0};
    if (processes_lead() && !jobs_progress(&r->jobs, &n)) return FAILED;
    int64_t left = n.total - n.done - n.failed;
    if (!processes_share(&left, sizeof left)) return FAILED;
    int n_workers = r->session->threads ? r->session->threads : cores();
    if (n_workers > left) n_workers = (int)left;
    if (n_workers == 0) return EXIT_OK;
    worker *workers = allocate((size_t)n_workers, sizeof *workers);
    int code = EXIT_OK;
    atomic_store(&r->active, 0);
    for (int i = 0; i < n_workers && code == EXIT_OK; i++) {
        workers[i].run = r;
        workers[i].slot = i;
        if (rung_ctx_new(&workers[i].ctx) != RUNG_OK) {
            complain("out of memory");
            code = FAILED;
            break;
        }
        rung_ctx_set_threads(workers[i].ctx, 1);
        session_settle(r->session, workers[i].ctx, n_workers);
        atomic_fetch_add(&r->active, 1);
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
        if (!workers[i].started) {
            atomic_fetch_sub(&r->active, 1);
            complain("experiment: cannot start a thread");
            code = FAILED;
        }
    }
    if (code != EXIT_OK) atomic_store(&r->stop, 1);
    watch(r, n_workers, workers);
    for (int i = 0; i < n_workers; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
        rung_ctx_free(workers[i].ctx);
    }
    free(workers);
    if (!processes_lead() && !remote_leave()) code = FAILED;
    session_progress(r->session, "cells", 1);
    return code == EXIT_OK && atomic_load(&r->broken) ? FAILED : code;
}
