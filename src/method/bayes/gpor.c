// SPDX-License-Identifier: BSD-3-Clause
/* gpor.c - Gaussian processes for ordinal regression.
 *
 *     maximise over (kappa, b, sigma)   log of  int prod_i p(y_i | f_i, b, sigma) N(f; 0, K) df,
 *     K_ij = exp(-1/2 sum_d kappa_d (x_id - x_jd)^2),
 *
 * by Laplace's approximation or expectation propagation (method/bayes/gpor_gp.h), with L-BFGS (gpor_evidence.h has the
 * unknowns). The noise has a floor because on data without noise Laplace's evidence increases without bound as sigma
 * decreases, and is wrong there. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "fit/verify.h"
#include "method/bayes/gpor_evidence.h"
#include "solve/minimise.h"
#include "solve/ordinal_probit.h"

static const double TOLERANCE = 1e-9; /* of the search; rounding may prevent reaching it ... */
static const double SETTLED = 1e-6;   /* ... but to a gradient below this, per row */
static const uint64_t STREAM = 0x690a;

/* ---- fit ---- */

/* The first search begins at the usual point, the others around it. */
static rung_status begin(rung_ctx *ctx, const gpor *g, bool first, rng *random, double *theta)
{
    TRY(gpor_start(ctx, g, theta));
    for (int64_t j = 0; j < g->n_kappa && !first; j++) {
        double log_kappa = 1.5 * rng_normal(random);
        if (g->precisions)
            theta[j] *= exp(0.5 * log_kappa);
        else
            theta[j] += log_kappa;
    }
    if (!first) theta[g->n_theta - 1] += rng_normal(random);
    return RUNG_OK;
}

/* The best of `starts` searches. Noise within a millionth of the floor is the floor. */
static rung_status learn(rung_ctx *ctx, gpor *g, double *theta, minimise_result *found)
{
    const minimise_options options = {.most = g->params->max_iterations,
                                      .tolerance = TOLERANCE,
                                      .enough = 0.1 * SETTLED * (double)g->p->n,
                                      .scale = g->params->inference == GPOR_LAPLACE ? gpor_scale : NULL};
    double *trial = NULL, *noise = &theta[g->n_theta - 1], floor = g->params->noise_floor;
    int iterations = 0;
    rng random;
    rng_open(&random, ctx->seed, STREAM);
    TRY(NEW(ctx, &ctx->scratch, trial, g->n_theta));
    *found = (minimise_result){.value = INFINITY};
    for (int s = 0; s < g->params->starts; s++) {
        minimise_result one;
        TRY(begin(ctx, g, s == 0, &random, trial));
        gpor_forget(g);
        TRY(minimise(ctx, gpor_negative_evidence, g, &options, g->n_theta, trial, &one));
        log_at(ctx, RUNG_LOG_DEBUG, "gpor: search %d, %d steps, log evidence %.10g, gradient %.2g", s + 1,
               one.iterations, -one.value, one.slope);
        iterations += one.iterations;
        if (!(one.value < found->value)) continue;
        *found = one;
        memcpy(theta, trial, (size_t)g->n_theta * sizeof *theta);
    }
    found->iterations = iterations;
    if (hypot(floor, exp(*noise)) < (1 + 1e-6) * floor) *noise = -INFINITY;
    return RUNG_OK;
}

static bool settled(rung_ctx *ctx, const gpor *g, const minimise_result *found)
{
    double slope = found->slope / (double)g->p->n;
    if (slope <= SETTLED) return true;
    if (found->end == MINIMISE_CUT)
        log_at(ctx, RUNG_LOG_WARNING,
               "gpor: the search stopped at max-iterations=%d before the evidence reached its maximum (gradient %.2g "
               "per row)",
               g->params->max_iterations, slope);
    else
        log_at(ctx, RUNG_LOG_WARNING,
               "gpor: the search found no direction of ascent before the evidence reached its maximum (gradient %.2g "
               "per row); starts=5 also searches from other points",
               slope);
    return false;
}

/* Whether predictions use expectation propagation although the evidence is Laplace's. */
static bool is_mended(const gpor_params *params, double sigma)
{
    return params->inference == GPOR_LAPLACE && sigma <= 1.5 * params->noise_floor;
}

/* With hardly any noise the likelihood is flat inside a class: at the mode Laplace's approximation sees no curvature
 * and mistakes the prior for the posterior, which then extends into the adjacent classes. In that case predictions use
 * the posterior of expectation propagation; the evidence remains the one that was maximised. */
