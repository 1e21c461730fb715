// SPDX-License-Identifier: BSD-3-Clause
/* identity_dl.c - the discriminants of discriminant.c with the identity ridge, t I.
 *
 * A ridge as small as 1e-8 lets rounding decide where it alone regularises: in the directions in which the kernel
 * matrix K is 0, or near 0. So the problem is solved in coordinates c of the expansion b = F c in which these are left
 * out and the others told apart by their size. With K = F D F' (eigenvectors; F'F = I) the scores are K b = F D c and
 *
 *     Z = Y_T P Y_T' + mu Y L Y' + t I,   Y = D F' (r x n).
 *
 * With M = mu Y L Y' + t I = C C' and y_i the columns of C^-1 Y this is, for h = C'c,
 *
 *     Z = I + sum_i p_i p_i',   p_i = sqrt(w_i) (y_i - m_q)  for row i of class q and its mean m_q,
 *
 * whose factor comes from a QR factorisation of [I; p']: no condition number is squared, and coordinates of other sizes
 * keep their own digits. Memberships U of all rows (ws_dl.c) have p_i = (y_i - sum_q U_iq m_q) / sqrt(n) and, for what
 * varies within a row, K more: the columns of m S^(1/2) / sqrt(n) with S = diag(s) - U'U.
 *
 * A linear kernel with fewer columns than rows has the rank of X, K = X X', and w = X'b is what is sought: the least
 * |b| has b'b = w'(X'X)^+ w. With X'X = F F' (pivoted Cholesky of columns of norm 1, turned so that F'F is diagonal)
 * and w = F c, Y = F'X'. */
#include "method/discriminant/identity_dl.h"

#include <string.h>

typedef struct {
    const dl_problem *d;
    const double *U; /* memberships; NULL: the labels */
    const la_mat *K; /* the kernel matrix; NULL: linear, in the weights of the columns */
    int64_t size;    /* of a solution: n coefficients, or d weights */
    int64_t r;       /* its coordinates */
    double *F;       /* size x r */
    la_mat *C;       /* with a graph; NULL: sqrt(ridge) I */
    double *y;       /* r x n: C^-1 Y */
    double *mass;    /* K */
    double *mean;    /* r x K: of y */
} coordinates;

typedef struct { /* combinations of the class means (K x m), and Z^-1 of them */
    int m;
    const double *R; /* K x m */
    double *W;       /* size x m */
    double *gram;    /* m x m: R'(means)' Z^-1 (means) R */
    bool coincide;   /* the combined means are nothing but rounding */
} combined_means;

/* How much of row i belongs to class q, from 0. */
static double share(const coordinates *s, int64_t i, int q)
{
    const problem *p = s->d->p;
    if (s->U) return s->U[i + q * p->n];
    return p->y[i] == q + 1 ? (p->w ? p->w[i] : 1) : 0;
}

rung_status identity_dl_root(rung_ctx *ctx, int64_t d, int64_t n, const double *X, int64_t *rank, double **F)
{
    double *norm = NULL, *inverse = NULL;
    la_mat *A = NULL, *rows = NULL;
    TRY(NEW(ctx, &ctx->scratch, norm, d));
    TRY(NEW(ctx, &ctx->scratch, inverse, d));
    for (int64_t i = 0; i < n * d; i++) norm[i % d] = hypot(norm[i % d], X[i]);
    for (int64_t j = 0; j < d; j++) inverse[j] = norm[j] > 0 ? 1 / norm[j] : 0;
    TRY(la_new(ctx, &ctx->scratch, d, n, &rows));
    TRY(la_new(ctx, &ctx->scratch, d, d, &A));
    la_put(X, rows);
    TRY(la_scale(ctx, inverse, NULL, rows));
    TRY(la_syrk(ctx, false, 1, rows, 0, A));
    la_free(&ctx->scratch, rows);
    TRY(la_root(ctx, A));
    TRY(la_scale(ctx, norm, NULL, A));
    TRY(la_orthogonal_columns(ctx, A));
    *rank = la_cols(A);
    TRY(NEW(ctx, &ctx->scratch, *F, d * *rank));
    la_get(A, *F);
    la_free(&ctx->scratch, A);
    return RUNG_OK;
}

/* C of C C' = mu Y L Y' + t I. */
static rung_status graph_factor(rung_ctx *ctx, const dl_problem *d, const la_mat *Y, la_mat **out)
{
    int64_t r = la_rows(Y), n = la_cols(Y);
    la_mat *rows = NULL, *smooth = NULL;
    TRY(la_new(ctx, &ctx->scratch, r, r, out));
    TRY(la_new(ctx, &ctx->scratch, n, r, &rows));
    TRY(la_new(ctx, &ctx->scratch, n, r, &smooth));
    TRY(la_transpose(ctx, Y, rows));
    TRY(la_spmm(ctx, 1, d->L, rows, 0, smooth));
    TRY(la_gemm_symmetric(ctx, false, d->mu, Y, smooth, 0, *out));
    la_free(&ctx->scratch, rows);
    la_free(&ctx->scratch, smooth);
    la_add_diagonal(*out, d->params->ridge, NULL);
    return la_potrf(ctx, *out);
}

