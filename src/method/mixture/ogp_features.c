// SPDX-License-Identifier: BSD-3-Clause
/* ogp_features.c - joint Laplace approximation in the weights w of the features and the thresholds b.
 *
 * With the sites' curvature W in f, C in (f, b) and B in b (ordinal_sites.h), minus the Hessian of the log posterior is
 * [[A, U], [U', B]], A = I + s^2 Phi W Phi', U = s Phi C. With S = B - U'A^-1 U:
 *     db = S^-1 (gb - U'A^-1 gw),  dw = A^-1 (gw - U db),  decrement gw'dw + gb'db,  gw = s Phi gf - w.
 * Posterior: cov b = V = S^-1, cov (f, b) = -Sf C V with Sf C = s Phi'A^-1 U, var f = s^2 phi'A^-1 phi + (Sf C V C'Sf).
 */
#include "method/mixture/ogp_features.h"

#include <math.h>
#include <string.h>

#include "method/mixture/ordinal_sites.h"

static const double LOST = 0.01;

typedef struct {
    const ogp_features *p;
    int64_t m;
    int J;
    double s;               /* variance^1/2 */
    double *w, *f, *b, *b0; /* where we are */
    ordinal_sites at;
    la_mat *A, *scaled;   /* m x m: its factor; m x n: Phi W^1/2 */
    double *right;        /* m x (J + 1): U and gw; then A^-1 of them */
    double *U, *gw;       /* m x J, m */
    double *schur, *V;    /* J x J */
    double *db, *dw, *df; /* J, m, n */
    double *w_next, *f_next, *b_next;
    double *column; /* n x (J + 1) */
} laplace;

/* Numbers of a row, and of a feature. */
static int64_t by_row(int J) { return 4 + J + J + 1; }
static int64_t by_feature(int J) { return 4 + 2 * J + 1; }

/* The factor, the weighted features, and what follows: variances of the rows, or the expansion's directions. */
double ogp_features_bytes(double n, double m, int K)
{
    int J = K - 1;
    double rows = n * (8 * (double)(by_row(J) + J + 3) + sizeof(ordinal_site)),
           wide = 8 * m * (double)(by_feature(J) + 2);
    return rows + wide + 8 * m * (n + 4 * m) + la_eigen_bytes((int64_t)m);
}

static rung_status start(rung_ctx *ctx, const ogp_features *p, laplace *s)
{
    pool *mem = &ctx->scratch;
    int64_t n = p->n, m = la_rows(p->Phi);
    int J = p->K - 1;
    double *rows = NULL, *wide = NULL, *small = NULL;
    *s = (laplace){.p = p, .m = m, .J = J, .s = sqrt(p->variance)};
    TRY(NEW(ctx, mem, rows, n * by_row(J)));
    TRY(NEW(ctx, mem, wide, m * by_feature(J)));
    TRY(NEW(ctx, mem, small, (int64_t)J * (5 + 3 * J)));
    TRY(NEW(ctx, mem, s->at.sites, n));
    TRY(la_new(ctx, mem, m, m, &s->A));
    TRY(la_new(ctx, mem, m, n, &s->scaled));
    double **of_row[] = {&s->f, &s->df, &s->f_next, &s->at.W};
    for (size_t i = 0; i < sizeof of_row / sizeof *of_row; i++, rows += n) *of_row[i] = rows;
    s->at.C = rows;
    s->column = rows + n * J;
    double **of_feature[] = {&s->w, &s->dw, &s->w_next, &s->gw};
    for (size_t i = 0; i < sizeof of_feature / sizeof *of_feature; i++, wide += m) *of_feature[i] = wide;
    s->U = wide;
    s->right = wide + m * J;
    double **by_threshold[] = {&s->b, &s->b0, &s->db, &s->b_next, &s->at.gb};
    for (size_t i = 0; i < sizeof by_threshold / sizeof *by_threshold; i++, small += J) *by_threshold[i] = small;
    s->at.B = small;
    s->schur = small + (int64_t)J * J;
    s->V = s->schur + (int64_t)J * J;
    s->at.rows = (ordinal_rows){n, p->K, p->y, p->upper, p->weight};
    s->at.f = s->f;
    s->at.b = s->b;
    TRY(ordinal_sites_prior(ctx, &s->at.rows, p->prior_variance, s->b0));
    memcpy(s->b, s->b0, (size_t)J * sizeof *s->b);
    return RUNG_OK;
}

