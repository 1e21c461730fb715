// SPDX-License-Identifier: BSD-3-Clause
/* Common to every command: a session with the global options, messages, progress, Ctrl-C, exit codes. */
#ifndef RUNG_CLI_COMMON_H
#define RUNG_CLI_COMMON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/options.h"
#include "rung/experimental.h"

enum { EXIT_OK = 0, FAILED = 1, USAGE = 2 }; /* exit codes */

typedef struct {
    rung_ctx *ctx;
    rung_ctx *outer; /* of the session this one runs inside, or NULL */
    const char *command;
    const arguments *args;
    bool json, quiet, verbose;
    uint64_t seed;
    int threads;       /* 0: all cores */
    int64_t memory;    /* 0: no limit */
    const char *stage; /* the stage whose progress is shown if others repeat within it; NULL: all */
    const char *shown; /* the name that stage is shown under; NULL: its own */
    int warnings;      /* told so far ... */
    char last[512];    /* ... and the last of them: files are opened more than once */
    struct {           /* the progress bar */
        char stage[64];
        double started; /* seconds */
        double shown;   /* when it was last drawn */
        int tenth;      /* last plain line, in tenths */
        bool drawn;
    } bar;
} session;

extern const option global_options[];

int session_open(session *s, const char *command, const arguments *args); /* EXIT_OK, or an exit code */
void session_close(session *s);
/* Gives a context the seed, and its share of the limit of --memory, one of `shares`. */
void session_settle(const session *s, rung_ctx *ctx, int shares);

/* After a call of the library: EXIT_OK, or prints the message and returns the exit code. */
int session_check(session *s, rung_status status);
#define CHECK(s, call)                                                                                                 \
    do {                                                                                                               \
        int check_code_ = session_check(s, call);                                                                      \
        if (check_code_ != EXIT_OK) return check_code_;                                                                \
    } while (0)

/* The progress of the library: a bar with an estimate on a terminal, plain lines with -v otherwise. */
void session_progress(session *s, const char *stage, double done);
void session_counters(session *s); /* -v: the work done, operation by operation */

/* `rung: ...` on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void make_printable(char *text); /* control characters, which could drive a terminal, as ? */
/* fprintf for people: names of files, classes and methods are untrusted, so the text is made printable. */
void say(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Zeroed memory; prints and exits when there is none. */
void *allocate(size_t count, size_t size);
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));              /* to be freed */
void text_add(char **text, const char *format, ...) __attribute__((format(printf, 2, 3))); /* behind what is there */
char *text_of_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

bool ends_with(const char *text, const char *end); /* and does not consist of it */
bool parse_whole(const char *text, long long low, long long high, long long *out);
bool parse_double(const char *text, double *out); /* finite */
double seconds_now(void);
const char *plural(int64_t n);                     /* the ending of a noun after this number: "s", or "" after 1 */
int compare_numbers(const void *a, const void *b); /* doubles, ascending, for qsort */
#endif
