// SPDX-License-Identifier: BSD-3-Clause
/* Cells run side by side, one thread each, every worker with a context of its own. The first thread keeps the claims
 * alive, shows the progress and passes Ctrl-C on. */
#define _POSIX_C_SOURCE 200809L
#include "experiment/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "experiment/cells.h"
#include "json_out.h"

#define GROUP "Running"
const option run_options[] = {
    {"db", 0, "FILE", "run: the database (default: the plan's name with .db, in the current folder)", GROUP},
    {"shard", 0, "I/N", "run: the I-th of N parts of the cells, for clusters; merge puts them together", GROUP},
    {"retry", 0, NULL, "run: try failed cells again", GROUP},
    {0}};

typedef struct worker worker;

typedef struct {
    session *session;
    plan plan;
    store store;
    cells cells;
    int64_t *counts;     /* partitions of each data set */
    dataset *datasets;   /* those with cells to do are open */
    atomic_int stop;     /* Ctrl-C, or the database failed */
    atomic_int broken;   /* the latter */
    atomic_int active;   /* workers that have not ended */
    double *spent;       /* seconds per data set and method, and ... */
    int64_t *cells_done; /* ... how many cells took them; `lock` guards both */
    pthread_mutex_t lock;
} runner;

struct worker {
    runner *run;
    rung_ctx *ctx;
    pthread_t thread;
    bool started;
};

/* ---- a worker ---- */

static void wait_a_little(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static bool nothing_left(runner *r)
{
    cells_count n;
    return !cells_progress(&r->cells, &n) || n.done + n.failed == n.total;
}

static bool do_cell(worker *w, const cell_place *place)
{
    runner *r = w->run;
    cell_result result;
    double started = seconds_since_1970(), clock = seconds_now();
    rung_status status =
        cell_run(w->ctx, &r->datasets[place->dataset], place->partition, &r->plan.methods[place->method], &result);
    bool good;
    if (status == RUNG_EINTERRUPT) {
        good = cells_release(&r->cells, place);
    } else if (status == RUNG_OK) {
        good = cells_store(&r->cells, place, &result, started);
    } else {
        const char *why = rung_message(w->ctx);
        good = cells_fail(&r->cells, place, *why ? why : rung_status_name(status), started);
    }
    cell_free(&result);
    int at = place->dataset * r->plan.n_methods + place->method;
    pthread_mutex_lock(&r->lock);
    r->spent[at] += seconds_now() - clock;
    r->cells_done[at]++;
    pthread_mutex_unlock(&r->lock);
    return good;
}

static void *work(void *user)
{
    worker *w = user;
    runner *r = w->run;
    while (!atomic_load(&r->stop)) {
        cell_place place;
        int claimed = cells_claim(&r->cells, &place);
        if (claimed > 0) {
            if (atomic_load(&r->stop))
                (void)cells_release(&r->cells, &place);
            else if (!do_cell(w, &place))
                claimed = -1;
        }
        if (claimed < 0) {
            atomic_store(&r->broken, 1);
            atomic_store(&r->stop, 1);
        } else if (claimed == 0) {
            if (nothing_left(r)) break;
            wait_a_little(0.2); /* others are at the last cells: one of them may be taken over */
        }
    }
    atomic_fetch_sub(&r->active, 1);
    return NULL;
}

/* ---- the first thread ---- */

/* What is left in seconds of one worker: cells like those done, else the mean of all. < 0: nothing is known yet. */
static double seconds_left(runner *r, double *spent)
{
    double left = 0, all = 0;
    int64_t n = 0;
    int size = r->plan.n_datasets * r->plan.n_methods;
    *spent = -1;
    pthread_mutex_lock(&r->cells.lock);
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
    pthread_mutex_unlock(&r->cells.lock);
    if (n) *spent = all;
    return left;
}

/* One line each tenth of the cells where there is no terminal. */
static void tell_line(runner *r, const cells_count *n, double left, int *tenth)
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
    int tenth = 0;
    while (atomic_load(&r->active) > 0) {
        wait_a_little(0.05);
        double now = seconds_now();
        if (session_interrupted()) atomic_store(&r->stop, 1);
        /* Again and again: a call that starts forgets what was asked before. */
        for (int i = 0; i < n_workers && atomic_load(&r->stop); i++) rung_interrupt(workers[i].ctx);
        if (now - beaten >= HEARTBEAT_SECONDS) {
            beaten = now;
            if (!cells_beat(&r->cells)) {
                atomic_store(&r->broken, 1);
                atomic_store(&r->stop, 1);
            }
        }
        if (now - looked < 0.5) continue;
        looked = now;
        cells_count n;
        if (!cells_progress(&r->cells, &n)) continue;
        double spent, left = seconds_left(r, &spent) / n_workers;
        spent /= n_workers;
        if (isatty(STDERR_FILENO)) session_progress(r->session, "cells", spent > 0 ? spent / (spent + left) : 0);
        tell_line(r, &n, left, &tenth);
    }
}

