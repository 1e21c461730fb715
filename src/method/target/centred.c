// SPDX-License-Identifier: BSD-3-Clause
#include "method/target/centred.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/subspace.h"

enum { TILE = 4096 };

static bool columns_suffice(const kernel_params *params, int64_t n, int64_t d)
{
    return params->kind == KERNEL_LINEAR && d < n;
}

static bool is_thin(const kernel_params *params, int64_t n, int64_t d)
{
    return params->landmarks > 0 || columns_suffice(params, n, d);
}

rung_status centred_kernel_prepare(rung_ctx *ctx, problem *p, const kernel_params *params)
{
    kernel k;
    const la_mat *K;
    const landmarks *l;
    TRY(kernel_from_params(ctx, p->mem, params, &k));
    k = problem_kernel(p, &k);
    if (params->landmarks > 0) return problem_landmarks(ctx, p, &k, params->landmarks, &l);
    return is_thin(params, p->n, p->d) ? RUNG_OK : problem_gram(ctx, p, &k, &K);
}

/* ---- thin: columns or landmark features ---- */

static rung_status raw_features(rung_ctx *ctx, const centred_kernel *c, const int64_t *rows, la_mat *F)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t d = c->p->d, count = la_cols(F);
    double *X = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, d * count));
    for (int64_t i = 0; i < count; i++) memcpy(X + i * d, c->p->X + rows[i] * d, (size_t)d * sizeof *X);
    if (c->l)
        TRY(landmarks_features(ctx, c->l, count, X, F));
    else
        la_put(X, F);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* F -= x 1'. */
static rung_status subtract(rung_ctx *ctx, const double *x, la_mat *F)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *x_column = NULL, *ones = NULL;
    double *one = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(F), 1, &x_column));
    TRY(la_new(ctx, &ctx->scratch, 1, la_cols(F), &ones));
    TRY(NEW_RAW(ctx, &ctx->scratch, one, la_cols(F)));
    for (int64_t i = 0; i < la_cols(F); i++) one[i] = 1;
    la_put(x, x_column);
    la_put(one, ones);
    TRY(la_gemm(ctx, false, false, -1, x_column, ones, 1, F));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status features_at(rung_ctx *ctx, const centred_kernel *c, const int64_t *rows, la_mat *F)
{
    if (c->F) return la_gather(ctx, c->F, NULL, rows, F);
    TRY(raw_features(ctx, c, rows, F));
    return c->centred ? subtract(ctx, c->mean, F) : RUNG_OK;
}

/* F F' of the centred numbers, tile by tile, and their mean: the mean of the first tile is used until all are seen, so
 * that the final correction is small. Only one tile is stored. */
