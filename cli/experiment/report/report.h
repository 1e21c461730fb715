// SPDX-License-Identifier: BSD-3-Clause
/* rung experiment report DB: what an experiment found, as text, CSV, LaTeX, a page, or in ORCA's folders. */
#ifndef RUNG_CLI_REPORT_REPORT_H
#define RUNG_CLI_REPORT_REPORT_H

#include <stdio.h>

#include "core/common.h"
#include "experiment/report/comparison.h"

extern const option report_options[];
int experiment_report(session *s, const arguments *args);

/* ---- its steps, for who makes something else of the same numbers ---- */

typedef struct {
    const char *metric, *part, *format, *table;
    bool larger_better;
    double alpha;
} report_choices;
int report_read_choices(session *s, const arguments *args, report_choices *out); /* EXIT_OK or an exit code */
/* Opens the file and reads its results, of the plan's metric where none was asked for; both belong to the caller, also
 * on failure. */
int report_read(session *s, const arguments *args, const char *path, report_choices *choices, store *db, results *r);

/* One writer per format. */
void report_text(FILE *file, const comparison *c);
void report_latex(FILE *file, const comparison *c);
void report_csv_means(FILE *file, const comparison *c);
void report_csv_cells(FILE *file, const comparison *c);
void report_csv_tests(FILE *file, const comparison *c);
void report_json(const comparison *c); /* standard output */
void report_html(FILE *file, store *db, const comparison *c, const arguments *args);
/* Makes the folder and fills it; EXIT_OK or an exit code, told. */
int report_orca(session *s, store *db, const results *r, const char *folder);

/* ---- what they share ---- */

/* The rank of a method on a data set; NaN where it does not count. */
double report_rank(const comparison *c, int set, int method);
/* How many methods have a better mean on a data set; -1 where it does not count. Best: none has. */
int report_better(const comparison *c, int set, int method);
bool report_best(const comparison *c, int set, int method);
/* The mean over data sets that count; NaN: none. */
double report_average(const comparison *c, int method);
int report_wins(const comparison *c, int method); /* data sets where it is best, shared or not */

#endif
