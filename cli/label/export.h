// SPDX-License-Identifier: BSD-3-Clause
/* The labelled copy: all columns of the file, with the labels of the journal. */
#ifndef RUNG_CLI_LABEL_EXPORT_H
#define RUNG_CLI_LABEL_EXPORT_H

#include "label/journal.h"

/* CSV. A column `suggested` marks the rows that were chosen, as `rung suggest` does; by_grader: each
 * grader has a column of their own at the end, which a fit must ignore. EXIT_OK or FAILED. */
int export_labels(const session *s, const journal *j, bool by_grader, const char *path);

#endif
