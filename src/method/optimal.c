// SPDX-License-Identifier: BSD-3-Clause
#include "method/optimal.h"

#include <float.h>
#include <string.h>

#include "linalg/subspace.h"
#include "solve/secular.h"

static double sum_of(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i];
    return sum;
}

static double square_of(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

/* ---- the space ---- */

/* h = (lambda / (k + lambda))^2 and 1 - h without cancellation. */
static double left_by(double k, double lambda)
{
    double share = lambda / (k + lambda);
    return share * share;
}
static double taken_by(double k, double lambda) { return k / (k + lambda) * (1 + lambda / (k + lambda)); }

static rung_status thin_space(rung_ctx *ctx, target_space *s)
{
    const centred_kernel *c = s->c;
    int64_t n = c->n, q = c->r + s->intercept;
    double *w = NULL, *root = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, w, n * q));
    TRY(NEW(ctx, &ctx->scratch, root, q));
    TRY(NEW(ctx, &ctx->scratch, s->small, q));
    TRY(la_new(ctx, &ctx->scratch, n, q, &s->W));
    la_get(c->U, w);
    for (int64_t j = 0; j < c->r; j++) {
        root[j] = sqrt(taken_by(c->value[j], s->lambda));
        s->small[j] = left_by(c->value[j], s->lambda);
    }
    if (s->intercept) {
        root[c->r] = 1;
        for (int64_t i = 0; i < n; i++) w[i + c->r * n] = 1 / sqrt((double)n);
    }
    la_put(w, s->W);
    pool_free(&ctx->scratch, w);
    return la_scale(ctx, NULL, root, s->W);
}

rung_status target_space_new(rung_ctx *ctx, const centred_kernel *c, target_space *out)
{
    out->c = c;
    out->M = c->K;
    if (!c->K) return thin_space(ctx, out);
    la_add_diagonal(out->M, out->lambda, NULL);
    return RUNG_OK;
}

rung_status optimal_target_new(rung_ctx *ctx, const target_space *s, optimal_target *out)
{
    *out = (optimal_target){0};
    TRY(NEW(ctx, &ctx->scratch, out->y, s->c->n));
    return NEW(ctx, &ctx->scratch, out->a, centred_basis(s->c));
}

/* The rows without a target, ascending: returns how many. */
static rung_status free_rows(rung_ctx *ctx, int64_t n, const labelled_rows *rows, int64_t **out, int64_t *count)
{
    bool *given = NULL;
    TRY(NEW(ctx, &ctx->scratch, given, n));
    TRY(NEW(ctx, &ctx->scratch, *out, n));
    for (int64_t i = 0; i < rows->m; i++) given[rows->lab[i]] = true;
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!given[i]) (*out)[(*count)++] = i;
    return RUNG_OK;
}

/* ---- whole kernel ---- */

typedef struct {
    const target_space *s;
    const labelled_rows *rows;
    int64_t n, q;     /* rows; labelled columns (one less with an intercept) */
    la_mat *Q;        /* n x (q + hidden): orthonormal basis of the labelled columns, then of the hidden ones */
    double *g;        /* the shortest solution */
    int64_t *un, l;   /* rows without a target */
    double *room, *w; /* n; q + hidden */
} dense_target;

/* A -= x_j 1' for column j of X. */
static rung_status subtract_column(rung_ctx *ctx, const la_mat *X, int64_t j, la_mat *A)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *first = NULL, *ones = NULL;
    double *one = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(A), 1, &first));
    TRY(la_new(ctx, &ctx->scratch, 1, la_cols(A), &ones));
    TRY(NEW(ctx, &ctx->scratch, one, la_cols(A)));
    for (int64_t i = 0; i < la_cols(A); i++) one[i] = 1;
    la_put(one, ones);
    TRY(la_gather(ctx, X, NULL, &j, first));
    TRY(la_gemm(ctx, false, false, -1, first, ones, 1, A));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* With an intercept columns are differences from the first labelled one. */
static rung_status subtract_reference(rung_ctx *ctx, const dense_target *t, const la_mat *X, la_mat *A)
{
    return t->s->intercept && la_cols(A) > 0 ? subtract_column(ctx, X, t->rows->lab[0], A) : RUNG_OK;
}

