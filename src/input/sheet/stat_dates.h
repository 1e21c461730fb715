// SPDX-License-Identifier: BSD-3-Clause
/* Dates and times in files of SPSS, Stata, SAS and Excel: numbers whose format says what they count. */
#ifndef RUNG_SHEET_STAT_DATES_H
#define RUNG_SHEET_STAT_DATES_H

#include "input/sheet/sheet.h"

typedef enum {
    COUNT_NUMBER,
    COUNT_DAYS,
    COUNT_SECONDS,
    COUNT_TIME,
    COUNT_MILLISECONDS,
    COUNT_WEEKS,
    COUNT_MONTHS,
    COUNT_QUARTERS,
    COUNT_HALVES
} stat_count;

typedef struct {
    stat_count counts; /* COUNT_NUMBER: it is no date. COUNT_TIME: the seconds of a day, or of a duration */
    double epoch;      /* the day of 0, from 1970-01-01 */
} stat_calendar;

/* What numbers of this format count, in a file of this kind. */
stat_calendar stat_calendar_of(sheet_kind kind, const char *format);
/* As text that is read as a date or a time: 2024-01-31, 2024-01-31 12:30:00, 12:30:00. False: it is outside of the
 * calendar. */
enum { STAT_DATE = 64 };
bool stat_date_text(const stat_calendar *c, double x, char out[STAT_DATE]);

#endif
