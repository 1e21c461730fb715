// SPDX-License-Identifier: BSD-3-Clause
/* landmark_dl.c - the order-constrained discriminant on m features phi(x).
 *
 *     minimise  v'Z v - C rho   subject to  v'(mu_{q+1} - mu_q) >= rho,     Z = N + mu Phi L Phi' + eps I
 *
 * the problem of discriminant.c with its kernel replaced by phi(x)'phi(z): N the scatter of phi within the classes (the
 * second moment less sum_q s_q mu_q mu_q'), v'v the norm of the function. With W = Z^-1 [mu_1 .. mu_K] and A = [mu]'W
 *     Q = Delta'A Delta,   v = W Delta a / 2,   projected means A Delta a / 2.
 * All sums over rows are m x m or m x K, so a fold takes its rows out of them again: its labelled rows from the
 * moments, its edges from Phi L Phi'. */
#include "method/discriminant/landmark_dl.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/discriminant/landmark_graph.h"

typedef struct {
    la_mat *S, *M; /* m x m: second moment of the labelled rows; Phi L Phi' or NULL */
    double *sums;  /* m x K */
    double *mass;  /* K */
    int64_t *size; /* K */
} feature_sums;

typedef struct {
    const problem *p;
    const landmarks *l;
    const discriminant_params *params;
    const la_csr *L;
    double mu;
    int64_t *labelled, n_labelled;
    feature_sums all;
} feature_fit;

typedef struct { /* over the classes that are left */
    int K;
    int *kept;     /* K: which, from 0 */
    double *W, *A; /* m x K, K x K */
    double *mass;  /* K */
} class_solution;

/* ---- sums ---- */

static rung_status sums_new(rung_ctx *ctx, int64_t m, int K, bool graph, feature_sums *out)
{
    double *zeros = NULL;
    *out = (feature_sums){0};
    TRY(la_new(ctx, &ctx->scratch, m, m, &out->S));
    if (graph) TRY(la_new(ctx, &ctx->scratch, m, m, &out->M));
    TRY(NEW(ctx, &ctx->scratch, zeros, m * m));
    la_put(zeros, out->S);
    pool_free(&ctx->scratch, zeros);
    TRY(NEW(ctx, &ctx->scratch, out->sums, m * K));
    TRY(NEW(ctx, &ctx->scratch, out->mass, K));
    return NEW(ctx, &ctx->scratch, out->size, K);
}

static rung_status sums_copy(rung_ctx *ctx, int64_t m, int K, const feature_sums *from, feature_sums *out)
{
    TRY(sums_new(ctx, m, K, from->M != NULL, out));
    TRY(la_gather(ctx, from->S, NULL, NULL, out->S));
    if (from->M) TRY(la_gather(ctx, from->M, NULL, NULL, out->M));
    memcpy(out->sums, from->sums, sizeof *out->sums * (size_t)(m * K));
    memcpy(out->mass, from->mass, sizeof *out->mass * (size_t)K);
    memcpy(out->size, from->size, sizeof *out->size * (size_t)K);
    return RUNG_OK;
}

/* Adds labelled rows, or (sign -1) takes them out. */
static rung_status sums_add(rung_ctx *ctx, const feature_fit *fit, int64_t count, const int64_t *rows, int sign,
                            feature_sums *s)
{
    const problem *p = fit->p;
    grouped_rows some = {.X = p->X, .count = count, .rows = rows, .weight = p->w, .groups = p->K, .group = p->y};
    for (int64_t i = 0; i < count; i++) {
        s->mass[p->y[rows[i]] - 1] += sign * (p->w ? p->w[rows[i]] : 1);
        s->size[p->y[rows[i]] - 1] += sign;
    }
    return landmarks_moments(ctx, fit->l, &some, sign, s->S, s->sums);
}

