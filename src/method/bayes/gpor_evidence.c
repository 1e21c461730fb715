// SPDX-License-Identifier: BSD-3-Clause
#include "method/bayes/gpor_evidence.h"

#include <math.h>
#include <string.h>

#include "solve/ordinal_probit.h"

static const double LOG_MOST = 25;
static const double WEIGHT = 0.1; /* curvature of the evidence per row, in kernel and noise: a guess to begin with */

/* ---- theta ---- */

static double bounded_exp(double x) { return exp(fmin(fmax(x, -LOG_MOST), LOG_MOST)); }

static void unpack(gpor *g, const double *theta)
{
    const double *rest = theta + g->n_kappa;
    int J = g->p->K - 1;
    if (g->n_kappa == 1) g->k.gamma = 0.5 * bounded_exp(theta[0]);
    for (int64_t j = 0; j < g->n_kappa && g->precisions; j++) g->precisions[j] = 0.5 * theta[j] * theta[j];
    g->sigma = hypot(g->params->noise_floor, bounded_exp(rest[J]));
    double spread = hypot(1, g->sigma);
    g->b[0] = spread * rest[0];
    for (int j = 1; j < J; j++) g->b[j] = g->b[j - 1] + spread * bounded_exp(rest[j]);
}

void gpor_pack(const gpor *g, const kernel *k, const double *b, double sigma, double *theta)
{
    int J = g->p->K - 1;
    double floor = g->params->noise_floor, spread = hypot(1, sigma), *rest = theta + g->n_kappa;
    for (int64_t j = 0; j < g->n_kappa; j++) theta[j] = g->precisions ? sqrt(2 * k->precisions[j]) : log(2 * k->gamma);
    for (int j = 0; j < J; j++) rest[j] = j == 0 ? b[0] / spread : log((b[j] - b[j - 1]) / spread);
    rest[J] = 0.5 * log(fmax(sigma * sigma - floor * floor, 0));
}

rung_status gpor_start(rung_ctx *ctx, const gpor *g, double *theta)
{
    const problem *p = g->p;
    int J = p->K - 1;
    double floor = g->params->noise_floor, before = 0, *rest = theta + g->n_kappa;
    double kappa = 1 / (double)(p->varying > 0 ? p->varying : 1);
    for (int64_t j = 0; j < g->n_kappa; j++) theta[j] = g->precisions ? sqrt(kappa) : log(kappa);
    double *mass = NULL, below = 0;
    TRY(NEW(ctx, &ctx->scratch, mass, p->K));
    TRY(class_masses(ctx, p->n, p->y, p->upper, NULL, p->K, mass));
    for (int q = 1; q <= J; q++) {
        below += mass[q - 1];
        double b = normal_quantile(below / (double)p->n);
        rest[q - 1] = q == 1 ? b : log(fmax(b - before, 1e-3));
        before = b;
    }
    rest[J] = 0.5 * log(fmax(1 - floor * floor, 0.01));
    return RUNG_OK;
}

rung_status gpor_set(rung_ctx *ctx, gpor *g, const double *theta)
{
    unpack(g, theta);
    return g->n_kappa > 0 ? kernel_gram(ctx, &g->k, g->p->d, g->p->n, g->p->X, g->gram) : RUNG_OK;
}

/* ---- the evidence ---- */

void gpor_forget(gpor *g)
{
    size_t size = (size_t)g->p->n * sizeof(double);
    memset(g->post.alpha, 0, size);
    memset(g->post.precision, 0, size);
    memset(g->post.natural, 0, size);
}

rung_status gpor_infer(rung_ctx *ctx, gpor *g, int inference, bool gradient)
{
    const problem *p = g->p;
    gpor_gp_problem gp = {
        .n = p->n, .K = p->K, .y = p->y, .upper = p->upper, .gram = g->gram, .b = g->b, .sigma = g->sigma};
    return inference == GPOR_EP ? gpor_gp_ep(ctx, &gp, gradient, &g->post)
                                : gpor_gp_laplace(ctx, &gp, gradient, &g->post);
}

