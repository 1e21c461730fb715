// SPDX-License-Identifier: BSD-3-Clause
/* Leave-one-out predictions from Laplace's approximation at the mode (ordinal_sites.h): a row, rows that are equal, or
 * a group of rows that differ lose their sites, and the Gaussian around the mode follows in closed form. */
#include <math.h>

#include "linalg/la.h"
#include "method/mixture/ordinal_sites.h"
#include "solve/cumulative.h"

/* Row i without its two-dimensional site, in u_q = b_q - f_i: D_c = D + D E N E'D, N = (I - A E'DE)^-1 A, and the mean
 * u - D_c E g = u - Y (I + N E'DE) g with Y = D E. Column `place` of Y is the covariance of u with the threshold at
 * that end. */
static void leave_out(const ordinal_mode *s, int64_t i, double *P)
{
    const ordinal_site *t = &s->sites[i];
    const double *M = s->M, var = s->var[i], extra = s->extra ? s->extra[i] : 0;
    int64_t n = s->n;
    int J = s->K - 1, end[2] = {highest_rank(s->y, s->upper, i) - 1, s->y[i] - 2}, ends = 0, at[2] = {0};
    double g[2] = {0}, A[2][2] = {{0}}, e[2][2] = {{0}}, N[2][2] = {{0}}, h[2] = {t->h11, t->h22},
           slope[2] = {t->g1, t->g2};
    for (int k = 0; k < 2; k++)
        if (end[k] >= 0 && end[k] < J) {
            at[ends] = end[k];
            g[ends] = slope[k];
            A[ends][ends] = h[k];
            ends++;
        }
    if (ends == 2) A[0][1] = A[1][0] = t->h12;
#define COVARIANCE(q, r) (s->V[(q) + (r)*J] + M[i + (q)*n] + M[i + (r)*n] + var)
    for (int k = 0; k < ends; k++)
        for (int m = 0; m < ends; m++) e[k][m] = COVARIANCE(at[k], at[m]);
    if (ends == 2) { /* (I - A e) N = A */
        double a = 1 - (A[0][0] * e[0][0] + A[0][1] * e[1][0]), b = -(A[0][0] * e[0][1] + A[0][1] * e[1][1]);
        double c = -(A[1][0] * e[0][0] + A[1][1] * e[1][0]), d = 1 - (A[1][0] * e[0][1] + A[1][1] * e[1][1]);
        double det = a * d - b * c;
        for (int m = 0; m < 2; m++) {
            N[0][m] = (d * A[0][m] - b * A[1][m]) / det;
            N[1][m] = (a * A[1][m] - c * A[0][m]) / det;
        }
    } else {
        N[0][0] = A[0][0] / (1 - A[0][0] * e[0][0]);
    }
    double pull[2] = {0}; /* (I + N E'DE) g */
    for (int k = 0; k < ends; k++) {
        pull[k] = g[k];
        for (int m = 0; m < ends; m++)
            for (int r = 0; r < ends; r++) pull[k] += N[k][m] * e[m][r] * g[r];
    }
    for (int q = 0; q < J; q++) {
        double mean = s->b[q] - s->f[i], spread = COVARIANCE(q, q), Y[2];
        for (int k = 0; k < ends; k++) {
            Y[k] = COVARIANCE(q, at[k]);
            mean -= Y[k] * pull[k];
        }
        for (int k = 0; k < ends; k++)
            for (int m = 0; m < ends; m++) spread += Y[k] * N[k][m] * Y[m];
        P[q] = 0.5 * erfc(mean / sqrt(2 * (1 + extra + fmax(spread, 0))));
    }
#undef COVARIANCE
}

/* The same for m equal rows at once. They have one latent value, so their sites act on the same J unknowns: A and g are
 * sums over the sites, and with D = L L' the covariance without them is D_c = (D^-1 - A)^-1 = L (I - L'A L)^-1 L'. */
