// SPDX-License-Identifier: BSD-3-Clause
/* Several processes that mpirun or srun started as one job. All of them run the same command; number 0 leads: it alone
 * prints and writes. MPI is initialised only where a launcher has set its environment, so that a rung started by hand
 * neither waits for it nor hears of it. This folder alone knows MPI; without it (RUNG_MPI) there is one process.
 *
 * They fail together. Every exchange begins with the question whether somebody has failed, and so does the end of the
 * program; then all stop, and the leader prints the message of the lowest number that failed. One that has failed
 * waits some seconds for the others. If they are busy, it prints its message itself and ends the job. */
#ifndef RUNG_CLI_PROCESSES_PROCESSES_H
#define RUNG_CLI_PROCESSES_PROCESSES_H

#include <stdbool.h>

#include "rung/experimental.h"

/* At the start of main; false, printed: the processes cannot work together. */
bool processes_begin(void);
/* At its end, after all output: the exit code of the job. */
int processes_end(int code);

const char *processes_library(void);   /* the name of the MPI; empty: built without */
bool processes_launched(void);         /* by mpirun or srun, be it with one process */
int processes_all(void);               /* 1: this process works alone */
bool processes_own(int64_t task);      /* whether a task, of those numbered from 0, is that of this process */
bool processes_lead(void);             /* this is number 0, or there are no others */
const rung_comm *processes_comm(void); /* NULL: alone */
int processes_threads(void);           /* of this process, so that those of one machine share its cores; 0: alone */
void processes_show(void);             /* processes_end shall print what every process has exchanged */

/* A message that is about to be printed; true: the leader prints it, later and once. */
bool processes_keep(const char *text);

/* The bytes of the leader reach all. Every process calls it; false: one has failed. */
bool processes_share(void *bytes, int64_t n);

/* ---- from one to another; any thread may call these ---- */

/* False, printed: failure. */
bool processes_send(int to, int tag, const void *bytes, int64_t n);
/* One message that has arrived; from, tag: -1 for any, then those of the message. The bytes are to be freed; NULL:
 * there is none. */
char *processes_receive(int *from, int *tag, int64_t *n);

#endif
