// SPDX-License-Identifier: BSD-3-Clause
/* Reading data files, with the options common to all commands, and model files. */
#ifndef RUNG_CLI_DATAFILE_H
#define RUNG_CLI_DATAFILE_H

#include "core/common.h"

extern const option reader_options[];

/* Checks the reader options; EXIT_OK or USAGE. */
int datafile_options(session *s, const arguments *args, rung_read_options *out);

/* Reads the file (`-`: standard input) as the reader options say; EXIT_OK or an exit code. */
int datafile_read(session *s, const arguments *args, const char *path, rung_table **out);

/* The same with every cell as it stands in the file. */
int datafile_read_text(session *s, const arguments *args, const char *path, rung_table **out);

/* The operands from `first` on: files, folders and patterns; EXIT_OK or an exit code. None of them may be the output.
 */
int datafile_list(session *s, const arguments *args, int first, rung_files **out);
/* Reads them as one table. */
int datafile_read_all(session *s, const arguments *args, int first, rung_table **out);
char *datafile_name(const arguments *args, int first); /* what to call them; to be freed */

/* The value of --order, or NULL; EXIT_OK, or USAGE if it is not an order. */
int order_option(session *s, const arguments *args, const char **out);

int load_model(session *s, const char *path, rung_model **out); /* EXIT_OK or an exit code */
int model_possible(session *s, const char *path); /* before long work: whether a model can be written there */

/* Reads a file (`-`: standard input) for a model: with its coding, so that a cell means what it meant when the model
 * was fitted. Every command that shows rows to a model reads them by one of these. */
int datafile_read_for(session *s, const arguments *args, const rung_model *model, const char *path, rung_table **out);
/* The same with every cell as it stands: for several models. */
int datafile_read_for_all(session *s, const arguments *args, const rung_model *first, const char *path,
                          rung_table **out);
/* Reads it and codes the rows as the model was trained (see rung_model_encode). */
int datafile_encode(session *s, const arguments *args, const rung_model *model, const char *path, rung_labels labels,
                    rung_data **out);

/* Reads a model file and data files (operands) and codes the data so. The objects created belong to the caller, also on
 * failure. */
int datafile_for_model(session *s, const arguments *args, rung_labels labels, rung_model **model, rung_data **data);
/* The same, and the table they come from, which the caller frees. */
int datafile_table_for_model(session *s, const arguments *args, rung_labels labels, rung_model **model,
                             rung_data **data, rung_table **table);

/* The cells of a column, named by an option: numbers >= 0, or a number for each text that is the same for equal ones.
 * NULL where the option is not given; to be freed. EXIT_OK or an exit code. */
int datafile_weights(session *s, const arguments *args, const char *key, const rung_table *table, double **out);
int datafile_groups(session *s, const arguments *args, const char *key, const rung_table *table, int **out);

/* The column in which `rung suggest` marked rows, which the library takes as such; -1: none. */
int64_t datafile_marks(const rung_table *table);

#endif
