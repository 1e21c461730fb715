// SPDX-License-Identifier: BSD-3-Clause
/* A plan: data sets, each with its partitions, and methods, each with its parameters and its search. Read from an .ini
 * file, in rung's own dialect or in ORCA's (docs/experiments.md). */
#ifndef RUNG_CLI_EXPERIMENT_PLAN_H
#define RUNG_CLI_EXPERIMENT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/common.h"
#include "experiment/plan/ini.h"

typedef struct { /* how many rows: one of these is set, or none: all */
    double share;
    int64_t rows, per_class;
} amount;

typedef enum { SPLITS, RANDOM, ORCA, SKORDINAL } partition_kind;

typedef struct {
    char *name;   /* in the results */
    char *source; /* its folder's name, and that of its files */
    char *folder; /* the path of its folder */
    char *file;   /* of the data, in its folder; NULL: <source>.csv or <source>.csv.gz */
    partition_kind kind;
    char *splits;       /* SPLITS: the file of test rows, in its folder */
    int64_t runs;       /* RANDOM: the number; else the maximum, 0 = all */
    amount test, train; /* RANDOM: one of them */
    amount labelled;    /* of the training rows */
    bool transductive;  /* the test rows are added to the training rows, without labels */
    char *label, *order, *ignore, *weights, *groups, *nominal, *numeric, *dates;
    char **ordinal;   /* "size=low<high"; ends with NULL; NULL: none */
    char *equal_rows; /* together, apart; NULL: auto */
    int bins;
    bool width, real;
    uint64_t seed;
    char *settings; /* all that changes a result, as text */
} plan_dataset;

typedef struct {
    char *name, *method;
    bool as_published;
    bool listed;           /* search the lists of the plan and nothing else */
    char **fixed, **grids; /* "ridge=0.1", "gamma=0.1,1,10"; each list ends with NULL */
    int folds, repeats;    /* 0: the default of rung_tune_run */
    char *metric, *scale;
    bool *on; /* which data sets of the plan */
    char *settings;
} plan_method;

typedef struct { /* what the command line says instead of the plan; NULL and 0: nothing */
    const uint64_t *seed;
    const char *folder;   /* of the data sets, seen from the current folder */
    const char *datasets; /* a comma list */
    int64_t runs;
} plan_changes;

typedef struct {
    ini file;
    plan_changes changes;
    char *name;
    char *metric; /* to report by default */
    int n_datasets, n_methods;
    plan_dataset *datasets;
    plan_method *methods;
    uint64_t seed;
} plan;

/* Errors are printed with their line; false then. Release the plan in both cases. */
bool plan_read(session *s, const char *path, const plan_changes *changes, plan *out);
void plan_free(plan *p);

/* Whether a method searches at all, or is simply fitted. */
bool plan_searches(const plan_method *m);

/* ORCA's name of a method, a parameter or a metric of rung; the same name if it has none. */
typedef enum { ORCA_ALGORITHM, ORCA_PARAMETER, ORCA_METRIC } orca_kind;
const char *plan_orca_word(orca_kind kind, const char *ours);

bool setting_is(const char *setting, const char *name); /* "gamma=1" is a setting of gamma */

/* ---- for the readers of the dialects ---- */

bool plan_read_own(session *s, plan *p);
bool plan_read_orca(session *s, plan *p);
plan_dataset *plan_add_dataset(plan *p, const char *name);
plan_method *plan_add_method(plan *p, const char *name);
bool plan_set_param(session *s, const plan *p, plan_method *m, const char *name, const char *values, int line);
/* A folder, seen from that of the .ini file; $NAME at its beginning is an environment variable. NULL without that
 * variable, printed with the line. */
char *plan_folder(const plan *p, const char *folder, int line);
/* The names of a comma list, ending with NULL; `all`: the folders of `folder` whose files are of this kind, in order.
 * splits: the name of a file of test rows, for SPLITS. */
char **plan_names(const char *list, const char *folder, partition_kind kind, const char *splits);
void names_free(char **names);

#endif
