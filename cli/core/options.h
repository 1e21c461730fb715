// SPDX-License-Identifier: BSD-3-Clause
/* The one option parser. Options are plain tables: the parser, --help, the man pages and the shell completion
 * all read them. */
#ifndef RUNG_CLI_OPTIONS_H
#define RUNG_CLI_OPTIONS_H

#include <stdbool.h>

typedef struct {
    const char *name;    /* long name, without the dashes; NULL ends the table */
    char letter;         /* short name; 0: none */
    const char *metavar; /* the name of the value, N, or the allowed ones, median|error; NULL: a switch */
    const char *help;    /* {method}, {real method}: the default ones, see option_help */
    const char *group;   /* heading in the help */
} option;

typedef struct {
    const option *option; /* NULL: an operand */
    const char *value;    /* NULL: a switch */
} argument;

typedef struct {
    const option *const *tables; /* ends with NULL */
    int n, operands;
    argument *list; /* in the order given */
} arguments;

/* Reads argv[1..argc-1]: --name value, --name=value, -n value, -nvalue, switches together (-qv), `--`; options may
 * follow operands and be repeated. An error is printed to stderr with the nearest name or the allowed values; false
 * then. */
bool arguments_parse(const char *command, int argc, char *const *argv, const option *const *tables, arguments *out);
void arguments_free(arguments *args);

/* An option the command does not have was not given. */
bool option_given(const arguments *args, const char *name);
const char *option_value(const arguments *args, const char *name); /* the last one given; NULL: none */
/* The values of a repeated option in turn: start with *at = 0; NULL after the last. */
const char *option_each(const arguments *args, const char *name, int *at);
const char *operand(const arguments *args, int index); /* from 0; NULL past the last */
/* The option given beside which this one has no effect; NULL: there is none. */
const char *option_useless(const arguments *args, const char *name);
/* False, printed, where an option given has no effect beside, or without, another one. */
bool options_agree(const char *command, const arguments *args);
bool option_writes(const option *o); /* its value is a file to write ... */
bool option_reads(const option *o);  /* ... or to read */
/* The files that options write in turn, and those options, as option_each. */
const char *option_written(const arguments *args, int *at, const option **by);

const option *option_find(const option *const *tables, const char *name); /* NULL: there is none */
bool option_lists_values(const option *o); /* median|error, but not N|loo: names are in capitals */

/* The name nearest to text, or NULL when none is near; names ends with NULL. */
const char *nearest_name(const char *text, const char *const *names);

#endif