static rung_status leave_group_out(rung_ctx *ctx, const ordinal_mode *s, int64_t m, const int64_t *rows, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int J = s->K - 1;
    const double *M = s->M, *var = s->var, extra = s->extra ? s->extra[rows[0]] : 0;
    int64_t n = s->n, first = rows[0], square = (int64_t)J * J;
    double *A = NULL, *g = NULL, *L = NULL, *AL = NULL, *B = NULL, *X = NULL;
    TRY(NEW(ctx, &ctx->scratch, A, square));
    TRY(NEW(ctx, &ctx->scratch, g, J));
    TRY(NEW(ctx, &ctx->scratch, L, square));
    TRY(NEW(ctx, &ctx->scratch, AL, square));
    TRY(NEW(ctx, &ctx->scratch, B, square));
    TRY(NEW(ctx, &ctx->scratch, X, square));
    for (int64_t k = 0; k < m; k++) {
        const ordinal_site *t = &s->sites[rows[k]];
        int up = highest_rank(s->y, s->upper, rows[k]) - 1, down = s->y[rows[k]] - 2;
        if (up < J) A[up + up * J] += t->h11, g[up] += t->g1;
        if (down >= 0) A[down + down * J] += t->h22, g[down] += t->g2;
        if (up < J && down >= 0) A[up + down * J] += t->h12, A[down + up * J] += t->h12;
    }
    for (int q = 0; q < J; q++)
        for (int r = 0; r < J; r++) L[q + r * J] = s->V[q + r * J] + M[first + q * n] + M[first + r * n] + var[first];
    TRY(la_small_spd_factor(ctx, J, L));
    for (int q = 0; q < J; q++)
        for (int r = q + 1; r < J; r++) L[q + r * J] = 0;
    for (int q = 0; q < J; q++)
        for (int r = 0; r < J; r++)
            for (int k = r; k < J; k++) AL[q + r * J] += A[q + k * J] * L[k + r * J];
    for (int q = 0; q < J; q++)
        for (int r = 0; r < J; r++) {
            B[q + r * J] = q == r;
            for (int k = q; k < J; k++) B[q + r * J] -= L[k + q * J] * AL[k + r * J];
            X[q + r * J] = L[r + q * J];
        }
    TRY(la_small_spd_solve(ctx, J, B, J, X)); /* D_c = L X */
    for (int64_t k = 0; k < m; k++)
        for (int q = 0; q < J; q++) {
            double mean = s->b[q] - s->f[rows[k]], spread = 0;
            for (int t = 0; t <= q; t++) {
                spread += L[q + t * J] * X[t + q * J];
                for (int r = 0; r < J; r++) mean -= L[q + t * J] * X[t + r * J] * g[r];
            }
            loo[rows[k] * J + q] = 0.5 * erfc(mean / sqrt(2 * (1 + extra + fmax(spread, 0))));
        }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- groups whose rows differ ---- */

/* A column of Q: the site of row `of` acts on `up` and `down` of the thresholds at its ends, and minus both on f. */
typedef struct {
    int64_t of;
    int at_up, at_down; /* -1: an infinite end */
    double up, down;
} site_column;

/* The columns of Q with sum_i (site's curvature) = Q Q': Cholesky factors of 2 x 2 matrices. */
static int64_t site_columns(const ordinal_mode *s, int64_t m, const int64_t *rows, site_column *out)
{
    int J = s->K - 1;
    int64_t n = 0;
    for (int64_t k = 0; k < m; k++) {
        const ordinal_site *t = &s->sites[rows[k]];
        int high = highest_rank(s->y, s->upper, rows[k]), up = high <= J ? high - 1 : -1, down = s->y[rows[k]] - 2;
        site_column one = {k, up, down, 0, 0};
        double left = down >= 0 ? t->h22 : 0;
        if (up >= 0 && t->h11 > 0) {
            one.up = sqrt(t->h11);
            one.down = down >= 0 ? t->h12 / one.up : 0;
            left -= one.down * one.down;
            out[n++] = one;
        }
        if (left > 0) out[n++] = (site_column){k, up, down, 0, sqrt(left)};
    }
    return n;
}

typedef struct { /* D, the covariance of z = (f of the rows, b), and what leaving out their sites needs */
    int64_t m, size, n;
    double *D;     /* size x size */
    double *DQ;    /* size x n */
    double *QDX;   /* n x size: (I - Q'D Q)^-1 Q'D */
    double *shift; /* size: D_c g, by which the mean moves */
    site_column *columns;
} site_block;

static double *block_column(const site_block *b, double *A, int64_t j) { return A + j * b->size; }

static rung_status block_covariance(rung_ctx *ctx, const ordinal_mode *s, const int64_t *rows, site_block *b)
{
    int64_t m = b->m, size = b->size;
    int J = s->K - 1;
    double *own = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, own, m * m));
    TRY(s->covariance(ctx, s->state, m, rows, own));
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++) b->D[i + j * size] = 0.5 * (own[i + j * m] + own[j + i * m]);
        for (int q = 0; q < J; q++) b->D[i + (m + q) * size] = b->D[m + q + i * size] = -s->M[rows[i] + q * s->n];
    }
    for (int q = 0; q < J; q++)
        for (int r = 0; r < J; r++) b->D[m + q + (m + r) * size] = s->V[q + r * J];
    return RUNG_OK;
}

/* Entry i of Q'v for a column v of length `size`. */
static double site_pull(const site_block *b, int64_t i, const double *v)
{
    const site_column *c = &b->columns[i];
    double sum = -(c->up + c->down) * v[c->of];
    if (c->at_up >= 0) sum += c->up * v[b->m + c->at_up];
    if (c->at_down >= 0) sum += c->down * v[b->m + c->at_down];
    return sum;
}

