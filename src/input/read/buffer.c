// SPDX-License-Identifier: BSD-3-Clause
#include "input/read/buffer.h"
#include "base/memory.h"

#include <string.h>

enum {
    CHUNK = 1 << 18,
    LONGEST_ROW = 1 << 28 /* bytes; what an open quote can swallow */
};

/* Files that hold tables but no text, by their first bytes, and what to do with them. */
static const struct {
    const char *start, *what, *detail;
} others[] = {
    {"PAR1", "a Parquet file; convert it to CSV, or give its polars or pyarrow table to the Python package", ""},
    {"ARROW1", "an Arrow file; convert it to CSV, or give its polars or pyarrow table to the Python package", ""},
    {"SQLite format 3", "an SQLite database; select its rows with a query", "option sql"},
};

static rung_status nul_byte(const buffer *b, int64_t line)
{
    for (size_t i = 0; b->before == 0 && i < sizeof others / sizeof *others; i++)
        if (strncmp(b->text, others[i].start, strlen(others[i].start)) == 0)
            return hint(b->ctx, set_error(b->ctx, RUNG_EDATA, "%s is %s", b->path, others[i].what), "%s",
                        others[i].detail);
    return set_error(b->ctx, RUNG_EDATA,
                     "%s, line %lld: a NUL byte, so this is not a text file; save it as CSV in UTF-8", b->path,
                     (long long)line);
}

rung_status buffer_room(buffer *b, int64_t room)
{
    if (room <= b->room) return RUNG_OK;
    TRY(RESIZE(b->ctx, b->mem, b->text, room + 1));
    b->room = room;
    return RUNG_OK;
}

static rung_status grow(buffer *b, int64_t room)
{
    TRY(memory_check(b->ctx, (double)room, "a row of the file"));
    return buffer_room(b, room);
}

/* The last bytes of the buffer, from `first` on, become UTF-8. Those that may have begun a character are among them: no
 * row can have ended behind them. */
static rung_status decode(buffer *b, int64_t first)
{
    if (b->as == ENCODING_ASCII) {
        first -= b->left;
        b->as = encoding_of(b->text + first, b->end - first, b->ended, &b->left);
        if (b->as == ENCODING_WESTERN)
            log_at(b->ctx, RUNG_LOG_WARNING,
                   "%s is not UTF-8; it is read as Windows-1252, as western spreadsheets save text; save it as UTF-8 "
                   "if its "
                   "letters come out wrong",
                   b->path);
    }
    if (b->as != ENCODING_WESTERN) return RUNG_OK;
    int64_t end = first + encoding_turned(b->text + first, b->end - first);
    if (end > b->room) TRY(grow(b, 2 * end));
    b->end = first + encoding_turn(b->text + first, b->end - first);
    return RUNG_OK;
}

static bool is_wide(const buffer *b) { return b->as == ENCODING_LOW_FIRST || b->as == ENCODING_HIGH_FIRST; }

/* More text at b->end, at most `wanted` bytes of UTF-8. */
static rung_status read_wide(buffer *b, int64_t wanted, int64_t *got)
{
    int64_t count, taken, most = wanted / 3 * 2 < CHUNK ? wanted / 3 * 2 : CHUNK;
    TRY(source_read(b->ctx, b->from, (char *)b->wide + b->n_wide, most - b->n_wide, &count));
    b->ended = source_live(b->from) ? count == 0 : count < most - b->n_wide;
    b->n_wide += count;
    *got = encoding_narrow(b->wide, b->n_wide, b->as == ENCODING_HIGH_FIRST, b->ended, b->text + b->end, &taken);
    b->n_wide -= taken;
    memmove(b->wide, b->wide + taken, (size_t)b->n_wide);
    return RUNG_OK;
}

static rung_status read_more(buffer *b, int64_t wanted, int64_t *got)
{
    if (is_wide(b)) return read_wide(b, wanted, got);
    TRY(source_read(b->ctx, b->from, b->text + b->end, wanted, got));
    b->ended = source_live(b->from) ? *got == 0 : *got < wanted;
    return RUNG_OK;
}

rung_status buffer_refill(buffer *b)
{
    TRY(interrupted(b->ctx));
    double done = source_done(b->from);
    if (done >= 0) progress(b->ctx, "reading", done);
    memmove(b->text, b->text + b->at, (size_t)(b->end - b->at));
    b->before += b->at;
    b->end -= b->at;
    b->at = 0;
    if (b->end > b->room / 2) {
        if (b->room >= LONGEST_ROW)
            return set_error(b->ctx, RUNG_EDATA, "%s, line %lld: a row of more than %d MiB; a quote may be unclosed",
                             b->path, (long long)b->line, LONGEST_ROW >> 20);
        TRY(grow(b, 2 * b->room));
    }
    int64_t got, first = b->end, wanted = b->room - b->end;
    if (b->as == ENCODING_WESTERN) wanted /= ENCODING_MOST;
    char *fresh = b->text + b->end;
    TRY(read_more(b, wanted, &got));
    const char *nul = memchr(fresh, 0, (size_t)got);
    if (nul) {
        int64_t line = b->line;
        for (const char *p = b->text; p < nul; p++) line += *p == '\n';
        return nul_byte(b, line);
    }
    b->end += got;
    TRY(decode(b, first));
    b->text[b->end] = '\n';
    return RUNG_OK;
}

