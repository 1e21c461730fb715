// SPDX-License-Identifier: BSD-3-Clause
/* CSV and its relatives: cells separated by , ; | a tab or blanks, quoted as in RFC 4180. Rows are split into cells in
 * place in the buffer, and each cell is stored directly in its column, so that nothing is allocated per cell. The
 * dialect (delimiter, header, which columns are text) is determined from the rows of the first buffer. */
#include "input/read/csv.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input/read/csv_ahead.h"
#include "input/table/column_form.h"

/* Rows that decide the delimiter. Those of a live source arrive one by one, so there it is the least number: what is
 * recognised must not depend on when they arrive. */
enum { LOOKED_AT = 100, LOOKED_AT_LIVE = 2 };
#define ONE_COLUMN '\n' /* the delimiter of a file without one */

typedef struct {
    const char *text; /* in the buffer */
    int64_t length;
    bool quoted, doubled; /* doubled: it has "" that stand for " */
} cell;

typedef enum { CELL_MORE, CELL_LAST, CELL_CUT, CELL_OPEN_QUOTE, CELL_AFTER_QUOTE } cell_end;

typedef struct {
    buffer *in;
    rung_table *shape;
    pool *mem;
    char delimiter;
    bool stop[256]; /* bytes that end an unquoted cell */

    cell *cells; /* the row read last */
    int64_t cells_room, count;
    int64_t row_at, row_line, breaks; /* where it is; line breaks within it */
    int64_t blanks;                   /* blank lines before it */
    int64_t owed;                     /* of one column: those that are still to be given, and then ... */
    bool kept;                        /* ... the row */

    char *plain; /* a cell with its doubled quotes undone */
    int64_t plain_room;
    int64_t first_row_line; /* the row whose count of cells all rows must have */
    csv_ahead ahead;
} csv;

/* ---- bytes -> cells ----------------------------------------------------------------------------- */

static void set_delimiter(csv *r, char delimiter)
{
    memset(r->stop, 0, sizeof r->stop);
    r->delimiter = delimiter;
    r->stop[(unsigned char)delimiter] = r->stop['\n'] = r->stop['\r'] = true;
    if (delimiter == ' ') r->stop['\t'] = true;
}

static bool blank(const csv *r, char c) { return c == ' ' || (c == '\t' && r->delimiter != '\t'); }

/* The meaning of the byte at p, just after a cell; moves *at past it. */
static cell_end after_cell(const csv *r, const char *p, const char **at)
{
    const char *end = r->in->text + r->in->end;
    if (r->delimiter == ' ')
        while (blank(r, *p)) p++;
    if (p == end) { /* at the real end of the file, a line break */
        *at = p;
        return r->in->ended ? CELL_LAST : CELL_CUT;
    }
    if (*p == '\n') return *at = p + 1, CELL_LAST;
    if (*p == '\r') { /* CR LF, or CR alone */
        if (p + 1 == end && !r->in->ended) return CELL_CUT;
        return *at = p + 1 + (p + 1 < end && p[1] == '\n'), CELL_LAST;
    }
    *at = r->delimiter == ' ' ? p : p + 1;
    return CELL_MORE;
}

