// SPDX-License-Identifier: BSD-3-Clause
/* ogp_gp.c - joint Laplace approximation in the latent values f and the thresholds b.
 *
 * With u = b_y - f, v = b_{y-1} - f and the site's derivatives in them (ordinal_probit.h), minus the Hessian of the log
 * posterior is [[K^-1 + W, C], [C', B]] (row i of C has entries at thresholds y_i and y_i - 1 only, those outside the
 * interval where the label is one). One factorisation R R' = I + W^1/2 K W^1/2 gives Sf = (K^-1 + W)^-1 as Sf v = K (v
 * - W^1/2 (R R')^-1 W^1/2 K v), S = B - C'Sf C, and r = gf - a,  db = S^-1 (gb - C'Sf r),  df = Sf (r - C db),  da = r
 * - W df - C db,  decrement r'df + gb'db. Posterior: cov b = V = S^-1, cov (f, b) = -Sf C V, cov f = Sf + Sf C V C'Sf.
 */
#include "method/mixture/ogp_gp.h"

#include <math.h>
#include <string.h>

#include "method/mixture/ordinal_sites.h"

static int64_t row_numbers(int J) { return 8 + J + 3 * (J + 1); } /* of `laplace` */

/* The factor; then what is whitened (its inverse's diagonal takes as much), or in the expansion its leading directions
 * and the room of the eigenproblem. */
double ogp_gp_bytes(double n, int K)
{
    return n * (8 * (double)row_numbers(K - 1) + sizeof(ordinal_site) + 8 * (K + 6)) + 8 * 2 * n * n +
           la_eigen_bytes((int64_t)n);
}

typedef struct {
    const ogp_gp *p;
    int J;                   /* thresholds */
    double *a, *f, *b;       /* where we are */
    double *b0;              /* J: prior means of the thresholds */
    ordinal_site *sites;     /* n */
    double *W, *root;        /* n: curvature in f, and (variance W)^1/2 */
    la_mat *R;               /* n x n: factor of I + root gram root */
    double *C;               /* n x J */
    double *rhs, *back;      /* n x (J + 1): C and r; scratch of Sf */
    double *S;               /* n x (J + 1): Sf C and Sf r */
    double *schur, *V;       /* J x J: B - C'Sf C; its inverse */
    double *gb, *db;         /* J */
    double *da, *df;         /* n */
    double *a_next, *f_next; /* n */
    double *b_next;          /* J */
} laplace;

static ordinal_rows rows_of(const ogp_gp *p) { return (ordinal_rows){p->n, p->K, p->y, p->upper, p->weight}; }

static rung_status start(rung_ctx *ctx, const ogp_gp *p, laplace *s)
{
    int64_t n = p->n;
    pool *mem = &ctx->scratch;
    int J = p->K - 1;
    double *rows = NULL, *small = NULL;
    *s = (laplace){.p = p, .J = J};
    TRY(NEW(ctx, mem, rows, n * row_numbers(J)));
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
    ordinal_rows given = rows_of(p);
    TRY(ordinal_sites_prior(ctx, &given, p->prior_variance, s->b0));
    memcpy(s->b, s->b0, (size_t)J * sizeof *s->b);
    return RUNG_OK;
}

/* At given coefficients and thresholds. */
static rung_status place(rung_ctx *ctx, const ogp_gp *p, const double *a, const double *b, laplace *s)
{
    TRY(start(ctx, p, s));
    memcpy(s->a, a, (size_t)p->n * sizeof *a);
    memcpy(s->b, b, (size_t)s->J * sizeof *b);
    return la_mul(ctx, p->variance, p->gram, 1, a, 0, s->f);
}

static double log_posterior(const laplace *s, const double *a, const double *f, const double *b)
{
    const ogp_gp *p = s->p;
    ordinal_rows rows = rows_of(p);
    double sum = ordinal_sites_log(&rows, f, b, s->b0, p->prior_variance);
    for (int64_t i = 0; i < p->n; i++) sum -= 0.5 * a[i] * f[i];
    return sum;
}

