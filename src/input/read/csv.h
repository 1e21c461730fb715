// SPDX-License-Identifier: BSD-3-Clause
/* The CSV reader, for formats that are special kinds of CSV. */
#ifndef RUNG_READ_CSV_H
#define RUNG_READ_CSV_H

#include "input/read/format.h"

rung_status csv_open(rung_reader *r);
rung_status csv_row(rung_reader *r, filling *to, bool *got);
rung_status csv_again(rung_reader *r);
void csv_close(rung_reader *r);

#endif
