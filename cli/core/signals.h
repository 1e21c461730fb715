// SPDX-License-Identifier: BSD-3-Clause
/* Ctrl-C, a closed terminal, kill: the work stops, its unfinished files are removed, and the process dies by the
 * signal, as shells expect. */
#ifndef RUNG_CLI_SIGNALS_H
#define RUNG_CLI_SIGNALS_H

#include <stdbool.h>

#include "rung/experimental.h"

/* From now on SIGINT, SIGTERM and SIGHUP interrupt the work of ctx; the second of them, or ten seconds, kill. Those the
 * caller ignores (a job in the background of a script, nohup) stay ignored. Returns the context watched before. */
rung_ctx *signals_watch(rung_ctx *ctx);
void signals_unwatch(rung_ctx *before);

bool session_interrupted(void); /* one has arrived */
int signals_finish(int code);   /* at the end of main: dies by the one that arrived, otherwise returns the code */

/* A file to remove if the process dies early; unregistered once it is renamed or removed. */
void signals_guard(const char *temporary);
void signals_forget(const char *temporary);

#endif
