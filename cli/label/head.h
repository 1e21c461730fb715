// SPDX-License-Identifier: BSD-3-Clause
/* The first line of a journal: the column that is graded, and the classes. They are known before the data are read. */
#ifndef RUNG_CLI_LABEL_HEAD_H
#define RUNG_CLI_LABEL_HEAD_H

#include <jansson.h>
#include <stdbool.h>

#define JOURNAL_BEGIN "{\"rung\": \"journal\"" /* of every journal */

typedef struct {
    char *column;
    int classes;
    char **names;
} journal_head;

/* NULL, or what is wrong with the line, which is not to be freed; head_free in any case. */
const char *head_parse(const json_t *line, journal_head *out);
json_t *head_json(const journal_head *head, const char *data); /* the line, for the data file of this name */
/* Of the journal at this path; false: there is none yet, or it does not begin with such a line. */
bool head_of_file(const char *path, journal_head *out);
char *head_order(const journal_head *head); /* the classes as --order takes them; to be freed */
void head_free(journal_head *head);

#endif
