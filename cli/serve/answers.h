// SPDX-License-Identifier: BSD-3-Clause
/* The answers of `rung serve`: predictions, explanations and the description of a model, in JSON. */
#ifndef RUNG_CLI_SERVE_ANSWERS_H
#define RUNG_CLI_SERVE_ANSWERS_H

#include "serve/http.h"

typedef struct {
    const rung_model *model;
    const rung_data *background; /* the rows that explanations compare with; NULL: none */
    struct {
        rung_ctx *ctx;
        json_t *warnings; /* of the request that runs */
    } * worker;           /* http_workers() of them */
} answers;

rung_status answers_open(answers *a, const session *s); /* the workers; model and background belong to the caller */
void answers_interrupt(answers *a);                     /* requests that run end soon */
void answers_close(answers *a);

void answers_give(void *a, const http_request *request, http_reply *reply); /* for http_options */

#endif
