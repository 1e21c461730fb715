// SPDX-License-Identifier: BSD-3-Clause
/* Reads a plan, enters it into the store, runs its cells and prints a summary. */
#define _POSIX_C_SOURCE 200809L
#include "experiment/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_out.h"
#include "core/signals.h"
#include "experiment/workers.h"
#include "processes/processes.h"

#define GROUP "Running"
const option run_options[] = {
    {"folder", 0, "FOLDER", "run: folder that holds the folders of the data sets, instead of the plan's", GROUP},
    {"datasets", 0, "LIST", "run: data sets instead of the plan's, separated by commas", GROUP},
    {"runs", 0, "N", "run: number of partitions of each data set, instead of the plan's", GROUP},
    {"db", 0, "FILE", "run: database (default: the plan's name with .db, in the current folder)", GROUP},
    {"shard", 0, "I/N", "run: run only the I-th of N parts of the cells, for clusters; merge combines them", GROUP},
    {"retry", 0, NULL, "run: try failed cells again", GROUP},
    {"models", 0, NULL, "run: also store the fitted models; report --orca writes them", GROUP},
    {0}};

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

static int64_t cells_to_do(runner *r, int index)
{
    pthread_mutex_lock(&r->jobs.lock);
    int64_t open = store_number(&r->store, 0,
                                "SELECT count(*) FROM temp.todo t JOIN cell c ON c.id = t.cell WHERE t.dataset = ?"
                                " AND c.status IN ('waiting', 'running')",
                                "i", (int64_t)index);
    pthread_mutex_unlock(&r->jobs.lock);
    return open;
}

/* Every rank reads the data; their rows must be those of the leader. */
static bool same_rows(const dataset *d)
{
    uint64_t first = dataset_sum(d);
    if (!processes_share(&first, sizeof first)) return false;
    if (first == dataset_sum(d)) return true;
    complain("experiment: the rows of %s differ from those of process 0", d->plan->name);
    return false;
}

/* Data sets without cells to do are not read. */
static int read_data(runner *r)
{
    for (int i = 0; i < r->plan.n_datasets; i++) {
        int64_t open = processes_lead() ? cells_to_do(r, i) : 0;
        if (!processes_share(&open, sizeof open)) return FAILED;
        if (open == 0) continue;
        int code = dataset_load(r->session, &r->plan.datasets[i], &r->datasets[i]);
        if (code != EXIT_OK) return code;
        if (!same_rows(&r->datasets[i])) return FAILED;
        if (processes_lead() && !jobs_describe(&r->jobs, &r->datasets[i])) return FAILED;
    }
    return EXIT_OK;
}

static sqlite3_stmt *failed_cells(runner *r)
{
    return store_query(
        &r->store,
        "SELECT d.name, c.partition, m.name, c.message FROM temp.todo t"
        " JOIN cell c ON c.id = t.cell JOIN dataset d ON d.id = c.dataset"
        " JOIN method m ON m.id = c.method WHERE c.status = 'failed' ORDER BY t.dataset, t.partition, t.method",
        "");
}

static void tell_failures(runner *r)
{
    sqlite3_stmt *q = failed_cells(r);
    for (int i = 0; q && store_step(&r->store, q) == SQLITE_ROW; i++) {
        if (i == 10) {
            say(stderr, "... and more: SELECT * FROM failure\n");
            break;
        }
        say(stderr, "failed: %s, partition %lld, %s: %s\n", sqlite3_column_text(q, 0),
            (long long)sqlite3_column_int64(q, 1), sqlite3_column_text(q, 2), sqlite3_column_text(q, 3));
    }
    sqlite3_finalize(q);
}

static void print_json(runner *r, const jobs_count *n)
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
    jobs_count n;
    if (!jobs_progress(&r->jobs, &n)) return FAILED;
    if (r->session->json) print_json(r, &n);
    if (!r->session->quiet || n.failed) {
        tell_failures(r);
        say(stderr, "%s: %lld of %lld cells done, %lld failed\n", r->store.path, (long long)n.done, (long long)n.total,
            (long long)n.failed);
    }
    if (session_interrupted()) {
        complain("interrupted; run the same command to resume");
        return FAILED;
    }
    if (!r->session->quiet && code == EXIT_OK && n.done == n.total)
        say(stderr, "next: rung experiment report %s\n", r->store.path);
    return code == EXIT_OK && n.failed ? FAILED : code;
}

/* Every data set that cannot be run is named, before anything runs. */
static bool count_partitions(runner *r)
{
    bool good = true, there = true;
    for (int i = 0; i < r->plan.n_datasets; i++) {
        good = (r->counts[i] = dataset_partitions(&r->plan.datasets[i])) > 0 && good;
        there = there && dataset_exists(&r->plan.datasets[i]);
    }
    if (!there)
        complain("experiment: docs/data-sets.md describes the folders of data sets, and where those of the plans come "
                 "from");
    return good;
}

static int run_plan(runner *r, int shard, int shards, bool retry)
{
    r->counts = allocate((size_t)r->plan.n_datasets, sizeof *r->counts);
    r->datasets = allocate((size_t)r->plan.n_datasets, sizeof *r->datasets);
    size_t size = (size_t)(r->plan.n_datasets * r->plan.n_methods);
    r->spent = allocate(size, sizeof *r->spent);
    r->cells_done = allocate(size, sizeof *r->cells_done);
    if (!count_partitions(r)) return FAILED;
    if (processes_lead() &&
        (!store_open(&r->store, r->store.path, true) ||
         !jobs_open(&r->jobs, &r->store, &r->plan, r->counts, shard, shards, retry) || !jobs_beat(&r->jobs)))
        return FAILED;
    int code = read_data(r);
    if (code != EXIT_OK) return code;
    code = workers_run(r);
    return processes_lead() ? tell_end(r, code) : code;
}

int experiment_run(session *s, const arguments *args)
{
    runner r = {.session = s, .models = option_given(args, "models")};
    const char *path = operand(args, 1), *given = option_value(args, "db"), *seed_text = option_value(args, "seed");
    if (args->operands != 2) {
        complain("experiment: run needs one plan: rung experiment run FILE.ini");
        return USAGE;
    }
    int shard, shards;
    long long runs = 0;
    const char *runs_text = option_value(args, "runs");
    if (runs_text && !parse_whole(runs_text, 1, 1000000, &runs)) {
        complain("experiment: --runs %s: expected a whole number from 1", runs_text);
        return USAGE;
    }
    if (!read_shard(option_value(args, "shard"), &shard, &shards)) return USAGE;
    char *db = given ? text_of("%s", given) : default_db(path);
    uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 0;
    plan_changes changes = {.seed = seed_text ? &seed : NULL,
                            .folder = option_value(args, "folder"),
                            .datasets = option_value(args, "datasets"),
                            .runs = runs};
    pthread_mutex_init(&r.lock, NULL);
    r.store.path = db;
    int code = FAILED;
    if (plan_read(s, path, &changes, &r.plan)) code = run_plan(&r, shard, shards, option_given(args, "retry"));
    for (int i = 0; r.datasets && i < r.plan.n_datasets; i++) dataset_unload(&r.datasets[i]);
    if (r.jobs.store) jobs_close(&r.jobs);
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
