// SPDX-License-Identifier: BSD-3-Clause
/* What a model contains, as JSON and as text. */
#ifndef RUNG_CLI_CONTENTS_H
#define RUNG_CLI_CONTENTS_H

#include "core/json_out.h"
#include "rung/experimental.h"

json_t *params_json(const rung_model *model);
json_t *classes_json(const rung_model *model);
json_t *thresholds_json(const rung_model *model); /* null: none */
json_t *model_report_json(const rung_model *model);

/* What a model answers, as far as it is explained: "expected rank". */
const char *answer_name(const rung_model *model);

/* Numbers with six digits, for people; to be freed. */
char *numbers_text(int64_t n, const double *value, const char *between);

#endif
