// SPDX-License-Identifier: BSD-3-Clause
/* Numbers as people write them: with a unit (5 kg, 12 %), a currency ($1,200), a limit of detection (<0.1), a minus
 * sign that is no hyphen, or negative in brackets as accountants have it. */
#ifndef RUNG_TABLE_MEASURE_H
#define RUNG_TABLE_MEASURE_H

#include "input/table/column_form.h"

enum { UNIT = 16 }; /* bytes of a unit, with the final 0 */

/* The number of a text that has this unit, "" being none; form: how the number itself is written, decimal the decimal
 * point of a plain one. A limit such as <0.1 is its number, 0.1. False: the text is no such number. */
bool measure_number(const char *text, column_form form, char decimal, const char *unit, double *out);

typedef struct {
    column_form form;
    char unit[UNIT];
    const char *limit; /* a text with a limit; NULL: there is none */
    const char *odd;   /* a text that is no plain number */
    bool unclear;      /* as in form_of_numbers; a currency before a number has commas between thousands */
} measure;

/* Of a column's distinct texts: all are numbers with the same unit. False: they are not. */
bool measure_of(int64_t n, const char *const *texts, char decimal, measure *out);

#endif