static double log_posterior(const laplace *s, const double *w, const double *f, const double *b)
{
    const ogp_features *p = s->p;
    double sum = ordinal_sites_log(&s->at.rows, f, b, s->b0, p->prior_variance);
    for (int64_t j = 0; j < s->m; j++) sum -= 0.5 * w[j] * w[j];
    return sum;
}

/* out = alpha op(Phi) B for thin B of k columns: Phi'B (n x k) or Phi B (m x k). */
static rung_status times(rung_ctx *ctx, const laplace *s, bool by_rows, double alpha, int64_t k, const double *B,
                         double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = s->p->n, m = s->m;
    la_mat *from = NULL, *to = NULL;
    TRY(la_new(ctx, &ctx->scratch, by_rows ? m : n, k, &from));
    TRY(la_new(ctx, &ctx->scratch, by_rows ? n : m, k, &to));
    la_put(B, from);
    TRY(la_gemm(ctx, by_rows, false, alpha, s->p->Phi, from, 0, to));
    la_get(to, out);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The factor of A at the present point, A^-1 [U, gw] and S with its inverse. */
static rung_status factorise(rung_ctx *ctx, laplace *s)
{
    int64_t n = s->p->n, m = s->m;
    int J = s->J;
    ordinal_sites_at(&s->at, s->b0, s->p->prior_variance);
    memcpy(s->column, s->at.C, (size_t)(n * J) * sizeof *s->column);
    for (int64_t i = 0; i < n; i++) {
        s->column[i + J * n] = -(s->at.sites[i].g1 + s->at.sites[i].g2);
        s->df[i] = s->s * sqrt(s->at.W[i]);
    }
    TRY(times(ctx, s, false, s->s, J + 1, s->column, s->right));
    memcpy(s->U, s->right, (size_t)(m * J) * sizeof *s->U);
    for (int64_t j = 0; j < m; j++) s->gw[j] = s->right[j + J * m] -= s->w[j];
    TRY(la_gather(ctx, s->p->Phi, NULL, NULL, s->scaled));
    TRY(la_scale(ctx, NULL, s->df, s->scaled));
    TRY(la_syrk(ctx, false, 1, s->scaled, 0, s->A));
    la_add_diagonal(s->A, 1, NULL);
    TRY(la_potrf(ctx, s->A));
    TRY(la_potrs(ctx, s->A, J + 1, s->right));
    memset(s->V, 0, (size_t)J * (size_t)J * sizeof *s->V);
    for (int q = 0; q < J; q++) {
        s->V[q + q * J] = 1;
        for (int t = 0; t <= q; t++) {
            double sum = s->at.B[q + t * J];
            for (int64_t j = 0; j < m; j++) sum -= s->U[j + q * m] * s->right[j + t * m];
            s->schur[q + t * J] = s->schur[t + q * J] = sum;
        }
    }
    return la_small_spd_solve(ctx, J, s->schur, J, s->V);
}

static rung_status direction(rung_ctx *ctx, void *state, double *decrement)
{
    laplace *s = state;
    int64_t m = s->m;
    int J = s->J;
    TRY(times(ctx, s, true, s->s, 1, s->w, s->f)); /* as place() has it: what is repeated has the same bits */
    TRY(factorise(ctx, s));
    const double *Ag = s->right + J * m;
    for (int q = 0; q < J; q++) {
        s->b_next[q] = s->at.gb[q];
        for (int64_t j = 0; j < m; j++) s->b_next[q] -= s->U[j + q * m] * Ag[j];
    }
    *decrement = 0;
    for (int q = 0; q < J; q++) {
        s->db[q] = 0;
        for (int t = 0; t < J; t++) s->db[q] += s->V[q + t * J] * s->b_next[t];
        *decrement += s->at.gb[q] * s->db[q];
    }
    for (int64_t j = 0; j < m; j++) {
        s->dw[j] = Ag[j];
        for (int q = 0; q < J; q++) s->dw[j] -= s->right[j + q * m] * s->db[q];
        *decrement += s->gw[j] * s->dw[j];
    }
    return times(ctx, s, true, s->s, 1, s->dw, s->df);
}

static double step(void *state, double t)
{
    laplace *s = state;
    for (int64_t j = 0; j < s->m; j++) s->w_next[j] = s->w[j] + t * s->dw[j];
    for (int64_t i = 0; i < s->p->n; i++) s->f_next[i] = s->f[i] + t * s->df[i];
    for (int q = 0; q < s->J; q++) s->b_next[q] = s->b[q] + t * s->db[q];
    return log_posterior(s, s->w_next, s->f_next, s->b_next);
}

static void take(void *state)
{
    laplace *s = state;
    memcpy(s->w, s->w_next, (size_t)s->m * sizeof *s->w);
    memcpy(s->f, s->f_next, (size_t)s->p->n * sizeof *s->f);
    memcpy(s->b, s->b_next, (size_t)s->J * sizeof *s->b);
}

static const ordinal_ascent ascent = {.direction = direction, .step = step, .take = take};

typedef struct {
    const laplace *s;
    const double *M; /* n x J: Sf C V */
} marginal;

/* Sf + Sf C V C'Sf at some rows, Sf = s^2 Phi'A^-1 Phi. */
static rung_status block_covariance(rung_ctx *ctx, const void *state, int64_t m, const int64_t *rows, double *out)
{
    const marginal *a = state;
    int64_t n = a->s->p->n;
    la_mat *part = NULL, *block = NULL;
    TRY(la_new(ctx, &ctx->scratch, a->s->m, m, &part));
    TRY(la_new(ctx, &ctx->scratch, m, m, &block));
    TRY(la_gather(ctx, a->s->scaled, NULL, rows, part));
    TRY(la_syrk(ctx, true, a->s->p->variance, part, 0, block));
    la_get(block, out);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < m; i++)
            for (int q = 0; q < a->s->J; q++) out[i + j * m] += a->M[rows[i] + q * n] * a->s->column[rows[j] + q * n];
    return RUNG_OK;
}

