// SPDX-License-Identifier: BSD-3-Clause
/* Private to src/model. */
#ifndef RUNG_MODEL_NEAREST_H
#define RUNG_MODEL_NEAREST_H

#include "model/model.h"

/* The k <= m columns of rows (d x m) nearest to x, nearest first, and their squared distances. Of equally near ones
 * the lower numbers come first. */
void nearest_rows(int64_t d, const double *x, int64_t m, const double *rows, int64_t k, int64_t *row, double *distance);

#endif
