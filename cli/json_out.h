// SPDX-License-Identifier: BSD-3-Clause
/* JSON on standard output: Jansson values, written with the shortest numbers that read back exactly. */
#ifndef RUNG_CLI_JSON_OUT_H
#define RUNG_CLI_JSON_OUT_H

#include <jansson.h>
#include <stdio.h>

void jout_init(void); /* once: running out of memory inside Jansson ends the program with a message */

json_t *jout_number(double x);        /* null where JSON has no such number */
json_t *jout_text(const char *text);  /* null for NULL; bytes that are no UTF-8 become ? */
json_t *jout_parse(const char *text); /* what the library described; ends the program when it is no JSON */

/* One value; lines and indents by two, or all on one line. */
void jout_write(FILE *file, const json_t *value, int one_line);
/* The same with a newline, and releases the value: how a command ends with --json. */
void jout_print(json_t *value);

#endif
