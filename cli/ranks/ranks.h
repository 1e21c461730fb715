// SPDX-License-Identifier: BSD-3-Clause
/* Several processes, the ranks, that mpirun or srun started as one job. All of them run the same command; rank 0 leads:
 * it alone prints and writes. MPI is initialised only where a launcher has set its environment, so that a rung started
 * by hand neither waits for it nor hears of it. This folder alone knows MPI; without it (RUNG_MPI) there is one rank.
 *
 * Ranks fail together. Every exchange begins with the question whether somebody has failed, and so does the end of the
 * program; then all stop, and the leader prints the message of the lowest rank that failed. A rank that has failed
 * waits some seconds for the others. If they are busy, it prints its message itself and ends the job. */
#ifndef RUNG_CLI_RANKS_RANKS_H
#define RUNG_CLI_RANKS_RANKS_H

#include <stdbool.h>

#include "rung/experimental.h"

/* At the start of main; false, printed: the processes cannot work together. */
bool ranks_begin(void);
/* At its end, after all output: the exit code of the job. */
int ranks_end(int code);

const char *ranks_library(void);   /* the name of the MPI; empty: built without */
bool ranks_launched(void);         /* by mpirun or srun, be it with one process */
int ranks_all(void);               /* 1: this process works alone */
bool ranks_own(int64_t task);      /* whether a task, of those numbered from 0, is that of this rank */
bool ranks_lead(void);             /* this is rank 0, or there are no others */
const rung_comm *ranks_comm(void); /* NULL: alone */
int ranks_threads(void);           /* of this rank, so that those of one machine share its cores; 0: alone */
void ranks_show(void);             /* ranks_end shall print what every rank has exchanged */

/* A message that is about to be printed; true: the leader prints it, later and once. */
bool ranks_keep(const char *text);

/* The bytes of the leader reach all. Every rank calls it; false: one has failed. */
bool ranks_share(void *bytes, int64_t n);

/* ---- from rank to rank; any thread may call these ---- */

/* False, printed: failure. */
bool ranks_send(int to, int tag, const void *bytes, int64_t n);
/* One message that has arrived; from, tag: -1 for any, then those of the message. The bytes are to be freed; NULL:
 * there is none. */
char *ranks_receive(int *from, int *tag, int64_t *n);

#endif
