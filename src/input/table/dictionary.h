// SPDX-License-Identifier: BSD-3-Clause
/* Distinct texts, numbered in order of first appearance. Each is stored once, packed into larger blocks. */
#ifndef RUNG_TABLE_DICTIONARY_H
#define RUNG_TABLE_DICTIONARY_H

#include "base/context.h"

typedef struct { /* zeros: empty */
    int32_t n;
    const char **values;
    int32_t room;
    uint64_t *slots; /* hash table, 0 = free */
    int64_t n_slots;
    char *space; /* the unused part of the newest block of text */
    int64_t left;
} dictionary;

/* The index of text[0..length), added if it is new. A new text that is not UTF-8 is an error. */
rung_status dictionary_add(rung_ctx *ctx, pool *mem, dictionary *d, const char *text, size_t length, int32_t *index);
int32_t dictionary_find(const dictionary *d, const char *text, size_t length); /* -1: not there */

/* Frees the hash table; values stay. */
void dictionary_seal(pool *mem, dictionary *d);

#endif
