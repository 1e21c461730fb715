// SPDX-License-Identifier: BSD-3-Clause
/* decimal.c - w 10^q, w the digits as an integer, rounded once:
 *
 * 1. w and 10^|q| are doubles: one multiplication or division (W. Clinger, How to read floating point numbers
 *    accurately, 1990).
 * 2. w < 2^64 and |q| <= MOST_POWER: w times the 128 leading bits of 5^q. These are cut off, so that w 10^q is between
 *    the product and the product plus w units of its last place; unless the middle of two doubles lies there, which is
 *    seen in the bits, both round to the same double (the idea of D. Lemire, Number parsing at a gigabyte per second,
 *    2021).
 * 3. strtod of the digits. */
#define _GNU_SOURCE /* strtod_l */
#include "base/decimal.h"

#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool digit(char c) { return (unsigned)c - '0' < 10; }

/* ---- strtod ---- */

static locale_t c_locale;
static pthread_once_t locale_once = PTHREAD_ONCE_INIT;
static void open_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* A double and the middle between two of them have at most 768 significant digits: of the digits after those it only
 * matters whether one is not zero. So every text, however long, fits a small array and needs no allocation. */
enum { ENOUGH_DIGITS = 800, FAR = 100000 };

/* strtod of the digits of [p, end) as one integer, times ten to the exponent. */
static double slow_number(const char *p, const char *end, int64_t exponent)
{
    char copy[ENOUGH_DIGITS + 32];
    int n = 0;
    bool rest = false;
    for (; p < end; p++) {
        if (!digit(*p) || (n == 0 && *p == '0')) continue;
        if (n < ENOUGH_DIGITS) {
            copy[n++] = *p;
        } else {
            rest = rest || *p != '0';
            exponent++;
        }
    }
    if (n == 0) return 0;
    if (rest) copy[n++] = '1', exponent--;
    snprintf(copy + n, sizeof copy - (size_t)n, "e%d", (int)(exponent < -FAR ? -FAR : exponent > FAR ? FAR : exponent));
    pthread_once(&locale_once, open_locale);
    return strtod_l(copy, NULL, c_locale);
}

/* ---- the leading bits of powers of five ---- */

enum { MOST_POWER = 64, LIMBS = 5, WORD = 64 };

typedef struct {
    uint64_t high, low; /* 5^q = (high 2^64 + low) 2^exponent, cut off; the first bit of high is 1 */
    int exponent;
} power;

static power powers[2 * MOST_POWER + 1];
static pthread_once_t powers_once = PTHREAD_ONCE_INIT;

__extension__ typedef unsigned __int128 wide;

/* The leading 128 bits of a number of LIMBS words, the lowest first, times 2^exponent. */
static power leading(const uint64_t *limb, int exponent)
{
    int top = LIMBS - 1;
    while (limb[top] == 0) top--;
    int shift = __builtin_clzll(limb[top]);
    uint64_t part[3];
    for (int k = 0; k < 3; k++) part[k] = top >= k ? limb[top - k] : 0;
    for (int k = 0; k < 2 && shift > 0; k++) part[k] = part[k] << shift | part[k + 1] >> (WORD - shift);
    return (power){part[0], part[1], exponent + WORD * (top - 1) - shift};
}

/* 5^q upwards from 1; 2^(64 LIMBS - 1) / 5^q, cut off, downwards. */
static void fill_powers(void)
{
    uint64_t up[LIMBS] = {1}, down[LIMBS] = {0};
    down[LIMBS - 1] = UINT64_C(1) << (WORD - 1);
    for (int q = 0; q <= MOST_POWER; q++) {
        powers[MOST_POWER + q] = leading(up, 0);
        powers[MOST_POWER - q] = leading(down, 1 - WORD * LIMBS);
        wide carry = 0, rest = 0;
        for (int k = 0; k < LIMBS; k++) {
            carry += (wide)up[k] * 5;
            up[k] = (uint64_t)carry;
            carry >>= WORD;
        }
        for (int k = LIMBS - 1; k >= 0; k--) {
            rest = rest << WORD | down[k];
            down[k] = (uint64_t)(rest / 5);
            rest %= 5;
        }
    }
}

