// SPDX-License-Identifier: BSD-3-Clause
/* Columns that are derived from others, as derive_row computes them: a number that is not finite is missing where it
 * comes from one column, and 0 in a product. */
#include <math.h>

#include "data/derive.h"
#include "export/program.h"

static int powered(builder *b, int x, double exponent)
{
    int y = x;
    for (int k = 1; k < (int)fabs(exponent); k++) y = apply_two(b, OP_MULTIPLY, y, x);
    return exponent < 0 ? number_with(b, OP_DIVIDE, 1, y) : y;
}

static int after(builder *b, const derive_step *s, int x)
{
    switch (s->f) {
    case DERIVE_ADD: return with_number(b, OP_ADD, x, s->number);
    case DERIVE_TIMES: return with_number(b, OP_MULTIPLY, x, s->number);
    case DERIVE_OVER: return with_number(b, OP_DIVIDE, x, s->number);
    case DERIVE_CENTER: return with_number(b, OP_SUBTRACT, x, s->number);
    case DERIVE_POWER: return powered(b, x, s->number);
    case DERIVE_LOG: return apply_one(b, OP_LOG, x);
    case DERIVE_LOG2: return apply_one(b, OP_LOG2, x);
    case DERIVE_LOG10: return apply_one(b, OP_LOG10, x);
    case DERIVE_LOG1P: return apply_one(b, OP_LOG1P, x);
    case DERIVE_SQRT: return apply_one(b, OP_ROOT, x);
    case DERIVE_EXP: return apply_one(b, OP_EXP, x);
    case DERIVE_ABS: return apply_two(b, OP_MAXIMUM, x, number_with(b, OP_SUBTRACT, 0, x));
    }
    return x;
}

static int part_numbers(builder *b, const coding *cells, const derived_part *p, int x)
{
    int64_t n = derive_width(cells, p);
    double *place = builder_room(b, n);
    for (int64_t k = 0; place && k < n; k++) place[k] = (double)derive_place(cells, p, k);
    int y = choose_of(b, constant_of(b, n, place), x);
    for (int k = 0; k < p->n_steps; k++) y = after(b, &p->step[k], y);
    return y;
}

/* In a product a missing cell takes its fill. */
static int filled_part(builder *b, const coding *cells, const derived_part *p, int x)
{
    int y = part_numbers(b, cells, p, x);
    if (cells->columns[p->column].nominal) return y;
    int64_t n = derive_width(cells, p);
    double *place = builder_room(b, n), *fill = builder_room(b, n);
    for (int64_t k = 0; place && fill && k < n; k++) {
        place[k] = (double)derive_place(cells, p, k);
        fill[k] = derive_fill(cells, p, k);
    }
    int missing = apply_one(b, OP_MISSING, choose_of(b, constant_of(b, n, place), x));
    return select_of(b, missing, constant_of(b, n, fill), y);
}

/* Every number of x times every number of y, those of x in turn for each of y. */
static int products(builder *b, int x, int y)
{
    int64_t n = length_of(b, x), m = length_of(b, y);
    double *of_x = builder_room(b, n * m), *of_y = builder_room(b, n * m);
    for (int64_t i = 0; of_x && of_y && i < n * m; i++) {
        of_x[i] = (double)(i % n);
        of_y[i] = (double)(i / n);
    }
    return apply_two(b, OP_MULTIPLY, choose_of(b, constant_of(b, n * m, of_x), x),
                     choose_of(b, constant_of(b, n * m, of_y), y));
}

/* x - x is 0 where x is finite, and NaN where it is not. */
static int term_numbers(builder *b, const coding *cells, const derived_term *t, int x)
{
    if (t->n_parts == 1) {
        int y = part_numbers(b, cells, t->part, x);
        return apply_two(b, OP_ADD, y, apply_two(b, OP_SUBTRACT, y, y));
    }
    int y = filled_part(b, cells, t->part, x);
    for (int k = 1; k < t->n_parts; k++) y = products(b, y, filled_part(b, cells, &t->part[k], x));
    return select_of(b, apply_one(b, OP_MISSING, apply_two(b, OP_SUBTRACT, y, y)), scalar(b, 0), y);
}

/* In halves, so that a number is copied a few times, however many terms there are. */
static int all_terms(builder *b, const derivation *d, int64_t from, int64_t n, int x)
{
    if (n == 1) return term_numbers(b, &d->cells, &d->term[from], x);
    int first = all_terms(b, d, from, n / 2, x), second = all_terms(b, d, from + n / 2, n - n / 2, x);
    return join_of(b, first, second);
}

static int shown(builder *b, const coding *cells, bool coded, int x)
{
    int64_t n = 0;
    double *place = builder_room(b, cells->d + cells->n_columns);
    for (int64_t j = 0; place && j < cells->n_columns; j++) {
        const column_code *c = &cells->columns[j];
        int64_t width = coded ? column_width(c) : 1, first = coded ? c->first : j;
        for (int64_t k = 0; k < width && !c->hidden; k++) place[n++] = (double)(first + k);
    }
    return n > 0 ? choose_of(b, constant_of(b, n, place), x) : NO_VALUE;
}

int build_derived(builder *b, const coding *code, int x, int *columns)
{
    const derivation *d = code->derive;
    int row = shown(b, &d->cells, true, x), cells = shown(b, &d->cells, false, CELLS);
    int derived = all_terms(b, d, 0, d->n, x);
    *columns = cells == NO_VALUE ? derived : join_of(b, cells, derived);
    return row == NO_VALUE ? derived : join_of(b, row, derived);
}
