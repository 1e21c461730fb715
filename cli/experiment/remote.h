// SPDX-License-Identifier: BSD-3-Clause
/* Cells over processes (processes/processes.h). The leader alone opens the database. The workers of others ask it for
 * a cell, and send back how the cell ended; a process whose workers have all ended says so. */
#ifndef RUNG_CLI_EXPERIMENT_REMOTE_H
#define RUNG_CLI_EXPERIMENT_REMOTE_H

#include "experiment/workers.h"

/* On the leader: answers the messages that have arrived. False: a rank still works. */
bool remote_serve(runner *r);

/* On the others; slot: the number of the worker. */
cell_claim remote_claim(int slot, job_place *out);
bool remote_finish(int slot, const cell_end *end);
bool remote_leave(void);

#endif
