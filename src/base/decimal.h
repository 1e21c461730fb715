// SPDX-License-Identifier: BSD-3-Clause
/* From decimal digits to the nearest double, ties to even, in any locale. */
#ifndef RUNG_BASE_DECIMAL_H
#define RUNG_BASE_DECIMAL_H

#include <stdbool.h>

/* Reads [+-]digits[point digits][e[+-]digits] from *at, at most up to end, and moves *at past it: as much as can be
 * read so. False, and *at stays: there is no such number. */
bool decimal_read(const char **at, const char *end, char point, double *out);

#endif
