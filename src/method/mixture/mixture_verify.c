// SPDX-License-Identifier: BSD-3-Clause
/* mixture_verify.c - each member of a mixture meets the conditions of its family, on the rows of the data:
 *
 *     Gaussian process    Newton's decrement of the log posterior at its coefficients and thresholds is 0; its
 *                         covariance is that of the mode
 *     cumulative ridge    ridge e = Y - F for its coefficients e and what it says, F, of its rows
 *     label spreading     (I - a S) F = Y / mass
 *     class frequencies   their formula
 *
 * and the weights meet those of stacking: leave-one-out predictions are recomputed, the weights of the families are
 * optimal, and the weight of each member follows. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "fit/verify.h"
#include "method/mixture/cumulative_ridge.h"
#include "method/mixture/mixture.h"
#include "method/mixture/ogp_gp.h"
#include "method/spread/spread.h"
#include "solve/cumulative.h"

typedef struct { /* worst over the members; NaN counts as infinite */
    double decrement, covariance, covariance_limit, ridge, spreading, spreading_limit, frequencies, rows, ranks,
        weights, trees;
    bool has[FAMILY_KINDS], has_frequencies, has_trees;
} worst_of;

static void worsen(double *worst, double value)
{
    if (!(value <= *worst)) *worst = isnan(value) ? INFINITY : value;
}

/* max |a - b| over max |b|. */
static double relative_difference(int64_t n, const double *a, const double *b)
{
    double most = 0, off = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(b[i]));
        worsen(&off, fabs(a[i] - b[i]));
    }
    return most > 0 ? off / most : off;
}

/* |z|^2 of each row (model.h: probit_link), by the last `rank` of the expansions. */
static rung_status lowered(rung_ctx *ctx, const la_mat *gram, int64_t rank, const double *z, double *out)
{
    int64_t l = la_rows(gram);
    double *Z = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, Z, l * rank));
    TRY(la_mul(ctx, 1, gram, rank, z, 0, Z));
    for (int64_t i = 0; i < l; i++) {
        out[i] = 0;
        for (int64_t r = 0; r < rank; r++) out[i] += Z[i + r * l] * Z[i + r * l];
    }
    return RUNG_OK;
}

static rung_status process_conditions(rung_ctx *ctx, const candidates *c, const candidate *from, const member *one,
                                      worst_of *w)
{
    int J = c->p->K - 1, rank = (int)one->link.rank;
    int64_t l = c->l;
    double *a = NULL, *coef = NULL, *spread = NULL, *kept = NULL, *again = NULL, decrement, objective, magnified = 1;
    ogp_gp gp = candidate_process(c, from);
    TRY(NEW(ctx, &ctx->scratch, a, l));
    TRY(NEW(ctx, &ctx->scratch, coef, l * (c->p->K + rank)));
    TRY(NEW(ctx, &ctx->scratch, spread, (int64_t)J * J));
    TRY(NEW(ctx, &ctx->scratch, kept, l));
    TRY(NEW(ctx, &ctx->scratch, again, l));
    for (int64_t i = 0; i < l; i++) a[i] = one->score.coef[i] / gp.variance;
    rung_status status = ogp_gp_decrement(ctx, &gp, a, one->link.b, &decrement, &objective);
    if (status == RUNG_OK) status = ogp_gp_expansion(ctx, &gp, a, one->link.b, &rank, coef, spread, &magnified);
    if (status == RUNG_ESINGULAR) decrement = INFINITY;
    if (status != RUNG_OK && status != RUNG_ESINGULAR) return status;
    worsen(&w->decrement, fabs(decrement) / (1 + fabs(objective)));
    double off = relative_difference(l * J, one->score.coef + l, coef + l);
    TRY(lowered(ctx, gp.gram, one->link.rank, one->score.coef + l * (J + 1), kept));
    TRY(lowered(ctx, gp.gram, rank, coef + l * (J + 1), again));
    worsen(&off, relative_difference(l, kept, again));
    worsen(&off, relative_difference((int64_t)J * J, one->link.spread, spread));
    /* Both were computed from the same mode to the last bit of a, so they differ by rounding, and that as far as the
     * problem magnifies it: sure members of large variance are ill-conditioned. */
    double limit = fmax(1e-8, DBL_EPSILON * magnified);
    if (w->covariance_limit == 0 || !(off / limit <= w->covariance / w->covariance_limit)) {
        w->covariance = isnan(off) ? INFINITY : off;
        w->covariance_limit = limit;
    }
    return RUNG_OK;
}

