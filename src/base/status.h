// SPDX-License-Identifier: BSD-3-Clause
/* How functions fail: they return a status, and the sentence that explains it goes to the context. */
#ifndef RUNG_BASE_STATUS_H
#define RUNG_BASE_STATUS_H

#include "rung/experimental.h"

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        rung_status try_status_ = (call);                                                                              \
        if (try_status_ != RUNG_OK) return try_status_;                                                                \
    } while (0)

/* Stores the sentence in ctx (which may be NULL) and returns status, so that one can write
 * `return set_error(ctx, RUNG_EDATA, "label %d is outside 1..%d", y, K)`. */
rung_status set_error(rung_ctx *ctx, rung_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Stores what the sentence in ctx is about (rung_ctx_detail), for front ends with words of their own:
 * `return hint(ctx, set_error(ctx, RUNG_EDATA, "..."), "option bins")`. set_error forgets the former detail. */
rung_status hint(rung_ctx *ctx, rung_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts text in front of the sentence stored last: "train.csv: " + "...". */
rung_status prefix_error(rung_ctx *ctx, rung_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
