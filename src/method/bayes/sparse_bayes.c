// SPDX-License-Identifier: BSD-3-Clause
#include "method/bayes/sparse_bayes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 128, MORE = 64 };

static const double ALIGNED = 1 - 1e-5;

static rung_status make_room(rung_ctx *ctx, sparse_model *m)
{
    if (m->M < m->room) return RUNG_OK;
    int64_t room = m->room + MORE;
    TRY(RESIZE(ctx, m->mem, m->used, room));
    TRY(RESIZE(ctx, m->mem, m->alpha, room));
    TRY(RESIZE(ctx, m->mem, m->w, room));
    TRY(RESIZE(ctx, m->mem, m->length, room));
    TRY(RESIZE(ctx, m->mem, m->variance, room));
    TRY(RESIZE(ctx, m->mem, m->factor, room * room));
    m->room = room;
    return RUNG_OK;
}

rung_status sparse_start(rung_ctx *ctx, pool *mem, const probit_map_rows *rows, const la_basis *basis,
                         sparse_model *out)
{
    *out = (sparse_model){.rows = *rows, .basis = basis, .mem = mem};
    TRY(la_tall_new(ctx, mem, rows->n, &out->Phi));
    TRY(probit_map_state_new(ctx, mem, rows, &out->state));
    TRY(NEW(ctx, mem, out->b, rows->K - 1));
    probit_map_null_thresholds(rows, out->b);
    return make_room(ctx, out);
}

/* ---- the posterior ---- */

/* L := the factor of A + Phi'H Phi. Nearly parallel functions may leave less than the rounding of the gram matrix, of
 * either sign: then with that rounding on the diagonal. */
static rung_status precision_factor(rung_ctx *ctx, const sparse_model *m, la_mat *L)
{
    double rounding = 0, ridge = 0;
    for (int64_t j = 0; j < m->M; j++) rounding += DBL_EPSILON * m->state.gram[j + j * m->M];
    for (;;) {
        la_put(m->state.gram, L);
        la_add_diagonal(L, 1, m->alpha);
        la_add_diagonal(L, ridge, NULL);
        rung_status status = la_potrf(ctx, L);
        if (status != RUNG_ESINGULAR || ridge > 100 * rounding) return status;
        ridge = ridge > 0 ? 10 * ridge : rounding;
    }
}

/* The factor, the determinant and the variances of A + Phi'H Phi. */
static rung_status factorise(rung_ctx *ctx, sparse_model *m)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *A = NULL;
    TRY(la_new(ctx, &ctx->scratch, m->M, m->M, &A));
    TRY(precision_factor(ctx, m, A));
    la_get(A, m->factor);
    la_diagonal(A, m->variance);
    for (int64_t j = 0; j < m->M; j++) m->log_evidence += 0.5 * log(m->alpha[j]) - log(m->variance[j]);
    TRY(la_potri(ctx, A));
    la_diagonal(A, m->variance);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status sparse_refit(rung_ctx *ctx, sparse_model *m, double tolerance)
{
    TRY(probit_map_fit(ctx, &m->rows, m->Phi, m->alpha, tolerance, m->w, m->b, &m->state));
    m->log_evidence = m->state.log_posterior;
    return m->M > 0 ? factorise(ctx, m) : RUNG_OK;
}

/* ---- relevance ---- */

sparse_action sparse_best_action(double S, double Q, double alpha)
{
    bool inside = isfinite(alpha);
    double share = inside ? alpha / (alpha - S) : 1, s = share * S, q = share * Q, factor = q * q - s;
    sparse_action none = {.kind = ACTION_NONE, .alpha = INFINITY};
    if (!inside) {
        double x = Q * Q / S;
        if (!(S > 1e-12 && factor > 1e-10 * s)) return none;
        return (sparse_action){ACTION_ADD, 0.5 * (x - 1 - log(x)), s * s / factor};
    }
    if (factor > 0) {
        double after = s * s / factor, D = 1 / after - 1 / alpha;
        return (sparse_action){ACTION_ESTIMATE, 0.5 * (Q * Q * D / (S * D + 1) - log1p(S * D)), after};
    }
    return (sparse_action){ACTION_DELETE, 0.5 * (Q * Q / (S - alpha) - log1p(-S / alpha)), INFINITY};
}

/* At the maximum Phi'delta = A w, and alpha - S = alpha^2 Sigma_jj. */
void sparse_own_relevance(const sparse_model *m, int64_t j, double *S, double *Q)
{
    *S = m->alpha[j] * (1 - m->alpha[j] * m->variance[j]);
    *Q = m->alpha[j] * m->w[j];
}

static rung_status relevance_block(rung_ctx *ctx, const sparse_model *m, int64_t count, const int64_t *which, double *S,
                                   double *Q)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *cross = NULL, *L = NULL;
    double *taken = NULL;
    TRY(la_new(ctx, &ctx->scratch, m->M, count, &cross));
    TRY(NEW(ctx, &ctx->scratch, taken, count));
    TRY(la_basis_products(ctx, m->basis, count, which, m->Phi, m->state.H, m->state.delta,
                          &(la_products){Q, S, cross}));
    if (m->M > 0) {
        TRY(la_new(ctx, &ctx->scratch, m->M, m->M, &L));
        la_put(m->factor, L);
        TRY(la_trsm(ctx, L, false, cross));
        TRY(la_column_dots(ctx, cross, cross, taken));
    }
    for (int64_t j = 0; j < count; j++) S[j] -= taken[j];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status sparse_relevance(rung_ctx *ctx, const sparse_model *m, int64_t count, const int64_t *which, double *S,
                             double *Q)
{
    for (int64_t j = 0; j < count; j += BLOCK) {
        TRY(interrupted(ctx));
        TRY(relevance_block(ctx, m, count - j < BLOCK ? count - j : BLOCK, which + j, S + j, Q + j));
    }
    return RUNG_OK;
}

/* ---- adding and removing columns ---- */

static double norm_of(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

rung_status sparse_aligned(rung_ctx *ctx, const sparse_model *m, const double *column, int64_t *place)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *dot = NULL, length = norm_of(m->rows.n, column);
    *place = -1;
    TRY(NEW(ctx, &ctx->scratch, dot, m->M));
    TRY(la_tall_sums(ctx, m->Phi, 1, column, dot));
    for (int64_t j = 0; j < m->M && *place < 0; j++)
        if (dot[j] > ALIGNED * length * m->length[j]) *place = j;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status sparse_add(rung_ctx *ctx, sparse_model *m, int64_t which, double alpha, const double *column)
{
    TRY(make_room(ctx, m));
    TRY(la_tall_append(ctx, m->Phi, column));
    TRY(probit_map_state_grow(ctx, &m->state, m->Phi, column));
    m->used[m->M] = which;
    m->alpha[m->M] = alpha;
    m->w[m->M] = 0;
    m->length[m->M++] = norm_of(m->rows.n, column);
    return RUNG_OK;
}

static void drop(double *v, int64_t place, int64_t n)
{
    memmove(v + place, v + place + 1, (size_t)(n - place - 1) * sizeof *v);
}

void sparse_delete(sparse_model *m, int64_t place)
{
    la_tall_remove(m->Phi, place);
    m->state.fresh = false;
    memmove(m->used + place, m->used + place + 1, (size_t)(m->M - place - 1) * sizeof *m->used);
    drop(m->alpha, place, m->M);
    drop(m->w, place, m->M);
    drop(m->length, place, m->M);
    drop(m->variance, place, m->M);
    m->M--;
}
