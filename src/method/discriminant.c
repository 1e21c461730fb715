// SPDX-License-Identifier: BSD-3-Clause
/* discriminant.c - the order-constrained discriminant.
 *
 *     minimise  b'Z b - C rho   subject to  b'(M_{q+1} - M_q) >= rho,  q = 1..K-1,     Z = K_T P K_T' + F
 *
 *     K_T          columns of the kernel matrix that belong to labelled rows
 *     P            blockdiag(D_q - D_q 1 1'D_q / s_q): centring within the classes; D row weights (1 by default), s_q
 * their sum M_q          mean of class q in the expansion; E its operator, Ed (n x (K-1)) the differences, K_T Ed =
 * M_{q+1} - M_q F            what regularises: eps K, t I, with or without a graph b            = F^-1 K_T c,  c = 1/2
 * (I + P G)^-1 Ed a,  G = K_T'F^-1 K_T a            = argmin a'Qa on the simplex of sum C,  Q = Ed'G (I + P G)^-1 Ed
 * (K-1 unknowns)
 *
 * Kernel ridge, F^-1 = K~ / eps on the labelled rows. With B = K~ + eps D^-1, U = B^-1 1_q (n x K, 1_q the class
 * indicators), S = 1_q'U and Delta the K x (K-1) difference matrix, pushing Z^-1 through gives (eps I + P K~)^-1 Ed = U
 * S^-1 Delta / eps,        Q = Delta' ((eps S)^-1 - s^-1) Delta, because P = D - (rank K) and the rank-K correction
 * collapses: one Cholesky and K solves are the whole fit, and weights only change a diagonal. A fold costs no
 * factorisation of its own size: with M = B^-1 and held-out rows F, S_F = S - U_F'M_FF^-1 U_F,     f_F = (1_F - M_FF^-1
 * U_F) g_F,     g_F = S_F^-1 Delta a_F / (2 eps), so only the diagonal blocks M_FF are needed; for a single fold put
 * last in the order, M_FF^-1 = L_FF L_FF' is part of the Cholesky factor already. (Tests hold both against fits of the
 * fold from scratch.)
 *
 * Otherwise G is far too large to be added to I in double precision (n^2 / t), so the same quantities are the residual
 * of a ridge least-squares problem: G = Y'Y, P = W W', z = argmin |Y Ed - Y W z|^2 + |z|^2  by QR,   Q = Gram matrix of
 * the residuals,   c = (Ed - W z) a / 2. */
#include "method/discriminant.h"

#include <string.h>

#include "method/landmark_dl.h"
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

