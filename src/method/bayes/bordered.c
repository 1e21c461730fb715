// SPDX-License-Identifier: BSD-3-Clause
#include "method/bayes/bordered.h"

#include <math.h>
#include <string.h>

typedef struct {
    double *root;  /* J: D^1/2 */
    double *below; /* J: L below its diagonal; the first is 0 */
    double *Y;     /* M x J: D^-1/2 L^-1 B', transposed */
} eliminated;

/* The thresholds go. */
static rung_status eliminate(rung_ctx *ctx, const bordered *s, double ridge, eliminated *e)
{
    int64_t M = s->M;
    TRY(NEW_RAW(ctx, &ctx->scratch, e->root, s->J));
    TRY(NEW_RAW(ctx, &ctx->scratch, e->below, s->J));
    TRY(NEW_RAW(ctx, &ctx->scratch, e->Y, M * s->J));
    double pivot = 0;
    for (int64_t k = 0; k < s->J; k++) {
        double beside = k > 0 ? s->next[k - 1] : 0, *Y = e->Y + k * M;
        e->below[k] = k > 0 ? beside / pivot : 0;
        pivot = s->diagonal[k] + ridge - e->below[k] * beside;
        if (!(pivot > 0))
            return set_error(ctx, RUNG_ESINGULAR, "a tridiagonal matrix is not positive definite (pivot %lld of %lld)",
                             (long long)k + 1, (long long)s->J);
        e->root[k] = sqrt(pivot);
        for (int64_t j = 0; j < M; j++) Y[j] = s->B[j + k * M] / e->root[k];
        if (k == 0) continue;
        double share = e->below[k] * e->root[k - 1] / e->root[k];
        for (int64_t j = 0; j < M; j++) Y[j] -= share * Y[j - M];
    }
    return RUNG_OK;
}

/* The factor of A + diag(a) - Y Y'. */
static rung_status schur_factor(rung_ctx *ctx, const bordered *s, double ridge, const double *Y, la_mat **L)
{
    la_mat *border = NULL;
    TRY(la_new(ctx, &ctx->scratch, s->M, s->M, L));
    TRY(la_new(ctx, &ctx->scratch, s->M, s->J, &border));
    la_put(s->A, *L);
    la_put(Y, border);
    la_add_diagonal(*L, 1, s->a);
    la_add_diagonal(*L, ridge, NULL);
    TRY(la_syrk(ctx, false, -1, border, 1, *L));
    return la_potrf(ctx, *L);
}

rung_status bordered_solve(rung_ctx *ctx, const bordered *s, double ridge, double *x, double *z)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t M = s->M, J = s->J;
    eliminated e = {0};
    la_mat *L = NULL;
    TRY(eliminate(ctx, s, ridge, &e));
    if (M > 0) TRY(schur_factor(ctx, s, ridge, e.Y, &L));
    for (int64_t k = 0; k < J; k++) /* D^-1/2 L^-1 h */
        z[k] = (z[k] - (k > 0 ? e.below[k] * e.root[k - 1] * z[k - 1] : 0)) / e.root[k];
    if (M > 0) {
        la_thin(false, -1, (la_thin_mat){M, J, e.Y}, (la_thin_mat){J, 1, z}, 1, x);
        TRY(la_potrs(ctx, L, 1, x));
        la_thin(true, -1, (la_thin_mat){M, J, e.Y}, (la_thin_mat){M, 1, x}, 1, z);
    }
    for (int64_t k = J - 1; k >= 0; k--) z[k] = z[k] / e.root[k] - (k + 1 < J ? e.below[k + 1] * z[k + 1] : 0);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
