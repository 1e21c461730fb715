// SPDX-License-Identifier: BSD-3-Clause
/* landmark.c - randomly pivoted Cholesky in blocks.
 *
 * With F (m x N) the factor so far and r_i = k(x_i,x_i) - |f_i|^2 the residual diagonal, a block of proposals is drawn
 * with probabilities r / sum r. A proposal drawn with the old r is accepted with probability r_new / r_old, where r_new
 * accounts for the proposals accepted before it, so that the pivots are distributed as if drawn one by one; all
 * products are products of blocks. */
#include "kernel/landmark.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

enum { SAMPLE = 20000, SAMPLE_PER_LANDMARK = 8, PROPOSALS = 128, STREAM = 0x1a4d };

/* A pivot below this share of the largest diagonal entry is a rounding error. */
static const double NOTHING = 1e-11;

/* Solving after summing multiplies rounding by the condition of k(S, S), which the pivots indicate roughly: with pivots
 * of at least this share it stays far below the effect of any ridge. */
static const double STEADY = 1e-3;
/* The same in single precision, where besides so much is left that rows spread in all directions of the features: the
 * scatter of the rows within a class is then far from singular, too. */
static const double FAR_APART = 0.05, MUCH_LEFT = 0.05;

typedef struct {
    rung_ctx *ctx;
    rng random;
    la_map map;
    int64_t n, d;
    la_mat *X;          /* d x n, placed */
    double *left;       /* n: the diagonal that is left */
    double most;        /* its largest entry at the beginning */
    int64_t blocks;     /* of the factor */
    la_mat **F;         /* each t x n */
    int64_t *chosen, m; /* pivots so far */
} pivoting;

static double sum(int64_t n, const double *v)
{
    double s = 0;
    for (int64_t i = 0; i < n; i++) s += v[i];
    return s;
}

/* `count` rows, each drawn with probability left_i / sum, found in the cumulative sums. */
static rung_status propose(pivoting *p, int count, int64_t *proposal)
{
    double *cumulative = NULL, total = 0;
    TRY(NEW_RAW(p->ctx, &p->ctx->scratch, cumulative, p->n));
    for (int64_t i = 0; i < p->n; i++) cumulative[i] = total += p->left[i];
    for (int c = 0; c < count; c++) {
        double u = rng_uniform(&p->random) * total;
        int64_t low = 0, high = p->n - 1;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (cumulative[middle] > u)
                high = middle;
            else
                low = middle + 1;
        }
        proposal[c] = low;
    }
    pool_free(&p->ctx->scratch, cumulative);
    return RUNG_OK;
}

/* G (t x n) = k(x_rows, X) - F_rows'F: some rows of the residual kernel matrix. columns NULL: all. */
static rung_status residual_rows(pivoting *p, int64_t t, const int64_t *rows, const int64_t *columns, la_mat *G)
{
    rung_ctx *ctx = p->ctx;
    int64_t width = la_cols(G);
    la_mat *at_rows = NULL, *at_columns = p->X;
    TRY(la_new(ctx, &ctx->scratch, p->d, t, &at_rows));
    TRY(la_gather(ctx, p->X, NULL, rows, at_rows));
    if (columns) {
        TRY(la_new(ctx, &ctx->scratch, p->d, width, &at_columns));
        TRY(la_gather(ctx, p->X, NULL, columns, at_columns));
    }
    TRY(la_cross(ctx, at_rows, at_columns, &p->map, G));
    for (int64_t b = 0; b < p->blocks; b++) {
        la_mat *Fr = NULL, *Fc = p->F[b];
        TRY(la_new(ctx, &ctx->scratch, la_rows(p->F[b]), t, &Fr));
        TRY(la_gather(ctx, p->F[b], NULL, rows, Fr));
        if (columns) {
            TRY(la_new(ctx, &ctx->scratch, la_rows(p->F[b]), width, &Fc));
            TRY(la_gather(ctx, p->F[b], NULL, columns, Fc));
        }
        TRY(la_gemm(ctx, true, false, -1, Fr, Fc, 1, G));
    }
    return RUNG_OK;
}

/* Decides which proposals are accepted: H (t x t) is the residual kernel matrix between them, eliminated in step with
 * acceptance. */
static int64_t accept(pivoting *p, int64_t t, double *H, const int64_t *proposal, int64_t room, int64_t *kept)
{
    int64_t count = 0;
    for (int64_t i = 0; i < t; i++) {
        double h = H[i + i * t], chance = rng_uniform(&p->random) * p->left[proposal[i]];
        if (count == room || !(h > NOTHING * p->most) || !(chance < h)) continue;
        kept[count++] = proposal[i];
        for (int64_t c = i + 1; c < t; c++) {
            double factor = H[i + c * t] / h;
            for (int64_t r = i + 1; r < t; r++) H[r + c * t] -= factor * H[r + i * t];
        }
    }
    return count;
}

