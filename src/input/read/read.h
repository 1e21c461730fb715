// SPDX-License-Identifier: BSD-3-Clause
/* Reading files: whole, or in blocks of rows. */
#ifndef RUNG_READ_READ_H
#define RUNG_READ_READ_H

#include "data/dataset.h"
#include "input/read/files.h"

/* The whole file as a table. After a failure nothing is kept. */
rung_status read_table(rung_ctx *ctx, const char *path, const rung_read_options *options, rung_table **out);
/* The same with a coding (NULL: none): its columns are read as it needs them and all others as text. */
rung_status read_table_for(rung_ctx *ctx, const char *path, const rung_read_options *options, const coding *code,
                           rung_table **out);

/* Several files as one table, in bytewise order of their names: the rows of one file that held them all. They need the
 * same columns, in any order. Files without rows are left out with a warning. */
rung_status read_files(rung_ctx *ctx, const rung_files *files, const rung_read_options *options, const coding *code,
                       rung_table **out);

/* A file in blocks, at constant memory. With a coding its columns are read as it needs them and all others as text;
 * without one the kind of a column is determined at the beginning of the file, and text in a column of numbers is an
 * error. */
rung_status reader_open(rung_ctx *ctx, const char *path, const rung_read_options *options, const coding *code,
                        rung_reader **out);
rung_status reader_next(rung_ctx *ctx, rung_reader *r, int64_t rows, rung_table **out); /* NULL after the last row */
void reader_close(rung_reader *r);

#endif
