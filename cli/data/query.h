// SPDX-License-Identifier: BSD-3-Clause
/* The rows that a query selects from an SQLite database. */
#ifndef RUNG_CLI_QUERY_H
#define RUNG_CLI_QUERY_H

#include "core/common.h"

/* Reads them as a table: a column with texts as the cells of a file, which are numbers if all of them are. The database
 * is only read. EXIT_OK, or prints a message and returns an exit code. */
int query_read(session *s, const char *path, const char *sql, rung_table **out);

#endif