static rung_status mend(rung_ctx *ctx, gpor *g)
{
    double evidence = g->post.log_evidence;
    if (!is_mended(g->params, g->sigma)) return RUNG_OK;
    gpor_forget(g);
    rung_status status = gpor_infer(ctx, g, GPOR_EP, false);
    if (status == RUNG_ENOCONV) { /* then Laplace's after all */
        gpor_forget(g);
        status = gpor_infer(ctx, g, GPOR_LAPLACE, false);
    }
    g->post.log_evidence = evidence;
    return status;
}

/* v(x) = k(x,x) - |F k|^2 with F = L^-1 P^1/2, stored transposed. */
static rung_status covariance(rung_ctx *ctx, pool *mem, const gpor *g, probit_link *link)
{
    int64_t n = g->p->n;
    la_mat *F = NULL;
    TRY(NEW(ctx, mem, link->factor, n * n));
    for (int64_t i = 0; i < n; i++) link->factor[i + i * n] = sqrt(g->post.precision[i]);
    TRY(la_new(ctx, &ctx->scratch, n, n, &F));
    la_put(link->factor, F);
    TRY(la_trsm(ctx, g->post.factor, false, F));
    la_get(F, link->factor);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < j; i++) { /* F is lower triangular: entries above the diagonal are rounding errors */
            link->factor[i + j * n] = link->factor[j + i * n];
            link->factor[j + i * n] = 0;
        }
    link->rank = n;
    link->functions = true;
    return RUNG_OK;
}

static rung_status gpor_finish(rung_ctx *ctx, pool *mem, const gpor *g, fitted *out)
{
    const problem *p = g->p;
    out->own.score = (scorer){.kind = SCORER_KERNEL, .outputs = 1, .k = g->k, .m = p->n, .d = p->d};
    TRY(NEW(ctx, mem, out->own.score.bias, 1));
    TRY(NEW(ctx, mem, out->own.score.coef, p->n));
    TRY(NEW_RAW(ctx, mem, out->own.score.rows, p->n * p->d));
    memcpy(out->own.score.coef, g->post.alpha, (size_t)p->n * sizeof *g->post.alpha);
    memcpy(out->own.score.rows, p->X, (size_t)(p->n * p->d) * sizeof *p->X);
    out->own.link = (probit_link){.kind = LINK_PROBIT, .b = g->b, .noise = g->sigma};
    TRY(covariance(ctx, mem, g, &out->own.link));
    out->own.proba = PROBA_PROBIT;
    out->own.decide = (decision){.kind = DECISION_ARGMAX, .K = p->K};
    out->n_expansion = p->n;
    TRY(report_number(ctx, mem, out, "log_evidence", g->post.log_evidence));
    return report_number(ctx, mem, out, "noise", g->sigma);
}

static rung_status gpor_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    gpor g;
    double *theta = NULL;
    minimise_result found;
    TRY(gpor_new(ctx, mem, in->p, in->params, &g));
    TRY(NEW(ctx, &ctx->scratch, theta, g.n_theta));
    TRY(learn(ctx, &g, theta, &found));
    TRY(gpor_set(ctx, &g, theta));
    TRY(gpor_infer(ctx, &g, g.params->inference, false));
    if (is_mended(g.params, g.sigma))
        log_at(ctx, RUNG_LOG_INFO, "gpor: the noise is at its floor; predictions use expectation propagation");
    TRY(mend(ctx, &g));
    TRY(gpor_finish(ctx, mem, &g, out));
    TRY(report_number(ctx, mem, out, "iterations", found.iterations));
    return report_number(ctx, mem, out, "settled", settled(ctx, &g, &found));
}

/* From the data, the kernel, the thresholds and the noise alone: the gradient of the evidence is zero, and the
 * posterior is that of the model. */
