// SPDX-License-Identifier: BSD-3-Clause
/* The holder of a claim: a process, identified so that others can check whether it still exists. */
#ifndef RUNG_CLI_EXPERIMENT_OWNER_H
#define RUNG_CLI_EXPERIMENT_OWNER_H

#include <stdbool.h>

char *owner_here(void); /* "host:namespace:pid:start"; to be freed */

/* True if the owner was a process of this machine and no longer exists: no need to wait for its heartbeat. False for a
 * process of another machine, or one whose name cannot be read. */
bool owner_gone(const char *owner);

#endif
