// SPDX-License-Identifier: BSD-3-Clause
#include "table/column_form.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const double PI = 3.14159265358979323846;

/* ---- names ---- */

static const char *const names[] = {NULL, "comma", "grouped", "ordinal", "days", "cyclic"};

const char *form_name(column_form form) { return names[form]; }

bool form_find(const char *name, column_form *out)
{
    for (int i = FORM_COMMA; i <= FORM_CYCLIC; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (column_form)i;
            return true;
        }
    return false;
}

static const char *const orders[] = {"ymd", "dmy", "mdy"};

const char *date_order_name(date_order order) { return orders[order]; }

bool date_order_find(const char *name, date_order *out)
{
    for (int i = DATE_YMD; i <= DATE_MDY; i++)
        if (strcmp(name, orders[i]) == 0) {
            *out = (date_order)i;
            return true;
        }
    return false;
}

int form_columns(column_form form) { return form == FORM_CYCLIC ? CYCLIC_COLUMNS : 1; }

/* ---- numbers ---- */

/* The bytes of a character that parts thousands, in any form of number: spaces, also those that do not break, and
 * apostrophes. 0: there is none. */
static size_t spacer_at(const char *p)
{
    static const char *const spacers[] = {" ", "'", "\u00a0", "\u202f", "\u2009", "\u2019"};
    for (size_t i = 0; i < sizeof spacers / sizeof *spacers; i++)
        if (strncmp(p, spacers[i], strlen(spacers[i])) == 0) return strlen(spacers[i]);
    return 0;
}

/* Copies text without the characters that part thousands. False: they do not stand between groups of three digits. */
static bool without_groups(const char *text, char group, char decimal, char *out, size_t size, int *groups)
{
    const char *p = text + (*text == '+' || *text == '-');
    size_t used = 0, run = 0; /* digits since the sign or the last group character */
    *groups = 0;
    if (strlen(text) >= size) return false;
    if (p > text) out[used++] = *text;
    for (size_t length; *p; p += length) {
        length = *p == group ? 1 : spacer_at(p);
        if (length > 0) {
            if (run == 0 || run > 3 || (*groups > 0 && run != 3)) return false;
            ++*groups;
            run = 0;
            continue;
        }
        if (!isdigit((unsigned char)*p)) break;
        length = 1;
        out[used++] = *p;
        run++;
    }
    if (*groups > 0 && run != 3) return false;
    if (*groups > 0 && *p && *p != decimal) return false;
    strcpy(out + used, p);
    return true;
}

bool form_number(const char *text, column_form form, double *out)
{
    char plain[64], decimal = form == FORM_COMMA ? ',' : '.';
    int groups;
    if (form == FORM_PLAIN) return text_number(text, strlen(text), '.', out);
    return without_groups(text, decimal == ',' ? '.' : ',', decimal, plain, sizeof plain, &groups) &&
           text_number(plain, strlen(plain), decimal, out);
}

bool form_of_numbers(int64_t n, const char *const *texts, column_form *form, bool *unclear)
{
    bool comma = true, grouped = true, sure_comma = false, sure_grouped = false, differ = false;
    double x, y;
    for (int64_t i = 0; i < n && (comma || grouped); i++) {
        const char *text = texts[i], *first = strchr(text, ',');
        bool is_comma = form_number(text, FORM_COMMA, &x), is_grouped = form_number(text, FORM_GROUPED, &y);
        if (first && is_comma && !is_grouped) sure_comma = true;
        if (first && is_grouped && !is_comma) sure_grouped = true;
        if (is_comma && is_grouped && x != y) differ = true;
        comma = comma && is_comma;
        grouped = grouped && is_grouped;
    }
    if (!comma && !grouped) return false;
    *unclear = comma && grouped && !sure_comma && !sure_grouped && differ;
    *form = comma && !(grouped && (sure_grouped || !(sure_comma || differ))) ? FORM_COMMA : FORM_GROUPED;
    return true;
}

/* ---- dates ---- */

/* Days from 1970-01-01 in the Gregorian calendar: years begin in March, so that the day that comes and goes is last. */
static int64_t days_from_civil(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool valid_day(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

/* `count` digits, or 1 to `count` of them where fewer are allowed. */
static bool take_digits(const char **p, int count, bool fewer, int *out)
{
    int taken = 0;
    *out = 0;
    while (taken < count && isdigit((unsigned char)**p)) {
        *out = *out * 10 + *(*p)++ - '0';
        taken++;
    }
    return taken == count || (fewer && taken > 0);
}

/* hh:mm, hh:mm:ss or hh:mm:ss.fff, and Z: the share of a day. */
static bool take_time(const char **p, double *share)
{
    int hour, minute, second = 0;
    double fraction = 0, unit = 0.1;
    if (!take_digits(p, 2, false, &hour) || *(*p)++ != ':' || !take_digits(p, 2, false, &minute)) return false;
    if (**p == ':') {
        ++*p;
        if (!take_digits(p, 2, false, &second)) return false;
        if (**p == '.')
            for (++*p; isdigit((unsigned char)**p); ++*p, unit /= 10) fraction += unit * (**p - '0');
    }
    if (**p == 'Z') ++*p;
    *share = (hour * 3600 + minute * 60 + second + fraction) / 86400;
    return hour < 24 && minute < 60 && second <= 60;
}

bool form_date(const char *text, date_order order, double *days)
{
    const char *p = text;
    int part[3], year, month, day;
    char mark = 0;
    double share = 0;
    for (int i = 0; i < 3; i++) {
        bool is_year = i == (order == DATE_YMD ? 0 : 2);
        if (!take_digits(&p, is_year ? 4 : 2, !is_year, &part[i])) return false;
        if (i == 2) break;
        if (*p != '-' && *p != '/' && *p != '.') return false;
        if (i > 0 && *p != mark) return false;
        mark = *p++;
    }
    year = part[order == DATE_YMD ? 0 : 2];
    month = part[order == DATE_MDY ? 0 : 1];
    day = part[order == DATE_YMD ? 2 : order == DATE_DMY ? 0 : 1];
    if (order == DATE_MDY && mark != '/') return false;
    if (*p == 'T' || *p == ' ') {
        p++;
        if (!take_time(&p, &share)) return false;
    }
    if (*p || !valid_day(year, month, day)) return false;
    *days = (double)days_from_civil(year, month, day) + share;
    return true;
}

bool form_of_dates(int64_t n, const char *const *texts, date_order *order, bool *unclear)
{
    bool fits[] = {true, true, true};
    double days;
    for (int64_t i = 0; i < n; i++)
        for (int o = DATE_YMD; o <= DATE_MDY; o++) fits[o] = fits[o] && form_date(texts[i], (date_order)o, &days);
    *unclear = fits[DATE_DMY] && fits[DATE_MDY];
    *order = fits[DATE_YMD] ? DATE_YMD : fits[DATE_DMY] ? DATE_DMY : DATE_MDY;
    return fits[*order];
}

void form_columns_of(column_form form, double x, double *out)
{
    out[0] = x;
    if (form != FORM_CYCLIC) return;
    double year = 2 * PI * x / 365.2425, week = 2 * PI * x / 7;
    out[1] = sin(year);
    out[2] = cos(year);
    out[3] = sin(week);
    out[4] = cos(week);
}