static int cores(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

static int run_workers(runner *r)
{
    cells_count n;
    if (!cells_progress(&r->cells, &n)) return FAILED;
    int64_t left = n.total - n.done - n.failed;
    int n_workers = r->session->threads ? r->session->threads : cores();
    if (n_workers > left) n_workers = (int)left;
    if (n_workers == 0) return GOOD;
    worker *workers = allocate((size_t)n_workers, sizeof *workers);
    int code = GOOD;
    atomic_store(&r->active, 0);
    for (int i = 0; i < n_workers && code == GOOD; i++) {
        workers[i].run = r;
        if (rung_open(&workers[i].ctx) != RUNG_OK) {
            complain("out of memory");
            code = FAILED;
            break;
        }
        rung_set_threads(workers[i].ctx, 1);
        rung_set_memory(workers[i].ctx, r->session->memory / n_workers);
        atomic_fetch_add(&r->active, 1);
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
        if (!workers[i].started) {
            atomic_fetch_sub(&r->active, 1);
            complain("experiment: cannot start a thread");
            code = FAILED;
        }
    }
    if (code != GOOD) atomic_store(&r->stop, 1);
    watch(r, n_workers, workers);
    for (int i = 0; i < n_workers; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
        rung_close(workers[i].ctx);
    }
    free(workers);
    session_progress(r->session, "cells", 1);
    return code == GOOD && atomic_load(&r->broken) ? FAILED : code;
}

/* ---- before and after ---- */

static bool read_shard(const char *text, int *shard, int *shards)
{
    long long i, n;
    *shard = 0;
    *shards = 1;
    if (!text) return true;
    const char *slash = strchr(text, '/');
    char *first = text_of("%.*s", slash ? (int)(slash - text) : 0, text);
    bool good = slash && parse_whole(first, 1, 1000000, &i) && parse_whole(slash + 1, 1, 1000000, &n) && i <= n;
    free(first);
    if (!good) {
        complain("experiment: --shard %s: expected I/N, such as 1/4, with I from 1 to N", text);
        return false;
    }
    *shard = (int)i - 1;
    *shards = (int)n;
    return true;
}

/* experiments/table2.ini: table2.db, here. */
static char *default_db(const char *plan_path)
{
    const char *slash = strrchr(plan_path, '/'), *name = slash ? slash + 1 : plan_path, *dot = strrchr(name, '.');
    return text_of("%.*s.db", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

/* Data sets without cells to do are not read. */
static int read_data(runner *r)
{
    for (int i = 0; i < r->plan.n_datasets; i++) {
        pthread_mutex_lock(&r->cells.lock);
        int64_t open = store_number(&r->store, 0,
                                    "SELECT count(*) FROM temp.todo t JOIN cell c ON c.id = t.cell WHERE t.dataset = ?"
                                    " AND c.status IN ('waiting', 'running')",
                                    "i", (int64_t)i);
        pthread_mutex_unlock(&r->cells.lock);
        if (open == 0) continue;
        int code = plan_data_open(r->session, &r->plan.datasets[i], &r->datasets[i]);
        if (code != GOOD) return code;
        if (!cells_describe(&r->cells, &r->datasets[i])) return FAILED;
    }
    return GOOD;
}

static sqlite3_stmt *failed_cells(runner *r)
{
    return store_query(&r->store,
                       "SELECT d.name, c.partition, m.name, c.message FROM temp.todo t"
                       " JOIN cell c ON c.id = t.cell JOIN dataset d ON d.id = c.dataset"
                       " JOIN method m ON m.id = c.method WHERE c.status = 'failed' ORDER BY t.position",
                       "");
}

static void tell_failures(runner *r)
{
    sqlite3_stmt *q = failed_cells(r);
    for (int i = 0; q && store_step(&r->store, q) == SQLITE_ROW; i++) {
        if (i == 10) {
            fprintf(stderr, "... and more: SELECT * FROM failure\n");
            break;
        }
        fprintf(stderr, "failed: %s, partition %lld, %s: %s\n", sqlite3_column_text(q, 0),
                (long long)sqlite3_column_int64(q, 1), sqlite3_column_text(q, 2), sqlite3_column_text(q, 3));
    }
    sqlite3_finalize(q);
}

static void print_json(runner *r, const cells_count *n)
{
    json_t *all = json_object(), *failures = json_array();
    json_object_set_new(all, "db", jout_text(r->store.path));
    json_object_set_new(all, "cells", json_integer(n->total));
    json_object_set_new(all, "done", json_integer(n->done));
    json_object_set_new(all, "failed", json_integer(n->failed));
    sqlite3_stmt *q = failed_cells(r);
    while (q && store_step(&r->store, q) == SQLITE_ROW) {
        json_t *one = json_object();
        json_object_set_new(one, "dataset", jout_text((const char *)sqlite3_column_text(q, 0)));
        json_object_set_new(one, "partition", json_integer(sqlite3_column_int64(q, 1)));
        json_object_set_new(one, "method", jout_text((const char *)sqlite3_column_text(q, 2)));
        json_object_set_new(one, "message", jout_text((const char *)sqlite3_column_text(q, 3)));
        json_array_append_new(failures, one);
    }
    sqlite3_finalize(q);
    json_object_set_new(all, "failures", failures);
    jout_print(all);
}

static int tell_end(runner *r, int code)
{
    cells_count n;
    if (!cells_progress(&r->cells, &n)) return FAILED;
    if (r->session->json) print_json(r, &n);
    if (!r->session->quiet || n.failed) {
        tell_failures(r);
        fprintf(stderr, "%s: %lld of %lld cells done, %lld failed\n", r->store.path, (long long)n.done,
                (long long)n.total, (long long)n.failed);
    }
    if (session_interrupted()) {
        complain("interrupted; the same command goes on from here");
        return FAILED;
    }
    if (!r->session->quiet && code == GOOD && n.done == n.total)
        fprintf(stderr, "next: rung experiment report %s\n", r->store.path);
    return code == GOOD && n.failed ? FAILED : code;
}

static int run_plan(runner *r, int shard, int shards, bool retry)
{
    r->counts = allocate((size_t)r->plan.n_datasets, sizeof *r->counts);
    r->datasets = allocate((size_t)r->plan.n_datasets, sizeof *r->datasets);
    size_t size = (size_t)(r->plan.n_datasets * r->plan.n_methods);
    r->spent = allocate(size, sizeof *r->spent);
    r->cells_done = allocate(size, sizeof *r->cells_done);
    for (int i = 0; i < r->plan.n_datasets; i++)
        if ((r->counts[i] = partitions_count(&r->plan.datasets[i])) == 0) return FAILED;
    if (!store_open(&r->store, r->store.path, true) ||
        !cells_open(&r->cells, &r->store, &r->plan, r->counts, shard, shards, retry) || !cells_beat(&r->cells))
        return FAILED;
    int code = read_data(r);
    if (code != GOOD) return code;
    return tell_end(r, run_workers(r));
}

int experiment_run(session *s, const arguments *args)
{
    runner r = {.session = s};
    const char *path = operand(args, 1), *given = option_value(args, "db"), *seed_text = option_value(args, "seed");
    if (args->operands != 2) {
        complain("experiment: run takes one plan: rung experiment run FILE.ini");
        return USAGE;
    }
    int shard, shards;
    if (!read_shard(option_value(args, "shard"), &shard, &shards)) return USAGE;
    char *db = given ? text_of("%s", given) : default_db(path);
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 0;
    pthread_mutex_init(&r.lock, NULL);
    r.store.path = db;
    int code = FAILED;
    if (plan_read(s, path, seed_text ? &seed : NULL, &r.plan))
        code = run_plan(&r, shard, shards, option_given(args, "retry"));
    for (int i = 0; r.datasets && i < r.plan.n_datasets; i++) plan_data_close(&r.datasets[i]);
    if (r.cells.store) cells_close(&r.cells);
    store_close(&r.store);
    plan_free(&r.plan);
    pthread_mutex_destroy(&r.lock);
    free(r.datasets);
    free(r.counts);
    free(r.spent);
    free(r.cells_done);
    free(db);
    return code;
}
