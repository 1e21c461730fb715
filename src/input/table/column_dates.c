// SPDX-License-Identifier: BSD-3-Clause
/* Dates and times: column_form.h says how they may be written. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input/table/column_form.h"
#include "input/table/table.h"

static const char *const orders[] = {"ymd", "dmy", "mdy", "compact"};

const char *date_order_name(date_order order) { return orders[order]; }

bool date_order_find(const char *name, date_order *out)
{
    for (int i = DATE_YMD; i <= DATE_COMPACT; i++)
        if (strcmp(name, orders[i]) == 0) {
            *out = (date_order)i;
            return true;
        }
    return false;
}

/* ---- the calendar ---- */

/* Days from 1970-01-01 in the Gregorian calendar: years begin in March, so that the day that comes and goes is last. */
static int64_t days_from_civil(int64_t year, int month, int day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool valid_day(int year, int month, int day)
{
    return month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(year, month);
}

void form_day_text(double days, char out[DAY_TEXT])
{
    int year = 1970 + (int)floor(days / 365.2425), month = 1;
    while (days_from_civil(year, 1, 1) > (int64_t)floor(days)) year--;
    while (days_from_civil(year + 1, 1, 1) <= (int64_t)floor(days)) year++;
    while (month < 12 && days_from_civil(year, month + 1, 1) <= (int64_t)floor(days)) month++;
    snprintf(out, DAY_TEXT, "%04d-%02d-%02d", year, month,
             (int)((int64_t)floor(days) - days_from_civil(year, month, 1)) + 1);
}

/* ---- parts ---- */

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

static bool take_word(const char **p, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)(*p)[i]) != word[i]) return false;
    *p += length;
    return true;
}

/* Jan, Jan., January, Sept: its number. False: another word. */
static bool take_month(const char **p, int *month)
{
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
    for (*month = 1; *month <= 12; ++*month) {
        const char *name = names[*month - 1], *q = *p;
        char brief[5] = {name[0], name[1], name[2]};
        bool whole = take_word(&q, name), sept = !whole && *month == 9 && take_word(&q, "sept");
        if (!whole && !sept && !take_word(&q, brief)) continue;
        if (*q == '.') q++;
        if (isalpha((unsigned char)*q)) return false;
        *p = q;
        return true;
    }
    return false;
}

/* am, pm, a.m., P.M. after hours from 1 to 12. */
static bool take_half(const char **p, int *hour)
{
    const char *q = *p;
    while (*q == ' ') q++;
    bool pm = tolower((unsigned char)*q) == 'p';
    if (!take_word(&q, pm ? "pm" : "am") && !take_word(&q, pm ? "p.m." : "a.m.")) return true;
    *p = q;
    if (*hour < 1 || *hour > 12) return false;
    *hour = *hour % 12 + (pm ? 12 : 0);
    return true;
}

/* hh:mm, hh:mm:ss or hh:mm:ss.fff, and am or pm: seconds. */
static bool take_clock(const char **p, int digits, int hours, double *seconds)
{
    int hour, minute, second = 0;
    double fraction = 0, unit = 0.1;
    if (!take_digits(p, digits, true, &hour) || *(*p)++ != ':' || !take_digits(p, 2, false, &minute)) return false;
    if (**p == ':') {
        ++*p;
        if (!take_digits(p, 2, false, &second)) return false;
        if (**p == '.')
            for (++*p; isdigit((unsigned char)**p); ++*p, unit /= 10) fraction += unit * (**p - '0');
    }
    if (!take_half(p, &hour)) return false;
    *seconds = hour * 3600 + minute * 60 + second + fraction;
    return hour < hours && minute < 60 && second <= 60;
}

/* Z, UTC, GMT, +02:00, -0500 or +02, after a blank or not: seconds before UTC. */
static bool take_zone(const char **p, double *seconds)
{
    const char *q = *p;
    int hour, minute = 0;
    *seconds = 0;
    while (*q == ' ') q++;
    if (*q == 'Z') return *p = q + 1, true;
    if (take_word(&q, "utc") || take_word(&q, "gmt")) return *p = q, true;
    if (*q != '+' && *q != '-') return true;
    bool west = *q++ == '-';
    if (!take_digits(&q, 2, false, &hour)) return false;
    if (*q == ':') q++;
    if (isdigit((unsigned char)*q) && !take_digits(&q, 2, false, &minute)) return false;
    *seconds = (west ? -1 : 1) * (hour * 3600 + minute * 60);
    *p = q;
    return hour <= 14 && minute < 60;
}

