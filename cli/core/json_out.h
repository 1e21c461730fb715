// SPDX-License-Identifier: BSD-3-Clause
/* JSON on standard output: Jansson values, written with the shortest numbers that read back exactly. */
#ifndef RUNG_CLI_JSON_OUT_H
#define RUNG_CLI_JSON_OUT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

void jout_init(void); /* once: running out of memory inside Jansson ends the program with a message */

json_t *jout_number(double x);                    /* null where JSON has no such number */
json_t *jout_numbers(int64_t n, const double *x); /* null for NULL */
json_t *jout_text(const char *text);              /* null for NULL; invalid UTF-8 bytes become ? */
json_t *jout_parse(const char *text);             /* a description by the library; ends the program if it is not JSON */

/* One value; lines and indents by two, or all on one line. */
void jout_write(FILE *file, const json_t *value, int one_line);
/* The same with a newline, and releases the value: how a command ends with --json. */
void jout_print(json_t *value);

#endif
