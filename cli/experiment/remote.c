// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/remote.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/parcel.h"
#include "processes/processes.h"

enum { LEAVE, FIRST_SLOT }; /* the tag of a message: a rank leaves, or the number of a worker */

typedef struct { /* the answer to an empty message of a worker, which asks for a cell */
    cell_claim claim;
    job_place place;
} answer;

/* ---- the leader ---- */

static void give_cell(runner *r, int rank, int tag)
{
    answer a = {.claim = cell_take(r, &a.place)};
    if (a.claim == CELL_FAILED) workers_break(r);
    if (!processes_send(rank, tag, &a, sizeof a)) workers_break(r);
}

static void take_end(runner *r, const char *bytes)
{
    cell_end end;
    parcel_open(bytes, &end);
    if (!cell_finish(r, &end)) workers_break(r);
    job_free(&end.result);
}

bool remote_serve(runner *r)
{
    for (int from = -1, tag = -1;; from = tag = -1) {
        int64_t n = 0;
        char *bytes = processes_receive(&from, &tag, &n);
        if (!bytes) break;
        if (tag == LEAVE)
            r->left++;
        else if (n == 0)
            give_cell(r, from, tag);
        else
            take_end(r, bytes);
        free(bytes);
    }
    return r->left == processes_all() - 1;
}

/* ---- the others ---- */

cell_claim remote_claim(int slot, job_place *out)
{
    char *bytes = NULL;
    answer a = {.claim = CELL_NONE};
    if (!processes_send(0, FIRST_SLOT + slot, NULL, 0)) return CELL_FAILED;
    while (!bytes) { /* the leader answers whatever happens, but for its death, of which this process dies as well */
        int from = 0, tag = FIRST_SLOT + slot;
        int64_t n = 0;
        bytes = processes_receive(&from, &tag, &n);
        if (!bytes) workers_rest(0.0005);
    }
    memcpy(&a, bytes, sizeof a);
    free(bytes);
    *out = a.place;
    return a.claim;
}

bool remote_finish(int slot, const cell_end *end)
{
    int64_t n;
    char *bytes = parcel_make(end, &n);
    bool good = processes_send(0, FIRST_SLOT + slot, bytes, n);
    free(bytes);
    return good;
}

bool remote_leave(void) { return processes_send(0, LEAVE, NULL, 0); }
