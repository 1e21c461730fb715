// SPDX-License-Identifier: BSD-3-Clause
/* Reading: a source of bytes (file, gzip or standard input) and a reader per format that fills a table. */
#ifndef RUNG_DATA_READ_H
#define RUNG_DATA_READ_H

#include "data/table.h"

/* The whole file as a table. Nothing is kept of a file that fails. */
rung_status read_table(rung_ctx *ctx, const char *path, const rung_read_options *options, rung_table **out);

#endif
