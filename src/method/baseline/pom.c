// SPDX-License-Identifier: BSD-3-Clause
/* pom.c - the proportional odds model, or with another link its counterpart: the linear baseline.
 *
 *     P(y <= q | x) = L(b_q - w'x),   minimise  - mean log p(y_i | x_i) + ridge/2 |w|^2   over w, b
 *
 * With more columns than rows the direction lies in the span of the (centred) rows, and the same problem is solved in
 * their principal coordinates: its size is min(d, n) + K - 1.
 *
 * McCullagh. Regression models for ordinal data. Journal of the Royal Statistical Society B 42(2):109-142, 1980. */
#include <string.h>

#include "fit/verify.h"
#include "kernel/feature.h"
#include "method/baseline/pom.h"

rung_status pom_centred_rows(rung_ctx *ctx, const problem *p, double **mean, double **X)
{
    double total = 0;
    TRY(NEW(ctx, &ctx->scratch, *mean, p->d));
    TRY(NEW_RAW(ctx, &ctx->scratch, *X, p->d * p->n));
    for (int64_t i = 0; i < p->n; i++) {
        double w = p->w ? p->w[i] : 1;
        total += w;
        for (int64_t j = 0; j < p->d; j++) (*mean)[j] += w * p->X[j + i * p->d];
    }
    for (int64_t j = 0; j < p->d; j++) (*mean)[j] /= total;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) (*X)[j + i * p->d] = p->X[j + i * p->d] - (*mean)[j];
    return RUNG_OK;
}

/* w = X V S^-1/2 v for the coordinates S^1/2 V' of the rows. */
static rung_status fit_in_span(rung_ctx *ctx, const problem *p, const double *X, cumulative_link *link, double *w,
                               double *b, double *value)
{
    kernel linear = {.kind = KERNEL_LINEAR};
    la_mat *G = NULL, *Z = NULL;
    eigenpairs e;
    double *v = NULL, *beta = NULL;
    TRY(la_new(ctx, &ctx->scratch, p->n, p->n, &G));
    TRY(kernel_gram(ctx, &linear, p->d, p->n, X, G));
    TRY(eigenpairs_new(ctx, &ctx->scratch, G, p->n, &e));
    TRY(kernel_features(ctx, &ctx->scratch, &e, p->n, &Z));
    TRY(NEW(ctx, &ctx->scratch, v, p->n));
    TRY(NEW(ctx, &ctx->scratch, beta, p->n));
    link->X = Z;
    TRY(cumulative_link_fit(ctx, link, v, b, value));
    for (int64_t r = 0; r < la_rows(Z); r++) v[r] /= sqrt(e.values[r]);
    TRY(la_mul(ctx, 1, e.V, 1, v, 0, beta));
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t j = 0; j < p->d; j++) w[j] += beta[i] * X[j + i * p->d];
    return RUNG_OK;
}

static rung_status fit_direction(rung_ctx *ctx, const problem *p, const pom_params *params, const pom_design *design,
                                 double *w, double *b, double *value)
{
    double *mean = NULL, *X = NULL, *offset = NULL, shift = 0;
    cumulative_link link = {.K = p->K,
                            .y = p->y,
                            .upper = p->upper,
                            .weight = p->w,
                            .link = (link_kind)params->link,
                            .ridge = params->ridge};
    TRY(pom_centred_rows(ctx, p, &mean, &X));
    TRY(pom_take_offset(ctx, design, p->d, p->n, X, &offset));
    link.offset = offset;
    if (p->d > p->n) {
        TRY(fit_in_span(ctx, p, X, &link, w, b, value));
    } else {
        la_mat *rows = NULL;
        TRY(la_new(ctx, &ctx->scratch, p->d, p->n, &rows));
        la_put(X, rows);
        link.X = rows;
        TRY(cumulative_link_fit(ctx, &link, w, b, value));
    }
    if (offset) w[design->offset] = design->coef;
    for (int64_t j = 0; j < p->d; j++) shift += w[j] * mean[j];
    for (int q = 0; q < p->K - 1; q++) b[q] += shift;
    return RUNG_OK;
}

/* ---- data larger than memory ---- */

typedef struct {
    const problem *p;
    const pom_params *params;
    pom_design design;
    const double *theta;
} pom_pass;

