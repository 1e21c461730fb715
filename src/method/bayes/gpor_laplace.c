// SPDX-License-Identifier: BSD-3-Clause
/* gpor_laplace.c - the normal approximation at the mode of the posterior.
 *
 *     maximise  sum_i log p(y_i | f_i) - 1/2 f'K^-1 f,   f = K alpha,
 *     log evidence = sum_i log p_i - 1/2 alpha'f - 1/2 log |B|,   P = H, the curvature of -log p at the mode.
 *
 * The mode moves with K, b and sigma, and H with the mode: the gradient has these implicit terms. With R = P^1/2 B^-1
 * P^1/2, the posterior variances v, s = -1/2 v dH/df and u = (I - R K) s, a change that moves delta = d log p / d f by
 * ddelta at fixed f and K by dK moves the evidence through the mode by u'(dK delta + K ddelta). */
#include <math.h>
#include <string.h>

#include "method/bayes/gpor_gp.h"
#include "solve/ordinal_probit.h"

enum { MOST_STEPS = 200 };
static const double SHRINKS = 0.2; /* a factor is reused while steps shrink by this factor */

typedef struct {
    ordinal_probit *at; /* n: the likelihood at f */
    double *f, *root;
    double objective;
} mode;

static rung_status evaluate(rung_ctx *ctx, const gpor_gp_problem *p, const double *alpha, mode *m)
{
    TRY(la_mul(ctx, 1, p->gram, 1, alpha, 0, m->f));
    m->objective = 0;
    for (int64_t i = 0; i < p->n; i++) {
        m->at[i] = ordinal_probit_at(m->f[i], p->y[i], highest_rank(p->y, p->upper, i), p->K, p->b, p->sigma);
        m->root[i] = sqrt(m->at[i].H);
        m->objective += m->at[i].lp - 0.5 * alpha[i] * m->f[i];
    }
    return RUNG_OK;
}

/* The curvature used by an iteration: that of the current point, or of an earlier one. */
typedef struct {
    double *H, *root;
    la_mat *B;
} curvature;

static rung_status curvature_here(rung_ctx *ctx, const gpor_gp_problem *p, const mode *m, curvature *c)
{
    double unused;
    for (int64_t i = 0; i < p->n; i++) c->H[i] = m->at[i].H;
    memcpy(c->root, m->root, (size_t)p->n * sizeof *c->root);
    return gpor_gp_factorise(ctx, p, c->root, c->B, &unused);
}

/* Newton's iterate for alpha = delta(K alpha): alpha + r - R K r with the residual r = delta - alpha. (alpha = c - R K
 * c with c = H f + delta is the same and loses the digits by which H f exceeds alpha: many where classes are narrow.)
 * With the H of another point the mode is the same. */
