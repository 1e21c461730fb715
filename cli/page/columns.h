// SPDX-License-Identifier: BSD-3-Clause
/* What a page says about the columns: their importance, the effects of the most important ones, and coefficients. */
#ifndef RUNG_CLI_PAGE_COLUMNS_H
#define RUNG_CLI_PAGE_COLUMNS_H

#include "core/common.h"
#include "core/json_out.h"
#include "page/page.h"

typedef struct {
    const char *answer;                  /* what the model answers, "expected rank" */
    json_t *importance, *effects, *pair; /* reports of the library; NULL: none */
    char *reason;                        /* why there is no importance; NULL: there is */
    bool linear;                         /* the model has coefficients */
} column_facts;

const char *answer_name(const rung_model *model);

/* The effects of the most important columns of a report and, unless pair is NULL, the map of the first two; NULL where
 * no column matters. EXIT_OK or an exit code. */
int leading_effects(session *s, const rung_model *model, const rung_data *data, const json_t *importance,
                    json_t **effects, json_t **pair);
/* From what is known; the reports get a reference. */
column_facts column_facts_of(const rung_model *model, json_t *importance, json_t *effects, json_t *pair);

/* Measured on labelled rows. A model that cannot be explained has a reason instead. EXIT_OK or an exit code. */
int column_facts_find(session *s, const rung_model *model, const rung_data *data, column_facts *out);
void column_facts_free(column_facts *f);

/* The sections that there are, at most COLUMN_SECTIONS; returns how many. */
enum { COLUMN_SECTIONS = 3 };
int column_sections(const column_facts *f, page_section *out);
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
