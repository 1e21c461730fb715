// SPDX-License-Identifier: BSD-3-Clause
#include "label/desk.h"

#include <string.h>

#include "label/grades.h"

enum {
    EVERY = 20,    /* one row in this many is one that was graded before */
    SETTLING = 10, /* but not among the last few, of this number */
    AWAY = 600     /* seconds after which a browser's row is given to another */
};

/* A new browser takes the place of the one that was silent longest. */
client *desk_client(desk *d, unsigned id)
{
    client *place = d->clients, *end = d->clients + DESK_CLIENTS;
    for (client *c = d->clients; c < end && place->id != id; c++)
        if (c->id == id || c->asked < place->asked) place = c;
    if (place->id != id) *place = (client){.id = id, .row = -1};
    place->asked = seconds_now();
    return place;
}

int64_t desk_count(const desk *d, did what)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->j.n; i++)
        count += d->j.entry[i].what == what && d->j.entry[i].grader == d->me && !d->j.entry[i].undone;
    return count;
}

/* ---- which row is next ---- */

static bool shown_elsewhere(const desk *d, const client *own, int64_t row)
{
    double now = seconds_now();
    for (const client *c = d->clients; c < d->clients + DESK_CLIENTS; c++)
        if (c != own && c->id && c->row == row && now - c->asked < AWAY) return true;
    return false;
}

static bool seen_again(const desk *d, int64_t row)
{
    for (int64_t i = d->j.last[row]; i >= 0; i = d->j.entry[i].before)
        if (d->j.entry[i].what == DID_AGAIN && d->j.entry[i].grader == d->me && !d->j.entry[i].undone) return true;
    return false;
}

/* One of the rows graded before the last few, spread over them without a pattern; -1: there is none. */
static int64_t row_again(const desk *d, const client *own, int64_t graded)
{
    int64_t before = graded - SETTLING, candidates = 0, found = -1, at = 0;
    uint64_t draw = ((uint64_t)graded * 0x9e3779b97f4a7c15) >> 33;
    for (int pass = 0; pass < 2; pass++) {
        int64_t place = 0;
        for (int64_t i = 0; i < d->j.n && place < before; i++) {
            const journal_entry *e = &d->j.entry[i];
            if (e->what != DID_GRADE || e->undone || e->grader != d->me) continue;
            place++;
            if (grade_by(&d->j, d->me, e->row).state != GRADED || seen_again(d, e->row) ||
                shown_elsewhere(d, own, e->row))
                continue;
            if (pass == 0)
                candidates++;
            else if (at++ == (int64_t)(draw % (uint64_t)candidates))
                found = e->row;
        }
        if (candidates == 0) return -1;
    }
    return found;
}

static bool is_open(const desk *d, int64_t row) { return grade_by(&d->j, d->me, row).state == OPEN; }

static bool is_candidate(const desk *d, const client *own, int64_t row, bool by_others)
{
    return is_open(d, row) && !d->j.of->given[row] && graded_by_others(&d->j, d->me, row) == by_others &&
           !shown_elsewhere(d, own, row);
}

/* The place of a row in an order without a pattern. */
static uint64_t shuffled(uint64_t row)
{
    row = (row + 1) * 0x9e3779b97f4a7c15;
    row = (row ^ (row >> 30)) * 0xbf58476d1ce4e5b9;
    return row ^ (row >> 31);
}

/* The first in the order of the file, or one drawn at random. */
static int64_t row_open(const desk *d, const client *own, bool by_others, bool in_order)
{
    int64_t found = -1;
    for (int64_t row = 0; row < d->j.of->rows && !(in_order && found >= 0); row++)
        if (is_candidate(d, own, row, by_others) && (found < 0 || shuffled((uint64_t)row) < shuffled((uint64_t)found)))
            found = row;
    return found;
}

