// SPDX-License-Identifier: BSD-3-Clause
/* The data of an experiment: a data set with its classes and the number of its partitions. */
#ifndef RUNG_CLI_EXPERIMENT_DATASET_H
#define RUNG_CLI_EXPERIMENT_DATASET_H

#include "experiment/plan.h"

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
    uint64_t fingerprint; /* of all numbers, and of the test rows */
} dataset;

/* Whether there are files of this kind. */
bool dataset_exists(const plan_dataset *d);
/* How many partitions are to be run; 0: there are none, printed. The data themselves are not read. */
int64_t dataset_partitions(const plan_dataset *d);

/* EXIT_OK or an exit code. Release it in both cases. */
int dataset_load(session *s, const plan_dataset *d, dataset *out);
void dataset_unload(dataset *d);

/* ORCA, SKORDINAL: the file "train" or "test" of a partition. */
rung_status dataset_read_part(rung_ctx *ctx, const plan_dataset *d, const char *which, int64_t index, rung_table **out);

#endif