/* Whether two whole lines are there that are neither blank nor comments: from these a format is recognised. */
static bool two_rows(const buffer *b)
{
    int rows = 0;
    const char *p = b->text, *end = b->text + b->end, *stop;
    for (; rows < 2 && (stop = memchr(p, '\n', (size_t)(end - p))); p = stop + 1) {
        while (p < stop && strchr(" \t\r", *p)) p++;
        rows += p < stop && *p != '%' && *p != '#';
    }
    return rows == 2;
}

static rung_status first_rows(buffer *b)
{
    do TRY(buffer_refill(b));
    while (!b->ended && source_live(b->from) && !two_rows(b));
    return RUNG_OK;
}

/* By its byte order mark, else because the caller says so: then the first character, which is ASCII as a rule, shows
 * which byte is the first. */
static bool found_wide(buffer *b, int64_t got, int64_t *skip)
{
    const unsigned char *first = (const unsigned char *)b->text;
    bool low = got >= 2 && first[0] == 0xff && first[1] == 0xfe,
         high = got >= 2 && first[0] == 0xfe && first[1] == 0xff;
    *skip = low || high ? 2 : 0;
    if (!low && !high && !(b->said && b->wish == ENCODING_LOW_FIRST)) return false;
    b->as = high || (!low && got > 0 && first[0] == 0) ? ENCODING_HIGH_FIRST : ENCODING_LOW_FIRST;
    return true;
}

static rung_status start_wide(buffer *b, int64_t got, int64_t skip)
{
    if (!b->wide) TRY(NEW_RAW(b->ctx, b->mem, b->wide, CHUNK));
    b->n_wide = got - skip;
    memcpy(b->wide, b->text + skip, (size_t)b->n_wide);
    b->end = b->left = 0;
    return first_rows(b);
}

rung_status buffer_start(buffer *b)
{
    if (!b->text) {
        b->room = CHUNK;
        TRY(NEW_RAW(b->ctx, b->mem, b->text, b->room + 1));
    }
    b->at = b->end = b->before = 0;
    b->line = 1;
    b->ended = false;
    int64_t got = 0, more = 1;
    for (; got < 3 && more > 0; got += more) TRY(source_read(b->ctx, b->from, b->text + got, 3 - got, &more));
    const unsigned char *first = (const unsigned char *)b->text;
    int64_t skip;
    if (found_wide(b, got, &skip)) return start_wide(b, got, skip);
    bool zip = got == 3 && first[0] == 'P' && first[1] == 'K' && first[2] == 3,        /* as spreadsheets are */
        office = got == 3 && first[0] == 0xd0 && first[1] == 0xcf && first[2] == 0x11; /* as they were before 2007 */
    if (zip || office)
        return set_error(b->ctx, RUNG_EDATA, "%s is a spreadsheet or another compressed file; save it as CSV", b->path);
    bool mark = got == 3 && first[0] == 0xef && first[1] == 0xbb && first[2] == 0xbf;
    if (memchr(first, 0, (size_t)got)) return nul_byte(b, 1);
    b->end = b->left = mark ? 0 : got;
    b->as = mark ? ENCODING_UTF8 : b->said ? b->wish : ENCODING_ASCII;
    if (b->as == ENCODING_WESTERN) b->end = encoding_turn(b->text, b->end);
    if (b->as != ENCODING_ASCII) b->left = 0;
    return first_rows(b);
}

bool buffer_waits(const buffer *b)
{
    if (!b->text) return false; /* the file is no text */
    const char *rest = b->text + b->at;
    size_t n = (size_t)(b->end - b->at);
    return source_waits(b->from) && !memchr(rest, '\n', n) && !memchr(rest, '\r', n);
}

rung_status buffer_line(buffer *b, const char **text, int64_t *length)
{
    for (;;) {
        if (b->at == b->end && b->ended) return *text = NULL, *length = 0, RUNG_OK;
        const char *first = b->text + b->at, *end = b->text + b->end, *p = first;
        while (*p != '\n' && *p != '\r') p++;
        bool cut = p == end || (*p == '\r' && p + 1 == end); /* a LF may follow */
        if (cut && !b->ended) {
            TRY(buffer_refill(b));
            continue;
        }
        *text = first;
        *length = p - first;
        if (p < end) p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
        b->at = p - b->text;
        b->line++;
        return RUNG_OK;
    }
}