/* Draws a block of rows and returns those that are accepted. If none is accepted, their residuals are rounding errors
 * and become 0. */
static rung_status draw(pivoting *p, int64_t room, int64_t *kept, int64_t *count)
{
    rung_ctx *ctx = p->ctx;
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t proposal[PROPOSALS];
    double *H = NULL;
    la_mat *block = NULL;
    TRY(propose(p, PROPOSALS, proposal));
    TRY(la_new(ctx, &ctx->scratch, PROPOSALS, PROPOSALS, &block));
    TRY(NEW_RAW(ctx, &ctx->scratch, H, PROPOSALS * PROPOSALS));
    TRY(residual_rows(p, PROPOSALS, proposal, proposal, block));
    la_get(block, H);
    *count = accept(p, PROPOSALS, H, proposal, room, kept);
    for (int64_t i = 0; i < PROPOSALS && *count == 0; i++) p->left[proposal[i]] = 0;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Extends the factor by the accepted rows. */
static rung_status eliminate(pivoting *p, int64_t t, const int64_t *kept)
{
    rung_ctx *ctx = p->ctx;
    double *squares = NULL;
    la_mat *G = NULL, *L = NULL;
    TRY(la_new(ctx, &ctx->scratch, t, p->n, &G));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(la_new(ctx, &ctx->scratch, t, t, &L));
    TRY(NEW_RAW(ctx, &ctx->scratch, squares, p->n));
    TRY(residual_rows(p, t, kept, NULL, G));
    TRY(la_gather(ctx, G, NULL, kept, L));
    TRY(la_potrf(ctx, L));
    TRY(la_trsm(ctx, L, false, G));
    TRY(la_column_dots(ctx, G, G, squares));
    for (int64_t i = 0; i < p->n; i++) {
        p->left[i] -= squares[i];
        if (!(p->left[i] > NOTHING * p->most)) p->left[i] = 0;
    }
    for (int64_t i = 0; i < t; i++) p->left[kept[i]] = 0;
    p->F[p->blocks++] = G;
    memcpy(p->chosen + p->m, kept, (size_t)t * sizeof *kept);
    p->m += t;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status choose(pivoting *p, int64_t m)
{
    int64_t kept[PROPOSALS], count;
    while (p->m < m && sum(p->n, p->left) > 0) {
        TRY(interrupted(p->ctx));
        TRY(draw(p, m - p->m, kept, &count));
        if (count > 0) TRY(eliminate(p, count, kept));
        progress(p->ctx, "choosing landmarks", (double)p->m / (double)m);
    }
    return RUNG_OK;
}

/* Some rows, ascending; all of them where they are few. */
static rung_status sample_rows(rung_ctx *ctx, rng *random, int64_t n, int64_t m, int64_t **out, int64_t *count)
{
    int64_t *rows = NULL, most = SAMPLE_PER_LANDMARK * m > SAMPLE ? SAMPLE_PER_LANDMARK * m : SAMPLE, at = 0;
    *count = most < n ? most : n;
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, *count));
    for (int64_t i = 0; i < n && at < *count; i++) /* i is taken with probability (wanted) / (rows left) */
        if (rng_below(random, n - i) < *count - at) rows[at++] = i;
    *out = rows;
    return RUNG_OK;
}

static rung_status copy_rows(rung_ctx *ctx, pool *mem, int64_t d, const double *X, int64_t n, const int64_t *rows,
                             double **out)
{
    TRY(pool_alloc_raw(ctx, mem, d * n, sizeof **out, "rows", (void **)out));
    for (int64_t i = 0; i < n; i++) memcpy(*out + i * d, X + rows[i] * d, (size_t)d * sizeof **out);
    return RUNG_OK;
}

static rung_status factor_landmarks(rung_ctx *ctx, pool *mem, landmarks *l)
{
    la_mat *placed = NULL;
    double *mean = NULL, *pivot = NULL;
    la_map map = kernel_map(&l->k);
    TRY(kernel_origin(ctx, l->d, l->m, l->X, &mean));
    TRY(NEW(ctx, mem, l->origin, l->d));
    memcpy(l->origin, mean, (size_t)l->d * sizeof *mean);
    TRY(kernel_place(ctx, &l->k, l->d, l->m, l->X, l->origin, &placed));
    TRY(la_new(ctx, mem, l->m, l->m, &l->R));
    TRY(la_gram(ctx, placed, &map, l->R));
    TRY(la_potrf(ctx, l->R));
    TRY(NEW_RAW(ctx, &ctx->scratch, pivot, l->m));
    la_diagonal(l->R, pivot);
    double least = pivot[0], most = pivot[0];
    for (int64_t i = 1; i < l->m; i++) {
        least = fmin(least, pivot[i]);
        most = fmax(most, pivot[i]);
    }
    l->steady = least * least >= STEADY * most * most;
    l->far_apart = least * least >= FAR_APART * most * most && l->error >= MUCH_LEFT;
    return RUNG_OK;
}

