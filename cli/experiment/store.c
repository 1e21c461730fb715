// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "experiment/store.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/common.h"
#include "experiment/owner.h"

enum {
    APPLICATION = 0x52554e47, /* "RUNG", in the header of the file */
    VERSION = 1,
    PATIENCE = 60000 /* milliseconds to wait for another process's transaction */
};

/* The fitted models, if requested: the bytes of a model file. Older databases get this table. */
#define MODELS                                                                                                         \
    "CREATE TABLE IF NOT EXISTS model (cell INTEGER PRIMARY KEY REFERENCES cell, bytes BLOB NOT NULL) WITHOUT ROWID;"

/* Which rows a partition of a data set has, where they are not drawn by the seed. */
#define PARTITIONS                                                                                                     \
    "CREATE TABLE IF NOT EXISTS split (dataset INTEGER NOT NULL REFERENCES dataset, partition INTEGER NOT NULL,"       \
    " fingerprint TEXT NOT NULL, PRIMARY KEY (dataset, partition)) WITHOUT ROWID;"

static const char schema[] =
    /* The plan: its name, file and text, and the metric of the search. */
    "CREATE TABLE plan (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    /* position: order of the plan. settings: everything in the plan that changes the result of a cell; a plan with
     * other settings for a name of this file is rejected. The rest is filled in when the data are first read;
     * class_names is a JSON array, fingerprint a sum over all rows. classes = 0: real targets. */
    "CREATE TABLE dataset (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, position INTEGER NOT NULL,"
    " settings TEXT NOT NULL, rows INTEGER, features INTEGER, classes INTEGER, class_names TEXT, fingerprint TEXT);"
    /* method: rung's name; name: the name in the plan. */
    "CREATE TABLE method (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, position INTEGER NOT NULL,"
    " method TEXT NOT NULL, settings TEXT NOT NULL);"
    /* One fit on one partition (from 0) of one data set. status: waiting, running, done, failed (message: why). owner
     * and heartbeat (seconds since 1970): the process working on it. labelled, unlabelled, test: rows. The seconds are
     * wall clock. */
    "CREATE TABLE cell (id INTEGER PRIMARY KEY,"
    " dataset INTEGER NOT NULL REFERENCES dataset, partition INTEGER NOT NULL,"
    " method INTEGER NOT NULL REFERENCES method,"
    " status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done', 'failed')),"
    " message TEXT, owner TEXT, heartbeat REAL, started REAL,"
    " search_seconds REAL, fit_seconds REAL, predict_seconds REAL,"
    " labelled INTEGER, unlabelled INTEGER, test INTEGER,"
    " UNIQUE (dataset, partition, method));"
    "CREATE INDEX cell_status ON cell (status);"
    /* Of a cell that is done. part: test (the test rows), unlabelled (training rows whose label was hidden), labelled
     * (training rows whose label was kept). value: NULL where the metric is undefined. */
    "CREATE TABLE metric (cell INTEGER NOT NULL REFERENCES cell, part TEXT NOT NULL, key TEXT NOT NULL, value REAL,"
    " PRIMARY KEY (cell, part, key)) WITHOUT ROWID;"
    /* The parameters of the fitted model, as text; searched: 1 where cross-validation chose the value. */
    "CREATE TABLE param (cell INTEGER NOT NULL REFERENCES cell, name TEXT NOT NULL, value TEXT NOT NULL,"
    " searched INTEGER NOT NULL, PRIMARY KEY (cell, name)) WITHOUT ROWID;"
    /* JSON arrays of equal length: row numbers (from 0) in the data set (in the partition's own file, where each has
     * its own), true and predicted ranks (from 1), scores (of several outputs the first). truth holds numbers and rank
     * is NULL for real targets; score is NULL where a method has none. */
    "CREATE TABLE prediction (cell INTEGER NOT NULL REFERENCES cell, part TEXT NOT NULL, rows TEXT NOT NULL,"
    " truth TEXT NOT NULL, rank TEXT, score TEXT, PRIMARY KEY (cell, part)) WITHOUT ROWID;" MODELS PARTITIONS
    /* For people and reports: the numbers of the finished cells by name. */
    "CREATE VIEW result AS SELECT d.name AS dataset, c.partition AS partition, m.name AS method, v.part AS part,"
    " v.key AS key, v.value AS value FROM metric v JOIN cell c ON c.id = v.cell JOIN dataset d ON d.id = c.dataset"
    " JOIN method m ON m.id = c.method;"
    "CREATE VIEW failure AS SELECT d.name AS dataset, c.partition AS partition, m.name AS method, c.message AS message"
    " FROM cell c JOIN dataset d ON d.id = c.dataset JOIN method m ON m.id = c.method WHERE c.status = 'failed';";

