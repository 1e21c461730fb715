// SPDX-License-Identifier: BSD-3-Clause
/* ogp_gp.c - joint Laplace approximation in the latent values f and the thresholds b.
 *
 * With u = b_y - f, v = b_{y-1} - f and the site's derivatives in them (ordinal_probit.h), minus the Hessian of the log
 * posterior is [[K^-1 + W, C], [C', B]] (row i of C has entries at thresholds y_i and y_i - 1 only). One factorisation
 * R R' = I + W^1/2 K W^1/2 gives Sf = (K^-1 + W)^-1 as Sf v = K (v - W^1/2 (R R')^-1 W^1/2 K v), S = B - C'Sf C, and
 *     r = gf - a,  db = S^-1 (gb - C'Sf r),  df = Sf (r - C db),  da = r - W df - C db,  decrement r'df + gb'db.
 * Posterior: cov b = V = S^-1, cov (f, b) = -Sf C V, cov f = Sf + Sf C V C'Sf.
 *
 * Leave-one-out: the two-dimensional site of row i is taken out of the Gaussian posterior of u_q = b_q - f_i. */
#include "method/mixture/ogp_gp.h"

#include <math.h>
#include <string.h>

#include "solve/cumulative.h"
#include "solve/ordinal_probit.h"

enum { MOST_STEPS = 60 };
static const double DECREMENT = 1e-9, ROUNDED = 1e-8, LEAST_W = 1e-10, ARMIJO = 1e-4;

/* Derivatives of row i's site in (u, v), the second ones negated; 0 at an infinite end. */
typedef struct {
    double g1, g2, h11, h22, h12;
} site;

typedef struct {
    const ogp_gp *p;
    int J;                       /* thresholds */
    double *a, *f, *b;           /* where we are */
    double *b0;                  /* J: prior means of the thresholds */
    site *sites;                 /* n */
    double *W, *root;            /* n: curvature in f, and (variance W)^1/2 */
    la_mat *R;                   /* n x n: factor of I + root gram root */
    double *C;                   /* n x J */
    double *rhs, *back;          /* n x (J + 1): C and r; scratch of Sf */
    double *S;                   /* n x (J + 1): Sf C and Sf r */
    double *schur, *V;           /* J x J: B - C'Sf C; its inverse */
    double *gb, *db;             /* J */
    double *da, *df;             /* n */
    double *a_next, *f_next;     /* n */
    double *b_next;              /* J */
    double objective, decrement; /* there */
} laplace;

static rung_status start(rung_ctx *ctx, const ogp_gp *p, laplace *s)
{
    int64_t n = p->n;
    pool *mem = &ctx->scratch;
    int J = p->K - 1;
    double *rows = NULL, *small = NULL;
    *s = (laplace){.p = p, .J = J};
    TRY(NEW(ctx, mem, rows, n * (8 + J + 3 * (J + 1))));
    TRY(NEW(ctx, mem, small, (int64_t)J * (5 + 2 * J)));
    TRY(NEW(ctx, mem, s->sites, n));
    TRY(la_new(ctx, mem, n, n, &s->R));
    double **by_row[] = {&s->a, &s->f, &s->W, &s->root, &s->da, &s->df, &s->a_next, &s->f_next};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++, rows += n) *by_row[i] = rows;
    s->C = rows;
    s->rhs = s->C + n * J;
    s->back = s->rhs + n * (J + 1);
    s->S = s->back + n * (J + 1);
    double **by_threshold[] = {&s->b, &s->b0, &s->gb, &s->db, &s->b_next};
    for (size_t i = 0; i < sizeof by_threshold / sizeof *by_threshold; i++, small += J) *by_threshold[i] = small;
    s->schur = small;
    s->V = s->schur + (int64_t)J * J;
    double below = 0;
    for (int q = 1; q <= J; q++) {
        for (int64_t i = 0; i < n; i++) below += p->y[i] == q;
        s->b0[q - 1] = sqrt(1 + p->prior_variance) * normal_quantile((below + (double)q / p->K) / ((double)n + 1));
    }
    memcpy(s->b, s->b0, (size_t)J * sizeof *s->b);
    return RUNG_OK;
}

