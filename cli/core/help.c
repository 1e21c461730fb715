// SPDX-License-Identifier: BSD-3-Clause
/* --help, from the tables of commands and options. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/output.h"

enum { COLUMN = 26 };

char *option_help(const option *o)
{
    static const char *const marks[] = {"{method}", "{real method}"};
    char *text = text_of("%s", o->help);
    for (int real = 0; real < 2; real++) {
        const char *at = strstr(text, marks[real]);
        if (!at) continue;
        char *named =
            text_of("%.*s%s%s", (int)(at - text), text, rung_method_default(real)->name, at + strlen(marks[real]));
        free(text);
        text = named;
    }
    return text;
}

static void help_option(FILE *file, const option *o)
{
    char left[64];
    int n = snprintf(left, sizeof left, o->letter ? "  -%c, --%s%s%s" : "  %c   --%s%s%s", o->letter ? o->letter : ' ',
                     o->name, o->metavar ? " " : "", o->metavar ? o->metavar : "");
    fputs(left, file);
    if (n > COLUMN - 2) {
        fputc('\n', file);
        n = 0;
    }
    fprintf(file, "%*s", COLUMN - n, "");
    char *help = option_help(o);
    wrap_text(file, help, COLUMN, COLUMN);
    free(help);
}

void help_command(FILE *file, const command *c)
{
    fprintf(file, "Usage: rung %s %s%s[OPTION]...\n\n", c->name, c->operands, *c->operands ? " " : "");
    char *line = text_of("%c%s.", toupper((unsigned char)c->help[0]), c->help + 1);
    wrap_text(file, line, 0, 0);
    free(line);
    if (*c->about) {
        fputc('\n', file);
        wrap_text(file, c->about, 0, 0);
    }
    const char *group = "";
    for (const option *const *table = c->options; *table; table++)
        for (const option *o = *table; o->name; o++) {
            if (strcmp(group, o->group)) fprintf(file, "\n%s:\n", group = o->group);
            help_option(file, o);
        }
    fprintf(file, "\nExamples:\n");
    for (const example *e = c->examples; e->line; e++) {
        fprintf(file, "  %s\n      ", e->line);
        wrap_text(file, e->help, 6, 6);
    }
}

void help_all(FILE *file)
{
    fprintf(file, "Usage: rung COMMAND [ARGUMENT]...\n\n");
    wrap_text(file,
              "Ordinal regression with few labels: learns to predict grades on an ordered scale (ratings, stages, "
              "marks) from a table in which few rows are labelled, and gives the probability of each class.",
              0, 0);
    fprintf(file, "\nCommands:\n");
    const command *c;
    for (int i = 0; (c = command_at(i)); i++) fprintf(file, "  %-10s %s\n", c->name, c->help);
    fprintf(file, "\n'rung COMMAND --help' explains a command; 'rung demo' demonstrates them.\n");
}
