// SPDX-License-Identifier: BSD-3-Clause
/* The reader works on one buffer that always begins at a row: rows are cut into cells in place, and each cell goes
 * straight into its column, so that nothing is allocated per cell. What the file looks like (delimiter, header,
 * which columns are text) is told from the rows of the first buffer. When a column taken for numbers meets text
 * later on, the pass goes on only to find other such columns, and the file is read once more with all of them known:
 * so text columns have the original text of every cell. */
#include "data/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "data/dictionary.h"

enum {
    CHUNK = 1 << 18,
    LONGEST_ROW = 1 << 28, /* bytes; what an open quote can swallow */
    LOOKED_AT = 100        /* rows that decide the delimiter */
};
#define ONE_COLUMN '\n' /* the delimiter of a file without one */

typedef struct {
    const char *text; /* in the buffer */
    int64_t length;
    bool quoted, doubled; /* doubled: it has "" that stand for " */
} cell;

typedef enum { CELL_MORE, CELL_LAST, CELL_CUT, CELL_OPEN_QUOTE, CELL_AFTER_QUOTE } cell_end;

typedef struct {
    rung_ctx *ctx;
    source *in;
    rung_table *t;
    char delimiter, decimal;
    bool stop[256]; /* bytes that end an unquoted cell */

    char *buffer; /* room + 1 bytes, with a line break behind the last one so that no scan runs past it */
    int64_t room, at, end;
    bool ended;
    int64_t before; /* bytes of the file in front of the buffer */
    int64_t line;   /* of buffer[at] */

    cell *cells; /* the row read last */
    int64_t cells_room, count;
    int64_t row_at, row_line, breaks; /* where it is; line breaks within it */

    int64_t capacity;  /* rows the columns have room for */
    dictionary *words; /* one per column */
    char *plain;       /* a cell with its doubled quotes undone */
    int64_t plain_room;
    int64_t first_row_line; /* the row whose count of cells all rows must have */
    bool again;             /* a column turned out to be text: the pass must be repeated */
} reader;

/* ---- bytes -> cells ----------------------------------------------------------------------------- */

/* Moves the unread bytes to the front and reads on behind them; a row that fills the buffer makes it grow. */
static rung_status refill(reader *r)
{
    TRY(interrupted(r->ctx));
    double done = source_done(r->in);
    if (done >= 0) progress(r->ctx, "reading", done);
    memmove(r->buffer, r->buffer + r->at, (size_t)(r->end - r->at));
    r->before += r->at;
    r->end -= r->at;
    r->at = 0;
    if (r->end > r->room / 2) {
        if (r->room >= LONGEST_ROW)
            return fail(r->ctx, RUNG_EDATA, "%s, line %lld: a row of more than %d MiB; is a quote left open?",
                        r->t->path, (long long)r->line, LONGEST_ROW >> 20);
        int64_t room = 2 * r->room;
        TRY(RESIZE(r->ctx, &r->ctx->scratch, r->buffer, room + 1));
        r->room = room;
    }
    int64_t got, wanted = r->room - r->end;
    char *fresh = r->buffer + r->end;
    TRY(source_read(r->ctx, r->in, fresh, wanted, &got));
    const char *nul = memchr(fresh, 0, (size_t)got);
    if (nul) {
        int64_t line = r->line;
        for (const char *p = r->buffer; p < nul; p++) line += *p == '\n';
        return fail(r->ctx, RUNG_EDATA, "%s, line %lld: a NUL byte (binary file?)", r->t->path, (long long)line);
    }
    r->end += got;
    r->ended = got < wanted;
    r->buffer[r->end] = '\n';
    return RUNG_OK;
}