/* -inf where the thresholds are out of order. */
static double log_posterior(const laplace *s, const double *a, const double *f, const double *b)
{
    const ogp_gp *p = s->p;
    double sum = 0, prior = 0;
    for (int q = 1; q < s->J; q++)
        if (!(b[q] > b[q - 1])) return -INFINITY;
    for (int64_t i = 0; i < p->n; i++) sum += ordinal_probit_log(f[i], p->y[i], p->K, b, 1) - 0.5 * a[i] * f[i];
    for (int q = 0; q < s->J; q++) prior += (b[q] - s->b0[q]) * (b[q] - s->b0[q]);
    return sum - 0.5 * prior / (1 + p->prior_variance);
}

/* Sites, W, C, the gradient in b and B (in schur) at the present point. */
static void differentiate(laplace *s)
{
    const ogp_gp *p = s->p;
    int64_t n = p->n;
    int J = s->J;
    double precision = 1 / (1 + p->prior_variance);
    memset(s->C, 0, (size_t)(n * J) * sizeof *s->C);
    memset(s->schur, 0, (size_t)J * (size_t)J * sizeof *s->schur);
    for (int q = 0; q < J; q++) {
        s->gb[q] = -precision * (s->b[q] - s->b0[q]);
        s->schur[q + q * J] = precision;
    }
    for (int64_t i = 0; i < n; i++) {
        int y = p->y[i], up = y - 1, down = y - 2; /* places of b_y and b_{y-1} */
        ordinal_probit o = ordinal_probit_at(s->f[i], y, p->K, s->b, 1);
        site *t = &s->sites[i];
        *t = (site){.g1 = o.e1, .g2 = -o.e2, .h11 = -o.h11, .h22 = -o.h22, .h12 = -o.h12};
        s->W[i] = fmax(o.H, LEAST_W);
        if (up < J) {
            s->C[i + up * n] -= t->h11 + t->h12;
            s->gb[up] += t->g1;
            s->schur[up + up * J] += t->h11;
        }
        if (down >= 0) {
            s->C[i + down * n] -= t->h22 + t->h12;
            s->gb[down] += t->g2;
            s->schur[down + down * J] += t->h22;
        }
        if (up < J && down >= 0) {
            s->schur[up + down * J] += t->h12;
            s->schur[down + up * J] += t->h12;
        }
    }
}

/* The k columns of X := W^1/2 (R R')^-1 W^1/2 K X, so that Sf X = K (X_old - X_new). */
static rung_status shrink(rung_ctx *ctx, const laplace *s, int64_t k, const double *X, double *out)
{
    int64_t n = s->p->n;
    TRY(la_mul(ctx, 1, s->p->gram, k, X, 0, out));
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < n; i++) out[i + c * n] *= s->root[i];
    TRY(la_potrs(ctx, s->R, k, out));
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < n; i++) out[i + c * n] *= s->root[i];
    return RUNG_OK;
}

/* The factor at the present point, Sf C, Sf r and S. */
static rung_status factorise(rung_ctx *ctx, laplace *s)
{
    const ogp_gp *p = s->p;
    int64_t n = p->n;
    int J = s->J;
    differentiate(s);
    for (int64_t i = 0; i < n; i++) {
        s->root[i] = sqrt(p->variance * s->W[i]);
        s->rhs[i + J * n] = -(s->sites[i].g1 + s->sites[i].g2) - s->a[i];
    }
    memcpy(s->rhs, s->C, (size_t)(n * J) * sizeof *s->C);
    TRY(la_gather(ctx, p->gram, NULL, NULL, s->R));
    TRY(la_scale(ctx, s->root, s->root, s->R));
    la_add_diagonal(s->R, 1, NULL);
    TRY(la_potrf(ctx, s->R));
    TRY(shrink(ctx, s, J + 1, s->rhs, s->back));
    for (int64_t i = 0; i < n * (J + 1); i++) s->back[i] = s->rhs[i] - s->back[i];
    TRY(la_mul(ctx, p->variance, p->gram, J + 1, s->back, 0, s->S));
    for (int q = 0; q < J; q++)
        for (int t = 0; t < J; t++)
            for (int64_t i = 0; i < n; i++) s->schur[q + t * J] -= s->C[i + q * n] * s->S[i + t * n];
    return RUNG_OK;
}

