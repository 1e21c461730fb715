// SPDX-License-Identifier: BSD-3-Clause
/* gpor.c - Gaussian processes for ordinal regression.
 *
 *     maximise over (kappa, b, sigma)   log of  int prod_i p(y_i | f_i, b, sigma) N(f; 0, K) df,
 *     K_ij = exp(-1/2 sum_d kappa_d (x_id - x_jd)^2),
 *
 * by Laplace's approximation or expectation propagation (solve/gp.h), with L-BFGS on
 *     theta = (log kappa_d.., b_1, log(b_2 - b_1), .., log(b_{K-1} - b_{K-2}), s),   sigma^2 = floor^2 + exp(2 s).
 * The floor is there because on data without noise Laplace's evidence rises without end as sigma falls, and is wrong
 * there. In rung's notation gamma = kappa / 2. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "method/method.h"
#include "method/verify.h"
#include "solve/gp.h"
#include "solve/minimise.h"
#include "solve/ordprobit.h"

typedef struct {
    kernel_params kernel;
    int inference, ard, starts, max_iterations;
    double noise_floor;
} gpor_params;

enum { LAPLACE, EP };
static const double LOG_KAPPA_MOST = 25, LOG_STEP_MOST = 25, TOLERANCE = 1e-10;
static const uint64_t STREAM = 0x690a;

typedef struct {
    const gpor_params *params;
    const problem *p;
    kernel k;
    double *precisions; /* of k, when they are learned */
    int64_t n_kappa;    /* 0: the kernel is fixed, 1: one for all columns, d: one each */
    int n_theta;
    double *columns; /* n x d: the columns around their means */
    la_mat *gram;
    double *b, sigma;
    gp_posterior post;
} gpor;

/* ---- theta ---- */

static double clip(double x, double most) { return fmin(fmax(x, -most), most); }

static void unpack(gpor *g, const double *theta)
{
    const double *rest = theta + g->n_kappa;
    int J = g->p->K - 1;
    if (g->n_kappa == 1) g->k.gamma = 0.5 * exp(clip(theta[0], LOG_KAPPA_MOST));
    for (int64_t j = 0; j < g->n_kappa && g->precisions; j++)
        g->precisions[j] = 0.5 * exp(clip(theta[j], LOG_KAPPA_MOST));
    g->b[0] = rest[0];
    for (int j = 1; j < J; j++) g->b[j] = g->b[j - 1] + exp(clip(rest[j], LOG_STEP_MOST));
    g->sigma = hypot(g->params->noise_floor, exp(clip(rest[J], LOG_STEP_MOST)));
}

/* kappa = 1/d, the thresholds of the class frequencies for a latent value of variance 1 + sigma^2, sigma = 1. */
static void start_point(const gpor *g, double *theta)
{
    int J = g->p->K - 1;
    double floor = g->params->noise_floor, before = 0, *rest = theta + g->n_kappa;
    for (int64_t j = 0; j < g->n_kappa; j++) theta[j] = -log((double)(g->p->varying > 0 ? g->p->varying : 1));
    for (int q = 1; q <= J; q++) {
        int64_t below = 0;
        for (int64_t i = 0; i < g->p->n; i++) below += g->p->y[i] <= q;
        double b = sqrt(2) * normal_quantile((double)below / (double)g->p->n);
        rest[q - 1] = q == 1 ? b : log(fmax(b - before, 1e-3));
        before = b;
    }
    rest[J] = 0.5 * log(fmax(1 - floor * floor, 0.01));
}

/* ---- the evidence ---- */

static rung_status infer(rung_ctx *ctx, gpor *g, int inference, bool gradient)
{
    const problem *p = g->p;
    gp_problem gp = {.n = p->n, .K = p->K, .y = p->y, .gram = g->gram, .b = g->b, .sigma = g->sigma};
    return inference == EP ? gp_ep(ctx, &gp, gradient, &g->post) : gp_laplace(ctx, &gp, gradient, &g->post);
}

/* With G = pull o K and its row sums r: sum_ij pull_ij dK_ij / dlog kappa_d = -kappa_d (sum_i r_i x_id^2 - x_d'G x_d).
 */
