// SPDX-License-Identifier: BSD-3-Clause
/* forecast.c - a learning curve continued.
 *
 * The error after m labels is E (a + (1 - a) (m / m_n)^-c): E now, at m_n labels; a the part that no labels remove; c
 * the pace. A few noisy errors say little about a and c, so all pairs of a grid are averaged, each by its likelihood
 * with E integrated out: given a, c and the standard errors, E is normal. Where these are unknown, so are they
 * averaged. An error now that was measured otherwise takes the place of E: two halves of normals, by the ends of its
 * range. The forecast is a mixture of these times what a and c leave of them, whose quantiles are the range. */
#include "suggest/forecast.h"

#include <float.h>
#include <math.h>

enum { LIMITS = 11, PACES = 12, NOISES = 8, PARTS = LIMITS * PACES * NOISES, FITS = 5 };
static const double SLOWEST = 0.1, FASTEST = 2, LEAST_NOISE = 0.01,
                    NEGLIGIBLE = 1e-4; /* noise: of the error, doubling */
static const double NORMAL_95 = 1.959964;
static const double FIT[FITS] = {-1.281552, -0.524401, 0, 0.524401, 1.281552}; /* middles of fifths of a normal */

/* now: of the middle and the deviations to both sides; left: the share of the error that more labels leave. */
typedef struct {
    double weight, now, below, above, left; /* weight: of the mixture; its logarithm at first */
} part;

typedef struct {
    int n;
    part *part;
    double varies;
} mixture;

static int64_t labels_now(const learning_curve *c) { return c->now ? c->now->labels : c->labels[c->n - 1]; }

static part part_of(const learning_curve *c, double limit, double pace, double noise, double ahead)
{
    double xx = 0, xy = 0, yy = 0, log_sd = 0, last = (double)labels_now(c);
    for (int i = 0; i < c->n; i++) {
        double g = limit + (1 - limit) * pow((double)c->labels[i] / last, -pace);
        double sd = c->se ? c->se[i] : noise * c->error[i], y = c->error[i];
        xx += g * g / (sd * sd);
        xy += g * y / (sd * sd);
        yy += y * y / (sd * sd);
        log_sd += log(sd);
    }
    part p = {.weight = -(yy - xy * xy / xx) / 2 - log_sd - log(fmax(xx, DBL_MIN)) / 2,
              .now = xy / xx,
              .below = sqrt(1 / xx),
              .above = sqrt(1 / xx),
              .left = limit + (1 - limit) * pow(ahead / last, -pace)};
    if (c->now) {
        p.now = c->now->error;
        p.below = fmax(p.now - c->now->low, 0) / NORMAL_95;
        p.above = fmax(c->now->high - p.now, 0) / NORMAL_95;
    }
    return p;
}

static double share_below(const part *p, double x)
{
    double sd = x < p->now ? p->below : p->above;
    if (!(sd > 0)) return x >= p->now;
    return 0.5 * erfc((p->now - x) / (sd * sqrt(2)));
}

static double share_then(const mixture *m, double x)
{
    double below = 0;
    for (int i = 0; i < m->n; i++)
        for (int f = 0; f < (m->varies > 0 ? FITS : 1); f++) {
            double one = m->varies > 0 ? exp(m->varies * FIT[f]) : 1;
            below += m->part[i].weight / (m->varies > 0 ? FITS : 1) *
                     share_below(&m->part[i], x / (fmax(m->part[i].left, DBL_MIN) * one));
        }
    return below;
}

static double share_now(const mixture *m, double x)
{
    double below = 0;
    for (int i = 0; i < m->n; i++) below += m->part[i].weight * share_below(&m->part[i], x);
    return below;
}

/* The quantile of the mixture by bisection. */
static double quantile(const mixture *m, double share_of(const mixture *, double), double share)
{
    double low = 0, high = 0;
    for (int i = 0; i < m->n; i++) high = fmax(high, 2 * (m->part[i].now + 10 * m->part[i].above));
    for (int step = 0; step < 40; step++) {
        double middle = (low + high) / 2;
        if (share_of(m, middle) < share)
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

/* The curve with no error exact: none is less than a hundredth of the largest. */
static rung_status blur(rung_ctx *ctx, const learning_curve *c, double most, learning_curve *out)
{
    double *error = NULL, *se = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, error, c->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, se, c->n));
    for (int i = 0; i < c->n; i++) {
        error[i] = fmax(c->error[i], most * LEAST_NOISE);
        se[i] = c->se ? fmax(c->se[i], most * LEAST_NOISE) : 0;
    }
    *out = *c;
    out->error = error;
    out->se = c->se ? se : NULL;
    return RUNG_OK;
}

static void weigh(const learning_curve *c, double ahead, mixture *m)
{
    double best = -INFINITY, sum = 0;
    for (int a = 0; a < LIMITS; a++)
        for (int k = 0; k < PACES; k++)
            for (int s = 0; s < (c->se ? 1 : NOISES); s++) {
                double pace = SLOWEST * pow(FASTEST / SLOWEST, k / (PACES - 1.0));
                m->part[m->n] = part_of(c, a / (LIMITS - 1.0), pace, LEAST_NOISE * pow(2, s), ahead);
                best = fmax(best, m->part[m->n++].weight);
            }
    int kept = 0;
    for (int i = 0; i < m->n; i++) {
        m->part[kept] = m->part[i];
        m->part[kept].weight = exp(m->part[i].weight - best);
        if (m->part[kept].weight > NEGLIGIBLE) sum += m->part[kept++].weight;
    }
    m->n = kept;
    for (int i = 0; i < m->n; i++) m->part[i].weight /= sum;
}

rung_status forecast(rung_ctx *ctx, const learning_curve *c, int64_t more, rung_forecast *out)
{
    learning_curve curve;
    mixture m = {.varies = c->varies};
    TRY(check(ctx, c, more));
    double most = c->now ? c->now->high : 0;
    for (int i = 0; i < c->n; i++) most = fmax(most, c->error[i]);
    *out = (rung_forecast){.labels = labels_now(c), .more = more};
    if (most == 0) return RUNG_OK; /* no error, and nothing to gain */
    TRY(NEW_RAW(ctx, &ctx->scratch, m.part, PARTS));
    TRY(blur(ctx, c, most, &curve));
    weigh(&curve, (double)(out->labels + more), &m);
    out->now = c->now ? c->now->error : c->error[c->n - 1];
    out->now_low = c->now ? c->now->low : quantile(&m, share_now, 0.025);
    out->now_high = c->now ? c->now->high : quantile(&m, share_now, 0.975);
    out->value = quantile(&m, share_then, 0.5);
    out->low = quantile(&m, share_then, 0.05);
    out->high = quantile(&m, share_then, 0.95);
    return RUNG_OK;
}
