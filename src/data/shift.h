// SPDX-License-Identifier: BSD-3-Clause
/* Labelled rows that are no random choice: what is estimated from them may not hold for the others. */
#ifndef RUNG_DATA_SHIFT_H
#define RUNG_DATA_SHIFT_H

#include "data/dataset.h"

/* A warning in the log where some column of the labelled rows differs from that of the unlabelled ones beyond chance:
 * rank-sum tests of the columns with Bonferroni's correction. Few rows of either kind, or a difference too small to
 * matter: silence. */
rung_status shift_warn(rung_ctx *ctx, const rung_data *data);

#endif
