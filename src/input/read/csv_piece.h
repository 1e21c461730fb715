// SPDX-License-Identifier: BSD-3-Clause
/* Rows of a piece of CSV text, read without looking twice: plain numbers, missing cells and texts, in quotes or not.
 * Whatever else may be in a row - doubled quotes, line breaks in quotes, words among numbers, another number of cells,
 * the end of the text - ends the piece before it; the reader itself takes that row. So pieces know no errors, and any
 * number of them can be read at the same time. */
#ifndef RUNG_READ_CSV_PIECE_H
#define RUNG_READ_CSV_PIECE_H

#include "input/table/dictionary.h"

typedef enum { PIECE_NUMBER, PIECE_TEXT, PIECE_NOTHING /* its cells are not needed */ } piece_kind;

typedef struct { /* how cells are read */
    int64_t n_columns;
    const piece_kind *kind; /* per column */
    char delimiter, decimal;
    const bool *stop;  /* 256: bytes that end a cell without quotes */
    bool keep_codes;   /* 007 is no number but a code */
    bool keep_missing; /* the texts NA and ? are kept */
} piece_rules;

typedef struct {
    pool mem;
    int64_t from; /* the first byte of the text */
    int64_t n, room, columns;
    int64_t *end;      /* per row: of the text, behind it */
    double *cell;      /* columns x room */
    dictionary *words; /* per column, in order of first appearance */
    pool_mark empty;   /* before there are words */
} csv_piece;

static inline double *piece_numbers(const csv_piece *p, int64_t j) { return p->cell + j * p->room; }
/* The places of texts among the column's words, -1: missing. */
static inline int32_t *piece_codes(const csv_piece *p, int64_t j) { return (int32_t *)piece_numbers(p, j); }

/* Room for the rows of so many bytes. */
rung_status piece_open(rung_ctx *ctx, int64_t columns, int64_t bytes, csv_piece *p);
void piece_close(csv_piece *p);
double piece_bytes(int64_t columns, int64_t bytes); /* without words */

/* The rows that begin in text[from..to) from a row's beginning on; there is a line break at text[end], which is not
 * part of it, and the last of them may reach up to there. */
rung_status piece_read(rung_ctx *ctx, const piece_rules *rules, const char *text, int64_t from, int64_t to, int64_t end,
                       csv_piece *p);

#endif
