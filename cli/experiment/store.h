// SPDX-License-Identifier: BSD-3-Clause
/* The file of an experiment: one SQLite database in WAL mode (tables: store.c and docs/experiments.md). Every change is
 * one transaction, so a process may be killed at any moment, and several may work on one file. A store may be used by
 * the threads of a process, one at a time. */
#ifndef RUNG_CLI_EXPERIMENT_STORE_H
#define RUNG_CLI_EXPERIMENT_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "rung/experimental.h"

enum { CLAIM_SECONDS = 60, HEARTBEAT_SECONDS = 10 }; /* a claim without heartbeat for this time is taken over */

typedef struct {
    sqlite3 *db;
    const char *path;
    char *owner; /* names this process on every machine: host, pid namespace, pid, when it started */
} store;

/* Opens the database of an experiment, or creates it if it does not exist and `create` allows it. Failures are printed;
 * false then. What was opened is released by store_close, also after a failure. */
bool store_open(store *s, const char *path, bool create);
void store_close(store *s);

/* ---- statements ---- */

/* A statement of this text with the arguments bound: format has one letter for each ? of the text: i (int64_t), d
 * (double, NaN is stored as NULL), t (text, NULL is NULL). NULL: printed. Finalize it. */
sqlite3_stmt *store_query(store *s, const char *sql, const char *format, ...);
/* The same, run to its end. */
bool store_do(store *s, const char *sql, const char *format, ...);
/* The next row: SQLITE_ROW, SQLITE_DONE, or another code, printed. */
int store_step(store *s, sqlite3_stmt *statement);
/* The first column of the first row as a number; `otherwise` where there is no row or it is NULL. */
int64_t store_number(store *s, int64_t otherwise, const char *sql, const char *format, ...);

bool store_begin(store *s); /* a transaction that writes; waits for other processes */
bool store_commit(store *s);
void store_rollback(store *s);

#endif
