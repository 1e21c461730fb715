// SPDX-License-Identifier: BSD-3-Clause
/* mixed.c - the cumulative link mixed model.
 *
 *     P(y_i <= q | u) = L(b_q - w'x_i - sum_t (1, s_ti)'u_t,g(t,i)),   u_tg ~ N(0, Sigma_t)
 *
 * for terms t, each with the group g(t,i) of a row and the columns s_t whose coefficients differ between groups. Fitted
 * by maximum likelihood, the effects u integrated out: by adaptive Gauss-Hermite quadrature for one random intercept,
 * else by Laplace's approximation, as R's ordinal::clmm does. A row of a known group is predicted with the mode of its
 * effects; one of a new group by the mean over what its effects may be.
 *
 * Tutz, Hennevogl. Random effects in ordinal regression models. Computational Statistics & Data Analysis 22:537-557,
 * 1996; Christensen. ordinal: regression models for ordinal data, R package. */
#include <string.h>

#include "method/mixed/mixed.h"

/* ---- from the inner coordinates to those of the scaled rows ---- */

/* (1, z)'u = (1, x)'T u for z = (x - mean) / sd */
static void to_rows(const mixed_design *m, const mixed_term *t, double *T)
{
    int q = t->q;
    memset(T, 0, (size_t)(q * q) * sizeof *T);
    T[0] = 1;
    for (int r = 1; r < q; r++) {
        int64_t j = t->slope[r - 1];
        T[r + r * q] = 1 / m->sd[j];
        T[r * q] = -m->mean[j] / m->sd[j];
    }
}

void mixed_loadings(const mixed_design *m, const mixed_term *t, const double *lambda, double *B)
{
    int q = t->q;
    double T[EFFECT_MATRIX];
    to_rows(m, t, T);
    for (int i = 0; i < q; i++)
        for (int j = 0; j < q; j++) {
            B[i + j * q] = 0;
            for (int k = j; k < q; k++) B[i + j * q] += T[i + k * q] * lambda[triangle(q, k, j)];
        }
}

static rung_status take_term(rung_ctx *ctx, pool *mem, const mixed_design *m, const mixed_likelihood *s, int number,
                             const double *theta, random_effect *out)
{
    const mixed_term *t = &m->term[number];
    int q = t->q, qq = q * q;
    double B[EFFECT_MATRIX], one[EFFECT_MATRIX] = {0}, *v = NULL, *spread = NULL;
    *out = (random_effect){.n_factors = t->n_factors, .q = q, .n_groups = t->n_named};
    TRY(NEW(ctx, mem, out->factor, t->n_factors));
    TRY(NEW(ctx, mem, out->slope, q - 1));
    TRY(NEW(ctx, mem, out->level, t->n_factors * t->n_named));
    TRY(NEW(ctx, mem, out->mode, q * t->n_named));
    TRY(NEW(ctx, mem, out->spread, qq * t->n_named));
    TRY(NEW(ctx, mem, out->covariance, qq));
    TRY(NEW(ctx, mem, out->error, effect_errors(q)));
    TRY(NEW(ctx, &ctx->scratch, v, q * t->n_groups));
    TRY(NEW(ctx, &ctx->scratch, spread, qq * t->n_groups));
    for (int64_t k = 0; k < effect_errors(q); k++) out->error[k] = NAN;
    for (int k = 0; k < EFFECT_TESTS; k++) out->test[k] = NAN;
    memcpy(out->factor, t->factor, (size_t)t->n_factors * sizeof *t->factor);
    if (q > 1) memcpy(out->slope, t->slope, (size_t)(q - 1) * sizeof *t->slope);
    memcpy(out->level, t->level, (size_t)(t->n_factors * t->n_named) * sizeof *t->level);
    mixed_modes(s, number, v, spread);
    mixed_loadings(m, t, theta + t->at, B);
    for (int c = 0; c < q; c++) one[c + c * q] = 1;
    effect_carry(q, B, one, out->covariance);
    for (int64_t g = 0; g < t->n_named; g++) {
        effect_carry(q, B, spread + g * qq, out->spread + g * qq);
        for (int r = 0; r < q; r++)
            for (int c = 0; c < q; c++) out->mode[g * q + r] += B[r + c * q] * v[g * q + c];
    }
    return RUNG_OK;
}