static rung_status scatter_of(rung_ctx *ctx, centred_kernel *c, bool stored, la_mat *scatter)
{
    int64_t w = c->width, n = c->n, tile = stored || n < TILE ? n : TILE, *rows = NULL;
    double *sums = NULL, *off = NULL;
    la_mat *shift = NULL;
    TRY(NEW(ctx, &ctx->scratch, c->mean, w));
    if (stored) TRY(la_new(ctx, &ctx->scratch, w, n, &c->F));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, tile));
    TRY(NEW_RAW(ctx, &ctx->scratch, sums, w));
    TRY(NEW(ctx, &ctx->scratch, off, w));
    for (int64_t first = 0; first < n; first += tile) {
        pool_mark here = pool_here(&ctx->scratch);
        int64_t t = n - first < tile ? n - first : tile;
        la_mat *F = c->F;
        TRY(interrupted(ctx));
        for (int64_t i = 0; i < t; i++) rows[i] = first + i;
        if (!stored) TRY(la_new(ctx, &ctx->scratch, w, t, &F));
        TRY(raw_features(ctx, c, rows, F));
        if (c->centred) {
            if (first == 0) {
                TRY(la_row_sums(ctx, F, c->mean));
                for (int64_t j = 0; j < w; j++) c->mean[j] /= (double)t;
            }
            TRY(subtract(ctx, c->mean, F));
            TRY(la_row_sums(ctx, F, sums));
            for (int64_t j = 0; j < w; j++) off[j] += sums[j] / (double)n;
        }
        TRY(la_syrk(ctx, false, 1, F, first > 0, scatter));
        pool_release(&ctx->scratch, here);
        progress(ctx, "features", (double)(first + t) / (double)n);
    }
    if (c->centred && tile < n) {
        TRY(la_new(ctx, &ctx->scratch, w, 1, &shift));
        la_put(off, shift);
        TRY(la_syrk(ctx, false, -(double)n, shift, 1, scatter));
        for (int64_t j = 0; j < w; j++) c->mean[j] += off[j];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The same over all rows of which the problem has a sample, in one pass. */
static rung_status scatter_of_all(rung_ctx *ctx, centred_kernel *c, la_mat *scatter)
{
    int64_t w = c->width;
    int K = c->p->K;
    double *off = NULL;
    la_mat *correction = NULL;
    feature_moments all;
    TRY(problem_moments(ctx, c->p, c->l, c->centred, &all));
    TRY(NEW(ctx, &ctx->scratch, off, w));
    for (int64_t i = 0; i < w * K && c->centred; i++) off[i % w] += all.sums[i] / (double)c->n;
    for (int64_t i = 0; i < w * K; i++) all.sums[i] -= all.size[i / w] * off[i % w];
    TRY(la_new(ctx, &ctx->scratch, w, 1, &correction));
    la_put(off, correction);
    TRY(la_gather(ctx, all.S, NULL, NULL, scatter));
    if (c->centred) TRY(la_syrk(ctx, false, -(double)c->n, correction, 1, scatter));
    for (int64_t j = 0; j < w; j++) off[j] += all.shift[j];
    c->mean = off;
    c->class_sums = all.sums;
    c->class_size = all.size;
    la_free(&ctx->scratch, all.S);
    return RUNG_OK;
}

static bool features_fit(int64_t n, int64_t width, double memory)
{
    return 8 * (double)n * (double)width <= landmark_room(memory);
}

static rung_status thin_kernel(rung_ctx *ctx, problem *p, const kernel_params *params, centred_kernel *c)
{
    int64_t w = p->d, r = 0;
    la_mat *scatter = NULL, *axes = NULL;
    double *root = NULL;
    if (params->landmarks > 0) {
        TRY(problem_landmarks(ctx, p, &c->k, params->landmarks, &c->l));
        w = c->l->m;
    }
    c->width = w;
    TRY(NEW(ctx, &ctx->scratch, c->value, w));
    TRY(la_new(ctx, &ctx->scratch, w, w, &scatter));
    TRY(p->all ? scatter_of_all(ctx, c, scatter)
               : scatter_of(ctx, c, features_fit(c->n, w, memory_left(ctx)), scatter));
    c->trace = la_trace(scatter);
    TRY(la_new(ctx, &ctx->scratch, w, w, &axes));
    TRY(la_eigen(ctx, scatter, w, c->value, axes));
    la_free(&ctx->scratch, scatter);
    while (r < w && c->value[r] > 1e-14 * c->value[0] && c->value[r] > 0) r++;
    c->r = r;
    TRY(NEW(ctx, &ctx->scratch, root, r));
    for (int64_t j = 0; j < r; j++) root[j] = 1 / sqrt(c->value[j]);
    TRY(la_new(ctx, &ctx->scratch, w, r, &c->T));
    TRY(la_gather(ctx, axes, NULL, NULL, c->T));
    la_free(&ctx->scratch, axes);
    return la_scale(ctx, NULL, root, c->T);
}

/* F (where it is stored); the landmarks' choice; scatter, axes, T and the eigensolver's work space, or T and tiles of
 * U. */
double centred_thin_bytes(const problem_shape *shape, int64_t rows, const kernel_params *params)
{
    double n = (double)rows, d = (double)shape->d, m = params->landmarks, tile = fmin(n, TILE);
    if (!is_thin(params, rows, shape->d)) return 0;
    double w = m > 0 ? fmin(m, n) : d, choosing = m > 0 ? landmarks_bytes(shape->d, rows, params->landmarks) / 8 : 0;
    bool stored = !shape->all && features_fit(rows, (int64_t)w, shape->memory);
    double F = stored ? n * w + n * d : tile * (2 * w + d);
    if (shape->all) choosing = fmax(choosing, problem_moments_bytes(shape->d, (int64_t)w) / 8);
    return 8 * (n * (d + 20) + (m > 0 ? 2 * w * w : 0) + fmax(choosing, F + fmax(5 * w * w, w * w + tile * w)));
}

double basis_bytes(const problem_shape *shape, int64_t n, const kernel_params *params)
{
    return 8 * fmin((double)n, TILE) * (double)(params->landmarks > 0 ? params->landmarks : shape->d);
}

rung_status basis_rows(rung_ctx *ctx, const centred_kernel *c, const int64_t *rows, la_mat *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *F = NULL;
    TRY(la_new(ctx, &ctx->scratch, c->width, la_rows(out), &F));
    TRY(features_at(ctx, c, rows, F));
    TRY(la_gemm(ctx, true, false, 1, F, c->T, 0, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

basis_block basis_begin(const centred_kernel *c) { return (basis_block){.count = c->rows}; }

basis_block basis_some(int64_t count, const int64_t *rows, bool constant, const double *root)
{
    return (basis_block){.count = count, .rows = rows, .constant = constant, .root = root};
}

/* The rows of a tile that begins at `first`. */
static rung_status tile_rows(rung_ctx *ctx, int64_t count, const int64_t *rows, int64_t first, int64_t *t,
                             int64_t **out)
{
    TRY(interrupted(ctx));
    *t = count - first < TILE ? count - first : TILE;
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, *t));
    for (int64_t i = 0; i < *t; i++) (*out)[i] = rows ? rows[first + i] : first + i;
    return RUNG_OK;
}

static rung_status constant_column(rung_ctx *ctx, int64_t n, int64_t at, la_mat *U)
{
    double *value = NULL;
    la_mat *constant = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, value, la_rows(U)));
    TRY(la_new(ctx, &ctx->scratch, la_rows(U), 1, &constant));
    for (int64_t i = 0; i < la_rows(U); i++) value[i] = 1 / sqrt((double)n);
    la_put(value, constant);
    return la_put_columns(ctx, constant, 0, U, at);
}

