// SPDX-License-Identifier: BSD-3-Clause
/* Manual pages, from the tables of commands and options. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/command.h"

/* Text escaped for roff: nothing in it is a request or changes the font. */
static void put(FILE *file, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", file);
        switch (*text) {
        case '\\': fputs("\\e", file); break;
        case '-': fputs("\\-", file); break;
        case '\'': fputs("\\(aq", file); break;
        case '`': fputs("\\(ga", file); break;
        case '^': fputs("\\(ha", file); break;
        case '~': fputs("\\(ti", file); break;
        default: fputc(*text, file);
        }
        line_start = *text == '\n';
    }
}

static void put_in(FILE *file, char font, const char *text)
{
    fprintf(file, "\\f%c", font);
    put(file, text);
    fputs("\\fR", file);
}

/* Paragraphs, separated by newlines, below a heading. */
static void put_paragraphs(FILE *file, const char *text)
{
    for (const char *next, *first = text; *text; text = next) {
        size_t length = strcspn(text, "\n");
        next = text + length + (text[length] != 0);
        char *paragraph = text_of("%.*s", (int)length, text);
        if (text > first) fputs(".PP\n", file);
        put(file, paragraph);
        fputc('\n', file);
        free(paragraph);
    }
}

static void heading(FILE *file, const char *name, const char *help)
{
    char *upper = text_of("%s", name);
    for (char *c = upper; *c; c++) *c = (char)toupper((unsigned char)*c);
    fputs(".\\\" Written by 'rung help --man', from the tables the command itself uses.\n.TH ", file);
    put(file, upper);
    fprintf(file, " 1 \"\" \"rung %s\" \"rung\"\n.SH NAME\n", RUNG_VERSION);
    put(file, name);
    fputs(" \\- ", file);
    put(file, help);
    fputc('\n', file);
    free(upper);
}

