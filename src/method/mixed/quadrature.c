// SPDX-License-Identifier: BSD-3-Clause
/* quadrature.c - the likelihood with one random intercept, which decouples by group:
 *
 *     l_g = log int exp(h(v)) dv / sqrt(2 pi),   h(v) = sum_{i in g} weight_i log p(y_i | f_i + lambda v) - v^2 / 2,
 *         ~ log s + log sum_k W_k exp(h(m + s x_k) + x_k^2 / 2),   m = argmax h,  s = (-h''(m))^(-1/2)
 *
 * with the nodes x_k and weights W_k of a normal variable: adaptive Gauss-Hermite quadrature, with one node Laplace's
 * approximation (Pinheiro, Bates. Approximations to the log-likelihood function in the nonlinear mixed-effects model.
 * Journal of Computational and Graphical Statistics 4:12-35, 1995). Fixed nodes: m = 0,
 * s^2 = 1/2, as ordinal::clmm has them.
 *
 * The gradient is that of this sum, with the movement of m and s: with weights o_k (which add up to 1) of the nodes,
 *     dl = sum_k o_k dh(v_k) + A dm + B ds,   A = sum_k o_k h'(v_k),  B = sum_k o_k h'(v_k) x_k + 1 / s,
 *     dm = s^2 dh'(m),   ds = s^3 / 2 (dh''(m) + h'''(m) dm). */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "method/mixed/mixed.h"
#include "solve/hermite.h"

enum { NEWTON = 200, GROUPS = 256 }; /* steps; groups per task */

struct mixed_quadrature {
    const mixed_design *m;
    row_groups by;          /* the rows of each group */
    double *mode, *spread;  /* m and s of each group */
    double *value, *lambda; /* l_g and its derivative */
    int nodes;
    double x[HERMITE_MOST], weight[HERMITE_MOST];
    const double *f, *b; /* of the current call */
    double loading;
    mixed_slopes *out;
};

rung_status mixed_quadrature_new(rung_ctx *ctx, const mixed_design *m, mixed_quadrature **out)
{
    mixed_quadrature *s = NULL;
    const mixed_term *t = &m->term[0];
    int *group = NULL;
    TRY(NEW(ctx, &ctx->scratch, s, 1));
    s->m = m;
    s->nodes = m->nodes < 0 ? -m->nodes : m->nodes;
    hermite_nodes(s->nodes, s->x, s->weight);
    TRY(NEW_RAW(ctx, &ctx->scratch, group, m->n));
    for (int64_t i = 0; i < m->n; i++) group[i] = (int)t->group[i];
    TRY(row_groups_new(ctx, &ctx->scratch, m->n, group, &s->by));
    TRY(NEW(ctx, &ctx->scratch, s->mode, t->n_groups));
    TRY(NEW(ctx, &ctx->scratch, s->spread, t->n_groups));
    TRY(NEW(ctx, &ctx->scratch, s->value, t->n_groups));
    TRY(NEW(ctx, &ctx->scratch, s->lambda, t->n_groups));
    *out = s;
    return RUNG_OK;
}

typedef struct { /* h and its derivatives in v */
    double h, h1, h2, h3;
} group_value;

static link_cubic row_at(const mixed_quadrature *s, int64_t i, double v, bool cubic)
{
    const mixed_design *m = s->m;
    int low = m->y[i], high = highest_rank(m->y, m->upper, i);
    double f = s->f[i] + s->loading * v;
    if (cubic) return link_cubic_of(m->link, f, low, high, m->K, s->b);
    return (link_cubic){.at = link_site_of(m->link, f, low, high, m->K, s->b)};
}

static group_value group_at(const mixed_quadrature *s, int64_t g, double v, bool cubic)
{
    double a = s->loading;
    group_value out = {-v * v / 2, -v, -1, 0};
    for (int64_t k = s->by.start[g]; k < s->by.start[g + 1]; k++) {
        int64_t i = s->by.rows[k];
        link_cubic c = row_at(s, i, v, cubic);
        double w = row_weight(s->m, i);
        out.h += w * c.at.lp;
        out.h1 -= a * w * (c.at.g1 + c.at.g2);
        out.h2 += a * a * w * (c.at.h11 + 2 * c.at.h12 + c.at.h22);
        out.h3 -= a * a * a * w * (c.t111 + 3 * c.t112 + 3 * c.t122 + c.t222);
    }
    return out;
}

/* Newton's method, with steps that are halved until h does not fall; where h is not concave, along the gradient. */
static void find_mode(mixed_quadrature *s, int64_t g)
{
    double v = isfinite(s->mode[g]) ? s->mode[g] : 0;
    group_value at = group_at(s, g, v, false);
    if (!isfinite(at.h)) at = group_at(s, g, v = 0, false);
    for (int step = 0; step < NEWTON && isfinite(at.h); step++) {
        double move = at.h1 / (at.h2 < 0 ? -at.h2 : 1), slack = 1e-12 * fmax(1, fabs(at.h));
        group_value next = group_at(s, g, v + move, false);
        for (int half = 0; half < 60 && !(next.h >= at.h - slack); half++)
            next = group_at(s, g, v + (move /= 2), false);
        v += move;
        at = next;
        if (fabs(move) < 1e-9 * (1 + fabs(v))) break;
    }
    s->mode[g] = v;
    s->spread[g] = at.h2 < 0 ? 1 / sqrt(-at.h2) : NAN;
}

