// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "experiment/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "experiment/owner.h"

double seconds_since_1970(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the plan enters the store ---- */

static bool same_settings(store *s, const char *what, const char *table, const char *name, const char *settings)
{
    char *sql = text_of("SELECT settings FROM %s WHERE name = ?", table);
    sqlite3_stmt *q = store_query(s, sql, "t", name);
    free(sql);
    bool good = q != NULL;
    if (q && store_step(s, q) == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(q, 0), settings)) {
        complain("experiment: %s %s has different settings in %s: '%s' there, '%s' here; rename it or use another --db",
                 what, name, s->path, sqlite3_column_text(q, 0), settings);
        good = false;
    }
    sqlite3_finalize(q);
    return good;
}

/* Where its files were, for reports: the same results may come from copies in other places. */
static bool enter_folder(store *s, const plan_dataset *d)
{
    char *key = text_of("folder of %s", d->name),
         *folder = text_of("%s%s", d->folder, d->kind == ORCA ? "/matlab" : "");
    bool good = store_do(s, "INSERT OR REPLACE INTO plan VALUES (?, ?)", "tt", key, folder);
    free(key);
    free(folder);
    return good;
}

/* Numbers of other versions may differ: who goes on with results of one is told so. */
static bool note_version(store *s)
{
    sqlite3_stmt *q = store_query(s,
                                  "SELECT value FROM plan WHERE key = 'version'"
                                  " AND EXISTS (SELECT 1 FROM cell WHERE status = 'done')",
                                  "");
    int got = q ? store_step(s, q) : SQLITE_ERROR;
    const char *was = got == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
    if (was && strcmp(was, rung_version()) != 0)
        complain("%s has results of version %s; those of version %s, which are added now, may differ", s->path, was,
                 rung_version());
    sqlite3_finalize(q);
    return got == SQLITE_ROW || got == SQLITE_DONE;
}

static bool enter_names(store *s, const plan *p)
{
    if (!note_version(s)) return false;
    for (int i = 0; i < p->n_datasets; i++) {
        const plan_dataset *d = &p->datasets[i];
        if (!same_settings(s, "data set", "dataset", d->name, d->settings) ||
            !store_do(s,
                      "INSERT INTO dataset (name, position, settings) VALUES (?, ?, ?)"
                      " ON CONFLICT (name) DO UPDATE SET position = excluded.position",
                      "tit", d->name, (int64_t)i, d->settings) ||
            !enter_folder(s, d))
            return false;
    }
    for (int i = 0; i < p->n_methods; i++) {
        const plan_method *m = &p->methods[i];
        if (!same_settings(s, "method", "method", m->name, m->settings) ||
            !store_do(s,
                      "INSERT INTO method (name, position, method, settings) VALUES (?, ?, ?, ?)"
                      " ON CONFLICT (name) DO UPDATE SET position = excluded.position",
                      "titt", m->name, (int64_t)i, m->method, m->settings))
            return false;
    }
    const char *facts[][2] = {{"name", p->name},
                              {"file", p->file.path},
                              {"text", p->file.text},
                              {"metric", p->metric},
                              {"version", rung_version()}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i][1] && !store_do(s, "INSERT OR REPLACE INTO plan VALUES (?, ?)", "tt", facts[i][0], facts[i][1]))
            return false;
    return true;
}

/* The cells of the plan that this process may do: the first partition of all data sets, then the second of all. So an
 * interrupted run covers every data set, and the time of each kind of cell is known early. */
