// SPDX-License-Identifier: BSD-3-Clause
/* The log evidence of gpor as a function of what is learned,
 *     theta = (kernel.., c_1, log(c_2 - c_1), .., log(c_{K-1} - c_{K-2}), s),   sigma^2 = floor^2 + exp(2 s),
 * with the thresholds in units of the spread of a noisy latent value, b = c sqrt(1 + sigma^2): where there is nothing
 * to learn sigma goes to infinity and c stays. The kernel is log kappa, one for all columns, or (ard=yes) the roots of
 * kappa_d: the evidence goes to a limit as kappa_d goes to 0, where uninformative columns end. In the logarithm that
 * limit is infinitely far away; in the root it is an ordinary maximum. In rung's notation gamma = kappa / 2. */
#ifndef RUNG_METHOD_BAYES_GPOR_EVIDENCE_H
#define RUNG_METHOD_BAYES_GPOR_EVIDENCE_H

#include "fit/method.h"
#include "method/bayes/gpor_gp.h"

typedef struct {
    kernel_params kernel;
    int inference, ard, starts, max_iterations, calibrate;
    double noise_floor;
} gpor_params;

enum { GPOR_LAPLACE, GPOR_EP };

typedef struct {
    const gpor_params *params;
    const problem *p;
    kernel k;
    double *precisions; /* of k, when they are learned */
    int64_t n_kappa;    /* 0: the kernel is fixed, 1: one for all columns, d: one each */
    int n_theta;
    double *columns; /* n x d: the columns around their means */
    la_mat *gram;    /* of k as it is */
    double *b, sigma;
    gpor_gp_posterior post;
    la_mat *metric; /* K - 1: the factor of the curvature in the thresholds' theta, where the evidence was last asked */
    double *weight; /* n_theta: curvatures of the other theta */
} gpor;

rung_status gpor_new(rung_ctx *ctx, pool *mem, const problem *p, const gpor_params *params, gpor *g);

/* kappa = 1/d, the thresholds of the class frequencies, sigma = 1. */
rung_status gpor_start(rung_ctx *ctx, const gpor *g, double *theta);
/* The theta of a kernel, thresholds and noise. */
void gpor_pack(const gpor *g, const kernel *k, const double *b, double sigma, double *theta);
/* Sets theta; the next inference starts afresh. */
void gpor_forget(gpor *g);
rung_status gpor_set(rung_ctx *ctx, gpor *g, const double *theta);
rung_status gpor_infer(rung_ctx *ctx, gpor *g, int inference, bool gradient);
/* For minimise; user: a gpor. */
rung_status gpor_negative_evidence(rung_ctx *ctx, void *user, int n_theta, const double *theta, double *value,
                                   double *gradient);

/* For minimise: theta as it should be scaled (inference=laplace). */
rung_status gpor_scale(rung_ctx *ctx, void *user, int n_theta, double *v);

#endif