rung_status basis_next(rung_ctx *ctx, const centred_kernel *c, basis_block *at)
{
    int64_t t, *rows = NULL;
    la_mat *U = NULL;
    at->mark = pool_here(&ctx->scratch);
    TRY(tile_rows(ctx, at->count, at->rows, at->first, &t, &rows));
    TRY(la_new(ctx, &ctx->scratch, t, c->r, &U));
    TRY(basis_rows(ctx, c, rows, U));
    at->U = U;
    if (at->constant) {
        TRY(la_new(ctx, &ctx->scratch, t, c->r + 1, &at->U));
        TRY(la_put_columns(ctx, U, 0, at->U, 0));
        TRY(constant_column(ctx, c->n, c->r, at->U));
        la_free(&ctx->scratch, U);
    }
    return at->root ? la_scale(ctx, NULL, at->root, at->U) : RUNG_OK;
}

void basis_end(rung_ctx *ctx, basis_block *at)
{
    pool_release(&ctx->scratch, at->mark);
    at->first += TILE;
}

rung_status basis_times(rung_ctx *ctx, const centred_kernel *c, int64_t count, const int64_t *rows, int64_t k,
                        const double *z, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *w = NULL;
    la_mat *W = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, w, c->width * k));
    TRY(la_new(ctx, &ctx->scratch, c->width, k, &W));
    TRY(la_mul(ctx, 1, c->T, k, z, 0, w));
    la_put(w, W);
    for (int64_t first = 0; first < count; first += TILE) {
        pool_mark here = pool_here(&ctx->scratch);
        int64_t t, *at = NULL;
        double *part = NULL;
        la_mat *F = NULL, *image = NULL;
        TRY(tile_rows(ctx, count, rows, first, &t, &at));
        TRY(NEW_RAW(ctx, &ctx->scratch, part, t * k));
        TRY(la_new(ctx, &ctx->scratch, c->width, t, &F));
        TRY(la_new(ctx, &ctx->scratch, t, k, &image));
        TRY(features_at(ctx, c, at, F));
        TRY(la_gemm(ctx, true, false, 1, F, W, 0, image));
        la_get(image, part);
        for (int64_t j = 0; j < k; j++) memcpy(out + first + j * count, part + j * t, (size_t)t * sizeof *out);
        pool_release(&ctx->scratch, here);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status basis_pull(rung_ctx *ctx, const centred_kernel *c, const double *y, double *w)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *sum = NULL;
    TRY(NEW(ctx, &ctx->scratch, sum, c->width));
    if (c->F) TRY(la_mul(ctx, 1, c->F, 1, y, 0, sum));
    for (int64_t first = 0; first < c->n && !c->F; first += TILE) {
        pool_mark here = pool_here(&ctx->scratch);
        int64_t t, *at = NULL;
        la_mat *F = NULL;
        TRY(tile_rows(ctx, c->n, NULL, first, &t, &at));
        TRY(la_new(ctx, &ctx->scratch, c->width, t, &F));
        TRY(features_at(ctx, c, at, F));
        TRY(la_mul(ctx, 1, F, 1, y + first, 1, sum));
        pool_release(&ctx->scratch, here);
    }
    TRY(transposed_times(ctx, c->T, sum, w));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status basis_pull_classes(rung_ctx *ctx, const centred_kernel *c, const double *value, double *w)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *sum = NULL;
    TRY(NEW(ctx, &ctx->scratch, sum, c->width));
    for (int64_t i = 0; i < c->width * c->p->K; i++) sum[i % c->width] += value[i / c->width] * c->class_sums[i];
    TRY(transposed_times(ctx, c->T, sum, w));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- whole ---- */

static rung_status whole_kernel(rung_ctx *ctx, problem *p, centred_kernel *c)
{
    const la_mat *gram;
    c->width = c->n;
    TRY(problem_gram(ctx, p, &c->k, &gram));
    TRY(la_new(ctx, &ctx->scratch, c->n, c->n, &c->K));
    TRY(la_gather(ctx, gram, NULL, NULL, c->K));
    TRY(NEW(ctx, &ctx->scratch, c->mean, c->n));
    if (c->centred) {
        TRY(la_row_sums(ctx, gram, c->mean));
        for (int64_t i = 0; i < c->n; i++) c->mean[i] /= (double)c->n;
        TRY(la_centre(ctx, LA_CENTRE_BOTH, c->K));
    }
    c->trace = la_trace(c->K);
    return RUNG_OK;
}

/* ---- either ---- */

rung_status centred_kernel_new(rung_ctx *ctx, pool *mem, problem *p, const kernel_params *params, bool centre,
                               centred_kernel *out)
{
    *out = (centred_kernel){.p = p, .n = problem_labelled(p), .rows = p->n, .centred = centre};
    TRY(kernel_from_params(ctx, mem, params, &out->k));
    out->k = problem_kernel(p, &out->k);
    return is_thin(params, p->n, p->d) ? thin_kernel(ctx, p, params, out) : whole_kernel(ctx, p, out);
}

int64_t centred_basis(const centred_kernel *c) { return c->K ? c->n : c->r; }

/* The trace of the centred matrix of equal rows is a rounding error, and so may be that of rows far from 0 (linear), or
 * of a very small gamma. */
static rung_status nothing_to_learn(rung_ctx *ctx, const centred_kernel *c)
{
    if (c->k.kind == KERNEL_PRECOMPUTED || c->p->varying == 0)
        return set_error(ctx, RUNG_EDATA, "all rows are equal, so there is nothing to learn");
    return set_error(
        ctx, RUNG_EDATA,
        "the rows differ, but to rounding the kernel is the same number for all of them; scale the columns "
        "or use another kernel");
}

rung_status centred_mean_eigenvalue(rung_ctx *ctx, const centred_kernel *c, double *out)
{
    double scale = 0;
    if (c->n < 2)
        return set_error(ctx, RUNG_EDATA,
                         "one row is not enough to learn from; at least two different rows are needed");
    for (int64_t j = 0; j < c->width; j++) scale += c->K ? fabs(c->mean[j]) : (double)c->n * c->mean[j] * c->mean[j];
    if (!isfinite(c->trace)) return set_error(ctx, RUNG_EDATA, "the kernel matrix overflows; scale the columns");
    if (!(c->trace > 1e-13 * scale)) return nothing_to_learn(ctx, c);
    *out = c->trace / (double)c->n;
    return RUNG_OK;
}

rung_status centred_leading(rung_ctx *ctx, const centred_kernel *c, int64_t r, double *values, double *v, double *a)
{
    la_mat *V = NULL;
    int64_t n = c->n, basis = centred_basis(c);
    if (c->K) {
        TRY(la_new(ctx, &ctx->scratch, n, r, &V));
        TRY(la_leading(ctx, c->K, r, 1e-13, values, V, NULL));
        la_get(V, v);
        la_free(&ctx->scratch, V);
        memcpy(a, v, (size_t)(n * r) * sizeof *a);
        return RUNG_OK;
    }
    memset(a, 0, (size_t)(basis * r) * sizeof *a);
    for (int64_t j = 0; j < r; j++) {
        values[j] = j < basis ? c->value[j] : 0;
        if (j < basis) a[j + j * basis] = 1;
    }
    TRY(basis_times(ctx, c, n, NULL, r, a, v));
    for (int64_t j = 0; j < r && j < basis; j++) {
        if (la_sign_of(n, v + j * n) > 0) continue;
        a[j + j * basis] = -1;
        for (int64_t i = 0; i < n; i++) v[i + j * n] = -v[i + j * n];
    }
    return RUNG_OK;
}

/* sum_i a_i k~(x, x_i) = sum_i (a_i - mean of a)(k(x, x_i) - mean_i). */
static void whole_weights(const centred_kernel *c, const double *a, double *beta)
{
    double mean = 0;
    for (int64_t i = 0; i < c->n && c->centred; i++) mean += a[i] / (double)c->n;
    for (int64_t i = 0; i < c->n; i++) beta[i] = a[i] - mean;
}

/* F U a = T diag(value) a: one weight for each of the width numbers. */
static rung_status thin_weights(rung_ctx *ctx, const centred_kernel *c, const double *a, double *beta)
{
    double *scaled = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, scaled, c->r));
    for (int64_t j = 0; j < c->r; j++) scaled[j] = c->value[j] * a[j];
    return la_mul(ctx, 1, c->T, 1, scaled, 0, beta);
}