static rung_status newton_target(rung_ctx *ctx, const gpor_gp_problem *p, const mode *m, const curvature *with,
                                 const double *alpha, double *target)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *r = NULL, *Kr = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, r, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, Kr, p->n));
    for (int64_t i = 0; i < p->n; i++) r[i] = m->at[i].delta - alpha[i];
    TRY(la_mul(ctx, 1, p->gram, 1, r, 0, Kr));
    TRY(gpor_gp_shrink(ctx, p, with->root, with->B, Kr));
    for (int64_t i = 0; i < p->n; i++) target[i] = alpha[i] + r[i] - Kr[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* From alpha towards target, halving the step while the objective decreases; whole: no halving was needed. moved: the
 * largest change of f. */
static rung_status line_search(rung_ctx *ctx, const gpor_gp_problem *p, const double *target, double *alpha, mode *m,
                               double *moved, bool *whole)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *from = NULL, *f = NULL, before = m->objective, length = 1;
    TRY(NEW_RAW(ctx, &ctx->scratch, from, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, f, p->n));
    memcpy(from, alpha, (size_t)p->n * sizeof *from);
    memcpy(f, m->f, (size_t)p->n * sizeof *f);
    for (; length > 1e-10; length *= 0.5) {
        for (int64_t i = 0; i < p->n; i++) alpha[i] = from[i] + length * (target[i] - from[i]);
        TRY(evaluate(ctx, p, alpha, m));
        if (m->objective >= before - 1e-13 * fmax(1, fabs(before))) break;
    }
    *whole = length == 1;
    *moved = 0;
    for (int64_t i = 0; i < p->n; i++) *moved = fmax(*moved, fabs(m->f[i] - f[i]) / fmax(1, fabs(m->f[i])));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status find_mode(rung_ctx *ctx, const gpor_gp_problem *p, mode *m, gpor_gp_posterior *out)
{
    double *target = NULL, moved = INFINITY, null = 0;
    curvature with = {.B = out->factor};
    TRY(NEW_RAW(ctx, &ctx->scratch, target, p->n));
    TRY(NEW(ctx, &ctx->scratch, m->at, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, m->f, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, m->root, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, with.H, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, with.root, p->n));
    TRY(evaluate(ctx, p, out->alpha, m));
    for (int64_t i = 0; i < p->n; i++)
        null += ordinal_probit_log(0, p->y[i], highest_rank(p->y, p->upper, i), p->K, p->b, p->sigma);
    if (!(m->objective > null)) { /* the previous mode is not useful */
        memset(out->alpha, 0, (size_t)p->n * sizeof *out->alpha);
        TRY(evaluate(ctx, p, out->alpha, m));
    }
    out->iterations = 0;
    for (bool here = true, whole;;) {
        double before = moved;
        TRY(interrupted(ctx));
        if (here && out->iterations++ == MOST_STEPS)
            return set_error(ctx, RUNG_ENOCONV, "the mode of the Gaussian process was not found in %d steps",
                             MOST_STEPS);
        if (here) TRY(curvature_here(ctx, p, m, &with));
        TRY(newton_target(ctx, p, m, &with, out->alpha, target));
        TRY(line_search(ctx, p, target, out->alpha, m, &moved, &whole));
        bool shrinks = whole && moved < SHRINKS * before;
        if (here ? moved <= 1e-7 : shrinks && moved * moved / before < 1e-14) return RUNG_OK;
        here = here ? !whole : !shrinks;
    }
}

/* The effect of b and log sigma, at fixed f and through the mode; q = K u, v the posterior variances. */
static void likelihood_gradient(const gpor_gp_problem *p, const mode *m, const double *v, const double *q,
                                gpor_gp_posterior *out)
{
    double s = p->sigma;
    memset(out->thresholds, 0, (size_t)(p->K - 1) * sizeof *out->thresholds);
    out->log_sigma = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const ordinal_probit *o = &m->at[i];
        double upper = o->h11 + o->h12, lower = o->h12 + o->h22; /* -sigma^2 ddelta / db_y, db_{y-1} */
        int high = highest_rank(p->y, p->upper, i);
        if (high < p->K) out->thresholds[high - 1] += o->e1 / s - 0.5 * v[i] * o->H1 / s - q[i] * upper / (s * s);
        if (p->y[i] > 1) out->thresholds[p->y[i] - 2] += -o->e2 / s - 0.5 * v[i] * o->H2 / s - q[i] * lower / (s * s);
        double dlp = -(o->z1 * o->e1 - o->z2 * o->e2), dH = -2 * o->H - (o->H1 * o->z1 + o->H2 * o->z2);
        double ddelta = -o->delta + (upper * o->z1 + lower * o->z2) / s;
        out->log_sigma += dlp - 0.5 * v[i] * dH + q[i] * ddelta;
    }
}

/* B^-1 = I - P^1/2 Sigma P^1/2, so Sigma_ii = (1 - B^-1_ii) / P_ii. Where P_ii is too small for that to be accurate, so
 * is everything the variance is multiplied by. */
static void variances(const gpor_gp_problem *p, const mode *m, const la_mat *inverse, const double *prior, double *v)
{
    la_diagonal(inverse, v);
    for (int64_t i = 0; i < p->n; i++)
        v[i] = m->at[i].H > 0 ? fmin(fmax((1 - v[i]) / m->at[i].H, 0), prior[i]) : prior[i];
}

/* To second order log p of a row is -1/2 [u (b_y - f)^2 + l (b_{y-1} - f)^2 + e1 e2 (b_y - b_{y-1})^2] / sigma^2 with u
 * + l = H sigma^2 (probit_map.c). Maximised over f this leaves a link of (e1 e2 + u l / (u + l)) / sigma^2 between the
 * two and, with e_i = (l, u) / (sigma^2 H_i^1/2) at the thresholds of row i, sum_ij e_i e_j' B^-1_ij. The link of an
 * interval joins thresholds that are not neighbours: it is part of the matrix. */
