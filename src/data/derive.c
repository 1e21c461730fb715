// SPDX-License-Identifier: BSD-3-Clause
#include "data/derive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *name;
    bool number; /* it is written behind the name */
} steps[] = {[DERIVE_ADD] = {"+", true},          [DERIVE_TIMES] = {"*", true},      [DERIVE_OVER] = {"/", true},
             [DERIVE_CENTER] = {"center ", true}, [DERIVE_POWER] = {"^", true},      [DERIVE_LOG] = {"log", false},
             [DERIVE_LOG2] = {"log2", false},     [DERIVE_LOG10] = {"log10", false}, [DERIVE_LOG1P] = {"log1p", false},
             [DERIVE_SQRT] = {"sqrt", false},     [DERIVE_EXP] = {"exp", false},     [DERIVE_ABS] = {"abs", false}};

enum { FUNCTIONS = sizeof steps / sizeof *steps };

/* ---- steps as text ---- */

bool derive_find(const char *name, size_t length, derive_function *out)
{
    bool center = length == 6 && memcmp(name, "center", 6) == 0;
    if (center) return *out = DERIVE_CENTER, true;
    for (int f = DERIVE_LOG; f < FUNCTIONS; f++)
        if (strlen(steps[f].name) == length && memcmp(steps[f].name, name, length) == 0)
            return *out = (derive_function)f, true;
    return false;
}

const char *derive_step_text(const derive_step *step, char text[STEP_TEXT])
{
    char number[32] = "";
    if (steps[step->f].number) text_format(step->number, number);
    snprintf(text, STEP_TEXT, "%s%s", steps[step->f].name, number);
    return text;
}

bool derive_step_read(const char *text, derive_step *out)
{
    for (int f = 0; f < FUNCTIONS; f++) {
        size_t length = strlen(steps[f].name);
        if (strncmp(text, steps[f].name, length) != 0) continue;
        *out = (derive_step){.f = (derive_function)f};
        if (!steps[f].number && !text[length]) return true;
        if (steps[f].number && text_number(text + length, strlen(text + length), '.', &out->number))
            return isfinite(out->number);
    }
    return false;
}

bool derive_steps_equal(const derived_part *a, const derived_part *b)
{
    if (a->column != b->column || a->n_steps != b->n_steps) return false;
    for (int k = 0; k < a->n_steps; k++)
        if (a->step[k].f != b->step[k].f || (a->step[k].f != DERIVE_CENTER && a->step[k].number != b->step[k].number))
            return false;
    return true;
}

/* ---- names ---- */

static const char *name_of_column(const coding *cells, int64_t j, char text[24])
{
    snprintf(text, 24, "x%lld", (long long)j + 1);
    return cells->columns[j].name[0] ? cells->columns[j].name : text;
}

/* How tightly the last step of a text binds: what needs brackets inside what. */
typedef enum { BINDS_SUM, BINDS_PRODUCT, BINDS_POWER, BINDS_NAME } binding;

static rung_status step_name(rung_ctx *ctx, pool *mem, const derive_step *step, binding *bound, const char **text)
{
    char number[32];
    text_format(fabs(step->number), number);
    bool negative = step->number < 0;
    const char *open = "", *close = "";
    binding own = step->f == DERIVE_ADD     ? BINDS_SUM
                  : step->f <= DERIVE_OVER  ? BINDS_PRODUCT
                  : step->f == DERIVE_POWER ? BINDS_POWER
                                            : BINDS_NAME;
    if (*bound < own || (own == BINDS_POWER && *bound == BINDS_POWER)) open = "(", close = ")";
    *bound = own;
    if (own == BINDS_NAME)
        return pool_printf(ctx, mem, text, "%s(%s)", step->f == DERIVE_CENTER ? "center" : steps[step->f].name, *text);
    if (own == BINDS_SUM) return pool_printf(ctx, mem, text, "%s%s%s", *text, negative ? "-" : "+", number);
    return pool_printf(ctx, mem, text, "%s%s%s%s%s%s", open, *text, close, steps[step->f].name, negative ? "-" : "",
                       number);
}