static rung_status add_block(rung_ctx *ctx, void *user, const problem_block *b, double *sum)
{
    const pom_pass *pass = user;
    int64_t d = pass->p->d;
    double *copy = NULL, *offset = NULL;
    la_mat *X = NULL;
    TRY(la_new(ctx, &ctx->scratch, d, b->n, &X));
    if (pass->design.offset >= 0) {
        TRY(NEW_RAW(ctx, &ctx->scratch, copy, d * b->n));
        memcpy(copy, b->X, (size_t)(d * b->n) * sizeof *copy);
        TRY(pom_take_offset(ctx, &pass->design, d, b->n, copy, &offset));
    }
    la_put(copy ? copy : b->X, X);
    cumulative_link block = {
        .X = X, .K = pass->p->K, .y = b->y, .weight = b->w, .offset = offset, .link = (link_kind)pass->params->link};
    return cumulative_link_add(ctx, &block, pass->theta, sum);
}

static rung_status run_pass(rung_ctx *ctx, void *user, const double *theta, int64_t size, double *sum)
{
    pom_pass *pass = user;
    pass->theta = theta;
    return problem_sum(ctx, pass->p, add_block, pass, size, sum);
}

/* From the fit to the sample a few Newton steps reach that to all rows. */
static rung_status fit_all(rung_ctx *ctx, const problem *p, const pom_params *params, const pom_design *design,
                           double *w, double *b, double *value)
{
    double *theta = NULL;
    pom_pass pass = {.p = p, .params = params, .design = *design};
    link_passes all = {.d = p->d,
                       .K = p->K,
                       .ridge = params->ridge,
                       .convex = link_is_concave((link_kind)params->link),
                       .pass = run_pass,
                       .user = &pass};
    TRY(NEW_RAW(ctx, &ctx->scratch, theta, p->d + p->K - 1));
    memcpy(theta, w, (size_t)p->d * sizeof *w);
    memcpy(theta + p->d, b, (size_t)(p->K - 1) * sizeof *b);
    int64_t fixed = design->offset;
    if (fixed >= 0) theta[fixed] = 0;
    TRY(cumulative_link_passes(ctx, &all, theta, value));
    memcpy(w, theta, (size_t)p->d * sizeof *w);
    memcpy(b, theta + p->d, (size_t)(p->K - 1) * sizeof *b);
    if (fixed >= 0) w[fixed] = design->coef;
    return RUNG_OK;
}

static rung_status pom_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const pom_params *params = in->params;
    pom_design design;
    double *w = NULL, *b = NULL, value;
    for (int64_t i = 0; i < p->d * p->n; i++)
        if (!(fabs(p->X[i]) < 1e100))
            return set_error(ctx, RUNG_EDATA,
                             "pom: a column has values up to %.3g, which is too large; scale the columns",
                             fabs(p->X[i]));
    TRY(pom_design_of(ctx, p, params, &design));
    if (design.general) return pom_fit_general(ctx, mem, p, params, &design, out);
    TRY(NEW(ctx, &ctx->scratch, w, p->d));
    TRY(NEW(ctx, mem, b, p->K - 1));
    TRY(fit_direction(ctx, p, params, &design, w, b, &value));
    if (p->all) TRY(fit_all(ctx, p, params, &design, w, b, &value));
    TRY(linear_scorer(ctx, mem, p, 1, w, NULL, &out->own.score));
    out->own.proba = PROBA_PROBIT;
    out->own.link = (probit_link){.b = b, .noise = 1, .kind = (link_kind)params->link};
    TRY(NEW(ctx, mem, out->own.link.factor, 0));
    out->own.decide = (decision){.kind = DECISION_THRESHOLDS, .K = p->K};
    TRY(NEW(ctx, mem, out->own.decide.thresholds, p->K - 1));
    memcpy(out->own.decide.thresholds, b, (size_t)(p->K - 1) * sizeof *b);
    out->n_expansion = p->d;
    return report_number(ctx, mem, out, "objective", value);
}

/* The gradient of the objective in w and b at the model, in units of a mean log likelihood. */
static rung_status pom_verify(rung_ctx *ctx, const struct verification *v)
{
    const pom_params *params = v->params;
    const problem *p = v->p;
    const member *m = v->model->members;
    double *g = NULL, *gb = NULL, total = 0, value = 0, worst = 0, size = 1;
    pom_design design;
    TRY(pom_design_of(ctx, p, params, &design));
    if (design.general) return pom_verify_general(ctx, v, &design);
    TRY(NEW(ctx, &ctx->scratch, g, p->d));
    TRY(NEW(ctx, &ctx->scratch, gb, p->K));
    for (int64_t i = 0; i < p->n; i++) total += p->w ? p->w[i] : 1;
    for (int64_t i = 0; i < p->n; i++) {
        double w = (p->w ? p->w[i] : 1) / total;
        int first = p->y[i], last = highest_rank(p->y, p->upper, i);
        double high = last < p->K ? m->link.b[last - 1] - v->f[i] : INFINITY,
               low = first > 1 ? m->link.b[first - 2] - v->f[i] : -INFINITY;
        double prob = link_between((link_kind)params->link, high, low);
        double up = last < p->K ? link_density((link_kind)params->link, high) / prob : 0;
        double down = first > 1 ? link_density((link_kind)params->link, low) / prob : 0;
        value -= w * log(prob);
        if (last < p->K) gb[last - 1] -= w * up;
        if (first > 1) gb[first - 2] += w * down;
        for (int64_t j = 0; j < p->d; j++) g[j] += w * (up - down) * p->X[j + i * p->d];
    }
    for (int64_t j = 0; j < p->d; j++) {
        double along = m->score.coef[j];
        if (j == design.offset) continue;
        value += params->ridge / 2 * along * along;
        size = fmax(size, fabs(params->ridge * along));
        worst = fmax(worst, fabs(g[j] + params->ridge * along));
    }
    for (int q = 0; q < p->K - 1; q++) worst = fmax(worst, fabs(gb[q]));
    condition_add(v->found, "gradient", "largest entry of the gradient of the penalised log likelihood", worst / size,
                  1e-6);
    condition_add(v->found, "objective", "reported value against that of the model, relative",
                  fabs(told_number(v->model, "objective") - value) / (1 + fabs(value)), 1e-9);
    return RUNG_OK;
}

