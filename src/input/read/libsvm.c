// SPDX-License-Identifier: BSD-3-Clause
/* LIBSVM and svmlight files: `label index:value index:value ... # comment`, increasing indices from 1, values not
 * listed are 0. The columns are named 1, 2, ... and the label, which is first in the file, is the last column, as it is
 * in files without names. The number of columns is known only at the end of the file, so it is read twice, unless a
 * coding says which are needed. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "input/encode/features.h"
#include "input/read/format.h"

#define MOST_DENSE ((double)(INT64_C(8) << 30)) /* bytes, where the context has no limit */

typedef struct {
    const char *text;
    int64_t length;
} word;

static bool blank(char c) { return c == ' ' || c == '\t'; }

/* The next word of [*p, end); *p moves past it; false: none is left. */
static bool next_word(const char **p, const char *end, word *out)
{
    while (*p < end && blank(**p)) ++*p;
    out->text = *p;
    while (*p < end && !blank(**p)) ++*p;
    out->length = *p - out->text;
    return out->length > 0;
}

static const char *end_of_row(const char *text, int64_t length)
{
    const char *comment = memchr(text, '#', (size_t)length);
    return comment ? comment : text + length;
}

static bool blank_row(const char *p, const char *end)
{
    word w;
    return !next_word(&p, end, &w);
}

static bool is_query(const word *w) { return w->length >= 4 && memcmp(w->text, "qid:", 4) == 0; }

/* `index:value` in its two parts; false: it is something else. */
static bool parse_pair(const word *w, int64_t *index, word *value)
{
    const char *colon = memchr(w->text, ':', (size_t)w->length);
    if (!colon || !text_integer(w->text, (size_t)(colon - w->text), index)) return false;
    *value = (word){colon + 1, w->text + w->length - colon - 1};
    double x;
    return text_number(value->text, (size_t)value->length, '.', &x);
}

static rung_status bad_word(rung_reader *r, const word *w, const char *what)
{
    return set_error(r->in.ctx, RUNG_EDATA, "%s, line %lld: '%.*s' %s", r->in.path, (long long)r->in.line - 1,
                     (int)(w->length < 80 ? w->length : 80), w->text, what);
}

/* Skips the label, if the row has one. */
static word take_label(const char **p, const char *end)
{
    const char *behind = *p;
    word w;
    next_word(&behind, end, &w); /* the row is not blank */
    if (memchr(w.text, ':', (size_t)w.length)) return (word){*p, 0};
    *p = behind;
    return w;
}

/* The next pair of the row; *index is 0 at its end. last: the index before. */
static rung_status next_pair(rung_reader *r, const char **p, const char *end, int64_t last, int64_t *index, word *value)
{
    word w;
    do {
        if (!next_word(p, end, &w)) return *index = 0, RUNG_OK;
    } while (last == 0 && is_query(&w));
    if (!parse_pair(&w, index, value)) return bad_word(r, &w, "is not of the form index:value");
    if (*index < 1) return bad_word(r, &w, "has an index below 1; the first column is 1");
    if (*index <= last) return bad_word(r, &w, "has an index that is not larger than the one before it");
    return RUNG_OK;
}

/* ---- how many columns --------------------------------------------------------------------------- */

/* The rows, and the largest index. */
static rung_status measure(rung_reader *r, int64_t *rows, int64_t *columns)
{
    *rows = *columns = 0;
    for (;;) {
        const char *p;
        int64_t length, last = 0, index;
        word value;
        TRY(buffer_line(&r->in, &p, &length));
        if (!p) return RUNG_OK;
        const char *end = end_of_row(p, length);
        if (blank_row(p, end)) continue;
        take_label(&p, end);
        for (;; last = index) {
            TRY(next_pair(r, &p, end, last, &index, &value));
            if (index == 0) break;
        }
        if (last > *columns) *columns = last;
        ++*rows;
    }
}

