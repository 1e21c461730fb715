// SPDX-License-Identifier: BSD-3-Clause
/* The optimal target of a thin kernel, K~ = U diag(value) U': H is I minus n x r times r x n, and nothing is n x n. */
#include <float.h>
#include <math.h>

#include "method/target/ot_inner.h"
#include "method/target/secular.h"

rung_status ot_thin_space(rung_ctx *ctx, ot_space *s)
{
    const centred_kernel *c = s->c;
    s->q = c->r + s->intercept;
    TRY(NEW(ctx, &ctx->scratch, s->root, s->q));
    TRY(NEW(ctx, &ctx->scratch, s->small, s->q));
    for (int64_t j = 0; j < c->r; j++) {
        s->root[j] = sqrt(taken_by(c->value[j], s->lambda));
        s->small[j] = left_by(c->value[j], s->lambda);
    }
    if (s->intercept) s->root[c->r] = 1;
    return RUNG_OK;
}

/* E = W_l'W_l and pull = W_l'u. */
static rung_status labelled_sums(rung_ctx *ctx, const ot_space *s, const labelled_rows *rows, la_mat *E, double *pull)
{
    double *part = NULL;
    basis_block at;
    TRY(NEW(ctx, &ctx->scratch, part, s->q));
    for (at = basis_some(rows->m, rows->lab, s->intercept, s->root); at.first < at.count; basis_end(ctx, &at)) {
        TRY(basis_next(ctx, s->c, &at));
        TRY(la_syrk(ctx, true, 1, at.U, at.first > 0, E));
        TRY(transposed_times(ctx, at.U, rows->u + at.first, part));
        for (int64_t j = 0; j < s->q; j++) pull[j] += part[j];
    }
    return RUNG_OK;
}

/* H0 = I - W_u W_u' and H1 u = -W_u W_l'u, so t = W_u z lives in the columns of W_u, whose eigenproblem is that of E =
 * I - W_u'W_u = diag(small) + W_l'W_l: no cancellation. With E = P diag(mu) P' an eigenvector of H0 is W_u P_a /
 * sqrt(1 - mu_a), f_a = -sqrt(1 - mu_a) g_a for g = P'W_l'u. */
static rung_status thin_coordinates(rung_ctx *ctx, const ot_space *s, const labelled_rows *rows, ot_target *out,
                                    double *z)
{
    int64_t q = s->q;
    la_mat *E = NULL, *P = NULL;
    double *falling = NULL, *mu = NULL, *pull = NULL, *g = NULL, *f = NULL, *xi = NULL, *turned = NULL;
    secular_root root = {0};
    TRY(la_new(ctx, &ctx->scratch, q, q, &E));
    TRY(la_new(ctx, &ctx->scratch, q, q, &P));
    TRY(NEW(ctx, &ctx->scratch, falling, q));
    TRY(NEW(ctx, &ctx->scratch, mu, q));
    TRY(NEW(ctx, &ctx->scratch, pull, q));
    TRY(NEW(ctx, &ctx->scratch, g, q));
    TRY(NEW(ctx, &ctx->scratch, f, q));
    TRY(NEW(ctx, &ctx->scratch, xi, q));
    TRY(NEW(ctx, &ctx->scratch, turned, q));
    TRY(labelled_sums(ctx, s, rows, E, pull));
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

rung_status ot_thin_solve(rung_ctx *ctx, const ot_space *s, const labelled_rows *rows, ot_target *out)
{
    const centred_kernel *c = s->c;
    double *z = NULL, constant;
    TRY(NEW(ctx, &ctx->scratch, z, s->q));
    if (rows->m < c->n) TRY(thin_coordinates(ctx, s, rows, out, z));
    for (int64_t j = 0; j < c->r; j++) z[j] *= s->root[j];
    TRY(basis_times(ctx, c, c->n, NULL, 1, z, out->y));
    constant = s->intercept ? z[c->r] / sqrt((double)c->n) : 0;
    for (int64_t i = 0; i < c->n; i++) out->y[i] += constant;
    for (int64_t i = 0; i < rows->m; i++) out->y[rows->lab[i]] = rows->u[i];
    out->bias = s->intercept ? sum_of(c->n, out->y) / (double)c->n : 0;
    TRY(basis_pull(ctx, c, out->y, out->a));
    for (int64_t j = 0; j < c->r; j++) out->a[j] /= c->value[j] + s->lambda;
    return RUNG_OK;
}
