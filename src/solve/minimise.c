// SPDX-License-Identifier: BSD-3-Clause
#include "solve/minimise.h"

#include <lbfgs.h>
#include <math.h>
#include <string.h>

typedef struct {
    rung_ctx *ctx;
    minimise_fn *function;
    void *user;
    rung_status status;
    double value, *best; /* the best point met */
    int iterations;
} search;

/* libLBFGS has no way to stop from here: after a failure the values are made such that its line search gives up. */
static lbfgsfloatval_t evaluate(void *instance, const lbfgsfloatval_t *x, lbfgsfloatval_t *gradient, const int n,
                                const lbfgsfloatval_t step)
{
    (void)step;
    search *s = instance;
    double value = INFINITY;
    if (s->status == RUNG_OK) s->status = s->function(s->ctx, s->user, n, x, &value, gradient);
    if (s->status != RUNG_OK || !isfinite(value)) {
        memset(gradient, 0, (size_t)n * sizeof *gradient);
        return 1e300;
    }
    if (value < s->value) {
        s->value = value;
        memcpy(s->best, x, (size_t)n * sizeof *x);
    }
    return value;
}

static int progressed(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *gradient,
                      const lbfgsfloatval_t value, const lbfgsfloatval_t x_norm, const lbfgsfloatval_t gradient_norm,
                      const lbfgsfloatval_t step, int n, int iteration, int evaluations)
{
    (void)x, (void)gradient, (void)value, (void)x_norm, (void)gradient_norm, (void)step, (void)n, (void)evaluations;
    search *s = instance;
    s->iterations = iteration;
    return s->status != RUNG_OK;
}

rung_status minimise(rung_ctx *ctx, minimise_fn *function, void *user, const minimise_options *options, int n,
                     double *x, double *value, int *iterations)
{
    pool_mark mark = pool_here(&ctx->scratch);
    search s = {.ctx = ctx, .function = function, .user = user, .value = INFINITY};
    double *point = NULL;
    lbfgs_parameter_t how;
    lbfgs_parameter_init(&how);
    how.epsilon = options->tolerance;
    how.max_iterations = options->most;
    how.linesearch = LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE; /* it comes back from points without a value */
    how.wolfe = 0.9;
    TRY(NEW(ctx, &ctx->scratch, s.best, n));
    TRY(NEW(ctx, &ctx->scratch, point, n));
    memcpy(point, x, (size_t)n * sizeof *x);
    int code = lbfgs(n, point, NULL, evaluate, progressed, &s, &how);
    TRY(s.status);
    if (code == LBFGSERR_OUTOFMEMORY) return fail(ctx, RUNG_ENOMEM, "out of memory: L-BFGS");
    if (!isfinite(s.value)) return fail(ctx, RUNG_ENOCONV, "the function to minimise has no finite value at the start");
    memcpy(x, s.best, (size_t)n * sizeof *x);
    *value = s.value;
    *iterations = s.iterations;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
