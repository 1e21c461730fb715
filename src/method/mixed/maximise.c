// SPDX-License-Identifier: BSD-3-Clause
/* maximise.c - the maximum of the likelihood in all parameters together, by a quasi-Newton method with analytic
 * gradients. It is scaled by the information that the rows would have if there were no random effects. */
#include <string.h>

#include "method/mixed/mixed.h"

struct mixed_likelihood {
    const mixed_design *m;
    mixed_quadrature *quadrature; /* for a single random intercept ... */
    mixed_joint *joint;           /* ... else; neither: no random term */
    double *f;                    /* n */
    mixed_slopes slopes;
    la_mat *scale;  /* information in w and b at the start, as a factor */
    double *groups; /* parameters of the random terms: the same for these */
};

/* ---- value and gradient ---- */

static void without_effects(const mixed_design *m, const double *f, const double *b, mixed_slopes *out)
{
    out->value = 0;
    for (int64_t i = 0; i < m->n; i++) {
        link_site s = link_site_of(m->link, f[i], m->y[i], highest_rank(m->y, m->upper, i), m->K, b);
        double w = row_weight(m, i);
        out->value += w * s.lp;
        out->f[i] = -w * (s.g1 + s.g2);
        out->high[i] = w * s.g1;
        out->low[i] = w * s.g2;
    }
}

rung_status mixed_likelihood_at(rung_ctx *ctx, mixed_likelihood *s, const double *theta, double *value,
                                double *gradient)
{
    const mixed_design *m = s->m;
    const double *b = theta + m->p, *lambda = theta + mixed_first_variance(m);
    *value = INFINITY;
    for (int q = 1; q < m->K - 1; q++)
        if (!(b[q] > b[q - 1])) return RUNG_OK;
    TRY(interrupted(ctx));
    for (int64_t i = 0; i < m->n; i++) {
        s->f[i] = 0;
        for (int64_t k = 0; k < m->p; k++) s->f[i] += theta[k] * m->X[k + i * m->p];
    }
    if (s->quadrature)
        TRY(mixed_quadrature_at(ctx, s->quadrature, s->f, b, lambda, &s->slopes));
    else if (s->joint)
        TRY(mixed_joint_at(ctx, s->joint, s->f, b, lambda, &s->slopes));
    else
        without_effects(m, s->f, b, &s->slopes);
    *value = -s->slopes.value;
    if (!isfinite(*value)) return RUNG_OK;
    memset(gradient, 0, (size_t)m->size * sizeof *gradient);
    for (int64_t i = 0; i < m->n; i++) {
        int low = m->y[i], high = highest_rank(m->y, m->upper, i);
        for (int64_t k = 0; k < m->p; k++) gradient[k] -= s->slopes.f[i] * m->X[k + i * m->p];
        if (high < m->K) gradient[m->p + high - 1] -= s->slopes.high[i];
        if (low > 1) gradient[m->p + low - 2] -= s->slopes.low[i];
    }
    for (int k = mixed_first_variance(m); k < m->size; k++)
        gradient[k] = -s->slopes.lambda[k - mixed_first_variance(m)];
    return RUNG_OK;
}

void mixed_modes(const mixed_likelihood *s, int term, double *v, double *covariance)
{
    if (s->quadrature)
        mixed_quadrature_modes(s->quadrature, v, covariance);
    else
        mixed_joint_modes(s->joint, term, v, covariance);
}

/* ---- the start ---- */

/* No effects of columns, thresholds at the frequencies of the classes, effects of groups with variance 1. */
void mixed_start(const mixed_design *m, double *theta)
{
    double *b = theta + m->p, total = 0;
    memset(theta, 0, (size_t)m->size * sizeof *theta);
    for (int64_t i = 0; i < m->n; i++) { /* of an interval, its lowest and its highest class half each */
        double w = row_weight(m, i) / 2;
        int low = m->y[i], high = highest_rank(m->y, m->upper, i);
        total += 2 * w;
        for (int q = low; q < m->K; q++) b[q - 1] += w;
        for (int q = high; q < m->K; q++) b[q - 1] += w;
    }
    for (int q = 0; q < m->K - 1; q++) b[q] = link_quantile(m->link, b[q] / total);
    for (int t = 0; t < m->n_terms; t++)
        for (int c = 0; c < m->term[t].q; c++) theta[m->term[t].at + triangle(m->term[t].q, c, c)] = 1;
}

/* The information in w and b, lower triangle: sum_i weight_i e_i e_i' of the derivatives e of log p, which is positive
 * definite whatever the link. */
