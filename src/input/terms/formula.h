// SPDX-License-Identifier: BSD-3-Clause
/* Formulas as in R: "grade ~ age*sex + poly(bmi, 2) - id". */
#ifndef RUNG_TERMS_FORMULA_H
#define RUNG_TERMS_FORMULA_H

#include "input/table/table.h"

/* What a formula says as the options label, ignore, nominal and derive, beside those that are given. In scratch memory.
 * from->formula NULL: a copy. RUNG_EARG: it cannot be read, or names no column. */
rung_status formula_options(rung_ctx *ctx, const rung_table *t, const rung_encode_options *from,
                            rung_encode_options *out);

#endif
