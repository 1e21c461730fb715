// SPDX-License-Identifier: BSD-3-Clause
/* Near a minimum two values differ by less than their rounding long before the gradient is small: there a line search
 * that compares values ends at the square root of the precision. So a step is also taken when the value is the same up
 * to rounding and the slopes say that it fell (the approximate Wolfe conditions of Hager and Zhang, SIAM Journal on
 * Optimization 16:170-192, 2005, eq. 4.1). */
#include "solve/minimise.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 40, TRIALS = 25, PATIENCE = 15 }; /* steps remembered; points of a line search; unsuccessful steps */
static const double DECREASE = 1e-4, CURVATURE = 0.9, ROUNDING = 1e-9, LONGER = 4, LEAST_SHARE = 0.1;

typedef struct {
    double value, *x, *gradient;
} point;

typedef struct {
    rung_ctx *ctx;
    minimise_fn *function;
    minimise_scale_fn *scale_by;
    void *user;
    int n;
    double *steps, *changes;  /* n x PAIRS: the last steps and what the gradient changed along them, in a ring */
    double products[PAIRS];   /* of a step and its change */
    int64_t learned;          /* pairs since the last reset */
    double scale;             /* of the inverse Hessian before any pair: scale M^-1 */
    double *direction, *work; /* n */
    point here, there;
    point flattest; /* so far; its gradient is not kept */
    double slope;   /* there */
    int since;      /* steps since it was found */
} search;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double largest(int n, const double *a)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
    return most;
}

/* NaN in the gradient also means no value. */
static rung_status evaluate(search *s, point *at)
{
    TRY(s->function(s->ctx, s->user, s->n, at->x, &at->value, at->gradient));
    if (!isfinite(at->value) || !isfinite(dot(s->n, at->gradient, at->gradient))) at->value = INFINITY;
    return RUNG_OK;
}

/* ---- the inverse Hessian ---- */

static rung_status scale_by(search *s, double *v)
{
    return s->scale_by ? s->scale_by(s->ctx, s->user, s->n, v) : RUNG_OK;
}

/* Such that the first step changes no variable by more than 1. */
static rung_status forget(search *s)
{
    memcpy(s->work, s->here.gradient, (size_t)s->n * sizeof *s->work);
    TRY(scale_by(s, s->work));
    s->learned = 0;
    s->scale = 1 / fmax(1, largest(s->n, s->work));
    return RUNG_OK;
}

/* Adds the pair (step, change of the gradient) between the two points, unless rounding has corrupted it. */
static rung_status learn(search *s)
{
    int n = s->n, place = (int)(s->learned % PAIRS);
    double *step = s->steps + (int64_t)place * n, *change = s->changes + (int64_t)place * n, product = 0;
    for (int i = 0; i < n; i++)
        product += (s->there.x[i] - s->here.x[i]) * (s->there.gradient[i] - s->here.gradient[i]);
    if (!(product > 0)) return RUNG_OK;
    for (int i = 0; i < n; i++) {
        step[i] = s->there.x[i] - s->here.x[i];
        change[i] = s->there.gradient[i] - s->here.gradient[i];
    }
    s->products[place] = product;
    memcpy(s->work, change, (size_t)n * sizeof *change);
    TRY(scale_by(s, s->work));
    s->scale = product / dot(n, change, s->work);
    s->learned++;
    return RUNG_OK;
}

/* direction = - H gradient, H = V'H V + s s' / s'y with V = I - y s' / s'y from one pair to the next: the recursion of
 * Nocedal, Mathematics of Computation 35:773-782, 1980. */
static rung_status choose_direction(search *s)
{
    int64_t n = s->n, first = s->learned > PAIRS ? s->learned - PAIRS : 0;
    double *q = s->direction, share[PAIRS] = {0};
    for (int64_t i = 0; i < n; i++) q[i] = -s->here.gradient[i];
    for (int64_t k = s->learned - 1; k >= first; k--) {
        int64_t at = k % PAIRS;
        share[at] = dot(s->n, s->steps + at * n, q) / s->products[at];
        for (int64_t i = 0; i < n; i++) q[i] -= share[at] * s->changes[at * n + i];
    }
    TRY(scale_by(s, q));
    for (int64_t i = 0; i < n; i++) q[i] *= s->scale;
    for (int64_t k = first; k < s->learned; k++) {
        int64_t at = k % PAIRS;
        double more = share[at] - dot(s->n, s->changes + at * n, q) / s->products[at];
        for (int64_t i = 0; i < n; i++) q[i] += more * s->steps[at * n + i];
    }
    return RUNG_OK;
}

/* ---- along a direction ---- */

typedef struct {
    double length, slope; /* slope: NaN where there is no value */
} end;

