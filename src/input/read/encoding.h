// SPDX-License-Identifier: BSD-3-Clause
/* Text that is not UTF-8: Windows-1252, which holds Latin-1, as spreadsheets of western Europe save it, and UTF-16. */
#ifndef RUNG_READ_ENCODING_H
#define RUNG_READ_ENCODING_H

#include <stdbool.h>
#include <stdint.h>

/* What a text is, judged by its bytes so far: ASCII is part of both others. */
typedef enum {
    ENCODING_ASCII,
    ENCODING_UTF8,
    ENCODING_WESTERN,
    ENCODING_LOW_FIRST, /* UTF-16, two bytes for most characters, the low one first ... */
    ENCODING_HIGH_FIRST /* ... or the high one */
} encoding;

enum { ENCODING_MOST = 3 }; /* bytes of UTF-8 that one byte becomes, at most */

/* Of text that is ASCII up to here, judged by its first character that is not. *left: bytes at the end which may be the
 * beginning of a character. Bytes that are no text in either encoding count as UTF-8, whose readers refuse them. */
encoding encoding_of(const char *text, int64_t n, bool ended, int64_t *left);

/* Turns n bytes of Windows-1252 into UTF-8 where they stand; there is room. Returns how many bytes they are then. */
int64_t encoding_turn(char *text, int64_t n);
int64_t encoding_turned(const char *text, int64_t n); /* the same number, before */

/* UTF-16 as UTF-8: at most 3 bytes for 2. *taken: of the n bytes; what is left begins a character whose rest is not
 * there yet. Halves of characters become U+FFFD. Returns the bytes written. */
int64_t encoding_narrow(const unsigned char *wide, int64_t n, bool high_first, bool ended, char *to, int64_t *taken);

#endif
