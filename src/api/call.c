// SPDX-License-Identifier: BSD-3-Clause
#include "api/call.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/la.h"

enum { MOST_SIZE = 4096 }; /* no struct of any version is larger: the size was not set */

rung_status call_begin(rung_ctx *ctx)
{
    ctx->message[0] = 0;
    ctx->detail[0] = 0;
    ctx->part = (progress_part){0};
    memory_begin(ctx);
    la_enter();
    TRY(interrupted(ctx));
    return la_room(ctx);
}

rung_status call_end(rung_ctx *ctx, rung_status status)
{
    if (status == RUNG_OK) ctx->detail[0] = 0;
    pool_free_all(&ctx->scratch);
    la_leave();
    return status;
}

rung_status missing(rung_ctx *ctx, const char *function)
{
    return ctx ? set_error(ctx, RUNG_EARG, "%s: a required argument is NULL", function) : RUNG_EARG;
}

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

bool result_fits(const void *given) { return size_of(given) >= sizeof(size_t) && size_of(given) <= MOST_SIZE; }

rung_status result_check(rung_ctx *ctx, const char *function, const void *given)
{
    if (result_fits(given)) return RUNG_OK;
    return set_error(ctx, RUNG_EARG, "%s: set the size of the struct to its sizeof (it is %zu)", function,
                     size_of(given));
}

rung_status options_take(rung_ctx *ctx, const char *function, const void *given, void *own, size_t size)
{
    memset(own, 0, size);
    if (given) {
        TRY(result_check(ctx, function, given));
        size_t have = size_of(given);
        const char *bytes = given;
        for (size_t i = size; i < have; i++)
            if (bytes[i])
                return set_error(ctx, RUNG_EARG, "%s: a field is set that this library (%s) does not have", function,
                                 RUNG_VERSION);
        memcpy(own, given, have < size ? have : size);
    }
    memcpy(own, &size, sizeof size);
    return RUNG_OK;
}

void result_give(const void *own, size_t size, void *given)
{
    size_t have = size_of(given), head = sizeof have, known = have < size ? have : size;
    memcpy((char *)given + head, (const char *)own + head, known - head);
    memset((char *)given + known, 0, have - known);
}
