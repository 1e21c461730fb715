// SPDX-License-Identifier: BSD-3-Clause
/* What the functions of rung.h have in common: check the arguments, enter, call, release the scratch memory, leave. */
#ifndef RUNG_API_CALL_H
#define RUNG_API_CALL_H

#include "base/context.h"

/* RUNG_EINTERRUPT as long as an interrupt is not cleared; RUNG_ENOMEM: the BLAS would have no room. */
rung_status call_begin(rung_ctx *ctx);
rung_status call_end(rung_ctx *ctx, rung_status status);

/* Returns the status of the expression, which is evaluated between the two. */
#define CALL(ctx, expression)                                                                                          \
    do {                                                                                                               \
        rung_status call_status_ = call_begin(ctx);                                                                    \
        return call_end(ctx, call_status_ == RUNG_OK ? (expression) : call_status_);                                   \
    } while (0)

/* The result of a failed call, also if an argument is missing. */
#define NOTHING(out)                                                                                                   \
    do {                                                                                                               \
        if (out) *(out) = NULL;                                                                                        \
    } while (0)

rung_status missing(rung_ctx *ctx, const char *function); /* RUNG_EARG */

/* ---- structs that begin with their size ---- */

/* A caller's struct of any version as one of this library, `own` of `size` bytes: fields it does not have are 0, and
 * those that the library does not know must be. NULL: all 0. RUNG_EARG names the function. */
rung_status options_take(rung_ctx *ctx, const char *function, const void *given, void *own, size_t size);
/* Whether a result can be written to a caller's struct: its size is set. */
bool result_fits(const void *given);
rung_status result_check(rung_ctx *ctx, const char *function, const void *given); /* RUNG_EARG: it does not */
/* Writes a result of the library: as much as the caller's struct has room for, and 0 to what it has beyond. */
void result_give(const void *own, size_t size, void *given);

#endif