/* The sums over all rows of which the problem has a sample. */
static rung_status sums_of_all(rung_ctx *ctx, const feature_fit *fit, feature_sums *out)
{
    int K = fit->p->K;
    feature_moments all;
    TRY(problem_moments(ctx, fit->p, fit->l, false, &all));
    *out = (feature_sums){.S = all.S, .sums = all.sums, .mass = all.mass};
    TRY(NEW(ctx, &ctx->scratch, out->size, K));
    for (int q = 0; q < K; q++) out->size[q] = (int64_t)all.size[q];
    return RUNG_OK;
}

/* ---- solving ---- */

static rung_status solve_features(rung_ctx *ctx, const feature_fit *fit, const feature_sums *s, class_solution *out)
{
    int64_t m = fit->l->m;
    int K = 0, all = fit->p->K;
    la_mat *Z = NULL, *C = NULL;
    double *scaled = NULL, *mean = NULL;
    *out = (class_solution){0};
    TRY(NEW(ctx, &ctx->scratch, out->kept, all));
    TRY(NEW(ctx, &ctx->scratch, out->mass, all));
    for (int q = 0; q < all; q++)
        if (s->size[q] > 0) {
            out->mass[K] = s->mass[q];
            out->kept[K++] = q;
        }
    out->K = K;
    TRY(NEW_RAW(ctx, &ctx->scratch, scaled, m * K));
    TRY(NEW_RAW(ctx, &ctx->scratch, mean, m * K));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->W, m * K));
    TRY(NEW(ctx, &ctx->scratch, out->A, K * K));
    TRY(la_new(ctx, &ctx->scratch, m, m, &Z));
    TRY(la_new(ctx, &ctx->scratch, m, K, &C));
    for (int q = 0; q < K; q++)
        for (int64_t i = 0; i < m; i++) {
            double sum = s->sums[i + out->kept[q] * m];
            mean[i + q * m] = out->W[i + q * m] = sum / out->mass[q];
            scaled[i + q * m] = sum / sqrt(out->mass[q]);
        }
    la_put(scaled, C);
    TRY(la_gather(ctx, s->S, NULL, NULL, Z));
    TRY(la_syrk(ctx, false, -1, C, 1, Z));
    if (s->M) TRY(la_scale_add(ctx, fit->mu, s->M, 1, Z));
    la_add_diagonal(Z, fit->params->ridge, NULL);
    TRY(la_potrf(ctx, Z));
    TRY(la_potrs(ctx, Z, K, out->W));
    for (int c = 0; c < K; c++)
        for (int r = 0; r < K; r++)
            for (int64_t i = 0; i < m; i++) out->A[r + c * K] += mean[i + r * m] * out->W[i + c * m];
    return RUNG_OK;
}

/* The ordered direction: weights v (m), projected means (K), multipliers alpha (K - 1). */
typedef struct {
    double *v, *mean, *alpha, size; /* size: what cancels in the means */
    bool degenerate;
} ordered_features;

/* Room for m features and K classes. */
static rung_status ordered_features_new(rung_ctx *ctx, int64_t m, int K, ordered_features *out)
{
    TRY(NEW(ctx, &ctx->scratch, out->v, m));
    TRY(NEW(ctx, &ctx->scratch, out->mean, K));
    return NEW(ctx, &ctx->scratch, out->alpha, K);
}

static rung_status order_classes(rung_ctx *ctx, int64_t m, const class_solution *s, double C, ordered_features *out)
{
    double *v = out->v, *mean = out->mean, *alpha = out->alpha;
    int K = s->K;
    double *Q = NULL, size = 0;
    TRY(NEW(ctx, &ctx->scratch, Q, (K - 1) * (K - 1)));
#define A(r, c) s->A[(r) + (c)*K]
    for (int c = 0; c < K - 1; c++)
        for (int r = 0; r < K - 1; r++) Q[r + c * (K - 1)] = A(r + 1, c + 1) - A(r, c + 1) - A(r + 1, c) + A(r, c);
    for (int q = 0; q < K; q++) size += A(q, q);
    TRY(order_weights(ctx, K, Q, C, 1e-13 * size, alpha, &out->degenerate));
    out->size = C * size;
    for (int q = 0; q < K; q++) mean[q] = 0;
    for (int64_t i = 0; i < m; i++) v[i] = 0;
    for (int c = 0; c < K - 1; c++) {
        for (int q = 0; q < K; q++) mean[q] += (A(q, c + 1) - A(q, c)) * alpha[c] / 2;
        for (int64_t i = 0; i < m; i++) v[i] += (s->W[i + (c + 1) * m] - s->W[i + c * m]) * alpha[c] / 2;
    }
#undef A
    return RUNG_OK;
}