/* V = S^-1 from the Schur complement, made symmetric first. */
static rung_status invert(rung_ctx *ctx, laplace *s)
{
    int J = s->J;
    memset(s->V, 0, (size_t)J * (size_t)J * sizeof *s->V);
    for (int q = 0; q < J; q++) {
        s->V[q + q * J] = 1;
        for (int t = 0; t < q; t++)
            s->schur[q + t * J] = s->schur[t + q * J] = 0.5 * (s->schur[q + t * J] + s->schur[t + q * J]);
    }
    return la_small_spd_solve(ctx, J, s->schur, J, s->V);
}

static rung_status direction(rung_ctx *ctx, laplace *s)
{
    int64_t n = s->p->n;
    int J = s->J;
    const double *r = s->rhs + J * n, *Sr = s->S + J * n;
    TRY(factorise(ctx, s));
    TRY(invert(ctx, s));
    for (int q = 0; q < J; q++) {
        s->b_next[q] = s->gb[q];
        for (int64_t i = 0; i < n; i++) s->b_next[q] -= s->C[i + q * n] * Sr[i];
    }
    s->decrement = 0;
    for (int q = 0; q < J; q++) {
        s->db[q] = 0;
        for (int t = 0; t < J; t++) s->db[q] += s->V[q + t * J] * s->b_next[t];
        s->decrement += s->gb[q] * s->db[q];
    }
    for (int64_t i = 0; i < n; i++) {
        double Cdb = 0, SCdb = 0;
        for (int q = 0; q < J; q++) {
            Cdb += s->C[i + q * n] * s->db[q];
            SCdb += s->S[i + q * n] * s->db[q];
        }
        s->df[i] = Sr[i] - SCdb;
        s->da[i] = r[i] - s->W[i] * s->df[i] - Cdb;
        s->decrement += r[i] * s->df[i];
    }
    return RUNG_OK;
}

/* The longest of the halved steps that gains enough; false: none, because of rounding. */
static bool advance(laplace *s)
{
    int64_t n = s->p->n;
    for (double t = 1; t > 1e-10; t *= 0.5) {
        for (int64_t i = 0; i < n; i++) {
            s->a_next[i] = s->a[i] + t * s->da[i];
            s->f_next[i] = s->f[i] + t * s->df[i];
        }
        for (int q = 0; q < s->J; q++) s->b_next[q] = s->b[q] + t * s->db[q];
        double value = log_posterior(s, s->a_next, s->f_next, s->b_next);
        if (!(value >= s->objective + ARMIJO * t * s->decrement) && !(value >= s->objective && s->decrement < 1e-6))
            continue;
        memcpy(s->a, s->a_next, (size_t)n * sizeof *s->a);
        memcpy(s->f, s->f_next, (size_t)n * sizeof *s->f);
        memcpy(s->b, s->b_next, (size_t)s->J * sizeof *s->b);
        s->objective = value;
        return true;
    }
    return false;
}

/* Ends at the mode with all quantities there, including V. */
static rung_status find_mode(rung_ctx *ctx, laplace *s)
{
    s->objective = log_posterior(s, s->a, s->f, s->b);
    for (int step = 0;; step++) {
        TRY(interrupted(ctx));
        TRY(direction(ctx, s));
        double relative = s->decrement / (1 + fabs(s->objective));
        if (step > 0 && relative < DECREMENT) return RUNG_OK;
        if (step < MOST_STEPS && advance(s)) continue;
        if (relative < ROUNDED) return RUNG_OK; /* rounding prevents any gain */
        return set_error(ctx, RUNG_ENOCONV, "Newton's iteration did not converge in %d steps (decrement %.2g)", step,
                         s->decrement);
    }
}

/* ---- leave-one-out ---- */

