// SPDX-License-Identifier: BSD-3-Clause
/* What a page says about a model. */
#ifndef RUNG_CLI_PAGE_MODEL_H
#define RUNG_CLI_PAGE_MODEL_H

#include "common.h"

void page_model(FILE *file, const rung_model *model);
/* The commands that fit such a model, as far as its file says, and evaluate it. */
void page_repeat(FILE *file, const arguments *args, const rung_model *model);

#endif
