// SPDX-License-Identifier: BSD-3-Clause
/* gpor_ep.c - expectation propagation: each likelihood is replaced by a normal site of precision tau_i and natural mean
 * nu_i whose product with the rest of the posterior (the cavity) has the right mean and variance.
 *
 * With the cavity N(m, c) the tilted mass is p(y | m) with the noise sigma^2 + c, and with delta and H of its logarithm
 *     tau = H / (1 - c H),   nu = (delta + m H) / (1 - c H).
 * All sites are updated from one posterior at a time (a Cholesky factor each), which has the same fixed point as one
 * after the other; steps are shortened while they do not converge. At the fixed point the evidence does not depend on
 * the sites, so its gradient is the explicit one. */
#include <math.h>
#include <string.h>

#include "method/bayes/gpor_gp.h"
#include "solve/ordinal_probit.h"

enum { MOST_SWEEPS = 500 };

typedef struct {
    double *mean, *variance, *root; /* of the posterior; sqrt of the site precisions */
    double *cavity_mean, *cavity_variance;
    ordinal_probit *at; /* of the tilted masses */
    double log_root_det;
    la_mat *V;
} sweep;

static rung_status sweep_new(rung_ctx *ctx, int64_t n, sweep *s)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, s->mean, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->variance, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->root, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->cavity_mean, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->cavity_variance, n));
    TRY(NEW(ctx, &ctx->scratch, s->at, n));
    return la_new(ctx, &ctx->scratch, n, n, &s->V);
}

/* mean = Sigma nu and the diagonal of Sigma = K - V'V, V = L^-1 P^1/2 K; then the cavities. */
static rung_status posterior(rung_ctx *ctx, const gpor_gp_problem *p, sweep *s, gpor_gp_posterior *out)
{
    int64_t n = p->n;
    double *prior = s->cavity_variance; /* until the cavities are known */
    for (int64_t i = 0; i < n; i++) s->root[i] = sqrt(out->precision[i]);
    TRY(gpor_gp_factorise(ctx, p, s->root, out->factor, &s->log_root_det));
    TRY(la_gather(ctx, p->gram, NULL, NULL, s->V));
    TRY(la_scale(ctx, s->root, NULL, s->V));
    TRY(la_trsm(ctx, out->factor, false, s->V));
    TRY(la_column_dots(ctx, s->V, s->V, s->variance));
    la_diagonal(p->gram, prior);
    for (int64_t i = 0; i < n; i++) s->variance[i] = prior[i] - s->variance[i];
    TRY(la_mul(ctx, 1, p->gram, 1, out->natural, 0, out->alpha)); /* alpha = nu - R K nu, mean = K alpha */
    TRY(gpor_gp_shrink(ctx, p, s->root, out->factor, out->alpha));
    for (int64_t i = 0; i < n; i++) out->alpha[i] = out->natural[i] - out->alpha[i];
    TRY(la_mul(ctx, 1, p->gram, 1, out->alpha, 0, s->mean));
    for (int64_t i = 0; i < n; i++) {
        double precision = 1 / s->variance[i] - out->precision[i];
        if (!(precision > 0))
            return set_error(ctx, RUNG_ENOCONV,
                             "expectation propagation failed: the cavity variance of row %lld is not positive",
                             (long long)i + 1);
        s->cavity_variance[i] = 1 / precision;
        s->cavity_mean[i] = (s->mean[i] / s->variance[i] - out->natural[i]) / precision;
        s->at[i] = ordinal_probit_at(s->cavity_mean[i], p->y[i], highest_rank(p->y, p->upper, i), p->K, p->b,
                                     hypot(p->sigma, sqrt(s->cavity_variance[i])));
    }
    return RUNG_OK;
}

/* Moves the sites by the share `length` towards the tilted moments; returns the largest change. */
static double update_sites(const gpor_gp_problem *p, const sweep *s, double length, gpor_gp_posterior *out)
{
    double moved = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double c = s->cavity_variance[i], H = s->at[i].H, left = 1 - c * H;
        double tau = H / left, nu = (s->at[i].delta + s->cavity_mean[i] * H) / left;
        moved =
            fmax(moved, fmax(fabs(tau - out->precision[i]) / (1 + tau), fabs(nu - out->natural[i]) / (1 + fabs(nu))));
        out->precision[i] += length * (tau - out->precision[i]);
        out->natural[i] += length * (nu - out->natural[i]);
    }
    return moved;
}

static double log_evidence(const gpor_gp_problem *p, const sweep *s, const gpor_gp_posterior *out)
{
    double sum = -s->log_root_det;
    for (int64_t i = 0; i < p->n; i++) {
        double c = 1 / s->cavity_variance[i], m = s->cavity_mean[i], tau = out->precision[i], nu = out->natural[i];
        sum += s->at[i].lp + 0.5 * log1p(tau / c) + 0.5 * (nu * s->mean[i] - nu * nu / (tau + c)) +
               0.5 * m * c / (tau + c) * (tau * m - 2 * nu);
    }
    return sum;
}

static rung_status gradient_of(rung_ctx *ctx, const gpor_gp_problem *p, const sweep *s, gpor_gp_posterior *out)
{
    double *left = NULL;
    memset(out->thresholds, 0, (size_t)(p->K - 1) * sizeof *out->thresholds);
    out->log_sigma = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const ordinal_probit *o = &s->at[i];
        double total = p->sigma * p->sigma + s->cavity_variance[i], spread = sqrt(total);
        int high = highest_rank(p->y, p->upper, i);
        if (high < p->K) out->thresholds[high - 1] += o->e1 / spread;
        if (p->y[i] > 1) out->thresholds[p->y[i] - 2] -= o->e2 / spread;
        out->log_sigma -= (o->z1 * o->e1 - o->z2 * o->e2) * p->sigma * p->sigma / total;
    }
    TRY(NEW_RAW(ctx, &ctx->scratch, left, p->n));
    for (int64_t i = 0; i < p->n; i++) left[i] = 0.5 * out->alpha[i];
    TRY(la_potri(ctx, out->factor));
    return gpor_gp_pull(ctx, p, s->root, 1, left, out->alpha, out->pull);
}

rung_status gpor_gp_ep(rung_ctx *ctx, const gpor_gp_problem *p, bool gradient, gpor_gp_posterior *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    sweep s = {0};
    double moved = INFINITY, length = 1;
    TRY(sweep_new(ctx, p->n, &s));
    TRY(posterior(ctx, p, &s, out));
    for (out->iterations = 0; moved > 1e-10; out->iterations++) {
        if (out->iterations == MOST_SWEEPS)
            return set_error(ctx, RUNG_ENOCONV,
                             "expectation propagation did not converge in %d sweeps (last change %.2g)", MOST_SWEEPS,
                             moved);
        TRY(interrupted(ctx));
        double before = moved;
        moved = update_sites(p, &s, length, out);
        bool settles = moved <= before;
        length = settles ? fmin(1.1 * length, 1) : fmax(0.7 * length, 0.05);
        TRY(posterior(ctx, p, &s, out));
        if (!settles && moved < 1e-7) break; /* the rest is rounding of the cavities */
    }
    out->log_evidence = log_evidence(p, &s, out);
    if (gradient) TRY(gradient_of(ctx, p, &s, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
