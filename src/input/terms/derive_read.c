// SPDX-License-Identifier: BSD-3-Clause
/* derive_read.c - the language of derived columns.
 *
 *     derived  = item { ":" item }                  a product of columns
 *     item     = "poly" "(" sum "," number ")"      center(x), center(x)^2, ...: a derived column for each
 *              | sum
 *     sum      = product { ("+" | "-") product }    of a column and numbers
 *     product  = power { ("*" | "/") power }        of columns and numbers
 *     power    = ["-"] atom [ "^" ["-"] number ]
 *     atom     = number | name | function "(" sum ")" | "(" sum ")"
 *
 * A name is letters, digits, dots and underscores, or anything between backticks: then also a position. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "input/terms/derive_read.h"

enum { DEEPEST = 32, MOST_POLY = 10, MOST_NUMBER = 64 };

typedef struct { /* a product of parts, or a number where it has none */
    double number;
    derived_term of;
} value;

typedef struct {
    rung_ctx *ctx;
    const rung_table *t;
    const char *text, *at;
    int depth;
} reader;

static rung_status wrong(const reader *r, const char *what)
{
    return set_error(r->ctx, RUNG_EARG, "the derived column '%.120s' cannot be read: %s", r->text, what);
}

static void skip(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool take(reader *r, char c)
{
    skip(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static rung_status expect(reader *r, char c)
{
    char what[64] = "a ')' is missing";
    if (take(r, c)) return RUNG_OK;
    if (c == ',') strcpy(what, "poly takes a column and a number, as in poly(x, 2)");
    return wrong(r, what);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool begins_name(char c)
{
    unsigned char u = (unsigned char)c;
    return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u == '.' || u >= 0x80;
}

/* ---- what is done to a value ---- */

static rung_status add_step(reader *r, value *v, derive_function f, double number)
{
    derived_part *p = v->of.part;
    bool every = f == DERIVE_POWER; /* of all factors */
    if (v->of.n_parts > 1 && !every)
        return wrong(r, "functions and numbers apply to one column; write products with ':', as in log(a):b");
    for (int k = 0; k < v->of.n_parts; k++) {
        if (p[k].n_steps == DERIVE_STEPS) return wrong(r, "it has too many steps");
        p[k].step[p[k].n_steps++] = (derive_step){f, number};
    }
    return RUNG_OK;
}

static rung_status to_power(reader *r, value *v, double power)
{
    if (v->of.n_parts == 0) return v->number = pow(v->number, power), RUNG_OK;
    return power == 1 ? RUNG_OK : add_step(r, v, DERIVE_POWER, power);
}

static rung_status times_number(reader *r, value *v, derive_function f, double number)
{
    if (f == DERIVE_OVER && number == 0) return wrong(r, "a division by 0");
    if (v->of.n_parts == 0)
        v->number = f == DERIVE_OVER ? v->number / number : v->number * number;
    else if (number != 1)
        return add_step(r, v, f, number);
    return RUNG_OK;
}

/* a becomes a times b. */
static rung_status multiply(reader *r, value *a, const value *b)
{
    if (b->of.n_parts == 0) return times_number(r, a, DERIVE_TIMES, b->number);
    if (a->of.n_parts == 0) {
        double number = a->number;
        *a = *b;
        return times_number(r, a, DERIVE_TIMES, number);
    }
    if (a->of.n_parts + b->of.n_parts > DERIVE_PARTS) return wrong(r, "it is a product of too many columns");
    memcpy(a->of.part + a->of.n_parts, b->of.part, (size_t)b->of.n_parts * sizeof *b->of.part);
    a->of.n_parts += b->of.n_parts;
    return RUNG_OK;
}

static rung_status divide(reader *r, value *a, value *b)
{
    if (b->of.n_parts == 0) return times_number(r, a, DERIVE_OVER, b->number);
    TRY(to_power(r, b, -1));
    return multiply(r, a, b);
}

static rung_status add(reader *r, value *a, value *b, double sign)
{
    if (a->of.n_parts && b->of.n_parts)
        return wrong(r, "it is a sum of two columns, which a model already weighs one by one; derived columns are "
                        "products, and functions of one column");
    if (!b->of.n_parts) {
        a->number += sign * b->number;
        return a->of.n_parts && b->number != 0 ? add_step(r, a, DERIVE_ADD, sign * b->number) : RUNG_OK;
    }
    double number = a->number;
    *a = *b;
    if (sign < 0) TRY(add_step(r, a, DERIVE_TIMES, -1));
    return number != 0 ? add_step(r, a, DERIVE_ADD, number) : RUNG_OK;
}

/* ---- reading ---- */

static rung_status read_sum(reader *r, value *out);

static rung_status read_number(reader *r, double *out)
{
    size_t length = 0;
    skip(r);
    while (is_digit(r->at[length]) || r->at[length] == '.') length++;
    bool exponent = length && (r->at[length] == 'e' || r->at[length] == 'E');
    size_t sign = exponent && (r->at[length + 1] == '-' || r->at[length + 1] == '+');
    if (exponent && is_digit(r->at[length + 1 + sign])) {
        length += 1 + sign;
        while (is_digit(r->at[length])) length++;
    }
    if (length == 0 || length > MOST_NUMBER || !text_number(r->at, length, '.', out) || !isfinite(*out))
        return wrong(r, "a number is missing or too large");
    r->at += length;
    return RUNG_OK;
}

static rung_status column_value(reader *r, const char *name, value *out)
{
    int64_t j;
    TRY(table_find(r->ctx, r->t, name, "derive", &j));
    *out = (value){.of = {.n_parts = 1, .part = {{.column = j}}}};
    return RUNG_OK;
}

static rung_status copy_name(reader *r, const char *from, size_t length, char **out)
{
    TRY(NEW(r->ctx, &r->ctx->scratch, *out, (int64_t)length + 1));
    memcpy(*out, from, length);
    return RUNG_OK;
}

static rung_status read_quoted(reader *r, value *out)
{
    char *name;
    const char *end = strchr(r->at, '`');
    if (!end || end == r->at) return wrong(r, "a column name between backticks (`...`) is not complete");
    TRY(copy_name(r, r->at, (size_t)(end - r->at), &name));
    r->at = end + 1;
    return column_value(r, name, out);
}

static rung_status read_call(reader *r, const char *name, size_t length, value *out)
{
    derive_function f;
    if (!derive_find(name, length, &f)) {
        if (length == 4 && !memcmp(name, "poly", 4))
            return wrong(r, "poly stands alone or in a product, as in poly(x, 2):b");
        return wrong(r, "there are the functions log, log2, log10, log1p, sqrt, exp, abs, center and poly");
    }
    TRY(read_sum(r, out));
    TRY(expect(r, ')'));
    if (out->of.n_parts == 0) return wrong(r, "a function of a number is no column");
    return add_step(r, out, f, 0);
}

static rung_status read_atom(reader *r, value *out)
{
    *out = (value){0};
    if (take(r, '(')) {
        TRY(read_sum(r, out));
        return expect(r, ')');
    }
    if (take(r, '`')) return read_quoted(r, out);
    if (is_digit(*r->at) || (*r->at == '.' && is_digit(r->at[1]))) return read_number(r, &out->number);
    const char *name = r->at;
    if (!begins_name(*name))
        return wrong(r, *name ? "a column or a number is missing before its rest" : "it ends too early");
    while (begins_name(*r->at) || is_digit(*r->at)) r->at++;
    size_t length = (size_t)(r->at - name);
    if (take(r, '(')) return read_call(r, name, length, out);
    char *own;
    TRY(copy_name(r, name, length, &own));
    return column_value(r, own, out);
}

static rung_status read_power(reader *r, value *out)
{
    double power, sign = 1;
    bool negative = take(r, '-');
    TRY(read_atom(r, out));
    while (take(r, '^')) {
        bool bracket = take(r, '(');
        sign = take(r, '-') ? -1 : 1;
        TRY(read_number(r, &power));
        if (bracket) TRY(expect(r, ')'));
        if (power != floor(power) || power == 0 || power > MOST_POWER)
            return wrong(r, "powers are whole numbers from -99 to 99, not 0; roots are sqrt()");
        TRY(to_power(r, out, sign * power));
    }
    return negative ? times_number(r, out, DERIVE_TIMES, -1) : RUNG_OK;
}

static rung_status read_product(reader *r, value *out)
{
    TRY(read_power(r, out));
    for (;;) {
        value more;
        bool over = take(r, '/');
        if (!over && !take(r, '*')) return RUNG_OK;
        TRY(read_power(r, &more));
        TRY(over ? divide(r, out, &more) : multiply(r, out, &more));
    }
}

static rung_status read_sum(reader *r, value *out)
{
    if (r->depth++ > DEEPEST) return wrong(r, "its brackets are too deep");
    TRY(read_product(r, out));
    for (;;) {
        value more;
        bool minus = take(r, '-');
        if (!minus && !take(r, '+')) break;
        TRY(read_product(r, &more));
        TRY(add(r, out, &more, minus ? -1 : 1));
    }
    r->depth--;
    return RUNG_OK;
}

/* The factors that an item stands for, one derived column each. */
static rung_status read_item(reader *r, int *n, value out[MOST_POLY])
{
    skip(r);
    *n = 1;
    if (strncmp(r->at, "poly", 4) != 0 || r->at[4 + strspn(r->at + 4, " \t")] != '(') return read_sum(r, out);
    double degree;
    r->at += 4;
    TRY(expect(r, '('));
    TRY(read_sum(r, out));
    TRY(expect(r, ','));
    TRY(read_number(r, &degree));
    TRY(expect(r, ')'));
    if (out->of.n_parts != 1 || degree != floor(degree) || degree < 1 || degree > MOST_POLY)
        return wrong(r, "poly takes one column and a degree from 1 to 10, as in poly(x, 2)");
    TRY(add_step(r, out, DERIVE_CENTER, 0));
    for (*n = 1; *n < (int)degree; ++*n) {
        out[*n] = out[0];
        TRY(to_power(r, &out[*n], *n + 1));
    }
    return RUNG_OK;
}

static rung_status read_derived(reader *r, derive_wish *all)
{
    value *list = NULL, item[MOST_POLY];
    int64_t n = 1;
    TRY(NEW(r->ctx, &r->ctx->scratch, list, 1));
    list->number = 1;
    do {
        int more;
        TRY(read_item(r, &more, item));
        if (n * more > MOST_DERIVED) return wrong(r, "it is too many columns");
        TRY(RESIZE(r->ctx, &r->ctx->scratch, list, n * more));
        for (int64_t k = n * more - 1; k >= 0; k--) {
            if (item[k / n].of.n_parts == 0) return wrong(r, "a number is no column");
            list[k] = list[k % n];
            TRY(multiply(r, &list[k], &item[k / n]));
        }
        n *= more;
    } while (take(r, ':'));
    if (*r->at)
        return wrong(r, "something follows that does not belong to it; names with other signs stand in backticks");
    TRY(RESIZE(r->ctx, &r->ctx->scratch, all->term, all->n + n));
    TRY(RESIZE(r->ctx, &r->ctx->scratch, all->text, all->n + n));
    for (int64_t k = 0; k < n; k++) {
        all->term[all->n] = list[k].of;
        all->text[all->n++] = r->text;
        for (int p = 0; p < list[k].of.n_parts; p++) all->used[list[k].of.part[p].column] = true;
    }
    return RUNG_OK;
}

rung_status derive_wishes(rung_ctx *ctx, const rung_table *t, const char *const *expressions, derive_wish *out)
{
    *out = (derive_wish){0};
    if (!expressions || !*expressions) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, out->used, t->n_columns));
    TRY(NEW(ctx, &ctx->scratch, out->term, 0));
    TRY(NEW(ctx, &ctx->scratch, out->text, 0));
    for (; *expressions; expressions++) {
        reader r = {.ctx = ctx, .t = t, .text = *expressions, .at = *expressions};
        if (!text_is_utf8(*expressions)) return set_error(ctx, RUNG_EARG, "a derived column is not valid UTF-8");
        TRY(read_derived(&r, out));
        if (out->n > MOST_DERIVED) return set_error(ctx, RUNG_EARG, "more than %d derived columns", MOST_DERIVED);
    }
    return RUNG_OK;
}
