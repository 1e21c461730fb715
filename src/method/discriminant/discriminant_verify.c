// SPDX-License-Identifier: BSD-3-Clause
/* discriminant_verify.c - the conditions of the discriminant problems of discriminant.c, in the scores f = K b of the
 * rows:
 *
 *     2 Z b = sum_q a_q (M_{q+1} - M_q),   a >= 0,   sum a = C,   a_q (b'(M_{q+1} - M_q) - rho) = 0
 *
 * with Z b = K (P f + mu L f) + ridge (f or b). P f and the class means are sums over the labelled rows, or, with
 * memberships U of all rows, over these (ws_dl.c); the kernel matrix, or that of the landmarks, enters as a product
 * alone. Where the model does not tell b, the identity ridge is verified in K times these equations; where it tells w =
 * X'b instead, in those of identity_dl.c: X'(P f + mu L f) + ridge (X'X)^+ w, whose residual shows directions of every
 * size, as that of K times them does not. */
#include <string.h>

#include "fit/verify.h"
#include "method/discriminant/discriminant.h"
#include "method/discriminant/identity_dl.h"

typedef struct {
    const struct verification *v;
    const double *U; /* n x K: memberships; NULL: the labels */
    int64_t n;
    int K, outputs;
    double *mass, *mean; /* K; outputs x K */
} class_scores;

/* How much of a row belongs to class q (from 0), and its part in P. */
static double share(const class_scores *c, int64_t i, int q)
{
    const problem *p = c->v->p;
    if (c->U) return c->U[i + q * c->n];
    return p->y[i] != q + 1 ? 0 : p->w ? p->w[i] : 1;
}

static double part(const class_scores *c, int64_t i, int q)
{
    return c->U ? share(c, i, q) / (double)c->n : share(c, i, q);
}

static rung_status class_scores_new(rung_ctx *ctx, const struct verification *v, const double *U, class_scores *out)
{
    const problem *p = v->p;
    int m = v->model->members->score.outputs;
    *out = (class_scores){.v = v, .U = U, .n = p->n, .K = p->K, .outputs = m};
    TRY(NEW(ctx, &ctx->scratch, out->mass, p->K));
    TRY(NEW(ctx, &ctx->scratch, out->mean, p->K * m));
    for (int q = 0; q < p->K; q++) {
        for (int64_t i = 0; i < p->n; i++) {
            double s = share(out, i, q);
            out->mass[q] += s;
            for (int j = 0; j < m && s > 0; j++) out->mean[j + q * m] += s * v->f[i * m + j];
        }
        for (int j = 0; j < m; j++) out->mean[j + q * m] /= out->mass[q];
    }
    return RUNG_OK;
}

/* The three terms of an equation over the rows, from multiples u of the kernel columns. */
typedef struct {
    const class_scores *c;
    double factor;     /* of the ridge */
    bool times_kernel; /* the equations times K */
    bool primal;       /* the equations in w */
    double *u, *Ku;    /* n x 2: within the classes, between them; primal: Ku is X'u, d x 2 */
    double *ridge;     /* n: f, or (identity) b; primal: d numbers, (X'X)^+ w */
} equation;

static rung_status equation_new(rung_ctx *ctx, const class_scores *c, const discriminant_params *params, equation *out)
{
    const scorer *s = &c->v->model->members->score;
    bool identity = params->ridge_kind == RIDGE_IDENTITY; /* without landmarks, which it does not go with */
    bool told = s->kind == SCORER_KERNEL && s->m == c->n;
    bool primal = identity && s->kind == SCORER_LINEAR && s->d < c->n;
    int64_t most = c->n > s->d ? c->n : s->d;
    *out = (equation){.c = c, .factor = params->ridge, .times_kernel = identity && !told && !primal, .primal = primal};
    TRY(NEW(ctx, &ctx->scratch, out->u, 2 * c->n));
    TRY(NEW(ctx, &ctx->scratch, out->Ku, 2 * most));
    return NEW(ctx, &ctx->scratch, out->ridge, most);
}

/* out = ridge (X'X)^+ w, with X'X = F F': F (F'F)^-2 F'w. */
static rung_status primal_ridge(rung_ctx *ctx, const equation *e, const double *w, double *out)
{
    const problem *p = e->c->v->p;
    int64_t r;
    double *F, *G = NULL, *again = NULL, *g = NULL;
    TRY(identity_dl_root(ctx, p->d, p->n, p->X, &r, &F));
    TRY(NEW(ctx, &ctx->scratch, G, r * r));
    TRY(NEW(ctx, &ctx->scratch, again, r * r));
    TRY(NEW(ctx, &ctx->scratch, g, r));
    la_thin_mat root = {p->d, r, F};
    la_thin(true, 1, root, root, 0, G);
    memcpy(again, G, sizeof *G * (size_t)(r * r));
    la_thin(true, 1, root, (la_thin_mat){p->d, 1, (double *)w}, 0, g);
    TRY(la_small_spd_solve(ctx, (int)r, G, 1, g));
    TRY(la_small_spd_solve(ctx, (int)r, again, 1, g));
    la_thin(false, e->factor, root, (la_thin_mat){r, 1, g}, 0, out);
    return RUNG_OK;
}

