// SPDX-License-Identifier: BSD-3-Clause
/* ARFF files of Weka: @relation, an @attribute per column, @data, then a row per line, dense (`1, red, ?`) or sparse
 * (`{0 1, 3 red}`: attributes not listed are 0, or the first value of a nominal attribute). A nominal attribute
 * declares its values and their order. Cells are separated by commas or blanks; quotes are ' or ", and \ escapes
 * inside. */
#include <string.h>

#include "base/text.h"
#include "input/read/format.h"

typedef struct {
    char *plain; /* a cell with its escapes undone */
    int64_t plain_room;
    bool *put;         /* sparse rows: the columns that were named ... */
    const char **zero; /* ... and what the others are, however the columns are read */
} arff;

/* ---- words -------------------------------------------------------------------------------------- */

typedef struct { /* a line being cut; the line breaks off at `end` */
    rung_reader *r;
    const char *p, *end;
} scan;

typedef struct {
    const char *text;
    int64_t length;
    bool quoted;
} word;

static bool blank(char c) { return c == ' ' || c == '\t'; }

static void skip_blanks(scan *s)
{
    while (s->p < s->end && blank(*s->p)) s->p++;
}

static int64_t line_of(const rung_reader *r) { return r->in.line - 1; }

static int shown(int64_t length) { return (int)(length < 80 ? length : 80); }

static rung_status bad_line(rung_reader *r, const char *what)
{
    return set_error(r->in.ctx, RUNG_EDATA, "%s, line %lld: %s", r->in.path, (long long)line_of(r), what);
}

static rung_status quoted_word(scan *s, word *out)
{
    arff *a = s->r->own;
    char quote = *s->p++;
    if (s->end - s->p > a->plain_room) {
        TRY(RESIZE(s->r->in.ctx, &s->r->mem, a->plain, 2 * (s->end - s->p)));
        a->plain_room = 2 * (s->end - s->p);
    }
    int64_t n = 0;
    for (; s->p < s->end && *s->p != quote; s->p++) {
        if (*s->p == '\\' && s->p + 1 < s->end) s->p++;
        a->plain[n++] = *s->p;
    }
    if (s->p == s->end) return bad_line(s->r, "a quote is opened but never closed");
    s->p++;
    *out = (word){a->plain, n, true};
    return RUNG_OK;
}

/* The next word, up to a blank, a comma or a brace; empty if there is none. A quoted one is valid until the next. */
static rung_status next_word(scan *s, word *out)
{
    skip_blanks(s);
    if (s->p < s->end && (*s->p == '\'' || *s->p == '"')) return quoted_word(s, out);
    const char *first = s->p;
    while (s->p < s->end && !blank(*s->p) && !strchr(",{}", *s->p)) s->p++;
    *out = (word){first, s->p - first, false};
    return RUNG_OK;
}

/* Moves over a comma with the blanks around it; false: there is none. */
static bool comma(scan *s)
{
    skip_blanks(s);
    if (s->p == s->end || *s->p != ',') return false;
    s->p++;
    skip_blanks(s);
    return true;
}

static bool is(const word *w, const char *text)
{
    char lower[16] = "";
    if (w->quoted || w->length >= (int64_t)sizeof lower) return false;
    memcpy(lower, w->text, (size_t)w->length);
    return text_equal(lower, text);
}

/* The next line that is neither blank nor a comment; s->p is NULL at the end of the file. */
static rung_status next_line(rung_reader *r, scan *s)
{
    do {
        int64_t length;
        TRY(buffer_line(&r->in, &s->p, &length));
        if (!s->p) return RUNG_OK;
        s->r = r;
        s->end = s->p + length;
        skip_blanks(s);
        while (s->end > s->p && blank(s->end[-1])) s->end--;
    } while (s->p == s->end || *s->p == '%');
    return RUNG_OK;
}

/* ---- the header --------------------------------------------------------------------------------- */

typedef struct { /* an attribute; the columns are created when their number is known */
    const char *name;
    bool text;
    dictionary values;
    bool nominal;
} attribute;

typedef struct {
    attribute *list;
    int64_t n, room;
    dictionary names;
} attributes;

