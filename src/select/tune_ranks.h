// SPDX-License-Identifier: BSD-3-Clause
/* The points of a search over processes (base/comm.h). */
#ifndef RUNG_SELECT_TUNE_RANKS_H
#define RUNG_SELECT_TUNE_RANKS_H

#include "select/tune.h"

/* The results of all points from the processes that have them; own[i]: this one has point i. Each has one owner. */
rung_status tune_exchange(rung_ctx *ctx, search *s, const bool *own);

#endif
