// SPDX-License-Identifier: BSD-3-Clause
/* The results of an experiment in memory, for one metric on one part of the rows: a table of data sets and methods. */
#ifndef RUNG_CLI_REPORT_RESULTS_H
#define RUNG_CLI_REPORT_RESULTS_H

#include "experiment/report/outside.h"
#include "experiment/store.h"

typedef struct {
    int64_t id;
    char *name;
    long long rows, features;   /* -1: the data were not read yet */
    int classes;                /* 0: real targets; -1: not read yet */
    char **class_name;          /* classes of them; NULL: none */
    int partitions, *partition; /* their numbers, in order */
} results_set;

typedef struct {
    int64_t id;          /* below 0: of another program */
    char *name, *method; /* as the plan calls it, as rung does; "" of another program */
} results_method;

/* One method on one data set. Arrays go by the places of the set's partitions. */
typedef struct {
    int planned, done, failed;
    double *value;               /* NaN: not done, or the metric is undefined there */
    int64_t *cell;               /* 0: not planned; below 0: of another program */
    int values;                  /* that are not NaN */
    double mean, sd;             /* of them; NaN: none, fewer than two */
    double search, fit, seconds; /* mean seconds of the cells that are done: search, fit, all of it with prediction; NaN
                                  * of another program */
} results_entry;

typedef struct {
    const char *set, *method; /* of the results */
    char *message;
    int partition;
} results_failure;

typedef struct {
    char *name, *file, *plan; /* of the plan; "" where it has none */
    const char *metric, *part;
    bool larger_better;
    int sets, methods;
    results_set *set;
    results_method *method;
    results_entry *entry;        /* [set * methods + method] */
    int planned, done, failures; /* of the experiment itself */
    int64_t joined, strangers;   /* results of other programs; those for partitions that the experiment does not have */
    results_failure *failure;
} results;

/* Only the methods of the list "a,b" (NULL: all), in its order. more: results of other programs, which join as further
 * methods. Failures are printed; false then. Released by results_free, also after a failure. */
bool results_read(store *s, const char *metric, const char *part, const char *methods, const outside *more,
                  results *out);
void results_free(results *r);

const results_entry *results_at(const results *r, int set, int method);

#endif
