// SPDX-License-Identifier: BSD-3-Clause
/* Why a row gets its answer, from the report of rung_row_explain: as text, CSV and a figure. */
#ifndef RUNG_CLI_EXPLAIN_ROW_H
#define RUNG_CLI_EXPLAIN_ROW_H

#include "core/json_out.h"
#include "plot/figure.h"

void row_text(FILE *file, const json_t *report);
void row_csv(FILE *file, const json_t *report);
bool row_write(const json_t *report, const char *title, const char *answer, const char *path);

#endif