/* With G = pull o K and its row sums r: sum_ij pull_ij dK_ij / dkappa_d = -(sum_i r_i x_id^2 - x_d'G x_d); dkappa =
 * kappa dlog kappa = 2 root(kappa) droot(kappa). */
static rung_status kernel_gradient(rung_ctx *ctx, gpor *g, const double *theta, double *gradient)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = g->p->n, d = g->p->d;
    double *sums = NULL, *Gx = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, sums, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, Gx, n * d));
    TRY(la_hadamard(ctx, g->gram, g->post.pull));
    TRY(la_row_sums(ctx, g->post.pull, sums));
    TRY(la_mul(ctx, 1, g->post.pull, d, g->columns, 0, Gx));
    memset(gradient, 0, (size_t)g->n_kappa * sizeof *gradient);
    for (int64_t j = 0; j < d; j++) {
        const double *x = g->columns + j * n, *Gxj = Gx + j * n;
        double sum = 0, slope = 2 * (g->precisions ? theta[j] : g->k.gamma);
        for (int64_t i = 0; i < n; i++) sum += x[i] * (sums[i] * x[i] - Gxj[i]);
        gradient[g->precisions ? j : 0] -= slope * sum;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* With db_j / dtheta_k = step_k for k <= j, M = step_k step_l sum_{i >= k, j >= l} bend_ij, and a link has only its own
 * theta; and |gradient| on the diagonal, which keeps a step below 1 where nothing bends and is 0 at the maximum. */
static rung_status thresholds_metric(rung_ctx *ctx, gpor *g, const double *gradient)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t J = g->p->K - 1;
    double *M = NULL, *step = NULL, trace = 0, spread = hypot(1, g->sigma);
    TRY(NEW_RAW(ctx, &ctx->scratch, M, J * J));
    TRY(NEW_RAW(ctx, &ctx->scratch, step, J));
    memcpy(M, g->post.bend, (size_t)(J * J) * sizeof *M);
    for (int64_t k = 0; k < J; k++) {
        step[k] = k > 0 ? g->b[k] - g->b[k - 1] : spread;
        for (int64_t j = J - 2; j >= 0; j--) M[j + k * J] += M[j + 1 + k * J];
    }
    for (int64_t k = J - 2; k >= 0; k--)
        for (int64_t j = 0; j < J; j++) M[j + k * J] += M[j + (k + 1) * J];
    for (int64_t k = 0; k < J; k++) {
        for (int64_t j = 0; j < J; j++) M[j + k * J] *= step[j] * step[k];
        M[k + k * J] += fabs(gradient[k]) + (k > 0 ? g->post.links[k - 1] * step[k] * step[k] : 0);
        trace += M[k + k * J];
    }
    if (!(trace > 0 && isfinite(trace))) { /* so far away that nothing is accurate */
        memset(M, 0, (size_t)(J * J) * sizeof *M);
        trace = 1;
    }
    double ridge = 1e-10 * trace / (double)J + 1e-300;
    for (rung_status status = RUNG_ESINGULAR; status == RUNG_ESINGULAR; ridge *= 100) {
        la_put(M, g->metric);
        la_add_diagonal(g->metric, ridge, NULL);
        status = la_potrf(ctx, g->metric);
        if (status != RUNG_ESINGULAR || ridge > trace) TRY(status);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status gpor_scale(rung_ctx *ctx, void *user, int n_theta, double *v)
{
    gpor *g = user;
    TRY(la_potrs(ctx, g->metric, 1, v + g->n_kappa));
    for (int64_t j = 0; j < g->n_kappa; j++) v[j] /= g->weight[j];
    v[n_theta - 1] /= g->weight[n_theta - 1];
    return RUNG_OK;
}

rung_status gpor_negative_evidence(rung_ctx *ctx, void *user, int n_theta, const double *theta, double *value,
                                   double *gradient)
{
    gpor *g = user;
    const problem *p = g->p;
    int J = p->K - 1;
    double *rest = gradient + g->n_kappa, above = 0, floor = g->params->noise_floor;
    TRY(interrupted(ctx));
    TRY(gpor_set(ctx, g, theta));
    rung_status status = gpor_infer(ctx, g, g->params->inference, true);
    if (status == RUNG_ENOCONV || status == RUNG_ESINGULAR) { /* a step too far: the search returns */
        *value = INFINITY;
        return RUNG_OK;
    }
    TRY(status);
    if (g->n_kappa > 0) TRY(kernel_gradient(ctx, g, theta, gradient));
    for (int j = J - 1; j > 0; j--) {
        above += g->post.thresholds[j];
        rest[j] = (g->b[j] - g->b[j - 1]) * above;
    }
    double variance = g->sigma * g->sigma, with_spread = 0; /* the thresholds move with the noise */
    for (int j = 0; j < J; j++) with_spread += g->post.thresholds[j] * g->b[j];
    rest[0] = hypot(1, g->sigma) * (above + g->post.thresholds[0]);
    rest[J] = (1 - floor * floor / variance) * (g->post.log_sigma + with_spread * variance / (1 + variance));
    if (g->params->inference == GPOR_LAPLACE) TRY(thresholds_metric(ctx, g, rest));
    for (int j = 0; j < n_theta; j++) g->weight[j] = fabs(gradient[j]) + WEIGHT * (double)p->n;
    for (int j = 0; j < n_theta; j++) gradient[j] = -gradient[j];
    *value = -g->post.log_evidence;
    return RUNG_OK;
}

rung_status gpor_new(rung_ctx *ctx, pool *mem, const problem *p, const gpor_params *params, gpor *g)
{
    bool given = !isnan(params->kernel.gamma) || !isnan(params->kernel.width);
    double *origin = NULL;
    *g = (gpor){.params = params, .p = p};
    TRY(kernel_from_params(ctx, mem, &params->kernel, &g->k));
    g->k = problem_kernel(p, &g->k);
    if (g->k.kind == KERNEL_PRECOMPUTED)
        return set_error(ctx, RUNG_EARG, "gpor needs k(x, x) of new rows, which kernel=precomputed does not provide");
    if (params->ard && (g->k.kind != KERNEL_RBF || given))
        return set_error(ctx, RUNG_EARG,
                         "ard=yes learns the precisions of an rbf kernel; omit kernel, gamma and width");
    if (g->k.kind == KERNEL_RBF && !given) g->n_kappa = params->ard ? p->d : 1;
    g->n_theta = (int)g->n_kappa + p->K;
    if (params->ard) {
        TRY(NEW(ctx, mem, g->precisions, p->d));
        g->k = (kernel){.kind = KERNEL_ARD, .gamma = 1, .n_precisions = p->d, .precisions = g->precisions};
    }
    TRY(NEW(ctx, mem, g->b, p->K - 1));
    TRY(NEW(ctx, &ctx->scratch, g->weight, g->n_theta));
    TRY(la_new(ctx, &ctx->scratch, p->K - 1, p->K - 1, &g->metric));
    TRY(NEW_RAW(ctx, &ctx->scratch, g->columns, p->d * p->n));
    TRY(kernel_origin(ctx, p->d, p->n, p->X, &origin));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) g->columns[i + j * p->n] = p->X[j + i * p->d] - origin[j];
    TRY(la_new(ctx, &ctx->scratch, p->n, p->n, &g->gram));
    TRY(problem_kernel_finite(ctx, p, &g->k));
    if (g->n_kappa == 0) TRY(kernel_gram(ctx, &g->k, p->d, p->n, p->X, g->gram));
    return gpor_gp_posterior_new(ctx, &ctx->scratch, p->n, p->K, &g->post);
}
