// SPDX-License-Identifier: BSD-3-Clause
/* formula.c - the language of formulas.
 *
 *     formula = [ label ] "~" term { ("+" | "-") term }
 *     term    = product { "*" product }       all products of some of them: a*b is a + b + a:b
 *     product = factor { ":" factor }
 *     factor  = "." | name | "factor" "(" name ")" | "I" "(" expression ")" | expression
 *
 * An expression is one of derive_read.c. A name alone is a feature; what is made of several factors or by a function is
 * derived. Columns that are no features are left out, but for what is derived from them. */
#include "input/terms/formula.h"

#include <string.h>

#include "base/text.h"

enum { MOST_CROSSED = 6 };

typedef struct {
    rung_ctx *ctx;
    const rung_table *t;
    const char *text;
    bool *feature, *nominal; /* of the columns of the table */
    int64_t label;           /* -1: as the options say */
    int64_t n, room;
    const char **derived;
} formula;

static rung_status wrong(const formula *f, const char *what)
{
    return set_error(f->ctx, RUNG_EARG, "the formula '%.160s' cannot be read: %s", f->text, what);
}

/* The first of some characters outside brackets and backticks; the end of the text where there is none. */
static const char *find_outside(const char *at, const char *end, const char *wanted)
{
    int depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (*at == '`') quoted = !quoted;
        if (quoted) continue;
        if (*at == '(') depth++;
        if (*at == ')') depth--;
        if (depth == 0 && strchr(wanted, *at)) return at;
    }
    return end;
}

