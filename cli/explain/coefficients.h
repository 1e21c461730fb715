// SPDX-License-Identifier: BSD-3-Clause
/* The coefficients of a linear model, as text. */
#ifndef RUNG_CLI_EXPLAIN_COEFFICIENTS_H
#define RUNG_CLI_EXPLAIN_COEFFICIENTS_H

#include <stdio.h>

#include "rung/experimental.h"

/* "age", "colour: red against blue", "low | high"; to be freed. */
char *coefficient_name(const rung_model *model, const rung_coefficient *c);
/* A sentence about proportional odds; to be freed. NULL: not tested. */
char *parallel_sentence(const rung_model *model);
/* Sentences about what the standard errors assume, which estimates are not finite, and whether predictions are those of
 * the coefficients; to be freed. NULL: nothing to say. */
char *errors_sentence(const rung_model *model);
/* The tables; nothing where the scores are not linear. */
void coefficients_text(FILE *file, const rung_model *model);

#endif
