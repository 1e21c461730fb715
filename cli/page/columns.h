// SPDX-License-Identifier: BSD-3-Clause
/* What a page says about the columns: their importance, the effects of the most important ones, and coefficients. */
#ifndef RUNG_CLI_PAGE_COLUMNS_H
#define RUNG_CLI_PAGE_COLUMNS_H

#include "core/common.h"
#include "core/json_out.h"
#include "page/page.h"

typedef struct {
    rung_importance *importance;
    rung_effects *effects, *pair; /* NULL: none */
    char *reason;                 /* why there is no importance; NULL: there is */
} column_facts;

/* The effects of the most important columns and, where a pair is wanted, the map of the first two; none where no column
 * matters. EXIT_OK or an exit code. */
int leading_effects(session *s, const rung_model *model, const rung_data *data, bool pair, column_facts *facts);

/* Measured on labelled rows. A model that cannot be explained has a reason instead. EXIT_OK or an exit code. */
int column_facts_find(session *s, const rung_model *model, const rung_data *data, column_facts *out);
void column_facts_free(column_facts *f);

/* The sections that there are, at most COLUMN_SECTIONS; returns how many. */
enum { COLUMN_SECTIONS = 3 };
int column_sections(const column_facts *f, const rung_model *model, page_section *out);
void page_columns(FILE *file, const column_facts *f, const rung_model *model);

typedef struct {
    const char *title, *answer, *lead; /* as in page_begin */
    const char *command;               /* that makes the page */
    const char *model_path;
} columns_heading;
/* A whole page: the columns, the model, and how to repeat it. */
void columns_page(FILE *file, const columns_heading *h, const arguments *args, const column_facts *f,
                  const rung_model *model);

#endif
