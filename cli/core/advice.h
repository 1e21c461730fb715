// SPDX-License-Identifier: BSD-3-Clause
/* The words of the command for what a sentence of the library is about. */
#ifndef RUNG_CLI_ADVICE_H
#define RUNG_CLI_ADVICE_H

#include "core/options.h"

/* A sentence of the library and its detail (rung_ctx_detail) in the words of the command: a parameter is written
 * `-p NAME=` (`--grid NAME=` where args have its values there), options and lists that would help follow in brackets.
 * To be freed. */
char *advice(const char *sentence, const char *detail, const arguments *args);

#endif
