// SPDX-License-Identifier: BSD-3-Clause
/* Output of the program: files written completely or not at all, numbers, CSV cells, aligned text. */
#ifndef RUNG_CLI_OUTPUT_H
#define RUNG_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct output_sink output_sink; /* where the bytes of a file go */

typedef struct {
    FILE *file;
    char *path, *temporary; /* NULL: standard output; NULL: written in place */
    output_sink *sink;      /* NULL: standard output */
} output;

/* path NULL or "-": standard output. A file is written under a temporary name and renamed by output_keep, with the
 * permissions of the file it replaces; anything that is not a regular file (/dev/null, a pipe) is written in place.
 * Failures are printed with their cause; false then. */
bool output_open(output *o, const char *path);
bool output_keep(output *o);         /* everything is written */
void output_discard(output *o);      /* leaves nothing behind; fine after output_keep */
bool output_failed(const output *o); /* a write has failed; output_keep prints the error */

/* A check before long work: false, with a message, if the folder does not exist or path cannot be a file. */
bool output_possible(const char *path);

bool output_same_file(const char *a, const char *b); /* the same regular file, possibly under different names */

bool stdout_close(void); /* at exit: false, with a message, if output was lost */

/* The shortest text that reads back as exactly x (at most 17 digits). */
typedef struct {
    char text[32];
} number_text;
number_text number_of(double x);

void csv_cell(FILE *file, const char *text); /* quoted if RFC 4180 requires it */
void csv_number(FILE *file, double x);       /* after a comma; nothing for NaN */
void latex_escaped(FILE *file, const char *text);

/* Prints text from column `at` on, wrapped at 80 columns, further lines from column `indent`; and a newline. */
void wrap_text(FILE *file, const char *text, int at, int indent);

/* ---- aligned columns of text ---- */
typedef struct {
    const char *align; /* one letter per column: l or r */
    int columns, cells, room;
    char **cell;
} sheet;

double without_sign(double x, int decimals); /* x, or 0 where it would be printed as -0 */

sheet sheet_new(const char *align);
void sheet_add(sheet *t, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the next cell */
void sheet_add_number(sheet *t, double x, int decimals);                                 /* "-" for NaN */
/* Prints the rows, each after the indent, and frees the sheet. */
void sheet_print(sheet *t, FILE *file, const char *indent);

int text_width(const char *text); /* characters of UTF-8 text */

#endif
