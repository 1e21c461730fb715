// SPDX-License-Identifier: BSD-3-Clause
#include "method/target/secular.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/subspace.h"

enum { MOST_STEPS = 200, MOST_FACTORS = 30 };
static const double NEARLY_HARD = 1e-5; /* d / mu_1 below which a factor of I - mu S loses too many digits */

static double norm(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- in the eigenvectors ---- */

/* f vanishes on the lowest eigenspace, and what the others make up at mu = mu_1 is inside the sphere: the rest goes
 * along a lowest eigenvector. */
static bool hard_case(int64_t n, const double *mu, const double *f, double rho2, double *xi)
{
    double scale = fmax(fabs(mu[0]), fabs(mu[n - 1])), low = 0, all = norm(n, f), rest = rho2;
    for (int64_t a = 0; a < n; a++) {
        bool lowest = mu[a] - mu[0] <= 1e-12 * scale;
        if (lowest) low = hypot(low, f[a]);
        xi[a] = lowest ? 0 : f[a] / (mu[0] - mu[a]);
        rest -= xi[a] * xi[a];
    }
    if (low > 1e-14 * all || rest < 0) return false;
    xi[0] = sqrt(rest);
    return true;
}

/* Newton on 1/|xi| - 1/rho in d = mu_1 - mu > 0, where it is concave and rising: from the left end of the bracket it
 * never oversteps. Working with d and the gaps mu_a - mu_1 keeps full relative accuracy however small d is. */
void secular_solve(int64_t n, const double *mu, const double *f, double rho2, double *xi, secular_root *out)
{
    double rho = sqrt(rho2), low = 0;
    *out = (secular_root){.mu = mu[0]};
    if (rho2 <= 0) {
        memset(xi, 0, (size_t)n * sizeof *xi);
        return;
    }
    out->hard = hard_case(n, mu, f, rho2, xi);
    if (out->hard) return;
    for (int64_t a = 0; a < n && mu[a] == mu[0]; a++) low = hypot(low, f[a]);
    double lo = fmax(low / rho, DBL_MIN), hi = fmax(norm(n, f) / rho, lo), d = lo;
    for (; out->steps < MOST_STEPS; out->steps++) {
        double square = 0, slope = 0;
        for (int64_t a = 0; a < n; a++) {
            double gap = mu[a] - mu[0] + d, w = f[a] / gap;
            square += w * w;
            slope += w * w / gap;
        }
        double length = sqrt(square);
        if (length > rho)
            lo = d;
        else
            hi = d;
        double next = d + (length / rho - 1) * square / slope;
        if (fabs(next - d) <= 4 * DBL_EPSILON * d || hi - lo <= 4 * DBL_EPSILON * hi) break;
        d = next > lo && next < hi ? next : sqrt(lo) * sqrt(hi);
    }
    out->mu = mu[0] - d;
    for (int64_t a = 0; a < n; a++) xi[a] = -f[a] / (mu[a] - mu[0] + d);
}

/* ---- on Cholesky factors ---- */

typedef struct {
    int64_t n;
    const la_mat *S;
    const double *b;
    double rho, lo, hi; /* lo: t is inside the sphere; hi: outside, or beyond the smallest eigenvalue */
    la_mat *L;
    double *t, *q, *St;
} search;

static double newton_step(const search *s, double mu)
{
    double length = norm(s->n, s->t), slope = dot(s->n, s->q, s->St);
    return mu + length * length / slope * (s->rho - length) / s->rho;
}

/* t, q = (I - mu S)^-1 t and S t at mu; *definite = false where I - mu S is not positive definite. */
static rung_status evaluate(rung_ctx *ctx, search *s, double mu, bool *definite)
{
    size_t size = (size_t)s->n * sizeof *s->t;
    TRY(la_scale_add(ctx, -mu, s->S, 0, s->L));
    la_add_diagonal(s->L, 1, NULL);
    rung_status status = la_potrf(ctx, s->L);
    *definite = status == RUNG_OK;
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    memcpy(s->t, s->b, size);
    TRY(la_potrs(ctx, s->L, 1, s->t));
    memcpy(s->q, s->t, size);
    TRY(la_potrs(ctx, s->L, 1, s->q));
    return la_mul(ctx, 1, s->S, 1, s->t, 0, s->St);
}

/* The left end of the bracket in d, from the leading eigenpair of S; NaN where the case is (nearly) hard. */
static rung_status start_near_pole(rung_ctx *ctx, const search *s, double *mu)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double value, *v = NULL;
    bool converged;
    la_mat *V = NULL;
    TRY(la_new(ctx, &ctx->scratch, s->n, 1, &V));
    TRY(NEW_RAW(ctx, &ctx->scratch, v, s->n));
    TRY(la_leading(ctx, s->S, 1, 1e-9, &value, V, &converged));
    la_get(V, v);
    double share = fabs(dot(s->n, v, s->b)) / s->rho; /* d / mu_1 */
    *mu = share < NEARLY_HARD ? NAN : (1 - share) / value;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status by_eigenvalues(rung_ctx *ctx, const search *s, double rho2, double *t, secular_root *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = s->n;
    la_mat *A = NULL, *V = NULL, *B = NULL, *F = NULL;
    double *mu = NULL, *f = NULL, *xi = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, n, &A));
    TRY(la_new(ctx, &ctx->scratch, n, n, &V));
    TRY(la_new(ctx, &ctx->scratch, n, 1, &B));
    TRY(la_new(ctx, &ctx->scratch, n, 1, &F));
    TRY(NEW(ctx, &ctx->scratch, mu, n));
    TRY(NEW(ctx, &ctx->scratch, f, n));
    TRY(NEW(ctx, &ctx->scratch, xi, n));
    TRY(la_gather(ctx, s->S, NULL, NULL, A));
    TRY(la_eigen(ctx, A, n, mu, V));
    la_put(s->b, B);
    TRY(la_gemm(ctx, true, false, 1, V, B, 0, F));
    la_get(F, f);
    for (int64_t a = 0; a < n; a++) {
        mu[a] = 1 / mu[a];
        f[a] *= -mu[a];
    }
    secular_solve(n, mu, f, rho2, xi, out);
    TRY(la_mul(ctx, 1, V, 1, xi, 0, t));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* From mu = 0, where t = b: outside the sphere Newton's method comes down from there, inside it starts near the pole.
 */
