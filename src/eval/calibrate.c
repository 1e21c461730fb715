// SPDX-License-Identifier: BSD-3-Clause
/* The Newton iteration works on (a, d) with d_q = c_q - a h_q, h_q = q + 1/2, in which the objective reads
 *     sum_i w_i sum_q log(1 + exp(-z_iq (a (s_i - h_q) - d_q))) + lambda sum_q d_q^2 + 1e-3 a^2.
 * Newton's steps are the same in any linear coordinates, but in these the Hessian is an arrow (a full first row, else
 * diagonal) whose Schur complement is at least 2e-3, so a step costs O(K) and needs no factorisation. */
#include "eval/calibrate.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double SLOPE_PENALTY = 1e-3;
enum { ITERATIONS = 100 };

/* ---- rank score ---------------------------------------------------------------------------------------------------
 */

static int last_node_up_to(const rank_map *map, double f)
{
    int low = 0, high = map->n - 1; /* f[low] <= f */
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (map->f[middle] <= f)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

double rank_score(const rank_map *map, double f)
{
    int last = map->n - 1;
    const double *x = map->f, *s = map->s;
    if (f >= x[0] && f < x[last]) {
        int j = last_node_up_to(map, f); /* x[j] <= f < x[j+1]: the width is not zero */
        double slope = (s[j + 1] - s[j]) / (x[j + 1] - x[j]);
        return fmin(s[j] + slope * (f - x[j]), s[j + 1]); /* rounding must not break the order */
    }
    double slope = (s[last] - s[0]) / fmax(x[last] - x[0], 1e-300);
    if (!(slope > 0)) return f < x[0] ? s[0] : s[last];
    return f < x[0] ? s[0] + slope * (f - x[0]) : s[last] + slope * (f - x[last]);
}

/* Where classes share a mean the scores of whole classes may equal it, up to a rounding error that must not decide:
 * just below, the last of them holds already. */
void rank_map_of_means(int K, const double *mean, double size, rank_map *map)
{
    double rounding = 1e-12 * size;
    map->n = K;
    for (int q = 0, first = 0; q < K; q++) {
        if (mean[q] > mean[first] + rounding) first = q;
        bool shared = q > first || (q + 1 < K && !(mean[q + 1] > mean[q] + rounding));
        map->f[q] = mean[first] - (shared ? rounding : 0);
    }
    if (map->f[K - 1] > map->f[0]) return;
    map->n = 1;
    map->s[0] = map->s[(K - 1) / 2];
}

/* ---- fit ----------------------------------------------------------------------------------------------------------
 */

static double clip(double s, int K) { return s < 0 ? 0 : s > K + 1 ? K + 1 : s; }

typedef struct {
    int64_t n;
    int K;
    const double *s, *weight; /* s clipped */
    const int *y;
    double lambda;
} problem;

typedef struct { /* a point with the objective, its gradient and its Hessian there; arrays by threshold, K - 1 */
    double value, a, *d;
    double gradient_a, *gradient_d;
    double hessian_aa, *hessian_ad, *hessian_dd;
} point;

static rung_status new_point(rung_ctx *ctx, int K, point *p)
{
    *p = (point){0};
    TRY(NEW(ctx, &ctx->scratch, p->d, K - 1));
    TRY(NEW(ctx, &ctx->scratch, p->gradient_d, K - 1));
    TRY(NEW(ctx, &ctx->scratch, p->hessian_ad, K - 1));
    TRY(NEW(ctx, &ctx->scratch, p->hessian_dd, K - 1));
    return RUNG_OK;
}

static void evaluate(const problem *in, point *p)
{
    p->value = SLOPE_PENALTY * p->a * p->a;
    p->gradient_a = 2 * SLOPE_PENALTY * p->a;
    p->hessian_aa = 2 * SLOPE_PENALTY;
    for (int q = 0; q < in->K - 1; q++) {
        double h = q + 1.5, value = 0, ga = 0, gd = 0, haa = 0, had = 0, hdd = 0;
        for (int64_t i = 0; i < in->n; i++) {
            double w = in->weight ? in->weight[i] : 1, x = in->s[i] - h, u = p->a * x - p->d[q];
            /* p_wrong: the probability of the wrong side; no cancellation, no overflow */
            bool above = in->y[i] > q + 1, wrong = (u > 0) != above;
            double e = exp(-fabs(u)), p_wrong = (wrong ? 1 : e) / (1 + e);
            double slope = above ? -p_wrong : p_wrong, bend = w * e / ((1 + e) * (1 + e));
            value += w * (log1p(e) + (wrong ? fabs(u) : 0));
            ga += w * slope * x;
            gd -= w * slope;
            haa += bend * x * x;
            had -= bend * x;
            hdd += bend;
        }
        p->value += value + in->lambda * p->d[q] * p->d[q];
        p->gradient_a += ga;
        p->gradient_d[q] = gd + 2 * in->lambda * p->d[q];
        p->hessian_aa += haa;
        p->hessian_ad[q] = had;
        p->hessian_dd[q] = hdd + 2 * in->lambda;
    }
}

/* Solves Hessian (step_a, step_d) = gradient; returns the decrement gradient' step, twice the gain Newton expects. */
static double newton_step(int K, const point *p, double *step_a, double *step_d)
{
    double schur = p->hessian_aa, right = p->gradient_a;
    for (int q = 0; q < K - 1; q++) {
        double ratio = p->hessian_ad[q] / p->hessian_dd[q];
        schur -= ratio * p->hessian_ad[q];
        right -= ratio * p->gradient_d[q];
    }
    *step_a = right / schur;
    double decrement = p->gradient_a * *step_a;
    for (int q = 0; q < K - 1; q++) {
        step_d[q] = (p->gradient_d[q] - p->hessian_ad[q] * *step_a) / p->hessian_dd[q];
        decrement += p->gradient_d[q] * step_d[q];
    }
    return decrement;
}

static void move(const problem *in, const point *from, double t, double step_a, const double *step_d, point *to)
{
    to->a = from->a - t * step_a;
    for (int q = 0; q < in->K - 1; q++) to->d[q] = from->d[q] - t * step_d[q];
    evaluate(in, to);
}

static rung_status minimise(rung_ctx *ctx, const problem *in, point *out)
{
    point now, next;
    double step_a, *step_d, decrement = 0;
    TRY(new_point(ctx, in->K, &now));
    TRY(new_point(ctx, in->K, &next));
    TRY(NEW(ctx, &ctx->scratch, step_d, in->K - 1));
    now.a = 1; /* thresholds midway between the ranks */
    evaluate(in, &now);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        TRY(interrupted(ctx));
        decrement = newton_step(in->K, &now, &step_a, step_d);
        double t = 1, scale = 1 + now.value;
        move(in, &now, t, step_a, step_d, &next);
        if (decrement > 1e-8 * scale) /* below, rounding hides the gain, and full steps converge quadratically */
            while (!(next.value <= now.value - 1e-4 * t * decrement) && t > 1e-8)
                move(in, &now, t *= 0.5, step_a, step_d, &next);
        point spare = now;
        now = next;
        next = spare;
        if (decrement < 1e-12 * scale) {
            *out = now;
            return RUNG_OK;
        }
    }
    return set_error(ctx, RUNG_ENOCONV,
                     "the calibration did not converge: after %d steps the decrement is %g at the value %g", ITERATIONS,
                     decrement, now.value);
}

