// SPDX-License-Identifier: BSD-3-Clause
#include "input/read/csv_ahead.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum {
    PIECE = 1 << 18,        /* bytes */
    MOST_COLUMNS = 1 << 14, /* of a table whose rows are read ahead: every piece has words for each */
    SHARE = 16              /* of the memory limit, for all pieces */
};

/* ---- cutting and reading ---- */

typedef struct {
    csv_ahead *a;
    const buffer *in;
    piece_rules rules;
    int64_t n;
} ahead_work;

/* The beginning of piece k of n: the first line that begins in its share of the text. */
static int64_t cut(const buffer *in, int64_t k, int64_t n)
{
    int64_t from = in->at + (in->end - in->at) * k / n;
    if (k == 0 || k == n) return from;
    const char *stop = memchr(in->text + from, '\n', (size_t)(in->end - from));
    return stop ? stop + 1 - in->text : in->end;
}

static rung_status read_piece(rung_ctx *ctx, void *user, int64_t k)
{
    const ahead_work *w = user;
    return piece_read(ctx, &w->rules, w->in->text, cut(w->in, k, w->n), cut(w->in, k + 1, w->n), w->in->end,
                      &w->a->piece[k]);
}

static int pieces_for(const rung_ctx *ctx, int64_t columns)
{
    double each = PIECE + piece_bytes(columns, PIECE), room = memory_left(ctx) / SHARE;
    int n = ctx->threads;
    while (n > 1 && room > 0 && n * each > room) n--;
    return n;
}

static rung_status open_ahead(csv_ahead *a, buffer *in, int64_t columns)
{
    rung_ctx *ctx = in->ctx;
    int n = pieces_for(ctx, columns);
    TRY(NEW(ctx, a->mem, a->piece, n));
    a->pieces = n;
    for (int k = 0; k < n; k++) TRY(piece_open(ctx, columns, PIECE, &a->piece[k]));
    TRY(piece_open(ctx, columns, PIECE, &a->gap));
    TRY(NEW(ctx, a->mem, a->code, columns));
    TRY(NEW(ctx, a->mem, a->code_room, columns));
    return buffer_room(in, (int64_t)n * PIECE);
}

/* All pieces of what is in the buffer, once; where these end, one by one. */
static rung_status read_ahead(csv_ahead *a, const buffer *in, const piece_rules *rules, bool *got)
{
    ahead_work w = {a, in, *rules, a->pieces};
    bool fresh = a->seen != in->before + in->end;
    while (!fresh && a->now < a->known && a->piece[a->now].from < in->at) a->now++;
    bool begins = !fresh && a->now < a->known && a->piece[a->now].from == in->at;
    if (fresh && a->pieces > 1 && in->end - in->at > PIECE) {
        TRY(parallel_tasks(in->ctx, a->pieces, a->pieces, read_piece, &w));
        a->seen = in->before + in->end;
        a->known = a->pieces;
        a->now = 0;
        begins = true;
    }
    a->at = begins ? &a->piece[a->now++] : &a->gap;
    a->taken = 0;
    if (!begins) {
        if (fresh) a->now = a->known = 0;
        int64_t to = a->now < a->known ? a->piece[a->now].from : in->end;
        TRY(piece_read(in->ctx, &w.rules, in->text, in->at, to, in->end, a->at));
    }
    *got = a->at->n > 0;
    return RUNG_OK;
}

/* ---- giving ---- */

/* The words of a piece have no numbers in the table yet. */
static rung_status forget_codes(csv_ahead *a, rung_ctx *ctx, const piece_rules *rules)
{
    for (int64_t j = 0; j < rules->n_columns; j++) {
        int64_t n = a->at->words[j].n;
        if (n > a->code_room[j]) {
            TRY(RESIZE(ctx, a->mem, a->code[j], n + n / 2));
            a->code_room[j] = n + n / 2;
        }
        if (n > 0) memset(a->code[j], -1, (size_t)n * sizeof *a->code[j]);
    }
    return RUNG_OK;
}

static rung_status give_texts(const csv_ahead *a, filling *to, int64_t j, int64_t n)
{
    int64_t place = to->place ? to->place[j] : j;
    const int32_t *from = piece_codes(a->at, j) + a->taken;
    int32_t *out = to->t->columns[place].text + to->t->n_rows, *code = a->code[j];
    for (int64_t i = 0; i < n; i++) {
        out[i] = -1;
        if (from[i] < 0) continue;
        if (code[from[i]] < 0) {
            const char *word = a->at->words[j].values[from[i]];
            TRY(dictionary_add(to->ctx, &to->t->mem, &to->words[place], word, strlen(word), &code[from[i]]));
        }
        out[i] = code[from[i]];
    }
    return RUNG_OK;
}

static rung_status give_rows(csv_ahead *a, buffer *in, const piece_rules *rules, filling *to)
{
    rung_table *t = to->t;
    int64_t n = a->at->n - a->taken, left = to->most - t->n_rows;
    if (a->taken == 0 || t->n_rows == 0) TRY(forget_codes(a, in->ctx, rules));
    in->at = a->at->end[a->taken]; /* room is made when the row for it is read */
    TRY(filling_rows(to, in->line, n < left ? n : left, &n));
    for (int64_t j = 0; j < rules->n_columns; j++) {
        int64_t place = to->place ? to->place[j] : j;
        if (rules->kind[j] == PIECE_NUMBER)
            memcpy(t->columns[place].number + t->n_rows, piece_numbers(a->at, j) + a->taken,
                   (size_t)n * sizeof(double));
        else if (rules->kind[j] == PIECE_TEXT)
            TRY(give_texts(a, to, j, n));
    }
    a->taken += n;
    t->n_rows += n;
    in->line += n;
    in->at = a->at->end[a->taken - 1];
    if (a->taken == a->at->n) a->at = NULL;
    return RUNG_OK;
}

/* False: rows with declared values are not read ahead. A column of numbers may have turned out to be none, and be one
 * again in the next table: then what was read ahead does not fit. */
static bool find_kinds(csv_ahead *a, const filling *to, int64_t columns)
{
    for (int64_t j = 0; j < columns; j++) {
        const column *c = &to->t->columns[to->place ? to->place[j] : j];
        if (c->declared) return false;
        piece_kind kind = c->kind == COLUMN_NUMBER ? PIECE_NUMBER : to->again ? PIECE_NOTHING : PIECE_TEXT;
        if (kind != a->kind[j] && kind != PIECE_NOTHING) csv_ahead_again(a);
        a->kind[j] = kind;
    }
    return true;
}

rung_status csv_ahead_take(csv_ahead *a, buffer *in, const piece_rules *rules, filling *to, bool *got)
{
    *got = false;
    if (rules->n_columns > MOST_COLUMNS || source_live(in->from)) return RUNG_OK;
    if (!a->kind) TRY(NEW(in->ctx, a->mem, a->kind, rules->n_columns));
    piece_rules own = *rules;
    own.kind = a->kind;
    if (!find_kinds(a, to, rules->n_columns)) return RUNG_OK;
    if (!a->pieces) TRY(open_ahead(a, in, rules->n_columns));
    *got = a->at != NULL;
    if (!*got) TRY(read_ahead(a, in, &own, got));
    if (*got) return give_rows(a, in, &own, to);
    a->at = NULL;
    return RUNG_OK;
}

void csv_ahead_again(csv_ahead *a)
{
    a->at = NULL;
    a->now = a->known = 0;
    a->seen = -1;
}

void csv_ahead_close(csv_ahead *a)
{
    for (int k = 0; k < a->pieces; k++) piece_close(&a->piece[k]);
    piece_close(&a->gap);
}