static rung_status kernel_gradient(rung_ctx *ctx, gpor *g, double *gradient)
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
        double sum = 0, kappa = 2 * (g->precisions ? g->precisions[j] : g->k.gamma);
        for (int64_t i = 0; i < n; i++) sum += x[i] * (sums[i] * x[i] - Gxj[i]);
        gradient[g->precisions ? j : 0] -= kappa * sum;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status negative_evidence(rung_ctx *ctx, void *user, int n_theta, const double *theta, double *value,
                                     double *gradient)
{
    gpor *g = user;
    const problem *p = g->p;
    int J = p->K - 1;
    double *rest = gradient + g->n_kappa, above = 0, floor = g->params->noise_floor;
    TRY(interrupted(ctx));
    unpack(g, theta);
    if (g->n_kappa > 0) TRY(kernel_gram(ctx, &g->k, p->d, p->n, p->X, g->gram));
    rung_status status = infer(ctx, g, g->params->inference, true);
    if (status == RUNG_ENOCONV || status == RUNG_ESINGULAR) { /* a step too far: the search comes back */
        *value = INFINITY;
        return RUNG_OK;
    }
    TRY(status);
    if (g->n_kappa > 0) TRY(kernel_gradient(ctx, g, gradient));
    for (int j = J - 1; j > 0; j--) {
        above += g->post.thresholds[j];
        rest[j] = (g->b[j] - g->b[j - 1]) * above;
    }
    rest[0] = above + g->post.thresholds[0];
    rest[J] = g->post.log_sigma * (1 - floor * floor / (g->sigma * g->sigma));
    for (int j = 0; j < n_theta; j++) gradient[j] = -gradient[j];
    *value = -g->post.log_evidence;
    return RUNG_OK;
}

/* ---- fit ---- */

static rung_status gpor_new(rung_ctx *ctx, pool *mem, const problem *p, const gpor_params *params, gpor *g)
{
    bool given = !isnan(params->kernel.gamma) || !isnan(params->kernel.width);
    double *origin = NULL;
    *g = (gpor){.params = params, .p = p};
    TRY(kernel_from_params(ctx, mem, &params->kernel, &g->k));
    g->k = problem_kernel(p, &g->k);
    if (g->k.kind == KERNEL_PRECOMPUTED)
        return fail(ctx, RUNG_EARG, "gpor needs k(x, x) of new rows, which kernel=precomputed does not give");
    if (params->ard && (g->k.kind != KERNEL_RBF || given))
        return fail(ctx, RUNG_EARG,
                    "ard=yes learns the precisions of an rbf kernel: leave out kernel, gamma and width");
    if (g->k.kind == KERNEL_RBF && !given) g->n_kappa = params->ard ? p->d : 1;
    g->n_theta = (int)g->n_kappa + p->K;
    if (params->ard) {
        TRY(NEW(ctx, mem, g->precisions, p->d));
        g->k = (kernel){.kind = KERNEL_ARD, .gamma = 1, .n_precisions = p->d, .precisions = g->precisions};
    }
    TRY(NEW(ctx, mem, g->b, p->K - 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, g->columns, p->d * p->n));
    TRY(kernel_origin(ctx, p->d, p->n, p->X, &origin));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) g->columns[i + j * p->n] = p->X[j + i * p->d] - origin[j];
    TRY(la_new(ctx, &ctx->scratch, p->n, p->n, &g->gram));
    return gp_posterior_new(ctx, &ctx->scratch, p->n, p->K, &g->post);
}

/* Rounding in the evidence leaves its maximum uncertain by about 1e-7: with fewer digits of theta the answer is the
 * same for every order of the rows and every machine, and no worse. Noise within 1/1000 of the floor is the floor. */
static void settle_digits(const gpor *g, double *theta)
{
    double *noise = &theta[g->n_theta - 1], floor = g->params->noise_floor;
    for (int j = 0; j < g->n_theta; j++) theta[j] = round(theta[j] * 1e4) / 1e4;
    if (hypot(floor, exp(*noise)) < 1.001 * floor) *noise = -LOG_STEP_MOST;
}

/* The best of `starts` searches; the first from the usual point, the others from around it. */
static rung_status learn(rung_ctx *ctx, gpor *g, double *theta, int *iterations)
{
    const minimise_options options = {.most = g->params->max_iterations, .tolerance = TOLERANCE};
    double best = INFINITY, value, *trial = NULL;
    rng random;
    rng_open(&random, ctx->seed, STREAM);
    TRY(NEW(ctx, &ctx->scratch, trial, g->n_theta));
    for (int s = 0; s < g->params->starts; s++) {
        int used;
        start_point(g, trial);
        for (int64_t j = 0; j < g->n_kappa && s > 0; j++) trial[j] += 1.5 * rng_normal(&random);
        if (s > 0) trial[g->n_theta - 1] += rng_normal(&random);
        memset(g->post.alpha, 0, (size_t)g->p->n * sizeof *g->post.alpha);
        memset(g->post.precision, 0, (size_t)g->p->n * sizeof *g->post.precision);
        memset(g->post.natural, 0, (size_t)g->p->n * sizeof *g->post.natural);
        TRY(minimise(ctx, negative_evidence, g, &options, g->n_theta, trial, &value, &used));
        *iterations += used;
        if (!(value < best)) continue;
        best = value;
        memcpy(theta, trial, (size_t)g->n_theta * sizeof *theta);
    }
    settle_digits(g, theta);
    return RUNG_OK;
}