/* {a, b, 'c d'} */
static rung_status take_values(scan *s, const char *name, attribute *one)
{
    rung_ctx *ctx = s->r->in.ctx;
    s->p++;
    for (bool more = true; more;) {
        word w;
        TRY(next_word(s, &w));
        if (w.length == 0 && !w.quoted)
            return set_error(ctx, RUNG_EDATA, "%s, line %lld: attribute '%.80s' declares an empty value", s->r->in.path,
                             (long long)line_of(s->r), name);
        int32_t index, before = one->values.n;
        rung_status status = dictionary_add(ctx, &s->r->shape->mem, &one->values, w.text, (size_t)w.length, &index);
        if (status == RUNG_EDATA)
            return prefix_error(ctx, status, "%s, line %lld: ", s->r->in.path, (long long)line_of(s->r));
        TRY(status);
        if (one->values.n == before)
            return set_error(ctx, RUNG_EDATA, "%s, line %lld: attribute '%.80s' declares '%.80s' twice", s->r->in.path,
                             (long long)line_of(s->r), name, one->values.values[index]);
        more = comma(s) || (s->p < s->end && *s->p != '}');
    }
    if (s->p == s->end) return bad_line(s->r, "the closing } after the values of an attribute is missing");
    s->p++;
    return RUNG_OK;
}

static rung_status take_type(scan *s, const char *name, attribute *one)
{
    static const char *const numeric[] = {"numeric", "real", "integer"};
    rung_ctx *ctx = s->r->in.ctx;
    word type;
    skip_blanks(s);
    if (s->p < s->end && *s->p == '{') {
        one->text = one->nominal = true;
        return take_values(s, name, one);
    }
    TRY(next_word(s, &type));
    for (size_t i = 0; i < sizeof numeric / sizeof *numeric; i++)
        if (is(&type, numeric[i])) return RUNG_OK;
    one->text = is(&type, "string");
    if (one->text) return RUNG_OK;
    bool known = is(&type, "date") || is(&type, "relational");
    return set_error(ctx, RUNG_EDATA,
                     "%s, line %lld: attribute '%.80s' has the type '%.*s', which %s; expected numeric, real, integer, "
                     "string or {a, b, ...}",
                     s->r->in.path, (long long)line_of(s->r), name, shown(type.length), type.text,
                     known ? "cannot be read" : "is unknown");
}

static rung_status take_attribute(scan *s, attributes *all)
{
    rung_reader *r = s->r;
    rung_ctx *ctx = r->in.ctx;
    word w;
    int32_t index;
    TRY(next_word(s, &w));
    if (w.length == 0) return bad_line(r, "the name of an attribute is missing");
    rung_status status = dictionary_add(ctx, &r->shape->mem, &all->names, w.text, (size_t)w.length, &index);
    if (status == RUNG_EDATA) return prefix_error(ctx, status, "%s, line %lld: ", r->in.path, (long long)line_of(r));
    TRY(status);
    if (index < all->n)
        return set_error(ctx, RUNG_EDATA, "%s, line %lld: attributes %lld and %lld are both named '%.80s'", r->in.path,
                         (long long)line_of(r), (long long)index + 1, (long long)all->n + 1, all->names.values[index]);
    if (all->n == all->room) {
        TRY(RESIZE(ctx, &ctx->scratch, all->list, 2 * all->room + 16));
        all->room = 2 * all->room + 16;
    }
    attribute *one = &all->list[all->n++];
    *one = (attribute){.name = all->names.values[index]};
    TRY(take_type(s, one->name, one));
    skip_blanks(s);
    if (s->p < s->end && *s->p != '%') return bad_line(r, "text after the type of an attribute");
    return RUNG_OK;
}

/* Everything up to @data. */
static rung_status read_header(rung_reader *r, attributes *all)
{
    for (;;) {
        scan s = {0};
        word w;
        TRY(next_line(r, &s));
        if (!s.p) return set_error(r->in.ctx, RUNG_EDATA, "%s: no @data", r->in.path);
        TRY(next_word(&s, &w));
        if (is(&w, "@data")) return RUNG_OK;
        if (is(&w, "@attribute"))
            TRY(take_attribute(&s, all));
        else if (!is(&w, "@relation"))
            return set_error(r->in.ctx, RUNG_EDATA,
                             "%s, line %lld: expected @relation, @attribute or @data instead of '%.*s'", r->in.path,
                             (long long)line_of(r), shown(w.length), w.text);
    }
}