/* At most m pivots among the points, and the residual trace; out has room for them. */
static rung_status choose_rows(rung_ctx *ctx, const point_set *X, int64_t m, landmarks *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    const kernel *k = &out->k;
    int64_t d = X->d, *chosen = out->rows;
    pivoting p = {.ctx = ctx, .map = kernel_map(k), .d = d, .chosen = chosen};
    int64_t *sample = NULL;
    double *rows = NULL, *origin = NULL;
    rng_open(&p.random, ctx->seed, STREAM);
    TRY(sample_rows(ctx, &p.random, X->n, m, &sample, &p.n));
    TRY(copy_rows(ctx, &ctx->scratch, d, X->X, p.n, sample, &rows));
    TRY(kernel_origin(ctx, d, p.n, rows, &origin));
    TRY(kernel_place(ctx, k, d, p.n, rows, origin, &p.X));
    TRY(NEW(ctx, &ctx->scratch, p.left, p.n));
    TRY(NEW(ctx, &ctx->scratch, p.F, m));
    for (int64_t i = 0; i < p.n; i++) {
        p.left[i] = kernel_self(k, d, rows + i * d);
        p.most = fmax(p.most, p.left[i]);
    }
    double trace = sum(p.n, p.left);
    TRY(choose(&p, m));
    for (int64_t i = 0; i < p.m; i++) chosen[i] = sample[chosen[i]];
    out->m = p.m;
    out->error = trace > 0 ? sum(p.n, p.left) / trace : 0;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status landmarks_new(rung_ctx *ctx, pool *mem, const kernel *k, const point_set *X, int64_t m, landmarks *out)
{
    *out = (landmarks){.k = *k, .d = X->d};
    if (k->kind == KERNEL_PRECOMPUTED)
        return set_error(ctx, RUNG_EARG, "kernel=precomputed supports only landmarks=exact");
    m = m < X->n ? m : X->n;
    TRY(NEW(ctx, mem, out->rows, m));
    TRY(choose_rows(ctx, X, m, out));
    if (out->m == 0) return set_error(ctx, RUNG_EDATA, "the kernel is 0 everywhere, so there is nothing to learn from");
    TRY(copy_rows(ctx, mem, X->d, X->X, out->m, out->rows, &out->X));
    return factor_landmarks(ctx, mem, out);
}

/* The sample, placed, and its factor; a block of proposals. */
double landmarks_bytes(int64_t d, int64_t n, int64_t m)
{
    double sample = fmin((double)n, fmax(SAMPLE, SAMPLE_PER_LANDMARK * (double)m));
    return 8 * (sample * ((double)m + 2 * (double)d) + 1.0 * PROPOSALS * PROPOSALS);
}

void landmarks_free(pool *mem, landmarks *l)
{
    pool_free(mem, l->rows);
    pool_free(mem, l->X);
    pool_free(mem, l->origin);
    la_free(mem, l->R);
}

rung_status landmarks_columns(rung_ctx *ctx, const landmarks *l, int64_t first, int64_t n, const double *X, la_mat *C)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_map map = kernel_map(&l->k);
    la_mat *at = NULL, *columns = NULL;
    TRY(kernel_place(ctx, &l->k, l->d, la_rows(C), l->X + first * l->d, l->origin, &at));
    TRY(kernel_place(ctx, &l->k, l->d, n, X, l->origin, &columns));
    TRY(la_cross(ctx, at, columns, &map, C));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status landmarks_features(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, la_mat *Phi)
{
    TRY(landmarks_columns(ctx, l, 0, n, X, Phi));
    return la_trsm(ctx, l->R, false, Phi);
}

rung_status landmarks_solve_sum(rung_ctx *ctx, const landmarks *l, la_mat *M)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *turned = NULL;
    TRY(la_new(ctx, &ctx->scratch, l->m, l->m, &turned));
    TRY(la_trsm(ctx, l->R, false, M));
    TRY(la_transpose(ctx, M, turned));
    TRY(la_trsm(ctx, l->R, false, turned));
    TRY(la_transpose(ctx, turned, M));
    TRY(la_scale_add(ctx, 0.5, turned, 0.5, M)); /* symmetric to the bit */
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status landmarks_expand(rung_ctx *ctx, const landmarks *l, int o, double *V)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *B = NULL;
    TRY(la_new(ctx, &ctx->scratch, l->m, o, &B));
    la_put(V, B);
    TRY(la_trsm(ctx, l->R, true, B));
    la_get(B, V);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
