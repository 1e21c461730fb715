// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "core/signals.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 16, NO_PLACE = MOST_FILES, PATIENCE = 10 }; /* seconds allowed for the work to stop */

static volatile sig_atomic_t arrived; /* the number of the signal; 0: none */
static rung_ctx *volatile watched;
static const char *volatile guarded[MOST_FILES];

static void remove_unfinished(void) /* safe in a signal handler */
{
    for (int i = 0; i < MOST_FILES; i++)
        if (guarded[i]) unlink(guarded[i]);
}

static void die_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* The second signal, or work that does not stop. */
static void on_end(int number)
{
    remove_unfinished();
    die_by(number == SIGALRM ? arrived : number); /* not before the handler returns: its own signal is blocked */
}

/* Every later call of the library stops as well. */
static void on_signal(int number)
{
    if (arrived) {
        on_end(number);
        return;
    }
    arrived = number;
    signal(SIGALRM, on_end);
    alarm(PATIENCE);
    if (watched) rung_ctx_interrupt(watched);
}

rung_ctx *signals_watch(rung_ctx *ctx)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal}, before;
    rung_ctx *outer = watched;
    watched = ctx;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    return outer;
}

void signals_unwatch(rung_ctx *before) { watched = before; }

bool session_interrupted(void) { return arrived != 0; }

int signals_finish(int code)
{
    if (arrived) die_by(arrived);
    return code;
}

static int place_of(const char *file)
{
    int i = 0;
    while (i < MOST_FILES && guarded[i] != file) i++;
    return i;
}

void signals_guard(const char *temporary)
{
    static bool ready;
    if (!ready) ready = atexit(remove_unfinished) == 0; /* memory that runs out ends the process in exit() */
    int free_place = place_of(NULL);
    if (free_place != NO_PLACE) guarded[free_place] = temporary;
}

void signals_forget(const char *temporary)
{
    int place = place_of(temporary);
    if (place != NO_PLACE) guarded[place] = NULL;
}
