// SPDX-License-Identifier: BSD-3-Clause
/* What a page tells of a model: from its description (rung_model_describe) and its method, which may be NULL. */
#ifndef RUNG_CLI_PAGE_MODEL_H
#define RUNG_CLI_PAGE_MODEL_H

#include "common.h"
#include "json_out.h"

void page_model(FILE *file, json_t *about, const rung_method *m);
/* The commands that fit such a model, as far as its file tells, and evaluate it. */
void page_repeat(FILE *file, const arguments *args, const json_t *about, const rung_method *m);

#endif
