// SPDX-License-Identifier: BSD-3-Clause
/* Tables as files of SPSS, Stata and SAS, and as workbooks. */
#ifndef RUNG_SHEET_SHEET_WRITE_H
#define RUNG_SHEET_SHEET_WRITE_H

#include "input/sheet/sheet.h"
#include "rung/experimental.h"

/* By its ending, such as .sav; SHEET_NONE: it is another one. */
sheet_kind sheet_kind_named(const char *path, bool *packed);
/* Whether files of this kind can be written: not portable ones and those of SAS itself, nor without the library. */
bool sheet_can_write(sheet_kind kind);
/* Hands over the bytes of the file in order. packed: .zsav. */
rung_status sheet_write(rung_ctx *ctx, const rung_table *t, sheet_kind kind, bool packed, rung_write_fn *write,
                        void *user);

/* The numbers of a column, NaN = missing, if it holds numbers, or names or texts of numbers, in scratch memory; with
 * days where it holds dates, *fraction saying whether some are no whole days. *out NULL: it is one of text. */
rung_status sheet_numbers(rung_ctx *ctx, const rung_table *t, int64_t j, const double **out, bool *fraction);

rung_status stat_write(rung_ctx *ctx, const rung_table *t, sheet_kind kind, bool packed, rung_write_fn *write,
                       void *user);
rung_status xlsx_write(rung_ctx *ctx, const rung_table *t, rung_write_fn *write, void *user);

#endif
