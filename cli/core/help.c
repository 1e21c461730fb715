// SPDX-License-Identifier: BSD-3-Clause
/* --help, from the tables of commands and options. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"
#include "core/output.h"

enum { COLUMN = 26, BRIEF_EXAMPLES = 3 };

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

static bool is_usual(const command *c, const option *o)
{
    size_t length = strlen(o->name);
    for (const char *at = c->usual; at && (at = strstr(at, o->name)); at += length)
        if ((at == c->usual || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

static void explain_options(FILE *file, const command *c)
{
    const char *group = "";
    for (const option *const *table = c->options; *table; table++)
        for (const option *o = *table; o->name; o++) {
            if (strcmp(group, o->group)) fprintf(file, "\n%s:\n", group = o->group);
            help_option(file, o);
        }
}

/* A line of names, which is released. */
static void print_names(FILE *file, char *line)
{
    if (!line) return;
    fputs("  ", file);
    wrap_text(file, line, 2, 4);
    free(line);
}

/* The usual options explained, in their own order, and the others named, so that the page fits a screen. */
static void explain_usual(FILE *file, const command *c)
{
    fputc('\n', file);
    for (const char *word = c->usual; *word; word += strspn(word, " ")) {
        char *name = text_of("%.*s", (int)strcspn(word, " "), word);
        help_option(file, option_find(c->options, name));
        word += strlen(name);
        free(name);
    }
    fprintf(file, "\nOther options, explained by 'rung %s --help all':\n", c->name);
    const char *group = "";
    char *line = NULL;
    for (const option *const *table = c->options; *table; table++)
        for (const option *o = *table; o->name; o++) {
            if (is_usual(c, o)) continue;
            bool same = !strcmp(group, o->group);
            char *longer = text_of("%s%s --%s", same ? line : o->group, same ? "" : ":", o->name);
            if (same)
                free(line);
            else
                print_names(file, line);
            line = longer;
            group = o->group;
        }
    print_names(file, line);
}

void help_command(FILE *file, const command *c, bool all)
{
    all |= !c->usual;
    fprintf(file, "Usage: rung %s %s%s[OPTION]...\n\n", c->name, c->operands, *c->operands ? " " : "");
    char *line = text_of("%c%s.", toupper((unsigned char)c->help[0]), c->help + 1);
    wrap_text(file, line, 0, 0);
    free(line);
    if (*c->about) {
        fputc('\n', file);
        wrap_text(file, c->about, 0, 0);
    }
    if (all)
        explain_options(file, c);
    else
        explain_usual(file, c);
    fprintf(file, "\nExamples:\n");
    for (const example *e = c->examples; e->line && (all || e < c->examples + BRIEF_EXAMPLES); e++) {
        fprintf(file, "  %s\n", e->line);
        if (!all) continue;
        fputs("      ", file);
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
    fputs("\n'rung COMMAND --help' explains a command, --help all also its rarer options;\n"
          "'rung demo' demonstrates them.\n",
          file);
}