/* Eigenvalues up to this share of the largest one are rounding of the kernel matrix. */
static const double ROUNDING = 2.2e-16;

/* F and Y from the eigenvectors of the kernel matrix. */
static rung_status kernel_coordinates(rung_ctx *ctx, coordinates *s)
{
    problem *p = s->d->p;
    int64_t n = p->n;
    double *values = NULL, largest = 0;
    la_mat *A = NULL, *V = NULL;
    TRY(problem_gram(ctx, p, s->d->k, &s->K));
    s->size = n;
    TRY(NEW(ctx, &ctx->scratch, values, n));
    TRY(la_new(ctx, &ctx->scratch, n, n, &V));
    TRY(la_new(ctx, &ctx->scratch, n, n, &A));
    TRY(la_gather(ctx, s->K, NULL, NULL, A));
    TRY(la_eigen(ctx, A, n, values, V));
    la_free(&ctx->scratch, A);
    TRY(NEW_RAW(ctx, &ctx->scratch, s->F, n * n));
    la_get(V, s->F);
    la_free(&ctx->scratch, V);
    for (int64_t j = 0; j < n; j++) largest = fmax(largest, fabs(values[j]));
    for (int64_t j = 0; j < n; j++) {
        if (!(fabs(values[j]) > (double)n * ROUNDING * largest)) continue;
        memmove(s->F + s->r * n, s->F + j * n, sizeof *s->F * (size_t)n);
        values[s->r++] = values[j];
    }
    TRY(NEW_RAW(ctx, &ctx->scratch, s->y, s->r * n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < s->r; j++) s->y[j + i * s->r] = values[j] * s->F[i + j * n];
    return RUNG_OK;
}

static rung_status linear_coordinates(rung_ctx *ctx, coordinates *s)
{
    const problem *p = s->d->p;
    s->size = p->d;
    TRY(identity_dl_root(ctx, p->d, p->n, p->X, &s->r, &s->F));
    TRY(NEW(ctx, &ctx->scratch, s->y, s->r * p->n));
    if (s->r == 0) return RUNG_OK;
    la_mat *X = NULL, *F = NULL, *Y = NULL;
    TRY(la_new(ctx, &ctx->scratch, p->d, p->n, &X));
    TRY(la_new(ctx, &ctx->scratch, p->d, s->r, &F));
    TRY(la_new(ctx, &ctx->scratch, s->r, p->n, &Y));
    la_put(p->X, X);
    la_put(s->F, F);
    TRY(la_gemm(ctx, true, false, 1, F, X, 0, Y));
    la_get(Y, s->y);
    la_free(&ctx->scratch, X);
    la_free(&ctx->scratch, F);
    la_free(&ctx->scratch, Y);
    return RUNG_OK;
}

/* Coordinates of the rows in which the regulariser is the identity. */
static rung_status take_coordinates(rung_ctx *ctx, coordinates *s)
{
    const dl_problem *d = s->d;
    const problem *p = d->p;
    bool linear = d->k->kind == KERNEL_LINEAR && p->d < p->n;
    TRY(linear ? linear_coordinates(ctx, s) : kernel_coordinates(ctx, s));
    if (!d->L || !(d->mu > 0)) {
        for (int64_t i = 0; i < s->r * p->n; i++) s->y[i] /= sqrt(d->params->ridge);
        return RUNG_OK;
    }
    if (s->r == 0) return RUNG_OK;
    la_mat *Y = NULL;
    TRY(la_new(ctx, &ctx->scratch, s->r, p->n, &Y));
    la_put(s->y, Y);
    TRY(graph_factor(ctx, d, Y, &s->C));
    TRY(la_trsm(ctx, s->C, false, Y));
    la_get(Y, s->y);
    la_free(&ctx->scratch, Y);
    return RUNG_OK;
}

static rung_status coordinates_new(rung_ctx *ctx, const dl_problem *d, const double *U, coordinates *out)
{
    const problem *p = d->p;
    *out = (coordinates){.d = d, .U = U};
    TRY(take_coordinates(ctx, out));
    TRY(NEW(ctx, &ctx->scratch, out->mass, p->K));
    TRY(NEW(ctx, &ctx->scratch, out->mean, out->r * p->K));
    for (int q = 0; q < p->K; q++) {
        double *mean = out->mean + q * out->r;
        for (int64_t i = 0; i < p->n; i++) {
            double part = share(out, i, q);
            out->mass[q] += part;
            for (int64_t j = 0; j < out->r && part > 0; j++) mean[j] += part * out->y[j + i * out->r];
        }
        for (int64_t j = 0; j < out->r; j++) mean[j] /= out->mass[q];
    }
    return RUNG_OK;
}

/* The K rows for what varies within the memberships of a row. */
static rung_status within_memberships(rung_ctx *ctx, const coordinates *s, int64_t ld, double *rows)
{
    const problem *p = s->d->p;
    int K = p->K;
    double *S = NULL, *values = NULL;
    TRY(NEW(ctx, &ctx->scratch, S, K * K));
    TRY(NEW(ctx, &ctx->scratch, values, K));
    la_thin(true, -1, (la_thin_mat){p->n, K, (double *)s->U}, (la_thin_mat){p->n, K, (double *)s->U}, 0, S);
    for (int q = 0; q < K; q++) S[q + q * K] += s->mass[q];
    TRY(la_small_eigen(ctx, K, S, NULL, values)); /* S becomes the eigenvectors */
    for (int e = 0; e < K; e++)
        for (int q = 0; q < K; q++)
            for (int64_t j = 0; j < s->r; j++)
                rows[e + j * ld] += sqrt(fmax(0, values[e]) / (double)p->n) * S[q + e * K] * s->mean[j + q * s->r];
    return RUNG_OK;
}

/* The vectors p_i as rows of a matrix with at least as many rows as columns. */
static rung_status within_rows(rung_ctx *ctx, const coordinates *s, la_mat **out)
{
    const problem *p = s->d->p;
    int64_t r = s->r, rows = p->n + p->K > r ? p->n + p->K : r, at = 0;
    double *host = NULL;
    TRY(NEW(ctx, &ctx->scratch, host, rows * r));
    for (int64_t i = 0; i < p->n; i++) {
        if (!s->U && !p->y[i]) continue;
        double size = s->U ? 1 / sqrt((double)p->n) : sqrt(share(s, i, p->y[i] - 1));
        for (int64_t j = 0; j < r; j++) {
            double centre = s->U ? 0 : s->mean[j + (p->y[i] - 1) * r];
            for (int q = 0; s->U && q < p->K; q++) centre += share(s, i, q) * s->mean[j + q * r];
            host[at + j * rows] = size * (s->y[j + i * r] - centre);
        }
        at++;
    }
    if (s->U) TRY(within_memberships(ctx, s, rows, host + at));
    TRY(la_new(ctx, &ctx->scratch, rows, r, out));
    la_put(host, *out);
    pool_free(&ctx->scratch, host);
    return RUNG_OK;
}

/* W (size x m) = F C^-T h for h (r x m). */
static rung_status weights_of(rung_ctx *ctx, const coordinates *s, int m, double *h, double *W)
{
    double scale = s->C ? 1 : 1 / sqrt(s->d->params->ridge);
    if (s->C) {
        la_mat *H = NULL;
        TRY(la_new(ctx, &ctx->scratch, s->r, m, &H));
        la_put(h, H);
        TRY(la_trsm(ctx, s->C, true, H));
        la_get(H, h);
    }
    la_thin(false, scale, (la_thin_mat){s->size, s->r, s->F}, (la_thin_mat){s->r, m, h}, 0, W);
    return RUNG_OK;
}

static rung_status solve(rung_ctx *ctx, const coordinates *s, combined_means *c)
{
    int K = s->d->p->K;
    double size = 0, spread = 0, *b = NULL, *h = NULL;
    la_mat *within = NULL;
    c->coincide = true;
    if (s->r == 0) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, b, s->r * c->m));
    TRY(NEW(ctx, &ctx->scratch, h, s->r * c->m));
    la_thin(false, 1, (la_thin_mat){s->r, K, s->mean}, (la_thin_mat){K, c->m, (double *)c->R}, 0, b);
    for (int64_t i = 0; i < s->r * K; i++) size += s->mean[i] * s->mean[i];
    for (int64_t i = 0; i < s->r * c->m; i++) spread += b[i] * b[i];
    c->coincide = spread <= 1e-26 * size;
    TRY(within_rows(ctx, s, &within));
    TRY(la_ridge_solve(ctx, within, c->m, b, h));
    la_free(&ctx->scratch, within);
    la_thin(true, 1, (la_thin_mat){s->r, c->m, b}, (la_thin_mat){s->r, c->m, b}, 0, c->gram);
    return weights_of(ctx, s, c->m, h, c->W);
}

