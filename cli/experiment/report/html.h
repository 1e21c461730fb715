// SPDX-License-Identifier: BSD-3-Clause
/* The parts of the page of an experiment that are figures. */
#ifndef RUNG_CLI_REPORT_HTML_H
#define RUNG_CLI_REPORT_HTML_H

#include "experiment/report/report.h"
#include "page/page.h"

typedef struct {
    FILE *file;
    store *db;
    const comparison *c;
    const char **name; /* of the methods */
} html_writer;

void html_boxes(const html_writer *w);   /* the spread over the partitions */
void html_answers(const html_writer *w); /* confusion matrices and scores */
void html_times(const html_writer *w);   /* time against error */

#endif
