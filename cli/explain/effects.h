// SPDX-License-Identifier: BSD-3-Clause
/* Effects along columns and over a pair: as text, CSV, JSON and a figure. */
#ifndef RUNG_CLI_EXPLAIN_EFFECTS_H
#define RUNG_CLI_EXPLAIN_EFFECTS_H

#include "core/common.h"
#include "core/json_out.h"
#include "plot/figure.h"

/* most: points of a column of numbers at most; 0: all of them. */
void effects_text(FILE *file, const rung_effects *found, int most);
void effects_csv(FILE *file, const rung_model *model, const rung_effects *found);
json_t *effects_json(const rung_model *model, const rung_effects *found);

typedef struct { /* a figure and what it points to */
    figure f;
    size_t panels, across, down;
    effect_panel *panel;
    const char **name, **x, **y;
    char *note;
} effects_drawing;
/* title: NULL: what is shown. */
void effects_drawing_new(const rung_model *model, const rung_effects *found, const char *title, effects_drawing *out);
void effects_drawing_free(effects_drawing *d);

/* Draws it to a file; false: it could not be written. */
bool effects_write(const rung_model *model, const rung_effects *found, const char *title, const char *path);

#endif