/* Class means (m x K) of the scores of the solutions w (size x m). */
static rung_status score_means(rung_ctx *ctx, const coordinates *s, int m, const double *w, double *mean)
{
    const problem *p = s->d->p;
    double *f = NULL;
    TRY(NEW(ctx, &ctx->scratch, f, p->n * m));
    if (s->K)
        TRY(la_mul(ctx, 1, s->K, m, w, 0, f));
    else
        la_thin(true, 1, (la_thin_mat){p->d, p->n, (double *)p->X}, (la_thin_mat){p->d, m, (double *)w}, 0, f);
    for (int64_t i = 0; i < p->n; i++)
        for (int o = 0; o < m; o++)
            for (int q = 0; q < p->K; q++) mean[o + q * m] += share(s, i, q) / s->mass[q] * f[i + o * p->n];
    return RUNG_OK;
}

static rung_status scorer_of(rung_ctx *ctx, pool *mem, const coordinates *s, int m, const double *w, fitted *out)
{
    const dl_problem *d = s->d;
    out->n_expansion = 0;
    for (int64_t i = 0; i < d->p->n; i++) out->n_expansion += !s->K || w[i] != 0;
    return s->K ? expansion_outputs(ctx, mem, d->p, d->k, m, w, &out->own.score)
                : linear_scorer(ctx, mem, d->p, m, w, NULL, &out->own.score);
}

