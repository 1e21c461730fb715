// SPDX-License-Identifier: BSD-3-Clause
/* Lawson and Hanson's active set method on the Gram form: with s = trace(G)/m and A = G/s + 11',
 *     u = argmin_{u >= 0} 1/2 u'Au - 1'u,   a = C u / 1'u.
 * Its optimality conditions, Gu/s + (1'u - 1) 1 >= 0 with equality where u > 0, are those of the simplex problem; s
 * makes it scale free. The Cholesky factor of A on the support is updated as indices enter and leave: O(m^2) per
 * step. */
#include "solve/simplex_qp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/la.h"

typedef struct {
    int64_t m, size;   /* size: of the support */
    double *A;         /* m x m */
    double *L;         /* lower Cholesky factor of A on the support, by rows of length m, in the order of `support` */
    int64_t *support;  /* the indices that may be positive */
    double *u, *z, *w; /* by index: the iterate; by position in the support: its target; minus the gradient */
} active_set;

/* Below this share of A_jj a pivot is a rounding error: column j depends on the support. Raising the pivot to it adds
 * at most 1e-14 A_jj u_j to the gradient and keeps a descent direction, so that singular G needs no special case. */
static const double LEAST_PIVOT = 1e-14;

static rung_status start(rung_ctx *ctx, int m, const double *G, double s, active_set *set)
{
    *set = (active_set){.m = m};
    TRY(NEW_RAW(ctx, &ctx->scratch, set->A, set->m * m));
    TRY(NEW_RAW(ctx, &ctx->scratch, set->L, set->m * m));
    TRY(NEW(ctx, &ctx->scratch, set->support, m));
    TRY(NEW(ctx, &ctx->scratch, set->u, m));
    TRY(NEW(ctx, &ctx->scratch, set->z, m));
    TRY(NEW(ctx, &ctx->scratch, set->w, m));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++) set->A[i * m + j] = 0.5 * (G[i * m + j] / s + G[j * m + i] / s) + 1;
    return RUNG_OK;
}

/* The index outside the support with the steepest descent. */
static int64_t steepest(active_set *set)
{
    int64_t m = set->m, best = -1;
    double *w = set->w;
    for (int64_t i = 0; i < m; i++) w[i] = 1;
    for (int64_t k = 0; k < set->size; k++) {
        const double *column = set->A + set->support[k] * m;
        double u = set->u[set->support[k]];
        for (int64_t i = 0; i < m; i++) w[i] -= u * column[i];
    }
    for (int64_t k = 0; k < set->size; k++) w[set->support[k]] = -INFINITY;
    for (int64_t i = 0; i < m; i++)
        if (w[i] > (best < 0 ? 1e-12 * (double)m : w[best])) best = i;
    return best;
}

static void add(active_set *set, int64_t j)
{
    int64_t m = set->m, k = set->size;
    double *new = set->L + k *m, pivot = set->A[j * m + j];
    for (int64_t i = 0; i < k; i++) {
        const double *old = set->L + i * m;
        double sum = set->A[j * m + set->support[i]];
        for (int64_t c = 0; c < i; c++) sum -= old[c] * new[c];
        new[i] = sum / old[i];
        pivot -= new[i] * new[i];
    }
    new[k] = sqrt(fmax(pivot, LEAST_PIVOT * fmax(set->A[j * m + j], 1)));
    set->support[set->size++] = j;
}

/* Without row k the factor has one entry too many in each later row; plane rotations of adjacent columns remove
 * them. */
static void drop(active_set *set, int64_t k)
{
    int64_t m = set->m, last = --set->size;
    for (int64_t i = k; i < last; i++) {
        memcpy(set->L + i * m, set->L + (i + 1) * m, (size_t)(i + 2) * sizeof *set->L);
        set->support[i] = set->support[i + 1];
    }
    for (int64_t c = k; c < last; c++) {
        double *top = set->L + c * m + c, length = hypot(top[0], top[1]), cosine = top[0] / length,
               sine = top[1] / length;
        for (int64_t i = c; i < last; i++) {
            double *pair = set->L + i * m + c, x = pair[0], y = pair[1];
            pair[0] = cosine * x + sine * y;
            pair[1] = cosine * y - sine * x;
        }
    }
}

