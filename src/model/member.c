// SPDX-License-Identifier: BSD-3-Clause
/* From the outputs of one row to probabilities, rank and score columns, for one member. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "solve/cumulative.h"
#include "solve/ordinal_probit.h"

static bool outputs_are_memberships(const member *one)
{
    return one->proba == PROBA_MEMBERSHIPS || one->proba == PROBA_POWER;
}

bool member_has_own_proba(const member *one) { return one->proba != PROBA_NONE && one->proba != PROBA_CALIBRATION; }

bool member_has_proba(const member *one) { return one->proba != PROBA_NONE; }

/* Nearest means: the log-density with the variance `step`, up to a constant. */
static double class_value(const member *one, const double *output, int q, double step)
{
    int outputs = one->score.outputs;
    if (one->decide.kind == DECISION_ARGMAX) return 2 * output[q];
    const double *mean = one->decide.means + (int64_t)q * outputs;
    double value = 0;
    for (int o = 0; o < outputs; o++) value += (output[o] - 0.5 * mean[o]) * mean[o];
    return value / step;
}

/* A quarter of the mean squared step between adjacent means; 1 if all means are equal. */
static double mean_step(const member *one)
{
    const decision *d = &one->decide;
    int outputs = one->score.outputs;
    double sum = 0;
    for (int64_t i = outputs; d->kind == DECISION_NEAREST_MEAN && i < (int64_t)d->K * outputs; i++) {
        double step = d->means[i] - d->means[i - outputs];
        sum += step * step;
    }
    return sum > 0 ? 0.25 * sum / (d->K - 1) : 1;
}

double member_rank_score(const member *one, const int *classes, const double *output)
{
    if (one->map.n > 0) return rank_score(&one->map, output[0]);
    int K = one->decide.K;
    double step = mean_step(one), most = -INFINITY, total = 0, sum = 0;
    for (int q = 0; q < K; q++) most = fmax(most, class_value(one, output, q, step));
    for (int q = 0; q < K; q++) {
        double w = exp(fmax(class_value(one, output, q, step) - most, -700));
        total += w;
        sum += w * (classes ? classes[q] : q + 1);
    }
    return sum / total;
}

/* Thresholds and function inferred jointly: see probit_link. P has room for K numbers. */
static void joint_proba(const probit_link *link, int K, const double *output, double variance, double *P)
{
    const double *D = output + 1;
    int J = K - 1;
    double common = 0;
    for (int q = 0; q < J; q++) { /* P_q := (V D)_q */
        P[q] = 0;
        for (int r = 0; r < J; r++) P[q] += link->spread[q + r * J] * D[r];
        common += P[q] * D[q];
    }
    for (int q = 0; q < J; q++) {
        double s2 = variance + link->spread[q + q * J] + 2 * P[q] + common;
        double z = (output[0] - link->b[q]) / ordinal_probit_spread(link->noise, fmax(s2, 0));
        P[q] = 0.5 * erfc(-z / sqrt(2));
    }
    cumulative_repair(K, P);
    cumulative_classes(K, P, P);
}

static void cumulative_proba(const probit_link *link, int K, double mean, double *p)
{
    double above = 1;
    for (int q = 0; q < K; q++) {
        double next = q < K - 1 ? link_above(link->kind, link->b[q] - mean) : 0;
        p[q] = fmax(above - next, 0);
        above = next;
    }
}

/* A mean for each threshold, or a spread of the row. */
static void general_proba(const probit_link *link, int K, const double *output, double *P)
{
    double shrink = link->uneven ? exp(-output[link->own ? K - 1 : 1]) : 1;
    for (int q = 0; q < K - 1; q++) P[q] = link_above(link->kind, (link->b[q] - output[link->own ? q : 0]) * shrink);
    cumulative_repair(K, P);
    cumulative_classes(K, P, P);
}

static void link_proba(const probit_link *link, int K, const double *output, double variance, double *p)
{
    if (link->spread)
        joint_proba(link, K, output, variance, p);
    else if (link->own || link->uneven)
        general_proba(link, K, output, p);
    else if (link->kind != LINK_PROBIT)
        cumulative_proba(link, K, output[0], p);
    else
        ordinal_probit_classes(output[0], variance, K, link->b, link->noise, p);
}

static void effects_proba(const random_effects *r, int K, double mean, double variance, double *p)
{
    double below = 0, sd = sqrt(variance);
    for (int q = 0; q < K; q++) {
        double next = q < K - 1 ? link_below_mean(r->link, r->b[q] - mean, sd) : 1;
        p[q] = fmax(next - below, 0);
        below = next;
    }
}

/* Taking off the largest output changes nothing, and keeps the others from overflowing. */
static void softmax_proba(int K, const double *output, double *p)
{
    double most = output[0], sum = 0;
    for (int q = 1; q < K; q++) most = fmax(most, output[q]);
    for (int q = 0; q < K; q++) sum += p[q] = exp(output[q] - most);
    for (int q = 0; q < K; q++) p[q] /= sum;
}

void member_proba(const member *one, const double *output, double variance, double *p)
{
    int K = one->decide.K;
    size_t size = (size_t)K * sizeof *p;
    switch (one->proba) {
    case PROBA_NONE: break;
    case PROBA_CALIBRATION: calibrate_proba(&one->cal, member_rank_score(one, NULL, output), p); break;
    case PROBA_PRIOR: memcpy(p, one->prior, size); break;
    case PROBA_PROBIT: link_proba(&one->link, K, output, variance, p); break;
    case PROBA_CUMULATIVE:
        memcpy(p, output, size - sizeof *p);
        cumulative_repair(K, p);
        cumulative_classes(K, p, p);
        break;
    case PROBA_MEMBERSHIPS: memcpy(p, output, size); break;
    case PROBA_SOFTMAX: softmax_proba(K, output, p); break;
    case PROBA_EFFECTS: effects_proba(one->score.random, K, output[0], variance, p); break;
    case PROBA_POWER: cumulative_power(K, output, one->prior, one->power, p); break;
    }
}

bool member_needs_proba(const member *one)
{
    return one->decide.kind == DECISION_MEDIAN || (one->decide.kind == DECISION_ARGMAX && member_has_own_proba(one));
}

int decision_rank(const decision *d, double score)
{
    if (d->kind == DECISION_CONSTANT) return d->rank;
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
    case DECISION_ARGMAX: return largest(d->K, p && member_has_own_proba(one) ? p : output); /* not a calibration's */
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

static bool is_joint(const member *one) { return one->proba == PROBA_PROBIT && one->link.spread; }

static bool is_general(const member *one) { return one->proba == PROBA_PROBIT && (one->link.own || one->link.uneven); }

int member_columns(const member *one)
{
    bool several = one->proba == PROBA_CUMULATIVE || one->proba == PROBA_SOFTMAX || is_joint(one) || is_general(one);
    return outputs_are_memberships(one) || several ? 1 : one->score.outputs;
}

bool member_scores_by_proba(const member *one)
{
    return one->proba == PROBA_CUMULATIVE || one->proba == PROBA_SOFTMAX || one->proba == PROBA_POWER ||
           is_general(one);
}

void member_score(const member *one, const int *classes, const double *output, const double *p, double *score)
{
    bool by_proba = member_scores_by_proba(one);
    if (!by_proba && !outputs_are_memberships(one)) {
        memcpy(score, output, (size_t)member_columns(one) * sizeof *score);
        return;
    }
    *score = 0;
    for (int q = 0; q < one->decide.K; q++) *score += classes[q] * (by_proba ? p[q] : output[q]);
}
