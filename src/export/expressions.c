// SPDX-License-Identifier: BSD-3-Clause
/* Operations in short, for those who build a program. */
#include <string.h>

#include "export/program.h"

int constant_of(builder *b, int64_t n, const double *v)
{
    int value = put_op(b, OP_CONSTANT, n, NO_VALUE, NO_VALUE, NO_VALUE);
    set_array(b, value, 0, put_real(b, v, 1, n));
    return settled(b, value);
}

int scalar(builder *b, double x)
{
    double *v = builder_room(b, 1);
    if (v) *v = x;
    return constant_of(b, 1, v);
}

int apply_one(builder *b, op_kind kind, int x)
{
    bool one = kind == OP_TOTAL || kind == OP_LARGEST || kind == OP_PLACE;
    return settled(b, put_op(b, kind, one ? 1 : length_of(b, x), x, NO_VALUE, NO_VALUE));
}

int apply_two(builder *b, op_kind kind, int x, int y)
{
    int64_t n = length_of(b, x), m = length_of(b, y);
    return settled(b, put_op(b, kind, n == 1 ? m : n, x, y, NO_VALUE));
}

int with_number(builder *b, op_kind kind, int x, double y) { return apply_two(b, kind, x, scalar(b, y)); }
int number_with(builder *b, op_kind kind, double x, int y) { return apply_two(b, kind, scalar(b, x), y); }

int select_of(builder *b, int condition, int yes, int no)
{
    int64_t n = length_of(b, condition), y = length_of(b, yes), m = length_of(b, no);
    return settled(b, put_op(b, OP_SELECT, n != 1 ? n : y != 1 ? y : m, condition, yes, no));
}

int part_of(builder *b, int x, int64_t from, int64_t n)
{
    int value = put_op(b, OP_PART, n, x, NO_VALUE, NO_VALUE);
    set_number(b, value, 0, (double)from);
    return settled(b, value);
}

int join_of(builder *b, int x, int y)
{
    return settled(b, put_op(b, OP_JOIN, length_of(b, x) + length_of(b, y), x, y, NO_VALUE));
}

int choose_of(builder *b, int place, int from)
{
    return settled(b, put_op(b, OP_CHOOSE, length_of(b, place), place, from, NO_VALUE));
}

int linear_of(builder *b, int x, int64_t outputs, int weights, int bias)
{
    int value = put_op(b, OP_LINEAR, outputs, x, NO_VALUE, NO_VALUE);
    set_array(b, value, 0, weights);
    set_array(b, value, 1, bias);
    return settled(b, value);
}

int shares_of_total(builder *b, int x) { return apply_two(b, OP_DIVIDE, x, apply_one(b, OP_TOTAL, x)); }
