// SPDX-License-Identifier: BSD-3-Clause
/* Expressions of derived columns: "age:sex", "log(income)", "(age-50)^2", "poly(dose, 3)". */
#ifndef RUNG_TERMS_DERIVE_READ_H
#define RUNG_TERMS_DERIVE_READ_H

#include "data/derive.h"

typedef struct { /* parts are columns of the table */
    int64_t n;
    derived_term *term;
    const char **text; /* the expression of each term */
    bool *used;        /* per column of the table */
} derive_wish;

/* The option derive, in scratch memory. RUNG_EARG: one cannot be read, or names no column. */
rung_status derive_wishes(rung_ctx *ctx, const rung_table *t, const char *const *expressions, derive_wish *out);

/* Data coded without derived columns get them. from: the column of the table of each column of the coding. */
rung_status derive_learn(rung_ctx *ctx, const rung_table *t, derive_wish *wish, const int64_t *from, rung_data *data);
/* The same by a coding that has them. */
rung_status derive_known(rung_ctx *ctx, const rung_table *t, rung_data *data);

#endif