/* ---- statements ---- */

static bool failed(const store *s)
{
    complain("experiment: %s: %s", s->path, sqlite3_errmsg(s->db));
    return false;
}

static bool plain(store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || failed(s);
}

static sqlite3_stmt *prepare(store *s, const char *sql, const char *format, va_list args)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
    for (int i = 1; code == SQLITE_OK && *format; i++, format++) {
        if (*format == 'i') {
            code = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
        } else if (*format == 'd') {
            double x = va_arg(args, double);
            code = isnan(x) ? SQLITE_OK : sqlite3_bind_double(statement, i, x);
        } else {
            code = sqlite3_bind_text(statement, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        }
    }
    if (code == SQLITE_OK) return statement;
    failed(s);
    sqlite3_finalize(statement);
    return NULL;
}

sqlite3_stmt *store_query(store *s, const char *sql, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sqlite3_stmt *statement = prepare(s, sql, format, args);
    va_end(args);
    return statement;
}

int store_step(store *s, sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) failed(s);
    return code;
}

bool store_do(store *s, const char *sql, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sqlite3_stmt *statement = prepare(s, sql, format, args);
    va_end(args);
    if (!statement) return false;
    int code;
    while ((code = store_step(s, statement)) == SQLITE_ROW) continue;
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

int64_t store_number(store *s, int64_t otherwise, const char *sql, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sqlite3_stmt *statement = prepare(s, sql, format, args);
    va_end(args);
    if (statement && store_step(s, statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        otherwise = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return otherwise;
}

/* IMMEDIATE: a transaction that starts by reading could find the file changed when it writes. */
bool store_begin(store *s) { return plain(s, "BEGIN IMMEDIATE"); }
bool store_commit(store *s) { return plain(s, "COMMIT"); }

void store_rollback(store *s)
{
    if (!sqlite3_get_autocommit(s->db)) plain(s, "ROLLBACK");
}

/* ---- the file ---- */

static bool make_tables(store *s)
{
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, VERSION);
    return plain(s, schema) && plain(s, pragmas);
}

static bool known(store *s)
{
    int64_t application = store_number(s, -1, "PRAGMA application_id", "");
    if (application < 0) return false; /* no database at all; told */
    int64_t version = store_number(s, 0, "PRAGMA user_version", "");
    if (application != APPLICATION) {
        complain("experiment: %s is not a database of an experiment", s->path);
        return false;
    }
    if (version > VERSION) {
        complain("experiment: %s was written by a newer rung (table version %lld, this rung supports %d)", s->path,
                 (long long)version, VERSION);
        return false;
    }
    return true;
}

/* An empty file becomes an experiment; another program's file is left alone. */
static bool settle(store *s, bool create)
{
    if (!create) return known(s);
    if (!store_begin(s)) return false;
    bool empty = store_number(s, -1, "SELECT count(*) FROM sqlite_schema", "") == 0;
    if (empty) return make_tables(s) && store_commit(s);
    store_rollback(s);
    return known(s);
}

/* WAL: readers never wait and a commit is one append. NORMAL: a commit is not synced, so a power failure may lose the
 * last cells (never the file); a killed process loses nothing. */
bool store_open(store *s, const char *path, bool create)
{
    *s = (store){.path = path, .owner = owner_here()};
    if (!create && access(path, F_OK) != 0) {
        complain("experiment: %s does not exist", path);
        return false;
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK) return failed(s);
    sqlite3_busy_timeout(s->db, PATIENCE);
    return settle(s, create) && plain(s, MODELS PARTITIONS) &&
           plain(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY");
}

void store_close(store *s)
{
    sqlite3_close(s->db);
    free(s->owner);
    *s = (store){0};
}
