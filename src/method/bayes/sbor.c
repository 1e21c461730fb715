// SPDX-License-Identifier: BSD-3-Clause
/* sbor.c - sparse Bayesian ordinal regression in one batch: all basis functions at the start, MacKay's update of every
 * precision,
 *     alpha_j <- (1 - alpha_j Sigma_jj) / w_j^2,
 * after each joint maximum of (w, b), and functions whose precision passes `prune` are dropped. It is the baseline of
 * isbor, which starts from the empty model and never needs the n x n matrix that this one starts with. */
#include <math.h>

#include "fit/verify.h"
#include "method/bayes/probit_fit.h"

typedef struct {
    kernel_params kernel;
    int max_iterations, calibrate;
    double alpha0, prune, tolerance;
} sbor_params;

static const double FIT_TOLERANCE = 1e-12;

static rung_status all_functions(rung_ctx *ctx, const basis_functions *basis, double alpha, sparse_model *m)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *values = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, m->rows.n));
    for (int64_t j = 0; j < basis->count; j++) {
        TRY(la_basis_column(ctx, m->basis, basis->id[j], values));
        TRY(sparse_add(ctx, m, basis->id[j], alpha, values));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Updates every precision and drops functions; the largest change of a logarithm among those that stay. */
static double update(const sbor_params *params, sparse_model *m, bool *dropped)
{
    double change = 0;
    *dropped = false;
    for (int64_t j = m->M - 1; j >= 0; j--) {
        double share = fmin(fmax(1 - m->alpha[j] * m->variance[j], 1e-12), 1);
        double after = share / fmax(m->w[j] * m->w[j], 1e-300);
        if (after < params->prune) {
            change = fmax(change, fabs(log(after / m->alpha[j])));
            m->alpha[j] = after;
        } else {
            sparse_delete(m, j);
            *dropped = true;
        }
    }
    return change;
}

static rung_status sbor_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const sbor_params *params = in->params;
    probit_map_rows rows = {.n = p->n, .K = p->K, .y = p->y};
    basis_functions basis;
    sparse_model m;
    kernel k;
    bool dropped = true;
    int iterations = 0;
    double change = INFINITY;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    TRY(basis_functions_new(ctx, p, &k, &basis));
    TRY(sparse_start(ctx, &ctx->scratch, &rows, &basis.columns, &m));
    TRY(all_functions(ctx, &basis, params->alpha0, &m));
    for (; iterations < params->max_iterations; iterations++) {
        if (!dropped && change < params->tolerance) break;
        TRY(interrupted(ctx));
        progress(ctx, "fitting", params->tolerance / change);
        TRY(sparse_refit(ctx, &m, FIT_TOLERANCE));
        change = update(params, &m, &dropped);
    }
    bool settled = !dropped && change < params->tolerance;
    if (!settled)
        log_at(ctx, RUNG_LOG_WARNING,
               "sbor: the updates stopped at max-iterations=%d while the precisions were still changing",
               params->max_iterations);
    if (m.M == 0)
        log_at(ctx, RUNG_LOG_WARNING,
               "sbor: the precisions of all functions passed prune=%g, so the model only has the frequencies of the "
               "classes; scale the columns or use a larger prune",
               params->prune);
    TRY(sparse_refit(ctx, &m, FIT_TOLERANCE));
    TRY(sparse_finish(ctx, mem, p, &basis, &m, false, out));
    return report_number(ctx, mem, out, "iterations", iterations);
}

static rung_status sbor_verify(rung_ctx *ctx, const struct verification *v)
{
    return sparse_verify(ctx, v,
                         told_number(v->model, "iterations") < ((const sbor_params *)v->params)->max_iterations);
}

/* Columns, gram matrix, factor, inverse and the scaled columns, all n x n at the start; their sums by threshold. */
static double sbor_bytes(const problem_shape *shape, const void *params_)
{
    const sbor_params *params = params_;
    double n = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    double m = params->kernel.kind == KERNEL_LINEAR ? d : n;
    return 8 * (2 * n * m + 5 * m * m + m * K + 3 * n * d + 12 * n);
}

static const param_row sbor_rows[] = {
    KERNEL_PARAMS(sbor_params),
    PARAM(sbor_params, max_iterations, .name = "max-iterations", .help = "maximum number of updates of the precisions",
          .type = RUNG_TYPE_INT, .default_value = "500", .published = "500", .low = 0, .high = 1e9),
    PARAM(sbor_params, alpha0, .name = "alpha0", .help = "initial precision of every weight", .type = RUNG_TYPE_REAL,
          .default_value = "1e-3", .published = "1e-3", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG),
    PARAM(sbor_params, prune, .name = "prune", .help = "drop a basis function when its precision exceeds this value",
          .type = RUNG_TYPE_REAL, .default_value = "1e6", .published = "1e6", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG),
    PARAM(sbor_params, tolerance, .name = "tolerance", .help = "stop when no logarithm of a precision changes by more",
          .type = RUNG_TYPE_REAL, .default_value = "1e-4", .published = "1e-4", .low = 0, .high = HUGE_VAL),
    CALIBRATE_PARAM(sbor_params, "auto"),
    {0},
};

const method method_sbor = {
    .info =
        {.name = "sbor",
         .title = "Sparse Bayesian ordinal regression, batch form",
         .reference = "Li, de Rijke. Incremental sparse Bayesian ordinal regression. Neural Networks 106:294-302, "
                      "2018 (its baseline). doi:10.1016/j.neunet.2018.07.015",
         .cost =
             "time l^3 per update at first, memory 7 l^2 for l labelled rows; no landmarks; for many rows use isbor",
         .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_PROBABILITIES |
                  RUNG_METHOD_EVIDENCE},
    .params = sbor_rows,
    .params_size = sizeof(sbor_params),
    .bytes = sbor_bytes,
    .fit = sbor_fit,
    .verify = sbor_verify,
};
