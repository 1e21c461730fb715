// SPDX-License-Identifier: BSD-3-Clause
/* How a cell ended as bytes, from one process to another that runs the same program. */
#ifndef RUNG_CLI_EXPERIMENT_PARCEL_H
#define RUNG_CLI_EXPERIMENT_PARCEL_H

#include "experiment/workers.h"

char *parcel_make(const cell_end *end, int64_t *n); /* to be freed */
void parcel_open(const char *bytes, cell_end *out);

#endif
