// SPDX-License-Identifier: BSD-3-Clause
#include "method/target/ot_solve.h"

#include <math.h>
#include <string.h>

#include "linalg/subspace.h"
#include "method/target/ot_inner.h"
#include "method/target/secular.h"

rung_status ot_space_new(rung_ctx *ctx, const centred_kernel *c, ot_space *out)
{
    out->c = c;
    out->M = c->K;
    if (!c->K) return ot_thin_space(ctx, out);
    la_add_diagonal(out->M, out->lambda, NULL);
    return RUNG_OK;
}

rung_status ot_target_new(rung_ctx *ctx, const ot_space *s, ot_target *out)
{
    *out = (ot_target){0};
    TRY(NEW(ctx, &ctx->scratch, out->y, s->c->n));
    return NEW(ctx, &ctx->scratch, out->a, centred_basis(s->c));
}

/* The rows without a target, ascending: returns how many. */
static rung_status free_rows(rung_ctx *ctx, int64_t n, const labelled_rows *rows, int64_t **out, int64_t *count)
{
    bool *given = NULL;
    TRY(NEW(ctx, &ctx->scratch, given, n));
    TRY(NEW(ctx, &ctx->scratch, *out, n));
    for (int64_t i = 0; i < rows->m; i++) given[rows->lab[i]] = true;
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!given[i]) (*out)[(*count)++] = i;
    return RUNG_OK;
}

/* ---- whole kernel ---- */

typedef struct {
    const ot_space *s;
    const labelled_rows *rows;
    int64_t n, q;     /* rows; labelled columns (one less with an intercept) */
    la_mat *Q;        /* n x (q + hidden): orthonormal basis of the labelled columns, then of the hidden ones */
    double *g;        /* the shortest solution */
    int64_t *un, l;   /* rows without a target */
    double *room, *w; /* n; q + hidden */
} dense_target;

/* A -= x_j 1' for column j of X. */
static rung_status subtract_column(rung_ctx *ctx, const la_mat *X, int64_t j, la_mat *A)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *first = NULL, *ones = NULL;
    double *one = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(A), 1, &first));
    TRY(la_new(ctx, &ctx->scratch, 1, la_cols(A), &ones));
    TRY(NEW(ctx, &ctx->scratch, one, la_cols(A)));
    for (int64_t i = 0; i < la_cols(A); i++) one[i] = 1;
    la_put(one, ones);
    TRY(la_gather(ctx, X, NULL, &j, first));
    TRY(la_gemm(ctx, false, false, -1, first, ones, 1, A));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* With an intercept columns are differences from the first labelled one. */
static rung_status subtract_reference(rung_ctx *ctx, const dense_target *t, const la_mat *X, la_mat *A)
{
    return t->s->intercept && la_cols(A) > 0 ? subtract_column(ctx, X, t->rows->lab[0], A) : RUNG_OK;
}

/* Q and g. Hidden columns come last and have no part in g. */
static rung_status dense_basis(rung_ctx *ctx, dense_target *t)
{
    const labelled_rows *rows = t->rows;
    int64_t skip = t->s->intercept, *columns = NULL;
    double *z = NULL;
    t->q = rows->m - skip;
    int64_t width = t->q + rows->n_hidden;
    TRY(NEW(ctx, &ctx->scratch, columns, width));
    TRY(NEW(ctx, &ctx->scratch, z, width));
    TRY(NEW(ctx, &ctx->scratch, t->w, width));
    TRY(NEW(ctx, &ctx->scratch, t->g, t->n));
    TRY(NEW(ctx, &ctx->scratch, t->room, t->n));
    for (int64_t j = 0; j < t->q; j++) {
        columns[j] = rows->lab[j + skip];
        z[j] = rows->u[j + skip] - (skip ? rows->u[0] : 0);
    }
    for (int64_t j = t->q; j < width; j++) columns[j] = rows->hidden[j - t->q];
    TRY(la_new(ctx, &ctx->scratch, t->n, width, &t->Q));
    TRY(la_gather(ctx, t->s->M, NULL, columns, t->Q));
    TRY(subtract_reference(ctx, t, t->s->M, t->Q));
    TRY(la_orthonormal(ctx, t->Q, 1, z));
    for (int64_t j = t->q; j < width; j++) z[j] = 0;
    return la_mul(ctx, 1, t->Q, 1, z, 0, t->g);
}