/* Q and g. Hidden columns come last and have no part in g. */
static rung_status dense_basis(rung_ctx *ctx, dense_target *t)
{
    const labelled_rows *rows = t->rows;
    int64_t skip = t->s->intercept, *columns = NULL;
    double *z = NULL;
    t->q = rows->m - skip;
    int64_t width = t->q + rows->n_hidden;
    TRY(NEW(ctx, &ctx->scratch, columns, width));
    TRY(NEW(ctx, &ctx->scratch, z, width));
    TRY(NEW(ctx, &ctx->scratch, t->w, width));
    TRY(NEW(ctx, &ctx->scratch, t->g, t->n));
    TRY(NEW(ctx, &ctx->scratch, t->room, t->n));
    for (int64_t j = 0; j < t->q; j++) {
        columns[j] = rows->lab[j + skip];
        z[j] = rows->u[j + skip] - (skip ? rows->u[0] : 0);
    }
    for (int64_t j = t->q; j < width; j++) columns[j] = rows->hidden[j - t->q];
    TRY(la_new(ctx, &ctx->scratch, t->n, width, &t->Q));
    TRY(la_gather(ctx, t->s->M, NULL, columns, t->Q));
    TRY(subtract_reference(ctx, t, t->s->M, t->Q));
    TRY(la_orthonormal(ctx, t->Q, 1, z));
    for (int64_t j = t->q; j < width; j++) z[j] = 0;
    return la_mul(ctx, 1, t->Q, 1, z, 0, t->g);
}

