// SPDX-License-Identifier: BSD-3-Clause
/* One grader at work: which row each browser shows, which comes next, and what is done with it. */
#ifndef RUNG_CLI_LABEL_DESK_H
#define RUNG_CLI_LABEL_DESK_H

#include <pthread.h>

#include "label/journal.h"
#include "label/refit.h"

enum { DESK_CLIENTS = 16 };

typedef struct {
    unsigned id; /* of the browser; 0: this place is free */
    int64_t row; /* that it shows; -1: none */
    how_chosen how;
    bool again;   /* the grader has graded it before, and is not told */
    double asked; /* when it last asked for something */
} client;

typedef struct {
    journal j;
    int me;         /* the grader */
    double overlap; /* the share of rows that others have graded, too */
    bool in_order;  /* rows come in the order of the file */
    client clients[DESK_CLIENTS];
    refit model;
    pthread_mutex_t lock; /* of everything here */
    rung_ctx *ctx;
} desk;

/* All of these under the lock. */
client *desk_client(desk *d, unsigned id);
void desk_next(desk *d, client *c); /* the row to show next, or -1 */
/* Each returns NULL, or a sentence that says what went wrong, to be freed. */
char *desk_grade(desk *d, client *c, int low, int high); /* the row it shows */
char *desk_skip(desk *d, client *c);
char *desk_undo(desk *d, client *c, bool *done); /* takes back the last thing it did and shows that row */
char *desk_reopen(desk *d);                      /* skipped rows are open again */
char *desk_settle(desk *d, int64_t row, int low, int high);

int64_t desk_count(const desk *d, did what); /* entries of this grader that still count */

#endif