/* The same with landmarks, whose expansions are those of the features of the stored rows. */
static rung_status feature_conditions(rung_ctx *ctx, const candidates *c, const candidate *from, const member *one,
                                      worst_of *w)
{
    const landmark_kernel *f = c->space[from->space].features[from->kernel];
    ogp_features gp = candidate_features(c, from);
    int J = c->p->K - 1, rank = (int)one->link.rank;
    int64_t m = f->l.m;
    double *coef = NULL, *spread = NULL, decrement, objective;
    TRY(NEW(ctx, &ctx->scratch, coef, m * (c->p->K + rank)));
    TRY(NEW(ctx, &ctx->scratch, spread, (int64_t)J * J));
    TRY(ogp_features_decrement(ctx, &gp, from->coef, one->link.b, &decrement, &objective));
    worsen(&w->decrement, fabs(decrement) / (1 + fabs(objective)));
    TRY(ogp_features_expansion(ctx, &gp, from->coef, one->link.b, &rank, coef, spread));
    TRY(landmarks_expand(ctx, &f->l, c->p->K, coef));
    double off = relative_difference(m * c->p->K, one->score.coef, coef);
    worsen(&off, relative_difference((int64_t)J * J, one->link.spread, spread));
    worsen(&off, abs(rank - (int)one->link.rank));
    w->covariance = fmax(w->covariance, off);
    w->covariance_limit = fmax(w->covariance_limit, 1e-8);
    return RUNG_OK;
}

/* With landmarks: ridge v = Phi (Y - F) for the weights v of the features. */
static rung_status feature_ridge(rung_ctx *ctx, const candidates *c, const candidate *from, const member *one,
                                 worst_of *w)
{
    const landmark_kernel *k = c->space[from->space].features[from->kernel];
    int J = c->p->K - 1;
    const cumulative_rows rows = candidates_targets(c);
    int64_t l = c->l, m = k->l.m;
    double *f = NULL, *left = NULL, *pull = NULL, *weighed = NULL, scale = candidate_scale(c, from);
    TRY(NEW(ctx, &ctx->scratch, f, l * J));
    TRY(NEW(ctx, &ctx->scratch, left, l));
    TRY(NEW(ctx, &ctx->scratch, pull, m));
    TRY(NEW(ctx, &ctx->scratch, weighed, m));
    TRY(scorer_apply(ctx, &one->score, l, c->space[from->space].labelled.X, f));
    for (int q = 0; q < J; q++) {
        for (int64_t i = 0; i < l; i++)
            left[i] = (c->base.w ? c->base.w[i] : 1) * scale * (f[i * J + q] - cumulative_target(&rows, i, q + 1));
        TRY(la_mul(ctx, 1, k->Phi, 1, left, 0, pull));
        for (int64_t j = 0; j < m; j++) weighed[j] = candidate_ridge(from) * from->coef[j + q * m];
        worsen(&w->ridge, relative_residual(m, 2, (const double *const[]){weighed, pull}, 1 / ROUNDED));
    }
    return RUNG_OK;
}

static rung_status ridge_conditions(rung_ctx *ctx, const candidates *c, const candidate *from, const member *one,
                                    worst_of *w)
{
    const scorer *s = &one->score;
    const cumulative_rows rows = candidates_targets(c);
    int J = c->p->K - 1;
    int64_t l = c->l;
    double *f = NULL, *e = NULL, *left = NULL, scale = candidate_scale(c, from);
    TRY(NEW(ctx, &ctx->scratch, f, l * J));
    TRY(NEW(ctx, &ctx->scratch, e, l));
    TRY(NEW(ctx, &ctx->scratch, left, l));
    if (c->landmarks > 0) return feature_ridge(ctx, c, from, one, w);
    TRY(scorer_apply(ctx, s, l, c->space[from->space].labelled.X, f));
    for (int q = 0; q < J; q++) {
        double below = (q + 1) * 0.5 / (J + 1), sum = 0, all = 0;
        for (int64_t i = 0; i < l; i++) {
            double y = cumulative_target(&rows, i, q + 1), weight = c->base.w ? c->base.w[i] : 1;
            below += weight * (1 - y);
            all += weight;
            e[i] = candidate_ridge(from) * s->coef[i + q * l] / scale;
            sum += s->coef[i + q * l] / scale;
            left[i] = weight * (f[i * J + q] - y);
        }
        worsen(&w->ridge, relative_residual(l, 2, (const double *const[]){e, left}, 1 / ROUNDED));
        worsen(&w->ridge, fabs(s->bias[q] - (1 - below / (all + 0.5)) - RIDGE_CONSTANT * sum) / (1 + fabs(sum)));
    }
    return RUNG_OK;
}

