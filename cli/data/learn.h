// SPDX-License-Identifier: BSD-3-Clause
/* Common to all commands that fit models: the options about the data, and their use. */
#ifndef RUNG_CLI_LEARN_H
#define RUNG_CLI_LEARN_H

#include "core/common.h"

/* The options that say what the feature columns are, for the tables of `fit` and of `label`. */
// clang-format off
#define FEATURE_OPTIONS(group)                                                                                         \
    {"nominal", 0, "COL[,COL]",                                                                                        \
     "columns of categories, such as codes; COL=CATEGORY: coefficients compare with this one", group},                 \
    {"numeric", 0, "COL[,COL]", "columns of numbers, such as 1,200 for 1200 or a counter that is a feature", group},   \
    {"ordinal", 0, "COL=A<B<C", "a feature column of words, lowest first; may be repeated", group},                    \
    {"dates", 0, "COL[=HOW]",                                                                                          \
     "columns of dates: days, cyclic (also year and week), dmy or mdy (order of the parts)", group},                   \
    {"derive", 0, "EXPRESSION",                                                                                        \
     "a column computed from others: age:sex, x^2, log(x), poly(x, 3); may be repeated", group}
// clang-format on

extern const option learn_options[]; /* to be used together with reader_options */

/* A method with the parameters of -p (and --as-published), scaling and class weights; EXIT_OK or an exit code. The
 * command's tables have `param` and `as-published`. */
int learn_spec(session *s, const arguments *args, const char *method, rung_spec **out);

/* Checks the options about the data, then reads the files, which are all operands, and codes them; EXIT_OK or an exit
 * code. */
int learn_data(session *s, const arguments *args, rung_data **out);
/* The same with the table as it was read, which belongs to the caller, also on failure. */
int learn_table(session *s, const arguments *args, rung_table **table, rung_data **out);

/* Codes a table that is read already. label: the place of the labels, from 0, -1: the table has none; order: of the
 * classes, or NULL; left_out: a flag per column, beside those of --ignore. EXIT_OK or an exit code. */
int learn_encode(session *s, const arguments *args, const rung_table *table, int64_t label, const char *order,
                 const int *left_out, rung_data **out);

/* The same for a fit by spec, which may read them in passes: then these rows are a sample. */
int learn_rows(session *s, const arguments *args, const rung_spec *spec, rung_data **out);

/* The values of a repeated option, ending with NULL; to be freed. */
const char **learn_values(const arguments *args, const char *name);
/* "a,b" cut in place: the parts, ending with NULL; to be freed. */
const char **learn_list(char *text);
/* The columns that a text names, ending with NULL, to be freed: 'a,b' or, where a name has a comma, 'a,"b,c"'; NULL:
 * none. */
const char **learn_columns(const char *text);

#endif
