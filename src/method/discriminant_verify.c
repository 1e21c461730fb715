// SPDX-License-Identifier: BSD-3-Clause
/* discriminant_verify.c - the conditions of the discriminant problems of discriminant.c, in the scores f = K b of the
 * rows:
 *
 *     2 Z b = sum_q a_q (M_{q+1} - M_q),   a >= 0,   sum a = C,   a_q (b'(M_{q+1} - M_q) - rho) = 0
 *
 * with Z b = K (P f + mu L f) + ridge (f or b). P f and the class means are sums over the labelled rows; the kernel
 * matrix enters as a product alone. */
#include "method/discriminant.h"
#include "method/verify.h"

typedef struct {
    const struct verification *v;
    int64_t n;
    int K, outputs;
    double *mass, *mean; /* K; outputs x K */
} class_scores;

static double weight_of(const problem *p, int64_t i) { return !p->y[i] ? 0 : p->w ? p->w[i] : 1; }

static rung_status class_scores_new(rung_ctx *ctx, const struct verification *v, class_scores *out)
{
    const problem *p = v->p;
    int m = v->model->members->score.outputs;
    *out = (class_scores){.v = v, .n = p->n, .K = p->K, .outputs = m};
    TRY(NEW(ctx, &ctx->scratch, out->mass, p->K));
    TRY(NEW(ctx, &ctx->scratch, out->mean, p->K * m));
    for (int64_t i = 0; i < p->n; i++) {
        if (!p->y[i]) continue;
        out->mass[p->y[i] - 1] += weight_of(p, i);
        for (int j = 0; j < m; j++) out->mean[j + (p->y[i] - 1) * m] += weight_of(p, i) * v->f[i * m + j];
    }
    for (int q = 0; q < p->K; q++)
        for (int j = 0; j < m; j++) out->mean[j + q * m] /= out->mass[q];
    return RUNG_OK;
}

/* What the ridge multiplies, for output j: f, or (identity) b, NULL where the model does not tell it. */
static rung_status ridge_part(rung_ctx *ctx, const class_scores *c, ridge_kind kind, int j, double **out)
{
    const scorer *s = &c->v->model->members->score;
    bool told = kind == RIDGE_KERNEL || (s->kind == SCORER_KERNEL && s->m == c->n);
    if (!told) return RUNG_OK;
    TRY(pool_alloc(ctx, &ctx->scratch, c->n, sizeof **out, "scores", (void **)out));
    for (int64_t i = 0; i < c->n; i++)
        (*out)[i] = kind == RIDGE_KERNEL ? c->v->f[i * c->outputs + j] : s->coef[i + j * s->m];
    return RUNG_OK;
}

/* u (n) = P f + mu L f for output j. */
static rung_status within(rung_ctx *ctx, const class_scores *c, int j, const la_csr *L, double mu, double *u)
{
    const problem *p = c->v->p;
    double *f = NULL;
    TRY(NEW(ctx, &ctx->scratch, f, c->n));
    for (int64_t i = 0; i < c->n; i++) {
        f[i] = c->v->f[i * c->outputs + j];
        u[i] = p->y[i] ? weight_of(p, i) * (f[i] - c->mean[j + (p->y[i] - 1) * c->outputs]) : 0;
    }
    return L ? la_spmm_thin(ctx, mu, L, 1, f, 1, u) : RUNG_OK;
}

/* The weights of the order and the means they belong to. */
static void order_conditions(const class_scores *c, double C, const double *alpha, bool degenerate)
{
    conditions *found = c->v->found;
    double sum = 0, least = 0, rho = INFINITY, size = 0, slack = 0;
    for (int q = 0; q < c->K - 1; q++) {
        double gap = c->mean[q + 1] - c->mean[q];
        sum += alpha[q];
        least = fmax(least, -alpha[q]);
        rho = fmin(rho, gap);
        size = fmax(size, fabs(gap));
    }
    for (int q = 0; q < c->K - 1; q++) slack += alpha[q] / C * (c->mean[q + 1] - c->mean[q] - rho);
    condition_add(found, "multipliers", "order weights: the largest below 0, and |sum / C - 1|",
                  fmax(least / C, fabs(sum / C - 1)), 1e-9);
    if (degenerate) return;
    condition_add(found, "ordered means", "least step between projected class means below 0, relative",
                  fmax(0, -rho) / size, 1e-9);
    condition_add(found, "slackness", "weighted step above the least one, relative", slack / size, 1e-7);
}

static void mean_conditions(const class_scores *c, const discriminant_params *params)
{
    const decision *d = &c->v->model->members->decide;
    const double *told = told_list(c->v->model, "means", c->K);
    double off = 0, size = 0, between[2];
    for (int q = 0; q < c->K; q++) size = fmax(size, fabs(c->mean[q]));
    size = fmax(size, ROUNDED * verify_score_size(c->v));
    for (int q = 0; q < c->K; q++) off = fmax(off, told ? fabs(told[q] - c->mean[q]) : INFINITY);
    condition_add(c->v->found, "means", "reported class means against those of the scores, relative",
                  size > 0 ? off / size : off, 1e-8);
    if (d->kind != DECISION_THRESHOLDS) return;
    off = 0;
    for (int q = 0; q < c->K - 1; q++) { /* in order but for rounding, so the one before never raises it by more */
        mean_thresholds((threshold_rule)params->thresholds, 2, c->mean + q, c->mass + q, between);
        off = fmax(off, fabs(d->thresholds[q] - between[0]));
    }
    condition_add(c->v->found, "thresholds", "against their places between the class means, relative",
                  size > 0 ? off / size : off, 1e-8);
}