/* Whether the label of a row is class q, from 0. */
static bool names(const problem *p, int64_t i, int q) { return p->y[i] == q + 1 && !is_interval(p->y, p->upper, i); }

/* F / mass is what the member has; the mean of F / mass over the labelled rows is 1. */
static rung_status spread_conditions(rung_ctx *ctx, const candidates *c, const candidate *from, const member *one,
                                     worst_of *w)
{
    const mixture_space *s = &c->space[from->space];
    const double *F = one->score.coef;
    int64_t n = c->p->n;
    double *Y = NULL;
    TRY(NEW(ctx, &ctx->scratch, Y, n * c->p->K));
    TRY(spread_system_times(ctx, &s->all, s->edges[from->graph], s->width[from->graph], candidate_spread(from), F, Y));
    for (int q = 0; q < c->p->K; q++) {
        double start = 0, count = 0, mean = 0, most = 0;
        for (int64_t i = 0; i < n; i++) {
            most = fmax(most, fabs(F[i + q * n]));
            if (!c->p->y[i]) continue;
            mean += F[i + q * n] / (double)c->l;
            start += names(c->p, i, q) ? Y[i + q * n] : 0;
            count += names(c->p, i, q);
        }
        for (int64_t i = 0; i < n; i++)
            worsen(&w->spreading, fabs(Y[i + q * n] - (names(c->p, i, q) ? start / count : 0)) / most);
        worsen(&w->spreading, fabs(mean - 1));
    }
    w->spreading_limit = spread_residual_limit(c->p);
    return RUNG_OK;
}

static void frequencies_condition(const candidates *c, const member *one, worst_of *w)
{
    int K = c->p->K;
    for (int q = 0; q < K; q++) {
        double count = 0, all = 0;
        for (int64_t i = 0; i < c->l; i++) {
            double weight = c->base.w ? c->base.w[i] : 1;
            all += weight;
            count += label_share(c->y[i], highest_rank(c->y, c->upper, i), q + 1, c->mass) * weight;
        }
        worsen(&w->frequencies, fabs(one->prior[q] - (count + 1.0 / K) / (all + 1)));
    }
    w->has_frequencies = true;
}

/* The rows a member keeps are those of its space, and its second scaling makes them. */
static rung_status same_rows(rung_ctx *ctx, const candidates *c, const candidate *from, const member *one, worst_of *w)
{
    const mixture_space *s = &c->space[from->space];
    bool spread = from->kind == FAMILY_SPREAD;
    const landmark_kernel *k = spread ? NULL : s->features[from->kernel];
    const problem *p = spread ? &s->all : &s->labelled, *base = spread ? c->p : &c->base;
    rung_view view = {.v = base->X, .n = base->n, .d = base->d, .row = base->d, .col = 1};
    double *X = NULL;
    for (int64_t i = 0; i < one->score.m * p->d; i++) {
        double x = k ? k->l.X[i] : spread ? fmin(fmax(p->X[i], -NEIGHBOUR_MOST), NEIGHBOUR_MOST) : p->X[i];
        worsen(&w->rows, fabs(one->score.rows[i] - x));
    }
    if (one->space.d == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, base->n * base->d));
    scale_apply(&one->space, base->n, &view, NULL, X);
    for (int64_t i = 0; i < base->n * base->d; i++) worsen(&w->ranks, fabs(X[i] - p->X[i]));
    return RUNG_OK;
}

/* The trees are those that grow from the rows once more. */
static rung_status same_trees(rung_ctx *ctx, const mixture_choice *m, int kind, const member *one, worst_of *w)
{
    member again;
    TRY(stacked_trees_member(ctx, &ctx->scratch, &m->trees.rows, &m->trees.of[kind], &again));
    const forest *a = &one->score.trees, *b = &again.score.trees;
    w->has_trees = true;
    worsen(&w->trees, a->n_nodes != b->n_nodes);
    for (int64_t i = 0; i < a->n_nodes && a->n_nodes == b->n_nodes; i++) {
        worsen(&w->trees, a->column[i] != b->column[i]);
        worsen(&w->trees, fabs(a->value[i] - b->value[i]));
    }
    return RUNG_OK;
}