static rung_status leave_out(rung_ctx *ctx, laplace *s, double *loo)
{
    const ogp_features *p = s->p;
    int64_t n = p->n;
    int J = s->J;
    double *var = NULL, *M = NULL, *extra = NULL, *norm = NULL;
    TRY(NEW(ctx, &ctx->scratch, var, n));
    TRY(NEW(ctx, &ctx->scratch, extra, n));
    TRY(NEW(ctx, &ctx->scratch, norm, n));
    TRY(NEW(ctx, &ctx->scratch, M, n * J));
    TRY(la_column_dots(ctx, p->Phi, p->Phi, norm));
    TRY(la_gather(ctx, p->Phi, NULL, NULL, s->scaled));
    TRY(la_trsm(ctx, s->A, false, s->scaled));
    TRY(la_column_dots(ctx, s->scaled, s->scaled, var));
    TRY(times(ctx, s, true, s->s, J, s->right, s->column)); /* Sf C */
    for (int64_t i = 0; i < n; i++) {
        var[i] = fmax(p->variance * var[i], 1e-12);
        extra[i] = fmax(p->variance * (p->own[i] - norm[i]), 0);
        for (int q = 0; q < J; q++) {
            for (int t = 0; t < J; t++) M[i + q * n] += s->column[i + t * n] * s->V[t + q * J];
            var[i] += M[i + q * n] * s->column[i + q * n];
        }
    }
    ordinal_mode mode = {.n = n,
                         .K = p->K,
                         .y = p->y,
                         .upper = p->upper,
                         .together = p->together,
                         .f = s->f,
                         .b = s->b,
                         .sites = s->at.sites,
                         .V = s->V,
                         .var = var,
                         .M = M,
                         .extra = extra,
                         .covariance = block_covariance,
                         .state = &(marginal){s, M}};
    return ordinal_mode_loo(ctx, &mode, loo);
}

/* At given weights and thresholds. */
static rung_status place(rung_ctx *ctx, const ogp_features *p, const double *w, const double *b, laplace *s)
{
    TRY(start(ctx, p, s));
    memcpy(s->w, w, (size_t)s->m * sizeof *w);
    memcpy(s->b, b, (size_t)s->J * sizeof *b);
    return times(ctx, s, true, s->s, 1, s->w, s->f);
}