/* The log-odds of the class frequencies, each count half a row larger. */
static void prior(const problem *in, double total, calibration *out)
{
    out->a = 0;
    for (int q = 1; q < in->K; q++) {
        double above = 0;
        for (int64_t i = 0; i < in->n; i++)
            if (in->y[i] > q) above += in->weight ? in->weight[i] : 1;
        out->c[q - 1] = -log((above + 0.5) / (total - above + 0.5));
    }
}

static rung_status check(rung_ctx *ctx, const problem *in, const double *s, double *total)
{
    if (in->K < 1) return set_error(ctx, RUNG_EARG, "%d classes: expected at least 1", in->K);
    if (!(in->lambda > 0 && isfinite(in->lambda)))
        return set_error(ctx, RUNG_EARG, "calibration weight %g is not a positive number", in->lambda);
    for (int64_t i = 0; i < in->n; i++) {
        double w = in->weight ? in->weight[i] : 1;
        if (isnan(s[i])) return set_error(ctx, RUNG_EDATA, "score %lld is not a number", (long long)i + 1);
        if (in->y[i] < 1 || in->y[i] > in->K)
            return set_error(ctx, RUNG_EARG, "rank %d of score %lld is outside 1..%d", in->y[i], (long long)i + 1,
                             in->K);
        if (!(w >= 0 && isfinite(w)))
            return set_error(ctx, RUNG_EARG, "weight %g of score %lld is not a number >= 0", w, (long long)i + 1);
        *total += w;
    }
    if (!(*total > 0)) return set_error(ctx, RUNG_EDATA, "no labelled row to calibrate on");
    return RUNG_OK;
}