/* ---- folds ---- */

static rung_status score_fold(rung_ctx *ctx, const feature_fit *fit, int64_t h, const int64_t *held, held_out *out)
{
    const problem *p = fit->p;
    const landmarks *l = fit->l;
    feature_sums left;
    class_solution s;
    ordered_features o = {0};
    double *thresholds = NULL, *label = NULL, *node = NULL, *X = NULL, *f = NULL;
    TRY(ordered_features_new(ctx, l->m, p->K, &o));
    TRY(NEW(ctx, &ctx->scratch, thresholds, p->K));
    TRY(NEW(ctx, &ctx->scratch, label, p->K));
    TRY(NEW(ctx, &ctx->scratch, node, p->K));
    TRY(NEW(ctx, &ctx->scratch, f, h));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * h));
    TRY(sums_copy(ctx, l->m, p->K, &fit->all, &left));
    TRY(sums_add(ctx, fit, h, held, -1, &left));
    if (left.M) TRY(landmark_graph_without(ctx, l, p, fit->L, h, held, left.M));
    TRY(solve_features(ctx, fit, &left, &s));
    if (s.K > 1) TRY(order_classes(ctx, l->m, &s, fit->params->C, &o));
    TRY(landmarks_expand(ctx, l, 1, o.v));
    for (int64_t i = 0; i < h; i++) memcpy(X + i * p->d, p->X + held[i] * p->d, (size_t)p->d * sizeof *X);
    TRY(kernel_expand(ctx, &l->k, &(point_set){p->d, h, X}, &(point_set){p->d, l->m, l->X}, 1, o.v, f));
    mean_thresholds((threshold_rule)fit->params->thresholds, s.K, o.mean, s.mass, thresholds);
    for (int q = 0; q < s.K; q++) label[q] = s.kept[q] + 1;
    rank_map map = {.f = node, .s = label};
    rank_map_of_means(s.K, o.mean, o.size, &map);
    decision decide = {.kind = DECISION_THRESHOLDS, .K = s.K, .thresholds = thresholds};
    for (int64_t i = 0; i < h; i++, out->n++) {
        out->row[out->n] = held[i];
        out->score[out->n] = rank_score(&map, f[i]);
        out->rank[out->n] = s.kept[decision_rank(&decide, f[i]) - 1] + 1;
    }
    return RUNG_OK;
}

static rung_status score_folds(rung_ctx *ctx, pool *mem, const feature_fit *fit, const folds *f, held_out *out)
{
    int64_t *held = NULL;
    TRY(held_out_new(ctx, mem, fit->n_labelled * f->repeats, out));
    TRY(NEW(ctx, &ctx->scratch, held, fit->p->n));
    for (int r = 0; r < f->repeats; r++)
        for (int fold = 0; fold < f->count; fold++) {
            pool_mark mark = pool_here(&ctx->scratch);
            int64_t h = folds_held(f, r, fold, held), first = out->n;
            TRY(interrupted(ctx));
            if (h > 0) TRY(score_fold(ctx, fit, h, held, out));
            pool_release(&ctx->scratch, mark);
            for (int64_t i = first; i < out->n; i++) {
                out->repeat[i] = r;
                out->fold[i] = fold;
            }
        }
    return RUNG_OK;
}

/* ---- fits ---- */