static void information(const mixed_design *m, const double *b, double *out)
{
    int64_t p = m->p, size = p + m->K - 1;
    for (int64_t i = 0; i < m->n; i++) {
        int low = m->y[i], high = highest_rank(m->y, m->upper, i);
        link_site s = link_site_of(m->link, 0, low, high, m->K, b);
        double w = row_weight(m, i), g = s.g1 + s.g2;
        const double *x = m->X + i * p;
        for (int64_t c = 0; c < p; c++) {
            for (int64_t r = c; r < p; r++) out[r + c * size] += w * g * g * x[r] * x[c];
            if (high < m->K) out[p + high - 1 + c * size] -= w * g * s.g1 * x[c];
            if (low > 1) out[p + low - 2 + c * size] -= w * g * s.g2 * x[c];
        }
        if (high < m->K) out[(p + high - 1) * (size + 1)] += w * s.g1 * s.g1;
        if (low > 1) out[(p + low - 2) * (size + 1)] += w * s.g2 * s.g2;
        if (high < m->K && low > 1) out[p + high - 1 + (p + low - 2) * size] += w * s.g1 * s.g2;
    }
    for (int64_t k = 0; k < size; k++) out[k * (size + 1)] *= 1 + 1e-8;
}

static rung_status scale_by(rung_ctx *ctx, void *user, int n, double *v)
{
    const mixed_likelihood *s = user;
    TRY(la_potrs(ctx, s->scale, 1, v));
    for (int k = mixed_first_variance(s->m); k < n; k++) v[k] /= s->groups[k];
    return RUNG_OK;
}

rung_status mixed_likelihood_new(rung_ctx *ctx, const mixed_design *m, mixed_likelihood **out)
{
    mixed_likelihood *s = NULL;
    double *start = NULL, *H = NULL;
    int64_t size = m->p + m->K - 1;
    TRY(NEW(ctx, &ctx->scratch, s, 1));
    s->m = m;
    TRY(NEW(ctx, &ctx->scratch, s->f, m->n));
    TRY(NEW(ctx, &ctx->scratch, s->slopes.f, m->n));
    TRY(NEW(ctx, &ctx->scratch, s->slopes.high, m->n));
    TRY(NEW(ctx, &ctx->scratch, s->slopes.low, m->n));
    TRY(NEW(ctx, &ctx->scratch, s->slopes.lambda, m->size - mixed_first_variance(m)));
    TRY(NEW(ctx, &ctx->scratch, s->groups, m->size));
    for (int t = 0; t < m->n_terms; t++)
        for (int k = m->term[t].at; k < m->term[t].at + m->term[t].q * (m->term[t].q + 1) / 2; k++)
            s->groups[k] = (double)m->term[t].n_groups / 2;
    if (m->n_terms == 1 && m->term[0].q == 1)
        TRY(mixed_quadrature_new(ctx, m, &s->quadrature));
    else if (m->n_terms > 0)
        TRY(mixed_joint_new(ctx, m, &s->joint));
    TRY(NEW(ctx, &ctx->scratch, start, m->size));
    TRY(NEW(ctx, &ctx->scratch, H, size * size));
    TRY(la_new(ctx, &ctx->scratch, size, size, &s->scale));
    mixed_start(m, start);
    information(m, start + m->p, H);
    la_put(H, s->scale);
    TRY(la_potrf(ctx, s->scale));
    *out = s;
    return RUNG_OK;
}

static rung_status evaluate(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient)
{
    (void)n;
    return mixed_likelihood_at(ctx, user, x, value, gradient);
}

/* The sign of a column of Lambda is nothing. */
static void fix_signs(const mixed_design *m, double *theta)
{
    for (int t = 0; t < m->n_terms; t++)
        for (int c = 0, q = m->term[t].q; c < q; c++) {
            double *own = theta + m->term[t].at + triangle(q, c, c);
            for (int r = q - c - 1; r >= 0 && own[0] < 0; r--) own[r] = -own[r];
        }
}

rung_status mixed_maximise(rung_ctx *ctx, mixed_likelihood *s, double *theta, double *log_likelihood)
{
    const minimise_options options = {.most = 1000, .tolerance = 1e-9, .enough = 1e-5, .scale = scale_by};
    minimise_result found;
    double value, *gradient = NULL;
    TRY(minimise(ctx, evaluate, s, &options, s->m->size, theta, &found));
    if (!isfinite(found.value) || found.end == MINIMISE_CUT)
        return set_error(ctx, RUNG_ENOCONV,
                         "mixed: the likelihood has no maximum that can be found (after %d steps its slope is %g); the "
                         "classes may be separated, or there may be too few rows for so many effects",
                         found.iterations, found.slope);
    fix_signs(s->m, theta);
    TRY(NEW(ctx, &ctx->scratch, gradient, s->m->size));
    TRY(mixed_likelihood_at(ctx, s, theta, &value, gradient)); /* the modes there */
    *log_likelihood = -value;
    return RUNG_OK;
}