static rung_status fit(rung_ctx *ctx, problem *in, const double *s, calibration *out)
{
    double total = 0, *clipped;
    point best = {0};
    TRY(check(ctx, in, s, &total));
    TRY(NEW_RAW(ctx, &ctx->scratch, clipped, in->n));
    for (int64_t i = 0; i < in->n; i++) clipped[i] = clip(s[i], in->K);
    in->s = clipped;
    TRY(minimise(ctx, in, &best));
    out->K = in->K;
    if (best.a < 0) {
        prior(in, total, out);
    } else {
        out->a = best.a;
        for (int q = 0; q < in->K - 1; q++) out->c[q] = best.d[q] + best.a * (q + 1.5);
    }
    for (int q = 1; q < in->K - 1; q++) out->c[q] = fmax(out->c[q], out->c[q - 1]);
    return RUNG_OK;
}

rung_status calibrate_fit(rung_ctx *ctx, int64_t n, const double *s, const int *y, const double *weight, int K,
                          double lambda, calibration *out)
{
    pool_mark here = pool_here(&ctx->scratch);
    problem in = {.n = n, .K = K, .weight = weight, .y = y, .lambda = lambda};
    rung_status status = fit(ctx, &in, s, out);
    pool_release(&ctx->scratch, here);
    return status;
}

/* ---- use ----------------------------------------------------------------------------------------------------------
 */

int calibrate_rank(const calibration *c, double s)
{
    double u = c->a * clip(s, c->K);
    int rank = 1;
    while (rank < c->K && u >= c->c[rank - 1]) rank++;
    return rank;
}

static double logistic(double u)
{
    double e = exp(-fabs(u));
    return u > 0 ? 1 / (1 + e) : e / (1 + e);
}

void calibrate_proba(const calibration *c, double s, double *p)
{
    double u = c->a * clip(s, c->K), above = 1, sum = 0; /* above: P(y >= q) */
    for (int q = 1; q <= c->K; q++) {
        if (q == c->K) {
            p[q - 1] = above;
        } else {
            /* P(y >= q) - P(y > q) as a product, exact also where both are near 0 or near 1 */
            double x = u - c->c[q - 1], gap = q > 1 ? fabs(expm1(c->c[q - 2] - c->c[q - 1])) : 1;
            p[q - 1] = above * logistic(-x) * gap;
            above = logistic(x);
        }
        sum += p[q - 1];
    }
    for (int q = 0; q < c->K; q++) p[q] /= sum;
}

/* The doubles in their order as consecutive whole numbers, and back. */
static int64_t place_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static double double_at(int64_t place)
{
    int64_t bits = place < 0 ? INT64_MIN - place : place;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* By bisection over all doubles (rank_score and the decision are monotone also after rounding): no formula for the
 * inverse could agree with the decision to the last bit, and none of its special cases is needed. */
double calibrate_threshold(const calibration *c, const rank_map *map, int q)
{
    if (calibrate_rank(c, rank_score(map, -DBL_MAX)) > q) return -INFINITY;
    if (calibrate_rank(c, rank_score(map, DBL_MAX)) <= q) return INFINITY;
    int64_t low = place_of(-DBL_MAX), high = place_of(DBL_MAX); /* not yet at low, already at high */
    while (high - 1 > low) {
        int64_t middle = low / 2 + high / 2 + (low % 2 + high % 2) / 2;
        if (calibrate_rank(c, rank_score(map, double_at(middle))) > q)
            high = middle;
        else
            low = middle;
    }
    return double_at(high);
}
