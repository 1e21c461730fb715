// SPDX-License-Identifier: BSD-3-Clause
/* From the outputs of a member to the probabilities of its classes. */
#include <math.h>

#include "export/program.h"

/* ---- cumulative probabilities P_q = P(y > q) ---- */

int build_cumulative_classes(builder *b, int P)
{
    int above = join_of(b, scalar(b, 1), P), below = join_of(b, P, scalar(b, 0));
    return apply_two(b, OP_SUBTRACT, above, below);
}

static int clipped(builder *b, int x, double low, double high)
{
    return with_number(b, OP_MINIMUM, with_number(b, OP_MAXIMUM, x, low), high);
}

/* Of K - 1 numbers that need not be valid. */
static int repaired_classes(builder *b, int P)
{
    P = clipped(b, P, 0, 1);
    int middle = apply_two(b, OP_ADD, apply_one(b, OP_LEAST_YET, P), apply_one(b, OP_MOST_AHEAD, P));
    return build_cumulative_classes(b, with_number(b, OP_MULTIPLY, middle, 0.5));
}

/* ---- links ---- */

static int normal(builder *b, int z) /* its distribution function */
{
    return with_number(b, OP_MULTIPLY, apply_one(b, OP_ERFC, with_number(b, OP_MULTIPLY, z, -sqrt(0.5))), 0.5);
}

static int negative(builder *b, int x) { return number_with(b, OP_SUBTRACT, 0, x); }

static int logistic(builder *b, int x)
{
    return number_with(b, OP_DIVIDE, 1, with_number(b, OP_ADD, apply_one(b, OP_EXP, negative(b, x)), 1));
}

/* s^2 = noise^2 + variance; the difference of two distribution functions is taken in the lower tail. */
static int probit(builder *b, const probit_link *link, int64_t K, int mean, int variance)
{
    int spread = apply_one(b, OP_ROOT, with_number(b, OP_ADD, variance, link->noise * link->noise));
    int z = apply_two(b, OP_DIVIDE, apply_two(b, OP_SUBTRACT, constant_of(b, K - 1, link->b), mean), spread);
    int high = join_of(b, z, scalar(b, 1e300)), low = join_of(b, scalar(b, -1e300), z);
    int upper = number_with(b, OP_LESS, 0, apply_two(b, OP_ADD, high, low));
    int from = select_of(b, upper, negative(b, low), high), to = select_of(b, upper, negative(b, high), low);
    int p = apply_two(b, OP_SUBTRACT, normal(b, from), normal(b, to));
    return shares_of_total(b, with_number(b, OP_MAXIMUM, p, 0));
}

/* P(y > q) = 1 - L(b_q - mean) of a link that is neither probit nor cauchit. */
static int above(builder *b, link_kind kind, int x) /* x = mean - b_q */
{
    if (kind == LINK_LOGIT) return logistic(b, x);
    if (kind == LINK_CLOGLOG) return apply_one(b, OP_EXP, negative(b, apply_one(b, OP_EXP, negative(b, x))));
    return number_with(b, OP_SUBTRACT, 1, apply_one(b, OP_EXP, negative(b, apply_one(b, OP_EXP, x))));
}

static int cumulative(builder *b, const probit_link *link, int64_t K, int mean)
{
    int P = above(b, link->kind, apply_two(b, OP_SUBTRACT, mean, constant_of(b, K - 1, link->b)));
    return with_number(b, OP_MAXIMUM, build_cumulative_classes(b, P), 0);
}

/* Thresholds and function inferred jointly, see probit_link. */
static int joint(builder *b, const probit_link *link, int64_t K, int output, int variance)
{
    int64_t J = K - 1;
    double *diagonal = builder_room(b, J), noise = link->noise * link->noise;
    for (int64_t q = 0; diagonal && q < J; q++) diagonal[q] = link->spread[q + q * J];
    int D = part_of(b, output, 1, J), VD = linear_of(b, D, J, put_real(b, link->spread, J, J), -1);
    int common = apply_one(b, OP_TOTAL, apply_two(b, OP_MULTIPLY, VD, D));
    int s2 = apply_two(b, OP_ADD, constant_of(b, J, diagonal), with_number(b, OP_MULTIPLY, VD, 2));
    s2 = apply_two(b, OP_ADD, apply_two(b, OP_ADD, s2, variance), common);
    int spread = apply_one(b, OP_ROOT, with_number(b, OP_ADD, with_number(b, OP_MAXIMUM, s2, 0), noise));
    int z = apply_two(b, OP_SUBTRACT, part_of(b, output, 0, 1), constant_of(b, J, link->b));
    return repaired_classes(b, normal(b, apply_two(b, OP_DIVIDE, z, spread)));
}

/* A mean for each threshold, or a spread of the row. */
static int general(builder *b, const probit_link *link, int64_t K, int output)
{
    int64_t means = link->own ? K - 1 : 1;
    int x = apply_two(b, OP_SUBTRACT, part_of(b, output, 0, means), constant_of(b, K - 1, link->b));
    if (link->uneven) x = apply_two(b, OP_DIVIDE, x, apply_one(b, OP_EXP, part_of(b, output, means, 1)));
    return repaired_classes(b, link->kind == LINK_PROBIT ? normal(b, x) : above(b, link->kind, x));
}