/* u = P f + mu L f for output j, and the ridge's part. */
static rung_status within(rung_ctx *ctx, const equation *e, const discriminant_params *params, int j, const la_csr *L,
                          double mu)
{
    const class_scores *c = e->c;
    const scorer *s = &c->v->model->members->score;
    bool b = params->ridge_kind == RIDGE_IDENTITY && !e->times_kernel && !e->primal;
    double *f = NULL;
    TRY(NEW(ctx, &ctx->scratch, f, c->n));
    for (int64_t i = 0; i < c->n; i++) {
        f[i] = c->v->f[i * c->outputs + j];
        e->ridge[i] = e->factor * (b ? s->coef[i + j * s->m] : f[i]);
        e->u[i] = 0;
        for (int q = 0; q < c->K; q++) {
            double w = part(c, i, q);
            if (w > 0) e->u[i] += w * (f[i] - c->mean[j + q * c->outputs]);
        }
    }
    if (e->primal) TRY(primal_ridge(ctx, e, s->coef + j * s->m, e->ridge));
    return L ? la_spmm_thin(ctx, mu, L, 1, f, 1, e->u) : RUNG_OK;
}

/* The residual of K u + K u' + ridge = 0. */
static rung_status residual(rung_ctx *ctx, const equation *e, double size, double *out)
{
    int64_t n = e->c->n;
    double *again = NULL, *Ku = e->Ku;
    if (e->primal) {
        const problem *p = e->c->v->p;
        la_thin(false, 1, (la_thin_mat){p->d, n, (double *)p->X}, (la_thin_mat){n, 2, e->u}, 0, Ku);
        *out = relative_residual(p->d, 3, (const double *const[]){Ku, Ku + p->d, e->ridge}, 0);
        return RUNG_OK;
    }
    TRY(verify_kernel_times(ctx, e->c->v, 2, e->u, e->Ku));
    if (e->times_kernel) {
        TRY(NEW(ctx, &ctx->scratch, again, 2 * n));
        TRY(verify_kernel_times(ctx, e->c->v, 2, e->Ku, again));
        Ku = again;
    }
    *out = relative_residual(n, 3, (const double *const[]){Ku, Ku + n, e->ridge}, size);
    return RUNG_OK;
}

/* verify_score_size, but with a ridge t on the identity: the coefficients are 1/t of what is left of combined class
 * indicators (of absolute sum `amount`) within the classes, and of their rounding, 4 eps amount / t. A limit of 1e-7
 * relative to ROUNDED times the size allows for 450 eps: a hundredth counts. */
static rung_status solution_size(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                 double amount, double *out)
{
    double *one = NULL;
    *out = verify_score_size(v);
    if (params->ridge_kind != RIDGE_IDENTITY || v->model->members->score.kind != SCORER_KERNEL) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, one, v->p->n));
    one[0] = 1e-2 * amount / params->ridge;
    *out = fmax(*out, verify_kernel_size(v, one));
    return RUNG_OK;
}

/* The weights of the order and the means they belong to. */
static void order_conditions(const class_scores *c, double C, const double *alpha, bool degenerate, double scores)
{
    conditions *found = c->v->found;
    double sum = 0, least = 0, rho = INFINITY, size = ROUNDED * scores, slack = 0;
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
    condition_add(found, "ordered means", "largest decrease between consecutive projected class means, relative",
                  size > 0 ? fmax(0, -rho) / size : 0, 1e-9); /* 0: all means are one */
    condition_add(found, "slackness", "excess of the weighted step over the smallest one, relative",
                  size > 0 ? slack / size : 0, 1e-7);
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
    double last = -INFINITY;
    for (int q = 0; q < c->K - 1; q++) { /* none is below the one before, whatever the means */
        mean_thresholds((threshold_rule)params->thresholds, 2, c->mean + q, c->mass + q, between);
        last = fmax(last, between[0]);
        off = fmax(off, fabs(d->thresholds[q] - last));
    }
    condition_add(c->v->found, "thresholds", "thresholds against their positions between the class means, relative",
                  size > 0 ? off / size : off, 1e-8);
}

/* Added to the identity, a ridge may be as small as 1e-8 and leaves half of the digits. */
static double residual_limit(const discriminant_params *params, int64_t n)
{
    return limit_of_rows(params->ridge_kind == RIDGE_KERNEL ? 1e-8 : 1e-5, n);
}

void verify_graph_sizes(const la_csr *L, double mu, double *size)
{
    for (int64_t i = 0; i < L->rows; i++)
        for (int64_t e = L->start[i]; e < L->start[i + 1]; e++) size[i] += mu * fabs(L->value[e]);
}