/* D Q and (I - Q'D Q)^-1 Q'D. */
static rung_status block_remove(rung_ctx *ctx, site_block *b)
{
    int64_t n = b->n, size = b->size;
    double *H = NULL;
    la_mat *L = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, H, n * n));
    TRY(la_new(ctx, &ctx->scratch, n, n, &L));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < size; j++)
            b->QDX[i + j * n] = b->DQ[j + i * size] = site_pull(b, i, block_column(b, b->D, j));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) H[i + j * n] = (i == j) - site_pull(b, i, block_column(b, b->DQ, j));
    la_put(H, L);
    TRY(la_potrf(ctx, L));
    return la_potrs(ctx, L, size, b->QDX);
}

/* Entry (i, j) of D_c = D + D Q (I - Q'D Q)^-1 Q'D. */
static double block_left(const site_block *b, int64_t i, int64_t j)
{
    double sum = b->D[i + j * b->size];
    for (int64_t k = 0; k < b->n; k++) sum += b->DQ[i + k * b->size] * b->QDX[k + j * b->n];
    return sum;
}

static rung_status block_shift(rung_ctx *ctx, const ordinal_mode *s, const int64_t *rows, site_block *b)
{
    int J = s->K - 1;
    double *g = NULL, *pulled = NULL;
    TRY(NEW(ctx, &ctx->scratch, g, b->size));
    TRY(NEW(ctx, &ctx->scratch, pulled, b->n));
    for (int64_t k = 0; k < b->m; k++) {
        const ordinal_site *t = &s->sites[rows[k]];
        int up = highest_rank(s->y, s->upper, rows[k]) - 1, down = s->y[rows[k]] - 2;
        g[k] = -(t->g1 + t->g2);
        if (up < J) g[b->m + up] += t->g1;
        if (down >= 0) g[b->m + down] += t->g2;
    }
    for (int64_t j = 0; j < b->size; j++) {
        for (int64_t i = 0; i < b->size; i++) b->shift[i] += b->D[i + j * b->size] * g[j];
        for (int64_t k = 0; k < b->n; k++) pulled[k] += b->QDX[k + j * b->n] * g[j];
    }
    for (int64_t k = 0; k < b->n; k++)
        for (int64_t i = 0; i < b->size; i++) b->shift[i] += b->DQ[i + k * b->size] * pulled[k];
    return RUNG_OK;
}

/* The rows of a group without their sites. These act on the latent values of the rows and on the thresholds, z: with
 * their curvature Q Q' and gradient g the covariance without them is D_c = (D^-1 - Q Q')^-1, and z moves by -D_c g, one
 * step of Newton's method. D may be singular, since rows may also be equal. */
static rung_status leave_block_out(rung_ctx *ctx, const ordinal_mode *s, int64_t m, const int64_t *rows, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int J = s->K - 1;
    site_block b = {.m = m, .size = m + J};
    TRY(NEW(ctx, &ctx->scratch, b.columns, 2 * m));
    b.n = site_columns(s, m, rows, b.columns);
    TRY(NEW(ctx, &ctx->scratch, b.D, b.size * b.size));
    TRY(NEW(ctx, &ctx->scratch, b.DQ, b.size * b.n));
    TRY(NEW(ctx, &ctx->scratch, b.QDX, b.size * b.n));
    TRY(NEW(ctx, &ctx->scratch, b.shift, b.size));
    TRY(block_covariance(ctx, s, rows, &b));
    if (b.n > 0) TRY(block_remove(ctx, &b));
    TRY(block_shift(ctx, s, rows, &b));
    for (int64_t k = 0; k < m; k++) {
        double own = block_left(&b, k, k), extra = s->extra ? s->extra[rows[k]] : 0;
        for (int q = 0; q < J; q++) {
            double mean = s->b[q] - s->f[rows[k]] - (b.shift[m + q] - b.shift[k]);
            double spread = block_left(&b, m + q, m + q) - 2 * block_left(&b, m + q, k) + own;
            loo[rows[k] * J + q] = 0.5 * erfc(mean / sqrt(2 * (1 + extra + fmax(spread, 0))));
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static bool has_equal(const ordinal_mode *s, int64_t i)
{
    return s->together && row_groups_size(s->together, s->together->of[i]) > 1;
}

rung_status ordinal_mode_loo(rung_ctx *ctx, const ordinal_mode *m, double *loo)
{
    int J = m->K - 1;
    const row_groups *t = m->together;
    for (int64_t i = 0; i < m->n; i++)
        if (!has_equal(m, i)) leave_out(m, i, loo + i * J);
    for (int64_t g = 0; t && g < t->count; g++)
        if (row_groups_size(t, g) > 1)
            TRY((t->mixed ? leave_block_out : leave_group_out)(ctx, m, row_groups_size(t, g), t->rows + t->start[g],
                                                               loo));
    for (int64_t i = 0; i < m->n; i++) {
        for (int q = 0; q < J; q++)
            if (!isfinite(loo[i * J + q]))
                return set_error(ctx, RUNG_ESINGULAR, "a leave-one-out prediction is not finite");
        cumulative_repair(m->K, loo + i * J);
    }
    return RUNG_OK;
}