static rung_status part_name(rung_ctx *ctx, pool *mem, const coding *cells, const derived_part *p, const char **out)
{
    char place[24];
    binding bound = BINDS_NAME;
    *out = name_of_column(cells, p->column, place);
    TRY(pool_text(ctx, mem, *out, out));
    for (int k = 0; k < p->n_steps; k++) TRY(step_name(ctx, mem, &p->step[k], &bound, out));
    return RUNG_OK;
}

rung_status derived_name(rung_ctx *ctx, pool *mem, const coding *cells, const derived_term *term, const char **out)
{
    *out = "";
    for (int k = 0; k < term->n_parts; k++) {
        const char *name;
        TRY(part_name(ctx, mem, cells, &term->part[k], &name));
        TRY(pool_printf(ctx, mem, out, "%s%s%s", *out, k ? ":" : "", name));
    }
    return RUNG_OK;
}

/* ---- the coding ---- */

static const column_code *column_of(const coding *cells, const derived_part *p) { return &cells->columns[p->column]; }

int64_t derive_width(const coding *cells, const derived_part *p)
{
    const column_code *c = column_of(cells, p);
    return c->nominal ? column_width(c) - !p->full : p->n_steps ? 1 : column_width(c);
}

int64_t derive_place(const coding *cells, const derived_part *p, int64_t k)
{
    const column_code *c = column_of(cells, p);
    return c->first + k + (c->nominal && !p->full && k >= c->reference);
}

static int64_t term_width(const coding *cells, const derived_term *term)
{
    int64_t width = 1;
    for (int k = 0; k < term->n_parts && width <= MOST_DERIVED; k++) width *= derive_width(cells, &term->part[k]);
    return width;
}

static rung_status check_part(rung_ctx *ctx, const derivation *d, const derived_part *p, bool alone, rung_status status)
{
    if (p->column < 0 || p->column >= d->cells.n_columns || p->n_steps < 0 || p->n_steps > DERIVE_STEPS)
        return set_error(ctx, status, "a derived column of column %lld, counted from 0, of which there are %lld",
                         (long long)p->column, (long long)d->cells.n_columns);
    const column_code *c = column_of(&d->cells, p);
    char place[24];
    const char *name = name_of_column(&d->cells, p->column, place);
    if (p->n_steps > 0 && c->nominal)
        return set_error(ctx, status, "column '%.80s' holds categories, which are no numbers: only products take them",
                         name);
    if (p->n_steps > 0 && column_width(c) != 1)
        return set_error(ctx, status,
                         "column '%.80s' holds cyclic dates, which are several numbers: only products take "
                         "them",
                         name);
    if (alone && p->n_steps == 0)
        return set_error(ctx, status, "'%.80s' is a column as it stands, not one that is derived from it", name);
    for (int k = 0; k < p->n_steps; k++) {
        double number = p->step[k].number;
        bool power = p->step[k].f == DERIVE_POWER;
        if (!isfinite(number) || (p->step[k].f == DERIVE_OVER && number == 0))
            return set_error(ctx, status, "a column derived from '%.80s' takes the number %g", name, number);
        if (power && (number != floor(number) || number == 0 || fabs(number) > MOST_POWER))
            return set_error(ctx, status,
                             "column '%.80s' to the power of %g: expected a whole number, -%d to %d, not 0", name,
                             number, MOST_POWER, MOST_POWER);
    }
    return RUNG_OK;
}

