// SPDX-License-Identifier: BSD-3-Clause
/* What a page says about a model. */
#ifndef RUNG_CLI_PAGE_MODEL_H
#define RUNG_CLI_PAGE_MODEL_H

#include "core/common.h"

void page_model(FILE *file, const rung_model *model);
/* How the model at a path was made, and the command of this page. */
void page_repeat(FILE *file, const char *command, const arguments *args, const char *path, const rung_model *model);

#endif
