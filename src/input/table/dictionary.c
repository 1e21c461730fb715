// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/dictionary.h"

#include <string.h>

enum { FIRST_BLOCK = 1 << 9, LATER_BLOCK = 1 << 14, MOST_VALUES = INT32_MAX / 2 };

static uint64_t word_at(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
    return w;
}

static uint64_t short_word(const char *p, size_t length) /* below 8 bytes */
{
    uint32_t first, last;
    if (length < 4)
        return length ? (uint64_t)(unsigned char)p[0] | (uint64_t)(unsigned char)p[length / 2] << 8 |
                            (uint64_t)(unsigned char)p[length - 1] << 16
                      : 0;
    memcpy(&first, p, sizeof first);
    memcpy(&last, p + length - 4, sizeof last);
    return (uint64_t)first | (uint64_t)last << 32;
}

/* Eight bytes at a time, the last ones also where they overlap. */
static uint64_t hash(const char *text, size_t length)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = length * factor;
    size_t i = 0;
    for (; i + 8 < length; i += 8) h = (h ^ word_at(text + i)) * factor, h ^= h >> 29;
    h = (h ^ (length < 8 ? short_word(text, length) : word_at(text + length - 8))) * factor;
    return h ^ (h >> 32);
}

static bool same_text(const char *a, const char *b, size_t length)
{
    if (length < 8) return short_word(a, length) == short_word(b, length);
    for (size_t i = 0; i + 8 < length; i += 8)
        if (word_at(a + i) != word_at(b + i)) return false;
    return word_at(a + length - 8) == word_at(b + length - 8);
}

/* A slot: high bits of the hash, the length if it is below LONG, index + 1. */
enum { LONG = 255, LENGTH_AT = 32, HASH_AT = 40 };
static const uint64_t INDEX = UINT32_MAX;

static uint64_t slot_for(uint64_t hashed, size_t length)
{
    return hashed >> HASH_AT << HASH_AT | (uint64_t)(length < LONG ? length : LONG) << LENGTH_AT;
}

/* The slot of text, of this hash, or, if it is absent, the slot where it belongs. */
static int64_t slot_of(const dictionary *d, const char *text, size_t length, uint64_t hashed)
{
    int64_t mask = d->n_slots - 1, at = (int64_t)(hashed & (uint64_t)mask);
    uint64_t wanted = slot_for(hashed, length);
    for (; d->slots[at]; at = (at + 1) & mask) {
        if ((d->slots[at] ^ wanted) & ~INDEX) continue;
        const char *value = d->values[(d->slots[at] & INDEX) - 1];
        if ((length < LONG || strlen(value) == length) && same_text(value, text, length)) break;
    }
    return at;
}

int32_t dictionary_find(const dictionary *d, const char *text, size_t length)
{
    return d->n_slots ? (int32_t)(d->slots[slot_of(d, text, length, hash(text, length))] & INDEX) - 1 : -1;
}

static void put_slot(dictionary *d, int32_t index, const char *text, size_t length)
{
    uint64_t hashed = hash(text, length);
    d->slots[slot_of(d, text, length, hashed)] = slot_for(hashed, length) | (uint64_t)(index + 1);
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
    if (4 * ((int64_t)d->n + 1) <= 3 * d->n_slots) return RUNG_OK;
    uint64_t *slots = NULL;
    int64_t n_slots = d->n_slots ? 2 * d->n_slots : 32;
    TRY(NEW(ctx, mem, slots, n_slots));
    pool_free(mem, d->slots);
    d->slots = slots;
    d->n_slots = n_slots;
    for (int32_t i = 0; i < d->n; i++) put_slot(d, i, d->values[i], strlen(d->values[i]));
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
    put_slot(d, *index, text, length);
    return RUNG_OK;
}

void dictionary_seal(pool *mem, dictionary *d)
{
    pool_free(mem, d->slots);
    d->slots = NULL;
    d->n_slots = 0;
}