static bool enter_jobs(store *s, const plan *p, const int64_t *counts, int shard, int shards)
{
    int64_t position = 0, most = 0;
    if (!store_do(s,
                  "CREATE TEMP TABLE todo (position INTEGER PRIMARY KEY, cell INTEGER NOT NULL UNIQUE,"
                  " dataset INTEGER NOT NULL, partition INTEGER NOT NULL, method INTEGER NOT NULL,"
                  " open INTEGER NOT NULL DEFAULT 1)",
                  "") ||
        !store_do(s, "CREATE INDEX temp.todo_open ON todo (open, position)", ""))
        return false;
    sqlite3_stmt *make = store_query(s,
                                     "INSERT OR IGNORE INTO cell (dataset, partition, method) SELECT d.id, ?, m.id"
                                     " FROM dataset d, method m WHERE d.name = ? AND m.name = ?",
                                     ""),
                 *note =
                     store_query(s,
                                 "INSERT INTO temp.todo SELECT ?, c.id, ?, c.partition, ?, 1 FROM cell c JOIN dataset d"
                                 " ON d.id = c.dataset JOIN method m ON m.id = c.method"
                                 " WHERE c.partition = ? AND d.name = ? AND m.name = ?",
                                 "");
    bool good = make && note;
    for (int d = 0; d < p->n_datasets; d++) most = counts[d] > most ? counts[d] : most;
    for (int64_t i = 0; i < most; i++)
        for (int d = 0; d < p->n_datasets; d++)
            for (int m = 0; m < p->n_methods && good; m++) {
                if (i >= counts[d] || !p->methods[m].on[d]) continue;
                sqlite3_bind_int64(make, 1, i);
                sqlite3_bind_text(make, 2, p->datasets[d].name, -1, SQLITE_STATIC);
                sqlite3_bind_text(make, 3, p->methods[m].name, -1, SQLITE_STATIC);
                good = store_step(s, make) == SQLITE_DONE;
                sqlite3_reset(make);
                /* Every shard gets its share of every data set and of every method. */
                if (!good || (d + i + m) % shards != shard) continue;
                sqlite3_bind_int64(note, 1, position++);
                sqlite3_bind_int64(note, 2, d);
                sqlite3_bind_int64(note, 3, m);
                sqlite3_bind_int64(note, 4, i);
                sqlite3_bind_text(note, 5, p->datasets[d].name, -1, SQLITE_STATIC);
                sqlite3_bind_text(note, 6, p->methods[m].name, -1, SQLITE_STATIC);
                good = store_step(s, note) == SQLITE_DONE;
                sqlite3_reset(note);
            }
    sqlite3_finalize(make);
    sqlite3_finalize(note);
    return good;
}

bool jobs_open(jobs *c, store *s, const plan *p, const int64_t *counts, int shard, int shards, bool retry)
{
    *c = (jobs){.store = s};
    pthread_mutex_init(&c->lock, NULL);
    if (!store_begin(s)) return false;
    bool good = enter_names(s, p) && enter_jobs(s, p, counts, shard, shards);
    if (good && retry)
        good = store_do(s,
                        "UPDATE cell SET status = 'waiting', message = NULL WHERE status = 'failed'"
                        " AND id IN (SELECT cell FROM temp.todo)",
                        "");
    if (good)
        good = store_commit(s);
    else
        store_rollback(s);
    if (!good) return false;
    c->next =
        store_query(s,
                    "SELECT t.cell, t.partition, t.dataset, t.method FROM temp.todo t JOIN cell c ON c.id = t.cell"
                    " WHERE t.open = 1 AND (c.status = 'waiting' OR (c.status = 'running' AND c.heartbeat < ?))"
                    " ORDER BY t.position LIMIT 1",
                    "");
    c->claim =
        store_query(s, "UPDATE cell SET status = 'running', owner = ?, heartbeat = ?, message = NULL WHERE id = ?", "");
    c->done = store_query(s,
                          "UPDATE cell SET status = ?, message = ?, started = ?, search_seconds = ?, fit_seconds = ?,"
                          " predict_seconds = ?, labelled = ?, unlabelled = ?, test = ?"
                          " WHERE id = ? AND status = 'running' AND owner = ?",
                          "");
    c->metric = store_query(s, "INSERT INTO metric VALUES (?, ?, ?, ?)", "");
    c->param = store_query(s, "INSERT INTO param VALUES (?, ?, ?, ?)", "");
    c->prediction = store_query(s, "INSERT INTO prediction VALUES (?, ?, ?, ?, ?, ?)", "");
    c->model = store_query(s, "INSERT INTO model VALUES (?, ?)", "");
    c->left = store_query(s, "UPDATE temp.todo SET open = 0 WHERE cell = ?", "");
    return c->next && c->claim && c->done && c->metric && c->param && c->prediction && c->model && c->left;
}

