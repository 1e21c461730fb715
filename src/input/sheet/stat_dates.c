// SPDX-License-Identifier: BSD-3-Clause
#include "input/sheet/stat_dates.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input/table/column_form.h"

static const double spss_epoch = -141428, sas_epoch = -3653; /* 1582-10-14 and 1960-01-01 */
static const double day = 86400;

/* The letters of a format without width and decimals: DATETIME20.2 is DATETIME. A digit that others follow is part of
 * the name: E8601DA10. */
static void format_word(const char *format, char *out, size_t size)
{
    size_t n = 0;
    for (; format[n] && format[n] != '.' && n + 1 < size; n++) out[n] = (char)toupper((unsigned char)format[n]);
    while (n > 0 && isdigit((unsigned char)out[n - 1])) n--;
    out[n] = 0;
}

static bool one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0) return true;
    return false;
}

static stat_calendar of_spss(const char *word)
{
    static const char *const dates[] = {"DATE", "ADATE", "EDATE",    "JDATE",  "SDATE", "QYR",
                                        "MOYR", "WKYR",  "DATETIME", "YMDHMS", NULL},
                             *const times[] = {"TIME", "DTIME", "MTIME", NULL};
    if (one_of(word, dates)) return (stat_calendar){COUNT_SECONDS, spss_epoch};
    return (stat_calendar){one_of(word, times) ? COUNT_TIME : COUNT_NUMBER, 0};
}

static stat_calendar of_sas(const char *word)
{
    static const char *const dates[] = {"DATE",    "DDMMYY",   "DDMMYYB",  "DDMMYYC",  "DDMMYYD",  "DDMMYYN", "DDMMYYP",
                                        "DDMMYYS", "MMDDYY",   "MMDDYYB",  "MMDDYYC",  "MMDDYYD",  "MMDDYYN", "MMDDYYP",
                                        "MMDDYYS", "YYMMDD",   "YYMMDDB",  "YYMMDDC",  "YYMMDDD",  "YYMMDDN", "YYMMDDP",
                                        "YYMMDDS", "E8601DA",  "B8601DA",  "IS8601DA", "JULIAN",   "MONYY",   "YYMON",
                                        "YYMM",    "YYMMC",    "YYMMD",    "YYMMN",    "YYMMP",    "YYMMS",   "MMYY",
                                        "YYQ",     "WEEKDATE", "WEEKDATX", "WORDDATE", "WORDDATX", "NLDATE",  "EURDFDE",
                                        "EURDFDD", NULL},
                             *const moments[] = {"DATETIME", "E8601DT", "B8601DT", "IS8601DT", "DATEAMPM", "MDYAMPM",
                                                 "DTDATE",   "NLDATM",  "DTMONYY", "DTYEAR",   NULL},
                             *const times[] = {"TIME", "HHMM", "TOD", "E8601TM", "B8601TM", "TIMEAMPM", "MMSS", NULL};
    if (one_of(word, dates)) return (stat_calendar){COUNT_DAYS, sas_epoch};
    if (one_of(word, moments)) return (stat_calendar){COUNT_SECONDS, sas_epoch};
    return (stat_calendar){one_of(word, times) ? COUNT_TIME : COUNT_NUMBER, 0};
}

/* %td, %-tdDD.NN.CCYY, %d, %tc, %tC, %tw, %tm, %tq, %th. Years, %ty, are numbers as they stand. */
static stat_calendar of_stata(const char *format)
{
    if (*format++ != '%') return (stat_calendar){COUNT_NUMBER, 0};
    if (*format == '-') format++;
    if (*format == 'd') return (stat_calendar){COUNT_DAYS, sas_epoch};
    if (*format++ != 't') return (stat_calendar){COUNT_NUMBER, 0};
    switch (*format) {
    case 'd': return (stat_calendar){COUNT_DAYS, sas_epoch};
    case 'c':
    case 'C': return (stat_calendar){COUNT_MILLISECONDS, sas_epoch};
    case 'w': return (stat_calendar){COUNT_WEEKS, 0};
    case 'm': return (stat_calendar){COUNT_MONTHS, 0};
    case 'q': return (stat_calendar){COUNT_QUARTERS, 0};
    case 'h': return (stat_calendar){COUNT_HALVES, 0};
    default: return (stat_calendar){COUNT_NUMBER, 0};
    }
}

stat_calendar stat_calendar_of(sheet_kind kind, const char *format)
{
    char word[32];
    if (!format || !*format) return (stat_calendar){COUNT_NUMBER, 0};
    if (kind == SHEET_DTA) return of_stata(format);
    format_word(format, word, sizeof word);
    return kind == SHEET_SAV || kind == SHEET_POR ? of_spss(word) : of_sas(word);
}

static bool text_of_month(double months, char out[STAT_DATE])
{
    double year = 1960 + floor(months / 12);
    if (!(year >= 1 && year <= 9999)) return false;
    snprintf(out, STAT_DATE, "%04d-%02d-01", (int)year, (int)(months - 12 * floor(months / 12)) + 1);
    return true;
}

static int time_text(double seconds, char *out, size_t size)
{
    double whole = floor(seconds), part = seconds - whole;
    int hours = (int)(whole / 3600), minutes = (int)(fmod(whole, 3600) / 60), rest = (int)fmod(whole, 60);
    if (part < 5e-4) return snprintf(out, size, "%02d:%02d:%02d", hours, minutes, rest);
    return snprintf(out, size, "%02d:%02d:%02d.%03d", hours, minutes, rest, (int)(1000 * part));
}

static bool moment_text(double days, char out[STAT_DATE])
{
    char date[DAY_TEXT];
    double whole = floor(days), seconds = round((days - whole) * day * 1000) / 1000;
    if (seconds >= day) seconds = 0, whole++;
    if (!(whole >= -719162 && whole <= 2932896)) return false; /* years 1 to 9999 */
    form_day_text(whole, date);
    int n = snprintf(out, STAT_DATE, "%s", date);
    if (seconds > 0) {
        out[n++] = ' ';
        time_text(seconds, out + n, STAT_DATE - (size_t)n);
    }
    return true;
}

bool stat_date_text(const stat_calendar *c, double x, char out[STAT_DATE])
{
    switch (c->counts) {
    case COUNT_DAYS: return moment_text(x + c->epoch, out);
    case COUNT_SECONDS: return moment_text(x / day + c->epoch, out);
    case COUNT_MILLISECONDS: return moment_text(x / 1000 / day + c->epoch, out);
    case COUNT_WEEKS: { /* 52 in a year; the last is longer */
        double year = floor(x / 52), january;
        char first[STAT_DATE];
        date_order order = DATE_YMD;
        if (!text_of_month(12 * year, first) || !form_date(first, order, &january)) return false;
        return moment_text(january + 7 * (floor(x) - 52 * year), out);
    }
    case COUNT_MONTHS: return text_of_month(floor(x), out);
    case COUNT_QUARTERS: return text_of_month(3 * floor(x), out);
    case COUNT_HALVES: return text_of_month(6 * floor(x), out);
    case COUNT_TIME:
        if (!(x >= 0 && x < 3.6e6)) return false;
        time_text(x, out, STAT_DATE);
        return true;
    default: return false;
    }
}
