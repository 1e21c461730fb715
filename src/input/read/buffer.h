// SPDX-License-Identifier: BSD-3-Clause
/* The text of a source, in pieces. A reader moves `at` forward over whole rows; a row cut off at the end of a piece is
 * read again after buffer_refill, which moves it to the front. So nothing is copied or allocated per row. */
#ifndef RUNG_READ_BUFFER_H
#define RUNG_READ_BUFFER_H

#include <stdbool.h>

#include "input/read/encoding.h"
#include "input/read/source.h"

typedef struct {
    rung_ctx *ctx; /* of the running call */
    pool *mem;
    source *from;
    const char *path; /* for messages */
    char *text;       /* room + 1 bytes, with a line break after the last one so that no scan runs past it */
    int64_t room, at, end;
    bool ended;     /* text[end] is the end of the file */
    int64_t before; /* bytes of the file before the buffer */
    int64_t line;   /* of text[at] */
    encoding as;    /* what it is written in; the buffer holds UTF-8 ... */
    int64_t left;   /* ... but for this many bytes at its end, which may begin a character */
    bool said;      /* the caller said what it is written in: */
    encoding wish;
    unsigned char *wide; /* of UTF-16: what was read last ... */
    int64_t n_wide;      /* ... and of it the beginning of a character whose rest is not there yet */
} buffer;

/* From the beginning of the file, after its byte order mark. NUL bytes are errors. */
rung_status buffer_start(buffer *b);
/* Reads more text after what is not consumed yet; the buffer grows if a row fills it. */
rung_status buffer_refill(buffer *b);
/* It will hold at least so many bytes. */
rung_status buffer_room(buffer *b, int64_t room);
/* Whether the next row has not arrived yet, so that a reader would have to wait; only of a live source. */
bool buffer_waits(const buffer *b);

/* The next line without its line break (LF, CR LF or CR); *text is NULL at the end. Its number is line - 1. */
rung_status buffer_line(buffer *b, const char **text, int64_t *length);

#endif