void jobs_close(jobs *c)
{
    sqlite3_stmt *all[] = {c->next, c->claim, c->done, c->metric, c->param, c->prediction, c->model, c->left};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sqlite3_finalize(all[i]);
    pthread_mutex_destroy(&c->lock);
    *c = (jobs){0};
}

/* ---- steps ---- */

bool jobs_run(jobs *c, sqlite3_stmt *statement)
{
    bool good = store_step(c->store, statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return good;
}

bool jobs_lock(jobs *c)
{
    pthread_mutex_lock(&c->lock);
    if (store_begin(c->store)) return true;
    pthread_mutex_unlock(&c->lock);
    return false;
}

bool jobs_unlock(jobs *c, bool good)
{
    if (good) good = store_commit(c->store);
    if (!good) store_rollback(c->store);
    pthread_mutex_unlock(&c->lock);
    return good;
}

static json_t *class_names(const dataset *d)
{
    json_t *names = json_array();
    for (int k = 0; k < d->classes; k++) json_array_append_new(names, json_string(d->class_names[k]));
    return names;
}

static void print_of(uint64_t sum, char text[32]) { snprintf(text, 32, "%016llx", (unsigned long long)sum); }

/* Whether the store holds another fingerprint of this; -1: failure. */
static int differs(jobs *c, const char *sql, const dataset *d, int64_t index, const char *print)
{
    sqlite3_stmt *q = store_query(c->store, sql, "tti", d->plan->name, print, index);
    int code = q ? store_step(c->store, q) : SQLITE_ERROR;
    sqlite3_finalize(q);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : -1;
}

static bool same_partitions(jobs *c, const dataset *d)
{
    for (int64_t i = 0; d->prints && i < d->partitions; i++) {
        char print[32];
        print_of(d->prints[i], print);
        int other = differs(c,
                            "SELECT 1 FROM split s JOIN dataset d ON d.id = s.dataset WHERE d.name = ?"
                            " AND s.fingerprint <> ? AND s.partition = ?",
                            d, i, print);
        if (other > 0)
            complain("experiment: the rows of partition %lld of %s differ from those used for %s; use another --db",
                     (long long)i, d->plan->name, c->store->path);
        if (other != 0) return false;
        if (!store_do(c->store, "INSERT OR IGNORE INTO split SELECT id, ?, ? FROM dataset WHERE name = ?", "itt", i,
                      print, d->plan->name))
            return false;
    }
    return true;
}

static bool same_data(jobs *c, const dataset *d, const char *print)
{
    int other = differs(c, "SELECT 1 FROM dataset WHERE name = ? AND fingerprint <> ? AND ? >= 0", d, 0, print);
    if (other > 0)
        complain("experiment: the rows of %s differ from those used for %s; use another --db", d->plan->name,
                 c->store->path);
    return other == 0;
}

bool jobs_describe(jobs *c, const dataset *d)
{
    char print[32];
    print_of(d->fingerprint, print);
    if (!jobs_lock(c)) return false;
    json_t *names = class_names(d);
    char *text = json_dumps(names, JSON_COMPACT | JSON_ENCODE_ANY);
    bool good = same_data(c, d, print) && same_partitions(c, d) &&
                store_do(c->store,
                         "UPDATE dataset SET rows = ?, features = ?, classes = ?, class_names = ?, fingerprint = ?"
                         " WHERE name = ?",
                         "iiittt", d->rows, d->features, (int64_t)d->classes, text, print, d->plan->name);
    free(text);
    json_decref(names);
    return jobs_unlock(c, good);
}

int jobs_claim(jobs *c, job_place *out)
{
    double now = seconds_since_1970();
    if (!jobs_lock(c)) return -1;
    sqlite3_bind_double(c->next, 1, now - CLAIM_SECONDS);
    int code = store_step(c->store, c->next);
    if (code == SQLITE_ROW)
        *out = (job_place){.id = sqlite3_column_int64(c->next, 0),
                           .partition = sqlite3_column_int64(c->next, 1),
                           .dataset = sqlite3_column_int(c->next, 2),
                           .method = sqlite3_column_int(c->next, 3)};
    sqlite3_reset(c->next);
    bool good = code == SQLITE_ROW || code == SQLITE_DONE;
    if (code == SQLITE_ROW) {
        sqlite3_bind_text(c->claim, 1, c->store->owner, -1, SQLITE_STATIC);
        sqlite3_bind_double(c->claim, 2, now);
        sqlite3_bind_int64(c->claim, 3, out->id);
        good = jobs_run(c, c->claim);
    }
    return jobs_unlock(c, good) ? code == SQLITE_ROW : -1;
}

bool jobs_release(jobs *c, const job_place *place)
{
    if (!jobs_lock(c)) return false;
    return jobs_unlock(c, store_do(c->store,
                                   "UPDATE cell SET status = 'waiting', owner = NULL, heartbeat = NULL"
                                   " WHERE id = ? AND owner = ? AND status = 'running'",
                                   "it", place->id, c->store->owner));
}

/* ---- time goes by ---- */

static bool release_dead_claims(jobs *c)
{
    sqlite3_stmt *q = store_query(c->store, "SELECT DISTINCT owner FROM cell WHERE status = 'running' AND owner <> ?",
                                  "t", c->store->owner);
    bool good = q != NULL;
    while (good && store_step(c->store, q) == SQLITE_ROW) {
        const char *owner = (const char *)sqlite3_column_text(q, 0);
        if (owner && owner_gone(owner))
            good = store_do(c->store,
                            "UPDATE cell SET status = 'waiting', owner = NULL, heartbeat = NULL"
                            " WHERE status = 'running' AND owner = ?",
                            "t", owner);
    }
    sqlite3_finalize(q);
    return good;
}

bool jobs_beat(jobs *c)
{
    if (!jobs_lock(c)) return false;
    bool good = store_do(c->store, "UPDATE cell SET heartbeat = ? WHERE status = 'running' AND owner = ?", "dt",
                         seconds_since_1970(), c->store->owner);
    good = good && store_do(c->store,
                            "UPDATE temp.todo SET open = 0 WHERE open = 1 AND cell IN"
                            " (SELECT id FROM cell WHERE status IN ('done', 'failed'))",
                            "");
    return jobs_unlock(c, good && release_dead_claims(c));
}

bool jobs_progress(jobs *c, jobs_count *out)
{
    *out = (jobs_count){0};
    pthread_mutex_lock(&c->lock);
    sqlite3_stmt *q = store_query(c->store,
                                  "SELECT c.status, c.owner = ?, count(*) FROM temp.todo t JOIN cell c ON c.id = t.cell"
                                  " GROUP BY 1, 2",
                                  "t", c->store->owner);
    int code = SQLITE_ERROR;
    while (q && (code = store_step(c->store, q)) == SQLITE_ROW) {
        const char *status = (const char *)sqlite3_column_text(q, 0);
        int64_t n = sqlite3_column_int64(q, 2);
        out->total += n;
        if (!strcmp(status, "done")) out->done += n;
        if (!strcmp(status, "failed")) out->failed += n;
        if (!strcmp(status, "running")) {
            out->running += n;
            if (sqlite3_column_int(q, 1) == 0) out->others += n;
        }
    }
    sqlite3_finalize(q);
    pthread_mutex_unlock(&c->lock);
    return code == SQLITE_DONE;
}
