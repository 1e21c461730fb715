// SPDX-License-Identifier: BSD-3-Clause
/* kdlor.c - kernel discriminant learning for ordinal regression (DL).
 *
 *     minimise  b'Z b - C rho   subject to  b'(M_{q+1} - M_q) >= rho,  q = 1..K-1,     Z = N + R
 *
 *     N = K P K    within-class scatter in the kernel expansion, P = blockdiag(D_q - D_q 1 1'D_q / s_q)
 *     M_q          mean of class q there; E = its operator, Ed (n x (K-1)) the differences, K Ed = M_{q+1} - M_q
 *     D, s_q       row weights (1 by default) and their sum over class q
 *     R            the ridge: eps K (default) or t I (as published)
 *     b            = 1/2 Z^-1 K Ed a,   a = argmin a'Qa on the simplex,  Q = Ed'K Z^-1 K Ed  (K-1 unknowns)
 *
 * The expansion is over the labelled rows. C scales score and thresholds together and never changes a rank.
 *
 * Kernel ridge. With B = K + eps D^-1, U = B^-1 1_q (n x K, 1_q the class indicators), S = 1_q'U and Delta the K x
 * (K-1) difference matrix, pushing Z^-1 through gives (eps I + P K)^-1 Ed = U S^-1 Delta / eps,        Q = Delta' ((eps
 * S)^-1 - s^-1) Delta, because P = D - (rank K) and the rank-K correction collapses: one Cholesky and K solves are the
 * whole fit, and weights only change a diagonal. A fold costs no factorisation of its own size: with M = B^-1 and
 * held-out rows F, S_F = S - U_F'M_FF^-1 U_F,     f_F = (1_F - M_FF^-1 U_F) g_F,     g_F = S_F^-1 Delta a_F / (2 eps),
 * so only the diagonal blocks M_FF are needed; for a single fold put last in the order, M_FF^-1 = L_FF L_FF' is part of
 * the Cholesky factor already. (Tests hold both against fits of the fold from scratch.)
 *
 * Identity ridge. K K / t is far too large to be added to I in double precision, so the same quantities are the
 * residual of a ridge least-squares problem: Y = K / sqrt(t), P = W W', z = argmin |Y Ed - Y W z|^2 + |z|^2  by QR,   Q
 * = Gram matrix of the residuals,   b = K (Ed - W z) a / (2 t). */
#include <string.h>

#include "method/discriminant.h"

typedef struct {
    kernel_params kernel;
    double C, ridge;
    int ridge_kind, thresholds, calibrate;
} kdlor_params;

/* ---- kernel ridge ---- */

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
    const kdlor_params *params;
    const la_mat *K;
    int64_t *order; /* row of the problem at each place of B */
    la_mat *B;      /* K + eps D^-1 in that order, then its factor, then its inverse */
    double *U, *S;  /* n x K in that order, K x K */
} ridge_fit;

static double row_weight(const problem *p, int64_t i) { return p->w ? p->w[i] : 1; }

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
    TRY(la_gather(ctx, fit->K, fit->order, fit->order, fit->B));
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

static rung_status fit_kernel_ridge(rung_ctx *ctx, pool *mem, const problem *p, const class_index *classes,
                                    const kdlor_params *params, const la_mat *K, const folds *f, double *beta,
                                    double *alpha, bool *degenerate, held_out *held)
{
    ridge_fit fit = {.p = p, .classes = classes, .params = params, .K = K};
    double *g = NULL, *mean = NULL;
    TRY(NEW(ctx, &ctx->scratch, g, p->K));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(place_rows(ctx, &fit, f));
    TRY(factor_and_solve(ctx, &fit));
    TRY(solve_classes(ctx, p->K, fit.S, classes->mass, params->ridge, params->C, g, mean, alpha, degenerate));
    for (int64_t i = 0; i < p->n; i++) {
        beta[fit.order[i]] = 0;
        for (int q = 0; q < p->K; q++) beta[fit.order[i]] += fit.U[i + q * p->n] * g[q];
    }
    if (f) TRY(score_folds(ctx, mem, &fit, f, held));
    return RUNG_OK;
}

