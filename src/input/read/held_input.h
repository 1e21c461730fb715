// SPDX-License-Identifier: BSD-3-Clause
/* Standard input that is read more than once. A pipe is kept as it comes: in memory as long as it is small beside the
 * memory limit, else in a temporary file that has no name, so that nothing is left behind however the process ends. */
#ifndef RUNG_READ_HELD_INPUT_H
#define RUNG_READ_HELD_INPUT_H

#include "base/context.h"

/* Reads all of it; ctx->input says where it is. From then on sources of "-" begin at its beginning. */
rung_status input_hold(rung_ctx *ctx);
/* It will not be read again: frees memory. */
void input_forget(rung_ctx *ctx);

#endif