/* The slopes of the rows of a group from those at the nodes and, for adaptive ones, from the movement of the nodes. */
static void add_nodes(mixed_quadrature *s, int64_t g, const double *share, double centre, double spread)
{
    mixed_slopes *out = s->out;
    for (int64_t k = s->by.start[g]; k < s->by.start[g + 1]; k++) {
        int64_t i = s->by.rows[k];
        double w = row_weight(s->m, i);
        out->f[i] = out->high[i] = out->low[i] = 0;
        for (int j = 0; j < s->nodes; j++) {
            double v = centre + spread * s->x[j];
            link_site at = row_at(s, i, v, false).at;
            out->f[i] -= share[j] * w * (at.g1 + at.g2);
            out->high[i] += share[j] * w * at.g1;
            out->low[i] += share[j] * w * at.g2;
            s->lambda[g] -= share[j] * w * (at.g1 + at.g2) * v;
        }
    }
}

static void add_movement(mixed_quadrature *s, int64_t g, double centre, double spread, double A, double B)
{
    mixed_slopes *out = s->out;
    double a = s->loading, v = centre, s2 = spread * spread, h3 = group_at(s, g, v, true).h3;
    double first = s2 * (A + B * spread * s2 / 2 * h3), second = B * spread * s2 / 2; /* of dh', dh'' */
    for (int64_t k = s->by.start[g]; k < s->by.start[g + 1]; k++) {
        int64_t i = s->by.rows[k];
        double w = row_weight(s->m, i);
        link_cubic c = row_at(s, i, v, true);
        double score = -(c.at.g1 + c.at.g2), bend = c.at.h11 + 2 * c.at.h12 + c.at.h22,
               third = -(c.t111 + 3 * c.t112 + 3 * c.t122 + c.t222);
        out->f[i] += w * (first * a * bend + second * a * a * third);
        out->high[i] += w * (-first * a * (c.at.h11 + c.at.h12) + second * a * a * (c.t111 + 2 * c.t112 + c.t122));
        out->low[i] += w * (-first * a * (c.at.h22 + c.at.h12) + second * a * a * (c.t112 + 2 * c.t122 + c.t222));
        s->lambda[g] += w * (first * (score + a * v * bend) + second * (2 * a * bend + a * a * v * third));
    }
}

static void fit_group(mixed_quadrature *s, int64_t g)
{
    bool fixed = s->m->nodes < 0;
    double term[HERMITE_MOST], slope[HERMITE_MOST], most = -INFINITY, sum = 0, A = 0, B = 0;
    find_mode(s, g);
    double centre = fixed ? 0 : s->mode[g], spread = fixed ? sqrt(0.5) : s->spread[g];
    s->lambda[g] = 0;
    for (int j = 0; j < s->nodes; j++) {
        double v = centre + spread * s->x[j];
        group_value at = group_at(s, g, v, false);
        term[j] = at.h + log(s->weight[j]) + s->x[j] * s->x[j] / 2;
        slope[j] = at.h1;
        most = fmax(most, term[j]);
    }
    for (int j = 0; j < s->nodes; j++) sum += term[j] = exp(term[j] - most);
    s->value[g] = log(spread) + most + log(sum);
    if (!isfinite(s->value[g])) return;
    for (int j = 0; j < s->nodes; j++) {
        term[j] /= sum;
        A += term[j] * slope[j];
        B += term[j] * slope[j] * s->x[j];
    }
    add_nodes(s, g, term, centre, spread);
    if (!fixed) add_movement(s, g, centre, spread, A, B + 1 / spread);
}

static rung_status fit_groups(rung_ctx *ctx, void *user, int64_t part)
{
    mixed_quadrature *s = user;
    (void)ctx;
    for (int64_t g = part * GROUPS; g < s->by.count && g < (part + 1) * GROUPS; g++) fit_group(s, g);
    return RUNG_OK;
}

rung_status mixed_quadrature_at(rung_ctx *ctx, mixed_quadrature *s, const double *f, const double *b,
                                const double *lambda, mixed_slopes *out)
{
    int64_t parts = (s->by.count + GROUPS - 1) / GROUPS;
    s->f = f;
    s->b = b;
    s->loading = *lambda;
    s->out = out;
    TRY(parallel_tasks(ctx, parallel_workers(ctx, 0, parts), parts, fit_groups, s));
    out->value = 0;
    *out->lambda = 0;
    for (int64_t g = 0; g < s->by.count; g++) {
        out->value += s->value[g];
        *out->lambda += s->lambda[g];
    }
    if (!isfinite(out->value)) out->value = -INFINITY;
    return RUNG_OK;
}

void mixed_quadrature_modes(const mixed_quadrature *s, double *v, double *variance)
{
    for (int64_t i = 0; i < s->m->n; i++) {
        int64_t g = s->by.of[i], to = s->m->term[0].group[i];
        v[to] = s->mode[g];
        variance[to] = s->spread[g] * s->spread[g];
    }
}