rung_status centred_results(rung_ctx *ctx, pool *mem, const centred_kernel *c, int outputs, const double *a,
                            const double *bias, fitted *out)
{
    double *beta = NULL, *constant = NULL;
    TRY(NEW(ctx, &ctx->scratch, beta, c->width * outputs));
    TRY(NEW(ctx, &ctx->scratch, constant, outputs));
    for (int o = 0; o < outputs; o++) {
        double *to = beta + o * c->width;
        if (c->K)
            whole_weights(c, a + o * c->n, to);
        else
            TRY(thin_weights(ctx, c, a + o * c->r, to));
        constant[o] = bias[o];
        for (int64_t i = 0; i < c->width; i++) constant[o] -= to[i] * c->mean[i];
    }
    out->n_expansion = c->n;
    if (c->l)
        TRY(landmark_results(ctx, mem, c->l, outputs, beta, out));
    else if (c->K)
        TRY(expansion_outputs(ctx, mem, c->p, &c->k, outputs, beta, &out->own.score));
    else
        TRY(linear_scorer(ctx, mem, c->p, outputs, beta, NULL, &out->own.score));
    memcpy(out->own.score.bias, constant, (size_t)outputs * sizeof *constant);
    return RUNG_OK;
}

rung_status transposed_times(rung_ctx *ctx, const la_mat *A, const double *x, double *w)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *X = NULL, *W = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(A), 1, &X));
    TRY(la_new(ctx, &ctx->scratch, la_cols(A), 1, &W));
    la_put(x, X);
    TRY(la_gemm(ctx, true, false, 1, A, X, 0, W));
    la_get(W, w);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
