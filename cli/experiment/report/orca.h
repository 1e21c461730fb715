// SPDX-License-Identifier: BSD-3-Clause
/* What the files share that write an experiment in ORCA's folders (report_orca.c): FOLDER/exp-<method>-<set>-<j>.ini,
 * FOLDER/Results/<set>-<method>/. */
#ifndef RUNG_CLI_REPORT_ORCA_H
#define RUNG_CLI_REPORT_ORCA_H

#include "core/output.h"
#include "experiment/report/report.h"

enum { ORCA_COLUMNS = 9, ORCA_TIMES = 3, ORCA_PARTS = 2 };

typedef struct {
    const char *name, *key;
    double factor;
} orca_column;
extern const orca_column orca_columns[ORCA_COLUMNS]; /* the metrics, as ORCA prints them */
extern const char *const orca_times[ORCA_TIMES];     /* the columns after them */
extern const char *const orca_parts[ORCA_PARTS][2];  /* ORCA's word, ours: train, test */

typedef struct {
    session *session;
    store *db;
    const results *r;
    const char *root; /* FOLDER */
    char *results;    /* FOLDER/Results */
    output means[ORCA_PARTS], sums[ORCA_PARTS];
    char **all_params; /* searched by any method; ends with NULL */
    /* of one data set and method */
    const results_set *set;
    const results_method *method;
    const results_entry *entry;
    char *name, *folder; /* <set>-<method>, FOLDER/Results/<set>-<method> */
    char **params;       /* searched by this method; ends with NULL */
    int n_params;
    double *table; /* [part][partition][column]: metrics, times, parameters; NaN: not done */
} orca_export;

bool orca_done(const orca_export *x, int place); /* whether the cell of this partition is */
int orca_width(const orca_export *x);
double *orca_row(const orca_export *x, int part, int place);
/* Opens <folder>/<kind><name><end>, where slashes in the name (of a data set) become one step of a path. */
bool orca_open(output *o, const char *folder, const char *kind, const char *name, const char *end);
char *orca_step(const char *name); /* such a name; to be freed */

bool orca_write_plan(orca_export *x, int place); /* the .ini file of one partition */
bool orca_write_cell(orca_export *x, int place); /* all other files of one partition; fills its rows of the table */
bool orca_write_sums(orca_export *x, int part);  /* confusion matrices, and the metrics of their sum */

#endif