/* Sites, W, C, the gradient in b and B (in schur) at the present point. */
static void differentiate(laplace *s)
{
    const ogp_gp *p = s->p;
    ordinal_sites at = {rows_of(p), s->f, s->b, s->sites, s->W, s->C, s->gb, s->schur};
    ordinal_sites_at(&at, s->b0, p->prior_variance);
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

static rung_status direction(rung_ctx *ctx, void *state, double *decrement)
{
    laplace *s = state;
    int64_t n = s->p->n;
    int J = s->J;
    const double *r = s->rhs + J * n, *Sr = s->S + J * n;
    /* f as place() has it: what is repeated at the mode has the same bits. */
    TRY(la_mul(ctx, s->p->variance, s->p->gram, 1, s->a, 0, s->f));
    TRY(factorise(ctx, s));
    TRY(invert(ctx, s));
    for (int q = 0; q < J; q++) {
        s->b_next[q] = s->gb[q];
        for (int64_t i = 0; i < n; i++) s->b_next[q] -= s->C[i + q * n] * Sr[i];
    }
    *decrement = 0;
    for (int q = 0; q < J; q++) {
        s->db[q] = 0;
        for (int t = 0; t < J; t++) s->db[q] += s->V[q + t * J] * s->b_next[t];
        *decrement += s->gb[q] * s->db[q];
    }
    for (int64_t i = 0; i < n; i++) {
        double Cdb = 0, SCdb = 0;
        for (int q = 0; q < J; q++) {
            Cdb += s->C[i + q * n] * s->db[q];
            SCdb += s->S[i + q * n] * s->db[q];
        }
        s->df[i] = Sr[i] - SCdb;
        s->da[i] = r[i] - s->W[i] * s->df[i] - Cdb;
        *decrement += r[i] * s->df[i];
    }
    return RUNG_OK;
}

static double step(void *state, double t)
{
    laplace *s = state;
    for (int64_t i = 0; i < s->p->n; i++) {
        s->a_next[i] = s->a[i] + t * s->da[i];
        s->f_next[i] = s->f[i] + t * s->df[i];
    }
    for (int q = 0; q < s->J; q++) s->b_next[q] = s->b[q] + t * s->db[q];
    return log_posterior(s, s->a_next, s->f_next, s->b_next);
}

static void take(void *state)
{
    laplace *s = state;
    memcpy(s->a, s->a_next, (size_t)s->p->n * sizeof *s->a);
    memcpy(s->f, s->f_next, (size_t)s->p->n * sizeof *s->f);
    memcpy(s->b, s->b_next, (size_t)s->J * sizeof *s->b);
}

static const ordinal_ascent ascent = {.direction = direction, .step = step, .take = take};

/* ---- leave-one-out ---- */

typedef struct {
    const laplace *s;
    double *var, *M;
} marginal;

/* T = R^-1 W^1/2 K at some rows, so that Sf = variance (K - T'T) there. */
static rung_status whitened(rung_ctx *ctx, const laplace *s, int64_t m, const int64_t *rows, la_mat **T)
{
    TRY(la_new(ctx, &ctx->scratch, s->p->n, m, T));
    TRY(la_gather(ctx, s->p->gram, NULL, rows, *T));
    TRY(la_scale(ctx, s->root, NULL, *T));
    return la_trsm(ctx, s->R, false, *T);
}

/* The diagonal of Sf: W^-1/2 (I - (R R')^-1) W^-1/2 costs a third of K - T'T, which remains for the rows whose W is so
 * small that the difference would lose digits. */
static rung_status variances(rung_ctx *ctx, const laplace *s, double *var)
{
    static const double LOSES = 1e-4;
    const ogp_gp *p = s->p;
    int64_t n = p->n, few = 0, *rows = NULL;
    double *own = NULL, *dots = NULL;
    la_mat *T = NULL;
    TRY(NEW(ctx, &ctx->scratch, rows, n));
    TRY(NEW(ctx, &ctx->scratch, own, n));
    TRY(NEW(ctx, &ctx->scratch, dots, n));
    TRY(la_inverse_diagonal(ctx, s->R, var));
    la_diagonal(p->gram, own);
    for (int64_t i = 0; i < n; i++) {
        if (1 - var[i] < LOSES) rows[few++] = i;
        var[i] = (1 - var[i]) / s->W[i];
    }
    if (few == 0) return RUNG_OK;
    TRY(whitened(ctx, s, few, rows, &T));
    TRY(la_column_dots(ctx, T, T, dots));
    for (int64_t i = 0; i < few; i++) var[rows[i]] = fmax(p->variance * (own[rows[i]] - dots[i]), 1e-12);
    return RUNG_OK;
}

/* var[i] = (Sf + Sf C V C'Sf)_ii, M = Sf C V (n x J). */
static rung_status marginals(rung_ctx *ctx, marginal *out)
{
    const laplace *s = out->s;
    int64_t n = s->p->n;
    int J = s->J;
    double *var, *M;
    TRY(NEW(ctx, &ctx->scratch, out->var, n));
    TRY(NEW(ctx, &ctx->scratch, out->M, n * J));
    var = out->var;
    M = out->M;
    TRY(variances(ctx, s, var));
    for (int64_t i = 0; i < n; i++) {
        for (int q = 0; q < J; q++) {
            M[i + q * n] = 0;
            for (int t = 0; t < J; t++) M[i + q * n] += s->S[i + t * n] * s->V[t + q * J];
            var[i] += M[i + q * n] * s->S[i + q * n];
        }
    }
    return RUNG_OK;
}

/* Sf + Sf C V C'Sf at some rows. */
static rung_status block_covariance(rung_ctx *ctx, const void *state, int64_t m, const int64_t *rows, double *out)
{
    const marginal *a = state;
    const ogp_gp *p = a->s->p;
    int64_t n = p->n;
    la_mat *T = NULL, *block = NULL;
    TRY(whitened(ctx, a->s, m, rows, &T));
    TRY(la_new(ctx, &ctx->scratch, m, m, &block));
    TRY(la_gather(ctx, p->gram, rows, rows, block));
    TRY(la_syrk(ctx, true, -p->variance, T, p->variance, block));
    la_get(block, out);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++)
            for (int q = 0; q < a->s->J; q++) out[i + j * m] += a->M[rows[i] + q * n] * a->s->S[rows[j] + q * n];
    return RUNG_OK;
}

