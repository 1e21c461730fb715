// SPDX-License-Identifier: BSD-3-Clause
/* Random terms as the caller writes them: "judge", "school/class", "school:class", "(temp | judge)". */
#ifndef RUNG_TERMS_RANDOM_READ_H
#define RUNG_TERMS_RANDOM_READ_H

#include "data/random_terms.h"

typedef struct { /* columns are those of the table */
    int n;
    random_term term[RANDOM_TERMS];
    bool *level; /* per column of the table: it names groups */
} random_wish;

/* The option random, in scratch memory. RUNG_EARG: one cannot be read, or names no column. */
rung_status random_wishes(rung_ctx *ctx, const rung_table *t, const char *const *wanted, random_wish *out);
/* The terms of a coding that was learned, columns of the table as those of the coding. RUNG_EARG: a slope is no
 * feature. */
rung_status random_learn(rung_ctx *ctx, pool *mem, const rung_table *t, const random_wish *wish, coding *code);
/* The column of the table that is a part of all terms, so that rows without a group of any other are those without one
 * of its groups; -1: the terms are crossed. */
int64_t random_outer(const random_wish *wish);

#endif
