// SPDX-License-Identifier: BSD-3-Clause
/* Files that are no text (input/sheet), read as others are. */
#ifndef RUNG_READ_SHEET_FILE_H
#define RUNG_READ_SHEET_FILE_H

#include "input/read/format.h"

/* Whether the source that r begins with is such a file: its format, or NULL. The source is at its beginning again. */
rung_status sheet_file_format(rung_reader *r, const format **out);

#endif