rung_status ogp_gp_fit(rung_ctx *ctx, const ogp_gp *p, double *a, double *b, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    marginal at = {.s = &s};
    TRY(p->warm ? place(ctx, p, a, b, &s) : start(ctx, p, &s));
    TRY(ordinal_mode_find(ctx, &ascent, &s, log_posterior(&s, s.a, s.f, s.b)));
    TRY(marginals(ctx, &at));
    ordinal_mode mode = {.n = p->n,
                         .K = p->K,
                         .y = p->y,
                         .upper = p->upper,
                         .together = p->together,
                         .f = s.f,
                         .b = s.b,
                         .sites = s.sites,
                         .V = s.V,
                         .var = at.var,
                         .M = at.M,
                         .covariance = block_covariance,
                         .state = &at};
    TRY(ordinal_mode_loo(ctx, &mode, loo));
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
    TRY(place(ctx, p, a, b, &s));
    TRY(direction(ctx, &s, decrement));
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

/* The factor by which the covariance at the present point magnifies relative errors of its inputs; between factorise
 * and invert, which destroys S. The eigenvalues of R R' are between 1 and 1 + tr(W^1/2 K W^1/2) =: k, its condition.
 * What follows is a difference of terms that may be much larger than itself: D = C - W^1/2 (R R')^-1 W^1/2 K C by the
 * factor |C| / |D|, and S = B - C'Sf C, of which V is the inverse, by |B| |V|. Errors of f = K a, as large as the
 * rounding of the terms of this sum (at most variance max k(x,x) sum |a|), enter W, C and B like those of the factor.
 * Beside the input's error there is that of the arithmetic: sums of n terms, in f and in the factor, round to sqrt(n)
 * times as much (Higham, Mary. SIAM J. Sci. Comput. 41(5):A2815-A2835, 2019). */
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
    *out = (1 + sqrt((double)n)) * (k + terms) * fmax(lost, 1);
    return RUNG_OK;
}

