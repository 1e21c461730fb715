// SPDX-License-Identifier: BSD-3-Clause
/* Data sets by formula. */
#ifndef RUNG_DATA_GENERATE_H
#define RUNG_DATA_GENERATE_H

#include "data/dataset.h"

/* rows of the data set with this name. noise < 0: that of the formula; unlabelled: the share of the rows whose label is
 * hidden, stratified, at least one kept per class. With the same seed a shorter set consists of the first rows of a
 * longer one. */
rung_status generate(rung_ctx *ctx, const char *name, int64_t rows, double noise, double unlabelled, rung_data **out);

/* The name of a data set and what it is; NULL past the last. */
const char *generator_name(int index, const char **help);

#endif
