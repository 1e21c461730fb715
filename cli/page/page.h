// SPDX-License-Identifier: BSD-3-Clause
/* A self-contained HTML page: styles, figures and a small script are inside, and its policy forbids it to load
 * anything. Everything is visible without the script; with it, tables are sorted by their headers. All text given here
 * is escaped. */
#ifndef RUNG_CLI_PAGE_H
#define RUNG_CLI_PAGE_H

#include <stdio.h>

#include "core/common.h"
#include "plot/figure.h"

typedef struct {
    const char *id, *heading;
} page_section;

/* answer: the result in one sentence, before all else; NULL: there is no single one. sections: for the table of
 * contents; ends with a row whose id is NULL. */
void page_begin(FILE *file, const char *title, const char *answer, const char *lead, const page_section *sections);
void page_heading(FILE *file, const page_section *section); /* ends the section before */
void page_half(FILE *file, const page_section *section); /* a section beside the next half, where the window allows */
void page_end(FILE *file);

void page_paragraph(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_figure(FILE *file, const figure *f, const char *caption);
void page_code(FILE *file, const char *text);
/* The command line, ready to be pasted into a shell. */
void page_command_line(FILE *file, const char *command, const arguments *args);
/* A collapsible part, initially closed or open. */
void page_fold_begin(FILE *file, bool open, const char *format, ...) __attribute__((format(printf, 3, 4)));
void page_fold_end(FILE *file);

/* ---- tables: caption, headers of columns and rows, numbers that sort as numbers ---- */

typedef struct {
    const char *caption;
    int columns;
    const char *const *head; /* the first is that of the row headers */
    int words;               /* this number of columns at the end hold text, aligned left */
    bool sortable;
} page_table;
void page_table_begin(FILE *file, const page_table *t);
void page_table_foot(FILE *file); /* rows from here on stay at the bottom when others are sorted */
void page_table_end(FILE *file);
void page_row(FILE *file, const char *header); /* ends the row before */
void page_cell(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* text NULL: the number itself with this number of decimals; NaN is a dash. strong: the best. */
void page_number(FILE *file, double x, int decimals, const char *text, bool strong);

#endif