static double pom_bytes(const problem_shape *shape, const void *params)
{
    (void)params;
    double n = (double)shape->labelled, d = (double)shape->d, m = fmin(n, d) + shape->K;
    double rows = d > n ? 4 * n * n : 4 * n * d; /* the second half for the standard errors and tests */
    return 8 * (rows + 2 * n * d + 4 * m * m + 4 * n);
}

static const param_row pom_rows[] = {
    PARAM(pom_params, link, .name = "link",
          .help = "logit: proportional odds; probit: a normal latent variable; cloglog: proportional hazards; loglog: "
                  "the same "
                  "from the other end; cauchit: a latent variable with long tails",
          .type = RUNG_TYPE_CHOICE, .default_value = "logit", .published = "logit", .choices = LINK_CHOICES),
    PARAM(pom_params, ridge, .name = "ridge",
          .help = "penalty of the direction: ridge/2 |w|^2, added to the negative mean log likelihood",
          .type = RUNG_TYPE_REAL, .default_value = "0.001", .published = "1e-8", .low = 0, .high = HUGE_VAL,
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP, .grid = "0.0001,0.001,0.01,0.1,1"),
    PARAM(pom_params, offset, .name = "offset", .help = "the column whose coefficient is 1, such as the log of a time",
          .type = RUNG_TYPE_TEXT, .flags = RUNG_PARAM_OPTIONAL),
    PARAM(pom_params, by_threshold, .name = "by-threshold",
          .help = "columns, separated by commas, with a coefficient of their own at every threshold (partial "
                  "proportional odds)",
          .type = RUNG_TYPE_TEXT, .flags = RUNG_PARAM_OPTIONAL),
    PARAM(pom_params, spread, .name = "spread",
          .help = "columns, separated by commas, that also change the spread of the latent variable, as scale = ~ x of "
                  "R's clm",
          .type = RUNG_TYPE_TEXT, .flags = RUNG_PARAM_OPTIONAL),
    PARAM(pom_params, penalty, .name = "penalty",
          .help = "ridge: as `ridge` says; firth: Jeffreys' prior instead, which keeps estimates finite where columns "
                  "separate the classes",
          .type = RUNG_TYPE_CHOICE, .default_value = "ridge", .published = "ridge", .choices = "ridge|firth"),
    PARAM(pom_params, errors, .name = "errors",
          .help =
              "standard errors; model: rows are independent and weights are counts; robust: by the sandwich, over the "
              "groups if there are any; auto: robust with groups and with weights that are not whole numbers",
          .type = RUNG_TYPE_CHOICE, .default_value = "auto", .published = "auto", .choices = "auto|model|robust"),
    CALIBRATE_PARAM(pom_params, "auto"),
    {0},
};

const method method_pom = {
    .info = {.name = "pom",
             .title = "Proportional odds model: the linear baseline",
             .reference = "McCullagh. Regression models for ordinal data. Journal of the Royal Statistical Society B "
                          "42(2):109-142, 1980",
             .cost = "time n d^2 per step (about ten), memory n d; with more columns than rows n^2 d and n^3",
             .flags = RUNG_METHOD_NO_ROWS | RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES |
                      RUNG_METHOD_WEIGHTS | RUNG_METHOD_PROBABILITIES | RUNG_METHOD_INTERVALS | RUNG_METHOD_PASSES},
    .params = pom_rows,
    .params_size = sizeof(pom_params),
    .bytes = pom_bytes,
    .fit = pom_fit,
    .infer = pom_infer,
    .verify = pom_verify,
};
