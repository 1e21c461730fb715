// SPDX-License-Identifier: BSD-3-Clause
/* Partition files of the ORCA framework, train_toy.0 and test_toy.0: numbers separated by blanks, no header, label
 * last. */
#include <string.h>

#include "input/read/csv.h"

static bool named_orca(const char *file)
{
    const char *number = strrchr(file, '.');
    if (strncmp(file, "train_", 6) != 0 && strncmp(file, "test_", 5) != 0) return false;
    return number && number[1] && strspn(number + 1, "0123456789") == strlen(number + 1);
}

static rung_status open_orca(rung_reader *r)
{
    if (!r->options.delimiter) r->options.delimiter = ' ';
    r->options.header = RUNG_HEADER_ABSENT;
    return csv_open(r);
}

const format format_orca = {
    .name = "orca", .named = named_orca, .open = open_orca, .row = csv_row, .again = csv_again, .close = csv_close};
