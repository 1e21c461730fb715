// SPDX-License-Identifier: BSD-3-Clause
/* One partition of a data set: its training and test rows. */
#ifndef RUNG_CLI_EXPERIMENT_PARTITIONS_H
#define RUNG_CLI_EXPERIMENT_PARTITIONS_H

#include "experiment/plan/dataset.h"

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

enum { SEED_FIT, SEED_TEST, SEED_LABELS };
uint64_t partition_seed(const plan_dataset *d, int64_t index, int purpose);

#endif
