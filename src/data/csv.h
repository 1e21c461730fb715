// SPDX-License-Identifier: BSD-3-Clause
/* CSV and its relatives: cells separated by , ; | a tab or blanks, quoted as in RFC 4180. */
#ifndef RUNG_DATA_CSV_H
#define RUNG_DATA_CSV_H

#include "data/source.h"
#include "data/table.h"

rung_status csv_read(rung_ctx *ctx, source *in, const rung_read_options *options, rung_table *t);

#endif
