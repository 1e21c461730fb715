// SPDX-License-Identifier: BSD-3-Clause
/* The random effects of a mixed model, as text. */
#ifndef RUNG_CLI_EXPLAIN_RANDOM_H
#define RUNG_CLI_EXPLAIN_RANDOM_H

#include <stdio.h>

#include "rung/experimental.h"

/* Standard deviations with their tests, correlations, and the effects of the groups of terms with few of them; nothing
 * where the model has none. */
void random_text(FILE *file, const rung_model *model);

#endif
