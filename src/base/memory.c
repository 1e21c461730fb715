// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory.h"

#include <math.h>

#include "base/text.h"

/* Arrays end within a page, and the heap has gaps: where the program counts (the limit is that of the process), work
 * takes a little more than its arrays. */
static double gaps(const rung_ctx *ctx) { return ctx->program > 0 ? 1.0 / 32 : 0; }

void memory_hold(rung_ctx *ctx, int64_t bytes)
{
    if (bytes > ctx->held) ctx->held = bytes;
}

void memory_drop(rung_ctx *ctx) { ctx->held = 0; }

double memory_with(const rung_ctx *ctx, double bytes)
{
    return (1 + gaps(ctx)) * (bytes + (double)ctx->held) + (double)ctx->program + (double)ctx->thread;
}

double memory_left(const rung_ctx *ctx)
{
    return ctx->memory > 0 ? fmax(((double)ctx->memory - memory_with(ctx, 0)) / (1 + gaps(ctx)), 1) : 0;
}

bool memory_fits(const rung_ctx *ctx, double bytes, int threads)
{
    return ctx->memory <= 0 || memory_with(ctx, bytes) + (threads - 1) * (double)ctx->thread <= (double)ctx->memory;
}

rung_status memory_check(rung_ctx *ctx, double bytes, const char *what)
{
    char needed[32], limit[32];
    if (memory_fits(ctx, bytes, 1)) return RUNG_OK;
    if ((double)ctx->program + (double)ctx->thread > (double)ctx->memory) {
        what = "the program itself";
        bytes = -(double)ctx->held;
    }
    return set_error(ctx, RUNG_ELIMIT, "%s needs about %s, above the memory limit of %s", what,
                     text_bytes(memory_with(ctx, bytes), needed), text_bytes((double)ctx->memory, limit));
}

rung_status memory_work(rung_ctx *ctx, double bytes, const char *what)
{
    while (ctx->threads > 1 && !memory_fits(ctx, bytes, ctx->threads)) ctx->threads--;
    return memory_check(ctx, bytes, what);
}

void memory_begin(rung_ctx *ctx)
{
    ctx->held = 0;
    ctx->threads = ctx->wished;
    if (ctx->memory <= 0 || ctx->thread <= 0) return;
    double room = ((double)ctx->memory - (double)ctx->program) / (double)ctx->thread;
    ctx->threads = room < ctx->threads ? (int)fmax(room, 1) : ctx->threads;
}
