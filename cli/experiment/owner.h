// SPDX-License-Identifier: BSD-3-Clause
/* Who holds a claim: a process, named so that others can tell whether it still lives. */
#ifndef RUNG_CLI_EXPERIMENT_OWNER_H
#define RUNG_CLI_EXPERIMENT_OWNER_H

#include <stdbool.h>

char *owner_here(void); /* "host:namespace:pid:start"; to be freed */

/* True where the owner was a process of this machine and is gone: no need to wait for its heartbeat. A process of
 * another machine, or one whose name cannot be read, is never said to be gone. */
bool owner_gone(const char *owner);

#endif
