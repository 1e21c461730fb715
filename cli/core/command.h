// SPDX-License-Identifier: BSD-3-Clause
/* A command is one file that ends in one entry of the array in main.c. */
#ifndef RUNG_CLI_COMMAND_H
#define RUNG_CLI_COMMAND_H

#include <stdio.h>

#include "core/common.h"
#include "core/options.h"

typedef struct {
    const char *line; /* what to type */
    const char *help;
} example;

typedef struct {
    const char *name;
    const char *operands; /* "MODEL DATA", "[METHOD]" */
    const char *help;     /* one line */
    const char *about;    /* more of it: paragraphs, separated by newlines */
    const option *const *options;
    const char *usual; /* the options that --help explains, in this order; it names the others; NULL: it explains all */
    const char *output;      /* the default file of -o; NULL: none */
    const example *examples; /* ends with a row whose line is NULL */
    bool ranks;              /* several processes can share its work (processes/processes.h) */
    int (*run)(session *s, const arguments *args);
} command;

extern const command command_fit, command_predict, command_evaluate, command_metrics, command_inspect, command_methods,
    command_generate, command_tune, command_curve, command_update, command_experiment, command_plot, command_demo,
    command_explain, command_compare, command_serve, command_suggest, command_label, command_export;

const command *command_at(int index); /* NULL past the last */
const command *command_find(const char *name);

/* Parses and runs one command in its own session; argv[0] is its name. Returns the exit code. */
int command_run(int argc, char *const *argv);

void help_all(FILE *file);
void help_command(FILE *file, const command *c, bool all); /* all: the options that are not usual, too */
char *option_help(const option *o);                        /* with the names of the default methods; to be freed */
void man_page(FILE *file, const command *c);               /* NULL: of rung itself */

/* For shell completion: prints the completions of the last word after `rung`, one per line, each followed by a tab and
 * a description; or `:files` if a file name is expected. Returns the exit code. */
int complete_words(int n, char *const *words);

#endif
