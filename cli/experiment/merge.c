// SPDX-License-Identifier: BSD-3-Clause
/* Merging the shards of an experiment into one file. A finished cell replaces a failed one, which replaces an
 * unfinished one; of two finished cells the first is kept. Merging again changes nothing. */
#include "experiment/merge.h"

#include <stdio.h>

#include "core/json_out.h"
#include "core/output.h"
#include "experiment/store.h"

#define GROUP "Merging"
const option merge_options[] = {
    {"output", 'o', "FILE", "merge: database to write or to extend; report: file to write", GROUP}, {0}};

/* A name with different settings in two files: its cells cannot be compared. */
static bool same_meaning(store *s, const char *sql, const char *path)
{
    sqlite3_stmt *q = store_query(s, sql, "");
    int code = q ? store_step(s, q) : SQLITE_ERROR;
    if (code == SQLITE_ROW)
        complain("experiment: %s: %s differs from that of the same name in %s: %s", path, sqlite3_column_text(q, 0),
                 s->path, sqlite3_column_text(q, 1));
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

static bool check_names(store *s, const char *path)
{
    return same_meaning(s,
                        "SELECT 'method ' || a.name, a.settings || ' instead of ' || b.settings FROM other.method a"
                        " JOIN main.method b USING (name) WHERE a.settings <> b.settings OR a.method <> b.method",
                        path) &&
           same_meaning(s,
                        "SELECT 'data set ' || a.name, a.settings || ' instead of ' || b.settings FROM other.dataset a"
                        " JOIN main.dataset b USING (name) WHERE a.settings <> b.settings",
                        path) &&
           same_meaning(s,
                        "SELECT 'data set ' || a.name, 'its rows differ' FROM other.dataset a JOIN main.dataset b "
                        "USING (name) WHERE a.fingerprint <> b.fingerprint",
                        path) &&
           same_meaning(
               s,
               "SELECT 'partition ' || a.partition || ' of data set ' || od.name, 'its rows differ'"
               " FROM other.split a JOIN other.dataset od ON od.id = a.dataset JOIN main.dataset d USING (name)"
               " JOIN main.split b ON b.dataset = d.id AND b.partition = a.partition"
               " WHERE a.fingerprint <> b.fingerprint",
               path);
}

/* New entries come after existing ones. */
static bool copy_names(store *s)
{
    return store_do(s, "INSERT OR IGNORE INTO main.plan SELECT * FROM other.plan", "") &&
           store_do(s,
                    "INSERT OR IGNORE INTO main.dataset (name, position, settings)"
                    " SELECT name, position + (SELECT coalesce(max(position) + 1, 0) FROM main.dataset), settings"
                    " FROM other.dataset ORDER BY position",
                    "") &&
           store_do(s,
                    "UPDATE main.dataset SET (rows, features, classes, class_names, fingerprint) = (SELECT rows,"
                    " features, classes, class_names, fingerprint FROM other.dataset o WHERE o.name = dataset.name)"
                    " WHERE rows IS NULL AND name IN (SELECT name FROM other.dataset)",
                    "") &&
           store_do(
               s,
               "INSERT OR IGNORE INTO main.method (name, position, method, settings)"
               " SELECT name, position + (SELECT coalesce(max(position) + 1, 0) FROM main.method), method, settings"
               " FROM other.method ORDER BY position",
               "") &&
           store_do(s,
                    "INSERT OR IGNORE INTO main.split SELECT d.id, a.partition, a.fingerprint FROM other.split a"
                    " JOIN other.dataset od ON od.id = a.dataset JOIN main.dataset d USING (name)",
                    "");
}

#define PAIRS                                                                                                          \
    " FROM other.cell c JOIN other.dataset od ON od.id = c.dataset JOIN other.method om ON om.id = c.method"           \
    " JOIN main.dataset d ON d.name = od.name JOIN main.method m ON m.name = om.name"

static bool copy_cells(store *s)
{
    return store_do(s,
                    "INSERT OR IGNORE INTO main.cell (dataset, partition, method)"
                    " SELECT d.id, c.partition, m.id" PAIRS " ORDER BY c.id",
                    "") &&
           store_do(s,
                    "CREATE TEMP TABLE taken AS SELECT c.id AS source, t.id AS target" PAIRS
                    " JOIN main.cell t ON t.dataset = d.id AND t.partition = c.partition AND t.method = m.id"
                    " WHERE (c.status = 'done' AND t.status <> 'done')"
                    " OR (c.status = 'failed' AND t.status NOT IN ('done', 'failed'))",
                    "") &&
           store_do(
               s,
               "UPDATE main.cell SET (status, message, owner, heartbeat, started, search_seconds, fit_seconds,"
               " predict_seconds, labelled, unlabelled, test) = (SELECT status, message, owner, heartbeat, started,"
               " search_seconds, fit_seconds, predict_seconds, labelled, unlabelled, test FROM other.cell c"
               " JOIN temp.taken ON c.id = source WHERE target = cell.id)"
               " WHERE id IN (SELECT target FROM temp.taken)",
               "") &&
           store_do(s,
                    "INSERT INTO main.metric SELECT target, part, key, value FROM other.metric"
                    " JOIN temp.taken ON cell = source",
                    "") &&
           store_do(s,
                    "INSERT INTO main.param SELECT target, name, value, searched FROM other.param"
                    " JOIN temp.taken ON cell = source",
                    "") &&
           store_do(s,
                    "INSERT INTO main.prediction SELECT target, part, rows, truth, rank, score FROM other.prediction"
                    " JOIN temp.taken ON cell = source",
                    "") &&
           store_do(s, "INSERT INTO main.model SELECT target, bytes FROM other.model JOIN temp.taken ON cell = source",
                    "");
}

static bool merge_attached(store *s, const char *path, int64_t *taken)
{
    if (!store_begin(s)) return false;
    bool good = check_names(s, path) && copy_names(s) && copy_cells(s);
    *taken = good ? store_number(s, 0, "SELECT count(*) FROM temp.taken", "") : 0;
    if (good) good = store_do(s, "DROP TABLE temp.taken", "") && store_commit(s);
    if (!good) store_rollback(s);
    return good;
}

static bool merge_one(store *s, const char *path, int64_t *taken)
{
    bool good = store_do(s, "ATTACH ? AS other", "t", path) && merge_attached(s, path, taken);
    return good && store_do(s, "DETACH other", "");
}

static int merge_all(session *session_, const arguments *args, store *s)
{
    for (int i = 1; i < args->operands; i++) {
        int64_t taken = 0;
        if (output_same_file(operand(args, i), s->path)) continue;
        if (!merge_one(s, operand(args, i), &taken)) return FAILED;
        if (!session_->quiet) say(stderr, "%s: %lld cells merged\n", operand(args, i), (long long)taken);
    }
    if (session_->json) {
        json_t *all = json_object();
        json_object_set_new(all, "db", jout_text(s->path));
        json_object_set_new(all, "cells", json_integer(store_number(s, 0, "SELECT count(*) FROM cell", "")));
        json_object_set_new(all, "done",
                            json_integer(store_number(s, 0, "SELECT count(*) FROM cell WHERE status = 'done'", "")));
        json_object_set_new(all, "failed",
                            json_integer(store_number(s, 0, "SELECT count(*) FROM cell WHERE status = 'failed'", "")));
        jout_print(all);
    }
    if (!session_->quiet)
        say(stderr, "%s: %lld of %lld cells done, %lld failed\n", s->path,
            (long long)store_number(s, 0, "SELECT count(*) FROM cell WHERE status = 'done'", ""),
            (long long)store_number(s, 0, "SELECT count(*) FROM cell", ""),
            (long long)store_number(s, 0, "SELECT count(*) FROM cell WHERE status = 'failed'", ""));
    return EXIT_OK;
}

int experiment_merge(session *s, const arguments *args)
{
    const char *path = option_value(args, "output");
    if (!path) {
        complain("experiment: merge: -o FILE is missing: rung experiment merge a.db b.db -o all.db");
        return USAGE;
    }
    store into;
    for (int i = 1; i < args->operands; i++) { /* errors are reported before anything is written */
        bool good = store_open(&into, operand(args, i), false);
        store_close(&into);
        if (!good) return FAILED;
    }
    int code = store_open(&into, path, true) ? merge_all(s, args, &into) : FAILED;
    store_close(&into);
    return code;
}
