// SPDX-License-Identifier: BSD-3-Clause
/* discriminant.c - the order-constrained discriminant.
 *
 *     minimise  b'Z b - C rho   subject to  b'(M_{q+1} - M_q) >= rho,  q = 1..K-1,     Z = K_T P K_T' + F
 *
 *     K_T   columns of the kernel matrix that belong to labelled rows
 *     P     blockdiag(D_q - D_q 1 1'D_q / s_q): centring within the classes; D row weights (default 1), s_q their sum
 *     M_q   mean of class q in the expansion; E its operator, Ed (n x (K-1)) the differences, K_T Ed = M_{q+1} - M_q
 *     F     what regularises: eps K or t I, with or without a graph
 *     b     = F^-1 K_T c,  c = 1/2 (I + P G)^-1 Ed a,  G = K_T'F^-1 K_T
 *     a     = argmin a'Q a on the simplex of sum C,  Q = Ed'G (I + P G)^-1 Ed  (K-1 unknowns)
 *
 * Kernel ridge, F^-1 = K~ / eps on the labelled rows. With B = K~ + eps D^-1, U = B^-1 1_q (n x K, 1_q the class
 * indicators), S = 1_q'U and Delta the K x (K-1) difference matrix, pushing Z^-1 through gives
 *     (eps I + P K~)^-1 Ed = U S^-1 Delta / eps,        Q = Delta'((eps S)^-1 - s^-1) Delta,
 * because P = D - (rank K) and the rank-K correction collapses: one Cholesky and K solves are the whole fit, and
 * weights only change a diagonal. A fold costs no factorisation of its own size: with M = B^-1 and held-out rows F,
 *     S_F = S - U_F'M_FF^-1 U_F,     f_F = (1_F - M_FF^-1 U_F) g_F,     g_F = S_F^-1 Delta a_F / (2 eps),
 * so only the diagonal blocks M_FF are needed; for a single fold put last in the order, M_FF^-1 = L_FF L_FF' is part of
 * the Cholesky factor already. (Tests hold both against fits of the fold from scratch.)
 *
 * Identity ridge: G is far too large to be added to I in double precision (n^2 / t); identity_dl.c. */
#include "method/discriminant/discriminant_inner.h"
#include "method/discriminant/identity_dl.h"
#include "method/discriminant/landmark_dl.h"
#include "solve/simplex_qp.h"

