// SPDX-License-Identifier: BSD-3-Clause
/* ordinal_sites.c - leave-one-out: the two-dimensional site of row i is taken out of the Gaussian posterior of
 * u_q = b_q - f_i. */
#include "method/mixture/ordinal_sites.h"

#include <math.h>
#include <string.h>

#include "linalg/la.h"
#include "solve/cumulative.h"
#include "solve/ordinal_probit.h"

enum { MOST_STEPS = 60 };
static const double LEAST_W = 1e-10, DECREMENT = 1e-9, ROUNDED = 1e-8, ARMIJO = 1e-4;

static double weight_of(const ordinal_rows *rows, int64_t i) { return rows->weight ? rows->weight[i] : 1; }

void ordinal_sites_prior(const ordinal_rows *rows, double variance, double *b0)
{
    double below = 0, all = 0;
    for (int64_t i = 0; i < rows->n; i++) all += weight_of(rows, i);
    for (int q = 1; q < rows->K; q++) {
        for (int64_t i = 0; i < rows->n; i++) below += rows->y[i] == q ? weight_of(rows, i) : 0;
        b0[q - 1] = sqrt(1 + variance) * normal_quantile((below + (double)q / rows->K) / (all + 1));
    }
}

double ordinal_sites_log(const ordinal_rows *rows, const double *f, const double *b, const double *b0, double variance)
{
    int K = rows->K;
    double sum = 0, prior = 0;
    for (int q = 1; q < K - 1; q++)
        if (!(b[q] > b[q - 1])) return -INFINITY;
    for (int64_t i = 0; i < rows->n; i++) sum += weight_of(rows, i) * ordinal_probit_log(f[i], rows->y[i], K, b, 1);
    for (int q = 0; q < K - 1; q++) prior += (b[q] - b0[q]) * (b[q] - b0[q]);
    return sum - 0.5 * prior / (1 + variance);
}

void ordinal_sites_at(const ordinal_sites *s, const double *b0, double variance)
{
    int64_t n = s->rows.n;
    int K = s->rows.K, J = K - 1;
    double precision = 1 / (1 + variance);
    memset(s->C, 0, (size_t)(n * J) * sizeof *s->C);
    memset(s->B, 0, (size_t)J * (size_t)J * sizeof *s->B);
    for (int q = 0; q < J; q++) {
        s->gb[q] = -precision * (s->b[q] - b0[q]);
        s->B[q + q * J] = precision;
    }
    for (int64_t i = 0; i < n; i++) {
        int y = s->rows.y[i], up = y - 1, down = y - 2; /* places of b_y and b_{y-1} */
        double w = weight_of(&s->rows, i);
        ordinal_probit o = ordinal_probit_at(s->f[i], y, K, s->b, 1);
        ordinal_site *t = &s->sites[i];
        *t = (ordinal_site){.g1 = w * o.e1, .g2 = -w * o.e2, .h11 = -w * o.h11, .h22 = -w * o.h22, .h12 = -w * o.h12};
        s->W[i] = fmax(w * o.H, LEAST_W);
        if (up < J) {
            s->C[i + up * n] -= t->h11 + t->h12;
            s->gb[up] += t->g1;
            s->B[up + up * J] += t->h11;
        }
        if (down >= 0) {
            s->C[i + down * n] -= t->h22 + t->h12;
            s->gb[down] += t->g2;
            s->B[down + down * J] += t->h22;
        }
        if (up < J && down >= 0) {
            s->B[up + down * J] += t->h12;
            s->B[down + up * J] += t->h12;
        }
    }
}

/* ---- the mode ---- */

/* The longest of the halved steps that gains enough; false: none, because of rounding. */
static bool advance(const ordinal_ascent *a, void *state, double decrement, double *objective)
{
    for (double t = 1; t > 1e-10; t *= 0.5) {
        double value = a->step(state, t);
        if (!(value >= *objective + ARMIJO * t * decrement) && !(value >= *objective && decrement < 1e-6)) continue;
        a->take(state);
        *objective = value;
        return true;
    }
    return false;
}

rung_status ordinal_mode_find(rung_ctx *ctx, const ordinal_ascent *a, void *state, double objective)
{
    double decrement;
    for (int step = 0;; step++) {
        TRY(interrupted(ctx));
        TRY(a->direction(ctx, state, &decrement));
        double relative = decrement / (1 + fabs(objective));
        if (step > 0 && relative < DECREMENT) return RUNG_OK;
        if (step < MOST_STEPS && advance(a, state, decrement, &objective)) continue;
        if (relative < ROUNDED) return RUNG_OK; /* rounding prevents any gain */
        return set_error(ctx, RUNG_ENOCONV, "Newton's iteration did not converge in %d steps (decrement %.2g)", step,
                         decrement);
    }
}

/* ---- leave-one-out ---- */

/* Row i without its site: D_c = D + D E N E'D, N = (I - A E'DE)^-1 A, and the mean u - D_c E g = u - Y (I + N E'DE) g
 * with Y = D E. Column `place` of Y is the covariance of u with the threshold at that end. */
static void leave_out(const ordinal_mode *s, int64_t i, double *P)
{
    const ordinal_site *t = &s->sites[i];
    const double *M = s->M, var = s->var[i], extra = s->extra ? s->extra[i] : 0;
    int64_t n = s->n;
    int J = s->K - 1, end[2] = {s->y[i] - 1, s->y[i] - 2}, ends = 0, at[2] = {0};
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
        int up = s->y[rows[k]] - 1, down = up - 1;
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
        if (row_groups_size(t, g) > 1) TRY(leave_group_out(ctx, m, row_groups_size(t, g), t->rows + t->start[g], loo));
    for (int64_t i = 0; i < m->n; i++) {
        for (int q = 0; q < J; q++)
            if (!isfinite(loo[i * J + q]))
                return set_error(ctx, RUNG_ESINGULAR, "a leave-one-out prediction is not finite");
        cumulative_repair(m->K, loo + i * J);
    }
    return RUNG_OK;
}
