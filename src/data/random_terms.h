// SPDX-License-Identifier: BSD-3-Clause
/* Which columns of a data set name groups of rows that have effects of their own, and how these vary: the random terms
 * of a mixed model. A column of groups is one of the coding (FORM_LEVEL): its coded column holds the number of the
 * group from 1, 0 where it is none of those of the training rows. */
#ifndef RUNG_DATA_RANDOM_TERMS_H
#define RUNG_DATA_RANDOM_TERMS_H

#include "data/dataset.h"

enum { RANDOM_TERMS = 8, RANDOM_FACTORS = 4, RANDOM_SLOPES = 7 };

struct random_term {
    int n_factors; /* columns whose groups, taken together, are those of the term ... */
    int64_t factor[RANDOM_FACTORS];
    int n_slopes; /* ... and columns whose coefficients differ between them, beside the intercept */
    int64_t slope[RANDOM_SLOPES];
};

/* "judge", "class:school", "temp | judge": the slopes, then the groups; in the pool given. */
rung_status random_term_name(rung_ctx *ctx, pool *mem, const coding *code, const random_term *t, const char **out);
/* What must hold of the terms whoever wrote them; an error is of this status. */
rung_status random_check(rung_ctx *ctx, const coding *code, rung_status status);

#endif