/* With hardly any noise the likelihood is flat inside a class: at the mode Laplace sees no curvature and takes the
 * prior for the posterior, which then spills over into the neighbouring classes. There the posterior of expectation
 * propagation is used for predictions; the evidence stays the one that was maximised. */
static rung_status mend(rung_ctx *ctx, gpor *g)
{
    double floor = g->params->noise_floor, evidence = g->post.log_evidence;
    if (g->params->inference == EP || g->sigma > 1.5 * floor) return RUNG_OK;
    log_at(ctx, RUNG_INFO, "gpor: the noise is at its floor; the predictions use expectation propagation");
    memset(g->post.precision, 0, (size_t)g->p->n * sizeof *g->post.precision);
    memset(g->post.natural, 0, (size_t)g->p->n * sizeof *g->post.natural);
    rung_status status = infer(ctx, g, EP, false);
    if (status == RUNG_ENOCONV) { /* then Laplace's after all */
        memset(g->post.alpha, 0, (size_t)g->p->n * sizeof *g->post.alpha);
        status = infer(ctx, g, LAPLACE, false);
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
        for (int64_t i = 0; i < j; i++) { /* F is lower triangular: what is above the diagonal is rounding at most */
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
    out->score = (scorer){.kind = SCORER_KERNEL, .outputs = 1, .k = g->k, .m = p->n, .d = p->d};
    TRY(NEW(ctx, mem, out->score.bias, 1));
    TRY(NEW(ctx, mem, out->score.coef, p->n));
    TRY(NEW_RAW(ctx, mem, out->score.rows, p->n * p->d));
    memcpy(out->score.coef, g->post.alpha, (size_t)p->n * sizeof *g->post.alpha);
    memcpy(out->score.rows, p->X, (size_t)(p->n * p->d) * sizeof *p->X);
    out->link = (probit_link){.b = g->b, .noise = g->sigma};
    TRY(covariance(ctx, mem, g, &out->link));
    out->probit = true;
    out->decide = (decision){.kind = DECISION_ARGMAX, .K = p->K};
    out->n_expansion = p->n;
    TRY(report_number(ctx, mem, out, "log_evidence", g->post.log_evidence));
    return report_number(ctx, mem, out, "noise", g->sigma);
}

static rung_status gpor_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                            held_out *held)
{
    (void)f, (void)held;
    gpor g;
    double *theta = NULL;
    int iterations = 0;
    TRY(gpor_new(ctx, mem, p, params, &g));
    TRY(NEW(ctx, &ctx->scratch, theta, g.n_theta));
    if (g.n_kappa == 0) TRY(kernel_gram(ctx, &g.k, p->d, p->n, p->X, g.gram));
    TRY(learn(ctx, &g, theta, &iterations));
    unpack(&g, theta);
    if (g.n_kappa > 0) TRY(kernel_gram(ctx, &g.k, p->d, p->n, p->X, g.gram));
    TRY(infer(ctx, &g, g.params->inference, false));
    TRY(mend(ctx, &g));
    TRY(gpor_finish(ctx, mem, &g, out));
    return report_number(ctx, mem, out, "iterations", iterations);
}

/* The gradient of the log evidence in thresholds and noise, from nothing but the data and these. */
static rung_status evidence_gradient(rung_ctx *ctx, const struct verification *v)
{
    const problem *p = v->p;
    const member *m = v->model->members;
    gp_problem g = {.n = p->n, .K = p->K, .y = p->y, .b = m->link.b, .sigma = m->link.noise};
    gp_posterior post;
    la_mat *gram = NULL;
    TRY(la_new(ctx, &ctx->scratch, p->n, p->n, &gram));
    TRY(kernel_gram(ctx, &m->score.k, p->d, p->n, p->X, gram));
    TRY(gp_posterior_new(ctx, &ctx->scratch, p->n, p->K, &post));
    g.gram = gram;
    TRY(gp_laplace(ctx, &g, true, &post));
    double floor = ((const gpor_params *)v->params)->noise_floor, above = 0; /* sigma^2 = floor^2 + exp(2 theta) */
    double worst = fabs(post.log_sigma) * (1 - floor * floor / (g.sigma * g.sigma));
    for (int q = p->K - 2; q >= 0; q--) { /* d / d log gap is the gap times the sum over all thresholds it moves */
        above += post.thresholds[q];
        worst = fmax(worst, fabs(q > 0 ? above * (g.b[q] - g.b[q - 1]) : above));
    }
    condition_add(v->found, "evidence gradient",
                  "in the first threshold, log steps to the others and log noise, per row", worst / (double)p->n, 1e-3);
    condition_add(v->found, "evidence", "as reported against that of the model, per row",
                  fabs(post.log_evidence - told_number(v->model, "log_evidence")) / (double)p->n, 1e-6);
    return RUNG_OK;
}

/* At Laplace's mode the coefficients are the slopes of the log likelihood, alpha_i = d log p_i / d f_i with f = K
 * alpha. Expectation propagation has no such mode. */
static rung_status gpor_verify(rung_ctx *ctx, const struct verification *v)
{
    const gpor_params *params = v->params;
    const member *m = v->model->members;
    double *off = NULL;
    if (params->inference == EP || m->link.noise <= 1.5 * params->noise_floor || m->score.m != v->p->n)
        return verify_by_refit(ctx, v, true);
    TRY(NEW(ctx, &ctx->scratch, off, v->p->n));
    for (int64_t i = 0; i < v->p->n; i++)
        off[i] = -ordprobit_at(v->f[i], v->p->y[i], v->p->K, m->link.b, m->link.noise).delta;
    condition_add(v->found, "posterior mode", "residual of alpha = d log p / d f, relative",
                  relative_residual(v->p->n, 2, (const double *const[]){m->score.coef, off}, 0), 1e-6);
    return evidence_gradient(ctx, v);
}

/* Gram matrix, factor and an inverse or the covariance factor; the data four times. */
static double gpor_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    double n = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    return 8 * (3 * n * n + 5 * n * d + n * (K + 40));
}

