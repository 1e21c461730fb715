// SPDX-License-Identifier: BSD-3-Clause
/* Suspicious feature columns: identifiers, numbers that were read as text. */
#ifndef RUNG_DATA_SUSPECT_H
#define RUNG_DATA_SUSPECT_H

#include "data/table.h"

/* columns: positions of the feature columns. Columns with too many distinct texts are an error that names all of them
 * and what to do; merely odd columns are a warning in the log. */
rung_status suspect_columns(rung_ctx *ctx, const rung_table *t, int64_t n, const int64_t *columns);

#endif