/* Inside the bracket: where a straight line through the slopes is 0, if they differ in sign; kept off the ends. */
static double between(const end *low, const end *high)
{
    double width = high->length - low->length;
    if (!(high->slope > 0)) return low->length + 0.5 * width;
    double share = low->slope / (low->slope - high->slope);
    return low->length + width * fmin(fmax(share, LEAST_SHARE), 1 - LEAST_SHARE);
}

/* From `here` along `direction` to a point that is lower and flatter: `there`. */
static rung_status line_search(search *s, bool *found)
{
    double slope = dot(s->n, s->here.gradient, s->direction), length = 1;
    double value = s->here.value, slack = ROUNDING * fmax(1, fabs(value));
    end low = {0, slope}, high = {INFINITY, NAN};
    *found = false;
    for (int trial = 0; trial < TRIALS && slope < 0; trial++) {
        for (int i = 0; i < s->n; i++) s->there.x[i] = s->here.x[i] + length * s->direction[i];
        TRY(evaluate(s, &s->there));
        double now = s->there.value, along = dot(s->n, s->there.gradient, s->direction);
        bool lower = now <= value + DECREASE * length * slope,
             same = now <= value + slack && along <= (2 * DECREASE - 1) * slope;
        *found = (lower || same) && along >= CURVATURE * slope;
        if (*found) return RUNG_OK;
        if (now <= value + slack && along < 0)
            low = (end){length, along};
        else
            high = (end){length, isfinite(now) ? along : NAN};
        length = isinf(high.length) ? LONGER * length : between(&low, &high);
    }
    return RUNG_OK;
}

/* ---- the search ---- */

static rung_status search_new(rung_ctx *ctx, minimise_fn *function, minimise_scale_fn *scale, void *user, int n,
                              search *s)
{
    *s = (search){.ctx = ctx, .function = function, .scale_by = scale, .user = user, .n = n};
    TRY(NEW(ctx, &ctx->scratch, s->steps, (int64_t)n * PAIRS));
    TRY(NEW(ctx, &ctx->scratch, s->changes, (int64_t)n * PAIRS));
    TRY(NEW(ctx, &ctx->scratch, s->direction, n));
    TRY(NEW(ctx, &ctx->scratch, s->work, n));
    TRY(NEW(ctx, &ctx->scratch, s->here.x, n));
    TRY(NEW(ctx, &ctx->scratch, s->here.gradient, n));
    TRY(NEW(ctx, &ctx->scratch, s->there.x, n));
    TRY(NEW(ctx, &ctx->scratch, s->there.gradient, n));
    s->flattest.value = s->slope = INFINITY;
    return NEW(ctx, &ctx->scratch, s->flattest.x, n);
}

/* Whether steps are only noise: the gradient is small enough and no longer decreases. */
static bool in_vain(search *s, double slope, double enough)
{
    if (slope >= 0.9 * s->slope) return ++s->since > PATIENCE && s->slope <= enough;
    memcpy(s->flattest.x, s->here.x, (size_t)s->n * sizeof *s->here.x);
    s->flattest.value = s->here.value;
    s->slope = slope;
    s->since = 0;
    return false;
}

rung_status minimise(rung_ctx *ctx, minimise_fn *function, void *user, const minimise_options *options, int n,
                     double *x, minimise_result *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    search s;
    TRY(search_new(ctx, function, options->scale, user, n, &s));
    memcpy(s.here.x, x, (size_t)n * sizeof *x);
    TRY(evaluate(&s, &s.here));
    if (!isfinite(s.here.value))
        return set_error(ctx, RUNG_ENOCONV, "the function to minimise has no value at the start");
    TRY(forget(&s));
    *out = (minimise_result){.end = MINIMISE_FOUND};
    double first = 0; /* the gradient at the start */
    for (;;) {
        bool found;
        double target = options->tolerance * fmax(1, fabs(s.here.value));
        out->slope = largest(n, s.here.gradient);
        if (out->slope <= target) break;
        first = fmax(first, out->slope);
        progress(ctx, "fitting", log(first / out->slope) / log(first / target));
        if (out->iterations == options->most) {
            out->end = MINIMISE_CUT;
            break;
        }
        if (in_vain(&s, out->slope, options->enough)) {
            out->end = MINIMISE_STUCK;
            out->slope = s.slope;
            memcpy(s.here.x, s.flattest.x, (size_t)n * sizeof *x);
            s.here.value = s.flattest.value;
            break;
        }
        TRY(choose_direction(&s));
        TRY(line_search(&s, &found));
        if (found) {
            TRY(learn(&s));
            point old = s.here;
            s.here = s.there;
            s.there = old;
            out->iterations++;
        } else if (s.learned == 0) {
            out->end = MINIMISE_STUCK;
            break;
        } else
            TRY(forget(&s));
    }
    memcpy(x, s.here.x, (size_t)n * sizeof *x);
    out->value = s.here.value;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
