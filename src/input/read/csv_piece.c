// SPDX-License-Identifier: BSD-3-Clause
#include "input/read/csv_piece.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "input/table/column_form.h"
#include "input/table/table.h"

/* ---- room ---- */

static int64_t cells_of(int64_t bytes) { return bytes / 2; } /* a digit and a delimiter; with more of them it ends */

double piece_bytes(int64_t columns, int64_t bytes)
{
    double width = (double)columns;
    return ((double)cells_of(bytes) / width + 1) * 8 * (width + 1) + width * sizeof(dictionary);
}

rung_status piece_open(rung_ctx *ctx, int64_t columns, int64_t bytes, csv_piece *p)
{
    p->columns = columns;
    p->room = cells_of(bytes) / columns + 1;
    TRY(NEW_RAW(ctx, &p->mem, p->end, p->room));
    TRY(NEW_RAW(ctx, &p->mem, p->cell, p->room * columns));
    TRY(NEW(ctx, &p->mem, p->words, columns));
    p->empty = pool_here(&p->mem);
    return RUNG_OK;
}

void piece_close(csv_piece *p)
{
    pool_free_all(&p->mem);
    *p = (csv_piece){0};
}

/* ---- cells ---- */

typedef struct {
    const piece_rules *rules;
    const char *end; /* of the text */
    bool taken;      /* the row is one that a piece takes */
} scan;

static bool blank(const scan *s, char c) { return c == ' ' || (c == '\t' && s->rules->delimiter != '\t'); }

static const char *behind_blanks(const scan *s, const char *p)
{
    while (blank(s, *p)) p++;
    return p;
}

/* A cell at p, of this text; returns where it stops. NULL: it needs a second look. */
static const char *find_text(const scan *s, const char *p, const char **text, size_t *length)
{
    const char *last;
    if (*p == '"') {
        *text = ++p;
        last = memchr(p, '"', (size_t)(s->end - p));
        if (!last || memchr(p, '\n', (size_t)(last - p))) return NULL;
        p = behind_blanks(s, last + 1);
        if (last[1] == '"' || !s->rules->stop[(unsigned char)*p]) return NULL;
    } else {
        *text = p;
        while (!s->rules->stop[(unsigned char)*p]) p++;
        for (last = p; last > *text && blank(s, last[-1]);) last--;
        if (last == *text && s->rules->n_columns == 1) return NULL; /* a blank line */
    }
    *length = (size_t)(last - *text);
    return p;
}

static bool is_code(const scan *s, const char *text, size_t length)
{
    bool may_be = *text == '+' || (*text == '0' && length > 1 && text[1] != s->rules->decimal) || length > 15;
    return may_be && s->rules->keep_codes && form_is_code(text, length);
}

static const char *take_number(const scan *s, const char *p, double *out)
{
    const char *first = p, *text;
    size_t length;
    if (decimal_read(&p, s->end, s->rules->decimal, out)) {
        if (!isfinite(*out) || is_code(s, first, (size_t)(p - first))) return NULL;
        return behind_blanks(s, p);
    }
    p = find_text(s, p, &text, &length);
    if (!p) return NULL;
    const char *at = text;
    *out = NAN;
    if (cell_missing(text, length)) return p;
    if (!decimal_read(&at, text + length, s->rules->decimal, out) || at != text + length) return NULL;
    return isfinite(*out) && !is_code(s, text, length) ? p : NULL;
}

static rung_status take_text(rung_ctx *ctx, scan *s, csv_piece *piece, int64_t j, const char **at, int32_t *out)
{
    const char *text;
    size_t length;
    *at = find_text(s, *at, &text, &length);
    *out = -1;
    s->taken = *at != NULL;
    if (!s->taken || (cell_missing(text, length) && (length == 0 || !s->rules->keep_missing))) return RUNG_OK;
    rung_status status = dictionary_add(ctx, &piece->mem, &piece->words[j], text, length, out);
    if (status != RUNG_EDATA && status != RUNG_ELIMIT) return status;
    s->taken = false; /* the reader finds it again, and knows where */
    return RUNG_OK;
}

/* ---- rows ---- */

/* Behind the line break at p; NULL: there is none. */
static const char *behind_row(const scan *s, const char *p)
{
    if (p < s->end && *p == '\n') return p + 1;
    return s->end - p > 1 && p[0] == '\r' && p[1] == '\n' ? p + 2 : NULL;
}

/* The row at *at, which moves behind it, if s->taken. */
static rung_status take_row(rung_ctx *ctx, scan *s, csv_piece *piece, const char **at)
{
    const piece_rules *rules = s->rules;
    const char *p = *at, *text;
    size_t length;
    for (int64_t j = 0; j < rules->n_columns; j++) {
        p = behind_blanks(s, p);
        if (rules->kind[j] == PIECE_NUMBER)
            p = take_number(s, p, &piece_numbers(piece, j)[piece->n]);
        else if (rules->kind[j] == PIECE_TEXT)
            TRY(take_text(ctx, s, piece, j, &p, &piece_codes(piece, j)[piece->n]));
        else
            p = find_text(s, p, &text, &length);
        if (!s->taken || !p) return s->taken = false, RUNG_OK;
        if (j + 1 < rules->n_columns && *p++ != rules->delimiter) return s->taken = false, RUNG_OK;
    }
    p = behind_row(s, p);
    if (!p) return s->taken = false, RUNG_OK;
    *at = p;
    return RUNG_OK;
}

rung_status piece_read(rung_ctx *ctx, const piece_rules *rules, const char *text, int64_t from, int64_t to, int64_t end,
                       csv_piece *p)
{
    scan s = {rules, text + end, true};
    const char *at = text + from;
    p->from = from;
    p->n = 0;
    pool_release(&p->mem, p->empty);
    memset(p->words, 0, (size_t)p->columns * sizeof *p->words);
    while (p->n < p->room && at < text + to) {
        TRY(take_row(ctx, &s, p, &at));
        if (!s.taken) break;
        p->end[p->n++] = at - text;
    }
    return RUNG_OK;
}