static rung_status landmarks_for(rung_ctx *ctx, const dl_problem *d, const landmarks **out)
{
    if (d->params->ridge_kind != RIDGE_KERNEL)
        return set_error(ctx, RUNG_EARG, "ridge-kind=identity needs landmarks=exact; use ridge-kind=kernel");
    return problem_landmarks(ctx, d->p, d->k, d->landmarks, out);
}

static rung_status set_up(rung_ctx *ctx, const dl_problem *d, feature_fit *out)
{
    const problem *p = d->p;
    *out = (feature_fit){.p = p, .params = d->params, .L = d->mu > 0 ? d->L : NULL, .mu = d->mu};
    TRY(landmarks_for(ctx, d, &out->l));
    TRY(NEW(ctx, &ctx->scratch, out->labelled, p->n));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) out->labelled[out->n_labelled++] = i;
    if (p->all) return sums_of_all(ctx, out, &out->all); /* of a method without a graph */
    TRY(sums_new(ctx, out->l->m, p->K, out->L != NULL, &out->all));
    TRY(sums_add(ctx, out, out->n_labelled, out->labelled, 1, &out->all));
    if (out->L) TRY(landmarks_quadratic(ctx, out->l, p->n, p->X, out->L, landmark_room(memory_left(ctx)), out->all.M));
    return RUNG_OK;
}

static rung_status ordered_results(rung_ctx *ctx, pool *mem, const feature_fit *fit, const class_solution *s,
                                   const ordered_features *o, fitted *out)
{
    ordered_classes c = {.mass = s->mass, .mean = o->mean, .alpha = o->alpha, .degenerate = o->degenerate};
    TRY(landmark_results(ctx, mem, fit->l, 1, o->v, out));
    return discriminant_results(ctx, mem, fit->p, &c, fit->params, out);
}

rung_status landmark_dl_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const folds *f, fitted *out, held_out *held)
{
    feature_fit fit;
    class_solution s;
    ordered_features o = {0};
    TRY(set_up(ctx, d, &fit));
    TRY(ordered_features_new(ctx, fit.l->m, d->p->K, &o));
    TRY(solve_features(ctx, &fit, &fit.all, &s));
    TRY(order_classes(ctx, fit.l->m, &s, d->params->C, &o));
    if (f) TRY(score_folds(ctx, mem, &fit, f, held));
    return ordered_results(ctx, mem, &fit, &s, &o, out);
}

/* Z = (sum_i phi_i phi_i' - sum_q s_q mu_q mu_q') / n + eps I with mu_q = sum_i U_iq phi_i / s_q, s_q = sum_i U_iq: n
 * times the inverse with n eps. */
rung_status landmark_dl_soft(rung_ctx *ctx, pool *mem, const dl_problem *d, const double *U, fitted *out)
{
    const problem *p = d->p;
    int K = p->K;
    discriminant_params scaled = *d->params;
    feature_fit fit = {.p = p, .params = &scaled};
    class_solution s;
    ordered_features o = {0};
    int64_t *rows = NULL;
    scaled.ridge *= (double)p->n;
    TRY(landmarks_for(ctx, d, &fit.l));
    TRY(sums_new(ctx, fit.l->m, K, false, &fit.all));
    TRY(ordered_features_new(ctx, fit.l->m, K, &o));
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, p->n));
    for (int64_t i = 0; i < p->n; i++) rows[i] = i;
    grouped_rows all = {.X = p->X, .count = p->n, .rows = rows, .groups = K, .member = U, .columns = p->n};
    TRY(landmarks_moments(ctx, fit.l, &all, 1, fit.all.S, fit.all.sums));
    for (int q = 0; q < K; q++) {
        fit.all.size[q] = p->n;
        for (int64_t i = 0; i < p->n; i++) fit.all.mass[q] += U[i + q * p->n];
    }
    TRY(solve_features(ctx, &fit, &fit.all, &s));
    for (int64_t i = 0; i < fit.l->m * K; i++) s.W[i] *= (double)p->n;
    for (int i = 0; i < K * K; i++) s.A[i] *= (double)p->n;
    TRY(order_classes(ctx, fit.l->m, &s, d->params->C, &o));
    return ordered_results(ctx, mem, &fit, &s, &o, out);
}

