// SPDX-License-Identifier: BSD-3-Clause
/* Effects along columns and over a pair, from the report of rung_effects_run: as text, CSV and a figure. */
#ifndef RUNG_CLI_EXPLAIN_EFFECTS_H
#define RUNG_CLI_EXPLAIN_EFFECTS_H

#include "core/json_out.h"
#include "plot/figure.h"

/* most: points of a column of numbers at most; 0: all of them. */
void effects_text(FILE *file, const json_t *report, int most);
void effects_csv(FILE *file, const json_t *report);

typedef struct { /* a figure and what it points to */
    figure f;
    size_t panels, classes, across, down;
    effect_panel *panel;
    const char **name, **x, **y;
    double *value;
    char *note;
} effects_drawing;
/* answer: what the model answers, "expected rank". */
void effects_drawing_new(const json_t *report, const char *title, const char *answer, effects_drawing *out);
void effects_drawing_free(effects_drawing *d);

/* Draws it to a file; false: it could not be written. */
bool effects_write(const json_t *report, const char *title, const char *answer, const char *path);

#endif