rung_status ogp_features_fit(rung_ctx *ctx, const ogp_features *p, double *w, double *b, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    TRY(p->warm ? place(ctx, p, w, b, &s) : start(ctx, p, &s));
    TRY(ordinal_mode_find(ctx, &ascent, &s, log_posterior(&s, s.w, s.f, s.b)));
    if (loo) TRY(leave_out(ctx, &s, loo));
    memcpy(w, s.w, (size_t)s.m * sizeof *w);
    memcpy(b, s.b, (size_t)s.J * sizeof *b);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status ogp_features_decrement(rung_ctx *ctx, const ogp_features *p, const double *w, const double *b,
                                   double *decrement, double *objective)
{
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    TRY(place(ctx, p, w, b, &s));
    TRY(direction(ctx, &s, decrement));
    *objective = log_posterior(&s, s.w, s.f, s.b);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* z: A - I = Q diag(l) Q' gives |z|^2 = s^2 phi'(I - A^-1) phi with z_j = s (l_j / (1 + l_j))^1/2 Q_j'phi. A direction
 * lowers the variance of the rows by mean z_j^2, at most s^2 l_j / (1 + l_j) mean |phi|^2; those that lower it least
 * are dropped. */
static rung_status variance_part(rung_ctx *ctx, laplace *s, int *rank, double *z)
{
    int64_t n = s->p->n, m = s->m;
    la_mat *Q = NULL, *T = NULL;
    double *values = NULL, *energy = NULL, dropped = 0;
    TRY(NEW(ctx, &ctx->scratch, values, m));
    TRY(NEW(ctx, &ctx->scratch, energy, m));
    TRY(la_new(ctx, &ctx->scratch, m, m, &Q));
    TRY(la_new(ctx, &ctx->scratch, m, m, &T));
    for (int64_t i = 0; i < n; i++) s->df[i] = s->s * sqrt(s->at.W[i]);
    TRY(la_gather(ctx, s->p->Phi, NULL, NULL, s->scaled));
    TRY(la_scale(ctx, NULL, s->df, s->scaled));
    TRY(la_syrk(ctx, false, 1, s->scaled, 0, s->A));
    TRY(la_eigen(ctx, s->A, m, values, Q));
    TRY(la_syrk(ctx, false, 1 / (double)n, s->p->Phi, 0, s->A));
    TRY(la_gemm(ctx, false, false, 1, s->A, Q, 0, T));
    TRY(la_column_dots(ctx, T, Q, energy)); /* mean (Q_j'phi)^2 */
    for (int64_t j = 0; j < m; j++) {
        values[j] = s->s * sqrt(fmax(values[j], 0) / (1 + fmax(values[j], 0)));
        energy[j] *= values[j] * values[j];
    }
    int64_t keep = m;
    while (keep > 1 && (keep > *rank || dropped + energy[keep - 1] <= LOST)) dropped += energy[--keep];
    la_get(Q, z);
    for (int64_t j = 0; j < keep; j++)
        for (int64_t i = 0; i < m; i++) z[i + j * m] *= values[j];
    *rank = (int)keep;
    return RUNG_OK;
}

rung_status ogp_features_expansion(rung_ctx *ctx, const ogp_features *p, const double *w, const double *b, int *rank,
                                   double *coef, double *spread)
{
    pool_mark mark = pool_here(&ctx->scratch);
    laplace s;
    double *z = NULL;
    TRY(place(ctx, p, w, b, &s));
    TRY(NEW(ctx, &ctx->scratch, z, s.m * s.m));
    TRY(factorise(ctx, &s));
    for (int64_t j = 0; j < s.m; j++) coef[j] = s.s * w[j];
    for (int64_t j = 0; j < s.m * s.J; j++) coef[s.m + j] = s.s * s.right[j];
    memcpy(spread, s.V, (size_t)s.J * (size_t)s.J * sizeof *spread);
    TRY(variance_part(ctx, &s, rank, z));
    memcpy(coef + s.m * p->K, z, (size_t)(s.m * *rank) * sizeof *z);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