rung_status identity_dl_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const double *U, fitted *out)
{
    const problem *p = d->p;
    int pairs = p->K - 1;
    coordinates s;
    combined_means c = {.m = pairs};
    double *R = NULL, *alpha = NULL, *w = NULL, *mean = NULL;
    bool degenerate;
    TRY(coordinates_new(ctx, d, U, &s));
    TRY(NEW(ctx, &ctx->scratch, R, p->K * pairs));
    TRY(NEW(ctx, &ctx->scratch, c.W, s.size * pairs));
    TRY(NEW(ctx, &ctx->scratch, c.gram, pairs * pairs));
    TRY(NEW(ctx, &ctx->scratch, alpha, pairs));
    TRY(NEW(ctx, &ctx->scratch, w, s.size));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    for (int q = 0; q < pairs; q++) {
        R[q + q * p->K] = -1;
        R[q + 1 + q * p->K] = 1;
    }
    c.R = R;
    TRY(solve(ctx, &s, &c));
    TRY(order_weights(ctx, p->K, c.gram, d->params->C, c.coincide ? INFINITY : 0, alpha, &degenerate));
    for (int q = 0; q < pairs; q++)
        for (int64_t j = 0; j < s.size; j++) w[j] += c.W[j + q * s.size] * alpha[q] / 2;
    TRY(score_means(ctx, &s, 1, w, mean));
    TRY(scorer_of(ctx, mem, &s, 1, w, out));
    ordered_classes classes = {.mass = s.mass, .mean = mean, .alpha = alpha, .degenerate = degenerate};
    return discriminant_results(ctx, mem, p, &classes, d->params, out);
}

rung_status identity_dl_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out)
{
    const problem *p = d->p;
    int K = p->K;
    coordinates s;
    combined_means c = {.m = K};
    double *R = NULL, *values = NULL, *w = NULL, *mean = NULL;
    TRY(coordinates_new(ctx, d, NULL, &s));
    TRY(NEW(ctx, &ctx->scratch, R, K * K));
    TRY(NEW(ctx, &ctx->scratch, c.W, s.size * K));
    TRY(NEW(ctx, &ctx->scratch, c.gram, K * K));
    TRY(NEW(ctx, &ctx->scratch, values, K));
    TRY(NEW(ctx, &ctx->scratch, w, s.size * components));
    TRY(NEW(ctx, &ctx->scratch, mean, components * K));
    between_operator(K, s.mass, R);
    c.R = R;
    TRY(solve(ctx, &s, &c));
    TRY(la_small_eigen(ctx, K, c.gram, NULL, values)); /* gram becomes the eigenvectors */
    for (int j = 0; j < components; j++)               /* w'Zw = 1; a component without spread stays 0 */
        for (int q = 0; q < K && values[j] > 1e-14 * values[0]; q++)
            for (int64_t i = 0; i < s.size; i++)
                w[i + j * s.size] += c.W[i + q * s.size] * c.gram[q + j * K] / sqrt(values[j]);
    TRY(score_means(ctx, &s, components, w, mean));
    fix_signs(K, components, mean, s.size, w);
    TRY(scorer_of(ctx, mem, &s, components, w, out));
    TRY(report_list(ctx, mem, out, "eigenvalues", components, values));
    return nearest_mean_decision(ctx, mem, K, components, mean, &out->own.decide);
}

double identity_dl_bytes(const problem_shape *shape, double n, bool graph)
{
    double squares = graph ? 7 : 5;
    return 8 * (squares * n * n + 3 * n * (double)shape->d + n * (6.0 * shape->K + 80));
}