rung_status order_weights(rung_ctx *ctx, int K, const double *Q, double C, bool coincide, double *alpha,
                          bool *degenerate)
{
    int m = K - 1;
    TRY(simplex_qp(ctx, m, Q, C, alpha));
    double value = 0, trace = 0;
    for (int i = 0; i < m; i++) {
        trace += Q[i + i * m];
        for (int j = 0; j < m; j++) value += alpha[i] * Q[i + j * m] * alpha[j];
    }
    *degenerate = coincide || !(value > 1e-12 * trace / m * C * C);
    for (int i = 0; i < m && *degenerate; i++) alpha[i] = C / m;
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

/* ---- kernel ridge ---- */

typedef struct {
    double *c;     /* one per labelled row */
    double *alpha; /* K - 1: the weights of the order constraints */
    bool degenerate;
} solution;

static double row_weight(const problem *p, int64_t i) { return p->w ? p->w[i] : 1; }

/* The order-constrained solution over the classes with mass: g = S^-1 Delta a / (2 eps), one number per class, and the
 * projected means 1/2 ((eps S)^-1 - s^-1) Delta a. S is K x K and stays as it is. */
static rung_status solve_classes(rung_ctx *ctx, int K, const double *S, const double *mass, double eps, double C,
                                 double *g, double *mean, double *alpha, bool *degenerate)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *A = NULL, *inverse = NULL, *G = NULL, *Q = NULL, size = 0, spread = 0; /* G = S^-1 Delta */
    TRY(NEW_RAW(ctx, &ctx->scratch, A, K * K));
    TRY(NEW(ctx, &ctx->scratch, inverse, K * K));
    TRY(NEW(ctx, &ctx->scratch, G, K * (K - 1)));
    TRY(NEW(ctx, &ctx->scratch, Q, (K - 1) * (K - 1)));
    memcpy(A, S, sizeof *A * (size_t)(K * K));
    for (int q = 0; q < K; q++) inverse[q + q * K] = 1;
    TRY(la_small_spd_solve(ctx, K, A, K, inverse));
    for (int c = 0; c < K - 1; c++)
        for (int r = 0; r < K; r++) G[r + c * K] = inverse[r + (c + 1) * K] - inverse[r + c * K];
#define CORE(r, c) (G[(r) + (c)*K] / eps + ((r) == (c) ? 1 / mass[r] : (r) == (c) + 1 ? -1 / mass[r] : 0))
    for (int c = 0; c < K - 1; c++)
        for (int r = 0; r < K - 1; r++) Q[r + c * (K - 1)] = CORE(r + 1, c) - CORE(r, c);
    for (int q = 0; q < K; q++) size += inverse[q + q * K] / eps;
    for (int q = 0; q < K - 1; q++) spread += Q[q + q * (K - 1)];
    TRY(order_weights(ctx, K, Q, C, spread <= 1e-13 * size, alpha, degenerate));
    for (int r = 0; r < K; r++) {
        g[r] = mean[r] = 0;
        for (int c = 0; c < K - 1; c++) {
            g[r] += G[r + c * K] * alpha[c] / (2 * eps);
            mean[r] += CORE(r, c) * alpha[c] / 2;
        }
    }
#undef CORE
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

typedef struct {
    const problem *p;
    const class_index *classes;
    const discriminant_params *params;
    const la_mat *G;
    int64_t *order; /* row of the problem at each place of B */
    la_mat *B;      /* G + eps D^-1 in that order, then its factor, then its inverse */
    double *U, *S;  /* n x K in that order, K x K */
} ridge_fit;

/* The rows of a single held-out fold go last. */
static rung_status place_rows(rung_ctx *ctx, ridge_fit *fit, const folds *f)
{
    int64_t n = fit->p->n, kept = 0;
    TRY(NEW(ctx, &ctx->scratch, fit->order, n));
    bool split = f && f->count == 1;
    if (split) kept = folds_kept(f, 0, 0, fit->order);
    if (split) folds_held(f, 0, 0, fit->order + kept);
    for (int64_t i = 0; i < n && !split; i++) fit->order[i] = i;
    return RUNG_OK;
}

static rung_status factor_and_solve(rung_ctx *ctx, ridge_fit *fit)
{
    int64_t n = fit->p->n;
    int K = fit->p->K;
    TRY(la_new(ctx, &ctx->scratch, n, n, &fit->B));
    TRY(la_gather(ctx, fit->G, fit->order, fit->order, fit->B));
    double *diagonal = NULL;
    TRY(NEW(ctx, &ctx->scratch, diagonal, n));
    TRY(NEW(ctx, &ctx->scratch, fit->U, n * K));
    TRY(NEW(ctx, &ctx->scratch, fit->S, K * K));
    for (int64_t i = 0; i < n; i++) {
        int64_t row = fit->order[i];
        diagonal[i] = fit->params->ridge / row_weight(fit->p, row);
        fit->U[i + (fit->p->y[row] - 1) * n] = 1;
    }
    la_add_diagonal(fit->B, 1, diagonal);
    TRY(la_potrf(ctx, fit->B));
    TRY(la_potrs(ctx, fit->B, K, fit->U));
    for (int c = 0; c < K; c++)
        for (int64_t i = 0; i < n; i++) fit->S[fit->p->y[fit->order[i]] - 1 + c * K] += fit->U[i + c * n];
    return RUNG_OK;
}

/* M_FF^-1 U_F for the h places `held` of B: from the factor if they are its tail, else from the inverse. */
static rung_status held_solution(rung_ctx *ctx, const ridge_fit *fit, bool tail, int64_t h, const int64_t *held,
                                 double *Y)
{
    int64_t n = fit->p->n;
    int K = fit->p->K;
    for (int c = 0; c < K; c++)
        for (int64_t i = 0; i < h; i++) Y[i + c * h] = fit->U[held[i] + c * n];
    if (tail) {
        la_trmm_tail(fit->B, h, true, K, Y);
        la_trmm_tail(fit->B, h, false, K, Y);
        return RUNG_OK;
    }
    la_mat *block = NULL;
    TRY(la_new(ctx, &ctx->scratch, h, h, &block));
    TRY(la_gather(ctx, fit->B, held, held, block));
    TRY(la_potrf(ctx, block));
    return la_potrs(ctx, block, K, Y);
}

/* Classes that have mass left once the held-out rows are gone; returns how many. */
static int kept_classes(const ridge_fit *fit, int64_t h, const int64_t *held, double *mass, int *kept)
{
    int count = 0;
    for (int q = 0; q < fit->p->K; q++) {
        int64_t left = fit->classes->size[q];
        mass[count] = fit->classes->mass[q];
        for (int64_t i = 0; i < h; i++) {
            int64_t row = fit->order[held[i]];
            if (fit->p->y[row] != q + 1) continue;
            left--;
            mass[count] -= row_weight(fit->p, row);
        }
        if (left > 0) kept[count++] = q;
    }
    return count;
}

/* One fold: scores and ranks of the h places `held`, appended to out. */
static rung_status score_fold(rung_ctx *ctx, const ridge_fit *fit, bool tail, int64_t h, const int64_t *held,
                              held_out *out)
{
    int64_t n = fit->p->n;
    int K = fit->p->K;
    double *Y = NULL, *S = NULL, *mass = NULL, *g = NULL, *mean = NULL, *alpha = NULL, *thresholds = NULL,
           *label = NULL;
    int *kept = NULL;
    TRY(NEW(ctx, &ctx->scratch, Y, h * K));
    TRY(NEW(ctx, &ctx->scratch, S, K * K));
    TRY(NEW(ctx, &ctx->scratch, mass, K));
    TRY(NEW(ctx, &ctx->scratch, g, K));
    TRY(NEW(ctx, &ctx->scratch, mean, K));
    TRY(NEW(ctx, &ctx->scratch, alpha, K));
    TRY(NEW(ctx, &ctx->scratch, thresholds, K));
    TRY(NEW(ctx, &ctx->scratch, label, K));
    TRY(NEW(ctx, &ctx->scratch, kept, K));
    TRY(held_solution(ctx, fit, tail, h, held, Y));
    int left = kept_classes(fit, h, held, mass, kept);
    for (int c = 0; c < left; c++) {
        label[c] = kept[c] + 1;
        for (int r = 0; r < left; r++) { /* S_F = S - U_F' M_FF^-1 U_F */
            double s = fit->S[kept[r] + kept[c] * K];
            for (int64_t i = 0; i < h; i++) s -= fit->U[held[i] + kept[r] * n] * Y[i + kept[c] * h];
            S[r + c * left] = s;
        }
    }
    bool degenerate;
    if (left > 1)
        TRY(solve_classes(ctx, left, S, mass, fit->params->ridge, fit->params->C, g, mean, alpha, &degenerate));
    mean_thresholds((threshold_rule)fit->params->thresholds, left, mean, mass, thresholds);
    rank_map map = {.n = left, .f = mean, .s = label};
    decision decide = {.kind = DECISION_THRESHOLDS, .K = left, .thresholds = thresholds};
    for (int64_t i = 0; i < h; i++) {
        int64_t row = fit->order[held[i]];
        double f = 0;
        for (int c = 0; c < left; c++) f += ((fit->p->y[row] == kept[c] + 1 ? 1.0 : 0.0) - Y[i + kept[c] * h]) * g[c];
        out->row[out->n] = row;
        out->score[out->n] = rank_score(&map, f);
        out->rank[out->n++] = kept[decision_rank(&decide, f) - 1] + 1;
    }
    return RUNG_OK;
}

static rung_status score_folds(rung_ctx *ctx, pool *mem, ridge_fit *fit, const folds *f, held_out *out)
{
    int64_t n = fit->p->n, *held = NULL, *rows = NULL, *place = NULL;
    bool tail = f->count == 1;
    if (!tail) TRY(la_potri(ctx, fit->B));
    TRY(held_out_new(ctx, mem, n * f->repeats, out));
    TRY(NEW(ctx, &ctx->scratch, held, n));
    TRY(NEW(ctx, &ctx->scratch, rows, n));
    TRY(NEW(ctx, &ctx->scratch, place, n)); /* where a row of the problem stands in B */
    for (int64_t i = 0; i < n; i++) place[fit->order[i]] = i;
    for (int r = 0; r < f->repeats; r++)
        for (int fold = 0; fold < f->count; fold++) {
            TRY(interrupted(ctx));
            int64_t h = folds_held(f, r, fold, rows), first = out->n;
            for (int64_t i = 0; i < h; i++) held[i] = place[rows[i]];
            pool_mark mark = pool_here(&ctx->scratch);
            if (h > 0) TRY(score_fold(ctx, fit, tail, h, held, out));
            pool_release(&ctx->scratch, mark);
            for (int64_t i = first; i < out->n; i++) {
                out->repeat[i] = r;
                out->fold[i] = fold;
            }
        }
    return RUNG_OK;
}

/* One coefficient per labelled row, and with folds the held-out scores. */
static rung_status order_by_kernel_ridge(rung_ctx *ctx, pool *mem, const problem *p, const class_index *classes,
                                         const discriminant_params *params, const la_mat *G, const folds *f,
                                         solution *out, held_out *held)
{
    ridge_fit fit = {.p = p, .classes = classes, .params = params, .G = G};
    double *g = NULL, *mean = NULL;
    TRY(NEW(ctx, &ctx->scratch, g, p->K));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(place_rows(ctx, &fit, f));
    TRY(factor_and_solve(ctx, &fit));
    TRY(solve_classes(ctx, p->K, fit.S, classes->mass, params->ridge, params->C, g, mean, out->alpha,
                      &out->degenerate));
    for (int64_t i = 0; i < p->n; i++)
        for (int q = 0; q < p->K; q++) out->c[fit.order[i]] += fit.U[i + q * p->n] * g[q];
    return f ? score_folds(ctx, mem, &fit, f, held) : RUNG_OK;
}

/* ---- least squares ---- */

/* For right-hand sides E R, R (K x m) combinations of the class means: C (n x m) = E R - W z, the Gram matrix of the
 * residuals (m x m) = R'E'G (I + P G)^-1 E R, and whether the combined means are nothing but rounding. */
static rung_status least_squares(rung_ctx *ctx, const problem *p, const class_index *classes, const la_mat *Y,
                                 double factor, int m, const double *R, double *C, double *gram, bool *coincide)
{
    int64_t n = p->n, rows = la_rows(Y), contrasts = n - p->K;
    int K = p->K;
    double size = 0, spread = 0, *E = NULL, *YE = NULL, *b = NULL, *z = NULL, *Wz = NULL;
    la_mat *YW = NULL;
    TRY(NEW(ctx, &ctx->scratch, E, n * K));
    TRY(NEW(ctx, &ctx->scratch, YE, rows * K));
    TRY(NEW(ctx, &ctx->scratch, b, rows * m));
    TRY(NEW(ctx, &ctx->scratch, z, contrasts * m));
    TRY(NEW(ctx, &ctx->scratch, Wz, n * m));
    TRY(la_new(ctx, &ctx->scratch, rows, contrasts, &YW));
    for (int64_t i = 0; i < n; i++) E[i + (p->y[i] - 1) * n] = row_weight(p, i) / classes->mass[p->y[i] - 1];
    TRY(la_mul(ctx, factor, Y, K, E, 0, YE));
    for (int64_t i = 0; i < rows * K; i++) size += YE[i] * YE[i];
    for (int j = 0; j < m; j++) {
        for (int q = 0; q < K; q++) {
            if (R[q + j * K] == 0) continue;
            for (int64_t i = 0; i < rows; i++) b[i + j * rows] += YE[i + q * rows] * R[q + j * K];
            for (int64_t i = 0; i < n; i++) C[i + j * n] += E[i + q * n] * R[q + j * K];
        }
        for (int64_t i = 0; i < rows; i++) spread += b[i + j * rows] * b[i + j * rows];
    }
    *coincide = spread <= 1e-26 * size;
    TRY(la_group_contrasts(ctx, Y, factor, K, classes->size, classes->order, p->w, YW));
    TRY(la_ridge_qr(ctx, YW, m, b, z)); /* b becomes the rotated residual */
    for (int r = 0; r < m; r++)
        for (int s = 0; s < m; s++)
            for (int64_t i = 0; i < rows; i++) gram[r + s * m] += b[i + r * rows] * b[i + s * rows];
    la_group_contrasts_thin(n, K, classes->size, classes->order, p->w, m, z, Wz);
    for (int64_t i = 0; i < n * m; i++) C[i] -= Wz[i];
    la_free(&ctx->scratch, YW);
    return RUNG_OK;
}

static rung_status order_by_least_squares(rung_ctx *ctx, const problem *p, const class_index *classes,
                                          const discriminant_params *params, const regular_form *form, solution *out)
{
    int pairs = p->K - 1;
    double *R = NULL, *C = NULL, *Q = NULL;
    bool coincide;
    TRY(NEW(ctx, &ctx->scratch, R, p->K * pairs));
    TRY(NEW(ctx, &ctx->scratch, C, p->n * pairs));
    TRY(NEW(ctx, &ctx->scratch, Q, pairs * pairs));
    for (int q = 0; q < pairs; q++) {
        R[q + q * p->K] = -1;
        R[q + 1 + q * p->K] = 1;
    }
    TRY(least_squares(ctx, p, classes, form->Y, form->factor, pairs, R, C, Q, &coincide));
    TRY(order_weights(ctx, p->K, Q, params->C, coincide, out->alpha, &out->degenerate));
    for (int s = 0; s < pairs; s++)
        for (int64_t i = 0; i < p->n; i++) out->c[i] += C[i + s * p->n] * out->alpha[s] / 2;
    return RUNG_OK;
}

/* ---- a fit ---- */

typedef struct { /* what every fit of the family starts from */
    problem labelled;
    int64_t *rows; /* the labelled rows of the problem */
    class_index classes;
    regular_form form;
    const la_mat *K;
} setting;

static rung_status set_up(rung_ctx *ctx, problem *p, const kernel *k, const discriminant_params *params,
                          const la_csr *L, double mu, setting *out)
{
    int64_t l = 0;
    int *same = NULL;
    TRY(NEW(ctx, &ctx->scratch, out->rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, same, p->K));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) out->rows[l++] = i;
    TRY(problem_gram(ctx, p, k, &out->K));
    if (l == p->n)
        out->labelled = problem_view(p, p->mem);
    else
        TRY(problem_subset(ctx, &ctx->scratch, p, l, out->rows, &out->labelled, same));
    TRY(class_index_new(ctx, &ctx->scratch, &out->labelled, &out->classes));
    return regular_form_new(ctx, out->K, L, mu, params->ridge, (ridge_kind)params->ridge_kind, l, out->rows,
                            &out->form);
}

