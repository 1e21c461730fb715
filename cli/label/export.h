// SPDX-License-Identifier: BSD-3-Clause
/* The labelled copy: all columns of the file, with the labels of the journal. */
#ifndef RUNG_CLI_LABEL_EXPORT_H
#define RUNG_CLI_LABEL_EXPORT_H

#include "label/journal.h"

/* CSV. A column `suggested` marks the rows that were chosen, as `rung suggest` does; with several graders each has a
 * column of its own at the end. EXIT_OK or FAILED. */
int export_labels(const session *s, const journal *j, const char *path);

#endif
