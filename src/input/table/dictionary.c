// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/dictionary.h"

#include <string.h>

enum { FIRST_BLOCK = 1 << 9, LATER_BLOCK = 1 << 14, MOST_VALUES = INT32_MAX / 2 };

static uint64_t hash(const char *text, size_t length) /* FNV-1a, its high bits folded down */
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return h ^ (h >> 32);
}

/* The slot of text or, if it is absent, the slot where it belongs. */
static int64_t slot_of(const dictionary *d, const char *text, size_t length)
{
    int64_t mask = d->n_slots - 1, at = (int64_t)(hash(text, length) & (uint64_t)mask);
    for (; d->slots[at]; at = (at + 1) & mask) {
        const char *value = d->values[d->slots[at] - 1];
        if (strncmp(value, text, length) == 0 && value[length] == 0) break;
    }
    return at;
}

int32_t dictionary_find(const dictionary *d, const char *text, size_t length)
{
    return d->n_slots ? d->slots[slot_of(d, text, length)] - 1 : -1;
}

/* The first byte that is not part of well-formed UTF-8 (Unicode table 3-7), or -1. */
static int64_t bad_byte(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + length;
    while (p < end) {
        int more = *p < 0x80                 ? 0
                   : *p >= 0xc2 && *p < 0xe0 ? 1
                   : *p >= 0xe0 && *p < 0xf0 ? 2
                   : *p >= 0xf0 && *p < 0xf5 ? 3
                                             : -1;
        if (more < 0 || end - p <= more) return (const char *)p - text;
        if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
            (*p == 0xf4 && p[1] > 0x8f))
            return (const char *)p - text;
        for (int i = 1; i <= more; i++)
            if ((p[i] & 0xc0) != 0x80) return (const char *)p - text;
        p += more + 1;
    }
    return -1;
}

static rung_status grow(rung_ctx *ctx, pool *mem, dictionary *d)
{
    if (d->n >= MOST_VALUES)
        return set_error(ctx, RUNG_ELIMIT, "a column has more than %d distinct texts", MOST_VALUES);
    if (d->n == d->room) {
        int32_t room = d->room ? 2 * d->room : 16;
        TRY(RESIZE(ctx, mem, d->values, room));
        d->room = room;
    }
    if (2 * (int64_t)d->n < d->n_slots) return RUNG_OK;
    int32_t *slots = NULL;
    int64_t n_slots = d->n_slots ? 2 * d->n_slots : 32;
    TRY(NEW(ctx, mem, slots, n_slots));
    pool_free(mem, d->slots);
    d->slots = slots;
    d->n_slots = n_slots;
    for (int32_t i = 0; i < d->n; i++) slots[slot_of(d, d->values[i], strlen(d->values[i]))] = i + 1;
    return RUNG_OK;
}

rung_status dictionary_add(rung_ctx *ctx, pool *mem, dictionary *d, const char *text, size_t length, int32_t *index)
{
    if ((*index = dictionary_find(d, text, length)) >= 0) return RUNG_OK;
    int64_t bad = bad_byte(text, length);
    if (bad >= 0)
        return set_error(ctx, RUNG_EDATA, "byte 0x%02X is not valid UTF-8; save the file as UTF-8",
                         (unsigned)(unsigned char)text[bad]);
    TRY(grow(ctx, mem, d));
    if ((int64_t)length >= d->left) {
        char *block = NULL;
        int64_t room = d->space ? LATER_BLOCK : FIRST_BLOCK;
        if (room <= (int64_t)length) room = (int64_t)length + 1;
        TRY(NEW_RAW(ctx, mem, block, room));
        d->space = block;
        d->left = room;
    }
    memcpy(d->space, text, length);
    d->space[length] = 0;
    d->values[d->n] = d->space;
    d->space += length + 1;
    d->left -= (int64_t)length + 1;
    *index = d->n++;
    d->slots[slot_of(d, text, length)] = d->n;
    return RUNG_OK;
}

void dictionary_seal(pool *mem, dictionary *d)
{
    pool_free(mem, d->slots);
    d->slots = NULL;
    d->n_slots = 0;
}