/* ---- dates ---- */

static bool whole_date(const char *p, int year, int month, int day, double *days)
{
    double clock = 0, zone = 0;
    if (*p == 'T' || *p == ' ') {
        p++;
        if (!take_clock(&p, 2, 24, &clock) || !take_zone(&p, &zone)) return false;
    }
    if (*p || !valid_day(year, month, day)) return false;
    double overflow = floor((clock - zone) / 86400); /* so that an instant is one number, whatever its zone */
    *days = (double)days_from_civil(year, month, day) + overflow + (clock - zone - 86400 * overflow) / 86400;
    return true;
}

static bool compact_date(const char *p, double *days)
{
    int year, month, day;
    return take_digits(&p, 4, false, &year) && take_digits(&p, 2, false, &month) && take_digits(&p, 2, false, &day) &&
           year >= 1800 && year < 2200 && whole_date(p, year, month, day, days);
}

/* Four digits, or two where they are allowed. */
static bool take_year(const char **p, bool brief, int *year)
{
    const char *q = *p;
    if (take_digits(&q, 4, false, year)) return *p = q, true;
    q = *p;
    if (!brief || !take_digits(&q, 2, false, year) || isdigit((unsigned char)*q)) return false;
    *year += *year < 69 ? 2000 : 1900;
    *p = q;
    return true;
}

bool form_date(const char *text, date_order order, double *days)
{
    const char *p = text;
    int part[3] = {0, 0, 1}, first_year = order == DATE_YMD, i;
    char mark = 0;
    bool named = false;
    if (order == DATE_COMPACT) return compact_date(p, days);
    for (i = 0; i < 3; i++) {
        bool is_year = i == (first_year ? 0 : 2), is_month = i == (order == DATE_MDY ? 0 : 1);
        if (is_month && isalpha((unsigned char)*p)) {
            if (!take_month(&p, &part[i])) return false;
            named = true;
        } else if (is_year ? !take_year(&p, !first_year && (named || mark == '/' || mark == '.'), &part[i])
                           : !take_digits(&p, 2, true, &part[i])) {
            return false;
        }
        if (i == 2) break;
        if (first_year && i == 1 && mark == '-' && !*p && !named && p - text == 7) break; /* 2024-01: its first day */
        if (named && *p == ',' && p[1] == ' ') p++;
        bool blank = *p == ' ' && (named || isalpha((unsigned char)p[1]));
        if (*p != '-' && *p != '/' && *p != '.' && !blank) return false;
        if (i > 0 && *p != mark) return false;
        mark = *p++;
    }
    if (order == DATE_MDY && mark != '/' && !named) return false;
    int day = part[first_year ? 2 : order == DATE_DMY ? 0 : 1];
    return whole_date(p, part[first_year ? 0 : 2], part[order == DATE_MDY ? 0 : 1], day, days);
}

static bool missing(const char *text) { return cell_says_missing(text, strlen(text), true); }

bool form_of_dates(int64_t n, const char *const *texts, date_order *order, bool *unclear)
{
    bool fits[] = {true, true, true, true}, any = false;
    double days;
    for (int64_t i = 0; i < n; i++) {
        if (missing(texts[i])) continue;
        any = true;
        for (int o = DATE_YMD; o <= DATE_COMPACT; o++) fits[o] = fits[o] && form_date(texts[i], (date_order)o, &days);
    }
    *unclear = fits[DATE_DMY] && fits[DATE_MDY];
    *order = fits[DATE_YMD] ? DATE_YMD : fits[DATE_DMY] ? DATE_DMY : fits[DATE_MDY] ? DATE_MDY : DATE_COMPACT;
    return any && fits[*order];
}

/* ---- times ---- */

bool form_hours(const char *text, double *hours)
{
    const char *p = text;
    double seconds;
    if (!take_clock(&p, 3, 1000, &seconds) || *p) return false;
    *hours = seconds / 3600;
    return true;
}

bool form_of_hours(int64_t n, const char *const *texts)
{
    bool any = false;
    double hours;
    for (int64_t i = 0; i < n; i++) {
        if (missing(texts[i])) continue;
        any = true;
        if (!form_hours(texts[i], &hours)) return false;
    }
    return any;
}