/* The folds of all rows, told of the labelled ones. */
static rung_status labelled_folds(rung_ctx *ctx, const setting *s, const folds *f, folds *out)
{
    *out = (folds){.n = s->form.l, .count = f->count, .repeats = f->repeats};
    TRY(NEW(ctx, &ctx->scratch, out->fold, out->n * f->repeats));
    for (int r = 0; r < f->repeats; r++)
        for (int64_t i = 0; i < out->n; i++) out->fold[r * out->n + i] = f->fold[r * f->n + s->rows[i]];
    return RUNG_OK;
}

/* Scores of the labelled rows, outputs x l, from the expansion beta (n x m). */
static rung_status labelled_scores(rung_ctx *ctx, const setting *s, int m, const double *beta, double *score)
{
    double *f = NULL;
    TRY(NEW(ctx, &ctx->scratch, f, s->form.n * m));
    TRY(la_mul(ctx, 1, s->K, m, beta, 0, f));
    for (int j = 0; j < m; j++)
        for (int64_t i = 0; i < s->form.l; i++) score[i + j * s->form.l] = f[s->rows[i] + j * s->form.n];
    return RUNG_OK;
}

rung_status discriminant_results(rung_ctx *ctx, pool *mem, int K, const double *mean, const double *mass,
                                 const discriminant_params *params, const double *alpha, bool degenerate, fitted *out)
{
    if (degenerate)
        log_at(
            ctx, RUNG_WARNING,
            "no direction puts the class means in order; the direction from the lowest to the highest class is taken");
    out->decide = (decision){.kind = DECISION_THRESHOLDS, .K = K};
    TRY(NEW(ctx, mem, out->decide.thresholds, K - 1));
    mean_thresholds((threshold_rule)params->thresholds, K, mean, mass, out->decide.thresholds);
    TRY(mean_rank_map(ctx, mem, K, mean, &out->map));
    TRY(report_list(ctx, mem, out, "means", K, mean));
    TRY(report_list(ctx, mem, out, "alpha", K - 1, alpha));
    return report_number(ctx, mem, out, "degenerate", degenerate);
}

