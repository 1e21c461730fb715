// SPDX-License-Identifier: BSD-3-Clause
/* Effects along columns and over a pair, from the report of rung_effects_run: as text, CSV and a figure. */
#ifndef RUNG_CLI_EXPLAIN_EFFECTS_H
#define RUNG_CLI_EXPLAIN_EFFECTS_H

#include "json_out.h"
#include "plot/figure.h"

void effects_text(FILE *file, const json_t *report);
void effects_csv(FILE *file, const json_t *report);
/* Draws it to a file; false: it could not be written. */
bool effects_write(const json_t *report, const char *title, const char *answer, const char *path);

#endif
