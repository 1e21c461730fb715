// SPDX-License-Identifier: BSD-3-Clause
/* The context of a call: what the caller set, scratch memory, the last message, counters. */
#ifndef RUNG_BASE_CONTEXT_H
#define RUNG_BASE_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/pool.h"

enum { CONTEXT_COUNTERS = 32, CONTEXT_MESSAGE = 1024 };

typedef struct { /* one kind of linear algebra operation; linalg names the slots */
    int64_t calls;
    double flops, seconds;
} op_count;

/* The part of a longer piece of work that is being done. */
typedef struct {
    const char *stage; /* the name of the whole; NULL: there is none, reports go out as they are */
    double from, share;
} progress_part;

typedef struct {
    const char *name, *value;
} context_note;

typedef struct {         /* standard input once it is held, to be read more than once (read/held_input.h) */
    char *text;          /* all of it; NULL: */
    int file;            /* in this file, > 0; 0: it is not held */
    int64_t size, start; /* bytes; where it begins in the file */
} context_input;

struct rung_ctx {
    rung_allocator allocator; /* zeros: the system */
    pool scratch;             /* released when the public call returns */
    pool kept;                /* lives as long as the context */
    int n_notes;              /* how models are made with it */
    context_note *notes;
    uint64_t seed;
    int threads, wished; /* > 0; those that work now, and those the caller set */
    int64_t memory;      /* 0: no limit; see base/memory.h, also for */
    int64_t program, thread, held;
    rung_log_fn *log;
    void *log_user;
    rung_progress_fn *progress;
    void *progress_user;
    rung_comm comm; /* ranks 0: alone */
    context_input input;
    progress_part part;
    double reached; /* of the whole: progress never goes back */
    atomic_int interrupted;
    atomic_int *interrupted_by; /* workers read their parent's flag */
    op_count ops[CONTEXT_COUNTERS];
    char message[CONTEXT_MESSAGE], detail[CONTEXT_MESSAGE];
};

rung_status context_new(rung_ctx **out);
rung_status context_new_by(const rung_allocator *by, rung_ctx **out); /* NULL: the system */
void context_free(rung_ctx *ctx);

/* See rung_ctx_set_note. */
rung_status context_set_note(rung_ctx *ctx, const char *name, const char *value);

/* A worker's own context: same settings, one thread, its own scratch; it sees the parent's interrupt. */
rung_status context_worker(rung_ctx *parent, rung_ctx **out);
void context_join(rung_ctx *parent,
                  rung_ctx *worker); /* adds its counters and first message with its detail, frees it */

void log_at(rung_ctx *ctx, rung_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with what the sentence is about, see hint(). */
void log_hint(rung_ctx *ctx, rung_log_level level, const char *detail, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void progress(rung_ctx *ctx, const char *stage, double done);
/* One bar for all stages of a long piece of work. From here on reports are about the part from..to of `stage` (or of
 * the part of a whole that this one is itself in). Returns what to hand to progress_leave; a call that fails need not
 * leave. */
progress_part progress_enter(rung_ctx *ctx, const char *stage, double from, double to);
void progress_leave(rung_ctx *ctx, progress_part outer);
bool stop_asked(const rung_ctx *ctx);   /* for parallel regions: writes nothing */
rung_status interrupted(rung_ctx *ctx); /* RUNG_EINTERRUPT once asked to stop: call it at least every 0.1 s of work */

#endif
