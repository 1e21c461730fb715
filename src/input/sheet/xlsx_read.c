// SPDX-License-Identifier: BSD-3-Clause
#include "input/sheet/xlsx_read.h"

rung_status xlsx_read(rung_ctx *ctx, const char *bytes, int64_t n, const char *which, rung_table *t)
{
    (void)bytes, (void)n, (void)which;
    return set_error(ctx, RUNG_EDATA, "%s is a spreadsheet or another compressed file; save it as CSV", t->path);
}