static void put_option(FILE *file, const option *o)
{
    fputs(".TP\n", file);
    if (o->letter) fprintf(file, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", file);
    put(file, o->name);
    fputs("\\fR", file);
    if (o->metavar) {
        fputc(' ', file);
        put_in(file, option_lists_values(o) ? 'R' : 'I', o->metavar);
    }
    fputc('\n', file);
    char *help = option_help(o);
    put(file, help);
    free(help);
    fputc('\n', file);
}

static void put_example(FILE *file, bool first, const char *line, const char *help)
{
    fprintf(file, "%s%c", first ? "" : ".PP\n", toupper((unsigned char)help[0]));
    put(file, help + 1);
    fputs(":\n.PP\n.RS 4\n.EX\n", file);
    put(file, line);
    fputs("\n.EE\n.RE\n", file);
}

static void put_exit_status(FILE *file)
{
    fputs(".SH EXIT STATUS\n.TP\n0\nsuccess\n.TP\n1\nfailure of a file, the data or the machine; a message gives the "
          "reason\n.TP\n2\nusage error: an unknown command, option, name or value\n",
          file);
}

static void put_see_also(FILE *file, const command *self)
{
    const command *c;
    fputs(".SH SEE ALSO\n", file);
    if (self) fputs(".BR rung (1)", file);
    bool first = self == NULL;
    for (int i = 0; (c = command_at(i)); i++) {
        if (c == self) continue;
        fputs(first ? ".BR rung\\-" : ",\n.BR rung\\-", file);
        put(file, c->name);
        fputs(" (1)", file);
        first = false;
    }
    fputc('\n', file);
}

/* ---- the pages ---- */

static void command_page(FILE *file, const command *c)
{
    char *name = text_of("rung-%s", c->name);
    heading(file, name, c->help);
    free(name);
    fputs(".SH SYNOPSIS\n.B rung ", file);
    put(file, c->name);
    fputc('\n', file);
    if (*c->operands) {
        put_in(file, 'I', c->operands);
        fputc('\n', file);
    }
    fputs("[\\fIOPTION\\fR]...\n", file);
    if (*c->about) {
        fputs(".SH DESCRIPTION\n", file);
        put_paragraphs(file, c->about);
    }
    fputs(".SH OPTIONS\n", file);
    const char *group = "";
    for (const option *const *table = c->options; *table; table++)
        for (const option *o = *table; o->name; o++) {
            if (strcmp(group, o->group)) {
                fputs(".SS ", file);
                put(file, group = o->group);
                fputc('\n', file);
            }
            put_option(file, o);
        }
    fputs(".SH EXAMPLES\n", file);
    for (const example *e = c->examples; e->line; e++) put_example(file, e == c->examples, e->line, e->help);
    put_exit_status(file);
    put_see_also(file, c);
}

static const struct {
    const char *heading, *text;
} rung_sections[] = {
    {"DATA FILES",
     "A data file is a table: one row per object, one column per feature, and one column of labels, which is named "
     "label or is the last one unless -l names another. An empty label, ?, NA or nan marks an unlabelled row.\nCSV, "
     "TSV and similar: the separator and the header are detected; quoting follows RFC 4180; text is UTF-8; gzip is "
     "supported. Numeric labels are ordered by value; text labels need --order \"low<mid<high\". Text in a feature "
     "column becomes one 0/1 column per category; missing feature cells are replaced by the median.\nLIBSVM (label "
     "index:value ...), ARFF (a nominal class has the order of its declaration) and ORCA partitions (numbers separated "
     "by spaces, no header, label last) are detected by name and content; --format sets the format.\nFiles of SPSS "
     "(.sav, .zsav, .por), Stata (.dta) and SAS (.sas7bdat, .xpt) are recognised by content: value labels name the "
     "classes, in the order of their codes, and categories; codes declared missing are missing. Of an Excel workbook "
     "(.xlsx) the first sheet is read, or that of --sheet."},
    {"MODELS", "A model is self-contained: it includes the coding and the scaling of the columns, so predictions take "
               "raw data, and columns are matched by name. Kernel methods store training rows in the model; 'rung "
               "inspect' shows whether a file contains any. It is a safetensors file."},
    {"OUTPUT", "Standard output carries only data, standard error messages and progress; '-' is standard input or "
               "output. With --json the result is one JSON document. Files are written completely or not at all. The "
               "same input, seed and kind of machine give the same output for any number of threads."},
};

static void rung_page(FILE *file)
{
    heading(file, "rung", "ordinal regression with few labels");
    fputs(".SH SYNOPSIS\n.B rung\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.SH DESCRIPTION\n", file);
    put_paragraphs(file, "rung predicts grades on an ordered scale (ratings, severity stages, school marks). It learns "
                         "from tables in which few rows are labelled, and gives the probability of each class.\n'rung "
                         "demo' demonstrates this in a few seconds.");
    fputs(".SH COMMANDS\n", file);
    const command *c;
    for (int i = 0; (c = command_at(i)); i++) {
        fputs(".TP\n.BR rung\\-", file);
        put(file, c->name);
        fputs(" (1)\n", file);
        put(file, c->help);
        fputc('\n', file);
    }
    fputs(".SH OPTIONS OF EVERY COMMAND\n", file);
    for (const option *o = global_options; o->name; o++) put_option(file, o);
    for (size_t i = 0; i < sizeof rung_sections / sizeof *rung_sections; i++) {
        fprintf(file, ".SH %s\n", rung_sections[i].heading);
        put_paragraphs(file, rung_sections[i].text);
    }
    fputs(".SH EXAMPLES\n", file);
    put_example(file, true,
                "rung fit train.csv\nrung evaluate model.rung test.csv\nrung predict model.rung new.csv --proba",
                "fit a model to train.csv, evaluate it on test.csv, predict new.csv");
    put_exit_status(file);
    put_see_also(file, NULL);
}

void man_page(FILE *file, const command *c)
{
    if (c)
        command_page(file, c);
    else
        rung_page(file);
}