/* Added to the identity, a ridge may be as small as 1e-8 and leaves half of the digits. */
static double residual_limit(const discriminant_params *params)
{
    return params->ridge_kind == RIDGE_KERNEL ? 1e-8 : 1e-5;
}

rung_status discriminant_verify(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                const la_csr *L, double mu)
{
    const problem *p = v->p;
    const double *alpha = told_list(v->model, "alpha", p->K - 1);
    double *ridge = NULL, *u = NULL, *Ku = NULL;
    class_scores c;
    bool degenerate = told_number(v->model, "degenerate") != 0;
    TRY(class_scores_new(ctx, v, &c));
    if (alpha) TRY(ridge_part(ctx, &c, (ridge_kind)params->ridge_kind, 0, &ridge));
    if (!ridge) return verify_by_refit(ctx, v, true);
    TRY(NEW(ctx, &ctx->scratch, u, 2 * p->n));
    TRY(NEW(ctx, &ctx->scratch, Ku, 2 * p->n));
    for (int64_t i = 0; i < p->n; i++) u[i] = weight_of(p, i);
    double size = verify_kernel_size(v, u) * verify_score_size(v); /* rounding of the scores goes through K P */
    TRY(within(ctx, &c, 0, L, mu, u));
    for (int64_t i = 0; i < p->n; i++) {
        int q = p->y[i] - 1;
        double pull = q < 0 ? 0 : (q > 0 ? alpha[q - 1] : 0) - (q < p->K - 1 ? alpha[q] : 0);
        if (q >= 0) u[i + p->n] = -weight_of(p, i) / c.mass[q] * pull / 2;
        ridge[i] *= params->ridge;
    }
    size += verify_kernel_size(v, u + p->n);
    TRY(verify_kernel_times(ctx, v, 2, u, Ku));
    condition_add(v->found, "stationarity", "residual of 2 Z b = sum_q a_q (M_q+1 - M_q), relative",
                  relative_residual(p->n, 3, (const double *const[]){Ku, Ku + p->n, ridge}, size),
                  residual_limit(params));
    order_conditions(&c, params->C, alpha, degenerate);
    mean_conditions(&c, params);
    return RUNG_OK;
}

rung_status discriminant_directions_verify(rung_ctx *ctx, const struct verification *v,
                                           const discriminant_params *params, const la_csr *L, double mu)
{
    const problem *p = v->p;
    double *u = NULL, *Ku = NULL, *ridge = NULL, worst = 0, scatter_off = 0, total = 0;
    class_scores c;
    TRY(class_scores_new(ctx, v, &c));
    const double *values = told_list(v->model, "eigenvalues", c.outputs);
    TRY(NEW(ctx, &ctx->scratch, u, 2 * p->n));
    TRY(NEW(ctx, &ctx->scratch, Ku, 2 * p->n));
    for (int q = 0; q < p->K; q++) total += c.mass[q];
    for (int64_t i = 0; i < p->n; i++) u[i] = weight_of(p, i);
    double nothing = 1e-12 * verify_kernel_size(v, u) / params->ridge; /* the classes are one */
    for (int j = 0; j < c.outputs && values; j++) {
        double centre = 0, scatter = 0;
        if (!(values[j] > 1e-12 * values[0]) || !(values[j] > nothing)) continue;
        for (int q = 0; q < p->K; q++) centre += c.mass[q] * c.mean[j + q * c.outputs] / total;
        for (int q = 0; q < p->K; q++) scatter += c.mass[q] * pow(c.mean[j + q * c.outputs] - centre, 2);
        ridge = NULL;
        TRY(ridge_part(ctx, &c, (ridge_kind)params->ridge_kind, j, &ridge));
        if (!ridge) return verify_by_refit(ctx, v, true);
        TRY(within(ctx, &c, j, L, mu, u));
        for (int64_t i = 0; i < p->n; i++) {
            if (p->y[i]) u[i + p->n] = -weight_of(p, i) * (c.mean[j + (p->y[i] - 1) * c.outputs] - centre) / values[j];
            ridge[i] *= params->ridge;
        }
        TRY(verify_kernel_times(ctx, v, 2, u, Ku));
        worst = fmax(worst, relative_residual(p->n, 3, (const double *const[]){Ku, Ku + p->n, ridge}, 0));
        scatter_off = fmax(scatter_off, fabs(scatter / values[j] - 1));
    }
    if (!values) return verify_by_refit(ctx, v, true);
    condition_add(v->found, "eigenpairs", "residual of H b = lambda Z b, relative, worst component", worst,
                  residual_limit(params));
    condition_add(v->found, "scatter", "scatter between the classes over its eigenvalue, less 1", scatter_off, 1e-6);
    return RUNG_OK;
}
