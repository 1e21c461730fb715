// SPDX-License-Identifier: BSD-3-Clause
/* The files of a data set, and reading a file of test rows. */
#ifndef RUNG_CLI_EXPERIMENT_FILES_H
#define RUNG_CLI_EXPERIMENT_FILES_H

#include "experiment/plan/plan.h"

char *files_data(const plan_dataset *d); /* the data; to be freed; NULL: there is no such file */
/* ORCA, SKORDINAL: "train" or "test" of a partition; to be freed; NULL: there is no such file. */
char *files_of_partition(const plan_dataset *d, const char *which, int64_t index);
int64_t files_partitions(const plan_dataset *d); /* ORCA, SKORDINAL: how many there are */

/* The test rows of every partition, a line each; at most `most` lines (0: all). rows: how many the data have, for the
 * check (< 0: not known yet). Failures are printed; -1 then. To be freed otherwise. */
int64_t files_splits(const plan_dataset *d, int64_t most, int64_t rows, int64_t ***test, int64_t **n_test);

#endif