rung_status derive_check(rung_ctx *ctx, const derivation *d, rung_status status)
{
    int64_t width = 0;
    for (int64_t i = 0; i < d->n; i++) {
        const derived_term *t = &d->term[i];
        if (t->n_parts < 1 || t->n_parts > DERIVE_PARTS)
            return set_error(ctx, status, "a derived column of %d factors: expected 1 to %d", t->n_parts, DERIVE_PARTS);
        for (int k = 0; k < t->n_parts; k++) TRY(check_part(ctx, d, &t->part[k], t->n_parts == 1, status));
        width += term_width(&d->cells, t);
        if (width > MOST_DERIVED)
            return set_error(ctx, status,
                             "more than %d derived columns: products of columns have a column for every "
                             "pair of their categories",
                             MOST_DERIVED);
    }
    return RUNG_OK;
}

/* "sex=b" for a category, else the part. */
static rung_status value_name(rung_ctx *ctx, pool *mem, const coding *cells, const derived_part *p, int64_t k,
                              const char **out)
{
    if (p->n_steps > 0) return part_name(ctx, mem, cells, p, out);
    char name[512];
    coding_feature_name(cells, derive_place(cells, p, k), name, sizeof name);
    return pool_text(ctx, mem, name, out);
}

static rung_status append_term(rung_ctx *ctx, pool *mem, const derivation *d, const derived_term *t, coding *out)
{
    int64_t width = term_width(&d->cells, t);
    for (int64_t w = 0; w < width; w++) {
        column_code *c = &out->columns[out->n_columns];
        *c = (column_code){.name = "", .position = -1, .derived = true, .first = out->d++};
        for (int64_t k = 0, rest = w; k < t->n_parts; k++) {
            int64_t own = derive_width(&d->cells, &t->part[k]);
            const char *name;
            TRY(value_name(ctx, &ctx->scratch, &d->cells, &t->part[k], rest % own, &name));
            TRY(pool_printf(ctx, k + 1 < t->n_parts ? &ctx->scratch : mem, &c->name, "%s%s%s", c->name, k ? ":" : "",
                            name));
            rest /= own;
        }
        out->n_columns++;
    }
    return RUNG_OK;
}

rung_status derive_coding(rung_ctx *ctx, pool *mem, derivation *d, coding *out)
{
    int64_t n = d->cells.n_columns;
    for (int64_t i = 0; i < d->n; i++) n += term_width(&d->cells, &d->term[i]);
    pool_mark mark = pool_here(&ctx->scratch);
    *out = d->cells;
    out->derive = d;
    out->n_columns = out->d = 0;
    TRY(NEW(ctx, mem, out->columns, n));
    for (int64_t j = 0; j < d->cells.n_columns; j++) {
        if (d->cells.columns[j].hidden) continue;
        column_code *c = &out->columns[out->n_columns++];
        *c = d->cells.columns[j];
        c->first = out->d;
        out->d += column_width(c);
    }
    for (int64_t i = 0; i < d->n; i++) TRY(append_term(ctx, mem, d, &d->term[i], out));
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    derive_fills(out);
    return RUNG_OK;
}

rung_status derive_copy(rung_ctx *ctx, pool *mem, const coding *from, coding *to)
{
    derivation *d = NULL;
    const coding *cells = &from->derive->cells;
    coding whole = *from;
    whole.derive = NULL;
    whole.columns = cells->columns;
    whole.n_columns = cells->n_columns;
    whole.d = cells->d;
    TRY(NEW(ctx, mem, d, 1));
    TRY(coding_copy(ctx, mem, &whole, &d->cells));
    d->n = from->derive->n;
    TRY(NEW(ctx, mem, d->term, d->n));
    memcpy(d->term, from->derive->term, (size_t)d->n * sizeof *d->term);
    return derive_coding(ctx, mem, d, to);
}

/* ---- rows ---- */