static int by_link(builder *b, const probit_link *link, int64_t K, int output, int variance)
{
    if (link->own || link->uneven) return general(b, link, K, output);
    if (link->spread) return joint(b, link, K, output, variance);
    int mean = part_of(b, output, 0, 1);
    return link->kind == LINK_PROBIT ? probit(b, link, K, mean, variance) : cumulative(b, link, K, mean);
}

/* A mixed model without random terms (check_options refuses others) is the cumulative link model alone. */
static int without_effects(builder *b, const random_effects *r, int64_t K, int output)
{
    probit_link link = {.kind = r->link, .b = r->b, .noise = 1};
    return by_link(b, &link, K, output, scalar(b, 0));
}

/* ---- the place on the rank scale, and its calibration ---- */

/* The logarithm of a weight per class, up to a constant, as for member_rank_score. */
static int class_values(builder *b, const member *one, int output)
{
    int64_t K = one->decide.K, outputs = one->score.outputs;
    const double *mean = one->decide.means;
    if (one->decide.kind == DECISION_ARGMAX) return with_number(b, OP_MULTIPLY, output, 2);
    double *shift = builder_room(b, K), *weight = builder_room(b, K * outputs), steps = 0;
    for (int64_t i = outputs; i < K * outputs; i++)
        steps += (mean[i] - mean[i - outputs]) * (mean[i] - mean[i - outputs]);
    double width = steps > 0 ? 0.25 * steps / (double)(K - 1) : 1;
    for (int64_t i = 0; weight && shift && i < K * outputs; i++) {
        weight[i] = mean[i] / width;
        shift[i / outputs] -= 0.5 * mean[i] * mean[i] / width;
    }
    return linear_of(b, output, K, put_real(b, weight, K, outputs), put_real(b, shift, 1, K));
}

static int rank_place(builder *b, const member *one, int output)
{
    int64_t K = one->decide.K;
    if (one->map.n > 0) {
        int value = put_op(b, OP_INTERPOLATE, 1, part_of(b, output, 0, 1), NO_VALUE, NO_VALUE);
        set_array(b, value, 0, put_real(b, one->map.f, 1, one->map.n));
        set_array(b, value, 1, put_real(b, one->map.s, 1, one->map.n));
        return settled(b, value);
    }
    double *rank = builder_room(b, K);
    for (int64_t q = 0; rank && q < K; q++) rank[q] = (double)q + 1;
    int value = class_values(b, one, output);
    value = apply_two(b, OP_SUBTRACT, value, apply_one(b, OP_LARGEST, value));
    int weight = shares_of_total(b, apply_one(b, OP_EXP, with_number(b, OP_MAXIMUM, value, -700)));
    return apply_one(b, OP_TOTAL, apply_two(b, OP_MULTIPLY, weight, constant_of(b, K, rank)));
}

int build_calibrated(builder *b, const member *one, int output)
{
    int place = clipped(b, rank_place(b, one, output), 0, one->cal.K + 1);
    return with_number(b, OP_MULTIPLY, place, one->cal.a);
}

/* P(y >= q) - P(y > q) as a product, see calibrate_proba. */
static int calibrated(builder *b, const member *one, int output)
{
    const calibration *c = &one->cal;
    int64_t K = c->K;
    if (K == 1) return scalar(b, 1);
    double *gap = builder_room(b, K);
    for (int64_t q = 0; gap && q < K; q++) gap[q] = q > 0 && q < K - 1 ? fabs(expm1(c->c[q - 1] - c->c[q])) : 1;
    int u = build_calibrated(b, one, output), x = apply_two(b, OP_SUBTRACT, u, constant_of(b, K - 1, c->c));
    int above = join_of(b, scalar(b, 1), logistic(b, x));
    int below = join_of(b, logistic(b, negative(b, x)), scalar(b, 1));
    int p = apply_two(b, OP_MULTIPLY, apply_two(b, OP_MULTIPLY, above, below), constant_of(b, K, gap));
    return shares_of_total(b, p);
}

/* ---- scores per class ---- */

static int softmax(builder *b, int output)
{
    int less = apply_two(b, OP_SUBTRACT, output, apply_one(b, OP_LARGEST, output));
    return shares_of_total(b, apply_one(b, OP_EXP, less));
}

static int power(builder *b, const member *one, int output)
{
    int largest = with_number(b, OP_MAXIMUM, apply_one(b, OP_LARGEST, output), 0);
    int share = apply_two(b, OP_DIVIDE, with_number(b, OP_MAXIMUM, output, 0), largest);
    int prior = constant_of(b, one->decide.K, one->prior);
    int base = select_of(b, number_with(b, OP_LESS, 0, largest), share, prior);
    return shares_of_total(b, with_number(b, OP_POWER, base, one->power));
}

int build_proba(builder *b, const member *one, int output, int variance)
{
    int64_t K = one->decide.K;
    switch (one->proba) {
    case PROBA_NONE: return NO_VALUE;
    case PROBA_CALIBRATION: return calibrated(b, one, output);
    case PROBA_PRIOR: return constant_of(b, K, one->prior);
    case PROBA_EFFECTS: return without_effects(b, one->score.random, K, output);
    case PROBA_PROBIT: return by_link(b, &one->link, K, output, variance);
    case PROBA_CUMULATIVE: return repaired_classes(b, part_of(b, output, 0, K - 1));
    case PROBA_MEMBERSHIPS: return output;
    case PROBA_SOFTMAX: return softmax(b, output);
    case PROBA_POWER: return power(b, one, output);
    }
    return NO_VALUE;
}
