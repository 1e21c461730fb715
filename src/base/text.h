// SPDX-License-Identifier: BSD-3-Clause
/* Strict conversion of text to numbers, independent of the locale: the whole text must be the number. */
#ifndef RUNG_BASE_TEXT_H
#define RUNG_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The exactly rounded double of text[0..length); decimal is the decimal point. Accepts a sign, digits, an exponent,
 * inf and nan; no surrounding space, no hexadecimal. False when the text is anything else. 1e999 gives infinity. */
bool text_number(const char *text, size_t length, char decimal, double *out);
bool text_integer(const char *text, size_t length, int64_t *out);

bool text_is_utf8(const char *text);           /* valid UTF-8, as JSON needs it */
bool text_equal(const char *a, const char *b); /* ignoring ASCII case */

/* Decimal text with the fewest digits that read back as exactly x; out has 32 bytes. Returns its length. */
int text_format(double x, char *out);

/* "20.5 MiB": a number of bytes in readable form; out has at least 32 bytes. Returns out. */
const char *text_bytes(double bytes, char *out);

/* How many edits turn a into b (Damerau-Levenshtein, ASCII case ignored): for "did you mean". Looks at 63 bytes. */
int text_distance(const char *a, const char *b);

#endif
