// SPDX-License-Identifier: BSD-3-Clause
/* Reading data files, by the options every command shares, and model files. */
#ifndef RUNG_CLI_DATAFILE_H
#define RUNG_CLI_DATAFILE_H

#include "common.h"

extern const option reader_options[];

/* Checks the reader options; EXIT_OK or USAGE. */
int datafile_options(session *s, const arguments *args, rung_read_options *out);

/* Reads the file (`-`: standard input) as the reader options say; EXIT_OK or an exit code. */
int datafile_read(session *s, const arguments *args, const char *path, rung_table **out);

/* The value of --order, or NULL; EXIT_OK, or USAGE when it is no order. */
int order_option(session *s, const arguments *args, const char **out);

int load_model(session *s, const char *path, rung_model **out); /* EXIT_OK or an exit code */

/* Reads a model file and a data file and codes the data as the model was trained (see rung_model_encode).
 * What was made belongs to the caller, also on failure. */
int datafile_for_model(session *s, const arguments *args, int labels, rung_model **model, rung_data **data);

#endif