static rung_status first_multiplier(rung_ctx *ctx, search *s, double *mu)
{
    if (norm(s->n, s->b) <= s->rho) {
        s->lo = 0;
        return start_near_pole(ctx, s, mu);
    }
    s->hi = 0;
    TRY(la_mul(ctx, 1, s->S, 1, s->b, 0, s->St));
    memcpy(s->t, s->b, (size_t)s->n * sizeof *s->t);
    memcpy(s->q, s->b, (size_t)s->n * sizeof *s->q);
    *mu = newton_step(s, 0);
    return RUNG_OK;
}

/* found: t at out->mu has the required length. */
static rung_status iterate(rung_ctx *ctx, search *s, secular_root *out, bool *found)
{
    double mu;
    *found = false;
    TRY(first_multiplier(ctx, s, &mu));
    for (; out->steps < MOST_FACTORS && !isnan(mu) && !*found; out->steps++) {
        bool definite;
        TRY(evaluate(ctx, s, mu, &definite));
        double length = definite ? norm(s->n, s->t) : HUGE_VAL, next = definite ? newton_step(s, mu) : NAN;
        if (length > s->rho)
            s->hi = mu;
        else
            s->lo = mu;
        bool closed = isfinite(s->lo) && s->hi - s->lo <= 4 * DBL_EPSILON * fmax(fabs(s->hi), fabs(s->lo));
        double off = fabs(length - s->rho) / s->rho;
        *found = definite && (off <= 1e-12 || (off <= 1e-9 && (closed || next == mu)));
        if (!*found && (closed || next == mu)) break;
        out->mu = mu;
        mu = next > s->lo && next < s->hi ? next : (s->lo + s->hi) / 2;
    }
    return RUNG_OK;
}

rung_status secular_newton(rung_ctx *ctx, const la_mat *S, const double *b, double rho2, double *t, secular_root *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_rows(S);
    search s = {.n = n, .S = S, .b = b, .rho = sqrt(rho2), .lo = -HUGE_VAL, .hi = HUGE_VAL, .t = t};
    bool found;
    *out = (secular_root){0};
    if (n == 0) return RUNG_OK;
    if (rho2 <= 0) {
        memset(t, 0, (size_t)n * sizeof *t);
        return RUNG_OK;
    }
    TRY(la_new(ctx, &ctx->scratch, n, n, &s.L));
    TRY(NEW_RAW(ctx, &ctx->scratch, s.q, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, s.St, n));
    TRY(iterate(ctx, &s, out, &found));
    la_free(&ctx->scratch, s.L);
    if (!found) TRY(by_eigenvalues(ctx, &s, rho2, t, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
