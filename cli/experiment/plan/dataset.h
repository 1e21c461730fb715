// SPDX-License-Identifier: BSD-3-Clause
/* The data of an experiment: a data set with its classes and the number of its partitions. */
#ifndef RUNG_CLI_EXPERIMENT_DATASET_H
#define RUNG_CLI_EXPERIMENT_DATASET_H

#include "experiment/plan/plan.h"

typedef struct { /* a data set that was read; shared by the workers, read-only */
    const plan_dataset *plan;
    rung_data *data; /* all rows; NULL if each partition has its own files */
    char *order;     /* ORCA, SKORDINAL: the classes of all partitions */
    int64_t partitions;
    int64_t **test; /* SPLITS: the test rows of each, ascending */
    int64_t *n_test;
    int64_t rows, features;
    int classes; /* 0: real targets */
    char **class_names;
    uint64_t fingerprint; /* of all numbers, or of the classes of all files */
    uint64_t *prints;     /* per partition: of its test rows, or of its files; NULL: drawn by the seed */
} dataset;

/* Whether there are files of this kind. */
bool dataset_exists(const plan_dataset *d);
/* How many partitions are to be run; 0: there are none, printed. The data themselves are not read. */
int64_t dataset_partitions(const plan_dataset *d);

/* EXIT_OK or an exit code. Release it in both cases. */
int dataset_load(session *s, const plan_dataset *d, dataset *out);
void dataset_unload(dataset *d);

/* The fingerprint of everything that was read. */
uint64_t dataset_sum(const dataset *d);

/* ORCA, SKORDINAL: the files of a partition, those of the test rows with the coding of the others. order: of the
 * classes; NULL: labels are targets. */
rung_status dataset_read_parts(rung_ctx *ctx, const plan_dataset *d, int64_t index, const char *order,
                               rung_data **train, rung_data **test);

#endif
