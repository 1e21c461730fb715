// SPDX-License-Identifier: BSD-3-Clause
/* What prints a program in some language: one file per target. */
#ifndef RUNG_EXPORT_TARGET_H
#define RUNG_EXPORT_TARGET_H

#include "export/program.h"
#include "export/writer.h"

typedef struct { /* NULL: the default */
    const char *prefix;                    /* of names in C */
    const char *title, *text, *disclaimer; /* of a page */
} export_words;

typedef void export_fn(const program *p, const export_words *names, writer *w);
export_fn export_json, export_c, export_h, export_onnx, export_html;

/* The name of a column of the table; x3 for one without. */
const char *column_title(const coding *code, int64_t j, char name[32]);

#endif