/* ---- identity ridge ---- */

static rung_status fit_identity_ridge(rung_ctx *ctx, const problem *p, const class_index *classes,
                                      const kdlor_params *params, const la_mat *K, double *beta, double *alpha,
                                      bool *degenerate)
{
    int64_t n = p->n, m = n - p->K;
    int pairs = p->K - 1;
    double root = 1 / sqrt(params->ridge), size = 0, spread = 0;
    double *E = NULL, *YE = NULL, *Ed = NULL, *YEd = NULL, *z = NULL, *Wz = NULL, *Q = NULL, *c = NULL;
    la_mat *YW = NULL;
    TRY(NEW(ctx, &ctx->scratch, E, n * p->K));
    TRY(NEW(ctx, &ctx->scratch, YE, n * p->K));
    TRY(NEW(ctx, &ctx->scratch, Ed, n * pairs));
    TRY(NEW(ctx, &ctx->scratch, YEd, n * pairs));
    TRY(NEW(ctx, &ctx->scratch, z, m * pairs));
    TRY(NEW(ctx, &ctx->scratch, Wz, n * pairs));
    TRY(NEW(ctx, &ctx->scratch, Q, pairs * pairs));
    TRY(NEW(ctx, &ctx->scratch, c, n));
    TRY(la_new(ctx, &ctx->scratch, n, m, &YW));
    for (int64_t i = 0; i < n; i++) E[i + (p->y[i] - 1) * n] = row_weight(p, i) / classes->mass[p->y[i] - 1];
    TRY(la_mul(ctx, root, K, p->K, E, 0, YE));
    for (int64_t i = 0; i < n * pairs; i++) {
        Ed[i] = E[i + n] - E[i];
        YEd[i] = YE[i + n] - YE[i];
        size += YE[i] * YE[i] + YE[i + n] * YE[i + n];
        spread += YEd[i] * YEd[i];
    }
    TRY(la_group_contrasts(ctx, K, root, p->K, classes->size, classes->order, p->w, YW));
    TRY(la_ridge_qr(ctx, YW, pairs, YEd, z)); /* YEd becomes the rotated residual */
    for (int r = 0; r < pairs; r++)
        for (int s = 0; s < pairs; s++)
            for (int64_t i = 0; i < n; i++) Q[r + s * pairs] += YEd[i + r * n] * YEd[i + s * n];
    TRY(order_weights(ctx, p->K, Q, params->C, spread <= 1e-26 * size, alpha, degenerate));
    la_group_contrasts_thin(n, p->K, classes->size, classes->order, p->w, pairs, z, Wz);
    for (int s = 0; s < pairs; s++)
        for (int64_t i = 0; i < n; i++) c[i] += (Ed[i + s * n] - Wz[i + s * n]) * alpha[s] / 2;
    return la_mul(ctx, 1 / params->ridge, K, 1, c, 0, beta);
}

/* ---- the method ---- */

static bool kdlor_holds_out(const void *params) { return ((const kdlor_params *)params)->ridge_kind == RIDGE_KERNEL; }

