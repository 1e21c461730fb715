// SPDX-License-Identifier: BSD-3-Clause
/* Why a row gets its answer: as text, CSV, JSON and a figure. */
#ifndef RUNG_CLI_EXPLAIN_ROW_H
#define RUNG_CLI_EXPLAIN_ROW_H

#include "core/json_out.h"
#include "plot/figure.h"

void row_text(FILE *file, const rung_model *model, const rung_row *found);
void row_csv(FILE *file, const rung_row *found);
json_t *row_json(const rung_model *model, const rung_row *found);
bool row_write(const rung_model *model, const rung_row *found, const char *title, const char *path);

#endif
