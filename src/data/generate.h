// SPDX-License-Identifier: BSD-3-Clause
/* Data sets by formula. */
#ifndef RUNG_DATA_GENERATE_H
#define RUNG_DATA_GENERATE_H

#include "data/dataset.h"

rung_status generate(rung_ctx *ctx, const char *name, int64_t rows, rung_data **out);

#endif