rung_status discriminant_fit(rung_ctx *ctx, pool *mem, problem *p, const kernel *k, int64_t m,
                             const discriminant_params *params, const la_csr *L, double mu, const folds *f, fitted *out,
                             held_out *held)
{
    if (m > 0) return landmark_dl_fit(ctx, mem, p, k, m, params, L, mu, f, out, held);
    setting s = {0};
    solution best = {0};
    folds part;
    double *beta = NULL, *score = NULL, *mean = NULL;
    TRY(set_up(ctx, p, k, params, L, mu, &s));
    if (f) TRY(labelled_folds(ctx, &s, f, &part));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(NEW(ctx, &ctx->scratch, best.c, s.form.l));
    TRY(NEW(ctx, &ctx->scratch, best.alpha, p->K - 1));
    TRY(NEW(ctx, &ctx->scratch, beta, p->n));
    TRY(NEW(ctx, &ctx->scratch, score, s.form.l));
    if (s.form.kind == RIDGE_KERNEL)
        TRY(order_by_kernel_ridge(ctx, mem, &s.labelled, &s.classes, params, s.form.G, f ? &part : NULL, &best, held));
    else
        TRY(order_by_least_squares(ctx, &s.labelled, &s.classes, params, &s.form, &best));
    for (int64_t i = 0; held && s.form.l < p->n && i < held->n; i++) held->row[i] = s.rows[held->row[i]];
    TRY(regular_form_expand(ctx, &s.form, 1, best.c, beta));
    TRY(labelled_scores(ctx, &s, 1, beta, score));
    TRY(expansion_scorer(ctx, mem, p, k, beta, &out->score));
    out->n_expansion = 0;
    for (int64_t i = 0; i < p->n; i++) out->n_expansion += beta[i] != 0;
    class_means(&s.classes, s.labelled.w, score, mean);
    return discriminant_results(ctx, mem, p->K, mean, s.classes.mass, params, best.alpha, best.degenerate, out);
}