static rung_status open_arff(rung_reader *r)
{
    rung_ctx *ctx = r->in.ctx;
    attributes all = {0};
    arff *a = NULL;
    TRY(NEW(ctx, &r->mem, a, 1));
    r->own = a;
    TRY(read_header(r, &all));
    if (all.n == 0) return set_error(ctx, RUNG_EDATA, "%s: no @attribute before @data", r->in.path);
    TRY(reader_columns(r, all.n));
    TRY(NEW(ctx, &r->mem, a->put, all.n));
    TRY(NEW(ctx, &r->mem, a->zero, all.n));
    for (int64_t j = 0; j < all.n; j++) {
        const attribute *one = &all.list[j];
        a->zero[j] = one->nominal ? one->values.values[0] : one->text ? "" : "0"; /* a string has no 0: it is missing */
        r->shape->columns[j] = (column){.name = one->name,
                                        .kind = one->text ? COLUMN_TEXT : COLUMN_NUMBER,
                                        .odd_row = -1,
                                        .n_values = one->values.n,
                                        .values = one->values.values,
                                        .declared = one->nominal};
    }
    r->shape->has_names = true;
    r->strict = true;
    return reader_pin(r);
}

/* ---- rows --------------------------------------------------------------------------------------- */

static rung_status wrong_count(rung_reader *r, int64_t count)
{
    return set_error(r->in.ctx, RUNG_EDATA, "%s, line %lld: %lld cell%s, expected %lld, one per attribute", r->in.path,
                     (long long)line_of(r), (long long)count, count == 1 ? "" : "s", (long long)r->shape->n_columns);
}

static rung_status dense_row(rung_reader *r, scan *s, filling *to)
{
    int64_t count = 0;
    for (bool more = true; more; count++) {
        word w;
        TRY(next_word(s, &w));
        if (count < r->shape->n_columns) TRY(filling_cell(to, count, w.text, w.length));
        more = comma(s);
        if (s->p < s->end && !more) {
            if (strchr("{}", *s->p)) return bad_line(r, "unexpected brace inside a row");
            more = true;
        }
    }
    return count == r->shape->n_columns ? RUNG_OK : wrong_count(r, count);
}

static rung_status sparse_row(rung_reader *r, scan *s, filling *to)
{
    arff *a = r->own;
    int64_t n = r->shape->n_columns, j;
    memset(a->put, 0, (size_t)n * sizeof *a->put);
    s->p++;
    for (skip_blanks(s); s->p < s->end && *s->p != '}';) {
        word w;
        TRY(next_word(s, &w));
        if (!text_integer(w.text, (size_t)w.length, &j) || j < 0 || j >= n || a->put[j])
            return set_error(
                r->in.ctx, RUNG_EDATA,
                "%s, line %lld: expected the number of an attribute, 0 to %lld, each once, instead of '%.*s'",
                r->in.path, (long long)line_of(r), (long long)n - 1, shown(w.length), w.text);
        TRY(next_word(s, &w));
        TRY(filling_cell(to, j, w.text, w.length));
        a->put[j] = true;
        if (!comma(s)) break;
    }
    skip_blanks(s);
    if (s->p == s->end || *s->p != '}') return bad_line(r, "the closing } of a sparse row is missing");
    if (s->p + 1 != s->end) return bad_line(r, "text after a sparse row");
    for (j = 0; j < n; j++)
        if (!a->put[j]) TRY(filling_cell(to, j, a->zero[j], (int64_t)strlen(a->zero[j])));
    return RUNG_OK;
}

static rung_status row_of_arff(rung_reader *r, filling *to, bool *got)
{
    scan s = {0};
    TRY(next_line(r, &s));
    *got = s.p != NULL;
    if (!*got) return RUNG_OK;
    TRY(filling_row(to, line_of(r)));
    TRY(*s.p == '{' ? sparse_row(r, &s, to) : dense_row(r, &s, to));
    to->t->n_rows++;
    return RUNG_OK;
}

/* ---- recognising -------------------------------------------------------------------------------- */

static bool named_arff(const char *file) { return name_ends(file, ".arff"); }

/* The first line that is neither blank nor a comment is @relation. */
static bool looks_arff(const char *text, int64_t length)
{
    static const char first[] = "@relation";
    const char *p = text, *end = text + length;
    while (p < end && strchr(" \t\r\n%", *p)) {
        if (*p == '%')
            while (p < end && *p != '\n' && *p != '\r') p++;
        else
            p++;
    }
    if (end - p < (int64_t)sizeof first) return false;
    word w = {p, sizeof first - 1, false};
    return is(&w, first) && blank(p[sizeof first - 1]);
}

const format format_arff = {
    .name = "arff", .named = named_arff, .looks = looks_arff, .open = open_arff, .row = row_of_arff};
