// SPDX-License-Identifier: BSD-3-Clause
/* The importance of columns: as text, CSV, JSON and a figure. */
#ifndef RUNG_CLI_EXPLAIN_IMPORTANCE_H
#define RUNG_CLI_EXPLAIN_IMPORTANCE_H

#include "core/common.h"
#include "core/json_out.h"
#include "plot/figure.h"

void importance_text(FILE *file, const rung_importance *found);
void importance_csv(FILE *file, const rung_importance *found);
json_t *importance_json(const rung_importance *found);

typedef struct { /* a figure and what it points to */
    figure f;
    const char **name;
    double *mean, *low, *high;
    bool *joint;
    char *note, *detail;
} importance_drawing;
/* most: columns to show at most; 0: all of them. */
void importance_draw(const rung_importance *found, const char *title, int most, importance_drawing *out);
void importance_free(importance_drawing *d);

/* The names of the most important columns that matter, at most so many, and a NULL behind them, which need room.
 * Returns how many. They belong to the explanation. */
int importance_leading(const rung_importance *found, int most, const char **out);

/* A sentence: what the rows were, and a warning where the model was fitted to them; to be freed. */
char *importance_rows(const rung_importance *found);

#endif