/* The text between two places without blanks around it. */
static rung_status piece(const formula *f, const char *from, const char *to, const char **out)
{
    while (from < to && (*from == ' ' || *from == '\t')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t')) to--;
    return pool_printf(f->ctx, &f->ctx->scratch, out, "%.*s", (int)(to - from), from);
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c < 0;
}
static bool in_name(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

/* Whether a text is a name and nothing else; out: without its backticks. */
static rung_status as_name(const formula *f, const char *text, const char **out)
{
    size_t n = strlen(text), k = 0;
    *out = NULL;
    if (n > 2 && text[0] == '`' && strcspn(text + 1, "`") == n - 2)
        return pool_printf(f->ctx, &f->ctx->scratch, out, "%.*s", (int)(n - 2), text + 1);
    while (k < n && in_name(text[k])) k++;
    if (n > 0 && k == n && begins_name(text[0]) && strcmp(text, ".") != 0) *out = text;
    return RUNG_OK;
}

/* The argument of a function whose call is the whole text; NULL: it is not. */
static rung_status argument_of(const formula *f, const char *text, const char *function, const char **out)
{
    size_t n = strlen(function), all = strlen(text);
    *out = NULL;
    if (strncmp(text, function, n) != 0 || text[n] != '(' || text[all - 1] != ')') return RUNG_OK;
    return piece(f, text + n + 1, text + all - 1, out);
}

static rung_status check_factor(const formula *f, const char *text)
{
    const char *end = text + strlen(text), *bar = strchr(text, '|');
    if (!*text) return wrong(f, "a term is missing");
    if (bar) return wrong(f, "random effects, as in (1|clinic), are no columns");
    if (!strncmp(text, "offset(", 7))
        return wrong(f, "an offset is a parameter of the method: add the column to the formula and set offset to it");
    if (find_outside(text, end, "^/%") < end)
        return wrong(f, "powers and ratios are written I(x^2), I(x/10); crossing is written a*b");
    return RUNG_OK;
}

/* A factor as derive_read.c has it; factor(x): a category. */
static rung_status take_factor(formula *f, const char *text, const char **out)
{
    const char *inside;
    int64_t at;
    TRY(check_factor(f, text));
    *out = text;
    TRY(argument_of(f, text, "I", &inside));
    if (inside) return pool_printf(f->ctx, &f->ctx->scratch, out, "(%s)", inside);
    TRY(argument_of(f, text, "factor", &inside));
    if (!inside) return RUNG_OK;
    const char *name;
    TRY(as_name(f, inside, &name));
    if (!name) return wrong(f, "factor() takes a column");
    TRY(table_find(f->ctx, f->t, name, "formula", &at));
    f->nominal[at] = true;
    *out = inside;
    return RUNG_OK;
}

static rung_status take_product(formula *f, const char *text, bool remove)
{
    const char *end = text + strlen(text), *whole = NULL, *name;
    int factors = 0;
    for (const char *at = text; at <= end; factors++) {
        const char *stop = find_outside(at, end, ":"), *one;
        TRY(piece(f, at, stop, &one));
        TRY(take_factor(f, one, &one));
        if (whole)
            TRY(pool_printf(f->ctx, &f->ctx->scratch, &whole, "%s:%s", whole, one));
        else
            whole = one;
        at = stop + 1;
    }
    TRY(as_name(f, whole, &name));
    if (name) {
        int64_t at;
        TRY(table_find(f->ctx, f->t, name, "formula", &at));
        if (at == f->label) return wrong(f, "its label cannot be a feature");
        f->feature[at] = !remove;
        return RUNG_OK;
    }
    for (int64_t k = 0; k < f->n; k++) {
        if (strcmp(f->derived[k], whole) != 0) continue;
        if (remove) f->derived[k] = f->derived[--f->n];
        return RUNG_OK;
    }
    if (remove) return RUNG_OK;
    if (f->n == f->room) TRY(RESIZE(f->ctx, &f->ctx->scratch, f->derived, f->room = 2 * f->room + 8));
    f->derived[f->n++] = whole;
    return RUNG_OK;
}

/* All columns but the label and those that are left out anyway. */
static void take_all(formula *f, const rung_encode_options *o)
{
    for (int64_t j = 0; j < f->t->n_columns; j++) {
        const char *name = f->t->columns[j].name;
        bool other =
            j == f->label || (o->weights && !strcmp(o->weights, name)) || (o->groups && !strcmp(o->groups, name));
        for (const char *const *i = o->ignore; i && *i; i++) other = other || !strcmp(*i, name);
        if (!other) f->feature[j] = true;
    }
}

static rung_status take_term(formula *f, const rung_encode_options *o, const char *text, bool remove)
{
    const char *part[MOST_CROSSED], *end = text + strlen(text);
    int n = 0;
    if (!strcmp(text, ".") && !remove) return take_all(f, o), RUNG_OK;
    if (!strcmp(text, "1") && !remove) return RUNG_OK;
    if (!strcmp(text, "0") || !strcmp(text, "1")) return wrong(f, "the thresholds are its intercepts, which stay");
    for (const char *at = text; at <= end; n++) {
        const char *stop = find_outside(at, end, "*");
        if (n == MOST_CROSSED) return wrong(f, "at most six terms can be crossed");
        TRY(piece(f, at, stop, &part[n]));
        at = stop + 1;
    }
    for (unsigned set = 1; set < 1u << n; set++) {
        const char *product = NULL;
        for (int k = 0; k < n; k++) {
            if (!(set >> k & 1)) continue;
            if (product)
                TRY(pool_printf(f->ctx, &f->ctx->scratch, &product, "%s:%s", product, part[k]));
            else
                product = part[k];
        }
        TRY(take_product(f, product, remove));
    }
    return RUNG_OK;
}

static rung_status take_label(formula *f, const char *text, const rung_encode_options *o)
{
    const char *name;
    f->label = -1;
    if (!*text && o->label) return table_find(f->ctx, f->t, o->label, "label", &f->label);
    if (!*text) return wrong(f, "what stands before ~ is the label");
    TRY(as_name(f, text, &name));
    if (!name) return wrong(f, "the label is a column as it stands");
    return table_find(f->ctx, f->t, name, "formula", &f->label);
}

static rung_status read_formula(formula *f, const rung_encode_options *o)
{
    const char *end = f->text + strlen(f->text), *tilde = find_outside(f->text, end, "~"), *text;
    if (tilde == end) return wrong(f, "it is written label ~ a + b");
    TRY(piece(f, f->text, tilde, &text));
    TRY(take_label(f, text, o));
    bool remove = false;
    for (const char *at = tilde + 1; at <= end;) {
        const char *stop = find_outside(at, end, "+-~");
        if (stop < end && *stop == '~') return wrong(f, "there are two ~");
        TRY(piece(f, at, stop, &text));
        TRY(take_term(f, o, text, remove));
        remove = stop < end && *stop == '-';
        at = stop + 1;
    }
    return RUNG_OK;
}

/* A list and more of it. */
static rung_status join_lists(rung_ctx *ctx, const char *const *a, int64_t n, const char *const *b,
                              const char *const **out)
{
    int64_t count = 0, k = 0;
    const char **list = NULL;
    while (a && a[count]) count++;
    TRY(NEW(ctx, &ctx->scratch, list, count + n + 1));
    for (; k < count; k++) list[k] = a[k];
    for (int64_t i = 0; i < n; i++) list[k++] = b[i];
    *out = list;
    return RUNG_OK;
}

/* How options call a column. */
static rung_status call_column(rung_ctx *ctx, const rung_table *t, int64_t j, const char **out)
{
    return t->has_names ? pool_text(ctx, &ctx->scratch, t->columns[j].name, out)
                        : pool_printf(ctx, &ctx->scratch, out, "%lld", (long long)j + 1);
}

rung_status formula_options(rung_ctx *ctx, const rung_table *t, const rung_encode_options *from,
                            rung_encode_options *out)
{
    formula f = {.ctx = ctx, .t = t, .text = from->formula};
    const char **left = NULL, **nominal = NULL;
    int64_t n = 0, m = 0;
    *out = *from;
    if (!from->formula) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, f.feature, t->n_columns));
    TRY(NEW(ctx, &ctx->scratch, f.nominal, t->n_columns));
    TRY(NEW(ctx, &ctx->scratch, left, t->n_columns));
    TRY(NEW(ctx, &ctx->scratch, nominal, t->n_columns));
    TRY(read_formula(&f, from));
    for (int64_t j = 0; j < t->n_columns; j++) {
        const char *name = t->columns[j].name;
        bool used = j == f.label || f.feature[j] || (from->weights && !strcmp(from->weights, name)) ||
                    (from->groups && !strcmp(from->groups, name));
        if (!used) TRY(call_column(ctx, t, j, &left[n++]));
        if (f.nominal[j]) TRY(call_column(ctx, t, j, &nominal[m++]));
    }
    if (f.label >= 0) TRY(call_column(ctx, t, f.label, &out->label));
    TRY(join_lists(ctx, NULL, n, left, &out->ignore)); /* those that the caller ignores are among them, or named */
    TRY(join_lists(ctx, from->nominal, m, nominal, &out->nominal));
    return join_lists(ctx, from->derive, f.n, f.derived, &out->derive);
}