static rung_status take_fit(rung_ctx *ctx, pool *mem, const problem *p, const mixed_design *m,
                            const mixed_likelihood *s, const double *theta, fitted *out)
{
    double *w = NULL, shift = 0;
    random_effects *r = NULL;
    TRY(NEW(ctx, &ctx->scratch, w, p->d));
    for (int64_t k = 0; k < m->p; k++) {
        int64_t j = m->column[k];
        w[j] = theta[k] / m->sd[j];
        shift += w[j] * m->mean[j];
    }
    TRY(linear_scorer(ctx, mem, p, 1, w, NULL, &out->own.score));
    TRY(NEW(ctx, mem, r, 1));
    out->own.score.random = r;
    r->link = m->link;
    TRY(NEW(ctx, mem, r->b, m->K - 1));
    for (int q = 0; q < m->K - 1; q++) r->b[q] = theta[m->p + q] + shift;
    r->n = m->n_terms;
    TRY(NEW(ctx, mem, r->term, r->n));
    for (int t = 0; t < m->n_terms; t++) TRY(take_term(ctx, mem, m, s, t, theta, &r->term[t]));
    out->own.proba = PROBA_EFFECTS;
    out->own.decide = (decision){.kind = DECISION_MEDIAN, .K = m->K};
    out->n_expansion = p->d;
    return RUNG_OK;
}

static rung_status mixed_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    const problem *p = in->p;
    mixed_design m;
    mixed_likelihood *s;
    double *theta = NULL, log_likelihood;
    for (int64_t i = 0; i < p->d * p->n; i++)
        if (!(fabs(p->X[i]) < 1e100))
            return set_error(ctx, RUNG_EDATA,
                             "mixed: a column has values up to %.3g, which is too large; scale the columns",
                             fabs(p->X[i]));
    TRY(mixed_design_new(ctx, p, in->params, &m));
    TRY(mixed_likelihood_new(ctx, &m, &s));
    TRY(NEW(ctx, &ctx->scratch, theta, m.size));
    mixed_start(&m, theta);
    TRY(mixed_maximise(ctx, s, theta, &log_likelihood));
    TRY(take_fit(ctx, mem, p, &m, s, theta, out));
    return report_number(ctx, mem, out, "log_likelihood", log_likelihood);
}

static double mixed_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    double n = (double)shape->labelled, d = (double)shape->d;
    return 8 * (4 * n * d + 60 * n + 4 * d * d);
}

static double mixed_model_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    return 8 * 3 * (double)shape->labelled;
}

static const param_row mixed_rows[] = {
    PARAM(mixed_params, link, .name = "link", .help = "distribution of the latent value: logit: proportional odds",
          .type = RUNG_TYPE_CHOICE, .default_value = "logit", .published = "logit", .choices = LINK_CHOICES),
    PARAM(mixed_params, nodes, .name = "nodes",
          .help = "nodes of the quadrature over a single random intercept, around the mode of each group; 1: Laplace's "
                  "approximation, as for slopes and several terms; below 0: nodes at the same places for all groups",
          .type = RUNG_TYPE_INT, .default_value = "1", .published = "1", .low = -100, .high = 100),
    CALIBRATE_PARAM(mixed_params, "auto"),
    {0},
};

const method method_mixed = {
    .info = {.name = "mixed",
             .title = "Cumulative link mixed model: effects of groups",
             .reference = "Tutz, Hennevogl. Random effects in ordinal regression models. Computational Statistics & "
                          "Data Analysis 22:537-557, 1996",
             .cost = "time n (d + nodes) per step (about thirty), memory n d; with crossed groups also the cube of the "
                     "number of groups of all terms but the largest",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS |
                      RUNG_METHOD_PROBABILITIES | RUNG_METHOD_INTERVALS | RUNG_METHOD_NO_ROWS},
    .params = mixed_rows,
    .params_size = sizeof(mixed_params),
    .has_groups = true,
    .bytes = mixed_bytes,
    .model_bytes = mixed_model_bytes,
    .fit = mixed_fit,
    .infer = mixed_infer,
    .verify = mixed_verify,
};