static double after(const derive_step *s, double x)
{
    switch (s->f) {
    case DERIVE_ADD: return x + s->number;
    case DERIVE_TIMES: return x * s->number;
    case DERIVE_OVER: return x / s->number;
    case DERIVE_CENTER: return x - s->number;
    case DERIVE_LOG: return log(x);
    case DERIVE_LOG2: return log2(x);
    case DERIVE_LOG10: return log10(x);
    case DERIVE_LOG1P: return log1p(x);
    case DERIVE_SQRT: return sqrt(x);
    case DERIVE_EXP: return exp(x);
    case DERIVE_ABS: return fabs(x);
    default: break;
    }
    double power = x; /* by multiplication, the same on every machine */
    for (int k = 1; k < (int)fabs(s->number); k++) power *= x;
    return s->number < 0 ? 1 / power : power;
}

double derive_number(const derived_part *part, double x)
{
    for (int k = 0; k < part->n_steps; k++) x = after(&part->step[k], x);
    return x;
}

double derive_fill(const coding *cells, const derived_part *p, int64_t k)
{
    const column_code *c = column_of(cells, p);
    double all[CYCLIC_COLUMNS];
    form_columns_of(c->form, c->fill, all);
    double x = derive_number(p, all[k]);
    return isfinite(x) ? x : 0;
}

void derive_fills(coding *code)
{
    const derivation *d = code->derive;
    int64_t at = 0;
    for (int64_t j = 0; j < d->cells.n_columns; j++)
        if (!d->cells.columns[j].hidden) code->columns[at++].fill = d->cells.columns[j].fill;
    for (int64_t i = 0; i < d->n; i++) {
        const derived_term *t = &d->term[i];
        int64_t width = term_width(&d->cells, t);
        for (int64_t w = 0; w < width; w++, at++)
            code->columns[at].fill = t->n_parts == 1 ? derive_fill(&d->cells, t->part, w) : 0;
    }
}

/* Value w of a term; not finite: the row has none. */
static double term_value(const coding *cells, const derived_term *t, const double *row, int64_t w)
{
    double value = 1;
    for (int k = 0; k < t->n_parts; k++) {
        const derived_part *p = &t->part[k];
        const column_code *c = column_of(cells, p);
        int64_t own = derive_width(cells, p), at = derive_place(cells, p, w % own);
        double x = row[at];
        w /= own;
        if (isnan(x) && t->n_parts > 1)
            x = derive_fill(cells, p, at - c->first);
        else if (isnan(x))
            return 0; /* not asked: derive_row */
        else
            x = derive_number(p, x);
        value = k ? value * x : x;
    }
    return value;
}

static bool is_missing(const coding *cells, const derived_term *t, const double *row)
{
    const column_code *c = column_of(cells, t->part);
    return t->n_parts == 1 && isnan(row[c->first]);
}

bool derive_row(const coding *code, const double *row, double *out, int64_t *bad)
{
    const derivation *d = code->derive;
    const coding *cells = &d->cells;
    bool good = true;
    for (int64_t j = 0; j < cells->n_columns; j++) {
        const column_code *c = &cells->columns[j];
        if (c->hidden) continue;
        int64_t width = column_width(c);
        memcpy(out, row + c->first, (size_t)width * sizeof *out);
        out += width;
    }
    int64_t at = code->n_columns;
    for (int64_t i = 0; i < d->n; i++) at -= term_width(cells, &d->term[i]);
    for (int64_t i = 0; i < d->n; i++) {
        const derived_term *t = &d->term[i];
        int64_t width = term_width(cells, t);
        for (int64_t w = 0; w < width; w++, at++) {
            double x = is_missing(cells, t, row) ? NAN : term_value(cells, t, row, w);
            if (good && !isfinite(x) && !is_missing(cells, t, row)) good = false, *bad = at;
            *out++ = isfinite(x) ? x : t->n_parts == 1 ? NAN : 0;
        }
    }
    return good;
}

void derive_rows(rung_data *data)
{
    int64_t d = coding_cells(&data->code)->d, bad;
    for (int64_t i = 0; i < data->n; i++) derive_row(&data->code, data->cells + i * d, data->X + i * data->d, &bad);
}
