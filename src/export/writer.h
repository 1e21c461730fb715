// SPDX-License-Identifier: BSD-3-Clause
/* Text of a file as it grows in memory. Writing notes the first failure and goes on; the caller asks at the end. */
#ifndef RUNG_EXPORT_WRITER_H
#define RUNG_EXPORT_WRITER_H

#include "base/context.h"

typedef struct {
    rung_ctx *ctx;
    char *bytes; /* scratch memory */
    int64_t size, room;
    rung_status status;
} writer;

void write_bytes(writer *w, const void *bytes, int64_t size);
void write_text(writer *w, const char *text);
void write_format(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void write_number(writer *w, double x);            /* the shortest text that reads back as x */
void write_json_text(writer *w, const char *text); /* in quotes; ASCII without <, > and &, so that it is safe in HTML */

#endif
