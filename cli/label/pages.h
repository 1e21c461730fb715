// SPDX-License-Identifier: BSD-3-Clause
/* What the browser gets: the pages and their files, rows, pictures, and the state of the work in JSON. */
#ifndef RUNG_CLI_LABEL_PAGES_H
#define RUNG_CLI_LABEL_PAGES_H

#include "label/desk.h"
#include "serve/http.h"

void pages_give(void *desk, const http_request *request, http_reply *reply); /* for http_options */

json_t *pages_state(desk *d);                  /* labels, error, reliability; under the lock */
json_t *pages_agreement(desk *d);              /* of the graders, and the rows they disagree about; under the lock */
json_t *pages_row(const desk *d, int64_t row); /* its cells, and nothing that a grade depends on */

/* The picture that the cell names: a file in the folder of the data or below; false: there is none. */
bool pages_picture(const subject *u, int64_t row, int64_t column, http_reply *reply);

#endif
