// SPDX-License-Identifier: BSD-3-Clause
/* Labelled rows that may be of one object although they are not equal, so that they are held out apart, and errors are
 * those of rows whose kin the model has seen. Only the caller knows, who can declare them as groups. */
#ifndef RUNG_DATA_KIN_H
#define RUNG_DATA_KIN_H

#include "data/dataset.h"

/* A warning in the log where no groups are declared and either
 * - the values of a nominal column come back in a few rows each, as those of an identifier of patients do, or
 * - groups of rows agree in all columns but for the last digits of numbers, or
 * - groups of rows agree in all columns but one,
 * these two far more often than by chance (the counts of together.c). Tables too large for a glance are passed over. */
rung_status kin_warn(rung_ctx *ctx, const rung_data *data);

#endif
