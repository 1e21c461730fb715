// SPDX-License-Identifier: BSD-3-Clause
#include "label/export.h"

#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "core/repeat.h"
#include "data/datafile.h"
#include "label/grades.h"
#include "label/head.h"

static void write_grade(FILE *file, const subject *u, grade g)
{
    if (g.state != GRADED) return;
    char *label = subject_label(u, g.low, g.high);
    csv_cell(file, label);
    free(label);
}

static bool any_mark(const journal *j)
{
    for (int64_t row = 0; row < j->of->rows; row++)
        if (j->last[row] >= 0 && how_shown(j, row)) return true;
    return false;
}

static void write_names(FILE *file, const journal *j, bool by_grader)
{
    const subject *u = j->of;
    for (int64_t c = 0; c < u->columns; c++) {
        char *name = subject_column(u, c);
        if (c) fputc(',', file);
        csv_cell(file, name);
        free(name);
    }
    if (u->label < 0) {
        fputc(',', file);
        csv_cell(file, u->name);
    }
    if (any_mark(j) && datafile_marks(u->cells) < 0) fputs(",suggested", file);
    for (int g = 0; by_grader && g < j->graders; g++) {
        char *name = text_of("%s (%s)", u->name, j->grader[g]);
        fputc(',', file);
        csv_cell(file, name);
        free(name);
    }
    fputc('\n', file);
}

static void write_row(FILE *file, const journal *j, int64_t row, bool marked, bool by_grader)
{
    const subject *u = j->of;
    int64_t mark = datafile_marks(u->cells);
    for (int64_t c = 0; c < u->columns; c++) {
        if (c) fputc(',', file);
        if (c == u->label) {
            write_grade(file, u, label_of(j, row));
            continue;
        }
        char *text = subject_cell(u, row, c);
        csv_cell(file, c == mark && !*text ? journal_mark(how_shown(j, row)) : text);
        free(text);
    }
    if (u->label < 0) {
        fputc(',', file);
        write_grade(file, u, label_of(j, row));
    }
    if (marked && mark < 0) fprintf(file, ",%s", journal_mark(how_shown(j, row)));
    for (int g = 0; by_grader && g < j->graders; g++) {
        fputc(',', file);
        write_grade(file, u, grade_by(j, g, row));
    }
    fputc('\n', file);
}

/* Numbers order themselves. */
static bool are_numbers(const subject *u)
{
    for (int k = 0; k < u->classes; k++) {
        char *end;
        strtod(u->class_name[k], &end);
        if (*end || end == u->class_name[k]) return false;
    }
    return true;
}

static void say_next(const subject *u, const char *path)
{
    char *order = are_numbers(u) ? NULL : head_order(&(journal_head){NULL, u->classes, u->class_name}),
         *file = shell_word(path), *column = shell_word(u->name), *classes = order ? shell_word(order) : NULL;
    say(stderr, "next        rung fit %s -l %s%s%s\n", file, column, classes ? " --order " : "",
        classes ? classes : "");
    free(classes);
    free(column);
    free(file);
    free(order);
}

int export_labels(const session *s, const journal *j, bool by_grader, const char *path)
{
    output out;
    int64_t labelled = 0, ranges = 0;
    bool marked = any_mark(j);
    if (!output_open(&out, path)) return FAILED;
    write_names(out.file, j, by_grader);
    for (int64_t row = 0; row < j->of->rows; row++) {
        grade g = label_of(j, row);
        labelled += g.state == GRADED;
        ranges += g.state == GRADED && g.low < g.high;
        write_row(out.file, j, row, marked, by_grader);
    }
    if (!output_keep(&out)) return FAILED;
    if (s->quiet) return EXIT_OK;
    complain("%lld of %lld rows are labelled, %lld of them by a range", (long long)labelled, (long long)j->of->rows,
             (long long)ranges);
    say_next(j->of, path);
    return EXIT_OK;
}
