// SPDX-License-Identifier: BSD-3-Clause
#include "export/program.h"

static int filled(builder *b, const scaling *s, int x)
{
    return s->fill ? select_of(b, apply_one(b, OP_MISSING, x), constant_of(b, s->d, s->fill), x) : x;
}

/* The share of training values at or below each, as a step function. */
static int shares(builder *b, const scaling *s, int x)
{
    int64_t knots = s->knots_first[s->d];
    int value = put_op(b, OP_SHARE, s->d, x, NO_VALUE, NO_VALUE);
    set_array(b, value, 0, put_whole(b, s->knots_first, 1, s->d + 1));
    set_array(b, value, 1, put_real(b, s->knot, 1, knots));
    set_array(b, value, 2, put_real(b, s->knot_cdf, 1, knots));
    return settled(b, value);
}

int build_scaled(builder *b, const scaling *s, int x)
{
    x = filled(b, s, x);
    if (s->kind == SCALE_NONE) return x;
    if (s->kind == SCALE_RANK) x = shares(b, s, x);
    int value = put_op(b, OP_SCALE, s->d, x, NO_VALUE, NO_VALUE);
    set_array(b, value, 0, put_real(b, s->shift, 1, s->d));
    set_array(b, value, 1, put_real(b, s->factor, 1, s->d));
    return settled(b, value);
}
