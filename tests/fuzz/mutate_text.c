// SPDX-License-Identifier: BSD-3-Clause
/* Changes a text of lines and cells in its structure: cells become words that the reader acts upon, lines and columns
 * are doubled, moved and dropped, delimiters, quotes and line ends are replaced. */
#include <string.h>

#include "fuzz.h"

enum { MOST_CHANGES = 4 };

typedef struct {
    uint8_t *bytes;
    size_t size, most;
    uint64_t random;
} table_text;

/* splitmix64 */
static uint64_t draw(table_text *t, uint64_t below)
{
    uint64_t x = t->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % below;
}

#define PICK(t, list) ((list)[draw(t, sizeof(list) / sizeof *(list))])

static const char *word(table_text *t)
{
    size_t n = 0;
    while (fuzz_words[n]) n++;
    return fuzz_words[draw(t, n)];
}

/* Puts text in the place of `length` bytes at `at`. */
static void put(table_text *t, size_t at, size_t length, const void *text, size_t n)
{
    if (t->size - length + n > t->most) return;
    memmove(t->bytes + at + n, t->bytes + at + length, t->size - at - length);
    memcpy(t->bytes + at, text, n);
    t->size += n - length;
}

static int is_end(uint8_t c) { return c == '\n' || c == '\r'; }
static int is_mark(uint8_t c) { return c == ',' || c == ';' || c == '\t' || c == '|' || c == ' ' || is_end(c); }

/* The stretch around a random byte up to those at which `stops` is true. */
static void around(table_text *t, int (*stops)(uint8_t), size_t *from, size_t *to)
{
    *from = *to = (size_t)draw(t, t->size + 1);
    while (*from > 0 && !stops(t->bytes[*from - 1])) --*from;
    while (*to < t->size && !stops(t->bytes[*to])) ++*to;
}

static void change_cell(table_text *t)
{
    size_t from, to;
    const char *cell = word(t);
    around(t, is_mark, &from, &to);
    put(t, from, to - from, cell, strlen(cell));
}

/* A line once more, elsewhere or in the place of another; or gone. */
static void change_line(table_text *t)
{
    uint8_t line[256];
    size_t from, to, length;
    around(t, is_end, &from, &to);
    length = to - from + (to < t->size);
    if (length > sizeof line) length = sizeof line;
    memcpy(line, t->bytes + from, length);
    switch (draw(t, 3)) {
    case 0: put(t, from, length, "", 0); break;
    case 1:
        for (uint64_t times = 1 + draw(t, 12); times > 0; times--) put(t, from, 0, line, length);
        break;
    default: around(t, is_end, &from, &to); put(t, from, 0, line, length);
    }
}

/* The same cell at the end, the beginning or a place of every line: a column more; or one kind of cell in all lines. */
static void change_column(table_text *t)
{
    static const char marks[] = {',', ',', ';', '\t', '|', ' '};
    char mark = PICK(t, marks);
    uint64_t place = draw(t, 4);
    const char *cell = word(t);
    int other = draw(t, 2) == 0;
    for (size_t at = 0, line = 0; at < t->size && t->size + 32 < t->most; line++) {
        size_t end = at;
        uint64_t seen = 0;
        while (end < t->size && !is_end(t->bytes[end])) end++;
        while (at < end && seen < place)
            if (t->bytes[at++] == (uint8_t)mark) seen++;
        if (seen < place) at = end;
        size_t before = t->size;
        if (line > 0 && other && draw(t, 4) == 0) cell = word(t);
        if (at == end) {
            put(t, at, 0, &mark, 1);
            put(t, at + (t->size > before), 0, cell, strlen(cell));
        } else {
            put(t, at, 0, &mark, 1);
            put(t, at, 0, cell, strlen(cell));
        }
        at = end + (t->size - before);
        while (at < t->size && is_end(t->bytes[at])) at++;
    }
}

/* All delimiters, or all line ends, become others. */
static void change_marks(table_text *t)
{
    static const char marks[] = {',', ';', '\t', '|', ' ', '\n', '\r'};
    char from = PICK(t, marks), to = PICK(t, marks);
    for (size_t i = 0; i < t->size; i++)
        if (t->bytes[i] == (uint8_t)from) t->bytes[i] = (uint8_t)to;
}

static void change_byte(table_text *t)
{
    uint8_t byte = (uint8_t)draw(t, 256);
    size_t at = (size_t)draw(t, t->size + 1);
    put(t, at, at < t->size && draw(t, 2), &byte, 1);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    table_text t = {.bytes = bytes, .size = size, .most = most, .random = seed};
    if (LLVMFuzzerMutate && draw(&t, 4) == 0) return LLVMFuzzerMutate(bytes, size, most);
    for (uint64_t changes = 1 + draw(&t, MOST_CHANGES); changes > 0; changes--) switch (draw(&t, 8)) {
        case 0: change_marks(&t); break;
        case 1: change_byte(&t); break;
        case 2: change_column(&t); break;
        case 3:
        case 4: change_line(&t); break;
        default: change_cell(&t);
        }
    return t.size;
}