/* False: the product does not say to which double it rounds. */
static bool quick_number(uint64_t w, int q, double *out)
{
    pthread_once(&powers_once, fill_powers);
    const power *p = &powers[MOST_POWER + q];
    int shift = __builtin_clzll(w);
    wide upper = (wide)(w << shift) * p->high, lower = (wide)(w << shift) * p->low;
    upper += lower >> WORD; /* with the low word of `lower`, which is less than a unit of this one, the product */
    uint64_t high = (uint64_t)(upper >> WORD), rest = (uint64_t)upper;
    int drop = 10 + (int)(high >> (WORD - 1)); /* bits of high beyond the 53 of a double */
    uint64_t half = UINT64_C(1) << (drop - 1), below = high & (2 * half - 1);
    if ((below == half && rest == 0) || (below == half - 1 && rest == UINT64_MAX)) return false;
    /* neither overflows nor is subnormal: |q| and w are not large enough */
    uint64_t bits = (uint64_t)(1023 + drop + 2 * WORD + p->exponent + q - shift) << 52;
    memcpy(out, &bits, sizeof bits);
    *out *= (double)((high >> drop) + (below >= half));
    return true;
}

enum { EXACT_DIGITS = 19 }; /* as many fit w */

static double nearest(uint64_t w, int64_t digits, int64_t exponent, const char *first, const char *last)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { EXACT_POWER = 22 };
    double x;
    if (digits > EXACT_DIGITS) return slow_number(first, last, exponent);
    if (w <= UINT64_C(1) << 53 && exponent >= -EXACT_POWER && exponent <= EXACT_POWER)
        return exponent < 0 ? (double)w / power_of_ten[-exponent] : (double)w * power_of_ten[exponent];
    if (w != 0 && exponent >= -MOST_POWER && exponent <= MOST_POWER && quick_number(w, (int)exponent, &x)) return x;
    return slow_number(first, last, exponent);
}

/* ---- text ---- */

/* The digits that the next eight bytes begin with: how many, and their number. */
static int some_digits(const char *p, uint64_t *value)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t each = UINT64_C(0x0101010101010101), low = UINT64_C(0x000000ff000000ff);
    uint64_t v;
    memcpy(&v, p, sizeof v);
    uint64_t others = ((v & (v + 0x06 * each)) & 0xf0 * each) ^ 0x30 * each; /* 0 in the bytes of the first digits */
    int n = others ? __builtin_ctzll(others) / 8 : 8;
    if (n == 0) return 0;
    v = (v ^ 0x30 * each) << (64 - 8 * n);
    v = v * 10 + (v >> 8); /* pairs, then fours, then all */
    *value = ((v & low) * UINT64_C(0x000f424000000064) + (v >> 16 & low) * UINT64_C(0x0000271000000001)) >> 32;
    return n;
#else
    int n = 0;
    for (*value = 0; n < 8 && digit(p[n]); n++) *value = *value * 10 + (uint64_t)(p[n] - '0');
    return n;
#endif
}

static const char *read_digits(const char *p, const char *end, uint64_t *w)
{
    static const uint64_t power_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    uint64_t v = *w, some;
    for (int n = 8; end - p >= 8 && n == 8; p += n) {
        n = some_digits(p, &some);
        if (n > 0) v = v * power_of_ten[n] + some;
    }
    for (; p < end && digit(*p); p++) v = v * 10 + (uint64_t)(*p - '0');
    *w = v;
    return p;
}

/* The number after e or E; false: there is none. */
static bool read_exponent(const char **at, const char *end, int64_t *exponent)
{
    const char *p = *at + 1;
    int64_t e = 0;
    bool down = false;
    if (p < end && (*p == '+' || *p == '-')) down = *p++ == '-';
    if (p == end || !digit(*p)) return false;
    for (; p < end && digit(*p); p++)
        if (e < INT64_MAX / 100) e = e * 10 + (*p - '0');
    *exponent += down ? -e : e;
    *at = p;
    return true;
}

bool decimal_read(const char **at, const char *end, char point, double *out)
{
    const char *p = *at;
    bool negative = false;
    if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
    const char *first = p;
    uint64_t w = 0;
    int64_t exponent = 0;
    for (; p < end && digit(*p); p++) w = w * 10 + (uint64_t)(*p - '0');
    int64_t digits = p - first;
    if (p < end && *p == point) {
        const char *fraction = ++p;
        p = read_digits(p, end, &w);
        exponent = fraction - p;
        digits += p - fraction;
    }
    if (digits == 0) return false;
    const char *last = p;
    if (p < end && (*p == 'e' || *p == 'E') && !read_exponent(&p, end, &exponent)) return false;
    for (const char *zero = first; digits > EXACT_DIGITS && (*zero == '0' || *zero == point); zero++)
        digits -= *zero == '0';
    double x = nearest(w, digits, exponent, first, last);
    *out = negative ? -x : x;
    *at = p;
    return true;
}