/* z: the minimiser over the support without the signs, A z = 1. */
static void solve(active_set *set)
{
    int64_t m = set->m, n = set->size;
    double *z = set->z;
    for (int64_t i = 0; i < n; i++) {
        const double *row = set->L + i * m;
        double sum = 1;
        for (int64_t c = 0; c < i; c++) sum -= row[c] * z[c];
        z[i] = sum / row[i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *row = set->L + i * m;
        z[i] /= row[i];
        for (int64_t c = 0; c < i; c++) z[c] -= row[c] * z[i];
    }
}

/* Moves u towards z until a first component is zero; those that are leave the support. False: z was reached. */
static bool step_towards(active_set *set)
{
    double step = 1;
    int64_t blocking = -1;
    for (int64_t k = 0; k < set->size; k++) {
        double u = set->u[set->support[k]], z = set->z[k];
        if (z <= 0 && (blocking < 0 || u / (u - z) < step)) {
            step = u / (u - z);
            blocking = k;
        }
    }
    for (int64_t k = set->size - 1; k >= 0; k--) {
        double *u = set->u + set->support[k];
        *u = blocking < 0 ? set->z[k] : *u + step * (set->z[k] - *u);
        if (k == blocking || *u <= 0) {
            *u = 0;
            drop(set, k);
        }
    }
    return blocking >= 0;
}

static rung_status optimise(rung_ctx *ctx, active_set *set)
{
    for (int64_t i = 0; i < 20 * set->m; i++) {
        TRY(interrupted(ctx));
        int64_t j = steepest(set);
        if (j < 0) return RUNG_OK;
        add(set, j);
        solve(set);
        if (set->z[set->size - 1] <=
            0) { /* it would leave at once, so its descent was a rounding error: this is the minimum */
            drop(set, set->size - 1);
            return RUNG_OK;
        }
        while (step_towards(set)) solve(set);
    }
    return set_error(ctx, RUNG_ENOCONV, "the simplex problem of size %lld did not converge in %lld steps",
                     (long long)set->m, 20 * (long long)set->m);
}

static rung_status minimise(rung_ctx *ctx, int m, const double *G, double C, double *a)
{
    double s = 0, sum = 0;
    for (int64_t i = 0; i < (int64_t)m * m; i++)
        if (!isfinite(G[i]))
            return set_error(ctx, RUNG_EDATA, "the matrix of a simplex problem of size %d holds %g", m, G[i]);
    for (int64_t i = 0; i < m; i++) s += G[i * m + i] / m;
    for (int i = 0; i < m; i++) a[i] = C / m;
    if (m == 1 || !(s > 0)) return RUNG_OK; /* G = 0: every point is a minimum */
    active_set set;
    TRY(start(ctx, m, G, s, &set));
    TRY(optimise(ctx, &set));
    for (int i = 0; i < m; i++) sum += set.u[i];
    for (int i = 0; i < m; i++) a[i] = C * (set.u[i] / sum);
    return RUNG_OK;
}

rung_status simplex_qp(rung_ctx *ctx, int m, const double *G, double C, double *a)
{
    pool_mark here = pool_here(&ctx->scratch);
    rung_status status = minimise(ctx, m, G, C, a);
    pool_release(&ctx->scratch, here);
    return status;
}

/* A d = t 1 - g / s on the support with A = G/s + 11' and 1'd = 0, hence A d = G d / s. */
static rung_status newton_step(rung_ctx *ctx, int m, const double *G, const double *g, double *a)
{
    int k = 0, *at = NULL;
    double s = 0, level = 0, sum[2] = {0}, *A = NULL, *B = NULL;
    TRY(NEW(ctx, &ctx->scratch, at, m));
    TRY(NEW(ctx, &ctx->scratch, A, m * m));
    TRY(NEW(ctx, &ctx->scratch, B, 2 * m));
    for (int i = 0; i < m; i++)
        if (a[i] > 0) at[k++] = i;
    for (int i = 0; i < k; i++) s += G[at[i] + at[i] * m] / k;
    if (k < 2 || !(s > 0)) return RUNG_OK;
    for (int i = 0; i < k; i++) level += g[at[i]] / k;
    for (int i = 0; i < k; i++) {
        B[i] = 1;
        B[i + k] = (level - g[at[i]]) / s;
        for (int j = 0; j < k; j++) A[i + j * k] = 0.5 * (G[at[i] + at[j] * m] / s + G[at[j] + at[i] * m] / s) + 1;
    }
    rung_status status = la_small_spd_solve(ctx, k, A, 2, B);
    if (status == RUNG_ESINGULAR) return RUNG_OK; /* to rounding */
    TRY(status);
    for (int i = 0; i < 2 * k; i++) sum[i / k] += B[i];
    for (int i = 0; i < k; i++) B[i] = a[at[i]] + B[i + k] - sum[1] / sum[0] * B[i];
    for (int i = 0; i < k; i++)
        if (!(B[i] >= 0)) return RUNG_OK;
    for (int i = 0; i < k; i++) a[at[i]] = B[i];
    return RUNG_OK;
}

rung_status simplex_qp_polish(rung_ctx *ctx, int m, const double *G, const double *g, double *a)
{
    pool_mark here = pool_here(&ctx->scratch);
    rung_status status = newton_step(ctx, m, G, g, a);
    pool_release(&ctx->scratch, here);
    return status;
}
