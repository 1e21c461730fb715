// SPDX-License-Identifier: BSD-3-Clause
/* check.c - whether a mixed model is the maximum of its likelihood, recomputed from the data and the model alone. The
 * gradient is that of the approximated likelihood; the modes are checked where their own conditions are simple sums
 * over the rows, with the groups as the model stores them. */
#include "fit/verify.h"
#include "method/mixed/mixed.h"

/* ---- the modes: u = Sigma sum_i weight_i score_i (1, x_i) over the rows of the group ---- */

static double score_of_row(const mixed_design *m, const random_effects *r, int64_t i, double f)
{
    int low = m->y[i], high = highest_rank(m->y, m->upper, i);
    double u = high < m->K ? r->b[high - 1] - f : INFINITY, v = low > 1 ? r->b[low - 2] - f : -INFINITY;
    double mass = link_between(m->link, u, v);
    double up = high < m->K ? link_density(m->link, u) / mass : 0, down = low > 1 ? link_density(m->link, v) / mass : 0;
    return row_weight(m, i) * (down - up);
}

/* Only where every row is of a known group: the modes of others are not stored. */
static bool all_known(const mixed_design *m)
{
    for (int t = 0; t < m->n_terms; t++)
        if (m->term[t].n_named < m->term[t].n_groups) return false;
    return true;
}

static rung_status check_modes(rung_ctx *ctx, const struct verification *v, const mixed_design *m)
{
    const problem *p = v->p;
    const random_effects *r = v->model->members->score.random;
    double worst = 0;
    for (int t = 0; t < r->n; t++) {
        const random_effect *e = &r->term[t];
        double *sum = NULL;
        int q = e->q;
        TRY(NEW(ctx, &ctx->scratch, sum, q * e->n_groups));
        for (int64_t i = 0; i < p->n; i++) {
            const double *x = p->X + i * p->d;
            int64_t g = effect_group(e, x);
            double score = score_of_row(m, r, i, v->f[i]);
            for (int k = 0; g >= 0 && k < q; k++) sum[g * q + k] += score * (k ? x[e->slope[k - 1]] : 1);
        }
        for (int64_t g = 0; g < e->n_groups; g++)
            for (int k = 0; k < q; k++) {
                double mode = e->mode[g * q + k];
                for (int l = 0; l < q; l++) mode -= e->covariance[k + l * q] * sum[g * q + l];
                worst = fmax(worst, fabs(mode) / (1 + sqrt(e->covariance[k + k * q])));
            }
    }
    condition_add(v->found, "modes", "largest difference of an effect from the one that its group's rows ask for",
                  worst, limit_of_rows(1e-5, p->n));
    return RUNG_OK;
}

rung_status mixed_verify(rung_ctx *ctx, const struct verification *v)
{
    mixed_design m;
    mixed_likelihood *s;
    double *theta = NULL, *gradient = NULL, value, worst = 0;
    TRY(mixed_design_new(ctx, v->p, v->params, &m));
    TRY(NEW(ctx, &ctx->scratch, theta, m.size));
    TRY(NEW(ctx, &ctx->scratch, gradient, m.size));
    mixed_theta(&m, v->model, theta);
    TRY(mixed_likelihood_new(ctx, &m, &s));
    TRY(mixed_likelihood_at(ctx, s, theta, &value, gradient));
    for (int k = 0; k < m.size; k++) worst = fmax(worst, fabs(gradient[k]));
    condition_add(v->found, "gradient", "largest entry of the gradient of the likelihood, by its size",
                  worst / fmax(1, fabs(value)), 1e-6);
    condition_add(v->found, "likelihood", "reported value against that of the model, relative",
                  fabs(told_number(v->model, "log_likelihood") + value) / (1 + fabs(value)), 1e-8);
    return all_known(&m) ? check_modes(ctx, v, &m) : RUNG_OK;
}