/* var[i] = (Sf + Sf C V C'Sf)_ii, M = Sf C V (n x J). */
static rung_status marginals(rung_ctx *ctx, const laplace *s, double *var, double *M)
{
    const ogp_gp *p = s->p;
    int64_t n = p->n;
    int J = s->J;
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *T = NULL; /* R^-1 W^1/2 K */
    double *dots = NULL, *diagonal = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, &T));
    TRY(NEW(ctx, &ctx->scratch, dots, n));
    TRY(NEW(ctx, &ctx->scratch, diagonal, n));
    TRY(la_gather(ctx, p->gram, NULL, NULL, T));
    TRY(la_scale(ctx, s->root, NULL, T));
    TRY(la_trsm(ctx, s->R, false, T));
    TRY(la_column_dots(ctx, T, T, dots));
    la_diagonal(p->gram, diagonal);
    for (int64_t i = 0; i < n; i++) {
        var[i] = fmax(p->variance * (diagonal[i] - dots[i]), 1e-12);
        for (int q = 0; q < J; q++) {
            M[i + q * n] = 0;
            for (int t = 0; t < J; t++) M[i + q * n] += s->S[i + t * n] * s->V[t + q * J];
            var[i] += M[i + q * n] * s->S[i + q * n];
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Row i without its site: D_c = D + D E N E'D, N = (I - A E'DE)^-1 A, and the mean u - D_c E g = u - Y (I + N E'DE) g
 * with Y = D E. Column `place` of Y is the covariance of u with the threshold at that end. */
static void leave_out(const laplace *s, int64_t i, double var, const double *M, double *P)
{
    const ogp_gp *p = s->p;
    const site *t = &s->sites[i];
    int64_t n = p->n;
    int J = s->J, end[2] = {p->y[i] - 1, p->y[i] - 2}, ends = 0, at[2] = {0};
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
        P[q] = 0.5 * erfc(mean / sqrt(2 * (1 + fmax(spread, 0))));
    }
#undef COVARIANCE
}

/* The same for m equal rows at once. They have one latent value, so their sites act on the same J unknowns: A and g are
 * sums over the sites, and with D = L L' the covariance without them is D_c = (D^-1 - A)^-1 = L (I - L'A L)^-1 L'. */
static rung_status leave_group_out(rung_ctx *ctx, const laplace *s, int64_t m, const int64_t *rows, const double *var,
                                   const double *M, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int J = s->J;
    int64_t n = s->p->n, first = rows[0], square = (int64_t)J * J;
    double *A = NULL, *g = NULL, *L = NULL, *AL = NULL, *B = NULL, *X = NULL;
    TRY(NEW(ctx, &ctx->scratch, A, square));
    TRY(NEW(ctx, &ctx->scratch, g, J));
    TRY(NEW(ctx, &ctx->scratch, L, square));
    TRY(NEW(ctx, &ctx->scratch, AL, square));
    TRY(NEW(ctx, &ctx->scratch, B, square));
    TRY(NEW(ctx, &ctx->scratch, X, square));
    for (int64_t k = 0; k < m; k++) {
        const site *t = &s->sites[rows[k]];
        int up = s->p->y[rows[k]] - 1, down = up - 1;
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
            loo[rows[k] * J + q] = 0.5 * erfc(mean / sqrt(2 * (1 + fmax(spread, 0))));
        }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static bool has_equal(const ogp_gp *p, int64_t i)
{
    return p->together && row_groups_size(p->together, p->together->of[i]) > 1;
}

rung_status ogp_gp_fit(rung_ctx *ctx, const ogp_gp *p, double *a, double *b, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    double *var = NULL, *M = NULL;
    TRY(start(ctx, p, &s));
    TRY(NEW(ctx, &ctx->scratch, var, p->n));
    TRY(NEW(ctx, &ctx->scratch, M, p->n * s.J));
    TRY(find_mode(ctx, &s));
    TRY(marginals(ctx, &s, var, M));
    for (int64_t i = 0; i < p->n; i++)
        if (!has_equal(p, i)) leave_out(&s, i, var[i], M, loo + i * s.J);
    for (int64_t g = 0; p->together && g < p->together->count; g++) {
        const row_groups *t = p->together;
        if (row_groups_size(t, g) > 1)
            TRY(leave_group_out(ctx, &s, row_groups_size(t, g), t->rows + t->start[g], var, M, loo));
    }
    for (int64_t i = 0; i < p->n; i++) {
        for (int q = 0; q < s.J; q++)
            if (!isfinite(loo[i * s.J + q]))
                return set_error(ctx, RUNG_ESINGULAR, "a leave-one-out prediction is not finite");
        cumulative_repair(p->K, loo + i * s.J);
    }
    memcpy(a, s.a, (size_t)p->n * sizeof *a);
    memcpy(b, s.b, (size_t)s.J * sizeof *b);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status ogp_gp_decrement(rung_ctx *ctx, const ogp_gp *p, const double *a, const double *b, double *decrement,
                             double *objective)
{
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    TRY(start(ctx, p, &s));
    memcpy(s.a, a, (size_t)p->n * sizeof *a);
    memcpy(s.b, b, (size_t)s.J * sizeof *b);
    TRY(la_mul(ctx, p->variance, p->gram, 1, a, 0, s.f));
    TRY(direction(ctx, &s));
    *decrement = s.decrement;
    *objective = log_posterior(&s, s.a, s.f, s.b);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- new rows ---- */

/* With k(x) = variance g(x): mean = k'a, z = R^-1 W^1/2 k and D = C'k - C'K W^1/2 R^-T z = (C - W^1/2 (R R')^-1 W^1/2 K
 * C)'k. */
static double largest_of(int64_t n, const double *v)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

/* The factor by which the covariance at the present point magnifies relative errors of its inputs; between factorise and
 * invert, which destroys S. The eigenvalues of R R' are between 1 and 1 + tr(W^1/2 K W^1/2) =: k, its condition. What
 * follows is a difference of terms that may be much larger than itself: D = C - W^1/2 (R R')^-1 W^1/2 K C by the factor
 * |C| / |D|, and S = B - C'Sf C, of which V is the inverse, by |B| |V|. Errors of f = K a, as large as the rounding of
 * the terms of this sum (at most variance max k(x,x) sum |a|), enter W, C and B like those of the factor. */
static rung_status magnification(rung_ctx *ctx, const laplace *s, double *out)
{
    const ogp_gp *p = s->p;
    int64_t n = p->n;
    int J = s->J;
    double *diagonal = NULL, *S = NULL, *V = NULL, k = 1, B = 0, inverse = 0, sum = 0;
    TRY(NEW(ctx, &ctx->scratch, diagonal, n));
    TRY(NEW(ctx, &ctx->scratch, S, (int64_t)J * J));
    TRY(NEW(ctx, &ctx->scratch, V, (int64_t)J * J));
    la_diagonal(p->gram, diagonal);
    for (int64_t i = 0; i < n; i++) {
        k += s->root[i] * s->root[i] * diagonal[i];
        sum += fabs(s->a[i]);
    }
    for (int q = 0; q < J; q++) {
        V[q + q * J] = 1;
        B += s->schur[q + q * J];
        for (int64_t i = 0; i < n; i++) B += s->C[i + q * n] * s->S[i + q * n];
    }
    for (int i = 0; i < J * J; i++) S[i] = 0.5 * (s->schur[i] + s->schur[i / J + i % J * J]);
    TRY(la_small_spd_solve(ctx, J, S, J, V));
    for (int q = 0; q < J; q++) inverse += V[q + q * J];
    double lost = fmax(largest_of(n * J, s->C) / largest_of(n * J, s->back), B * inverse);
    double terms = p->variance * largest_of(n, diagonal) * sum;
    *out = (k + terms) * fmax(lost, 1);
    return RUNG_OK;
}

rung_status ogp_gp_expansion(rung_ctx *ctx, const ogp_gp *p, const double *a, const double *b, double *coef,
                             double *spread, double *magnified)
{
    int64_t n = p->n;
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    la_mat *inverse = NULL;
    double *all = NULL, *D = coef + n, *z = coef + n * p->K;
    TRY(start(ctx, p, &s));
    memcpy(s.a, a, (size_t)n * sizeof *a);
    memcpy(s.b, b, (size_t)s.J * sizeof *b);
    TRY(la_mul(ctx, p->variance, p->gram, 1, a, 0, s.f));
    TRY(factorise(ctx, &s));
    if (magnified) TRY(magnification(ctx, &s, magnified));
    TRY(invert(ctx, &s));
    memcpy(spread, s.V, (size_t)s.J * (size_t)s.J * sizeof *spread);
    for (int64_t i = 0; i < n; i++) coef[i] = p->variance * a[i];
    for (int64_t i = 0; i < n * s.J; i++) D[i] = p->variance * s.back[i];
    TRY(la_new(ctx, &ctx->scratch, n, n, &inverse));
    TRY(NEW(ctx, &ctx->scratch, all, n * n));
    for (int64_t i = 0; i < n; i++) all[i + i * n] = sqrt(p->variance) * s.root[i]; /* variance W^1/2 */
    la_put(all, inverse);
    TRY(la_trsm(ctx, s.R, false, inverse));
    la_get(inverse, all);
    for (int64_t r = 0; r < n; r++) /* row r of R^-1 W^1/2 is a column of coefficients */
        for (int64_t j = 0; j < n; j++) z[j + r * n] = all[r + j * n];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