rung_status discriminant_verify(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                const la_csr *L, double mu, const double *U)
{
    const problem *p = v->p;
    const double *alpha = told_list(v->model, "alpha", p->K - 1);
    double off, scores;
    class_scores c;
    equation e;
    TRY(class_scores_new(ctx, v, U, &c));
    if (!alpha) return set_error(ctx, RUNG_EARG, "verify: the model does not report its multipliers");
    TRY(equation_new(ctx, &c, params, &e));
    TRY(solution_size(ctx, v, params, params->C, &scores));
    for (int64_t i = 0; i < p->n; i++)
        for (int q = 0; q < p->K; q++) e.u[i] += part(&c, i, q);
    if (L) verify_graph_sizes(L, mu, e.u);
    double size = verify_kernel_size(v, e.u) * scores; /* K (P + mu L) amplifies rounding of the scores */
    TRY(within(ctx, &e, params, 0, L, mu));
    for (int q = 0; q < p->K; q++) {
        double pull = (q > 0 ? alpha[q - 1] : 0) - (q < p->K - 1 ? alpha[q] : 0);
        for (int64_t i = 0; i < p->n; i++) e.u[i + p->n] -= share(&c, i, q) / c.mass[q] * pull / 2;
    }
    size += verify_kernel_size(v, e.u + p->n);
    TRY(residual(ctx, &e, size, &off));
    condition_add(v->found, "stationarity", "residual of 2 Z b = sum_q a_q (M_q+1 - M_q), relative", off,
                  residual_limit(params, p->n));
    order_conditions(&c, params->C, alpha, told_number(v->model, "degenerate") != 0, scores);
    mean_conditions(&c, params);
    return RUNG_OK;
}

rung_status ordered_conditions(rung_ctx *ctx, const struct verification *v, const discriminant_params *params)
{
    const double *alpha = told_list(v->model, "alpha", v->p->K - 1);
    class_scores c;
    if (!alpha) return set_error(ctx, RUNG_EARG, "verify: the model does not report its multipliers");
    TRY(class_scores_new(ctx, v, NULL, &c));
    order_conditions(&c, params->C, alpha, told_number(v->model, "degenerate") != 0, verify_score_size(v));
    mean_conditions(&c, params);
    return RUNG_OK;
}

/* Residuals of H b = lambda Z b count by lambda over the largest one: the backward error of the eigenproblem, which is
 * all that can be asked of eigenvalues near rounding. */
rung_status discriminant_directions_verify(rung_ctx *ctx, const struct verification *v,
                                           const discriminant_params *params, const la_csr *L, double mu)
{
    const problem *p = v->p;
    double worst = 0, scatter_off = 0, total = 0, off, scores;
    class_scores c;
    equation e;
    TRY(class_scores_new(ctx, v, NULL, &c));
    const double *values = told_list(v->model, "eigenvalues", c.outputs);
    if (!values) return set_error(ctx, RUNG_EARG, "verify: the model does not report its eigenvalues");
    TRY(equation_new(ctx, &c, params, &e));
    for (int q = 0; q < p->K; q++) total += c.mass[q];
    for (int64_t i = 0; i < p->n; i++) e.u[i] = p->y[i] ? share(&c, i, p->y[i] - 1) : 0;
    double labelled = verify_kernel_size(v, e.u);
    if (L) verify_graph_sizes(L, mu, e.u);
    double size = verify_kernel_size(v, e.u);
    double nothing = labelled > 0 ? 1e-12 * labelled / params->ridge : INFINITY; /* the classes are one */
    if (e.primal) nothing = 1e-12; /* of the scatter within the classes, whatever the ridge */
    for (int j = 0; j < c.outputs; j++) {
        double centre = 0, scatter = 0, level = values[j] / values[0];
        if (!(level > 1e-12) || !(values[j] > nothing)) continue;
        for (int q = 0; q < p->K; q++) centre += c.mass[q] * c.mean[j + q * c.outputs] / total;
        for (int q = 0; q < p->K; q++) scatter += c.mass[q] * pow(c.mean[j + q * c.outputs] - centre, 2);
        TRY(within(ctx, &e, params, j, L, mu));
        for (int64_t i = 0; i < p->n; i++) {
            int q = p->y[i] - 1;
            e.u[i + p->n] = q < 0 ? 0 : -share(&c, i, q) * (c.mean[j + q * c.outputs] - centre) / values[j];
        }
        TRY(solution_size(ctx, v, params, sqrt(p->K * total / values[j]), &scores));
        TRY(residual(ctx, &e, size * scores, &off));
        worst = fmax(worst, off * level);
        scatter_off = fmax(scatter_off, fabs(scatter / values[j] - 1) * level);
    }
    condition_add(v->found, "eigenpairs", "residual of H b = lambda Z b, relative, worst component", worst,
                  residual_limit(params, p->n));
    condition_add(v->found, "scatter", "scatter between the classes against its eigenvalue, relative", scatter_off,
                  1e-6);
    return RUNG_OK;
}
