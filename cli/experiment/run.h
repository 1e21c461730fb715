// SPDX-License-Identifier: BSD-3-Clause
/* rung experiment run FILE.ini: runs the cells of a plan that are not done yet. */
#ifndef RUNG_CLI_EXPERIMENT_RUN_H
#define RUNG_CLI_EXPERIMENT_RUN_H

#include "core/common.h"

extern const option run_options[];
int experiment_run(session *s, const arguments *args);

#endif