static rung_status gpor_verify(rung_ctx *ctx, const struct verification *v)
{
    const problem *p = v->p;
    const member *m = v->model->members;
    double *theta = NULL, *gradient = NULL, *off = NULL, value, worst = 0, n = (double)p->n;
    gpor g;
    if (m->score.m != p->n) return verify_by_refit(ctx, v, true);
    TRY(gpor_new(ctx, &ctx->scratch, p, v->params, &g));
    TRY(NEW(ctx, &ctx->scratch, theta, g.n_theta));
    TRY(NEW(ctx, &ctx->scratch, gradient, g.n_theta));
    TRY(NEW(ctx, &ctx->scratch, off, p->n));
    gpor_pack(&g, &m->score.k, m->link.b, m->link.noise, theta);
    TRY(gpor_negative_evidence(ctx, &g, g.n_theta, theta, &value, gradient));
    for (int j = 0; j < g.n_theta; j++) worst = fmax(worst, fabs(gradient[j]));
    condition_add(v->found, "evidence gradient", "with respect to kernel, thresholds and noise; per row", worst / n,
                  2 * SETTLED);
    condition_add(v->found, "evidence", "reported value against that of the model, per row",
                  fabs(value + told_number(v->model, "log_evidence")) / n, 1e-6);
    TRY(mend(ctx, &g));
    for (int64_t i = 0; i < p->n; i++) off[i] = -g.post.alpha[i];
    condition_add(v->found, "posterior", "coefficients against those of the recomputed posterior, relative",
                  relative_residual(p->n, 2, (const double *const[]){m->score.coef, off}, 0), 1e-6);
    if (g.params->inference == GPOR_EP || is_mended(g.params, g.sigma)) return RUNG_OK;
    for (int64_t i = 0; i < p->n; i++)
        off[i] =
            -ordinal_probit_at(v->f[i], p->y[i], highest_rank(p->y, p->upper, i), p->K, m->link.b, m->link.noise).delta;
    condition_add(v->found, "posterior mode", "residual of alpha = d log p / d f, relative",
                  relative_residual(p->n, 2, (const double *const[]){m->score.coef, off}, 0), 1e-6);
    return RUNG_OK;
}

/* Gram matrix, factor and an inverse or the covariance factor; the data four times; what the thresholds bend, by rows
 * and by thresholds. */
static double gpor_model_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    return 8 * (double)shape->labelled * (double)shape->labelled; /* the factor of the covariance */
}

static double gpor_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    double n = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    /* predictions have an output for each row of the factor: 256 numbers of a tile */
    return 8 * (4 * n * n + 5 * n * d + 80 * (d + K) + n * (K + 300) + 4 * K * K);
}

static const param_row gpor_rows[] = {
    KERNEL_PARAMS_AS(gpor_params, "auto", "auto", NULL,
                     "rbf: k = exp(-gamma |x-z|^2); c/d is c divided by the number of non-constant columns; auto: "
                     "largest evidence (rbf) or 1/d"),
    PARAM(gpor_params, inference, .name = "inference", .help = "approximation of the posterior",
          .type = RUNG_TYPE_CHOICE, .default_value = "laplace", .published = "laplace", .choices = "laplace|ep"),
    PARAM(gpor_params, ard, .name = "ard", .help = "learn one precision per column", .type = RUNG_TYPE_CHOICE,
          .default_value = "no", .published = "no", .choices = "no|yes"),
    PARAM(gpor_params, noise_floor, .name = "noise-floor",
          .help = "lower bound of the noise, in standard deviations of the latent value", .type = RUNG_TYPE_REAL,
          .default_value = "0.02", .published = "0.02", .low = 0, .high = 1, .flags = RUNG_PARAM_OPEN_LOW),
    PARAM(gpor_params, starts, .name = "starts",
          .help = "number of searches from different points; the largest evidence is kept", .type = RUNG_TYPE_INT,
          .default_value = "1", .published = "1", .low = 1, .high = 1000),
    PARAM(gpor_params, max_iterations, .name = "max-iterations", .help = "maximum number of steps of a search",
          .type = RUNG_TYPE_INT, .default_value = "1000", .published = "1000", .low = 1, .high = 1e9),
    CALIBRATE_PARAM(gpor_params, "auto"),
    {0},
};

const method method_gpor = {
    .info = {.name = "gpor",
             .title = "Gaussian process ordinal regression",
             .reference = "Chu, Ghahramani. Gaussian processes for ordinal regression. Journal of Machine Learning "
                          "Research 6:1019-1041, 2005",
             .cost = "time about 100 l^3, memory 3 l^2 for l labelled rows; no landmarks; for many rows use isbor",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_PROBABILITIES |
                      RUNG_METHOD_EVIDENCE | RUNG_METHOD_INTERVALS},
    .params = gpor_rows,
    .params_size = sizeof(gpor_params),
    .bytes = gpor_bytes,
    .model_bytes = gpor_model_bytes,
    .fit = gpor_fit,
    .verify = gpor_verify,
};
