// SPDX-License-Identifier: BSD-3-Clause
/* A forecast as a line of text and as JSON. */
#ifndef RUNG_CLI_FORECAST_H
#define RUNG_CLI_FORECAST_H

#include <jansson.h>
#include <stdio.h>

#include "rung/experimental.h"

void forecast_say(FILE *file, const rung_forecast *f); /* after the word "forecast" */
json_t *forecast_json(const rung_forecast *f);

#endif