static rung_status check_size(rung_reader *r, int64_t rows, int64_t columns)
{
    rung_ctx *ctx = r->in.ctx;
    double limit = ctx->memory > 0 ? (double)ctx->memory : MOST_DENSE;
    double bytes = (double)columns * ((double)rows * sizeof(double) + sizeof(column));
    if (ctx->memory > 0) bytes = memory_with(ctx, bytes);
    if (bytes <= limit) return RUNG_OK;
    return set_error(ctx, RUNG_ELIMIT,
                     "%s: %lld rows of %lld columns need about %.1f MiB as a dense matrix, above %s of %.1f MiB",
                     r->in.path, (long long)rows, (long long)columns, bytes / 1048576.0,
                     ctx->memory > 0 ? "the memory limit" : "the limit", limit / 1048576.0);
}

/* As many as the coding needs; columns after them are not used. */
static int64_t columns_needed(const coding *code)
{
    int64_t most = 0, index = 0;
    if (!coding_numbered(code)) return code->n_columns;
    for (int64_t j = 0; j < code->n_columns; j++) {
        const char *name = code->columns[j].name;
        text_integer(name, strlen(name), &index);
        if (index > most) most = index;
    }
    return most;
}

static rung_status name_columns(rung_reader *r, int64_t n)
{
    enum { DIGITS = 21 };
    char *names = NULL;
    TRY(pool_alloc_raw(r->in.ctx, &r->shape->mem, n, DIGITS, "names", (void **)&names));
    for (int64_t j = 0; j < n; j++, names += DIGITS) {
        snprintf(names, DIGITS, "%lld", (long long)j + 1);
        r->shape->columns[j].name = names;
    }
    r->shape->columns[n].name = "label";
    r->shape->has_names = r->shape->sparse = true;
    return RUNG_OK;
}

static rung_status open_libsvm(rung_reader *r)
{
    int64_t columns;
    if (r->code) {
        columns = columns_needed(r->code);
        TRY(check_size(r, 1, columns));
    } else {
        TRY(measure(r, &r->expected, &columns));
        if (r->expected > 0 && columns == 0)
            return set_error(r->in.ctx, RUNG_EDATA, "%s: no row has an index:value", r->in.path);
        TRY(check_size(r, r->expected, columns));
        TRY(reader_rewind(r));
    }
    r->strict = true;
    TRY(reader_columns(r, columns + 1));
    return name_columns(r, columns);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static rung_status row_of_libsvm(rung_reader *r, filling *to, bool *got)
{
    const char *p, *end;
    int64_t length, last = 0, index, columns = r->shape->n_columns - 1;
    do {
        TRY(buffer_line(&r->in, &p, &length));
        if (!p) return *got = false, RUNG_OK;
        end = end_of_row(p, length);
    } while (blank_row(p, end));
    *got = true;
    TRY(filling_row(to, r->in.line - 1));
    word label = take_label(&p, end), value;
    TRY(filling_cell(to, columns, label.text, label.length));
    for (;; last = index) {
        TRY(next_pair(r, &p, end, last, &index, &value));
        if (index == 0) break;
        if (index <= columns) TRY(filling_cell(to, index - 1, value.text, value.length));
    }
    to->t->n_rows++;
    return RUNG_OK;
}

/* ---- recognising -------------------------------------------------------------------------------- */

static bool named_libsvm(const char *file)
{
    return name_ends(file, ".libsvm") || name_ends(file, ".svm") || name_ends(file, ".svmlight");
}

/* The first row is a label that is a number or missing, then nothing but pairs, at least one. */
static bool looks_libsvm(const char *text, int64_t length)
{
    const char *p = text, *all = text + length, *end;
    for (;; p = end + 1) {
        if (p >= all) return false;
        for (end = p; end < all && *end != '\n' && *end != '\r';) end++;
        if (!blank_row(p, end_of_row(p, end - p))) break;
    }
    end = end_of_row(p, end - p);
    word w = take_label(&p, end), value;
    double x;
    if (!cell_missing(w.text, (size_t)w.length) && !text_number(w.text, (size_t)w.length, '.', &x)) return false;
    int64_t index, pairs = 0;
    while (next_word(&p, end, &w)) {
        if (pairs == 0 && is_query(&w)) continue;
        if (!parse_pair(&w, &index, &value)) return false;
        pairs++;
    }
    return pairs > 0;
}

const format format_libsvm = {
    .name = "libsvm", .named = named_libsvm, .looks = looks_libsvm, .open = open_libsvm, .row = row_of_libsvm};
