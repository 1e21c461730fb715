// SPDX-License-Identifier: BSD-3-Clause
/* Decisions: the rank of a row among the classes that had labels, from 1. */
#include <math.h>

#include "export/program.h"

static int count_from_one(builder *b, int flags) { return with_number(b, OP_ADD, apply_one(b, OP_TOTAL, flags), 1); }

int build_median(builder *b, int64_t K, int proba)
{
    if (K == 1) return scalar(b, 1);
    int below = part_of(b, apply_one(b, OP_SUMS, proba), 0, K - 1);
    return count_from_one(b, with_number(b, OP_LESS, below, 0.5));
}

static int by_thresholds(builder *b, int64_t K, const double *threshold, bool tie_up, int score)
{
    if (K == 1) return scalar(b, 1);
    int t = constant_of(b, K - 1, threshold);
    if (!tie_up) return count_from_one(b, apply_two(b, OP_LESS, t, score));
    return count_from_one(b, number_with(b, OP_SUBTRACT, 1, apply_two(b, OP_LESS, score, t)));
}

static int first_largest(builder *b, int value) { return with_number(b, OP_ADD, apply_one(b, OP_PLACE, value), 1); }

static int nearest_mean(builder *b, const member *one, int output)
{
    int distance = put_op(b, OP_SQUARES, one->decide.K, output, NO_VALUE, NO_VALUE);
    set_array(b, distance, 0, put_real(b, one->decide.means, one->decide.K, one->score.outputs));
    return first_largest(b, number_with(b, OP_SUBTRACT, 0, settled(b, distance)));
}

int build_rank(builder *b, const member *one, int output, int proba)
{
    const decision *d = &one->decide;
    switch (d->kind) {
    case DECISION_NONE: return NO_VALUE;
    case DECISION_THRESHOLDS: return by_thresholds(b, d->K, d->thresholds, d->tie_up, part_of(b, output, 0, 1));
    case DECISION_CONSTANT: return scalar(b, d->rank);
    case DECISION_CALIBRATED: return by_thresholds(b, one->cal.K, one->cal.c, true, build_calibrated(b, one, output));
    case DECISION_NEAREST_MEAN: return nearest_mean(b, one, output);
    case DECISION_ARGMAX: return first_largest(b, member_has_own_proba(one) ? proba : output);
    case DECISION_MEDIAN: return build_median(b, d->K, proba);
    }
    return NO_VALUE;
}
