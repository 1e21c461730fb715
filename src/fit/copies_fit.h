// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_FIT_COPIES_FIT_H
#define RUNG_FIT_COPIES_FIT_H

#include "fit/heldout.h"

/* Whether records repeat: how far labelled rows that equal others have their grades, beyond the predictions g of a model
 * that has seen none of them. Fills model->copies (model/copies.h) if they nearly always have. */
rung_status copies_fit(rung_ctx *ctx, const training *t, const held_grades *g, rung_model *model);

#endif