static const rung_param gpor_rows[] = {
    KERNEL_PARAMS_AS(gpor_params, "auto", "auto", NULL,
                     "rbf: k = exp(-gamma |x-z|^2); c/d is c over the number of columns that vary, auto: of largest "
                     "evidence (rbf) or 1/d"),
    {.name = "inference",
     .help = "how the posterior is approximated",
     .type = RUNG_CHOICE,
     .standard = "laplace",
     .published = "laplace",
     .choices = "laplace|ep",
     PARAM_PLACE(gpor_params, inference)},
    {.name = "ard",
     .help = "learn one precision per column",
     .type = RUNG_CHOICE,
     .standard = "no",
     .published = "no",
     .choices = "no|yes",
     PARAM_PLACE(gpor_params, ard)},
    {.name = "noise-floor",
     .help = "the noise is at least this, in units of the latent value's standard deviation",
     .type = RUNG_REAL,
     .standard = "0.02",
     .published = "0.02",
     .low = 0,
     .high = 1,
     .flags = RUNG_OPEN_LOW,
     PARAM_PLACE(gpor_params, noise_floor)},
    {.name = "starts",
     .help = "searches from different points; the one of largest evidence counts",
     .type = RUNG_INT,
     .standard = "1",
     .published = "1",
     .low = 1,
     .high = 1000,
     PARAM_PLACE(gpor_params, starts)},
    {.name = "max-iterations",
     .help = "steps of a search at most",
     .type = RUNG_INT,
     .standard = "200",
     .published = "200",
     .low = 1,
     .high = 1e9,
     PARAM_PLACE(gpor_params, max_iterations)},
    {0},
};

const method method_gpor = {
    .info = {.name = "gpor",
             .title = "Gaussian process ordinal regression",
             .reference = "Chu, Ghahramani. Gaussian processes for ordinal regression. Journal of Machine Learning "
                          "Research 6:1019-1041, 2005",
             .cost = "time about 100 l^3, memory 3 l^2 for l labelled rows; takes no landmarks: isbor is for many rows",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_PROBABILITIES | RUNG_EVIDENCE,
             .params = gpor_rows},
    .params_size = sizeof(gpor_params),
    .bytes = gpor_bytes,
    .fit = gpor_fit,
    .verify = gpor_verify,
};
