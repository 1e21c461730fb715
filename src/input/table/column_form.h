// SPDX-License-Identifier: BSD-3-Clause
/* How the text of a cell is a number: a plain number, a number with another decimal or thousands character, a date, a
 * time, or a place on an ordered list of words. */
#ifndef RUNG_TABLE_COLUMN_FORM_H
#define RUNG_TABLE_COLUMN_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    FORM_PLAIN,   /* a number */
    FORM_COMMA,   /* 3,14: a decimal comma; points or spaces between thousands are dropped */
    FORM_GROUPED, /* 1,200.5 or 1 200.5: commas or spaces between thousands */
    FORM_ORDINAL, /* a word of a list, lowest first: 1, 2, ... */
    FORM_DAYS,    /* a date: days since 1970-01-01, with a time of day as a fraction */
    FORM_CYCLIC,  /* a date: days, and sine and cosine of its place in the year and in the week */
    FORM_HOURS,   /* 12:30, 12:30:05 or 2:15 pm: hours */
    FORM_LEVEL    /* a name of a list, in bytewise order: 1, 2, ...; 0: another one, or none */
} column_form;

/* How dates are written. A time of day may follow, after a space or T, and a zone, which makes it one of UTC. Years of
 * two digits are those from 1969 to 2068. */
typedef enum {
    DATE_YMD,    /* 2024-01-31, 2024/01/31, 2024.01.31, 2024-Jan-31, or 2024-01 for its first day */
    DATE_DMY,    /* 31.01.2024, 31/01/24, 31-01-2024, 31 Jan 2024, 31-Jan-24 */
    DATE_MDY,    /* 01/31/2024, 1/31/24, Jan 31, 2024 */
    DATE_COMPACT /* 20240131 */
} date_order;

enum { CYCLIC_COLUMNS = 5 };

const char *form_name(column_form form); /* in model files; NULL for FORM_PLAIN */
bool form_find(const char *name, column_form *out);
const char *date_order_name(date_order order); /* ymd, dmy, mdy, compact */
bool date_order_find(const char *name, date_order *out);
int form_columns(column_form form); /* coded columns it makes */

/* Whether digits are rather a code than a number: 007, +4930123456, or more of them than a number holds exactly. */
bool form_is_code(const char *text, size_t length);

/* The bytes of a character that parts thousands, in any form of number: spaces, also those that do not break, and
 * apostrophes. 0: there is none. */
size_t form_spacer(const char *p);
/* Numbers with thousands or decimal commas. False: the text is none. */
bool form_number(const char *text, column_form form, double *out);
/* Days since 1970-01-01. False: the text is no date of this order. */
bool form_date(const char *text, date_order order, double *days);
/* The date of a number of days, as 2024-01-31. */
enum { DAY_TEXT = 40 };
void form_day_text(double days, char out[DAY_TEXT]);
/* Hours, of a time of day or a duration. False: the text is none. */
bool form_hours(const char *text, double *hours);
/* The coded columns of a number, which is a number of days where the form is cyclic: form_columns(form) of them. */
void form_columns_of(column_form form, double x, double *out);

/* Which forms fit the texts seen so far; zeros: none was seen. */
typedef struct {
    bool not_comma, not_grouped, sure_comma, sure_grouped, differ;
} form_votes;
void form_votes_add(form_votes *v, const char *text);
/* The result of form_of_numbers. */
bool form_votes_count(const form_votes *v, column_form *form, bool *unclear);

/* Of a column's distinct texts (at least one), without those that say that a value is missing: the form in which all of
 * them are numbers. False: there is none.
 * unclear: they are numbers either way, 1,200 being 1200 or 1.2. */
bool form_of_numbers(int64_t n, const char *const *texts, column_form *form, bool *unclear);
/* The order in which all of them are dates. False: there is none. unclear: 01/02/2024 may be either. */
bool form_of_dates(int64_t n, const char *const *texts, date_order *order, bool *unclear);
bool form_of_hours(int64_t n, const char *const *texts); /* all of them are times */

#endif