static cell_end quoted_cell(csv *r, const char *first, const char **at, cell *c)
{
    const char *end = r->in->text + r->in->end, *p = first;
    bool doubled = false;
    for (;; p += 2) {
        p = memchr(p, '"', (size_t)(end - p));
        if (!p) return r->in->ended ? CELL_OPEN_QUOTE : CELL_CUT;
        if (p + 1 == end && !r->in->ended) return CELL_CUT; /* the next byte may double it */
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

static cell_end next_cell(csv *r, const char **at, cell *c)
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
static cell_end scan_row(csv *r, const char **at)
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

static bool blank_line(const csv *r) { return r->count == 1 && r->cells[0].length == 0 && !r->cells[0].quoted; }

/* The next row that is not blank; r->count = 0 at the end of the file. */
static rung_status read_row(csv *r)
{
    r->blanks = 0;
    for (;;) {
        if (r->in->at == r->in->end && r->in->ended) return r->count = 0, RUNG_OK;
        const char *p = r->in->text + r->in->at;
        switch (scan_row(r, &p)) {
        case CELL_CUT: TRY(buffer_refill(r->in)); continue;
        case CELL_OPEN_QUOTE:
            return set_error(r->in->ctx, RUNG_EDATA, "%s, line %lld: a quote is opened but never closed", r->in->path,
                             (long long)(r->in->line + r->breaks));
        case CELL_AFTER_QUOTE:
            return set_error(r->in->ctx, RUNG_EDATA,
                             "%s, line %lld: text after the closing quote of cell %lld; a quote inside a quoted cell "
                             "must be doubled",
                             r->in->path, (long long)(r->in->line + r->breaks), (long long)r->count + 1);
        default: break;
        }
        r->row_line = r->in->line;
        r->row_at = r->in->at;
        r->in->line += 1 + r->breaks;
        r->in->at = p - r->in->text;
        if (!blank_line(r)) return RUNG_OK;
        r->blanks++;
    }
}

/* The last row will be read again; only while it is in the buffer. */
static void unread(csv *r)
{
    r->in->at = r->row_at;
    r->in->line = r->row_line;
}

/* The cell is in column j of the last row read. */
static rung_status add_name(csv *r, int64_t j, pool *mem, dictionary *d, const cell *c, int32_t *index)
{
    rung_status status = dictionary_add(r->in->ctx, mem, d, c->text, (size_t)c->length, index);
    return filling_error(r->in->ctx, status, r->in->path, r->shape, r->row_line, j);
}

/* ---- what the file looks like ------------------------------------------------------------------- */

/* The share of the first rows that agree on a number of cells > 1; -1: the buffer does not hold enough of them. */
static double agreement(csv *r, char delimiter)
{
    int64_t counts[LOOKED_AT];
    bool live = source_live(r->in->from);
    const char *p = r->in->text + r->in->at, *end = r->in->text + r->in->end;
    int rows = 0, most = 0, wanted = live ? LOOKED_AT_LIVE : LOOKED_AT, needed = live ? LOOKED_AT_LIVE : 1;
    set_delimiter(r, delimiter);
    while (rows < wanted) {
        if (p == end && (r->in->ended || rows >= needed)) break;
        cell_end what = p == end ? CELL_CUT : scan_row(r, &p);
        if (what == CELL_CUT && rows < needed) return -1;
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
 * (1,5;2,5). With blanks all rows must agree: text of several words is not a table. */
static rung_status recognise_delimiter(csv *r)
{
    static const char candidates[] = {'\t', ';', '|', ',', ' '};
    char best = ONE_COLUMN;
    double most = 0;
    for (size_t i = 0; i < sizeof candidates; i++) {
        if (candidates[i] == r->shape->decimal) continue;
        double share;
        while ((share = agreement(r, candidates[i])) < 0) TRY(buffer_refill(r->in));
        if (share > most && share >= (candidates[i] == ' ' ? 1 : 0.5)) most = share, best = candidates[i];
    }
    set_delimiter(r, best);
    return RUNG_OK;
}

/* The delimiter of the file that the coding was made from, where most rows of this one have it, too; otherwise the one
 * that is found. A decimal comma that is only remembered gives way to commas between the cells. */
static rung_status find_delimiter(csv *r, const coding *code, bool remembered_decimal)
{
    double share = 0;
    if (code && code->delimiter && code->delimiter != r->shape->decimal)
        while ((share = agreement(r, code->delimiter)) < 0) TRY(buffer_refill(r->in));
    if (share >= 0.5) return RUNG_OK;
    TRY(recognise_delimiter(r));
    if (r->delimiter != ONE_COLUMN || !remembered_decimal) return RUNG_OK;
    char decimal = r->shape->decimal;
    r->shape->decimal = '.';
    TRY(recognise_delimiter(r));
    if (r->delimiter == ONE_COLUMN) r->shape->decimal = decimal;
    return RUNG_OK;
}

/* Spreadsheets put a line "sep=;" before the table: the delimiter it names; 0: there is none. */
static rung_status take_separator(csv *r, char *out)
{
    buffer *in = r->in;
    *out = 0;
    const char *p;
    for (int64_t n;;) { /* no more than needed: the source may be live */
        p = in->text + in->at;
        n = in->end - in->at;
        if (memcmp(p, "sep=", (size_t)(n < 4 ? n : 4)) != 0) return RUNG_OK;
        if (n >= 7 || in->ended) break;
        TRY(buffer_refill(in));
    }
    if (in->end - in->at < 6 || (p[5] != '\n' && p[5] != '\r')) return RUNG_OK;
    *out = p[4];
    in->at += p[5] == '\r' && in->end - in->at > 6 && p[6] == '\n' ? 7 : 6;
    in->line++;
    return RUNG_OK;
}

typedef enum { LOOK_MISSING, LOOK_NUMBER, LOOK_TEXT } look;

static look look_of(const csv *r, const cell *c)
{
    double x;
    if (text_number(c->text, (size_t)c->length, r->shape->decimal, &x)) return LOOK_NUMBER;
    bool missing = cell_missing(c->text, (size_t)c->length) || cell_says_missing(c->text, (size_t)c->length, true);
    return missing ? LOOK_MISSING : LOOK_TEXT;
}

static bool is_code(const cell *c) { return form_is_code(c->text, (size_t)c->length); }

typedef struct {  /* the first row, and for each column the cells below it in the first buffer */
    int64_t rows; /* below it */
    cell *first;
    look *first_look;
    bool *numbers, *texts, *repeats;
    bool *codes; /* numbers such as 007, which are text although they tell a header from data as numbers do */
} outline;

static bool same_text(const cell *a, const cell *b)
{
    return a->length == b->length && memcmp(a->text, b->text, (size_t)a->length) == 0;
}

/* The first row has been read and is still in the buffer, with the rows after it. */
static void look_at_rows(csv *r, outline *o)
{
    int64_t n = r->shape->n_columns;
    for (int64_t j = 0; j < n; j++) {
        o->first[j] = r->cells[j];
        o->first_look[j] = look_of(r, &r->cells[j]);
    }
    for (const char *p = r->in->text + r->in->at; p < r->in->text + r->in->end;) {
        if (scan_row(r, &p) != CELL_LAST) break;
        if (blank_line(r)) continue;
        if (o->rows > 0 && source_live(r->in->from)) break;
        o->rows++;
        for (int64_t j = 0; j < n && j < r->count; j++) {
            look what = look_of(r, &r->cells[j]);
            o->numbers[j] |= what == LOOK_NUMBER;
            o->texts[j] |= what == LOOK_TEXT;
            o->codes[j] |= is_code(&r->cells[j]);
            o->repeats[j] |= what == LOOK_TEXT && same_text(&r->cells[j], &o->first[j]);
        }
    }
}

/* Reads the first row, which fixes the number of columns, and looks at those below it, at least one. */
static rung_status read_outline(rung_reader *reader, outline *o)
{
    csv *r = reader->own;
    rung_ctx *ctx = r->in->ctx;
    TRY(read_row(r));
    if (r->count == 0) return set_error(ctx, RUNG_EDATA, "%s: the file is empty", r->in->path);
    int64_t n = r->count;
    TRY(reader_columns(reader, n));
    TRY(NEW(ctx, &ctx->scratch, o->first, n));
    TRY(NEW(ctx, &ctx->scratch, o->first_look, n));
    TRY(NEW(ctx, &ctx->scratch, o->numbers, n));
    TRY(NEW(ctx, &ctx->scratch, o->texts, n));
    TRY(NEW(ctx, &ctx->scratch, o->repeats, n));
    TRY(NEW(ctx, &ctx->scratch, o->codes, n));
    TRY(RESIZE(ctx, r->mem, r->cells, n));
    r->cells_room = n;
    for (bool more = false;; more = true) {
        unread(r);
        if (more) TRY(buffer_refill(r->in));
        TRY(read_row(r));
        look_at_rows(r, o);
        if (o->rows > 0 || r->in->ended) return RUNG_OK;
    }
}

/* Whether the first row names most of the columns that are needed. A cell may happen to be the name of its column:
 * "urban" in a column urban. */
static bool names_columns(const outline *o, int64_t n, const coding *code)
{
    int64_t named = 0, wanted = 0;
    for (int64_t k = 0; k < code->n_columns; k++) {
        const char *name = code->columns[k].name;
        cell text = {.text = name, .length = (int64_t)strlen(name)};
        bool there = false;
        for (int64_t j = 0; j < n && *name; j++) there = there || same_text(&o->first[j], &text);
        named += there;
        wanted += *name != 0;
    }
    return wanted > 0 && 2 * named > wanted;
}

/* A first row is a header when it has text above a column of numbers, or names most of the columns that are needed.
 * Otherwise a number in it makes it data, and among texts alone it is a header if no two of its cells are equal and at
 * most a quarter of them occur again in their columns. */
static rung_status recognise_header(rung_reader *reader, const outline *o, bool *out)
{
    csv *r = reader->own;
    int64_t n = r->shape->n_columns;
    int64_t repeats = 0;
    bool number = false, text = false;
    for (int64_t j = 0; j < n; j++) {
        if (o->first_look[j] == LOOK_TEXT && o->numbers[j] && !o->texts[j]) return *out = true, RUNG_OK;
        number |= o->first_look[j] == LOOK_NUMBER;
        text |= o->first_look[j] == LOOK_TEXT;
        repeats += o->repeats[j];
    }
    *out = reader->code && names_columns(o, n, reader->code);
    if (*out || number || !text || 4 * repeats > n) return RUNG_OK;
    if (source_live(r->in->from) && reader->code) return RUNG_OK; /* whether cells repeat is still to come */
    dictionary names = {0};
    for (int64_t j = 0; j < n; j++) {
        int32_t index, before = names.n;
        if (o->first_look[j] == LOOK_MISSING) continue;
        TRY(add_name(r, j, &r->in->ctx->scratch, &names, &o->first[j], &index));
        if (names.n == before) return RUNG_OK;
    }
    return *out = true, RUNG_OK;
}

/* ---- cells -> columns --------------------------------------------------------------------------- */

static rung_status undouble(csv *r, cell *c)
{
    if (!c->doubled) return RUNG_OK;
    if (c->length > r->plain_room) {
        TRY(RESIZE(r->in->ctx, r->mem, r->plain, 2 * c->length));
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

/* A column without a name is named by its position: column3. */
static rung_status take_names(csv *r, const cell *first)
{
    rung_table *t = r->shape;
    dictionary names = {0};
    for (int64_t j = 0; j < t->n_columns; j++) {
        cell c = first[j];
        char position[32];
        TRY(undouble(r, &c));
        t->columns[j].unnamed = c.length == 0;
        if (c.length == 0) {
            c.text = position;
            c.length = snprintf(position, sizeof position, "column%lld", (long long)j + 1);
        }
        int32_t index;
        TRY(add_name(r, j, &t->mem, &names, &c, &index));
        if (index < j)
            return set_error(r->in->ctx, RUNG_EDATA, "%s, line %lld: columns %lld and %lld are both named '%.80s'",
                             t->path, (long long)r->row_line, (long long)index + 1, (long long)j + 1,
                             names.values[index]);
        t->columns[j].name = names.values[index];
    }
    dictionary_seal(&t->mem, &names);
    t->has_names = true;
    return RUNG_OK;
}

/* The next row, or, in a file of one column, a blank line before it: there it is a missing cell. Those at the end of
 * the file are nothing. *line: where it is; a blank line has no cells. */
static rung_status next_row(csv *r, int64_t *line, bool *blank)
{
    if (!r->kept) {
        TRY(read_row(r));
        r->owed = r->shape->n_columns == 1 && r->count > 0 ? r->blanks : 0;
    }
    *blank = r->kept = r->owed > 0;
    *line = r->row_line - r->owed;
    if (r->owed > 0) r->owed--;
    return RUNG_OK;
}

/* Between blanks rows are read one by one. */
static rung_status take_ahead(csv *r, filling *to, bool *got)
{
    *got = false;
    if (r->kept || r->delimiter == ' ') return RUNG_OK;
    piece_rules rules = {.n_columns = r->shape->n_columns,
                         .delimiter = r->delimiter,
                         .decimal = to->t->decimal,
                         .stop = r->stop,
                         .keep_codes = !to->strict,
                         .keep_missing = to->as_written};
    return csv_ahead_take(&r->ahead, r->in, &rules, to, got);
}

rung_status csv_row(rung_reader *reader, filling *to, bool *got)
{
    csv *r = reader->own;
    int64_t line;
    bool blank;
    TRY(take_ahead(r, to, got));
    if (*got) return RUNG_OK;
    TRY(next_row(r, &line, &blank));
    *got = r->count > 0;
    if (!*got) return RUNG_OK;
    if (blank) {
        TRY(filling_row(to, line));
        TRY(filling_cell(to, 0, "", 0));
        to->t->n_rows++;
        return RUNG_OK;
    }
    if (r->count != r->shape->n_columns)
        return set_error(r->in->ctx, RUNG_EDATA, "%s, line %lld: %lld cell%s, expected %lld as in line %lld",
                         r->in->path, (long long)r->row_line, (long long)r->count, r->count == 1 ? "" : "s",
                         (long long)r->shape->n_columns, (long long)r->first_row_line);
    TRY(filling_row(to, r->row_line));
    for (int64_t j = 0; j < r->count; j++) {
        if (r->cells[j].doubled) TRY(undouble(r, &r->cells[j]));
        TRY(filling_cell(to, j, r->cells[j].text, r->cells[j].length));
    }
    to->t->n_rows++;
    return RUNG_OK;
}

rung_status csv_again(rung_reader *reader)
{
    char ignored;
    csv *r = reader->own;
    r->owed = 0;
    r->kept = false;
    csv_ahead_again(&r->ahead);
    TRY(take_separator(reader->own, &ignored));
    return reader->shape->has_names ? read_row(reader->own) : RUNG_OK;
}

void csv_close(rung_reader *reader)
{
    csv *r = reader->own;
    csv_ahead_close(&r->ahead);
}

static rung_status check_options(rung_ctx *ctx, const rung_read_options *options)
{
    char decimal = options->decimal, delimiter = options->delimiter;
    if (decimal && decimal != '.' && decimal != ',')
        return set_error(ctx, RUNG_EARG, "the decimal point must be . or , and not '%c'", decimal);
    if (delimiter && (strchr("\"\r\n+-.", delimiter) || (delimiter >= '0' && delimiter <= '9')))
        return set_error(ctx, RUNG_EARG, "the character 0x%02X cannot be the delimiter",
                         (unsigned)(unsigned char)delimiter);
    if (delimiter && delimiter == decimal)
        return set_error(ctx, RUNG_EARG, "'%c' cannot be both the delimiter and the decimal point", delimiter);
    return RUNG_OK;
}

rung_status csv_open(rung_reader *reader)
{
    const rung_read_options *options = &reader->options;
    rung_ctx *ctx = reader->in.ctx;
    TRY(check_options(ctx, options));
    csv *r = NULL;
    TRY(NEW(ctx, &reader->mem, r, 1));
    *r = (csv){.in = &reader->in, .shape = reader->shape, .mem = &reader->mem, .cells_room = 1};
    r->ahead.mem = r->mem;
    reader->own = r;
    if (options->decimal) r->shape->decimal = options->decimal;
    TRY(NEW_RAW(ctx, r->mem, r->cells, r->cells_room));
    char delimiter;
    TRY(take_separator(r, &delimiter));
    if (options->delimiter || !strchr(",;|\t", delimiter)) delimiter = options->delimiter;
    set_delimiter(r, delimiter);
    if (!delimiter) TRY(find_delimiter(r, reader->code, reader->remembered_decimal));

    r->shape->semicolons = r->delimiter == ';';
    r->shape->given_decimal = reader->remembered_decimal ? 0 : options->decimal;
    r->shape->given_delimiter = options->delimiter;

    outline o = {0};
    bool header = options->header == RUNG_HEADER_PRESENT;
    TRY(read_outline(reader, &o));
    if (options->header == RUNG_HEADER_AUTO) TRY(recognise_header(reader, &o, &header));
    r->first_row_line = r->row_line;
    if (header)
        TRY(take_names(r, o.first));
    else
        unread(r);
    for (int64_t j = 0; j < r->shape->n_columns; j++) {
        bool first = !header && o.first_look[j] == LOOK_TEXT, code = o.codes[j] || (!header && is_code(&o.first[j]));
        if (o.texts[j] || first || (code && !reader->strict)) r->shape->columns[j].kind = COLUMN_TEXT;
    }
    return reader_pin(reader);
}

static bool named_csv(const char *file) { return name_ends(file, ".csv") || name_ends(file, ".tsv"); }

const format format_csv = {
    .name = "csv", .named = named_csv, .open = csv_open, .row = csv_row, .again = csv_again, .close = csv_close};
