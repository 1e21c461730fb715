// SPDX-License-Identifier: BSD-3-Clause
#include "input/read/encoding.h"

#include <string.h>

/* The characters of the bytes 0x80 to 0x9f; 0: there is none. */
static const uint16_t western[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                     0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                     0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                     0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

static unsigned character(unsigned char byte) { return byte >= 0x80 && byte < 0xa0 ? western[byte - 0x80] : byte; }

static bool is_text(unsigned char byte)
{
    return byte >= 0x80 ? character(byte) != 0 : byte >= 0x20 ? byte != 0x7f : byte >= '\t' && byte <= '\r';
}

/* Bytes that follow this one in UTF-8; -1: it begins no character. */
static int following(unsigned char lead)
{
    return lead < 0xc2 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : -1;
}

encoding encoding_of(const char *text, int64_t n, bool ended, int64_t *left)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + n;
    *left = 0;
    for (uint64_t eight; end - p >= 8; p += 8) {
        memcpy(&eight, p, sizeof eight);
        if (eight & UINT64_C(0x8080808080808080)) break;
    }
    while (p < end && *p < 0x80) p++;
    if (p == end) return ENCODING_ASCII;
    int more = following(*p), there = 0;
    while (there < more && p + 1 + there < end && (p[1 + there] & 0xc0) == 0x80) there++;
    if (there == more) return ENCODING_UTF8;
    if (more > 0 && p + 1 + there == end && !ended) return *left = end - p, ENCODING_ASCII;
    for (const unsigned char *q = (const unsigned char *)text; q < end; q++)
        if (!is_text(*q)) return ENCODING_UTF8;
    return ENCODING_WESTERN;
}

/* A byte without a character becomes one that cannot be printed, as in browsers. */
static unsigned turned(char byte)
{
    unsigned c = character((unsigned char)byte);
    return c ? c : (unsigned char)byte;
}

static int length_of(unsigned c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : 3; }

int64_t encoding_turned(const char *text, int64_t n)
{
    int64_t all = 0;
    for (int64_t i = 0; i < n; i++) all += length_of(turned(text[i]));
    return all;
}

static int put_character(unsigned c, char *to)
{
    int length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = length - 1; i > 0; i--, c >>= 6) to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(first[length] | c);
    return length;
}

/* Two bytes, the more significant one first or second. */
static unsigned unit_of(const unsigned char *at, bool high_first)
{
    return (unsigned)at[high_first ? 0 : 1] << 8 | at[high_first ? 1 : 0];
}

int64_t encoding_narrow(const unsigned char *wide, int64_t n, bool high_first, bool ended, char *to, int64_t *taken)
{
    enum { UNKNOWN = 0xfffd };
    int64_t i = 0, written = 0;
    for (; i + 2 <= n; i += 2) {
        unsigned c = unit_of(wide + i, high_first), low = 0;
        bool pair = c >= 0xd800 && c < 0xdc00;
        if (pair && i + 4 > n && !ended) break;
        if (pair && i + 4 <= n) low = unit_of(wide + i + 2, high_first);
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
            i += 2;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = UNKNOWN;
        }
        written += put_character(c, to + written);
    }
    if (ended && i + 1 == n) written += put_character(UNKNOWN, to + written), i++;
    *taken = i;
    return written;
}

/* From the end, so that nothing is overwritten before it is read. */
int64_t encoding_turn(char *text, int64_t n)
{
    int64_t all = encoding_turned(text, n), at = all;
    for (int64_t i = n - 1; i >= 0; i--) {
        unsigned c = turned(text[i]);
        int length = length_of(c);
        at -= length;
        if (length == 1) text[at] = (char)c;
        if (length == 2) text[at] = (char)(0xc0 | c >> 6), text[at + 1] = (char)(0x80 | (c & 0x3f));
        if (length == 3) {
            text[at] = (char)(0xe0 | c >> 12);
            text[at + 1] = (char)(0x80 | (c >> 6 & 0x3f));
            text[at + 2] = (char)(0x80 | (c & 0x3f));
        }
    }
    return all;
}
