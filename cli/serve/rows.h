// SPDX-License-Identifier: BSD-3-Clause
/* Rows in JSON as a table for a model. */
#ifndef RUNG_CLI_SERVE_ROWS_H
#define RUNG_CLI_SERVE_ROWS_H

#include <jansson.h>

#include "rung/experimental.h"

/* A row is an object with a value for every column of the model, null where it is missing, or the list of these values.
 * What else an object has is ignored. Returns NULL, or a sentence that says what is wrong, to be
 * freed. */
char *rows_table(rung_ctx *ctx, const rung_model *model, const json_t *rows, rung_table **out);

#endif
