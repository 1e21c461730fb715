// SPDX-License-Identifier: BSD-3-Clause
/* Files of SPSS, Stata and SAS. */
#ifndef RUNG_SHEET_STAT_READ_H
#define RUNG_SHEET_STAT_READ_H

#include "input/sheet/sheet.h"

rung_status stat_read(rung_ctx *ctx, sheet_kind kind, const char *bytes, int64_t n, rung_table *t);

#endif
