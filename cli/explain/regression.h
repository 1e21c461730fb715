// SPDX-License-Identifier: BSD-3-Clause
/* The numbers of a linear model as a regression table: rows of coefficients, of the spread and thresholds; and as a
 * file. */
#ifndef RUNG_CLI_EXPLAIN_REGRESSION_H
#define RUNG_CLI_EXPLAIN_REGRESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "rung/experimental.h"

typedef struct {
    char *name;
    rung_coefficient c;
    double low, high; /* 95 % range of the coefficient; NaN: none */
    double odds, odds_low, odds_high;
} regression_row;

typedef struct {
    int rows;
    regression_row *row;
    bool errors, odds; /* there are some */
    bool profile;      /* the ranges are those of the profile likelihood */
} regression;

/* Of the only score of a model; to be freed. rows 0: there is none. */
regression regression_of(const rung_model *model);
void regression_free(regression *r);

/* "log likelihood -151.1715, 7 parameters, AIC 316.3430, BIC 337.4561"; to be freed. NULL: there is none. */
char *likelihood_sentence(const rung_model *model);
/* What the ranges are; to be freed. NULL: there are none. */
char *ranges_sentence(const regression *r);

typedef enum { TABLE_NONE, TABLE_CSV, TABLE_TEX, TABLE_HTML } table_form;
table_form table_form_of(const char *path); /* by its ending */
void regression_write(FILE *file, table_form form, const rung_model *model, const char *path);

#endif