/* From the beginning of the file, behind its byte order mark. */
static rung_status start(reader *r)
{
    r->at = r->end = r->before = 0;
    r->line = 1;
    r->ended = false;
    int64_t got;
    TRY(source_read(r->ctx, r->in, r->buffer, 3, &got));
    const unsigned char *b = (const unsigned char *)r->buffer;
    if (got >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return fail(r->ctx, RUNG_EDATA, "%s is UTF-16 text: save it as UTF-8", r->t->path);
    bool mark = got == 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf;
    if (memchr(b, 0, (size_t)got)) return fail(r->ctx, RUNG_EDATA, "%s, line 1: a NUL byte (binary file?)", r->t->path);
    r->end = mark ? 0 : got;
    return refill(r);
}

static void set_delimiter(reader *r, char delimiter)
{
    memset(r->stop, 0, sizeof r->stop);
    r->delimiter = delimiter;
    r->stop[(unsigned char)delimiter] = r->stop['\n'] = r->stop['\r'] = true;
    if (delimiter == ' ') r->stop['\t'] = true;
}

static bool blank(const reader *r, char c) { return c == ' ' || (c == '\t' && r->delimiter != '\t'); }

/* What the byte at p, just behind a cell, means; moves *at behind it. */
static cell_end after_cell(const reader *r, const char *p, const char **at)
{
    const char *end = r->buffer + r->end;
    if (r->delimiter == ' ')
        while (blank(r, *p)) p++;
    if (p == end) { /* at the real end of the file, a line break */
        *at = p;
        return r->ended ? CELL_LAST : CELL_CUT;
    }
    if (*p == '\n') return *at = p + 1, CELL_LAST;
    if (*p == '\r') { /* CR LF, or CR alone */
        if (p + 1 == end && !r->ended) return CELL_CUT;
        return *at = p + 1 + (p + 1 < end && p[1] == '\n'), CELL_LAST;
    }
    *at = r->delimiter == ' ' ? p : p + 1;
    return CELL_MORE;
}

static cell_end quoted_cell(reader *r, const char *first, const char **at, cell *c)
{
    const char *end = r->buffer + r->end, *p = first;
    bool doubled = false;
    for (;; p += 2) {
        p = memchr(p, '"', (size_t)(end - p));
        if (!p) return r->ended ? CELL_OPEN_QUOTE : CELL_CUT;
        if (p + 1 == end && !r->ended) return CELL_CUT; /* the next byte may double it */
        if (p + 1 == end || p[1] != '"') break;
        doubled = true;
    }
    *c = (cell){.text = first, .length = p - first, .quoted = true, .doubled = doubled};
    for (const char *q = first; q < p; q++) r->breaks += *q == '\n';
    for (p++; blank(r, *p);) p++;
    bool between_blanks = r->delimiter == ' ' && p[-1] != '"';
    if (!r->stop[(unsigned char)*p] && !between_blanks) return CELL_AFTER_QUOTE;
    return after_cell(r, p, at);
}

static cell_end next_cell(reader *r, const char **at, cell *c)
{
    const char *p = *at;
    while (blank(r, *p)) p++;
    if (*p == '"') return quoted_cell(r, p + 1, at, c);
    const char *first = p;
    while (!r->stop[(unsigned char)*p]) p++;
    const char *last = p;
    while (last > first && blank(r, last[-1])) last--;
    *c = (cell){.text = first, .length = last - first};
    return after_cell(r, p, at);
}

/* Cuts the row at *at into r->cells and r->count (which may be more than there is room for). */
static cell_end scan_row(reader *r, const char **at)
{
    const char *p = *at;
    r->count = r->breaks = 0;
    for (;;) {
        cell c;
        cell_end what = next_cell(r, &p, &c);
        if (what > CELL_LAST) return what;
        if (r->count < r->cells_room) r->cells[r->count] = c;
        r->count++;
        if (what == CELL_LAST) return *at = p, CELL_LAST;
    }
}

static bool blank_line(const reader *r) { return r->count == 1 && r->cells[0].length == 0 && !r->cells[0].quoted; }

/* The next row that is not blank; r->count = 0 at the end of the file. */
static rung_status read_row(reader *r)
{
    for (;;) {
        if (r->at == r->end && r->ended) return r->count = 0, RUNG_OK;
        const char *p = r->buffer + r->at;
        switch (scan_row(r, &p)) {
        case CELL_CUT: TRY(refill(r)); continue;
        case CELL_OPEN_QUOTE:
            return fail(r->ctx, RUNG_EDATA, "%s, line %lld: a quote is opened and never closed", r->t->path,
                        (long long)(r->line + r->breaks));
        case CELL_AFTER_QUOTE:
            return fail(r->ctx, RUNG_EDATA,
                        "%s, line %lld: text after the closing quote of cell %lld; a quote inside a quoted cell is "
                        "written twice",
                        r->t->path, (long long)(r->line + r->breaks), (long long)r->count + 1);
        default: break;
        }
        r->row_line = r->line;
        r->row_at = r->at;
        r->line += 1 + r->breaks;
        r->at = p - r->buffer;
        if (!blank_line(r)) return RUNG_OK;
    }
}

/* The row read last will be the next one again; only while it is in the buffer. */
static void unread(reader *r)
{
    r->at = r->row_at;
    r->line = r->row_line;
}

/* The number of a text in a dictionary; j and the row read last tell where it stands. */
static rung_status add_word(reader *r, int64_t j, pool *mem, dictionary *d, const cell *c, int32_t *index)
{
    rung_status status = dictionary_add(r->ctx, mem, d, c->text, (size_t)c->length, index);
    if (status != RUNG_EDATA) return status;
    char label[COLUMN_LABEL];
    return fail_prefix(r->ctx, status, "%s, line %lld, column %s: ", r->t->path, (long long)r->row_line,
                       table_column_label(r->t, j, label));
}

/* ---- what the file looks like ------------------------------------------------------------------- */

/* How many of the first rows agree on a number of cells above one, as a share; -1: the buffer holds no whole row. */
static double agreement(reader *r, char delimiter)
{
    int64_t counts[LOOKED_AT];
    int rows = 0, most = 0;
    set_delimiter(r, delimiter);
    for (const char *p = r->buffer + r->at; rows < LOOKED_AT && p < r->buffer + r->end;) {
        cell_end what = scan_row(r, &p);
        if (what == CELL_CUT && rows == 0) return -1;
        if (what == CELL_CUT) break;
        if (what != CELL_LAST) r->count = 0;
        if (what != CELL_LAST || !blank_line(r)) counts[rows++] = r->count;
        if (what != CELL_LAST) break;
    }
    for (int i = 0; i < rows; i++) {
        int same = 0;
        for (int j = 0; j < rows; j++) same += counts[j] == counts[i];
        if (counts[i] > 1 && same > most) most = same;
    }
    return rows ? (double)most / rows : 0;
}

/* The candidate on which most rows agree; of equals the first, since commas and blanks also occur inside cells
 * (1,5;2,5). Blanks must agree everywhere: text of several words is no table. */
static rung_status recognise_delimiter(reader *r)
{
    static const char candidates[] = {'\t', ';', '|', ',', ' '};
    char best = ONE_COLUMN;
    double most = 0;
    for (size_t i = 0; i < sizeof candidates; i++) {
        if (candidates[i] == r->decimal) continue;
        double share;
        while ((share = agreement(r, candidates[i])) < 0) TRY(refill(r));
        if (share > most && share >= (candidates[i] == ' ' ? 1 : 0.5)) most = share, best = candidates[i];
    }
    set_delimiter(r, best);
    return RUNG_OK;
}

typedef enum { LOOK_MISSING, LOOK_NUMBER, LOOK_TEXT } look;

static look look_of(const reader *r, const cell *c)
{
    double x;
    if (cell_missing(c->text, (size_t)c->length)) return LOOK_MISSING;
    return text_number(c->text, (size_t)c->length, r->decimal, &x) ? LOOK_NUMBER : LOOK_TEXT;
}

typedef struct {  /* the first row, and per column what stands below it in the first buffer */
    int64_t rows; /* below it */
    cell *first;
    look *first_look;
    bool *numbers, *texts, *repeats;
} outline;

static bool same_text(const cell *a, const cell *b)
{
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* The first row has been read and is still in the buffer, with what comes next. */
static void look_at_rows(reader *r, outline *o)
{
    int64_t n = r->t->n_columns;
    for (int64_t j = 0; j < n; j++) {
        o->first[j] = r->cells[j];
        o->first_look[j] = look_of(r, &r->cells[j]);
    }
    for (const char *p = r->buffer + r->at; p < r->buffer + r->end;) {
        if (scan_row(r, &p) != CELL_LAST) break;
        if (blank_line(r)) continue;
        o->rows++;
        for (int64_t j = 0; j < n && j < r->count; j++) {
            look what = look_of(r, &r->cells[j]);
            o->numbers[j] |= what == LOOK_NUMBER;
            o->texts[j] |= what == LOOK_TEXT;
            o->repeats[j] |= what == LOOK_TEXT && same_text(&r->cells[j], &o->first[j]);
        }
    }
}

/* Reads the first row, which fixes the number of columns, and looks at those below it, at least one. */
static rung_status read_outline(reader *r, outline *o)
{
    rung_ctx *ctx = r->ctx;
    TRY(read_row(r));
    if (r->count == 0) return fail(ctx, RUNG_EDATA, "%s: the file is empty", r->t->path);
    int64_t n = r->t->n_columns = r->count;
    TRY(NEW(ctx, &r->t->mem, r->t->columns, n));
    for (int64_t j = 0; j < n; j++) r->t->columns[j] = (column){.name = "", .odd_row = -1};
    TRY(NEW(ctx, &ctx->scratch, r->words, n));
    TRY(NEW(ctx, &ctx->scratch, o->first, n));
    TRY(NEW(ctx, &ctx->scratch, o->first_look, n));
    TRY(NEW(ctx, &ctx->scratch, o->numbers, n));
    TRY(NEW(ctx, &ctx->scratch, o->texts, n));
    TRY(NEW(ctx, &ctx->scratch, o->repeats, n));
    TRY(RESIZE(ctx, &ctx->scratch, r->cells, n));
    r->cells_room = n;
    for (bool more = false;; more = true) {
        unread(r);
        if (more) TRY(refill(r));
        TRY(read_row(r));
        look_at_rows(r, o);
        if (o->rows > 0 || r->ended) return RUNG_OK;
    }
}

/* A first row is a header when it has text above a column of numbers. Otherwise a number in it makes it data, and
 * among texts alone it is a header if no two of its cells are equal and none occurs again in its column. */
static rung_status recognise_header(reader *r, const outline *o, bool *out)
{
    int64_t n = r->t->n_columns;
    bool number = false, text = false, repeats = false;
    for (int64_t j = 0; j < n; j++) {
        if (o->first_look[j] == LOOK_TEXT && o->numbers[j] && !o->texts[j]) return *out = true, RUNG_OK;
        number |= o->first_look[j] == LOOK_NUMBER;
        text |= o->first_look[j] == LOOK_TEXT;
        repeats |= o->repeats[j];
    }
    *out = false;
    if (number || !text || repeats) return RUNG_OK;
    dictionary names = {0};
    for (int64_t j = 0; j < n; j++) {
        int32_t index, before = names.n;
        if (o->first_look[j] == LOOK_MISSING) continue;
        TRY(add_word(r, j, &r->ctx->scratch, &names, &o->first[j], &index));
        if (names.n == before) return RUNG_OK;
    }
    return *out = true, RUNG_OK;
}

/* ---- cells -> columns --------------------------------------------------------------------------- */

static rung_status undouble(reader *r, cell *c)
{
    if (!c->doubled) return RUNG_OK;
    if (c->length > r->plain_room) {
        TRY(RESIZE(r->ctx, &r->ctx->scratch, r->plain, 2 * c->length));
        r->plain_room = 2 * c->length;
    }
    int64_t length = 0;
    for (int64_t i = 0; i < c->length; i++) {
        r->plain[length++] = c->text[i];
        if (c->text[i] == '"') i++;
    }
    *c = (cell){.text = r->plain, .length = length, .quoted = true};
    return RUNG_OK;
}

/* A column without a name is called by its position: column3. */
static rung_status take_names(reader *r, const cell *first)
{
    rung_table *t = r->t;
    dictionary names = {0};
    for (int64_t j = 0; j < t->n_columns; j++) {
        cell c = first[j];
        char position[32];
        TRY(undouble(r, &c));
        if (c.length == 0) {
            c.text = position;
            c.length = snprintf(position, sizeof position, "column%lld", (long long)j + 1);
        }
        int32_t index;
        TRY(add_word(r, j, &t->mem, &names, &c, &index));
        if (index < j)
            return fail(r->ctx, RUNG_EDATA, "%s, line %lld: columns %lld and %lld are both called '%.80s'", t->path,
                        (long long)r->row_line, (long long)index + 1, (long long)j + 1, names.values[index]);
        t->columns[j].name = names.values[index];
    }
    dictionary_seal(&t->mem, &names);
    t->has_names = true;
    return RUNG_OK;
}

/* Room for more rows: as many as the file will have, judged by the rows so far, so that columns rarely move. */
static rung_status grow(reader *r)
{
    rung_table *t = r->t;
    int64_t rows = r->capacity ? 2 * r->capacity : 64, size = source_size(r->in), read = r->before + r->at;
    if (size > 0 && read > 0 && t->n_rows > 0) {
        double guess = 1.02 * (double)t->n_rows * (double)size / (double)read + 8;
        if (guess > (double)rows && guess < 1e15) rows = (int64_t)guess;
    }
    TRY(memory_check(r->ctx, (double)rows * (double)t->n_columns * sizeof(double), "the table read"));
    for (int64_t j = 0; j < t->n_columns; j++) {
        column *c = &t->columns[j];
        if (c->kind == COLUMN_NUMBER)
            TRY(RESIZE(r->ctx, &t->mem, c->number, rows));
        else if (!r->again)
            TRY(RESIZE(r->ctx, &t->mem, c->text, rows));
    }
    if (t->later_line) TRY(RESIZE(r->ctx, &t->mem, t->later_line, rows));
    r->capacity = rows;
    return RUNG_OK;
}

static rung_status note_line(reader *r)
{
    rung_table *t = r->t;
    if (t->n_rows == 0) t->first_line = r->row_line;
    if (!t->later_line && r->row_line != t->first_line + t->n_rows) {
        TRY(NEW_RAW(r->ctx, &t->mem, t->later_line, r->capacity));
        for (int64_t i = 0; i < t->n_rows; i++) t->later_line[i] = t->first_line + i;
    }
    if (t->later_line) t->later_line[t->n_rows] = r->row_line;
    return RUNG_OK;
}

static rung_status put_number(reader *r, column *c, cell *what)
{
    rung_table *t = r->t;
    double x;
    if (text_number(what->text, (size_t)what->length, r->decimal, &x)) {
        c->number[t->n_rows] = x;
        if (isfinite(x) || c->odd_row >= 0) return RUNG_OK;
        c->odd_row = t->n_rows;
        return pool_printf(r->ctx, &t->mem, &c->odd, "%.*s", (int)what->length, what->text);
    }
    c->number[t->n_rows] = NAN;
    if (cell_missing(what->text, (size_t)what->length)) return RUNG_OK;
    c->kind = COLUMN_TEXT;
    r->again = true;
    return RUNG_OK;
}

static rung_status put_text(reader *r, int64_t j, cell *what)
{
    rung_table *t = r->t;
    column *c = &t->columns[j];
    c->text[t->n_rows] = -1;
    if (cell_missing(what->text, (size_t)what->length)) return RUNG_OK;
    TRY(undouble(r, what));
    return add_word(r, j, &t->mem, &r->words[j], what, &c->text[t->n_rows]);
}

static rung_status put_row(reader *r)
{
    rung_table *t = r->t;
    if (r->count != t->n_columns)
        return fail(r->ctx, RUNG_EDATA, "%s, line %lld: %lld cell%s, expected %lld as in line %lld", t->path,
                    (long long)r->row_line, (long long)r->count, r->count == 1 ? "" : "s", (long long)t->n_columns,
                    (long long)r->first_row_line);
    if (t->n_rows == r->capacity) TRY(grow(r));
    TRY(note_line(r));
    for (int64_t j = 0; j < t->n_columns; j++)
        if (t->columns[j].kind == COLUMN_NUMBER)
            TRY(put_number(r, &t->columns[j], &r->cells[j]));
        else if (!r->again)
            TRY(put_text(r, j, &r->cells[j]));
    t->n_rows++;
    return RUNG_OK;
}

static rung_status read_rows(reader *r)
{
    for (;;) {
        TRY(read_row(r));
        if (r->count == 0) return RUNG_OK;
        TRY(put_row(r));
    }
}

/* Everything again, now that the text columns are known; the number of rows is known too. The words met in the first
 * pass come again in the same order, so their numbers stay. */
static rung_status read_again(reader *r)
{
    rung_table *t = r->t;
    for (int64_t j = 0; j < t->n_columns; j++) {
        column *c = &t->columns[j];
        pool_free(&t->mem, c->number);
        pool_free(&t->mem, c->text);
        *c = (column){.name = c->name, .kind = c->kind, .odd_row = -1};
        if (c->kind == COLUMN_NUMBER)
            TRY(NEW_RAW(r->ctx, &t->mem, c->number, t->n_rows));
        else
            TRY(NEW_RAW(r->ctx, &t->mem, c->text, t->n_rows));
    }
    r->capacity = t->n_rows;
    if (t->later_line) TRY(RESIZE(r->ctx, &t->mem, t->later_line, r->capacity));
    t->n_rows = 0;
    r->again = false;
    TRY(source_rewind(r->ctx, r->in));
    TRY(start(r));
    if (t->has_names) TRY(read_row(r));
    TRY(read_rows(r));
    if (r->again || t->n_rows == 0) return fail(r->ctx, RUNG_EIO, "%s changed while it was read", t->path);
    return RUNG_OK;
}

static rung_status check_options(rung_ctx *ctx, const rung_read_options *options)
{
    char decimal = options->decimal, delimiter = options->delimiter;
    if (decimal && decimal != '.' && decimal != ',')
        return fail(ctx, RUNG_EARG, "the decimal point is . or , and not '%c'", decimal);
    if (delimiter && (strchr("\"\r\n+-.", delimiter) || (delimiter >= '0' && delimiter <= '9')))
        return fail(ctx, RUNG_EARG, "the character 0x%02X cannot be the delimiter", (unsigned)(unsigned char)delimiter);
    if (delimiter && delimiter == decimal)
        return fail(ctx, RUNG_EARG, "'%c' cannot be both the delimiter and the decimal point", delimiter);
    return RUNG_OK;
}

rung_status csv_read(rung_ctx *ctx, source *in, const rung_read_options *options, rung_table *t)
{
    TRY(check_options(ctx, options));
    reader r = {.ctx = ctx, .in = in, .t = t, .room = CHUNK, .cells_room = 1};
    t->decimal = r.decimal = options->decimal ? options->decimal : '.';
    TRY(NEW_RAW(ctx, &ctx->scratch, r.buffer, r.room + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, r.cells, r.cells_room));
    TRY(start(&r));
    set_delimiter(&r, options->delimiter);
    if (!options->delimiter) TRY(recognise_delimiter(&r));

    outline o = {0};
    bool header = options->header > 0;
    TRY(read_outline(&r, &o));
    if (options->header == 0) TRY(recognise_header(&r, &o, &header));
    r.first_row_line = r.row_line;
    if (header)
        TRY(take_names(&r, o.first));
    else
        unread(&r);
    for (int64_t j = 0; j < t->n_columns; j++)
        if (o.texts[j] || (!header && o.first_look[j] == LOOK_TEXT)) t->columns[j].kind = COLUMN_TEXT;

    TRY(read_rows(&r));
    if (t->n_rows == 0) return fail(ctx, RUNG_EDATA, "%s: a header but no rows", t->path);
    if (r.again) TRY(read_again(&r));
    for (int64_t j = 0; j < t->n_columns; j++) {
        t->columns[j].n_values = r.words[j].n;
        t->columns[j].values = r.words[j].values;
        dictionary_seal(&t->mem, &r.words[j]);
    }
    return RUNG_OK;
}
