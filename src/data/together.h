// SPDX-License-Identifier: BSD-3-Clause
/* Which labelled rows leave together: in folds, in closed-form leave-one-out predictions, in stacking, in curves. Rows
 * of one group of the data do. Rows that agree in every column do if they are copies (one object that was recorded
 * twice: a new object is not among them), and do not if they are replicates (objects that look alike because the
 * columns are coarse: new ones will look like them, too). */
#ifndef RUNG_DATA_TOGETHER_H
#define RUNG_DATA_TOGETHER_H

#include "data/dataset.h"

typedef enum { EQUAL_AUTO, EQUAL_TOGETHER, EQUAL_APART } equal_rule;

bool equal_rule_parse(const char *text, equal_rule *out); /* auto, together, apart; false: none of them */
const char *equal_rule_name(equal_rule rule);

/* What was counted among the labelled rows. A pair of rows that agree in all columns but one agrees in that one, too,
 * `excess` times as often as two rows by chance: the median over the columns. */
typedef struct {
    int64_t repeated;     /* rows that equal another one in every column */
    int64_t sets;         /* ... and how many sets they form */
    double excess;        /* NaN: not counted, because nothing was left to decide */
    double agree, chance; /* shares of pairs with equal labels: of equal rows, of any two; NaN as above */
    bool copies;          /* they leave together */
} equal_counts;

typedef struct {
    const rung_data *data; /* its columns and groups */
    int64_t n;
    const int64_t *rows;  /* n: the labelled ones, ascending */
    const int *y, *upper; /* per row of the data: labels, as in the data; y NULL: they are not compared */
    const double *target; /* real labels instead; NULL: classes */
    const double *count;  /* per row of the data: how many equal rows it stands for; NULL: one */
    equal_rule rule;
} together_input;

typedef struct { /* per row of the data, numbers; rows that are not listed have -1. In scratch memory */
    int *same;   /* listed rows that are equal in every column have equal numbers; NULL: no two are */
    int *equal;  /* `same`, where equal rows leave together; else NULL */
    int *group;  /* rows that leave together: `equal`, or these joined with the groups of the data; NULL: none do */
    equal_counts counts;
} leaving;

rung_status rows_together(rung_ctx *ctx, const together_input *in, leaving *out);

/* What of it equal rows are by counts alone, whatever the rule: excess, agree, chance, copies. */
rung_status equal_judge(rung_ctx *ctx, const together_input *in, equal_counts *out);
/* All labelled rows of a data set that count (their weight is not 0), listed in scratch memory. */
rung_status counted_labels(rung_ctx *ctx, const rung_data *data, together_input *out);
/* rows_together of counted_labels. */
rung_status data_together(rung_ctx *ctx, const rung_data *data, equal_rule rule, leaving *out);
/* The rule that says what was decided. */
static inline equal_rule together_rule(const leaving *t) { return t->counts.copies ? EQUAL_TOGETHER : EQUAL_APART; }

#endif
