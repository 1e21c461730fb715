// SPDX-License-Identifier: BSD-3-Clause
/* A CSV file read ahead by all threads: what is in the buffer is cut at line breaks into pieces, which are read at the
 * same time (csv_piece.h). A cut may be inside a quoted cell. So a piece counts only if the row before it ends where it
 * begins; the first begins where the reader is, and so by induction all that count are what one thread would have
 * read. Between two pieces the reader takes what pieces cannot, row by row. */
#ifndef RUNG_READ_CSV_AHEAD_H
#define RUNG_READ_CSV_AHEAD_H

#include "input/read/csv_piece.h"
#include "input/read/filling.h"

typedef struct {
    pool *mem;              /* of the reader */
    int pieces, now, known; /* room for so many; the one rows are taken from; those that were read */
    csv_piece *piece;
    csv_piece gap;  /* what is read between the others */
    csv_piece *at;  /* the one that holds the next row; NULL: none does */
    int64_t taken;  /* rows of it */
    int32_t **code; /* per column: of the words of *at, their numbers in the table; -1: not there yet */
    int64_t *n_code, *code_room;
    piece_kind *kind;
    int64_t seen; /* bytes of the file up to which pieces were cut */
} csv_ahead;

/* Adds rows to the table, if the next one was read ahead or can be: *got. rules: all but the kinds of the columns. */
rung_status csv_ahead_take(csv_ahead *a, buffer *in, const piece_rules *rules, filling *to, bool *got);
void csv_ahead_again(csv_ahead *a); /* the file is read from its beginning */
void csv_ahead_close(csv_ahead *a);

#endif
