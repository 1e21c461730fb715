// SPDX-License-Identifier: BSD-3-Clause
/* Near a minimum two values differ by less than their rounding long before the gradient is small: there a line search
 * that compares values ends at the square root of the precision. So a step is also taken when the value is the same up
 * to rounding and the slopes say that it fell (the approximate Wolfe conditions of Hager and Zhang, SIAM Journal on
 * Optimization 16:170-192, 2005, eq. 4.1). */
#include "solve/minimise.h"

#include <math.h>
#include <string.h>

enum { TRIALS = 25 }; /* of a line search */
static const double DECREASE = 1e-4, CURVATURE = 0.9, ROUNDING = 1e-9, LONGER = 4, LEAST_SHARE = 0.1;

typedef struct {
    double value, *x, *gradient;
} point;

typedef struct {
    rung_ctx *ctx;
    minimise_fn *function;
    void *user;
    int n;
    double *inverse;                 /* n x n: what is known of the inverse Hessian */
    bool fresh;                      /* nothing yet: a multiple of I */
    double *direction, *change, *Hy; /* n */
    point here, there;
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

/* NaN in the gradient is no value, either. */
static rung_status evaluate(search *s, point *at)
{
    TRY(s->function(s->ctx, s->user, s->n, at->x, &at->value, at->gradient));
    if (!isfinite(at->value) || !isfinite(dot(s->n, at->gradient, at->gradient))) at->value = INFINITY;
    return RUNG_OK;
}

/* ---- the inverse Hessian ---- */

static void diagonal(search *s, double value)
{
    memset(s->inverse, 0, (size_t)(s->n * s->n) * sizeof *s->inverse);
    for (int i = 0; i < s->n; i++) s->inverse[i + i * s->n] = value;
}

/* Such that the first step changes no variable by more than 1. */
static void forget(search *s)
{
    diagonal(s, 1 / fmax(1, largest(s->n, s->here.gradient)));
    s->fresh = true;
}

static void times_inverse(const search *s, const double *v, double *out)
{
    for (int i = 0; i < s->n; i++) out[i] = dot(s->n, s->inverse + i * s->n, v);
}

/* From the step s and the change y of the gradient: H + (1 + y'Hy / s'y) ss' / s'y - (Hy s' + s y'H) / s'y. */
static void learn(search *s)
{
    int n = s->n;
    double *y = s->change, *step = s->direction;
    for (int i = 0; i < n; i++) {
        step[i] = s->there.x[i] - s->here.x[i];
        y[i] = s->there.gradient[i] - s->here.gradient[i];
    }
    double sy = dot(n, step, y);
    if (!(sy > 0)) return; /* rounding: nothing can be learned from it */
    if (s->fresh) diagonal(s, sy / dot(n, y, y));
    s->fresh = false;
    times_inverse(s, y, s->Hy);
    double more = (1 + dot(n, y, s->Hy) / sy) / sy;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s->inverse[i + j * n] += more * step[i] * step[j] - (s->Hy[i] * step[j] + step[i] * s->Hy[j]) / sy;
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

static rung_status search_new(rung_ctx *ctx, minimise_fn *function, void *user, int n, search *s)
{
    *s = (search){.ctx = ctx, .function = function, .user = user, .n = n};
    TRY(NEW(ctx, &ctx->scratch, s->inverse, n * n));
    TRY(NEW(ctx, &ctx->scratch, s->direction, n));
    TRY(NEW(ctx, &ctx->scratch, s->change, n));
    TRY(NEW(ctx, &ctx->scratch, s->Hy, n));
    TRY(NEW(ctx, &ctx->scratch, s->here.x, n));
    TRY(NEW(ctx, &ctx->scratch, s->here.gradient, n));
    TRY(NEW(ctx, &ctx->scratch, s->there.x, n));
    return NEW(ctx, &ctx->scratch, s->there.gradient, n);
}

rung_status minimise(rung_ctx *ctx, minimise_fn *function, void *user, const minimise_options *options, int n,
                     double *x, minimise_result *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    search s;
    TRY(search_new(ctx, function, user, n, &s));
    memcpy(s.here.x, x, (size_t)n * sizeof *x);
    TRY(evaluate(&s, &s.here));
    if (!isfinite(s.here.value)) return fail(ctx, RUNG_ENOCONV, "the function to minimise has no value at the start");
    forget(&s);
    *out = (minimise_result){.end = MINIMISE_FOUND};
    for (;;) {
        bool found;
        out->slope = largest(n, s.here.gradient);
        if (out->slope <= options->tolerance * fmax(1, fabs(s.here.value))) break;
        if (out->iterations == options->most) {
            out->end = MINIMISE_CUT;
            break;
        }
        times_inverse(&s, s.here.gradient, s.direction);
        for (int i = 0; i < n; i++) s.direction[i] = -s.direction[i];
        TRY(line_search(&s, &found));
        if (found) {
            learn(&s);
            point old = s.here;
            s.here = s.there;
            s.there = old;
            out->iterations++;
        } else if (s.fresh) {
            out->end = MINIMISE_STUCK;
            break;
        } else
            forget(&s);
    }
    memcpy(x, s.here.x, (size_t)n * sizeof *x);
    out->value = s.here.value;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
