// SPDX-License-Identifier: BSD-3-Clause
/* Names of numbers, as files of statistics programs have them: 1 "poor", 2 "fair". SPSS and Stata call them value
 * labels. */
#ifndef RUNG_TABLE_NAMED_VALUES_H
#define RUNG_TABLE_NAMED_VALUES_H

#include <stdbool.h>

#include "base/context.h"

typedef struct { /* zeros: none */
    int32_t n;
    double *code;      /* ascending */
    const char **name; /* distinct */
} named_values;

/* From codes and names in any order; a code that comes twice has its first name. Codes that share a name are told
 * apart: "other (8)", "other (9)". */
rung_status named_values_make(rung_ctx *ctx, pool *mem, int32_t n, const double *code, const char *const *name,
                              named_values *out);
rung_status named_values_copy(rung_ctx *ctx, pool *mem, const named_values *from, named_values *to);
int32_t named_values_find(const named_values *v, double code);        /* -1: it has no name */
int32_t named_values_called(const named_values *v, const char *name); /* -1: there is none */
bool named_values_same(const named_values *a, const named_values *b);

#endif
