// SPDX-License-Identifier: BSD-3-Clause
/* forecast.c - a learning curve continued.
 *
 * The error after m labels is E (a + (1 - a) (m / m_n)^-c): E now, at m_n labels; a the part that no labels remove; c
 * the pace. A few noisy errors say little about a and c, so all pairs of a grid are averaged, each by its likelihood with
 * E integrated out: given a, c and the standard errors, E is normal. Where these are unknown, so are they averaged. The
 * forecast is a mixture of normals, whose quantiles are the range. */
#include "suggest/forecast.h"

#include <float.h>
#include <math.h>

enum { LIMITS = 11, PACES = 12, NOISES = 8, PARTS = LIMITS * PACES * NOISES };
static const double SLOWEST = 0.1, FASTEST = 2, LEAST_NOISE = 0.01; /* noise: of the error, doubling */

typedef struct { /* of the mixture; weight: its logarithm at first */
    double weight, now, now_sd, then, then_sd;
} part;

static part part_of(const learning_curve *c, double limit, double pace, double noise, double ahead)
{
    double xx = 0, xy = 0, yy = 0, log_sd = 0, last = (double)c->labels[c->n - 1];
    for (int i = 0; i < c->n; i++) {
        double g = limit + (1 - limit) * pow((double)c->labels[i] / last, -pace);
        double sd = c->se ? c->se[i] : noise * c->error[i], y = c->error[i];
        xx += g * g / (sd * sd);
        xy += g * y / (sd * sd);
        yy += y * y / (sd * sd);
        log_sd += log(sd);
    }
    double E = xy / xx, g = limit + (1 - limit) * pow(ahead / last, -pace);
    double sd = sqrt(1 / xx + c->level * c->level);
    double likelihood = -(yy - xy * xy / xx) / 2 - log_sd - log(fmax(xx, DBL_MIN)) / 2;
    return (part){likelihood, E, sd, E * g, sd * g};
}

static double normal_below(double x, double mean, double sd) { return 0.5 * erfc((mean - x) / (sd * sqrt(2))); }

/* The quantile of the mixture, now or then, by bisection. */
static double quantile(int n, const part *p, double share, bool now)
{
    double low = 0, high = 0;
    for (int i = 0; i < n; i++) high = fmax(high, now ? p[i].now + 10 * p[i].now_sd : p[i].then + 10 * p[i].then_sd);
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2, below = 0;
        for (int i = 0; i < n; i++)
            below += p[i].weight * (now ? normal_below(middle, p[i].now, p[i].now_sd)
                                        : normal_below(middle, p[i].then, p[i].then_sd));
        if (below < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static rung_status check(rung_ctx *ctx, const learning_curve *c, int64_t more)
{
    if (c->n < 2) return set_error(ctx, RUNG_EARG, "a forecast needs at least two errors, not %d", c->n);
    if (more < 0) return set_error(ctx, RUNG_EARG, "%lld more labels: expected at least 0", (long long)more);
    for (int i = 0; i < c->n; i++) {
        if (c->labels[i] < 1 || (i > 0 && c->labels[i] <= c->labels[i - 1]))
            return set_error(ctx, RUNG_EARG, "numbers of labels must be increasing and >= 1, but number %d is %lld",
                             i + 1, (long long)c->labels[i]);
        if (!isfinite(c->error[i]) || c->error[i] < 0 || (c->se && !(c->se[i] >= 0 && isfinite(c->se[i]))))
            return set_error(ctx, RUNG_EARG, "error %d of the learning curve is not a finite number >= 0", i + 1);
    }
    return RUNG_OK;
}

rung_status forecast(rung_ctx *ctx, const learning_curve *c, int64_t more, rung_forecast *out)
{
    part *p = NULL;
    double *error = NULL, *se = NULL, best = -INFINITY, sum = 0, most = 0;
    int n = 0;
    TRY(check(ctx, c, more));
    most = c->level;
    for (int i = 0; i < c->n; i++) most = fmax(most, c->error[i]);
    *out = (rung_forecast){.labels = c->labels[c->n - 1], .more = more};
    if (most == 0) return RUNG_OK; /* no error, and nothing to gain */
    TRY(NEW_RAW(ctx, &ctx->scratch, p, PARTS));
    TRY(NEW_RAW(ctx, &ctx->scratch, error, c->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, se, c->n));
    for (int i = 0; i < c->n; i++) { /* none is exact */
        error[i] = fmax(c->error[i], most * LEAST_NOISE);
        se[i] = c->se ? fmax(c->se[i], most * LEAST_NOISE) : 0;
    }
    learning_curve given = {.n = c->n, .labels = c->labels, .error = error, .se = c->se ? se : NULL, .level = c->level};
    double ahead = (double)(out->labels + more);
    for (int a = 0; a < LIMITS; a++)
        for (int k = 0; k < PACES; k++)
            for (int s = 0; s < (c->se ? 1 : NOISES); s++) {
                double pace = SLOWEST * pow(FASTEST / SLOWEST, k / (PACES - 1.0));
                p[n] = part_of(&given, a / (LIMITS - 1.0), pace, LEAST_NOISE * pow(2, s), ahead);
                best = fmax(best, p[n++].weight);
            }
    for (int i = 0; i < n; i++) sum += p[i].weight = exp(p[i].weight - best);
    for (int i = 0; i < n; i++) p[i].weight /= sum;
    out->now = c->error[c->n - 1];
    out->now_low = quantile(n, p, 0.025, true);
    out->now_high = quantile(n, p, 0.975, true);
    out->value = quantile(n, p, 0.5, false);
    out->low = quantile(n, p, 0.1, false);
    out->high = quantile(n, p, 0.9, false);
    return RUNG_OK;
}