/* S of the rows `columns` (k of them; NULL: all): R'R / lambda^2, R = (I - QQ')(M - M_l0 1'). */
static rung_status inverse_block(rung_ctx *ctx, const dense_target *t, int64_t k, const int64_t *columns, la_mat *S)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double lambda = t->s->lambda;
    la_mat *R = NULL, *shadow = NULL;
    TRY(la_new(ctx, &ctx->scratch, t->n, k, &R));
    TRY(la_new(ctx, &ctx->scratch, t->q, k, &shadow));
    TRY(la_gather(ctx, t->s->M, NULL, columns, R));
    TRY(subtract_reference(ctx, t, t->s->M, R));
    if (t->q > 0) {
        TRY(la_gemm(ctx, true, false, 1, t->Q, R, 0, shadow));
        TRY(la_gemm(ctx, false, false, -1, t->Q, shadow, 1, R));
    }
    TRY(la_syrk(ctx, true, 1 / lambda / lambda, R, 0, S));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Hiding labels adds the contribution of their columns to the basis: S + F'F / lambda^2, F = N'(M - M_l0 1'), N the
 * last columns of Q. */
static rung_status inverse_with_hidden(rung_ctx *ctx, const dense_target *t, la_mat *S)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t h = t->rows->n_hidden, *last = NULL;
    double lambda = t->s->lambda;
    la_mat *N = NULL, *all = NULL, *F = NULL;
    TRY(NEW(ctx, &ctx->scratch, last, h));
    for (int64_t j = 0; j < h; j++) last[j] = t->q + j;
    TRY(la_new(ctx, &ctx->scratch, t->n, h, &N));
    TRY(la_new(ctx, &ctx->scratch, h, t->n, &all));
    TRY(la_new(ctx, &ctx->scratch, h, t->l, &F));
    TRY(la_gather(ctx, t->Q, NULL, last, N));
    TRY(la_gemm(ctx, true, false, 1, N, t->s->M, 0, all));
    TRY(la_gather(ctx, all, NULL, t->un, F));
    TRY(subtract_reference(ctx, t, all, F));
    TRY(la_gather(ctx, t->s->S, t->un, t->un, S));
    TRY(la_syrk(ctx, true, 1 / lambda / lambda, F, 1, S));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* c = g + mu R t / lambda^2, t zero on the labelled rows, its sum taken from the first of them with an intercept. */
static rung_status add_multiplier_part(rung_ctx *ctx, dense_target *t, ot_target *out)
{
    const ot_space *s = t->s;
    double *x = NULL, *Mx = t->room, factor = out->multiplier / s->lambda / s->lambda;
    TRY(NEW(ctx, &ctx->scratch, x, t->n));
    for (int64_t i = 0; i < t->l; i++) x[t->un[i]] = out->y[t->un[i]];
    if (s->intercept) x[t->rows->lab[0]] = -sum_of(t->n, x);
    TRY(la_mul(ctx, 1, s->M, 1, x, 0, Mx));
    TRY(transposed_times(ctx, t->Q, Mx, t->w));
    for (int64_t j = t->q; j < t->q + t->rows->n_hidden; j++) t->w[j] = 0;
    TRY(la_mul(ctx, -1, t->Q, 1, t->w, 1, Mx));
    for (int64_t i = 0; i < t->n; i++) out->a[i] = t->g[i] + factor * Mx[i];
    return RUNG_OK;
}

static rung_status dense_sphere(rung_ctx *ctx, dense_target *t, const double *b, ot_target *out)
{
    la_mat *S = NULL;
    double *values = NULL;
    secular_root root;
    TRY(NEW(ctx, &ctx->scratch, values, t->l));
    TRY(la_new(ctx, &ctx->scratch, t->l, t->l, &S));
    if (!t->s->S)
        TRY(inverse_block(ctx, t, t->l, t->un, S));
    else if (t->rows->n_hidden > 0)
        TRY(inverse_with_hidden(ctx, t, S));
    else
        TRY(la_gather(ctx, t->s->S, t->un, t->un, S));
    TRY(secular_newton(ctx, S, b, t->rows->rho2, values, &root));
    out->multiplier = root.mu;
    out->hard = root.hard;
    for (int64_t i = 0; i < t->l; i++) out->y[t->un[i]] = values[i];
    return add_multiplier_part(ctx, t, out);
}

static rung_status dense_solve(rung_ctx *ctx, const ot_space *s, const labelled_rows *rows, ot_target *out)
{
    dense_target t = {.s = s, .rows = rows, .n = s->c->n};
    double *Mg = NULL, *b = NULL;
    TRY(dense_basis(ctx, &t));
    TRY(free_rows(ctx, t.n, rows, &t.un, &t.l));
    TRY(NEW(ctx, &ctx->scratch, Mg, t.n));
    TRY(NEW(ctx, &ctx->scratch, b, t.l));
    TRY(la_mul(ctx, 1, s->M, 1, t.g, 0, Mg));
    out->bias = s->intercept ? rows->u[0] - Mg[rows->lab[0]] : 0;
    for (int64_t i = 0; i < rows->m; i++) out->y[rows->lab[i]] = rows->u[i];
    for (int64_t i = 0; i < t.l; i++) out->y[t.un[i]] = b[i] = Mg[t.un[i]] + out->bias;
    memcpy(out->a, t.g, (size_t)t.n * sizeof *out->a);
    out->multiplier = 0;
    if (s->sphere && t.l > 0) TRY(dense_sphere(ctx, &t, b, out));
    if (s->intercept) out->bias = sum_of(t.n, out->y) / (double)t.n;
    return RUNG_OK;
}

rung_status ot_space_share(rung_ctx *ctx, ot_space *s, const labelled_rows *rows)
{
    if (!s->M || !s->sphere) return RUNG_OK;
    dense_target t = {.s = s, .rows = rows, .n = s->c->n};
    la_mat *S = NULL;
    TRY(la_new(ctx, &ctx->scratch, t.n, t.n, &S));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(dense_basis(ctx, &t));
    TRY(inverse_block(ctx, &t, t.n, NULL, S));
    pool_release(&ctx->scratch, mark);
    s->S = S;
    return RUNG_OK;
}

/* a = M^-1 (y - bias): computed from the solution by differences it is inaccurate for small lambda. y'H y = |lambda
 * a|^2; the value at t = 0 is subtracted. */
rung_status ot_solve_finish(rung_ctx *ctx, ot_space *s, const labelled_rows *rows, ot_target *out)
{
    if (!s->M) return RUNG_OK;
    int64_t n = s->c->n;
    double *c0 = NULL;
    TRY(NEW(ctx, &ctx->scratch, c0, n));
    for (int64_t i = 0; i < rows->m; i++) c0[rows->lab[i]] = rows->u[i];
    double mean = s->intercept ? sum_of(n, c0) / (double)n : 0;
    for (int64_t i = 0; i < n; i++) {
        c0[i] -= mean;
        out->a[i] = out->y[i] - out->bias;
    }
    TRY(la_potrf(ctx, s->M));
    TRY(la_potrs(ctx, s->M, 1, c0));
    TRY(la_potrs(ctx, s->M, 1, out->a));
    mean = s->intercept ? sum_of(n, out->a) / (double)n : 0; /* 0 except for rounding, which 1 / lambda has amplified */
    for (int64_t i = 0; i < n; i++) out->a[i] -= mean;
    out->energy = s->lambda * s->lambda * (square_of(n, out->a) - square_of(n, c0));
    return RUNG_OK;
}

/* ---- either ---- */

rung_status ot_solve(rung_ctx *ctx, const ot_space *s, const labelled_rows *rows, ot_target *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(s->M ? dense_solve(ctx, s, rows, out) : ot_thin_solve(ctx, s, rows, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
