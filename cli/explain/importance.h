// SPDX-License-Identifier: BSD-3-Clause
/* The importance of columns, from the report of rung_importance_run: as text, CSV and a figure. */
#ifndef RUNG_CLI_EXPLAIN_IMPORTANCE_H
#define RUNG_CLI_EXPLAIN_IMPORTANCE_H

#include "core/json_out.h"
#include "plot/figure.h"

void importance_text(FILE *file, const json_t *report);
void importance_csv(FILE *file, const json_t *report);

typedef struct { /* a figure and what it points to */
    figure f;
    const char **name;
    double *mean, *low, *high;
    bool *joint;
    char *note, *detail;
} importance_drawing;
/* most: columns to show at most; 0: all of them. */
void importance_draw(const json_t *report, const char *title, int most, importance_drawing *out);
void importance_free(importance_drawing *d);

/* The names of the most important columns that matter, at most so many, and a NULL behind them, which need room.
 * Returns how many. They belong to the report. */
int importance_leading(const json_t *report, int most, const char **out);

/* A sentence: what the rows were, and a warning where the model was fitted to them; to be freed. */
char *importance_rows(const json_t *report);

#endif