/* v_j = W R u_j / sqrt(lambda_j) with the eigenpairs of R'A R: v'Z v = 1, as in discriminant_directions. */
rung_status landmark_dl_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out)
{
    feature_fit fit;
    class_solution s;
    int K = d->p->K;
    double *R = NULL, *AR = NULL, *gram = NULL, *values = NULL, *V = NULL, *mean = NULL;
    TRY(set_up(ctx, d, &fit));
    TRY(solve_features(ctx, &fit, &fit.all, &s));
    int64_t size = fit.l->m;
    TRY(NEW(ctx, &ctx->scratch, R, K * K));
    TRY(NEW(ctx, &ctx->scratch, AR, K * K));
    TRY(NEW(ctx, &ctx->scratch, gram, K * K));
    TRY(NEW(ctx, &ctx->scratch, values, K));
    TRY(NEW(ctx, &ctx->scratch, V, size * components));
    TRY(NEW(ctx, &ctx->scratch, mean, components * K));
    between_operator(K, s.mass, R);
    for (int c = 0; c < K; c++)
        for (int q = 0; q < K; q++)
            for (int r = 0; r < K; r++) AR[r + c * K] += s.A[r + q * K] * R[q + c * K];
    for (int c = 0; c < K; c++)
        for (int q = 0; q < K; q++)
            for (int r = 0; r < K; r++) gram[r + c * K] += R[q + r * K] * AR[q + c * K];
    TRY(la_small_eigen(ctx, K, gram, NULL, values)); /* gram becomes the eigenvectors */
    for (int j = 0; j < components && values[j] > 1e-14 * values[0]; j++)
        for (int c = 0; c < K; c++) {
            double u = gram[c + j * K] / sqrt(values[j]);
            for (int q = 0; q < K; q++) {
                mean[j + q * components] += AR[q + c * K] * u;
                for (int64_t i = 0; i < size; i++) V[i + j * size] += s.W[i + q * size] * R[q + c * K] * u;
            }
        }
    fix_signs(K, components, mean, size, V);
    TRY(landmark_results(ctx, mem, fit.l, components, V, out));
    TRY(report_list(ctx, mem, out, "eigenvalues", components, values));
    return nearest_mean_decision(ctx, mem, K, components, mean, &out->own.decide);
}

/* The sums of the fit and of a fold, Z and its parts; tiles of features; where there is a graph its lists, edges and
 * Laplacian, and the features of all rows as far as they may be kept. */
double landmark_dl_bytes(const problem_shape *shape, int64_t m_, int64_t graph_rows, int nearest)
{
    bool graph = graph_rows > 0;
    double n = (double)(graph ? graph_rows : shape->labelled), d = (double)shape->d, m = (double)m_,
           tile = fmin(n, 4096);
    double choosing = landmarks_bytes(shape->d, (int64_t)n, m_) / 8,
           sums = (graph ? 9 : 5) * m * m + tile * ((graph ? 2 : 1) * m + 2 * d);
    if (shape->all) sums += problem_moments_bytes(shape->d, m_) / 8;
    double kept = fmin(n * m, fmax(32 * n, landmark_room(shape->memory) / 8));
    return 8 * (n * (2 * d + shape->K + 12) + fmax(choosing, sums + (graph ? n * (7.0 * nearest + 20) + kept : 0)));
}

/* Moments of all rows, their memberships, lists and edges, and the vectors of the conjugate gradients. */
double landmark_soft_bytes(const problem_shape *shape, int64_t m_, int nearest)
{
    double n = (double)shape->n, d = (double)shape->d, m = (double)m_, tile = fmin(n, 4096);
    return 8 * (n * (2 * d + 7.0 * nearest + 6 * shape->K + 40) +
                fmax(landmarks_bytes(shape->d, shape->n, m_) / 8, 4 * m * m + tile * (m + 2 * d)));
}
