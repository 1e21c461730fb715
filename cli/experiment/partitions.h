// SPDX-License-Identifier: BSD-3-Clause
/* The data of an experiment: a data set with its classes, divided into training and test rows. */
#ifndef RUNG_CLI_EXPERIMENT_PARTITIONS_H
#define RUNG_CLI_EXPERIMENT_PARTITIONS_H

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
bool partitions_there(const plan_dataset *d);
/* How many partitions are to be run; 0: there are none, printed. The data themselves are not read. */
int64_t partitions_count(const plan_dataset *d);

/* EXIT_OK or an exit code. Release it in both cases. */
int plan_data_open(session *s, const plan_dataset *d, dataset *out);
void plan_data_close(dataset *d);

typedef struct { /* one partition */
    rung_data *train, *test;
    int64_t n_train, n_test;   /* of a transductive partition the test rows are also in train, after the others */
    const int *test_rank;      /* the true ranks of the test rows */
    const double *test_target; /* real targets: instead of them */
    int *train_rank;           /* the same of the training rows, hidden ones too */
    double *train_target;
    int64_t *train_rows, *test_rows; /* in the data set, or in the files of the partition */
} partition;

/* In the context of a worker. */
rung_status partition_open(rung_ctx *ctx, const dataset *d, int64_t index, partition *out);
void partition_close(partition *p);

/* ORCA, SKORDINAL: the file "train" or "test" of a partition. */
rung_status partition_read(rung_ctx *ctx, const plan_dataset *d, const char *which, int64_t index, rung_table **out);

enum { SEED_FIT, SEED_TEST, SEED_LABELS };
uint64_t partition_seed(const plan_dataset *d, int64_t index, int purpose);

#endif