rung_status class_index_new(rung_ctx *ctx, pool *mem, const problem *p, class_index *out)
{
    *out = (class_index){.K = p->K};
    TRY(NEW(ctx, mem, out->size, p->K));
    TRY(NEW(ctx, mem, out->mass, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) {
            out->n++;
            out->size[p->y[i] - 1]++;
            out->mass[p->y[i] - 1] += p->w ? p->w[i] : 1;
        }
    TRY(NEW(ctx, mem, out->order, out->n));
    int64_t at = 0;
    for (int q = 1; q <= p->K; q++)
        for (int64_t i = 0; i < p->n; i++)
            if (p->y[i] == q) out->order[at++] = i;
    return RUNG_OK;
}

rung_status order_weights(rung_ctx *ctx, int K, const double *Q, double C, double rounding, double *alpha,
                          bool *degenerate)
{
    int m = K - 1;
    TRY(simplex_qp(ctx, m, Q, 1, alpha));
    double value = 0, trace = 0;
    for (int i = 0; i < m; i++) {
        trace += Q[i + i * m];
        for (int j = 0; j < m; j++) value += alpha[i] * Q[i + j * m] * alpha[j];
    }
    *degenerate = !(value > fmax(1e-12 * trace / m, rounding));
    for (int i = 0; i < m; i++) alpha[i] = *degenerate ? C / m : C * alpha[i]; /* C^2 may be no number */
    return RUNG_OK;
}

void class_means(const class_index *c, const double *w, const double *f, double *mean)
{
    const int64_t *row = c->order;
    for (int q = 0; q < c->K; row += c->size[q++]) {
        double sum = 0;
        for (int64_t i = 0; i < c->size[q]; i++) sum += (w ? w[row[i]] : 1) * f[row[i]];
        mean[q] = sum / c->mass[q];
    }
}

void mean_thresholds(threshold_rule rule, int K, const double *mean, const double *mass, double *thresholds)
{
    for (int q = 0; q < K - 1; q++) {
        double upper = 0.5;
        if (rule == RULE_WEIGHTED) upper = mass[q + 1] / (mass[q] + mass[q + 1]);
        thresholds[q] = (1 - upper) * mean[q] + upper * mean[q + 1];
        if (q > 0 && thresholds[q] < thresholds[q - 1]) thresholds[q] = thresholds[q - 1];
    }
}

/* ---- a fit ---- */

static rung_status set_up(rung_ctx *ctx, const dl_problem *d, dl_setting *out)
{
    problem *p = d->p;
    int64_t l = 0;
    int *same = NULL;
    TRY(NEW(ctx, &ctx->scratch, out->rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, same, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) out->rows[l++] = i;
    out->params = d->params;
    TRY(problem_gram(ctx, p, d->k, &out->K));
    if (l == p->n)
        out->labelled = problem_view(p, p->mem);
    else
        TRY(problem_subset(ctx, &ctx->scratch, p, l, out->rows, &out->labelled, same));
    TRY(class_index_new(ctx, &ctx->scratch, &out->labelled, &out->classes));
    out->form = (dl_regulariser){.ridge = d->params->ridge, .L = d->L, .mu = d->mu, .l = l, .rows = out->rows};
    return dl_regulariser_new(ctx, out->K, &out->form);
}

/* The folds of all rows, restricted to the labelled ones. */
static rung_status labelled_folds(rung_ctx *ctx, const dl_setting *s, const folds *f, folds *out)
{
    *out = (folds){.n = s->form.l, .count = f->count, .repeats = f->repeats};
    TRY(NEW(ctx, &ctx->scratch, out->fold, out->n * f->repeats));
    for (int r = 0; r < f->repeats; r++)
        for (int64_t i = 0; i < out->n; i++) out->fold[r * out->n + i] = f->fold[r * f->n + s->rows[i]];
    return RUNG_OK;
}

/* Scores of the labelled rows, outputs x l, from the expansion beta (n x m). */
static rung_status labelled_scores(rung_ctx *ctx, const dl_setting *s, int m, const double *beta, double *score)
{
    double *f = NULL;
    TRY(NEW(ctx, &ctx->scratch, f, s->form.n * m));
    TRY(la_mul(ctx, 1, s->K, m, beta, 0, f));
    for (int j = 0; j < m; j++)
        for (int64_t i = 0; i < s->form.l; i++) score[i + j * s->form.l] = f[s->rows[i] + j * s->form.n];
    return RUNG_OK;
}

rung_status discriminant_results(rung_ctx *ctx, pool *mem, const problem *p, const ordered_classes *c,
                                 const discriminant_params *params, fitted *out)
{
    int K = p->K;
    if (c->degenerate)
        log_at(ctx, RUNG_LOG_WARNING,
               "no direction puts the class means in order; using the direction from the lowest to the highest class");
    out->own.decide = (decision){.kind = DECISION_THRESHOLDS, .K = K};
    TRY(NEW(ctx, mem, out->own.decide.thresholds, K - 1));
    mean_thresholds((threshold_rule)params->thresholds, K, c->mean, c->mass, out->own.decide.thresholds);
    TRY(mean_rank_map(ctx, mem, p, c->mean, &out->own.score, &out->own.map));
    TRY(report_list(ctx, mem, out, "means", K, c->mean));
    TRY(report_list(ctx, mem, out, "alpha", K - 1, c->alpha));
    return report_number(ctx, mem, out, "degenerate", c->degenerate);
}

rung_status discriminant_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const folds *f, fitted *out, held_out *held)
{
    if (d->landmarks > 0) return landmark_dl_fit(ctx, mem, d, f, out, held);
    if (d->params->ridge_kind == RIDGE_IDENTITY) return identity_dl_fit(ctx, mem, d, NULL, out);
    const problem *p = d->p;
    dl_setting s = {0};
    order_solution best = {0};
    folds part;
    double *beta = NULL, *score = NULL, *mean = NULL;
    TRY(set_up(ctx, d, &s));
    if (f) TRY(labelled_folds(ctx, &s, f, &part));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(NEW(ctx, &ctx->scratch, best.c, s.form.l));
    TRY(NEW(ctx, &ctx->scratch, best.alpha, p->K - 1));
    TRY(NEW(ctx, &ctx->scratch, beta, p->n));
    TRY(NEW(ctx, &ctx->scratch, score, s.form.l));
    TRY(order_by_kernel_ridge(ctx, mem, &s, f ? &part : NULL, &best, held));
    for (int64_t i = 0; held && s.form.l < p->n && i < held->n; i++) held->row[i] = s.rows[held->row[i]];
    TRY(dl_regulariser_expand(ctx, &s.form, 1, best.c, beta));
    TRY(labelled_scores(ctx, &s, 1, beta, score));
    TRY(expansion_scorer(ctx, mem, p, d->k, beta, &out->own.score));
    out->n_expansion = 0;
    for (int64_t i = 0; i < p->n; i++) out->n_expansion += beta[i] != 0;
    class_means(&s.classes, s.labelled.w, score, mean);
    ordered_classes c = {.mass = s.classes.mass, .mean = mean, .alpha = best.alpha, .degenerate = best.degenerate};
    return discriminant_results(ctx, mem, p, &c, d->params, out);
}

/* ---- directions (KDA) ---- */

void between_operator(int K, const double *mass, double *R)
{
    double total = 0;
    for (int q = 0; q < K; q++) total += mass[q];
    for (int j = 0; j < K; j++)
        for (int q = 0; q < K; q++) R[q + j * K] = ((q == j ? 1 : 0) - mass[q] / total) * sqrt(mass[j]);
}

void fix_signs(int K, int m, double *mean, int64_t n, double *beta)
{
    for (int j = 0; j < m; j++) {
        int largest = 0;
        for (int q = 1; q < K; q++)
            if (fabs(mean[j + q * m]) > fabs(mean[j + largest * m])) largest = q;
        if (mean[j + largest * m] >= 0) continue;
        for (int q = 0; q < K; q++) mean[j + q * m] = -mean[j + q * m];
        for (int64_t i = 0; i < n; i++) beta[i + j * n] = -beta[i + j * n];
    }
}

rung_status discriminant_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out)
{
    const problem *p = d->p;
    dl_setting s = {0};
    int K = p->K, m = components < K - 1 ? components : K - 1;
    if (d->landmarks > 0) return landmark_dl_directions(ctx, mem, d, m, out);
    if (d->params->ridge_kind == RIDGE_IDENTITY) return identity_dl_directions(ctx, mem, d, m, out);
    double *R = NULL, *C = NULL, *gram = NULL, *values = NULL, *c = NULL, *beta = NULL, *score = NULL, *mean = NULL,
           *one = NULL, rounding = 0;
    TRY(set_up(ctx, d, &s));
    int64_t l = s.form.l;
    TRY(NEW(ctx, &ctx->scratch, R, K * K));
    TRY(NEW(ctx, &ctx->scratch, C, l * K));
    TRY(NEW(ctx, &ctx->scratch, gram, K * K));
    TRY(NEW(ctx, &ctx->scratch, values, K));
    TRY(NEW(ctx, &ctx->scratch, c, l * m));
    TRY(NEW(ctx, &ctx->scratch, beta, p->n * m));
    TRY(NEW(ctx, &ctx->scratch, score, l * m));
    TRY(NEW(ctx, &ctx->scratch, mean, m * K));
    TRY(NEW(ctx, &ctx->scratch, one, K));
    between_operator(K, s.classes.mass, R);
    TRY(directions_by_kernel_ridge(ctx, &s, R, C, gram, &rounding));
    TRY(la_small_eigen(ctx, K, gram, NULL, values)); /* gram becomes the eigenvectors */
    for (int j = 0; j < m; j++)                      /* b'Zb = 1; a component without spread stays 0 */
        for (int q = 0; q < K && values[j] > fmax(1e-14 * values[0], rounding); q++)
            for (int64_t i = 0; i < l; i++) c[i + j * l] += C[i + q * l] * gram[q + j * K] / sqrt(values[j]);
    TRY(dl_regulariser_expand(ctx, &s.form, m, c, beta));
    TRY(labelled_scores(ctx, &s, m, beta, score));
    for (int j = 0; j < m; j++) {
        class_means(&s.classes, s.labelled.w, score + j * l, one);
        for (int q = 0; q < K; q++) mean[j + q * m] = one[q];
    }
    fix_signs(K, m, mean, p->n, beta);
    TRY(expansion_outputs(ctx, mem, p, d->k, m, beta, &out->own.score));
    for (int64_t i = 0; i < p->n; i++) out->n_expansion += beta[i] != 0;
    TRY(report_list(ctx, mem, out, "eigenvalues", m, values));
    return nearest_mean_decision(ctx, mem, K, m, mean, &out->own.decide);
}