static rung_status member_conditions(rung_ctx *ctx, const mixture_choice *m, int i, const member *one, worst_of *w)
{
    pool_mark mark = pool_here(&ctx->scratch);
    if (m->kept.parts[i].candidate < -1) return same_trees(ctx, m, -2 - m->kept.parts[i].candidate, one, w);
    if (m->kept.parts[i].candidate < 0) {
        frequencies_condition(&m->c, one, w);
        return RUNG_OK;
    }
    const candidate *from = &m->c.list[m->kept.parts[i].candidate];
    TRY(same_rows(ctx, &m->c, from, one, w));
    w->has[from->kind] = true;
    if (from->kind == FAMILY_GP)
        TRY((m->c.landmarks > 0 ? feature_conditions : process_conditions)(ctx, &m->c, from, one, w));
    if (from->kind == FAMILY_RIDGE) TRY(ridge_conditions(ctx, &m->c, from, one, w));
    if (from->kind == FAMILY_SPREAD) TRY(spread_conditions(ctx, &m->c, from, one, w));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static void tell(const struct verification *v, const worst_of *w)
{
    conditions *found = v->found;
    if (w->has[FAMILY_GP]) {
        condition_add(found, "processes", "Newton's decrement at each mode, relative to the log posterior",
                      w->decrement, 1e-8);
        condition_add(found, "covariances", "values of the modes against recomputed ones, relative", w->covariance,
                      w->covariance_limit);
    }
    if (w->has[FAMILY_RIDGE])
        condition_add(found, "ridges", "residual of ridge e = Y - F, relative, worst member", w->ridge, 1e-6);
    if (w->has[FAMILY_SPREAD])
        condition_add(found, "spreading", "residual of (I - a S) F = Y, relative, worst member", w->spreading,
                      w->spreading_limit);
    if (w->has_frequencies)
        condition_add(found, "frequencies", "frequencies of the classes against their formula", w->frequencies,
                      v->p->upper ? 1e-12 : 1e-15); /* intervals: the residual of their fixed point */
    if (w->has_trees)
        condition_add(found, "trees", "nodes against those that grow from the rows once more", w->trees, 0);
    condition_add(found, "rows", "values stored by the members against the data", w->rows, 0);
    condition_add(found, "rank scaling", "rows scaled to ranks by the model against recomputed ones", w->ranks, 0);
    condition_add(found, "weights", "weights of the members against those given by leave-one-out", w->weights, 1e-9);
}

/* The held-out predictions of the members, recomputed from the data and taken together by the weights and the exponent
 * in the model, against those from which the weights follow. */
static rung_status held_out_again(rung_ctx *ctx, const rung_model *model, const mixture_choice *m, double all,
                                  double *off)
{
    int J = m->c.p->K - 1;
    double *P = NULL;
    TRY(NEW(ctx, &ctx->scratch, P, J));
    *off = 0;
    for (int64_t i = 0; i < m->c.l; i++) {
        memset(P, 0, (size_t)J * sizeof *P);
        for (int j = 0; j < m->kept.n; j++)
            for (int q = 0; q < J; q++) P[q] += model->members[j].weight / all * m->held[j][i * J + q];
        cumulative_sharpen(J + 1, model->sharpen, P);
        for (int q = 0; q < J; q++) worsen(off, fabs(P[q] - m->combined[i * J + q]));
    }
    return RUNG_OK;
}

rung_status mixture_verify(rung_ctx *ctx, const struct verification *v, const mixture_options *options)
{
    const rung_model *model = v->model;
    mixture_choice m;
    mixture_summary summary;
    worst_of w = {0};
    double all = 0, total = 0, off, said = told_number(model, "loo_mae");
    TRY(mixture_choose(ctx, v->p, options, &m, &summary));
    condition_add(v->found, "members", "difference from the number of members chosen by leave-one-out",
                  abs(model->n_members - m.kept.n), 0);
    condition_add(v->found, "stacking", "violation of the optimality of the families' weights, relative", m.violation,
                  1e-10);
    condition_add(v->found, "sharpening", "exponent against that of least leave-one-out error",
                  fabs(model->sharpen - m.sharpen), 0);
    if (model->n_members != m.kept.n) return RUNG_OK;
    for (int i = 0; i < m.kept.n; i++) {
        all += model->members[i].weight;
        total += m.kept.parts[i].weight;
    }
    for (int i = 0; i < m.kept.n; i++) {
        worsen(&w.weights, fabs(model->members[i].weight / all - m.kept.parts[i].weight / total));
        TRY(member_conditions(ctx, &m, i, &model->members[i], &w));
    }
    tell(v, &w);
    TRY(held_out_again(ctx, model, &m, all, &off));
    condition_add(v->found, "held out", "held-out predictions by the weights in the model against those measured", off,
                  1e-9);
    if (!isnan(said))
        condition_add(v->found, "held-out error", "reported mae of held-out rows against the recomputed one",
                      fabs(said - summary.mae), 1e-9);
    return RUNG_OK;
}
