// SPDX-License-Identifier: BSD-3-Clause
/* Workbooks of Excel. */
#ifndef RUNG_SHEET_XLSX_READ_H
#define RUNG_SHEET_XLSX_READ_H

#include "input/sheet/sheet.h"

rung_status xlsx_read(rung_ctx *ctx, const char *bytes, int64_t n, const sheet_wish *wish, rung_table *t);

#endif