/* S of the rows `columns` (k of them; NULL: all): R'R / lambda^2, R = (I - QQ')(M - M_l0 1'). */
static rung_status inverse_block(rung_ctx *ctx, const dense_target *t, int64_t k, const int64_t *columns, la_mat *S)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double lambda = t->s->lambda;
    la_mat *R = NULL, *shadow = NULL;
    TRY(la_new(ctx, &ctx->scratch, t->n, k, &R));
    TRY(la_new(ctx, &ctx->scratch, t->q, k, &shadow));
    TRY(la_gather(ctx, t->s->M, NULL, columns, R));
    TRY(subtract_reference(ctx, t, t->s->M, R));
    if (t->q > 0) {
        TRY(la_gemm(ctx, true, false, 1, t->Q, R, 0, shadow));
        TRY(la_gemm(ctx, false, false, -1, t->Q, shadow, 1, R));
    }
    TRY(la_syrk(ctx, true, 1 / lambda / lambda, R, 0, S));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Hiding labels adds what their columns added to the basis: S + F'F / lambda^2, F = N'(M - M_l0 1'), N the last columns
 * of Q. */
static rung_status inverse_with_hidden(rung_ctx *ctx, const dense_target *t, la_mat *S)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t h = t->rows->n_hidden, *last = NULL;
    double lambda = t->s->lambda;
    la_mat *N = NULL, *all = NULL, *F = NULL;
    TRY(NEW(ctx, &ctx->scratch, last, h));
    for (int64_t j = 0; j < h; j++) last[j] = t->q + j;
    TRY(la_new(ctx, &ctx->scratch, t->n, h, &N));
    TRY(la_new(ctx, &ctx->scratch, h, t->n, &all));
    TRY(la_new(ctx, &ctx->scratch, h, t->l, &F));
    TRY(la_gather(ctx, t->Q, NULL, last, N));
    TRY(la_gemm(ctx, true, false, 1, N, t->s->M, 0, all));
    TRY(la_gather(ctx, all, NULL, t->un, F));
    TRY(subtract_reference(ctx, t, all, F));
    TRY(la_gather(ctx, t->s->S, t->un, t->un, S));
    TRY(la_syrk(ctx, true, 1 / lambda / lambda, F, 1, S));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* c = g + mu R t / lambda^2, t zero on the labelled rows, its sum taken from the first of them with an intercept. */
static rung_status add_multiplier_part(rung_ctx *ctx, dense_target *t, optimal_target *out)
{
    const target_space *s = t->s;
    double *x = NULL, *Mx = t->room, factor = out->multiplier / s->lambda / s->lambda;
    TRY(NEW(ctx, &ctx->scratch, x, t->n));
    for (int64_t i = 0; i < t->l; i++) x[t->un[i]] = out->y[t->un[i]];
    if (s->intercept) x[t->rows->lab[0]] = -sum_of(t->n, x);
    TRY(la_mul(ctx, 1, s->M, 1, x, 0, Mx));
    TRY(transposed_times(ctx, t->Q, Mx, t->w));
    for (int64_t j = t->q; j < t->q + t->rows->n_hidden; j++) t->w[j] = 0;
    TRY(la_mul(ctx, -1, t->Q, 1, t->w, 1, Mx));
    for (int64_t i = 0; i < t->n; i++) out->a[i] = t->g[i] + factor * Mx[i];
    return RUNG_OK;
}

static rung_status dense_sphere(rung_ctx *ctx, dense_target *t, const double *b, optimal_target *out)
{
    la_mat *S = NULL;
    double *values = NULL;
    secular_root root;
    TRY(NEW(ctx, &ctx->scratch, values, t->l));
    TRY(la_new(ctx, &ctx->scratch, t->l, t->l, &S));
    if (!t->s->S)
        TRY(inverse_block(ctx, t, t->l, t->un, S));
    else if (t->rows->n_hidden > 0)
        TRY(inverse_with_hidden(ctx, t, S));
    else
        TRY(la_gather(ctx, t->s->S, t->un, t->un, S));
    TRY(secular_newton(ctx, S, b, t->rows->rho2, values, &root));
    out->multiplier = root.mu;
    out->hard = root.hard;
    for (int64_t i = 0; i < t->l; i++) out->y[t->un[i]] = values[i];
    return add_multiplier_part(ctx, t, out);
}

static rung_status dense_solve(rung_ctx *ctx, const target_space *s, const labelled_rows *rows, optimal_target *out)
{
    dense_target t = {.s = s, .rows = rows, .n = s->c->n};
    double *Mg = NULL, *b = NULL;
    TRY(dense_basis(ctx, &t));
    TRY(free_rows(ctx, t.n, rows, &t.un, &t.l));
    TRY(NEW(ctx, &ctx->scratch, Mg, t.n));
    TRY(NEW(ctx, &ctx->scratch, b, t.l));
    TRY(la_mul(ctx, 1, s->M, 1, t.g, 0, Mg));
    out->bias = s->intercept ? rows->u[0] - Mg[rows->lab[0]] : 0;
    for (int64_t i = 0; i < rows->m; i++) out->y[rows->lab[i]] = rows->u[i];
    for (int64_t i = 0; i < t.l; i++) out->y[t.un[i]] = b[i] = Mg[t.un[i]] + out->bias;
    memcpy(out->a, t.g, (size_t)t.n * sizeof *out->a);
    out->multiplier = 0;
    if (s->sphere && t.l > 0) TRY(dense_sphere(ctx, &t, b, out));
    if (s->intercept) out->bias = sum_of(t.n, out->y) / (double)t.n;
    return RUNG_OK;
}

rung_status target_space_share(rung_ctx *ctx, target_space *s, const labelled_rows *rows)
{
    if (!s->M || !s->sphere) return RUNG_OK;
    dense_target t = {.s = s, .rows = rows, .n = s->c->n};
    la_mat *S = NULL;
    TRY(la_new(ctx, &ctx->scratch, t.n, t.n, &S));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(dense_basis(ctx, &t));
    TRY(inverse_block(ctx, &t, t.n, NULL, S));
    pool_release(&ctx->scratch, mark);
    s->S = S;
    return RUNG_OK;
}

/* y'H y = |lambda c|^2; what t = 0 leaves is taken off. */
rung_status optimal_energy(rung_ctx *ctx, target_space *s, const labelled_rows *rows, optimal_target *out)
{
    if (!s->M) return RUNG_OK;
    int64_t n = s->c->n;
    double *c0 = NULL;
    TRY(NEW(ctx, &ctx->scratch, c0, n));
    for (int64_t i = 0; i < rows->m; i++) c0[rows->lab[i]] = rows->u[i];
    double mean = s->intercept ? sum_of(n, c0) / (double)n : 0;
    for (int64_t i = 0; i < n; i++) c0[i] -= mean;
    TRY(la_potrf(ctx, s->M));
    TRY(la_potrs(ctx, s->M, 1, c0));
    out->energy = s->lambda * s->lambda * (square_of(n, out->a) - square_of(n, c0));
    return RUNG_OK;
}

/* ---- thin kernel ---- */

/* H0 = I - W_u W_u' and H1 u = -W_u W_l'u, so t = W_u z lives in the columns of W_u, whose eigenproblem is that of E =
 * I - W_u'W_u = diag(small) + W_l'W_l: no cancellation. With E = P diag(mu) P' an eigenvector of H0 is W_u P_a /
 * sqrt(1 - mu_a), f_a = -sqrt(1 - mu_a) g_a for g = P'W_l'u. */
static rung_status thin_coordinates(rung_ctx *ctx, const target_space *s, const labelled_rows *rows,
                                    optimal_target *out, double *z)
{
    int64_t q = la_cols(s->W);
    la_mat *WL = NULL, *E = NULL, *P = NULL;
    double *falling = NULL, *mu = NULL, *pull = NULL, *g = NULL, *f = NULL, *xi = NULL, *turned = NULL;
    secular_root root = {0};
    TRY(la_new(ctx, &ctx->scratch, rows->m, q, &WL));
    TRY(la_new(ctx, &ctx->scratch, q, q, &E));
    TRY(la_new(ctx, &ctx->scratch, q, q, &P));
    TRY(NEW(ctx, &ctx->scratch, falling, q));
    TRY(NEW(ctx, &ctx->scratch, mu, q));
    TRY(NEW(ctx, &ctx->scratch, pull, q));
    TRY(NEW(ctx, &ctx->scratch, g, q));
    TRY(NEW(ctx, &ctx->scratch, f, q));
    TRY(NEW(ctx, &ctx->scratch, xi, q));
    TRY(NEW(ctx, &ctx->scratch, turned, q));
    TRY(la_gather(ctx, s->W, rows->lab, NULL, WL));
    TRY(transposed_times(ctx, WL, rows->u, pull));
    TRY(la_syrk(ctx, true, 1, WL, 0, E));
    la_add_diagonal(E, 1, s->small);
    TRY(la_eigen(ctx, E, q, falling, P));
    TRY(transposed_times(ctx, P, pull, turned));
    /* E is not smaller than diag(small): below that there is only rounding. */
    double least = s->intercept ? DBL_EPSILON * falling[0] : left_by(s->c->value[0], s->lambda);
    for (int64_t a = 0; a < q; a++) { /* smallest first */
        mu[a] = fmax(falling[q - 1 - a], least);
        g[a] = turned[q - 1 - a];
        f[a] = -sqrt(fmax(1 - mu[a], 0)) * g[a];
        xi[a] = -f[a] / mu[a];
    }
    if (s->sphere) secular_solve(q, mu, f, rows->rho2, xi, &root);
    out->multiplier = root.mu;
    out->hard = root.hard;
    out->energy = 0;
    for (int64_t a = 0; a < q; a++) {
        out->energy += mu[a] * xi[a] * xi[a] + 2 * f[a] * xi[a];
        turned[q - 1 - a] = root.hard && a == 0 ? xi[0] / sqrt(1 - mu[0]) : g[a] / (mu[a] - root.mu);
        if (root.hard && a > 0 && mu[a] - mu[0] <= 1e-12 * mu[q - 1]) turned[q - 1 - a] = 0;
    }
    return la_mul(ctx, 1, P, 1, turned, 0, z);
}

static rung_status thin_solve(rung_ctx *ctx, const target_space *s, const labelled_rows *rows, optimal_target *out)
{
    const centred_kernel *c = s->c;
    double *z = NULL;
    TRY(NEW(ctx, &ctx->scratch, z, la_cols(s->W)));
    if (rows->m < c->n) TRY(thin_coordinates(ctx, s, rows, out, z));
    TRY(la_mul(ctx, 1, s->W, 1, z, 0, out->y));
    for (int64_t i = 0; i < rows->m; i++) out->y[rows->lab[i]] = rows->u[i];
    out->bias = s->intercept ? sum_of(c->n, out->y) / (double)c->n : 0;
    TRY(transposed_times(ctx, c->U, out->y, out->a));
    for (int64_t j = 0; j < c->r; j++) out->a[j] /= c->value[j] + s->lambda;
    return RUNG_OK;
}

rung_status optimal_solve(rung_ctx *ctx, const target_space *s, const labelled_rows *rows, optimal_target *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(s->M ? dense_solve(ctx, s, rows, out) : thin_solve(ctx, s, rows, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- components ---- */

/* y of unit length, without its mean where the constant is no component. */
static rung_status unit_target(rung_ctx *ctx, const target_space *s, const double *y, double **out)
{
    int64_t n = s->c->n;
    double mean = s->intercept ? sum_of(n, y) / (double)n : 0, *unit = NULL;
    TRY(NEW(ctx, &ctx->scratch, unit, n));
    for (int64_t i = 0; i < n; i++) unit[i] = y[i] - mean;
    double length = sqrt(square_of(n, unit));
    for (int64_t i = 0; i < n && length > 0; i++) unit[i] /= length;
    *out = unit;
    return RUNG_OK;
}

/* A -= x x'A for unit x, and for the constant. */
static rung_status deflate(rung_ctx *ctx, const double *x, bool constant, la_mat *A)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_rows(A), k = 1 + constant;
    la_mat *X = NULL, *shadow = NULL;
    double *columns = NULL;
    TRY(NEW(ctx, &ctx->scratch, columns, n * k));
    memcpy(columns, x, (size_t)n * sizeof *x);
    for (int64_t i = n; i < n * k; i++) columns[i] = 1 / sqrt((double)n);
    TRY(la_new(ctx, &ctx->scratch, n, k, &X));
    TRY(la_new(ctx, &ctx->scratch, k, la_cols(A), &shadow));
    la_put(columns, X);
    TRY(la_gemm(ctx, true, false, 1, X, A, 0, shadow));
    TRY(la_gemm(ctx, false, false, -1, X, shadow, 1, A));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* On the complement of y, H^-1 is F'F / lambda^2 with F = (I - aa')M, a = M y / |M y|; M^-1 v = F v / value. */
static rung_status dense_components(rung_ctx *ctx, const target_space *s, const double *unit, int64_t r, double *v,
                                    double *a, double *left)
{
    int64_t n = s->c->n;
    double *My = NULL, *value = NULL;
    la_mat *F = NULL, *B = NULL, *V = NULL;
    TRY(NEW(ctx, &ctx->scratch, My, n));
    TRY(NEW(ctx, &ctx->scratch, value, r));
    TRY(la_mul(ctx, 1, s->M, 1, unit, 0, My));
    double length = sqrt(square_of(n, My));
    for (int64_t i = 0; i < n; i++) My[i] /= length;
    TRY(la_new(ctx, &ctx->scratch, n, n, &F));
    TRY(la_new(ctx, &ctx->scratch, n, n, &B));
    TRY(la_new(ctx, &ctx->scratch, n, r, &V));
    TRY(la_gather(ctx, s->M, NULL, NULL, F));
    TRY(deflate(ctx, My, s->intercept, F));
    TRY(la_syrk(ctx, true, 1, F, 0, B));
    TRY(la_leading(ctx, B, r, 1e-13, value, V, NULL));
    la_get(V, v);
    TRY(la_mul(ctx, 1, F, r, v, 0, a));
    for (int64_t j = 0; j < r; j++) {
        left[j] = s->lambda * s->lambda / value[j];
        for (int64_t i = 0; i < n; i++) a[i + j * n] /= value[j];
    }
    return RUNG_OK;
}

/* H = I - W W' with W = U diag(sqrt(1 - h)): on the complement of y the leading left singular vectors of W without its
 * part along y. A vector beyond the rank stays 0. */
static rung_status thin_components(rung_ctx *ctx, const target_space *s, const double *unit, int64_t r, double *v,
                                   double *a, double *left)
{
    const centred_kernel *c = s->c;
    int64_t n = c->n, q = c->r;
    double *value = NULL, *root = NULL, *image = NULL;
    la_mat *W = NULL, *B = NULL, *P = NULL, *image_mat = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, q, &W));
    TRY(la_new(ctx, &ctx->scratch, q, q, &B));
    TRY(la_new(ctx, &ctx->scratch, q, q, &P));
    TRY(la_new(ctx, &ctx->scratch, n, q, &image_mat));
    TRY(NEW(ctx, &ctx->scratch, value, q));
    TRY(NEW(ctx, &ctx->scratch, root, q));
    TRY(NEW(ctx, &ctx->scratch, image, n * q));
    TRY(la_gather(ctx, c->U, NULL, NULL, W));
    for (int64_t j = 0; j < q; j++) root[j] = sqrt(taken_by(c->value[j], s->lambda));
    TRY(la_scale(ctx, NULL, root, W));
    TRY(deflate(ctx, unit, s->intercept, W));
    TRY(la_syrk(ctx, true, 1, W, 0, B));
    TRY(la_eigen(ctx, B, q, value, P));
    TRY(la_gemm(ctx, false, false, 1, W, P, 0, image_mat));
    la_get(image_mat, image);
    for (int64_t j = 0; j < r; j++) {
        bool there = j < q && value[j] > 1e-12;
        double *to = v + j * n;
        left[j] = there ? 1 - value[j] : 1;
        if (!there) continue;
        double sign = la_sign_of(n, image + j * n) / sqrt(value[j]);
        for (int64_t i = 0; i < n; i++) to[i] = sign * image[i + j * n];
        TRY(transposed_times(ctx, c->U, to, a + j * q));
        for (int64_t k = 0; k < q; k++) a[k + j * q] /= c->value[k] + s->lambda;
    }
    return RUNG_OK;
}

rung_status optimal_components(rung_ctx *ctx, const target_space *s, const double *y, int64_t r, double *v, double *a,
                               double *left)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *unit = NULL;
    TRY(unit_target(ctx, s, y, &unit));
    TRY(s->M ? dense_components(ctx, s, unit, r, v, a, left) : thin_components(ctx, s, unit, r, v, a, left));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- lambda ---- */

/* The labelled blocks of K~ and of K~^2. */
static rung_status labelled_blocks(rung_ctx *ctx, const centred_kernel *c, const labelled_rows *rows, la_mat *first,
                                   la_mat *second)
{
    la_mat *part = NULL;
    if (c->K) {
        TRY(la_new(ctx, &ctx->scratch, c->n, rows->m, &part));
        TRY(la_gather(ctx, c->K, rows->lab, rows->lab, first));
        TRY(la_gather(ctx, c->K, NULL, rows->lab, part));
        return la_syrk(ctx, true, 1, part, 0, second);
    }
    double *root = NULL;
    TRY(NEW(ctx, &ctx->scratch, root, c->r));
    for (int64_t j = 0; j < c->r; j++) root[j] = sqrt(c->value[j]);
    TRY(la_new(ctx, &ctx->scratch, rows->m, c->r, &part));
    TRY(la_gather(ctx, c->U, rows->lab, NULL, part));
    TRY(la_scale(ctx, NULL, root, part));
    TRY(la_syrk(ctx, false, 1, part, 0, first));
    TRY(la_scale(ctx, NULL, root, part));
    return la_syrk(ctx, false, 1, part, 0, second);
}

/* The residual of label i when it is hidden is (P u)_i / P_ii, P the inverse covariance of the labelled rows, with an
 * intercept without its part along the constant. */
static rung_status hidden_error(rung_ctx *ctx, la_mat *C, bool intercept, const labelled_rows *rows, double *loo)
{
    int64_t m = rows->m;
    double *diagonal = NULL, *Pu = NULL, *ones = NULL, *P1 = NULL, error = 0;
    *loo = NAN;
    rung_status status = la_potrf(ctx, C);
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    TRY(la_potri(ctx, C));
    TRY(NEW(ctx, &ctx->scratch, diagonal, m));
    TRY(NEW(ctx, &ctx->scratch, Pu, m));
    TRY(NEW(ctx, &ctx->scratch, ones, m));
    TRY(NEW(ctx, &ctx->scratch, P1, m));
    for (int64_t i = 0; i < m; i++) ones[i] = 1;
    TRY(la_mul(ctx, 1, C, 1, rows->u, 0, Pu));
    TRY(la_mul(ctx, 1, C, 1, ones, 0, P1));
    la_diagonal(C, diagonal);
    double total = sum_of(m, P1), share = intercept ? sum_of(m, Pu) / total : 0;
    for (int64_t i = 0; i < m; i++) {
        double d = diagonal[i] - (intercept ? P1[i] * P1[i] / total : 0), e = (Pu[i] - share * P1[i]) / d;
        error += e * e / (double)m;
    }
    *loo = error;
    return RUNG_OK;
}

rung_status optimal_loo(rung_ctx *ctx, const centred_kernel *c, bool intercept, const labelled_rows *rows, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = rows->m;
    la_mat *first = NULL, *second = NULL, *C = NULL;
    double unit;
    TRY(centred_lambda(ctx, c, 1, LAMBDA_RELATIVE, &unit));
    TRY(la_new(ctx, &ctx->scratch, m, m, &first));
    TRY(la_new(ctx, &ctx->scratch, m, m, &second));
    TRY(la_new(ctx, &ctx->scratch, m, m, &C));
    TRY(labelled_blocks(ctx, c, rows, first, second));
    for (int i = 0; i < LAMBDA_CANDIDATES; i++) {
        pool_mark here = pool_here(&ctx->scratch);
        double lambda = lambda_candidate(i) * unit;
        TRY(la_scale_add(ctx, 2 * lambda, first, 0, C));
        TRY(la_scale_add(ctx, 1, second, 1, C));
        la_add_diagonal(C, lambda * lambda, NULL);
        TRY(hidden_error(ctx, C, intercept, rows, &loo[i]));
        pool_release(&ctx->scratch, here);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
