// SPDX-License-Identifier: BSD-3-Clause
/* What one member makes of the outputs of one row: probabilities, rank, score columns. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "solve/ordprobit.h"

static bool outputs_are_memberships(const member *one) { return one->score.kind == SCORER_NEIGHBOURS; }

bool member_has_proba(const member *one)
{
    return one->calibrated || one->prior || one->probit || outputs_are_memberships(one);
}

void member_proba(const member *one, const double *output, double variance, double *p)
{
    size_t size = (size_t)one->decide.K * sizeof *p;
    if (one->probit)
        ordprobit_classes(output[0], variance, one->decide.K, one->link.b, one->link.noise, p);
    else if (one->calibrated)
        calibrate_proba(&one->cal, rank_score(&one->map, output[0]), p);
    else
        memcpy(p, outputs_are_memberships(one) ? output : one->prior, size);
}

bool member_needs_proba(const member *one)
{
    return one->decide.kind == DECISION_MEDIAN || (one->decide.kind == DECISION_ARGMAX && member_has_proba(one));
}

int decision_rank(const decision *d, double score)
{
    if (d->kind == DECISION_CONSTANT) return d->rank;
    if (d->kind != DECISION_THRESHOLDS) return 0;
    int rank = 1;
    for (int q = 0; q < d->K - 1; q++) rank += d->tie_up ? score >= d->thresholds[q] : score > d->thresholds[q];
    return rank;
}

static int nearest_mean(const decision *d, int outputs, const double *output)
{
    int rank = 0;
    double least = INFINITY;
    for (int q = 0; q < d->K; q++) {
        double distance = 0;
        for (int o = 0; o < outputs; o++) {
            double difference = output[o] - d->means[(int64_t)q * outputs + o];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            rank = q + 1;
        }
    }
    return rank;
}

static int largest(int K, const double *v)
{
    int rank = 1;
    for (int q = 1; q < K; q++)
        if (v[q] > v[rank - 1]) rank = q + 1;
    return rank;
}

int member_rank(const member *one, const double *output, const double *p)
{
    const decision *d = &one->decide;
    switch (d->kind) {
    case DECISION_NONE: return 0;
    case DECISION_THRESHOLDS:
    case DECISION_CONSTANT: return decision_rank(d, output[0]);
    case DECISION_CALIBRATED: return calibrate_rank(&one->cal, rank_score(&one->map, output[0]));
    case DECISION_NEAREST_MEAN: return nearest_mean(d, one->score.outputs, output);
    case DECISION_ARGMAX: return largest(d->K, p ? p : output);
    case DECISION_MEDIAN: return posterior_median(d->K, p);
    }
    return 0;
}

int posterior_median(int K, const double *p)
{
    double below = 0;
    for (int q = 0; q < K - 1; q++) {
        below += p[q];
        if (below >= 0.5) return q + 1;
    }
    return K;
}

void posterior_range(int K, const double *p, double mass, int *low, int *high)
{
    double best = -1;
    *low = 1;
    *high = K;
    for (int length = 1; length < K && best < 0; length++)
        for (int from = 0; from + length <= K; from++) {
            double sum = 0;
            for (int q = from; q < from + length; q++) sum += p[q];
            if (sum < mass || sum <= best) continue;
            best = sum;
            *low = from + 1;
            *high = from + length;
        }
}

int member_columns(const member *one) { return outputs_are_memberships(one) ? 1 : one->score.outputs; }

void member_score(const member *one, const int *classes, const double *output, double *score)
{
    if (!outputs_are_memberships(one)) {
        memcpy(score, output, (size_t)one->score.outputs * sizeof *score);
        return;
    }
    *score = 0;
    for (int q = 0; q < one->score.outputs; q++) *score += classes[q] * output[q];
}