/* z, exact: row r of R^-1 W^1/2 is a column of coefficients. */
static rung_status whole_variance(rung_ctx *ctx, const laplace *s, double *z)
{
    int64_t n = s->p->n;
    la_mat *inverse = NULL;
    double *all = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, &inverse));
    TRY(NEW(ctx, &ctx->scratch, all, n * n));
    for (int64_t i = 0; i < n; i++) all[i + i * n] = sqrt(s->p->variance) * s->root[i]; /* variance W^1/2 */
    la_put(all, inverse);
    TRY(la_trsm(ctx, s->R, false, inverse));
    la_get(inverse, all);
    for (int64_t r = 0; r < n; r++)
        for (int64_t j = 0; j < n; j++) z[j + r * n] = all[r + j * n];
    return RUNG_OK;
}

/* z in few directions: W^1/2 K W^1/2 = Q diag(l) Q' gives z_j = (1 + l_j)^-1/2 Q_j'W^1/2 k(x), whose square over the
 * rows is l_j^2 / (1 + l_j) (Q_j'W^-1/2)^2. Directions of one l (of equal rows, of categories) are kept or left
 * together: any basis of them is as good, and rounding would choose which of them stays. */
static rung_status leading_variance(rung_ctx *ctx, laplace *s, int *rank, double *z)
{
    static const double LOST = 0.01, SAME = 1e-6;
    const ogp_gp *p = s->p;
    int64_t n = p->n, keep = *rank;
    la_mat *Q = NULL, *T = NULL;
    double *values = NULL, *energy = NULL, *dots = NULL, *diagonal = NULL, left = 0;
    TRY(NEW(ctx, &ctx->scratch, values, n));
    TRY(NEW(ctx, &ctx->scratch, energy, n));
    TRY(NEW(ctx, &ctx->scratch, dots, n));
    TRY(NEW(ctx, &ctx->scratch, diagonal, n));
    TRY(la_new(ctx, &ctx->scratch, n, n, &T));
    TRY(la_gather(ctx, p->gram, NULL, NULL, T));
    TRY(la_scale(ctx, s->root, NULL, T));
    TRY(la_trsm(ctx, s->R, false, T));
    TRY(la_column_dots(ctx, T, T, dots)); /* |z|^2 of each row, over the variance */
    for (int64_t i = 0; i < n; i++) left += p->variance * dots[i] / (double)n;
    TRY(la_gather(ctx, p->gram, NULL, NULL, T));
    TRY(la_scale(ctx, s->root, s->root, T));
    TRY(la_new(ctx, &ctx->scratch, n, keep, &Q));
    TRY(la_eigen(ctx, T, keep, values, Q));
    double *q = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, q, n * keep));
    la_get(Q, q);
    for (int64_t j = 0; j < keep; j++) {
        double l = fmax(values[j], 0);
        for (int64_t i = 0; i < n; i++) { /* z_j of row i: (1 + l)^-1/2 l Q_ij / W_i^1/2 */
            double of_row = q[i + j * n] * l / sqrt(1 + l) / s->root[i] * sqrt(p->variance);
            energy[j] += of_row * of_row / (double)n;
        }
    }
    int64_t used = 0;
    while (used < keep && (left > LOST || (used > 0 && values[used - 1] - values[used] <= SAME * values[0])))
        left -= energy[used++];
    if (used == 0) used = 1;
    for (int64_t j = 0; j < used; j++) {
        double l = fmax(values[j], 0);
        for (int64_t i = 0; i < n; i++) z[i + j * n] = q[i + j * n] * s->root[i] * sqrt(p->variance) / sqrt(1 + l);
    }
    *rank = (int)used;
    return RUNG_OK;
}

rung_status ogp_gp_expansion(rung_ctx *ctx, const ogp_gp *p, const double *a, const double *b, int *rank, double *coef,
                             double *spread, double *magnified)
{
    int64_t n = p->n;
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    double *D = coef + n, *z = coef + n * p->K;
    TRY(place(ctx, p, a, b, &s));
    TRY(factorise(ctx, &s));
    if (magnified) TRY(magnification(ctx, &s, magnified));
    TRY(invert(ctx, &s));
    memcpy(spread, s.V, (size_t)s.J * (size_t)s.J * sizeof *spread);
    for (int64_t i = 0; i < n; i++) coef[i] = p->variance * a[i];
    for (int64_t i = 0; i < n * s.J; i++) D[i] = p->variance * s.back[i];
    TRY(*rank < n ? leading_variance(ctx, &s, rank, z) : whole_variance(ctx, &s, z));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
