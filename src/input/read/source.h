// SPDX-License-Identifier: BSD-3-Clause
/* A source of bytes: a file, a gzip file (recognised by content, not by name) or standard input. It can be read again
 * from the start: files by seeking, pipes because what was read is kept. */
#ifndef RUNG_READ_SOURCE_H
#define RUNG_READ_SOURCE_H

#include <stdbool.h>

#include "base/context.h"

typedef struct source source;

/* "-": standard input. live: bytes of a pipe, a socket or a terminal are to be had as they arrive. */
rung_status source_open(rung_ctx *ctx, const char *path, bool live, source **out);
/* Fills out[0..room); fewer bytes only at the end, 0 after it. A live source gives those that have arrived, at least
 * one, and 0 at the end. */
rung_status source_read(rung_ctx *ctx, source *s, char *out, int64_t room, int64_t *got);
bool source_live(const source *s);
bool source_waits(const source *s); /* a live source whose next byte has not arrived yet */
rung_status source_rewind(rung_ctx *ctx, source *s);
void source_once(source *s); /* it will not be rewound: what a pipe gives need not be kept */
void source_close(source *s);

int64_t source_size(const source *s); /* bytes there are to read; -1: not known */
double source_done(const source *s);  /* share of the file read so far; -1: not known */

#endif
