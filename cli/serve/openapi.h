// SPDX-License-Identifier: BSD-3-Clause
/* The description of all requests and answers, in OpenAPI 3.1: other programs make clients and forms from it. */
#ifndef RUNG_CLI_SERVE_OPENAPI_H
#define RUNG_CLI_SERVE_OPENAPI_H

#include "serve/answers.h"

json_t *openapi_of(const answers *a);

#endif