static rung_status kdlor_prepare(rung_ctx *ctx, problem *p, const void *params_)
{
    const kdlor_params *params = params_;
    const la_mat *K;
    kernel k;
    TRY(kernel_from_params(ctx, p->mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    return problem_gram(ctx, p, &k, &K);
}

static rung_status kdlor_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params_, const folds *f, fitted *out,
                             held_out *held)
{
    const kdlor_params *params = params_;
    class_index classes;
    const la_mat *K = NULL;
    kernel k;
    double *beta = NULL, *alpha = NULL, *score = NULL, *mean = NULL;
    bool degenerate = false;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    TRY(class_index_new(ctx, &ctx->scratch, p, &classes));
    TRY(problem_gram(ctx, p, &k, &K));
    TRY(NEW(ctx, mem, beta, p->n));
    TRY(NEW(ctx, mem, alpha, p->K - 1));
    TRY(NEW(ctx, mem, mean, p->K));
    TRY(NEW(ctx, &ctx->scratch, score, p->n));
    if (params->ridge_kind == RIDGE_KERNEL)
        TRY(fit_kernel_ridge(ctx, mem, p, &classes, params, K, f, beta, alpha, &degenerate, held));
    else
        TRY(fit_identity_ridge(ctx, p, &classes, params, K, beta, alpha, &degenerate));
    TRY(la_mul(ctx, 1, K, 1, beta, 0, score));
    class_means(&classes, p->w, score, mean);
    if (degenerate)
        log_at(
            ctx, RUNG_WARNING,
            "no direction puts the class means in order; the direction from the lowest to the highest class is taken");

    TRY(expansion_scorer(ctx, mem, p, &k, beta, &out->score));
    out->n_expansion = p->n;
    out->decide = (decision){.kind = DECISION_THRESHOLDS, .K = p->K};
    TRY(NEW(ctx, mem, out->decide.thresholds, p->K - 1));
    mean_thresholds((threshold_rule)params->thresholds, p->K, mean, classes.mass, out->decide.thresholds);
    TRY(mean_rank_map(ctx, mem, p->K, mean, &out->map));
    TRY(report_list(ctx, mem, out, "means", p->K, mean));
    TRY(report_list(ctx, mem, out, "alpha", p->K - 1, alpha));
    return report_number(ctx, mem, out, "degenerate", degenerate);
}

/* Gram matrix and factor, with folds also the inverse and its work space (up to 2000 rows); identity ridge: Gram matrix
 * and contrasts. The data are there three times: scaled, centred and in linalg. */
static double kdlor_bytes(const problem_shape *shape, const void *params_)
{
    const kdlor_params *params = params_;
    double n = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    bool inverse = params->ridge_kind == RIDGE_KERNEL && params->calibrate > 0 && n <= 2000;
    return 8 * ((inverse ? 3 : 2) * n * n + 3 * n * d + n * (4 * K + 80));
}

static const rung_param kdlor_rows[] = {
    KERNEL_PARAMS(kdlor_params),
    {.name = "C",
     .help = "weight of the margin between neighbouring class means; scales score and thresholds, never changes a rank",
     .type = RUNG_REAL,
     .standard = "1",
     .published = "1",
     .low = 0,
     .high = HUGE_VAL,
     .flags = RUNG_OPEN_LOW | RUNG_LOG | RUNG_NO_EFFECT,
     PARAM_PLACE(kdlor_params, C)},
    {.name = "ridge",
     .help = "how much is added to the within-class scatter",
     .type = RUNG_REAL,
     .standard = "0.01",
     .published = "1e-8",
     .low = 0,
     .high = HUGE_VAL,
     .flags = RUNG_OPEN_LOW | RUNG_LOG | RUNG_SMOOTH_UP,
     .grid = "1,0.1,0.01,0.001,0.0001",
     PARAM_PLACE(kdlor_params, ridge)},
    {.name = "ridge-kind",
     .help = "what is added: ridge times the kernel matrix, or times the identity",
     .type = RUNG_CHOICE,
     .standard = "kernel",
     .published = "identity",
     .choices = "kernel|identity",
     PARAM_PLACE(kdlor_params, ridge_kind)},
    {.name = "thresholds",
     .help = "fitted to out-of-fold scores, half way between projected class means, or weighted by the class sizes",
     .type = RUNG_CHOICE,
     .standard = "recalibrated",
     .published = "midpoint",
     .choices = "recalibrated|midpoint|weighted",
     PARAM_PLACE(kdlor_params, thresholds)},
    CALIBRATE_PARAM(kdlor_params, "5"),
    {0},
};

const method method_kdlor = {
    .info = {.name = "kdlor",
             .title = "Kernel discriminant learning for ordinal regression",
             .reference = "Sun, Li, Wu, Zhang, Li. Kernel discriminant learning for ordinal regression. IEEE TKDE "
                          "22(6):906-910, 2010. doi:10.1109/TKDE.2009.170",
             .cost = "time l^3/3, memory 2 l^2 for l labelled rows",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS,
             .params = kdlor_rows},
    .params_size = sizeof(kdlor_params),
    .bytes = kdlor_bytes,
    .prepare = kdlor_prepare,
    .holds_out = kdlor_holds_out,
    .fit = kdlor_fit,
};