static rung_status bend_of(rung_ctx *ctx, const gpor_gp_problem *p, const mode *m, const la_mat *inverse,
                           gpor_gp_posterior *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = p->n, J = p->K - 1, *next = NULL;
    la_csr E = {.rows = J, .cols = n}; /* e_i is column i */
    la_mat *right = NULL, *both = NULL;
    double *far = NULL; /* J x J: links between thresholds that are not neighbours */
    TRY(NEW(ctx, &ctx->scratch, far, J * J));
    TRY(NEW(ctx, &ctx->scratch, E.start, J + 1));
    TRY(NEW(ctx, &ctx->scratch, E.col, 2 * n));
    TRY(NEW(ctx, &ctx->scratch, E.value, 2 * n));
    TRY(NEW(ctx, &ctx->scratch, next, J));
    TRY(la_new(ctx, &ctx->scratch, n, J, &right));
    TRY(la_new(ctx, &ctx->scratch, J, J, &both));
    memset(out->links, 0, (size_t)J * sizeof *out->links);
    for (int64_t i = 0; i < n; i++) {
        int high = highest_rank(p->y, p->upper, i);
        if (high < p->K) E.start[high]++;
        if (p->y[i] > 1) E.start[p->y[i] - 1]++;
    }
    for (int64_t k = 0; k < J; k++) {
        next[k] = E.start[k];
        E.start[k + 1] += E.start[k];
    }
    for (int64_t i = 0; i < n; i++) {
        const ordinal_probit *o = &m->at[i];
        int64_t above = highest_rank(p->y, p->upper, i) - 1, below = p->y[i] - 2;
        double mean = o->delta * p->sigma, u = fmax(o->e1 * (o->z1 - mean), 0), l = fmax(o->e2 * (mean - o->z2), 0);
        double root = u + l > 0 ? 1 / (sqrt(u + l) * p->sigma) : 0;
        if (above < J) {
            E.value[next[above]] = u * root;
            E.col[next[above]++] = i;
        }
        if (below >= 0) {
            E.value[next[below]] = l * root;
            E.col[next[below]++] = i;
        }
        double link = o->e1 * o->e2 / (p->sigma * p->sigma) + u * root * l * root;
        if (above >= J || below < 0) continue;
        if (above == below + 1) {
            out->links[below] += link;
            continue;
        }
        far[above + above * J] += link;
        far[below + below * J] += link;
        far[above + below * J] -= link;
        far[below + above * J] -= link;
    }
    TRY(la_mul_csr(ctx, inverse, &E, 0, right));
    TRY(la_spmm(ctx, 1, &E, right, 0, both));
    la_get(both, out->bend);
    for (int64_t k = 0; k < J * J && p->upper; k++) out->bend[k] += far[k];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status gradient_of(rung_ctx *ctx, const gpor_gp_problem *p, const mode *m, gpor_gp_posterior *out)
{
    int64_t n = p->n;
    double *prior = NULL, *v = NULL, *u = NULL, *q = NULL, *r = NULL, *left = NULL, *right = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, prior, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, v, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, u, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, q, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, r, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, left, 3 * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, right, 3 * n));
    TRY(la_potri(ctx, out->factor));
    la_diagonal(p->gram, prior);
    variances(p, m, out->factor, prior, v);
    TRY(bend_of(ctx, p, m, out->factor, out));
    for (int64_t i = 0; i < n; i++) u[i] = 0.5 * v[i] * (m->at[i].H1 + m->at[i].H2) / p->sigma; /* -1/2 v dH/df */
    TRY(la_mul(ctx, 1, p->gram, 1, u, 0, q));
    for (int64_t i = 0; i < n; i++) q[i] *= m->root[i];
    TRY(la_mul(ctx, 1, out->factor, 1, q, 0, r));
    for (int64_t i = 0; i < n; i++) u[i] -= m->root[i] * r[i];
    TRY(la_mul(ctx, 1, p->gram, 1, u, 0, q));
    likelihood_gradient(p, m, v, q, out);
    for (int64_t i = 0; i < n; i++) {
        left[i] = 0.5 * out->alpha[i];
        left[i + n] = 0.5 * u[i];
        left[i + 2 * n] = 0.5 * m->at[i].delta;
        right[i] = out->alpha[i];
        right[i + n] = m->at[i].delta;
        right[i + 2 * n] = u[i];
    }
    return gpor_gp_pull(ctx, p, m->root, 3, left, right, out->pull);
}

rung_status gpor_gp_laplace(rung_ctx *ctx, const gpor_gp_problem *p, bool gradient, gpor_gp_posterior *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    mode m = {0};
    double log_root_det;
    TRY(find_mode(ctx, p, &m, out));
    TRY(gpor_gp_factorise(ctx, p, m.root, out->factor, &log_root_det));
    out->log_evidence = m.objective - log_root_det;
    for (int64_t i = 0; i < p->n; i++) out->precision[i] = m.at[i].H;
    if (gradient) TRY(gradient_of(ctx, p, &m, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
