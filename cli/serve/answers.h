// SPDX-License-Identifier: BSD-3-Clause
/* The answers of `rung serve`: predictions, explanations and the description of models, in JSON. */
#ifndef RUNG_CLI_SERVE_ANSWERS_H
#define RUNG_CLI_SERVE_ANSWERS_H

#include "serve/http.h"

enum { MOST_ROWS = 10000, MOST_EXPLAINED = 100, MOST_SAMPLES = 10000 }; /* of a request */

typedef struct {
    char *name; /* what its paths begin with where there are several */
    rung_model *model;
    rung_data *background; /* the rows that explanations compare with; NULL: none */
} served;

typedef struct {
    served *of;
    int n; /* a single model has the paths without its name, too */
    struct {
        rung_ctx *ctx;
        json_t *warnings; /* of the request that runs */
    } * worker;           /* http_workers() of them */
} answers;

rung_status answers_open(answers *a, const session *s); /* the workers; the models belong to the caller */
void answers_interrupt(answers *a);                     /* requests that run end soon */
void answers_close(answers *a);

void answers_give(void *a, const http_request *request, http_reply *reply); /* for http_options */

#endif
