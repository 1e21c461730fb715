// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* strtod_l, uselocale */
#include "base/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/decimal.h"

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c); }
static bool digit(char c) { return c >= '0' && c <= '9'; }

static bool word(const char *p, const char *end, const char *w)
{
    while (p < end && *w && lower(*p) == *w) p++, w++;
    return p == end && !*w;
}

static locale_t c_locale;
static pthread_once_t locale_once = PTHREAD_ONCE_INIT;
static void open_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

bool text_number(const char *text, size_t length, char decimal, double *out)
{
    const char *p = text, *end = text + length;
    double x;
    if (decimal_read(&p, end, decimal, &x)) {
        if (p == end) *out = x;
        return p == end;
    }
    bool negative = false;
    if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
    if (word(p, end, "inf") || word(p, end, "infinity")) return *out = negative ? -INFINITY : INFINITY, true;
    if (word(p, end, "nan")) return *out = NAN, true;
    return false;
}

bool text_integer(const char *text, size_t length, int64_t *out)
{
    const char *p = text, *end = text + length;
    bool negative = false;
    if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
    if (p == end) return false;
    int64_t x = 0;
    for (; p < end; p++) {
        if (!digit(*p) || !product_fits(x, 10, &x) || !difference_fits(x, *p - '0', &x)) return false;
    }
    if (!negative && x == INT64_MIN) return false;
    *out = negative ? x : -x;
    return true;
}

bool text_equal(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return lower(*a) == lower(*b);
}

int text_format(double x, char *out)
{
    if (isnan(x)) return (int)strlen(strcpy(out, "nan"));
    if (isinf(x)) return (int)strlen(strcpy(out, x > 0 ? "inf" : "-inf"));
    pthread_once(&locale_once, open_locale);
    locale_t callers = uselocale(c_locale);
    int length = 0;
    /* 15 digits survive in every normal double, so trying fewer finds nothing shorter; subnormal ones hold fewer. */
    for (int precision = x != 0 && fabs(x) < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        length = snprintf(out, 32, "%.*g", precision, x);
        double back;
        if (text_number(out, (size_t)length, '.', &back) && back == x) break;
    }
    uselocale(callers);
    return length;
}

const char *text_bytes(double bytes, char *out)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = 0;
    for (; bytes >= 1024 && unit < 5; unit++) bytes /= 1024;
    snprintf(out, 32, unit ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
    return out;
}

enum { LONGEST = 63 };

int text_distance(const char *a, const char *b)
{
    int d[LONGEST + 1][LONGEST + 1];
    int m = (int)strnlen(a, LONGEST), n = (int)strnlen(b, LONGEST);
    for (int i = 0; i <= m; i++) d[i][0] = i;
    for (int j = 0; j <= n; j++) d[0][j] = j;
    for (int i = 1; i <= m; i++)
        for (int j = 1; j <= n; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            int best = d[i - 1][j - 1] + (x != y);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]) && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

/* RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool text_is_utf8(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    while (*p) {
        unsigned lead = *p++;
        int more = lead < 0x80 ? 0 : lead < 0xC2 ? -1 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : -1;
        if (more < 0) return false;
        unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        for (; more > 0; more--, p++, low = 0x80, high = 0xBF)
            if (*p < low || *p > high) return false;
    }
    return true;
}