/* ---- directions (KDA) ---- */

void between_operator(int K, const double *mass, double *R)
{
    double total = 0;
    for (int q = 0; q < K; q++) total += mass[q];
    for (int j = 0; j < K; j++)
        for (int q = 0; q < K; q++) R[q + j * K] = ((q == j ? 1 : 0) - mass[q] / total) * sqrt(mass[j]);
}

/* Kernel ridge: C (l x K) = (I + P G)^-1 E R and gram = R'E'G (I + P G)^-1 E R, from S alone as in solve_classes. */
static rung_status directions_by_kernel_ridge(rung_ctx *ctx, const problem *p, const class_index *classes,
                                              const discriminant_params *params, const la_mat *G, const double *R,
                                              double *C, double *gram)
{
    ridge_fit fit = {.p = p, .classes = classes, .params = params, .G = G};
    int K = p->K;
    double *A = NULL, *X = NULL; /* X = S^-1 R */
    TRY(NEW_RAW(ctx, &ctx->scratch, A, K * K));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, K * K));
    TRY(place_rows(ctx, &fit, NULL));
    TRY(factor_and_solve(ctx, &fit));
    memcpy(A, fit.S, sizeof *A * (size_t)(K * K));
    memcpy(X, R, sizeof *X * (size_t)(K * K));
    TRY(la_small_spd_solve(ctx, K, A, K, X));
    for (int r = 0; r < K; r++)
        for (int c = 0; c < K; c++)
            for (int q = 0; q < K; q++)
                gram[r + c * K] += R[q + r * K] * (X[q + c * K] / params->ridge - R[q + c * K] / classes->mass[q]);
    for (int c = 0; c < K; c++)
        for (int q = 0; q < K; q++)
            for (int64_t i = 0; i < p->n; i++) C[i + c * p->n] += fit.U[i + q * p->n] * X[q + c * K] / params->ridge;
    return RUNG_OK;
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

