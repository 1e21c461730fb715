// SPDX-License-Identifier: BSD-3-Clause
#include "base/context.h"

#include <omp.h>
#include <stdlib.h>

#include "api/call.h"
#include "linalg/la.h"

const char *rung_version(void) { return RUNG_VERSION; }
int rung_version_number(void) { return RUNG_VERSION_NUMBER; }
int rung_abi(void) { return RUNG_ABI; }
rung_status rung_ctx_new(rung_ctx **out) { return out ? context_new(out) : RUNG_EARG; }

rung_status rung_ctx_new_with(const rung_allocator *allocator, rung_ctx **out)
{
    rung_allocator own;
    NOTHING(out);
    if (!out) return RUNG_EARG;
    TRY(options_take(NULL, "rung_ctx_new_with", allocator, &own, sizeof own));
    return own.allocate && own.release ? context_new_by(&own, out) : RUNG_EARG;
}

void rung_ctx_free(rung_ctx *ctx) { context_free(ctx); }
const char *rung_ctx_message(const rung_ctx *ctx) { return ctx ? ctx->message : ""; }
const char *rung_ctx_detail(const rung_ctx *ctx) { return ctx ? ctx->detail : ""; }

const char *rung_status_name(rung_status status)
{
    static const char *const names[] = {
        [RUNG_OK] = "ok",
        [RUNG_ENOMEM] = "out of memory",
        [RUNG_EARG] = "bad argument",
        [RUNG_EDATA] = "unusable data",
        [RUNG_EIO] = "input/output error",
        [RUNG_EFORMAT] = "bad model file",
        [RUNG_ESINGULAR] = "singular matrix",
        [RUNG_ENOCONV] = "no convergence",
        [RUNG_ELIMIT] = "memory limit",
        [RUNG_EINTERRUPT] = "interrupted",
        [RUNG_EINTERNAL] = "internal error",
    };
    int i = (int)status, count = (int)(sizeof names / sizeof *names);
    return i >= 0 && i < count ? names[i] : "unknown status";
}

void rung_ctx_set_seed(rung_ctx *ctx, uint64_t seed) { ctx->seed = seed; }
void rung_ctx_set_threads(rung_ctx *ctx, int threads)
{
    ctx->threads = ctx->wished = threads > 0 ? threads : omp_get_num_procs();
}

void rung_ctx_set_memory(rung_ctx *ctx, int64_t bytes) { ctx->memory = bytes > 0 ? bytes : 0; }

rung_status rung_ctx_set_comm(rung_ctx *ctx, const rung_comm *comm)
{
    rung_comm own;
    if (!ctx) return RUNG_EARG;
    TRY(options_take(ctx, "rung_ctx_set_comm", comm, &own, sizeof own));
    if (comm && (own.rank < 0 || own.rank >= own.ranks || !own.sum || !own.broadcast || !own.barrier))
        return set_error(ctx, RUNG_EARG, "rung_ctx_set_comm: process %d of %d%s", own.rank, own.ranks,
                         own.sum && own.broadcast && own.barrier ? "" : ", and a function is missing");
    ctx->comm = own;
    return RUNG_OK;
}

void rung_ctx_set_overhead(rung_ctx *ctx, int64_t program, int64_t thread)
{
    ctx->program = program > 0 ? program : 0;
    ctx->thread = thread > 0 ? thread : 0;
}

rung_status rung_ctx_set_note(rung_ctx *ctx, const char *name, const char *value)
{
    if (!ctx || !name) return missing(ctx, "rung_ctx_set_note");
    CALL(ctx, context_set_note(ctx, name, value));
}

void rung_ctx_set_log(rung_ctx *ctx, rung_log_fn *log, void *user)
{
    ctx->log = log;
    ctx->log_user = user;
}

void rung_ctx_set_progress(rung_ctx *ctx, rung_progress_fn *fn, void *user)
{
    ctx->progress = fn;
    ctx->progress_user = user;
}

void rung_ctx_interrupt(rung_ctx *ctx) { atomic_store(&ctx->interrupted, 1); }
void rung_ctx_clear_interrupt(rung_ctx *ctx) { atomic_store(&ctx->interrupted, 0); }

int rung_ctx_counter(const rung_ctx *ctx, int index, rung_counter *out)
{
    const char *name = la_op_name(index);
    if (!name || !result_fits(out)) return 0;
    const op_count *op = &ctx->ops[index];
    const rung_counter own = {.name = name, .calls = op->calls, .flops = op->flops, .seconds = op->seconds};
    result_give(&own, sizeof own, out);
    return 1;
}

void rung_free(char *text) { object_free(text); }
