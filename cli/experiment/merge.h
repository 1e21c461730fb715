// SPDX-License-Identifier: BSD-3-Clause
/* rung experiment merge DB... -o DB: the cells of several files in one. */
#ifndef RUNG_CLI_EXPERIMENT_MERGE_H
#define RUNG_CLI_EXPERIMENT_MERGE_H

#include "core/common.h"

extern const option merge_options[];
int experiment_merge(session *s, const arguments *args);

#endif
