// SPDX-License-Identifier: BSD-3-Clause
#include "base/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

rung_status set_error(rung_ctx *ctx, rung_status status, const char *format, ...)
{
    if (!ctx) return status;
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    ctx->detail[0] = 0;
    return status;
}

rung_status hint(rung_ctx *ctx, rung_status status, const char *format, ...)
{
    if (!ctx) return status;
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->detail, sizeof ctx->detail, format, args);
    va_end(args);
    return status;
}

rung_status prefix_error(rung_ctx *ctx, rung_status status, const char *format, ...)
{
    if (!ctx) return status;
    char old[CONTEXT_MESSAGE];
    memcpy(old, ctx->message, sizeof old);
    va_list args;
    va_start(args, format);
    int used = vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    if (used >= 0 && used < CONTEXT_MESSAGE)
        snprintf(ctx->message + used, sizeof ctx->message - (size_t)used, "%s", old);
    return status;
}

rung_status context_new(rung_ctx **out) { return context_new_by(NULL, out); }

rung_status context_new_by(const rung_allocator *by, rung_ctx **out)
{
    *out = object_new_by(by, sizeof(rung_ctx));
    if (!*out) return RUNG_ENOMEM;
    if (by) (*out)->allocator = *by;
    (*out)->seed = 1;
    (*out)->threads = (*out)->wished = omp_get_num_procs();
    return RUNG_OK;
}

void context_free(rung_ctx *ctx)
{
    if (!ctx) return;
    pool_free_all(&ctx->scratch);
    pool_free_all(&ctx->kept);
    if (ctx->input.file > 0) close(ctx->input.file);
    object_free(ctx);
}

static void remove_note(rung_ctx *ctx, int at)
{
    if (at == ctx->n_notes) return;
    pool_free(&ctx->kept, (void *)(uintptr_t)ctx->notes[at].name);
    pool_free(&ctx->kept, (void *)(uintptr_t)ctx->notes[at].value);
    for (ctx->n_notes--; at < ctx->n_notes; at++) ctx->notes[at] = ctx->notes[at + 1];
    if (ctx->n_notes > 0) return;
    pool_free(&ctx->kept, ctx->notes);
    ctx->notes = NULL;
}

static rung_status new_note(rung_ctx *ctx, const char *name, const char *value)
{
    context_note note = {0};
    TRY(pool_text(ctx, &ctx->kept, name, &note.name));
    TRY(pool_text(ctx, &ctx->kept, value, &note.value));
    if (ctx->notes)
        TRY(RESIZE(ctx, &ctx->kept, ctx->notes, ctx->n_notes + 1));
    else
        TRY(NEW(ctx, &ctx->kept, ctx->notes, 1));
    ctx->notes[ctx->n_notes++] = note;
    return RUNG_OK;
}

rung_status context_set_note(rung_ctx *ctx, const char *name, const char *value)
{
    int at = 0;
    if (!name[0] || !text_is_utf8(name) || (value && !text_is_utf8(value)))
        return set_error(ctx, RUNG_EARG, "a note about a model needs a name, and its text must be UTF-8");
    while (at < ctx->n_notes && strcmp(ctx->notes[at].name, name) != 0) at++;
    if (!value) {
        remove_note(ctx, at);
        return RUNG_OK;
    }
    pool_mark mark = pool_here(&ctx->kept);
    rung_status status = new_note(ctx, name, value);
    if (status != RUNG_OK) {
        pool_release(&ctx->kept, mark);
        return status;
    }
    remove_note(ctx, at < ctx->n_notes - 1 ? at : ctx->n_notes);
    return RUNG_OK;
}

rung_status context_worker(rung_ctx *parent, rung_ctx **out)
{
    if (context_new_by(&parent->allocator, out) != RUNG_OK)
        return set_error(parent, RUNG_ENOMEM, "out of memory: a worker's context");
    (*out)->seed = parent->seed;
    (*out)->threads = (*out)->wished = 1;
    (*out)->memory = parent->memory;
    (*out)->program = parent->program;
    (*out)->thread = parent->thread;
    (*out)->held = parent->held;
    (*out)->interrupted_by = parent->interrupted_by ? parent->interrupted_by : &parent->interrupted;
    return RUNG_OK;
}

void context_join(rung_ctx *parent, rung_ctx *worker)
{
    if (!worker) return;
    for (int i = 0; i < CONTEXT_COUNTERS; i++) {
        parent->ops[i].calls += worker->ops[i].calls;
        parent->ops[i].flops += worker->ops[i].flops;
        parent->ops[i].seconds += worker->ops[i].seconds;
    }
    if (!parent->message[0]) {
        memcpy(parent->message, worker->message, sizeof parent->message);
        memcpy(parent->detail, worker->detail, sizeof parent->detail);
    }
    context_free(worker);
}

static void log_text(rung_ctx *ctx, rung_log_level level, const char *detail, const char *format, va_list args)
{
    if (!ctx->log) return;
    char text[CONTEXT_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    snprintf(ctx->detail, sizeof ctx->detail, "%s", detail);
    ctx->log(ctx->log_user, level, text);
    ctx->detail[0] = 0;
}

void log_at(rung_ctx *ctx, rung_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_text(ctx, level, "", format, args);
    va_end(args);
}

void log_hint(rung_ctx *ctx, rung_log_level level, const char *detail, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_text(ctx, level, detail, format, args);
    va_end(args);
}

void progress(rung_ctx *ctx, const char *stage, double done)
{
    const progress_part *part = &ctx->part;
    if (!ctx->progress) return;
    if (part->stage) {
        double place = part->from + part->share * (done > 0 ? done < 1 ? done : 1 : 0);
        if (place > ctx->reached) ctx->reached = place;
        stage = part->stage;
        done = ctx->reached;
    }
    ctx->progress(ctx->progress_user, stage, done);
}

progress_part progress_enter(rung_ctx *ctx, const char *stage, double from, double to)
{
    progress_part outer = ctx->part, whole = outer.stage ? outer : (progress_part){stage, 0, 1};
    if (!outer.stage) ctx->reached = from;
    ctx->part = (progress_part){whole.stage, whole.from + whole.share * from, whole.share * (to - from)};
    return outer;
}

void progress_leave(rung_ctx *ctx, progress_part outer) { ctx->part = outer; }

bool stop_asked(const rung_ctx *ctx)
{
    const atomic_int *flag = ctx->interrupted_by ? ctx->interrupted_by : &ctx->interrupted;
    return atomic_load_explicit(flag, memory_order_relaxed) != 0;
}

rung_status interrupted(rung_ctx *ctx)
{
    return stop_asked(ctx) ? set_error(ctx, RUNG_EINTERRUPT, "interrupted") : RUNG_OK;
}
