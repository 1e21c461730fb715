// SPDX-License-Identifier: BSD-3-Clause
/* What the entries of a journal amount to: the grade of each grader, the label of each row, how far graders agree. */
#ifndef RUNG_CLI_LABEL_GRADES_H
#define RUNG_CLI_LABEL_GRADES_H

#include "label/journal.h"

typedef enum { OPEN, GRADED, SKIPPED } grade_state;
typedef struct {
    grade_state state;
    int low, high;
} grade;

/* The last grade or skip of a grader about a row. */
grade grade_by(const journal *j, int grader, int64_t row);

/* The label of a row; low 0: none. What was settled counts; otherwise the median of the graders' grades, as a range
 * where it lies between two of them; otherwise the label in the file. */
grade label_of(const journal *j, int64_t row);
bool is_settled(const journal *j, int64_t row);
how_chosen how_shown(const journal *j, int64_t row);              /* to the first who graded it */
bool graded_by_others(const journal *j, int grader, int64_t row); /* or labelled in the file */

typedef struct {
    int64_t n;           /* rows with two grades */
    int64_t same, close; /* equal; at most one class apart */
    double kappa;        /* quadratic weights; NaN: undefined */
} agreement;

/* A range counts as its middle, rounded down. */
agreement agreement_self(const journal *j, rung_ctx *ctx, int grader); /* first grades and those of rows shown again */
agreement agreement_pair(const journal *j, rung_ctx *ctx, int a, int b);

#endif
