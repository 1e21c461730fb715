// SPDX-License-Identifier: BSD-3-Clause
/* The CSV reader, for the formats that are CSV of a certain kind. */
#ifndef RUNG_DATA_CSV_H
#define RUNG_DATA_CSV_H

#include "data/format.h"

rung_status csv_open(rung_reader *r);
rung_status csv_row(rung_reader *r, filling *to, bool *got);
rung_status csv_again(rung_reader *r);

#endif