rung_status discriminant_directions(rung_ctx *ctx, pool *mem, problem *p, const kernel *k, int64_t landmark_count,
                                    const discriminant_params *params, const la_csr *L, double mu, int components,
                                    fitted *out)
{
    setting s = {0};
    int K = p->K, m = components < K - 1 ? components : K - 1;
    if (landmark_count > 0) return landmark_dl_directions(ctx, mem, p, k, landmark_count, params, L, mu, m, out);
    double *R = NULL, *C = NULL, *gram = NULL, *values = NULL, *c = NULL, *beta = NULL, *score = NULL, *mean = NULL,
           *one = NULL;
    bool coincide;
    TRY(set_up(ctx, p, k, params, L, mu, &s));
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
    if (s.form.kind == RIDGE_KERNEL)
        TRY(directions_by_kernel_ridge(ctx, &s.labelled, &s.classes, params, s.form.G, R, C, gram));
    else
        TRY(least_squares(ctx, &s.labelled, &s.classes, s.form.Y, s.form.factor, K, R, C, gram, &coincide));
    TRY(la_small_eigen(ctx, K, gram, NULL, values)); /* gram becomes the eigenvectors */
    for (int j = 0; j < m; j++)                      /* b'Zb = 1; a component without spread stays 0 */
        for (int q = 0; q < K && values[j] > 1e-14 * values[0]; q++)
            for (int64_t i = 0; i < l; i++) c[i + j * l] += C[i + q * l] * gram[q + j * K] / sqrt(values[j]);
    TRY(regular_form_expand(ctx, &s.form, m, c, beta));
    TRY(labelled_scores(ctx, &s, m, beta, score));
    for (int j = 0; j < m; j++) {
        class_means(&s.classes, s.labelled.w, score + j * l, one);
        for (int q = 0; q < K; q++) mean[j + q * m] = one[q];
    }
    fix_signs(K, m, mean, p->n, beta);
    TRY(expansion_outputs(ctx, mem, p, k, m, beta, &out->score));
    for (int64_t i = 0; i < p->n; i++) out->n_expansion += beta[i] != 0;
    TRY(report_list(ctx, mem, out, "eigenvalues", m, values));
    return nearest_mean_decision(ctx, mem, K, m, mean, &out->decide);
}