/* The best of the suggested rows; where there is none yet, one at random. */
static void show_new(const desk *d, client *c)
{
    c->how = HOW_OTHER;
    for (int64_t i = 0; !d->in_order && i < d->model.n_queue; i++) {
        const queued *q = &d->model.queue[i];
        if (!is_candidate(d, c, q->row, false)) continue;
        c->row = q->row;
        c->how = q->random ? HOW_RANDOM : HOW_CHOSEN;
        return;
    }
    c->row = row_open(d, c, false, d->in_order);
    if (!d->in_order) c->how = HOW_RANDOM;
}

static int64_t graded_twice(const desk *d)
{
    int64_t count = 0;
    for (int64_t i = 0; i < d->j.n; i++) {
        const journal_entry *e = &d->j.entry[i];
        count += e->what == DID_GRADE && e->grader == d->me && !e->undone && graded_by_others(&d->j, d->me, e->row);
    }
    return count;
}

void desk_next(desk *d, client *c)
{
    int64_t graded = desk_count(d, DID_GRADE), again = desk_count(d, DID_AGAIN);
    if (c->row >= 0 && (c->again || (is_open(d, c->row) && !shown_elsewhere(d, c, c->row)))) return;
    c->row = -1;
    c->again = graded >= (EVERY - 1) * (again + 1);
    if (c->again) c->row = row_again(d, c, graded);
    if (c->row >= 0) return;
    c->again = false;
    c->how = HOW_OTHER;
    if ((double)graded_twice(d) < d->overlap * (double)(graded + 1)) c->row = row_open(d, c, true, true);
    if (c->row < 0) show_new(d, c);
    if (c->row < 0 && d->overlap > 0) c->row = row_open(d, c, true, true);
}

/* ---- what is done with it ---- */

static char *add(desk *d, const client *c, did what, int64_t row, int low, int high)
{
    journal_entry e = {.what = what, .row = row, .low = low, .high = high, .grader = d->me, .client = c ? c->id : 0};
    if (what == DID_GRADE) e.how = c->how;
    char *wrong = journal_add(&d->j, &e);
    if (!wrong) refit_changed(&d->model);
    return wrong;
}

char *desk_grade(desk *d, client *c, int low, int high)
{
    char *wrong = add(d, c, c->again ? DID_AGAIN : DID_GRADE, c->row, low, high);
    if (!wrong) c->row = -1;
    return wrong;
}

char *desk_skip(desk *d, client *c)
{
    /* A row that came again simply goes: it has its grade. */
    char *wrong = c->again ? NULL : add(d, c, DID_SKIP, c->row, 0, 0);
    if (!wrong) c->row = -1;
    return wrong;
}

/* The last entry of this browser that an undo would take back; if it has none, the last one that came from no other
 * that is open. */
static int64_t last_done(const desk *d, const client *own)
{
    int64_t found = -1;
    for (int64_t i = d->j.n - 1; i >= 0; i--) {
        const journal_entry *e = &d->j.entry[i];
        if (e->grader != d->me || journal_last(&d->j, d->me, e->row) != i) continue;
        if (e->client == own->id) return i;
        bool elsewhere = false;
        for (const client *c = d->clients; c < d->clients + DESK_CLIENTS; c++)
            elsewhere |= c->id && c->id == e->client && seconds_now() - c->asked < AWAY;
        if (!elsewhere && found < 0) found = i;
    }
    return found;
}

char *desk_undo(desk *d, client *c, bool *done)
{
    int64_t i = last_done(d, c);
    *done = i >= 0;
    if (i < 0) return NULL;
    journal_entry e = d->j.entry[i];
    char *wrong = add(d, c, DID_UNDO, e.row, 0, 0);
    if (wrong) return wrong;
    c->row = e.row;
    c->again = e.what == DID_AGAIN;
    c->how = e.how;
    return NULL;
}

char *desk_reopen(desk *d)
{
    for (int64_t row = 0; row < d->j.of->rows; row++) {
        if (d->j.last[row] < 0 || grade_by(&d->j, d->me, row).state != SKIPPED) continue;
        char *wrong = add(d, NULL, DID_UNDO, row, 0, 0);
        if (wrong) return wrong;
    }
    return NULL;
}

char *desk_settle(desk *d, int64_t row, int low, int high) { return add(d, NULL, DID_SETTLE, row, low, high); }
